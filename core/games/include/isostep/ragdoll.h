/// Ragdolls: creatures of capsules, held together by revolute joints whose springs and motors are servos.
///
/// A plan describes a creature once: its parts and, from the first part outwards, the joint by which each other one
/// hangs on a part before it. iso_ragdoll_build makes one of it in a world and writes its handles into arrays that the
/// game keeps in its state; the other functions read and move it. A servo either holds an angle (the joint's spring) or
/// applies a torque (its motor); it acts between two parts, so nothing pulls the creature as a whole. Everything is
/// built on the public interface. The walker and the hound are made of it (isostep/games.h).
#ifndef ISOSTEP_RAGDOLL_H
#define ISOSTEP_RAGDOLL_H

#include "isostep/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One capsule. The frame of the first part is the creature's; that of another has its origin in its joint.
typedef struct iso_ragdoll_part {
    fix16_t radius;  // [m]
    iso_vec2 from;   // [m] the ends of its segment, in its frame
    iso_vec2 to;     // [m]
    fix16_t density; // [kg/m^2]
} iso_ragdoll_part;

typedef struct iso_ragdoll_joint {
    uint8_t upper, lower; // parts; an upper part is the first one, or the lower one of a joint before
    iso_vec2 place;       // [m] in the upper part's frame
    fix16_t low, high;    // [rad] limits of the lower part's angle less the upper's
    iso_wide torque;      // [N m] the most that its servo and its limits apply
} iso_ragdoll_joint;

typedef struct iso_ragdoll_plan {
    const iso_ragdoll_part *parts;
    uint32_t part_count; // at least 1
    const iso_ragdoll_joint *joints;
    uint32_t joint_count; // part_count - 1: all parts hang together
    fix16_t friction;
    iso_filter filter; // of all shapes: with its own category taken out of the mask, parts do not collide
} iso_ragdoll_plan;

/// The handles of one creature, in arrays of the game: as many of bodies as the plan has parts, of joints as it has
/// joints. All zero: there is none.
typedef struct iso_ragdoll {
    const iso_ragdoll_plan *plan;
    uint32_t *body_index, *body_generation;
    uint32_t *joint_index, *joint_generation;
} iso_ragdoll;

/// How hard a servo holds its angle. Its stiffness is that of the two parts alone, (2 pi hertz)^2 I, so a ratio of 1
/// damps a limb that carries nothing; what carries a body needs more.
typedef struct iso_ragdoll_spring {
    fix16_t hertz, ratio;
} iso_ragdoll_spring;

/// Builds a creature with all angles zero. Its bodies never sleep, since servos move them at any time; its joints
/// belong to nobody.
/// @param origin  [m] where the first part's frame stands
/// @param owner   of its bodies
/// @param tag     of its bodies
/// @return ISO_OK; ISO_ERR_CAPACITY (the world has no room for all of it). Any other status is a fault of what was
///         given: ISO_ERR_RANGE (the counts, a joint whose upper part is not there yet, a part that hangs on no joint
///         or on two; a number of the plan, the origin, the owner); ISO_ERR_GEOMETRY (a capsule, as
///         iso_shape_def_check). On error nothing of it is left
iso_status iso_ragdoll_build(iso_world *world, const iso_ragdoll *doll, iso_vec2_wide origin, iso_owner owner,
                             uint32_t tag);

/// Takes a creature away, or what is left of it, and sets its handles to zero.
void iso_ragdoll_remove(iso_world *world, const iso_ragdoll *doll);

/// Whether all its bodies and joints are there.
bool iso_ragdoll_is_whole(const iso_world *world, const iso_ragdoll *doll);

iso_body_id iso_ragdoll_body(const iso_ragdoll *doll, uint32_t part);

/// What all parts together are.
typedef struct iso_ragdoll_mass {
    iso_wide mass;          // [kg]
    iso_vec2_wide centre;   // [m] from a point
    iso_vec2_wide velocity; // [m/s] of the centre
} iso_ragdoll_mass;

/// @param from  [m] the point of the world from which the centre is given; near the creature, it keeps the precision
/// @return false when a part is missing
bool iso_ragdoll_get_mass(const iso_world *world, const iso_ragdoll *doll, iso_vec2_wide from, iso_ragdoll_mass *mass);

/// Which of its parts something pushed in the last tick. One pass over all contacts of the world.
/// @param is_touched  per part
void iso_ragdoll_feel(const iso_world *world, const iso_ragdoll *doll, bool *is_touched);

/// Lets a servo hold an angle [turns] of the lower part less that of the upper, within the joint's limits.
void iso_ragdoll_hold(iso_world *world, const iso_ragdoll *doll, uint32_t joint, iso_wide angle,
                      iso_ragdoll_spring spring);

/// Lets a servo turn the lower part with a torque [N m], and so the upper one with its opposite; at most the joint's.
void iso_ragdoll_turn(iso_world *world, const iso_ragdoll *doll, uint32_t joint, iso_wide torque);

/// Lets a servo do nothing.
void iso_ragdoll_let_go(iso_world *world, const iso_ragdoll *doll, uint32_t joint);

/// @return the torque [N m] with which the joint turned its lower part at the end of the last tick; 0 without a joint
iso_wide iso_ragdoll_felt_torque(const iso_world *world, const iso_ragdoll *doll, uint32_t joint);

/// The angles [turns] from straight down, counter-clockwise, of the two links of a limb of equal links whose root is at
/// the origin and whose end is at a place [m], or as near to it as it reaches.
/// @param length  [m] of each link
/// @param bends_to_left  on which side of the line from the root to the end the middle is, seen looking along that line
void iso_ragdoll_reach(iso_vec2_wide end, iso_wide length, bool bends_to_left, iso_wide angles[2]);

#ifdef __cplusplus
}
#endif

#endif
