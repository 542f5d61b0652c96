/// Quaternions against long double: the series of a turn, a million substeps, angles of joints, users' functions.
#include "test_math_util.h"

#include "isostep/vec3.h"
#include "math/quat.h"

#define TRIES 50000

static const long double PI_L = 3.14159265358979323846264338327950288L;

typedef struct real4 {
    long double v[4]; // x, y, z, w
} real4;

static real4 real_mul(real4 a, real4 b) {
    const long double *p = a.v, *q = b.v;
    return (real4){
        {p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1], p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0],
         p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3], p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2]}};
}

static real4 real_conj(real4 a) {
    return (real4){{-a.v[0], -a.v[1], -a.v[2], a.v[3]}};
}

static real4 real_of(const int32_t q[4]) {
    return (real4){{ldexpl(q[0], -30), ldexpl(q[1], -30), ldexpl(q[2], -30), ldexpl(q[3], -30)}};
}

static real4 real_unit(real4 a) {
    const long double length = sqrtl(a.v[0] * a.v[0] + a.v[1] * a.v[1] + a.v[2] * a.v[2] + a.v[3] * a.v[3]);
    return (real4){{a.v[0] / length, a.v[1] / length, a.v[2] / length, a.v[3] / length}};
}

static real4 real_from_half(long double x, long double y, long double z) {
    const long double angle = sqrtl(x * x + y * y + z * z), ratio = angle == 0 ? 1 : sinl(angle) / angle;
    return (real4){{x * ratio, y * ratio, z * ratio, cosl(angle)}};
}

/// The largest difference of a component to q's or -q's, in quanta of Q2.30.
static long double difference(const int32_t q[4], real4 exact) {
    long double plus = 0, minus = 0;
    for (int i = 0; i < 4; ++i) {
        note_error(&plus, q[i] - ldexpl(exact.v[i], 30));
        note_error(&minus, q[i] + ldexpl(exact.v[i], 30));
    }
    return fminl(plus, minus);
}

/// The angle between two rotations.
static long double angle_between(real4 a, real4 b) {
    const real4 r = real_mul(real_conj(a), b);
    return 2 * atan2l(sqrtl(r.v[0] * r.v[0] + r.v[1] * r.v[1] + r.v[2] * r.v[2]), fabsl(r.v[3]));
}

static long double length_error(const int32_t q[4]) {
    const real4 a = real_of(q);
    return sqrtl(a.v[0] * a.v[0] + a.v[1] * a.v[1] + a.v[2] * a.v[2] + a.v[3] * a.v[3]) - 1;
}

/// A rotation in the state's form, often near no rotation or an axis.
static void random_quat(uint64_t *random, int32_t q[4]) {
    int64_t v[4];
    for (int i = 0; i < 4; ++i) {
        v[i] = random_bits(random, 32);
    }
    iso__normalize4(v, q);
    iso__quat_canonical(q);
}

/// A half-angle vector of at most the given share of pi/4, Q.48.
static void random_half(uint64_t *random, int64_t half[3]) {
    long double square;
    do {
        square = 0;
        for (int i = 0; i < 3; ++i) {
            half[i] = random_bits(random, 48);
            square += (long double)half[i] * half[i];
        }
    } while (square > (long double)ISO__HALF_MAX * ISO__HALF_MAX);
}

static void test_the_quaternion_of_a_turn_is_right_to_a_quantum(void **state) {
    (void)state;
    uint64_t random = 61;
    long double worst = 0;
    for (int i = 0; i < TRIES; ++i) {
        int64_t half[3], d[4];
        random_half(&random, half);
        if (i % 4 == 0) { // the largest angle, along any direction
            int32_t n[3];
            iso__normalize3(half, n);
            for (int k = 0; k < 3; ++k) {
                half[k] = (int64_t)((long double)(ISO__HALF_MAX - (INT64_C(1) << 20)) * n[k] / ISO__UNIT_ONE);
            }
        }
        iso__quat_of_half_angle(half, d);
        const real4 exact = real_from_half(ldexpl(half[0], -48), ldexpl(half[1], -48), ldexpl(half[2], -48));
        for (int k = 0; k < 4; ++k) {
            note_error(&worst, d[k] - ldexpl(exact.v[k], 32));
        }
    }
    CHECK_BELOW("half-angle vector to quaternion, 2^-32", worst, 1);
    int64_t d[4];
    iso__quat_of_half_angle((const int64_t[3]){0, 0, 0}, d);
    assert_true(d[0] == 0 && d[1] == 0 && d[2] == 0 && d[3] == INT64_C(1) << 32);
    iso__quat_of_half_angle((const int64_t[3]){-ISO__HALF_MAX, 0, 0}, d);
    assert_true(d[0] < -3037000499 + 2 && d[0] > -3037000499 - 2 && d[3] < 3037000500 + 2 && d[3] > 3037000500 - 2);
}

static void test_a_million_substeps_keep_length_and_angle(void **state) {
    (void)state;
    // Radians per second; a substep is 1/240 s.
    const long double spins[] = {1e-3L, 1, 188};
    uint64_t random = 62;
    for (size_t s = 0; s < sizeof spins / sizeof spins[0]; ++s) {
        int64_t half[3];
        int32_t q[4], n[3];
        random_half(&random, half);
        iso__normalize3(half, n);
        random_quat(&random, q);
        const real4 start = real_of(q);
        for (int k = 0; k < 3; ++k) {
            half[k] = (int64_t)roundl(ldexpl(spins[s] / 480 * n[k], 48 - 30));
        }
        long double worst_length = 0;
        const int count = 1000000;
        for (int i = 0; i < count; ++i) {
            iso__quat_integrate(q, half);
            iso__quat_renormalise(q);
            if (i % 1000 == 0) {
                note_error(&worst_length, length_error(q));
            }
        }
        const real4 turn =
            real_from_half(ldexpl(half[0], -48) * count, ldexpl(half[1], -48) * count, ldexpl(half[2], -48) * count);
        CHECK_BELOW("a million substeps, length", worst_length, 4e-9L);
        CHECK_BELOW("a million substeps, angle", angle_between(real_of(q), real_mul(turn, start)), 1e-3L);
    }
}

static void test_turning_about_an_axis_of_the_body(void **state) {
    (void)state;
    uint64_t random = 63;
    long double worst = 0, worst_angle = 0;
    for (int i = 0; i < TRIES; ++i) {
        int32_t q[4];
        random_quat(&random, q);
        int64_t half[3] = {0, 0, 0};
        const unsigned axis = (unsigned)i % 3;
        half[axis] = i < 6 ? (i < 3 ? ISO__HALF_MAX : -ISO__HALF_MAX) : random_bits(&random, 47);
        const long double a = ldexpl(half[axis], -48);
        const real4 exact =
            real_mul(real_of(q), real_from_half(ldexpl(half[0], -48), ldexpl(half[1], -48), ldexpl(half[2], -48)));
        const iso__sine_cosine whole = iso__quat_turn_axis(q, axis, half[axis]);
        note_error(&worst, difference(q, exact));
        note_error(&worst_angle, whole.sine - ldexpl(sinl(2 * a), 32));
        note_error(&worst_angle, whole.cosine - ldexpl(cosl(2 * a), 32));
    }
    CHECK_BELOW("turn about an axis of the body, quanta", worst, 1);
    CHECK_BELOW("sine and cosine of the whole angle, 2^-32", worst_angle, 2);
    // What stays in the world: R P is the same before and after.
    int32_t q[4], before[9], after[9];
    random_quat(&random, q);
    iso__quat_matrix(q, before);
    const int64_t P[3] = {INT64_C(3) << 40, INT64_C(-7) * (INT64_C(1) << 40), INT64_C(2) << 40};
    const iso__sine_cosine whole = iso__quat_turn_axis(q, 1, INT64_C(1) << 46);
    iso__quat_matrix(q, after);
    const int64_t turned[3] = {iso__dot_shift(whole.cosine, P[0], -whole.sine, P[2], 32), P[1],
                               iso__dot_shift(whole.cosine, P[2], whole.sine, P[0], 32)};
    int64_t world[3], still[3];
    iso__rotate3_wide(before, P, world);
    iso__rotate3_wide(after, turned, still);
    for (int k = 0; k < 3; ++k) {
        assert_in_range(iso__abs_u64(world[k] - still[k]), 0, 1 << 16); // 1.5e-8 of 4
    }
}

static void test_lengths_and_signs(void **state) {
    (void)state;
    uint64_t random = 64;
    long double worst = 0, worst_unit = 0, worst_near = 0;
    for (int i = 0; i < TRIES; ++i) {
        int64_t v[4];
        int32_t q[4];
        for (int k = 0; k < 4; ++k) {
            v[k] = random_i64(&random);
        }
        iso__normalize4(v, q);
        if ((v[0] | v[1] | v[2] | v[3]) != 0) {
            note_error(&worst, difference(q, real_unit((real4){{v[0], v[1], v[2], v[3]}})));
        }
        note_error(&worst_unit, ldexpl(length_error(q), 30));
        assert_true(iso__quat_is_unit(q));
        iso__quat_canonical(q);
        assert_true(iso__quat_is_state(q));
        // A length that is off by 2^-17 is right after one step.
        const int64_t factor = INT64_C(1073741824) + random_bits(&random, 13);
        for (int k = 0; k < 4; ++k) {
            q[k] = iso__round_shift32(q[k] * factor, 30);
        }
        const real4 exact = real_unit(real_of(q));
        iso__quat_renormalise(q);
        note_error(&worst_near, difference(q, exact));
    }
    CHECK_BELOW("normalize4, quanta", worst, 2);
    CHECK_BELOW("its length, quanta", worst_unit, 1.5L);
    CHECK_BELOW("renormalise, quanta", worst_near, 1);
    int32_t q[4];
    iso__normalize4((const int64_t[4]){0, 0, 0, 0}, q);
    assert_true(q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == ISO__UNIT_ONE);
    iso__normalize4((const int64_t[4]){INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN}, q);
    assert_true(q[0] == -(1 << 29) && q[1] == -(1 << 29) && q[2] == -(1 << 29) && q[3] == -(1 << 29));
}

static void test_the_state_takes_one_name_of_a_rotation(void **state) {
    (void)state;
    const int32_t one = ISO__UNIT_ONE, half = one / 2;
    const int32_t good[][4] = {
        {0, 0, 0, one},     {one, 0, 0, 0},    {0, one, 0, 0}, {0, 0, one, 0}, {-half, half, -half, half},
        {0, 0, 0, one + 3}, {0, 0, 0, one - 4}};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; ++i) {
        assert_true(iso__quat_is_state(good[i]));
        int32_t other[4] = {-good[i][0], -good[i][1], -good[i][2], -good[i][3]};
        assert_false(iso__quat_is_state(other));
        iso__quat_canonical(other);
        assert_memory_equal(other, good[i], sizeof other);
    }
    const int32_t bad[][4] = {{0, 0, 0, 0},
                              {INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN},
                              {INT32_MIN, 0, 0, 0},
                              {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX},
                              {half, half, half, half + 16},
                              {0, 0, 0, one + 4},
                              {0, 0, 0, one - 5}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_false(iso__quat_is_state(bad[i]));
    }
}

static void test_products_and_matrices(void **state) {
    (void)state;
    uint64_t random = 65;
    long double worst = 0, worst_matrix = 0;
    for (int i = 0; i < TRIES; ++i) {
        int32_t a[4], b[4], c[4], R[9];
        random_quat(&random, a);
        random_quat(&random, b);
        iso__quat_mul(a, b, c);
        note_error(&worst, difference(c, real_mul(real_of(a), real_of(b))));
        iso__quat_conj_mul(a, b, c);
        note_error(&worst, difference(c, real_mul(real_conj(real_of(a)), real_of(b))));
        iso__quat_matrix(a, R);
        for (int k = 0; k < 3; ++k) {
            real4 axis = {{k == 0, k == 1, k == 2, 0}};
            const real4 unit = real_unit(real_of(a));
            axis = real_mul(real_mul(unit, axis), real_conj(unit));
            for (int row = 0; row < 3; ++row) {
                note_error(&worst_matrix, R[3 * row + k] - ldexpl(axis.v[row], 30));
            }
        }
    }
    CHECK_BELOW("product, quanta", worst, 0.5L + 1e-6L);
    CHECK_BELOW("matrix, an entry, quanta", worst_matrix, 4);
}

static void test_twist_swing_and_vector(void **state) {
    (void)state;
    uint64_t random = 66;
    long double worst_twist = 0, worst_swing = 0, worst_vector = 0;
    for (int i = 0; i < TRIES; ++i) {
        int32_t r[4];
        random_quat(&random, r);
        const real4 a = real_of(r);
        const long double turns = ldexpl(1 / (2 * PI_L), 32);
        const long double twist = 2 * turns * (a.v[3] == 0 && a.v[0] == 0 ? 0 : atan2l(a.v[0], a.v[3]));
        const long double swing = 2 * turns * atan2l(hypotl(a.v[1], a.v[2]), hypotl(a.v[0], a.v[3]));
        note_error(&worst_twist, iso__quat_twist(r) - twist);
        note_error(&worst_swing, iso__quat_swing(r) - swing);
        int64_t vector[3];
        iso__quat_to_vector(r, vector);
        const long double length = sqrtl(a.v[0] * a.v[0] + a.v[1] * a.v[1] + a.v[2] * a.v[2]);
        for (int k = 0; k < 3; ++k) {
            const long double want = length == 0 ? 0 : 2 * atan2l(length, a.v[3]) * a.v[k] / length;
            note_error(&worst_vector, vector[k] - ldexpl(want, 32));
        }
        // -r is the same rotation.
        const int32_t other[4] = {-r[0], -r[1], -r[2], -r[3]};
        int64_t again[3];
        iso__quat_to_vector(other, again);
        if (r[3] != 0) {
            assert_true(iso__quat_twist(other) == iso__quat_twist(r));
            assert_true(again[0] == vector[0] && again[1] == vector[1] && again[2] == vector[2]);
        }
        assert_true(iso__quat_swing(other) == iso__quat_swing(r));
    }
    CHECK_BELOW("twist, 2^-32 turns", worst_twist, 2);
    CHECK_BELOW("swing, 2^-32 turns", worst_swing, 3);
    CHECK_BELOW("rotation vector, 2^-32 rad", worst_vector, 16);
    const int32_t half_turn[4] = {ISO__UNIT_ONE, 0, 0, 0}, across[4] = {0, ISO__UNIT_ONE, 0, 0};
    assert_true(iso__quat_twist(half_turn) == ISO_WIDE_HALF && iso__quat_swing(half_turn) == 0);
    assert_true(iso__quat_swing(across) == ISO_WIDE_HALF && iso__quat_twist(across) == 0);
}

static iso_quat public_of(const int32_t q[4]) {
    return (iso_quat){q[0], q[1], q[2], q[3]};
}

static bool is_state(iso_quat q) {
    return iso__quat_is_state((const int32_t[4]){q.x, q.y, q.z, q.w});
}

static long double public_difference(iso_quat q, real4 exact) {
    return difference((const int32_t[4]){q.x, q.y, q.z, q.w}, exact);
}

static void test_users_rotations(void **state) {
    (void)state;
    uint64_t random = 67;
    long double worst_axis = 0, worst_mul = 0, worst_rotate = 0, worst_angle = 0;
    for (int i = 0; i < TRIES; ++i) {
        const iso_vec3 axis = {(fix16_t)random_i64(&random), (fix16_t)random_i64(&random),
                               (fix16_t)random_i64(&random)};
        const iso_wide radians = random_bits(&random, 40); // 256 rad
        const iso_quat q = iso_quat_from_axis_angle(axis, radians);
        const long double length =
            sqrtl((long double)axis.x * axis.x + (long double)axis.y * axis.y + (long double)axis.z * axis.z);
        const long double half = length == 0 ? 0 : ldexpl(radians, -33) / length;
        note_error(&worst_axis, public_difference(q, real_from_half(axis.x * half, axis.y * half, axis.z * half)));
        int32_t a[4], b[4];
        random_quat(&random, a);
        random_quat(&random, b);
        const iso_quat product = iso_quat_mul(public_of(a), public_of(b));
        note_error(&worst_mul, public_difference(product, real_unit(real_mul(real_of(a), real_of(b)))));
        const iso_quat conj = iso_quat_conjugate(public_of(a));
        assert_true(public_difference(conj, real_conj(real_of(a))) == 0);
        assert_true(is_state(q) && is_state(product) && is_state(conj));
        note_error(&worst_angle,
                   ldexpl(iso_quat_angle(public_of(a), public_of(b)), -32) - angle_between(real_of(a), real_of(b)));

        const iso_vec3_wide v = {random_bits(&random, 60), random_bits(&random, 60), random_bits(&random, 60)};
        const real4 unit = real_unit(real_of(a)), vector = {{v.x, v.y, v.z, 0}};
        const iso_vec3_wide out = iso_quat_rotate(public_of(a), v), in = iso_quat_rotate_inverse(public_of(a), v);
        const real4 there = real_mul(real_mul(unit, vector), real_conj(unit));
        const real4 back = real_mul(real_mul(real_conj(unit), vector), unit);
        const long double size = sqrtl((long double)v.x * v.x + (long double)v.y * v.y + (long double)v.z * v.z);
        const int64_t got[6] = {out.x, out.y, out.z, in.x, in.y, in.z};
        for (int k = 0; k < 6 && size > 0; ++k) {
            const long double error = fabsl(got[k] - (k < 3 ? there.v[k] : back.v[k - 3]));
            note_error(&worst_rotate, fmaxl(error - 1, 0) / size);
        }
    }
    CHECK_BELOW("axis and angle, quanta", worst_axis, 3);
    CHECK_BELOW("product of users, quanta", worst_mul, 3);
    CHECK_BELOW("rotate, per length", worst_rotate, 6e-9L);
    CHECK_BELOW("angle between, rad", worst_angle, 1e-8L);
}

static void test_users_products_keep_their_length(void **state) {
    (void)state;
    const iso_quat step = iso_quat_from_axis_angle((iso_vec3){2, -3, 5}, ISO_WIDE_ONE / 100);
    iso_quat q = iso_quat_identity();
    long double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        q = iso_quat_mul(step, q);
        note_error(&worst, ldexpl(length_error((const int32_t[4]){q.x, q.y, q.z, q.w}), 30));
    }
    CHECK_BELOW("length of 20,000 products, quanta", worst, 1);
}

static void test_users_rotations_take_anything(void **state) {
    (void)state;
    const iso_quat none = {0, 0, 0, 0}, one = iso_quat_identity();
    const iso_vec3_wide v = {INT64_MIN, 5, INT64_MAX};
    assert_true(is_state(one) && memcmp(&(iso_quat){0, 0, 0, ISO_ROTATION_ONE}, &one, sizeof one) == 0);
    iso_quat q = iso_quat_normalize(none);
    assert_memory_equal(&q, &one, sizeof q);
    q = iso_quat_from_axis_angle((iso_vec3){0, 0, 0}, ISO_WIDE_MAX);
    assert_memory_equal(&q, &one, sizeof q);
    q = iso_quat_mul(none, none);
    assert_memory_equal(&q, &one, sizeof q);
    const iso_vec3_wide same = iso_quat_rotate(none, v);
    assert_memory_equal(&same, &v, sizeof v);
    assert_true(iso_quat_angle(none, one) == 0);

    // A half turn about z, exactly, by its axis of any length.
    q = iso_quat_from_axis_angle((iso_vec3){0, 0, INT32_MIN}, ISO_WIDE_PI);
    assert_true(q.x == 0 && q.y == 0 && q.z == ISO_ROTATION_ONE && q.w == 0);
    const iso_vec3_wide back = iso_quat_rotate(q, (iso_vec3_wide){INT64_MIN, INT64_MIN, INT64_MIN});
    assert_true(back.x == INT64_MAX && back.y == INT64_MAX && back.z == INT64_MIN);
    assert_true(iso_quat_angle(q, one) == ISO_WIDE_PI);
    // A quarter about x takes y to z.
    q = iso_quat_from_axis_angle((iso_vec3){1, 0, 0}, ISO_WIDE_PI / 2);
    const iso_vec3_wide z = iso_quat_rotate(q, (iso_vec3_wide){0, ISO_WIDE_ONE, 0});
    assert_true(z.x == 0 && iso__abs_u64(z.y) < 16 && iso__abs_u64(z.z - ISO_WIDE_ONE) < 16);

    const int32_t corners[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, 1 << 30, INT32_MAX};
    for (int i = 0; i < 7 * 7 * 7 * 7; ++i) {
        const iso_quat a = {corners[i % 7], corners[i / 7 % 7], corners[i / 49 % 7], corners[i / 343]};
        const iso_quat unit = iso_quat_normalize(a), again = iso_quat_normalize(unit);
        assert_true(is_state(unit));
        assert_memory_equal(&unit, &again, sizeof unit);
        if ((a.x | a.y | a.z | a.w) != 0) {
            assert_true(public_difference(unit, real_unit((real4){{a.x, a.y, a.z, a.w}})) <= 4);
        }
        assert_true(is_state(iso_quat_mul(a, unit)) && is_state(iso_quat_conjugate(a)));
        const iso_wide angle = iso_quat_angle(a, iso_quat_mul(a, one));
        assert_true(angle >= 0 && angle < 64);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_quaternion_of_a_turn_is_right_to_a_quantum),
        cmocka_unit_test(test_a_million_substeps_keep_length_and_angle),
        cmocka_unit_test(test_turning_about_an_axis_of_the_body),
        cmocka_unit_test(test_lengths_and_signs),
        cmocka_unit_test(test_the_state_takes_one_name_of_a_rotation),
        cmocka_unit_test(test_products_and_matrices),
        cmocka_unit_test(test_twist_swing_and_vector),
        cmocka_unit_test(test_users_rotations),
        cmocka_unit_test(test_users_products_keep_their_length),
        cmocka_unit_test(test_users_rotations_take_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
