/// The hash of each instruction set gives the numbers of the baseline's: for every length where xxhash changes its way,
/// from any address.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/hash.h"
#include "isostep/isostep.h"
#include "simd/hash.h"

// Beyond xxhash's blocks of 1 KiB, and what 64 of the largest records take.
#define ALL_UP_TO   1100u
#define LONGEST     40000u
#define ALIGNMENTS  64u
#define LONG_BLOCKS 400u

static uint64_t random_state = 1;

static uint32_t random_below(uint32_t bound) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % bound;
}

static void compare(iso__hash_fn *hash, const uint8_t *bytes, size_t size) {
    if (hash(bytes, size) != iso__hash(bytes, size)) {
        fail_msg("%zu bytes have the hash %016llx instead of %016llx", size, (unsigned long long)hash(bytes, size),
                 (unsigned long long)iso__hash(bytes, size));
    }
}

static void check_set(iso_simd set) {
    if (!iso_simd_is_supported(set)) {
        print_message("%s is not here: skipped\n", iso_simd_name(set));
        skip();
    }
    iso__hash_fn *hash = iso__hash_of(set);
    uint8_t *bytes = malloc(LONGEST + ALIGNMENTS);
    assert_non_null(bytes);
    for (uint32_t i = 0; i < LONGEST + ALIGNMENTS; ++i) {
        bytes[i] = (uint8_t)random_below(256);
    }
    for (uint32_t size = 0; size <= ALL_UP_TO; ++size) {
        compare(hash, bytes + size % ALIGNMENTS, size);
    }
    for (uint32_t n = 0; n < LONG_BLOCKS; ++n) {
        compare(hash, bytes + random_below(ALIGNMENTS), random_below(LONGEST));
    }
    free(bytes);
}

static void test_portable_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_PORTABLE);
}

static void test_sse41_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_SSE41);
}

static void test_avx2_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_AVX2);
    assert_ptr_not_equal(iso__hash_of(ISO_SIMD_AVX2), iso__hash);
}

static void test_avx512_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_AVX512);
    assert_ptr_not_equal(iso__hash_of(ISO_SIMD_AVX512), iso__hash);
}

static void test_neon_agrees(void **state) {
    (void)state;
    check_set(ISO_SIMD_NEON);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_portable_agrees), cmocka_unit_test(test_sse41_agrees), cmocka_unit_test(test_avx2_agrees),
        cmocka_unit_test(test_avx512_agrees),   cmocka_unit_test(test_neon_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
