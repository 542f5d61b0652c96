/// Bodies of a scene in space.
#include <string.h>

#include "scene/internal.h"

#define BODY_SPEED_RANGE ISO__SCENE_RANGE(-ISO_SPEED3_MAX_M_S, ISO_SPEED3_MAX_M_S)

#define NUMBER_KEY(name, low, high, otherwise) " " #name
#define SWITCH_KEY(name, bit, key)             " " #key
#define TEMPLATE_KEYS                                                                                     \
    "type position rotation velocity angular_velocity owner tag shapes" ISO_BODY3_NUMBER_LIST(NUMBER_KEY) \
        ISO_BODY3_SWITCH_LIST(SWITCH_KEY) " mass moments"

/// Moments of its own, about the principal axes of the shapes. No body has one that is larger than the others together.
static void body_read_moments(iso__scene_reader *reader, const iso__scene_node *node, iso_wide moments[3]) {
    static const iso__scene_range range = {0, INT64_MAX, true, "a number above 0, below 2^31", false};
    const iso__scene_node member = iso__scene_member(node, "moments");
    if (!member.is_present) {
        return;
    }
    iso__scene_numbers(reader, &member, range, 3, moments);
    if (moments[0] > moments[1] || moments[1] > moments[2] || moments[2] - moments[1] > moments[0]) {
        iso__scene_invalid(reader, &member,
                           "three moments from the smallest to the largest, that at most the sum of the others");
    }
}

/// How the body answers to forces. Mass and moments of its own are kept apart, since they replace those of the shapes.
static void body_read_params(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_template3 *out) {
    iso_body3_params *params = &out->def.params;
#define READ_NUMBER(name, low, high, otherwise) \
    params->name = iso__scene_fix16_or(reader, node, #name, ISO__SCENE_RANGE(low, high), params->name);
#define READ_SWITCH(name, bit, key) params->name = iso__scene_bool_or(reader, node, #key, params->name);
    ISO_BODY3_NUMBER_LIST(READ_NUMBER)
    ISO_BODY3_SWITCH_LIST(READ_SWITCH)
#undef READ_NUMBER
#undef READ_SWITCH
    body_read_moments(reader, node, out->moments);
}

/// Rounded to Q15.16, as all that a scene says of its bodies but for rotations.
static iso_vec3_wide body_read_vector(iso__scene_reader *reader, const iso__scene_node *node, const char *key) {
    return iso_vec3_to_wide(iso__scene_vec3_or(reader, node, key, BODY_SPEED_RANGE));
}

static void body_read(iso__scene_reader *reader, const iso__scene_node *node, const char *keys,
                      iso__scene_template3 *out) {
    memset(out, 0, sizeof *out);
    out->def = iso_body3_def_default();
    if (!iso__scene_object(reader, node, keys)) {
        return;
    }
    const iso__scene_body_base base = iso__scene_read_body_base(reader, node);
    out->def.type = base.type;
    out->def.tag = base.tag;
    out->def.owner = base.owner;
    out->mass = base.mass;
    out->position = iso__scene_vec3_wide_or(reader, node, "position", ISO__SCENE_POSITION_RANGE);
    out->def.rotation = iso__scene_rotation(reader, node);
    out->def.velocity = body_read_vector(reader, node, "velocity");
    out->def.angular_velocity = body_read_vector(reader, node, "angular_velocity");
    body_read_params(reader, node, out);
    const iso__scene_node shapes = iso__scene_member(node, "shapes");
    out->shape_first = reader->scene->shape_count;
    out->shape_count = iso__scene_read_shapes3(reader, &shapes, base.type == ISO_BODY_STATIC);
}

void iso__scene_read_template3(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_template3 *out) {
    body_read(reader, node, TEMPLATE_KEYS, out);
}

void iso__scene_read_member3(iso__scene_reader *reader, const iso__scene_node *bodies, uint32_t index,
                             iso__scene_template3 *out) {
    const iso__scene_node item = iso__scene_item(bodies, index);
    body_read(reader, &item, "name " TEMPLATE_KEYS, out);
    out->name = iso__scene_read_member_name(reader, bodies, index);
}

void iso__scene_append3(iso__scene_reader *reader, const iso__scene_node *step, const iso__scene_group *group,
                        const iso__scene_template3 *template, const uint32_t place[3], iso_vec3_wide offset) {
    iso_scene *scene = reader->scene;
    const iso_vec3_wide p = iso_vec3_wide_add(template->position, offset);
    if (!iso__scene_is_coordinate(p.x) || !iso__scene_is_coordinate(p.y) || !iso__scene_is_coordinate(p.z)) {
        iso__scene_invalid(reader, step, "steps that keep every body within 30000 m of the origin");
    }
    iso_scene_body3 *body = &scene->bodies3[scene->body_count++];
    memset(body, 0, sizeof *body);
    body->def = template->def;
    body->def.position = iso_vec3_to_wide(iso_vec3_from_wide(p));
    body->shape_first = template->shape_first;
    body->shape_count = template->shape_count;
    body->mass = template->mass;
    memcpy(body->moments, template->moments, sizeof body->moments);
    body->element = group->element;
    body->name_offset = iso__scene_group_name(reader, group, template->name, place[0], place[1], place[2]);
    scene->shape_total += template->shape_count;
}

void iso__scene_read_body3(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group) {
    static const uint32_t place[3] = {0, 0, 0};
    iso__scene_template3 template;
    body_read(reader, node, "name " TEMPLATE_KEYS, &template);
    iso__scene_read_single(reader, node, group);
    iso__scene_load load = {0};
    iso__scene_load_add(&load, reader, template.shape_first, template.shape_count, 1);
    if (iso__scene_group_reserve(reader, node, group, &load)) {
        iso__scene_append3(reader, node, group, &template, place, (iso_vec3_wide){0, 0, 0});
    }
}
