/// The ring of a face, and what follows from it.
#ifndef ISO_SPACE_COLLIDE_HULL_RING_H
#define ISO_SPACE_COLLIDE_HULL_RING_H

#include "space/collide/hull_build.h"

/// Makes the ring of a face from the points on its plane: its corners, from the lowest on.
///
/// @param normal  outwards, of any length
void iso__space_hull_make_ring(const iso__space_hull_builder *builder, const int64_t normal[3],
                               iso__space_hull_face *face);

/// Sets a face's normal, offset and area from its ring.
void iso__space_hull_measure_face(const iso__space_hull_builder *builder, iso__space_hull_face *face);

/// Turns a face's ring so that it begins with its lowest vertex, and around if it is the other way.
void iso__space_hull_turn_ring(iso__space_hull_face *face, bool is_reversed);

/// Twice the area of a face along its normal, Q.48, not rounded.
void iso__space_hull_find_area(const iso__space_hull_builder *builder, const iso__space_hull_face *face,
                               int64_t area[3]);

#endif
