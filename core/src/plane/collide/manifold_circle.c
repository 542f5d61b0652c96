/// Circles against circles and against rounded polygons, capsules among them as polygons of two vertices.
///
/// Circle and polygon: with c the circle's centre, the face i with the largest n_i . (c - v_i) is nearest. When c
/// is outside of it and projects beyond one of its ends, the nearest feature is that end's vertex, else the face.
/// The region decides, not the overlap of intervals, so a circle inside the polygon is pushed through the
/// nearest face. A capsule's core has no inside: there the region alone decides. Of a tapered capsule the flat side is
/// what lies between its two ends along the side, and so along its normal, which leans.
#include "plane/collide/manifold_circle.h"

#include "math/fixed_ops.h"
#include "plane/collide/manifold.h"

/// The point between two round tips at p (radius of A's side) and c, along `normal`, at `distance`.
static void circle_add_between(const iso__manifold_settings *settings, const int64_t p[2], int64_t radius_p,
                               const int64_t c[2], int64_t radius_c, int64_t distance, uint32_t feature,
                               iso__plane_manifold *manifold) {
    const int64_t separation = distance - radius_p - radius_c;
    if (separation > settings->speculative) {
        return;
    }
    // Halfway between the surfaces: p + n (radius_p + separation / 2), written symmetrically.
    const int64_t shift = radius_p - radius_c;
    const int64_t x = (p[0] + c[0]) + iso__round_shift(manifold->normal[0] * shift, 30);
    const int64_t y = (p[1] + c[1]) + iso__round_shift(manifold->normal[1] * shift, 30);
    iso__plane_manifold_add_point(manifold, iso__round_shift(x, 1), iso__round_shift(y, 1), separation, feature);
}

static void circle_add_tips(const iso__manifold_settings *settings, const int64_t p[2], int64_t radius_p,
                            const int64_t c[2], int64_t radius_c, uint32_t feature, iso__plane_manifold *manifold) {
    const int64_t distance = iso__normalize(c[0] - p[0], c[1] - p[1], &manifold->normal[0], &manifold->normal[1]);
    if (distance == 0) {
        manifold->normal[0] = 0;
        manifold->normal[1] = ISO__UNIT_ONE;
    }
    circle_add_between(settings, p, radius_p, c, radius_c, distance, feature, manifold);
}

void iso__plane_manifold_circle_circle(const iso__manifold_settings *settings, const iso__plane_convex *a,
                                       const iso__plane_convex *b, iso__plane_manifold *manifold) {
    circle_add_tips(settings, a->vertices[0], a->radius, b->vertices[0], b->radius, 0, manifold);
}

void iso__plane_manifold_polygon_circle(const iso__manifold_settings *settings, const iso__plane_convex *a,
                                        const iso__plane_convex *b, iso__plane_manifold *manifold) {
    const int64_t *c = b->vertices[0];
    uint32_t face = 0;
    int64_t largest = INT64_MIN; // Q.54
    for (uint32_t i = 0; i < a->count; ++i) {
        const int64_t along = a->normals[i][0] * (c[0] - a->vertices[i][0]) +
                              a->normals[i][1] * (c[1] - a->vertices[i][1]) -
                              iso__shl64(iso__plane_taper_at(a->taper, i), 30);
        if (along > largest) {
            largest = along;
            face = i;
        }
    }
    const int64_t distance = iso__round_shift(largest, 30);
    if (distance - a->radius - b->radius > settings->speculative) {
        return;
    }
    const uint32_t next = face + 1 < a->count ? face + 1 : 0;
    const int64_t *v1 = a->vertices[face], *v2 = a->vertices[next];
    int64_t edge[2] = {v2[0] - v1[0], v2[1] - v1[1]};
    if (a->taper != 0) {
        edge[0] = -(int64_t)a->normals[face][1];
        edge[1] = a->normals[face][0];
    }
    const int64_t from1 = edge[0] * (c[0] - v1[0]) + edge[1] * (c[1] - v1[1]);
    const int64_t from2 = edge[0] * (v2[0] - c[0]) + edge[1] * (v2[1] - c[1]);
    if ((distance > 0 || a->count == 2) && (from1 < 0 || from2 < 0)) {
        const uint32_t vertex = from1 < 0 ? face : next;
        circle_add_tips(settings, a->vertices[vertex], iso__plane_convex_radius(a, vertex), c, b->radius,
                        (vertex + 16) << 8, manifold);
        return;
    }
    manifold->normal[0] = a->normals[face][0];
    manifold->normal[1] = a->normals[face][1];
    // The foot of c on the face's line.
    const int64_t foot[2] = {c[0] - iso__round_shift(a->normals[face][0] * distance, 30),
                             c[1] - iso__round_shift(a->normals[face][1] * distance, 30)};
    circle_add_between(settings, foot, a->radius, c, b->radius, distance, face << 8, manifold);
}
