/// A body's frame and the world: points and vectors there and back, velocities of points, kinetic energy.
#include "unit/world/physics_util.h"

/// cosine and sine of a rotation are so exact, and so is a result per metre from the origin
#define TURN_ERROR 8.4e-10

static iso_vec2_wide vec(double x, double y) {
    return (iso_vec2_wide){wide(x), wide(y)};
}

static void expect_vec(iso_vec2_wide is, double x, double y, double bound, const char *what) {
    EXPECT_NEAR(from_wide(is.x), x, bound, "%s: x", what);
    EXPECT_NEAR(from_wide(is.y), y, bound, "%s: y", what);
}

/// A lopsided body, so that its centre of mass is not its origin, anywhere, at any angle and speed.
static iso_body_id body_any(iso_world *world, rng *random) {
    const iso_body_id body = body_add(world, ISO_BODY_DYNAMIC, rng_range(random, -9000, 9000),
                                      rng_range(random, -9000, 9000), rng_range(random, -20, 20));
    iso_shape_def disc = shape_circle(rng_range(random, 0.1, 2));
    disc.points[0] = (iso_vec2){fix(rng_range(random, -3, 3)), fix(rng_range(random, -3, 3))};
    shape_add(world, body, &disc);
    body_set_velocity(world, body, rng_range(random, -90, 90), rng_range(random, -90, 90), rng_range(random, -20, 20));
    return body;
}

static void test_points_and_vectors_go_there_and_back(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    rng random = {11};
    for (int i = 0; i < 200; ++i) {
        const iso_body_id body = body_any(world, &random);
        const iso_body_view view = body_view(world, body);
        const double angle = 2 * PI * from_wide(view.angle_turns), c = cos(angle), s = sin(angle);
        const iso_vec2_wide local = vec(rng_range(&random, -60, 60), rng_range(&random, -60, 60));
        const double x = from_wide(local.x), y = from_wide(local.y), bound = 120 * TURN_ERROR + 2 * QUANTUM_WIDE;
        iso_vec2_wide point, vector, back;
        EXPECT_STATUS(iso_body_get_world_point(world, body, local, &point), ISO_OK);
        expect_vec((iso_vec2_wide){point.x - view.position.x, point.y - view.position.y}, c * x - s * y, s * x + c * y,
                   bound, "a point in the world");
        EXPECT_STATUS(iso_body_get_local_point(world, body, point, &back), ISO_OK);
        expect_vec(back, x, y, 85 * 2.4e-9 + 2 * QUANTUM_WIDE, "a point there and back");
        EXPECT_STATUS(iso_body_get_world_vector(world, body, local, &vector), ISO_OK);
        assert_true(vector.x == point.x - view.position.x && vector.y == point.y - view.position.y);
        EXPECT_STATUS(iso_body_get_local_vector(world, body, vector, &back), ISO_OK);
        expect_vec(back, x, y, 85 * 2.4e-9 + 2 * QUANTUM_WIDE, "a vector there and back");
        EXPECT_STATUS(iso_body_destroy(world, body), ISO_OK);
    }
    world_free(world);
}

/// The origin of the frame is that of the definition, whatever the shapes are; quarter turns are exact.
static void test_frames_are_exact_at_quarter_turns(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_body_id body = body_add(world, ISO_BODY_KINEMATIC, 3, -4, 0);
    const iso_vec2_wide local = {123456789012, -7}, origin = vec(3, -4);
    const iso_vec2_wide turned[4] = {local, {7, local.x}, {-local.x, 7}, {-7, -local.x}};
    for (int quarter = 0; quarter < 4; ++quarter) {
        const iso_wide angle = iso_radians_from_turns(quarter * (ISO_WIDE_ONE / 4));
        EXPECT_STATUS(iso_body_set_position(world, body, origin, angle), ISO_OK);
        iso_vec2_wide point, back;
        EXPECT_STATUS(iso_body_get_world_point(world, body, local, &point), ISO_OK);
        assert_true(point.x == origin.x + turned[quarter].x && point.y == origin.y + turned[quarter].y);
        EXPECT_STATUS(iso_body_get_local_point(world, body, point, &back), ISO_OK);
        assert_true(back.x == local.x && back.y == local.y);
    }
    world_free(world);
}

static void test_results_beyond_the_format_saturate(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_body_id body = body_add(world, ISO_BODY_DYNAMIC, 3, -4, 0);
    body_set_velocity(world, body, 1, 1, 2);
    iso_vec2_wide is;
    EXPECT_STATUS(iso_body_get_world_point(world, body, (iso_vec2_wide){INT64_MAX, INT64_MIN}, &is), ISO_OK);
    assert_true(is.x == INT64_MAX && is.y == INT64_MIN);
    EXPECT_STATUS(iso_body_get_local_point(world, body, (iso_vec2_wide){INT64_MIN, INT64_MAX}, &is), ISO_OK);
    assert_true(is.x == INT64_MIN && is.y == INT64_MAX);
    EXPECT_STATUS(iso_body_get_point_velocity(world, body, (iso_vec2_wide){INT64_MAX, INT64_MAX}, &is), ISO_OK);
    assert_true(is.x == INT64_MIN && is.y == INT64_MAX);
    EXPECT_STATUS(iso_body_get_local_point_velocity(world, body, (iso_vec2_wide){INT64_MIN, INT64_MIN}, &is), ISO_OK);
    assert_true(is.x == INT64_MAX && is.y == INT64_MIN);
    world_free(world);
}

/// v + w x r about the centre of mass; and what the points do in a tick.
static void test_velocities_of_points_are_those_of_a_rigid_body(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    rng random = {12};
    for (int i = 0; i < 100; ++i) {
        const iso_body_id body = body_any(world, &random);
        const iso_vec2_wide local = vec(rng_range(&random, -5, 5), rng_range(&random, -5, 5));
        const pose is = body_pose(world, body);
        iso_vec2_wide point, after, velocity, again;
        EXPECT_STATUS(iso_body_get_world_point(world, body, local, &point), ISO_OK);
        EXPECT_STATUS(iso_body_get_point_velocity(world, body, point, &velocity), ISO_OK);
        expect_vec(velocity, is.vx - is.w * (from_wide(point.y) - is.y), is.vy + is.w * (from_wide(point.x) - is.x),
                   20 * QUANTUM_WIDE, "velocity of a point");
        EXPECT_STATUS(iso_body_get_local_point_velocity(world, body, local, &again), ISO_OK);
        expect_vec(again, from_wide(velocity.x), from_wide(velocity.y), 1e-6, "velocity of a point of the body");
        world_steps(world, 1);
        EXPECT_STATUS(iso_body_get_world_point(world, body, local, &after), ISO_OK);
        const double h = world_tick(world), turn = is.w * h, rx = from_wide(point.x) - is.x,
                     ry = from_wide(point.y) - is.y;
        // The way on a circle from its chord: r (1 - cos) and r (turn - sin) are missing.
        EXPECT_NEAR(from_wide(after.x - point.x),
                    from_wide(velocity.x) * h - rx * (1 - cos(turn)) + ry * (turn - sin(turn)), 1e-5, "way along x");
        EXPECT_NEAR(from_wide(after.y - point.y),
                    from_wide(velocity.y) * h - ry * (1 - cos(turn)) - rx * (turn - sin(turn)), 1e-5, "way along y");
        EXPECT_STATUS(iso_body_destroy(world, body), ISO_OK);
    }
    world_free(world);
}

static double energy_of(const iso_world *world, iso_body_id body) {
    iso_wide energy = -1;
    EXPECT_STATUS(iso_body_get_kinetic_energy(world, body, &energy), ISO_OK);
    return from_wide(energy);
}

static void test_kinetic_energy_is_that_of_mass_and_inertia(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    rng random = {13};
    for (int i = 0; i < 200; ++i) {
        const iso_body_id body = body_any(world, &random);
        const pose is = body_pose(world, body);
        const double expected = 0.5 * is.mass * (is.vx * is.vx + is.vy * is.vy) + 0.5 * is.inertia * is.w * is.w;
        EXPECT_NEAR(energy_of(world, body), expected, 1e-9 * expected + QUANTUM_WIDE, "energy");
        EXPECT_STATUS(iso_body_destroy(world, body), ISO_OK);
    }
    // A disc of 1 kg and 0.5 m at 3 m/s and 8 rad/s: 4.5 J and half of 0.125 kg m^2 * 64.
    const iso_shape_def disc = shape_circle(0.5);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &disc);
    EXPECT_STATUS(iso_body_set_mass(world, body, ISO_WIDE_ONE, ISO_WIDE_ONE / 8), ISO_OK);
    body_set_velocity(world, body, 3, 0, 8);
    assert_true(energy_of(world, body) == 8.5);
    iso_body_params params = iso_body_params_default();
    params.fixed_rotation = true;
    EXPECT_STATUS(iso_body_set_params(world, body, &params), ISO_OK);
    assert_true(energy_of(world, body) == 4.5);
    EXPECT_STATUS(iso_body_set_mass(world, body, ISO_WIDE_ONE << 17, 0), ISO_OK);
    body_set_velocity(world, body, 181, 0, 0);
    EXPECT_NEAR(energy_of(world, body), 65536.0 * 181 * 181, 1, "energy near the most");
    body_set_velocity(world, body, 182, 0, 0);
    EXPECT_NEAR(energy_of(world, body), 2147483648.0, 1, "energy beyond the most");
    EXPECT_STATUS(iso_body_set_type(world, body, ISO_BODY_KINEMATIC), ISO_OK);
    assert_true(energy_of(world, body) == 0);
    world_free(world);
}

/// What falls gains what its weight loses.
static void test_kinetic_energy_is_the_work_of_gravity(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def box = shape_box(0.5, 0.25);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 100, 0, &box);
    const pose before = body_pose(world, body);
    world_steps(world, 120);
    const pose after = body_pose(world, body);
    const double work = before.mass * 10 * (before.y - after.y);
    EXPECT_NEAR(energy_of(world, body), work, 0.01 * work, "energy after two seconds"); // Euler's half substep
    world_free(world);
}

static void test_frames_of_stale_bodies_are_refused(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_body_id body = body_add(world, ISO_BODY_DYNAMIC, 0, 0, 0);
    EXPECT_STATUS(iso_body_destroy(world, body), ISO_OK);
    const iso_vec2_wide at = {1, 2};
    iso_vec2_wide is = {3, 4};
    iso_wide energy = 5;
    EXPECT_STATUS(iso_body_get_world_point(world, body, at, &is), ISO_ERR_STALE);
    EXPECT_STATUS(iso_body_get_local_point(world, body, at, &is), ISO_ERR_STALE);
    EXPECT_STATUS(iso_body_get_world_vector(world, body, at, &is), ISO_ERR_STALE);
    EXPECT_STATUS(iso_body_get_local_vector(world, body, at, &is), ISO_ERR_STALE);
    EXPECT_STATUS(iso_body_get_point_velocity(world, body, at, &is), ISO_ERR_STALE);
    EXPECT_STATUS(iso_body_get_local_point_velocity(world, body, at, &is), ISO_ERR_STALE);
    EXPECT_STATUS(iso_body_get_kinetic_energy(world, body, &energy), ISO_ERR_STALE);
    assert_true(is.x == 3 && is.y == 4 && energy == 5);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points_and_vectors_go_there_and_back),
        cmocka_unit_test(test_frames_are_exact_at_quarter_turns),
        cmocka_unit_test(test_results_beyond_the_format_saturate),
        cmocka_unit_test(test_velocities_of_points_are_those_of_a_rigid_body),
        cmocka_unit_test(test_kinetic_energy_is_that_of_mass_and_inertia),
        cmocka_unit_test(test_kinetic_energy_is_the_work_of_gravity),
        cmocka_unit_test(test_frames_of_stale_bodies_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
