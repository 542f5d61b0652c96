/// Shapes: definitions, their checks, creation and destruction.
#include "plane/world/shape.h"

#include "math/fixed_ops.h"
#include "plane/collide/taper.h"
#include "plane/world/body_mass.h"
#include "plane/world/contact.h"
#include "plane/world/mass.h"
#include "plane/world/segment.h"
#include "plane/world/wake.h"

#define SHAPE_RADIUS_MIN        66 // 1 mm in Q15.16, rounded up
#define SHAPE_EXTENT_MAX        (ISO_SHAPE_EXTENT_MAX_M * ISO__LENGTH_ONE)
#define SHAPE_SURFACE_SPEED_MAX (40 * ISO_FIX16_ONE)
#define SHAPE_TURN_MIN          (INT64_C(1) << 20) // sine of the smallest turn at a vertex, Q2.30: 0.056 degrees

iso_shape_def iso_shape_def_default(void) {
    iso_shape_def def = {0};
    def.kind = ISO_SHAPE_CIRCLE;
    def.point_count = 1;
    def.density = ISO_FIX16_ONE;
    def.friction = 39322; // 0.6
    def.filter = (iso_filter){.category = 1, .mask = UINT32_MAX, .group = 0};
    return def;
}

iso_shape_def iso_shape_def_circle(fix16_t radius) {
    iso_shape_def def = iso_shape_def_default();
    def.radius = radius;
    return def;
}

iso_shape_def iso_shape_def_box(fix16_t half_width, fix16_t half_height) {
    iso_shape_def def = iso_shape_def_default();
    def.kind = ISO_SHAPE_POLYGON;
    def.point_count = 4;
    def.points[0] = (iso_vec2){-half_width, -half_height};
    def.points[1] = (iso_vec2){half_width, -half_height};
    def.points[2] = (iso_vec2){half_width, half_height};
    def.points[3] = (iso_vec2){-half_width, half_height};
    return def;
}

iso_shape_def iso_shape_def_capsule(iso_vec2 a, iso_vec2 b, fix16_t radius) {
    iso_shape_def def = iso_shape_def_default();
    def.kind = ISO_SHAPE_CAPSULE;
    def.point_count = 2;
    def.points[0] = a;
    def.points[1] = b;
    def.radius = radius;
    return def;
}

iso_shape_def iso_shape_def_tapered_capsule(iso_vec2 a, iso_vec2 b, fix16_t radius_a, fix16_t radius_b) {
    iso_shape_def def = iso_shape_def_capsule(a, b, radius_a);
    def.radius_b = radius_b;
    return def;
}

iso_shape_def iso_shape_def_segment(iso_vec2_wide a, iso_vec2_wide b) {
    iso_shape_def def = iso_shape_def_default();
    def.kind = ISO_SHAPE_SEGMENT;
    def.point_count = 0;
    def.segment[0] = def.segment[1] = a;
    def.segment[2] = def.segment[3] = b;
    return def;
}

iso_shape_def iso_shape_def_chain(const iso_vec2_wide *points, uint32_t count, bool is_loop, uint32_t edge) {
    const uint32_t next = edge + 1 < count ? edge + 1 : 0;
    iso_shape_def def = iso_shape_def_segment(points[edge], points[next]);
    if (edge > 0 || is_loop) {
        def.segment[0] = points[edge > 0 ? edge - 1 : count - 1];
    }
    if (next + 1 < count || is_loop) {
        def.segment[3] = points[next + 1 < count ? next + 1 : 0];
    }
    return def;
}

/// Every three consecutive points must turn left by more than SHAPE_TURN_MIN, and the turns must add up to one
/// revolution (a pentagram turns left everywhere, twice around). Then the points are in convex position.
static iso_status shape_check_polygon(const iso_shape_def *def) {
    const uint32_t count = def->point_count;
    int64_t turns = 0;
    int32_t edges[ISO_POLYGON_VERTICES_MAX][2];
    for (uint32_t i = 0; i < count; ++i) {
        const iso_vec2 a = def->points[i], b = def->points[i + 1 < count ? i + 1 : 0];
        if (iso__normalize((int64_t)b.x - a.x, (int64_t)b.y - a.y, &edges[i][0], &edges[i][1]) < SHAPE_RADIUS_MIN) {
            return ISO_ERR_GEOMETRY;
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        const int32_t *u = edges[i], *w = edges[i + 1 < count ? i + 1 : 0];
        const int64_t sine = iso__cross32(u[0], u[1], w[0], w[1]);
        if (sine < SHAPE_TURN_MIN * ISO__UNIT_ONE) {
            return ISO_ERR_GEOMETRY;
        }
        turns += iso_wide_atan2(sine, iso__dot32(u[0], u[1], w[0], w[1]));
    }
    return turns < ISO_WIDE_ONE + ISO_WIDE_HALF ? ISO_OK : ISO_ERR_GEOMETRY;
}

static iso_status shape_check_values(const iso_shape_def *def) {
    // By kind; kind 0 is none.
    static const uint8_t points_min[] = {0, 1, 3, 2, 0}, points_max[] = {0, 1, ISO_POLYGON_VERTICES_MAX, 2, 0};
    if (def->density < 0 || def->friction < 0 || def->friction > ISO__FRICTION_MAX || def->restitution < 0 ||
        def->restitution > ISO_FIX16_ONE || def->radius < 0 || def->radius > ISO_SHAPE_EXTENT_MAX_M * ISO_FIX16_ONE ||
        def->radius_b < 0 || def->radius_b > ISO_SHAPE_EXTENT_MAX_M * ISO_FIX16_ONE) {
        return ISO_ERR_RANGE;
    }
    if (iso__abs_u32(def->surface_speed) > SHAPE_SURFACE_SPEED_MAX || iso__abs_u32(def->one_way.x) > ISO_FIX16_ONE ||
        iso__abs_u32(def->one_way.y) > ISO_FIX16_ONE) {
        return ISO_ERR_RANGE;
    }
    if (def->kind == 0 || def->kind >= sizeof points_min) {
        return ISO_ERR_BAD_ENUM;
    }
    if (def->point_count < points_min[def->kind] || def->point_count > points_max[def->kind] ||
        (def->kind != ISO_SHAPE_CAPSULE && def->radius_b != 0)) {
        return ISO_ERR_GEOMETRY;
    }
    for (uint32_t i = 0; i < def->point_count; ++i) {
        if (iso__abs_u32(def->points[i].x) > ISO_SHAPE_EXTENT_MAX_M * ISO_FIX16_ONE ||
            iso__abs_u32(def->points[i].y) > ISO_SHAPE_EXTENT_MAX_M * ISO_FIX16_ONE) {
            return ISO_ERR_GEOMETRY;
        }
    }
    return (def->kind == ISO_SHAPE_CIRCLE || def->kind == ISO_SHAPE_CAPSULE) && def->radius < SHAPE_RADIUS_MIN
               ? ISO_ERR_GEOMETRY
               : ISO_OK;
}

/// A second radius that is the first one, or 0, is none.
static bool shape_is_tapered(const iso_shape_def *def) {
    return def->kind == ISO_SHAPE_CAPSULE && def->radius_b != 0 && def->radius_b != def->radius;
}

static iso_status shape_check_capsule(const iso_shape_def *def) {
    const int64_t way[2] = {((int64_t)def->points[1].x - def->points[0].x) * 256,
                            ((int64_t)def->points[1].y - def->points[0].y) * 256};
    const bool has_sides = shape_is_tapered(def)
                               ? iso__plane_taper_has_sides(way, ((int64_t)def->radius_b - def->radius) * 256)
                               : (way[0] | way[1]) != 0;
    return has_sides && (def->radius_b == 0 || def->radius_b >= SHAPE_RADIUS_MIN) ? ISO_OK : ISO_ERR_GEOMETRY;
}

void iso__plane_shape_write_record(iso__plane_shape *record, uint32_t body, const iso_shape_def *def) {
    *record = (iso__plane_shape){0};
    record->body = body;
    record->density = def->density;
    record->friction = (int32_t)((uint32_t)def->friction << 12);
    record->restitution = (int32_t)((uint32_t)def->restitution << 12);
    record->category = def->filter.category;
    record->mask = def->filter.mask;
    record->group = def->filter.group;
    record->radius = (int32_t)((uint32_t)def->radius << 8);
    record->surface_speed = def->surface_speed;
    record->one_way[0] = def->one_way.x;
    record->one_way[1] = def->one_way.y;
    record->flags = def->is_sensor ? ISO__PLANE_SHAPE_SENSOR : 0;
    record->tag = def->tag;
    record->owner_slot = ISO_OWNER_NOBODY;
    record->kind = def->kind;
    if (def->kind == ISO_SHAPE_SEGMENT) {
        record->vertex_count = 2;
        iso__plane_segment_write(record, def->segment);
        return;
    }
    record->vertex_count = def->point_count;
    for (uint32_t i = 0; i < def->point_count; ++i) {
        record->vertices[2 * i] = (int32_t)((uint32_t)def->points[i].x << 8);
        record->vertices[2 * i + 1] = (int32_t)((uint32_t)def->points[i].y << 8);
    }
    if (shape_is_tapered(def)) {
        record->flags |= ISO__PLANE_SHAPE_TAPERED;
        record->vertices[ISO__PLANE_SHAPE_RADIUS_B] = (int32_t)((uint32_t)def->radius_b << 8);
    }
}

iso_status iso_shape_def_check(const iso_shape_def *def) {
    iso_status status = shape_check_values(def);
    if (status != ISO_OK) {
        return status;
    }
    if (def->kind == ISO_SHAPE_POLYGON) {
        status = shape_check_polygon(def);
        if (status != ISO_OK) {
            return status;
        }
    }
    if (def->kind == ISO_SHAPE_SEGMENT) {
        return iso__plane_segment_check(def);
    }
    if (def->kind == ISO_SHAPE_CAPSULE && shape_check_capsule(def) != ISO_OK) {
        return ISO_ERR_GEOMETRY;
    }
    iso__plane_shape record;
    iso__plane_shape_write_record(&record, 0, def);
    return iso__plane_shape_extent(&record, 0, 0) > SHAPE_EXTENT_MAX ? ISO_ERR_GEOMETRY : ISO_OK;
}

void iso__plane_shape_read_record(const iso__plane_shape *record, iso_shape_def *def) {
    *def = (iso_shape_def){0};
    def->kind = record->kind;
    def->point_count = record->kind == ISO_SHAPE_SEGMENT ? 0 : record->vertex_count;
    def->density = record->density;
    def->friction = record->friction >> 12;
    def->restitution = record->restitution >> 12;
    def->radius = record->radius >> 8;
    def->radius_b =
        (record->flags & ISO__PLANE_SHAPE_TAPERED) != 0 ? record->vertices[ISO__PLANE_SHAPE_RADIUS_B] >> 8 : 0;
    def->surface_speed = record->surface_speed;
    def->one_way = (iso_vec2){record->one_way[0], record->one_way[1]};
    def->is_sensor = (record->flags & ISO__PLANE_SHAPE_SENSOR) != 0;
    def->filter = (iso_filter){record->category, record->mask, record->group};
    def->tag = record->tag;
    for (uint32_t i = 0; record->kind == ISO_SHAPE_SEGMENT && i < ISO__PLANE_SEGMENT_POINTS; ++i) {
        def->segment[i] = iso__plane_segment_point(record, i);
    }
    for (uint32_t i = 0; i < def->point_count && i < ISO_POLYGON_VERTICES_MAX; ++i) {
        def->points[i] = (iso_vec2){record->vertices[2 * i] >> 8, record->vertices[2 * i + 1] >> 8};
    }
}

iso_status iso__plane_shape_add(iso__plane *plane, iso_body_id body, const iso_shape_def *def, iso_shape_id *shape) {
    if (!iso__body_is_alive(&plane->world, body)) {
        return ISO_ERR_STALE;
    }
    iso_status status = iso_shape_def_check(def);
    if (status != ISO_OK) {
        return status;
    }
    const uint32_t used = plane->world.globals->shape_count;
    const uint32_t index = iso__slot_take(&plane->world.shape_map, plane->world.shape_generations,
                                          plane->world.def.shape_capacity, &plane->world.globals->shape_count);
    if (index == UINT32_MAX) {
        return ISO_ERR_CAPACITY;
    }
    iso__plane_shape_write_record(&plane->shapes[index], body.index, def);
    iso__plane_body_link_shape(plane, body.index, index);
    status = iso__plane_body_update_mass(plane, body.index, true);
    if (status != ISO_OK) {
        // As if the slot had never been taken: its generation and the used count go back, too.
        iso__plane_body_unlink_shape(plane, body.index, index);
        plane->shapes[index] = (iso__plane_shape){0};
        iso__slot_release(&plane->world.shape_map, plane->world.shape_generations, index);
        plane->world.shape_generations[index] -= 2;
        plane->world.globals->shape_count = used;
        return status;
    }
    iso__plane_body_wake(&plane->world, body.index);
    iso__bit_set(plane->reshaped, index); // its filter may be one that no shape had
    iso__mark_dirty(&plane->world, ISO_SECTION_SHAPES, index);
    iso__mark_section_dirty(&plane->world, ISO_SECTION_GENERATIONS);
    *shape = (iso_shape_id){index, plane->world.shape_generations[index]};
    return ISO_OK;
}

iso_status iso_shape_create(iso_world *world, iso_body_id body, const iso_shape_def *def, iso_shape_id *shape) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    const iso_status status = iso__plane_shape_add(plane, body, def, shape);
    if (status == ISO_OK) {
        iso__plane_shape_wake_near(plane, shape->index);
    }
    return status;
}

iso_status iso__plane_shape_destroy(iso_world *world, uint32_t shape) {
    iso__plane *plane = iso__plane_of(world);
    const uint32_t body = plane->shapes[shape].body;
    iso__plane_body_unlink_shape(plane, body, shape);
    const iso_status status = iso__plane_body_update_mass(plane, body, true);
    if (status != ISO_OK) {
        iso__plane_body_link_shape(plane, body, shape);
        return status;
    }
    iso__plane_body_wake(world, body);
    iso__plane_shape_release(plane, shape);
    return ISO_OK;
}

void iso__plane_shape_release(iso__plane *plane, uint32_t index) {
    iso__plane_contacts_remove(plane, index);
    iso__bit_set(plane->reshaped, index);
    plane->shapes[index] = (iso__plane_shape){0};
    iso__slot_release(&plane->world.shape_map, plane->world.shape_generations, index);
    iso__mark_dirty(&plane->world, ISO_SECTION_SHAPES, index);
    iso__mark_section_dirty(&plane->world, ISO_SECTION_GENERATIONS);
}

uint32_t iso__plane_shape_next(const iso_world *world, uint32_t body, uint32_t index) {
    const iso__plane *plane = iso__plane_of_const(world);
    // In a loop the list continues after the shape that was returned last.
    const bool goes_on = index > 0 && index <= world->globals->shape_count && plane->shapes[index - 1].kind != 0 &&
                         plane->shapes[index - 1].body == body;
    uint32_t shape = goes_on ? plane->shape_derived[index - 1].next_shape : plane->body_derived[body].first_shape;
    while (shape < index) {
        shape = plane->shape_derived[shape].next_shape;
    }
    return shape;
}

void iso__plane_shape_set_filter(iso_world *world, uint32_t shape, iso_filter filter) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_shape *record = &plane->shapes[shape];
    record->category = filter.category;
    record->mask = filter.mask;
    record->group = filter.group;
    iso__plane_shape_touch(plane, shape); // pairs were chosen by the old filter
    iso__plane_body_wake(world, record->body);
    iso__plane_body_wake_neighbours(plane, record->body);
    iso__plane_shape_wake_near(plane, shape);
    iso__mark_dirty(world, ISO_SECTION_SHAPES, shape);
}

static void shape_changed(iso__plane *plane, uint32_t shape) {
    plane->has_changed_surfaces = true;
    iso__plane_body_wake(&plane->world, plane->shapes[shape].body);
    iso__plane_body_wake_neighbours(plane, plane->shapes[shape].body);
    iso__mark_dirty(&plane->world, ISO_SECTION_SHAPES, shape);
}

iso_status iso_shape_set_friction(iso_world *world, iso_shape_id shape, fix16_t friction) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (!iso__shape_is_alive(world, shape)) {
        return ISO_ERR_STALE;
    }
    if (friction < 0 || friction > ISO__FRICTION_MAX) {
        return ISO_ERR_RANGE;
    }
    plane->shapes[shape.index].friction = (int32_t)((uint32_t)friction << 12);
    shape_changed(plane, shape.index);
    return ISO_OK;
}

iso_status iso_shape_set_restitution(iso_world *world, iso_shape_id shape, fix16_t restitution) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (!iso__shape_is_alive(world, shape)) {
        return ISO_ERR_STALE;
    }
    if (restitution < 0 || restitution > ISO_FIX16_ONE) {
        return ISO_ERR_RANGE;
    }
    plane->shapes[shape.index].restitution = (int32_t)((uint32_t)restitution << 12);
    shape_changed(plane, shape.index);
    return ISO_OK;
}

iso_status iso_shape_set_surface_speed(iso_world *world, iso_shape_id shape, fix16_t speed) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (!iso__shape_is_alive(world, shape)) {
        return ISO_ERR_STALE;
    }
    if (iso__abs_u32(speed) > SHAPE_SURFACE_SPEED_MAX) {
        return ISO_ERR_RANGE;
    }
    plane->shapes[shape.index].surface_speed = speed;
    shape_changed(plane, shape.index);
    return ISO_OK;
}

iso_status iso_shape_set_density(iso_world *world, iso_shape_id shape, fix16_t density) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    iso__plane *plane = iso__plane_of(world);
    if (!iso__shape_is_alive(world, shape)) {
        return ISO_ERR_STALE;
    }
    if (density < 0) {
        return ISO_ERR_RANGE;
    }
    iso__plane_shape *record = &plane->shapes[shape.index];
    const fix16_t before = record->density;
    record->density = density;
    const iso_status status = iso__plane_body_update_mass(plane, record->body, true);
    if (status != ISO_OK) {
        record->density = before;
        return status;
    }
    shape_changed(plane, shape.index);
    return ISO_OK;
}

void iso__plane_shape_set_tag(iso_world *world, uint32_t shape, uint32_t tag) {
    iso__plane *plane = iso__plane_of(world);
    plane->shapes[shape].tag = tag;
    iso__mark_dirty(world, ISO_SECTION_SHAPES, shape);
}

iso_status iso_shape_get(const iso_world *world, iso_shape_id shape, iso_shape_def *def, iso_body_id *body) {
    ISO__PLANE_ONLY(world, ISO_ERR_DIMENSION);
    const iso__plane *plane = iso__plane_of_const(world);
    if (!iso__shape_is_alive(world, shape)) {
        return ISO_ERR_STALE;
    }
    const iso__plane_shape *record = &plane->shapes[shape.index];
    iso__plane_shape_read_record(record, def);
    *body = (iso_body_id){record->body, world->body_generations[record->body]};
    return ISO_OK;
}
