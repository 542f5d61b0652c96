/// See step.h.
#include "plane/dynamics/step.h"

#include "base/assert.h"
#include "plane/dynamics/broad_phase.h"
#include "plane/dynamics/collide.h"
#include "plane/dynamics/contact_prepare.h"
#include "plane/dynamics/contact_rules.h"
#include "plane/dynamics/contact_store.h"
#include "plane/dynamics/continuous.h"
#include "plane/dynamics/graph.h"
#include "plane/dynamics/impact.h"
#include "plane/dynamics/island.h"
#include "plane/dynamics/kernels.h"
#include "plane/dynamics/motion.h"
#include "plane/dynamics/pass.h"
#include "plane/dynamics/seam.h"
#include "plane/dynamics/sleep.h"
#include "plane/dynamics/validate.h"
#include "plane/joint/joint_step.h"
#include "solver/params.h"
#include "plane/world/scratch.h"
#include "plane/world/body.h"
#include "world/events.h"

static void step_solve(iso_world *world) {
    iso__plane_step_scratch *scratch = world->scratch;
    scratch->kernels = iso__plane_kernels_of(world->simd);
    scratch->has_moved = false;
    for (uint32_t substep = 0; substep < scratch->params.substep_count; ++substep) {
        iso__plane_motions_set_gravity(world, substep);
        iso__plane_motions_accelerate(world);
        iso__plane_run_pass(world, ISO__PLANE_PASS_WARM_START);
        for (uint64_t i = 0; i < world->def.iteration_count; ++i) {
            iso__plane_run_pass(world, ISO__PLANE_PASS_SOLVE);
        }
        iso__plane_motions_advance(world);
        iso__plane_run_pass(world, ISO__PLANE_PASS_RELAX);
        scratch->has_moved = true;
    }
    if (scratch->has_restitution) {
        iso__plane_run_pass(world, ISO__PLANE_PASS_RESTITUTE);
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
        iso__plane_joints_tell_sleep(world);
    }
}

void iso__plane_step_begin(iso_world *world) {
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
    return moving != 0 ? iso__plane_broad_phase_update(world) : (iso__pair_list){world->broad_phase->pairs, 0, 0};
}

void iso__plane_step_simulate(iso_world *world, uint64_t *since) {
    iso_profile *profile = &world->profile;
    iso__plane_step_find_moving(world);
    iso__plane_step_wake_islands(world);
    const iso__pair_list pairs = step_find_pairs(world);
    iso__profile_stage(world, since, &profile->pairs);
#ifdef ISO_VALIDATE
    iso__plane_validate_pairs(world, pairs);
#endif
    iso__plane_step_collide(world, pairs);
    iso__plane_contacts_rule(world);
    iso__profile_stage(world, since, &profile->manifolds);
    iso__plane_motions_gather(world);
    ISO_ASSERT(world->scratch->moving_count <= world->globals->body_count);
    iso__plane_joints_collect(world);
    iso__plane_step_find_islands(world);
    iso__plane_step_build_graph(world);
    iso__plane_joints_prepare(world);
    iso__profile_stage(world, since, &profile->graph);
    iso__plane_step_hide_seams(world);
    iso__plane_step_prepare_contacts(world);
    iso__profile_stage(world, since, &profile->prepare);
    if (world->scratch->bouncing_count > 0) {
        iso__plane_motions_set_gravity(world, 0);
        iso__plane_step_impacts(world);
    }
    step_solve(world);
    iso__profile_stage(world, since, &profile->substeps);
    iso__plane_contacts_store(world);
    iso__plane_contacts_tell_game(world);
    iso__plane_joints_store(world);
    iso__plane_motions_store(world);
    iso__plane_joints_break(world);
    iso__plane_step_continuous(world);
    iso__plane_step_sleep(world);
    step_tell_sleep(world);
#ifdef ISO_VALIDATE
    iso__plane_validate(world);
#endif
}
