/// A shape of the world that a query looks at.
#ifndef ISO_QUERY3_TARGET3_H
#define ISO_QUERY3_TARGET3_H

#include <stddef.h>

#include "isostep/query3.h"

#include "collide3/piece3.h"
#include "world3/world3.h"

#define ISO__QUERY3_PLACE_MAX (ISO_QUERY_PLACE_MAX_M * ISO_WIDE_ONE)

/// The box of what is asked about, [m] Q31.32.
typedef struct iso__region3 {
    int64_t lower[3], upper[3];
} iso__region3;

/// One of the shapes about its body's centre of mass.
typedef struct iso__target3 {
    uint32_t shape;
    iso_shape_id id;
    iso_body_id body;
    const int64_t *centre; // [m] Q31.32: of mass, of its body
    int64_t extent;        // [m] Q31.32: no point is farther from that; of a half-space 0
    iso__collider3 collider;
    iso__piece3 piece; // of a field of heights it is not made
    iso__hull3 room;
} iso__target3;

/// Whether each component is within ±largest.
bool iso__query3_is_place(iso_vec3_wide place, int64_t largest);

/// The next shape from *shape on that the filter sees and whose bounding sphere's box overlaps the region; half-spaces
/// and fields of heights always do. *shape is then behind it.
/// @return false at the end
bool iso__target3_next(const iso__space *space, const iso__region3 *region, iso_query_filter filter, uint32_t *shape,
                       iso__target3 *target);

/// What an iterated shape is: its collider and, unless it is a field of heights, its piece.
void iso__target3_make(const iso__space *space, uint32_t shape, iso__target3 *target);

/// A place of the world from the target's centre of mass, and back.
void iso__target3_to_local(const iso__target3 *target, iso_vec3_wide place, int64_t local[3]);
iso_vec3_wide iso__target3_to_world(const iso__target3 *target, const int64_t local[3]);

/// Puts a hit behind all whose key is not larger; shapes come by index, so equal ones stay in order. Of a full array the
/// last one goes.
/// @param size   of a hit
/// @param key    where in a hit its key is, an int64_t
/// @param found  how many came before
void iso__hits3_insert(void *hits, size_t size, size_t key, uint32_t capacity, uint32_t found, const void *hit);

#endif
