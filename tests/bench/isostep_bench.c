/// isostep-bench: what step, save, restore, encode and hash cost, by scene, beside other engines in the same run.
///
/// The engines take turns in blocks of steps, so that a busy machine slows all of them and the ratios stay. The times
/// of the other operations are medians of many runs on the world as it is after the steps.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench_scene.h"
#include "isostep/games.h"
#include "isostep/proto/environment.h"
#include "isostep/proto/text.h"
#include "isostep/proto/version.h"
#include "isostep/scenes.h"
#include "isostep/snapshot.h"

static const char help[] =
    "Usage: isostep-bench [--scene NAME] [--steps N] [--threads N] [--json]\n"
    "\n"
    "Times the step, save, restore, encode and hash of scenes, and the step of the same scenes in the other engines\n"
    "that were installed when this was built. Build with the release preset and run on a quiet machine.\n"
    "\n"
    "  --scene NAME  one scene, built-in or a file; all built-in ones by default\n"
    "  --steps N     how many steps of each scene, 1 to 100000; 200 by default\n"
    "  --threads N   of the solver: 1, as it has no threads\n"
    "  --json        one object on standard output\n"
    "  --version     what this was built from\n"
    "ISO_SIMD in the environment names the instruction set: portable, sse4.1, avx2, avx512 or neon; else the fastest.\n"
    "Exit codes: 0 done; 2 usage; 3 a scene is unreadable.\n";

#define STEPS_PER_TURN 20u
// Of an operation: until so much time has passed, but within these bounds.
#define RUNS_MIN  5u
#define RUNS_MAX  101u
#define RUNS_US   50000.0
#define PEERS_MAX 2u

static const bench_peer *const peers[PEERS_MAX + 1] = {
#ifdef BENCH_CHIPMUNK
    &bench_chipmunk,
#endif
#ifdef BENCH_BOX2D
    &bench_box2d,
#endif
    NULL,
};

/// What was built without them.
static const char *const missing_peers =
#if !defined BENCH_CHIPMUNK && !defined BENCH_BOX2D
    "Chipmunk (chipmunk-dev) and Box2D (libbox2d-dev)";
#elif !defined BENCH_CHIPMUNK
    "Chipmunk (chipmunk-dev)";
#elif !defined BENCH_BOX2D
    "Box2D (libbox2d-dev)";
#else
    NULL;
#endif

typedef struct options {
    const char *scene; // NULL: all
    unsigned steps;
    bool json;
} options;

/// Times in microseconds.
typedef struct result {
    char name[ISO_SCENE_NAME_MAX + 1];
    iso_world_counts counts;
    double step, step_slowest, save, restore, encode, hash;
    size_t image_size, snapshot_size;
    double peer_step[PEERS_MAX]; // 0: the scene has something that the peer does not
} result;

static double now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int compare_times(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct subject {
    iso_world *world;
    uint8_t *image;
    uint8_t *snapshot;
    size_t image_size;
    size_t snapshot_size;
} subject;

static void do_save(subject *s) {
    iso_world_save(s->world, s->image, s->image_size);
}

static void do_restore(subject *s) {
    iso_world_restore(s->world, s->image, s->image_size);
}

static void do_encode(subject *s) {
    iso_snapshot_encode(s->world, s->snapshot, s->snapshot_size);
}

static void do_hash(subject *s) {
    (void)iso_world_root(s->world);
}

/// The hash is kept until a record changes.
static void forget_hash(subject *s) {
    iso_world_drop_caches(s->world);
}

static double median(subject *s, void (*before)(subject *), void (*timed)(subject *)) {
    double times[RUNS_MAX];
    unsigned runs = 0;
    double spent = 0;
    while (runs < RUNS_MAX && (runs < RUNS_MIN || spent < RUNS_US)) {
        if (before != NULL) {
            before(s);
        }
        const double start = now_us();
        timed(s);
        times[runs] = now_us() - start;
        spent += times[runs++];
    }
    qsort(times, runs, sizeof times[0], compare_times);
    return times[runs / 2];
}

static bool time_states(iso_world *world, result *r) {
    subject s = {.world = world, .image_size = iso_world_image_size(world), .snapshot_size = iso_snapshot_size(world)};
    s.image = malloc(s.image_size);
    s.snapshot = malloc(s.snapshot_size);
    const bool ok = s.image != NULL && s.snapshot != NULL;
    if (ok) {
        r->image_size = s.image_size;
        r->snapshot_size = s.snapshot_size;
        r->save = median(&s, NULL, do_save);
        r->restore = median(&s, NULL, do_restore);
        r->encode = median(&s, NULL, do_encode);
        r->hash = median(&s, forget_hash, do_hash);
    }
    free(s.image);
    free(s.snapshot);
    return ok;
}

static bool step_block(iso_world *world, unsigned count, result *r, double *spent) {
    for (unsigned i = 0; i < count; ++i) {
        const double start = now_us();
        if (iso_world_step_empty(world) != ISO_OK) {
            return false;
        }
        const double took = now_us() - start;
        *spent += took;
        r->step_slowest = took > r->step_slowest ? took : r->step_slowest;
    }
    return true;
}

/// @param world  NULL: the scene is not for this peer
static double step_peer(const bench_peer *peer, void *world, unsigned count, double seconds) {
    if (world == NULL) {
        return 0;
    }
    const double start = now_us();
    for (unsigned i = 0; i < count; ++i) {
        peer->step(world, seconds);
    }
    return now_us() - start;
}

static bool time_steps(iso_world *world, const bench_scene *scene, const options *o, result *r) {
    void *others[PEERS_MAX] = {NULL};
    double spent = 0, spent_by[PEERS_MAX] = {0};
    const double seconds = 1.0 / iso_world_get_def(world)->tick_rate_hz;
    for (unsigned i = 0; peers[i] != NULL && scene->foreign == NULL; ++i) {
        others[i] = peers[i]->create(scene);
    }
    bool ok = true;
    for (unsigned done = 0; ok && done < o->steps; done += STEPS_PER_TURN) {
        const unsigned count = o->steps - done < STEPS_PER_TURN ? o->steps - done : STEPS_PER_TURN;
        ok = step_block(world, count, r, &spent);
        for (unsigned i = 0; peers[i] != NULL; ++i) {
            spent_by[i] += step_peer(peers[i], others[i], count, seconds);
        }
        if (!o->json && isatty(STDERR_FILENO)) {
            fprintf(stderr, "\r%s: %u of %u steps\x1b[K", r->name, done + count, o->steps);
        }
    }
    r->step = spent / o->steps;
    for (unsigned i = 0; peers[i] != NULL; ++i) {
        r->peer_step[i] = spent_by[i] / o->steps;
        if (others[i] != NULL) {
            peers[i]->destroy(others[i]);
        }
    }
    if (!o->json && isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\x1b[K");
    }
    return ok;
}

static bool run_scene(const char *name, const options *o, result *r) {
    iso_scene *scene = bench_scene_read(name);
    if (scene == NULL) {
        return false;
    }
    void *memory = NULL;
    iso_world *world = bench_scene_world(scene, &memory);
    bench_scene converted = {0};
    memset(r, 0, sizeof *r);
    memcpy(r->name, scene->name, sizeof r->name);
    const bool ok = world != NULL && bench_scene_convert(scene, &converted) && time_steps(world, &converted, o, r) &&
                    time_states(world, r);
    if (ok) {
        iso_world_get_counts(world, &r->counts);
    } else if (world != NULL) {
        iso_print(stderr, "isostep-bench: %s could not be run\n", name);
    }
    bench_scene_free(&converted);
    free(memory);
    iso_scene_free(scene);
    return ok;
}

// ---- Output ---------------------------------------------------------------------------------------

static void print_head(const options *o) {
    printf("%u steps of each scene, one thread, nothing asleep; microseconds. step: mean; the others: median.\n",
           o->steps);
    printf("Behind a peer's step stands its ratio to Isostep's: above 1, Isostep is faster. A dash: the scene has "
           "something\n"
           "that the peer does not.\n\n");
    printf("%-14s %7s %8s %7s %10s %9s %9s %9s %9s", "scene", "bodies", "contacts", "joints", "step", "save", "restore",
           "encode", "hash");
    for (unsigned i = 0; peers[i] != NULL; ++i) {
        printf("  %17s", peers[i]->name);
    }
    printf("\n");
}

static void print_row(const result *r) {
    printf("%-14s %7u %8u %7u %10.1f %9.1f %9.1f %9.1f %9.1f", r->name, r->counts.bodies, r->counts.contacts,
           r->counts.joints, r->step, r->save, r->restore, r->encode, r->hash);
    for (unsigned i = 0; peers[i] != NULL; ++i) {
        if (r->peer_step[i] > 0) {
            printf("  %10.1f %5.2fx", r->peer_step[i], r->peer_step[i] / r->step);
        } else {
            printf("  %17s", "-");
        }
    }
    printf("\n");
    fflush(stdout);
}

static void print_json(const result *r, bool first) {
    printf("%s{\"scene\":\"%s\",\"bodies\":%u,\"contacts\":%u,\"joints\":%u,\"step_us\":%.2f,\"step_slowest_us\":%.2f,"
           "\"save_us\":%.2f,\"restore_us\":%.2f,\"encode_us\":%.2f,\"hash_us\":%.2f,\"image_bytes\":%zu,"
           "\"snapshot_bytes\":%zu,\"peers\":[",
           first ? "" : ",", r->name, r->counts.bodies, r->counts.contacts, r->counts.joints, r->step, r->step_slowest,
           r->save, r->restore, r->encode, r->hash, r->image_size, r->snapshot_size);
    const char *separator = "";
    for (unsigned i = 0; peers[i] != NULL; ++i) {
        if (r->peer_step[i] > 0) {
            printf("%s{\"name\":\"%s\",\"step_us\":%.2f,\"ratio\":%.3f}", separator, peers[i]->name, r->peer_step[i],
                   r->peer_step[i] / r->step);
            separator = ",";
        }
    }
    printf("]}");
}

static bool run_all(const options *o) {
    size_t count = 1;
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    count = o->scene != NULL ? 1 : count;
    iso_scene *first = bench_scene_read(o->scene != NULL ? o->scene : list[0].name);
    if (first == NULL) {
        return false; // before anything is written
    }
    iso_scene_free(first);
    if (o->json) {
        printf("{\"steps\":%u,\"threads\":1,\"scenes\":[", o->steps);
    } else {
        print_head(o);
    }
    for (size_t i = 0; i < count; ++i) {
        result r;
        if (!run_scene(o->scene != NULL ? o->scene : list[i].name, o, &r)) {
            return false;
        }
        if (o->json) {
            print_json(&r, i == 0);
        } else {
            print_row(&r);
        }
    }
    if (o->json) {
        printf("]}\n");
    } else if (missing_peers != NULL) {
        printf("\nBuilt without %s.\n", missing_peers);
    }
    return true;
}

/// @return false, after a line on standard error
static bool parse_number(const char *option, unsigned max, unsigned *value) {
    char *end;
    const unsigned long number = strtoul(optarg, &end, 10);
    if (optarg[0] < '0' || optarg[0] > '9' || *end != 0 || number < 1 || number > max) {
        iso_print(stderr, "isostep-bench: %s %s: expected a whole number from 1 to %u%s\n", option, optarg, max,
                  max == 1 ? ", as the solver has no threads" : "");
        return false;
    }
    *value = (unsigned)number;
    return true;
}

int main(int argc, char **argv) {
    static char program[] = "isostep-bench", version[ISO_VERSION_TEXT_SIZE];
    static const struct option list[] = {{"scene", required_argument, NULL, 's'},
                                         {"steps", required_argument, NULL, 'n'},
                                         {"threads", required_argument, NULL, 't'},
                                         {"json", no_argument, NULL, 'j'},
                                         {"help", no_argument, NULL, 'h'},
                                         {"version", no_argument, NULL, 'v'},
                                         {NULL, 0, NULL, 0}};
    opterr = 0; // its own messages would hold the argument as it is
    options o = {.steps = 200};
    unsigned threads = 1;
    bool ok = true;
    int option;
    while (ok && (option = getopt_long(argc, argv, ":h", list, NULL)) != -1) {
        switch (option) {
        case 's':
            o.scene = optarg;
            break;
        case 'n':
            ok = parse_number("--steps", 100000, &o.steps);
            break;
        case 't':
            ok = parse_number("--threads", 1, &threads);
            break;
        case 'j':
            o.json = true;
            break;
        case 'h':
            fputs(help, stdout);
            return 0;
        case 'v':
            iso_version_text(program, iso_games, ISO_GAME_COUNT, version);
            fputs(version, stdout);
            return 0;
        default:
            iso_print(stderr, "isostep-bench: %s: %s\n", argv[optind - 1],
                      option == ':' ? "expected a value" : "there is no such option");
            ok = false;
        }
    }
    if (ok && optind != argc) {
        iso_print(stderr, "isostep-bench: %s: expected options alone\n", argv[optind]);
    }
    if (!ok || optind != argc) {
        fputs("run isostep-bench --help for the options\n", stderr);
        return 2;
    }
    char wrong[ISO_ENVIRONMENT_TEXT_SIZE];
    if (!iso_environment_check(wrong)) {
        iso_print(stderr, "isostep-bench: %s\n", wrong);
        return 2;
    }
    return run_all(&o) ? 0 : 3;
}
