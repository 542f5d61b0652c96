/// Iteration over what a body has: shapes, joints and contacts, against a look at all of the world's.
#include "physics_util.h"

#include "isostep/snapshot.h"

#define BODIES 40

typedef struct crowd {
    iso_world *world;
    iso_body_id bodies[BODIES];
    rng random;
} crowd;

static void crowd_add_body(crowd *c, int i) {
    const bool is_floor = i == BODIES / 2; // in the middle of the indices, so that it is A to some and B to others
    const double x = is_floor ? 0 : rng_range(&c->random, -4, 4), y = is_floor ? -1 : rng_range(&c->random, 0, 6);
    c->bodies[i] = body_add(c->world, is_floor ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC, x, y, 0);
    if (is_floor) {
        const iso_shape_def floor = shape_box(20, 1);
        shape_add(c->world, c->bodies[i], &floor);
    }
}

static iso_body_id crowd_any(crowd *c) {
    return c->bodies[rng_below(&c->random, BODIES)];
}

static void crowd_add_joint(crowd *c) {
    static const uint8_t kinds[] = {ISO_JOINT_REVOLUTE, ISO_JOINT_DISTANCE, ISO_JOINT_PULLEY, ISO_JOINT_TARGET};
    iso_joint_def def = iso_joint_def_default();
    def.kind = kinds[rng_below(&c->random, 4)];
    def.body_b = crowd_any(c);
    def.rest = ISO_FIX16_ONE;
    if (def.kind != ISO_JOINT_TARGET) {
        def.body_a = crowd_any(c);
    }
    if (def.kind == ISO_JOINT_PULLEY) {
        def.body_c = crowd_any(c);
        def.body_d = crowd_any(c);
        def.rest = 4 * ISO_FIX16_ONE;
    }
    iso_joint_id joint;
    (void)iso_joint_create(c->world, &def, &joint); // some are of one body twice, which is refused
}

static void crowd_change(crowd *c) {
    const iso_shape_def ball = shape_circle(0.3);
    iso_shape_id shape;
    const int i = (int)rng_below(&c->random, BODIES);
    switch (rng_below(&c->random, 8)) {
    case 0:
        EXPECT_STATUS(iso_body_destroy(c->world, c->bodies[i]), ISO_OK);
        crowd_add_body(c, i);
        break;
    case 1:
        shape = iso_shape_next(c->world, rng_below(&c->random, 100));
        if (!iso_shape_id_is_null(shape)) {
            EXPECT_STATUS(iso_shape_destroy(c->world, shape), ISO_OK);
        }
        break;
    case 2:
    case 3:
        crowd_add_joint(c);
        break;
    case 4:
        (void)iso_joint_destroy(c->world, iso_joint_next(c->world, rng_below(&c->random, 40)));
        break;
    default:
        shape_add(c->world, c->bodies[i], &ball);
        break;
    }
}

static crowd crowd_make(uint64_t seed) {
    crowd c = {.world = world_make_small(-10), .random = {seed}};
    for (int i = 0; i < BODIES; ++i) {
        crowd_add_body(&c, i);
    }
    return c;
}

// ---- against all of them -------------------------------------------------------------------------

static uint32_t check_shapes(const iso_world *world, iso_body_id body) {
    uint32_t count = 0;
    iso_shape_id next = iso_body_next_shape(world, body, 0);
    for (iso_shape_id s = iso_shape_next(world, 0); s.generation != 0; s = iso_shape_next(world, s.index + 1)) {
        iso_shape_def def;
        iso_body_id of;
        EXPECT_STATUS(iso_shape_get(world, s, &def, &of), ISO_OK);
        if (iso_body_id_equal(of, body)) {
            assert_true(iso_shape_id_equal(next, s));
            // From anywhere between two the next one is found.
            assert_true(iso_shape_id_equal(iso_body_next_shape(world, body, s.index), s));
            next = iso_body_next_shape(world, body, s.index + 1);
            ++count;
        } else {
            assert_true(iso_shape_id_equal(iso_body_next_shape(world, body, s.index + 1), next));
        }
    }
    assert_true(iso_shape_id_is_null(next));
    return count;
}

static uint32_t check_joints(const iso_world *world, iso_body_id body) {
    uint32_t count = 0;
    iso_joint_id next = iso_body_next_joint(world, body, 0);
    for (iso_joint_id j = iso_joint_next(world, 0); j.generation != 0; j = iso_joint_next(world, j.index + 1)) {
        iso_joint_def def;
        EXPECT_STATUS(iso_joint_get(world, j, &def), ISO_OK);
        if (iso_body_id_equal(def.body_a, body) || iso_body_id_equal(def.body_b, body) ||
            iso_body_id_equal(def.body_c, body) || iso_body_id_equal(def.body_d, body)) {
            assert_true(iso_joint_id_equal(next, j));
            next = iso_body_next_joint(world, body, j.index + 1);
            ++count;
        }
    }
    assert_true(iso_joint_id_is_null(next));
    return count;
}

static uint32_t check_contacts(const iso_world *world, iso_body_id body) {
    uint32_t count = 0, next = iso_body_next_contact(world, body, 0);
    iso_contact_view view;
    for (uint32_t i = 0; iso_world_get_contact(world, i, &view); ++i) {
        if (iso_body_id_equal(view.body_a, body) || iso_body_id_equal(view.body_b, body)) {
            assert_int_equal(next, i);
            next = iso_body_next_contact(world, body, i + 1);
            ++count;
        }
    }
    assert_int_equal(next, UINT32_MAX);
    return count;
}

static void test_iteration_finds_all_that_a_body_has(void **state) {
    (void)state;
    uint32_t shapes = 0, joints = 0, contacts = 0;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        crowd c = crowd_make(seed);
        for (int round = 0; round < 60; ++round) {
            for (int i = 0; i < 12; ++i) {
                crowd_change(&c);
            }
            world_steps(c.world,
                        (uint32_t)round % 3); // with no step between, contacts are of shapes that are gone by now
            const uint64_t root = iso_world_root(c.world);
            for (int i = 0; i < BODIES; ++i) {
                shapes += check_shapes(c.world, c.bodies[i]);
                joints += check_joints(c.world, c.bodies[i]);
                contacts += check_contacts(c.world, c.bodies[i]);
            }
            assert_int_equal(iso_world_root(c.world), root);
        }
        world_free(c.world);
    }
    // It was about something.
    assert_true(shapes > 5000 && joints > 2000 && contacts > 2000);
}

static void test_a_stale_body_has_nothing(void **state) {
    (void)state;
    crowd c = crowd_make(7);
    for (int i = 0; i < 200; ++i) {
        crowd_change(&c);
    }
    world_steps(c.world, 30);
    const iso_body_id stale[] = {{0, 0}, {c.bodies[3].index, c.bodies[3].generation + 2}, {UINT32_MAX, 1}, {1000, 1}};
    for (int i = 0; i < 4; ++i) {
        assert_true(iso_shape_id_is_null(iso_body_next_shape(c.world, stale[i], 0)));
        assert_true(iso_joint_id_is_null(iso_body_next_joint(c.world, stale[i], 0)));
        assert_int_equal(iso_body_next_contact(c.world, stale[i], 0), UINT32_MAX);
    }
    // Nor is there anything behind the last one.
    assert_true(iso_shape_id_is_null(iso_body_next_shape(c.world, c.bodies[0], UINT32_MAX)));
    assert_true(iso_joint_id_is_null(iso_body_next_joint(c.world, c.bodies[0], UINT32_MAX)));
    assert_int_equal(iso_body_next_contact(c.world, c.bodies[0], UINT32_MAX), UINT32_MAX);
    assert_true(iso_shape_id_is_null(iso_shape_next(c.world, UINT32_MAX)));
    world_free(c.world);
}

static void test_what_was_given_last_may_be_destroyed(void **state) {
    (void)state;
    crowd c = crowd_make(8);
    for (int i = 0; i < 300; ++i) {
        crowd_change(&c);
    }
    for (int i = 0; i < BODIES; ++i) {
        const iso_body_id body = c.bodies[i];
        const uint32_t shapes = check_shapes(c.world, body), joints = check_joints(c.world, body);
        uint32_t gone = 0;
        for (iso_shape_id s = iso_body_next_shape(c.world, body, 0); s.generation != 0;
             s = iso_body_next_shape(c.world, body, s.index + 1)) {
            EXPECT_STATUS(iso_shape_destroy(c.world, s), ISO_OK);
            ++gone;
        }
        assert_int_equal(gone, shapes);
        gone = 0;
        for (iso_joint_id j = iso_body_next_joint(c.world, body, 0); j.generation != 0;
             j = iso_body_next_joint(c.world, body, j.index + 1)) {
            EXPECT_STATUS(iso_joint_destroy(c.world, j), ISO_OK);
            ++gone;
        }
        assert_int_equal(gone, joints);
        assert_int_equal(check_shapes(c.world, body) + check_joints(c.world, body), 0);
    }
    assert_true(iso_shape_id_is_null(iso_shape_next(c.world, 0)) && iso_joint_id_is_null(iso_joint_next(c.world, 0)));
    world_free(c.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iteration_finds_all_that_a_body_has),
        cmocka_unit_test(test_a_stale_body_has_nothing),
        cmocka_unit_test(test_what_was_given_last_may_be_destroyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
