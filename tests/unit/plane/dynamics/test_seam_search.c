/// Which contacts are hidden: what the step finds, with its short cuts and in pieces, is what a search of all pairs
/// finds.
///
///   test_seam_search [--long]   thirty times as many worlds
#include "unit/world/physics_util.h"

#include "plane/collide/seam.h"
#include "plane/dynamics/seam.h"
#include "plane/world/geometry.h"
#include "plane/world/scratch.h"

#define CONTACTS 4096
#define TICKS    8

static uint32_t world_count = 8; // --long

// ---- the search ----------------------------------------------------------------------------------

/// A contact, from the side of the body that slides.
typedef struct side {
    uint32_t number, side, slider, piece;
    iso__plane_seam_touch touch;
} side;

static side side_of(const iso_world *world, uint32_t number, uint32_t of) {
    const iso__plane_contact *contact =
        &iso__plane_of_const(world)->contacts[iso__plane_of_const(world)->scratch->solved[number]];
    const iso__plane_manifold *manifold = &iso__plane_of_const(world)->scratch->manifolds[number];
    side is = {.number = number,
               .side = of,
               .slider = of == 0 ? contact->shape_a : contact->shape_b,
               .piece = of == 0 ? contact->shape_b : contact->shape_a,
               .touch = {.manifold = manifold, .is_a = of == 0}};
    for (int axis = 0; axis < 2; ++axis) {
        is.touch.normal[axis] = of == 0 ? -manifold->normal[axis] : manifold->normal[axis];
    }
    is.touch.is_corner = iso__plane_seam_is_corner(
        manifold, of == 0, iso__plane_of_const(world)->shapes[is.slider].kind == ISO_SHAPE_CIRCLE);
    return is;
}

static const iso__plane_body *side_body(const iso_world *world, uint32_t shape) {
    return &iso__plane_of_const(world)->bodies[iso__plane_of_const(world)->shapes[shape].body];
}

static void side_contact(const iso_world *world, const side *is, iso__plane_seam_contact *contact) {
    contact->touch = &is->touch;
    contact->piece = iso__plane_shape_collider(iso__plane_of_const(world), is->piece);
    const iso_vec2_wide origin =
        iso__plane_shape_origin(iso__plane_of_const(world), is->piece, contact->piece.rotation);
    const int64_t *from = side_body(world, is->slider)->position, *to = side_body(world, is->piece)->position;
    contact->origin[0] = iso__round_shift(to[0] + origin.x - from[0], 8);
    contact->origin[1] = iso__round_shift(to[1] + origin.y - from[1], 8);
}

/// The rule, and nothing that only saves work.
static bool side_hides(const iso_world *world, const side *floor, const side *hidden) {
    const int64_t along =
        iso__dot32(floor->touch.normal[0], floor->touch.normal[1], hidden->touch.normal[0], hidden->touch.normal[1]);
    if (floor->number == hidden->number || floor->slider != hidden->slider || along < -(INT64_C(1) << 58) ||
        (!hidden->touch.is_corner && along >= ISO__PLANE_SEAM_COSINE_ALONG) ||
        iso__plane_of_const(world)->shapes[floor->piece].kind == ISO_SHAPE_CIRCLE ||
        iso__plane_of_const(world)->shapes[hidden->piece].kind == ISO_SHAPE_CIRCLE) {
        return false;
    }
    iso__plane_seam_contact contact, under;
    side_contact(world, hidden, &contact);
    side_contact(world, floor, &under);
    iso__plane_seam_face face;
    return iso__plane_seam_take_face(&under, iso__plane_of_const(world)->scratch->params.manifold.slop, &face) &&
           iso__plane_seam_is_at_face(&face, &hidden->touch) && iso__plane_seam_face_hides(&face, &contact);
}

static bool search_has_rows(const iso_world *world, uint32_t number) {
    return iso__plane_of_const(world)->scratch->contact_colours[number] != ISO__PLANE_COLOUR_NONE;
}

/// @param hidden  of the contacts before it; NULL: none
static bool search_is_hidden_at(const iso_world *world, const side *is, const bool *hidden) {
    const iso__plane_contact *contact =
        &iso__plane_of_const(world)->contacts[iso__plane_of_const(world)->scratch->solved[is->number]];
    const bool has_pushed = (contact->normal_impulse[0] | contact->normal_impulse[1]) != 0;
    if (side_body(world, is->slider)->type != ISO_BODY_DYNAMIC ||
        (has_pushed && side_body(world, is->piece)->type == ISO_BODY_DYNAMIC)) {
        return false;
    }
    const uint32_t body = iso__plane_of_const(world)->shapes[is->slider].body;
    uint32_t count = 0;
    bool is_hidden = false;
    for (uint32_t link = 0; link < 2 * iso__plane_of_const(world)->scratch->solved_count; ++link) {
        const uint64_t key = iso__plane_of_const(world)->scratch->contact_keys[link / 2];
        const bool is_gone = hidden != NULL && link / 2 < is->number && hidden[link / 2];
        if ((link % 2 == 0 ? iso__plane_contact_key_a(key) : iso__plane_contact_key_b(key)) == body &&
            search_has_rows(world, link / 2)) {
            const side floor = side_of(world, link / 2, link % 2);
            is_hidden = is_hidden || (!is_gone && side_hides(world, &floor, is));
            ++count;
        }
    }
    return is_hidden && count <= 64;
}

static bool search_is_hidden(const iso_world *world, uint32_t number, const bool *hidden) {
    if (!search_has_rows(world, number) || !iso__plane_of_const(world)->scratch->manifolds[number].is_short) {
        return false;
    }
    const side a = side_of(world, number, 0), b = side_of(world, number, 1);
    return search_is_hidden_at(world, &a, hidden) || search_is_hidden_at(world, &b, hidden);
}

// ---- worlds --------------------------------------------------------------------------------------

static void run_backwards(void *context, uint32_t count, iso_parallel_task *task, void *data) {
    *(uint32_t *)context += count;
    while (count > 0) {
        task(data, --count);
    }
}

/// Stones of a few slops up to many, in rows side by side, some turned and some of two shapes, between walls of pieces;
/// a plank on more of them than are looked at. Nearly all contacts of the small ones may be hidden.
static iso_world *pile_make(uint64_t seed) {
    rng random = {seed};
    iso_world_def def = world_def_small(-10);
    def.body_capacity = def.shape_capacity = 1024;
    def.contact_capacity = CONTACTS;
    iso_world *world = world_make(&def);
    const int columns = seed % 8 == 0 ? 80 : 20;
    const double size = 0.02 * (double)(1 << seed % 4), gap = rng_below(&random, 3) == 0 ? 0.002 : 0;
    const iso_shape_def tile = shape_box(1.5 * size, size), side_wall = shape_box(size, 1.5 * size);
    for (int i = 0; i < 40; ++i) {
        body_add_shape(world, ISO_BODY_STATIC, (3 * i - 60) * size, -size + i % 3 * 0.001, 0, &tile);
        body_add_shape(world, ISO_BODY_STATIC, (i % 2 == 0 ? -1.5 - columns / 2 : 0.5 + columns / 2) * size,
                       (0.75 + i / 2) * 3 * size / 2, 0, &side_wall);
    }
    for (int i = 0; i < 160; ++i) {
        iso_shape_def shape = shape_box(size / 2, size / 2);
        const uint32_t kind = rng_below(&random, 12);
        if (kind == 0) {
            shape = shape_circle(size / 2);
        } else if (kind == 1) {
            shape = shape_capsule(-size / 4, 0, size / 4, 0, size / 4);
        } else if (kind == 2) {
            shape = shape_polygon_random(&random, 5, size / 2, size / 2, size / 16);
        }
        const double x = (i % columns - columns / 2) * (size + gap), y = (0.5 + i / columns) * (size + gap);
        const double turn = rng_below(&random, 8) == 0 ? rng_range(&random, -0.2, 0.2) : 0;
        const iso_body_id body = body_add_shape(world, ISO_BODY_DYNAMIC, x, y, turn, &shape);
        if (kind == 3) {
            shape.points[0].x += fix(size / 4);
            shape.points[3].x += fix(size / 4);
            shape_add(world, body, &shape);
        }
        body_set_velocity(world, body, rng_range(&random, -1, 1), rng_range(&random, -1, 0), 0);
    }
    const iso_shape_def plank = shape_box((columns + 2) / 2 * size, size / 2);
    body_add_shape(world, ISO_BODY_DYNAMIC, 0, (0.5 + 160 / columns) * (size + gap), 0, &plank);
    return world;
}

typedef struct pile_tally {
    uint32_t hidden, kept; // contacts; those that only hidden ones would hide
} pile_tally;

static void pile_set_kinds(iso_world *world, int32_t kind) {
    for (uint32_t m = 0; m < iso__plane_of(world)->scratch->moving_count; ++m) {
        iso__plane_of(world)->scratch->motions[iso__plane_of(world)->scratch->moving[m]].kind = kind;
    }
}

/// Has the step's own function find them again where the step has ended.
static void pile_check(iso_world *world, pile_tally *tally) {
    static bool hidden[CONTACTS];
    iso__plane_step_scratch *scratch = iso__plane_of(world)->scratch;
    assert_true(scratch->solved_count <= CONTACTS);
    for (uint32_t i = 0; i < scratch->solved_count; ++i) {
        scratch->manifolds[i].is_hidden = false;
    }
    pile_set_kinds(world, ISO__PLANE_MOTION_PLAIN); // as within a step
    iso__plane_step_hide_seams(iso__plane_of(world));
    pile_set_kinds(world, 0);
    for (uint32_t i = 0; i < scratch->solved_count; ++i) {
        hidden[i] = search_is_hidden(world, i, hidden);
        tally->hidden += hidden[i] ? 1 : 0;
        tally->kept += !hidden[i] && search_is_hidden(world, i, NULL) ? 1 : 0;
        EXPECT(scratch->manifolds[i].is_hidden == hidden[i], "contact %u of %u is %s", i, scratch->solved_count,
               hidden[i] ? "hidden" : "not hidden");
    }
}

static void check_worlds(const iso_parallel *parallel) {
    pile_tally tally = {0};
    for (uint32_t seed = 1; seed <= world_count; ++seed) {
        iso_world *world = pile_make(seed);
        EXPECT_STATUS(iso_world_set_parallel(world, parallel), ISO_OK);
        for (uint32_t t = 0; t < TICKS; ++t) {
            world_steps(world, 1 + 4 * (t % 3));
            pile_check(world, &tally);
        }
        world_free(world);
    }
    print_message("%u hidden, %u kept\n", tally.hidden, tally.kept);
    EXPECT(tally.hidden > 200 * world_count && tally.kept > world_count, "only %u hidden and %u kept contacts",
           tally.hidden, tally.kept);
}

static void test_step_hides_what_a_search_of_all_pairs_finds(void **state) {
    (void)state;
    check_worlds(NULL);
}

/// Bodies in another order: which of the two that touch comes first is the other way round.
static void test_so_does_a_step_in_pieces(void **state) {
    (void)state;
    uint32_t pieces = 0;
    const iso_parallel parallel = {.thread_count = 3, .run = run_backwards, .context = &pieces};
    check_worlds(&parallel);
    EXPECT(pieces > 0, "no pieces");
}

int main(int argc, char **argv) {
    world_count = argc == 2 && strcmp(argv[1], "--long") == 0 ? 30 * world_count : world_count;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step_hides_what_a_search_of_all_pairs_finds),
        cmocka_unit_test(test_so_does_a_step_in_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
