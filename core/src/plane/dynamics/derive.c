/// See derive.h.
#include "plane/dynamics/derive.h"

#include "base/assert.h"
#include "plane/dynamics/broad_phase.h"
#include "plane/world/body_mass.h"
#include "plane/world/contact.h"

static void world_link_shapes(iso__plane *plane) {
    for (uint32_t i = 0; i < plane->world.globals->body_count; ++i) {
        plane->body_derived[i] = (iso__plane_body_derived){.first_shape = UINT32_MAX};
    }
    for (uint32_t i = plane->world.globals->shape_count; i > 0; --i) {
        const iso__plane_shape *shape = &plane->shapes[i - 1];
        if (shape->kind != 0) {
            plane->shape_derived[i - 1].next_shape = plane->body_derived[shape->body].first_shape;
            plane->body_derived[shape->body].first_shape = i - 1;
        }
    }
}

iso_status iso__plane_world_derive(iso__plane *plane) {
    ISO_ASSERT(plane->world.globals->body_count <= plane->world.def.body_capacity);
    ISO_ASSERT(plane->world.globals->shape_count <= plane->world.def.shape_capacity);
    world_link_shapes(plane);
    for (uint32_t i = 0; i < plane->world.globals->body_count; ++i) {
        if (plane->bodies[i].type == 0) {
            continue;
        }
        const iso_status status = iso__plane_body_update_mass(plane, i, false);
        if (status != ISO_OK) {
            return status;
        }
        iso__plane_body_update_rotation(plane, i);
    }
    iso__plane_caches_drop(&plane->world);
    return ISO_OK;
}

void iso__plane_caches_drop(iso_world *world) {
    iso__plane *plane = iso__plane_of(world);
    ISO_ASSERT(world->globals->joint_count <= world->def.joint_capacity);
    iso__plane_broad_phase_clear(plane);
    iso__plane_contacts_forget(plane, UINT32_MAX);
    world->has_changed_joints = plane->has_changed_rows = plane->has_changed_surfaces = true;
    world->wakes_islands = true;
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        iso__mark_section_dirty(world, (iso_section)section);
    }
}
