/// See geometry.h.
#include "plane/world/geometry.h"

#include "math/fixed_ops.h"
#include "math/rotate.h"
#include "math/wide128.h"
#include "plane/collide/hull.h"
#include "plane/collide/manifold.h"
#include "plane/collide/taper.h"
#include "plane/world/shape.h"

/// Q31.32 to Q15.16, rounded down; places are within ±31,500 m, so it fits.
static int32_t box_floor(int64_t value) {
    return (int32_t)(value >> 16);
}

static int32_t box_ceil(int64_t value) {
    return (int32_t)((value + 65535) >> 16);
}

iso_vec2_wide iso__plane_shape_turn_origin(const int64_t origin[2], iso_rotation q) {
    return (iso_vec2_wide){iso__dot_shift(q.c, origin[0], -(int64_t)q.s, origin[1], 30),
                           iso__dot_shift(q.s, origin[0], q.c, origin[1], 30)};
}

iso__plane_box iso__plane_shape_box(const iso__plane *plane, uint32_t index, int32_t growth) {
    const iso__plane_shape *shape = &plane->shapes[index];
    const iso__plane_shape_derived *derived = &plane->shape_derived[index];
    const iso__plane_body *body = &plane->bodies[shape->body];
    const iso_rotation q = plane->body_derived[shape->body].rotation;
    const int64_t taper = iso__shl64(iso__plane_shape_taper(shape), 30); // [m] Q.54
    int64_t min_x = INT64_MAX, min_y = INT64_MAX, max_x = INT64_MIN, max_y = INT64_MIN;
    for (uint32_t i = 0; i < shape->vertex_count; ++i) {
        const int64_t vx = derived->vertices[i][0], vy = derived->vertices[i][1];
        const int64_t x = q.c * vx - q.s * vy;
        const int64_t y = q.s * vx + q.c * vy;
        const int64_t more = iso__plane_taper_at(taper, i);
        min_x = iso__min64(min_x, x - more);
        max_x = iso__max64(max_x, x + more);
        min_y = iso__min64(min_y, y - more);
        max_y = iso__max64(max_y, y + more);
    }
    const int64_t radius = (int64_t)shape->radius << 8;
    const iso_vec2_wide origin = iso__plane_shape_origin(plane, index, q);
    const int64_t place[2] = {body->position[0] + origin.x, body->position[1] + origin.y};
    return (iso__plane_box){
        .min_x = box_floor(place[0] + (min_x >> 22) - radius) - growth,
        .min_y = box_floor(place[1] + (min_y >> 22) - radius) - growth,
        .max_x = box_ceil(place[0] + (max_x >> 22) + 1 + radius) + growth,
        .max_y = box_ceil(place[1] + (max_y >> 22) + 1 + radius) + growth,
    };
}

void iso__plane_shape_hull_turned(const iso__plane *plane, uint32_t shape, iso_rotation q, iso__plane_hull *hull) {
    const iso__plane_shape *record = &plane->shapes[shape];
    const iso__plane_shape_derived *derived = &plane->shape_derived[shape];
    hull->count = record->vertex_count;
    hull->radius = iso__shl64(record->radius, 8);
    hull->taper = iso__shl64(iso__plane_shape_taper(record), 8);
    hull->is_one_sided = record->kind == ISO_SHAPE_SEGMENT;
    const iso_vec2_wide origin = iso__plane_shape_origin(plane, shape, q);
    for (uint32_t i = 0; i < hull->count; ++i) {
        const iso_vec2_wide v = iso__rotate_to_wide(q, derived->vertices[i][0], derived->vertices[i][1]);
        hull->vertices[i][0] = origin.x + v.x;
        hull->vertices[i][1] = origin.y + v.y;
        const int64_t nx = derived->normals[i][0], ny = derived->normals[i][1];
        hull->normals[i][0] =
            (int32_t)iso__clamp64(iso__round_shift(q.c * nx - q.s * ny, 30), -ISO__UNIT_ONE, ISO__UNIT_ONE);
        hull->normals[i][1] =
            (int32_t)iso__clamp64(iso__round_shift(q.s * nx + q.c * ny, 30), -ISO__UNIT_ONE, ISO__UNIT_ONE);
    }
}

void iso__plane_shape_hull(const iso__plane *plane, uint32_t shape, iso__plane_hull *hull) {
    iso__plane_shape_hull_turned(plane, shape, plane->body_derived[plane->shapes[shape].body].rotation, hull);
}

bool iso__plane_shape_one_way(const iso__plane *plane, uint32_t shape, int64_t direction[2]) {
    const iso__plane_shape *record = &plane->shapes[shape];
    const iso_rotation q = plane->body_derived[record->body].rotation;
    const int64_t x = record->one_way[0], y = record->one_way[1]; // Q15.16, within 1
    if ((x | y) == 0) {
        return false;
    }
    direction[0] = iso__round_shift(x * q.c - y * q.s, 16);
    direction[1] = iso__round_shift(x * q.s + y * q.c, 16);
    return true;
}

static iso__plane_collider geometry_collider(const iso__plane *plane, uint32_t shape, iso_rotation rotation) {
    const iso__plane_shape *record = &plane->shapes[shape];
    const iso__plane_shape_derived *derived = &plane->shape_derived[shape];
    return (iso__plane_collider){.vertices = derived->vertices,
                                 .normals = derived->normals,
                                 .rotation = rotation,
                                 .count = record->vertex_count,
                                 .radius = record->radius,
                                 .taper = iso__plane_shape_taper(record),
                                 .is_circle = record->kind == ISO_SHAPE_CIRCLE,
                                 .is_segment = record->kind == ISO_SHAPE_SEGMENT};
}

iso__plane_collider iso__plane_shape_collider(const iso__plane *plane, uint32_t shape) {
    return geometry_collider(plane, shape, plane->body_derived[plane->shapes[shape].body].rotation);
}

static void geometry_move_anchor(int32_t anchor[2], iso_vec2_wide by) {
    anchor[0] = iso__saturate32(anchor[0] + iso__round_shift(by.x, 8));
    anchor[1] = iso__saturate32(anchor[1] + iso__round_shift(by.y, 8));
}

void iso__plane_shapes_collide_at(const iso__plane *plane, const iso__manifold_settings *settings, uint32_t shape_a,
                                  uint32_t shape_b, const iso__plane_relative_pose *pose,
                                  iso__plane_manifold *manifold) {
    const iso__plane_collider a = geometry_collider(plane, shape_a, pose->rotation[0]);
    const iso__plane_collider b = geometry_collider(plane, shape_b, pose->rotation[1]);
    if (!a.is_segment && !b.is_segment) {
        iso__plane_manifold_make(settings, &a, &b, pose->offset[0], pose->offset[1], manifold);
        return;
    }
    const iso_vec2_wide from = iso__plane_shape_origin(plane, shape_a, pose->rotation[0]);
    const iso_vec2_wide to = iso__plane_shape_origin(plane, shape_b, pose->rotation[1]);
    iso__plane_manifold_make(settings, &a, &b, pose->offset[0] + iso__round_shift(to.x - from.x, 8),
                             pose->offset[1] + iso__round_shift(to.y - from.y, 8), manifold);
    // A static body does not move at its anchor, wherever that is; a segment of its own may be far.
    const bool is_still_a = plane->bodies[plane->shapes[shape_a].body].type == ISO_BODY_STATIC;
    const bool is_still_b = plane->bodies[plane->shapes[shape_b].body].type == ISO_BODY_STATIC;
    for (uint32_t i = 0; i < manifold->count; ++i) {
        geometry_move_anchor(manifold->points[i].anchor_a, is_still_a ? (iso_vec2_wide){0, 0} : from);
        geometry_move_anchor(manifold->points[i].anchor_b, is_still_b ? (iso_vec2_wide){0, 0} : to);
    }
}

bool iso__plane_shapes_are_beyond(const iso__plane *plane, const iso__manifold_settings *settings, uint32_t shape_a,
                                  uint32_t shape_b) {
    const iso__plane_collider a = iso__plane_shape_collider(plane, shape_a),
                              b = iso__plane_shape_collider(plane, shape_b);
    const int64_t *from = plane->bodies[plane->shapes[shape_a].body].position;
    const int64_t *to = plane->bodies[plane->shapes[shape_b].body].position;
    return iso__plane_manifold_is_beyond(settings, &a, &b, iso__round_shift(to[0] - from[0], 8),
                                         iso__round_shift(to[1] - from[1], 8));
}

void iso__plane_shapes_collide(const iso__plane *plane, const iso__manifold_settings *settings, uint32_t shape_a,
                               uint32_t shape_b, iso__plane_manifold *manifold) {
    const uint32_t a = plane->shapes[shape_a].body, b = plane->shapes[shape_b].body;
    const iso__plane_body *body_a = &plane->bodies[a], *body_b = &plane->bodies[b];
    // The boxes overlap, so the places of the shapes are less than 121 m apart.
    const iso__plane_relative_pose pose = {
        .rotation = {plane->body_derived[a].rotation, plane->body_derived[b].rotation},
        .offset = {iso__round_shift(body_b->position[0] - body_a->position[0], 8),
                   iso__round_shift(body_b->position[1] - body_a->position[1], 8)},
    };
    iso__plane_shapes_collide_at(plane, settings, shape_a, shape_b, &pose, manifold);
}

/// Whether two shapes may still touch: since the contact was made they moved. A manifold wants them near.
static bool geometry_are_near(const iso__plane *plane, uint32_t shape_a, uint32_t shape_b) {
    const iso__plane_body *a = &plane->bodies[plane->shapes[shape_a].body];
    const iso__plane_body *b = &plane->bodies[plane->shapes[shape_b].body];
    const int64_t reach =
        iso__shl64((int64_t)plane->shape_derived[shape_a].extent + plane->shape_derived[shape_b].extent, 8) +
        iso_wide_from_fix16(plane->world.def.speculative_distance);
    const iso_vec2_wide p =
        iso__plane_shape_origin(plane, shape_a, plane->body_derived[plane->shapes[shape_a].body].rotation);
    const iso_vec2_wide q =
        iso__plane_shape_origin(plane, shape_b, plane->body_derived[plane->shapes[shape_b].body].rotation);
    return iso__abs_u64(a->position[0] + p.x - b->position[0] - q.x) <= (uint64_t)reach &&
           iso__abs_u64(a->position[1] + p.y - b->position[1] - q.y) <= (uint64_t)reach;
}

void iso__plane_contact_collide(const iso__plane *plane, const iso__plane_contact *contact,
                                iso__plane_manifold *manifold) {
    const iso__manifold_settings settings = {.slop = (int64_t)plane->world.def.slop << 8,
                                             .speculative = (int64_t)plane->world.def.speculative_distance << 8};
    manifold->count = 0;
    if (geometry_are_near(plane, contact->shape_a, contact->shape_b)) {
        iso__plane_shapes_collide(plane, &settings, contact->shape_a, contact->shape_b, manifold);
    }
}
