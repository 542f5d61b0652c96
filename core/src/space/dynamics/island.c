/// Islands in space: sets of awake dynamic bodies that contacts and joints connect. They are found in each tick.
#include "space/dynamics/island.h"

#include "base/assert.h"
#include "space/dynamics/contact_rules.h"
#include "space/joint/work.h"
#include "step/island.h"

/// A contact that the game has disabled connects all the same; what sleeps has no manifold.
static iso__edge island_contact_edge(const iso__space *space, uint32_t number) {
    if (space->scratch->contact_manifolds[number] == UINT32_MAX) {
        return (iso__edge){0, 0};
    }
    const iso__space_contact *contact = &space->contacts[number];
    return iso__space_contact_is_sensor(space, contact)
               ? (iso__edge){0, 0}
               : (iso__edge){space->shapes[contact->shape_a].body, space->shapes[contact->shape_b].body};
}

/// The record may be gone: the joint may have broken.
static iso__edge island_joint_edge(const iso__space *space, uint32_t index) {
    const uint32_t a = space->scratch->joints[index].a.body, b = space->scratch->joints[index].b.body;
    const uint32_t none = space->world.def.body_capacity;
    return a >= none || b >= none ? (iso__edge){0, 0} : (iso__edge){a, b};
}

/// The contacts come first, then the joints.
static void island_read_edges(const iso_world *world, uint32_t first, uint32_t count, iso__edge *edges) {
    const iso__space *space = iso__space_of_const(world);
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t n = first + i, contacts = world->globals->contact_count;
        edges[i] = n < contacts ? island_contact_edge(space, n) : island_joint_edge(space, n - contacts);
    }
}

iso__edges iso__space_step_edges(const iso_world *world) {
    const uint32_t joint_count = iso__space_of_const(world)->scratch->joint_count;
    ISO_ASSERT(joint_count <= world->globals->joint_count);
    return (iso__edges){world->globals->contact_count + joint_count, island_read_edges};
}

void iso__space_step_find_islands(iso__space *space) {
    const iso__edges edges = iso__space_step_edges(&space->world);
    ISO_ASSERT(space->scratch->moving_count <= space->world.globals->body_count);
    iso__step_find_islands(&space->world, space->scratch->moving, space->scratch->moving_count, &edges);
}
