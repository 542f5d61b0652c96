/// Steps a case file and prints a line "scene tick root queries" at every 60th tick and at the last: the root hash and
/// the digest of golden_query.h.
///
///   golden_runner SCENE CASE [--recode] [--restore] [--drop-caches SEED] [--pieces SEED] [--threads N]
///                [--change-simd SEED] [--save TICK FILE] [--resume FILE] [--ticks N]
///
///   --recode       encodes and decodes the state into a second world at every 50th tick and goes on in it
///   --restore      saves, steps 3 ticks without input, restores and goes on, at every 50th tick
///   --drop-caches  throws all caches away at random ticks
///   --pieces       splits the stages as for 1 to 8 threads, and does the pieces in random order
///   --threads      steps on N threads, where the build has a pool of them (GOLDEN_HAS_THREADS)
///   --change-simd  takes another instruction set at random ticks
///   --save         writes the snapshot of TICK to FILE and ends
///   --resume       starts from FILE, a snapshot that another process wrote, instead of tick 0
///   --ticks        ends after N ticks, for where stepping is slow
///
/// ISO_SIMD in the environment names the instruction set; exit code 77: there is none of this name here.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden_case.h"
#include "golden_game.h"
#include "golden_query.h"
#ifdef GOLDEN_HAS_THREADS
#include "isostep/threads.h"
#endif

#define RUNNER_LACKS_SET 77

typedef struct runner_options {
    const char *scene, *case_path, *save_path, *resume_path;
    uint64_t save_tick;
    uint64_t tick_max; // 0: all
    uint32_t cache_seed, piece_seed, simd_seed;
    uint32_t thread_count; // 0: no pool
    bool recode, restore, drop_caches, pieces, change_simd;
} runner_options;

static void fail(const char *what, const char *detail) {
    fprintf(stderr, "golden_runner: %s: %s\n", what, detail);
    exit(1);
}

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail("cannot open", path);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    if (!bytes || fread(bytes, 1, *size, file) != *size) {
        fail("cannot read", path);
    }
    fclose(file);
    return bytes;
}

static iso_world *make_world(const uint8_t *snapshot, size_t size) {
    iso_world_def def;
    uint64_t tick;
    iso_status status = iso_snapshot_read_def(snapshot, size, &def, &tick);
    if (status != ISO_OK) {
        fail("snapshot head", iso_status_text(status));
    }
    const iso_game *game = def.game[0] ? golden_find_game(def.game) : NULL;
    const size_t world_size = iso_world_size(&def, game);
    void *memory = aligned_alloc(64, world_size);
    iso_world *world = NULL;
    status = memory ? iso_world_create(&def, game, memory, world_size, &world) : ISO_ERR_MEMORY;
    if (status == ISO_OK) {
        status = iso_snapshot_decode(world, snapshot, size);
    }
    if (status != ISO_OK) {
        fail("snapshot", iso_status_text(status));
    }
    const char *name = getenv("ISO_SIMD");
    iso_simd set;
    if (name && !iso_simd_find(name, &set)) {
        fail("ISO_SIMD", name);
    }
    if (name && iso_world_set_simd(world, set) != ISO_OK) {
        fprintf(stderr, "golden_runner: this processor or build lacks %s\n", name);
        exit(RUNNER_LACKS_SET);
    }
    return world;
}

static uint8_t *encode(const iso_world *world, size_t *size) {
    *size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(*size);
    if (!bytes || iso_snapshot_encode(world, bytes, *size) != *size) {
        fail("encode", "wrong size");
    }
    return bytes;
}

/// Through the portable form into another block of memory.
static iso_world *recode(iso_world *world) {
    const uint64_t root = iso_world_root(world);
    size_t size;
    uint8_t *bytes = encode(world, &size);
    iso_world *copy = make_world(bytes, size);
    if (iso_world_root(copy) != root) {
        fail("recode", "the decoded world has another root");
    }
    free(bytes);
    free(world);
    return copy;
}

/// A rollback: what happens between save and restore must leave no trace.
static void roll_back(iso_world *world) {
    const uint64_t root = iso_world_root(world);
    const size_t size = iso_world_image_size(world);
    void *image = malloc(size);
    if (!image || iso_world_save(world, image, size) != size) {
        fail("save", "wrong size");
    }
    for (int i = 0; i < 3; ++i) {
        iso_world_step_empty(world);
    }
    if (iso_world_restore(world, image, size) != ISO_OK || iso_world_root(world) != root) {
        fail("restore", "the restored world has another root");
    }
    free(image);
}

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/// As threads may do the pieces: each once, in any order.
static void run_pieces(void *context, uint32_t count, iso_parallel_task *task, void *data) {
    uint32_t *state = context, order[2 * ISO_THREADS_MAX];
    if (count > sizeof order / sizeof order[0]) {
        fail("pieces", "there are more than two for each thread");
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t at = next_random(state) % (i + 1);
        order[i] = order[at];
        order[at] = i;
    }
    for (uint32_t i = 0; i < count; ++i) {
        task(data, order[i]);
    }
}

static void set_pieces(iso_world *world, uint32_t *state) {
    const iso_parallel parallel = {.thread_count = 1 + next_random(state) % 8, .run = run_pieces, .context = state};
    if (iso_world_set_parallel(world, &parallel) != ISO_OK) {
        fail("pieces", "refused");
    }
}

#ifdef GOLDEN_HAS_THREADS
/// A decoded world has none: they are set before each tick. The pool lives as long as the process.
static void set_threads(iso_world *world, uint32_t count) {
    static iso_threads *threads;
    if (!threads && iso_threads_start(count, &threads) != ISO_OK) {
        fail("threads", "refused");
    }
    const iso_parallel parallel = iso_threads_parallel(threads);
    if (iso_world_set_parallel(world, &parallel) != ISO_OK) {
        fail("threads", "refused by the world");
    }
}
#endif

static void set_parallel(iso_world *world, runner_options *options) {
    if (options->pieces) {
        set_pieces(world, &options->piece_seed);
    }
#ifdef GOLDEN_HAS_THREADS
    if (options->thread_count > 0) {
        set_threads(world, options->thread_count);
    }
#endif
}

static void parse_options(runner_options *to, int argc, char **argv) {
    if (argc < 3) {
        fail("usage", "golden_runner SCENE CASE [--recode] [--restore] [--drop-caches SEED] [--pieces SEED] "
                      "[--threads N] [--change-simd SEED] "
                      "[--save TICK FILE] [--resume FILE] [--ticks N]");
    }
    to->scene = argv[1];
    to->case_path = argv[2];
    for (int i = 3; i < argc; ++i) {
        if (strcmp(argv[i], "--recode") == 0) {
            to->recode = true;
        } else if (strcmp(argv[i], "--restore") == 0) {
            to->restore = true;
        } else if (strcmp(argv[i], "--drop-caches") == 0 && i + 1 < argc) {
            to->drop_caches = true;
            to->cache_seed = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--pieces") == 0 && i + 1 < argc) {
            to->pieces = true;
            to->piece_seed = (uint32_t)strtoul(argv[++i], NULL, 10);
#ifdef GOLDEN_HAS_THREADS
        } else if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
            to->thread_count = (uint32_t)strtoul(argv[++i], NULL, 10);
#endif
        } else if (strcmp(argv[i], "--change-simd") == 0 && i + 1 < argc) {
            to->change_simd = true;
            to->simd_seed = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--save") == 0 && i + 2 < argc) {
            to->save_tick = strtoull(argv[++i], NULL, 10);
            to->save_path = argv[++i];
        } else if (strcmp(argv[i], "--ticks") == 0 && i + 1 < argc) {
            to->tick_max = strtoull(argv[++i], NULL, 10);
        } else if (strcmp(argv[i], "--resume") == 0 && i + 1 < argc) {
            to->resume_path = argv[++i];
        } else {
            fail("unknown option", argv[i]);
        }
    }
}

static void save_snapshot(const iso_world *world, const char *path) {
    size_t size;
    uint8_t *bytes = encode(world, &size);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fail("cannot write", path);
    }
    free(bytes);
}

static iso_world *disturb(iso_world *world, runner_options *options, uint64_t tick) {
    if (options->drop_caches && next_random(&options->cache_seed) % 7 == 0) {
        iso_world_drop_caches(world);
    }
    if (options->change_simd) {
        const iso_simd set = (iso_simd)(next_random(&options->simd_seed) % ISO_SIMD_COUNT);
        if (iso_simd_is_supported(set) && iso_world_set_simd(world, set) != ISO_OK) {
            fail("set", iso_simd_name(set));
        }
    }
    if (options->restore && tick % 50 == 0) {
        roll_back(world);
    }
    return options->recode && tick % 50 == 0 ? recode(world) : world;
}

int main(int argc, char **argv) {
    runner_options options = {0};
    parse_options(&options, argc, argv);
    size_t size, snapshot_size;
    const uint8_t *snapshot;
    uint32_t tick_count;
    uint8_t *file = read_file(options.case_path, &size);
    golden_reader reader = {.bytes = file, .size = size};
    if (!golden_read_head(&reader, &snapshot, &snapshot_size, &tick_count)) {
        fail("not a case file", options.case_path);
    }
    if (options.tick_max > 0 && options.tick_max < tick_count) {
        tick_count = (uint32_t)options.tick_max;
    }
    uint8_t *resumed = options.resume_path ? read_file(options.resume_path, &snapshot_size) : NULL;
    iso_world *world = make_world(resumed ? resumed : snapshot, snapshot_size);
    golden_tick *tick = malloc(sizeof *tick);
    for (uint64_t t = 1; t <= tick_count; ++t) {
        if (!golden_read_tick(&reader, t, tick)) {
            fail("bad tick", options.case_path);
        }
        if (t <= iso_world_get_tick(world)) {
            continue;
        }
        set_parallel(world, &options);
        const iso_status status = iso_world_step(world, &tick->input);
        if (status != ISO_OK) {
            fail("step", iso_status_text(status));
        }
        if (options.save_path && t == options.save_tick) {
            save_snapshot(world, options.save_path);
            break;
        }
        if (t % 60 == 0 || t == tick_count) {
            printf("%s %llu %016llx %016llx\n", options.scene, (unsigned long long)t,
                   (unsigned long long)iso_world_root(world), (unsigned long long)golden_query_digest(world));
        }
        world = disturb(world, &options, t);
    }
    free(tick);
    free(world);
    free(resumed);
    free(file);
    return 0;
}
