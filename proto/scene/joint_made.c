/// Joints that the generators of a scene make.
#include <stdio.h>

#include "scene/internal.h"

/// The point half a step before a body of a generator: half * step away from its position.
/// The body's own, rounded position is taken, so that equal bodies get equal anchors.
static iso_vec2 half_step_before(const iso__scene_reader *reader, uint32_t body, iso_wide step_x, iso_wide step_y) {
    const iso_vec2 position = iso_vec2_from_wide(reader->scene->bodies[body].def.position);
    const fix16_t x = iso_fix16_from_wide(step_x / 2);
    const fix16_t y = iso_fix16_from_wide(step_y / 2);
    return (iso_vec2){iso_fix16_ssub(position.x, x), iso_fix16_ssub(position.y, y)};
}

/// Appends a joint between two bodies; what has a point or an axis gets it at a point of the world.
static void made_link(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group,
                      const iso__scene_joint_template *template, uint32_t body_a, uint32_t body_b, iso_vec2 point) {
    if (reader->status != ISO_OK) {
        return;
    }
    iso_scene_joint joint = {template->def, body_a, body_b, UINT32_MAX, UINT32_MAX, group->element, true, UINT32_MAX};
    if ((iso_joint_kind_has(joint.def.kind) & (ISO_JOINT_HAS_POINT | ISO_JOINT_HAS_AXIS)) != 0) {
        iso__scene_joint_at(reader, node, point, &joint);
    }
    iso__scene_joint_append(reader, node, template, &joint);
}

static iso__scene_joint_template made_template(iso__scene_reader *reader, const iso__scene_node *node) {
    iso__scene_joint_template template = {iso_joint_def_default(), false, false};
    const iso__scene_node kind = iso__scene_member(node, "kind");
    template.def.kind = kind.is_present ? iso__scene_joint_kind(reader, &kind) : (uint8_t)ISO_JOINT_REVOLUTE;
    const uint32_t has = iso_joint_kind_has(template.def.kind);
    if ((has & ISO_JOINT_HAS_BODY_A) == 0 || (has & (ISO_JOINT_HAS_BODIES_CD | ISO_JOINT_IS_CUSTOM)) != 0) {
        iso__scene_invalid(reader, &kind, "a kind of joint between two bodies");
    }
    const bool has_length = (has & ISO_JOINT_HAS_LENGTH) != 0;
    char parts[ISO__SCENE_JOINT_KEYS], keys[ISO__SCENE_JOINT_KEYS + 40];
    iso__scene_joint_keys(has, parts, sizeof parts);
    snprintf(keys, sizeof keys, "kind%s%s", has_length ? " anchor_a anchor_b" : "", parts);
    if (node->is_present && iso__scene_object(reader, node, keys)) {
        iso__scene_read_joint_parts(reader, node, &template);
        template.def.anchor_a =
            iso__scene_vec2_or(reader, node, "anchor_a", ISO__SCENE_ANCHOR_RANGE, template.def.anchor_a);
        template.def.anchor_b =
            iso__scene_vec2_or(reader, node, "anchor_b", ISO__SCENE_ANCHOR_RANGE, template.def.anchor_b);
    }
    return template;
}

static void made_chain(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group) {
    const iso__scene_node template = iso__scene_member(node, "joint");
    const iso__scene_node from = iso__scene_member(node, "from");
    const iso__scene_node to = iso__scene_member(node, "to");
    const iso__scene_node step_node = iso__scene_member(node, "step");
    const iso_vec2_wide step = iso__scene_vec2_wide(reader, &step_node, ISO__SCENE_POSITION_RANGE);
    const iso__scene_joint_template link = made_template(reader, &template);
    const uint32_t last = group->columns - 1;
    if (from.is_present) {
        const uint32_t body = iso__scene_read_body_reference(reader, &from);
        const uint32_t first = group->first_body;
        const iso_vec2 point = half_step_before(reader, first, step.x, step.y);
        made_link(reader, &from, group, &link, body, first, point);
    }
    for (uint32_t i = 1; i <= last && reader->status == ISO_OK; ++i) {
        const uint32_t body = group->first_body + i;
        const iso_vec2 point = half_step_before(reader, body, step.x, step.y);
        made_link(reader, node, group, &link, body - 1, body, point);
    }
    if (to.is_present) {
        const uint32_t body = iso__scene_read_body_reference(reader, &to);
        const uint32_t end = group->first_body + last;
        const iso_vec2 point = half_step_before(reader, end, -step.x, -step.y);
        made_link(reader, &to, group, &link, end, body, point);
    }
}

static void made_grid(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group) {
    const iso__scene_node column_node = iso__scene_member(node, "column_joint");
    const iso__scene_node row_node = iso__scene_member(node, "row_joint");
    const iso__scene_node step_node = iso__scene_member(node, "step");
    const iso_vec2_wide step = iso__scene_vec2_wide(reader, &step_node, ISO__SCENE_POSITION_RANGE);
    const iso__scene_joint_template column_link = made_template(reader, &column_node);
    const iso__scene_joint_template row_link = made_template(reader, &row_node);
    for (uint32_t column = 0; column < group->columns && reader->status == ISO_OK; ++column) {
        for (uint32_t row = 0; row < group->rows; ++row) {
            const uint32_t body = iso__scene_group_body(group, column, row, 0);
            if (column_node.is_present && row > 0) {
                const iso_vec2 point = half_step_before(reader, body, 0, step.y);
                made_link(reader, node, group, &column_link, body - 1, body, point);
            }
            if (row_node.is_present && column > 0) {
                const iso_vec2 point = half_step_before(reader, body, step.x, 0);
                made_link(reader, node, group, &row_link, iso__scene_group_body(group, column - 1, row, 0), body,
                          point);
            }
        }
    }
}

/// The joints of what is copied, copy by copy.
static void made_copies(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group) {
    const iso__scene_node joints = iso__scene_member(node, "joints");
    const size_t count = joints.is_present ? iso__scene_array(reader, &joints, 0, SIZE_MAX) : 0;
    const bool in_space = iso__scene_is_space(reader);
    reader->copy_count = group->members;
    if (count > 0 && iso__scene_work_copies(reader, &joints, group)) {
        iso__scene_check_joint_names(reader, &joints);
    }
    for (uint32_t copy = 0; copy < group->columns * group->rows && reader->status == ISO_OK && count > 0; ++copy) {
        const uint32_t column = copy % group->columns, row = copy / group->columns;
        reader->copy_first = iso__scene_group_body(group, column, row, 0);
        if (in_space) {
            reader->copy_offset3 = iso__scene_copy_offset3(reader, node, column, row);
        } else {
            reader->copy_offset = iso__scene_copy_offset(reader, node, column, row);
        }
        snprintf(reader->copy_prefix, sizeof reader->copy_prefix, "%s[%u,%u].", group->name, column, row);
        for (size_t i = 0; i < count && reader->status == ISO_OK; ++i) {
            const iso__scene_node item = iso__scene_item(&joints, i);
            (in_space ? iso__scene_read_joint3 : iso__scene_read_joint)(reader, &item, group->element, true);
        }
    }
    reader->copy_count = 0;
    reader->copy_offset = (iso_vec2_wide){0, 0};
    reader->copy_offset3 = (iso_vec3_wide){0, 0, 0};
    reader->copy_prefix[0] = 0;
}

void iso__scene_generate_joints(iso__scene_reader *reader, const iso__scene_node *bodies) {
    for (uint32_t i = 0; i < reader->group_count && reader->status == ISO_OK; ++i) {
        const iso__scene_group *group = &reader->groups[i];
        const iso__scene_node node = iso__scene_item(bodies, group->element);
        if (group->layout == ISO__SCENE_CHAIN) {
            (iso__scene_is_space(reader) ? iso__scene_chain_joints3 : made_chain)(reader, &node, group);
        } else if (group->layout == ISO__SCENE_GRID) {
            made_grid(reader, &node, group);
        } else if (group->layout == ISO__SCENE_GRID3) {
            iso__scene_grid_joints3(reader, &node, group);
        } else if (group->layout == ISO__SCENE_COPIES) {
            made_copies(reader, &node, group);
        }
        iso__scene_recover(reader);
    }
}
