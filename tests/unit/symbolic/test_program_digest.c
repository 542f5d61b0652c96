/// One number for what symbolic constraints compile to and compute, the same on every processor and build.
///
/// Plain C without a test library or floating point, so that it can be compiled for other processors and run under
/// emulation: exit code 0 when the digest is the expected one. What the digest covers is tested for being right
/// elsewhere. It changes with the compiler's rules, and then on purpose.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "symbolic/evaluate.h"

#define EXPECTED UINT64_C(0xda7e2c77adcba949)

static uint64_t digest = UINT64_C(0xcbf29ce484222325);

static void add_bytes(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
}

static void add(int64_t value) {
    for (int i = 0; i < 8; ++i) {
        uint8_t byte = (uint8_t)((uint64_t)value >> (8 * i));
        add_bytes(&byte, 1);
    }
}

static uint64_t random_u64(void) {
    static uint64_t state = 1;
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/// Of random width: from small numbers to the ends of the range.
static int64_t random_i64(void) {
    unsigned shift = (unsigned)(random_u64() & 63);
    return (int64_t)random_u64() >> shift;
}

static void add_evaluation(const iso_program *program) {
    iso__program_body bodies[ISO_PROGRAM_BODIES_MAX];
    iso_program_params params;
    for (uint32_t i = 0; i < ISO_PROGRAM_BODIES_MAX; ++i) {
        bodies[i].position[0] = random_i64();
        bodies[i].position[1] = random_i64();
        bodies[i].angle = random_i64();
        bodies[i].rotation = iso_rotation_make((uint32_t)iso_turns_from_radians(bodies[i].angle));
    }
    for (uint32_t i = 0; i < ISO_PROGRAM_VECTORS_MAX; ++i) {
        params.vectors[i][0] = random_i64();
        params.vectors[i][1] = random_i64();
        params.scalars[i] = random_i64();
    }
    iso__program_rows rows;
    iso__program_bounds bounds;
    add(iso__program_limits(program, &params, &bounds));
    iso__program_evaluate(program, bodies, &params, &rows);
    for (uint32_t r = 0; r < program->row_count; ++r) {
        add(bounds.low[r]);
        add(bounds.high[r]);
        add(rows.error[r]);
        for (uint32_t k = 0; k < 3u * program->body_count; ++k) {
            add(rows.jacobian[r][k / 3][k % 3]);
        }
    }
}

int main(void) {
    static const char *const sources[] = {
        "body a, b vector p, q scalar phase constraint let r = relative a.rotation p in let s = relative b.rotation q "
        "in "
        "{ (b.position + s) - (a.position + r) b.rotation - a.rotation - phase }",
        "body a, b vector p, q scalar low, high limit low 0 high constraint "
        "|(b.position + relative b.rotation q) - (a.position + relative a.rotation p)| limit constraint low high",
        "body a, b vector p, q, d scalar low, high limit low (-inf) high limit |d| eps inf constraint "
        "let n = unit(relative a.rotation d) in "
        "let e = (b.position + relative b.rotation q) - (a.position + relative a.rotation p) in { n dot e n cross e } "
        "limit constraint { low 0 } { high 0 }",
        "body a, b, c, d scalar ratio, length constraint |b.position - a.position| + ratio * |d.position - c.position| "
        "limit constraint 0 length",
        "body a, b vector v scalar s, t constraint { |a.rotation - s| / (t + |b.rotation|) "
        "(relative (s * a.rotation - t / 3) v) dot (b.position - a.position cross 0.25) "
        "unit(b.position / s - v) 1.5e-3 * a.position.x - -b.position.y / a.position.y }",
    };
    static iso_program_scratch scratch;
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; ++i) {
        iso_program program;
        iso_program_error error;
        uint8_t bytes[ISO_PROGRAM_BYTES_MAX];
        if (iso_program_compile(sources[i], strlen(sources[i]), &scratch, &program, &error) != ISO_OK) {
            printf("%zu: %" PRIu32 ":%" PRIu32 ": %s\n", i, error.line, error.column, error.message);
            return 1;
        }
        add_bytes(bytes, iso_program_encode(&program, bytes));
        for (int k = 0; k < 2000; ++k) {
            add_evaluation(&program);
        }
    }
    if (digest != EXPECTED) {
        printf("the programs' digest is %016" PRIx64 ", expected %016" PRIx64 "\n", digest, EXPECTED);
        return 1;
    }
    return 0;
}
