/// Small accessors of a scene, and its errors.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"

void iso_scene_free(iso_scene *scene) {
    if (scene != NULL) {
        free(scene->bodies);
        free(scene->bodies3);
        free(scene->shapes);
        free(scene->shapes3);
        for (uint32_t i = 0; i < scene->heights_count; ++i) {
            free((void *)scene->heights[i].samples);
        }
        free(scene->joints);
        free(scene->joints3);
        free(scene->programs);
        for (uint32_t i = 0; i < scene->blueprint_count; ++i) {
            iso_scene_free(scene->blueprints[i].parts);
        }
        free(scene->blueprints);
        free(scene->compounds);
        free(scene->names);
        free(scene);
    }
}

const iso_world_def *iso_scene_def(const iso_scene *scene) {
    return &scene->def;
}

const char *iso_scene_body_name(const iso_scene *scene, uint32_t index) {
    if (index >= scene->body_count) {
        return "";
    }
    const bool in_space = scene->def.dimensions == 3;
    return scene->names + (in_space ? scene->bodies3[index].name_offset : scene->bodies[index].name_offset);
}

uint32_t iso_scene_body_find(const iso_scene *scene, const char *name) {
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        if (strcmp(iso_scene_body_name(scene, i), name) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

const char *iso_scene_joint_name(const iso_scene *scene, uint32_t index) {
    if (index >= scene->joint_count) {
        return "";
    }
    const bool in_space = scene->def.dimensions == 3;
    const uint32_t offset = in_space ? scene->joints3[index].name_offset : scene->joints[index].name_offset;
    return offset != UINT32_MAX ? scene->names + offset : "";
}

uint32_t iso_scene_joint_find(const iso_scene *scene, const char *name) {
    for (uint32_t i = 0; i < scene->joint_count && name[0] != 0; ++i) {
        if (strcmp(iso_scene_joint_name(scene, i), name) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

uint64_t iso_scene_hash(const iso_scene *scene) {
    return scene->hash;
}

iso_status iso__scene_build_refuse(iso_status status, const char *list, uint32_t element, const char *name,
                                   const char *text, iso_scene_error *error) {
    if (status == ISO_ERR_CAPACITY) {
        return status;
    }
    if (error != NULL) {
        memset(error, 0, sizeof *error);
        snprintf(error->path, sizeof error->path, "/%s/%u", list, element);
        snprintf(error->value, sizeof error->value, "%s", name);
        // A shape by itself is right, or the scene would not have been read.
        const char *why = status == ISO_ERR_GEOMETRY ? "a shape is too far out" : iso_status_text(status);
        snprintf(error->expected, sizeof error->expected, "%s (%s)", text, why);
    }
    return ISO_ERR_SCENE_INVALID;
}

size_t iso_scene_error_format(const iso_scene_error *error, char *text, size_t size) {
    char file[sizeof error->file + 8] = "", place[64] = "";
    if (error->file[0] != 0) {
        snprintf(file, sizeof file, "in %s%s", error->file, error->line != 0 ? ", " : ": ");
    }
    if (error->line != 0) {
        snprintf(place, sizeof place, "line %u, column %u: ", error->line, error->column);
    }
    const char *path = error->path[0] != 0 ? error->path : "(scene)";
    char nearest[sizeof error->nearest + 20] = "", more[32] = "";
    if (error->nearest[0] != 0) {
        snprintf(nearest, sizeof nearest, "; did you mean %s?", error->nearest);
    }
    if (error->more > 0) {
        snprintf(more, sizeof more, " (and %u more)", error->more);
    }
    const int length = snprintf(text, size, "%s%s%s: %s, expected %s%s%s", file, place, path, error->value,
                                error->expected, nearest, more);
    return length > 0 ? (size_t)length : 0;
}
