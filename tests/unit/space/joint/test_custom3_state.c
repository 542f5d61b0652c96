// Programs and joints in space with rows of their own as state: snapshots, images, differences, hostile bytes.
#include "base/bytes.h"
#include "base/hash.h"
#include "state/snapshot_read.h"
#include "unit/space/joint/test_custom3_util.h"

#define LIFT "body b scalar low limit low (-inf) 5 constraint b.position.y limit constraint low inf"

/// Joint 0: of the game, between two boxes; 1: of a program; 2: of the game, of one body; 3: a ball.
static iso_world *state_make(void) {
    iso_world *world = user_world(-GRAVITY, &user_game);
    const iso_body_id wall = body3_fixed(world, NONE);
    iso_body_id boxes[3];
    for (int i = 0; i < 3; ++i) {
        boxes[i] = body3_box(world, ISO_BODY_DYNAMIC, (vec3){1 + i, 0, 0.1 * i}, NO_TURN, BOX_HALF);
    }
    const uint32_t hinge = program3_add(world, HINGE3);
    program3_add(world, LIFT);
    iso_joint3_def def = custom3_def(ISO_JOINT3_USER, PIVOT, boxes[0], boxes[1]);
    custom3_vector(&def, 0, (vec3){0.5, 0, 0.05});
    custom3_vector(&def, 1, (vec3){-0.5, 0, -0.05});
    joint3_add(world, &def);
    def = custom3_def(ISO_JOINT3_SYMBOLIC, hinge, wall, boxes[0]);
    custom3_vector(&def, 1, (vec3){-1, 0, 0});
    custom3_vector(&def, 2, Z_AXIS);
    custom3_vector(&def, 3, X_AXIS);
    custom3_vector(&def, 4, Y_AXIS);
    custom3_vector(&def, 5, Z_AXIS);
    joint3_add(world, &def);
    def = custom3_def(ISO_JOINT3_USER, SHELF, (iso_body_id){0, 0}, boxes[2]);
    def.params.scalars[0] = wide(-0.5);
    joint3_add(world, &def);
    joint3_make(world, ISO_JOINT3_BALL, boxes[1], boxes[2], (vec3){2.5, 0, 0.15}, X_AXIS, NONE);
    return world;
}

static void test_a_snapshot_goes_on_the_same(void **state) {
    (void)state;
    iso_world *a = state_make(), *b = state_make(), *empty = user_world(-GRAVITY, &user_game);
    world_steps(a, 30);
    const iso_joint_id first = iso_joint_next(a, 0);
    iso_joint3_def def;
    EXPECT_STATUS(iso_joint3_get(a, first, &def), ISO_OK);
    EXPECT_STATUS(iso_joint_destroy(a, first), ISO_OK); // its record becomes free
    world_steps(a, 5);
    blob s = snapshot_of(a);
    EXPECT_STATUS(iso_snapshot_decode(b, s.bytes, s.size), ISO_OK);
    assert_same_future(a, b, 10);
    iso_world *fresh = user_world(-GRAVITY, &user_game); // one that had no joints before
    EXPECT_STATUS(iso_snapshot_decode(fresh, s.bytes, s.size), ISO_OK);
    world_steps(fresh, 10);
    assert_same_future(b, fresh, 5);
    world_steps(a, 5);
    world_free(fresh);
    assert_int_equal(iso__space_of(b)->custom_joints[0].kind, 0);
    const iso_joint_id again = joint3_add(a, &def), there = joint3_add(b, &def);
    assert_true(iso_joint_id_equal(again, there));
    assert_int_equal(iso__space_of(b)->custom_joints[0].kind, ISO_JOINT3_USER); // the lowest free one
    assert_same_future(a, b, 30);
    free(s.bytes);
    s = snapshot_of(empty);
    EXPECT_STATUS(iso_snapshot_decode(a, s.bytes, s.size), ISO_OK);
    assert_int_equal(iso__space_of(a)->custom_joints[1].kind, 0);
    assert_true(iso_world_get_program(a, 0) == NULL);
    assert_same_future(a, empty, 3);
    free(s.bytes);
    world_free(a);
    world_free(b);
    world_free(empty);
}

static void test_an_image_goes_on_the_same(void **state) {
    (void)state;
    iso_world *a = state_make(), *b = state_make();
    world_steps(a, 30);
    world_steps(b, 30);
    const size_t size = iso_world_image_size(a);
    uint8_t *image = malloc(size);
    assert_int_equal(iso_world_save(a, image, size), size);
    EXPECT_STATUS(iso_joint_destroy(a, iso_joint_next(a, 1)), ISO_OK);
    world_steps(a, 7);
    EXPECT_STATUS(iso_world_restore(a, image, size), ISO_OK);
    iso_world_drop_caches(a);
    assert_same_future(a, b, 30);
    free(image);
    world_free(a);
    world_free(b);
}

static void test_a_difference_names_the_field(void **state) {
    (void)state;
    iso_world *a = state_make(), *b = state_make();
    iso_joint3_def def;
    const iso_joint_id lift = iso_joint_next(a, 2);
    EXPECT_STATUS(iso_joint3_get(a, lift, &def), ISO_OK);
    def.params.scalars[0] += 5;
    EXPECT_STATUS(iso_joint3_set(a, lift, &def), ISO_OK);
    iso_diff diffs[16];
    const uint32_t count = iso_world_diff(a, b, diffs, 16);
    bool has_found = false;
    for (uint32_t i = 0; i < count; ++i) {
        has_found = has_found ||
                    (diffs[i].section == ISO_SECTION_CUSTOM_JOINTS && strcmp(diffs[i].field->name, "scalars") == 0 &&
                     diffs[i].element == 0 && diffs[i].value_a - diffs[i].value_b == 5);
    }
    assert_true(has_found);
    world_free(a);
    world_free(b);
}

/// What a state must not be.
static void spoil(iso_world *world, uint32_t way) {
    iso__space *space = iso__space_of(world);
    iso__space_custom_joint *records = space->custom_joints;
    switch (way) {
    case 0: // a joint without a record
        records[0] = (iso__space_custom_joint){0};
        break;
    case 1: // two of one joint
        records[3] = records[0];
        world->globals->custom_joint_count = 4;
        break;
    case 2: // of the joint of another kind
        records[0].joint = 3;
        break;
    case 3: // of no joint
        records[0].joint = 40;
        break;
    case 4: // of no constraint
        records[0].constraint = USER_COUNT;
        break;
    case 5: // of a constraint of the plane
        records[0].constraint = FLAT;
        break;
    case 6: // of one with another number of bodies
        records[1].constraint = 1;
        break;
    case 7: // a limit of the program's
        space->joints[2].kind = ISO_JOINT3_SYMBOLIC;
        records[2] = (iso__space_custom_joint){.joint = 2, .kind = ISO_JOINT3_SYMBOLIC, .constraint = 1};
        records[2].scalars[0] = wide(6.0);
        break;
    case 8: // a parameter of none
        records[0].vectors[6] = 1;
        break;
    case 9: // a state of a program's
        records[1].state[0] = 1;
        break;
    case 10: // a bound that pulls
        space->joints[2].impulse[0] = -1;
        break;
    case 11: // an impulse of no row
        space->joints[0].impulse[1] = 1;
        break;
    case 12:
        space->joints[0].impulse[13] = 1;
        break;
    case 13: // of a joint that is off
        space->joints[0].flags = (uint8_t)(space->joints[0].flags & ~ISO__SPACE_JOINT_ENABLED);
        break;
    case 14: // a program of the plane
        world->programs[1].version = ISO_PROGRAM_VERSION;
        break;
    case 15: // two of one joint, none of another
        records[2] = records[0];
        break;
    default: // one body too few
        space->joints[0].body_a = ISO__WORLD_BODY;
        break;
    }
}

static void test_states_that_no_world_reaches_are_refused(void **state) {
    (void)state;
    for (uint32_t way = 0; way < 17; ++way) {
        iso_world *a = state_make(), *b = state_make();
        world_steps(a, 3);
        spoil(a, way);
        const uint64_t root = iso_world_root(b);
        const blob s = snapshot_of(a);
        EXPECT(iso_snapshot_decode(b, s.bytes, s.size) == ISO_ERR_CORRUPT, "way %u was taken", way);
        assert_true(iso_world_root(b) == root);
        free(s.bytes);
        world_free(a);
        world_free(b);
    }
}

/// Each byte of the custom joints, and every seventh of the programs, is changed in several ways: refused, and the
/// world is as it was; or accepted, and it goes on like any other.
static void test_hostile_bytes_give_a_valid_world_or_none(void **state) {
    (void)state;
    iso_world *world = state_make();
    world_steps(world, 20);
    const blob s = snapshot_of(world);
    const uint64_t root = iso_world_root(world);
    const size_t programs = 2 * sizeof(iso_program), customs = 3 * sizeof(iso__space_custom_joint);
    const size_t first = s.size - ISO__SNAPSHOT_TAIL_SIZE - 4u * (4 + 3 + 4) - programs - customs;
    assert_memory_equal(s.bytes + first + 32 * 8, "\1\0\3\0", 4); // the version of the first program
    uint32_t accepted = 0, refused = 0;
    for (size_t at = first; at < first + programs + customs; at += at < first + programs ? 7 : 1) {
        static const uint8_t flips[] = {1, 0x80, 0xFF};
        for (size_t f = 0; f < sizeof flips; ++f) {
            s.bytes[at] ^= flips[f];
            iso__write_u64(s.bytes + s.size - 8, iso__hash(s.bytes, s.size - 8));
            if (iso_snapshot_decode(world, s.bytes, s.size) == ISO_OK) {
                ++accepted;
                world_steps(world, 2);
            } else {
                ++refused;
                assert_true(iso_world_root(world) == root);
            }
            s.bytes[at] ^= flips[f];
            iso__write_u64(s.bytes + s.size - 8, iso__hash(s.bytes, s.size - 8));
            EXPECT_STATUS(iso_snapshot_decode(world, s.bytes, s.size), ISO_OK);
        }
    }
    EXPECT(accepted > 100 && refused > 1000, "%u accepted, %u refused", accepted, refused);
    free(s.bytes);
    world_free(world);
}

// A constraint whose state takes its bounds away: it holds a height, then only from below and without a gradient, then
// not.

enum { LATCH_HOLDS = 20, LATCH_LIMITS = 40, LATCH_ENDS = 60 };

static void latch_prepare(const iso_constraint3_body *bodies, const iso_program_params *params, iso_wide *state) {
    (void)bodies;
    (void)params;
    state[0] += 1;
}

static void latch_bounds(const iso_program_params *params, const iso_wide *state, iso_wide *low, iso_wide *high) {
    (void)params;
    low[0] = state[0] <= LATCH_LIMITS ? 0 : ISO_WIDE_MIN;
    high[0] = state[0] <= LATCH_HOLDS ? 0 : ISO_WIDE_MAX;
}

static void latch_rows(const iso_constraint3_body *bodies, const iso_program_params *params, const iso_wide *state,
                       iso_constraint3_rows *rows) {
    (void)params;
    rows->error[0] = bodies[0].position[1];
    rows->jacobian[0][0][1] = state[0] <= LATCH_HOLDS || state[0] > LATCH_LIMITS ? ISO_WIDE_ONE : 0;
}

static void test_a_row_that_the_state_takes_away_has_no_impulse(void **state) {
    (void)state;
    static const iso_constraint latch = {.name = "latch",
                                         .body_count = 1,
                                         .row_count = 1,
                                         .prepare3 = latch_prepare,
                                         .bounds = latch_bounds,
                                         .rows3 = latch_rows};
    const iso_game game = {.name = "latch",
                           .version = 1,
                           .control_layout = "none",
                           .dimensions = 12,
                           .constraints = &latch,
                           .constraint_count = 1};
    for (int way = -1; way <= 1; way += 2) { // gravity, and so the sign of what holds
        iso_world *world = user_world(way * GRAVITY, &game), *other = user_world(way * GRAVITY, &game);
        const iso_body_id box = body3_box(world, ISO_BODY_DYNAMIC, NONE, NO_TURN, BOX_HALF);
        const iso_joint3_def def = custom3_def(ISO_JOINT3_USER, 0, (iso_body_id){0, 0}, box);
        const iso_joint_id joint = joint3_add(world, &def);
        for (int tick = 1; tick <= LATCH_ENDS; ++tick) {
            world_steps(world, 1);
            iso_vec3_wide force;
            EXPECT_STATUS(iso_joint3_get_force(world, joint, &force), ISO_OK);
            const bool is_held = tick < LATCH_HOLDS; // the state counts the tick before its bounds are asked
            EXPECT((force.y != 0) == is_held, "gravity %d, tick %d: a force of %g N", way, tick, from_wide(force.y));
            blob s = snapshot_of(world);
            EXPECT_STATUS(iso_snapshot_decode(other, s.bytes, s.size), ISO_OK);
            free(s.bytes);
        }
        world_free(world);
        world_free(other);
    }
}

static void test_programs_are_for_one_kind_of_worlds(void **state) {
    (void)state;
    static iso_program_scratch scratch;
    static const char source[] = "body b constraint b.position";
    iso_program flat, deep;
    EXPECT_STATUS(iso_program_compile(source, sizeof source - 1, &scratch, &flat, NULL), ISO_OK);
    EXPECT_STATUS(iso_program3_compile(source, sizeof source - 1, &scratch, &deep, NULL), ISO_OK);
    assert_int_equal(iso_program_dimensions(&flat), 2);
    assert_int_equal(iso_program_dimensions(&deep), 3);
    iso_world *space = state_make();
    iso_world_def def = world_def_small(0.0);
    def.program_capacity = 1;
    iso_world *plane = world_make(&def);
    uint32_t index;
    EXPECT_STATUS(iso_world_add_program(space, &flat, &index), ISO_ERR_DIMENSION);
    EXPECT_STATUS(iso_world_add_program(plane, &deep, &index), ISO_ERR_DIMENSION);
    EXPECT_STATUS(iso_world_add_program(plane, &flat, &index), ISO_OK);
    EXPECT_STATUS(iso_world_add_program(space, &deep, &index), ISO_OK);
    world_free(space);
    world_free(plane);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_snapshot_goes_on_the_same),
        cmocka_unit_test(test_an_image_goes_on_the_same),
        cmocka_unit_test(test_a_difference_names_the_field),
        cmocka_unit_test(test_states_that_no_world_reaches_are_refused),
        cmocka_unit_test(test_hostile_bytes_give_a_valid_world_or_none),
        cmocka_unit_test(test_a_row_that_the_state_takes_away_has_no_impulse),
        cmocka_unit_test(test_programs_are_for_one_kind_of_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
