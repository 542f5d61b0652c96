/// The game of walkers: every member drives a ragdoll that walks, jumps and keeps its balance.
#include "walker.h"

#define WALKER_CONTROL_SIZE  8u
#define WALKER_AXIS_MAX      32767
#define WALKER_AXIS_IDLE     3276 // a tenth: less is no wish to walk
#define WALKER_BUTTON_JUMP   1u
#define WALKER_COMMAND_RESET 1u // the one CUSTOM command: one byte, a new walker at the spawn place

#define WALKER_LEAN_FALLEN (ISO_WIDE_ONE / 5) // [turns] from here on nothing holds it
#define WALKER_LOW         WALKER_WIDE_CM(30) // the hip is this little above the higher ankle
#define WALKER_LOW_MS      500                // for this long, and it has fallen, too
#define WALKER_APART       (3 * ISO_WIDE_ONE / 2)

static const iso_game_param WALKER_PARAMS[WALKER_PARAM_COUNT] = {
    [WALKER_PARAM_SPEED] = {"walk_speed", ISO_WIDE_ONE, 0, 3 * ISO_WIDE_ONE / 2},
    [WALKER_PARAM_TORQUE] = {"balance_torque", 250 * ISO_WIDE_ONE, 0, 10000 * ISO_WIDE_ONE},
    [WALKER_PARAM_FALL_TIME] = {"fall_time", 900 * ISO_WIDE_ONE, ISO_WIDE_ONE, 10000 * ISO_WIDE_ONE},
    [WALKER_PARAM_TIMEOUT] = {"control_timeout", 10 * ISO_WIDE_ONE, ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE},
};

#define WALKER_FIELD(type, name, field, count, unit) \
    {#name, unit, (uint32_t)offsetof(walker_state, name), ISO_SLOT_COUNT_MAX * (count), ISO_FIELD_##field},
static const iso_field WALKER_FIELDS[] = {WALKER_FIELD_LIST(WALKER_FIELD)};

#define WALKER_SIZE(type, name, field, count, unit) +sizeof(type) * ISO_SLOT_COUNT_MAX *(count)
_Static_assert(sizeof(walker_state) == 0 WALKER_FIELD_LIST(WALKER_SIZE), "the walkers' state has no padding");

enum { WALKER_EVENT_FELL = 1, WALKER_EVENT_STOOD_UP = 2 };
static const iso_field WALKER_FELL_FIELDS[] = {{"slot", "", 0, 1, ISO_FIELD_U32}};
static const iso_field WALKER_STOOD_UP_FIELDS[] = {
    {"slot", "", 0, 1, ISO_FIELD_U32},
    {"ticks_down", "ticks", offsetof(walker_stood_up, ticks_down), 1, ISO_FIELD_U32},
};
static const iso_game_event WALKER_EVENTS[] = {
    {"fell", WALKER_EVENT_FELL, sizeof(walker_fell), WALKER_FELL_FIELDS, 1},
    {"stood_up", WALKER_EVENT_STOOD_UP, sizeof(walker_stood_up), WALKER_STOOD_UP_FIELDS, 2},
};

static const iso_wide *walker_params(const iso_world *world) {
    return iso_world_get_def(world)->game_params;
}

// ---- members -------------------------------------------------------------------------------------

/// A new walker at x, standing on straight legs.
static iso_status walker_place(iso_world *world, walker_state *state, uint32_t slot, iso_wide x) {
    iso__walker_remove(world, state, slot);
    state->foot_x[2 * slot] = state->foot_x[2 * slot + 1] = 0;
    state->foot_from[slot] = 0;
    state->speed[slot] = 0;
    state->clock[slot] = 0;
    state->low_clock[slot] = 0;
    state->down_clock[slot] = 0;
    state->lean_from[slot] = 0;
    state->swing[slot] = 0;
    state->lands_right[slot] = 0;
    state->wants_jump[slot] = 0;
    state->faces_left[slot] = 0;
    state->mode[slot] = iso__walker_build(world, state, slot, x) ? WALKER_STAND : WALKER_NONE;
    return state->mode[slot] == WALKER_NONE ? ISO_ERR_CAPACITY : ISO_OK;
}

/// From the middle outwards, to the right and to the left in turns.
static iso_wide walker_spawn_place(uint32_t slot) {
    const iso_wide away = (iso_wide)((slot + 1) / 2) * WALKER_APART;
    return slot % 2 == 1 ? away : -away;
}

static void walker_join(iso_world *world, void *state, uint32_t slot) {
    walker_place(world, state, slot, walker_spawn_place(slot));
}

static void walker_leave(iso_world *world, void *state, uint32_t slot) {
    walker_state *walker = state;
    iso__walker_remove(world, walker, slot);
    walker->foot_x[2 * slot] = walker->foot_x[2 * slot + 1] = 0;
    walker->foot_from[slot] = 0;
    walker->speed[slot] = 0;
    walker->buttons[slot] = 0;
    walker->clock[slot] = 0;
    walker->low_clock[slot] = 0;
    walker->down_clock[slot] = 0;
    walker->lean_from[slot] = 0;
    walker->mode[slot] = WALKER_NONE;
    walker->swing[slot] = 0;
    walker->lands_right[slot] = 0;
    walker->wants_jump[slot] = 0;
    walker->faces_left[slot] = 0;
}

static iso_status walker_command(iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size) {
    if (size != 1 || bytes[0] != WALKER_COMMAND_RESET) {
        return ISO_ERR_REFUSED;
    }
    return walker_place(world, state, slot, walker_spawn_place(slot));
}

static iso_body_id walker_player_body(const iso_world *world, const void *state, uint32_t slot) {
    const iso_body_id torso = iso__walker_body(state, slot, WALKER_TORSO);
    return iso_body_is_valid(world, torso) ? torso : (iso_body_id){0, 0};
}

/// Members may push their walkers, but neither take parts away nor bend the servos (which belong to nobody).
static iso_status walker_authorize(const iso_world *world, const void *state, uint32_t slot,
                                   const iso_command *command) {
    switch (command->kind) {
    case ISO_COMMAND_SET_CONTROL:
    case ISO_COMMAND_CUSTOM:
    case ISO_COMMAND_APPLY_FORCE:
    case ISO_COMMAND_APPLY_IMPULSE:
        return iso_game_authorize_owner(world, state, slot, command);
    default:
        return ISO_ERR_REFUSED;
    }
}

// ---- a tick --------------------------------------------------------------------------------------

/// Falls when it leans too far or lies low for long. It gets up by itself, and tries again when that fails; fall_time
/// ticks after it fell it is made anew where it lies.
static void walker_fall(iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense) {
    const iso_wide lean = sense->lean < 0 ? -sense->lean : sense->lean;
    const iso_wide higher = sense->ankle[0].y > sense->ankle[1].y ? sense->ankle[0].y : sense->ankle[1].y;
    const bool is_down = state->mode[slot] >= WALKER_FALLEN;
    state->low_clock[slot] = !is_down && higher > -WALKER_LOW ? state->low_clock[slot] + 1 : 0;
    state->down_clock[slot] = is_down ? state->down_clock[slot] + 1 : 0;
    const uint64_t low_max = (uint64_t)WALKER_LOW_MS * iso_world_get_def(world)->tick_rate_hz / 1000;
    if (!is_down && (lean > WALKER_LEAN_FALLEN || state->low_clock[slot] > low_max)) {
        state->mode[slot] = WALKER_FALLEN;
        state->clock[slot] = 0;
    }
    if ((iso_wide)state->down_clock[slot] * ISO_WIDE_ONE >= walker_params(world)[WALKER_PARAM_FALL_TIME]) {
        walker_place(world, state, slot, sense->hip.x);
    }
}

static void walker_drive(iso_world *world, walker_state *state, uint32_t slot) {
    uint8_t control[WALKER_CONTROL_SIZE];
    iso_world_read_control(world, slot, control, sizeof control);
    const int32_t axis = (int16_t)(uint16_t)(control[0] | control[1] << 8);
    const uint32_t pressed = control[4] & ~state->buttons[slot];
    const bool is_idle = axis > -WALKER_AXIS_IDLE && axis < WALKER_AXIS_IDLE;
    const iso_wide share = iso_wide_div(iso_wide_from_int(is_idle ? 0 : axis), iso_wide_from_int(WALKER_AXIS_MAX));
    state->buttons[slot] = control[4];
    walker_sense sense;
    if (!iso__walker_feel(world, state, slot, &sense)) {
        walker_place(world, state, slot, walker_spawn_place(slot)); // a part is gone, or there was no room before
        return;
    }
    walker_fall(world, state, slot, &sense);
    if (!iso__walker_feel(world, state, slot, &sense)) {
        return;
    }
    iso__walker_decide(world, state, slot, &sense, iso_wide_mul(walker_params(world)[WALKER_PARAM_SPEED], share),
                       (pressed & WALKER_BUTTON_JUMP) != 0);
    iso__walker_move(world, state, slot, &sense);
}

/// At most one of a walker in a tick. A world without room for as many is told nothing: a dropped event is counted in
/// the state, and recordings from before there were events shall verify.
static void walker_tell(iso_world *world, const walker_state *state, uint32_t slot, uint8_t mode, uint32_t ticks_down) {
    if (iso_world_get_def(world)->event_capacity < ISO_SLOT_COUNT_MAX) {
        return;
    }
    if (mode < WALKER_FALLEN && state->mode[slot] >= WALKER_FALLEN) {
        const walker_fell fell = {slot};
        (void)iso_world_emit(world, WALKER_EVENT_FELL, &fell, sizeof fell);
    } else if (mode == WALKER_LIFT && state->mode[slot] == WALKER_STAND && ticks_down > 0) {
        const walker_stood_up stood_up = {slot, ticks_down};
        (void)iso_world_emit(world, WALKER_EVENT_STOOD_UP, &stood_up, sizeof stood_up);
    }
}

static void walker_before_step(iso_world *world, void *state) {
    iso_slot_view view;
    for (uint32_t slot = 0; iso_world_get_slot(world, slot, &view); ++slot) {
        if (view.is_occupied) {
            const walker_state *walker = state;
            const uint8_t mode = walker->mode[slot];
            walker_drive(world, state, slot);
            // A new walker has not been down.
            walker_tell(world, state, slot, mode, walker->down_clock[slot]);
        }
    }
}

const iso_game iso_game_walker = {
    .name = "walker",
    .version = 3,
    .control_layout = "axes-buttons-8",
    .control_size = WALKER_CONTROL_SIZE,
    .params = WALKER_PARAMS,
    .param_count = WALKER_PARAM_COUNT,
    .state_size = sizeof(walker_state),
    .fields = WALKER_FIELDS,
    .field_count = sizeof WALKER_FIELDS / sizeof WALKER_FIELDS[0],
    .events = WALKER_EVENTS,
    .event_count = sizeof WALKER_EVENTS / sizeof WALKER_EVENTS[0],
    .join = walker_join,
    .leave = walker_leave,
    .command = walker_command,
    .before_step = walker_before_step,
    .authorize = walker_authorize,
    .player_body = walker_player_body,
};
