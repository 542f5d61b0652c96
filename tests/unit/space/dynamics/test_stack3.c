/// Tall stacks in space stand, and the rules by which a contact keeps the pose of its manifold.
///
/// As in the plane (plane/dynamics/test_stack.c): a stack stands while no box is farther from its place than its half
/// height. Worlds are turned, as far as 20 km from the origin, and of other densities, by a seed.
#include "unit/space/world/space_util.h"

#include "isostep/heights.h"
#include "isostep/snapshot.h"
#include "space/world/space.h"
#include "unit/many.h"

#define MINUTE 3600u
#define BOXES  64u
#define SIDE   33
#define SAG    0.003 // [m] for each piece below

typedef enum ground { PLANE, BOX, HEIGHTS, GROUNDS } ground;

static const char *const GROUND_NAMES[] = {"a plane", "a box", "heights"};

// ---- columns and houses --------------------------------------------------------------------------

typedef struct stack {
    iso_world *world;
    iso_quat turn;    // of the ground
    iso_vec3_wide at; // the middle of its surface
    iso_body_id bodies[BOXES];
    vector places[BOXES];
    double size; // the half height of a piece
    uint32_t count;
} stack;

static iso_world_def stack_def(bool sleeps) {
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, fix(-10)};
    def.body_capacity = def.shape_capacity = 128;
    def.joint_capacity = 0;
    def.contact_capacity = 512;
    def.sleep_speed = sleeps ? iso_world_def_default().sleep_speed : 0;
    return def;
}

static void ground_add(stack *is, ground which, double friction) {
    static const int16_t flat[SIDE * SIDE];
    const iso_body_id body = body3_add(is->world, ISO_BODY_STATIC, is->at, is->turn);
    iso_shape3_def shape = iso_shape3_def_plane(fix3(0, 1, 0), 0);
    if (which == HEIGHTS) {
        const iso_heights_def def = {flat, SIDE, SIDE, fix(0.7), fix(0.01)};
        uint32_t index = 0;
        EXPECT_STATUS(iso_world_add_heights(is->world, &def, &index), ISO_OK);
        shape = iso_shape3_def_heights(index);
    } else if (which == BOX) {
        const iso_vec3_wide below = iso_quat_rotate(is->turn, wide3(0, -1, 0));
        EXPECT_STATUS(iso_body3_set_position(is->world, body, iso_vec3_wide_add(is->at, below), is->turn), ISO_OK);
        shape = box3(30, 1, 30);
    }
    shape.friction = fix(friction);
    shape3_add(is->world, body, &shape);
}

/// Seed 0: at the origin, not turned; else anywhere.
static stack stack_begin(const iso_world_def *from, ground which, double size, double friction, uint64_t seed) {
    iso_world_def def = *from;
    stack is = {.size = size, .turn = iso_quat_identity()};
    if (seed > 0) {
        rng random = {seed};
        const double away = pow(10, rng_range(&random, -1, 4.3));
        is.turn = rng_quat(&random);
        const vector down = vector_of(iso_quat_rotate(is.turn, wide3(0, -10, 0)));
        def.gravity = (iso_vec2){fix(down.x[0]), fix(down.x[1])};
        def.gravity_z = fix(down.x[2]);
        is.at = wide3(away, -away / 3, away / 2);
    }
    is.world = world_make(&def);
    ground_add(&is, which, friction);
    return is;
}

/// Adds a piece at a place over the ground.
static void stack_add(stack *is, iso_shape3_def shape, double x, double y, double z, iso_quat rotation,
                      double friction) {
    shape.friction = fix(friction);
    assert_true(is->count < BOXES);
    const iso_vec3_wide place = iso_vec3_wide_add(is->at, iso_quat_rotate(is->turn, wide3(x, y, z)));
    const iso_quat turned = iso_quat_normalize(iso_quat_mul(is->turn, rotation));
    const iso_body_id body = body3_add(is->world, ISO_BODY_DYNAMIC, place, turned);
    shape3_add(is->world, body, &shape);
    is->bodies[is->count] = body;
    is->places[is->count++] = vector_of(view3(is->world, body).centre);
}

/// A cube as a hull.
static iso_shape3_def hull_cube(iso_vec3 corners[8], double half) {
    for (int i = 0; i < 8; ++i) {
        corners[i] = fix3((i & 1) != 0 ? half : -half, (i & 2) != 0 ? half : -half, (i & 4) != 0 ? half : -half);
    }
    return iso_shape3_def_hull(corners, 8);
}

typedef struct column {
    uint32_t count;
    double size, offset; // [m] the farthest to the side
    bool is_hull;
} column;

/// Cubes on one another, each up to `offset` to the side.
static stack column_make(const iso_world_def *def, const column *of, ground which, uint64_t seed) {
    rng random = {seed + 100};
    const double half = of->size / 2, exact = from_fix(fix(half)), friction = 0.6;
    stack is = stack_begin(def, which, half, friction, seed);
    iso_vec3 corners[8];
    iso_shape3_def shape = of->is_hull ? hull_cube(corners, half) : box3(half, half, half);
    shape.density = fix(seed == 0 ? 1000 : pow(10, rng_range(&random, 2, 3.5)));
    for (uint32_t i = 0; i < of->count; ++i) {
        const double x = rng_range(&random, -of->offset, of->offset), z = rng_range(&random, -of->offset, of->offset);
        stack_add(&is, shape, x, exact * (2 * i + 1), z, iso_quat_identity(), friction);
    }
    return is;
}

/// Pairs of cards that lean against each other by 25 degrees, and flat ones between them.
static stack house_make(const iso_world_def *def, uint32_t levels, ground which, uint64_t seed) {
    const double half = 0.2, thin = 0.0025, wide_half = 0.15, lean = 25 * PI / 180, friction = 0.7;
    stack is = stack_begin(def, which, half, friction, seed);
    const iso_shape3_def card = box3(thin, half, wide_half);
    double first = 0, y = half - 0.02;
    for (uint32_t level = levels; level > 0; --level) {
        for (uint32_t i = 0; i < level; ++i) {
            const double x = first + 0.35 * i;
            const iso_vec3 axis = fix3(0, 0, 1);
            if (i + 1 < level) {
                stack_add(&is, card, x + 0.25, y + half - 0.015, 0, iso_quat_from_axis_angle(axis, wide(PI / 2)),
                          friction);
            }
            stack_add(&is, card, x, y, 0, iso_quat_from_axis_angle(axis, wide(-lean)), friction);
            stack_add(&is, card, x + 0.175, y, 0, iso_quat_from_axis_angle(axis, wide(lean)), friction);
        }
        y += 2 * half - 0.03;
        first += 0.175;
    }
    return is;
}

/// The farthest that a piece is from its place, in halves of its height: to the side, or upwards; or downwards by more
/// than soft contacts yield below small boxes.
static double stack_moved(const stack *is) {
    const matrix level = matrix_of(is->turn);
    double moved = 0;
    for (uint32_t i = 0; i < is->count; ++i) {
        const vector at = vector_of(view3(is->world, is->bodies[i]).centre);
        const vector way = turned_back(&level, sum(at, -1, is->places[i]));
        const double down = fmax(-way.x[1] - SAG * i, 0), up = fmax(way.x[1], 0);
        moved = fmax(moved, hypot(hypot(way.x[0], way.x[2]), fmax(up, down)) / is->size);
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

static void test_columns_stand_for_a_minute(void **state) {
    (void)state;
    static const column COLUMNS[] = {
        {14, 1, 0, false},   {20, 1, 0, false},       {20, 1, 0.05, false}, {15, 0.5, 0, false}, {10, 0.2, 0, false},
        {10, 0.1, 0, false}, {10, 0.1, 0.005, false}, {12, 3, 0.1, false},  {15, 0.5, 0, true},  {10, 0.1, 0.005, true},
    };
    uint32_t fallen = 0, number = 0;
    for (uint32_t i = 0; i < sizeof COLUMNS / sizeof *COLUMNS; ++i) {
        for (int sleeps = 0; sleeps < 2; ++sleeps) {
            for (uint64_t seed = 0; seed < 3; ++seed) {
                if (number++ % ISO_TEST_STEP != 0) {
                    continue;
                }
                const ground which = (ground)((i + seed) % GROUNDS);
                const iso_world_def def = stack_def(sleeps);
                stack is = column_make(&def, &COLUMNS[i], which, seed);
                const double moved = stack_run(&is, sleeps);
                // What sways slowly may fall asleep where it turns round.
                if (moved > (sleeps ? 0.9 : 0.5)) {
                    print_message("%u boxes of %g m, offset %g, hull %d on %s, seed %d, asleep %d: %g\n",
                                  COLUMNS[i].count, COLUMNS[i].size, COLUMNS[i].offset, COLUMNS[i].is_hull,
                                  GROUND_NAMES[which], (int)seed, sleeps, moved);
                    ++fallen;
                }
            }
        }
    }
    assert_int_equal(fallen, 0);
}

static void test_a_house_of_cards_stands_for_a_minute(void **state) {
    (void)state;
    for (int sleeps = 0; sleeps < 2; ++sleeps) {
        for (uint64_t seed = 0; seed < (ISO_TEST_STEP > 1 ? 1 : 3); ++seed) {
            const iso_world_def def = stack_def(sleeps);
            stack is = house_make(&def, 5, (ground)seed, seed);
            const double moved = stack_run(&is, sleeps);
            EXPECT(moved < 0.2, "on %s, asleep %d: %g", GROUND_NAMES[seed], sleeps, moved);
        }
    }
}

/// With nothing kept a column of twenty buckles: the tests above are about the pose.
static void test_a_column_buckles_without_kept_poses(void **state) {
    (void)state;
    iso_world_def def = stack_def(false);
    def.contact_keep_distance = 0;
    stack is = column_make(&def, &(column){20, 1, 0, false}, PLANE, 0);
    world_steps(is.world, 1800);
    assert_true(stack_moved(&is) > 1);
    world_free(is.world);
}

/// A settled stack does not creep: 80 s later its boxes are where they were, within a quantum of speed, 2^-19 m/s, for
/// each piece below.
static void test_a_stack_does_not_creep(void **state) {
    (void)state;
    const iso_world_def def = stack_def(false);
    stack is = column_make(&def, &(column){10, 1, 0, false}, PLANE, 0);
    world_steps(is.world, 1200);
    for (uint32_t i = 0; i < is.count; ++i) {
        is.places[i] = vector_of(view3(is.world, is.bodies[i]).centre);
    }
    world_steps(is.world, 4800);
    for (uint32_t i = 0; i < is.count; ++i) {
        const double moved = length(sum(vector_of(view3(is.world, is.bodies[i]).centre), -1, is.places[i]));
        EXPECT(moved < 80 * ldexp(i + 1, -19), "box %u: %g m", i, moved);
    }
    world_free(is.world);
}

// ---- the pose ------------------------------------------------------------------------------------

static const column UNIT_CUBES = {2, 1, 0, false};

/// One cube on a ground, at rest, or two on each other. Contacts: ground and cube, cube and cube.
static stack pose_make(uint32_t count, ground which) {
    const iso_world_def def = stack_def(false);
    column of = UNIT_CUBES;
    of.count = count;
    stack is = column_make(&def, &of, which, 0);
    world_steps(is.world, 300);
    assert_int_equal(is.world->globals->contact_count, count);
    return is;
}

static const iso__space_contact *contact_of(const stack *is, uint32_t index) {
    return &iso__space_of(is->world)->contacts[index];
}

static bool pose_equals(const iso__space_contact *a, const iso__space_contact *b) {
    return memcmp(a->pose_offset, b->pose_offset, sizeof a->pose_offset) == 0 &&
           memcmp(a->pose_rotation_a, b->pose_rotation_a, sizeof a->pose_rotation_a) == 0 &&
           memcmp(a->pose_rotation_b, b->pose_rotation_b, sizeof a->pose_rotation_b) == 0;
}

static void test_a_pose_is_kept_until_the_bodies_have_moved(void **state) {
    (void)state;
    for (int which = 0; which < GROUNDS; ++which) {
        stack is = pose_make(1, (ground)which);
        const iso__space_contact before = *contact_of(&is, 0);
        assert_true(before.pose_rotation_a[3] != 0 && before.pose_rotation_b[3] != 0);
        world_steps(is.world, 60);
        assert_true(pose_equals(&before, contact_of(&is, 0)));
        // It slides by less than the bound of 2 cm, on planes and heights of 5 mm, then beyond it.
        const double part = which == BOX ? 1 : 0.25;
        iso_shape3_set_friction(is.world, iso_body_next_shape(is.world, is.bodies[0], 0), 0);
        body3_set_velocity(is.world, is.bodies[0], (vector){{part * 0.09, 0, part * 0.12}}, (vector){{0, 0, 0}});
        world_steps(is.world, 6);
        assert_true(pose_equals(&before, contact_of(&is, 0)));
        world_steps(is.world, 6);
        assert_false(pose_equals(&before, contact_of(&is, 0)));
        // Fast, it keeps none.
        body3_set_velocity(is.world, is.bodies[0], (vector){{3, 0, 0}}, (vector){{0, 0, 0}});
        world_steps(is.world, 2);
        const iso__space_contact fast = *contact_of(&is, 0);
        world_steps(is.world, 1);
        assert_false(pose_equals(&fast, contact_of(&is, 0)));
        world_free(is.world);
    }
}

/// About the normal, by less than 2 cm at the corners, on planes and heights 5 mm, and less than 1/16 rad; and beyond.
static void test_a_turn_about_the_normal_leaves_the_pose(void **state) {
    (void)state;
    for (int which = 0; which < GROUNDS; ++which) {
        stack is = pose_make(1, (ground)which);
        const iso__space_contact before = *contact_of(&is, 0);
        iso_shape3_set_friction(is.world, iso_body_next_shape(is.world, is.bodies[0], 0), 0);
        body3_set_velocity(is.world, is.bodies[0], (vector){{0, 0, 0}}, (vector){{0, which == BOX ? 0.1 : 0.025, 0}});
        world_steps(is.world, 10); // 0.017 rad, 14 mm; a quarter of that
        assert_true(pose_equals(&before, contact_of(&is, 0)));
        world_steps(is.world, 10);
        assert_false(pose_equals(&before, contact_of(&is, 0)));
        world_free(is.world);
    }
}

/// Shapes that are only near keep theirs within a quarter of the distance.
static void test_near_shapes_keep_their_pose_for_less(void **state) {
    (void)state;
    for (int touches = 0; touches < 2; ++touches) {
        iso_world_def def = stack_def(false);
        def.gravity = (iso_vec2){0, 0};
        stack is = stack_begin(&def, BOX, 0.5, 0, 0);
        stack_add(&is, box3(0.5, 0.5, 0.5), 0, touches ? 0.499 : 0.51, 0, iso_quat_identity(), 0);
        world_steps(is.world, 1);
        const iso__space_contact before = *contact_of(&is, 0);
        assert_int_equal(before.flags & ISO__SPACE_CONTACT_TOUCHES, touches);
        body3_set_velocity(is.world, is.bodies[0], (vector){{0.1, 0, 0}}, (vector){{0, 0, 0}});
        world_steps(is.world, 5); // 8 mm; the bounds are 20 and 5
        assert_int_equal(pose_equals(&before, contact_of(&is, 0)), touches);
        world_free(is.world);
    }
}

/// Two cubes that turn as one, about an axis across the normal: the normal does not turn with them.
static void test_a_turn_of_both_bodies_takes_the_pose_anew(void **state) {
    (void)state;
    iso_world_def def = stack_def(false);
    def.gravity = (iso_vec2){0, 0};
    stack is = stack_begin(&def, BOX, 0.5, 0.6, 0);
    stack_add(&is, box3(0.5, 0.5, 0.5), 0, 10, 0, iso_quat_identity(), 0.6);
    stack_add(&is, box3(0.5, 0.5, 0.5), 0, 11, 0, iso_quat_identity(), 0.6);
    world_steps(is.world, 60);
    const iso__space_contact before = *contact_of(&is, 0);
    for (uint32_t i = 0; i < 2; ++i) {
        body3_set_velocity(is.world, is.bodies[i], (vector){{i == 0 ? 0.01 : -0.01, 0, 0}}, (vector){{0, 0, 0.02}});
    }
    world_steps(is.world, 150); // 0.05 rad; the bound is 1/16
    assert_true(pose_equals(&before, contact_of(&is, 0)));
    world_steps(is.world, 60);
    assert_false(is.world->globals->contact_count > 0 && pose_equals(&before, contact_of(&is, 0)));
    world_free(is.world);
}

static void test_round_shapes_and_two_points_have_no_pose(void **state) {
    (void)state;
    const iso_world_def def = stack_def(false);
    stack is = stack_begin(&def, BOX, 0.5, 0.6, 0);
    const iso_quat on_edge = iso_quat_from_axis_angle(fix3(0, 0, 1), wide(PI / 4));
    stack_add(&is, iso_shape3_def_capsule(fix3(-0.5, 0, 0), fix3(0.5, 0, 0), fix(0.25)), 3, 0.25, 0,
              iso_quat_identity(), 0.6);
    stack_add(&is, iso_shape3_def_sphere(fix(0.5)), 6, 0.5, 0, iso_quat_identity(), 0.6);
    stack_add(&is, box3(0.5, 0.5, 0.5), 0, sqrt(0.5), 0, on_edge, 0.6);
    world_steps(is.world, 3);
    assert_int_equal(is.world->globals->contact_count, 3);
    const iso__space_contact none = {0};
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(pose_equals(&none, contact_of(&is, i)));
    }
    world_free(is.world);
}

static void test_changes_keep_or_drop_the_pose(void **state) {
    (void)state;
    stack is = pose_make(2, PLANE);
    iso_world *world = is.world;
    const iso_shape_id upper = iso_body_next_shape(world, is.bodies[1], 0);
    const iso__space_contact before = *contact_of(&is, 1);
    // Mass: the pose stays.
    EXPECT_STATUS(iso_shape3_set_density(world, upper, fix(3000)), ISO_OK);
    world_steps(world, 1);
    assert_true(pose_equals(&before, contact_of(&is, 1)));
    // A filter that allows it: the same. One that does not ends the contact.
    EXPECT_STATUS(iso_shape_set_filter(world, upper, (iso_filter){1, UINT32_MAX, 0}), ISO_OK);
    world_steps(world, 1);
    assert_true(pose_equals(&before, contact_of(&is, 1)));
    EXPECT_STATUS(iso_shape_set_filter(world, upper, (iso_filter){1, 0, 0}), ISO_OK);
    world_steps(world, 1);
    assert_int_equal(world->globals->contact_count, 1);
    world_free(world);

    // Another place, even the same one, and another type drop pose and impulses.
    is = pose_make(2, PLANE);
    const iso_body3_view view = view3(is.world, is.bodies[1]);
    EXPECT_STATUS(iso_body3_set_position(is.world, is.bodies[1], view.position, view.rotation), ISO_OK);
    assert_int_equal(is.world->globals->contact_count, 1);
    EXPECT_STATUS(iso_body3_set_type(is.world, is.bodies[0], ISO_BODY_KINEMATIC), ISO_OK);
    assert_int_equal(is.world->globals->contact_count, 0);
    world_free(is.world);
}

static void test_sleep_and_waking_keep_the_pose(void **state) {
    (void)state;
    const iso_world_def def = stack_def(true);
    stack is = column_make(&def, &(column){3, 1, 0, false}, PLANE, 0);
    iso__space_contact before[3];
    world_steps(is.world, 300);
    assert_int_equal(world_counts(is.world).awake_bodies, 0);
    memcpy(before, iso__space_of(is.world)->contacts, sizeof before);
    world_steps(is.world, 60);
    EXPECT_STATUS(iso_body_wake(is.world, is.bodies[1]), ISO_OK);
    world_steps(is.world, 2);
    assert_int_equal(world_counts(is.world).awake_bodies, 3);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(pose_equals(&before[i], contact_of(&is, i)));
    }
    world_free(is.world);
}

/// Bodies with a centre beside their origin, whose poses refer to the origin; a change of mass moves the centre.
static void build_hammers(iso_world *world, iso_body_id *first) {
    rng random = {5};
    for (int i = 0; i < 12; ++i) {
        const iso_vec3_wide place =
            wide3(rng_range(&random, -0.05, 0.05), 0.3 + 0.7 * i, rng_range(&random, -0.05, 0.05));
        const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, place, iso_quat_identity());
        iso_vec3 corners[8];
        iso_shape3_def shape = i % 2 == 0 ? box3(0.5, 0.25, 0.4) : hull_cube(corners, 0.25);
        shape3_add(world, body, &shape);
        shape = box3(0.125, 0.25, 0.4);
        shape.points[0] = fix3(0.375, 0.0625, 0.1);
        shape.density = fix(3000);
        shape3_add(world, body, &shape);
        *first = i == 0 ? body : *first;
    }
}

/// What is known from the last step only saves time: a twin that forgets it, or that comes from a snapshot or an image,
/// goes on alike, through changes of mass and collapse, and so does one that is saved and restored.
static void test_a_twin_without_the_known_manifolds_goes_on_alike(void **state) {
    (void)state;
    for (int which = 0; which < GROUNDS; ++which) {
        iso_world_def def = stack_def(true);
        stack twins[2];
        iso_body_id first = {0, 0};
        for (int i = 0; i < 2; ++i) {
            twins[i] = stack_begin(&def, (ground)which, 0.5, 0.6, 0);
            build_hammers(twins[i].world, &first);
        }
        for (uint32_t t = 0; t < (ISO_TEST_STEP > 1 ? 150 : 600); ++t) {
            if (t % 3 == 0) {
                iso_world_drop_caches(twins[1].world);
            } else if (t % 7 == 0) {
                const size_t size = iso_snapshot_size(twins[0].world);
                uint8_t *bytes = malloc(size);
                assert_non_null(bytes);
                assert_int_equal(iso_snapshot_encode(twins[0].world, bytes, size), size);
                EXPECT_STATUS(iso_snapshot_decode(twins[1].world, bytes, size), ISO_OK);
                free(bytes);
            } else if (t % 11 == 0) {
                const size_t size = iso_world_image_size(twins[1].world);
                void *image = malloc(size);
                assert_non_null(image);
                assert_int_equal(iso_world_save(twins[1].world, image, size), size);
                world_steps(twins[1].world, 5);
                EXPECT_STATUS(iso_world_restore(twins[1].world, image, size), ISO_OK);
                free(image);
            }
            for (int i = 0; i < 2; ++i) {
                if (t % 100 == 50) {
                    const iso_shape_id shape = iso_body_next_shape(twins[i].world, first, 0);
                    EXPECT_STATUS(iso_shape3_set_density(twins[i].world, shape, fix(1000 + (t % 200) * 20)), ISO_OK);
                }
                world_steps(twins[i].world, 1);
            }
            EXPECT(iso_world_root(twins[0].world) == iso_world_root(twins[1].world), "on %s, tick %u",
                   GROUND_NAMES[which], t);
        }
        world_free(twins[0].world);
        world_free(twins[1].world);
    }
}

/// A solid on a flat field beside a peak, with room for one to eight contacts: where there is no room for the pair's
/// further manifolds, what is known of the first one must not be what a twin without caches does not find.
static void test_heights_without_room_for_children_go_on_alike(void **state) {
    (void)state;
    for (uint32_t capacity = 1; capacity <= 8; ++capacity) {
        iso_world *twins[2];
        for (int k = 0; k < 2; ++k) {
            iso_world_def def = stack_def(false);
            def.contact_capacity = capacity;
            twins[k] = world_make(&def);
            int16_t samples[SIDE * SIDE] = {0};
            samples[16 * SIDE + 20] = 30;
            const iso_heights_def field = {samples, SIDE, SIDE, fix(0.25), fix(0.01)};
            uint32_t index = 0;
            EXPECT_STATUS(iso_world_add_heights(twins[k], &field, &index), ISO_OK);
            const iso_body_id under = body3_add(twins[k], ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity());
            const iso_shape3_def heights = iso_shape3_def_heights((uint8_t)index);
            shape3_add(twins[k], under, &heights);
            iso_vec3 corners[8];
            for (int i = 0; i < 8; ++i) {
                const double r = (i & 2) != 0 ? 0.6 : 0.2;
                corners[i] = fix3((i & 1) != 0 ? r : -r, (i & 2) != 0 ? 0.2 : -0.2, (i & 4) != 0 ? r : -r);
            }
            const iso_shape3_def frustum = iso_shape3_def_hull(corners, 8);
            const iso_body_id body = body3_add(twins[k], ISO_BODY_DYNAMIC, wide3(0.498, 0.2, 0), iso_quat_identity());
            shape3_add(twins[k], body, &frustum);
        }
        for (int t = 0; t < 60; ++t) {
            iso_world_drop_caches(twins[1]);
            world_steps(twins[0], 1);
            world_steps(twins[1], 1);
            EXPECT(iso_world_root(twins[0]) == iso_world_root(twins[1]), "capacity %u, tick %d", capacity, t);
        }
        world_free(twins[0]);
        world_free(twins[1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heights_without_room_for_children_go_on_alike),
        cmocka_unit_test(test_columns_stand_for_a_minute),
        cmocka_unit_test(test_a_house_of_cards_stands_for_a_minute),
        cmocka_unit_test(test_a_column_buckles_without_kept_poses),
        cmocka_unit_test(test_a_stack_does_not_creep),
        cmocka_unit_test(test_a_pose_is_kept_until_the_bodies_have_moved),
        cmocka_unit_test(test_a_turn_about_the_normal_leaves_the_pose),
        cmocka_unit_test(test_near_shapes_keep_their_pose_for_less),
        cmocka_unit_test(test_a_turn_of_both_bodies_takes_the_pose_anew),
        cmocka_unit_test(test_round_shapes_and_two_points_have_no_pose),
        cmocka_unit_test(test_changes_keep_or_drop_the_pose),
        cmocka_unit_test(test_sleep_and_waking_keep_the_pose),
        cmocka_unit_test(test_a_twin_without_the_known_manifolds_goes_on_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
