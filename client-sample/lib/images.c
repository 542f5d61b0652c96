#include "images.h"

#include "isostep/assert.h"

bool iso__client_images_init(iso__client_images *images, const iso_allocator *allocator, const iso_world *world,
                             uint64_t memory, uint32_t at_least) {
    ISO_ASSERT(images->bytes == 0 && images->count == 0);
    const size_t largest = iso_world_image_size_max(world);
    // In 64 bits: on a machine of 32 the product may be more than there can be.
    const uint64_t useful = (uint64_t)largest * ISO__CLIENT_IMAGES_MAX, least = (uint64_t)largest * at_least;
    const uint64_t wanted = memory < useful ? memory : useful;
    const size_t capacity = (size_t)(wanted < least ? least : wanted);
    if (capacity != (wanted < least ? least : wanted)) {
        return false;
    }
    if (capacity == 0) {
        return true;
    }
    images->bytes = allocator->allocate(allocator->user, capacity, 64);
    images->capacity = images->bytes != 0 ? capacity : 0;
    return images->bytes != 0;
}

void iso__client_images_term(iso__client_images *images, const iso_allocator *allocator) {
    ISO_ASSERT((images->bytes == 0) == (images->capacity == 0));
    if (images->bytes != 0) {
        allocator->release(allocator->user, images->bytes, images->capacity);
    }
    *images = (iso__client_images){0};
}

static const iso__client_image *image_at(const iso__client_images *images, uint32_t index) {
    return &images->ring[(images->first + index) % ISO__CLIENT_IMAGES_MAX];
}

/// Whether the oldest image lies where the new one shall.
static bool oldest_is_in_the_way(const iso__client_images *images, size_t offset, size_t size) {
    const iso__client_image *oldest = image_at(images, 0);
    return oldest->offset < offset + size && offset < oldest->offset + oldest->size;
}

/// Where an image of this size goes: behind the newest, or at the block's begin when it does not fit there.
static size_t image_place(iso__client_images *images, size_t size) {
    const iso__client_image *newest = images->count > 0 ? image_at(images, images->count - 1u) : 0;
    const size_t behind = newest != 0 ? newest->offset + newest->size : 0;
    const bool wraps = images->capacity - behind < size;
    // Images lie in the order of their age. Those behind the newest are the oldest; they go before a wrap, or the ones
    // at the begin would not be next in line.
    while (wraps && images->count > 0 && image_at(images, 0)->offset >= behind) {
        images->first = (images->first + 1u) % ISO__CLIENT_IMAGES_MAX;
        images->count -= 1;
    }
    return wraps ? 0 : behind;
}

void iso__client_images_save(iso__client_images *images, const iso_world *world, uint64_t tick, uint64_t root) {
    ISO_ASSERT(images->first < ISO__CLIENT_IMAGES_MAX && images->count <= ISO__CLIENT_IMAGES_MAX);
    const size_t size = iso_world_image_size(world);
    if (size > images->capacity) {
        images->count = 0; // what is older is of no use without a gap
        return;
    }
    ISO_ASSERT(images->count == 0 || image_at(images, images->count - 1u)->tick < tick);
    const size_t offset = image_place(images, size);
    while (images->count > 0 &&
           (images->count == ISO__CLIENT_IMAGES_MAX || oldest_is_in_the_way(images, offset, size))) {
        images->first = (images->first + 1u) % ISO__CLIENT_IMAGES_MAX;
        images->count -= 1;
    }
    iso__client_image *image = &images->ring[(images->first + images->count) % ISO__CLIENT_IMAGES_MAX];
    images->count += 1;
    ISO_ASSERT(size <= images->capacity - offset);
    *image = (iso__client_image){.tick = tick, .root = root, .offset = offset, .size = size};
    (void)iso_world_save(world, images->bytes + offset, size);
}

bool iso__client_images_restore(const iso__client_images *images, iso_world *world, uint64_t tick, uint64_t root) {
    ISO_ASSERT(images->first < ISO__CLIENT_IMAGES_MAX && images->count <= ISO__CLIENT_IMAGES_MAX);
    for (uint32_t i = images->count; i > 0; --i) {
        const iso__client_image *image = image_at(images, i - 1u);
        if (image->tick == tick && image->root == root) {
            return iso_world_restore(world, images->bytes + image->offset, image->size) == ISO_OK;
        }
    }
    return false;
}

void iso__client_images_drop_after(iso__client_images *images, uint64_t tick) {
    ISO_ASSERT(images->first < ISO__CLIENT_IMAGES_MAX && images->count <= ISO__CLIENT_IMAGES_MAX);
    while (images->count > 0 && image_at(images, images->count - 1u)->tick > tick) {
        images->count -= 1;
    }
}

void iso__client_images_drop_all(iso__client_images *images) {
    ISO_ASSERT(images->first < ISO__CLIENT_IMAGES_MAX && images->count <= ISO__CLIENT_IMAGES_MAX);
    images->count = 0;
}
