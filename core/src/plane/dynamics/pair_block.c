/// See pair_block.h.
#include "plane/dynamics/pair_block.h"

#include <string.h>

#include "base/assert.h"
#include "plane/dynamics/broad_phase.h"
#include "plane/dynamics/excluded.h"
#include "plane/world/contact.h"
#include "plane/world/wake.h"
#include "solver/parallel.h"

#define BLOCK_GRAIN 4u   // blocks of about 1 us to copy: what it takes to hand them to another thread
#define COPY_GRAIN  256u // likewise contacts

static bool body_stays_awake(const iso__plane *plane, uint32_t body) {
    return iso__plane_body_is_moving(plane, body) || !iso__plane_body_is_asleep(plane, body);
}

/// Whether the contact `old`, of a pair, keeps the manifold with this number, and wakes nobody.
static bool block_keeps(iso__plane *plane, const iso__pair *pair, uint32_t old, uint32_t number) {
    iso__plane_contact *contact = &plane->contacts[old];
    if (plane->contact_manifolds[old] != number || !plane->scratch->manifolds_last[number - 1].is_plain ||
        !body_stays_awake(plane, (uint32_t)(pair->bodies >> 32)) || !body_stays_awake(plane, (uint32_t)pair->bodies)) {
        return false;
    }
    contact->flags &= (uint8_t)~ISO__PLANE_CONTACT_PASSES; // as the pass does
    return true;
}

static bool pair_overlaps(const iso__plane *plane, const iso__pair *pair) {
    const iso__plane_box *boxes = plane->broad_phase->boxes;
    return iso__plane_box_overlaps(&boxes[(uint32_t)(pair->shapes >> 32)], &boxes[(uint32_t)pair->shapes]);
}

/// Whether the contact `old` is that of a pair.
static bool pair_has_contact(const iso__plane *plane, const iso__pair *pair, uint32_t old) {
    return old < plane->world.globals->contact_count &&
           ((uint64_t)plane->contacts[old].shape_a << 32 | plane->contacts[old].shape_b) == pair->shapes;
}

/// @return whether the block is plain
static bool block_plan(iso__plane *plane, const iso__pair_list *pairs, uint32_t first, uint32_t end,
                       iso__plane_pair_block *block) {
    const iso__plane_step_scratch *scratch = plane->scratch;
    const uint32_t old_end = end == pairs->count ? plane->world.globals->contact_count
                                                 : iso__plane_contact_find_first(plane, &pairs->pairs[end]);
    uint32_t old = first == 0 ? 0 : iso__plane_contact_find_first(plane, &pairs->pairs[first]);
    uint32_t excluded = iso__plane_excluded_find(scratch, pairs->pairs[first].bodies);
    block->old = old;
    block->count = old_end - old;
    block->candidates = 0;
    block->manifold = block->count == 0 || plane->contact_manifolds[old] == 0 ? 0 : plane->contact_manifolds[old] - 1;
    for (uint32_t i = first; i < end; ++i) {
        const iso__pair *pair = &pairs->pairs[i];
        const pair_finding finding = (pair_finding)scratch->pair_findings[i];
        if (finding == PAIR_APART) {
            continue;
        }
        if (finding == PAIR_UNKNOWN && !iso__plane_body_is_moving(plane, (uint32_t)(pair->bodies >> 32)) &&
            !iso__plane_body_is_moving(plane, (uint32_t)pair->bodies)) {
            continue;
        }
        const bool is_excluded = iso__plane_excluded_next(scratch, &excluded, pair->bodies);
        if (is_excluded && !pair_overlaps(plane, pair)) {
            continue;
        }
        ++block->candidates;
        if (pair_has_contact(plane, pair, old)) {
            if (finding != PAIR_KEPT || // as of those that a joint keeps apart
                !block_keeps(plane, pair, old, block->manifold + 1 + old - block->old)) {
                return false;
            }
            ++old;
        } else if (finding != PAIR_EMPTY && !is_excluded) {
            return false;
        }
    }
    return old == old_end; // what is left has lost its pair
}

void iso__plane_pair_blocks_plan(iso__plane *plane, const iso__pair_list *pairs, uint32_t begin, uint32_t end) {
    ISO_ASSERT(begin <= end &&
               (uint64_t)end * ISO__PLANE_BLOCK_PAIRS < (uint64_t)pairs->count + ISO__PLANE_BLOCK_PAIRS);
    for (uint32_t b = begin; b < end; ++b) {
        const uint32_t first = b * ISO__PLANE_BLOCK_PAIRS;
        const uint32_t last =
            pairs->count - first < ISO__PLANE_BLOCK_PAIRS ? pairs->count : first + ISO__PLANE_BLOCK_PAIRS;
        iso__plane_pair_block *block = &plane->scratch->pair_blocks[b];
        block->is_passed = false;
        block->is_plain = block_plan(plane, pairs, first, last, block);
    }
}

/// The blocks from begin on.
static void blocks_store(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_step_scratch *scratch = plane->scratch;
    const iso__plane_block_target *to = data;
    for (uint32_t b = begin; b < end; ++b) {
        const iso__plane_pair_block *block = &scratch->pair_blocks[b];
        if (!block->is_passed) {
            continue;
        }
        for (uint32_t i = 0; i < block->count; ++i) {
            scratch->solved[block->solved + i] = block->made + i;
        }
        // Those that were passed before the first one moved are among the ones to copy.
        if (to->contacts != NULL && block->made >= to->made) {
            memcpy(&to->contacts[block->made], &plane->contacts[block->old], block->count * sizeof *to->contacts);
            memcpy(&to->manifolds[block->solved], &scratch->manifolds_last[block->manifold],
                   block->count * sizeof *to->manifolds);
            for (uint32_t i = 0; i < block->count; ++i) {
                to->numbers[block->made + i] = block->solved + i + 1;
            }
        }
        for (uint32_t i = 0; i < block->count; ++i) {
            to->manifolds[block->solved + i].is_standing = block->manifold == block->solved;
        }
    }
}

/// The contacts from begin on that stay where they are, in the other memory.
static void blocks_copy(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    const iso__plane_block_target *to = data;
    memcpy(&to->contacts[begin], &plane->contacts[begin], (end - begin) * sizeof *to->contacts);
    memcpy(&to->numbers[begin], &plane->contact_manifolds[begin], (end - begin) * sizeof *to->numbers);
    if (begin < to->solved) {
        const uint32_t last = end < to->solved ? end : to->solved;
        memcpy(&to->manifolds[begin], &plane->scratch->manifolds_last[begin], (last - begin) * sizeof *to->manifolds);
    }
}

void iso__plane_pair_blocks_store(iso_world *world, uint32_t block_count, const iso__plane_block_target *to) {
    ISO_ASSERT(to->solved <= to->made && to->made <= world->def.contact_capacity);
    iso__plane_block_target target = *to;
    if (to->contacts != NULL) {
        iso__parallel_for(world, 0, to->made, COPY_GRAIN, blocks_copy, &target);
    }
    iso__parallel_for(world, 0, block_count, BLOCK_GRAIN, blocks_store, &target);
}
