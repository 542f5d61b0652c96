/// Spheres and capsules against hulls, in the hull's frame.
///
/// A point outside is nearest to a face when it is over one of those that it is in front of, else to one of their
/// edges. A capsule's core outside is nearest at one of its ends, or where it is nearest to one of the edges of the
/// faces that it is in front of. A core that is inside, or too near to tell the direction, takes the best face, or the
/// best edge when that is better by the slop; an edge counts when its arc on the sphere of directions crosses the
/// circle across the core (manifold_hull.c). Where the normal is that of a face, give or take the angle below which
/// directions are parallel, the core is clipped to the face and touches at both ends.
#include "space/collide/manifold_hull_round.h"

#include "math/wide128.h"
#include "space/collide/hull.h"
#include "space/collide/oriented.h"
#include "space/collide/round.h"

/// cos of the angle whose sin^2 is 2^-12, Q.60.
#define HULL_ROUND_FACE ((INT64_C(1) << 60) - (INT64_C(1) << 47))

typedef struct hull_round_pair {
    const iso__space_manifold_settings *settings;
    const int64_t *offset;
    iso__space_oriented frame; // of the hull
    const iso__space_hull *hull;
    int64_t radius;
    iso__space_manifold *manifold;
} hull_round_pair;

/// Where a hull and a core are nearest.
typedef struct hull_round_nearest {
    int64_t distance; // [m] Q.24
    int32_t n[3];     // Q2.30, from the hull to the core
    int64_t core[3];  // [m] Q.24: the point of the core
} hull_round_nearest;

static void hull_round_set_normal(const hull_round_pair *pair, const int32_t n[3]) {
    iso__space_ops_turn_unit(pair->frame.rotation, n, pair->manifold->normal);
    iso__space_manifold_flip_normal(pair->manifold);
}

/// Adds the point between the hull and a point of the core, whose distance along the normal is given.
static void hull_round_add(const hull_round_pair *pair, const int64_t local[3], int64_t distance) {
    int64_t world[3];
    iso__space_oriented_to_world(&pair->frame, local, world);
    iso__space_round_add_along(pair->settings, pair->manifold->normal, distance, world, pair->radius, 0, pair->offset,
                               pair->manifold);
}

static void hull_round_add_nearest(const hull_round_pair *pair, const hull_round_nearest *nearest) {
    hull_round_set_normal(pair, nearest->n);
    hull_round_add(pair, nearest->core, nearest->distance);
}

static void hull_round_get_vertex(const iso__space_hull *hull, uint32_t vertex, int64_t p[3]) {
    for (int k = 0; k < 3; ++k) {
        p[k] = hull->vertices[vertex][k];
    }
}

static void hull_round_make_edge(const iso__space_hull *hull, uint32_t e, iso__space_segment *edge) {
    int64_t d[3];
    hull_round_get_vertex(hull, hull->edges[e][0], edge->ends[0]);
    hull_round_get_vertex(hull, hull->edges[e][1], edge->ends[1]);
    iso__space_ops_sub(edge->ends[1], edge->ends[0], d);
    for (int k = 0; k < 3; ++k) {
        edge->unit[k] = hull->directions[e][k];
    }
    edge->length = iso__space_ops_along(edge->unit, d);
}

/// The normal of the side of a face at one entry of the rings, and its distance from the origin.
static int64_t hull_round_make_side(const iso__space_hull *hull, uint32_t face, uint32_t at, int32_t side[3]) {
    const uint32_t e = hull->ring_edge[at];
    int64_t v[3];
    hull_round_get_vertex(hull, hull->ring[at], v);
    iso__space_ops_cross(hull->directions[e], hull->normals[face], side);
    for (int k = 0; k < 3 && hull->edges[e][0] != hull->ring[at]; ++k) {
        side[k] = -side[k];
    }
    return iso__space_ops_along(side, v);
}

/// The face from which a piece of two points, or one, is farthest; the first of equal ones. Its distance [m] Q.24 is
/// returned.
///
/// @param front  bits: the faces that one of the points is in front of
static int64_t hull_round_find_face(const iso__space_hull *hull, const int64_t *p, const int64_t *q, uint32_t *face,
                                    uint64_t *front) {
    int64_t best = INT64_MIN;
    *front = 0;
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        const int64_t of_p = iso__space_ops_dot(hull->normals[f], p), of_q = iso__space_ops_dot(hull->normals[f], q);
        const int64_t distance = iso__min64(of_p, of_q) - hull->offsets[f];
        *front |= (uint64_t)(iso__max64(of_p, of_q) > hull->offsets[f]) << f;
        if (distance > best) {
            best = distance;
            *face = f;
        }
    }
    return iso__round_shift(best, ISO__UNIT_FRACTION);
}

static bool hull_round_is_over(const iso__space_hull *hull, uint32_t face, const int64_t p[3]) {
    for (uint32_t i = hull->first[face]; i < hull->first[face + 1]; ++i) {
        int32_t side[3];
        const int64_t offset = hull_round_make_side(hull, face, i, side);
        if (iso__space_ops_along(side, p) > offset) {
            return false;
        }
    }
    return true;
}

/// Takes a point of the core and one of the hull if they are nearer than the best so far.
static void hull_round_try(const int64_t core[3], const int64_t on_hull[3], hull_round_nearest *best) {
    int64_t d[3];
    int32_t n[3];
    iso__space_ops_sub(core, on_hull, d);
    const int64_t distance = iso__space_ops_normalize(d, n);
    if (distance < best->distance) {
        best->distance = distance;
        for (int k = 0; k < 3; ++k) {
            best->n[k] = n[k];
            best->core[k] = core[k];
        }
    }
}

/// A point that is in front of at least one face. @param front  these faces
static void hull_round_try_point(const iso__space_hull *hull, const int64_t p[3], uint64_t front,
                                 hull_round_nearest *best) {
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        if ((front >> f & 1) != 0 && hull_round_is_over(hull, f, p)) {
            const int64_t height =
                iso__round_shift(iso__space_ops_dot(hull->normals[f], p) - hull->offsets[f], ISO__UNIT_FRACTION);
            if (height < best->distance) {
                best->distance = height;
                for (int k = 0; k < 3; ++k) {
                    best->n[k] = hull->normals[f][k];
                    best->core[k] = p[k];
                }
            }
            return;
        }
    }
    for (uint32_t e = 0; e < hull->edge_count; ++e) {
        if (((front >> hull->edges[e][2] | front >> hull->edges[e][3]) & 1) != 0) {
            iso__space_segment edge;
            int64_t q[3];
            hull_round_make_edge(hull, e, &edge);
            iso__space_segment_point(&edge, iso__space_segment_nearest(&edge, p), q);
            hull_round_try(p, q, best);
        }
    }
}

static void hull_round_sphere(const hull_round_pair *pair, const iso__space_collider *sphere) {
    int64_t world[3];
    hull_round_nearest nearest = {.distance = INT64_MAX};
    iso__space_round_make_centre(sphere, NULL, world);
    iso__space_oriented_to_local(&pair->frame, world, nearest.core);
    const int64_t p[3] = {nearest.core[0], nearest.core[1], nearest.core[2]};
    uint32_t face = 0;
    uint64_t front;
    const int64_t distance = hull_round_find_face(pair->hull, p, p, &face, &front);
    if (distance - pair->radius > pair->settings->speculative) {
        return;
    }
    if (front != 0) {
        hull_round_try_point(pair->hull, p, front, &nearest);
    }
    if (front == 0 || nearest.distance <= 0) {
        nearest.distance = distance;
        for (int k = 0; k < 3; ++k) {
            nearest.n[k] = pair->hull->normals[face][k];
        }
    }
    hull_round_add_nearest(pair, &nearest);
}

// ---- capsules ------------------------------------------------------------------------------------

/// Adds both ends of what lies over a face. False when nothing does.
static bool hull_round_add_over_face(const hull_round_pair *pair, const iso__space_segment *core, uint32_t face) {
    const iso__space_hull *hull = pair->hull;
    int64_t range[2] = {0, core->length};
    for (uint32_t i = hull->first[face]; i < hull->first[face + 1]; ++i) {
        int32_t side[3];
        const int64_t offset = hull_round_make_side(hull, face, i, side);
        const int64_t before =
            offset - iso__space_ops_along(side, core->ends[0]); // how far the core may go along the side
        const int64_t climb = iso__round_shift(iso__space_ops_cosine(side, core->unit), ISO__UNIT_FRACTION);
        if (climb > 0) {
            range[1] = iso__min64(range[1], iso__div_shift(before, ISO__UNIT_FRACTION, climb));
        } else if (climb < 0) {
            range[0] = iso__max64(range[0], iso__div_shift(before, ISO__UNIT_FRACTION, climb));
        } else if (before < 0) {
            return false;
        }
    }
    if (range[0] > range[1]) {
        return false;
    }
    hull_round_set_normal(pair, hull->normals[face]);
    for (int i = 0; i < (range[0] == range[1] ? 1 : 2); ++i) {
        int64_t p[3];
        iso__space_segment_point(core, range[i], p);
        const int64_t height = iso__space_ops_dot(hull->normals[face], p) - hull->offsets[face];
        hull_round_add(pair, p, iso__round_shift(height, ISO__UNIT_FRACTION));
    }
    return true;
}

/// The edge whose cross product with the core separates best. Its distance is returned.
static int64_t hull_round_find_edge(const iso__space_hull *hull, const iso__space_segment *core, uint32_t *found,
                                    int32_t normal[3]) {
    int64_t best = INT64_MIN;
    uint64_t along = 0; // bits: faces whose normals go along the core
    for (uint32_t f = 0; f < hull->face_count; ++f) {
        along |= (uint64_t)(iso__space_ops_cosine(hull->normals[f], core->unit) > 0) << f;
    }
    for (uint32_t e = 0; e < hull->edge_count; ++e) {
        const uint8_t *edge = hull->edges[e];
        if (((along >> edge[2] ^ along >> edge[3]) & 1) == 0) {
            continue;
        }
        int32_t c[3], n[3];
        iso__space_ops_cross(hull->directions[e], core->unit, c);
        if (iso__space_ops_cosine(c, c) < ISO__SPACE_SEGMENT_PARALLEL) {
            continue;
        }
        const int64_t sign = (along >> edge[2] & 1) != 0 ? 1 : -1;
        const int64_t across[3] = {sign * c[0], sign * c[1], sign * c[2]};
        int64_t v[3], d[3];
        iso__space_ops_normalize(across, n);
        hull_round_get_vertex(hull, edge[0], v);
        iso__space_ops_sub(core->ends[0], v, d);
        const int64_t distance = iso__space_ops_along(n, d);
        if (distance > best) {
            best = distance;
            *found = e;
            for (int k = 0; k < 3; ++k) {
                normal[k] = n[k];
            }
        }
    }
    return best;
}

static void hull_round_add_edge(const hull_round_pair *pair, const iso__space_segment *core, uint32_t e,
                                const int32_t n[3], int64_t distance) {
    iso__space_segment edge;
    int64_t at[2], p[3];
    hull_round_make_edge(pair->hull, e, &edge);
    iso__space_segment_nearest_two(core, &edge, at);
    iso__space_segment_point(core, at[0], p);
    hull_round_set_normal(pair, n);
    hull_round_add(pair, p, distance);
}

/// A core outside: its nearest point, or both ends of what lies over a face.
static void hull_round_capsule_outside(const hull_round_pair *pair, const iso__space_segment *core, uint64_t front) {
    hull_round_nearest nearest = {.distance = INT64_MAX};
    for (int i = 0; i < 2; ++i) {
        uint64_t of_end;
        uint32_t face = 0;
        hull_round_find_face(pair->hull, core->ends[i], core->ends[i], &face, &of_end);
        if (of_end != 0) {
            hull_round_try_point(pair->hull, core->ends[i], of_end, &nearest);
        }
    }
    for (uint32_t e = 0; e < pair->hull->edge_count; ++e) {
        if (((front >> pair->hull->edges[e][2] | front >> pair->hull->edges[e][3]) & 1) != 0) {
            iso__space_segment edge;
            int64_t at[2], p[3], q[3];
            hull_round_make_edge(pair->hull, e, &edge);
            iso__space_segment_nearest_two(core, &edge, at);
            iso__space_segment_point(core, at[0], p);
            iso__space_segment_point(&edge, at[1], q);
            hull_round_try(p, q, &nearest);
        }
    }
    if (nearest.distance - pair->radius > pair->settings->speculative) {
        return;
    }
    uint32_t flat = 0;
    int64_t largest = INT64_MIN;
    for (uint32_t f = 0; f < pair->hull->face_count; ++f) {
        const int64_t cosine = iso__space_ops_cosine(pair->hull->normals[f], nearest.n);
        flat = cosine > largest ? f : flat;
        largest = iso__max64(largest, cosine);
    }
    if (largest < HULL_ROUND_FACE || !hull_round_add_over_face(pair, core, flat) ||
        !iso__space_round_is_flat(pair->manifold, nearest.distance, pair->radius)) {
        pair->manifold->count = 0; // one point has its own normal
        hull_round_add_nearest(pair, &nearest);
    }
}

static void hull_round_capsule(const hull_round_pair *pair, const iso__space_collider *capsule) {
    iso__space_segment core;
    int64_t world[3];
    for (int i = 0; i < 2; ++i) {
        iso__space_round_place(capsule, capsule->ends[i], NULL, world);
        iso__space_oriented_to_local(&pair->frame, world, core.ends[i]);
    }
    iso__space_segment_complete(&core);
    uint32_t face = 0, e = 0;
    uint64_t front;
    int32_t n[3] = {0, 0, 0};
    const int64_t of_face = hull_round_find_face(pair->hull, core.ends[0], core.ends[1], &face, &front);
    const int64_t reach = pair->settings->speculative + pair->radius;
    if (of_face > reach) {
        return;
    }
    const int64_t of_edge = hull_round_find_edge(pair->hull, &core, &e, n);
    if (of_edge > reach) {
        return;
    }
    if (iso__max64(of_face, of_edge) > pair->settings->slop / 10) {
        hull_round_capsule_outside(pair, &core, front);
        return;
    }
    const bool has_edge = of_edge != INT64_MIN; // a core without length has no direction
    if (!(has_edge && of_edge > of_face + pair->settings->slop) && hull_round_add_over_face(pair, &core, face)) {
        return;
    }
    if (has_edge) {
        hull_round_add_edge(pair, &core, e, n, of_edge);
        return;
    }
    hull_round_set_normal(pair, pair->hull->normals[face]);
    hull_round_add(pair, core.ends[0], of_face);
}

void iso__space_manifold_hull_round(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                                    const iso__space_collider *hull, const int64_t offset[3],
                                    iso__space_manifold *manifold) {
    hull_round_pair pair = {
        .settings = settings, .offset = offset, .hull = hull->hull, .radius = a->radius, .manifold = manifold};
    for (int k = 0; k < 9; ++k) {
        pair.frame.rotation[k] = hull->rotation[k];
        pair.frame.centre[k % 3] = offset[k % 3];
    }
    if (a->kind == ISO__SPACE_COLLIDER_SPHERE) {
        hull_round_sphere(&pair, a);
    } else {
        hull_round_capsule(&pair, a);
    }
}
