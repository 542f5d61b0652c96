/// See pair.h.
#include "collide/pair.h"

static void pair_sift_down(iso__pair *pairs, uint32_t root, uint32_t count) {
    const iso__pair moved = pairs[root];
    for (uint32_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && iso__pair_is_less(&pairs[child], &pairs[child + 1])) {
            ++child;
        }
        if (!iso__pair_is_less(&moved, &pairs[child])) {
            break;
        }
        pairs[root] = pairs[child];
        root = child;
    }
    pairs[root] = moved;
}

/// Heap sort: in place, no worst case. Keys are unique, so stability does not matter.
void iso__pairs_sort(iso__pair *pairs, uint32_t count) {
    for (uint32_t i = count / 2; i > 0; --i) {
        pair_sift_down(pairs, i - 1, count);
    }
    for (uint32_t end = count; end > 1; --end) {
        const iso__pair last = pairs[end - 1];
        pairs[end - 1] = pairs[0];
        pairs[0] = last;
        pair_sift_down(pairs, 0, end - 1);
    }
}
