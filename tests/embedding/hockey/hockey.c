/// Hockey for two: a game with goals, a score and face-offs, with its server, client and replay tool.
///
///   hockey server|client|replay …   as isostep-server, isostep-client and isostep-replay
///
/// Slot 0 plays on the left, slot 1 on the right. A stick drives a member's mallet; lines that only mallets meet keep
/// it in its half. The puck in a goal is a goal for the other side; after a second puck and mallets are back at their
/// places. Whoever reaches `goals` wins the match, and the next one begins.
#include <isostep/client_main.h>
#include <isostep/isostep.h>
#include <isostep/replay_main.h>
#include <isostep/server/server.h>
#include <stdio.h>
#include <string.h>

#define PUCK_TAG     1u // in rink.json
#define MALLET       2u // category of mallets; rink.json has the lines that meet nothing else
#define GOAL_LINE    ISO_WIDE(10.4)
#define FACE_OFF     60u // ticks
#define MALLET_PLACE ISO_FIX16(7)

typedef struct hockey_state {
    uint64_t mallet[2]; // packed ids
    uint64_t puck;
    uint32_t score[2]; // of this match
    uint32_t won[2];   // matches
    uint32_t face_off; // ticks until play goes on, 0: it does
    uint32_t padding;
} hockey_state;

static const iso_field hockey_fields[] = {
    ISO_FIELD_OF(hockey_state, mallet, "", U64),   ISO_FIELD_OF(hockey_state, puck, "", U64),
    ISO_FIELD_OF(hockey_state, score, "", U32),    ISO_FIELD_OF(hockey_state, won, "", U32),
    ISO_FIELD_OF(hockey_state, face_off, "", U32), ISO_FIELD_OF(hockey_state, padding, "", U32),
};

enum { HOCKEY_GOAL = 1 };
typedef struct hockey_goal_event {
    uint32_t scorer, score; // the side, and its goals of this match with this one
} hockey_goal_event;
static const iso_field hockey_goal_fields[] = {ISO_FIELD_OF(hockey_goal_event, scorer, "", U32),
                                               ISO_FIELD_OF(hockey_goal_event, score, "", U32)};
static const iso_game_event hockey_events[] = {{"goal", HOCKEY_GOAL, sizeof(hockey_goal_event), hockey_goal_fields, 2}};

enum { HOCKEY_THRUST, HOCKEY_GOALS };
static const iso_game_param hockey_params[] = {
    [HOCKEY_THRUST] = {"thrust", ISO_WIDE(60), 0, ISO_WIDE(1000)}, // [N] at full stick
    [HOCKEY_GOALS] = {"goals", ISO_WIDE(7), ISO_WIDE(1), ISO_WIDE(99)},
};

static iso_vec2 hockey_place(uint32_t slot) {
    return (iso_vec2){slot == 0 ? -MALLET_PLACE : MALLET_PLACE, 0};
}

/// A body at rest at its place; one that is not there stays where it is: nowhere.
static void hockey_put(iso_world *world, iso_body_id body, iso_vec2 place) {
    (void)iso_body_set_position(world, body, iso_vec2_to_wide(place), 0);
    (void)iso_body_set_velocity(world, body, (iso_vec2_wide){0, 0}, 0);
}

static void hockey_start(iso_world *world, void *state) {
    hockey_state *game = state;
    iso_body_view view;
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        if (iso_body_get(world, b, &view) == ISO_OK && view.tag == PUCK_TAG) {
            game->puck = iso_id_pack(b.index, b.generation);
        }
    }
}

static iso_body_id hockey_mallet(const iso_world *world, const void *state, uint32_t slot) {
    const hockey_state *game = state;
    const iso_body_id mallet = slot < 2 ? iso_body_id_unpack(game->mallet[slot]) : (iso_body_id){0, 0};
    return iso_body_is_valid(world, mallet) ? mallet : (iso_body_id){0, 0};
}

/// The table brakes a mallet, up to a force and a torque; the boards, its first body, still stop it.
static void hockey_brake(iso_world *world, iso_body_id mallet, uint32_t slot) {
    const iso_vec2_wide place = iso_vec2_to_wide(hockey_place(slot));
    iso_friction_joint_def brake;
    iso_joint_id joint;
    if (iso_friction_joint_def_between(world, iso_body_next(world, 0), mallet, place, &brake) == ISO_OK) {
        brake.force_max = ISO_WIDE(6);
        brake.torque_max = ISO_WIDE(0.5);
        brake.collide_connected = true;
        (void)iso_friction_joint_create(world, &brake, &joint);
    }
}

static void hockey_join(iso_world *world, void *state, uint32_t slot) {
    hockey_state *game = state;
    iso_slot_view member;
    iso_body_id mallet;
    iso_shape_id shape;
    if (slot >= 2 || !iso_world_get_slot(world, slot, &member)) {
        return;
    }
    iso_body_def def = iso_body_def_default();
    def.position = iso_vec2_to_wide(hockey_place(slot));
    def.owner = (iso_owner){member.generation, (uint16_t)slot};
    def.params.linear_damping = ISO_FIX16(2.5);
    iso_shape_def disc = iso_shape_def_circle(ISO_FIX16(0.6));
    disc.filter.category = MALLET;
    disc.restitution = ISO_FIX16(0.5);
    if (iso_body_create(world, &def, &mallet) == ISO_OK && iso_shape_create(world, mallet, &disc, &shape) == ISO_OK) {
        game->mallet[slot] = iso_id_pack(mallet.index, mallet.generation);
        hockey_brake(world, mallet, slot);
    }
}

static void hockey_leave(iso_world *world, void *state, uint32_t slot) {
    (void)iso_body_destroy(world, hockey_mallet(world, state, slot));
}

static iso_wide hockey_axis(const uint8_t *bytes, iso_wide thrust) {
    return iso_wide_mul(thrust, iso_wide_from_int((int16_t)(uint16_t)(bytes[0] | bytes[1] << 8)) / 32768);
}

static void hockey_before_step(iso_world *world, void *state) {
    const hockey_state *game = state;
    const iso_wide thrust = iso_world_get_def(world)->game_params[HOCKEY_THRUST];
    for (uint32_t slot = 0; slot < 2 && game->face_off == 0; ++slot) {
        uint8_t stick[4];
        iso_world_read_control(world, slot, stick, sizeof stick);
        const iso_vec2_wide force = {hockey_axis(stick, thrust), hockey_axis(stick + 2, thrust)};
        (void)iso_body_apply_force_to_centre(world, hockey_mallet(world, state, slot), force);
    }
}

static void hockey_goal(iso_world *world, hockey_state *game, uint32_t side) {
    game->score[side] += 1;
    game->face_off = FACE_OFF;
    const hockey_goal_event goal = {side, game->score[side]};
    (void)iso_world_emit(world, HOCKEY_GOAL, &goal, sizeof goal);
    (void)iso_body_set_velocity(world, iso_body_id_unpack(game->puck), (iso_vec2_wide){0, 0}, 0);
    if (iso_wide_from_int((int32_t)game->score[side]) >= iso_world_get_def(world)->game_params[HOCKEY_GOALS]) {
        game->won[side] += 1;
        game->score[0] = game->score[1] = 0;
    }
}

/// A face-off: all at their places, and the puck starts towards a side that the world's random numbers choose.
static void hockey_face_off(iso_world *world, hockey_state *game) {
    const iso_body_id puck = iso_body_id_unpack(game->puck);
    const iso_wide speed = iso_world_random_below(world, 2) == 0 ? ISO_WIDE(-4) : ISO_WIDE(4);
    hockey_put(world, puck, (iso_vec2){0, 0});
    (void)iso_body_set_velocity(world, puck, (iso_vec2_wide){speed, 0}, 0);
    for (uint32_t slot = 0; slot < 2; ++slot) {
        hockey_put(world, hockey_mallet(world, game, slot), hockey_place(slot));
    }
}

static void hockey_after_step(iso_world *world, void *state) {
    hockey_state *game = state;
    iso_body_view puck;
    if (game->face_off > 0) {
        game->face_off -= 1;
        if (game->face_off == 0) {
            hockey_face_off(world, game);
        }
    } else if (iso_body_get(world, iso_body_id_unpack(game->puck), &puck) == ISO_OK) {
        if (puck.centre.x > GOAL_LINE || puck.centre.x < -GOAL_LINE) {
            hockey_goal(world, game, puck.centre.x > 0 ? 0 : 1);
        }
    }
}

static const iso_game hockey = {
    .name = "hockey",
    .version = 1,
    .control_layout = "axes-buttons-8",
    .control_size = 8,
    .params = hockey_params,
    .param_count = sizeof hockey_params / sizeof hockey_params[0],
    .state_size = sizeof(hockey_state),
    .fields = hockey_fields,
    .field_count = sizeof hockey_fields / sizeof hockey_fields[0],
    .events = hockey_events,
    .event_count = sizeof hockey_events / sizeof hockey_events[0],
    .start = hockey_start,
    .join = hockey_join,
    .leave = hockey_leave,
    .before_step = hockey_before_step,
    .after_step = hockey_after_step,
    .player_body = hockey_mallet,
};

int main(int argc, char **argv) {
    static const iso_game *const games[] = {&hockey};
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv, const iso_game *const *games, size_t count);
    } parts[] = {{"server", iso_server_main}, {"client", iso_client_main}, {"replay", iso_replay_main}};
    for (size_t i = 0; argc > 1 && i < sizeof parts / sizeof parts[0]; ++i) {
        if (strcmp(argv[1], parts[i].name) == 0) {
            return parts[i].run(argc - 1, argv + 1, games, 1);
        }
    }
    fprintf(stderr, "usage: hockey server|client|replay [ARGUMENT…]\n");
    return 2;
}
