/// Programs and custom joints as state: snapshots, images, hashes, differences, commands, capacities, scenes.
#include "test_custom_util.h"

#include "base/hash.h"
#include "base/bytes.h"
#include "state/snapshot_read.h"
#include "isostep/games.h"
#include "unit/many.h"

#define JOINTS                                                                                             \
    ", {'kind': 'symbolic', 'constraint': 'distance', 'owner': 'everyone', " BODIES "'vectors': {" ANCHORS \
    "}, 'scalars': {'jointMin': 0.25, 'jointMax': 0.5}}"                                                   \
    ", {'kind': 'user', 'constraint': 'angle', 'bodies': {'body1': 'wall', 'body2': 'b'},"                 \
    " 'scalars': {'ratio': 1, 'jointMin': -0.4, 'jointMax': 0.4}}"

typedef struct blob {
    uint8_t *bytes;
    size_t size;
} blob;

static blob snapshot_of(const iso_world *world) {
    blob s = {NULL, iso_snapshot_size(world)};
    s.bytes = malloc(s.size);
    assert_int_equal(iso_snapshot_encode(world, s.bytes, s.size), s.size);
    return s;
}

static void assert_same_future(iso_world *a, iso_world *b, int ticks) {
    for (int i = 0; i < ticks; ++i) {
        assert_true(iso_world_root(a) == iso_world_root(b));
        swing_run(a, 1);
        swing_run(b, 1);
    }
    assert_true(iso_world_root(a) == iso_world_root(b));
}

static void test_a_snapshot_goes_on_the_same(void **unused) {
    (void)unused;
    iso_world *a = swing_make(JOINTS), *b = swing_make("");
    swing_run(a, 30);
    // The first record becomes free, so that joints and records are in another order than at first.
    iso_joint_def def;
    iso_joint_id joint = swing_joint(a, 1);
    assert_int_equal(iso_joint_get(a, joint, &def), ISO_OK);
    assert_int_equal(iso_joint_destroy(a, joint), ISO_OK);
    swing_run(a, 5);
    blob s = snapshot_of(a);
    b->globals->program_count = 0; // a world that has less
    assert_int_equal(iso_snapshot_decode(b, s.bytes, s.size), ISO_OK);
    assert_same_future(a, b, 10);
    assert_int_equal(iso_joint_create(a, &def, &joint), ISO_OK);
    assert_int_equal(iso_joint_create(b, &def, &joint), ISO_OK);
    assert_int_equal(iso__plane_of(a)->custom_joints[0].kind, ISO_JOINT_SYMBOLIC); // the lowest free one again
    assert_same_future(a, b, 30);
    iso_world *c = swing_make(""); // and back to one that has none
    free(s.bytes);
    s = snapshot_of(c);
    assert_int_equal(iso_snapshot_decode(a, s.bytes, s.size), ISO_OK);
    assert_int_equal(iso__plane_of(a)->custom_joints[0].kind | iso__plane_of(a)->custom_joints[1].kind, 0);
    assert_same_future(a, c, 10);
    free(s.bytes);
    free(a);
    free(b);
    free(c);
}

static void test_an_image_goes_on_the_same(void **unused) {
    (void)unused;
    iso_world *a = swing_make(JOINTS), *b = swing_make(JOINTS);
    swing_run(a, 30);
    swing_run(b, 30);
    const size_t size = iso_world_image_size(a);
    assert_true(size <= iso_world_image_size_max(a));
    uint8_t *image = malloc(size);
    assert_int_equal(iso_world_save(a, image, size), size);
    assert_int_equal(iso_joint_destroy(a, swing_joint(a, 2)), ISO_OK);
    iso_world_drop_caches(a);
    swing_run(a, 7);
    assert_int_equal(iso_world_restore(a, image, size), ISO_OK);
    iso_world_drop_caches(a);
    assert_same_future(a, b, 60);
    free(image);
    free(a);
    free(b);
}

static iso_diff difference(iso_world *a, iso_world *b, iso_section section) {
    iso_diff diffs[16];
    const uint32_t count = iso_world_diff(a, b, diffs, 16);
    for (uint32_t i = 0; i < count; ++i) {
        if (diffs[i].section == section) {
            return diffs[i];
        }
    }
    fail_msg("the section does not differ");
    return diffs[0];
}

static void test_a_difference_names_the_field(void **unused) {
    (void)unused;
    iso_world *a = swing_make(JOINTS), *b = swing_make(JOINTS);
    assert_true(iso_world_root(a) == iso_world_root(b));
    iso_program_params params = iso__plane_custom_params(&iso__plane_of(a)->custom_joints[0]);
    params.scalars[1] += 5;
    assert_int_equal(iso_joint_set_params(a, swing_joint(a, 1), &params, NULL), ISO_OK);
    assert_true(iso_world_root(a) != iso_world_root(b));
    iso_diff diff = difference(a, b, ISO_SECTION_CUSTOM_JOINTS);
    assert_string_equal(diff.field->name, "scalars");
    assert_int_equal(diff.element, 1);
    assert_int_equal(diff.value_a - diff.value_b, 5);
    swing_run(b, 1); // the user constraint's own state
    iso_world *fresh = swing_make(JOINTS);
    diff = difference(b, fresh, ISO_SECTION_CUSTOM_JOINTS);
    free(fresh);
    assert_string_equal(diff.field->name, "state");
    assert_int_equal(diff.value_a, 1);
    a->programs[1].code[0] ^= 1;
    iso__mark_dirty(a, ISO_SECTION_PROGRAMS, 1);
    diff = difference(a, b, ISO_SECTION_PROGRAMS);
    assert_string_equal(diff.field->name, "code");
    assert_int_equal(diff.record, 1);
    free(a);
    free(b);
}

/// Each byte of the programs and custom joints is changed in several ways: refused, and the world is as it was; or
/// accepted, and it goes on like any other.
static void test_hostile_bytes_give_a_valid_world_or_none(void **unused) {
    (void)unused;
    iso_world *world = swing_make(JOINTS);
    swing_run(world, 20);
    blob s = snapshot_of(world);
    const uint64_t root = iso_world_root(world);
    const size_t size = world->globals->program_count * sizeof(iso_program) +
                        world->globals->custom_joint_count * sizeof(iso__plane_custom_joint);
    const size_t first = s.size - ISO__SNAPSHOT_TAIL_SIZE - 4u * (3 + 2 + 3) - size;
    assert_memory_equal(s.bytes + first + 32 * 8, "\1\0\0\0", 4); // the version of the first program
    uint32_t accepted = 0, refused = 0;
    for (size_t at = first; at < first + size; at += ISO_TEST_STEP) {
        static const uint8_t flips[] = {1, 2, 0x80, 0xFF};
        for (size_t f = 0; f < sizeof flips; ++f) {
            s.bytes[at] ^= flips[f];
            iso__write_u64(s.bytes + s.size - 8, iso__hash(s.bytes, s.size - 8));
            if (iso_snapshot_decode(world, s.bytes, s.size) == ISO_OK) {
                ++accepted;
                swing_run(world, 2);
            } else {
                ++refused;
                assert_true(iso_world_root(world) == root);
            }
            s.bytes[at] ^= flips[f];
            iso__write_u64(s.bytes + s.size - 8, iso__hash(s.bytes, s.size - 8));
            assert_int_equal(iso_snapshot_decode(world, s.bytes, s.size), ISO_OK);
        }
    }
    assert_true(accepted > ISO_TEST_MANY(100) &&
                refused > ISO_TEST_MANY(10000)); // a parameter may change, most of a program may not
    free(s.bytes);
    free(world);
}

/// @param change  of a state that was right
static void assert_refused(void (*change)(iso_world *world)) {
    iso_world *a = swing_make(JOINTS), *b = swing_make(JOINTS);
    swing_run(a, 3);
    change(a);
    blob s = snapshot_of(a);
    assert_int_equal(iso_snapshot_decode(b, s.bytes, s.size), ISO_ERR_CORRUPT);
    free(s.bytes);
    free(a);
    free(b);
}

static void without_record(iso_world *world) {
    iso__plane_of(world)->custom_joints[0] = (iso__plane_custom_joint){0};
}

static void second_record(iso_world *world) {
    iso__plane_of(world)->custom_joints[2] = iso__plane_of(world)->custom_joints[0];
    world->globals->custom_joint_count = 3;
}

static void second_record_for_none(iso_world *world) {
    iso__plane_of(world)->custom_joints[1] = iso__plane_of(world)->custom_joints[0];
}

static void other_joint(iso_world *world) {
    iso__plane_of(world)->custom_joints[0].joint = 0;
}

static void unknown_constraint(iso_world *world) {
    iso__plane_of(world)->custom_joints[1].constraint = 2;
}

static void pulling_lower_limit(iso_world *world) {
    iso__plane_of(world)->joints[2].impulse[0] = -1;
}

static void impulse_of_no_row(iso_world *world) {
    iso__plane_of(world)->joints[2].impulse[3] = 1;
}

static void third_body(iso_world *world) {
    iso__plane_of(world)->joints[1].body_c = 0;
}

static void limit_not_kept(iso_world *world) {
    iso__plane_of(world)->custom_joints[0].scalars[0] = -1;
}

static void parameter_of_none(iso_world *world) {
    iso__plane_of(world)->custom_joints[1].vectors[0] = 1;
}

static void state_of_a_program(iso_world *world) {
    iso__plane_of(world)->custom_joints[0].state[0] = 1;
}

static void test_states_that_no_world_reaches_are_refused(void **unused) {
    (void)unused;
    void (*const changes[])(iso_world *) = {without_record,    second_record,      second_record_for_none,
                                            other_joint,       unknown_constraint, pulling_lower_limit,
                                            impulse_of_no_row, third_body,         limit_not_kept,
                                            parameter_of_none, state_of_a_program};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; ++i) {
        assert_refused(changes[i]);
    }
}

static void test_capacities_are_answers(void **unused) {
    (void)unused;
    iso_world *world = swing_make(JOINTS);
    const iso_program program = world->programs[0];
    uint32_t index;
    assert_int_equal(world->def.program_capacity, 3);
    assert_int_equal(iso_world_add_program(world, &program, &index), ISO_ERR_CAPACITY);
    iso_program broken = program;
    broken.cost += 1;
    assert_int_equal(iso_world_add_program(world, &broken, &index), ISO_ERR_MALFORMED);
    iso_joint_def def;
    iso_joint_id joint;
    assert_int_equal(iso_joint_get(world, swing_joint(world, 1), &def), ISO_OK);
    assert_int_equal(iso_joint_create(world, &def, &joint), ISO_OK);
    assert_int_equal(iso_joint_create(world, &def, &joint), ISO_OK);
    const uint64_t root = iso_world_root(world);
    assert_int_equal(iso_joint_create(world, &def, &joint), ISO_ERR_CAPACITY); // of four custom joints; six joints
    def.constraint = 9;
    assert_int_equal(iso_joint_create(world, &def, &joint), ISO_ERR_UNKNOWN_NAME);
    def.constraint = 1;
    def.body_c = def.body_a;
    assert_int_equal(iso_joint_create(world, &def, &joint), ISO_ERR_WRONG_TYPE);
    def.body_c = (iso_body_id){0, 0};
    def.body_d = def.body_a;
    assert_int_equal(iso_joint_create(world, &def, &joint), ISO_ERR_WRONG_TYPE);
    def.body_d = (iso_body_id){0, 0};
    def.params.scalars[0] = ISO_WIDE_ONE; // above jointMax
    assert_int_equal(iso_joint_create(world, &def, &joint), ISO_ERR_RANGE);
    assert_true(iso_world_root(world) == root);
    free(world);
}

static void test_commands_carry_constraint_and_parameters(void **unused) {
    (void)unused;
    iso_world *world = swing_make(JOINTS);
    iso_command command = {.kind = ISO_COMMAND_CREATE_JOINT}, back;
    uint8_t bytes[ISO_COMMAND_SIZE_MAX], again[ISO_COMMAND_SIZE_MAX];
    assert_int_equal(iso_joint_get(world, swing_joint(world, 1), &command.as.create_joint.joint), ISO_OK);
    const size_t size = iso_command_encode(&command, bytes, sizeof bytes);
    command.as.create_joint.joint.kind = ISO_JOINT_WELD;
    assert_int_equal(iso_command_encode(&command, again, sizeof again), 0); // has no constraint
    command.as.create_joint.joint.constraint = 0;
    command.as.create_joint.joint.params = (iso_program_params){.scalars = {0}};
    assert_int_equal(size - iso_command_encode(&command, again, sizeof again), 4 + 8 * 24); // others have none of it
    assert_int_equal(iso_command_decode(bytes, size, &back), ISO_OK);
    assert_int_equal(back.as.create_joint.joint.constraint, 1);
    assert_int_equal(back.as.create_joint.joint.params.scalars[1], ISO_WIDE_ONE / 2);
    assert_int_equal(iso_command_encode(&back, again, sizeof again), size);
    assert_memory_equal(bytes, again, size);
    assert_int_equal(iso_command_decode(bytes, size - 1, &back), ISO_ERR_MALFORMED);
    free(world);
}

static void assert_scene_error(const char *joints, const char *expected) {
    iso_scene *scene = NULL;
    iso_scene_error error;
    char line[700];
    assert_int_equal(swing_parse(joints, &scene, &error), ISO_ERR_SCENE_INVALID);
    iso_scene_error_format(&error, line, sizeof line);
    // In front stands where in the text that is.
    assert_true(strncmp(line, "line 1, column ", 15) == 0);
    assert_string_equal(strchr(line, '/'), expected);
}

static void test_scenes_say_what_is_wrong(void **unused) {
    (void)unused;
    assert_scene_error(", {'kind': 'symbolic', 'constraint': 'rope'}",
                       "/joints/1/constraint: \"rope\", expected a constraint of the scene: weld, distance, line");
    assert_scene_error(", {'kind': 'user', 'constraint': 'rope'}",
                       "/joints/1/constraint: \"rope\", expected a constraint of the game: pivot, angle, shelf, pace");
    assert_scene_error(", {'kind': 'user', 'constraint': 'angle', 'bodies': {'body1': 'a', 'body2': 'a'}}",
                       "/joints/1/bodies/body2: \"a\", expected another body than body1");
    assert_scene_error(", {'kind': 'user', 'constraint': 'angle', " BODIES "'scalars': {'ratio': 1}}",
                       "/joints/1/scalars/jointMin: nothing, expected a number from -2147483647 to 2147483647");
    assert_scene_error(", {'kind': 'user', 'constraint': 'angle', " BODIES "'scalars': {'ratio': 1, 'phase': 1}}",
                       "/joints/1/scalars/phase: 1, expected a known key: one of ratio, jointMin, jointMax");
    iso_scene *scene = NULL;
    iso_scene_error error;
    assert_int_equal(swing_parse(", {'kind': 'symbolic', 'constraint': 'distance', " BODIES "'vectors': {" ANCHORS
                                 "}, 'scalars': {'jointMin': 1, 'jointMax': 0.5}}",
                                 &scene, &error),
                     ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.path, "/joints/1");
    assert_string_equal(error.expected, "parameters that keep limit 1 of the constraint");
}

static void assert_source_error(const char *constraints, const char *path, const char *expected) {
    char text[1024];
    iso_scene *scene = NULL;
    iso_scene_error error;
    snprintf(text, sizeof text, "{\"format\": 1, \"name\": \"x\", \"constraints\": %s}", constraints);
    assert_int_equal(iso_scene_parse(text, strlen(text), iso_games, ISO_GAME_COUNT, &scene, &error),
                     ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.path, path);
    assert_string_equal(error.expected, expected);
}

static void test_sources_are_compiled_with_place_and_reason(void **unused) {
    (void)unused;
    assert_source_error(
        "{\"c\": [\"body b\", \"constraint b.rotation - phase\"]}", "/constraints/c/1",
        "a constraint; at 2:25 it has found the unknown name 'phase', expected a declared body, vector or scalar, "
        "or a name of let");
    // A string may hold several lines: the place is that of the string, line and column those of the whole source.
    assert_source_error(
        "{\"c\": [\"body b\\n\\n\", \"constraint b.rotation - phase\"]}", "/constraints/c/1",
        "a constraint; at 4:25 it has found the unknown name 'phase', expected a declared body, vector or scalar, "
        "or a name of let");
    assert_source_error(
        "{\"c\": [\"\\nbody b constraint 1\", \"# nothing\"]}", "/constraints/c/0",
        "a constraint; at 2:19 it has found row 1 of the constraint, which no body moves, expected a row that "
        "depends on a body's position or rotation");
    assert_source_error("{\"c\": []}", "/constraints/c",
                        "a constraint; at 1:1 it has found the end, expected a constraint");
    assert_source_error("{\"c\": [1]}", "/constraints/c/0",
                        "a string of at most 4096 bytes, or an array of such lines");
    assert_source_error("[]", "/constraints", "an object");
    assert_source_error("{\"\": \"\"}", "/constraints/",
                        "a name of 1 to 31 letters, digits, \"_\" or \"-\" for its constraint");
}

/// Lines that are joined by what ends them, up to 4096 bytes in all.
static void test_sources_end_at_their_size(void **unused) {
    (void)unused;
    for (int over = 0; over < 2; ++over) {
        char text[4400];
        iso_scene *scene = NULL;
        iso_scene_error error;
        const int size = snprintf(text, sizeof text,
                                  "{\"format\": 1, \"name\": \"x\", \"constraints\": {\"c\": [\"%-2048s\", \"%-*s\"]}}",
                                  "body b", 2047 + over, "constraint b.rotation");
        const iso_status status = iso_scene_parse(text, (size_t)size, iso_games, ISO_GAME_COUNT, &scene, &error);
        assert_int_equal(status, over ? ISO_ERR_SCENE_INVALID : ISO_OK);
        if (over) {
            assert_string_equal(error.path, "/constraints/c");
            assert_string_equal(error.expected, "a source of at most 4096 bytes");
        }
        iso_scene_free(scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_snapshot_goes_on_the_same),
        cmocka_unit_test(test_an_image_goes_on_the_same),
        cmocka_unit_test(test_a_difference_names_the_field),
        cmocka_unit_test(test_hostile_bytes_give_a_valid_world_or_none),
        cmocka_unit_test(test_states_that_no_world_reaches_are_refused),
        cmocka_unit_test(test_capacities_are_answers),
        cmocka_unit_test(test_commands_carry_constraint_and_parameters),
        cmocka_unit_test(test_scenes_say_what_is_wrong),
        cmocka_unit_test(test_sources_are_compiled_with_place_and_reason),
        cmocka_unit_test(test_sources_end_at_their_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
