/// Rounded convex polygons against each other: separating axes over the faces, then the incident face clipped
/// against the sides of the reference face. Where the cores are apart and two vertices are nearest, one point
/// between those vertices, so that corners meet round and not along a face's line.
///
/// The features are numbered before points are left out, so a point keeps its number when the other one goes.
#include "collide/manifold.h"

#include "math/fixed_ops.h"

typedef struct polygon_axis {
    int64_t separation; // Q.54: normal times distance, not rounded
    uint32_t face;
} polygon_axis;

/// The face of `a` that separates it farthest from `b`.
static polygon_axis polygon_find_axis(const iso__convex *a, const iso__convex *b) {
    polygon_axis best = {INT64_MIN, 0};
    for (uint32_t i = 0; i < a->count; ++i) {
        const int64_t nx = a->normals[i][0], ny = a->normals[i][1];
        int64_t smallest = INT64_MAX;
        for (uint32_t j = 0; j < b->count; ++j) {
            const int64_t along = nx * b->vertices[j][0] + ny * b->vertices[j][1];
            smallest = along < smallest ? along : smallest;
        }
        const int64_t separation = smallest - (nx * a->vertices[i][0] + ny * a->vertices[i][1]);
        if (separation > best.separation) {
            best = (polygon_axis){separation, i};
        }
    }
    return best;
}

/// The face of `b` that looks most against a normal.
static uint32_t polygon_find_incident(const iso__convex *b, const int32_t normal[2]) {
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
    int64_t p[2][2]; // the two ends
    uint32_t index[2];
    const int32_t *normal; // Q2.30
} polygon_edge;

static polygon_edge polygon_edge_make(const iso__convex *convex, uint32_t face) {
    const uint32_t next = face + 1 < convex->count ? face + 1 : 0;
    return (polygon_edge){
        .p = {{convex->vertices[face][0], convex->vertices[face][1]}, {convex->vertices[next][0], convex->vertices[next][1]}},
        .index = {face, next},
        .normal = convex->normals[face]};
}

/// How far v is from the edge's line when it projects inside the edge, else INT64_MAX. Differences are below 2^33, so
/// the products fit.
static int64_t polygon_line_distance(const polygon_edge *edge, const int64_t v[2]) {
    const int64_t ex = edge->p[1][0] - edge->p[0][0], ey = edge->p[1][1] - edge->p[0][1];
    const int64_t dx = v[0] - edge->p[0][0], dy = v[1] - edge->p[0][1];
    // One bit is given up so that the sum of two products of 33 and 32 bits cannot overflow.
    const int64_t from0 = (ex / 4) * dx + (ey / 4) * dy;
    const int64_t from1 = (ex / 4) * (edge->p[1][0] - v[0]) + (ey / 4) * (edge->p[1][1] - v[1]);
    if (from0 <= 0 || from1 <= 0) {
        return INT64_MAX;
    }
    return (int64_t)iso__abs_u64(iso__round_shift(edge->normal[0] * dx + edge->normal[1] * dy, 30));
}

/// When two vertices are nearer than any end of one edge is to the inside of the other: writes one point for them.
/// @return whether it was so
static bool polygon_add_vertices(const iso__manifold_settings *settings, const polygon_edge *reference,
                                 const polygon_edge *incident, int64_t radius_a, int64_t radius_b, bool is_flipped,
                                 iso__manifold *manifold) {
    int64_t nearest = INT64_MAX;
    for (uint32_t i = 0; i < 2; ++i) {
        nearest = iso__min64(nearest, polygon_line_distance(reference, incident->p[i]));
        nearest = iso__min64(nearest, polygon_line_distance(incident, reference->p[i]));
    }
    uint32_t best_r = 0, best_i = 0;
    uint64_t smallest = UINT64_MAX;
    for (uint32_t r = 0; r < 2; ++r) {
        for (uint32_t i = 0; i < 2; ++i) {
            const uint64_t dx = iso__abs_u64(incident->p[i][0] - reference->p[r][0]);
            const uint64_t dy = iso__abs_u64(incident->p[i][1] - reference->p[r][1]);
            // Vertices that could touch are near; what is far saturates.
            const uint64_t squared = dx > INT32_MAX || dy > INT32_MAX ? UINT64_MAX - 1 : dx * dx + dy * dy;
            if (squared < smallest) {
                smallest = squared;
                best_r = r;
                best_i = i;
            }
        }
    }
    const int64_t *p = reference->p[best_r], *q = incident->p[best_i];
    const int64_t distance = iso__normalize(q[0] - p[0], q[1] - p[1], &manifold->normal[0], &manifold->normal[1]);
    if (distance == 0 || distance > nearest) {
        return false; // a face is nearer; or the corners coincide, and the face's normal is as good
    }
    const int64_t separation = distance - radius_a - radius_b;
    if (separation > settings->speculative) {
        return true;
    }
    const int64_t shift = is_flipped ? radius_b - radius_a : radius_a - radius_b;
    const int64_t x = p[0] + q[0] + iso__round_shift(manifold->normal[0] * shift, 30);
    const int64_t y = p[1] + q[1] + iso__round_shift(manifold->normal[1] * shift, 30);
    const uint32_t id_r = reference->index[best_r] + 16, id_i = incident->index[best_i] + 16;
    iso__manifold_add_point(manifold, iso__round_shift(x, 1), iso__round_shift(y, 1), separation,
                            is_flipped ? id_i << 8 | id_r : id_r << 8 | id_i);
    return true;
}

/// The point on the segment p (at `at_p` along the reference) to q (at `at_q`) where the coordinate is `at`.
static void polygon_clip(const int64_t p[2], int64_t at_p, const int64_t q[2], int64_t at_q, int64_t at, int64_t out[2]) {
    // at_p < at < at_q, each below 2^32: the share is Q.30.
    const int64_t share = ((at - at_p) << 30) / (at_q - at_p);
    out[0] = p[0] + iso__round_shift((q[0] - p[0]) * share, 30);
    out[1] = p[1] + iso__round_shift((q[1] - p[1]) * share, 30);
}

/// Clips the incident edge to the width of the reference edge and adds the ends that are near enough.
static void polygon_add_clipped(const iso__manifold_settings *settings, const polygon_edge *reference,
                                const polygon_edge *incident, const int32_t normal[2], int64_t radius_a, int64_t radius_b,
                                bool is_flipped, iso__manifold *manifold) {
    const int64_t tx = -(int64_t)normal[1], ty = normal[0]; // along the reference edge
    const int64_t *r0 = reference->p[0];
    const int64_t width = iso__round_shift(tx * (reference->p[1][0] - r0[0]) + ty * (reference->p[1][1] - r0[1]), 30);
    // The incident edge runs the other way: its second end is at the lower side.
    const int64_t at_low = iso__round_shift(tx * (incident->p[1][0] - r0[0]) + ty * (incident->p[1][1] - r0[1]), 30);
    const int64_t at_high = iso__round_shift(tx * (incident->p[0][0] - r0[0]) + ty * (incident->p[0][1] - r0[1]), 30);
    int64_t low[2] = {incident->p[1][0], incident->p[1][1]};
    int64_t high[2] = {incident->p[0][0], incident->p[0][1]};
    // An edge beyond the face's end touches with its nearer end alone.
    const bool is_below = at_high < 0, is_above = at_low > width;
    if (at_low < 0 && !is_below && at_high > at_low) {
        polygon_clip(incident->p[1], at_low, incident->p[0], at_high, 0, low);
    }
    if (at_high > width && !is_above && at_high > at_low) {
        polygon_clip(incident->p[1], at_low, incident->p[0], at_high, width, high);
    }
    const uint32_t ids[2][2] = {{reference->index[0], incident->index[1]}, {reference->index[1], incident->index[0]}};
    const int64_t *ends[2] = {low, high};
    manifold->normal[0] = normal[0];
    manifold->normal[1] = normal[1];
    for (uint32_t i = 0; i < 2; ++i) {
        const int64_t core = iso__round_shift(normal[0] * (ends[i][0] - r0[0]) + normal[1] * (ends[i][1] - r0[1]), 30);
        const int64_t separation = core - radius_a - radius_b;
        if (separation > settings->speculative || (i == 0 ? is_below : is_above)) {
            continue;
        }
        // Halfway between the surfaces: from the incident side by radius_incident + separation / 2 towards the other.
        const int64_t back = (is_flipped ? radius_b - radius_a : radius_a - radius_b) - core;
        const int64_t x = 2 * ends[i][0] + iso__round_shift(normal[0] * back, 30);
        const int64_t y = 2 * ends[i][1] + iso__round_shift(normal[1] * back, 30);
        iso__manifold_add_point(manifold, iso__round_shift(x, 1), iso__round_shift(y, 1), separation,
                                is_flipped ? ids[i][1] << 8 | ids[i][0] : ids[i][0] << 8 | ids[i][1]);
    }
}

void iso__manifold_polygon_polygon(const iso__manifold_settings *settings, const iso__convex *a, const iso__convex *b,
                                   iso__manifold *manifold) {
    const polygon_axis axis_a = polygon_find_axis(a, b);
    const int64_t reach = (settings->speculative + a->radius + b->radius) << 30;
    if (axis_a.separation > reach) {
        return;
    }
    const polygon_axis axis_b = polygon_find_axis(b, a);
    if (axis_b.separation > reach) {
        return;
    }
    // A keeps the reference face unless B's is clearly better, so that the choice does not flicker.
    // Only faces that lie along each other are alike; of others the better one is meant, however little better.
    const int32_t *na = a->normals[axis_a.face], *nb = b->normals[axis_b.face];
    const bool is_parallel = iso__dot32(na[0], na[1], nb[0], nb[1]) < -(INT64_C(63) << 54); // within 10 degrees
    const bool is_flipped = axis_b.separation > axis_a.separation + (is_parallel ? (settings->slop / 10) << 30 : 0);
    const iso__convex *ours = is_flipped ? b : a;
    const iso__convex *theirs = is_flipped ? a : b;
    const polygon_axis axis = is_flipped ? axis_b : axis_a;
    const int32_t *normal = ours->normals[axis.face];
    const polygon_edge reference = polygon_edge_make(ours, axis.face);
    const polygon_edge incident = polygon_edge_make(theirs, polygon_find_incident(theirs, normal));
    const bool is_apart = axis.separation > (settings->slop / 10) << 30;
    if (!is_apart ||
        !polygon_add_vertices(settings, &reference, &incident, a->radius, b->radius, is_flipped, manifold)) {
        polygon_add_clipped(settings, &reference, &incident, normal, a->radius, b->radius, is_flipped, manifold);
    }
    if (is_flipped) {
        manifold->normal[0] = iso__neg32(manifold->normal[0]);
        manifold->normal[1] = iso__neg32(manifold->normal[1]);
    }
}
