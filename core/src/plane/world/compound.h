/// Compounds as records: which bodies and joints belong to them. plane/compound/ creates and moves them.
#ifndef ISO_PLANE_WORLD_COMPOUND_H
#define ISO_PLANE_WORLD_COMPOUND_H

#include "plane/world/plane.h"
#include "world/capacity.h"

/// The handle of a record's compound: `compound` is its index + 1, or 0.
static inline iso_compound_id iso__plane_compound_id_of(const iso_world *world, uint32_t compound) {
    return compound == 0 ? (iso_compound_id){0, 0}
                         : (iso_compound_id){compound - 1, world->compound_generations[compound - 1]};
}

/// Ends a compound if it has neither bodies nor joints, after one of them was destroyed. Linear in the number of bodies
/// and joints when it is about to end.
/// @param compound  its index + 1, or 0: nothing happens
void iso__plane_compound_lose(iso__plane *plane, uint32_t compound);

#endif
