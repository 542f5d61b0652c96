/// Vectors of the public interface against exact arithmetic in 128 bits, at corners and at random.
#include "exact_util.h"

#include "isostep/vec2.h"

#define TRIES 200000

static iso_vec2 random_vec2(uint64_t *random) {
    return (iso_vec2){(fix16_t)random_i64(random), (fix16_t)random_i64(random)};
}

static iso_vec2_wide random_wide(uint64_t *random) {
    return (iso_vec2_wide){random_i64(random), random_i64(random)};
}

static iso_rotation random_rotation(uint64_t *random) {
    return iso_rotation_make((uint32_t)random_i64(random));
}

#define EXPECT_VEC2(v, want_x, want_y)               \
    do {                                             \
        const iso_vec2 got = (v);                    \
        assert_int_equal(got.x, saturate16(want_x)); \
        assert_int_equal(got.y, saturate16(want_y)); \
    } while (0)

#define EXPECT_WIDE(v, want_x, want_y)                  \
    do {                                                \
        const iso_vec2_wide got = (v);                  \
        assert_int_equal(got.x, saturate_wide(want_x)); \
        assert_int_equal(got.y, saturate_wide(want_y)); \
    } while (0)

static void test_small_vectors_are_rounded_once_and_saturate(void **state) {
    (void)state;
    uint64_t random = 11;
    for (int i = 0; i < TRIES; ++i) {
        const iso_vec2 a = random_vec2(&random), b = random_vec2(&random);
        const fix16_t t = (fix16_t)random_i64(&random);
        const iso_rotation q = random_rotation(&random);
        EXPECT_VEC2(iso_vec2_add(a, b), (i128)a.x + b.x, (i128)a.y + b.y);
        EXPECT_VEC2(iso_vec2_sub(a, b), (i128)a.x - b.x, (i128)a.y - b.y);
        EXPECT_VEC2(iso_vec2_scale(a, t), rounded((i128)a.x * t, 16), rounded((i128)a.y * t, 16));
        EXPECT_VEC2(iso_vec2_rotate(a, q), rounded((i128)q.c * a.x - (i128)q.s * a.y, 30),
                    rounded((i128)q.s * a.x + (i128)q.c * a.y, 30));
        const i128 rest = (i128)65536 - t;
        EXPECT_VEC2(iso_vec2_lerp(a, b, t), rounded(a.x * rest + (i128)b.x * t, 16),
                    rounded(a.y * rest + (i128)b.y * t, 16));
        assert_int_equal(iso_vec2_dot(a, b), saturate_wide((i128)a.x * b.x + (i128)a.y * b.y));
        assert_int_equal(iso_vec2_cross(a, b), saturate_wide((i128)a.x * b.y - (i128)a.y * b.x));
    }
    const iso_vec2 least = {INT32_MIN, INT32_MIN};
    assert_true(iso_vec2_dot(least, least) == ISO_WIDE_MAX);
    assert_true(iso_vec2_cross(least, (iso_vec2){INT32_MAX, INT32_MIN}) ==
                (INT64_C(1) << 62) - INT64_C(-2147483648) * INT32_MAX);
    EXPECT_VEC2(iso_vec2_scale(least, INT32_MIN), INT32_MAX, INT32_MAX);
}

static void test_large_vectors_are_rounded_once_and_saturate(void **state) {
    (void)state;
    uint64_t random = 12;
    for (int i = 0; i < TRIES; ++i) {
        const iso_vec2_wide a = random_wide(&random), b = random_wide(&random);
        const iso_wide t = random_i64(&random);
        const iso_rotation q = random_rotation(&random);
        EXPECT_WIDE(iso_vec2_wide_add(a, b), (i128)a.x + b.x, (i128)a.y + b.y);
        EXPECT_WIDE(iso_vec2_wide_sub(a, b), (i128)a.x - b.x, (i128)a.y - b.y);
        EXPECT_WIDE(iso_vec2_wide_scale(a, t), rounded((i128)a.x * t, 32), rounded((i128)a.y * t, 32));
        EXPECT_WIDE(iso_vec2_wide_rotate(a, q), rounded((i128)q.c * a.x - (i128)q.s * a.y, 30),
                    rounded((i128)q.s * a.x + (i128)q.c * a.y, 30));
        const i128 rest = saturate_wide((i128)ISO_WIDE_ONE - t);
        EXPECT_WIDE(iso_vec2_wide_lerp(a, b, t), rounded(a.x * rest + (i128)b.x * t, 32),
                    rounded(a.y * rest + (i128)b.y * t, 32));
        // The one sum that leaves 128 bits is below.
        if (a.x != INT64_MIN || b.x != INT64_MIN || a.y != INT64_MIN || b.y != INT64_MIN) {
            assert_int_equal(iso_vec2_wide_dot(a, b), saturate_wide(rounded((i128)a.x * b.x + (i128)a.y * b.y, 32)));
        }
        assert_int_equal(iso_vec2_wide_cross(a, b), saturate_wide(rounded((i128)a.x * b.y - (i128)a.y * b.x, 32)));
    }
    const iso_vec2_wide least = {INT64_MIN, INT64_MIN};
    assert_true(iso_vec2_wide_dot(least, least) == ISO_WIDE_MAX);
    assert_true(iso_vec2_wide_cross(least, least) == 0);
    assert_true(iso_vec2_wide_cross(least, (iso_vec2_wide){INT64_MAX, INT64_MIN}) == ISO_WIDE_MAX);
}

static void test_the_ends_of_a_lerp_are_its_vectors(void **state) {
    (void)state;
    uint64_t random = 13;
    for (int i = 0; i < 10000; ++i) {
        const iso_vec2 a = random_vec2(&random), b = random_vec2(&random);
        EXPECT_VEC2(iso_vec2_lerp(a, b, 0), a.x, a.y);
        EXPECT_VEC2(iso_vec2_lerp(a, b, ISO_FIX16_ONE), b.x, b.y);
        const iso_vec2_wide c = random_wide(&random), d = random_wide(&random);
        EXPECT_WIDE(iso_vec2_wide_lerp(c, d, 0), c.x, c.y);
        EXPECT_WIDE(iso_vec2_wide_lerp(c, d, ISO_WIDE_ONE), d.x, d.y);
    }
}

/// Whether `length` is the root of the square, rounded down.
static bool is_root(iso_wide length, i128 square) {
    return length >= 0 && (i128)length * length <= square && ((i128)length + 1) * ((i128)length + 1) > square;
}

static void test_lengths_and_distances_are_rounded_down(void **state) {
    (void)state;
    uint64_t random = 14;
    for (int i = 0; i < TRIES; ++i) {
        const iso_vec2 a = random_vec2(&random), b = random_vec2(&random);
        // Q15.16 squared is Q30.32; as Q31.32 a length has 16 bits more, its square 32.
        assert_true(is_root(iso_vec2_length(a), ((i128)a.x * a.x + (i128)a.y * a.y) << 32));
        const i128 dx = (i128)b.x - a.x, dy = (i128)b.y - a.y;
        assert_true(is_root(iso_vec2_distance(a, b), (dx * dx + dy * dy) << 32));
        const iso_vec2_wide c = {random_bits(&random, 62), random_bits(&random, 62)};
        const iso_vec2_wide d = {c.x + random_bits(&random, 61), c.y + random_bits(&random, 61)};
        assert_true(is_root(iso_vec2_wide_length(c), (i128)c.x * c.x + (i128)c.y * c.y));
        const i128 ex = (i128)d.x - c.x, ey = (i128)d.y - c.y;
        assert_true(is_root(iso_vec2_wide_distance(c, d), ex * ex + ey * ey));
    }
    assert_true(iso_vec2_length((iso_vec2){3 * ISO_FIX16_ONE, -4 * ISO_FIX16_ONE}) == 5 * ISO_WIDE_ONE);
    assert_true(iso_vec2_wide_length((iso_vec2_wide){INT64_MIN, 0}) == ISO_WIDE_MAX);
    assert_true(iso_vec2_wide_distance((iso_vec2_wide){INT64_MIN, 0}, (iso_vec2_wide){INT64_MAX, 0}) == ISO_WIDE_MAX);
}

static void test_directions_have_length_one(void **state) {
    (void)state;
    uint64_t random = 15;
    long double worst = 0, worst_wide = 0;
    for (int i = 0; i < TRIES; ++i) {
        const iso_vec2 a = random_vec2(&random);
        const iso_vec2_wide b = random_wide(&random);
        if (a.x != 0 || a.y != 0) {
            const long double length = hypotl(a.x, a.y);
            const iso_vec2 unit = iso_vec2_normalize(a);
            note_error(&worst, unit.x - a.x / length * 65536.0L);
            note_error(&worst, unit.y - a.y / length * 65536.0L);
        }
        if (b.x != 0 || b.y != 0) {
            const long double length = hypotl((long double)b.x, (long double)b.y);
            const iso_vec2_wide unit = iso_vec2_wide_normalize(b);
            note_error(&worst_wide, (long double)unit.x - (long double)b.x / length * 4294967296.0L);
            note_error(&worst_wide, (long double)unit.y - (long double)b.y / length * 4294967296.0L);
        }
    }
    CHECK_BELOW("iso_vec2_normalize, quanta", worst, 0.51L);
    CHECK_BELOW("iso_vec2_wide_normalize, quanta", worst_wide, 1.2e-9L * 4294967296.0L);
    EXPECT_VEC2(iso_vec2_normalize((iso_vec2){0, 0}), 0, 0);
    EXPECT_WIDE(iso_vec2_wide_normalize((iso_vec2_wide){0, 0}), 0, 0);
    EXPECT_VEC2(iso_vec2_normalize((iso_vec2){0, -1}), 0, -ISO_FIX16_ONE);
    EXPECT_WIDE(iso_vec2_wide_normalize((iso_vec2_wide){INT64_MIN, 0}), -ISO_WIDE_ONE, 0);
}

static void test_quarter_turns_are_exact(void **state) {
    (void)state;
    uint64_t random = 16;
    for (int i = 0; i < 10000; ++i) {
        const iso_vec2 a = random_vec2(&random);
        const iso_vec2_wide b = random_wide(&random);
        const iso_wide whole = random_bits(&random, 20) * ISO_WIDE_ONE; // turns all around change nothing
        EXPECT_VEC2(iso_vec2_rotate_turns(a, whole), a.x, a.y);
        EXPECT_VEC2(iso_vec2_rotate_turns(a, whole + ISO_WIDE_ONE / 4), -(i128)a.y, a.x);
        EXPECT_VEC2(iso_vec2_rotate_turns(a, whole - ISO_WIDE_ONE / 4), a.y, -(i128)a.x);
        EXPECT_WIDE(iso_vec2_wide_rotate_turns(b, whole + ISO_WIDE_ONE / 4), -(i128)b.y, b.x);
        EXPECT_WIDE(iso_vec2_wide_rotate_turns(b, whole + ISO_WIDE_HALF), -(i128)b.x, -(i128)b.y);
    }
}

static void test_formats_convert(void **state) {
    (void)state;
    uint64_t random = 17;
    for (int i = 0; i < 10000; ++i) {
        const iso_vec2 a = random_vec2(&random);
        EXPECT_WIDE(iso_vec2_to_wide(a), (i128)a.x * 65536, (i128)a.y * 65536);
        EXPECT_VEC2(iso_vec2_from_wide(iso_vec2_to_wide(a)), a.x, a.y);
        const iso_vec2_wide b = random_wide(&random);
        EXPECT_VEC2(iso_vec2_from_wide(b), rounded(b.x, 16), rounded(b.y, 16));
    }
    EXPECT_WIDE(iso_vec2_wide_from_unit((iso_unit2){1 << 30, -(1 << 30)}), ISO_WIDE_ONE, -ISO_WIDE_ONE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_vectors_are_rounded_once_and_saturate),
        cmocka_unit_test(test_large_vectors_are_rounded_once_and_saturate),
        cmocka_unit_test(test_the_ends_of_a_lerp_are_its_vectors),
        cmocka_unit_test(test_lengths_and_distances_are_rounded_down),
        cmocka_unit_test(test_directions_have_length_one),
        cmocka_unit_test(test_quarter_turns_are_exact),
        cmocka_unit_test(test_formats_convert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
