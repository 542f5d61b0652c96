/// A body is held that touches another one without restitution, or that a joint holds against one of its impacts.
///
/// Let a unit impulse along the normal n of a contact change the body's velocity by u, and a row of a joint have the
/// gradient J. The row alone takes back, of what the normal's velocity has changed at the contact,
///
///   (J u) (n M^-1 J^T) / (J M^-1 J^T) / (n M^-1 n)
///
/// which is between 0 and 1: 0 across a rod that a ball hangs on, 1 along a rod to something that does not move. Rows
/// of one joint are added up. Up to HELD_SHARE the body is free: it bounces, and then the rows of the joint take their
/// share. Neither adds energy: a row that is satisfied by an impulse along its own gradient leaves the least energy
/// that it allows. Beyond, the joint would swallow the bounce.
///
/// Springs, soft points, motors and points with a maximum force act over time: they hold nothing against an impact. A
/// limit holds if it pushed in the last tick.
#include "plane/dynamics/impact_held.h"

#include "base/assert.h"
#include "math/wide128.h"
#include "plane/dynamics/contact_group.h"
#include "plane/dynamics/contact_lane.h"
#include "plane/joint/work.h"
#include "plane/world/scratch.h"

#define HELD_SHARE 8 // a joint that takes an eighth or less of the bounce does not hold
#define HELD_NONE  UINT32_MAX
#define HELD_EXTRA 20 // fraction bits that products with 1/K keep beyond those of the factor

/// A contact point, as one of its bodies feels it.
typedef struct held_row {
    int64_t normal[2]; // Q2.30
    int64_t arm;       // rn, Q2.30
    int64_t spin;      // what n changes w by, for each unit that it changes v by, Q.30
    int64_t response;  // what it changes the point's speed by, Q.30: 1 or more
} held_row;

static held_row held_row_of(const iso__plane *plane, uint32_t place, uint32_t side, int p, uint32_t body) {
    const iso__plane_contact_group *group = &plane->scratch->groups[place / ISO__LANES];
    const uint32_t i = place % ISO__LANES;
    const iso__plane_point_lanes *point = &group->points[p];
    held_row row = {.normal = {group->normal[i].lo, group->normal[i].hi}};
    row.arm = side == 0 ? point->normal_a[i].lo : point->normal_b[i].lo;
    row.spin = iso__round_shift(row.arm * plane->body_derived[body].gyration, ISO__GYRO_FRACTION);
    row.response = ISO__UNIT_ONE + iso__mul_shift(row.spin, row.arm, ISO__UNIT_FRACTION);
    return row;
}

/// What a point row takes, times the response, Q.30. @param inverse  of K, Q2.62
static int64_t held_by_point(const held_row *is, const int64_t arm[2], int32_t share, const iso__inverse2 *inverse) {
    const int64_t x = is->normal[0] - iso__mul_shift(arm[1], is->spin, 32);
    const int64_t y = is->normal[1] + iso__mul_shift(arm[0], is->spin, 32);
    const int64_t jx = iso__dot_shift(inverse->i11, x, inverse->i12, y, 62 - HELD_EXTRA);
    const int64_t jy = iso__dot_shift(inverse->i12, x, inverse->i22, y, 62 - HELD_EXTRA);
    return iso__mul_shift(iso__dot_shift(jx, x, jy, y, 30 + HELD_EXTRA), share, ISO__UNIT_FRACTION);
}

static bool held_is_rigid(const iso__plane_axis *axis) {
    const bool has_hold = (axis->base.rows & 1u << ISO__AXIS_HOLD) != 0 && !axis->base.is_soft;
    return has_hold || (!axis->base.is_limit_soft &&
                        (axis->base.impulse[ISO__AXIS_LOWER] | axis->base.impulse[ISO__AXIS_UPPER]) != 0);
}

/// What an axis takes, times the response, Q.30.
static int64_t held_by_axis(const held_row *is, const iso__plane_axis *axis, uint32_t body) {
    int64_t taken = 0;
    for (uint32_t t = 0; t < axis->term_count && held_is_rigid(axis); ++t) {
        const iso__plane_axis_term *term = &axis->terms[t];
        if (term->body == body) {
            const int64_t moved =
                iso__dot_shift(term->direction[0], is->normal[0], term->direction[1], is->normal[1], 32);
            const int64_t pushed = iso__dot_shift(term->push[0], is->normal[0], term->push[1], is->normal[1], 32);
            const int64_t speed = iso__add64(moved, iso__mul_shift(term->arm, is->spin, 32));
            const int64_t change = iso__add64(pushed, iso__mul_shift(term->gain, is->arm, 38));
            const int64_t j = iso__mul_shift(speed, axis->base.inverse, axis->base.fraction - HELD_EXTRA);
            taken = iso__add64(taken, iso__mul_shift(j, change, 30 + HELD_EXTRA));
        }
    }
    return taken;
}

static bool held_by_work(const held_row *is, const iso__plane_joint_work *work, uint32_t body) {
    const iso__plane_point_row *row = &work->point.row;
    const bool is_a = body == work->body_a;
    int64_t taken = 0;
    if (work->has_point && !work->point.is_soft && work->point.impulse_max == INT64_MAX &&
        (is_a || body == work->body_b)) {
        taken = held_by_point(is, is_a ? row->arm_a : row->arm_b, is_a ? row->share_a : row->share_b, &row->inverse);
    }
    for (uint32_t a = 0; a < work->axis_count; ++a) {
        taken = iso__add64(taken, held_by_axis(is, &work->axes[a], body));
    }
    return taken > is->response / HELD_SHARE;
}

static bool held_by_plain(const held_row *is, const iso__plane_plain_row *row, uint32_t body) {
    const bool is_a = body == row->body_a;
    const int32_t *from = is_a ? row->arm_a : row->arm_b; // Q3.28
    const int64_t arm[2] = {(int64_t)from[0] * 16, (int64_t)from[1] * 16};
    const iso__inverse2 inverse = {iso__shl64(row->inverse[0], 33), iso__shl64(row->inverse[1], 33),
                                   iso__shl64(row->inverse[2], 33)};
    return held_by_point(is, arm, is_a ? row->share_a : row->share_b, &inverse) > is->response / HELD_SHARE;
}

/// Its limits are rigid, its hold is a spring.
static bool held_by_hinge(const held_row *is, const iso__plane_hinge_row *row, uint32_t body) {
    const bool is_a = body == row->point.body_a;
    int64_t taken = held_by_point(is, is_a ? row->point.arm_a : row->point.arm_b,
                                  is_a ? row->point.share_a : row->point.share_b, &row->point.inverse);
    if ((row->impulse[ISO__AXIS_LOWER] | row->impulse[ISO__AXIS_UPPER]) != 0) {
        const int exponent = is_a ? row->exponent_a : row->exponent_b;
        const int64_t arm = is_a ? -iso__shl64(1, (unsigned)(32 - exponent)) : iso__shl64(1, (unsigned)(32 - exponent));
        const int64_t gain = is_a ? row->gain_a : row->gain_b;
        const int64_t j = iso__mul_shift(iso__mul_shift(arm, is->spin, 32), INT64_C(1) << 62, 62 - HELD_EXTRA);
        taken = iso__add64(taken, iso__mul_shift(j, iso__mul_shift(gain, is->arm, 38), 30 + HELD_EXTRA));
    }
    return taken > is->response / HELD_SHARE;
}

/// Links the contacts that may bounce to their dynamic bodies, each by twice its number, plus one where the body is B.
static void held_link(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        scratch->body_heads[scratch->moving[m]] = HELD_NONE;
    }
    for (uint32_t link = 2 * scratch->bouncing_count; link-- > 0;) {
        const uint32_t place = scratch->bouncing[link / 2], i = place % ISO__LANES;
        const iso__plane_contact_group *group = &scratch->groups[place / ISO__LANES];
        const uint32_t body = link % 2 == 0 ? group->body_a[i] : group->body_b[i];
        if ((link % 2 == 0 ? group->share[i].lo : group->share[i].hi) != 0) {
            scratch->body_links[link] = scratch->body_heads[body];
            scratch->body_heads[body] = link;
        }
    }
}

/// A joint of one of the forms; the other two are NULL.
typedef struct held_joint {
    const iso__plane_joint_work *work;
    const iso__plane_hinge_row *hinge;
    const iso__plane_plain_row *plain;
} held_joint;

static bool held_by(const held_row *is, const held_joint *by, uint32_t body) {
    return by->plain   ? held_by_plain(is, by->plain, body)
           : by->hinge ? held_by_hinge(is, by->hinge, body)
                       : held_by_work(is, by->work, body);
}

/// Marks a body that a joint holds against one of its impacts.
static void held_judge(iso__plane *plane, uint32_t body, held_joint by) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    if (body == plane->world.def.body_capacity || plane->bodies[body].type != ISO_BODY_DYNAMIC ||
        scratch->is_held[body]) {
        return;
    }
    for (uint32_t link = scratch->body_heads[body]; link != HELD_NONE; link = scratch->body_links[link]) {
        const uint32_t place = scratch->bouncing[link / 2];
        for (int p = 0; p < 2; ++p) {
            const held_row row = held_row_of(plane, place, link % 2, p, body);
            if (scratch->groups[place / ISO__LANES].points[p].mass[place % ISO__LANES].lo != 0 &&
                held_by(&row, &by, body)) {
                scratch->is_held[body] = 1;
                return;
            }
        }
    }
}

static void held_mark_touching(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    for (uint32_t g = 0; g < scratch->group_count; ++g) {
        const iso__plane_contact_group *group = &scratch->groups[g];
        for (uint32_t i = 0; i < group->count; ++i) {
            const iso__plane_contact *contact = &plane->contacts[scratch->solved[group->contact[i]]];
            if (group->surface[i].hi == 0 && (contact->flags & ISO__PLANE_CONTACT_TOUCHES)) {
                scratch->is_held[group->body_a[i]] = 1;
                scratch->is_held[group->body_b[i]] = 1;
            }
        }
    }
}

void iso__plane_impact_find_held(iso__plane *plane) {
    iso__plane_step_scratch *scratch = plane->scratch;
    ISO_ASSERT(scratch->bouncing_count <= scratch->solved_count);
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        scratch->is_held[scratch->moving[m]] = 0;
    }
    held_mark_touching(plane);
    if (scratch->joint_count == 0) {
        return;
    }
    held_link(plane);
    for (uint32_t n = 0; n < scratch->plain_count; ++n) {
        const iso__plane_plain_row *row = &scratch->plain_rows[n];
        held_judge(plane, row->body_a, (held_joint){.plain = row});
        held_judge(plane, row->body_b, (held_joint){.plain = row});
    }
    for (uint32_t n = 0; n < scratch->hinge_count; ++n) {
        const iso__plane_hinge_row *row = &scratch->hinge_rows[n];
        held_judge(plane, row->point.body_a, (held_joint){.hinge = row});
        held_judge(plane, row->point.body_b, (held_joint){.hinge = row});
    }
    for (uint32_t n = 0; n < scratch->joint_work_count; ++n) {
        const iso__plane_joint_work *work = &scratch->joint_works[n];
        const uint32_t bodies[] = {work->body_a, work->body_b, work->body_c, work->body_d};
        for (int b = 0; b < 4; ++b) {
            held_judge(plane, bodies[b], (held_joint){.work = work});
        }
    }
}
