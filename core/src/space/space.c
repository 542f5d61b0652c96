/// See space.h: which function of space does what the border asks for.
#include "space/space.h"

#include "space/command/apply.h"
#include "space/command/members.h"
#include "space/dynamics/step.h"
#include "space/joint/joint.h"
#include "space/layout.h"
#include "space/snapshot/adopt.h"
#include "space/snapshot/check.h"
#include "space/snapshot/image.h"
#include "space/snapshot/restore.h"
#include "space/world/body.h"
#include "space/world/body_wake.h"
#include "space/world/contact.h"
#include "space/world/joint.h"
#include "space/world/scratch.h"
#include "space/world/sections.h"
#include "space/world/shape.h"
#include "step/begin.h"
#include "step/contact_limit.h"
#include "world/slots.h"

/// Raised only when a golden root of a world in space changes, by tests/golden/accept.sh.
#define SIMULATION_VERSION 10u

static void space_drop_caches(iso_world *world) {
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        iso__mark_section_dirty(world, (iso_section)section);
    }
    world->wakes_islands = true;
    iso__space_of(world)->has_stale_pairs = true;
    iso__space_manifolds_forget(iso__space_of(world));
}

static void space_begin(iso_world *world) {
    iso__space *space = iso__space_of(world);
    iso__step_params_make(&world->def, &space->scratch->params);
    world->globals->gravity[0] = world->def.gravity.x;
    world->globals->gravity[1] = world->def.gravity.y;
    world->globals->gravity_z = world->def.gravity_z;
    for (uint32_t i = 0; i < world->def.body_capacity; ++i) {
        space->body_derived[i].first_shape = UINT32_MAX;
    }
    space->scratch->near.builds = space->scratch->near.wait = 0;
    iso__maps_rebuild(world);
    space_drop_caches(world);
}

static iso_owner space_compound_owner(const iso_world *world, uint32_t compound) {
    (void)world;
    (void)compound;
    return (iso_owner){0, ISO_OWNER_NOBODY};
}

const iso__kernel iso__space_kernel = {
    .dimensions = 3,
    .simulation_version = SIMULATION_VERSION,
    .sections = iso__space_sections,
    .lay_out = iso__space_lay_out,
    .begin = space_begin,
    .drop_caches = space_drop_caches,
    .records = iso__space_records,
    .used_count = iso__space_used_count,
    .gather = iso__space_gather,
    .variable_size = iso__space_variable_size,
    .flip_bit = iso__space_flip_bit,
    .join = iso__space_member_joins,
    .leave = iso__space_member_leaves,
    .begin_step = iso__step_begin,
    .limit = iso__contact_limit_apply,
    .apply = iso__space_command_apply,
    .simulate = iso__space_step_simulate,
    .image_parts = iso__space_image_parts,
    .keep_caches = iso__space_image_keep_caches,
    .clear = iso__space_clear,
    .arrive = iso__space_arrive,
    .check = iso__space_snapshot_check,
    .adopt = iso__space_snapshot_adopt,
    .destroy_body = iso__space_body_destroy,
    .wake_body = iso__space_body_wake,
    .body_is_asleep = iso__space_body_is_asleep,
    .body_is_dynamic = iso__space_body_is_dynamic,
    .tag_body = iso__space_body_set_tag,
    .destroy_shape = iso__space_shape_destroy,
    .filter_shape = iso__space_shape_set_filter,
    .tag_shape = iso__space_shape_set_tag,
    .body_owner = iso__space_body_owner,
    .own_body = iso__space_body_set_owner,
    .shape_body = iso__space_shape_body,
    .shape_is_hull = iso__space_shape_is_hull,
    .spawn_number = iso__space_body_spawn_number,
    .next_shape = iso__space_shape_next,
    .read_contacts = iso__space_contacts_read,
    .destroy_joint = iso__space_joint_destroy,
    .tag_joint = iso__space_joint_set_tag,
    .joint_setters = &iso__space_joint_setters,
    .joint_bodies = iso__space_joint_bodies,
    .compound_owner = space_compound_owner,
    .joint_owner = iso__space_joint_owner,
    .shape_owner = iso__space_shape_owner,
    .own_shape = iso__space_shape_set_owner,
};
