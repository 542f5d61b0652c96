/// A leaf is inserted beside the node where it lengthens the perimeters on its way least; on the way back up
/// every node is balanced like an AVL tree, so that no query needs more stack than twice the height.
#include "plane/collide/tree.h"

#include <string.h>

#include "base/assert.h"

/// Half the perimeter.
static int64_t tree_cost(const iso__plane_box *box) {
    return (int64_t)box->max_x - box->min_x + (int64_t)box->max_y - box->min_y;
}

static int64_t tree_union_cost(const iso__plane_box *a, const iso__plane_box *b) {
    const iso__plane_box box = iso__plane_box_union(a, b);
    return tree_cost(&box);
}

void iso__plane_tree_clear(iso__plane_tree *tree) {
    tree->root = tree->free = ISO__PLANE_TREE_NULL;
    tree->fresh = 0;
}

static uint32_t tree_take(iso__plane_tree *tree) {
    const uint32_t index = tree->free;
    if (index == ISO__PLANE_TREE_NULL) {
        ISO_ASSERT(tree->fresh < tree->capacity);
        return tree->fresh++;
    }
    tree->free = tree->nodes[index].parent;
    return index;
}

static void tree_give(iso__plane_tree *tree, uint32_t index) {
    tree->nodes[index].parent = tree->free;
    tree->free = index;
}

/// @return whether the node is another than before
static bool tree_refit(iso__plane_tree *tree, uint32_t index) {
    return iso__plane_tree_node_join(tree, &tree->nodes[index]);
}

static void tree_replace_child(iso__plane_tree *tree, uint32_t parent, uint32_t from, uint32_t to) {
    tree->nodes[to].parent = parent;
    if (parent == ISO__PLANE_TREE_NULL) {
        tree->root = to;
    } else {
        tree->nodes[parent].child[tree->nodes[parent].child[0] == from ? 0 : 1] = to;
    }
}

/// When one child is more than one level higher than the other, it takes the node's place; of its own children
/// the lower one moves under the node. @return the node that now stands where `index` stood
static uint32_t tree_balance(iso__plane_tree *tree, uint32_t index) {
    iso__plane_tree_node *node = &tree->nodes[index];
    const uint32_t height0 = tree->nodes[node->child[0]].height;
    const uint32_t height1 = tree->nodes[node->child[1]].height;
    if (height0 <= height1 + 1 && height1 <= height0 + 1) {
        return index;
    }
    const int high_side = height0 > height1 ? 0 : 1;
    const uint32_t high = node->child[high_side];
    iso__plane_tree_node *up = &tree->nodes[high];
    const int low_side = tree->nodes[up->child[0]].height > tree->nodes[up->child[1]].height ? 1 : 0;
    const uint32_t low = up->child[low_side];
    tree_replace_child(tree, node->parent, index, high);
    node->child[high_side] = low;
    tree->nodes[low].parent = index;
    up->child[low_side] = index;
    node->parent = high;
    tree_refit(tree, index);
    tree_refit(tree, high);
    return high;
}

/// From a node whose children changed. Above one that stays as it is, everything stays.
static void tree_refit_upwards(iso__plane_tree *tree, uint32_t index) {
    while (index != ISO__PLANE_TREE_NULL) {
        const uint32_t top = tree_balance(tree, index);
        if (!tree_refit(tree, top) && top == index) {
            return;
        }
        index = tree->nodes[top].parent;
    }
}

/// Walks down to the node beside which the box costs least: the new parent's perimeter plus what the nodes above
/// grow by.
static uint32_t tree_find_sibling(const iso__plane_tree *tree, const iso__plane_box *box) {
    uint32_t index = tree->root;
    int64_t inherited = 0;
    while (!iso__plane_tree_is_leaf(&tree->nodes[index])) {
        const iso__plane_tree_node *node = &tree->nodes[index];
        const int64_t joined = tree_union_cost(&node->box, box);
        const int64_t here = joined + inherited;
        inherited += joined - tree_cost(&node->box);
        int64_t below[2];
        for (int side = 0; side < 2; ++side) {
            const iso__plane_tree_node *child = &tree->nodes[node->child[side]];
            const int64_t child_joined = tree_union_cost(&child->box, box);
            below[side] =
                inherited + (iso__plane_tree_is_leaf(child) ? child_joined : child_joined - tree_cost(&child->box));
        }
        if (here < below[0] && here < below[1]) {
            break;
        }
        index = node->child[below[1] < below[0] ? 1 : 0];
    }
    return index;
}

uint32_t iso__plane_tree_insert(iso__plane_tree *tree, iso__plane_box box, uint32_t value, uint32_t layers,
                                uint32_t masks) {
    const uint32_t leaf = tree_take(tree);
    tree->nodes[leaf] = (iso__plane_tree_node){.box = box,
                                               .parent = ISO__PLANE_TREE_NULL,
                                               .child = {ISO__PLANE_TREE_NULL, ISO__PLANE_TREE_NULL},
                                               .value = value,
                                               .height = 0,
                                               .layers = layers,
                                               .masks = masks};
    if (tree->root == ISO__PLANE_TREE_NULL) {
        tree->root = leaf;
        return leaf;
    }
    const uint32_t sibling = tree_find_sibling(tree, &box);
    const uint32_t joint = tree_take(tree);
    const uint32_t above = tree->nodes[sibling].parent;
    tree->nodes[joint] = (iso__plane_tree_node){.child = {sibling, leaf}};
    tree_replace_child(tree, above, sibling, joint);
    tree->nodes[sibling].parent = joint;
    tree->nodes[leaf].parent = joint;
    tree_refit(tree, joint);
    tree_refit_upwards(tree, above);
    return leaf;
}

void iso__plane_tree_remove(iso__plane_tree *tree, uint32_t leaf) {
    const uint32_t parent = tree->nodes[leaf].parent;
    tree_give(tree, leaf);
    if (parent == ISO__PLANE_TREE_NULL) {
        tree->root = ISO__PLANE_TREE_NULL;
        return;
    }
    const iso__plane_tree_node *node = &tree->nodes[parent];
    const uint32_t sibling = node->child[node->child[0] == leaf ? 1 : 0];
    const uint32_t above = node->parent;
    tree_replace_child(tree, above, parent, sibling);
    tree_give(tree, parent);
    tree_refit_upwards(tree, above);
}

void iso__plane_tree_query_init(iso__plane_tree_query *query, const iso__plane_tree *tree, iso__plane_box box,
                                uint32_t layers) {
    query->tree = tree;
    query->box = box;
    query->layers = layers;
    query->depth = 0;
    if (tree->root != ISO__PLANE_TREE_NULL) {
        query->stack[query->depth++] = tree->root;
    }
}

bool iso__plane_tree_query_next(iso__plane_tree_query *query, uint32_t *value) {
    while (query->depth > 0) {
        const iso__plane_tree_node *node = &query->tree->nodes[query->stack[--query->depth]];
        if ((node->layers & query->layers) == 0 || !iso__plane_box_overlaps(&node->box, &query->box)) {
            continue;
        }
        if (iso__plane_tree_is_leaf(node)) {
            *value = node->value;
            return true;
        }
        // An AVL tree of 2^21 nodes is less than 31 levels high; the stack holds one node a level.
        ISO_ASSERT(query->depth + 2 <= sizeof(query->stack) / sizeof(query->stack[0]));
        query->stack[query->depth++] = node->child[1];
        query->stack[query->depth++] = node->child[0];
    }
    return false;
}

static bool tree_may_pair(const iso__plane_tree_node *a, const iso__plane_tree_node *b) {
    return (a->layers & b->masks) != 0 && (b->layers & a->masks) != 0;
}

static inline void tree_join_push(iso__plane_tree_join *join, uint32_t a, uint32_t b) {
    const iso__plane_tree_node *nodes = join->tree->nodes, *x = &nodes[a], *y = &nodes[b];
    if ((a == b ? iso__plane_tree_is_leaf(x) : !iso__plane_box_overlaps(&x->box, &y->box)) || !tree_may_pair(x, y)) {
        return;
    }
    // A pair leaves three in its place, or two; there is one of the first kind for each level of the tree, and of the
    // second one for each level of either node: less than 31 levels each.
    ISO_ASSERT(join->depth < sizeof(join->stack) / sizeof(join->stack[0]));
    join->stack[join->depth][0] = a;
    join->stack[join->depth][1] = b;
    ++join->depth;
}

/// Puts the pairs of the children in the place of a pair that was taken off. @return false: it is a pair of leaves
static bool tree_join_open(iso__plane_tree_join *join, uint32_t first, uint32_t second) {
    const iso__plane_tree_node *x = &join->tree->nodes[first], *y = &join->tree->nodes[second];
    if (first == second) {
        tree_join_push(join, x->child[0], x->child[1]);
        tree_join_push(join, x->child[0], x->child[0]);
        tree_join_push(join, x->child[1], x->child[1]);
    } else if (x->height > y->height) {
        tree_join_push(join, x->child[0], second);
        tree_join_push(join, x->child[1], second);
    } else if (!iso__plane_tree_is_leaf(y)) {
        tree_join_push(join, first, y->child[0]);
        tree_join_push(join, first, y->child[1]);
    } else {
        return false;
    }
    return true;
}

void iso__plane_tree_join_init(iso__plane_tree_join *join, const iso__plane_tree *tree) {
    join->tree = tree;
    join->depth = 0;
    if (tree->root != ISO__PLANE_TREE_NULL) {
        tree_join_push(join, tree->root, tree->root);
    }
}

void iso__plane_tree_join_init_part(iso__plane_tree_join *join, const iso__plane_tree *tree,
                                    const iso__plane_tree_part *part) {
    join->tree = tree;
    join->depth = 1;
    join->stack[0][0] = part->a;
    join->stack[0][1] = part->b;
}

uint32_t iso__plane_tree_join_split(const iso__plane_tree *tree, iso__plane_tree_part *parts) {
    iso__plane_tree_join open;
    iso__plane_tree_join_init(&open, tree);
    uint32_t count = 0;
    for (uint32_t i = 0; i < open.depth; ++i) {
        parts[count++] = (iso__plane_tree_part){open.stack[i][0], open.stack[i][1]};
    }
    // In rounds, each of which opens all that are not pairs of leaves: a level of the tree.
    for (uint32_t before = 0; before != count && 3 * count <= ISO__PLANE_TREE_PARTS_MAX;) {
        iso__plane_tree_part last[ISO__PLANE_TREE_PARTS_MAX / 3];
        before = count;
        memcpy(last, parts, count * sizeof *last);
        count = 0;
        for (uint32_t i = 0; i < before; ++i) {
            open.depth = 0;
            if (!tree_join_open(&open, last[i].a, last[i].b)) {
                parts[count++] = last[i];
            }
            for (uint32_t n = 0; n < open.depth; ++n) {
                parts[count++] = (iso__plane_tree_part){open.stack[n][0], open.stack[n][1]};
            }
        }
    }
    return count;
}

bool iso__plane_tree_join_next(iso__plane_tree_join *join, uint32_t *a, uint32_t *b) {
    while (join->depth > 0) {
        --join->depth;
        const uint32_t first = join->stack[join->depth][0], second = join->stack[join->depth][1];
        if (!tree_join_open(join, first, second)) {
            *a = join->tree->nodes[first].value;
            *b = join->tree->nodes[second].value;
            return true;
        }
    }
    return false;
}
