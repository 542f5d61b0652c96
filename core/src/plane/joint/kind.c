/// See kind.h.
#include "plane/joint/kind.h"

#include "base/assert.h"
#include "plane/joint/axis_make.h"
#include "plane/world/joint.h"

const iso__plane_joint_kind *iso__plane_joint_kind_of(uint8_t kind) {
    static const iso__plane_joint_kind *const kinds[] = {
#define JOINT_KIND(name, number, snake, has) [number] = &iso__plane_kind_##snake,
        ISO_JOINT_KIND_LIST(JOINT_KIND)
#undef JOINT_KIND
    };
    ISO_ASSERT(kind < sizeof kinds / sizeof kinds[0] && kinds[kind] != NULL);
    return kinds[kind];
}

uint32_t iso__plane_joint_rows(const iso__plane_joint *joint) {
    ISO_ASSERT(joint->kind != 0);
    const iso__plane_joint_kind *kind = iso__plane_joint_kind_of(joint->kind);
    ISO_ASSERT(kind->rows == NULL || (iso__plane_joint_has(joint) & ISO_JOINT_HAS_POINT) == 0);
    const bool has_own = kind->rows != NULL && (joint->flags & ISO__PLANE_JOINT_ENABLED) != 0;
    return iso__plane_axis_rows(joint) | (has_own ? kind->rows(joint) : 0);
}

void iso__plane_joint_prepare(const iso__plane *plane, uint32_t index, iso__plane_joint_work *work,
                              iso__plane_axis *axes) {
    ISO_ASSERT(index < plane->world.globals->joint_count && axes != NULL);
    const iso__plane_joint *joint = &plane->joints[index];
    work->joint = index;
    work->kind = joint->kind;
    work->has_point = work->is_moved = false;
    work->axis_count = 0;
    work->axes = axes;
    work->latch = joint->latch;
    work->clamps = 0;
    work->body_c = work->body_d = plane->world.def.body_capacity;
    iso__plane_joint_kind_of(joint->kind)->prepare(plane, joint, work);
    ISO_ASSERT(work->axis_count <= ISO__PLANE_JOINT_AXES_MAX && work->body_b < plane->world.def.body_capacity);
}
