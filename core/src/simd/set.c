/// Which sets of vector instructions there are, and which this processor has.
#include <stddef.h>
#include <stdint.h>

#include "isostep/simd.h"
#include "simd/target.h"

#if ISO__HAS_X86
#include <cpuid.h>
#endif

static const char *const simd_names[ISO_SIMD_COUNT] = {
    [ISO_SIMD_PORTABLE] = "portable", [ISO_SIMD_SSE41] = "sse4.1", [ISO_SIMD_AVX2] = "avx2",
    [ISO_SIMD_AVX512] = "avx512",     [ISO_SIMD_NEON] = "neon",
};

const char *iso_simd_name(iso_simd set) {
    return (unsigned)set < ISO_SIMD_COUNT ? simd_names[set] : "?";
}

static bool simd_texts_are_equal(const char *a, const char *b) {
    while (*a != 0 && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}

bool iso_simd_find(const char *name, iso_simd *set) {
    for (unsigned i = 0; i < ISO_SIMD_COUNT; ++i) {
        if (simd_texts_are_equal(name, simd_names[i])) {
            *set = (iso_simd)i;
            return true;
        }
    }
    return false;
}

#if ISO__HAS_X86
#define OS_AVX    0x06u // XCR0: the operating system keeps xmm and ymm,
#define OS_AVX512 0xe6u // and masks and zmm

/// What the operating system keeps of the registers when it switches threads.
static uint32_t simd_os_state(void) {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 14.3 and 15.2 to 15.4.
static bool simd_x86_has(iso_simd set) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) {
        return false;
    }
    if (set == ISO_SIMD_SSE41) {
        return (c & bit_SSE4_1) != 0;
    }
    const bool has_avx = (c & bit_OSXSAVE) != 0 && (c & bit_AVX) != 0;
    if (!has_avx || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        return false;
    }
    const uint32_t state = simd_os_state();
    const bool has_avx2 = (b & bit_AVX2) != 0 && (state & OS_AVX) == OS_AVX;
    const unsigned needed = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL;
    return has_avx2 && (set == ISO_SIMD_AVX2 || ((b & needed) == needed && (state & OS_AVX512) == OS_AVX512));
}
#endif

bool iso_simd_is_supported(iso_simd set) {
    switch (set) {
    case ISO_SIMD_PORTABLE:
        return true;
#if ISO__HAS_X86
    case ISO_SIMD_SSE41:
    case ISO_SIMD_AVX2:
    case ISO_SIMD_AVX512:
        return simd_x86_has(set);
#endif
    case ISO_SIMD_NEON:
        return ISO__HAS_NEON;
    default:
        return false;
    }
}

iso_simd iso_simd_best(void) {
    static const iso_simd fastest_first[] = {ISO_SIMD_AVX512, ISO_SIMD_AVX2, ISO_SIMD_SSE41, ISO_SIMD_NEON};
    for (size_t i = 0; i < sizeof fastest_first / sizeof fastest_first[0]; ++i) {
        if (iso_simd_is_supported(fastest_first[i])) {
            return fastest_first[i];
        }
    }
    return ISO_SIMD_PORTABLE;
}
