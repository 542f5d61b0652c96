/// What building a scene takes, counted from what it says before anything of it is made: an author who is not trusted
/// must not keep the thread that builds.
///
/// The prices are upper bounds that were measured: thread time of reading and building scenes that have one kind of
/// thing alone, in nanoseconds of one core at 3 GHz, hence in thousandths of a unit. The count is the same everywhere,
/// the time is not. A shape costs what it takes itself, and for each of its body's shapes once more, since each shape
/// changes the mass of all of them. What is there before costs nothing: nothing sleeps while a scene is built, so
/// nobody is looked for.
#include <stdio.h>

#include "scene/internal.h"

#define WORK_BODY      450u
#define WORK_SHAPE     900u
#define WORK_POINT     1300u // of a hull, which is made from its points
#define WORK_FIX       8u    // a body of a grid that becomes static
#define WORK_JOINT     1800u
#define WORK_VALUE     150u // read anew for each copy
#define WORK_REFERENCE 12u  // for each member of a copy that a joint's bodies are looked for among

/// What a shape costs for each shape of its body.
static uint64_t shape_factor(const iso_shape_def *def) {
    switch (def->kind) {
    case ISO_SHAPE_CIRCLE:
        return 40;
    case ISO_SHAPE_CAPSULE:
        return def->radius_b != 0 && def->radius_b != def->radius ? 330 : 110;
    case ISO_SHAPE_POLYGON:
        return 95 + 10u * def->point_count;
    default:
        return 55;
    }
}

static uint64_t shape3_factor(const iso_shape3_def *def) {
    switch (def->kind) {
    case ISO_SHAPE3_SPHERE:
        return 45;
    case ISO_SHAPE3_CAPSULE:
        return 130;
    case ISO_SHAPE3_BOX:
        return 210;
    case ISO_SHAPE3_HULL:
        return 80 + 8u * def->point_count;
    default:
        return 15;
    }
}

void iso__scene_load_add(iso__scene_load *load, const iso__scene_reader *reader, uint32_t shape_first,
                         uint32_t shape_count, uint64_t times) {
    const iso_scene *scene = reader->scene;
    if (reader->status != ISO_OK) {
        return; // the shapes need not be there
    }
    uint64_t work = WORK_BODY;
    for (uint32_t i = shape_first; i < shape_first + shape_count; ++i) {
        const bool is_hull = scene->def.dimensions == 3 && scene->shapes3[i].kind == ISO_SHAPE3_HULL;
        const uint64_t factor =
            scene->def.dimensions == 3 ? shape3_factor(&scene->shapes3[i]) : shape_factor(&scene->shapes[i]);
        work += WORK_SHAPE + (is_hull ? WORK_POINT * scene->shapes3[i].point_count : 0) + factor * shape_count;
    }
    // Of more bodies than any world has the capacity is what is wrong.
    times = times < ISO_BODY_CAPACITY_MAX ? times : ISO_BODY_CAPACITY_MAX;
    load->shapes += times * shape_count;
    load->work += times * work;
}

/// Counts work. @return false: it is more than a sent scene may take, and the error says so of the node
static bool add_work(iso__scene_reader *reader, const iso__scene_node *node, uint64_t work) {
    reader->work = work < UINT64_MAX / 2 - reader->work ? reader->work + work : UINT64_MAX / 2;
    if (reader->status == ISO_OK && reader->work > reader->work_max) {
        char expected[160];
        snprintf(expected, sizeof expected,
                 "a scene that takes at most %llu units of work to build: up to here it takes %llu",
                 (unsigned long long)(reader->work_max / 1000), (unsigned long long)((reader->work + 999) / 1000));
        iso__scene_invalid(reader, node, expected);
        reader->error_capacity = 0; // what follows takes more
    }
    return reader->status == ISO_OK;
}

bool iso__scene_work_group(iso__scene_reader *reader, const iso__scene_node *node, const iso__scene_load *load) {
    return add_work(reader, node, load->work);
}

bool iso__scene_work_fix(iso__scene_reader *reader, const iso__scene_node *node, uint64_t bodies) {
    return add_work(reader, node, bodies * WORK_FIX);
}

bool iso__scene_work_joint(iso__scene_reader *reader, const iso__scene_node *node) {
    return add_work(reader, node, WORK_JOINT);
}

/// How many values there are, within what the text may have.
static uint64_t count_values(struct json_object *json) {
    uint64_t count = 1;
    if (json_object_is_type(json, json_type_object)) {
        json_object_object_foreach(json, key, value) {
            (void)key;
            count += count_values(value);
        }
    } else if (json_object_is_type(json, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(json); ++i) {
            count += count_values(json_object_array_get_idx(json, i));
        }
    }
    return count;
}

bool iso__scene_work_copies(iso__scene_reader *reader, const iso__scene_node *joints, const iso__scene_group *group) {
    const uint64_t copies = (uint64_t)group->columns * group->rows;
    const uint64_t names = (uint64_t)json_object_array_length(joints->json) * group->members;
    return add_work(reader, joints, copies * (count_values(joints->json) * WORK_VALUE + names * WORK_REFERENCE));
}

bool iso__scene_work_compound(iso__scene_reader *reader, const iso__scene_node *node, const iso_scene *parts) {
    return add_work(reader, node, parts->work);
}
