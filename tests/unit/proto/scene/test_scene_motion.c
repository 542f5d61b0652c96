/// What the built-in scenes with joints do in the long run: chains stay together, dolls come to rest, the shell of the
/// tumbler keeps what is in it, and the scene of everything has everything.
#include "unit/world/physics_util.h"

#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/proto/scene.h"
#include "isostep/scenes.h"
#include "unit/many.h"

#if ISO_TEST_STEP == 1
#define SECONDS 60
#else
#define SECONDS 5 // unit/many.h
#endif

static iso_world *scene_world(const char *name, iso_scene **scene) {
    const iso_allocator allocator = iso_heap_allocator();
    const iso_builtin_scene *builtin = iso_builtin_scene_find(name);
    void *memory;
    iso_world *world;
    assert_non_null(builtin);
    EXPECT_STATUS(iso_scene_parse(builtin->text, builtin->size, iso_games, ISO_GAME_COUNT, scene, NULL), ISO_OK);
    EXPECT_STATUS(iso_scene_create_world(*scene, NULL, &allocator, &memory, &world, NULL), ISO_OK);
    return world;
}

static iso_body_id scene_body(const iso_world *world, const iso_scene *scene, const char *name) {
    const uint32_t index = iso_scene_body_find(scene, name);
    assert_int_not_equal(index, UINT32_MAX);
    return iso_body_next(world, index);
}

static double largest_separation(const iso_world *world) {
    double largest = 0;
    for (iso_joint_id id = iso_joint_next(world, 0); id.generation; id = iso_joint_next(world, id.index + 1)) {
        iso_wide separation = 0;
        EXPECT_STATUS(iso_joint_get_separation(world, id, &separation), ISO_OK);
        largest = fmax(largest, from_wide(separation));
    }
    return largest;
}

static void test_heavy_chain_stays_together(void **state) {
    (void)state;
    iso_scene *scene;
    iso_world *world = scene_world("heavy-chain", &scene);
    const pose ball = body_pose(world, scene_body(world, scene, "ball")),
               link = body_pose(world, scene_body(world, scene, "link[3]"));
    EXPECT_NEAR(ball.mass / link.mass, 100, 0.01, "ratio of the masses");
    double worst = 0, late = 0;
    for (int t = 0; t < SECONDS * 60; ++t) {
        world_steps(world, 1);
        worst = fmax(worst, largest_separation(world));
        late = t >= SECONDS * 30 ? fmax(late, largest_separation(world)) : 0;
    }
    print_message("heavy-chain: anchors at most %.3f m apart, %.3f m in the second half\n", worst, late);
    EXPECT(worst < 0.5 && late < 0.25, "the chain came %g m apart, late %g m", worst, late);
    iso_scene_free(scene);
    world_free(world);
}

static void test_ragdolls_come_to_rest(void **state) {
    (void)state;
    iso_scene *scene;
    iso_world *world = scene_world("ragdolls", &scene);
    assert_int_equal(world_counts(world).bodies, 20 * 11 + 1);
    assert_int_equal(world_counts(world).joints, 20 * 10);
    double worst = 0, fastest = 0, lowest = 0;
    for (int t = 0; t < 20 * 60; ++t) {
        world_steps(world, 1);
        worst = fmax(worst, largest_separation(world));
    }
    for (iso_body_id id = iso_body_next(world, 1); id.generation; id = iso_body_next(world, id.index + 1)) {
        const pose at = body_pose(world, id);
        fastest = fmax(fastest, hypot(at.vx, at.vy));
        lowest = fmin(lowest, at.y);
    }
    print_message("ragdolls: anchors at most %.3f m apart, after 20 s %.4f m/s\n", worst, fastest);
    EXPECT(worst < 0.1, "a doll came %g m apart", worst);
    EXPECT(fastest < 0.05, "a limb still moves with %g m/s", fastest);
    EXPECT(lowest > -0.05, "a limb is %g m under the ground", -lowest);
    iso_scene_free(scene);
    world_free(world);
}

static void test_tumbler_keeps_its_boxes_and_its_speed(void **state) {
    (void)state;
    iso_scene *scene;
    iso_world *world = scene_world("tumbler", &scene);
    const iso_body_id shell = scene_body(world, scene, "shell");
    double widest = 0;
    for (int t = 0; t < SECONDS; ++t) {
        world_steps(world, 60);
        const pose at = body_pose(world, shell);
        for (uint32_t i = 0; i < 2025; ++i) {
            const pose box = body_pose(world, iso_body_next(world, shell.index + 1 + i));
            const double dx = box.x - at.x, dy = box.y - at.y, c = cos(at.angle), s = sin(at.angle);
            widest = fmax(widest, fmax(fabs(c * dx + s * dy), fabs(c * dy - s * dx)));
        }
        EXPECT(widest < 9.5, "second %d: a box is %g m from the axis", t, widest);
    }
    EXPECT_NEAR(body_pose(world, shell).angle, SECONDS * 0.436332, 0.02 * SECONDS, "angle of the shell");
    print_message("tumbler: centres within %.3f m of 9.5 m\n", widest);
    assert_int_equal(world_counts(world).dropped_contacts, 0);
    iso_scene_free(scene);
    world_free(world);
}

/// Its joints do what they are there for: the brittle one is gone, the others are not.
static void test_everything_has_everything(void **state) {
    (void)state;
    iso_scene *scene;
    iso_world *world = scene_world("everything", &scene);
    uint32_t joint_kinds = 0, switches = 0, body_types = 0, shape_kinds = 0;
    for (iso_joint_id id = iso_joint_next(world, 0); id.generation; id = iso_joint_next(world, id.index + 1)) {
        iso_joint_def def;
        EXPECT_STATUS(iso_joint_get(world, id, &def), ISO_OK);
        joint_kinds |= 1u << def.kind;
#define SEE_SWITCH(name, bit) switches |= def.name ? (bit) : 0;
        ISO_JOINT_SWITCH_LIST(SEE_SWITCH)
#undef SEE_SWITCH
    }
#define KIND_BIT(name, number, snake, has) | 1u << (number)
    assert_int_equal(joint_kinds, 0 ISO_JOINT_KIND_LIST(KIND_BIT));
#undef KIND_BIT
#define SWITCH_BIT(name, bit) | (bit)
    assert_int_equal(switches, 0 ISO_JOINT_SWITCH_LIST(SWITCH_BIT));
#undef SWITCH_BIT
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        body_types |= 1u << scene->bodies[i].def.type;
    }
    assert_int_equal(body_types, 1u << ISO_BODY_STATIC | 1u << ISO_BODY_KINEMATIC | 1u << ISO_BODY_DYNAMIC);
    for (uint32_t i = 0; i < scene->shape_count; ++i) {
        shape_kinds |= 1u << scene->shapes[i].kind;
    }
#define SHAPE_BIT(name, number) | 1u << (number)
    assert_int_equal(shape_kinds, 0 ISO_SHAPE_KIND_LIST(SHAPE_BIT));
#undef SHAPE_BIT
    const uint32_t joints = world_counts(world).joints;
    world_steps(world, 300);
    assert_int_equal(world_counts(world).joints, joints - 1);
    iso_scene_free(scene);
    world_free(world);
}

/// Into another block of memory by a snapshot. @return the copy; the world is freed
static iso_world *recode(iso_world *world) {
    const size_t size = iso_snapshot_size(world),
                 world_size = iso_world_size(iso_world_get_def(world), &iso_game_sandbox);
    uint8_t *bytes = malloc(size);
    iso_world *copy = NULL;
    EXPECT_STATUS(
        iso_world_create(iso_world_get_def(world), &iso_game_sandbox, aligned_alloc(64, world_size), world_size, &copy),
        ISO_OK);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    EXPECT_STATUS(iso_snapshot_decode(copy, bytes, size), ISO_OK);
    free(bytes);
    world_free(world);
    return copy;
}

/// With joints of every kind at work: what a restore, a decode or lost caches would leave out shows in the roots.
static void test_everything_goes_on_the_same_after_rollbacks_and_snapshots(void **state) {
    (void)state;
    iso_scene *scene, *second;
    iso_world *straight = scene_world("everything", &scene), *disturbed = scene_world("everything", &second);
    for (uint32_t t = 0; t < 600; ++t) {
        if (t % 5 == 1) { // steps up to 8 ticks ahead, then back
            const size_t size = iso_world_image_size(disturbed);
            void *image = malloc(size);
            assert_int_equal(iso_world_save(disturbed, image, size), size);
            world_steps(disturbed, 1 + t % 8);
            EXPECT_STATUS(iso_world_restore(disturbed, image, size), ISO_OK);
            free(image);
        } else if (t % 13 == 2) {
            disturbed = recode(disturbed);
        } else if (t % 7 == 3) {
            iso_world_drop_caches(disturbed);
        }
        world_steps(straight, 1);
        world_steps(disturbed, 1);
        EXPECT(iso_world_root(straight) == iso_world_root(disturbed), "other roots at tick %u", t + 1);
    }
    iso_scene_free(scene);
    iso_scene_free(second);
    world_free(straight);
    world_free(disturbed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heavy_chain_stays_together),
        cmocka_unit_test(test_ragdolls_come_to_rest),
        cmocka_unit_test(test_tumbler_keeps_its_boxes_and_its_speed),
        cmocka_unit_test(test_everything_has_everything),
        cmocka_unit_test(test_everything_goes_on_the_same_after_rollbacks_and_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
