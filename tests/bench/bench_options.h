/// isostep-bench: its command line.
#ifndef ISO_BENCH_OPTIONS_H
#define ISO_BENCH_OPTIONS_H

#include <stdbool.h>

#define BENCH_SCENES_MAX  64u
#define BENCH_THREADS_MAX 8u
#define BENCH_SETS_MAX    8u

typedef struct bench_options {
    const char *scenes[BENCH_SCENES_MAX]; // none: all built-in ones
    unsigned scene_count;
    unsigned steps; // 0: the default
    unsigned runs, warm_up;
    unsigned threads[BENCH_THREADS_MAX];
    unsigned thread_count;
    const char *sets[BENCH_SETS_MAX]; // instruction sets; they point into the arguments
    unsigned set_count;
    bool is_table; // the scenes of the table of the field, each with its number of steps
    bool has_stages, has_peers, may_sleep;
    bool is_measured_so;                      // an option says how to measure, which --read does not
    const char *json, *compare, *plot, *read; // files, or NULL
} bench_options;

/// @param exit_code  when the program is to end: after --help and --version, or a line on standard error
/// @return whether there is something to do
bool bench_options_parse(int argc, char **argv, bench_options *options, int *exit_code);

#endif
