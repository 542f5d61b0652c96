/// See tree_build.h. The leaves are sorted along Hilbert's curve by the middles of their boxes, and the row of leaves
/// is halved again and again: what is near in the row is near in the plane.
#include "plane/collide/tree_build.h"

#include "base/assert.h"

#define CURVE_BITS 16u // of each coordinate of a cell
#define LEVELS_MAX 32u

/// The place of a cell on the curve. It passes the four quarters of a square from the lower left one to the lower right
/// one, the upper ones between them, in each of the lower ones mirrored so that ends meet.
static uint32_t curve_place(uint32_t x, uint32_t y) {
    uint32_t place = 0;
    for (uint32_t bit = CURVE_BITS; bit-- > 0;) {
        const uint32_t right = x >> bit & 1u, upper = y >> bit & 1u;
        place = place << 2 | ((3u * right) ^ upper);
        const uint32_t is_lower = upper - 1u; // all ones, or none
        const uint32_t flipped = is_lower & (0u - right);
        x ^= flipped;
        y ^= flipped;
        const uint32_t swapped = is_lower & (x ^ y);
        x ^= swapped;
        y ^= swapped;
    }
    return place;
}

/// Twice the middle of a box, counted from a corner.
static uint64_t leaf_middle(int32_t min, int32_t max, int64_t from) {
    return (uint64_t)((int64_t)min + max - from);
}

/// The leaves' numbers, with their places on the curve above them.
static void leaves_place(const iso__plane_tree_leaf *leaves, uint32_t count, uint64_t *order) {
    int64_t min_x = INT64_MAX, min_y = INT64_MAX, max_x = INT64_MIN, max_y = INT64_MIN;
    for (uint32_t i = 0; i < count; ++i) {
        const iso__plane_box *box = &leaves[i].box;
        const int64_t x = (int64_t)box->min_x + box->max_x, y = (int64_t)box->min_y + box->max_y;
        min_x = x < min_x ? x : min_x;
        max_x = x > max_x ? x : max_x;
        min_y = y < min_y ? y : min_y;
        max_y = y > max_y ? y : max_y;
    }
    const uint64_t width = (uint64_t)(max_x - min_x), height = (uint64_t)(max_y - min_y);
    uint32_t shift = 0;
    while ((width | height) >> shift >> CURVE_BITS != 0) {
        ++shift;
    }
    for (uint32_t i = 0; i < count; ++i) {
        const iso__plane_box *box = &leaves[i].box;
        const uint64_t x = leaf_middle(box->min_x, box->max_x, min_x), y = leaf_middle(box->min_y, box->max_y, min_y);
        order[i] = (uint64_t)curve_place((uint32_t)(x >> shift), (uint32_t)(y >> shift)) << 32 | i;
    }
}

/// Sorts by the upper halves, a byte at a time from the lowest on.
static void order_sort(uint64_t *order, uint64_t *room, uint32_t count) {
    uint32_t starts[4][256] = {{0}};
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t pass = 0; pass < 4; ++pass) {
            ++starts[pass][order[i] >> (32 + 8 * pass) & 255u];
        }
    }
    for (uint32_t pass = 0; pass < 4; ++pass) {
        uint32_t sum = 0;
        for (uint32_t value = 0; value < 256; ++value) {
            const uint32_t with = starts[pass][value];
            starts[pass][value] = sum;
            sum += with;
        }
        for (uint32_t i = 0; i < count; ++i) {
            room[starts[pass][order[i] >> (32 + 8 * pass) & 255u]++] = order[i];
        }
        uint64_t *const sorted = room;
        room = order;
        order = sorted;
    }
}

/// Each node comes before those below it, the left half before the right one.
static void tree_halve(iso__plane_tree *tree, iso__plane_tree_leaf *leaves, const uint64_t *order, uint32_t count) {
    struct {
        uint32_t parent, begin, count;
    } parts[LEVELS_MAX] = {{ISO__PLANE_TREE_NULL, 0, count}};
    uint32_t waiting = 1;
    while (waiting > 0) {
        const uint32_t parent = parts[waiting - 1].parent, begin = parts[waiting - 1].begin,
                       size = parts[waiting - 1].count, index = tree->fresh++;
        --waiting;
        if (parent != ISO__PLANE_TREE_NULL) {
            tree->nodes[parent].child[index == parent + 1 ? 0 : 1] = index;
        }
        iso__plane_tree_node *node = &tree->nodes[index];
        *node = (iso__plane_tree_node){.parent = parent, .child = {ISO__PLANE_TREE_NULL, ISO__PLANE_TREE_NULL}};
        if (size == 1) {
            iso__plane_tree_leaf *leaf = &leaves[(uint32_t)order[begin]];
            node->box = leaf->box;
            node->value = leaf->value;
            node->layers = leaf->layers;
            node->masks = leaf->masks;
            leaf->node = index;
            continue;
        }
        // Of each level above at most one waits.
        ISO_ASSERT(waiting + 2 <= LEVELS_MAX);
        parts[waiting].parent = parts[waiting + 1].parent = index;
        parts[waiting].begin = begin + size / 2;
        parts[waiting].count = size - size / 2;
        parts[waiting + 1].begin = begin;
        parts[waiting + 1].count = size / 2;
        waiting += 2;
    }
}

void iso__plane_tree_build(iso__plane_tree *tree, iso__plane_tree_leaf *leaves, uint32_t count, uint64_t *order,
                           uint64_t *room) {
    iso__plane_tree_clear(tree);
    if (count == 0) {
        return;
    }
    ISO_ASSERT(2 * (uint64_t)count - 1 <= tree->capacity);
    leaves_place(leaves, count, order);
    order_sort(order, room, count); // an even number of passes: the result is in `order`
    tree_halve(tree, leaves, order, count);
    tree->root = 0;
    for (uint32_t i = tree->fresh; i-- > 0;) {
        if (!iso__plane_tree_is_leaf(&tree->nodes[i])) {
            iso__plane_tree_node_join(tree, &tree->nodes[i]);
        }
    }
}
