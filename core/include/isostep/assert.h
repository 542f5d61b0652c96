/// Assertions of all parts: what we got wrong, never what a peer, a file or a user sent, and never whether there was memory.
///
/// ISO_ASSERT stays in release builds: a broken invariant would otherwise become a silent desync, and a trap
/// with a core file is the better answer. So its condition costs little, whatever there is. It needs no libc, so the
/// WebAssembly build and the parts that include freestanding headers alone have it too.
/// ISO_VALIDATE_ASSERT exists only in builds with ISO_VALIDATE and may stand in hot code, or walk over all that there is.
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
