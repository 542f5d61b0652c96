/// Building worlds from scenes: the built-in ones, capacities, refusals, allocation.
#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/isostep.h"
#include "isostep/scenes.h"
#include "test_scene_util.h"

typedef struct test_memory {
    size_t size; // of the one block that is out, or 0
    size_t calls;
    bool is_empty; // refuses
} test_memory;

static void *test_allocate(void *user, size_t size, size_t alignment) {
    test_memory *memory = user;
    memory->calls += 1;
    if (memory->is_empty) {
        return NULL;
    }
    assert_int_equal(memory->size, 0);
    assert_int_equal(alignment, 64);
    memory->size = size;
    return iso_heap_allocate(NULL, size, alignment);
}

static void test_release(void *user, void *block, size_t size) {
    test_memory *memory = user;
    assert_int_equal(memory->size, size);
    memory->size = 0;
    iso_heap_release(NULL, block, size);
}

static iso_scene *parse_builtin(const char *name) {
    const iso_builtin_scene *builtin = iso_builtin_scene_find(name);
    assert_non_null(builtin);
    iso_scene *scene = NULL;
    iso_scene_error error;
    if (iso_scene_parse(builtin->text, builtin->size, iso_games, ISO_GAME_COUNT, &scene, &error) != ISO_OK) {
        char line[800];
        iso_scene_error_format(&error, line, sizeof line);
        fail_msg("%s: %s", name, line);
    }
    assert_string_equal(scene->name, name);
    return scene;
}

/// A world of the scene, in memory that the caller frees.
static iso_world *build(const iso_scene *scene, void **memory) {
    test_memory heap = {0};
    const iso_allocator allocator = {test_allocate, test_release, &heap};
    iso_world *world = NULL;
    iso_scene_error error;
    const iso_status status = iso_scene_create_world(scene, NULL, &allocator, memory, &world, &error);
    if (status != ISO_OK) {
        fail_msg("%s: %s: %s %s %s", scene->name, iso_status_name(status), error.path, error.value, error.expected);
    }
    assert_int_equal(heap.size, iso_world_size(&scene->def, scene->game));
    return world;
}

static void test_builtin_scenes_are_listed_by_name(void **state) {
    (void)state;
    static const char *const names[] = {
        "bridge",     "chain3",     "cloth",         "compounds",     "domino3",        "everything",   "everything3",
        "falling3",   "gear-train", "gyro",          "heavy-chain",   "hound",          "joint-grid",   "joint-grid3",
        "joints3",    "junkyard",   "large-pyramid", "large-wall3",   "large-world",    "long-chain",   "many-pyramids",
        "mass-ratio", "pinball",    "planks",        "pulley-lift",   "pyramid3",       "ragdoll-pile", "ragdolls",
        "ragdolls3",  "rain",       "rally",         "ratchet-winch", "sandbox",        "sandbox3",     "shapes",
        "smash",      "spinner",    "stack",         "stack3",        "suspension-car", "symbolic3",    "terrain3",
        "tumbler",    "walker",     "wall3",         "washer"};
    size_t count = 0;
    const iso_builtin_scene *list = iso_builtin_scene_list(&count);
    assert_int_equal(count, sizeof names / sizeof names[0]);
    for (size_t i = 0; i < count; ++i) {
        assert_string_equal(list[i].name, names[i]);
        assert_ptr_equal(iso_builtin_scene_find(names[i]), &list[i]);
        assert_int_equal(list[i].text[list[i].size], 0);
        assert_int_equal(strlen(list[i].text), list[i].size);
    }
    assert_null(iso_builtin_scene_find("stac"));
    assert_null(iso_builtin_scene_find(""));
}

static void test_builtin_scenes_build_with_their_counts(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t bodies, shapes, joints, dynamic;
    } scenes[] = {
        {"large-pyramid", 5051, 5051, 0, 5050},
        {"joint-grid", 10000, 10000, 19800, 9993},
        {"stack", 11, 11, 0, 10},
        {"mass-ratio", 6, 6, 0, 5},
        {"sandbox", 51, 55, 20, 46},
        {"heavy-chain", 32, 31, 31, 31},
        {"ragdolls", 221, 221, 200, 220},
        {"ragdoll-pile", 1101, 1103, 1000, 1100},
        {"long-chain", 101, 100, 100, 100},
        {"bridge", 63, 63, 51, 61},
        {"pulley-lift", 6, 8, 3, 5},
        {"gear-train", 11, 10, 19, 10},
        {"ratchet-winch", 27, 27, 27, 26},
        {"suspension-car", 36, 36, 2, 3},
        {"tumbler", 2027, 2029, 1, 2026},
        {"shapes", 103, 114, 0, 98},
        {"cloth", 8, 10, 1, 4},
        {"walker", 7, 9, 0, 6},
        {"hound", 7, 9, 0, 6},
        {"pinball", 8, 23, 2, 2},
        {"many-pyramids", 22001, 22040, 0, 22000},
        {"spinner", 6078, 6141, 1, 6077},
        {"rain", 11001, 13015, 10000, 11000},
        {"smash", 9601, 9601, 0, 9601},
        {"washer", 8102, 8140, 0, 8100},
        {"junkyard", 8002, 8005, 0, 8000},
        {"compounds", 3001, 6003, 0, 3000},
        {"large-world", 20200, 20200, 0, 20000},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
        iso_scene *scene = parse_builtin(scenes[i].name);
        void *memory = NULL;
        iso_world *world = build(scene, &memory);
        iso_world_counts counts;
        iso_world_get_counts(world, &counts);
        assert_int_equal(counts.bodies, scenes[i].bodies);
        assert_int_equal(counts.shapes, scenes[i].shapes);
        assert_int_equal(counts.joints, scenes[i].joints);
        assert_int_equal(scene->body_count, scenes[i].bodies);
        assert_int_equal(scene->shape_total, scenes[i].shapes);
        assert_int_equal(scene->joint_count, scenes[i].joints);
        assert_int_equal(iso_world_get_tick(world), 0);
        uint32_t dynamic = 0;
        for (iso_body_id b = iso_body_next(world, 0); b.generation; b = iso_body_next(world, b.index + 1)) {
            iso_body_view view;
            assert_int_equal(iso_body_get(world, b, &view), ISO_OK);
            assert_int_equal(view.tag, scene->bodies[b.index].def.tag);
            assert_int_equal(b.generation, 1);
            dynamic += view.type == ISO_BODY_DYNAMIC;
        }
        assert_int_equal(dynamic, scenes[i].dynamic);
        free(memory);
        iso_scene_free(scene);
    }
}

static void test_large_pyramid_rests_touching(void **state) {
    (void)state;
    iso_scene *scene = parse_builtin("large-pyramid");
    assert_string_equal(iso_scene_body_name(scene, 0), "ground");
    assert_string_equal(iso_scene_body_name(scene, 5050), "box[0,99]");
    uint32_t index = 1;
    for (int32_t row = 0; row < 100; ++row) {
        for (int32_t column = 0; column < 100 - row; ++column, ++index) {
            const iso_vec2_wide position = scene->bodies[index].def.position;
            assert_int_equal(position.x, (2 * column + row - 99) * ISO_WIDE_HALF);
            assert_int_equal(position.y, (2 * row + 1) * ISO_WIDE_HALF);
        }
    }
    assert_int_equal(scene->bodies[5050].def.position.y, 199 * ISO_WIDE_HALF);
    void *memory = NULL;
    iso_world *world = build(scene, &memory);
    assert_int_equal(iso_world_step_empty(world), ISO_OK);
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    // 100 on the ground, two under each of the 4,950 others, and, as they touch, 4,950 between neighbours.
    assert_int_equal(counts.contacts, 14950);
    assert_int_equal(counts.dropped_contacts, 0);
    free(memory);
    iso_scene_free(scene);
}

static void test_joint_grid_is_box2ds(void **state) {
    (void)state;
    iso_scene *scene = parse_builtin("joint-grid");
    uint32_t joint = 0;
    for (int32_t k = 0; k < 100; ++k) {
        for (int32_t i = 0; i < 100; ++i) {
            const uint32_t index = (uint32_t)(k * 100 + i);
            const iso_body_def *body = &scene->bodies[index].def;
            assert_int_equal(body->position.x, k * ISO_WIDE_ONE);
            assert_int_equal(body->position.y, -i * ISO_WIDE_ONE);
            assert_int_equal(body->type, k >= 47 && k <= 53 && i == 0 ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC);
            if (i > 0) {
                const iso_scene_joint *upper = &scene->joints[joint++];
                assert_int_equal(upper->body_a, index - 1);
                assert_int_equal(upper->body_b, index);
                assert_int_equal(upper->def.anchor_a.y, -32768);
                assert_int_equal(upper->def.anchor_b.y, 32768);
                assert_int_equal(upper->def.anchor_a.x | upper->def.anchor_b.x, 0);
            }
            if (k > 0) {
                const iso_scene_joint *left = &scene->joints[joint++];
                assert_int_equal(left->body_a, index - 100);
                assert_int_equal(left->body_b, index);
                assert_int_equal(left->def.anchor_a.x, 32768);
                assert_int_equal(left->def.anchor_b.x, -32768);
                assert_int_equal(left->def.anchor_a.y | left->def.anchor_b.y, 0);
            }
        }
    }
    assert_int_equal(joint, scene->joint_count);
    const iso_shape_def *circle = &scene->shapes[0];
    assert_int_equal(circle->radius, 26214); // 0.4
    assert_int_equal(circle->filter.category & circle->filter.mask, 0);
    void *memory = NULL;
    iso_world *world = build(scene, &memory);
    assert_int_equal(iso_world_step_empty(world), ISO_OK);
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.contacts, 0);
    free(memory);
    iso_scene_free(scene);
}

/// Steps for ten seconds, after which no body may be more than `limit` away from where it started.
static void assert_stands(const iso_scene *scene, iso_world *world, iso_wide limit) {
    for (int tick = 0; tick < 600; ++tick) {
        assert_int_equal(iso_world_step_empty(world), ISO_OK);
    }
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        iso_body_view view;
        assert_int_equal(iso_body_get(world, iso_body_next(world, i), &view), ISO_OK);
        const iso_vec2_wide start = scene->bodies[i].def.position;
        const iso_wide dx = view.position.x - start.x;
        const iso_wide dy = view.position.y - start.y;
        assert_true(iso_wide_hypot(dx, dy) < limit);
    }
}

static void test_stack_stands(void **state) {
    (void)state;
    iso_scene *scene = parse_builtin("stack");
    void *memory = NULL;
    iso_world *world = build(scene, &memory);
    assert_stands(scene, world, ISO_WIDE_ONE / 20);
    free(memory);
    iso_scene_free(scene);
}

static void test_mass_ratio_is_one_to_a_thousand_and_stands(void **state) {
    (void)state;
    iso_scene *scene = parse_builtin("mass-ratio");
    void *memory = NULL;
    iso_world *world = build(scene, &memory);
    for (uint32_t i = 1; i <= 5; ++i) {
        iso_body_view view;
        assert_int_equal(iso_body_get(world, iso_body_next(world, i), &view), ISO_OK);
        assert_true(view.position.y == (2 * (int32_t)i - 1) * ISO_WIDE_HALF);
        assert_true(view.mass == (i == 5 ? 1000 : 1) * ISO_WIDE_ONE);
    }
    assert_stands(scene, world, ISO_WIDE_ONE / 10);
    free(memory);
    iso_scene_free(scene);
}

static uint64_t root_of(const iso_world *world) {
    return iso_world_root((iso_world *)world);
}

static void test_sandbox_moves_and_settles_without_loss(void **state) {
    (void)state;
    iso_scene *scene = parse_builtin("sandbox");
    assert_ptr_equal(scene->game, &iso_game_sandbox);
    void *memory = NULL;
    void *twin_memory = NULL;
    iso_world *world = build(scene, &memory);
    iso_world *twin = build(scene, &twin_memory);
    assert_true(root_of(world) == root_of(twin));
    for (int tick = 0; tick < 1800; ++tick) {
        assert_int_equal(iso_world_step_empty(world), ISO_OK);
        if (tick < 60) {
            assert_int_equal(iso_world_step_empty(twin), ISO_OK);
            assert_true(root_of(world) == root_of(twin));
        }
    }
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.dropped_contacts, 0);
    assert_int_equal(counts.clamped_velocities, 0);
    uint32_t moving = 0;
    uint32_t moved = 0;
    for (iso_body_id b = iso_body_next(world, 0); b.generation; b = iso_body_next(world, b.index + 1)) {
        iso_body_view view;
        assert_int_equal(iso_body_get(world, b, &view), ISO_OK);
        // Nothing has left the place between floor and walls.
        assert_true(view.centre.y > -ISO_WIDE_HALF && view.centre.y < 20 * ISO_WIDE_ONE);
        assert_true(view.centre.x > -41 * ISO_WIDE_ONE && view.centre.x < 41 * ISO_WIDE_ONE);
        const iso_wide speed = iso_wide_hypot(view.velocity.x, view.velocity.y);
        moving += speed > ISO_WIDE_ONE / 2;
        const iso_vec2_wide start = scene->bodies[b.index].def.position;
        moved += iso_wide_hypot(view.position.x - start.x, view.position.y - start.y) > ISO_WIDE_HALF;
    }
    assert_in_range(moved, 15, 60);
    assert_in_range(moving, 0, 12);
    free(memory);
    free(twin_memory);
    iso_scene_free(scene);
}

/// A game's start: as many metres per second squared to the right as there are bodies already.
static void counting_start(iso_world *world, void *game_state) {
    (void)game_state;
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    iso_world_set_gravity(world, (iso_vec2){(fix16_t)(counts.bodies + counts.joints) * ISO_FIX16_ONE, 0});
}

static void test_scene_starts_its_game_after_the_last_joint(void **state) {
    (void)state;
    static const iso_game counting = {
        .name = "counting", .version = 1, .control_layout = "none", .start = counting_start};
    static const iso_game *const games[] = {&counting};
    static const char text[] =
        "{\"format\": 1, \"name\": \"t\", \"game\": {\"name\": \"counting\"}, \"bodies\": [{\"generator\": \"chain\","
        "\"name\": \"c\", \"count\": 3, \"step\": [1, 0], \"body\": {}}]}";
    iso_scene *scene = NULL;
    assert_int_equal(iso_scene_parse(text, sizeof text - 1, games, 1, &scene, NULL), ISO_OK);
    void *memory = NULL;
    iso_world *world = build(scene, &memory);
    assert_int_equal(iso_world_get_gravity(world).x, 5 * ISO_FIX16_ONE);
    free(memory);
    iso_scene_free(scene);
}

static void test_scene_build_refuses_a_world_that_is_not_empty(void **state) {
    (void)state;
    iso_scene *scene = parse_builtin("stack");
    void *memory = NULL;
    iso_world *world = build(scene, &memory);
    assert_int_equal(iso_scene_build(scene, world, NULL), ISO_ERR_STATE);
    free(memory);
    iso_scene_free(scene);
}

static void test_scene_build_names_the_body_that_is_too_heavy(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        "{\"format\": 1, \"name\": \"t\", \"materials\": {\"lead\": {\"density\": 30000}}, \"bodies\": [{\"name\": "
        "\"light\"},"
        "{\"generator\": \"row\", \"name\": \"heavy\", \"count\": 2, \"step\": [9, 0], \"body\": {\"shapes\": ["
        "{\"kind\": \"box\", \"half_width\": 20, \"half_height\": 20, \"material\": \"lead\"}]}}]}");
    test_memory heap = {0};
    const iso_allocator allocator = {test_allocate, test_release, &heap};
    void *memory = NULL;
    iso_world *world = NULL;
    iso_scene_error error;
    assert_int_equal(iso_scene_create_world(scene, NULL, &allocator, &memory, &world, &error), ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.path, "/bodies/1");
    assert_string_equal(error.value, "heavy[0]");
    assert_string_equal(error.expected, "shapes whose mass and inertia are in range (a value is out of range)");
    assert_null(memory);
    assert_null(world);
    assert_int_equal(heap.size, 0);
    assert_int_equal(heap.calls, 1);
    iso_scene_free(scene);
}

/// 188.5 rad/s at 60 Hz and 4 substeps, 128 rad/s for a radius of 2 m and more.
static void test_scene_build_refuses_what_turns_too_fast(void **state) {
    (void)state;
    static const struct {
        const char *bodies, *joints, *path;
    } cases[] = {
        {"{\"name\": \"a\", \"angular_velocity\": 188}", "", NULL},
        {"{\"name\": \"a\", \"angular_velocity\": 300}", "", "/bodies/0"},
        {"{\"name\": \"a\", \"angular_velocity\": 127, \"shapes\": [{\"kind\": \"circle\", \"radius\": 3}]}", "", NULL},
        {"{\"name\": \"a\", \"angular_velocity\": 129, \"shapes\": [{\"kind\": \"circle\", \"radius\": 3}]}", "",
         "/bodies/0"},
        {"{\"name\": \"a\", \"type\": \"static\"}, {\"name\": \"b\"}",
         "{\"kind\": \"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"motor\": {\"speed\": -188, "
         "\"max\": "
         "9}}",
         NULL},
        {"{\"name\": \"a\", \"type\": \"static\"}, {\"name\": \"b\"}",
         "{\"kind\": \"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"motor\": {\"speed\": -300, "
         "\"max\": "
         "9}}",
         "/joints/0/motor/speed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[1000];
        snprintf(text, sizeof text, "{\"format\": 1, \"name\": \"t\", \"bodies\": [%s], \"joints\": [%s]}",
                 cases[i].bodies, cases[i].joints);
        iso_scene *scene = parse_ok(text);
        test_memory heap = {0};
        const iso_allocator allocator = {test_allocate, test_release, &heap};
        void *memory = NULL;
        iso_world *world = NULL;
        iso_scene_error error = {0};
        const iso_status status = iso_scene_create_world(scene, NULL, &allocator, &memory, &world, &error);
        assert_int_equal(status, cases[i].path == NULL ? ISO_OK : ISO_ERR_SCENE_INVALID);
        if (cases[i].path == NULL) {
            test_release(&heap, memory, heap.size);
        } else {
            assert_string_equal(error.path, cases[i].path);
        }
        if (cases[i].path != NULL && strstr(cases[i].path, "speed") != NULL) {
            assert_string_equal(error.value, "-300");
            assert_non_null(strstr(error.expected, ": a speed of at most 188.495"));
        }
        iso_scene_free(scene);
    }
}

static void test_scene_world_may_differ_in_seed_rate_and_capacities(void **state) {
    (void)state;
    iso_scene *scene = parse_builtin("stack");
    test_memory heap = {0};
    const iso_allocator allocator = {test_allocate, test_release, &heap};
    void *memory = NULL;
    iso_world *world = NULL;
    iso_world_def def = *iso_scene_def(scene);
    def.seed = 77;
    def.tick_rate_hz = 30;
    def.body_capacity = 200;
    assert_int_equal(iso_scene_create_world(scene, &def, &allocator, &memory, &world, NULL), ISO_OK);
    assert_true(iso_world_get_def(world)->seed == 77);
    assert_int_equal(iso_world_get_def(world)->tick_rate_hz, 30);
    test_release(&heap, memory, heap.size);

    def.body_capacity = 5;
    assert_int_equal(iso_scene_create_world(scene, &def, &allocator, &memory, &world, NULL), ISO_ERR_CAPACITY);
    def.substep_count = 0;
    assert_int_equal(iso_scene_create_world(scene, &def, &allocator, &memory, &world, NULL), ISO_ERR_RANGE);
    heap.is_empty = true;
    assert_int_equal(iso_scene_create_world(scene, NULL, &allocator, &memory, &world, NULL), ISO_ERR_MEMORY);
    assert_int_equal(heap.size, 0);
    iso_scene_free(scene);
}

/// An index of the scene is that of the world, with generation 1, and names are those of their own list.
static void test_joints_of_a_world_have_the_names_of_the_scene(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        "{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"a\"}, {\"generator\": \"chain\", \"name\": "
        "\"link\", "
        "\"count\": 3, \"step\": [1, 0], \"body\": {}}], \"joints\": [{\"kind\": \"filter\", \"body_a\": \"a\", "
        "\"body_b\": "
        "\"link[0]\"}, {\"kind\": \"gear\", \"name\": \"a\", \"body_a\": \"a\", \"body_b\": \"link[1]\"}, {\"kind\": "
        "\"target\", \"name\": \"aim-2\", \"body_b\": \"a\", \"target\": [0, 1]}]}");
    assert_int_equal(scene->joint_count, 5); // first two of the chain
    assert_string_equal(iso_scene_joint_name(scene, 0), "");
    assert_string_equal(iso_scene_joint_name(scene, 2), "");
    assert_string_equal(iso_scene_joint_name(scene, 3), "a");
    assert_string_equal(iso_scene_joint_name(scene, 4), "aim-2");
    assert_string_equal(iso_scene_joint_name(scene, 5), "");
    assert_int_equal(iso_scene_joint_find(scene, "a"), 3);
    assert_int_equal(iso_scene_joint_find(scene, "aim-2"), 4);
    assert_true(iso_scene_joint_find(scene, "link[0]") == UINT32_MAX);
    assert_true(iso_scene_joint_find(scene, "") == UINT32_MAX);
    assert_string_equal(iso_scene_body_name(scene, 0), "a");
    assert_true(iso_scene_body_find(scene, "aim-2") == UINT32_MAX);
    void *memory = NULL;
    const iso_world *world = build(scene, &memory);
    iso_joint_def joint;
    assert_int_equal(iso_joint_get(world, (iso_joint_id){.index = 3, .generation = 1}, &joint), ISO_OK);
    assert_int_equal(joint.kind, ISO_JOINT_GEAR);
    assert_int_equal(iso_joint_get(world, (iso_joint_id){.index = 4, .generation = 1}, &joint), ISO_OK);
    assert_int_equal(joint.kind, ISO_JOINT_TARGET);
    free(memory);
    iso_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin_scenes_are_listed_by_name),
        cmocka_unit_test(test_joints_of_a_world_have_the_names_of_the_scene),
        cmocka_unit_test(test_builtin_scenes_build_with_their_counts),
        cmocka_unit_test(test_large_pyramid_rests_touching),
        cmocka_unit_test(test_joint_grid_is_box2ds),
        cmocka_unit_test(test_stack_stands),
        cmocka_unit_test(test_mass_ratio_is_one_to_a_thousand_and_stands),
        cmocka_unit_test(test_sandbox_moves_and_settles_without_loss),
        cmocka_unit_test(test_scene_starts_its_game_after_the_last_joint),
        cmocka_unit_test(test_scene_build_refuses_a_world_that_is_not_empty),
        cmocka_unit_test(test_scene_build_names_the_body_that_is_too_heavy),
        cmocka_unit_test(test_scene_build_refuses_what_turns_too_fast),
        cmocka_unit_test(test_scene_world_may_differ_in_seed_rate_and_capacities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
