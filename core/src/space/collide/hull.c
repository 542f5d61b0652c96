/// Convex hulls: their vertices, faces and edges in order, what moves them, and boxes.
///
/// hull_faces.c finds the faces without rounding, so the result does not depend on the order of the points. Then
/// hull_join.c joins those that are nearly one, vertices on no edge are dropped, and everything is numbered by its
/// vertices. Differences of points are below 2^31, so components of their products are below 2^63 and a determinant
/// takes 128 bits.
#include "space/collide/hull.h"

#include "space/collide/hull_faces.h"
#include "space/collide/hull_join.h"
#include "space/collide/hull_ring.h"
#include "space/collide/vec_ops.h"

#define HULL3_EXTENT_MAX   (INT64_C(120) << 24) // [m] Q.24
#define HULL3_EDGE_SQUARED (INT64_C(1) << 24)   // [m^2] Q.48: 2^-12 m, 0.25 mm

// ---- numbers -------------------------------------------------------------------------------------

/// Copies the points that are in a ring, and gives them their new numbers in the rings.
static void hull3_number_vertices(iso__space_hull_builder *builder, iso__space_hull *hull) {
    uint8_t number[ISO__SPACE_HULL_VERTICES] = {0};
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

/// Faces in the order of the first two vertices of their rings, which no two have in common. False when they are too
/// many.
static bool hull3_number_faces(iso__space_hull_builder *builder, iso__space_hull *hull) {
    uint8_t order[ISO__SPACE_HULL_FACES];
    for (uint32_t f = 0; f < builder->face_count; ++f) {
        iso__space_hull_turn_ring(&builder->faces[f], false);
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
        const iso__space_hull_face *face = &builder->faces[order[f]];
        hull->first[f] = (uint8_t)used;
        if (used + face->ring_count > 2 * ISO__SPACE_HULL_EDGES) {
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
    uint8_t at[ISO__SPACE_HULL_VERTICES][ISO__SPACE_HULL_VERTICES];
    uint8_t face[ISO__SPACE_HULL_VERTICES][ISO__SPACE_HULL_VERTICES];
} hull3_sides;

static bool hull3_add_edge(const hull3_sides *sides, uint8_t a, uint8_t b, iso__space_hull *hull) {
    int64_t d[3];
    iso__space_hull_sub(hull->vertices[b], hull->vertices[a], d);
    const uint64_t squared = (uint64_t)(d[0] * d[0]) + (uint64_t)(d[1] * d[1]) + (uint64_t)(d[2] * d[2]);
    if (sides->at[b][a] == 0 || squared < HULL3_EDGE_SQUARED || hull->edge_count == ISO__SPACE_HULL_EDGES) {
        return false;
    }
    const uint8_t e = hull->edge_count++;
    hull->edges[e][0] = a;
    hull->edges[e][1] = b;
    hull->edges[e][2] = sides->face[a][b];
    hull->edges[e][3] = sides->face[b][a];
    hull->ring_edge[sides->at[a][b] - 1] = e;
    hull->ring_edge[sides->at[b][a] - 1] = e;
    iso__space_ops_normalize(d, hull->directions[e]);
    return true;
}

/// Edges in the order of their vertices. False when one is too short, or has no face on one side.
static bool hull3_number_edges(iso__space_hull *hull) {
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
        for (uint8_t b = (uint8_t)(a + 1); b < hull->vertex_count; ++b) {
            if (sides.at[a][b] != 0 && !hull3_add_edge(&sides, a, b, hull)) {
                return false;
            }
        }
    }
    return 2u * hull->edge_count == hull->first[hull->face_count] &&
           hull->vertex_count + hull->face_count == hull->edge_count + 2;
}

static void hull3_set_offsets(iso__space_hull *hull) {
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        hull->offsets[f] = INT64_MIN;
        for (uint32_t i = 0; i < hull->vertex_count; ++i) {
            const int32_t *p = hull->vertices[i];
            const int64_t wide[3] = {p[0], p[1], p[2]};
            hull->offsets[f] = iso__max64(hull->offsets[f], iso__space_ops_dot(hull->normals[f], wide));
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

iso_status iso__space_hull_make(const int32_t (*points)[3], uint32_t count, iso__space_hull *hull) {
    if (count < 4 || count > ISO__SPACE_HULL_VERTICES || hull3_is_too_large(points, count)) {
        return ISO_ERR_GEOMETRY;
    }
    int32_t distinct[ISO__SPACE_HULL_VERTICES][3];
    const uint32_t distinct_count = hull3_copy_distinct(points, count, distinct);
    iso__space_hull_builder builder = {.points = (const int32_t(*)[3])distinct, .count = distinct_count};
    *hull = (iso__space_hull){.vertex_count = 0};
    if (!iso__space_hull_find_faces(&builder) || !iso__space_hull_join_faces(&builder)) {
        return ISO_ERR_GEOMETRY;
    }
    hull3_number_vertices(&builder, hull);
    if (!hull3_number_faces(&builder, hull) || !hull3_number_edges(hull)) {
        return ISO_ERR_GEOMETRY;
    }
    hull3_set_offsets(hull);
    return ISO_OK;
}

uint32_t iso__space_hull_find_face(const iso__space_hull *hull, const int32_t (*normals)[3], uint32_t vertex,
                                   const int32_t n[3]) {
    uint32_t face = 0;
    int64_t least = INT64_MAX;
    for (uint32_t e = 0; e < hull->edge_count; ++e) {
        const uint8_t *edge = hull->edges[e];
        for (int side = 2; side < 4 && (edge[0] == vertex || edge[1] == vertex); ++side) {
            const int64_t along = iso__space_ops_cosine(n, normals[edge[side]]);
            if (along < least || (along == least && edge[side] < face)) {
                least = along;
                face = edge[side];
            }
        }
    }
    return face;
}

void iso__space_hull_move(iso__space_hull *hull, const int32_t by[3]) {
    for (uint32_t i = 0; i < hull->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            hull->vertices[i][k] = iso__saturate32((int64_t)hull->vertices[i][k] + by[k]);
        }
    }
    // Offsets are exact, so the largest of moved points is the largest one moved.
    const int64_t wide[3] = {by[0], by[1], by[2]};
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        hull->offsets[f] += iso__space_ops_dot(hull->normals[f], wide);
    }
}

// ---- boxes ---------------------------------------------------------------------------------------

static const iso__space_hull HULL3_BOX = {
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

const iso__space_hull *iso__space_hull_box(void) {
    return &HULL3_BOX;
}

void iso__space_hull_make_box(const int64_t half[3], iso__space_hull *hull) {
    *hull = HULL3_BOX;
    for (uint32_t i = 0; i < 8; ++i) {
        for (uint32_t k = 0; k < 3; ++k) {
            hull->vertices[i][k] = (int32_t)((i >> k & 1) != 0 ? half[k] : -half[k]);
        }
    }
    hull3_set_offsets(hull);
}
