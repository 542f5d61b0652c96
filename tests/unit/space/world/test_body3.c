/// Bodies and shapes in space: what calls do, and what they refuse without changing a bit.
#include "unit/space/world/space_util.h"

#include "space/world/space.h"

/// The call is refused with this status, and the world is as it was.
#define REFUSED(world, call, status)                                                                       \
    do {                                                                                                   \
        iso_world_drop_caches(world);                                                                      \
        const uint64_t refused_before = iso_world_root(world);                                             \
        EXPECT_STATUS(call, status);                                                                       \
        iso_world_drop_caches(world);                                                                      \
        EXPECT(iso_world_root(world) == refused_before, "%s changed the world, line %d", #call, __LINE__); \
    } while (0)

static const iso_body_id NOBODY = {3, 77};
static const iso_shape_id NO_SHAPE = {3, 77};

/// A body of each type; the dynamic one has a box off its origin and is on its way.
typedef struct scene {
    iso_world *world;
    iso_body_id fixed, driven, free;
    iso_shape_id plane, box;
} scene;

static scene scene_make(void) {
    scene is = {.world = space_make()};
    rng random = {1};
    const iso_shape3_def plane = iso_shape3_def_plane(fix3(0, 1, 0), 0), ball = iso_shape3_def_sphere(ONE);
    iso_shape3_def box = box3(0.5, 1, 0.25);
    box.points[0] = fix3(0.5, 0, 0.25);
    is.fixed = body3_add(is.world, ISO_BODY_STATIC, wide3(0, -1, 0), iso_quat_identity());
    is.driven = body3_add(is.world, ISO_BODY_KINEMATIC, wide3(5, 1, 0), rng_quat(&random));
    is.free = body3_add(is.world, ISO_BODY_DYNAMIC, wide3(-5, 3, 2), rng_quat(&random));
    is.plane = shape3_add(is.world, is.fixed, &plane);
    shape3_add(is.world, is.driven, &ball);
    is.box = shape3_add(is.world, is.free, &box);
    body3_set_velocity(is.world, is.driven, (vector){{1, 0, 2}}, (vector){{0, 1, 0}});
    body3_set_velocity(is.world, is.free, (vector){{-1, 2, 0.5}}, (vector){{1, 3, -2}});
    world_steps(is.world, 5);
    return is;
}

static const iso_vec3_wide ZERO = {0, 0, 0};

static iso_vec3_wide along(int axis, iso_wide value) {
    return (iso_vec3_wide){axis == 0 ? value : 0, axis == 1 ? value : 0, axis == 2 ? value : 0};
}

// ---- creation ------------------------------------------------------------------------------------

static void test_a_body_is_created_as_its_definition_says(void **state) {
    (void)state;
    iso_world *world = space_make();
    rng random = {2};
    for (int run = 0; run < 50; ++run) {
        iso_body3_def def = iso_body3_def_default();
        const vector x = rng_vector(&random, 30000), v = rng_vector(&random, 400), w = rng_vector(&random, 100);
        def.type = (uint8_t)(1 + run % 3);
        def.position = wide3(x.x[0], x.x[1], x.x[2]);
        def.rotation = rng_quat(&random);
        def.velocity = wide3(v.x[0], v.x[1], v.x[2]);
        def.angular_velocity = wide3(w.x[0], w.x[1], w.x[2]);
        def.tag = 17;
        def.owner = (iso_owner){9, 3};
        def.params.gravity_scale = 3 * ONE;
        def.params.lock_z = run % 4 == 0;
        iso_body_id body;
        EXPECT_STATUS(iso_body3_create(world, &def, &body), ISO_OK);
        const iso_body3_view view = view3(world, body);
        assert_memory_equal(&view.position, &def.position, sizeof view.position);
        assert_memory_equal(&view.centre, &def.position, sizeof view.position);
        assert_memory_equal(&view.rotation, &def.rotation, sizeof view.rotation);
        const bool moves = def.type != ISO_BODY_STATIC, is_locked = def.params.lock_z && def.type == ISO_BODY_DYNAMIC;
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_NEAR(vector_of(view.velocity).x[axis], moves && !(is_locked && axis == 2) ? v.x[axis] : 0,
                        QUANTUM_VELOCITY, "velocity %d", axis);
            EXPECT_NEAR(vector_of(view.angular_velocity).x[axis], moves ? w.x[axis] : 0, QUANTUM_VELOCITY, "spin %d",
                        axis);
        }
        assert_true(view.tag == 17 && view.type == def.type && view.owner.slot == 3 && view.owner.generation == 9);
        iso_body3_params params;
        EXPECT_STATUS(iso_body3_get_params(world, body, &params), ISO_OK);
        assert_true(params.gravity_scale == 3 * ONE && params.lock_z == def.params.lock_z && params.sleep_enabled);
        EXPECT_STATUS(iso_body_destroy(world, body), ISO_OK);
    }
    world_free(world);
}

static void test_what_no_body_is_made_of_is_refused(void **state) {
    (void)state;
    scene s = scene_make();
    iso_body_id body;
    const iso_body3_def good = iso_body3_def_default();
    iso_body3_def def;
#define BAD(change, status) \
    def = good;             \
    change;                 \
    REFUSED(s.world, iso_body3_create(s.world, &def, &body), status)
    BAD(def.type = 0, ISO_ERR_BAD_ENUM);
    BAD(def.type = 4, ISO_ERR_BAD_ENUM);
    BAD(def.position.y = 30000 * ISO_WIDE_ONE + 1, ISO_ERR_RANGE);
    BAD(def.position.z = INT64_MIN, ISO_ERR_RANGE);
    BAD(def.velocity.z = 400 * ISO_WIDE_ONE + 1, ISO_ERR_RANGE);
    BAD(def.angular_velocity.x = wide(190), ISO_ERR_RANGE); // beyond pi/4 240
    BAD(def.angular_velocity = wide3(120, 120, 120), ISO_ERR_RANGE);
    BAD(def.angular_velocity.y = INT64_MIN, ISO_ERR_RANGE);
    BAD(def.rotation.w += 64, ISO_ERR_RANGE);
    BAD(def.owner.slot = 32, ISO_ERR_RANGE);
    BAD(def.owner.generation = 1, ISO_ERR_RANGE);
    BAD(def.params.linear_damping = -1, ISO_ERR_RANGE);
    BAD(def.params.angular_damping = 1000 * ONE + 1, ISO_ERR_RANGE);
    BAD(def.params.gravity_scale = -100 * ONE - 1, ISO_ERR_RANGE);
#undef BAD
    def = good;
    def.rotation = (iso_quat){0, 0, 0, 0};
    EXPECT_STATUS(iso_body3_create(s.world, &def, &body), ISO_OK);
    assert_int_equal(view3(s.world, body).rotation.w, ISO_ROTATION_ONE);
    while (world_counts(s.world).bodies < iso_world_get_def(s.world)->body_capacity) {
        EXPECT_STATUS(iso_body3_create(s.world, &good, &body), ISO_OK);
    }
    REFUSED(s.world, iso_body3_create(s.world, &good, &body), ISO_ERR_CAPACITY);
    world_free(s.world);
}

// ---- changes -------------------------------------------------------------------------------------

static void test_a_body_is_moved_turned_and_keeps_its_velocities(void **state) {
    (void)state;
    scene s = scene_make();
    rng random = {3};
    for (int run = 0; run < 60; ++run) {
        const iso_body_id body = run % 2 ? s.free : s.driven;
        const iso_body3_view before = view3(s.world, body);
        const vector x = rng_vector(&random, 29000);
        const iso_quat q = rng_quat(&random);
        EXPECT_STATUS(iso_body3_set_position(s.world, body, wide3(x.x[0], x.x[1], x.x[2]), q), ISO_OK);
        const iso_body3_view after = view3(s.world, body);
        const iso_vec3_wide origin = wide3(x.x[0], x.x[1], x.x[2]);
        assert_memory_equal(&after.position, &origin, sizeof origin);
        assert_memory_equal(&after.rotation, &q, sizeof q);
        assert_memory_equal(&after.velocity, &before.velocity, sizeof after.velocity);
        EXPECT_NEAR(length(sum(vector_of(after.angular_velocity), -1, vector_of(before.angular_velocity))), 0,
                    QUANTUM_VELOCITY, "spin, run %d", run);
    }
    // Any length of a quaternion is one; -q is q.
    EXPECT_STATUS(iso_body3_set_position(s.world, s.free, ZERO, (iso_quat){0, 0, -400, -300}), ISO_OK);
    const iso_quat q = view3(s.world, s.free).rotation;
    assert_true(q.z > 0 && q.w > 0);
    EXPECT_NEAR(q.z * QUANTUM_UNIT, 0.8, 4e-9, "normalised");
    for (int axis = 0; axis < 3; ++axis) {
        REFUSED(s.world, iso_body3_set_position(s.world, s.free, along(axis, 30000 * ISO_WIDE_ONE + 1), q),
                ISO_ERR_RANGE);
        REFUSED(s.world, iso_body3_set_position(s.world, s.free, along(axis, INT64_MIN), q), ISO_ERR_RANGE);
    }
    // The origin is within the world, the centre of mass is not.
    REFUSED(s.world, iso_body3_set_position(s.world, s.free, along(0, 30000 * ISO_WIDE_ONE), iso_quat_identity()),
            ISO_ERR_RANGE);
    REFUSED(s.world, iso_body3_set_position(s.world, NOBODY, ZERO, q), ISO_ERR_STALE);
    world_free(s.world);
}

static void test_velocities_are_set_and_bounded(void **state) {
    (void)state;
    scene s = scene_make();
    // L is 2 m of the box, 1 m of the ball: the least power of two that holds it.
    const double most_box = fmin(PI / 4 * 240, 400 / 2.0);
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_STATUS(iso_body3_set_velocity(s.world, s.free, along(axis, 400 * ISO_WIDE_ONE),
                                             along(axis, wide(most_box - 1e-4))),
                      ISO_OK);
        REFUSED(s.world, iso_body3_set_velocity(s.world, s.free, along(axis, 400 * ISO_WIDE_ONE + 1), ZERO),
                ISO_ERR_RANGE);
        REFUSED(s.world, iso_body3_set_velocity(s.world, s.free, along(axis, INT64_MIN), ZERO), ISO_ERR_RANGE);
        REFUSED(s.world, iso_body3_set_velocity(s.world, s.free, ZERO, along(axis, wide(most_box + 1e-3))),
                ISO_ERR_RANGE);
        REFUSED(s.world, iso_body3_set_velocity(s.world, s.free, ZERO, along(axis, INT64_MIN)), ISO_ERR_RANGE);
        REFUSED(s.world, iso_body3_set_velocity(s.world, s.free, ZERO, along(axis, INT64_MAX)), ISO_ERR_RANGE);
    }
    REFUSED(s.world,
            iso_body3_set_velocity(s.world, s.free, ZERO, wide3(most_box * 0.6, most_box * 0.6, most_box * 0.6)),
            ISO_ERR_RANGE);
    REFUSED(s.world, iso_body3_set_velocity(s.world, s.fixed, ZERO, ZERO), ISO_ERR_WRONG_TYPE);
    REFUSED(s.world, iso_body3_set_velocity(s.world, NOBODY, ZERO, ZERO), ISO_ERR_STALE);
    // What a view tells can be set, and is then the same.
    const iso_body3_view view = view3(s.world, s.free);
    EXPECT_STATUS(iso_body3_set_velocity(s.world, s.free, view.velocity, view.angular_velocity), ISO_OK);
    const iso_body3_view again = view3(s.world, s.free);
    assert_memory_equal(&again.velocity, &view.velocity, sizeof view.velocity);
    assert_memory_equal(&again.angular_velocity, &view.angular_velocity, sizeof view.angular_velocity);
    world_free(s.world);
}

static void test_pushes_are_bounded_and_for_dynamic_bodies(void **state) {
    (void)state;
    scene s = scene_make();
    const iso_wide most = ISO_IMPULSE_MAX * ISO_WIDE_ONE;
    for (int axis = 0; axis < 3; ++axis) {
        const iso_wide bad[3] = {most + 1, -most - 1, INT64_MIN};
        for (int i = 0; i < 3; ++i) {
            const iso_vec3_wide v = along(axis, bad[i]), far = along(axis, i == 2 ? INT64_MIN : 30001 * ISO_WIDE_ONE);
            REFUSED(s.world, iso_body3_apply_force(s.world, s.free, v, ZERO), ISO_ERR_RANGE);
            REFUSED(s.world, iso_body3_apply_force(s.world, s.free, ZERO, far), ISO_ERR_RANGE);
            REFUSED(s.world, iso_body3_apply_force_to_centre(s.world, s.free, v), ISO_ERR_RANGE);
            REFUSED(s.world, iso_body3_apply_torque(s.world, s.free, v), ISO_ERR_RANGE);
            REFUSED(s.world, iso_body3_apply_impulse(s.world, s.free, v, ZERO), ISO_ERR_RANGE);
            REFUSED(s.world, iso_body3_apply_impulse(s.world, s.free, ZERO, far), ISO_ERR_RANGE);
            REFUSED(s.world, iso_body3_apply_angular_impulse(s.world, s.free, v), ISO_ERR_RANGE);
        }
    }
    const iso_body_id others[3] = {s.fixed, s.driven, NOBODY};
    for (int i = 0; i < 3; ++i) {
        const iso_status status = i < 2 ? ISO_ERR_WRONG_TYPE : ISO_ERR_STALE;
        REFUSED(s.world, iso_body3_apply_force(s.world, others[i], ZERO, ZERO), status);
        REFUSED(s.world, iso_body3_apply_force_to_centre(s.world, others[i], ZERO), status);
        REFUSED(s.world, iso_body3_apply_torque(s.world, others[i], ZERO), status);
        REFUSED(s.world, iso_body3_apply_impulse(s.world, others[i], ZERO, ZERO), status);
        REFUSED(s.world, iso_body3_apply_angular_impulse(s.world, others[i], ZERO), status);
    }
    // No refused force is left for the step.
    scene untouched = scene_make();
    world_steps(s.world, 1);
    world_steps(untouched.world, 1);
    assert_true(iso_world_root(s.world) == iso_world_root(untouched.world));
    world_free(untouched.world);
    world_free(s.world);
}

static void test_masses_and_parameters_out_of_range_are_refused(void **state) {
    (void)state;
    scene s = scene_make();
    const iso_wide one = ISO_WIDE_ONE, none[3] = {0, 0, 0};
    const iso_wide bad[][3] = {{one, one, 0},           {0, one, one},
                               {-one, one, one},        {one, one, 3 * one},
                               {2 * one, one, 2 * one}, {one, 1, one},
                               {INT64_MIN, one, one},   {1, 1, 1},
                               {one, one, 2 * one + 1}, {INT64_MAX, INT64_MAX, INT64_MAX}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        REFUSED(s.world, iso_body3_set_mass(s.world, s.free, one, bad[i]), ISO_ERR_RANGE);
    }
    const iso_wide masses[] = {-1, 1, (INT64_C(1) << 16) - 1, (INT64_C(1) << 49) + 1, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < sizeof masses / sizeof masses[0]; ++i) {
        REFUSED(s.world, iso_body3_set_mass(s.world, s.free, masses[i], none), ISO_ERR_RANGE);
    }
    REFUSED(s.world, iso_body3_set_mass(s.world, NOBODY, one, none), ISO_ERR_STALE);
    iso_body3_params params = iso_body3_params_default();
    REFUSED(s.world, iso_body3_set_params(s.world, NOBODY, &params), ISO_ERR_STALE);
    params.angular_damping = -1;
    REFUSED(s.world, iso_body3_set_params(s.world, s.free, &params), ISO_ERR_RANGE);
    // The same parameters and mass are no change.
    EXPECT_STATUS(iso_body3_get_params(s.world, s.free, &params), ISO_OK);
    REFUSED(s.world, iso_body3_set_params(s.world, s.free, &params), ISO_OK);
    REFUSED(s.world, iso_body3_set_mass(s.world, s.free, 0, none), ISO_OK);
    world_free(s.world);
}

/// What a body has of its own is read as it was set, and zeros once it is of the shapes again.
static void test_own_masses_are_read(void **state) {
    (void)state;
    scene s = scene_make();
    const iso_wide one = ISO_WIDE_ONE, some[3] = {one, 2 * one, 5 * one / 2}, none[3] = {0, 0, 0};
    iso_wide mass = 7, moments[3] = {7, 7, 7};
    EXPECT_STATUS(iso_body3_get_own_mass(s.world, s.free, &mass, moments), ISO_OK);
    assert_true(mass == 0 && moments[0] == 0 && moments[1] == 0 && moments[2] == 0);
    EXPECT_STATUS(iso_body3_set_mass(s.world, s.free, 3 * one, some), ISO_OK);
    EXPECT_STATUS(iso_body3_get_own_mass(s.world, s.free, &mass, moments), ISO_OK);
    assert_true(mass == 3 * one && moments[0] == some[0] && moments[1] == some[1] && moments[2] == some[2]);
    EXPECT_STATUS(iso_body3_set_mass(s.world, s.free, 0, none), ISO_OK);
    EXPECT_STATUS(iso_body3_get_own_mass(s.world, s.free, &mass, moments), ISO_OK);
    assert_true(mass == 0 && moments[0] == 0 && moments[1] == 0 && moments[2] == 0);
    EXPECT_STATUS(iso_body3_get_own_mass(s.world, NOBODY, &mass, moments), ISO_ERR_STALE);
    world_free(s.world);
}

/// A component that becomes locked becomes zero, the others stay.
static void test_locking_an_axis_leaves_the_others(void **state) {
    (void)state;
    for (int axis = 0; axis < 3; ++axis) {
        scene s = scene_make();
        const iso_body3_view before = view3(s.world, s.free);
        iso_body3_params params = iso_body3_params_default();
        *(axis == 0 ? &params.lock_x : axis == 1 ? &params.lock_y : &params.lock_z) = true;
        *(axis == 0 ? &params.lock_turn_x : axis == 1 ? &params.lock_turn_y : &params.lock_turn_z) = true;
        EXPECT_STATUS(iso_body3_set_params(s.world, s.free, &params), ISO_OK);
        const iso_body3_view after = view3(s.world, s.free);
        for (int i = 0; i < 3; ++i) {
            EXPECT_NEAR(vector_of(after.velocity).x[i], i == axis ? 0 : vector_of(before.velocity).x[i], 0, "v %d", i);
            EXPECT_NEAR(vector_of(after.angular_velocity).x[i], i == axis ? 0 : vector_of(before.angular_velocity).x[i],
                        i == axis ? 0 : QUANTUM_VELOCITY, "w %d", i);
        }
        world_free(s.world);
    }
}

/// Nor does a body lose more of its spin that becomes dynamic, and with that subject to its locks.
static void test_becoming_dynamic_stops_what_is_locked_only(void **state) {
    (void)state;
    scene s = scene_make();
    iso_body3_params params = iso_body3_params_default();
    params.lock_turn_z = params.lock_y = true;
    EXPECT_STATUS(iso_body3_set_type(s.world, s.free, ISO_BODY_KINEMATIC), ISO_OK);
    EXPECT_STATUS(iso_body3_set_params(s.world, s.free, &params), ISO_OK);
    const vector before = vector_of(view3(s.world, s.free).angular_velocity);
    assert_true(before.x[2] != 0);
    EXPECT_STATUS(iso_body3_set_type(s.world, s.free, ISO_BODY_DYNAMIC), ISO_OK);
    const iso_body3_view view = view3(s.world, s.free);
    const vector after = vector_of(view.angular_velocity);
    EXPECT_NEAR(length(sum(after, -1, (vector){{before.x[0], before.x[1], 0}})), 0, 2 * QUANTUM_VELOCITY, "spin");
    assert_true(after.x[2] == 0 && view.velocity.y == 0 && view.velocity.x != 0);
    world_free(s.world);
}

static void test_types_change_and_velocities_stay_where_they_may(void **state) {
    (void)state;
    scene s = scene_make();
    const iso_body3_view before = view3(s.world, s.free);
    EXPECT_STATUS(iso_body3_set_type(s.world, s.free, ISO_BODY_KINEMATIC), ISO_OK);
    iso_body3_view view = view3(s.world, s.free);
    assert_memory_equal(&view.position, &before.position, sizeof view.position);
    assert_memory_equal(&view.centre, &before.position, sizeof view.position); // of no mass: its origin
    assert_int_equal(view.mass, 0);
    EXPECT_NEAR(length(sum(vector_of(view.angular_velocity), -1, vector_of(before.angular_velocity))), 0,
                2 * QUANTUM_VELOCITY, "spin");
    // Each point keeps its velocity.
    const vector arm = sum(vector_of(before.position), -1, vector_of(before.centre));
    const vector expected = sum(vector_of(before.velocity), 1, cross(vector_of(before.angular_velocity), arm));
    EXPECT_NEAR(length(sum(vector_of(view.velocity), -1, expected)), 0, 8 * QUANTUM_VELOCITY, "velocity of the origin");
    EXPECT_STATUS(iso_body3_set_type(s.world, s.free, ISO_BODY_DYNAMIC), ISO_OK);
    view = view3(s.world, s.free);
    assert_memory_equal(&view.position, &before.position, sizeof view.position);
    assert_int_equal(view.mass, before.mass);
    EXPECT_NEAR(length(sum(vector_of(view.velocity), -1, vector_of(before.velocity))), 0, 16 * QUANTUM_VELOCITY,
                "back");
    EXPECT_STATUS(iso_body3_set_type(s.world, s.free, ISO_BODY_STATIC), ISO_OK);
    view = view3(s.world, s.free);
    assert_true(length(vector_of(view.velocity)) == 0 && length(vector_of(view.angular_velocity)) == 0);
    REFUSED(s.world, iso_body3_set_type(s.world, s.free, 0), ISO_ERR_BAD_ENUM);
    REFUSED(s.world, iso_body3_set_type(s.world, s.free, 4), ISO_ERR_BAD_ENUM);
    REFUSED(s.world, iso_body3_set_type(s.world, s.free, ISO_BODY_STATIC), ISO_OK);
    REFUSED(s.world, iso_body3_set_type(s.world, NOBODY, ISO_BODY_DYNAMIC), ISO_ERR_STALE);
    REFUSED(s.world, iso_body3_set_type(s.world, s.fixed, ISO_BODY_DYNAMIC), ISO_ERR_WRONG_TYPE); // it has a plane
    // One that would weigh too much.
    iso_shape3_def huge = box3(30, 30, 30);
    huge.density = fix(30000);
    const iso_body_id rock = body3_add(s.world, ISO_BODY_STATIC, ZERO, iso_quat_identity());
    shape3_add(s.world, rock, &huge);
    REFUSED(s.world, iso_body3_set_type(s.world, rock, ISO_BODY_DYNAMIC), ISO_ERR_RANGE);
    world_free(s.world);
}

/// The forces of the coming tick go with the type that they were for.
static void test_a_change_of_type_forgets_the_forces(void **state) {
    (void)state;
    scene s = scene_make(), untouched = scene_make();
    EXPECT_STATUS(iso_body3_apply_force(s.world, s.free, wide3(1e5, 0, 0), ZERO), ISO_OK);
    for (int i = 0; i < 2; ++i) {
        iso_world *world = i == 0 ? s.world : untouched.world;
        EXPECT_STATUS(iso_body3_set_type(world, s.free, ISO_BODY_KINEMATIC), ISO_OK);
        EXPECT_STATUS(iso_body3_set_type(world, s.free, ISO_BODY_DYNAMIC), ISO_OK);
        world_steps(world, 2);
    }
    assert_true(iso_world_root(s.world) == iso_world_root(untouched.world));
    world_free(untouched.world);
    world_free(s.world);
}

/// A corner's lever is too much for the rows of contacts where its moment is not: the same rod, with its corners
/// farther from its principal axes.
static void test_rods_are_refused_by_the_levers_of_their_corners(void **state) {
    (void)state;
    iso_world *world = space_make();
    iso_shape3_def rod = box3(2, 0.021, 0.021);
    iso_shape_id shape;
    const iso_body_id straight = body3_add(world, ISO_BODY_DYNAMIC, ZERO, iso_quat_identity());
    const iso_body_id turned_one = body3_add(world, ISO_BODY_DYNAMIC, ZERO, iso_quat_identity());
    EXPECT_STATUS(iso_shape3_create(world, straight, &rod, &shape), ISO_OK);
    rod.rotation = iso_quat_from_axis_angle((iso_vec3){ONE, 0, 0}, ISO_WIDE_PI / 4);
    REFUSED(world, iso_shape3_create(world, turned_one, &rod, &shape), ISO_ERR_RANGE);
    // A heavy core in a hollow box: three levers of 418 are together more than 500.
    const iso_body_id hollow = body3_add(world, ISO_BODY_DYNAMIC, ZERO, iso_quat_identity());
    iso_shape3_def core = iso_shape3_def_sphere(fix(0.13)), shell = box3(1, 1, 1);
    shell.density = 0;
    shape3_add(world, hollow, &core);
    REFUSED(world, iso_shape3_create(world, hollow, &shell, &shape), ISO_ERR_RANGE);
    shell.points[1] = fix3(1, 0.3, 0.3);
    EXPECT_STATUS(iso_shape3_create(world, hollow, &shell, &shape), ISO_OK);
    world_free(world);
}

static void test_views_of_what_is_not_there_are_left_alone(void **state) {
    (void)state;
    scene s = scene_make();
    iso_body3_view view, view_before;
    iso_body3_params params, params_before;
    iso_wide energy = 5;
    memset(&view, 0x5A, sizeof view);
    memset(&params, 1, sizeof params);
    memcpy(&view_before, &view, sizeof view);
    memcpy(&params_before, &params, sizeof params);
    REFUSED(s.world, iso_body3_get(s.world, NOBODY, &view), ISO_ERR_STALE);
    REFUSED(s.world, iso_body3_get_params(s.world, NOBODY, &params), ISO_ERR_STALE);
    REFUSED(s.world, iso_body3_get_kinetic_energy(s.world, NOBODY, &energy), ISO_ERR_STALE);
    assert_memory_equal(&view, &view_before, sizeof view);
    assert_memory_equal(&params, &params_before, sizeof params);
    assert_true(energy == 5);
    world_free(s.world);
}

/// m v^2 / 2 + w L / 2.
static void test_kinetic_energy_is_that_of_both_motions(void **state) {
    (void)state;
    scene s = scene_make();
    const iso_body3_view view = view3(s.world, s.free);
    const double expected = from_wide(view.mass) * dot(vector_of(view.velocity), vector_of(view.velocity)) / 2 +
                            dot(vector_of(view.angular_velocity), vector_of(view.angular_momentum)) / 2;
    EXPECT_NEAR(body3_energy(s.world, s.free), expected, 1e-6 * expected, "energy");
    assert_true(body3_energy(s.world, s.driven) == 0 && body3_energy(s.world, s.fixed) == 0);
    world_free(s.world);
}

// ---- shapes --------------------------------------------------------------------------------------

static void test_shapes_read_back_make_the_same_body(void **state) {
    (void)state;
    iso_world *world = space_make(), *other = space_make();
    rng random = {4};
    const iso_vec3 corners[5] = {{0, 0, 0}, {ONE, 0, 0}, {0, ONE, 0}, {0, 0, ONE}, {ONE, ONE, ONE}};
    for (int run = 0; run < 50; ++run) {
        const vector n = rng_vector(&random, 3);
        iso_shape3_def defs[5] = {iso_shape3_def_sphere(fix(rng_range(&random, 0.1, 2))), box3(0.3, 0.7, 1.1),
                                  iso_shape3_def_capsule(fix3(-1, 0.5, 0), fix3(n.x[0], n.x[1], 1), fix(0.3)),
                                  iso_shape3_def_hull(corners, 5),
                                  iso_shape3_def_plane(fix3(n.x[0], n.x[1], n.x[2]), fix(n.x[1]))};
        defs[1].rotation = rng_quat(&random);
        defs[1].points[0] = fix3(n.x[0], n.x[1], n.x[2]);
        const iso_body_id a = body3_add(world, ISO_BODY_STATIC, ZERO, iso_quat_identity());
        const iso_body_id b = body3_add(other, ISO_BODY_STATIC, ZERO, iso_quat_identity());
        for (int i = 0; i < 5; ++i) {
            defs[i].tag = (uint32_t)i + 5;
            defs[i].is_sensor = run % 2;
            defs[i].filter = (iso_filter){2, 3, -4};
            defs[i].friction = fix(0.25 * i);
            iso_shape3_def read;
            iso_body_id of;
            const iso_shape_id shape = shape3_add(world, a, &defs[i]);
            EXPECT_STATUS(iso_shape3_get(world, shape, &read, &of), ISO_OK);
            assert_true(iso_body_id_equal(of, a));
            assert_true(read.kind == defs[i].kind && read.tag == defs[i].tag && read.is_sensor == defs[i].is_sensor &&
                        read.friction == defs[i].friction && read.radius == defs[i].radius && read.filter.group == -4);
            if (i < 4) {
                assert_memory_equal(read.points, defs[i].points, sizeof read.points);
                assert_memory_equal(&read.rotation, &defs[i].rotation, sizeof read.rotation);
            } else {
                assert_int_equal(read.offset, defs[i].offset);
                const vector given = {{defs[i].points[0].x, defs[i].points[0].y, defs[i].points[0].z}};
                const vector unit = {{read.points[0].x * QUANTUM_UNIT, read.points[0].y * QUANTUM_UNIT,
                                      read.points[0].z * QUANTUM_UNIT}};
                EXPECT_NEAR(length(sum(unit, -1 / length(given), given)), 0, 4e-9, "normal");
            }
            EXPECT_STATUS(iso_shape3_def_check(&read), ISO_OK);
            shape3_add(other, b, &read);
        }
        // Normals are unit vectors: one in a hundred would not survive being made one again.
        for (int i = 0; i < 50; ++i) {
            const vector m = rng_vector(&random, pow(10, rng_range(&random, -3, 4)));
            const iso_shape3_def plane = iso_shape3_def_plane(fix3(m.x[0], m.x[1], m.x[2]), 0);
            iso_shape3_def read;
            iso_body_id of;
            EXPECT_STATUS(iso_shape3_get(world, shape3_add(world, a, &plane), &read, &of), ISO_OK);
            shape3_add(other, b, &read);
        }
        assert_true(iso_world_root(world) == iso_world_root(other));
        EXPECT_STATUS(iso_body_destroy(world, a), ISO_OK);
        EXPECT_STATUS(iso_body_destroy(other, b), ISO_OK);
    }
    world_free(world);
    world_free(other);
}

static void test_what_no_shape_is_made_of_is_refused(void **state) {
    (void)state;
    scene s = scene_make();
    iso_shape_id shape;
    iso_shape3_def def;
    const iso_vec3 corners[4] = {{0, 0, 0}, {ONE, 0, 0}, {0, ONE, 0}, {0, 0, ONE}};
    const iso_shape3_def ball = iso_shape3_def_sphere(ONE), box = box3(1, 1, 1), hull = iso_shape3_def_hull(corners, 4),
                         rod = iso_shape3_def_capsule(fix3(0, 0, 0), fix3(1, 0, 0), ONE),
                         plane = iso_shape3_def_plane(fix3(0, 1, 0), 0);
#define BAD(good, change, status) \
    def = good;                   \
    change;                       \
    REFUSED(s.world, iso_shape3_create(s.world, s.free, &def, &shape), status)
    BAD(ball, def.kind = 0, ISO_ERR_BAD_ENUM);
    BAD(ball, def.kind = 7, ISO_ERR_BAD_ENUM);
    BAD(ball, def.density = -1, ISO_ERR_RANGE);
    BAD(ball, def.friction = -1, ISO_ERR_RANGE);
    BAD(ball, def.friction = fix(7.95), ISO_ERR_RANGE);
    BAD(ball, def.restitution = ONE + 1, ISO_ERR_RANGE);
    BAD(ball, def.restitution = -1, ISO_ERR_RANGE);
    BAD(ball, def.radius = -1, ISO_ERR_RANGE);
    BAD(ball, def.radius = INT32_MAX, ISO_ERR_RANGE);
    BAD(ball, def.radius = 15, ISO_ERR_GEOMETRY);
    BAD(ball, def.points[0].x = fix(59.5), ISO_ERR_GEOMETRY);
    BAD(ball, def.points[0].x = INT32_MIN, ISO_ERR_GEOMETRY);
    BAD(ball, def.point_count = 2, ISO_ERR_GEOMETRY);
    BAD(ball, def.rotation.w = 1, ISO_ERR_RANGE);
    BAD(ball, def.offset = 1, ISO_ERR_RANGE);
    BAD(rod, def.points[1].x = 15, ISO_ERR_GEOMETRY);
    BAD(rod, def.points[1].x = 60 * ONE, ISO_ERR_GEOMETRY);
    BAD(rod, def.point_count = 1, ISO_ERR_GEOMETRY);
    BAD(rod, def.radius = 0, ISO_ERR_GEOMETRY);
    BAD(box, def.points[1].z = 15, ISO_ERR_GEOMETRY);
    BAD(box, def.points[1].z = -ONE, ISO_ERR_GEOMETRY);
    BAD(box, def.radius = ONE, ISO_ERR_GEOMETRY);
    BAD(box, def.rotation.w = 0, ISO_ERR_RANGE);
    BAD(box, def.points[0].y = fix(58.5), ISO_ERR_GEOMETRY);
    BAD(hull, def.point_count = 3, ISO_ERR_GEOMETRY);
    BAD(hull, def.point_count = 33, ISO_ERR_GEOMETRY);
    BAD(hull, def.points[2].y = 61 * ONE, ISO_ERR_GEOMETRY);
    BAD(plane, def.points[0].y = 0, ISO_ERR_GEOMETRY);
    BAD(plane, def.offset = 60 * ONE + 1, ISO_ERR_GEOMETRY);
    BAD(plane, (void)0, ISO_ERR_WRONG_TYPE);
    // The body's mass, the thinness of its moments, its reach from the centre of mass.
    BAD(ball, def.radius = 30 * ONE; def.density = fix(30000), ISO_ERR_RANGE);
#undef BAD
    const iso_body_id bare = body3_add(s.world, ISO_BODY_DYNAMIC, ZERO, iso_quat_identity());
    iso_shape3_def needle = box3(5, 0.01, 0.01), far = iso_shape3_def_sphere(ONE);
    REFUSED(s.world, iso_shape3_create(s.world, bare, &needle, &shape), ISO_ERR_RANGE);
    iso_shape3_def grain = iso_shape3_def_sphere(66);
    REFUSED(s.world, iso_shape3_create(s.world, bare, &grain, &shape), ISO_ERR_RANGE); // 4e-6 kg
    far.density = 10 * ONE;
    far.points[0].x = 58 * ONE;
    shape3_add(s.world, bare, &far);
    far.points[0].x = -58 * ONE;
    far.density = ONE;
    REFUSED(s.world, iso_shape3_create(s.world, bare, &far, &shape), ISO_ERR_GEOMETRY);
    REFUSED(s.world, iso_shape3_create(s.world, NOBODY, &ball, &shape), ISO_ERR_STALE);
    while (world_counts(s.world).shapes < iso_world_get_def(s.world)->shape_capacity) {
        EXPECT_STATUS(iso_shape3_create(s.world, s.fixed, &ball, &shape), ISO_OK);
    }
    REFUSED(s.world, iso_shape3_create(s.world, s.fixed, &ball, &shape), ISO_ERR_CAPACITY);
    world_free(s.world);
}

static void test_numbers_of_shapes_are_changed_or_refused(void **state) {
    (void)state;
    scene s = scene_make();
    iso_shape3_def def;
    iso_body_id body;
    EXPECT_STATUS(iso_shape3_set_friction(s.world, s.box, fix(0.125)), ISO_OK);
    EXPECT_STATUS(iso_shape3_set_restitution(s.world, s.box, fix(0.25)), ISO_OK);
    const double mass = from_wide(view3(s.world, s.free).mass);
    EXPECT_STATUS(iso_shape3_set_density(s.world, s.box, 2000 * ONE), ISO_OK);
    EXPECT_NEAR(from_wide(view3(s.world, s.free).mass), 2 * mass, 1e-6, "mass");
    EXPECT_STATUS(iso_shape_set_filter(s.world, s.box, (iso_filter){8, 16, 2}), ISO_OK);
    EXPECT_STATUS(iso_shape_set_tag(s.world, s.box, 99), ISO_OK);
    EXPECT_STATUS(iso_shape3_get(s.world, s.box, &def, &body), ISO_OK);
    assert_true(def.friction == fix(0.125) && def.restitution == fix(0.25) && def.density == 2000 * ONE &&
                def.filter.category == 8 && def.filter.mask == 16 && def.filter.group == 2 && def.tag == 99);
    REFUSED(s.world, iso_shape3_set_friction(s.world, s.box, -1), ISO_ERR_RANGE);
    REFUSED(s.world, iso_shape3_set_friction(s.world, s.box, 8 * ONE), ISO_ERR_RANGE);
    REFUSED(s.world, iso_shape3_set_restitution(s.world, s.box, ONE + 1), ISO_ERR_RANGE);
    REFUSED(s.world, iso_shape3_set_density(s.world, s.box, -1), ISO_ERR_RANGE);
    REFUSED(s.world, iso_shape3_set_friction(s.world, NO_SHAPE, 0), ISO_ERR_STALE);
    REFUSED(s.world, iso_shape3_set_restitution(s.world, NO_SHAPE, 0), ISO_ERR_STALE);
    REFUSED(s.world, iso_shape3_set_density(s.world, NO_SHAPE, 0), ISO_ERR_STALE);
    REFUSED(s.world, iso_shape3_get(s.world, NO_SHAPE, &def, &body), ISO_ERR_STALE);
    REFUSED(s.world, iso_shape_destroy(s.world, NO_SHAPE), ISO_ERR_STALE);
    world_free(s.world);
}

/// Shapes come and go; the origin stays, every point keeps its velocity, and what comes last is what a body made at
/// once is.
static void test_shapes_come_and_go(void **state) {
    (void)state;
    rng random = {6};
    iso_world *world = space_make();
    const iso_body_id body = body3_add(world, ISO_BODY_DYNAMIC, wide3(1, 2, 3), rng_quat(&random));
    iso_shape_id shapes[8];
    for (int run = 0; run < 8; ++run) {
        const vector p = rng_vector(&random, 2);
        iso_shape3_def def = run % 2 ? iso_shape3_def_sphere(fix(0.5)) : box3(0.5, 0.3, 0.8);
        def.points[0] = fix3(p.x[0], p.x[1], p.x[2]);
        const iso_body3_view before = view3(world, body);
        shapes[run] = shape3_add(world, body, &def);
        const iso_body3_view after = view3(world, body);
        assert_memory_equal(&after.position, &before.position, sizeof after.position);
        const vector arm = sum(vector_of(after.centre), -1, vector_of(before.centre));
        const vector expected = sum(vector_of(before.velocity), 1, cross(vector_of(before.angular_velocity), arm));
        EXPECT_NEAR(length(sum(vector_of(after.velocity), -1, expected)), 0, 4 * QUANTUM_VELOCITY, "velocity, %d", run);
        if (run == 2) {
            body3_set_velocity(world, body, (vector){{1, 2, 3}}, (vector){{2, -1, 3}});
        } else if (run > 2) {
            EXPECT_NEAR(length(sum(vector_of(after.angular_velocity), -1, vector_of(before.angular_velocity))), 0,
                        4 * QUANTUM_VELOCITY, "spin, %d", run);
        }
    }
    int listed = 0;
    for (iso_shape_id s = iso_shape_next(world, 0); s.generation != 0; s = iso_shape_next(world, s.index + 1)) {
        ++listed;
    }
    assert_int_equal(listed, 8);
    const iso_body3_view full = view3(world, body);
    for (int run = 7; run >= 0; --run) {
        EXPECT_STATUS(iso_shape_destroy(world, shapes[run]), ISO_OK);
        assert_false(iso_shape_is_valid(world, shapes[run]));
        const iso_body3_view now = view3(world, body);
        assert_memory_equal(&now.position, &full.position, sizeof now.position);
    }
    assert_int_equal(view3(world, body).mass, ISO_WIDE_ONE);
    EXPECT_STATUS(iso_body_destroy(world, body), ISO_OK);
    assert_false(iso_body_is_valid(world, body));
    REFUSED(world, iso_body_destroy(world, body), ISO_ERR_STALE);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_body_is_created_as_its_definition_says),
        cmocka_unit_test(test_what_no_body_is_made_of_is_refused),
        cmocka_unit_test(test_a_body_is_moved_turned_and_keeps_its_velocities),
        cmocka_unit_test(test_velocities_are_set_and_bounded),
        cmocka_unit_test(test_pushes_are_bounded_and_for_dynamic_bodies),
        cmocka_unit_test(test_masses_and_parameters_out_of_range_are_refused),
        cmocka_unit_test(test_own_masses_are_read),
        cmocka_unit_test(test_locking_an_axis_leaves_the_others),
        cmocka_unit_test(test_becoming_dynamic_stops_what_is_locked_only),
        cmocka_unit_test(test_types_change_and_velocities_stay_where_they_may),
        cmocka_unit_test(test_a_change_of_type_forgets_the_forces),
        cmocka_unit_test(test_rods_are_refused_by_the_levers_of_their_corners),
        cmocka_unit_test(test_views_of_what_is_not_there_are_left_alone),
        cmocka_unit_test(test_kinetic_energy_is_that_of_both_motions),
        cmocka_unit_test(test_shapes_read_back_make_the_same_body),
        cmocka_unit_test(test_what_no_shape_is_made_of_is_refused),
        cmocka_unit_test(test_numbers_of_shapes_are_changed_or_refused),
        cmocka_unit_test(test_shapes_come_and_go),
    };
    return cmocka_run_group_tests_name("body3", tests, NULL, NULL);
}
