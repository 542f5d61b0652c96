/// What contact rows are made of, against long double.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

// With its static parts.
#include "dynamics/contact_prepare.c"

#define UNIT ISO__UNIT_ONE

/// Ratios beyond 1:10000 too; the masses' own range is 2^-16 to 2^17 kg.
static void test_shares_add_up_and_keep_mass_ratios(void **state) {
    (void)state;
    for (int64_t mass_a = INT64_C(1) << 16; mass_a <= INT64_C(1) << 49; mass_a = mass_a * 3 / 2) {
        for (int64_t mass_b = INT64_C(1) << 16; mass_b <= INT64_C(1) << 49; mass_b = mass_b * 7 / 4) {
            const iso__body_derived a = {.mass = mass_a}, b = {.mass = mass_b};
            const iso__pair_lane share = contact_mass_shares(&a, &b);
            const long double exact = (long double)mass_b / ((long double)mass_a + (long double)mass_b) * UNIT;
            assert_int_equal((int64_t)share.lo + share.hi, UNIT);
            assert_true(share.lo >= exact - 0.75L && share.lo <= exact + 0.75L);
        }
    }
}

static void test_row_masses_are_exact_to_the_quantum(void **state) {
    (void)state;
    for (int64_t gain = 0; gain <= INT64_C(500) << 22; gain += INT64_C(49999999)) {
        for (int64_t arm = -UNIT; arm <= UNIT; arm += UNIT / 32) {
            const int32_t by = arm % (UNIT / 16) == 0 ? 1 : -1;
            const int64_t inner = arm < 1 - UNIT ? 1 - UNIT : arm > UNIT - 1 ? UNIT - 1 : arm;
            const iso__pair_lane a = contact_row_side((int32_t)inner, gain, by),
                                 b = contact_row_side((int32_t)-inner / 3, gain / 2, by);
            const long double k = 1 + ((long double)a.lo * a.hi + (long double)b.lo * b.hi) / (UNIT * 4194304.0L);
            const long double exact = UNIT / k;
            const int32_t mass = contact_row_mass(a, b);
            const long double g = (long double)gain * a.lo / UNIT;
            assert_true(a.lo >= arm - 1 && a.lo <= arm + 1);
            assert_true(a.hi >= g - 1.5L && a.hi <= g + 1.5L);
            assert_true(mass >= exact - 1 && mass <= exact + 1 && mass > 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares_add_up_and_keep_mass_ratios),
        cmocka_unit_test(test_row_masses_are_exact_to_the_quantum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
