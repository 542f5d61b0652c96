/// See moving.h.
#include "step/moving.h"

#include "base/assert.h"

bool iso__step_find_moving(const iso_world *world, bool (*moves)(const iso_world *world, uint32_t body),
                           uint64_t *moving_bits) {
    ISO_ASSERT(world->globals->body_count <= world->def.body_capacity);
    bool has_kinematic = false;
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        uint64_t moving = world->awake[w];
        for (uint64_t bits = moving & world->kinematic[w]; bits != 0; bits &= bits - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
            const bool does = moves(world, i);
            has_kinematic |= does;
            moving &= does ? UINT64_MAX : ~(UINT64_C(1) << (i % 64));
        }
        moving_bits[w] = moving;
    }
    return has_kinematic;
}
