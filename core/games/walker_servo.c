/// The walker's servos: the angles and torques that bring its feet where they belong and keep it upright.
///
/// FABRIK gives each leg the angles of its thigh and shin for an ankle's place. A leg that does not carry holds them
/// against the world: its hip's servo rests at the thigh's angle less the torso's. A leg that carries keeps its knee's
/// angle alone, which is the hip's height; its hip turns the torso, and its ankle chooses where the ground pushes (K.
/// Yin, K. Loken, M. van de Panne, "SIMBICON: Simple biped locomotion control", 2007):
///   hip     T = k lean + d turning, and less what the swinging leg's hip already does to the torso. The joint turns
///           the thigh by T and the torso by -T, and the ground holds the foot against it.
///   ankle   T = -N p for a pressure at p from the ankle, p ahead of the capture point, and a spring that keeps the
///           foot flat, since beyond its end it would roll over its toes.
/// Nothing acts on the body from outside but the ground.
#include "walker.h"
#include "isostep/fabrik.h"

#define REACH_STAND  WALKER_WIDE_CM(78) // from hip to ankle, downwards
#define REACH_CROUCH WALKER_WIDE_CM(50)
#define REACH_THRUST WALKER_WIDE_CM(84)
#define REACH_AIR    WALKER_WIDE_CM(72)
#define REACH_PLACE  WALKER_WIDE_CM(60)
#define REACH_LIFT   WALKER_WIDE_CM(65) // when it begins to lift itself
#define REACH_LYING  WALKER_WIDE_CM(83)
#define REACH_FOLD   WALKER_WIDE_CM(60)
#define LEG_MAX      WALKER_WIDE_CM(82) // a wide step lowers the hip, so that the foot reaches the ground
#define LEG_STRAIGHT WALKER_WIDE_CM(84) // thigh and shin in one line
#define LIFT         WALKER_WIDE_CM(12) // of the swinging foot at most
#define LIFT_PLACE   WALKER_WIDE_CM(10)
#define LATE_SPEED   WALKER_MILLI(100) // [m/s] downwards of a foot that has not met the ground in time
#define HEEL         WALKER_WIDE_CM(8) // by which an ankle rises per radian of a foot that stands on its end

#define KNEE_TURN  (45 * ISO_WIDE_ONE / 100) // [turns] at most
#define ARM_SWING  (ISO_WIDE_ONE / 5)        // [turns/m]
#define ARM_PUSH   (ISO_WIDE_ONE / 4)        // [turns] on hands and feet
#define ARM_UP     (ISO_WIDE_ONE / 10)       // [turns] when it stands up
#define FOLD_TURN  WALKER_MILLI(340)         // [turns] of the legs, on hands and feet
#define FOLD_APART WALKER_MILLI(20)          // [turns] of each leg from there

#define TORSO_STIFF  (600 * ISO_WIDE_ONE) // [N m/rad]
#define TORSO_DAMP   (100 * ISO_WIDE_ONE) // [N m s/rad]
#define JUMP_LEAN    WALKER_MILLI(15)     // [turns] to its back, so that the centre of mass is above the thrusting hip
#define LIFT_STIFF   (900 * ISO_WIDE_ONE)
#define LIFT_DAMP    (100 * ISO_WIDE_ONE)
#define LIFT_TORQUE  (400 * ISO_WIDE_ONE) // [N m] at most
#define LIFT_TURN_MS 1000                 // in which the torso is turned upright

#define PRESSURE_MAX  WALKER_WIDE_CM(8)    // from the ankle, of 11 that a foot has
#define PRESSURE_WALK WALKER_MILLI(250)    // [s] for the speed that is too much
#define CAPTURE_TIME  WALKER_MILLI(280)    // [s] sqrt(h / g)
#define FOOT_STIFF    (140 * ISO_WIDE_ONE) // [N m/rad]

static const iso_ragdoll_spring KNEE_CARRIES = {25 * ISO_FIX16_ONE, 5 * ISO_FIX16_ONE};
static const iso_ragdoll_spring KNEE_SWINGS = {30 * ISO_FIX16_ONE, 7 * ISO_FIX16_ONE / 2};
static const iso_ragdoll_spring HIP_SWINGS = {37 * ISO_FIX16_ONE, 31 * ISO_FIX16_ONE / 10};
static const iso_ragdoll_spring ANKLE = {20 * ISO_FIX16_ONE, ISO_FIX16_ONE};
static const iso_ragdoll_spring ARM = {6 * ISO_FIX16_ONE, ISO_FIX16_ONE};
static const iso_ragdoll_spring ARM_PUSHES = {5 * ISO_FIX16_ONE, 3 * ISO_FIX16_ONE};
static const iso_ragdoll_spring NECK = {6 * ISO_FIX16_ONE, ISO_FIX16_ONE};
static const iso_ragdoll_spring FOLDS = {15 * ISO_FIX16_ONE, 4 * ISO_FIX16_ONE};
static const iso_ragdoll_spring STRETCHES = {4 * ISO_FIX16_ONE, 6 * ISO_FIX16_ONE};

/// Whether a leg is to carry the body.
static bool carries(const walker_state *state, uint32_t slot, const walker_sense *sense, uint32_t leg) {
    switch (state->mode[slot]) {
    case WALKER_STAND:
    case WALKER_CROUCH:
    case WALKER_THRUST:
    case WALKER_TURN:
    case WALKER_LIFT:
        return sense->is_on_ground[leg];
    case WALKER_WALK:
        return sense->is_on_ground[leg] && leg != (state->swing[slot] & 1u);
    default:
        return false;
    }
}

// ---- places --------------------------------------------------------------------------------------

/// How far a foot is lifted on its way: 0 at both ends, `most` in the middle.
static iso_wide lifted(iso_wide share, iso_wide most) {
    return iso_wide_mul(4 * most, iso_wide_mul(share, ISO_WIDE_ONE - share));
}

/// While it walks: the hip's height, and the swinging foot's arc.
static iso_wide reach_walking(const iso_world *world, const walker_state *state, uint32_t slot, uint32_t leg) {
    const uint8_t swing = state->swing[slot] & 1u;
    const iso_wide far = walker_clamp(state->foot_x[2 * slot + swing], -WALKER_STEP_MAX, WALKER_STEP_MAX);
    const iso_wide room = iso_wide_sqrt(iso_wide_mul(LEG_MAX, LEG_MAX) - iso_wide_mul(far, far));
    const iso_wide height = room < REACH_STAND ? room : REACH_STAND;
    if (leg != swing) {
        return height;
    }
    const uint32_t whole = walker_ticks(world, WALKER_STEP_MS);
    const uint32_t late = state->clock[slot] > whole ? state->clock[slot] - whole : 0;
    return height - lifted(walker_progress(world, state, slot, WALKER_STEP_MS), LIFT) +
           (iso_wide)late * LATE_SPEED / iso_world_get_def(world)->tick_rate_hz;
}

/// Up until the legs are straight, and down again.
static iso_wide reach_turning(const iso_world *world, const walker_state *state, uint32_t slot) {
    const iso_wide *foot_x = &state->foot_x[2 * slot];
    const iso_wide a = walker_size(foot_x[0]), b = walker_size(foot_x[1]);
    const iso_wide far = walker_clamp(a > b ? a : b, 0, WALKER_STEP_MAX);
    const iso_wide straight = iso_wide_sqrt(iso_wide_mul(LEG_STRAIGHT, LEG_STRAIGHT) - iso_wide_mul(far, far));
    const iso_wide share = 2 * walker_progress(world, state, slot, WALKER_TURN_MS);
    return walker_ease(REACH_STAND, straight, share < ISO_WIDE_ONE ? share : 2 * ISO_WIDE_ONE - share);
}

/// How far below the hip a leg's ankle belongs.
static iso_wide reach(const iso_world *world, const walker_state *state, uint32_t slot, uint32_t leg) {
    switch (state->mode[slot]) {
    case WALKER_WALK:
        return reach_walking(world, state, slot, leg);
    case WALKER_TURN:
        return reach_turning(world, state, slot);
    case WALKER_CROUCH:
        return REACH_STAND +
               iso_wide_mul(REACH_CROUCH - REACH_STAND, walker_progress(world, state, slot, WALKER_CROUCH_MS));
    case WALKER_THRUST:
        return REACH_CROUCH +
               iso_wide_mul(REACH_THRUST - REACH_CROUCH, walker_progress(world, state, slot, WALKER_THRUST_MS));
    case WALKER_AIR:
        return REACH_AIR;
    case WALKER_PLACE:
        return leg == (state->swing[slot] & 1u)
                   ? REACH_PLACE - lifted(walker_progress(world, state, slot, WALKER_PLACE_MS), LIFT_PLACE)
                   : REACH_PLACE;
    case WALKER_LIFT:
        return walker_ease(REACH_LIFT, REACH_STAND, walker_progress(world, state, slot, WALKER_LIFT_MS));
    default:
        return REACH_STAND;
    }
}

// ---- angles --------------------------------------------------------------------------------------

typedef struct leg_angles {
    iso_wide thigh, shin; // [turns] from straight down, counter-clockwise: a foot ahead on the right has a positive one
} leg_angles;

static iso_wide angle_down(iso_vec2_wide from, iso_vec2_wide to) {
    return iso_wide_atan2(to.x - from.x, from.y - to.y);
}

/// The leg with its hip at the origin whose ankle is at a place.
static leg_angles solve_leg(const walker_state *state, uint32_t slot, iso_vec2_wide ankle) {
    const iso_wide forward = state->faces_left[slot] ? -1 : 1;
    const iso_wide lengths[2] = {WALKER_LINK_LENGTH, WALKER_LINK_LENGTH};
    const iso_fabrik_limit limits[2] = {{-ISO_WIDE_HALF, ISO_WIDE_HALF},
                                        {forward > 0 ? -KNEE_TURN : 0, forward > 0 ? 0 : KNEE_TURN}};
    const iso_fabrik_chain chain = {3, 32, ISO_WIDE_ONE / 1000, lengths, limits};
    iso_vec2_wide joints[3] = {{0, 0}, {forward * WALKER_WIDE_CM(30), WALKER_WIDE_CM(-30)}, {0, WALKER_WIDE_CM(-60)}};
    iso_fabrik_solve(&chain, ankle, joints, NULL);
    return (leg_angles){angle_down(joints[0], joints[1]), angle_down(joints[1], joints[2])};
}

static void straighten(iso_world *world, const walker_state *state, uint32_t slot) {
    const bool is_limp = state->clock[slot] <= walker_ticks(world, WALKER_LIMP_MS);
    for (uint32_t joint = WALKER_SHOULDER_L; joint < WALKER_JOINT_COUNT; ++joint) {
        if (is_limp) {
            iso__walker_limp(world, state, slot, joint);
        } else {
            iso__walker_servo(world, state, slot, joint, 0, STRETCHES);
        }
    }
    iso__walker_limp(world, state, slot, WALKER_NECK);
}

/// Turns a leg against the torso until hands and feet carry: at the end of FOLD, and until its foot is placed.
static void fold_leg(iso_world *world, const walker_state *state, uint32_t slot, const walker_sense *sense,
                     uint32_t leg) {
    const iso_wide share =
        state->mode[slot] == WALKER_FOLD ? walker_progress(world, state, slot, WALKER_FOLD_MS) : ISO_WIDE_ONE;
    const iso_wide turn = walker_ease(0, FOLD_TURN + (leg == 1 ? FOLD_APART : -FOLD_APART), share);
    const iso_wide length = walker_ease(REACH_LYING, REACH_FOLD, share);
    const iso_rotation rotation = iso_rotation_make((uint32_t)(uint64_t)(walker_head_side(state, slot) * turn));
    const iso_vec2_wide ankle = {iso_wide_mul(length, (iso_wide)rotation.s * 4),
                                 -iso_wide_mul(length, (iso_wide)rotation.c * 4)};
    const leg_angles angles = solve_leg(state, slot, ankle); // against the torso
    const fix16_t more = iso_fix16_from_wide(iso_wide_mul(share, iso_wide_from_fix16(FOLDS.hertz - STRETCHES.hertz)));
    const iso_ragdoll_spring spring = {STRETCHES.hertz + more,
                                       FOLDS.ratio}; // a leg that is not straight yet must not kick
    iso__walker_servo(world, state, slot, WALKER_HIP_L + leg, angles.thigh, spring);
    iso__walker_servo(world, state, slot, WALKER_KNEE_L + leg, angles.shin - angles.thigh, spring);
    iso__walker_servo(world, state, slot, WALKER_ANKLE_L + leg, -angles.shin - sense->lean, ANKLE);
}

/// The angle of a hip whose thigh is to have one against the world. A body that gets up bends forward by more than a
/// half turn may show, and must not turn its leg the other way round.
static iso_wide hip_angle(const walker_state *state, uint32_t slot, const walker_sense *sense, iso_wide thigh) {
    const iso_wide angle = (iso_wide)(int32_t)(uint32_t)(uint64_t)(thigh - sense->lean);
    const iso_wide side = walker_head_side(state, slot);
    const bool is_behind = state->mode[slot] >= WALKER_FALLEN && side * angle < -ISO_WIDE_ONE / 4;
    return is_behind ? side * WALKER_MILLI(499) : angle;
}

/// Bends a leg's knee, and turns its hip and ankle unless it carries.
static void move_leg(iso_world *world, const walker_state *state, uint32_t slot, const walker_sense *sense,
                     uint32_t leg) {
    const bool carrying = carries(state, slot, sense, leg);
    const iso_wide tilt = walker_clamp(walker_size(iso_radians_from_turns(sense->tilt[leg])), 0, ISO_WIDE_ONE);
    const iso_wide raised = carrying ? iso_wide_mul(HEEL, tilt) : 0;
    const iso_wide x = walker_clamp(state->foot_x[2 * slot + leg], -WALKER_STEP_MAX, WALKER_STEP_MAX);
    const leg_angles angles = solve_leg(state, slot, (iso_vec2_wide){x, raised - reach(world, state, slot, leg)});
    iso__walker_servo(world, state, slot, WALKER_KNEE_L + leg, angles.shin - angles.thigh,
                      carrying ? KNEE_CARRIES : KNEE_SWINGS);
    if (!carrying) {
        iso__walker_servo(world, state, slot, WALKER_HIP_L + leg, hip_angle(state, slot, sense, angles.thigh),
                          HIP_SWINGS);
        iso__walker_servo(world, state, slot, WALKER_ANKLE_L + leg, -angles.shin, ANKLE);
    }
}

/// Arms swing against the legs, and push from the ground when it gets up.
static void move_arms(iso_world *world, const walker_state *state, uint32_t slot) {
    const iso_wide side = walker_head_side(state, slot);
    for (uint32_t arm = 0; arm < 2; ++arm) {
        const iso_wide x = walker_clamp(state->foot_x[2 * slot + (arm ^ 1u)], -WALKER_STEP_MAX, WALKER_STEP_MAX);
        iso_wide angle = iso_wide_mul(x, ARM_SWING);
        if (state->mode[slot] == WALKER_FOLD) {
            angle = side * walker_ease(0, ARM_PUSH, walker_progress(world, state, slot, WALKER_FOLD_MS));
        } else if (state->mode[slot] == WALKER_PLACE) {
            angle = side * ARM_PUSH;
        } else if (state->mode[slot] == WALKER_LIFT) {
            angle =
                side * (ARM_PUSH + iso_wide_mul(ARM_UP - ARM_PUSH, walker_progress(world, state, slot, LIFT_TURN_MS)));
        }
        iso__walker_servo(world, state, slot, WALKER_SHOULDER_L + arm, angle,
                          state->mode[slot] >= WALKER_FALLEN ? ARM_PUSHES : ARM);
    }
}

// ---- balance -------------------------------------------------------------------------------------

/// Where the ground is to push, from a foot's ankle.
static iso_wide pressure(const walker_state *state, uint32_t slot, const walker_sense *sense) {
    const iso_wide middle = (sense->ankle[0].x + sense->ankle[1].x) / 2;
    const iso_wide point = sense->centre.x + iso_wide_mul(sense->velocity.x, CAPTURE_TIME);
    const iso_wide place = state->mode[slot] == WALKER_WALK
                               ? iso_wide_mul(sense->velocity.x - state->speed[slot], PRESSURE_WALK)
                               : point - middle;
    return walker_clamp(place, -PRESSURE_MAX, PRESSURE_MAX);
}

/// The torque [N m] on all thighs that carry, whose opposite turns the torso.
static iso_wide torso_torque(const iso_world *world, const walker_state *state, uint32_t slot,
                             const walker_sense *sense) {
    if (state->mode[slot] == WALKER_LIFT) {
        const iso_wide wanted =
            walker_ease(state->lean_from[slot], 0, walker_progress(world, state, slot, LIFT_TURN_MS));
        const iso_wide off = iso_radians_from_turns(sense->lean - wanted);
        const iso_wide torque = iso_wide_add(iso_wide_mul(LIFT_STIFF, off), iso_wide_mul(LIFT_DAMP, sense->turning));
        return walker_clamp(torque, -LIFT_TORQUE, LIFT_TORQUE);
    }
    const iso_wide most = iso_world_get_def(world)->game_params[WALKER_PARAM_TORQUE];
    const bool is_jumping = state->mode[slot] == WALKER_CROUCH || state->mode[slot] == WALKER_THRUST;
    const iso_wide back = state->faces_left[slot] ? -JUMP_LEAN : JUMP_LEAN;
    const iso_wide off = sense->lean - (is_jumping ? back : 0);
    iso_wide torque =
        iso_wide_add(iso_wide_mul(TORSO_STIFF, iso_radians_from_turns(off)), iso_wide_mul(TORSO_DAMP, sense->turning));
    for (uint32_t leg = 0; leg < 2; ++leg) {
        if (!carries(state, slot, sense, leg)) {
            torque = iso_wide_sub(torque, iso__walker_felt_torque(world, state, slot, WALKER_HIP_L + leg));
        }
    }
    return walker_clamp(torque, -most, most);
}

/// The hips of the legs that carry turn the torso upright, their ankles press where the body balances.
static void balance(iso_world *world, const walker_state *state, uint32_t slot, const walker_sense *sense) {
    const int count = carries(state, slot, sense, 0) + carries(state, slot, sense, 1);
    if (count == 0) {
        return;
    }
    const iso_wide hip = torso_torque(world, state, slot, sense) / count;
    const iso_wide push = iso_wide_mul(sense->weight / count, pressure(state, slot, sense));
    for (uint32_t leg = 0; leg < 2; ++leg) {
        if (carries(state, slot, sense, leg)) {
            const iso_wide flatten = iso_wide_mul(FOOT_STIFF, iso_radians_from_turns(sense->tilt[leg]));
            iso__walker_torque(world, state, slot, WALKER_HIP_L + leg, hip);
            iso__walker_torque(world, state, slot, WALKER_ANKLE_L + leg, -push - flatten);
        }
    }
}

void iso__walker_move(iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense) {
    if (state->mode[slot] == WALKER_FALLEN) {
        straighten(world, state, slot);
        return;
    }
    for (uint32_t leg = 0; leg < 2; ++leg) {
        const bool waits = state->mode[slot] == WALKER_PLACE && leg > (state->swing[slot] & 1u);
        if (state->mode[slot] == WALKER_FOLD || waits) {
            fold_leg(world, state, slot, sense, leg);
        } else {
            move_leg(world, state, slot, sense, leg);
        }
    }
    move_arms(world, state, slot);
    iso__walker_servo(world, state, slot, WALKER_NECK, 0, NECK);
    balance(world, state, slot, sense);
}
