/// See kind.h.
#include "joint/kind.h"

#include "base/assert.h"
#include "joint/axis_make.h"
#include "world/joint.h"

const iso__joint_kind *iso__joint_kind_of(uint8_t kind) {
    static const iso__joint_kind *const kinds[] = {
#define JOINT_KIND(name, number, snake, has) [number] = &iso__kind_##snake,
        ISO_JOINT_KIND_LIST(JOINT_KIND)
#undef JOINT_KIND
    };
    ISO_ASSERT(kind < sizeof kinds / sizeof kinds[0] && kinds[kind] != NULL);
    return kinds[kind];
}

uint32_t iso__joint_rows(const iso__joint *joint) {
    ISO_ASSERT(joint->kind != 0);
    const iso__joint_kind *kind = iso__joint_kind_of(joint->kind);
    ISO_ASSERT(kind->rows == NULL || (iso__joint_has(joint) & ISO_JOINT_HAS_POINT) == 0);
    const bool has_own = kind->rows != NULL && (joint->flags & ISO__JOINT_ENABLED) != 0;
    return iso__axis_rows(joint) | (has_own ? kind->rows(joint) : 0);
}

void iso__joint_prepare(const iso_world *world, uint32_t index, iso__joint_work *work, iso__joint_axis *axes) {
    ISO_ASSERT(index < world->globals->joint_count && axes != NULL);
    const iso__joint *joint = &world->joints[index];
    work->joint = index;
    work->kind = joint->kind;
    work->has_point = work->is_moved = false;
    work->axis_count = 0;
    work->axes = axes;
    work->latch = joint->latch;
    work->clamps = 0;
    work->body_c = work->body_d = world->def.body_capacity;
    iso__joint_kind_of(joint->kind)->prepare(world, joint, work);
    ISO_ASSERT(work->axis_count <= ISO__JOINT_AXES_MAX && work->body_b < world->def.body_capacity);
}
