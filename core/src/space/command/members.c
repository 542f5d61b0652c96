/// See members.h.
#include "space/command/members.h"

#include "space/world/body.h"
#include "space/world/joint.h"
#include "space/world/shape.h"

static bool member_owns(const iso_world *world, uint32_t slot, iso_owner owner) {
    return owner.slot == slot && owner.generation == world->slots[slot].generation;
}

void iso__space_member_joins(iso_world *world, uint32_t slot) {
    // A scene or a game may have made bodies for this generation before its member came.
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        world->slots[slot].body_count += member_owns(world, slot, iso__space_body_owner(world, b.index));
    }
}

/// How many more bodies of members that have left the world may keep.
static uint32_t member_places(const iso_world *world) {
    const iso__space *space = iso__space_of_const(world);
    if (world->game == NULL || !world->game->keeps_spawned) {
        return 0;
    }
    uint32_t kept = 0;
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        const iso__space_body *body = &space->bodies[b.index];
        kept += body->owner_slot == ISO_OWNER_NOBODY && body->spawn_number != 0;
    }
    return kept < world->def.kept_body_capacity ? world->def.kept_body_capacity - kept : 0;
}

/// What the member spawned goes, or stays without an owner as far as there are places; what the scene made for it
/// stays.
static void member_leave_bodies(iso_world *world, uint32_t slot) {
    const iso_owner nobody = {.generation = 0, .slot = ISO_OWNER_NOBODY};
    uint32_t places = member_places(world);
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        if (!member_owns(world, slot, iso__space_body_owner(world, b.index))) {
            continue;
        }
        const bool is_spawned = iso__space_of(world)->bodies[b.index].spawn_number != 0;
        if (is_spawned && places == 0) {
            iso__space_body_destroy(world, b.index);
        } else {
            places -= is_spawned;
            iso_body_set_owner(world, b, nobody);
        }
    }
}

/// What is left of its shapes is on bodies that stay. One without which its body would weigh too little stays, too.
static void member_leave_shapes(iso_world *world, uint32_t slot) {
    const iso_owner nobody = {.generation = 0, .slot = ISO_OWNER_NOBODY};
    const bool keeps = world->game != NULL && world->game->keeps_spawned;
    for (iso_shape_id s = iso_shape_next(world, 0); s.generation != 0; s = iso_shape_next(world, s.index + 1)) {
        if (member_owns(world, slot, iso__space_shape_owner(world, s.index)) &&
            (keeps || iso__space_shape_destroy(world, s.index) != ISO_OK)) {
            iso__space_shape_set_owner(world, s.index, nobody);
        }
    }
}

/// Those between bodies that stay.
static void member_leave_joints(iso_world *world, uint32_t slot) {
    const iso_owner nobody = {.generation = 0, .slot = ISO_OWNER_NOBODY};
    const bool keeps = world->game != NULL && world->game->keeps_spawned;
    for (iso_joint_id j = iso_joint_next(world, 0); j.generation != 0; j = iso_joint_next(world, j.index + 1)) {
        if (!member_owns(world, slot, iso__space_joint_owner(world, j.index))) {
            continue;
        }
        if (keeps) {
            iso__space_joint_set_owner(world, j.index, nobody);
        } else {
            iso__space_joint_destroy(world, j.index);
        }
    }
}

void iso__space_member_leaves(iso_world *world, uint32_t slot) {
    member_leave_bodies(world, slot);
    member_leave_shapes(world, slot);
    member_leave_joints(world, slot);
}
