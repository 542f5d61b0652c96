/// Every way in which a source can be wrong: line, column, what was found and what was expected.

#include "test_program_util.h"

typedef struct bad_case {
    const char *source;
    uint32_t line, column;
    const char *message;
} bad_case;

#define OPERAND      "a name, a number, '(', '|', '{', unit, relative or '-'"
#define STATEMENT    "body, vector, scalar, limit, constraint, or an operator"
#define DECLARED     "a declared body, vector or scalar, or a name of let"
#define NEW_NAME     "a name of 1 to 31 letters, digits or '_', and no reserved word"
#define LET_NAME     "a name of 1 to 31 letters, digits or '_' after let"
#define SUMMED(sign) "two scalars or two vectors around '" sign "'"
#define FACTORS      "a scalar on one side of '*'; dot and cross multiply vectors"
#define MOVED        "a row that depends on a body's position or rotation"

static void check_bad(const char *source, size_t size, uint32_t line, uint32_t column, const char *message) {
    static iso_program_scratch scratch;
    iso_program program;
    iso_program untouched;
    iso_program_error error = {0, 0, ""};
    memset(&program, 0x5a, sizeof program);
    memset(&untouched, 0x5a, sizeof untouched);
    assert_int_equal(iso_program_compile(source, size, &scratch, &program, &error), ISO_ERR_SCENE_INVALID);
    assert_memory_equal(&program, &untouched, sizeof program);
    assert_int_equal(iso_program_compile(source, size, &scratch, &program, NULL), ISO_ERR_SCENE_INVALID);
    if (error.line != line || error.column != column || strcmp(error.message, message) != 0) {
        print_error("%s\n  %u:%u: %s\n  instead of\n  %u:%u: %s\n", size < 200 ? source : "long", error.line,
                    error.column, error.message, line, column, message);
    }
    assert_string_equal(error.message, message);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
}

static void run_cases(const bad_case *cases, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        check_bad(cases[i].source, strlen(cases[i].source), cases[i].line, cases[i].column, cases[i].message);
    }
}
#define RUN(cases) run_cases(cases, sizeof cases / sizeof *cases)

static void test_statements_say_what_is_wrong(void **unused) {
    (void)unused;
    static const bad_case cases[] = {
        {"", 1, 1, "found the end, expected a constraint"},
        {"body a\n# nothing else\n", 3, 1, "found the end, expected a constraint"},
        {"let x = 1 in x", 1, 1, "found 'let', expected " STATEMENT},
        {"bodies a", 1, 1, "found 'bodies', expected " STATEMENT},
        {"body a constraint a.rotation a", 1, 30, "found 'a', expected " STATEMENT},
        {"body a constraint a.rotation )", 1, 30, "found ')', expected " STATEMENT},
        {"body a constraint a.rotation\nconstraint a.rotation", 2, 1,
         "found a second 'constraint', expected one constraint"},
        {"body a limit constraint 0 1 constraint a.rotation", 1, 14,
         "found 'constraint', expected the constraint before its limit"},
        {"body a constraint a.rotation limit constraint 0 1\n limit constraint 0 1", 2, 8,
         "found a second limit of the 'constraint', expected one limit of the constraint"},
        {"body\n\n  a, 2b", 3, 6, "found '2b', expected " NEW_NAME},
        {"body a,", 1, 8, "found the end, expected " NEW_NAME},
        {"vector unit", 1, 8, "found 'unit', expected " NEW_NAME},
        {"scalar abcdefghijklmnopqrstuvwxyz_12345", 1, 8,
         "found 'abcdefghijklmnopqrstuvwxyz_12345', expected " NEW_NAME},
        {"scalar abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopq", 1, 8,
         "found 'abcdefghijklmnopqrstuvwxyz_abcdefghijklm...', expected " NEW_NAME},
        {"body a vector b scalar a", 1, 24, "found 'a', expected a name that is not declared yet"},
        {"body a vector b scalar b", 1, 24, "found 'b', expected a name that is not declared yet"},
        {"body a scalar b vector b", 1, 24, "found 'b', expected a name that is not declared yet"},
        {"body a, b, c, d, e", 1, 18, "found 'e', expected at most 4 bodies"},
        {"vector a, b, c, d, e, f, g, h, i", 1, 32, "found 'i', expected at most 8 vectors"},
        {"scalar a, b, c, d, e, f, g, h, i", 1, 32, "found 'i', expected at most 8 scalars"},
        {"body a constraint a.rotation body b scalar \x80", 1, 44, "found the byte 0x80, expected " NEW_NAME},
        {"body a constraint ;", 1, 19, "found ';', expected " OPERAND},
        {"body a constraint \x7f", 1, 19, "found the byte 0x7f, expected " OPERAND},
    };
    RUN(cases);
}

static void test_expressions_say_what_is_wrong(void **unused) {
    (void)unused;
    static const bad_case cases[] = {
        {"body a constraint", 1, 18, "found the end, expected " OPERAND},
        {"body a constraint a", 1, 19, "found the body 'a', expected its .position or .rotation"},
        {"body a constraint a.speed", 1, 21, "found 'speed', expected position or rotation of a body"},
        {"body a constraint a.", 1, 21, "found the end, expected position or rotation of a body"},
        {"body a constraint a.position.z", 1, 30, "found 'z', expected x or y of a vector"},
        {"body a constraint a.rotation.x", 1, 30, "found a scalar, expected a vector before '.'"},
        {"body a constraint b.rotation", 1, 19, "found the unknown name 'b', expected " DECLARED},
        {"body a constraint\n\ta.rotation + phase", 2, 15, "found the unknown name 'phase', expected " DECLARED},
        {"body a constraint a.rotation + ", 1, 32, "found the end, expected " OPERAND},
        {"body a constraint (a.rotation", 1, 30, "found the end, expected ')' or an operator"},
        {"body a constraint |a.rotation", 1, 30, "found the end, expected '|' at the end of a norm"},
        {"body a constraint { a.rotation", 1, 31, "found the end, expected " OPERAND},
        {"body a constraint { }", 1, 21, "found '}', expected " OPERAND},
        {"body a constraint a.rotation + 2x", 1, 32, "found '2x', expected " OPERAND},
        {"body a constraint a.rotation + 2.", 1, 34, "found a scalar, expected a vector before '.'"},
        {"body a constraint a.rotation + 2147483648", 1, 32, "found '2147483648', expected a number below 2147483648"},
        {"body a constraint a.rotation + 1e99", 1, 32, "found '1e99', expected a number below 2147483648"},
        {"body a constraint a.rotation + .5", 1, 32, "found '.', expected " OPERAND},
        {"body a constraint a.rotation + inf", 1, 30, "found a scalar and inf, expected " SUMMED("+")},
        {"body a constraint inf", 1, 19, "found inf in the constraint at 'inf', expected inf in bounds alone"},
        {"body a constraint a.rotation - a.position", 1, 30, "found a scalar and a vector, expected " SUMMED("-")},
        {"body a constraint a.rotation + { 1 }", 1, 30, "found a scalar and a block, expected " SUMMED("+")},
        {"body a vector v constraint a.position * v", 1, 39, "found a vector and a vector, expected " FACTORS},
        {"body a vector v constraint { a.position } * 2", 1, 43, "found a block and a scalar, expected " FACTORS},
        {"body a vector v constraint 2 / v", 1, 30,
         "found a scalar and a vector, expected a scalar or vector before '/' and a scalar after it"},
        {"body a vector v constraint v dot 2", 1, 30, "found a vector and a scalar, expected two vectors around dot"},
        {"body a vector v constraint 1 cross 2", 1, 30,
         "found a scalar and a scalar, expected two vectors, or a vector and a scalar, around cross"},
        {"body a constraint -{ a.rotation }", 1, 19, "found a block, expected a scalar or vector after '-'"},
        {"body a constraint |{ a.rotation }|", 1, 19, "found a block, expected a vector or scalar between '|' and '|'"},
        {"body a constraint |inf|", 1, 19, "found inf, expected a vector or scalar between '|' and '|'"},
        {"body a constraint unit a.rotation", 1, 19, "found a scalar, expected a vector after unit"},
        {"body a constraint relative a.position a.position", 1, 19, "found a vector, expected an angle after relative"},
        {"body a constraint relative a.rotation 2", 1, 19,
         "found a scalar, expected a vector after relative and its angle"},
        {"body a constraint relative a.rotation", 1, 38, "found the end, expected " OPERAND},
    };
    RUN(cases);
}

static void test_lets_and_blocks_say_what_is_wrong(void **unused) {
    (void)unused;
    static const bad_case cases[] = {
        {"body a constraint let 2 = 3 in 4", 1, 23, "found '2', expected " LET_NAME},
        {"body a constraint let in = 3 in 4", 1, 23, "found 'in', expected " LET_NAME},
        {"body a constraint let a = 3 in 4", 1, 23,
         "found 'a', expected a new name after let: this one has a meaning here"},
        {"body a constraint let x = 1 in let x = 2 in x", 1, 36,
         "found 'x', expected a new name after let: this one has a meaning here"},
        {"body a vector v constraint let v = 1 in v", 1, 32,
         "found 'v', expected a new name after let: this one has a meaning here"},
        {"body a scalar s constraint let s = 1 in s", 1, 32,
         "found 's', expected a new name after let: this one has a meaning here"},
        {"body a constraint let x 3 in 4", 1, 25, "found '3', expected '=' after the name of let"},
        {"body a constraint let x = 3 x", 1, 29, "found 'x', expected in, or an operator, after the value of let"},
        {"body a constraint let x = { 1 2 } in a.rotation", 1, 27,
         "found a block, expected a scalar or vector as the value of let"},
        {"body a constraint let x = inf in a.rotation", 1, 27,
         "found inf, expected a scalar or vector as the value of let"},
        {"body a constraint { (let x = 2 in x) x a.rotation }", 1, 38,
         "found the unknown name 'x', expected " DECLARED},
        {"body a constraint 1 + let x = 2 in x", 1, 23, "found 'let', expected " OPERAND},
        {"body a constraint { a.rotation -a.rotation }", 1, 32,
         "found a '-' that may subtract or begin another entry, expected 'a - b' for one entry or 'a (-b)' for two"},
        {"body a constraint { a.position a.position a.position a.rotation }", 1, 54,
         "found a row beyond the sixth at 'a', expected at most 6 rows"},
        {"body a constraint { a.position 3 }", 1, 19,
         "found row 3 of the constraint, which no body moves, expected " MOVED},
        {"body a constraint\n a.position - a.position", 2, 2,
         "found row 1 of the constraint, which no body moves, expected " MOVED},
        {"vector v constraint |v|", 1, 21, "found row 1 of the constraint, which no body moves, expected " MOVED},
    };
    RUN(cases);
}

static void test_limits_say_what_is_wrong(void **unused) {
    (void)unused;
#define HEAD "body a scalar s constraint a.position "
    static const bad_case cases[] = {
        {HEAD "limit a.rotation 0 1", 1, 45, "found the body 'a', expected parameters: limits do not depend on bodies"},
        {HEAD "limit s 0 |a.position|", 1, 50,
         "found the body 'a', expected parameters: limits do not depend on bodies"},
        {HEAD "limit constraint 0 a.position", 1, 56,
         "found bounds of another number of rows at '0', expected as many bounds as the constraint has rows"},
        {HEAD "limit constraint { 0 0 0 } { 1 1 1 }", 1, 56,
         "found bounds of another number of rows at '{', expected as many bounds as the constraint has rows"},
        {HEAD "limit constraint { 0 0 } 1", 1, 64,
         "found bounds of another number of rows at '1', expected as many bounds as the constraint has rows"},
        {HEAD "limit constraint { 0 inf } { 1 inf }", 1, 56,
         "found inf as a low bound at '{', expected a number or (-inf)"},
        {HEAD "limit s 0 (-inf)", 1, 49, "found -inf as a high bound at '(', expected a number or inf"},
        {HEAD "limit s inf inf", 1, 47, "found inf as a low bound at 'inf', expected a number or (-inf)"},
        {HEAD "limit s 2 1", 1, 49, "found a high bound below the low one at '1', expected low <= high"},
        {HEAD "limit s -inf 1", 1, 47,
         "found a '-' that may subtract or begin another entry, expected 'a - b' for one entry or 'a (-b)' for two"},
        {HEAD "limit { s } 0 1", 1, 45, "found no scalar at '{', expected a scalar of parameters after limit"},
        {HEAD "limit inf 0 1", 1, 45, "found no scalar at 'inf', expected a scalar of parameters after limit"},
        {HEAD "limit s 0", 1, 48, "found the end, expected " OPERAND},
        {HEAD "limit s { 0 0 } 1", 1, 47,
         "found bounds of another number of rows at '{', expected one bound: a scalar, inf or (-inf)"},
        {HEAD
         "limit s 0 1 limit s 0 1 limit s 0 1 limit s 0 1 limit s 0 1 limit s 0 1 limit s 0 1 limit s 0 1\nlimit s 0 1",
         2, 7, "found another limit at 's', expected at most 8 limits of parameters"},
    };
    RUN(cases);
#undef HEAD
}

/// `count` times the same text, between two others.
static const char *repeated(const char *before, const char *text, int count, const char *after) {
    static char source[8192];
    size_t at = (size_t)snprintf(source, sizeof source, "%s", before);
    for (int i = 0; i < count; ++i) {
        at += (size_t)snprintf(source + at, sizeof source - at, "%s", text);
    }
    snprintf(source + at, sizeof source - at, "%s", after);
    return source;
}

static void check_repeated(const char *before, const char *text, int count, const char *after, uint32_t column,
                           const char *message) {
    const char *source = repeated(before, text, count, after);
    check_bad(source, strlen(source), 1, column, message);
}

static void test_what_is_too_much_is_refused(void **unused) {
    (void)unused;
    iso_program program;
    static char source[8192];
    memset(source, ' ', sizeof source);
    check_bad(source, 4097, 1, 1, "found a longer source, expected at most 4096 bytes");
    check_bad(source, 4096, 1, 4097, "found the end, expected a constraint");

    static const char nested[] = "found another level at '(', expected at most 32 levels of nesting";
    check_repeated("body a constraint ", "(", 4000, "", 19 + 32, nested);
    check_repeated("body a constraint ", "(", 32, "a.rotation", 19 + 32,
                   "found another level at 'a', expected at most 32 levels of nesting");
    compile_good(repeated("body a constraint ((((((((((((((((((((((((((((((", "(", 1,
                          "a.rotation)))))))))))))))))))))))))))))))"),
                 &program);
    check_repeated("body a constraint ", "unit ", 500, "", 19 + 5 * 31,
                   "found another level at 'unit', expected at most 32 levels of nesting");
    check_repeated("body a constraint ", "{", 4000, "", 19 + 32,
                   "found another level at '{', expected at most 32 levels of nesting");
    check_repeated("body a constraint ", "let x = ", 400, "", 19 + 8 * 32,
                   "found another level at 'let', expected at most 32 levels of nesting");
    compile_good(repeated("body a constraint ", "-", 3000, "a.rotation"), &program);

    check_bad(
        "body a constraint let a1=1 in let a2=1 in let a3=1 in let a4=1 in let a5=1 in let a6=1 in let a7=1 in "
        "let a8=1 in let a9=1 in let b1=1 in let b2=1 in let b3=1 in let b4=1 in let b5=1 in let b6=1 in let b7=1 in "
        "let b8=1 in a.rotation",
        232, 1, 215, "found 'b8', expected at most 16 names of let at one place");
}

static void check_too_much(const char *source, const char *found) {
    char message[192];
    snprintf(message, sizeof message, "found %s, expected something simpler", found);
    const char *constraint = strstr(source, "constraint ");
    check_bad(source, strlen(source), 1, (uint32_t)(constraint - source) + 12, message);
}

/// x -> |v + relative x v|, so many times, divided by |v|.
static const char *nested_norms(int count) {
    char after[256] = "a.rotation";
    for (int i = 0; i < count; ++i) {
        strcat(after, " v|");
    }
    strcat(after, " / |v|");
    return repeated("body a vector v constraint ", "|v + relative ", count, after);
}

/// A product of so many different sums, which are all needed again for its derivative.
static const char *product_of_sums(int count) {
    static char source[4096];
    size_t at = (size_t)snprintf(source, sizeof source,
                                 "body a scalar s0, s1, s2, s3, s4, s5, s6, s7 constraint let A = a.rotation in A");
    for (int i = 0; i < count; ++i) {
        at += (size_t)snprintf(source + at, sizeof source - at, "*(A+s%d+s%d+s%d)", i % 8, i / 8 % 8, i / 64 + i % 3);
    }
    return source;
}

/// a.rotation times so many different numbers.
static const char *sum_of_numbers(int count) {
    static char source[4096];
    size_t at = (size_t)snprintf(source, sizeof source, "body a scalar s constraint a.rotation");
    for (int i = 2; i < 2 + count; ++i) {
        at += (size_t)snprintf(source + at, sizeof source - at, "+%d*s", i);
    }
    return source;
}

static void test_what_costs_too_much_is_refused(void **unused) {
    (void)unused;
    iso_program program;
    compile_good(nested_norms(8), &program);
    check_too_much(nested_norms(15), "a source that costs more than 1024");
    compile_good(repeated("body a scalar s, t constraint a.rotation", "+s+t", 256, ""), &program);
    assert_int_equal(program.instruction_count, 512);
    assert_int_equal(program.cost, 512);
    check_too_much(repeated("body a scalar s, t constraint a.rotation", "+s+t", 257, ""),
                   "a source of more than 512 instructions");
    check_too_much(repeated("body a scalar s, t limit s+t 0 inf constraint a.rotation", "+s+t", 256, ""),
                   "a source of more than 512 instructions"); // those of bounds count, too
    compile_good(sum_of_numbers(30), &program);               // beside 0 and 1 of the Jacobian
    assert_int_equal(program.constant_count, 32);
    check_too_much(sum_of_numbers(31), "a source with more than 32 different numbers");
    compile_good(product_of_sums(60), &program);
    check_too_much(product_of_sums(110), "a source with more values at once than there are registers");
    check_too_much(repeated("body a vector u, v constraint a.position", "+u+v", 600, ""),
                   "a source of more than 2048 different values, derivatives counted");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statements_say_what_is_wrong),      cmocka_unit_test(test_expressions_say_what_is_wrong),
        cmocka_unit_test(test_lets_and_blocks_say_what_is_wrong), cmocka_unit_test(test_limits_say_what_is_wrong),
        cmocka_unit_test(test_what_is_too_much_is_refused),       cmocka_unit_test(test_what_costs_too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
