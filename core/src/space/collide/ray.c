/// See ray.h.
///
/// A solid is where all half-spaces of its faces are: the ray is inside between the last one that it enters and the
/// first one that it leaves. Neighbours share their edge, so no ray slips in between. The border of a round piece is
/// made of its ends' spheres and the cylinder between them; the one that is entered first is where the piece is
/// entered.
///
/// Ranges: directions are below 2^62, coordinates near a piece below 2^40, anywhere below 2^50: scalar products are
/// below 2^113, and what is divided by a direction's length is a coordinate again.
#include "space/collide/ray.h"

#include "space/collide/vec_ops.h"

void iso__space_ray_init(iso__space_ray *ray, iso_vec3_wide translation) {
    const int64_t t[3] = {translation.x, translation.y, translation.z};
    const uint64_t bits = iso__abs_u64(t[0]) | iso__abs_u64(t[1]) | iso__abs_u64(t[2]);
    const unsigned shift = bits == 0 ? 0 : iso__clz64(bits) - 3;
    for (int i = 0; i < 3; ++i) {
        ray->direction[i] = iso__shl64(t[i], shift);
    }
    ray->length = iso__length3(ray->direction);
    ray->reach = ray->length >> shift;
}

void iso__space_ray_point(const iso__space_ray *ray, int64_t s, int64_t point[3]) {
    for (int i = 0; i < 3; ++i) {
        point[i] = ray->origin[i] + (ray->length == 0 ? 0 : iso__mul_div(ray->direction[i], s, ray->length));
    }
}

void iso__space_ray_clip(const iso__space_ray *ray, int axis, int64_t low, int64_t high, int64_t part[2]) {
    const int64_t d = ray->direction[axis], o = ray->origin[axis];
    if (d == 0) {
        part[1] = o < low || o > high ? part[0] - 1 : part[1];
        return;
    }
    const int64_t a = iso__mul_div((d > 0 ? low : high) - o, ray->length, d);
    const int64_t b = iso__mul_div((d > 0 ? high : low) - o, ray->length, d);
    // Within the part before anything is added, so that nothing wraps.
    part[0] = iso__clamp64(a, part[0], part[1] + 1);
    part[1] = iso__clamp64(b, part[0] - 1, part[1]);
}

/// v along the ray, in the format of v.
static int64_t ray_along(const iso__space_ray *ray, const int64_t v[3]) {
    iso__int128 sum = {0, 0};
    for (int i = 0; i < 3; ++i) {
        sum = iso__int128_add(sum, iso__int128_mul(ray->direction[i], v[i]));
    }
    return iso__int128_div64(sum, ray->length);
}

int64_t iso__space_ray_approach(iso__space_ray *ray, int64_t extent) {
    int64_t nearest[3];
    const int64_t back[3] = {-ray->origin[0], -ray->origin[1], -ray->origin[2]};
    const int64_t at = ray->length == 0 ? 0 : ray_along(ray, back);
    iso__space_ray_point(ray, iso__clamp64(at, 0, ray->reach), nearest);
    if (iso__length3(nearest) > extent + 8) {
        return -1;
    }
    const int64_t by = iso__max64(at - extent - ISO_WIDE_ONE, 0);
    iso__space_ray_point(ray, by, nearest);
    for (int i = 0; i < 3; ++i) {
        ray->origin[i] = nearest[i];
    }
    ray->reach -= by;
    return by;
}

/// n along the ray's direction, in the format of that.
static int64_t ray_climb(const iso__space_ray *ray, const int32_t n[3]) {
    return iso__space_piece_along(n, ray->direction);
}

static void normal_set(const int32_t n[3], int32_t normal[3]) {
    for (int i = 0; i < 3; ++i) {
        normal[i] = n[i];
    }
}

/// A solid or a half-space.
static bool ray_enter_faces(const iso__space_ray *ray, const iso__space_piece *piece, int64_t *s, int32_t normal[3]) {
    int64_t enter = INT64_MIN, leave = INT64_MAX;
    const uint32_t count = piece->solid == NULL ? 1 : piece->solid->face_count;
    for (uint32_t i = 0; i < count; ++i) {
        const int32_t *n = piece->normals[i];
        const int64_t height = iso__space_piece_along(n, ray->origin) - piece->offsets[i], climb = ray_climb(ray, n);
        if (climb < 0) {
            const int64_t at = iso__mul_div(height, ray->length, -climb);
            if (at > enter) {
                enter = at;
                normal_set(n, normal);
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

/// Half of the chord that a line at a distance `off` from the middle has in a circle; -1: it passes by.
static int64_t half_chord(uint64_t off, int64_t radius) {
    const uint64_t r = (uint64_t)radius;
    return off > r ? -1 : (int64_t)iso__isqrt128(iso__umul128(r - off, r + off));
}

/// How far a line along d through a point lies from the origin, given the way v to that point: |d x v| / |d|.
static uint64_t line_distance(const int64_t d[3], int64_t length, const int64_t v[3]) {
    int64_t across[3];
    for (int i = 0; i < 3; ++i) {
        const int k = i == 2 ? 0 : i + 1, l = 3 - i - k;
        across[i] =
            iso__int128_div64(iso__int128_sub(iso__int128_mul(d[k], v[l]), iso__int128_mul(d[l], v[k])), length);
    }
    return (uint64_t)iso__length3(across);
}

/// The sphere around a vertex: entered half a chord before the ray is nearest to its centre.
static bool ray_enter_sphere(const iso__space_ray *ray, const int64_t centre[3], int64_t radius, int64_t *s) {
    const int64_t m[3] = {centre[0] - ray->origin[0], centre[1] - ray->origin[1], centre[2] - ray->origin[2]};
    const int64_t along = ray_along(ray, m);
    const int64_t half = half_chord(line_distance(ray->direction, ray->length, m), radius);
    // A ray that begins outside is at most rounded into the sphere.
    *s = iso__max64(along - half, 0);
    return half >= 0 && along > 0;
}

/// v without what of it is along e; both keep their formats.
static void across_axis(const int64_t e[3], int64_t length, const int64_t v[3], int64_t across[3]) {
    iso__int128 sum = {0, 0};
    for (int i = 0; i < 3; ++i) {
        sum = iso__int128_add(sum, iso__int128_mul(e[i], v[i]));
    }
    const int64_t along = iso__int128_div64(sum, length);
    for (int i = 0; i < 3; ++i) {
        across[i] = v[i] - iso__mul_div(e[i], along, length);
    }
}

/// The cylinder between two vertices: as the sphere, seen along its axis.
static bool ray_enter_cylinder(const iso__space_ray *ray, const iso__space_piece *capsule, int64_t *s,
                               int32_t normal[3]) {
    const int64_t *a = capsule->vertices[0], *b = capsule->vertices[1];
    int64_t e[3], m[3], d[3], nearest[3], point[3], out[3];
    for (int i = 0; i < 3; ++i) {
        e[i] = (b[i] - a[i]) * (1 << 20); // so that its length is precise; below 2^60
        m[i] = a[i] - ray->origin[i];
    }
    const int64_t length = iso__length3(e);
    across_axis(e, length, ray->direction, d);
    across_axis(e, length, m, m);
    const int64_t slope = iso__length3(d);
    if (slope < INT64_C(1) << 16) { // along the axis within 2^-45: it enters an end or nothing
        return false;
    }
    iso__int128 sum = {0, 0};
    for (int i = 0; i < 3; ++i) {
        sum = iso__int128_add(sum, iso__int128_mul(d[i], m[i]));
    }
    const int64_t half = half_chord(line_distance(d, slope, m), capsule->radius);
    const int64_t along = iso__int128_div64(sum, slope);
    if (half < 0 || along <= 0) {
        return false;
    }
    *s = iso__mul_div(iso__max64(along - half, 0), ray->length, slope);
    if (*s > ray->reach) {
        return false;
    }
    iso__space_ray_point(ray, *s, point);
    iso__space_piece_nearest(a, b, point, nearest);
    iso__space_ops_sub(point, nearest, out);
    iso__normalize3(out, normal);
    // Only between the ends, where the nearest point is not one of them.
    const bool is_end = (nearest[0] == a[0] && nearest[1] == a[1] && nearest[2] == a[2]) ||
                        (nearest[0] == b[0] && nearest[1] == b[1] && nearest[2] == b[2]);
    return !is_end;
}

static bool ray_enter_round(const iso__space_ray *ray, const iso__space_piece *piece, int64_t *s, int32_t normal[3]) {
    *s = INT64_MAX;
    int64_t at;
    for (uint32_t i = 0; i < piece->vertex_count; ++i) {
        if (ray_enter_sphere(ray, piece->vertices[i], piece->radius, &at) && at < *s) {
            int64_t point[3], out[3];
            *s = at;
            iso__space_ray_point(ray, at, point);
            iso__space_ops_sub(point, piece->vertices[i], out);
            iso__normalize3(out, normal);
        }
    }
    int32_t n[3];
    if (piece->vertex_count == 2 && ray_enter_cylinder(ray, piece, &at, n) && at <= *s) {
        *s = at;
        normal_set(n, normal);
    }
    return *s != INT64_MAX;
}

bool iso__space_ray_enter(const iso__space_ray *ray, const iso__space_piece *piece, int64_t *s, int32_t normal[3]) {
    if (ray->length == 0) {
        return false;
    }
    const bool is_round = piece->solid == NULL && piece->vertex_count > 0;
    const bool is_hit = is_round ? ray_enter_round(ray, piece, s, normal) : ray_enter_faces(ray, piece, s, normal);
    return is_hit && *s <= ray->reach;
}
