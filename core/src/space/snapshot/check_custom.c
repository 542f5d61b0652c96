/// See check_custom.h: the rules are those of plane/snapshot/check_custom.c.
#include "space/snapshot/check_custom.h"

#include "solver/custom_bounds.h"
#include "space/world/custom.h"
#include "state/snapshot_check.h"
#include "state/snapshot_custom.h"

/// The joint's impulses are those of its rows alone.
static bool check_impulses(const iso__space_joint *joint, const iso__custom_bounds *bounds) {
    const bool is_on = (joint->flags & ISO__SPACE_JOINT_ENABLED) != 0;
    bool is_right = true;
    for (uint32_t r = 0; r < ISO_CONSTRAINT_ROWS_MAX; ++r) {
        const int64_t *j = &joint->impulse[2 * r];
        is_right = is_right && iso__snapshot_check_row(bounds, r, is_on, j[0], j[1]);
    }
    for (uint32_t i = 2 * ISO_CONSTRAINT_ROWS_MAX; i < ISO__SPACE_JOINT_IMPULSES; ++i) {
        is_right = is_right && joint->impulse[i] == 0;
    }
    return is_right;
}

static bool check_record(const iso_world *world, const iso__snapshot *snapshot, const iso__space_custom_joint *record) {
    iso_program program;
    const iso__custom_source source =
        iso__snapshot_custom_source(world, snapshot, record->kind, record->constraint, &program);
    if (!iso__custom_is_there(source) || record->joint >= snapshot->globals.joint_count) {
        return false;
    }
    iso__space_joint joint;
    iso__snapshot_read(snapshot, ISO_SECTION_JOINTS, record->joint, &joint);
    const iso_program_params params = iso__space_custom_params(record);
    const bool has_a = joint.body_a != ISO__WORLD_BODY;
    if (joint.kind != record->kind || has_a != (iso__custom_shape_of(source).body_count > 1) ||
        iso__custom_check_params(3, source, &params, NULL) != ISO_OK) {
        return false;
    }
    iso_wide state = 0;
    for (uint32_t i = 0; i < ISO_CONSTRAINT_STATE_MAX && record->kind != ISO_JOINT3_USER; ++i) {
        state |= record->state[i];
    }
    const iso__custom_bounds bounds = iso__custom_bounds_of(source, &params, record->state);
    return state == 0 && check_impulses(&joint, &bounds);
}

static uint32_t check_joint_of(const iso__snapshot *snapshot, uint32_t index) {
    iso__space_custom_joint record;
    iso__snapshot_read(snapshot, ISO_SECTION_CUSTOM_JOINTS, index, &record);
    return record.kind != 0 ? record.joint : UINT32_MAX;
}

bool iso__space_snapshot_check_custom(const iso_world *world, const iso__snapshot *snapshot) {
    if (!iso__snapshot_check_programs(snapshot, 3)) {
        return false;
    }
    uint32_t records = 0, joints = 0;
    for (uint32_t i = 0; i < snapshot->globals.custom_joint_count; ++i) {
        iso__space_custom_joint record;
        iso__snapshot_read(snapshot, ISO_SECTION_CUSTOM_JOINTS, i, &record);
        const bool is_right =
            record.kind == 0 ? iso__check_is_zero(&record, sizeof record) : check_record(world, snapshot, &record);
        if (!is_right) {
            return false;
        }
        records += record.kind != 0;
    }
    for (uint32_t i = 0; i < snapshot->globals.joint_count; ++i) {
        iso__space_joint joint;
        iso__snapshot_read(snapshot, ISO_SECTION_JOINTS, i, &joint);
        joints += iso_joint3_kind_is_custom(joint.kind);
    }
    return records == joints && iso__snapshot_customs_differ(snapshot, check_joint_of); // so that each joint has one
}
