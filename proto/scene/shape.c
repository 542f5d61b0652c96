/// Materials of a scene, what all shapes have, and the shapes of the plane.
#include <stdio.h>
#include <string.h>

#include "scene/internal.h"

/// 7.9 as Q31.32: the largest friction of the core.
#define SHAPE_FRICTION_RANGE ((iso__scene_range){0, INT64_C(33930242458), false, "a number from 0 to 7.9", false})
#define SHAPE_SEGMENT_RANGE  ISO__SCENE_RANGE(-ISO_SEGMENT_POINT_MAX_M, ISO_SEGMENT_POINT_MAX_M)

/// What a shape without a material is made of.
static iso__scene_material material_default(const iso__scene_reader *reader) {
    if (iso__scene_is_space(reader)) {
        const iso_shape3_def def = iso_shape3_def_default();
        return (iso__scene_material){NULL, def.density, def.friction, def.restitution};
    }
    const iso_shape_def def = iso_shape_def_default();
    return (iso__scene_material){NULL, def.density, def.friction, def.restitution};
}

void iso__scene_read_materials(iso__scene_reader *reader, const iso__scene_node *node) {
    if (!node->is_present || reader->status != ISO_OK) {
        return;
    }
    if (!json_object_is_type(node->json, json_type_object)) {
        iso__scene_invalid(reader, node, "an object of materials by name");
        return;
    }
    const iso__scene_material fallback = material_default(reader);
    json_object_object_foreach(node->json, name, value) {
        const iso__scene_node item = {node, name, 0, value, true};
        if (!iso__scene_is_name(name)) {
            iso__scene_invalid(reader, &item, "a material's name: 1 to 31 letters, digits, \"_\" or \"-\"");
        }
        // A wrong one, too, keeps its name: its shapes are not at fault.
        iso__scene_material *material = &reader->materials[reader->material_count++];
        material->name = name;
        iso__scene_object(reader, &item, "density friction restitution");
        material->density = iso__scene_fix16_or(reader, &item, "density", ISO__SCENE_RANGE(0, 32767), fallback.density);
        material->friction = iso__scene_fix16_or(reader, &item, "friction", SHAPE_FRICTION_RANGE, fallback.friction);
        material->restitution =
            iso__scene_fix16_or(reader, &item, "restitution", ISO__SCENE_RANGE(0, 1), fallback.restitution);
        if (!iso__scene_recover(reader)) {
            return;
        }
    }
}

static iso__scene_material shape_read_material(iso__scene_reader *reader, const iso__scene_node *shape) {
    const iso__scene_node node = iso__scene_member(shape, "material");
    if (!node.is_present) {
        return material_default(reader);
    }
    const char *name = iso__scene_string(reader, &node, ISO_SCENE_NAME_MAX, "the name of a material");
    for (uint32_t i = 0; i < reader->material_count; ++i) {
        if (strcmp(reader->materials[i].name, name) == 0) {
            return reader->materials[i];
        }
    }
    iso_nearest nearest = {0};
    for (uint32_t i = 0; i < reader->material_count; ++i) {
        iso_nearest_look(&nearest, name, reader->materials[i].name, strlen(reader->materials[i].name));
    }
    iso__scene_invalid_name(reader, &node, "the name of a material", &nearest);
    return material_default(reader);
}

static iso_filter shape_read_filter(iso__scene_reader *reader, const iso__scene_node *shape) {
    const iso__scene_node node = iso__scene_member(shape, "filter");
    iso_filter filter = iso_shape_def_default().filter;
    if (!node.is_present || !iso__scene_object(reader, &node, "category mask group")) {
        return filter;
    }
    filter.category = (uint32_t)iso__scene_uint_or(reader, &node, "category", 0, UINT32_MAX, filter.category);
    filter.mask = (uint32_t)iso__scene_uint_or(reader, &node, "mask", 0, UINT32_MAX, filter.mask);
    const iso__scene_node group = iso__scene_member(&node, "group");
    if (group.is_present) {
        filter.group = iso__scene_int32(reader, &group);
    }
    return filter;
}

iso__scene_surface iso__scene_read_surface(iso__scene_reader *reader, const iso__scene_node *shape) {
    iso__scene_surface surface;
    surface.material = shape_read_material(reader, shape);
    surface.filter = shape_read_filter(reader, shape);
    surface.is_sensor = iso__scene_bool_or(reader, shape, "sensor", false);
    surface.tag = (uint32_t)iso__scene_uint_or(reader, shape, "tag", 0, UINT32_MAX, 0);
    return surface;
}

/// A number of the body frame times a cosine or sine, two of them added, rounded once to Q15.16, a half up.
/// The numbers are at most 60 m (2^22), so the sum stays below 2^54.
static fix16_t shape_rotate(fix16_t a, int32_t cosine, fix16_t b, int32_t sine) {
    const int64_t sum = (int64_t)a * cosine + (int64_t)b * sine;
    return (fix16_t)((sum + (ISO_ROTATION_ONE >> 1)) >> 30);
}

static void shape_read_box(iso__scene_reader *reader, const iso__scene_node *shape, iso_shape_def *def) {
    const iso__scene_node width = iso__scene_member(shape, "half_width");
    const iso__scene_node height = iso__scene_member(shape, "half_height");
    const fix16_t half_width = iso__scene_fix16(reader, &width, ISO__SCENE_SIZE_RANGE);
    const fix16_t half_height = iso__scene_fix16(reader, &height, ISO__SCENE_SIZE_RANGE);
    const iso_vec2 centre = iso__scene_vec2_or(reader, shape, "centre", ISO__SCENE_ANCHOR_RANGE, (iso_vec2){0, 0});
    const fix16_t angle = iso__scene_fix16_or(reader, shape, "angle", ISO__SCENE_VALUE_RANGE, 0);
    const iso_wide turns = iso_turns_from_radians(iso_wide_from_fix16(angle));
    const iso_rotation q = iso_rotation_make((uint32_t)(uint64_t)turns);
    const iso_shape_def box = iso_shape_def_box(half_width, half_height);
    def->kind = box.kind;
    def->point_count = box.point_count;
    for (uint32_t i = 0; i < box.point_count; ++i) {
        const iso_vec2 p = box.points[i];
        def->points[i].x = iso_fix16_sadd(centre.x, shape_rotate(p.x, q.c, p.y, -q.s));
        def->points[i].y = iso_fix16_sadd(centre.y, shape_rotate(p.x, q.s, p.y, q.c));
    }
}

static void shape_read_points(iso__scene_reader *reader, const iso__scene_node *shape, size_t least, size_t most,
                              iso_shape_def *def) {
    const iso__scene_node points = iso__scene_member(shape, "points");
    const size_t count = iso__scene_array(reader, &points, least, most);
    def->point_count = (uint8_t)count;
    for (size_t i = 0; i < count; ++i) {
        const iso__scene_node point = iso__scene_item(&points, i);
        def->points[i] = iso__scene_vec2(reader, &point, ISO__SCENE_ANCHOR_RANGE);
    }
}

/// The words of ISO__SCENE_SHAPES, in this order.
enum { SHAPE_CIRCLE, SHAPE_BOX, SHAPE_POLYGON, SHAPE_CAPSULE, SHAPE_SEGMENT, SHAPE_CHAIN };

/// The points of a segment or chain, and those beside it in a longer line.
typedef struct shape_line {
    iso_vec2_wide points[ISO_SCENE_BODY_SHAPES_MAX + 1];
    iso_vec2_wide before, behind; // the end beside it: none
    uint32_t count;
    bool is_loop;
} shape_line;

static void shape_read_line(iso__scene_reader *reader, const iso__scene_node *shape, size_t most, shape_line *line) {
    const iso__scene_node points = iso__scene_member(shape, "points");
    line->count = (uint32_t)iso__scene_array(reader, &points, 2, most);
    for (uint32_t i = 0; i < line->count; ++i) {
        const iso__scene_node point = iso__scene_item(&points, i);
        line->points[i] = iso__scene_vec2_wide(reader, &point, SHAPE_SEGMENT_RANGE);
    }
    const iso__scene_node loop = iso__scene_member(shape, "loop");
    line->is_loop = loop.is_present && iso__scene_bool(reader, &loop);
    if (line->is_loop && (line->count < 3 || line->count == ISO_SCENE_BODY_SHAPES_MAX + 1)) {
        iso__scene_invalid(reader, &loop, "true with 3 to 64 points, else false");
    }
    const iso__scene_node before = iso__scene_member(shape, "before"), behind = iso__scene_member(shape, "behind");
    const iso_vec2_wide last = line->count == 0 ? line->points[0] : line->points[line->count - 1];
    line->before = before.is_present ? iso__scene_vec2_wide(reader, &before, SHAPE_SEGMENT_RANGE) : line->points[0];
    line->behind = behind.is_present ? iso__scene_vec2_wide(reader, &behind, SHAPE_SEGMENT_RANGE) : last;
    if (line->is_loop && (before.is_present || behind.is_present)) {
        iso__scene_invalid(reader, before.is_present ? &before : &behind, "nothing, since the chain is a loop");
    }
}

/// Writes an edge of the line into a definition.
static void shape_set_edge(const shape_line *line, uint32_t i, iso_shape_def *def) {
    const iso_shape_def edge = iso_shape_def_chain(line->points, line->count, line->is_loop, i);
    def->kind = edge.kind;
    def->point_count = edge.point_count;
    memcpy(def->segment, edge.segment, sizeof def->segment);
    if (!line->is_loop && i == 0) {
        def->segment[0] = line->before;
    }
    if (!line->is_loop && i + 2 == line->count) {
        def->segment[3] = line->behind;
    }
}

static void shape_read_segment(iso__scene_reader *reader, const iso__scene_node *shape, iso_shape_def *def) {
    shape_line line = {.count = 0};
    shape_read_line(reader, shape, 2, &line);
    if (line.count == 2) {
        shape_set_edge(&line, 0, def);
    }
}

/// Reads the radii of a capsule, whose points are read.
static void shape_read_capsule_radii(iso__scene_reader *reader, const iso__scene_node *shape, iso_shape_def *def) {
    const iso__scene_node radius = iso__scene_member(shape, "radius"), other = iso__scene_member(shape, "radius_b");
    def->radius = iso__scene_fix16(reader, &radius, ISO__SCENE_RADIUS_RANGE);
    if (!other.is_present) {
        return;
    }
    def->radius_b = iso__scene_fix16(reader, &other, ISO__SCENE_RADIUS_RANGE);
    iso_shape_def ends[] = {*def, *def};
    ends[0].radius_b = 0;
    ends[1].radius = def->radius_b;
    ends[1].radius_b = 0;
    if (reader->status != ISO_OK || iso_shape_def_check(&ends[0]) != ISO_OK ||
        iso_shape_def_check(&ends[1]) != ISO_OK || iso_shape_def_check(def) == ISO_OK) {
        return; // right, or wrong for what it has in common with a capsule of one radius
    }
    char a[ISO_FIX16_TEXT_SIZE], b[ISO_FIX16_TEXT_SIZE], apart[ISO_WIDE_TEXT_SIZE];
    char expected[sizeof reader->error->expected];
    const iso_wide x = iso_wide_from_fix16(def->points[1].x) - iso_wide_from_fix16(def->points[0].x);
    const iso_wide y = iso_wide_from_fix16(def->points[1].y) - iso_wide_from_fix16(def->points[0].y);
    iso_fix16_to_text(def->radius, a);
    iso_fix16_to_text(def->radius_b, b);
    iso_wide_to_text(iso_wide_hypot(x, y), apart);
    snprintf(
        expected, sizeof expected,
        "two circles of which neither holds the other, with sides of at least 0.001 m; radius %s, radius_b %s, points "
        "%s m apart",
        a, b, apart);
    iso__scene_invalid(reader, shape, expected);
}

/// A direction that is rounded to none would be solid from all sides.
static void shape_check_one_way(iso__scene_reader *reader, const iso__scene_node *shape, iso_vec2 read) {
    const iso__scene_node one_way = iso__scene_member(shape, "one_way");
    if (one_way.is_present && reader->status == ISO_OK && read.x == 0 && read.y == 0) {
        const iso__scene_node x = iso__scene_item(&one_way, 0), y = iso__scene_item(&one_way, 1);
        if (!iso__scene_is_zero(&x) || !iso__scene_is_zero(&y)) {
            iso__scene_invalid(reader, &one_way,
                               "[0, 0], or a direction with a component that is not 0 (rounded to 2^-16)");
        }
    }
}

/// @param word  its kind
static iso_shape_def shape_read(iso__scene_reader *reader, const iso__scene_node *node, uint32_t word) {
    static const char *const keys[] = {
        "kind centre radius material filter surface_speed one_way sensor tag",
        "kind half_width half_height radius centre angle material filter surface_speed one_way sensor tag",
        "kind points radius material filter surface_speed one_way sensor tag",
        "kind points radius radius_b material filter surface_speed one_way sensor tag",
        "kind points before behind material filter surface_speed one_way sensor tag",
        "kind points loop before behind material filter surface_speed one_way sensor tag",
    };
    static const char *const segment_rule =
        "points that are at least 0.001 m and less than 120 m from the next, within 1000 m of the body's origin";
    static const char *const polygon_rule =
        "convex and counter-clockwise, edges of at least 0.001 m, within 60 m of the body's origin";
    const char *const rules[] = {
        "a circle with a radius of at least 0.001 m, within 60 m of the body's origin",
        polygon_rule,
        polygon_rule,
        "a capsule between two points that differ, with a radius of at least 0.001 m, within 60 m of the body's origin",
        segment_rule,
        segment_rule,
    };
    iso_shape_def def = iso_shape_def_default();
    if (!iso__scene_object(reader, node, keys[word])) {
        return def;
    }
    const iso__scene_node radius = iso__scene_member(node, "radius");
    if (word == SHAPE_CIRCLE) {
        def.points[0] = iso__scene_vec2_or(reader, node, "centre", ISO__SCENE_ANCHOR_RANGE, def.points[0]);
    } else if (word == SHAPE_BOX) {
        shape_read_box(reader, node, &def);
    } else if (word == SHAPE_POLYGON) {
        def.kind = ISO_SHAPE_POLYGON;
        shape_read_points(reader, node, 3, ISO_POLYGON_VERTICES_MAX, &def);
    } else if (word == SHAPE_SEGMENT) {
        shape_read_segment(reader, node, &def);
    } else if (word == SHAPE_CAPSULE) {
        def.kind = ISO_SHAPE_CAPSULE;
        shape_read_points(reader, node, 2, 2, &def);
    }
    if (word == SHAPE_CAPSULE) {
        shape_read_capsule_radii(reader, node, &def);
    } else if (word == SHAPE_CIRCLE) {
        def.radius = iso__scene_fix16(reader, &radius, ISO__SCENE_RADIUS_RANGE);
    } else if (radius.is_present) {
        def.radius = iso__scene_fix16(reader, &radius, ISO__SCENE_RANGE(0, ISO_SHAPE_EXTENT_MAX_M));
    }
    const iso__scene_surface surface = iso__scene_read_surface(reader, node);
    def.density = surface.material.density;
    def.friction = surface.material.friction;
    def.restitution = surface.material.restitution;
    def.filter = surface.filter;
    def.is_sensor = surface.is_sensor;
    def.tag = surface.tag;
    def.surface_speed = iso__scene_fix16_or(reader, node, "surface_speed", ISO__SCENE_RANGE(-40, 40), 0);
    def.one_way = iso__scene_vec2_or(reader, node, "one_way", ISO__SCENE_RANGE(-1, 1), def.one_way);
    shape_check_one_way(reader, node, def.one_way);
    if (reader->status == ISO_OK && word != SHAPE_CHAIN && iso_shape_def_check(&def) != ISO_OK) {
        iso__scene_invalid(reader, node, rules[word]);
    }
    return def;
}

/// Adds the edges of a chain, which have the surface that was read. @return how many
static uint32_t shape_add_chain(iso__scene_reader *reader, const iso__scene_node *node, const iso_shape_def *surface,
                                uint32_t left) {
    shape_line line = {.count = 0};
    shape_read_line(reader, node, ISO_SCENE_BODY_SHAPES_MAX + 1, &line);
    iso_scene *scene = reader->scene;
    const uint32_t edges = line.count == 0 ? 0 : line.is_loop ? line.count : line.count - 1;
    if (edges > left) {
        iso__scene_invalid(reader, node, "at most 64 shapes of a body, each edge of a chain being one");
    }
    if (reader->status != ISO_OK || !iso__scene_reserve(reader, (void **)&scene->shapes, &reader->shape_capacity,
                                                        scene->shape_count, edges, sizeof *surface)) {
        return 0;
    }
    for (uint32_t i = 0; i < edges; ++i) {
        iso_shape_def *def = &scene->shapes[scene->shape_count++];
        *def = *surface;
        shape_set_edge(&line, i, def);
        if (reader->status == ISO_OK && iso_shape_def_check(def) != ISO_OK) {
            iso__scene_invalid(
                reader, node,
                "points that are at least 0.001 m and less than 120 m from the next, within 1000 m of the "
                "body's origin");
        }
    }
    return edges;
}

/// Adds one shape, or the edges of a chain. @param left  how many there may be
static uint32_t shape_add(iso__scene_reader *reader, const iso__scene_node *node, uint32_t left) {
    if (!json_object_is_type(node->json, json_type_object)) {
        iso__scene_invalid(reader, node, "an object");
        return 0;
    }
    iso_scene *scene = reader->scene;
    const iso__scene_node kind = iso__scene_member(node, "kind");
    const uint32_t word = iso__scene_word_of(reader, &kind, ISO__SCENE_SHAPES, ISO__SCENE_SHAPES3);
    const iso_shape_def def = shape_read(reader, node, word);
    if (word == SHAPE_CHAIN) {
        return shape_add_chain(reader, node, &def, left);
    }
    if (!iso__scene_reserve(reader, (void **)&scene->shapes, &reader->shape_capacity, scene->shape_count, 1,
                            sizeof def)) {
        return 0;
    }
    scene->shapes[scene->shape_count++] = def;
    return 1;
}

uint32_t iso__scene_read_shapes(iso__scene_reader *reader, const iso__scene_node *node) {
    if (!node->is_present) {
        return 0;
    }
    const uint32_t count = (uint32_t)iso__scene_array(reader, node, 0, ISO_SCENE_BODY_SHAPES_MAX);
    uint32_t added = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const iso__scene_node item = iso__scene_item(node, i);
        // Those that follow need a place, too.
        added += shape_add(reader, &item, ISO_SCENE_BODY_SHAPES_MAX - added - (count - 1 - i));
    }
    return added;
}
