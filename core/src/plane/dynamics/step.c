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
#include "plane/world/body.h"
#include "plane/world/scratch.h"
#include "solver/params.h"
#include "step/begin.h"

static void step_solve(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    scratch->kernels = iso__plane_kernels_of(plane->world.simd);
    scratch->has_moved = false;
    for (uint32_t substep = 0; substep < scratch->params.substep_count; ++substep) {
        iso__plane_motions_set_gravity(plane, substep);
        iso__plane_motions_accelerate(plane);
        iso__plane_run_pass(plane, ISO__PLANE_PASS_WARM_START);
        for (uint64_t i = 0; i < plane->world.def.iteration_count; ++i) {
            iso__plane_run_pass(plane, ISO__PLANE_PASS_SOLVE);
        }
        iso__plane_motions_advance(plane);
        iso__plane_run_pass(plane, ISO__PLANE_PASS_RELAX);
        scratch->has_moved = true;
    }
    if (scratch->has_restitution) {
        iso__plane_run_pass(plane, ISO__PLANE_PASS_RESTITUTE);
    }
}

/// A sleeping world needs no pairs, whatever was displaced; boxes are computed when something moves.
static iso__pair_list step_find_pairs(iso__plane *plane) {
    uint64_t moving = 0;
    for (uint32_t w = 0; w < (plane->world.globals->body_count + 63) / 64; ++w) {
        moving |= plane->scratch->moving_bits[w];
    }
    return moving != 0 ? iso__plane_broad_phase_update(plane) : (iso__pair_list){plane->broad_phase->pairs, 0, 0};
}

/// Islands are found before the rows are made, and joints stored before motions. In space both are the other way round.
void iso__plane_step_simulate(iso_world *world, uint64_t *since) {
    iso__plane *plane = iso__plane_of(world);
    iso_profile *profile = &world->profile;
    iso__plane_step_find_moving(plane);
    iso__plane_step_wake_islands(plane);
    const iso__pair_list pairs = step_find_pairs(plane);
    iso__profile_stage(world, since, &profile->pairs);
#ifdef ISO_VALIDATE
    iso__plane_validate_pairs(plane, pairs);
#endif
    iso__plane_step_collide(plane, pairs);
    iso__plane_contacts_rule(plane);
    iso__profile_stage(world, since, &profile->manifolds);
    iso__plane_motions_gather(plane);
    ISO_ASSERT(plane->scratch->moving_count <= world->globals->body_count);
    iso__plane_joints_collect(plane);
    iso__plane_step_find_islands(plane);
    iso__plane_step_build_graph(plane);
    iso__plane_joints_prepare(plane);
    iso__profile_stage(world, since, &profile->graph);
    iso__plane_step_hide_seams(plane);
    iso__plane_step_prepare_contacts(plane);
    iso__profile_stage(world, since, &profile->prepare);
    if (plane->scratch->bouncing_count > 0) {
        iso__plane_motions_set_gravity(plane, 0);
        iso__plane_step_impacts(plane);
    }
    step_solve(plane);
    iso__profile_stage(world, since, &profile->substeps);
    iso__plane_contacts_store(plane);
    iso__plane_contacts_tell_game(plane);
    iso__plane_joints_store(plane);
    iso__plane_motions_store(plane);
    iso__plane_joints_break(plane);
    iso__plane_step_continuous(plane);
    iso__plane_step_sleep(plane);
    if (iso__step_tell_wakes(world)) {
        iso__plane_joints_tell_sleep(plane);
    }
#ifdef ISO_VALIDATE
    iso__plane_validate(plane);
#endif
}
