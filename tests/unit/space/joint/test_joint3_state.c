// Joints in space as state: handles, definitions, changes, breaking, snapshots.
#include "isostep/joint.h"
#include "isostep/snapshot.h"
#include "space/world/space.h"
#include "unit/space/joint/joint3_util.h"

static const quat NO_TURN = {0, 0, 0, 1};
static const vec3 NONE = {0, 0, 0};

#define BOX_HALF ((vec3){0.4, 0.2, 0.3})

typedef struct pair {
    iso_world *world;
    iso_body_id wall, box;
    iso_joint_id joint;
} pair;

static pair pair_make(uint8_t kind, double gravity) {
    pair p = {.world = space_make(gravity)};
    p.wall = body3_fixed(p.world, NONE);
    p.box = body3_box(p.world, ISO_BODY_DYNAMIC, (vec3){1, 0, 0}, NO_TURN, BOX_HALF);
    p.joint = joint3_make(p.world, kind, p.wall, p.box, NONE, X_AXIS, Y_AXIS);
    return p;
}

// ---- handles -------------------------------------------------------------------------------------

static void test_stale_handles_are_refused(void **state) {
    (void)state;
    pair p = pair_make(ISO_JOINT3_HINGE, 0.0);
    iso_joint3_def def;
    EXPECT_STATUS(iso_joint3_get(p.world, p.joint, &def), ISO_OK);
    assert_true(iso_joint_is_valid(p.world, p.joint));
    assert_true(iso_joint_is_awake(p.world, p.joint));
    assert_true(iso_joint_id_equal(iso_joint_next(p.world, 0), p.joint));
    assert_true(iso_joint_id_equal(iso_body_next_joint(p.world, p.box, 0), p.joint));
    EXPECT_STATUS(iso_joint_set_tag(p.world, p.joint, 7), ISO_OK);
    EXPECT_STATUS(iso_joint_destroy(p.world, p.joint), ISO_OK);
    iso_wide value;
    iso_vec3_wide vector;
    assert_false(iso_joint_is_valid(p.world, p.joint));
    assert_false(iso_joint_is_awake(p.world, p.joint));
    assert_true(iso_joint_id_is_null(iso_joint_next(p.world, 0)));
    assert_true(iso_joint_id_is_null(iso_body_next_joint(p.world, p.box, 0)));
    EXPECT_STATUS(iso_joint_destroy(p.world, p.joint), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_enable(p.world, p.joint, true), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_set_tag(p.world, p.joint, 1), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint_set_break(p.world, p.joint, 0, 0, 0, 0, false), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_get(p.world, p.joint, &def), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_set(p.world, p.joint, &def), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_set_motor(p.world, p.joint, 0, true, 0, 0), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_set_limits(p.world, p.joint, 0, true, 0, 0), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_set_spring(p.world, p.joint, 0, true, 0, 0, 0), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_set_maximum(p.world, p.joint, 0, 0), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_set_target(p.world, p.joint, wide3(NONE)), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_get_force(p.world, p.joint, &vector), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_get_torque(p.world, p.joint, &vector), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_get_axis(p.world, p.joint, 0, &value), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_get_axis_speed(p.world, p.joint, 0, &value), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_get_separation(p.world, p.joint, &value), ISO_ERR_STALE);
    EXPECT_STATUS(iso_joint3_get_angle_error(p.world, p.joint, &value), ISO_ERR_STALE);
    world_free(p.world);
}

static void test_joints_go_with_their_bodies(void **state) {
    (void)state;
    pair p = pair_make(ISO_JOINT3_BALL, 0.0);
    EXPECT_STATUS(iso_body_destroy(p.world, p.wall), ISO_OK);
    assert_false(iso_joint_is_valid(p.world, p.joint));
    world_steps(p.world, 2);
    const iso_body_id other = body3_fixed(p.world, NONE);
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_BALL);
    def.body_a = p.wall;
    def.body_b = p.box;
    iso_joint_id joint;
    EXPECT_STATUS(iso_joint3_create(p.world, &def, &joint), ISO_ERR_STALE);
    def.body_a = p.box;
    EXPECT_STATUS(iso_joint3_create(p.world, &def, &joint), ISO_ERR_WRONG_TYPE);
    def.body_a = other;
    EXPECT_STATUS(iso_joint3_create(p.world, &def, &joint), ISO_OK);
    assert_int_equal(joint.index, p.joint.index);
    assert_false(iso_joint_id_equal(joint, p.joint));
    world_free(p.world);
}

static void test_worlds_of_the_plane_refuse(void **state) {
    (void)state;
    iso_world *world = world_make_small(0.0);
    iso_joint3_def def = iso_joint3_def_default(ISO_JOINT3_BALL);
    iso_joint_id joint = {0, 1};
    iso_wide value;
    EXPECT_STATUS(iso_joint3_create(world, &def, &joint), ISO_ERR_DIMENSION);
    EXPECT_STATUS(iso_joint3_get(world, joint, &def), ISO_ERR_DIMENSION);
    EXPECT_STATUS(iso_joint3_get_axis(world, joint, 0, &value), ISO_ERR_DIMENSION);
    world_free(world);
    pair p = pair_make(ISO_JOINT3_BALL, 0.0);
    const iso_joint_def plane = iso_joint_def_default();
    EXPECT_STATUS(iso_joint_create(p.world, &plane, &joint), ISO_ERR_DIMENSION);
    EXPECT_STATUS(iso_joint_set_motor(p.world, p.joint, true, 0, 0), ISO_ERR_DIMENSION);
    world_free(p.world);
}

// ---- definitions ---------------------------------------------------------------------------------

static void test_definitions_are_checked(void **state) {
    (void)state;
    EXPECT_STATUS(iso_joint3_def_check(&(iso_joint3_def){.kind = 0}), ISO_ERR_BAD_ENUM);
    EXPECT_STATUS(iso_joint3_def_check(&(iso_joint3_def){.kind = 17}), ISO_ERR_BAD_ENUM);
    for (uint8_t kind = ISO_JOINT3_BALL; kind <= ISO_JOINT3_RACK; ++kind) {
        const iso_joint3_def right = iso_joint3_def_default(kind);
        EXPECT_STATUS(iso_joint3_def_check(&right), ISO_OK);
        iso_joint3_def def = right;
        def.frame_b.anchor.z = 61 * ISO_FIX16_ONE;
        EXPECT_STATUS(iso_joint3_def_check(&def), ISO_ERR_RANGE);
        def = right;
        def.hertz = -1;
        EXPECT_STATUS(iso_joint3_def_check(&def), ISO_ERR_RANGE);
        def = right;
        def.break_torque = -1;
        EXPECT_STATUS(iso_joint3_def_check(&def), ISO_ERR_RANGE);
        for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
            const bool has_axis = iso_joint3_axis_of(kind, n) != ISO_JOINT3_AXIS_NONE;
            def = right;
            def.axes[n].motor_enabled = true;
            EXPECT_STATUS(iso_joint3_def_check(&def), has_axis ? ISO_OK : ISO_ERR_RANGE);
            def.axes[n].lower = 1;
            EXPECT_STATUS(iso_joint3_def_check(&def), ISO_ERR_RANGE);
        }
    }
    iso_joint3_def ball = iso_joint3_def_default(ISO_JOINT3_BALL);
    ball.axes[0].upper = fix(3.0);
    EXPECT_STATUS(iso_joint3_def_check(&ball), ISO_ERR_RANGE);
    iso_joint3_def wheel = iso_joint3_def_default(ISO_JOINT3_HINGE2);
    wheel.axes_angle = fix(0.1);
    EXPECT_STATUS(iso_joint3_def_check(&wheel), ISO_ERR_RANGE);
    const struct {
        uint8_t kind;
        fix16_t least;
    } rolling[] = {{ISO_JOINT3_GEAR, 1024}, {ISO_JOINT3_RACK, 64}};
    for (int i = 0; i < 2; ++i) {
        iso_joint3_def def = iso_joint3_def_default(rolling[i].kind);
        def.ratio = rolling[i].least;
        EXPECT_STATUS(iso_joint3_def_check(&def), ISO_OK);
        def.ratio = -rolling[i].least;
        EXPECT_STATUS(iso_joint3_def_check(&def), ISO_OK);
        def.ratio += 1;
        EXPECT_STATUS(iso_joint3_def_check(&def), ISO_ERR_RANGE);
        def.ratio = fix(64) + 1;
        EXPECT_STATUS(iso_joint3_def_check(&def), ISO_ERR_RANGE);
    }
}

static void test_what_was_set_is_read_back(void **state) {
    (void)state;
    pair p = pair_make(ISO_JOINT3_HINGE2, 0.0);
    EXPECT_STATUS(iso_joint3_set_motor(p.world, p.joint, 2, true, fix(3), wide(4)), ISO_OK);
    EXPECT_STATUS(iso_joint3_set_limits(p.world, p.joint, 1, true, fix(-1), fix(2)), ISO_OK);
    EXPECT_STATUS(iso_joint3_set_spring(p.world, p.joint, 0, true, fix(5), fix(0.5), fix(0.25)), ISO_OK);
    EXPECT_STATUS(iso_joint3_set_maximum(p.world, p.joint, wide(100), wide(200)), ISO_OK);
    EXPECT_STATUS(iso_joint_set_break(p.world, p.joint, wide(1000), wide(2000), wide(3), wide(4), true), ISO_OK);
    EXPECT_STATUS(iso_joint_enable(p.world, p.joint, false), ISO_OK);
    EXPECT_STATUS(iso_joint3_set_limits(p.world, p.joint, 1, true, fix(2), fix(1)), ISO_ERR_RANGE);
    EXPECT_STATUS(iso_joint3_set_motor(p.world, p.joint, 3, true, 0, 0), ISO_ERR_WRONG_TYPE);
    EXPECT_STATUS(iso_joint3_set_target(p.world, p.joint, wide3(NONE)), ISO_ERR_WRONG_TYPE);
    iso_joint3_def def;
    EXPECT_STATUS(iso_joint3_get(p.world, p.joint, &def), ISO_OK);
    assert_true(def.axes[2].motor_enabled && def.axes[2].motor_speed == fix(3) && def.axes[2].motor_max == wide(4));
    assert_true(def.axes[1].limit_enabled && def.axes[1].lower == fix(-1) && def.axes[1].upper == fix(2));
    assert_true(def.axes[0].spring_enabled && def.axes[0].spring_hertz == fix(5) && def.axes[0].rest == fix(0.25));
    assert_true(def.force_max == wide(100) && def.torque_max == wide(200) && def.break_force == wide(1000));
    assert_true(def.break_torque == wide(2000) && def.break_error == wide(3) && def.break_angle == wide(4));
    assert_true(def.remove_on_break && !def.enabled);
    assert_true(iso_body_id_equal(def.body_a, p.wall) && iso_body_id_equal(def.body_b, p.box));
    def.body_a = p.box;
    EXPECT_STATUS(iso_joint3_set(p.world, p.joint, &def), ISO_ERR_WRONG_TYPE);
    world_free(p.world);
}

static void test_a_disabled_joint_holds_nothing(void **state) {
    (void)state;
    pair p = pair_make(ISO_JOINT3_FIXED, -GRAVITY);
    world_steps(p.world, 30);
    EXPECT_NEAR(body3_centre(p.world, p.box).y, 0.0, 5e-3, "sag");
    EXPECT_STATUS(iso_joint_enable(p.world, p.joint, false), ISO_OK);
    world_steps(p.world, 30);
    EXPECT_NEAR(body3_velocity(p.world, p.box).y, -0.5 * GRAVITY, 1e-3, "free fall");
    assert_true(vec3_length(joint3_force(p.world, p.joint)) == 0.0);
    world_free(p.world);
}

static bool world_is_taken(const iso_world *world) {
    const size_t size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    iso_world *twin = space_make(-GRAVITY);
    const bool is_taken = iso_snapshot_decode(twin, bytes, size) == ISO_OK;
    free(bytes);
    world_free(twin);
    return is_taken;
}

// What is switched off has no impulse left: snapshots of such a state are refused.
static void test_rows_that_are_off_keep_nothing(void **state) {
    (void)state;
    pair p = pair_make(ISO_JOINT3_HINGE, -GRAVITY);
    EXPECT_STATUS(iso_joint3_set_motor(p.world, p.joint, 0, true, fix(5), wide(10)), ISO_OK);
    world_steps(p.world, 5);
    assert_true(world_is_taken(p.world));
    EXPECT_STATUS(iso_joint3_set_motor(p.world, p.joint, 0, false, fix(5), wide(10)), ISO_OK);
    assert_true(world_is_taken(p.world));
    EXPECT_STATUS(iso_joint_enable(p.world, p.joint, false), ISO_OK);
    assert_true(world_is_taken(p.world));
    world_free(p.world);
}

// What a joint pushes with stays when a body has another mass: the impulses are in units of velocity.
static void test_forces_stay_when_masses_change(void **state) {
    (void)state;
    iso_world *world = space_make(-GRAVITY);
    const iso_body_id wall = body3_fixed(world, NONE);
    const iso_body_id a = body3_box(world, ISO_BODY_DYNAMIC, (vec3){1, 0, 0}, NO_TURN, BOX_HALF);
    const iso_body_id b = body3_box(world, ISO_BODY_DYNAMIC, (vec3){2, 0, 0}, NO_TURN, (vec3){0.05, 0.05, 0.05});
    const iso_joint_id root = joint3_make(world, ISO_JOINT3_FIXED, wall, a, NONE, X_AXIS, NONE);
    iso_joint3_def def = joint3_def(world, ISO_JOINT3_HINGE, a, b, X_AXIS, Z_AXIS, NONE);
    def.axes[0].motor_enabled = true;
    def.axes[0].motor_max = wide(4.0);
    const iso_joint_id joint = joint3_add(world, &def);
    world_steps(world, 60);
    const vec3 force = joint3_force(world, joint), torque = joint3_torque(world, joint);
    const vec3 bent = joint3_torque(world, root);
    EXPECT(vec3_length(force) > 0.5 && vec3_length(torque) > 0.5, "the joint bears %g N, %g N m", vec3_length(force),
           vec3_length(torque));
    const iso_wide none[3] = {0, 0, 0};
    const double masses[] = {0.01, 700.0, 3.0};
    for (int i = 0; i < 3; ++i) {
        EXPECT_STATUS(iso_body3_set_mass(world, i < 2 ? b : a, wide(masses[i]), none), ISO_OK);
        EXPECT(vec3_length(vec3_sub(joint3_force(world, joint), force)) < 1e-4, "another force at %g kg", masses[i]);
        EXPECT(vec3_length(vec3_sub(joint3_torque(world, joint), torque)) < 1e-5, "another torque at %g kg", masses[i]);
    }
    const iso_body3_view view = body3_view(world, a);
    const iso_wide moments[3] = {3 * view.moments[0], 3 * view.moments[1], 3 * view.moments[2]};
    EXPECT_STATUS(iso_body3_set_mass(world, a, view.mass, moments), ISO_OK);
    EXPECT(vec3_length(bent) > 10.0, "the root bears %g N m", vec3_length(bent));
    EXPECT(vec3_length(vec3_sub(joint3_torque(world, root), bent)) < 1e-3, "another torque at the root");
    EXPECT_STATUS(iso_body3_set_type(world, b, ISO_BODY_STATIC), ISO_OK);
    EXPECT_STATUS(iso_body3_set_type(world, a, ISO_BODY_STATIC), ISO_OK);
    assert_true(vec3_length(joint3_force(world, joint)) == 0.0 && vec3_length(joint3_torque(world, joint)) == 0.0);
    world_free(world);
}

// A wall that moved before it was a wall, and one that is put elsewhere.
static void test_joints_see_bodies_that_nothing_moves(void **state) {
    (void)state;
    pair p = pair_make(ISO_JOINT3_FIXED, 0.0);
    EXPECT_STATUS(iso_body_destroy(p.world, p.wall), ISO_OK);
    const iso_body_id cart = body3_add(p.world, ISO_BODY_KINEMATIC, NONE, NO_TURN);
    body3_set(p.world, cart, (vec3){2, 0, 0}, (vec3){0, 1, 0});
    const iso_joint_id joint = joint3_make(p.world, ISO_JOINT3_FIXED, cart, p.box, NONE, X_AXIS, NONE);
    world_steps(p.world, 30);
    assert_true(body3_velocity(p.world, p.box).x > 1.0);
    EXPECT_STATUS(iso_body3_set_type(p.world, cart, ISO_BODY_STATIC), ISO_OK);
    world_steps(p.world, 60);
    EXPECT_NEAR(vec3_length(body3_velocity(p.world, p.box)), 0.0, 1e-4, "speed on a wall");
    const iso_quat turned = quat_to(quat_of((vec3){0, 0.3, 0}));
    EXPECT_STATUS(iso_body3_set_position(p.world, cart, wide3((vec3){0, 0.5, 0}), turned), ISO_OK);
    world_steps(p.world, 120);
    EXPECT(joint3_separation(p.world, joint) < 1e-4 && joint3_angle_error(p.world, joint) < 1e-4, "off by %g m, %g rad",
           joint3_separation(p.world, joint), joint3_angle_error(p.world, joint));
    world_free(p.world);
}

// ---- breaking ------------------------------------------------------------------------------------

typedef enum cause { BY_FORCE, BY_TORQUE, BY_ERROR, BY_ANGLE } cause;

/// A beam at a wall, loaded more and more. @return its weight [N] when it broke, 0: never
static double break_beam(cause by, double threshold, bool is_removed) {
    pair p = pair_make(ISO_JOINT3_FIXED, 0.0);
    const double mass = from_wide(body3_view(p.world, p.box).mass);
    const iso_wide most[4] = {by == BY_FORCE ? wide(threshold) : 0, by == BY_TORQUE ? wide(threshold) : 0,
                              by == BY_ERROR ? wide(threshold) : 0, by == BY_ANGLE ? wide(threshold) : 0};
    EXPECT_STATUS(iso_joint_set_break(p.world, p.joint, most[0], most[1], most[2], most[3], is_removed), ISO_OK);
    EXPECT_STATUS(iso_joint_set_tag(p.world, p.joint, 42), ISO_OK);
    double broke = 0.0;
    for (uint32_t tick = 0; tick < 600 && broke == 0.0; ++tick) {
        const double g = 0.1 * tick;
        EXPECT_STATUS(iso_world_set_gravity3(p.world, fix3((vec3){0, -g, 0})), ISO_OK);
        world_steps(p.world, 1);
        iso_events events;
        iso_world_get_events(p.world, &events);
        assert_true(events.joint_break_count <= 1);
        if (events.joint_break_count == 1) {
            const iso_joint_event *event = &events.joint_breaks[0];
            broke = g * mass;
            assert_true(iso_joint_id_equal(event->joint, p.joint) && event->tag == 42);
            assert_true(iso_body_id_equal(event->body_a, p.wall) && iso_body_id_equal(event->body_b, p.box));
            EXPECT_NEAR(from_wide(event->force3.y), broke, 0.02 * broke + 0.2 * mass, "force of the event");
            EXPECT_NEAR(from_wide(event->torque3.z), broke, 0.05 * broke + 0.2 * mass, "torque of the event");
        }
    }
    if (broke > 0.0) {
        iso_joint3_def def;
        EXPECT_STATUS(iso_joint3_get(p.world, p.joint, &def), is_removed ? ISO_ERR_STALE : ISO_OK);
        assert_true(is_removed || !def.enabled);
        world_steps(p.world, 10);
        EXPECT(body3_velocity(p.world, p.box).y < -0.1 * broke / mass, "it does not fall");
    }
    world_free(p.world);
    return broke;
}

static void test_joints_break_beyond_their_thresholds(void **state) {
    (void)state;
    EXPECT_NEAR(break_beam(BY_FORCE, 300.0, false), 300.0, 10.0, "force");
    EXPECT_NEAR(break_beam(BY_FORCE, 300.0, true), 300.0, 10.0, "force");
    EXPECT_NEAR(break_beam(BY_TORQUE, 200.0, false), 200.0, 12.0, "torque on a lever of 1 m");
    EXPECT(break_beam(BY_ERROR, 1e-5, true) > 0.0, "no error broke it");
    EXPECT(break_beam(BY_ANGLE, 1e-5, true) > 0.0, "no angle broke it");
    assert_true(break_beam(BY_FORCE, 1e8, false) == 0.0);
}

// ---- snapshots -----------------------------------------------------------------------------------

/// Joints of every kind between bodies in motion.
static iso_world *world_of_every_kind(void) {
    iso_world *world = space_make(-GRAVITY);
    rng random = {11};
    const iso_body_id wall = body3_fixed(world, NONE);
    for (uint8_t kind = ISO_JOINT3_BALL; kind <= ISO_JOINT3_RACK; ++kind) {
        const vec3 at = {3.0 * kind, 0, 0};
        const iso_body_id a = body3_box(world, ISO_BODY_DYNAMIC, at, quat_random(&random), BOX_HALF);
        const iso_body_id b = body3_box(world, ISO_BODY_DYNAMIC, vec3_add(at, X_AXIS), quat_random(&random), BOX_HALF);
        joint3_make(world, ISO_JOINT3_BALL, wall, a, at, X_AXIS, NONE);
        iso_joint3_def def = joint3_def(world, kind, a, b, at, vec3_random(&random, 1.0), Y_AXIS);
        if (kind == ISO_JOINT3_TARGET) {
            def.body_a = (iso_body_id){0, 0};
            def.target = wide3(vec3_add(at, Y_AXIS));
        }
        for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
            if (iso_joint3_axis_of(kind, n) != ISO_JOINT3_AXIS_NONE) {
                def.axes[n].limit_enabled = def.axes[n].motor_enabled = def.axes[n].spring_enabled = true;
                def.axes[n].upper = fix(1.0);
                def.axes[n].lower = iso_joint3_axis_of(kind, n) == ISO_JOINT3_AXIS_ANGLE ? fix(-0.5) : 0;
                def.axes[n].motor_max = wide(20.0);
                def.axes[n].motor_speed = fix(2.0);
                def.axes[n].spring_hertz = fix(1.5);
            }
        }
        joint3_add(world, &def);
    }
    return world;
}

// A ball of 20 N, or a torque of 20 N m on what holds angles alone.
static iso_joint_id loaded(iso_world *world, uint8_t kind, iso_body_id *body) {
    const bool is_rod = kind == ISO_JOINT3_DISTANCE;
    const iso_body_id wall = body3_fixed(world, (vec3){0, is_rod ? 1.0 : 0.0, 0});
    *body = body3_sphere(world, NONE, 0.5, 2.0);
    const vec3 axis = kind == ISO_JOINT3_RACK ? Y_AXIS : X_AXIS;
    iso_joint3_def def = joint3_def(world, kind, wall, *body, NONE, axis, Z_AXIS);
    def.ratio = kind == ISO_JOINT3_RACK ? fix(0.1) : fix(1); // it bears 20 N / (1 + 0.1)
    if (is_rod) {
        def.frame_a.anchor = def.frame_b.anchor = fix3(NONE);
        def.axes[0].rest = fix(1);
    }
    def.body_a = kind == ISO_JOINT3_TARGET ? (iso_body_id){0, 0} : wall;
    return joint3_add(world, &def);
}

static void test_every_kind_breaks(void **state) {
    (void)state;
    for (uint8_t kind = ISO_JOINT3_BALL; kind <= ISO_JOINT3_RACK; ++kind) {
        const bool is_torque = kind == ISO_JOINT3_PARALLEL || kind == ISO_JOINT3_GEAR;
        iso_world *world = space_make(is_torque ? 0.0 : -GRAVITY);
        iso_body_id body;
        const iso_joint_id joint = loaded(world, kind, &body);
        for (int part = 0; part < 2; ++part) {
            const iso_wide most = wide(part == 0 ? 25.0 : 15.0);
            EXPECT_STATUS(iso_joint_set_break(world, joint, is_torque ? 0 : most, is_torque ? most : 0, 0, 0, true),
                          ISO_OK);
            for (int tick = 0; tick < 30 && iso_joint_is_valid(world, joint); ++tick) {
                EXPECT_STATUS(iso_body3_apply_torque(world, body, wide3((vec3){0, 0, is_torque ? 20.0 : 0.0})), ISO_OK);
                world_steps(world, 1);
            }
            EXPECT(iso_joint_is_valid(world, joint) == (part == 0), "kind %d at %g", kind, from_wide(most));
        }
        world_free(world);
    }
}

static void test_snapshots_keep_joints(void **state) {
    (void)state;
    iso_world *world = world_of_every_kind(), *twin = space_make(-GRAVITY);
    world_steps(world, 50);
    const size_t size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    const size_t image_size = iso_world_image_size(world);
    void *image = malloc(image_size);
    assert_non_null(image);
    assert_int_equal(iso_world_save(world, image, image_size), image_size);
    EXPECT_STATUS(iso_snapshot_decode(twin, bytes, size), ISO_OK);
    const uint64_t root = iso_world_root(world);
    assert_true(iso_world_root(twin) == root);
    world_steps(world, 100);
    world_steps(twin, 100);
    const uint64_t later = iso_world_root(world);
    assert_true(later != root && iso_world_root(twin) == later);
    EXPECT_STATUS(iso_world_restore(world, image, image_size), ISO_OK);
    assert_true(iso_world_root(world) == root);
    world_steps(world, 100);
    assert_true(iso_world_root(world) == later);
    // A world with fewer joints takes it, and gives them up again.
    iso_world *empty = space_make(-GRAVITY);
    const size_t small = iso_snapshot_encode(empty, bytes, size);
    assert_true(small > 0);
    EXPECT_STATUS(iso_snapshot_decode(world, bytes, small), ISO_OK);
    assert_true(iso_joint_id_is_null(iso_joint_next(world, 0)));
    assert_true(iso_world_root(world) == iso_world_root(empty));
    free(image);
    free(bytes);
    world_free(empty);
    world_free(twin);
    world_free(world);
}

/// Changes a record to what no world has. @return whether there is such a change
static bool record_spoil(iso__space_joint *joint, uint32_t way) {
    switch (way) {
    case 0:
        joint->kind = 99;
        return true;
    case 1:
        joint->flags |= 8;
        return true;
    case 2:
        joint->axis_flags[2] |= 8;
        return true;
    case 3:
        joint->body_b = 1000;
        return true;
    case 4:
        joint->body_a = joint->body_b;
        return true;
    case 5:
        joint->frame_a[0] ^= 1 << 20;
        return true;
    case 6:
        joint->frame_b[3] = -joint->frame_b[3] - 1;
        return true;
    case 7:
        joint->anchor_a[1] ^= 1;
        return true;
    case 8:
        joint->impulse[ISO__SPACE_JOINT_AXIS_IMPULSE + 11] = 1;
        return true;
    case 9:
        joint->impulse[0] = INT64_MAX;
        return true;
    case 10:
        joint->lower[0] = joint->upper[0] + 1;
        return true;
    case 11:
        joint->turns[2] = 1;
        return true;
    case 12:
        joint->break_error = -1;
        return true;
    case 13:
        joint->impulse[ISO__SPACE_JOINT_AXIS_IMPULSE + 2] = -1;
        return true;
    case 14:
        joint->reserved[4] = 1;
        return true;
    case 15:
        joint->owner_slot = 500;
        return true;
    default:
        return false;
    }
}

static void test_impossible_joints_are_refused(void **state) {
    (void)state;
    pair p = pair_make(ISO_JOINT3_HINGE, -GRAVITY);
    EXPECT_STATUS(iso_joint3_set_limits(p.world, p.joint, 0, true, fix(-1), fix(1)), ISO_OK);
    iso_world *twin = space_make(-GRAVITY);
    world_steps(p.world, 10);
    iso__space_joint *joint = &iso__space_of(p.world)->joints[p.joint.index];
    const size_t size = iso_snapshot_size(p.world);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    const iso__space_joint right = *joint;
    const uint64_t before = iso_world_root(twin);
    for (uint32_t way = 0; record_spoil(joint, way); ++way) {
        assert_int_equal(iso_snapshot_encode(p.world, bytes, size), size);
        EXPECT(iso_snapshot_decode(twin, bytes, size) == ISO_ERR_CORRUPT, "way %u was taken", way);
        assert_true(iso_world_root(twin) == before);
        *joint = right;
    }
    assert_int_equal(iso_snapshot_encode(p.world, bytes, size), size);
    EXPECT_STATUS(iso_snapshot_decode(twin, bytes, size), ISO_OK);
    free(bytes);
    world_free(twin);
    world_free(p.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stale_handles_are_refused),
        cmocka_unit_test(test_joints_go_with_their_bodies),
        cmocka_unit_test(test_worlds_of_the_plane_refuse),
        cmocka_unit_test(test_definitions_are_checked),
        cmocka_unit_test(test_what_was_set_is_read_back),
        cmocka_unit_test(test_a_disabled_joint_holds_nothing),
        cmocka_unit_test(test_rows_that_are_off_keep_nothing),
        cmocka_unit_test(test_forces_stay_when_masses_change),
        cmocka_unit_test(test_joints_see_bodies_that_nothing_moves),
        cmocka_unit_test(test_joints_break_beyond_their_thresholds),
        cmocka_unit_test(test_every_kind_breaks),
        cmocka_unit_test(test_snapshots_keep_joints),
        cmocka_unit_test(test_impossible_joints_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
