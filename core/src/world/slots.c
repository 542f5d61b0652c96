/// The members' slots: their control blocks and what they own.
#include "world/slots.h"

#include <string.h>

#include "math/fixed_ops.h"

void iso__maps_rebuild(iso_world *world) {
    const iso__globals *globals = world->globals;
    iso__slot_map_rebuild(&world->body_map, world->body_generations, globals->body_count);
    iso__slot_map_rebuild(&world->shape_map, world->shape_generations, globals->shape_count);
    iso__slot_map_rebuild(&world->joint_map, world->joint_generations, globals->joint_count);
    iso__slot_map_rebuild(&world->compound_map, world->compound_generations, globals->compound_count);
}

bool iso__owner_is_valid(iso_owner owner) {
    if (owner.slot == ISO_OWNER_NOBODY || owner.slot == ISO_OWNER_EVERYONE) {
        return owner.generation == 0;
    }
    return owner.slot < ISO_SLOT_COUNT_MAX;
}

void iso__slot_count_body(iso_world *world, iso_owner owner, int32_t change) {
    if (owner.slot >= world->def.slot_capacity) {
        return;
    }
    iso__slot *slot = &world->slots[owner.slot];
    if (slot->occupied != 0 && slot->generation == owner.generation) {
        slot->body_count += (uint32_t)change;
    }
}

iso_owner iso__slot_owner(const iso_world *world, uint32_t slot) {
    return (iso_owner){world->slots[slot].generation, (uint16_t)slot};
}

uint32_t iso__slot_of(const iso_world *world, iso_owner owner) {
    const uint32_t slot = owner.slot;
    const bool is_members = slot < world->def.slot_capacity && world->slots[slot].occupied != ISO__SLOT_FREE &&
                            world->slots[slot].generation == owner.generation;
    return is_members ? slot : UINT32_MAX;
}

uint32_t iso__slot_places_kept(const iso_world *world) {
    if (world->game == NULL || world->game->player_body == NULL) {
        return 0;
    }
    uint32_t places = 0;
    for (uint32_t slot = 0; slot < world->def.slot_capacity; ++slot) {
        places += iso_world_get_player_body(world, slot).generation == 0;
    }
    return places;
}

static bool slots_names_equal(const char *a, const char *b) {
    while (*a != 0 && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}

static uint64_t slots_param_whole(const iso_game *game, const iso_wide *values, const char *name, uint64_t otherwise) {
    for (uint32_t i = 0; game != NULL && i < game->param_count; ++i) {
        if (slots_names_equal(game->params[i].name, name)) {
            const iso_wide value = values != NULL ? values[i] : game->params[i].value;
            return value < 0 ? 0 : (uint64_t)value >> ISO__WIDE_FRACTION;
        }
    }
    return otherwise;
}

uint64_t iso__game_param_whole(const iso_world *world, const char *name, uint64_t otherwise) {
    return slots_param_whole(world->game, world->def.game_params, name, otherwise);
}

uint32_t iso_game_control_timeout(const iso_game *game, const iso_wide *values) {
    return (uint32_t)slots_param_whole(game, values, "control_timeout", ISO_CONTROL_TIMEOUT_DEFAULT);
}

bool iso_world_get_slot(const iso_world *world, uint32_t slot, iso_slot_view *view) {
    if (slot >= world->def.slot_capacity) {
        return false;
    }
    const iso__slot *record = &world->slots[slot];
    *view = (iso_slot_view){
        .is_occupied = record->occupied != ISO__SLOT_FREE,
        .is_held = record->occupied == ISO__SLOT_HELD,
        .is_crowded = (world->events.crowded_slots >> slot & 1u) != 0,
        .generation = record->generation,
        .last_sequence = record->last_sequence,
        .control_tick = record->control_tick,
        .control_size = (uint8_t)record->control_size,
    };
    memcpy(view->control, record->control, ISO_CONTROL_SIZE_MAX);
    return true;
}

void iso_world_read_control(const iso_world *world, uint32_t slot, uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = 0;
    }
    if (slot >= world->def.slot_capacity) {
        return;
    }
    const iso__slot *record = &world->slots[slot];
    const uint64_t timeout = iso_game_control_timeout(world->game, world->def.game_params);
    if (world->globals->tick > record->control_tick && world->globals->tick - record->control_tick > timeout) {
        return;
    }
    for (size_t i = 0; i < size && i < record->control_size; ++i) {
        bytes[i] = record->control[i];
    }
}

iso_body_id iso_world_get_player_body(const iso_world *world, uint32_t slot) {
    if (world->game == NULL || world->game->player_body == NULL || slot >= world->def.slot_capacity) {
        return (iso_body_id){0, 0};
    }
    return world->game->player_body(world, world->game_state, slot);
}
