/// Compounds: bodies and joints that are created, moved and destroyed together.
///
/// A compound is made from a blueprint: a named list of bodies with shapes, and of joints between them, that is part of
/// the world's state. So a command that creates a compound has only the blueprint's number and a pose, and whoever gets
/// the world (by a snapshot, from a recording) has its blueprints, too.
///
/// The parts of a compound are ordinary bodies and joints: every function of body.h and joint.h works on them. A body
/// that is destroyed leaves its compound; a compound without bodies and joints ceases to exist. Shapes and joints that
/// are added to its bodies later do not belong to it, but a shape goes wherever its body goes.
///
/// For threads, and for when a compound of a networked world may be changed, see world.h.
#ifndef ISOSTEP_COMPOUND_H
#define ISOSTEP_COMPOUND_H

#include "isostep/body.h"
#include "isostep/joint.h"
#include "isostep/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A world has room for as many compounds as bodies, at most so many; and, in all its blueprints together, for as many
/// bodies as itself, at most so many, as many shapes and as many joints.
#define ISO_COMPOUND_CAPACITY_MAX  4096u
#define ISO_BLUEPRINT_CAPACITY_MAX 256u

#define ISO_BLUEPRINT_NAME_MAX  31  // characters
#define ISO_BLUEPRINT_PARTS_MAX 128 // bodies of one blueprint; as many shapes; as many joints

/// A body of a blueprint.
typedef struct iso_blueprint_body {
    iso_body_def def;       // position and angle in the blueprint's frame; its owner is ignored
    iso_wide mass, inertia; // as for iso_body_set_mass; 0: of the shapes
    uint32_t shape_first;   // its shapes are shapes[shape_first] and the following; bodies may share them
    uint32_t shape_count;
} iso_blueprint_body;

/// What a blueprint is made of. Nothing of it is kept: the world has its own copy.
typedef struct iso_blueprint_def {
    const char *name; // 1 to 31 letters, digits, "_" or "-"; no other blueprint of the world has it
    const iso_blueprint_body *bodies;
    uint32_t body_count; // 1 to ISO_BLUEPRINT_PARTS_MAX
    const iso_shape_def *shapes;
    uint32_t
        shape_count; // of the array; a blueprint has at most ISO_BLUEPRINT_PARTS_MAX shapes, shared ones several times
    const iso_joint_def
        *joints;          // body_a to body_d: index is the number of a body of the blueprint, generation is 1; the
                          // owner is ignored. A TARGET joint's target is in the blueprint's frame
    uint32_t joint_count; // 0 to ISO_BLUEPRINT_PARTS_MAX
} iso_blueprint_def;

/// Sizes and name of a blueprint.
typedef struct iso_blueprint_view {
    char name[ISO_BLUEPRINT_NAME_MAX + 1];
    uint32_t body_count, shape_count, joint_count;
} iso_blueprint_view;

/// A compound that is to be created.
typedef struct iso_compound_def {
    uint32_t blueprint;        // its index
    iso_vec2_wide position;    // [m] where the blueprint's origin is to be, within ±30,000
    iso_wide angle;            // [rad] by which the blueprint is turned
    iso_vec2_wide velocity;    // [m/s] of the origin, in addition to the bodies' own; each component within ±512
    iso_wide angular_velocity; // [rad/s] about the origin, in addition to the bodies' own
    uint32_t tag;              // the user's number; kept, hashed, never interpreted
    iso_owner owner;           // of the compound, its bodies and its joints
} iso_compound_def;

typedef struct iso_compound_view {
    uint32_t blueprint;
    uint32_t tag;
    iso_owner owner;
    uint32_t body_count, joint_count; // that it still has
    iso_vec2_wide position; // [m] the blueprint's origin, as its first body stands to it now; (0, 0) without bodies
    iso_wide angle;         // [rad] likewise
} iso_compound_view;

struct iso_world;

/// @name Blueprints
/// @{

/// Adds a blueprint; while the world is built, or between steps of one that is not shared. It cannot be removed or
/// changed. It is tried: one compound is made of it and taken away again, so that what is accepted can be created.
/// @param index  its number, ascending from 0
/// @return ISO_OK; ISO_ERR_RANGE (name, counts, a shape or body that does not exist, a number); ISO_ERR_CAPACITY
///         (of blueprints' parts, or the world has no room for one such compound); what iso_body_create,
///         iso_shape_create, iso_body_set_mass and iso_joint_create return; ISO_ERR_RANGE also when a motor's speed is
///         beyond iso_joint_get_speed_max, as in commands. On error the world is unchanged.
iso_status iso_world_add_blueprint(struct iso_world *world, const iso_blueprint_def *def, uint32_t *index);

/// @return false when there is no blueprint of this index; indices ascend from 0 without gaps.
bool iso_world_get_blueprint(const struct iso_world *world, uint32_t index, iso_blueprint_view *view);

/// The blueprint of this name, UINT32_MAX when there is none.
uint32_t iso_world_find_blueprint(const struct iso_world *world, const char *name);
/// @}

/// @name Compounds
/// @{

/// Not turned, at rest, at the origin, without an owner.
iso_compound_def iso_compound_def_default(void);

/// Creates a compound with all its bodies and joints, each taking the lowest free index, in the order of the blueprint.
/// Each material point gets the velocity that it has on a rigid body that moves as the definition says.
/// An ANGLE or GEAR joint whose ratio is not 1 measures angles against the world: it sees the definition's angle as a
/// turn of its bodies.
/// @return ISO_OK; ISO_ERR_STALE (no such blueprint); ISO_ERR_CAPACITY (of bodies, shapes, joints, custom joints,
///         compounds); ISO_ERR_RANGE (the definition; a part would be outside of the world or too fast; a motor is
///         beyond iso_joint_get_speed_max, in a blueprint that came with a snapshot). On error the world is unchanged:
///         it gets all parts or none.
iso_status iso_compound_create(struct iso_world *world, const iso_compound_def *def, iso_compound_id *compound);

/// Destroys a compound's bodies, with their shapes and with all joints that they have. @return ISO_OK; ISO_ERR_STALE.
iso_status iso_compound_destroy(struct iso_world *world, iso_compound_id compound);

/// Whether a handle names a compound that exists in this world. Constant time.
bool iso_compound_is_valid(const struct iso_world *world, iso_compound_id compound);

/// The compound of the lowest index at or above `index`; null when there is none.
iso_compound_id iso_compound_next(const struct iso_world *world, uint32_t index);

/// Linear in the number of bodies and joints of the world. @return ISO_OK; ISO_ERR_STALE (the view is then left as it
/// was).
iso_status iso_compound_get(const struct iso_world *world, iso_compound_id compound, iso_compound_view *view);

/// The compound's body or joint of the lowest index at or above `index`; null when there is none or when the compound
/// is stale. Iterate by ascending index as with iso_body_next_shape; what was returned last may be destroyed. A loop
/// compares every body, or joint, of the world once.
iso_body_id iso_compound_next_body(const struct iso_world *world, iso_compound_id compound, uint32_t index);
iso_joint_id iso_compound_next_joint(const struct iso_world *world, iso_compound_id compound, uint32_t index);

/// The compound's body with this number in its blueprint; null when it is gone or never was. Linear likewise.
iso_body_id iso_compound_find_body(const struct iso_world *world, iso_compound_id compound, uint32_t part);

/// The compound to which a joint belongs, null when it belongs to none or is stale. A body's is in its view.
iso_compound_id iso_joint_get_compound(const struct iso_world *world, iso_joint_id joint);

/// Moves a compound to another pose at once, ignoring obstacles: a teleport. Its bodies keep their poses to each other:
/// exactly when it does not turn, otherwise within 2^-29 of their distances. Their velocities turn with it. As with
/// iso_body_set_position their contacts end, and what touched them or is at the new place wakes; joints to other bodies
/// pull, and targets of TARGET joints stay where they are.
/// @param position  [m] where the blueprint's origin is to be, within ±30,000. Bodies may have moved against each
///                  other: the one with the lowest number in the blueprint that is left says where the origin is now
/// @param angle     [rad] of the blueprint; whole turns matter, as for a body
/// @return ISO_OK; ISO_ERR_STALE; ISO_ERR_WRONG_TYPE (it has no bodies); ISO_ERR_RANGE (a body would be outside of the
///         world). On error the world is unchanged.
iso_status iso_compound_set_position(struct iso_world *world, iso_compound_id compound, iso_vec2_wide position,
                                     iso_wide angle);
/// @}

#ifdef __cplusplus
}
#endif

#endif
