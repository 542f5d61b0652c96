/// isostep-replay info: a summary, or the root after one tick.
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "info.h"
#include "options.h"
#include "walk.h"

static const char help[] =
    "Usage: isostep-replay info FILE... [--chain] [--json]\n"
    "       isostep-replay info FILE --tick T [--json]\n"
    "\n"
    "Describes a recording: its session, length, sizes of its parts, members and commands over time.\n"
    "Several files are described in the order of their headers (epoch, first tick).\n"
    "\n"
    "  --chain   also the files of the session that come after the last one, by their names in its folder\n"
    "  --tick T  the root hash after tick T: the recorded one, or, when the file has none, that of the state which\n"
    "            is simulated from the keyframe before\n"
    "  --json    one object on standard output\n"
    "Exit codes: 0 done; 2 usage; 3 the file is unreadable, corrupt or of another version.\n";

static void print_uid(FILE *out, const uint8_t *uid) {
    for (size_t i = 0; i < ISO_RECORDING_UID_SIZE; ++i) {
        fprintf(out, "%02x", uid[i]);
    }
}

/// The root that the file itself names for a tick. @return false when it names none
static bool find_root(const iso_recording *recording, uint64_t tick, uint64_t *root) {
    iso_recording_keyframe keyframe;
    iso_recording_find_keyframe(recording, tick, &keyframe);
    if (keyframe.tick == tick) {
        *root = keyframe.root;
        return true;
    }
    if (recording->has_root && recording->root_tick == tick) {
        *root = recording->root;
        return true;
    }
    uint64_t cursor = keyframe.ticks_offset;
    iso_recording_frame frame;
    while (iso_recording_next(recording, &cursor, &frame)) {
        iso_recording_tick found;
        if (frame.type != ISO_RECORDING_TICK || iso_recording_read_root(&frame, &found) != ISO_OK || !found.has_root) {
            continue;
        }
        if (found.hashed_tick >= tick) {
            *root = found.root;
            return found.hashed_tick == tick;
        }
    }
    return false;
}

/// Simulates from the keyframe before a tick to that tick.
static iso_status simulate_root(const iso_recording *recording, uint64_t tick, uint64_t *root) {
    replay_walk walk;
    iso_status status = iso__replay_walk_make(&walk, recording);
    if (status == ISO_OK) {
        status = iso__replay_walk_seek(&walk, tick);
    }
    if (status == ISO_OK) {
        *root = iso_world_root(walk.world.world);
    }
    iso__replay_walk_free(&walk);
    return status;
}

static int info_tick(const iso_recording *recording, uint64_t tick, bool json) {
    if (tick < recording->header.first_tick || tick > recording->last_tick) {
        iso_print(stderr, "isostep-replay: --tick %llu: the recording goes from tick %llu to %llu\n",
                  (unsigned long long)tick, (unsigned long long)recording->header.first_tick,
                  (unsigned long long)recording->last_tick);
        return REPLAY_EXIT_USAGE;
    }
    uint64_t root = 0;
    const bool recorded = find_root(recording, tick, &root);
    if (!recorded) {
        const iso_status status = simulate_root(recording, tick, &root);
        if (status != ISO_OK) {
            if (json) {
                printf("{\"result\":\"unreadable\",\"status\":\"%s\"}\n", iso_status_name(status));
            }
            return REPLAY_EXIT_UNREADABLE;
        }
    }
    const char *source = recorded ? "recorded" : "simulated";
    if (json) {
        printf("{\"result\":\"ok\",\"tick\":%llu,\"hash\":\"%016llx\",\"source\":\"%s\",\"last_tick\":%llu}\n",
               (unsigned long long)tick, (unsigned long long)root, source, (unsigned long long)recording->last_tick);
    } else {
        printf("tick %llu root %016llx (%s)\n", (unsigned long long)tick, (unsigned long long)root, source);
    }
    return REPLAY_EXIT_OK;
}

static const char *ending(const replay_file *file) {
    const iso_recording *recording = &file->recording;
    return recording->is_degraded ? "degraded" : recording->is_sealed ? "sealed" : "open";
}

static double seconds_recorded(const iso_recording *recording) {
    return (double)recording->tick_count / recording->header.def.tick_rate_hz;
}

/// What was counted, as members of the object.
static void summary_json(const info_summary *summary) {
    printf(
        ",\"frame_bytes\":{\"ticks\":%llu,\"keyframes\":%llu,\"events\":%llu}",
        (unsigned long long)summary->frame_bytes[ISO_RECORDING_TICK],
        (unsigned long long)(summary->frame_bytes[ISO_RECORDING_KEYFRAME] + summary->frame_bytes[ISO_RECORDING_CHUNK]),
        (unsigned long long)summary->frame_bytes[ISO_RECORDING_EVENT]);
    printf(",\"desyncs\":%llu,\"heals\":%llu,\"moved\":%llu,\"commands_by_kind\":{",
           (unsigned long long)summary->desync_count, (unsigned long long)summary->heal_count,
           (unsigned long long)summary->commands_moved);
    const char *separator = "";
    for (uint32_t kind = 0; kind < 256; ++kind) {
        if (summary->commands[kind] > 0) {
            printf("%s\"%s\":%llu", separator, iso_command_kind_name((uint8_t)kind),
                   (unsigned long long)summary->commands[kind]);
            separator = ",";
        }
    }
    printf("},\"members\":[");
    for (uint32_t i = 0; i < summary->member_count; ++i) {
        const info_member *member = &summary->members[i];
        printf("%s{\"slot\":%u,\"generation\":%u,\"name\":", i > 0 ? "," : "", member->slot, member->generation);
        iso_print_json_string(stdout, member->name);
        printf(",\"first_tick\":%llu,\"last_tick\":%llu,\"commands\":%llu,\"present\":%s}",
               (unsigned long long)member->first_tick, (unsigned long long)member->last_tick,
               (unsigned long long)member->commands, member->is_present ? "true" : "false");
    }
    printf("]");
}

static void info_json(const replay_file *file, const info_summary *summary) {
    const iso_recording *recording = &file->recording;
    const iso_recording_header *header = &recording->header;
    printf("{\"result\":\"ok\",\"state\":\"%s\",\"format\":%u,\"session\":", ending(file), file->recording.version);
    iso_print_json_string(stdout, header->session);
    printf(",\"uid\":\"");
    print_uid(stdout, header->uid);
    printf("\",\"epoch\":%u,\"scene\":", header->epoch);
    iso_print_json_string(stdout, header->scene_name);
    printf(",\"scene_hash\":\"%016llx\",\"game\":", (unsigned long long)header->scene_hash);
    iso_print_json_string(stdout, header->def.game);
    printf(",\"build\":");
    iso_print_json_string(stdout, header->build);
    printf(",\"tick_rate_hz\":%u,\"seed\":%llu,\"first_tick\":%llu,\"last_tick\":%llu,\"ticks\":%llu,\"seconds\":%.3f",
           header->def.tick_rate_hz, (unsigned long long)header->def.seed, (unsigned long long)header->first_tick,
           (unsigned long long)recording->last_tick, (unsigned long long)recording->tick_count,
           seconds_recorded(recording));
    printf(",\"commands\":%llu,\"keyframes\":%u,\"events\":%llu,\"bytes\":%llu,\"torn_bytes\":%llu",
           (unsigned long long)recording->command_count, recording->keyframe_count,
           (unsigned long long)recording->event_count, (unsigned long long)recording->file_size,
           (unsigned long long)(recording->file_size - recording->size));
    summary_json(summary);
    uint64_t root;
    if (find_root(recording, recording->last_tick, &root)) {
        printf(",\"last_hash\":\"%016llx\"", (unsigned long long)root);
    }
    printf("}\n");
}

static int info_whole(const replay_file *file, bool json) {
    info_summary summary;
    const iso_status status = iso__replay_info_summary_make(&summary, &file->recording);
    if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: %s: %s\n", file->path, iso_status_text(status));
    } else if (json) {
        info_json(file, &summary);
    } else {
        uint64_t root;
        const bool has_root = find_root(&file->recording, file->recording.last_tick, &root);
        iso__replay_info_print(file, &summary, has_root ? &root : NULL);
    }
    iso__replay_info_summary_free(&summary);
    return status == ISO_OK ? REPLAY_EXIT_OK : REPLAY_EXIT_UNREADABLE;
}

/// Whether a file continues the previous one, as far as the files themselves show.
static const char *link_text(const iso_recording *before, const iso_recording *next, bool *continuous) {
    uint64_t a = 0, b = 0;
    const uint64_t tick = next->header.first_tick;
    *continuous = false;
    if (memcmp(before->header.uid, next->header.uid, sizeof next->header.uid) != 0) {
        return "of another session";
    }
    if (next->header.epoch < before->header.epoch) {
        return "of an earlier epoch";
    }
    if (tick > before->last_tick || tick < before->header.first_tick) {
        return "with a gap";
    }
    if (find_root(before, tick, &a) && find_root(next, tick, &b) && a != b) {
        return "from another state";
    }
    *continuous = true;
    return tick < before->last_tick ? "goes back and continues the previous file" : "continues the previous file";
}

typedef struct info_options {
    bool json;
    bool follow;
    bool has_tick;
    uint64_t tick;
} info_options;

/// One file of several. @return the exit code
static int info_file(replay_file *file, const replay_file *before, const info_options *options, bool several) {
    if (file->recording.header.def.tick_rate_hz == 0) {
        iso_print(stderr, "isostep-replay: %s: the tick rate is 0\n", file->path);
        return REPLAY_EXIT_UNREADABLE;
    }
    if (options->has_tick) {
        return info_tick(&file->recording, options->tick, options->json);
    }
    if (!options->json && several) {
        bool continuous = true;
        const char *text = before != NULL ? link_text(&before->recording, &file->recording, &continuous) : "";
        iso_print(stdout, "%s%s%s%s\n", before != NULL ? "\n" : "", file->path, before != NULL ? ": " : "", text);
    }
    return info_whole(file, options->json);
}

/// @return the exit code: 0 also for files that do not continue each other, since info checks nothing
static int info_chain(const replay_chain *chain, const info_options *options) {
    const bool several = chain->count > 1;
    const bool array = several && options->json;
    replay_file before = {0};
    bool has_before = false;
    bool all_continuous = true;
    int code = REPLAY_EXIT_OK;
    printf("%s", array ? "{\"files\":[" : "");
    for (uint32_t i = 0; code == REPLAY_EXIT_OK && i < chain->count; ++i) {
        replay_file file;
        printf("%s", array && i > 0 ? "," : "");
        if (iso__replay_file_open(&file, chain->paths[i], options->json) != ISO_OK) {
            code = REPLAY_EXIT_UNREADABLE;
            break;
        }
        bool continuous = true;
        if (has_before) {
            link_text(&before.recording, &file.recording, &continuous);
            all_continuous = all_continuous && continuous;
        }
        code = info_file(&file, has_before ? &before : NULL, options, several);
        if (has_before && iso__replay_chain_is_ahead(&before, &file)) {
            iso__replay_file_close(&file);
            continue;
        }
        if (has_before) {
            iso__replay_file_close(&before);
        }
        before = file;
        has_before = true;
    }
    if (has_before) {
        iso__replay_file_close(&before);
    }
    if (array) {
        printf("],\"continuous\":%s,\"result\":\"%s\"}\n", all_continuous ? "true" : "false",
               code == REPLAY_EXIT_OK ? "ok" : "unreadable");
    }
    return code;
}

int iso__replay_info(int argc, char **argv) {
    info_options options = {0};
    const replay_option list[] = {
        {"--tick", .number = &options.tick, .max = REPLAY_TICK_MAX, .given = &options.has_tick},
        {"--chain", .flag = &options.follow},
        {"--json", .flag = &options.json},
        {0},
    };
    int first;
    int code = iso__replay_options(argc, argv, help, list, &first);
    if (code >= 0) {
        return code;
    }
    if (first == argc) {
        return iso__replay_usage(argv, "FILE is missing: expected a recording");
    }
    if (options.has_tick && (first + 1 != argc || options.follow)) {
        return iso__replay_usage(argv, "--tick is of one FILE: expected no other, and no --chain");
    }
    replay_chain chain;
    code = REPLAY_EXIT_UNREADABLE;
    if (iso__replay_chain_make(&chain, argv + first, argc - first, options.follow)) {
        code = info_chain(&chain, &options);
    } else {
        iso_print(stderr, "isostep-replay: %s\n", iso_status_text(ISO_ERR_MEMORY));
    }
    iso__replay_chain_free(&chain);
    return code;
}
