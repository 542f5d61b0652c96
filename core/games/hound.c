/// The game of hounds: every member drives a creature on four legs that trots.
///
/// It is a ragdoll of ten capsules and nine servos (isostep/ragdoll.h): a trunk, a head, and four legs of thigh and
/// shin. Two legs that stand diagonally carry it while the other two swing; in the plane these are one in front and one
/// behind, so that it stands at any time, and needs no balance: feet go along given paths under the trunk.
///   carrying  the foot goes back below its hip with the speed of the walk
///   swinging  it goes ahead in an arc, to half of what it carried the trunk along
/// iso_ragdoll_reach gives the angles of thigh and shin for a foot's place. A hound that lies on its back, or whose
/// parts are gone, is made anew after `fall_time`.
#include "isostep/draw.h"
#include "isostep/games.h"
#include "isostep/query.h"
#include "isostep/ragdoll.h"

#define HOUND_CONTROL_SIZE  8u
#define HOUND_AXIS_MAX      32767
#define HOUND_AXIS_IDLE     3276 // a tenth: less is no wish to walk
#define HOUND_COMMAND_RESET 1u
#define HOUND_CATEGORY      4u // of its shapes; hounds pass each other

#define HOUND_CM(n)      ((fix16_t)((int64_t)(n)*ISO_FIX16_ONE / 100))
#define HOUND_WIDE_CM(n) ((iso_wide)(n)*ISO_WIDE_ONE / 100)
#define HOUND_DEGREE     1144 // [rad] Q15.16

#define HOUND_LINK      HOUND_WIDE_CM(24) // of thigh and shin
#define HOUND_FOOT      HOUND_WIDE_CM(4)  // the radius of a shin's end
#define HOUND_HIP       HOUND_WIDE_CM(32) // a hip is this far from the middle of the trunk
#define HOUND_REACH     HOUND_WIDE_CM(41) // from hip to foot when it stands
#define HOUND_REACH_LOW HOUND_WIDE_CM(28) // when it crouches
#define HOUND_LIFT      HOUND_WIDE_CM(9)  // of a swinging foot
#define HOUND_STEP_MS   250               // of one pair of legs
#define HOUND_SPEED_UP  ISO_WIDE_ONE      // [m/s^2]
#define HOUND_APART     (2 * ISO_WIDE_ONE)

enum { HOUND_TRUNK, HOUND_HEAD, HOUND_THIGH, HOUND_SHIN = HOUND_THIGH + 4, HOUND_PART_COUNT = HOUND_SHIN + 4 };
enum { HOUND_NECK, HOUND_HIP_JOINT, HOUND_KNEE = HOUND_HIP_JOINT + 4, HOUND_JOINT_COUNT = HOUND_KNEE + 4 };

/// Legs: 0 and 1 in front, 2 and 3 behind; 0 and 3 step together, and 1 and 2.
#define HOUND_THIGH_PART \
    { HOUND_CM(5), {0, 0}, {0, HOUND_CM(-24)}, 80 * ISO_FIX16_ONE }
#define HOUND_SHIN_PART \
    { HOUND_CM(4), {0, 0}, {0, HOUND_CM(-24)}, 80 * ISO_FIX16_ONE }
static const iso_ragdoll_part HOUND_PARTS[HOUND_PART_COUNT] = {
    [HOUND_TRUNK] = {HOUND_CM(12), {HOUND_CM(-32), 0}, {HOUND_CM(32), 0}, 100 * ISO_FIX16_ONE},
    [HOUND_HEAD] = {HOUND_CM(8), {0, 0}, {HOUND_CM(20), HOUND_CM(10)}, 60 * ISO_FIX16_ONE},
    [HOUND_THIGH] = HOUND_THIGH_PART,
    [HOUND_THIGH + 1] = HOUND_THIGH_PART,
    [HOUND_THIGH + 2] = HOUND_THIGH_PART,
    [HOUND_THIGH + 3] = HOUND_THIGH_PART,
    [HOUND_SHIN] = HOUND_SHIN_PART,
    [HOUND_SHIN + 1] = HOUND_SHIN_PART,
    [HOUND_SHIN + 2] = HOUND_SHIN_PART,
    [HOUND_SHIN + 3] = HOUND_SHIN_PART,
};

#define HOUND_HIP_AT(leg, x) \
    { HOUND_TRUNK, HOUND_THIGH + (leg), {HOUND_CM(x), 0}, -120 * HOUND_DEGREE, 120 * HOUND_DEGREE, 300 * ISO_WIDE_ONE }
#define HOUND_KNEE_OF(leg)                                                                                    \
    {                                                                                                         \
        HOUND_THIGH + (leg), HOUND_SHIN + (leg), {0, HOUND_CM(-24)}, -150 * HOUND_DEGREE, 150 * HOUND_DEGREE, \
            300 * ISO_WIDE_ONE                                                                                \
    }
static const iso_ragdoll_joint HOUND_JOINTS[HOUND_JOINT_COUNT] = {
    [HOUND_NECK] = {HOUND_TRUNK,
                    HOUND_HEAD,
                    {HOUND_CM(38), HOUND_CM(10)},
                    -60 * HOUND_DEGREE,
                    60 * HOUND_DEGREE,
                    100 * ISO_WIDE_ONE},
    [HOUND_HIP_JOINT] = HOUND_HIP_AT(0, 32),
    [HOUND_HIP_JOINT + 1] = HOUND_HIP_AT(1, 32),
    [HOUND_HIP_JOINT + 2] = HOUND_HIP_AT(2, -32),
    [HOUND_HIP_JOINT + 3] = HOUND_HIP_AT(3, -32),
    [HOUND_KNEE] = HOUND_KNEE_OF(0),
    [HOUND_KNEE + 1] = HOUND_KNEE_OF(1),
    [HOUND_KNEE + 2] = HOUND_KNEE_OF(2),
    [HOUND_KNEE + 3] = HOUND_KNEE_OF(3),
};

static const iso_ragdoll_plan HOUND_PLAN = {
    .parts = HOUND_PARTS,
    .part_count = HOUND_PART_COUNT,
    .joints = HOUND_JOINTS,
    .joint_count = HOUND_JOINT_COUNT,
    .friction = ISO_FIX16_ONE,
    .filter = {HOUND_CATEGORY, ~HOUND_CATEGORY, 0},
};

static const iso_ragdoll_spring HOUND_LEG = {25 * ISO_FIX16_ONE, 4 * ISO_FIX16_ONE};
static const iso_ragdoll_spring HOUND_NECK_HELD = {5 * ISO_FIX16_ONE, ISO_FIX16_ONE};

enum { HOUND_PARAM_SPEED, HOUND_PARAM_FALL_TIME, HOUND_PARAM_TIMEOUT, HOUND_PARAM_COUNT };
static const iso_game_param HOUND_PARAMS[HOUND_PARAM_COUNT] = {
    [HOUND_PARAM_SPEED] = {"walk_speed", 3 * ISO_WIDE_ONE / 2, 0, 2 * ISO_WIDE_ONE},
    [HOUND_PARAM_FALL_TIME] = {"fall_time", 120 * ISO_WIDE_ONE, ISO_WIDE_ONE, 10000 * ISO_WIDE_ONE},
    [HOUND_PARAM_TIMEOUT] = {"control_timeout", 10 * ISO_WIDE_ONE, ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE},
};

/// The game's state, by slot. X(type, name, field type, how many per slot, unit)
/// speed: of the walk; phase: ticks of the step; swing: the pair of legs in the air; fall_clock: ticks on its back.
#define HOUND_FIELD_LIST(X)                                   \
    X(int64_t, speed, I64, 1, "m/s Q31.32")                   \
    X(uint32_t, body_index, U32, HOUND_PART_COUNT, "")        \
    X(uint32_t, body_generation, U32, HOUND_PART_COUNT, "")   \
    X(uint32_t, joint_index, U32, HOUND_JOINT_COUNT, "")      \
    X(uint32_t, joint_generation, U32, HOUND_JOINT_COUNT, "") \
    X(uint32_t, phase, U32, 1, "ticks")                       \
    X(uint32_t, swing, U32, 1, "")                            \
    X(uint32_t, fall_clock, U32, 1, "ticks")                  \
    X(uint32_t, is_there, U32, 1, "")

typedef struct hound_state {
#define HOUND_DECLARE(type, name, field, count, unit) type name[ISO_SLOT_COUNT_MAX * (count)];
    HOUND_FIELD_LIST(HOUND_DECLARE)
#undef HOUND_DECLARE
} hound_state;

#define HOUND_FIELD(type, name, field, count, unit) \
    {#name, unit, (uint32_t)offsetof(hound_state, name), ISO_SLOT_COUNT_MAX * (count), ISO_FIELD_##field},
static const iso_field HOUND_FIELDS[] = {HOUND_FIELD_LIST(HOUND_FIELD)};

#define HOUND_SIZE(type, name, field, count, unit) +sizeof(type) * ISO_SLOT_COUNT_MAX *(count)
_Static_assert(sizeof(hound_state) == 0 HOUND_FIELD_LIST(HOUND_SIZE), "the hounds' state has no padding");

/// A member's hound. What only reads a state leaves the handles alone.
static iso_ragdoll hound_doll(const hound_state *state, uint32_t slot) {
    hound_state *own = (hound_state *)(uintptr_t)state;
    return (iso_ragdoll){
        .plan = &HOUND_PLAN,
        .body_index = own->body_index + (size_t)slot * HOUND_PART_COUNT,
        .body_generation = own->body_generation + (size_t)slot * HOUND_PART_COUNT,
        .joint_index = own->joint_index + (size_t)slot * HOUND_JOINT_COUNT,
        .joint_generation = own->joint_generation + (size_t)slot * HOUND_JOINT_COUNT,
    };
}

// ---- members -------------------------------------------------------------------------------------

static iso_wide hound_ground(const iso_world *world, iso_wide x) {
    const iso_query_filter filter = {UINT32_MAX, ~HOUND_CATEGORY};
    iso_ray_hit hit;
    uint32_t count = 0;
    iso_query_ray_closest(world, (iso_vec2_wide){x, iso_wide_from_int(100)},
                          (iso_vec2_wide){0, iso_wide_from_int(-200)}, filter, &hit, &count);
    return count == 0 ? 0 : hit.point.y;
}

static void hound_remove(iso_world *world, hound_state *state, uint32_t slot) {
    const iso_ragdoll doll = hound_doll(state, slot);
    iso_ragdoll_remove(world, &doll);
    state->speed[slot] = 0;
    state->phase[slot] = state->swing[slot] = state->fall_clock[slot] = state->is_there[slot] = 0;
}

/// A new hound at x, on straight legs.
static iso_status hound_place(iso_world *world, hound_state *state, uint32_t slot, iso_wide x) {
    hound_remove(world, state, slot);
    const iso_ragdoll doll = hound_doll(state, slot);
    const iso_vec2_wide trunk = {x, hound_ground(world, x) + 2 * HOUND_LINK + HOUND_FOOT};
    iso_slot_view view;
    iso_world_get_slot(world, slot, &view);
    state->is_there[slot] =
        iso_ragdoll_build(world, &doll, trunk, (iso_owner){view.generation, (uint16_t)slot}, slot + 1) == ISO_OK;
    return state->is_there[slot] ? ISO_OK : ISO_ERR_CAPACITY;
}

/// From the middle outwards, to the right and to the left in turns.
static iso_wide hound_spawn_place(uint32_t slot) {
    const iso_wide away = (iso_wide)((slot + 1) / 2) * HOUND_APART;
    return slot % 2 == 1 ? away : -away;
}

static void hound_join(iso_world *world, void *state, uint32_t slot) {
    hound_place(world, state, slot, hound_spawn_place(slot));
}

static void hound_leave(iso_world *world, void *state, uint32_t slot) {
    hound_remove(world, state, slot);
}

static iso_status hound_command(iso_world *world, void *state, uint32_t slot, const uint8_t *bytes, size_t size) {
    if (size != 1 || bytes[0] != HOUND_COMMAND_RESET) {
        return ISO_ERR_REFUSED;
    }
    return hound_place(world, state, slot, hound_spawn_place(slot));
}

static iso_body_id hound_player_body(const iso_world *world, const void *state, uint32_t slot) {
    const iso_ragdoll doll = hound_doll(state, slot);
    const iso_body_id trunk = iso_ragdoll_body(&doll, HOUND_TRUNK);
    return iso_body_is_valid(world, trunk) ? trunk : (iso_body_id){0, 0};
}

/// As of a walker: it may be pushed, but its servos belong to nobody.
static iso_status hound_authorize(const iso_world *world, const void *state, uint32_t slot,
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

static uint32_t hound_step_ticks(const iso_world *world) {
    return HOUND_STEP_MS * (uint32_t)iso_world_get_def(world)->tick_rate_hz / 1000u;
}

/// Where a foot belongs, from its hip, in the frame of the trunk.
static iso_vec2_wide hound_foot(const iso_world *world, const hound_state *state, uint32_t slot, uint32_t leg,
                                iso_wide reach) {
    const uint32_t whole = hound_step_ticks(world);
    const iso_wide share = (iso_wide)state->phase[slot] * ISO_WIDE_ONE / whole;
    const iso_wide step = state->speed[slot] / iso_world_get_def(world)->tick_rate_hz * whole;
    const uint32_t pair = leg == 1 || leg == 2;
    if (pair != state->swing[slot] || state->speed[slot] == 0) {
        return (iso_vec2_wide){step / 2 - iso_wide_mul(step, share), -reach};
    }
    const iso_wide lift = iso_wide_mul(4 * HOUND_LIFT, iso_wide_mul(share, ISO_WIDE_ONE - share));
    return (iso_vec2_wide){iso_wide_mul(step, share) - step / 2, lift - reach};
}

/// The pair of legs that swings changes when its step is over; one that stands begins with the next.
static void hound_pace(const iso_world *world, hound_state *state, uint32_t slot, iso_wide wish) {
    const iso_wide change = HOUND_SPEED_UP / iso_world_get_def(world)->tick_rate_hz;
    const iso_wide off = iso_wide_sub(wish, state->speed[slot]); // a state from elsewhere may have any speed
    state->speed[slot] = iso_wide_add(state->speed[slot], off > change ? change : off < -change ? -change : off);
    state->phase[slot] = state->speed[slot] == 0 ? hound_step_ticks(world) / 2 : state->phase[slot] + 1;
    if (state->phase[slot] >= hound_step_ticks(world)) {
        state->phase[slot] = 0;
        state->swing[slot] ^= 1;
    }
}

/// Knees bend backwards in front and forwards behind, so that both hips push the trunk up alike.
static void hound_move(iso_world *world, const hound_state *state, uint32_t slot, iso_wide reach) {
    const iso_ragdoll doll = hound_doll(state, slot);
    for (uint32_t leg = 0; leg < 4; ++leg) {
        iso_wide angles[2];
        iso_ragdoll_reach(hound_foot(world, state, slot, leg, reach), HOUND_LINK, leg >= 2, angles);
        iso_ragdoll_hold(world, &doll, HOUND_HIP_JOINT + leg, angles[0], HOUND_LEG);
        iso_ragdoll_hold(world, &doll, HOUND_KNEE + leg, angles[1] - angles[0], HOUND_LEG);
    }
    iso_ragdoll_hold(world, &doll, HOUND_NECK, 0, HOUND_NECK_HELD);
}

/// Made anew when it has been on its back for fall_time. @return whether it is there and whole
static bool hound_is_ready(iso_world *world, hound_state *state, uint32_t slot) {
    const iso_ragdoll doll = hound_doll(state, slot);
    iso_body_view trunk;
    if (!iso_ragdoll_is_whole(world, &doll) ||
        iso_body_get(world, iso_ragdoll_body(&doll, HOUND_TRUNK), &trunk) != ISO_OK) {
        return hound_place(world, state, slot, hound_spawn_place(slot)) == ISO_OK;
    }
    const iso_wide lean = (iso_wide)(int32_t)(uint32_t)(uint64_t)trunk.angle_turns; // without whole turns
    const bool is_down = lean > ISO_WIDE_ONE / 5 || lean < -ISO_WIDE_ONE / 5;
    state->fall_clock[slot] = is_down ? state->fall_clock[slot] + 1 : 0;
    const iso_wide fall_time = iso_world_get_def(world)->game_params[HOUND_PARAM_FALL_TIME];
    return state->fall_clock[slot] < fall_time / ISO_WIDE_ONE ||
           hound_place(world, state, slot, trunk.position.x) == ISO_OK;
}

static int32_t hound_axis(const uint8_t *bytes) {
    const int32_t axis = (int16_t)(uint16_t)(bytes[0] | bytes[1] << 8);
    return axis > -HOUND_AXIS_IDLE && axis < HOUND_AXIS_IDLE ? 0 : axis;
}

static void hound_before_step(iso_world *world, void *state) {
    iso_slot_view view;
    for (uint32_t slot = 0; iso_world_get_slot(world, slot, &view); ++slot) {
        if (!view.is_occupied || !hound_is_ready(world, state, slot)) {
            continue;
        }
        uint8_t control[HOUND_CONTROL_SIZE];
        iso_world_read_control(world, slot, control, sizeof control);
        const iso_wide most = iso_wide_from_int(HOUND_AXIS_MAX);
        const iso_wide ahead = iso_wide_div(iso_wide_from_int(hound_axis(control)), most);
        const iso_wide up = iso_wide_div(iso_wide_from_int(hound_axis(control + 2)), most);
        const iso_wide reach = up < 0 ? HOUND_REACH + iso_wide_mul(HOUND_REACH - HOUND_REACH_LOW, up) : HOUND_REACH;
        hound_pace(world, state, slot, iso_wide_mul(iso_world_get_def(world)->game_params[HOUND_PARAM_SPEED], ahead));
        hound_move(world, state, slot, reach);
    }
}

// ---- drawing -------------------------------------------------------------------------------------

/// Of each hound a line from its trunk to where it looks.
static bool hound_draw(const iso_world *world, const void *state, uint32_t index, iso_draw *draw) {
    const iso_ragdoll doll = hound_doll(state, index);
    iso_slot_view slot;
    iso_body_view head;
    if (!iso_world_get_slot(world, index, &slot)) {
        return false;
    }
    if (iso_body_get(world, iso_ragdoll_body(&doll, HOUND_HEAD), &head) == ISO_OK) {
        const iso_rotation turn = iso_rotation_make((uint32_t)(uint64_t)head.angle_turns);
        iso_draw_item item = {.kind = ISO_DRAW_LINE, .point_count = 2};
        item.points[0] = head.position;
        item.points[1] =
            (iso_vec2_wide){head.position.x + (iso_wide)turn.c * 2, head.position.y + (iso_wide)turn.s * 2};
        iso_draw_add(draw, &item);
    }
    return true;
}

const iso_game iso_game_hound = {
    .name = "hound",
    .version = 1,
    .control_layout = "axes-buttons-8",
    .control_size = HOUND_CONTROL_SIZE,
    .params = HOUND_PARAMS,
    .param_count = HOUND_PARAM_COUNT,
    .state_size = sizeof(hound_state),
    .fields = HOUND_FIELDS,
    .field_count = sizeof HOUND_FIELDS / sizeof HOUND_FIELDS[0],
    .join = hound_join,
    .leave = hound_leave,
    .command = hound_command,
    .before_step = hound_before_step,
    .authorize = hound_authorize,
    .player_body = hound_player_body,
    .draw = hound_draw,
};
