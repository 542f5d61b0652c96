/// Impacts: contacts with restitution whose points come together faster than the threshold and meet within this tick
/// are resolved before the substeps, one after the other, each as if its two bodies were alone.
///
/// Of a contact, the points that meet have velocities v < 0 along the normal. Newton's rule wants v' = -e v of all of
/// them at once:
///
///   K j = -(1 + e) v          Kpq = 1 + gAq rAp + gBq rBp
///
/// When one of the two j would be negative, only the point that comes faster is resolved. Then friction acts on each
/// resolved point, up to mu j.
///
/// Energy: impulses add the sum of (v + v') j / 2, here (1 - e) v j / 2, which is never positive since j >= 0 and v <
/// 0; friction takes vt towards 0 (towards the speed of a moving surface, which may add energy). So no impact adds
/// energy, whatever the number of bodies, contacts and points. Resolving one contact after the other also lets a row of
/// balls pass a blow on.
///
/// A velocity of the state is that of the substep before; the bodies' velocity at their places is half a substep's fall
/// later. With d what gravity and forces add to v in a substep, the rule is v' + d / 2 = -e (v + d / 2), so v + d / 2
/// stands for v above. Then a bounce is the same forwards and backwards in time and keeps its height. It counts once a
/// tick and contact.
///
/// Contacts are taken in key order, then backwards, and so on, until none is left or IMPACT_SWEEPS have been made: a
/// row whose keys rise along it needs one sweep in either direction. What still comes together, the substeps stop.
///
/// A body that something else holds is not free to fly on: a joint that opposes the impact, or a contact without
/// restitution that touched before (impact_held.c). Its impacts remain for the end of the step, when the substeps have
/// found what the holders bear (iso__plane_contacts_restitute): so a ball bounces off a crate that lies on the floor.
///
/// Ranges: velocities of points are within 2472 m/s (contact_solver.c), K below 2^11. Impulses are cut at sqrt(2) 1024
/// m/s, which turns the fastest body around; what then exceeds 4096 m/s wraps, the same way everywhere, until the
/// scatter clamps it.
/// Source: Newton's law of restitution, and the energy of an impulse, e.g. E. J. Routh, Elementary Rigid Dynamics.
#include "plane/dynamics/impact.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/dynamics/contact_group.h"
#include "plane/dynamics/contact_lane.h"
#include "plane/dynamics/impact_held.h"
#include "plane/world/scratch.h"

#define IMPACT_SWEEPS      8
#define IMPACT_IMPULSE_MAX 759169024 // sqrt(2) 1024 m/s in Q12.19

// ---- which bodies are held -----------------------------------------------------------------------

/// Keeps of the contacts that bounce those whose dynamic bodies are free.
static void impact_list_free(iso__plane_step_scratch *scratch) {
    uint32_t kept = 0;
    for (uint32_t n = 0; n < scratch->bouncing_count; ++n) {
        const uint32_t place = scratch->bouncing[n], i = place % ISO__LANES;
        iso__plane_contact_group *group = &scratch->groups[place / ISO__LANES];
        const bool holds_a = group->share[i].lo != 0 && scratch->is_held[group->body_a[i]];
        const bool holds_b = group->share[i].hi != 0 && scratch->is_held[group->body_b[i]];
        if (!holds_a && !holds_b) {
            scratch->bouncing[kept++] = place;
            group->points[0].approach[i] = group->points[1].approach[i] = 0; // nothing is left for the end of the step
        }
    }
    scratch->bouncing_count = kept;
}

// ---- one impact ----------------------------------------------------------------------------------

typedef struct impact {
    iso__plane_lane_state lane;
    iso__plane_contact_group *group;
    uint32_t i;
    int32_t velocity[2]; // of the points along the normal, Q12.19
    int32_t impulse[2];
    bool meets[2]; // the point is, or will be within the tick, where the shapes touch
} impact;

/// What gravity and forces add to a body's velocity along the normal in a substep, Q.49.
static int64_t impact_body_fall(const iso__plane *plane, const impact *is, uint32_t body) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const fix16_t scale = plane->bodies[body].gravity_scale;
    const int64_t x = iso__round_shift((int64_t)scratch->params.gravity[0] * scale, 16) + scratch->pushes[body][0];
    const int64_t y = iso__round_shift((int64_t)scratch->params.gravity[1] * scale, 16) + scratch->pushes[body][1];
    return is->lane.nx * x + is->lane.ny * y;
}

/// What they add to the relative velocity along the normal, Q12.19.
static int64_t impact_fall(const iso__plane *plane, const impact *is) {
    const iso__plane_contact_group *group = is->group;
    const int64_t a = group->share[is->i].lo == 0 ? 0 : impact_body_fall(plane, is, group->body_a[is->i]);
    const int64_t b = group->share[is->i].hi == 0 ? 0 : impact_body_fall(plane, is, group->body_b[is->i]);
    return iso__round_shift(b - a, ISO__UNIT_FRACTION);
}

/// @return whether a point meets the other shape fast enough to bounce
static bool impact_gather(impact *is, const iso__plane *plane, uint32_t place) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    is->group = &scratch->groups[place / ISO__LANES];
    is->i = place % ISO__LANES;
    iso__plane_lane_gather(&is->lane, scratch->motions, is->group, is->i);
    for (int p = 0; p < 2; ++p) {
        const iso__plane_point_lanes *point = &is->group->points[p];
        is->velocity[p] =
            iso__plane_row_velocity(&is->lane, is->lane.un, point->normal_a[is->i], point->normal_b[is->i]);
        is->impulse[p] = 0;
    }
    if (iso__min32(is->velocity[0], is->velocity[1]) >= 0) {
        return false;
    }
    bool bounces = false;
    // As fast as it can become in this tick; and the last relax pass looks one substep ahead.
    const int64_t fall = impact_fall(plane, is), substeps = (int64_t)scratch->params.substep_count + 1;
    const int64_t fall_most = iso__max64(-fall, 0) * substeps;
    for (int p = 0; p < 2; ++p) {
        const iso__plane_point_lanes *point = &is->group->points[p];
        const int32_t v = is->velocity[p];
        const int64_t s = iso__max64(point->separation[is->i], 0);
        const int64_t gap = iso__round_shift(s * scratch->params.substep_rate, 5); // Q7.24 times the rate to Q12.19
        is->meets[p] = point->mass[is->i].lo != 0 && v < 0 && (v - fall_most) * substeps + gap <= 0;
        bounces = bounces || (is->meets[p] && v <= -scratch->params.restitution_threshold);
        if (is->meets[p] && point->impulse_max[is->i] == 0) { // not again when it bounces back and forth
            is->velocity[p] += (int32_t)iso__clamp64(fall / 2, v / 2, -v / 2);
        }
    }
    return bounces;
}

static int32_t impact_clamp(int64_t impulse) {
    return (int32_t)iso__clamp64(impulse, 0, IMPACT_IMPULSE_MAX);
}

/// K of a row with itself or with the other one, Q31.32.
static int64_t impact_mix(const impact *is, int p, int q) {
    const iso__plane_point_lanes *row = &is->group->points[p], *column = &is->group->points[q];
    const int64_t turning = (int64_t)row->normal_a[is->i].lo * column->normal_a[is->i].hi +
                            (int64_t)row->normal_b[is->i].lo * column->normal_b[is->i].hi; // Q.52
    return ISO_WIDE_ONE + iso__round_shift(turning, 20);
}

/// Both points at once. @return false when one would have to pull
static bool impact_solve_both(impact *is) {
    const int64_t gain = ISO_WIDE_ONE + iso__shl64(is->group->surface[is->i].hi, 4);
    const int64_t b1 = iso__mul_shift(gain, -(int64_t)is->velocity[0], ISO__VEL_FRACTION);
    const int64_t b2 = iso__mul_shift(gain, -(int64_t)is->velocity[1], ISO__VEL_FRACTION);
    int64_t j1, j2;
    if (!iso__solve2(impact_mix(is, 0, 0), impact_mix(is, 0, 1), impact_mix(is, 1, 1), b1, b2, &j1, &j2) || j1 < 0 ||
        j2 < 0) {
        return false;
    }
    is->impulse[0] = impact_clamp(iso__round_shift(j1, 32 - ISO__VEL_FRACTION));
    is->impulse[1] = impact_clamp(iso__round_shift(j2, 32 - ISO__VEL_FRACTION));
    return true;
}

static void impact_solve_one(impact *is, int p) {
    const int64_t e = is->group->surface[is->i].hi, v = is->velocity[p];
    const int64_t wanted = iso__round_shift(e * v, ISO__FRICTION_FRACTION) + v;
    is->impulse[p] = impact_clamp(iso__round_shift(-wanted * is->group->points[p].mass[is->i].lo, ISO__UNIT_FRACTION));
}

static void impact_rub(impact *is, int p) {
    const iso__plane_point_lanes *point = &is->group->points[p];
    const iso__pair_lane a = point->tangent_a[is->i], b = point->tangent_b[is->i];
    const int64_t limit = iso__min64(((int64_t)is->group->surface[is->i].lo * is->impulse[p]) >> ISO__FRICTION_FRACTION,
                                     IMPACT_IMPULSE_MAX);
    const int64_t vt = (int64_t)iso__plane_row_velocity(&is->lane, is->lane.ut, a, b) - is->group->drive[is->i];
    const int64_t wanted = -iso__round_shift(vt * point->mass[is->i].hi, ISO__UNIT_FRACTION);
    iso__plane_row_apply(&is->lane, &is->lane.ut, a, b, (int32_t)iso__clamp64(wanted, -limit, limit));
}

/// @return whether there was an impact
static bool impact_resolve(const iso__plane *plane, uint32_t place) {
    impact is;
    if (!impact_gather(&is, plane, place)) {
        return false;
    }
    const bool meets_both = is.meets[0] && is.meets[1];
    if (!meets_both || !impact_solve_both(&is)) {
        impact_solve_one(&is, !is.meets[0] || (is.meets[1] && is.velocity[1] < is.velocity[0]));
    }
    const int32_t un = is.lane.un, ut = is.lane.ut;
    for (int p = 0; p < 2; ++p) {
        iso__plane_point_lanes *point = &is.group->points[p];
        iso__plane_row_apply(&is.lane, &is.lane.un, point->normal_a[is.i], point->normal_b[is.i], is.impulse[p]);
        point->impulse_max[is.i] = iso__max32(point->impulse_max[is.i], is.impulse[p]);
    }
    for (int p = 0; p < 2; ++p) {
        impact_rub(&is, p);
    }
    iso__plane_lane_scatter(&is.lane, is.group, is.i, iso__sub32(is.lane.un, un), iso__sub32(is.lane.ut, ut));
    return true;
}

// ---- sweeps --------------------------------------------------------------------------------------

/// Resolves a contact unless it had no impact and neither of its bodies was in one since: then it has none now. So the
/// sweeps after the first cost only what blows are passed on to.
/// @param number  among the bouncing contacts; body_links has how many impacts there were when it had none, body_counts
///                the number of each body's last impact
static bool impact_visit(iso__plane *plane, uint32_t number, bool is_first, uint32_t *impact_count) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const uint32_t place = scratch->bouncing[number], i = place % ISO__LANES;
    const iso__plane_contact_group *group = &scratch->groups[place / ISO__LANES];
    uint32_t *last_a = &scratch->body_counts[group->body_a[i]], *last_b = &scratch->body_counts[group->body_b[i]];
    uint32_t *seen = &scratch->body_links[number];
    if (!is_first && *last_a <= *seen && *last_b <= *seen) {
        return false;
    }
    if (impact_resolve(plane, place)) {
        ++*impact_count;
        *last_a = (group->moves_a >> i & 1) != 0 ? *impact_count : *last_a;
        *last_b = (group->moves_b >> i & 1) != 0 ? *impact_count : *last_b;
        *seen = 0; // a contact may have several impacts in a row
        return true;
    }
    *seen = *impact_count;
    return false;
}

/// Whether any point comes fast enough: a blow passes on only from such a one.
static bool impact_is_any(const iso__plane_step_scratch *scratch) {
    const int32_t threshold = scratch->params.restitution_threshold;
    for (uint32_t n = 0; n < scratch->bouncing_count; ++n) {
        const uint32_t place = scratch->bouncing[n], i = place % ISO__LANES;
        const iso__plane_point_lanes *points = scratch->groups[place / ISO__LANES].points;
        if (iso__min32(points[0].approach[i], points[1].approach[i]) <= -threshold) {
            return true;
        }
    }
    return false;
}

void iso__plane_step_impacts(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->bouncing_count <= scratch->solved_count);
    if (!impact_is_any(scratch)) {
        return;
    }
    iso__plane_impact_find_held(plane);
    impact_list_free(scratch);
    const uint32_t count = scratch->bouncing_count;
    for (uint32_t n = 0; n < count; ++n) {
        const uint32_t place = scratch->bouncing[n];
        const iso__plane_contact_group *group = &scratch->groups[place / ISO__LANES];
        scratch->body_counts[group->body_a[place % ISO__LANES]] = 0;
        scratch->body_counts[group->body_b[place % ISO__LANES]] = 0;
    }
    bool has_impact = true;
    uint32_t impact_count = 0;
    for (int sweep = 0; sweep < IMPACT_SWEEPS && has_impact; ++sweep) {
        has_impact = false;
        for (uint32_t n = 0; n < count; ++n) {
            const uint32_t number = sweep % 2 == 0 ? n : count - 1 - n;
            has_impact = impact_visit(plane, number, sweep == 0, &impact_count) || has_impact;
        }
    }
}
