/// What the files of the walker's game share: its state, its body, its gait.
///
/// A walker is a ragdoll of ten bodies and nine servo joints, and nothing but these joints and the ground acts on it.
/// walker_body.c is its plan (isostep/ragdoll.h), reads it and sets its servos; walker_gait.c decides where its feet
/// belong when it stands, walks and jumps, walker_rise.c when it gets up; walker_servo.c turns the feet's places into
/// the servos' angles and torques; walker.c is the game: members, buttons, falling. All are written against the public
/// interface only.
#ifndef ISO_GAMES_WALKER_H
#define ISO_GAMES_WALKER_H

#include "isostep/ragdoll.h"
#include "isostep/world.h"

/// The bodies. X(name, radius [cm], from and to of its capsule [cm] in its frame, density [kg/m^2])
/// A frame's origin is the joint with the part above; a torso's is its hip.
#define WALKER_PART_LIST(X)          \
    X(TORSO, 14, 0, 10, 0, 45, 150)  \
    X(HEAD, 12, 0, 11, 0, 13, 100)   \
    X(ARM_L, 5, 0, 0, 0, -48, 60)    \
    X(ARM_R, 5, 0, 0, 0, -48, 60)    \
    X(THIGH_L, 7, 0, 0, 0, -42, 100) \
    X(THIGH_R, 7, 0, 0, 0, -42, 100) \
    X(SHIN_L, 5, 0, 0, 0, -38, 90)   \
    X(SHIN_R, 5, 0, 0, 0, -38, 90)   \
    X(FOOT_L, 5, -11, 0, 11, 0, 60)  \
    X(FOOT_R, 5, -11, 0, 11, 0, 60)

/// The joints: upper part, lower part, height of the joint in the upper part's frame [cm], limits [degrees], the most
/// that the servo applies [N m]. X(name, upper, lower, height, lower limit, upper limit, torque)
#define WALKER_JOINT_LIST(X)                        \
    X(NECK, TORSO, HEAD, 60, -40, 40, 60)           \
    X(SHOULDER_L, TORSO, ARM_L, 50, -150, 150, 150) \
    X(SHOULDER_R, TORSO, ARM_R, 50, -150, 150, 150) \
    X(HIP_L, TORSO, THIGH_L, 0, -175, 175, 400)     \
    X(HIP_R, TORSO, THIGH_R, 0, -175, 175, 400)     \
    X(KNEE_L, THIGH_L, SHIN_L, -42, -140, 140, 400) \
    X(KNEE_R, THIGH_R, SHIN_R, -42, -140, 140, 400) \
    X(ANKLE_L, SHIN_L, FOOT_L, -42, -60, 60, 150)   \
    X(ANKLE_R, SHIN_R, FOOT_R, -42, -60, 60, 150)

enum {
#define WALKER_PART_ENUM(name, ...) WALKER_##name,
    WALKER_PART_LIST(WALKER_PART_ENUM)
#undef WALKER_PART_ENUM
        WALKER_PART_COUNT
};

enum {
#define WALKER_JOINT_ENUM(name, ...) WALKER_##name,
    WALKER_JOINT_LIST(WALKER_JOINT_ENUM)
#undef WALKER_JOINT_ENUM
        WALKER_JOINT_COUNT
};

#define WALKER_CM(n)      ((fix16_t)((int64_t)(n)*ISO_FIX16_ONE / 100))
#define WALKER_WIDE_CM(n) ((iso_wide)(n)*ISO_WIDE_ONE / 100)

#define WALKER_MILLI(n) ((iso_wide)(n)*ISO_WIDE_ONE / 1000)

#define WALKER_LINK_LENGTH  WALKER_WIDE_CM(42) // of thigh and shin
#define WALKER_FOOT_RADIUS  WALKER_WIDE_CM(5)  // how high an ankle is over the ground
#define WALKER_HIP_STRAIGHT (2 * WALKER_LINK_LENGTH + WALKER_FOOT_RADIUS)
#define WALKER_CATEGORY     2u // of its shapes; walkers pass each other

enum { WALKER_PARAM_SPEED, WALKER_PARAM_TORQUE, WALKER_PARAM_FALL_TIME, WALKER_PARAM_TIMEOUT, WALKER_PARAM_COUNT };

/// What a walker does. X(name, number)
///   NONE    there is no walker
///   STAND   both feet stay where they are
///   WALK    one foot after the other; on the spot when only the balance asks for it
///   CROUCH  bends its knees to jump
///   THRUST  straightens them
///   AIR     until a foot is on the ground again
///   TURN    straightens its knees, which then bend the other way
///   FALLEN  limp, then straightens itself until it lies still
///   FOLD    draws its feet and its hands together, the hip goes up
///   PLACE   sets one foot after the other below its centre of mass
///   LIFT    turns its torso upright over its feet
/// The last four are those of one that is down, in their order.
#define WALKER_MODE_LIST(X) \
    X(NONE, 0)              \
    X(STAND, 1)             \
    X(WALK, 2)              \
    X(CROUCH, 3)            \
    X(THRUST, 4)            \
    X(AIR, 5)               \
    X(TURN, 6)              \
    X(FALLEN, 7)            \
    X(FOLD, 8)              \
    X(PLACE, 9)             \
    X(LIFT, 10)

enum {
#define WALKER_MODE_ENUM(name, number) WALKER_##name = (number),
    WALKER_MODE_LIST(WALKER_MODE_ENUM)
#undef WALKER_MODE_ENUM
};

/// The game's state, by slot. A number per part, joint or leg stands at [slot * their count + its own].
/// X(type, name, field type, how many per slot, unit)
#define WALKER_FIELD_LIST(X)                                   \
    X(int64_t, foot_x, I64, 2, "m Q31.32")                     \
    X(int64_t, foot_from, I64, 1, "m Q31.32")                  \
    X(int64_t, speed, I64, 1, "m/s Q31.32")                    \
    X(int64_t, lean_from, I64, 1, "turns Q31.32")              \
    X(uint32_t, body_index, U32, WALKER_PART_COUNT, "")        \
    X(uint32_t, body_generation, U32, WALKER_PART_COUNT, "")   \
    X(uint32_t, joint_index, U32, WALKER_JOINT_COUNT, "")      \
    X(uint32_t, joint_generation, U32, WALKER_JOINT_COUNT, "") \
    X(uint32_t, buttons, U32, 1, "")                           \
    X(uint32_t, clock, U32, 1, "ticks")                        \
    X(uint32_t, low_clock, U32, 1, "ticks")                    \
    X(uint32_t, down_clock, U32, 1, "ticks")                   \
    X(uint8_t, mode, U8, 1, "")                                \
    X(uint8_t, swing, U8, 1, "")                               \
    X(uint8_t, lands_right, U8, 1, "")                         \
    X(uint8_t, wants_jump, U8, 1, "")                          \
    X(uint8_t, faces_left, U8, 1, "")

/// foot_x: where a leg's ankle belongs, along x from the hip; foot_from: where the swinging one was lifted; lean_from:
/// the lean when it began to lift itself; clock: ticks in the mode or step; low_clock: ticks that it has lain low;
/// down_clock: ticks since it fell; swing: the leg in the air;
/// lands_right: on which side of the other foot the swinging one of a walker that halts is set down;
/// wants_jump: as soon as it stands; faces_left: where the knees point.
typedef struct walker_state {
#define WALKER_DECLARE(type, name, field, count, unit) type name[ISO_SLOT_COUNT_MAX * (count)];
    WALKER_FIELD_LIST(WALKER_DECLARE)
#undef WALKER_DECLARE
} walker_state;

/// The events. A walker that falls is down until it stands; one that is made anew has not stood up.
typedef struct walker_fell {
    uint32_t slot;
} walker_fell;

typedef struct walker_stood_up {
    uint32_t slot;
    uint32_t ticks_down;
} walker_stood_up;

/// What a walker feels at the begin of a tick. Lengths in m, from the hip where not said otherwise.
typedef struct walker_sense {
    iso_wide weight;        // of all of it [N]
    iso_vec2_wide hip;      // world
    iso_vec2_wide centre;   // of all its mass
    iso_vec2_wide velocity; // of that [m/s]
    iso_wide lean;          // of the torso [turns] in (-1/2, 1/2], positive counter-clockwise
    iso_wide turning;       // [rad/s]
    iso_vec2_wide ankle[2];
    iso_wide tilt[2]; // of the feet [turns]
    bool is_on_ground[2];
} walker_sense;

iso_body_id iso__walker_body(const walker_state *state, uint32_t slot, uint32_t part);

/// Builds a walker upright with straight legs, its feet on the ground below x. @return whether it fits into the world
bool iso__walker_build(iso_world *world, walker_state *state, uint32_t slot, iso_wide x);

/// Takes a walker away, or what is left of it.
void iso__walker_remove(iso_world *world, walker_state *state, uint32_t slot);

/// @return false when a part is missing
bool iso__walker_feel(const iso_world *world, const walker_state *state, uint32_t slot, walker_sense *sense);

/// Lets a servo hold an angle [turns] of the lower part less that of the upper.
void iso__walker_servo(iso_world *world, const walker_state *state, uint32_t slot, uint32_t joint, iso_wide angle,
                       iso_ragdoll_spring spring);

void iso__walker_limp(iso_world *world, const walker_state *state, uint32_t slot, uint32_t joint);

/// Lets a servo turn the lower part with a torque [N m], and so the upper one with its opposite; at most the joint's.
void iso__walker_torque(iso_world *world, const walker_state *state, uint32_t slot, uint32_t joint, iso_wide torque);

/// @return the torque [N m] with which the joint turned its lower part at the end of the last tick
iso_wide iso__walker_felt_torque(const iso_world *world, const walker_state *state, uint32_t slot, uint32_t joint);

/// The mode and the feet's places of this tick. @param wish  [m/s] how fast the member wants to go
void iso__walker_decide(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense,
                        iso_wide wish, bool jump);

/// The same of one that is down.
void iso__walker_rise(const iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense);

/// Turns the feet's places into the servos' angles by inverse kinematics, and balances on the legs that carry.
void iso__walker_move(iso_world *world, walker_state *state, uint32_t slot, const walker_sense *sense);

// ---- what gait and servos share ------------------------------------------------------------------

#define WALKER_STEP_MS   360 // one leg's time in the air
#define WALKER_CROUCH_MS 200
#define WALKER_THRUST_MS 150
#define WALKER_TURN_MS   500
#define WALKER_LIMP_MS   300
#define WALKER_FOLD_MS   1000
#define WALKER_PLACE_MS  400 // of each foot
#define WALKER_LIFT_MS   1200

#define WALKER_STEP_MAX WALKER_WIDE_CM(48) // of a foot from the hip

static inline iso_wide walker_clamp(iso_wide value, iso_wide low, iso_wide high) {
    return value < low ? low : value > high ? high : value;
}

static inline iso_wide walker_size(iso_wide value) {
    return value < 0 ? -value : value;
}

static inline uint32_t walker_ticks(const iso_world *world, uint32_t ms) {
    return ms * iso_world_get_def(world)->tick_rate_hz / 1000;
}

static inline void walker_enter(walker_state *state, uint32_t slot, uint8_t mode) {
    state->mode[slot] = mode;
    state->clock[slot] = 0;
}

/// The share of so many milliseconds that the mode or step has lasted, 0 to 1.
static inline iso_wide walker_progress(const iso_world *world, const walker_state *state, uint32_t slot, uint32_t ms) {
    const uint32_t whole = walker_ticks(world, ms), done = state->clock[slot] < whole ? state->clock[slot] : whole;
    return whole == 0 ? ISO_WIDE_ONE : (iso_wide)done * ISO_WIDE_ONE / whole;
}

/// From `from` to `to` as the share goes from 0 to 1, beginning and ending at rest.
static inline iso_wide walker_ease(iso_wide from, iso_wide to, iso_wide share) {
    return from + iso_wide_mul(to - from, iso_wide_mul(iso_wide_mul(share, share), 3 * ISO_WIDE_ONE - 2 * share));
}

/// To which side of the feet the head of one that is down is: the knees point the other way. 1 is right.
static inline iso_wide walker_head_side(const walker_state *state, uint32_t slot) {
    return state->faces_left[slot] ? 1 : -1;
}

#endif
