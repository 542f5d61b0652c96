/// Joints of a scene in space: their kinds, bodies, anchors and axes, and what follows from the bodies' places.
#include <stdio.h>
#include <string.h>

#include "scene/internal.h"

#define WORLD_NAME "world" // of the body that stands for it

static const iso_body3_def *joint_body(const iso__scene_reader *reader, uint32_t index) {
    return &reader->scene->bodies3[index].def;
}

/// A kind with a swing takes an axis for it, and has none otherwise.
static bool kind_takes_axis(uint8_t kind) {
    return (iso_joint3_kind_has(kind) & ISO_JOINT3_HAS_AXIS) != 0 ||
           iso_joint3_axis_of(kind, 0) == ISO_JOINT3_AXIS_SWING;
}

// ---- kinds ---------------------------------------------------------------------------------------

/// What other engines, papers and the plane call our kinds, with what makes them so here.
static const char *const kind_aliases[][2] = {
    {"spherical", "\"ball\", as spherical joints are called here"},
    {"point", "\"ball\", as point joints are called here"},
    {"cone", "\"ball\" with a limit of its \"swing\", as cones are called here"},
    {"swing_twist", "\"ball\" with limits of its \"swing\" and \"twist\", as swing-twist joints are called here"},
    {"revolute", "\"hinge\", as revolutes are called in space"},
    {"weld", "\"fixed\", as welds are called in space"},
    {"prismatic", "\"slider\", as prismatic joints are called in space"},
    {"wheel", "\"hinge2\", as wheels are called in space"},
    {"cardan", "\"universal\", as cardan joints are called here"},
    {"rod", "\"distance\", as rods are called here"},
    {"rope", "\"distance\" with a \"limit\", as ropes are called here"},
    {"piston", "\"cylindrical\", as pistons are called here"},
};

#define JOINT_NUMBER(name, number, snake, linear, angular, axis0, axis1, axis2, has) number,

uint8_t iso__scene_joint3_kind(iso__scene_reader *reader, const iso__scene_node *node) {
    static const uint8_t kinds[] = {ISO_JOINT3_KIND_LIST(JOINT_NUMBER) ISO_JOINT3_CUSTOM_LIST(JOINT_NUMBER)};
    iso__scene_refuse_name(reader, node, kind_aliases, sizeof kind_aliases / sizeof *kind_aliases);
    return kinds[iso__scene_word_of(reader, node, ISO__SCENE_JOINTS3, ISO__SCENE_JOINTS)];
}

// ---- bodies --------------------------------------------------------------------------------------

/// The body that stands for the world: static, at the origin, without shapes, after all others. It is made when a joint
/// needs it first.
static uint32_t joint_world_body(iso__scene_reader *reader, const iso__scene_node *node) {
    iso_scene *scene = reader->scene;
    if (reader->status != ISO_OK || reader->world_body != 0) {
        return reader->status == ISO_OK ? reader->world_body - 1 : 0;
    }
    if (iso_scene_body_find(scene, WORLD_NAME) != UINT32_MAX) {
        iso__scene_invalid(
            reader, node,
            "the name of a body: without it the joint is to the world, but a body has the name \"world\"");
        return 0;
    }
    if (scene->body_count >= scene->def.body_capacity) {
        char expected[128];
        snprintf(expected, sizeof expected,
                 "a body, or at most %u of them in all (/capacities/bodies), with one for the world",
                 scene->def.body_capacity);
        iso__scene_invalid(reader, node, expected);
        return 0;
    }
    if (!iso__scene_reserve(reader, (void **)&scene->bodies3, &reader->body_capacity, scene->body_count, 1,
                            sizeof *scene->bodies3) ||
        !iso__scene_reserve(reader, (void **)&scene->names, &reader->names_capacity, reader->names_size,
                            sizeof WORLD_NAME, 1)) {
        return 0;
    }
    iso_scene_body3 *body = &scene->bodies3[scene->body_count++];
    memset(body, 0, sizeof *body);
    body->def = iso_body3_def_default();
    body->def.type = ISO_BODY_STATIC;
    body->name_offset = reader->names_size;
    memcpy(scene->names + reader->names_size, WORLD_NAME, sizeof WORLD_NAME);
    reader->names_size += (uint32_t)sizeof WORLD_NAME;
    reader->world_body = scene->body_count;
    return scene->body_count - 1;
}

/// Reads two bodies, which must differ.
static void joint_read_pair(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint3 *joint) {
    const iso__scene_node body_a = iso__scene_member(node, "body_a");
    const iso__scene_node body_b = iso__scene_member(node, "body_b");
    joint->body_b = iso__scene_read_body_reference(reader, &body_b);
    joint->body_a =
        body_a.is_present ? iso__scene_read_body_reference(reader, &body_a) : joint_world_body(reader, &body_a);
    if (reader->status == ISO_OK && joint->body_a == joint->body_b) {
        iso__scene_invalid(reader, &body_b, "another body than body_a");
    }
}

// ---- places --------------------------------------------------------------------------------------

/// A point of the world, moved with the copy that it belongs to, rounded to Q15.16.
static iso_vec3_wide joint_read_point(iso__scene_reader *reader, const iso__scene_node *node) {
    const iso_vec3_wide first = iso__scene_vec3_wide(reader, node, ISO__SCENE_POSITION_RANGE);
    const iso_vec3_wide p = iso_vec3_wide_add(first, reader->copy_offset3);
    if (!iso__scene_is_coordinate(p.x) || !iso__scene_is_coordinate(p.y) || !iso__scene_is_coordinate(p.z)) {
        iso__scene_invalid(reader, node, "a point that is within 30000 m of the origin in every copy");
    }
    return iso_vec3_to_wide(iso_vec3_from_wide(p));
}

void iso__scene_read_joint3_axes(iso__scene_reader *reader, const iso__scene_node *node,
                                 iso__scene_joint3_template *template) {
    const iso__scene_node axis = iso__scene_member(node, "axis");
    const iso__scene_node axis_b = iso__scene_member(node, "axis_b");
    const uint32_t has = iso_joint3_kind_has(template->def.kind);
    if ((has & ISO_JOINT3_HAS_AXIS) != 0 || (axis.is_present && kind_takes_axis(template->def.kind))) {
        template->axis = iso__scene_direction(reader, &axis);
    }
    if ((has & ISO_JOINT3_HAS_SECOND) == 0) {
        return;
    }
    if ((has & ISO_JOINT3_HAS_RATIO) != 0 && !axis_b.is_present) {
        return; // it is along `axis`
    }
    template->axis_b = iso__scene_direction(reader, &axis_b);
    if ((has & ISO_JOINT3_HAS_AXES_ANGLE) == 0) {
        return;
    }
    // Of two bodies at one place alone the axes can be wrong.
    const iso_body3_def body = iso_body3_def_default();
    iso_joint3_def def = template->def;
    if (iso_joint3_def_at(&body, &body, body.position, template->axis, template->axis_b, &def) != ISO_OK) {
        iso__scene_invalid(reader, &axis_b, "a direction at 0.2 to 2.9 rad to \"axis\"");
    }
}

static iso_vec3_wide joint_anchor_place(const iso_body3_def *body, iso_vec3 anchor) {
    return iso_vec3_wide_add(body->position, iso_quat_rotate(body->rotation, iso_vec3_to_wide(anchor)));
}

/// The length between the anchors that the bodies' places give.
static fix16_t joint_measure(iso__scene_reader *reader, const iso__scene_node *node, const iso_scene_joint3 *joint) {
    const iso_vec3_wide a = joint_anchor_place(joint_body(reader, joint->body_a), joint->def.frame_a.anchor);
    const iso_vec3_wide b = joint_anchor_place(joint_body(reader, joint->body_b), joint->def.frame_b.anchor);
    const iso_wide length = iso_vec3_wide_distance(a, b);
    if (length > 32767 * ISO_WIDE_ONE) {
        iso__scene_invalid(reader, node, "a \"length\", or bodies whose places give one from 0 to 32767 m");
        return 0;
    }
    return iso_fix16_from_wide(length);
}

/// The frames of a joint that has axes or a point.
static void joint_place(iso__scene_reader *reader, const iso__scene_node *node, iso_vec3_wide point,
                        const iso__scene_joint3_template *template, iso_scene_joint3 *joint) {
    // Anchors that hold nothing are the origins, which may be far apart: the rotations are as of bodies at one place.
    const bool has_point = (iso_joint3_kind_has(joint->def.kind) & ISO_JOINT3_HAS_POINT) != 0;
    iso_body3_def a = *joint_body(reader, joint->body_a), b = *joint_body(reader, joint->body_b);
    if (!has_point) {
        a.position = b.position = point;
    }
    if (iso_joint3_def_at(&a, &b, point, template->axis, template->axis_b, &joint->def) != ISO_OK) {
        const iso__scene_node at = iso__scene_member(node, "at");
        iso__scene_invalid(
            reader, at.is_present ? &at : node,
            joint->body_a + 1 == reader->world_body
                ? "a point within 60 m of the body's origin, and of the world's: farther from it the joint "
                  "needs a static body there"
                : "a point within 60 m of both bodies' origins");
    }
}

void iso__scene_joint3_append(iso__scene_reader *reader, const iso__scene_node *node, iso_vec3_wide point,
                              const iso__scene_joint3_template *template, iso_scene_joint3 *joint) {
    if (reader->status != ISO_OK) {
        return;
    }
    if ((iso_joint3_kind_has(joint->def.kind) & (ISO_JOINT3_HAS_POINT | ISO_JOINT3_HAS_AXIS)) != 0) {
        joint_place(reader, node, point, template, joint);
    }
    if (template->measures_length) {
        joint->def.axes[0].rest = joint_measure(reader, node, joint);
    }
    if (iso__scene_joint_reserve(reader, node)) {
        reader->scene->joints3[reader->scene->joint_count++] = *joint;
    }
}

// ---- the list ------------------------------------------------------------------------------------

void iso__scene_joint3_axis_keys(uint8_t kind, char *keys, size_t size) {
    const uint32_t has = iso_joint3_kind_has(kind);
    snprintf(keys, size, "%s%s%s", (has & ISO_JOINT3_HAS_LENGTH) != 0 ? " anchor_a anchor_b" : "",
             kind_takes_axis(kind) ? " axis" : "", (has & ISO_JOINT3_HAS_SECOND) != 0 ? " axis_b" : "");
}

static void joint_read_target(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint3 *joint) {
    const iso__scene_node body_b = iso__scene_member(node, "body_b");
    const iso__scene_node target = iso__scene_member(node, "target");
    joint->body_b = iso__scene_read_body_reference(reader, &body_b);
    if (reader->status == ISO_OK && joint_body(reader, joint->body_b)->type != ISO_BODY_DYNAMIC) {
        iso__scene_invalid(reader, &body_b, "the name of a dynamic body");
    }
    joint->def.target = joint_read_point(reader, &target);
}

void iso__scene_read_joint3(iso__scene_reader *reader, const iso__scene_node *node, uint32_t element, bool generated) {
    if (!json_object_is_type(node->json, json_type_object)) {
        iso__scene_invalid(reader, node, "an object");
        return;
    }
    const iso__scene_node kind_node = iso__scene_member(node, "kind");
    const uint8_t kind = iso__scene_joint3_kind(reader, &kind_node);
    const uint32_t has = iso_joint3_kind_has(kind);
    const bool has_point = (has & ISO_JOINT3_HAS_POINT) != 0;
    char axes[40], parts[ISO__SCENE_JOINT3_KEYS], keys[sizeof axes + sizeof parts + 64];
    iso__scene_joint3_axis_keys(kind, axes, sizeof axes);
    iso__scene_joint3_keys(kind, parts, sizeof parts);
    snprintf(keys, sizeof keys, "name kind %s%s%s%s",
             (has & ISO_JOINT3_HAS_TARGET) != 0  ? "body_b anchor_b target"
             : (has & ISO_JOINT3_IS_CUSTOM) != 0 ? "constraint bodies vectors scalars"
                                                 : "body_a body_b",
             has_point ? " at" : "", axes, parts);
    if (!iso__scene_object(reader, node, keys)) {
        return;
    }
    iso__scene_joint3_template template = {.def = iso_joint3_def_default(kind)};
    iso__scene_read_joint3_parts(reader, node, &template);
    iso__scene_read_joint3_axes(reader, node, &template);
    iso_scene_joint3 joint = {template.def, UINT32_MAX, 0, element, generated, UINT32_MAX};
    joint.name_offset = iso__scene_read_joint_name(reader, node);
    joint.def.frame_a.anchor = iso__scene_vec3_or(reader, node, "anchor_a", ISO__SCENE_ANCHOR_RANGE);
    joint.def.frame_b.anchor = iso__scene_vec3_or(reader, node, "anchor_b", ISO__SCENE_ANCHOR_RANGE);
    iso_vec3_wide point = {0, 0, 0};
    if ((has & ISO_JOINT3_HAS_TARGET) != 0) {
        joint_read_target(reader, node, &joint);
    } else if ((has & ISO_JOINT3_IS_CUSTOM) != 0) {
        iso__scene_read_custom3(reader, node, &joint);
    } else {
        joint_read_pair(reader, node, &joint);
    }
    if (has_point) {
        const iso__scene_node at = iso__scene_member(node, "at");
        point = joint_read_point(reader, &at);
    }
    iso__scene_joint3_append(reader, node, point, &template, &joint);
}
