/// See moving.h.
#include "space/dynamics/moving.h"

#include "base/assert.h"
#include "step/moving.h"

bool iso__space_body_moves(const iso__space *space, uint32_t body) {
    ISO_ASSERT(body < space->world.def.body_capacity);
    const iso__space_body *record = &space->bodies[body];
    int64_t any = record->type == ISO_BODY_DYNAMIC;
    for (int axis = 0; axis < 3; ++axis) {
        any |= record->velocity[axis] | record->momentum[axis];
    }
    return any != 0 && (record->flags & ISO__SPACE_BODY_ASLEEP) == 0;
}

static bool moving_kinematic(const iso_world *world, uint32_t body) {
    return iso__space_body_moves(iso__space_of_const(world), body);
}

void iso__space_step_find_moving(iso__space *space) {
    iso__step_find_moving(&space->world, moving_kinematic, space->scratch->moving_bits);
}
