/// A dynamic tree of axis-aligned boxes. A cache: its form depends on history, what a query finds does not.
#ifndef ISO_PLANE_COLLIDE_TREE_H
#define ISO_PLANE_COLLIDE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plane/collide/box.h"

#define ISO__PLANE_TREE_NULL UINT32_MAX

typedef struct iso__plane_tree_node {
    iso__plane_box box;
    uint32_t parent;   // the next free node while the node is free
    uint32_t child[2]; // ISO__PLANE_TREE_NULL in a leaf
    uint32_t value;    // of a leaf: the caller's number
    uint32_t height;   // 0 in a leaf
    uint32_t layers;   // a bit for each layer that some leaf below is on
    uint32_t masks;    // a bit for each layer that some leaf below pairs with
} iso__plane_tree_node;

typedef struct iso__plane_tree {
    iso__plane_tree_node *nodes;
    uint32_t capacity; // of nodes: twice the number of leaves
    uint32_t root;
    uint32_t free;  // the first of those that were given back
    uint32_t fresh; // the first of those that were never taken; all above are free as well
} iso__plane_tree;

static inline bool iso__plane_tree_is_leaf(const iso__plane_tree_node *node) {
    return node->child[0] == ISO__PLANE_TREE_NULL;
}

/// Gives a node what follows from its children. @return whether it is another than before
static inline bool iso__plane_tree_node_join(const iso__plane_tree *tree, iso__plane_tree_node *node) {
    const iso__plane_tree_node *a = &tree->nodes[node->child[0]], *b = &tree->nodes[node->child[1]];
    const iso__plane_box box = iso__plane_box_union(&a->box, &b->box);
    const uint32_t height = 1 + (a->height > b->height ? a->height : b->height);
    const uint32_t layers = a->layers | b->layers, masks = a->masks | b->masks;
    const bool is_same = node->box.min_x == box.min_x && node->box.min_y == box.min_y && node->box.max_x == box.max_x &&
                         node->box.max_y == box.max_y && node->height == height && node->layers == layers &&
                         node->masks == masks;
    node->box = box;
    node->height = height;
    node->layers = layers;
    node->masks = masks;
    return !is_same;
}

void iso__plane_tree_clear(iso__plane_tree *tree);
/// @return the leaf's node; it stays the same until the leaf is removed
uint32_t iso__plane_tree_insert(iso__plane_tree *tree, iso__plane_box box, uint32_t value, uint32_t layers,
                                uint32_t masks);
void iso__plane_tree_remove(iso__plane_tree *tree, uint32_t leaf);

/// An iteration over all leaves that are on one of some layers and whose boxes overlap one box, in no particular order.
/// The tree must not change while it runs.
typedef struct iso__plane_tree_query {
    const iso__plane_tree *tree;
    iso__plane_box box;
    uint32_t layers;
    uint32_t stack[128];
    uint32_t depth;
} iso__plane_tree_query;

void iso__plane_tree_query_init(iso__plane_tree_query *query, const iso__plane_tree *tree, iso__plane_box box,
                                uint32_t layers);
/// @return false at the end; else *value is the next leaf's number
bool iso__plane_tree_query_next(iso__plane_tree_query *query, uint32_t *value);

/// An iteration over all pairs of leaves whose boxes overlap and whose masks name a layer of each other, each once, in
/// no particular order: costs less than a query for each leaf. The tree must not change while it runs.
typedef struct iso__plane_tree_join {
    const iso__plane_tree *tree;
    uint32_t stack[256][2]; // pairs of nodes whose leaves are to be compared; twice the same: the leaves below it
    uint32_t depth;
} iso__plane_tree_join;

void iso__plane_tree_join_init(iso__plane_tree_join *join, const iso__plane_tree *tree);
/// @return false at the end; else *a and *b are the numbers of the next two leaves
bool iso__plane_tree_join_next(iso__plane_tree_join *join, uint32_t *a, uint32_t *b);

#define ISO__PLANE_TREE_PARTS_MAX 384u

/// A part of a join: the leaves below a node with those below another, or among themselves.
typedef struct iso__plane_tree_part {
    uint32_t a, b;
} iso__plane_tree_part;

/// Splits a join into parts that have no pair in common, which threads may share.
/// @param parts  room for ISO__PLANE_TREE_PARTS_MAX  @return how many there are
uint32_t iso__plane_tree_join_split(const iso__plane_tree *tree, iso__plane_tree_part *parts);
void iso__plane_tree_join_init_part(iso__plane_tree_join *join, const iso__plane_tree *tree,
                                    const iso__plane_tree_part *part);

#endif
