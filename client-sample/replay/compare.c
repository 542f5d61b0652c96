/// isostep-replay compare: the first difference of two recordings, or of a recording and its simulation.
///
/// First only the files are compared: roots that both have, inputs, and whether each keyframe has the recorded root of
/// its tick. That gives the first suspect tick, without a step. Then both worlds are restored to the last tick that is
/// known to be equal and stepped side by side, each with its own keyframes, until their states differ. A recording
/// contains inputs and keyframes, so a state that does not follow from its inputs, such as a flipped bit, enters with a
/// keyframe.
#include "compare.h"

#include <stdlib.h>
#include <string.h>

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

typedef struct comparison {
    compare_side a;
    compare_side b;
    compare_result result;
    uint64_t suspect;    // the first tick at which the files differ; UINT64_MAX: none
    uint64_t input_tick; // whose inputs differ; UINT64_MAX: none is known
    uint64_t equal_tick; // at most suspect: both files have its root, and these are equal; or the first tick
    replay_progress progress;
} comparison;

static void suspect(comparison *c, uint64_t tick) {
    c->suspect = tick < c->suspect ? tick : c->suspect;
}

/// Compares roots that both files have.
static void scan_roots(comparison *c) {
    replay_claims a, b;
    iso__replay_claims_begin(&a, c->a.recording);
    iso__replay_claims_begin(&b, c->b.recording);
    while (a.is_found && b.is_found && a.tick <= c->result.last_tick && b.tick <= c->result.last_tick) {
        if (a.tick == b.tick && a.tick >= c->result.first_tick && a.root != b.root) {
            suspect(c, a.tick);
            return;
        }
        const uint64_t tick = a.tick < b.tick ? a.tick : b.tick;
        if (a.tick == tick) {
            iso__replay_claims_next(&a);
        }
        if (b.is_found && b.tick == tick) {
            iso__replay_claims_next(&b);
        }
    }
}

/// The last tick before the suspect one of which both have the same root.
static void find_equal(comparison *c) {
    c->equal_tick = c->result.first_tick;
    replay_claims a, b;
    iso__replay_claims_begin(&a, c->a.recording);
    iso__replay_claims_begin(&b, c->b.recording);
    while (a.is_found && b.is_found && a.tick < c->suspect && b.tick < c->suspect) {
        if (a.tick == b.tick && a.tick >= c->result.first_tick) {
            c->equal_tick = a.tick;
        }
        if (a.tick <= b.tick) {
            iso__replay_claims_next(&a);
        } else {
            iso__replay_claims_next(&b);
        }
    }
}

/// The inputs of all ticks before the suspect one, and of it.
static iso_status scan_inputs(comparison *c) {
    compare_side *const sides[2] = {&c->a, &c->b};
    uint64_t cursors[2], offsets[2];
    iso_recording_tick ticks[2];
    for (int i = 0; i < 2; ++i) {
        iso_recording_keyframe keyframe;
        iso_recording_find_keyframe(sides[i]->recording, c->result.first_tick, &keyframe);
        cursors[i] = keyframe.ticks_offset;
    }
    for (;;) {
        for (int i = 0; i < 2; ++i) {
            iso_status status;
            do {
                if (!iso__replay_next_tick(sides[i]->recording, &cursors[i], sides[i]->walk.buffer, &ticks[i],
                                           &offsets[i], &status)) {
                    return status;
                }
            } while (ticks[i].input.tick <= c->result.first_tick);
        }
        const uint64_t tick = ticks[0].input.tick;
        if (tick > c->result.last_tick || tick > c->suspect) {
            return ISO_OK;
        }
        if (!iso__replay_compare_inputs(&ticks[0].input, &ticks[1].input, &c->result)) {
            suspect(c, tick);
            c->input_tick = tick;
            c->a.offset = offsets[0];
            c->b.offset = offsets[1];
            return ISO_OK;
        }
    }
}

/// Whether the states in one file's keyframes have the recorded roots of their ticks.
static iso_status scan_keyframes(comparison *c, compare_side *side) {
    replay_claims claims;
    iso__replay_claims_begin(&claims, side->recording);
    for (uint32_t i = 0; i < side->keyframes.count; ++i) {
        const iso_recording_keyframe *keyframe = &side->keyframes.list[i];
        if (keyframe->tick < c->result.first_tick) {
            continue;
        }
        if (keyframe->tick > c->result.last_tick || keyframe->tick > c->suspect) {
            break;
        }
        const iso_status status = iso__replay_walk_load(&side->walk, keyframe);
        if (status != ISO_OK) {
            return status;
        }
        const uint64_t root = iso_world_root(side->walk.world.world);
        while (claims.is_found && claims.tick < keyframe->tick) {
            iso__replay_claims_next(&claims);
        }
        if (root != keyframe->root || (claims.is_found && claims.tick == keyframe->tick && claims.root != root)) {
            suspect(c, keyframe->tick);
        }
    }
    return ISO_OK;
}

/// Steps one side. A recording's own keyframe replaces the state that its inputs give.
static iso_status step(compare_side *side) {
    iso_status status = iso__replay_walk_step(&side->walk);
    const iso_recording_keyframe *keyframe =
        side->is_simulated ? NULL : iso__replay_keyframes_find(&side->keyframes, replay_walk_tick(&side->walk));
    if (status == ISO_OK && keyframe != NULL) {
        status = iso__replay_walk_load(&side->walk, keyframe);
    }
    return status;
}

/// Whether the states of both are the same now; if not, their differences are collected.
static bool states_are_equal(comparison *c) {
    iso_world *a = c->a.walk.world.world, *b = c->b.walk.world.world;
    if (iso_world_root(a) == iso_world_root(b)) {
        return true;
    }
    c->result.state_tick = replay_walk_tick(&c->a.walk);
    c->result.diff_count = iso_world_diff(a, b, c->result.diffs, COMPARE_DIFFS_MAX);
    return false;
}

static bool passed_keyframe(const compare_side *side, uint64_t tick, uint64_t now) {
    if (side->is_simulated) {
        return true;
    }
    for (uint32_t i = 0; i < side->keyframes.count; ++i) {
        if (side->keyframes.list[i].tick > tick) {
            return side->keyframes.list[i].tick <= now;
        }
    }
    return false;
}

/// From tick `from`, where both have a state, to the first tick whose states differ. Where roots or inputs differ and
/// states do not, it continues until the next keyframe of each, since only keyframes contain recorded states.
static iso_status walk_to_difference(comparison *c, uint64_t from) {
    compare_result *result = &c->result;
    iso_status status = iso__replay_walk_seek(&c->a.walk, from);
    if (status == ISO_OK && !(c->b.is_simulated && replay_walk_tick(&c->b.walk) == from)) {
        status = iso__replay_walk_seek(&c->b.walk, from);
    }
    for (uint64_t now = from; status == ISO_OK; ++now) {
        iso__replay_progress_update(&c->progress, now - result->first_tick);
        if (!states_are_equal(c)) {
            result->is_different = true;
            result->tick = now < c->suspect ? now : c->suspect;
            return ISO_OK;
        }
        const bool seen =
            now > c->suspect && passed_keyframe(&c->a, c->suspect, now) && passed_keyframe(&c->b, c->suspect, now);
        if (now == result->last_tick || seen) {
            break;
        }
        status = step(&c->a);
        status = status == ISO_OK ? step(&c->b) : status;
    }
    result->is_different = c->suspect != UINT64_MAX;
    result->tick = c->suspect;
    return status;
}

/// The simulation of A from its first keyframe, up to the first tick of which A has another root or state.
static iso_status scan_simulation(comparison *c) {
    replay_claims claims;
    iso__replay_claims_begin(&claims, c->a.recording);
    iso_status status = iso__replay_walk_load(&c->b.walk, &c->a.keyframes.list[0]);
    for (uint64_t now = c->result.first_tick; status == ISO_OK; ++now) {
        iso__replay_progress_update(&c->progress, now - c->result.first_tick);
        iso_world *world = c->b.walk.world.world;
        if (claims.is_found && claims.tick == now) {
            if (claims.root != iso_world_root(world)) {
                suspect(c, now);
            }
            iso__replay_claims_next(&claims);
        }
        const iso_recording_keyframe *keyframe = iso__replay_keyframes_find(&c->a.keyframes, now);
        if (keyframe != NULL) {
            status = iso__replay_world_compare(&c->b.walk.world, c->a.recording, keyframe);
            if (status == ISO_ERR_DESYNC || (status == ISO_OK && keyframe->root != iso_world_root(world))) {
                suspect(c, now);
                status = ISO_OK;
            }
        }
        c->b.has_root = c->suspect == now;
        c->b.root = iso_world_root(world);
        if (status != ISO_OK || c->b.has_root || now == c->result.last_tick) {
            break;
        }
        status = iso__replay_walk_step(&c->b.walk);
    }
    c->equal_tick = c->suspect;
    return status;
}

static iso_status scan_files(comparison *c) {
    scan_roots(c);
    iso_status status = scan_inputs(c);
    if (status == ISO_OK) {
        status = scan_keyframes(c, &c->a);
    }
    if (status == ISO_OK) {
        status = scan_keyframes(c, &c->b);
    }
    find_equal(c);
    return status;
}

/// The root in the file at the first difference, and its offset; otherwise that of the state.
static void find_root(compare_side *side, uint64_t tick) {
    if (side->is_simulated) {
        return;
    }
    replay_claims claims;
    iso__replay_claims_begin(&claims, side->recording);
    while (claims.is_found && claims.tick < tick) {
        iso__replay_claims_next(&claims);
    }
    const iso_recording_keyframe *keyframe = iso__replay_keyframes_find(&side->keyframes, tick);
    const bool claimed = claims.is_found && claims.tick == tick;
    side->has_root = claimed || keyframe != NULL || replay_walk_tick(&side->walk) == tick;
    side->root = claimed ? claims.root : keyframe != NULL ? keyframe->root : iso_world_root(side->walk.world.world);
    if (side->offset == 0) {
        side->offset = claimed ? claims.offset : keyframe != NULL ? keyframe->offset : side->walk.offset;
    }
}

/// Whether the simulation does not give the recorded root of this tick.
static bool has_strayed(const compare_side *side) {
    return !side->is_simulated && side->has_root && iso_world_root(side->walk.world.world) != side->root;
}

/// Collects the report of the first difference.
static void describe(comparison *c) {
    compare_result *result = &c->result;
    if (result->tick != c->input_tick) {
        result->input_count = 0;
        c->a.offset = 0;
        c->b.offset = 0;
    }
    find_root(&c->a, result->tick);
    find_root(&c->b, result->tick);
    result->roots_differ = c->a.has_root && c->b.has_root && c->a.root != c->b.root;
    c->a.has_strayed = result->is_one_state && has_strayed(&c->a);
    c->b.has_strayed = result->is_one_state && has_strayed(&c->b);
    result->equal_ticks = result->tick > result->first_tick ? result->tick - 1 - result->first_tick : 0;
}

static iso_status compare(comparison *c, bool json) {
    compare_result *result = &c->result;
    const iso_recording *a = c->a.recording, *b = c->b.recording;
    result->first_tick = a->header.first_tick > b->header.first_tick ? a->header.first_tick : b->header.first_tick;
    result->last_tick = a->last_tick < b->last_tick ? a->last_tick : b->last_tick;
    result->is_common = result->first_tick <= result->last_tick;
    result->is_one_state = result->first_tick == result->last_tick && (a->tick_count == 0 || b->tick_count == 0);
    iso__replay_compare_headers(&a->header, &b->header, result);
    if (!result->is_common) {
        return ISO_OK;
    }
    const uint64_t total = result->last_tick - result->first_tick;
    iso__replay_progress_begin(&c->progress, "compare", total, a->header.def.tick_rate_hz, json);
    c->suspect = UINT64_MAX;
    c->input_tick = UINT64_MAX;
    iso_status status = c->b.is_simulated ? scan_simulation(c) : scan_files(c);
    if (status == ISO_OK && (c->suspect != UINT64_MAX || !c->b.is_simulated)) {
        // Two files without a difference are compared at least in their first common state.
        const bool quiet = c->suspect == UINT64_MAX;
        const uint64_t last = result->last_tick;
        result->last_tick = quiet ? result->first_tick : last;
        status = walk_to_difference(c, quiet ? result->first_tick : c->equal_tick);
        result->last_tick = last;
    }
    iso__replay_progress_end(&c->progress);
    if (status == ISO_OK && result->is_different) {
        describe(c);
    } else if (status == ISO_OK) {
        result->equal_ticks = total;
        result->has_last_root = a->has_root && a->root_tick == result->last_tick;
        result->last_root = a->root;
    }
    return status;
}

static iso_status side_make(compare_side *side) {
    const iso_status status = iso__replay_walk_make(&side->walk, side->recording);
    if (status != ISO_OK && !side->is_simulated) {
        iso_print(stderr, "isostep-replay: %s cannot be simulated by this build\n", side->file.path);
    }
    return status == ISO_OK && !side->is_simulated ? iso__replay_keyframes_make(&side->keyframes, side->recording)
                                                   : status;
}

static void side_free(compare_side *side) {
    iso__replay_walk_free(&side->walk);
    iso__replay_keyframes_free(&side->keyframes);
    if (!side->is_simulated) {
        iso__replay_file_close(&side->file);
    }
}

/// @return the exit code
static int run(comparison *c, compare_report *report, bool json) {
    iso_status status = side_make(&c->a);
    status = status == ISO_OK ? side_make(&c->b) : status;
    c->result.diffs = calloc(COMPARE_DIFFS_MAX, sizeof *c->result.diffs);
    status = c->result.diffs != NULL ? status : ISO_ERR_MEMORY;
    const double started = iso__replay_clock();
    status = status == ISO_OK ? compare(c, json) : status;
    c->result.seconds = iso__replay_clock() - started;
    if (status == ISO_OK && json) {
        iso__replay_compare_report_json(&c->a, &c->b, &c->result);
    } else if (status == ISO_OK) {
        report(&c->a, &c->b, &c->result);
    } else if (json) {
        printf("{\"result\":\"unreadable\",\"status\":\"%s\"}\n", iso_status_name(status));
    }
    free(c->result.diffs);
    if (status != ISO_OK) {
        return REPLAY_EXIT_UNREADABLE;
    }
    return c->result.is_different || !c->result.is_common ? REPLAY_EXIT_MISMATCH : REPLAY_EXIT_OK;
}

int iso__replay_compare_files(const char *path_a, const char *path_b, compare_report *report, bool json) {
    const bool simulated = path_b == NULL;
    comparison c = {.a = {.label = "A"}, .b = {.label = simulated ? "simulated" : "B", .is_simulated = simulated}};
    if (iso__replay_file_open(&c.a.file, path_a, json) != ISO_OK) {
        return REPLAY_EXIT_UNREADABLE;
    }
    if (!simulated && iso__replay_file_open(&c.b.file, path_b, json) != ISO_OK) {
        iso__replay_file_close(&c.a.file);
        return REPLAY_EXIT_UNREADABLE;
    }
    c.a.recording = &c.a.file.recording;
    c.b.recording = simulated ? c.a.recording : &c.b.file.recording;
    const int code = run(&c, report, json);
    side_free(&c.a);
    side_free(&c.b);
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
