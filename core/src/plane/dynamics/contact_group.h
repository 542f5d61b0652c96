/// Contacts as their kernels take them: eight at a time.
#ifndef ISO_PLANE_DYNAMICS_CONTACT_GROUP_H
#define ISO_PLANE_DYNAMICS_CONTACT_GROUP_H

#include "math/fixed_ops.h"
#include "plane/world/scratch.h"
#include "solver/pair_lane.h"

#define ISO__PLANE_SCALE_MAX 6 // the largest k of a body's radius L = 2^k

/// One contact point in eight contacts.
typedef struct iso__plane_point_lanes {
    iso__pair_lane normal_a[ISO__LANES]; // rn of A (Q2.30), gn of A (Q9.22)
    iso__pair_lane normal_b[ISO__LANES];
    iso__pair_lane tangent_a[ISO__LANES]; // rt, gt
    iso__pair_lane tangent_b[ISO__LANES];
    iso__pair_lane mass[ISO__LANES];    // 1/K of the normal and of the tangent, Q2.30
    iso__pair_lane impulse[ISO__LANES]; // j of the normal and of the tangent, Q12.19
    int32_t separation[ISO__LANES];     // [m] Q7.24 at the start of the step
    int32_t separation_now[ISO__LANES]; // at the poses of the last relax pass, cut to where the bias is at its limits
    int32_t approach[ISO__LANES];       // normal velocity before the step, Q12.19
    int32_t impulse_max[ISO__LANES];    // the largest normal impulse of the step: did it touch at all
} iso__plane_point_lanes;

/// Eight contacts of one colour. Unused lanes stand at the end, with the first lane's bodies and contact.
///
/// Bodies, contacts, shares, gains, scales, count and moves follow from the colours and from the bodies' masses, and
/// stay as long as these do (has_same_joints and has_same_contacts). So do, of a contact that keeps its manifold, the
/// normal, the rows' coefficients and masses. All else is made in every tick.
typedef struct iso__plane_contact_group {
    uint32_t body_a[ISO__LANES];
    uint32_t body_b[ISO__LANES];
    iso__pair_lane normal[ISO__LANES];  // x and y, Q2.30
    iso__pair_lane share[ISO__LANES];   // alpha of A and of B, Q2.30
    iso__pair_lane gain[ISO__LANES];    // L^2/(I sigma) of A and of B, Q9.22
    iso__pair_lane scale[ISO__LANES];   // 6 - k of A and of B, where L = 2^k
    iso__pair_lane surface[ISO__LANES]; // friction and restitution, Q4.28
    uint32_t contact[ISO__LANES];       // number among the solved contacts, to store its impulses
    int32_t drive[ISO__LANES];          // [m/s] Q12.19: the velocity along the tangent that friction aims at
    iso__plane_point_lanes points[2];
    uint32_t count;
    uint8_t moves_a, moves_b; // a bit per contact whose body the solver moves
    bool bounces;             // some contact has restitution
    bool notes_impulses;      // some contact bounces or did not touch before the step, or is told: impulse_max is kept
    uint8_t filled;           // a bit per contact whose coefficients are those of its manifold, at both points
    bool touches;             // all contacts did at the end of the last step
    uint8_t unused[54];       // so that the vectors of all groups begin at cache lines
} iso__plane_contact_group;
_Static_assert(sizeof(iso__plane_contact_group) % 64 == 0 && sizeof(iso__plane_point_lanes) % 64 == 0, "see `unused`");

/// Restitution applies only to points that had an impulse in the step, and shapes touch that had one, even if the last
/// substep has none.
static inline void iso__plane_group_note_impulses(iso__plane_contact_group *group) {
    for (int p = 0; p < 2; ++p) {
        iso__plane_point_lanes *point = &group->points[p];
        for (uint32_t i = 0; i < group->count; ++i) {
            point->impulse_max[i] = iso__max32(point->impulse_max[i], point->impulse[i].lo);
        }
    }
}

#endif
