/// Joints of worlds in space that a scene makes: where they are, and how the built-in scenes of joints move.
#include "test_scene_built.h"

#define MILLIMETRE (ISO_WIDE_ONE / 1000)

static void run(const built *b, int ticks) {
    for (int i = 0; i < ticks; ++i) {
        assert_int_equal(iso_world_step_empty(b->world), ISO_OK);
    }
}

static iso_body3_view view_of(const built *b, const char *name) {
    iso_body3_view view;
    const uint32_t index = iso_scene_body_find(b->scene, name);
    assert_int_not_equal(index, UINT32_MAX);
    assert_int_equal(iso_body3_get(b->world, iso_body_next(b->world, index), &view), ISO_OK);
    return view;
}

static iso_joint_id joint_of(const built *b, const char *name) {
    const uint32_t index = iso_scene_joint_find(b->scene, name);
    assert_int_not_equal(index, UINT32_MAX);
    return iso_joint_next(b->world, index);
}

static double axis_of(const built *b, const char *name, uint32_t n) {
    iso_wide value = 0;
    assert_int_equal(iso_joint3_get_axis(b->world, joint_of(b, name), n, &value), ISO_OK);
    return (double)value / (double)ISO_WIDE_ONE;
}

static void expect_within(double value, double low, double high, const char *what) {
    if (!(value >= low && value <= high)) {
        fail_msg("%s: %.9g, expected from %.9g to %.9g", what, value, low, high);
    }
}

/// The largest separation and angle error of a world's joints.
static iso_wide worst_separation(const iso_world *world, iso_wide *angle) {
    iso_wide worst = 0, error;
    *angle = 0;
    for (iso_joint_id id = iso_joint_next(world, 0); id.generation != 0; id = iso_joint_next(world, id.index + 1)) {
        assert_int_equal(iso_joint3_get_separation(world, id, &error), ISO_OK);
        worst = error > worst ? error : worst;
        assert_int_equal(iso_joint3_get_angle_error(world, id, &error), ISO_OK);
        *angle = error > *angle ? error : *angle;
    }
    return worst;
}

// ---- places --------------------------------------------------------------------------------------

static iso_vec3_wide place_of(const iso_world *world, iso_body_id body, const iso_joint3_frame *frame) {
    iso_body3_view view;
    assert_int_equal(iso_body3_get(world, body, &view), ISO_OK);
    return iso_vec3_wide_add(view.position, iso_quat_rotate(view.rotation, iso_vec3_to_wide(frame->anchor)));
}

/// The x axis of a joint's frame in the world.
static iso_vec3_wide axis_in_world(const iso_world *world, iso_body_id body, const iso_joint3_frame *frame) {
    iso_body3_view view;
    const iso_vec3_wide x = {ISO_WIDE_ONE, 0, 0};
    assert_int_equal(iso_body3_get(world, body, &view), ISO_OK);
    return iso_quat_rotate(view.rotation, iso_quat_rotate(frame->rotation, x));
}

static void expect_at(iso_vec3_wide v, double x, double y, double z, double within, const char *what) {
    const double one = (double)ISO_WIDE_ONE;
    expect_within((double)v.x / one, x - within, x + within, what);
    expect_within((double)v.y / one, y - within, y + within, what);
    expect_within((double)v.z / one, z - within, z + within, what);
}

/// Anchors are Q15.16 in the bodies' frames: they meet exactly where no body is rotated, else within half a step along
/// each of their axes.
static void expect_joint_at(const built *b, const char *name, const double point[3], double within) {
    iso_joint3_def def;
    assert_int_equal(iso_joint3_get(b->world, joint_of(b, name), &def), ISO_OK);
    expect_at(place_of(b->world, def.body_a, &def.frame_a), point[0], point[1], point[2], within, name);
    expect_at(place_of(b->world, def.body_b, &def.frame_b), point[0], point[1], point[2], within, name);
}

static void expect_axis_at(const built *b, const char *name, const double axis[3]) {
    iso_joint3_def def;
    assert_int_equal(iso_joint3_get(b->world, joint_of(b, name), &def), ISO_OK);
    expect_at(axis_in_world(b->world, def.body_a, &def.frame_a), axis[0], axis[1], axis[2], 1e-8, name);
    expect_at(axis_in_world(b->world, def.body_b, &def.frame_b), axis[0], axis[1], axis[2], 1e-8, name);
}

static const char two_bodies[] =
    "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"bodies\": ["
    "{\"name\": \"a\", \"position\": [1, 2, 3], \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.5}]},"
    "{\"name\": \"b\", \"position\": [2, 2, 3], \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.5}]},"
    "{\"name\": \"c\", \"position\": [-3, 1, 0.5], \"rotation\": {\"axis\": [1, 2, 3], \"angle\": 2}, \"shapes\": "
    "[{\"kind\": \"box\", \"half_extents\": [0.1, 0.2, 0.3], \"centre\": [0.1, 0, 0]}]},"
    "{\"name\": \"d\", \"position\": [-3.4, 1.7, 0], \"rotation\": {\"axis\": [0, 1, -1], \"angle\": 1}, \"shapes\": "
    "[{\"kind\": \"sphere\", \"radius\": 0.5}]}], \"joints\": ["
    "{\"name\": \"straight\", \"kind\": \"hinge\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [1.5, 2.1, 3.3], "
    "\"axis\": [1, 2, -2]},"
    "{\"name\": \"askew\", \"kind\": \"hinge\", \"body_a\": \"c\", \"body_b\": \"d\", \"at\": [-3.2, 1.3, 0.2], "
    "\"axis\": [-0.6, 0, 0.8]},"
    "{\"name\": \"cross\", \"kind\": \"universal\", \"body_a\": \"c\", \"body_b\": \"d\", \"at\": [-3.2, 1.3, 0.2], "
    "\"axis\": [0, 0, 1], \"axis_b\": [0.6, 0.8, 0]}]}";

static void test_joints_have_both_anchors_at_their_point(void **state) {
    (void)state;
    built b = build_text(two_bodies, sizeof two_bodies - 1);
    const double straight[] = {1.5, 137626.0 / 65536, 216269.0 / 65536}, askew[] = {-3.2, 1.3, 0.2};
    expect_joint_at(&b, "straight", straight, 1e-6);
    expect_joint_at(&b, "askew", askew, 0.866 * 2 / 65536);
    built_free(&b);
}

static void test_joints_have_their_axes(void **state) {
    (void)state;
    built b = build_text(two_bodies, sizeof two_bodies - 1);
    const double straight[] = {1 / 3.0, 2 / 3.0, -2 / 3.0}, askew[] = {-0.6, 0, 0.8};
    expect_axis_at(&b, "straight", straight);
    expect_axis_at(&b, "askew", askew);
    iso_joint3_def def;
    assert_int_equal(iso_joint3_get(b.world, joint_of(&b, "cross"), &def), ISO_OK);
    expect_at(axis_in_world(b.world, def.body_a, &def.frame_a), 0, 0, 1, 1e-8, "a_A");
    expect_at(axis_in_world(b.world, def.body_b, &def.frame_b), 0.6, 0.8, 0, 1e-8, "a_B");
    expect_within((double)def.axes_angle / 65536, 1.5707, 1.5709, "axes_angle");
    static const char *const names[] = {"straight", "askew", "cross"};
    for (int i = 0; i < 3; ++i) {
        expect_within(axis_of(&b, names[i], 0), -1e-7, 1e-7, names[i]);
    }
    built_free(&b);
}

/// What a scene says of a pair is what a program says of it by iso_joint3_def_between.
static void test_joints_are_those_that_programs_make(void **state) {
    (void)state;
    built b = build_text(two_bodies, sizeof two_bodies - 1);
    iso_joint3_def read, made = iso_joint3_def_default(ISO_JOINT3_HINGE);
    assert_int_equal(iso_joint3_get(b.world, joint_of(&b, "straight"), &read), ISO_OK);
    const iso_vec3_wide point = {3 * ISO_WIDE_HALF, iso_wide_from_fix16(137626), iso_wide_from_fix16(216269)};
    const iso_vec3 axis = {65536, 131072, -131072}, none = {0, 0, 0};
    assert_int_equal(iso_joint3_def_between(b.world, read.body_a, read.body_b, point, axis, none, &made), ISO_OK);
    assert_memory_equal(&read.frame_a.anchor, &made.frame_a.anchor, sizeof read.frame_a.anchor);
    assert_memory_equal(&read.frame_b.anchor, &made.frame_b.anchor, sizeof read.frame_b.anchor);
    expect_within((double)iso_quat_angle(read.frame_a.rotation, made.frame_a.rotation), 0, 64, "frame of A");
    expect_within((double)iso_quat_angle(read.frame_b.rotation, made.frame_b.rotation), 0, 64, "frame of B");
    built_free(&b);
}

/// A rope from the world to a rotated body rests at the length between the anchors.
static void test_distances_are_measured(void **state) {
    (void)state;
    static const char text[] =
        "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"bodies\": [{\"name\": \"a\", \"position\": [3, 4, 0], "
        "\"rotation\": {\"axis\": [0, 0, 1], \"angle\": 1.57079632679}, \"shapes\": [{\"kind\": \"sphere\", "
        "\"radius\": 0.5}]}], \"joints\": [{\"kind\": \"distance\", \"name\": \"j\", \"body_b\": \"a\", "
        "\"anchor_b\": [0, 3, 12]}]}";
    built b = build_text(text, sizeof text - 1);
    iso_joint3_def def;
    assert_int_equal(iso_joint3_get(b.world, joint_of(&b, "j"), &def), ISO_OK);
    expect_within((double)def.axes[0].rest / 65536, 12.64910, 12.64912, "length"); // of (0, 4, 12)
    expect_within(axis_of(&b, "j", 0), 12.64910, 12.64912, "x");
    built_free(&b);
}

// ---- the built-in scenes -------------------------------------------------------------------------

static void test_chain3_holds(void **state) {
    (void)state;
    built b = build_builtin("chain3");
    assert_int_equal(b.scene->body_count, 32);
    assert_int_equal(b.scene->joint_count, 31);
    const iso_body3_view link = view_of(&b, "link[7]"), ball = view_of(&b, "ball");
    expect_within((double)ball.mass / (double)link.mass, 99.95, 100.05, "mass ratio");
    iso_wide worst = 0, angle;
    for (int tick = 0; tick < 300; ++tick) {
        run(&b, 1);
        const iso_wide separation = worst_separation(b.world, &angle);
        worst = separation > worst ? separation : worst;
    }
    expect_within((double)worst / (double)MILLIMETRE, 0, 5, "largest separation [mm]");
    // It has swung through below the hook.
    expect_within((double)view_of(&b, "ball").position.x / (double)ISO_WIDE_ONE, -20, 10, "ball");
    built_free(&b);
}

static void test_joints3_has_every_kind(void **state) {
    (void)state;
    built b = build_builtin("joints3");
#define EXPECT_KIND(name, number, snake, linear, angular, axis0, axis1, axis2, has) \
    {                                                                               \
        const uint32_t index = iso_scene_joint_find(b.scene, #snake);               \
        assert_int_not_equal(index, UINT32_MAX);                                    \
        assert_int_equal(b.scene->joints3[index].def.kind, number);                 \
    }
    ISO_JOINT3_KIND_LIST(EXPECT_KIND)
    built_free(&b);
}

/// What is rigid holds.
static void expect_held(const built *b) {
    for (uint32_t i = 0; i < b->scene->joint_count; ++i) {
        const iso_joint3_def *def = &b->scene->joints3[i].def;
        if (def->hertz == 0) {
            iso_wide separation, angle;
            const iso_joint_id id = iso_joint_next(b->world, i);
            assert_int_equal(iso_joint3_get_separation(b->world, id, &separation), ISO_OK);
            assert_int_equal(iso_joint3_get_angle_error(b->world, id, &angle), ISO_OK);
            const char *name = iso_scene_joint_name(b->scene, i);
            expect_within((double)separation / (double)MILLIMETRE, 0, 1, name);
            expect_within((double)angle / (double)ISO_WIDE_ONE, 0, 0.005, name);
        }
    }
}

static void test_joints3_moves_and_holds(void **state) {
    (void)state;
    built b = build_builtin("joints3");
    double swing = 0, sag = 0;
    for (int tick = 0; tick < 300; ++tick) {
        run(&b, 1);
        expect_held(&b);
        const double now = axis_of(&b, "ball", 0), tip = (double)view_of(&b, "tip").position.y / (double)ISO_WIDE_ONE;
        swing = now > swing ? now : swing;
        sag = tip < sag ? tip : sag;
        expect_within(axis_of(&b, "ball", 1), -0.26, 0.26, "twist");
    }
    expect_within(swing, 0.5, 1.01, "the bob's swing");
    expect_within(sag, -0.3, -0.05, "the soft beam");
    // At their limits, driven by their motors; and 2, 3, 1 and 6 rad/s for five seconds, less what the start took.
    static const struct {
        const char *name;
        uint32_t axis;
        double low, high;
    } ends[] = {
        {"hinge", 0, 1.59, 1.61},       {"slider", 0, 1.49, 1.51},  {"drive", 0, 9.9, 10},
        {"bearing", 1, 9.8, 10.2},      {"cylindrical", 1, 14, 15}, {"parallel", 0, 4, 5},
        {"hinge2", 2, 22, 30},          {"hinge2", 1, 0.35, 0.45},  {"hinge2", 0, -0.5, 0.1},
        {"distance", 0, 0.999, 1.001},  {"rope", 0, 0.3, 1.001},    {"spring", 0, 0.8, 1.5},
        {"cylindrical", 0, -0.51, 0.1},
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
        expect_within(axis_of(&b, ends[i].name, ends[i].axis), ends[i].low, ends[i].high, ends[i].name);
    }
    // The follower keeps its place beside the guide, which has turned by 5 rad, but for what its softness gives way.
    const iso_body3_view follower = view_of(&b, "follower");
    expect_at(follower.position, 12 + 0.2837, -0.0158, 0.9589, 0.01, "follower");
    built_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joints_have_both_anchors_at_their_point),
        cmocka_unit_test(test_joints_have_their_axes),
        cmocka_unit_test(test_joints_are_those_that_programs_make),
        cmocka_unit_test(test_distances_are_measured),
        cmocka_unit_test(test_chain3_holds),
        cmocka_unit_test(test_joints3_has_every_kind),
        cmocka_unit_test(test_joints3_moves_and_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
