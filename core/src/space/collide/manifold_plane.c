/// Shapes on planes: the deepest points of the shape, along the plane's normal.
///
/// The plane's body may be anywhere in the world, so the height of A's centre of mass over the plane comes from
/// products of 128 bits; whatever is below it is a piece of at most 60 m again.
#include "space/collide/manifold_plane.h"

#include "math/wide128.h"
#include "space/collide/hull.h"
#include "space/collide/manifold_reduce.h"
#include "space/collide/oriented.h"
#include "space/collide/round.h"

/// Farther away, heights are cut off: beyond what any piece reaches, and so that sums stay small.
#define PLANE_HEIGHT_MAX (INT64_C(1) << 36)

typedef struct plane_pair {
    const iso__space_manifold_settings *settings;
    const int64_t *offset;
    int32_t up[3];  // the plane's normal in the world
    int64_t height; // [m] Q.24: of A's centre of mass over the plane
    iso__space_manifold *manifold;
} plane_pair;

static void plane_measure(const iso__space_collider *plane, const int64_t offset[3], plane_pair *pair) {
    iso__space_ops_turn_unit(plane->rotation, plane->plane_normal, pair->up);
    const int32_t *n = pair->up;
    // Q2.30 * Q.24 = Q.54, rounded once to Q.32, the plane's format.
    const int64_t along = iso__dot3_shift(n[0], -offset[0], n[1], -offset[1], n[2], -offset[2], 22);
    const int64_t height = iso__round_shift(along - plane->plane_offset, 8);
    pair->height = iso__clamp64(height, -PLANE_HEIGHT_MAX, PLANE_HEIGHT_MAX);
}

/// Adds a point of A's surface, `height` over the plane.
static void plane_add(const plane_pair *pair, const int64_t point[3], int64_t height) {
    const int64_t half = iso__clamp64(height >> 1, -INT32_MAX, INT32_MAX);
    int64_t middle[3];
    iso__space_ops_advance(point, pair->up, -half, middle);
    iso__space_manifold_add_point(pair->settings, middle, height, pair->offset, pair->manifold);
}

/// Adds the lowest point of a ball.
static void plane_add_ball(const plane_pair *pair, const int64_t centre[3], int64_t radius) {
    int64_t lowest[3];
    iso__space_ops_advance(centre, pair->up, -radius, lowest);
    plane_add(pair, lowest, pair->height + iso__space_ops_along(pair->up, centre) - radius);
}

/// Adds the vertices that are near enough, four of them at most.
static void plane_add_vertices(const plane_pair *pair, const int64_t (*vertices)[3], uint32_t count) {
    int64_t low[ISO__SPACE_HULL_VERTICES][3]; // along the plane, and height
    uint8_t from[ISO__SPACE_HULL_VERTICES];
    int32_t t1[3] = {0, 0, 0}, t2[3];
    iso__space_ops_perpendicular(pair->up, t1);
    iso__space_ops_cross(pair->up, t1, t2);
    uint32_t low_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const int64_t height = pair->height + iso__space_ops_along(pair->up, vertices[i]);
        if (height <= pair->settings->speculative) {
            low[low_count][0] = iso__space_ops_along(t1, vertices[i]);
            low[low_count][1] = iso__space_ops_along(t2, vertices[i]);
            low[low_count][2] = height;
            from[low_count++] = (uint8_t)i;
        }
    }
    uint8_t kept[ISO__SPACE_MANIFOLD_POINTS];
    const uint32_t kept_count =
        iso__space_manifold_reduce((const int64_t(*)[3])low, low_count, pair->settings->slop, kept);
    for (uint32_t i = 0; i < kept_count; ++i) {
        plane_add(pair, vertices[from[kept[i]]], low[kept[i]][2]);
    }
}

static void plane_add_box(const plane_pair *pair, const iso__space_collider *box) {
    iso__space_oriented oriented;
    iso__space_oriented_make(box, NULL, &oriented);
    int64_t corners[8][3];
    for (uint32_t i = 0; i < 8; ++i) {
        int64_t local[3];
        for (uint32_t k = 0; k < 3; ++k) {
            local[k] = (i >> k & 1) != 0 ? oriented.half[k] : -oriented.half[k];
        }
        iso__space_oriented_to_world(&oriented, local, corners[i]);
    }
    plane_add_vertices(pair, (const int64_t(*)[3])corners, 8);
}

static void plane_add_hull(const plane_pair *pair, const iso__space_collider *hull) {
    int64_t vertices[ISO__SPACE_HULL_VERTICES][3];
    for (uint32_t i = 0; i < hull->hull->vertex_count; ++i) {
        iso__space_ops_turn32(hull->rotation, hull->hull->vertices[i], vertices[i]);
    }
    plane_add_vertices(pair, (const int64_t(*)[3])vertices, hull->hull->vertex_count);
}

void iso__space_manifold_plane(const iso__space_manifold_settings *settings, const iso__space_collider *a,
                               const iso__space_collider *plane, const int64_t offset[3],
                               iso__space_manifold *manifold) {
    if (a->kind == ISO__SPACE_COLLIDER_PLANE) {
        return;
    }
    plane_pair pair = {.settings = settings, .offset = offset, .manifold = manifold};
    plane_measure(plane, offset, &pair);
    iso__space_manifold_set_normal(pair.up, manifold);
    iso__space_manifold_flip_normal(manifold);
    if (a->kind == ISO__SPACE_COLLIDER_BOX) {
        plane_add_box(&pair, a);
    } else if (a->kind == ISO__SPACE_COLLIDER_HULL) {
        plane_add_hull(&pair, a);
    } else {
        int64_t centre[3];
        const bool is_sphere = a->kind == ISO__SPACE_COLLIDER_SPHERE;
        for (int i = 0; i < (is_sphere ? 1 : 2); ++i) {
            iso__space_round_place(a, is_sphere ? a->centre : a->ends[i], NULL, centre);
            plane_add_ball(&pair, centre, a->radius);
        }
    }
}
