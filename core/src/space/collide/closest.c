/// See closest.h.
///
/// Outside of a solid the nearest point is on a face that p sees, or on an edge of one. A face has it when p is over
/// it, which is decided without rounding but of the edges' normals; where this errs, the edge is as near. So the
/// nearest of all candidates is right, and none is worse than what rounding makes of it. Inside, it is on the face that
/// is least far.
#include "space/collide/closest.h"

/// What is the nearest of the core so far.
typedef struct closest3 {
    int64_t distance;
    int64_t point[3];
    int32_t normal[3]; // zero: that from the point to p
} closest3;

static void closest_set_face(const iso__space_piece *piece, uint32_t face, int64_t height, const int64_t p[3],
                             closest3 *is) {
    is->distance = height;
    for (int i = 0; i < 3; ++i) {
        is->normal[i] = piece->normals[face][i];
        is->point[i] = p[i] - iso__mul_shift(is->normal[i], height, ISO__UNIT_FRACTION);
    }
}

static void closest_try_point(const int64_t point[3], const int64_t p[3], closest3 *is) {
    const int64_t way[3] = {p[0] - point[0], p[1] - point[1], p[2] - point[2]};
    const int64_t distance = iso__length3(way);
    if (distance < is->distance) {
        is->distance = distance;
        for (int i = 0; i < 3; ++i) {
            is->normal[i] = 0;
            is->point[i] = point[i];
        }
    }
}

/// Whether p is on the inner side of a face's edge, seen along the face's normal.
static bool closest_is_inside(const int32_t n[3], const int64_t a[3], const int64_t b[3], const int64_t p[3]) {
    iso__int128 sum = {0, 0};
    for (int i = 0; i < 3; ++i) {
        const int k = i == 2 ? 0 : i + 1, l = 3 - i - k;
        const int64_t across = iso__dot_shift(n[k], b[l] - a[l], -(int64_t)n[l], b[k] - a[k], ISO__UNIT_FRACTION);
        sum = iso__int128_add(sum, iso__int128_mul(across, p[i] - a[i]));
    }
    return iso__int128_sign(sum) >= 0;
}

/// A face that p sees: its inside, or else its edges.
static void closest_try_face(const iso__space_piece *piece, uint32_t face, int64_t height, const int64_t p[3],
                             closest3 *is) {
    const iso__space_hull *solid = piece->solid;
    const uint32_t begin = solid->first[face], end = solid->first[face + 1];
    bool is_over = true;
    for (uint32_t i = begin; i < end; ++i) {
        const int64_t *a = piece->vertices[solid->ring[i]];
        const int64_t *b = piece->vertices[solid->ring[i + 1 < end ? i + 1 : begin]];
        if (!closest_is_inside(piece->normals[face], a, b, p)) {
            int64_t nearest[3];
            iso__space_piece_nearest(a, b, p, nearest);
            closest_try_point(nearest, p, is);
            is_over = false;
        }
    }
    if (is_over && height < is->distance) {
        closest_set_face(piece, face, height, p, is);
    }
}

static void closest_of_solid(const iso__space_piece *piece, const int64_t p[3], closest3 *is) {
    int64_t heights[ISO__SPACE_HULL_FACES] = {0};
    uint32_t highest = 0;
    for (uint32_t f = 0; f < piece->solid->face_count; ++f) {
        heights[f] = iso__space_piece_along(piece->normals[f], p) - piece->offsets[f];
        highest = heights[f] > heights[highest] ? f : highest;
    }
    for (uint32_t f = 0; f < piece->solid->face_count && heights[highest] > 0; ++f) {
        if (heights[f] > 0) {
            closest_try_face(piece, f, heights[f], p, is);
        }
    }
    if (heights[highest] <= 0 || is->distance < ISO__SPACE_PIECE_NOISE) {
        closest_set_face(piece, highest, heights[highest], p, is);
    }
}

void iso__space_piece_closest(const iso__space_piece *piece, const int64_t p[3], iso__space_piece_point *closest) {
    closest3 is = {.distance = INT64_MAX};
    if (piece->solid != NULL) {
        closest_of_solid(piece, p, &is);
    } else if (piece->vertex_count == 0) {
        closest_set_face(piece, 0, iso__space_piece_along(piece->normals[0], p) - piece->offsets[0], p, &is);
    } else {
        int64_t nearest[3];
        iso__space_piece_nearest(piece->vertices[0], piece->vertices[piece->vertex_count - 1], p, nearest);
        closest_try_point(nearest, p, &is);
    }
    if ((is.normal[0] | is.normal[1] | is.normal[2]) == 0) {
        const int64_t way[3] = {p[0] - is.point[0], p[1] - is.point[1], p[2] - is.point[2]};
        if (iso__normalize3(way, is.normal) == 0) { // on the core of a round piece: any direction across it
            const int64_t *a = piece->vertices[0], *b = piece->vertices[piece->vertex_count - 1];
            int32_t along[3], other[3];
            const bool is_line = iso__normalize3((const int64_t[3]){b[0] - a[0], b[1] - a[1], b[2] - a[2]}, along) != 0;
            iso__tangents3(is_line ? along : (const int32_t[3]){ISO__UNIT_ONE, 0, 0}, is.normal, other);
        }
    }
    closest->distance = is.distance - piece->radius;
    for (int i = 0; i < 3; ++i) {
        closest->normal[i] = is.normal[i];
        closest->point[i] = is.point[i] + iso__mul_shift(is.normal[i], piece->radius, ISO__UNIT_FRACTION);
    }
}
