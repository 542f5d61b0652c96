/// isostep-replay compare: the first difference of two recordings, or of a recording and its simulation.
///
/// compare/search.c finds it; here are the files, the memory and the words.
#include "compare.h"

#include <stdlib.h>

#include "options.h"

static const char help[] =
    "Usage: isostep-replay compare A [B] [--json]\n"
    "\n"
    "Compares two recordings over the ticks that both have, or a recording with its own simulation. Names the first\n"
    "tick that differs in an input, a root or a state; its commands; and section, record and field with both values.\n"
    "One of them may be a single state, as isostep-client --dump-state writes it after a desync.\n"
    "\n"
    "  --json   one object on standard output: result (equal, different, unreadable), ticks, seconds, speed,\n"
    "           last_tick, last_hash; after a difference first_bad_tick, offset and what differs\n"
    "Exit codes: 0 equal; 1 they differ; 2 usage; 3 a file is unreadable, corrupt or of another version.\n";

/// Both recordings in memory, with a world for each.
typedef struct comparison {
    replay_file files[2];
    replay_walk walks[2];
    compare_search search;
} comparison;

/// Reads the state that is asked for into the world of its side.
static iso_status bring_state(comparison *c) {
    compare_search *s = &c->search;
    replay_world *world = s->asking == &s->a ? &c->walks[0].world : &c->walks[1].world;
    iso_status status = iso__replay_world_read(world, s->wanted_of, &s->wanted);
    status = status == ISO_OK ? iso__compare_give(s, world->snapshot) : status;
    if (status != ISO_OK) {
        iso__replay_walk_say(&s->wanted, status);
    }
    return status;
}

/// Says why a tick cannot be simulated. @return the status of the whole
static iso_status say_failure(const compare_search *s) {
    if (s->status == ISO_ERR_TRUNCATED) {
        return s->status; // no tick is left
    }
    iso_print(stderr, "isostep-replay: tick %llu at offset %llu: %s\n", (unsigned long long)s->failed->tick.input.tick,
              (unsigned long long)s->failed->tick_offset, iso_status_text(s->status));
    return s->status;
}

static iso_status compare(comparison *c, bool json) {
    compare_search *s = &c->search;
    replay_progress progress;
    iso__compare_begin(s);
    iso__replay_progress_begin(&progress, "compare", s->result.last_tick - s->result.first_tick,
                               s->a.recording->header.def.tick_rate_hz, json || !s->result.is_common);
    for (;;) {
        switch (iso__compare_next(s)) {
        case COMPARE_GOES_ON:
            iso__replay_progress_update(&progress, s->done);
            continue;
        case COMPARE_NEEDS_STATE: {
            const iso_status status = bring_state(c);
            if (status != ISO_OK) {
                return status;
            }
            continue;
        }
        case COMPARE_FAILED:
            return say_failure(s);
        case COMPARE_DONE:
            iso__replay_progress_end(&progress);
            return ISO_OK;
        }
    }
}

static iso_status side_make(compare_side *side, replay_walk *walk) {
    iso_status status = iso__replay_walk_make(walk, side->recording);
    if (status != ISO_OK && !side->is_simulated) {
        iso_print(stderr, "isostep-replay: %s cannot be simulated by this build\n", side->path);
    }
    side->world = walk->world.world;
    side->buffer = walk->buffer;
    return status == ISO_OK && !side->is_simulated ? iso__replay_keyframes_make(&side->keyframes, side->recording)
                                                   : status;
}

/// @return the exit code
static int run(comparison *c, compare_report *report, bool json) {
    compare_search *s = &c->search;
    iso_status status = side_make(&s->a, &c->walks[0]);
    status = status == ISO_OK ? side_make(&s->b, &c->walks[1]) : status;
    s->result.diffs = calloc(COMPARE_DIFFS_MAX, sizeof *s->result.diffs);
    status = s->result.diffs != NULL ? status : ISO_ERR_MEMORY;
    const double started = iso__replay_clock();
    status = status == ISO_OK ? compare(c, json) : status;
    s->result.seconds = iso__replay_clock() - started;
    if (status == ISO_OK && json) {
        iso__replay_compare_report_json(&s->a, &s->b, &s->result);
    } else if (status == ISO_OK) {
        report(&s->a, &s->b, &s->result);
    } else if (json) {
        printf("{\"result\":\"unreadable\",\"status\":\"%s\"}\n", iso_status_name(status));
    }
    free(s->result.diffs);
    if (status != ISO_OK) {
        return REPLAY_EXIT_UNREADABLE;
    }
    return s->result.is_different || !s->result.is_common ? REPLAY_EXIT_MISMATCH : REPLAY_EXIT_OK;
}

int iso__replay_compare_files(const char *path_a, const char *path_b, compare_report *report, bool json) {
    const bool simulated = path_b == NULL;
    comparison c = {
        .search = {.a = {.label = "A", .path = path_a},
                   .b = {.label = simulated ? "simulated" : "B", .path = path_b, .is_simulated = simulated}}};
    compare_search *s = &c.search;
    if (iso__replay_file_open(&c.files[0], path_a, json) != ISO_OK) {
        return REPLAY_EXIT_UNREADABLE;
    }
    if (!simulated && iso__replay_file_open(&c.files[1], path_b, json) != ISO_OK) {
        iso__replay_file_close(&c.files[0]);
        return REPLAY_EXIT_UNREADABLE;
    }
    s->a.recording = &c.files[0].recording;
    s->b.recording = simulated ? s->a.recording : &c.files[1].recording;
    const int code = run(&c, report, json);
    for (int i = 0; i < 2; ++i) {
        iso__replay_walk_free(&c.walks[i]);
        iso__replay_keyframes_free(i == 0 ? &s->a.keyframes : &s->b.keyframes);
    }
    iso__replay_file_close(&c.files[0]);
    if (!simulated) {
        iso__replay_file_close(&c.files[1]);
    }
    return code;
}

int iso__replay_compare(int argc, char **argv) {
    bool json = false;
    int first;
    const int code =
        iso__replay_options(argc, argv, help, (const replay_option[]){{"--json", .flag = &json}, {0}}, &first);
    if (code >= 0) {
        return code;
    }
    const int count = argc - first;
    if (count != 1 && count != 2) {
        return iso__replay_usage(argv, count == 0 ? "A is missing: expected one recording or two"
                                                  : "expected no more than two recordings");
    }
    return iso__replay_compare_files(argv[first], count == 2 ? argv[first + 1] : NULL, iso__replay_compare_report_text,
                                     json);
}
