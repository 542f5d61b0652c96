/// See snapshot_custom.h.
#include "state/snapshot_custom.h"

#include <string.h>

#include "base/bits.h"
#include "isostep/joint.h"

#define CUSTOM_BLOCK 32768u // joints

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
