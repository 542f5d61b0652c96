/// Principal axes: what frame and moments put together again is the matrix, in long double.
#include "test_math_util.h"

#include "math/jacobi3.h"
#include "math/quat.h"

#define TRIES 20000

static const int places[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

static long double largest_of(const int64_t A[6]) {
    long double largest = 0;
    for (int i = 0; i < 6; ++i) {
        largest = fmaxl(largest, fabsl((long double)A[i]));
    }
    return largest;
}

/// The largest difference of R diag(moments) R^T and A, per A's largest entry.
static long double reconstruction_error(const int64_t A[6], const int64_t moments[3], const int32_t frame[4]) {
    int32_t R[9];
    iso__quat_matrix(frame, R);
    long double worst = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            long double sum = 0;
            for (int k = 0; k < 3; ++k) {
                sum += ldexpl(R[3 * i + k], -30) * ldexpl(R[3 * j + k], -30) * moments[k];
            }
            note_error(&worst, sum - A[places[i][j]]);
        }
    }
    return worst / largest_of(A);
}

/// The characteristic polynomial at a moment, per its slope: how far the moment is from a root.
static long double root_error(const int64_t A[6], int64_t moment, long double slope) {
    const long double a = (long double)A[0] - moment, b = (long double)A[3] - moment, c = (long double)A[5] - moment;
    const long double d = A[1], e = A[2], f = A[4];
    return (a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e)) / slope;
}

static void check(const int64_t A[6], long double *worst) {
    int64_t moments[3];
    int32_t frame[4];
    iso__principal_axes(A, moments, frame);
    assert_true(moments[0] <= moments[1] && moments[1] <= moments[2]);
    assert_true(iso__quat_is_state(frame));
    note_error(worst, reconstruction_error(A, moments, frame));
}

static void test_axes_and_moments_are_the_matrix(void **state) {
    (void)state;
    uint64_t random = 51;
    long double worst = 0, worst_moment = 0;
    for (int i = 0; i < TRIES; ++i) {
        int64_t A[6];
        const unsigned width = 34 + (unsigned)(random_u64(&random) % 27); // so that a quantum is small beside it
        for (int k = 0; k < 6; ++k) {
            A[k] = random_bits(&random, width);
        }
        A[0] = (int64_t)1 << width; // a trace, so that there is something to be small beside
        check(A, &worst);
        int64_t m[3];
        int32_t frame[4];
        iso__principal_axes(A, m, frame);
        const long double size = largest_of(A);
        for (int k = 0; k < 3; ++k) {
            const long double others = ((long double)m[k] - m[(k + 1) % 3]) * ((long double)m[k] - m[(k + 2) % 3]);
            if (fabsl(others) > size * size / 64) {
                note_error(&worst_moment, fmaxl(fabsl(root_error(A, m[k], others)) - 1, 0) / size);
            }
        }
    }
    CHECK_BELOW("principal axes, reconstruction", worst, 1e-8L);
    CHECK_BELOW("moments, beyond a quantum", worst_moment, 0x1p-56L);
}

static void test_near_ties_and_corners_keep_the_bound(void **state) {
    (void)state;
    uint64_t random = 52;
    long double worst = 0;
    for (int i = 0; i < TRIES; ++i) {
        const int64_t size = INT64_C(1) << 50;
        int64_t A[6] = {size, 0, 0, size, 0, size};
        for (int k = 0; k < 6; ++k) { // entries that differ by next to nothing, and products of as little
            A[k] += random_bits(&random, 1 + (unsigned)(i % 50));
        }
        check(A, &worst);
        const int64_t flat = random_bits(&random, 50);
        check((const int64_t[6]){size, size, flat, size, flat, random_bits(&random, 20)}, &worst);
    }
    const int64_t corners[] = {INT64_MIN, INT64_MIN + 1, -(INT64_C(1) << 40), 0, INT64_C(1) << 40, INT64_MAX};
    long double worst_corner = 0;
    for (int i = 0; i < 6 * 6 * 6 * 6; ++i) {
        // Off the diagonal alone, where moments fit: two thirds of the largest entry each.
        const int64_t A[6] = {corners[i % 6] / 4,       corners[i / 6 % 6] / 4, corners[i / 36 % 6] / 4,
                              corners[i / 216 % 6] / 4, corners[i % 6] / 4,     corners[(i + 3) % 6] / 4};
        if (largest_of(A) > 0) {
            check(A, &worst_corner);
        }
    }
    CHECK_BELOW("near ties, reconstruction", worst, 1e-8L);
    CHECK_BELOW("corners, reconstruction", worst_corner, 1e-8L);
    int64_t moments[3];
    int32_t frame[4];
    const int64_t least[6] = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    iso__principal_axes(least, moments, frame);
    assert_true(moments[0] == INT64_MIN); // -3 2^63 saturates
}

static void test_diagonal_matrices_are_exact(void **state) {
    (void)state;
    const int64_t values[3] = {INT64_C(3), INT64_C(5000000000000000001), INT64_MAX};
    for (int order = 0; order < 27; ++order) {
        const int64_t d[3] = {values[order % 3], values[order / 3 % 3], values[order / 9]};
        const int64_t A[6] = {d[0], 0, 0, d[1], 0, d[2]};
        int64_t moments[3];
        int32_t frame[4], R[9];
        iso__principal_axes(A, moments, frame);
        iso__quat_matrix(frame, R);
        int64_t product = 0;
        for (int k = 0; k < 3; ++k) {
            int axis = -1;
            for (int i = 0; i < 3; ++i) {
                assert_true(R[3 * i + k] == 0 || R[3 * i + k] == ISO__UNIT_ONE || R[3 * i + k] == -ISO__UNIT_ONE);
                axis = R[3 * i + k] != 0 ? i : axis;
            }
            assert_true(axis >= 0 && moments[k] == d[axis]);
            product += axis;
        }
        assert_int_equal(product, 3);
        assert_true(moments[0] <= moments[1] && moments[1] <= moments[2]);
        if (d[0] <= d[1] && d[1] <= d[2]) { // ties too: the axes stay as they are
            assert_true(frame[0] == 0 && frame[1] == 0 && frame[2] == 0 && frame[3] == ISO__UNIT_ONE);
        }
    }
    const int64_t zero[6] = {0, 0, 0, 0, 0, 0};
    int64_t moments[3];
    int32_t frame[4];
    iso__principal_axes(zero, moments, frame);
    assert_true(moments[0] == 0 && moments[2] == 0 && frame[3] == ISO__UNIT_ONE);
}

static void test_one_product_turns_one_pair(void **state) {
    (void)state;
    // The axis z is left alone, exactly; x and y turn by an eighth.
    const int64_t A[6] = {3000, 1000, 0, 3000, 0, 9000};
    int64_t moments[3];
    int32_t frame[4], R[9];
    iso__principal_axes(A, moments, frame);
    assert_true(moments[0] == 2000 && moments[1] == 4000 && moments[2] == 9000);
    iso__quat_matrix(frame, R);
    assert_true(R[2] == 0 && R[5] == 0);
    assert_in_range(iso__abs_u32(R[8]), ISO__UNIT_ONE - 2, ISO__UNIT_ONE + 2);
    assert_in_range(iso__abs_u32(R[0]), 759250124 - 1, 759250124 + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_axes_and_moments_are_the_matrix),
        cmocka_unit_test(test_near_ties_and_corners_keep_the_bound),
        cmocka_unit_test(test_diagonal_matrices_are_exact),
        cmocka_unit_test(test_one_product_turns_one_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
