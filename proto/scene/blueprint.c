/// Blueprints and compounds of a scene.
///
/// A blueprint's bodies and joints are read as those of a scene of their own, generators included. For that time the
/// reader has that scene instead of the whole one.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"

#define SPEED_RANGE ISO__SCENE_RANGE(-ISO_SPEED_MAX_M_S, ISO_SPEED_MAX_M_S)

/// The joints of the generators, then those of the list.
static void blueprint_read_joints(iso__scene_reader *reader, const iso__scene_node *bodies,
                                  const iso__scene_node *joints) {
    iso__scene_generate_joints(reader, bodies);
    const size_t count = joints->is_present ? iso__scene_array(reader, joints, 0, SIZE_MAX) : 0;
    for (size_t i = 0; i < count && reader->status == ISO_OK; ++i) {
        const iso__scene_node item = iso__scene_item(joints, i);
        iso__scene_read_joint(reader, &item, (uint32_t)i, false);
    }
    if (count > 0 && reader->status == ISO_OK) {
        iso__scene_check_joint_names(reader, joints);
    }
}

static void blueprint_check_counts(iso__scene_reader *reader, const iso__scene_node *node) {
    const iso_scene *parts = reader->scene;
    if (reader->status == ISO_OK &&
        (parts->body_count == 0 || parts->body_count > ISO_BLUEPRINT_PARTS_MAX ||
         parts->shape_total > ISO_BLUEPRINT_PARTS_MAX || parts->joint_count > ISO_BLUEPRINT_PARTS_MAX)) {
        char expected[96];
        snprintf(expected, sizeof expected, "1 to %u bodies, with at most as many shapes and joints",
                 ISO_BLUEPRINT_PARTS_MAX);
        iso__scene_invalid(reader, node, expected);
    }
}

/// Reads bodies and joints into `parts`, which has the scene's capacities and programs.
static void blueprint_read_parts(iso__scene_reader *reader, const iso__scene_node *node, iso_scene *parts) {
    const iso__scene_reader outer = *reader;
    const iso__scene_node bodies = iso__scene_member(node, "bodies"), joints = iso__scene_member(node, "joints");
    reader->scene = parts;
    reader->groups = NULL;
    reader->by_name = NULL;
    reader->group_count = 0;
    reader->body_capacity = reader->shape_capacity = reader->joint_capacity = 0;
    reader->names_size = reader->names_capacity = 0;
    reader->error_capacity = 1; // what depends on something wrong is not read
    iso__scene_read_bodies(reader, &bodies);
    if (reader->status == ISO_OK) {
        blueprint_read_joints(reader, &bodies, &joints);
    }
    blueprint_check_counts(reader, node);
    free(reader->groups);
    free(reader->by_name);
    const iso_status status = reader->status;
    parts->work = reader->work - outer.work;
    *reader = outer;
    reader->status = status;
    reader->work += parts->work;
}

static void blueprint_read(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_blueprint *blueprint) {
    iso_scene *scene = reader->scene;
    const iso__scene_node name = iso__scene_member(node, "name");
    if (!iso__scene_object(reader, node, "name bodies joints")) {
        return;
    }
    snprintf(blueprint->name, sizeof blueprint->name, "%s", iso__scene_name(reader, &name));
    for (const iso_scene_blueprint *b = scene->blueprints; b < blueprint && reader->status == ISO_OK; ++b) {
        if (strcmp(b->name, blueprint->name) == 0) {
            iso__scene_invalid(reader, &name, "a name that no other blueprint has");
        }
    }
    blueprint->parts = calloc(1, sizeof *blueprint->parts);
    if (blueprint->parts == NULL) {
        iso__scene_out_of_memory(reader);
        return;
    }
    blueprint->parts->def = scene->def;
    blueprint->parts->game = scene->game;
    blueprint->parts->programs = scene->programs;
    blueprint->parts->program_count = scene->program_count;
    if (reader->status == ISO_OK) {
        blueprint_read_parts(reader, node, blueprint->parts);
    }
    blueprint->parts->programs = NULL; // they are the scene's
    blueprint->parts->program_count = 0;
}

void iso__scene_read_blueprints(iso__scene_reader *reader, const iso__scene_node *node) {
    const size_t count = node->is_present ? iso__scene_array(reader, node, 0, ISO_BLUEPRINT_CAPACITY_MAX) : 0;
    iso_scene *scene = reader->scene;
    if (count == 0 || reader->status != ISO_OK) {
        return;
    }
    scene->blueprints = calloc(count, sizeof *scene->blueprints);
    if (scene->blueprints == NULL) {
        iso__scene_out_of_memory(reader);
        return;
    }
    uint64_t bodies = 0, shapes = 0, joints = 0;
    const uint32_t most =
        scene->def.body_capacity < ISO_BLUEPRINT_CAPACITY_MAX ? scene->def.body_capacity : ISO_BLUEPRINT_CAPACITY_MAX;
    for (size_t i = 0; i < count; ++i) {
        const iso__scene_node item = iso__scene_item(node, i);
        iso_scene_blueprint *blueprint = &scene->blueprints[scene->blueprint_count++];
        blueprint_read(reader, &item, blueprint);
        const iso_scene *parts = reader->status == ISO_OK ? blueprint->parts : NULL;
        bodies += parts != NULL ? parts->body_count : 0;
        shapes += parts != NULL ? parts->shape_total : 0;
        joints += parts != NULL ? parts->joint_count : 0;
        if (bodies > most || shapes > most || joints > most) {
            char expected[128];
            snprintf(expected, sizeof expected, "at most %u bodies, shapes and joints, each, in all blueprints", most);
            iso__scene_invalid(reader, &item, expected);
        }
        if (!iso__scene_recover(reader)) {
            return;
        }
    }
}

// ---- compounds -----------------------------------------------------------------------------------

static uint32_t compound_find(iso__scene_reader *reader, const iso__scene_node *node) {
    static const char expected[] = "the name of a blueprint";
    const iso_scene *scene = reader->scene;
    const char *text = iso__scene_string(reader, node, ISO_SCENE_NAME_MAX, expected);
    for (uint32_t i = 0; i < scene->blueprint_count && reader->status == ISO_OK; ++i) {
        if (strcmp(scene->blueprints[i].name, text) == 0) {
            return i;
        }
    }
    iso_nearest nearest = {0};
    for (uint32_t i = 0; i < scene->blueprint_count; ++i) {
        iso_nearest_look(&nearest, text, scene->blueprints[i].name, strlen(scene->blueprints[i].name));
    }
    iso__scene_invalid_name(reader, node, expected, &nearest);
    return 0;
}

static iso_vec2_wide compound_pair(iso__scene_reader *reader, const iso__scene_node *node, const char *key,
                                   iso__scene_range range) {
    return iso_vec2_to_wide(iso__scene_vec2_or(reader, node, key, range, (iso_vec2){0, 0}));
}

/// Counts what a compound has, which must find room beside the scene's own bodies and joints.
static void compound_count(iso__scene_reader *reader, const iso__scene_node *node, const iso_scene *parts) {
    iso_scene *scene = reader->scene;
    const iso_world_def *def = &scene->def;
    if (!iso__scene_work_compound(reader, node, parts)) {
        return;
    }
    scene->compound_bodies += parts->body_count;
    scene->compound_shapes += parts->shape_total;
    scene->compound_joints += parts->joint_count;
    if (scene->body_count + scene->compound_bodies > def->body_capacity ||
        scene->shape_total + scene->compound_shapes > def->shape_capacity ||
        scene->joint_count + scene->compound_joints > def->joint_capacity) {
        char expected[128];
        snprintf(expected, sizeof expected, "at most %u bodies, %u shapes and %u joints in all (/capacities)",
                 def->body_capacity, def->shape_capacity, def->joint_capacity);
        iso__scene_invalid(reader, node, expected);
    }
}

static void compound_read(iso__scene_reader *reader, const iso__scene_node *node, iso_compound_def *def) {
    const iso__scene_node blueprint = iso__scene_member(node, "blueprint");
    *def = iso_compound_def_default();
    if (!iso__scene_object(reader, node, "blueprint position angle velocity angular_velocity tag owner")) {
        return;
    }
    def->blueprint = compound_find(reader, &blueprint);
    def->position = compound_pair(reader, node, "position", ISO__SCENE_POSITION_RANGE);
    def->angle = iso_wide_from_fix16(iso__scene_fix16_or(reader, node, "angle", ISO__SCENE_VALUE_RANGE, 0));
    def->velocity = compound_pair(reader, node, "velocity", SPEED_RANGE);
    def->angular_velocity = iso_wide_from_fix16(iso__scene_fix16_or(reader, node, "angular_velocity", SPEED_RANGE, 0));
    def->tag = (uint32_t)iso__scene_uint_or(reader, node, "tag", 0, UINT32_MAX, 0);
    def->owner = iso__scene_owner(reader, node);
    if (reader->status == ISO_OK) {
        compound_count(reader, node, reader->scene->blueprints[def->blueprint].parts);
    }
}

void iso__scene_read_compounds(iso__scene_reader *reader, const iso__scene_node *node) {
    const size_t count = node->is_present ? iso__scene_array(reader, node, 0, ISO_COMPOUND_CAPACITY_MAX) : 0;
    iso_scene *scene = reader->scene;
    if (count == 0 || reader->status != ISO_OK) {
        return;
    }
    scene->compounds = calloc(count, sizeof *scene->compounds);
    if (scene->compounds == NULL) {
        iso__scene_out_of_memory(reader);
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        const iso__scene_node item = iso__scene_item(node, i);
        compound_read(reader, &item, &scene->compounds[scene->compound_count++]);
        if (!iso__scene_recover(reader)) {
            return;
        }
    }
}
