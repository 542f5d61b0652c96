/// Rounded convex pieces against each other: polygons, and capsules as polygons of two vertices whose faces are the
/// two sides of their segment.
///
/// Separating axes: the faces of both cores, and the direction between their two nearest vertices. The separation
/// along any axis is at most the distance of the cores; a face attains it when the nearest features are a vertex and
/// an edge, the vertices' direction when they are two vertices. So the best of these axes is exact while the cores
/// are apart, needles tip to tip and capsules in line included, and the best face is when they overlap. Two vertices
/// touch in one point; else the incident face is clipped against the sides of the reference face.
///
/// Two vertices must be nearer than any face by t. Faces that lie along each other ask for more, or two equal pieces
/// on top of each other would change between one point and two as they tremble: 1/4096 of the distance, at most a
/// twentieth of the slop. Else t is what rounding may do. A vertex that lost hangs over the end of the face by e,
/// e^2 <= 2 d t + t^2 with d the distance of the cores (sqrt(d^2 + e^2) - d <= t); for the t of rounding this much is
/// left on beyond the face's ends, since clipping would cut a steep edge's tip off.
///
/// Of a tapered capsule (plane/collide/taper.h) the distance along an axis is that of the circles at the ends, and the
/// nearest vertices are those whose circles are. This holds for pieces that overlap, too: the pieces' difference, as a
/// set, holds the circle of each pair, of radius ri + rj, so no pair is nearer than the pieces, and if the best axis is
/// that through two vertices, this pair is the nearest one. So tips are looked for at any depth; what the distance of
/// the cores is above, the distance of the two vertices is here.
///
/// The features are numbered before points are left out, so a point keeps its number when the other one goes.
#include "plane/collide/manifold_polygon.h"

#include "math/fixed_ops.h"
#include "plane/collide/manifold.h"

#define POLYGON_NOISE           INT64_C(8) // [m] Q.24: what rounding may do to a separation
#define POLYGON_COSINE_FLAT     ((INT64_C(1) << 60) - (INT64_C(1) << 45)) // half a degree, Q.60
#define POLYGON_COSINE_PARALLEL (INT64_C(63) << 54)                       // ten degrees

/// 1 in a test alone: the nearest vertices are always looked for.
#ifndef POLYGON_SEARCHES_ALL
#define POLYGON_SEARCHES_ALL 0
#endif

typedef struct polygon_axis {
    int64_t separation; // Q.54: normal times distance, not rounded
    uint32_t face;
} polygon_axis;

/// The least of n . v over the two ends of a tapered piece, Q.54, at the far side of its larger end.
static int64_t polygon_lowest_of_tapered(const iso__plane_convex *b, int64_t nx, int64_t ny) {
    const int64_t first = nx * b->vertices[0][0] + ny * b->vertices[0][1];
    const int64_t second = nx * b->vertices[1][0] + ny * b->vertices[1][1] - iso__shl64(b->taper, 30);
    return iso__min64(first, second);
}

/// The face of `a` that separates it farthest from `b`.
static polygon_axis polygon_find_axis(const iso__plane_convex *a, const iso__plane_convex *b) {
    polygon_axis best = {INT64_MIN, 0};
    const int64_t taper_a = iso__shl64(a->taper, 30); // [m] Q.54
    for (uint32_t i = 0; i < a->count; ++i) {
        const int64_t nx = a->normals[i][0], ny = a->normals[i][1];
        int64_t smallest = INT64_MAX;
        for (uint32_t j = 0; j < b->count; ++j) {
            const int64_t along = nx * b->vertices[j][0] + ny * b->vertices[j][1];
            smallest = along < smallest ? along : smallest;
        }
        if (b->taper != 0) {
            smallest = polygon_lowest_of_tapered(b, nx, ny);
        }
        const int64_t separation =
            smallest - (nx * a->vertices[i][0] + ny * a->vertices[i][1]) - iso__plane_taper_at(taper_a, i);
        if (separation > best.separation) {
            best = (polygon_axis){separation, i};
        }
    }
    return best;
}

/// The face of `b` that looks most against a normal.
static uint32_t polygon_find_incident(const iso__plane_convex *b, const int32_t normal[2]) {
    uint32_t incident = 0;
    int64_t smallest = INT64_MAX;
    for (uint32_t i = 0; i < b->count; ++i) {
        const int64_t along = iso__dot32(normal[0], normal[1], b->normals[i][0], b->normals[i][1]);
        if (along < smallest) {
            smallest = along;
            incident = i;
        }
    }
    return incident;
}

typedef struct polygon_edge {
    int64_t p[2][2];   // the two ends
    int64_t radius[2]; // [m] Q.24
    uint32_t index[2];
    bool is_capsule;
} polygon_edge;

static polygon_edge polygon_edge_make(const iso__plane_convex *convex, uint32_t face) {
    const uint32_t next = face + 1 < convex->count ? face + 1 : 0;
    return (polygon_edge){.p = {{convex->vertices[face][0], convex->vertices[face][1]},
                                {convex->vertices[next][0], convex->vertices[next][1]}},
                          .radius = {iso__plane_convex_radius(convex, face), iso__plane_convex_radius(convex, next)},
                          .index = {face, next},
                          .is_capsule = convex->count == 2};
}

/// The axis through two vertices.
typedef struct polygon_tips {
    int64_t separation; // Q.54: of all vertices along the normal
    int64_t distance;   // [m] Q.24
    int32_t normal[2];  // Q2.30, from A to B
    uint32_t a, b;
} polygon_tips;

/// The nearest two vertices. Tapered pieces compare how far the circles are apart, others squares.
static polygon_tips polygon_find_nearest(const iso__plane_convex *a, const iso__plane_convex *b) {
    polygon_tips tips = {.separation = INT64_MIN};
    const bool is_tapered = (a->taper | b->taper) != 0;
    int64_t smallest = INT64_MAX;
    for (uint32_t i = 0; i < a->count; ++i) {
        for (uint32_t j = 0; j < b->count; ++j) {
            const uint64_t dx = iso__abs_u64(b->vertices[j][0] - a->vertices[i][0]);
            const uint64_t dy = iso__abs_u64(b->vertices[j][1] - a->vertices[i][1]);
            // Vertices that could touch are near; what is far saturates.
            const uint64_t squared = dx > INT32_MAX || dy > INT32_MAX ? INT64_MAX - 1 : dx * dx + dy * dy;
            const int64_t gap = is_tapered ? (int64_t)iso__isqrt64(squared) - iso__plane_taper_at(a->taper, i) -
                                                 iso__plane_taper_at(b->taper, j)
                                           : (int64_t)squared;
            if (gap < smallest) {
                smallest = gap;
                tips.a = i;
                tips.b = j;
            }
        }
    }
    return tips;
}

static polygon_tips polygon_find_tips(const iso__plane_convex *a, const iso__plane_convex *b) {
    polygon_tips tips = polygon_find_nearest(a, b);
    const int64_t *p = a->vertices[tips.a], *q = b->vertices[tips.b];
    tips.distance = iso__normalize(q[0] - p[0], q[1] - p[1], &tips.normal[0], &tips.normal[1]);
    if (tips.distance == 0) {
        return tips;
    }
    const int64_t taper_a = iso__shl64(a->taper, 30), taper_b = iso__shl64(b->taper, 30); // [m] Q.54
    int64_t highest = INT64_MIN, lowest = INT64_MAX;
    for (uint32_t i = 0; i < a->count; ++i) {
        const int64_t along = tips.normal[0] * a->vertices[i][0] + tips.normal[1] * a->vertices[i][1];
        highest = iso__max64(highest, along + iso__plane_taper_at(taper_a, i));
    }
    for (uint32_t j = 0; j < b->count; ++j) {
        const int64_t along = tips.normal[0] * b->vertices[j][0] + tips.normal[1] * b->vertices[j][1];
        lowest = iso__min64(lowest, along - iso__plane_taper_at(taper_b, j));
    }
    tips.separation = lowest - highest;
    return tips;
}

static void polygon_add_tips(const iso__manifold_settings *settings, const iso__plane_convex *a,
                             const iso__plane_convex *b, const polygon_tips *tips, iso__plane_manifold *manifold) {
    const int64_t radius_a = iso__plane_convex_radius(a, tips->a), radius_b = iso__plane_convex_radius(b, tips->b);
    const int64_t separation = tips->distance - radius_a - radius_b;
    if (separation > settings->speculative) {
        return;
    }
    const int64_t *p = a->vertices[tips->a], *q = b->vertices[tips->b];
    const int64_t shift = radius_a - radius_b;
    manifold->normal[0] = tips->normal[0];
    manifold->normal[1] = tips->normal[1];
    const int64_t x = p[0] + q[0] + iso__round_shift(tips->normal[0] * shift, 30);
    const int64_t y = p[1] + q[1] + iso__round_shift(tips->normal[1] * shift, 30);
    iso__plane_manifold_add_point(manifold, iso__round_shift(x, 1), iso__round_shift(y, 1), separation,
                                  (tips->a + 16) << 8 | (tips->b + 16));
}

/// The number of a clipped point: the vertices at that side of both edges; the same whichever is the reference. The
/// end of a capsule names the point alone, or the number would change as it stands on its end and sways: 0 to 15 is
/// a face, from 16 on a vertex.
static uint32_t polygon_feature(const polygon_edge *reference, const polygon_edge *incident, uint32_t side,
                                bool is_flipped) {
    uint32_t of_reference = reference->index[side], of_incident = incident->index[1 - side];
    if (incident->is_capsule) {
        of_reference = reference->index[0];
        of_incident += 16;
    } else if (reference->is_capsule) {
        of_reference += 16;
        of_incident = incident->index[0];
    }
    return is_flipped ? of_incident << 8 | of_reference : of_reference << 8 | of_incident;
}

/// The point of an edge where the coordinate along the reference is `at`; its ends are at `low` (p[1]) and `high`
/// (p[0]).
/// @return the radius there
static int64_t polygon_clip(const polygon_edge *edge, int64_t low, int64_t high, int64_t at, int64_t out[2]) {
    const int64_t *p = edge->p[1], *q = edge->p[0];
    // low < at < high, each below 2^32: the share is Q.30.
    const int64_t share = ((at - low) << 30) / (high - low);
    out[0] = p[0] + iso__round_shift((q[0] - p[0]) * share, 30);
    out[1] = p[1] + iso__round_shift((q[1] - p[1]) * share, 30);
    return edge->radius[1] + iso__round_shift((edge->radius[0] - edge->radius[1]) * share, 30);
}

/// Clips the incident edge to the width of the reference edge, and `margin` more at each end, and adds the ends that
/// are near enough.
static void polygon_add_clipped(const iso__manifold_settings *settings, const polygon_edge *reference,
                                const polygon_edge *incident, const int32_t normal[2], int64_t margin, bool is_flipped,
                                iso__plane_manifold *manifold) {
    const int64_t tx = -(int64_t)normal[1], ty = normal[0]; // along the reference edge
    const int64_t *r0 = reference->p[0];
    const int64_t width = iso__round_shift(tx * (reference->p[1][0] - r0[0]) + ty * (reference->p[1][1] - r0[1]), 30);
    // The incident edge runs the other way: its second end is at the lower side.
    const int64_t at_low = iso__round_shift(tx * (incident->p[1][0] - r0[0]) + ty * (incident->p[1][1] - r0[1]), 30);
    const int64_t at_high = iso__round_shift(tx * (incident->p[0][0] - r0[0]) + ty * (incident->p[0][1] - r0[1]), 30);
    const int64_t from = -margin, to = width + margin;
    int64_t ends[2][2] = {{incident->p[1][0], incident->p[1][1]}, {incident->p[0][0], incident->p[0][1]}};
    int64_t radius[2] = {incident->radius[1], incident->radius[0]};
    const bool is_beyond = at_high < from || at_low > to;
    if (at_low < from && !is_beyond && at_high > at_low) {
        radius[0] = polygon_clip(incident, at_low, at_high, from, ends[0]);
    }
    if (at_high > to && !is_beyond && at_high > at_low) {
        radius[1] = polygon_clip(incident, at_low, at_high, to, ends[1]);
    }
    int64_t core[2];
    int64_t beyond[2]; // how far from the reference edge an end is that does not project into it
    for (uint32_t i = 0; i < 2; ++i) {
        const int64_t at = i == 0 ? at_low : at_high;
        core[i] = iso__round_shift(normal[0] * (ends[i][0] - r0[0]) + normal[1] * (ends[i][1] - r0[1]), 30);
        beyond[i] = (int64_t)iso__abs_u64(core[i]) + (at < from ? from - at : at > to ? at - to : 0) - radius[i];
    }
    manifold->normal[0] = normal[0];
    manifold->normal[1] = normal[1];
    for (uint32_t i = 0; i < 2; ++i) {
        const int64_t separation = core[i] - reference->radius[0] - radius[i];
        // An edge beyond the face's end touches with its nearer end alone.
        if (separation > settings->speculative ||
            (is_beyond && (i == 0 ? beyond[0] > beyond[1] : beyond[1] >= beyond[0]))) {
            continue;
        }
        // Halfway between the surfaces: from the incident side by radius_incident + separation / 2 towards the other.
        const int64_t back = reference->radius[0] - radius[i] - core[i];
        const int64_t x = 2 * ends[i][0] + iso__round_shift(normal[0] * back, 30);
        const int64_t y = 2 * ends[i][1] + iso__round_shift(normal[1] * back, 30);
        iso__plane_manifold_add_point(manifold, iso__round_shift(x, 1), iso__round_shift(y, 1), separation,
                                      polygon_feature(reference, incident, i, is_flipped));
    }
}

/// Whether two faces lie along each other: the cosine between their normals is below this, Q.60.
static bool polygon_is_along(const int32_t *na, const int32_t *nb, int64_t cosine) {
    return iso__dot32(na[0], na[1], nb[0], nb[1]) < cosine;
}

/// How far the incident edge may reach beyond the ends of the reference face, [m] Q.24; see above.
/// @param more  [m] Q.24: what the vertices may be farther apart, of tapered pieces
static int64_t polygon_margin(int64_t face_separation, int64_t more) {
    const int64_t core = face_separation + iso__shl64(more, 30);
    if (core <= 0) {
        return 0;
    }
    const int64_t distance = core >> 30;
    return 2 + (int64_t)iso__isqrt64((uint64_t)(POLYGON_NOISE * (2 * distance + POLYGON_NOISE)));
}

static uint32_t polygon_find_lowest(const iso__plane_convex *b, int64_t nx, int64_t ny) {
    uint32_t lowest = 0;
    int64_t smallest = INT64_MAX;
    for (uint32_t j = 0; j < b->count; ++j) {
        const int64_t along = nx * b->vertices[j][0] + ny * b->vertices[j][1];
        lowest = along < smallest ? j : lowest;
        smallest = along < smallest ? along : smallest;
    }
    return lowest;
}

/// Whether the axis through the nearest vertices cannot be better than a face by `tolerance`, or not longer than
/// `preference`, both Q.54: the lowest vertex q is over the
/// face.
///
/// Let p be the point of the face's edge that is as far along it as q. What separates two pieces along a unit vector is
/// at most the distance of any two of their points, so at most |q - p|. With s the height of q above the line through
/// the edge's begin and d that of its end, |q - p| <= |s| + |d|, both divided by the normal's length. d is not 0
/// because normals are rounded. The lengths of both normals are within 2^-28 of 1, so the quotient is below 1 + 2^-26.
///
/// @param separation  Q.54: of the better face
static bool polygon_has_no_tips(const iso__plane_convex *a, const iso__plane_convex *b, const polygon_axis *axis,
                                int64_t separation, int64_t preference, int64_t tolerance) {
    const uint32_t next = axis->face + 1 < a->count ? axis->face + 1 : 0;
    const int64_t *begin = a->vertices[axis->face], *end = a->vertices[next];
    const int64_t nx = a->normals[axis->face][0], ny = a->normals[axis->face][1];
    const int64_t *q = b->vertices[polygon_find_lowest(b, nx, ny)];
    if (nx * (q[1] - begin[1]) - ny * (q[0] - begin[0]) < 0 || nx * (end[1] - q[1]) - ny * (end[0] - q[0]) < 0) {
        return false;
    }
    const uint64_t most =
        iso__abs_u64(axis->separation) + iso__abs_u64(nx * (end[0] - begin[0]) + ny * (end[1] - begin[1]));
    const int64_t bound = (int64_t)(most + (most >> 26) + 1);
    return bound <= preference || bound - separation <= tolerance;
}

/// Whether the nearest vertices must be looked for.
static bool polygon_may_have_tips(const iso__plane_convex *a, const iso__plane_convex *b, const polygon_axis *axis_a,
                                  const polygon_axis *axis_b, int64_t preference) {
    const int64_t separation = iso__max64(axis_a->separation, axis_b->separation);
    if ((a->taper | b->taper) != 0) {
        return true;
    }
    // Cores that overlap have no nearest vertices; the faces of two capsules in line see nothing but rounding.
    if (separation <= -(POLYGON_NOISE << 30)) {
        return false;
    }
    const int64_t tolerance = iso__min64(preference >> 12, POLYGON_NOISE << 30); // the least there is
    return POLYGON_SEARCHES_ALL || (!polygon_has_no_tips(a, b, axis_a, separation, preference, tolerance) &&
                                    !polygon_has_no_tips(b, a, axis_b, separation, preference, tolerance));
}

void iso__plane_manifold_polygon_polygon(const iso__manifold_settings *settings, const iso__plane_convex *a,
                                         const iso__plane_convex *b, iso__plane_manifold *manifold) {
    const polygon_axis axis_a = polygon_find_axis(a, b);
    const int64_t reach = (settings->speculative + a->radius + b->radius) << 30;
    if (axis_a.separation > reach) {
        return;
    }
    const polygon_axis axis_b = polygon_find_axis(b, a);
    if (axis_b.separation > reach) {
        return;
    }
    const int64_t preference = (settings->slop / 10) << 30;
    const int64_t face_separation = iso__max64(axis_a.separation, axis_b.separation);
    const int32_t *na = a->normals[axis_a.face], *nb = b->normals[axis_b.face];
    const bool is_tapered = (a->taper | b->taper) != 0;
    if (polygon_may_have_tips(a, b, &axis_a, &axis_b, preference)) {
        const polygon_tips tips = polygon_find_tips(a, b);
        const bool is_flat = polygon_is_along(na, nb, -POLYGON_COSINE_FLAT);
        const int64_t distance = is_tapered ? iso__shl64(tips.distance, 30) : tips.separation;
        const int64_t tolerance = is_flat ? iso__min64(distance >> 12, preference / 2) : POLYGON_NOISE << 30;
        if (distance > preference && tips.separation - face_separation > tolerance) {
            polygon_add_tips(settings, a, b, &tips, manifold);
            return;
        }
    }
    // A keeps the reference face unless B's is clearly better, so that the choice does not flicker.
    // Only faces that lie along each other are alike; of others the better one is meant, however little better.
    const bool is_parallel = polygon_is_along(na, nb, -POLYGON_COSINE_PARALLEL);
    const bool is_flipped = axis_b.separation > axis_a.separation + (is_parallel ? preference : 0);
    const iso__plane_convex *ours = is_flipped ? b : a;
    const iso__plane_convex *theirs = is_flipped ? a : b;
    const polygon_axis axis = is_flipped ? axis_b : axis_a;
    const int32_t *normal = ours->normals[axis.face];
    const polygon_edge reference = polygon_edge_make(ours, axis.face);
    const polygon_edge incident = polygon_edge_make(theirs, polygon_find_incident(theirs, normal));
    const int64_t margin = polygon_margin(axis.separation, iso__max64(a->taper, 0) + iso__max64(b->taper, 0));
    polygon_add_clipped(settings, &reference, &incident, normal, margin, is_flipped, manifold);
    if (is_flipped) {
        manifold->normal[0] = iso__neg32(manifold->normal[0]);
        manifold->normal[1] = iso__neg32(manifold->normal[1]);
    }
}

void iso__plane_manifold_polygon_over_face(const iso__manifold_settings *settings, const iso__plane_convex *a,
                                           uint32_t face, const iso__plane_convex *b, iso__plane_manifold *manifold) {
    const int32_t *normal = a->normals[face];
    const polygon_edge reference = polygon_edge_make(a, face);
    const polygon_edge incident = polygon_edge_make(b, polygon_find_incident(b, normal));
    const int64_t *from = reference.p[0], *to = reference.p[1], *low = incident.p[1], *high = incident.p[0];
    const int64_t tx = -(int64_t)normal[1], ty = normal[0]; // along the face
    if (tx * (high[0] - from[0]) + ty * (high[1] - from[1]) > 0 && tx * (low[0] - to[0]) + ty * (low[1] - to[1]) < 0) {
        polygon_add_clipped(settings, &reference, &incident, normal, 0, false, manifold);
    }
}
