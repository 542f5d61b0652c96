/// isostep-replay compare: what is found and how it is reported.
#ifndef ISO_REPLAY_COMPARE_H
#define ISO_REPLAY_COMPARE_H

#include "walk.h"

#define COMPARE_DIFFS_MAX   4096u // fields that are collected
#define COMPARE_DIFFS_SHOWN 8u
#define COMPARE_INPUTS_MAX  8u

/// One of the two: a recording, or the simulation of the other one.
typedef struct compare_side {
    const char *label; // "A", "B", "simulated"
    bool is_simulated; // has no file of its own
    replay_file file;
    const iso_recording *recording;
    replay_keyframes keyframes;
    replay_walk walk;
    bool has_root; // at the first difference
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
    double seconds;
} compare_result;

/// Collects the values of the headers that differ. compare_input.c
void iso__replay_compare_headers(const iso_recording_header *a, const iso_recording_header *b, compare_result *result);

/// Compares the inputs of one tick and collects what differs. @return whether they are the same
bool iso__replay_compare_inputs(const iso_tick_input *a, const iso_tick_input *b, compare_result *result);

/// Prints what was found on standard output.
typedef void compare_report(const compare_side *a, const compare_side *b, const compare_result *result);

/// Compares two recordings, or one with its simulation. compare.c
/// @param path_b  NULL: its simulation
/// @param report  unless `json`, which has one form
/// @return the exit code
int iso__replay_compare_files(const char *path_a, const char *path_b, compare_report *report, bool json);

/// compare_report.c
void iso__replay_compare_report_text(const compare_side *a, const compare_side *b, const compare_result *result);
void iso__replay_compare_report_json(const compare_side *a, const compare_side *b, const compare_result *result);

#endif
