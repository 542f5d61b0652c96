/// The walker's gait: where the feet belong, and the servos' angles that bring them there.
///
/// Feet are placed in the frame of the hip. The standing leg's ankle is drawn back at the speed of walking, which
/// drives the body forward; the other one is brought in an arc to where the body needs it. That place is the middle of
/// the coming step plus v / w with w = sqrt(g / h), the point over which a pendulum of the hip's height comes to rest
/// (J. Pratt and others, "Capture point", 2006), taken of the speed that is too much. The torso is kept upright by a torque of
/// the game; the legs' servos hold against it, so that a foot on the ground carries the whole body.
#include "game/walker.h"

#include "isostep/fabrik.h"

#define STEP_MS   320 // one leg's time in the air
#define CROUCH_MS 200
#define THRUST_MS 150
#define LIFTED_MS 100 // after a jump before a foot on the ground counts

#define REACH_STAND  WALKER_WIDE_CM(78) // from hip to ankle, downwards
#define REACH_CROUCH WALKER_WIDE_CM(50)
#define REACH_THRUST WALKER_WIDE_CM(84)
#define REACH_AIR    WALKER_WIDE_CM(72)
#define LIFT         WALKER_WIDE_CM(12) // of the swinging foot at most
#define STANCE       WALKER_WIDE_CM(13) // of the feet from the middle when it stands
#define STEP_MAX     WALKER_WIDE_CM(42) // of a foot from the hip
#define SUPPORT      WALKER_WIDE_CM(12) // how far beyond its ankles the body is still carried

#define CAPTURE_TIME  (28 * ISO_WIDE_ONE / 100) // [s] sqrt(h / g)
#define ACCELERATION  (3 * ISO_WIDE_ONE)        // [m/s^2] of the wish for speed
#define CENTRING      (3 * ISO_WIDE_ONE / 10)   // [m/s] at which a standing body comes over the middle of its feet
#define UPRIGHT_STIFF (900 * ISO_WIDE_ONE)      // [N m/rad]
#define UPRIGHT_DAMP  (90 * ISO_WIDE_ONE)       // [N m s/rad]
#define ARM_SWING     (ISO_WIDE_ONE / 5)        // [turns/m]
#define KNEE_TURN     (45 * ISO_WIDE_ONE / 100) // [turns] at most

static iso_wide clamp(iso_wide value, iso_wide low, iso_wide high) {
    return value < low ? low : value > high ? high : value;
}

static iso_wide magnitude(iso_wide value) {
    return value < 0 ? -value : value;
}

static uint32_t ticks(const iso_world *world, uint32_t ms) {
    return ms * iso_world_get_def(world)->tick_rate_hz / 1000;
}

static void enter(walker_state *state, uint32_t slot, uint8_t mode) {
    state->mode[slot] = mode;
    state->clock[slot] = 0;
}

// ---- where feet belong ---------------------------------------------------------------------------

/// Where the body would come to rest, from the hip.
static iso_wide capture_point(const walker_sense *sense, iso_wide speed) {
    return iso_wide_mul(iso_wide_sub(sense->velocity.x, speed), CAPTURE_TIME);
}

/// Whether the body falls over its feet unless one of them is set elsewhere.
static bool needs_step(const walker_sense *sense) {
    const iso_wide left = sense->ankle[0].x < sense->ankle[1].x ? sense->ankle[0].x : sense->ankle[1].x;
    const iso_wide right = sense->ankle[0].x < sense->ankle[1].x ? sense->ankle[1].x : sense->ankle[0].x;
    const iso_wide point = capture_point(sense, 0);
    return point < left - SUPPORT || point > right + SUPPORT;
}

/// Where the swinging foot goes: half a step ahead, or aside of the other foot, and after the body's excess of speed.
static iso_wide landing(const iso_world *world, const walker_state *state, uint32_t slot, const walker_sense *sense) {
    const iso_wide speed = state->speed[slot];
    const iso_wide other = state->foot_x[2 * slot + (state->swing[slot] ^ 1u)];
    const iso_wide step = speed / iso_world_get_def(world)->tick_rate_hz * (iso_wide)ticks(world, STEP_MS);
    const iso_wide place = speed == 0 ? (other > 0 ? -STANCE : STANCE) : step / 2;
    return clamp(place + capture_point(sense, speed), -STEP_MAX, STEP_MAX);
}

static void begin_step(walker_state *state, uint32_t slot, uint8_t leg) {
    enter(state, slot, WALKER_WALK);
    state->swing[slot] = leg;
    state->foot_from[slot] = state->foot_x[2 * slot + leg];
}

/// The leg that is farther behind in that direction.
static uint8_t trailing(const walker_sense *sense, iso_wide direction) {
    return (sense->ankle[1].x < sense->ankle[0].x) == (direction > 0);
}

/// The share of so many milliseconds that the mode or step has lasted, Q31.32.
static iso_wide progress(const iso_world *world, const walker_state *state, uint32_t slot, uint32_t ms) {
    const uint32_t whole = ticks(world, ms), done = state->clock[slot] < whole ? state->clock[slot] : whole;
    return (iso_wide)done * ISO_WIDE_ONE / whole;
}

/// Draws both feet along, so that the body comes over their middle.
static void centre(const iso_world *world, walker_state *state, uint32_t slot) {
    iso_wide *foot_x = &state->foot_x[2 * slot];
    const iso_wide most = CENTRING / iso_world_get_def(world)->tick_rate_hz;
    const iso_wide middle = (clamp(foot_x[0], -STEP_MAX, STEP_MAX) + clamp(foot_x[1], -STEP_MAX, STEP_MAX)) / 2;
    foot_x[0] = clamp(foot_x[0] - clamp(middle, -most, most), -STEP_MAX, STEP_MAX);
    foot_x[1] = clamp(foot_x[1] - clamp(middle, -most, most), -STEP_MAX, STEP_MAX);
}

static void walk(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense, iso_wide wish) {
    iso_wide *foot_x = &state->foot_x[2 * slot];
    const uint8_t swing = state->swing[slot] & 1u;
    const iso_wide share = progress(world, state, slot, STEP_MS);
    const iso_wide smooth = iso_wide_mul(iso_wide_mul(share, share), 3 * ISO_WIDE_ONE - 2 * share);
    const iso_wide from = clamp(state->foot_from[slot], -STEP_MAX, STEP_MAX);
    foot_x[swing] = from + iso_wide_mul(landing(world, state, slot, sense) - from, smooth);
    foot_x[swing ^ 1] = clamp(foot_x[swing ^ 1] - state->speed[slot] / iso_world_get_def(world)->tick_rate_hz, -STEP_MAX, STEP_MAX);
    if (share < ISO_WIDE_ONE) {
        return;
    }
    const bool is_between = (foot_x[0] < 0) != (foot_x[1] < 0) && magnitude(foot_x[0] - foot_x[1]) > STANCE;
    if (wish == 0 && state->speed[slot] == 0 && is_between && !needs_step(sense)) {
        enter(state, slot, WALKER_STAND);
    } else {
        state->faces_left[slot] = wish == 0 ? state->faces_left[slot] : wish < 0;
        begin_step(state, slot, swing ^ 1);
    }
}

static void stand(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense, iso_wide wish, bool jump) {
    centre(world, state, slot);
    if (jump && (sense->on_ground[0] || sense->on_ground[1])) {
        enter(state, slot, WALKER_CROUCH);
    } else if (wish != 0) {
        state->faces_left[slot] = wish < 0;
        begin_step(state, slot, trailing(sense, wish));
    } else if (needs_step(sense)) {
        begin_step(state, slot, trailing(sense, sense->velocity.x));
    }
}

/// In the air the feet go apart, a little after the body's speed.
static void fly(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense) {
    const iso_wide ahead = clamp(iso_wide_mul(sense->velocity.x, ISO_WIDE_ONE / 10), -STEP_MAX / 2, STEP_MAX / 2);
    state->foot_x[2 * slot] = ahead - STANCE;
    state->foot_x[2 * slot + 1] = ahead + STANCE;
    if (state->clock[slot] > ticks(world, LIFTED_MS) && (sense->on_ground[0] || sense->on_ground[1])) {
        enter(state, slot, WALKER_STAND);
    }
}

void walker_decide(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense, iso_wide wish, bool jump) {
    const iso_wide change = ACCELERATION / iso_world_get_def(world)->tick_rate_hz;
    state->speed[slot] = clamp(wish, state->speed[slot] - change, state->speed[slot] + change);
    state->clock[slot] += 1;
    switch (state->mode[slot]) {
        case WALKER_STAND:
            stand(world, state, slot, sense, wish, jump);
            break;
        case WALKER_WALK:
            if (jump && (sense->on_ground[0] || sense->on_ground[1])) {
                enter(state, slot, WALKER_CROUCH);
            } else {
                walk(world, state, slot, sense, wish);
            }
            break;
        case WALKER_CROUCH:
            centre(world, state, slot);
            if (state->clock[slot] >= ticks(world, CROUCH_MS)) {
                enter(state, slot, WALKER_THRUST);
            }
            break;
        case WALKER_THRUST:
            if (state->clock[slot] >= ticks(world, THRUST_MS)) {
                enter(state, slot, WALKER_AIR);
            }
            break;
        case WALKER_AIR:
            fly(world, state, slot, sense);
            break;
        default:
            break;
    }
}

// ---- the servos ----------------------------------------------------------------------------------

/// How far below the hip a leg's ankle belongs.
static iso_wide reach(const iso_world *world, const walker_state *state, uint32_t slot, uint32_t leg) {
    switch (state->mode[slot]) {
        case WALKER_CROUCH:
            return REACH_STAND + iso_wide_mul(REACH_CROUCH - REACH_STAND, progress(world, state, slot, CROUCH_MS));
        case WALKER_THRUST:
            return REACH_CROUCH + iso_wide_mul(REACH_THRUST - REACH_CROUCH, progress(world, state, slot, THRUST_MS));
        case WALKER_AIR:
            return REACH_AIR;
        default:
            break;
    }
    if (state->mode[slot] != WALKER_WALK || leg != state->swing[slot]) {
        return REACH_STAND;
    }
    const iso_wide share = progress(world, state, slot, STEP_MS);
    return REACH_STAND - iso_wide_mul(4 * LIFT, iso_wide_mul(share, ISO_WIDE_ONE - share));
}

/// Angles are those from straight down, counter-clockwise: so a foot ahead on the right has a positive one.
static iso_wide angle_down(iso_vec2_wide from, iso_vec2_wide to) {
    return iso_wide_atan2(to.x - from.x, from.y - to.y);
}

static void move_leg(iso_world *world, const walker_state *state, uint32_t slot, uint32_t leg) {
    const bool stiff = state->mode[slot] != WALKER_FALLEN;
    const iso_wide forward = state->faces_left[slot] ? -1 : 1;
    const iso_wide lengths[2] = {WALKER_LINK_LENGTH, WALKER_LINK_LENGTH};
    const iso_fabrik_limit limits[2] = {{-ISO_WIDE_HALF, ISO_WIDE_HALF},
                                        {forward > 0 ? -KNEE_TURN : 0, forward > 0 ? 0 : KNEE_TURN}};
    const iso_fabrik_chain chain = {3, 32, ISO_WIDE_ONE / 1000, lengths, limits};
    iso_vec2_wide joints[3] = {{0, 0}, {forward * WALKER_WIDE_CM(30), WALKER_WIDE_CM(-30)}, {0, WALKER_WIDE_CM(-60)}};
    const iso_wide x = clamp(state->foot_x[2 * slot + leg], -STEP_MAX, STEP_MAX);
    iso_fabrik_solve(&chain, (iso_vec2_wide){x, -reach(world, state, slot, leg)}, joints, NULL);
    const iso_wide thigh = angle_down(joints[0], joints[1]), shin = angle_down(joints[1], joints[2]);
    walker_servo(world, state, slot, WALKER_HIP_L + leg, thigh, stiff);
    walker_servo(world, state, slot, WALKER_KNEE_L + leg, shin - thigh, stiff);
    walker_servo(world, state, slot, WALKER_ANKLE_L + leg, -shin, stiff);
    walker_servo(world, state, slot, WALKER_SHOULDER_L + (leg ^ 1), iso_wide_mul(x, ARM_SWING), stiff);
}

static void hold_upright(iso_world *world, const walker_state *state, uint32_t slot, const walker_sense *sense) {
    const iso_wide most = iso_world_get_def(world)->game_params[WALKER_PARAM_TORQUE];
    const iso_wide spring = iso_wide_mul(UPRIGHT_STIFF, iso_radians_from_turns(sense->lean));
    const iso_wide torque = iso_wide_add(spring, iso_wide_mul(UPRIGHT_DAMP, sense->turning));
    iso_body_apply_torque(world, walker_body(state, slot, WALKER_TORSO), clamp(-torque, -most, most));
}

void walker_move(iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense) {
    for (uint32_t leg = 0; leg < 2; ++leg) {
        move_leg(world, state, slot, leg);
    }
    walker_servo(world, state, slot, WALKER_NECK, 0, state->mode[slot] != WALKER_FALLEN);
    if (state->mode[slot] != WALKER_FALLEN) {
        hold_upright(world, state, slot, sense);
    }
}
