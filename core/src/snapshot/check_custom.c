/// The rules for programs and custom joints of a snapshot.
///
/// A program is what iso_program_check accepts, so that running it needs no checks. Each live joint of the kinds USER and
/// SYMBOLIC has one custom record, which names an existing program or constraint, has its bodies, and is within its
/// limits.
#include "snapshot/check_custom.h"

#include <string.h>

#include "base/bits.h"
#include "joint/custom.h"
#include "joint/work.h"
#include "snapshot/read.h"
#include "world/custom.h"
#include "world/joint.h"
#include "world/joint_mass.h"

#define CUSTOM_BLOCK 32768u // joints

#define CUSTOM_RECORD(snapshot, i, record) iso__snapshot_read((snapshot), ISO_SECTION_CUSTOM_JOINTS, (i), (record))

bool iso__snapshot_check_programs(const iso__snapshot *snapshot, uint32_t dimensions) {
    for (uint32_t i = 0; i < snapshot->globals.program_count; ++i) {
        iso_program program;
        iso__snapshot_read(snapshot, ISO_SECTION_PROGRAMS, i, &program);
        if (iso_program_check(&program) != ISO_OK || iso_program_dimensions(&program) != dimensions) {
            return false;
        }
    }
    return true;
}

iso__custom_source iso__snapshot_custom_source(const iso_world *world, const iso__snapshot *snapshot, uint32_t kind,
                                               uint32_t constraint, iso_program *program) {
    if (kind == ISO_JOINT_USER) {
        return iso__custom_find(world, kind, constraint);
    }
    if (kind != ISO_JOINT_SYMBOLIC || constraint >= snapshot->globals.program_count) {
        return (iso__custom_source){NULL, NULL};
    }
    iso__snapshot_read(snapshot, ISO_SECTION_PROGRAMS, constraint, program);
    return (iso__custom_source){program, NULL};
}

/// As many bodies as the source has, from A on, or B alone. That those exist was checked with the joint.
static bool check_bodies(const iso__joint *joint, uint32_t count) {
    return (joint->body_a != ISO__WORLD_BODY) == (count > 1) && (joint->body_c != ISO__WORLD_BODY) == (count > 2) &&
           (joint->body_d != ISO__WORLD_BODY) == (count > 3);
}

static bool check_impulse(int64_t j, bool is_there, bool may_push, bool may_pull) {
    const int64_t most = is_there ? ISO__AXIS_IMPULSE_MAX : 0;
    return j >= (may_pull ? -most : 0) && j <= (may_push ? most : 0);
}

bool iso__snapshot_check_row(const iso__custom_bounds *bounds, uint32_t r, bool is_on, int64_t first, int64_t second) {
    const bool holds = (bounds->rows[r] >> ISO__AXIS_HOLD & 1u) != 0;
    const bool has_lower = (bounds->rows[r] >> ISO__AXIS_LOWER & 1u) != 0,
               has_upper = (bounds->rows[r] >> ISO__AXIS_UPPER & 1u) != 0;
    return check_impulse(first, is_on && (holds || has_lower), true, holds) &&
           check_impulse(second, is_on && has_upper, false, true);
}

static bool check_impulses(const iso__joint *joint, const iso__custom_joint *record, const iso__custom_bounds *bounds) {
    bool is_right = true;
    const bool is_on = (joint->flags & ISO__JOINT_ENABLED) != 0;
    for (uint32_t r = 0; r < ISO_CONSTRAINT_ROWS_MAX; ++r) {
        is_right = is_right && iso__snapshot_check_row(bounds, r, is_on, iso__custom_impulse(joint, record, 2 * r),
                                                       iso__custom_impulse(joint, record, 2 * r + 1));
    }
    return is_right;
}

static bool check_record(const iso_world *world, const iso__snapshot *snapshot, const iso__custom_joint *record) {
    iso_program program;
    const iso__custom_source source =
        iso__snapshot_custom_source(world, snapshot, record->kind, record->constraint, &program);
    if (!iso__custom_is_there(source) || record->joint >= snapshot->globals.joint_count) {
        return false;
    }
    iso__joint joint;
    iso__snapshot_read(snapshot, ISO_SECTION_JOINTS, record->joint, &joint);
    const iso_program_params params = iso__custom_params(record);
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

/// A bit per joint, as many as stand on the stack at a time. A walk over the records before each record takes 0.13 s of
/// 4,096 records, as often as a hostile server sends them.
bool iso__snapshot_customs_differ(const iso__snapshot *snapshot, iso__custom_joint_fn *joint_of) {
    uint64_t seen[CUSTOM_BLOCK / 64];
    for (uint32_t first = 0; first < snapshot->globals.joint_count; first += CUSTOM_BLOCK) {
        memset(seen, 0, sizeof seen);
        for (uint32_t i = 0; i < snapshot->globals.custom_joint_count; ++i) {
            const uint32_t joint = joint_of(snapshot, i), place = joint - first;
            if (joint == UINT32_MAX || place >= CUSTOM_BLOCK) {
                continue;
            }
            if (iso__bit_is_set(seen, place)) {
                return false;
            }
            iso__bit_set(seen, place);
        }
    }
    return true;
}

static uint32_t check_joint_of(const iso__snapshot *snapshot, uint32_t index) {
    iso__custom_joint record;
    CUSTOM_RECORD(snapshot, index, &record);
    return record.kind != 0 ? record.joint : UINT32_MAX;
}

bool iso__snapshot_check_custom(const iso_world *world, const iso__snapshot *snapshot) {
    static const iso__custom_joint none = {.kind = 0};
    uint32_t records = 0, joints = 0;
    if (!iso__snapshot_check_programs(snapshot, 2)) {
        return false;
    }
    for (uint32_t i = 0; i < snapshot->globals.custom_joint_count; ++i) {
        iso__custom_joint record;
        CUSTOM_RECORD(snapshot, i, &record);
        if (record.kind == 0 ? memcmp(&record, &none, sizeof none) != 0 : !check_record(world, snapshot, &record)) {
            return false;
        }
        records += record.kind != 0;
    }
    for (uint32_t i = 0; i < snapshot->globals.joint_count; ++i) {
        joints += iso__joint_is_custom(
            snapshot->parts[ISO_SECTION_JOINTS][i * sizeof(iso__joint) + offsetof(iso__joint, kind)]);
    }
    return records == joints && iso__snapshot_customs_differ(snapshot, check_joint_of); // so that each joint has one
}
