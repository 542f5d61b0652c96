/// The ways that bodies go in a step, from their places when it began to those now.
#ifndef ISO_DYNAMICS_WAY_H
#define ISO_DYNAMICS_WAY_H

#include "solver/scratch.h"

/// A way goes straight and turns evenly. The fraction s of it runs from 0 to 1, [Q.32].
typedef struct iso__way {
    int64_t begin[2];    // [m] Q31.32
    int64_t begin_angle; // [turns] Q31.32
    int64_t moved[2];    // [m]
    int64_t angle;       // [turns]
    int64_t turn;        // |angle| [rad] Q31.32, rounded up
    int64_t limit;       // fraction Q.32
} iso__way;

/// The way of a body in this step: while the scratch memory has it, after the poses were stored.
iso__way iso__way_of(const iso_world *world, uint32_t body);

/// @name Where the body is at s, or at the way's limit if that comes first
/// @{
void iso__way_place(const iso__way *is, int64_t s, int64_t place[2]); // [m] Q31.32
int64_t iso__way_angle(const iso__way *is, int64_t s);                // [turns] Q31.32
iso_rotation iso__way_rotation(const iso__way *is, int64_t s);
/// @}

/// No point of a shape is farther from its body's centre of mass, [m] Q31.32.
int64_t iso__way_reach(const iso_world *world, uint32_t shape);

#endif
