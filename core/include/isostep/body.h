/// Rigid bodies.
/// For threads, and for when a body of a networked world may be changed, see world.h.
#ifndef ISOSTEP_BODY_H
#define ISOSTEP_BODY_H

#include "isostep/fixed.h"
#include "isostep/id.h"
#include "isostep/shape.h"
#include "isostep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bounds that hold for every body at every tick.
#define ISO_POSITION_MAX_M 30000   // |x|, |y| of the centre of mass
#define ISO_SPEED_MAX_M_S  512     // each component of the velocity, and |w| L
#define ISO_IMPULSE_MAX    1000000 // [N s], [N m s], [N], [N m]: each component of what a call applies

/// The types of bodies. X(name, number)
#define ISO_BODY_TYPE_LIST(X) \
    X(STATIC, 1)              \
    X(KINEMATIC, 2)           \
    X(DYNAMIC, 3)

typedef enum iso_body_type {
#define ISO_BODY_TYPE_ENUM(name, number) ISO_BODY_##name = (number),
    ISO_BODY_TYPE_LIST(ISO_BODY_TYPE_ENUM)
#undef ISO_BODY_TYPE_ENUM
} iso_body_type;

/// The parameters of a body. Structs, records, commands, scenes and dumps are generated from these lists.
///   numbers   X(name, low, high, otherwise), Q15.16; bounds and default are whole numbers
///   switches  X(name, bit of the record's flags, key in scenes)
#define ISO_BODY_NUMBER_LIST(X)    \
    X(linear_damping, 0, 1000, 0)  \
    X(angular_damping, 0, 1000, 0) \
    X(gravity_scale, -100, 100, 1)
#define ISO_BODY_SWITCH_LIST(X)          \
    X(fixed_rotation, 1, fixed_rotation) \
    X(lock_x, 2, lock_x)                 \
    X(lock_y, 4, lock_y)                 \
    X(sleep_enabled, 8, sleep)           \
    X(bullet, 32, bullet)

/// How a body responds to forces. Used only while it is dynamic, but kept otherwise.
typedef struct iso_body_params {
    fix16_t linear_damping;  // [1/s] 0 to 1000: v' = v / (1 + h c) in each substep
    fix16_t angular_damping; // [1/s] 0 to 1000
    fix16_t gravity_scale;   // -100 to 100; 1: the world's gravity
    bool fixed_rotation;     // it does not turn: its rotational inertia is infinite
    bool lock_x, lock_y;     // its centre of mass does not move along this axis of the world
    bool sleep_enabled;      // false: neither it nor its island sleeps
    bool bullet;             // stops at bodies of every type when it is fast; others stop only at static ones
} iso_body_params;

typedef struct iso_body_def {
    uint8_t type;              // iso_body_type
    iso_vec2_wide position;    // [m] of the origin
    iso_wide angle;            // [rad] any, may be more than one turn
    iso_vec2_wide velocity;    // [m/s] of the centre of mass
    iso_wide angular_velocity; // [rad/s] within the cap on spin, see iso_body_set_velocity
    uint32_t tag;              // the user's number; kept, hashed, never interpreted
    iso_owner owner;
    iso_body_params params;
} iso_body_def;

struct iso_world;

/// No damping, the world's gravity, nothing locked, may sleep.
iso_body_params iso_body_params_default(void);

/// A dynamic body at the origin, at rest, without an owner, with default parameters.
iso_body_def iso_body_def_default(void);

/// Creates a body without shapes; until it has one with mass, its mass is 1 kg and it does not turn.
/// @return ISO_OK; ISO_ERR_CAPACITY; ISO_ERR_RANGE; ISO_ERR_BAD_ENUM. On error the world is unchanged.
iso_status iso_body_create(struct iso_world *world, const iso_body_def *def, iso_body_id *body);

/// Destroys a body with its shapes and joints. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_body_destroy(struct iso_world *world, iso_body_id body);

/// Whether a handle names a body that is alive in this world. Constant time.
bool iso_body_is_valid(const struct iso_world *world, iso_body_id body);

/// The lowest live body index at or above `index`, as a handle; null when there is none.
/// Iterates over all bodies in canonical order:
/// `for (b = iso_body_next(w, 0); b.generation; b = iso_body_next(w, b.index + 1))`.
iso_body_id iso_body_next(const struct iso_world *world, uint32_t index);

/// The body's shape of the lowest index at or above `index`; null when there is none or when the body is stale.
/// Iterates over a body's shapes by ascending index:
/// `for (s = iso_body_next_shape(w, b, 0); s.generation; s = iso_body_next_shape(w, b, s.index + 1))`.
/// The shape that was returned last may be destroyed in between. Cost: constant in such a loop, otherwise linear in the
/// number of the body's shapes.
iso_shape_id iso_body_next_shape(const struct iso_world *world, iso_body_id body, uint32_t index);

/// The joint of the lowest index at or above `index` that has this body as A, B, C or D, enabled or not; null when
/// there is none or when the body is stale. Iterates by ascending index as iso_body_next_shape does; the joint that was
/// returned last may be destroyed. Cost: bodies have no list of their joints, so a loop compares every joint of the
/// world once.
iso_joint_id iso_body_next_joint(const struct iso_world *world, iso_body_id body, uint32_t index);

/// The readable state of a body, in the formats of its definition, so that creating a body from these numbers gives the
/// same bits of the state. To recreate a body, create it as kinematic with the view's position and angle, so that its
/// centre of mass moves only once (a static one as static: its centre of mass is the origin). Add its shapes as
/// iso_shape_get returns them. Then call iso_body_set_type, iso_body_set_mass and iso_body_set_velocity. Beyond
/// 341,782,637 turns `angle` saturates; angle_turns does not.
typedef struct iso_body_view {
    iso_vec2_wide position; // [m] of the origin
    iso_vec2_wide centre;   // [m] of the centre of mass
    iso_wide angle;         // [rad], unwrapped; finer than the state's turns, so it identifies them exactly
    iso_wide angle_turns;   // [turns] the same in the state's unit
    iso_rotation rotation;
    iso_vec2_wide velocity;    // [m/s] of the centre of mass
    iso_wide angular_velocity; // [rad/s]
    iso_wide mass;             // [kg], 0 unless dynamic
    iso_wide inertia;          // [kg m^2] about the centre of mass, 0 when it does not turn
    uint32_t tag;
    uint8_t type;
    iso_owner owner;
    uint64_t spawn_number;    // rises with each body that a step creates; 0: existed at tick 0
    iso_compound_id compound; // to which it belongs, or null
    uint32_t part;            // its number among the bodies of the compound's blueprint, from 0; 0 without a compound
} iso_body_view;

/// @return ISO_OK; ISO_ERR_STALE (the view is then left as it was).
iso_status iso_body_get(const struct iso_world *world, iso_body_id body, iso_body_view *view);

/// Static check of parameters. @return ISO_OK; ISO_ERR_RANGE.
iso_status iso_body_params_check(const iso_body_params *params);

/// @return ISO_OK; ISO_ERR_STALE (*params is then left as it was).
iso_status iso_body_get_params(const struct iso_world *world, iso_body_id body, iso_body_params *params);

/// Sets all parameters. A component of the velocity that becomes locked becomes zero.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE. On error the world is unchanged.
iso_status iso_body_set_params(struct iso_world *world, iso_body_id body, const iso_body_params *params);

/// Sets a body's mass, instead of that of its shapes. The centre of mass remains that of the shapes. Impulses that
/// contacts and joints hold keep their strength in N s.
/// @param mass     [kg] 2^-16 to 2^17; 0: of the shapes
/// @param inertia  [kg m^2] about the centre of mass, above 0; 0: of the shapes, in proportion to the mass
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE (also: m L^2 / I is above 500 or below 2^-22, L the bounding radius
///         rounded up to a power of two). On error the world is unchanged.
iso_status iso_body_set_mass(struct iso_world *world, iso_body_id body, iso_wide mass, iso_wide inertia);

/// The values that iso_body_set_mass has set: zeros where those of the shapes apply. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_body_get_own_mass(const struct iso_world *world, iso_body_id body, iso_wide *mass, iso_wide *inertia);

/// Makes a body static, kinematic or dynamic. Its origin and its points' velocities stay, except that a static body is
/// at rest. Impulses that contacts and joints hold keep their strength in N s; joints stay, and do nothing between
/// bodies that are not dynamic.
/// @param type  iso_body_type
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_BAD_ENUM; ISO_ERR_RANGE (as a dynamic body its mass would be out of range, or
///         a segment is more than ISO_SHAPE_EXTENT_MAX_M away, which only a static body's may be).
///         On error the world is unchanged.
iso_status iso_body_set_type(struct iso_world *world, iso_body_id body, uint8_t type);

/// Moves a body to another pose at once, ignoring obstacles: a teleport. Its velocities stay and its contacts end, with
/// their impulses. Bodies that touched it and sleeping bodies at its new position wake. Joints pull it back in the next
/// step, and overlapping bodies are pushed apart as usual. Linear in the number of contacts per shape of the body.
/// @param position  [m] of the origin, within ±30,000
/// @param angle     [rad]; whole turns matter: joints that measure angles see the difference. A view's angle is
///                  iso_radians_from_turns(view.angle_turns): passing it leaves the angle unchanged, bit for bit
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_RANGE (the centre of mass would be outside of the world, too). On error the
///         world is unchanged.
iso_status iso_body_set_position(struct iso_world *world, iso_body_id body, iso_vec2_wide position, iso_wide angle);

/// Changes the user's number. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_body_set_tag(struct iso_world *world, iso_body_id body, uint32_t tag);

/// Moves a kinematic body in the coming tick, with the velocity that takes it to the given pose: bodies that it meets
/// are pushed and carried. At the end of the tick it is exactly at the pose and at rest, whatever its velocity was
/// before; without another call it stays there. Like a force, the call is for one tick and is not in snapshots.
/// @param position  [m] of the origin, within ±30,000
/// @param angle     [rad] the body turns the shorter way
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (not kinematic); ISO_ERR_RANGE (outside of the world, or the speed
///         would exceed 512 m/s, also that of the angle times the bounding radius).
iso_status iso_body_move_kinematic(struct iso_world *world, iso_body_id body, iso_vec2_wide position, iso_wide angle);

/// Sets the velocities of a dynamic or kinematic body, rounded to the resolution of the state (2^-19 m/s, also for |w|
/// times the bounding radius). Locked components stay zero.
/// @param velocity          [m/s], each component within ±512
/// @param angular_velocity  [rad/s], within the cap on spin: |w| <= min(pi/4 tick_rate_hz substep_count, 512 m/s / L),
///                          an eighth of a turn per substep; L is the smallest power of two above the radius about the
///                          centre of mass, and at least 1/256 m. 188.5 rad/s at 60 Hz, 4 substeps and a radius below 2
///                          m. Impulses, forces and joints do not spin a body faster: the step cuts that, and counts it
///                          in clamped_velocities.
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (static); ISO_ERR_RANGE.
iso_status iso_body_set_velocity(struct iso_world *world, iso_body_id body, iso_vec2_wide velocity,
                                 iso_wide angular_velocity);

/// Applies a force for the coming tick. Forces of one tick add up and are cleared after it.
/// @param force  [N], each component within ±ISO_IMPULSE_MAX
/// @param point  [m] world frame
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (not dynamic); ISO_ERR_RANGE.
iso_status iso_body_apply_force(struct iso_world *world, iso_body_id body, iso_vec2_wide force, iso_vec2_wide point);

/// As above, at the centre of mass.
iso_status iso_body_apply_force_to_centre(struct iso_world *world, iso_body_id body, iso_vec2_wide force);

/// @param torque  [N m], within ±ISO_IMPULSE_MAX
iso_status iso_body_apply_torque(struct iso_world *world, iso_body_id body, iso_wide torque);

/// Applies a linear impulse at a world point: v' = v + P/m, w' = w + (r x P)/I.
/// @param impulse  [N s], each component within ±ISO_IMPULSE_MAX
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (not dynamic); ISO_ERR_RANGE.
iso_status iso_body_apply_impulse(struct iso_world *world, iso_body_id body, iso_vec2_wide impulse,
                                  iso_vec2_wide point);

/// @param impulse  [N m s], within ±ISO_IMPULSE_MAX
iso_status iso_body_apply_angular_impulse(struct iso_world *world, iso_body_id body, iso_wide impulse);

iso_status iso_body_set_owner(struct iso_world *world, iso_body_id body, iso_owner owner);

/// @name Points, vectors and speeds of a body
/// Between the body's frame, whose origin is that of its definition, and the world. All are Q31.32: [m], [m/s], of
/// vectors any unit. Arguments may be anything; what leaves the format saturates. The rotation is that of
/// iso_body_view, whose cosine and sine are within 8.4e-10: so far off is a result, times its distance from the origin,
/// and half a quantum, and a point that goes there and back is within 2.4e-9 of that distance and a quantum. At quarter
/// turns, and without turning, all is exact. To convert many points read the view once: position, rotation and
/// iso_vec2_wide_rotate. Constant time. Each returns ISO_OK, or ISO_ERR_STALE (the result is then left as it was).
/// @{

/// p = o + R(angle) p_local, a point of the body in the world; and back.
iso_status iso_body_get_world_point(const struct iso_world *world, iso_body_id body, iso_vec2_wide local,
                                    iso_vec2_wide *point);
iso_status iso_body_get_local_point(const struct iso_world *world, iso_body_id body, iso_vec2_wide point,
                                    iso_vec2_wide *local);

/// A vector of the body's frame, such as an axis, in the world: it is turned, not moved; and back.
iso_status iso_body_get_world_vector(const struct iso_world *world, iso_body_id body, iso_vec2_wide local,
                                     iso_vec2_wide *vector);
iso_status iso_body_get_local_vector(const struct iso_world *world, iso_body_id body, iso_vec2_wide vector,
                                     iso_vec2_wide *local);

/// The velocity [m/s] of the body's material at a point [m] of the world, and at one of its frame: v + w x r, with r
/// from the centre of mass. In the world's orientation. The point need not lie in a shape.
iso_status iso_body_get_point_velocity(const struct iso_world *world, iso_body_id body, iso_vec2_wide point,
                                       iso_vec2_wide *velocity);
iso_status iso_body_get_local_point_velocity(const struct iso_world *world, iso_body_id body, iso_vec2_wide local,
                                             iso_vec2_wide *velocity);

/// The kinetic energy [J] Q31.32, m v^2 / 2 + I w^2 / 2 of the state's numbers, each part rounded to the nearest; 0
/// unless the body is dynamic. Beyond 2^31 J it saturates: 131,072 kg at 181 m/s.
iso_status iso_body_get_kinetic_energy(const struct iso_world *world, iso_body_id body, iso_wide *energy);
/// @}

/// Whether a body is alive and not asleep. Bodies that are not dynamic never sleep.
bool iso_body_is_awake(const struct iso_world *world, iso_body_id body);

/// Wakes a body with its island, and restarts its time of being quiet, so that it must be so for the whole
/// sleep_time before it sleeps again. Forces, impulses, set velocities and changes of a body's definition do so, too.
/// @return ISO_OK; ISO_ERR_STALE.
iso_status iso_body_wake(struct iso_world *world, iso_body_id body);

/// The island of a body in the last step: the lowest body index among all dynamic bodies that
/// contacts and joints connect it with; UINT32_MAX for a body that is stale, asleep or not dynamic.
///
/// Islands are derived by each step and are no part of the state: neither an image nor a snapshot nor a root has them.
/// For a body that was created or woken since the last step, and for all bodies after iso_world_restore or
/// iso_snapshot_decode, the number means nothing until a step is through. So a game's rules may let the state depend on
/// it only in after_step, and of bodies that were awake when that began: there it is the same on each machine, however
/// that came to the state.
uint32_t iso_body_get_island(const struct iso_world *world, iso_body_id body);

#ifdef __cplusplus
}
#endif

#endif
