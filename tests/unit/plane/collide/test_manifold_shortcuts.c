/// What the manifolds leave out gives the same as looking at everything: random pairs, many of them faces that lie
/// along each other, with the vertices searched in each case.
///   test_manifold_shortcuts [--poses N]   default 60,000
#include "manifold_util.h"

// The product's sources once more, without shortcuts and with names of their own.
void full_polygon_polygon(const iso__manifold_settings *settings, const iso__plane_convex *a,
                          const iso__plane_convex *b, iso__plane_manifold *manifold);
void full_polygon_over_face(const iso__manifold_settings *settings, const iso__plane_convex *a, uint32_t face,
                            const iso__plane_convex *b, iso__plane_manifold *manifold);
void full_make(const iso__manifold_settings *settings, const iso__plane_collider *a, const iso__plane_collider *b,
               int64_t dx, int64_t dy, iso__plane_manifold *manifold);
bool full_is_beyond(const iso__manifold_settings *settings, const iso__plane_collider *a, const iso__plane_collider *b,
                    int64_t dx, int64_t dy);

#include "plane/collide/manifold_polygon.h"

#define POLYGON_SEARCHES_ALL                  1
#define convex                                of_core // a type of the test
#define iso__plane_manifold_polygon_polygon   full_polygon_polygon
#define iso__plane_manifold_polygon_over_face full_polygon_over_face
#define iso__plane_manifold_make              full_make
#define iso__plane_manifold_is_beyond         full_is_beyond
#include "plane/collide/manifold.c"
#include "plane/collide/manifold_polygon.c"
#undef convex
#undef iso__plane_manifold_polygon_polygon
#undef iso__plane_manifold_polygon_over_face
#undef iso__plane_manifold_make
#undef iso__plane_manifold_is_beyond

#define POSES_PER_PAIR 200

static uint32_t pair_count = 300;

typedef struct counts {
    uint32_t poses, touching, empty, beyond, lying;
} counts;

static iso_shape_def piece_any(rng *random) {
    const double size = rng_below(random, 8) == 0 ? rng_range(random, 5, 20) : rng_range(random, 0.05, 2);
    switch (rng_below(random, 8)) {
    case 0:
        return shape_circle(size);
    case 1:
        return iso_shape_def_capsule((iso_vec2){fix(-size), 0}, (iso_vec2){fix(size), 0}, fix(size / 3));
    case 2:
        return shape_polygon_random(random, 3 + rng_below(random, 6), size, 0.7, rng_range(random, 0, 0.1));
    case 3:
        return shape_polygon_random(random, 3 + rng_below(random, 6), size, 0.7, 0);
    default:
        return shape_box(size, rng_range(random, 0.05, 2));
    }
}

/// Near each other in any pose; or upright but for a little, with faces that nearly touch.
static void pose_any(placed *is, rng *random, double reach, const double heights[2]) {
    if (rng_below(random, 2) == 0) {
        placed_put(is, 0, 0, 0, rng_range(random, -1, 1));
        placed_put(is, 1, rng_range(random, -reach, reach), rng_range(random, -reach, reach), rng_range(random, -1, 1));
        return;
    }
    const double tremble = rng_below(random, 3) == 0 ? 0 : pow(10, rng_range(random, -9, -2));
    const double gap = (rng_below(random, 2) ? 1 : -1) * pow(10, rng_range(random, -8, -1.5));
    const double up = heights[0] + heights[1] + gap;
    placed_put(is, 0, 0, 0, rng_below(random, 2) / 2.0);
    placed_put(is, 1, rng_range(random, -reach, reach), rng_below(random, 2) ? up : -up,
               rng_below(random, 2) / 2.0 + rng_range(random, -tremble, tremble));
}

static void pose_compare(const placed *is, const iso__manifold_settings *settings, counts *count) {
    const iso__plane_collider a = iso__plane_shape_collider(iso__plane_of(is->world), is->shapes[0].index);
    const iso__plane_collider b = iso__plane_shape_collider(iso__plane_of(is->world), is->shapes[1].index);
    const iso__plane_body *bodies = iso__plane_of(is->world)->bodies;
    const int64_t dx = iso__round_shift(bodies[1].position[0] - bodies[0].position[0], 8);
    const int64_t dy = iso__round_shift(bodies[1].position[1] - bodies[0].position[1], 8);
    iso__plane_manifold full, quick;
    memset(&full, 0, sizeof full);
    memset(&quick, 0, sizeof quick);
    full_make(settings, &a, &b, dx, dy, &full);
    iso__plane_manifold_make(settings, &a, &b, dx, dy, &quick);
    assert_memory_equal(&full, &quick, sizeof full);
    const bool is_beyond = iso__plane_manifold_is_beyond(settings, &a, &b, dx, dy);
    assert_false(is_beyond && full.count > 0);
    ++count->poses;
    count->touching += full.count > 0;
    count->lying += full.count == 2;
    count->empty += full.count == 0;
    count->beyond += is_beyond;
}

static void test_shortcuts_change_no_bit(void **state) {
    (void)state;
    rng random = {71};
    counts count = {0};
    for (uint32_t pair = 0; pair < pair_count; ++pair) {
        const iso_shape_def defs[2] = {piece_any(&random), piece_any(&random)};
        const iso__manifold_settings settings = {.slop =
                                                     pair % 5 == 0 ? (int64_t)rng_below(&random, 1000) : SETTINGS.slop,
                                                 .speculative = SETTINGS.speculative << rng_below(&random, 3)};
        placed is;
        if (!placed_make(&is, defs)) {
            continue;
        }
        double heights[2];
        for (int i = 0; i < 2; ++i) {
            heights[i] = from_fix(defs[i].radius);
            for (uint32_t p = 0; p < defs[i].point_count; ++p) {
                heights[i] = fmax(heights[i], from_fix(defs[i].points[p].y) + from_fix(defs[i].radius));
            }
        }
        for (uint32_t i = 0; i < POSES_PER_PAIR; ++i) {
            pose_any(&is, &random, rng_range(&random, 0, 2.2) * is.size, heights);
            pose_compare(&is, &settings, &count);
        }
        world_free(is.world);
    }
    print_message("%u poses: %u touch, %u of them along a face; %u do not, %u of them known without a manifold\n",
                  count.poses, count.touching, count.lying, count.empty, count.beyond);
    assert_true(count.lying > count.poses / 20 && count.beyond > count.empty / 3);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "--poses") == 0) {
        pair_count = (uint32_t)strtoul(argv[2], NULL, 10) / POSES_PER_PAIR;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shortcuts_change_no_bit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
