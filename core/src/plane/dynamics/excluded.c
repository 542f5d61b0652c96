/// See excluded.h.
#include "plane/dynamics/excluded.h"

#include "base/assert.h"

void iso__plane_excluded_update(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(plane->world.globals->joint_count <= plane->world.def.joint_capacity);
    if (!plane->world.has_changed_joints) {
        return;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < plane->world.globals->joint_count; ++i) {
        const iso__plane_joint *joint = &plane->joints[i];
        const uint32_t keeps_apart = joint->flags & (ISO__PLANE_JOINT_ENABLED | ISO__PLANE_JOINT_COLLIDE_CONNECTED);
        if (joint->kind == 0 || joint->body_a == ISO__WORLD_BODY || keeps_apart != ISO__PLANE_JOINT_ENABLED) {
            continue;
        }
        const uint64_t bodies[] = {joint->body_a, joint->body_b, joint->body_c, joint->body_d};
        for (uint32_t n = 0; n < 4 && bodies[n] != ISO__WORLD_BODY; n += 2) {
            const uint64_t a = bodies[n], b = bodies[n + 1];
            scratch->excluded_pairs[count++] = (iso__pair){a < b ? a << 32 | b : b << 32 | a, 0};
        }
    }
    iso__pairs_sort(scratch->excluded_pairs, count);
    scratch->excluded_count = count;
    plane->world.has_changed_joints = false;
}

uint32_t iso__plane_excluded_find(const iso__plane_step_scratch *scratch, uint64_t bodies) {
    uint32_t low = 0, high = scratch->excluded_count;
    ISO_VALIDATE_ASSERT(scratch->excluded_count == 0 || scratch->excluded_pairs != NULL);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (scratch->excluded_pairs[middle].bodies < bodies) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
