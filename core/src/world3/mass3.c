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
/// Checked against quadrature in tests/unit/world3/test_mass3.c.
#include "world3/mass3.h"

#include "collide3/hull3.h"
#include "math/fixed_ops.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "math/wide128.h"

/// The integrals of one shape for density one, Q31.32, scaled.
typedef struct solid {
    int64_t volume;
    int64_t centre[3];
    int64_t second[6]; // about the centre
} solid;

static int64_t mass_mul(int64_t a, int64_t b) {
    return iso__mul_shift(a, b, 32);
}

/// Q7.24 metres to Q31.32 units of 2^exponent; the exponent is at most 7, so nothing is lost.
static int64_t mass_scale(int32_t length, int exponent) {
    return iso__shl64(length, (unsigned)(8 - exponent));
}

static const uint8_t MASS_ROWS[6] = {0, 1, 2, 0, 0, 1}, MASS_COLUMNS[6] = {0, 1, 2, 1, 2, 2};

/// Adds s u u^T for a unit vector u, Q2.30.
static void mass_add_axis(solid *is, int64_t s, const int32_t u[3]) {
    for (int e = 0; e < 6; ++e) {
        is->second[e] += iso__mul_shift(s, (int64_t)u[MASS_ROWS[e]] * u[MASS_COLUMNS[e]], 60);
    }
}

static void mass_of_sphere(solid *is, int64_t r) {
    const int64_t r2 = mass_mul(r, r);
    is->volume = iso__mul_div(mass_mul(ISO_WIDE_PI, mass_mul(r2, r)), 4, 3);
    for (int i = 0; i < 3; ++i) {
        is->second[i] = mass_mul(is->volume, r2) / 5;
    }
}

static void mass_of_capsule(solid *is, const iso__shape3 *shape, int64_t r, int exponent) {
    const int32_t *v = shape->vertices;
    const int64_t way[3] = {(int64_t)v[3] - v[0], (int64_t)v[4] - v[1], (int64_t)v[5] - v[2]};
    int32_t axis[3];
    const int64_t l = iso__shl64(iso__normalize3(way, axis), (unsigned)(8 - exponent));
    const int64_t r2 = mass_mul(r, r), l2 = mass_mul(l, l);
    const int64_t cylinder = mass_mul(mass_mul(ISO_WIDE_PI, r2), l);
    const int64_t ball = iso__mul_div(mass_mul(ISO_WIDE_PI, mass_mul(r2, r)), 4, 3);
    const int64_t across = mass_mul(cylinder, r2) / 4 + mass_mul(ball, r2) / 5;
    const int64_t along = mass_mul(cylinder, l2) / 12 + mass_mul(ball, l2 / 4 + 3 * mass_mul(l, r) / 8 + r2 / 5);
    is->volume = cylinder + ball;
    for (int i = 0; i < 3; ++i) {
        is->second[i] = across;
    }
    mass_add_axis(is, along - across, axis);
}

static void mass_of_box(solid *is, const iso__shape3 *shape, int exponent) {
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

/// A corner of a face about the first vertex, scaled.
static void mass_corner(const iso__hull3 *hull, uint32_t vertex, int exponent, int64_t corner[3]) {
    for (int i = 0; i < 3; ++i) {
        corner[i] = iso__shl64((int64_t)hull->vertices[vertex][i] - hull->vertices[0][i], (unsigned)(8 - exponent));
    }
}

/// Adds the tetrahedron of the first vertex and a triangle of a face; `first` and `second` are about that vertex.
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

/// @param middle  [m] Q.24 of the body's frame: the centre of the hull
static void mass_of_hull(solid *is, const iso__shape3 *shape, int exponent, int64_t middle[3]) {
    iso__hull3 hull;
    int64_t first[3] = {0, 0, 0}, second[6] = {0};
    if (iso__hull3_make((const int32_t(*)[3])shape->vertices, shape->vertex_count, &hull) != ISO_OK) {
        return; // iso_shape3_def_check refuses it
    }
    for (uint32_t f = 0; f < hull.face_count; ++f) {
        int64_t a[3], b[3], c[3];
        mass_corner(&hull, hull.ring[hull.first[f]], exponent, a);
        for (uint32_t r = hull.first[f] + 1u; r + 1 < hull.first[f + 1]; ++r) {
            mass_corner(&hull, hull.ring[r], exponent, b);
            mass_corner(&hull, hull.ring[r + 1], exponent, c);
            mass_add_tetrahedron(a, b, c, &is->volume, first, second);
        }
    }
    int64_t centre[3];
    for (int i = 0; i < 3; ++i) {
        centre[i] = is->volume > 0 ? iso__div_shift(first[i], 32, is->volume) : 0;
        middle[i] = hull.vertices[0][i] + iso__round_shift(centre[i], (unsigned)(8 - exponent));
        // What the centre is off by rounding goes into the second moments as if it were not.
        centre[i] = iso__shl64(middle[i] - hull.vertices[0][i], (unsigned)(8 - exponent));
    }
    for (int e = 0; e < 6; ++e) {
        is->second[e] = second[e] - mass_mul(is->volume, mass_mul(centre[MASS_ROWS[e]], centre[MASS_COLUMNS[e]]));
    }
}

void iso__mass3_add_shape(iso__mass3_sums *sums, const iso__shape3 *shape, const int32_t centre[3]) {
    solid is = {0};
    const int exponent = sums->exponent;
    const int64_t r = mass_scale(shape->radius, exponent);
    int64_t middle[3] = {shape->vertices[0], shape->vertices[1], shape->vertices[2]}; // Q.24
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
        mass_of_hull(&is, shape, exponent, middle);
        break;
    case ISO_SHAPE3_PLANE:
        return;
    }
    const int64_t density = iso__shl64(shape->density, 16);
    for (int i = 0; i < 3; ++i) {
        // A capsule's middle is in half quanta: the sum of its ends, with one bit less to shift.
        const bool is_capsule = shape->kind == ISO_SHAPE3_CAPSULE;
        middle[i] = is_capsule ? middle[i] + shape->vertices[3 + i] - 2 * (int64_t)centre[i] : middle[i] - centre[i];
        is.centre[i] = iso__shl64(middle[i], (unsigned)((is_capsule ? 7 : 8) - exponent));
        sums->first[i] += mass_mul(density, mass_mul(is.volume, is.centre[i]));
    }
    for (int e = 0; e < 6; ++e) {
        const int64_t apart = mass_mul(is.centre[MASS_ROWS[e]], is.centre[MASS_COLUMNS[e]]);
        sums->second[e] += mass_mul(density, is.second[e] + mass_mul(is.volume, apart));
    }
    sums->mass += mass_mul(density, is.volume);
}

// ---- extents -------------------------------------------------------------------------------------

/// A corner of a box from a point, Q.24: bit i of `corner` is the side along axis i.
static void extent_box_corner(const iso__shape3 *shape, const int32_t R[9], uint32_t corner, const int32_t from[3],
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

typedef int64_t extent_measure(const int64_t place[3], const int32_t *axis);

/// The largest measure of the points that a shape is the hull of; its radius is not in it.
static int64_t extent_of(const iso__shape3 *shape, const int32_t from[3], extent_measure *measure,
                         const int32_t *axis) {
    int64_t largest = 0, place[3];
    if (shape->kind == ISO_SHAPE3_BOX) {
        int32_t R[9];
        iso__quat_matrix(&shape->vertices[6], R);
        for (uint32_t corner = 0; corner < 8; ++corner) {
            extent_box_corner(shape, R, corner, from, place);
            largest = iso__max64(largest, measure(place, axis));
        }
        return largest;
    }
    for (uint32_t p = 0; p < shape->vertex_count; ++p) {
        for (int i = 0; i < 3; ++i) {
            place[i] = (int64_t)shape->vertices[3 * p + (uint32_t)i] - from[i];
        }
        largest = iso__max64(largest, measure(place, axis));
    }
    return largest;
}

static int64_t extent_distance(const int64_t place[3], const int32_t *axis) {
    (void)axis;
    return iso__length3(place) + 1;
}

static int64_t extent_along(const int64_t place[3], const int32_t *axis) {
    // Pieces reach at most 121 m, 2^31, from anywhere in their body: the sum stays below 2^63.
    const int64_t along = place[0] * axis[0] + place[1] * axis[1] + place[2] * axis[2];
    return (int64_t)(iso__abs_u64(along) >> 30) + 1;
}

int32_t iso__shape3_extent(const iso__shape3 *shape, const int32_t from[3]) {
    if (shape->kind == ISO_SHAPE3_PLANE) {
        return 0;
    }
    return iso__saturate32(extent_of(shape, from, extent_distance, NULL) + shape->radius);
}

int32_t iso__shape3_extent_along(const iso__shape3 *shape, const int32_t from[3], const int32_t axis[3]) {
    if (shape->kind == ISO_SHAPE3_PLANE) {
        return 0;
    }
    return iso__saturate32(extent_of(shape, from, extent_along, axis) + shape->radius);
}
