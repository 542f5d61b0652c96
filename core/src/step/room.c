/// See room.h.
#include "step/room.h"

#include "base/assert.h"
#include "world/kernel.h"
#include "world/slots.h"

void iso__command_undo_body(iso_world *world, iso_body_id body, uint32_t used_before) {
    const iso_status status = iso_body_destroy(world, body);
    ISO_ASSERT(status == ISO_OK);
    world->body_generations[body.index] -= 2;
    world->globals->body_count = used_before;
    world->globals->spawn_count -= 1;
}

void iso__command_undo_shape(iso_world *world, iso_shape_id shape, uint32_t used_before) {
    ISO_ASSERT(!iso__shape_is_alive(world, shape));
    world->shape_generations[shape.index] -= 2;
    world->globals->shape_count = used_before;
}

static bool room_is_own(const iso_world *world, uint32_t slot, iso_owner owner) {
    return owner.slot == slot && owner.generation == world->slots[slot].generation;
}

/// Whether a member may have more shapes: those of its bodies count, and those that it added to bodies of others.
static bool room_has_shape_quota(const iso_world *world, uint32_t slot, uint32_t more) {
    const uint64_t quota = iso__game_param_whole(world, "shapes_per_slot", ISO__PER_SLOT_DEFAULT);
    const iso__kernel *kernel = world->kernel;
    uint64_t owned = 0;
    for (uint32_t i = 0; i < world->globals->shape_count && quota < world->def.shape_capacity; ++i) {
        owned += iso__generation_is_alive(world->shape_generations[i]) &&
                 (room_is_own(world, slot, kernel->shape_owner(world, i)) ||
                  room_is_own(world, slot, kernel->body_owner(world, kernel->shape_body(world, i))));
    }
    return owned + more <= quota;
}

static bool room_has_body_quota(const iso_world *world, uint32_t slot, uint32_t more) {
    const uint64_t quota = iso__game_param_whole(world, "bodies_per_slot", ISO__PER_SLOT_DEFAULT);
    return more == 0 || (uint64_t)world->slots[slot].body_count + more <= quota;
}

bool iso__command_has_joint_quota(const iso_world *world, uint32_t slot, uint32_t more) {
    ISO_ASSERT(slot < world->def.slot_capacity);
    const uint64_t quota = iso__game_param_whole(world, "joints_per_slot", ISO__PER_SLOT_DEFAULT);
    uint64_t owned = 0;
    for (uint32_t i = 0; i < world->globals->joint_count && quota < world->def.joint_capacity; ++i) {
        owned += iso__generation_is_alive(world->joint_generations[i]) &&
                 room_is_own(world, slot, world->kernel->joint_owner(world, i));
    }
    return owned + more <= quota;
}

iso_status iso__command_check_room(const iso_world *world, uint32_t slot, uint32_t bodies, uint32_t shapes) {
    ISO_ASSERT(slot < world->def.slot_capacity);
    if ((world->events.crowded_slots >> slot & 1u) != 0 || !room_has_body_quota(world, slot, bodies) ||
        !room_has_shape_quota(world, slot, shapes)) {
        return ISO_ERR_QUOTA;
    }
    const uint32_t kept = iso__slot_places_kept(world);
    const bool has_room = world->body_map.alive_count + kept + bodies <= world->def.body_capacity &&
                          world->shape_map.alive_count + kept + shapes <= world->def.shape_capacity;
    return has_room ? ISO_OK : ISO_ERR_CAPACITY;
}
