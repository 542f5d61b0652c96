/// What a body is: damping, gravity of its own, locks, mass, type, and where a kinematic one is told to go.
#include "unit/world/physics_util.h"

#include "plane/world/body.h"
#include "plane/world/body_mass.h"

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
    EXPECT_STATUS(iso_body_apply_impulse(world, body, (iso_vec2_wide){wide(1), wide(1)},
                                         iso_vec2_to_wide((iso_vec2){0, fix(0.4)})),
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
    EXPECT_STATUS(iso_body_apply_impulse(world, body, (iso_vec2_wide){wide(1), 0}, (iso_vec2_wide){0, 0}),
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
        EXPECT_STATUS(
            iso_body_move_kinematic(world, lift, iso_vec2_to_wide((iso_vec2){fix(0.01 * tick), fix(0.02 * tick)}), 0),
            ISO_OK);
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
    EXPECT_STATUS(iso_body_move_kinematic(world, body, (iso_vec2_wide){0, 0}, iso_wide_from_fix16(fix(-3.0))), ISO_OK);
    world_steps(world, 1);
    EXPECT_NEAR(body_pose(world, body).angle, 2 * PI - 3.0, 1e-4, "through half a turn, not back through zero");
    // 512 m/s at 60 Hz are 8.53 m in a tick, or an angle that takes the bounding radius as far.
    const iso_vec2_wide near = {wide(8.5), 0}, far = {wide(8.6), 0}, outside = {30000 * ISO_WIDE_ONE + 1, 0};
    EXPECT_STATUS(iso_body_move_kinematic(world, body, far, iso_wide_from_fix16(fix(-3.0))), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_body_move_kinematic(world, body, outside, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_body_move_kinematic(world, body, near, iso_wide_from_fix16(fix(-3.0))), ISO_OK);
    EXPECT_STATUS(iso_body_move_kinematic(world, body, near, 0), ISO_ERR_RANGE); // 3 rad of 4 m are 12 m
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
    EXPECT_STATUS(iso_body_move_kinematic(world, body, (iso_vec2_wide){ISO_WIDE_ONE, 0}, 0), ISO_OK);
    EXPECT_STATUS(iso_world_restore(world, image, size), ISO_OK);
    world_steps(world, 1);
    assert_true(body_view(world, body).position.x == 0);
    EXPECT_STATUS(iso_body_move_kinematic(world, body, (iso_vec2_wide){ISO_WIDE_ONE, 0}, 0), ISO_OK);
    EXPECT_STATUS(iso_body_set_type(world, body, ISO_BODY_STATIC), ISO_OK);
    EXPECT_STATUS(iso_body_set_type(world, body, ISO_BODY_KINEMATIC), ISO_OK);
    world_steps(world, 1);
    assert_true(body_view(world, body).position.x == 0);
    free(image);
    world_free(world);
}

// ---- changed in place ----------------------------------------------------------------------------

static void test_set_position_puts_a_body_there_exactly(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def ball = shape_circle(0.5), off_centre = shape_circle(0.25);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
    iso_shape_def other = off_centre;
    other.points[0] = (iso_vec2){fix(0.75), 0};
    shape_add(world, body, &other); // so that the centre of mass is not the origin
    body_set_velocity(world, body, 3, -2, 1);
    world_steps(world, 7);
    iso_body_view before, after;
    EXPECT_STATUS(iso_body_get(world, body, &before), ISO_OK);
    const iso_vec2_wide position = {wide(-123.25), wide(4096.5) + 1};
    EXPECT_STATUS(iso_body_set_position(world, body, position, wide(2)), ISO_OK);
    EXPECT_STATUS(iso_body_get(world, body, &after), ISO_OK);
    assert_int_equal(after.position.x, position.x);
    assert_int_equal(after.position.y, position.y);
    assert_int_equal(after.angle_turns, iso_turns_from_radians(wide(2)));
    assert_memory_equal(&after.velocity, &before.velocity, sizeof after.velocity);
    assert_int_equal(after.angular_velocity, before.angular_velocity);
    // The pose that a view has leaves a body where it is, bit for bit.
    for (int64_t turns = -5; turns <= 5; ++turns) {
        iso__plane_of(world)->bodies[body.index].angle = turns * 4321 * ISO_WIDE_ONE + turns * INT64_C(987654321);
        iso__plane_body_update_rotation(iso__plane_of(world), body.index);
        EXPECT_STATUS(iso_body_get(world, body, &before), ISO_OK);
        EXPECT_STATUS(iso_body_set_position(world, body, before.position, iso_radians_from_turns(before.angle_turns)),
                      ISO_OK);
        EXPECT_STATUS(iso_body_get(world, body, &after), ISO_OK);
        assert_int_equal(after.angle_turns, before.angle_turns);
        assert_memory_equal(&after.centre, &before.centre, sizeof after.centre);
    }
    world_free(world);
}

static void test_set_position_refuses_what_is_outside(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def ball = shape_circle(0.5);
    iso_shape_def far_out = shape_circle(0.5);
    far_out.points[0] = (iso_vec2){fix(20), 0};
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
    const iso_body_id wide_body = body_add_shape(world, ISO_BODY_DYNAMIC, 5, 0, 0, &far_out);
    const uint64_t root = iso_world_root(world);
    const iso_wide edge = ISO_POSITION_MAX_M * ISO_WIDE_ONE;
    EXPECT_STATUS(iso_body_set_position(world, body, (iso_vec2_wide){edge + 1, 0}, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_body_set_position(world, body, (iso_vec2_wide){0, -edge - 1}, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_body_set_position(world, body, (iso_vec2_wide){INT64_MIN, INT64_MIN}, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_body_set_position(world, wide_body, (iso_vec2_wide){edge, 0}, 0), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_body_set_position(world, (iso_body_id){body.index, 99}, (iso_vec2_wide){0, 0}, 0), ISO_ERR_STALE);
    EXPECT_STATUS(iso_body_set_tag(world, (iso_body_id){0, 0}, 1), ISO_ERR_STALE);
    assert_int_equal(iso_world_root(world), root);
    EXPECT_STATUS(iso_body_set_position(world, wide_body, (iso_vec2_wide){edge, 0}, wide(PI)),
                  ISO_OK); // turned inwards
    EXPECT_STATUS(iso_body_set_position(world, body, (iso_vec2_wide){-edge, edge}, INT64_MIN), ISO_OK);
    EXPECT_STATUS(iso_body_set_tag(world, body, 77), ISO_OK);
    iso_body_view view;
    EXPECT_STATUS(iso_body_get(world, body, &view), ISO_OK);
    assert_int_equal(view.tag, 77);
    world_free(world);
}

/// What slept on the body falls, what sleeps where it arrives is pushed.
static void test_set_position_wakes_whom_it_leaves_and_whom_it_meets(void **state) {
    (void)state;
    iso_world_def def = world_def_small(-10);
    def.sleep_speed = iso_world_def_default().sleep_speed;
    iso_world *world = world_make(&def);
    const iso_shape_def floor_box = shape_box(20, 0.5), box = shape_box(0.5, 0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &floor_box);
    const iso_body_id lower = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    const iso_body_id upper = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 1.5, 0, &box);
    const iso_body_id aside = body_add_shape(world, ISO_BODY_DYNAMIC, 8, 0.5, 0, &box);
    const iso_body_id pillar = body_add_shape(world, ISO_BODY_STATIC, -8, 0.5, 0, &box);
    world_steps(world, 240);
    assert_false(iso_body_is_awake(world, lower) || iso_body_is_awake(world, upper) || iso_body_is_awake(world, aside));
    EXPECT_STATUS(iso_body_set_position(world, lower, (iso_vec2_wide){wide(-4), wide(0.5)}, 0), ISO_OK);
    EXPECT_STATUS(iso_body_set_position(world, pillar, (iso_vec2_wide){wide(8.75), wide(0.5)}, 0), ISO_OK);
    world_steps(world, 120);
    EXPECT_NEAR(body_pose(world, upper).y, 0.5, 0.01, "the upper box");
    EXPECT_NEAR(body_pose(world, lower).x, -4, 0.001, "the lower box");
    EXPECT(body_pose(world, aside).x < 7.8, "the box where the pillar stands now is at %g m",
           body_pose(world, aside).x);
    world_free(world);
}

static void test_set_position_ends_contacts_and_moves(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def floor_box = shape_box(20, 0.5), box = shape_box(0.5, 0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &floor_box);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    const iso_body_id lift = body_add_shape(world, ISO_BODY_KINEMATIC, 9, 9, 0, &box);
    world_steps(world, 30);
    assert_int_equal(world_counts(world).contacts, 1);
    EXPECT_STATUS(iso_body_set_position(world, body, (iso_vec2_wide){wide(1), wide(0.5)}, 0),
                  ISO_OK); // along the floor
    assert_int_equal(world_counts(world).contacts, 0);
    EXPECT_STATUS(iso_body_move_kinematic(world, lift, (iso_vec2_wide){wide(9), wide(9.5)}, 0), ISO_OK);
    EXPECT_STATUS(iso_body_set_position(world, lift, (iso_vec2_wide){wide(-9), wide(9)}, 0), ISO_OK);
    world_steps(world, 1);
    EXPECT_NEAR(body_pose(world, lift).y, 9, 0, "y of the lift");
    EXPECT_NEAR(body_pose(world, lift).x, -9, 0, "x of the lift");
    world_free(world);
}

/// A body that sleeps alone, one that a joint holds, and the root of a world where a static body is elsewhere.
static void test_set_position_is_seen_by_whoever_has_no_contact(void **state) {
    (void)state;
    iso_world_def def = world_def_small(0);
    def.sleep_speed = iso_world_def_default().sleep_speed;
    iso_world *world = world_make(&def);
    const iso_shape_def ball = shape_circle(0.5);
    const iso_body_id alone = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0, 0, &ball);
    const iso_body_id hook = body_add_shape(world, ISO_BODY_STATIC, 20, 0, 0, &ball);
    const iso_body_id held = body_add_shape(world, ISO_BODY_DYNAMIC, 22, 0, 0, &ball);
    iso_joint_def joint = iso_joint_def_default();
    joint.kind = ISO_JOINT_DISTANCE;
    joint.body_a = hook;
    joint.body_b = held;
    joint.rest = fix(2);
    iso_joint_id id;
    EXPECT_STATUS(iso_joint_create(world, &joint, &id), ISO_OK);
    world_steps(world, 120);
    assert_false(iso_body_is_awake(world, alone) || iso_body_is_awake(world, held));
    EXPECT_STATUS(iso_body_set_position(world, alone, (iso_vec2_wide){wide(5), 0}, 0), ISO_OK);
    assert_true(iso_body_is_awake(world, alone));
    const uint64_t root = iso_world_root(world);
    EXPECT_STATUS(iso_body_set_position(world, hook, (iso_vec2_wide){wide(19), 0}, 0), ISO_OK);
    assert_true(iso_world_root(world) != root);
    world_steps(world, 60);
    EXPECT_NEAR(body_pose(world, held).x, 21, 0.01, "what the joint holds");
    world_free(world);
}

/// A box that sleeps on a slope slides once it, or the slope, is smooth.
static void test_friction_wakes_what_it_held(void **state) {
    (void)state;
    for (uint32_t smooth = 0; smooth < 2; ++smooth) {
        iso_world_def def = world_def_small(-10);
        def.sleep_speed = iso_world_def_default().sleep_speed;
        iso_world *world = world_make(&def);
        const iso_shape_def slope = shape_box(20, 0.5), box = shape_box(0.5, 0.5);
        body_add_shape(world, ISO_BODY_STATIC, 0, 0, 0.2, &slope);
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, -sin(0.2), cos(0.2), 0.2, &box);
        world_steps(world, 120);
        assert_false(iso_body_is_awake(world, body));
        const double before = body_pose(world, body).x;
        EXPECT_STATUS(iso_shape_set_friction(world, (iso_shape_id){smooth, 1}, 0), ISO_OK);
        world_steps(world, 60);
        EXPECT(body_pose(world, body).x < before - 0.5, "shape %u is smooth, and the box stays", smooth);
        world_free(world);
    }
}

/// v' = v - mu g t while it slides; on a floor made smooth nothing slows it down.
static void test_friction_acts_from_the_next_step_on(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    iso_shape_def floor_box = shape_box(50, 0.5), box = shape_box(0.5, 0.5);
    floor_box.friction = box.friction = fix(0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &floor_box);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 0.5, 0, &box);
    const iso_shape_id shape = {1, 1};
    world_steps(world, 30);
    body_set_velocity(world, body, 8, 0, 0);
    world_steps(world, 60);
    EXPECT_NEAR(body_pose(world, body).vx, 3, 0.05, "with friction");
    EXPECT_STATUS(iso_shape_set_friction(world, shape, 0), ISO_OK);
    const double before = body_pose(world, body).vx;
    world_steps(world, 60);
    EXPECT_NEAR(body_pose(world, body).vx, before, 0.001, "without");
    EXPECT_STATUS(iso_shape_set_friction(world, shape, -1), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_shape_set_friction(world, shape, fix(8)), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_shape_set_friction(world, (iso_shape_id){1, 2}, 0), ISO_ERR_STALE);
    world_free(world);
}

static void test_restitution_acts_from_the_next_step_on(void **state) {
    (void)state;
    iso_world *world = world_make_small(-10);
    const iso_shape_def floor_box = shape_box(50, 0.5), ball = shape_circle(0.5);
    body_add_shape(world, ISO_BODY_STATIC, 0, -0.5, 0, &floor_box);
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 0, 2.5, 0, &ball);
    EXPECT_STATUS(iso_shape_set_restitution(world, (iso_shape_id){1, 1}, fix(0.5)), ISO_OK);
    double fastest = 0;
    for (int tick = 0; tick < 90; ++tick) {
        world_steps(world, 1);
        fastest = fmax(fastest, body_pose(world, body).vy);
    }
    EXPECT_NEAR(fastest, 0.5 * sqrt(2 * 10 * 2.0), 0.15, "after the bounce");
    EXPECT_STATUS(iso_shape_set_restitution(world, (iso_shape_id){1, 1}, -1), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_shape_set_restitution(world, (iso_shape_id){1, 1}, ISO_FIX16_ONE + 1), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_shape_set_restitution(world, (iso_shape_id){9, 1}, 0), ISO_ERR_STALE);
    world_free(world);
}

static void test_density_changes_mass_and_keeps_the_origin(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    iso_shape_def left = shape_circle(0.5), right = shape_circle(0.5);
    left.points[0] = (iso_vec2){fix(-1), 0};
    right.points[0] = (iso_vec2){fix(1), 0};
    const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, 3, 4, 0.25, &left);
    shape_add(world, body, &right);
    iso_body_view before, after;
    EXPECT_STATUS(iso_body_get(world, body, &before), ISO_OK);
    EXPECT_STATUS(iso_shape_set_density(world, (iso_shape_id){1, 1}, fix(3)), ISO_OK);
    EXPECT_STATUS(iso_body_get(world, body, &after), ISO_OK);
    EXPECT_NEAR(from_wide(after.mass), 4 * PI * 0.25, 1e-4, "mass");
    EXPECT_NEAR(from_wide(after.position.x), 3, 1e-6, "x of the origin");
    EXPECT_NEAR(from_wide(after.position.y), 4, 1e-6, "y of the origin");
    EXPECT_NEAR(from_wide(after.centre.x - after.position.x), 0.5 * cos(0.25), 1e-5, "x of the centre");
    const uint64_t root = iso_world_root(world);
    EXPECT_STATUS(iso_shape_set_density(world, (iso_shape_id){1, 1}, -1), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_shape_set_density(world, (iso_shape_id){1, 3}, 0), ISO_ERR_STALE);
    assert_int_equal(iso_world_root(world), root);
    world_free(world);
}

/// Everything that is changed in place, at random, in a heap that falls asleep and is woken: a world whose caches are
/// thrown away before each tick takes the same course.
static void test_changes_in_place_reach_every_cache(void **state) {
    (void)state;
    iso_world_def def = world_def_small(-10);
    def.sleep_speed = iso_world_def_default().sleep_speed;
    iso_world *worlds[2] = {world_make(&def), world_make(&def)};
    const iso_shape_def floor_box = shape_box(20, 0.5), box = shape_box(0.4, 0.4);
    iso_body_id bodies[12];
    for (int w = 0; w < 2; ++w) {
        body_add_shape(worlds[w], ISO_BODY_STATIC, 0, -0.5, 0, &floor_box);
        for (int i = 0; i < 12; ++i) {
            bodies[i] = body_add_shape(worlds[w], i == 5 ? ISO_BODY_KINEMATIC : ISO_BODY_DYNAMIC, 0.3 * (i % 4),
                                       0.5 + 0.9 * (i / 4), 0.1 * i, &box);
        }
    }
    rng random = {4711};
    for (int tick = 0; tick < 900; ++tick) {
        const uint32_t which = (uint32_t)(rng_next(&random) % 12), what = (uint32_t)(rng_next(&random) % 40);
        const double x = rng_range(&random, -2, 2), y = rng_range(&random, 0, 3);
        for (int w = 0; w < 2; ++w) {
            const iso_shape_id shape = {which + 1, 1};
            if (what == 0) {
                EXPECT_STATUS(
                    iso_body_set_position(worlds[w], bodies[which], (iso_vec2_wide){wide(x), wide(y)}, wide(x)),
                    ISO_OK);
            } else if (what == 1) {
                EXPECT_STATUS(iso_shape_set_friction(worlds[w], shape, fix(y)), ISO_OK);
            } else if (what == 2) {
                EXPECT_STATUS(iso_shape_set_restitution(worlds[w], shape, fix(y / 4)), ISO_OK);
            } else if (what == 3) {
                EXPECT_STATUS(iso_shape_set_density(worlds[w], shape, fix(0.5 + y)), ISO_OK);
            }
        }
        iso_world_drop_caches(worlds[1]);
        world_steps(worlds[0], 1);
        world_steps(worlds[1], 1);
        EXPECT(iso_world_root(worlds[0]) == iso_world_root(worlds[1]), "tick %d after change %u differs", tick, what);
    }
    world_free(worlds[0]);
    world_free(worlds[1]);
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
        cmocka_unit_test(test_set_position_puts_a_body_there_exactly),
        cmocka_unit_test(test_set_position_refuses_what_is_outside),
        cmocka_unit_test(test_set_position_wakes_whom_it_leaves_and_whom_it_meets),
        cmocka_unit_test(test_friction_acts_from_the_next_step_on),
        cmocka_unit_test(test_restitution_acts_from_the_next_step_on),
        cmocka_unit_test(test_density_changes_mass_and_keeps_the_origin),
        cmocka_unit_test(test_changes_in_place_reach_every_cache),
        cmocka_unit_test(test_set_position_ends_contacts_and_moves),
        cmocka_unit_test(test_set_position_is_seen_by_whoever_has_no_contact),
        cmocka_unit_test(test_friction_wakes_what_it_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
