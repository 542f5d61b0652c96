/// Constraints of a scene, and the joints that use them: of a program that the scene writes, or of the game.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isostep/constraint.h"
#include "scene/internal.h"

#define PARAM_RANGE ISO__SCENE_RANGE(-2147483647, 2147483647)

// ---- sources -------------------------------------------------------------------------------------

/// The text of a constraint: one string, or an array of its lines. NULL after an error; to be freed.
static char *custom_source(iso__scene_reader *reader, const iso__scene_node *node, size_t *size) {
    static const char expected[] = "a string of at most 4096 bytes, or an array of such lines";
    const bool is_list = json_object_is_type(node->json, json_type_array);
    const size_t count = is_list ? json_object_array_length(node->json) : 1;
    char *text = malloc(ISO_PROGRAM_SOURCE_MAX + 1);
    if (text == NULL) {
        iso__scene_out_of_memory(reader);
    }
    *size = 0;
    for (size_t i = 0; i < count && reader->status == ISO_OK; ++i) {
        const iso__scene_node item = is_list ? iso__scene_item(node, i) : *node;
        const char *line = iso__scene_string(reader, &item, ISO_PROGRAM_SOURCE_MAX, expected);
        const size_t length = strlen(line);
        if (length + 1 > ISO_PROGRAM_SOURCE_MAX + 1 - *size) {
            iso__scene_invalid(reader, node, "a source of at most 4096 bytes");
        } else {
            memcpy(text + *size, line, length);
            *size += length;
            text[*size] = '\n';
            *size += i + 1 < count;
        }
    }
    if (reader->status != ISO_OK) {
        free(text);
        return NULL;
    }
    return text;
}

/// The string of a source that holds one of its lines, counted from 1: a string of an array may hold several, and none
/// is in an empty array.
static iso__scene_node custom_line(const iso__scene_node *node, uint32_t line) {
    const bool is_list = json_object_is_type(node->json, json_type_array);
    const size_t count = is_list ? json_object_array_length(node->json) : 0;
    for (size_t i = 0; i < count; ++i) {
        const iso__scene_node item = iso__scene_item(node, i);
        uint32_t lines = 1;
        for (const char *at = json_object_get_string(item.json); *at != 0; ++at) {
            lines += *at == '\n';
        }
        if (line <= lines) {
            return item;
        }
        line -= lines;
    }
    return *node;
}

static void custom_compile(iso__scene_reader *reader, const iso__scene_node *node, iso_program *program) {
    size_t size;
    char *text = custom_source(reader, node, &size);
    iso_program_scratch *scratch = malloc(sizeof *scratch);
    if (text != NULL && scratch == NULL) {
        iso__scene_out_of_memory(reader);
    }
    iso_program_error wrong;
    iso_status status = reader->status;
    if (status == ISO_OK) {
        status = iso__scene_is_space(reader) ? iso_program3_compile(text, size, scratch, program, &wrong)
                                             : iso_program_compile(text, size, scratch, program, &wrong);
    }
    if (reader->status == ISO_OK && status != ISO_OK) {
        char expected[sizeof wrong.message + 64];
        snprintf(expected, sizeof expected, "a constraint; at %u:%u it has %s", wrong.line, wrong.column,
                 wrong.message);
        const iso__scene_node line = custom_line(node, wrong.line);
        iso__scene_invalid(reader, &line, expected);
    }
    free(scratch);
    free(text);
}

void iso__scene_read_constraints(iso__scene_reader *reader, const iso__scene_node *node) {
    if (!node->is_present || reader->status != ISO_OK) {
        return;
    }
    if (!json_object_is_type(node->json, json_type_object)) {
        iso__scene_invalid(reader, node, "an object");
        return;
    }
    iso_scene *scene = reader->scene;
    const size_t count = (size_t)json_object_object_length(node->json);
    if (count > scene->def.program_capacity) {
        char expected[96];
        snprintf(expected, sizeof expected, "at most %u constraints (/capacities/programs)",
                 scene->def.program_capacity);
        iso__scene_invalid(reader, node, expected);
        return;
    }
    scene->programs = calloc(count + 1, sizeof *scene->programs);
    if (scene->programs == NULL) {
        iso__scene_out_of_memory(reader);
        return;
    }
    json_object_object_foreach(node->json, key, value) {
        const iso__scene_node source = {node, key, 0, value, true};
        if (!iso__scene_is_name(key)) {
            iso__scene_invalid(reader, &source, "a name of 1 to 31 letters, digits, \"_\" or \"-\" for its constraint");
        }
        if (reader->status == ISO_OK) {
            reader->program_names[scene->program_count] = key;
            custom_compile(reader, &source, &scene->programs[scene->program_count++]);
        }
        iso__scene_recover(reader);
    }
}

// ---- joints --------------------------------------------------------------------------------------

/// What a joint's constraint declares.
typedef struct custom_kind {
    const iso_program *program; // or
    const iso_constraint *constraint;
    uint32_t body_count, vector_count, scalar_count;
} custom_kind;

static const char *custom_body_name(const custom_kind *kind, uint32_t index) {
    static const char *const of_user[] = {"body1", "body2", "body3", "body4"};
    return kind->program != NULL ? iso_program_body_name(kind->program, index) : of_user[index];
}

static const char *custom_vector_name(const custom_kind *kind, uint32_t index) {
    return kind->program != NULL ? iso_program_vector_name(kind->program, index)
                                 : kind->constraint->vector_names[index];
}

static const char *custom_scalar_name(const custom_kind *kind, uint32_t index) {
    return kind->program != NULL ? iso_program_scalar_name(kind->program, index)
                                 : kind->constraint->scalar_names[index];
}

/// Whether a program is one, or the game's constraint one for worlds of the scene's dimensions.
static bool custom_is_for(const iso__scene_reader *reader, bool is_user, uint32_t index) {
    const iso_scene *scene = reader->scene;
    return !is_user || (iso__scene_is_space(reader) ? scene->game->constraints[index].rows3 != NULL
                                                    : scene->game->constraints[index].rows != NULL);
}

static uint32_t custom_count(const iso__scene_reader *reader, bool is_user) {
    const iso_scene *scene = reader->scene;
    const uint32_t all = !is_user ? scene->program_count : scene->game != NULL ? scene->game->constraint_count : 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all; ++i) {
        count = custom_is_for(reader, is_user, i) ? i + 1 : count;
    }
    return count;
}

/// Whether the game has a constraint of this name that is only for worlds of other dimensions.
static bool custom_is_elsewhere(const iso__scene_reader *reader, const char *name) {
    const iso_game *game = reader->scene->game;
    bool is_there = false;
    for (uint32_t i = 0; game != NULL && i < game->constraint_count; ++i) {
        is_there = is_there || (!custom_is_for(reader, true, i) && strcmp(game->constraints[i].name, name) == 0);
    }
    return is_there;
}

/// What is expected where a joint names its constraint, before the list of them.
static void custom_expected(const iso__scene_reader *reader, const iso__scene_node *node, bool is_user, char *expected,
                            size_t size) {
    const iso_game *game = reader->scene->game;
    const char *name = json_object_is_type(node->json, json_type_string) ? json_object_get_string(node->json) : "";
    const char *worlds = iso__scene_is_space(reader) ? "worlds in space" : "worlds in the plane";
    const bool is_none = custom_count(reader, is_user) == 0;
    if (!is_user) {
        snprintf(expected, size, is_none ? "nothing: the scene has no constraints" : "a constraint of the scene: ");
    } else if (custom_is_elsewhere(reader, name)) {
        snprintf(expected, size,
                 is_none ? "nothing: %s is not for %s, and no constraint of the game is"
                         : "a constraint of the game; %s is not for %s, but these are: ",
                 name, worlds);
    } else if (is_none && game != NULL && game->constraint_count > 0) {
        snprintf(expected, size, "nothing: the game has no constraints for %s", worlds);
    } else {
        snprintf(expected, size, is_none ? "nothing: the game has no constraints" : "a constraint of the game: ");
    }
}

/// Finds the constraint that a joint names, among those of its kind. Of a game that is wrong nothing is expected: that
/// would be a second error for the same thing.
/// @param index  its number
static bool custom_find(iso__scene_reader *reader, const iso__scene_node *node, bool is_user, uint32_t *index,
                        custom_kind *kind) {
    const iso_scene *scene = reader->scene;
    const uint32_t count = custom_count(reader, is_user);
    bool is_first = true;
    char expected[sizeof reader->error->expected];
    if (is_user && reader->is_game_wrong) {
        return false;
    }
    custom_expected(reader, node, is_user, expected, sizeof expected);
    const char *text = iso__scene_string(reader, node, ISO_SCENE_NAME_MAX, expected);
    for (uint32_t i = 0; i < count && reader->status == ISO_OK; ++i) {
        if (!custom_is_for(reader, is_user, i)) {
            continue;
        }
        const char *name = is_user ? scene->game->constraints[i].name : reader->program_names[i];
        if (strcmp(name, text) == 0) {
            *index = i;
            const iso_program *program = is_user ? NULL : &scene->programs[i];
            const iso_constraint *constraint = is_user ? &scene->game->constraints[i] : NULL;
            *kind = is_user ? (custom_kind){NULL, constraint, constraint->body_count, constraint->vector_count,
                                            constraint->scalar_count}
                            : (custom_kind){program, NULL, program->body_count, program->vector_count,
                                            program->scalar_count};
            return true;
        }
        iso__scene_append(expected, sizeof expected, ", ", is_first ? 0 : 2);
        is_first = false;
        iso__scene_append(expected, sizeof expected, name, strlen(name));
    }
    iso__scene_invalid(reader, node, expected);
    return false;
}

/// Checks that a member is an object with these names as keys, or missing when there are none.
static bool custom_names(iso__scene_reader *reader, const iso__scene_node *node, const custom_kind *kind,
                         uint32_t count, const char *(*name)(const custom_kind *kind, uint32_t index)) {
    char keys[ISO_PROGRAM_VECTORS_MAX * (ISO_PROGRAM_NAME_SIZE + 1)] = "";
    size_t size = 0;
    for (uint32_t i = 0; i < count; ++i) {
        size += (size_t)snprintf(keys + size, sizeof keys - size, "%s%s", i == 0 ? "" : " ", name(kind, i));
    }
    return (count > 0 || node->is_present) && iso__scene_object(reader, node, keys);
}

/// @param bodies  A to D
static void custom_read_bodies(iso__scene_reader *reader, const iso__scene_node *node, const custom_kind *kind,
                               uint32_t *const bodies[ISO_PROGRAM_BODIES_MAX]) {
    const uint32_t first = kind->body_count == 1 ? 1 : 0; // one body is B
    *bodies[0] = UINT32_MAX;
    if (!custom_names(reader, node, kind, kind->body_count, custom_body_name)) {
        return;
    }
    for (uint32_t i = 0; i < kind->body_count; ++i) {
        const iso__scene_node member = iso__scene_member(node, custom_body_name(kind, i));
        *bodies[first + i] = iso__scene_read_body_reference(reader, &member);
        if (i == 1 && reader->status == ISO_OK && *bodies[0] == *bodies[1]) {
            char expected[64];
            snprintf(expected, sizeof expected, "another body than %s", custom_body_name(kind, 0));
            iso__scene_invalid(reader, &member, expected);
        }
    }
}

/// A vector of as many components as the scene has dimensions.
static void custom_read_vector(iso__scene_reader *reader, const iso__scene_node *node, uint32_t index,
                               iso_program_params *params) {
    if (iso__scene_is_space(reader)) {
        const iso_vec3_wide value = iso__scene_vec3_wide(reader, node, PARAM_RANGE);
        params->vectors3[index][0] = value.x;
        params->vectors3[index][1] = value.y;
        params->vectors3[index][2] = value.z;
        return;
    }
    const iso_vec2_wide value = iso__scene_vec2_wide(reader, node, PARAM_RANGE);
    params->vectors[index][0] = value.x;
    params->vectors[index][1] = value.y;
}

static void custom_read_params(iso__scene_reader *reader, const iso__scene_node *node, const custom_kind *kind,
                               iso_program_params *params) {
    const iso__scene_node vectors = iso__scene_member(node, "vectors");
    const iso__scene_node scalars = iso__scene_member(node, "scalars");
    if (custom_names(reader, &vectors, kind, kind->vector_count, custom_vector_name)) {
        for (uint32_t i = 0; i < kind->vector_count; ++i) {
            const iso__scene_node member = iso__scene_member(&vectors, custom_vector_name(kind, i));
            custom_read_vector(reader, &member, i, params);
        }
    }
    if (custom_names(reader, &scalars, kind, kind->scalar_count, custom_scalar_name)) {
        for (uint32_t i = 0; i < kind->scalar_count; ++i) {
            const iso__scene_node member = iso__scene_member(&scalars, custom_scalar_name(kind, i));
            params->scalars[i] = iso__scene_wide(reader, &member, PARAM_RANGE);
        }
    }
}

static void custom_check_params(iso__scene_reader *reader, const iso__scene_node *node, const custom_kind *kind,
                                const iso_program_params *params) {
    uint32_t wrong = 0;
    char expected[96] = "parameters that the game's constraint takes";
    if (kind->program == NULL) {
        if (kind->constraint->check != NULL && kind->constraint->check(params) != ISO_OK) {
            iso__scene_invalid(reader, node, expected);
        }
    } else if (iso_program_params_check(kind->program, params, &wrong) != ISO_OK) {
        const uint32_t limits = kind->program->limit_count, rows = kind->program->row_count;
        if (wrong < limits) {
            snprintf(expected, sizeof expected, "parameters that keep limit %u of the constraint", wrong + 1);
        } else if (wrong < limits + rows) {
            snprintf(expected, sizeof expected, "parameters by which the bounds of row %u do not cross",
                     wrong - limits + 1);
        } else {
            snprintf(expected, sizeof expected, "parameters by which row %u has a gradient of 1/1024 or more",
                     wrong - limits - rows + 1);
        }
        iso__scene_invalid(reader, node, expected);
    }
}

/// What a joint of such a kind has.
typedef struct custom_joint {
    bool is_user;
    uint32_t *constraint;
    uint32_t *bodies[ISO_PROGRAM_BODIES_MAX];
    iso_program_params *params;
} custom_joint;

static void custom_read(iso__scene_reader *reader, const iso__scene_node *node, const custom_joint *joint) {
    custom_kind kind;
    const iso__scene_node constraint = iso__scene_member(node, "constraint");
    const iso__scene_node bodies = iso__scene_member(node, "bodies");
    if (!custom_find(reader, &constraint, joint->is_user, joint->constraint, &kind)) {
        return;
    }
    custom_read_bodies(reader, &bodies, &kind, joint->bodies);
    custom_read_params(reader, node, &kind, joint->params);
    if (reader->status != ISO_OK) {
        return;
    }
    custom_check_params(reader, node, &kind, joint->params);
    if (++reader->custom_joint_count > reader->scene->def.custom_joint_capacity) {
        iso__scene_invalid(reader, node, "no more joints with a constraint than /capacities/custom_joints");
    }
}

void iso__scene_read_custom(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint *joint) {
    const custom_joint of = {joint->def.kind == ISO_JOINT_USER,
                             &joint->def.constraint,
                             {&joint->body_a, &joint->body_b, &joint->body_c, &joint->body_d},
                             &joint->def.params};
    custom_read(reader, node, &of);
}

void iso__scene_read_custom3(iso__scene_reader *reader, const iso__scene_node *node, iso_scene_joint3 *joint) {
    uint32_t none[2]; // a constraint has two bodies at most
    const custom_joint of = {joint->def.kind == ISO_JOINT3_USER,
                             &joint->def.constraint,
                             {&joint->body_a, &joint->body_b, &none[0], &none[1]},
                             &joint->def.params};
    custom_read(reader, node, &of);
}
