/// What the functions of a game see and decide of contacts in space.
#include "unit/space/world/space_util.h"

#include "space/world/space.h"

typedef struct judge_state {
    uint64_t asked, told, impulse_max, touching, digest;
} judge_state;

static const iso_field judge_fields[] = {
    ISO_FIELD_OF(judge_state, asked, "", U64),
    ISO_FIELD_OF(judge_state, told, "", U64),
    ISO_FIELD_OF(judge_state, impulse_max, "N s Q31.32", U64),
    ISO_FIELD_OF(judge_state, touching, "", U64),
    ISO_FIELD_OF(judge_state, digest, "", U64),
};

enum { TAG_GHOST = 1, TAG_ICE, TAG_RUBBER, TAG_RUNNER, TAG_PLATE };

#define ASKED_MAX 512

static iso_step_contact3 asked[ASKED_MAX];
static uint32_t asked_in_tick, told_in_tick;

static void judge_before_step(iso_world *world, void *state) {
    (void)world;
    (void)state;
    asked_in_tick = told_in_tick = 0;
}

static uint32_t tag_of(const iso_world *world, iso_body_id body) {
    return view3(world, body).tag;
}

static void judge_mix(judge_state *judge, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
        judge->digest = (judge->digest ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
    }
}

static bool is_in_order(const iso_step_contact3 *a, const iso_step_contact3 *b) {
    return a->body_a.index != b->body_a.index     ? a->body_a.index < b->body_a.index
           : a->body_b.index != b->body_b.index   ? a->body_b.index < b->body_b.index
           : a->shape_a.index != b->shape_a.index ? a->shape_a.index < b->shape_a.index
           : a->shape_b.index != b->shape_b.index ? a->shape_b.index < b->shape_b.index
                                                  : a->child < b->child;
}

/// A plate is open from below: what is not above it passes, and what moves up in it.
static bool plate_passes(const iso_contact3_manifold *manifold, bool is_b) {
    const int64_t up = (is_b ? -1 : 1) * (int64_t)manifold->normal.y;
    bool is_open = up < ISO_ROTATION_ONE / 4;
    for (uint8_t p = 0; p < manifold->point_count; ++p) {
        is_open =
            is_open || (manifold->points[p].approach_speed < 0 && manifold->points[p].separation < -ISO_WIDE_ONE / 16);
    }
    return is_open;
}

static void judge_before_contact(const iso_world *world, void *state, const iso_step_contact3 *contact,
                                 iso_contact3_rules *rules) {
    judge_state *judge = state;
    judge->asked += 1;
    assert_true(asked_in_tick < ASKED_MAX);
    assert_true(asked_in_tick == 0 || is_in_order(&asked[asked_in_tick - 1], contact));
    asked[asked_in_tick++] = *contact;
    assert_true(contact->manifold.point_count > 0);
    assert_true(contact->normal_impulse_max[0] == 0);
    judge_mix(judge, contact->manifold.points, contact->manifold.point_count * sizeof contact->manifold.points[0]);
    for (int side = 0; side < 2; ++side) {
        switch (tag_of(world, side ? contact->body_b : contact->body_a)) {
        case TAG_GHOST:
            rules->is_enabled = false;
            break;
        case TAG_ICE:
            rules->friction = 0;
            break;
        case TAG_RUBBER:
            rules->restitution = 100 * ONE; // clamped to 1
            break;
        case TAG_RUNNER:
            rules->surface_velocity = fix3(3, 40, -2); // what is along the normal does nothing
            break;
        case TAG_PLATE:
            rules->is_enabled = rules->is_enabled && !plate_passes(&contact->manifold, side);
            break;
        default:
            break;
        }
    }
}

static void judge_after_contact(const iso_world *world, void *state, const iso_step_contact3 *contact) {
    judge_state *judge = state;
    (void)world;
    // The same contacts in the same order, with the bodies where they were.
    const iso_step_contact3 *before = &asked[told_in_tick++];
    assert_true(told_in_tick <= asked_in_tick);
    assert_true(before->shape_a.index == contact->shape_a.index && before->shape_b.index == contact->shape_b.index &&
                before->child == contact->child);
    assert_true(before->manifold.points[0].point.x == contact->manifold.points[0].point.x &&
                before->manifold.points[0].point.y == contact->manifold.points[0].point.y &&
                before->manifold.points[0].approach_speed == contact->manifold.points[0].approach_speed);
    judge->told += 1;
    judge->touching += contact->manifold.is_touching;
    judge_mix(judge, &contact->manifold.friction_impulse, sizeof contact->manifold.friction_impulse);
    judge_mix(judge, contact->normal_impulse_max, sizeof contact->normal_impulse_max);
    for (uint32_t p = 0; p < contact->manifold.point_count; ++p) {
        const uint64_t impulse = (uint64_t)contact->normal_impulse_max[p];
        assert_true(contact->normal_impulse_max[p] >= contact->manifold.points[p].normal_impulse);
        judge->impulse_max = impulse > judge->impulse_max ? impulse : judge->impulse_max;
    }
}

static iso_game judge_game(void) {
    return (iso_game){
        .name = "judge",
        .version = 1,
        .dimensions = 8,
        .state_size = sizeof(judge_state),
        .fields = judge_fields,
        .field_count = sizeof judge_fields / sizeof judge_fields[0],
        .before_step = judge_before_step,
        .before_contact3 = judge_before_contact,
        .after_contact3 = judge_after_contact,
    };
}

static iso_world *judge_world(const iso_game *game, bool sleeps) {
    iso_world_def def = space_def();
    def.gravity = (iso_vec2){0, -10 * ONE};
    def.contact_capacity = ASKED_MAX;
    strcpy(def.game, "judge");
    def.sleep_speed = sleeps ? fix(0.05) : 0;
    const size_t size = iso_world_size(&def, game);
    void *memory = aligned_alloc(64, size);
    memset(memory, 0xA5, size);
    iso_world *world = NULL;
    EXPECT_STATUS(iso_world_create(&def, game, memory, size, &world), ISO_OK);
    iso_world_start(world);
    return world;
}

static judge_state judge_of(const iso_world *world) {
    judge_state state;
    memcpy(&state, iso_world_get_game_state(world), sizeof state);
    return state;
}

static iso_body_id add(iso_world *world, iso_body_type type, const iso_shape3_def *shape, vector at, uint32_t tag) {
    const iso_body_id body = body3_add(world, type, wide3(at.x[0], at.x[1], at.x[2]), iso_quat_identity());
    shape3_add(world, body, shape);
    EXPECT_STATUS(iso_body_set_tag(world, body, tag), ISO_OK);
    return body;
}

static iso_body_id box_add(iso_world *world, double x, double y, uint32_t tag) {
    const iso_shape3_def box = box3(0.5, 0.5, 0.5);
    return add(world, ISO_BODY_DYNAMIC, &box, (vector){{x, y, 0}}, tag);
}

static iso_body_id floor_add(iso_world *world) {
    const iso_shape3_def floor = box3(40, 1, 40);
    return add(world, ISO_BODY_STATIC, &floor, (vector){{0, -1, 0}}, 0);
}

static void set_velocity(iso_world *world, iso_body_id body, double x, double y) {
    body3_set_velocity(world, body, (vector){{x, y, 0}}, (vector){{0, 0, 0}});
}

static double height_of(const iso_world *world, iso_body_id body) {
    return from_wide(view3(world, body).centre.y);
}

// ---- what is decided -----------------------------------------------------------------------------

static void test_game_decides_about_contacts(void **state) {
    (void)state;
    const iso_game game = judge_game();
    iso_world *world = judge_world(&game, false);
    floor_add(world);
    const iso_body_id plain = box_add(world, -20, 0.5, 0), ghost = box_add(world, -10, 3, TAG_GHOST);
    const iso_body_id ice = box_add(world, 0, 0.5, TAG_ICE), rubber = box_add(world, 10, 2.5, TAG_RUBBER);
    const iso_body_id runner = box_add(world, 20, 0.5, TAG_RUNNER);
    set_velocity(world, plain, 3, 0);
    set_velocity(world, ice, 3, 0);
    uint32_t begins = 0, ends = 0;
    double top = 0;
    bool has_hit = false;
    for (int t = 0; t < 90; ++t) {
        const judge_state before = judge_of(world);
        world_steps(world, 1);
        const judge_state now = judge_of(world);
        assert_true(now.asked - before.asked == now.told - before.told); // of the same contacts
        iso_events events;
        iso_world_get_events(world, &events);
        for (uint32_t i = 0; i < events.contact_begin_count; ++i) {
            begins += events.contact_begins[i].body_b.index == ghost.index;
        }
        for (uint32_t i = 0; i < events.contact_end_count; ++i) {
            ends += events.contact_ends[i].body_b.index == ghost.index;
        }
        const iso_body3_view bouncing = view3(world, rubber);
        has_hit = has_hit || bouncing.velocity.y > 0;
        top = has_hit && from_wide(bouncing.centre.y) > top ? from_wide(bouncing.centre.y) : top;
    }
    EXPECT_NEAR(length(vector_of(view3(world, plain).velocity)), 0, 2e-3, "friction as ever");
    EXPECT_NEAR(from_wide(view3(world, ice).velocity.x), 3, 1e-3, "no friction");
    EXPECT_NEAR(from_wide(view3(world, runner).velocity.x), 3, 1e-2, "carried along x");
    EXPECT_NEAR(from_wide(view3(world, runner).velocity.z), -2, 1e-2, "carried along z");
    EXPECT_NEAR(height_of(world, runner), 0.5, 0.01, "not lifted");
    assert_true(top > 1.8 && top < 3);         // it bounces
    assert_true(height_of(world, ghost) < -5); // through the floor
    assert_true(begins == 1 && ends == 1);
    world_free(world);
}

/// Whichever of the bodies is A: the floor's surface carries the box, and the box's the floor the other way.
static void test_a_surface_carries_b(void **state) {
    (void)state;
    for (int is_first = 0; is_first < 2; ++is_first) {
        const iso_game game = judge_game();
        iso_world *world = judge_world(&game, false);
        iso_body_id box = {0, 0};
        if (is_first) {
            box = box_add(world, 0, 0.5, TAG_RUNNER);
        }
        floor_add(world);
        if (!is_first) {
            box = box_add(world, 0, 0.5, TAG_RUNNER);
        }
        world_steps(world, 12);
        const double slips = 0.6 * 10 * 0.2 / sqrt(13); // mu g t, in the direction of the surface
        const double way = is_first ? -1 : 1;
        EXPECT_NEAR(from_wide(view3(world, box).velocity.x), way * 3 * slips, 0.02, "while it slips, x");
        EXPECT_NEAR(from_wide(view3(world, box).velocity.z), way * -2 * slips, 0.02, "while it slips, z");
        world_steps(world, 60);
        EXPECT_NEAR(from_wide(view3(world, box).velocity.x), way * 3, 2e-3, "the surface's speed");
        world_free(world);
    }
}

/// A platform that is open from below, which only a game can make in space.
static void test_a_platform_lets_through_from_below_and_holds_from_above(void **state) {
    (void)state;
    const iso_shape3_def plate = box3(1, 0.1, 1), ball = iso_shape3_def_sphere(fix(0.25)),
                         cube = box3(0.25, 0.25, 0.25);
    for (int i = 0; i < 8; ++i) {
        const iso_game game = judge_game();
        iso_world *world = judge_world(&game, false);
        iso_body_id body = {0, 0};
        if (i % 2 == 0) {
            add(world, ISO_BODY_STATIC, &plate, (vector){{0, 0, 0}}, TAG_PLATE);
        }
        body = add(world, ISO_BODY_DYNAMIC, i < 4 ? &ball : &cube, (vector){{0, -2, 0}}, 0);
        if (i % 2 == 1) {
            add(world, ISO_BODY_STATIC, &plate, (vector){{0, 0, 0}}, TAG_PLATE);
        }
        set_velocity(world, body, 0, 9);
        double top = 0;
        for (int t = 0; t < 180; ++t) {
            world_steps(world, 1);
            top = height_of(world, body) > top ? height_of(world, body) : top;
        }
        // 9^2 / 20 above the start, as if there were nothing; it has come to rest on the plate.
        EXPECT_NEAR(top, -2 + 81.0 / 20, 0.1, "case %d: the top of the flight", i);
        EXPECT_NEAR(height_of(world, body), 0.35, 0.01, "case %d rests", i);
        world_free(world);
    }
}

/// What the game lets pass is not stopped for being fast where the step has a contact; else it is put back to where it
/// met, for the rest of that tick alone, and keeps its velocity.
static void test_fast_bodies_pass_what_the_game_disables(void **state) {
    (void)state;
    const iso_game game = judge_game();
    const double speed = 390, way = speed / 60;
    for (int n = 0; n < 4; ++n) {
        const bool is_near = n % 2 == 1;
        iso_world *world = judge_world(&game, false);
        const iso_shape3_def plate = box3(3, 0.05, 3);
        add(world, ISO_BODY_STATIC, &plate, (vector){{0, 0, 0}}, 0);
        const iso_body_id ghost = box_add(world, 0, is_near ? 0.56 : 3.05, TAG_GHOST);
        iso_body3_params params = iso_body3_params_default();
        params.gravity_scale = 0;
        params.bullet = n / 2;
        EXPECT_STATUS(iso_body3_set_params(world, ghost, &params), ISO_OK);
        set_velocity(world, ghost, 0, -speed);
        const double from = height_of(world, ghost);
        world_steps(world, 1);
        EXPECT_NEAR(height_of(world, ghost), is_near ? from - way : 0.55, 0.01, "case %d: a tick", n);
        assert_int_equal(judge_of(world).asked, is_near);
        world_steps(world, 2);
        EXPECT_NEAR(height_of(world, ghost), (is_near ? from - way : 0.55) - 2 * way, 0.01, "case %d: two more", n);
        assert_int_equal(judge_of(world).asked, 1);
        EXPECT_NEAR(from_wide(view3(world, ghost).velocity.y), -speed, 0, "case %d: its speed", n);
        world_free(world);
    }
}

/// A sensor's contact is asked about, and cannot be enabled.
static void test_a_sensor_is_not_enabled(void **state) {
    (void)state;
    const iso_game game = judge_game();
    iso_world *world = judge_world(&game, false);
    iso_shape3_def gate = box3(2, 0.5, 2);
    gate.is_sensor = true;
    add(world, ISO_BODY_STATIC, &gate, (vector){{0, 0, 0}}, TAG_RUBBER);
    const iso_body_id body = box_add(world, 0, 3, 0);
    uint32_t begins = 0, ends = 0;
    for (int t = 0; t < 90; ++t) {
        world_steps(world, 1);
        iso_events events;
        iso_world_get_events(world, &events);
        begins += events.contact_begin_count;
        ends += events.contact_end_count;
        assert_true(events.contact_begin_count == 0 || from_wide(events.contact_begins[0].approach_speed) > 5);
    }
    EXPECT_NEAR(height_of(world, body), 3 - 5 * 1.5 * 1.5, 0.2, "it falls through");
    assert_true(begins == 1 && ends == 1 && judge_of(world).asked > 5);
    world_free(world);
}

// ---- what is told --------------------------------------------------------------------------------

/// A hit of m v, seen as the largest impulse although the box has bounced away by the end of the tick; a bounce is in
/// it.
static void test_game_is_told_impulses(void **state) {
    (void)state;
    const iso_game game = judge_game();
    for (int bounces = 0; bounces < 2; ++bounces) {
        iso_world *world = judge_world(&game, false);
        floor_add(world);
        const iso_body_id box = box_add(world, 0, 0.5, bounces ? TAG_RUBBER : 0);
        const double mass = from_wide(view3(world, box).mass);
        world_steps(world, 60);
        const judge_state resting = judge_of(world);
        assert_true(resting.touching >= 58);
        // The weight over a substep, on four corners, not all alike while it settles.
        EXPECT_NEAR(from_wide((iso_wide)resting.impulse_max), mass * 10 / 240 * 3 / 8, mass * 10 / 240 / 8, "at rest");
        EXPECT_STATUS(iso_body3_set_position(world, box, wide3(0, 1.1, 0), iso_quat_identity()), ISO_OK);
        set_velocity(world, box, 0, -8);
        world_steps(world, 10);
        const double most = from_wide((iso_wide)judge_of(world).impulse_max);
        EXPECT(most > 0.9 * mass * 8 / 4, "%.3f N s at a corner of %.3f", most, mass * 8);
        world_free(world);
    }
}

static void test_sleeping_contacts_are_not_asked_about(void **state) {
    (void)state;
    const iso_game game = judge_game();
    iso_world *world = judge_world(&game, true);
    floor_add(world);
    const iso_body_id box = box_add(world, 0, 0.5, 0);
    world_steps(world, 120);
    assert_false(iso_body_is_awake(world, box));
    const judge_state asleep = judge_of(world);
    world_steps(world, 10);
    assert_true(judge_of(world).asked == asleep.asked && judge_of(world).told == asleep.told);
    world_free(world);
}

/// Without the functions a world has no room for what they decide.
static void test_games_without_the_functions_pay_nothing(void **state) {
    (void)state;
    iso_game game = judge_game();
    iso_world *world = judge_world(&game, false);
    assert_non_null(iso__space_of(world)->scratch);
    const size_t with = iso_world_size(iso_world_get_def(world), &game);
    game.before_contact3 = NULL;
    const size_t told = iso_world_size(iso_world_get_def(world), &game);
    game.after_contact3 = NULL;
    const size_t without = iso_world_size(iso_world_get_def(world), &game);
    assert_true(with > told && told > without);
    assert_int_equal(told - without, ASKED_MAX * 4 * sizeof(int32_t));
    world_free(world);
}

// ---- the same everywhere -------------------------------------------------------------------------

/// A heap of everything on ground of heights, over a kinematic disc that turns.
static iso_world *heap_make(const iso_game *game, bool sleeps) {
    iso_world *world = judge_world(game, sleeps);
    int16_t samples[81];
    rng random = {9};
    for (int i = 0; i < 81; ++i) {
        samples[i] = (int16_t)rng_below(&random, 12);
    }
    uint32_t heights;
    const iso_heights_def ground = {.columns = 9, .rows = 9, .cell = ONE, .scale = ONE / 16, .samples = samples};
    EXPECT_STATUS(iso_world_add_heights(world, &ground, &heights), ISO_OK);
    const iso_shape3_def field = iso_shape3_def_heights(heights), disc = box3(1, 0.2, 1);
    add(world, ISO_BODY_STATIC, &field, (vector){{0, 0, 0}}, 0);
    const iso_body_id table = add(world, ISO_BODY_KINEMATIC, &disc, (vector){{0, 1, 0}}, TAG_PLATE);
    body3_set_velocity(world, table, (vector){{0, 0, 0}}, (vector){{0, 1, 0}});
    for (uint32_t i = 0; i < 50; ++i) {
        const iso_shape3_def shapes[] = {box3(0.4, 0.3, 0.4), iso_shape3_def_sphere(fix(0.35))};
        const vector at = {{rng_range(&random, -2, 2), 1 + 0.3 * i, rng_range(&random, -2, 2)}};
        add(world, ISO_BODY_DYNAMIC, &shapes[i % 2], at, i % 9 == 7 ? TAG_RUNNER : i % 5);
    }
    return world;
}

/// The pieces of a stage one after the other, from the last on.
static void run_backwards(void *context, uint32_t count, iso_parallel_task *task, void *data) {
    (void)context;
    for (uint32_t i = count; i-- > 0;) {
        task(data, i);
    }
}

static void test_no_bit_depends_on_threads_or_instruction_sets(void **state) {
    (void)state;
    const iso_game game = judge_game();
    uint64_t roots[200];
    for (int way = 0; way <= ISO_SIMD_COUNT; ++way) {
        iso_world *world = heap_make(&game, false);
        const iso_parallel parallel = {.thread_count = 4, .run = run_backwards};
        EXPECT_STATUS(iso_world_set_simd(world, ISO_SIMD_PORTABLE), ISO_OK);
        if (way == ISO_SIMD_COUNT) {
            EXPECT_STATUS(iso_world_set_parallel(world, &parallel), ISO_OK);
        } else if (iso_simd_is_supported((iso_simd)way)) {
            EXPECT_STATUS(iso_world_set_simd(world, (iso_simd)way), ISO_OK);
        }
        for (int t = 0; t < 200; ++t) {
            world_steps(world, 1);
            const uint64_t root = iso_world_root(world); // with the digest of all that the game saw
            roots[t] = way == 0 ? root : roots[t];
            EXPECT(root == roots[t], "way %d, tick %d", way, t);
        }
        assert_true(judge_of(world).asked > 5000);
        world_free(world);
    }
}

/// With sleep, and with what is disabled at the border between sleeping and waking: lost caches, decoding and rollbacks
/// change no bit.
static void test_what_a_game_decides_is_no_state(void **state) {
    (void)state;
    const iso_game game = judge_game();
    iso_world *straight = heap_make(&game, true), *disturbed = heap_make(&game, true);
    rng random = {4};
    uint32_t slept = 0;
    for (int t = 0; t < 400; ++t) {
        world_steps(straight, 1);
        asked_in_tick = told_in_tick = 0;
        world_steps(disturbed, 1);
        assert_true(iso_world_root(straight) == iso_world_root(disturbed));
        const size_t size = iso_world_image_size(disturbed), encoded = iso_snapshot_size(disturbed);
        uint8_t *bytes = malloc(size > encoded ? size : encoded);
        switch (rng_below(&random, 4)) {
        case 0:
            iso_world_drop_caches(disturbed);
            break;
        case 1:
            assert_int_equal(iso_world_save(disturbed, bytes, size), size);
            world_steps(disturbed, 2);
            EXPECT_STATUS(iso_world_restore(disturbed, bytes, size), ISO_OK);
            break;
        case 2:
            assert_int_equal(iso_snapshot_encode(disturbed, bytes, encoded), encoded);
            EXPECT_STATUS(iso_snapshot_decode(disturbed, bytes, encoded), ISO_OK);
            break;
        default:
            break;
        }
        free(bytes);
        iso_events events;
        iso_world_get_events(straight, &events);
        slept += events.sleep_count;
    }
    assert_true(slept > 0);
    world_free(disturbed);
    world_free(straight);
}

/// A box in a turning kinematic body that the game lets pass does not fall asleep: a contact keeps its bodies awake
/// whatever a game decides.
static void test_what_is_disabled_connects_all_the_same(void **state) {
    (void)state;
    const iso_game game = judge_game();
    iso_world *world = judge_world(&game, true);
    floor_add(world);
    const iso_shape3_def column = box3(0.2, 3, 0.2);
    const iso_body_id ghost = add(world, ISO_BODY_KINEMATIC, &column, (vector){{0.3, 1, 0}}, TAG_GHOST);
    body3_set_velocity(world, ghost, (vector){{0, 0, 0}}, (vector){{0, 1, 0}});
    const iso_body_id within = box_add(world, 0, 0.5, 0), apart = box_add(world, 10, 0.5, 0);
    for (int t = 0; t < 200; ++t) {
        world_steps(world, 1);
        iso_events events;
        iso_world_get_events(world, &events);
        for (uint32_t i = 0; i < events.sleep_count; ++i) {
            assert_true(iso_body_id_equal(events.sleeps[i], apart));
        }
    }
    EXPECT_NEAR(from_wide(view3(world, within).centre.x), 0, 1e-3, "it is not pushed");
    assert_false(iso_body_is_awake(world, apart));
    assert_true(iso_body_is_awake(world, within));
    assert_int_equal(iso_body_get_island(world, apart), UINT32_MAX);
    world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_game_decides_about_contacts),
        cmocka_unit_test(test_a_surface_carries_b),
        cmocka_unit_test(test_a_platform_lets_through_from_below_and_holds_from_above),
        cmocka_unit_test(test_fast_bodies_pass_what_the_game_disables),
        cmocka_unit_test(test_a_sensor_is_not_enabled),
        cmocka_unit_test(test_game_is_told_impulses),
        cmocka_unit_test(test_sleeping_contacts_are_not_asked_about),
        cmocka_unit_test(test_games_without_the_functions_pay_nothing),
        cmocka_unit_test(test_no_bit_depends_on_threads_or_instruction_sets),
        cmocka_unit_test(test_what_a_game_decides_is_no_state),
        cmocka_unit_test(test_what_is_disabled_connects_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
