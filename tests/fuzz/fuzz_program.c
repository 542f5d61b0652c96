/// Any bytes as a symbolic constraint. The first byte says what the rest is: an odd one a source, an even one a
/// program's canonical bytes; of a source 8 in it says that it is one for worlds in space. What is accepted is
/// evaluated with numbers that the bytes themselves give.
#include "fuzz.h"

#include "symbolic/evaluate.h"

/// Numbers of all magnitudes from the input's bytes.
static int64_t next_number(uint64_t *random) {
    uint64_t z = (*random += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (int64_t)z >> (z & 63);
}

static void evaluate_rows(const iso_program *program, const iso_program_params *params, uint64_t *random,
                          iso__program_rows *rows) {
    if (iso_program_dimensions(program) == 3) {
        iso_constraint3_body bodies[ISO_CONSTRAINT3_BODIES];
        for (int i = 0; i < 3 * ISO_CONSTRAINT3_BODIES; ++i) {
            bodies[i / 3].position[i % 3] = next_number(random);
            for (int k = 0; k < 3; ++k) {
                bodies[i / 3].axes[i % 3][k] = (int32_t)next_number(random);
            }
        }
        iso__program3_evaluate(program, bodies, params, rows);
        return;
    }
    iso__program_body bodies[ISO_PROGRAM_BODIES_MAX];
    for (int i = 0; i < ISO_PROGRAM_BODIES_MAX; ++i) {
        bodies[i].position[0] = next_number(random);
        bodies[i].position[1] = next_number(random);
        bodies[i].angle = next_number(random);
        bodies[i].rotation = (iso_rotation){(int32_t)next_number(random), (int32_t)next_number(random)};
    }
    iso__program_evaluate(program, bodies, params, rows);
}

static void evaluate(const iso_program *program, uint64_t random) {
    iso_program_params params;
    for (int i = 0; i < ISO_PROGRAM_VECTORS_MAX; ++i) {
        params.vectors[i][0] = next_number(&random);
        params.vectors[i][1] = next_number(&random);
        for (int k = 0; k < 3; ++k) {
            params.vectors3[i][k] = next_number(&random);
        }
        params.scalars[i] = next_number(&random);
    }
    iso__program_rows rows;
    iso__program_bounds bounds;
    evaluate_rows(program, &params, &random, &rows);
    const uint32_t columns = (uint32_t)iso__program_layout(program)->columns * program->body_count;
    const uint32_t wrong = iso__program_limits(program, &params, &bounds);
    FUZZ_CHECK(wrong == UINT32_MAX || wrong < (uint32_t)program->limit_count + program->row_count);
    for (uint32_t r = 0; r < program->row_count; ++r) {
        FUZZ_CHECK(rows.error[r] != INT64_MIN);
        for (uint32_t k = 0; k < columns; ++k) {
            FUZZ_CHECK(rows.columns[r][k] != INT64_MIN);
        }
        FUZZ_CHECK(wrong != UINT32_MAX || bounds.low[r] <= bounds.high[r]);
    }
}

/// What the compiler makes or the decoder accepts has one form of bytes, of at most the promised size.
static void check_program(const iso_program *program, uint64_t random) {
    static uint8_t bytes[ISO_PROGRAM_BYTES_MAX];
    static iso_program back;
    FUZZ_CHECK(iso_program_check(program) == ISO_OK);
    const size_t size = iso_program_encode(program, bytes);
    FUZZ_CHECK(size <= sizeof bytes);
    FUZZ_CHECK(iso_program_decode(bytes, size, &back) == ISO_OK);
    FUZZ_CHECK(memcmp(program, &back, sizeof back) == 0);
    for (int i = 0; i < 4; ++i) {
        evaluate(program, random + (uint64_t)i);
    }
}

static void check_source(const char *source, size_t size, bool is_space) {
    static iso_program_scratch scratch;
    static iso_program program;
    iso_program_error error;
    memset(&error, 0, sizeof error);
    const iso_status status = is_space ? iso_program3_compile(source, size, &scratch, &program, &error)
                                       : iso_program_compile(source, size, &scratch, &program, &error);
    if (status == ISO_OK) {
        check_program(&program, size);
        return;
    }
    FUZZ_CHECK(error.line >= 1 && error.line <= size + 1 && error.column >= 1 && error.column <= size + 1);
    FUZZ_CHECK(memcmp(error.message, "found ", 6) == 0 && strstr(error.message, ", expected ") != NULL);
    FUZZ_CHECK(strlen(error.message) < sizeof error.message - 1); // no message is cut
}

static void check_bytes(const uint8_t *bytes, size_t size) {
    static iso_program program;
    static uint8_t again[ISO_PROGRAM_BYTES_MAX];
    if (iso_program_decode(bytes, size, &program) == ISO_OK) {
        FUZZ_CHECK(iso_program_encode(&program, again) == size && memcmp(bytes, again, size) == 0);
        check_program(&program, size);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size > 0 && (bytes[0] & 1) != 0) {
        check_source((const char *)bytes + 1, size - 1, (bytes[0] & 8) != 0);
    } else if (size > 0) {
        check_bytes(bytes + 1, size - 1);
    }
    return 0;
}
