/// Pairs of shapes, in the order in which contacts stand.
#ifndef ISO_STEP_PAIR_H
#define ISO_STEP_PAIR_H

#include <stdbool.h>
#include <stdint.h>

/// A pair's key; pairs are sorted by bodies, then shapes. Body a has the lower index.
typedef struct iso__pair {
    uint64_t bodies; // body a << 32 | body b
    uint64_t shapes; // shape a << 32 | shape b
} iso__pair;

static inline bool iso__pair_is_less(const iso__pair *a, const iso__pair *b) {
    return a->bodies != b->bodies ? a->bodies < b->bodies : a->shapes < b->shapes;
}

/// Pairs in key order that contain all candidates to use; the user tests the boxes and counts.
typedef struct iso__pair_list {
    const iso__pair *pairs;
    uint32_t count;
    uint64_t dropped; // candidates that were already cut off
} iso__pair_list;

/// Sorts pairs in place by their keys, which must be unique or interchangeable.
void iso__pairs_sort(iso__pair *pairs, uint32_t count);

#endif
