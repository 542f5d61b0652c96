/// See members.h.
#include "plane/command/members.h"

void iso__plane_member_joins(iso_world *world, uint32_t slot) {
    iso__plane *plane = iso__plane_of(world);
    iso__slot *record = &world->slots[slot];
    // A scene or a game may have made bodies for this generation before its member came.
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        const iso__plane_body *body = &plane->bodies[i];
        record->body_count +=
            body->type != 0 && body->owner_slot == slot && body->owner_generation == record->generation;
    }
}

static bool leave_is_own(const iso_world *world, uint32_t index, uint16_t owner_slot, uint32_t owner_generation) {
    return owner_slot == index && owner_generation == world->slots[index].generation;
}

/// How many more bodies of members that have left the world may keep.
static uint32_t leave_places(const iso__plane *plane) {
    if (plane->world.game == NULL || !plane->world.game->keeps_spawned) {
        return 0;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plane->world.globals->body_count; ++i) {
        const iso__plane_body *body = &plane->bodies[i];
        kept += body->type != 0 && body->owner_slot == ISO_OWNER_NOBODY && body->spawn_number != 0;
    }
    return kept < plane->world.def.kept_body_capacity ? plane->world.def.kept_body_capacity - kept : 0;
}

/// Bodies that a leaving member has spawned in a compound.
static uint32_t leave_count_spawned(const iso__plane *plane, uint32_t index, iso_compound_id compound) {
    uint32_t count = 0;
    for (iso_body_id b = iso_compound_next_body(&plane->world, compound, 0); b.generation != 0;
         b = iso_compound_next_body(&plane->world, compound, b.index + 1)) {
        const iso__plane_body *body = &plane->bodies[b.index];
        count +=
            leave_is_own(&plane->world, index, body->owner_slot, body->owner_generation) && body->spawn_number != 0;
    }
    return count;
}

/// A compound stays when there are places for all of its bodies, otherwise all go. Of a compound of which the game has
/// given bodies away, the member's own count and go.
static void leave_compounds(iso__plane *plane, uint32_t index, uint32_t *places) {
    for (iso_compound_id c = iso_compound_next(&plane->world, 0); c.generation != 0;
         c = iso_compound_next(&plane->world, c.index + 1)) {
        iso__plane_compound *compound = &plane->compounds[c.index];
        if (!leave_is_own(&plane->world, index, (uint16_t)compound->owner_slot, compound->owner_generation)) {
            continue;
        }
        compound->owner_slot = ISO_OWNER_NOBODY;
        compound->owner_generation = 0;
        iso__mark_dirty(&plane->world, ISO_SECTION_COMPOUNDS, c.index);
        const uint32_t spawned = leave_count_spawned(plane, index, c);
        const bool stays = spawned <= *places;
        *places -= stays ? spawned : 0;
        for (iso_body_id b = iso_compound_next_body(&plane->world, c, 0); b.generation != 0;
             b = iso_compound_next_body(&plane->world, c, b.index + 1)) {
            const iso__plane_body *body = &plane->bodies[b.index];
            if (!leave_is_own(&plane->world, index, body->owner_slot, body->owner_generation)) {
                continue;
            }
            if (stays || body->spawn_number == 0) {
                iso_body_set_owner(&plane->world, b, (iso_owner){0, ISO_OWNER_NOBODY});
            } else {
                iso_body_destroy(&plane->world, b);
            }
        }
    }
}

/// First the compounds, then the bodies that are left.
static void leave_bodies(iso__plane *plane, uint32_t index) {
    uint32_t places = leave_places(plane);
    leave_compounds(plane, index, &places);
    for (iso_body_id b = iso_body_next(&plane->world, 0); b.generation != 0;
         b = iso_body_next(&plane->world, b.index + 1)) {
        const iso__plane_body *body = &plane->bodies[b.index];
        if (!leave_is_own(&plane->world, index, body->owner_slot, body->owner_generation)) {
            continue;
        }
        const bool is_spawned = body->spawn_number != 0;
        if (is_spawned && places == 0) {
            iso_body_destroy(&plane->world, b);
            continue;
        }
        places -= is_spawned;
        iso_body_set_owner(&plane->world, b, (iso_owner){0, ISO_OWNER_NOBODY});
    }
}

/// What is left of them is on bodies that stay. One without which its body would weigh too little stays, too.
static void leave_shapes(iso__plane *plane, uint32_t index) {
    const bool keeps = plane->world.game != NULL && plane->world.game->keeps_spawned;
    for (uint32_t i = 0; i < plane->world.globals->shape_count; ++i) {
        iso__plane_shape *shape = &plane->shapes[i];
        if (shape->kind == 0 || !leave_is_own(&plane->world, index, shape->owner_slot, shape->owner_generation) ||
            (!keeps &&
             iso_shape_destroy(&plane->world, (iso_shape_id){i, plane->world.shape_generations[i]}) == ISO_OK)) {
            continue;
        }
        shape->owner_slot = ISO_OWNER_NOBODY;
        shape->owner_generation = 0;
        iso__mark_dirty(&plane->world, ISO_SECTION_SHAPES, i);
    }
}

static void leave_joints(iso__plane *plane, uint32_t index) {
    const bool keeps = plane->world.game != NULL && plane->world.game->keeps_spawned;
    for (iso_joint_id j = iso_joint_next(&plane->world, 0); j.generation != 0;
         j = iso_joint_next(&plane->world, j.index + 1)) {
        iso__plane_joint *joint = &plane->joints[j.index];
        if (!leave_is_own(&plane->world, index, joint->owner_slot, joint->owner_generation)) {
            continue;
        }
        if (!keeps) {
            iso_joint_destroy(&plane->world, j);
            continue;
        }
        joint->owner_slot = ISO_OWNER_NOBODY;
        joint->owner_generation = 0;
        iso__mark_dirty(&plane->world, ISO_SECTION_JOINTS, j.index);
    }
}

void iso__plane_member_leaves(iso_world *world, uint32_t slot) {
    iso__plane *plane = iso__plane_of(world);
    leave_bodies(plane, slot);
    leave_shapes(plane, slot);
    leave_joints(plane, slot);
}
