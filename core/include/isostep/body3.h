/// Rigid bodies in space.
///
/// The functions are those of worlds with three dimensions (iso_world_def.dimensions); in the plane they return
/// ISO_ERR_DIMENSION, as those of body.h do in space. Both kinds of worlds share handles and iso_body_is_valid,
/// iso_body_next, iso_body_destroy, iso_body_set_owner, iso_body_set_tag, iso_body_is_awake, iso_body_wake and
/// iso_body_get_island. For threads, and for when a body of a networked world may be changed, see world.h.
#ifndef ISOSTEP_BODY3_H
#define ISOSTEP_BODY3_H

#include "isostep/body.h"
#include "isostep/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bounds that hold for every body in space at every tick; positions are bounded as in the plane.
#define ISO_SPEED3_MAX_M_S 400 // each component of the velocity, and the length of the angular velocity times L

/// The parameters of a body in space. Structs, records, commands, scenes and dumps are generated from these lists, as
/// in the plane from those of body.h.
///   numbers   X(name, low, high, otherwise), Q15.16; bounds and default are whole numbers
///   switches  X(name, bit of the record's flags, key in scenes)
#define ISO_BODY3_NUMBER_LIST(X) ISO_BODY_NUMBER_LIST(X)
#define ISO_BODY3_SWITCH_LIST(X)    \
    X(lock_x, 1, lock_x)            \
    X(lock_y, 2, lock_y)            \
    X(lock_z, 4, lock_z)            \
    X(lock_turn_x, 8, lock_turn_x)  \
    X(lock_turn_y, 16, lock_turn_y) \
    X(lock_turn_z, 32, lock_turn_z) \
    X(sleep_enabled, 64, sleep)     \
    X(bullet, 256, bullet)

/// How a body responds to forces. Used only while it is dynamic, but kept otherwise.
typedef struct iso_body3_params {
    fix16_t linear_damping;      // [1/s] 0 to 1000: v' = v / (1 + h c) in each substep
    fix16_t angular_damping;     // [1/s] 0 to 1000
    fix16_t gravity_scale;       // -100 to 100; 1: the world's gravity
    bool lock_x, lock_y, lock_z; // its centre of mass does not move along this axis of the world
    bool lock_turn_x, lock_turn_y,
        lock_turn_z;    // it does not turn about this axis of the world; about the others it turns
                        // as something on bearings, which take up what torque that needs
    bool sleep_enabled; // false: neither it nor its island sleeps
    // Whether it stops at bodies of every type when it is fast; others stop only at static ones.
    bool bullet;
} iso_body3_params;

typedef struct iso_body3_def {
    uint8_t type;           // iso_body_type
    iso_vec3_wide position; // [m] of the origin
    // From the body's frame to the world; normalised, all zero: none. A command takes neither: its rotation is as a
    // world holds it (command.h), "none" is w = 1.
    iso_quat rotation;
    iso_vec3_wide velocity;         // [m/s] of the centre of mass
    iso_vec3_wide angular_velocity; // [rad/s] in the world's frame
    uint32_t tag;                   // the user's number; kept, hashed, never interpreted
    iso_owner owner;
    iso_body3_params params;
} iso_body3_def;

struct iso_world;

/// No damping, the world's gravity, nothing locked, may sleep, no bullet.
iso_body3_params iso_body3_params_default(void);

/// A dynamic body at the origin, not turned, at rest, without an owner, with default parameters.
iso_body3_def iso_body3_def_default(void);

/// Static check of parameters. @return ISO_OK; ISO_ERR_RANGE.
iso_status iso_body3_params_check(const iso_body3_params *params);

/// Static check of a definition, as far as it depends on no world: the angular velocity counts as that of a body of
/// radius 1 m. @return ISO_OK; ISO_ERR_RANGE; ISO_ERR_BAD_ENUM.
iso_status iso_body3_def_check(const iso_body3_def *def);

/// Creates a body without shapes; until it has one with mass, its mass is 1 kg and it does not turn.
/// @return ISO_OK; ISO_ERR_CAPACITY; ISO_ERR_RANGE; ISO_ERR_BAD_ENUM; ISO_ERR_DIMENSION. On error the world is
///         unchanged.
iso_status iso_body3_create(struct iso_world *world, const iso_body3_def *def, iso_body_id *body);

/// The readable state of a body.
typedef struct iso_body3_view {
    iso_vec3_wide position; // [m] of the origin
    iso_vec3_wide centre;   // [m] of the centre of mass
    iso_quat rotation;
    iso_vec3_wide velocity;         // [m/s] of the centre of mass
    iso_vec3_wide angular_velocity; // [rad/s] in the world's frame
    /// [kg m^2/s] about the centre of mass, in the world's frame. It is the state; the angular velocity follows from
    /// it.
    iso_vec3_wide angular_momentum;
    iso_wide mass; // [kg], 0 unless dynamic
    iso_wide
        moments[3]; // [kg m^2] the principal moments of inertia about the centre of mass, ascending; 0: does not turn
    iso_quat principal; // from the frame of the principal axes to the body's frame
    uint32_t tag;
    uint8_t type;
    iso_owner owner;
    uint64_t spawn_number; // rises with each body that a step creates; 0: existed at tick 0
} iso_body3_view;

/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_DIMENSION (the view is then left as it was).
iso_status iso_body3_get(const struct iso_world *world, iso_body_id body, iso_body3_view *view);

/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_DIMENSION (*params is then left as it was).
iso_status iso_body3_get_params(const struct iso_world *world, iso_body_id body, iso_body3_params *params);

/// Sets all parameters. A component of the velocity that becomes locked becomes zero.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE; ISO_ERR_DIMENSION. On error the world is unchanged.
iso_status iso_body3_set_params(struct iso_world *world, iso_body_id body, const iso_body3_params *params);

/// Sets a body's mass and its principal moments of inertia, instead of those of its shapes; their centre and principal
/// axes remain.
/// @param mass     [kg] 2^-16 to 2^17; 0: of the shapes
/// @param moments  [kg m^2] about the principal axes of iso_body3_view, from the smallest to the largest, which is at
///                 most the sum of the others; all 0: of the shapes, in proportion to the mass. None is above 4 m L^2,
///                 L the bounding radius rounded up to a power of two, or so small that a push at the body's border
///                 turns it more than 500 times as much as it moves it
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE; ISO_ERR_DIMENSION. On error the world is unchanged.
iso_status iso_body3_set_mass(struct iso_world *world, iso_body_id body, iso_wide mass, const iso_wide moments[3]);

/// The values that iso_body3_set_mass has set: zeros where those of the shapes apply.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_DIMENSION
iso_status iso_body3_get_own_mass(const struct iso_world *world, iso_body_id body, iso_wide *mass, iso_wide moments[3]);

/// Makes a body static, kinematic or dynamic. @return as iso_body_set_type, and ISO_ERR_DIMENSION.
iso_status iso_body3_set_type(struct iso_world *world, iso_body_id body, uint8_t type);

/// Moves a body to another pose at once, ignoring obstacles. Its velocities stay and its contacts end.
/// @param position  [m] of the origin, within ±30,000
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE; ISO_ERR_DIMENSION. On error the world is unchanged.
iso_status iso_body3_set_position(struct iso_world *world, iso_body_id body, iso_vec3_wide position, iso_quat rotation);

/// Sets the velocities of a dynamic or kinematic body. Locked components stay zero.
/// @param velocity          [m/s] each component within ±400
/// @param angular_velocity  [rad/s] world's frame; its length at most min(pi/4 tick_rate_hz substep_count, 400 m/s /
///                          L), an eighth of a turn per substep; L is the smallest power of two above the radius about
///                          the centre of mass, and at least 1/256 m
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (static); ISO_ERR_RANGE; ISO_ERR_DIMENSION.
iso_status iso_body3_set_velocity(struct iso_world *world, iso_body_id body, iso_vec3_wide velocity,
                                  iso_vec3_wide angular_velocity);

/// Applies a force [N] at a point [m] of the world for the coming tick; at the centre of mass; a torque [N m]. Those of
/// one tick add up and are cleared after it. Each component within ±ISO_IMPULSE_MAX.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (not dynamic); ISO_ERR_RANGE; ISO_ERR_DIMENSION.
iso_status iso_body3_apply_force(struct iso_world *world, iso_body_id body, iso_vec3_wide force, iso_vec3_wide point);
iso_status iso_body3_apply_force_to_centre(struct iso_world *world, iso_body_id body, iso_vec3_wide force);
iso_status iso_body3_apply_torque(struct iso_world *world, iso_body_id body, iso_vec3_wide torque);

/// Applies an impulse [N s] at a point [m] of the world: v' = v + P/m, L' = L + r x P; and an angular impulse [N m s].
/// Each component within ±ISO_IMPULSE_MAX. @return as iso_body3_apply_force.
iso_status iso_body3_apply_impulse(struct iso_world *world, iso_body_id body, iso_vec3_wide impulse,
                                   iso_vec3_wide point);
iso_status iso_body3_apply_angular_impulse(struct iso_world *world, iso_body_id body, iso_vec3_wide impulse);

/// The kinetic energy [J] Q31.32, m v^2 / 2 + w L / 2; 0 unless the body is dynamic. Beyond 2^31 J it saturates.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_DIMENSION (*energy is then left as it was).
iso_status iso_body3_get_kinetic_energy(const struct iso_world *world, iso_body_id body, iso_wide *energy);

/// Whether a contact of the body pushed in the last tick; false in the plane and of a stale body. Cost: that of
/// iso_body_next_contact (contact.h) for each of its contacts.
bool iso_body3_is_pushed(const struct iso_world *world, iso_body_id body);

/// The gravity [m/s^2] of a world in space. @return that of the plane with z = 0 in the plane
iso_vec3 iso_world_get_gravity3(const struct iso_world *world);
/// @param gravity  each component within ±1000 @return ISO_OK; ISO_ERR_RANGE; ISO_ERR_DIMENSION.
iso_status iso_world_set_gravity3(struct iso_world *world, iso_vec3 gravity);

#ifdef __cplusplus
}
#endif

#endif
