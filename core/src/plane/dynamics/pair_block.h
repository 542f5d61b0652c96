/// Blocks of the list of pairs in which nothing changes: their contacts are passed at once, by several threads.
///
/// The pass of collide.c goes through the pairs one after the other, since which contacts have room, what wakes and
/// which events there are depends on the order. A block is plain when none of this can come up: each contact of the
/// last tick within it keeps its manifold and nothing else of it has a contact. Then only where its contacts go depends
/// on what is before it. In a heap most blocks are plain in most ticks.
#ifndef ISO_PLANE_DYNAMICS_PAIR_BLOCK_H
#define ISO_PLANE_DYNAMICS_PAIR_BLOCK_H

#include "plane/world/scratch.h"
#include "step/pair.h"

#define ISO__PLANE_BLOCK_PAIRS 64u

/// What pieces of the list of pairs have found out, on several threads: of each pair one of these. It follows from
/// shapes, poses and the contacts of the last tick, and saves the pass work; all that depends on the order is the pass'
/// own.
typedef enum pair_finding {
    PAIR_UNKNOWN, // the pass has to look itself
    PAIR_APART,   // the boxes do not overlap
    PAIR_EMPTY,   // the manifold has no points
    PAIR_KEPT,    // the known manifold is kept, and follows the bodies
    PAIR_MADE     // contact and manifold lie at the pair's place, see collision_place
} pair_finding;

typedef struct iso__plane_pair_block {
    uint32_t old, count; // contacts of the last tick in a plain block: the first, and how many
    uint32_t manifold;   // the first one's among the last step's; the others follow
    uint32_t candidates;
    uint32_t made, solved; // where the pass has decided that they go; SOLVED: the first one's number
    bool is_plain;
    bool is_passed; // the pass has decided
} iso__plane_pair_block;

/// Where the pass makes contacts, and the first of them that only have to be copied, as they are.
typedef struct iso__plane_block_target {
    iso__plane_contact *contacts; // NULL: all stay where they are
    uint32_t *numbers;
    iso__plane_manifold *manifolds;
    uint32_t made, solved; // to copy
} iso__plane_block_target;

/// Finds out whether the blocks from begin on are plain; the pairs have findings. Writes only what is of these blocks.
void iso__plane_pair_blocks_plan(iso__plane *plane, const iso__pair_list *pairs, uint32_t begin, uint32_t end);

/// Brings the contacts of all blocks that were passed, and those to copy, to where they go.
void iso__plane_pair_blocks_store(iso_world *world, uint32_t block_count, const iso__plane_block_target *to);

#endif
