/// Code for one instruction set in a build for a baseline: what stands between ISO__TARGET_BEGIN and ISO__TARGET_END
/// may use it, the rest of the library does not. In the source instead of in flags, so that every build that takes the
/// core's sources has every set.
#ifndef ISO_SIMD_TARGET_H
#define ISO_SIMD_TARGET_H

// Which sets are compiled in. ISO_NO_SIMD: none.
#if defined(__x86_64__) && !defined(ISO_NO_SIMD)
#define ISO__HAS_X86 1
#else
#define ISO__HAS_X86 0
#endif
#if defined(__aarch64__) && defined(__ARM_NEON) && defined(__AARCH64EL__) && !defined(ISO_NO_SIMD)
#define ISO__HAS_NEON 1
#else
#define ISO__HAS_NEON 0
#endif

/// The cases of a switch over instruction sets, each with its table: `tables` is what their names begin with.
#if ISO__HAS_X86
#define ISO__TARGET_CASES(tables) \
    case ISO_SIMD_SSE41:          \
        return &tables##_sse41;   \
    case ISO_SIMD_AVX2:           \
        return &tables##_avx2;    \
    case ISO_SIMD_AVX512:         \
        return &tables##_avx512;
#elif ISO__HAS_NEON
#define ISO__TARGET_CASES(tables) \
    case ISO_SIMD_NEON:           \
        return &tables##_neon;
#else
#define ISO__TARGET_CASES(tables)
#endif

#define ISO__TARGET_PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define ISO__TARGET_BEGIN(set) \
    ISO__TARGET_PRAGMA(clang attribute push(__attribute__((target(set))), apply_to = function))
#define ISO__TARGET_END ISO__TARGET_PRAGMA(clang attribute pop)
#else
#define ISO__TARGET_BEGIN(set) ISO__TARGET_PRAGMA(GCC push_options) ISO__TARGET_PRAGMA(GCC target(set))
#define ISO__TARGET_END        ISO__TARGET_PRAGMA(GCC pop_options)
#endif

#endif
