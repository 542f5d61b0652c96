/// A game in space: balls on cables that swing through a gate, with its server, client and replay tool.
///
///   swing server|client|replay …   as isostep-server, isostep-client and isostep-replay
///
/// Every member has a ball on a cable from a beam; the stick pushes it. The game counts who passes the gate, a sensor,
/// and tells of each pass. The floor is a net: what falls on it bounces without friction, as before_contact3 decides.
#include <isostep/client_main.h>
#include <isostep/isostep.h>
#include <isostep/replay_main.h>
#include <isostep/server/server.h>
#include <stdio.h>
#include <string.h>

#define GATE_TAG 1u // in hall.json: of the gate's and the net's shape
#define NET_TAG  2u
#define CABLE    ISO_WIDE(3.5)

typedef struct swing_state {
    uint64_t ball[ISO_SLOT_COUNT_MAX]; // packed ids
    uint32_t passes;                   // of all balls, those of the scene among them
    uint32_t touches;                  // of the net
} swing_state;

static const iso_field swing_fields[] = {
    ISO_FIELD_OF(swing_state, ball, "", U64),
    ISO_FIELD_OF(swing_state, passes, "", U32),
    ISO_FIELD_OF(swing_state, touches, "", U32),
};

enum { SWING_PASS = 1 };
typedef struct swing_pass_event {
    int64_t point[3]; // [m] Q31.32
} swing_pass_event;
static const iso_field swing_pass_fields[] = {ISO_FIELD_OF(swing_pass_event, point, "m Q31.32", I64)};
static const iso_game_event swing_events[] = {{"pass", SWING_PASS, sizeof(swing_pass_event), swing_pass_fields, 1}};

enum { SWING_THRUST };
static const iso_game_param swing_params[] = {
    [SWING_THRUST] = {"thrust", ISO_WIDE(400), 0, ISO_WIDE(10000)}, // [N] at full stick
};

static iso_body_id swing_ball(const iso_world *world, const void *state, uint32_t slot) {
    const swing_state *game = state;
    const iso_body_id ball = iso_body_id_unpack(game->ball[slot]);
    return iso_body_is_valid(world, ball) ? ball : (iso_body_id){0, 0};
}

/// Hangs a ball from the beam, the scene's first body.
static void swing_join(iso_world *world, void *state, uint32_t slot) {
    swing_state *game = state;
    iso_slot_view member;
    iso_body_id ball;
    iso_shape_id shape;
    iso_joint_id cable;
    if (!iso_world_get_slot(world, slot, &member)) {
        return;
    }
    iso_body3_def def = iso_body3_def_default();
    def.position = (iso_vec3_wide){ISO_WIDE(3) * (1 + (int32_t)slot), ISO_WIDE(1.5), 0};
    def.owner = (iso_owner){member.generation, (uint16_t)slot};
    const iso_shape3_def sphere = iso_shape3_def_sphere(ISO_FIX16(0.25));
    iso_joint3_def joint = iso_joint3_def_default(ISO_JOINT3_DISTANCE);
    if (iso_body3_create(world, &def, &ball) != ISO_OK || iso_shape3_create(world, ball, &sphere, &shape) != ISO_OK) {
        return; // the world is full: a member without a ball
    }
    joint.body_a = iso_body_next(world, 0);
    joint.body_b = ball;
    joint.frame_a.anchor.x = (fix16_t)(def.position.x >> 16);
    joint.axes[0].limit_enabled = true; // a cable: it may be slack
    joint.axes[0].upper = (fix16_t)(CABLE >> 16);
    (void)iso_joint3_create(world, &joint, &cable);
    game->ball[slot] = iso_id_pack(ball.index, ball.generation);
}

static void swing_leave(iso_world *world, void *state, uint32_t slot) {
    (void)iso_body_destroy(world, swing_ball(world, state, slot));
}

static iso_wide swing_stick(const uint8_t *bytes, iso_wide thrust) {
    return iso_wide_mul(thrust, iso_wide_from_int((int16_t)(uint16_t)(bytes[0] | bytes[1] << 8)) / 32768);
}

static void swing_before_step(iso_world *world, void *state) {
    const iso_wide thrust = iso_world_get_def(world)->game_params[SWING_THRUST];
    for (uint32_t slot = 0; slot < iso_world_get_def(world)->slot_capacity; ++slot) {
        uint8_t stick[4];
        iso_world_read_control(world, slot, stick, sizeof stick);
        const iso_vec3_wide force = {swing_stick(stick, thrust), 0, swing_stick(stick + 2, thrust)};
        (void)iso_body3_apply_force_to_centre(world, swing_ball(world, state, slot), force);
    }
}

static bool swing_is_of(const iso_world *world, iso_shape_id shape, uint32_t tag) {
    iso_shape3_def def;
    iso_body_id body;
    return iso_shape3_get(world, shape, &def, &body) == ISO_OK && def.tag == tag;
}

static void swing_before_contact(const iso_world *world, void *state, const iso_step_contact3 *contact,
                                 iso_contact3_rules *rules) {
    (void)state;
    if (swing_is_of(world, contact->shape_a, NET_TAG) || swing_is_of(world, contact->shape_b, NET_TAG)) {
        rules->friction = 0;
        rules->restitution = ISO_FIX16(0.8);
    }
}

static void swing_after_step(iso_world *world, void *state) {
    swing_state *game = state;
    iso_events events;
    iso_world_get_events(world, &events);
    for (uint32_t i = 0; i < events.contact_begin_count; ++i) {
        const iso_contact_event *begin = &events.contact_begins[i];
        if (swing_is_of(world, begin->shape_a, GATE_TAG) || swing_is_of(world, begin->shape_b, GATE_TAG)) {
            const swing_pass_event pass = {{begin->point3.x, begin->point3.y, begin->point3.z}};
            game->passes += 1;
            (void)iso_world_emit(world, SWING_PASS, &pass, sizeof pass);
        }
        game->touches += swing_is_of(world, begin->shape_a, NET_TAG) || swing_is_of(world, begin->shape_b, NET_TAG);
    }
}

static const iso_game swing = {
    .name = "swing",
    .version = 1,
    .dimensions = 1u << 3,
    .control_layout = "axes-buttons-8",
    .control_size = 8,
    .params = swing_params,
    .param_count = sizeof swing_params / sizeof swing_params[0],
    .state_size = sizeof(swing_state),
    .fields = swing_fields,
    .field_count = sizeof swing_fields / sizeof swing_fields[0],
    .events = swing_events,
    .event_count = sizeof swing_events / sizeof swing_events[0],
    .join = swing_join,
    .leave = swing_leave,
    .before_step = swing_before_step,
    .before_contact3 = swing_before_contact,
    .after_step = swing_after_step,
    .player_body = swing_ball,
};

int main(int argc, char **argv) {
    static const iso_game *const games[] = {&swing};
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv, const iso_game *const *games, size_t count);
    } parts[] = {{"server", iso_server_main}, {"client", iso_client_main}, {"replay", iso_replay_main}};
    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof parts[0]; ++i) {
        if (strcmp(argv[1], parts[i].name) == 0) {
            return parts[i].run(argc - 1, argv + 1, games, 1);
        }
    }
    fprintf(stderr, "usage: swing server|client|replay [ARGUMENT…]\n");
    return 2;
}
