/// Joints whose rows are programs or functions of a game, against the native kinds on the same set-up.
#include "test_custom_util.h"

#include "isostep/draw.h"
#include "math/wide128.h"
#include "plane/joint/kind.h"

/// A double pendulum spreads the least difference. Rows that the native kinds have alike differ by rounding alone; a
/// point is a block of two there; here it is two rows, one after the other.
///
/// The largest way [m] that the second body of two swings is apart within some ticks.
/// @param lowest  where it has been [m]
static double largest_apart(iso_world *a, iso_world *b, int ticks, double *lowest) {
    double most = 0;
    *lowest = 0;
    for (int i = 0; i < ticks; ++i) {
        swing_run(a, 1);
        swing_run(b, 1);
        const double x = to_double(iso__plane_of(a)->bodies[2].position[0] - iso__plane_of(b)->bodies[2].position[0]);
        const double y = to_double(iso__plane_of(a)->bodies[2].position[1] - iso__plane_of(b)->bodies[2].position[1]);
        most = fmax(most, hypot(x, y));
        *lowest = fmin(*lowest, to_double(iso__plane_of(a)->bodies[2].position[1]));
    }
    return most;
}

static void compare_motion(const char *native, const char *custom, double tolerance) {
    iso_world *a = swing_make(native), *b = swing_make(custom);
    double lowest;
    const double apart = largest_apart(a, b, 300, &lowest);
    print_message("apart by at most %.6f m in 5 s\n", apart);
    assert_true(apart < tolerance);
    assert_true(lowest < -1); // it has swung
    free(a);
    free(b);
}

#define NATIVE_ANCHORS "'body_a': 'a', 'body_b': 'b', 'anchor_a': [0.75, 0], 'anchor_b': [-0.75, 0]"
#define NATIVE_WELD    ", {'kind': 'weld', " NATIVE_ANCHORS "}"
#define CUSTOM_WELD \
    ", {'kind': 'symbolic', 'constraint': 'weld', " BODIES "'vectors': {" ANCHORS "}, 'scalars': {'phase': 0}}"
#define NATIVE_DISTANCE ", {'kind': 'distance', " NATIVE_ANCHORS ", 'limit': {'lower': 0.25, 'upper': 0.5}}"
#define CUSTOM_DISTANCE                                                               \
    ", {'kind': 'symbolic', 'constraint': 'distance', " BODIES "'vectors': {" ANCHORS \
    "}, 'scalars': {'jointMin': 0.25, 'jointMax': 0.5}}"
#define NATIVE_LINE ", {'kind': 'line', " NATIVE_ANCHORS ", 'axis': [2, 1], 'limit': {'lower': -0.25, 'upper': 0.5}}"
#define CUSTOM_LINE                                                               \
    ", {'kind': 'symbolic', 'constraint': 'line', " BODIES "'vectors': {" ANCHORS \
    ", 'direction': [2, 1]}, 'scalars': {'jointMin': -0.25, 'jointMax': 0.5}}"
#define USER_PIVOT ", {'kind': 'user', 'constraint': 'pivot', " BODIES "'vectors': {" ANCHORS "}}"
#define USER_ANGLE \
    ", {'kind': 'user', 'constraint': 'angle', " BODIES "'scalars': {'ratio': 2, 'jointMin': -0.5, 'jointMax': 0.25}}"

static void test_the_documents_examples_move_as_the_native_joints(void **unused) {
    (void)unused;
    compare_motion(NATIVE_WELD, CUSTOM_WELD, 5e-3);
    compare_motion(NATIVE_DISTANCE, CUSTOM_DISTANCE, 5e-3);
    compare_motion(NATIVE_LINE, CUSTOM_LINE, 5e-3);
}

static void test_user_constraints_move_as_the_native_joints(void **unused) {
    (void)unused;
    compare_motion(", {'kind': 'revolute', " NATIVE_ANCHORS "}", USER_PIVOT, 1e-2);
    compare_motion(", {'kind': 'revolute', " NATIVE_ANCHORS
                   "}, {'kind': 'angle', 'body_a': 'a', 'body_b': 'b', 'ratio': 2,"
                   " 'limit': {'lower': -0.5, 'upper': 0.25}}",
                   USER_PIVOT USER_ANGLE, 1e-2);
}

/// The axes of joint 1, as at the begin of the next tick.
static uint32_t axes_of(iso_world *world, iso__plane_axis *axes) {
    const iso__plane_joint *joint = &iso__plane_of(world)->joints[1];
    const uint32_t none = world->def.body_capacity;
    iso__plane_joint_work work = {.joint = 1, .kind = joint->kind, .body_c = none, .body_d = none, .axes = axes};
    iso__plane_step_scratch *scratch = iso__plane_of(world)->scratch;
    for (uint32_t i = 0; i < world->globals->body_count; ++i) {
        scratch->rotations[i] = iso__plane_of(world)->body_derived[i].rotation;
    }
    iso__plane_joint_kind_of(work.kind)->prepare(iso__plane_of(world), joint, &work);
    iso__plane_joint_kind_of(work.kind)->update(scratch, &work);
    memmove(axes, work.axes, work.axis_count * sizeof *axes); // a custom joint has its own
    return work.axis_count;
}

static double axis_k(const iso__plane_axis *axis) {
    return ldexp(1, axis->base.fraction) / (double)axis->base.inverse;
}

/// Of each row of the two joints with a length: what it does to each body, and K.
static void compare_rows(const char *native, const char *custom, uint32_t count) {
    iso_world *a = swing_make(native), *b = swing_make(custom);
    swing_run(a, 40);
    for (uint32_t i = 0; i < 3; ++i) { // the same places
        iso__plane_of(b)->bodies[i] = iso__plane_of(a)->bodies[i];
        iso__plane_of(b)->body_derived[i].rotation = iso__plane_of(a)->body_derived[i].rotation;
    }
    iso__plane_axis of_a[ISO__PLANE_JOINT_AXES], of_b[ISO__PLANE_JOINT_AXES];
    assert_int_equal(axes_of(a, of_a), count);
    assert_int_equal(axes_of(b, of_b), count);
    for (uint32_t n = 0; n < count; ++n) {
        assert_true(fabs(axis_k(&of_a[n]) / axis_k(&of_b[n]) - 1) < 1e-6);
        assert_true(fabs(to_double(of_a[n].base.position - of_b[n].base.position)) < 1e-7);
        for (uint32_t t = 0; t < 2; ++t) {
            const iso__plane_axis_term *native_term = &of_a[n].terms[t], *term = &of_b[n].terms[t];
            assert_true(fabs(to_double(native_term->arm - term->arm)) < 1e-7);
            assert_true(fabs(ldexp((double)(native_term->gain - term->gain), -38)) < 1e-6);
            for (int axis = 0; axis < 2 && !of_b[n].base.is_angle; ++axis) { // an angle has none
                assert_true(fabs(to_double(native_term->direction[axis] - term->direction[axis])) < 1e-7);
                assert_true(fabs(to_double(native_term->push[axis] - term->push[axis])) < 1e-7);
            }
        }
    }
    free(a);
    free(b);
}

static void test_rows_are_those_of_the_native_joints(void **unused) {
    (void)unused;
    compare_rows(NATIVE_DISTANCE, CUSTOM_DISTANCE, 1);
    compare_rows(NATIVE_LINE, CUSTOM_LINE, 2);
    compare_rows(", {'kind': 'angle', 'body_a': 'a', 'body_b': 'b', 'limit': {'lower': -0.5, 'upper': 0.25}}",
                 ", {'kind': 'user', 'constraint': 'angle', " BODIES
                 "'scalars': {'ratio': 1, 'jointMin': -0.5, 'jointMax': 0.25}}",
                 1);
}

/// sigma K = J M^-1 J^T of the weld's three rows, from masses in double.
static void test_k_is_j_m_j(void **unused) {
    (void)unused;
    iso_world *world = swing_make(CUSTOM_WELD);
    swing_run(world, 50);
    iso__plane_axis axes[ISO__PLANE_JOINT_AXES];
    assert_int_equal(axes_of(world, axes), 3);
    double m[2], inertia[2], r[2][2];
    for (int i = 0; i < 2; ++i) {
        const iso__plane_body_derived *body = &iso__plane_of(world)->body_derived[1 + i];
        const double c = ldexp(body->rotation.c, -30), s = ldexp(body->rotation.s, -30), x = i == 0 ? 0.75 : -0.75;
        m[i] = to_double(body->mass);
        inertia[i] = to_double(body->inertia);
        r[i][0] = c * x;
        r[i][1] = s * x;
    }
    const double sigma = 1 / m[0] + 1 / m[1];
    const double kx = sigma + r[0][1] * r[0][1] / inertia[0] + r[1][1] * r[1][1] / inertia[1];
    const double ky = sigma + r[0][0] * r[0][0] / inertia[0] + r[1][0] * r[1][0] / inertia[1];
    assert_true(fabs(axis_k(&axes[0]) * sigma / kx - 1) < 1e-5);
    assert_true(fabs(axis_k(&axes[1]) * sigma / ky - 1) < 1e-5);
    assert_true(fabs(axis_k(&axes[2]) - 1) < 1e-5);
    free(world);
}

// ---- what every kind has -------------------------------------------------------------------------

static void test_forces_are_those_of_the_native_weld(void **unused) {
    (void)unused;
    iso_world *a = swing_make(NATIVE_WELD), *b = swing_make(CUSTOM_WELD);
    swing_run(a, 25);
    swing_run(b, 25);
    iso_vec2_wide native, custom;
    assert_int_equal(iso_joint_get_force(a, swing_joint(a, 1), &native), ISO_OK);
    assert_int_equal(iso_joint_get_force(b, swing_joint(b, 1), &custom), ISO_OK);
    const double most = hypot(to_double(native.x), to_double(native.y));
    assert_true(most > 1);
    assert_true(hypot(to_double(native.x - custom.x), to_double(native.y - custom.y)) < 0.05 * most);
    iso_wide separation;
    assert_int_equal(iso_joint_get_separation(b, swing_joint(b, 1), &separation), ISO_OK);
    assert_true(to_double(separation) < 0.01);
    free(a);
    free(b);
}

static void test_a_custom_joint_breaks_and_tells_its_constraint(void **unused) {
    (void)unused;
    iso_world *world =
        swing_make(USER_PIVOT ", {'kind': 'user', 'constraint': 'angle', " BODIES
                              "'scalars': {'ratio': 1, 'jointMin': 0, 'jointMax': 0}, 'break': {'torque': 0.5}}");
    const iso_joint_id joint = swing_joint(world, 2);
    swing_run(world, 60);
    iso_joint_def def;
    assert_int_equal(iso_joint_get(world, joint, &def), ISO_OK);
    assert_false(def.enabled);
    assert_int_equal(iso__plane_of(world)->custom_joints[1].state[1], 1);
    const int64_t ticks = iso__plane_of(world)->custom_joints[1].state[0];
    assert_in_range(ticks, 1, 59);
    swing_run(world, 5);
    assert_int_equal(iso__plane_of(world)->custom_joints[1].state[0], ticks); // what is off is not prepared
    free(world);
}

static void test_a_largest_force_lets_go(void **unused) {
    (void)unused;
    iso_world *world = swing_make(", {'kind': 'symbolic', 'constraint': 'weld', " BODIES "'vectors': {" ANCHORS
                                  "}, 'scalars': {'phase': 0}, 'force_max': 0.5, 'torque_max': 0.25}");
    for (int i = 0; i < 30; ++i) {
        swing_run(world, 1);
        iso_vec2_wide force;
        assert_int_equal(iso_joint_get_force(world, swing_joint(world, 1), &force), ISO_OK);
        assert_true(fabs(to_double(force.x)) < 0.51 && fabs(to_double(force.y)) < 0.51); // each row
    }
    iso_wide separation;
    assert_int_equal(iso_joint_get_separation(world, swing_joint(world, 1), &separation), ISO_OK);
    assert_true(to_double(separation) > 0.2);
    free(world);
}

static void test_parameters_change_live(void **unused) {
    (void)unused;
    iso_world *world = swing_make(CUSTOM_DISTANCE);
    const iso_joint_id joint = swing_joint(world, 1);
    swing_run(world, 100);
    iso_joint_def def;
    uint32_t wrong = 7;
    assert_int_equal(iso_joint_get(world, joint, &def), ISO_OK);
    assert_int_equal(def.params.scalars[1], ISO_WIDE_ONE / 2);
    def.params.scalars[0] = def.params.scalars[1] = 2 * ISO_WIDE_ONE;
    assert_int_equal(iso_joint_set(world, joint, &def), ISO_OK);
    swing_run(world, 100);
    iso_wide length;
    iso_program_params bad = def.params;
    bad.scalars[0] = -1; // below 0
    assert_int_equal(iso_joint_set_params(world, joint, &bad, &wrong), ISO_ERR_RANGE);
    assert_int_equal(wrong, 0);
    bad = def.params;
    bad.scalars[2] = 1; // it has two
    assert_int_equal(iso_joint_set_params(world, joint, &bad, &wrong), ISO_ERR_RANGE);
    assert_int_equal(iso_joint_get_separation(world, joint, &length), ISO_OK);
    assert_true(to_double(length) < 0.05); // it holds 2 m
    def.constraint = 0;
    assert_int_equal(iso_joint_set(world, joint, &def), ISO_ERR_WRONG_TYPE);
    assert_int_equal(iso_joint_set_params(world, swing_joint(world, 0), &def.params, NULL), ISO_ERR_WRONG_TYPE);
    free(world);
}

static void test_a_change_of_mass_keeps_the_force(void **unused) {
    (void)unused;
    iso_world *world = swing_make(CUSTOM_WELD);
    swing_run(world, 25);
    const iso__plane_joint before = iso__plane_of(world)->joints[1];
    const double mass[2] = {to_double(iso__plane_of(world)->body_derived[1].mass),
                            to_double(iso__plane_of(world)->body_derived[2].mass)};
    const double inertia[2] = {to_double(iso__plane_of(world)->body_derived[1].inertia),
                               to_double(iso__plane_of(world)->body_derived[2].inertia)};
    assert_int_equal(iso_body_set_mass(world, iso_body_next(world, 2), 4 * iso__plane_of(world)->body_derived[2].mass,
                                       3 * iso__plane_of(world)->body_derived[2].inertia / 2),
                     ISO_OK);
    const double ratio = (1 / mass[0] + 0.25 / mass[1]) / (1 / mass[0] + 1 / mass[1]);
    for (uint32_t n = 0; n < 4; n += 2) {
        assert_true(fabs((double)before.impulse[n] * ratio - (double)iso__plane_of(world)->joints[1].impulse[n]) <=
                    1e-6 * fabs((double)before.impulse[n]));
    }
    const double turn = (1 / inertia[0] + 1 / to_double(iso__plane_of(world)->body_derived[2].inertia)) /
                        (1 / inertia[0] + 1 / inertia[1]);
    assert_true(before.impulse[4] != 0 && fabs(turn - ratio) > 0.01);
    assert_true(fabs((double)before.impulse[4] * turn - (double)iso__plane_of(world)->joints[1].impulse[4]) <=
                1e-5 * fabs((double)before.impulse[4]));
    free(world);
}

/// A row that was a limit and becomes a hold begins anew: what pushed from one side must not pull from both.
static void test_a_row_of_another_sort_begins_anew(void **unused) {
    (void)unused;
    iso_world *world = swing_make(CUSTOM_DISTANCE);
    const iso__plane_joint *record = &iso__plane_of(world)->joints[1];
    for (int t = 0; t < 300 && record->impulse[0] == 0 && record->impulse[1] == 0; ++t) {
        swing_run(world, 1);
    }
    assert_true(record->impulse[0] != 0 || record->impulse[1] != 0);
    iso_joint_def def;
    assert_int_equal(iso_joint_get(world, swing_joint(world, 1), &def), ISO_OK);
    def.params.scalars[0] = def.params.scalars[1];
    assert_int_equal(iso_joint_set_params(world, swing_joint(world, 1), &def.params, NULL), ISO_OK);
    assert_true(record->impulse[0] == 0 && record->impulse[1] == 0);
    swing_run(world, 5);
    assert_true(record->impulse[0] != 0);
    assert_int_equal(iso_joint_enable(world, swing_joint(world, 1), false), ISO_OK);
    assert_true(record->impulse[0] == 0);
    free(world);
}

/// What becomes of a joint between steps is in the root at once, as if all of it were hashed anew.
static void test_roots_follow_every_change(void **unused) {
    (void)unused;
    for (int what = 0; what < 4; ++what) {
        iso_world *world = swing_make(CUSTOM_DISTANCE);
        const iso_joint_id joint = swing_joint(world, 1);
        swing_run(world, 20);
        const uint64_t before = iso_world_root(world);
        iso_joint_def def;
        assert_int_equal(iso_joint_get(world, joint, &def), ISO_OK);
        if (what == 0) {
            def.params.scalars[1] += 1;
            assert_int_equal(iso_joint_set_params(world, joint, &def.params, NULL), ISO_OK);
        } else if (what == 1) {
            assert_int_equal(iso_joint_destroy(world, joint), ISO_OK);
        } else if (what == 2) {
            iso_joint_id other;
            assert_int_equal(iso_joint_create(world, &def, &other), ISO_OK);
        } else {
            assert_int_equal(
                iso_body_set_mass(world, iso_body_next(world, 2), 4 * iso__plane_of(world)->body_derived[2].mass, 0),
                ISO_OK);
        }
        const uint64_t after = iso_world_root(world);
        assert_true(after != before);
        iso_world_drop_caches(world);
        assert_true(iso_world_root(world) == after);
        free(world);
    }
}

static void test_custom_joints_are_drawn(void **unused) {
    (void)unused;
    iso_world *world =
        swing_make(USER_PIVOT ", {'kind': 'symbolic', 'constraint': 'line', " BODIES "'vectors': {" ANCHORS
                              ", 'direction': [2, 1]}, 'scalars': {'jointMin': 0, 'jointMax': 1}}");
    iso_draw draw;
    uint32_t seen = 0;
    iso_draw_begin(&draw, world, ISO_DRAW_JOINTS);
    for (const iso_draw_item *item = iso_draw_next(&draw); item != NULL; item = iso_draw_next(&draw)) {
        seen |= 1u << item->joint_kind;
    }
    assert_int_equal(seen, 1u << ISO_JOINT_REVOLUTE | 1u << ISO_JOINT_USER | 1u << ISO_JOINT_SYMBOLIC);
    free(world);
}

/// Numbers that no scene would have: the world stays within its bounds and goes on.
static void test_extreme_rows_do_no_harm(void **unused) {
    (void)unused;
    static const char source[] = "body b scalar k constraint { k * k * b.position b.rotation * k }";
    iso_world *world = swing_make("");
    iso_program program;
    iso_program_scratch *scratch = malloc(sizeof *scratch);
    uint32_t index;
    assert_int_equal(iso_program_compile(source, sizeof source - 1, scratch, &program, NULL), ISO_OK);
    free(scratch);
    world->globals->program_count = 2; // room for one
    assert_int_equal(iso_world_add_program(world, &program, &index), ISO_OK);
    assert_int_equal(iso_world_add_program(world, &program, &index), ISO_ERR_CAPACITY);
    iso_joint_def def = iso_joint_def_default();
    def.kind = ISO_JOINT_SYMBOLIC;
    def.constraint = index;
    def.body_b = iso_body_next(world, 2);
    iso_joint_id joint;
    const iso_wide values[] = {0, 1, -1, ISO_WIDE_ONE, 1000 * ISO_WIDE_ONE, ISO_WIDE_MAX, ISO_WIDE_MIN};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        def.params.scalars[0] = values[i];
        if (i < 3) { // no body moves the row
            assert_int_equal(iso_joint_create(world, &def, &joint), ISO_ERR_RANGE);
            continue;
        }
        assert_int_equal(iso_joint_create(world, &def, &joint), ISO_OK);
        swing_run(world, 30);
        iso_vec2_wide force;
        assert_int_equal(iso_joint_get_force(world, joint, &force), ISO_OK);
        assert_int_equal(iso_joint_destroy(world, joint), ISO_OK);
        iso_world_counts counts;
        iso_world_get_counts(world, &counts);
        assert_int_equal(counts.clamped_rows > 0, i >= 4); // k k is J, which ends at 2^18
    }
    assert_int_equal(world->globals->custom_joint_count, 1); // the lowest free record was taken each time
    free(world);
}

/// A world with one more program.
static iso_status program_add(iso_world *world, const char *source, uint32_t *index) {
    iso_program program;
    iso_program_scratch *scratch = malloc(sizeof *scratch);
    assert_int_equal(iso_program_compile(source, strlen(source), scratch, &program, NULL), ISO_OK);
    free(scratch);
    world->globals->program_count = 2; // room for one
    return iso_world_add_program(world, &program, index);
}

/// C is cut where it enters, and that is counted, though J is a plain 1.
static void test_a_place_beyond_the_range_is_cut(void **unused) {
    (void)unused;
    for (int sign = -1; sign <= 1; ++sign) {
        iso_world *world = swing_make("");
        iso_joint_def def = iso_joint_def_default();
        iso_joint_id joint;
        assert_int_equal(program_add(world, "body b scalar k constraint b.rotation + k", &def.constraint), ISO_OK);
        def.kind = ISO_JOINT_SYMBOLIC;
        def.body_b = iso_body_next(world, 2);
        def.params.scalars[0] = sign * (ISO_WIDE_ONE << 30); // beyond 2^24
        assert_int_equal(iso_joint_create(world, &def, &joint), ISO_OK);
        swing_run(world, 1);
        iso_world_counts counts;
        iso_world_get_counts(world, &counts);
        assert_int_equal(counts.clamped_rows > 0, sign != 0);
        free(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_documents_examples_move_as_the_native_joints),
        cmocka_unit_test(test_user_constraints_move_as_the_native_joints),
        cmocka_unit_test(test_rows_are_those_of_the_native_joints),
        cmocka_unit_test(test_k_is_j_m_j),
        cmocka_unit_test(test_forces_are_those_of_the_native_weld),
        cmocka_unit_test(test_a_custom_joint_breaks_and_tells_its_constraint),
        cmocka_unit_test(test_a_largest_force_lets_go),
        cmocka_unit_test(test_parameters_change_live),
        cmocka_unit_test(test_a_change_of_mass_keeps_the_force),
        cmocka_unit_test(test_a_row_of_another_sort_begins_anew),
        cmocka_unit_test(test_roots_follow_every_change),
        cmocka_unit_test(test_custom_joints_are_drawn),
        cmocka_unit_test(test_extreme_rows_do_no_harm),
        cmocka_unit_test(test_a_place_beyond_the_range_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
