/// isostep-replay verify: simulates a recording again and compares.
///
/// Three cursors pass over the file together: one for the ticks' inputs, one for the roots they carry, which may
/// speak of earlier ticks, and one for the keyframes, which may stand behind later ticks.
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "isostep/sync_test.h"
#include "options.h"
#include "walk.h"

static const char help[] =
    "Usage: isostep-replay verify FILE... [--chain] [--restore-every N] [--json]\n"
    "\n"
    "Re-simulates a recording from its first keyframe. Every root in the file must be the simulated state's, and\n"
    "every keyframe must be it byte for byte. A file that ends in .part may have a torn end. Several files are taken\n"
    "in the order that their headers tell (epoch, first tick), whatever that of the arguments. Each one must go on\n"
    "from the one before: the same session, from one of its states.\n"
    "\n"
    "  --chain  also the files of the session that come after the last one, by their names in its folder\n"
    "  --restore-every N\n"
    "           every N ticks a second world is made from a snapshot of the simulated one and goes on beside it; it\n"
    "           must have the same roots. Finds state that a game keeps outside its state block. Takes twice as long\n"
    "  --json   one object on standard output: result (ok, mismatch, unreadable), ticks, seconds, speed (multiple\n"
    "           of real time), last_tick, last_hash, files, epochs_missing (between the first file and the last);\n"
    "           after a mismatch first_bad_tick, offset and file, and restored_tick when it was a restored world\n"
    "           that differed: the tick of its snapshot\n"
    "Exit codes: 0 everything agrees; 1 a mismatch was found; 2 usage; 3 the file is unreadable, corrupt or of\n"
    "another version.\n";

/// Of --restore-every: beyond it a session's worlds would go on from their first state alone.
#define RESTORE_EVERY_MAX 1000000

typedef struct verification {
    replay_file file;   // the present one
    replay_file before; // what `file` must go on from, closed unless has_before
    bool has_before;
    uint32_t epochs_missing; // no file of them was given
    replay_walk walk;
    replay_claims claims;
    replay_keyframes keyframes;
    uint32_t keyframe;      // the next one of the list
    uint32_t restore_every; // [ticks]; 0: never
    iso_sync_test restored;
    uint64_t restores; // of the files before the present one
    bool restored_bad; // the mismatch is between a restored world and the simulated one
    uint32_t files;    // from here on of all files
    uint64_t ticks;
    uint64_t roots_checked;
    uint64_t keyframes_checked;
    bool bad; // a mismatch was found
    uint64_t first_bad_tick;
    uint64_t offset;
    uint64_t last_tick;
    uint64_t last_hash;
    double recorded; // [s] of the session's time
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
        iso_print(stderr, "isostep-replay: the root after tick %llu differs: recorded %016llx, computed %016llx\n",
                  (unsigned long long)tick, (unsigned long long)v->claims.root, (unsigned long long)root);
        return;
    }
    ++v->roots_checked;
    iso__replay_claims_next(&v->claims);
}

/// @return ISO_OK also for a mismatch
static iso_status check_keyframe(verification *v, const iso_recording_keyframe *keyframe) {
    replay_world *world = &v->walk.world;
    const iso_status status = iso__replay_world_compare(world, &v->file.recording, keyframe);
    if (status == ISO_ERR_DESYNC || (status == ISO_OK && iso_world_root(world->world) != keyframe->root)) {
        found_bad(v, keyframe->tick, keyframe->offset);
        iso_print(stderr, "isostep-replay: the keyframe of tick %llu differs from the simulated state\n",
                  (unsigned long long)keyframe->tick);
        iso__replay_world_explain(world, &v->file.recording, keyframe);
        return ISO_OK;
    }
    if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: the keyframe of tick %llu at offset %llu: %s\n",
                  (unsigned long long)keyframe->tick, (unsigned long long)keyframe->offset, iso_status_text(status));
        return status;
    }
    ++v->keyframes_checked;
    ++v->keyframe;
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

/// Compares the present state with that of a world that went on from a snapshot. @param input  NULL: the first state
/// @return ISO_OK also for a mismatch
static iso_status check_restored(verification *v, const iso_tick_input *input) {
    if (v->restore_every == 0) {
        return ISO_OK;
    }
    const iso_status status = iso__replay_restore_step(&v->restored, v->walk.world.world, input);
    if (status == ISO_OK || status == ISO_ERR_MEMORY) {
        return status;
    }
    v->restored_bad = true;
    found_bad(v, replay_walk_tick(&v->walk), input != NULL ? v->walk.offset : v->file.recording.frames_offset);
    return ISO_OK;
}

/// What the file says of a state comes second: a game that counts outside its state goes wrong by the restored world.
static iso_status check(verification *v, const iso_tick_input *input) {
    const iso_status status = check_restored(v, input);
    return status == ISO_OK && !v->bad ? check_state(v) : status;
}

static iso_status step_to_end(verification *v, replay_progress *progress) {
    const uint64_t before = v->ticks;
    iso_status status = check(v, NULL);
    while (status == ISO_OK && !v->bad) {
        status = iso__replay_walk_step(&v->walk);
        if (status == ISO_OK) {
            ++v->ticks;
            if (v->ticks % 32 == 0) {
                iso__replay_progress_update(progress, v->ticks - before);
            }
            status = check(v, &v->walk.tick.input);
        }
    }
    return status == ISO_ERR_TRUNCATED ? ISO_OK : status; // no tick was left
}

/// @return ISO_OK when the file could be simulated, whether or not it agrees
static iso_status verify(verification *v, bool json) {
    const iso_recording *recording = &v->file.recording;
    iso_status status = iso__replay_walk_make(&v->walk, recording);
    if (status == ISO_OK) {
        status = iso__replay_keyframes_make(&v->keyframes, recording);
    }
    if (status == ISO_OK) {
        status = iso__replay_walk_load(&v->walk, &v->keyframes.list[0]);
    }
    if (status != ISO_OK) {
        return status;
    }
    iso__replay_claims_begin(&v->claims, recording);
    replay_progress progress;
    iso__replay_progress_begin(&progress, "verify", recording->tick_count, recording->header.def.tick_rate_hz, json);
    const double started = iso__replay_clock();
    const uint64_t ticks_before = v->ticks;
    iso__replay_restore_init(&v->restored, v->restore_every);
    status = step_to_end(v, &progress);
    v->seconds += iso__replay_clock() - started;
    v->recorded += (double)(v->ticks - ticks_before) / recording->header.def.tick_rate_hz;
    v->last_tick = replay_walk_tick(&v->walk);
    v->last_hash = iso_world_root(v->walk.world.world);
    iso__replay_progress_end(&progress);
    return status;
}

static void forget(verification *v) {
    iso__replay_keyframes_free(&v->keyframes);
    iso__replay_walk_free(&v->walk);
    v->keyframe = 0;
    v->restores += v->restored.copies;
    iso_sync_test_term(&v->restored);
}

/// One file of several. @return ISO_OK also for a mismatch
static iso_status verify_file(verification *v, const char *path, bool json) {
    iso_status status = iso__replay_file_open(&v->file, path, json);
    if (status != ISO_OK) {
        return status;
    }
    ++v->files;
    if (v->has_before) {
        v->epochs_missing += iso__replay_chain_missing(&v->before.recording.header, &v->file.recording.header);
        status = iso__replay_chain_check(&v->before, &v->file);
        if (status == ISO_ERR_DESYNC) {
            found_bad(v, v->file.recording.header.first_tick, v->file.recording.frames_offset);
            status = ISO_OK;
        }
    }
    if (status == ISO_OK && !v->bad) {
        status = verify(v, json);
    }
    if (status != ISO_OK && json) {
        printf("{\"result\":\"unreadable\",\"status\":\"%s\",\"ticks\":%llu}\n", iso_status_name(status),
               (unsigned long long)v->ticks);
    }
    return status;
}

static void report_json(const verification *v, double speed) {
    printf("{\"result\":\"%s\",\"ticks\":%llu,\"seconds\":%.6f,\"speed\":%.1f,\"last_tick\":%llu,"
           "\"last_hash\":\"%016llx\",\"roots\":%llu,\"keyframes\":%llu,\"files\":%u,\"epochs_missing\":%u",
           v->bad ? "mismatch" : "ok", (unsigned long long)v->ticks, v->seconds, speed,
           (unsigned long long)v->last_tick, (unsigned long long)v->last_hash, (unsigned long long)v->roots_checked,
           (unsigned long long)v->keyframes_checked, v->files, v->epochs_missing);
    if (v->bad) {
        printf(",\"first_bad_tick\":%llu,\"offset\":%llu,\"file\":", (unsigned long long)v->first_bad_tick,
               (unsigned long long)v->offset);
        iso_print_json_string(stdout, v->file.path);
    }
    if (v->restored_bad) {
        printf(",\"restored_tick\":%llu", (unsigned long long)v->restored.from);
    }
    if (v->restore_every > 0) {
        printf(",\"restores\":%llu", (unsigned long long)(v->restores + v->restored.copies));
    }
    printf("}\n");
}

/// @param count  of the files that were to be verified
static void report(const verification *v, uint32_t count, bool json) {
    const double speed = v->seconds > 0 ? v->recorded / v->seconds : 0;
    if (json) {
        report_json(v, speed);
        return;
    }
    if (v->bad) {
        iso_print(stdout, "mismatch at tick %llu (offset %llu%s%s), %llu ticks simulated\n",
                  (unsigned long long)v->first_bad_tick, (unsigned long long)v->offset, count > 1 ? " of " : "",
                  count > 1 ? v->file.path : "", (unsigned long long)v->ticks);
        return;
    }
    if (count > 1) {
        printf("%u files, each goes on from the one before\n", count);
    }
    printf("ok: %llu ticks, %llu roots and %llu keyframes agree; %.2f s, %.0f times real time\n"
           "last tick %llu, root %016llx\n",
           (unsigned long long)v->ticks, (unsigned long long)v->roots_checked, (unsigned long long)v->keyframes_checked,
           v->seconds, speed, (unsigned long long)v->last_tick, (unsigned long long)v->last_hash);
    if (v->restore_every > 0) {
        printf("%llu worlds that went on from snapshots agree\n",
               (unsigned long long)(v->restores + v->restored.copies));
    }
    const iso_recording *recording = &v->file.recording;
    if (recording->size < recording->file_size) {
        printf("the last %llu bytes are a torn end\n", (unsigned long long)(recording->file_size - recording->size));
    }
    if (recording->degraded) {
        printf("the recording ended before its session did: a disk error\n");
    }
}

/// Makes room for the next file.
static void pass_file(verification *v) {
    forget(v);
    if (v->has_before && iso__replay_chain_is_ahead(&v->before, &v->file)) {
        iso__replay_file_close(&v->file);
        return;
    }
    if (v->has_before) {
        iso__replay_file_close(&v->before);
    }
    v->before = v->file;
    v->has_before = true;
}

/// @return the exit code
static int verify_chain(const replay_chain *chain, uint32_t restore_every, bool json) {
    verification v = {.restore_every = restore_every};
    iso_status status = ISO_OK;
    for (uint32_t i = 0; status == ISO_OK && !v.bad && i < chain->count; ++i) {
        if (i > 0) {
            pass_file(&v);
        }
        status = verify_file(&v, chain->paths[i], json);
    }
    if (status == ISO_OK) {
        report(&v, chain->count, json);
    }
    forget(&v);
    iso__replay_file_close(&v.file);
    if (v.has_before) {
        iso__replay_file_close(&v.before);
    }
    return status != ISO_OK ? REPLAY_EXIT_UNREADABLE : v.bad ? REPLAY_EXIT_MISMATCH : REPLAY_EXIT_OK;
}

int iso__replay_verify(int argc, char **argv) {
    bool json = false, follow = false;
    uint64_t restore_every = 0;
    const replay_option options[] = {
        {"--chain", .flag = &follow},
        {"--restore-every", .number = &restore_every, .min = 1, .max = RESTORE_EVERY_MAX},
        {"--json", .flag = &json},
        {0},
    };
    int first;
    int code = iso__replay_options(argc, argv, help, options, &first);
    if (code >= 0) {
        return code;
    }
    if (first == argc) {
        return iso__replay_usage(argv, "FILE is missing: expected a recording, or the files of one session");
    }
    replay_chain chain;
    code = REPLAY_EXIT_UNREADABLE;
    if (iso__replay_chain_make(&chain, argv + first, argc - first, follow)) {
        code = verify_chain(&chain, (uint32_t)restore_every, json);
    } else {
        iso_print(stderr, "isostep-replay: %s\n", iso_status_text(ISO_ERR_MEMORY));
    }
    iso__replay_chain_free(&chain);
    return code;
}
