/// See pairs.h.
///
/// Boxes are sorted by where they begin along x, with a merge sort of unique keys, and swept: a pair is found at the
/// box that begins last. Where little moves, this is done with fat boxes: their pairs hold until a box leaves its fat
/// one, and a tick only asks which of them overlap. Where boxes leave theirs tick after tick, the boxes themselves are
/// swept. The tick's pairs are the same either way.
#include "space/dynamics/pairs.h"

#include <string.h>

#include "base/assert.h"
#include "space/world/geometry.h"
#include "space/world/hulls.h"
#include "world/filter.h"

#define FAT_MARGIN 6554 // 0.1 m in Q15.16
#define BUILDS_MAX 3u   // one tick after the other, before fat boxes are left alone
#define WAIT       16u  // ticks

// ---- colliders and boxes -------------------------------------------------------------------------

/// The box and room for 0.1 m, or a quarter of its size: to move in without new pairs.
static iso__space_box box_make_fat(const iso__space_box *box) {
    const int64_t size = iso__min64(iso__min64((int64_t)box->max_x - box->min_x, (int64_t)box->max_y - box->min_y),
                                    (int64_t)box->max_z - box->min_z);
    const int64_t margin = iso__min64(size / 4, FAT_MARGIN);
    return (iso__space_box){
        .min_x = iso__saturate32(box->min_x - margin),
        .min_y = iso__saturate32(box->min_y - margin),
        .min_z = iso__saturate32(box->min_z - margin),
        .max_x = iso__saturate32(box->max_x + margin),
        .max_y = iso__saturate32(box->max_y + margin),
        .max_z = iso__saturate32(box->max_z + margin),
    };
}

static void pairs_refresh_body(iso__space *space, uint32_t body, int32_t growth) {
    iso__space_scratch *scratch = space->scratch;
    for (uint32_t i = space->body_derived[body].first_shape; i != UINT32_MAX; i = space->shape_derived[i].next_shape) {
        iso__space_box *box = &scratch->boxes[i];
        iso__space_collider_of(space, i, &scratch->colliders[i]);
        iso__space_collider_box(&scratch->colliders[i], space->bodies[body].position, box);
        box->min_x = iso__saturate32((int64_t)box->min_x - growth);
        box->min_y = iso__saturate32((int64_t)box->min_y - growth);
        box->min_z = iso__saturate32((int64_t)box->min_z - growth);
        box->max_x = iso__saturate32((int64_t)box->max_x + growth);
        box->max_y = iso__saturate32((int64_t)box->max_y + growth);
        box->max_z = iso__saturate32((int64_t)box->max_z + growth);
        scratch->near.is_listed = scratch->near.is_listed && iso__space_box_contains(&scratch->near.fat[i], box);
    }
}

void iso__space_pairs_refresh(iso__space *space) {
    iso_world *world = &space->world;
    const int32_t growth = (world->def.speculative_distance + 1) / 2;
    ISO_ASSERT(world->globals->body_count <= world->def.body_capacity);
    iso__space_hulls_refresh(space);
    for (uint32_t w = 0; w < (world->globals->body_count + 63) / 64; ++w) {
        for (uint64_t bits = world->displaced[w]; bits != 0; bits &= bits - 1) {
            const uint32_t body = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (body < world->globals->body_count && space->bodies[body].type != 0) {
                pairs_refresh_body(space, body, growth);
            }
        }
        world->displaced[w] = 0;
    }
}

// ---- sorting -------------------------------------------------------------------------------------

/// Sorts unique keys; `room` is as long. The result is in `keys`.
static void pairs_merge_sort(uint64_t *keys, uint64_t *room, uint32_t count) {
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t begin = 0; begin < count; begin += 2 * width) {
            const uint32_t middle = begin + width < count ? begin + width : count;
            const uint32_t end = middle + width < count ? middle + width : count;
            uint32_t a = begin, b = middle;
            for (uint32_t i = begin; i < end; ++i) {
                room[i] = a < middle && (b == end || keys[a] < keys[b]) ? keys[a++] : keys[b++];
            }
        }
        memcpy(keys, room, count * sizeof *keys);
    }
}

// ---- sweeping ------------------------------------------------------------------------------------

/// Lists the pairs of bodies that joints keep from colliding, in ascending order.
static void pairs_list_excluded(iso__space *space) {
    iso__space_scratch *scratch = space->scratch;
    scratch->excluded_count = 0;
    for (uint32_t i = 0; i < space->world.globals->joint_count; ++i) {
        const iso__space_joint *joint = &space->joints[i];
        const bool excludes = joint->kind != 0 && (joint->flags & ISO__SPACE_JOINT_ENABLED) != 0 &&
                              (joint->flags & ISO__SPACE_JOINT_COLLIDE_CONNECTED) == 0;
        if (excludes && joint->body_a != ISO__WORLD_BODY) {
            const uint64_t a = joint->body_a, b = joint->body_b;
            scratch->excluded[scratch->excluded_count++] = a < b ? a << 32 | b : b << 32 | a;
        }
    }
    pairs_merge_sort(scratch->excluded, scratch->excluded_room, scratch->excluded_count);
}

static bool pairs_are_excluded(const iso__space_scratch *scratch, uint32_t body_a, uint32_t body_b) {
    const uint64_t key = body_a < body_b ? (uint64_t)body_a << 32 | body_b : (uint64_t)body_b << 32 | body_a;
    uint32_t low = 0, high = scratch->excluded_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (scratch->excluded[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < scratch->excluded_count && scratch->excluded[low] == key;
}

typedef bool pairs_may_fn(const iso__space *space, uint32_t a, uint32_t b);

/// Whether the shapes of two bodies may touch, apart from their boxes.
static bool pairs_allow(const iso__space *space, uint32_t a, uint32_t b) {
    const iso__space_shape *first = &space->shapes[a], *second = &space->shapes[b];
    const iso__space_body *body_a = &space->bodies[first->body], *body_b = &space->bodies[second->body];
    const bool is_dynamic = body_a->type == ISO_BODY_DYNAMIC || body_b->type == ISO_BODY_DYNAMIC;
    const uint64_t *moving = space->scratch->moving_bits;
    return first->body != second->body && is_dynamic &&
           (iso__bit_is_set(moving, first->body) || iso__bit_is_set(moving, second->body)) &&
           iso__filters_agree((iso_filter){first->category, first->mask, first->group},
                              (iso_filter){second->category, second->mask, second->group}) &&
           !pairs_are_excluded(space->scratch, first->body, second->body);
}

bool iso__space_pairs_push(const iso__space *space, uint32_t a, uint32_t b) {
    ISO_ASSERT(a < space->world.globals->shape_count && b < space->world.globals->shape_count);
    return ((space->shapes[a].flags | space->shapes[b].flags) & ISO__SPACE_SHAPE_SENSOR) == 0 &&
           pairs_allow(space, a, b);
}

static iso__pair pair_of(const iso__space *space, uint32_t a, uint32_t b) {
    const bool is_swapped = space->shapes[a].body > space->shapes[b].body;
    const uint64_t low = is_swapped ? b : a, high = is_swapped ? a : b;
    return (iso__pair){(uint64_t)space->shapes[low].body << 32 | space->shapes[high].body, low << 32 | high};
}

/// Pairs of fat boxes: whatever the ticks to come may ask for, as long as no body changes its type.
static bool pairs_may_be(const iso__space *space, uint32_t a, uint32_t b) {
    const uint32_t body_a = space->shapes[a].body, body_b = space->shapes[b].body;
    return body_a != body_b &&
           (space->bodies[body_a].type == ISO_BODY_DYNAMIC || space->bodies[body_b].type == ISO_BODY_DYNAMIC);
}

/// A sweep over boxes. The pairs with the lowest keys are kept, whatever the order that they are found in.
typedef struct pair_sweep {
    const iso__space_box *boxes; // per shape
    pairs_may_fn *may;           // whether a pair counts
    iso__pair *pairs;
    uint32_t count, room;
    uint32_t keep; // how many are asked for, less than `room`; 0: all or none
    uint64_t dropped;
} pair_sweep;

/// Sorts the pairs, and drops those beyond the ones that are asked for.
static void sweep_sort(pair_sweep *sweep) {
    iso__pairs_sort(sweep->pairs, sweep->count);
    if (sweep->keep > 0 && sweep->count > sweep->keep) {
        sweep->dropped += sweep->count - sweep->keep;
        sweep->count = sweep->keep;
    }
}

/// @return how many shapes there are
static uint32_t sweep_order(const iso__space *space, const iso__space_box *boxes) {
    iso__space_scratch *scratch = space->scratch;
    uint32_t count = 0;
    for (uint32_t i = 0; i < space->world.globals->shape_count; ++i) {
        if (space->shapes[i].kind != 0) {
            scratch->order[count++] = (uint64_t)((uint32_t)boxes[i].min_x ^ UINT32_C(0x80000000)) << 32 | i;
        }
    }
    pairs_merge_sort(scratch->order, scratch->order_room, count);
    for (uint32_t n = 0; n < count; ++n) {
        scratch->ordered[n] = boxes[(uint32_t)scratch->order[n]];
    }
    return count;
}

/// Finds the pairs of overlapping boxes, in the order of their keys.
static void pairs_sweep(const iso__space *space, pair_sweep *sweep) {
    const iso__space_scratch *scratch = space->scratch;
    const uint32_t count = sweep_order(space, sweep->boxes);
    for (uint32_t n = 0; n < count; ++n) {
        const iso__space_box box = scratch->ordered[n];
        const uint32_t a = (uint32_t)scratch->order[n];
        for (uint32_t m = n + 1; m < count && scratch->ordered[m].min_x <= box.max_x; ++m) {
            const uint32_t b = (uint32_t)scratch->order[m];
            if (!iso__space_box_overlaps(&box, &scratch->ordered[m]) || !sweep->may(space, a, b)) {
                continue;
            }
            if (sweep->count == sweep->room && sweep->keep == 0) {
                sweep->dropped = 1;
                return;
            }
            if (sweep->count == sweep->room) {
                sweep_sort(sweep);
            }
            sweep->pairs[sweep->count++] = pair_of(space, a, b);
        }
    }
    sweep_sort(sweep);
}

/// Lists the pairs of fat boxes, if there is room for all.
static void near_list(iso__space *space) {
    iso__space_near *near = &space->scratch->near;
    pair_sweep sweep = {.boxes = near->fat, .may = pairs_may_be, .pairs = near->pairs, .room = near->capacity};
    for (uint32_t i = 0; i < space->world.globals->shape_count; ++i) {
        near->fat[i] = box_make_fat(&space->scratch->boxes[i]);
    }
    pairs_sweep(space, &sweep);
    near->count = sweep.count;
    near->is_listed = sweep.dropped == 0;
    near->wait = near->is_listed && near->builds < BUILDS_MAX ? 0 : WAIT;
}

/// @return whether the pairs of fat boxes are there
static bool near_refresh(iso__space *space) {
    iso__space_near *near = &space->scratch->near;
    near->is_listed = near->is_listed && !space->has_stale_pairs;
    space->has_stale_pairs = false;
    if (near->is_listed) {
        near->builds = 0;
    } else if (near->wait > 0) {
        --near->wait;
        near->builds = 0;
    } else {
        ++near->builds;
        near_list(space);
    }
    return near->is_listed;
}

/// The tick's pairs among those of fat boxes.
static iso__pair_list pairs_of_near(const iso__space *space) {
    const iso__space_scratch *scratch = space->scratch;
    iso__pair_list list = {scratch->pairs, 0, 0};
    for (uint32_t n = 0; n < scratch->near.count; ++n) {
        const iso__pair *pair = &scratch->near.pairs[n];
        const uint32_t a = (uint32_t)(pair->shapes >> 32), b = (uint32_t)pair->shapes;
        if (!iso__space_box_overlaps(&scratch->boxes[a], &scratch->boxes[b]) || !pairs_allow(space, a, b)) {
            continue;
        }
        if (list.count < scratch->pair_capacity) {
            scratch->pairs[list.count++] = *pair;
        } else {
            ++list.dropped;
        }
    }
    return list;
}

static bool pairs_anything_moves(const iso__space *space) {
    uint64_t moving = 0;
    for (uint32_t w = 0; w < (space->world.globals->body_count + 63) / 64; ++w) {
        moving |= space->scratch->moving_bits[w];
    }
    return moving != 0;
}

iso__pair_list iso__space_pairs_find(iso__space *space) {
    iso__space_scratch *scratch = space->scratch;
    ISO_ASSERT(space->world.globals->shape_count <= space->world.def.shape_capacity);
    if (!pairs_anything_moves(space)) {
        return (iso__pair_list){scratch->pairs, 0, 0};
    }
    pairs_list_excluded(space);
    if (near_refresh(space)) {
        return pairs_of_near(space);
    }
    pair_sweep sweep = {
        .boxes = scratch->boxes, .may = pairs_allow, .pairs = scratch->near.pairs, .room = scratch->near.capacity};
    sweep.keep = scratch->pair_capacity;
    pairs_sweep(space, &sweep);
    return (iso__pair_list){sweep.pairs, sweep.count, sweep.dropped};
}
