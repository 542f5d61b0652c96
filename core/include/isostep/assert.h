/// Assertions of all parts: for errors of this program only, never for what a peer, a file or a user sent, and never
/// for a failed allocation.
///
/// ISO_ASSERT stays in release builds: a broken invariant would otherwise become a silent desync, and a trap with a
/// core file is better. So its condition must be cheap, however large the world is. It needs no libc, so it also works
/// in the WebAssembly build and in parts that include only freestanding headers. ISO_VALIDATE_ASSERT exists only in
/// builds with ISO_VALIDATE and may be used in hot code, or check the whole world.
#ifndef ISOSTEP_ASSERT_H
#define ISOSTEP_ASSERT_H

#ifdef __cplusplus
extern "C" {
#endif

/// What a failed assertion calls. It must not return.
///
/// The library's own writes "FILE:LINE: assertion failed: CONDITION" to the standard error stream where the program has
/// a C library on an ELF system, and traps. A program that defines this function itself replaces it; that one may be
/// called by any thread, and finds the state broken.
void iso_assert_failed(const char *file, int line, const char *condition) __attribute__((noreturn, cold));

#ifdef __cplusplus
}
#endif

/// What a failed assertion does. A freestanding build only traps: texts are a tenth of a small module. It may name a
/// function of its own: -D'ISO_ASSERT_FAILED(file, line, condition)=my_function(file, line, condition)' with its
/// declaration before.
#ifndef ISO_ASSERT_FAILED
#if __STDC_HOSTED__
#define ISO_ASSERT_FAILED(file, line, condition) iso_assert_failed(file, line, condition)
#else
#define ISO_ASSERT_FAILED(file, line, condition) __builtin_trap()
#endif
#endif

/// Without its folder: a build's own path is nobody's business, and the line and the condition say the rest.
#ifdef __FILE_NAME__
#define ISO_ASSERT_FILE __FILE_NAME__
#else
#define ISO_ASSERT_FILE __FILE__
#endif

/// Traps when `condition` is false. The condition is always evaluated.
#define ISO_ASSERT(condition) ((condition) ? (void)0 : ISO_ASSERT_FAILED(ISO_ASSERT_FILE, __LINE__, #condition))

/// The same in builds with ISO_VALIDATE; otherwise the condition is compiled but not evaluated.
#ifdef ISO_VALIDATE
#define ISO_VALIDATE_ASSERT(condition) ISO_ASSERT(condition)
#else
#define ISO_VALIDATE_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
