/// The rules for programs and custom joints of a snapshot.
///
/// A program is what iso_program_check accepts, so that running it needs no checks. Each live joint of the kinds USER
/// and SYMBOLIC has one custom record, which names an existing program or constraint, has its bodies, and is within its
/// limits.
#include "plane/snapshot/check_custom.h"

#include <string.h>

#include "base/bits.h"
#include "plane/joint/custom.h"
#include "plane/joint/work.h"
#include "plane/world/custom.h"
#include "plane/world/joint.h"
#include "plane/world/joint_mass.h"
#include "state/snapshot_read.h"

#define CUSTOM_RECORD(snapshot, i, record) iso__snapshot_read((snapshot), ISO_SECTION_CUSTOM_JOINTS, (i), (record))

/// As many bodies as the source has, from A on, or B alone. That those exist was checked with the joint.
static bool check_bodies(const iso__plane_joint *joint, uint32_t count) {
    return (joint->body_a != ISO__WORLD_BODY) == (count > 1) && (joint->body_c != ISO__WORLD_BODY) == (count > 2) &&
           (joint->body_d != ISO__WORLD_BODY) == (count > 3);
}

static bool check_impulses(const iso__plane_joint *joint, const iso__plane_custom_joint *record,
                           const iso__custom_bounds *bounds) {
    bool is_right = true;
    const bool is_on = (joint->flags & ISO__PLANE_JOINT_ENABLED) != 0;
    for (uint32_t r = 0; r < ISO_CONSTRAINT_ROWS_MAX; ++r) {
        is_right =
            is_right && iso__snapshot_check_row(bounds, r, is_on, iso__plane_custom_impulse(joint, record, 2 * r),
                                                iso__plane_custom_impulse(joint, record, 2 * r + 1));
    }
    return is_right;
}

static bool check_record(const iso_world *world, const iso__snapshot *snapshot, const iso__plane_custom_joint *record) {
    iso_program program;
    const iso__custom_source source =
        iso__snapshot_custom_source(world, snapshot, record->kind, record->constraint, &program);
    if (!iso__custom_is_there(source) || record->joint >= snapshot->globals.joint_count) {
        return false;
    }
    iso__plane_joint joint;
    iso__snapshot_read(snapshot, ISO_SECTION_JOINTS, record->joint, &joint);
    const iso_program_params params = iso__plane_custom_params(record);
    if (joint.kind != record->kind || iso__custom_check_params(2, source, &params, NULL) != ISO_OK ||
        !check_bodies(&joint, iso__custom_shape_of(source).body_count)) {
        return false;
    }
    iso_wide state = 0;
    for (uint32_t i = 0; i < ISO_CONSTRAINT_STATE_MAX && record->kind != ISO_JOINT_USER; ++i) {
        state |= record->state[i];
    }
    const iso__custom_bounds bounds = iso__custom_bounds_of(source, &params, record->state);
    return state == 0 && check_impulses(&joint, record, &bounds);
}

static uint32_t check_joint_of(const iso__snapshot *snapshot, uint32_t index) {
    iso__plane_custom_joint record;
    CUSTOM_RECORD(snapshot, index, &record);
    return record.kind != 0 ? record.joint : UINT32_MAX;
}

bool iso__plane_snapshot_check_custom(const iso_world *world, const iso__snapshot *snapshot) {
    static const iso__plane_custom_joint none = {.kind = 0};
    uint32_t records = 0, joints = 0;
    if (!iso__snapshot_check_programs(snapshot, 2)) {
        return false;
    }
    for (uint32_t i = 0; i < snapshot->globals.custom_joint_count; ++i) {
        iso__plane_custom_joint record;
        CUSTOM_RECORD(snapshot, i, &record);
        if (record.kind == 0 ? memcmp(&record, &none, sizeof none) != 0 : !check_record(world, snapshot, &record)) {
            return false;
        }
        records += record.kind != 0;
    }
    for (uint32_t i = 0; i < snapshot->globals.joint_count; ++i) {
        joints += iso_joint_kind_is_custom(
            snapshot->parts[ISO_SECTION_JOINTS][i * sizeof(iso__plane_joint) + offsetof(iso__plane_joint, kind)]);
    }
    return records == joints && iso__snapshot_customs_differ(snapshot, check_joint_of); // so that each joint has one
}
