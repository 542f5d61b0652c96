/// Programs from outside: bytes round trip, and what is not well formed is refused.

#include "test_program_util.h"

#define PULLEY_SOURCE           \
    "body a, b, c, d scalar s " \
    "constraint |a.position - b.position| + s * |c.position - d.position| limit constraint 0 inf"

static const char *const sources[] = {
    WELD_SOURCE, DISTANCE_SOURCE, LINE_SOURCE, "body a constraint a.rotation", PULLEY_SOURCE,
};
enum { SOURCES = sizeof sources / sizeof sources[0] };

static void test_bytes_give_the_same_program(void **unused) {
    (void)unused;
    for (size_t i = 0; i < SOURCES; ++i) {
        iso_program program;
        iso_program back;
        uint8_t bytes[ISO_PROGRAM_BYTES_MAX];
        uint8_t again[ISO_PROGRAM_BYTES_MAX];
        compile_good(sources[i], &program);
        size_t size = iso_program_encode(&program, bytes);
        memset(&back, 0x5a, sizeof back);
        assert_int_equal(iso_program_decode(bytes, size, &back), ISO_OK);
        assert_memory_equal(&program, &back, sizeof program);
        assert_int_equal(iso_program_encode(&back, again), size);
        assert_memory_equal(bytes, again, size);
    }
}

static void test_the_documented_bytes(void **unused) {
    (void)unused;
    iso_program program;
    uint8_t bytes[ISO_PROGRAM_BYTES_MAX];
    compile_good("body b scalar s constraint b.rotation - s limit s 0 inf", &program);
    static const uint8_t expected[] = {
        1, 0,   0,  0,   1,  0,  0,  0, 2, 1, 0, 1, 1, 1, // version, instructions, constants, body, vectors, and so on
        1, 'b', 1,  's',                                  // names
        0, 0,   0,  0,   0,  0,  0,  0, 0, 0, 0, 0, 1, 0, 0, 0, // 0 and 1
        1, 44,  0,  36,                                         // has low: the constant 0; the scalar
        7, 44,  44, 76,  44, 44, 45,                            // an angle held at 0; C; J
        2, 76,  2,  36,                                         // SUB
    };
    assert_int_equal(iso_program_encode(&program, bytes), sizeof expected);
    assert_memory_equal(bytes, expected, sizeof expected);
    // A name with a zero behind it would be a second form of the same program.
    memmove(bytes + 17, bytes + 16, sizeof expected - 16);
    bytes[14] = 2;
    bytes[16] = 0;
    assert_int_equal(iso_program_decode(bytes, sizeof expected + 1, &program), ISO_ERR_MALFORMED);
}

static void test_bytes_that_end_early_or_late_are_refused(void **unused) {
    (void)unused;
    iso_program program;
    iso_program back;
    iso_program zero;
    memset(&zero, 0, sizeof zero);
    uint8_t bytes[ISO_PROGRAM_BYTES_MAX];
    compile_good(LINE_SOURCE, &program);
    size_t size = iso_program_encode(&program, bytes);
    for (size_t cut = 0; cut < size; ++cut) {
        assert_int_equal(iso_program_decode(bytes, cut, &back), ISO_ERR_TRUNCATED);
        assert_memory_equal(&back, &zero, sizeof back);
    }
    bytes[size] = 0;
    assert_int_equal(iso_program_decode(bytes, size + 1, &back), ISO_ERR_MALFORMED);
    bytes[0] = 2;
    for (size_t cut = 4; cut <= size; ++cut) { // what another version has behind its number is not ours to judge
        assert_int_equal(iso_program_decode(bytes, cut, &back), ISO_ERR_VERSION);
    }
    assert_memory_equal(&back, &zero, sizeof back);
}

/// One byte of the line's program is changed.
static iso_program broken;
#define BREAK(change)                                                    \
    do {                                                                 \
        compile_good(LINE_SOURCE, &broken);                              \
        broken.change;                                                   \
        assert_int_equal(iso_program_check(&broken), ISO_ERR_MALFORMED); \
    } while (0)

static void test_each_rule_of_the_check(void **unused) {
    (void)unused;
    compile_good(LINE_SOURCE, &broken);
    broken.version = 0;
    assert_int_equal(iso_program_check(&broken), ISO_ERR_VERSION);
    BREAK(body_count = 0);
    BREAK(body_count = 5);
    BREAK(body_count = 1); // its name is there, and code reads it
    BREAK(body_count = 3);
    BREAK(vector_count = 9);
    BREAK(scalar_count = 1);
    BREAK(constant_count = 33);
    BREAK(constant_count = 1);
    BREAK(limit_count = 1);
    BREAK(limit_count = 9);
    BREAK(row_count = 0);
    BREAK(row_count = 1);
    BREAK(row_count = 7);
    BREAK(instruction_count = 513);
    BREAK(instruction_count = 32);      // the code behind is not zero
    BREAK(bound_instruction_count = 2); // reads bodies
    BREAK(bound_instruction_count = 0); // the limit is not computed
    BREAK(bound_instruction_count = 600);
    BREAK(cost = 117);
    BREAK(names[0] = '1');
    BREAK(names[5] = '-');
    BREAK(names[31] = 'x');
    BREAK(names[4] = '2');      // body2 twice
    BREAK(names[3 * 32] = 'x'); // of no body
    BREAK(constants[0] = INT64_MIN);
    BREAK(constants[31] = 1);
    BREAK(code[0] = 0);
    BREAK(code[0] = ISO__OP_COUNT);
    BREAK(code[2] = 0);                       // the bounds read a body
    BREAK(code[2] = ISO__REGISTER_TEMPORARY); // reads what it writes
    BREAK(code[4] = 1);                       // an operand that HYPOT does not have
    BREAK(code[6 + 2] = 10);                  // the third body
    BREAK(code[6 * 33] = 1);
    BREAK(limits[0] |= 8);
    BREAK(limits[0] ^= ISO_PROGRAM_HAS_HIGH); // a register without its flag
    BREAK(limits[0] |= ISO_PROGRAM_EQUALITY);
    BREAK(limits[3] = ISO__REGISTER_TEMPORARY + 1);
    BREAK(limits[8] = 1);
    BREAK(rows[0] ^= ISO_PROGRAM_LINEAR);
    BREAK(rows[0] |= 16);
    BREAK(rows[1] = 200);
    BREAK(rows[2] = 0);
    BREAK(rows[3] = 200);
    BREAK(rows[4] = 200);
    BREAK(rows[4 + 5] = 200); // the last column
    BREAK(rows[16 + 4 + 5] = 200);
    BREAK(rows[4 + 6] = 1); // the third body
    BREAK(rows[16] ^= ISO_PROGRAM_EQUALITY);
    BREAK(rows[5 * 16] = 1);
    compile_good(LINE_SOURCE, &broken);
    memcpy(broken.names, "vector\0", 7); // a reserved word
    assert_int_equal(iso_program_check(&broken), ISO_ERR_MALFORMED);
}

/// An instruction that nobody reads: only what it writes is wrong.
static void test_code_writes_temporaries_alone(void **unused) {
    (void)unused;
    for (uint32_t target = 0; target < ISO__REGISTER_COUNT; ++target) {
        iso_program program;
        compile_good("body a vector v scalar s constraint a.rotation + v.x", &program);
        const uint8_t neg[6] = {ISO__OP_NEG, (uint8_t)target, 2, 0, 0, 0};
        memcpy(&program.code[6 * program.instruction_count], neg, 6);
        program.instruction_count += 1;
        program.cost += 1;
        assert_int_equal(iso_program_check(&program), target < ISO__REGISTER_TEMPORARY ? ISO_ERR_MALFORMED : ISO_OK);
    }
}

static void test_what_costs_too_much_is_refused(void **unused) {
    (void)unused;
    iso_program program;
    compile_good("body a constraint a.rotation", &program);
    for (uint32_t i = 0; i < 64; ++i) {
        const uint8_t hypot[6] = {ISO__OP_HYPOT, ISO__REGISTER_TEMPORARY, 0, 1, 0, 0};
        memcpy(&program.code[6 * i], hypot, 6);
        program.instruction_count = (uint16_t)(i + 1);
        program.cost = (uint16_t)(program.cost + 16);
        assert_int_equal(iso_program_check(&program), ISO_OK);
    }
    const uint8_t neg[6] = {ISO__OP_NEG, ISO__REGISTER_TEMPORARY, 0, 0, 0, 0};
    memcpy(&program.code[6 * 64], neg, 6);
    program.instruction_count = 65;
    program.cost = 1025;
    assert_int_equal(iso_program_check(&program), ISO_ERR_MALFORMED);
}

/// Changed programs are refused or run to their end with any numbers; memory checkers look on.
static void test_random_changes_are_refused_or_safe(void **unused) {
    (void)unused;
    uint64_t random = 40;
    int accepted = 0;
    for (int i = 0; i < 60000; ++i) {
        iso_program program;
        compile_good(sources[i % SOURCES], &program);
        for (uint64_t n = 1 + random_u64(&random) % 3; n > 0; --n) {
            uint8_t *bytes = (uint8_t *)&program;
            size_t limit = (random_u64(&random) & 1) != 0 ? sizeof program : offsetof(iso_program, code) + 220;
            size_t at = (size_t)(random_u64(&random) % limit);
            bytes[at] = (random_u64(&random) & 1) != 0 ? (uint8_t)random_u64(&random) : (uint8_t)(bytes[at] + 1);
        }
        if (iso_program_check(&program) != ISO_OK) {
            continue;
        }
        accepted += 1;
        program_state state;
        random_state(&random, 100, &state);
        iso__program_rows rows;
        iso__program_bounds bounds;
        iso__program_evaluate(&program, state.bodies, &state.params, &rows);
        iso__program_limits(&program, &state.params, &bounds);
        uint8_t bytes[ISO_PROGRAM_BYTES_MAX];
        iso_program back;
        assert_int_equal(iso_program_decode(bytes, iso_program_encode(&program, bytes), &back), ISO_OK);
        assert_memory_equal(&program, &back, sizeof program);
    }
    print_message("%d of 60000 changed programs are well formed\n", accepted);
    assert_true(accepted > 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_give_the_same_program),
        cmocka_unit_test(test_the_documented_bytes),
        cmocka_unit_test(test_bytes_that_end_early_or_late_are_refused),
        cmocka_unit_test(test_each_rule_of_the_check),
        cmocka_unit_test(test_code_writes_temporaries_alone),
        cmocka_unit_test(test_what_costs_too_much_is_refused),
        cmocka_unit_test(test_random_changes_are_refused_or_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
