/// See joint_step.h. As plane/joint/joint_step.c in the plane: in a substep the impulses are applied, all joints are
/// solved softly with the errors of its beginning, the bodies move, the rows turn with them, and all are solved again
/// without errors where they are rigid.
#include "space/joint/joint_step.h"

#include "base/assert.h"
#include "base/bits.h"
#include "isostep/joint.h"
#include "space/joint/axis.h"
#include "space/joint/block.h"
#include "space/joint/custom.h"
#include "space/joint/joint_prepare.h"
#include "space/joint/measure.h"
#include "step/joint_sleep.h"
#include "world/events.h"

// ---- once a tick ---------------------------------------------------------------------------------

static bool joint_is_moved(const iso__space *space, uint32_t body) {
    return body != ISO__WORLD_BODY && space->bodies[body].type == ISO_BODY_DYNAMIC &&
           iso__bit_is_set(space->scratch->moving_bits, body);
}

/// A body that the step does not move rests at its pose.
static void joint_rest(iso__space *space, uint32_t body) {
    const bool is_world = body == ISO__WORLD_BODY;
    if (!is_world && iso__bit_is_set(space->scratch->moving_bits, body)) {
        return;
    }
    const uint32_t index = is_world ? space->world.def.body_capacity : body;
    space->scratch->motions[index] = (iso__space_motion){0};
    iso__space_joint_rest_at(space, index, &space->scratch->drifts[index]);
}

void iso__space_joints_collect(iso__space *space) {
    iso__space_scratch *scratch = space->scratch;
    scratch->joint_count = 0;
    scratch->joint_clamps = 0;
    for (uint32_t i = 0; i < space->world.globals->joint_count; ++i) {
        const iso__space_joint *joint = &space->joints[i];
        const bool is_on = joint->kind != 0 && (joint->flags & ISO__SPACE_JOINT_ENABLED) != 0;
        if (!is_on || (!joint_is_moved(space, joint->body_a) && !joint_is_moved(space, joint->body_b))) {
            continue;
        }
        joint_rest(space, joint->body_a);
        joint_rest(space, joint->body_b);
        scratch->drifts[joint->body_b].is_free = false;
        scratch->drifts[joint->body_a == ISO__WORLD_BODY ? space->world.def.body_capacity : joint->body_a].is_free =
            false;
        scratch->joints[scratch->joint_count++].joint = i;
    }
    ISO_ASSERT(scratch->joint_count <= space->world.globals->joint_count);
}

void iso__space_joints_prepare(iso__space *space) {
    const iso__space_scratch *scratch = space->scratch;
    const uint32_t world = space->world.def.body_capacity;
    ISO_ASSERT(scratch->joint_count <= space->world.globals->joint_count);
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        const uint32_t index = scratch->joints[i].joint;
        const iso__space_joint *joint = &space->joints[index];
        const uint32_t a = joint->body_a == ISO__WORLD_BODY ? world : joint->body_a;
        iso__space_custom_work *custom =
            iso_joint3_kind_is_custom(joint->kind) ? &scratch->customs[space->world.custom_of[index]] : NULL;
        iso__space_joint_begin(space, index, &scratch->joints[i], custom);
        iso__space_joint_arrive(&scratch->joints[i], &scratch->drifts[a], &scratch->drifts[joint->body_b]);
        for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
            iso__space_axis_soften(space, joint, n, &scratch->joints[i].axis[n]);
        }
    }
}

// ---- once a substep ------------------------------------------------------------------------------

static void joint_warm_start(iso__space_scratch *scratch, iso__space_joint_work *work) {
    if (work->custom != NULL) {
        iso__space_custom_warm_start(scratch, work);
        return;
    }
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        work->axis[n].position = work->axis[n].arrived;
        if (work->axis[n].rows != 0) {
            iso__space_axis_warm_start(scratch, work, &work->axis[n]);
        }
    }
    for (int i = 0; i < 3; ++i) {
        work->angular.error[i] = work->angular.arrived[i];
        work->linear.error[i] = work->linear.arrived[i];
    }
    if (work->angular.count != 0) {
        iso__space_angular_warm_start(scratch, work);
    }
    if (work->linear.count != 0) {
        iso__space_linear_warm_start(scratch, work);
    }
}

void iso__space_joints_warm_start(iso__space *space) {
    ISO_ASSERT(space->scratch->joint_count <= space->world.globals->joint_count);
    for (uint32_t i = 0; i < space->scratch->joint_count; ++i) {
        joint_warm_start(space->scratch, &space->scratch->joints[i]);
    }
}

/// The linear block comes last: when two conflict, the later one is satisfied.
static void joint_solve(iso__space_scratch *scratch, iso__space_joint_work *work, bool is_relax) {
    if (work->custom != NULL) {
        iso__space_custom_solve(scratch, work, is_relax);
        return;
    }
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        iso__space_axis_solve(scratch, work, &work->axis[n], is_relax);
    }
    if (work->angular.count != 0) {
        iso__space_angular_solve(scratch, work, is_relax);
    }
    if (work->linear.count != 0) {
        iso__space_linear_solve(scratch, work, is_relax);
    }
}

void iso__space_joints_solve(iso__space *space, bool is_relax) {
    ISO_ASSERT(space->scratch->joint_count <= space->world.globals->joint_count);
    for (uint32_t i = 0; i < space->scratch->joint_count; ++i) {
        joint_solve(space->scratch, &space->scratch->joints[i], is_relax);
    }
}

/// Otherwise the next substep would remove the part of each body's speed that lies along the old rows, and a body that
/// circles on a rod would slow down by w^2 h / 2 per second. The errors stay those of the beginning of the substep; a
/// spring that saw the change twice would damp itself.
void iso__space_joints_turn(iso__space *space) {
    const iso__space_scratch *scratch = space->scratch;
    ISO_ASSERT(scratch->joint_count <= space->world.globals->joint_count);
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        iso__space_joint_work *work = &scratch->joints[i];
        iso__space_joint_arrive(work, &scratch->drifts[work->a.body], &scratch->drifts[work->b.body]);
    }
}

// ---- what is stored ------------------------------------------------------------------------------

static uint64_t joint_store(const iso__space_joint_work *work, iso__space_joint *joint) {
    const bool counts_turns = (iso__space_joint_has(joint) & ISO_JOINT3_COUNTS_TURNS) != 0;
    uint64_t clamped = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        joint->impulse[ISO__SPACE_JOINT_LINEAR_IMPULSE + i] = work->linear.impulse[i];
        joint->impulse[ISO__SPACE_JOINT_ANGULAR_IMPULSE + i] = work->angular.impulse[i];
        const int64_t most = ISO__SPACE_BLOCK_IMPULSE_MAX;
        clamped += work->linear.impulse[i] == most || work->linear.impulse[i] == -most;
        clamped += work->angular.impulse[i] == most || work->angular.impulse[i] == -most;
    }
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        const iso__space_axis *axis = &work->axis[n];
        joint->turns[n] = axis->is_angle || counts_turns ? axis->turns : 0;
        for (uint32_t row = 0; row < ISO__SPACE_AXIS_ROWS; ++row) {
            const int64_t j = axis->impulse[row];
            joint->impulse[ISO__SPACE_JOINT_AXIS_IMPULSE + n * ISO__SPACE_AXIS_ROWS + row] = j;
            clamped += j == ISO__SPACE_AXIS_IMPULSE_MAX || j == -ISO__SPACE_AXIS_IMPULSE_MAX;
        }
    }
    return clamped;
}

void iso__space_joints_store(iso__space *space) {
    iso__globals *globals = space->world.globals;
    const iso__space_scratch *scratch = space->scratch;
    ISO_ASSERT(scratch->joint_count <= globals->joint_count);
    globals->clamped_velocities += scratch->joint_clamps;
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        const iso__space_joint_work *work = &scratch->joints[i];
        globals->clamped_impulses += work->custom != NULL ? iso__space_custom_store(space, work)
                                                          : joint_store(work, &space->joints[work->joint]);
        iso__mark_dirty(&space->world, ISO_SECTION_JOINTS, work->joint);
    }
}

// ---- breaks and islands --------------------------------------------------------------------------

static bool joint_is_beyond(iso_wide value, iso_wide threshold) {
    return threshold > 0 && value > threshold;
}

static bool joint_is_broken(const iso__space_joint *joint, const iso__space_joint_measure *measure) {
    return joint_is_beyond(iso_vec3_wide_length(measure->force), joint->break_force) ||
           joint_is_beyond(iso_vec3_wide_length(measure->torque), joint->break_torque) ||
           joint_is_beyond(measure->separation, joint->break_error) ||
           joint_is_beyond(measure->angle_error, joint->break_angle);
}

void iso__space_joints_break(iso__space *space) {
    iso_world *world = &space->world;
    ISO_ASSERT(space->scratch->joint_count <= world->globals->joint_count);
    for (uint32_t i = 0; i < space->scratch->joint_count; ++i) {
        if (!space->scratch->joints[i].can_break) {
            continue;
        }
        const uint32_t index = space->scratch->joints[i].joint;
        const iso__space_joint *joint = &space->joints[index];
        iso__space_joint_measure measure;
        iso__space_joint_measure_make(space, index, &measure);
        if (!joint_is_broken(joint, &measure)) {
            continue;
        }
        const iso_joint_id id = {index, world->joint_generations[index]};
        iso__event_joint_break(world, &(iso_joint_event){.tick = world->globals->tick,
                                                         .joint = id,
                                                         .tag = joint->tag,
                                                         .body_a = iso__joint_body_id(world, joint->body_a),
                                                         .body_b = iso__joint_body_id(world, joint->body_b),
                                                         .force3 = measure.force,
                                                         .torque3 = measure.torque});
        if (iso_joint3_kind_is_custom(joint->kind)) {
            iso__space_custom_broken(space, index);
        }
        const iso_status status = (joint->flags & ISO__SPACE_JOINT_REMOVE_ON_BREAK) != 0
                                      ? iso_joint_destroy(world, id)
                                      : iso_joint_enable(world, id, false);
        ISO_ASSERT(status == ISO_OK);
    }
}

void iso__space_joints_tell_sleep(iso__space *space) {
    iso_world *world = &space->world;
    ISO_ASSERT(world->globals->joint_count <= world->def.joint_capacity);
    for (uint32_t i = 0; i < world->globals->joint_count; ++i) {
        const iso__space_joint *joint = &space->joints[i];
        iso__joint_sleep is = {0};
        if (joint->kind != 0) {
            const uint32_t bodies[2] = {joint->body_a, joint->body_b};
            for (int n = 0; n < 2; ++n) {
                if (bodies[n] != ISO__WORLD_BODY && space->bodies[bodies[n]].type == ISO_BODY_DYNAMIC) {
                    iso__joint_sleep_add(world, bodies[n], &is);
                }
            }
            iso__joint_sleep_tell(world, i, joint->tag, &is);
        }
    }
}
