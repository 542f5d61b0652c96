/// Which contacts there are and what they remember: filters, features that keep impulses, capacities.
///
/// What does not depend on caches is shown with a twin: the same world, whose caches are thrown away before each tick.
#include "unit/world/physics_util.h"

#include "plane/dynamics/broad_phase.h"
#include "plane/dynamics/sleep.h"
#include "plane/dynamics/collide.h"
#include "plane/world/body_mass.h"

#define GRAVITY 10.0

// ---- a world and its twin ------------------------------------------------------------------------

typedef struct twins {
    iso_world *world, *twin;
} twins;

static twins twins_make(const iso_world_def *def) {
    return (twins){world_make(def), world_make(def)};
}

static void twins_free(twins *both) {
    world_free(both->world);
    world_free(both->twin);
}

static iso_body_id twins_add(twins *both, iso_body_type type, double x, double y, double angle,
                             const iso_shape_def *def) {
    const iso_body_id body = body_add_shape(both->world, type, x, y, angle, def);
    body_add_shape(both->twin, type, x, y, angle, def);
    return body;
}

static void twins_step(twins *both, const char *name) {
    iso_world_drop_caches(both->twin);
    world_steps(both->world, 1);
    world_steps(both->twin, 1);
    iso_diff diff;
    if (iso_world_root(both->world) != iso_world_root(both->twin)) {
        const uint32_t count = iso_world_diff(both->world, both->twin, &diff, 1);
        fail_msg("%s: without caches tick %llu differs: %s record %u field %s, %lld and %lld", name,
                 (unsigned long long)iso_world_get_tick(both->world), count ? iso_section_name(diff.section) : "",
                 count ? diff.record : 0, count && diff.field ? diff.field->name : "(count)",
                 count ? (long long)diff.value_a : 0, count ? (long long)diff.value_b : 0);
    }
}

// ---- filters -------------------------------------------------------------------------------------

static const struct filter_case {
    const char *name;
    iso_filter a, b;
    bool collides;
} FILTERS[] = {
    {"default", {1, UINT32_MAX, 0}, {1, UINT32_MAX, 0}, true},
    {"masks that do not agree", {1, 2, 0}, {1, 2, 0}, false},
    {"masks that agree", {1, 2, 0}, {2, 1, 0}, true},
    {"only one agrees", {1, 2, 0}, {2, 4, 0}, false},
    {"only the other agrees", {2, 4, 0}, {1, 2, 0}, false},
    {"no category", {0, UINT32_MAX, 0}, {1, UINT32_MAX, 0}, false},
    {"highest bit", {0x80000000u, 0x80000000u, 0}, {0x80000000u, 0x80000000u, 0}, true},
    {"one of several bits", {6, 8, 0}, {12, 2, 0}, true},
    {"positive group against masks", {1, 0, 7}, {1, 0, 7}, true},
    {"negative group against masks", {1, UINT32_MAX, -7}, {1, UINT32_MAX, -7}, false},
    {"different positive groups", {1, UINT32_MAX, 7}, {1, UINT32_MAX, 8}, true},
    {"different negative groups", {1, UINT32_MAX, -7}, {1, UINT32_MAX, -8}, true},
    {"different groups and masks", {1, 2, 7}, {1, 2, 8}, false},
    {"one group", {1, UINT32_MAX, -7}, {1, UINT32_MAX, 0}, true},
};

static void test_filters_decide_which_shapes_touch(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof FILTERS / sizeof FILTERS[0]; ++i) {
        iso_world *world = world_make_small(0);
        iso_shape_def a = shape_circle(0.5), b = shape_circle(0.5);
        a.filter = FILTERS[i].a;
        b.filter = FILTERS[i].b;
        body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &a);
        body_add_shape(world, ISO_BODY_DYNAMIC, 0.9, 0, 0, &b);
        world_steps(world, 1);
        EXPECT((world_counts(world).contacts == 1) == FILTERS[i].collides, "%s: %u contacts", FILTERS[i].name,
               world_counts(world).contacts);
        world_free(world);
    }
}

/// Pairs are kept while nothing moves much; a new filter must reach them.
static void test_changed_filters_act_from_the_next_tick_on(void **state) {
    (void)state;
    const iso_filter usual = {1, UINT32_MAX, 0};
    for (size_t i = 0; i < sizeof FILTERS / sizeof FILTERS[0]; ++i) {
        const iso_world_def def = world_def_small(0);
        twins both = twins_make(&def);
        const iso_shape_def ball = shape_circle(0.5);
        twins_add(&both, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
        twins_add(&both, ISO_BODY_DYNAMIC, 0.9, 0, 0, &ball);
        twins_add(&both, ISO_BODY_STATIC, 0, 0.9, 0, &ball);
        for (int round = 0; round < 3; ++round) {
            const bool is_usual = round % 2 == 1;
            const iso_filter filters[3] = {is_usual ? usual : FILTERS[i].a, is_usual ? usual : FILTERS[i].b,
                                           is_usual ? usual : FILTERS[i].b};
            twins_step(&both, FILTERS[i].name);
            for (uint32_t s = 0; s < 3; ++s) {
                const iso_shape_id shape = {s, 1};
                EXPECT_STATUS(iso_shape_set_filter(both.world, shape, filters[s]), ISO_OK);
                EXPECT_STATUS(iso_shape_set_filter(both.twin, shape, filters[s]), ISO_OK);
            }
            twins_step(&both, FILTERS[i].name);
            EXPECT((world_counts(both.world).contacts > 0) == (is_usual || FILTERS[i].collides),
                   "%s, round %d: %u contacts", FILTERS[i].name, round, world_counts(both.world).contacts);
        }
        twins_free(&both);
    }
}

static void test_shapes_of_one_body_and_of_bodies_that_do_not_move_never_touch(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def ball = shape_circle(0.5);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
    shape_add(world, body, &ball);
    body_add_shape(world, ISO_BODY_STATIC, 10, 0, 0, &ball);
    body_add_shape(world, ISO_BODY_STATIC, 10, 0, 0, &ball);
    body_add_shape(world, ISO_BODY_KINEMATIC, 10, 0, 0, &ball);
    body_add_shape(world, ISO_BODY_KINEMATIC, 10, 0, 0, &ball);
    world_steps(world, 2);
    assert_int_equal(world_counts(world).contacts, 0);
    world_free(world);
}

// ---- features ------------------------------------------------------------------------------------

/// A box slides over the floor and keeps carrying its weight: when a tick begins the impulses of the
/// last one are there, under the same features.
static void test_sliding_keeps_features_and_impulses(void **state) {
    (void)state;
    iso_world *world = world_make_small(-GRAVITY);
    const iso_shape_def ground = shape_box(20, 1);
    iso_shape_def box = shape_box(0.5, 0.25);
    box.friction = fix(0.1);
    body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, -10, 0.25, 0, &box);
    world_steps(world, 60);
    body_set_velocity(world, body, 10, 0, 0);
    world_steps(world, 5);
    const iso__plane_contact first = iso__plane_of(world)->contacts[0];
    const double weight = body_pose(world, body).mass * GRAVITY;
    for (int t = 0; t < 90; ++t) {
        world_steps(world, 1);
        const iso__plane_contact *now = &iso__plane_of(world)->contacts[0];
        assert_int_equal(world->globals->contact_count, 1);
        assert_int_equal(now->point_count, 2);
        for (int p = 0; p < 2; ++p) {
            EXPECT(now->feature[p] == first.feature[p], "tick %d: feature %x became %x", t, first.feature[p],
                   now->feature[p]);
        }
        iso_contact_view view;
        assert_true(iso_world_get_contact(world, 0, &view));
        const double carried = from_wide(view.normal_impulse[0] + view.normal_impulse[1]) / world_substep(world);
        EXPECT_NEAR(carried, weight, 0.01 * weight, "tick %d: weight carried", t);
    }
    EXPECT(body_pose(world, body).x > 2, "it did not slide");
    world_free(world);
}

/// A box that tilts to either side keeps one of its two points, and that one's impulse.
static void test_impulses_are_matched_by_feature_when_a_point_goes(void **state) {
    (void)state;
    for (int side = -1; side <= 1; side += 2) {
        iso_world *world = world_make_small(-GRAVITY);
        const iso_shape_def ground = shape_box(5, 1), box = shape_box(0.5, 0.25);
        body_add_shape(world, ISO_BODY_STATIC, 0, -1, 0, &ground);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.25, 0, &box);
        world_steps(world, 120);
        const iso__plane_contact before = iso__plane_of(world)->contacts[0];
        assert_int_equal(before.point_count, 2);
        iso__plane_of(world)->contacts[0].normal_impulse[0] = 1000;
        iso__plane_of(world)->contacts[0].normal_impulse[1] = 2000;
        // One side goes up by more than the speculative distance.
        const double tilt = 0.05;
        iso__plane_of(world)->bodies[body.index].angle = side * wide(tilt / (2 * PI));
        iso__plane_of(world)->bodies[body.index].position[1] = wide(0.25 * cos(tilt) + 0.5 * sin(tilt));
        iso__plane_body_update_rotation(iso__plane_of(world), body.index);
        iso__bit_set(world->displaced, body.index);
        iso__plane_step_find_moving(iso__plane_of(world));
        iso__plane_step_collide(iso__plane_of(world), iso__plane_broad_phase_update(iso__plane_of(world)));
        const iso__plane_contact *after = &iso__plane_of(world)->contacts[0];
        assert_int_equal(after->point_count, 1);
        const int kept = after->feature[0] == before.feature[0] ? 0 : 1;
        EXPECT(after->feature[0] == before.feature[kept], "feature %x is new", after->feature[0]);
        assert_int_equal(after->normal_impulse[0], kept == 0 ? 1000 : 2000);
        assert_int_equal(after->normal_impulse[1], 0);
        world_free(world);
    }
}

// ---- capacity of contacts ------------------------------------------------------------------------

/// Twenty boxes on the floor, room for eight contacts: the eight lowest keys are kept and rest, the others fall.
static void test_contacts_beyond_the_capacity_are_dropped_from_the_highest_key_and_counted(void **state) {
    (void)state;
    iso_world_def def = world_def_small(-GRAVITY);
    def.contact_capacity = 8;
    twins both = twins_make(&def);
    const iso_shape_def ground = shape_box(50, 1), box = shape_box(0.4, 0.4);
    twins_add(&both, ISO_BODY_STATIC, 0, -1, 0, &ground);
    for (int i = 0; i < 20; ++i) {
        // Shapes in an order that is not the bodies'.
        twins_add(&both, ISO_BODY_DYNAMIC, (i * 7) % 20 * 2 - 20, 0.4, 0, &box);
    }
    twins_step(&both, "crowd");
    assert_int_equal(world_counts(both.world).contacts, 8);
    assert_int_equal(world_counts(both.world).dropped_contacts, 12);
    for (int t = 0; t < 120; ++t) {
        twins_step(&both, "crowd");
        iso_contact_view view;
        for (uint32_t c = 0; iso_world_get_contact(both.world, c, &view); ++c) {
            EXPECT(view.body_b.index == c + 1, "tick %d: contact %u is that of body %u", t, c, view.body_b.index);
        }
    }
    for (uint32_t i = 1; i <= 20; ++i) {
        const double y = body_pose(both.world, iso_body_next(both.world, i)).y;
        EXPECT(i <= 8 ? y > 0.38 : y < -2, "body %u is at %g", i, y);
    }
    twins_free(&both);
}

static void test_world_without_contacts_lets_all_fall(void **state) {
    (void)state;
    iso_world_def def = world_def_small(-GRAVITY);
    def.contact_capacity = 0;
    twins both = twins_make(&def);
    const iso_shape_def ground = shape_box(50, 1), box = shape_box(0.4, 0.4);
    twins_add(&both, ISO_BODY_STATIC, 0, -1, 0, &ground);
    const iso_body_id body = twins_add(&both, ISO_BODY_DYNAMIC, 0, 0.4, 0, &box);
    for (int t = 0; t < 60; ++t) {
        twins_step(&both, "fall");
    }
    EXPECT(body_pose(both.world, body).y < -4, "something held it");
    assert_true(world_counts(both.world).dropped_contacts >= 1);
    twins_free(&both);
}

// ---- capacity of pairs ---------------------------------------------------------------------------

/// Pebbles 4.2 cm apart: the fat boxes of each overlap those of eight, the boxes of none. More fat pairs than there is
/// room for, but no candidate is too many: nothing may be dropped.
static void test_more_fat_pairs_than_fit_drop_no_candidate(void **state) {
    (void)state;
    iso_world_def def = world_def_small(0);
    def.contact_capacity = 16;
    twins both = twins_make(&def);
    iso_shape_def pebble = shape_circle(0.01);
    pebble.density = fix(100);
    for (int i = 0; i < 196; ++i) {
        twins_add(&both, ISO_BODY_DYNAMIC, 0.042 * (i % 14), 0.042 * (i / 14), 0, &pebble);
    }
    uint32_t overflows = 0;
    for (int t = 0; t < 20; ++t) {
        const iso__pair_list pairs = iso__plane_broad_phase_update(iso__plane_of(both.world));
        const iso__plane_broad_phase *phase = iso__plane_of(both.world)->broad_phase;
        const iso__plane_box *box = &phase->boxes[0], *leaf = &phase->tree.nodes[phase->proxies[0].leaf].box;
        overflows += memcmp(box, leaf, sizeof *box) == 0; // the leaves became as small as the boxes
        EXPECT(pairs.dropped == 0, "tick %d: dropped %llu", t, (unsigned long long)pairs.dropped);
        twins_step(&both, "pebbles");
    }
    EXPECT(overflows > 0, "the pairs fit: nothing was tested");
    assert_int_equal(world_counts(both.world).dropped_contacts, 0);
    twins_free(&both);
}

/// A crowd runs through a point and out again: few pairs, more candidates than are used, more than fit, few again.
static void test_crowd_that_overflows_the_pairs_depends_on_no_cache(void **state) {
    (void)state;
    rng random = {11};
    iso_world_def def = world_def_small(0);
    def.contact_capacity = 20;
    twins both = twins_make(&def);
    uint32_t overflows = 0, fits = 0;
    for (int i = 0; i < 70; ++i) {
        iso_shape_def shape = i % 2 ? shape_circle(1.2) : shape_box(1.2, 0.8);
        shape.filter.group = i % 5 == 0 ? -1 : 0;
        const double angle = rng_range(&random, 0, 2 * PI), far = rng_range(&random, 6, 8);
        const iso_body_id body = twins_add(&both, i % 10 == 9 ? ISO_BODY_KINEMATIC : ISO_BODY_DYNAMIC, far * cos(angle),
                                           far * sin(angle), angle, &shape);
        body_set_velocity(both.world, body, -9 * cos(angle), -9 * sin(angle), 1);
        body_set_velocity(both.twin, body, -9 * cos(angle), -9 * sin(angle), 1);
    }
    for (int t = 0; t < 150; ++t) {
        twins_step(&both, "crowd");
        // After an overflow there are no pairs.
        *(iso__plane_of(both.world)->broad_phase->pair_count == 0 ? &overflows : &fits) += 1;
        if (t == 60 || t == 75) {
            EXPECT_STATUS(iso_body_destroy(both.world, iso_body_next(both.world, 3)), ISO_OK);
            EXPECT_STATUS(iso_body_destroy(both.twin, iso_body_next(both.twin, 3)), ISO_OK);
        }
    }
    print_message("%u ticks with too many pairs, %u without; %llu contacts dropped\n", overflows, fits,
                  (unsigned long long)world_counts(both.world).dropped_contacts);
    assert_true(overflows > 5 && fits > 5);
    assert_true(world_counts(both.world).dropped_contacts > 100);
    twins_free(&both);
}

/// More candidates than twice the capacity and 256: what is kept are the lowest keys, what is dropped is counted, by
/// brute force over the boxes.
static void test_candidates_beyond_their_maximum_are_cut_at_the_highest_keys(void **state) {
    (void)state;
    iso_world_def def = world_def_small(0);
    def.contact_capacity = 1;
    iso_world *world = world_make(&def);
    const uint32_t max = iso__plane_broad_phase_candidate_max(&def);
    const iso_shape_def ball = shape_circle(0.5);
    enum { COUNT = 60 };
    for (int i = 0; i < COUNT; ++i) {
        body_add_shape(world, ISO_BODY_DYNAMIC, 0.01 * i, 0, 0, &ball);
    }
    iso__plane_step_find_moving(iso__plane_of(world));
    const iso__pair_list pairs = iso__plane_broad_phase_update(iso__plane_of(world));
    assert_int_equal(pairs.count, max);
    assert_int_equal(pairs.dropped, COUNT * (COUNT - 1) / 2 - max);
    uint32_t next = 0;
    for (uint64_t a = 0; a < COUNT && next < max; ++a) {
        for (uint64_t b = a + 1; b < COUNT && next < max; ++b, ++next) {
            EXPECT(pairs.pairs[next].bodies == (a << 32 | b), "candidate %u is %llx", next,
                   (unsigned long long)pairs.pairs[next].bodies);
        }
    }
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filters_decide_which_shapes_touch),
        cmocka_unit_test(test_changed_filters_act_from_the_next_tick_on),
        cmocka_unit_test(test_shapes_of_one_body_and_of_bodies_that_do_not_move_never_touch),
        cmocka_unit_test(test_sliding_keeps_features_and_impulses),
        cmocka_unit_test(test_impulses_are_matched_by_feature_when_a_point_goes),
        cmocka_unit_test(test_contacts_beyond_the_capacity_are_dropped_from_the_highest_key_and_counted),
        cmocka_unit_test(test_world_without_contacts_lets_all_fall),
        cmocka_unit_test(test_more_fat_pairs_than_fit_drop_no_candidate),
        cmocka_unit_test(test_crowd_that_overflows_the_pairs_depends_on_no_cache),
        cmocka_unit_test(test_candidates_beyond_their_maximum_are_cut_at_the_highest_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
