/// Mass properties of circles, capsules and rounded convex polygons, exact for the shape as it collides.
///
/// A rounded polygon is the polygon itself, a rectangle on each edge and a circular sector on each vertex.
/// With d the density, integrals about the body's origin:
///
///   triangle (0, a, b)   area A = a x b / 2    first = A (a + b) / 3    second = A (a.a + a.b + b.b) / 6
///   rectangle            area l r, centre c    first = A c              second = A ((l^2 + r^2) / 12 + c.c)
///   sector at v, from direction p to direction q, angle t, radius r
///                        area t r^2 / 2
///                        f = r^3 / 3 (q_y - p_y, p_x - q_x), the first moment about v
///                        first = A v + f       second = t r^4 / 4 + 2 v.f + A v.v
///
/// (the integral of (cos, sin) from p to q is (q_y - p_y, p_x - q_x), so a sector needs no sine).
///
/// A capsule with a segment of length l about the middle c is a rectangle of l by 2 r and two half discs, whose
/// centroids are 4 r / (3 pi) from their straight sides. The radius stands before the bracket, so that a thin and
/// long one loses no bits:
///
///   area r (2 l + pi r)   first = A c   second = r (l^3 / 6 + 2 l r^2 + pi r (l^2 / 4 + r^2 / 2)) + A c.c
///
/// A tapered capsule from a to b is a sector on each end, and the hexagon of the two ends and of the ends of both flat
/// sides, a + r n and b + r n for each side's normal n: triangles and sectors as above. The sector at b goes from the
/// normal on the right to that on the left, the sector at a all the rest of the way around.
///
/// Checked against quadrature in tests/unit/plane/world/test_mass.c.
#include "plane/world/mass.h"

#include "math/fixed_ops.h"
#include "math/wide128.h"
#include "plane/collide/taper.h"
#include "plane/world/segment.h"
#include "plane/world/shape.h"

typedef struct vec {
    int64_t x, y; // Q31.32, scaled
} vec;

typedef struct integrals {
    int64_t area, first_x, first_y, second; // Q31.32, scaled, for density one
} integrals;

static vec mass_scale(int32_t x, int32_t y, int exponent) {
    // Q7.24 metres to Q31.32 units of 2^exponent. The exponent is at most 7, so nothing is lost.
    return (vec){iso__shl64(x, (unsigned)(8 - exponent)), iso__shl64(y, (unsigned)(8 - exponent))};
}

static int64_t mass_dot(vec a, vec b) {
    return iso__dot_shift(a.x, b.x, a.y, b.y, 32);
}

static void mass_add(integrals *sum, int64_t area, vec first, int64_t second) {
    sum->area += area;
    sum->first_x += first.x;
    sum->first_y += first.y;
    sum->second += second;
}

static void mass_add_disc(integrals *sum, vec centre, int64_t radius) {
    const int64_t radius_squared = iso__mul_shift(radius, radius, 32);
    const int64_t area = iso__mul_shift(ISO_WIDE_PI, radius_squared, 32);
    const vec first = {iso__mul_shift(area, centre.x, 32), iso__mul_shift(area, centre.y, 32)};
    mass_add(sum, area, first, iso__mul_shift(area, radius_squared / 2 + mass_dot(centre, centre), 32));
}

static void mass_add_capsule(integrals *sum, vec a, vec b, int64_t radius) {
    const int64_t length = iso_wide_hypot(b.x - a.x, b.y - a.y);
    const int64_t length2 = iso__mul_shift(length, length, 32), radius2 = iso__mul_shift(radius, radius, 32);
    const int64_t pi_radius = iso__mul_shift(ISO_WIDE_PI, radius, 32);
    const vec centre = {(a.x + b.x) / 2, (a.y + b.y) / 2};
    const int64_t area = iso__mul_shift(radius, 2 * length + pi_radius, 32);
    const int64_t middle = iso__mul_shift(length, length2, 32) / 6 + 2 * iso__mul_shift(length, radius2, 32) +
                           iso__mul_shift(pi_radius, length2 / 4 + radius2 / 2, 32);
    const vec first = {iso__mul_shift(area, centre.x, 32), iso__mul_shift(area, centre.y, 32)};
    mass_add(sum, area, first, iso__mul_shift(radius, middle, 32) + iso__mul_shift(area, mass_dot(centre, centre), 32));
}

static void mass_add_triangle(integrals *sum, vec a, vec b) {
    const int64_t area = iso__dot_shift(a.x, b.y, -a.y, b.x, 33);
    const vec first = {iso__mul_div(area, a.x + b.x, 3 * ISO_WIDE_ONE),
                       iso__mul_div(area, a.y + b.y, 3 * ISO_WIDE_ONE)};
    const int64_t squares = mass_dot(a, a) + mass_dot(a, b) + mass_dot(b, b);
    mass_add(sum, area, first, iso__mul_div(area, squares, 6 * ISO_WIDE_ONE));
}

static void mass_add_rim_rectangle(integrals *sum, vec a, vec b, const int32_t normal[2], int64_t radius) {
    const int64_t length = iso_wide_hypot(b.x - a.x, b.y - a.y);
    const int64_t area = iso__mul_shift(length, radius, 32);
    const vec centre = {(a.x + b.x) / 2 + iso__mul_shift(normal[0], radius, 31),
                        (a.y + b.y) / 2 + iso__mul_shift(normal[1], radius, 31)};
    const vec first = {iso__mul_shift(area, centre.x, 32), iso__mul_shift(area, centre.y, 32)};
    const int64_t squares = iso__mul_shift(length, length, 32) + iso__mul_shift(radius, radius, 32);
    mass_add(sum, area, first, iso__mul_shift(area, squares / 12 + mass_dot(centre, centre), 32));
}

static void mass_add_sector(integrals *sum, vec v, const int32_t from[2], const int32_t to[2], int64_t radius) {
    int64_t turns =
        iso_wide_atan2(iso__cross32(from[0], from[1], to[0], to[1]), iso__dot32(from[0], from[1], to[0], to[1]));
    if (turns < 0) { // the larger end of a tapered capsule is more than half of a disc
        turns += ISO_WIDE_ONE;
    }
    const int64_t angle = iso_radians_from_turns(turns);
    const int64_t radius2 = iso__mul_shift(radius, radius, 32);
    const int64_t radius3 = iso__mul_shift(radius2, radius, 32);
    const int64_t radius4 = iso__mul_shift(radius2, radius2, 32);
    const int64_t area = iso__mul_shift(angle, radius2, 33);
    const vec f = {iso__mul_div(radius3, (int64_t)to[1] - from[1], 3 * (INT64_C(1) << ISO__UNIT_FRACTION)),
                   iso__mul_div(radius3, (int64_t)from[0] - to[0], 3 * (INT64_C(1) << ISO__UNIT_FRACTION))};
    const vec first = {iso__mul_shift(area, v.x, 32) + f.x, iso__mul_shift(area, v.y, 32) + f.y};
    const int64_t second =
        iso__mul_shift(angle, radius4, 34) + 2 * mass_dot(v, f) + iso__mul_shift(area, mass_dot(v, v), 32);
    mass_add(sum, area, first, second);
}

static void mass_add_polygon(integrals *sum, const iso__plane_shape *shape, int exponent) {
    const uint32_t count = shape->vertex_count;
    vec points[ISO_POLYGON_VERTICES_MAX];
    for (uint32_t i = 0; i < count; ++i) {
        points[i] = mass_scale(shape->vertices[2 * i], shape->vertices[2 * i + 1], exponent);
    }
    for (uint32_t i = 0; i < count; ++i) {
        mass_add_triangle(sum, points[i], points[i + 1 < count ? i + 1 : 0]);
    }
    if (shape->radius == 0) {
        return;
    }
    const int64_t radius = iso__shl64(shape->radius, (unsigned)(8 - exponent));
    int32_t normals[ISO_POLYGON_VERTICES_MAX][2];
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t next = i + 1 < count ? i + 1 : 0;
        iso__normalize((int64_t)shape->vertices[2 * next + 1] - shape->vertices[2 * i + 1],
                       (int64_t)shape->vertices[2 * i] - shape->vertices[2 * next], &normals[i][0], &normals[i][1]);
    }
    for (uint32_t i = 0; i < count; ++i) {
        const uint32_t next = i + 1 < count ? i + 1 : 0;
        mass_add_rim_rectangle(sum, points[i], points[next], normals[i], radius);
        mass_add_sector(sum, points[next], normals[i], normals[next], radius);
    }
}

static vec mass_beside(vec v, const int32_t normal[2], int64_t radius) {
    return (vec){v.x + iso__mul_shift(normal[0], radius, ISO__UNIT_FRACTION),
                 v.y + iso__mul_shift(normal[1], radius, ISO__UNIT_FRACTION)};
}

static void mass_add_tapered(integrals *sum, const iso__plane_shape *shape, vec a, vec b, int64_t radius_a,
                             int64_t radius_b) {
    const int64_t way[2] = {(int64_t)shape->vertices[2] - shape->vertices[0],
                            (int64_t)shape->vertices[3] - shape->vertices[1]};
    int32_t normals[2][2];
    iso__plane_taper_normals(way, iso__plane_shape_taper(shape), normals);
    const vec hexagon[6] = {a, mass_beside(a, normals[0], radius_a), mass_beside(b, normals[0], radius_b),
                            b, mass_beside(b, normals[1], radius_b), mass_beside(a, normals[1], radius_a)};
    for (uint32_t i = 0; i < 6; ++i) {
        mass_add_triangle(sum, hexagon[i], hexagon[i < 5 ? i + 1 : 0]);
    }
    mass_add_sector(sum, b, normals[0], normals[1], radius_b);
    mass_add_sector(sum, a, normals[1], normals[0], radius_a);
}

void iso__plane_mass_add_shape(iso__plane_mass_sums *sums, const iso__plane_shape *shape) {
    if (shape->density == 0 || shape->kind == ISO_SHAPE_SEGMENT) {
        return;
    }
    integrals sum = {0};
    const vec first = mass_scale(shape->vertices[0], shape->vertices[1], sums->exponent);
    const int64_t radius = iso__shl64(shape->radius, (unsigned)(8 - sums->exponent));
    if (shape->kind == ISO_SHAPE_CIRCLE) {
        mass_add_disc(&sum, first, radius);
    } else if (shape->kind == ISO_SHAPE_CAPSULE) {
        const vec second = mass_scale(shape->vertices[2], shape->vertices[3], sums->exponent);
        const int32_t taper = iso__plane_shape_taper(shape);
        if (taper == 0) {
            mass_add_capsule(&sum, first, second, radius);
        } else {
            mass_add_tapered(&sum, shape, first, second, radius,
                             radius + iso__shl64(taper, (unsigned)(8 - sums->exponent)));
        }
    } else {
        mass_add_polygon(&sum, shape, sums->exponent);
    }
    sums->mass += iso__mul_shift(sum.area, shape->density, 16);
    sums->first[0] += iso__mul_shift(sum.first_x, shape->density, 16);
    sums->first[1] += iso__mul_shift(sum.first_y, shape->density, 16);
    sums->second += iso__mul_shift(sum.second, shape->density, 16);
}

int32_t iso__plane_shape_extent(const iso__plane_shape *shape, int32_t x, int32_t y) {
    if (shape->kind == ISO_SHAPE_SEGMENT) {
        return iso__plane_segment_extent_from(shape, x, y);
    }
    const int32_t taper = iso__plane_shape_taper(shape);
    uint64_t largest = 0;
    int64_t extent = 0;
    for (uint32_t i = 0; i < shape->vertex_count; ++i) {
        const int64_t dx = (int64_t)shape->vertices[2 * i] - x;
        const int64_t dy = (int64_t)shape->vertices[2 * i + 1] - y;
        const uint64_t squared = (uint64_t)(dx * dx) + (uint64_t)(dy * dy);
        largest = squared > largest ? squared : largest;
        if (taper != 0) {
            extent = iso__max64(extent, (int64_t)iso__isqrt64(squared) + iso__plane_taper_at(taper, i));
        }
    }
    extent = (taper != 0 ? extent : (int64_t)iso__isqrt64(largest)) + 1 + shape->radius;
    return extent > INT32_MAX ? INT32_MAX : (int32_t)extent;
}
