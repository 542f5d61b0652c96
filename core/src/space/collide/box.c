#include "space/collide/box.h"

#include "math/vec3.h"
#include "space/collide/hull.h"
#include "space/collide/oriented.h"

/// What rounding may do to a point of a collider, [m] Q.24.
#define BOX3_NOISE 2
/// And to one of a field of heights, at most 4 km from its body: a unit of its rotation counts for more.
#define BOX3_FAR_NOISE 1024

/// How far a collider reaches from its body's centre of mass along each axis of the world, [m] Q.24.
typedef struct box3_reach {
    int64_t low[3], high[3];
} box3_reach;

static void box3_reach_points(const iso__space_collider *collider, const int32_t (*points)[3], uint32_t count,
                              int64_t radius, box3_reach *reach) {
    for (uint32_t i = 0; i < count; ++i) {
        int64_t p[3];
        iso__space_ops_turn32(collider->rotation, points[i], p);
        for (int k = 0; k < 3; ++k) {
            reach->low[k] = i == 0 ? p[k] - radius : iso__min64(reach->low[k], p[k] - radius);
            reach->high[k] = i == 0 ? p[k] + radius : iso__max64(reach->high[k], p[k] + radius);
        }
    }
}

static void box3_reach_box(const iso__space_collider *box, box3_reach *reach) {
    iso__space_oriented oriented;
    iso__space_oriented_make(box, NULL, &oriented);
    for (int k = 0; k < 3; ++k) {
        int64_t extent = 0; // Q.54
        for (int i = 0; i < 3; ++i) {
            extent += (int64_t)iso__abs_u32(oriented.rotation[3 * k + i]) * oriented.half[i];
        }
        extent = iso__round_shift(extent, ISO__UNIT_FRACTION);
        reach->low[k] = oriented.centre[k] - extent;
        reach->high[k] = oriented.centre[k] + extent;
    }
}

/// The box around a field of heights, with the depth to which it is solid; it may be longer than pieces are.
static void box3_reach_heights(const iso__space_collider *collider, box3_reach *reach) {
    const iso__space_heights *heights = &collider->heights;
    const int64_t bottom = (int64_t)heights->low * heights->scale - ISO__SPACE_HEIGHTS_DEPTH;
    const int64_t top = (int64_t)heights->high * heights->scale;
    const int64_t half[3] = {(int64_t)heights->cell * (heights->columns - 1) / 2, (top - bottom) / 2 + 1,
                             (int64_t)heights->cell * (heights->rows - 1) / 2};
    const int64_t middle[3] = {collider->centre[0], collider->centre[1] + (top + bottom) / 2, collider->centre[2]};
    iso__rotate3_wide(collider->rotation, middle, reach->low);
    for (int k = 0; k < 3; ++k) {
        const int32_t *row = &collider->rotation[3 * k];
        const int64_t extent = iso__dot3_shift(iso__abs_u32(row[0]), half[0], iso__abs_u32(row[1]), half[1],
                                               iso__abs_u32(row[2]), half[2], ISO__UNIT_FRACTION) +
                               BOX3_FAR_NOISE;
        reach->high[k] = reach->low[k] + extent;
        reach->low[k] -= extent;
    }
}

/// The sides on one axis, Q15.16, from a position in Q31.32.
static void box3_set_sides(int64_t position, int64_t low, int64_t high, int32_t *min, int32_t *max) {
    *min = iso__saturate32((position + iso__shl64(low - BOX3_NOISE, 8)) >> 16);
    *max = iso__saturate32((position + iso__shl64(high + BOX3_NOISE, 8) + UINT16_MAX) >> 16);
}

void iso__space_collider_box(const iso__space_collider *collider, const int64_t position[3], iso__space_box *box) {
    box3_reach reach = {.low = {0, 0, 0}};
    if (collider->kind == ISO__SPACE_COLLIDER_PLANE) {
        *box = (iso__space_box){INT32_MIN, INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX, INT32_MAX};
        return;
    }
    if (collider->kind == ISO__SPACE_COLLIDER_HEIGHTS) {
        box3_reach_heights(collider, &reach);
    } else if (collider->kind == ISO__SPACE_COLLIDER_BOX) {
        box3_reach_box(collider, &reach);
    } else if (collider->kind == ISO__SPACE_COLLIDER_HULL) {
        box3_reach_points(collider, collider->hull->vertices, collider->hull->vertex_count, 0, &reach);
    } else if (collider->kind == ISO__SPACE_COLLIDER_CAPSULE) {
        box3_reach_points(collider, collider->ends, 2, collider->radius, &reach);
    } else {
        box3_reach_points(collider, &collider->centre, 1, collider->radius, &reach);
    }
    box3_set_sides(position[0], reach.low[0], reach.high[0], &box->min_x, &box->max_x);
    box3_set_sides(position[1], reach.low[1], reach.high[1], &box->min_y, &box->max_y);
    box3_set_sides(position[2], reach.low[2], reach.high[2], &box->min_z, &box->max_z);
}
