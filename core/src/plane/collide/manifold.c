/// Sets two pieces up in A's frame, calls the function for their kinds and turns the result into the world.
#include "plane/collide/manifold.h"

#include "math/fixed_ops.h"
#include "plane/collide/manifold_circle.h"
#include "plane/collide/manifold_polygon.h"
#include "plane/collide/manifold_segment.h"

static uint32_t collider_normals(const iso__plane_collider *from) {
    return from->is_segment ? 4 : from->is_circle ? 0 : from->count;
}

static void convex_set_own(iso__plane_convex *convex, const iso__plane_collider *from) {
    convex->count = from->count;
    convex->radius = from->radius;
    convex->taper = from->taper;
    for (uint32_t i = 0; i < convex->count; ++i) {
        convex->vertices[i][0] = from->vertices[i][0];
        convex->vertices[i][1] = from->vertices[i][1];
    }
    for (uint32_t i = 0; i < collider_normals(from); ++i) {
        convex->normals[i][0] = from->normals[i][0];
        convex->normals[i][1] = from->normals[i][1];
    }
}

/// q rotates into the frame; (dx, dy) is the piece's origin there.
static void convex_set_moved(iso__plane_convex *convex, const iso__plane_collider *from, iso_rotation q, int64_t dx,
                             int64_t dy) {
    convex->count = from->count;
    convex->radius = from->radius;
    convex->taper = from->taper;
    for (uint32_t i = 0; i < convex->count; ++i) {
        const int64_t x = from->vertices[i][0], y = from->vertices[i][1];
        convex->vertices[i][0] = dx + iso__round_shift(q.c * x - q.s * y, 30);
        convex->vertices[i][1] = dy + iso__round_shift(q.s * x + q.c * y, 30);
    }
    for (uint32_t i = 0; i < collider_normals(from); ++i) {
        const int64_t nx = from->normals[i][0], ny = from->normals[i][1];
        convex->normals[i][0] =
            (int32_t)iso__clamp64(iso__round_shift(q.c * nx - q.s * ny, 30), -ISO__UNIT_ONE, ISO__UNIT_ONE);
        convex->normals[i][1] =
            (int32_t)iso__clamp64(iso__round_shift(q.s * nx + q.c * ny, 30), -ISO__UNIT_ONE, ISO__UNIT_ONE);
    }
}

/// Exchanges the roles of the two shapes: A's function was called with them the other way round.
static void manifold_flip(iso__plane_manifold *manifold) {
    manifold->normal[0] = iso__neg32(manifold->normal[0]);
    manifold->normal[1] = iso__neg32(manifold->normal[1]);
    for (uint32_t i = 0; i < manifold->count; ++i) {
        const uint32_t feature = manifold->points[i].feature;
        manifold->points[i].feature = (feature & 0xFF) << 8 | feature >> 8;
    }
}

/// From A's frame to the world's orientation; anchors of B from B's centre of mass.
static void manifold_to_world(iso__plane_manifold *manifold, iso_rotation q, int64_t dx, int64_t dy) {
    const int64_t nx = manifold->normal[0], ny = manifold->normal[1];
    manifold->normal[0] =
        (int32_t)iso__clamp64(iso__round_shift(q.c * nx - q.s * ny, 30), -ISO__UNIT_ONE, ISO__UNIT_ONE);
    manifold->normal[1] =
        (int32_t)iso__clamp64(iso__round_shift(q.s * nx + q.c * ny, 30), -ISO__UNIT_ONE, ISO__UNIT_ONE);
    for (uint32_t i = 0; i < manifold->count; ++i) {
        iso__plane_manifold_point *point = &manifold->points[i];
        const int64_t x = point->anchor_a[0], y = point->anchor_a[1];
        const int64_t ax = iso__round_shift(q.c * x - q.s * y, 30);
        const int64_t ay = iso__round_shift(q.s * x + q.c * y, 30);
        point->anchor_a[0] = iso__narrow32(ax);
        point->anchor_a[1] = iso__narrow32(ay);
        point->anchor_b[0] = iso__saturate32(ax - dx);
        point->anchor_b[1] = iso__saturate32(ay - dy);
    }
}

#define MANIFOLD_MARGIN 16 // [m] Q.24: more than what rounding may do to the height of a piece that is within 241 m

/// How high `b` is above the face of `a` that its centre is highest above, Q.54.
/// @param q       turns b's frame into that of a
/// @param dx, dy  [m] Q.24, of b's origin in the frame of a
static int64_t manifold_find_height(const iso__plane_collider *a, const iso__plane_collider *b, iso_rotation q,
                                    int64_t dx, int64_t dy) {
    int64_t height = INT64_MIN;
    const int32_t *n = a->normals[0];
    for (uint32_t i = 0; i < a->count; ++i) {
        const int64_t of_centre =
            a->normals[i][0] * (dx - a->vertices[i][0]) + a->normals[i][1] * (dy - a->vertices[i][1]);
        n = of_centre > height ? a->normals[i] : n;
        height = of_centre > height ? of_centre : height;
    }
    const int64_t nx = iso__round_shift((int64_t)q.c * n[0] + (int64_t)q.s * n[1], 30);
    const int64_t ny = iso__round_shift((int64_t)q.c * n[1] - (int64_t)q.s * n[0], 30);
    int64_t lowest = INT64_MAX;
    for (uint32_t j = 0; j < b->count; ++j) {
        lowest = iso__min64(lowest, nx * b->vertices[j][0] + ny * b->vertices[j][1]);
    }
    return height + lowest;
}

bool iso__plane_manifold_is_beyond(const iso__manifold_settings *settings, const iso__plane_collider *a,
                                   const iso__plane_collider *b, int64_t dx, int64_t dy) {
    if ((a->taper | b->taper) != 0 || a->is_segment || b->is_segment) {
        return false;
    }
    const iso_rotation qa = a->rotation, qb = b->rotation, q = iso_rotation_inv_mul(qa, qb);
    const int64_t reach = (settings->speculative + a->radius + b->radius + MANIFOLD_MARGIN) << 30;
    if (!a->is_circle) {
        const int64_t height = manifold_find_height(a, b, q, iso__round_shift(qa.c * dx + qa.s * dy, 30),
                                                    iso__round_shift(qa.c * dy - qa.s * dx, 30));
        if (height > reach) {
            return true;
        }
        if (height > reach - (settings->speculative << 30)) {
            return false; // they are near, and b's face will hardly say more
        }
    }
    return !b->is_circle && manifold_find_height(b, a, (iso_rotation){q.c, iso__neg32(q.s)},
                                                 -iso__round_shift(qb.c * dx + qb.s * dy, 30),
                                                 -iso__round_shift(qb.c * dy - qb.s * dx, 30)) > reach;
}

void iso__plane_manifold_make(const iso__manifold_settings *settings, const iso__plane_collider *a,
                              const iso__plane_collider *b, int64_t dx, int64_t dy, iso__plane_manifold *manifold) {
    const iso_rotation qa = a->rotation;
    iso__plane_convex convex_a, convex_b;
    convex_set_own(&convex_a, a);
    convex_set_moved(&convex_b, b, iso_rotation_inv_mul(qa, b->rotation), iso__round_shift(qa.c * dx + qa.s * dy, 30),
                     iso__round_shift(qa.c * dy - qa.s * dx, 30));
    manifold->count = 0;
    if (a->is_segment || b->is_segment) {
        if (a->is_segment && !b->is_segment) {
            iso__plane_manifold_segment(settings, &convex_a, &convex_b, manifold);
        } else if (b->is_segment && !a->is_segment) {
            iso__plane_manifold_segment(settings, &convex_b, &convex_a, manifold);
            manifold_flip(manifold);
        }
    } else if (a->is_circle && b->is_circle) {
        iso__plane_manifold_circle_circle(settings, &convex_a, &convex_b, manifold);
    } else if (b->is_circle) {
        iso__plane_manifold_polygon_circle(settings, &convex_a, &convex_b, manifold);
    } else if (a->is_circle) {
        iso__plane_manifold_polygon_circle(settings, &convex_b, &convex_a, manifold);
        manifold_flip(manifold);
    } else {
        iso__plane_manifold_polygon_polygon(settings, &convex_a, &convex_b, manifold);
    }
    if (manifold->count > 0) {
        manifold_to_world(manifold, qa, dx, dy);
    }
}
