/// See body_wake.h.
#include "space/world/body_wake.h"

#include "math/fixed_ops.h"
#include "space/world/shape.h"
#include "step/waking.h"

void iso__space_body_refresh_awake(iso_world *world, uint32_t body) {
    const iso__space_body *record = &iso__space_of(world)->bodies[body];
    iso__awake_note(world, body, record->type, (record->flags & ISO__SPACE_BODY_ASLEEP) != 0);
}

bool iso__space_body_is_asleep(const iso_world *world, uint32_t body) {
    return (iso__space_of_const(world)->bodies[body].flags & ISO__SPACE_BODY_ASLEEP) != 0;
}

bool iso__space_body_is_dynamic(const iso_world *world, uint32_t body) {
    return iso__space_of_const(world)->bodies[body].type == ISO_BODY_DYNAMIC;
}

void iso__space_body_wake(iso_world *world, uint32_t body) {
    iso__space_body *record = &iso__space_of(world)->bodies[body];
    const bool is_asleep = (record->flags & ISO__SPACE_BODY_ASLEEP) != 0;
    world->wakes_islands = world->wakes_islands || is_asleep || record->type != ISO_BODY_DYNAMIC;
    if (is_asleep) {
        record->flags &= (uint8_t)~ISO__SPACE_BODY_ASLEEP;
        iso__space_body_refresh_awake(world, body);
        iso__bit_set(world->woken, body);
    }
    if (is_asleep || record->quiet_ticks != 0) {
        iso__space_body_restart_quiet(record);
        iso__mark_dirty(world, ISO_SECTION_BODIES, body);
    }
}

static bool body_is_near(const iso__space *space, uint32_t body, uint32_t sleeper) {
    const int64_t reach = iso__shl64((int64_t)space->body_derived[body].extent + space->body_derived[sleeper].extent,
                                     ISO__WIDE_FRACTION - ISO__LENGTH_FRACTION) +
                          iso_wide_from_fix16(space->world.def.speculative_distance);
    bool is_near = true;
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t apart = space->bodies[sleeper].position[axis] - space->bodies[body].position[axis];
        is_near = is_near && iso__abs_u64(apart) <= (uint64_t)reach;
    }
    return is_near;
}

void iso__space_body_wake_near(iso__space *space, uint32_t body) {
    iso_world *world = &space->world;
    if (world->asleep_count == 0 || space->bodies[body].type == ISO_BODY_DYNAMIC) {
        return;
    }
    const bool has_ground = iso__space_body_has_ground(space, body);
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        for (uint64_t bits = world->asleep[w]; bits != 0; bits &= bits - 1) {
            const uint32_t sleeper = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (has_ground || body_is_near(space, body, sleeper)) {
                iso__space_body_wake(world, sleeper);
            }
        }
    }
}
