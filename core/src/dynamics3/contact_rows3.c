/// See contact_rows3.h. In the letters of core/NUMERICS.md, with three-vectors: n the normal, t1 and t2 across it, r the arm
/// of a point, a the mass shares, G = m L^2 I^-1 in the world's frame, j = sigma lambda the impulse in velocity units.
///
///   point     rn = (r x n)/L,  g = a G rn,  K = 1 + gA rnA + gB rnB
///   friction  at the mean c of the points, for t1 and t2 alike; K is their matrix, at least the unit matrix
///   twist     rn = n rho/L, rho the largest distance of a point from c;  K = gA rnA + gB rnB
#include "dynamics3/contact_rows3.h"

#include <string.h>

#include "base/assert.h"
#include "isostep/body3.h"
#include "math/fixed_ops.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "solver/shares.h"

#define IMPULSE_MAX     (ISO_SPEED3_MAX_M_S * ISO__VEL_ONE)
#define COLOUR_COUNT    32u
#define COLOUR_DYNAMIC  24u                // colours 0 to 23: of two dynamic bodies; the rest: with what is not dynamic
#define COLOUR_OVERFLOW 32u                // found no colour; solved first, one after the other
#define TWIST_MASS_MAX  (INT64_C(1) << 43) // 1/K for K = 2^-11
#define TWIST_SHIFT     27u                // from m/s Q12.19 times m Q7.24 to m^2/s Q15.16

// ---- bodies --------------------------------------------------------------------------------------

/// G in the world's frame: A diag(gyrations) A^T with A the principal axes in the world. As 31 bits and a shift.
static void gain_make(const iso__body3_derived *derived, const int32_t A[9], iso__gain3 *gain) {
    static const uint8_t rows[6] = {0, 0, 0, 1, 1, 2}, columns[6] = {0, 1, 2, 1, 2, 2};
    int64_t wide[6];
    uint64_t bits = 0;
    for (int e = 0; e < 6; ++e) {
        const int32_t *a = &A[3 * rows[e]], *b = &A[3 * columns[e]];
        // Each product of two entries of A in Q.30 again: their error is a quantum of the gain.
        wide[e] = iso__dot3_shift(iso__round_shift((int64_t)a[0] * b[0], 30), derived->gyrations[0],
                                  iso__round_shift((int64_t)a[1] * b[1], 30), derived->gyrations[1],
                                  iso__round_shift((int64_t)a[2] * b[2], 30), derived->gyrations[2], 30);
        bits |= iso__abs_u64(wide[e]);
    }
    const unsigned width = iso__bit_width64(bits); // Q.32: the integer part has width - 32 bits
    gain->shift = width <= 32 ? 30 : 62 - width;
    for (int e = 0; e < 6; ++e) {
        gain->tensor[e] = (int32_t)iso__round_shift(wide[e], 32 - gain->shift);
    }
}

/// a G arm, Q9.22.
static void row_gain(const iso__gain3 *gain, int32_t share, const int32_t arm[3], int32_t g[3]) {
    static const uint8_t places[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    for (int i = 0; i < 3; ++i) {
        int64_t sum = 0; // three products below 2^60
        for (int k = 0; k < 3; ++k) {
            sum += (int64_t)gain->tensor[places[3 * i + k]] * arm[k];
        }
        const int64_t turned = iso__round_shift(sum, gain->shift + 8); // Q.22
        g[i] = iso__saturate32(iso__round_shift(iso__clamp64(turned, -INT32_MAX, INT32_MAX) * share, 30));
    }
}

/// (r x d)/L, clamped to ±1: the point of a speculative contact may lie outside of L.
static void row_arm(const int32_t anchor[3], const int32_t d[3], int8_t exponent, int32_t arm[3]) {
    int64_t moment[3]; // Q.54
    iso__cross3(anchor, d, moment);
    for (int i = 0; i < 3; ++i) {
        arm[i] = (int32_t)iso__clamp64(iso__round_shift(moment[i], (unsigned)(24 + exponent)), -ISO__UNIT_ONE,
                                       ISO__UNIT_ONE);
    }
}

/// What a row needs of its two bodies.
typedef struct row_bodies {
    const iso__gain3 *gain_a, *gain_b;
    int32_t share_a, share_b;
    int8_t exponent_a, exponent_b;
} row_bodies;

static void row_sides(const row_bodies *bodies, const int32_t anchor_a[3], const int32_t anchor_b[3],
                      const int32_t d[3], iso__row3_side *a, iso__row3_side *b) {
    *a = *b = (iso__row3_side){0};
    if (bodies->share_a != 0) {
        row_arm(anchor_a, d, bodies->exponent_a, a->arm);
        row_gain(bodies->gain_a, bodies->share_a, a->arm, a->g);
    }
    if (bodies->share_b != 0) {
        row_arm(anchor_b, d, bodies->exponent_b, b->arm);
        row_gain(bodies->gain_b, bodies->share_b, b->arm, b->g);
    }
}

/// gA armA + gB armB, Q31.32. Of one row it is not negative.
static int64_t row_turning(const iso__row3_side *a, const iso__row3_side *b, const iso__row3_side *of_a,
                           const iso__row3_side *of_b) {
    int64_t sum = 0; // Q.52, each product below 2^61
    for (int i = 0; i < 3; ++i) {
        sum +=
            iso__round_shift((int64_t)a->g[i] * of_a->arm[i], 4) + iso__round_shift((int64_t)b->g[i] * of_b->arm[i], 4);
    }
    return iso__round_shift(sum, 16);
}

// ---- rows ----------------------------------------------------------------------------------------

/// A kinematic body's spin counts, though no row changes it: its arms are needed for velocities, too.
static void row_arms_of_moving(const iso__space *space, const iso__contact3_row *row, const int32_t anchor_a[3],
                               const int32_t anchor_b[3], const int32_t d[3], iso__row3_side *a, iso__row3_side *b) {
    if (row->share_a == 0 && space->bodies[row->body_a].type == ISO_BODY_KINEMATIC) {
        row_arm(anchor_a, d, row->exponent_a, a->arm);
    }
    if (row->share_b == 0 && space->bodies[row->body_b].type == ISO_BODY_KINEMATIC) {
        row_arm(anchor_b, d, row->exponent_b, b->arm);
    }
}

static int32_t row_velocity_now(const iso__space *space, const iso__contact3_row *row, const iso__point3_row *point) {
    const iso__motion3 *a = &space->scratch->motions[row->body_a], *b = &space->scratch->motions[row->body_b];
    int64_t sum = 0;
    for (int i = 0; i < 3; ++i) {
        sum += (int64_t)row->normal[i] * ((int64_t)b->velocity[i] - a->velocity[i]);
        sum += (int64_t)point->b.arm[i] * b->spin[i] - (int64_t)point->a.arm[i] * a->spin[i];
    }
    return (int32_t)iso__clamp64(iso__round_shift(sum, 30), -IMPULSE_MAX, IMPULSE_MAX);
}

static void row_fill_points(const iso__space *space, const row_bodies *bodies, const iso__manifold3 *manifold,
                            const iso__contact3 *contact, iso__contact3_row *row) {
    for (uint32_t p = 0; p < manifold->count; ++p) {
        const iso__manifold3_point *from = &manifold->points[p];
        iso__point3_row *point = &row->points[p];
        row_sides(bodies, from->anchor_a, from->anchor_b, row->normal, &point->a, &point->b);
        const int64_t turning = row_turning(&point->a, &point->b, &point->a, &point->b);
        point->mass = iso__recip_unit((uint64_t)(ISO_WIDE_ONE + iso__max64(turning, 0)));
        row_arms_of_moving(space, row, from->anchor_a, from->anchor_b, row->normal, &point->a, &point->b);
        point->impulse = contact->normal_impulse[p];
        point->separation = from->separation;
        point->approach = row->restitution > 0 ? row_velocity_now(space, row, point) : 0;
        point->impulse_max = 0;
    }
}

/// The mean of the points, about each body.
static void row_middle(const iso__manifold3 *manifold, int32_t middle_a[3], int32_t middle_b[3]) {
    for (int axis = 0; axis < 3; ++axis) {
        int64_t sum_a = 0, sum_b = 0;
        for (uint32_t p = 0; p < manifold->count; ++p) {
            sum_a += manifold->points[p].anchor_a[axis];
            sum_b += manifold->points[p].anchor_b[axis];
        }
        middle_a[axis] = (int32_t)iso__div_round64(sum_a, manifold->count);
        middle_b[axis] = (int32_t)iso__div_round64(sum_b, manifold->count);
    }
}

static void row_fill_friction(const iso__space *space, const row_bodies *bodies, const iso__contact3 *contact,
                              const int32_t middle_a[3], const int32_t middle_b[3], iso__contact3_row *row) {
    for (int n = 0; n < 2; ++n) {
        row_sides(bodies, middle_a, middle_b, row->tangent[n], &row->friction_a[n], &row->friction_b[n]);
        const int64_t along = iso__dot3(contact->friction_impulse, row->tangent[n]);
        row->friction_impulse[n] = iso__saturate32(iso__round_shift(along, 30));
    }
    const iso__row3_side *a = row->friction_a, *b = row->friction_b;
    iso__inverse2 inverse;
    iso__inverse2_make(ISO_WIDE_ONE + row_turning(&a[0], &b[0], &a[0], &b[0]), row_turning(&a[0], &b[0], &a[1], &b[1]),
                       ISO_WIDE_ONE + row_turning(&a[1], &b[1], &a[1], &b[1]), &inverse);
    row->friction_mass[0] = inverse.i11;
    row->friction_mass[1] = inverse.i12;
    row->friction_mass[2] = inverse.i22;
    for (int n = 0; n < 2; ++n) {
        row_arms_of_moving(space, row, middle_a, middle_b, row->tangent[n], &row->friction_a[n], &row->friction_b[n]);
    }
}

/// n rho / L, at most twice a unit vector.
static void row_twist_arm(const int32_t normal[3], int32_t radius, int8_t exponent, int32_t arm[3]) {
    for (int i = 0; i < 3; ++i) {
        const int64_t scaled = iso__round_shift((int64_t)normal[i] * radius, (unsigned)(24 + exponent));
        arm[i] = (int32_t)iso__clamp64(scaled, -ISO__UNIT_ONE, ISO__UNIT_ONE);
    }
}

static void row_fill_twist(const iso__space *space, const row_bodies *bodies, const iso__manifold3 *manifold,
                           const iso__contact3 *contact, const int32_t middle_a[3], iso__contact3_row *row) {
    int64_t radius = 0, distances[ISO__MANIFOLD3_POINTS];
    row->twist_mass = 0;
    row->twist_impulse = 0;
    for (uint32_t p = 0; p < manifold->count; ++p) {
        int64_t from[3];
        for (int axis = 0; axis < 3; ++axis) {
            from[axis] = (int64_t)manifold->points[p].anchor_a[axis] - middle_a[axis];
        }
        distances[p] = iso__length3(from);
        radius = iso__max64(radius, distances[p]);
    }
    row->radius = iso__saturate32(radius);
    if (manifold->count < 2 || row->radius == 0) {
        return;
    }
    row->twist_a = row->twist_b = (iso__row3_side){0};
    // Without a share there is no gain, but a kinematic body's spin counts all the same.
    if (bodies->share_a != 0 || space->bodies[row->body_a].type == ISO_BODY_KINEMATIC) {
        row_twist_arm(row->normal, row->radius, bodies->exponent_a, row->twist_a.arm);
        row_gain(bodies->gain_a, bodies->share_a, row->twist_a.arm, row->twist_a.g);
    }
    if (bodies->share_b != 0 || space->bodies[row->body_b].type == ISO_BODY_KINEMATIC) {
        row_twist_arm(row->normal, row->radius, bodies->exponent_b, row->twist_b.arm);
        row_gain(bodies->gain_b, bodies->share_b, row->twist_b.arm, row->twist_b.g);
    }
    const int64_t K = row_turning(&row->twist_a, &row->twist_b, &row->twist_a, &row->twist_b);
    row->twist_mass = K <= 0 ? 0 : iso__min64(iso__div_shift(ISO_WIDE_ONE, 32, K), TWIST_MASS_MAX);
    const int64_t impulse = iso__mul_div(contact->twist_impulse, INT64_C(1) << TWIST_SHIFT, row->radius);
    row->twist_impulse = (int32_t)iso__clamp64(impulse, -IMPULSE_MAX, IMPULSE_MAX);
    for (uint32_t p = 0; p < manifold->count; ++p) {
        row->levers[p] = (int32_t)iso__min64(iso__mul_div(distances[p], ISO__UNIT_ONE, row->radius), ISO__UNIT_ONE);
    }
}

/// sqrt(f f') for friction, the larger restitution, as in the plane.
static void row_mix(const iso__space *space, const iso__contact3 *contact, iso__contact3_row *row) {
    const iso__shape3 *a = &space->shapes[contact->shape_a], *b = &space->shapes[contact->shape_b];
    row->friction =
        a->friction == b->friction ? a->friction : (int32_t)iso__isqrt64((uint64_t)a->friction * (uint64_t)b->friction);
    row->restitution = iso__max32(a->restitution, b->restitution);
}

static void row_fill(iso__space *space, uint32_t number, uint8_t colour, iso__contact3_row *row) {
    iso__space_scratch *scratch = space->scratch;
    const iso__contact3 *contact = &space->contacts[number];
    const iso__manifold3 *manifold = &scratch->manifolds[scratch->contact_manifolds[number]];
    const uint32_t a = space->shapes[contact->shape_a].body, b = space->shapes[contact->shape_b].body;
    const iso__mass_shares shares = iso__mass_shares_make(space->body_derived[a].mass, space->body_derived[b].mass);
    const row_bodies bodies = {&scratch->gains[a],
                               &scratch->gains[b],
                               shares.lo,
                               shares.hi,
                               space->body_derived[a].radius_exponent,
                               space->body_derived[b].radius_exponent};
    memset(row, 0, sizeof *row);
    scratch->drifts[a].is_free = scratch->drifts[b].is_free = false;
    row->contact = number;
    row->body_a = a;
    row->body_b = b;
    row->share_a = shares.lo;
    row->share_b = shares.hi;
    row->exponent_a = bodies.exponent_a;
    row->exponent_b = bodies.exponent_b;
    row->point_count = manifold->count;
    row->colour = colour;
    row->is_static = shares.lo == 0 || shares.hi == 0;
    memcpy(row->normal, manifold->normal, sizeof row->normal);
    iso__tangents3(row->normal, row->tangent[0], row->tangent[1]);
    row_mix(space, contact, row);
    int32_t middle_a[3], middle_b[3];
    row_middle(manifold, middle_a, middle_b);
    row_fill_points(space, &bodies, manifold, contact, row);
    row_fill_friction(space, &bodies, contact, middle_a, middle_b, row);
    row_fill_twist(space, &bodies, manifold, contact, middle_a, row);
}

// ---- colours -------------------------------------------------------------------------------------

static uint8_t colour_take(const iso__space *space, uint32_t a, uint32_t b) {
    uint32_t *masks = space->scratch->colour_masks;
    const bool is_dynamic_a = space->bodies[a].type == ISO_BODY_DYNAMIC;
    const bool is_dynamic_b = space->bodies[b].type == ISO_BODY_DYNAMIC;
    const uint32_t used = (is_dynamic_a ? masks[a] : 0) | (is_dynamic_b ? masks[b] : 0);
    const uint32_t first = is_dynamic_a && is_dynamic_b ? 0 : COLOUR_DYNAMIC;
    const uint32_t end = is_dynamic_a && is_dynamic_b ? COLOUR_DYNAMIC : COLOUR_COUNT;
    for (uint32_t colour = first; colour < end; ++colour) {
        if ((used >> colour & 1u) == 0) {
            masks[a] |= is_dynamic_a ? UINT32_C(1) << colour : 0;
            masks[b] |= is_dynamic_b ? UINT32_C(1) << colour : 0;
            return (uint8_t)colour;
        }
    }
    return COLOUR_OVERFLOW;
}

static bool contact_has_rows(const iso__space *space, uint32_t number) {
    const iso__contact3 *contact = &space->contacts[number];
    const uint32_t flags = space->shapes[contact->shape_a].flags | space->shapes[contact->shape_b].flags;
    return space->scratch->contact_manifolds[number] != UINT32_MAX && (flags & ISO__SHAPE3_SENSOR) == 0;
}

void iso__contacts3_prepare(iso__space *space) {
    iso__space_scratch *scratch = space->scratch;
    const uint32_t count = space->world.globals->contact_count;
    uint32_t ends[COLOUR_COUNT + 1] = {0};
    for (uint32_t m = 0; m < scratch->moving_count; ++m) {
        const uint32_t body = scratch->moving[m];
        scratch->colour_masks[body] = 0;
        if (space->body_derived[body].gyrations[0] != 0) {
            gain_make(&space->body_derived[body], scratch->drifts[body].axes, &scratch->gains[body]);
        } else {
            scratch->gains[body] = (iso__gain3){0};
        }
    }
    scratch->row_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (contact_has_rows(space, i)) {
            const iso__contact3 *contact = &space->contacts[i];
            const uint8_t colour =
                colour_take(space, space->shapes[contact->shape_a].body, space->shapes[contact->shape_b].body);
            scratch->row_order[scratch->row_count++] = i << 6 | colour;
            ++ends[colour];
        }
    }
    // The overflow comes first, then colour after colour, in each the order of the keys.
    uint32_t place = ends[COLOUR_OVERFLOW];
    ends[COLOUR_OVERFLOW] = 0;
    for (uint32_t c = 0; c < COLOUR_COUNT; ++c) {
        const uint32_t begin = place;
        place += ends[c];
        ends[c] = begin;
    }
    for (uint32_t n = 0; n < scratch->row_count; ++n) {
        const uint32_t colour = scratch->row_order[n] & 63u;
        row_fill(space, scratch->row_order[n] >> 6, (uint8_t)colour, &scratch->rows[ends[colour]++]);
    }
}

// ---- storing -------------------------------------------------------------------------------------

void iso__contacts3_store(iso__space *space) {
    for (uint32_t r = 0; r < space->scratch->row_count; ++r) {
        const iso__contact3_row *row = &space->scratch->rows[r];
        iso__contact3 *contact = &space->contacts[row->contact];
        for (uint32_t p = 0; p < row->point_count; ++p) {
            contact->normal_impulse[p] = row->points[p].impulse;
            space->world.globals->clamped_impulses += row->points[p].impulse == IMPULSE_MAX;
        }
        for (int axis = 0; axis < 3; ++axis) {
            const int64_t sum = (int64_t)row->tangent[0][axis] * row->friction_impulse[0] +
                                (int64_t)row->tangent[1][axis] * row->friction_impulse[1];
            contact->friction_impulse[axis] = iso__saturate32(iso__round_shift(sum, 30));
        }
        const int64_t twist = iso__round_shift((int64_t)row->twist_impulse * row->radius, TWIST_SHIFT);
        contact->twist_impulse = (int32_t)iso__clamp64(twist, -INT32_MAX, INT32_MAX);
    }
}
