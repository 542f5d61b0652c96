/// See separate.h.
///
/// The gap along an axis is that of the outermost vertices, whatever the axis is: an axis that is a little off shows a
/// gap that is a little smaller, never one that is not there. Solids are apart along a face's normal or the cross of
/// two edges whose faces' normals, as arcs on the sphere of directions, cross (the Gauss map). A segment that overlaps
/// a solid is taken likewise; else one of its ends or a point of it and one of an edge are the nearest. Only round
/// pieces have a radius, so that the gap of their cores has to be exact; solids have none.
#include "space/collide/separate.h"

#include "space/collide/closest.h"
#include "space/collide/segment.h"
#include "space/collide/vec_ops.h"

#define SEPARATE3_PARALLEL (INT64_C(1) << 32) // the sine of two directions, Q.58: 1.5e-8, their cross is rounding
#define SEPARATE3_CLEAR    4096 // [m] Q31.32: 1e-6, solids whose faces part them by more than this are apart
#define SEPARATE3_REACH    (360 * ISO_WIDE_ONE)
#define SEPARATE3_NOISE    (INT64_C(1) << 34) // likewise of a direction and a plane, Q.60

/// The best axis so far, from a to b. Of equal ones the first.
typedef struct search3 {
    const iso__space_piece *a, *b;
    int64_t best;
    int32_t axis[3];
} search3;

static void search_set(search3 *is, int64_t gap, const int32_t n[3], bool is_back) {
    is->best = gap;
    for (int i = 0; i < 3; ++i) {
        is->axis[i] = is_back ? -n[i] : n[i];
    }
}

/// The vertex that is farthest along n.
static int64_t piece_reach(const iso__space_piece *piece, const int32_t n[3]) {
    int64_t reach = INT64_MIN;
    for (uint32_t i = 0; i < piece->vertex_count; ++i) {
        reach = iso__max64(reach, iso__space_piece_along(n, piece->vertices[i]));
    }
    return reach;
}

static void search_along(search3 *is, const int32_t n[3]) {
    const int32_t back[3] = {-n[0], -n[1], -n[2]};
    const int64_t gap = -piece_reach(is->b, back) - piece_reach(is->a, n);
    if (gap > is->best) {
        search_set(is, gap, n, false);
    }
}

/// The faces of one piece, a solid, from which the other is farthest.
static void search_faces(search3 *is, const iso__space_piece *of, const iso__space_piece *from, bool is_back) {
    for (uint32_t f = 0; f < of->solid->face_count; ++f) {
        int64_t gap = INT64_MAX;
        for (uint32_t i = 0; i < from->vertex_count && gap > is->best; ++i) {
            gap = iso__min64(gap, iso__space_piece_along(of->normals[f], from->vertices[i]) - of->offsets[f]);
        }
        if (gap > is->best) {
            search_set(is, gap, of->normals[f], is_back);
        }
    }
}

static iso__int128 dot_wide(const int64_t a[3], const int64_t b[3]) {
    const iso__int128 sum = iso__int128_add(iso__int128_mul(a[0], b[0]), iso__int128_mul(a[1], b[1]));
    return iso__int128_add(sum, iso__int128_mul(a[2], b[2]));
}

/// The cross of two edges, through a vertex of each, which is out of b's edge when `out` is.
static void search_edges(search3 *is, const int32_t along_a[3], const int64_t at_a[3], const int32_t along_b[3],
                         const int64_t at_b[3], const int32_t out[3]) {
    int64_t cross[3];
    int32_t n[3];
    iso__cross3(along_a, along_b, cross);
    for (int i = 0; i < 3; ++i) {
        cross[i] = iso__round_shift(cross[i], 2); // Q.58, so that a scalar product of it and a direction fits 128 bits
    }
    const bool is_out = iso__int128_sign(dot_wide(cross, (const int64_t[3]){out[0], out[1], out[2]})) > 0;
    for (int i = 0; i < 3; ++i) {
        cross[i] = is_out ? -cross[i] : cross[i]; // from a to b is into b
    }
    // The cross is no longer than one, so that this is no less than the gap where it is below zero.
    const int64_t apart[3] = {at_b[0] - at_a[0], at_b[1] - at_a[1], at_b[2] - at_a[2]};
    const int64_t at_most = iso__int128_saturate(iso__int128_round_shift(dot_wide(cross, apart), 58));
    if (at_most <= iso__min64(is->best, -1) || iso__normalize3(cross, n) < SEPARATE3_PARALLEL) {
        return;
    }
    if (iso__space_piece_along(n, apart) > is->best) { // no vertex makes it larger
        search_along(is, n);
    }
}

// ---- solids --------------------------------------------------------------------------------------

/// On which side of the plane across an edge of one solid the normal of a face of the other points: bits 0 to one side,
/// 1 to the other, both when it is in the plane but for rounding.
typedef struct sides3 {
    uint8_t of[ISO__SPACE_HULL_EDGES][ISO__SPACE_HULL_FACES];
} sides3;

static void sides_find(const iso__space_piece *edges_of, const iso__space_piece *faces_of, sides3 *sides) {
    for (uint32_t e = 0; e < edges_of->solid->edge_count; ++e) {
        for (uint32_t f = 0; f < faces_of->solid->face_count; ++f) {
            const int64_t side = iso__space_ops_cosine(edges_of->directions[e], faces_of->normals[f]); // Q.60
            sides->of[e][f] = (uint8_t)((side > -SEPARATE3_NOISE ? 1 : 0) | (side < SEPARATE3_NOISE ? 2 : 0));
        }
    }
}

/// Whether the normals of an edge's two faces may be on both sides.
static bool sides_may_cross(const sides3 *sides, uint32_t edge, const uint8_t *other) {
    return (sides->of[edge][other[2]] | sides->of[edge][other[3]]) == 3;
}

static void search_solids(search3 *is) {
    const iso__space_hull *of_a = is->a->solid, *of_b = is->b->solid;
    sides3 sides_a, sides_b;
    search_faces(is, is->a, is->b, false);
    search_faces(is, is->b, is->a, true);
    if (is->best > SEPARATE3_CLEAR) {
        return;
    }
    sides_find(is->a, is->b, &sides_a);
    sides_find(is->b, is->a, &sides_b);
    for (uint32_t i = 0; i < of_a->edge_count; ++i) {
        const uint8_t *edge = of_a->edges[i];
        for (uint32_t j = 0; j < of_b->edge_count; ++j) {
            const uint8_t *other = of_b->edges[j];
            if (!sides_may_cross(&sides_a, i, other) || !sides_may_cross(&sides_b, j, edge)) {
                continue;
            }
            int32_t out[3];
            for (int k = 0; k < 3; ++k) { // halves, so that the sum fits
                out[k] = is->b->normals[other[2]][k] / 2 + is->b->normals[other[3]][k] / 2;
            }
            search_edges(is, is->a->directions[i], is->a->vertices[edge[0]], is->b->directions[j],
                         is->b->vertices[other[0]], out);
        }
    }
}

// ---- segments ------------------------------------------------------------------------------------

/// Two points of two cores that may be the nearest.
typedef struct nearest3 {
    int64_t distance;
    int64_t way[3]; // from a to b
} nearest3;

static void nearest_try(const int64_t p[3], const int64_t q[3], nearest3 *is) {
    const int64_t way[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
    const int64_t distance = iso__length3(way);
    if (distance < is->distance) {
        is->distance = distance;
        for (int i = 0; i < 3; ++i) {
            is->way[i] = way[i];
        }
    }
}

static void segment_make(const int64_t a[3], const int64_t b[3], const int64_t from[3], iso__space_segment *segment) {
    for (int i = 0; i < 3; ++i) {
        segment->ends[0][i] = iso__round_shift(a[i] - from[i], 8);
        segment->ends[1][i] = iso__round_shift(b[i] - from[i], 8);
    }
    iso__space_segment_complete(segment);
}

/// What of a segment is near a point: an edge of a box that somebody asks about may be as long as the world is wide.
/// @return false: nothing
static bool segment_cut(const int64_t p[3], const int64_t (*b)[3], int64_t ends[2][3]) {
    int64_t middle[3], way[3];
    iso__space_piece_nearest(b[0], b[1], p, middle);
    iso__space_ops_sub(middle, p, way);
    for (int end = 0; end < 2; ++end) {
        int64_t rest[3];
        iso__space_ops_sub(b[end], middle, rest);
        const int64_t length = iso__length3(rest), most = SEPARATE3_REACH / 2;
        for (int i = 0; i < 3; ++i) {
            ends[end][i] = middle[i] + (length <= most ? rest[i] : iso__mul_div(rest[i], most, length));
        }
    }
    return iso__length3(way) <= SEPARATE3_REACH;
}

/// Two segments. Where they are nearest is found in Q.24 and then, on each, exactly for the other's point: what is left
/// of the first error moves the points along each other, which hardly changes how far they are apart.
static void nearest_try_segments(const int64_t (*a)[3], const int64_t (*b)[3], nearest3 *is) {
    iso__space_segment first, second;
    int64_t at[2], p[3], q[3], ends[2][3];
    if (!segment_cut(a[0], b, ends)) {
        return;
    }
    segment_make(a[0], a[1], a[0], &first);
    segment_make(ends[0], ends[1], a[0], &second);
    iso__space_segment_nearest_two(&first, &second, at);
    iso__space_segment_point(&second, at[1], q);
    for (int i = 0; i < 3; ++i) {
        q[i] = a[0][i] + iso__shl64(q[i], 8);
    }
    for (int n = 0; n < 2; ++n) {
        iso__space_piece_nearest(a[0], a[1], q, p);
        iso__space_piece_nearest(b[0], b[1], p, q);
    }
    nearest_try(p, q, is);
}

/// Points and segments. Cores that cross are parted across both.
static void search_round(search3 *is) {
    const iso__space_piece *a = is->a, *b = is->b;
    const uint32_t last_a = a->vertex_count - 1u, last_b = b->vertex_count - 1u;
    nearest3 nearest = {.distance = INT64_MAX};
    int64_t q[3];
    if (last_a == 0) {
        iso__space_piece_nearest(b->vertices[0], b->vertices[last_b], a->vertices[0], q);
        nearest_try(a->vertices[0], q, &nearest);
    } else if (last_b == 0) {
        iso__space_piece_nearest(a->vertices[0], a->vertices[last_a], b->vertices[0], q);
        nearest_try(q, b->vertices[0], &nearest);
    } else {
        nearest_try_segments(a->vertices, b->vertices, &nearest);
    }
    if (nearest.distance >= ISO__SPACE_PIECE_NOISE) {
        is->best = nearest.distance;
        iso__normalize3(nearest.way, is->axis);
        return;
    }
    int32_t along[2][3], n[3], other[3];
    const iso__space_piece *both[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        const int64_t *from = both[i]->vertices[0], *to = both[i]->vertices[both[i]->vertex_count - 1];
        iso__normalize3((const int64_t[3]){to[0] - from[0], to[1] - from[1], to[2] - from[2]}, along[i]);
    }
    int64_t cross[3];
    iso__cross3(along[0], along[1], cross);
    if (iso__normalize3(cross, n) < INT64_C(1) << 44) { // Q.60: of a point, or along each other
        const bool is_line = (along[0][0] | along[0][1] | along[0][2]) != 0;
        const bool is_other = (along[1][0] | along[1][1] | along[1][2]) != 0;
        iso__tangents3(is_line ? along[0] : is_other ? along[1] : (const int32_t[3]){ISO__UNIT_ONE, 0, 0}, n, other);
    }
    const int32_t back[3] = {-n[0], -n[1], -n[2]};
    search_along(is, n);
    search_along(is, back);
}

/// How high the ends of the segment are over a face of the solid, at most.
static int64_t face_height(const search3 *is, uint32_t face) {
    return piece_reach(is->a, is->b->normals[face]) - is->b->offsets[face];
}

/// A point or segment a and a solid b that are apart.
static void search_nearest(search3 *is) {
    const iso__space_hull *solid = is->b->solid;
    const iso__space_piece *a = is->a;
    nearest3 nearest = {.distance = INT64_MAX};
    iso__space_piece_point closest;
    int32_t axis[3] = {0, 0, 0};
    bool sees[ISO__SPACE_HULL_FACES];
    for (uint32_t i = 0; i < a->vertex_count; ++i) {
        iso__space_piece_closest(is->b, a->vertices[i], &closest);
        if (closest.distance < nearest.distance) {
            nearest.distance = closest.distance;
            for (int k = 0; k < 3; ++k) {
                axis[k] = -closest.normal[k];
            }
        }
    }
    const int64_t of_ends = nearest.distance;
    for (uint32_t f = 0; f < solid->face_count; ++f) {
        sees[f] = face_height(is, f) > 0;
    }
    for (uint32_t e = 0; e < solid->edge_count && a->vertex_count == 2; ++e) {
        if (sees[solid->edges[e][2]] || sees[solid->edges[e][3]]) {
            int64_t edge[2][3];
            for (int k = 0; k < 3; ++k) {
                edge[0][k] = is->b->vertices[solid->edges[e][0]][k];
                edge[1][k] = is->b->vertices[solid->edges[e][1]][k];
            }
            nearest_try_segments(a->vertices, (const int64_t(*)[3])edge, &nearest);
        }
    }
    if (nearest.distance < of_ends) {
        iso__normalize3(nearest.way, axis);
    }
    if (nearest.distance >= ISO__SPACE_PIECE_NOISE) { // else the axis found before is the better one
        search_set(is, nearest.distance, axis, false);
    }
}

/// A point or segment a and a solid b.
static void search_round_solid(search3 *is) {
    const iso__space_piece *a = is->a, *b = is->b;
    search_faces(is, b, a, true);
    if (a->vertex_count == 2) {
        const int64_t *from = a->vertices[0], *to = a->vertices[1];
        int32_t along[3];
        iso__normalize3((const int64_t[3]){to[0] - from[0], to[1] - from[1], to[2] - from[2]}, along);
        for (uint32_t e = 0; e < b->solid->edge_count; ++e) {
            const uint8_t *edge = b->solid->edges[e];
            const int64_t first = iso__space_ops_cosine(along, b->normals[edge[2]]);
            const int64_t second = iso__space_ops_cosine(along, b->normals[edge[3]]);
            if (iso__min64(first, second) > SEPARATE3_NOISE || iso__max64(first, second) < -SEPARATE3_NOISE) {
                continue; // the directions across the segment, a great circle, do not cross the edge's arc
            }
            int32_t out[3];
            for (int k = 0; k < 3; ++k) {
                out[k] = b->normals[edge[2]][k] / 2 + b->normals[edge[3]][k] / 2;
            }
            search_edges(is, along, from, b->directions[e], b->vertices[edge[0]], out);
        }
    }
    if (is->best > 0) {
        search_nearest(is);
    }
}

// ---- all -----------------------------------------------------------------------------------------

/// A half-space a.
static void search_plane(search3 *is) {
    int64_t gap = is->b->vertex_count == 0 ? INT64_MAX / 4 : INT64_MAX;
    for (uint32_t i = 0; i < is->b->vertex_count; ++i) {
        gap = iso__min64(gap, iso__space_piece_along(is->a->normals[0], is->b->vertices[i]) - is->a->offsets[0]);
    }
    search_set(is, gap, is->a->normals[0], false);
}

/// From the one that is rather flat or round to the one that is rather a solid.
static int piece_rank(const iso__space_piece *piece) {
    return piece->solid != NULL ? 2 : piece->vertex_count == 0 ? 0 : 1;
}

int64_t iso__space_piece_separate(const iso__space_piece *a, const iso__space_piece *b, int32_t axis[3]) {
    const bool is_swapped = piece_rank(a) > piece_rank(b);
    search3 is = {.a = is_swapped ? b : a, .b = is_swapped ? a : b, .best = INT64_MIN, .axis = {0, 0, ISO__UNIT_ONE}};
    if (is.a->solid != NULL) {
        search_solids(&is);
    } else if (is.a->vertex_count == 0) {
        search_plane(&is);
    } else if (is.b->solid != NULL) {
        search_round_solid(&is);
    } else {
        search_round(&is);
    }
    for (int i = 0; i < 3; ++i) {
        axis[i] = is_swapped ? -is.axis[i] : is.axis[i];
    }
    return is.best - a->radius - b->radius;
}
