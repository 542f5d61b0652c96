/// The times of one scene.
///
/// The world is warmed up and brought back to its beginning; then each run restores the beginning, makes new worlds of
/// the peers, and steps them in turns, in blocks, so that a busy machine slows all of them and the ratios stay. All
/// runs must end with the same root. The other operations are measured on the world as it is after the steps.
#include "bench_measure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench_drive.h"
#include "bench_scene.h"
#include "isostep/heap.h"
#include "isostep/proto/environment.h"
#include "isostep/proto/text.h"
#include "isostep/simd.h"
#include "isostep/snapshot.h"
#include "isostep/threads.h"

#define STEPS_PER_TURN 20u
#define ROLLBACK_STEPS 8u
#define STEP_RUNS_MAX  101u
// Of an operation: until so much time has passed, but within these bounds.
#define RUNS_MIN 5u
#define RUNS_MAX 101u
#define RUNS_US  50000.0

static const bench_peer *const peers[BENCH_PEERS_MAX + 1] = {
#ifdef BENCH_CHIPMUNK
    &bench_chipmunk,
#endif
#ifdef BENCH_BOX2D
    &bench_box2d,
#endif
    NULL,
};

const char *const bench_missing_peers =
#if !defined BENCH_CHIPMUNK && !defined BENCH_BOX2D
    "Chipmunk (chipmunk-dev) and Box2D (libbox2d-dev)";
#elif !defined BENCH_CHIPMUNK
    "Chipmunk (chipmunk-dev)";
#elif !defined BENCH_BOX2D
    "Box2D (libbox2d-dev)";
#else
    NULL;
#endif

/// A scene that is measured.
typedef struct subject {
    const bench_options *options;
    bench_result *result;
    unsigned steps;
    iso_world *world, *other; // the other one is decoded into
    void *memory, *other_memory;
    iso_threads *threads; // or NULL
    bench_drive *drive;   // or NULL
    bench_scene converted;
    uint8_t *start, *image, *snapshot; // images of tick 0 and of the end
    size_t start_size, image_size, snapshot_size;
} subject;

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static uint64_t now_ns(void *user) {
    (void)user;
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int compare_doubles(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bench_time bench_time_of(double *times, size_t count) {
    qsort(times, count, sizeof times[0], compare_doubles);
    const size_t aside = count < 5 ? 0 : count / 4;
    const double upper = times[count / 2], lower = times[(count - 1) / 2];
    return (bench_time){(lower + upper) / 2, times[aside], times[count - 1 - aside]};
}

// ---- the ways to step ----------------------------------------------------------------------------

static bool config_find_set(const bench_config *config, iso_simd *set) {
    *set = iso_environment_simd();
    return strcmp(config->simd, "auto") == 0 || iso_simd_find(config->simd, set);
}

bool bench_config_check(const bench_config *config) {
    iso_simd set;
    if (!config_find_set(config, &set)) {
        iso_print(stderr, "isostep-bench: --simd %s: expected auto, portable, sse4.1, avx2, avx512 or neon\n",
                  config->simd);
        return false;
    }
    if (!iso_simd_is_supported(set)) {
        iso_print(stderr, "isostep-bench: --simd %s: this build or processor does not have it\n", config->simd);
        return false;
    }
    return true;
}

/// Lets the worlds step in that way.
static bool config_apply(subject *s, const bench_config *config) {
    iso_simd set;
    if (!config_find_set(config, &set) || iso_world_set_simd(s->world, set) != ISO_OK ||
        iso_world_set_simd(s->other, set) != ISO_OK) {
        return false;
    }
    if (config->threads == 1) {
        return true;
    }
    if (iso_threads_start(config->threads, &s->threads) != ISO_OK) {
        iso_print(stderr, "isostep-bench: %u threads could not be started\n", config->threads);
        return false;
    }
    const iso_parallel parallel = iso_threads_parallel(s->threads);
    return iso_world_set_parallel(s->world, &parallel) == ISO_OK &&
           iso_world_set_parallel(s->other, &parallel) == ISO_OK;
}

// ---- steps ---------------------------------------------------------------------------------------

static bool do_step(subject *s, unsigned step) {
    return (s->drive == NULL || s->drive(s->world, step)) && iso_world_step_empty(s->world) == ISO_OK;
}

/// @return the time of the block [us]; negative: a step failed
static double step_block(subject *s, unsigned first, unsigned count) {
    double spent = 0;
    for (unsigned i = first; i < first + count; ++i) {
        if (s->drive != NULL && !s->drive(s->world, i)) {
            return -1;
        }
        const double start = now_us();
        if (iso_world_step_empty(s->world) != ISO_OK) {
            return -1;
        }
        const double took = now_us() - start;
        iso_world_counts counts;
        iso_world_get_counts(s->world, &counts);
        bench_result *r = s->result;
        r->step_slowest = took > r->step_slowest ? took : r->step_slowest;
        r->contacts_most = counts.contacts > r->contacts_most ? counts.contacts : r->contacts_most;
        spent += took;
    }
    return spent;
}

/// @param world  NULL: the scene is not for this peer
static double step_peer(const bench_peer *peer, void *world, unsigned count, double seconds) {
    const double start = now_us();
    for (unsigned i = 0; world != NULL && i < count; ++i) {
        peer->step(world, seconds);
    }
    return world != NULL ? now_us() - start : 0;
}

static void show_progress(const subject *s, unsigned run, unsigned done) {
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r%s: run %u of %u, %u of %u steps\x1b[K", s->result->scene, run + 1, s->options->runs, done,
                s->steps);
    }
}

/// One run from the beginning. @param spent  [us] ours and the peers'. @return false when a step failed
static bool run_steps(subject *s, unsigned run, double *spent, double *spent_by) {
    void *others[BENCH_PEERS_MAX] = {NULL};
    const double seconds = 1.0 / iso_world_get_def(s->world)->tick_rate_hz;
    bool ok = iso_world_restore(s->world, s->start, s->start_size) == ISO_OK;
    for (unsigned i = 0; peers[i] != NULL && s->options->has_peers && s->converted.foreign == NULL; ++i) {
        others[i] = peers[i]->create(&s->converted);
    }
    *spent = spent_by[0] = spent_by[1] = 0;
    for (unsigned done = 0; ok && done < s->steps; done += STEPS_PER_TURN) {
        const unsigned count = s->steps - done < STEPS_PER_TURN ? s->steps - done : STEPS_PER_TURN;
        const double took = step_block(s, done, count);
        ok = took >= 0;
        *spent += took;
        for (unsigned i = 0; ok && peers[i] != NULL; ++i) {
            spent_by[i] += step_peer(peers[i], others[i], count, seconds);
        }
        show_progress(s, run, done + count);
    }
    for (unsigned i = 0; peers[i] != NULL; ++i) {
        if (others[i] != NULL) {
            peers[i]->destroy(others[i]);
        }
    }
    return ok;
}

static bool has_same_root(subject *s) {
    char root[sizeof s->result->root];
    snprintf(root, sizeof root, "%016" PRIx64, iso_world_root(s->world));
    const bool is_same = s->result->root[0] == 0 || strcmp(s->result->root, root) == 0;
    if (!is_same) {
        iso_print(stderr, "isostep-bench: %s: two runs ended with different roots, %s and %s\n", s->result->scene,
                  s->result->root, root);
    }
    memcpy(s->result->root, root, sizeof root);
    return is_same;
}

static bool time_steps(subject *s) {
    double ours[STEP_RUNS_MAX], theirs[BENCH_PEERS_MAX][STEP_RUNS_MAX];
    bench_result *r = s->result;
    bool ok = true;
    for (unsigned i = 0; ok && i < s->options->warm_up; ++i) {
        ok = do_step(s, i);
    }
    for (unsigned run = 0; ok && run < s->options->runs; ++run) {
        double spent_by[BENCH_PEERS_MAX];
        ok = run_steps(s, run, &ours[run], spent_by) && has_same_root(s);
        ours[run] /= s->steps;
        for (unsigned i = 0; i < BENCH_PEERS_MAX; ++i) {
            theirs[i][run] = spent_by[i] / s->steps;
        }
    }
    if (ok) {
        r->step = bench_time_of(ours, s->options->runs);
    }
    for (unsigned i = 0; ok && peers[i] != NULL && s->options->has_peers; ++i) {
        snprintf(r->peers[i].name, sizeof r->peers[i].name, "%s", peers[i]->name);
        r->peers[i].step = bench_time_of(theirs[i], s->options->runs).median;
    }
    if (isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\x1b[K");
    }
    return ok;
}

/// A run with the clock of the stages, which costs some time itself.
static bool time_stages(subject *s) {
    bench_result *r = s->result;
    bool ok = iso_world_restore(s->world, s->start, s->start_size) == ISO_OK;
    iso_world_set_profile_clock(s->world, now_ns, NULL);
    (void)iso_world_take_profile(s->world);
    for (unsigned i = 0; ok && i < s->steps; ++i) {
        ok = do_step(s, i);
    }
    const iso_profile profile = iso_world_take_profile(s->world);
    iso_world_set_profile_clock(s->world, NULL, NULL);
#define STAGE(name, text) r->stage_##name = (double)profile.name / 1e3 / s->steps;
    BENCH_STAGE_LIST(STAGE)
#undef STAGE
    r->has_stages = ok;
    return ok && has_same_root(s);
}

// ---- other operations ----------------------------------------------------------------------------

static bool do_save(subject *s) {
    return iso_world_save(s->world, s->image, s->image_size) == s->image_size;
}

static bool do_restore(subject *s) {
    return iso_world_restore(s->world, s->image, s->image_size) == ISO_OK;
}

static bool do_rollback(subject *s) {
    bool ok = do_restore(s);
    for (unsigned i = 0; ok && i < ROLLBACK_STEPS; ++i) {
        ok = iso_world_step_empty(s->world) == ISO_OK;
    }
    return ok;
}

static bool do_encode(subject *s) {
    return iso_snapshot_encode(s->world, s->snapshot, s->snapshot_size) == s->snapshot_size;
}

static bool do_decode(subject *s) {
    return iso_snapshot_decode(s->other, s->snapshot, s->snapshot_size) == ISO_OK;
}

static bool do_hash(subject *s) {
    (void)iso_world_root(s->world);
    return true;
}

/// The hash is kept until a record changes.
static void forget_hash(subject *s) {
    iso_world_drop_caches(s->world);
}

/// @return false when one of the runs failed
static bool time_operation(subject *s, void (*before)(subject *), bool (*timed)(subject *), bench_time *time) {
    double times[RUNS_MAX];
    unsigned runs = 0;
    double spent = 0;
    bool ok = true;
    while (ok && runs < RUNS_MAX && (runs < RUNS_MIN || spent < RUNS_US)) {
        if (before != NULL) {
            before(s);
        }
        const double start = now_us();
        ok = timed(s);
        times[runs] = now_us() - start;
        spent += times[runs++];
    }
    *time = bench_time_of(times, runs);
    return ok;
}

/// The rollback last but for a restore: it leaves the world eight steps on.
static bool time_states(subject *s) {
    bench_result *r = s->result;
    s->image_size = iso_world_image_size(s->world);
    s->snapshot_size = iso_snapshot_size(s->world);
    s->image = malloc(s->image_size);
    s->snapshot = malloc(s->snapshot_size);
    r->image_size = s->image_size;
    r->snapshot_size = s->snapshot_size;
    return s->image != NULL && s->snapshot != NULL && time_operation(s, NULL, do_save, &r->save) &&
           time_operation(s, NULL, do_restore, &r->restore) && time_operation(s, NULL, do_encode, &r->encode) &&
           time_operation(s, NULL, do_decode, &r->decode) && time_operation(s, forget_hash, do_hash, &r->hash) &&
           time_operation(s, NULL, do_rollback, &r->rollback) && do_restore(s);
}

// ---- a scene -------------------------------------------------------------------------------------

static bool prepare(subject *s, const iso_scene *scene, const bench_config *config) {
    s->world = bench_scene_world(scene, &s->memory);
    s->other = s->world != NULL ? bench_scene_world(scene, &s->other_memory) : NULL;
    if (s->other == NULL || !bench_scene_convert(scene, &s->converted)) {
        return false;
    }
    if (!config_apply(s, config)) {
        return false;
    }
    s->drive = bench_drive_find(scene->name);
    if (s->drive != NULL) {
        s->converted.foreign = "what moves it from outside";
    }
    s->start_size = iso_world_image_size(s->world);
    s->start = malloc(s->start_size);
    return s->start != NULL && iso_world_save(s->world, s->start, s->start_size) == s->start_size;
}

static void clean(subject *s) {
    iso_threads_stop(s->threads);
    bench_scene_free(&s->converted);
    free(s->memory);
    free(s->other_memory);
    free(s->start);
    free(s->image);
    free(s->snapshot);
}

bool bench_measure(const char *scene_name, unsigned steps, const bench_options *options, const bench_config *config,
                   bench_result *result) {
    iso_scene *scene = bench_scene_read(scene_name, options->may_sleep);
    if (scene == NULL) {
        return false;
    }
    *result = (bench_result){.threads = config->threads, .steps = steps, .runs = options->runs};
    snprintf(result->scene, sizeof result->scene, "%s", scene->name);
    snprintf(result->simd, sizeof result->simd, "%s", config->simd);
    subject s = {.options = options, .result = result, .steps = steps};
    const bool ok =
        prepare(&s, scene, config) && time_steps(&s) && (!options->has_stages || time_stages(&s)) && time_states(&s);
    if (ok) {
        iso_world_counts counts;
        iso_world_get_counts(s.world, &counts);
        result->bodies = counts.bodies;
        result->joints = counts.joints;
        result->contacts = counts.contacts;
    } else if (s.other != NULL) {
        iso_print(stderr, "isostep-bench: %s could not be run\n", scene_name);
    }
    clean(&s);
    iso_scene_free(scene);
    return ok;
}
