/// Vectors of space against exact arithmetic in 128 bits and directions against long double, at corners and at random.
#include "exact_util.h"

#include "isostep/vec3.h"
#include "math/vec3.h"

#define TRIES 100000

static iso_vec3 random_vec3(uint64_t *random) {
    const fix16_t x = (fix16_t)random_i64(random), y = (fix16_t)random_i64(random);
    return (iso_vec3){x, y, (fix16_t)random_i64(random)};
}

static iso_vec3_wide random_wide(uint64_t *random) {
    const iso_wide x = random_i64(random), y = random_i64(random);
    return (iso_vec3_wide){x, y, random_i64(random)};
}

#define EXPECT_VEC3(v, want_x, want_y, want_z)       \
    do {                                             \
        const iso_vec3 got = (v);                    \
        assert_int_equal(got.x, saturate16(want_x)); \
        assert_int_equal(got.y, saturate16(want_y)); \
        assert_int_equal(got.z, saturate16(want_z)); \
    } while (0)

#define EXPECT_WIDE(v, want_x, want_y, want_z)       \
    do {                                             \
        const iso_vec3_wide got = (v);               \
        assert_true(got.x == saturate_wide(want_x)); \
        assert_true(got.y == saturate_wide(want_y)); \
        assert_true(got.z == saturate_wide(want_z)); \
    } while (0)

static void test_small_vectors_are_rounded_once_and_saturate(void **state) {
    (void)state;
    uint64_t random = 31;
    for (int i = 0; i < TRIES; ++i) {
        const iso_vec3 a = random_vec3(&random), b = random_vec3(&random);
        const fix16_t t = (fix16_t)random_i64(&random);
        EXPECT_VEC3(iso_vec3_add(a, b), (i128)a.x + b.x, (i128)a.y + b.y, (i128)a.z + b.z);
        EXPECT_VEC3(iso_vec3_sub(a, b), (i128)a.x - b.x, (i128)a.y - b.y, (i128)a.z - b.z);
        EXPECT_VEC3(iso_vec3_scale(a, t), rounded((i128)a.x * t, 16), rounded((i128)a.y * t, 16),
                    rounded((i128)a.z * t, 16));
        const i128 rest = (i128)65536 - t;
        EXPECT_VEC3(iso_vec3_lerp(a, b, t), rounded(a.x * rest + (i128)b.x * t, 16),
                    rounded(a.y * rest + (i128)b.y * t, 16), rounded(a.z * rest + (i128)b.z * t, 16));
        assert_true(iso_vec3_dot(a, b) == saturate_wide((i128)a.x * b.x + (i128)a.y * b.y + (i128)a.z * b.z));
        EXPECT_WIDE(iso_vec3_cross(a, b), (i128)a.y * b.z - (i128)a.z * b.y, (i128)a.z * b.x - (i128)a.x * b.z,
                    (i128)a.x * b.y - (i128)a.y * b.x);
        EXPECT_WIDE(iso_vec3_to_wide(a), (i128)a.x * 65536, (i128)a.y * 65536, (i128)a.z * 65536);
        EXPECT_VEC3(iso_vec3_from_wide(iso_vec3_to_wide(a)), a.x, a.y, a.z);
    }
    const iso_vec3 least = {INT32_MIN, INT32_MIN, INT32_MIN}, most = {INT32_MIN, INT32_MIN, INT32_MAX};
    assert_true(iso_vec3_dot(least, least) == ISO_WIDE_MAX);
    assert_true(iso_vec3_dot(least, most) == (INT64_C(1) << 62) + (INT64_C(1) << 31));
    EXPECT_VEC3(iso_vec3_scale(least, INT32_MIN), INT32_MAX, INT32_MAX, INT32_MAX);
}

/// The dot product in parts of 64 bits, which is right where the sum leaves 128: it rounds the sum of the products'
/// upper parts and of their lower parts.
static iso_wide dot_in_parts(iso_vec3_wide a, iso_vec3_wide b) {
    const i128 x = (i128)a.x * b.x, y = (i128)a.y * b.y, z = (i128)a.z * b.z;
    const i128 mask = ((i128)1 << 32) - 1;
    const i128 low = (x & mask) + (y & mask) + (z & mask);
    return saturate_wide((x >> 32) + (y >> 32) + (z >> 32) + rounded(low, 32));
}

static void test_large_vectors_are_rounded_once_and_saturate(void **state) {
    (void)state;
    uint64_t random = 32;
    for (int i = 0; i < TRIES; ++i) {
        const iso_vec3_wide a = random_wide(&random), b = random_wide(&random);
        const iso_wide t = random_i64(&random);
        EXPECT_WIDE(iso_vec3_wide_add(a, b), (i128)a.x + b.x, (i128)a.y + b.y, (i128)a.z + b.z);
        EXPECT_WIDE(iso_vec3_wide_sub(a, b), (i128)a.x - b.x, (i128)a.y - b.y, (i128)a.z - b.z);
        EXPECT_WIDE(iso_vec3_wide_scale(a, t), rounded((i128)a.x * t, 32), rounded((i128)a.y * t, 32),
                    rounded((i128)a.z * t, 32));
        const i128 rest = saturate_wide((i128)ISO_WIDE_ONE - t);
        EXPECT_WIDE(iso_vec3_wide_lerp(a, b, t), rounded(a.x * rest + (i128)b.x * t, 32),
                    rounded(a.y * rest + (i128)b.y * t, 32), rounded(a.z * rest + (i128)b.z * t, 32));
        assert_true(iso_vec3_wide_dot(a, b) == dot_in_parts(a, b));
        EXPECT_WIDE(iso_vec3_wide_cross(a, b), rounded((i128)a.y * b.z - (i128)a.z * b.y, 32),
                    rounded((i128)a.z * b.x - (i128)a.x * b.z, 32), rounded((i128)a.x * b.y - (i128)a.y * b.x, 32));
    }
    const int64_t corners[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX};
    for (int i = 0; i < 6 * 6 * 6 * 6 * 6 * 6; ++i) {
        const iso_vec3_wide a = {corners[i % 6], corners[i / 6 % 6], corners[i / 36 % 6]};
        const iso_vec3_wide b = {corners[i / 216 % 6], corners[i / 1296 % 6], corners[i / 7776]};
        assert_true(iso_vec3_wide_dot(a, b) == dot_in_parts(a, b));
    }
}

/// Whether `length` is the root of the square, rounded down.
static bool is_root(iso_wide length, i128 square) {
    return length >= 0 && (i128)length * length <= square && ((i128)length + 1) * ((i128)length + 1) > square;
}

static void test_lengths_are_rounded_down(void **state) {
    (void)state;
    uint64_t random = 33;
    for (int i = 0; i < TRIES; ++i) {
        const iso_vec3 a = random_vec3(&random), b = random_vec3(&random);
        const i128 dx = (i128)b.x - a.x, dy = (i128)b.y - a.y, dz = (i128)b.z - a.z;
        assert_true(is_root(iso_vec3_length(a), ((i128)a.x * a.x + (i128)a.y * a.y + (i128)a.z * a.z) << 32));
        assert_true(is_root(iso_vec3_distance(a, b), (dx * dx + dy * dy + dz * dz) << 32));
        iso_vec3_wide c = random_wide(&random);
        c = (iso_vec3_wide){c.x >> 1, c.y >> 1, c.z >> 1}; // so that the square of the length fits
        assert_true(is_root(iso_vec3_wide_length(c), (i128)c.x * c.x + (i128)c.y * c.y + (i128)c.z * c.z));
        const iso_vec3_wide d = iso_vec3_to_wide(a), e = iso_vec3_to_wide(b);
        assert_true(iso_vec3_wide_distance(d, e) == iso_vec3_distance(a, b));
    }
    assert_true(iso_vec3_wide_length((iso_vec3_wide){INT64_MIN, 0, 0}) == ISO_WIDE_MAX);
    assert_true(iso_vec3_wide_length((iso_vec3_wide){INT64_MIN, INT64_MIN, INT64_MIN}) == ISO_WIDE_MAX);
    assert_true(iso_vec3_wide_length((iso_vec3_wide){0, 0, INT64_MAX}) == ISO_WIDE_MAX);
    assert_true(iso_vec3_wide_length((iso_vec3_wide){0, 0, 0}) == 0);
}

static long double root_of_squares(const int64_t v[3]) {
    return sqrtl((long double)v[0] * v[0] + (long double)v[1] * v[1] + (long double)v[2] * v[2]);
}

static void test_directions_are_the_nearest(void **state) {
    (void)state;
    uint64_t random = 34;
    long double worst = 0, worst_length = 0, worst_relative = 0;
    for (int i = 0; i < TRIES; ++i) {
        const iso_vec3_wide w = random_wide(&random);
        const int64_t v[3] = {w.x, w.y, w.z};
        int32_t n[3];
        const int64_t length = iso__normalize3(v, n);
        const long double exact = root_of_squares(v);
        if (exact == 0) {
            assert_true(length == 0 && n[0] == 0 && n[1] == 0 && n[2] == 0);
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            note_error(&worst, n[k] - ldexpl((long double)v[k] / exact, 30));
            assert_in_range(iso__abs_u32(n[k]), 0, ISO__UNIT_ONE);
        }
        if (exact < ldexpl(1, 30)) {
            note_error(&worst_length, (long double)length - exact);
        } else if (exact < ldexpl(1, 63)) {
            note_error(&worst_relative, ((long double)length - exact) / exact);
        } else {
            assert_true(length > (INT64_C(3) << 61));
        }
    }
    CHECK_BELOW("normalize3, a component, quanta", worst, 1.2L);
    CHECK_BELOW("its length, below 2^30, quanta", worst_length, 2);
    CHECK_BELOW("its length, beyond, relative", worst_relative, 0x1p-29L);
    const int64_t least[3] = {INT64_MIN, INT64_MIN, INT64_MIN};
    int32_t n[3];
    assert_true(iso__normalize3(least, n) == INT64_MAX);
    assert_int_equal(n[0], -619925131);
    EXPECT_VEC3(iso_vec3_normalize((iso_vec3){0, 0, INT32_MIN}), 0, 0, -65536);
    EXPECT_VEC3(iso_vec3_normalize((iso_vec3){0, 0, 0}), 0, 0, 0);
    EXPECT_WIDE(iso_vec3_wide_normalize((iso_vec3_wide){0, 3, -4}), 0, 2576980376, -3435973836);
}

/// A unit vector, often near an axis or a diagonal.
static void random_unit(uint64_t *random, int32_t n[3]) {
    int64_t v[3];
    do {
        for (int k = 0; k < 3; ++k) {
            v[k] = random_bits(random, 32);
        }
    } while (iso__normalize3(v, n) == 0);
}

static void test_tangents_are_a_right_handed_frame(void **state) {
    (void)state;
    uint64_t random = 35;
    long double worst_length = 0, worst_angle = 0;
    for (int i = 0; i < TRIES; ++i) {
        int32_t n[3], t1[3], t2[3];
        random_unit(&random, n);
        iso__tangents3(n, t1, t2);
        note_error(&worst_length, ldexpl((long double)(iso__dot3(t1, t1) - (INT64_C(1) << 60)), -31));
        note_error(&worst_length, ldexpl((long double)(iso__dot3(t2, t2) - (INT64_C(1) << 60)), -31));
        note_error(&worst_angle, ldexpl((long double)iso__dot3(t1, t2), -30));
        note_error(&worst_angle, ldexpl((long double)iso__dot3(t1, n), -30));
        note_error(&worst_angle, ldexpl((long double)iso__dot3(t2, n), -30));
        int64_t cross[3];
        iso__cross3(t1, t2, cross);
        for (int k = 0; k < 3; ++k) {
            assert_in_range(cross[k] / ISO__UNIT_ONE - n[k] + 6, 0, 12);
        }
    }
    CHECK_BELOW("tangents, length, quanta", worst_length, 2.5L);
    CHECK_BELOW("tangents, product of two, quanta", worst_angle, 2.5L);
    // Where two components are as small, the lower axis counts.
    const int32_t up[3] = {0, ISO__UNIT_ONE, 0};
    int32_t t1[3], t2[3];
    iso__tangents3(up, t1, t2);
    assert_true(t1[0] == 0 && t1[1] == 0 && t1[2] == -ISO__UNIT_ONE);
    assert_true(t2[0] == -ISO__UNIT_ONE && t2[1] == 0 && t2[2] == 0);
}

static void test_matrices_rotate_with_one_rounding(void **state) {
    (void)state;
    uint64_t random = 36;
    for (int i = 0; i < TRIES; ++i) {
        int32_t R[9];
        random_unit(&random, R);
        iso__tangents3(R, R + 3, R + 6);
        int32_t v[3], out[3];
        int64_t wide[3], wide_out[3];
        for (int k = 0; k < 3; ++k) {
            v[k] = (int32_t)random_bits(&random, 30);
            wide[k] = random_i64(&random);
        }
        iso__rotate3(R, v, out);
        iso__rotate3_wide(R, wide, wide_out);
        for (int k = 0; k < 3; ++k) {
            const int32_t *row = R + 3 * k;
            assert_int_equal(out[k], (int)rounded((i128)row[0] * v[0] + (i128)row[1] * v[1] + (i128)row[2] * v[2], 30));
            const i128 sum = (i128)row[0] * wide[0] + (i128)row[1] * wide[1] + (i128)row[2] * wide[2];
            assert_true(wide_out[k] == saturate_wide(rounded(sum, 30)));
        }
        iso__rotate3_inverse(R, v, out);
        iso__rotate3_wide_inverse(R, wide, wide); // into its argument
        int64_t again[3] = {v[0], v[1], v[2]};
        iso__rotate3_wide_inverse(R, again, again);
        for (int k = 0; k < 3; ++k) {
            assert_int_equal(out[k],
                             (int)rounded((i128)R[k] * v[0] + (i128)R[k + 3] * v[1] + (i128)R[k + 6] * v[2], 30));
            assert_true(again[k] == out[k]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_vectors_are_rounded_once_and_saturate),
        cmocka_unit_test(test_large_vectors_are_rounded_once_and_saturate),
        cmocka_unit_test(test_lengths_are_rounded_down),
        cmocka_unit_test(test_directions_are_the_nearest),
        cmocka_unit_test(test_tangents_are_a_right_handed_frame),
        cmocka_unit_test(test_matrices_rotate_with_one_rounding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
