/// The limit of contact points: whom contacts are charged to, and who loses what.
#include "isostep/games.h"
#include "unit/plane/dynamics/contact_limit_util.h"

static iso_command disc(fix16_t x, fix16_t y, fix16_t radius) {
    iso_command c = spawn(x, y);
    c.as.spawn_body.shape = iso_shape_def_circle(radius);
    return c;
}

/// Three members who spawn overlapping discs, one after the other and at random, in a world that lets them have
/// `limit` points.
static iso_world *crowd_make(uint32_t limit) {
    iso_world_def def = util_world_def();
    def.contact_point_limit = limit;
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    util_world_fill(world);
    iso_world_start(world);
    for (uint8_t slot = 0; slot < 3; ++slot) {
        change(world, ISO_CHANGE_JOIN, slot);
    }
    return world;
}

static void crowd_spawn(iso_world *world, uint64_t *random, iso_sealed_command *commands, uint32_t *count) {
    *count = 0;
    for (uint8_t slot = 0; slot < 3; ++slot) {
        iso_slot_view view;
        assert_true(iso_world_get_slot(world, slot, &view));
        *random = *random * UINT64_C(6364136223846793005) + 1;
        for (uint32_t n = (*random >> 60) % 4; n > 0; --n) {
            *random = *random * UINT64_C(6364136223846793005) + 1;
            const fix16_t x = (fix16_t)(*random >> 33) % (6 * METRE),
                          y = 30 * METRE + (fix16_t)(*random >> 45) % (4 * METRE);
            commands[(*count)++] = (iso_sealed_command){slot, ++view.last_sequence, 0, disc(x, y, 2 * METRE)};
        }
    }
}

static void test_members_with_most_contact_points_lose_what_makes_them(void **state) {
    (void)state;
    iso_world *world = crowd_make(160), *other = crowd_make(160);
    uint64_t scene = 0, full_ticks = 0;
    const uint64_t removed = crowd_play(world, other, crowd_spawn, 400, &full_ticks);
    for (iso_body_id b = iso_body_next(world, 0); b.generation != 0; b = iso_body_next(world, b.index + 1)) {
        iso_body_view view;
        assert_int_equal(iso_body_get(world, b, &view), ISO_OK);
        scene += view.spawn_number == 0;
    }
    print_message("%llu removals, %llu ticks with the most that there can be\n", (unsigned long long)removed,
                  (unsigned long long)full_ticks);
    assert_true(removed > 200);
    assert_int_equal(scene, 42); // all of them
    util_world_free(other);
    util_world_free(world);
}

/// Twenty discs of one member over each other, spawned at once: removed 16 a tick at most, the newest first.
static iso_world *heap_make(uint32_t limit, uint32_t count) {
    iso_world *world = crowd_make(limit);
    iso_sealed_command commands[64];
    for (uint32_t i = 0; i < count; ++i) {
        commands[i] = (iso_sealed_command){1, i + 1, 0, disc((fix16_t)i * METRE / 8, 40 * METRE, 3 * METRE)};
    }
    util_step(world, NULL, 0, commands, count);
    return world;
}

static void test_at_most_sixteen_bodies_go_in_a_tick_and_spawns_wait(void **state) {
    (void)state;
    iso_world *world = heap_make(120, 30);
    const uint32_t first = counts_of(world).bodies;
    const iso_command more = disc(0, 60 * METRE, METRE / 4), small = disc(-20 * METRE, 60 * METRE, METRE / 4);
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, 1, &view) && !view.is_crowded);
    assert_refused(world, 1, &more, ISO_ERR_QUOTA);
    iso_events events;
    iso_world_get_events(world, &events);
    assert_int_equal(events.removal_count, 16);
    assert_true(iso_world_get_slot(world, 1, &view) && view.is_crowded);
    assert_int_equal(counts_of(world).bodies, first - 16);
    assert_true(points_of(world, &(expectation){.left = 0}) > 120);
    const iso_command shape = add_shape(iso_world_get_player_body(world, 1));
    assert_refused(world, 1, &shape, ISO_ERR_QUOTA);
    must_give(world, 0, &small); // who has no part in it
    while (events.removal_count > 0) {
        util_steps(world, 1);
        iso_world_get_events(world, &events);
    }
    assert_true(points_of(world, &(expectation){.left = 0}) <= 120);
    must_give(world, 1, &more);
    util_world_free(world);
}

static void test_limit_takes_nothing_at_the_limit_and_nothing_without_one(void **state) {
    (void)state;
    iso_world *world = heap_make(0, 30);
    const expectation none = {.count = 0};
    const uint32_t points = points_of(world, &none);
    const uint32_t limits[] = {0, points, points - 1};
    for (size_t i = 0; i < 3; ++i) {
        world->def.contact_point_limit = limits[i];
        const size_t size = iso_world_image_size(world);
        uint8_t *image = malloc(size);
        assert_int_equal(iso_world_save(world, image, size), size);
        util_steps(world, 1);
        iso_events events;
        iso_world_get_events(world, &events);
        assert_int_equal(events.removal_count, i == 2 ? 1 : 0);
        assert_int_equal(iso_world_restore(world, image, size), ISO_OK);
        iso_world_get_events(world, &events);
        assert_int_equal(events.removal_count, 0);
        free(image);
    }
    util_world_free(world);
}

/// A world without a scene for three members whose balls are far from everything.
static iso_world *empty_make(uint32_t limit) {
    iso_world_def def = util_world_def();
    def.contact_point_limit = limit;
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    for (uint8_t slot = 0; slot < 3; ++slot) {
        change(world, ISO_CHANGE_JOIN, slot);
    }
    return world;
}

static void assert_removed(iso_world *world, const uint64_t *ids, uint32_t count) {
    const expectation e = expect_removals(world);
    util_steps(world, 1);
    assert_removals(world, &e);
    assert_int_equal(e.count, count);
    for (uint32_t i = 0; i < count; ++i) {
        assert_true(iso_body_id_equal(e.removed[i], iso_body_id_unpack(ids[i])));
    }
}

static void test_of_equal_members_the_lower_slot_loses(void **state) {
    (void)state;
    iso_world *world = empty_make(1);
    // Two pairs of discs, of slots 1 and 2, far from each other.
    iso_sealed_command commands[] = {
        {1, 1, 0, disc(0, 60 * METRE, METRE)},
        {1, 2, 0, disc(METRE, 60 * METRE, METRE)},
        {2, 1, 0, disc(30 * METRE, 60 * METRE, METRE)},
        {2, 2, 0, disc(31 * METRE, 60 * METRE, METRE)},
    };
    util_step(world, NULL, 0, commands, 4);
    assert_int_equal(points_of(world, &(expectation){.left = 0}), 2);
    change(world, ISO_CHANGE_DROP, 1); // a held member is one as before
    iso_events events;
    iso_world_get_events(world, &events);
    assert_int_equal(events.removal_count, 1);
    assert_int_equal(events.removals[0].owner.slot, 1);
    assert_int_equal(events.removals[0].body.index, 4); // three balls, then its two discs: the newer one
    util_world_free(world);
}

#define HEAP 10

/// A row of discs of one member, each touching the next: HEAP - 1 points.
static void add_row(iso_world *world, uint8_t slot, uint64_t *ids) {
    iso_sealed_command commands[HEAP];
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, slot, &view));
    for (uint32_t i = 0; i < HEAP; ++i) {
        commands[i] = (iso_sealed_command){slot, ++view.last_sequence, 0,
                                           disc((fix16_t)i * 2 * METRE - METRE / 64, 60 * METRE, METRE + METRE / 64)};
    }
    util_step(world, NULL, 0, commands, HEAP);
    uint32_t count;
    const iso_command_result *results = iso_world_get_results(world, &count);
    for (uint32_t i = 0; i < HEAP; ++i) {
        assert_int_equal(results[i].status, ISO_OK);
        ids[i] = results[i].id;
    }
}

/// One body of small discs, of which each touches one disc of the row.
static uint64_t add_compound(iso_world *world, uint8_t slot) {
    iso_command small = disc(0, 61 * METRE, METRE / 8);
    const uint64_t id = must_give(world, slot, &small);
    const iso_body_id body = iso_body_id_unpack(id);
    iso_command at = {.kind = ISO_COMMAND_SET_BODY_POSITION};
    at.as.set_body_position = (iso_command_set_body_position){body, {0, 61 * ISO_WIDE_ONE}, 0};
    for (uint32_t i = 1; i < HEAP; ++i) {
        iso_command shape = add_shape(body);
        shape.as.create_shape.shape.points[0].x = (fix16_t)i * 2 * METRE;
        must_give(world, slot, &shape);
    }
    must_give(world, slot, &at);
    return id;
}

static void test_who_lays_a_body_over_a_heap_loses_it_and_the_heap_stays(void **state) {
    (void)state;
    for (uint8_t attacker = 0; attacker < 2; ++attacker) { // of the lower and of the higher slot
        for (uint32_t is_older = 0; is_older < 2; ++is_older) {
            iso_world *world = empty_make(0);
            world->globals->gravity[1] = 0;
            uint64_t heap[HEAP], compound = is_older ? add_compound(world, attacker) : 0;
            add_row(world, 1 - attacker, heap);
            compound = is_older ? compound : add_compound(world, attacker);
            iso_command at = {.kind = ISO_COMMAND_SET_BODY_POSITION};
            at.as.set_body_position.body = iso_body_id_unpack(compound);
            at.as.set_body_position.position.y = 61 * ISO_WIDE_ONE;
            must_give(world, attacker, &at);
            assert_int_equal(points_of(world, &(expectation){.left = 0}), HEAP - 1 + HEAP);
            world->def.contact_point_limit = HEAP;
            assert_removed(world, &compound, 1);
            util_world_free(world);
        }
    }
}

/// A large disc with small ones around it that do not touch each other, and a pair of discs of who has the large one.
static void test_bodies_strewn_over_one_cost_no_more_than_that_one(void **state) {
    (void)state;
    iso_world *world = empty_make(3);
    static const int32_t around[6][2] = {{60, 0}, {30, 52}, {-30, 52}, {-60, 0}, {-30, -52}, {30, -52}}; // [1/16 m]
    const iso_command large = disc(0, 60 * METRE, 3 * METRE), one = disc(30 * METRE, 60 * METRE, METRE),
                      other = disc(31 * METRE, 60 * METRE, METRE);
    iso_sealed_command commands[9] = {{0, 1, 0, large}, {0, 2, 0, one}, {0, 3, 0, other}};
    for (uint32_t i = 0; i < 6; ++i) {
        commands[3 + i] = (iso_sealed_command){
            1, i + 1, 0, disc(around[i][0] * METRE / 16, 60 * METRE + around[i][1] * METRE / 16, METRE)};
    }
    util_step(world, NULL, 0, commands, 9);
    uint32_t count;
    const uint64_t lost = iso_world_get_results(world, &count)[0].id;
    assert_int_equal(points_of(world, &(expectation){.left = 0}), 7);
    assert_removed(world, &lost, 1);
    assert_int_equal(points_of(world, &(expectation){.left = 0}), 1);
    util_world_free(world);
}

/// The same of one member: charged is the newer body of each contact.
static void test_of_an_own_heap_the_newest_bodies_go(void **state) {
    (void)state;
    static const int32_t around[6][2] = {{60, 0}, {30, 52}, {-30, 52}, {-60, 0}, {-30, -52}, {30, -52}}; // [1/16 m]
    for (uint32_t is_large_last = 0; is_large_last < 2; ++is_large_last) {
        iso_world *world = empty_make(3);
        iso_sealed_command commands[7];
        commands[is_large_last ? 6 : 0] =
            (iso_sealed_command){1, is_large_last ? 7 : 1, 0, disc(0, 60 * METRE, 3 * METRE)};
        for (uint32_t i = 0; i < 6; ++i) {
            const uint32_t n = is_large_last ? i : i + 1;
            commands[n] = (iso_sealed_command){
                1, n + 1, 0, disc(around[i][0] * METRE / 16, 60 * METRE + around[i][1] * METRE / 16, METRE)};
        }
        util_step(world, NULL, 0, commands, 7);
        uint32_t count;
        const iso_command_result *results = iso_world_get_results(world, &count);
        const uint64_t lost[3] = {results[6].id, results[5].id, results[4].id};
        assert_removed(world, lost, is_large_last ? 1 : 3);
        util_world_free(world);
    }
}

static void test_of_two_members_bodies_that_touch_the_newer_one_goes(void **state) {
    (void)state;
    for (uint8_t last = 0; last < 2; ++last) {
        iso_world *world = empty_make(1);
        const iso_command left = disc(0, 60 * METRE, METRE), right = disc(METRE, 60 * METRE, METRE),
                          far_left = disc(30 * METRE, 60 * METRE, METRE),
                          far_right = disc(31 * METRE, 60 * METRE, METRE);
        world->globals->gravity[1] = 0;
        must_give(world, 1 - last, &left);
        must_give(world, 1 - last, &far_left);
        const iso_sealed_command both[] = {{last, 1, 0, right}, {last, 2, 0, far_right}};
        util_step(world, NULL, 0, both, 2);
        uint32_t count;
        const uint64_t lost = iso_world_get_results(world, &count)[1].id; // of equal bodies the newer one
        assert_removed(world, &lost, 1);
        util_world_free(world);
    }
}

/// Ten discs over each other that were there at tick 0, of the first member of slot 3 or of nobody, and a ball for each
/// of two members.
static iso_world *scene_heap_make(uint32_t limit, bool is_members) {
    iso_world_def def = util_world_def();
    def.contact_point_limit = limit;
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    const iso_shape_def shape = iso_shape_def_circle(3 * METRE);
    for (int32_t i = 0; i < 10; ++i) {
        const iso_body_id body = util_add_body(world, ISO_BODY_DYNAMIC, i * METRE / 8, 60 * METRE, &shape);
        assert_int_equal(
            iso_body_set_owner(world, body, is_members ? (iso_owner){1, 3} : (iso_owner){0, ISO_OWNER_NOBODY}), ISO_OK);
    }
    iso_world_start(world);
    change(world, ISO_CHANGE_JOIN, 3);
    return world;
}

static void test_what_was_there_at_first_is_never_taken(void **state) {
    (void)state;
    iso_world *world = scene_heap_make(5, true);
    for (uint32_t tick = 0; tick < 3; ++tick) {
        util_steps(world, 1);
        iso_events events;
        iso_world_get_events(world, &events);
        assert_int_equal(events.removal_count, 0);
    }
    assert_true(iso_world_get_player_body(world, 3).generation != 0); // which touches nothing
    assert_true(points_of(world, &(expectation){.left = 0}) > 5);
    for (uint32_t i = 0; i < 10; ++i) {
        assert_int_equal(iso_body_next(world, i).index, i);
    }
    util_world_free(world);
}

/// Where the scene makes nearly all of the points, a member who loses a body has less than its share.
static void test_who_lost_a_body_may_not_spawn(void **state) {
    (void)state;
    iso_world *world = scene_heap_make(45, false);
    const iso_command touching = disc(METRE * 9 / 8 + 5 * METRE, 60 * METRE, METRE * 9 / 4),
                      more = disc(-20 * METRE, 60 * METRE, METRE);
    const iso_body_id made = iso_body_id_unpack(must_give(world, 3, &touching));
    const uint32_t points = charges_of(world, &(expectation){.left = 0}).of_member[3];
    assert_true(points >= 1 && points < 45);
    assert_refused(world, 3, &more, ISO_ERR_QUOTA);
    assert_false(iso_body_is_valid(world, made));
    assert_true(iso_world_get_player_body(world, 3).generation != 0);
    must_give(world, 3, &more);
    util_world_free(world);
}

static void test_who_has_more_than_its_share_may_not_spawn(void **state) {
    (void)state;
    iso_world *world = heap_make(60, 30);
    world->def.contact_point_limit = 0;
    iso_sealed_command others[10];
    for (uint32_t i = 0; i < 10; ++i) {
        others[i] = (iso_sealed_command){2, i + 1, 0, disc(30 * METRE + (fix16_t)i * METRE / 8, 40 * METRE, 3 * METRE)};
    }
    util_step(world, NULL, 0, others, 10);
    world->def.contact_point_limit = 60;
    const iso_command more = disc(-20 * METRE, 60 * METRE, METRE / 4), apart = disc(-25 * METRE, 60 * METRE, METRE / 4);
    assert_refused(world, 2, &more, ISO_ERR_QUOTA);
    iso_events events;
    iso_world_get_events(world, &events);
    for (uint32_t i = 0; i < events.removal_count; ++i) {
        assert_int_equal(events.removals[i].owner.slot, 1); // 2 has lost nothing
    }
    assert_int_equal(events.removal_count, ISO_REMOVALS_PER_TICK);
    must_give(world, 0, &apart);
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_with_most_contact_points_lose_what_makes_them),
        cmocka_unit_test(test_at_most_sixteen_bodies_go_in_a_tick_and_spawns_wait),
        cmocka_unit_test(test_limit_takes_nothing_at_the_limit_and_nothing_without_one),
        cmocka_unit_test(test_of_equal_members_the_lower_slot_loses),
        cmocka_unit_test(test_who_lays_a_body_over_a_heap_loses_it_and_the_heap_stays),
        cmocka_unit_test(test_bodies_strewn_over_one_cost_no_more_than_that_one),
        cmocka_unit_test(test_of_an_own_heap_the_newest_bodies_go),
        cmocka_unit_test(test_of_two_members_bodies_that_touch_the_newer_one_goes),
        cmocka_unit_test(test_what_was_there_at_first_is_never_taken),
        cmocka_unit_test(test_who_lost_a_body_may_not_spawn),
        cmocka_unit_test(test_who_has_more_than_its_share_may_not_spawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
