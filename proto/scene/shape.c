/// Materials and shapes of a scene.
#include <string.h>

#include "scene/internal.h"

/// 7.9 as Q31.32: the largest friction of the core.
#define SHAPE_FRICTION_RANGE ((iso__scene_range){0, INT64_C(33930242458), false, "a number from 0 to 7.9"})
#define SHAPE_LENGTH_RANGE   ISO__SCENE_ABOVE(0, ISO_SHAPE_EXTENT_MAX_M)
#define SHAPE_POINT_RANGE    ISO__SCENE_RANGE(-ISO_SHAPE_EXTENT_MAX_M, ISO_SHAPE_EXTENT_MAX_M)

void iso__scene_read_materials(iso__scene_reader *reader, const iso__scene_node *node) {
    if (!node->is_present || reader->status != ISO_OK) {
        return;
    }
    if (!json_object_is_type(node->json, json_type_object)) {
        iso__scene_invalid(reader, node, "an object of materials by name");
        return;
    }
    const iso_shape_def fallback = iso_shape_def_default();
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

static void shape_read_material(iso__scene_reader *reader, const iso__scene_node *shape, iso_shape_def *def) {
    const iso__scene_node node = iso__scene_member(shape, "material");
    if (!node.is_present) {
        return;
    }
    const char *name = iso__scene_string(reader, &node, ISO_SCENE_NAME_MAX, "the name of a material");
    for (uint32_t i = 0; i < reader->material_count; ++i) {
        const iso__scene_material *material = &reader->materials[i];
        if (strcmp(material->name, name) == 0) {
            def->density = material->density;
            def->friction = material->friction;
            def->restitution = material->restitution;
            return;
        }
    }
    iso__scene_invalid(reader, &node, "the name of a material");
}

static void shape_read_filter(iso__scene_reader *reader, const iso__scene_node *shape, iso_shape_def *def) {
    const iso__scene_node node = iso__scene_member(shape, "filter");
    if (!node.is_present || !iso__scene_object(reader, &node, "category mask group")) {
        return;
    }
    def->filter.category = (uint32_t)iso__scene_uint_or(reader, &node, "category", 0, UINT32_MAX, def->filter.category);
    def->filter.mask = (uint32_t)iso__scene_uint_or(reader, &node, "mask", 0, UINT32_MAX, def->filter.mask);
    const iso__scene_node group = iso__scene_member(&node, "group");
    if (group.is_present) {
        def->filter.group = iso__scene_int32(reader, &group);
    }
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
    const fix16_t half_width = iso__scene_fix16(reader, &width, SHAPE_LENGTH_RANGE);
    const fix16_t half_height = iso__scene_fix16(reader, &height, SHAPE_LENGTH_RANGE);
    const iso_vec2 centre = iso__scene_vec2_or(reader, shape, "centre", SHAPE_POINT_RANGE, (iso_vec2){0, 0});
    const fix16_t angle = iso__scene_fix16_or(reader, shape, "angle", ISO__SCENE_RANGE(-32767, 32767), 0);
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
        def->points[i] = iso__scene_vec2(reader, &point, SHAPE_POINT_RANGE);
    }
}

/// The words of `kind`, in this order.
enum { SHAPE_CIRCLE, SHAPE_BOX, SHAPE_POLYGON, SHAPE_CAPSULE };

static iso_shape_def shape_read(iso__scene_reader *reader, const iso__scene_node *node) {
    static const char *const keys[] = {
        "kind centre radius material filter surface_speed one_way sensor tag",
        "kind half_width half_height radius centre angle material filter surface_speed one_way sensor tag",
        "kind points radius material filter surface_speed one_way sensor tag",
        "kind points radius material filter surface_speed one_way sensor tag",
    };
    static const char *const polygon_rule =
        "convex and counter-clockwise, edges of at least 0.001 m, within 60 m of the body's origin";
    const char *const rules[] = {
        "a circle with a radius of at least 0.001 m, within 60 m of the body's origin",
        polygon_rule,
        polygon_rule,
        "a capsule between two points that differ, with a radius of at least 0.001 m, within 60 m of the body's origin",
    };
    iso_shape_def def = iso_shape_def_default();
    if (!json_object_is_type(node->json, json_type_object)) {
        iso__scene_invalid(reader, node, "an object");
        return def;
    }
    const iso__scene_node kind = iso__scene_member(node, "kind");
    const uint32_t word = iso__scene_word(reader, &kind, "circle box polygon capsule");
    if (!iso__scene_object(reader, node, keys[word])) {
        return def;
    }
    const iso__scene_node radius = iso__scene_member(node, "radius");
    if (word == SHAPE_CIRCLE) {
        def.points[0] = iso__scene_vec2_or(reader, node, "centre", SHAPE_POINT_RANGE, def.points[0]);
    } else if (word == SHAPE_BOX) {
        shape_read_box(reader, node, &def);
    } else if (word == SHAPE_POLYGON) {
        def.kind = ISO_SHAPE_POLYGON;
        shape_read_points(reader, node, 3, ISO_POLYGON_VERTICES_MAX, &def);
    } else {
        def.kind = ISO_SHAPE_CAPSULE;
        shape_read_points(reader, node, 2, 2, &def);
    }
    if (word == SHAPE_CIRCLE || word == SHAPE_CAPSULE) {
        def.radius = iso__scene_fix16(reader, &radius, SHAPE_LENGTH_RANGE);
    } else if (radius.is_present) {
        def.radius = iso__scene_fix16(reader, &radius, ISO__SCENE_RANGE(0, ISO_SHAPE_EXTENT_MAX_M));
    }
    shape_read_material(reader, node, &def);
    shape_read_filter(reader, node, &def);
    def.surface_speed = iso__scene_fix16_or(reader, node, "surface_speed", ISO__SCENE_RANGE(-40, 40), 0);
    def.one_way = iso__scene_vec2_or(reader, node, "one_way", ISO__SCENE_RANGE(-1, 1), def.one_way);
    const iso__scene_node sensor = iso__scene_member(node, "sensor");
    def.is_sensor = sensor.is_present && iso__scene_bool(reader, &sensor);
    def.tag = (uint32_t)iso__scene_uint_or(reader, node, "tag", 0, UINT32_MAX, 0);
    if (reader->status == ISO_OK && iso_shape_def_check(&def) != ISO_OK) {
        iso__scene_invalid(reader, node, rules[word]);
    }
    return def;
}

uint32_t iso__scene_read_shapes(iso__scene_reader *reader, const iso__scene_node *node) {
    if (!node->is_present) {
        return 0;
    }
    const uint32_t count = (uint32_t)iso__scene_array(reader, node, 0, ISO_SCENE_BODY_SHAPES_MAX);
    iso_scene *scene = reader->scene;
    for (uint32_t i = 0; i < count; ++i) {
        const iso__scene_node item = iso__scene_item(node, i);
        const iso_shape_def def = shape_read(reader, &item);
        if (!iso__scene_reserve(reader, (void **)&scene->shapes, &reader->shape_capacity, scene->shape_count, 1,
                                sizeof def)) {
            return 0;
        }
        scene->shapes[scene->shape_count++] = def;
    }
    return count;
}
