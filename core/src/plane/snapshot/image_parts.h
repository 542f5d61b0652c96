/// The parts of memory images that only worlds in the plane have.
#ifndef ISO_PLANE_SNAPSHOT_IMAGE_PARTS_H
#define ISO_PLANE_SNAPSHOT_IMAGE_PARTS_H

#include "plane/world/plane.h"
#include "world/kernel.h"

/// See iso__kernel.
uint32_t iso__plane_image_parts(const iso_world *world, const iso__globals *counts, iso__image_part *parts);
void iso__plane_image_keep_caches(iso_world *world, const iso__globals *next, iso__image_part *parts,
                                  const uint8_t *const *own, const uint8_t *shape_generations);

#endif
