#include "fuzz_world.h"

#include "isostep/proto/scene.h"

static const char scene_text[] =
    "{'format': 1, 'name': 'fuzz', 'seed': 7,"
    " 'capacities': {'bodies': 24, 'shapes': 32, 'joints': 8, 'contacts': 64, 'slots': 4,"
    "  'programs': 1, 'custom_joints': 4},"
    " 'constraints': {'leash': 'body dog, post scalar length limit length eps inf constraint { |dog.position - post.position|"
    "   dog.rotation - post.rotation } limit constraint { (-inf) 0 } { length 0 }'},"
    " 'game': {'name': 'sandbox', 'params': {'bodies_per_slot': 6}},"
    " 'bodies': ["
    "  {'name': 'ground', 'type': 'static', 'shapes': [{'kind': 'box', 'half_width': 30, 'half_height': 1}]},"
    "  {'name': 'lift', 'type': 'kinematic', 'position': [8, 3], 'velocity': [0, 1],"
    "   'shapes': [{'kind': 'box', 'half_width': 1, 'half_height': 0.2}]},"
    "  {'generator': 'row', 'name': 'box', 'count': 3, 'step': [0.1, 1.05], 'body': {'position': [0, 1.6], 'owner': 'everyone',"
    "   'shapes': [{'kind': 'box', 'half_width': 0.5, 'half_height': 0.5, 'radius': 0.02}]}},"
    "  {'name': 'ball', 'position': [8, 4], 'owner': 'everyone', 'shapes': [{'kind': 'circle', 'radius': 0.5}]},"
    "  {'name': 'wedge', 'position': [-5, 3], 'shapes': [{'kind': 'polygon', 'points': [[-1, 0], [1, 0], [0, 1]]},"
    "   {'kind': 'circle', 'radius': 0.3, 'centre': [0, -0.5]}]},"
    "  {'generator': 'chain', 'name': 'rope', 'count': 2, 'step': [0, -1], 'from': 'ground', 'body': {'position': [-9, 9],"
    "   'shapes': [{'kind': 'box', 'half_width': 0.1, 'half_height': 0.5}]}}],"
    " 'joints': [{'kind': 'symbolic', 'constraint': 'leash', 'owner': 'everyone', 'bodies': {'dog': 'wedge', 'post': 'ground'},"
    "   'scalars': {'length': 3}},"
    "  {'kind': 'user', 'constraint': 'zip', 'owner': 'everyone', 'bodies': {'body1': 'ground', 'body2': 'ball'},"
    "   'vectors': {'anchor1': [8, 8], 'anchor2': [0, 0.5]}, 'scalars': {'shortest': 0.5, 'tooth': 0.25}}]}";

static iso_scene *scene;

static void *allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    return aligned_alloc(alignment, (size + alignment - 1u) / alignment * alignment);
}

static void release(void *user, void *memory, size_t size)
{
    (void)user;
    (void)size;
    free(memory);
}

static void parse(void)
{
    char text[sizeof scene_text];
    for (size_t i = 0; i < sizeof scene_text; i++) {
        text[i] = (char)(scene_text[i] == '\'' ? '"' : scene_text[i]);
    }
    iso_scene_error error;
    char line[256] = "";
    if (scene == NULL && iso_scene_parse(text, sizeof text - 1, NULL, 0, &scene, &error) != ISO_OK) {
        iso_scene_error_format(&error, line, sizeof line);
        fprintf(stderr, "fuzz_world: %s\n", line);
        abort();
    }
}

const iso_world_def *fuzz_world_def(void)
{
    parse();
    return iso_scene_def(scene);
}

iso_world *fuzz_world_empty(void)
{
    const size_t size = iso_world_size(fuzz_world_def(), &iso_game_sandbox);
    iso_world *world = NULL;
    void *memory = aligned_alloc(64, size);
    FUZZ_CHECK(memory != NULL);
    FUZZ_CHECK(iso_world_create(fuzz_world_def(), &iso_game_sandbox, memory, size, &world) == ISO_OK);
    return world;
}

iso_world *fuzz_world_make(void)
{
    parse();
    const iso_allocator allocator = {allocate, release, NULL};
    iso_world *world = NULL;
    void *memory = NULL;
    iso_scene_error error;
    FUZZ_CHECK(iso_scene_create_world(scene, NULL, &allocator, &memory, &world, &error) == ISO_OK);
    const iso_change joins[FUZZ_WORLD_SLOTS] = {{ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 1, 1}};
    const iso_tick_input first = {.tick = 1, .changes = joins, .change_count = FUZZ_WORLD_SLOTS};
    FUZZ_CHECK(iso_world_step(world, &first) == ISO_OK);
    for (int i = 0; i < 40; i++) {
        FUZZ_CHECK(iso_world_step_empty(world) == ISO_OK);
    }
    return world;
}
