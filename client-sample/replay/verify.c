/// isostep-replay verify: simulates a recording again and compares.
///
/// Three cursors pass over the file together: one for the ticks' inputs, one for the roots they carry, which may
/// speak of earlier ticks, and one for the keyframes, which may stand behind later ticks.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

static const char help[] =
    "Usage: isostep-replay verify FILE [--json]\n"
    "\n"
    "Re-simulates a recording from its first keyframe. Every root in the file must be the simulated state's, and\n"
    "every keyframe must be it byte for byte. A file that ends in .part may have a torn end.\n"
    "\n"
    "  --json   one object on standard output: result (ok, mismatch, unreadable), ticks, seconds, speed (multiple\n"
    "           of real time), last_tick, last_hash; after a mismatch first_bad_tick and offset\n"
    "Exit codes: 0 everything agrees; 1 a mismatch was found; 2 usage; 3 the file is unreadable, corrupt or of\n"
    "another version.\n";

typedef struct verification {
    replay_file file;
    replay_walk walk;
    replay_claims claims;
    replay_keyframes keyframes;
    uint32_t keyframe; // the next one of the list
    uint64_t ticks;
    uint64_t roots_checked;
    uint64_t keyframes_checked;
    bool bad; // a mismatch was found
    uint64_t first_bad_tick;
    uint64_t offset;
    double seconds;
} verification;

static void found_bad(verification *v, uint64_t tick, uint64_t offset) {
    v->bad = true;
    v->first_bad_tick = tick;
    v->offset = offset;
}

static void check_root(verification *v, uint64_t tick) {
    const uint64_t root = iso_world_root(v->walk.world.world);
    if (root != v->claims.root) {
        found_bad(v, tick, v->claims.offset);
        fprintf(stderr, "isostep-replay: the root after tick %llu differs: recorded %016llx, computed %016llx\n",
                (unsigned long long)tick, (unsigned long long)v->claims.root, (unsigned long long)root);
        return;
    }
    v->roots_checked++;
    replay_claims_next(&v->claims);
}

/// @return ISO_OK also for a mismatch
static iso_status check_keyframe(verification *v, const iso_recording_keyframe *keyframe) {
    replay_world *world = &v->walk.world;
    const iso_status status = replay_world_compare(world, &v->file.recording, keyframe);
    if (status == ISO_ERR_DESYNC || (status == ISO_OK && iso_world_root(world->world) != keyframe->root)) {
        found_bad(v, keyframe->tick, keyframe->offset);
        fprintf(stderr, "isostep-replay: the keyframe of tick %llu differs from the simulated state\n",
                (unsigned long long)keyframe->tick);
        replay_world_explain(world, &v->file.recording, keyframe);
        return ISO_OK;
    }
    if (status != ISO_OK) {
        fprintf(stderr, "isostep-replay: the keyframe of tick %llu at offset %llu: %s\n",
                (unsigned long long)keyframe->tick, (unsigned long long)keyframe->offset, iso_status_text(status));
        return status;
    }
    v->keyframes_checked++;
    v->keyframe++;
    return ISO_OK;
}

/// Compares the present state with what the file says of it. @return ISO_OK also for a mismatch
static iso_status check_state(verification *v) {
    const uint64_t tick = replay_walk_tick(&v->walk);
    if (v->claims.found && v->claims.tick == tick) {
        check_root(v, tick);
    }
    if (!v->bad && v->keyframe < v->keyframes.count && v->keyframes.list[v->keyframe].tick == tick) {
        return check_keyframe(v, &v->keyframes.list[v->keyframe]);
    }
    return ISO_OK;
}

static iso_status step_to_end(verification *v, replay_progress *progress) {
    iso_status status = check_state(v);
    while (status == ISO_OK && !v->bad) {
        status = replay_walk_step(&v->walk);
        if (status == ISO_OK) {
            v->ticks++;
            if (v->ticks % 32 == 0) {
                replay_progress_update(progress, v->ticks);
            }
            status = check_state(v);
        }
    }
    return status == ISO_ERR_TRUNCATED ? ISO_OK : status; // no tick was left
}

/// @return ISO_OK when the file could be simulated, whether or not it agrees
static iso_status verify(verification *v, bool json) {
    const iso_recording *recording = &v->file.recording;
    iso_status status = replay_walk_make(&v->walk, recording);
    if (status == ISO_OK) {
        status = replay_keyframes_make(&v->keyframes, recording);
    }
    if (status == ISO_OK) {
        status = replay_walk_load(&v->walk, &v->keyframes.list[0]);
    }
    if (status != ISO_OK) {
        return status;
    }
    replay_claims_begin(&v->claims, recording);
    replay_progress progress;
    replay_progress_begin(&progress, "verify", recording->tick_count, recording->header.def.tick_rate_hz, json);
    const double started = replay_clock();
    status = step_to_end(v, &progress);
    v->seconds = replay_clock() - started;
    replay_progress_end(&progress);
    return status;
}

static void report(const verification *v, bool json) {
    const iso_recording *recording = &v->file.recording;
    const double speed = replay_speed(v->ticks, recording->header.def.tick_rate_hz, v->seconds);
    const uint64_t last_tick = iso_world_get_tick(v->walk.world.world);
    const uint64_t last_hash = iso_world_root(v->walk.world.world);
    if (json) {
        printf("{\"result\":\"%s\",\"ticks\":%llu,\"seconds\":%.6f,\"speed\":%.1f,\"last_tick\":%llu,"
               "\"last_hash\":\"%016llx\",\"roots\":%llu,\"keyframes\":%llu",
               v->bad ? "mismatch" : "ok", (unsigned long long)v->ticks, v->seconds, speed,
               (unsigned long long)last_tick, (unsigned long long)last_hash, (unsigned long long)v->roots_checked,
               (unsigned long long)v->keyframes_checked);
        if (v->bad) {
            printf(",\"first_bad_tick\":%llu,\"offset\":%llu", (unsigned long long)v->first_bad_tick,
                   (unsigned long long)v->offset);
        }
        printf("}\n");
        return;
    }
    if (v->bad) {
        printf("mismatch at tick %llu (offset %llu), %llu ticks simulated\n", (unsigned long long)v->first_bad_tick,
               (unsigned long long)v->offset, (unsigned long long)v->ticks);
        return;
    }
    printf("ok: %llu ticks, %llu roots and %llu keyframes agree; %.2f s, %.0f times real time\n"
           "last tick %llu, root %016llx\n",
           (unsigned long long)v->ticks, (unsigned long long)v->roots_checked, (unsigned long long)v->keyframes_checked,
           v->seconds, speed, (unsigned long long)last_tick, (unsigned long long)last_hash);
    if (recording->size < recording->file_size) {
        printf("the last %llu bytes are a torn end\n", (unsigned long long)(recording->file_size - recording->size));
    }
    if (recording->degraded) {
        printf("the recording ended before its session did: a disk error\n");
    }
}

int replay_verify(int argc, char **argv) {
    static const struct option options[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    bool json = false;
    int option;
    while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
        if (option == 'j') {
            json = true;
        } else {
            fputs(help, option == 'h' ? stdout : stderr);
            return option == 'h' ? REPLAY_EXIT_OK : REPLAY_EXIT_USAGE;
        }
    }
    if (optind + 1 != argc) {
        fputs(help, stderr);
        return REPLAY_EXIT_USAGE;
    }
    verification v = {0};
    if (replay_file_open(&v.file, argv[optind], json) != ISO_OK) {
        return REPLAY_EXIT_UNREADABLE;
    }
    const iso_status status = verify(&v, json);
    if (status == ISO_OK) {
        report(&v, json);
    } else if (json) {
        printf("{\"result\":\"unreadable\",\"status\":\"%s\",\"ticks\":%llu}\n", iso_status_name(status),
               (unsigned long long)v.ticks);
    }
    replay_keyframes_free(&v.keyframes);
    replay_walk_free(&v.walk);
    replay_file_close(&v.file);
    return status != ISO_OK ? REPLAY_EXIT_UNREADABLE : v.bad ? REPLAY_EXIT_MISMATCH : REPLAY_EXIT_OK;
}
