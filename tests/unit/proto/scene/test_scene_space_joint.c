/// Joints of scenes in space: what they are read as, and every way to be wrong.
#include "test_scene_util.h"

#define HEAD                                                                                                    \
    "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\", "    \
    "\"position\": [1, 0, 0]}, {\"name\": \"far\", \"position\": [100, 0, 0]}, {\"name\": \"wall\", \"type\": " \
    "\"static\"}], \"joints\": ["
#define PAIR          "\"body_a\": \"a\", \"body_b\": \"b\""
#define AT            PAIR ", \"at\": [0.5, 0, 0]"
#define AXIS          AT ", \"axis\": [0, 1, 0]"
#define J(kind, keys) "{\"kind\": \"" kind "\", " keys "}]}"
#define RUN(cases)    run_bad_cases(HEAD, cases, sizeof cases / sizeof *cases)

static iso_scene_joint3 read_joint(const char *joint) {
    char text[2048];
    snprintf(text, sizeof text, HEAD "%s", joint);
    iso_scene *scene = parse_ok(text);
    assert_int_equal(scene->joint_count, 1);
    assert_null(scene->joints);
    assert_int_equal(iso_joint3_def_check(&scene->joints3[0].def), ISO_OK);
    const iso_scene_joint3 read = scene->joints3[0];
    iso_scene_free(scene);
    return read;
}

static void expect_axes_equal(const iso_joint3_axis *a, const iso_joint3_axis *b) {
    assert_true(a->limit_enabled == b->limit_enabled && a->motor_enabled == b->motor_enabled &&
                a->spring_enabled == b->spring_enabled);
#define EXPECT_SAME(type, name, low, high) assert_true(a->name == b->name);
    ISO_JOINT3_AXIS_NUMBER_LIST(EXPECT_SAME)
#undef EXPECT_SAME
}

// ---- what is read --------------------------------------------------------------------------------

static void test_joint_has_defaults(void **state) {
    (void)state;
    const iso_scene_joint3 joint = read_joint(J("hinge", AXIS));
    const iso_joint3_def otherwise = iso_joint3_def_default(ISO_JOINT3_HINGE);
    assert_int_equal(joint.def.kind, ISO_JOINT3_HINGE);
    assert_int_equal(joint.body_a, 0);
    assert_int_equal(joint.body_b, 1);
    assert_int_equal(joint.name_offset, UINT32_MAX);
    assert_false(joint.is_generated);
    assert_true(joint.def.enabled && !joint.def.collide_connected && !joint.def.remove_on_break);
    assert_int_equal(joint.def.owner.slot, ISO_OWNER_NOBODY);
#define EXPECT_SAME(type, name, low, high) assert_true(joint.def.name == otherwise.name);
    ISO_JOINT3_NUMBER_LIST(EXPECT_SAME)
#undef EXPECT_SAME
    for (uint32_t n = 0; n < ISO_JOINT3_AXES; ++n) {
        expect_axes_equal(&joint.def.axes[n], &otherwise.axes[n]);
    }
    assert_int_equal(joint.def.frame_a.anchor.x, ISO_FIX16_ONE / 2);
    assert_int_equal(joint.def.frame_b.anchor.x, -ISO_FIX16_ONE / 2);
}

static void test_joint_is_read_whole(void **state) {
    (void)state;
    const iso_scene_joint3 joint = read_joint(
        J("hinge", AXIS ", \"owner\": \"everyone\", \"tag\": 7, \"enabled\": false, \"hertz\": 3, \"damping_ratio\": "
                        "0.5, \"force_max\": 100.5, \"torque_max\": 20, \"correction_max\": 4, \"collide_connected\": "
                        "true, \"limit\": {\"lower\": -1, \"upper\": 2, \"hertz\": 6, \"damping_ratio\": 0.75}, "
                        "\"motor\": {\"speed\": -3, \"max\": 40}, "
                        "\"spring\": {\"hertz\": 2, \"damping_ratio\": 0.25, \"max\": 9, \"rest\": 0.5}, \"break\": "
                        "{\"force\": 1, \"torque\": 2, \"error\": 3, \"angle\": 4, \"remove\": true}"));
    const iso_joint3_def *def = &joint.def;
    assert_int_equal(def->owner.slot, ISO_OWNER_EVERYONE);
    assert_int_equal(def->tag, 7);
    assert_true(!def->enabled && def->collide_connected && def->remove_on_break);
    assert_int_equal(def->hertz, 3 * ISO_FIX16_ONE);
    assert_int_equal(def->damping_ratio, ISO_FIX16_ONE / 2);
    assert_int_equal(def->correction_max, 4 * ISO_FIX16_ONE);
    assert_true(def->force_max == 201 * ISO_WIDE_HALF && def->torque_max == 20 * ISO_WIDE_ONE);
    assert_true(def->break_force == ISO_WIDE_ONE && def->break_torque == 2 * ISO_WIDE_ONE);
    assert_true(def->break_error == 3 * ISO_WIDE_ONE && def->break_angle == 4 * ISO_WIDE_ONE);
    const iso_joint3_axis expected = {
        .limit_enabled = true,
        .motor_enabled = true,
        .spring_enabled = true,
        .lower = -ISO_FIX16_ONE,
        .upper = 2 * ISO_FIX16_ONE,
        .motor_speed = -3 * ISO_FIX16_ONE,
        .motor_max = 40 * ISO_WIDE_ONE,
        .spring_hertz = 2 * ISO_FIX16_ONE,
        .spring_damping_ratio = ISO_FIX16_ONE / 4,
        .spring_max = 9 * ISO_WIDE_ONE,
        .rest = ISO_FIX16_ONE / 2,
        .limit_hertz = 6 * ISO_FIX16_ONE,
        .limit_damping_ratio = 3 * ISO_FIX16_ONE / 4,
    };
    expect_axes_equal(&def->axes[0], &expected);
}

static void test_spring_has_a_stiffness(void **state) {
    (void)state;
    const iso_scene_joint3 joint =
        read_joint(J("slider", AXIS ", \"spring\": {\"stiffness\": 400.5, \"damping\": 20, \"max\": 9, \"rest\": -1}"));
    iso_joint3_axis expected = iso_joint3_def_default(ISO_JOINT3_SLIDER).axes[0];
    expected.spring_enabled = true;
    expected.spring_stiffness = 801 * ISO_WIDE_HALF;
    expected.spring_damping = 20 * ISO_WIDE_ONE;
    expected.spring_max = 9 * ISO_WIDE_ONE;
    expected.rest = -ISO_FIX16_ONE;
    expect_axes_equal(&joint.def.axes[0], &expected);
}

/// A gear's second axis is along the first by default; a rack's is its own, at any angle.
static void test_gears_and_racks_have_a_ratio(void **state) {
    (void)state;
    iso_scene_joint3 joint =
        read_joint(J("gear", PAIR ", \"axis\": [0, 1, 0], \"ratio\": -0.5, \"rest\": 2, \"spring\": {\"hertz\": 3}"));
    assert_int_equal(joint.def.ratio, -ISO_FIX16_ONE / 2);
    assert_int_equal(joint.def.axes[0].rest, 2 * ISO_FIX16_ONE);
    assert_true(joint.def.axes[0].spring_enabled);
    assert_memory_equal(&joint.def.frame_a.rotation, &joint.def.frame_b.rotation, sizeof joint.def.frame_a.rotation);
    joint = read_joint(J("rack", AXIS ", \"axis_b\": [0, 2, 0], \"ratio\": 0.25"));
    assert_int_equal(joint.def.ratio, ISO_FIX16_ONE / 4);
    assert_memory_equal(&joint.def.frame_a.rotation, &joint.def.frame_b.rotation, sizeof joint.def.frame_a.rotation);
    joint = read_joint(J("rack", AXIS ", \"axis_b\": [0, 0, 1], \"ratio\": 0.25"));
    assert_memory_not_equal(&joint.def.frame_a.rotation, &joint.def.frame_b.rotation,
                            sizeof joint.def.frame_a.rotation);
}

/// Each axis of a kind with several has its own key; what is off has its numbers.
static void test_joint_axes_have_names(void **state) {
    (void)state;
    static const struct {
        const char *kind, *keys, *axes[ISO_JOINT3_AXES];
    } kinds[] = {
        {"ball", AT, {"swing", "twist", NULL}},
        {"universal", AXIS ", \"axis_b\": [1, 0, 0]", {"turn_a", "turn_b", NULL}},
        {"hinge2", AXIS ", \"axis_b\": [1, 0, 0]", {"suspension", "steering", "rolling"}},
        {"cylindrical", AXIS, {"slide", "turn", NULL}},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        for (uint32_t n = 0; n < ISO_JOINT3_AXES && kinds[i].axes[n] != NULL; ++n) {
            char text[512];
            snprintf(
                text, sizeof text,
                "{\"kind\": \"%s\", %s, \"%s\": {\"limit\": {\"lower\": 0.5, \"upper\": 2}, \"motor\": {\"speed\": "
                "1, \"max\": 2, \"enabled\": false}}}]}",
                kinds[i].kind, kinds[i].keys, kinds[i].axes[n]);
            const iso_scene_joint3 joint = read_joint(text);
            for (uint32_t k = 0; k < ISO_JOINT3_AXES; ++k) {
                assert_int_equal(joint.def.axes[k].limit_enabled, k == n);
                assert_int_equal(joint.def.axes[k].lower, k == n ? ISO_FIX16_ONE / 2 : 0);
                assert_int_equal(joint.def.axes[k].motor_speed, k == n ? ISO_FIX16_ONE : 0);
                assert_false(joint.def.axes[k].motor_enabled);
            }
        }
    }
}

static void test_swing_limit_begins_at_zero(void **state) {
    (void)state;
    const iso_scene_joint3 joint = read_joint(J("ball", AT ", \"swing\": {\"limit\": {\"upper\": 2.96}}"));
    assert_int_equal(joint.def.axes[0].lower, 0);
    assert_int_equal(joint.def.axes[0].upper, 193987);
}

static void test_distance_has_a_length(void **state) {
    (void)state;
    iso_scene_joint3 joint = read_joint(J("distance", PAIR ", \"anchor_b\": [0, 0, 0.5], \"length\": 3"));
    assert_int_equal(joint.def.axes[0].rest, 3 * ISO_FIX16_ONE);
    assert_int_equal(joint.def.frame_b.anchor.z, ISO_FIX16_ONE / 2);
    joint = read_joint(J("distance", PAIR));
    assert_int_equal(joint.def.axes[0].rest, ISO_FIX16_ONE);
    joint = read_joint(J("distance", "\"body_a\": \"a\", \"body_b\": \"far\", \"spring\": {\"hertz\": 1}"));
    assert_int_equal(joint.def.axes[0].rest, 100 * ISO_FIX16_ONE);
    assert_true(joint.def.axes[0].spring_enabled);
}

static void test_target_has_one_body(void **state) {
    (void)state;
    const iso_scene_joint3 joint =
        read_joint(J("target", "\"body_b\": \"b\", \"anchor_b\": [0, 1, 0], \"target\": [1, 2, -30000]"));
    assert_int_equal(joint.body_a, UINT32_MAX);
    assert_int_equal(joint.body_b, 1);
    assert_int_equal(joint.def.frame_b.anchor.y, ISO_FIX16_ONE);
    assert_true(joint.def.target.z == -30000 * ISO_WIDE_ONE && joint.def.target.y == 2 * ISO_WIDE_ONE);
}

/// A parallel joint holds no point: its bodies may be anywhere.
static void test_parallel_has_no_point(void **state) {
    (void)state;
    const iso_scene_joint3 joint =
        read_joint(J("parallel", "\"body_a\": \"a\", \"body_b\": \"far\", \"axis\": [0, 0, 1]"));
    assert_int_equal(joint.def.frame_b.anchor.x | joint.def.frame_a.anchor.x, 0);
    assert_true(joint.def.frame_a.rotation.w != ISO_ROTATION_ONE);
}

/// One body for all joints to the world, after all others.
static void test_joints_without_a_are_to_the_world(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(HEAD "{\"kind\": \"ball\", \"body_b\": \"b\", \"at\": [1, 2, 3]}, {\"kind\": \"ball\", "
                                     "\"body_b\": \"a\", \"at\": [0, 0, 0]}]}");
    assert_int_equal(scene->body_count, 5);
    assert_string_equal(iso_scene_body_name(scene, 4), "world");
    assert_int_equal(scene->bodies3[4].def.type, ISO_BODY_STATIC);
    assert_int_equal(scene->bodies3[4].shape_count, 0);
    assert_int_equal(scene->joints3[0].body_a, 4);
    assert_int_equal(scene->joints3[1].body_a, 4);
    assert_int_equal(scene->joints3[0].def.frame_a.anchor.y, 2 * ISO_FIX16_ONE);
    assert_int_equal(scene->joints3[0].def.frame_b.anchor.x, 0);
    iso_scene_free(scene);
}

static void test_joints_in_space_have_names(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(HEAD "{\"name\": \"j\", \"kind\": \"ball\", " AT "}, {\"kind\": \"ball\", " AT "}]}");
    assert_string_equal(iso_scene_joint_name(scene, 0), "j");
    assert_string_equal(iso_scene_joint_name(scene, 1), "");
    assert_string_equal(iso_scene_joint_name(scene, 2), "");
    assert_int_equal(iso_scene_joint_find(scene, "j"), 0);
    iso_scene_free(scene);
    parse_bad(HEAD "{\"name\": \"j\", \"kind\": \"ball\", " AT "}, {\"name\": \"j\", \"kind\": \"ball\", " AT "}]}",
              "/joints/1/name", "\"j\"", "a name that no other joint has");
}

// ---- generators ----------------------------------------------------------------------------------

#define CHAIN_OF(keys)                                                                                                \
    "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"bodies\": [{\"name\": \"from\", \"type\": \"static\"}, "   \
    "{\"generator\": \"chain\", \"name\": \"c\", \"count\": 3, \"step\": [0, -1, 0.5], \"body\": {\"position\": [0, " \
    "-0.5, 0.25]}" keys "}, {\"name\": \"to\", \"position\": [0, -4, 2]}]}"

static void test_chain_in_space_has_joints(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(CHAIN_OF(", \"from\": \"from\", \"to\": \"to\""));
    assert_int_equal(scene->body_count, 5);
    assert_int_equal(scene->joint_count, 4);
    assert_string_equal(iso_scene_body_name(scene, 3), "c[2]");
    static const uint32_t ends[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
    for (uint32_t i = 0; i < 4; ++i) {
        const iso_scene_joint3 *joint = &scene->joints3[i];
        assert_int_equal(joint->def.kind, ISO_JOINT3_BALL);
        assert_int_equal(joint->body_a, ends[i][0]);
        assert_int_equal(joint->body_b, ends[i][1]);
        assert_int_equal(joint->element, 1);
        assert_true(joint->is_generated);
        assert_int_equal(joint->def.frame_a.anchor.y, i == 0 ? 0 : -ISO_FIX16_ONE / 2);
        assert_int_equal(joint->def.frame_b.anchor.y, i == 3 ? ISO_FIX16_ONE : ISO_FIX16_ONE / 2);
        assert_int_equal(joint->def.frame_b.anchor.z, i == 3 ? -ISO_FIX16_ONE / 2 : -ISO_FIX16_ONE / 4);
    }
    iso_scene_free(scene);

    scene = parse_ok(CHAIN_OF(", \"joint\": {\"kind\": \"hinge\", \"axis\": [0, 0, 1], \"limit\": {\"lower\": -1, "
                              "\"upper\": 1}}"));
    assert_int_equal(scene->joint_count, 2);
    assert_true(scene->joints3[1].def.kind == ISO_JOINT3_HINGE && scene->joints3[1].def.axes[0].limit_enabled);
    iso_scene_free(scene);

    scene = parse_ok(CHAIN_OF(", \"joint\": {\"kind\": \"distance\", \"anchor_b\": [0, 0, 0.5]}"));
    assert_int_equal(scene->joints3[1].def.axes[0].rest, 92682); // of (0, -1, 1)
    iso_scene_free(scene);
}

#define COPIES_OF(joint)                                                                                            \
    "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"bodies\": [{\"name\": \"post\", \"type\": \"static\"}, " \
    "{\"generator\": \"copies\", \"name\": \"d\", \"columns\": 2, \"rows\": 2, \"step\": [3, 0, 0], "               \
    "\"row_step\": [0, 0, 5], \"bodies\": [{\"name\": \"x\"}, {\"name\": \"y\", \"position\": [1, 0, 0]}], "        \
    "\"joints\": [" joint "]}]}"

static void test_copies_in_space_have_joints(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        COPIES_OF("{\"name\": \"knee\", \"kind\": \"hinge\", \"body_a\": \"x\", \"body_b\": \"y\", \"at\": [0.5, 0, "
                  "0], \"axis\": [0, 1, 0]}, {\"kind\": \"target\", \"body_b\": \"x\", \"target\": [0, 1, 0]}"));
    assert_int_equal(scene->joint_count, 8);
    assert_string_equal(iso_scene_joint_name(scene, 6), "d[1,1].knee");
    for (uint32_t copy = 0; copy < 4; ++copy) {
        const iso_scene_joint3 *knee = &scene->joints3[2 * copy], *target = &scene->joints3[2 * copy + 1];
        assert_int_equal(knee->body_a, 1 + 2 * copy);
        assert_int_equal(knee->body_b, 2 + 2 * copy);
        assert_int_equal(knee->def.frame_a.anchor.x, ISO_FIX16_ONE / 2);
        assert_int_equal(knee->def.frame_b.anchor.x, -ISO_FIX16_ONE / 2);
        assert_true(target->def.target.x == (copy % 2) * 3 * ISO_WIDE_ONE);
        assert_true(target->def.target.z == (copy / 2) * 5 * ISO_WIDE_ONE);
    }
    iso_scene_free(scene);
}

static void test_generated_joints_say_what_is_wrong(void **state) {
    (void)state;
    parse_bad(CHAIN_OF(", \"from\": \"nobody\""), "/bodies/1/from", "\"nobody\"", "the name of a body");
    parse_bad(CHAIN_OF(", \"to\": \"c[1]\""), "/bodies/1/to", "\"c[1]\"", "a body that is not of the chain");
    parse_bad(CHAIN_OF(", \"joint\": {\"kind\": \"target\"}"), "/bodies/1/joint/kind", "\"target\"",
              "a kind of joint between two bodies: not target, user or symbolic");
    parse_bad(CHAIN_OF(", \"joint\": {\"at\": [0, 0, 0]}"), "/bodies/1/joint/at", "[0,0,0]",
              "a known key: one of kind, axis, owner, tag, enabled, hertz, damping_ratio, force_max, torque_max, "
              "correction_max, swing, twist, break, collide_connected");
    parse_bad(CHAIN_OF(", \"joint\": {\"kind\": \"hinge\"}"), "/bodies/1/joint/axis", "nothing", "an array of 3");
    parse_bad(COPIES_OF("{\"kind\": \"ball\", \"body_a\": \"x\", \"body_b\": \"y\", \"at\": [29998, 0, 0]}"),
              "/bodies/1/joints/0/at", "[29998,0,0]", "a point within 60 m of both bodies' origins");
    parse_bad(COPIES_OF("{\"kind\": \"target\", \"body_b\": \"y\", \"target\": [29998, 0, 0]}"),
              "/bodies/1/joints/0/target", "[29998,0,0]", "a point that is within 30000 m of the origin in every copy");
    parse_bad("{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"capacities\": {\"joints\": 1}, \"bodies\": "
              "[{\"generator\": \"chain\", \"name\": \"c\", \"count\": 3, \"step\": [0, 1, 0], \"body\": {}}]}",
              "/bodies/0", "{\"generator\":\"chain\",\"name\":\"c\",\"count\":3,\"step\":[0,1,0],\"bo...",
              "at most 1 joints in all (/capacities/joints)");
}

// ---- what is wrong -------------------------------------------------------------------------------

#define KINDS                                                                                         \
    "ball, hinge, fixed, slider, universal, hinge2, distance, cylindrical, parallel, motor, target, " \
    "friction, gear, rack, user, symbolic"

static void test_joint_kind_says_what_is_wrong(void **state) {
    (void)state;
    static const bad_case cases[] = {
        {"1]}", "/joints/0", "1", "an object"},
        {"{}]}", "/joints/0/kind", "nothing", "one of " KINDS},
        {J("magnet", PAIR), "/joints/0/kind", "\"magnet\"", "one of " KINDS},
        {J("pulley", PAIR), "/joints/0/kind", "\"pulley\"",
         "one of " KINDS "; what is there is for worlds of two dimensions"},
        {J("spherical", PAIR), "/joints/0/kind", "\"spherical\"", "\"ball\", as spherical joints are called here"},
        {J("revolute", PAIR), "/joints/0/kind", "\"revolute\"", "\"hinge\", as revolutes are called in space"},
        {J("weld", PAIR), "/joints/0/kind", "\"weld\"", "\"fixed\", as welds are called in space"},
        {J("prismatic", PAIR), "/joints/0/kind", "\"prismatic\"",
         "\"slider\", as prismatic joints are called in space"},
        {J("wheel", PAIR), "/joints/0/kind", "\"wheel\"", "\"hinge2\", as wheels are called in space"},
    };
    RUN(cases);
    parse_bad("{\"format\": 1, \"name\": \"t\", \"joints\": [{\"kind\": \"universal\"}]}", "/joints/0/kind",
              "\"universal\"",
              "one of revolute, target, distance, weld, prismatic, wheel, line, angle, gear, ratchet, friction, motor, "
              "filter, pulley, user, symbolic; what is there needs \"dimensions\": 3");
}

static void test_joint_keys_say_what_is_wrong(void **state) {
    (void)state;
    static const bad_case cases[] = {
        {J("fixed", AXIS), "/joints/0/axis", "[0,1,0]",
         "a known key: one of name, kind, body_a, body_b, at, owner, tag, enabled, hertz, damping_ratio, force_max, "
         "torque_max, correction_max, break, collide_connected"},
        {J("ball", AT ", \"limit\": {}"), "/joints/0/limit", "{}",
         "a known key: one of name, kind, body_a, body_b, at, axis, owner, tag, enabled, hertz, damping_ratio, "
         "force_max, torque_max, correction_max, swing, twist, break, collide_connected"},
        {J("hinge2", AT ", \"swing\": {}"), "/joints/0/swing", "{}",
         "a known key: one of name, kind, body_a, body_b, at, axis, axis_b, owner, tag, enabled, hertz, damping_ratio, "
         "force_max, torque_max, correction_max, suspension, steering, rolling, break, collide_connected"},
        {J("distance", PAIR ", \"at\": [0, 0, 0]"), "/joints/0/at", "[0,0,0]",
         "a known key: one of name, kind, body_a, body_b, anchor_a, anchor_b, owner, tag, enabled, hertz, "
         "damping_ratio, force_max, correction_max, length, limit, motor, spring, break, collide_connected"},
        {J("parallel", AXIS), "/joints/0/at", "[0.5,0,0]",
         "a known key: one of name, kind, body_a, body_b, axis, owner, tag, enabled, hertz, damping_ratio, torque_max, "
         "correction_max, limit, motor, spring, break, collide_connected"},
        {J("target", AT), "/joints/0/body_a", "\"a\"",
         "a known key: one of name, kind, body_b, anchor_b, target, owner, tag, enabled, hertz, damping_ratio, "
         "force_max, correction_max, break"},
        {J("ball", AT ", \"twist\": {\"rest\": 1}"), "/joints/0/twist/rest", "1",
         "a known key: one of limit, motor, spring"},
        {J("ball", AT ", \"twist\": 1"), "/joints/0/twist", "1", "an object"},
        {J("hinge", AXIS ", \"limit\": {\"low\": 1}"), "/joints/0/limit/low", "1",
         "a known key: one of lower, upper, hertz, damping_ratio, enabled"},
        {J("hinge", AXIS ", \"motor\": {\"torque\": 1}"), "/joints/0/motor/torque", "1",
         "a known key: one of speed, max, enabled"},
        {J("hinge", AXIS ", \"spring\": {\"stiffness\": 1, \"hertz\": 1}"), "/joints/0/spring/hertz", "1",
         "a known key: one of stiffness, damping, max, rest, enabled"},
        {J("hinge", AXIS ", \"spring\": {\"damping\": 0}"), "/joints/0/spring/stiffness", "nothing",
         "a stiffness or a damping above 0"},
        {J("hinge", AXIS ", \"spring\": {\"rest\": 1}"), "/joints/0/spring/hertz", "nothing",
         "a number above 0 (rounded to 2^-16), at most 1000, or \"stiffness\" or \"damping\" instead"},
        {J("rack", AXIS ", \"axis_b\": [0, 0, 1], \"ratio\": 65"), "/joints/0/ratio", "65",
         "a number from 1/1024 to 64, or from -64 to -1/1024"},
        {J("hinge", AXIS ", \"spring\": {\"strength\": 1}"), "/joints/0/spring/strength", "1",
         "a known key: one of hertz, damping_ratio, max, rest, enabled"},
        {J("friction", AT ", \"hertz\": 1"), "/joints/0/hertz", "1",
         "a known key: one of name, kind, body_a, body_b, at, owner, tag, enabled, force_max, torque_max, break, "
         "collide_connected"},
        {J("friction", AT ", \"break\": {\"error\": 1}"), "/joints/0/break/error", "1",
         "a known key: one of force, torque, remove"},
        {J("gear", PAIR ", \"axis\": [1, 0, 0], \"at\": [0, 0, 0]"), "/joints/0/at", "[0,0,0]",
         "a known key: one of name, kind, body_a, body_b, axis, axis_b, owner, tag, enabled, hertz, damping_ratio, "
         "torque_max, correction_max, ratio, rest, limit, motor, spring, break, collide_connected"},
        {J("gear", PAIR ", \"axis\": [1, 0, 0]"), "/joints/0/ratio", "nothing",
         "a number from 1/64 to 64, or from -64 to -1/64"},
        {J("gear", PAIR ", \"axis\": [1, 0, 0], \"ratio\": 0.01"), "/joints/0/ratio", "0.01",
         "a number from 1/64 to 64, or from -64 to -1/64"},
        {J("rack", AXIS ", \"axis_b\": [0, 0, 1], \"ratio\": 0"), "/joints/0/ratio", "0",
         "a number from 1/1024 to 64, or from -64 to -1/1024"},
        {J("rack", AXIS ", \"axis_b\": [0, 0, 1], \"ratio\": 1, \"spring\": {\"hertz\": 1, \"rest\": 1}"),
         "/joints/0/spring/rest", "1", "a known key: one of hertz, damping_ratio, max, enabled"},
        {J("rack", AXIS ", \"axis_b\": [0, 0, 1], \"ratio\": 1, \"break\": {\"angle\": 1}"), "/joints/0/break/angle",
         "1", "a known key: one of force, torque, error, remove"},
        {J("distance", PAIR ", \"spring\": {\"rest\": 1}"), "/joints/0/spring/rest", "1",
         "a known key: one of hertz, damping_ratio, max, enabled"},
        {J("hinge", AXIS ", \"break\": {\"?\": 1}"), "/joints/0/break/?", "1",
         "a known key: one of force, torque, error, angle, remove"},
        {J("ball", AT ", \"break\": {\"angle\": 1}"), "/joints/0/break/angle", "1",
         "a known key: one of force, torque, error, remove"},
        {J("parallel", PAIR ", \"axis\": [1, 0, 0], \"break\": {\"error\": 1}"), "/joints/0/break/error", "1",
         "a known key: one of force, torque, angle, remove"},
    };
    RUN(cases);
}

static void test_joint_places_say_what_is_wrong(void **state) {
    (void)state;
    static const char *const direction = "a direction with a component that is not 0 (rounded to 2^-32)";
    static const char *const between = "a direction at 0.2 to 2.9 rad to \"axis\"";
    static const char *const a_body = "the name of a body";
    const bad_case cases[] = {
        {J("ball", "\"body_a\": \"a\", \"at\": [0, 0, 0]"), "/joints/0/body_b", "nothing", a_body},
        {J("ball", "\"body_a\": \"c\", \"body_b\": \"b\", \"at\": [0, 0, 0]"), "/joints/0/body_a", "\"c\"", a_body},
        {J("ball", "\"body_a\": \"b\", \"body_b\": \"b\", \"at\": [0, 0, 0]"), "/joints/0/body_b", "\"b\"",
         "another body than body_a"},
        {J("ball", PAIR), "/joints/0/at", "nothing", "an array of 3"},
        {J("ball", PAIR ", \"at\": [0, 0, 30001]"), "/joints/0/at/2", "30001", "a number from -30000 to 30000"},
        {J("ball", PAIR ", \"at\": [0, 60.5, 0]"), "/joints/0/at", "[0,60.5,0]",
         "a point within 60 m of both bodies' origins"},
        {J("ball", "\"body_b\": \"far\", \"at\": [100, 0, 0]"), "/joints/0/at", "[100,0,0]",
         "a point within 60 m of the body's origin, and of the world's: farther from it the joint needs a static body "
         "there"},
        {J("hinge", AT), "/joints/0/axis", "nothing", "an array of 3"},
        {J("hinge", AT ", \"axis\": [0, 0, 0]"), "/joints/0/axis", "[0,0,0]", direction},
        {J("hinge", AT ", \"axis\": [0, 0, 32768]"), "/joints/0/axis/2", "32768", "a number from -32767 to 32767"},
        {J("universal", AXIS), "/joints/0/axis_b", "nothing", "an array of 3"},
        {J("universal", AXIS ", \"axis_b\": [0, 0, 0]"), "/joints/0/axis_b", "[0,0,0]", direction},
        {J("universal", AXIS ", \"axis_b\": [0.1, 1, 0]"), "/joints/0/axis_b", "[0.1,1,0]", between},
        {J("hinge2", AXIS ", \"axis_b\": [0, -1, 0]"), "/joints/0/axis_b", "[0,-1,0]", between},
        {J("distance", PAIR ", \"anchor_a\": [0, 61, 0]"), "/joints/0/anchor_a/1", "61", "a number from -60 to 60"},
        {J("distance", PAIR ", \"length\": -1"), "/joints/0/length", "-1", "a number from 0 to 32767"},
        {J("target", "\"body_b\": \"wall\", \"target\": [0, 0, 0]"), "/joints/0/body_b", "\"wall\"",
         "the name of a dynamic body"},
        {J("target", "\"body_b\": \"b\""), "/joints/0/target", "nothing", "an array of 3"},
    };
    RUN(cases);
    parse_bad(
        "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"bodies\": [{\"name\": \"a\", \"position\": [30000, "
        "0, 0]}, {\"name\": \"b\", \"position\": [-30000, 0, 0]}], \"joints\": [{\"kind\": \"distance\", "
        "\"body_a\": \"a\", \"body_b\": \"b\"}]}",
        "/joints/0", "{\"kind\":\"distance\",\"body_a\":\"a\",\"body_b\":\"b\"}",
        "a \"length\", or bodies whose places give one from 0 to 32767 m");
}

/// The body that stands for the world needs its name and room.
static void test_joint_to_the_world_says_what_is_wrong(void **state) {
    (void)state;
    parse_bad("{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"bodies\": [{\"name\": \"a\"}, {\"name\": "
              "\"world\"}], \"joints\": [{\"kind\": \"ball\", \"body_b\": \"a\", \"at\": [0, 0, 0]}]}",
              "/joints/0/body_a", "nothing",
              "the name of a body: without it the joint is to the world, but a body has the name \"world\"");
    parse_bad("{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"capacities\": {\"bodies\": 1}, \"bodies\": "
              "[{\"name\": \"a\"}], \"joints\": [{\"kind\": \"ball\", \"body_b\": \"a\", \"at\": [0, 0, 0]}]}",
              "/joints/0/body_a", "nothing",
              "a body, or at most 1 of them in all (/capacities/bodies), with one for the world");
    parse_bad("{\"format\": 1, \"name\": \"t\", \"dimensions\": 3, \"capacities\": {\"joints\": 0}, \"bodies\": "
              "[{\"name\": \"a\"}], \"joints\": [{\"kind\": \"ball\", \"body_b\": \"a\", \"at\": [0, 0, 0]}]}",
              "/joints/0", "{\"kind\":\"ball\",\"body_b\":\"a\",\"at\":[0,0,0]}",
              "at most 0 joints in all (/capacities/joints)");
}

static void test_joint_numbers_say_what_is_wrong(void **state) {
    (void)state;
    static const char *const most = "0, or a number above 0 (rounded to 2^-32), at most 2147483647";
    const bad_case cases[] = {
        {J("ball", AT ", \"hertz\": 1001"), "/joints/0/hertz", "1001",
         "0, or a number above 0 (rounded to 2^-16), at most 1000"},
        {J("ball", AT ", \"damping_ratio\": -1"), "/joints/0/damping_ratio", "-1", "a number from 0 to 1000"},
        {J("ball", AT ", \"force_max\": -1"), "/joints/0/force_max", "-1", most},
        {J("ball", AT ", \"torque_max\": -1"), "/joints/0/torque_max", "-1", most},
        {J("ball", AT ", \"correction_max\": 32768"), "/joints/0/correction_max", "32768",
         "0, or a number above 0 (rounded to 2^-16), at most 32767"},
        {J("ball", AT ", \"tag\": -1"), "/joints/0/tag", "-1", "an integer from 0 to 4294967295"},
        {J("ball", AT ", \"enabled\": 1"), "/joints/0/enabled", "1", "true or false"},
        {J("ball", AT ", \"break\": {\"force\": -1}"), "/joints/0/break/force", "-1", most},
        {J("hinge", AXIS ", \"limit\": {\"upper\": 1}"), "/joints/0/limit/lower", "nothing",
         "a number from -32767 to 32767"},
        {J("hinge", AXIS ", \"limit\": {\"lower\": 1, \"upper\": 0.5}"), "/joints/0/limit/upper", "0.5",
         "a number that is not below \"lower\""},
        {J("distance", PAIR ", \"limit\": {\"lower\": -1, \"upper\": 1}"), "/joints/0/limit/lower", "-1",
         "a number from 0 to 32767"},
        {J("ball", AT ", \"swing\": {\"limit\": {\"upper\": 3}}"), "/joints/0/swing/limit/upper", "3",
         "a number from 0 to 2.96"},
        {J("ball", AT ", \"swing\": {\"limit\": {\"lower\": -0.1, \"upper\": 1}}"), "/joints/0/swing/limit/lower",
         "-0.1", "a number from 0 to 2.96"},
        {J("hinge", AXIS ", \"motor\": {\"max\": 1}"), "/joints/0/motor/speed", "nothing",
         "a number from -32767 to 32767"},
        {J("hinge", AXIS ", \"motor\": {\"speed\": 1, \"max\": -1}"), "/joints/0/motor/max", "-1",
         "a number from 0 to 2147483647"},
        {J("hinge", AXIS ", \"spring\": {\"hertz\": 0}"), "/joints/0/spring/hertz", "0",
         "a number above 0 (rounded to 2^-16), at most 1000"},
        {J("hinge", AXIS ", \"spring\": {\"hertz\": 1, \"rest\": 32768}"), "/joints/0/spring/rest", "32768",
         "a number from -32767 to 32767"},
    };
    RUN(cases);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joint_has_defaults),
        cmocka_unit_test(test_joint_is_read_whole),
        cmocka_unit_test(test_spring_has_a_stiffness),
        cmocka_unit_test(test_gears_and_racks_have_a_ratio),
        cmocka_unit_test(test_joint_axes_have_names),
        cmocka_unit_test(test_swing_limit_begins_at_zero),
        cmocka_unit_test(test_distance_has_a_length),
        cmocka_unit_test(test_target_has_one_body),
        cmocka_unit_test(test_parallel_has_no_point),
        cmocka_unit_test(test_joints_without_a_are_to_the_world),
        cmocka_unit_test(test_joints_in_space_have_names),
        cmocka_unit_test(test_chain_in_space_has_joints),
        cmocka_unit_test(test_copies_in_space_have_joints),
        cmocka_unit_test(test_generated_joints_say_what_is_wrong),
        cmocka_unit_test(test_joint_kind_says_what_is_wrong),
        cmocka_unit_test(test_joint_keys_say_what_is_wrong),
        cmocka_unit_test(test_joint_places_say_what_is_wrong),
        cmocka_unit_test(test_joint_to_the_world_says_what_is_wrong),
        cmocka_unit_test(test_joint_numbers_say_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
