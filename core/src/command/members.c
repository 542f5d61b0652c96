/// See members.h.
#include "command/members.h"

void iso__member_joins(iso_world *world, uint32_t slot) {
    iso__slot *record = &world->slots[slot];
    // A scene or a game may have made bodies for this generation before its member came.
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        const iso__body *body = &world->bodies[i];
        record->body_count +=
            body->type != 0 && body->owner_slot == slot && body->owner_generation == record->generation;
    }
}

static bool leave_is_own(const iso_world *world, uint32_t index, uint16_t owner_slot, uint32_t owner_generation) {
    return owner_slot == index && owner_generation == world->slots[index].generation;
}

/// How many more bodies of members that have left the world may keep.
static uint32_t leave_places(const iso_world *world) {
    if (world->game == NULL || !world->game->keeps_spawned) {
        return 0;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        const iso__body *body = &world->bodies[i];
        kept += body->type != 0 && body->owner_slot == ISO_OWNER_NOBODY && body->spawn_number != 0;
    }
    return kept < world->def.kept_body_capacity ? world->def.kept_body_capacity - kept : 0;
}

static void leave_bodies(iso_world *world, uint32_t index) {
    uint32_t places = leave_places(world);
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        const iso__body *body = &world->bodies[b.index];
        if (!leave_is_own(world, index, body->owner_slot, body->owner_generation)) {
            continue;
        }
        const bool is_spawned = body->spawn_number != 0;
        if (is_spawned && places == 0) {
            iso_body_destroy(world, b);
            continue;
        }
        places -= is_spawned;
        iso_body_set_owner(world, b, (iso_owner){0, ISO_OWNER_NOBODY});
    }
}

/// What is left of them is on bodies that stay. One without which its body would weigh too little stays, too.
static void leave_shapes(iso_world *world, uint32_t index) {
    const bool keeps = world->game != NULL && world->game->keeps_spawned;
    for (uint32_t i = 0; i < world->globals->shape_count; ++i) {
        iso__shape *shape = &world->shapes[i];
        if (shape->kind == 0 || !leave_is_own(world, index, shape->owner_slot, shape->owner_generation) ||
            (!keeps && iso_shape_destroy(world, (iso_shape_id){i, world->shape_generations[i]}) == ISO_OK)) {
            continue;
        }
        shape->owner_slot = ISO_OWNER_NOBODY;
        shape->owner_generation = 0;
        iso__mark_dirty(world, ISO_SECTION_SHAPES, i);
    }
}

static void leave_joints(iso_world *world, uint32_t index) {
    const bool keeps = world->game != NULL && world->game->keeps_spawned;
    for (iso_joint_id j = iso_joint_next(world, 0); j.generation != 0; j = iso_joint_next(world, j.index + 1)) {
        iso__joint *joint = &world->joints[j.index];
        if (!leave_is_own(world, index, joint->owner_slot, joint->owner_generation)) {
            continue;
        }
        if (!keeps) {
            iso_joint_destroy(world, j);
            continue;
        }
        joint->owner_slot = ISO_OWNER_NOBODY;
        joint->owner_generation = 0;
        iso__mark_dirty(world, ISO_SECTION_JOINTS, j.index);
    }
}

void iso__member_leaves(iso_world *world, uint32_t slot) {
    leave_bodies(world, slot);
    leave_shapes(world, slot);
    leave_joints(world, slot);
}
