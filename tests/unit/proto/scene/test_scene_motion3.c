/// What the built-in scenes in space do in the long run: what stands stays, what falls comes to rest, nets and dolls
/// stay together, and the scene of everything has everything.
#include "unit/space/world/space_util.h"

#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/joint3.h"
#include "isostep/proto/scene.h"
#include "isostep/scenes.h"
#include "unit/many.h"

#if ISO_TEST_STEP == 1
#define SECONDS    60
#define WALL_TICKS 240
#else
#define SECONDS    10 // unit/many.h
#define WALL_TICKS 4
#endif

static iso_world *scene_world(const char *name, bool sleeps, iso_scene **scene) {
    const iso_allocator allocator = iso_heap_allocator();
    const iso_builtin_scene *builtin = iso_builtin_scene_find(name);
    void *memory;
    iso_world *world;
    assert_non_null(builtin);
    EXPECT_STATUS(iso_scene_parse(builtin->text, builtin->size, iso_games, ISO_GAME_COUNT, scene, NULL), ISO_OK);
    (*scene)->def.sleep_speed = sleeps ? (*scene)->def.sleep_speed : 0;
    EXPECT_STATUS(iso_scene_create_world(*scene, NULL, &allocator, &memory, &world, NULL), ISO_OK);
    return world;
}

static iso_body_id scene_body(const iso_world *world, const iso_scene *scene, const char *name) {
    const uint32_t index = iso_scene_body_find(scene, name);
    assert_int_not_equal(index, UINT32_MAX);
    return iso_body_next(world, index);
}

/// What there is of motion in a world, and how well its joints hold.
typedef struct motion {
    double energy;      // J, of all bodies
    double fastest;     // m/s
    double lowest;      // m, of the centres
    double aside, sunk; // m, from where the scene put a body
    double separation;  // m, the largest of a joint
    uint32_t awake, dynamic, joints;
} motion;

static motion motion_of(const iso_world *world, const iso_scene *scene) {
    motion is = {.lowest = 1e9};
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        const iso_body_id id = iso_body_next(world, i);
        const iso_body3_view view = view3(world, id);
        if (view.type == ISO_BODY_DYNAMIC) {
            is.dynamic += 1;
            is.awake += iso_body_is_awake(world, id);
            is.energy += body3_energy(world, id);
            is.fastest = fmax(is.fastest, length(vector_of(view.velocity)));
            is.lowest = fmin(is.lowest, from_wide(view.centre.y));
            const vector way = sum(vector_of(view.position), -1, vector_of(scene->bodies3[i].def.position));
            is.aside = fmax(is.aside, hypot(way.x[0], way.x[2]));
            is.sunk = fmax(is.sunk, -way.x[1]);
        }
    }
    for (iso_joint_id j = iso_joint_next(world, 0); j.generation; j = iso_joint_next(world, j.index + 1)) {
        iso_wide separation = 0;
        EXPECT_STATUS(iso_joint3_get_separation(world, j, &separation), ISO_OK);
        is.separation = fmax(is.separation, from_wide(separation));
        is.joints += 1;
    }
    return is;
}

static void world_end(iso_world *world, iso_scene *scene) {
    assert_int_equal(world_counts(world).dropped_contacts, 0);
    iso_scene_free(scene);
    world_free(world);
}

// ---- what stands ---------------------------------------------------------------------------------

/// Where nothing may sleep it comes to rest by itself and stays there; where it may, it sleeps within two seconds.
/// Contacts are soft, so a tall one sinks a little.
static void expect_stands(const char *name, uint32_t bodies) {
    iso_scene *scene;
    iso_world *world = scene_world(name, false, &scene);
    double worst = 0;
    for (int second = 0; second < SECONDS; ++second) {
        world_steps(world, 60);
        const motion is = motion_of(world, scene);
        worst = second >= 5 ? fmax(worst, is.energy) : 0;
    }
    const motion end = motion_of(world, scene);
    print_message("%s: at most %.2g J at rest, %.4f m aside, %.4f m down\n", name, worst, end.aside, end.sunk);
    assert_int_equal(end.dynamic, bodies);
    EXPECT(worst < 1e-5, "%s has %g J", name, worst);
    EXPECT(end.aside < 0.002 && end.sunk < 0.02, "%s moved by %g m aside, %g m down", name, end.aside, end.sunk);
    world_end(world, scene);
    world = scene_world(name, true, &scene);
    world_steps(world, 120);
    assert_int_equal(motion_of(world, scene).awake, 0);
    world_end(world, scene);
}

static void test_planks_stand(void **state) {
    (void)state;
    expect_stands("planks", 18);
}

static void test_pyramid3_stands(void **state) {
    (void)state;
    expect_stands("pyramid3", 204);
}

static void test_large_wall3_stands(void **state) {
    (void)state;
    iso_scene *scene;
    iso_world *world = scene_world("large-wall3", true, &scene);
    const iso_vec3_wide top = view3(world, scene_body(world, scene, "box[242,19]")).position;
    EXPECT_NEAR(from_wide(top.x), 121 * 1.02, 1e-4, "x of the top's last");
    EXPECT_NEAR(from_wide(top.y), 19.5, 1e-9, "y of the top");
    world_steps(world, WALL_TICKS);
    const motion end = motion_of(world, scene);
    // 262 on the floor and two under each of the 4,788 others; and 5,030 neighbours, most of them near enough.
    assert_in_range(world_counts(world).contacts, 262 + 2 * 4788, 262 + 2 * 4788 + 5030);
    assert_int_equal(end.dynamic, 5050);
    assert_true(WALL_TICKS < 240 || end.awake == 0);
    print_message("large-wall3: %.4f m aside, %.4f m down, %u are awake\n", end.aside, end.sunk, end.awake);
    EXPECT(end.aside < 0.05 && end.sunk < 0.15, "it moved by %g m aside, %g m down", end.aside, end.sunk);
    world_end(world, scene);
}

// ---- what falls ----------------------------------------------------------------------------------

/// One after the other; the last one about 15 s after the first. Then all sleep, the ball too.
static void test_domino3_falls_to_the_last(void **state) {
    (void)state;
    iso_scene *scene;
    iso_world *world = scene_world("domino3", true, &scene);
    const iso_body_id first = scene_body(world, scene, "arc-1[0]"), last = scene_body(world, scene, "arc-6[12]");
    uint32_t ticks[2] = {0, 0};
    for (uint32_t tick = 1; tick <= 1200; ++tick) {
        world_steps(world, 1);
        const iso_body_id ends[2] = {first, last};
        for (int i = 0; i < 2; ++i) {
            const matrix R = matrix_of(view3(world, ends[i]).rotation);
            ticks[i] = ticks[i] == 0 && R.m[1][1] < 0.7 ? tick : ticks[i];
        }
    }
    print_message("domino3: the first falls at tick %u, the last at %u\n", ticks[0], ticks[1]);
    EXPECT(ticks[0] > 0 && ticks[0] < 60, "the first falls at tick %u", ticks[0]);
    EXPECT(ticks[1] > 600 && ticks[1] < 1100, "the last falls at tick %u", ticks[1]);
    for (uint32_t i = 2; i < scene->body_count; ++i) {
        const matrix R = matrix_of(view3(world, iso_body_next(world, i)).rotation);
        EXPECT(R.m[1][1] < 0.75, "%s stands", iso_scene_body_name(scene, i));
    }
    const motion end = motion_of(world, scene);
    assert_int_equal(end.awake, 0);
    EXPECT(end.lowest > 0, "one is at %g m", end.lowest);
    world_end(world, scene);
}

/// They lie still where they came to rest, in all their joints.
static void test_ragdolls3_come_to_rest(void **state) {
    (void)state;
    iso_scene *scene;
    iso_world *world = scene_world("ragdolls3", true, &scene);
    double worst = 0;
    for (int t = 0; t < 10 * 60; ++t) {
        world_steps(world, 1);
        worst = fmax(worst, motion_of(world, scene).separation);
    }
    world_steps(world, 10 * 60);
    const motion end = motion_of(world, scene);
    print_message("ragdolls3: joints at most %.4f m apart, after 20 s %.2g J and %.4f m/s\n", worst, end.energy,
                  end.fastest);
    assert_int_equal(end.dynamic, 66);
    assert_int_equal(end.joints, 60);
    EXPECT(worst < 0.1, "a doll came %g m apart", worst);
    EXPECT(end.energy < 0.01 && end.fastest < 0.05, "a limb moves with %g m/s", end.fastest);
    EXPECT(end.lowest > 0, "a limb is at %g m", end.lowest);
    // They fell down some stairs.
    EXPECT(from_wide(view3(world, scene_body(world, scene, "doll[0,0].head")).position.x) > -1,
           "the first doll stayed");
    world_end(world, scene);
}

/// The angle by which the axes of a hinge's bodies differ stays within its limits, cones and twists likewise.
static void test_ragdolls3_keep_their_limits(void **state) {
    (void)state;
    iso_scene *scene;
    iso_world *world = scene_world("ragdolls3", true, &scene);
    double beyond = 0;
    for (int t = 0; t < 5 * 60; ++t) {
        world_steps(world, 1);
        for (iso_joint_id j = iso_joint_next(world, 0); j.generation; j = iso_joint_next(world, j.index + 1)) {
            iso_joint3_def def;
            EXPECT_STATUS(iso_joint3_get(world, j, &def), ISO_OK);
            for (uint32_t n = 0; n < ISO_JOINT3_AXES && iso_joint3_axis_of(def.kind, n) != ISO_JOINT3_AXIS_NONE; ++n) {
                iso_wide value;
                EXPECT_STATUS(iso_joint3_get_axis(world, j, n, &value), ISO_OK);
                beyond = fmax(beyond, from_wide(value) - from_fix(def.axes[n].upper));
                beyond = fmax(beyond, from_fix(def.axes[n].lower) - from_wide(value));
            }
        }
    }
    print_message("ragdolls3: at most %.3f rad beyond a limit\n", beyond);
    EXPECT(beyond < 0.35, "%g rad beyond a limit", beyond);
    world_end(world, scene);
}

/// It sags and swings out.
static void test_joint_grid3_hangs(void **state) {
    (void)state;
    iso_scene *scene;
    iso_world *world = scene_world("joint-grid3", true, &scene);
    double worst = 0;
    const int seconds = SECONDS < 60 ? 5 : 40;
    for (int second = 0; second < seconds; ++second) {
        world_steps(world, 60);
        worst = fmax(worst, motion_of(world, scene).separation);
    }
    const motion end = motion_of(world, scene);
    const double middle = from_wide(view3(world, scene_body(world, scene, "node[9,0,9]")).position.y);
    print_message("joint-grid3: joints at most %.4f m apart, %.2g J after %d s, the middle at %.3f m\n", worst,
                  end.energy, seconds, middle);
    assert_int_equal(end.dynamic, 400);
    assert_int_equal(end.joints, 764);
    EXPECT(worst < 0.15, "a joint came %g m apart", worst);
    EXPECT(seconds < 40 || (end.energy < 0.5 && end.fastest < 0.02), "%g J after 40 s", end.energy);
    EXPECT(middle < -1.5 && middle > -3, "the middle is at %g m", middle);
    world_end(world, scene);
}

// ---- everything ----------------------------------------------------------------------------------

/// The brittle joint is gone, the others are not, and the gate has seen the runner.
static void test_everything3_has_everything(void **state) {
    (void)state;
    iso_scene *scene;
    iso_world *world = scene_world("everything3", true, &scene);
    uint32_t joint_kinds = 0, switches = 0, axis_switches = 0, body_types = 0, body_switches = 0, shape_kinds = 0;
    for (iso_joint_id id = iso_joint_next(world, 0); id.generation; id = iso_joint_next(world, id.index + 1)) {
        iso_joint3_def def;
        EXPECT_STATUS(iso_joint3_get(world, id, &def), ISO_OK);
        joint_kinds |= 1u << def.kind;
#define SEE_SWITCH(name, bit) switches |= def.name ? (bit) : 0;
        ISO_JOINT3_SWITCH_LIST(SEE_SWITCH)
#undef SEE_SWITCH
#define SEE_SWITCH(name, bit) axis_switches |= def.axes[0].name ? (bit) : 0;
        ISO_JOINT3_AXIS_SWITCH_LIST(SEE_SWITCH)
#undef SEE_SWITCH
    }
#define KIND_BIT(name, number, snake, linear, angular, axis0, axis1, axis2, has) | 1u << (number)
    assert_int_equal(joint_kinds, 0 ISO_JOINT3_KIND_LIST(KIND_BIT));
#undef KIND_BIT
#define SWITCH_BIT(name, bit) | (bit)
    assert_int_equal(switches, 0 ISO_JOINT3_SWITCH_LIST(SWITCH_BIT));
    assert_int_equal(axis_switches, 0 ISO_JOINT3_AXIS_SWITCH_LIST(SWITCH_BIT));
#undef SWITCH_BIT
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        const iso_body3_params *params = &scene->bodies3[i].def.params;
        body_types |= 1u << scene->bodies3[i].def.type;
#define SEE_SWITCH(name, bit, key) body_switches |= params->name ? (bit) : 0;
        ISO_BODY3_SWITCH_LIST(SEE_SWITCH)
#undef SEE_SWITCH
    }
    assert_int_equal(body_types, 1u << ISO_BODY_STATIC | 1u << ISO_BODY_KINEMATIC | 1u << ISO_BODY_DYNAMIC);
#define SWITCH_BIT(name, bit, key) | (bit)
    assert_int_equal(body_switches, 0 ISO_BODY3_SWITCH_LIST(SWITCH_BIT));
#undef SWITCH_BIT
    for (uint32_t i = 0; i < scene->shape_count; ++i) {
        shape_kinds |= 1u << scene->shapes3[i].kind;
    }
#define SHAPE_BIT(name, number) | 1u << (number)
    assert_int_equal(shape_kinds, 0 ISO_SHAPE3_KIND_LIST(SHAPE_BIT));
#undef SHAPE_BIT
    const uint32_t joints = world_counts(world).joints;
    const iso_body_id gate = scene_body(world, scene, "gate"), bell = scene_body(world, scene, "bell");
    uint32_t breaks = 0, gate_begins = 0, bell_begins = 0, sleeps = 0;
    for (int t = 0; t < 300; ++t) {
        iso_events events;
        world_steps(world, 1);
        iso_world_get_events(world, &events);
        breaks += events.joint_break_count;
        sleeps += events.sleep_count;
        for (uint32_t i = 0; i < events.contact_begin_count; ++i) {
            const iso_body_id a = events.contact_begins[i].body_a, b = events.contact_begins[i].body_b;
            gate_begins += iso_body_id_equal(a, gate) || iso_body_id_equal(b, gate);
            bell_begins += iso_body_id_equal(a, bell) || iso_body_id_equal(b, bell);
        }
    }
    assert_int_equal(breaks, 1);
    assert_int_equal(world_counts(world).joints, joints - 1);
    assert_int_equal(gate_begins, 1);
    assert_int_equal(bell_begins, 1);
    assert_true(sleeps > 20);
    world_end(world, scene);
}

/// Into another block of memory by a snapshot. @return the copy; the world is freed
static iso_world *recode(iso_world *world) {
    const size_t size = iso_snapshot_size(world);
    const iso_game *game = iso_world_get_game(world);
    const size_t world_size = iso_world_size(iso_world_get_def(world), game);
    uint8_t *bytes = malloc(size);
    iso_world *copy = NULL;
    EXPECT_STATUS(iso_world_create(iso_world_get_def(world), game, aligned_alloc(64, world_size), world_size, &copy),
                  ISO_OK);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    EXPECT_STATUS(iso_snapshot_decode(copy, bytes, size), ISO_OK);
    free(bytes);
    world_free(world);
    return copy;
}

/// With joints of every kind at work: what a restore, a decode or lost caches would leave out shows in the roots.
static void test_everything3_goes_on_the_same_after_rollbacks_and_snapshots(void **state) {
    (void)state;
    iso_scene *scene, *second;
    iso_world *straight = scene_world("everything3", true, &scene);
    iso_world *disturbed = scene_world("everything3", true, &second);
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
    world_end(straight, scene);
    world_end(disturbed, second);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planks_stand),
        cmocka_unit_test(test_pyramid3_stands),
        cmocka_unit_test(test_large_wall3_stands),
        cmocka_unit_test(test_domino3_falls_to_the_last),
        cmocka_unit_test(test_ragdolls3_come_to_rest),
        cmocka_unit_test(test_ragdolls3_keep_their_limits),
        cmocka_unit_test(test_joint_grid3_hangs),
        cmocka_unit_test(test_everything3_has_everything),
        cmocka_unit_test(test_everything3_goes_on_the_same_after_rollbacks_and_snapshots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
