/// Hulls against hulls, and boxes as hulls: all faces, and the pairs of edges that can be nearest.
///
/// In A's frame. Of an edge with the direction d, the face L to its left and R to its right, the outward normals fill
/// an arc on the sphere of directions, from L's to R's normal in the plane across d. Two edges can only be nearest
/// along d_a x d_b, and are so when the arc of A's edge crosses that of B's, turned to the other side (Gauss map; D.
/// Gregorius, GDC 2013):
///     L_b . d_a and R_b . d_a have different signs, L_a . d_b and R_a . d_b, too, and L_b . d_a and L_a . d_b the same
///     one.
/// All edges of B are asked at once, as bits of words: edges one of whose faces goes along d_a are those that an odd
/// number of the faces along d_a has. The normal is then d_a x d_b when
/// L_a . d_b > 0, else its opposite: n = |R_a . d_b| L_a + |L_a . d_b| R_a = +-d_b x (R_a x L_a).
///
/// Which axis, and what touches: as for boxes, see manifold_box.c.
#include "space/collide/manifold_hull.h"

#include "math/wide128.h"
#include "space/collide/hull.h"
#include "space/collide/manifold_reduce.h"
#include "space/collide/oriented.h"
#include "space/collide/segment.h"

/// The corners of a face, and one more for each side that cuts.
#define HULL_POINTS (2 * ISO__SPACE_HULL_VERTICES)

/// A hull in A's frame.
typedef struct hull_view {
    const iso__space_hull *hull;
    int64_t vertices[ISO__SPACE_HULL_VERTICES][3]; // [m] Q.24
    int32_t normals[ISO__SPACE_HULL_FACES][3];
    int64_t offsets[ISO__SPACE_HULL_FACES]; // [m] Q.54
    int32_t directions[ISO__SPACE_HULL_EDGES][3];
} hull_view;

typedef struct hull_pair {
    const iso__space_manifold_settings *settings;
    const int64_t *offset;
    iso__space_oriented frame; // of A
    hull_view a, b;
    iso__space_manifold *manifold;
} hull_pair;

typedef struct hull_axis {
    int64_t separation; // [m] Q.54 of a face, Q.24 of edges
    uint32_t a, b;      // the face, and the other hull's vertex that is nearest to it; or the edges
    int32_t n[3];       // of edges, from A to B
} hull_axis;

// ---- views ---------------------------------------------------------------------------------------

static void hull_view_own(const iso__space_hull *hull, hull_view *view) {
    view->hull = hull;
    for (uint32_t i = 0; i < hull->vertex_count; ++i) {
        for (int k = 0; k < 3; ++k) {
            view->vertices[i][k] = hull->vertices[i][k];
        }
    }
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        for (int k = 0; k < 3; ++k) {
            view->normals[f][k] = hull->normals[f][k];
        }
        view->offsets[f] = hull->offsets[f];
    }
    for (uint32_t e = 0; e < hull->edge_count; ++e) {
        for (int k = 0; k < 3; ++k) {
            view->directions[e][k] = hull->directions[e][k];
        }
    }
}

/// @param m  Q2.30: the hull's frame to A's
/// @param t  [m] Q.24: its origin in A's frame
static void hull_view_other(const iso__space_hull *hull, const int32_t m[9], const int64_t t[3], hull_view *view) {
    view->hull = hull;
    for (uint32_t i = 0; i < hull->vertex_count; ++i) {
        iso__space_ops_turn32(m, hull->vertices[i], view->vertices[i]);
        for (int k = 0; k < 3; ++k) {
            view->vertices[i][k] += t[k];
        }
    }
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        iso__space_ops_turn_unit(m, hull->normals[f], view->normals[f]);
        view->offsets[f] = hull->offsets[f] + iso__space_ops_dot(view->normals[f], t);
    }
    for (uint32_t e = 0; e < hull->edge_count; ++e) {
        iso__space_ops_turn_unit(m, hull->directions[e], view->directions[e]);
    }
}

// ---- axes ----------------------------------------------------------------------------------------

/// The face of `ours` from which `theirs` is farthest; the first of equal ones. Ends early beyond `reach`, Q.54.
static hull_axis hull_find_face(const hull_view *ours, const hull_view *theirs, int64_t reach) {
    hull_axis best = {.separation = INT64_MIN};
    for (uint32_t f = 0; f < ours->hull->face_count; ++f) {
        int64_t lowest = INT64_MAX;
        uint32_t vertex = 0;
        for (uint32_t i = 0; i < theirs->hull->vertex_count; ++i) {
            const int64_t along = iso__space_ops_dot(ours->normals[f], theirs->vertices[i]);
            vertex = along < lowest ? i : vertex;
            lowest = iso__min64(lowest, along);
        }
        if (lowest - ours->offsets[f] > best.separation) {
            best = (hull_axis){.separation = lowest - ours->offsets[f], .a = f, .b = vertex};
        }
        if (best.separation > reach) {
            break;
        }
    }
    return best;
}

/// A bit for each edge of a hull.
typedef struct hull_bits {
    uint64_t words[(ISO__SPACE_HULL_EDGES + 63) / 64];
} hull_bits;

static void hull_set_bit(hull_bits *bits, uint32_t at) {
    bits->words[at / 64] |= UINT64_C(1) << at % 64;
}

/// Which edges a face of B has, and on which of their sides it is.
typedef struct hull_borders {
    hull_bits both, left;
} hull_borders;

static void hull_make_edge(const hull_view *view, uint32_t e, iso__space_segment *edge) {
    int64_t d[3];
    for (int k = 0; k < 3; ++k) {
        edge->ends[0][k] = view->vertices[view->hull->edges[e][0]][k];
        edge->ends[1][k] = view->vertices[view->hull->edges[e][1]][k];
        edge->unit[k] = view->directions[e][k];
    }
    iso__space_ops_sub(edge->ends[1], edge->ends[0], d);
    edge->length = iso__space_ops_along(edge->unit, d);
}

/// Takes a pair of edges whose arcs cross if it separates better than the best so far.
///
/// @param sign  1 when the normal is d_a x d_b, else -1
static bool hull_try_edges(const hull_pair *pair, uint32_t i, uint32_t j, int32_t sign, hull_axis *best) {
    const int64_t *p = pair->a.vertices[pair->a.hull->edges[i][0]], *q = pair->b.vertices[pair->b.hull->edges[j][0]];
    int32_t c[3];
    int64_t d[3];
    iso__space_ops_cross(pair->a.directions[i], pair->b.directions[j], c);
    iso__space_ops_sub(q, p, d);
    const int64_t scaled = sign * iso__space_ops_dot(c, d); // the distance times the sine, Q.54
    if (scaled <= iso__shl64(iso__min64(best->separation, 0), ISO__UNIT_FRACTION)) {
        return false;
    }
    const int64_t sine_squared = iso__space_ops_cosine(c, c);
    if (sine_squared < ISO__SPACE_SEGMENT_PARALLEL ||
        scaled <= best->separation * (int64_t)iso__isqrt64((uint64_t)sine_squared)) {
        return false;
    }
    const int64_t across[3] = {sign * (int64_t)c[0], sign * (int64_t)c[1], sign * (int64_t)c[2]};
    iso__space_ops_normalize(across, best->n);
    best->separation = iso__space_ops_along(best->n, d);
    best->a = i;
    best->b = j;
    return true;
}

/// The faces of B and their edges; the faces of A, and which edges of B go along their normals.
typedef struct hull_arcs {
    hull_borders borders[ISO__SPACE_HULL_FACES];
    hull_bits along[ISO__SPACE_HULL_FACES];
} hull_arcs;

static void hull_make_arcs(const hull_pair *pair, hull_arcs *arcs) {
    *arcs = (hull_arcs){.along = {{{0}}}};
    for (uint32_t j = 0; j < pair->b.hull->edge_count; ++j) {
        const uint8_t *edge = pair->b.hull->edges[j];
        hull_set_bit(&arcs->borders[edge[2]].both, j);
        hull_set_bit(&arcs->borders[edge[2]].left, j);
        hull_set_bit(&arcs->borders[edge[3]].both, j);
        for (uint32_t f = 0; f < pair->a.hull->face_count; ++f) {
            const uint64_t is_along = iso__space_ops_cosine(pair->b.directions[j], pair->a.normals[f]) > 0;
            arcs->along[f].words[j / 64] |= is_along << j % 64;
        }
    }
}

/// The edges of B whose arcs cross that of an edge of A.
static hull_bits hull_find_crossing(const hull_pair *pair, const hull_arcs *arcs, uint32_t i) {
    hull_bits crossing = {.words = {0}}, left = {.words = {0}};
    for (uint32_t f = 0; f < pair->b.hull->face_count; ++f) {
        // All bits when the face's normal goes along the edge.
        const uint64_t is_along = UINT64_C(0) - (iso__space_ops_cosine(pair->a.directions[i], pair->b.normals[f]) > 0);
        for (uint32_t w = 0; w < sizeof left.words / sizeof *left.words; ++w) {
            crossing.words[w] ^= arcs->borders[f].both.words[w] & is_along; // one of the two faces of an edge is
            left.words[w] |= arcs->borders[f].left.words[w] & is_along;
        }
    }
    const uint8_t *edge = pair->a.hull->edges[i];
    for (uint32_t w = 0; w < sizeof left.words / sizeof *left.words; ++w) {
        const uint64_t left_a = arcs->along[edge[2]].words[w], right_a = arcs->along[edge[3]].words[w];
        crossing.words[w] &= (left_a ^ right_a) & ~(left.words[w] ^ left_a);
    }
    return crossing;
}

/// The pair of edges that separates best, if better than `least` [m] Q.24; the first of equal ones.
static bool hull_find_edges(const hull_pair *pair, int64_t least, hull_axis *best) {
    hull_arcs arcs;
    hull_make_arcs(pair, &arcs);
    bool is_found = false;
    best->separation = least;
    for (uint32_t i = 0; i < pair->a.hull->edge_count; ++i) {
        const hull_bits crossing = hull_find_crossing(pair, &arcs, i);
        const hull_bits *is_along = &arcs.along[pair->a.hull->edges[i][2]];
        for (uint32_t w = 0; w < sizeof crossing.words / sizeof *crossing.words; ++w) {
            for (uint64_t left = crossing.words[w]; left != 0; left &= left - 1) {
                const uint32_t bit = (uint32_t)__builtin_ctzll(left);
                const int32_t sign = (is_along->words[w] >> bit & 1) != 0 ? 1 : -1;
                is_found |= hull_try_edges(pair, i, 64 * w + bit, sign, best);
            }
        }
    }
    return is_found;
}

// ---- faces ---------------------------------------------------------------------------------------

typedef struct hull_polygon {
    int64_t points[HULL_POINTS][3]; // [m] Q.24
    uint32_t count;
} hull_polygon;

static void hull_push(hull_polygon *polygon, int64_t x, int64_t y, int64_t z) {
    if (polygon->count < HULL_POINTS) {
        polygon->points[polygon->count][0] = x;
        polygon->points[polygon->count][1] = y;
        polygon->points[polygon->count++][2] = z;
    }
}

/// Cuts off what is before the plane through v with the normal `side`.
static void hull_clip(const hull_polygon *from, const int32_t side[3], const int64_t v[3], hull_polygon *to) {
    to->count = 0;
    const int64_t offset = iso__space_ops_along(side, v);
    for (uint32_t i = 0; i < from->count; ++i) {
        const int64_t *p = from->points[i], *q = from->points[i + 1 < from->count ? i + 1 : 0];
        const int64_t dp = iso__space_ops_along(side, p) - offset, dq = iso__space_ops_along(side, q) - offset;
        if (dp <= 0) {
            hull_push(to, p[0], p[1], p[2]);
        }
        if ((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) {
            int64_t cut[3];
            for (int k = 0; k < 3; ++k) {
                cut[k] = p[k] + iso__mul_div(q[k] - p[k], dp, dp - dq);
            }
            hull_push(to, cut[0], cut[1], cut[2]);
        }
    }
}

/// The corners of the face at a vertex that is most against a normal.
static void hull_make_incident(const hull_view *view, uint32_t vertex, const int32_t n[3], hull_polygon *incident) {
    const uint32_t face = iso__space_hull_find_face(view->hull, view->normals, vertex, n);
    incident->count = 0;
    for (uint32_t i = view->hull->first[face]; i < view->hull->first[face + 1]; ++i) {
        const int64_t *p = view->vertices[view->hull->ring[i]];
        hull_push(incident, p[0], p[1], p[2]);
    }
}

/// What of a polygon lies over a face. @param other  room for a polygon
static hull_polygon *hull_clip_to_face(const hull_view *view, uint32_t face, hull_polygon *polygon,
                                       hull_polygon *other) {
    for (uint32_t i = view->hull->first[face]; i < view->hull->first[face + 1]; ++i) {
        const uint32_t e = view->hull->ring_edge[i], from = view->hull->ring[i];
        int32_t side[3];
        iso__space_ops_cross(view->directions[e], view->normals[face], side);
        for (int k = 0; k < 3 && view->hull->edges[e][0] != from; ++k) {
            side[k] = -side[k];
        }
        hull_clip(polygon, side, view->vertices[from], other);
        hull_polygon *clipped = other;
        other = polygon;
        polygon = clipped;
    }
    return polygon;
}

/// @param is_flipped  the reference face is B's
static void hull_add_face(const hull_pair *pair, const hull_axis *axis, bool is_flipped) {
    const uint32_t face = axis->a;
    const hull_view *ours = is_flipped ? &pair->b : &pair->a, *theirs = is_flipped ? &pair->a : &pair->b;
    const int32_t *n = ours->normals[face], *x = ours->directions[ours->hull->ring_edge[ours->hull->first[face]]];
    hull_polygon first, second;
    hull_make_incident(theirs, axis->b, n, &first);
    hull_polygon *polygon = hull_clip_to_face(ours, face, &first, &second);
    int64_t patch[HULL_POINTS][3]; // along the face, and the height over it
    int32_t y[3];
    iso__space_ops_cross(n, x, y);
    uint32_t near_count = 0;
    for (uint32_t i = 0; i < polygon->count; ++i) {
        const int64_t *p = polygon->points[i];
        const int64_t height = iso__round_shift(iso__space_ops_dot(n, p) - ours->offsets[face], ISO__UNIT_FRACTION);
        if (height > pair->settings->speculative) {
            continue;
        }
        patch[near_count][0] = iso__space_ops_along(x, p);
        patch[near_count][1] = iso__space_ops_along(y, p);
        patch[near_count][2] = height;
        iso__space_ops_advance(p, n, -(height >> 1), polygon->points[near_count++]);
    }
    iso__space_ops_turn_unit(pair->frame.rotation, n, pair->manifold->normal);
    if (is_flipped) {
        iso__space_manifold_flip_normal(pair->manifold);
    }
    uint8_t kept[ISO__SPACE_MANIFOLD_POINTS];
    const uint32_t kept_count = iso__space_manifold_reduce((const int64_t(*)[3])patch, near_count, pair->settings->slop,
                                                           true, kept, &pair->manifold->leaves_corners);
    pair->manifold->leaves_corners |= near_count < polygon->count;
    for (uint32_t i = 0; i < kept_count; ++i) {
        int64_t world[3];
        iso__space_oriented_to_world(&pair->frame, polygon->points[kept[i]], world);
        iso__space_manifold_add_point(pair->settings, world, patch[kept[i]][2], pair->offset, pair->manifold);
    }
}

static void hull_add_edges(const hull_pair *pair, const hull_axis *axis) {
    iso__space_segment of_a, of_b;
    int64_t at[2], p[3], q[3];
    hull_make_edge(&pair->a, axis->a, &of_a);
    hull_make_edge(&pair->b, axis->b, &of_b);
    iso__space_segment_nearest_two(&of_a, &of_b, at);
    iso__space_segment_point(&of_a, at[0], p);
    iso__space_segment_point(&of_b, at[1], q);
    for (int k = 0; k < 3; ++k) {
        p[k] = (p[k] + q[k]) >> 1;
    }
    iso__space_oriented_to_world(&pair->frame, p, q);
    iso__space_ops_turn_unit(pair->frame.rotation, axis->n, pair->manifold->normal);
    iso__space_manifold_add_point(pair->settings, q, axis->separation, pair->offset, pair->manifold);
}

static void hull_collide(const hull_pair *pair) {
    const int64_t reach = iso__shl64(pair->settings->speculative, ISO__UNIT_FRACTION);
    const int64_t preference = iso__shl64(pair->settings->slop / 10, ISO__UNIT_FRACTION);
    const hull_axis face_a = hull_find_face(&pair->a, &pair->b, reach);
    if (face_a.separation > reach) {
        return;
    }
    const hull_axis face_b = hull_find_face(&pair->b, &pair->a, reach);
    if (face_b.separation > reach) {
        return;
    }
    const bool is_of_b = face_b.separation > face_a.separation + preference;
    const int64_t face = iso__round_shift(is_of_b ? face_b.separation : face_a.separation, ISO__UNIT_FRACTION);
    hull_axis edges;
    if (hull_find_edges(pair, face + pair->settings->slop, &edges)) {
        hull_add_edges(pair, &edges);
        return;
    }
    hull_add_face(pair, is_of_b ? &face_b : &face_a, is_of_b);
    // Edges that are better by less than the slop may leave nothing over a small face, however deep the hulls overlap.
    if (pair->manifold->count == 0 && face < 0 && hull_find_edges(pair, face, &edges) && edges.separation <= 0) {
        hull_add_edges(pair, &edges);
    }
}

void iso__space_manifold_hull(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                              const iso__space_collider *hull, const int64_t offset[3], iso__space_manifold *manifold) {
    hull_pair pair;
    pair.settings = settings;
    pair.offset = offset;
    pair.manifold = manifold;
    iso__space_hull box;
    if (a->kind == ISO__SPACE_COLLIDER_BOX) {
        iso__space_oriented_make(a, NULL, &pair.frame);
        iso__space_hull_make_box(pair.frame.half, &box);
        hull_view_own(&box, &pair.a);
    } else {
        for (int k = 0; k < 9; ++k) {
            pair.frame.rotation[k] = a->rotation[k];
            pair.frame.centre[k % 3] = 0;
        }
        hull_view_own(a->hull, &pair.a);
    }
    int32_t m[9];
    int64_t t[3];
    iso__space_ops_product_back(pair.frame.rotation, hull->rotation, m);
    iso__space_oriented_to_local(&pair.frame, offset, t);
    hull_view_other(hull->hull, m, t, &pair.b);
    hull_collide(&pair);
}
