/// The rules for joints of a snapshot. A record is right when its definition is, its frames are the state's form, and
/// what a step adds is as the rows leave it: see plane/snapshot/check.c.
#include "space/snapshot/check_joint.h"

#include "isostep/body3.h"
#include "math/quat.h"
#include "space/joint/axis.h"
#include "space/joint/joint.h"
#include "space/joint/kind.h"
#include "space/snapshot/check.h"
#include "space/world/custom.h"
#include "state/snapshot_check.h"
#include "world/slots.h"

#define CHECK_LOW_BITS 0xFFu              // of anchors: a definition has 16 fraction bits
#define CHECK_TURNS    (INT64_C(1) << 62) // far more than can be turned in the time there is

static bool check_bodies(const iso__snapshot *snapshot, const iso__space_joint *joint) {
    if ((iso_joint3_kind_has(joint->kind) & ISO_JOINT3_HAS_BODY_A) == 0) {
        return joint->body_a == ISO__WORLD_BODY && iso__space_snapshot_body_type(snapshot, joint->body_b) != 0;
    }
    const bool is_of_one = iso_joint3_kind_is_custom(joint->kind) && joint->body_a == ISO__WORLD_BODY;
    return joint->body_a != joint->body_b &&
           (is_of_one || iso__space_snapshot_body_type(snapshot, joint->body_a) != 0) &&
           iso__space_snapshot_body_type(snapshot, joint->body_b) != 0;
}

/// As the rows clamp them; rows that are off, and a joint that is, have none.
static bool check_impulses(const iso__space_joint *joint) {
    if (iso_joint3_kind_is_custom(joint->kind)) {
        return true; // iso__space_snapshot_check_custom knows the rows
    }
    const bool is_on = (joint->flags & ISO__SPACE_JOINT_ENABLED) != 0;
    const uint32_t linear = is_on ? iso__space_joint_linear_rows(joint->kind) : 0;
    const uint32_t angular = is_on ? iso__space_joint_angular_rows(joint->kind) : 0;
    bool is_right = true;
    for (uint32_t i = 0; i < 3; ++i) {
        is_right = is_right &&
                   iso__check_is_within64(joint->impulse[ISO__SPACE_JOINT_LINEAR_IMPULSE + i],
                                          i < linear ? ISO__SPACE_BLOCK_IMPULSE_MAX : 0) &&
                   iso__check_is_within64(joint->impulse[ISO__SPACE_JOINT_ANGULAR_IMPULSE + i],
                                          i < angular ? ISO__SPACE_BLOCK_IMPULSE_MAX : 0);
    }
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        const uint32_t rows = iso__space_axis_rows(joint, n);
        for (uint32_t row = 0; row < ISO__SPACE_AXIS_ROWS; ++row) {
            const int64_t j = joint->impulse[ISO__SPACE_JOINT_AXIS_IMPULSE + n * ISO__SPACE_AXIS_ROWS + row];
            const bool has_row = (rows >> row & 1u) != 0;
            is_right = is_right && iso__check_is_within64(j, has_row ? ISO__SPACE_AXIS_IMPULSE_MAX : 0) &&
                       (row != ISO__SPACE_AXIS_LOWER || j >= 0) && (row != ISO__SPACE_AXIS_UPPER || j <= 0);
        }
    }
    return is_right;
}

static bool check_turns(const iso__space_joint *joint) {
    const bool counts_turns = (iso_joint3_kind_has(joint->kind) & ISO_JOINT3_COUNTS_TURNS) != 0;
    bool is_right = true;
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        const iso_joint3_axis_kind kind = iso_joint3_axis_of(joint->kind, n);
        const bool is_angle =
            kind == ISO_JOINT3_AXIS_ANGLE || kind == ISO_JOINT3_AXIS_SWING || (counts_turns && n == 0);
        is_right = is_right && iso__check_is_within64(joint->turns[n], is_angle ? CHECK_TURNS : 0);
    }
    return is_right;
}

static bool check_values(const iso__space_joint *joint) {
    uint32_t low_bits = 0, flags = joint->flags & ~(uint32_t)ISO__SPACE_JOINT_FLAGS;
    for (int axis = 0; axis < 3; ++axis) {
        low_bits |= ((uint32_t)joint->anchor_a[axis] | (uint32_t)joint->anchor_b[axis]) & CHECK_LOW_BITS;
        flags |= joint->axis_flags[axis] & ~(uint32_t)ISO__SPACE_JOINT_AXIS_FLAGS;
    }
    if (low_bits != 0 || flags != 0 || !iso__check_is_zero(joint->reserved, sizeof joint->reserved) ||
        !iso__quat_is_state(joint->frame_a) || !iso__quat_is_state(joint->frame_b) ||
        !iso__owner_is_valid((iso_owner){joint->owner_generation, joint->owner_slot})) {
        return false;
    }
    iso_joint3_def def;
    iso__space_joint_read_record(joint, &def);
    return iso_joint3_def_check(&def) == ISO_OK && check_impulses(joint) && check_turns(joint);
}

static bool check_joint(const iso__snapshot *snapshot, const iso__space_joint *joint, uint32_t generation) {
    if (!iso__check_generation(generation, joint->kind != 0)) {
        return false;
    }
    if (joint->kind == 0) {
        return iso__check_is_zero(joint, sizeof *joint);
    }
    return check_values(joint) && check_bodies(snapshot, joint);
}

bool iso__space_snapshot_check_joints(const iso__snapshot *snapshot) {
    for (uint32_t i = 0; i < snapshot->globals.joint_count; ++i) {
        iso__space_joint joint;
        iso__snapshot_read(snapshot, ISO_SECTION_JOINTS, i, &joint);
        if (!check_joint(snapshot, &joint, iso__snapshot_joint_generation(snapshot, i))) {
            return false;
        }
    }
    return true;
}
