/// The symbolic language in space: values, derivatives by small rotations, zero vectors, refused texts, bytes.
#include "test_program_util.h"

enum { STATES = 200 };

/// What a program is evaluated at.
typedef struct state3 {
    iso_constraint3_body bodies[ISO_CONSTRAINT3_BODIES];
    double position[ISO_CONSTRAINT3_BODIES][3];
    double axes[ISO_CONSTRAINT3_BODIES][3][3];
    iso_program_params params;
} state3;

static iso_status compile3(const char *source, iso_program *program, iso_program_error *error) {
    static iso_program_scratch scratch;
    return iso_program3_compile(source, strlen(source), &scratch, program, error);
}

static void compile3_good(const char *source, iso_program *program) {
    iso_program_error error = {0, 0, ""};
    if (compile3(source, program, &error) != ISO_OK) {
        fail_msg("%u:%u: %s\n%s", error.line, error.column, error.message, source);
    }
    assert_int_equal(iso_program_check(program), ISO_OK);
}

static void state3_write(state3 *state) {
    for (int i = 0; i < ISO_CONSTRAINT3_BODIES; ++i) {
        for (int k = 0; k < 3; ++k) {
            state->bodies[i].position[k] = from_double(state->position[i][k]);
        }
        for (int k = 0; k < 9; ++k) {
            state->bodies[i].axes[k / 3][k % 3] = (int32_t)lround(state->axes[i][k / 3][k % 3] * 1073741824.0);
        }
    }
}

/// Turns the axes of a body about an axis of the world.
static void state3_turn(state3 *state, int body, int about, double angle) {
    const int e = (about + 1) % 3, f = (about + 2) % 3;
    for (int axis = 0; axis < 3; ++axis) {
        double *a = state->axes[body][axis];
        const double x = a[e], y = a[f];
        a[e] = cos(angle) * x - sin(angle) * y;
        a[f] = sin(angle) * x + cos(angle) * y;
    }
}

static void state3_random(uint64_t *random, state3 *state) {
    for (int i = 0; i < ISO_CONSTRAINT3_BODIES; ++i) {
        for (int k = 0; k < 9; ++k) {
            state->axes[i][k / 3][k % 3] = k % 4 == 0;
        }
        for (int k = 0; k < 3; ++k) {
            state->position[i][k] = random_double(random, 4);
            state3_turn(state, i, k, random_double(random, 3));
        }
        state3_turn(state, i, 0, random_double(random, 3));
    }
    for (int i = 0; i < ISO_PROGRAM_VECTORS_MAX; ++i) {
        for (int k = 0; k < 3; ++k) {
            state->params.vectors3[i][k] = from_double(random_double(random, 2));
        }
        state->params.scalars[i] = from_double(random_double(random, 2));
    }
    state3_write(state);
}

// ---- values --------------------------------------------------------------------------------------

typedef struct v3 {
    double x, y, z;
} v3;

static v3 param(const state3 *s, int index) {
    const iso_wide *v = s->params.vectors3[index];
    return (v3){to_double(v[0]), to_double(v[1]), to_double(v[2])};
}

static v3 place(const state3 *s, int body) {
    const double *x = s->position[body];
    return (v3){x[0], x[1], x[2]};
}

static v3 turned(const state3 *s, int body, v3 v) {
    const double(*a)[3] = s->axes[body];
    return (v3){a[0][0] * v.x + a[1][0] * v.y + a[2][0] * v.z, a[0][1] * v.x + a[1][1] * v.y + a[2][1] * v.z,
                a[0][2] * v.x + a[1][2] * v.y + a[2][2] * v.z};
}

static double dot(v3 a, v3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static v3 sub(v3 a, v3 b) {
    return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static v3 cross(v3 a, v3 b) {
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double value_point(const state3 *s) {
    const v3 r = turned(s, 0, param(s, 0)), p = place(s, 0);
    return p.y + r.y;
}

static double value_dot(const state3 *s) {
    return dot(turned(s, 0, param(s, 0)), sub(place(s, 1), place(s, 0)));
}

static double value_triple(const state3 *s) {
    return dot(cross(turned(s, 0, param(s, 0)), turned(s, 1, param(s, 1))), param(s, 2));
}

static double value_length(const state3 *s) {
    const v3 d = sub(place(s, 1), place(s, 0));
    return sqrt(dot(d, d));
}

static double value_unit(const state3 *s) {
    const v3 d = sub(place(s, 1), place(s, 0));
    return dot(d, turned(s, 0, param(s, 0))) / sqrt(dot(d, d));
}

static double value_angle(const state3 *s) {
    const v3 a = turned(s, 0, param(s, 0)), b = turned(s, 1, param(s, 1)), n = cross(a, b);
    return atan2(sqrt(dot(n, n)), dot(a, b));
}

/// A place in the frame of the other body.
static double value_back(const state3 *s) {
    const v3 d = sub(place(s, 1), place(s, 0));
    const double *z = s->axes[0][2];
    return dot((v3){z[0], z[1], z[2]}, d);
}

static double value_ratio(const state3 *s) {
    const v3 d = sub(place(s, 1), place(s, 0));
    return d.x / (d.z * d.z + 1) - to_double(s->params.scalars[0]) * d.y;
}

static const struct {
    const char *source;
    double (*value)(const state3 *state);
    bool is_linear;
} cases[] = {
    {"body a vector v constraint (a.position + relative a.rotation v).y", value_point, true},
    {"body a, b vector v constraint relative a.rotation v dot (b.position - a.position)", value_dot, true},
    {"body a, b vector v, w, u constraint relative a.rotation v cross (relative b.rotation w) dot u", value_triple,
     false},
    {"body a, b constraint |b.position - a.position|", value_length, true},
    {"body a, b vector v constraint unit (b.position - a.position) dot (relative a.rotation v)", value_unit, true},
    {"body a, b vector v, w constraint angle (relative a.rotation v) (relative b.rotation w)", value_angle, false},
    {"body a, b constraint (relative (-a.rotation) (b.position - a.position)).z", value_back, true},
    {"body a, b scalar s constraint let d = b.position - a.position in d.x / (d.z * d.z + 1) - s * d.y", value_ratio,
     true},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void test_values_and_derivatives_are_those_of_doubles(void **unused) {
    (void)unused;
    uint64_t random = 5;
    for (int c = 0; c < CASES; ++c) {
        iso_program program;
        compile3_good(cases[c].source, &program);
        assert_int_equal(program.row_count, 1);
        assert_int_equal((row_flags(&program, 0) & ISO_PROGRAM_LINEAR) != 0, cases[c].is_linear);
        for (int n = 0; n < STATES; ++n) {
            state3 state;
            state3_random(&random, &state);
            iso__program_rows rows;
            iso__program3_evaluate(&program, state.bodies, &state.params, &rows);
            const double value = cases[c].value(&state);
            if (fabs(to_double(rows.error[0]) - value) > 1e-7 * (1 + fabs(value))) {
                fail_msg("%s: %.12g, expected %.12g", cases[c].source, to_double(rows.error[0]), value);
            }
            for (int k = 0; k < 6 * program.body_count; ++k) {
                double side[2];
                for (int i = 0; i < 2; ++i) {
                    state3 moved = state;
                    const double step = i == 0 ? -1e-5 : 1e-5;
                    if (k % 6 < 3) {
                        moved.position[k / 6][k % 6] += step;
                    } else {
                        state3_turn(&moved, k / 6, k % 6 - 3, step);
                    }
                    side[i] = cases[c].value(&moved);
                }
                const double expected = (side[1] - side[0]) / 2e-5, j = to_double(rows.columns[0][k]);
                if (fabs(j - expected) > 1e-5 * (1 + fabs(expected))) {
                    fail_msg("%s, column %d: %.12g, expected %.12g", cases[c].source, k, j, expected);
                }
            }
        }
    }
}

static void test_zero_vectors_have_a_direction(void **unused) {
    (void)unused;
    state3 state = {.params = {.scalars = {0}}};
    iso_program program;
    iso__program_rows rows;
    compile3_good("body a, b constraint |b.position - a.position|", &program);
    iso__program3_evaluate(&program, state.bodies, &state.params, &rows);
    assert_true(rows.error[0] == 0 && rows.jacobian3[0][1][0] == ISO_WIDE_ONE && rows.jacobian3[0][1][1] == 0 &&
                rows.jacobian3[0][1][2] == 0);
    compile3_good("body a, b vector v constraint { unit (b.position - a.position) }", &program);
    iso__program3_evaluate(&program, state.bodies, &state.params, &rows);
    assert_true(rows.error[0] == ISO_WIDE_ONE && rows.error[1] == 0 && rows.error[2] == 0);
    for (int k = 0; k < 12; ++k) {
        assert_true(rows.columns[0][k] == 0 && rows.columns[1][k] == 0 && rows.columns[2][k] == 0);
    }
    compile3_good("body a, b vector v constraint angle (relative a.rotation v) (relative b.rotation v)", &program);
    iso__program3_evaluate(&program, state.bodies, &state.params, &rows);
    assert_true(rows.error[0] == 0);
    for (int k = 0; k < 12; ++k) {
        assert_true(rows.columns[0][k] == 0);
    }
}

/// Any numbers have a result, none of them the least of 64 bits.
static void test_any_numbers_have_results(void **unused) {
    (void)unused;
    uint64_t random = 9;
    for (int c = 0; c < CASES; ++c) {
        iso_program program;
        compile3_good(cases[c].source, &program);
        for (int n = 0; n < 2000; ++n) {
            state3 state;
            int64_t *numbers[] = {state.bodies[0].position, state.bodies[1].position, &state.params.vectors3[0][0],
                                  state.params.scalars};
            const int counts[] = {3, 3, 3 * ISO_PROGRAM_VECTORS_MAX, ISO_PROGRAM_SCALARS_MAX};
            for (int i = 0; i < 4; ++i) {
                for (int k = 0; k < counts[i]; ++k) {
                    numbers[i][k] = random_u64(&random) % 8 == 0
                                        ? INT64_MIN
                                        : (int64_t)random_u64(&random) >> random_u64(&random) % 64;
                }
            }
            for (int k = 0; k < 18; ++k) {
                state.bodies[k / 9].axes[k % 9 / 3][k % 3] = (int32_t)random_u64(&random);
            }
            iso__program_rows rows;
            iso__program3_evaluate(&program, state.bodies, &state.params, &rows);
            assert_true(rows.error[0] != INT64_MIN);
            for (int k = 0; k < 6 * program.body_count; ++k) {
                assert_true(rows.columns[0][k] != INT64_MIN);
            }
        }
    }
}

// ---- refused texts -------------------------------------------------------------------------------

static void test_errors_say_where_and_what(void **unused) {
    (void)unused;
    static const struct {
        const char *source, *message;
        uint32_t line, column;
    } wrong[] = {
        {"body a constraint a.rotation",
         "found a rotation in the constraint at 'a', expected a scalar, vector or block; relative turns a vector", 1,
         19},
        {"body a constraint { a.rotation }", "found a rotation, expected a scalar, vector or block as an entry", 1, 21},
        {"body a\nconstraint a.position.w", "found 'w', expected x, y or z of a vector", 2, 23},
        {"body a vector v scalar s constraint s cross v",
         "found a scalar and a vector, expected two vectors around cross", 1, 39},
        {"body a vector v scalar s constraint relative s v",
         "found a scalar, expected a body's rotation after relative", 1, 37},
        {"body a scalar s constraint relative a.rotation s",
         "found a scalar, expected a vector after relative and its rotation", 1, 28},
        {"body a scalar s constraint angle a.position s",
         "found a vector and a scalar, expected two vectors after angle", 1, 28},
        {"body a constraint a.rotation - a.rotation",
         "found a rotation and a rotation, expected two scalars or two vectors around '-'", 1, 30},
        {"body a constraint let r = a.rotation in a.position",
         "found a rotation, expected a scalar or vector as the value of let", 1, 27},
        {"body a, b, c constraint a.position", "found 'c', expected at most 2 bodies", 1, 12},
        {"body angle constraint 1",
         "found 'angle', expected a name of 1 to 31 letters, digits or '_', and no reserved word", 1, 6},
        {"body a constraint { a.position a.position a.position.x }",
         "found a row beyond the sixth at 'a', expected at most 6 rows", 1, 43},
        {"body a vector v constraint { a.position v }",
         "found row 4 of the constraint, which no body moves, expected a row that depends on a body's position or "
         "rotation",
         1, 28},
        {"body a constraint a.position * 0.0001",
         "found row 1 of the constraint, which hardly moves with a body, expected a row with a gradient of 1/1024 or "
         "more",
         1, 19},
        {"body a constraint +", "found '+', expected a name, a number, '(', '|', '{', unit, relative, angle or '-'", 1,
         19},
        {"body a limit a.position.x 0 1", "found the body 'a', expected parameters: limits do not depend on bodies", 1,
         14},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        iso_program program;
        iso_program_error error = {0, 0, ""};
        assert_int_equal(compile3(wrong[i].source, &program, &error), ISO_ERR_SCENE_INVALID);
        assert_string_equal(error.message, wrong[i].message);
        if (error.line != wrong[i].line || error.column != wrong[i].column) {
            fail_msg("%s: at %u:%u, expected %u:%u", wrong[i].source, error.line, error.column, wrong[i].line,
                     wrong[i].column);
        }
    }
}

/// A name that is a word in space alone stays one in the plane.
static void test_the_plane_knows_no_word_of_space(void **unused) {
    (void)unused;
    iso_program program;
    compile_good("body angle constraint angle.rotation", &program);
    iso_program_error error = {0, 0, ""};
    assert_int_equal(compile_text("body a constraint a.position.z", &program, &error), ISO_ERR_SCENE_INVALID);
    assert_string_equal(error.message, "found 'z', expected x or y of a vector");
}

/// The examples of the document; the distance is one of the plane's.
static void test_the_documents_examples_compile(void **unused) {
    (void)unused;
    static const struct {
        const char *source;
        uint32_t instructions, rows;
    } examples[] = {
        {DISTANCE_SOURCE, 48, 1},
        {"body body1, body2\n"
         "vector anchor1, anchor2, axis1, across, beyond, axis2\n"
         "constraint\n"
         "    let r1 = relative body1.rotation anchor1 in\n"
         "    let r2 = relative body2.rotation anchor2 in\n"
         "    let n = relative body1.rotation axis1 cross (relative body2.rotation axis2) in\n"
         "    { (body2.position + r2) - (body1.position + r1)\n"
         "      relative body1.rotation across dot n\n"
         "      relative body1.rotation beyond dot n }\n",
         133, 5},
        {"body body1\n"
         "vector up, axis\n"
         "scalar most\n"
         "limit most eps 3\n"
         "constraint angle up (relative body1.rotation axis)\n"
         "limit constraint 0 most\n",
         49, 1},
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; ++i) {
        iso_program program;
        compile3_good(examples[i].source, &program);
        assert_int_equal(program.row_count, examples[i].rows);
        assert_int_equal(program.instruction_count, examples[i].instructions);
    }
}

// ---- bytes ---------------------------------------------------------------------------------------

static void test_bytes_say_for_which_worlds_a_program_is(void **unused) {
    (void)unused;
    static uint8_t bytes[ISO_PROGRAM_BYTES_MAX], again[ISO_PROGRAM_BYTES_MAX];
    for (int c = 0; c < CASES; ++c) {
        iso_program program, back;
        compile3_good(cases[c].source, &program);
        const size_t size = iso_program_encode(&program, bytes);
        assert_int_equal(iso_program_decode(bytes, size, &back), ISO_OK);
        assert_memory_equal(&program, &back, sizeof back);
        assert_int_equal(iso_program_encode(&back, again), size);
        assert_memory_equal(bytes, again, size);
        bytes[2] = 0; // the version of the plane
        assert_true(iso_program_decode(bytes, size, &back) != ISO_OK);
        bytes[2] = 4;
        assert_int_equal(iso_program_decode(bytes, size, &back), ISO_ERR_VERSION);
    }
}

static void test_operations_of_space_are_refused_in_the_plane(void **unused) {
    (void)unused;
    iso_program program;
    compile_good("body a, b constraint |b.position - a.position|", &program);
    for (uint32_t i = 0; i < program.instruction_count; ++i) {
        uint8_t *at = &program.code[ISO_PROGRAM_INSTRUCTION_SIZE * i];
        if (at[0] == ISO__OP_HYPOT) {
            at[0] = ISO__OP_ATAN2; // of as many operands, and the cost
            assert_int_equal(iso_program_check(&program), ISO_ERR_MALFORMED);
            at[0] = ISO__OP_HYPOT;
            assert_int_equal(iso_program_check(&program), ISO_OK);
            return;
        }
    }
    fail();
}

static void test_bodies_beyond_the_second_are_refused(void **unused) {
    (void)unused;
    iso_program program;
    compile3_good("body a, b constraint b.position - a.position", &program);
    program.body_count = 3;
    memcpy(&program.names[2 * ISO_PROGRAM_NAME_SIZE], "c", 2);
    assert_int_equal(iso_program_check(&program), ISO_ERR_MALFORMED);
    static uint8_t bytes[2 * ISO_PROGRAM_BYTES_MAX];
    program.body_count = 2;
    const size_t size = iso_program_encode(&program, bytes);
    bytes[9] = 4; // its count of bodies
    iso_program back;
    assert_true(iso_program_decode(bytes, size, &back) != ISO_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_and_derivatives_are_those_of_doubles),
        cmocka_unit_test(test_zero_vectors_have_a_direction),
        cmocka_unit_test(test_any_numbers_have_results),
        cmocka_unit_test(test_errors_say_where_and_what),
        cmocka_unit_test(test_the_plane_knows_no_word_of_space),
        cmocka_unit_test(test_the_documents_examples_compile),
        cmocka_unit_test(test_bytes_say_for_which_worlds_a_program_is),
        cmocka_unit_test(test_operations_of_space_are_refused_in_the_plane),
        cmocka_unit_test(test_bodies_beyond_the_second_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
