/// Lists of indices in ascending order. A record has the first one, and each member's record the next; UINT32_MAX ends.
#ifndef ISO_WORLD_INDEX_LIST_H
#define ISO_WORLD_INDEX_LIST_H

#include <stddef.h>
#include <stdint.h>

/// Where the members' records are: that of the member 0 has its next one at `next`, those behind it `stride` bytes
/// later.
typedef struct iso__index_links {
    void *next;
    size_t stride;
} iso__index_links;

static inline uint32_t *iso__index_next(iso__index_links links, uint32_t index) {
    return (uint32_t *)(void *)((char *)links.next + links.stride * index);
}

static inline void iso__index_insert(iso__index_links links, uint32_t *first, uint32_t index) {
    uint32_t *link = first;
    while (*link < index) {
        link = iso__index_next(links, *link);
    }
    *iso__index_next(links, index) = *link;
    *link = index;
}

/// @param index  a member
static inline void iso__index_remove(iso__index_links links, uint32_t *first, uint32_t index) {
    uint32_t *link = first;
    while (*link != index) {
        link = iso__index_next(links, *link);
    }
    *link = *iso__index_next(links, index);
}

#endif
