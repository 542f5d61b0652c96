/// See moving.h.
#include "space/dynamics/moving.h"

bool iso__space_body_moves(const iso__space *space, uint32_t body) {
    const iso__space_body *record = &space->bodies[body];
    int64_t any = record->type == ISO_BODY_DYNAMIC;
    for (int axis = 0; axis < 3; ++axis) {
        any |= record->velocity[axis] | record->momentum[axis];
    }
    return any != 0 && (record->flags & ISO__SPACE_BODY_ASLEEP) == 0;
}

void iso__space_step_find_moving(iso__space *space) {
    for (uint32_t w = 0; w < (space->world.globals->body_count + 63) / 64; ++w) {
        uint64_t moving = 0;
        for (uint64_t bits = space->world.awake[w]; bits != 0; bits &= bits - 1) {
            moving |= iso__space_body_moves(space, w * 64 + (uint32_t)__builtin_ctzll(bits)) ? bits & (0 - bits) : 0;
        }
        space->scratch->moving_bits[w] = moving;
    }
}
