/// The limit of contact points in space: the rules of the plane, with contacts of up to four points and with fields of
/// heights.
#include "isostep/games.h"
#include "unit/plane/dynamics/contact_limit_util.h"
#include "unit/space/world/space_util.h"

static iso_command piece(double x, double y, double z, const iso_shape3_def *shape) {
    iso_command c;
    memset(&c, 0, sizeof c);
    c.kind = ISO_COMMAND_SPAWN_BODY3;
    c.as.spawn_body3.body = iso_body3_def_default();
    c.as.spawn_body3.body.position = wide3(x, y, z);
    c.as.spawn_body3.shape = *shape;
    return c;
}

/// Three members on a floor, with as many contact points as `limit` allows.
static iso_world *crowd_make(uint32_t limit) {
    iso_world_def def = space_def();
    def.body_capacity = 128;
    def.contact_capacity = 512;
    def.slot_capacity = 4;
    def.contact_point_limit = limit;
    strcpy(def.game, "sandbox3");
    for (uint32_t i = 0; i < iso_game_sandbox3.param_count; ++i) {
        def.game_params[i] = iso_game_sandbox3.params[i].value;
    }
    iso_world *world = util_world_create(&def, &iso_game_sandbox3);
    const iso_shape3_def floor = iso_shape3_def_plane((iso_vec3){0, ONE, 0}, 0);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity()), &floor);
    iso_world_start(world);
    for (uint8_t slot = 0; slot < 3; ++slot) {
        change(world, ISO_CHANGE_JOIN, slot);
    }
    return world;
}

/// Each member spawns up to three boxes and balls that overlap.
static void crowd_spawn(iso_world *world, uint64_t *random, iso_sealed_command *commands, uint32_t *count) {
    *count = 0;
    for (uint8_t slot = 0; slot < 3; ++slot) {
        iso_slot_view view;
        assert_true(iso_world_get_slot(world, slot, &view));
        rng number = { *random += 1};
        for (uint32_t n = rng_below(&number, 4); n > 0; --n) {
            const iso_shape3_def ball = iso_shape3_def_sphere(ONE), cube = box3(1, 1, 1);
            const double x = rng_range(&number, 20, 26), z = rng_range(&number, 20, 26);
            const iso_command more =
                piece(x, rng_range(&number, 0.5, 4), z, rng_below(&number, 2) == 0 ? &ball : &cube);
            commands[(*count)++] = (iso_sealed_command){slot, ++view.last_sequence, 0, more};
        }
        *random = rng_next(&number);
    }
}

static void test_members_with_most_contact_points_lose_what_makes_them(void **state) {
    (void)state;
    iso_world *world = crowd_make(160), *other = crowd_make(160);
    uint64_t full_ticks = 0;
    const uint64_t removed = crowd_play(world, other, crowd_spawn, 200, &full_ticks);
    print_message("%llu removals, %llu ticks with the most that there can be\n", (unsigned long long)removed,
                  (unsigned long long)full_ticks);
    assert_true(removed > 80);
    assert_true(iso_body_is_valid(world, iso_body_next(world, 0)) && iso_body_next(world, 0).index == 0); // the floor
    util_world_free(other);
    util_world_free(world);
}

/// Boxes of one member that lie on the floor with four points each.
static iso_world *row_make(uint32_t limit, uint32_t count) {
    iso_world *world = crowd_make(limit);
    const iso_shape3_def cube = box3(0.5, 0.5, 0.5);
    iso_sealed_command commands[64];
    for (uint32_t i = 0; i < count; ++i) {
        commands[i] = (iso_sealed_command){1, i + 1, 0, piece(20 + 2.0 * i, 0.5, 0, &cube)};
    }
    util_step(world, NULL, 0, commands, count);
    return world;
}

static uint32_t all_points(const iso_world *world) {
    const expectation none = {.count = 0};
    return points_of(world, &none);
}

static void test_all_four_points_count_and_none_below_the_limit(void **state) {
    (void)state;
    for (uint32_t over = 0; over < 2; ++over) {
        iso_world *world = row_make(40 - over, 10);
        assert_int_equal(all_points(world), 40);
        util_steps(world, 1);
        iso_events events;
        iso_world_get_events(world, &events);
        assert_int_equal(events.removal_count, over);
        assert_true(over == 0 ||
                    (events.removals[0].body.index == 13 && events.removals[0].owner.slot == 1)); // the newest
        util_world_free(world);
    }
}

static void test_at_most_sixteen_bodies_go_in_a_tick_and_spawns_wait(void **state) {
    (void)state;
    iso_world *world = row_make(20, 30);
    const uint32_t first = counts_of(world).bodies;
    const iso_shape3_def ball = iso_shape3_def_sphere(ONE / 4);
    const iso_command more = piece(0, 60, 0, &ball), apart = piece(-20, 60, 0, &ball);
    iso_slot_view view;
    assert_int_equal(all_points(world), 120);
    assert_refused(world, 1, &more, ISO_ERR_QUOTA);
    assert_int_equal(counts_of(world).bodies, first - ISO_REMOVALS_PER_TICK);
    assert_true(iso_world_get_slot(world, 1, &view) && view.is_crowded);
    must_give(world, 0, &apart); // who has no part in it
    util_steps(world, 1);
    assert_true(all_points(world) <= 20);
    must_give(world, 1, &more);
    util_world_free(world);
}

/// A ball on ground of heights has one contact with it, a box several children: all their points are charged to it.
static void test_points_on_heights_are_charged_to_what_lies_there(void **state) {
    (void)state;
    iso_world_def def = space_def();
    def.slot_capacity = 2;
    def.contact_point_limit = 1;
    def.gravity = (iso_vec2){0, -10 * ONE};
    strcpy(def.game, "sandbox3");
    for (uint32_t i = 0; i < iso_game_sandbox3.param_count; ++i) {
        def.game_params[i] = iso_game_sandbox3.params[i].value;
    }
    iso_world *world = util_world_create(&def, &iso_game_sandbox3);
    int16_t samples[25];
    for (int i = 0; i < 25; ++i) {
        samples[i] = (int16_t)(i % 5 == 2 ? 0 : 8); // a groove along z
    }
    uint32_t heights;
    const iso_heights_def ground = {.columns = 5, .rows = 5, .cell = ONE, .scale = ONE / 16, .samples = samples};
    EXPECT_STATUS(iso_world_add_heights(world, &ground, &heights), ISO_OK);
    const iso_shape3_def field = iso_shape3_def_heights(heights), box = box3(0.9, 0.2, 0.5);
    shape3_add(world, body3_add(world, ISO_BODY_STATIC, wide3(0, 0, 0), iso_quat_identity()), &field);
    iso_world_start(world);
    change(world, ISO_CHANGE_JOIN, 1);
    const iso_command lie = piece(0, 0.65, 0, &box);
    const uint64_t id = must_give(world, 1, &lie);
    for (int t = 0; t < 60 && counts_of(world).contacts < 2; ++t) {
        util_steps(world, 1);
        assert_true(counts_of(world).removed_bodies == 0 || counts_of(world).contacts > 0);
    }
    util_steps(world, 1);
    assert_int_equal(counts_of(world).removed_bodies, 1);
    assert_false(iso_body_is_valid(world, iso_body_id_unpack(id)));
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_with_most_contact_points_lose_what_makes_them),
        cmocka_unit_test(test_all_four_points_count_and_none_below_the_limit),
        cmocka_unit_test(test_at_most_sixteen_bodies_go_in_a_tick_and_spawns_wait),
        cmocka_unit_test(test_points_on_heights_are_charged_to_what_lies_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
