/// Shapes on planes: a ball's lowest point, a capsule's two, and of a solid the corners of its lowest face.
///
/// The lowest face alone: a thin solid has two faces within the speculative distance, and a reduction to four corners
/// takes some of each, so that the body tilts about those that are left and comes to rest inside the plane. Books of
/// 2 cm lay 5 to 15 mm deep.
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

/// Adds of the lowest face the corners that are near enough, four of them at most.
///
/// Heights are compared as they are rounded, so that a body on a plane and one on a flat field of heights take the same
/// face: that of which one corner is the lowest, the first of equal ones.
///
/// @param rotation  of the solid's frame to the world's orientation
/// @param vertices  the solid's in the world's orientation about A's centre of mass
static void plane_add_solid(const plane_pair *pair, const iso__space_hull *solid, const int32_t rotation[9],
                            const int64_t (*vertices)[3]) {
    int64_t heights[ISO__SPACE_HULL_VERTICES];
    uint32_t lowest = 0;
    for (uint32_t i = 0; i < solid->vertex_count; ++i) {
        heights[i] = iso__space_ops_along(pair->up, vertices[i]);
        lowest = heights[i] < heights[lowest] ? i : lowest;
    }
    int32_t up[3], t1[3] = {0, 0, 0}, t2[3];
    iso__space_ops_turn_unit_back(rotation, pair->up, up);
    const uint32_t face = iso__space_hull_find_face(solid, solid->normals, lowest, up);
    iso__space_ops_perpendicular(pair->up, t1);
    iso__space_ops_cross(pair->up, t1, t2);
    int64_t low[ISO__SPACE_HULL_VERTICES][3]; // along the plane, and height
    uint8_t from[ISO__SPACE_HULL_VERTICES], kept[ISO__SPACE_MANIFOLD_POINTS];
    uint32_t low_count = 0;
    for (uint32_t i = solid->first[face]; i < solid->first[face + 1]; ++i) {
        const uint8_t vertex = solid->ring[i];
        const int64_t height = pair->height + heights[vertex];
        if (height <= pair->settings->speculative) {
            low[low_count][0] = iso__space_ops_along(t1, vertices[vertex]);
            low[low_count][1] = iso__space_ops_along(t2, vertices[vertex]);
            low[low_count][2] = height;
            from[low_count++] = vertex;
        }
    }
    const uint32_t kept_count = iso__space_manifold_reduce((const int64_t(*)[3])low, low_count, pair->settings->slop,
                                                           true, kept, &pair->manifold->leaves_corners);
    pair->manifold->leaves_corners |= low_count < (uint32_t)(solid->first[face + 1] - solid->first[face]);
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
    plane_add_solid(pair, iso__space_hull_box(), oriented.rotation, (const int64_t(*)[3])corners);
}

static void plane_add_hull(const plane_pair *pair, const iso__space_collider *hull) {
    int64_t vertices[ISO__SPACE_HULL_VERTICES][3];
    for (uint32_t i = 0; i < hull->hull->vertex_count; ++i) {
        iso__space_ops_turn32(hull->rotation, hull->hull->vertices[i], vertices[i]);
    }
    plane_add_solid(pair, hull->hull, hull->rotation, (const int64_t(*)[3])vertices);
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
