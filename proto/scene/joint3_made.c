/// The joints of chains and grids in space.
#include <stdio.h>

#include "scene/internal.h"

/// The point half a step before a body: its own, rounded position is taken, so that equal bodies get equal anchors.
static iso_vec3_wide half_step_before(const iso__scene_reader *reader, uint32_t body, iso_vec3_wide step) {
    const iso_vec3_wide half = {step.x / 2, step.y / 2, step.z / 2};
    return iso_vec3_wide_sub(reader->scene->bodies3[body].def.position, iso_vec3_to_wide(iso_vec3_from_wide(half)));
}

static void made_link(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group,
                      const iso__scene_joint3_template *template, uint32_t body_a, uint32_t body_b,
                      iso_vec3_wide point) {
    iso_scene_joint3 joint = {template->def, body_a, body_b, group->element, true, UINT32_MAX};
    iso__scene_joint3_append(reader, node, point, template, &joint);
}

static iso__scene_joint3_template made_template(iso__scene_reader *reader, const iso__scene_node *node) {
    const iso__scene_node kind_node = iso__scene_member(node, "kind");
    const uint8_t kind = kind_node.is_present ? iso__scene_joint3_kind(reader, &kind_node) : (uint8_t)ISO_JOINT3_BALL;
    iso__scene_joint3_template template = {.def = iso_joint3_def_default(kind)};
    const uint32_t has = iso_joint3_kind_has(kind);
    template.measures_length = (has & ISO_JOINT3_HAS_LENGTH) != 0;
    if ((has & ISO_JOINT3_HAS_BODY_A) == 0 || (has & ISO_JOINT3_IS_CUSTOM) != 0) {
        iso__scene_invalid(reader, &kind_node, "a kind of joint between two bodies: not target, user or symbolic");
    }
    char axes[40], parts[ISO__SCENE_JOINT3_KEYS], keys[sizeof axes + sizeof parts + 8];
    iso__scene_joint3_axis_keys(kind, axes, sizeof axes);
    iso__scene_joint3_keys(kind, parts, sizeof parts);
    snprintf(keys, sizeof keys, "kind%s%s", axes, parts);
    if (node->is_present && iso__scene_object(reader, node, keys)) {
        iso__scene_read_joint3_parts(reader, node, &template);
        template.def.frame_a.anchor = iso__scene_vec3_or(reader, node, "anchor_a", ISO__SCENE_ANCHOR_RANGE);
        template.def.frame_b.anchor = iso__scene_vec3_or(reader, node, "anchor_b", ISO__SCENE_ANCHOR_RANGE);
    }
    iso__scene_read_joint3_axes(reader, node, &template);
    return template;
}

/// The body that a chain ends at, which is not one of its own.
static uint32_t made_end(iso__scene_reader *reader, const iso__scene_node *node, uint32_t first, uint32_t last) {
    const uint32_t body = iso__scene_read_body_reference(reader, node);
    if (reader->status == ISO_OK && body >= first && body <= last) {
        iso__scene_invalid(reader, node, "a body that is not of the chain");
    }
    return body;
}

void iso__scene_chain_joints3(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group) {
    const iso__scene_node template_node = iso__scene_member(node, "joint");
    const iso__scene_node from = iso__scene_member(node, "from");
    const iso__scene_node to = iso__scene_member(node, "to");
    const iso__scene_node step_node = iso__scene_member(node, "step");
    const iso_vec3_wide step = iso__scene_vec3_wide(reader, &step_node, ISO__SCENE_POSITION_RANGE);
    const iso__scene_joint3_template link = made_template(reader, &template_node);
    const uint32_t first = group->first_body, last = first + group->columns - 1;
    if (from.is_present) {
        const uint32_t body = made_end(reader, &from, first, last);
        made_link(reader, &from, group, &link, body, first, half_step_before(reader, first, step));
    }
    for (uint32_t body = first + 1; body <= last && reader->status == ISO_OK; ++body) {
        made_link(reader, node, group, &link, body - 1, body, half_step_before(reader, body, step));
    }
    if (to.is_present) {
        const uint32_t body = made_end(reader, &to, first, last);
        const iso_vec3_wide back = {-step.x, -step.y, -step.z};
        made_link(reader, &to, group, &link, last, body, half_step_before(reader, last, back));
    }
}

/// One of the three directions of a grid: the joint between each body and the one before, half a step before it.
typedef struct grid_link {
    bool is_present;
    iso__scene_joint3_template template;
    iso_vec3_wide step; // along this direction alone
} grid_link;

static grid_link grid_read_link(iso__scene_reader *reader, const iso__scene_node *node, const char *key,
                                iso_vec3_wide step) {
    const iso__scene_node member = iso__scene_member(node, key);
    grid_link link = {.is_present = member.is_present, .step = step};
    if (link.is_present) {
        link.template = made_template(reader, &member);
    }
    return link;
}

/// The joints that end at a body: with the one below, with that in the column before, with that in the layer before.
static void grid_join(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group,
                      const grid_link links[3], const uint32_t place[3]) {
    static const uint8_t along[3] = {1, 0, 2}; // the numbers of a place that column, row and layer joints go along
    const uint32_t body = iso__scene_group_body(group, place[0], place[1], place[2]);
    for (int k = 0; k < 3; ++k) {
        uint32_t before[3] = {place[0], place[1], place[2]};
        if (links[k].is_present && before[along[k]] > 0) {
            before[along[k]] -= 1;
            made_link(reader, node, group, &links[k].template,
                      iso__scene_group_body(group, before[0], before[1], before[2]), body,
                      half_step_before(reader, body, links[k].step));
        }
    }
}

void iso__scene_grid_joints3(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group) {
    const iso__scene_node step_node = iso__scene_member(node, "step");
    const iso_vec3_wide step = iso__scene_vec3_wide(reader, &step_node, ISO__SCENE_POSITION_RANGE);
    const grid_link links[3] = {
        grid_read_link(reader, node, "column_joint", (iso_vec3_wide){0, step.y, 0}),
        grid_read_link(reader, node, "row_joint", (iso_vec3_wide){step.x, 0, 0}),
        grid_read_link(reader, node, "layer_joint", (iso_vec3_wide){0, 0, step.z}),
    };
    for (uint32_t column = 0; column < group->columns; ++column) {
        for (uint32_t i = 0; i < group->rows * group->layers && reader->status == ISO_OK; ++i) {
            const uint32_t place[3] = {column, i / group->layers, i % group->layers};
            grid_join(reader, node, group, links, place);
        }
    }
}
