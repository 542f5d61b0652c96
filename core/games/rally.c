/// The rally: every member drives a car round a circuit, whose laps are counted.
///
/// As in the other games the state may come from a snapshot, so bodies, joints and shapes are named by handles that are
/// checked where they are used, and numbers are taken modulo what there is.
#include "control.h"
#include "isostep/games.h"
#include "rally.h"

#define RALLY_COMMAND_RESPAWN 1u // the one CUSTOM command: one byte, a new car at the check point passed last

#define RALLY_FLIPPED (ISO_WIDE_ONE / 4) // the car's up, along the world's: less, and it lies on its side or roof

static const iso_game_param RALLY_PARAMS[RALLY_PARAM_COUNT] = {
    [RALLY_DRIVE_TORQUE] = {"drive_torque", 450 * ISO_WIDE_ONE, 0, 100000 * ISO_WIDE_ONE},
    [RALLY_BRAKE_TORQUE] = {"brake_torque", 600 * ISO_WIDE_ONE, 0, 100000 * ISO_WIDE_ONE},
    [RALLY_TOP_SPEED] = {"top_speed", 20 * ISO_WIDE_ONE, ISO_WIDE_ONE, 60 * ISO_WIDE_ONE},
    [RALLY_STEER_ANGLE] = {"steer_angle", 6 * ISO_WIDE_ONE / 10, 0, ISO_WIDE_ONE},
    [RALLY_FLIP_TIME] = {"flip_time", 120 * ISO_WIDE_ONE, ISO_WIDE_ONE, 10000 * ISO_WIDE_ONE},
    [RALLY_RANGE] = {"range", 200 * ISO_WIDE_ONE, ISO_WIDE_ONE, 29000 * ISO_WIDE_ONE},
    [RALLY_CONTROL_TIMEOUT] = {"control_timeout", 10 * ISO_WIDE_ONE, ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE},
};

#define RALLY_FIELD(type, name, field, count, unit) \
    {#name, unit, (uint32_t)offsetof(rally_state, name), count, ISO_FIELD_##field},
static const iso_field RALLY_FIELDS[] = {RALLY_FIELD_LIST(RALLY_FIELD)};

#define RALLY_SIZE(type, name, field, count, unit) +sizeof(type) * (count)
_Static_assert(sizeof(rally_state) == 0 RALLY_FIELD_LIST(RALLY_SIZE), "the rally's state has no padding");

typedef struct rally_check_event {
    uint32_t slot;
    uint32_t number; // from 1, the line
    uint32_t ticks;  // since the line
} rally_check_event;

typedef struct rally_lap_event {
    uint32_t slot;
    uint32_t lap; // from 1
    uint32_t ticks;
    uint32_t best_ticks;
} rally_lap_event;

/// Why a car is brought back. X(NAME, number)
enum { RALLY_ASKED = 1, RALLY_UPSIDE_DOWN = 2, RALLY_OUT_OF_RANGE = 3 };

typedef struct rally_respawn_event {
    uint32_t slot;
    uint32_t reason;
} rally_respawn_event;

enum { RALLY_EVENT_CHECK = 1, RALLY_EVENT_LAP = 2, RALLY_EVENT_RESPAWN = 3 };
static const iso_field RALLY_CHECK_FIELDS[] = {
    {"slot", "", 0, 1, ISO_FIELD_U32},
    {"number", "", offsetof(rally_check_event, number), 1, ISO_FIELD_U32},
    {"ticks", "ticks", offsetof(rally_check_event, ticks), 1, ISO_FIELD_U32},
};
static const iso_field RALLY_LAP_FIELDS[] = {
    {"slot", "", 0, 1, ISO_FIELD_U32},
    {"lap", "", offsetof(rally_lap_event, lap), 1, ISO_FIELD_U32},
    {"ticks", "ticks", offsetof(rally_lap_event, ticks), 1, ISO_FIELD_U32},
    {"best_ticks", "ticks", offsetof(rally_lap_event, best_ticks), 1, ISO_FIELD_U32},
};
static const iso_field RALLY_RESPAWN_FIELDS[] = {
    {"slot", "", 0, 1, ISO_FIELD_U32},
    {"reason", "", offsetof(rally_respawn_event, reason), 1, ISO_FIELD_U32},
};
static const iso_game_event RALLY_EVENTS[] = {
    {"check_point", RALLY_EVENT_CHECK, sizeof(rally_check_event), RALLY_CHECK_FIELDS, 3},
    {"lap", RALLY_EVENT_LAP, sizeof(rally_lap_event), RALLY_LAP_FIELDS, 4},
    {"respawn", RALLY_EVENT_RESPAWN, sizeof(rally_respawn_event), RALLY_RESPAWN_FIELDS, 2},
};

static iso_body_id rally_player_body(const iso_world *world, const void *state, uint32_t slot) {
    return iso__rally_chassis(world, state, slot);
}

// ---- members -------------------------------------------------------------------------------------

static void rally_forget(rally_state *rally, uint32_t slot) {
    rally->next[slot] = rally->passed[slot] = 0;
    rally->laps[slot] = rally->lap_ticks[slot] = rally->best_ticks[slot] = rally->flip_ticks[slot] = 0;
}

static iso_status rally_spawn(iso_world *world, rally_state *rally, uint32_t slot) {
    rally->flip_ticks[slot] = 0;
    return iso__rally_build(world, rally, slot, iso__rally_place(world, rally, slot));
}

static void rally_start(iso_world *world, void *state) {
    iso__rally_find_track(world, state);
}

static void rally_join(iso_world *world, void *state, uint32_t slot) {
    rally_forget(state, slot);
    (void)rally_spawn(world, state, slot); // when there is no room it is tried again before the next step
}

static void rally_leave(iso_world *world, void *state, uint32_t slot) {
    iso__rally_remove(world, state, slot);
    rally_forget(state, slot);
}

static iso_status rally_respawn(iso_world *world, rally_state *rally, uint32_t slot, uint32_t reason) {
    const iso_status status = rally_spawn(world, rally, slot);
    const rally_respawn_event event = {slot, reason};
    if (status == ISO_OK) {
        (void)iso_world_emit(world, RALLY_EVENT_RESPAWN, &event, sizeof event);
    }
    return status;
}

static iso_status rally_command(iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size) {
    if (size != 1 || bytes[0] != RALLY_COMMAND_RESPAWN) {
        return ISO_ERR_REFUSED;
    }
    return rally_respawn(world, state, slot, RALLY_ASKED);
}

// ---- a tick --------------------------------------------------------------------------------------

static void rally_before_step(iso_world *world, void *state) {
    rally_state *rally = state;
    iso_slot_view view;
    for (uint32_t slot = 0; iso_world_get_slot(world, slot, &view); ++slot) {
        if (!view.is_occupied ||
            (iso__rally_chassis(world, rally, slot).generation == 0 && rally_spawn(world, rally, slot) != ISO_OK)) {
            continue;
        }
        uint8_t control[ISO__CONTROL_SIZE];
        iso_world_read_control(world, slot, control, sizeof control);
        iso__rally_drive(world, rally, slot, control);
    }
}

/// Whether the car has to be brought back. @return why, or 0
static uint32_t rally_is_lost(const iso_world *world, rally_state *rally, uint32_t slot, const iso_body3_view *car) {
    static const iso_vec3_wide up = {0, ISO_WIDE_ONE, 0};
    const iso_wide range = rally_param(world, RALLY_RANGE), flip_time = rally_param(world, RALLY_FLIP_TIME);
    if (rally_size(car->position.x) > range || rally_size(car->position.y) > range ||
        rally_size(car->position.z) > range) {
        return RALLY_OUT_OF_RANGE;
    }
    const bool is_flipped = iso_quat_rotate(car->rotation, up).y < RALLY_FLIPPED;
    rally->flip_ticks[slot] = is_flipped ? rally->flip_ticks[slot] + 1 : 0;
    return (iso_wide)rally->flip_ticks[slot] >= flip_time / ISO_WIDE_ONE ? RALLY_UPSIDE_DOWN : 0;
}

/// The line ends a lap, unless it is passed for the first time.
static void rally_pass_check(iso_world *world, rally_state *rally, uint32_t slot, uint32_t check) {
    const uint32_t ticks = rally->lap_ticks[slot];
    const bool is_line = check == 0, ends_lap = is_line && rally->passed[slot] != 0;
    const rally_check_event passed = {slot, check + 1, is_line && !ends_lap ? 0 : ticks};
    (void)iso_world_emit(world, RALLY_EVENT_CHECK, &passed, sizeof passed);
    if (ends_lap) {
        const uint32_t best = rally->best_ticks[slot];
        rally->best_ticks[slot] = best == 0 || ticks < best ? ticks : best;
        rally->laps[slot] += 1;
        const rally_lap_event lap = {slot, rally->laps[slot], ticks, rally->best_ticks[slot]};
        (void)iso_world_emit(world, RALLY_EVENT_LAP, &lap, sizeof lap);
    }
    rally->lap_ticks[slot] = is_line ? 0 : ticks;
    rally->passed[slot] = 1;
}

static void rally_after_step(iso_world *world, void *state) {
    rally_state *rally = state;
    const uint32_t checks = rally->check_count[0];
    iso_slot_view view;
    iso_body3_view car;
    for (uint32_t slot = 0; iso_world_get_slot(world, slot, &view); ++slot) {
        if (!view.is_occupied || iso_body3_get(world, iso__rally_chassis(world, rally, slot), &car) != ISO_OK) {
            continue;
        }
        rally->lap_ticks[slot] += rally->lap_ticks[slot] < UINT32_MAX;
        const uint32_t check = checks > 0 ? rally->next[slot] % checks : 0;
        if (iso__rally_is_in_check(world, rally, check, car.position)) {
            rally_pass_check(world, rally, slot, check);
            rally->next[slot] = (check + 1) % checks;
        }
        const uint32_t reason = rally_is_lost(world, rally, slot, &car);
        if (reason != 0) {
            (void)rally_respawn(world, rally, slot, reason);
        }
    }
}

const iso_game iso_game_rally = {
    .name = "rally",
    .version = 1,
    .control_layout = "axes-buttons-8",
    .control_size = ISO__CONTROL_SIZE,
    .dimensions = 1u << 3,
    .params = RALLY_PARAMS,
    .param_count = RALLY_PARAM_COUNT,
    .state_size = sizeof(rally_state),
    .fields = RALLY_FIELDS,
    .field_count = sizeof RALLY_FIELDS / sizeof RALLY_FIELDS[0],
    .events = RALLY_EVENTS,
    .event_count = sizeof RALLY_EVENTS / sizeof RALLY_EVENTS[0],
    .start = rally_start,
    .join = rally_join,
    .leave = rally_leave,
    .command = rally_command,
    .before_step = rally_before_step,
    .after_step = rally_after_step,
    .player_body = rally_player_body,
};
