/// See step3.h. core/ARCHITECTURE.md says how a tick in space differs from one in the plane.
#include "dynamics3/step3.h"

#include "dynamics3/collide3.h"
#include "dynamics3/contact_prepare3.h"
#include "dynamics3/contact_rules3.h"
#include "dynamics3/contact_solve3.h"
#include "dynamics3/contact_store3.h"
#include "dynamics3/continuous3.h"
#include "dynamics3/kernels3.h"
#include "dynamics3/motion3.h"
#include "dynamics3/moving3.h"
#include "dynamics3/sleep3.h"
#include "joint3/joint3_step.h"
#include "solver/scratch3.h"
#include "world/events.h"

void iso__step3_begin(iso_world *world) {
    iso__events_clear(world);
    for (uint32_t w = 0; w < (world->def.body_capacity + 63) / 64; ++w) {
        world->woken[w] = world->slept[w] = 0;
        world->was_awake[w] = world->awake[w];
    }
    for (uint32_t w = 0; w < (world->def.joint_capacity + 63) / 64; ++w) {
        world->fresh_joints[w] = 0;
    }
}

static void step_tell_sleep(iso_world *world) {
    uint64_t changed = 0;
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        changed |= world->woken[w] | world->slept[w];
        for (uint64_t bits = world->woken[w]; bits != 0; bits &= bits - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (iso__generation_is_alive(world->body_generations[i])) {
                iso__event_wake(world, i);
            }
        }
    }
    if (changed != 0) {
        iso__joints3_tell_sleep(iso__space_of(world));
    }
}

static void step_solve(iso__space *space) {
    for (uint32_t substep = 0; substep < space->scratch->params.substep_count; ++substep) {
        iso__motions3_accelerate(space, substep);
        iso__joints3_warm_start(space);
        iso__contacts3_warm_start(space);
        for (uint64_t i = 0; i < space->world.def.iteration_count; ++i) {
            iso__joints3_solve(space, false);
            iso__contacts3_solve(space);
        }
        iso__motions3_advance(space);
        iso__joints3_turn(space);
        iso__joints3_solve(space, true);
        iso__contacts3_relax(space);
    }
    iso__contacts3_restitute(space);
}

void iso__step3_simulate(iso_world *world, uint64_t *since) {
    iso__space *space = iso__space_of(world);
    iso_profile *profile = &world->profile;
    space->scratch->kernels = iso__kernels3_of(world->simd);
    iso__step3_wake_islands(space);
    iso__step3_find_moving(space);
    iso__profile_stage(world, since, &profile->pairs);
    iso__step3_collide(space);
    iso__contacts3_rule(space);
    iso__profile_stage(world, since, &profile->manifolds);
    iso__motions3_gather(space);
    iso__joints3_collect(space);
    iso__joints3_prepare(space);
    iso__contacts3_prepare(space);
    iso__step3_find_islands(space);
    iso__profile_stage(world, since, &profile->prepare);
    step_solve(space);
    iso__profile_stage(world, since, &profile->substeps);
    iso__contacts3_store(space);
    iso__contacts3_tell_game(space);
    iso__motions3_store(space);
    iso__joints3_store(space);
    iso__joints3_break(space);
    iso__step3_continuous(space);
    iso__step3_sleep(space);
    step_tell_sleep(world);
}
