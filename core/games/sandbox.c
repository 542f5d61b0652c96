/// The sandbox: every member drives a ball and may spawn, join and destroy.
///
/// Written against the public interface only, as any game is. The state may come from a snapshot, so nothing
/// in it is trusted: bodies are named by handles, which are checked where they are used.
#include "control.h"
#include "sandbox.h"

#include "isostep/games.h"
#include "isostep/world.h"

#define SANDBOX_BUTTON_JUMP 1u

#define SANDBOX_COMMAND_RESPAWN 1u // the one CUSTOM command: one byte, a new ball at the spawn place

enum {
    SANDBOX_DRIVE_FORCE,
    SANDBOX_JUMP_SPEED,
    SANDBOX_CONTROL_TIMEOUT, // read by iso_world_read_control
    SANDBOX_BODIES_PER_SLOT, // read where bodies are spawned
    SANDBOX_SHAPES_PER_SLOT, // and where shapes,
    SANDBOX_JOINTS_PER_SLOT, // and joints
    SANDBOX_PARAM_COUNT
};

static const iso_game_param SANDBOX_PARAMS[SANDBOX_PARAM_COUNT] = {
    [SANDBOX_DRIVE_FORCE] = {"drive_force", 25 * ISO_WIDE_ONE, 0, ISO_IMPULSE_MAX *ISO_WIDE_ONE},
    [SANDBOX_JUMP_SPEED] = {"jump_speed", 6 * ISO_WIDE_ONE, 0, ISO_SPEED_MAX_M_S *ISO_WIDE_ONE},
    [SANDBOX_CONTROL_TIMEOUT] = {"control_timeout", 10 * ISO_WIDE_ONE, ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE},
    [SANDBOX_BODIES_PER_SLOT] = {"bodies_per_slot", 64 * ISO_WIDE_ONE, ISO_WIDE_ONE, 65535 * ISO_WIDE_ONE},
    [SANDBOX_SHAPES_PER_SLOT] = {"shapes_per_slot", 256 * ISO_WIDE_ONE, ISO_WIDE_ONE, 65535 * ISO_WIDE_ONE},
    [SANDBOX_JOINTS_PER_SLOT] = {"joints_per_slot", 128 * ISO_WIDE_ONE, 0, 65535 * ISO_WIDE_ONE},
};

typedef struct sandbox_state {
    uint32_t player_index[ISO_SLOT_COUNT_MAX];
    uint32_t player_generation[ISO_SLOT_COUNT_MAX]; // 0: no ball
    uint32_t buttons[ISO_SLOT_COUNT_MAX];           // as they were in the last tick
} sandbox_state;

#define SANDBOX_FIELD(name) \
    { #name, "", (uint32_t)offsetof(sandbox_state, name), ISO_SLOT_COUNT_MAX, ISO_FIELD_U32 }
static const iso_field SANDBOX_FIELDS[] = {
    SANDBOX_FIELD(player_index),
    SANDBOX_FIELD(player_generation),
    SANDBOX_FIELD(buttons),
};
_Static_assert(sizeof(sandbox_state) == 3 * ISO_SLOT_COUNT_MAX * sizeof(uint32_t),
               "a field of the sandbox is not listed");

static iso_body_id sandbox_player_body(const iso_world *world, const void *state, uint32_t slot) {
    const sandbox_state *sandbox = state;
    const iso_body_id body = {sandbox->player_index[slot], sandbox->player_generation[slot]};
    return iso_body_is_valid(world, body) ? body : (iso_body_id){0, 0};
}

/// Four rows of eight places, 3 m apart, from 10 m up.
static iso_vec2 sandbox_spawn_place(uint32_t slot) {
    const int32_t column = (int32_t)(slot % 8u);
    const int32_t row = (int32_t)(slot / 8u);
    return (iso_vec2){(2 * column - 7) * (3 * ISO_FIX16_ONE / 2), (10 + 3 * row) * ISO_FIX16_ONE};
}

/// A ball of radius 0.5 m whose tag is the slot's number from 1. When it does not fit into the world any more,
/// nothing changes, and the member may ask for a respawn later.
static iso_status sandbox_spawn(iso_world *world, sandbox_state *sandbox, uint32_t slot) {
    const iso_world_def *limits = iso_world_get_def(world);
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    iso_slot_view view;
    if (counts.bodies >= limits->body_capacity || counts.shapes >= limits->shape_capacity ||
        !iso_world_get_slot(world, slot, &view)) {
        return ISO_ERR_CAPACITY;
    }
    iso_body_def def = iso_body_def_default();
    def.position = iso_vec2_to_wide(sandbox_spawn_place(slot));
    def.tag = slot + 1;
    def.owner = (iso_owner){view.generation, (uint16_t)slot};
    iso_body_id body;
    iso_status status = iso_body_create(world, &def, &body);
    if (status != ISO_OK) {
        return status;
    }
    iso_shape_def ball = iso_shape_def_circle(ISO_FIX16_ONE / 2);
    ball.density = 2 * ISO_FIX16_ONE;
    iso_shape_id shape;
    status = iso_shape_create(world, body, &ball, &shape);
    if (status != ISO_OK) {
        iso_body_destroy(world, body);
        return status;
    }
    sandbox->player_index[slot] = body.index;
    sandbox->player_generation[slot] = body.generation;
    return ISO_OK;
}

static void sandbox_remove(iso_world *world, sandbox_state *sandbox, uint32_t slot) {
    const iso_body_id body = sandbox_player_body(world, sandbox, slot);
    if (body.generation != 0) {
        iso_body_destroy(world, body);
    }
    sandbox->player_index[slot] = 0;
    sandbox->player_generation[slot] = 0;
    sandbox->buttons[slot] = 0;
}

static void sandbox_join(iso_world *world, void *state, uint32_t slot) {
    sandbox_spawn(world, state, slot);
}

static void sandbox_leave(iso_world *world, void *state, uint32_t slot) {
    sandbox_remove(world, state, slot);
}

static bool sandbox_has_quota(const iso_world *world, uint32_t slot) {
    iso_slot_view slot_view;
    iso_body_view view;
    iso_wide owned = 0;
    if (!iso_world_get_slot(world, slot, &slot_view)) {
        return false;
    }
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        owned += iso_body_get(world, b, &view) == ISO_OK && view.owner.slot == slot &&
                 view.owner.generation == slot_view.generation;
    }
    return owned < iso_world_get_def(world)->game_params[SANDBOX_BODIES_PER_SLOT] / ISO_WIDE_ONE;
}

/// Respawn: the ball goes, a new one comes at the spawn place.
static iso_status sandbox_command(iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size) {
    if (size != 1 || bytes[0] != SANDBOX_COMMAND_RESPAWN) {
        return ISO_ERR_REFUSED;
    }
    if (sandbox_player_body(world, state, slot).generation == 0 && !sandbox_has_quota(world, slot)) {
        return ISO_ERR_QUOTA;
    }
    sandbox_remove(world, state, slot);
    return sandbox_spawn(world, state, slot);
}

// ---- driving -------------------------------------------------------------------------------------

/// Whether something carried the ball in the last tick, walls included.
static bool sandbox_is_supported(const iso_world *world, iso_body_id body) {
    for (uint32_t i = iso_body_next_contact(world, body, 0); i != UINT32_MAX;
         i = iso_body_next_contact(world, body, i + 1)) {
        iso_contact_view contact;
        iso_world_get_contact(world, i, &contact);
        if (contact.normal_impulse[0] > 0 || contact.normal_impulse[1] > 0) {
            return true;
        }
    }
    return false;
}

/// Gives the ball its jump speed against gravity.
static void sandbox_jump(iso_world *world, iso_body_id body, iso_wide speed) {
    iso_body_view view;
    if (iso_body_get(world, body, &view) != ISO_OK || !sandbox_is_supported(world, body)) {
        return;
    }
    const iso_wide impulse = iso_wide_mul(view.mass, speed);
    const iso_vec2_wide up = {0, iso_world_get_gravity(world).y > 0 ? -impulse : impulse};
    iso_body_apply_impulse(world, body, up, iso_vec2_to_wide(iso_vec2_from_wide(view.centre)));
}

static void sandbox_before_step(iso_world *world, void *state) {
    sandbox_state *sandbox = state;
    const iso_wide *params = iso_world_get_def(world)->game_params;
    iso_slot_view view;
    for (uint32_t slot = 0; iso_world_get_slot(world, slot, &view); ++slot) {
        if (!view.is_occupied) {
            continue; // its buttons were cleared when the member left
        }
        uint8_t control[ISO__CONTROL_SIZE];
        iso_world_read_control(world, slot, control, sizeof control);
        const uint32_t buttons = iso__control_buttons(control);
        const uint32_t pressed = buttons & ~sandbox->buttons[slot];
        sandbox->buttons[slot] = buttons;
        const iso_body_id body = sandbox_player_body(world, state, slot);
        if (body.generation == 0) {
            continue;
        }
        const iso_vec2_wide force = {iso__control_share(params[SANDBOX_DRIVE_FORCE], iso__control_axis(control, 0)),
                                     iso__control_share(params[SANDBOX_DRIVE_FORCE], iso__control_axis(control, 1))};
        if (force.x != 0 || force.y != 0) {
            iso_body_apply_force_to_centre(world, body, force);
        }
        if ((pressed & SANDBOX_BUTTON_JUMP) != 0) {
            sandbox_jump(world, body, params[SANDBOX_JUMP_SPEED]);
        }
    }
}

const iso_game iso_game_sandbox = {
    .name = "sandbox",
    .version = 2, // 2: brings constraints
    .control_layout = "axes-buttons-8",
    .control_size = ISO__CONTROL_SIZE,
    .params = SANDBOX_PARAMS,
    .param_count = SANDBOX_PARAM_COUNT,
    .constraints = iso__sandbox_constraints,
    .constraint_count = SANDBOX_CONSTRAINT_COUNT,
    .state_size = sizeof(sandbox_state),
    .fields = SANDBOX_FIELDS,
    .field_count = sizeof SANDBOX_FIELDS / sizeof SANDBOX_FIELDS[0],
    .join = sandbox_join,
    .leave = sandbox_leave,
    .command = sandbox_command,
    .before_step = sandbox_before_step,
    .authorize = iso_game_authorize_owner,
    .player_body = sandbox_player_body,
};
