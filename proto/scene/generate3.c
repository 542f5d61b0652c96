/// Generators of a scene in space.
#include <stdlib.h>

#include "scene/internal.h"

/// The words of ISO__SCENE_GENERATORS3, in this order.
enum { GENERATE_ROW, GENERATE_CHAIN, GENERATE_GRID, GENERATE_WALL, GENERATE_PYRAMID, GENERATE_RING, GENERATE_COPIES };

/// What a generator makes its bodies from.
typedef struct generated {
    iso__scene_template3 body, half; // half: at the ends of every other row of a wall
    iso_vec3_wide step;
    // Of a ring: how far each body is turned against the one before, about an axis through the centre.
    iso_vec3_wide centre;
    iso_vec3 axis;
    iso_wide angle; // [rad]; 0: no ring
} generated;

// ---- places --------------------------------------------------------------------------------------

/// Quarters of a step along one axis. The product saturates far outside of the world, and so does a quarter of it.
static iso_wide steps(iso_wide step, int64_t quarters) {
    return iso_wide_mul(step, iso_wide_from_int((int32_t)quarters)) / 4;
}

/// How far along a wall a body is, in quarters of a step. Each row is half a body before or behind the one below.
static int64_t wall_quarters(const iso__scene_group *group, uint32_t column, uint32_t row, bool *is_half) {
    *is_half = false;
    if (group->layout == ISO__SCENE_PYRAMID) {
        return 4 * (int64_t)column + 2 * (int64_t)row;
    }
    if (row % 2 == 0) {
        return 4 * (int64_t)column;
    }
    // A half has its middle a quarter behind the wall's end.
    *is_half = column == 0 || column == group->columns;
    return column == 0 ? -1 : 4 * (int64_t)column - (*is_half ? 3 : 2);
}

/// A body of a ring: the template turned about the axis, with its velocities.
static iso__scene_template3 ring_body(const generated *made, uint32_t index) {
    iso__scene_template3 is = made->body;
    const iso_quat turn =
        iso_quat_from_axis_angle(made->axis, iso_wide_mul(made->angle, iso_wide_from_int((int32_t)index)));
    const iso_vec3_wide arm = iso_quat_rotate(turn, iso_vec3_wide_sub(is.position, made->centre));
    is.position = iso_vec3_wide_add(made->centre, arm);
    is.def.rotation = iso_quat_mul(turn, is.def.rotation);
    is.def.velocity = iso_vec3_to_wide(iso_vec3_from_wide(iso_quat_rotate(turn, is.def.velocity)));
    is.def.angular_velocity = iso_vec3_to_wide(iso_vec3_from_wide(iso_quat_rotate(turn, is.def.angular_velocity)));
    return is;
}

/// Appends the body at a place of a group; there is room for it.
static void generate_body(iso__scene_reader *reader, const iso__scene_node *step_node, const iso__scene_group *group,
                          const generated *made, uint32_t column, uint32_t row, uint32_t layer) {
    const uint32_t place[3] = {column, row, layer};
    int64_t quarters[3] = {4 * (int64_t)column, 4 * (int64_t)row, 4 * (int64_t)layer};
    bool is_half = false;
    if (group->layout == ISO__SCENE_ROW || group->layout == ISO__SCENE_CHAIN) {
        quarters[1] = quarters[2] = quarters[0];
    } else if (group->layout == ISO__SCENE_PYRAMID3) {
        quarters[0] += 2 * (int64_t)row;
        quarters[2] += 2 * (int64_t)row;
    } else if (group->layout != ISO__SCENE_GRID3) {
        quarters[0] = quarters[2] = wall_quarters(group, column, row, &is_half);
    }
    const iso_vec3_wide offset = {steps(made->step.x, quarters[0]), steps(made->step.y, quarters[1]),
                                  steps(made->step.z, quarters[2])};
    const iso__scene_template3 turned = made->angle != 0 ? ring_body(made, column) : made->body;
    iso__scene_append3(reader, step_node, group, is_half ? &made->half : &turned, place, offset);
}

/// The bodies of a group in their order.
static void generate_all(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group,
                         const generated *made) {
    const iso__scene_node step = made->angle != 0 ? *node : iso__scene_member(node, "step"); // a ring may have none
    if (group->layout == ISO__SCENE_GRID3) {
        for (uint32_t column = 0; column < group->columns && reader->status == ISO_OK; ++column) {
            for (uint32_t i = 0; i < group->rows * group->layers; ++i) {
                generate_body(reader, &step, group, made, column, i / group->layers, i % group->layers);
            }
        }
        return;
    }
    for (uint32_t row = 0; row < group->rows && reader->status == ISO_OK; ++row) {
        const uint32_t layers = iso__scene_group_layers(group, row);
        for (uint32_t i = 0; i < iso__scene_group_columns(group, row) * layers; ++i) {
            generate_body(reader, &step, group, made, i / layers, row, i % layers);
        }
    }
}

// ---- copies --------------------------------------------------------------------------------------

/// Gives a member of a copy shapes of its own, whose filter groups are those of the first copy and `by` more.
static void copy_shapes(iso__scene_reader *reader, const iso__scene_node *node, int64_t by,
                        iso__scene_template3 *member) {
    iso_scene *scene = reader->scene;
    if (!iso__scene_reserve(reader, (void **)&scene->shapes3, &reader->shape_capacity, scene->shape_count,
                            member->shape_count, sizeof *scene->shapes3)) {
        return;
    }
    const uint32_t first = scene->shape_count;
    for (uint32_t i = 0; i < member->shape_count; ++i) {
        iso_shape3_def *def = &scene->shapes3[scene->shape_count++];
        *def = scene->shapes3[member->shape_first + i];
        def->filter.group = iso__scene_filter_group(reader, node, def->filter.group, by);
    }
    member->shape_first = first;
}

iso_vec3_wide iso__scene_copy_offset3(iso__scene_reader *reader, const iso__scene_node *node, uint32_t column,
                                      uint32_t row) {
    const iso__scene_node step_node = iso__scene_member(node, "step");
    const iso_vec3_wide step = iso__scene_vec3_wide(reader, &step_node, ISO__SCENE_POSITION_RANGE);
    const iso_vec3_wide row_step = iso__scene_vec3_wide_or(reader, node, "row_step", ISO__SCENE_POSITION_RANGE);
    const iso_wide columns = iso_wide_from_int((int32_t)column), rows = iso_wide_from_int((int32_t)row);
    return iso_vec3_wide_add(iso_vec3_wide_scale(step, columns), iso_vec3_wide_scale(row_step, rows));
}

static void copies_expand(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group,
                          const iso__scene_template3 *members) {
    const iso__scene_node step_node = iso__scene_member(node, "step");
    const iso__scene_node group_step = iso__scene_member(node, "group_step");
    const int64_t by = group_step.is_present ? iso__scene_int32(reader, &group_step) : 0;
    iso__scene_load load = {0};
    for (uint32_t i = 0; i < group->members; ++i) {
        iso__scene_load_add(&load, reader, members[i].shape_first, members[i].shape_count,
                            (uint64_t)group->columns * group->rows);
    }
    if (!iso__scene_group_reserve(reader, node, group, &load)) {
        return;
    }
    for (uint32_t copy = 0; copy < group->columns * group->rows && reader->status == ISO_OK; ++copy) {
        const uint32_t place[3] = {copy % group->columns, copy / group->columns, 0};
        const iso_vec3_wide offset = iso__scene_copy_offset3(reader, node, place[0], place[1]);
        for (uint32_t i = 0; i < group->members; ++i) {
            iso__scene_template3 member = members[i];
            if (copy > 0 && by != 0) {
                copy_shapes(reader, &group_step, copy * by, &member);
            }
            iso__scene_append3(reader, &step_node, group, &member, place, offset);
        }
    }
}

static void copies_read(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group) {
    const iso__scene_node bodies = iso__scene_member(node, "bodies");
    iso__scene_read_copies(reader, node, "generator name columns rows step row_step group_step bodies joints", group);
    iso__scene_template3 *members = calloc(group->members + 1, sizeof *members);
    if (members == NULL) {
        iso__scene_out_of_memory(reader);
        return;
    }
    for (uint32_t i = 0; i < group->members && reader->status == ISO_OK; ++i) {
        iso__scene_read_member3(reader, &bodies, i, &members[i]);
    }
    copies_expand(reader, node, group, members);
    free(members);
}

// ---- generators ----------------------------------------------------------------------------------

/// Without halves each row of a wall is a body shorter than the one below, or its ends would hang over.
static void wall_read(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group,
                      generated *made) {
    const iso__scene_node half = iso__scene_member(node, "half");
    const iso__scene_node rows = iso__scene_member(node, "rows");
    const iso__scene_node position = iso__scene_member(&half, "position");
    if (!half.is_present) {
        group->layout = ISO__SCENE_PYRAMID;
        if (group->rows > group->columns) {
            iso__scene_invalid(reader, &rows, "at most as many rows as columns, or a \"half\" for the ends of rows");
        }
        return;
    }
    if (position.is_present) {
        iso__scene_invalid(reader, &position, "nothing: halves are where the ends of the rows are");
    }
    iso__scene_read_template3(reader, &half, &made->half);
    made->half.position = made->body.position;
}

/// The axis points upwards, and bodies stay at their height, if nothing else is said.
static void ring_read(iso__scene_reader *reader, const iso__scene_node *node, generated *made) {
    const iso__scene_node axis = iso__scene_member(node, "axis");
    const iso__scene_node angle = iso__scene_member(node, "angle");
    made->centre = iso__scene_vec3_wide_or(reader, node, "centre", ISO__SCENE_POSITION_RANGE);
    made->axis = axis.is_present ? iso__scene_direction(reader, &axis) : (iso_vec3){0, ISO_FIX16_ONE, 0};
    made->angle = iso__scene_wide(reader, &angle, ISO__SCENE_RANGE(-32767, 32767));
}

static iso__scene_load generate_load(const iso__scene_reader *reader, const iso__scene_group *group,
                                     const generated *made) {
    const iso__scene_template3 *body = &made->body, *half = &made->half;
    const uint64_t halves = group->layout == ISO__SCENE_BOND ? group->rows / 2 * 2 : 0;
    iso__scene_load load = {0};
    iso__scene_load_add(&load, reader, body->shape_first, body->shape_count, iso__scene_group_count(group) - halves);
    iso__scene_load_add(&load, reader, half->shape_first, half->shape_count, halves);
    return load;
}

void iso__scene_read_generator3(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group) {
    static const struct {
        const char *keys, *columns;
        iso__scene_layout layout;
    } kinds[] = {
        {"generator name count step body", "count", ISO__SCENE_ROW},
        {"generator name count step body joint from to", "count", ISO__SCENE_CHAIN},
        {"generator name columns rows layers step body column_joint row_joint layer_joint", "columns",
         ISO__SCENE_GRID3},
        {"generator name columns rows step body half", "columns", ISO__SCENE_BOND},
        {"generator name rows step body", "rows", ISO__SCENE_PYRAMID3},
        {"generator name count centre axis angle step body", "count", ISO__SCENE_ROW},
    };
    const iso__scene_node kind = iso__scene_member(node, "generator");
    const uint32_t word = iso__scene_word_of(reader, &kind, ISO__SCENE_GENERATORS3, ISO__SCENE_GENERATORS);
    if (word == GENERATE_COPIES) {
        copies_read(reader, node, group);
        return;
    }
    if (!iso__scene_object(reader, node, kinds[word].keys)) {
        return;
    }
    const iso__scene_node name = iso__scene_member(node, "name");
    const iso__scene_node step = iso__scene_member(node, "step");
    const iso__scene_node body = iso__scene_member(node, "body");
    group->layout = kinds[word].layout;
    group->name = iso__scene_name(reader, &name);
    group->columns = iso__scene_group_number(reader, node, kinds[word].columns);
    const bool is_line = word <= GENERATE_CHAIN || word == GENERATE_RING;
    group->rows = is_line ? 1 : iso__scene_group_number(reader, node, "rows");
    group->layers = word == GENERATE_GRID ? iso__scene_group_number(reader, node, "layers") : 1;
    generated made = {.angle = 0};
    if (step.is_present || word != GENERATE_RING) {
        made.step = iso__scene_vec3_wide(reader, &step, ISO__SCENE_POSITION_RANGE);
    }
    iso__scene_read_template3(reader, &body, &made.body);
    if (word == GENERATE_RING) {
        ring_read(reader, node, &made);
    }
    if (word == GENERATE_WALL) {
        wall_read(reader, node, group, &made);
    }
    const iso__scene_load load = generate_load(reader, group, &made);
    if (iso__scene_group_reserve(reader, node, group, &load)) {
        generate_all(reader, node, group, &made);
    }
}
