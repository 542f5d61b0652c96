#include "fuzz_world.h"

#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/proto/scene.h"

#ifdef FUZZ_SPACE
#define FUZZ_GAME iso_game_sandbox3

static const char scene_text[] =
    "{'format': 1, 'name': 'fuzz-space', 'dimensions': 3, 'seed': 7, 'world': {'gravity': [0, -9.81, 0]},"
    " 'capacities': {'bodies': 24, 'shapes': 32, 'joints': 8, 'contacts': 64, 'slots': 4},"
    " 'constraints': {'leash': 'body dog, post scalar length limit length eps inf"
    "   constraint |dog.position - post.position| limit constraint (-inf) length',"
    "  'lift': 'body b vector way constraint way dot b.position'},"
    " 'game': {'name': 'sandbox3', 'params': {'bodies_per_slot': 6}},"
    " 'bodies': ["
    "  {'name': 'ground', 'type': 'static', 'shapes': [{'kind': 'plane', 'normal': [0, 1, 0]}]},"
    "  {'name': 'lift', 'type': 'kinematic', 'position': [8, 3, 0], 'velocity': [0, 1, 0],"
    "   'shapes': [{'kind': 'box', 'half_extents': [1, 0.2, 1]}]},"
    "  {'generator': 'row', 'name': 'box', 'count': 3, 'step': [0.1, 1.05, 0], 'body': {'position': [0, 0.6, 0],"
    "   'owner': 'everyone', 'shapes': [{'kind': 'box', 'half_extents': [0.5, 0.5, 0.5]}]}},"
    "  {'name': 'ball', 'position': [8, 4, 0], 'owner': 'everyone', 'mass': 200, 'shapes': ["
    "   {'kind': 'sphere', 'radius': 0.5}]},"
    "  {'name': 'wedge', 'position': [-5, 3, 0], 'angular_velocity': [3, 1, 0], 'moments': [50, 60, 70], 'shapes': ["
    "   {'kind': 'hull', 'points': [[-1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]},"
    "   {'kind': 'sphere', 'radius': 0.3, 'centre': [0, -0.5, 0]}]},"
    "  {'generator': 'chain', 'name': 'rope', 'count': 2, 'step': [0, -1, 0], 'from': 'ground', 'body': {"
    "   'position': [-9, 9, 0], 'shapes': [{'kind': 'capsule', 'a': [0, -0.4, 0], 'b': [0, 0.4, 0], 'radius': 0.1}]}}],"
    " 'joints': [{'kind': 'hinge', 'body_a': 'ground', 'body_b': 'wedge', 'at': [-5, 3, 0], 'axis': [0, 0, 1]}]}";

/// Little to simulate: for what is about sessions, where a step costs more than all that is tried.
static const char light_text[] =
    "{'format': 1, 'name': 'fuzz-space-light', 'dimensions': 3, 'seed': 7, 'substeps': 1,"
    " 'capacities': {'bodies': 12, 'shapes': 16, 'joints': 4, 'contacts': 16, 'slots': 4},"
    " 'game': {'name': 'sandbox3', 'params': {'bodies_per_slot': 2}},"
    " 'bodies': [{'name': 'ground', 'type': 'static', 'shapes': [{'kind': 'box', 'half_extents': [30, 1, 30]}]},"
    "  {'name': 'ball', 'position': [8, 1.5, 0], 'owner': 'everyone', 'shapes': [{'kind': 'sphere', 'radius': 0.5}]}]}";
#else
#define FUZZ_GAME iso_game_sandbox

static const char scene_text[] =
    "{'format': 1, 'name': 'fuzz', 'seed': 7,"
    " 'capacities': {'bodies': 24, 'shapes': 32, 'joints': 8, 'contacts': 64, 'slots': 4,"
    "  'programs': 1, 'custom_joints': 4},"
    " 'constraints': {'leash': 'body dog, post scalar length limit length eps inf constraint { |dog.position - "
    "post.position|"
    "   dog.rotation - post.rotation } limit constraint { (-inf) 0 } { length 0 }'},"
    " 'game': {'name': 'sandbox', 'params': {'bodies_per_slot': 6}},"
    " 'blueprints': [{'name': 'cart', 'bodies': [{'name': 'box', 'mass': 2, 'shapes': [{'kind': 'box', 'half_width': "
    "0.4,"
    "  'half_height': 0.1}]}, {'name': 'wheel', 'position': [0, -0.3], 'shapes': [{'kind': 'circle', 'radius': 0.2}]}],"
    "  'joints': [{'kind': 'wheel', 'body_a': 'box', 'body_b': 'wheel', 'at': [0, -0.3], 'axis': [0, 1]}]}],"
    " 'compounds': [{'blueprint': 'cart', 'position': [4, 4], 'angle': 0.3, 'owner': 'everyone'}],"
    " 'bodies': ["
    "  {'name': 'ground', 'type': 'static', 'shapes': [{'kind': 'box', 'half_width': 30, 'half_height': 1}]},"
    "  {'name': 'lift', 'type': 'kinematic', 'position': [8, 3], 'velocity': [0, 1],"
    "   'shapes': [{'kind': 'box', 'half_width': 1, 'half_height': 0.2}]},"
    "  {'generator': 'row', 'name': 'box', 'count': 3, 'step': [0.1, 1.05], 'body': {'position': [0, 1.6], 'owner': "
    "'everyone',"
    "   'shapes': [{'kind': 'box', 'half_width': 0.5, 'half_height': 0.5, 'radius': 0.02}]}},"
    "  {'name': 'ball', 'position': [8, 4], 'owner': 'everyone', 'shapes': [{'kind': 'circle', 'radius': 0.5}]},"
    "  {'name': 'wedge', 'position': [-5, 3], 'shapes': [{'kind': 'polygon', 'points': [[-1, 0], [1, 0], [0, 1]]},"
    "   {'kind': 'circle', 'radius': 0.3, 'centre': [0, -0.5]}]},"
    "  {'generator': 'chain', 'name': 'rope', 'count': 2, 'step': [0, -1], 'from': 'ground', 'body': {'position': [-9, "
    "9],"
    "   'shapes': [{'kind': 'box', 'half_width': 0.1, 'half_height': 0.5}]}}],"
    " 'joints': [{'kind': 'symbolic', 'constraint': 'leash', 'owner': 'everyone', 'bodies': {'dog': 'wedge', 'post': "
    "'ground'},"
    "   'scalars': {'length': 3}},"
    "  {'kind': 'user', 'constraint': 'zip', 'owner': 'everyone', 'bodies': {'body1': 'ground', 'body2': 'ball'},"
    "   'vectors': {'anchor1': [8, 8], 'anchor2': [0, 0.5]}, 'scalars': {'shortest': 0.5, 'tooth': 0.25}}]}";

/// Little to simulate: for what is about sessions, where a step costs more than all that is tried.
static const char light_text[] =
    "{'format': 1, 'name': 'fuzz-light', 'seed': 7, 'substeps': 1,"
    " 'capacities': {'bodies': 12, 'shapes': 16, 'joints': 4, 'contacts': 16, 'slots': 4},"
    " 'game': {'name': 'sandbox', 'params': {'bodies_per_slot': 2}},"
    " 'bodies': [{'name': 'ground', 'type': 'static', 'shapes': [{'kind': 'box', 'half_width': 30, 'half_height': 1}]},"
    "  {'name': 'ball', 'position': [8, 1.5], 'owner': 'everyone', 'shapes': [{'kind': 'circle', 'radius': 0.5}]}]}";

#endif

static iso_scene *scene, *light;

static iso_scene *parse(iso_scene **made, const char *source, size_t size) {
    static char text[sizeof scene_text > sizeof light_text ? sizeof scene_text : sizeof light_text];
    if (*made != NULL) {
        return *made;
    }
    for (size_t i = 0; i < size; ++i) {
        text[i] = (char)(source[i] == '\'' ? '"' : source[i]);
    }
    iso_scene_error error;
    char line[256] = "";
    if (iso_scene_parse(text, size, iso_games, ISO_GAME_COUNT, made, &error) != ISO_OK) {
        iso_scene_error_format(&error, line, sizeof line);
        fprintf(stderr, "fuzz_world: %s\n", line);
        abort();
    }
    return *made;
}

const iso_game *fuzz_world_game(void) {
    return &FUZZ_GAME;
}

const iso_world_def *fuzz_world_def(void) {
    return iso_scene_def(parse(&scene, scene_text, sizeof scene_text - 1));
}

const iso_world_def *fuzz_world_light_def(void) {
    return iso_scene_def(parse(&light, light_text, sizeof light_text - 1));
}

static iso_world *make_empty(const iso_world_def *def) {
    const size_t size = iso_world_size(def, &FUZZ_GAME);
    iso_world *world = NULL;
    void *memory = aligned_alloc(64, size);
    FUZZ_CHECK(memory != NULL);
    FUZZ_CHECK(iso_world_create(def, &FUZZ_GAME, memory, size, &world) == ISO_OK);
    return world;
}

iso_world *fuzz_world_empty(void) {
    return make_empty(fuzz_world_def());
}

static iso_world *make_scene(const iso_scene *from) {
    const iso_allocator allocator = iso_heap_allocator();
    iso_world *world = NULL;
    void *memory = NULL;
    iso_scene_error error;
    FUZZ_CHECK(iso_scene_create_world(from, NULL, &allocator, &memory, &world, &error) == ISO_OK);
    return world;
}

iso_world *fuzz_world_make(void) {
    iso_world *world = make_scene(parse(&scene, scene_text, sizeof scene_text - 1));
    const iso_change joins[FUZZ_WORLD_SLOTS] = {{ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 1, 1}};
    const iso_tick_input first = {.tick = 1, .changes = joins, .change_count = FUZZ_WORLD_SLOTS};
    FUZZ_CHECK(iso_world_step(world, &first) == ISO_OK);
    for (int i = 0; i < 40; ++i) {
        FUZZ_CHECK(iso_world_step_empty(world) == ISO_OK);
    }
    return world;
}

iso_world *fuzz_world_light(void) {
    static void *image;
    static size_t size;
    if (image == NULL) {
        iso_world *original = make_scene(parse(&light, light_text, sizeof light_text - 1));
        size = iso_world_image_size(original);
        image = malloc(size);
        FUZZ_CHECK(image != NULL && iso_world_save(original, image, size) == size);
        free(original);
    }
    iso_world *world = make_empty(fuzz_world_light_def());
    FUZZ_CHECK(iso_world_restore(world, image, size) == ISO_OK);
    return world;
}

void fuzz_world_secret(void *user, const uint8_t *bytes, size_t size, uint8_t secret[ISO_SECRET_SIZE]) {
    (void)user;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size + ISO_SECRET_SIZE; ++i) {
        hash = (hash ^ (i < size ? bytes[i] : i)) * UINT64_C(0x100000001b3);
        secret[i % ISO_SECRET_SIZE] = (uint8_t)(hash >> 32);
    }
}
