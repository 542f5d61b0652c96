/// What the stages of one step share: joints and contacts work on it.
///
/// From one step to the next remain the manifolds, and what follows from the set of constraints alone: the list of
/// joints, colours and islands, which are found again when a constraint or a moving body comes, goes or changes. They
/// are caches: iso__plane_caches_drop discards them (has_changed_rows).
#ifndef ISO_PLANE_WORLD_SCRATCH_H
#define ISO_PLANE_WORLD_SCRATCH_H

#include "plane/collide/box.h"
#include "plane/collide/manifold.h"
#include "plane/world/plane.h"
#include "solver/params.h"
#include "step/colour.h"
#include "step/pair.h"

#define ISO__PLANE_COLOUR_NONE (ISO__COLOURS + 1) // contacts without rows: of sensors, and disabled ones

/// A body within the step. The contact kernels gather it by halves, its numbers as pairs, and write the first half.
#define ISO__PLANE_MOTION_PLAIN   1 // dynamic, and gravity is all that acts on it
#define ISO__PLANE_MOTION_PUSHED  2 // the same, with forces in this tick
#define ISO__PLANE_MOTION_GONE    3 // came to the border of the world in this step
#define ISO__PLANE_MOTION_SPECIAL 4 // dynamic, with damping, a gravity of its own or a lock
#define ISO__PLANE_MOTION_KINDS   5

typedef struct iso__plane_motion {
    int32_t velocity[2]; // [m/s] Q12.19
    int32_t spin;        // [m/s] Q12.19
    int32_t turned;      // [m] Q7.24: the angle times L since the step began
    int32_t moved[2];    // [m] Q7.24 since the step began
    int32_t spin_max;    // [m/s] Q12.19: an eighth of a turn per substep, at most 512
    int32_t kind;        // ISO__PLANE_MOTION_..., 0: nothing moves it within the step
} iso__plane_motion;

/// Where the motion accumulates without loss.
typedef struct iso__plane_drift {
    int64_t moved[2]; // [m] Q31.32
    int64_t turned;   // [m] Q31.32
    int64_t unused;   // lanes gather two halves of 16 bytes
} iso__plane_drift;

typedef struct iso__plane_joint_work iso__plane_joint_work; // plane/joint/work.h
typedef struct iso__plane_joint_pair iso__plane_joint_pair;
typedef struct iso__plane_point_row iso__plane_point_row;
typedef struct iso__plane_plain_row iso__plane_plain_row;
typedef struct iso__plane_hinge_row iso__plane_hinge_row;
typedef struct iso__plane_axis iso__plane_axis;
typedef struct iso__plane_custom_work iso__plane_custom_work; // plane/joint/custom.h

/// How a joint is solved: one of the works, which may have any rows, or with the faster code of its form.
#define ISO__PLANE_JOINT_WORK  0
#define ISO__PLANE_JOINT_HINGE 1
#define ISO__PLANE_JOINT_PLAIN 2
#define ISO__PLANE_JOINT_FORMS 3

/// A joint that works in this step. Kept apart from its rows: islands and colours read all of them, and little of each.
typedef struct iso__plane_joint_ref {
    uint32_t joint;     // index of the record
    uint32_t bodies[4]; // def.body_capacity for the world, and for C and D of a joint of two bodies
    uint8_t colour;
    uint8_t form; // ISO__PLANE_JOINT_...
    bool can_break;
} iso__plane_joint_ref;

/// A small turn and its rotation: a function of it, so that it never becomes stale.
typedef struct iso__plane_known_turn {
    int32_t turned; // [turns] Q0.32
    iso_rotation rotation;
} iso__plane_known_turn;

/// The last ones that plane/dynamics/contact_pose.c asked for, each where a hash of the turn says. All zero is none:
/// what has not turned is not looked for.
#define ISO__PLANE_KNOWN_TURN_BITS 8

typedef struct iso__plane_known_turns {
    iso__plane_known_turn slots[1 << ISO__PLANE_KNOWN_TURN_BITS];
} iso__plane_known_turns;

typedef struct iso__plane_contact_group iso__plane_contact_group; // plane/dynamics/contact_group.h
typedef struct iso__plane_pose_group iso__plane_pose_group;       // plane/dynamics/contact_pose.h
typedef struct iso__plane_pair_block iso__plane_pair_block;       // plane/dynamics/pair_block.h

/// How a contact's surfaces act in this tick.
typedef struct iso__plane_contact_surface {
    int32_t friction;    // Q4.28
    int32_t restitution; // Q4.28
    int32_t speed;       // [m/s] Q12.19: the velocity along the tangent that friction aims at
    int32_t tie_step;    // 1: the contact keeps its pose, and ties in its rows are broken; else 0
} iso__plane_contact_surface;

typedef struct iso__plane_colour {
    uint32_t group_begin, group_end;
    uint32_t joint_begin, joint_end; // in joint_works
    uint32_t hinge_begin, hinge_end; // in hinge_rows
    uint32_t plain_begin, plain_end; // in plain_rows
} iso__plane_colour;

struct iso__plane_step_scratch {
    const struct iso__plane_kernels *kernels; // of the world's instruction set, NULL: none; plane/dynamics/kernels.h
    iso__step_params params;
    iso__plane_motion *motions; // per body, and one more for "the world" at body_capacity
    iso__plane_drift *drifts;   // per body
    int32_t (*pushes)[3];       // per body: velocity and spin per substep from this tick's forces
    uint32_t *moving;           // awake dynamic and moving kinematic bodies, ascending
    uint32_t moving_count;
    int64_t *limits;       // per moving body: the fraction of its way that it went, Q.32; plane/dynamics/continuous.c
    uint64_t *moving_bits; // the same as bits, from the beginning of the step on
    uint64_t *listed_bits; // of the step for which the joints were listed
    uint32_t listed_count; // of its bodies
    uint32_t *targets;     // shapes that bullets may meet in this step, ascending; plane/dynamics/continuous.c
    iso__plane_box *target_boxes; // of their ways
    uint32_t *near_targets;       // those of them that a bullet comes near, by their places there
    uint32_t target_count;
    bool has_moving_kinematic;
    uint64_t *woken_sets;   // a bit per set of bodies that wakes or stays awake, at its lowest body
    uint64_t *carried_sets; // a bit per island that contacts carry, as above
    int64_t *gains;         // per island, at its lowest body: the sum of its bodies' quiet_gain
    uint64_t *pulled_bits;  // bodies that a joint brings to somewhere else; plane/joint/drive.c

    iso__plane_contact *contacts_next; // exchanged with world->contacts
    uint32_t *contact_manifolds_next;  // exchanged with world->contact_manifolds
    uint32_t *solved;                  // the contacts with a moving body, ascending; the others only stay
    uint32_t solved_count;
    iso__plane_manifold *manifolds;       // of the solved contacts, in their order
    iso__plane_manifold *manifolds_last;  // of the last step; exchanged with these
    iso__plane_contact_surface *surfaces; // of the solved contacts, in their order
    uint32_t free_count;                  // of the solved contacts, those of the colour ISO__PLANE_COLOUR_NONE
    int32_t (*impulse_maxima)[2];         // likewise [m/s] Q12.19, for a game with after_contact
    iso__plane_pair_block *pair_blocks;   // of the pairs of the broad phase, likewise; plane/dynamics/pair_block.h
    uint8_t *pair_findings;               // per pair of the broad phase, of several threads; plane/dynamics/collide.c
    iso__plane_known_turns turns;         // of the thread that steps the world
    uint32_t *body_heads;                 // per dynamic body: its first link, of contacts; seam.c and impact_held.c
    uint32_t *body_counts;                // per dynamic body: its links
    uint32_t *body_links;                 // two of each contact
    uint8_t *seam_marks;      // two of each contact: what its bodies' other contacts hide of it; plane/dynamics/seam.c
    uint8_t *contact_colours; // of the solved contacts
    uint32_t *contact_places; // of those with rows: group times the lanes of a group, plus lane
    uint64_t *contact_keys;   // of the solved contacts: ISO__PLANE_CONTACT_KEY_SENSOR, body a << 32, body b
    uint32_t contact_key_count;
    bool has_same_contacts; // the keys are those of the last step, and the same contacts have rows
    bool has_same_rules;    // no game was asked, and no surface or impulse was changed from outside since the last step
    bool has_same_joints;   // the joints, their bodies' types and the moving bodies are those of the last step
    bool has_islands;       // those of the last step still stand in world->islands
    iso__pair *excluded_pairs; // body pairs whose joints keep their shapes from colliding, sorted; shapes 0
    uint32_t excluded_count;

    uint32_t *colour_masks; // per body: its colours
    uint32_t *joint_masks;  // per body: those of its joints
    iso__plane_contact_group *groups;
    uint32_t group_count;
    bool has_moved; // bodies have, in an earlier substep of this step: the points of groups have a separation_now
    uint32_t *group_order; // by their first contacts: so close to the contacts' order, in which these stand in memory
    uint32_t *bouncing;    // places of the contacts with restitution, in key order
    uint32_t bouncing_count;
    bool has_new_places;  // contacts have other places than in the last step: the preparation completes their groups
    bool has_restitution; // some contact of the step has; the impacts leave of `bouncing` those of free bodies
    uint8_t *is_held;     // per body: a joint or a contact without restitution holds it; plane/dynamics/impact_held.c
    iso__plane_colour colours[ISO__COLOURS + 1];
    uint8_t used_colours[ISO__COLOURS + 1]; // those that have constraints, in the order of solving: few of many
    uint32_t used_colour_count;
    iso__plane_joint_ref *joints; // in the order of their indices
    uint32_t joint_count, joint_work_count, hinge_count, plain_count;
    uint64_t joint_clamps;              // velocities that rows of joints have clamped
    uint32_t *joint_order;              // of joints: by colour, in a colour works, hinges, plain ones, then by index
    iso__plane_joint_work *joint_works; // those of no form of their own, in the order of solving
    iso__plane_custom_work *customs;    // by the indices of custom_joints
    iso__plane_axis *axes;              // of the works, at most ISO__PLANE_JOINT_AXES of each
    iso__plane_joint_pair *hinge_pairs; // the hinges, in the order of solving: once a substep
    iso__plane_hinge_row *hinge_rows;   // in each pass
    uint32_t *hinge_joints;             // indices of their records
    iso__plane_joint_pair *plain_pairs; // the plain ones, in the order of solving: once a substep
    iso__plane_plain_row *plain_rows;   // in each pass
    uint32_t *plain_joints;             // indices of their records
    iso_rotation *rotations;            // per body with a joint: in this substep
    uint8_t *has_joint;                 // per body
    int64_t *spring_sums;               // per body with springs, Q31.32; plane/joint/spring_sum.c
};

#define ISO__PLANE_CONTACT_KEY_SENSOR (UINT64_C(1) << 63)

/// The bodies of a solved contact.
static inline uint32_t iso__plane_contact_key_a(uint64_t key) {
    return (uint32_t)(key >> 32) & (UINT32_MAX >> 1);
}

static inline uint32_t iso__plane_contact_key_b(uint64_t key) {
    return (uint32_t)key;
}

/// Within a step: awake and dynamic, or kinematic with a velocity.
static inline bool iso__plane_body_is_moving(const iso__plane *plane, uint32_t body) {
    return iso__bit_is_set(plane->scratch->moving_bits, body);
}

#endif
