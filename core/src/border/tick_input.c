/// A tick's input: the check before anything changes, the session's changes, the order of commands.
#include "border/tick_input.h"

#include <string.h>

#include "world/kernel.h"
#include "world/slots.h"

/// The state of the slots after the input's changes.
typedef struct slot_forecast {
    uint64_t last_sequence[ISO_SLOT_COUNT_MAX];
    uint32_t generation[ISO_SLOT_COUNT_MAX];
    uint32_t occupied[ISO_SLOT_COUNT_MAX];
} slot_forecast;

static iso_status input_check_change(const iso_world *world, const iso_change *change, slot_forecast *forecast) {
    const uint32_t slot = change->slot;
    if (slot >= world->def.slot_capacity) {
        return ISO_ERR_STATE;
    }
    if (change->kind == ISO_CHANGE_JOIN) {
        // A generation that would become zero ends the slot's use: the comparison with old + 1 fails.
        if (forecast->occupied[slot] != ISO__SLOT_FREE || forecast->generation[slot] == UINT32_MAX ||
            change->slot_generation != forecast->generation[slot] + 1) {
            return ISO_ERR_STATE;
        }
        forecast->occupied[slot] = ISO__SLOT_TAKEN;
        forecast->generation[slot] += 1;
        forecast->last_sequence[slot] = 0;
        return ISO_OK;
    }
    if (change->slot_generation != forecast->generation[slot]) {
        return ISO_ERR_STATE;
    }
    const uint32_t before = forecast->occupied[slot];
    switch (change->kind) {
    case ISO_CHANGE_LEAVE:
        forecast->occupied[slot] = ISO__SLOT_FREE;
        return before != ISO__SLOT_FREE ? ISO_OK : ISO_ERR_STATE;
    case ISO_CHANGE_DROP:
        forecast->occupied[slot] = ISO__SLOT_HELD;
        return before == ISO__SLOT_TAKEN ? ISO_OK : ISO_ERR_STATE;
    case ISO_CHANGE_RESUME:
        forecast->occupied[slot] = ISO__SLOT_TAKEN;
        return before == ISO__SLOT_HELD ? ISO_OK : ISO_ERR_STATE;
    default:
        return ISO_ERR_STATE;
    }
}

static iso_status input_check_command(const iso_world *world, const iso_sealed_command *sealed,
                                      slot_forecast *forecast) {
    const uint32_t slot = sealed->slot;
    if (slot >= world->def.slot_capacity || forecast->occupied[slot] == ISO__SLOT_FREE ||
        sealed->sequence <= forecast->last_sequence[slot] || sealed->sequence >= ISO__SEQUENCE_END ||
        iso_command_check(&sealed->command) != ISO_OK) {
        return ISO_ERR_MALFORMED;
    }
    if (!iso_command_has_dimensions(sealed->command.kind, world->kernel->dimensions)) {
        return ISO_ERR_DIMENSION;
    }
    forecast->last_sequence[slot] = sealed->sequence;
    return ISO_OK;
}

iso_status iso__tick_input_check(const iso_world *world, const iso_tick_input *input) {
    if (input->tick != world->globals->tick + 1 || input->tick >= ISO__SEQUENCE_END) {
        return ISO_ERR_STATE;
    }
    if (input->change_count > ISO_TICK_CHANGES_MAX || input->command_count > ISO_TICK_COMMANDS_MAX) {
        return ISO_ERR_MALFORMED;
    }
    slot_forecast forecast;
    for (uint32_t i = 0; i < world->def.slot_capacity; ++i) {
        forecast.last_sequence[i] = world->slots[i].last_sequence;
        forecast.generation[i] = world->slots[i].generation;
        forecast.occupied[i] = world->slots[i].occupied;
    }
    for (uint32_t i = 0; i < input->change_count; ++i) {
        const iso_status status = input_check_change(world, &input->changes[i], &forecast);
        if (status != ISO_OK) {
            return status;
        }
    }
    for (uint32_t i = 0; i < input->command_count; ++i) {
        // Sequences rise within a slot by the check below; slots by this one.
        if (i > 0 && input->commands[i].slot < input->commands[i - 1].slot) {
            return ISO_ERR_MALFORMED;
        }
        const iso_status status = input_check_command(world, &input->commands[i], &forecast);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

// ---- changes -------------------------------------------------------------------------------------

static void slot_join(iso_world *world, uint32_t index, uint32_t generation) {
    world->slots[index] =
        (iso__slot){.generation = generation, .occupied = ISO__SLOT_TAKEN, .control_tick = world->globals->tick};
    world->kernel->join(world, index);
    if (world->game != NULL && world->game->join != NULL) {
        world->game->join(world, world->game_state, index);
    }
}

/// The game goes first, while the slot still has its member and the member its bodies. The bodies that the member
/// spawned are then destroyed, or kept if the game says so; a body that the scene created for it stays without an
/// owner.
static void slot_leave(iso_world *world, uint32_t index) {
    if (world->game != NULL && world->game->leave != NULL) {
        world->game->leave(world, world->game_state, index);
    }
    world->kernel->leave(world, index);
    world->slots[index] = (iso__slot){.generation = world->slots[index].generation};
}

/// Everything that a member owns stays while its slot is held; its control block ages as usual.
static void slot_hold(iso_world *world, uint32_t index, bool held) {
    world->slots[index].occupied = held ? ISO__SLOT_HELD : ISO__SLOT_TAKEN;
    void (*tell)(iso_world *, void *, uint32_t) = NULL;
    if (world->game != NULL) {
        tell = held ? world->game->drop : world->game->resume;
    }
    if (tell != NULL) {
        tell(world, world->game_state, index);
    }
}

void iso__world_apply_changes(iso_world *world, const iso_tick_input *input) {
    for (uint32_t i = 0; i < input->change_count; ++i) {
        const iso_change *change = &input->changes[i];
        switch (change->kind) {
        case ISO_CHANGE_JOIN:
            slot_join(world, change->slot, change->slot_generation);
            break;
        case ISO_CHANGE_LEAVE:
            slot_leave(world, change->slot);
            break;
        default:
            slot_hold(world, change->slot, change->kind == ISO_CHANGE_DROP);
            break;
        }
    }
}

// ---- commands ------------------------------------------------------------------------------------

static iso_status apply_authorize(const iso_world *world, uint32_t slot, const iso_command *command) {
    if (world->game != NULL && world->game->authorize != NULL) {
        return world->game->authorize(world, world->game_state, slot, command);
    }
    return iso_game_authorize_default(world, world->game_state, slot, command);
}

static iso_status apply_set_control(iso_world *world, uint32_t slot, const iso_command_set_control *control) {
    iso__slot *record = &world->slots[slot];
    record->control_size = control->size;
    record->control_tick = world->globals->tick;
    memset(record->control, 0, sizeof record->control);
    memcpy(record->control, control->bytes, control->size);
    return ISO_OK;
}

static iso_status apply_custom(iso_world *world, uint32_t slot, const iso_command_custom *custom) {
    if (world->game == NULL || world->game->command == NULL) {
        return ISO_ERR_REFUSED;
    }
    return world->game->command(world, world->game_state, slot, custom->bytes, custom->size);
}

/// A refused command leaves the world as it was, but for the count of refused commands.
static iso_status apply_command(iso_world *world, uint32_t slot, const iso_command *command, uint64_t *created_id) {
    const iso_status status = apply_authorize(world, slot, command);
    if (status != ISO_OK) {
        return status;
    }
    switch (command->kind) {
    case ISO_COMMAND_SET_CONTROL:
        return apply_set_control(world, slot, &command->as.set_control);
    case ISO_COMMAND_CUSTOM:
        return apply_custom(world, slot, &command->as.custom);
    default:
        return world->kernel->apply(world, slot, command, created_id);
    }
}

void iso__world_apply_commands(iso_world *world, const iso_tick_input *input) {
    for (uint32_t i = 0; i < input->command_count; ++i) {
        const iso_sealed_command *sealed = &input->commands[i];
        world->slots[sealed->slot].last_sequence = sealed->sequence;
        iso_command_result result = {ISO_OK, 0};
        result.status = apply_command(world, sealed->slot, &sealed->command, &result.id);
        if (result.status == ISO_OK) {
            world->globals->commands_applied += 1;
        } else {
            world->globals->commands_refused += 1;
        }
        world->results[i] = result;
    }
    world->result_count = input->command_count;
}
