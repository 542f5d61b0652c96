/// Tables of what was measured.
#include "bench_report.h"

#include <string.h>

/// How far the middle of the runs spreads around the median, in percent of it.
static double spread(bench_time time) {
    return time.median > 0 ? 100 * (time.high - time.low) / 2 / time.median : 0;
}

void bench_print_head(FILE *out, const bench_results *results) {
    fprintf(out,
            "Microseconds: medians; of the step also how far the runs spread around it. A peer's ratio is its step "
            "to\nIsostep's: above 1, Isostep is faster. A dash: the scene has something that the peer does not, or "
            "no peer ran.\n\n");
    fprintf(out, "%-16s %5s %7s %6s %8s %7s %10s %5s", "scene", "simd", "threads", "bodies", "contacts", "joints",
            "step", "+-%");
    static const char *const others[] = {"save", "restore", "rollback", "encode", "decode", "hash"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        fprintf(out, " %10s", others[i]);
    }
    for (unsigned i = 0; i < BENCH_PEERS_MAX && results->count > 0; ++i) {
        if (results->list[0].peers[i].name[0] != 0) {
            fprintf(out, "  %17s", results->list[0].peers[i].name);
        }
    }
    fprintf(out, "\n");
}

void bench_print_row(FILE *out, const bench_result *r) {
    fprintf(out, "%-16s %5s %7u %6u %8u %7u %10.1f %5.1f %10.1f %10.1f %10.1f %10.1f %10.1f %10.1f", r->scene, r->simd,
            r->threads, r->bodies, r->contacts, r->joints, r->step.median, spread(r->step), r->save.median,
            r->restore.median, r->rollback.median, r->encode.median, r->decode.median, r->hash.median);
    for (unsigned i = 0; i < BENCH_PEERS_MAX && r->peers[i].name[0] != 0; ++i) {
        if (r->peers[i].step > 0) {
            fprintf(out, "  %10.1f %5.2fx", r->peers[i].step, r->peers[i].step / r->step.median);
        } else {
            fprintf(out, "  %17s", "-");
        }
    }
    fprintf(out, "\n");
    fflush(out);
}

void bench_print_stages(FILE *out, const bench_results *results) {
    bool has_head = false;
    for (size_t i = 0; i < results->count; ++i) {
        const bench_result *r = &results->list[i];
        if (!r->has_stages) {
            continue;
        }
        if (!has_head) {
            fprintf(out, "\nStages of a step, mean microseconds of a run with a clock.\n\n%-16s %5s %7s", "scene",
                    "simd", "threads");
#define STAGE_HEAD(name, text) fprintf(out, " %10s", #name);
            BENCH_STAGE_LIST(STAGE_HEAD)
#undef STAGE_HEAD
            fprintf(out, "\n");
            has_head = true;
        }
        fprintf(out, "%-16s %5s %7u", r->scene, r->simd, r->threads);
#define STAGE_CELL(name, text) fprintf(out, " %10.1f", r->stage_##name);
        BENCH_STAGE_LIST(STAGE_CELL)
#undef STAGE_CELL
        fprintf(out, "\n");
    }
}

// ---- against earlier results ---------------------------------------------------------------------

static const bench_result *find_like(const bench_results *results, const bench_result *like) {
    for (size_t i = 0; i < results->count; ++i) {
        const bench_result *r = &results->list[i];
        if (strcmp(r->scene, like->scene) == 0 && strcmp(r->simd, like->simd) == 0 && r->threads == like->threads) {
            return r;
        }
    }
    return NULL;
}

static void print_ratio(FILE *out, bench_time now, bench_time before) {
    if (now.median > 0 && before.median > 0) {
        fprintf(out, " %8.3f", now.median / before.median);
    } else {
        fprintf(out, " %8s", "-");
    }
}

void bench_print_comparison(FILE *out, const bench_results *now, const bench_results *before) {
    fprintf(out, "\nRatios to the earlier results: below 1 it has become faster.\n\n%-16s %5s %7s", "scene", "simd",
            "threads");
#define TIME_HEAD(name) fprintf(out, " %8s", #name);
    BENCH_TIME_LIST(TIME_HEAD)
#undef TIME_HEAD
    fprintf(out, "\n");
    for (size_t i = 0; i < now->count; ++i) {
        const bench_result *r = &now->list[i], *old = find_like(before, r);
        fprintf(out, "%-16s %5s %7u", r->scene, r->simd, r->threads);
        if (old == NULL) {
            fprintf(out, " not among the earlier results\n");
            continue;
        }
        if (old->steps != r->steps) {
            fprintf(out, " was stepped %u times, now %u\n", old->steps, r->steps);
            continue;
        }
#define TIME_CELL(name) print_ratio(out, r->name, old->name);
        BENCH_TIME_LIST(TIME_CELL)
#undef TIME_CELL
        fprintf(out, "%s\n", strcmp(r->root, old->root) == 0 ? "" : "  another root: what is computed has changed");
    }
    for (size_t i = 0; i < before->count; ++i) {
        if (find_like(now, &before->list[i]) == NULL) {
            fprintf(out, "%-16s %5s %7u not measured now\n", before->list[i].scene, before->list[i].simd,
                    before->list[i].threads);
        }
    }
}
