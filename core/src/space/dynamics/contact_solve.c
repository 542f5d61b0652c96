/// See contact_solve.h. The relative velocity is projected on n, t1 and t2 once; a row then moves
///
///   u += dj          wA -= gA dj          wB += gB dj
///
/// with w kept in Q.41, the exact product of g and j, so that only the end rounds it; vA -= aA P, vB += aB P follow
/// once with P the sum of the changes.
///
/// The rows, with h the substep, s a point's separation, mu the friction, and ms, rate, is of soft contacts
/// (solver/softness.h). Velocities and impulses are in m/s, Q12.19:
///
///   vn = un + wB.rnB - wA.rnA,   v1, v2 likewise along t1 and t2, less the surface's speed;   vw = wB.rwB - wA.rwA
///
///   normal       s > 0          j' = max(0, j - (vn + s/h)/K)
///                s <= 0, solve  j' = max(0, j - (ms vn + max(ms rate s, -push))/K - is j)
///                s <= 0, relax  j' = max(0, j - vn/K)
///   twist        relax          j' = j - vw/K, cut to +-mu (sum of j_p rho_p/rho)
///   friction     relax          (j1', j2') = (j1, j2) - K^-1 (v1, v2), which stops it; where that is longer than mu
///                               (sum of j_p), shortened to it, and turned towards (j1, j2) - (v1, v2)/k as far as
///                               (v1, v2)/k is between one and two and a half times that long; k at least K's larger
///                               eigenvalue
///   restitution  at the end     j' = max(0, j - (vn + e v0)/K), v0 < 0 what vn was before the step, at most what
///                               point_rebound_max allows
///
/// Ranges: n.(vB - vA) is below 2 sqrt(3) 400, what both spins add too, and bias, is j and j are below 400 each: 3,971
/// of 4,096, so that no sum of a row wraps. Across the normal the linear part is below 1,386 as a vector and what the
/// spins add below 1,386 a row, so that the vector of both rows and j is below 3,750, and with a surface of up to 139
/// m/s below 3,889. A spin may leave its range within a contact; sums wrap, and the end clamps.
///
/// So friction is opposite to the velocity of what slides: steps along the velocity that are shortened come to rest
/// there. Those of K^-1 come to rest along K^-1 (v1, v2), which pushes an oblong body aside, 0.4 m over a way of 3.6 m.
/// But of what hardly moves they stop more: with steps along the velocity alone fewer heaps of capsules fall asleep.
///
/// contact_kernel.h does the same in lanes, bit for bit.
#include "space/dynamics/contact_solve.h"

#include "base/assert.h"
#include "solver/parallel.h"
#include "space/dynamics/contact_lane.h"
#include "space/dynamics/kernels.h"

#define RESTITUTE_PASSES 8
#define GROUP_GRAIN      6u // of 1 to 3 us together: what it takes to hand a piece to another thread

// ---- normals -------------------------------------------------------------------------------------

/// s = s0 + n.(xB - xA) + tB rnB - tA rnA: to first order, as in the plane.
ISO__ALWAYS_INLINE int32_t point_separate(const iso__space_lane *lane, const iso__space_point_lanes *point, uint32_t i,
                                          const iso__step_params *params) {
    int64_t sum = iso__shl64(point->separation[i], 30); // Q.54: at most 2^57 each
    for (int c = 0; c < 3; ++c) {
        sum += (int64_t)lane->n[c] * iso__sub32(lane->b->moved[c], lane->a->moved[c]);
        sum +=
            (int64_t)point->turn.b[c][i].lo * lane->b->turned[c] - (int64_t)point->turn.a[c][i].lo * lane->a->turned[c];
    }
    return (int32_t)iso__clamp64(iso__round_shift(sum, 30), params->deepest, params->farthest);
}

ISO__ALWAYS_INLINE int32_t point_bias(int32_t s, int32_t rate) {
    return (int32_t)iso__min64(iso__round_shift((int64_t)s * rate, 25), ISO__SPACE_SPEED_MAX);
}

ISO__ALWAYS_INLINE void point_push(iso__space_lane *lane, iso__space_point_lanes *point, uint32_t i, int32_t change) {
    const int32_t j = iso__clamp32(iso__sub32(point->impulse[i].lo, change), 0, ISO__SPACE_IMPULSE_MAX);
    const int32_t dj = j - point->impulse[i].lo;
    point->impulse[i].lo = j;
    if (dj != 0) {
        lane->un = iso__add32(lane->un, dj);
        iso__space_lane_turn(lane, &point->turn, i, dj);
    }
}

/// With soft bias.
ISO__ALWAYS_INLINE void point_solve(iso__space_lane *lane, iso__space_point_lanes *point, uint32_t i,
                                    const iso__step_params *params, const iso__softness *soft) {
    const int32_t s = point->separation_now[i];
    const int32_t velocity = iso__space_lane_velocity(lane, lane->un, &point->turn, i);
    const int32_t rate = s > 0 ? params->substep_rate << 20 : soft->bias_rate;
    const int32_t mass_scale = s > 0 ? ISO__UNIT_ONE : soft->mass_scale;
    const int32_t impulse_scale = s > 0 ? 0 : soft->impulse_scale;
    const int32_t bias = iso__max32(point_bias(s, rate), -params->push);
    const int32_t wanted = iso__add32(iso__space_unit_round((int64_t)mass_scale * velocity), bias);
    const int64_t change = (int64_t)wanted * point->impulse[i].hi + (int64_t)impulse_scale * point->impulse[i].lo;
    point_push(lane, point, i, iso__space_unit_round(change));
}

/// Without bias but for what is apart, at new poses.
ISO__ALWAYS_INLINE void point_relax(iso__space_lane *lane, iso__space_point_lanes *point, uint32_t i,
                                    const iso__step_params *params) {
    const int32_t s = point_separate(lane, point, i, params);
    point->separation_now[i] = s;
    const int32_t velocity = iso__space_lane_velocity(lane, lane->un, &point->turn, i);
    const int32_t bias = point_bias(iso__max32(s, 0), params->substep_rate << 20);
    point_push(lane, point, i, iso__space_unit_round((int64_t)iso__add32(velocity, bias) * point->impulse[i].hi));
}

// ---- friction ------------------------------------------------------------------------------------

/// A sum of normal impulses times friction. Rounded: bounds that are floored let what slides come too far.
ISO__ALWAYS_INLINE int32_t friction_limit(int32_t sum, int32_t friction) {
    const int64_t limit = iso__round_shift((int64_t)sum * friction, ISO__FRICTION_FRACTION);
    return (int32_t)iso__min64(limit, ISO__SPACE_IMPULSE_MAX);
}

ISO__ALWAYS_INLINE void contact_twist(iso__space_lane *lane, iso__space_contact_group *group, uint32_t i) {
    if (group->twist[i].hi == 0) {
        return;
    }
    int32_t sum = 0;
    for (uint32_t p = 0; p < group->point_count; ++p) {
        sum += iso__space_unit_round((int64_t)group->points[p].impulse[i].lo * group->points[p].lever[i]);
    }
    const int64_t limit = friction_limit(sum, group->normal[1][i].hi);
    const int32_t velocity = iso__space_lane_velocity(lane, 0, &group->twist_turn, i);
    const int64_t wanted =
        iso__shl64(group->twist[i].lo, ISO__SPACE_TWIST_MASS) - (int64_t)velocity * group->twist[i].hi;
    const int32_t j = (int32_t)iso__clamp64(iso__round_shift(wanted, ISO__SPACE_TWIST_MASS), -limit, limit);
    const int32_t dj = j - group->twist[i].lo;
    group->twist[i].lo = j;
    iso__space_lane_turn(lane, &group->twist_turn, i, dj);
}

ISO__ALWAYS_INLINE void contact_rub(iso__space_lane *lane, iso__space_contact_group *group, uint32_t i) {
    int32_t sum = 0;
    for (uint32_t p = 0; p < group->point_count; ++p) {
        sum += group->points[p].impulse[i].lo;
    }
    const int32_t limit = friction_limit(sum, group->normal[1][i].hi);
    int32_t v1 = iso__space_lane_velocity(lane, lane->ut[0], &group->friction[0], i);
    int32_t v2 = iso__space_lane_velocity(lane, lane->ut[1], &group->friction[1], i);
    if (group->carries) {
        v1 = iso__sub32(v1, group->surface[0][i]);
        v2 = iso__sub32(v2, group->surface[1][i]);
    }
    const int32_t *i11 = group->friction_mass[0], *i12 = group->friction_mass[1], *i22 = group->friction_mass[2];
    iso__pair_lane *impulse = &group->friction_impulse[i];
    int32_t j1 = iso__sub32(impulse->lo, iso__space_unit_round(iso__mul32(i11[i], v1) + iso__mul32(i12[i], v2)));
    int32_t j2 = iso__sub32(impulse->hi, iso__space_unit_round(iso__mul32(i12[i], v1) + iso__mul32(i22[i], v2)));
    if (iso__space_lane_is_beyond(limit, j1, j2)) {
        int32_t j[2] = {j1, j2};
        iso__space_lane_slide(limit, group->friction_step[i], impulse, (const int32_t[2]){v1, v2}, j);
        j1 = j[0];
        j2 = j[1];
    }
    const int32_t dj1 = iso__sub32(j1, impulse->lo), dj2 = iso__sub32(j2, impulse->hi);
    *impulse = (iso__pair_lane){j1, j2};
    lane->ut[0] = iso__add32(lane->ut[0], dj1);
    lane->ut[1] = iso__add32(lane->ut[1], dj2);
    iso__space_lane_turn(lane, &group->friction[0], i, dj1);
    iso__space_lane_turn(lane, &group->friction[1], i, dj2);
}

// ---- contacts ------------------------------------------------------------------------------------

static void contact_warm_start(iso__space_motion *motions, const iso__space_contact_group *group, uint32_t i) {
    iso__space_lane lane;
    int32_t dn = 0;
    const int32_t dt[2] = {group->friction_impulse[i].lo, group->friction_impulse[i].hi};
    iso__space_lane_gather(&lane, motions, group, i, true);
    for (uint32_t p = 0; p < group->point_count; ++p) {
        const iso__space_point_lanes *point = &group->points[p];
        dn = iso__add32(dn, point->impulse[i].lo);
        iso__space_lane_turn(&lane, &point->turn, i, point->impulse[i].lo);
    }
    for (int n = 0; n < 2; ++n) {
        iso__space_lane_turn(&lane, &group->friction[n], i, dt[n]);
    }
    iso__space_lane_turn(&lane, &group->twist_turn, i, group->twist[i].lo);
    iso__space_lane_scatter(&lane, group, i, dn, dt);
}

static void contact_solve(iso__space_motion *motions, const iso__step_params *params, iso__space_contact_group *group,
                          uint32_t i) {
    const bool is_static = group->share[i].lo == 0 || group->share[i].hi == 0;
    const iso__softness *soft = is_static ? &params->static_soft : &params->contact_soft;
    iso__space_lane lane;
    iso__space_lane_gather(&lane, motions, group, i, false);
    const int32_t un = lane.un;
    for (uint32_t p = 0; p < group->point_count; ++p) {
        point_solve(&lane, &group->points[p], i, params, soft);
    }
    iso__space_lane_scatter(&lane, group, i, iso__sub32(lane.un, un), NULL);
}

static void contact_relax(iso__space_motion *motions, const iso__step_params *params, iso__space_contact_group *group,
                          uint32_t i) {
    iso__space_lane lane;
    iso__space_lane_gather(&lane, motions, group, i, true);
    const int32_t un = lane.un, ut[2] = {lane.ut[0], lane.ut[1]};
    for (uint32_t p = 0; p < group->point_count; ++p) {
        point_relax(&lane, &group->points[p], i, params);
    }
    contact_twist(&lane, group, i);
    contact_rub(&lane, group, i);
    const int32_t dt[2] = {iso__sub32(lane.ut[0], ut[0]), iso__sub32(lane.ut[1], ut[1])};
    iso__space_lane_scatter(&lane, group, i, iso__sub32(lane.un, un), dt);
}

static bool point_rebounds(const iso__space_point_lanes *point, uint32_t i, int32_t threshold) {
    return point->approach[i] <= -threshold && point->impulse_max[i] != 0;
}

/// The largest part of the rebound that adds no energy: what still has to stop the point, and e times all that does
/// (Poisson). -e v alone can be more: other points may have turned the point back already, or a spin that had no part
/// in the impact may have brought it there. Without this bound, elastic boxes without friction come to 48 times their
/// energy in half a minute.
static int64_t point_rebound_max(const iso__space_point_lanes *point, uint32_t i, int32_t restitution,
                                 int32_t velocity) {
    const int64_t rest = iso__round_shift(-(int64_t)iso__min32(velocity, 0) * point->impulse[i].hi, 30);
    const int64_t stops = point->impulse_sum[i] + rest; // below 2^33, restitution at most 2^28
    return rest + iso__round_shift(restitution * stops, ISO__FRICTION_FRACTION);
}

/// Brings a point from its velocity nearer to -e v. @param most  of the impulse that this may add to the point's
/// @return what it has added
static int32_t point_restitute(iso__space_lane *lane, iso__space_point_lanes *point, uint32_t i, int32_t restitution,
                               int32_t velocity, int64_t most) {
    const int32_t before = point->impulse[i].lo;
    const int64_t rebound = iso__round_shift((int64_t)restitution * point->approach[i], ISO__FRICTION_FRACTION);
    const int32_t wanted = iso__add32(velocity, (int32_t)rebound);
    const int32_t change = iso__space_unit_round((int64_t)wanted * point->impulse[i].hi);
    point_push(lane, point, i, (int32_t)iso__max64(change, iso__max64(-most, INT32_MIN)));
    return point->impulse[i].lo - before;
}

/// Once is not enough: the first point of a box that falls flat would take the others' share, and the box come back
/// lower, and spinning. Only within a contact: among balls that touch several others, further passes add energy.
static void contact_restitute(iso__space_motion *motions, int32_t threshold, iso__space_contact_group *group,
                              uint32_t i) {
    iso__space_lane lane;
    const int32_t restitution = group->restitution[i];
    int64_t left[ISO__SPACE_MANIFOLD_POINTS] = {0}; // of what each point may get
    int32_t changes = 1;
    iso__space_lane_gather(&lane, motions, group, i, false);
    const int32_t un = lane.un;
    for (int pass = 0; pass < RESTITUTE_PASSES && changes != 0; ++pass) {
        changes = 0;
        for (uint32_t p = 0; p < group->point_count; ++p) {
            iso__space_point_lanes *point = &group->points[p];
            if (!point_rebounds(point, i, threshold)) {
                continue;
            }
            const int32_t velocity = iso__space_lane_velocity(&lane, lane.un, &point->turn, i);
            left[p] = pass == 0 ? point_rebound_max(point, i, restitution, velocity) : left[p];
            const int32_t added = point_restitute(&lane, point, i, restitution, velocity, left[p]);
            left[p] -= added;
            changes |= added;
        }
    }
    iso__space_lane_scatter(&lane, group, i, iso__sub32(lane.un, un), NULL);
}

// ---- passes --------------------------------------------------------------------------------------

static void groups_warm_start(iso__space_scratch *scratch, uint32_t begin, uint32_t end) {
    for (uint32_t g = begin; g < end; ++g) {
        for (uint32_t i = 0; i < scratch->groups[g].count; ++i) {
            contact_warm_start(scratch->motions, &scratch->groups[g], i);
        }
    }
}

static void groups_solve(iso__space_scratch *scratch, uint32_t begin, uint32_t end) {
    for (uint32_t g = begin; g < end; ++g) {
        iso__space_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; ++i) {
            contact_solve(scratch->motions, &scratch->params, group, i);
        }
        if (group->notes) {
            iso__space_group_note_impulses(group);
        }
    }
}

static void groups_relax(iso__space_scratch *scratch, uint32_t begin, uint32_t end) {
    for (uint32_t g = begin; g < end; ++g) {
        iso__space_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; ++i) {
            contact_relax(scratch->motions, &scratch->params, group, i);
        }
        if (group->notes) {
            iso__space_group_note_impulses(group);
        }
        if (group->bounces) {
            iso__space_group_sum_impulses(group);
        }
    }
}

typedef void groups_fn(iso__space_scratch *scratch, uint32_t begin, uint32_t end);

/// A pass; `kernel` NULL: the set has none.
typedef struct groups_pass {
    groups_fn *one_by_one, *kernel;
} groups_pass;

/// Some groups of a colour: by the kernel, but one with few contacts, as a colour's last one may be.
static void groups_range(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__space_scratch *scratch = iso__space_of(world)->scratch;
    const groups_pass *pass = data;
    uint32_t middle = begin;
    if (pass->kernel != NULL && begin < end) {
        middle = scratch->groups[end - 1].count < scratch->kernels->contacts_min ? end - 1 : end;
        pass->kernel(scratch, begin, middle);
    }
    pass->one_by_one(scratch, middle, end);
}

/// The overflow's contacts may share bodies: they are solved one after the other, on the calling thread.
static void groups_run(iso__space *space, groups_pass pass) {
    const iso__space_scratch *scratch = space->scratch;
    const iso__group_range *overflow = &scratch->colour_groups[ISO__COLOUR_OVERFLOW];
    pass.one_by_one(space->scratch, overflow->begin, overflow->end);
    for (uint32_t c = 0; c < ISO__COLOURS; ++c) {
        const iso__group_range *groups = &scratch->colour_groups[c];
        if (groups->begin != groups->end) {
            iso__parallel_for(&space->world, groups->begin, groups->end, GROUP_GRAIN, groups_range, &pass);
        }
    }
}

void iso__space_contacts_warm_start(iso__space *space) {
    const iso__space_kernels *kernels = space->scratch->kernels;
    ISO_ASSERT(space->scratch->colour_groups[ISO__COLOURS - 1].end == space->scratch->group_count);
    groups_run(space, (groups_pass){groups_warm_start, kernels == NULL ? NULL : kernels->warm_start});
}

void iso__space_contacts_solve(iso__space *space) {
    const iso__space_kernels *kernels = space->scratch->kernels;
    ISO_ASSERT(space->scratch->colour_groups[ISO__COLOURS - 1].end == space->scratch->group_count);
    groups_run(space, (groups_pass){groups_solve, kernels == NULL ? NULL : kernels->solve});
}

void iso__space_contacts_relax(iso__space *space) {
    const iso__space_kernels *kernels = space->scratch->kernels;
    ISO_ASSERT(space->scratch->colour_groups[ISO__COLOURS - 1].end == space->scratch->group_count);
    groups_run(space, (groups_pass){groups_relax, kernels == NULL ? NULL : kernels->relax});
}

void iso__space_contacts_restitute(iso__space *space) {
    iso__space_scratch *scratch = space->scratch;
    ISO_ASSERT(scratch->colour_groups[ISO__COLOURS - 1].end == scratch->group_count);
    for (uint32_t g = 0; g < scratch->group_count; ++g) {
        iso__space_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; group->bounces && i < group->count; ++i) {
            if (group->restitution[i] > 0) {
                contact_restitute(scratch->motions, scratch->params.restitution_threshold, group, i);
            }
        }
        if (group->bounces) {
            iso__space_group_note_impulses(group);
        }
    }
}
