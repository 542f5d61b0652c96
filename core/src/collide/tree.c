/// A leaf is inserted beside the node where it lengthens the perimeters on its way least; on the way back up
/// every node is balanced like an AVL tree, so that no query needs more stack than twice the height.
#include "collide/tree.h"

#include "base/assert.h"

static iso__box tree_union(const iso__box *a, const iso__box *b) {
    return (iso__box){
        .min_x = a->min_x < b->min_x ? a->min_x : b->min_x,
        .min_y = a->min_y < b->min_y ? a->min_y : b->min_y,
        .max_x = a->max_x > b->max_x ? a->max_x : b->max_x,
        .max_y = a->max_y > b->max_y ? a->max_y : b->max_y,
    };
}

/// Half the perimeter.
static int64_t tree_cost(const iso__box *box) {
    return (int64_t)box->max_x - box->min_x + (int64_t)box->max_y - box->min_y;
}

static int64_t tree_union_cost(const iso__box *a, const iso__box *b) {
    const iso__box box = tree_union(a, b);
    return tree_cost(&box);
}

void iso__tree_clear(iso__tree *tree) {
    tree->root = ISO__TREE_NULL;
    tree->free = tree->capacity > 0 ? 0 : ISO__TREE_NULL;
    for (uint32_t i = 0; i < tree->capacity; ++i) {
        tree->nodes[i].parent = i + 1 < tree->capacity ? i + 1 : ISO__TREE_NULL;
    }
}

static uint32_t tree_take(iso__tree *tree) {
    const uint32_t index = tree->free;
    ISO_ASSERT(index != ISO__TREE_NULL);
    tree->free = tree->nodes[index].parent;
    return index;
}

static void tree_give(iso__tree *tree, uint32_t index) {
    tree->nodes[index].parent = tree->free;
    tree->free = index;
}

static bool tree_is_leaf(const iso__tree_node *node) {
    return node->child[0] == ISO__TREE_NULL;
}

/// @return whether the node is another than before
static bool tree_refit(iso__tree *tree, uint32_t index) {
    iso__tree_node *node = &tree->nodes[index];
    const iso__tree_node *a = &tree->nodes[node->child[0]];
    const iso__tree_node *b = &tree->nodes[node->child[1]];
    const iso__box box = tree_union(&a->box, &b->box);
    const uint32_t height = 1 + (a->height > b->height ? a->height : b->height), layers = a->layers | b->layers;
    const bool is_same = node->box.min_x == box.min_x && node->box.min_y == box.min_y && node->box.max_x == box.max_x &&
                         node->box.max_y == box.max_y && node->height == height && node->layers == layers;
    node->box = box;
    node->height = height;
    node->layers = layers;
    return !is_same;
}

static void tree_replace_child(iso__tree *tree, uint32_t parent, uint32_t from, uint32_t to) {
    tree->nodes[to].parent = parent;
    if (parent == ISO__TREE_NULL) {
        tree->root = to;
    } else {
        tree->nodes[parent].child[tree->nodes[parent].child[0] == from ? 0 : 1] = to;
    }
}

/// When one child is more than one level higher than the other, it takes the node's place; of its own children
/// the lower one moves under the node. @return the node that now stands where `index` stood
static uint32_t tree_balance(iso__tree *tree, uint32_t index) {
    iso__tree_node *node = &tree->nodes[index];
    const uint32_t height0 = tree->nodes[node->child[0]].height;
    const uint32_t height1 = tree->nodes[node->child[1]].height;
    if (height0 <= height1 + 1 && height1 <= height0 + 1) {
        return index;
    }
    const int high_side = height0 > height1 ? 0 : 1;
    const uint32_t high = node->child[high_side];
    iso__tree_node *up = &tree->nodes[high];
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
static void tree_refit_upwards(iso__tree *tree, uint32_t index) {
    while (index != ISO__TREE_NULL) {
        const uint32_t top = tree_balance(tree, index);
        if (!tree_refit(tree, top) && top == index) {
            return;
        }
        index = tree->nodes[top].parent;
    }
}

/// Walks down to the node beside which the box costs least: the new parent's perimeter plus what the nodes above
/// grow by.
static uint32_t tree_find_sibling(const iso__tree *tree, const iso__box *box) {
    uint32_t index = tree->root;
    int64_t inherited = 0;
    while (!tree_is_leaf(&tree->nodes[index])) {
        const iso__tree_node *node = &tree->nodes[index];
        const int64_t joined = tree_union_cost(&node->box, box);
        const int64_t here = joined + inherited;
        inherited += joined - tree_cost(&node->box);
        int64_t below[2];
        for (int side = 0; side < 2; ++side) {
            const iso__tree_node *child = &tree->nodes[node->child[side]];
            const int64_t child_joined = tree_union_cost(&child->box, box);
            below[side] = inherited + (tree_is_leaf(child) ? child_joined : child_joined - tree_cost(&child->box));
        }
        if (here < below[0] && here < below[1]) {
            break;
        }
        index = node->child[below[1] < below[0] ? 1 : 0];
    }
    return index;
}

void iso__tree_move(iso__tree *tree, uint32_t leaf, iso__box box) {
    ISO_ASSERT(tree_is_leaf(&tree->nodes[leaf]));
    tree->nodes[leaf].box = box;
    // What is above a node that is marked is marked, too.
    for (uint32_t i = tree->nodes[leaf].parent; i != ISO__TREE_NULL && tree->nodes[i].value == 0;
         i = tree->nodes[i].parent) {
        tree->nodes[i].value = 1;
    }
}

/// A child whose box is to be computed before the node's, or ISO__TREE_NULL.
static uint32_t tree_find_stale(const iso__tree *tree, const iso__tree_node *node) {
    for (int side = 0; side < 2; ++side) {
        const iso__tree_node *child = &tree->nodes[node->child[side]];
        if (!tree_is_leaf(child) && child->value != 0) {
            return node->child[side];
        }
    }
    return ISO__TREE_NULL;
}

static bool tree_is_unsettled(const iso__tree *tree) {
    return tree->root != ISO__TREE_NULL && !tree_is_leaf(&tree->nodes[tree->root]) &&
           tree->nodes[tree->root].value != 0;
}

void iso__tree_settle(iso__tree *tree) {
    uint32_t index = tree_is_unsettled(tree) ? tree->root : ISO__TREE_NULL;
    while (index != ISO__TREE_NULL) {
        const uint32_t stale = tree_find_stale(tree, &tree->nodes[index]);
        if (stale != ISO__TREE_NULL) {
            index = stale;
            continue;
        }
        tree_refit(tree, index);
        tree->nodes[index].value = 0;
        index = tree->nodes[index].parent;
    }
}

uint32_t iso__tree_insert(iso__tree *tree, iso__box box, uint32_t value, uint32_t layers) {
    iso__tree_settle(tree);
    const uint32_t leaf = tree_take(tree);
    tree->nodes[leaf] = (iso__tree_node){.box = box,
                                         .parent = ISO__TREE_NULL,
                                         .child = {ISO__TREE_NULL, ISO__TREE_NULL},
                                         .value = value,
                                         .height = 0,
                                         .layers = layers};
    if (tree->root == ISO__TREE_NULL) {
        tree->root = leaf;
        return leaf;
    }
    const uint32_t sibling = tree_find_sibling(tree, &box);
    const uint32_t joint = tree_take(tree);
    const uint32_t above = tree->nodes[sibling].parent;
    tree->nodes[joint] = (iso__tree_node){.child = {sibling, leaf}};
    tree_replace_child(tree, above, sibling, joint);
    tree->nodes[sibling].parent = joint;
    tree->nodes[leaf].parent = joint;
    tree_refit(tree, joint);
    tree_refit_upwards(tree, above);
    return leaf;
}

void iso__tree_remove(iso__tree *tree, uint32_t leaf) {
    iso__tree_settle(tree);
    const uint32_t parent = tree->nodes[leaf].parent;
    tree_give(tree, leaf);
    if (parent == ISO__TREE_NULL) {
        tree->root = ISO__TREE_NULL;
        return;
    }
    const iso__tree_node *node = &tree->nodes[parent];
    const uint32_t sibling = node->child[node->child[0] == leaf ? 1 : 0];
    const uint32_t above = node->parent;
    tree_replace_child(tree, above, parent, sibling);
    tree_give(tree, parent);
    tree_refit_upwards(tree, above);
}

void iso__tree_query_init(iso__tree_query *query, const iso__tree *tree, iso__box box, uint32_t layers) {
    ISO_ASSERT(!tree_is_unsettled(tree));
    query->tree = tree;
    query->box = box;
    query->layers = layers;
    query->depth = 0;
    if (tree->root != ISO__TREE_NULL) {
        query->stack[query->depth++] = tree->root;
    }
}

bool iso__tree_query_next(iso__tree_query *query, uint32_t *value) {
    while (query->depth > 0) {
        const iso__tree_node *node = &query->tree->nodes[query->stack[--query->depth]];
        if ((node->layers & query->layers) == 0 || !iso__box_overlaps(&node->box, &query->box)) {
            continue;
        }
        if (tree_is_leaf(node)) {
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

static void tree_join_push(iso__tree_join *join, uint32_t a, uint32_t b) {
    const iso__tree_node *nodes = join->tree->nodes;
    if (a == b ? tree_is_leaf(&nodes[a]) : !iso__box_overlaps(&nodes[a].box, &nodes[b].box)) {
        return;
    }
    // A pair leaves three in its place, or two; there is one of the first kind for each level of the tree, and of the
    // second one for each level of either node: less than 31 levels each, as above.
    ISO_ASSERT(join->depth < sizeof(join->stack) / sizeof(join->stack[0]));
    join->stack[join->depth][0] = a;
    join->stack[join->depth][1] = b;
    ++join->depth;
}

void iso__tree_join_init(iso__tree_join *join, const iso__tree *tree) {
    ISO_ASSERT(!tree_is_unsettled(tree));
    join->tree = tree;
    join->depth = 0;
    if (tree->root != ISO__TREE_NULL) {
        tree_join_push(join, tree->root, tree->root);
    }
}

bool iso__tree_join_next(iso__tree_join *join, uint32_t *a, uint32_t *b) {
    const iso__tree_node *nodes = join->tree->nodes;
    while (join->depth > 0) {
        --join->depth;
        const uint32_t first = join->stack[join->depth][0], second = join->stack[join->depth][1];
        const iso__tree_node *x = &nodes[first], *y = &nodes[second];
        if (first == second) {
            tree_join_push(join, x->child[0], x->child[1]);
            tree_join_push(join, x->child[0], x->child[0]);
            tree_join_push(join, x->child[1], x->child[1]);
        } else if (x->height > y->height) {
            tree_join_push(join, x->child[0], second);
            tree_join_push(join, x->child[1], second);
        } else if (!tree_is_leaf(y)) {
            tree_join_push(join, first, y->child[0]);
            tree_join_push(join, first, y->child[1]);
        } else {
            *a = x->value;
            *b = y->value;
            return true;
        }
    }
    return false;
}
