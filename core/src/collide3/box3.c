#include "collide3/box3.h"

#include "collide3/hull3.h"
#include "collide3/oriented3.h"

/// What rounding may do to a point of a collider, [m] Q.24.
#define BOX3_NOISE 2

/// How far a collider reaches from its body's centre of mass along each axis of the world, [m] Q.24.
typedef struct box3_reach {
    int64_t low[3], high[3];
} box3_reach;

static void box3_reach_points(const iso__collider3 *collider, const int32_t (*points)[3], uint32_t count,
                              int64_t radius, box3_reach *reach) {
    for (uint32_t i = 0; i < count; ++i) {
        int64_t p[3];
        iso__ops3_turn32(collider->rotation, points[i], p);
        for (int k = 0; k < 3; ++k) {
            reach->low[k] = i == 0 ? p[k] - radius : iso__min64(reach->low[k], p[k] - radius);
            reach->high[k] = i == 0 ? p[k] + radius : iso__max64(reach->high[k], p[k] + radius);
        }
    }
}

static void box3_reach_box(const iso__collider3 *box, box3_reach *reach) {
    iso__oriented3 oriented;
    iso__oriented3_make(box, NULL, &oriented);
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

/// The sides on one axis, Q15.16, from a position in Q31.32.
static void box3_set_sides(int64_t position, int64_t low, int64_t high, int32_t *min, int32_t *max) {
    *min = iso__saturate32((position + iso__shl64(low - BOX3_NOISE, 8)) >> 16);
    *max = iso__saturate32((position + iso__shl64(high + BOX3_NOISE, 8) + UINT16_MAX) >> 16);
}

void iso__collider3_box(const iso__collider3 *collider, const int64_t position[3], iso__box3 *box) {
    box3_reach reach = {.low = {0, 0, 0}};
    if (collider->kind == ISO__COLLIDER3_PLANE) {
        *box = (iso__box3){INT32_MIN, INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX, INT32_MAX};
        return;
    }
    if (collider->kind == ISO__COLLIDER3_BOX) {
        box3_reach_box(collider, &reach);
    } else if (collider->kind == ISO__COLLIDER3_HULL) {
        box3_reach_points(collider, collider->hull->vertices, collider->hull->vertex_count, 0, &reach);
    } else if (collider->kind == ISO__COLLIDER3_CAPSULE) {
        box3_reach_points(collider, collider->ends, 2, collider->radius, &reach);
    } else {
        box3_reach_points(collider, &collider->centre, 1, collider->radius, &reach);
    }
    box3_set_sides(position[0], reach.low[0], reach.high[0], &box->min_x, &box->max_x);
    box3_set_sides(position[1], reach.low[1], reach.high[1], &box->min_y, &box->max_y);
    box3_set_sides(position[2], reach.low[2], reach.high[2], &box->min_z, &box->max_z);
}
