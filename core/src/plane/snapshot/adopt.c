/// See adopt.h.
#include "plane/snapshot/adopt.h"

#include <string.h>

#include "base/assert.h"
#include "plane/dynamics/derive.h"
#include "plane/snapshot/check.h"
#include "plane/snapshot/read_shape.h"
#include "plane/snapshot/restore.h"
#include "plane/world/body_mass.h"

// While a snapshot's shapes are checked, the old ones are kept in the memory of their derived data, which can be
// computed again.
_Static_assert(offsetof(iso__plane_shape_derived, next_shape) >= sizeof(iso__plane_shape), "no room to keep a shape");

/// Puts the snapshot's shapes into the world and links them to their bodies.
static void adopt_stage_shapes(iso__plane *plane, const iso__snapshot *snapshot) {
    const uint32_t old_count = plane->world.globals->shape_count;
    const uint32_t new_count = snapshot->globals.shape_count;
    for (uint32_t i = 0; i < old_count; ++i) {
        memcpy(&plane->shape_derived[i], &plane->shapes[i], sizeof(iso__plane_shape));
        plane->shapes[i] = (iso__plane_shape){0};
    }
    for (uint32_t i = 0; i < snapshot->globals.body_count; ++i) {
        plane->body_derived[i].first_shape = UINT32_MAX;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < new_count; ++i) {
        at += iso__plane_snapshot_read_shape(snapshot->parts[ISO_SECTION_SHAPES] + at, snapshot->variable_size - at,
                                             &plane->shapes[i]);
    }
    for (uint32_t i = new_count; i-- > 0;) {
        if (plane->shapes[i].kind != 0) {
            uint32_t *first = &plane->body_derived[plane->shapes[i].body].first_shape;
            plane->shape_derived[i].next_shape = *first;
            *first = i;
        }
    }
}

static void adopt_unstage_shapes(iso__plane *plane, const iso__snapshot *snapshot) {
    const uint32_t old_count = plane->world.globals->shape_count;
    for (uint32_t i = 0; i < old_count; ++i) {
        memcpy(&plane->shapes[i], &plane->shape_derived[i], sizeof(iso__plane_shape));
    }
    for (uint32_t i = old_count; i < snapshot->globals.shape_count; ++i) {
        plane->shapes[i] = (iso__plane_shape){0};
    }
    const iso_status status = iso__plane_world_derive(plane);
    ISO_ASSERT(status == ISO_OK); // it is the state from before
}

/// The checks that need shapes at random. Of the bodies everything is derived on the way but the rotations.
static iso_status adopt_check_staged(iso__plane *plane, const iso__snapshot *snapshot) {
    for (uint32_t i = 0; i < snapshot->globals.body_count; ++i) {
        iso__plane_body body;
        iso__snapshot_read(snapshot, ISO_SECTION_BODIES, i, &body);
        iso__plane_body_derived derived = {.first_shape = plane->body_derived[i].first_shape};
        if (body.type != 0 && iso__plane_body_derive(plane, i, &body, &derived) != ISO_OK) {
            return ISO_ERR_CORRUPT;
        }
        plane->body_derived[i] = derived;
    }
    return iso__plane_snapshot_check_contacts(plane, snapshot);
}

static void adopt_compounds(iso__plane *plane, const iso__snapshot *snapshot) {
    const struct {
        iso_section section;
        void *records;
        uint32_t count;
    } parts[] = {
        {ISO_SECTION_COMPOUNDS, plane->compounds, snapshot->globals.compound_count},
        {ISO_SECTION_BLUEPRINTS, plane->blueprints, snapshot->globals.blueprint_count},
        {ISO_SECTION_BLUEPRINT_BODIES, plane->blueprint_bodies, snapshot->globals.blueprint_body_count},
        {ISO_SECTION_BLUEPRINT_SHAPES, plane->blueprint_shapes, snapshot->globals.blueprint_shape_count},
        {ISO_SECTION_BLUEPRINT_JOINTS, plane->blueprint_joints, snapshot->globals.blueprint_joint_count},
    };
    for (uint32_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        iso__snapshot_read_records(snapshot->kernel, parts[i].section, snapshot->parts[parts[i].section],
                                   parts[i].records, parts[i].count);
    }
}

/// Puts everything into the world except the shapes, which are already there.
static void adopt_records(iso__plane *plane, const iso__snapshot *snapshot) {
    const iso__kernel *kernel = snapshot->kernel;
    const uint8_t *const *parts = snapshot->parts;
    const iso__globals *globals = &snapshot->globals;
    iso__plane_world_clear(&plane->world, globals);
    *plane->world.globals = *globals;
    iso__snapshot_read_records(kernel, ISO_SECTION_SLOTS, parts[ISO_SECTION_SLOTS], plane->world.slots,
                               plane->world.def.slot_capacity);
    iso__snapshot_read_records(kernel, ISO_SECTION_BODIES, parts[ISO_SECTION_BODIES], plane->bodies,
                               globals->body_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_JOINTS, parts[ISO_SECTION_JOINTS], plane->joints,
                               globals->joint_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_CONTACTS, parts[ISO_SECTION_CONTACTS], plane->contacts,
                               globals->contact_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_PROGRAMS, parts[ISO_SECTION_PROGRAMS], plane->world.programs,
                               globals->program_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_CUSTOM_JOINTS, parts[ISO_SECTION_CUSTOM_JOINTS],
                               plane->custom_joints, globals->custom_joint_count);
    adopt_compounds(plane, snapshot);
    const uint8_t *at = parts[ISO_SECTION_GENERATIONS];
    at += iso__snapshot_read_records(kernel, ISO_SECTION_GENERATIONS, at, plane->world.body_generations,
                                     globals->body_count);
    at += iso__snapshot_read_records(kernel, ISO_SECTION_GENERATIONS, at, plane->world.shape_generations,
                                     globals->shape_count);
    at += iso__snapshot_read_records(kernel, ISO_SECTION_GENERATIONS, at, plane->world.joint_generations,
                                     globals->joint_count);
    iso__snapshot_read_records(kernel, ISO_SECTION_GENERATIONS, at, plane->world.compound_generations,
                               globals->compound_count);
    iso__plane_world_arrive(&plane->world);
}

/// Derives what the checks did not need; caches are those of the state before.
static void adopt_derive(iso__plane *plane) {
    for (uint32_t i = 0; i < plane->world.globals->body_count; ++i) {
        if (plane->bodies[i].type != 0) {
            iso__plane_body_derive_shapes(plane, i);
            iso__plane_body_update_rotation(plane, i);
        }
    }
    iso__plane_caches_drop(&plane->world);
}

iso_status iso__plane_snapshot_adopt(iso_world *world, const iso__snapshot *snapshot) {
    iso__plane *plane = iso__plane_of(world);
    adopt_stage_shapes(plane, snapshot);
    const iso_status status = adopt_check_staged(plane, snapshot);
    if (status != ISO_OK) {
        adopt_unstage_shapes(plane, snapshot);
        return status;
    }
    adopt_records(plane, snapshot);
    adopt_derive(plane);
    return ISO_OK;
}
