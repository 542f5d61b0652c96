/// A joint of six rows: a program that welds two bodies, hangs them on a pivot, and limits how far they turn. The last
/// three rows bear the load; their impulses are in the joint's own record.
#include "test_custom_util.h"

#include "plane/world/joint_mass.h"

#define FIRST_LIMIT 10u // the impulse of the lower limit of the sixth row

static const char TEXT[] = "body wall, a, b vector pivot, tip, root scalar low, high limit low (-inf) high constraint"
                           " { (b.position + relative b.rotation root) - (a.position + relative a.rotation tip)"
                           " b.rotation - a.rotation"
                           " (a.position + relative a.rotation root) - (wall.position + pivot)"
                           " a.rotation }"
                           " limit constraint { 0 0 0 0 0 low } { 0 0 0 0 0 high }";

/// The swing with its own hinge taken away, and the joint of six rows in place of all.
static iso_world *six_make(iso_joint_id *joint, double low, double high) {
    iso_world *world = swing_make("");
    iso_program program;
    iso_program_error wrong;
    iso_program_scratch *scratch = malloc(sizeof *scratch);
    if (iso_program_compile(TEXT, strlen(TEXT), scratch, &program, &wrong) != ISO_OK) {
        fail_msg("%u:%u %s", wrong.line, wrong.column, wrong.message);
    }
    free(scratch);
    assert_int_equal(program.row_count, 6);
    iso_joint_def def = iso_joint_def_default();
    world->globals->program_count = 2; // room for one
    assert_int_equal(iso_world_add_program(world, &program, &def.constraint), ISO_OK);
    assert_int_equal(iso_joint_destroy(world, swing_joint(world, 0)), ISO_OK);
    def.kind = ISO_JOINT_SYMBOLIC;
    def.body_a = iso_body_next(world, 0);
    def.body_b = iso_body_next(world, 1);
    def.body_c = iso_body_next(world, 2);
    def.params = (iso_program_params){
        .vectors = {{ISO_WIDE_ONE / 4, 0}, {3 * ISO_WIDE_ONE / 4, 0}, {-3 * ISO_WIDE_ONE / 4, 0}},
        .scalars = {(iso_wide)(low * 4294967296.0), (iso_wide)(high * 4294967296.0)},
    };
    assert_int_equal(iso_joint_create(world, &def, joint), ISO_OK);
    return world;
}

static iso__plane_custom_joint *record_of(iso_world *world, iso_joint_id joint) {
    return iso__plane_custom_of(iso__plane_of(world), &iso__plane_of(world)->joints[joint.index]);
}

static int64_t impulse_of(iso_world *world, iso_joint_id joint, uint32_t n) {
    return iso__plane_custom_impulse(&iso__plane_of(world)->joints[joint.index], record_of(world, joint), n);
}

/// Against a native weld, hinge and limit.
static void test_six_rows_hold_as_three_native_joints(void **state) {
    (void)state;
    iso_joint_id joint;
    iso_world *a = six_make(&joint, -0.5, 4);
    iso_world *b =
        swing_make(", {'kind': 'weld', 'body_a': 'a', 'body_b': 'b', 'anchor_a': [0.75, 0], 'anchor_b': [-0.75, 0]}"
                   ", {'kind': 'angle', 'body_a': 'wall', 'body_b': 'a', 'limit': {'lower': -0.5, 'upper': 4}}");
    double most = 0;
    for (int t = 0; t < 300; ++t) {
        swing_run(a, 1);
        swing_run(b, 1);
        most = fmax(
            most, hypot(to_double(iso__plane_of(a)->bodies[2].position[0] - iso__plane_of(b)->bodies[2].position[0]),
                        to_double(iso__plane_of(a)->bodies[2].position[1] - iso__plane_of(b)->bodies[2].position[1])));
    }
    print_message("apart by at most %.6f m in 5 s\n", most);
    assert_true(most < 0.05);
    assert_true(fabs(to_double(iso__plane_of(a)->bodies[2].position[1]) + 2.25 * sin(0.5)) < 0.005);
    // All of the weight is on the pivot's rows, and all of its torque about the pivot on the limit.
    const double rate = (double)a->def.tick_rate_hz * a->def.substep_count;
    const double weight =
        10 * to_double(iso__plane_of(a)->body_derived[1].mass + iso__plane_of(a)->body_derived[2].mass);
    const double sigma =
        1 / to_double(iso__plane_of(a)->body_derived[1].mass) + 1 / to_double(iso__plane_of(a)->body_derived[2].mass);
    assert_true(fabs(to_double(impulse_of(a, joint, 8)) * rate / sigma - weight) < 0.01 * weight);
    assert_true(impulse_of(a, joint, FIRST_LIMIT) > 0);
    free(a);
    free(b);
}

static void test_what_is_saved_goes_on_the_same(void **state) {
    (void)state;
    iso_joint_id joint;
    iso_world *a = six_make(&joint, -0.5, 4), *b = swing_make("");
    swing_run(a, 100);
    const size_t image_size = iso_world_image_size(a), size = iso_snapshot_size(a);
    uint8_t *image = malloc(image_size), *bytes = malloc(size);
    assert_int_equal(iso_world_save(a, image, image_size), image_size);
    assert_int_equal(iso_snapshot_encode(a, bytes, size), size);
    assert_int_equal(iso_snapshot_decode(b, bytes, size), ISO_OK);
    assert_true(impulse_of(b, joint, 8) != 0 && impulse_of(b, joint, 8) == impulse_of(a, joint, 8));
    uint64_t roots[40];
    for (int t = 0; t < 40; ++t) {
        roots[t] = iso_world_root(a);
        assert_true(iso_world_root(b) == roots[t]);
        swing_run(a, 1);
        swing_run(b, 1);
    }
    assert_int_equal(iso_world_restore(a, image, image_size), ISO_OK);
    iso_world_drop_caches(a);
    for (int t = 0; t < 40; ++t) {
        assert_true(iso_world_root(a) == roots[t]);
        swing_run(a, 1);
    }
    free(image);
    free(bytes);
    free(a);
    free(b);
}

/// What a change of the joint does to the impulses of all six rows; the root is as if all were hashed anew.
static void test_changes_reach_the_last_rows(void **state) {
    (void)state;
    iso_joint_id joint;
    iso_world *world = six_make(&joint, -0.5, 4);
    swing_run(world, 200);
    const int64_t held = impulse_of(world, joint, 8), limit = impulse_of(world, joint, FIRST_LIMIT);
    assert_true(held != 0 && limit > 0);
    assert_int_equal(iso_body_set_mass(world, iso_body_next(world, 2), 4 * iso__plane_of(world)->body_derived[2].mass,
                                       4 * iso__plane_of(world)->body_derived[2].inertia),
                     ISO_OK);
    assert_true(llabs(impulse_of(world, joint, 8)) < llabs(held) && impulse_of(world, joint, 8) != 0);
    assert_true(impulse_of(world, joint, FIRST_LIMIT) < limit && impulse_of(world, joint, FIRST_LIMIT) != 0);
    uint64_t root = iso_world_root(world);
    iso_world_drop_caches(world);
    assert_true(iso_world_root(world) == root);
    iso_joint_def def;
    assert_int_equal(iso_joint_get(world, joint, &def), ISO_OK);
    def.params.scalars[1] = def.params.scalars[0]; // the limits become a hold, which begins anew
    assert_int_equal(iso_joint_set_params(world, joint, &def.params, NULL), ISO_OK);
    assert_true(impulse_of(world, joint, FIRST_LIMIT) == 0 && impulse_of(world, joint, 8) != 0);
    (void)iso_world_root(world);
    assert_int_equal(iso_joint_enable(world, joint, false), ISO_OK);
    for (uint32_t n = 0; n < 12; ++n) {
        assert_int_equal(impulse_of(world, joint, n), 0);
    }
    root = iso_world_root(world);
    iso_world_drop_caches(world);
    assert_true(iso_world_root(world) == root);
    swing_run(world, 30);
    assert_true(to_double(iso__plane_of(world)->bodies[2].position[1]) < -1.5); // it falls
    free(world);
}

/// Also when no record of a custom joint is free: it has its own.
static void test_bodies_are_changed(void **state) {
    (void)state;
    iso_joint_id joint, copy;
    iso_world *world = six_make(&joint, -0.5, 4);
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(iso_joint_copy(world, joint, NULL, &copy), ISO_OK);
        assert_int_equal(iso_joint_enable(world, copy, false), ISO_OK);
    }
    swing_run(world, 100);
    iso_joint_def before, after;
    assert_int_equal(iso_joint_get(world, joint, &before), ISO_OK);
    const iso_body_id bodies[4] = {before.body_a, before.body_c, before.body_b};
    const iso_body_id two[4] = {before.body_a, before.body_c};
    assert_int_equal(iso_joint_set_bodies(world, joint, two), ISO_ERR_WRONG_TYPE);
    assert_true(impulse_of(world, joint, 8) != 0);
    (void)iso_world_root(world);
    assert_int_equal(iso_joint_set_bodies(world, joint, bodies), ISO_OK);
    for (uint32_t n = 0; n < 12; ++n) {
        assert_int_equal(impulse_of(world, joint, n), 0);
    }
    assert_int_equal(iso_joint_get(world, joint, &after), ISO_OK);
    before.body_b = bodies[1];
    before.body_c = bodies[2];
    assert_memory_equal(&before, &after, sizeof before);
    const uint64_t root = iso_world_root(world);
    iso_world_drop_caches(world);
    assert_true(iso_world_root(world) == root);
    free(world);
}

/// A limit pushes and does not pull, and a row that is held has no second impulse.
static void test_impulses_that_no_step_leaves_are_refused(void **state) {
    (void)state;
    const struct {
        uint32_t n;
        int64_t impulse;
        iso_status expected;
    } cases[] = {{8, ISO__AXIS_IMPULSE_MAX, ISO_OK},
                 {8, ISO__AXIS_IMPULSE_MAX + 1, ISO_ERR_CORRUPT},
                 {9, 1, ISO_ERR_CORRUPT},
                 {10, -1, ISO_ERR_CORRUPT},
                 {11, 1, ISO_ERR_CORRUPT},
                 {11, -1, ISO_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        iso_joint_id joint;
        iso_world *a = six_make(&joint, -0.5, 4), *b = swing_make("");
        swing_run(a, 20);
        iso__plane_custom_set_impulse(&iso__plane_of(a)->joints[joint.index], record_of(a, joint), cases[i].n,
                                      cases[i].impulse);
        iso_world_drop_caches(a);
        const size_t size = iso_snapshot_size(a);
        uint8_t *bytes = malloc(size);
        assert_int_equal(iso_snapshot_encode(a, bytes, size), size);
        assert_int_equal(iso_snapshot_decode(b, bytes, size), cases[i].expected);
        free(bytes);
        free(a);
        free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_six_rows_hold_as_three_native_joints),
        cmocka_unit_test(test_what_is_saved_goes_on_the_same),
        cmocka_unit_test(test_changes_reach_the_last_rows),
        cmocka_unit_test(test_bodies_are_changed),
        cmocka_unit_test(test_impulses_that_no_step_leaves_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
