/// Bodies of a scene in the plane: written out, or made by a generator from a template.
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"

#define BODY_SPEED_RANGE ISO__SCENE_RANGE(-ISO_SPEED_MAX_M_S, ISO_SPEED_MAX_M_S)

/// What the bodies of one element have in common. Position and step keep their full width, so that the
/// position of a generated body is rounded once, however far it is from the first.
typedef struct body_template {
    iso_body_def def;
    iso_vec2_wide position;
    iso_vec2_wide step;
    iso_wide mass, inertia;
    uint32_t shape_first, shape_count;
    const char *name; // of a copy's member
} body_template;

/// Where a body of a group is.
typedef struct body_place {
    uint32_t column, row;
    iso_vec2_wide offset; // from the template's position
} body_place;

/// The keys of body_read_params.
#define NUMBER_KEY(name, low, high, otherwise) " " #name
#define SWITCH_KEY(name, bit, key)             " " #key
#define BODY_PARAM_KEYS                        ISO_BODY_NUMBER_LIST(NUMBER_KEY) ISO_BODY_SWITCH_LIST(SWITCH_KEY) " mass inertia"

/// How the body answers to forces. An inertia of its own is kept apart, as a mass is, since it judges the shapes'
/// radius.
static void body_read_params(iso__scene_reader *reader, const iso__scene_node *node, body_template *out) {
    static const iso__scene_range inertia = {0, INT64_MAX, true, "a number above 0, below 2^31", false};
    iso_body_params *params = &out->def.params;
#define READ_NUMBER(name, low, high, otherwise) \
    params->name = iso__scene_fix16_or(reader, node, #name, ISO__SCENE_RANGE(low, high), params->name);
#define READ_SWITCH(name, bit, key) params->name = iso__scene_bool_or(reader, node, #key, params->name);
    ISO_BODY_NUMBER_LIST(READ_NUMBER)
    ISO_BODY_SWITCH_LIST(READ_SWITCH)
#undef READ_NUMBER
#undef READ_SWITCH
    const iso__scene_node own_inertia = iso__scene_member(node, "inertia");
    out->inertia = own_inertia.is_present ? iso__scene_wide(reader, &own_inertia, inertia) : 0;
}

/// A number of a body in the world, or 0; rounded to Q15.16, as all that a scene says of its bodies.
static iso_wide body_read_number(iso__scene_reader *reader, const iso__scene_node *node, const char *key,
                                 iso__scene_range range) {
    return iso_wide_from_fix16(iso__scene_fix16_or(reader, node, key, range, 0));
}

/// Reads what a body and a generator's "body" share.
static void body_read_template(iso__scene_reader *reader, const iso__scene_node *node, const char *keys,
                               body_template *out) {
    memset(out, 0, sizeof *out);
    out->def = iso_body_def_default();
    if (!iso__scene_object(reader, node, keys)) {
        return;
    }
    const iso__scene_body_base base = iso__scene_read_body_base(reader, node);
    out->def.type = base.type;
    out->def.tag = base.tag;
    out->def.owner = base.owner;
    out->mass = base.mass;
    const iso__scene_node position = iso__scene_member(node, "position");
    if (position.is_present) {
        out->position = iso__scene_vec2_wide(reader, &position, ISO__SCENE_POSITION_RANGE);
    }
    out->def.angle = body_read_number(reader, node, "angle", ISO__SCENE_VALUE_RANGE);
    out->def.velocity =
        iso_vec2_to_wide(iso__scene_vec2_or(reader, node, "velocity", BODY_SPEED_RANGE, (iso_vec2){0, 0}));
    out->def.angular_velocity = body_read_number(reader, node, "angular_velocity", BODY_SPEED_RANGE);
    body_read_params(reader, node, out);
    const iso__scene_node shapes = iso__scene_member(node, "shapes");
    out->shape_first = reader->scene->shape_count;
    out->shape_count = iso__scene_read_shapes(reader, &shapes);
}

// ---- expansion -----------------------------------------------------------------------------------

static bool group_is_line(const iso__scene_group *group) {
    return group->layout == ISO__SCENE_ROW || group->layout == ISO__SCENE_CHAIN;
}

/// The place of a body that stands `halves` half steps from the first one, in x, and whole steps in y.
static body_place place_of(const body_template *template, uint32_t column, uint32_t row, uint32_t halves) {
    // The products saturate far outside of the world, and so does half of them.
    const iso_wide x = iso_wide_mul(template->step.x, iso_wide_from_int((int32_t)halves)) / 2;
    const iso_wide y = iso_wide_mul(template->step.y, iso_wide_from_int((int32_t)row));
    return (body_place){column, row, {x, y}};
}

/// Appends one body; there is room for it.
static void body_append(iso__scene_reader *reader, const iso__scene_node *step_node, const iso__scene_group *group,
                        const body_template *template, body_place place) {
    iso_scene *scene = reader->scene;
    const iso_wide x = iso_wide_add(template->position.x, place.offset.x);
    const iso_wide y = iso_wide_add(template->position.y, place.offset.y);
    if (!iso__scene_is_coordinate(x) || !iso__scene_is_coordinate(y)) {
        iso__scene_invalid(reader, step_node, "steps that keep every body within 30000 m of the origin");
    }
    iso_scene_body *body = &scene->bodies[scene->body_count++];
    memset(body, 0, sizeof *body);
    body->def = template->def;
    body->def.position = iso_vec2_to_wide(iso_vec2_from_wide((iso_vec2_wide){x, y}));
    body->shape_first = template->shape_first;
    body->shape_count = template->shape_count;
    body->mass = template->mass;
    body->inertia = template->inertia;
    body->element = group->element;
    body->name_offset = iso__scene_group_name(reader, group, template->name, place.column, place.row, 0);
    scene->shape_total += template->shape_count;
}

static iso__scene_load body_load(const iso__scene_reader *reader, const body_template *template, uint64_t times) {
    iso__scene_load load = {0};
    iso__scene_load_add(&load, reader, template->shape_first, template->shape_count, times);
    return load;
}

static void group_expand(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group,
                         const body_template *template) {
    const iso__scene_load load = body_load(reader, template, iso__scene_group_count(group));
    if (!iso__scene_group_reserve(reader, node, group, &load)) {
        return;
    }
    const iso__scene_node step = iso__scene_member(node, "step");
    if (group->layout == ISO__SCENE_PYRAMID) {
        for (uint32_t row = 0; row < group->rows && reader->status == ISO_OK; ++row) {
            for (uint32_t column = 0; column < group->rows - row; ++column) {
                body_append(reader, &step, group, template, place_of(template, column, row, 2 * column + row));
            }
        }
        return;
    }
    for (uint32_t column = 0; column < group->columns && reader->status == ISO_OK; ++column) {
        for (uint32_t row = 0; row < group->rows; ++row) {
            body_append(reader, &step, group, template, place_of(template, column, row, 2 * column));
        }
    }
}

/// In a row or chain the step leads from each body to the next in both directions.
static void row_expand(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group,
                       const body_template *template) {
    const iso__scene_load load = body_load(reader, template, iso__scene_group_count(group));
    if (!iso__scene_group_reserve(reader, node, group, &load)) {
        return;
    }
    const iso__scene_node step = iso__scene_member(node, "step");
    for (uint32_t i = 0; i < group->columns && reader->status == ISO_OK; ++i) {
        body_append(reader, &step, group, template, place_of(template, i, i, 2 * i));
    }
}

// ---- generators ----------------------------------------------------------------------------------

#define TEMPLATE_KEYS "type position angle velocity angular_velocity owner tag shapes" BODY_PARAM_KEYS
static const char *const template_keys = TEMPLATE_KEYS;
static const char *const body_keys = "name " TEMPLATE_KEYS;

/// Makes those bodies of a grid static that stand in the rectangles of the list.
static void grid_fix(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group) {
    const iso__scene_node list = iso__scene_member(node, "static");
    const size_t count = list.is_present ? iso__scene_array(reader, &list, 0, SIZE_MAX) : 0;
    for (size_t i = 0; i < count && reader->status == ISO_OK; ++i) {
        const iso__scene_node item = iso__scene_item(&list, i);
        if (!iso__scene_object(reader, &item, "columns rows")) {
            return;
        }
        uint32_t bounds[2][2] = {{0, 0}, {0, 0}};
        for (int axis = 0; axis < 2; ++axis) {
            const iso__scene_node range = iso__scene_member(&item, axis == 0 ? "columns" : "rows");
            if (iso__scene_array(reader, &range, 2, 2) == 2) {
                const iso__scene_node first = iso__scene_item(&range, 0);
                const iso__scene_node last = iso__scene_item(&range, 1);
                const uint32_t limit = (axis == 0 ? group->columns : group->rows) - 1;
                bounds[axis][0] = (uint32_t)iso__scene_uint(reader, &first, 0, limit);
                bounds[axis][1] = (uint32_t)iso__scene_uint(reader, &last, bounds[axis][0], limit);
            }
        }
        const uint64_t fixed = ((uint64_t)bounds[0][1] - bounds[0][0] + 1) * (bounds[1][1] - bounds[1][0] + 1);
        if (reader->status != ISO_OK || !iso__scene_work_fix(reader, &item, fixed)) {
            return;
        }
        for (uint32_t column = bounds[0][0]; reader->status == ISO_OK && column <= bounds[0][1]; ++column) {
            for (uint32_t row = bounds[1][0]; row <= bounds[1][1]; ++row) {
                iso_body_def *def = &reader->scene->bodies[iso__scene_group_body(group, column, row, 0)].def;
                def->type = ISO_BODY_STATIC;
                def->velocity = (iso_vec2_wide){0, 0};
                def->angular_velocity = 0;
            }
        }
    }
}

// ---- copies --------------------------------------------------------------------------------------

iso_vec2_wide iso__scene_copy_offset(iso__scene_reader *reader, const iso__scene_node *node, uint32_t column,
                                     uint32_t row) {
    const iso__scene_node step_node = iso__scene_member(node, "step");
    const iso__scene_node row_node = iso__scene_member(node, "row_step");
    const iso_vec2_wide step = iso__scene_vec2_wide(reader, &step_node, ISO__SCENE_POSITION_RANGE);
    const iso_vec2_wide row_step = row_node.is_present
                                       ? iso__scene_vec2_wide(reader, &row_node, ISO__SCENE_POSITION_RANGE)
                                       : (iso_vec2_wide){0, 0};
    const iso_wide columns = iso_wide_from_int((int32_t)column), rows = iso_wide_from_int((int32_t)row);
    return (iso_vec2_wide){iso_wide_add(iso_wide_mul(step.x, columns), iso_wide_mul(row_step.x, rows)),
                           iso_wide_add(iso_wide_mul(step.y, columns), iso_wide_mul(row_step.y, rows))};
}

/// Gives a member of a copy shapes of its own, whose filter groups are those of the first copy and `by` more.
static void copy_shapes(iso__scene_reader *reader, const iso__scene_node *node, int64_t by, body_template *member) {
    iso_scene *scene = reader->scene;
    if (!iso__scene_reserve(reader, (void **)&scene->shapes, &reader->shape_capacity, scene->shape_count,
                            member->shape_count, sizeof *scene->shapes)) {
        return;
    }
    for (uint32_t i = 0; i < member->shape_count; ++i) {
        iso_shape_def def = scene->shapes[member->shape_first + i];
        def.filter.group = iso__scene_filter_group(reader, node, def.filter.group, by);
        scene->shapes[scene->shape_count + i] = def;
    }
    member->shape_first = scene->shape_count;
    scene->shape_count += member->shape_count;
}

static void copies_expand(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group,
                          const body_template *members) {
    const iso__scene_node step = iso__scene_member(node, "step");
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
        const uint32_t column = copy % group->columns, row = copy / group->columns;
        const body_place place = {column, row, iso__scene_copy_offset(reader, node, column, row)};
        for (uint32_t i = 0; i < group->members; ++i) {
            body_template member = members[i];
            if (copy > 0 && by != 0) {
                copy_shapes(reader, &group_step, copy * by, &member);
            }
            body_append(reader, &step, group, &member, place);
        }
    }
}

static void copies_read(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group) {
    const iso__scene_node bodies = iso__scene_member(node, "bodies");
    iso__scene_read_copies(reader, node, "generator name columns rows step row_step group_step bodies joints", group);
    body_template *members = calloc(group->members + 1, sizeof *members);
    if (members == NULL) {
        iso__scene_out_of_memory(reader);
        return;
    }
    for (uint32_t i = 0; i < group->members && reader->status == ISO_OK; ++i) {
        const iso__scene_node item = iso__scene_item(&bodies, i);
        body_read_template(reader, &item, body_keys, &members[i]);
        members[i].name = iso__scene_read_member_name(reader, &bodies, i);
    }
    copies_expand(reader, node, group, members);
    free(members);
}

// ---- elements ------------------------------------------------------------------------------------

void iso__scene_read_generator(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group) {
    static const char *const keys[] = {
        "generator name count step body",
        "generator name count step body joint from to",
        "generator name columns rows step body column_joint row_joint static",
        "generator name rows step body",
    };
    static const iso__scene_layout layouts[] = {ISO__SCENE_ROW, ISO__SCENE_CHAIN, ISO__SCENE_GRID, ISO__SCENE_PYRAMID};
    const iso__scene_node kind = iso__scene_member(node, "generator");
    const uint32_t word = iso__scene_word_of(reader, &kind, ISO__SCENE_GENERATORS, ISO__SCENE_GENERATORS3);
    if (word == 4) {
        copies_read(reader, node, group);
        return;
    }
    if (!iso__scene_object(reader, node, keys[word])) {
        return;
    }
    const iso__scene_node name = iso__scene_member(node, "name");
    const iso__scene_node step = iso__scene_member(node, "step");
    const iso__scene_node body = iso__scene_member(node, "body");
    group->layout = layouts[word];
    group->name = iso__scene_name(reader, &name);
    group->rows = word >= 2 ? iso__scene_group_number(reader, node, "rows") : 1;
    group->columns = word == 3 ? group->rows : iso__scene_group_number(reader, node, word == 2 ? "columns" : "count");
    body_template template;
    const iso_vec2_wide distance = iso__scene_vec2_wide(reader, &step, ISO__SCENE_POSITION_RANGE);
    body_read_template(reader, &body, template_keys, &template);
    template.step = distance;
    if (group_is_line(group)) {
        row_expand(reader, node, group, &template);
    } else {
        group_expand(reader, node, group, &template);
    }
    if (group->layout == ISO__SCENE_GRID && reader->status == ISO_OK) {
        grid_fix(reader, node, group);
    }
}

void iso__scene_read_body(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group) {
    body_template template;
    body_read_template(reader, node, body_keys, &template);
    iso__scene_read_single(reader, node, group);
    group_expand(reader, node, group, &template);
}
