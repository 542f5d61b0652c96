/// What the tests of who is woken share, in the plane and in space: what is known of bodies, compared with their
/// records.
#ifndef TEST_WAKE_NEAR_UTIL_H
#define TEST_WAKE_NEAR_UTIL_H

#include "unit/world/physics_util.h"

#include "world/kernel.h"
#include "world/world.h"

#define NEAR_BODIES   96u
#define NEAR_CAPACITY (NEAR_BODIES + 70u) // a part of a word remains

/// Who slept, who is to wake, and how many did either.
typedef struct near_case {
    bool slept[NEAR_CAPACITY], wakes[NEAR_CAPACITY];
    uint32_t woken, left;
} near_case;

/// The bits and the number of those who sleep.
static inline void near_expect_bits(const iso_world *world, const char *when) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->def.body_capacity; ++i) {
        const bool is_asleep = i < world->globals->body_count && world->kernel->body_is_asleep(world, i);
        EXPECT(iso__bit_is_set(world->asleep, i) == is_asleep, "%s: body %u", when, i);
        count += is_asleep;
    }
    EXPECT(count == world->asleep_count, "%s: %u sleep, %u are counted", when, count, world->asleep_count);
}

static inline void near_note(const iso_world *world, near_case *is) {
    for (uint32_t i = 0; i < world->def.body_capacity; ++i) {
        is->slept[i] = i < world->globals->body_count && world->kernel->body_is_asleep(world, i);
        is->wakes[i] = false;
    }
}

static inline void near_expect_woken(const iso_world *world, near_case *is, uint32_t round) {
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        EXPECT((is->slept[i] && !world->kernel->body_is_asleep(world, i)) == is->wakes[i], "round %u, body %u", round,
               i);
        is->woken += is->wakes[i];
        is->left += is->slept[i] && !is->wakes[i];
    }
    near_expect_bits(world, "after waking");
}

/// Of a body without its bit no joint is looked for when its mass changes. @return how many joints' bodies there are
static inline uint32_t near_expect_jointed(const iso_world *world, uint32_t round) {
    uint32_t named = 0;
    for (uint32_t i = 0; i < world->globals->joint_count; ++i) {
        uint32_t of[4] = {ISO__WORLD_BODY, ISO__WORLD_BODY, ISO__WORLD_BODY, ISO__WORLD_BODY};
        if (iso__generation_is_alive(world->joint_generations[i])) {
            world->kernel->joint_bodies(world, i, of);
        }
        for (uint32_t n = 0; n < 4; ++n) {
            EXPECT(of[n] == ISO__WORLD_BODY || iso__bit_is_set(world->jointed, of[n]), "round %u, body %u", round,
                   of[n]);
            named += of[n] != ISO__WORLD_BODY;
        }
    }
    return named;
}

static inline uint32_t near_count_free(const iso_world *world, const iso_body_id *bodies) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < NEAR_BODIES; ++i) {
        count += !iso__bit_is_set(world->jointed, bodies[i].index);
    }
    return count;
}

#endif
