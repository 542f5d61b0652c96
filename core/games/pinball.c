/// The game of pinball: every member has a ball on one table, and all of them work its flippers.
///
/// The table is the scene's. What its parts do is said by tags of shapes and joints, listed in games.h. Two functions
/// make the rules, one before and one after the contacts of a tick are solved:
///   before  whether a ball passes: the gate at the end of the lane lets out and not in, the saver below the flippers
///           holds only balls that have come out a short while ago, and balls in the lane pass each other
///   after   how hard a ball hit a bumper, which kicks it as hard, within bounds; and whether it hit the drain
/// They only note what is to happen, as nothing may move while contacts are solved; pinball_after_step does it.
#include "control.h"
#include "isostep/draw.h"
#include "isostep/games.h"
#include "isostep/world.h"

#define PINBALL_COMMAND_SERVE 1u // the one CUSTOM command: one byte, the ball is served again
#define PINBALL_FLIPPERS_MAX  16
#define PINBALL_RADIUS        (ISO_FIX16_ONE / 4)
#define PINBALL_DENSITY       (5 * ISO_FIX16_ONE)
#define PINBALL_KICK_MIN      (2 * ISO_WIDE_ONE) // [m/s]
#define PINBALL_SERVE_STEPS   256                // of the launch speed, which is up to an eighth higher than asked
#define PINBALL_POINTS        10                 // for each m/s of a kick

/// Tags of shapes, and of joints: see games.h.
enum { PINBALL_BUMPER = 1, PINBALL_GATE = 2, PINBALL_SAVER = 3, PINBALL_DRAIN = 4 };
enum { PINBALL_FLIPPER_LEFT = 1, PINBALL_FLIPPER_RIGHT = 2 };

/// Where a ball is: any other number stands for PLAY.
enum { PINBALL_IN_PLAY, PINBALL_IN_LANE, PINBALL_IN_GATE };

enum {
    PINBALL_LANE_X,
    PINBALL_LANE_Y,
    PINBALL_LAUNCH_SPEED,
    PINBALL_KICK_SPEED,
    PINBALL_FLIPPER_SPEED,
    PINBALL_NUDGE_FORCE,
    PINBALL_SAVE_TIME,
    PINBALL_CONTROL_TIMEOUT, // read by iso_world_read_control
    PINBALL_PARAM_COUNT
};

static const iso_game_param PINBALL_PARAMS[PINBALL_PARAM_COUNT] = {
    [PINBALL_LANE_X] = {"lane_x", 59 * ISO_WIDE_ONE / 10, -1000 * ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE},
    [PINBALL_LANE_Y] = {"lane_y", 6 * ISO_WIDE_ONE / 10, -1000 * ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE},
    [PINBALL_LAUNCH_SPEED] = {"launch_speed", 16 * ISO_WIDE_ONE, 0, 100 * ISO_WIDE_ONE},
    [PINBALL_KICK_SPEED] = {"kick_speed", 8 * ISO_WIDE_ONE, PINBALL_KICK_MIN, 100 * ISO_WIDE_ONE},
    [PINBALL_FLIPPER_SPEED] = {"flipper_speed", 20 * ISO_WIDE_ONE, ISO_WIDE_ONE, 100 * ISO_WIDE_ONE},
    [PINBALL_NUDGE_FORCE] = {"nudge_force", ISO_WIDE_ONE, 0, 1000 * ISO_WIDE_ONE},
    [PINBALL_SAVE_TIME] = {"save_time", 300 * ISO_WIDE_ONE, 0, 10000 * ISO_WIDE_ONE},
    [PINBALL_CONTROL_TIMEOUT] = {"control_timeout", 10 * ISO_WIDE_ONE, ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE},
};

/// The game's state. X(type, name, field type, count, unit)
/// kick_x, kick_y: what bumpers add to a ball's velocity at the end of the tick; is_at_gate, is_drained: what a ball
/// touched in the tick; saved: for so long the saver holds it; raised: the flippers, by their tags, as bits.
#define PINBALL_FIELD_LIST(X)                                      \
    X(int64_t, kick_x, I64, ISO_SLOT_COUNT_MAX, "m/s Q31.32")      \
    X(int64_t, kick_y, I64, ISO_SLOT_COUNT_MAX, "m/s Q31.32")      \
    X(uint32_t, ball_index, U32, ISO_SLOT_COUNT_MAX, "")           \
    X(uint32_t, ball_generation, U32, ISO_SLOT_COUNT_MAX, "")      \
    X(uint32_t, score, U32, ISO_SLOT_COUNT_MAX, "")                \
    X(uint32_t, best, U32, ISO_SLOT_COUNT_MAX, "")                 \
    X(uint32_t, saved, U32, ISO_SLOT_COUNT_MAX, "ticks")           \
    X(uint8_t, place, U8, ISO_SLOT_COUNT_MAX, "")                  \
    X(uint8_t, is_at_gate, U8, ISO_SLOT_COUNT_MAX, "")             \
    X(uint8_t, is_drained, U8, ISO_SLOT_COUNT_MAX, "")             \
    X(uint8_t, is_right, U8, PINBALL_FLIPPERS_MAX, "")             \
    X(uint32_t, flipper_index, U32, PINBALL_FLIPPERS_MAX, "")      \
    X(uint32_t, flipper_generation, U32, PINBALL_FLIPPERS_MAX, "") \
    X(uint32_t, flipper_count, U32, 1, "")                         \
    X(uint32_t, raised, U32, 1, "")

typedef struct pinball_state {
#define PINBALL_DECLARE(type, name, field, count, unit) type name[count];
    PINBALL_FIELD_LIST(PINBALL_DECLARE)
#undef PINBALL_DECLARE
} pinball_state;

#define PINBALL_FIELD(type, name, field, count, unit) \
    {#name, unit, (uint32_t)offsetof(pinball_state, name), count, ISO_FIELD_##field},
static const iso_field PINBALL_FIELDS[] = {PINBALL_FIELD_LIST(PINBALL_FIELD)};

#define PINBALL_SIZE(type, name, field, count, unit) +sizeof(type) * (count)
_Static_assert(sizeof(pinball_state) == 0 PINBALL_FIELD_LIST(PINBALL_SIZE), "the pinball's state has no padding");

typedef struct pinball_event {
    uint32_t slot;
    uint32_t points; // of the hit, or of the whole ball
} pinball_event;

enum { PINBALL_EVENT_HIT = 1, PINBALL_EVENT_DRAINED = 2 };
static const iso_field PINBALL_EVENT_FIELDS[] = {
    {"slot", "", 0, 1, ISO_FIELD_U32},
    {"points", "", offsetof(pinball_event, points), 1, ISO_FIELD_U32},
};
static const iso_game_event PINBALL_EVENTS[] = {
    {"hit", PINBALL_EVENT_HIT, sizeof(pinball_event), PINBALL_EVENT_FIELDS, 2},
    {"drained", PINBALL_EVENT_DRAINED, sizeof(pinball_event), PINBALL_EVENT_FIELDS, 2},
};

static const iso_wide *pinball_params(const iso_world *world) {
    return iso_world_get_def(world)->game_params;
}

static iso_body_id pinball_ball(const iso_world *world, const void *state, uint32_t slot) {
    const pinball_state *pinball = state;
    const iso_body_id body = {pinball->ball_index[slot], pinball->ball_generation[slot]};
    return iso_body_is_valid(world, body) ? body : (iso_body_id){0, 0};
}

// ---- members -------------------------------------------------------------------------------------

static void pinball_remove(iso_world *world, pinball_state *pinball, uint32_t slot) {
    const iso_body_id body = pinball_ball(world, pinball, slot);
    if (body.generation != 0) {
        iso_body_destroy(world, body);
    }
    pinball->ball_index[slot] = pinball->ball_generation[slot] = 0;
    pinball->score[slot] = pinball->saved[slot] = 0;
    pinball->kick_x[slot] = pinball->kick_y[slot] = 0;
    pinball->place[slot] = pinball->is_at_gate[slot] = pinball->is_drained[slot] = 0;
}

/// A ball, which never sleeps: the rules for it change with time, and sleeping contacts are not asked about.
static iso_status pinball_create(iso_world *world, pinball_state *pinball, uint32_t slot) {
    iso_slot_view view;
    iso_world_get_slot(world, slot, &view);
    iso_body_def def = iso_body_def_default();
    def.tag = slot + 1;
    def.owner = (iso_owner){view.generation, (uint16_t)slot};
    def.params.sleep_enabled = false;
    def.params.bullet = true; // flippers are fast
    iso_shape_def shape = iso_shape_def_circle(PINBALL_RADIUS);
    shape.density = PINBALL_DENSITY;
    shape.friction = ISO_FIX16_ONE / 5;
    shape.restitution = 2 * ISO_FIX16_ONE / 5;
    iso_body_id body;
    iso_shape_id made;
    iso_status status = iso_body_create(world, &def, &body);
    if (status != ISO_OK) {
        return status;
    }
    status = iso_shape_create(world, body, &shape, &made);
    if (status != ISO_OK) {
        iso_body_destroy(world, body);
        return status;
    }
    pinball->ball_index[slot] = body.index;
    pinball->ball_generation[slot] = body.generation;
    return ISO_OK;
}

/// Shoots the member's ball up the lane, with a speed that differs from ball to ball.
static iso_status pinball_serve(iso_world *world, pinball_state *pinball, uint32_t slot) {
    if (pinball_ball(world, pinball, slot).generation == 0) {
        const iso_status status = pinball_create(world, pinball, slot);
        if (status != ISO_OK) {
            return status; // the world is full: it tries again in the next tick
        }
    }
    const iso_wide *params = pinball_params(world);
    const iso_body_id body = pinball_ball(world, pinball, slot);
    const iso_wide speed = params[PINBALL_LAUNCH_SPEED], more = iso_world_random_below(world, PINBALL_SERVE_STEPS);
    iso_body_set_position(world, body, (iso_vec2_wide){params[PINBALL_LANE_X], params[PINBALL_LANE_Y]}, 0);
    iso_body_set_velocity(world, body, (iso_vec2_wide){0, speed + speed / (8 * PINBALL_SERVE_STEPS) * more}, 0);
    pinball->score[slot] = pinball->saved[slot] = 0;
    pinball->place[slot] = PINBALL_IN_LANE;
    return ISO_OK;
}

static void pinball_join(iso_world *world, void *state, uint32_t slot) {
    ((pinball_state *)state)->best[slot] = 0;
    pinball_serve(world, state, slot);
}

static void pinball_leave(iso_world *world, void *state, uint32_t slot) {
    pinball_remove(world, state, slot);
}

static iso_status pinball_command(iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size) {
    if (size != 1 || bytes[0] != PINBALL_COMMAND_SERVE) {
        return ISO_ERR_REFUSED;
    }
    return pinball_serve(world, state, slot);
}

// ---- flippers ------------------------------------------------------------------------------------

static void pinball_start(iso_world *world, void *state) {
    pinball_state *pinball = state;
    for (iso_joint_id j = iso_joint_next(world, 0);
         j.generation != 0 && pinball->flipper_count[0] < PINBALL_FLIPPERS_MAX;
         j = iso_joint_next(world, j.index + 1)) {
        iso_joint_def def;
        if (iso_joint_get(world, j, &def) == ISO_OK && def.kind == ISO_JOINT_REVOLUTE &&
            (def.tag == PINBALL_FLIPPER_LEFT || def.tag == PINBALL_FLIPPER_RIGHT)) {
            const uint32_t next = pinball->flipper_count[0]++;
            pinball->flipper_index[next] = j.index;
            pinball->flipper_generation[next] = j.generation;
            pinball->is_right[next] = def.tag == PINBALL_FLIPPER_RIGHT;
        }
    }
}

/// A left one turns counter-clockwise when it is raised. The motors keep their torques.
static void pinball_move_flippers(iso_world *world, pinball_state *pinball, uint32_t raised) {
    if (raised == pinball->raised[0]) {
        return;
    }
    pinball->raised[0] = raised;
    const fix16_t speed = iso_fix16_from_wide(pinball_params(world)[PINBALL_FLIPPER_SPEED]);
    for (uint32_t i = 0; i < PINBALL_FLIPPERS_MAX; ++i) {
        const iso_joint_id joint = {pinball->flipper_index[i], pinball->flipper_generation[i]};
        const bool is_right = pinball->is_right[i] != 0;
        const bool is_raised = (raised & (is_right ? PINBALL_FLIPPER_RIGHT : PINBALL_FLIPPER_LEFT)) != 0;
        iso_joint_def def;
        if (i < pinball->flipper_count[0] && iso_joint_get(world, joint, &def) == ISO_OK) {
            iso_joint_set_motor(world, joint, true, is_raised != is_right ? speed : -speed, def.motor_max);
        }
    }
}

// ---- the rules of contacts -----------------------------------------------------------------------

/// @return the slot of the member whose ball this is; ISO_SLOT_COUNT_MAX when it is none
static uint32_t pinball_slot(const pinball_state *pinball, iso_body_id body) {
    uint32_t slot = 0;
    while (slot < ISO_SLOT_COUNT_MAX &&
           !iso_body_id_equal(body, (iso_body_id){pinball->ball_index[slot], pinball->ball_generation[slot]})) {
        ++slot;
    }
    return slot;
}

static bool pinball_is_out(const pinball_state *pinball, uint32_t slot) {
    return pinball->place[slot] != PINBALL_IN_LANE && pinball->place[slot] != PINBALL_IN_GATE;
}

static uint32_t pinball_tag(const iso_world *world, iso_shape_id shape) {
    iso_shape_def def;
    iso_body_id body;
    return iso_shape_get(world, shape, &def, &body) == ISO_OK ? def.tag : 0;
}

static void pinball_before_contact(const iso_world *world, void *state, const iso_step_contact *contact,
                                   iso_contact_rules *rules) {
    const pinball_state *pinball = state;
    const uint32_t a = pinball_slot(pinball, contact->body_a), b = pinball_slot(pinball, contact->body_b);
    if (a < ISO_SLOT_COUNT_MAX && b < ISO_SLOT_COUNT_MAX) {
        rules->is_enabled = pinball_is_out(pinball, a) && pinball_is_out(pinball, b);
    } else if (a < ISO_SLOT_COUNT_MAX || b < ISO_SLOT_COUNT_MAX) {
        const bool is_a = a < ISO_SLOT_COUNT_MAX;
        const uint32_t slot = is_a ? a : b, tag = pinball_tag(world, is_a ? contact->shape_b : contact->shape_a);
        if (tag == PINBALL_GATE) {
            rules->is_enabled = pinball_is_out(pinball, slot);
        } else if (tag == PINBALL_SAVER) {
            rules->is_enabled = pinball->saved[slot] > 0;
        }
    }
}

/// A kick away from what was hit, as fast as the hit changed the ball's velocity, within bounds.
static void pinball_note_kick(const iso_world *world, pinball_state *pinball, uint32_t slot, iso_wide impulse,
                              iso_unit2 away) {
    iso_body_view ball;
    if (iso_body_get(world, pinball_ball(world, pinball, slot), &ball) != ISO_OK || ball.mass == 0) {
        return;
    }
    const iso_wide most = pinball_params(world)[PINBALL_KICK_SPEED], hit = iso_wide_div(impulse, ball.mass);
    const iso_wide speed = hit < PINBALL_KICK_MIN ? PINBALL_KICK_MIN : hit > most ? most : hit;
    const iso_wide x = (iso_wide)away.x * 4, y = (iso_wide)away.y * 4; // Q2.30 to Q31.32
    pinball->kick_x[slot] = iso_wide_add(pinball->kick_x[slot], iso_wide_mul(speed, x));
    pinball->kick_y[slot] = iso_wide_add(pinball->kick_y[slot], iso_wide_mul(speed, y));
}

static void pinball_after_contact(const iso_world *world, void *state, const iso_step_contact *contact) {
    pinball_state *pinball = state;
    const uint32_t a = pinball_slot(pinball, contact->body_a), b = pinball_slot(pinball, contact->body_b);
    if ((a < ISO_SLOT_COUNT_MAX) == (b < ISO_SLOT_COUNT_MAX)) {
        return; // two balls, or none
    }
    const bool is_a = a < ISO_SLOT_COUNT_MAX;
    const uint32_t slot = is_a ? a : b, tag = pinball_tag(world, is_a ? contact->shape_b : contact->shape_a);
    const iso_unit2 normal = contact->manifold.normal; // from A to B
    const iso_unit2 away = is_a ? (iso_unit2){-normal.x, -normal.y} : normal;
    const iso_wide impulse = contact->normal_impulse_max[0]; // a circle has one point
    if (tag == PINBALL_GATE) {
        pinball->is_at_gate[slot] = 1;
    } else if ((tag == PINBALL_BUMPER || tag == PINBALL_SAVER) && impulse > 0) {
        pinball_note_kick(world, pinball, slot, impulse, away);
    } else if (tag == PINBALL_DRAIN && impulse > 0) {
        pinball->is_drained[slot] = 1;
    }
}

// ---- a tick --------------------------------------------------------------------------------------

static void pinball_before_step(iso_world *world, void *state) {
    pinball_state *pinball = state;
    const iso_wide nudge = pinball_params(world)[PINBALL_NUDGE_FORCE];
    uint32_t raised = 0;
    iso_slot_view view;
    for (uint32_t slot = 0; iso_world_get_slot(world, slot, &view); ++slot) {
        if (!view.is_occupied ||
            (pinball_ball(world, state, slot).generation == 0 && pinball_serve(world, state, slot) != ISO_OK)) {
            continue;
        }
        uint8_t control[ISO__CONTROL_SIZE];
        iso_world_read_control(world, slot, control, sizeof control);
        raised |= control[4] & (PINBALL_FLIPPER_LEFT | PINBALL_FLIPPER_RIGHT);
        pinball->saved[slot] -= pinball->saved[slot] > 0;
        const iso_wide force = nudge / ISO__CONTROL_AXIS_MAX * iso__control_axis(control, 0);
        if (force != 0) {
            iso_body_apply_force_to_centre(world, pinball_ball(world, state, slot), (iso_vec2_wide){force, 0});
        }
    }
    pinball_move_flippers(world, pinball, raised);
}

static void pinball_kick(iso_world *world, pinball_state *pinball, uint32_t slot) {
    const iso_vec2_wide kick = {pinball->kick_x[slot], pinball->kick_y[slot]};
    iso_body_view ball;
    if ((kick.x == 0 && kick.y == 0) || iso_body_get(world, pinball_ball(world, pinball, slot), &ball) != ISO_OK) {
        return;
    }
    iso_body_set_velocity(world, pinball_ball(world, pinball, slot),
                          (iso_vec2_wide){iso_wide_add(ball.velocity.x, kick.x), iso_wide_add(ball.velocity.y, kick.y)},
                          ball.angular_velocity);
    const uint64_t points = PINBALL_POINTS * ((uint64_t)iso_wide_hypot(kick.x, kick.y) >> 32);
    const uint64_t score = pinball->score[slot] + points;
    pinball->score[slot] = score > UINT32_MAX ? UINT32_MAX : (uint32_t)score;
    const pinball_event hit = {slot, points > UINT32_MAX ? UINT32_MAX : (uint32_t)points};
    (void)iso_world_emit(world, PINBALL_EVENT_HIT, &hit, sizeof hit);
}

/// Does what the contacts have left to do: kicks, the way out of the gate, the end of a ball.
static void pinball_after_step(iso_world *world, void *state) {
    pinball_state *pinball = state;
    const uint32_t save_time = (uint32_t)(pinball_params(world)[PINBALL_SAVE_TIME] / ISO_WIDE_ONE);
    iso_slot_view view;
    for (uint32_t slot = 0; iso_world_get_slot(world, slot, &view); ++slot) {
        pinball_kick(world, pinball, slot);
        if (pinball->is_at_gate[slot] && pinball->place[slot] == PINBALL_IN_LANE) {
            pinball->place[slot] = PINBALL_IN_GATE;
        } else if (!pinball->is_at_gate[slot] && pinball->place[slot] == PINBALL_IN_GATE) {
            pinball->place[slot] = PINBALL_IN_PLAY;
            pinball->saved[slot] = save_time;
        }
        if (pinball->is_drained[slot]) {
            const pinball_event drained = {slot, pinball->score[slot]};
            pinball->best[slot] = drained.points > pinball->best[slot] ? drained.points : pinball->best[slot];
            (void)iso_world_emit(world, PINBALL_EVENT_DRAINED, &drained, sizeof drained);
            pinball_serve(world, pinball, slot);
        }
        pinball->kick_x[slot] = pinball->kick_y[slot] = 0;
        pinball->is_at_gate[slot] = pinball->is_drained[slot] = 0;
    }
}

/// A ring around each ball that the saver holds.
static bool pinball_draw(const iso_world *world, const void *state, uint32_t index, iso_draw *draw) {
    iso_slot_view slot;
    iso_body_view ball;
    if (!iso_world_get_slot(world, index, &slot)) {
        return false;
    }
    if (((const pinball_state *)state)->saved[index] > 0 &&
        iso_body_get(world, pinball_ball(world, state, index), &ball) == ISO_OK) {
        iso_draw_item item = {
            .kind = ISO_DRAW_CIRCLE, .point_count = 1, .radius = 2 * (iso_wide)PINBALL_RADIUS * 65536};
        item.points[0] = ball.position;
        iso_draw_add(draw, &item);
    }
    return true;
}

const iso_game iso_game_pinball = {
    .name = "pinball",
    .version = 1,
    .control_layout = "axes-buttons-8",
    .control_size = ISO__CONTROL_SIZE,
    .params = PINBALL_PARAMS,
    .param_count = PINBALL_PARAM_COUNT,
    .state_size = sizeof(pinball_state),
    .fields = PINBALL_FIELDS,
    .field_count = sizeof PINBALL_FIELDS / sizeof PINBALL_FIELDS[0],
    .events = PINBALL_EVENTS,
    .event_count = sizeof PINBALL_EVENTS / sizeof PINBALL_EVENTS[0],
    .start = pinball_start,
    .join = pinball_join,
    .leave = pinball_leave,
    .command = pinball_command,
    .before_step = pinball_before_step,
    .after_step = pinball_after_step,
    .before_contact = pinball_before_contact,
    .after_contact = pinball_after_contact,
    .player_body = pinball_ball,
    .draw = pinball_draw,
};
