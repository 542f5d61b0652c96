/// The parts of memory images that only worlds in space have.
#ifndef ISO_SNAPSHOT3_IMAGE3_H
#define ISO_SNAPSHOT3_IMAGE3_H

#include "world3/world3.h"

/// See iso__kernel.
uint32_t iso__image3_parts(const iso_world *world, const iso__globals *counts, iso__image_part *parts);
void iso__image3_keep_caches(iso_world *world, const iso__globals *next, iso__image_part *parts,
                             const uint8_t *const *own, const uint8_t *shape_generations);

#endif
