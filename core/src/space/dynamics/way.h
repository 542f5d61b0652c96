/// The ways that bodies in space go in a step, from their poses when it began to those now.
#ifndef ISO_SPACE_DYNAMICS_WAY_H
#define ISO_SPACE_DYNAMICS_WAY_H

#include "space/world/scratch.h"

/// A way goes straight and turns evenly about one axis, the shorter way round. The fraction s of it runs from 0 to 1,
/// [Q.32].
typedef struct iso__space_way {
    int64_t begin[3]; // [m] Q31.32
    int64_t moved[3]; // [m]
    int32_t begin_q[4];
    int64_t angle[3]; // [rad] Q31.32, rotation vector, world frame
    int64_t turn;     // [rad] Q31.32, its length, rounded up
    int64_t limit;    // fraction Q.32
} iso__space_way;

/// The way of a body in this step: while the scratch memory has it, after the poses were stored.
iso__space_way iso__space_way_of(const iso__space *space, uint32_t body);

/// @name Where the body is at s, or at the way's limit if that comes first
/// @{
void iso__space_way_place(const iso__space_way *is, int64_t s, int64_t place[3]); // [m] Q31.32
void iso__space_way_rotation(const iso__space_way *is, int64_t s, int32_t q[4]);  // a unit quaternion
/// @}

/// No point of a shape is farther from its body's centre of mass, [m] Q31.32.
static inline int64_t iso__space_way_reach(const iso__space *space, uint32_t shape) {
    return iso__shl64(space->shape_derived[shape].extent, 8);
}

/// The box of all that a shape passes on its body's way, rounded outwards.
iso__space_box iso__space_way_box(const iso__space *space, uint32_t shape, const iso__space_way *is);

#endif
