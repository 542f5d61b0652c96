/// Islands: sets of awake dynamic bodies that contacts and joints connect. They are found when these have changed.
#include "plane/dynamics/island.h"

#include "base/assert.h"
#include "plane/world/joint.h"
#include "plane/world/scratch.h"
#include "step/island.h"

static void island_join(const iso__plane *plane, uint32_t a, uint32_t b) {
    if (a >= plane->world.def.body_capacity || b >= plane->world.def.body_capacity ||
        plane->bodies[a].type != ISO_BODY_DYNAMIC || plane->bodies[b].type != ISO_BODY_DYNAMIC) {
        return;
    }
    iso__island_join(plane->world.islands, a, b);
}

void iso__plane_step_find_islands(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    if (scratch->has_same_joints && scratch->has_same_contacts && scratch->has_islands) {
        return; // the same constraints connect the same bodies
    }
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        plane->world.islands[scratch->moving[m]] = scratch->moving[m];
    }
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        const uint32_t *bodies = scratch->joints[i].bodies;
        for (uint32_t n = 0; n < (bodies[2] < plane->world.def.body_capacity ? ISO__PLANE_JOINT_PAIRS : 1); ++n) {
            uint32_t a, b;
            iso__plane_joint_pair_of(bodies, n, &a, &b);
            island_join(plane, a, b);
        }
    }
    for (uint32_t i = 0; i < scratch->solved_count; ++i) {
        const uint64_t key = scratch->contact_keys[i];
        if ((key & ISO__PLANE_CONTACT_KEY_SENSOR) == 0) {
            island_join(plane, iso__plane_contact_key_a(key), iso__plane_contact_key_b(key));
        }
    }
    plane->world.island_count = 0;
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        const uint32_t i = scratch->moving[m];
        plane->world.islands[i] = iso__island_find(plane->world.islands, i);
        plane->world.island_count += plane->world.islands[i] == i && plane->bodies[i].type == ISO_BODY_DYNAMIC;
    }
    scratch->has_islands = true;
    ISO_ASSERT(plane->world.island_count <= scratch->moving_count);
}
