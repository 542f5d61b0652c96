/// What the stages of one step in space share.
#ifndef ISO_SPACE_WORLD_SCRATCH_H
#define ISO_SPACE_WORLD_SCRATCH_H

#include "solver/params.h"
#include "space/collide/box.h"
#include "space/collide/manifold.h"
#include "space/world/space.h"
#include "step/colour.h"
#include "step/pair.h"

/// A body within the step. Of what nothing moves within the step all is zero.
typedef struct iso__space_motion {
    int32_t velocity[3]; // [m/s] Q12.19
    int32_t spin[3];     // [m/s] Q12.19, the angular velocity times L
    int32_t moved[3];    // [m] Q7.24 since the step began
    int32_t turned[3];   // [m] Q7.24, the sum of the spins' ways since the step began
    int32_t spin_max;    // [m/s] Q12.19, of the spin's length
    bool is_dynamic;
    bool is_gone; // came to the border of the world in this step
    uint8_t unused[10];
} iso__space_motion;
_Static_assert(sizeof(iso__space_motion) == 64, "the kernels gather a body by three times 16 bytes of one cache line");

/// Where the motion accumulates without loss.
typedef struct iso__space_drift {
    int64_t moved[3];    // [m] Q31.32
    int64_t turned[3];   // [m] Q31.32
    int64_t momentum[3]; // as in the record
    int32_t q[4];        // from the principal axes to the world, Q2.30
    int32_t axes[9];     // its matrix
    int32_t before[3];   // the spin that the momentum was last the momentum of
    int32_t push[3];     // [m/s] Q12.19: the velocity that this tick's forces add in each substep
    int64_t torque[3];   // [m/s] Q23.40: the momentum that this tick's torques add in each substep
    bool has_turned;     // q is not what the record's rotation was
    bool is_free;        // it neither touches nor is joined to anything in this tick
    int32_t began[3];    // [m/s] Q12.19: the velocity before the present substep
    int64_t from[3];     // [m] Q31.32: the position before the step
    int32_t from_q[4];   // the record's rotation before the step
    int64_t limit; // Q.32: the fraction of the step's way where the body has met something; space/dynamics/continuous.c
} iso__space_drift;

/// What the rows of a contact need of a moving body, once per tick.
typedef struct iso__space_gain {
    int32_t tensor[6]; // m L^2 I^-1 in the world's frame: xx, xy, xz, yy, yz, zz, value 2^-shift
    int32_t half[6];   // its half, Q9.22 times 2^-extra: a share of two bodies of the same mass, as most are
    iso_wide mass;     // [kg]; 0 unless dynamic
    uint8_t shift;
    uint8_t extra;          // bits by which a share of the tensor would exceed Q9.22: of thin bodies
    int8_t radius_exponent; // k of L = 2^k [m]
    uint8_t unused[5];
} iso__space_gain;
_Static_assert(sizeof(iso__space_gain) == 64, "one cache line per body");

/// All pairs of shapes whose fat boxes overlap, in the order of their keys. As long as no shape leaves its fat box, a
/// tick's pairs are among them.
typedef struct iso__space_near {
    iso__space_box *fat; // per shape
    iso__pair *pairs;
    uint32_t count;
    uint32_t capacity;
    bool is_listed;  // else the tick's pairs are found among all shapes
    uint32_t builds; // one tick after the other
    uint32_t wait;   // ticks until it is worth listing them again
} iso__space_near;

/// How far a body goes in a tick at its velocity. Of what does not move all is zero.
typedef struct iso__space_tick_way {
    int32_t moved[3];  // [m] Q7.24
    int32_t turned[3]; // [rad] Q7.24
} iso__space_tick_way;

/// What a contact does in a tick of a world whose game is asked about contacts.
typedef struct iso__space_contact_rule {
    int32_t friction, restitution; // Q4.28
    int32_t surface[3];            // [m/s] Q12.19: the velocity at which A's surface carries B
    bool is_enabled;               // it has rows
} iso__space_contact_rule;

struct iso__space_scratch {
    iso__step_params params;
    int32_t fall[3];            // [m/s] Q12.19: what gravity adds in this substep
    iso__space_motion *motions; // per body, and one of the world itself
    iso__space_drift *drifts;
    uint32_t *moving; // indices of the moving bodies, ascending
    uint32_t moving_count;
    uint64_t *moving_bits;

    // Caches: functions of shapes and poses.
    iso__space_collider *colliders; // per shape
    iso__space_box *boxes;          // likewise, grown by half the speculative distance
    iso__space_near near;           // pairs that may become the tick's

    // Per contact of the last tick: its manifold when it has a pose, else one without points. It follows from the pose,
    // which follows from the shapes and from where the bodies' centres are; so what changes these forgets it.
    iso__space_manifold *known;
    bool knows_manifolds;
    bool has_poses; // whether a contact may have one

    // One tick's.
    iso__space_tick_way *tick_ways;     // per body
    uint32_t *pair_contacts;            // per pair: its first contact of the last tick, UINT32_MAX: none
    uint64_t *order, *order_room;       // of shapes, by where their boxes begin
    iso__space_box *ordered;            // the boxes in this order
    uint64_t *excluded, *excluded_room; // pairs of bodies that joints keep from colliding
    uint32_t excluded_count;
    iso__pair *pairs;
    uint32_t pair_capacity;
    iso__space_contact *contacts_next;
    iso__space_manifold *manifolds; // per pair, and behind these room for further ones of pairs with heights
    uint32_t
        *pair_children; // per pair with heights: where its further manifolds are, UINT32_MAX: it may have none; else 0
    uint32_t *contact_manifolds;    // per contact: the number of its manifold, UINT32_MAX: it sleeps
    iso__space_contact_rule *rules; // per contact that has a manifold; NULL: no game is asked
    int32_t (*impulse_maxima)[ISO__SPACE_CONTACT_POINTS]; // per contact [m/s] Q12.19; NULL: no game is told
    struct iso__space_contact_group *groups;              // space/dynamics/contact_group.h
    uint32_t group_count;
    iso__group_range colour_groups[ISO__COLOURS + 1]; // of each colour
    uint32_t *contact_colours;                        // per contact with rows: its number times 64, and its colour
    const struct iso__space_kernels *kernels;         // space/dynamics/kernels.h; NULL: the scalar code
    iso__space_gain *gains;                           // per body
    uint32_t *body_heads;                             // per moving body: its first link, of contacts; seam.c
    uint32_t *body_links;                             // two of each contact
    uint32_t *colour_masks;                           // per body
    uint64_t *woken_sets;                             // a bit per body: an island that must not sleep
    uint64_t *carried_sets;                           // likewise: one that contacts carry
    uint64_t *pulled_bits;                            // a bit per body: joints bring it somewhere
    int64_t *quiet_gains;                   // per island, at its lowest body: the sum of its bodies' quiet_gain
    struct iso__space_joint_work *joints;   // space/joint/work.h: those with rows, in ascending order of their records
    struct iso__space_custom_work *customs; // space/joint/custom.h: per record of a joint of functions or programs
    uint32_t joint_count;
    uint64_t joint_clamps; // of velocities, in this step
    uint32_t sweep_count;  // of this step's bullets
    uint32_t heights_work; // of this step's sweeps against fields of heights; space/dynamics/sweep.c
    uint32_t *obstacles;   // shapes that what is fast may meet in this step, ascending; space/dynamics/continuous.c
    iso__space_box *obstacle_boxes; // of their ways
    uint32_t obstacle_count;
};

#endif
