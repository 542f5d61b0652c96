/// Groups of bodies: how many an element makes, in which order, with which names, and what bodies of both kinds of
/// worlds share.
#include <stdio.h>
#include <string.h>

#include "scene/internal.h"

// ---- counts and indices --------------------------------------------------------------------------

/// 1 + 4 + 9 + … + n^2, below 2^61 for the largest count.
static uint64_t sum_of_squares(uint64_t n) {
    return n * (n + 1) * (2 * n + 1) / 6;
}

uint64_t iso__scene_group_count(const iso__scene_group *group) {
    const uint64_t columns = group->columns;
    const uint64_t rows = group->rows;
    switch (group->layout) {
    case ISO__SCENE_PYRAMID:
        return rows * columns - rows * (rows - 1) / 2;
    case ISO__SCENE_PYRAMID3:
        return sum_of_squares(rows);
    case ISO__SCENE_BOND:
        return rows * columns + rows / 2;
    case ISO__SCENE_GRID3:
        return columns * rows * group->layers;
    case ISO__SCENE_COPIES:
        return columns * rows * group->members;
    default:
        return columns * rows;
    }
}

uint32_t iso__scene_group_columns(const iso__scene_group *group, uint32_t row) {
    switch (group->layout) {
    case ISO__SCENE_PYRAMID:
    case ISO__SCENE_PYRAMID3:
        return group->columns - row;
    case ISO__SCENE_BOND:
        return group->columns + row % 2;
    default:
        return group->columns;
    }
}

uint32_t iso__scene_group_layers(const iso__scene_group *group, uint32_t row) {
    return group->layout == ISO__SCENE_GRID3      ? group->layers
           : group->layout == ISO__SCENE_PYRAMID3 ? group->rows - row
                                                  : 1;
}

uint32_t iso__scene_group_body(const iso__scene_group *group, uint32_t column, uint32_t row, uint32_t layer) {
    const uint64_t columns = group->columns, rows = group->rows;
    uint64_t before = column;
    switch (group->layout) {
    case ISO__SCENE_GRID:
        before = column * rows + row;
        break;
    case ISO__SCENE_GRID3:
        before = (column * rows + row) * group->layers + layer;
        break;
    case ISO__SCENE_PYRAMID:
        before = row * columns - row * (row - (uint64_t)1) / 2 + column;
        break;
    case ISO__SCENE_PYRAMID3:
        before = sum_of_squares(rows) - sum_of_squares(rows - row) + column * (rows - row) + layer;
        break;
    case ISO__SCENE_BOND:
        before = row * columns + row / 2 + column;
        break;
    case ISO__SCENE_COPIES:
        before = (row * columns + column) * group->members;
        break;
    default:
        break;
    }
    return (uint32_t)(group->first_body + before);
}

// ---- room and names ------------------------------------------------------------------------------

static bool group_refuse(iso__scene_reader *reader, const iso__scene_node *node, uint32_t most, const char *what) {
    char expected[96];
    snprintf(expected, sizeof expected, "at most %u %s in all (/capacities/%s)", most, what, what);
    iso__scene_invalid(reader, node, expected);
    reader->error_capacity = 0; // the next ones will find no room either
    return false;
}

bool iso__scene_group_reserve(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group,
                              const iso__scene_load *load) {
    iso_scene *scene = reader->scene;
    const uint64_t count = iso__scene_group_count(group);
    if (reader->status != ISO_OK) {
        return false;
    }
    if (count > scene->def.body_capacity - scene->body_count) {
        return group_refuse(reader, node, scene->def.body_capacity, "bodies");
    }
    if (load->shapes > scene->def.shape_capacity - scene->shape_total) {
        return group_refuse(reader, node, scene->def.shape_capacity, "shapes");
    }
    if (!iso__scene_work_group(reader, node, load)) {
        return false;
    }
    const bool in_space = iso__scene_is_space(reader);
    void **bodies = in_space ? (void **)&scene->bodies3 : (void **)&scene->bodies;
    const size_t size = in_space ? sizeof *scene->bodies3 : sizeof *scene->bodies;
    const uint32_t names = (uint32_t)count * (ISO_SCENE_BODY_NAME_MAX + 1);
    group->first_body = scene->body_count;
    return iso__scene_reserve(reader, bodies, &reader->body_capacity, scene->body_count, (uint32_t)count, size) &&
           iso__scene_reserve(reader, (void **)&scene->names, &reader->names_capacity, reader->names_size, names, 1);
}

uint32_t iso__scene_group_name(iso__scene_reader *reader, const iso__scene_group *group, const char *member,
                               uint32_t column, uint32_t row, uint32_t layer) {
    const size_t room = ISO_SCENE_BODY_NAME_MAX + 1;
    const uint32_t at = reader->names_size;
    char *name = reader->scene->names + at;
    int size = 0;
    switch (group->layout) {
    case ISO__SCENE_SINGLE:
        size = snprintf(name, room, "%s", group->name);
        break;
    case ISO__SCENE_ROW:
    case ISO__SCENE_CHAIN:
        size = snprintf(name, room, "%s[%u]", group->name, column);
        break;
    case ISO__SCENE_COPIES:
        size = snprintf(name, room, "%s[%u,%u].%s", group->name, column, row, member);
        break;
    case ISO__SCENE_GRID3:
    case ISO__SCENE_PYRAMID3:
        size = snprintf(name, room, "%s[%u,%u,%u]", group->name, column, row, layer);
        break;
    default:
        size = snprintf(name, room, "%s[%u,%u]", group->name, column, row);
        break;
    }
    reader->names_size += (uint32_t)size + 1;
    return at;
}

// ---- what the readers of bodies share ------------------------------------------------------------

void iso__scene_read_single(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group) {
    const iso__scene_node name = iso__scene_member(node, "name");
    group->layout = ISO__SCENE_SINGLE;
    group->name = iso__scene_name(reader, &name);
    group->columns = 1;
    group->rows = 1;
}

iso__scene_body_base iso__scene_read_body_base(iso__scene_reader *reader, const iso__scene_node *node) {
    static const uint8_t types[] = {ISO_BODY_STATIC, ISO_BODY_KINEMATIC, ISO_BODY_DYNAMIC};
    static const iso__scene_range mass = {INT64_C(1) << 16, INT64_C(1) << 49, false, "a number from 2^-16 to 2^17",
                                          false};
    const iso__scene_node type = iso__scene_member(node, "type");
    const iso__scene_node velocity = iso__scene_member(node, "velocity");
    const iso__scene_node spin = iso__scene_member(node, "angular_velocity");
    const iso__scene_node own_mass = iso__scene_member(node, "mass");
    iso__scene_body_base base = {.type = ISO_BODY_DYNAMIC};
    if (type.is_present) {
        base.type = types[iso__scene_word(reader, &type, "static kinematic dynamic")];
    }
    if (base.type == ISO_BODY_STATIC && (velocity.is_present || spin.is_present)) {
        iso__scene_invalid(reader, velocity.is_present ? &velocity : &spin, "nothing: a static body does not move");
    }
    base.tag = (uint32_t)iso__scene_uint_or(reader, node, "tag", 0, UINT32_MAX, 0);
    base.owner = iso__scene_owner(reader, node);
    base.mass = own_mass.is_present ? iso__scene_wide(reader, &own_mass, mass) : 0;
    return base;
}

uint32_t iso__scene_group_number(iso__scene_reader *reader, const iso__scene_node *node, const char *key) {
    const iso__scene_node member = iso__scene_member(node, key);
    return (uint32_t)iso__scene_uint(reader, &member, 1, ISO_BODY_CAPACITY_MAX);
}

void iso__scene_read_copies(iso__scene_reader *reader, const iso__scene_node *node, const char *keys,
                            iso__scene_group *group) {
    const iso__scene_node bodies = iso__scene_member(node, "bodies");
    const iso__scene_node name = iso__scene_member(node, "name");
    if (!iso__scene_object(reader, node, keys)) {
        return;
    }
    group->layout = ISO__SCENE_COPIES;
    group->name = iso__scene_name(reader, &name);
    group->columns = (uint32_t)iso__scene_uint_or(reader, node, "columns", 1, ISO_BODY_CAPACITY_MAX, 1);
    group->rows = (uint32_t)iso__scene_uint_or(reader, node, "rows", 1, ISO_BODY_CAPACITY_MAX, 1);
    group->members = (uint32_t)iso__scene_array(reader, &bodies, 1, ISO_SCENE_COPY_BODIES_MAX);
}

const char *iso__scene_read_member_name(iso__scene_reader *reader, const iso__scene_node *bodies, uint32_t index) {
    const iso__scene_node item = iso__scene_item(bodies, index);
    const iso__scene_node name = iso__scene_member(&item, "name");
    const char *text = iso__scene_name(reader, &name);
    for (uint32_t i = 0; i < index && reader->status == ISO_OK; ++i) {
        const iso__scene_node earlier = iso__scene_item(bodies, i);
        const iso__scene_node other = iso__scene_member(&earlier, "name");
        if (strcmp(json_object_get_string(other.json), text) == 0) {
            iso__scene_invalid(reader, &name, "a name that no other body of the copy has");
        }
    }
    return text;
}

int32_t iso__scene_filter_group(iso__scene_reader *reader, const iso__scene_node *node, int32_t first, int64_t by) {
    const int64_t group = first == 0 ? 0 : first + by;
    if (group < INT32_MIN || group > INT32_MAX || (group == 0) != (first == 0)) {
        iso__scene_invalid(reader, node, "steps that lead to no group 0 and stay within 32 bits");
        return 0;
    }
    return (int32_t)group;
}
