/// Islands: sets of awake dynamic bodies that contacts and joints connect. They are found when these have changed.
#include "plane/dynamics/island.h"

#include "base/assert.h"
#include "plane/world/joint.h"
#include "plane/world/scratch.h"
#include "step/island.h"

static iso__edge island_contact_edge(uint64_t key) {
    const bool is_sensor = (key & ISO__PLANE_CONTACT_KEY_SENSOR) != 0;
    const uint32_t a = iso__plane_contact_key_a(key);
    return (iso__edge){a, is_sensor ? a : iso__plane_contact_key_b(key)};
}

static iso__edge island_joint_edge(const iso__plane *plane, uint32_t index, uint32_t pair) {
    uint32_t a, b;
    iso__plane_joint_pair_of(plane->scratch->joints[index].bodies, pair, &a, &b);
    const uint32_t none = plane->world.def.body_capacity;
    return a >= none || b >= none ? (iso__edge){0, 0} : (iso__edge){a, b};
}

/// The contacts come first, then the first pair of each joint, then the second pair of each, and so on.
static void island_read_edges(const iso_world *world, uint32_t first, uint32_t count, iso__edge *edges) {
    const iso__plane *plane = iso__plane_of_const(world);
    const iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t n = first + i;
        if (n < scratch->solved_count) {
            edges[i] = island_contact_edge(scratch->contact_keys[n]);
        } else {
            const uint32_t at = n - scratch->solved_count;
            edges[i] = island_joint_edge(plane, at % scratch->joint_count, at / scratch->joint_count);
        }
    }
}

iso__edges iso__plane_step_edges(const iso_world *world) {
    const iso__plane *plane = iso__plane_of_const(world);
    const iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->joint_count <= plane->world.globals->joint_count);
    uint32_t pairs = 1; // when any joint has four bodies, which is rare, all joints have as many pairs
    for (uint32_t i = 0; i < scratch->joint_count; ++i) {
        pairs = scratch->joints[i].bodies[2] < plane->world.def.body_capacity ? ISO__PLANE_JOINT_PAIRS : pairs;
    }
    return (iso__edges){scratch->solved_count + pairs * scratch->joint_count, island_read_edges};
}

void iso__plane_step_find_islands(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    if (scratch->has_same_joints && scratch->has_same_contacts && scratch->has_islands) {
        return; // the same constraints connect the same bodies
    }
    const iso__edges edges = iso__plane_step_edges(&plane->world);
    iso__step_find_islands(&plane->world, scratch->moving, scratch->moving_count, &edges);
    scratch->has_islands = true;
    ISO_ASSERT(plane->world.island_count <= scratch->moving_count);
}
