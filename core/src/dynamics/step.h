/// What the stages of one step share. All of it is scratch: nothing here outlives the step but by iso__profile
/// and the islands.
#ifndef ISO_DYNAMICS_STEP_H
#define ISO_DYNAMICS_STEP_H

#include "collide/broad_phase.h"
#include "collide/manifold.h"
#include "dynamics/world.h"

#define ISO__COLOUR_COUNT    32u
#define ISO__COLOUR_DYNAMIC  24u // colours 0 to 23: joints and contacts of two dynamic bodies; the rest: with static ones
#define ISO__COLOUR_OVERFLOW 32u // constraints that found no colour; solved first, one after the other
#define ISO__LANES           8u  // contacts per group: as many as the widest vector kernel takes at once

/// Soft constraint coefficients for one substep: Source: Catto, "Soft Constraints", GDC 2011, in the form of
/// the soft step: with w = 2 pi hertz, a1 = 2 zeta + h w, a2 = h w a1: rate = w / a1, mass scale = a2 / (1 + a2),
/// impulse scale = 1 / (1 + a2).
typedef struct iso__softness {
    int32_t bias_rate;     // mass scale * rate [1/s] Q11.20
    int32_t mass_scale;    // Q2.30
    int32_t impulse_scale; // Q2.30
} iso__softness;

typedef struct iso__step_params {
    uint32_t substep_count;
    int32_t substep_rate;       // n [Hz]; h = 1/n
    int32_t h;                  // [s] Q.36
    int32_t gravity[2];         // velocity in this substep [m/s] Q12.19; set by the step
    int64_t place;              // of the substep within the second, from 0; set by the step
    iso__softness contact_soft; // of two dynamic bodies
    iso__softness static_soft;  // with a static or kinematic one
    iso__softness joint_soft;   // of rigid joints
    int32_t push;               // [m/s] Q12.19
    int32_t restitution_threshold;
    iso__manifold_settings manifold;
} iso__step_params;

/// A body within the step. Gathered and scattered as 32 bytes by the contact kernels.
#define ISO__MOTION_PLAIN   1 // dynamic, and gravity and forces are all that acts on it
#define ISO__MOTION_SPECIAL 2 // dynamic, with damping, a gravity of its own or a lock
#define ISO__MOTION_GONE    3 // came to the border of the world in this step

typedef struct iso__motion {
    int32_t velocity[2]; // [m/s] Q12.19
    int32_t spin;        // [m/s] Q12.19
    int32_t moved[2];    // [m] Q7.24 since the step began
    int32_t turned;      // [m] Q7.24: the angle times L since the step began
    int32_t spin_max;    // [m/s] Q12.19: an eighth of a turn per substep, at most 512
    int32_t kind;        // ISO__MOTION_..., 0: nothing moves it within the step
} iso__motion;

/// Where the motion accumulates without loss.
typedef struct iso__drift {
    int64_t moved[2]; // [m] Q31.32
    int64_t turned;   // [m] Q31.32
} iso__drift;

typedef struct iso__pair_lane {
    int32_t lo, hi;
} iso__pair_lane;

/// One contact point in eight contacts. Pairs of coefficients share a 64-bit lane, because a vector multiply
/// takes the lower 32 bits of each 64-bit lane and a logical shift brings the upper ones down.
typedef struct iso__point_lanes {
    iso__pair_lane normal_a[ISO__LANES];  // rn of A (Q2.30), gn of A (Q9.22)
    iso__pair_lane normal_b[ISO__LANES];
    iso__pair_lane tangent_a[ISO__LANES]; // rt, gt
    iso__pair_lane tangent_b[ISO__LANES];
    iso__pair_lane mass[ISO__LANES];      // 1/K of the normal and of the tangent, Q2.30
    iso__pair_lane impulse[ISO__LANES];   // j of the normal and of the tangent, Q12.19
    int32_t separation[ISO__LANES];       // [m] Q7.24 at the start of the step
    int32_t approach[ISO__LANES];         // normal velocity before the step, Q12.19
    int32_t impulse_max[ISO__LANES];      // the largest normal impulse of the step: did it touch at all
} iso__point_lanes;

/// Eight contacts of one colour. Unused lanes stand at the end.
typedef struct iso__contact_group {
    uint32_t body_a[ISO__LANES];
    uint32_t body_b[ISO__LANES];
    uint32_t contact[ISO__LANES];        // number among the solved contacts, to store its impulses
    iso__pair_lane normal[ISO__LANES];   // x and y, Q2.30
    iso__pair_lane share[ISO__LANES];    // alpha of A and of B, Q2.30
    iso__pair_lane surface[ISO__LANES];  // friction and restitution, Q4.28
    iso__point_lanes points[2];
    uint32_t count;
    bool bounces; // some contact has restitution
} iso__contact_group;

typedef struct iso__joint_work iso__joint_work; // joint/rows.h
typedef struct iso__joint_pair iso__joint_pair;
typedef struct iso__point_row iso__point_row;
typedef struct iso__plain_row iso__plain_row;
typedef struct iso__joint_axis iso__joint_axis;
typedef struct iso__custom_work iso__custom_work; // joint/custom.h

/// A joint that works in this step. Kept apart from its rows: islands and colours read all of them, and little of each.
typedef struct iso__joint_ref {
    uint32_t joint;     // index of the record
    uint32_t bodies[4]; // def.body_capacity for the world, and for C and D of a joint of two bodies
    uint8_t colour;
    bool is_plain;      // then it is one of the plain ones, else one of the works
    bool can_break;
} iso__joint_ref;

typedef struct iso__colour {
    uint32_t group_begin, group_end;
    uint32_t joint_begin, joint_end; // in joint_works
    uint32_t plain_begin, plain_end; // in plain_rows
} iso__colour;

struct iso__step_scratch {
    iso__step_params params;
    iso__motion *motions;  // per body, and one more for "the world" at body_capacity
    iso__drift *drifts;    // per body
    int32_t (*pushes)[3];  // per body: velocity and spin per substep from this tick's forces
    uint32_t *moving;      // awake dynamic and moving kinematic bodies, ascending
    uint32_t moving_count;
    uint64_t *moving_bits; // the same as bits, from the begin of the step on
    bool has_moving_kinematic;
    uint64_t *roused;      // sets of bodies that wake, or stay awake, by their lowest body

    iso__contact *contacts_next;   // exchanged with world->contacts
    uint32_t *solved;              // the contacts with a moving body, ascending; the others only stay
    uint32_t solved_count;
    iso__manifold *manifolds;      // of the solved contacts, in their order
    uint8_t *contact_colours;      // of the solved contacts
    iso__pair *quiet_pairs;        // body pairs whose joints keep their shapes from colliding, sorted; shapes 0
    uint32_t quiet_count;
    bool quiet_is_valid;           // cleared when joints come and go

    uint32_t *colour_masks;        // per body
    iso__contact_group *groups;
    uint32_t group_count;
    iso__colour colours[ISO__COLOUR_COUNT + 1];
    uint8_t used_colours[ISO__COLOUR_COUNT + 1]; // those that have constraints, in the order of solving: few of many
    uint32_t used_colour_count;
    iso__joint_ref *joints;         // in the order of their indices
    uint32_t joint_count, joint_work_count, plain_count;
    uint64_t joint_clamps;          // velocities that rows of joints have clamped
    uint32_t *joint_order;          // of joints: by colour, in a colour the plain ones last, then by index
    iso__joint_work *joint_works;   // those that are not plain, in the order of solving
    iso__custom_work *customs;      // by the indices of custom_joints
    iso__joint_axis *axes;          // ISO__JOINT_AXES for each of the works
    iso__joint_pair *plain_pairs;   // the plain ones, in the order of solving: once a substep
    iso__plain_row *plain_rows;     // in each pass
    uint32_t *plain_joints;         // indices of their records
    iso_rotation *rotations;       // per body with a joint: in this substep
    uint8_t *has_joint;            // per body
};

/// Stages; step.c calls them in this order.
void iso__contact_limit_apply(iso_world *world); // contact_limit.c: members with too many contact points lose bodies
void iso__step_collide(iso_world *world, iso__pair_list pairs); // contact.c: manifolds and contacts; may wake islands
void iso__step_find_islands(iso_world *world);                  // island.c
void iso__step_build_graph(iso_world *world);                   // graph.c: colours
void iso__step_prepare_contacts(iso_world *world);              // contact_prepare.c

/// The passes over one colour's contact groups; contact_solver.c.
void iso__contacts_warm_start(iso__step_scratch *scratch, const iso__colour *colour);
void iso__contacts_solve(iso__step_scratch *scratch, const iso__colour *colour);
void iso__contacts_relax(iso__step_scratch *scratch, const iso__colour *colour);
void iso__contacts_restitute(iso__step_scratch *scratch, const iso__colour *colour);
void iso__contacts_store(iso_world *world);

/// What follows from the world's definition alone, which never changes: computed once, for its divisions.
void iso__step_params_make(const iso_world_def *def, iso__step_params *params);
iso__softness iso__softness_make(iso_wide hertz, iso_wide damping_ratio, int32_t substep_rate);

#endif
