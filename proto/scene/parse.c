/// The whole scene: header, capacities, world, game; then materials, bodies, joints.
#define XXH_INLINE_ALL
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "scene/internal.h"

/// Where a field of the world definition stands in the scene, for what iso_world_def_check finds.
typedef struct def_field {
    const char *field;  // of iso_world_def
    const char *object; // member of the scene, or NULL
    const char *key;
} def_field;

#define OBJECT_root       NULL
#define OBJECT_capacities "capacities"

static const def_field def_fields[] = {
#define FIELD_COUNT(type, name, low, high, otherwise, object, key, unit) {#name, OBJECT_##object, #key},
#define FIELD_NONE_NUMBER(name, low, high, otherwise, unit)
#define FIELD_NONE(name)
    ISO_WORLD_DEF_LIST(FIELD_COUNT, FIELD_NONE_NUMBER, FIELD_NONE)
#undef FIELD_COUNT
        {"game", NULL, "game"},
    {"game_params", "game", "params"},
};

static const char *const scene_keys =
    "format name description include dimensions seed tick_rate_hz substeps iterations capacities world "
    "game constraints materials blueprints bodies joints compounds";

#define IS_root       false
#define IS_capacities true
#define COUNT_U8      uint8_t
#define COUNT_U16     uint16_t
#define COUNT_U32     uint32_t
#define COUNT_U64     uint64_t

/// The whole numbers of the scene's root, or of its capacities.
static void parse_counts(iso__scene_reader *reader, const iso__scene_node *node, bool of_capacities) {
    iso_world_def *def = &reader->scene->def;
#define PARSE_COUNT(type, name, low, high, otherwise, object, key, unit)                        \
    if (IS_##object == of_capacities) {                                                         \
        def->name = (COUNT_##type)iso__scene_uint_or(reader, node, #key, low, high, def->name); \
    }
    ISO_WORLD_DEF_LIST(PARSE_COUNT, FIELD_NONE_NUMBER, FIELD_NONE)
#undef PARSE_COUNT
}

/// How many dimensions the world has, and that nothing is there which worlds with so many do not have.
static void parse_dimensions(iso__scene_reader *reader, const iso__scene_node *root) {
    static const char *const plane_only[] = {"blueprints", "compounds"};
    const iso__scene_node node = iso__scene_member(root, "dimensions");
    const bool is_right =
        !node.is_present || (json_object_is_type(node.json, json_type_int) &&
                             (json_object_get_int64(node.json) == 2 || json_object_get_int64(node.json) == 3));
    if (!is_right) {
        iso__scene_invalid(reader, &node, "2, a world in the plane, or 3, one in space");
        reader->error_capacity = 0; // what follows cannot be judged
        return;
    }
    reader->scene->def.dimensions = (uint16_t)(node.is_present ? json_object_get_int64(node.json) : 2);
    for (size_t i = 0; i < sizeof plane_only / sizeof plane_only[0] && iso__scene_is_space(reader); ++i) {
        const iso__scene_node member = iso__scene_member(root, plane_only[i]);
        if (member.is_present) {
            char expected[96];
            snprintf(expected, sizeof expected, "nothing: a scene with three dimensions has no %s", plane_only[i]);
            iso__scene_invalid(reader, &member, expected);
            iso__scene_recover(reader);
        }
    }
}

static void parse_header(iso__scene_reader *reader, const iso__scene_node *root) {
    iso_scene *scene = reader->scene;
    if (!iso__scene_object(reader, root, scene_keys) && !iso__scene_recover(reader)) {
        return;
    }
    const iso__scene_node format = iso__scene_member(root, "format");
    const iso__scene_node name = iso__scene_member(root, "name");
    const iso__scene_node description = iso__scene_member(root, "description");
    iso__scene_uint(reader, &format, ISO_SCENE_FORMAT, ISO_SCENE_FORMAT);
    iso__scene_recover(reader);
    const char *text = iso__scene_name(reader, &name);
    if (strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(text)) {
        iso__scene_invalid(reader, &name, "a scene's name: 1 to 31 lower-case letters, digits or \"-\"");
    }
    snprintf(scene->name, sizeof scene->name, "%s", text);
    iso__scene_recover(reader);
    if (description.is_present) {
        text = iso__scene_string(reader, &description, ISO_SCENE_DESCRIPTION_MAX, "a string of at most 1023 bytes");
        snprintf(scene->description, sizeof scene->description, "%s", text);
        iso__scene_recover(reader);
    }
    parse_dimensions(reader, root);
    iso__scene_recover(reader);
    parse_counts(reader, root, false);
    const iso__scene_node include = iso__scene_member(root, "include");
    const bool is_empty =
        json_object_is_type(include.json, json_type_array) && json_object_array_length(include.json) == 0;
    if (include.is_present && !is_empty) {
        // isostep/proto/scene.h: iso_scene_source_make puts its files in its place.
        iso__scene_invalid(reader, &include, "an empty array: this scene comes without a folder to read files from");
    }
}

#define SPACE_JOINTS   256u
#define SPACE_CONTACTS 2048u

#define KEY_root(key)
#define KEY_capacities(key)                                               " " #key
#define CAPACITY_KEY(type, name, low, high, otherwise, object, key, unit) KEY_##object(key)

static void parse_capacities(iso__scene_reader *reader, const iso__scene_node *root) {
    static const char keys[] = ISO_WORLD_DEF_LIST(CAPACITY_KEY, FIELD_NONE_NUMBER, FIELD_NONE);
    const iso__scene_node node = iso__scene_member(root, "capacities");
    if (iso__scene_is_space(reader)) {
        // Records in space are larger; with these a session fits into the memory that a server allows by default.
        reader->scene->def.joint_capacity = SPACE_JOINTS;
        reader->scene->def.contact_capacity = SPACE_CONTACTS;
        reader->scene->def.contact_point_limit = SPACE_CONTACTS * 3 / 4;
    }
    if (!node.is_present || !iso__scene_object(reader, &node, keys + 1)) {
        return;
    }
    iso_world_def *def = &reader->scene->def;
    parse_counts(reader, &node, true);
    if (!iso__scene_member(&node, "contact_points").is_present) {
        // So that what touches in pairs of one point each comes to the limit before contacts are dropped.
        def->contact_point_limit = (uint32_t)((uint64_t)def->contact_capacity * 3 / 4);
    }
}

#define GRAVITY_RANGE                                ISO__SCENE_RANGE(-1000, 1000)
#define NUMBER_KEY(name, low, high, otherwise, unit) " " #name
#define FIELD_NONE_COUNT(type, name, low, high, otherwise, object, key, unit)

/// A hundredth has no exact number in Q15.16: the message has the intended range.
static iso__scene_range number_range(fix16_t low, fix16_t high) {
    const bool is_hundredth = low == ISO_FIX16_ONE / 100;
    return (iso__scene_range){is_hundredth ? ISO_WIDE_ONE / 100 : iso_wide_from_fix16(low), iso_wide_from_fix16(high),
                              false, is_hundredth ? "a number from 0.01 to 1000" : NULL, false};
}

#define WORLD_KEYS ISO_WORLD_DEF_LIST(FIELD_NONE_COUNT, NUMBER_KEY, FIELD_NONE)

/// What only a world in space has, and its gravity.
static void parse_world3(iso__scene_reader *reader, const iso__scene_node *node) {
#define INTEGRATOR_WORD(NAME, number, name) " " #name
    static const char words[] = ISO_INTEGRATOR_LIST(INTEGRATOR_WORD);
#undef INTEGRATOR_WORD
#define INTEGRATOR_NUMBER(NAME, number, name) ISO_INTEGRATOR_##NAME,
    static const uint16_t integrators[] = {ISO_INTEGRATOR_LIST(INTEGRATOR_NUMBER)};
#undef INTEGRATOR_NUMBER
    iso_world_def *def = &reader->scene->def;
    const iso__scene_node gravity = iso__scene_member(node, "gravity");
    const iso__scene_node integrator = iso__scene_member(node, "integrator");
    if (gravity.is_present) {
        const iso_vec3 read = iso__scene_vec3(reader, &gravity, GRAVITY_RANGE);
        def->gravity = (iso_vec2){read.x, read.y};
        def->gravity_z = read.z;
    }
    if (integrator.is_present) {
        def->integrator = integrators[iso__scene_word(reader, &integrator, words + 1)];
    }
}

static void parse_world(iso__scene_reader *reader, const iso__scene_node *root) {
    const iso__scene_node node = iso__scene_member(root, "world");
    const char *keys = iso__scene_is_space(reader) ? "gravity integrator" WORLD_KEYS : "gravity" WORLD_KEYS;
    if (!node.is_present || !iso__scene_object(reader, &node, keys)) {
        return;
    }
    iso_world_def *def = &reader->scene->def;
    if (iso__scene_is_space(reader)) {
        parse_world3(reader, &node);
    } else {
        def->gravity = iso__scene_vec2_or(reader, &node, "gravity", GRAVITY_RANGE, def->gravity);
    }
#define PARSE_NUMBER(name, low, high, otherwise, unit) \
    def->name = iso__scene_fix16_or(reader, &node, #name, number_range(low, high), def->name);
    ISO_WORLD_DEF_LIST(FIELD_NONE_COUNT, PARSE_NUMBER, FIELD_NONE)
#undef PARSE_NUMBER
}

// ---- the game ------------------------------------------------------------------------------------

static const iso_game *game_find(const iso__scene_reader *reader, const char *name) {
    for (uint32_t i = 0; i < reader->game_count; ++i) {
        if (strcmp(reader->games[i]->name, name) == 0) {
            return reader->games[i];
        }
    }
    return NULL;
}

static void game_read_params(iso__scene_reader *reader, const iso__scene_node *node) {
    const iso_game *game = reader->scene->game;
    if (!json_object_is_type(node->json, json_type_object)) {
        iso__scene_invalid(reader, node, "an object");
        return;
    }
    json_object_object_foreach(node->json, key, value) {
        const iso__scene_node param = {node, key, 0, value, true};
        uint32_t index = 0;
        while (index < game->param_count && strcmp(game->params[index].name, key) != 0) {
            index += 1;
        }
        if (index == game->param_count) {
            char expected[sizeof reader->error->expected] = "a parameter of the game: ";
            for (uint32_t i = 0; i < game->param_count; ++i) {
                iso__scene_append(expected, sizeof expected, ", ", i == 0 ? 0 : 2);
                iso__scene_append(expected, sizeof expected, game->params[i].name, strlen(game->params[i].name));
            }
            iso__scene_invalid(reader, &param,
                               game->param_count > 0 ? expected : "nothing: the game has no parameters");
            return;
        }
        const iso__scene_range range = {game->params[index].min, game->params[index].max, false, NULL, false};
        reader->scene->def.game_params[index] = iso__scene_wide(reader, &param, range);
    }
}

static void parse_game(iso__scene_reader *reader, const iso__scene_node *root) {
    const iso__scene_node node = iso__scene_member(root, "game");
    reader->is_game_wrong = node.is_present; // until it is found
    if (!node.is_present || !iso__scene_object(reader, &node, "name params")) {
        return;
    }
    static const char expected[] = "the name of a game that this program has";
    iso_scene *scene = reader->scene;
    const iso__scene_node name = iso__scene_member(&node, "name");
    const iso__scene_node params = iso__scene_member(&node, "params");
    const char *text = iso__scene_string(reader, &name, ISO_GAME_NAME_MAX, expected);
    scene->game = reader->status == ISO_OK ? game_find(reader, text) : NULL;
    if (scene->game == NULL) {
        iso_nearest nearest = {0};
        for (uint32_t i = 0; i < reader->game_count; ++i) {
            iso_nearest_look(&nearest, text, reader->games[i]->name, strlen(reader->games[i]->name));
        }
        iso__scene_invalid_name(reader, &name, expected, &nearest);
        return;
    }
    if (!iso_game_has_dimensions(scene->game, scene->def.dimensions)) {
        iso__scene_invalid(reader, &name,
                           iso__scene_is_space(reader) ? "a game for worlds with three dimensions"
                                                       : "a game for worlds with two dimensions");
        return;
    }
    reader->is_game_wrong = false;
    memcpy(scene->def.game, text, strlen(text));
    for (uint32_t i = 0; i < scene->game->param_count && i < ISO_GAME_PARAMS_MAX; ++i) {
        scene->def.game_params[i] = scene->game->params[i].value;
    }
    if (params.is_present) {
        game_read_params(reader, &params);
    }
}

/// Checks that the values are consistent with each other.
static void parse_check_def(iso__scene_reader *reader, const iso__scene_node *root) {
    const iso_world_def *def = &reader->scene->def;
    const uint32_t substeps = (uint32_t)def->tick_rate_hz * def->substep_count;
    if (substeps < 60 || substeps > 2047) {
        const iso__scene_node node = iso__scene_member(root, "substeps");
        iso__scene_invalid(reader, &node, "tick_rate_hz * substeps from 60 to 2047");
    }
    const char *field = "";
    if (reader->status != ISO_OK || iso_world_def_check(def, &field) == ISO_OK) {
        return;
    }
    const char *object = "world";
    const char *key = field;
    for (size_t i = 0; i < sizeof def_fields / sizeof *def_fields; ++i) {
        if (strcmp(def_fields[i].field, field) == 0) {
            object = def_fields[i].object;
            key = def_fields[i].key;
        }
    }
    const iso__scene_node outer = object != NULL ? iso__scene_member(root, object) : *root;
    const iso__scene_node node = iso__scene_member(object != NULL ? &outer : root, key);
    iso__scene_invalid(reader, &node, "a value within the world's bounds");
}

// ---- parse ---------------------------------------------------------------------------------------

/// The joints of the generators, then those of the list.
static void parse_joints(iso__scene_reader *reader, const iso__scene_node *bodies, const iso__scene_node *joints) {
    iso__scene_generate_joints(reader, bodies);
    const size_t count = joints->is_present ? iso__scene_array(reader, joints, 0, SIZE_MAX) : 0;
    for (size_t i = 0; i < count && reader->status == ISO_OK; ++i) {
        const iso__scene_node item = iso__scene_item(joints, i);
        (iso__scene_is_space(reader) ? iso__scene_read_joint3 : iso__scene_read_joint)(reader, &item, (uint32_t)i,
                                                                                       false);
        iso__scene_recover(reader);
    }
    if (count > 0 && reader->status == ISO_OK) {
        iso__scene_check_joint_names(reader, joints);
        iso__scene_recover(reader);
    }
}

/// What the world is made with. @return whether its capacities are what the scene means them to be
static bool parse_def(iso__scene_reader *reader, const iso__scene_node *root) {
    parse_header(reader, root);
    iso__scene_recover(reader);
    const uint32_t before = reader->fault_count;
    parse_capacities(reader, root);
    iso__scene_recover(reader);
    const bool has_capacities = reader->fault_count == before;
    parse_world(reader, root);
    iso__scene_recover(reader);
    parse_game(reader, root);
    iso__scene_recover(reader);
    if (reader->status == ISO_OK && reader->fault_count == 0) {
        parse_check_def(reader, root);
    }
    return has_capacities;
}

/// What depends on something wrong is not read: it would cause more errors.
static void parse_tree(iso__scene_reader *reader, const iso__scene_node *root) {
    if (!parse_def(reader, root)) {
        return;
    }
    const iso_scene *scene = reader->scene;
    const bool is_right = reader->status == ISO_OK && reader->fault_count == 0;
    if (is_right && iso_world_size(&scene->def, scene->game) > reader->world_size_max) {
        reader->status = ISO_ERR_CAPACITY;
        return;
    }
    const iso__scene_node materials = iso__scene_member(root, "materials");
    const iso__scene_node bodies = iso__scene_member(root, "bodies");
    const iso__scene_node joints = iso__scene_member(root, "joints");
    const iso__scene_node constraints = iso__scene_member(root, "constraints");
    const iso__scene_node blueprints = iso__scene_member(root, "blueprints");
    const iso__scene_node compounds = iso__scene_member(root, "compounds");
    const uint32_t before = reader->fault_count;
    iso__scene_read_constraints(reader, &constraints);
    iso__scene_recover(reader);
    iso__scene_read_materials(reader, &materials);
    iso__scene_recover(reader);
    iso__scene_read_blueprints(reader, &blueprints);
    iso__scene_recover(reader);
    iso__scene_read_bodies(reader, &bodies);
    if (iso__scene_recover(reader) && reader->fault_count == before) {
        parse_joints(reader, &bodies, &joints);
    }
    if (reader->status == ISO_OK && reader->fault_count == before) {
        iso__scene_read_compounds(reader, &compounds);
    }
}

/// Reads the tree into the scene. @return how many errors were found when the status is ISO_ERR_SCENE_INVALID
static uint32_t parse_root(iso__scene_reader *reader, json_object *json) {
    const iso__scene_node root = {NULL, NULL, 0, json, true};
    parse_tree(reader, &root);
    const uint32_t count = reader->error_count + (reader->status == ISO_ERR_SCENE_INVALID);
    if (reader->status == ISO_OK && count > 0) {
        reader->status = ISO_ERR_SCENE_INVALID;
    }
    free(reader->groups);
    free(reader->by_name);
    return count;
}

/// Where the errors of a scene go.
typedef struct parse_errors {
    iso_scene_error *list;
    uint32_t capacity, count;
} parse_errors;

/// @param world_size_max  UINT64_MAX: the author is trusted
static iso_status parse_scene(const char *text, size_t size, const iso_game *const *games, uint32_t game_count,
                              uint64_t world_size_max, iso_scene **scene, parse_errors *errors) {
    memset(errors->list, 0, errors->capacity * sizeof *errors->list);
    json_object *json = NULL;
    iso_status status = iso__scene_parse_text(text, size, world_size_max != UINT64_MAX, &json, errors->list);
    errors->count = status == ISO_ERR_SCENE_INVALID;
    if (status != ISO_OK) {
        return status;
    }
    iso__scene_reader *reader = calloc(1, sizeof *reader);
    iso_scene *made = calloc(1, sizeof *made);
    status = ISO_ERR_MEMORY;
    if (reader != NULL && made != NULL) {
        reader->scene = made;
        reader->error = errors->list;
        reader->error_capacity = errors->capacity;
        reader->world_size_max = world_size_max;
        reader->work = (uint64_t)size * ISO__SCENE_WORK_BYTE;
        reader->work_max = world_size_max != UINT64_MAX ? ISO_SCENE_SENT_WORK_MAX * (uint64_t)1000 : UINT64_MAX;
        reader->games = games;
        reader->game_count = game_count;
        made->def = iso_world_def_default();
        made->hash = XXH3_64bits(text, size);
        errors->count = parse_root(reader, json);
        status = reader->status;
        made->work = reader->work;
    }
    if (status == ISO_ERR_CAPACITY) {
        snprintf(errors->list->value, sizeof errors->list->value, "%llu",
                 (unsigned long long)iso_world_size(&made->def, made->game));
    }
    free(reader);
    json_object_put(json);
    if (status == ISO_OK) {
        *scene = made;
        return ISO_OK;
    }
    iso_scene_free(made);
    for (uint32_t i = 0; i < errors->count; ++i) {
        iso_scene_error_locate(&errors->list[i], text, size);
    }
    return status;
}

iso_status iso_scene_check(const char *text, size_t size, const iso_game *const *games, uint32_t game_count,
                           iso_scene **scene, iso_scene_error *errors, uint32_t capacity, uint32_t *count) {
    parse_errors found = {errors, capacity, 0};
    const iso_status status = parse_scene(text, size, games, game_count, UINT64_MAX, scene, &found);
    *count = found.count;
    return status;
}

iso_status iso_scene_parse_within(const char *text, size_t size, const iso_game *const *games, uint32_t game_count,
                                  uint64_t world_size_max, iso_scene **scene, iso_scene_error *error) {
    iso_scene_error unused;
    parse_errors found = {error != NULL ? error : &unused, 1, 0};
    const uint64_t bound = world_size_max < UINT64_MAX ? world_size_max : UINT64_MAX - 1;
    return parse_scene(text, size, games, game_count, bound, scene, &found);
}

iso_status iso_scene_parse(const char *text, size_t size, const iso_game *const *games, uint32_t game_count,
                           iso_scene **scene, iso_scene_error *error) {
    iso_scene_error unused;
    parse_errors found = {error != NULL ? error : &unused, 1, 0};
    return parse_scene(text, size, games, game_count, UINT64_MAX, scene, &found);
}
