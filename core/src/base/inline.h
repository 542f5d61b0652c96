/// Inlining that a kernel's speed depends on.
#ifndef ISO_BASE_INLINE_H
#define ISO_BASE_INLINE_H

/// For the parts of a hot kernel that are called with constants, so that each caller gets code of its own; the
/// compiler alone finds them too large.
#define ISO__ALWAYS_INLINE static inline __attribute__((always_inline))

#endif
