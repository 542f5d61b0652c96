// Joints in space whose rows are functions of a game: motions, forces, bounds, breaking, any numbers.
#include "unit/space/joint/test_custom3_util.h"

static iso_joint_id pivot_add(iso_world *world, iso_body_id a, iso_body_id b, vec3 anchor_a, vec3 anchor_b) {
    iso_joint3_def def = custom3_def(ISO_JOINT3_USER, PIVOT, a, b);
    custom3_vector(&def, 0, anchor_a);
    custom3_vector(&def, 1, anchor_b);
    return joint3_add(world, &def);
}

/// A double pendulum out of the plane, by the game's constraint or by ball joints.
static iso_world *pendulum_make(bool is_user, iso_body_id boxes[2], iso_joint_id joints[2]) {
    iso_world *world = user_world(-GRAVITY, &user_game);
    const iso_body_id wall = body3_fixed(world, NONE);
    for (int i = 0; i < 2; ++i) {
        boxes[i] = body3_box(world, ISO_BODY_DYNAMIC, (vec3){1 + 2 * i, 0, 0}, NO_TURN, BOX_HALF);
        const iso_body_id a = i == 0 ? wall : boxes[0];
        joints[i] = is_user ? pivot_add(world, a, boxes[i], (vec3){i, 0, 0}, (vec3){-1, 0, 0})
                            : joint3_make(world, ISO_JOINT3_BALL, a, boxes[i], (vec3){2 * i, 0, 0}, X_AXIS, NONE);
    }
    body3_set(world, boxes[1], (vec3){0, 0, 3}, NONE);
    return world;
}

static void test_rows_move_bodies_as_a_ball_joint_does(void **state) {
    (void)state;
    iso_body_id boxes[2], twins[2];
    iso_joint_id joints[2], balls[2];
    iso_world *world = pendulum_make(true, boxes, joints), *twin = pendulum_make(false, twins, balls);
    double way = 0, apart = 0;
    for (int tick = 0; tick < 180; ++tick) {
        world_steps(world, 1);
        world_steps(twin, 1);
        const vec3 at = body3_centre(world, boxes[1]);
        way = fmax(way, vec3_length(vec3_sub(at, (vec3){3, 0, 0})));
        apart = fmax(apart, vec3_length(vec3_sub(at, body3_centre(twin, twins[1]))));
        EXPECT(joint3_separation(world, joints[1]) < 8e-3, "off by %g m", joint3_separation(world, joints[1]));
    }
    // The rows are solved one after the other, those of a ball at once.
    EXPECT(way > 3.0 && apart < 0.02, "a way of %g m, %g m from the ball joints'", way, apart);
    const vec3 force = joint3_force(world, joints[0]), of_ball = joint3_force(twin, balls[0]);
    EXPECT(vec3_length(vec3_sub(force, of_ball)) < 0.1 * vec3_length(of_ball), "%g N, of the ball %g", force.y,
           of_ball.y);
    world_free(world);
    world_free(twin);
}

static void test_a_hanging_body_is_held_by_its_weight(void **state) {
    (void)state;
    iso_world *world = user_world(-GRAVITY, &user_game);
    const iso_body_id wall = body3_fixed(world, NONE);
    const iso_body_id box = body3_box(world, ISO_BODY_DYNAMIC, (vec3){0.5, -1, 0}, NO_TURN, BOX_HALF);
    const iso_joint_id joint = pivot_add(world, wall, box, (vec3){0.5, 0, 0}, (vec3){0, 1, 0});
    world_steps(world, 60);
    const double weight = GRAVITY * from_wide(body3_view(world, box).mass);
    const vec3 force = joint3_force(world, joint), torque = joint3_torque(world, joint);
    EXPECT_NEAR(force.y, weight, 1e-3 * weight, "the force on B");
    EXPECT(fabs(force.x) + fabs(force.z) + vec3_length(torque) < 1e-3 * weight, "%g, %g N, %g N m", force.x, force.z,
           vec3_length(torque));
    const iso_wide none[3] = {0, 0, 0};
    EXPECT_STATUS(iso_body3_set_mass(world, box, wide(3.0), none), ISO_OK);
    EXPECT_NEAR(joint3_force(world, joint).y, weight, 1e-3 * weight, "the force at another mass");
    world_free(world);
}

static iso_joint3_def shelf_def(iso_body_id body, double low, double most) {
    iso_joint3_def def = custom3_def(ISO_JOINT3_USER, SHELF, (iso_body_id){0, 0}, body);
    def.params.scalars[0] = wide(low);
    def.params.scalars[1] = wide(most);
    return def;
}

static const iso__space_custom_joint *record_of(const iso_world *world, iso_joint_id joint) {
    return &iso__space_of_const(world)->custom_joints[world->custom_of[joint.index]];
}

static void test_a_bound_of_one_body_pushes_up_to_its_strength(void **state) {
    (void)state;
    iso_world *world = user_world(-GRAVITY, &user_game);
    const iso_body_id box = body3_box(world, ISO_BODY_DYNAMIC, (vec3){0, 1, 0}, NO_TURN, BOX_HALF);
    iso_joint3_def def = shelf_def(box, 0.0, 0.0);
    const iso_joint_id joint = joint3_add(world, &def);
    world_steps(world, 20);
    assert_true(vec3_length(joint3_force(world, joint)) == 0.0); // it still falls
    world_steps(world, 100);
    EXPECT_NEAR(body3_centre(world, box).y, 0.0, 2e-3, "the height");
    assert_int_equal(record_of(world, joint)->state[0], 120);
    EXPECT_NEAR(from_wide(record_of(world, joint)->state[2]), 0.0, 2e-3, "the place that prepare3 saw");
    const double weight = GRAVITY * from_wide(body3_view(world, box).mass);
    EXPECT_NEAR(joint3_force(world, joint).y, weight, 1e-3 * weight, "the force");
    body3_set(world, box, (vec3){0, 5, 0}, NONE); // it may leave its bound
    world_steps(world, 10);
    EXPECT(body3_centre(world, box).y > 0.5, "it does not leave");
    def.params.scalars[1] = wide(weight / 2);
    EXPECT_STATUS(iso_joint3_set_params(world, joint, &def.params, NULL), ISO_OK);
    body3_set(world, box, NONE, NONE);
    EXPECT_STATUS(iso_body3_set_position(world, box, wide3(NONE), quat_to(NO_TURN)), ISO_OK);
    world_steps(world, 60);
    EXPECT_NEAR(body3_velocity(world, box).y, -GRAVITY / 2, 0.05, "the speed with half of its weight");
    EXPECT_NEAR(joint3_separation(world, joint), -body3_centre(world, box).y, 1e-6, "the separation");
    world_free(world);
}

static void test_a_broken_joint_tells_its_constraint(void **state) {
    (void)state;
    for (int is_removed = 0; is_removed < 2; ++is_removed) {
        iso_world *world = user_world(-GRAVITY, &user_game);
        const iso_body_id box = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, BOX_HALF);
        const iso_joint3_def def = shelf_def(box, 0.0, 0.0);
        const iso_joint_id joint = joint3_add(world, &def);
        EXPECT_STATUS(iso_joint_set_break(world, joint, wide(1.0), 0, 0, 0, is_removed != 0), ISO_OK);
        world_steps(world, 3);
        iso_joint3_def after;
        EXPECT_STATUS(iso_joint3_get(world, joint, &after), is_removed ? ISO_ERR_STALE : ISO_OK);
        const iso__space_custom_joint *record = &iso__space_of(world)->custom_joints[0];
        assert_int_equal(record->kind, is_removed ? 0 : ISO_JOINT3_USER);
        assert_int_equal(record->state[1], is_removed ? 0 : 1);
        assert_true(is_removed || (!after.enabled && after.constraint == SHELF));
        EXPECT_NEAR(body3_velocity(world, box).y, -GRAVITY * 2 / 60, 0.1, "it falls");
        world_free(world);
    }
}

static void test_a_velocity_is_brought_to_its_rate(void **state) {
    (void)state;
    iso_world *world = user_world(0.0, &user_game);
    const iso_body_id a = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, BOX_HALF);
    const iso_body_id b = body3_box(world, ISO_BODY_DYNAMIC, X_AXIS, NO_TURN, BOX_HALF);
    iso_joint3_def def = custom3_def(ISO_JOINT3_USER, PACE, a, b);
    def.params.scalars[0] = wide(2.0);
    def.torque_max = wide(10.0);
    const iso_joint_id joint = joint3_add(world, &def);
    world_steps(world, 1);
    EXPECT_NEAR(joint3_torque(world, joint).z, 10.0, 0.01, "the torque while it speeds up");
    world_steps(world, 120);
    const vec3 wa = body3_spin(world, a), wb = body3_spin(world, b);
    EXPECT_NEAR(wb.z - wa.z, 2.0, 1e-4, "the rate");
    EXPECT_NEAR(wb.z + wa.z, 0.0, 1e-4, "the sum of equal bodies' spins");
    EXPECT(joint3_angle_error(world, joint) == 0.0, "a velocity has an error of an angle");
    world_free(world);
}

// What a bound holds falls asleep; what a velocity drives does not, until its rate is 0.
static void test_velocities_keep_their_bodies_awake(void **state) {
    (void)state;
    iso_world_def def = space_def(-GRAVITY);
    def.sleep_speed = fix(0.05);
    iso_world *world = user_world_of(def, &user_game);
    const iso_body_id shelved = body3_box(world, ISO_BODY_DYNAMIC, (vec3){0, 0.01, 0}, NO_TURN, BOX_HALF);
    const iso_joint3_def shelf = shelf_def(shelved, 0.0, 0.0);
    joint3_add(world, &shelf);
    const iso_body_id wall = body3_fixed(world, (vec3){5, 0, 0});
    const iso_body_id driven = body3_box(world, ISO_BODY_DYNAMIC, (vec3){5, 0, 0}, NO_TURN, BOX_HALF);
    pivot_add(world, wall, driven, NONE, NONE);
    iso_joint3_def pace = custom3_def(ISO_JOINT3_USER, PACE, wall, driven);
    pace.params.scalars[0] = wide(0.001); // so slow that nothing else keeps it awake
    const iso_joint_id joint = joint3_add(world, &pace);
    world_steps(world, 300);
    assert_false(iso_body_is_awake(world, shelved));
    assert_true(iso_body_is_awake(world, driven));
    EXPECT_NEAR(body3_spin(world, driven).z, 0.001, 1e-5, "the rate");
    EXPECT_STATUS(iso_joint3_set_params(world, joint, &(iso_program_params){.scalars = {0}}, NULL), ISO_OK);
    world_steps(world, 300);
    assert_false(iso_body_is_awake(world, driven));
    world_free(world);
}

/// The rows of a joint have any numbers: the world stays valid, and equal to a twin that does the same.
static void test_any_rows_leave_a_valid_world(void **state) {
    (void)state;
    rng random = {7};
    iso_world *world = user_world(-GRAVITY, &user_game);
    iso_body_id bodies[4];
    for (int i = 0; i < 4; ++i) {
        const double size = i == 3 ? 8.0 : i == 2 ? 0.05 : 0.3;
        bodies[i] = body3_box(world, ISO_BODY_DYNAMIC, (vec3){3.0 * i, 0, 0}, quat_random(&random),
                              (vec3){size, size / (1 + i), size / 3});
    }
    const iso_body_id wall = body3_fixed(world, NONE);
    const iso_joint3_def defs[] = {custom3_def(ISO_JOINT3_USER, WILD, bodies[0], bodies[1]),
                                   custom3_def(ISO_JOINT3_USER, WILD, bodies[2], bodies[3]),
                                   custom3_def(ISO_JOINT3_USER, WILD, wall, bodies[2])};
    for (int i = 0; i < 3; ++i) {
        joint3_add(world, &defs[i]);
    }
    for (int tick = 0; tick < 600; ++tick) {
        for (int r = 0; r < 6; ++r) {
            wild.error[r] = (int64_t)rng_next(&random) >> rng_below(&random, 64);
            for (int k = 0; k < 12; ++k) {
                const bool is_none = rng_below(&random, 4) == 0;
                wild.jacobian[r][k / 6][k % 6] = is_none ? 0 : (int64_t)rng_next(&random) >> rng_below(&random, 64);
            }
        }
        world_steps(world, 1);
        for (int i = 0; i < 4; ++i) {
            const vec3 v = body3_velocity(world, bodies[i]);
            EXPECT(fabs(v.x) <= 400 && fabs(v.y) <= 400 && fabs(v.z) <= 400, "a speed of %g m/s", vec3_length(v));
        }
    }
    assert_true(world_counts(world).clamped_rows > 1000);
    const blob s = snapshot_of(world);
    iso_world *twin = user_world(-GRAVITY, &user_game);
    EXPECT_STATUS(iso_snapshot_decode(twin, s.bytes, s.size), ISO_OK);
    assert_same_future(world, twin, 5);
    free(s.bytes);
    world_free(world);
    world_free(twin);
}

static void test_definitions_are_checked(void **state) {
    (void)state;
    iso_world *world = user_world(0.0, &user_game);
    const iso_body_id a = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, BOX_HALF);
    const iso_body_id b = body3_box(world, ISO_BODY_DYNAMIC, X_AXIS, NO_TURN, BOX_HALF), none = {0, 0};
    const uint64_t root = iso_world_root(world);
    iso_joint_id joint;
    iso_joint3_def def = custom3_def(ISO_JOINT3_USER, FLAT, a, b); // it is one of the plane
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_ERR_UNKNOWN_NAME);
    def = custom3_def(ISO_JOINT3_USER, USER_COUNT, a, b);
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_ERR_UNKNOWN_NAME);
    def = custom3_def(ISO_JOINT3_SYMBOLIC, 0, a, b);
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_ERR_UNKNOWN_NAME);
    def = custom3_def(ISO_JOINT3_USER, PIVOT, none, b);
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_ERR_WRONG_TYPE);
    def = custom3_def(ISO_JOINT3_USER, PIVOT, b, b);
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_ERR_WRONG_TYPE);
    def = custom3_def(ISO_JOINT3_USER, SHELF, a, b);
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_ERR_WRONG_TYPE);
    def = shelf_def(b, 0.0, -1.0); // its check
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_ERR_RANGE);
    def = shelf_def(b, 0.0, 0.0);
    def.params.vectors3[0][2] = 1; // it has none
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_ERR_RANGE);
    def = shelf_def((iso_body_id){9, 1}, 0.0, 0.0);
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_ERR_STALE);
    def = shelf_def(b, 0.0, 0.0);
    def.axes[0].motor_enabled = true;
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_ERR_RANGE);
    assert_true(iso_world_root(world) == root);
    def.axes[0].motor_enabled = false;
    for (int i = 0; i < 12; ++i) {
        joint = joint3_add(world, &def);
    }
    iso_joint_id other;
    EXPECT_STATUS(iso_joint3_create(world, &def, &other), ISO_ERR_CAPACITY);
    EXPECT_STATUS(iso_joint3_set_params(world, joint, &(iso_program_params){.scalars = {1, -1}}, NULL), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint3_set_params(world, (iso_joint_id){60, 1}, &def.params, NULL), ISO_ERR_STALE);
    def.constraint = PIVOT;
    EXPECT_STATUS(iso_joint3_set(world, joint, &def), ISO_ERR_WRONG_TYPE);
    const iso_joint_id ball = joint3_make(world, ISO_JOINT3_BALL, a, b, NONE, X_AXIS, NONE);
    EXPECT_STATUS(iso_joint3_set_params(world, ball, &def.params, NULL), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_body_destroy(world, b), ISO_OK);
    assert_true(!iso_joint_is_valid(world, joint));
    for (int i = 0; i < 12; ++i) {
        assert_int_equal(iso__space_of(world)->custom_joints[i].kind, 0);
    }
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_move_bodies_as_a_ball_joint_does),
        cmocka_unit_test(test_a_hanging_body_is_held_by_its_weight),
        cmocka_unit_test(test_a_bound_of_one_body_pushes_up_to_its_strength),
        cmocka_unit_test(test_a_broken_joint_tells_its_constraint),
        cmocka_unit_test(test_a_velocity_is_brought_to_its_rate),
        cmocka_unit_test(test_velocities_keep_their_bodies_awake),
        cmocka_unit_test(test_any_rows_leave_a_valid_world),
        cmocka_unit_test(test_definitions_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
