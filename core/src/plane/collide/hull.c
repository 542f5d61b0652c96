/// Distances of rounded convex pieces.
///
/// Closest point: the face with the largest distance is, or touches, the nearest feature; beyond one of its ends that
/// is the vertex there (as in manifold_circle.c). Separation: the best of all faces and of the direction between the
/// two nearest vertices (as in manifold_polygon.c), which is exact apart and when overlapping. Of tapered capsules the
/// nearest vertices are those whose circles are.
#include "plane/collide/hull.h"

#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "math/wide128.h"
#include "plane/collide/taper.h"

static int64_t hull_radius(const iso__plane_hull *hull, uint32_t vertex) {
    return hull->radius + iso__plane_taper_at(hull->taper, vertex);
}

/// The leaning normals of a tapered capsule's sides.
static void hull_of_tapered(const iso_shape_def *def, iso_rotation q, iso__plane_hull *hull) {
    const int64_t way[2] = {((int64_t)def->points[1].x - def->points[0].x) * 256,
                            ((int64_t)def->points[1].y - def->points[0].y) * 256};
    int32_t normals[2][2];
    iso__plane_taper_normals(way, ((int64_t)def->radius_b - def->radius) * 256, normals);
    iso__rotate_unit(q, normals[0], hull->normals[0]);
    iso__rotate_unit(q, normals[1], hull->normals[1]);
}

void iso__plane_hull_of_def(const iso_shape_def *def, int64_t x, int64_t y, iso_rotation q, iso__plane_hull *hull) {
    const bool is_segment = def->kind == ISO_SHAPE_SEGMENT;
    hull->count = is_segment ? 2 : def->point_count;
    hull->radius = iso_wide_from_fix16(def->radius);
    hull->taper =
        def->kind == ISO_SHAPE_CAPSULE && def->radius_b != 0 ? iso_wide_from_fix16(def->radius_b) - hull->radius : 0;
    hull->is_one_sided = is_segment;
    for (uint32_t i = 0; is_segment && i < 2; ++i) {
        const iso_vec2_wide p = def->segment[i + 1];
        hull->vertices[i][0] = x + iso__dot_shift(q.c, p.x, -(int64_t)q.s, p.y, ISO__UNIT_FRACTION);
        hull->vertices[i][1] = y + iso__dot_shift(q.s, p.x, q.c, p.y, ISO__UNIT_FRACTION);
    }
    for (uint32_t i = 0; i < def->point_count; ++i) {
        const iso_vec2_wide v = iso__rotate_to_wide(q, def->points[i].x * 256, def->points[i].y * 256);
        hull->vertices[i][0] = x + v.x;
        hull->vertices[i][1] = y + v.y;
    }
    for (uint32_t i = 0; i < hull->count; ++i) {
        const int64_t *a = hull->vertices[i], *b = hull->vertices[i + 1 < hull->count ? i + 1 : 0];
        iso__normalize(b[1] - a[1], a[0] - b[0], &hull->normals[i][0], &hull->normals[i][1]);
    }
    if (hull->taper != 0) {
        hull_of_tapered(def, q, hull);
    }
}

void iso__plane_hull_of_box(const int64_t lower[2], const int64_t upper[2], iso__plane_hull *hull) {
    *hull = (iso__plane_hull){
        .vertices = {{lower[0], lower[1]}, {upper[0], lower[1]}, {upper[0], upper[1]}, {lower[0], upper[1]}},
        .normals = {{0, -ISO__UNIT_ONE}, {ISO__UNIT_ONE, 0}, {0, ISO__UNIT_ONE}, {-ISO__UNIT_ONE, 0}},
        .count = 4,
    };
}

// ---- closest point -------------------------------------------------------------------------------

/// n . (p - v), rounded once.
static int64_t hull_along(const int32_t n[2], const int64_t p[2], const int64_t v[2]) {
    return iso__dot_shift(n[0], p[0] - v[0], n[1], p[1] - v[1], ISO__UNIT_FRACTION);
}

/// The face with the largest distance from p; the lowest index of equal ones.
static uint32_t hull_find_face(const iso__plane_hull *hull, const int64_t p[2], int64_t *along) {
    uint32_t face = 0;
    *along = INT64_MIN;
    for (uint32_t i = 0; i < hull->count; ++i) {
        const int64_t distance =
            hull_along(hull->normals[i], p, hull->vertices[i]) - iso__plane_taper_at(hull->taper, i);
        if (distance > *along) {
            *along = distance;
            face = i;
        }
    }
    return face;
}

/// -1 when p is before the begin of a face, 1 when it is beyond its end, else 0. A tapered capsule's side is along its
/// normal, not along the way from one vertex to the other.
static int hull_side(const iso__plane_hull *hull, uint32_t face, const int64_t p[2]) {
    const int64_t *a = hull->vertices[face], *b = hull->vertices[face + 1 < hull->count ? face + 1 : 0];
    const int64_t ex = hull->taper != 0 ? -(int64_t)hull->normals[face][1] : b[0] - a[0];
    const int64_t ey = hull->taper != 0 ? hull->normals[face][0] : b[1] - a[1];
    if (iso__dot_shift(ex, p[0] - a[0], ey, p[1] - a[1], 0) < 0) {
        return -1;
    }
    return iso__dot_shift(ex, b[0] - p[0], ey, b[1] - p[1], 0) < 0 ? 1 : 0;
}

void iso__plane_hull_closest(const iso__plane_hull *hull, const int64_t p[2], iso__plane_hull_point *closest) {
    int64_t core = 0;
    const uint32_t face = hull_find_face(hull, p, &core);
    // The core of a circle or capsule has no inside.
    const int side = hull->count == 1 ? -1 : hull->count == 2 || core > 0 ? hull_side(hull, face, p) : 0;
    if (side == 0) {
        closest->normal[0] = hull->normals[face][0];
        closest->normal[1] = hull->normals[face][1];
    } else {
        const uint32_t vertex = side < 0 ? face : face + 1 < hull->count ? face + 1 : 0;
        const int64_t *v = hull->vertices[vertex];
        core = iso_wide_hypot(p[0] - v[0], p[1] - v[1]) - iso__plane_taper_at(hull->taper, vertex);
        if (iso__normalize(p[0] - v[0], p[1] - v[1], &closest->normal[0], &closest->normal[1]) == 0) {
            closest->normal[1] = ISO__UNIT_ONE;
        }
    }
    closest->distance = core - hull->radius;
    for (int axis = 0; axis < 2; ++axis) {
        closest->point[axis] = p[axis] - iso__mul_shift(closest->normal[axis], closest->distance, ISO__UNIT_FRACTION);
    }
}

// ---- separation ----------------------------------------------------------------------------------

/// How far b lies from `from` along n, at least; of a tapered capsule its larger end farther out.
static int64_t hull_lowest(const iso__plane_hull *b, const int32_t n[2], const int64_t from[2]) {
    int64_t lowest = INT64_MAX;
    for (uint32_t i = 0; i < b->count; ++i) {
        lowest = iso__min64(lowest, hull_along(n, b->vertices[i], from) - iso__plane_taper_at(b->taper, i));
    }
    return lowest;
}

/// The face of a from which b is farthest. @param axis  its normal
static int64_t hull_face_separation(const iso__plane_hull *a, const iso__plane_hull *b, int32_t axis[2]) {
    int64_t largest = INT64_MIN;
    for (uint32_t i = 0; a->count > 1 && i < a->count; ++i) {
        const int64_t lowest = hull_lowest(b, a->normals[i], a->vertices[i]) - iso__plane_taper_at(a->taper, i);
        if (lowest > largest) {
            largest = lowest;
            axis[0] = a->normals[i][0];
            axis[1] = a->normals[i][1];
        }
    }
    return largest;
}

/// The vertices whose circles are nearest, of pieces one of which is tapered.
static void hull_find_tapered_tips(const iso__plane_hull *a, const iso__plane_hull *b, const int64_t **p,
                                   const int64_t **q) {
    int64_t smallest = INT64_MAX;
    for (uint32_t i = 0; i < a->count; ++i) {
        for (uint32_t j = 0; j < b->count; ++j) {
            const int64_t *from = a->vertices[i], *to = b->vertices[j];
            const int64_t gap = iso_wide_hypot(to[0] - from[0], to[1] - from[1]) - iso__plane_taper_at(a->taper, i) -
                                iso__plane_taper_at(b->taper, j);
            if (gap < smallest) {
                smallest = gap;
                *p = from;
                *q = to;
            }
        }
    }
}

/// The two nearest vertices. Their distances are compared without rounding.
static void hull_find_tips(const iso__plane_hull *a, const iso__plane_hull *b, const int64_t **p, const int64_t **q) {
    iso__int128 smallest = {INT64_MAX, UINT64_MAX};
    for (uint32_t i = 0; i < a->count; ++i) {
        for (uint32_t j = 0; j < b->count; ++j) {
            const int64_t dx = b->vertices[j][0] - a->vertices[i][0], dy = b->vertices[j][1] - a->vertices[i][1];
            const iso__int128 squared = iso__int128_add(iso__int128_mul(dx, dx), iso__int128_mul(dy, dy));
            if (iso__int128_compare(squared, smallest) < 0) {
                smallest = squared;
                *p = a->vertices[i];
                *q = b->vertices[j];
            }
        }
    }
}

/// Along the direction between the two nearest vertices.
static int64_t hull_tip_separation(const iso__plane_hull *a, const iso__plane_hull *b, int32_t axis[2]) {
    const int64_t *p = a->vertices[0], *q = b->vertices[0];
    if ((a->taper | b->taper) != 0) {
        hull_find_tapered_tips(a, b, &p, &q);
    } else {
        hull_find_tips(a, b, &p, &q);
    }
    const bool is_apart = iso__normalize(q[0] - p[0], q[1] - p[1], &axis[0], &axis[1]) != 0;
    if (a->count == 1 && b->count == 1) {
        return iso_wide_hypot(q[0] - p[0], q[1] - p[1]);
    }
    if (!is_apart) {
        return INT64_MIN;
    }
    const int32_t back[2] = {-axis[0], -axis[1]};
    return hull_lowest(b, axis, p) + hull_lowest(a, back, p);
}

int64_t iso__plane_hull_separate(const iso__plane_hull *a, const iso__plane_hull *b, int32_t axis[2]) {
    int32_t of_b[2] = {0, 0}, of_tips[2] = {0, ISO__UNIT_ONE};
    axis[0] = 0;
    axis[1] = ISO__UNIT_ONE;
    int64_t largest = hull_face_separation(a, b, axis);
    const int64_t along_b = hull_face_separation(b, a, of_b), along_tips = hull_tip_separation(a, b, of_tips);
    if (along_b > largest) {
        largest = along_b;
        axis[0] = -of_b[0];
        axis[1] = -of_b[1];
    }
    if (along_tips > largest) {
        largest = along_tips;
        axis[0] = of_tips[0];
        axis[1] = of_tips[1];
    }
    return largest - a->radius - b->radius;
}

int64_t iso__plane_hull_separation(const iso__plane_hull *a, const iso__plane_hull *b) {
    int32_t axis[2];
    return iso__plane_hull_separate(a, b, axis);
}

// ---- rays ----------------------------------------------------------------------------------------

void iso__plane_ray_init(iso__plane_ray *ray, iso_vec2_wide translation) {
    const uint64_t bits = iso__abs_u64(translation.x) | iso__abs_u64(translation.y);
    const unsigned shift = bits == 0 ? 0 : iso__clz64(bits) - 3;
    ray->direction[0] = iso__shl64(translation.x, shift);
    ray->direction[1] = iso__shl64(translation.y, shift);
    ray->length = iso_wide_hypot(ray->direction[0], ray->direction[1]);
    ray->reach = ray->length >> shift;
}

bool iso__plane_ray_is_near(const iso__plane_ray *ray, int64_t extent) {
    const int64_t *d = ray->direction, *o = ray->origin;
    const iso__uint128 across =
        iso__int128_abs(iso__int128_sub(iso__int128_mul(d[0], o[1]), iso__int128_mul(d[1], o[0])));
    const iso__uint128 most = iso__umul128((uint64_t)extent, (uint64_t)ray->length + 1);
    return across.hi < most.hi || (across.hi == most.hi && across.lo <= most.lo);
}

void iso__plane_ray_point(const iso__plane_ray *ray, int64_t s, int64_t point[2]) {
    for (int axis = 0; axis < 2; ++axis) {
        point[axis] = ray->origin[axis] + (ray->length == 0 ? 0 : iso__mul_div(ray->direction[axis], s, ray->length));
    }
}

/// Half-planes: the ray is inside between the last one that it enters and the first one that it leaves. Neighbours
/// share their corner, so no ray slips in between.
static bool ray_enter_sharp(const iso__plane_hull *hull, const iso__plane_ray *ray, int64_t *s, int32_t normal[2]) {
    int64_t enter = INT64_MIN, leave = INT64_MAX;
    for (uint32_t i = 0; i < hull->count; ++i) {
        const int32_t *n = hull->normals[i];
        const int64_t height = hull_along(n, ray->origin, hull->vertices[i]);
        const int64_t climb = iso__dot_shift(n[0], ray->direction[0], n[1], ray->direction[1], ISO__UNIT_FRACTION);
        if (climb < 0) {
            const int64_t at = iso__mul_div(height, ray->length, -climb);
            if (at > enter) {
                enter = at;
                normal[0] = n[0];
                normal[1] = n[1];
            }
        } else if (climb > 0) {
            leave = iso__min64(leave, iso__mul_div(-height, ray->length, climb));
        } else if (height > 0) {
            return false;
        }
    }
    *s = enter;
    return enter >= 0 && enter <= leave;
}

/// The disc around a vertex: entered half a chord before the ray is nearest to its centre.
static bool ray_enter_disc(const iso__plane_hull *hull, uint32_t vertex, const iso__plane_ray *ray, int64_t *s) {
    const int64_t *d = ray->direction, r = hull_radius(hull, vertex);
    const int64_t mx = hull->vertices[vertex][0] - ray->origin[0], my = hull->vertices[vertex][1] - ray->origin[1];
    const int64_t along =
        iso__int128_div64(iso__int128_add(iso__int128_mul(mx, d[0]), iso__int128_mul(my, d[1])), ray->length);
    const int64_t across =
        iso__int128_div64(iso__int128_sub(iso__int128_mul(d[0], my), iso__int128_mul(d[1], mx)), ray->length);
    const uint64_t off = iso__abs_u64(across);
    if (off > (uint64_t)r || along <= 0) {
        return false;
    }
    const int64_t half = (int64_t)iso__isqrt128(iso__umul128((uint64_t)r - off, (uint64_t)r + off));
    // A ray that begins outside is at most rounded into the disc.
    *s = iso__max64(along - half, 0);
    return true;
}

/// The side of a face that is moved out by the radius, between its ends.
static bool ray_enter_side(const iso__plane_hull *hull, uint32_t face, const iso__plane_ray *ray, int64_t *s) {
    const int32_t *n = hull->normals[face];
    const int64_t height = hull_along(n, ray->origin, hull->vertices[face]) - hull_radius(hull, face);
    const int64_t climb = iso__dot_shift(n[0], ray->direction[0], n[1], ray->direction[1], ISO__UNIT_FRACTION);
    if (height < 0 || climb >= 0) {
        return false;
    }
    *s = iso__mul_div(height, ray->length, -climb);
    if (*s > ray->reach) {
        return false;
    }
    int64_t p[2];
    iso__plane_ray_point(ray, *s, p);
    return hull_side(hull, face, p) == 0;
}

/// The border is made of discs' arcs and sides, so the first one that is entered is where the piece is entered.
static bool ray_enter_round(const iso__plane_hull *hull, const iso__plane_ray *ray, int64_t *s, int32_t normal[2]) {
    *s = INT64_MAX;
    int64_t at;
    for (uint32_t i = 0; i < hull->count; ++i) {
        if (ray_enter_disc(hull, i, ray, &at) && at < *s) {
            int64_t p[2];
            *s = at;
            iso__plane_ray_point(ray, at, p);
            iso__normalize(p[0] - hull->vertices[i][0], p[1] - hull->vertices[i][1], &normal[0], &normal[1]);
        }
        if (hull->count > 1 && ray_enter_side(hull, i, ray, &at) && at <= *s) {
            *s = at;
            normal[0] = hull->normals[i][0];
            normal[1] = hull->normals[i][1];
        }
    }
    return *s != INT64_MAX;
}

/// On which side of a ray a vertex is, exactly: neighbours of a chain agree on the point that they share.
static int ray_side(const iso__plane_hull *hull, uint32_t vertex, const iso__plane_ray *ray) {
    const int64_t mx = hull->vertices[vertex][0] - ray->origin[0], my = hull->vertices[vertex][1] - ray->origin[1];
    const iso__int128 across =
        iso__int128_sub(iso__int128_mul(ray->direction[0], my), iso__int128_mul(ray->direction[1], mx));
    return iso__int128_compare(across, (iso__int128){0, 0});
}

/// A segment, against its normal: it begins to the left of the ray and ends to the right.
static bool ray_enter_segment(const iso__plane_hull *hull, const iso__plane_ray *ray, int64_t *s, int32_t normal[2]) {
    const int32_t *n = hull->normals[0];
    const int64_t height = hull_along(n, ray->origin, hull->vertices[0]);
    const int64_t climb = iso__dot_shift(n[0], ray->direction[0], n[1], ray->direction[1], ISO__UNIT_FRACTION);
    if (height < 0 || climb >= 0 || ray_side(hull, 0, ray) < 0 || ray_side(hull, 1, ray) > 0) {
        return false;
    }
    *s = iso__mul_div(height, ray->length, -climb);
    normal[0] = n[0];
    normal[1] = n[1];
    return true;
}

bool iso__plane_hull_cast(const iso__plane_hull *hull, const iso__plane_ray *ray, int64_t *s, int32_t normal[2]) {
    if (ray->length == 0) {
        return false;
    }
    const bool is_hit = hull->is_one_sided  ? ray_enter_segment(hull, ray, s, normal)
                        : hull->radius == 0 ? ray_enter_sharp(hull, ray, s, normal)
                                            : ray_enter_round(hull, ray, s, normal);
    return is_hit && *s <= ray->reach;
}
