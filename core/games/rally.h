/// What the files of the rally share: its state, its cars, its circuit.
///
/// rally_car.c builds a car, steers and drives it; rally_track.c finds the circuit in the scene and says where a car is
/// on it; rally.c is the game: members, laps, cars that are brought back. All are written against the public interface
/// only.
///
/// A car's frame: x forward, y up, z to the right. Its origin is the chassis's.
#ifndef ISO_GAMES_RALLY_H
#define ISO_GAMES_RALLY_H

#include "isostep/body3.h"
#include "isostep/joint3.h"
#include "isostep/shape3.h"
#include "isostep/world.h"

/// The bodies of a car. X(name, x, y, z [cm] in the car's frame)
#define RALLY_PART_LIST(X)       \
    X(CHASSIS, 0, 0, 0)          \
    X(FRONT_LEFT, 130, -15, -75) \
    X(FRONT_RIGHT, 130, -15, 75) \
    X(REAR_LEFT, -130, -15, -75) \
    X(REAR_RIGHT, -130, -15, 75)

enum {
#define RALLY_PART_ENUM(name, ...) RALLY_##name,
    RALLY_PART_LIST(RALLY_PART_ENUM)
#undef RALLY_PART_ENUM
        RALLY_PART_COUNT
};

#define RALLY_WHEEL_COUNT  (RALLY_PART_COUNT - 1)
#define RALLY_CHECKS_MAX   32u // check points of a circuit
#define RALLY_PLACES_MAX   ISO_SLOT_COUNT_MAX
#define RALLY_CM(n)        ((fix16_t)((int64_t)(n)*ISO_FIX16_ONE / 100))
#define RALLY_WIDE_CM(n)   ((iso_wide)(n)*ISO_WIDE_ONE / 100)
#define RALLY_WHEEL_RADIUS 35 // [cm]
#define RALLY_RIDE         50 // [cm] the chassis's origin above the ground
#define RALLY_WHEELBASE    260

enum {
    RALLY_DRIVE_TORQUE,
    RALLY_BRAKE_TORQUE,
    RALLY_TOP_SPEED,
    RALLY_STEER_ANGLE,
    RALLY_FLIP_TIME,
    RALLY_RANGE,
    RALLY_CONTROL_TIMEOUT, // read by iso_world_read_control
    RALLY_PARAM_COUNT
};

/// The game's state. X(type, name, field type, count, unit)
/// steer: of the front wheels, to the left; motor: what the wheels' motors were set to last, see rally_car.c; next: the
/// check point to pass next; passed: whether one was passed since the car was on the grid; laps: since the member
/// joined; lap_ticks: since the line was passed; flip_ticks: for so long the car lies on its side or its roof; checks:
/// the circuit's sensors, from the line on; places: the bodies of the grid. Any numbers are harmless: what is used is
/// checked.
#define RALLY_FIELD_LIST(X)                                                       \
    X(uint32_t, body_index, U32, ISO_SLOT_COUNT_MAX *RALLY_PART_COUNT, "")        \
    X(uint32_t, body_generation, U32, ISO_SLOT_COUNT_MAX *RALLY_PART_COUNT, "")   \
    X(uint32_t, joint_index, U32, ISO_SLOT_COUNT_MAX *RALLY_WHEEL_COUNT, "")      \
    X(uint32_t, joint_generation, U32, ISO_SLOT_COUNT_MAX *RALLY_WHEEL_COUNT, "") \
    X(int32_t, steer, I32, ISO_SLOT_COUNT_MAX, "rad Q15.16")                      \
    X(uint32_t, motor, U32, ISO_SLOT_COUNT_MAX, "")                               \
    X(uint32_t, next, U32, ISO_SLOT_COUNT_MAX, "")                                \
    X(uint32_t, passed, U32, ISO_SLOT_COUNT_MAX, "")                              \
    X(uint32_t, laps, U32, ISO_SLOT_COUNT_MAX, "")                                \
    X(uint32_t, lap_ticks, U32, ISO_SLOT_COUNT_MAX, "ticks")                      \
    X(uint32_t, best_ticks, U32, ISO_SLOT_COUNT_MAX, "ticks")                     \
    X(uint32_t, flip_ticks, U32, ISO_SLOT_COUNT_MAX, "ticks")                     \
    X(uint32_t, check_index, U32, RALLY_CHECKS_MAX, "")                           \
    X(uint32_t, check_generation, U32, RALLY_CHECKS_MAX, "")                      \
    X(uint32_t, place_index, U32, RALLY_PLACES_MAX, "")                           \
    X(uint32_t, place_generation, U32, RALLY_PLACES_MAX, "")                      \
    X(uint32_t, check_count, U32, 1, "")                                          \
    X(uint32_t, place_count, U32, 1, "")

typedef struct rally_state {
#define RALLY_DECLARE(type, name, field, count, unit) type name[count];
    RALLY_FIELD_LIST(RALLY_DECLARE)
#undef RALLY_DECLARE
} rally_state;

/// A place with a direction.
typedef struct rally_pose {
    iso_vec3_wide position; // [m]
    iso_quat rotation;
} rally_pose;

static inline iso_wide rally_param(const iso_world *world, uint32_t param) {
    return iso_world_get_def(world)->game_params[param];
}

static inline iso_wide rally_size(iso_wide value) {
    return value < 0 ? -value : value;
}

/// @name rally_car.c
/// @{

/// @return null when the member has no car, or not all of one
iso_body_id iso__rally_chassis(const iso_world *world, const rally_state *state, uint32_t slot);

/// Builds a car on its wheels at a place on the ground. @return ISO_OK; ISO_ERR_CAPACITY and others of bodies, shapes
/// and joints: then there is none of its parts.
iso_status iso__rally_build(iso_world *world, rally_state *state, uint32_t slot, rally_pose ground);

/// Takes a car away, or what is left of it.
void iso__rally_remove(iso_world *world, rally_state *state, uint32_t slot);

/// Turns a member's control into what steers and drives its car.
void iso__rally_drive(iso_world *world, rally_state *state, uint32_t slot, const uint8_t *control);
/// @}

/// @name rally_track.c
/// @{

/// Finds check points and grid in the scene.
void iso__rally_find_track(const iso_world *world, rally_state *state);

/// Where the member's car begins, or begins again.
rally_pose iso__rally_place(const iso_world *world, const rally_state *state, uint32_t slot);

/// Whether a point of the world is in a check point.
bool iso__rally_is_in_check(const iso_world *world, const rally_state *state, uint32_t check, iso_vec3_wide point);
/// @}

#endif
