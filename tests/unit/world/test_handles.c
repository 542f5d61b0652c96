/// Handles: which are valid, their packed form, and what goes through a world by them.
#include "physics_util.h"

// ---- validity ------------------------------------------------------------------------------------

static iso_joint_id joint_add(iso_world *world, iso_body_id a, iso_body_id b) {
    iso_joint_def def = iso_joint_def_default();
    def.kind = ISO_JOINT_REVOLUTE;
    def.body_a = a;
    def.body_b = b;
    iso_joint_id joint = {0, 0};
    EXPECT_STATUS(iso_joint_create(world, &def, &joint), ISO_OK);
    return joint;
}

static void test_a_handle_is_valid_while_its_thing_lives(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    const iso_shape_def ball = shape_circle(0.5);
    const iso_body_id a = body_add(world, ISO_BODY_DYNAMIC, 0, 0, 0), b = body_add(world, ISO_BODY_DYNAMIC, 1, 0, 0);
    const iso_shape_id shape = shape_add(world, a, &ball), other = shape_add(world, b, &ball);
    const iso_joint_id joint = joint_add(world, a, b);
    assert_true(iso_body_is_valid(world, a) && iso_shape_is_valid(world, shape) && iso_joint_is_valid(world, joint));

    assert_false(iso_body_is_valid(world, (iso_body_id){0, 0}));
    assert_false(iso_shape_is_valid(world, (iso_shape_id){0, 0}));
    assert_false(iso_joint_is_valid(world, (iso_joint_id){0, 0}));
    assert_false(iso_shape_is_valid(world, (iso_shape_id){shape.index, shape.generation + 2}));
    assert_false(iso_shape_is_valid(world, (iso_shape_id){UINT32_MAX, 1}));
    assert_false(iso_shape_is_valid(world, (iso_shape_id){2, 1})); // of a slot that was never used

    EXPECT_STATUS(iso_shape_destroy(world, shape), ISO_OK);
    assert_false(iso_shape_is_valid(world, shape));
    assert_false(iso_shape_is_valid(world, (iso_shape_id){shape.index, shape.generation + 1})); // as a free slot counts
    assert_true(iso_shape_is_valid(world, other));
    const iso_shape_id next = shape_add(world, a, &ball);
    assert_int_equal(next.index, shape.index);
    assert_true(iso_shape_is_valid(world, next) && !iso_shape_is_valid(world, shape));

    // A body takes its shapes and joints along.
    EXPECT_STATUS(iso_body_destroy(world, a), ISO_OK);
    assert_false(iso_body_is_valid(world, a) || iso_shape_is_valid(world, next) || iso_joint_is_valid(world, joint));
    assert_true(iso_body_is_valid(world, b) && iso_shape_is_valid(world, other));
    world_free(world);
}

static void test_handles_pack_and_unpack(void **state) {
    (void)state;
    static const uint32_t numbers[] = {0, 1, 7, 0x80000001u, UINT32_MAX};
    for (int i = 0; i < 25; ++i) {
        const uint32_t index = numbers[i % 5], generation = numbers[i / 5];
        const uint64_t packed = iso_id_pack(index, generation);
        assert_int_equal(packed >> 32, generation);
        assert_int_equal(iso_id_unpack_index(packed), index);
        assert_int_equal(iso_id_unpack_generation(packed), generation);
        const iso_body_id body = iso_body_id_unpack(packed);
        const iso_shape_id shape = iso_shape_id_unpack(packed);
        const iso_joint_id joint = iso_joint_id_unpack(packed);
        assert_true(body.index == index && body.generation == generation);
        assert_true(iso_body_id_pack(body) == packed && iso_shape_id_pack(shape) == packed);
        assert_true(iso_joint_id_pack(joint) == packed);
        assert_int_equal(iso_body_id_is_null(body), generation == 0);
        assert_int_equal(iso_shape_id_is_null(shape), generation == 0);
        assert_int_equal(iso_joint_id_is_null(joint), generation == 0);
        assert_true(iso_shape_id_equal(shape, (iso_shape_id){index, generation}));
        assert_false(iso_shape_id_equal(shape, (iso_shape_id){index + 1, generation}));
        assert_true(iso_joint_id_equal(joint, (iso_joint_id){index, generation}));
        assert_false(iso_joint_id_equal(joint, (iso_joint_id){index, generation + 1}));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_handle_is_valid_while_its_thing_lives),
        cmocka_unit_test(test_handles_pack_and_unpack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
