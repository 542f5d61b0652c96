/// The broad phase: which shapes may touch in this tick.
///
/// The candidates of a tick are exactly the pairs of shapes of two bodies, one of them dynamic, whose filters
/// agree and whose boxes, grown by half the speculative distance, overlap. Boxes are pure functions of shape and
/// pose. Of these, a tick uses the ones with a body that moves. Everything here is a cache that saves work: fat boxes
/// in a tree, and the sorted pairs whose fat boxes overlap, a superset of the candidates. A few shapes that leave their
/// fat boxes get new leaves one by one; when it is many, all get new boxes, and tree and pairs are made at once.
///
/// A shape that the filters of no other agree with has no box and no leaf: the nodes of a net that does not collide
/// cost a comparison. It gets both as soon as there is a shape with another category or mask.
///
/// At most iso__plane_broad_phase_candidate_max candidates are used in a tick; if there are more, those with the
/// highest keys are dropped and counted. When the fat pairs do not fit, the candidates themselves are collected
/// instead, cut at the same number: so which pairs are dropped depends only on the candidates, never on the fat boxes.
#ifndef ISO_PLANE_DYNAMICS_BROAD_PHASE_H
#define ISO_PLANE_DYNAMICS_BROAD_PHASE_H

#include "plane/collide/tree_build.h"
#include "plane/world/plane.h"
#include "step/pair.h"

/// What the search for pairs needs of a shape: a copy, so that it reads one cache line of each.
typedef struct iso__plane_proxy {
    uint32_t leaf;  // in the tree, ISO__PLANE_TREE_NULL: none; the rest is valid with a leaf
    uint32_t still; // in the tree of static shapes, ISO__PLANE_TREE_NULL: none
    uint32_t body;
    uint32_t category, mask; // as in the shape's record
    int32_t group;
    bool is_dynamic;    // the body
    iso__plane_box fat; // the box of its leaf
} iso__plane_proxy;

struct iso__plane_broad_phase {
    iso__plane_tree tree;
    iso__plane_tree stills;    // of static shapes alone, with their grown boxes: for continuous.c
    iso__plane_proxy *proxies; // per shape
    iso__plane_box *boxes;     // per shape: the grown box of this tick
    uint32_t *dirty;           // shapes whose pairs must be found again
    uint64_t *dirty_bits;      // a bit for each of these, and for those removed; all clear between updates
    uint32_t dirty_count;
    iso__pair *pairs; // sorted
    iso__pair *found; // room for new pairs and for the merge
    uint32_t pair_count;
    uint32_t pair_capacity;
    uint32_t reach;               // how much room ahead fat boxes take
    uint32_t categories;          // of all shapes since everything was discarded; those of a positive group are of all
    uint32_t masks;               // likewise
    iso__plane_tree_leaf *leaves; // room to build the tree, and these:
    uint64_t *order, *order_room;
    uint32_t *pair_starts; // room to sort pairs: per body, and one more
    uint64_t *finds; // per piece of a search, by the first of its items: the next piece's first item << 32 | the pairs
    iso__plane_tree_part parts[ISO__PLANE_TREE_PARTS_MAX]; // of a search for all pairs
    bool has_removed;                                      // some pair names a proxy that is dirty without a leaf
    bool is_overfull; // the candidates of this tick were collected without the pairs
};

uint32_t iso__plane_broad_phase_candidate_max(const iso_world_def *def);
uint32_t iso__plane_broad_phase_pair_capacity(const iso_world_def *def);

/// Discards everything.
void iso__plane_broad_phase_clear(iso__plane *plane);
/// Whether the shapes of two bodies, one of them dynamic, may touch: their filters agree.
bool iso__plane_broad_phase_allows(const iso__plane *plane, uint32_t a, uint32_t b);
/// Whether two shapes are a candidate of this tick, from their poses alone.
bool iso__plane_broad_phase_is_candidate(const iso__plane *plane, uint32_t a, uint32_t b);
/// Whether the stored box of a live shape is that of its pose, or not needed.
bool iso__plane_broad_phase_box_is_current(const iso__plane *plane, uint32_t shape);
/// Computes the boxes of the bodies that were displaced and brings the pairs up to date.
iso__pair_list iso__plane_broad_phase_update(iso__plane *plane);
/// The pairs again in the same tick, when more bodies move than at first.
iso__pair_list iso__plane_broad_phase_repeat(iso__plane *plane);

#endif
