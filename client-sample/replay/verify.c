/// isostep-replay verify: simulates a recording again and compares.
///
/// Three cursors pass over the file together: one for the ticks' inputs, one for the roots they carry, which may
/// speak of earlier ticks, and one for the keyframes, which may stand behind later ticks.
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "isostep/sync_test.h"
#include "isostep/threads.h"
#include "options.h"
#include "simulate.h"
#include "walk.h"

static const char help[] =
    "Usage: isostep-replay verify FILE... [--chain] [--restore-every N] [--threads N] [--trace FILE.csv] "
    "[--trace-every K]\n"
    "                             [--force] [--json]\n"
    "\n"
    "Re-simulates a recording from its first keyframe. Every root in the file must be the simulated state's, and\n"
    "every keyframe must be equal to it byte for byte. A file that ends in .part may have a torn end. Several files "
    "are taken\n"
    "in the order of their headers (epoch, first tick), not of the arguments. Each one must continue a previous "
    "one:\n"
    "the same session, from one of its states. Where that is not its last one, the ticks left behind are told.\n"
    "\n"
    "  --chain  also the files of the session that come after the last one, by their names in its folder\n"
    "  --restore-every N\n"
    "           every N ticks a second world is created from a snapshot of the simulated one and is stepped, too; it\n"
    "           must have the same roots. Finds state that a game keeps outside its state block, and instruction sets\n"
    "           that compute other bits: the second world takes the others in turn. Takes two to four times as long\n"
    "  --threads N\n"
    "           simulates on N threads: faster for worlds of some thousand bodies. 1 by default\n"
    "  --trace FILE\n"
    "           one row per traced tick and body of what is simulated, in the columns of simulate --trace\n"
    "  --trace-every K\n"
    "           trace every Kth tick, those that K divides; 1 by default\n"
    "  --force  replaces what --trace names when it exists\n"
    "  --json   one object on standard output: result (ok, mismatch, gap, version, unreadable), ticks, seconds, speed "
    "(multiple\n"
    "           of real time), last_tick, last_hash, files, epochs_missing (between the first file and the last),\n"
    "           ticks_left_behind if any;\n"
    "           after a mismatch first_bad_tick, offset and file, and restored_tick when it was a restored world\n"
    "           that differed: the tick of its snapshot\n"
    "Exit codes: 0 everything agrees; 1 a mismatch was found; 2 usage; 3 the file is unreadable, corrupt or of\n"
    "another version.\n";

/// Maximum of --restore-every: beyond it, worlds would be restored only from the first state.
#define RESTORE_EVERY_MAX 1000000

typedef struct verification {
    replay_file file;   // the present one
    replay_file before; // the file that `file` must continue, closed unless has_before
    bool has_before;
    uint32_t epochs_missing; // no file of them was given
    replay_walk walk;
    replay_claims claims;
    replay_keyframes keyframes;
    uint32_t keyframe;      // the next one of the list
    uint32_t restore_every; // [ticks]; 0: never
    iso_sync_test restored;
    iso_threads *threads; // NULL: the calling one alone
    uint64_t restores;    // of the files before the present one
    bool is_restored_bad; // the mismatch is between a restored world and the simulated one
    replay_trace *trace;  // NULL: none is wanted
    iso_scene *scene;     // of the present file, for names; NULL: it is not known
    uint64_t traced;      // the tick behind the last one that was looked at
    uint32_t files;       // from here on of all files
    uint64_t ticks;
    uint64_t roots_checked;
    uint64_t keyframes_checked;
    bool is_bad;          // a mismatch was found
    replay_link link;     // of the present file to the one before
    uint64_t left_behind; // [ticks] of files whose session went back
    uint64_t first_bad_tick;
    uint64_t offset;
    uint64_t last_tick;
    uint64_t last_hash;
    double recorded; // [s] of the session's time
    double seconds;
} verification;

static void found_bad(verification *v, uint64_t tick, uint64_t offset) {
    v->is_bad = true;
    v->first_bad_tick = tick;
    v->offset = offset;
}

/// Tells what perturb has written of its change. @return whether there was something
static bool tell_notes(const verification *v) {
    const iso_recording *recording = &v->file.recording;
    uint64_t offset = recording->frames_offset;
    iso_recording_frame frame;
    iso_recording_event event;
    bool has_note = false;
    while (iso_recording_next(recording, &offset, &frame)) {
        if (frame.type != ISO_RECORDING_EVENT || iso_recording_read_event(&frame, &event) != ISO_OK ||
            event.kind != ISO_RECORDING_EVENT_NOTE) {
            continue;
        }
        iso_print(stderr, "isostep-replay: the file was changed on purpose: its note of tick %llu says '%s'\n",
                  (unsigned long long)event.about_tick, event.name);
        has_note = true;
    }
    return has_note;
}

static void check_root(verification *v, uint64_t tick) {
    const uint64_t root = iso_world_root(v->walk.world.world);
    if (root != v->claims.root) {
        found_bad(v, tick, v->claims.offset);
        iso_print(stderr, "isostep-replay: the root after tick %llu differs: recorded %016llx, computed %016llx\n",
                  (unsigned long long)tick, (unsigned long long)v->claims.root, (unsigned long long)root);
        const iso_recording_header *header = &v->file.recording.header;
        if (!tell_notes(v) && header->def.game[0] != '\0') {
            iso_print(
                stderr,
                "isostep-replay: all versions are the same, so probably the rules of the game '%s' changed without a "
                "new version of it; '%s' recorded the file\n",
                header->def.game, header->build);
        }
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
        tell_notes(v);
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

/// Compares the present state with the file. @return ISO_OK also for a mismatch
static iso_status check_state(verification *v) {
    const uint64_t tick = replay_walk_tick(&v->walk);
    if (v->claims.is_found && v->claims.tick == tick) {
        check_root(v, tick);
    }
    if (!v->is_bad && v->keyframe < v->keyframes.count && v->keyframes.list[v->keyframe].tick == tick) {
        return check_keyframe(v, &v->keyframes.list[v->keyframe]);
    }
    return ISO_OK;
}

/// Compares the present state with that of a world continued from a snapshot. @param input  NULL: the first state
/// @return ISO_OK also for a mismatch
static iso_status check_restored(verification *v, const iso_tick_input *input) {
    if (v->restore_every == 0) {
        return ISO_OK;
    }
    const iso_status status = iso__replay_restore_step(&v->restored, v->walk.world.world, input);
    if (status == ISO_OK || status == ISO_ERR_MEMORY) {
        return status;
    }
    v->is_restored_bad = true;
    found_bad(v, replay_walk_tick(&v->walk), input != NULL ? v->walk.offset : v->file.recording.frames_offset);
    return ISO_OK;
}

/// Traces the present state; a file begins with one of the file before.
static iso_status trace_state(verification *v) {
    const uint64_t tick = replay_walk_tick(&v->walk);
    if (v->trace == NULL || tick < v->traced) {
        return ISO_OK;
    }
    v->traced = tick + 1;
    return iso__replay_trace_write(v->trace, v->walk.world.world, v->scene) ? ISO_OK : ISO_ERR_IO;
}

/// What the file says of a state comes second: a game that counts outside its state goes wrong by the restored world.
static iso_status check(verification *v, const iso_tick_input *input) {
    iso_status status = trace_state(v);
    if (status == ISO_OK) {
        status = check_restored(v, input);
    }
    return status == ISO_OK && !v->is_bad ? check_state(v) : status;
}

static iso_status step_to_end(verification *v, replay_progress *progress) {
    const uint64_t before = v->ticks;
    iso_status status = check(v, NULL);
    while (status == ISO_OK && !v->is_bad) {
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
    if (v->threads != NULL) {
        const iso_parallel parallel = iso_threads_parallel(v->threads);
        iso_world_set_parallel(v->walk.world.world, &parallel);
    }
    if (v->trace != NULL) {
        uint32_t count;
        const iso_game *const *games = iso__replay_games(&count);
        iso_scene_parse(recording->header.scene, recording->header.scene_size, games, count, &v->scene, NULL);
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
    iso_scene_free(v->scene);
    v->scene = NULL;
    v->keyframe = 0;
    v->restores += v->restored.copies;
    iso_sync_test_term(&v->restored);
}

/// A session that went back to an earlier recording continues that one, and not the file before.
/// @return as check_link
static iso_status find_earlier(verification *v, const replay_chain *chain, uint32_t index) {
    iso_status status = ISO_OK;
    for (uint32_t i = index; status == ISO_OK && v->link == REPLAY_LINK_STATE && i-- > 0;) {
        replay_file file;
        replay_link link;
        status = iso__replay_file_open(&file, chain->paths[i], true);
        if (status != ISO_OK) {
            return status;
        }
        status = iso__replay_chain_check(&file, &v->file, &link);
        if (status == ISO_OK && link == REPLAY_LINK_GOES_ON) {
            v->link = link;
            v->left_behind += iso__replay_chain_overlap(&file, &v->file);
            iso__replay_chain_report(&file, &v->file, link);
        }
        iso__replay_file_close(&file);
    }
    return status;
}

/// Whether the present file continues one before it. @return ISO_OK also when it does not
static iso_status check_link(verification *v, const replay_chain *chain, uint32_t index) {
    v->epochs_missing += iso__replay_chain_missing(&v->before.recording.header, &v->file.recording.header);
    iso__replay_chain_report_missing(&v->before.recording.header, &v->file.recording.header);
    iso_status status = iso__replay_chain_check(&v->before, &v->file, &v->link);
    if (status == ISO_OK && v->link == REPLAY_LINK_STATE) {
        status = find_earlier(v, chain, index);
        if (status == ISO_OK && v->link == REPLAY_LINK_GOES_ON) {
            return ISO_OK;
        }
    }
    if (status == ISO_OK) {
        iso__replay_chain_report(&v->before, &v->file, v->link);
    }
    if (status == ISO_OK && v->link == REPLAY_LINK_GOES_ON) {
        v->left_behind += iso__replay_chain_overlap(&v->before, &v->file);
    } else if (status == ISO_OK) {
        found_bad(v, v->file.recording.header.first_tick, v->file.recording.frames_offset);
    }
    return status;
}

/// One file of several. @return ISO_OK also for a mismatch
static iso_status verify_file(verification *v, const replay_chain *chain, uint32_t index, bool json) {
    iso_status status = iso__replay_file_open(&v->file, chain->paths[index], json);
    if (status != ISO_OK) {
        return status;
    }
    ++v->files;
    if (v->has_before) {
        status = check_link(v, chain, index);
    }
    if (status == ISO_OK && !v->is_bad) {
        status = verify(v, json);
    }
    if (status != ISO_OK && json) {
        printf("{\"result\":\"unreadable\",\"status\":\"%s\",\"ticks\":%llu}\n", iso_status_name(status),
               (unsigned long long)v->ticks);
    }
    return status;
}

static const char *result_of(const verification *v) {
    return !v->is_bad                       ? "ok"
           : v->link == REPLAY_LINK_GAP     ? "gap"
           : v->link == REPLAY_LINK_VERSION ? "version"
                                            : "mismatch";
}

static void report_json(const verification *v, double speed) {
    printf("{\"result\":\"%s\",\"ticks\":%llu,\"seconds\":%.6f,\"speed\":%.1f,\"last_tick\":%llu,"
           "\"last_hash\":\"%016llx\",\"roots\":%llu,\"keyframes\":%llu,\"files\":%u,\"epochs_missing\":%u",
           result_of(v), (unsigned long long)v->ticks, v->seconds, speed, (unsigned long long)v->last_tick,
           (unsigned long long)v->last_hash, (unsigned long long)v->roots_checked,
           (unsigned long long)v->keyframes_checked, v->files, v->epochs_missing);
    if (v->is_bad) {
        printf(",\"first_bad_tick\":%llu,\"offset\":%llu,\"file\":", (unsigned long long)v->first_bad_tick,
               (unsigned long long)v->offset);
        iso_print_json_string(stdout, v->file.path);
    }
    if (v->left_behind > 0) {
        printf(",\"ticks_left_behind\":%llu", (unsigned long long)v->left_behind);
    }
    if (v->is_restored_bad) {
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
    if (v->is_bad && v->link == REPLAY_LINK_GAP) {
        iso_print(stdout, "gap: no file has the ticks %llu to %llu, before %s; %llu tick%s simulated\n",
                  (unsigned long long)v->before.recording.last_tick + 1, (unsigned long long)v->first_bad_tick - 1,
                  v->file.path, (unsigned long long)v->ticks, iso_text_plural(v->ticks));
        return;
    }
    if (v->is_bad && v->link == REPLAY_LINK_VERSION) {
        iso_print(stdout, "another version: %s was not simulated; %llu tick%s before it agree%s\n", v->file.path,
                  (unsigned long long)v->ticks, iso_text_plural(v->ticks), v->ticks == 1 ? "s" : "");
        return;
    }
    if (v->is_bad) {
        iso_print(stdout, "mismatch at tick %llu (offset %llu%s%s), %llu tick%s simulated\n",
                  (unsigned long long)v->first_bad_tick, (unsigned long long)v->offset, count > 1 ? " of " : "",
                  count > 1 ? v->file.path : "", (unsigned long long)v->ticks, iso_text_plural(v->ticks));
        return;
    }
    if (count > 1) {
        printf("%u files, each continues %s\n", count,
               v->left_behind > 0 ? "a previous one, some from an earlier tick than its last" : "the previous one");
    }
    printf("ok: %llu tick%s, %llu root%s and %llu keyframe%s agree; %.2f s, %.0f times real time\n"
           "last tick %llu, root %016llx\n",
           (unsigned long long)v->ticks, iso_text_plural(v->ticks), (unsigned long long)v->roots_checked,
           iso_text_plural(v->roots_checked), (unsigned long long)v->keyframes_checked,
           iso_text_plural(v->keyframes_checked), v->seconds, speed, (unsigned long long)v->last_tick,
           (unsigned long long)v->last_hash);
    if (v->restore_every > 0) {
        const uint64_t restores = v->restores + v->restored.copies;
        printf("%llu world%s continued from snapshots agree%s\n", (unsigned long long)restores,
               iso_text_plural(restores), restores == 1 ? "s" : "");
    }
    const iso_recording *recording = &v->file.recording;
    if (recording->size < recording->file_size) {
        const uint64_t torn = recording->file_size - recording->size;
        printf("the last %llu byte%s a torn end\n", (unsigned long long)torn, torn == 1 ? " is" : "s are");
    }
    if (recording->is_degraded) {
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

typedef struct verify_options {
    bool json, follow, force;
    uint64_t restore_every;
    const char *trace_path;
    uint64_t trace_every;
    uint64_t thread_count;
} verify_options;

/// @param trace  open, or NULL
/// @return the exit code
static int verify_chain(const replay_chain *chain, const verify_options *options, replay_trace *trace) {
    verification v = {.restore_every = (uint32_t)options->restore_every, .trace = trace};
    iso_status status =
        options->thread_count > 1 ? iso_threads_start((uint32_t)options->thread_count, &v.threads) : ISO_OK;
    if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: %llu threads could not be started: %s\n",
                  (unsigned long long)options->thread_count, iso_status_text(status));
    }
    for (uint32_t i = 0; status == ISO_OK && !v.is_bad && i < chain->count; ++i) {
        if (i > 0) {
            pass_file(&v);
        }
        status = verify_file(&v, chain, i, options->json);
    }
    if (status == ISO_OK) {
        report(&v, chain->count, options->json);
    }
    forget(&v);
    iso__replay_file_close(&v.file);
    if (v.has_before) {
        iso__replay_file_close(&v.before);
    }
    iso_threads_stop(v.threads);
    if (status != ISO_OK || (v.is_bad && v.link == REPLAY_LINK_VERSION)) {
        return REPLAY_EXIT_UNREADABLE;
    }
    return v.is_bad ? REPLAY_EXIT_MISMATCH : REPLAY_EXIT_OK;
}

/// @return the exit code
static int verify_traced(const replay_chain *chain, const verify_options *options) {
    replay_trace trace;
    if (options->trace_path == NULL) {
        return verify_chain(chain, options, NULL);
    }
    if (!iso__replay_trace_open(&trace, options->trace_path, options->trace_every)) {
        return REPLAY_EXIT_UNREADABLE;
    }
    const int code = verify_chain(chain, options, &trace);
    return iso__replay_trace_close(&trace) ? code : REPLAY_EXIT_UNREADABLE;
}

int iso__replay_verify(int argc, char **argv) {
    verify_options wanted = {.trace_every = 1, .thread_count = 1};
    const replay_option options[] = {
        {"--chain", .flag = &wanted.follow},
        {"--restore-every", .number = &wanted.restore_every, .min = 1, .max = RESTORE_EVERY_MAX},
        {"--threads", .number = &wanted.thread_count, .min = 1, .max = ISO_THREADS_MAX},
        {"--trace", .text = &wanted.trace_path},
        {"--trace-every", .number = &wanted.trace_every, .min = 1, .max = 1000000000},
        {"--force", .flag = &wanted.force},
        {"--json", .flag = &wanted.json},
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
    for (int i = first; wanted.trace_path != NULL && i < argc; ++i) {
        if (!iso__replay_writer_check_path(wanted.trace_path, argv[i], wanted.force)) {
            return REPLAY_EXIT_USAGE;
        }
    }
    replay_chain chain;
    code = REPLAY_EXIT_UNREADABLE;
    if (iso__replay_chain_make(&chain, argv + first, argc - first, wanted.follow)) {
        code = verify_traced(&chain, &wanted);
    } else {
        iso_print(stderr, "isostep-replay: %s\n", iso_status_text(ISO_ERR_MEMORY));
    }
    iso__replay_chain_free(&chain);
    return code;
}
