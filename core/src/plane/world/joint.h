/// Joints as records: their bodies and their destruction. plane/joint/ creates them and solves their rows.
#ifndef ISO_PLANE_WORLD_JOINT_H
#define ISO_PLANE_WORLD_JOINT_H

#include "plane/world/plane.h"
#include "step/waking.h"

#define ISO__PLANE_JOINT_PAIRS 6 // of up to four bodies

/// iso_joint_kind_has of a record's kind, which is none or one of the list.
extern const uint32_t iso__plane_joint_kind_parts[];
static inline uint32_t iso__plane_joint_has(const iso__plane_joint *joint) {
    return iso__plane_joint_kind_parts[joint->kind];
}

/// Whether a joint's spring is given by stiffness and damping, not by a frequency; and whether it has one that acts.
static inline bool iso__plane_joint_has_stiffness(const iso__plane_joint *joint) {
    return (joint->flags & ISO__PLANE_JOINT_SPRING) != 0 && (joint->spring_stiffness | joint->spring_damping) != 0;
}
static inline bool iso__plane_joint_has_spring(const iso__plane_joint *joint) {
    return (joint->flags & ISO__PLANE_JOINT_SPRING) != 0 &&
           (joint->spring_hertz > 0 || (joint->spring_stiffness | joint->spring_damping) != 0);
}

/// Whether this is one of a joint's bodies.
static inline bool iso__plane_joint_has_body(const iso__plane_joint *joint, uint32_t body) {
    return joint->body_a == body || joint->body_b == body || joint->body_c == body || joint->body_d == body;
}

void iso__plane_joint_note_bodies(iso_world *world, const iso__plane_joint *joint);

/// The n-th pair of a joint's bodies, n below ISO__PLANE_JOINT_PAIRS; the first is A and B, the others are of four
/// bodies.
static inline void iso__plane_joint_pair_of(const uint32_t bodies[4], uint32_t n, uint32_t *a, uint32_t *b) {
    static const uint8_t first[] = {0, 0, 0, 1, 1, 2}, second[] = {1, 2, 3, 2, 3, 3};
    *a = bodies[first[n]];
    *b = bodies[second[n]];
}

/// Whether a joint is live, enabled, and of a kind that acts on its bodies.
bool iso__plane_joint_connects(const iso__plane_joint *joint);

/// See iso__kernel.
iso_status iso__plane_joint_destroy(iso_world *world, uint32_t joint);
void iso__plane_joint_bodies(const iso_world *world, uint32_t joint, uint32_t bodies[4]);
iso_owner iso__plane_joint_owner(const iso_world *world, uint32_t joint);
void iso__plane_joint_set_tag(iso_world *world, uint32_t joint, uint32_t tag);

/// Destroys a body's joints in ascending order. Linear in the number of joints.
void iso__plane_joints_remove_body(iso__plane *plane, uint32_t body);

#endif
