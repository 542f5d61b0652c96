/// isostep-replay trim: a part of a recording as a recording of its own.
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "rewrite.h"

static const char help[] =
    "Usage: isostep-replay trim FILE [--from T] [--to T] -o OUT [--salvage] [--force]\n"
    "\n"
    "Writes the ticks after tick --from, up to tick --to, as a recording of its own. It begins with a keyframe of the\n"
    "state after tick --from, keeps the roots, keyframes and events of its ticks, and verifies by itself.\n"
    "\n"
    "  --from T   by default the recording's first tick\n"
    "  --to T     by default its last tick\n"
    "  -o OUT     the new recording, never FILE itself\n"
    "  --salvage  reads everything before the first damage, whatever follows it\n"
    "  --force    replaces OUT when it exists, never OUT.part\n"
    "Exit codes: 0 done; 1 the state after tick --from is not the recorded one (run verify); 2 usage, or OUT or\n"
    "OUT.part exists; 3 FILE is unreadable, corrupt or of another version, or OUT cannot be written.\n";

typedef struct trim_options {
    const char *path;
    const char *out;
    uint64_t from;
    uint64_t to; // UINT64_MAX: the last tick
    bool has_from;
    bool salvage;
    bool force;
} trim_options;

/// Whether the walk's state has the recorded root of its tick, if there is one.
static bool check_start(const replay_walk *walk) {
    const uint64_t tick = replay_walk_tick(walk);
    replay_claims claims;
    iso__replay_claims_begin(&claims, walk->recording);
    while (claims.is_found && claims.tick < tick) {
        iso__replay_claims_next(&claims);
    }
    const uint64_t root = iso_world_root(walk->world.world);
    if (!claims.is_found || claims.tick != tick || claims.root == root) {
        return true;
    }
    iso_print(stderr, "isostep-replay: the root after tick %llu differs: recorded %016llx, computed %016llx\n",
              (unsigned long long)tick, (unsigned long long)claims.root, (unsigned long long)root);
    return false;
}

static int trim(const replay_file *file, const trim_options *options) {
    replay_walk walk;
    iso_status status = iso__replay_walk_make(&walk, &file->recording);
    if (status == ISO_OK) {
        status = iso__replay_walk_seek(&walk, options->from);
    }
    int code = status != ISO_OK ? REPLAY_EXIT_UNREADABLE : !check_start(&walk) ? REPLAY_EXIT_MISMATCH : REPLAY_EXIT_OK;
    if (code == REPLAY_EXIT_OK) {
        iso_recording_header header = file->recording.header;
        header.first_tick = options->from;
        replay_writer writer;
        replay_rewrite rewrite = {
            .recording = &file->recording, .writer = &writer, .from = options->from, .to = options->to};
        bool ok = iso__replay_writer_open(&writer, options->out, &header) &&
                  iso__replay_writer_state(&writer, walk.world.world, iso_world_root(walk.world.world)) &&
                  iso__replay_rewrite_run(&rewrite, "trim", false);
        ok = iso__replay_writer_close(&writer, ok) && ok;
        code = ok ? REPLAY_EXIT_OK : REPLAY_EXIT_UNREADABLE;
        if (ok) {
            iso_print(stdout, "%s: ticks %llu to %llu of %s, %llu bytes\n", options->out,
                      (unsigned long long)options->from, (unsigned long long)options->to, options->path,
                      (unsigned long long)writer.offset);
        }
    }
    iso__replay_walk_free(&walk);
    return code;
}

/// @return as iso__replay_options
static int parse_options(int argc, char **argv, trim_options *options) {
    const replay_option list[] = {
        {"--from", .number = &options->from, .max = REPLAY_TICK_MAX, .given = &options->has_from},
        {"--to", .number = &options->to, .max = REPLAY_TICK_MAX},
        {"--output", .letter = 'o', .text = &options->out},
        {"--salvage", .flag = &options->salvage},
        {"--force", .flag = &options->force},
        {0},
    };
    int first;
    int code = iso__replay_options(argc, argv, help, list, &first);
    code = code < 0 ? iso__replay_one(argc, argv, first, "FILE", "a recording") : code;
    if (code < 0 && options->out == NULL) {
        code = iso__replay_usage(argv, "-o OUT is missing: expected the name of the new recording");
    }
    options->path = argv[first];
    return code;
}

int iso__replay_trim(int argc, char **argv) {
    trim_options options = {.to = UINT64_MAX};
    int code = parse_options(argc, argv, &options);
    if (code >= 0) {
        return code;
    }
    replay_file file;
    if (iso__replay_file_open_mode(&file, options.path, options.salvage, false) != ISO_OK) {
        return REPLAY_EXIT_UNREADABLE;
    }
    const iso_recording *recording = &file.recording;
    options.from = options.has_from ? options.from : recording->header.first_tick;
    options.to = options.to != UINT64_MAX ? options.to : recording->last_tick;
    if (options.from > options.to && options.from <= recording->last_tick) {
        iso_print(stderr, "isostep-replay: --from %llu is above --to %llu\n", (unsigned long long)options.from,
                  (unsigned long long)options.to);
        code = REPLAY_EXIT_USAGE;
    } else if (options.from < recording->header.first_tick || options.to > recording->last_tick ||
               options.from > options.to) {
        iso_print(stderr, "isostep-replay: --from %llu --to %llu: the recording goes from tick %llu to %llu\n",
                  (unsigned long long)options.from, (unsigned long long)options.to,
                  (unsigned long long)recording->header.first_tick, (unsigned long long)recording->last_tick);
        code = REPLAY_EXIT_USAGE;
    } else if (!iso__replay_writer_check_recording(options.out, options.path, options.force)) {
        code = REPLAY_EXIT_USAGE;
    } else {
        code = trim(&file, &options);
    }
    iso__replay_file_close(&file);
    return code;
}
