/// See space.h: which function of space does what the border asks for.
#include "space/space.h"

#include "command3/apply3.h"
#include "solver/scratch3.h"
#include "step/contact_limit.h"
#include "dynamics3/step3.h"
#include "snapshot3/adopt3.h"
#include "snapshot3/check3.h"
#include "snapshot3/image3.h"
#include "snapshot3/restore3.h"
#include "space/layout3.h"
#include "world/slots.h"
#include "world3/body3.h"
#include "world3/body3_wake.h"
#include "world3/contact3.h"
#include "command3/members3.h"
#include "joint3/joint3.h"
#include "world3/joint3.h"
#include "world3/sections3.h"
#include "world3/shape3.h"

/// Raised only when a golden root of a world in space changes, by tests/golden/accept.sh.
#define SIMULATION_VERSION 9u

static void space_drop_caches(iso_world *world) {
    for (uint32_t section = 0; section < ISO_SECTION_COUNT; ++section) {
        iso__mark_section_dirty(world, (iso_section)section);
    }
    world->wakes_islands = true;
    iso__space_of(world)->has_stale_pairs = true;
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
    .join = iso__member3_joins,
    .leave = iso__member3_leaves,
    .begin_step = iso__step3_begin,
    .limit = iso__contact_limit_apply,
    .apply = iso__command3_apply,
    .simulate = iso__step3_simulate,
    .image_parts = iso__image3_parts,
    .keep_caches = iso__image3_keep_caches,
    .clear = iso__space_clear,
    .arrive = iso__space_arrive,
    .check = iso__snapshot3_check,
    .adopt = iso__snapshot3_adopt,
    .destroy_body = iso__body3_destroy,
    .wake_body = iso__body3_wake,
    .body_is_asleep = iso__body3_is_asleep,
    .body_is_dynamic = iso__body3_is_dynamic,
    .tag_body = iso__body3_set_tag,
    .destroy_shape = iso__shape3_destroy,
    .filter_shape = iso__shape3_set_filter,
    .tag_shape = iso__shape3_set_tag,
    .body_owner = iso__body3_owner,
    .own_body = iso__body3_set_owner,
    .shape_body = iso__shape3_body,
    .shape_is_hull = iso__shape3_is_hull,
    .spawn_number = iso__body3_spawn_number,
    .next_shape = iso__shape3_next,
    .next_contact = iso__contact3_next,
    .count_points = iso__contacts3_count_points,
    .read_contacts = iso__contacts3_read,
    .destroy_joint = iso__joint3_destroy,
    .enable_joint = iso__joint3_enable,
    .tag_joint = iso__joint3_set_tag,
    .set_joint_break = iso__joint3_set_break,
    .joint_bodies = iso__joint3_bodies,
    .compound_owner = space_compound_owner,
    .joint_owner = iso__joint3_owner,
    .shape_owner = iso__shape3_owner,
    .own_shape = iso__shape3_set_owner,
};
