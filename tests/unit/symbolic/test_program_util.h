/// What the tests of symbolic constraints share: the document's three examples, compiling, random states.
#ifndef TEST_PROGRAM_UTIL_H
#define TEST_PROGRAM_UTIL_H

#include "unit/math/test_math_util.h"

#include "symbolic/evaluate.h"

#define WELD_SOURCE                                             \
    "    body body1, body2\n"                                   \
    "    vector anchor1, anchor2\n"                             \
    "    scalar phase\n"                                        \
    "    constraint\n"                                          \
    "        let r1 = relative body1.rotation anchor1 in\n"     \
    "        let r2 = relative body2.rotation anchor2 in\n"     \
    "        { (body2.position + r2) - (body1.position + r1)\n" \
    "          body2.rotation - body1.rotation - phase }\n"

#define DISTANCE_SOURCE                                           \
    "    body body1, body2\n"                                     \
    "    vector anchor1, anchor2\n"                               \
    "    scalar jointMin, jointMax\n"                             \
    "    limit jointMin 0 jointMax # 0 <= jointMin <= jointMax\n" \
    "    constraint\n"                                            \
    "        let r1 = relative body1.rotation anchor1 in\n"       \
    "        let r2 = relative body2.rotation anchor2 in\n"       \
    "        |(body2.position + r2) - (body1.position + r1)|\n"   \
    "    limit constraint jointMin jointMax # jointMin <= constraint <= jointMax\n"

#define LINE_SOURCE                                                         \
    "    body body1, body2\n"                                               \
    "    vector anchor1, anchor2, direction\n"                              \
    "    scalar jointMin, jointMax\n"                                       \
    "    limit jointMin (-inf) jointMax # jointMin <= jointMax\n"           \
    "    limit |direction| eps inf # direction != 0\n"                      \
    "    constraint\n"                                                      \
    "        let r1 = relative body1.rotation anchor1 in\n"                 \
    "        let r2 = relative body2.rotation anchor2 in\n"                 \
    "        let dir = unit(relative body1.rotation direction) in\n"        \
    "        let del = (body2.position + r2) - (body1.position + r1) in\n"  \
    "        { dir dot del\n"                                               \
    "          dir cross del }\n"                                           \
    "   # limit first dimension of constraint between jointMin, jointMax\n" \
    "   # and limit second dimension to exactly 0\n"                        \
    "    limit constraint { jointMin 0 } { jointMax 0 }\n"

/// What a program is evaluated at.
typedef struct program_state {
    iso__program_body bodies[ISO_PROGRAM_BODIES_MAX];
    iso_program_params params;
} program_state;

static inline iso_status compile_text(const char *source, iso_program *program, iso_program_error *error) {
    static iso_program_scratch scratch;
    return iso_program_compile(source, strlen(source), &scratch, program, error);
}

/// Compiles what is right; the program is well formed.
static inline void compile_good(const char *source, iso_program *program) {
    iso_program_error error = {0, 0, ""};
    iso_status status = compile_text(source, program, &error);
    if (status != ISO_OK) {
        print_error("%u:%u: %s\n%s\n", error.line, error.column, error.message, source);
    }
    assert_int_equal(status, ISO_OK);
    assert_int_equal(iso_program_check(program), ISO_OK);
}

static inline double to_double(int64_t value) {
    return (double)value / 4294967296.0;
}

static inline int64_t from_double(double value) {
    return (int64_t)llround(value * 4294967296.0);
}

/// Uniform within ±range.
static inline double random_double(uint64_t *random, double range) {
    return ((double)(random_u64(random) >> 11) / 4503599627370496.0 - 1.0) * range;
}

static inline void set_body(iso__program_body *body, int64_t x, int64_t y, int64_t angle) {
    body->position[0] = x;
    body->position[1] = y;
    body->angle = angle;
    body->rotation = iso_rotation_make((uint32_t)iso_turns_from_radians(angle));
}

/// Bodies within ±place metres and a turn, parameters within ±2.
static inline void random_state(uint64_t *random, double place, program_state *state) {
    for (uint32_t i = 0; i < ISO_PROGRAM_BODIES_MAX; ++i) {
        set_body(&state->bodies[i], from_double(random_double(random, place)),
                 from_double(random_double(random, place)), from_double(random_double(random, 6.0)));
    }
    for (uint32_t i = 0; i < ISO_PROGRAM_VECTORS_MAX; ++i) {
        state->params.vectors[i][0] = from_double(random_double(random, 2));
        state->params.vectors[i][1] = from_double(random_double(random, 2));
        state->params.scalars[i] = from_double(random_double(random, 2));
    }
}

static inline uint8_t row_flags(const iso_program *program, uint32_t row) {
    return program->rows[ISO_PROGRAM_ROW_SIZE * row + ISO__ROW_FLAGS];
}

#endif
