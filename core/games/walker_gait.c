/// The walker's gait: where the feet belong.
///
/// Feet are placed in the frame of the hip. Those that carry stay where the ground holds them; the swinging one is
/// brought in an arc to where the body needs it. That place is the body's centre, a share of the coming step, and v / w
/// with w = sqrt(g / h), the point over which a pendulum of the centre's height comes to rest (J. Pratt and others,
/// "Capture point", 2006), taken of the speed that is too much. A foot that is set nearer than that lets the body fall
/// ahead: that is what drives it. A standing body steps when the point leaves its feet.
#include "walker.h"

#define LATE_MS   100 // that a step may last longer until the foot is on the ground
#define LIFTED_MS 100 // after a jump before a foot on the ground counts
#define SETTLE_MS 150 // of standing before it goes or turns
#define STILL_MS  500 // of standing, then feet that are too near each other go apart

#define STANCE  WALKER_WIDE_CM(13) // of the feet from the middle when it stands
#define SUPPORT WALKER_WIDE_CM(12) // how far beyond its ankles the body is still carried
#define HURRY   WALKER_WIDE_CM(25) // of the point from the centre: from there on steps are twice as fast

#define CAPTURE_TIME WALKER_MILLI(280)      // [s] sqrt(h / g)
#define LANDING_TIME WALKER_MILLI(125)      // [s] 0.1 to 0.15: with less it steps for ever, with more it may fall
#define STEP_SHARE   WALKER_MILLI(300)      // of a step that the foot is set ahead
#define ACCELERATION (3 * ISO_WIDE_ONE / 2) // [m/s^2] of the wish for speed
#define CALM_SPEED   (ISO_WIDE_ONE / 10)    // [m/s]
#define STAGGERS     (ISO_WIDE_ONE / 30)    // [turns] of lean
#define CALM_LEAN    (ISO_WIDE_ONE / 90)    // [turns]
#define CENTRE_DAMP  WALKER_MILLI(190)      // [s]
#define CENTRE_MAX   WALKER_WIDE_CM(8)      // by which knees bend to bring a standing body over the middle of its feet

/// Where the body would come to rest, from the hip.
static iso_wide capture_point(const walker_sense *sense, iso_wide speed) {
    return sense->centre.x + iso_wide_mul(iso_wide_sub(sense->velocity.x, speed), CAPTURE_TIME);
}

/// Whether the body falls over its feet unless one of them is set elsewhere.
static bool needs_step(const walker_sense *sense) {
    const iso_wide left = sense->ankle[0].x < sense->ankle[1].x ? sense->ankle[0].x : sense->ankle[1].x;
    const iso_wide right = sense->ankle[0].x < sense->ankle[1].x ? sense->ankle[1].x : sense->ankle[0].x;
    const iso_wide point = capture_point(sense, 0);
    return point < left - SUPPORT || point > right + SUPPORT;
}

/// Where the swinging foot goes: a share of a step ahead, or aside of the other foot, and after the excess of speed.
static iso_wide landing(const iso_world *world, const walker_state *state, uint32_t slot, const walker_sense *sense) {
    const iso_wide speed = state->speed[slot];
    const iso_wide step =
        speed / iso_world_get_def(world)->tick_rate_hz * (iso_wide)walker_ticks(world, WALKER_STEP_MS);
    const iso_wide aside = state->lands_right[slot] ? STANCE : -STANCE;
    const iso_wide place = speed == 0 ? aside : iso_wide_mul(step, STEP_SHARE);
    return walker_clamp(place + capture_point(sense, speed), -WALKER_STEP_MAX, WALKER_STEP_MAX);
}

static void begin_step(walker_state *state, uint32_t slot, const walker_sense *sense, uint8_t leg) {
    walker_enter(state, slot, WALKER_WALK);
    state->swing[slot] = leg;
    state->foot_from[slot] = sense->ankle[leg].x;
    // Where the centre will be when the foot comes down: a side that changed on the way would sweep the foot back.
    const iso_wide ahead = sense->centre.x + iso_wide_mul(sense->velocity.x, LANDING_TIME);
    state->lands_right[slot] = sense->ankle[leg ^ 1u].x < ahead;
}

/// The leg that is farther behind in that direction.
static uint8_t trailing(const walker_sense *sense, iso_wide direction) {
    return (sense->ankle[1].x < sense->ankle[0].x) == (direction > 0);
}

static iso_wide stride(const walker_sense *sense) {
    return walker_size(sense->ankle[0].x - sense->ankle[1].x);
}

/// Bends the legs so that the body comes over the middle of its feet.
static void centre(walker_state *state, uint32_t slot, const walker_sense *sense) {
    const iso_wide middle = (sense->ankle[0].x + sense->ankle[1].x) / 2;
    const iso_wide off = sense->centre.x - middle + iso_wide_mul(CENTRE_DAMP, sense->velocity.x);
    for (uint32_t leg = 0; leg < 2; ++leg) {
        state->foot_x[2 * slot + leg] = sense->ankle[leg].x + walker_clamp(off, -CENTRE_MAX, CENTRE_MAX);
    }
}

static void walk(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense, iso_wide wish) {
    iso_wide *foot_x = &state->foot_x[2 * slot];
    const uint8_t swing = state->swing[slot] & 1u;
    const iso_wide share = walker_progress(world, state, slot, WALKER_STEP_MS);
    const iso_wide from = walker_clamp(state->foot_from[slot], -WALKER_STEP_MAX, WALKER_STEP_MAX);
    foot_x[swing] = walker_ease(from, landing(world, state, slot, sense), share);
    foot_x[swing ^ 1] = sense->ankle[swing ^ 1].x;
    if (walker_size(capture_point(sense, state->speed[slot]) - sense->centre.x) > HURRY && share < ISO_WIDE_ONE) {
        state->clock[slot] += 1;
    }
    const bool has_landed = sense->is_on_ground[swing] && share > ISO_WIDE_HALF;
    if (!has_landed && state->clock[slot] < walker_ticks(world, WALKER_STEP_MS + LATE_MS)) {
        return;
    }
    const bool is_between =
        (sense->ankle[0].x < sense->centre.x) != (sense->ankle[1].x < sense->centre.x) && stride(sense) > STANCE;
    if (wish == 0 && state->speed[slot] == 0 && has_landed && is_between && !needs_step(sense)) {
        walker_enter(state, slot, WALKER_STAND);
    } else {
        begin_step(state, slot, sense, swing ^ 1);
    }
}

/// Whether a jump would go straight up, and a walk begin well.
static bool is_calm(const walker_sense *sense) {
    return sense->is_on_ground[0] && sense->is_on_ground[1] && walker_size(sense->velocity.x) < CALM_SPEED &&
           walker_size(sense->lean) < CALM_LEAN;
}

/// Whether it would go backwards.
static bool faces_away(const walker_state *state, uint32_t slot, iso_wide wish) {
    return wish != 0 && (wish < 0) != (state->faces_left[slot] != 0);
}

static void stand(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense,
                  iso_wide wish) {
    const bool has_settled = state->clock[slot] > walker_ticks(world, SETTLE_MS);
    const bool is_narrow = state->clock[slot] > walker_ticks(world, STILL_MS) && stride(sense) < STANCE;
    centre(state, slot, sense);
    if (state->wants_jump[slot] && is_calm(sense)) {
        walker_enter(state, slot, WALKER_CROUCH);
    } else if (faces_away(state, slot, wish) && has_settled) {
        walker_enter(state, slot, WALKER_TURN);
    } else if (wish != 0 && has_settled) {
        begin_step(state, slot, sense, trailing(sense, -wish));
    } else if (needs_step(sense) || is_narrow) {
        begin_step(state, slot, sense, trailing(sense, sense->velocity.x));
    }
}

/// Turns round on the spot: half-way its knees are straight, and go on to the other side.
static void turn(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense) {
    const uint32_t whole = walker_ticks(world, WALKER_TURN_MS);
    centre(state, slot, sense);
    if (state->clock[slot] == whole / 2) {
        state->faces_left[slot] ^= 1;
    }
    if (state->clock[slot] >= whole || needs_step(sense)) {
        walker_enter(state, slot, WALKER_STAND);
    }
}

/// In the air the feet go apart, about the point where the body would come to rest.
static void fly(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense) {
    const iso_wide ahead = walker_clamp(capture_point(sense, 0), -WALKER_STEP_MAX / 2, WALKER_STEP_MAX / 2);
    state->foot_x[2 * slot] = ahead - STANCE;
    state->foot_x[2 * slot + 1] = ahead + STANCE;
    if (state->clock[slot] > walker_ticks(world, LIFTED_MS) && (sense->is_on_ground[0] || sense->is_on_ground[1])) {
        walker_enter(state, slot, WALKER_STAND);
    }
}

/// How fast it is to go: who wants to jump or to turn round halts first, and who lies, flies or staggers goes nowhere.
static iso_wide wanted_speed(const walker_state *state, uint32_t slot, const walker_sense *sense, iso_wide wish) {
    const uint8_t mode = state->mode[slot];
    const bool turns_round = mode == WALKER_TURN || (mode != WALKER_STAND && faces_away(state, slot, wish));
    const bool staggers = (mode == WALKER_STAND && !is_calm(sense)) || walker_size(sense->lean) > STAGGERS;
    const bool halts =
        state->wants_jump[slot] || turns_round || staggers || mode == WALKER_AIR || mode >= WALKER_FALLEN;
    return halts ? 0 : wish;
}

void iso__walker_decide(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense,
                        iso_wide wish, bool jump) {
    const bool may_jump = state->mode[slot] == WALKER_STAND || state->mode[slot] == WALKER_WALK;
    state->wants_jump[slot] = may_jump && (state->wants_jump[slot] || jump);
    const iso_wide change = ACCELERATION / iso_world_get_def(world)->tick_rate_hz;
    const iso_wide speed = wanted_speed(state, slot, sense, wish);
    state->speed[slot] =
        walker_clamp(speed, iso_wide_sub(state->speed[slot], change), iso_wide_add(state->speed[slot], change));
    state->clock[slot] += 1;
    switch (state->mode[slot]) {
    case WALKER_NONE:
        break;
    case WALKER_STAND:
        stand(world, state, slot, sense, speed);
        break;
    case WALKER_WALK:
        walk(world, state, slot, sense, speed);
        break;
    case WALKER_TURN:
        turn(world, state, slot, sense);
        break;
    case WALKER_CROUCH:
        centre(state, slot, sense);
        if (state->clock[slot] >= walker_ticks(world, WALKER_CROUCH_MS)) {
            walker_enter(state, slot, WALKER_THRUST);
        }
        break;
    case WALKER_THRUST: // straight up: what would centre the body would throw it aside
        state->foot_x[2 * slot] = sense->ankle[0].x;
        state->foot_x[2 * slot + 1] = sense->ankle[1].x;
        if (state->clock[slot] >= walker_ticks(world, WALKER_THRUST_MS)) {
            walker_enter(state, slot, WALKER_AIR);
        }
        break;
    case WALKER_AIR:
        fly(world, state, slot, sense);
        break;
    default:
        iso__walker_rise(world, state, slot, sense);
        break;
    }
}
