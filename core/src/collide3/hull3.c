/// Builds convex hulls without rounding, then joins faces that are nearly one.
///
/// A plane through three points that has no point on one of its sides holds a face: all points on it, less those in its
/// inside. With at most 32 points all 4,960 planes can be tried, most of which are refused after a few points, and the result
/// does not depend on the order of the points. Differences are below 2^31, so components of their products are below 2^63 and
/// a determinant takes 128 bits.
///
/// Faces whose points lie within 2^-12 m of the plane of a larger neighbour become part of it, which keeps its plane: the
/// largest face that can take a neighbour takes its largest one, until none can. Then vertices on no edge are dropped, and
/// everything is numbered by its vertices.
#include "collide3/hull3.h"

#include "collide3/vec_ops3.h"
#include "math/wide128.h"

#define HULL3_EXTENT_MAX   (INT64_C(120) << 24)        // [m] Q.24
#define HULL3_PLANE        (INT64_C(1) << (54 - 12))   // [m] Q.54: 2^-12 m
#define HULL3_EDGE_SQUARED INT64_C(281474977)          // [m^2] Q.48: 1 mm
#define HULL3_VOLUME       UINT64_C(28334198897217871) // [m^3] Q.72: 6 times 1e-6

typedef struct hull3_face {
    uint8_t ring[ISO__HULL3_VERTICES]; // counterclockwise from outside
    uint8_t ring_count;
    uint32_t on_plane; // bits: all points on its plane
    int32_t normal[3]; // Q2.30
    int64_t offset;    // [m] Q.54: of one of its vertices along the normal
    int64_t area;      // [m^2] Q.48, twice
} hull3_face;

typedef struct hull3_builder {
    const int32_t (*points)[3];
    uint32_t count;
    hull3_face faces[ISO__HULL3_FACES];
    uint32_t face_count;
    uint8_t owner[ISO__HULL3_VERTICES]
                 [ISO__HULL3_VERTICES]; // the face with the edge from one point to another, plus one
} hull3_builder;

// ---- faces ---------------------------------------------------------------------------------------

static void hull3_sub(const int32_t a[3], const int32_t b[3], int64_t out[3]) {
    for (int i = 0; i < 3; ++i) {
        out[i] = (int64_t)a[i] - b[i];
    }
}

/// (q - p) x (r - p), exact, Q.48.
static void hull3_cross(const int32_t p[3], const int32_t q[3], const int32_t r[3], int64_t out[3]) {
    int64_t u[3], v[3];
    hull3_sub(q, p, u);
    hull3_sub(r, p, v);
    for (int i = 0; i < 3; ++i) {
        const int k = (i + 1) % 3, l = (i + 2) % 3;
        out[i] = u[k] * v[l] - u[l] * v[k];
    }
}

/// n . (q - p), exact, Q.72.
static iso__int128 hull3_height(const int64_t n[3], const int32_t p[3], const int32_t q[3]) {
    int64_t d[3];
    hull3_sub(q, p, d);
    const iso__int128 sum = iso__int128_add(iso__int128_mul(n[0], d[0]), iso__int128_mul(n[1], d[1]));
    return iso__int128_add(sum, iso__int128_mul(n[2], d[2]));
}

/// Sorts the points of a plane by two coordinates.
static uint32_t hull3_sort(const hull3_builder *builder, uint32_t on_plane, int u, int v, uint8_t *sorted) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < builder->count; ++i) {
        if ((on_plane >> i & 1) == 0) {
            continue;
        }
        const int32_t *p = builder->points[i];
        uint32_t at = count++;
        for (; at > 0; --at) {
            const int32_t *q = builder->points[sorted[at - 1]];
            if (q[u] < p[u] || (q[u] == p[u] && q[v] < p[v])) {
                break;
            }
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = (uint8_t)i;
    }
    return count;
}

/// Whether r is to the left of the way from p to q, seen along one coordinate.
static bool hull3_turns_left(const int32_t *p, const int32_t *q, const int32_t *r, int u, int v) {
    return ((int64_t)q[u] - p[u]) * ((int64_t)r[v] - p[v]) - ((int64_t)q[v] - p[v]) * ((int64_t)r[u] - p[u]) > 0;
}

/// Turns a face's ring so that it begins with its lowest vertex, and around if it is the other way.
static void hull3_turn_ring(hull3_face *face, bool is_reversed) {
    uint8_t ring[ISO__HULL3_VERTICES] = {0};
    uint32_t lowest = 0;
    for (uint32_t i = 0; i < face->ring_count; ++i) {
        ring[i] = face->ring[is_reversed ? face->ring_count - 1 - i : i];
        lowest = ring[i] < ring[lowest] ? i : lowest;
    }
    for (uint32_t i = 0; i < face->ring_count; ++i) {
        face->ring[i] = ring[(lowest + i) % face->ring_count];
    }
}

/// The corners of the points on a plane (Andrew's chains), seen along the coordinate in which its normal is largest.
static void hull3_make_ring(const hull3_builder *builder, const int64_t normal[3], hull3_face *face) {
    int w = 0;
    for (int i = 1; i < 3; ++i) {
        w = iso__abs_u64(normal[i]) > iso__abs_u64(normal[w]) ? i : w;
    }
    const int u = (w + 1) % 3, v = (w + 2) % 3;
    uint8_t sorted[ISO__HULL3_VERTICES], ring[2 * ISO__HULL3_VERTICES];
    const uint32_t count = hull3_sort(builder, face->on_plane, u, v, sorted);
    uint32_t ring_count = 0;
    for (int chain = 0; chain < 2; ++chain) {
        const uint32_t begin = ring_count;
        for (uint32_t i = 0; i < count; ++i) {
            const uint8_t at = sorted[chain == 0 ? i : count - 1 - i];
            while (ring_count >= begin + 2 &&
                   !hull3_turns_left(builder->points[ring[ring_count - 2]], builder->points[ring[ring_count - 1]],
                                     builder->points[at], u, v)) {
                --ring_count;
            }
            ring[ring_count++] = at;
        }
        --ring_count; // the other chain begins with it
    }
    face->ring_count = (uint8_t)ring_count;
    for (uint32_t i = 0; i < ring_count; ++i) {
        face->ring[i] = ring[i];
    }
    hull3_turn_ring(face, normal[w] < 0);
}

/// Twice the area of a face along its normal, from the triangles that its first vertex makes with its edges. Twice the
/// face's projections, so below 2^63.
static void hull3_find_area(const hull3_builder *builder, const hull3_face *face, int64_t area[3]) {
    area[0] = area[1] = area[2] = 0;
    for (uint32_t i = 1; i + 1 < face->ring_count; ++i) {
        int64_t n[3];
        hull3_cross(builder->points[face->ring[0]], builder->points[face->ring[i]], builder->points[face->ring[i + 1]],
                    n);
        for (int k = 0; k < 3; ++k) {
            area[k] += n[k];
        }
    }
}

/// Six times the volume within the faces, Q.72.
static iso__int128 hull3_find_volume(const hull3_builder *builder) {
    iso__int128 volume = {0, 0};
    for (uint32_t i = 0; i < builder->face_count; ++i) {
        int64_t area[3];
        hull3_find_area(builder, &builder->faces[i], area);
        volume =
            iso__int128_add(volume, hull3_height(area, builder->points[0], builder->points[builder->faces[i].ring[0]]));
    }
    return volume;
}

static void hull3_measure_face(const hull3_builder *builder, hull3_face *face) {
    int64_t area[3];
    hull3_find_area(builder, face, area);
    face->area = iso__ops3_normalize(area, face->normal);
    const int32_t *p = builder->points[face->ring[0]];
    const int64_t wide[3] = {p[0], p[1], p[2]};
    face->offset = iso__ops3_dot(face->normal, wide);
}

/// Adds the face through three points, if they have one. False when all points are on one plane, or the faces too many.
static bool hull3_try_plane(hull3_builder *builder, const uint32_t at[3]) {
    const int32_t(*points)[3] = builder->points;
    int64_t normal[3];
    hull3_cross(points[at[0]], points[at[1]], points[at[2]], normal);
    if ((normal[0] | normal[1] | normal[2]) == 0) {
        return true;
    }
    uint32_t on_plane = 0;
    bool has_above = false, has_below = false;
    for (uint32_t i = 0; i < builder->count; ++i) {
        const int sign = iso__int128_sign(hull3_height(normal, points[at[0]], points[i]));
        on_plane |= (uint32_t)(sign == 0) << i;
        has_above = has_above || sign > 0;
        has_below = has_below || sign < 0;
        if (has_above && has_below) {
            return true;
        }
    }
    if ((!has_above && !has_below) || builder->face_count == ISO__HULL3_FACES) {
        return false;
    }
    for (int i = 0; i < 3 && has_above; ++i) {
        normal[i] = -normal[i];
    }
    hull3_face *face = &builder->faces[builder->face_count++];
    face->on_plane = on_plane;
    hull3_make_ring(builder, normal, face);
    return face->ring_count >= 3;
}

static bool hull3_is_known(const hull3_builder *builder, uint32_t on_plane) {
    for (uint32_t i = 0; i < builder->face_count; ++i) {
        if ((on_plane & ~builder->faces[i].on_plane) == 0) {
            return true;
        }
    }
    return false;
}

/// All faces of the points. False when all points are on one plane.
static bool hull3_find_faces(hull3_builder *builder) {
    uint32_t at[3];
    for (at[0] = 0; at[0] < builder->count; ++at[0]) {
        for (at[1] = at[0] + 1; at[1] < builder->count; ++at[1]) {
            for (at[2] = at[1] + 1; at[2] < builder->count; ++at[2]) {
                const uint32_t three = UINT32_C(1) << at[0] | UINT32_C(1) << at[1] | UINT32_C(1) << at[2];
                if (!hull3_is_known(builder, three) && !hull3_try_plane(builder, at)) {
                    return false;
                }
            }
        }
    }
    for (uint32_t i = 0; i < builder->face_count; ++i) {
        hull3_measure_face(builder, &builder->faces[i]);
    }
    return true;
}

// ---- faces that are nearly one -------------------------------------------------------------------

static void hull3_set_owner(hull3_builder *builder, uint32_t f, uint8_t owner) {
    const hull3_face *face = &builder->faces[f];
    for (uint32_t i = 0; i < face->ring_count; ++i) {
        builder->owner[face->ring[i]][face->ring[i + 1 < face->ring_count ? i + 1 : 0]] = owner;
    }
}

/// Whether a face's points are on the plane of a larger one, which it does not fold back over.
static bool hull3_is_part(const hull3_builder *builder, const hull3_face *large, const hull3_face *small) {
    if (large->area < small->area || iso__ops3_cosine(large->normal, small->normal) <= 0) {
        return false;
    }
    for (uint32_t i = 0; i < small->ring_count; ++i) {
        const int32_t *p = builder->points[small->ring[i]];
        const int64_t wide[3] = {p[0], p[1], p[2]};
        if (iso__abs_u64(iso__ops3_dot(large->normal, wide) - large->offset) > (uint64_t)HULL3_PLANE) {
            return false;
        }
    }
    return true;
}

/// The largest face that can take a neighbour, and the largest neighbour that it can take.
static bool hull3_find_parts(const hull3_builder *builder, uint32_t *large, uint32_t *small) {
    bool is_found = false;
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        const hull3_face *face = &builder->faces[f];
        if (is_found && face->area <= builder->faces[*large].area) {
            continue;
        }
        bool has_part = false;
        for (uint32_t i = 0; i < face->ring_count; ++i) {
            const uint32_t owner = builder->owner[face->ring[i + 1 < face->ring_count ? i + 1 : 0]][face->ring[i]];
            if (owner == 0 || owner - 1 == f || !hull3_is_part(builder, face, &builder->faces[owner - 1])) {
                continue;
            }
            if (!has_part || builder->faces[owner - 1].area > builder->faces[*small].area) {
                *small = owner - 1;
                has_part = true;
            }
        }
        if (has_part) {
            *large = f;
            is_found = true;
        }
    }
    return is_found;
}

/// Joins a face to another: what is left of both rings without the edges between them. False when that is not one ring.
static bool hull3_join(hull3_builder *builder, uint32_t large, uint32_t small) {
    uint8_t next[ISO__HULL3_VERTICES] = {0}; // plus one
    uint32_t edge_count = 0, start = 0;
    const uint32_t both[2] = {large, small};
    for (uint32_t m = 0; m < 2; ++m) {
        const hull3_face *face = &builder->faces[both[m]];
        for (uint32_t i = 0; i < face->ring_count; ++i) {
            const uint8_t from = face->ring[i], to = face->ring[i + 1 < face->ring_count ? i + 1 : 0];
            if (builder->owner[to][from] == both[1 - m] + 1) {
                continue;
            }
            if (next[from] != 0) {
                return false;
            }
            next[from] = (uint8_t)(to + 1);
            start = from;
            edge_count += 1;
        }
    }
    hull3_set_owner(builder, large, 0);
    hull3_set_owner(builder, small, 0);
    hull3_face *face = &builder->faces[large];
    face->ring_count = 0;
    uint32_t at = start;
    do {
        if (next[at] == 0 || face->ring_count == ISO__HULL3_VERTICES) {
            return false;
        }
        face->ring[face->ring_count++] = (uint8_t)at;
        at = next[at] - 1u;
    } while (at != start);
    face->area += builder->faces[small].area;
    if (face->ring_count != edge_count || edge_count < 3) {
        return false;
    }
    // The last face takes the place of the one that is gone.
    const uint32_t last = builder->face_count - 1;
    hull3_set_owner(builder, last, 0);
    builder->faces[small] = builder->faces[last];
    builder->face_count -= 1;
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        hull3_set_owner(builder, f, (uint8_t)(f + 1));
    }
    return true;
}

/// False when less than four faces are left, or the solid has become another one: it is smaller than 1e-6 m^3, or than
/// seven eighths of what it was.
static bool hull3_join_faces(hull3_builder *builder) {
    const iso__int128 before = hull3_find_volume(builder);
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        hull3_set_owner(builder, f, (uint8_t)(f + 1));
    }
    uint32_t large = 0, small = 0;
    while (hull3_find_parts(builder, &large, &small)) {
        if (!hull3_join(builder, large, small)) {
            return false;
        }
    }
    const iso__int128 volume = hull3_find_volume(builder), least = {0, HULL3_VOLUME};
    const iso__int128 most_of_it = iso__int128_sub(before, iso__int128_round_shift(before, 3));
    return builder->face_count >= 4 && iso__int128_compare(volume, least) >= 0 &&
           iso__int128_compare(volume, most_of_it) >= 0;
}

// ---- numbers -------------------------------------------------------------------------------------

/// Copies the points that are in a ring, and gives them their new numbers in the rings.
static void hull3_number_vertices(hull3_builder *builder, iso__hull3 *hull) {
    uint8_t number[ISO__HULL3_VERTICES] = {0};
    uint32_t used = 0;
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        for (uint32_t i = 0; i < builder->faces[f].ring_count; ++i) {
            used |= UINT32_C(1) << builder->faces[f].ring[i];
        }
    }
    hull->vertex_count = 0;
    for (uint32_t i = 0; i < builder->count; ++i) {
        if ((used >> i & 1) != 0) {
            number[i] = hull->vertex_count;
            for (int k = 0; k < 3; ++k) {
                hull->vertices[hull->vertex_count][k] = builder->points[i][k];
            }
            hull->vertex_count += 1;
        }
    }
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        for (uint32_t i = 0; i < builder->faces[f].ring_count; ++i) {
            builder->faces[f].ring[i] = number[builder->faces[f].ring[i]];
        }
    }
}

/// Faces in the order of the first two vertices of their rings, which no two have in common. False when they are too many.
static bool hull3_number_faces(hull3_builder *builder, iso__hull3 *hull) {
    uint8_t order[ISO__HULL3_FACES];
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        hull3_turn_ring(&builder->faces[f], false);
        const uint8_t *ring = builder->faces[f].ring;
        uint32_t at = f;
        for (; at > 0; --at) {
            const uint8_t *other = builder->faces[order[at - 1]].ring;
            if (other[0] < ring[0] || (other[0] == ring[0] && other[1] < ring[1])) {
                break;
            }
            order[at] = order[at - 1];
        }
        order[at] = (uint8_t)f;
    }
    uint32_t used = 0;
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        const hull3_face *face = &builder->faces[order[f]];
        hull->first[f] = (uint8_t)used;
        if (used + face->ring_count > 2 * ISO__HULL3_EDGES) {
            return false;
        }
        for (uint32_t i = 0; i < face->ring_count; ++i) {
            hull->ring[used++] = face->ring[i];
        }
        for (int k = 0; k < 3; ++k) {
            hull->normals[f][k] = face->normal[k];
        }
    }
    hull->first[builder->face_count] = (uint8_t)used;
    hull->face_count = (uint8_t)builder->face_count;
    return true;
}

/// Where the edge from one vertex to another is in a ring, plus one.
typedef struct hull3_sides {
    uint8_t at[ISO__HULL3_VERTICES][ISO__HULL3_VERTICES];
    uint8_t face[ISO__HULL3_VERTICES][ISO__HULL3_VERTICES];
} hull3_sides;

static bool hull3_add_edge(const hull3_sides *sides, uint8_t a, uint8_t b, iso__hull3 *hull) {
    int64_t d[3];
    hull3_sub(hull->vertices[b], hull->vertices[a], d);
    const uint64_t squared = (uint64_t)(d[0] * d[0]) + (uint64_t)(d[1] * d[1]) + (uint64_t)(d[2] * d[2]);
    if (sides->at[b][a] == 0 || squared < HULL3_EDGE_SQUARED || hull->edge_count == ISO__HULL3_EDGES) {
        return false;
    }
    const uint8_t e = hull->edge_count++;
    hull->edges[e][0] = a;
    hull->edges[e][1] = b;
    hull->edges[e][2] = sides->face[a][b];
    hull->edges[e][3] = sides->face[b][a];
    hull->ring_edge[sides->at[a][b] - 1] = e;
    hull->ring_edge[sides->at[b][a] - 1] = e;
    iso__ops3_normalize(d, hull->directions[e]);
    return true;
}

/// Edges in the order of their vertices. False when one is too short, or has no face on one side.
static bool hull3_number_edges(iso__hull3 *hull) {
    hull3_sides sides = {.at = {{0}}};
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        for (uint32_t i = hull->first[f]; i < hull->first[f + 1]; ++i) {
            const uint8_t from = hull->ring[i], to = hull->ring[i + 1u < hull->first[f + 1] ? i + 1 : hull->first[f]];
            sides.at[from][to] = (uint8_t)(i + 1);
            sides.face[from][to] = (uint8_t)f;
        }
    }
    hull->edge_count = 0;
    for (uint8_t a = 0; a < hull->vertex_count; ++a) {
        for (uint8_t b = 0; b < hull->vertex_count; ++b) {
            if (a < b && sides.at[a][b] != 0 && !hull3_add_edge(&sides, a, b, hull)) {
                return false;
            }
        }
    }
    return 2u * hull->edge_count == hull->first[hull->face_count] &&
           hull->vertex_count + hull->face_count == hull->edge_count + 2;
}

static void hull3_set_offsets(iso__hull3 *hull) {
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        hull->offsets[f] = INT64_MIN;
        for (uint32_t i = 0; i < hull->vertex_count; ++i) {
            const int32_t *p = hull->vertices[i];
            const int64_t wide[3] = {p[0], p[1], p[2]};
            hull->offsets[f] = iso__max64(hull->offsets[f], iso__ops3_dot(hull->normals[f], wide));
        }
    }
}

/// Copies the points without those that are where an earlier one is.
static uint32_t hull3_copy_distinct(const int32_t (*points)[3], uint32_t count, int32_t (*distinct)[3]) {
    uint32_t distinct_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        bool is_copy = false;
        for (uint32_t j = 0; j < distinct_count; ++j) {
            const int32_t *p = points[i], *q = distinct[j];
            is_copy = is_copy || (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]);
        }
        for (int k = 0; k < 3; ++k) {
            distinct[distinct_count][k] = points[i][k];
        }
        distinct_count += is_copy ? 0 : 1;
    }
    return distinct_count;
}

static bool hull3_is_too_large(const int32_t (*points)[3], uint32_t count) {
    bool is_too_large = false;
    for (int k = 0; k < 3; ++k) {
        int32_t low = points[0][k], high = points[0][k];
        for (uint32_t i = 1; i < count; ++i) {
            low = iso__min32(low, points[i][k]);
            high = iso__max32(high, points[i][k]);
        }
        is_too_large = is_too_large || (int64_t)high - low > HULL3_EXTENT_MAX;
    }
    return is_too_large;
}

iso_status iso__hull3_make(const int32_t (*points)[3], uint32_t count, iso__hull3 *hull) {
    if (count < 4 || count > ISO__HULL3_VERTICES || hull3_is_too_large(points, count)) {
        return ISO_ERR_GEOMETRY;
    }
    int32_t distinct[ISO__HULL3_VERTICES][3];
    const uint32_t distinct_count = hull3_copy_distinct(points, count, distinct);
    hull3_builder builder = {.points = (const int32_t(*)[3])distinct, .count = distinct_count};
    *hull = (iso__hull3){.vertex_count = 0};
    if (!hull3_find_faces(&builder) || !hull3_join_faces(&builder)) {
        return ISO_ERR_GEOMETRY;
    }
    hull3_number_vertices(&builder, hull);
    if (!hull3_number_faces(&builder, hull) || !hull3_number_edges(hull)) {
        return ISO_ERR_GEOMETRY;
    }
    hull3_set_offsets(hull);
    return ISO_OK;
}

void iso__hull3_move(iso__hull3 *hull, const int32_t by[3]) {
    for (uint32_t i = 0; i < hull->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            hull->vertices[i][k] = iso__saturate32((int64_t)hull->vertices[i][k] + by[k]);
        }
    }
    hull3_set_offsets(hull);
}

// ---- boxes ---------------------------------------------------------------------------------------

static const iso__hull3 HULL3_BOX = {
    .normals = {{0, -ISO__UNIT_ONE, 0},
                {0, 0, -ISO__UNIT_ONE},
                {-ISO__UNIT_ONE, 0, 0},
                {ISO__UNIT_ONE, 0, 0},
                {0, ISO__UNIT_ONE, 0},
                {0, 0, ISO__UNIT_ONE}},
    .directions = {{ISO__UNIT_ONE, 0, 0},
                   {0, ISO__UNIT_ONE, 0},
                   {0, 0, ISO__UNIT_ONE},
                   {0, ISO__UNIT_ONE, 0},
                   {0, 0, ISO__UNIT_ONE},
                   {ISO__UNIT_ONE, 0, 0},
                   {0, 0, ISO__UNIT_ONE},
                   {0, 0, ISO__UNIT_ONE},
                   {ISO__UNIT_ONE, 0, 0},
                   {0, ISO__UNIT_ONE, 0},
                   {0, ISO__UNIT_ONE, 0},
                   {ISO__UNIT_ONE, 0, 0}},
    .edges = {{0, 1, 0, 1},
              {0, 2, 1, 2},
              {0, 4, 2, 0},
              {1, 3, 3, 1},
              {1, 5, 0, 3},
              {2, 3, 1, 4},
              {2, 6, 4, 2},
              {3, 7, 3, 4},
              {4, 5, 5, 0},
              {4, 6, 2, 5},
              {5, 7, 5, 3},
              {6, 7, 4, 5}},
    .first = {0, 4, 8, 12, 16, 20, 24},
    .ring = {0, 1, 5, 4, 0, 2, 3, 1, 0, 4, 6, 2, 1, 3, 7, 5, 2, 6, 7, 3, 4, 5, 7, 6},
    .ring_edge = {0, 4, 8, 2, 1, 5, 3, 0, 2, 9, 6, 1, 3, 7, 10, 4, 6, 11, 7, 5, 8, 10, 11, 9},
    .vertex_count = 8,
    .face_count = 6,
    .edge_count = 12,
};

const iso__hull3 *iso__hull3_box(void) {
    return &HULL3_BOX;
}

void iso__hull3_make_box(const int64_t half[3], iso__hull3 *hull) {
    *hull = HULL3_BOX;
    for (uint32_t i = 0; i < 8; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            hull->vertices[i][k] = (int32_t)((i >> k & 1) != 0 ? half[k] : -half[k]);
        }
    }
    hull3_set_offsets(hull);
}
