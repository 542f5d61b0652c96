/// The lane operations of each instruction set against the portable ones, and what there is to know about the sets.
///
///   test_lanes [--operands N]   random operands of each operation, 100,000 by default
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/isostep.h"
#include "lane_tables.h"

static uint32_t operand_count = 100000;
static uint64_t random_state = 1;

static uint64_t random_next(void) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state ^ random_state >> 29;
}

/// The ends of every range that an operation knows, and their neighbours.
static const int64_t EXTREMES[] = {
    0,
    1,
    -1,
    INT32_MAX,
    INT32_MIN,
    (int64_t)INT32_MAX + 1,
    (int64_t)INT32_MIN - 1,
    UINT32_MAX,
    INT64_C(1) << 32,
    -(INT64_C(1) << 32),
    INT64_MAX,
    INT64_MIN,
    INT64_C(0x7fffffff80000000),
    INT64_C(-0x7fffffff80000000),
    INT64_C(1) << 50,
    (INT64_C(1) << 50) - 1,
    -(INT64_C(1) << 50),
    -(INT64_C(1) << 50) - 1,
    INT64_C(1) << 61,
    (INT64_C(1) << 61) - 1,
    -(INT64_C(1) << 61),
    -(INT64_C(1) << 61) - 1,
    INT64_C(1) << 29,
    INT64_C(3) << 29,
    INT64_C(1) << 53,
    -(INT64_C(1) << 53) - 1,
};
#define EXTREME_COUNT (sizeof EXTREMES / sizeof EXTREMES[0])

/// b and c of clamp_shifted become bounds of 32 bits in order.
static void compare(const lane_operation *operation, const lane_operation *portable, const int64_t *a, int64_t *b,
                    int64_t *c) {
    int64_t expected[LANE_TEST_COUNT], found[LANE_TEST_COUNT];
    if (strncmp(operation->name, "clamp", 5) == 0) {
        const int32_t one = (int32_t)(uint32_t)(uint64_t)b[0], other = (int32_t)(uint32_t)(uint64_t)c[0];
        b[0] = one < other ? one : other;
        c[0] = one < other ? other : one;
    }
    portable->run(a, b, c, expected);
    operation->run(a, b, c, found);
    for (unsigned i = 0; i < LANE_TEST_COUNT; ++i) {
        if (((expected[i] ^ found[i]) & operation->defined) != 0) {
            fail_msg("%s of %llx, %llx, %llx in lane %u: %llx instead of %llx", operation->name,
                     (unsigned long long)a[i], (unsigned long long)b[i], (unsigned long long)c[i], i,
                     (unsigned long long)found[i], (unsigned long long)expected[i]);
        }
    }
}

/// All pairs of extremes, with others in the lanes beside them and as third operands.
static void compare_extremes(const lane_operation *operation, const lane_operation *portable) {
    int64_t a[LANE_TEST_COUNT], b[LANE_TEST_COUNT], c[LANE_TEST_COUNT];
    for (unsigned n = 0; n < EXTREME_COUNT * EXTREME_COUNT * EXTREME_COUNT; ++n) {
        for (unsigned i = 0; i < LANE_TEST_COUNT; ++i) {
            const unsigned m = n + i * 7;
            a[i] = EXTREMES[m % EXTREME_COUNT];
            b[i] = EXTREMES[m / EXTREME_COUNT % EXTREME_COUNT];
            c[i] = EXTREMES[m / EXTREME_COUNT / EXTREME_COUNT % EXTREME_COUNT];
        }
        compare(operation, portable, a, b, c);
    }
}

/// Of random lengths, so that small and large numbers meet.
static void compare_random(const lane_operation *operation, const lane_operation *portable) {
    int64_t operands[3][LANE_TEST_COUNT];
    for (uint32_t n = 0; n < operand_count; n += LANE_TEST_COUNT) {
        for (unsigned k = 0; k < 3 * LANE_TEST_COUNT; ++k) {
            const uint64_t random = random_next();
            operands[k / LANE_TEST_COUNT][k % LANE_TEST_COUNT] = (int64_t)random_next() >> random % 64;
        }
        compare(operation, portable, operands[0], operands[1], operands[2]);
    }
}

static void check_set(iso_simd set, const lane_operation *operations) {
    if (!operations || !iso_simd_is_supported(set)) {
        print_message("%s is not here: skipped\n", iso_simd_name(set));
        skip();
    }
    for (unsigned i = 0; i < LANE_OPERATION_COUNT; ++i) {
        compare_extremes(&operations[i], &lanes_portable[i]);
        compare_random(&operations[i], &lanes_portable[i]);
    }
}

static void test_sse41_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_SSE41, ISO__HAS_X86 ? lanes_sse41 : NULL);
}

static void test_avx2_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_AVX2, ISO__HAS_X86 ? lanes_avx2 : NULL);
}

static void test_avx512_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_AVX512, ISO__HAS_X86 ? lanes_avx512 : NULL);
}

static void test_neon_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_NEON, ISO__HAS_NEON ? lanes_neon : NULL);
}

// ---- sets ----------------------------------------------------------------------------------------

static void test_names_are_found_again(void **state) {
    (void)state;
    for (unsigned i = 0; i < ISO_SIMD_COUNT; ++i) {
        iso_simd found = ISO_SIMD_COUNT;
        assert_true(iso_simd_find(iso_simd_name((iso_simd)i), &found));
        assert_int_equal(found, i);
    }
    iso_simd found = ISO_SIMD_COUNT;
    static const char *const others[] = {"", "avx", "avx22", "AVX2", "sse4", "?"};
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; ++i) {
        assert_false(iso_simd_find(others[i], &found));
    }
    assert_int_equal(found, ISO_SIMD_COUNT);
    assert_string_equal(iso_simd_name(ISO_SIMD_COUNT), "?");
}

/// The sets of a processor are those that the compiler's own question names.
static void test_supported_sets_are_those_of_the_processor(void **state) {
    (void)state;
    assert_true(iso_simd_is_supported(ISO_SIMD_PORTABLE));
    assert_true(iso_simd_is_supported(iso_simd_best()));
    assert_false(iso_simd_is_supported(ISO_SIMD_COUNT));
#if ISO__HAS_X86
    assert_int_equal(iso_simd_is_supported(ISO_SIMD_SSE41), __builtin_cpu_supports("sse4.1") != 0);
    assert_int_equal(iso_simd_is_supported(ISO_SIMD_AVX2), __builtin_cpu_supports("avx2") != 0);
    assert_int_equal(iso_simd_is_supported(ISO_SIMD_AVX512),
                     __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"));
    assert_false(iso_simd_is_supported(ISO_SIMD_NEON));
#endif
}

static void test_a_world_takes_supported_sets_only(void **state) {
    (void)state;
    const iso_world_def def = iso_world_def_default();
    const size_t size = iso_world_size(&def, NULL);
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    iso_world *world = NULL;
    assert_int_equal(iso_world_create(&def, NULL, memory, size, &world), ISO_OK);
    assert_int_equal(iso_world_get_simd(world), iso_simd_best());
    const uint64_t root = iso_world_root(world);
    for (unsigned i = 0; i < ISO_SIMD_COUNT; ++i) {
        const iso_simd set = (iso_simd)i, before = iso_world_get_simd(world);
        const bool is_supported = iso_simd_is_supported(set);
        assert_int_equal(iso_world_set_simd(world, set), is_supported ? ISO_OK : ISO_ERR_UNSUPPORTED);
        assert_int_equal(iso_world_get_simd(world), is_supported ? set : before);
    }
    assert_int_equal(iso_world_set_simd(world, ISO_SIMD_COUNT), ISO_ERR_BAD_ENUM);
    assert_true(iso_world_root(world) == root);
    free(memory);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--operands") == 0) {
        operand_count = (uint32_t)strtoul(argv[2], NULL, 10);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sse41_agrees),
        cmocka_unit_test(test_avx2_agrees),
        cmocka_unit_test(test_avx512_agrees),
        cmocka_unit_test(test_neon_agrees),
        cmocka_unit_test(test_names_are_found_again),
        cmocka_unit_test(test_supported_sets_are_those_of_the_processor),
        cmocka_unit_test(test_a_world_takes_supported_sets_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
