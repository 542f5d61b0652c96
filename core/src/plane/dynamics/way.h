/// The ways that bodies go in a step, from their places when it began to those now.
#ifndef ISO_PLANE_DYNAMICS_WAY_H
#define ISO_PLANE_DYNAMICS_WAY_H

#include "plane/world/scratch.h"

/// A way goes straight and turns evenly. The fraction s of it runs from 0 to 1, [Q.32].
typedef struct iso__plane_way {
    int64_t begin[2];    // [m] Q31.32
    int64_t begin_angle; // [turns] Q31.32
    int64_t moved[2];    // [m]
    int64_t angle;       // [turns]
    int64_t turn;        // |angle| [rad] Q31.32, rounded up
    int64_t limit;       // fraction Q.32
} iso__plane_way;

/// The way of a body in this step: while the scratch memory has it, after the poses were stored.
iso__plane_way iso__plane_way_of(const iso__plane *plane, uint32_t body);

/// @name Where the body is at s, or at the way's limit if that comes first
/// @{
void iso__plane_way_place(const iso__plane_way *is, int64_t s, int64_t place[2]); // [m] Q31.32
int64_t iso__plane_way_angle(const iso__plane_way *is, int64_t s);                // [turns] Q31.32
iso_rotation iso__plane_way_rotation(const iso__plane_way *is, int64_t s);
/// @}

/// No point of a shape is farther from its body's centre of mass, [m] Q31.32.
int64_t iso__plane_way_reach(const iso__plane *plane, uint32_t shape);

#endif
