/// The whole scene: header, capacities, world, game; then materials, bodies, joints.
#define XXH_INLINE_ALL
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "scene/internal.h"
#include "isostep/games.h"

/// Where a field of the world definition stands in the scene, for what iso_world_def_check finds.
typedef struct def_field {
    const char *field;   // of iso_world_def
    const char *object;  // member of the scene, or NULL
    const char *key;
} def_field;

static const def_field def_fields[] = {
    { "body_capacity", "capacities", "bodies" },
    { "shape_capacity", "capacities", "shapes" },
    { "joint_capacity", "capacities", "joints" },
    { "contact_capacity", "capacities", "contacts" },
    { "program_capacity", "capacities", "programs" },
    { "custom_joint_capacity", "capacities", "custom_joints" },
    { "contact_point_limit", "capacities", "contact_points" },
    { "kept_body_capacity", "capacities", "kept_bodies" },
    { "slot_capacity", "capacities", "slots" },
    { "substep_count", NULL, "substeps" },
    { "tick_rate_hz", NULL, "tick_rate_hz" },
    { "game", NULL, "game" },
    { "game_params", "game", "params" },
};

static const char *const scene_keys =
    "format name description seed tick_rate_hz substeps capacities world game constraints materials bodies joints";

static void parse_header(iso__scene_reader *reader, const iso__scene_node *root)
{
    iso_scene *scene = reader->scene;
    if (!iso__scene_object(reader, root, scene_keys)) {
        return;
    }
    const iso__scene_node format = iso__scene_member(root, "format");
    const iso__scene_node name = iso__scene_member(root, "name");
    const iso__scene_node description = iso__scene_member(root, "description");
    iso__scene_uint(reader, &format, ISO_SCENE_FORMAT, ISO_SCENE_FORMAT);
    const char *text = iso__scene_name(reader, &name);
    if (strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(text)) {
        iso__scene_invalid(reader, &name, "a scene's name: 1 to 31 lower-case letters, digits or \"-\"");
    }
    snprintf(scene->name, sizeof scene->name, "%s", text);
    if (description.present) {
        text = iso__scene_string(reader, &description, ISO_SCENE_DESCRIPTION_MAX, "a string of at most 1023 bytes");
        snprintf(scene->description, sizeof scene->description, "%s", text);
    }
    iso_world_def *def = &scene->def;
    def->seed = iso__scene_uint_or(reader, root, "seed", 0, UINT64_MAX, def->seed);
    def->tick_rate_hz = (uint16_t)iso__scene_uint_or(reader, root, "tick_rate_hz", 10, 128, def->tick_rate_hz);
    def->substep_count = (uint8_t)iso__scene_uint_or(reader, root, "substeps", 1, 16, def->substep_count);
}

static void parse_capacities(iso__scene_reader *reader, const iso__scene_node *root)
{
    const iso__scene_node node = iso__scene_member(root, "capacities");
    if (!node.present || !iso__scene_object(reader, &node, "bodies shapes joints contacts contact_points kept_bodies programs custom_joints slots events")) {
        return;
    }
    iso_world_def *def = &reader->scene->def;
    def->body_capacity = (uint32_t)iso__scene_uint_or(reader, &node, "bodies", 1, ISO_BODY_CAPACITY_MAX, def->body_capacity);
    def->shape_capacity = (uint32_t)iso__scene_uint_or(reader, &node, "shapes", 1, ISO_BODY_CAPACITY_MAX, def->shape_capacity);
    def->joint_capacity = (uint32_t)iso__scene_uint_or(reader, &node, "joints", 0, ISO_BODY_CAPACITY_MAX, def->joint_capacity);
    def->contact_capacity =
        (uint32_t)iso__scene_uint_or(reader, &node, "contacts", 0, ISO_CONTACT_CAPACITY_MAX, def->contact_capacity);
    // So that what touches in pairs of one point each comes to the limit before contacts are dropped.
    const uint32_t point_limit = (uint32_t)((uint64_t)def->contact_capacity * 3 / 4);
    def->contact_point_limit =
        (uint32_t)iso__scene_uint_or(reader, &node, "contact_points", 0, 2 * ISO_CONTACT_CAPACITY_MAX, point_limit);
    def->kept_body_capacity = (uint32_t)iso__scene_uint_or(reader, &node, "kept_bodies", 0, ISO_BODY_CAPACITY_MAX, def->kept_body_capacity);
    def->program_capacity = (uint32_t)iso__scene_uint_or(reader, &node, "programs", 0, ISO_PROGRAM_CAPACITY_MAX, def->program_capacity);
    def->custom_joint_capacity =
        (uint32_t)iso__scene_uint_or(reader, &node, "custom_joints", 0, ISO_CUSTOM_JOINT_CAPACITY_MAX, def->custom_joint_capacity);
    def->event_capacity = (uint32_t)iso__scene_uint_or(reader, &node, "events", 0, ISO_BODY_CAPACITY_MAX, def->event_capacity);
    def->slot_capacity = (uint8_t)iso__scene_uint_or(reader, &node, "slots", 0, ISO_SLOT_COUNT_MAX, def->slot_capacity);
}

static void parse_world(iso__scene_reader *reader, const iso__scene_node *root)
{
    const iso__scene_node node = iso__scene_member(root, "world");
    if (!node.present ||
        !iso__scene_object(reader, &node,
                           "gravity contact_hertz contact_damping_ratio contact_push_speed restitution_threshold "
                           "joint_hertz joint_damping_ratio slop speculative_distance sleep_speed sleep_time")) {
        return;
    }
    iso_world_def *def = &reader->scene->def;
    def->gravity = iso__scene_vec2_or(reader, &node, "gravity", ISO__SCENE_RANGE(-1000, 1000), def->gravity);
    static const iso__scene_range hertz = { INT64_C(42949672), 1000 * ISO_WIDE_ONE, false, "a number from 0.01 to 1000" };
    static const iso__scene_range ratio = { 0, 1000 * ISO_WIDE_ONE, false, NULL };
    static const iso__scene_range speed = { 0, 500 * ISO_WIDE_ONE, false, NULL };
    static const iso__scene_range time = { 0, 500 * ISO_WIDE_ONE, false, NULL };
    static const iso__scene_range length = { 0, ISO_WIDE_HALF, false, NULL };
    const struct {
        const char *key;
        fix16_t *value;
        iso__scene_range range;
    } numbers[] = {
        { "contact_hertz", &def->contact_hertz, hertz },
        { "contact_damping_ratio", &def->contact_damping_ratio, ratio },
        { "contact_push_speed", &def->contact_push_speed, speed },
        { "restitution_threshold", &def->restitution_threshold, speed },
        { "joint_hertz", &def->joint_hertz, hertz },
        { "joint_damping_ratio", &def->joint_damping_ratio, ratio },
        { "slop", &def->slop, length },
        { "speculative_distance", &def->speculative_distance, length },
        { "sleep_speed", &def->sleep_speed, speed },
        { "sleep_time", &def->sleep_time, time },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *numbers[i].value = iso__scene_fix16_or(reader, &node, numbers[i].key, numbers[i].range, *numbers[i].value);
    }
}

// ---- the game ------------------------------------------------------------------------------------

static const iso_game *game_find(const iso__scene_reader *reader, const char *name)
{
    for (uint32_t i = 0; i < reader->game_count; i++) {
        if (strcmp(reader->games[i]->name, name) == 0) {
            return reader->games[i];
        }
    }
    return iso_game_find(name);
}

static void game_read_params(iso__scene_reader *reader, const iso__scene_node *node)
{
    const iso_game *game = reader->scene->game;
    if (!json_object_is_type(node->json, json_type_object)) {
        iso__scene_invalid(reader, node, "an object");
        return;
    }
    json_object_object_foreach(node->json, key, value)
    {
        const iso__scene_node param = { node, key, 0, value, true };
        uint32_t index = 0;
        while (index < game->param_count && strcmp(game->params[index].name, key) != 0) {
            index += 1;
        }
        if (index == game->param_count) {
            char expected[sizeof reader->error->expected] = "a parameter of the game: ";
            for (uint32_t i = 0; i < game->param_count; i++) {
                iso__scene_append(expected, sizeof expected, ", ", i == 0 ? 0 : 2);
                iso__scene_append(expected, sizeof expected, game->params[i].name, strlen(game->params[i].name));
            }
            iso__scene_invalid(reader, &param, game->param_count > 0 ? expected : "nothing: the game has no parameters");
            return;
        }
        const iso__scene_range range = { game->params[index].min, game->params[index].max, false, NULL };
        reader->scene->def.game_params[index] = iso__scene_wide(reader, &param, range);
    }
}

static void parse_game(iso__scene_reader *reader, const iso__scene_node *root)
{
    const iso__scene_node node = iso__scene_member(root, "game");
    if (!node.present || !iso__scene_object(reader, &node, "name params")) {
        return;
    }
    static const char expected[] = "the name of a game that this program has";
    iso_scene *scene = reader->scene;
    const iso__scene_node name = iso__scene_member(&node, "name");
    const iso__scene_node params = iso__scene_member(&node, "params");
    const char *text = iso__scene_string(reader, &name, ISO_GAME_NAME_MAX, expected);
    scene->game = reader->status == ISO_OK ? game_find(reader, text) : NULL;
    if (scene->game == NULL) {
        iso__scene_invalid(reader, &name, expected);
        return;
    }
    memcpy(scene->def.game, text, strlen(text));
    for (uint32_t i = 0; i < scene->game->param_count && i < ISO_GAME_PARAMS_MAX; i++) {
        scene->def.game_params[i] = scene->game->params[i].value;
    }
    if (params.present) {
        game_read_params(reader, &params);
    }
}

/// What the readers above do not know: how the values go together.
static void parse_check_def(iso__scene_reader *reader, const iso__scene_node *root)
{
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
    for (size_t i = 0; i < sizeof def_fields / sizeof *def_fields; i++) {
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

static void parse_tree(iso__scene_reader *reader, const iso__scene_node *root)
{
    parse_header(reader, root);
    parse_capacities(reader, root);
    parse_world(reader, root);
    parse_game(reader, root);
    if (reader->status == ISO_OK) {
        parse_check_def(reader, root);
    }
    const iso__scene_node materials = iso__scene_member(root, "materials");
    const iso__scene_node bodies = iso__scene_member(root, "bodies");
    const iso__scene_node joints = iso__scene_member(root, "joints");
    const iso__scene_node constraints = iso__scene_member(root, "constraints");
    iso__scene_read_constraints(reader, &constraints);
    iso__scene_read_materials(reader, &materials);
    iso__scene_read_bodies(reader, &bodies);
    if (reader->status == ISO_OK) {
        iso__scene_read_joints(reader, &bodies, &joints);
    }
}

/// The tree of a text that iso__scene_check_text took; NULL when memory runs out.
static json_object *parse_json(const char *text, size_t size)
{
    json_tokener *tokener = json_tokener_new_ex(ISO_SCENE_DEPTH_MAX + 2);
    if (tokener == NULL) {
        return NULL;
    }
    static_assert(ISO_SCENE_SIZE_MAX <= INT_MAX, "json-c counts in int");
    json_object *json = json_tokener_parse_ex(tokener, text, (int)size);
    json_tokener_free(tokener);
    return json;
}

iso_status iso_scene_parse(const char *text, size_t size, const iso_game *const *games, uint32_t game_count,
                           iso_scene **scene, iso_scene_error *error)
{
    iso_scene_error unused;
    error = error != NULL ? error : &unused;
    memset(error, 0, sizeof *error);
    if (!iso__scene_check_text(text, size, error)) {
        return ISO_ERR_SCENE_INVALID;
    }
    json_object *json = parse_json(text, size);
    iso__scene_reader *reader = calloc(1, sizeof *reader);
    iso_scene *made = calloc(1, sizeof *made);
    iso_status status = ISO_ERR_MEMORY;
    if (json != NULL && reader != NULL && made != NULL) {
        reader->scene = made;
        reader->error = error;
        reader->games = games;
        reader->game_count = game_count;
        made->def = iso_world_def_default();
        made->hash = XXH3_64bits(text, size);
        const iso__scene_node root = { NULL, NULL, 0, json, true };
        parse_tree(reader, &root);
        status = reader->status;
    }
    if (reader != NULL) {
        free(reader->groups);
        free(reader->by_name);
        free(reader);
    }
    json_object_put(json);
    if (status != ISO_OK) {
        iso_scene_free(made);
        return status;
    }
    *scene = made;
    return ISO_OK;
}
