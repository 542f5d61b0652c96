/// See plane.h: which function of the plane does what the border asks for.
#include "plane/plane.h"

#include "plane/command/apply.h"
#include "plane/command/members.h"
#include "plane/dynamics/derive.h"
#include "plane/dynamics/step.h"
#include "plane/joint/joint.h"
#include "plane/layout.h"
#include "plane/snapshot/adopt.h"
#include "plane/snapshot/check.h"
#include "plane/snapshot/image_parts.h"
#include "plane/snapshot/restore.h"
#include "plane/world/body.h"
#include "plane/world/contact.h"
#include "plane/world/joint.h"
#include "plane/world/scratch.h"
#include "plane/world/sections.h"
#include "plane/world/shape.h"
#include "plane/world/wake.h"
#include "solver/params.h"
#include "step/begin.h"
#include "step/contact_limit.h"
#include "world/slots.h"

/// Raised only when a golden root changes, by tests/golden/accept.sh.
#define SIMULATION_VERSION 13u

static void plane_begin(iso_world *world) {
    iso__plane *plane = iso__plane_of(world);
    iso__step_params_make(&world->def, &plane->scratch->params);
    world->globals->gravity[0] = world->def.gravity.x;
    world->globals->gravity[1] = world->def.gravity.y;
    for (uint32_t i = 0; i < world->def.body_capacity; ++i) {
        plane->body_derived[i].first_shape = UINT32_MAX;
    }
    iso__maps_rebuild(world);
    iso__plane_caches_drop(world);
}

static iso_owner plane_body_owner(const iso_world *world, uint32_t body) {
    const iso__plane *plane = iso__plane_of_const(world);
    return iso__plane_body_owner(&plane->bodies[body]);
}

static void plane_own_body(iso_world *world, uint32_t body, iso_owner owner) {
    iso__plane *plane = iso__plane_of(world);
    plane->bodies[body].owner_generation = owner.generation;
    plane->bodies[body].owner_slot = owner.slot;
    iso__mark_dirty(world, ISO_SECTION_BODIES, body);
}

static void plane_tag_body(iso_world *world, uint32_t body, uint32_t tag) {
    iso__plane *plane = iso__plane_of(world);
    plane->bodies[body].tag = tag;
    iso__mark_dirty(world, ISO_SECTION_BODIES, body);
}

static bool plane_body_is_asleep(const iso_world *world, uint32_t body) {
    const iso__plane *plane = iso__plane_of_const(world);
    return iso__plane_body_is_asleep(plane, body);
}

static bool plane_body_is_dynamic(const iso_world *world, uint32_t body) {
    const iso__plane *plane = iso__plane_of_const(world);
    return plane->bodies[body].type == ISO_BODY_DYNAMIC;
}

static iso_owner plane_compound_owner(const iso_world *world, uint32_t compound) {
    const iso__plane *plane = iso__plane_of_const(world);
    const iso__plane_compound *record = &plane->compounds[compound];
    return (iso_owner){record->owner_generation, (uint16_t)record->owner_slot};
}

static uint64_t plane_spawn_number(const iso_world *world, uint32_t body) {
    const iso__plane *plane = iso__plane_of_const(world);
    return plane->bodies[body].spawn_number;
}

static uint32_t plane_shape_body(const iso_world *world, uint32_t shape) {
    const iso__plane *plane = iso__plane_of_const(world);
    return plane->shapes[shape].body;
}

static bool plane_shape_is_hull(const iso_world *world, uint32_t shape) {
    (void)world;
    (void)shape;
    return false;
}

static iso_owner plane_shape_owner(const iso_world *world, uint32_t shape) {
    const iso__plane *plane = iso__plane_of_const(world);
    return (iso_owner){plane->shapes[shape].owner_generation, plane->shapes[shape].owner_slot};
}

static void plane_own_shape(iso_world *world, uint32_t shape, iso_owner owner) {
    iso__plane *plane = iso__plane_of(world);
    plane->shapes[shape].owner_generation = owner.generation;
    plane->shapes[shape].owner_slot = owner.slot;
}

const iso__kernel iso__plane_kernel = {
    .dimensions = 2,
    .simulation_version = SIMULATION_VERSION,
    .sections = iso__plane_sections,
    .lay_out = iso__plane_lay_out,
    .begin = plane_begin,
    .drop_caches = iso__plane_caches_drop,
    .records = iso__plane_records,
    .used_count = iso__plane_used_count,
    .gather = iso__plane_gather,
    .variable_size = iso__plane_variable_size,
    .flip_bit = iso__plane_flip_bit,
    .destroy_body = iso__plane_body_destroy,
    .wake_body = iso__plane_body_wake,
    .body_is_asleep = plane_body_is_asleep,
    .body_is_dynamic = plane_body_is_dynamic,
    .tag_body = plane_tag_body,
    .destroy_shape = iso__plane_shape_destroy,
    .filter_shape = iso__plane_shape_set_filter,
    .tag_shape = iso__plane_shape_set_tag,
    .body_owner = plane_body_owner,
    .own_body = plane_own_body,
    .shape_body = plane_shape_body,
    .shape_is_hull = plane_shape_is_hull,
    .spawn_number = plane_spawn_number,
    .next_shape = iso__plane_shape_next,
    .read_contacts = iso__plane_contacts_read,
    .shape_owner = plane_shape_owner,
    .own_shape = plane_own_shape,
    .destroy_joint = iso__plane_joint_destroy,
    .tag_joint = iso__plane_joint_set_tag,
    .joint_setters = &iso__plane_joint_setters,
    .joint_bodies = iso__plane_joint_bodies,
    .compound_owner = plane_compound_owner,
    .joint_owner = iso__plane_joint_owner,
    .join = iso__plane_member_joins,
    .leave = iso__plane_member_leaves,
    .begin_step = iso__step_begin,
    .limit = iso__contact_limit_apply,
    .apply = iso__plane_command_apply,
    .simulate = iso__plane_step_simulate,
    .image_parts = iso__plane_image_parts,
    .keep_caches = iso__plane_image_keep_caches,
    .clear = iso__plane_world_clear,
    .arrive = iso__plane_world_arrive,
    .check = iso__plane_snapshot_check,
    .adopt = iso__plane_snapshot_adopt,
};
