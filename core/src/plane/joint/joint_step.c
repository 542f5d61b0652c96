/// Joints within a step: which have rows, their passes, what is stored.
#include "plane/joint/joint_step.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "plane/joint/axis.h"
#include "plane/joint/axis_make.h"
#include "plane/joint/custom.h"
#include "plane/joint/hinge.h"
#include "plane/joint/kind.h"
#include "plane/joint/plain.h"
#include "plane/joint/point.h"
#include "plane/joint/spring_sum.h"
#include "plane/joint/work.h"
#include "plane/world/joint.h"
#include "plane/world/joint_mass.h"
#include "plane/world/scratch.h"
#include "plane/world/wake.h"
#include "step/joint_sleep.h"
#include "world/events.h"

/// In the order of colours records are far apart: those to come are asked for this many joints before.
#define JOINTS_AHEAD 6u

static bool joint_can_move(const iso__plane *plane, uint32_t body) {
    return body != ISO__WORLD_BODY && plane->bodies[body].type == ISO_BODY_DYNAMIC &&
           iso__plane_body_is_moving(plane, body);
}

/// A joint that is disabled, or between bodies that no impulse moves, has no rows.
static bool joint_is_inert(const iso__plane *plane, const iso__plane_joint *joint) {
    return !iso__plane_joint_connects(joint) ||
           (!joint_can_move(plane, joint->body_a) && !joint_can_move(plane, joint->body_b) &&
            !joint_can_move(plane, joint->body_c) && !joint_can_move(plane, joint->body_d));
}

static void joints_list(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    scratch->joint_count = 0;
    for (uint32_t i = 0; i < plane->world.globals->body_count; ++i) {
        scratch->has_joint[i] = 0;
    }
    for (uint32_t i = 0; i < plane->world.globals->joint_count; ++i) {
        const iso__plane_joint *joint = &plane->joints[i];
        if (joint_is_inert(plane, joint)) {
            continue;
        }
        iso__plane_joint_ref *ref = &scratch->joints[scratch->joint_count++];
        const uint32_t bodies[] = {joint->body_a, joint->body_b, joint->body_c, joint->body_d};
        for (uint32_t n = 0; n < 4; ++n) {
            ref->bodies[n] = bodies[n];
            if (bodies[n] == ISO__WORLD_BODY) {
                ref->bodies[n] = plane->world.def.body_capacity;
            } else {
                scratch->has_joint[bodies[n]] = 1;
            }
        }
        ref->joint = i;
        ref->form = iso__plane_joint_is_plain(plane, joint)   ? ISO__PLANE_JOINT_PLAIN
                    : iso__plane_joint_is_hinge(plane, joint) ? ISO__PLANE_JOINT_HINGE
                                                              : ISO__PLANE_JOINT_WORK;
        ref->can_break = (joint->break_force | joint->break_torque | joint->break_error | joint->break_angle) != 0;
    }
}

/// Whether the bodies that move are those for which the joints were listed. Lists them.
static bool joints_have_same_bodies(const iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    bool is_same = scratch->listed_count == plane->world.globals->body_count;
    scratch->listed_count = plane->world.globals->body_count;
    for (uint32_t w = 0; w < (plane->world.globals->body_count + 63) / 64; ++w) {
        is_same = is_same && scratch->listed_bits[w] == scratch->moving_bits[w];
        scratch->listed_bits[w] = scratch->moving_bits[w];
    }
    return is_same;
}

void iso__plane_joints_collect(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    const bool has_same_bodies = joints_have_same_bodies(plane);
    scratch->has_same_joints = has_same_bodies && !plane->has_changed_rows;
    plane->has_changed_rows = false;
    scratch->joint_clamps = 0;
    if (!scratch->has_same_joints) {
        joints_list(plane);
    }
    for (uint32_t i = 0; i < plane->world.globals->body_count && scratch->joint_count > 0; ++i) {
        if (scratch->has_joint[i] != 0) {
            // Also of a body that does not move: it may have been teleported since the last tick.
            scratch->rotations[i] = plane->body_derived[i].rotation;
        }
    }
    ISO_ASSERT(scratch->joint_count <= plane->world.globals->joint_count);
}

/// Updates the rows' directions and errors for the bodies' present poses.
static void joint_arrive(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work) {
    iso__plane_joint_kind_of(work->kind)->update(scratch, work);
    for (uint32_t i = 0; i < work->axis_count; ++i) {
        work->arrived[i] = work->axes[i].base.position;
    }
    work->point_arrived[0] = work->point.row.error[0];
    work->point_arrived[1] = work->point.row.error[1];
}

static void joint_soften(const iso__plane *plane, iso__plane_joint_work *work) {
    const iso__plane_joint *joint = &plane->joints[work->joint];
    for (uint32_t i = 0; i < work->axis_count && iso__plane_joint_has_stiffness(joint); ++i) {
        iso__plane_axis_soften(plane, joint, &work->axes[i]);
    }
}

/// How many joints of each form are prepared, and the axes of works, which lie one after the other.
typedef struct joint_counts {
    uint32_t of[ISO__PLANE_JOINT_FORMS];
    uint32_t axes;
} joint_counts;

/// Sets up a joint that is not plain.
static void __attribute__((noinline))
joint_prepare_next(iso__plane *plane, const iso__plane_joint_ref *ref, joint_counts *counts) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(ref->form < ISO__PLANE_JOINT_PLAIN);
    const uint32_t i = counts->of[ref->form]++;
    if (ref->form == ISO__PLANE_JOINT_HINGE) {
        iso__plane_hinge_prepare(plane, ref->joint, i);
        return;
    }
    iso__plane_joint_work *work = &scratch->joint_works[i];
    iso__plane_joint_prepare(plane, ref->joint, work, &scratch->axes[counts->axes]);
    counts->axes += work->axes == &scratch->axes[counts->axes] ? work->axis_count : 0; // a custom joint has its own
    joint_arrive(scratch, work);
    joint_soften(plane, work);
}

void iso__plane_joints_prepare(iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    joint_counts counts = {{0}, 0};
    uint32_t plain = 0;
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        const iso__plane_joint_ref *ref = &scratch->joints[scratch->joint_order[i]];
        if (i + JOINTS_AHEAD < scratch->joint_count) {
            const iso__plane_joint *soon =
                &plane->joints[scratch->joints[scratch->joint_order[i + JOINTS_AHEAD]].joint];
            __builtin_prefetch(soon);
            __builtin_prefetch((const char *)soon + 64);
        }
        if (ref->form == ISO__PLANE_JOINT_PLAIN) {
            iso__plane_plain_prepare(plane, ref->joint, plain++);
        } else {
            joint_prepare_next(plane, ref, &counts);
        }
    }
    ISO_ASSERT(counts.of[ISO__PLANE_JOINT_WORK] == scratch->joint_work_count && plain == scratch->plain_count &&
               counts.of[ISO__PLANE_JOINT_HINGE] == scratch->hinge_count);
    iso__plane_springs_sum(plane);
}

void iso__plane_joint_warm_start(iso__plane_step_scratch *scratch, iso__plane_joint_work *work) {
    ISO_VALIDATE_ASSERT(work->axis_count <= ISO__PLANE_JOINT_AXES_MAX && work->body_a != work->body_b);
    for (uint32_t i = 0; i < work->axis_count; ++i) {
        work->axes[i].base.position = work->arrived[i];
        iso__plane_axis_warm_start(scratch, &work->axes[i]);
    }
    if (work->has_point) {
        work->point.row.error[0] = work->point_arrived[0];
        work->point.row.error[1] = work->point_arrived[1];
        iso__plane_point_warm_start(scratch, work);
    }
}

/// Turns the rows with the bodies, which have moved. Otherwise the next substep would remove the part of each body's
/// speed that lies along the old rows, and a body that circles on a rod would slow down by w^2 h / 2 per second. The
/// errors stay those of the beginning of the substep; a spring that saw the change twice would damp itself. Nothing
/// moves until the next substep, so it begins with these rows.
static void joint_turn(const iso__plane_step_scratch *scratch, iso__plane_joint_work *work) {
    int64_t positions[ISO__PLANE_JOINT_AXES_MAX];
    const int64_t error[2] = {work->point.row.error[0], work->point.row.error[1]};
    for (uint32_t i = 0; i < work->axis_count; ++i) {
        positions[i] = work->axes[i].base.position;
    }
    joint_arrive(scratch, work);
    for (uint32_t i = 0; i < work->axis_count; ++i) {
        // What a velocity is besides J v turns with J.
        work->axes[i].base.position = work->axes[i].base.is_velocity ? work->axes[i].base.position : positions[i];
    }
    work->point.row.error[0] = error[0];
    work->point.row.error[1] = error[1];
}

/// The point comes last: when two rows conflict, the later one is satisfied.
void iso__plane_joint_solve(iso__plane_step_scratch *scratch, iso__plane_joint_work *work, bool is_relax) {
    ISO_VALIDATE_ASSERT(work->axis_count <= ISO__PLANE_JOINT_AXES_MAX && work->body_a != work->body_b);
    if (is_relax) {
        joint_turn(scratch, work);
    }
    for (uint32_t i = 0; i < work->axis_count; ++i) {
        iso__plane_axis_solve(scratch, &work->axes[i], is_relax);
    }
    if (work->has_point) {
        iso__plane_point_solve(scratch, work, is_relax);
    }
}

static void joint_store(const iso__plane *plane, const iso__plane_joint_work *work, iso__plane_joint *joint) {
    for (uint32_t n = 0; n < ISO__PLANE_JOINT_IMPULSES; ++n) {
        joint->impulse[n] = work->has_point && n < 2 ? work->point.row.impulse[n] : 0;
    }
    for (uint32_t n = 0; n < work->axis_count; ++n) {
        iso__plane_axis_store(&work->axes[n], joint);
    }
    if ((iso__plane_joint_has(joint) & ISO_JOINT_HAS_LENGTH) != 0) {
        joint->direction[0] = work->direction[0];
        joint->direction[1] = work->direction[1];
    }
    if ((iso__plane_joint_has(joint) & ISO_JOINT_HAS_BODIES_CD) != 0) {
        joint->direction_cd[0] = work->rope.direction[0];
        joint->direction_cd[1] = work->rope.direction[1];
    }
    joint->latch = work->latch;
    const iso__plane_joint_kind *kind = iso__plane_joint_kind_of(joint->kind);
    if (kind->store != NULL) {
        kind->store(plane, work, joint);
    }
}

/// How many of a joint's impulses are at the limit of their format.
static uint64_t joint_clamped_impulses(const iso__plane *plane, const iso__plane_joint *joint) {
    const bool has_point = (iso__plane_joint_has(joint) & ISO_JOINT_HAS_POINT) != 0;
    uint64_t count = 0;
    for (uint32_t n = 0; n < ISO__PLANE_JOINT_IMPULSES; ++n) {
        const int64_t most = has_point && n < 2 ? ISO__JOINT_IMPULSE_MAX : ISO__AXIS_IMPULSE_MAX;
        count += joint->impulse[n] == most || joint->impulse[n] == -most;
    }
    for (uint32_t n = 0; n < ISO__PLANE_CUSTOM_IMPULSES && iso_joint_kind_is_custom(joint->kind); ++n) {
        const int64_t j = iso__plane_custom_of(plane, joint)->impulse[n];
        count += j == ISO__AXIS_IMPULSE_MAX || j == -ISO__AXIS_IMPULSE_MAX;
    }
    return count;
}

void iso__plane_joints_store(iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->joint_work_count + scratch->hinge_count + scratch->plain_count == scratch->joint_count);
    plane->world.globals->clamped_velocities += scratch->joint_clamps;
    for (uint32_t i = 0; i < scratch->joint_work_count; ++i) {
        const iso__plane_joint_work *work = &scratch->joint_works[i];
        joint_store(plane, work, &plane->joints[work->joint]);
        if (iso_joint_kind_is_custom(work->kind)) {
            iso__plane_custom_store(plane, work);
        }
        plane->world.globals->clamped_impulses += joint_clamped_impulses(plane, &plane->joints[work->joint]);
        plane->world.globals->clamped_rows += work->clamps;
        iso__mark_dirty(&plane->world, ISO_SECTION_JOINTS, work->joint);
    }
    uint64_t clamped = 0;
    for (uint32_t i = 0; i < scratch->hinge_count; ++i) {
        if (i + JOINTS_AHEAD < scratch->hinge_count) {
            __builtin_prefetch(&plane->joints[scratch->hinge_joints[i + JOINTS_AHEAD]], 1);
        }
        clamped += iso__plane_hinge_store(plane, i);
        iso__mark_dirty(&plane->world, ISO_SECTION_JOINTS, scratch->hinge_joints[i]);
    }
    for (uint32_t i = 0; i < scratch->plain_count; ++i) {
        if (i + JOINTS_AHEAD < scratch->plain_count) {
            __builtin_prefetch(&plane->joints[scratch->plain_joints[i + JOINTS_AHEAD]], 1);
        }
        iso__plane_joint *joint = &plane->joints[scratch->plain_joints[i]];
        for (uint32_t n = 0; n < 2; ++n) {
            const int64_t j = scratch->plain_rows[i].impulse[n];
            joint->impulse[n] = j;
            clamped += j == ISO__JOINT_IMPULSE_MAX || j == -ISO__JOINT_IMPULSE_MAX; // it has no other rows
        }
        iso__mark_dirty(&plane->world, ISO_SECTION_JOINTS, scratch->plain_joints[i]);
    }
    plane->world.globals->clamped_impulses += clamped;
}

// ---- breaks --------------------------------------------------------------------------------------

static bool joint_is_beyond(iso_wide value, iso_wide threshold) {
    return threshold > 0 && value > threshold;
}

/// Whether the joint has exceeded one of its thresholds in the step.
static bool joint_is_broken(const iso__plane_joint *joint, const iso__plane_joint_measure *measure) {
    const iso_wide torque = measure->torque < 0 ? iso__neg64(measure->torque) : measure->torque;
    return joint_is_beyond(iso_wide_hypot(measure->force.x, measure->force.y), joint->break_force) ||
           joint_is_beyond(torque, joint->break_torque) || joint_is_beyond(measure->error, joint->break_error) ||
           joint_is_beyond(measure->turned, joint->break_angle);
}

void iso__plane_joints_break(iso__plane *plane) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->joint_count <= plane->world.globals->joint_count);
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        if (!scratch->joints[i].can_break) {
            continue;
        }
        const uint32_t index = scratch->joints[i].joint;
        const iso__plane_joint *joint = &plane->joints[index];
        iso__plane_joint_measure measure;
        iso__plane_joint_kind_of(joint->kind)->measure(plane, joint, &measure);
        if (!joint_is_broken(joint, &measure)) {
            continue;
        }
        const iso_joint_id id = {index, plane->world.joint_generations[index]};
        const int64_t rate = (int64_t)plane->world.def.tick_rate_hz * plane->world.def.substep_count;
        iso__event_joint_break(&plane->world,
                               &(iso_joint_event){.tick = plane->world.globals->tick,
                                                  .joint = id,
                                                  .tag = joint->tag,
                                                  .body_a = iso__joint_body_id(&plane->world, joint->body_a),
                                                  .body_b = iso__joint_body_id(&plane->world, joint->body_b),
                                                  .force = measure.force,
                                                  .torque = measure.torque,
                                                  .impulse = {measure.force.x / rate, measure.force.y / rate},
                                                  .angular_impulse = measure.torque / rate});
        if (iso_joint_kind_is_custom(joint->kind)) {
            iso__plane_custom_broken(plane, joint);
        }
        const iso_status status = (joint->flags & ISO__PLANE_JOINT_REMOVE_ON_BREAK) != 0
                                      ? iso_joint_destroy(&plane->world, id)
                                      : iso_joint_enable(&plane->world, id, false);
        ISO_ASSERT(status == ISO_OK);
    }
}

// ---- sleep ---------------------------------------------------------------------------------------

void iso__plane_joints_tell_sleep(iso__plane *plane) {
    ISO_ASSERT(plane->world.globals->joint_count <= plane->world.def.joint_capacity);
    for (uint32_t i = 0; i < plane->world.globals->joint_count; ++i) {
        if (plane->joints[i].kind == 0) {
            continue;
        }
        const iso__plane_joint *joint = &plane->joints[i];
        const uint32_t bodies[] = {joint->body_a, joint->body_b, joint->body_c, joint->body_d};
        iso__joint_sleep is = {0};
        for (uint32_t n = 0; n < 4; ++n) {
            if (bodies[n] != ISO__WORLD_BODY && plane->bodies[bodies[n]].type == ISO_BODY_DYNAMIC) {
                iso__joint_sleep_add(&plane->world, bodies[n], &is);
            }
        }
        iso__joint_sleep_tell(&plane->world, i, joint->tag, &is);
    }
}
