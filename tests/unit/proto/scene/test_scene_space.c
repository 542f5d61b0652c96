/// Scenes of worlds with three dimensions: what bodies and shapes are read as, and every way to be wrong.
#include "isostep/vec3.h"
#include "test_scene_util.h"

#include "isostep/heap.h"

#define HEAD         "{\"format\": 1, \"name\": \"t\", \"dimensions\": 3"
#define BODY(keys)   HEAD ", \"bodies\": [{\"name\": \"a\"" keys "}]}"
#define SHAPE(shape) BODY(", \"type\": \"static\", \"shapes\": [" shape "]")
#define RUN(cases)   run_bad_cases(HEAD, cases, sizeof cases / sizeof *cases)

static void expect_vec3(iso_vec3 v, double x, double y, double z) {
    assert_int_equal(v.x, (fix16_t)(x * 65536));
    assert_int_equal(v.y, (fix16_t)(y * 65536));
    assert_int_equal(v.z, (fix16_t)(z * 65536));
}

static void expect_wide3(iso_vec3_wide v, double x, double y, double z) {
    assert_true(v.x == (iso_wide)(x * 65536) * 65536);
    assert_true(v.y == (iso_wide)(y * 65536) * 65536);
    assert_true(v.z == (iso_wide)(z * 65536) * 65536);
}

static void expect_quat(iso_quat q, int32_t x, int32_t y, int32_t z, int32_t w, int32_t within) {
    const int64_t off[4] = {(int64_t)q.x - x, (int64_t)q.y - y, (int64_t)q.z - z, (int64_t)q.w - w};
    for (int i = 0; i < 4; ++i) {
        if (off[i] < -within || off[i] > within) {
            fail_msg("(%d, %d, %d, %d), expected (%d, %d, %d, %d)", q.x, q.y, q.z, q.w, x, y, z, w);
        }
    }
}

// ---- what is read --------------------------------------------------------------------------------

static void test_space_is_chosen_by_dimensions(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(HEAD "}");
    assert_int_equal(scene->def.dimensions, 3);
    assert_int_equal(scene->def.integrator, ISO_INTEGRATOR_SPLIT);
    assert_int_equal(scene->def.gravity.y, -10 * ISO_FIX16_ONE);
    assert_int_equal(scene->def.gravity.x | scene->def.gravity_z, 0);
    iso_scene_free(scene);

    scene = parse_ok(HEAD ", \"world\": {\"gravity\": [1, -9.5, 0.25], \"integrator\": \"rk4\", \"slop\": 0.25}}");
    assert_int_equal(scene->def.integrator, ISO_INTEGRATOR_RK4);
    assert_int_equal(scene->def.gravity.x, ISO_FIX16_ONE);
    assert_int_equal(scene->def.gravity.y, -ISO_FIX16_ONE * 19 / 2);
    assert_int_equal(scene->def.gravity_z, ISO_FIX16_ONE / 4);
    assert_int_equal(scene->def.slop, ISO_FIX16_ONE / 4);
    iso_scene_free(scene);

    scene = parse_ok("{\"format\": 1, \"name\": \"t\", \"dimensions\": 2, \"bodies\": [{\"name\": \"a\"}]}");
    assert_int_equal(scene->def.dimensions, 2);
    assert_non_null(scene->bodies);
    assert_null(scene->bodies3);
    iso_scene_free(scene);
}

static void test_space_body_has_defaults(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(BODY(""));
    const iso_scene_body3 *body = &scene->bodies3[0];
    const iso_body3_def otherwise = iso_body3_def_default();
    assert_null(scene->bodies);
    assert_int_equal(scene->body_count, 1);
    assert_string_equal(iso_scene_body_name(scene, 0), "a");
    assert_int_equal(body->def.type, ISO_BODY_DYNAMIC);
    expect_wide3(body->def.position, 0, 0, 0);
    expect_quat(body->def.rotation, 0, 0, 0, ISO_ROTATION_ONE, 0);
    assert_memory_equal(&body->def.params, &otherwise.params, sizeof otherwise.params);
    assert_int_equal(body->def.owner.slot, ISO_OWNER_NOBODY);
    assert_true(body->mass == 0 && body->moments[0] == 0 && body->moments[1] == 0 && body->moments[2] == 0);
    assert_int_equal(body->shape_count, 0);
    iso_scene_free(scene);
}

static void test_space_body_is_read_whole(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        BODY(", \"type\": \"kinematic\", \"position\": [1.5, -2, 30000], \"velocity\": [400, 0, -0.5], "
             "\"angular_velocity\": [0, 2, -400], \"owner\": \"everyone\", \"tag\": 7, \"mass\": 3.5, \"moments\": "
             "[1, 2, 3], \"linear_damping\": 0.5, \"angular_damping\": 0.25, \"gravity_scale\": -1, \"lock_x\": true, "
             "\"lock_turn_z\": true, \"sleep\": false, \"shapes\": [{\"kind\": \"sphere\", \"radius\": 1}]"));
    const iso_scene_body3 *body = &scene->bodies3[0];
    assert_int_equal(body->def.type, ISO_BODY_KINEMATIC);
    expect_wide3(body->def.position, 1.5, -2, 30000);
    expect_wide3(body->def.velocity, 400, 0, -0.5);
    expect_wide3(body->def.angular_velocity, 0, 2, -400);
    assert_int_equal(body->def.owner.slot, ISO_OWNER_EVERYONE);
    assert_int_equal(body->def.tag, 7);
    assert_true(body->mass == 7 * ISO_WIDE_HALF);
    for (int i = 0; i < 3; ++i) {
        assert_true(body->moments[i] == (i + 1) * ISO_WIDE_ONE);
    }
    const iso_body3_params *params = &body->def.params;
    assert_int_equal(params->linear_damping, 32768);
    assert_int_equal(params->angular_damping, 16384);
    assert_int_equal(params->gravity_scale, -65536);
    assert_true(params->lock_x && !params->lock_y && !params->lock_z);
    assert_true(!params->lock_turn_x && !params->lock_turn_y && params->lock_turn_z);
    assert_false(params->sleep_enabled);
    assert_int_equal(body->shape_count, 1);
    assert_int_equal(scene->shape_total, 1);
    iso_scene_free(scene);
}

/// Positions are rounded to Q15.16 as in the plane, half a quantum up.
static void test_space_numbers_are_rounded_as_in_the_plane(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(BODY(", \"position\": [0.1, -0.1, 0.00000762939453125]"));
    const iso_vec3_wide p = scene->bodies3[0].def.position;
    assert_true(p.x == iso_wide_from_fix16(6554) && p.y == iso_wide_from_fix16(-6554) && p.z == iso_wide_from_fix16(1));
    iso_scene_free(scene);
}

static iso_quat read_rotation(const char *rotation) {
    char text[512];
    snprintf(text, sizeof text, HEAD ", \"bodies\": [{\"name\": \"a\", \"rotation\": %s}]}", rotation);
    iso_scene *scene = parse_ok(text);
    const iso_quat q = scene->bodies3[0].def.rotation;
    iso_scene_free(scene);
    return q;
}

static void test_space_rotations_are_normalised(void **state) {
    (void)state;
    static const int32_t one = ISO_ROTATION_ONE, half = ISO_ROTATION_ONE / 2;
    // A unit quaternion is kept, any other length stands for a direction, and the first of w, x, y, z is positive.
    expect_quat(read_rotation("{\"quaternion\": [0, 0, 0, 1]}"), 0, 0, 0, one, 0);
    expect_quat(read_rotation("{\"quaternion\": [0.5, 0.5, 0.5, 0.5]}"), half, half, half, half, 0);
    expect_quat(read_rotation("{\"quaternion\": [-0.5, 0.5, 0.5, -0.5]}"), half, -half, -half, half, 0);
    expect_quat(read_rotation("{\"quaternion\": [3, 3, 3, 3]}"), half, half, half, half, 2);
    expect_quat(read_rotation("{\"quaternion\": [0, 0, 0.0000001, 0]}"), 0, 0, one, 0, 2);
    expect_quat(read_rotation("{\"quaternion\": [32767, 0, 0, 0]}"), one, 0, 0, 0, 2);
    // Half a right angle has sine and cosine 0.70710678; a whole turn is none.
    expect_quat(read_rotation("{\"axis\": [0, 1, 0], \"angle\": 1.57079632679}"), 0, 759250125, 0, 759250125, 3);
    expect_quat(read_rotation("{\"axis\": [0, -200, 0], \"angle\": -1.57079632679}"), 0, 759250125, 0, 759250125, 3);
    expect_quat(read_rotation("{\"axis\": [0, 0, 0.001], \"angle\": 3.14159265359}"), 0, 0, one, 0, 3);
    expect_quat(read_rotation("{\"axis\": [1, 1, 1], \"angle\": 2.09439510239}"), half, half, half, half, 3);
    // An axis keeps 30 bits, a short one those that were read, to 2^-32.
    const iso_quat a = read_rotation("{\"axis\": [1, 2, 2], \"angle\": 1}");
    expect_quat(read_rotation("{\"axis\": [0.001, 0.002, 0.002], \"angle\": 1}"), a.x, a.y, a.z, a.w, 32);
    expect_quat(read_rotation("{\"axis\": [10000, 20000, 20000], \"angle\": 1}"), a.x, a.y, a.z, a.w, 0);
}

static void test_space_shapes_are_read_by_kind(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(SHAPE(
        "{\"kind\": \"sphere\", \"radius\": 0.5, \"centre\": [1, 2, 3]},"
        "{\"kind\": \"capsule\", \"a\": [0, -1, 0], \"b\": [0, 1, 0.5], \"radius\": 0.25},"
        "{\"kind\": \"box\", \"half_extents\": [1, 2, 3]},"
        "{\"kind\": \"box\", \"half_extents\": [1, 2, 3], \"centre\": [4, 5, 6], \"rotation\": {\"quaternion\": [1, 0, "
        "0, 0]}},"
        "{\"kind\": \"hull\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0]]},"
        "{\"kind\": \"plane\", \"normal\": [0, 2000, 0], \"offset\": -1.5}, {\"kind\": \"plane\", \"normal\": [0, 1, "
        "0]}"));
    const iso_shape3_def *shapes = scene->shapes3;
    static const uint8_t kinds[] = {ISO_SHAPE3_SPHERE, ISO_SHAPE3_CAPSULE, ISO_SHAPE3_BOX,  ISO_SHAPE3_BOX,
                                    ISO_SHAPE3_HULL,   ISO_SHAPE3_PLANE,   ISO_SHAPE3_PLANE};
    static const uint8_t counts[] = {1, 2, 2, 2, 5, 1, 1};
    const iso_shape3_def otherwise = iso_shape3_def_default();
    assert_int_equal(scene->shape_count, sizeof kinds);
    for (size_t i = 0; i < sizeof kinds; ++i) {
        const bool is_box = kinds[i] == ISO_SHAPE3_BOX;
        assert_int_equal(shapes[i].kind, kinds[i]);
        assert_int_equal(shapes[i].point_count, counts[i]);
        assert_int_equal(shapes[i].density, 1000 * ISO_FIX16_ONE);
        assert_int_equal(shapes[i].friction, otherwise.friction);
        assert_int_equal(shapes[i].restitution, otherwise.restitution);
        assert_memory_equal(&shapes[i].filter, &otherwise.filter, sizeof otherwise.filter);
        assert_true(!shapes[i].is_sensor && shapes[i].tag == 0);
        expect_quat(shapes[i].rotation, i == 3 ? ISO_ROTATION_ONE : 0, 0, 0, is_box && i != 3 ? ISO_ROTATION_ONE : 0,
                    0);
    }
    expect_vec3(shapes[0].points[0], 1, 2, 3);
    assert_int_equal(shapes[0].radius, 32768);
    expect_vec3(shapes[1].points[0], 0, -1, 0);
    expect_vec3(shapes[1].points[1], 0, 1, 0.5);
    assert_int_equal(shapes[1].radius, 16384);
    expect_vec3(shapes[2].points[0], 0, 0, 0);
    expect_vec3(shapes[2].points[1], 1, 2, 3);
    expect_vec3(shapes[3].points[0], 4, 5, 6);
    expect_vec3(shapes[4].points[4], -1, 0, 0);
    expect_vec3(shapes[5].points[0], 0, 2000, 0);
    assert_int_equal(shapes[5].offset, -98304);
    assert_int_equal(shapes[6].offset, 0);
    iso_scene_free(scene);
}

#define GROUND(shapes) HEAD ", \"bodies\": [{\"name\": \"a\", \"type\": \"static\", \"shapes\": [" shapes "]}]}"

static void test_space_heights_are_read_and_built(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        GROUND("{\"kind\": \"heights\", \"cell\": 0.5, \"scale\": 0.0625, \"samples\": [[1, 2, 3], [-800, -760, "
               "-755]], \"centre\": [1, 2, 3]},"
               "{\"kind\": \"heights\", \"cell\": 16, \"scale\": 0.01, \"samples\": [[1, 2], [3, 4], [5, 6]]}"));
    const iso_shape3_def *shapes = scene->shapes3;
    assert_int_equal(scene->heights_count, 2);
    assert_true(shapes[0].kind == ISO_SHAPE3_HEIGHTS && shapes[0].point_count == 1 && shapes[0].heights == 0);
    assert_int_equal(shapes[1].heights, 1);
    expect_vec3(shapes[0].points[0], 1, 2, 3);
    iso_scene_free(scene);
    scene = parse_ok(
        GROUND("{\"kind\": \"heights\", \"cell\": 0.5, \"scale\": 0.01, \"samples\": [[1, 2, 3], [-4, 5, 6]]}"));
    const iso_allocator allocator = iso_heap_allocator();
    void *memory = NULL;
    iso_world *world = NULL;
    assert_int_equal(iso_scene_create_world(scene, NULL, &allocator, &memory, &world, NULL), ISO_OK);
    iso_heights_def def;
    assert_int_equal(iso_world_get_heights(world, 0, &def), ISO_OK);
    assert_true(def.columns == 3 && def.rows == 2 && def.cell == 32768 && def.scale == 655);
    assert_true(def.samples[0] == 1 && def.samples[2] == 3 && def.samples[3] == -4 && def.samples[5] == 6);
    free(memory);
    iso_scene_free(scene);
}

static void test_space_shapes_have_surfaces(void **state) {
    (void)state;
    iso_scene *scene = parse_ok(
        HEAD
        ", \"materials\": {\"ice\": {\"friction\": 0}, \"steel\": {\"density\": 7800, \"friction\": 0.25, "
        "\"restitution\": 0.5}}, \"bodies\": [{\"name\": \"a\", \"shapes\": [{\"kind\": \"sphere\", \"radius\": 1, "
        "\"material\": \"steel\", \"sensor\": true, \"tag\": 9, \"filter\": {\"category\": 2, \"mask\": 6, "
        "\"group\": -3}}, {\"kind\": \"sphere\", \"radius\": 1, \"material\": \"ice\"}]}]}");
    const iso_shape3_def *steel = &scene->shapes3[0], *ice = &scene->shapes3[1];
    assert_int_equal(steel->density, 7800 * ISO_FIX16_ONE);
    assert_int_equal(steel->friction, 16384);
    assert_int_equal(steel->restitution, 32768);
    assert_true(steel->is_sensor);
    assert_int_equal(steel->tag, 9);
    assert_int_equal(steel->filter.category, 2);
    assert_int_equal(steel->filter.mask, 6);
    assert_int_equal(steel->filter.group, -3);
    assert_int_equal(ice->density, 1000 * ISO_FIX16_ONE); // of space, not that of the plane
    assert_int_equal(ice->friction, 0);
    iso_scene_free(scene);
}

// ---- what is wrong -------------------------------------------------------------------------------

static void test_space_world_says_what_is_wrong(void **state) {
    (void)state;
    static const char *const two_or_three = "2, a world in the plane, or 3, one in space";
    parse_bad("{\"format\": 1, \"name\": \"t\", \"dimensions\": 4}", "/dimensions", "4", two_or_three);
    parse_bad("{\"format\": 1, \"name\": \"t\", \"dimensions\": \"3\"}", "/dimensions", "\"3\"", two_or_three);
    parse_bad("{\"format\": 1, \"name\": \"t\", \"dimensions\": 3.0}", "/dimensions", "3.0", two_or_three);
    parse_bad("{\"format\": 1, \"name\": \"t\", \"world\": {\"gravity\": [0, -10, 0]}}", "/world/gravity", "[0,-10,0]",
              "an array of 2");
    static const bad_case cases[] = {
        {", \"world\": {\"gravity\": [0, -10]}}", "/world/gravity", "[0,-10]", "an array of 3"},
        {", \"world\": {\"gravity\": [0, -10, 1001]}}", "/world/gravity/2", "1001", "a number from -1000 to 1000"},
        {", \"world\": {\"integrator\": \"euler\"}}", "/world/integrator", "\"euler\"", "one of split, rk4"},
        {", \"game\": {\"name\": \"test-game\"}}", "/game/name", "\"test-game\"",
         "a game for worlds with three dimensions"},
        {", \"compounds\": []}", "/compounds", "[]", "nothing: a scene with three dimensions has no compounds"},
        {", \"blueprints\": []}", "/blueprints", "[]", "nothing: a scene with three dimensions has no blueprints"},
        {", \"constraints\": {\"c\": \"body a constraint a.rotation\"}}", "/constraints/c",
         "\"body a constraint a.rotation\"",
         "a constraint; at 1:19 it has found a rotation in the constraint at 'a', expected a scalar, vector or block; "
         "relative turns a vector"},
    };
    RUN(cases);
    iso_scene *scene = NULL;
    iso_scene_error error;
    static const char plane[] = "{\"format\": 1, \"name\": \"t\", \"world\": {\"integrator\": \"rk4\"}}";
    assert_int_equal(parse(plane, sizeof plane - 1, &scene, &error), ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.path, "/world/integrator");
    assert_non_null(strstr(error.expected, "a known key: one of gravity, contact_hertz, "));
}

#define AT(keys) ", \"bodies\": [{\"name\": \"a\"" keys "}]}"

static void test_space_body_says_what_is_wrong(void **state) {
    (void)state;
    static const char *const a_key =
        "a known key: one of name, type, position, rotation, velocity, angular_velocity, owner, tag, shapes, "
        "linear_damping, angular_damping, gravity_scale, lock_x, lock_y, lock_z, lock_turn_x, lock_turn_y, "
        "lock_turn_z, sleep, bullet, mass, moments";
    const bad_case cases[] = {
        {AT(", \"angle\": 1"), "/bodies/0/angle", "1", a_key},
        {AT(", \"inertia\": 1"), "/bodies/0/inertia", "1", a_key},
        {AT(", \"fixed_rotation\": true"), "/bodies/0/fixed_rotation", "true", a_key},
        {AT(", \"position\": [0, 1]"), "/bodies/0/position", "[0,1]", "an array of 3"},
        {AT(", \"position\": [0, 0, 30001]"), "/bodies/0/position/2", "30001", "a number from -30000 to 30000"},
        {AT(", \"velocity\": [0, 401, 0]"), "/bodies/0/velocity/1", "401", "a number from -400 to 400"},
        {AT(", \"angular_velocity\": 1"), "/bodies/0/angular_velocity", "1", "an array of 3"},
        {AT(", \"type\": \"static\", \"angular_velocity\": [0, 0, 1]"), "/bodies/0/angular_velocity", "[0,0,1]",
         "nothing: a static body does not move"},
        {AT(", \"mass\": 0"), "/bodies/0/mass", "0", "a number from 2^-16 to 2^17"},
        {AT(", \"moments\": [1, 1]"), "/bodies/0/moments", "[1,1]", "an array of 3"},
        {AT(", \"moments\": [1, 1, 0]"), "/bodies/0/moments/2", "0", "a number above 0, below 2^31"},
        {AT(", \"moments\": [1, 1.5, 3]"), "/bodies/0/moments", "[1,1.5,3]",
         "three moments from the smallest to the largest, that at most the sum of the others"},
        {AT(", \"moments\": [3, 2, 2.5]"), "/bodies/0/moments", "[3,2,2.5]",
         "three moments from the smallest to the largest, that at most the sum of the others"},
        {AT(", \"lock_turn_y\": 1"), "/bodies/0/lock_turn_y", "1", "true or false"},
        {AT(", \"gravity_scale\": 101"), "/bodies/0/gravity_scale", "101", "a number from -100 to 100"},
    };
    RUN(cases);
}

static void test_space_rotation_says_what_is_wrong(void **state) {
    (void)state;
    static const bad_case cases[] = {
        {AT(", \"rotation\": 1"), "/bodies/0/rotation", "1", "an object"},
        {AT(", \"rotation\": {\"turns\": 1}"), "/bodies/0/rotation/turns", "1",
         "a known key: one of axis, angle, quaternion"},
        {AT(", \"rotation\": {\"axis\": [0, 0, 1]}"), "/bodies/0/rotation/angle", "nothing",
         "a number from -32767 to 32767"},
        {AT(", \"rotation\": {\"angle\": 1}"), "/bodies/0/rotation/axis", "nothing", "an array of 3"},
        {AT(", \"rotation\": {\"axis\": [0, 0, 0], \"angle\": 1}"), "/bodies/0/rotation/axis", "[0,0,0]",
         "a direction with a component that is not 0 (rounded to 2^-32)"},
        {AT(", \"rotation\": {\"axis\": [0, 0, 1e-12], \"angle\": 1}"), "/bodies/0/rotation/axis", "[0,0,1e-12]",
         "a direction with a component that is not 0 (rounded to 2^-32)"},
        {AT(", \"rotation\": {\"quaternion\": [0, 0, 0]}"), "/bodies/0/rotation/quaternion", "[0,0,0]",
         "an array of 4"},
        {AT(", \"rotation\": {\"quaternion\": [0, 0, 0, 0]}"), "/bodies/0/rotation/quaternion", "[0,0,0,0]",
         "x, y, z and w, of which one is not 0 (rounded to 2^-32)"},
        {AT(", \"rotation\": {\"quaternion\": [0, 0, 0, 1], \"angle\": 1}"), "/bodies/0/rotation/angle", "1",
         "nothing: the rotation is a quaternion"},
    };
    RUN(cases);
}

#define WITH(shape) AT(", \"type\": \"static\", \"shapes\": [" shape "]")

static void test_space_shape_says_what_is_wrong(void **state) {
    (void)state;
    static const bad_case cases[] = {
        {WITH("1"), "/bodies/0/shapes/0", "1", "an object"},
        {WITH("{\"kind\": \"circle\", \"radius\": 1}"), "/bodies/0/shapes/0/kind", "\"circle\"",
         "one of sphere, capsule, box, hull, plane, heights; what is there is for worlds of two dimensions"},
        {WITH("{\"kind\": \"cone\"}"), "/bodies/0/shapes/0/kind", "\"cone\"",
         "one of sphere, capsule, box, hull, plane, heights"},
        {WITH("{\"kind\": \"sphere\", \"radius\": 1, \"surface_speed\": 1}"), "/bodies/0/shapes/0/surface_speed", "1",
         "a known key: one of kind, centre, radius, material, filter, sensor, tag"},
        {WITH("{\"kind\": \"sphere\", \"radius\": 0}"), "/bodies/0/shapes/0/radius", "0",
         "a number from 0.00025 to 60"},
        {WITH("{\"kind\": \"sphere\", \"radius\": 0.0001}"), "/bodies/0/shapes/0",
         "{\"kind\":\"sphere\",\"radius\":0.0001}",
         "a sphere with a radius of at least 0.00025 m, within 60 m of the body's origin"},
        {WITH("{\"kind\": \"capsule\", \"a\": [0, 0, 0], \"radius\": 1}"), "/bodies/0/shapes/0/b", "nothing",
         "an array of 3"},
        {WITH("{\"kind\": \"capsule\", \"a\": [0, 0, 0], \"b\": [0, 0, 0], \"radius\": 1}"), "/bodies/0/shapes/0",
         "{\"kind\":\"capsule\",\"a\":[0,0,0],\"b\":[0,0,0],\"radius\":1}",
         "a capsule between two points at least 0.00025 m apart, with a radius of at least 0.00025 m, within 60 m of "
         "the body's origin"},
        {WITH("{\"kind\": \"box\", \"half_extents\": [1, 2]}"), "/bodies/0/shapes/0/half_extents", "[1,2]",
         "an array of 3"},
        {WITH("{\"kind\": \"box\", \"half_extents\": [1, 2, -1]}"), "/bodies/0/shapes/0/half_extents/2", "-1",
         "a number above 0 (rounded to 2^-16), at most 60"},
        {WITH("{\"kind\": \"box\", \"half_width\": 1}"), "/bodies/0/shapes/0/half_width", "1",
         "a known key: one of kind, half_extents, centre, rotation, material, filter, sensor, tag"},
        {WITH("{\"kind\": \"hull\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}"), "/bodies/0/shapes/0/points",
         "[[0,0,0],[1,0,0],[0,1,0]]", "an array of 4 to 32"},
        {WITH("{\"kind\": \"hull\", \"points\": [[50, 50, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}"), "/bodies/0/shapes/0",
         "{\"kind\":\"hull\",\"points\":[[50,50,0],[1,0,0],[0,1,0],[0,0,1]]}",
         "a hull with a volume of at least 2^-30 m^3 (0.93 mm^3) and at most 60 faces, within 60 m of the body's "
         "origin"},
        {WITH("{\"kind\": \"plane\", \"offset\": 1}"), "/bodies/0/shapes/0/normal", "nothing", "an array of 3"},
        {WITH("{\"kind\": \"plane\", \"normal\": [0, 0.0000001, 0]}"), "/bodies/0/shapes/0/normal", "[0,0.0000001,0]",
         "a direction with a component that is not 0 (rounded to 2^-16)"},
        {AT(", \"shapes\": [{\"kind\": \"plane\", \"normal\": [0, 1, 0]}]"), "/bodies/0/shapes/0/kind", "\"plane\"",
         "another kind: only static bodies have planes"},
        {WITH("{\"kind\": \"sphere\", \"radius\": 1, \"material\": \"x\"}"), "/bodies/0/shapes/0/material", "\"x\"",
         "the name of a material"},
    };
    RUN(cases);
    // And in the plane.
    parse_bad("{\"format\": 1, \"name\": \"t\", \"bodies\": [{\"name\": \"a\", \"shapes\": [{\"kind\": \"hull\"}]}]}",
              "/bodies/0/shapes/0/kind", "\"hull\"",
              "one of circle, box, polygon, capsule, segment, chain; what is there needs \"dimensions\": 3");
}

#define HEIGHTS(more) GROUND("{\"kind\": \"heights\", " more "}")
#define FIELD         "{\"kind\": \"heights\", \"cell\": 1, \"scale\": 0.01, \"samples\": [[1, 2], [3, 4]]}, "

static void test_space_heights_say_what_is_wrong(void **state) {
    (void)state;
    parse_bad(HEAD ", \"bodies\": [{\"name\": \"a\", \"shapes\": [{\"kind\": \"heights\"}]}]}",
              "/bodies/0/shapes/0/kind", "\"heights\"", "another kind: only static bodies have heights");
    parse_bad(HEIGHTS("\"cell\": 1, \"scale\": 0.01, \"samples\": [[1, 2], [3, 4, 5]]"), "/bodies/0/shapes/0/samples/1",
              "[3,4,5]", "as many samples as in the first row");
    parse_bad(HEIGHTS("\"cell\": 1, \"scale\": 0.01, \"samples\": [[1, 2], [3, 32768]]"),
              "/bodies/0/shapes/0/samples/1/1", "32768", "an integer from -32768 to 32767");
    parse_bad(HEIGHTS("\"cell\": 1, \"scale\": 0.01, \"samples\": [[1, 2], [3, 2.5]]"),
              "/bodies/0/shapes/0/samples/1/1", "2.5", "an integer from -32768 to 32767");
    parse_bad(HEIGHTS("\"cell\": 1, \"scale\": 0.01, \"samples\": [[1, 2]]"), "/bodies/0/shapes/0/samples", "[[1,2]]",
              "an array of 2 to 129");
    parse_bad(HEIGHTS("\"cell\": 1, \"scale\": 0.01, \"samples\": [[1], [2]]"), "/bodies/0/shapes/0/samples/0", "[1]",
              "an array of 2 to 129");
    parse_bad(HEIGHTS("\"cell\": 1, \"scale\": 0.0625, \"samples\": [[0, 961], [0, 0]]"), "/bodies/0/shapes/0/samples",
              "[[0,961],[0,0]]", "neighbours that differ by at most 60 m");
    parse_bad(HEIGHTS("\"cell\": 17, \"scale\": 0.01, \"samples\": [[1, 2], [3, 4]]"), "/bodies/0/shapes/0/cell", "17",
              "a number from 0.0625 to 16");
    parse_bad(HEIGHTS("\"cell\": 1, \"scale\": 0.07, \"samples\": [[1, 2], [3, 4]]"), "/bodies/0/shapes/0/scale",
              "0.07", "a number above 0 (rounded to 2^-16), at most 0.0625");
    parse_bad(HEIGHTS("\"cell\": 1, \"scale\": 0.01"), "/bodies/0/shapes/0/samples", "nothing", "an array of 2 to 129");
    parse_bad(GROUND(FIELD FIELD FIELD FIELD FIELD FIELD FIELD FIELD "{\"kind\": \"heights\"}"), "/bodies/0/shapes/8",
              "{\"kind\":\"heights\"}", "no more than 8 shapes of heights in a scene");
}

/// Several errors at once, as check reports them.
static void test_space_errors_are_found_together(void **state) {
    (void)state;
    static const char text[] =
        HEAD ", \"world\": {\"integrator\": 1}, \"compounds\": [], \"bodies\": [{\"name\": \"a\", \"position\": 1}, "
             "{\"name\": \"b\", \"shapes\": [{\"kind\": \"sphere\"}]}]}";
    static const char *const paths[] = {"/compounds", "/world/integrator", "/bodies/0/position",
                                        "/bodies/1/shapes/0/radius"};
    iso_scene_error errors[8];
    iso_scene *scene = NULL;
    uint32_t count;
    assert_int_equal(iso_scene_check(text, sizeof text - 1, test_games, 1, &scene, errors, 8, &count),
                     ISO_ERR_SCENE_INVALID);
    assert_int_equal(count, 4);
    for (uint32_t i = 0; i < count; ++i) {
        assert_string_equal(errors[i].path, paths[i]);
        assert_int_equal(errors[i].line, 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_space_is_chosen_by_dimensions),
        cmocka_unit_test(test_space_body_has_defaults),
        cmocka_unit_test(test_space_body_is_read_whole),
        cmocka_unit_test(test_space_numbers_are_rounded_as_in_the_plane),
        cmocka_unit_test(test_space_rotations_are_normalised),
        cmocka_unit_test(test_space_shapes_are_read_by_kind),
        cmocka_unit_test(test_space_heights_are_read_and_built),
        cmocka_unit_test(test_space_shapes_have_surfaces),
        cmocka_unit_test(test_space_world_says_what_is_wrong),
        cmocka_unit_test(test_space_body_says_what_is_wrong),
        cmocka_unit_test(test_space_rotation_says_what_is_wrong),
        cmocka_unit_test(test_space_shape_says_what_is_wrong),
        cmocka_unit_test(test_space_heights_say_what_is_wrong),
        cmocka_unit_test(test_space_errors_are_found_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
