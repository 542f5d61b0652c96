/// A tree made at once of all its leaves: costs a small part of inserting them one after the other.
#ifndef ISO_PLANE_COLLIDE_TREE_BUILD_H
#define ISO_PLANE_COLLIDE_TREE_BUILD_H

#include "plane/collide/tree.h"

typedef struct iso__plane_tree_leaf {
    iso__plane_box box;
    uint32_t value, layers, masks; // see iso__plane_tree_insert
    uint32_t node;                 // where it is in the tree, when that is built
} iso__plane_tree_leaf;

/// Discards what is in a tree and builds it of leaves that are neighbours where they are neighbours in the plane, and
/// as low as a tree can be. Leaves that are much larger than most are better inserted afterwards.
/// @param order, room  scratch memory, one for each leaf
void iso__plane_tree_build(iso__plane_tree *tree, iso__plane_tree_leaf *leaves, uint32_t count, uint64_t *order,
                           uint64_t *room);

#endif
