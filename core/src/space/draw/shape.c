/// Drawing in space: shapes of every kind. A solid is drawn as its faces, some of them in each step.
#include "space/draw/shape.h"

#include "math/fixed_ops.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "space/collide/hull.h"
#include "space/collide/vec_ops.h"
#include "space/draw/item.h"
#include "space/draw/place.h"
#include "space/world/geometry.h"
#include "space/world/shape.h"

#define FACES_A_STEP 8u
#define BOX_FACES    6u

_Static_assert(FACES_A_STEP <= ISO_DRAW3_ITEMS_MAX && BOX_FACES <= FACES_A_STEP, "the faces of a step have room");
_Static_assert(ISO_HULL_VERTICES_MAX == ISO__SPACE_HULL_VERTICES, "a face has room for all corners of a hull");

/// A shape at its body's pose.
typedef struct draw3_shape {
    const iso__space_shape *record;
    iso_draw3_item base;
    iso__space_draw_place place;
} draw3_shape;

/// A point of the body's frame [m] Q7.24 in the world.
static iso_vec3_wide shape_point(const draw3_shape *shape, const int32_t at[3]) {
    return iso__space_draw_beside(shape->place.position, shape->place.rotation, at);
}

static iso_unit3 unit_of(const int32_t n[3]) {
    return (iso_unit3){n[0], n[1], n[2]};
}

// ---- round shapes --------------------------------------------------------------------------------

/// @return column `axis` of a rotation matrix
static void column_of(const int32_t R[9], int axis, int32_t column[3]) {
    for (int i = 0; i < 3; ++i) {
        column[i] = R[3 * i + axis];
    }
}

static void draw_sphere(iso_draw3 *draw, const draw3_shape *shape) {
    const iso_wide radius = shape->record->radius * INT64_C(256);
    iso_draw3_item *item = iso__space_draw_add(draw, &shape->base, ISO_DRAW3_SPHERE, ISO_DRAW_OUTLINE);
    const iso_vec3_wide centre = shape_point(shape, shape->record->vertices);
    item->points[0] = centre;
    item->radius = radius;
    for (int axis = 0; axis < 3; ++axis) {
        int32_t normal[3], side[3];
        column_of(shape->place.rotation, axis, normal);
        column_of(shape->place.rotation, (axis + 1) % 3, side);
        iso_draw3_item *circle =
            iso__space_draw_arc(draw, &shape->base, ISO_DRAW_HEADING, centre, normal, side, radius);
        circle->angle_to = iso_radians_from_turns(ISO_WIDE_ONE);
    }
}

static void draw_capsule(iso_draw3 *draw, const draw3_shape *shape) {
    const int32_t *a = shape->record->vertices, *b = a + 3;
    const iso_wide radius = shape->record->radius * INT64_C(256);
    iso_draw3_item *item = iso__space_draw_add(draw, &shape->base, ISO_DRAW3_CAPSULE, ISO_DRAW_OUTLINE);
    item->point_count = 2;
    item->radius = radius;
    item->points[0] = shape_point(shape, a);
    item->points[1] = shape_point(shape, b);
    const iso_vec3_wide from = item->points[0], to = item->points[1];
    const int64_t way[3] = {(int64_t)b[0] - a[0], (int64_t)b[1] - a[1], (int64_t)b[2] - a[2]};
    int32_t along[3], across[2][3];
    iso__normalize3(way, along);
    iso__tangents3(along, across[0], across[1]);
    for (int i = 0; i < 2; ++i) {
        iso__rotate3(shape->place.rotation, across[i], across[i]);
        for (int sign = -1; sign <= 1; sign += 2) {
            iso__space_draw_line(draw, &shape->base, ISO_DRAW3_LINE, ISO_DRAW_HEADING,
                                 iso__space_draw_along(from, across[i], sign * radius),
                                 iso__space_draw_along(to, across[i], sign * radius));
        }
    }
}

static void draw_plane(iso_draw3 *draw, const draw3_shape *shape) {
    int32_t normal[3], side[3], other[3];
    iso__rotate3(shape->place.rotation, shape->record->vertices, normal);
    iso__tangents3(normal, side, other);
    iso_draw3_item *item = iso__space_draw_add(draw, &shape->base, ISO_DRAW3_PLANE, ISO_DRAW_OUTLINE);
    item->points[0] =
        iso__space_draw_along(shape->place.position, normal, iso__space_shape_plane_offset(shape->record));
    item->normal = unit_of(normal);
    item->side = unit_of(side);
}

// ---- solids --------------------------------------------------------------------------------------

/// The face of a box across an axis, 0 to 2, on its lower or its upper side.
static void draw_box_face(iso_draw3 *draw, const draw3_shape *shape, const int32_t R[9], uint32_t face) {
    const int32_t *half = &shape->record->vertices[3];
    const int axis = (int)(face / 2), next = (axis + 1) % 3, last = (axis + 2) % 3;
    const bool is_upper = face % 2 == 1;
    const iso_vec3_wide centre = shape_point(shape, shape->record->vertices);
    // Around the axis, counterclockwise as seen from its tip; seen from the other side the other way round.
    static const int8_t turns[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    iso_draw3_item *item = iso__space_draw_add(draw, &shape->base, ISO_DRAW3_FACE, ISO_DRAW_OUTLINE);
    int32_t normal[3];
    column_of(R, axis, normal);
    for (int i = 0; i < 3; ++i) {
        normal[i] = is_upper ? normal[i] : iso__neg32(normal[i]);
    }
    item->normal = unit_of(normal);
    item->face = (uint16_t)face;
    item->point_count = 4;
    for (int i = 0; i < 4; ++i) {
        const int8_t *turn = turns[is_upper ? i : 3 - i];
        int32_t corner[3];
        corner[axis] = is_upper ? half[axis] : iso__neg32(half[axis]);
        corner[next] = turn[0] * half[next];
        corner[last] = turn[1] * half[last];
        item->points[i] = iso__space_draw_beside(centre, R, corner);
    }
}

static void draw_box(iso_draw3 *draw, const draw3_shape *shape) {
    int32_t frame[9], R[9];
    iso__quat_matrix(&shape->record->vertices[6], frame);
    iso__space_ops_product(shape->place.rotation, frame, R);
    for (uint32_t face = 0; face < BOX_FACES; ++face) {
        draw_box_face(draw, shape, R, face);
    }
}

static void draw_hull(iso_draw3 *draw, const draw3_shape *shape, uint32_t index) {
    iso__space_hull room;
    const iso__space_hull *hull = iso__space_hull_of(iso__space_of_const(draw->world), index, &room);
    const uint32_t begin = draw->step * FACES_A_STEP;
    draw->has_more = hull->face_count > begin + FACES_A_STEP;
    for (uint32_t face = begin; face < hull->face_count && face < begin + FACES_A_STEP; ++face) {
        iso_draw3_item *item = iso__space_draw_add(draw, &shape->base, ISO_DRAW3_FACE, ISO_DRAW_OUTLINE);
        int32_t normal[3];
        iso__rotate3(shape->place.rotation, hull->normals[face], normal);
        item->normal = unit_of(normal);
        item->face = (uint16_t)face;
        item->point_count = (uint8_t)(hull->first[face + 1] - hull->first[face]);
        for (uint32_t i = 0; i < item->point_count; ++i) {
            // About the centre of mass, unlike the points of the record.
            const int32_t *corner = hull->vertices[hull->ring[hull->first[face] + i]];
            item->points[i] = iso__space_draw_beside(shape->place.centre, shape->place.rotation, corner);
        }
    }
}

// ---- heights -------------------------------------------------------------------------------------

/// One triangle of a field of heights, as space/collide/heights.h numbers them: its corners, counterclockwise from
/// above.
static void draw_triangle(iso_draw3 *draw, const draw3_shape *shape, const iso_heights_def *heights, uint32_t face) {
    static const uint8_t corners[2][3][2] = {{{0, 0}, {1, 1}, {1, 0}}, {{0, 0}, {0, 1}, {1, 1}}}; // columns and rows
    const uint32_t cell = face / 2, column = cell % (heights->columns - 1u), row = cell / (heights->columns - 1u);
    const int32_t *middle = shape->record->vertices;
    iso_draw3_item *item = iso__space_draw_add(draw, &shape->base, ISO_DRAW3_FACE, ISO_DRAW_OUTLINE);
    int64_t local[3][3]; // [m] Q31.32
    for (int i = 0; i < 3; ++i) {
        const uint32_t c = column + corners[face % 2][i][0], r = row + corners[face % 2][i][1];
        const int64_t x = (int64_t)heights->cell * (2 * (int64_t)c - (heights->columns - 1)) * 32768;
        const int64_t z = (int64_t)heights->cell * (2 * (int64_t)r - (heights->rows - 1)) * 32768;
        local[i][0] = x + middle[0] * INT64_C(256);
        local[i][1] =
            (int64_t)heights->scale * heights->samples[r * heights->columns + c] * 65536 + middle[1] * INT64_C(256);
        local[i][2] = z + middle[2] * INT64_C(256);
        int64_t way[3];
        iso__rotate3_wide(shape->place.rotation, local[i], way);
        const iso_vec3_wide from = shape->place.position;
        item->points[i] = (iso_vec3_wide){from.x + way[0], from.y + way[1], from.z + way[2]};
    }
    // Half 0 rises along x on its first side and along z on its last; half 1 the other way round.
    const int64_t along_x = face % 2 == 0 ? local[2][1] - local[0][1] : local[2][1] - local[1][1];
    const int64_t along_z = face % 2 == 0 ? local[1][1] - local[2][1] : local[1][1] - local[0][1];
    int32_t normal[3];
    iso__normalize3((const int64_t[3]){-along_x, (int64_t)heights->cell * 65536, -along_z}, normal);
    iso__rotate3(shape->place.rotation, normal, normal);
    item->normal = unit_of(normal);
    item->face = (uint16_t)face;
    item->point_count = 3;
}

static void draw_heights(iso_draw3 *draw, const draw3_shape *shape) {
    iso_heights_def heights;
    const iso_status status = iso_world_get_heights(draw->world, (uint32_t)shape->record->vertices[3], &heights);
    ISO_ASSERT(status == ISO_OK);
    const uint32_t count = 2 * (heights.columns - 1u) * (heights.rows - 1u), begin = draw->step * FACES_A_STEP;
    draw->has_more = count > begin + FACES_A_STEP;
    for (uint32_t face = begin; face < count && face < begin + FACES_A_STEP; ++face) {
        draw_triangle(draw, shape, &heights, face);
    }
}

void iso__space_draw_shape(iso_draw3 *draw, uint32_t index) {
    const iso__space *space = iso__space_of_const(draw->world);
    draw3_shape shape = {.record = &space->shapes[index]};
    if (shape.record->kind == 0) {
        return;
    }
    shape.base = iso__space_draw_base(draw, ISO_DRAW_SHAPES, shape.record->body);
    shape.base.shape = (iso_shape_id){index, draw->world->shape_generations[index]};
    shape.base.is_sensor = (shape.record->flags & ISO__SPACE_SHAPE_SENSOR) != 0;
    iso__space_draw_place_of(draw, shape.record->body, &shape.place);
    switch ((iso_shape3_kind)shape.record->kind) {
    case ISO_SHAPE3_SPHERE:
        draw_sphere(draw, &shape);
        break;
    case ISO_SHAPE3_CAPSULE:
        draw_capsule(draw, &shape);
        break;
    case ISO_SHAPE3_BOX:
        draw_box(draw, &shape);
        break;
    case ISO_SHAPE3_PLANE:
        draw_plane(draw, &shape);
        break;
    case ISO_SHAPE3_HULL:
        draw_hull(draw, &shape, index);
        break;
    case ISO_SHAPE3_HEIGHTS:
        draw_heights(draw, &shape);
        break;
    }
}
