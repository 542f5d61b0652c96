/// Every operation at its edges, and the rules for zero: nothing is undefined for any input.

#include <stdlib.h>

#include "test_program_util.h"

#define ONE ISO_WIDE_ONE
#define TOP INT64_MAX

static void test_operations_have_written_results_at_the_edges(void **unused) {
    (void)unused;
    const struct {
        uint8_t operation;
        int64_t a, b, c, d, result;
    } cases[] = {
        {ISO__OP_ADD, TOP, 1, 0, 0, TOP},
        {ISO__OP_ADD, -TOP, -1, 0, 0, -TOP}, // not -2^63
        {ISO__OP_ADD, TOP, -TOP, 0, 0, 0},
        {ISO__OP_SUB, -TOP, TOP, 0, 0, -TOP},
        {ISO__OP_SUB, TOP, -1, 0, 0, TOP},
        {ISO__OP_NEG, -TOP, 0, 0, 0, TOP},
        {ISO__OP_NEG, TOP, 0, 0, 0, -TOP},
        {ISO__OP_ABS, -TOP, 0, 0, 0, TOP},
        {ISO__OP_ABS, -1, 0, 0, 0, 1},
        {ISO__OP_SIGN, 0, 0, 0, 0, ONE},
        {ISO__OP_SIGN, 1, 0, 0, 0, ONE},
        {ISO__OP_SIGN, -1, 0, 0, 0, -ONE},
        {ISO__OP_MUL, TOP, TOP, 0, 0, TOP},
        {ISO__OP_MUL, TOP, -TOP, 0, 0, -TOP},
        {ISO__OP_MUL, ONE / 2, 1, 0, 0, 1}, // a half is rounded up
        {ISO__OP_MUL, -ONE / 2, 1, 0, 0, 0},
        {ISO__OP_MUL, ONE / 2, ONE / 2, 0, 0, ONE / 4},
        {ISO__OP_DOT, TOP, TOP, TOP, TOP, TOP}, // below 2^127 before it is rounded
        {ISO__OP_DOT, -TOP, TOP, -TOP, TOP, -TOP},
        {ISO__OP_DOT, TOP, TOP, -TOP, TOP, 0},
        {ISO__OP_DOT, 1, ONE / 4, 1, ONE / 4, 1}, // rounded once
        {ISO__OP_DET, TOP, TOP, TOP, TOP, 0},
        {ISO__OP_DET, TOP, TOP, -TOP, TOP, TOP},
        {ISO__OP_DET, -TOP, TOP, TOP, TOP, -TOP},
        {ISO__OP_DET, 3 * ONE, 5 * ONE, 2 * ONE, 4 * ONE, 7 * ONE},
        {ISO__OP_RATIO, 0, 0, 0, 0, 0},
        {ISO__OP_RATIO, TOP, 0, 0, 0, 0},
        {ISO__OP_RATIO, -1, 0, 0, 0, 0},
        {ISO__OP_RATIO, TOP, 1, 0, 0, TOP},
        {ISO__OP_RATIO, TOP, -1, 0, 0, -TOP},
        {ISO__OP_RATIO, ONE, 3 * ONE, 0, 0, 1431655765},
        {ISO__OP_RATIO, 1, 2 * ONE, 0, 0, 1}, // a half is rounded away from zero
        {ISO__OP_RATIO, -1, 2 * ONE, 0, 0, -1},
        {ISO__OP_HEADING, 0, 0, 0, 0, ONE},
        {ISO__OP_HEADING, -TOP, 0, 0, 0, ONE},
        {ISO__OP_HEADING, -5, 5, 0, 0, -ONE},
        {ISO__OP_HEADING, 0, 5, 0, 0, 0},
        {ISO__OP_HYPOT, 0, 0, 0, 0, 0},
        {ISO__OP_HYPOT, 3, -4, 0, 0, 5},
        {ISO__OP_HYPOT, -TOP, TOP, 0, 0, TOP},
        {ISO__OP_COS, 0, 0, 0, 0, ONE},
        {ISO__OP_SIN, 0, 0, 0, 0, 0},
        {ISO__OP_COS, ISO_WIDE_PI, 0, 0, 0, -ONE},
        {0, 1, 2, 3, 4, 0}, // no operation
        {ISO__OP_COUNT, 1, 2, 3, 4, 0},
        {255, 1, 2, 3, 4, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        assert_int_equal(iso__operate(cases[i].operation, cases[i].a, cases[i].b, cases[i].c, cases[i].d),
                         cases[i].result);
    }
    // Any angle has a cosine and sine: 2^31 rad are reduced modulo a turn.
    for (int64_t angle = -TOP; angle < TOP - (TOP >> 6); angle += TOP >> 6) {
        int64_t c = iso__operate(ISO__OP_COS, angle, 0, 0, 0);
        int64_t s = iso__operate(ISO__OP_SIN, angle, 0, 0, 0);
        assert_true(fabs(to_double(c) * to_double(c) + to_double(s) * to_double(s) - 1) < 1e-8);
    }
}

static void test_no_operation_leaves_the_registers_range(void **unused) {
    (void)unused;
    uint64_t random = 30;
    for (int i = 0; i < 300000; ++i) {
        int64_t operands[4];
        for (int k = 0; k < 4; ++k) {
            operands[k] = iso__register_value(random_i64(&random));
        }
        uint8_t operation = (uint8_t)(1 + random_u64(&random) % (ISO__OP_COUNT - 1));
        int64_t result = iso__operate(operation, operands[0], operands[1], operands[2], operands[3]);
        assert_true(result != INT64_MIN);
    }
    assert_int_equal(iso__register_value(INT64_MIN), -TOP);
    assert_int_equal(iso__register_value(TOP), TOP);
}

/// The rows of a source for the given state.
static iso__program_rows rows_of(const char *source, const program_state *state) {
    iso_program program;
    iso__program_rows rows = {.error = {0}};
    compile_good(source, &program);
    iso__program_evaluate(&program, state->bodies, &state->params, &rows);
    return rows;
}

static void test_a_zero_vector_points_along_x(void **unused) {
    (void)unused;
    program_state state = {0};
    set_body(&state.bodies[0], 0, 0, 0);
    set_body(&state.bodies[1], 0, 0, 0);
    iso__program_rows rows = rows_of("body a, b constraint |b.position - a.position|", &state);
    assert_int_equal(rows.error[0], 0);
    assert_int_equal(rows.jacobian[0][0][0], -ONE);
    assert_int_equal(rows.jacobian[0][0][1], 0);
    assert_int_equal(rows.jacobian[0][1][0], ONE);
    assert_int_equal(rows.jacobian[0][1][1], 0);

    rows = rows_of("body a, b constraint unit (b.position - a.position)", &state);
    assert_int_equal(rows.error[0], ONE);
    assert_int_equal(rows.error[1], 0);
    for (int k = 0; k < 12; ++k) {
        assert_int_equal(rows.jacobian[k / 6][k / 3 % 2][k % 3], 0);
    }

    rows = rows_of("body a constraint { |a.rotation| a.rotation / a.position.x 2 / a.rotation }", &state);
    assert_int_equal(rows.error[0], 0);
    assert_int_equal(rows.jacobian[0][0][2], ONE); // sign(0) = 1
    for (int r = 1; r < 3; ++r) {
        assert_int_equal(rows.error[r], 0);
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(rows.jacobian[r][0][k], 0);
        }
    }
}

static void test_a_body_turns_what_is_fixed_to_it_about_its_centre(void **unused) {
    (void)unused;
    program_state state = {.params = {.vectors = {{2 * ONE, 0}}}};
    set_body(&state.bodies[0], 0, 0, ISO_WIDE_PI / 2);
    // A quarter turn is exact only to the quantum of turns: the sine is exact, the cosine within 2e-9.
    iso__program_rows rows = rows_of("body a vector v constraint a.position + relative a.rotation v", &state);
    assert_true(llabs(rows.error[0]) < 32);
    assert_true(llabs(rows.error[1] - 2 * ONE) < 32);
    assert_int_equal(rows.jacobian[0][0][2], -rows.error[1]);
    assert_int_equal(rows.jacobian[1][0][2], rows.error[0]);
    // relative by a sum of angles computes its own cosine and sine, and the chain rule holds.
    state.params.scalars[0] = ISO_WIDE_PI / 2;
    rows = rows_of("body a vector v scalar s constraint a.position + relative (2 * a.rotation + s) v", &state);
    assert_true(llabs(rows.error[0]) < 64);
    assert_true(llabs(rows.error[1] + 2 * ONE) < 64);
    assert_true(llabs(rows.jacobian[0][0][2] - 4 * ONE) < 256);
    assert_true(llabs(rows.jacobian[1][0][2]) < 256);
}

static void test_two_ways_to_write_the_same(void **unused) {
    (void)unused;
    static const char *const pairs[][2] = {
        {"body a constraint a.rotation - 1.5E1", "body a constraint a.rotation - 15"},
        {"body a constraint a.rotation - 1.5e+1", "body a constraint a.rotation - 15"},
        {"body a constraint --a.rotation", "body a constraint a.rotation"},
        {"body a constraint ---a.rotation", "body a constraint -a.rotation"},
        {"# a comment\rgoes on to its line's end\nbody a constraint a.rotation", "body a constraint a.rotation"},
        {"body a scalar s constraint { s -# a comment is a space\na.rotation }",
         "body a scalar s constraint { s - a.rotation }"},
        {"body a scalar s constraint { (s -a.rotation) |s -a.rotation| }",
         "body a scalar s constraint { s - a.rotation |s - a.rotation| }"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
        iso_program programs[2];
        compile_good(pairs[i][0], &programs[0]);
        compile_good(pairs[i][1], &programs[1]);
        assert_memory_equal(&programs[0], &programs[1], sizeof programs[0]);
    }
}

/// -2^63 has no negative: it counts as -(2^63 - 1) wherever it comes from.
static void test_the_least_number_is_read_as_the_least_that_has_a_negative(void **unused) {
    (void)unused;
    program_state state = {.params = {.vectors = {{INT64_MIN, INT64_MIN}}, .scalars = {INT64_MIN}}};
    set_body(&state.bodies[0], 0, 0, 0);
    iso__program_rows rows = rows_of("body a vector v scalar s constraint { a.rotation - s a.position - v }", &state);
    for (int r = 0; r < 3; ++r) {
        assert_int_equal(rows.error[r], TOP);
    }
    state.bodies[0].position[0] = state.bodies[0].position[1] = state.bodies[0].angle = INT64_MIN;
    rows = rows_of("body a constraint { (-a.rotation) (-a.position.x) (-a.position.y) }", &state);
    for (int r = 0; r < 3; ++r) {
        assert_int_equal(rows.error[r], TOP);
    }
}

/// The document's constraints with numbers at the ends of their range: whatever comes out is the same twice.
static void test_extreme_inputs_are_evaluated(void **unused) {
    (void)unused;
    static const char *const sources[] = {WELD_SOURCE, DISTANCE_SOURCE, LINE_SOURCE};
    static const int64_t ends[] = {INT64_MIN, -TOP, -ONE, -1, 0, 1, ONE, TOP};
    uint64_t random = 31;
    for (size_t s = 0; s < 3; ++s) {
        iso_program program;
        compile_good(sources[s], &program);
        for (int i = 0; i < 20000; ++i) {
            program_state state;
            int64_t words[sizeof state / sizeof(int64_t)];
            for (size_t w = 0; w < sizeof words / sizeof *words; ++w) {
                words[w] = (random_u64(&random) & 1) != 0 ? ends[random_u64(&random) % 8] : random_i64(&random);
            }
            memcpy(&state, words, sizeof state);
            iso__program_rows rows;
            iso__program_rows again;
            memset(&rows, 0x11, sizeof rows);
            memset(&again, 0x11, sizeof again);
            iso__program_evaluate(&program, state.bodies, &state.params, &rows);
            iso__program_evaluate(&program, state.bodies, &state.params, &again);
            assert_memory_equal(&rows, &again, sizeof rows);
            iso__program_bounds bounds;
            iso__program_limits(&program, &state.params, &bounds);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations_have_written_results_at_the_edges),
        cmocka_unit_test(test_no_operation_leaves_the_registers_range),
        cmocka_unit_test(test_a_zero_vector_points_along_x),
        cmocka_unit_test(test_a_body_turns_what_is_fixed_to_it_about_its_centre),
        cmocka_unit_test(test_two_ways_to_write_the_same),
        cmocka_unit_test(test_the_least_number_is_read_as_the_least_that_has_a_negative),
        cmocka_unit_test(test_extreme_inputs_are_evaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
