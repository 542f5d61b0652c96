/// Bodies of a scene: written out, or made by a generator from a template.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"

#define BODY_POSITION_RANGE ISO__SCENE_RANGE(-ISO_POSITION_MAX_M, ISO_POSITION_MAX_M)
#define BODY_SPEED_RANGE    ISO__SCENE_RANGE(-ISO_SPEED_MAX_M_S, ISO_SPEED_MAX_M_S)

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

static const char *const body_types = "static kinematic dynamic";

static uint8_t body_read_type(iso__scene_reader *reader, const iso__scene_node *node) {
    static const uint8_t types[] = {ISO_BODY_STATIC, ISO_BODY_KINEMATIC, ISO_BODY_DYNAMIC};
    return types[iso__scene_word(reader, node, body_types)];
}

static bool body_read_switch(iso__scene_reader *reader, const iso__scene_node *node, const char *key, bool otherwise) {
    const iso__scene_node member = iso__scene_member(node, key);
    return member.is_present ? iso__scene_bool(reader, &member) : otherwise;
}

/// How the body answers to forces. A mass and an inertia of its own are kept apart, since they judge the shapes' radius.
static void body_read_params(iso__scene_reader *reader, const iso__scene_node *node, body_template *out) {
    static const iso__scene_range mass = {INT64_C(1) << 16, INT64_C(1) << 49, false, "a number from 2^-16 to 2^17",
                                          false};
    static const iso__scene_range inertia = {0, INT64_MAX, true, "a number above 0, below 2^31", false};
    iso_body_params *params = &out->def.params;
#define READ_NUMBER(name, low, high, otherwise) \
    params->name = iso__scene_fix16_or(reader, node, #name, ISO__SCENE_RANGE(low, high), params->name);
#define READ_SWITCH(name, bit, key) params->name = body_read_switch(reader, node, #key, params->name);
    ISO_BODY_NUMBER_LIST(READ_NUMBER)
    ISO_BODY_SWITCH_LIST(READ_SWITCH)
#undef READ_NUMBER
#undef READ_SWITCH
    const iso__scene_node own_mass = iso__scene_member(node, "mass");
    const iso__scene_node own_inertia = iso__scene_member(node, "inertia");
    out->mass = own_mass.is_present ? iso__scene_wide(reader, &own_mass, mass) : 0;
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
    const iso__scene_node type = iso__scene_member(node, "type");
    const iso__scene_node position = iso__scene_member(node, "position");
    const iso__scene_node velocity = iso__scene_member(node, "velocity");
    const iso__scene_node spin = iso__scene_member(node, "angular_velocity");
    if (type.is_present) {
        out->def.type = body_read_type(reader, &type);
    }
    if (position.is_present) {
        out->position = iso__scene_vec2_wide(reader, &position, BODY_POSITION_RANGE);
    }
    out->def.angle = body_read_number(reader, node, "angle", ISO__SCENE_RANGE(-32767, 32767));
    if (out->def.type == ISO_BODY_STATIC && (velocity.is_present || spin.is_present)) {
        iso__scene_invalid(reader, velocity.is_present ? &velocity : &spin, "nothing: a static body does not move");
    }
    out->def.velocity =
        iso_vec2_to_wide(iso__scene_vec2_or(reader, node, "velocity", BODY_SPEED_RANGE, (iso_vec2){0, 0}));
    out->def.angular_velocity = body_read_number(reader, node, "angular_velocity", BODY_SPEED_RANGE);
    out->def.tag = (uint32_t)iso__scene_uint_or(reader, node, "tag", 0, UINT32_MAX, 0);
    out->def.owner = iso__scene_owner(reader, node);
    body_read_params(reader, node, out);
    const iso__scene_node shapes = iso__scene_member(node, "shapes");
    out->shape_first = reader->scene->shape_count;
    out->shape_count = iso__scene_read_shapes(reader, &shapes);
}

// ---- expansion -----------------------------------------------------------------------------------

static bool group_is_line(const iso__scene_group *group) {
    return group->layout == ISO__SCENE_ROW || group->layout == ISO__SCENE_CHAIN;
}

static uint64_t group_count(const iso__scene_group *group) {
    const uint64_t columns = group->columns;
    const uint64_t rows = group->rows;
    if (group->layout == ISO__SCENE_PYRAMID) {
        return rows * (rows + 1) / 2;
    }
    return columns * rows * (group->layout == ISO__SCENE_COPIES ? group->members : 1);
}

uint32_t iso__scene_group_body(const iso__scene_group *group, uint32_t column, uint32_t row) {
    switch (group->layout) {
    case ISO__SCENE_GRID:
        return group->first_body + column * group->rows + row;
    case ISO__SCENE_PYRAMID:
        return (uint32_t)(group->first_body + (uint64_t)row * group->rows - (uint64_t)row * (row - (uint64_t)1) / 2 +
                          column);
    case ISO__SCENE_COPIES:
        return group->first_body + (row * group->columns + column) * group->members;
    default:
        return group->first_body + column;
    }
}

/// Fits the bodies of a group into the world's capacities, with room for them and their names.
/// @param shapes  of all of them
static bool group_reserve(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_group *group,
                          uint64_t shapes) {
    iso_scene *scene = reader->scene;
    const uint64_t count = group_count(group);
    char expected[96];
    if (count > scene->def.body_capacity - scene->body_count) {
        snprintf(expected, sizeof expected, "at most %u bodies in all (/capacities/bodies)", scene->def.body_capacity);
        iso__scene_invalid(reader, node, expected);
        reader->error_capacity = 0; // the next ones will find no room either
        return false;
    }
    if (shapes > scene->def.shape_capacity - scene->shape_total) {
        snprintf(expected, sizeof expected, "at most %u shapes in all (/capacities/shapes)", scene->def.shape_capacity);
        iso__scene_invalid(reader, node, expected);
        reader->error_capacity = 0;
        return false;
    }
    const uint32_t names = (uint32_t)count * (ISO_SCENE_BODY_NAME_MAX + 1);
    return iso__scene_reserve(reader, (void **)&scene->bodies, &reader->body_capacity, scene->body_count,
                              (uint32_t)count, sizeof *scene->bodies) &&
           iso__scene_reserve(reader, (void **)&scene->names, &reader->names_capacity, reader->names_size, names, 1);
}

/// The place of a body that stands `halves` half steps from the first one, in x, and whole steps in y.
static body_place place_of(const body_template *template, uint32_t column, uint32_t row, uint32_t halves) {
    // The products saturate far outside of the world, and so does half of them.
    const iso_wide x = iso_wide_mul(template->step.x, iso_wide_from_int((int32_t)halves)) / 2;
    const iso_wide y = iso_wide_mul(template->step.y, iso_wide_from_int((int32_t)row));
    return (body_place){column, row, {x, y}};
}

/// Writes the name of a body of a group; returns its length.
static uint32_t body_write_name(char *name, const iso__scene_group *group, const body_template *template,
                                const body_place *place) {
    const size_t room = ISO_SCENE_BODY_NAME_MAX + 1;
    switch (group->layout) {
    case ISO__SCENE_SINGLE:
        return (uint32_t)snprintf(name, room, "%s", group->name);
    case ISO__SCENE_ROW:
    case ISO__SCENE_CHAIN:
        return (uint32_t)snprintf(name, room, "%s[%u]", group->name, place->column);
    case ISO__SCENE_COPIES:
        return (uint32_t)snprintf(name, room, "%s[%u,%u].%s", group->name, place->column, place->row, template->name);
    default:
        return (uint32_t)snprintf(name, room, "%s[%u,%u]", group->name, place->column, place->row);
    }
}

/// Appends one body; there is room for it.
static void body_append(iso__scene_reader *reader, const iso__scene_node *step_node, const iso__scene_group *group,
                        const body_template *template, body_place place) {
    static const iso_wide limit = ISO_POSITION_MAX_M * ISO_WIDE_ONE;
    iso_scene *scene = reader->scene;
    const iso_wide x = iso_wide_add(template->position.x, place.offset.x);
    const iso_wide y = iso_wide_add(template->position.y, place.offset.y);
    if (x < -limit || x > limit || y < -limit || y > limit) {
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
    body->name_offset = reader->names_size;
    scene->shape_total += template->shape_count;

    reader->names_size += body_write_name(scene->names + reader->names_size, group, template, &place) + 1;
}

static void group_expand(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group,
                         const body_template *template) {
    iso_scene *scene = reader->scene;
    if (!group_reserve(reader, node, group, group_count(group) * template->shape_count)) {
        return;
    }
    const iso__scene_node step = iso__scene_member(node, "step");
    group->first_body = scene->body_count;
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
    if (!group_reserve(reader, node, group, group_count(group) * template->shape_count)) {
        return;
    }
    const iso__scene_node step = iso__scene_member(node, "step");
    group->first_body = reader->scene->body_count;
    for (uint32_t i = 0; i < group->columns && reader->status == ISO_OK; ++i) {
        body_append(reader, &step, group, template, place_of(template, i, i, 2 * i));
    }
}

// ---- generators ----------------------------------------------------------------------------------

#define TEMPLATE_KEYS "type position angle velocity angular_velocity owner tag shapes" BODY_PARAM_KEYS
static const char *const template_keys = TEMPLATE_KEYS;
static const char *const body_keys = "name " TEMPLATE_KEYS;

static uint32_t generator_count(iso__scene_reader *reader, const iso__scene_node *node, const char *key) {
    const iso__scene_node member = iso__scene_member(node, key);
    return (uint32_t)iso__scene_uint(reader, &member, 1, ISO_BODY_CAPACITY_MAX);
}

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
        for (uint32_t column = bounds[0][0]; reader->status == ISO_OK && column <= bounds[0][1]; ++column) {
            for (uint32_t row = bounds[1][0]; row <= bounds[1][1]; ++row) {
                iso_body_def *def = &reader->scene->bodies[iso__scene_group_body(group, column, row)].def;
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
    const iso_vec2_wide step = iso__scene_vec2_wide(reader, &step_node, BODY_POSITION_RANGE);
    const iso_vec2_wide row_step =
        row_node.is_present ? iso__scene_vec2_wide(reader, &row_node, BODY_POSITION_RANGE) : (iso_vec2_wide){0, 0};
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
        const int64_t group = def.filter.group == 0 ? 0 : def.filter.group + by;
        if (group < INT32_MIN || group > INT32_MAX || (group == 0) != (def.filter.group == 0)) {
            iso__scene_invalid(reader, node, "steps that lead to no group 0 and stay within 32 bits");
        }
        def.filter.group = (int32_t)group;
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
    uint64_t shapes = 0;
    for (uint32_t i = 0; i < group->members; ++i) {
        shapes += members[i].shape_count;
    }
    if (reader->status != ISO_OK || !group_reserve(reader, node, group, shapes * group->columns * group->rows)) {
        return;
    }
    group->first_body = reader->scene->body_count;
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

/// Reads a member of what is copied; no earlier one has its name.
static void copy_read_member(iso__scene_reader *reader, const iso__scene_node *node, body_template *members,
                             uint32_t index) {
    const iso__scene_node name = iso__scene_member(node, "name");
    body_read_template(reader, node, body_keys, &members[index]);
    members[index].name = iso__scene_name(reader, &name);
    for (uint32_t i = 0; i < index; ++i) {
        if (strcmp(members[i].name, members[index].name) == 0) {
            iso__scene_invalid(reader, &name, "a name that no other body of the copy has");
        }
    }
}

static void copies_read(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group) {
    const iso__scene_node bodies = iso__scene_member(node, "bodies");
    const iso__scene_node name = iso__scene_member(node, "name");
    if (!iso__scene_object(reader, node, "generator name columns rows step row_step group_step bodies joints")) {
        return;
    }
    group->layout = ISO__SCENE_COPIES;
    group->name = iso__scene_name(reader, &name);
    group->columns = (uint32_t)iso__scene_uint_or(reader, node, "columns", 1, ISO_BODY_CAPACITY_MAX, 1);
    group->rows = (uint32_t)iso__scene_uint_or(reader, node, "rows", 1, ISO_BODY_CAPACITY_MAX, 1);
    group->members = (uint32_t)iso__scene_array(reader, &bodies, 1, ISO_SCENE_COPY_BODIES_MAX);
    body_template *members = calloc(group->members + 1, sizeof *members);
    if (members == NULL) {
        iso__scene_out_of_memory(reader);
        return;
    }
    for (uint32_t i = 0; i < group->members && reader->status == ISO_OK; ++i) {
        const iso__scene_node item = iso__scene_item(&bodies, i);
        copy_read_member(reader, &item, members, i);
    }
    copies_expand(reader, node, group, members);
    free(members);
}

// ---- elements ------------------------------------------------------------------------------------

static void generator_read(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group) {
    static const char *const keys[] = {
        "generator name count step body",
        "generator name count step body joint from to",
        "generator name columns rows step body column_joint row_joint static",
        "generator name rows step body",
    };
    static const iso__scene_layout layouts[] = {ISO__SCENE_ROW, ISO__SCENE_CHAIN, ISO__SCENE_GRID, ISO__SCENE_PYRAMID};
    const iso__scene_node kind = iso__scene_member(node, "generator");
    const uint32_t word = iso__scene_word(reader, &kind, "row chain grid pyramid copies");
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
    group->columns = word == 3 ? 1 : generator_count(reader, node, word == 2 ? "columns" : "count");
    group->rows = word >= 2 ? generator_count(reader, node, "rows") : 1;
    body_template template;
    const iso_vec2_wide distance = iso__scene_vec2_wide(reader, &step, BODY_POSITION_RANGE);
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

static void body_read(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group) {
    body_template template;
    body_read_template(reader, node, body_keys, &template);
    const iso__scene_node name = iso__scene_member(node, "name");
    group->layout = ISO__SCENE_SINGLE;
    group->name = iso__scene_name(reader, &name);
    group->columns = 1;
    group->rows = 1;
    group_expand(reader, node, group, &template);
}

// ---- names ---------------------------------------------------------------------------------------

static int group_compare(const void *a, const void *b) {
    const iso__scene_group *x = *(const iso__scene_group *const *)a;
    const iso__scene_group *y = *(const iso__scene_group *const *)b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->element > y->element) - (x->element < y->element);
}

/// Sorts the names and finds the first element whose name an earlier one has already.
static void groups_index(iso__scene_reader *reader, const iso__scene_node *bodies) {
    for (uint32_t i = 0; i < reader->group_count; ++i) {
        reader->by_name[i] = &reader->groups[i];
    }
    qsort(reader->by_name, reader->group_count, sizeof *reader->by_name, group_compare);
    uint32_t repeated = UINT32_MAX;
    for (uint32_t i = 1; i < reader->group_count; ++i) {
        const bool same = strcmp(reader->by_name[i]->name, reader->by_name[i - 1]->name) == 0;
        if (same && reader->by_name[i]->element < repeated) {
            repeated = reader->by_name[i]->element;
        }
    }
    if (repeated != UINT32_MAX) {
        const iso__scene_node item = iso__scene_item(bodies, repeated);
        const iso__scene_node name = iso__scene_member(&item, "name");
        iso__scene_invalid(reader, &name, "a name that no other body or generator has");
    }
}

/// The group of this name, of `size` characters, or NULL.
static const iso__scene_group *groups_find(const iso__scene_reader *reader, const char *name, size_t size) {
    uint32_t low = 0;
    uint32_t high = reader->group_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const char *other = reader->by_name[middle]->name;
        const int order = strncmp(other, name, size);
        if (order == 0 && other[size] == 0) {
            return reader->by_name[middle];
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}

uint32_t iso__scene_read_body_reference(iso__scene_reader *reader, const iso__scene_node *node) {
    static const char expected[] = "the name of a body";
    const char *text = iso__scene_string(reader, node, ISO_SCENE_BODY_NAME_MAX, expected);
    for (uint32_t i = reader->copy_first; i < reader->copy_first + reader->copy_count; ++i) {
        if (strcmp(strchr(iso_scene_body_name(reader->scene, i), '.') + 1, text) == 0) {
            return i;
        }
    }
    const size_t size = strcspn(text, "[");
    const iso__scene_group *group = groups_find(reader, text, size);
    if (group != NULL) {
        unsigned column = 0;
        unsigned row = 0;
        // What is read here need not be well formed: the body's own name decides below.
        (void)sscanf(text + size, "[%7u,%7u", &column, &row);
        const bool within =
            row < group->rows && column < (group->layout == ISO__SCENE_PYRAMID ? group->rows - row : group->columns);
        const uint32_t index = within ? iso__scene_group_body(group, column, row) : UINT32_MAX;
        const uint32_t members = group->layout == ISO__SCENE_COPIES ? group->members : 1;
        for (uint32_t i = 0; within && i < members; ++i) {
            if (strcmp(iso_scene_body_name(reader->scene, index + i), text) == 0) {
                return index + i;
            }
        }
    }
    iso__scene_invalid(reader, node, expected);
    return 0;
}

void iso__scene_read_bodies(iso__scene_reader *reader, const iso__scene_node *node) {
    const size_t count = node->is_present ? iso__scene_array(reader, node, 0, SIZE_MAX) : 0;
    if (count == 0 || reader->status != ISO_OK) {
        return;
    }
    reader->groups = calloc(count, sizeof *reader->groups);
    reader->by_name = calloc(count, sizeof *reader->by_name);
    if (reader->groups == NULL || reader->by_name == NULL) {
        iso__scene_out_of_memory(reader);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        const iso__scene_node item = iso__scene_item(node, i);
        const iso__scene_node generator = iso__scene_member(&item, "generator");
        iso__scene_group *group = &reader->groups[reader->group_count];
        *group = (iso__scene_group){.element = (uint32_t)i};
        if (generator.is_present) {
            generator_read(reader, &item, group);
        } else {
            body_read(reader, &item, group);
        }
        reader->group_count += reader->status == ISO_OK;
        if (!iso__scene_recover(reader)) {
            return;
        }
    }
    groups_index(reader, node);
}
