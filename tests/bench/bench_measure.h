/// isostep-bench: runs a scene in Isostep and in its peers, and takes the times.
#ifndef ISO_BENCH_MEASURE_H
#define ISO_BENCH_MEASURE_H

#include "bench_options.h"
#include "bench_report.h"

/// What the steps are made with.
typedef struct bench_config {
    const char *simd; // an instruction set that bench_config_check knows
    unsigned threads;
} bench_config;

/// What was built without a peer, or NULL.
extern const char *const bench_missing_peers;

/// Whether this build and machine can step with it. @return false, after a line on standard error
bool bench_config_check(const bench_config *config);

/// Measures one scene. @return false, after a line on standard error
bool bench_measure(const char *scene, unsigned steps, const bench_options *options, const bench_config *config,
                   bench_result *result);

#endif
