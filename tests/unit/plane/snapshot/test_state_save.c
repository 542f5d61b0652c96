/// Memory images: saving, restoring and going on.
#include "unit/state/test_state_util.h"

#include "plane/world/plane.h"
#include "isostep/games.h"

typedef struct image {
    uint8_t *bytes;
    size_t size;
} image;

static image image_of(const iso_world *world) {
    image made = {.size = iso_world_image_size(world)};
    made.bytes = malloc(made.size);
    assert_int_equal(iso_world_save(world, made.bytes, made.size), made.size);
    return made;
}

static void test_restored_world_is_the_same_and_goes_on_the_same(void **state) {
    (void)state;
    iso_world *world = util_world_lively(60);
    const uint64_t root = iso_world_root(world);
    const image saved = image_of(world);
    uint64_t roots[90];
    for (int i = 0; i < 90; ++i) {
        util_steps(world, 1);
        roots[i] = iso_world_root(world);
    }
    assert_int_equal(iso_world_restore(world, saved.bytes, saved.size), ISO_OK);
    assert_int_equal(iso_world_root(world), root);
    assert_int_equal(util_fresh_root(world), root);
    for (int i = 0; i < 90; ++i) {
        util_steps(world, 1);
        assert_int_equal(iso_world_root(world), roots[i]);
    }
    free(saved.bytes);
    util_world_free(world);
}

static void test_restore_forgets_what_came_after_the_save(void **state) {
    (void)state;
    iso_world *world = util_world_lively(20);
    const image saved = image_of(world);
    const uint64_t root = iso_world_root(world);
    const iso_shape_def ball = iso_shape_def_circle(METRE);
    const iso_body_id first = util_add_body(world, ISO_BODY_DYNAMIC, 0, 50 * METRE, &ball);
    for (int i = 0; i < 20; ++i) {
        util_add_body(world, ISO_BODY_DYNAMIC, i * METRE, 60 * METRE, &ball);
    }
    iso_body_apply_force_to_centre(world, iso_body_next(world, 1), (iso_vec2_wide){ISO_WIDE_ONE * 1000, 0});
    util_steps(world, 1);
    iso_body_apply_force_to_centre(world, iso_body_next(world, 1), (iso_vec2_wide){ISO_WIDE_ONE * 1000, 0});
    assert_int_equal(iso_world_restore(world, saved.bytes, saved.size), ISO_OK);
    assert_int_equal(iso_world_root(world), root);
    // Beyond the used slots all is zero again, no force is left, and the same handle comes next.
    for (uint32_t i = world->globals->body_count; i < world->def.body_capacity; ++i) {
        assert_int_equal(world->body_generations[i], 0);
        assert_int_equal(iso__plane_of(world)->bodies[i].type, 0);
    }
    for (uint32_t i = world->globals->shape_count; i < world->def.shape_capacity; ++i) {
        assert_int_equal(world->shape_generations[i], 0);
        assert_int_equal(iso__plane_of(world)->shapes[i].kind, 0);
    }
    assert_int_equal(world->forced[0], 0);
    for (int axis = 0; axis < 2; ++axis) {
        assert_int_equal(iso__plane_of(world)->forces[1].force[axis], 0);
    }
    const iso_body_id again = util_add_body(world, ISO_BODY_DYNAMIC, 0, 50 * METRE, &ball);
    assert_true(iso_body_id_equal(first, again));
    free(saved.bytes);
    util_world_free(world);
}

/// Other bodies, shapes and joints in the same slots, other filters, no joint between overlapping bodies.
static void make_a_mess(iso_world *world) {
    const iso_shape_def big = iso_shape_def_box(2 * METRE, METRE);
    for (uint32_t i = 1; i <= 12; ++i) {
        assert_int_equal(iso_body_destroy(world, iso_body_next(world, i)), ISO_OK);
    }
    for (uint32_t i = 1; i <= 9; ++i) {
        util_add_body(world, i % 2 == 0 ? ISO_BODY_STATIC : ISO_BODY_DYNAMIC, (int32_t)i * METRE - 5 * METRE, 9 * METRE,
                      &big);
    }
    for (uint32_t i = 14; i < 24; ++i) {
        (void)iso_shape_set_filter(world, (iso_shape_id){i, world->shape_generations[i]}, (iso_filter){2, 2, -1});
    }
    for (iso_joint_id j = iso_joint_next(world, 0); j.generation != 0; j = iso_joint_next(world, j.index + 1)) {
        assert_int_equal(iso_joint_destroy(world, j), ISO_OK);
    }
}

static void test_restored_world_goes_on_the_same_after_a_mess(void **state) {
    (void)state;
    iso_world *world = util_world_lively(10);
    // Two overlapping boxes whose joint keeps them from colliding.
    const iso_shape_def box = iso_shape_def_box(METRE / 2, METRE / 2);
    iso_joint_def joint = iso_joint_def_default();
    joint.body_a = util_add_body(world, ISO_BODY_DYNAMIC, 30 * METRE, 3 * METRE, &box);
    joint.body_b = util_add_body(world, ISO_BODY_DYNAMIC, 30 * METRE, 3 * METRE, &box);
    iso_joint_id id;
    assert_int_equal(iso_joint_create(world, &joint, &id), ISO_OK);
    util_steps(world, 5);
    const image saved = image_of(world);
    uint64_t roots[60];
    for (int i = 0; i < 60; ++i) {
        util_steps(world, 1);
        roots[i] = iso_world_root(world);
    }
    for (int mess = 0; mess < 3; ++mess) {
        assert_int_equal(iso_world_restore(world, saved.bytes, saved.size), ISO_OK);
        make_a_mess(world);
        util_steps(world, mess * 3);
        assert_int_equal(iso_world_restore(world, saved.bytes, saved.size), ISO_OK);
        for (int i = 0; i < 60; ++i) {
            util_steps(world, 1);
            assert_int_equal(iso_world_root(world), roots[i]);
        }
    }
    free(saved.bytes);
    util_world_free(world);
}

static void test_restore_into_another_world_of_the_definition(void **state) {
    (void)state;
    iso_world *world = util_world_lively(40);
    const image saved = image_of(world);
    const iso_world_def def = util_world_def();
    iso_world *other = util_world_create(&def, &iso_game_sandbox);
    assert_int_equal(iso_world_restore(other, saved.bytes, saved.size), ISO_OK);
    assert_int_equal(iso_world_root(other), iso_world_root(world));
    for (int i = 0; i < 30; ++i) {
        util_steps(world, 1);
        util_steps(other, 1);
        assert_int_equal(iso_world_root(other), iso_world_root(world));
    }
    free(saved.bytes);
    util_world_free(other);
    util_world_free(world);
}

static void test_restore_keeps_the_hashes_of_shapes_right(void **state) {
    (void)state;
    iso_world *world = util_world_lively(5);
    (void)iso_world_root(world);
    const image saved = image_of(world);
    const uint64_t root = iso_world_root(world);
    // A shape changes and its shard is hashed anew; the image's hash must come back, not this one.
    const iso_shape_id shape = {0, world->shape_generations[0]};
    assert_int_equal(iso_shape_set_filter(world, shape, (iso_filter){4, 4, 4}), ISO_OK);
    assert_int_not_equal(iso_world_root(world), root);
    assert_int_equal(iso_world_restore(world, saved.bytes, saved.size), ISO_OK);
    assert_int_equal(world->shards[ISO_SECTION_SHAPES].dirty[0] & 1, 0); // nothing to hash again
    assert_int_equal(iso_world_root(world), root);
    // And an image whose shard was not hashed yet says so.
    assert_int_equal(iso_shape_set_filter(world, shape, (iso_filter){8, 8, 8}), ISO_OK);
    const image dirty = image_of(world);
    const uint64_t other_root = iso_world_root(world);
    assert_int_equal(iso_world_restore(world, saved.bytes, saved.size), ISO_OK);
    (void)iso_world_root(world);
    assert_int_equal(iso_world_restore(world, dirty.bytes, dirty.size), ISO_OK);
    assert_int_equal(iso_world_root(world), other_root);
    free(dirty.bytes);
    free(saved.bytes);
    util_world_free(world);
}

static void test_save_needs_room(void **state) {
    (void)state;
    iso_world *world = util_world_lively(5);
    const size_t size = iso_world_image_size(world);
    assert_true(size <= iso_world_image_size_max(world));
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_world_save(world, bytes, size - 1), 0);
    assert_int_equal(iso_world_save(world, bytes, size), size);
    free(bytes);
    util_world_free(world);
}

static void test_restore_refuses_what_is_no_image_of_this_world(void **state) {
    (void)state;
    iso_world *world = util_world_lively(5);
    const uint64_t root = iso_world_root(world);
    const image saved = image_of(world);
    util_steps(world, 1);
    const uint64_t now = iso_world_root(world);
    assert_int_not_equal(now, root);
    for (size_t size = 0; size < saved.size; size += 7) {
        assert_int_equal(iso_world_restore(world, saved.bytes, size), ISO_ERR_TRUNCATED);
    }
    const size_t head = 24, counts = head + offsetof(iso__globals, body_count);
    for (size_t i = 0; i < counts + 6 * sizeof(uint32_t); ++i) { // magic, definition and size; then counts
        if (i >= head && i < counts) {
            continue;
        }
        saved.bytes[i] ^= 0x41;
        const iso_status status = iso_world_restore(world, saved.bytes, saved.size);
        assert_true(status == ISO_ERR_SCHEMA);
        saved.bytes[i] ^= 0x41;
    }
    assert_int_equal(util_fresh_root(world), now);
    iso_world_def def = util_world_def();
    def.seed += 1;
    iso_world *other = util_world_create(&def, &iso_game_sandbox);
    assert_int_equal(iso_world_restore(other, saved.bytes, saved.size), ISO_ERR_SCHEMA);
    free(saved.bytes);
    util_world_free(other);
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_restored_world_is_the_same_and_goes_on_the_same),
        cmocka_unit_test(test_restore_forgets_what_came_after_the_save),
        cmocka_unit_test(test_restored_world_goes_on_the_same_after_a_mess),
        cmocka_unit_test(test_restore_into_another_world_of_the_definition),
        cmocka_unit_test(test_restore_keeps_the_hashes_of_shapes_right),
        cmocka_unit_test(test_save_needs_room),
        cmocka_unit_test(test_restore_refuses_what_is_no_image_of_this_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
