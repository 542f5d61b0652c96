#include "dynamics/broad_phase.h"

#include "base/assert.h"
#include "math/fixed_ops.h"
#include "solver/scratch.h"
#include "world/geometry.h"

#define FAT_MARGIN 6554 // 0.1 m in Q15.16

uint32_t iso__broad_phase_candidate_max(const iso_world_def *def) {
    ISO_ASSERT(def->contact_capacity < UINT32_MAX / 8);
    return 2 * def->contact_capacity + 256;
}

uint32_t iso__broad_phase_pair_capacity(const iso_world_def *def) {
    ISO_ASSERT(def->contact_capacity < UINT32_MAX / 8);
    return 2 * iso__broad_phase_candidate_max(def);
}

void iso__broad_phase_clear(iso_world *world) {
    iso__broad_phase *phase = world->broad_phase;
    iso__tree_clear(&phase->tree);
    iso__tree_clear(&phase->stills);
    for (uint32_t i = 0; i < world->def.shape_capacity; ++i) {
        phase->proxies[i] = (iso__proxy){.leaf = ISO__TREE_NULL, .still = ISO__TREE_NULL};
    }
    phase->dirty_count = 0;
    phase->pair_count = 0;
    phase->has_removed = false;
    phase->is_overfull = false;
    phase->categories = phase->masks = 0;
    phase->is_restored = false;
    for (uint32_t i = 0; i < world->def.body_capacity; ++i) {
        iso__bit_set(world->displaced, i);
    }
    for (uint32_t w = 0; w < (world->def.shape_capacity + 63) / 64; ++w) {
        world->reshaped[w] = 0;
    }
    ISO_ASSERT(world->globals->shape_count <= world->def.shape_capacity);
}

/// The tree's layers are the shapes' categories. Shapes of one positive group collide whatever their categories say: they
/// are on all layers, and query all.
static uint32_t phase_layers(const iso__shape *shape, uint32_t bits) {
    return shape->group > 0 ? UINT32_MAX : bits;
}

/// Whether the filters of some shape may agree with this one's.
static bool phase_may_pair(const iso__broad_phase *phase, const iso__shape *shape) {
    return (phase_layers(shape, shape->category) & phase->masks) != 0 &&
           (phase_layers(shape, shape->mask) & phase->categories) != 0;
}

/// Adds a shape's filter to those that are known. @return whether it has something new
static bool phase_know_filter(iso__broad_phase *phase, const iso__shape *shape) {
    const uint32_t categories = phase->categories, masks = phase->masks;
    phase->categories |= phase_layers(shape, shape->category);
    phase->masks |= phase_layers(shape, shape->mask);
    return phase->categories != categories || phase->masks != masks;
}

/// Other shapes may pair with those of a new filter: who has no leaf is looked at again.
static void phase_know_filters(iso_world *world) {
    iso__broad_phase *phase = world->broad_phase;
    bool has_new = phase->categories == 0 && phase->masks == 0;
    for (uint32_t w = 0; w < (world->def.shape_capacity + 63) / 64; ++w) {
        for (uint64_t bits = world->reshaped[w]; bits != 0; bits &= bits - 1) {
            const iso__shape *shape = &world->shapes[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            has_new |= shape->kind != 0 && phase_know_filter(phase, shape);
        }
    }
    for (uint32_t i = 0; has_new && i < world->globals->shape_count; ++i) {
        if (world->shapes[i].kind != 0 && phase->proxies[i].leaf == ISO__TREE_NULL) {
            phase_know_filter(phase, &world->shapes[i]);
            iso__bit_set(world->displaced, world->shapes[i].body);
        }
    }
}

static void phase_remove_still(iso__broad_phase *phase, iso__proxy *proxy) {
    if (proxy->still != ISO__TREE_NULL) {
        iso__tree_remove(&phase->stills, proxy->still);
        proxy->still = ISO__TREE_NULL;
    }
}

/// Removes from the trees the leaves of shapes that are destroyed, replaced or may touch others; their pairs are stale.
static void phase_forget_reshaped(iso_world *world) {
    iso__broad_phase *phase = world->broad_phase;
    for (uint32_t w = 0; w < (world->def.shape_capacity + 63) / 64; ++w) {
        for (uint64_t bits = world->reshaped[w]; bits != 0; bits &= bits - 1) {
            iso__proxy *proxy = &phase->proxies[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            phase_remove_still(phase, proxy);
            if (proxy->leaf != ISO__TREE_NULL) {
                iso__tree_remove(&phase->tree, proxy->leaf);
                proxy->leaf = ISO__TREE_NULL;
                proxy->is_dirty = true;
                phase->has_removed = true;
            }
        }
        world->reshaped[w] = 0;
    }
}

/// A box with room for some ticks of motion.
static iso__box box_make_fat(const iso_world *world, const iso__box *box, uint32_t body) {
    // Q12.19 m/s to Q15.16 m in eight ticks.
    const int32_t ahead_x = (int32_t)((int64_t)world->bodies[body].velocity[0] / world->def.tick_rate_hz);
    const int32_t ahead_y = (int32_t)((int64_t)world->bodies[body].velocity[1] / world->def.tick_rate_hz);
    return (iso__box){
        .min_x = box->min_x - FAT_MARGIN + iso__min32(ahead_x, 0),
        .min_y = box->min_y - FAT_MARGIN + iso__min32(ahead_y, 0),
        .max_x = box->max_x + FAT_MARGIN + iso__max32(ahead_x, 0),
        .max_y = box->max_y + FAT_MARGIN + iso__max32(ahead_y, 0),
    };
}

/// Static shapes are displaced only when someone moves them, or when their body becomes static or ceases to be.
static void phase_update_still(iso_world *world, uint32_t shape, bool is_static) {
    iso__broad_phase *phase = world->broad_phase;
    iso__proxy *proxy = &phase->proxies[shape];
    const iso__shape *of = &world->shapes[shape];
    phase_remove_still(phase, proxy);
    if (is_static) {
        proxy->still = iso__tree_insert(&phase->stills, phase->boxes[shape], shape, phase_layers(of, of->category));
    }
}

/// Computes a shape's box, and moves its leaf when that no longer contains it.
static void phase_update_box(iso_world *world, uint32_t shape, int32_t growth, bool is_static) {
    iso__broad_phase *phase = world->broad_phase;
    iso__proxy *proxy = &phase->proxies[shape];
    if (!phase_may_pair(phase, &world->shapes[shape])) {
        return; // it has no leaf
    }
    phase->boxes[shape] = iso__shape_box(world, shape, growth);
    if (is_static || proxy->still != ISO__TREE_NULL) {
        phase_update_still(world, shape, is_static);
    }
    const iso__shape *of = &world->shapes[shape];
    const iso__box *kept = proxy->leaf != ISO__TREE_NULL ? &phase->tree.nodes[proxy->leaf].box : NULL;
    if (kept != NULL && iso__box_contains(kept, &phase->boxes[shape])) {
        return;
    }
    const iso__box fat = box_make_fat(world, &phase->boxes[shape], of->body);
    if (kept != NULL && phase->is_restored && iso__box_overlaps(kept, &phase->boxes[shape])) {
        iso__tree_move(&phase->tree, proxy->leaf, fat);
    } else {
        if (kept != NULL) {
            iso__tree_remove(&phase->tree, proxy->leaf);
        }
        proxy->leaf = iso__tree_insert(&phase->tree, fat, shape, phase_layers(of, of->category));
    }
    proxy->is_dirty = true;
    phase->dirty[phase->dirty_count++] = shape;
}

/// Computes the boxes of all bodies that were displaced. Sleeping bodies are not displaced.
static void phase_update_boxes(iso_world *world) {
    const int32_t growth = iso__box_growth(&world->def);
    for (uint32_t w = 0; w < (world->def.body_capacity + 63) / 64; ++w) {
        for (uint64_t bits = world->displaced[w]; bits != 0; bits &= bits - 1) {
            const uint32_t body = w * 64 + (uint32_t)__builtin_ctzll(bits);
            if (body >= world->globals->body_count || world->bodies[body].type == 0) {
                continue;
            }
            for (uint32_t i = world->body_derived[body].first_shape; i != UINT32_MAX;
                 i = world->shape_derived[i].next_shape) {
                phase_update_box(world, i, growth, world->bodies[body].type == ISO_BODY_STATIC);
            }
        }
        world->displaced[w] = 0;
    }
    iso__tree_settle(&world->broad_phase->tree);
    world->broad_phase->is_restored = false;
}

// ---- pairs ---------------------------------------------------------------------------------------

static bool pair_is_allowed(const iso_world *world, uint32_t a, uint32_t b) {
    const iso__shape *shape_a = &world->shapes[a];
    const iso__shape *shape_b = &world->shapes[b];
    if (shape_a->body == shape_b->body || (world->bodies[shape_a->body].type != ISO_BODY_DYNAMIC &&
                                           world->bodies[shape_b->body].type != ISO_BODY_DYNAMIC)) {
        return false;
    }
    if (shape_a->group != 0 && shape_a->group == shape_b->group) {
        return shape_a->group > 0;
    }
    return (shape_a->mask & shape_b->category) != 0 && (shape_b->mask & shape_a->category) != 0;
}

bool iso__broad_phase_allows(const iso_world *world, uint32_t a, uint32_t b) {
    ISO_ASSERT(a < world->globals->shape_count && b < world->globals->shape_count);
    return pair_is_allowed(world, a, b);
}

static iso__pair pair_make(const iso_world *world, uint32_t a, uint32_t b) {
    const uint64_t body_a = world->shapes[a].body, body_b = world->shapes[b].body;
    return body_a < body_b ? (iso__pair){body_a << 32 | body_b, (uint64_t)a << 32 | b}
                           : (iso__pair){body_b << 32 | body_a, (uint64_t)b << 32 | a};
}

/// Drops the pairs of dirty proxies.
static void phase_drop_dirty_pairs(iso__broad_phase *phase) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < phase->pair_count; ++i) {
        const iso__pair pair = phase->pairs[i];
        if (!phase->proxies[(uint32_t)(pair.shapes >> 32)].is_dirty &&
            !phase->proxies[(uint32_t)pair.shapes].is_dirty) {
            phase->pairs[kept++] = pair;
        }
    }
    phase->pair_count = kept;
}

/// Whether most shapes are dirty, and may touch something.
static bool phase_is_mostly_dirty(const iso_world *world) {
    const iso__broad_phase *phase = world->broad_phase;
    uint32_t count = 0;
    for (uint32_t i = 0; i < phase->dirty_count; ++i) {
        const iso__shape *shape = &world->shapes[phase->dirty[i]];
        count += (phase_layers(shape, shape->mask) & phase->tree.nodes[phase->tree.root].layers) != 0;
    }
    return count > world->shape_map.alive_count / 2;
}

/// The same as phase_find_pairs, for all shapes at once.
static bool phase_join_pairs(iso_world *world, uint32_t *found_count) {
    iso__broad_phase *phase = world->broad_phase;
    iso__tree_join join;
    iso__tree_join_init(&join, &phase->tree);
    uint32_t count = 0, a, b;
    while (iso__tree_join_next(&join, &a, &b)) {
        if (!(phase->proxies[a].is_dirty || phase->proxies[b].is_dirty) || !pair_is_allowed(world, a, b)) {
            continue;
        }
        if (count + phase->pair_count >= phase->pair_capacity) {
            return false;
        }
        phase->found[count++] = pair_make(world, a, b);
    }
    *found_count = count;
    return true;
}

/// Finds the pairs of dirty proxies by their fat boxes. @return false when they do not fit.
static bool phase_find_pairs(iso_world *world, uint32_t *found_count) {
    iso__broad_phase *phase = world->broad_phase;
    uint32_t count = 0;
    for (uint32_t i = 0; i < phase->dirty_count; ++i) {
        const uint32_t shape = phase->dirty[i];
        iso__tree_query query;
        iso__tree_query_init(&query, &phase->tree, phase->tree.nodes[phase->proxies[shape].leaf].box,
                             phase_layers(&world->shapes[shape], world->shapes[shape].mask));
        uint32_t other;
        while (iso__tree_query_next(&query, &other)) {
            // Two dirty shapes find each other; the one with the higher index keeps the pair.
            if ((phase->proxies[other].is_dirty && other >= shape) || !pair_is_allowed(world, shape, other)) {
                continue;
            }
            if (count + phase->pair_count >= phase->pair_capacity) {
                return false;
            }
            phase->found[count++] = pair_make(world, shape, other);
        }
    }
    *found_count = count;
    return true;
}

/// Merges the sorted new pairs into the sorted old ones, from the back, in place.
static void phase_merge_pairs(iso__broad_phase *phase, uint32_t found_count) {
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

static bool phase_pair_moves(const iso_world *world, uint32_t a, uint32_t b) {
    return iso__body_is_moving(world, world->shapes[a].body) || iso__body_is_moving(world, world->shapes[b].body);
}

/// The candidates themselves, at most the capacity: whenever the room is full, the half with the highest keys
/// is dropped. A dropped pair has at least as many pairs below it as are kept, so the order of finding does not matter.
static iso__pair_list phase_collect_exact(iso_world *world) {
    iso__broad_phase *phase = world->broad_phase;
    const uint32_t kept_max = iso__broad_phase_candidate_max(&world->def);
    uint32_t count = 0;
    uint64_t total = 0;
    for (uint32_t shape = 0; shape < world->globals->shape_count; ++shape) {
        if (world->shapes[shape].kind == 0 || phase->proxies[shape].leaf == ISO__TREE_NULL) {
            continue;
        }
        iso__tree_query query;
        iso__tree_query_init(&query, &phase->tree, phase->boxes[shape],
                             phase_layers(&world->shapes[shape], world->shapes[shape].mask));
        uint32_t other;
        while (iso__tree_query_next(&query, &other)) {
            if (other >= shape || !iso__box_overlaps(&phase->boxes[shape], &phase->boxes[other]) ||
                !pair_is_allowed(world, shape, other) || !phase_pair_moves(world, shape, other)) {
                continue;
            }
            if (count == phase->pair_capacity) {
                iso__pairs_sort(phase->found, count);
                count = kept_max;
            }
            phase->found[count++] = pair_make(world, shape, other);
            ++total;
        }
    }
    iso__pairs_sort(phase->found, count);
    count = count < kept_max ? count : kept_max;
    return (iso__pair_list){phase->found, count, total - count};
}

/// Clears all dirty marks, of found and of removed proxies.
static void phase_clean(iso_world *world) {
    iso__broad_phase *phase = world->broad_phase;
    for (uint32_t i = 0; i < phase->dirty_count; ++i) {
        phase->proxies[phase->dirty[i]].is_dirty = false;
    }
    for (uint32_t i = 0; phase->has_removed && i < world->def.shape_capacity; ++i) {
        phase->proxies[i].is_dirty = false;
    }
    phase->has_removed = false;
}

iso__pair_list iso__broad_phase_repeat(iso_world *world) {
    const iso__broad_phase *phase = world->broad_phase;
    ISO_ASSERT(phase->pair_count <= phase->pair_capacity);
    return phase->is_overfull ? phase_collect_exact(world) : (iso__pair_list){phase->pairs, phase->pair_count, 0};
}

iso__pair_list iso__broad_phase_update(iso_world *world) {
    iso__broad_phase *phase = world->broad_phase;
    if (phase->is_overfull) {
        iso__broad_phase_clear(world); // there may be fewer pairs than in the last tick
    }
    phase->dirty_count = 0;
    phase_know_filters(world);
    phase_forget_reshaped(world);
    phase_update_boxes(world);
    ISO_ASSERT(phase->dirty_count <= world->globals->shape_count);
    if (phase->dirty_count > 0 || phase->has_removed) {
        phase_drop_dirty_pairs(phase);
        uint32_t found_count = 0;
        phase->is_overfull = !(phase_is_mostly_dirty(world) ? phase_join_pairs(world, &found_count)
                                                            : phase_find_pairs(world, &found_count));
        phase_clean(world);
        if (!phase->is_overfull) {
            iso__pairs_sort(phase->found, found_count);
            phase_merge_pairs(phase, found_count);
        }
    }
    return iso__broad_phase_repeat(world);
}

bool iso__broad_phase_is_candidate(const iso_world *world, uint32_t a, uint32_t b) {
    ISO_ASSERT(a < world->globals->shape_count && b < world->globals->shape_count);
    if (a == b || world->shapes[a].kind == 0 || world->shapes[b].kind == 0 || !pair_is_allowed(world, a, b) ||
        !phase_pair_moves(world, a, b)) {
        return false;
    }
    const int32_t growth = iso__box_growth(&world->def);
    const iso__box box_a = iso__shape_box(world, a, growth), box_b = iso__shape_box(world, b, growth);
    return iso__box_overlaps(&box_a, &box_b);
}

bool iso__broad_phase_box_is_current(const iso_world *world, uint32_t shape) {
    ISO_ASSERT(shape < world->globals->shape_count && world->shapes[shape].kind != 0);
    if (!phase_may_pair(world->broad_phase, &world->shapes[shape])) {
        return true;
    }
    const iso__box *kept = &world->broad_phase->boxes[shape];
    const iso__box box = iso__shape_box(world, shape, iso__box_growth(&world->def));
    return kept->min_x == box.min_x && kept->min_y == box.min_y && kept->max_x == box.max_x && kept->max_y == box.max_y;
}
