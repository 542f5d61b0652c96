/// Contacts in space as their kernels take them: eight at a time. contact_rows.c has the letters.
#ifndef ISO_SPACE_DYNAMICS_CONTACT_GROUP_H
#define ISO_SPACE_DYNAMICS_CONTACT_GROUP_H

#include "solver/pair_lane.h"
#include "space/world/scratch.h"

/// How a row turns both bodies, in eight contacts: the components of the arm rn = (r x n)/L [lo, Q2.30] and of the gain
/// g = aG rn [hi, Q9.22].
typedef struct iso__space_turn_lanes {
    iso__pair_lane a[3][ISO__LANES], b[3][ISO__LANES];
} iso__space_turn_lanes;

/// One contact point in eight contacts. Where a contact has fewer points, all is zero.
typedef struct iso__space_point_lanes {
    iso__space_turn_lanes turn;
    iso__pair_lane impulse[ISO__LANES]; // lo: j [m/s] Q12.19; hi: 1/K Q2.30
    int32_t separation[ISO__LANES];     // [m] Q7.24, when the step began
    int32_t separation_now[ISO__LANES]; // at the poses of the last relax pass, cut to where the bias is at its limits
    int32_t lever[ISO__LANES];          // rho_p / rho Q2.30
    int32_t approach[ISO__LANES];       // [m/s] Q12.19, the normal velocity before the step
    int32_t impulse_max[ISO__LANES];    // the largest impulse of the step, of groups that note them
    int32_t impulse_sum[ISO__LANES];    // of its substeps, of groups that bounce; saturates
} iso__space_point_lanes;

/// Eight contacts of one colour. Unused lanes stand at the end, with the first lane's bodies and all else zero.
typedef struct iso__space_contact_group {
    uint32_t body_a[ISO__LANES], body_b[ISO__LANES];
    iso__pair_lane normal[2][ISO__LANES];   // n: x and y; z and friction Q4.28
    iso__pair_lane tangents[3][ISO__LANES]; // t1: x and y; t1 z and t2 x; t2: y and z; all Q2.30
    iso__pair_lane share[ISO__LANES];       // alpha of A and of B, Q2.30
    iso__space_point_lanes points[ISO__SPACE_MANIFOLD_POINTS];
    iso__space_turn_lanes friction[2];           // along t1 and t2, at the middle of the points
    iso__pair_lane friction_impulse[ISO__LANES]; // along t1 and t2 [m/s] Q12.19
    int32_t friction_mass[3][ISO__LANES];        // the inverse of the 2x2 K: 11, 12, 22, Q2.30
    int32_t friction_step[ISO__LANES];           // Q2.30: at most one over K's larger eigenvalue
    iso__space_turn_lanes twist_turn;            // with the arm n rho / L
    iso__pair_lane twist[ISO__LANES];            // lo: j [m/s] Q12.19; hi: 1/K Q11.20, 0: one point, no twist
    int32_t radius[ISO__LANES];                  // rho [m] Q7.24: of the point that is farthest from the middle
    int32_t restitution[ISO__LANES];             // Q4.28
    int32_t surface[2][ISO__LANES];              // along t1 and t2 [m/s] Q12.19: how fast A's surface carries B
    uint32_t contact[ISO__LANES];                // its number among the world's
    uint32_t count;
    uint32_t point_count;     // of the contact with the most points
    uint8_t moves_a, moves_b; // a bit per contact whose body the solver moves
    bool bounces;             // some contact has restitution
    bool notes;               // the largest impulses are wanted
    bool carries;             // some surface moves; else `surface` is not read
    uint8_t unused[19];       // so that the groups begin at cache lines
} iso__space_contact_group;
_Static_assert(sizeof(iso__space_contact_group) % 64 == 0, "see `unused`");

/// Restitution applies only to points that had an impulse in the step, even if the last substep has none; so does the
/// event of a contact that begins. Games are told the largest ones.
static inline void iso__space_group_note_impulses(iso__space_contact_group *group) {
    for (uint32_t p = 0; p < group->point_count; ++p) {
        iso__space_point_lanes *point = &group->points[p];
        for (uint32_t i = 0; i < group->count; ++i) {
            const int32_t j = point->impulse[i].lo;
            point->impulse_max[i] = point->impulse_max[i] < j ? j : point->impulse_max[i];
        }
    }
}

/// At the end of a substep: a restitution gives back a share of all that has stopped a point.
static inline void iso__space_group_sum_impulses(iso__space_contact_group *group) {
    for (uint32_t p = 0; p < group->point_count; ++p) {
        iso__space_point_lanes *point = &group->points[p];
        for (uint32_t i = 0; i < group->count; ++i) {
            const int64_t sum = (int64_t)point->impulse_sum[i] + point->impulse[i].lo;
            point->impulse_sum[i] = sum > INT32_MAX ? INT32_MAX : (int32_t)sum;
        }
    }
}

#endif
