/// The sandbox in space: every member drives a ball over what the scene has, and may spawn, join and destroy.
///
/// As in the plane (sandbox.c) the state may come from a snapshot, so bodies are named by handles that are checked
/// where they are used.
#include "control.h"
#include "isostep/body3.h"
#include "isostep/games.h"
#include "isostep/shape3.h"
#include "isostep/world.h"

#define BUTTON_JUMP     1u
#define COMMAND_RESPAWN 1u // the one CUSTOM command: one byte, a new ball at the spawn place

enum {
    PARAM_DRIVE_FORCE,
    PARAM_JUMP_SPEED,
    PARAM_CONTROL_TIMEOUT, // read by iso_world_read_control
    PARAM_BODIES_PER_SLOT, // read where bodies are spawned
    PARAM_SHAPES_PER_SLOT, // and where shapes,
    PARAM_JOINTS_PER_SLOT, // and joints
    PARAM_COUNT
};

static const iso_game_param PARAMS[PARAM_COUNT] = {
    [PARAM_DRIVE_FORCE] = {"drive_force", 3000 * ISO_WIDE_ONE, 0, ISO_IMPULSE_MAX *ISO_WIDE_ONE},
    [PARAM_JUMP_SPEED] = {"jump_speed", 6 * ISO_WIDE_ONE, 0, ISO_SPEED3_MAX_M_S *ISO_WIDE_ONE},
    [PARAM_CONTROL_TIMEOUT] = {"control_timeout", 10 * ISO_WIDE_ONE, ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE},
    [PARAM_BODIES_PER_SLOT] = {"bodies_per_slot", 64 * ISO_WIDE_ONE, ISO_WIDE_ONE, 65535 * ISO_WIDE_ONE},
    [PARAM_SHAPES_PER_SLOT] = {"shapes_per_slot", 256 * ISO_WIDE_ONE, ISO_WIDE_ONE, 65535 * ISO_WIDE_ONE},
    [PARAM_JOINTS_PER_SLOT] = {"joints_per_slot", 128 * ISO_WIDE_ONE, 0, 65535 * ISO_WIDE_ONE},
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

/// A ball of radius 0.5 m and 300 kg/m^3 whose tag is the slot's number from 1. When it does not fit into the world any
/// more, nothing changes, and the member may ask for a respawn later.
static iso_status sandbox3_spawn(iso_world *world, sandbox3_state *is, uint32_t slot) {
    const iso_world_def *limits = iso_world_get_def(world);
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    iso_slot_view view;
    if (counts.bodies >= limits->body_capacity || counts.shapes >= limits->shape_capacity ||
        !iso_world_get_slot(world, slot, &view)) {
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

static bool sandbox3_has_quota(const iso_world *world, uint32_t slot) {
    iso_slot_view slot_view;
    iso_body3_view view;
    iso_wide owned = 0;
    if (!iso_world_get_slot(world, slot, &slot_view)) {
        return false;
    }
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        owned += iso_body3_get(world, b, &view) == ISO_OK && view.owner.slot == slot &&
                 view.owner.generation == slot_view.generation;
    }
    return owned < iso_world_get_def(world)->game_params[PARAM_BODIES_PER_SLOT] / ISO_WIDE_ONE;
}

static iso_status sandbox3_command(iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size) {
    if (size != 1 || bytes[0] != COMMAND_RESPAWN) {
        return ISO_ERR_REFUSED;
    }
    if (sandbox3_ball(world, state, slot).generation == 0 && !sandbox3_has_quota(world, slot)) {
        return ISO_ERR_QUOTA;
    }
    sandbox3_remove(world, state, slot);
    return sandbox3_spawn(world, state, slot);
}

// ---- driving -------------------------------------------------------------------------------------

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
        if (!view.is_occupied) {
            continue; // its buttons were cleared when the member left
        }
        uint8_t control[ISO__CONTROL_SIZE];
        iso_world_read_control(world, slot, control, sizeof control);
        const uint32_t buttons = iso__control_buttons(control);
        const uint32_t pressed = buttons & ~is->buttons[slot];
        is->buttons[slot] = buttons;
        const iso_body_id body = sandbox3_ball(world, state, slot);
        if (body.generation == 0) {
            continue;
        }
        const iso_wide force = params[PARAM_DRIVE_FORCE];
        const iso_vec3_wide push = {iso__control_share(force, iso__control_axis(control, 0)), 0,
                                    -iso__control_share(force, iso__control_axis(control, 1))};
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
    .version = 2, // 2: members join bodies
    .control_layout = "axes-buttons-8",
    .control_size = ISO__CONTROL_SIZE,
    .dimensions = 1u << 3,
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
