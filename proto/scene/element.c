/// The elements of /bodies, each a body or a generator, and bodies by their names.
///
/// What they are is read by body.c in the plane, by body3.c and generate3.c in space.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"

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

static const char body_expected[] = "the name of a body";

/// @param group  whose bodies have the name's beginning, or NULL
static void body_is_unknown(iso__scene_reader *reader, const iso__scene_node *node, const char *name,
                            const iso__scene_group *group) {
    const iso_scene *scene = reader->scene;
    iso_nearest nearest = {0};
    for (uint32_t i = reader->copy_first; i < reader->copy_first + reader->copy_count; ++i) {
        const char *own = strchr(iso_scene_body_name(scene, i), '.') + 1;
        iso_nearest_look(&nearest, name, own, strlen(own));
    }
    // Of a group the first bodies, which show how they are numbered.
    const char *first =
        group != NULL && group->first_body < scene->body_count ? iso_scene_body_name(scene, group->first_body) : NULL;
    if (first != NULL && nearest.count < ISO_NEAREST_MAX) {
        nearest.names[nearest.count] = first;
        nearest.sizes[nearest.count++] = strlen(first);
    }
    for (uint32_t i = 0; group == NULL && i < reader->group_count; ++i) {
        const iso__scene_group *other = &reader->groups[i];
        const bool is_single = other->layout == ISO__SCENE_SINGLE;
        if (other->name != NULL && is_single) {
            iso_nearest_look(&nearest, name, other->name, strlen(other->name));
        } else if (other->name != NULL && other->first_body < scene->body_count) {
            const char *own = iso_scene_body_name(scene, other->first_body);
            iso_nearest_look(&nearest, name, own, strlen(own));
        }
    }
    char expected[2 * (ISO_SCENE_BODY_NAME_MAX + 1) + 48];
    snprintf(expected, sizeof expected, "%s", body_expected);
    if (first != NULL) {
        const uint32_t row = group->rows - 1;
        const uint32_t last = iso__scene_group_body(group, iso__scene_group_columns(group, row) - 1, row,
                                                    iso__scene_group_layers(group, row) - 1) +
                              (group->layout == ISO__SCENE_COPIES ? group->members - 1 : 0);
        if (last < scene->body_count && last != group->first_body) {
            snprintf(expected, sizeof expected, "%s, as from %s to %s", body_expected, first,
                     iso_scene_body_name(scene, last));
        }
    }
    iso__scene_invalid_name(reader, node, expected, &nearest);
}

uint32_t iso__scene_read_body_reference(iso__scene_reader *reader, const iso__scene_node *node) {
    const char *text = iso__scene_string(reader, node, ISO_SCENE_BODY_NAME_MAX, body_expected);
    for (uint32_t i = reader->copy_first; i < reader->copy_first + reader->copy_count; ++i) {
        if (strcmp(strchr(iso_scene_body_name(reader->scene, i), '.') + 1, text) == 0) {
            return i;
        }
    }
    const size_t size = strcspn(text, "[");
    const iso__scene_group *group = groups_find(reader, text, size);
    if (group != NULL) {
        unsigned column = 0, row = 0, layer = 0;
        // What is read here need not be well formed: the body's own name decides below.
        (void)sscanf(text + size, "[%7u,%7u,%7u", &column, &row, &layer);
        const bool within = row < group->rows && column < iso__scene_group_columns(group, row) &&
                            layer < iso__scene_group_layers(group, row);
        const uint32_t index = within ? iso__scene_group_body(group, column, row, layer) : UINT32_MAX;
        const uint32_t members = group->layout == ISO__SCENE_COPIES ? group->members : 1;
        for (uint32_t i = 0; within && i < members; ++i) {
            if (strcmp(iso_scene_body_name(reader->scene, index + i), text) == 0) {
                return index + i;
            }
        }
    }
    body_is_unknown(reader, node, text, group);
    return 0;
}

/// Reads one element: a body, or a generator.
static void group_read(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_group *group) {
    const bool is_generator = iso__scene_member(node, "generator").is_present;
    if (iso__scene_is_space(reader)) {
        (is_generator ? iso__scene_read_generator3 : iso__scene_read_body3)(reader, node, group);
    } else {
        (is_generator ? iso__scene_read_generator : iso__scene_read_body)(reader, node, group);
    }
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
        iso__scene_group *group = &reader->groups[reader->group_count];
        *group = (iso__scene_group){.element = (uint32_t)i};
        group_read(reader, &item, group);
        reader->group_count += reader->status == ISO_OK;
        if (!iso__scene_recover(reader)) {
            return;
        }
    }
    groups_index(reader, node);
}
