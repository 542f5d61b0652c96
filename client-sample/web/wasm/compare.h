/// What JavaScript calls to compare two recordings: the search of isostep-replay, with the module's memory. All
/// functions are named in exports.txt.
#ifndef ISO_WEB_COMPARE_H
#define ISO_WEB_COMPARE_H

#include "compare/search.h"

typedef struct iso_player_comparison iso_player_comparison;

/// @param a, b  open, and of versions that this module computes (iso_player_check); they outlive the comparison
/// @return NULL: there is no memory for it
iso_player_comparison *iso_player_compare_create(const iso_recording *a, const iso_recording *b);
void iso_player_compare_destroy(iso_player_comparison *comparison);

/// Some pieces of the work. @return compare_step
uint32_t iso_player_compare_next(iso_player_comparison *comparison, uint32_t pieces);
/// The keyframe whose state is needed, of the recording that iso_player_compare_wanted_of returns.
const iso_recording_keyframe *iso_player_compare_wanted(const iso_player_comparison *comparison);
const iso_recording *iso_player_compare_wanted_of(const iso_player_comparison *comparison);
/// @param state  the plain bytes
iso_status iso_player_compare_give(iso_player_comparison *comparison, const uint8_t *state);

/// What is known, as numbers of 64 bits: in the order of the enumeration.
enum {
    ISO_PLAYER_COMPARE_DONE, // [ticks] of last - first
    ISO_PLAYER_COMPARE_STATUS,
    ISO_PLAYER_COMPARE_FAILED_TICK,
    ISO_PLAYER_COMPARE_IS_COMMON,
    ISO_PLAYER_COMPARE_FIRST,
    ISO_PLAYER_COMPARE_LAST,
    ISO_PLAYER_COMPARE_IS_DIFFERENT,
    ISO_PLAYER_COMPARE_TICK,
    ISO_PLAYER_COMPARE_EQUAL_TICKS,
    ISO_PLAYER_COMPARE_HAS_ROOT_A,
    ISO_PLAYER_COMPARE_ROOT_A,
    ISO_PLAYER_COMPARE_HAS_ROOT_B,
    ISO_PLAYER_COMPARE_ROOT_B,
    ISO_PLAYER_COMPARE_STATE_TICK,
    ISO_PLAYER_COMPARE_DIFFS,
    ISO_PLAYER_COMPARE_INPUTS,
    ISO_PLAYER_COMPARE_HEADERS,
    ISO_PLAYER_COMPARE_NUMBERS
};
void iso_player_compare_numbers(const iso_player_comparison *comparison, uint64_t numbers[ISO_PLAYER_COMPARE_NUMBERS]);

/// The section of a field that differs, and three texts of ISO_DIFF_TEXT_SIZE bytes: place, value in A, value in B.
const char *iso_player_compare_field(const iso_player_comparison *comparison, uint32_t index, char *texts);
/// A header's value that differs. @return its name
const char *iso_player_compare_header(const iso_player_comparison *comparison, uint32_t index);
/// An input that differs. @param numbers  is it a command, is it in A, in B, slot, sequence @return the name of its
/// kind
const char *iso_player_compare_input(const iso_player_comparison *comparison, uint32_t index, uint64_t numbers[5]);

/// How many fields of two worlds differ, at most COMPARE_DIFFS_MAX, and in which bodies.
/// @param bodies  room for COMPARE_DIFFS_MAX indices, which rise; *body_count receives how many there are
uint32_t iso_player_differing(iso_world *a, iso_world *b, uint32_t *bodies, uint32_t *body_count);

#endif
