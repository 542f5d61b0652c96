/// The parts of memory images that only worlds in space have.
#ifndef ISO_SPACE_SNAPSHOT_IMAGE_H
#define ISO_SPACE_SNAPSHOT_IMAGE_H

#include "space/world/space.h"

/// See iso__kernel.
uint32_t iso__space_image_parts(const iso_world *world, const iso__globals *counts, iso__image_part *parts);
void iso__space_image_keep_caches(iso_world *world, const iso__globals *next, iso__image_part *parts,
                                  const uint8_t *const *own, const uint8_t *shape_generations);

#endif
