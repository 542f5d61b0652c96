/// A game of one's own with its server, its client and its replay tool, in one file against the installed package.
///
///   orbit server [OPTION…]             as isostep-server
///   orbit client HOST:PORT [OPTION…]   as isostep-client
///   orbit replay SUBCOMMAND …          as isostep-replay
///
/// The rules: every member has a moon that a spring pulls to the middle of the world. The stick pushes it. A CUSTOM
/// command without bytes turns its motion around, and the state counts how often. There is no `authorize`, so these two
/// are all that members may do: spawns, pushes, joints are refused. A game whose members may build brings rules, for
/// example iso_game_authorize_owner, and the parameters bodies_per_slot, shapes_per_slot and joints_per_slot that limit
/// them.
#include <isostep/client_main.h>
#include <isostep/game.h>
#include <isostep/literal.h>
#include <isostep/replay_main.h>
#include <isostep/server/server.h>
#include <isostep/world.h>
#include <stdio.h>
#include <string.h>

typedef struct orbit_state {
    uint32_t moon_index[ISO_SLOT_COUNT_MAX];
    uint32_t moon_generation[ISO_SLOT_COUNT_MAX]; // 0: no moon
    uint64_t turns;
} orbit_state;

static const iso_field orbit_fields[] = {
    {"moon_index", "", offsetof(orbit_state, moon_index), ISO_SLOT_COUNT_MAX, ISO_FIELD_U32},
    {"moon_generation", "", offsetof(orbit_state, moon_generation), ISO_SLOT_COUNT_MAX, ISO_FIELD_U32},
    {"turns", "", offsetof(orbit_state, turns), 1, ISO_FIELD_U64},
};

enum { ORBIT_PULL, ORBIT_THRUST };
static const iso_game_param orbit_params[] = {
    [ORBIT_PULL] = {"pull", ISO_WIDE(2.0), 0, ISO_WIDE(100.0)},     // [N/m]
    [ORBIT_THRUST] = {"thrust", ISO_WIDE(5.0), 0, ISO_WIDE(100.0)}, // [N] at full stick
};

static iso_body_id orbit_moon(const iso_world *world, const void *state, uint32_t slot) {
    const orbit_state *orbit = state;
    const iso_body_id moon = {orbit->moon_index[slot], orbit->moon_generation[slot]};
    return iso_body_is_valid(world, moon) ? moon : (iso_body_id){0, 0};
}

static void orbit_join(iso_world *world, void *state, uint32_t slot) {
    orbit_state *orbit = state;
    iso_slot_view member;
    iso_body_def def = iso_body_def_default();
    def.position = (iso_vec2_wide){(int32_t)(4 + slot) * ISO_WIDE_ONE, 0};
    def.velocity = (iso_vec2_wide){0, ISO_WIDE(4.0)};
    iso_shape_def ball = iso_shape_def_circle(ISO_FIX16(0.5));
    iso_body_id moon;
    iso_shape_id shape;
    if (!iso_world_get_slot(world, slot, &member)) {
        return;
    }
    def.owner = (iso_owner){member.generation, (uint16_t)slot};
    if (iso_body_create(world, &def, &moon) != ISO_OK) {
        return; // The world is full: a member without a moon.
    }
    if (iso_shape_create(world, moon, &ball, &shape) != ISO_OK) {
        (void)iso_body_destroy(world, moon);
        return;
    }
    orbit->moon_index[slot] = moon.index;
    orbit->moon_generation[slot] = moon.generation;
}

static void orbit_leave(iso_world *world, void *state, uint32_t slot) {
    orbit_state *orbit = state;
    (void)iso_body_destroy(world, orbit_moon(world, state, slot));
    orbit->moon_generation[slot] = 0;
}

static iso_status orbit_command(iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size) {
    orbit_state *orbit = state;
    (void)bytes;
    iso_body_view moon;
    if (size != 0 || iso_body_get(world, orbit_moon(world, state, slot), &moon) != ISO_OK) {
        return ISO_ERR_REFUSED;
    }
    orbit->turns += 1;
    const iso_vec2_wide back = iso_vec2_wide_scale(moon.velocity, ISO_WIDE(-1.0));
    return iso_body_set_velocity(world, orbit_moon(world, state, slot), back, 0);
}

static iso_wide orbit_stick(const uint8_t *bytes, iso_wide thrust) {
    return iso_wide_mul(thrust, iso_wide_from_int((int16_t)(uint16_t)(bytes[0] | bytes[1] << 8)) / 32768);
}

static void orbit_before_step(iso_world *world, void *state) {
    const iso_wide *params = iso_world_get_def(world)->game_params;
    for (uint32_t slot = 0; slot < iso_world_get_def(world)->slot_capacity; ++slot) {
        uint8_t stick[4];
        iso_body_view moon;
        const iso_body_id body = orbit_moon(world, state, slot);
        if (iso_body_get(world, body, &moon) != ISO_OK) {
            continue;
        }
        iso_world_read_control(world, slot, stick, sizeof stick);
        const iso_vec2_wide push = {orbit_stick(stick, params[ORBIT_THRUST]),
                                    orbit_stick(stick + 2, params[ORBIT_THRUST])};
        const iso_vec2_wide pull = iso_vec2_wide_scale(moon.centre, -params[ORBIT_PULL]);
        // Out of range only kilometres away, where a moon may drift as it likes.
        (void)iso_body_apply_force_to_centre(world, body, iso_vec2_wide_add(push, pull));
    }
}

static const iso_game orbit = {
    .name = "orbit",
    .version = 1,
    .control_layout = "axes-buttons-8",
    .control_size = 8,
    .params = orbit_params,
    .param_count = sizeof orbit_params / sizeof orbit_params[0],
    .state_size = sizeof(orbit_state),
    .fields = orbit_fields,
    .field_count = sizeof orbit_fields / sizeof orbit_fields[0],
    .join = orbit_join,
    .leave = orbit_leave,
    .command = orbit_command,
    .before_step = orbit_before_step,
    .player_body = orbit_moon,
};

/// Where it is played unless --scene says otherwise: the program needs no file.
static const char orbit_void[] = "{\"format\": 1, \"name\": \"void\", \"description\": \"Nothing at all, for the game "
                                 "orbit.\", \"world\": {\"gravity\": [0, 0]},"
                                 " \"game\": {\"name\": \"orbit\"}}";

int main(int argc, char **argv) {
    static const iso_game *const games[] = {&orbit};
    static const iso_server_scene scenes[] = {{"void", orbit_void, sizeof orbit_void - 1}};
    const char *part = argc > 1 ? argv[1] : "";
    if (strcmp(part, "server") == 0) {
        return iso_server_main_with_scenes(argc - 1, argv + 1, games, 1, scenes, 1);
    }
    if (strcmp(part, "client") == 0) {
        return iso_client_main(argc - 1, argv + 1, games, 1);
    }
    if (strcmp(part, "replay") == 0) {
        return iso_replay_main_with_scenes(argc - 1, argv + 1, games, 1, scenes, 1);
    }
    fprintf(stderr, "usage: orbit server|client|replay [ARGUMENT…]\n");
    return 2;
}
