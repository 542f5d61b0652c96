/// isostep-bench: what step, save, restore, rollback, encode, decode and hash cost, by scene, beside other engines in
/// the same run.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_measure.h"
#include "bench_options.h"
#include "bench_report.h"
#include "bench_scene.h"
#include "isostep/proto/environment.h"
#include "isostep/proto/text.h"
#include "isostep/scenes.h"

#define STEPS_BY_DEFAULT 200u

/// The scenes by which engines are compared, with the numbers of steps that are customary.
static const struct {
    const char *scene;
    unsigned steps;
    bool is_by_default; // also measured when nothing is asked for
} table[] = {
    {"large-pyramid", 500, true}, {"many-pyramids", 200, false}, {"joint-grid", 500, true},
    {"tumbler", 750, true},       {"spinner", 500, false},       {"rain", 1000, false},
    {"smash", 300, false},        {"washer", 500, false},        {"junkyard", 800, false},
    {"compounds", 500, false},    {"large-world", 200, false},   {"large-wall3", 500, false},
};
#define TABLE_SIZE (sizeof table / sizeof table[0])

typedef struct job {
    const char *scene;
    unsigned steps;
} job;

static bool is_by_default(const char *scene) {
    bool is_small = true;
    for (size_t i = 0; i < TABLE_SIZE; ++i) {
        is_small = is_small && (strcmp(table[i].scene, scene) != 0 || table[i].is_by_default);
    }
    return is_small;
}

/// @param jobs  room for BENCH_SCENES_MAX. @return how many
static size_t list_jobs(const bench_options *o, job *jobs) {
    const unsigned steps = o->steps > 0 ? o->steps : STEPS_BY_DEFAULT;
    size_t count = 0, known;
    const iso_builtin_scene *list = iso_builtin_scene_list(&known);
    for (size_t i = 0; o->is_table && i < TABLE_SIZE; ++i) {
        jobs[count++] = (job){table[i].scene, table[i].steps};
    }
    for (size_t i = 0; i < o->scene_count; ++i) {
        jobs[count++] = (job){o->scenes[i], steps};
    }
    for (size_t i = 0; !o->is_table && o->scene_count == 0 && i < known && count < BENCH_SCENES_MAX; ++i) {
        if (is_by_default(list[i].name)) {
            jobs[count++] = (job){list[i].name, steps};
        }
    }
    return count;
}

/// Whether a file can be written, told before the measurement that would be lost. What it holds stays.
static bool check_output(const char *path) {
    if (path == NULL || strcmp(path, "-") == 0) {
        return true;
    }
    FILE *out = fopen(path, "ab");
    if (out == NULL) {
        iso_print(stderr, "isostep-bench: %s: %s\n", path, strerror(errno));
        return false;
    }
    fclose(out);
    return true;
}

/// All that can be wrong is said before anything is measured.
static bool check(const bench_options *o, const job *jobs, size_t count, int *exit_code) {
    if (count * o->set_count * o->thread_count > BENCH_RESULTS_MAX) {
        iso_print(stderr,
                  "isostep-bench: expected at most %u measurements, scenes times sets times numbers of threads\n",
                  BENCH_RESULTS_MAX);
        *exit_code = 2;
        return false;
    }
    for (unsigned i = 0; i < o->set_count; ++i) {
        for (unsigned k = 0; k < o->thread_count; ++k) {
            const bench_config config = {o->sets[i], o->threads[k]};
            if (!bench_config_check(&config)) {
                *exit_code = 2;
                return false;
            }
        }
    }
    for (size_t i = 0; i < count; ++i) {
        iso_scene *scene = bench_scene_read(jobs[i].scene, o->may_sleep);
        if (scene == NULL) {
            *exit_code = 3;
            return false;
        }
        iso_scene_free(scene);
    }
    return true;
}

static bool measure(const bench_options *o, const job *jobs, size_t count, bool has_tables, bench_results *results) {
    for (size_t i = 0; i < count; ++i) {
        for (unsigned n = 0; n < o->set_count * o->thread_count; ++n) {
            const bench_config config = {o->sets[n / o->thread_count], o->threads[n % o->thread_count]};
            bench_result *result = &results->list[results->count];
            if (!bench_measure(jobs[i].scene, jobs[i].steps, o, &config, result)) {
                return false;
            }
            results->count += 1;
            if (has_tables) {
                if (results->count == 1) {
                    bench_print_head(stdout, results);
                }
                bench_print_row(stdout, result);
            }
        }
    }
    return true;
}

static bool read_results(const bench_options *o, bool has_tables, bench_results *results) {
    if (!bench_read_json(o->read, results)) {
        return false;
    }
    if (has_tables) {
        bench_print_head(stdout, results);
    }
    for (size_t i = 0; has_tables && i < results->count; ++i) {
        bench_print_row(stdout, &results->list[i]);
    }
    return true;
}

static bool run(const bench_options *o, const job *jobs, size_t count, bench_results *now, bench_results *before) {
    const bool has_tables = o->json == NULL || strcmp(o->json, "-") != 0;
    // A file that cannot be read or written is told before the measurement that it would spoil.
    if ((o->compare != NULL && !bench_read_json(o->compare, before)) || !check_output(o->json) ||
        !check_output(o->plot) ||
        !(o->read != NULL ? read_results(o, has_tables, now) : measure(o, jobs, count, has_tables, now))) {
        return false;
    }
    if (has_tables) {
        bench_print_stages(stdout, now);
    }
    if (has_tables && o->compare != NULL) {
        bench_print_comparison(stdout, now, before);
    }
    if (has_tables && o->read == NULL && bench_missing_peers != NULL) {
        printf("\nBuilt without %s.\n", bench_missing_peers);
    }
    return (o->json == NULL || bench_write_json(o->json, now)) &&
           (o->plot == NULL || bench_write_plot(o->plot, now, o->compare != NULL ? before : NULL));
}

int main(int argc, char **argv) {
    bench_options options;
    int exit_code = 0;
    if (!bench_options_parse(argc, argv, &options, &exit_code)) {
        return exit_code;
    }
    char wrong[ISO_ENVIRONMENT_TEXT_SIZE];
    if (!iso_environment_check(wrong)) {
        iso_print(stderr, "isostep-bench: %s\n", wrong);
        return 2;
    }
    job jobs[BENCH_SCENES_MAX];
    const size_t count = options.read == NULL ? list_jobs(&options, jobs) : 0;
    if (!check(&options, jobs, count, &exit_code)) {
        return exit_code;
    }
    bench_results now = {calloc(BENCH_RESULTS_MAX, sizeof *now.list), 0};
    bench_results before = {calloc(BENCH_RESULTS_MAX, sizeof *before.list), 0};
    const bool ok = now.list != NULL && before.list != NULL && run(&options, jobs, count, &now, &before);
    free(now.list);
    free(before.list);
    return ok ? 0 : 3;
}
