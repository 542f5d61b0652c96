/// See geometry.h.
#include "space/world/geometry.h"

#include <string.h>

#include "math/quat.h"
#include "space/world/heights.h"
#include "space/world/hulls.h"
#include "space/world/shape.h"

/// A point of the body's frame about the centre of mass.
static void collider_place(const int32_t *words, const int32_t centre[3], int32_t place[3]) {
    for (int i = 0; i < 3; ++i) {
        place[i] = iso__sub32(words[i], centre[i]);
    }
}

void iso__space_shape_collider(const iso__space_shape *shape, const int32_t centre[3], const int32_t rotation[9],
                               const iso__space_hull *hull, iso__space_collider *collider) {
    memset(collider, 0, sizeof *collider);
    collider->radius = shape->radius;
    memcpy(collider->rotation, rotation, sizeof collider->rotation);
    switch ((iso_shape3_kind)shape->kind) {
    case ISO_SHAPE3_SPHERE:
        collider->kind = ISO__SPACE_COLLIDER_SPHERE;
        collider_place(shape->vertices, centre, collider->centre);
        break;
    case ISO_SHAPE3_CAPSULE:
        collider->kind = ISO__SPACE_COLLIDER_CAPSULE;
        collider_place(shape->vertices, centre, collider->ends[0]);
        collider_place(shape->vertices + 3, centre, collider->ends[1]);
        break;
    case ISO_SHAPE3_BOX:
        collider->kind = ISO__SPACE_COLLIDER_BOX;
        collider_place(shape->vertices, centre, collider->centre);
        memcpy(collider->half, shape->vertices + 3, sizeof collider->half);
        iso__quat_matrix(shape->vertices + 6, collider->frame);
        break;
    case ISO_SHAPE3_PLANE:
        collider->kind = ISO__SPACE_COLLIDER_PLANE;
        memcpy(collider->plane_normal, shape->vertices, sizeof collider->plane_normal);
        // A static body's centre is its origin.
        collider->plane_offset = iso__space_shape_plane_offset(shape);
        break;
    case ISO_SHAPE3_HEIGHTS:
        collider->kind = ISO__SPACE_COLLIDER_HEIGHTS;
        memcpy(collider->centre, shape->vertices, sizeof collider->centre);
        break;
    case ISO_SHAPE3_HULL:
        collider->kind = ISO__SPACE_COLLIDER_HULL;
        collider->hull = hull;
        break;
    }
}

_Static_assert(ISO__SPACE_HEIGHTS_DEPTH == (int64_t)ISO_HEIGHTS_DEPTH_M << 24,
               "fields are as deep as their header says");

static void collider_take_heights(const iso__space *space, uint32_t shape, iso__space_heights *heights) {
    const iso__space_height_field *record = &space->heights[space->shapes[shape].vertices[3]];
    heights->samples = iso__space_heights_samples(space, record);
    heights->cell = record->cell * 256;
    heights->scale = record->scale * 256;
    heights->columns = record->columns;
    heights->rows = record->rows;
    heights->low = space->shape_derived[shape].low;
    heights->high = space->shape_derived[shape].high;
}

void iso__space_collider_of(const iso__space *space, uint32_t shape, iso__space_collider *collider) {
    const iso__space_shape *record = &space->shapes[shape];
    const iso__space_body_derived *body = &space->body_derived[record->body];
    iso__space_shape_collider(record, body->local_centre, body->rotation, &space->hulls[shape], collider);
    if (collider->kind == ISO__SPACE_COLLIDER_HEIGHTS) {
        collider_take_heights(space, shape, &collider->heights);
    }
}

const iso__space_hull *iso__space_hull_of(const iso__space *space, uint32_t shape, iso__space_hull *room) {
    if (!space->has_stale_hulls || !iso__bit_is_set(space->stale_hulls, shape)) {
        return &space->hulls[shape];
    }
    const iso__space_shape *record = &space->shapes[shape];
    iso__space_shape_make_hull(record, space->body_derived[record->body].local_centre, room);
    return room;
}

void iso__space_collider_make(const iso__space *space, uint32_t shape, iso__space_hull *room,
                              iso__space_collider *collider) {
    iso__space_collider_of(space, shape, collider);
    if (collider->kind == ISO__SPACE_COLLIDER_HULL) {
        collider->hull = iso__space_hull_of(space, shape, room);
    }
}
