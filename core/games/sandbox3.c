/// The sandbox in space: every member drives a ball over what the scene has, and may spawn and destroy.
///
/// As in the plane (sandbox.c) the state may come from a snapshot, so bodies are named by handles that are checked where
/// they are used.
#include "isostep/body3.h"
#include "isostep/games.h"
#include "isostep/shape3.h"
#include "isostep/world.h"

#define CONTROL_SIZE    8u
#define AXIS_MAX        32767
#define BUTTON_JUMP     1u
#define COMMAND_RESPAWN 1u // the one CUSTOM command: one byte, a new ball at the spawn place

enum {
    PARAM_DRIVE_FORCE,
    PARAM_JUMP_SPEED,
    PARAM_CONTROL_TIMEOUT, // read by iso_world_read_control
    PARAM_BODIES_PER_SLOT, // read where bodies are spawned
    PARAM_SHAPES_PER_SLOT, // and shapes
    PARAM_COUNT
};

static const iso_game_param PARAMS[PARAM_COUNT] = {
    [PARAM_DRIVE_FORCE] = {"drive_force", 3000 * ISO_WIDE_ONE, 0, ISO_IMPULSE_MAX *ISO_WIDE_ONE},
    [PARAM_JUMP_SPEED] = {"jump_speed", 6 * ISO_WIDE_ONE, 0, ISO_SPEED3_MAX_M_S *ISO_WIDE_ONE},
    [PARAM_CONTROL_TIMEOUT] = {"control_timeout", 10 * ISO_WIDE_ONE, ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE},
    [PARAM_BODIES_PER_SLOT] = {"bodies_per_slot", 64 * ISO_WIDE_ONE, ISO_WIDE_ONE, 65535 * ISO_WIDE_ONE},
    [PARAM_SHAPES_PER_SLOT] = {"shapes_per_slot", 256 * ISO_WIDE_ONE, ISO_WIDE_ONE, 65535 * ISO_WIDE_ONE},
};

typedef struct sandbox3_state {
    uint32_t ball_index[ISO_SLOT_COUNT_MAX];
    uint32_t ball_generation[ISO_SLOT_COUNT_MAX]; // 0: no ball
    uint32_t buttons[ISO_SLOT_COUNT_MAX];         // as they were in the last tick
} sandbox3_state;

#define STATE_FIELD(name) \
    { #name, "", (uint32_t)offsetof(sandbox3_state, name), ISO_SLOT_COUNT_MAX, ISO_FIELD_U32 }
static const iso_field FIELDS[] = {STATE_FIELD(ball_index), STATE_FIELD(ball_generation), STATE_FIELD(buttons)};
_Static_assert(sizeof(sandbox3_state) == 3 * ISO_SLOT_COUNT_MAX * sizeof(uint32_t), "a field is not listed");

static iso_body_id sandbox3_ball(const iso_world *world, const void *state, uint32_t slot) {
    const sandbox3_state *is = state;
    const iso_body_id body = {is->ball_index[slot], is->ball_generation[slot]};
    return iso_body_is_valid(world, body) ? body : (iso_body_id){0, 0};
}

/// A ring of eight places 3 m apart, four of them above one another.
static iso_vec3_wide sandbox3_place(uint32_t slot) {
    static const int8_t ring[8][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    const int8_t *at = ring[slot % 8u];
    return (iso_vec3_wide){iso_wide_from_int(3 * at[0]), iso_wide_from_int(6 + 2 * (int32_t)(slot / 8u)),
                           iso_wide_from_int(3 * at[1])};
}

/// A ball of radius 0.5 m and 300 kg/m^3 whose tag is the slot's number from 1.
static iso_status sandbox3_spawn(iso_world *world, sandbox3_state *is, uint32_t slot) {
    iso_slot_view view;
    if (!iso_world_get_slot(world, slot, &view)) {
        return ISO_ERR_CAPACITY;
    }
    iso_body3_def def = iso_body3_def_default();
    def.position = sandbox3_place(slot);
    def.tag = slot + 1;
    def.owner = (iso_owner){view.generation, (uint16_t)slot};
    iso_body_id body;
    iso_status status = iso_body3_create(world, &def, &body);
    if (status != ISO_OK) {
        return status;
    }
    iso_shape3_def ball = iso_shape3_def_sphere(ISO_FIX16_ONE / 2);
    ball.density = 300 * ISO_FIX16_ONE;
    ball.friction = ISO_FIX16_ONE;
    iso_shape_id shape;
    status = iso_shape3_create(world, body, &ball, &shape);
    if (status != ISO_OK) {
        iso_body_destroy(world, body);
        return status;
    }
    is->ball_index[slot] = body.index;
    is->ball_generation[slot] = body.generation;
    return ISO_OK;
}

static void sandbox3_remove(iso_world *world, sandbox3_state *is, uint32_t slot) {
    const iso_body_id body = sandbox3_ball(world, is, slot);
    if (body.generation != 0) {
        iso_body_destroy(world, body);
    }
    is->ball_index[slot] = is->ball_generation[slot] = is->buttons[slot] = 0;
}

static void sandbox3_join(iso_world *world, void *state, uint32_t slot) {
    sandbox3_spawn(world, state, slot);
}

static void sandbox3_leave(iso_world *world, void *state, uint32_t slot) {
    sandbox3_remove(world, state, slot);
}

static iso_status sandbox3_command(iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size) {
    if (size != 1 || bytes[0] != COMMAND_RESPAWN) {
        return ISO_ERR_REFUSED;
    }
    sandbox3_remove(world, state, slot);
    return sandbox3_spawn(world, state, slot);
}

// ---- driving -------------------------------------------------------------------------------------

static iso_wide sandbox3_drive(iso_wide force, const uint8_t *bytes) {
    const int32_t axis = (int16_t)(uint16_t)(bytes[0] | bytes[1] << 8);
    const iso_wide share =
        iso_wide_div(iso_wide_from_int(axis < -AXIS_MAX ? -AXIS_MAX : axis), iso_wide_from_int(AXIS_MAX));
    return iso_wide_mul(force, share);
}

/// Gives the ball its jump speed upwards when something carries it.
static void sandbox3_jump(iso_world *world, iso_body_id body, iso_wide speed) {
    iso_body3_view view;
    if (iso_body3_get(world, body, &view) == ISO_OK && iso_body3_is_pushed(world, body)) {
        const iso_wide impulse = iso_wide_mul(view.mass, speed);
        const iso_vec3_wide up = {0, iso_world_get_gravity3(world).y > 0 ? -impulse : impulse, 0};
        iso_body3_apply_impulse(world, body, up, view.centre);
    }
}

static void sandbox3_before_step(iso_world *world, void *state) {
    sandbox3_state *is = state;
    const iso_wide *params = iso_world_get_def(world)->game_params;
    iso_slot_view view;
    for (uint32_t slot = 0; iso_world_get_slot(world, slot, &view); ++slot) {
        const iso_body_id body = sandbox3_ball(world, state, slot);
        if (!view.is_occupied || body.generation == 0) {
            continue;
        }
        uint8_t control[CONTROL_SIZE];
        iso_world_read_control(world, slot, control, sizeof control);
        const uint32_t buttons =
            (uint32_t)control[4] | (uint32_t)control[5] << 8 | (uint32_t)control[6] << 16 | (uint32_t)control[7] << 24;
        const uint32_t pressed = buttons & ~is->buttons[slot];
        is->buttons[slot] = buttons;
        const iso_wide force = params[PARAM_DRIVE_FORCE];
        const iso_vec3_wide push = {sandbox3_drive(force, control), 0, -sandbox3_drive(force, control + 2)};
        if (push.x != 0 || push.z != 0) {
            iso_body3_apply_force_to_centre(world, body, push);
        }
        if ((pressed & BUTTON_JUMP) != 0) {
            sandbox3_jump(world, body, params[PARAM_JUMP_SPEED]);
        }
    }
}

const iso_game iso_game_sandbox3 = {
    .name = "sandbox3",
    .version = 1,
    .control_layout = "axes-buttons-8",
    .control_size = CONTROL_SIZE,
    .dimensions = 8, // space
    .params = PARAMS,
    .param_count = PARAM_COUNT,
    .state_size = sizeof(sandbox3_state),
    .fields = FIELDS,
    .field_count = sizeof FIELDS / sizeof FIELDS[0],
    .join = sandbox3_join,
    .leave = sandbox3_leave,
    .command = sandbox3_command,
    .before_step = sandbox3_before_step,
    .authorize = iso_game_authorize_owner,
    .player_body = sandbox3_ball,
};
