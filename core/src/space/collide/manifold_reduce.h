/// Which points of a manifold are kept.
#ifndef ISO_SPACE_COLLIDE_MANIFOLD_REDUCE_H
#define ISO_SPACE_COLLIDE_MANIFOLD_REDUCE_H

#include "space/collide/manifold.h"

/// Chooses the points that a manifold keeps.
///
/// @param points  [m] Q.24 below 512 m: two coordinates along the reference face, and the separation
/// @param is_patch  they are of one face, or where two overlap: the deepest is among those that are kept. Else what is
///                  uneven touches here and there, and the choice would jump
/// @param kept    out: their numbers; of four points the first two are opposite each other, and so are the others: the
///                rows are solved in this order, and an impulse at one corner is met at the far one before it tilts the
///                body. Ten unit cubes come to a thousandth of the energy that they keep when the corners are solved
///                around.
/// @param leaves  out: whether corners were left out that may come to be the deepest when the patch tilts
/// @return how many: all when there are no more than four; else four, or less when the others are on a line with these
uint32_t iso__space_manifold_reduce(const int64_t (*points)[3], uint32_t count, int64_t slop, bool is_patch,
                                    uint8_t kept[ISO__SPACE_MANIFOLD_POINTS], bool *leaves);

#endif
