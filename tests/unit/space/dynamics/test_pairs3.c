/// The pairs of a tick in space do not depend on what was listed before: worlds that lose their caches in every tick,
/// and others that keep them, have the same roots, also where pairs and contacts find no room, and while shapes, types,
/// filters and poses change.
#include "unit/space/world/space_util.h"

#define PAIR_BODIES 40u
#define PAIR_TICKS  240u

static iso_world *heap_make(uint32_t contact_capacity, uint64_t seed) {
    rng random = {seed};
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, fix(-10)};
    def.contact_capacity = contact_capacity;
    def.sleep_speed = fix(0.05);
    iso_world *world = world_make(&def);
    const iso_shape3_def floor = iso_shape3_def_plane(fix3(0, 1, 0), 0);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity()), &floor);
    for (uint32_t i = 0; i < PAIR_BODIES; ++i) {
        const vector at = rng_vector(&random, 1.5);
        const iso_body_id body =
            body3_add(world, ISO_BODY_DYNAMIC, wide3(at.x[0], 2.5 + at.x[1], at.x[2]), rng_quat(&random));
        const iso_shape3_def box = box3(0.3, 0.2, 0.25), ball = iso_shape3_def_sphere(fix(0.3));
        shape3_add(world, body, i % 2 == 0 ? &box : &ball);
    }
    return world;
}

static iso_body_id random_body(rng *random, const iso_world *world) {
    iso_body_id body = iso_body_next(world, 0);
    for (uint32_t skip = rng_below(random, PAIR_BODIES); skip > 0; --skip) {
        const iso_body_id next = iso_body_next(world, body.index + 1);
        body = next.generation == 0 ? body : next;
    }
    return body;
}

/// What a game may do between two ticks.
static void disturb(rng *random, iso_world *world) {
    const iso_body_id body = random_body(random, world);
    iso_body3_view view = view3(world, body);
    iso_shape_id shape = {0, 0};
    const iso_shape3_def ball = iso_shape3_def_sphere(fix(0.25));
    switch (rng_below(random, 6)) {
    case 0:
        (void)iso_body3_set_type(world, body, (uint8_t)(ISO_BODY_STATIC + (int)rng_below(random, 3)));
        break;
    case 1:
        (void)iso_shape3_create(world, body, &ball, &shape);
        break;
    case 2:
        (void)iso_body3_set_position(world, body, wide3(0.5 * rng_sign(random), 3, rng_sign(random)), view.rotation);
        break;
    case 3:
        (void)iso_body_destroy(world, body);
        body3_of(world, &ball);
        break;
    default:
        break;
    }
}

static void expect_same(uint32_t contact_capacity, bool has_drops) {
    iso_world *kept = heap_make(contact_capacity, 5), *lost = heap_make(contact_capacity, 5);
    rng one = {9}, other = {9};
    for (uint32_t tick = 0; tick < PAIR_TICKS; ++tick) {
        if (tick % 3 == 0 && tick < PAIR_TICKS / 2) {
            disturb(&one, kept);
            disturb(&other, lost);
        }
        iso_world_drop_caches(lost);
        world_steps(kept, 1);
        world_steps(lost, 1);
        EXPECT(iso_world_root(kept) == iso_world_root(lost), "capacity %u: tick %u differs", contact_capacity, tick);
    }
    assert_true((world_counts(kept).dropped_contacts != 0) == has_drops);
    world_free(kept);
    world_free(lost);
}

static void test_roots_do_not_depend_on_listed_pairs(void **state) {
    (void)state;
    expect_same(256, false);
}

static void test_what_is_dropped_does_not_depend_on_them(void **state) {
    (void)state;
    expect_same(20, true);
    expect_same(3, true);
}

/// A world in which nothing leaves its fat box: a body far away turns.
static iso_world *still_make(void) {
    iso_world *world = space_make();
    const iso_shape3_def ball = iso_shape3_def_sphere(fix(0.3));
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(50, 0, 0), iso_quat_identity());
    shape3_add(world, body, &ball);
    body3_set_velocity(world, body, (vector){{0, 0, 0}}, (vector){{0, 1, 0}});
    return world;
}

static iso_body_id cube_at(iso_world *world, iso_body_type type, double x) {
    const iso_shape3_def box = box3(0.5, 0.5, 0.5);
    const iso_body_id body = body3_add(world, type, wide3(x, 0, 0), iso_quat_identity());
    shape3_add(world, body, &box);
    return body;
}

static void test_a_static_body_that_becomes_dynamic_meets_static_ones(void **state) {
    (void)state;
    iso_world *world = still_make();
    cube_at(world, ISO_BODY_STATIC, 0);
    const iso_body_id other = cube_at(world, ISO_BODY_STATIC, 0.9);
    world_steps(world, 3);
    EXPECT_STATUS(iso_body3_set_type(world, other, ISO_BODY_DYNAMIC), ISO_OK);
    world_steps(world, 30);
    EXPECT(from_wide(view3(world, other).centre.x) > 0.95, "it was not pushed out");
    world_free(world);
}

static void test_a_shape_in_the_place_of_one_of_another_body_meets_that_body(void **state) {
    (void)state;
    iso_world *world = still_make();
    const iso_body_id first = cube_at(world, ISO_BODY_STATIC, 0);
    const iso_body_id second = body3_add(world, ISO_BODY_DYNAMIC, wide3(0.9, 0, 0), iso_quat_identity());
    iso_shape3_def box = box3(0.5, 0.5, 0.5);
    box.points[0] = fix3(0.9, 0, 0);
    const iso_shape_id shape = shape3_add(world, first, &box);
    world_steps(world, 3);
    EXPECT_STATUS(iso_shape_destroy(world, shape), ISO_OK);
    box.points[0] = fix3(0, 0, 0);
    assert_int_equal(shape3_add(world, second, &box).index, shape.index);
    world_steps(world, 30);
    EXPECT(from_wide(view3(world, second).centre.x) > 0.95, "it was not pushed out");
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roots_do_not_depend_on_listed_pairs),
        cmocka_unit_test(test_a_static_body_that_becomes_dynamic_meets_static_ones),
        cmocka_unit_test(test_a_shape_in_the_place_of_one_of_another_body_meets_that_body),
        cmocka_unit_test(test_what_is_dropped_does_not_depend_on_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
