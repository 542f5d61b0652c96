/// The first difference of two recordings, or of a recording and its simulation, found piece by piece: the caller
/// brings the memory, reads keyframes, and may stop or say how far it is after each piece.
///
///     iso__compare_begin(search);             // with both sides
///     while ((step = iso__compare_next(search)) != COMPARE_DONE && step != COMPARE_FAILED) {
///         if (step == COMPARE_NEEDS_STATE) { ...; iso__compare_give(search, state); }
///     }
///
/// First only the files are compared: roots that both have, inputs, and whether each keyframe has the recorded root of
/// its tick. That gives the first suspect tick, without a step. Then both worlds are restored to the last tick that is
/// known to be equal and stepped side by side, each with its own keyframes, until their states differ. A recording
/// contains inputs and keyframes, so a state that does not follow from its inputs, such as a flipped bit, enters with a
/// keyframe.
#ifndef ISO_REPLAY_COMPARE_SEARCH_H
#define ISO_REPLAY_COMPARE_SEARCH_H

#include "compare/track.h"
#include "isostep/snapshot.h"

#define COMPARE_DIFFS_MAX   4096u // fields that are collected
#define COMPARE_DIFFS_SHOWN 8u
#define COMPARE_INPUTS_MAX  8u

/// One of the two: a recording, or the simulation of the other one. The caller sets the first members, all others are
/// zero.
typedef struct compare_side {
    const char *label; // "A", "B", "simulated"; only for reports, as is
    const char *path;  // the name of its file
    bool is_simulated; // has no file of its own
    const iso_recording *recording;
    replay_keyframes keyframes;        // of the recording; none when it is simulated
    iso_world *world;                  // by the recording's definition
    iso_recording_tick_buffer *buffer; // of its own
    uint64_t cursor;                   // behind the last step's TICK
    iso_recording_tick tick;           // of the last step
    uint64_t tick_offset;              // of its frame
    bool has_root;                     // at the first difference
    uint64_t root;
    uint64_t offset;  // in the file, of the frame at the first difference
    bool has_strayed; // of one common state: this build's simulation up to it gives another root than `root`
} compare_side;

/// A value of the header that differs.
typedef struct compare_header {
    const char *name;
    bool matters; // to the states
} compare_header;

/// A change or command of one tick that differs. `a` or `b` is false when that side does not have it.
typedef struct compare_input {
    bool is_command;
    bool is_in_a, is_in_b;
    iso_change change_a, change_b;
    iso_sealed_command command_a, command_b;
} compare_input;

typedef struct compare_result {
    compare_header headers[24];
    uint32_t header_count;
    uint64_t first_tick; // what both have
    uint64_t last_tick;
    bool is_common;    // there is such a tick
    bool is_one_state; // and only one: a side is a single state, such as isostep-client --dump-state writes

    bool is_different;
    uint64_t tick;                                // of the first difference
    bool roots_differ;                            // there, in the files or simulated
    compare_input inputs[COMPARE_INPUTS_MAX + 1]; // the last place takes what is beyond
    uint32_t input_count;                         // of the tick compared last, may be above COMPARE_INPUTS_MAX
    iso_diff *diffs;                              // COMPARE_DIFFS_MAX
    uint32_t diff_count;
    uint64_t state_tick;  // of the states that `diffs` are of; not before `tick`
    uint64_t equal_ticks; // before the first difference
    uint64_t last_root;   // when nothing differs
    bool has_last_root;
    double seconds; // that it took: set by the caller
} compare_result;

/// Collects the values of the headers that differ. input.c
void iso__replay_compare_headers(const iso_recording_header *a, const iso_recording_header *b, compare_result *result);

/// Compares the inputs of one tick and collects what differs. @return whether they are the same
bool iso__replay_compare_inputs(const iso_tick_input *a, const iso_tick_input *b, compare_result *result);

/// "JOIN", or "UNKNOWN".
const char *iso__replay_change_name(uint8_t kind);

typedef enum compare_step {
    COMPARE_GOES_ON,     // call again
    COMPARE_NEEDS_STATE, // of the keyframe `wanted` of wanted_of's recording: give it
    COMPARE_DONE,        // `result` is complete
    COMPARE_FAILED,      // `status` says why, of `failed`'s tick; TRUNCATED: it has no more ticks
} compare_step;

typedef struct compare_search {
    compare_side a;
    compare_side b;
    compare_result result; // its diffs are set by the caller
    uint64_t done;         // [ticks] of last_tick - first_tick
    iso_recording_keyframe wanted;
    const iso_recording *wanted_of;
    iso_status status;
    const compare_side *failed;

    // Private.
    uint64_t suspect;    // the first tick at which the files differ; UINT64_MAX: none
    uint64_t input_tick; // whose inputs differ; UINT64_MAX: none is known
    uint64_t equal_tick; // at most suspect: both files have its root, and these are equal; or the first tick
    uint64_t now;        // the tick at hand
    uint64_t end;        // the last one that is walked to
    uint64_t cursors[2]; // of the inputs
    replay_claims claims;
    compare_side *asking; // whose world gets the state
    uint32_t keyframe;    // the next one to check
    uint8_t phase;
    uint8_t side;     // whose turn it is: 0, 1; 2: both have done it
    bool has_asked;   // the state at hand was given
    bool is_placed;   // in the state of a keyframe, on the way to a tick
    bool has_started; // the simulation
} compare_search;

/// Begins. Members of `a` and `b` and result.diffs are set, all else is zero.
void iso__compare_begin(compare_search *search);
/// The next piece: at most one tick of each, or one state.
compare_step iso__compare_next(compare_search *search);
/// The plain bytes of the state that was asked for. @return ISO_OK; what iso_snapshot_decode returns; CORRUPT. The
/// search has then failed.
iso_status iso__compare_give(compare_search *search, const uint8_t *state);

#endif
