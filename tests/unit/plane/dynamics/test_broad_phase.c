/// The candidates of a tick against brute force over the boxes of all shapes, and the tree that saves the work.
#include "unit/world/physics_util.h"

#include "isostep/parallel.h"
#include "plane/dynamics/broad_phase.h"

// ---- brute force ---------------------------------------------------------------------------------

typedef struct box {
    double min_x, min_y, max_x, max_y;
} box;

/// The box of a shape grown by half the speculative distance, from the public view.
static box box_measure(const iso_world *world, uint32_t index) {
    const iso_shape_id id = {index, world->shape_generations[index]};
    iso_shape_def def;
    iso_body_id body;
    EXPECT_STATUS(iso_shape_get(world, id, &def, &body), ISO_OK);
    const iso_body_view view = body_view(world, body);
    const double c = view.rotation.c / 1073741824.0, s = view.rotation.s / 1073741824.0;
    const double grown = from_fix(def.radius) + from_fix(world->def.speculative_distance) / 2;
    box is = {HUGE_VAL, HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (uint32_t i = 0; i < def.point_count; ++i) {
        const double px = from_fix(def.points[i].x), py = from_fix(def.points[i].y);
        const double x = from_wide(view.position.x) + c * px - s * py, y = from_wide(view.position.y) + s * px + c * py;
        is = (box){fmin(is.min_x, x - grown), fmin(is.min_y, y - grown), fmax(is.max_x, x + grown),
                   fmax(is.max_y, y + grown)};
    }
    return is;
}

static bool pair_may_touch(const iso_world *world, uint32_t i, uint32_t j) {
    const iso__plane_shape *a = &iso__plane_of_const(world)->shapes[i], *b = &iso__plane_of_const(world)->shapes[j];
    const bool moves = iso__plane_of_const(world)->bodies[a->body].type == ISO_BODY_DYNAMIC ||
                       iso__plane_of_const(world)->bodies[b->body].type == ISO_BODY_DYNAMIC;
    const bool agrees = a->group != 0 && a->group == b->group
                            ? a->group > 0
                            : (a->mask & b->category) != 0 && (b->mask & a->category) != 0;
    return a->kind != 0 && b->kind != 0 && a->body != b->body && moves && agrees;
}

/// How far two boxes overlap along the axis where they do least, negative when apart.
static double box_overlap(const box *a, const box *b) {
    return fmin(fmin(a->max_x - b->min_x, b->max_x - a->min_x), fmin(a->max_y - b->min_y, b->max_y - a->min_y));
}

static iso__pair pair_key(const iso_world *world, uint32_t i, uint32_t j) {
    const uint64_t a = iso__plane_of_const(world)->shapes[i].body, b = iso__plane_of_const(world)->shapes[j].body;
    return a < b ? (iso__pair){a << 32 | b, (uint64_t)i << 32 | j} : (iso__pair){b << 32 | a, (uint64_t)j << 32 | i};
}

static bool list_has(const iso__pair *pairs, uint32_t count, const iso__pair *key) {
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (iso__pair_is_less(&pairs[middle], key)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && pairs[low].bodies == key->bodies && pairs[low].shapes == key->shapes;
}

/// The tree is whole: links go both ways, boxes are the unions, heights count and differ by one at most, each live
/// shape has one leaf that contains its box, and every node is either in the tree or free.
static uint32_t tree_check_node(const iso_world *world, uint32_t index, uint32_t parent) {
    const iso__plane_tree *tree = &iso__plane_of_const(world)->broad_phase->tree;
    const iso__plane_tree_node *node = &tree->nodes[index];
    EXPECT(node->parent == parent, "node %u: parent %u instead of %u", index, node->parent, parent);
    if (node->child[0] == ISO__PLANE_TREE_NULL) {
        EXPECT(node->height == 0 && node->child[1] == ISO__PLANE_TREE_NULL, "leaf %u has height %u", index,
               node->height);
        EXPECT(iso__plane_of_const(world)->broad_phase->proxies[node->value].leaf == index,
               "leaf %u is not that of shape %u", index, node->value);
        EXPECT(iso__plane_box_contains(&node->box, &iso__plane_of_const(world)->broad_phase->boxes[node->value]),
               "shape %u left its fat box", node->value);
        return 1;
    }
    const iso__plane_tree_node *a = &tree->nodes[node->child[0]], *b = &tree->nodes[node->child[1]];
    const iso__plane_box joined = {a->box.min_x < b->box.min_x ? a->box.min_x : b->box.min_x,
                                   a->box.min_y < b->box.min_y ? a->box.min_y : b->box.min_y,
                                   a->box.max_x > b->box.max_x ? a->box.max_x : b->box.max_x,
                                   a->box.max_y > b->box.max_y ? a->box.max_y : b->box.max_y};
    EXPECT(memcmp(&joined, &node->box, sizeof joined) == 0, "node %u is not the union of its children", index);
    EXPECT(node->layers == (a->layers | b->layers) && node->masks == (a->masks | b->masks), "node %u: layers", index);
    EXPECT(node->height == 1 + (a->height > b->height ? a->height : b->height), "node %u: height %u", index,
           node->height);
    return 1 + tree_check_node(world, node->child[0], index) + tree_check_node(world, node->child[1], index);
}

static uint32_t tree_check(const iso_world *world) {
    const iso__plane_tree *tree = &iso__plane_of_const(world)->broad_phase->tree;
    uint32_t live = 0, free_nodes = 0;
    for (uint32_t i = 0; i < world->globals->shape_count; ++i) {
        live += iso__plane_of_const(world)->shapes[i].kind != 0;
    }
    const uint32_t nodes =
        tree->root == ISO__PLANE_TREE_NULL ? 0 : tree_check_node(world, tree->root, ISO__PLANE_TREE_NULL);
    EXPECT(nodes == (live ? 2 * live - 1 : 0), "%u nodes for %u shapes", nodes, live);
    for (uint32_t i = tree->free; i != ISO__PLANE_TREE_NULL && free_nodes <= tree->capacity;
         i = tree->nodes[i].parent) {
        ++free_nodes;
    }
    EXPECT(nodes + free_nodes == tree->fresh, "%u nodes and %u given back of %u", nodes, free_nodes, tree->fresh);
    return nodes ? tree->nodes[tree->root].height : 0;
}

/// Updates the broad phase and compares; a pair whose boxes meet within `slack` may be either.
static uint32_t world_check_candidates(iso_world *world, const char *when) {
    const double slack = 4 * QUANTUM_FIX16;
    const iso__pair_list list = iso__plane_broad_phase_update(iso__plane_of(world));
    const uint32_t count = world->globals->shape_count;
    uint32_t candidates = 0, expected = 0;
    for (uint32_t i = 0; i < list.count; ++i) {
        const iso__pair *pair = &list.pairs[i];
        EXPECT(i == 0 || iso__pair_is_less(&list.pairs[i - 1], pair), "%s: pair %u is out of order or twice there",
               when, i);
        const iso__plane_box *boxes = iso__plane_of(world)->broad_phase->boxes;
        candidates += iso__plane_box_overlaps(&boxes[(uint32_t)(pair->shapes >> 32)], &boxes[(uint32_t)pair->shapes]);
    }
    static box boxes[512];
    for (uint32_t i = 0; i < count; ++i) {
        boxes[i] = iso__plane_of(world)->shapes[i].kind ? box_measure(world, i) : (box){0, 0, 0, 0};
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t j = 0; j < i; ++j) {
            if (!pair_may_touch(world, i, j)) {
                continue;
            }
            const iso__pair key = pair_key(world, i, j);
            const bool is_candidate = iso__plane_box_overlaps(&iso__plane_of(world)->broad_phase->boxes[i],
                                                              &iso__plane_of(world)->broad_phase->boxes[j]);
            const double overlap = box_overlap(&boxes[i], &boxes[j]);
            EXPECT(is_candidate ? overlap >= -slack : overlap <= slack, "%s: shapes %u and %u overlap by %g", when, i,
                   j, overlap);
            EXPECT(!is_candidate || list_has(list.pairs, list.count, &key), "%s: shapes %u and %u are missing", when, i,
                   j);
            expected += is_candidate;
        }
    }
    EXPECT(candidates == expected, "%s: %u candidates instead of %u", when, candidates, expected);
    if (list.pairs == iso__plane_of(world)->broad_phase->pairs) {
        tree_check(world);
    }
    return expected;
}

// ---- pieces --------------------------------------------------------------------------------------

/// All pieces on the calling thread, the last one first; counts them.
static void run_backwards(void *context, uint32_t count, iso_parallel_task *task, void *data) {
    uint32_t *pieces = context;
    *pieces += count;
    for (uint32_t i = count; i-- > 0;) {
        task(data, i);
    }
}

// ---- worlds that move ----------------------------------------------------------------------------

static iso_shape_def shape_any(rng *random) {
    const double size = 0.1 * pow(30, rng_range(random, 0, 1));
    iso_shape_def def = rng_below(random, 3) == 0 ? shape_circle(size)
                                                  : shape_polygon_random(random, 3 + rng_below(random, 6), size,
                                                                         size * 0.6, rng_below(random, 2) * 0.05);
    def.filter =
        (iso_filter){1u << rng_below(random, 3), ~(1u << rng_below(random, 5)), (int32_t)rng_below(random, 4) - 1};
    return def;
}

static iso_body_id body_add_any(iso_world *world, rng *random, double reach) {
    static const iso_body_type types[] = {ISO_BODY_DYNAMIC, ISO_BODY_DYNAMIC, ISO_BODY_DYNAMIC, ISO_BODY_KINEMATIC,
                                          ISO_BODY_STATIC};
    const iso_body_type type = types[rng_below(random, 5)];
    const iso_body_id body = body_add(world, type, rng_range(random, -reach, reach), rng_range(random, -reach, reach),
                                      rng_range(random, -3, 3));
    for (uint32_t i = rng_below(random, 3); i < 3; ++i) {
        iso_shape_id shape;
        const iso_shape_def def = shape_any(random);
        iso_shape_create(world, body, &def, &shape); // a full world or a body out of range is none of ours
    }
    if (type != ISO_BODY_STATIC) {
        body_set_velocity(world, body, rng_range(random, -30, 30), rng_range(random, -30, 30),
                          rng_range(random, -5, 5));
    }
    return body;
}

static iso_body_id body_pick(const iso_world *world, rng *random) {
    const iso_body_id body = iso_body_next(world, rng_below(random, world->globals->body_count));
    return body.generation ? body : iso_body_next(world, 0);
}

/// One of the ways in which a world changes between two ticks.
static const char *world_disturb(iso_world *world, rng *random, void *image, size_t *image_size) {
    switch (rng_below(random, 13)) {
    case 0:
        if (world_counts(world).bodies < 120) {
            body_add_any(world, random, 15);
        }
        return "a body came";
    case 1:
        if (world_counts(world).bodies > 60) {
            iso_body_destroy(world, body_pick(world, random));
        }
        return "a body went";
    case 2: {
        const iso_shape_def def = shape_any(random);
        iso_shape_id shape;
        iso_shape_create(world, body_pick(world, random), &def, &shape);
        return "a shape came";
    }
    case 3: {
        const uint32_t shape = rng_below(random, world->globals->shape_count);
        iso_shape_destroy(world, (iso_shape_id){shape, world->shape_generations[shape]});
        return "a shape went";
    }
    case 4:
        iso_world_drop_caches(world);
        return "the caches went";
    case 5:
        if (*image_size != 0) {
            EXPECT_STATUS(iso_world_restore(world, image, *image_size), ISO_OK);
        }
        return "an older state came back";
    case 6:
        *image_size = iso_world_save(world, image, iso_world_image_size_max(world));
        return "the state was saved";
    case 7: {
        const uint32_t shape = rng_below(random, world->globals->shape_count);
        iso_shape_set_filter(world, (iso_shape_id){shape, world->shape_generations[shape]}, shape_any(random).filter);
        return "a filter changed";
    }
    default:
        return "it moved";
    }
}

static void test_candidates_are_those_of_brute_force_whatever_happens(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed) {
        rng random = {seed};
        iso_world_def def = world_def_small(seed % 2 ? -10 : 0);
        def.contact_capacity = 4096;
        iso_world *world = world_make(&def);
        void *image = malloc(iso_world_image_size_max(world));
        size_t image_size = 0;
        uint64_t seen = 0;
        for (int i = 0; i < 90; ++i) {
            body_add_any(world, &random, 15);
        }
        for (int t = 0; t < 150; ++t) {
            const char *what = world_disturb(world, &random, image, &image_size);
            char when[96];
            snprintf(when, sizeof when, "seed %llu, tick %d, %s", (unsigned long long)seed, t, what);
            seen += world_check_candidates(world, when);
            world_steps(world, 1);
        }
        EXPECT(seen > 2500, "only %llu candidates", (unsigned long long)seen);
        free(image);
        world_free(world);
    }
}

/// Many discs in a box without gravity, each with a velocity.
static iso_world *crowd_make(uint64_t seed, uint32_t contacts, double speed) {
    rng random = {seed};
    iso_world_def def = world_def_small(0);
    def.contact_capacity = contacts;
    iso_world *world = world_make(&def);
    const iso_shape_def disc = shape_circle(0.6), wall = shape_box(30, 1);
    body_add_shape(world, ISO_BODY_STATIC, 0, -16, 0, &wall);
    while (world_counts(world).bodies < 250) {
        const iso_body_id body =
            body_add_shape(world, ISO_BODY_DYNAMIC, rng_range(&random, -15, 15), rng_range(&random, -15, 15), 0, &disc);
        body_set_velocity(world, body, speed * rng_range(&random, -1, 1), speed * rng_range(&random, -1, 1), 0);
    }
    return world;
}

/// A search in pieces finds what one alone does, also when a piece has too little room for what it finds.
static void test_pieces_find_the_same_pairs(void **state) {
    (void)state;
    for (uint32_t n = 0; n < 6; ++n) {
        const uint32_t contacts = n < 2 ? 2048 : 4 * n;
        const double speed = n % 2 ? 3 : 60;
        iso_world *alone = crowd_make(n, contacts, speed), *split = crowd_make(n, contacts, speed);
        uint32_t pieces = 0, pairs = 0;
        const iso_parallel parallel = {.thread_count = 4, .run = run_backwards, .context = &pieces};
        EXPECT_STATUS(iso_world_set_parallel(split, &parallel), ISO_OK);
        for (int t = 0; t < 30; ++t) {
            const iso__pair_list one = iso__plane_broad_phase_update(iso__plane_of(alone)),
                                 other = iso__plane_broad_phase_update(iso__plane_of(split));
            EXPECT(one.count == other.count && one.dropped == other.dropped &&
                       memcmp(one.pairs, other.pairs, one.count * sizeof *one.pairs) == 0,
                   "crowd %u, tick %d: %u pairs and %u", n, t, one.count, other.count);
            pairs += one.count;
            EXPECT_STATUS(iso_world_set_parallel(split, NULL), ISO_OK);
            world_steps(alone, 1);
            world_steps(split, 1);
            EXPECT_STATUS(iso_world_set_parallel(split, &parallel), ISO_OK);
        }
        EXPECT(pieces >= 8 && pairs > 1000, "crowd %u: %u pieces, %u pairs", n, pieces, pairs);
        world_free(alone);
        world_free(split);
    }
}

/// Boxes with much room ahead have more pairs than fit: they get less, instead of none at all in every tick.
static void test_boxes_stay_fat_when_there_is_room_for_few_pairs(void **state) {
    (void)state;
    for (uint32_t contacts = 2; contacts <= 128; contacts *= 4) {
        iso_world *world = crowd_make(contacts, contacts, 20);
        uint32_t left = 0;
        for (int t = 0; t < 60; ++t) {
            world_steps(world, 1);
            left += t < 20 ? 0 : iso__plane_of(world)->broad_phase->dirty_count;
        }
        EXPECT(left < 40 * 80, "room for %u contacts: %u of 250 boxes are new in a tick", contacts, left / 40);
        world_free(world);
    }
}

/// Between updates everything may come and go several times, in the same slots.
static void test_many_changes_between_two_updates_leave_no_trace(void **state) {
    (void)state;
    rng random = {9};
    iso_world_def def = world_def_small(0);
    def.contact_capacity = 4096;
    iso_world *world = world_make(&def);
    void *image = malloc(iso_world_image_size_max(world));
    size_t image_size = 0;
    for (int i = 0; i < 60; ++i) {
        body_add_any(world, &random, 10);
    }
    for (int round = 0; round < 60; ++round) {
        const uint32_t changes = 1 + rng_below(&random, 40);
        for (uint32_t i = 0; i < changes; ++i) {
            world_disturb(world, &random, image, &image_size);
        }
        char when[64];
        snprintf(when, sizeof when, "after %u changes in round %d", changes, round);
        world_check_candidates(world, when);
        world_steps(world, 1);
    }
    free(image);
    world_free(world);
}

static void test_boxes_hold_at_the_border_of_the_world(void **state) {
    (void)state;
    rng random = {10};
    iso_world_def def = world_def_small(0);
    def.contact_capacity = 4096;
    iso_world *world = world_make(&def);
    const iso_shape_def wide_shape = shape_circle(59.9);
    for (int corner = 0; corner < 4; ++corner) {
        for (int i = 0; i < 12; ++i) {
            const double x = (corner % 2 ? 30000 : -30000) + rng_range(&random, 0, 40) * (corner % 2 ? -1 : 1);
            const double y = (corner / 2 ? 30000 : -30000) + rng_range(&random, 0, 40) * (corner / 2 ? -1 : 1);
            const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, x, y, 1, &wide_shape);
            body_set_velocity(world, body, 500, -500, 0);
        }
    }
    assert_int_equal(world_check_candidates(world, "at the corners"), 4 * 12 * 11 / 2);
    world_steps(world, 3);
    world_check_candidates(world, "at the corners, later");
    world_free(world);
}

// ---- the tree ------------------------------------------------------------------------------------

#define TREE_HEIGHT_MAX 16u // 1.44 log2(1024), and a little

typedef struct forest {
    iso__plane_tree tree;
    iso__plane_tree_node nodes[2048];
    iso__plane_box boxes[1024];
    uint32_t leaves[1024];
} forest;

static void forest_init(forest *is) {
    memset(is, 0, sizeof *is);
    is->tree.nodes = is->nodes;
    is->tree.capacity = 2048;
    iso__plane_tree_clear(&is->tree);
    for (int i = 0; i < 1024; ++i) {
        is->leaves[i] = ISO__PLANE_TREE_NULL;
    }
}

/// Most leaves are on a layer or two of eight, one in eleven on none, one in thirteen on all.
static uint32_t forest_layers(uint32_t value) {
    return value % 11 == 0 ? 0 : value % 13 == 0 ? UINT32_MAX : 1u << value % 8 | 1u << value % 5;
}

/// Some pair with no layer, some with all.
static uint32_t forest_masks(uint32_t value) {
    return value % 17 == 0 ? 0 : value % 3 == 0 ? UINT32_MAX : 7u << value % 6;
}

static void forest_put(forest *is, uint32_t value, iso__plane_box at) {
    is->boxes[value] = at;
    is->leaves[value] = iso__plane_tree_insert(&is->tree, at, value, forest_layers(value), forest_masks(value));
}

static void forest_take(forest *is, uint32_t value) {
    iso__plane_tree_remove(&is->tree, is->leaves[value]);
    is->leaves[value] = ISO__PLANE_TREE_NULL;
}

static iso__plane_box forest_box(rng *random, double reach, double size) {
    const double x = rng_range(random, -reach, reach), y = rng_range(random, -reach, reach);
    return (iso__plane_box){fix(x), fix(y), fix(x + size * rng_range(random, 0, 1)),
                            fix(y + size * rng_range(random, 0, 1))};
}

/// Whole metres, so that edges meet exactly: a touch is an overlap.
static iso__plane_box forest_box_whole(rng *random) {
    const int32_t x = (int32_t)rng_below(random, 40), y = (int32_t)rng_below(random, 40);
    const int32_t width = (int32_t)rng_below(random, 6), height = (int32_t)rng_below(random, 6);
    return (iso__plane_box){x * ONE, y * ONE, (x + width) * ONE, (y + height) * ONE};
}

static void forest_check_layers(const forest *is, iso__plane_box at, uint32_t layers) {
    static bool found[1024];
    memset(found, 0, sizeof found);
    iso__plane_tree_query query;
    iso__plane_tree_query_init(&query, &is->tree, at, layers);
    for (uint32_t value; iso__plane_tree_query_next(&query, &value);) {
        EXPECT(!found[value], "leaf %u was found twice", value);
        found[value] = true;
    }
    for (uint32_t i = 0; i < 1024; ++i) {
        const bool expected = is->leaves[i] != ISO__PLANE_TREE_NULL && (forest_layers(i) & layers) != 0 &&
                              iso__plane_box_overlaps(&is->boxes[i], &at);
        EXPECT(found[i] == expected, "leaf %u was %s", i, expected ? "missed" : "found in vain");
    }
}

static void forest_check_query(const forest *is, iso__plane_box at) {
    forest_check_layers(is, at, UINT32_MAX);
    forest_check_layers(is, at, 1u << 3);
    forest_check_layers(is, at, 1u << 20); // of those on all layers alone
    forest_check_layers(is, at, 0);
}

static void test_queries_find_exactly_what_overlaps(void **state) {
    (void)state;
    rng random = {21};
    static forest is;
    forest_init(&is);
    forest_check_query(&is, (iso__plane_box){INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX});
    for (int round = 0; round < 3000; ++round) {
        const uint32_t value = rng_below(&random, 1024);
        if (is.leaves[value] == ISO__PLANE_TREE_NULL) {
            forest_put(&is, value,
                       round % 3 == 0 ? forest_box_whole(&random)
                                      : forest_box(&random, round % 2 ? 30000 : 300, round % 5 ? 5 : 400));
        } else {
            forest_take(&is, value);
        }
        if (round % 10 == 0) {
            forest_check_query(&is, forest_box(&random, 300, 100));
            forest_check_query(&is, forest_box(&random, 30000, 20000));
            forest_check_query(&is, forest_box_whole(&random));
        }
    }
    for (uint32_t i = 0; i < 1024; ++i) {
        if (is.leaves[i] != ISO__PLANE_TREE_NULL) {
            forest_take(&is, i);
        }
    }
    assert_int_equal(is.tree.root, ISO__PLANE_TREE_NULL);
    // All nodes are free again.
    for (uint32_t i = 0; i < 1024; ++i) {
        forest_put(&is, i, forest_box(&random, 100, 1));
    }
}

static bool forest_may_pair(uint32_t i, uint32_t j) {
    return (forest_layers(i) & forest_masks(j)) != 0 && (forest_layers(j) & forest_masks(i)) != 0;
}

static bool forest_found[1024][1024];

static void forest_join(iso__plane_tree_join *join) {
    for (uint32_t a, b; iso__plane_tree_join_next(join, &a, &b);) {
        const uint32_t low = a < b ? a : b, high = a < b ? b : a;
        EXPECT(low != high && !forest_found[low][high], "leaves %u and %u were found twice", low, high);
        forest_found[low][high] = true;
    }
}

static void forest_check_found(const forest *is, const char *by) {
    for (uint32_t i = 0; i < 1024; ++i) {
        for (uint32_t j = i + 1; j < 1024 && is->leaves[i] != ISO__PLANE_TREE_NULL; ++j) {
            const bool expected = is->leaves[j] != ISO__PLANE_TREE_NULL &&
                                  iso__plane_box_overlaps(&is->boxes[i], &is->boxes[j]) && forest_may_pair(i, j);
            EXPECT(forest_found[i][j] == expected, "%s: leaves %u and %u were %s", by, i, j,
                   expected ? "missed" : "found in vain");
        }
    }
    memset(forest_found, 0, sizeof forest_found);
}

/// All pairs of leaves at once, and part by part, against all pairs of boxes.
static void forest_check_join(const forest *is) {
    iso__plane_tree_join join;
    iso__plane_tree_join_init(&join, &is->tree);
    forest_join(&join);
    forest_check_found(is, "at once");
    iso__plane_tree_part parts[ISO__PLANE_TREE_PARTS_MAX];
    const uint32_t count = iso__plane_tree_join_split(&is->tree, parts);
    assert_true(count <= ISO__PLANE_TREE_PARTS_MAX);
    for (uint32_t i = 0; i < count; ++i) {
        iso__plane_tree_join_init_part(&join, &is->tree, &parts[i]);
        forest_join(&join);
    }
    forest_check_found(is, "in parts");
}

/// The leaves that there are, and some more, all at new places.
static void forest_build(forest *is, rng *random, int round) {
    static iso__plane_tree_leaf leaves[1024];
    static uint64_t order[1024], room[1024];
    uint32_t count = 0;
    for (uint32_t value = 0; value < 1024; ++value) {
        if (rng_below(random, 8) < (uint32_t)(round % 9)) {
            is->boxes[value] = round % 4 == 0 ? forest_box_whole(random) : forest_box(random, 30000, 400);
            is->boxes[value] = round % 7 == 0 ? (iso__plane_box){5, 5, 9, 9} : is->boxes[value];
            leaves[count++] = (iso__plane_tree_leaf){is->boxes[value], value, forest_layers(value), forest_masks(value),
                                                     ISO__PLANE_TREE_NULL};
        }
        is->leaves[value] = ISO__PLANE_TREE_NULL;
    }
    iso__plane_tree_build(&is->tree, leaves, count, order, room);
    for (uint32_t i = 0; i < count; ++i) {
        is->leaves[leaves[i].value] = leaves[i].node;
    }
    uint32_t levels = 0;
    for (; 1u << levels < count; ++levels) {
    }
    EXPECT(count == 0 || is->nodes[is->tree.root].height == levels, "%u leaves are not %u high", count, levels);
}

/// Trees are built at once, then leaves come and go.
static void test_built_trees_have_all_leaves_and_pairs(void **state) {
    (void)state;
    rng random = {23};
    static forest is;
    forest_init(&is);
    forest_check_join(&is);
    for (int round = 0; round < 40; ++round) {
        if (round % 3 != 2) {
            forest_build(&is, &random, round);
        }
        forest_check_join(&is);
        const uint32_t changes = rng_below(&random, 600);
        for (uint32_t n = 0; n < changes; ++n) {
            const uint32_t value = rng_below(&random, 1024);
            if (is.leaves[value] == ISO__PLANE_TREE_NULL) {
                forest_put(&is, value, forest_box(&random, 300, round % 5 ? 15 : 100));
            } else {
                forest_take(&is, value);
            }
        }
        forest_check_join(&is);
        forest_check_query(&is, forest_box(&random, 300, 200));
    }
}

/// A query's stack holds a node a level. Whatever the order in which boxes come, the tree stays low.
static void test_tree_stays_low_in_every_order(void **state) {
    (void)state;
    enum { LINE, DOUBLING, NESTED, SPIRAL, RANDOM, CHURN, ORDERS };
    static const char *const names[ORDERS] = {"a line", "doubling distances", "nested boxes", "a spiral", "random",
                                              "churn"};
    static forest is;
    for (int order = 0; order < ORDERS; ++order) {
        rng random = {31};
        forest_init(&is);
        uint32_t highest = 0;
        for (uint32_t i = 0; i < 1024; ++i) {
            const double far = pow(1.7, i % 34) * 0.0005, turn = i * 2.4;
            iso__plane_box at = {(int32_t)i * 65536, 0, (int32_t)i * 65536 + 60000, 60000};
            if (order == DOUBLING) {
                at = (iso__plane_box){fix(far), 0, fix(far) + 100, 100};
            } else if (order == NESTED) {
                at = (iso__plane_box){-(int32_t)(i + 1) * 1000, -(int32_t)(i + 1) * 1000, (int32_t)(i + 1) * 1000,
                                      (int32_t)(i + 1) * 1000};
            } else if (order == SPIRAL) {
                at = (iso__plane_box){fix(far * cos(turn)), fix(far * sin(turn)), fix(far * cos(turn)) + 50,
                                      fix(far * sin(turn)) + 50};
            } else if (order >= RANDOM) {
                at = forest_box(&random, 1000, 3);
            }
            forest_put(&is, i, at);
            if (order == CHURN && i % 3 == 2) {
                forest_take(&is, i - 1 - rng_below(&random, 2));
            }
            const uint32_t height = is.nodes[is.tree.root].height;
            highest = height > highest ? height : highest;
        }
        print_message("1024 boxes, %s: at most %u high\n", names[order], highest);
        EXPECT(highest <= TREE_HEIGHT_MAX, "%s: %u high", names[order], highest);
    }
}

/// A net of discs that do not collide is not in the tree, until there is a shape that some of them may touch.
static void test_shapes_whose_filters_agree_with_none_wait_outside_of_the_tree(void **state) {
    (void)state;
    iso_world *world = world_make_small(0);
    iso_shape_def disc = shape_circle(0.5), wall = shape_box(5, 0.5);
    disc.filter = (iso_filter){2, ~2u, 0};
    for (int i = 0; i < 20; ++i) {
        body_add_shape(world, ISO_BODY_DYNAMIC, 0.5 * (i - 10), 0, 0, &disc);
    }
    assert_int_equal(iso__plane_broad_phase_update(iso__plane_of(world)).count, 0);
    assert_int_equal(iso__plane_of(world)->broad_phase->tree.root, ISO__PLANE_TREE_NULL);
    world_steps(world, 1);
    assert_int_equal(iso__plane_of(world)->broad_phase->tree.root, ISO__PLANE_TREE_NULL);
    // None of them has moved since, and each of these lets them in: another category, another mask, a group.
    wall.filter = (iso_filter){4, 2, 0};
    const iso_body_id body = body_add(world, ISO_BODY_STATIC, 0, 0, 0);
    const iso_shape_id shape = shape_add(world, body, &wall);
    assert_int_equal(world_check_candidates(world, "wall"), 20);
    const iso_filter filters[] = {{4, 1, 0}, {2, 2, 0}, {2, ~2u, 1}, {1, 3, 0}};
    const uint32_t expected[] = {0, 0, 0, 20};
    for (int i = 0; i < 4; ++i) {
        iso_world_drop_caches(world);
        EXPECT_STATUS(iso_shape_set_filter(world, shape, (iso_filter){2, ~2u, 0}), ISO_OK);
        assert_int_equal(iso__plane_broad_phase_update(iso__plane_of(world)).count, 0);
        assert_int_equal(iso__plane_of(world)->broad_phase->tree.root, ISO__PLANE_TREE_NULL);
        EXPECT_STATUS(iso_shape_set_filter(world, shape, filters[i]), ISO_OK);
        const iso__pair_list pairs = iso__plane_broad_phase_update(iso__plane_of(world));
        uint32_t candidates = 0;
        for (uint32_t p = 0; p < pairs.count; ++p) {
            candidates += iso__plane_broad_phase_is_candidate(
                iso__plane_of(world), (uint32_t)(pairs.pairs[p].shapes >> 32), (uint32_t)pairs.pairs[p].shapes);
        }
        EXPECT(candidates == expected[i], "filter %d: %u candidates", i, candidates);
    }
    // The same group lets two of them touch.
    const iso_shape_id first = iso_shape_next(world, 0), second = iso_shape_next(world, 1);
    EXPECT_STATUS(iso_shape_set_filter(world, shape, (iso_filter){2, ~2u, 0}), ISO_OK);
    iso_world_drop_caches(world);
    assert_int_equal(iso__plane_broad_phase_update(iso__plane_of(world)).count, 0);
    EXPECT_STATUS(iso_shape_set_filter(world, first, (iso_filter){2, ~2u, 3}), ISO_OK);
    EXPECT_STATUS(iso_shape_set_filter(world, second, (iso_filter){2, ~2u, 3}), ISO_OK);
    assert_int_equal(world_check_candidates(world, "group"), 1);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_candidates_are_those_of_brute_force_whatever_happens),
        cmocka_unit_test(test_many_changes_between_two_updates_leave_no_trace),
        cmocka_unit_test(test_pieces_find_the_same_pairs),
        cmocka_unit_test(test_boxes_stay_fat_when_there_is_room_for_few_pairs),
        cmocka_unit_test(test_boxes_hold_at_the_border_of_the_world),
        cmocka_unit_test(test_queries_find_exactly_what_overlaps),
        cmocka_unit_test(test_shapes_whose_filters_agree_with_none_wait_outside_of_the_tree),
        cmocka_unit_test(test_built_trees_have_all_leaves_and_pairs),
        cmocka_unit_test(test_tree_stays_low_in_every_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
