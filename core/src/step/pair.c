/// See pair.h.
#include "step/pair.h"

#include "base/assert.h"

#define PAIR_SHORT      12u // parts that are sorted by insertion
#define PAIR_SPLITS_MAX 48u // that lead to a part: good pivots need 22 for 2^25 pairs

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

/// In place, and never worse than n log n.
static void pairs_sort_heap(iso__pair *pairs, uint32_t count) {
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

static void pairs_sort_short(iso__pair *pairs, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        const iso__pair moved = pairs[i];
        uint32_t to = i;
        for (; to > 0 && iso__pair_is_less(&moved, &pairs[to - 1]); --to) {
            pairs[to] = pairs[to - 1];
        }
        pairs[to] = moved;
    }
}

static void pair_order(iso__pair *a, iso__pair *b) {
    if (iso__pair_is_less(b, a)) {
        const iso__pair moved = *a;
        *a = *b;
        *b = moved;
    }
}

/// Splits pairs at the median of three of them. @return the first of the upper part; both parts have pairs, and none of
/// the lower is above one of the upper
static uint32_t pairs_split(iso__pair *pairs, uint32_t count) {
    iso__pair *middle = &pairs[count / 2], *last = &pairs[count - 1];
    pair_order(&pairs[0], middle);
    pair_order(middle, last);
    pair_order(&pairs[0], middle);
    const iso__pair pivot = *middle;
    // The first and the last stop the walks, so that neither needs to count.
    uint32_t low = 0, high = count - 1;
    for (;;) {
        do {
            ++low;
        } while (iso__pair_is_less(&pairs[low], &pivot));
        do {
            --high;
        } while (iso__pair_is_less(&pivot, &pairs[high]));
        if (low >= high) {
            return low;
        }
        const iso__pair moved = pairs[low];
        pairs[low] = pairs[high];
        pairs[high] = moved;
    }
}

/// Quicksort, with less than half of the instructions of heap sort, which takes the parts that bad pivots leave. Keys
/// are unique or interchangeable, so stability does not matter.
void iso__pairs_sort(iso__pair *pairs, uint32_t count) {
    ISO_ASSERT(count <= UINT32_MAX / 2);
    if (count <= PAIR_SHORT) {
        pairs_sort_short(pairs, count);
        return;
    }
    // Parts wait on a stack, each with the splits that led to it. A split leaves its upper part there, so no two have
    // the same number of splits but the last.
    struct {
        uint32_t begin, count, splits;
    } parts[PAIR_SPLITS_MAX + 1] = {{0, count, 0}};
    uint32_t waiting = 1;
    while (waiting > 0) {
        iso__pair *part = &pairs[parts[waiting - 1].begin];
        const uint32_t size = parts[waiting - 1].count;
        if (size <= PAIR_SHORT) {
            pairs_sort_short(part, size);
            --waiting;
        } else if (parts[waiting - 1].splits == PAIR_SPLITS_MAX) {
            pairs_sort_heap(part, size);
            --waiting;
        } else {
            const uint32_t lower = pairs_split(part, size);
            ++parts[waiting - 1].splits;
            parts[waiting] = parts[waiting - 1];
            parts[waiting].count = lower;
            parts[waiting - 1].begin += lower;
            parts[waiting - 1].count -= lower;
            ++waiting;
        }
    }
}
