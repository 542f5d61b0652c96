/// See step.h.
#include "dynamics/step.h"

#include "base/assert.h"
#include "dynamics/broad_phase.h"
#include "dynamics/collide.h"
#include "dynamics/contact_prepare.h"
#include "dynamics/contact_rules.h"
#include "dynamics/contact_store.h"
#include "dynamics/continuous.h"
#include "dynamics/graph.h"
#include "dynamics/impact.h"
#include "dynamics/island.h"
#include "dynamics/kernels.h"
#include "dynamics/motion.h"
#include "dynamics/pass.h"
#include "dynamics/seam.h"
#include "dynamics/sleep.h"
#include "dynamics/validate.h"
#include "joint/joint_step.h"
#include "solver/params.h"
#include "solver/scratch.h"
#include "world/body.h"
#include "world/events.h"

static void step_solve(iso_world *world) {
    iso__step_scratch *scratch = world->scratch;
    scratch->kernels = iso__kernels_of(world->simd);
    scratch->has_moved = false;
    for (uint32_t substep = 0; substep < scratch->params.substep_count; ++substep) {
        iso__motions_set_gravity(world, substep);
        iso__motions_accelerate(world);
        iso__run_pass(world, ISO__PASS_WARM_START);
        for (uint64_t i = 0; i < world->def.iteration_count; ++i) {
            iso__run_pass(world, ISO__PASS_SOLVE);
        }
        iso__motions_advance(world);
        iso__run_pass(world, ISO__PASS_RELAX);
        scratch->has_moved = true;
    }
    if (scratch->has_restitution) {
        iso__run_pass(world, ISO__PASS_RESTITUTE);
    }
}

static void step_tell_sleep(iso_world *world) {
    uint64_t changed = 0;
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        changed |= world->woken[w] | world->slept[w];
        for (uint64_t bits = world->woken[w]; bits != 0; bits &= bits - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (world->bodies[i].type != 0) {
                iso__event_wake(world, i);
            }
        }
    }
    if (changed != 0) {
        iso__joints_tell_sleep(world);
    }
}

void iso__step_begin(iso_world *world) {
    ISO_ASSERT(world->globals->body_count <= world->def.body_capacity);
    iso__events_clear(world);
    for (uint32_t w = 0; w < (world->def.body_capacity + 63) / 64; ++w) {
        world->woken[w] = world->slept[w] = 0;
        world->was_awake[w] = world->awake[w];
    }
    for (uint32_t w = 0; w < (world->def.joint_capacity + 63) / 64; ++w) {
        world->fresh_joints[w] = 0;
    }
}

/// A sleeping world needs no pairs, whatever was displaced; boxes are computed when something moves.
static iso__pair_list step_find_pairs(iso_world *world) {
    uint64_t moving = 0;
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        moving |= world->scratch->moving_bits[w];
    }
    return moving != 0 ? iso__broad_phase_update(world) : (iso__pair_list){world->broad_phase->pairs, 0, 0};
}

void iso__step_simulate(iso_world *world, uint64_t *since) {
    iso_profile *profile = &world->profile;
    iso__step_find_moving(world);
    iso__step_wake_islands(world);
    const iso__pair_list pairs = step_find_pairs(world);
    iso__profile_stage(world, since, &profile->pairs);
#ifdef ISO_VALIDATE
    iso__validate_pairs(world, pairs);
#endif
    iso__step_collide(world, pairs);
    iso__contacts_rule(world);
    iso__profile_stage(world, since, &profile->manifolds);
    iso__motions_gather(world);
    ISO_ASSERT(world->scratch->moving_count <= world->globals->body_count);
    iso__joints_collect(world);
    iso__step_find_islands(world);
    iso__step_build_graph(world);
    iso__joints_prepare(world);
    iso__profile_stage(world, since, &profile->graph);
    iso__step_hide_seams(world);
    iso__step_prepare_contacts(world);
    iso__profile_stage(world, since, &profile->prepare);
    if (world->scratch->bouncing_count > 0) {
        iso__motions_set_gravity(world, 0);
        iso__step_impacts(world);
    }
    step_solve(world);
    iso__profile_stage(world, since, &profile->substeps);
    iso__contacts_store(world);
    iso__contacts_tell_game(world);
    iso__joints_store(world);
    iso__motions_store(world);
    iso__joints_break(world);
    iso__step_continuous(world);
    iso__step_sleep(world);
    step_tell_sleep(world);
#ifdef ISO_VALIDATE
    iso__validate(world);
#endif
}
