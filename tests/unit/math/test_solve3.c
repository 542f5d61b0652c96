/// The inverses of joints' blocks against long double, from the unit matrix to the largest entries.
#include "test_math_util.h"

#include "math/solve3.h"

#define TRIES 100000

/// The places of a symmetric matrix's entries in its upper triangle.
static const int places[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

/// 1 + B B^T in Q31.32 with B of up to `width` bits per entry, Q.16: at least the unit matrix, exactly.
static void random_block(uint64_t *random, unsigned width, int64_t K[6]) {
    int64_t b[3][3];
    for (int i = 0; i < 9; ++i) {
        b[i / 3][i % 3] = random_bits(random, width);
    }
    if ((random_u64(random) & 3) == 0) { // one direction alone, as one lever gives: the hardest
        for (int i = 0; i < 6; ++i) {
            b[i / 2][1 + i % 2] = 0;
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = i; j < 3; ++j) {
            K[places[i][j]] =
                (i == j ? INT64_C(1) << 32 : 0) + b[i][0] * b[j][0] + b[i][1] * b[j][1] + b[i][2] * b[j][2];
        }
    }
}

/// The inverse by cofactors. K's entries are exact; of the products long double keeps 64 bits.
static void invert(const int64_t K[6], long double inverse[6]) {
    long double k[6];
    for (int i = 0; i < 6; ++i) {
        k[i] = ldexpl((long double)K[i], -32);
    }
    const long double c11 = k[3] * k[5] - k[4] * k[4], c12 = k[2] * k[4] - k[1] * k[5], c13 = k[1] * k[4] - k[2] * k[3];
    const long double determinant = k[0] * c11 + k[1] * c12 + k[2] * c13;
    inverse[0] = c11 / determinant;
    inverse[1] = c12 / determinant;
    inverse[2] = c13 / determinant;
    inverse[3] = (k[0] * k[5] - k[2] * k[2]) / determinant;
    inverse[4] = (k[1] * k[2] - k[0] * k[4]) / determinant;
    inverse[5] = (k[0] * k[3] - k[1] * k[1]) / determinant;
}

static long double worst_entry(unsigned width, uint64_t seed, int64_t largest) {
    long double worst = 0;
    for (int i = 0; i < TRIES / 4; ++i) {
        int64_t K[6];
        random_block(&seed, width, K);
        assert_true(K[0] <= largest << 32);
        iso__inverse3 got;
        assert_true(iso__inverse3_make(K, &got));
        long double want[6];
        invert(K, want);
        const int64_t entries[6] = {got.i11, got.i12, got.i13, got.i22, got.i23, got.i33};
        for (int k = 0; k < 6; ++k) {
            note_error(&worst, ldexpl((long double)entries[k], -62) - want[k]);
        }
    }
    return worst;
}

static void test_three_rows_are_inverted(void **state) {
    (void)state;
    // The largest entries are 1 + 3 b^2 of b below 1, 2^5, 2^8 and 2^13.
    CHECK_BELOW("inverse3, K up to 4", worst_entry(16, 41, 4), 0x1p-58L);
    CHECK_BELOW("inverse3, K up to 3,073", worst_entry(21, 42, 3073), 0x1p-43L);
    CHECK_BELOW("inverse3, K up to 2^18", worst_entry(24, 43, 196609), 0x1p-32L);
    CHECK_BELOW("inverse3, K up to 2^28", worst_entry(29, 44, 201326593), 0x1p-12L);
}

/// K x = b again, which does not depend on how well the inverse is known.
static void test_what_is_applied_solves_the_rows(void **state) {
    (void)state;
    uint64_t random = 44;
    for (unsigned n = 1; n <= 3; ++n) {
        long double worst = 0;
        for (int i = 0; i < TRIES / 4; ++i) {
            int64_t K[6], packed[6], b[3], x[3] = {0, 0, 0};
            random_block(&random, 19, K);
            int count = 0;
            for (unsigned r = 0; r < n; ++r) {
                b[r] = random_bits(&random, 40);
                for (unsigned c = r; c < n; ++c) {
                    packed[count++] = K[places[r][c]];
                }
            }
            iso__block_inverse inverse;
            assert_true(iso__block_inverse_make(n, packed, &inverse));
            iso__block_inverse_apply(n, &inverse, b, x);
            for (unsigned r = 0; r < n; ++r) {
                long double sum = -(long double)b[r], size = 0;
                for (unsigned c = 0; c < n; ++c) {
                    const long double k = ldexpl((long double)K[places[r][c]], -32);
                    sum += k * x[c];
                    size += fabsl(k);
                }
                note_error(&worst, sum / size); // x is rounded to a quantum
            }
        }
        CHECK_BELOW("K x - b per sum of the row, quanta", worst, 0.6L);
    }
}

static void test_diagonals_are_exact(void **state) {
    (void)state;
    const int64_t one = INT64_C(1) << 32, K[6] = {one, 0, 0, 4 * one, 0, 1024 * one};
    iso__inverse3 inverse;
    assert_true(iso__inverse3_make(K, &inverse));
    assert_true(inverse.i11 == INT64_C(1) << 62 && inverse.i22 == INT64_C(1) << 60 && inverse.i33 == INT64_C(1) << 52);
    assert_true(inverse.i12 == 0 && inverse.i13 == 0 && inverse.i23 == 0);
    iso__block_inverse block;
    assert_true(iso__block_inverse_make(1, K + 3, &block) && block.inverse.i11 == INT64_C(1) << 60);
    int64_t b[3] = {7, 0, 0};
    assert_true(iso__block_inverse_make(3, K, &block));
    iso__block_inverse_apply(3, &block, b, b);
    assert_true(b[0] == 7 && b[1] == 0 && b[2] == 0);
    b[0] = b[1] = b[2] = INT64_MIN;
    iso__block_inverse_apply(3, &block, b, b);
    assert_true(b[0] == INT64_MIN && b[1] == INT64_MIN / 4 && b[2] == INT64_MIN / 1024);
}

static void test_what_is_no_block_gives_zero(void **state) {
    (void)state;
    const int64_t one = INT64_C(1) << 32, huge = INT64_C(1) << 62;
    const int64_t refused[][6] = {
        {0, 0, 0, 0, 0, 0},
        {one / 4, 0, 0, one, 0, one},
        {one, 0, 0, one / 4, 0, one},
        {one, 0, 0, one, 0, one / 4},
        {one, one, 0, one, 0, one},                              // singular
        {one, 0, 2 * one, one, 0, one},                          // indefinite
        {4 * one, 2 * one, 2 * one, 2 * one, -2 * one, 4 * one}, // the last pivot alone is too small
        {one * 3 / 4, 0, 0, one, 0, one},                        // above the half, and yet not at least the unit matrix
        {huge, 0, 0, one, 0, one},
        {-one, 0, 0, one, 0, one},
        {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN},
        {INT64_MAX, INT64_MIN, INT64_MIN, INT64_MAX, INT64_MIN, INT64_MAX},
        {one, INT64_MIN, INT64_MAX, one, INT64_MIN, one},
    };
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        iso__block_inverse block;
        assert_false(iso__block_inverse_make(3, refused[i], &block));
        int64_t x[3] = {one, INT64_MAX, INT64_MIN};
        iso__block_inverse_apply(3, &block, x, x);
        assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
    }
    iso__block_inverse block;
    const int64_t zero[3] = {0, 0, 0};
    assert_false(iso__block_inverse_make(1, zero, &block));
    assert_false(iso__block_inverse_make(2, zero, &block));
    // Whatever comes: no undefined behaviour, which the sanitizers see.
    uint64_t random = 45;
    for (int i = 0; i < TRIES; ++i) {
        int64_t K[6], b[3];
        for (int k = 0; k < 6; ++k) {
            K[k] = random_i64(&random);
        }
        for (int k = 0; k < 3; ++k) {
            b[k] = random_i64(&random);
        }
        iso__block_inverse_make(3, K, &block);
        iso__block_inverse_apply(3, &block, b, b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_rows_are_inverted),
        cmocka_unit_test(test_what_is_applied_solves_the_rows),
        cmocka_unit_test(test_diagonals_are_exact),
        cmocka_unit_test(test_what_is_no_block_gives_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
