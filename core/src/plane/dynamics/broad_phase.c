#include "plane/dynamics/broad_phase.h"

#include <string.h>

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "plane/world/geometry.h"
#include "plane/world/scratch.h"
#include "solver/parallel.h"
#include "world/filter.h"

#define FAT_MARGIN  6554 // 0.1 m in Q15.16, or a quarter of a shape's size
#define REACH_BEGIN 1u   // see phase_adjust_reach
#define REACH_MAX   5u   // the room ahead of a box is at most 2^reach / 4 of its size
#define REACH_MORE  1u   // pairs per shape, below which boxes get more room
#define REACH_LESS  12u  // above which they get less
#define MOSTLY      4u   // when a quarter of all shapes left their fat boxes, all get new ones
#define FEW         40u  // or as many, whatever the number of shapes: a tree costs some thousand instructions at least
#define LARGE       8    // times the mean size: is inserted into a tree that was built of the others
#define FIND_GRAIN  16u  // queries of about 1 us
#define BOX_GRAIN   2u   // words of 64 bodies, a few us each
#define JOIN_GRAIN  4u   // parts of a join

uint32_t iso__plane_broad_phase_candidate_max(const iso_world_def *def) {
    ISO_ASSERT(def->contact_capacity < UINT32_MAX / 8);
    return 2 * def->contact_capacity + 256;
}

uint32_t iso__plane_broad_phase_pair_capacity(const iso_world_def *def) {
    ISO_ASSERT(def->contact_capacity < UINT32_MAX / 8);
    return 2 * iso__plane_broad_phase_candidate_max(def);
}

void iso__plane_broad_phase_clear(iso__plane *plane) {
    iso__plane_broad_phase *phase = plane->broad_phase;
    iso__plane_tree_clear(&phase->tree);
    iso__plane_tree_clear(&phase->stills);
    for (uint32_t i = 0; i < plane->world.def.shape_capacity; ++i) {
        phase->proxies[i] = (iso__plane_proxy){.leaf = ISO__PLANE_TREE_NULL, .still = ISO__PLANE_TREE_NULL};
    }
    memset(phase->dirty_bits, 0, (plane->world.def.shape_capacity + 63) / 64 * sizeof *phase->dirty_bits);
    phase->dirty_count = 0;
    phase->pair_count = 0;
    phase->has_removed = false;
    phase->is_overfull = false;
    phase->reach = REACH_BEGIN;
    phase->categories = phase->masks = 0;
    for (uint32_t i = 0; i < plane->world.def.body_capacity; ++i) {
        iso__bit_set(plane->world.displaced, i);
    }
    for (uint32_t w = 0; w < (plane->world.def.shape_capacity + 63) / 64; ++w) {
        plane->reshaped[w] = 0;
    }
    ISO_ASSERT(plane->world.globals->shape_count <= plane->world.def.shape_capacity);
}

/// The tree's layers are the shapes' categories. Shapes of one positive group collide whatever their categories say:
/// they are on all layers, and query all.
static uint32_t phase_layers(const iso__plane_shape *shape, uint32_t bits) {
    return shape->group > 0 ? UINT32_MAX : bits;
}

/// Whether the filters of some shape may agree with this one's.
static bool phase_may_pair(const iso__plane_broad_phase *phase, const iso__plane_shape *shape) {
    return (phase_layers(shape, shape->category) & phase->masks) != 0 &&
           (phase_layers(shape, shape->mask) & phase->categories) != 0;
}

/// Adds a shape's filter to those that are known. @return whether it has something new
static bool phase_know_filter(iso__plane_broad_phase *phase, const iso__plane_shape *shape) {
    const uint32_t categories = phase->categories, masks = phase->masks;
    phase->categories |= phase_layers(shape, shape->category);
    phase->masks |= phase_layers(shape, shape->mask);
    return phase->categories != categories || phase->masks != masks;
}

/// Other shapes may pair with those of a new filter: who has no leaf is looked at again.
static void phase_know_filters(iso__plane *plane) {
    iso__plane_broad_phase *phase = plane->broad_phase;
    bool has_new = phase->categories == 0 && phase->masks == 0;
    for (uint32_t w = 0; w < (plane->world.def.shape_capacity + 63) / 64; ++w) {
        for (uint64_t bits = plane->reshaped[w]; bits != 0; bits &= bits - 1) {
            const iso__plane_shape *shape = &plane->shapes[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            has_new |= shape->kind != 0 && phase_know_filter(phase, shape);
        }
    }
    for (uint32_t i = 0; has_new && i < plane->world.globals->shape_count; ++i) {
        if (plane->shapes[i].kind != 0 && phase->proxies[i].leaf == ISO__PLANE_TREE_NULL) {
            phase_know_filter(phase, &plane->shapes[i]);
            iso__bit_set(plane->world.displaced, plane->shapes[i].body);
        }
    }
}

static void phase_remove_still(iso__plane_broad_phase *phase, iso__plane_proxy *proxy) {
    if (proxy->still != ISO__PLANE_TREE_NULL) {
        iso__plane_tree_remove(&phase->stills, proxy->still);
        proxy->still = ISO__PLANE_TREE_NULL;
    }
}

/// Removes from the trees the leaves of shapes that are destroyed, replaced or may touch others; their pairs are stale.
static void phase_forget_reshaped(iso__plane *plane) {
    iso__plane_broad_phase *phase = plane->broad_phase;
    for (uint32_t w = 0; w < (plane->world.def.shape_capacity + 63) / 64; ++w) {
        for (uint64_t bits = plane->reshaped[w]; bits != 0; bits &= bits - 1) {
            const uint32_t shape = w * 64 + (uint32_t)__builtin_ctzll(bits);
            iso__plane_proxy *proxy = &phase->proxies[shape];
            phase_remove_still(phase, proxy);
            if (proxy->leaf != ISO__PLANE_TREE_NULL) {
                iso__plane_tree_remove(&phase->tree, proxy->leaf);
                proxy->leaf = ISO__PLANE_TREE_NULL;
                iso__bit_set(phase->dirty_bits, shape);
                phase->has_removed = true;
            }
        }
        plane->reshaped[w] = 0;
    }
}

static int64_t box_size(const iso__plane_box *box) {
    const int64_t width = (int64_t)box->max_x - box->min_x, height = (int64_t)box->max_y - box->min_y;
    return width > height ? width : height;
}

/// A box with room for eight ticks of motion, as long as this takes not more than a part of its size, or a multiple
/// while there are few pairs: in a crowd the pairs of fast bodies that had this room would be many, and soon be others.
static iso__plane_box box_make_fat(const iso__plane *plane, uint32_t shape) {
    const iso__plane_box box = plane->broad_phase->boxes[shape];
    const iso__plane_body *body = &plane->bodies[plane->shapes[shape].body];
    const int32_t size = iso__max32(box.max_x - box.min_x, box.max_y - box.min_y);
    // Q12.19 m/s to Q15.16 m in eight ticks.
    const int32_t ahead_x = (int32_t)((int64_t)body->velocity[0] / plane->world.def.tick_rate_hz);
    const int32_t ahead_y = (int32_t)((int64_t)body->velocity[1] / plane->world.def.tick_rate_hz);
    const int32_t room = (int32_t)(((int64_t)size << plane->broad_phase->reach) / 4);
    const int32_t margin = iso__min32(size / 4, FAT_MARGIN);
    if (body->type == ISO_BODY_STATIC || ahead_x / 8 > room || ahead_x / 8 < -room || ahead_y / 8 > room ||
        ahead_y / 8 < -room) {
        return box;
    }
    return (iso__plane_box){
        .min_x = box.min_x - margin + iso__clamp32(ahead_x, -room, 0),
        .min_y = box.min_y - margin + iso__clamp32(ahead_y, -room, 0),
        .max_x = box.max_x + margin + iso__clamp32(ahead_x, 0, room),
        .max_y = box.max_y + margin + iso__clamp32(ahead_y, 0, room),
    };
}

/// Static shapes are displaced only when someone moves them, or when their body becomes static or ceases to be.
static void phase_update_still(iso__plane *plane, uint32_t shape, bool is_static) {
    iso__plane_broad_phase *phase = plane->broad_phase;
    iso__plane_proxy *proxy = &phase->proxies[shape];
    const iso__plane_shape *of = &plane->shapes[shape];
    phase_remove_still(phase, proxy);
    if (is_static) {
        proxy->still = iso__plane_tree_insert(&phase->stills, phase->boxes[shape], shape,
                                              phase_layers(of, of->category), phase_layers(of, of->mask));
    }
}

/// Marks a shape whose leaf does not contain its box.
static void phase_update_box(iso__plane *plane, uint32_t shape, bool is_static) {
    iso__plane_broad_phase *phase = plane->broad_phase;
    iso__plane_proxy *proxy = &phase->proxies[shape];
    if (!phase_may_pair(phase, &plane->shapes[shape])) {
        return; // it has no leaf
    }
    if (is_static || proxy->still != ISO__PLANE_TREE_NULL) {
        phase_update_still(plane, shape, is_static);
    }
    if (proxy->leaf != ISO__PLANE_TREE_NULL && iso__plane_box_contains(&proxy->fat, &phase->boxes[shape])) {
        return;
    }
    const iso__plane_shape *of = &plane->shapes[shape];
    proxy->body = of->body;
    proxy->category = of->category;
    proxy->mask = of->mask;
    proxy->group = of->group;
    proxy->is_dynamic = plane->bodies[of->body].type == ISO_BODY_DYNAMIC;
    iso__bit_set(phase->dirty_bits, shape);
    phase->dirty[phase->dirty_count++] = shape;
}

/// Computes the boxes of a body. @return whether its leaves contain them, and it has none among the static shapes
static bool phase_box_body(iso__plane *plane, uint32_t body, int32_t growth) {
    iso__plane_broad_phase *phase = plane->broad_phase;
    bool is_contained = plane->bodies[body].type != ISO_BODY_STATIC;
    for (uint32_t i = plane->body_derived[body].first_shape; i != UINT32_MAX; i = plane->shape_derived[i].next_shape) {
        if (phase_may_pair(phase, &plane->shapes[i])) {
            const iso__plane_proxy *proxy = &phase->proxies[i];
            phase->boxes[i] = iso__plane_shape_box(plane, i, growth);
            is_contained = is_contained && proxy->still == ISO__PLANE_TREE_NULL &&
                           proxy->leaf != ISO__PLANE_TREE_NULL &&
                           iso__plane_box_contains(&proxy->fat, &phase->boxes[i]);
        }
    }
    return is_contained;
}

/// The boxes of the bodies that were displaced, of those in some words of their bits. Those that need nothing else are
/// no longer displaced then: most of them.
static void phase_box_piece(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    (void)data;
    const int32_t growth = iso__plane_box_growth(&world->def);
    for (uint32_t w = begin; w < end; ++w) {
        uint64_t left = 0;
        for (uint64_t bits = world->displaced[w]; bits != 0; bits &= bits - 1) {
            const uint32_t body = w * 64 + (uint32_t)__builtin_ctzll(bits);
            const bool is_alive = body < world->globals->body_count && plane->bodies[body].type != 0;
            left |= is_alive && !phase_box_body(plane, body, growth) ? bits & -bits : 0;
        }
        world->displaced[w] = left;
    }
}

/// Computes the boxes of all bodies that were displaced. Sleeping bodies are not displaced.
static void phase_update_boxes(iso__plane *plane) {
    const uint32_t words = (plane->world.def.body_capacity + 63) / 64;
    iso__parallel_for(&plane->world, 0, words, BOX_GRAIN, phase_box_piece, NULL);
    for (uint32_t w = 0; w < words; ++w) {
        for (uint64_t bits = plane->world.displaced[w]; bits != 0; bits &= bits - 1) {
            const uint32_t body = w * 64 + (uint32_t)__builtin_ctzll(bits);
            for (uint32_t i = plane->body_derived[body].first_shape; i != UINT32_MAX;
                 i = plane->shape_derived[i].next_shape) {
                phase_update_box(plane, i, plane->bodies[body].type == ISO_BODY_STATIC);
            }
        }
        plane->world.displaced[w] = 0;
    }
}

// ---- pairs ---------------------------------------------------------------------------------------

/// Whether two shapes may be a pair, from what their proxies have copied.
static bool proxies_may_pair(const iso__plane_proxy *a, const iso__plane_proxy *b) {
    if (a->body == b->body || !(a->is_dynamic || b->is_dynamic)) {
        return false;
    }
    return iso__filters_agree((iso_filter){a->category, a->mask, a->group},
                              (iso_filter){b->category, b->mask, b->group});
}

static bool pair_is_allowed(const iso__plane *plane, uint32_t a, uint32_t b) {
    iso__plane_proxy sides[2];
    for (int side = 0; side < 2; ++side) {
        const iso__plane_shape *shape = &plane->shapes[side == 0 ? a : b];
        sides[side] = (iso__plane_proxy){.body = shape->body,
                                         .category = shape->category,
                                         .mask = shape->mask,
                                         .group = shape->group,
                                         .is_dynamic = plane->bodies[shape->body].type == ISO_BODY_DYNAMIC};
    }
    return proxies_may_pair(&sides[0], &sides[1]);
}

bool iso__plane_broad_phase_allows(const iso__plane *plane, uint32_t a, uint32_t b) {
    ISO_ASSERT(a < plane->world.globals->shape_count && b < plane->world.globals->shape_count);
    return pair_is_allowed(plane, a, b);
}

static iso__pair pair_make(const iso__plane_broad_phase *phase, uint32_t a, uint32_t b) {
    const uint64_t body_a = phase->proxies[a].body, body_b = phase->proxies[b].body;
    return body_a < body_b ? (iso__pair){body_a << 32 | body_b, (uint64_t)a << 32 | b}
                           : (iso__pair){body_b << 32 | body_a, (uint64_t)b << 32 | a};
}

/// Drops the pairs of dirty proxies.
static void phase_drop_dirty_pairs(iso__plane_broad_phase *phase) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < phase->pair_count; ++i) {
        const iso__pair pair = phase->pairs[i];
        phase->pairs[kept] = pair;
        kept += !iso__bit_is_set(phase->dirty_bits, (uint32_t)(pair.shapes >> 32)) &&
                !iso__bit_is_set(phase->dirty_bits, (uint32_t)pair.shapes);
    }
    phase->pair_count = kept;
}

/// A search for pairs: each piece of its items writes a range of the room for pairs.
typedef struct phase_search {
    iso__pair *to;
    uint32_t capacity, item_count;
} phase_search;

#define FIND_FAILED UINT32_MAX

static uint32_t search_room(const phase_search *search, uint32_t item) {
    return (uint32_t)((uint64_t)search->capacity * item / search->item_count);
}

static void search_end(iso__plane_broad_phase *phase, uint32_t begin, uint32_t end, uint32_t count) {
    phase->finds[begin] = (uint64_t)end << 32 | count;
}

/// Finds the pairs of dirty proxies from `begin` on by their fat boxes.
static void phase_find_piece(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_broad_phase *phase = plane->broad_phase;
    const phase_search *search = data;
    const uint32_t from = search_room(search, begin), capacity = search_room(search, end) - from;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t shape = phase->dirty[i];
        const iso__plane_proxy *proxy = &phase->proxies[shape];
        const iso__plane_tree_node *leaf = &phase->tree.nodes[proxy->leaf];
        iso__plane_tree_query query;
        iso__plane_tree_query_init(&query, &phase->tree, leaf->box, leaf->masks);
        uint32_t other;
        while (iso__plane_tree_query_next(&query, &other)) {
            // Two dirty shapes find each other; the one with the higher index keeps the pair.
            if ((other >= shape && iso__bit_is_set(phase->dirty_bits, other)) ||
                !proxies_may_pair(proxy, &phase->proxies[other])) {
                continue;
            }
            if (count == capacity) {
                search_end(phase, begin, end, FIND_FAILED);
                return;
            }
            search->to[from + count++] = pair_make(phase, shape, other);
        }
    }
    search_end(phase, begin, end, count);
}

/// Finds all pairs of some parts of the tree.
static void phase_join_piece(iso_world *world, void *data, uint32_t begin, uint32_t end) {
    iso__plane *plane = iso__plane_of(world);
    iso__plane_broad_phase *phase = plane->broad_phase;
    const phase_search *search = data;
    const uint32_t from = search_room(search, begin), capacity = search_room(search, end) - from;
    uint32_t count = 0;
    for (uint32_t i = begin; i < end; ++i) {
        iso__plane_tree_join join;
        iso__plane_tree_join_init_part(&join, &phase->tree, &phase->parts[i]);
        uint32_t a, b;
        while (iso__plane_tree_join_next(&join, &a, &b)) {
            if (!proxies_may_pair(&phase->proxies[a], &phase->proxies[b])) {
                continue;
            }
            if (count == capacity) {
                search_end(phase, begin, end, FIND_FAILED);
                return;
            }
            search->to[from + count++] = pair_make(phase, a, b);
        }
    }
    search_end(phase, begin, end, count);
}

/// Puts what the pieces of a search found together. @return false: a piece had no room
static bool search_gather(const iso__plane_broad_phase *phase, const phase_search *search, uint32_t *found_count) {
    uint32_t count = 0;
    for (uint32_t begin = 0; begin < search->item_count;) {
        const uint32_t found = (uint32_t)phase->finds[begin];
        if (found == FIND_FAILED) {
            return false;
        }
        const uint32_t from = search_room(search, begin);
        for (uint32_t i = 0; i < found; ++i) { // towards the begin: never over what is still to be read
            search->to[count++] = search->to[from + i];
        }
        begin = (uint32_t)(phase->finds[begin] >> 32);
    }
    *found_count = count;
    return true;
}

/// Searches on all threads, each with its share of the room; if that was too small for one, on one thread.
/// @return false when the pairs do not fit
static bool phase_search_pairs(iso__plane *plane, const phase_search *search, uint32_t grain, iso__range_fn *work,
                               uint32_t *found_count) {
    *found_count = 0;
    if (search->item_count == 0) {
        return true;
    }
    phase_search job = *search;
    iso__parallel_for(&plane->world, 0, job.item_count, grain, work, &job);
    if (search_gather(plane->broad_phase, &job, found_count)) {
        return true;
    }
    if ((uint32_t)(plane->broad_phase->finds[0] >> 32) == job.item_count) {
        return false; // it was one piece
    }
    work(&plane->world, &job, 0, job.item_count);
    return search_gather(plane->broad_phase, &job, found_count);
}

/// Sorts pairs into other memory: by body A in one pass, then those of each.
static void phase_sort_pairs(const iso__plane *plane, const iso__pair *from, uint32_t count, iso__pair *to) {
    uint32_t *starts = plane->broad_phase->pair_starts;
    const uint32_t bodies = plane->world.globals->body_count;
    memset(starts, 0, (bodies + 1) * sizeof *starts);
    for (uint32_t i = 0; i < count; ++i) {
        ++starts[(from[i].bodies >> 32) + 1];
    }
    for (uint32_t body = 0; body < bodies; ++body) {
        starts[body + 1] += starts[body];
    }
    for (uint32_t i = 0; i < count; ++i) {
        to[starts[from[i].bodies >> 32]++] = from[i];
    }
    // Now each body's start is the next one's.
    uint32_t begin = 0;
    for (uint32_t body = 0; body < bodies; ++body) {
        iso__pairs_sort(&to[begin], starts[body] - begin);
        begin = starts[body];
    }
}

/// Merges the sorted new pairs into the sorted old ones, from the back, in place.
static void phase_merge_pairs(iso__plane_broad_phase *phase, uint32_t found_count) {
    uint32_t old = phase->pair_count, found = found_count, to = old + found_count;
    phase->pair_count = to;
    while (found > 0) {
        if (old > 0 && iso__pair_is_less(&phase->found[found - 1], &phase->pairs[old - 1])) {
            phase->pairs[--to] = phase->pairs[--old];
        } else {
            phase->pairs[--to] = phase->found[--found];
        }
    }
}

/// Gives the dirty shapes new leaves, and replaces their pairs. @return false when the pairs do not fit
static bool phase_replace_some(iso__plane *plane) {
    iso__plane_broad_phase *phase = plane->broad_phase;
    for (uint32_t i = 0; i < phase->dirty_count; ++i) {
        const uint32_t shape = phase->dirty[i];
        iso__plane_proxy *proxy = &phase->proxies[shape];
        const iso__plane_shape *of = &plane->shapes[shape];
        if (proxy->leaf != ISO__PLANE_TREE_NULL) {
            iso__plane_tree_remove(&phase->tree, proxy->leaf);
        }
        proxy->fat = box_make_fat(plane, shape);
        proxy->leaf = iso__plane_tree_insert(&phase->tree, proxy->fat, shape, phase_layers(of, of->category),
                                             phase_layers(of, of->mask));
    }
    phase_drop_dirty_pairs(phase);
    const phase_search search = {phase->found, phase->pair_capacity - phase->pair_count, phase->dirty_count};
    uint32_t found_count;
    if (!phase_search_pairs(plane, &search, FIND_GRAIN, phase_find_piece, &found_count)) {
        return false;
    }
    if (found_count > plane->world.globals->body_count / 4) {
        iso__pair *to = &phase->pairs[phase->pair_count];
        phase_sort_pairs(plane, phase->found, found_count, to);
        memcpy(phase->found, to, found_count * sizeof *to);
    } else {
        iso__pairs_sort(phase->found, found_count);
    }
    phase_merge_pairs(phase, found_count);
    return true;
}

/// The leaves of all shapes that may pair, whose boxes are those of this tick. @return how many
static uint32_t phase_list_leaves(const iso__plane *plane, bool is_fat, int64_t *size_sum) {
    const iso__plane_broad_phase *phase = plane->broad_phase;
    uint32_t count = 0;
    *size_sum = 0;
    for (uint32_t i = 0; i < plane->world.globals->shape_count; ++i) {
        const iso__plane_shape *shape = &plane->shapes[i];
        if (shape->kind == 0 || !phase_may_pair(phase, shape)) {
            continue;
        }
        const iso__plane_box box = is_fat ? box_make_fat(plane, i) : phase->boxes[i];
        *size_sum += box_size(&box);
        phase->leaves[count++] = (iso__plane_tree_leaf){.box = box,
                                                        .value = i,
                                                        .layers = phase_layers(shape, shape->category),
                                                        .masks = phase_layers(shape, shape->mask)};
    }
    return count;
}

/// Gives all shapes new boxes, and makes the tree and the pairs at once. @return false when the pairs do not fit
static bool phase_replace_all(iso__plane *plane, bool is_fat) {
    iso__plane_broad_phase *phase = plane->broad_phase;
    int64_t size_sum;
    const uint32_t count = phase_list_leaves(plane, is_fat, &size_sum);
    // Those that are much larger than most come to the end.
    uint32_t small = count;
    for (uint32_t i = 0; i < small;) {
        if (box_size(&phase->leaves[i].box) * count > LARGE * size_sum) {
            const iso__plane_tree_leaf large = phase->leaves[i];
            phase->leaves[i] = phase->leaves[--small];
            phase->leaves[small] = large;
        } else {
            ++i;
        }
    }
    iso__plane_tree_build(&phase->tree, phase->leaves, small, phase->order, phase->order_room);
    for (uint32_t i = 0; i < count; ++i) {
        iso__plane_tree_leaf *leaf = &phase->leaves[i];
        if (i >= small) {
            leaf->node = iso__plane_tree_insert(&phase->tree, leaf->box, leaf->value, leaf->layers, leaf->masks);
        }
        phase->proxies[leaf->value].leaf = leaf->node;
        phase->proxies[leaf->value].fat = leaf->box;
    }
    const phase_search search = {phase->found, phase->pair_capacity,
                                 iso__plane_tree_join_split(&phase->tree, phase->parts)};
    uint32_t found_count;
    phase->pair_count = 0;
    if (!phase_search_pairs(plane, &search, JOIN_GRAIN, phase_join_piece, &found_count)) {
        return false;
    }
    phase_sort_pairs(plane, phase->found, found_count, phase->pairs);
    phase->pair_count = found_count;
    return true;
}

/// The fewer pairs there are, the more room ahead boxes may take.
/// @param is_fat  they have it: the pairs fit
/// @param is_all  all boxes are of this reach: before, the pairs may be too many because of an earlier one
static void phase_adjust_reach(iso__plane_broad_phase *phase, uint32_t shape_count, bool is_fat, bool is_all) {
    if (is_fat && phase->pair_count < REACH_MORE * (uint64_t)shape_count) {
        phase->reach += phase->reach < REACH_MAX;
    } else if (!is_fat || (is_all && phase->pair_count > REACH_LESS * (uint64_t)shape_count)) {
        phase->reach -= phase->reach > 0;
    }
}

static bool phase_pair_moves(const iso__plane *plane, uint32_t a, uint32_t b) {
    return iso__plane_body_is_moving(plane, plane->shapes[a].body) ||
           iso__plane_body_is_moving(plane, plane->shapes[b].body);
}

/// The candidates themselves, at most the capacity: whenever the room is full, the half with the highest keys
/// is dropped. A dropped pair has at least as many pairs below it as are kept, so the order of finding does not matter.
static iso__pair_list phase_collect_exact(iso__plane *plane) {
    iso__plane_broad_phase *phase = plane->broad_phase;
    const uint32_t kept_max = iso__plane_broad_phase_candidate_max(&plane->world.def);
    uint32_t count = 0;
    uint64_t total = 0;
    for (uint32_t shape = 0; shape < plane->world.globals->shape_count; ++shape) {
        if (plane->shapes[shape].kind == 0 || phase->proxies[shape].leaf == ISO__PLANE_TREE_NULL) {
            continue;
        }
        iso__plane_tree_query query;
        iso__plane_tree_query_init(&query, &phase->tree, phase->boxes[shape],
                                   phase_layers(&plane->shapes[shape], plane->shapes[shape].mask));
        uint32_t other;
        while (iso__plane_tree_query_next(&query, &other)) {
            if (other >= shape || !iso__plane_box_overlaps(&phase->boxes[shape], &phase->boxes[other]) ||
                !pair_is_allowed(plane, shape, other) || !phase_pair_moves(plane, shape, other)) {
                continue;
            }
            if (count == phase->pair_capacity) {
                iso__pairs_sort(phase->found, count);
                count = kept_max;
            }
            phase->found[count++] = pair_make(phase, shape, other);
            ++total;
        }
    }
    iso__pairs_sort(phase->found, count);
    count = count < kept_max ? count : kept_max;
    return (iso__pair_list){phase->found, count, total - count};
}

iso__pair_list iso__plane_broad_phase_repeat(iso__plane *plane) {
    const iso__plane_broad_phase *phase = plane->broad_phase;
    ISO_ASSERT(phase->pair_count <= phase->pair_capacity);
    return phase->is_overfull ? phase_collect_exact(plane) : (iso__pair_list){phase->pairs, phase->pair_count, 0};
}

iso__pair_list iso__plane_broad_phase_update(iso__plane *plane) {
    iso__plane_broad_phase *phase = plane->broad_phase;
    phase->dirty_count = 0;
    phase_know_filters(plane);
    phase_forget_reshaped(plane);
    phase_update_boxes(plane);
    ISO_ASSERT(phase->dirty_count <= plane->world.globals->shape_count);
    if (phase->dirty_count > 0 || phase->has_removed || phase->is_overfull) {
        const uint32_t count = plane->world.shape_map.alive_count, many = count / MOSTLY;
        const bool is_some =
            !phase->is_overfull && phase->dirty_count < (many > FEW ? many : FEW) && phase_replace_some(plane);
        const bool is_fat = is_some || phase_replace_all(plane, true);
        phase->is_overfull = !is_fat && !phase_replace_all(plane, false);
        memset(phase->dirty_bits, 0, (plane->world.def.shape_capacity + 63) / 64 * sizeof *phase->dirty_bits);
        phase->has_removed = false;
        phase_adjust_reach(phase, count, is_fat, !is_some);
    }
    return iso__plane_broad_phase_repeat(plane);
}

bool iso__plane_broad_phase_is_candidate(const iso__plane *plane, uint32_t a, uint32_t b) {
    ISO_ASSERT(a < plane->world.globals->shape_count && b < plane->world.globals->shape_count);
    if (a == b || plane->shapes[a].kind == 0 || plane->shapes[b].kind == 0 || !pair_is_allowed(plane, a, b) ||
        !phase_pair_moves(plane, a, b)) {
        return false;
    }
    const int32_t growth = iso__plane_box_growth(&plane->world.def);
    const iso__plane_box box_a = iso__plane_shape_box(plane, a, growth), box_b = iso__plane_shape_box(plane, b, growth);
    return iso__plane_box_overlaps(&box_a, &box_b);
}

bool iso__plane_broad_phase_box_is_current(const iso__plane *plane, uint32_t shape) {
    ISO_ASSERT(shape < plane->world.globals->shape_count && plane->shapes[shape].kind != 0);
    if (!phase_may_pair(plane->broad_phase, &plane->shapes[shape])) {
        return true;
    }
    const iso__plane_box *kept = &plane->broad_phase->boxes[shape];
    const iso__plane_box box = iso__plane_shape_box(plane, shape, iso__plane_box_growth(&plane->world.def));
    return kept->min_x == box.min_x && kept->min_y == box.min_y && kept->max_x == box.max_x && kept->max_y == box.max_y;
}
