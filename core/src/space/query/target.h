/// A shape of the world that a query looks at.
#ifndef ISO_SPACE_QUERY_TARGET_H
#define ISO_SPACE_QUERY_TARGET_H

#include <stddef.h>

#include "isostep/query3.h"

#include "space/collide/piece.h"
#include "space/world/space.h"

#define ISO__SPACE_QUERY_PLACE_MAX (ISO_QUERY_PLACE_MAX_M * ISO_WIDE_ONE)

/// The box of what is asked about, [m] Q31.32.
typedef struct iso__space_region {
    int64_t lower[3], upper[3];
} iso__space_region;

/// One of the shapes about its body's centre of mass.
typedef struct iso__space_target {
    uint32_t shape;
    iso_shape_id id;
    iso_body_id body;
    const int64_t *centre; // [m] Q31.32: of mass, of its body
    int64_t extent;        // [m] Q31.32: no point is farther from that; of a half-space 0
    iso__space_collider collider;
    iso__space_piece piece; // of a field of heights it is not made
    iso__space_hull room;
} iso__space_target;

/// Whether each component is within ±largest.
bool iso__space_query_is_place(iso_vec3_wide place, int64_t largest);

/// The next shape from *shape on that the filter sees and whose bounding sphere's box overlaps the region; half-spaces
/// and fields of heights always do. *shape is then behind it.
/// @return false at the end
bool iso__space_target_next(const iso__space *space, const iso__space_region *region, iso_query_filter filter,
                            uint32_t *shape, iso__space_target *target);

/// What an iterated shape is: its collider and, unless it is a field of heights, its piece.
void iso__space_target_make(const iso__space *space, uint32_t shape, iso__space_target *target);

/// A place of the world from the target's centre of mass, and back.
void iso__space_target_to_local(const iso__space_target *target, iso_vec3_wide place, int64_t local[3]);
iso_vec3_wide iso__space_target_to_world(const iso__space_target *target, const int64_t local[3]);

/// Puts a hit behind all whose key is not larger; shapes come by index, so equal ones stay in order. Of a full array
/// the last one goes.
/// @param size   of a hit
/// @param key    where in a hit its key is, an int64_t
/// @param found  how many came before
void iso__space_hits_insert(void *hits, size_t size, size_t key, uint32_t capacity, uint32_t found, const void *hit);

#endif
