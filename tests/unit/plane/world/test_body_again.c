/// A body that is made again of what is read of it is the same, bit for bit.
#include "unit/world/physics_util.h"

#include "plane/world/plane.h"

#define BODIES 120u

/// A shape of any kind somewhere on its body, with a surface of its own.
static iso_shape_def shape_any(rng *random) {
    const double size = pow(2, rng_range(random, -6, 2));
    const uint32_t kind = rng_below(random, 3);
    iso_shape_def def = kind == 0   ? shape_circle(size)
                        : kind == 1 ? shape_capsule_random(random, size, size / 3)
                                    : shape_polygon_random(random, 3 + rng_below(random, 6), size, size / 2, size / 9);
    const iso_vec2 by = {fix(rng_range(random, -4, 4) * size), fix(rng_range(random, -4, 4) * size)};
    for (uint32_t i = 0; i < def.point_count; ++i) {
        def.points[i] = iso_vec2_add(def.points[i], by);
    }
    if (rng_below(random, 5) == 0) {
        def = iso_shape_def_segment((iso_vec2_wide){wide(rng_range(random, -4, 0)), wide(rng_range(random, -4, 4))},
                                    (iso_vec2_wide){wide(rng_range(random, 1, 4)), wide(rng_range(random, -4, 4))});
        def.segment[0].x -= wide(size);
    }
    def.density = 1 + (fix16_t)rng_below(random, 300 * ONE);
    def.friction = (fix16_t)rng_below(random, 517734);
    def.restitution = (fix16_t)rng_below(random, ONE + 1);
    def.surface_speed = (fix16_t)rng_below(random, 80 * ONE + 1) - 40 * ONE;
    def.one_way =
        (iso_vec2){(fix16_t)rng_below(random, 2 * ONE + 1) - ONE, (fix16_t)rng_below(random, 2 * ONE + 1) - ONE};
    def.is_sensor = rng_below(random, 2) == 1;
    def.filter = (iso_filter){(uint32_t)rng_next(random), (uint32_t)rng_next(random), (int32_t)rng_next(random)};
    def.tag = (uint32_t)rng_next(random);
    return def;
}

static iso_body_params params_any(rng *random) {
    return (iso_body_params){
        .linear_damping = (fix16_t)rng_below(random, ONE),
        .angular_damping = (fix16_t)rng_below(random, ONE),
        .gravity_scale = (fix16_t)rng_below(random, 200 * ONE) - 100 * ONE,
        .fixed_rotation = rng_below(random, 5) == 0,
        .lock_x = rng_below(random, 5) == 0,
        .lock_y = rng_below(random, 5) == 0,
        .bullet = rng_below(random, 5) == 0,
        .sleep_enabled = rng_below(random, 2) == 0,
    };
}

/// Any body at any place in any turn, with a mass of its own or without, moving.
static void body_any(iso_world *world, rng *random) {
    iso_body_def def = iso_body_def_default();
    def.type = (uint8_t)(ISO_BODY_STATIC + rng_below(random, 3));
    def.position = (iso_vec2_wide){wide(rng_range(random, -29000, 29000)), wide(rng_range(random, -29000, 29000))};
    def.angle = wide(rng_range(random, -1, 1) * pow(2, rng_range(random, -20, 30)));
    def.tag = (uint32_t)rng_next(random);
    def.owner.slot = rng_below(random, 2) == 0 ? ISO_OWNER_NOBODY : ISO_OWNER_EVERYONE;
    def.params = params_any(random);
    iso_body_id body;
    EXPECT_STATUS(iso_body_create(world, &def, &body), ISO_OK);
    for (uint32_t i = rng_below(random, 4); i > 0; --i) {
        const iso_shape_def shape = shape_any(random);
        iso_shape_id id;
        (void)iso_shape_create(world, body, &shape, &id); // some are too thin
    }
    if (rng_below(random, 3) == 0) {
        const double mass = rng_range(random, 0.1, 90);
        (void)iso_body_set_mass(world, body, wide(mass), rng_below(random, 2) == 0 ? 0 : wide(mass / 7));
    }
    if (def.type != ISO_BODY_STATIC) {
        const iso_vec2_wide velocity = {wide(rng_range(random, -400, 400)), wide(rng_range(random, -400, 400))};
        (void)iso_body_set_velocity(world, body, velocity, wide(rng_range(random, -9, 9)));
        const iso_vec2_wide to = {wide(rng_range(random, -99, 99)), 1};
        (void)iso_body_apply_impulse(world, body, to, def.position);
    }
}

/// Makes a body of what the readers of the interface give. Its shapes come while it is kinematic, so that its centre of
/// mass moves once, from its origin to where it belongs.
static void body_again(const iso_world *from, iso_body_id body, iso_world *world) {
    const iso_body_view view = body_view(from, body);
    iso_body_def def = {.type = ISO_BODY_KINEMATIC,
                        .position = view.position,
                        .angle = view.angle,
                        .tag = view.tag,
                        .owner = view.owner};
    iso_wide mass, inertia;
    iso_body_id again, owner;
    EXPECT_STATUS(iso_body_get_params(from, body, &def.params), ISO_OK);
    EXPECT_STATUS(iso_body_get_own_mass(from, body, &mass, &inertia), ISO_OK);
    EXPECT_STATUS(iso_body_create(world, &def, &again), ISO_OK);
    for (iso_shape_id s = iso_body_next_shape(from, body, 0); s.generation != 0;
         s = iso_body_next_shape(from, body, s.index + 1)) {
        iso_shape_def shape;
        EXPECT_STATUS(iso_shape_get(from, s, &shape, &owner), ISO_OK);
        shape_add(world, again, &shape);
    }
    EXPECT_STATUS(iso_body_set_type(world, again, view.type), ISO_OK);
    EXPECT_STATUS(iso_body_set_mass(world, again, mass, inertia), ISO_OK);
    if (view.type != ISO_BODY_STATIC) {
        EXPECT_STATUS(iso_body_set_velocity(world, again, view.velocity, view.angular_velocity), ISO_OK);
    }
    assert_int_equal(again.index, body.index);
}

static void test_a_body_is_made_again_of_what_is_read_of_it(void **state) {
    (void)state;
    rng random = {11};
    uint32_t turning = 0;
    for (int round = 0; round < 20; ++round) {
        iso_world *world = world_make_small(-3), *other = world_make_small(-3);
        for (uint32_t i = 0; i < BODIES; ++i) {
            body_any(world, &random);
        }
        world_steps(world, 30);
        assert_int_equal(world_counts(world).bodies, BODIES);
        for (uint32_t i = 0; i < BODIES; ++i) {
            const iso_body_id body = iso_body_next(world, i);
            EXPECT_STATUS(iso_body_wake(world, body), ISO_OK); // for how long a body has been quiet is not read
            body_again(world, body, other);
            EXPECT(memcmp(&iso__plane_of(world)->bodies[i], &iso__plane_of(other)->bodies[i],
                          sizeof iso__plane_of(world)->bodies[i]) == 0,
                   "round %d: body %u is another one", round, i);
            const iso_body_view is = body_view(other, body), was = body_view(world, body);
            assert_int_equal(is.mass, was.mass);
            assert_int_equal(is.inertia, was.inertia);
            turning += was.angular_velocity != 0;
        }
        assert_int_equal(world->globals->shape_count, other->globals->shape_count);
        assert_memory_equal(iso__plane_of(world)->shapes, iso__plane_of(other)->shapes,
                            world->globals->shape_count * sizeof *iso__plane_of(world)->shapes);
        world_free(world);
        world_free(other);
    }
    assert_true(turning > 20 * BODIES / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_body_is_made_again_of_what_is_read_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
