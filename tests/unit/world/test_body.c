/// What a body is: damping, gravity of its own, locks, mass, type, and where a kinematic one is told to go.
#include "physics_util.h"

#include "world/body.h"

static iso_body_id ball_add(iso_world *world, double x, double y) {
    const iso_shape_def circle = shape_circle(0.5);
    return body_add_shape(world, ISO_BODY_DYNAMIC, x, y, 0, &circle);
}

static void set_params(iso_world *world, iso_body_id body, iso_body_params params) {
    EXPECT_STATUS(iso_body_set_params(world, body, &params), ISO_OK);
}

// ---- damping and gravity -------------------------------------------------------------------------

/// v_N = v_0 / (1 + h c)^N in N substeps.
static void test_damping_follows_its_closed_form(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_body_id body = ball_add(world, 0, 0);
    iso_body_params params = iso_body_params_default();
    params.linear_damping = fix(0.7);
    params.angular_damping = fix(2.5);
    set_params(world, body, params);
    body_set_velocity(world, body, 30, -12, 4);
    for (int second = 1; second <= 3; ++second) {
        world_steps(world, 60);
        const pose now = body_pose(world, body);
        const double n = 240.0 * second;
        const double slower = pow(1 + from_fix(params.linear_damping) / 240, -n);
        const double turning = pow(1 + from_fix(params.angular_damping) / 240, -n);
        EXPECT_NEAR(now.vx, 30 * slower, 120 * QUANTUM_VELOCITY, "vx after %d s", second);
        EXPECT_NEAR(now.vy, -12 * slower, 120 * QUANTUM_VELOCITY, "vy after %d s", second);
        EXPECT_NEAR(now.w, 4 * turning, 120 * 2 * QUANTUM_VELOCITY, "w after %d s", second);
    }
    world_free(world);
}

static void test_gravity_scale_is_exact_over_a_second(void **state) {
    (void)state;
    static const double scales[] = {0, 0.5, -1, 3.25, 10};
    iso_world *world = world_make_small(-10);
    iso_body_id bodies[5];
    for (int i = 0; i < 5; ++i) {
        bodies[i] = ball_add(world, 3 * i, 0);
        iso_body_params params = iso_body_params_default();
        params.gravity_scale = fix(scales[i]);
        set_params(world, bodies[i], params);
    }
    world_steps(world, 60);
    for (int i = 0; i < 5; ++i) {
        EXPECT_NEAR(body_pose(world, bodies[i]).vy, -10 * scales[i], 0, "scale %g", scales[i]);
    }
    world_free(world);
}

// ---- locks ---------------------------------------------------------------------------------------

/// A hail of balls from all sides, on one body with each lock.
static void test_locked_components_never_move(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    iso_body_id locked[3];
    for (int i = 0; i < 3; ++i) {
        const iso_shape_def box = shape_box(0.6, 0.4);
        locked[i] = body_add_shape(world, ISO_BODY_DYNAMIC, 12 * i, 0, 0.3, &box);
        iso_body_params params = iso_body_params_default();
        params.lock_x = i == 0;
        params.lock_y = i == 1;
        params.fixed_rotation = i == 2;
        set_params(world, locked[i], params);
        body_set_velocity(world, locked[i], 1, 1, 1);
        for (int n = 0; n < 8; ++n) {
            const double angle = 2 * PI * n / 8 + 0.1;
            const iso_body_id ball = ball_add(world, 12 * i + 3 * cos(angle), 3 * sin(angle));
            body_set_velocity(world, ball, -9 * cos(angle), -9 * sin(angle), 5);
        }
    }
    const pose before[3] = {body_pose(world, locked[0]), body_pose(world, locked[1]), body_pose(world, locked[2])};
    world_steps(world, 40);
    const pose x = body_pose(world, locked[0]), y = body_pose(world, locked[1]), turn = body_pose(world, locked[2]);
    EXPECT(x.x == before[0].x && x.vx == 0, "locked x: %g, %g m/s", x.x - before[0].x, x.vx);
    EXPECT(y.y == before[1].y && y.vy == 0, "locked y: %g, %g m/s", y.y - before[1].y, y.vy);
    EXPECT(turn.angle == before[2].angle && turn.w == 0, "fixed rotation: %g, %g rad/s", turn.angle, turn.w);
    EXPECT(fabs(x.y - before[0].y) > 0.1 && fabs(x.w) > 0.01, "what is not locked moves");
    EXPECT(fabs(y.x - before[1].x) > 0.1 && fabs(turn.x - before[2].x) > 0.1, "what is not locked moves");
    assert_true(body_view(world, locked[2]).inertia == 0);
    world_free(world);
}

static void test_an_impulse_along_a_lock_is_lost(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_body_id body = ball_add(world, 0, 0);
    iso_body_params params = iso_body_params_default();
    params.lock_y = params.fixed_rotation = true;
    set_params(world, body, params);
    EXPECT_STATUS(iso_body_apply_impulse(world, body, (iso_vec2_wide){wide(1), wide(1)}, (iso_vec2){0, fix(0.4)}),
                  ISO_OK);
    const pose now = body_pose(world, body);
    EXPECT(now.vx > 1 && now.vy == 0 && now.w == 0, "%g %g %g", now.vx, now.vy, now.w);
    params.gravity_scale = 101 * ONE;
    EXPECT_STATUS(iso_body_set_params(world, body, &params), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_body_set_params(world, (iso_body_id){body.index, 7}, &params), ISO_ERR_STALE);
    world_free(world);
}

// ---- mass ----------------------------------------------------------------------------------------

static void test_an_own_mass_replaces_that_of_the_shapes(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_body_id body = ball_add(world, 0, 0);
    const pose before = body_pose(world, body);
    EXPECT_STATUS(iso_body_set_mass(world, body, wide(5), 0), ISO_OK);
    pose now = body_pose(world, body);
    EXPECT_NEAR(now.mass, 5, 0, "mass");
    EXPECT_NEAR(now.inertia, before.inertia * 5 / before.mass, 8 * QUANTUM_WIDE, "inertia in proportion");
    EXPECT_STATUS(iso_body_set_mass(world, body, 0, wide(0.125)), ISO_OK);
    now = body_pose(world, body);
    EXPECT_NEAR(now.mass, before.mass, 0, "mass of the shapes");
    EXPECT_NEAR(now.inertia, 0.125, 0, "own inertia");
    EXPECT_STATUS(iso_body_apply_angular_impulse(world, body, wide(1)), ISO_OK);
    EXPECT_NEAR(body_pose(world, body).w, 8, 1e-4, "the own inertia turns");
    // Out of range: m L^2 / I above 500, or nothing left of it. The world stays as it was.
    const uint64_t root = iso_world_root(world);
    EXPECT_STATUS(iso_body_set_mass(world, body, wide(5), wide(0.0001)), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_body_set_mass(world, body, 1 << 16, INT64_MAX), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_body_set_mass(world, body, (1 << 16) - 1, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_body_set_mass(world, body, wide(1), -1), ISO_ERR_RANGE);
    iso_world_drop_caches(world);
    assert_int_equal(iso_world_root(world), root);
    iso_wide mass = 1, inertia = 1;
    EXPECT_STATUS(iso_body_get_own_mass(world, body, &mass, &inertia), ISO_OK);
    assert_true(mass == 0 && inertia == wide(0.125));
    world_free(world);
}

/// The impulse [N s] of the only contact's points together.
static double contact_impulse(const iso_world *world) {
    iso_contact_view view;
    assert_true(iso_world_get_contact(world, 0, &view));
    return from_wide(view.normal_impulse[0]) + from_wide(view.normal_impulse[1]);
}

/// A ball at rest on another one on the ground: changing masses must not change an impulse in N s, though it is
/// stored over sigma.
static void test_a_mass_change_keeps_the_physical_impulses(void **state) {
    (void)state;
    static const double masses[] = {0.01, 1, 100, 0.5};
    iso_world *world = world_make_small(-10);
    const iso_shape_def ground = shape_box(5, 0.5), box = shape_box(0.5, 0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &ground);
    const iso_body_id lower = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    const iso_body_id upper = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 1.5, 0, &box);
    iso_joint_def def = iso_joint_def_default();
    def.body_a = lower;
    def.body_b = upper;
    def.anchor_a = (iso_vec2){0, fix(0.5)};
    def.anchor_b = (iso_vec2){0, fix(-0.5)};
    def.collide_connected = true;
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint_create(world, &def, &joint), ISO_OK);
    world_steps(world, 20);
    const uint32_t count = world_counts(world).contacts;
    double before[4];
    assert_true(count >= 1 && count <= 4);
    iso_contact_view view;
    for (uint32_t i = 0; i < count; ++i) {
        iso_world_get_contact(world, i, &view);
        before[i] = from_wide(view.normal_impulse[0]);
    }
    iso_vec2_wide force_before;
    EXPECT_STATUS(iso_joint_get_force(world, joint, &force_before), ISO_OK);
    for (int m = 0; m < 4; ++m) {
        EXPECT_STATUS(iso_body_set_mass(world, m % 2 ? upper : lower, wide(masses[m]), 0), ISO_OK);
        for (uint32_t i = 0; i < count; ++i) {
            iso_world_get_contact(world, i, &view);
            EXPECT_NEAR(from_wide(view.normal_impulse[0]), before[i], 1e-3 * before[i] + 100 * QUANTUM_VELOCITY,
                        "contact %u with %g kg", i, masses[m]);
        }
        iso_vec2_wide force;
        EXPECT_STATUS(iso_joint_get_force(world, joint, &force), ISO_OK);
        EXPECT_NEAR(from_wide(force.y), from_wide(force_before.y), 1e-5 * fabs(from_wide(force_before.y)) + 1e-6,
                    "joint with %g kg", masses[m]);
    }
    world_free(world);
}

// ---- types ---------------------------------------------------------------------------------------

static void test_a_body_changes_its_type_and_back(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def ground = shape_box(5, 0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &ground);
    iso_shape_def part = shape_box(0.5, 0.5);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &part);
    for (int i = 0; i < 4; ++i) {
        part.points[i].x += ONE; // the centre of mass moves off the origin
    }
    shape_add(world, body, &part);
    world_steps(world, 30);
    const iso_body_view before = body_view(world, body);
    assert_true(world_counts(world).contacts > 0 && contact_impulse(world) > 0);

    EXPECT_STATUS(iso_body_set_type(world, body, ISO_BODY_STATIC), ISO_OK);
    iso_body_view now = body_view(world, body);
    assert_true(now.mass == 0 && now.velocity.x == 0 && now.velocity.y == 0 && now.angular_velocity == 0);
    assert_true(llabs(now.position.x - before.position.x) <= 2 && llabs(now.position.y - before.position.y) <= 2);
    world_steps(world, 2);
    assert_int_equal(world_counts(world).contacts, 0); // two static bodies do not touch
    EXPECT_STATUS(iso_body_apply_impulse(world, body, (iso_vec2_wide){wide(1), 0}, (iso_vec2){0, 0}),
                  ISO_ERR_WRONG_TYPE);

    EXPECT_STATUS(iso_body_set_type(world, body, ISO_BODY_KINEMATIC), ISO_OK);
    body_set_velocity(world, body, 0, 2, 0);
    world_steps(world, 60);
    assert_true(llabs(body_view(world, body).position.y - before.position.y - wide(2)) <= wide(1e-6));

    EXPECT_STATUS(iso_body_set_type(world, body, ISO_BODY_DYNAMIC), ISO_OK);
    now = body_view(world, body);
    assert_true(now.mass == before.mass && now.velocity.y == wide(2));
    world_steps(world, 120);
    EXPECT_NEAR(from_wide(body_view(world, body).position.y), 0.5, 0.01, "it has fallen down again");
    EXPECT_STATUS(iso_body_set_type(world, body, 4), ISO_ERR_BAD_ENUM);
    EXPECT_STATUS(iso_body_set_type(world, (iso_body_id){9, 1}, ISO_BODY_STATIC), ISO_ERR_STALE);
    world_free(world);
}

static void test_a_type_that_gives_no_mass_is_refused_without_a_trace(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    iso_shape_def speck = shape_circle(0.002);
    speck.density = 1; // 2^-16 kg/m^2
    const iso_body_id body = body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0, &speck);
    const uint64_t root = iso_world_root(world);
    EXPECT_STATUS(iso_body_set_type(world, body, ISO_BODY_DYNAMIC), ISO_ERR_RANGE);
    iso_world_drop_caches(world);
    assert_int_equal(iso_world_root(world), root);
    world_free(world);
}

// ---- kinematic targets ---------------------------------------------------------------------------

static void test_a_kinematic_body_arrives_exactly_and_rests(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def plate = shape_box(2, 0.25), box = shape_box(0.5, 0.5);
    const iso_body_id lift = body_add_shape(world, ISO_BODY_KINEMATIC, 0, 0, 0, &plate);
    const iso_body_id load = body_add_shape(world, ISO_BODY_DYNAMIC, 0.3, 0.75, 0, &box);
    world_steps(world, 10);
    for (int tick = 1; tick <= 60; ++tick) {
        EXPECT_STATUS(iso_body_move_kinematic(world, lift, (iso_vec2){fix(0.01 * tick), fix(0.02 * tick)}, 0), ISO_OK);
        world_steps(world, 1);
        const iso_body_view view = body_view(world, lift);
        assert_true(view.position.x == iso_wide_from_fix16(fix(0.01 * tick)) &&
                    view.position.y == iso_wide_from_fix16(fix(0.02 * tick)));
        assert_true(view.velocity.x == 0 && view.velocity.y == 0);
    }
    const pose carried = body_pose(world, load);
    EXPECT_NEAR(carried.x, 0.9, 0.02, "friction carries the load along");
    EXPECT_NEAR(carried.y, 1.95, 0.02, "the lift carries the load up");
    world_steps(world, 30);
    assert_true(body_view(world, lift).position.y == iso_wide_from_fix16(fix(1.2)));
    world_free(world);
}

static void test_a_kinematic_body_turns_the_shorter_way(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def plate = shape_box(2, 0.25);
    const iso_body_id body = body_add_shape(world, ISO_BODY_KINEMATIC, 0, 0, 3.0, &plate);
    EXPECT_STATUS(iso_body_move_kinematic(world, body, (iso_vec2){0, 0}, fix(-3.0)), ISO_OK);
    world_steps(world, 1);
    EXPECT_NEAR(body_pose(world, body).angle, 2 * PI - 3.0, 1e-4, "through half a turn, not back through zero");
    // 512 m/s at 60 Hz are 8.53 m in a tick, or an angle that takes the bounding radius as far.
    const iso_vec2 near = {fix(8.5), 0}, far = {fix(8.6), 0}, outside = {30000 * ONE + 1, 0};
    EXPECT_STATUS(iso_body_move_kinematic(world, body, far, fix(-3.0)), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_body_move_kinematic(world, body, outside, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_body_move_kinematic(world, body, near, fix(-3.0)), ISO_OK);
    EXPECT_STATUS(iso_body_move_kinematic(world, body, near, fix(0)), ISO_ERR_RANGE); // 3 rad of 4 m are 12 m
    EXPECT_STATUS(iso_body_move_kinematic(world, ball_add(world, 20, 0), near, 0), ISO_ERR_WRONG_TYPE);
    world_steps(world, 1);
    assert_true(body_view(world, body).position.x == wide(8.5));
    world_free(world);
}

/// A move is for the coming tick alone, like a force: neither an image nor a change of type keeps it.
static void test_a_move_does_not_outlive_what_ends_a_tick(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def plate = shape_box(2, 0.25);
    const iso_body_id body = body_add_shape(world, ISO_BODY_KINEMATIC, 0, 0, 0, &plate);
    uint8_t *image = malloc(iso_world_image_size_max(world));
    const size_t size = iso_world_save(world, image, iso_world_image_size_max(world));
    EXPECT_STATUS(iso_body_move_kinematic(world, body, (iso_vec2){ONE, 0}, 0), ISO_OK);
    EXPECT_STATUS(iso_world_restore(world, image, size), ISO_OK);
    world_steps(world, 1);
    assert_true(body_view(world, body).position.x == 0);
    EXPECT_STATUS(iso_body_move_kinematic(world, body, (iso_vec2){ONE, 0}, 0), ISO_OK);
    EXPECT_STATUS(iso_body_set_type(world, body, ISO_BODY_STATIC), ISO_OK);
    EXPECT_STATUS(iso_body_set_type(world, body, ISO_BODY_KINEMATIC), ISO_OK);
    world_steps(world, 1);
    assert_true(body_view(world, body).position.x == 0);
    free(image);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damping_follows_its_closed_form),
        cmocka_unit_test(test_gravity_scale_is_exact_over_a_second),
        cmocka_unit_test(test_locked_components_never_move),
        cmocka_unit_test(test_an_impulse_along_a_lock_is_lost),
        cmocka_unit_test(test_an_own_mass_replaces_that_of_the_shapes),
        cmocka_unit_test(test_a_mass_change_keeps_the_physical_impulses),
        cmocka_unit_test(test_a_body_changes_its_type_and_back),
        cmocka_unit_test(test_a_type_that_gives_no_mass_is_refused_without_a_trace),
        cmocka_unit_test(test_a_kinematic_body_arrives_exactly_and_rests),
        cmocka_unit_test(test_a_kinematic_body_turns_the_shorter_way),
        cmocka_unit_test(test_a_move_does_not_outlive_what_ends_a_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
