/// The first difference of two recordings, piece by piece. See compare/search.h.
#include "compare/search.h"

enum {
    PHASE_FILES,      // roots
    PHASE_INPUTS,     // of one tick after the other
    PHASE_KEYFRAMES,  // of one side, then of the other
    PHASE_SIMULATION, // instead of all that, when B is simulated
    PHASE_SEEK,       // to the last tick that is equal
    PHASE_WALK,       // to the first one that is not
    PHASE_DONE,
    PHASE_FAILED,
};

static void suspect(compare_search *s, uint64_t tick) {
    s->suspect = tick < s->suspect ? tick : s->suspect;
}

static compare_step ask(compare_search *s, compare_side *side, const iso_recording *of,
                        const iso_recording_keyframe *keyframe) {
    s->wanted = *keyframe;
    s->wanted_of = of;
    s->asking = side;
    return COMPARE_NEEDS_STATE;
}

static compare_step fail(compare_search *s, const compare_side *side, iso_status status) {
    s->status = status;
    s->failed = side;
    s->phase = PHASE_FAILED;
    return COMPARE_FAILED;
}

static compare_side *side_at_hand(compare_search *s) {
    return s->side == 0 ? &s->a : &s->b;
}

/// The next tick of one side. @return ISO_OK; TRUNCATED: there is none; what is wrong with it
static iso_status advance(compare_side *side) {
    iso_status status;
    if (!iso__replay_next_tick(side->recording, &side->cursor, side->buffer, &side->tick, &side->tick_offset,
                               &status)) {
        return status == ISO_OK ? ISO_ERR_TRUNCATED : status;
    }
    return iso_world_step(side->world, &side->tick.input);
}

// ---- the files ------------------------------------------------------------------------------------

/// Compares roots that both files have.
static void scan_roots(compare_search *s) {
    replay_claims a, b;
    iso__replay_claims_begin(&a, s->a.recording);
    iso__replay_claims_begin(&b, s->b.recording);
    while (a.is_found && b.is_found && a.tick <= s->result.last_tick && b.tick <= s->result.last_tick) {
        if (a.tick == b.tick && a.tick >= s->result.first_tick && a.root != b.root) {
            suspect(s, a.tick);
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
static void find_equal(compare_search *s) {
    s->equal_tick = s->result.first_tick;
    replay_claims a, b;
    iso__replay_claims_begin(&a, s->a.recording);
    iso__replay_claims_begin(&b, s->b.recording);
    while (a.is_found && b.is_found && a.tick < s->suspect && b.tick < s->suspect) {
        if (a.tick == b.tick && a.tick >= s->result.first_tick) {
            s->equal_tick = a.tick;
        }
        if (a.tick <= b.tick) {
            iso__replay_claims_next(&a);
        } else {
            iso__replay_claims_next(&b);
        }
    }
}

static compare_step next_files(compare_search *s) {
    scan_roots(s);
    for (int i = 0; i < 2; ++i) {
        iso_recording_keyframe keyframe;
        iso_recording_find_keyframe((i == 0 ? &s->a : &s->b)->recording, s->result.first_tick, &keyframe);
        s->cursors[i] = keyframe.ticks_offset;
    }
    s->phase = PHASE_INPUTS;
    return COMPARE_GOES_ON;
}

static void begin_keyframes(compare_search *s, uint8_t side) {
    s->phase = PHASE_KEYFRAMES;
    s->side = side;
    s->keyframe = 0;
    iso__replay_claims_begin(&s->claims, side_at_hand(s)->recording);
}

/// The inputs of one tick before the suspect one, or of it.
static compare_step next_inputs(compare_search *s) {
    compare_side *const sides[2] = {&s->a, &s->b};
    uint64_t offsets[2];
    iso_recording_tick ticks[2];
    for (int i = 0; i < 2; ++i) {
        do {
            iso_status status;
            if (!iso__replay_next_tick(sides[i]->recording, &s->cursors[i], sides[i]->buffer, &ticks[i], &offsets[i],
                                       &status)) {
                begin_keyframes(s, 0);
                return status == ISO_OK ? COMPARE_GOES_ON : fail(s, sides[i], status);
            }
        } while (ticks[i].input.tick <= s->result.first_tick);
    }
    const uint64_t tick = ticks[0].input.tick;
    if (tick > s->result.last_tick || tick > s->suspect) {
        begin_keyframes(s, 0);
    } else if (!iso__replay_compare_inputs(&ticks[0].input, &ticks[1].input, &s->result)) {
        suspect(s, tick);
        s->input_tick = tick;
        s->a.offset = offsets[0];
        s->b.offset = offsets[1];
        begin_keyframes(s, 0);
    }
    return COMPARE_GOES_ON;
}

/// Whether the state in a keyframe, which is the side's world now, has the recorded root of its tick.
static void check_keyframe(compare_search *s, const compare_side *side, const iso_recording_keyframe *keyframe) {
    const uint64_t root = iso_world_root(side->world);
    while (s->claims.is_found && s->claims.tick < keyframe->tick) {
        iso__replay_claims_next(&s->claims);
    }
    if (root != keyframe->root || (s->claims.is_found && s->claims.tick == keyframe->tick && s->claims.root != root)) {
        suspect(s, keyframe->tick);
    }
}

static compare_step begin_seek(compare_search *s, uint64_t from, uint64_t end) {
    s->phase = PHASE_SEEK;
    s->side = 0;
    s->now = from;
    s->end = end;
    return COMPARE_GOES_ON;
}

static compare_step next_keyframe(compare_search *s) {
    compare_side *side = side_at_hand(s);
    const replay_keyframes *all = &side->keyframes;
    if (s->has_asked) {
        s->has_asked = false;
        check_keyframe(s, side, &all->list[s->keyframe++]);
    }
    while (s->keyframe < all->count && all->list[s->keyframe].tick < s->result.first_tick) {
        ++s->keyframe;
    }
    if (s->keyframe < all->count && all->list[s->keyframe].tick <= s->result.last_tick &&
        all->list[s->keyframe].tick <= s->suspect) {
        return ask(s, side, side->recording, &all->list[s->keyframe]);
    }
    if (s->side == 0) {
        begin_keyframes(s, 1);
        return COMPARE_GOES_ON;
    }
    find_equal(s);
    // Two files without a difference are compared at least in their first common state.
    const compare_result *result = &s->result;
    return s->suspect == UINT64_MAX ? begin_seek(s, result->first_tick, result->first_tick)
                                    : begin_seek(s, s->equal_tick, result->last_tick);
}

// ---- the end --------------------------------------------------------------------------------------

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
    side->has_root = claimed || keyframe != NULL || iso_world_get_tick(side->world) == tick;
    side->root = claimed ? claims.root : keyframe != NULL ? keyframe->root : iso_world_root(side->world);
    if (side->offset == 0) {
        side->offset = claimed ? claims.offset : keyframe != NULL ? keyframe->offset : side->tick_offset;
    }
}

/// Whether the simulation does not give the recorded root of this tick.
static bool has_strayed(const compare_side *side) {
    return !side->is_simulated && side->has_root && iso_world_root(side->world) != side->root;
}

/// Collects the report of the first difference.
static void describe(compare_search *s) {
    compare_result *result = &s->result;
    if (result->tick != s->input_tick) {
        result->input_count = 0;
        s->a.offset = 0;
        s->b.offset = 0;
    }
    find_root(&s->a, result->tick);
    find_root(&s->b, result->tick);
    result->roots_differ = s->a.has_root && s->b.has_root && s->a.root != s->b.root;
    s->a.has_strayed = result->is_one_state && has_strayed(&s->a);
    s->b.has_strayed = result->is_one_state && has_strayed(&s->b);
    result->equal_ticks = result->tick > result->first_tick ? result->tick - 1 - result->first_tick : 0;
}

static compare_step finish(compare_search *s) {
    compare_result *result = &s->result;
    const iso_recording *a = s->a.recording;
    if (result->is_different) {
        describe(s);
    } else {
        result->equal_ticks = result->last_tick - result->first_tick;
        result->has_last_root = a->has_root && a->root_tick == result->last_tick;
        result->last_root = a->root;
    }
    s->phase = PHASE_DONE;
    return COMPARE_DONE;
}

// ---- the states -----------------------------------------------------------------------------------

/// The simulation of A from its first keyframe, up to the first tick of which A has another root or state.
static compare_step next_simulated(compare_search *s) {
    compare_side *const b = &s->b;
    const iso_recording_keyframe *keyframe = iso__replay_keyframes_find(&s->a.keyframes, s->now);
    if (!s->has_started && !s->has_asked) {
        iso__replay_claims_begin(&s->claims, s->a.recording);
        return ask(s, b, s->a.recording, &s->a.keyframes.list[0]);
    }
    const uint64_t root = iso_world_root(b->world);
    if (!s->has_started || !s->has_asked) {
        s->has_started = true;
        s->has_asked = false;
        if (s->claims.is_found && s->claims.tick == s->now) {
            if (s->claims.root != root) {
                suspect(s, s->now);
            }
            iso__replay_claims_next(&s->claims);
        }
        if (keyframe != NULL) {
            return ask(s, &s->a, s->a.recording, keyframe); // the world of A is not used yet
        }
    } else {
        s->has_asked = false;
        if (iso_world_root(s->a.world) != root || keyframe->root != root) {
            suspect(s, s->now);
        }
    }
    b->has_root = s->suspect == s->now;
    b->root = root;
    if (b->has_root) {
        return begin_seek(s, s->suspect, s->result.last_tick);
    }
    if (s->now == s->result.last_tick) {
        return finish(s);
    }
    const iso_status status = advance(b);
    ++s->now;
    s->done = s->now - s->result.first_tick;
    return status == ISO_OK ? COMPARE_GOES_ON : fail(s, b, status);
}

/// One side after the other to a tick, from the last keyframe at or before it.
static compare_step next_seek(compare_search *s) {
    compare_side *side = side_at_hand(s);
    if (s->has_asked) {
        s->has_asked = false;
        s->is_placed = true;
    }
    if (!s->is_placed) {
        iso_recording_keyframe keyframe;
        iso_recording_find_keyframe(side->recording, s->now, &keyframe);
        return ask(s, side, side->recording, &keyframe);
    }
    if (iso_world_get_tick(side->world) < s->now) {
        const iso_status status = advance(side);
        return status == ISO_OK ? COMPARE_GOES_ON : fail(s, side, status);
    }
    s->is_placed = false;
    ++s->side;
    if (s->side == 1 && s->b.is_simulated && iso_world_get_tick(s->b.world) == s->now) {
        ++s->side; // it is where the simulation has come to
    }
    s->phase = s->side == 2 ? PHASE_WALK : PHASE_SEEK;
    return COMPARE_GOES_ON;
}

/// Whether the states of both are the same now; if not, their differences are collected.
static bool states_are_equal(compare_search *s) {
    if (iso_world_root(s->a.world) == iso_world_root(s->b.world)) {
        return true;
    }
    s->result.state_tick = iso_world_get_tick(s->a.world);
    s->result.diff_count = iso_world_diff(s->a.world, s->b.world, s->result.diffs, COMPARE_DIFFS_MAX);
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

/// Compares the states of a tick. Where roots or inputs differ and states do not, it continues until the next keyframe
/// of each, since only keyframes contain recorded states.
static compare_step compare_states(compare_search *s) {
    compare_result *result = &s->result;
    s->done = s->now - result->first_tick;
    if (!states_are_equal(s)) {
        result->is_different = true;
        result->tick = s->now < s->suspect ? s->now : s->suspect;
        return finish(s);
    }
    const bool seen =
        s->now > s->suspect && passed_keyframe(&s->a, s->suspect, s->now) && passed_keyframe(&s->b, s->suspect, s->now);
    if (s->now == s->end || seen) {
        result->is_different = s->suspect != UINT64_MAX;
        result->tick = s->suspect;
        return finish(s);
    }
    s->side = 0;
    return COMPARE_GOES_ON;
}

/// Steps one side after the other, then compares. A recording's own keyframe replaces the state that its inputs give.
static compare_step next_walk(compare_search *s) {
    if (s->side == 2) {
        return compare_states(s);
    }
    compare_side *side = side_at_hand(s);
    if (!s->has_asked) {
        const iso_status status = advance(side);
        if (status != ISO_OK) {
            return fail(s, side, status);
        }
        const iso_recording_keyframe *keyframe =
            side->is_simulated ? NULL : iso__replay_keyframes_find(&side->keyframes, s->now + 1);
        if (keyframe != NULL) {
            return ask(s, side, side->recording, keyframe);
        }
    }
    s->has_asked = false;
    ++s->side;
    s->now += s->side == 2;
    return COMPARE_GOES_ON;
}

void iso__compare_begin(compare_search *s) {
    compare_result *result = &s->result;
    const iso_recording *a = s->a.recording, *b = s->b.recording;
    result->first_tick = a->header.first_tick > b->header.first_tick ? a->header.first_tick : b->header.first_tick;
    result->last_tick = a->last_tick < b->last_tick ? a->last_tick : b->last_tick;
    result->is_common = result->first_tick <= result->last_tick;
    result->is_one_state = result->first_tick == result->last_tick && (a->tick_count == 0 || b->tick_count == 0);
    iso__replay_compare_headers(&a->header, &b->header, result);
    s->suspect = UINT64_MAX;
    s->input_tick = UINT64_MAX;
    s->now = result->first_tick;
    s->phase = !result->is_common ? PHASE_DONE : s->b.is_simulated ? PHASE_SIMULATION : PHASE_FILES;
}

compare_step iso__compare_next(compare_search *s) {
    switch (s->phase) {
    case PHASE_FILES:
        return next_files(s);
    case PHASE_INPUTS:
        return next_inputs(s);
    case PHASE_KEYFRAMES:
        return next_keyframe(s);
    case PHASE_SIMULATION:
        return next_simulated(s);
    case PHASE_SEEK:
        return next_seek(s);
    case PHASE_WALK:
        return next_walk(s);
    case PHASE_DONE:
        return COMPARE_DONE;
    default:
        return COMPARE_FAILED;
    }
}

iso_status iso__compare_give(compare_search *s, const uint8_t *state) {
    compare_side *side = s->asking;
    iso_status status = iso_snapshot_decode(side->world, state, s->wanted.raw_size);
    if (status == ISO_OK && iso_world_get_tick(side->world) != s->wanted.tick) {
        status = ISO_ERR_CORRUPT;
    }
    side->cursor = s->wanted.ticks_offset;
    s->has_asked = true;
    if (status != ISO_OK) {
        (void)fail(s, side, status);
    }
    return status;
}
