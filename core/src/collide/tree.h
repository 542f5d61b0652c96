/// A dynamic tree of axis-aligned boxes. A cache: its form depends on history, what a query finds does not.
#ifndef ISO_COLLIDE_TREE_H
#define ISO_COLLIDE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collide/box.h"

#define ISO__TREE_NULL UINT32_MAX

typedef struct iso__tree_node {
    iso__box box;
    uint32_t parent;   // the next free node while the node is free
    uint32_t child[2]; // ISO__TREE_NULL in a leaf
    uint32_t value;    // of a leaf: the caller's number; of another node: 1 while its box is to be computed again
    uint32_t height;   // 0 in a leaf
    uint32_t layers;   // a bit for each layer that some leaf below is on
} iso__tree_node;

typedef struct iso__tree {
    iso__tree_node *nodes;
    uint32_t capacity; // of nodes: twice the number of leaves
    uint32_t root;
    uint32_t free;
} iso__tree;

void iso__tree_clear(iso__tree *tree);
/// @return the leaf's node; it stays the same until the leaf is removed
uint32_t iso__tree_insert(iso__tree *tree, iso__box box, uint32_t value, uint32_t layers);
void iso__tree_remove(iso__tree *tree, uint32_t leaf);

/// Gives a leaf another box where it stands: of many that have moved a little each costs less so than by removing and
/// inserting it, but the tree gets no better. Before the next query iso__tree_settle computes the boxes above them.
void iso__tree_move(iso__tree *tree, uint32_t leaf, iso__box box);
void iso__tree_settle(iso__tree *tree);

/// An iteration over all leaves that are on one of some layers and whose boxes overlap one box, in no particular order. The tree must not change
/// while it runs.
typedef struct iso__tree_query {
    const iso__tree *tree;
    iso__box box;
    uint32_t layers;
    uint32_t stack[128];
    uint32_t depth;
} iso__tree_query;

void iso__tree_query_init(iso__tree_query *query, const iso__tree *tree, iso__box box, uint32_t layers);
/// @return false at the end; else *value is the next leaf's number
bool iso__tree_query_next(iso__tree_query *query, uint32_t *value);

/// An iteration over all pairs of leaves whose boxes overlap, each once, in no particular order: costs less than a query for
/// each leaf. The tree must not change while it runs.
typedef struct iso__tree_join {
    const iso__tree *tree;
    uint32_t stack[256][2]; // pairs of nodes whose leaves are to be compared; twice the same: the leaves below it
    uint32_t depth;
} iso__tree_join;

void iso__tree_join_init(iso__tree_join *join, const iso__tree *tree);
/// @return false at the end; else *a and *b are the numbers of the next two leaves
bool iso__tree_join_next(iso__tree_join *join, uint32_t *a, uint32_t *b);

#endif
