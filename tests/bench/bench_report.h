/// isostep-bench: what was measured, and how it is told: as a table, as JSON, against an earlier JSON, as a picture.
#ifndef ISO_BENCH_REPORT_H
#define ISO_BENCH_REPORT_H

#include "isostep/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define BENCH_NAME_MAX    63
#define BENCH_PEERS_MAX   2u
#define BENCH_RESULTS_MAX 512u

/// The median of several runs and what lies around it, in microseconds: of fewer than five runs the fastest and the
/// slowest, else the lower and the upper quartile. All 0: not measured.
typedef struct bench_time {
    double median, low, high;
} bench_time;

/// What is timed: X(name). step: the mean of the steps of a run; rollback: a restore and eight steps.
#define BENCH_TIME_LIST(X) \
    X(step)                \
    X(save)                \
    X(restore)             \
    X(rollback)            \
    X(encode)              \
    X(decode)              \
    X(hash)

/// The stages of a step, mean microseconds of each: those of iso_profile. X(name, text)
#define BENCH_STAGE_LIST(X) ISO_PROFILE_STAGE_LIST(X)

typedef struct bench_peer_time {
    char name[BENCH_NAME_MAX + 1]; // empty: none
    double step;                   // [us] the median of the runs
} bench_peer_time;

typedef struct bench_result {
    char scene[BENCH_NAME_MAX + 1];
    char simd[BENCH_NAME_MAX + 1]; // the instruction set
    unsigned threads, steps, runs;
    unsigned bodies, joints, contacts, contacts_most; // contacts: after the steps, and the most after any
    char root[17];                                    // after the steps: what was computed
#define BENCH_TIME_FIELD(name) bench_time name;
    BENCH_TIME_LIST(BENCH_TIME_FIELD)
#undef BENCH_TIME_FIELD
    double step_slowest; // [us]
    size_t image_size, snapshot_size;
    bool has_stages;
#define BENCH_STAGE_FIELD(name, text) double stage_##name;
    BENCH_STAGE_LIST(BENCH_STAGE_FIELD)
#undef BENCH_STAGE_FIELD
    bench_peer_time peers[BENCH_PEERS_MAX];
} bench_result;

typedef struct bench_results {
    bench_result *list; // BENCH_RESULTS_MAX of them
    size_t count;
} bench_results;

/// Sorts the times and makes the median of them. @param count  1 or more
bench_time bench_time_of(double *times, size_t count);

/// The head of the table, and one row. A peer's ratio is its time to ours: above 1 Isostep is faster.
void bench_print_head(FILE *out, const bench_results *results);
void bench_print_row(FILE *out, const bench_result *result);
/// The stages of those that have them. Prints nothing when none has.
void bench_print_stages(FILE *out, const bench_results *results);

/// @param path  "-" for standard output. @return false, after a line on standard error
bool bench_write_json(const char *path, const bench_results *results);
/// Reads what bench_write_json has written. @return false, after a line on standard error
bool bench_read_json(const char *path, bench_results *results);

/// Prints the ratios of `now` to `before`, where both have the same scene, instruction set and number of threads.
void bench_print_comparison(FILE *out, const bench_results *now, const bench_results *before);

/// Draws the steps' times as bars, with those of the peers and, when there is something to compare with, the earlier
/// ones. @param before  or NULL. @return false, after a line on standard error
bool bench_write_plot(const char *path, const bench_results *now, const bench_results *before);

#endif
