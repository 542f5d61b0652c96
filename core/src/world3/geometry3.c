/// See geometry3.h.
#include "world3/geometry3.h"

#include <string.h>

#include "math/quat.h"
#include "world3/hulls3.h"
#include "world3/heights3.h"
#include "world3/shape3.h"

/// A point of the body's frame about the centre of mass.
static void collider_place(const int32_t *words, const int32_t centre[3], int32_t place[3]) {
    for (int i = 0; i < 3; ++i) {
        place[i] = iso__sub32(words[i], centre[i]);
    }
}

void iso__shape3_collider(const iso__shape3 *shape, const int32_t centre[3], const int32_t rotation[9],
                          const iso__hull3 *hull, iso__collider3 *collider) {
    memset(collider, 0, sizeof *collider);
    collider->radius = shape->radius;
    memcpy(collider->rotation, rotation, sizeof collider->rotation);
    switch ((iso_shape3_kind)shape->kind) {
    case ISO_SHAPE3_SPHERE:
        collider->kind = ISO__COLLIDER3_SPHERE;
        collider_place(shape->vertices, centre, collider->centre);
        break;
    case ISO_SHAPE3_CAPSULE:
        collider->kind = ISO__COLLIDER3_CAPSULE;
        collider_place(shape->vertices, centre, collider->ends[0]);
        collider_place(shape->vertices + 3, centre, collider->ends[1]);
        break;
    case ISO_SHAPE3_BOX:
        collider->kind = ISO__COLLIDER3_BOX;
        collider_place(shape->vertices, centre, collider->centre);
        memcpy(collider->half, shape->vertices + 3, sizeof collider->half);
        iso__quat_matrix(shape->vertices + 6, collider->frame);
        break;
    case ISO_SHAPE3_PLANE:
        collider->kind = ISO__COLLIDER3_PLANE;
        memcpy(collider->plane_normal, shape->vertices, sizeof collider->plane_normal);
        // A static body's centre is its origin.
        collider->plane_offset = iso__shape3_plane_offset(shape);
        break;
    case ISO_SHAPE3_HEIGHTS:
        collider->kind = ISO__COLLIDER3_HEIGHTS;
        memcpy(collider->centre, shape->vertices, sizeof collider->centre);
        break;
    case ISO_SHAPE3_HULL:
        collider->kind = ISO__COLLIDER3_HULL;
        collider->hull = hull;
        break;
    }
}

_Static_assert(ISO__HEIGHTS3_DEPTH == (int64_t)ISO_HEIGHTS_DEPTH_M << 24, "fields are as deep as their header says");

static void collider_take_heights(const iso__space *space, uint32_t shape, iso__heights3 *heights) {
    const iso__heights *record = &space->heights[space->shapes[shape].vertices[3]];
    heights->samples = iso__heights_samples(space, record);
    heights->cell = record->cell * 256;
    heights->scale = record->scale * 256;
    heights->columns = record->columns;
    heights->rows = record->rows;
    heights->low = space->shape_derived[shape].low;
    heights->high = space->shape_derived[shape].high;
}

void iso__collider3_of(const iso__space *space, uint32_t shape, iso__collider3 *collider) {
    const iso__shape3 *record = &space->shapes[shape];
    const iso__body3_derived *body = &space->body_derived[record->body];
    iso__shape3_collider(record, body->local_centre, body->rotation, &space->hulls[shape], collider);
    if (collider->kind == ISO__COLLIDER3_HEIGHTS) {
        collider_take_heights(space, shape, &collider->heights);
    }
}

const iso__hull3 *iso__hull3_of(const iso__space *space, uint32_t shape, iso__hull3 *room) {
    if (!space->has_stale_hulls || !iso__bit_is_set(space->stale_hulls, shape)) {
        return &space->hulls[shape];
    }
    const iso__shape3 *record = &space->shapes[shape];
    iso__shape3_make_hull(record, space->body_derived[record->body].local_centre, room);
    return room;
}

void iso__collider3_make(const iso__space *space, uint32_t shape, iso__hull3 *room, iso__collider3 *collider) {
    iso__collider3_of(space, shape, collider);
    if (collider->kind == ISO__COLLIDER3_HULL) {
        collider->hull = iso__hull3_of(space, shape, room);
    }
}
