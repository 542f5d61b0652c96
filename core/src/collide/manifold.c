/// Sets two shapes up in body A's frame, calls the function for their kinds and turns the result into the world.
#include "collide/manifold.h"

#include "math/fixed_ops.h"

void iso__manifold_add_point(iso__manifold *manifold, int64_t x, int64_t y, int64_t separation, uint32_t feature) {
    iso__manifold_point *point = &manifold->points[manifold->count++];
    // Contact points lie within the shapes' extents of 60 m, give or take the speculative distance.
    point->anchor_a[0] = iso__narrow32(x);
    point->anchor_a[1] = iso__narrow32(y);
    point->separation = iso__saturate32(separation);
    point->feature = feature;
}

static void convex_set_own(iso__convex *convex, const iso__shape *shape, const iso__shape_derived *derived) {
    convex->count = shape->vertex_count;
    convex->radius = shape->radius;
    for (uint32_t i = 0; i < convex->count; ++i) {
        convex->vertices[i][0] = derived->vertices[i][0];
        convex->vertices[i][1] = derived->vertices[i][1];
        convex->normals[i][0] = derived->normals[i][0];
        convex->normals[i][1] = derived->normals[i][1];
    }
}

/// q rotates from the shape's body into the frame; (dx, dy) is its body's centre there.
static void convex_set_moved(iso__convex *convex, const iso__shape *shape, const iso__shape_derived *derived,
                             iso_rotation q, int64_t dx, int64_t dy) {
    convex->count = shape->vertex_count;
    convex->radius = shape->radius;
    for (uint32_t i = 0; i < convex->count; ++i) {
        const int64_t x = derived->vertices[i][0], y = derived->vertices[i][1];
        convex->vertices[i][0] = dx + iso__round_shift(q.c * x - q.s * y, 30);
        convex->vertices[i][1] = dy + iso__round_shift(q.s * x + q.c * y, 30);
        if (shape->kind != ISO_SHAPE_CIRCLE) {
            const int64_t nx = derived->normals[i][0], ny = derived->normals[i][1];
            convex->normals[i][0] = (int32_t)iso__clamp64(iso__round_shift(q.c * nx - q.s * ny, 30), -ISO__UNIT_ONE, ISO__UNIT_ONE);
            convex->normals[i][1] = (int32_t)iso__clamp64(iso__round_shift(q.s * nx + q.c * ny, 30), -ISO__UNIT_ONE, ISO__UNIT_ONE);
        }
    }
}

/// Exchanges the roles of the two shapes: A's function was called with them the other way round.
static void manifold_flip(iso__manifold *manifold) {
    manifold->normal[0] = iso__neg32(manifold->normal[0]);
    manifold->normal[1] = iso__neg32(manifold->normal[1]);
    for (uint32_t i = 0; i < manifold->count; ++i) {
        const uint32_t feature = manifold->points[i].feature;
        manifold->points[i].feature = (feature & 0xFF) << 8 | feature >> 8;
    }
}

/// From A's frame to the world's orientation; anchors of B from B's centre of mass.
static void manifold_to_world(iso__manifold *manifold, iso_rotation q, int64_t dx, int64_t dy) {
    const int64_t nx = manifold->normal[0], ny = manifold->normal[1];
    manifold->normal[0] = (int32_t)iso__clamp64(iso__round_shift(q.c * nx - q.s * ny, 30), -ISO__UNIT_ONE, ISO__UNIT_ONE);
    manifold->normal[1] = (int32_t)iso__clamp64(iso__round_shift(q.s * nx + q.c * ny, 30), -ISO__UNIT_ONE, ISO__UNIT_ONE);
    for (uint32_t i = 0; i < manifold->count; ++i) {
        iso__manifold_point *point = &manifold->points[i];
        const int64_t x = point->anchor_a[0], y = point->anchor_a[1];
        const int64_t ax = iso__round_shift(q.c * x - q.s * y, 30);
        const int64_t ay = iso__round_shift(q.s * x + q.c * y, 30);
        point->anchor_a[0] = iso__narrow32(ax);
        point->anchor_a[1] = iso__narrow32(ay);
        point->anchor_b[0] = iso__saturate32(ax - dx);
        point->anchor_b[1] = iso__saturate32(ay - dy);
    }
}

void iso__manifold_make(const iso_world *world, const iso__manifold_settings *settings, uint32_t shape_a, uint32_t shape_b,
                        iso__manifold *manifold) {
    const iso__shape *a = &world->shapes[shape_a];
    const iso__shape *b = &world->shapes[shape_b];
    const iso__body *body_a = &world->bodies[a->body];
    const iso__body *body_b = &world->bodies[b->body];
    const iso_rotation qa = world->body_derived[a->body].rotation;
    const iso_rotation qb = world->body_derived[b->body].rotation;
    // The boxes overlap, so the centres are less than 121 m apart.
    const int64_t dx = iso__round_shift(body_b->position[0] - body_a->position[0], 8);
    const int64_t dy = iso__round_shift(body_b->position[1] - body_a->position[1], 8);
    iso__convex convex_a, convex_b;
    convex_set_own(&convex_a, a, &world->shape_derived[shape_a]);
    convex_set_moved(&convex_b, b, &world->shape_derived[shape_b], iso_rotation_inv_mul(qa, qb),
                     iso__round_shift(qa.c * dx + qa.s * dy, 30), iso__round_shift(qa.c * dy - qa.s * dx, 30));
    manifold->count = 0;
    if (a->kind == ISO_SHAPE_CIRCLE && b->kind == ISO_SHAPE_CIRCLE) {
        iso__manifold_circle_circle(settings, &convex_a, &convex_b, manifold);
    } else if (b->kind == ISO_SHAPE_CIRCLE) {
        iso__manifold_polygon_circle(settings, &convex_a, &convex_b, manifold);
    } else if (a->kind == ISO_SHAPE_CIRCLE) {
        iso__manifold_polygon_circle(settings, &convex_b, &convex_a, manifold);
        manifold_flip(manifold);
    } else {
        iso__manifold_polygon_polygon(settings, &convex_a, &convex_b, manifold);
    }
    if (manifold->count > 0) {
        manifold_to_world(manifold, qa, dx, dy);
    }
}
