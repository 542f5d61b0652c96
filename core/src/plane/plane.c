/// See plane.h: which function of the plane does what the border asks for.
#include "plane/plane.h"

#include "command/apply.h"
#include "command/members.h"
#include "step/contact_limit.h"
#include "dynamics/derive.h"
#include "dynamics/step.h"
#include "plane/layout.h"
#include "snapshot/adopt.h"
#include "snapshot/check.h"
#include "snapshot/image_parts.h"
#include "snapshot/restore.h"
#include "solver/params.h"
#include "solver/scratch.h"
#include "joint/joint.h"
#include "world/body.h"
#include "world/contact.h"
#include "world/joint.h"
#include "world/shape.h"
#include "world/wake.h"
#include "world/sections.h"
#include "world/slots.h"

/// Raised only when a golden root changes, by tests/golden/accept.sh.
#define SIMULATION_VERSION 13u

static void plane_begin(iso_world *world) {
    iso__step_params_make(&world->def, &world->scratch->params);
    world->globals->gravity[0] = world->def.gravity.x;
    world->globals->gravity[1] = world->def.gravity.y;
    for (uint32_t i = 0; i < world->def.body_capacity; ++i) {
        world->body_derived[i].first_shape = UINT32_MAX;
    }
    iso__maps_rebuild(world);
    iso__caches_drop(world);
}

static iso_owner plane_body_owner(const iso_world *world, uint32_t body) {
    return iso__body_owner(&world->bodies[body]);
}

static void plane_own_body(iso_world *world, uint32_t body, iso_owner owner) {
    world->bodies[body].owner_generation = owner.generation;
    world->bodies[body].owner_slot = owner.slot;
    iso__mark_dirty(world, ISO_SECTION_BODIES, body);
}

static void plane_tag_body(iso_world *world, uint32_t body, uint32_t tag) {
    world->bodies[body].tag = tag;
    iso__mark_dirty(world, ISO_SECTION_BODIES, body);
}

static bool plane_body_is_asleep(const iso_world *world, uint32_t body) {
    return iso__body_is_asleep(world, body);
}

static bool plane_body_is_dynamic(const iso_world *world, uint32_t body) {
    return world->bodies[body].type == ISO_BODY_DYNAMIC;
}

static iso_owner plane_compound_owner(const iso_world *world, uint32_t compound) {
    const iso__compound *record = &world->compounds[compound];
    return (iso_owner){record->owner_generation, (uint16_t)record->owner_slot};
}

static uint64_t plane_spawn_number(const iso_world *world, uint32_t body) {
    return world->bodies[body].spawn_number;
}

static uint32_t plane_shape_body(const iso_world *world, uint32_t shape) {
    return world->shapes[shape].body;
}

static bool plane_shape_is_hull(const iso_world *world, uint32_t shape) {
    (void)world;
    (void)shape;
    return false;
}

static iso_owner plane_shape_owner(const iso_world *world, uint32_t shape) {
    return (iso_owner){world->shapes[shape].owner_generation, world->shapes[shape].owner_slot};
}

static void plane_own_shape(iso_world *world, uint32_t shape, iso_owner owner) {
    world->shapes[shape].owner_generation = owner.generation;
    world->shapes[shape].owner_slot = owner.slot;
}

const iso__kernel iso__plane = {
    .dimensions = 2,
    .simulation_version = SIMULATION_VERSION,
    .sections = iso__plane_sections,
    .lay_out = iso__plane_lay_out,
    .begin = plane_begin,
    .drop_caches = iso__caches_drop,
    .records = iso__plane_records,
    .used_count = iso__plane_used_count,
    .gather = iso__plane_gather,
    .variable_size = iso__plane_variable_size,
    .flip_bit = iso__plane_flip_bit,
    .destroy_body = iso__body_destroy,
    .wake_body = iso__body_wake,
    .body_is_asleep = plane_body_is_asleep,
    .body_is_dynamic = plane_body_is_dynamic,
    .tag_body = plane_tag_body,
    .destroy_shape = iso__shape_destroy,
    .filter_shape = iso__shape_set_filter,
    .tag_shape = iso__shape_set_tag,
    .body_owner = plane_body_owner,
    .own_body = plane_own_body,
    .shape_body = plane_shape_body,
    .shape_is_hull = plane_shape_is_hull,
    .spawn_number = plane_spawn_number,
    .next_shape = iso__shape_next,
    .next_contact = iso__contact_next,
    .count_points = iso__contacts_count_points,
    .read_contacts = iso__contacts_read,
    .shape_owner = plane_shape_owner,
    .own_shape = plane_own_shape,
    .destroy_joint = iso__joint_destroy,
    .enable_joint = iso__joint_enable,
    .tag_joint = iso__joint_set_tag,
    .set_joint_break = iso__joint_set_break,
    .joint_bodies = iso__joint_bodies,
    .compound_owner = plane_compound_owner,
    .joint_owner = iso__joint_owner,
    .join = iso__member_joins,
    .leave = iso__member_leaves,
    .begin_step = iso__step_begin,
    .limit = iso__contact_limit_apply,
    .apply = iso__command_apply,
    .simulate = iso__step_simulate,
    .image_parts = iso__image_parts,
    .keep_caches = iso__image_keep_caches,
    .clear = iso__world_clear,
    .arrive = iso__world_arrive,
    .check = iso__snapshot_check,
    .adopt = iso__snapshot_adopt,
};
