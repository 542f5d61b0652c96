/// Images of the confirmed world's last states, the newest of every tick: the prediction starts over from the newest,
/// and a server that has lost its last ticks rewinds the client to an older one.
///
/// The block of memory is a ring. An image takes only the bytes that are in use in the world, so images of a small
/// world reach further back than those of a large one.
#ifndef ISO_CLIENT_IMAGES_H
#define ISO_CLIENT_IMAGES_H

#include "isostep/allocator.h"
#include "isostep/snapshot.h"

#define ISO__CLIENT_IMAGES_MAX 64

typedef struct iso__client_image {
    uint64_t tick, root;
    size_t offset, size; // in the block
} iso__client_image;

typedef struct iso__client_images {
    uint8_t *bytes;
    size_t capacity;
    iso__client_image ring[ISO__CLIENT_IMAGES_MAX]; // the oldest first, ticks rise
    uint32_t first, count;
} iso__client_images;

/// @param memory    [bytes] for all images; 0: none is ever kept
/// @param at_least  how many images of the largest size must fit in any case
/// @return whether there was memory.
bool iso__client_images_init(iso__client_images *images, const iso_allocator *allocator, const iso_world *world,
                             uint64_t memory, uint32_t at_least);
void iso__client_images_term(iso__client_images *images, const iso_allocator *allocator);

/// Stores the state of `world`, after `tick`, replacing the oldest ones.
void iso__client_images_save(iso__client_images *images, const iso_world *world, uint64_t tick, uint64_t root);

/// Restores `world` to a tick. @return false when there is no image of it with that root.
bool iso__client_images_restore(const iso__client_images *images, iso_world *world, uint64_t tick, uint64_t root);

/// Discards those after a tick.
void iso__client_images_drop_after(iso__client_images *images, uint64_t tick);
void iso__client_images_drop_all(iso__client_images *images);

#endif
