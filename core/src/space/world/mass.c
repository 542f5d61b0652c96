/// Mass properties of spheres, capsules, boxes and hulls. With d the density, V the volume and c the centre, the second
/// moments about a point are those about c plus V c c^T:
///
///   sphere    V = 4/3 pi r^3                       V r^2 / 5 on the diagonal
///   box       V = 8 hx hy hz                       V h^2 / 3 along each of its axes
///   capsule   cylinder Vc = pi r^2 l and two half balls Vs = 4/3 pi r^3; along the axis
///             Vc l^2 / 12 + Vs (l^2 / 4 + 3 l r / 8 + r^2 / 5), across it Vc r^2 / 4 + Vs r^2 / 5
///   hull      tetrahedra (0, a, b, c) of its faces about its first vertex: V = a . (b x c) / 6, second moments
///             V / 20 (s s^T + a a^T + b b^T + c c^T) with s = a + b + c
///
/// Checked against quadrature in tests/unit/space/world/test_mass3.c.
#include "space/world/mass.h"

#include "math/fixed_ops.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "math/wide128.h"
#include "space/collide/hull.h"
#include "space/world/shape.h"

#define MASS_FRACTION 60
#define MASS_PI       INT64_C(3622009729038561421) // Q.60

static int64_t mass_mul(int64_t a, int64_t b) {
    return iso__mul_shift(a, b, MASS_FRACTION);
}

/// Q7.24 metres to Q.60 units of 2^exponent, exact.
static int64_t mass_scale(int64_t length, int exponent) {
    return iso__shl64(length, (unsigned)(MASS_FRACTION - ISO__LENGTH_FRACTION - exponent));
}

static const uint8_t MASS_ROWS[6] = {0, 1, 2, 0, 0, 1}, MASS_COLUMNS[6] = {0, 1, 2, 1, 2, 2};

/// Adds s u u^T for a unit vector u, Q2.30.
static void mass_add_axis(iso__space_solid *is, int64_t s, const int32_t u[3]) {
    for (int e = 0; e < 6; ++e) {
        is->second[e] += iso__mul_shift(s, (int64_t)u[MASS_ROWS[e]] * u[MASS_COLUMNS[e]], 60);
    }
}

static void mass_of_sphere(iso__space_solid *is, int64_t r) {
    const int64_t r2 = mass_mul(r, r);
    is->volume = iso__mul_div(mass_mul(MASS_PI, mass_mul(r2, r)), 4, 3);
    for (int i = 0; i < 3; ++i) {
        is->second[i] = mass_mul(is->volume, r2) / 5;
    }
}

static void mass_of_capsule(iso__space_solid *is, const iso__space_shape *shape, int64_t r, int exponent) {
    const int32_t *v = shape->vertices;
    // Within the unit ball its length is at most two.
    const int64_t way[3] = {mass_scale((int64_t)v[3] - v[0], exponent), mass_scale((int64_t)v[4] - v[1], exponent),
                            mass_scale((int64_t)v[5] - v[2], exponent)};
    int32_t axis[3];
    iso__normalize3(way, axis);
    const int64_t l = iso__length3(way);
    const int64_t r2 = mass_mul(r, r), l2 = mass_mul(l, l);
    const int64_t cylinder = mass_mul(mass_mul(MASS_PI, r2), l);
    const int64_t ball = iso__mul_div(mass_mul(MASS_PI, mass_mul(r2, r)), 4, 3);
    const int64_t across = mass_mul(cylinder, r2) / 4 + mass_mul(ball, r2) / 5;
    const int64_t along = mass_mul(cylinder, l2) / 12 + mass_mul(ball, l2 / 4 + 3 * mass_mul(l, r) / 8 + r2 / 5);
    is->volume = cylinder + ball;
    for (int i = 0; i < 3; ++i) {
        is->second[i] = across;
    }
    mass_add_axis(is, along - across, axis);
}

static void mass_of_box(iso__space_solid *is, const iso__space_shape *shape, int exponent) {
    int64_t h[3];
    int32_t R[9];
    for (int i = 0; i < 3; ++i) {
        h[i] = mass_scale(shape->vertices[3 + i], exponent);
    }
    is->volume = 8 * mass_mul(mass_mul(h[0], h[1]), h[2]);
    iso__quat_matrix(&shape->vertices[6], R);
    for (int i = 0; i < 3; ++i) {
        const int32_t axis[3] = {R[i], R[3 + i], R[6 + i]};
        mass_add_axis(is, mass_mul(is->volume, mass_mul(h[i], h[i])) / 3, axis);
    }
}

// A hull's corners are up to two units from its first vertex. With lengths by a quarter no sum of three of them, and no
// product of two such sums, leaves Q.60; volumes are then by 4^3, second moments by 4^5 too small.
#define HULL_LENGTH 2
#define HULL_VOLUME 6
#define HULL_SECOND 10

/// A corner about the first vertex, a quarter of the scaled length.
static void mass_corner(const iso__space_hull *hull, uint32_t vertex, int exponent, int64_t corner[3]) {
    for (int i = 0; i < 3; ++i) {
        corner[i] = mass_scale((int64_t)hull->vertices[vertex][i] - hull->vertices[0][i], exponent + HULL_LENGTH);
    }
}

/// Adds the tetrahedron of the first vertex and a triangle of a face; the moments are about that vertex.
static void mass_add_tetrahedron(const int64_t a[3], const int64_t b[3], const int64_t c[3], int64_t *volume,
                                 int64_t first[3], int64_t second[6]) {
    const int64_t cross[3] = {mass_mul(b[1], c[2]) - mass_mul(b[2], c[1]), mass_mul(b[2], c[0]) - mass_mul(b[0], c[2]),
                              mass_mul(b[0], c[1]) - mass_mul(b[1], c[0])};
    const int64_t v = (mass_mul(a[0], cross[0]) + mass_mul(a[1], cross[1]) + mass_mul(a[2], cross[2])) / 6;
    int64_t s[3];
    *volume += v;
    for (int i = 0; i < 3; ++i) {
        s[i] = a[i] + b[i] + c[i];
        first[i] += mass_mul(v, s[i]) / 4;
    }
    for (int e = 0; e < 6; ++e) {
        const int i = MASS_ROWS[e], k = MASS_COLUMNS[e];
        const int64_t sum = mass_mul(s[i], s[k]) + mass_mul(a[i], a[k]) + mass_mul(b[i], b[k]) + mass_mul(c[i], c[k]);
        second[e] += mass_mul(v, sum) / 20;
    }
}

void iso__space_mass_of_hull(const iso__space_hull *hull, const int32_t about[3], int8_t exponent,
                             iso__space_solid *is) {
    int64_t volume = 0, first[3] = {0, 0, 0}, second[6] = {0}, centre[3];
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        int64_t a[3], b[3], c[3];
        mass_corner(hull, hull->ring[hull->first[f]], exponent, a);
        for (uint32_t r = hull->first[f] + 1u; r + 1 < hull->first[f + 1]; ++r) {
            mass_corner(hull, hull->ring[r], exponent, b);
            mass_corner(hull, hull->ring[r + 1], exponent, c);
            mass_add_tetrahedron(a, b, c, &volume, first, second);
        }
    }
    for (int i = 0; i < 3; ++i) {
        const int64_t exact = volume > 0 ? iso__div_shift(first[i], MASS_FRACTION, volume) : 0;
        const unsigned shift = (unsigned)(MASS_FRACTION - ISO__LENGTH_FRACTION - exponent - HULL_LENGTH);
        const int64_t inside = iso__round_shift(exact, shift);
        is->middle[i] = (int64_t)about[i] + hull->vertices[0][i] + inside;
        // Moments are about the rounded centre.
        centre[i] = iso__shl64(inside, shift);
    }
    for (int e = 0; e < 6; ++e) {
        const int64_t apart = mass_mul(volume, mass_mul(centre[MASS_ROWS[e]], centre[MASS_COLUMNS[e]]));
        is->second[e] = iso__shl64(second[e] - apart, HULL_SECOND);
    }
    is->volume = iso__shl64(volume, HULL_VOLUME);
}

/// Adds the product of a density, Q15.16, and an integral, Q.60.
static void mass_add(iso__int128 *sum, int32_t density, int64_t integral) {
    *sum = iso__int128_add(*sum, iso__int128_mul(density, integral));
}

void iso__space_mass_add_shape(iso__space_mass_sums *sums, const iso__space_shape *shape, const iso__space_solid *hull,
                               const int32_t centre[3]) {
    iso__space_solid is = {0};
    const int exponent = sums->exponent;
    const int64_t r = mass_scale(shape->radius, exponent);
    int64_t place[3]; // of its middle from the centre, scaled
    for (int i = 0; i < 3; ++i) {
        is.middle[i] = shape->vertices[i];
    }
    switch ((iso_shape3_kind)shape->kind) {
    case ISO_SHAPE3_SPHERE:
        mass_of_sphere(&is, r);
        break;
    case ISO_SHAPE3_CAPSULE:
        mass_of_capsule(&is, shape, r, exponent);
        break;
    case ISO_SHAPE3_BOX:
        mass_of_box(&is, shape, exponent);
        break;
    case ISO_SHAPE3_HULL:
        is = *hull;
        break;
    case ISO_SHAPE3_PLANE:
    case ISO_SHAPE3_HEIGHTS:
        return;
    }
    for (int i = 0; i < 3; ++i) {
        // A capsule's middle is in half quanta: the sum of its ends, with one bit less to shift.
        const bool is_capsule = shape->kind == ISO_SHAPE3_CAPSULE;
        const int64_t middle =
            is_capsule ? is.middle[i] + shape->vertices[3 + i] - 2 * (int64_t)centre[i] : is.middle[i] - centre[i];
        place[i] = mass_scale(middle, is_capsule ? exponent + 1 : exponent);
        mass_add(&sums->first[i], shape->density, mass_mul(is.volume, place[i]));
    }
    for (int e = 0; e < 6; ++e) {
        const int64_t apart = mass_mul(place[MASS_ROWS[e]], place[MASS_COLUMNS[e]]);
        mass_add(&sums->second[e], shape->density, is.second[e] + mass_mul(is.volume, apart));
    }
    mass_add(&sums->mass, shape->density, is.volume);
}

// ---- extents -------------------------------------------------------------------------------------

/// A corner of a box from a point, Q.24: bit i of `corner` is the side along axis i.
static void extent_box_corner(const iso__space_shape *shape, const int32_t R[9], uint32_t corner, const int32_t from[3],
                              int64_t place[3]) {
    int32_t local[3];
    for (int i = 0; i < 3; ++i) {
        local[i] = (corner >> i & 1) != 0 ? shape->vertices[3 + i] : iso__neg32(shape->vertices[3 + i]);
    }
    for (int i = 0; i < 3; ++i) {
        const int64_t turned = iso__round_shift(
            (int64_t)R[3 * i] * local[0] + (int64_t)R[3 * i + 1] * local[1] + (int64_t)R[3 * i + 2] * local[2], 30);
        place[i] = turned + shape->vertices[i] - from[i];
    }
}

typedef struct extent_search {
    const int32_t *axis; // of extents along one; NULL: the distances count
    int64_t largest;
    uint64_t square; // of the largest distance, Q.48
} extent_search;

static void extent_add(extent_search *search, const int64_t place[3]) {
    if (search->axis != NULL) {
        // Pieces reach at most 121 m, 2^31, from anywhere in their body: the sum stays below 2^63.
        const int64_t along = place[0] * search->axis[0] + place[1] * search->axis[1] + place[2] * search->axis[2];
        search->largest = iso__max64(search->largest, (int64_t)(iso__abs_u64(along) >> 30) + 1);
        return;
    }
    // One root for all points: it grows with the square. Only what is too far for any body needs one of its own.
    if (((iso__abs_u64(place[0]) | iso__abs_u64(place[1]) | iso__abs_u64(place[2])) >> 31) != 0) {
        search->largest = iso__max64(search->largest, iso__length3(place) + 1);
        return;
    }
    const uint64_t square =
        (uint64_t)(place[0] * place[0]) + (uint64_t)(place[1] * place[1]) + (uint64_t)(place[2] * place[2]);
    search->square = square > search->square ? square : search->square;
}

/// The largest distance of the points that a shape is the hull of, or the largest extent along an axis; its radius is
/// not in it.
static int64_t extent_of(const iso__space_shape *shape, const int32_t from[3], const int32_t *axis) {
    extent_search search = {.axis = axis};
    int64_t place[3];
    if (shape->kind == ISO_SHAPE3_BOX) {
        int32_t R[9];
        iso__quat_matrix(&shape->vertices[6], R);
        for (uint32_t corner = 0; corner < 8; ++corner) {
            extent_box_corner(shape, R, corner, from, place);
            extent_add(&search, place);
        }
    } else {
        for (uint32_t p = 0; p < shape->vertex_count; ++p) {
            for (int i = 0; i < 3; ++i) {
                place[i] = (int64_t)shape->vertices[3 * p + (uint32_t)i] - from[i];
            }
            extent_add(&search, place);
        }
    }
    const int64_t distance = axis != NULL ? 0 : (int64_t)iso__isqrt64(search.square) + 1;
    return iso__max64(search.largest, distance);
}

int32_t iso__space_shape_extent(const iso__space_shape *shape, const int32_t from[3]) {
    if (iso__space_shape_is_ground(shape->kind)) {
        return 0;
    }
    return iso__saturate32(extent_of(shape, from, NULL) + shape->radius);
}

int32_t iso__space_shape_extent_along(const iso__space_shape *shape, const int32_t from[3], const int32_t axis[3]) {
    if (iso__space_shape_is_ground(shape->kind)) {
        return 0;
    }
    return iso__saturate32(extent_of(shape, from, axis) + shape->radius);
}
