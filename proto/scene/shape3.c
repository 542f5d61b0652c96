/// Shapes of a scene in space.
#include "scene/internal.h"

/// The words of ISO__SCENE_SHAPES3, in this order.
enum { SHAPE_SPHERE, SHAPE_CAPSULE, SHAPE_BOX, SHAPE_HULL, SHAPE_PLANE, SHAPE_HEIGHTS };

static fix16_t shape_read_radius(iso__scene_reader *reader, const iso__scene_node *shape) {
    const iso__scene_node radius = iso__scene_member(shape, "radius");
    return iso__scene_fix16(reader, &radius, ISO__SCENE_RADIUS3_RANGE);
}

static iso_vec3 shape_read_point(iso__scene_reader *reader, const iso__scene_node *shape, const char *key) {
    const iso__scene_node point = iso__scene_member(shape, key);
    return iso__scene_vec3(reader, &point, ISO__SCENE_ANCHOR_RANGE);
}

static void shape_read_box(iso__scene_reader *reader, const iso__scene_node *shape, iso_shape3_def *def) {
    const iso__scene_node half_extents = iso__scene_member(shape, "half_extents");
    fix16_t half[3] = {0, 0, 0};
    if (iso__scene_array(reader, &half_extents, 3, 3) == 3) {
        for (size_t i = 0; i < 3; ++i) {
            const iso__scene_node item = iso__scene_item(&half_extents, i);
            half[i] = iso__scene_fix16(reader, &item, ISO__SCENE_SIZE_RANGE);
        }
    }
    def->kind = ISO_SHAPE3_BOX;
    def->point_count = 2;
    def->points[0] = iso__scene_vec3_or(reader, shape, "centre", ISO__SCENE_ANCHOR_RANGE);
    def->points[1] = (iso_vec3){half[0], half[1], half[2]};
    def->rotation = iso__scene_rotation(reader, shape);
}

static void shape_read_hull(iso__scene_reader *reader, const iso__scene_node *shape, iso_shape3_def *def) {
    const iso__scene_node points = iso__scene_member(shape, "points");
    const size_t count = iso__scene_array(reader, &points, 4, ISO_HULL_VERTICES_MAX);
    def->kind = ISO_SHAPE3_HULL;
    def->point_count = (uint8_t)count;
    for (size_t i = 0; i < count; ++i) {
        const iso__scene_node point = iso__scene_item(&points, i);
        def->points[i] = iso__scene_vec3(reader, &point, ISO__SCENE_ANCHOR_RANGE);
    }
}

static void shape_read_plane(iso__scene_reader *reader, const iso__scene_node *shape, iso_shape3_def *def) {
    const iso__scene_node normal = iso__scene_member(shape, "normal");
    def->kind = ISO_SHAPE3_PLANE;
    def->point_count = 1;
    // Only its direction matters; a longer one is more exact.
    def->points[0] = iso__scene_vec3(reader, &normal, ISO__SCENE_VALUE_RANGE);
    def->offset = iso__scene_fix16_or(reader, shape, "offset", ISO__SCENE_ANCHOR_RANGE, 0);
    if (def->points[0].x == 0 && def->points[0].y == 0 && def->points[0].z == 0) {
        iso__scene_invalid(reader, &normal, "a direction with a component that is not 0 (rounded to 2^-16)");
    }
}

/// Reads what only this kind has.
static void shape_read_geometry(iso__scene_reader *reader, const iso__scene_node *node, uint32_t word,
                                iso_shape3_def *def) {
    switch (word) {
    case SHAPE_SPHERE:
        def->kind = ISO_SHAPE3_SPHERE;
        def->point_count = 1;
        def->points[0] = iso__scene_vec3_or(reader, node, "centre", ISO__SCENE_ANCHOR_RANGE);
        def->radius = shape_read_radius(reader, node);
        break;
    case SHAPE_CAPSULE:
        def->kind = ISO_SHAPE3_CAPSULE;
        def->point_count = 2;
        def->points[0] = shape_read_point(reader, node, "a");
        def->points[1] = shape_read_point(reader, node, "b");
        def->radius = shape_read_radius(reader, node);
        break;
    case SHAPE_BOX:
        shape_read_box(reader, node, def);
        break;
    case SHAPE_HULL:
        shape_read_hull(reader, node, def);
        break;
    case SHAPE_PLANE:
        shape_read_plane(reader, node, def);
        break;
    default:
        def->kind = ISO_SHAPE3_HEIGHTS;
        def->point_count = 1;
        def->points[0] = iso__scene_vec3_or(reader, node, "centre", ISO__SCENE_ANCHOR_RANGE);
        def->heights = (uint8_t)iso__scene_read_heights(reader, node);
        break;
    }
}

/// @param word  its kind
static iso_shape3_def shape_read(iso__scene_reader *reader, const iso__scene_node *node, uint32_t word) {
    static const char *const keys[] = {
        "kind centre radius material filter sensor tag",
        "kind a b radius material filter sensor tag",
        "kind half_extents centre rotation material filter sensor tag",
        "kind points material filter sensor tag",
        "kind normal offset material filter sensor tag",
        "kind samples cell scale centre material filter sensor tag",
    };
    static const char *const rules[] = {
        "a sphere with a radius of at least 0.00025 m, within 60 m of the body's origin",
        ("a capsule between two points at least 0.00025 m apart, with a radius of at least 0.00025 m, within 60 m of "
         "the "
         "body's origin"),
        "a box with half extents of at least 0.00025 m, within 60 m of the body's origin",
        "a hull with a volume of at least 2^-30 m^3 (0.93 mm^3) and at most 60 faces, within 60 m of the body's origin",
        "a plane with a normal",
        "heights whose middle is within 60 m of the body's origin",
    };
    iso_shape3_def def = iso_shape3_def_default();
    if (!iso__scene_object(reader, node, keys[word])) {
        return def;
    }
    def.rotation = (iso_quat){0, 0, 0, 0};
    shape_read_geometry(reader, node, word, &def);
    const iso__scene_surface surface = iso__scene_read_surface(reader, node);
    def.density = surface.material.density;
    def.friction = surface.material.friction;
    def.restitution = surface.material.restitution;
    def.filter = surface.filter;
    def.is_sensor = surface.is_sensor;
    def.tag = surface.tag;
    if (reader->status == ISO_OK && iso_shape3_def_check(&def) != ISO_OK) {
        iso__scene_invalid(reader, node, rules[word]);
    }
    return def;
}

uint32_t iso__scene_read_shapes3(iso__scene_reader *reader, const iso__scene_node *node, bool is_static) {
    if (!node->is_present) {
        return 0;
    }
    iso_scene *scene = reader->scene;
    const uint32_t count = (uint32_t)iso__scene_array(reader, node, 0, ISO_SCENE_BODY_SHAPES_MAX);
    for (uint32_t i = 0; i < count; ++i) {
        const iso__scene_node item = iso__scene_item(node, i);
        if (!json_object_is_type(item.json, json_type_object)) {
            iso__scene_invalid(reader, &item, "an object");
        }
        const iso__scene_node kind = iso__scene_member(&item, "kind");
        const uint32_t word = iso__scene_word_of(reader, &kind, ISO__SCENE_SHAPES3, ISO__SCENE_SHAPES);
        if (word >= SHAPE_PLANE && !is_static) {
            iso__scene_invalid(reader, &kind,
                               word == SHAPE_PLANE ? "another kind: only static bodies have planes"
                                                   : "another kind: only static bodies have heights");
        }
        const iso_shape3_def def = shape_read(reader, &item, word);
        if (!iso__scene_reserve(reader, (void **)&scene->shapes3, &reader->shape_capacity, scene->shape_count, 1,
                                sizeof def)) {
            return 0;
        }
        scene->shapes3[scene->shape_count++] = def;
    }
    return count;
}
