/// Assertions of all parts: for errors of this program only, never for what a peer, a file or a user sent, and never
/// for a failed allocation.
///
/// ISO_ASSERT stays in release builds: a broken invariant would otherwise become a silent desync, and a trap with a
/// core file is better. So its condition must be cheap, however large the world is. It needs no libc, so it also works
/// in the WebAssembly build and in parts that include only freestanding headers. ISO_VALIDATE_ASSERT exists only in
/// builds with ISO_VALIDATE and may be used in hot code, or check the whole world.
#ifndef ISOSTEP_ASSERT_H
#define ISOSTEP_ASSERT_H

/// Traps when `condition` is false. The condition is always evaluated.
#define ISO_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())

/// The same in builds with ISO_VALIDATE; otherwise the condition is compiled but not evaluated.
#ifdef ISO_VALIDATE
#define ISO_VALIDATE_ASSERT(condition) ISO_ASSERT(condition)
#else
#define ISO_VALIDATE_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
