/// Every way in which a scene can be wrong: path, value, and what was expected.
#include "test_scene_util.h"

#define HEAD   "{\"format\": 1, \"name\": \"t\""
#define CIRCLE "{\"kind\": \"circle\", \"radius\": 0.5}"

#define RUN(cases) run_bad_cases(HEAD, cases, sizeof cases / sizeof *cases)

static void test_scene_header_says_what_is_wrong(void **state) {
    (void)state;
    parse_bad("{}", "/format", "nothing", "an integer from 1 to 1");
    parse_bad("{\"format\": 2}", "/format", "2", "an integer from 1 to 1");
    parse_bad("{\"format\": 1.0}", "/format", "1.0", "an integer from 1 to 1");
    parse_bad("{\"format\": 1}", "/name", "nothing", "a name: 1 to 31 letters, digits, \"_\" or \"-\"");
    parse_bad("{\"format\": 1, \"name\": \"\"}", "/name", "\"\"", "a name: 1 to 31 letters, digits, \"_\" or \"-\"");
    parse_bad("{\"format\": 1, \"name\": \"Big\"}", "/name", "\"Big\"",
              "a scene's name: 1 to 31 lower-case letters, digits or \"-\"");
    parse_bad("{\"format\": 1, \"name\": \"a/b\"}", "/name", "\"a/b\"",
              "a name: 1 to 31 letters, digits, \"_\" or \"-\"");
    parse_bad("{\"format\": 1, \"name\": \"abcdefghijklmnopqrstuvwxyz012345\"}", "/name",
              "\"abcdefghijklmnopqrstuvwxyz012345\"", "a name: 1 to 31 letters, digits, \"_\" or \"-\"");
    static const bad_case cases[] = {
        {", \"colour\": 1}", "/colour", "1",
         "a known key: one of format, name, description, include, dimensions, seed, tick_rate_hz, substeps, "
         "iterations, "
         "capacities, world, "
         "game, "
         "constraints, materials, blueprints, bodies, joints, compounds"},
        {", \"a~b/c\": null}", "/a~0b~1c", "null",
         "a known key: one of format, name, description, include, dimensions, seed, tick_rate_hz, substeps, "
         "iterations, "
         "capacities, world, "
         "game, "
         "constraints, materials, blueprints, bodies, joints, compounds"},
        {", \"description\": 1}", "/description", "1", "a string of at most 1023 bytes"},
        {", \"seed\": -1}", "/seed", "-1", "an integer from 0 to 18446744073709551615"},
        {", \"seed\": 1e3}", "/seed", "1e3", "an integer from 0 to 18446744073709551615"},
        {", \"seed\": 18446744073709551616}", "/seed", "18446744073709551616}", "an integer of at most 64 bits"},
        {", \"tick_rate_hz\": 9}", "/tick_rate_hz", "9", "an integer from 10 to 128"},
        {", \"tick_rate_hz\": 129}", "/tick_rate_hz", "129", "an integer from 10 to 128"},
        {", \"tick_rate_hz\": 60.5}", "/tick_rate_hz", "60.5", "an integer from 10 to 128"},
        {", \"tick_rate_hz\": \"60\"}", "/tick_rate_hz", "\"60\"", "an integer from 10 to 128"},
        {", \"substeps\": 0}", "/substeps", "0", "an integer from 1 to 16"},
        {", \"substeps\": 17}", "/substeps", "17", "an integer from 1 to 16"},
        {", \"iterations\": 0}", "/iterations", "0", "an integer from 1 to 8"},
        {", \"iterations\": 9}", "/iterations", "9", "an integer from 1 to 8"},
        {", \"tick_rate_hz\": 10}", "/substeps", "nothing", "tick_rate_hz * substeps from 60 to 2047"},
        {", \"tick_rate_hz\": 128, \"substeps\": 16}", "/substeps", "16", "tick_rate_hz * substeps from 60 to 2047"},
    };
    RUN(cases);
}

static void test_scene_world_says_what_is_wrong(void **state) {
    (void)state;
    static const bad_case cases[] = {
        {", \"capacities\": []}", "/capacities", "[]", "an object"},
        {", \"capacities\": null}", "/capacities", "null", "an object"},
        {", \"capacities\": {\"bodys\": 1}}", "/capacities/bodys", "1",
         "a known key: one of bodies, shapes, joints, contacts, events, programs, custom_joints, slots, "
         "contact_points, kept_bodies"},
        {", \"capacities\": {\"bodies\": 0}}", "/capacities/bodies", "0", "an integer from 1 to 1048576"},
        {", \"capacities\": {\"bodies\": 1048577}}", "/capacities/bodies", "1048577", "an integer from 1 to 1048576"},
        {", \"capacities\": {\"shapes\": 0}}", "/capacities/shapes", "0", "an integer from 1 to 1048576"},
        {", \"capacities\": {\"joints\": -1}}", "/capacities/joints", "-1", "an integer from 0 to 1048576"},
        {", \"capacities\": {\"contacts\": 4194305}}", "/capacities/contacts", "4194305",
         "an integer from 0 to 4194304"},
        {", \"capacities\": {\"slots\": 33}}", "/capacities/slots", "33", "an integer from 0 to 32"},
        {", \"world\": 1}", "/world", "1", "an object"},
        {", \"world\": {\"gravity\": -10}}", "/world/gravity", "-10", "an array of 2"},
        {", \"world\": {\"gravity\": [0]}}", "/world/gravity", "[0]", "an array of 2"},
        {", \"world\": {\"gravity\": [0, 1, 2]}}", "/world/gravity", "[0,1,2]", "an array of 2"},
        {", \"world\": {\"gravity\": [0, -1000.5]}}", "/world/gravity/1", "-1000.5", "a number from -1000 to 1000"},
        {", \"world\": {\"gravity\": [null, 0]}}", "/world/gravity/0", "null", "a number from -1000 to 1000"},
        {", \"world\": {\"slop\": true}}", "/world/slop", "true", "a number from 0 to 0.5"},
        {", \"world\": {\"slop\": -0.1}}", "/world/slop", "-0.1", "a number from 0 to 0.5"},
        {", \"world\": {\"joint_hertz\": 1e99999999999}}", "/world/joint_hertz", "1e99999999999",
         "a number from 0.01 to 1000"},
        {", \"world\": {\"contact_hertz\": 0.009}}", "/world/contact_hertz", "0.009", "a number from 0.01 to 1000"},
        {", \"world\": {\"contact_damping_ratio\": 1001}}", "/world/contact_damping_ratio", "1001",
         "a number from 0 to 1000"},
        {", \"world\": {\"contact_push_speed\": 500.5}}", "/world/contact_push_speed", "500.5",
         "a number from 0 to 500"},
        {", \"world\": {\"restitution_threshold\": -1}}", "/world/restitution_threshold", "-1",
         "a number from 0 to 500"},
        {", \"world\": {\"joint_damping_ratio\": []}}", "/world/joint_damping_ratio", "[]", "a number from 0 to 1000"},
        {", \"world\": {\"speculative_distance\": 0.51}}", "/world/speculative_distance", "0.51",
         "a number from 0 to 0.5"},
        {", \"game\": \"test-game\"}", "/game", "\"test-game\"", "an object"},
        {", \"game\": {}}", "/game/name", "nothing", "the name of a game that this program has"},
        {", \"game\": {\"name\": \"chess\"}}", "/game/name", "\"chess\"", "the name of a game that this program has"},
        {", \"game\": {\"name\": \"test-game\", \"params\": {\"sped\": 1}}}", "/game/params/sped", "1",
         "a parameter of the game: speed, goals"},
        {", \"game\": {\"name\": \"test-game\", \"params\": {\"goals\": 0.5}}}", "/game/params/goals", "0.5",
         "a number from 1 to 9"},
        {", \"game\": {\"name\": \"test-game\", \"params\": [1]}}", "/game/params", "[1]", "an object"},
        {", \"materials\": []}", "/materials", "[]", "an object of materials by name"},
        {", \"materials\": {\"a b\": {}}}", "/materials/a b", "{}",
         "a material's name: 1 to 31 letters, digits, \"_\" or \"-\""},
        {", \"materials\": {\"ice\": 1}}", "/materials/ice", "1", "an object"},
        {", \"materials\": {\"ice\": {\"mu\": 1}}}", "/materials/ice/mu", "1",
         "a known key: one of density, friction, restitution"},
        {", \"materials\": {\"ice\": {\"density\": 32768}}}", "/materials/ice/density", "32768",
         "a number from 0 to 32767"},
        {", \"materials\": {\"ice\": {\"friction\": 8}}}", "/materials/ice/friction", "8", "a number from 0 to 7.9"},
        {", \"materials\": {\"ice\": {\"restitution\": 1.01}}}", "/materials/ice/restitution", "1.01",
         "a number from 0 to 1"},
    };
    RUN(cases);
}

#define BODY(members) ", \"bodies\": [{\"name\": \"b\"" members "}]}"
#define SHAPE(text)   BODY(", \"shapes\": [" text "]")

#define NUMBER_KEY(name, low, high, otherwise) ", " #name
#define SWITCH_KEY(name, bit, key)             ", " #key
#define PARAM_KEYS                             ISO_BODY_NUMBER_LIST(NUMBER_KEY) ISO_BODY_SWITCH_LIST(SWITCH_KEY)

static void test_scene_body_says_what_is_wrong(void **state) {
    (void)state;
    static const bad_case cases[] = {
        {", \"bodies\": {}}", "/bodies", "{}", "an array"},
        {", \"bodies\": [1]}", "/bodies/0", "1", "an object"},
        {", \"bodies\": [null]}", "/bodies/0", "null", "an object"},
        {", \"bodies\": [{}]}", "/bodies/0/name", "nothing", "a name: 1 to 31 letters, digits, \"_\" or \"-\""},
        {", \"bodies\": [{\"name\": \"a[1]\"}]}", "/bodies/0/name", "\"a[1]\"",
         "a name: 1 to 31 letters, digits, \"_\" or \"-\""},
        {BODY(", \"weight\": 1"), "/bodies/0/weight", "1",
         "a known key: one of name, type, position, angle, velocity, angular_velocity, owner, tag, shapes" PARAM_KEYS
         ", mass, inertia"},
        {BODY(", \"type\": \"fixed\""), "/bodies/0/type", "\"fixed\"", "one of static, kinematic, dynamic"},
        {BODY(", \"type\": \"\""), "/bodies/0/type", "\"\"", "one of static, kinematic, dynamic"},
        {BODY(", \"type\": \"static kinematic\""), "/bodies/0/type", "\"static kinematic\"",
         "one of static, kinematic, dynamic"},
        {BODY(", \"type\": 1"), "/bodies/0/type", "1", "one of static, kinematic, dynamic"},
        {BODY(", \"position\": [30000.1, 0]"), "/bodies/0/position/0", "30000.1", "a number from -30000 to 30000"},
        {BODY(", \"position\": {\"x\": 1}"), "/bodies/0/position", "{\"x\":1}", "an array of 2"},
        {BODY(", \"angle\": 32768"), "/bodies/0/angle", "32768", "a number from -32767 to 32767"},
        {BODY(", \"velocity\": [0, 513]"), "/bodies/0/velocity/1", "513", "a number from -512 to 512"},
        {BODY(", \"angular_velocity\": -513"), "/bodies/0/angular_velocity", "-513", "a number from -512 to 512"},
        {BODY(", \"type\": \"static\", \"velocity\": [1, 0]"), "/bodies/0/velocity", "[1,0]",
         "nothing: a static body does not move"},
        {BODY(", \"type\": \"static\", \"angular_velocity\": 1"), "/bodies/0/angular_velocity", "1",
         "nothing: a static body does not move"},
        {BODY(", \"owner\": 3"), "/bodies/0/owner", "3", "one of nobody, everyone"},
        {BODY(", \"linear_damping\": -1"), "/bodies/0/linear_damping", "-1", "a number from 0 to 1000"},
        {BODY(", \"angular_damping\": 1001"), "/bodies/0/angular_damping", "1001", "a number from 0 to 1000"},
        {BODY(", \"gravity_scale\": 101"), "/bodies/0/gravity_scale", "101", "a number from -100 to 100"},
        {BODY(", \"fixed_rotation\": 1"), "/bodies/0/fixed_rotation", "1", "true or false"},
        {BODY(", \"mass\": 0"), "/bodies/0/mass", "0", "a number from 2^-16 to 2^17"},
        {BODY(", \"inertia\": 0"), "/bodies/0/inertia", "0", "a number above 0, below 2^31"},
        {BODY(", \"tag\": 4294967296"), "/bodies/0/tag", "4294967296", "an integer from 0 to 4294967295"},
        {BODY(", \"shapes\": " CIRCLE), "/bodies/0/shapes", "{\"kind\":\"circle\",\"radius\":0.5}",
         "an array of 0 to 64"},
        {", \"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"a\"}, {\"name\": \"b\"}]}",
         "/bodies/2/name", "\"a\"", "a name that no other body or generator has"},
        {", \"capacities\": {\"bodies\": 1}, \"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}]}", "/bodies/1",
         "{\"name\":\"b\"}", "at most 1 bodies in all (/capacities/bodies)"},
        {", \"capacities\": {\"shapes\": 1}, \"bodies\": [{\"name\": \"a\", \"shapes\": [" CIRCLE "," CIRCLE "]}]}",
         "/bodies/0", "{\"name\":\"a\",\"shapes\":[{\"kind\":\"circle\",\"radius\":0.5},{\"kind\"...",
         "at most 1 shapes in all (/capacities/shapes)"},
    };
    RUN(cases);
}

static void test_scene_shape_says_what_is_wrong(void **state) {
    (void)state;
#define CAPSULE_EXPECTED \
    "a capsule between two points that differ, with a radius of at least 0.001 m, within 60 m of the body's origin"
#define SEGMENT_EXPECTED \
    "points that are at least 0.001 m and less than 120 m from the next, within 1000 m of the body's origin"
#define POLYGON_EXPECTED "convex and counter-clockwise, edges of at least 0.001 m, within 60 m of the body's origin"
    static const bad_case cases[] = {
        {SHAPE("1"), "/bodies/0/shapes/0", "1", "an object"},
        {SHAPE("{}"), "/bodies/0/shapes/0/kind", "nothing", "one of circle, box, polygon, capsule, segment, chain"},
        {SHAPE(CIRCLE ", {\"kind\": \"ball\"}"), "/bodies/0/shapes/1/kind", "\"ball\"",
         "one of circle, box, polygon, capsule, segment, chain"},
        {SHAPE("{\"kind\": \"circle\"}"), "/bodies/0/shapes/0/radius", "nothing", "a number from 0.001 to 60"},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 0}"), "/bodies/0/shapes/0/radius", "0", "a number from 0.001 to 60"},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 7e-6}"), "/bodies/0/shapes/0/radius", "7e-6",
         "a number from 0.001 to 60"},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 60.1}"), "/bodies/0/shapes/0/radius", "60.1",
         "a number from 0.001 to 60"},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 0.0005}"), "/bodies/0/shapes/0",
         "{\"kind\":\"circle\",\"radius\":0.0005}",
         "a circle with a radius of at least 0.001 m, within 60 m of the body's origin"},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 1, \"one_way\": [0, 0.000007]}"), "/bodies/0/shapes/0/one_way",
         "[0,0.000007]", "[0, 0], or a direction with a component that is not 0 (rounded to 2^-16)"},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 1, \"points\": []}"), "/bodies/0/shapes/0/points", "[]",
         "a known key: one of kind, centre, radius, material, filter, surface_speed, one_way, sensor, tag"},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 1, \"centre\": [0, 61]}"), "/bodies/0/shapes/0/centre/1", "61",
         "a number from -60 to 60"},
        {SHAPE("{\"kind\": \"box\", \"half_height\": 1}"), "/bodies/0/shapes/0/half_width", "nothing",
         "a number above 0 (rounded to 2^-16), at most 60"},
        {SHAPE("{\"kind\": \"box\", \"half_width\": 1, \"half_height\": -1}"), "/bodies/0/shapes/0/half_height", "-1",
         "a number above 0 (rounded to 2^-16), at most 60"},
        {SHAPE("{\"kind\": \"box\", \"half_width\": 60, \"half_height\": 1}"), "/bodies/0/shapes/0",
         "{\"kind\":\"box\",\"half_width\":60,\"half_height\":1}", POLYGON_EXPECTED},
        {SHAPE("{\"kind\": \"box\", \"half_width\": 1, \"half_height\": 1, \"radius\": -1}"),
         "/bodies/0/shapes/0/radius", "-1", "a number from 0 to 60"},
        {SHAPE("{\"kind\": \"box\", \"half_width\": 1, \"half_height\": 1, \"angle\": \"x\"}"),
         "/bodies/0/shapes/0/angle", "\"x\"", "a number from -32767 to 32767"},
        {SHAPE("{\"kind\": \"capsule\"}"), "/bodies/0/shapes/0/points", "nothing", "an array of 2"},
        {SHAPE("{\"kind\": \"capsule\", \"points\": [[0,0],[1,0],[2,0]]}"), "/bodies/0/shapes/0/points",
         "[[0,0],[1,0],[2,0]]", "an array of 2"},
        {SHAPE("{\"kind\": \"capsule\", \"points\": [[0,0],[1,0]]}"), "/bodies/0/shapes/0/radius", "nothing",
         "a number from 0.001 to 60"},
        {SHAPE("{\"kind\": \"capsule\", \"centre\": [0,0]}"), "/bodies/0/shapes/0/centre", "[0,0]",
         "a known key: one of kind, points, radius, radius_b, material, filter, surface_speed, one_way, sensor, tag"},
        {SHAPE("{\"kind\":\"capsule\",\"points\":[[0,0],[1,0]],\"radius\":1,\"radius_b\":0}"),
         "/bodies/0/shapes/0/radius_b", "0", "a number from 0.001 to 60"},
        {SHAPE("{\"kind\":\"capsule\",\"points\":[[0,0],[0,0.25]],\"radius\":0.5,\"radius_b\":0.125}"),
         "/bodies/0/shapes/0", "{\"kind\":\"capsule\",\"points\":[[0,0],[0,0.25]],\"radius\":0.5,\"ra...",
         "two circles of which neither holds the other, with sides of at least 0.001 m; radius 0.50000, radius_b "
         "0.12500, "
         "points 0.25 m apart"},
        {SHAPE("{\"kind\":\"capsule\",\"points\":[[1,2],[1,3]],\"radius\":0.5,\"radius_b\":0.0009}"),
         "/bodies/0/shapes/0", "{\"kind\":\"capsule\",\"points\":[[1,2],[1,3]],\"radius\":0.5,\"radiu...",
         CAPSULE_EXPECTED},
        {SHAPE("{\"kind\":\"capsule\",\"points\":[[1,2],[1,2]],\"radius\":1}"), "/bodies/0/shapes/0",
         "{\"kind\":\"capsule\",\"points\":[[1,2],[1,2]],\"radius\":1}", CAPSULE_EXPECTED},
        {SHAPE("{\"kind\":\"capsule\",\"points\":[[1,2],[1,3]],\"radius\":0.0009}"), "/bodies/0/shapes/0",
         "{\"kind\":\"capsule\",\"points\":[[1,2],[1,3]],\"radius\":0.0009}", CAPSULE_EXPECTED},
        {SHAPE("{\"kind\": \"segment\", \"points\": [[0,0]]}"), "/bodies/0/shapes/0/points", "[[0,0]]",
         "an array of 2"},
        {SHAPE("{\"kind\":\"segment\",\"points\":[[0,0],[0,1]],\"radius\":1}"), "/bodies/0/shapes/0/radius", "1",
         "a known key: one of kind, points, before, behind, material, filter, surface_speed, one_way, sensor, tag"},
        {SHAPE("{\"kind\":\"segment\",\"points\":[[0,0],[0,121]]}"), "/bodies/0/shapes/0",
         "{\"kind\":\"segment\",\"points\":[[0,0],[0,121]]}", SEGMENT_EXPECTED},
        {SHAPE("{\"kind\":\"chain\",\"points\":[[0,0],[1,0],[1,0]]}"), "/bodies/0/shapes/0",
         "{\"kind\":\"chain\",\"points\":[[0,0],[1,0],[1,0]]}", SEGMENT_EXPECTED},
        {SHAPE("{\"kind\":\"chain\",\"points\":[[0,0],[1001,0]]}"), "/bodies/0/shapes/0/points/1/0", "1001",
         "a number from -1000 to 1000"},
        {SHAPE("{\"kind\":\"chain\",\"points\":[[0,0],[1,0]],\"loop\":true}"), "/bodies/0/shapes/0/loop", "true",
         "true with 3 to 64 points, else false"},
        {SHAPE("{\"kind\":\"chain\",\"points\":[[0,0],[1,0],[0,1]],\"loop\":true,\"behind\":[2,2]}"),
         "/bodies/0/shapes/0/behind", "[2,2]", "nothing, since the chain is a loop"},
        {SHAPE("{\"kind\":\"chain\",\"points\":[[0,0],[1,0]],\"before\":[0,0.0001]}"), "/bodies/0/shapes/0",
         "{\"kind\":\"chain\",\"points\":[[0,0],[1,0]],\"before\":[0,0.0001]}", SEGMENT_EXPECTED},
        {SHAPE("{\"kind\": \"polygon\"}"), "/bodies/0/shapes/0/points", "nothing", "an array of 3 to 8"},
        {SHAPE("{\"kind\": \"polygon\", \"points\": [[0,0],[1,0]]}"), "/bodies/0/shapes/0/points", "[[0,0],[1,0]]",
         "an array of 3 to 8"},
        {SHAPE("{\"kind\": \"polygon\", \"points\": [[0,0],[1,0],[0,\"1\"]]}"), "/bodies/0/shapes/0/points/2/1",
         "\"1\"", "a number from -60 to 60"},
        {SHAPE("{\"kind\": \"polygon\", \"points\": [[0,0],[0,1],[1,0]]}"), "/bodies/0/shapes/0",
         "{\"kind\":\"polygon\",\"points\":[[0,0],[0,1],[1,0]]}", POLYGON_EXPECTED},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 1, \"material\": \"ice\"}"), "/bodies/0/shapes/0/material",
         "\"ice\"", "the name of a material"},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 1, \"filter\": 1}"), "/bodies/0/shapes/0/filter", "1", "an object"},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 1, \"filter\": {\"masks\": 1}}"), "/bodies/0/shapes/0/filter/masks",
         "1", "a known key: one of category, mask, group"},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 1, \"filter\": {\"mask\": -1}}"), "/bodies/0/shapes/0/filter/mask",
         "-1", "an integer from 0 to 4294967295"},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 1, \"filter\": {\"group\": 2147483648}}"),
         "/bodies/0/shapes/0/filter/group", "2147483648", "an integer from -2147483648 to 2147483647"},
        {SHAPE("{\"kind\": \"circle\", \"radius\": 1, \"filter\": {\"group\": 18446744073709551615}}"),
         "/bodies/0/shapes/0/filter/group", "18446744073709551615", "an integer from -2147483648 to 2147483647"},
    };
    RUN(cases);
}

#define GENERATOR(members) ", \"bodies\": [{\"generator\": " members "}]}"

static void test_scene_generator_says_what_is_wrong(void **state) {
    (void)state;
    static const bad_case cases[] = {
        {GENERATOR("\"circle\""), "/bodies/0/generator", "\"circle\"", "one of row, chain, grid, pyramid, copies"},
        {GENERATOR("null"), "/bodies/0/generator", "null", "one of row, chain, grid, pyramid, copies"},
        {GENERATOR("\"row\", \"name\": \"r\", \"rows\": 1"), "/bodies/0/rows", "1",
         "a known key: one of generator, name, count, step, body"},
        {GENERATOR("\"row\", \"count\": 1"), "/bodies/0/name", "nothing",
         "a name: 1 to 31 letters, digits, \"_\" or \"-\""},
        {GENERATOR("\"row\", \"name\": \"r\", \"count\": 0"), "/bodies/0/count", "0", "an integer from 1 to 1048576"},
        {GENERATOR("\"row\", \"name\": \"r\", \"count\": 2"), "/bodies/0/step", "nothing", "an array of 2"},
        {GENERATOR("\"row\", \"name\": \"r\", \"count\": 2, \"step\": [1, 0]"), "/bodies/0/body", "nothing",
         "an object"},
        {GENERATOR("\"row\", \"name\": \"r\", \"count\": 2, \"step\": [1, 0], \"body\": {\"name\": \"x\"}"),
         "/bodies/0/body/name", "\"x\"",
         "a known key: one of type, position, angle, velocity, angular_velocity, owner, tag, shapes" PARAM_KEYS
         ", mass, inertia"},
        {GENERATOR("\"row\", \"name\": \"r\", \"count\": 2, \"step\": [1, 0], \"body\": {\"shapes\": [{\"kind\": "
                   "\"circle\", \"radius\": -1}]}"),
         "/bodies/0/body/shapes/0/radius", "-1", "a number from 0.001 to 60"},
        {GENERATOR("\"row\", \"name\": \"r\", \"count\": 31, \"step\": [1000.5, 0], \"body\": {}"), "/bodies/0/step",
         "[1000.5,0]", "steps that keep every body within 30000 m of the origin"},
        {GENERATOR("\"pyramid\", \"name\": \"p\", \"rows\": 2, \"count\": 2"), "/bodies/0/count", "2",
         "a known key: one of generator, name, rows, step, body"},
        {GENERATOR("\"pyramid\", \"name\": \"p\", \"rows\": 45, \"step\": [1, 1], \"body\": {}"), "/bodies/0",
         "{\"generator\":\"pyramid\",\"name\":\"p\",\"rows\":45,\"step\":[1,1],\"bo...",
         "at most 1024 bodies in all (/capacities/bodies)"},
        {GENERATOR(
             "\"grid\", \"name\": \"g\", \"columns\": 1048576, \"rows\": 1048576, \"step\": [1, 1], \"body\": {}"),
         "/bodies/0", "{\"generator\":\"grid\",\"name\":\"g\",\"columns\":1048576,\"rows\":1048...",
         "at most 1024 bodies in all (/capacities/bodies)"},
        {GENERATOR("\"grid\", \"name\": \"g\", \"columns\": 2, \"rows\": 3, \"step\": [1, 1], \"body\": {}, "
                   "\"static\": [{\"columns\": [0, 2], \"rows\": [0, 0]}]"),
         "/bodies/0/static/0/columns/1", "2", "an integer from 0 to 1"},
        {GENERATOR("\"grid\", \"name\": \"g\", \"columns\": 2, \"rows\": 3, \"step\": [1, 1], \"body\": {}, "
                   "\"static\": [{\"columns\": [0, 1], \"rows\": [2, 1]}]"),
         "/bodies/0/static/0/rows/1", "1", "an integer from 2 to 2"},
        {GENERATOR("\"grid\", \"name\": \"g\", \"columns\": 2, \"rows\": 3, \"step\": [1, 1], \"body\": {}, "
                   "\"row_joint\": {\"at\": 1}"),
         "/bodies/0/row_joint/at", "1",
         "a known key: one of kind, owner, tag, enabled, hertz, damping_ratio, force_max, torque_max, correction_max, "
         "limit, motor, spring, break, collide_connected"},
        {GENERATOR("\"grid\", \"name\": \"g\", \"columns\": 2, \"rows\": 3, \"step\": [121, 1], \"body\": {}, "
                   "\"row_joint\": {}"),
         "/bodies/0", "{\"generator\":\"grid\",\"name\":\"g\",\"columns\":2,\"rows\":3,\"step\":[...",
         "a point within 60 m of both bodies' origins"},
        {GENERATOR("\"chain\", \"name\": \"c\", \"count\": 3, \"step\": [1, 0], \"body\": {}, \"joint\": {\"kind\": "
                   "\"target\"}"),
         "/bodies/0/joint/kind", "\"target\"", "a kind of joint between two bodies"},
        {GENERATOR("\"chain\", \"name\": \"c\", \"count\": 3, \"step\": [1, 0], \"body\": {}, \"joint\": {\"kind\": "
                   "\"pulley\"}"),
         "/bodies/0/joint/kind", "\"pulley\"", "a kind of joint between two bodies"},
        {GENERATOR("\"chain\", \"name\": \"c\", \"count\": 3, \"step\": [1, 0], \"body\": {}, \"joint\": {\"kind\": "
                   "\"symbolic\"}"),
         "/bodies/0/joint/kind", "\"symbolic\"", "a kind of joint between two bodies"},
        {GENERATOR("\"chain\", \"name\": \"c\", \"count\": 3, \"step\": [1, 0], \"body\": {}, \"joint\": {\"kind\": "
                   "\"user\"}"),
         "/bodies/0/joint/kind", "\"user\"", "a kind of joint between two bodies"},
        {GENERATOR("\"chain\", \"name\": \"c\", \"count\": 3, \"step\": [1, 0], \"body\": {}, \"joint\": {\"kind\": "
                   "\"distance\", \"anchor_b\": [0, 61]}"),
         "/bodies/0/joint/anchor_b/1", "61", "a number from -60 to 60"},
        {GENERATOR("\"chain\", \"name\": \"c\", \"count\": 3, \"step\": [1, 0], \"body\": {}, \"from\": \"c[3]\""),
         "/bodies/0/from", "\"c[3]\"", "the name of a body, as from c[0] to c[2]"},
        {", \"capacities\": {\"joints\": 1}" GENERATOR(
             "\"chain\", \"name\": \"c\", \"count\": 3, \"step\": [1, 0], \"body\": {}"),
         "/bodies/0", "{\"generator\":\"chain\",\"name\":\"c\",\"count\":3,\"step\":[1,0],\"body...",
         "at most 1 joints in all (/capacities/joints)"},
    };
    RUN(cases);
}

#define COPIES(members) GENERATOR("\"copies\", \"name\": \"c\", \"step\": [1, 0]" members)

static void test_scene_copies_say_what_is_wrong(void **state) {
    (void)state;
    static const bad_case cases[] = {
        {COPIES(", \"count\": 2"), "/bodies/0/count", "2",
         "a known key: one of generator, name, columns, rows, step, row_step, group_step, bodies, joints"},
        {COPIES(""), "/bodies/0/bodies", "nothing", "an array of 1 to 256"},
        {COPIES(", \"bodies\": []"), "/bodies/0/bodies", "[]", "an array of 1 to 256"},
        {COPIES(", \"columns\": 0"), "/bodies/0/columns", "0", "an integer from 1 to 1048576"},
        {COPIES(", \"bodies\": [{}]"), "/bodies/0/bodies/0/name", "nothing",
         "a name: 1 to 31 letters, digits, \"_\" or \"-\""},
        {COPIES(", \"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}, {\"name\": \"a\"}]"), "/bodies/0/bodies/2/name",
         "\"a\"", "a name that no other body of the copy has"},
        {COPIES(", \"bodies\": [{\"name\": \"a\"}], \"row_step\": 1"), "/bodies/0/row_step", "1", "an array of 2"},
        {COPIES(", \"rows\": 2, \"bodies\": [{\"name\": \"a\"}], \"row_step\": [0, 30000], \"columns\": 2, "
                "\"group_step\": 0.5"),
         "/bodies/0/group_step", "0.5", "an integer from -2147483648 to 2147483647"},
        {COPIES(", \"columns\": 1024, \"rows\": 2, \"bodies\": [{\"name\": \"a\"}]"), "/bodies/0",
         "{\"generator\":\"copies\",\"name\":\"c\",\"step\":[1,0],\"columns\":1024...",
         "at most 1024 bodies in all (/capacities/bodies)"},
        {COPIES(", \"columns\": 2, \"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}], \"joints\": [{\"kind\": "
                "\"filter\", "
                "\"name\": \"j\", \"body_a\": \"a\", \"body_b\": \"b\"}, {\"kind\": \"filter\", \"name\": \"j\", "
                "\"body_a\": \"a\", \"body_b\": \"b\"}]"),
         "/bodies/0/joints/1/name", "\"j\"", "a name that no other joint has"},
        {COPIES(", \"columns\": 2, \"group_step\": 1, \"bodies\": [{\"name\": \"a\", \"shapes\": [{\"kind\": "
                "\"circle\", \"radius\": 1, \"filter\": {\"group\": -1}}]}]"),
         "/bodies/0/group_step", "1", "steps that lead to no group 0 and stay within 32 bits"},
        {COPIES(", \"columns\": 2, \"bodies\": [{\"name\": \"a\", \"position\": [30000, 0]}]"), "/bodies/0/step",
         "[1,0]", "steps that keep every body within 30000 m of the origin"},
        {COPIES(", \"bodies\": [{\"name\": \"a\"}], \"joints\": [{\"kind\": \"filter\", \"body_a\": \"a\", \"body_b\": "
                "\"b\"}]"),
         "/bodies/0/joints/0/body_b", "\"b\"", "the name of a body"},
        {COPIES(", \"columns\": 2, \"bodies\": [{\"name\": \"a\", \"position\": [29990, 0]}], \"joints\": [{\"kind\": "
                "\"target\", \"body_b\": \"a\", \"target\": [30000, 0]}]"),
         "/bodies/0/joints/0/target", "[30000,0]", "a point that is within 30000 m of the origin in every copy"},
    };
    RUN(cases);
}

#define TWO                                                                                                 \
    "\"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\", \"position\": [3, 0]}, {\"name\": \"s\", \"type\": " \
    "\"static\"}, "                                                                                         \
    "{\"name\": \"k\", \"type\": \"kinematic\"}, {\"name\": \"far\", \"position\": [200, 0]}]"
#define NAMED(name)    "\"filter\", \"name\": \"" name "\", \"body_a\": \"a\", \"body_b\": \"b\""
#define JOINT(members) ", " TWO ", \"joints\": [{\"kind\": " members "}]}"

static void test_scene_joint_says_what_is_wrong(void **state) {
    (void)state;
#define KIND_WORD(name, number, snake, has) " " #snake ","
    static char kinds[] = "one of" ISO_JOINT_KIND_LIST(KIND_WORD);
    kinds[sizeof kinds - 2] = 0; // the last comma
    static const bad_case cases[] = {
        {", \"joints\": 1}", "/joints", "1", "an array"},
        {", \"joints\": [[]]}", "/joints/0", "[]", "an object"},
        {JOINT("\"magnet\""), "/joints/0/kind", "\"magnet\"", kinds},
        {JOINT("\"filter\", \"name\": \"a b\", \"body_a\": \"a\", \"body_b\": \"b\""), "/joints/0/name", "\"a b\"",
         "a name: 1 to 31 letters, digits, \"_\" or \"-\""},
        {JOINT("\"filter\", \"name\": null, \"body_a\": \"a\", \"body_b\": \"b\""), "/joints/0/name", "null",
         "a name: 1 to 31 letters, digits, \"_\" or \"-\""},
        {JOINT(NAMED("b") "}, {\"kind\": " NAMED("a") "}, {\"kind\": \"filter\", \"body_a\": \"a\", \"body_b\": "
                                                      "\"b\"}, {\"kind\": " NAMED("b") "}, {\"kind\": " NAMED("a")),
         "/joints/3/name", "\"b\"", "a name that no other joint has"},
        {JOINT("\"revolute\", \"target\": [0, 0]"), "/joints/0/target", "[0,0]",
         "a known key: one of name, kind, body_a, body_b, anchor_a, anchor_b, at, owner, tag, enabled, hertz, "
         "damping_ratio, force_max, torque_max, correction_max, limit, motor, spring, break, collide_connected"},
        {JOINT("\"revolute\""), "/joints/0/body_a", "nothing", "the name of a body"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"c\""), "/joints/0/body_b", "\"c\"",
         "the name of a body"},
        {JOINT("\"revolute\", \"body_a\": \"a[0]\", \"body_b\": \"b\""), "/joints/0/body_a", "\"a[0]\"",
         "the name of a body"},
        {JOINT("\"revolute\", \"body_a\": \"\", \"body_b\": \"b\""), "/joints/0/body_a", "\"\"", "the name of a body"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"a\", \"at\": [0, 0]"), "/joints/0/body_b", "\"a\"",
         "another body than body_a"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\""), "/joints/0/at", "nothing",
         "[x, y] of the world where they are joined, or anchor_a and anchor_b"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"anchor_a\": [0, 0]"), "/joints/0/anchor_b",
         "nothing", "an array of 2"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"anchor_a\": [0, 60.5]"), "/joints/0/anchor_a/1",
         "60.5", "a number from -60 to 60"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"anchor_b\": [0, 0]"),
         "/joints/0/anchor_b", "[0,0]", "nothing beside \"at\""},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"far\", \"at\": [0, 0]"), "/joints/0/at", "[0,0]",
         "a point within 60 m of both bodies' origins"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 60.5]"), "/joints/0/at", "[0,60.5]",
         "a point within 60 m of both bodies' origins"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [-30000, -30000]"), "/joints/0/at",
         "[-30000,-30000]", "a point within 60 m of both bodies' origins"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"collide_connected\": 1"),
         "/joints/0/collide_connected", "1", "true or false"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"hertz\": -1"), "/joints/0/hertz",
         "-1", "0, or a number above 0 (rounded to 2^-16), at most 1000"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"damping_ratio\": 1001"),
         "/joints/0/damping_ratio", "1001", "a number from 0 to 1000"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"force_max\": 2147483648"),
         "/joints/0/force_max", "2147483648", "0, or a number above 0 (rounded to 2^-32), at most 2147483647"},
        {JOINT("\"target\", \"body_b\": \"s\", \"target\": [0, 0]"), "/joints/0/body_b", "\"s\"",
         "the name of a dynamic body"},
        {JOINT("\"target\", \"body_b\": \"k\", \"target\": [0, 0]"), "/joints/0/body_b", "\"k\"",
         "the name of a dynamic body"},
        {JOINT("\"target\", \"body_b\": \"a\""), "/joints/0/target", "nothing", "an array of 2"},
        {JOINT("\"target\", \"body_a\": \"a\", \"body_b\": \"b\""), "/joints/0/body_a", "\"a\"",
         "a known key: one of name, kind, body_b, anchor_b, target, owner, tag, enabled, hertz, damping_ratio, "
         "force_max, correction_max, break"},
        {JOINT("\"distance\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0]"), "/joints/0/at", "[0,0]",
         "a known key: one of name, kind, body_a, body_b, anchor_a, anchor_b, owner, tag, enabled, length, hertz, "
         "damping_ratio, force_max, correction_max, limit, spring, break, collide_connected"},
        {JOINT("\"distance\", \"body_a\": \"a\", \"body_b\": \"b\", \"length\": -1"), "/joints/0/length", "-1",
         "a number from 0 to 32767"},
        {JOINT("\"distance\", \"body_a\": \"a\", \"body_b\": \"b\", \"limit\": {\"lower\": -1, \"upper\": 1}"),
         "/joints/0/limit/lower", "-1", "a number from 0 to 32767"},
        {JOINT("\"distance\", \"body_a\": \"a\", \"body_b\": \"b\", \"spring\": {\"hertz\": 1, \"rest\": 1}"),
         "/joints/0/spring/rest", "1", "a known key: one of hertz, damping_ratio, max, enabled"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"limit\": {\"lower\": 1, "
               "\"upper\": 0}"),
         "/joints/0/limit/upper", "0", "a number that is not below \"lower\""},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"limit\": {\"lower\": 1}"),
         "/joints/0/limit/upper", "nothing", "a number from -32767 to 32767"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"motor\": {\"speed\": 1}"),
         "/joints/0/motor/max", "nothing", "a number from 0 to 2147483647"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"spring\": {\"hertz\": 0}"),
         "/joints/0/spring/hertz", "0", "a number above 0 (rounded to 2^-16), at most 1000"},
        {JOINT("\"revolute\", \"body_a\": \"a\", \"body_b\": \"b\", \"at\": [0, 0], \"break\": {\"force\": -1}"),
         "/joints/0/break/force", "-1", "0, or a number above 0 (rounded to 2^-32), at most 2147483647"},
    };
    RUN(cases);
}

/// A joint between a and b with these members.
#define BETWEEN(kind, members) JOINT("\"" kind "\", \"body_a\": \"a\", \"body_b\": \"b\"" members)
#define AT                     ", \"at\": [0, 0]"
/// A pulley with a and b on one side.
#define PULLEY(members) BETWEEN("pulley", members)

static void test_scene_joint_of_each_kind_says_what_is_wrong(void **state) {
    (void)state;
    static const bad_case cases[] = {
        {BETWEEN("weld", AT ", \"motor\": 1"), "/joints/0/motor", "1",
         "a known key: one of name, kind, body_a, body_b, anchor_a, anchor_b, at, owner, tag, enabled, rest, hertz, "
         "damping_ratio, force_max, torque_max, correction_max, spring, break, collide_connected"},
        {BETWEEN("weld", AT ", \"rest\": 40000"), "/joints/0/rest", "40000", "a number from -32767 to 32767"},
        {BETWEEN("weld", AT ", \"spring\": {\"hertz\": 1, \"rest\": 0}"), "/joints/0/spring/rest", "0",
         "a known key: one of hertz, damping_ratio, max, enabled"},
        {BETWEEN("weld", AT ", \"spring\": {\"max\": 1}"), "/joints/0/spring/hertz", "nothing",
         "a number above 0 (rounded to 2^-16), at most 1000, or \"stiffness\" or \"damping\" instead"},
        {BETWEEN("weld", AT ", \"spring\": {\"hertz\": 1, \"stiffness\": 1}"), "/joints/0/spring/hertz", "1",
         "a known key: one of stiffness, damping, max, enabled"},
        {BETWEEN("angle", ", \"spring\": {\"damping\": 1, \"damping_ratio\": 1}"), "/joints/0/spring/damping_ratio",
         "1", "a known key: one of stiffness, damping, max, rest, enabled"},
        {BETWEEN("angle", ", \"spring\": {\"stiffness\": 0}"), "/joints/0/spring/stiffness", "0",
         "a stiffness or a damping above 0"},
        {BETWEEN("angle", ", \"spring\": {\"stiffness\": 1, \"damping\": -1}"), "/joints/0/spring/damping", "-1",
         "0, or a number above 0 (rounded to 2^-32), at most 2147483647"},
        {BETWEEN("weld", AT ", \"spring\": {\"hertz\": 1, \"max\": -1}"), "/joints/0/spring/max", "-1",
         "0, or a number above 0 (rounded to 2^-32), at most 2147483647"},
        {BETWEEN("weld", AT ", \"hertz\": 1e-9"), "/joints/0/hertz", "1e-9",
         "0, or a number above 0 (rounded to 2^-16), at most 1000"},
        {BETWEEN("revolute", AT ", \"limit\": {\"lower\": 0, \"upper\": 1, \"hertz\": 0.000007}"),
         "/joints/0/limit/hertz", "0.000007", "0, or a number above 0 (rounded to 2^-16), at most 1000"},
        {BETWEEN("weld", AT ", \"break\": {\"error\": 1e-12}"), "/joints/0/break/error", "1e-12",
         "0, or a number above 0 (rounded to 2^-32), at most 2147483647"},
        {BETWEEN("weld", AT ", \"break\": {\"error\": 0, \"angle\": 0.0000000001}"), "/joints/0/break/angle",
         "0.0000000001", "0, or a number above 0 (rounded to 2^-32), at most 2147483647"},
        {BETWEEN("weld",
                 AT ", \"hertz\": 0.000, \"force_max\": 0e5, \"break\": {\"torque\": -0.0e-9, \"force\": -1e-30}"),
         "/joints/0/break/force", "-1e-30", "0, or a number above 0 (rounded to 2^-32), at most 2147483647"},
        {BETWEEN("weld", AT ", \"correction_max\": -1"), "/joints/0/correction_max", "-1",
         "0, or a number above 0 (rounded to 2^-16), at most 32767"},
        {BETWEEN("weld", AT ", \"torque_max\": -1"), "/joints/0/torque_max", "-1",
         "0, or a number above 0 (rounded to 2^-32), at most 2147483647"},
        {BETWEEN("weld", ""), "/joints/0/at", "nothing",
         "[x, y] of the world where they are joined, or anchor_a and anchor_b"},
        {BETWEEN("prismatic", AT ", \"rest\": 0"), "/joints/0/rest", "0",
         "a known key: one of name, kind, body_a, body_b, anchor_a, anchor_b, at, owner, tag, enabled, axis, "
         "reference, hertz, damping_ratio, force_max, torque_max, correction_max, limit, motor, spring, break, "
         "collide_connected"},
        {BETWEEN("prismatic", AT ", \"axis\": 1"), "/joints/0/axis", "1", "an array of 2"},
        {BETWEEN("prismatic", AT ", \"axis\": [40000, 0]"), "/joints/0/axis/0", "40000",
         "a number from -32767 to 32767"},
        {BETWEEN("prismatic", AT ", \"axis\": [0.01, -0.01]"), "/joints/0/axis", "[0.01,-0.01]",
         "a direction with a component of at least 1/64"},
        {BETWEEN("prismatic", AT ", \"reference\": \"x\""), "/joints/0/reference", "\"x\"",
         "a number from -32767 to 32767"},
        {BETWEEN("wheel", AT ", \"torque_max\": 1"), "/joints/0/torque_max", "1",
         "a known key: one of name, kind, body_a, body_b, anchor_a, anchor_b, at, owner, tag, enabled, axis, hertz, "
         "damping_ratio, force_max, correction_max, limit, motor, spring, break, collide_connected"},
        {BETWEEN("line", AT ", \"limit\": {\"lower\": -1, \"upper\": -2}"), "/joints/0/limit/upper", "-2",
         "a number that is not below \"lower\""},
        {BETWEEN("line", AT ", \"reference\": 0"), "/joints/0/reference", "0",
         "a known key: one of name, kind, body_a, body_b, anchor_a, anchor_b, at, owner, tag, enabled, axis, hertz, "
         "damping_ratio, force_max, correction_max, limit, motor, spring, break, collide_connected"},
        {BETWEEN("angle", AT), "/joints/0/at", "[0,0]",
         "a known key: one of name, kind, body_a, body_b, owner, tag, enabled, ratio, torque_max, correction_max, "
         "limit, motor, spring, break, collide_connected"},
        {BETWEEN("angle", ", \"ratio\": 65"), "/joints/0/ratio", "65", "a number from 1/64 to 64 or from -64 to -1/64"},
        {BETWEEN("angle", ", \"ratio\": -0.01"), "/joints/0/ratio", "-0.01",
         "a number from 1/64 to 64 or from -64 to -1/64"},
        {BETWEEN("gear", ", \"limit\": 1"), "/joints/0/limit", "1",
         "a known key: one of name, kind, body_a, body_b, owner, tag, enabled, ratio, rest, hertz, damping_ratio, "
         "torque_max, correction_max, break, collide_connected"},
        {BETWEEN("gear", ", \"ratio\": 0"), "/joints/0/ratio", "0", "a number from 1/64 to 64 or from -64 to -1/64"},
        {BETWEEN("ratchet", ", \"hertz\": 1"), "/joints/0/hertz", "1",
         "a known key: one of name, kind, body_a, body_b, owner, tag, enabled, ratchet, rest, torque_max, "
         "correction_max, break, collide_connected"},
        {BETWEEN("ratchet", ", \"ratchet\": 1, \"break\": {\"error\": 1}"), "/joints/0/break/error", "1",
         "a known key: one of force, torque, angle, remove"},
        {BETWEEN("wheel", AT ", \"break\": {\"angle\": 1}"), "/joints/0/break/angle", "1",
         "a known key: one of force, torque, error, remove"},
        {BETWEEN("friction", AT ", \"break\": {\"angle\": 1}"), "/joints/0/break/angle", "1",
         "a known key: one of force, torque, remove"},
        {BETWEEN("ratchet", ""), "/joints/0/ratchet", "nothing", "a number from -32767 to 32767"},
        {BETWEEN("ratchet", ", \"ratchet\": 0.01"), "/joints/0/ratchet", "0.01",
         "a number from 1/64 to 32767 or from -32767 to -1/64"},
        {BETWEEN("friction", AT ", \"rest\": 1"), "/joints/0/rest", "1",
         "a known key: one of name, kind, body_a, body_b, anchor_a, anchor_b, at, owner, tag, enabled, force_max, "
         "torque_max, break, collide_connected"},
        {BETWEEN("motor", AT ", \"spring\": 1"), "/joints/0/spring", "1",
         "a known key: one of name, kind, body_a, body_b, anchor_a, anchor_b, at, owner, tag, enabled, rest, hertz, "
         "damping_ratio, force_max, torque_max, correction_max, break, collide_connected"},
        {BETWEEN("filter", ", \"collide_connected\": true"), "/joints/0/collide_connected", "true",
         "a known key: one of name, kind, body_a, body_b, owner, tag, enabled"},
        {PULLEY(", \"at\": [0, 0]"), "/joints/0/at", "[0,0]",
         "a known key: one of name, kind, body_a, body_b, anchor_a, anchor_b, body_c, body_d, anchor_c, anchor_d, "
         "owner, tag, enabled, ratio, length, hertz, damping_ratio, force_max, correction_max, limit, spring, break, "
         "collide_connected"},
        {PULLEY(""), "/joints/0/body_c", "nothing", "the name of a body"},
        {PULLEY(", \"body_c\": \"b\", \"body_d\": \"b\""), "/joints/0/body_d", "\"b\"", "another body than body_c"},
        {PULLEY(", \"body_c\": \"b\", \"body_d\": \"a\", \"anchor_d\": [1]"), "/joints/0/anchor_d", "[1]",
         "an array of 2"},
        {PULLEY(", \"body_c\": \"a\", \"body_d\": \"far\", \"ratio\": -1"), "/joints/0",
         "{\"kind\":\"pulley\",\"body_a\":\"a\",\"body_b\":\"b\",\"body_c\":\"a\",\"bod...",
         "a \"length\", or bodies whose places give one from 0 to 32767 m"},
    };
    RUN(cases);
}

static void test_scene_joint_by_another_name_is_told_ours(void **state) {
    (void)state;
    static const bad_case cases[] = {
        {JOINT("\"pin\""), "/joints/0/kind", "\"pin\"", "\"distance\", as pins are called here"},
        {JOINT("\"slide\""), "/joints/0/kind", "\"slide\"", "\"distance\" with a \"limit\", as slides are called here"},
        {JOINT("\"damped_spring\""), "/joints/0/kind", "\"damped_spring\"",
         "\"distance\" with a \"spring\", as damped springs are called here"},
        {JOINT("\"pivot\""), "/joints/0/kind", "\"pivot\"", "\"revolute\", as pivots are called here"},
        {JOINT("\"groove\""), "/joints/0/kind", "\"groove\"", "\"line\" with a \"limit\", as grooves are called here"},
        {JOINT("\"rotary_limit\""), "/joints/0/kind", "\"rotary_limit\"",
         "\"angle\" with a \"limit\", as rotary limits are called here"},
        {JOINT("\"damped_rotary_spring\""), "/joints/0/kind", "\"damped_rotary_spring\"",
         "\"angle\" with a \"spring\", as damped rotary springs are called here"},
        {JOINT("\"simple_motor\""), "/joints/0/kind", "\"simple_motor\"",
         "\"angle\" with a \"motor\", as simple motors are called here"},
        {JOINT("\"servo\""), "/joints/0/kind", "\"servo\"",
         "\"revolute\" or \"angle\" with a \"spring\", as servos are called here"},
    };
    RUN(cases);
}

static void test_scene_error_formats_as_one_line(void **state) {
    (void)state;
    iso_scene *scene = NULL;
    iso_scene_error error;
    char line[800];
    const char *text = HEAD BODY(", \"shapes\": [{\"kind\": \"circle\", \"radius\": -1}]");
    assert_int_equal(parse(text, strlen(text), &scene, &error), ISO_ERR_SCENE_INVALID);
    size_t length = iso_scene_error_format(&error, line, sizeof line);
    assert_string_equal(line, "line 1, column 93: /bodies/0/shapes/0/radius: -1, expected a number from 0.001 to 60");
    assert_int_equal(length, strlen(line));
    assert_int_equal(iso_scene_error_format(&error, line, 8), length);
    assert_string_equal(line, "line 1,");

    text = "{\n  \"format\": 1,\n  \"name\": nil\n}";
    assert_int_equal(parse(text, strlen(text), &scene, &error), ISO_ERR_SCENE_INVALID);
    iso_scene_error_format(&error, line, sizeof line);
    assert_string_equal(line, "line 3, column 11: /name: nil, expected a value of JSON");
    assert_int_equal(parse(text, strlen(text), &scene, NULL), ISO_ERR_SCENE_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_header_says_what_is_wrong),
        cmocka_unit_test(test_scene_world_says_what_is_wrong),
        cmocka_unit_test(test_scene_body_says_what_is_wrong),
        cmocka_unit_test(test_scene_shape_says_what_is_wrong),
        cmocka_unit_test(test_scene_generator_says_what_is_wrong),
        cmocka_unit_test(test_scene_copies_say_what_is_wrong),
        cmocka_unit_test(test_scene_joint_says_what_is_wrong),
        cmocka_unit_test(test_scene_joint_of_each_kind_says_what_is_wrong),
        cmocka_unit_test(test_scene_joint_by_another_name_is_told_ours),
        cmocka_unit_test(test_scene_error_formats_as_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
