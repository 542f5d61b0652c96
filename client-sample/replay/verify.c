/// isostep-replay verify: simulates a recording again and compares.
///
/// Three cursors pass over the file together: one for the ticks' inputs, one for the roots they carry, which may
/// speak of earlier ticks, and one for the keyframes, which may stand behind later ticks.
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

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

/// The next root that the file claims.
typedef struct root_claim {
    uint64_t cursor;
    bool found;
    bool footer_taken;
    uint64_t tick;
    uint64_t root;
    uint64_t offset; // of the frame
} root_claim;

typedef struct keyframe_claim {
    uint64_t cursor;
    bool found;
    iso_recording_keyframe keyframe;
} keyframe_claim;

typedef struct verification {
    replay_file file;
    replay_world world;
    iso_recording_tick_buffer *buffer;
    root_claim claim;
    keyframe_claim keyframe;
    uint64_t ticks;
    uint64_t roots_checked;
    uint64_t keyframes_checked;
    bool bad; // a mismatch was found
    uint64_t first_bad_tick;
    uint64_t offset;
    double seconds;
} verification;

static void claim_next(verification *v) {
    const iso_recording *recording = &v->file.recording;
    iso_recording_frame frame;
    v->claim.found = false;
    while (iso_recording_next(recording, &v->claim.cursor, &frame)) {
        iso_recording_tick tick;
        // The input is not needed here, so the frame is only read as far as its root.
        if (frame.type == ISO_RECORDING_TICK && iso_recording_read_root(&frame, &tick) == ISO_OK && tick.has_root) {
            v->claim.found = true;
            v->claim.tick = tick.hashed_tick;
            v->claim.root = tick.root;
            v->claim.offset = frame.offset;
            return;
        }
    }
    if (recording->has_root && recording->sealed && !v->claim.footer_taken) {
        v->claim.footer_taken = true;
        v->claim.found = true;
        v->claim.tick = recording->root_tick;
        v->claim.root = recording->root;
        v->claim.offset = recording->footer_offset;
    }
}

static void keyframe_next(verification *v) {
    iso_recording_frame frame;
    v->keyframe.found = false;
    while (!v->keyframe.found && iso_recording_next(&v->file.recording, &v->keyframe.cursor, &frame)) {
        v->keyframe.found = frame.type == ISO_RECORDING_KEYFRAME &&
                            iso_recording_read_keyframe(&frame, &v->keyframe.keyframe) == ISO_OK;
    }
}

static void found_bad(verification *v, uint64_t tick, uint64_t offset) {
    v->bad = true;
    v->first_bad_tick = tick;
    v->offset = offset;
}

/// Compares the present state with what the file says of it. @return ISO_OK also for a mismatch
static iso_status check_state(verification *v) {
    const uint64_t tick = iso_world_get_tick(v->world.world);
    if (v->claim.found && v->claim.tick == tick) {
        const uint64_t root = iso_world_root(v->world.world);
        if (root != v->claim.root) {
            found_bad(v, tick, v->claim.offset);
            fprintf(stderr, "isostep-replay: the root after tick %llu differs: recorded %016llx, computed %016llx\n",
                    (unsigned long long)tick, (unsigned long long)v->claim.root, (unsigned long long)root);
            return ISO_OK;
        }
        v->roots_checked++;
        do {
            claim_next(v);
        } while (v->claim.found && v->claim.tick == tick);
    }
    if (v->keyframe.found && v->keyframe.keyframe.tick == tick) {
        const iso_recording_keyframe *keyframe = &v->keyframe.keyframe;
        const iso_status status = replay_world_compare(&v->world, &v->file.recording, keyframe);
        if (status == ISO_ERR_DESYNC || (status == ISO_OK && iso_world_root(v->world.world) != keyframe->root)) {
            found_bad(v, tick, keyframe->offset);
            fprintf(stderr, "isostep-replay: the keyframe of tick %llu differs from the simulated state\n",
                    (unsigned long long)tick);
            replay_world_explain(&v->world, &v->file.recording, keyframe);
            return ISO_OK;
        }
        if (status != ISO_OK) {
            fprintf(stderr, "isostep-replay: the keyframe of tick %llu at offset %llu: %s\n", (unsigned long long)tick,
                    (unsigned long long)keyframe->offset, iso_status_text(status));
            return status;
        }
        v->keyframes_checked++;
        keyframe_next(v);
    }
    return ISO_OK;
}

static iso_status step_to_end(verification *v, replay_progress *progress) {
    const iso_recording *recording = &v->file.recording;
    iso_recording_keyframe first;
    iso_recording_find_keyframe(recording, recording->header.first_tick, &first);
    uint64_t cursor = first.ticks_offset;
    iso_recording_frame frame;
    iso_status status = check_state(v);
    while (status == ISO_OK && !v->bad && iso_recording_next(recording, &cursor, &frame)) {
        if (frame.type != ISO_RECORDING_TICK) {
            continue;
        }
        iso_recording_tick tick;
        status = iso_recording_read_tick(&frame, v->buffer, &tick);
        if (status == ISO_OK) {
            status = iso_world_step(v->world.world, &tick.input);
        }
        if (status != ISO_OK) {
            fprintf(stderr, "isostep-replay: tick %llu at offset %llu: %s\n", (unsigned long long)tick.input.tick,
                    (unsigned long long)frame.offset, iso_status_text(status));
            return status;
        }
        v->ticks++;
        if (v->ticks % 32 == 0) {
            replay_progress_update(progress, v->ticks);
        }
        status = check_state(v);
    }
    return status;
}

/// @return ISO_OK when the file could be simulated, whether or not it agrees
static iso_status verify(verification *v, bool json) {
    const iso_recording *recording = &v->file.recording;
    iso_status status = replay_world_make(&v->world, recording);
    if (status != ISO_OK) {
        return status;
    }
    v->buffer = malloc(sizeof *v->buffer);
    if (v->buffer == NULL) {
        return ISO_ERR_MEMORY;
    }
    v->claim.cursor = recording->frames_offset;
    v->keyframe.cursor = recording->frames_offset;
    claim_next(v);
    keyframe_next(v);
    status = replay_world_load(&v->world, recording, &v->keyframe.keyframe);
    if (status != ISO_OK) {
        fprintf(stderr, "isostep-replay: the first keyframe: %s\n", iso_status_text(status));
        return status;
    }
    replay_progress progress;
    replay_progress_begin(&progress, "verify", recording->tick_count, json);
    const double started = replay_clock();
    status = step_to_end(v, &progress);
    v->seconds = replay_clock() - started;
    replay_progress_end(&progress);
    return status;
}

static void report(const verification *v, bool json) {
    const iso_recording *recording = &v->file.recording;
    const double speed = replay_speed(v->ticks, recording->header.def.tick_rate_hz, v->seconds);
    const uint64_t last_tick = iso_world_get_tick(v->world.world);
    const uint64_t last_hash = iso_world_root(v->world.world);
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
    replay_world_free(&v.world);
    free(v.buffer);
    replay_file_close(&v.file);
    return status != ISO_OK ? REPLAY_EXIT_UNREADABLE : v.bad ? REPLAY_EXIT_MISMATCH : REPLAY_EXIT_OK;
}
