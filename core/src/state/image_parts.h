/// Parts of an image that the worlds of every kind have, beside what the border copies itself.
#ifndef ISO_STATE_IMAGE_PARTS_H
#define ISO_STATE_IMAGE_PARTS_H

#include "world/kernel.h"
#include "world/world.h"

#define ISO__IMAGE_SHARED_PARTS 3u

/// The hashes of the shapes' shards and their marks: shapes rarely change and are the dearest to hash again. And of the
/// state, whether the next step has to look for sleeping bodies to wake.
/// @param parts  room for them, the last ones of a kernel's own
void iso__image_parts_shared(const iso_world *world, const iso__globals *counts,
                             iso__image_part parts[ISO__IMAGE_SHARED_PARTS]);

#endif
