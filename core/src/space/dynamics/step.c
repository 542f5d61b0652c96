/// See step.h. core/ARCHITECTURE.md says how a tick in space differs from one in the plane.
#include "space/dynamics/step.h"

#include "base/assert.h"
#include "space/dynamics/collide.h"
#include "space/dynamics/contact_prepare.h"
#include "space/dynamics/contact_rules.h"
#include "space/dynamics/contact_solve.h"
#include "space/dynamics/contact_store.h"
#include "space/dynamics/continuous.h"
#include "space/dynamics/island.h"
#include "space/dynamics/kernels.h"
#include "space/dynamics/motion.h"
#include "space/dynamics/moving.h"
#include "space/dynamics/seam.h"
#include "space/dynamics/sleep.h"
#include "space/joint/joint_step.h"
#include "space/world/scratch.h"
#include "step/begin.h"

static void step_solve(iso__space *space) {
    for (uint32_t substep = 0; substep < space->scratch->params.substep_count; ++substep) {
        iso__space_motions_accelerate(space, substep);
        iso__space_joints_warm_start(space);
        iso__space_contacts_warm_start(space);
        for (uint64_t i = 0; i < space->world.def.iteration_count; ++i) {
            iso__space_joints_solve(space, false);
            iso__space_contacts_solve(space);
        }
        iso__space_motions_advance(space);
        iso__space_joints_turn(space);
        iso__space_joints_solve(space, true);
        iso__space_contacts_relax(space);
    }
    iso__space_contacts_restitute(space);
}

/// Islands are found after the rows were made, and joints stored after motions. In the plane both are the other way
/// round.
void iso__space_step_simulate(iso_world *world, uint64_t *since) {
    iso__space *space = iso__space_of(world);
    iso_profile *profile = &world->profile;
    space->scratch->kernels = iso__space_kernels_of(world->simd);
    iso__space_step_wake_islands(space);
    iso__space_step_find_moving(space);
    iso__space_step_collide(space, since);
    iso__space_contacts_rule(space);
    iso__space_step_hide_seams(space);
    iso__profile_stage(world, since, &profile->manifolds);
    iso__space_motions_gather(space);
    ISO_ASSERT(space->scratch->moving_count <= world->globals->body_count);
    iso__space_joints_collect(space);
    iso__space_contacts_colour(space);
    iso__profile_stage(world, since, &profile->graph);
    iso__space_joints_prepare(space);
    iso__space_contacts_prepare(space);
    iso__profile_stage(world, since, &profile->prepare);
    iso__space_step_find_islands(space);
    iso__profile_stage(world, since, &profile->graph);
    step_solve(space);
    iso__profile_stage(world, since, &profile->substeps);
    iso__space_contacts_store(space);
    iso__space_contacts_tell_game(space);
    iso__space_motions_store(space);
    iso__space_joints_store(space);
    iso__space_joints_break(space);
    iso__space_step_continuous(space);
    iso__space_step_sleep(space);
    if (iso__step_tell_wakes(world)) {
        iso__space_joints_tell_sleep(space);
    }
}
