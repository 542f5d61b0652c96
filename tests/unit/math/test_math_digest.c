/// One number that stands for the bits of the whole arithmetic, the same on every processor and build.
///
/// Plain C without a test library or floating point, so that it can be compiled for other processors and run
/// under emulation: exit code 0 when the digest is the expected one. What the digest covers is tested for being
/// right elsewhere; this test finds a build that computes something else.

#include <inttypes.h>
#include <stdio.h>

#include "isostep/fixed.h"
#include "isostep/literal.h"
#include "isostep/vec2.h"
#include "isostep/vec3.h"
#include "math/jacobi3.h"
#include "math/quat.h"
#include "math/solve3.h"
#include "math/vec3.h"
#include "math/wide128.h"

#define EXPECTED UINT64_C(0xc56d8b1ecf20fdd9)

#define EXPECTED_VECTORS UINT64_C(0x10884c6c364455ab) // of vectors, and of constants from literals

#define EXPECTED_SPACE \
    UINT64_C(0x1a86c9ebdf38974f) // of vectors and rotations of space, and of the solver's functions for it

#define START UINT64_C(0xcbf29ce484222325)
static uint64_t digest = START;

static void add(int64_t value) {
    uint64_t bits = (uint64_t)value;
    for (int i = 0; i < 8; ++i) {
        digest = (digest ^ (bits & 255)) * UINT64_C(0x100000001b3);
        bits >>= 8;
    }
}

static uint64_t random_u64(void) {
    static uint64_t state = 1;
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int64_t random_i64(void) {
    unsigned shift = (unsigned)(random_u64() & 63);
    uint64_t bits = random_u64();
    uint64_t magnitude = random_u64() >> shift;
    return (int64_t)(bits & 1 ? 0 - magnitude : magnitude);
}

static void add_wide(int64_t a, int64_t b, int64_t c, unsigned shift) {
    add(iso_wide_add(a, b));
    add(iso_wide_sub(a, b));
    add(iso_wide_mul(a, b));
    add(iso_wide_div(a, b));
    add(iso_wide_sqrt(a));
    add(iso_wide_hypot(a, b));
    add(iso_wide_exp(a));
    add(iso_wide_atan2(a, b));
    add(iso_turns_from_radians(a));
    add(iso_radians_from_turns(a));
    add(iso__mul_shift(a, b, shift));
    add(iso__mul_div(a, b, c));
    add(iso__div_shift(a, shift, b));
    add(iso__dot_shift(a / 2, b, c / 2, a, shift));
    int64_t x1;
    int64_t x2;
    add(iso__solve2(a, b / 4, c, a, b, &x1, &x2));
    add(x1);
    add(x2);
    iso__inverse2 inverse;
    add(iso__inverse2_make(a, b / 4, c, &inverse));
    iso__inverse2_apply(&inverse, a, c, &x1, &x2);
    add(x1);
    add(x2);
}

static void add_small(int64_t a, int64_t b) {
    int32_t nx;
    int32_t ny;
    add(iso__normalize(a, b, &nx, &ny));
    add(nx);
    add(ny);
    add(iso__isqrt64((uint64_t)a));
    add(iso__recip_unit((uint64_t)a));
    add(iso_fix16_from_wide(a));
    iso_rotation q = iso_rotation_make((uint32_t)a);
    iso_rotation r = iso_rotation_mul(q, iso_rotation_make((uint32_t)b));
    add(q.c);
    add(q.s);
    add(r.c);
    add(r.s);
    fix16_t x = (fix16_t)(uint32_t)a;
    fix16_t y = (fix16_t)(uint32_t)b;
    add(iso_fix16_mul(x, y));
    add(iso_fix16_div(x, y));
    add(iso_fix16_sqrt(x));
    add(iso_fix16_sadd(x, y));
    add(iso_fix16_ssub(x, y));
    add(iso_fix16_smul(x, y));
    add(iso_fix16_sdiv(x, y));
}

static void add_text(int64_t a) {
    char text[ISO_WIDE_TEXT_SIZE];
    size_t size = iso_wide_to_text(a, text);
    for (size_t i = 0; i < size; ++i) {
        add(text[i]);
    }
    iso_wide value = 0;
    add(iso_wide_from_text(text, size, &value));
    add(value);
    size = iso_fix16_to_text((fix16_t)(uint32_t)a, text);
    fix16_t small = 0;
    add(iso_fix16_from_text(text, size, &small));
    add(small);
}

static void add_vec2(iso_vec2 v) {
    add(v.x);
    add(v.y);
}

static void add_vec2_wide(iso_vec2_wide v) {
    add(v.x);
    add(v.y);
}

static void add_vectors(iso_vec2_wide a, iso_vec2_wide b, int64_t t) {
    const iso_vec2 c = {(fix16_t)(uint32_t)a.x, (fix16_t)(uint32_t)a.y};
    const iso_vec2 d = {(fix16_t)(uint32_t)b.x, (fix16_t)(uint32_t)b.y};
    const fix16_t u = (fix16_t)(uint32_t)t;
    add_vec2(iso_vec2_from_wide(a));
    add_vec2(iso_vec2_add(c, d));
    add_vec2(iso_vec2_sub(c, d));
    add_vec2(iso_vec2_scale(c, u));
    add_vec2(iso_vec2_normalize(c));
    add_vec2(iso_vec2_rotate_turns(c, t));
    add_vec2(iso_vec2_lerp(c, d, u));
    add(iso_vec2_dot(c, d));
    add(iso_vec2_cross(c, d));
    add(iso_vec2_length(c));
    add(iso_vec2_distance(c, d));
    add_vec2_wide(iso_vec2_to_wide(c));
    add_vec2_wide(iso_vec2_wide_add(a, b));
    add_vec2_wide(iso_vec2_wide_sub(a, b));
    add_vec2_wide(iso_vec2_wide_scale(a, t));
    add_vec2_wide(iso_vec2_wide_normalize(a));
    add_vec2_wide(iso_vec2_wide_rotate_turns(a, t));
    add_vec2_wide(iso_vec2_wide_lerp(a, b, t));
    add(iso_vec2_wide_dot(a, b));
    add(iso_vec2_wide_cross(a, b));
    add(iso_vec2_wide_length(a));
    add(iso_vec2_wide_distance(a, b));
}

/// The compilers' work: literals that are no halves and no whole numbers, near the ends of the range, and ratios.
static void add_literals(void) {
    static const iso_wide literals[] = {
        ISO_FIX16(0.1),
        ISO_FIX16(-0.7),
        ISO_FIX16(3.14159265),
        ISO_FIX16(1.00000762939453125),
        ISO_FIX16(-32767.999),
        ISO_FIX16(7.6293e-6),
        ISO_WIDE(0.1),
        ISO_WIDE(-0.123456789),
        ISO_WIDE(9.81),
        ISO_WIDE(123456789.123),
        ISO_WIDE(2147483647.9999),
        ISO_WIDE(1.16415321826934814e-10),
        ISO_WIDE(-1e-9),
        ISO_FIX16_RATIO(-22, 7),
        ISO_WIDE_RATIO(355, 113),
        ISO_WIDE_RATIO(-2147483647999, 1000),
    };
    for (size_t i = 0; i < sizeof literals / sizeof literals[0]; ++i) {
        add(literals[i]);
    }
}

static void add_many(const int64_t *values, int count) {
    for (int i = 0; i < count; ++i) {
        add(values[i]);
    }
}

static void add_many32(const int32_t *values, int count) {
    for (int i = 0; i < count; ++i) {
        add(values[i]);
    }
}

static void add_vec3(iso_vec3 v) {
    add_many32((const int32_t[3]){v.x, v.y, v.z}, 3);
}

static void add_vec3_wide(iso_vec3_wide v) {
    add_many((const int64_t[3]){v.x, v.y, v.z}, 3);
}

static void add_quat(iso_quat q) {
    add_many32((const int32_t[4]){q.x, q.y, q.z, q.w}, 4);
}

static void add_vectors3(iso_vec3_wide a, iso_vec3_wide b, int64_t t) {
    const iso_vec3 c = {(fix16_t)(uint32_t)a.x, (fix16_t)(uint32_t)a.y, (fix16_t)(uint32_t)a.z};
    const iso_vec3 d = {(fix16_t)(uint32_t)b.x, (fix16_t)(uint32_t)b.y, (fix16_t)(uint32_t)b.z};
    const fix16_t u = (fix16_t)(uint32_t)t;
    add_vec3(iso_vec3_from_wide(a));
    add_vec3(iso_vec3_add(c, d));
    add_vec3(iso_vec3_sub(c, d));
    add_vec3(iso_vec3_scale(c, u));
    add_vec3(iso_vec3_normalize(c));
    add_vec3(iso_vec3_lerp(c, d, u));
    add(iso_vec3_dot(c, d));
    add(iso_vec3_length(c));
    add(iso_vec3_distance(c, d));
    add_vec3_wide(iso_vec3_cross(c, d));
    add_vec3_wide(iso_vec3_to_wide(c));
    add_vec3_wide(iso_vec3_wide_add(a, b));
    add_vec3_wide(iso_vec3_wide_sub(a, b));
    add_vec3_wide(iso_vec3_wide_scale(a, t));
    add_vec3_wide(iso_vec3_wide_cross(a, b));
    add_vec3_wide(iso_vec3_wide_normalize(a));
    add_vec3_wide(iso_vec3_wide_lerp(a, b, t));
    add(iso_vec3_wide_dot(a, b));
    add(iso_vec3_wide_length(a));
    add(iso_vec3_wide_distance(a, b));

    const iso_quat p = {c.x, c.y, c.z, u}, q = iso_quat_from_axis_angle(d, t);
    add_quat(q);
    add_quat(iso_quat_normalize(p));
    add_quat(iso_quat_mul(p, q));
    add_quat(iso_quat_conjugate(p));
    add_vec3_wide(iso_quat_rotate(p, b));
    add_vec3_wide(iso_quat_rotate_inverse(q, a));
    add(iso_quat_angle(p, q));
}

/// The solver's functions, with a number of theirs in each argument: a gives a direction, b a turn, t and both a
/// matrix.
static void add_solver3(const int64_t a[3], const int64_t b[3], int64_t t) {
    int32_t n[3], t1[3], t2[3], q[4], r[4], R[9];
    add(iso__normalize3(a, n));
    add_many32(n, 3);
    iso__tangents3(n, t1, t2);
    add_many32(t1, 3);
    add_many32(t2, 3);
    iso__normalize4((const int64_t[4]){a[0], t, a[2], a[1]}, q);
    iso__quat_canonical(q);
    add_many32(q, 4);
    iso__quat_matrix(q, R);
    add_many32(R, 9);
    int64_t v[3];
    iso__rotate3_wide(R, b, v);
    add_many(v, 3);
    iso__rotate3_wide_inverse(R, b, v);
    add_many(v, 3);
    iso__rotate3(R, n, t1);
    iso__rotate3_inverse(R, n, t2);
    add_many32(t1, 3);
    add_many32(t2, 3);

    const int64_t half[3] = {b[0] >> 17, b[1] >> 17, b[2] >> 17}; // 2^46 each, sqrt(3)/4 in all
    iso__quat_integrate(q, half);
    const iso__sine_cosine whole = iso__quat_turn_axis(q, (unsigned)((uint64_t)t % 3), t >> 16);
    iso__quat_renormalise(q);
    add_many32(q, 4);
    add(whole.sine);
    add(whole.cosine);
    add(iso__quat_is_state(q));
    iso__normalize4((const int64_t[4]){t, b[0], b[1], b[2]}, r);
    iso__quat_conj_mul(q, r, r);
    add(iso__quat_twist(r));
    iso__quat_renormalise(r);
    add(iso__quat_swing(r));
    iso__quat_to_vector(r, v);
    add_many(v, 3);
}

static void add_matrices3(const int64_t a[3], const int64_t b[3]) {
    const int64_t A[6] = {a[0], a[1], a[2], b[0], b[1], b[2]};
    int64_t moments[3], x[3];
    int32_t frame[4];
    iso__principal_axes(A, moments, frame);
    add_many(moments, 3);
    add_many32(frame, 4);
    // At least the unit matrix: 1 + a a^T + b b^T.
    int64_t K[6];
    int place = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            K[place] = (a[i] >> 36) * (a[j] >> 36) + (b[i] >> 42) * (b[j] >> 42);
            K[place] += i == j ? INT64_C(1) << 32 : 0;
            ++place;
        }
    }
    for (unsigned n = 1; n <= 3; ++n) {
        iso__block_inverse inverse;
        add(iso__block_inverse_make(n, K, &inverse));
        iso__block_inverse_apply(n, &inverse, b, x);
        add_many(x, (int)n);
        add(iso__block_inverse_make(n, A, &inverse));
        iso__block_inverse_apply(n, &inverse, a, x);
        add_many(x, (int)n);
    }
}

/// Fails when the digest is another one, and begins the next.
static int finish(const char *what, uint64_t expected) {
    const uint64_t is = digest;
    digest = START;
    if (is != expected) {
        printf("the digest of %s is %016" PRIx64 ", expected %016" PRIx64 "\n", what, is, expected);
    }
    return is != expected;
}

static int add_space(const int64_t corners[9]) {
    for (size_t i = 0; i < 9 * 9 * 9; ++i) {
        const int64_t a[3] = {corners[i % 9], corners[i / 9 % 9], corners[i / 81]};
        const int64_t b[3] = {corners[(i + 4) % 9], corners[(i / 9 + i) % 9], corners[(i / 81 + i) % 9]};
        const int64_t t = corners[(i / 27 + i) % 9];
        add_vectors3((iso_vec3_wide){a[0], a[1], a[2]}, (iso_vec3_wide){b[0], b[1], b[2]}, t);
        add_solver3(a, b, t);
        add_matrices3(a, b);
    }
    for (int i = 0; i < 20000; ++i) {
        int64_t a[3], b[3];
        for (int k = 0; k < 3; ++k) {
            a[k] = random_i64();
            b[k] = random_i64();
        }
        const int64_t t = random_i64();
        add_vectors3((iso_vec3_wide){a[0], a[1], a[2]}, (iso_vec3_wide){b[0], b[1], b[2]}, t);
        add_solver3(a, b, t);
        add_matrices3(a, b);
    }
    return finish("space", EXPECTED_SPACE);
}

int main(void) {
    const int64_t corners[] = {INT64_MIN, INT64_MIN + 1, -ISO_WIDE_ONE, -1,       0,
                               1,         ISO_WIDE_ONE,  INT64_MAX - 1, INT64_MAX};
    for (size_t i = 0; i < sizeof corners / sizeof corners[0]; ++i) {
        for (size_t j = 0; j < sizeof corners / sizeof corners[0]; ++j) {
            add_wide(corners[i], corners[j], corners[(i + j) % 9], (unsigned)(i * 7));
            add_small(corners[i], corners[j]);
        }
        add_text(corners[i]);
    }
    for (int i = 0; i < 40000; ++i) {
        int64_t a = random_i64();
        int64_t b = random_i64();
        int64_t c = random_i64();
        add_wide(a, b, c, (unsigned)(random_u64() & 63));
        add_small(a, b);
        add_text(a);
    }
    int failures = finish("the arithmetic", EXPECTED);
    add_literals();
    for (size_t i = 0; i < 9 * 9 * 9; ++i) {
        const iso_vec2_wide a = {corners[i % 9], corners[i / 9 % 9]}, b = {corners[i / 81], corners[(i + 4) % 9]};
        add_vectors(a, b, corners[(i / 9 + i) % 9]);
    }
    for (int i = 0; i < 20000; ++i) {
        iso_vec2_wide a, b;
        a.x = random_i64();
        a.y = random_i64();
        b.x = random_i64();
        b.y = random_i64();
        add_vectors(a, b, random_i64());
    }
    failures += finish("vectors and literals", EXPECTED_VECTORS);
    failures += add_space(corners);
    return failures == 0 ? 0 : 1;
}
