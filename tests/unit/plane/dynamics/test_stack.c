/// Tall stacks stand, and the rules by which a contact keeps the pose of its manifold.
///
/// A stack stands while no box is farther from its place than its half height; a column that buckles passes that within
/// half a second. Box2D 3.2 stands and drops the same columns, see core/ARCHITECTURE.md.
#include "unit/world/physics_util.h"

#include "isostep/snapshot.h"
#include "plane/world/plane.h"

#define MINUTE 3600u
#define BOXES  64u

// ---- columns and houses --------------------------------------------------------------------------

typedef struct stack {
    iso_world *world;
    iso_body_id bodies[BOXES];
    pose places[BOXES];
    double size; // the half height of a piece
    uint32_t count;
} stack;

static iso_world_def stack_def(bool sleeps) {
    iso_world_def def = iso_world_def_default();
    def.body_capacity = def.shape_capacity = 128;
    def.joint_capacity = 0;
    def.contact_capacity = 512;
    def.slot_capacity = 0;
    def.sleep_speed = sleeps ? def.sleep_speed : 0;
    return def;
}

static stack stack_begin(const iso_world_def *def, double size, double friction) {
    stack is = {.world = world_make(def), .size = size};
    iso_shape_def floor = shape_box(40, 1);
    floor.friction = fix(friction);
    body_add_shape(is.world, ISO_BODY_STATIC, 0, -1, 0, &floor);
    return is;
}

static void stack_add(stack *is, double x, double y, double angle, double half_width, double half_height,
                      double friction) {
    iso_shape_def shape = shape_box(half_width, half_height);
    shape.friction = fix(friction);
    assert_true(is->count < BOXES);
    is->bodies[is->count] = body_add_shape(is->world, ISO_BODY_DYNAMIC, x, y, angle, &shape);
    is->places[is->count] = body_pose(is->world, is->bodies[is->count]);
    ++is->count;
}

/// Boxes of one size, each up to `offset` to the side. [m]
static stack stack_make(const iso_world_def *def, uint32_t count, double size, double offset, uint64_t seed) {
    rng random = {seed};
    stack is = stack_begin(def, size / 2, 0.6);
    for (uint32_t i = 0; i < count; ++i) {
        stack_add(&is, rng_range(&random, -offset, offset), size * (i + 0.5), 0, size / 2, size / 2, 0.6);
    }
    return is;
}

/// Pairs of cards that lean against each other by 25 degrees, and flat ones between them.
static stack stack_make_house(const iso_world_def *def, uint32_t levels) {
    const double half = 0.2, thin = 0.0025, lean = 25 * PI / 180, friction = 0.7;
    stack is = stack_begin(def, half, friction);
    double first = 0, y = half - 0.02;
    for (uint32_t level = levels; level > 0; --level) {
        for (uint32_t i = 0; i < level; ++i) {
            const double x = first + 0.35 * i;
            if (i + 1 < level) {
                stack_add(&is, x + 0.25, y + half - 0.015, PI / 2, thin, half, friction);
            }
            stack_add(&is, x, y, -lean, thin, half, friction);
            stack_add(&is, x + 0.175, y, lean, thin, half, friction);
        }
        y += 2 * half - 0.03;
        first += 0.175;
    }
    return is;
}

/// The farthest that a piece is from its place, in halves of its height.
static double stack_moved(const stack *is) {
    double moved = 0;
    for (uint32_t i = 0; i < is->count; ++i) {
        const pose p = body_pose(is->world, is->bodies[i]);
        moved = fmax(moved, hypot(p.x - is->places[i].x, p.y - is->places[i].y) / is->size);
    }
    return moved;
}

/// Runs a stack for a minute and ends it. @return how far it moved
static double stack_run(stack *is, bool sleeps) {
    world_steps(is->world, MINUTE);
    const double moved = stack_moved(is);
    assert_int_equal(world_counts(is->world).awake_bodies, sleeps ? 0 : is->count);
    world_free(is->world);
    return moved;
}

static void test_boxes_of_a_metre_stand_for_a_minute(void **state) {
    (void)state;
    for (int sleeps = 0; sleeps < 2; ++sleeps) {
        const iso_world_def def = stack_def(sleeps);
        for (uint64_t seed = 0; seed < 4; ++seed) {
            for (uint32_t count = 14; count <= 20; count += 6) {
                stack is = stack_make(&def, count, 1, seed == 0 ? 0 : 0.1, seed);
                const double moved = stack_run(&is, sleeps);
                // What sways slowly may fall asleep where it turns round.
                EXPECT(moved < (sleeps ? 0.9 : 0.45), "%u boxes, seed %d, asleep %d: %g", count, (int)seed, sleeps,
                       moved);
            }
        }
    }
}

static void test_boxes_of_ten_centimetres_stand_with_a_frequency_to_match(void **state) {
    (void)state;
    for (int sleeps = 0; sleeps < 2; ++sleeps) {
        iso_world_def def = stack_def(sleeps);
        def.substep_count = 8;
        for (int hertz = 60; hertz <= 120; hertz += 60) {
            def.contact_hertz = fix(hertz);
            for (uint64_t seed = 0; seed < 3; ++seed) {
                stack is = stack_make(&def, 10, 0.1, seed == 0 ? 0 : 0.01, seed);
                const double moved = stack_run(&is, sleeps);
                EXPECT(moved < 0.3, "%d Hz, seed %d, asleep %d: %g", hertz, (int)seed, sleeps, moved);
            }
        }
    }
}

static void test_a_house_of_cards_stands_for_a_minute(void **state) {
    (void)state;
    for (int sleeps = 0; sleeps < 2; ++sleeps) {
        const iso_world_def def = stack_def(sleeps);
        stack is = stack_make_house(&def, 5);
        const double moved = stack_run(&is, sleeps);
        EXPECT(moved < 0.2, "asleep %d: %g", sleeps, moved);
    }
}

/// With nothing kept a column of twenty buckles: the tests above are about the pose.
static void test_a_column_buckles_without_kept_poses(void **state) {
    (void)state;
    iso_world_def def = stack_def(false);
    def.contact_keep_distance = 0;
    stack is = stack_make(&def, 20, 1, 0, 0);
    world_steps(is.world, 900);
    assert_true(stack_moved(&is) > 1);
    world_free(is.world);
}

/// A settled stack does not creep: 80 s later its boxes are where they were, within a hundredth of a quantum of speed.
static void test_a_stack_does_not_creep(void **state) {
    (void)state;
    const iso_world_def def = stack_def(false);
    stack is = stack_make(&def, 10, 1, 0, 0);
    world_steps(is.world, 1200);
    for (uint32_t i = 0; i < is.count; ++i) {
        is.places[i] = body_pose(is.world, is.bodies[i]);
    }
    world_steps(is.world, 4800);
    for (uint32_t i = 0; i < is.count; ++i) {
        EXPECT_NEAR(body_pose(is.world, is.bodies[i]).x, is.places[i].x, 1.5e-5, "box %u", i);
    }
    world_free(is.world);
}

// ---- the pose ------------------------------------------------------------------------------------

/// A box on a floor, at rest, or two on each other. Contacts: floor and box, box and box.
static stack pose_make(uint32_t count) {
    const iso_world_def def = stack_def(false);
    stack is = stack_make(&def, count, 1, 0, 0);
    world_steps(is.world, 300);
    assert_int_equal(is.world->globals->contact_count, count);
    return is;
}

static bool pose_equals(const iso__plane_contact *a, const iso__plane_contact *b) {
    return memcmp(a->pose_offset, b->pose_offset, sizeof a->pose_offset) == 0 &&
           memcmp(a->pose_angle, b->pose_angle, sizeof a->pose_angle) == 0;
}

static void test_a_pose_is_kept_until_the_bodies_have_moved(void **state) {
    (void)state;
    stack is = pose_make(1);
    const iso__plane_contact before = iso__plane_of(is.world)->contacts[0];
    assert_true(before.pose_offset[1] != 0);
    world_steps(is.world, 60);
    assert_true(pose_equals(&before, &iso__plane_of(is.world)->contacts[0]));
    // It slides by less than the bound of 2 cm, then beyond it.
    iso_shape_set_friction(is.world, iso_body_next_shape(is.world, is.bodies[0], 0), 0);
    body_set_velocity(is.world, is.bodies[0], 0.15, 0, 0);
    world_steps(is.world, 6);
    assert_true(pose_equals(&before, &iso__plane_of(is.world)->contacts[0]));
    world_steps(is.world, 6);
    assert_false(pose_equals(&before, &iso__plane_of(is.world)->contacts[0]));
    // Fast, it keeps none.
    body_set_velocity(is.world, is.bodies[0], 3, 0, 0);
    world_steps(is.world, 2);
    const iso__plane_contact fast = iso__plane_of(is.world)->contacts[0];
    world_steps(is.world, 1);
    assert_false(pose_equals(&fast, &iso__plane_of(is.world)->contacts[0]));
    world_free(is.world);
}

/// Shapes that are only near keep theirs within a quarter of the distance.
static void test_near_shapes_keep_their_pose_for_less(void **state) {
    (void)state;
    for (int touches = 0; touches < 2; ++touches) {
        iso_world_def def = stack_def(false);
        def.gravity = (iso_vec2){0, 0};
        stack is = stack_begin(&def, 0.5, 0);
        stack_add(&is, 0, touches ? 0.499 : 0.51, 0, 0.5, 0.5, 0);
        world_steps(is.world, 1);
        const iso__plane_contact before = iso__plane_of(is.world)->contacts[0];
        assert_int_equal(before.flags & ISO__PLANE_CONTACT_TOUCHES, touches);
        body_set_velocity(is.world, is.bodies[0], 0.1, 0, 0);
        world_steps(is.world, 5); // 8 mm; the bounds are 20 and 5
        assert_int_equal(pose_equals(&before, &iso__plane_of(is.world)->contacts[0]), touches);
        world_free(is.world);
    }
}

/// Whichever of the two turns, with or without the other: the normal does not turn with them.
static void test_a_turn_of_both_bodies_takes_the_pose_anew(void **state) {
    (void)state;
    iso_world_def def = stack_def(false);
    def.gravity = (iso_vec2){0, 0};
    stack is = stack_begin(&def, 0.5, 0.6);
    stack_add(&is, 0, 10, 0, 0.5, 0.5, 0.6);
    stack_add(&is, 0, 10.999, 0, 0.5, 0.5, 0.6);
    world_steps(is.world, 60);
    const iso__plane_contact before = iso__plane_of(is.world)->contacts[0];
    for (uint32_t i = 0; i < 2; ++i) {
        body_set_velocity(is.world, is.bodies[i], i == 0 ? 0.01 : -0.01, 0, 0.02); // about the point between them
    }
    world_steps(is.world, 150); // 0.05 rad; the bound is 1/16
    assert_true(pose_equals(&before, &iso__plane_of(is.world)->contacts[0]));
    world_steps(is.world, 60);
    assert_false(is.world->globals->contact_count > 0 && pose_equals(&before, &iso__plane_of(is.world)->contacts[0]));
    world_free(is.world);
}

static void test_one_point_and_capsules_have_no_pose(void **state) {
    (void)state;
    const iso_world_def def = stack_def(false);
    stack is = stack_begin(&def, 0.5, 0.6);
    const iso_shape_def capsule = shape_capsule(-0.5, 0, 0.5, 0, 0.25), ball = shape_circle(0.5);
    body_add_shape(is.world, ISO_BODY_DYNAMIC, 3, 0.25, 0, &capsule);
    body_add_shape(is.world, ISO_BODY_DYNAMIC, 6, 0.5, 0, &ball);
    stack_add(&is, 0, 0.7, PI / 4, 0.5, 0.5, 0.6);
    world_steps(is.world, 3);
    assert_int_equal(is.world->globals->contact_count, 3);
    const iso__plane_contact none = {0};
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(pose_equals(&none, &iso__plane_of(is.world)->contacts[i]));
    }
    world_free(is.world);
}

/// A contact's pose and impulse after a change and the step that follows.
static void test_changes_keep_or_drop_the_pose(void **state) {
    (void)state;
    stack is = pose_make(2);
    iso_world *world = is.world;
    const iso_shape_id upper = iso_body_next_shape(world, is.bodies[1], 0);
    iso__plane_contact before = iso__plane_of(world)->contacts[1];
    // Mass: the pose stays, and the impulse in N s.
    EXPECT_STATUS(iso_body_set_mass(world, is.bodies[1], wide(3), 0), ISO_OK);
    assert_true(pose_equals(&before, &iso__plane_of(world)->contacts[1]));
    assert_true(iso__plane_of(world)->contacts[1].normal_impulse[0] != before.normal_impulse[0]);
    world_steps(world, 1);
    assert_true(pose_equals(&before, &iso__plane_of(world)->contacts[1]));
    // A filter that allows it: the same. One that does not ends the contact.
    EXPECT_STATUS(iso_shape_set_filter(world, upper, (iso_filter){1, UINT32_MAX, 0}), ISO_OK);
    world_steps(world, 1);
    assert_true(pose_equals(&before, &iso__plane_of(world)->contacts[1]));
    EXPECT_STATUS(iso_shape_set_filter(world, upper, (iso_filter){1, 0, 0}), ISO_OK);
    world_steps(world, 1);
    assert_int_equal(world->globals->contact_count, 1);
    world_free(world);

    // Another place, even the same one, and another type drop pose and impulses.
    is = pose_make(2);
    const iso_body_view view = body_view(is.world, is.bodies[1]);
    EXPECT_STATUS(iso_body_set_position(is.world, is.bodies[1], view.position, view.angle), ISO_OK);
    assert_int_equal(is.world->globals->contact_count, 1);
    EXPECT_STATUS(iso_body_set_type(is.world, is.bodies[0], ISO_BODY_KINEMATIC), ISO_OK);
    assert_int_equal(is.world->globals->contact_count, 0);
    world_free(is.world);
}

static void test_sleep_and_waking_keep_the_pose(void **state) {
    (void)state;
    const iso_world_def def = stack_def(true);
    stack is = stack_make(&def, 3, 1, 0, 0);
    world_steps(is.world, 60);
    iso__plane_contact before[3];
    world_steps(is.world, 240);
    assert_int_equal(world_counts(is.world).awake_bodies, 0);
    memcpy(before, iso__plane_of(is.world)->contacts, sizeof before);
    world_steps(is.world, 60);
    EXPECT_STATUS(iso_body_wake(is.world, is.bodies[1]), ISO_OK);
    world_steps(is.world, 2);
    assert_int_equal(world_counts(is.world).awake_bodies, 3);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(pose_equals(&before[i], &iso__plane_of(is.world)->contacts[i]));
    }
    world_free(is.world);
}

/// Bodies with a centre beside their origin, whose poses refer to the origin; a change of mass moves the centre.
static void build_hammers(iso_world *world, iso_body_id *first) {
    rng random = {5};
    for (int i = 0; i < 12; ++i) {
        const iso_body_id body = body_add(world, ISO_BODY_DYNAMIC, rng_range(&random, -0.05, 0.05), 0.3 + 0.7 * i, 0);
        iso_shape_def shape = shape_box(0.5, 0.25);
        shape_add(world, body, &shape);
        for (uint32_t p = 0; p < shape.point_count; ++p) {
            shape.points[p].x = shape.points[p].x / 4 + fix(0.375);
            shape.points[p].y += fix(0.0625);
        }
        shape.density = fix(3);
        shape_add(world, body, &shape);
        *first = i == 0 ? body : *first;
    }
}

/// What is known from the last step only saves time: a twin that forgets it, or that comes from a snapshot or an image,
/// goes on alike, through changes of mass and collapse.
static void test_a_twin_without_the_known_manifolds_goes_on_alike(void **state) {
    (void)state;
    const iso_world_def def = stack_def(true);
    iso_world *worlds[2];
    iso_body_id first = {0, 0};
    for (int i = 0; i < 2; ++i) {
        worlds[i] = world_make(&def);
        const iso_shape_def floor = shape_box(40, 1);
        body_add_shape(worlds[i], ISO_BODY_STATIC, 0, -1, 0, &floor);
        build_hammers(worlds[i], &first);
    }
    for (uint32_t t = 0; t < 600; ++t) {
        if (t % 3 == 0) {
            iso_world_drop_caches(worlds[1]);
        } else if (t % 7 == 0) {
            const size_t size = iso_snapshot_size(worlds[0]);
            uint8_t *bytes = malloc(size);
            assert_non_null(bytes);
            assert_int_equal(iso_snapshot_encode(worlds[0], bytes, size), size);
            EXPECT_STATUS(iso_snapshot_decode(worlds[1], bytes, size), ISO_OK);
            free(bytes);
        }
        for (int i = 0; i < 2; ++i) {
            if (t % 100 == 50) {
                const iso_shape_id shape = iso_body_next_shape(worlds[i], first, 0);
                EXPECT_STATUS(iso_shape_set_density(worlds[i], shape, fix(1 + (t % 200) / 50.0)), ISO_OK);
            }
            world_steps(worlds[i], 1);
        }
        EXPECT(iso_world_root(worlds[0]) == iso_world_root(worlds[1]), "tick %u", t);
    }
    world_free(worlds[0]);
    world_free(worlds[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes_of_a_metre_stand_for_a_minute),
        cmocka_unit_test(test_boxes_of_ten_centimetres_stand_with_a_frequency_to_match),
        cmocka_unit_test(test_a_house_of_cards_stands_for_a_minute),
        cmocka_unit_test(test_a_column_buckles_without_kept_poses),
        cmocka_unit_test(test_a_stack_does_not_creep),
        cmocka_unit_test(test_a_pose_is_kept_until_the_bodies_have_moved),
        cmocka_unit_test(test_near_shapes_keep_their_pose_for_less),
        cmocka_unit_test(test_a_turn_of_both_bodies_takes_the_pose_anew),
        cmocka_unit_test(test_one_point_and_capsules_have_no_pose),
        cmocka_unit_test(test_changes_keep_or_drop_the_pose),
        cmocka_unit_test(test_sleep_and_waking_keep_the_pose),
        cmocka_unit_test(test_a_twin_without_the_known_manifolds_goes_on_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
