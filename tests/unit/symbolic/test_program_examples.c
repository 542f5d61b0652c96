/// The document's three symbolic constraints against the formulas that it derives by hand, and what the language means.

#include "test_program_util.h"

typedef struct vec {
    double x, y;
} vec;

static vec sub(vec a, vec b) {
    return (vec){a.x - b.x, a.y - b.y};
}

static double dot(vec a, vec b) {
    return a.x * b.x + a.y * b.y;
}

static double cross(vec a, vec b) {
    return a.x * b.y - a.y * b.x;
}

/// Two bodies with anchors, in double: r1, r2, d = (x2 + r2) - (x1 + r1).
typedef struct pair {
    vec r1, r2, d;
    double angle1, angle2;
} pair;

static vec turned(const iso__program_body *body, const iso_wide v[2]) {
    double angle = to_double(body->angle);
    vec local = {to_double(v[0]), to_double(v[1])};
    return (vec){cos(angle) * local.x - sin(angle) * local.y, sin(angle) * local.x + cos(angle) * local.y};
}

static pair pair_of(const program_state *state) {
    const iso__program_body *b = state->bodies;
    pair p = {.r1 = turned(&b[0], state->params.vectors[0]), .r2 = turned(&b[1], state->params.vectors[1])};
    p.d.x = to_double(b[1].position[0] - b[0].position[0]) + p.r2.x - p.r1.x;
    p.d.y = to_double(b[1].position[1] - b[0].position[1]) + p.r2.y - p.r1.y;
    p.angle1 = to_double(b[0].angle);
    p.angle2 = to_double(b[1].angle);
    return p;
}

static void compare_row(const iso__program_rows *rows, uint32_t row, double error, const double jacobian[6]) {
    assert_true(fabs(to_double(rows->error[row]) - error) < 1e-7);
    for (uint32_t k = 0; k < 6; ++k) {
        assert_true(fabs(to_double(rows->jacobian[row][k / 3][k % 3]) - jacobian[k]) < 1e-7);
    }
}

static void test_weld_has_the_documents_rows(void **unused) {
    (void)unused;
    iso_program program;
    compile_good(WELD_SOURCE, &program);
    assert_int_equal(program.row_count, 3);
    uint64_t random = 1;
    for (int i = 0; i < 200; ++i) {
        program_state state;
        random_state(&random, 10, &state);
        pair p = pair_of(&state);
        iso__program_rows rows;
        iso__program_evaluate(&program, state.bodies, &state.params, &rows);
        compare_row(&rows, 0, p.d.x, (double[]){-1, 0, p.r1.y, 1, 0, -p.r2.y});
        compare_row(&rows, 1, p.d.y, (double[]){0, -1, -p.r1.x, 0, 1, p.r2.x});
        compare_row(&rows, 2, p.angle2 - p.angle1 - to_double(state.params.scalars[0]), (double[]){0, 0, -1, 0, 0, 1});
    }
    for (uint32_t r = 0; r < 3; ++r) {
        uint8_t held = ISO_PROGRAM_HAS_LOW | ISO_PROGRAM_HAS_HIGH | ISO_PROGRAM_EQUALITY;
        assert_int_equal(row_flags(&program, r), r < 2 ? held | ISO_PROGRAM_LINEAR : held);
    }
}

static void test_distance_has_the_documents_row(void **unused) {
    (void)unused;
    iso_program program;
    compile_good(DISTANCE_SOURCE, &program);
    assert_int_equal(program.row_count, 1);
    assert_int_equal(row_flags(&program, 0), ISO_PROGRAM_HAS_LOW | ISO_PROGRAM_HAS_HIGH | ISO_PROGRAM_LINEAR);
    uint64_t random = 2;
    for (int i = 0; i < 200; ++i) {
        program_state state;
        random_state(&random, 10, &state);
        pair p = pair_of(&state);
        double length = sqrt(dot(p.d, p.d));
        vec n = {p.d.x / length, p.d.y / length};
        iso__program_rows rows;
        iso__program_evaluate(&program, state.bodies, &state.params, &rows);
        compare_row(&rows, 0, length, (double[]){-n.x, -n.y, -cross(p.r1, n), n.x, n.y, cross(p.r2, n)});
    }
}

static void test_line_has_the_documents_rows_corrected(void **unused) {
    (void)unused;
    iso_program program;
    compile_good(LINE_SOURCE, &program);
    assert_int_equal(program.row_count, 2);
    uint64_t random = 3;
    for (int i = 0; i < 200; ++i) {
        program_state state;
        random_state(&random, 10, &state);
        pair p = pair_of(&state);
        vec direction = turned(&state.bodies[0], state.params.vectors[2]);
        double length = sqrt(dot(direction, direction));
        vec n = {direction.x / length, direction.y / length};
        vec along = {p.d.x + p.r1.x, p.d.y + p.r1.y}; // the point's place from body 1, which turns with it
        iso__program_rows rows;
        iso__program_evaluate(&program, state.bodies, &state.params, &rows);
        compare_row(&rows, 0, dot(n, p.d), (double[]){-n.x, -n.y, cross(n, along), n.x, n.y, -cross(n, p.r2)});
        compare_row(&rows, 1, cross(n, p.d), (double[]){n.y, -n.x, -dot(n, along), -n.y, n.x, dot(n, p.r2)});
        assert_true(fabs(dot(n, sub(along, p.d)) - dot(n, p.r1)) < 1e-9);
    }
}

static void test_limits_follow_the_parameters(void **unused) {
    (void)unused;
    iso_program program;
    iso__program_bounds bounds;
    uint32_t wrong = 7;
    compile_good(LINE_SOURCE, &program);
    assert_int_equal(program.limit_count, 2);
    iso_program_params params = {.vectors = {[2] = {ISO_WIDE_ONE, 0}},
                                 .scalars = {-2 * ISO_WIDE_ONE, 3 * ISO_WIDE_ONE}};
    assert_int_equal(iso_program_params_check(&program, &params, &wrong), ISO_OK);
    assert_int_equal(wrong, 7);
    assert_int_equal(iso__program_limits(&program, &params, &bounds), UINT32_MAX);
    assert_int_equal(bounds.low[0], -2 * ISO_WIDE_ONE);
    assert_int_equal(bounds.high[0], 3 * ISO_WIDE_ONE);
    assert_int_equal(bounds.low[1], 0);
    assert_int_equal(bounds.high[1], 0);
    uint8_t both = ISO_PROGRAM_HAS_LOW | ISO_PROGRAM_HAS_HIGH | ISO_PROGRAM_LINEAR;
    assert_int_equal(row_flags(&program, 0), both);
    assert_int_equal(row_flags(&program, 1), both | ISO_PROGRAM_EQUALITY);
    params.scalars[0] = 4 * ISO_WIDE_ONE; // above jointMax
    assert_int_equal(iso_program_params_check(&program, &params, &wrong), ISO_ERR_RANGE);
    assert_int_equal(wrong, 0);
    params.scalars[0] = 0;
    params.vectors[2][0] = 65535; // shorter than eps, which is 2^-16
    assert_int_equal(iso_program_params_check(&program, &params, &wrong), ISO_ERR_RANGE);
    assert_int_equal(wrong, 1);
    params.vectors[2][0] = 65536;
    assert_int_equal(iso_program_params_check(&program, &params, NULL), ISO_OK);
}

static void test_rows_without_a_bound_are_open(void **unused) {
    (void)unused;
    iso_program program;
    iso__program_bounds bounds;
    iso_program_params params = {.scalars = {5, 4}};
    compile_good(
        "body a scalar low, high constraint { a.position a.rotation } limit constraint { (-inf) 0 low } { 1 inf high }",
        &program);
    assert_int_equal(row_flags(&program, 0), ISO_PROGRAM_HAS_HIGH | ISO_PROGRAM_LINEAR);
    assert_int_equal(row_flags(&program, 1), ISO_PROGRAM_HAS_LOW | ISO_PROGRAM_LINEAR);
    assert_int_equal(row_flags(&program, 2), ISO_PROGRAM_HAS_LOW | ISO_PROGRAM_HAS_HIGH);
    // Bounds that cross are told as the limit after the last.
    uint32_t wrong = 0;
    assert_int_equal(iso__program_limits(&program, &params, &bounds), 2);
    assert_int_equal(iso_program_params_check(&program, &params, &wrong), ISO_ERR_RANGE);
    assert_int_equal(wrong, 2);
    assert_int_equal(bounds.low[0], ISO_WIDE_MIN);
    assert_int_equal(bounds.high[0], ISO_WIDE_ONE);
    assert_int_equal(bounds.low[1], 0);
    assert_int_equal(bounds.high[1], ISO_WIDE_MAX);
}

static void test_names_are_found(void **unused) {
    (void)unused;
    iso_program program;
    compile_good(LINE_SOURCE, &program);
    assert_int_equal(program.body_count, 2);
    assert_int_equal(program.vector_count, 3);
    assert_int_equal(program.scalar_count, 2);
    assert_string_equal(iso_program_body_name(&program, 1), "body2");
    assert_string_equal(iso_program_body_name(&program, 2), "");
    assert_string_equal(iso_program_vector_name(&program, 2), "direction");
    assert_string_equal(iso_program_scalar_name(&program, 0), "jointMin");
    assert_int_equal(iso_program_body_find(&program, "body2+", 5), 1);
    assert_int_equal(iso_program_vector_find(&program, "anchor2", 7), 1);
    assert_int_equal(iso_program_vector_find(&program, "anchor", 6), UINT32_MAX);
    assert_int_equal(iso_program_scalar_find(&program, "jointMax", 8), 1);
    assert_int_equal(iso_program_scalar_find(&program, "anchor1", 7), UINT32_MAX);
}

/// The value of the first row for body a at the origin (or x, y, angle) and u = (3, 4), v = (-1, 2), s = 5, t = 0.5.
static double first_row(const char *expression, double x, double y, double angle) {
    char source[512];
    snprintf(source, sizeof source, "body a vector u, v scalar s, t constraint { %s }", expression);
    iso_program program;
    compile_good(source, &program);
    program_state state = {.params = {.vectors = {{from_double(3), from_double(4)}, {from_double(-1), from_double(2)}},
                                      .scalars = {from_double(5), from_double(0.5)}}};
    set_body(&state.bodies[0], from_double(x), from_double(y), from_double(angle));
    iso__program_rows rows;
    iso__program_evaluate(&program, state.bodies, &state.params, &rows);
    return to_double(rows.error[0]);
}

static void test_expressions_mean_what_the_language_says(void **unused) {
    (void)unused;
    const struct {
        const char *expression; // of one row; r is the body's rotation, 0
        double value;
    } cases[] = {
        {"a.rotation + s - t - 1", 3.5},
        {"a.rotation + s - (t - 1)", 5.5},
        {"a.rotation + s * t / 2", 1.25},
        {"a.rotation + 1 + 2 * 3", 7},
        {"a.rotation + -s * t", -2.5},
        {"a.rotation - - s", 5},
        {"--a.rotation + s", 5},
        {"a.rotation + u dot v", 5},
        {"a.rotation + u cross v", 10},
        {"a.rotation + (s cross u).x", -20},
        {"a.rotation + (s cross u).y", 15},
        {"a.rotation + (u cross s).x", 20},
        {"a.rotation + (u cross s).y", -15},
        {"a.rotation + |u|", 5},
        {"a.rotation + |u - v| * |-s|", 5 * 4.47213595499958},
        {"a.rotation + ||u| - 7|", 2},
        {"a.rotation + (unit u).x", 0.6},
        {"a.rotation + unit u dot unit (2 * v)", 5 / (5 * 2.23606797749979)},
        {"a.rotation + (relative s v).x", cos(5) * -1 - sin(5) * 2},
        {"a.rotation + (relative (a.rotation + t) v).y", sin(0.5) * -1 + cos(0.5) * 2},
        {"a.rotation + (u / s).y", 0.8},
        {"a.rotation + (u * s).y", 20},
        {"a.rotation + (-u).x", -3},
        {"let w = u + v in a.rotation + w dot w", 40},
        {"let w = u in let n = |w| in a.rotation + n * n", 25},
        {"(let w = s in w * w) + a.rotation", 25},
        {"a.rotation + (let w = s in w) * (let w = t in w)", 2.5},
        {"a.rotation + 1.5e2", 150},
        {"a.rotation + 25e-2", 0.25},
        {"a.rotation + eps * 65536", 1},
        {"a.rotation + 0.1 # and a comment }", 0.1},
        {"a.position.x + u.y", 4},
        {"{ { a.rotation + s } u.x + a.rotation }", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char expression[256];
        snprintf(expression, sizeof expression, "%s\n", cases[i].expression);
        double got = first_row(expression, 0, 0, 0);
        if (fabs(got - cases[i].value) > 1e-8) {
            print_error("%s: %.12g instead of %.12g\n", expression, got, cases[i].value);
        }
        assert_true(fabs(got - cases[i].value) <= 1e-8);
    }
    assert_true(first_row("a.position.y * 2", 1, 2, 3) == 4);
    assert_true(first_row("a.position dot u", 1, 2, 3) == 11);
    assert_true(fabs(first_row("a.rotation / 2", 1, 2, 3) - 1.5) < 1e-9);
}

static void test_entries_flatten_into_rows(void **unused) {
    (void)unused;
    iso_program program;
    compile_good("body a, b vector v constraint { a.position { b.rotation b.position } (-a.rotation) }", &program);
    assert_int_equal(program.row_count, 6);
    program_state state = {0};
    for (uint32_t i = 0; i < 2; ++i) {
        set_body(&state.bodies[i], 10 * (i + 1), 11 * (i + 1), 12 * (i + 1));
    }
    iso__program_rows rows;
    iso__program_evaluate(&program, state.bodies, &state.params, &rows);
    static const int64_t errors[6] = {10, 11, 24, 20, 22, -12};
    for (uint32_t r = 0; r < 6; ++r) {
        assert_int_equal(rows.error[r], errors[r]);
    }
    compile_good("body a constraint a.position", &program);
    assert_int_equal(program.row_count, 2);
    compile_good("body a constraint a.rotation", &program);
    assert_int_equal(program.row_count, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weld_has_the_documents_rows),
        cmocka_unit_test(test_distance_has_the_documents_row),
        cmocka_unit_test(test_line_has_the_documents_rows_corrected),
        cmocka_unit_test(test_limits_follow_the_parameters),
        cmocka_unit_test(test_rows_without_a_bound_are_open),
        cmocka_unit_test(test_names_are_found),
        cmocka_unit_test(test_expressions_mean_what_the_language_says),
        cmocka_unit_test(test_entries_flatten_into_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
