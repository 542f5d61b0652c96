/// The sandbox: spawning, driving, jumping, respawning, leaving.
#include "unit/state/test_state_util.h"
#include "isostep/games.h"

static iso_world *sandbox_with_floor(void) {
    const iso_world_def def = util_world_def();
    iso_world *world = util_world_create(&def, iso_game_find("sandbox"));
    const iso_shape_def floor = iso_shape_def_box(50 * METRE, METRE);
    util_add_body(world, ISO_BODY_STATIC, 0, -METRE, &floor);
    iso_world_start(world);
    const iso_change joins[2] = {{ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 3, 1}};
    util_step(world, joins, 2, NULL, 0);
    return world;
}

static iso_body_view player(const iso_world *world, uint32_t slot) {
    iso_body_view view;
    const iso_body_id body = iso_world_get_player_body(world, slot);
    assert_int_equal(iso_body_get(world, body, &view), ISO_OK);
    return view;
}

static iso_status give_custom(iso_world *world, uint8_t slot, const char *bytes, uint16_t size) {
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, slot, &view));
    iso_sealed_command sealed = {.slot = slot, .sequence = view.last_sequence + 1};
    sealed.command.kind = ISO_COMMAND_CUSTOM;
    sealed.command.as.custom.size = size;
    memcpy(sealed.command.as.custom.bytes, bytes, size);
    util_step(world, NULL, 0, &sealed, 1);
    uint32_t count;
    return iso_world_get_results(world, &count)[0].status;
}

static void assert_near(double value, double expected, double tolerance) {
    assert_true(value > expected - tolerance && value < expected + tolerance);
}

/// Holds the same control for some ticks, as a client does: again before it times out.
static void hold(iso_world *world, uint8_t slot, int16_t x, int16_t y, uint32_t buttons, int ticks) {
    for (int i = 0; i < ticks; ++i) {
        iso_slot_view view;
        assert_true(iso_world_get_slot(world, slot, &view));
        const iso_sealed_command sealed = util_control(slot, view.last_sequence + 1, x, y, buttons);
        util_step(world, NULL, 0, &sealed, i % 5 == 0);
    }
}

static void test_game_is_found_by_name(void **state) {
    (void)state;
    assert_ptr_equal(iso_game_find("sandbox"), &iso_game_sandbox);
    assert_null(iso_game_find("sandbo"));
    assert_null(iso_game_find("sandbox2"));
    assert_null(iso_game_find(""));
    for (uint32_t i = 0; i < iso_game_sandbox.param_count; ++i) {
        const iso_game_param *param = &iso_game_sandbox.params[i];
        assert_true(param->min <= param->value && param->value <= param->max);
    }
}

static void test_member_gets_a_ball_of_its_own(void **state) {
    (void)state;
    iso_world *world = sandbox_with_floor();
    const iso_body_view a = player(world, 0), b = player(world, 3);
    assert_int_equal(a.owner.slot, 0);
    assert_int_equal(b.owner.slot, 3);
    assert_int_equal(b.owner.generation, 1);
    assert_int_equal(a.tag, 1);
    assert_int_equal(b.tag, 4);
    assert_true(a.position.x != b.position.x);
    assert_int_equal(iso_world_get_player_body(world, 1).generation, 0);
    assert_int_equal(iso_world_get_player_body(world, 4).generation, 0);
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.bodies, 3);
    util_world_free(world);
}

static void test_spawn_places_do_not_overlap(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    def.slot_capacity = ISO_SLOT_COUNT_MAX;
    def.gravity = (iso_vec2){0, 0};
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    iso_change joins[ISO_SLOT_COUNT_MAX];
    for (uint8_t i = 0; i < ISO_SLOT_COUNT_MAX; ++i) {
        joins[i] = (iso_change){ISO_CHANGE_JOIN, i, 1};
    }
    util_step(world, joins, ISO_SLOT_COUNT_MAX, NULL, 0);
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.bodies, ISO_SLOT_COUNT_MAX);
    assert_int_equal(counts.contacts, 0);
    util_world_free(world);
}

static void test_axes_drive_the_ball_in_proportion(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    def.gravity = (iso_vec2){0, 0};
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    const iso_change joins[2] = {{ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 3, 1}};
    const iso_sealed_command drives[2] = {util_control(0, 1, 32767, 0, 0), util_control(3, 1, -16384, 8192, 0)};
    util_step(world, joins, 2, drives, 2);
    const iso_body_view full = player(world, 0), half = player(world, 3);
    // v = F t / m
    const double mass = (double)full.mass / ISO_WIDE_ONE;
    const double expected = 25.0 / 60.0 / mass;
    assert_true(mass > 1.57 && mass < 1.572); // pi / 4 * 2 kg
    assert_near((double)full.velocity.x / ISO_WIDE_ONE, expected, 1e-4);
    assert_int_equal(full.velocity.y, 0);
    assert_near((double)half.velocity.x / ISO_WIDE_ONE, -expected / 2, 1e-4);
    assert_near((double)half.velocity.y / ISO_WIDE_ONE, expected / 4, 1e-4);
    // Without news the drive goes on for control_timeout ticks after the one that set it, then no more.
    util_steps(world, 10);
    assert_near((double)player(world, 0).velocity.x / ISO_WIDE_ONE, 11 * expected, 1e-3);
    util_steps(world, 10);
    assert_near((double)player(world, 0).velocity.x / ISO_WIDE_ONE, 11 * expected, 1e-3);
    util_world_free(world);
}

static void test_most_negative_axis_is_no_more_than_the_others(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    def.gravity = (iso_vec2){0, 0};
    def.game_params[0] = 1000 * ISO_WIDE_ONE; // so much that one part in 32,768 shows
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    const iso_change joins[2] = {{ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 3, 1}};
    const iso_sealed_command drives[2] = {util_control(0, 1, INT16_MIN, INT16_MIN, 0),
                                          util_control(3, 1, -32767, -32767, 0)};
    util_step(world, joins, 2, drives, 2);
    assert_true(player(world, 0).velocity.x < -5 * ISO_WIDE_ONE);
    assert_int_equal(player(world, 0).velocity.x, player(world, 3).velocity.x);
    assert_int_equal(player(world, 0).velocity.y, player(world, 3).velocity.y);
    util_world_free(world);
}

static void test_jump_needs_a_floor_and_a_new_press(void **state) {
    (void)state;
    iso_world *world = sandbox_with_floor();
    // In the air a press does nothing.
    const iso_wide falling = player(world, 0).velocity.y;
    hold(world, 0, 0, 0, 1, 1);
    assert_true(player(world, 0).velocity.y < falling);
    hold(world, 0, 0, 0, 0, 240); // lands and rests
    assert_true(llabs(player(world, 0).velocity.y) < ISO_WIDE_ONE / 20);
    hold(world, 0, 0, 0, 1, 1);
    const double speed = (double)player(world, 0).velocity.y / ISO_WIDE_ONE;
    assert_true(speed > 5.5 && speed < 6.1); // jump_speed, less one tick of gravity
    // Held through the landing: no second jump.
    iso_wide highest = INT64_MIN;
    for (int i = 0; i < 240; ++i) {
        hold(world, 0, 0, 0, 1, 1);
        if (i > 120) {
            highest = player(world, 0).centre.y > highest ? player(world, 0).centre.y : highest;
        }
    }
    assert_true(highest < ISO_WIDE_ONE * 6 / 10);
    hold(world, 0, 0, 0, 0, 1);
    hold(world, 0, 0, 0, 1, 1);
    assert_true(player(world, 0).velocity.y > 5 * ISO_WIDE_ONE);
    util_world_free(world);
}

static void test_ball_rolls_over_the_floor(void **state) {
    (void)state;
    iso_world *world = sandbox_with_floor();
    hold(world, 0, 0, 0, 0, 180);
    const iso_wide before = player(world, 0).centre.x;
    hold(world, 0, 20000, 0, 0, 60);
    const iso_body_view view = player(world, 0);
    assert_true(view.centre.x - before > ISO_WIDE_ONE);
    assert_true(view.angular_velocity < -ISO_WIDE_ONE); // clockwise
    util_world_free(world);
}

static void test_respawn_brings_the_ball_back(void **state) {
    (void)state;
    iso_world *world = sandbox_with_floor();
    util_steps(world, 120);
    const iso_body_id old = iso_world_get_player_body(world, 0);
    assert_true(player(world, 0).centre.y < ISO_WIDE_ONE);
    assert_int_equal(give_custom(world, 0, "\1", 1), ISO_OK);
    assert_false(iso_body_is_valid(world, old));
    assert_true(player(world, 0).centre.y > 9 * ISO_WIDE_ONE);
    assert_int_equal(give_custom(world, 0, "\2", 1), ISO_ERR_REFUSED);
    assert_int_equal(give_custom(world, 0, "\1\1", 2), ISO_ERR_REFUSED);
    assert_int_equal(give_custom(world, 0, "", 0), ISO_ERR_REFUSED);
    // Also when the member destroyed it, while the quota lasts.
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, 0, &view));
    iso_sealed_command end = {.slot = 0, .sequence = view.last_sequence + 1};
    end.command.kind = ISO_COMMAND_DESTROY_BODY;
    end.command.as.destroy_body.body = iso_world_get_player_body(world, 0);
    util_step(world, NULL, 0, &end, 1);
    assert_int_equal(iso_world_get_player_body(world, 0).generation, 0);
    const iso_shape_def ball = iso_shape_def_circle(METRE / 4);
    iso_body_id owned = {0, 0};
    for (int i = 0; i < 64; ++i) {
        owned = util_add_body(world, ISO_BODY_STATIC, i * METRE, 40 * METRE, &ball);
        assert_int_equal(iso_body_set_owner(world, owned, (iso_owner){1, 0}), ISO_OK);
    }
    assert_int_equal(give_custom(world, 0, "\1", 1), ISO_ERR_QUOTA);
    assert_int_equal(iso_body_destroy(world, owned), ISO_OK);
    assert_int_equal(give_custom(world, 0, "\1", 1), ISO_OK);
    assert_true(iso_world_get_player_body(world, 0).generation != 0);
    util_world_free(world);
}

static void test_full_world_gives_no_ball_but_goes_on(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    def.body_capacity = 2;
    def.shape_capacity = 1;
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    const iso_change joins[2] = {{ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 1, 1}};
    util_step(world, joins, 2, NULL, 0);
    assert_true(iso_world_get_player_body(world, 0).generation != 0);
    assert_int_equal(iso_world_get_player_body(world, 1).generation, 0);
    hold(world, 1, 32767, 32767, 1, 3);
    const uint64_t generations = iso_world_section_hash(world, ISO_SECTION_GENERATIONS);
    assert_int_equal(give_custom(world, 1, "\1", 1), ISO_ERR_CAPACITY);
    assert_int_equal(iso_world_section_hash(world, ISO_SECTION_GENERATIONS), generations); // not even for a moment
    const iso_change leave = {ISO_CHANGE_LEAVE, 0, 1};
    util_step(world, &leave, 1, NULL, 0);
    assert_int_equal(give_custom(world, 1, "\1", 1), ISO_OK);
    util_world_free(world);
}

static void test_leaving_takes_the_ball_along(void **state) {
    (void)state;
    iso_world *world = sandbox_with_floor();
    const iso_body_id ball = iso_world_get_player_body(world, 3);
    const iso_change leave = {ISO_CHANGE_LEAVE, 3, 1};
    util_step(world, &leave, 1, NULL, 0);
    assert_false(iso_body_is_valid(world, ball));
    assert_int_equal(iso_world_get_player_body(world, 3).generation, 0);
    iso_world_counts counts;
    iso_world_get_counts(world, &counts);
    assert_int_equal(counts.bodies, 2);
    const iso_change join = {ISO_CHANGE_JOIN, 3, 2};
    util_step(world, &join, 1, NULL, 0);
    assert_int_equal(player(world, 3).owner.generation, 2);
    util_world_free(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_game_is_found_by_name),
        cmocka_unit_test(test_member_gets_a_ball_of_its_own),
        cmocka_unit_test(test_spawn_places_do_not_overlap),
        cmocka_unit_test(test_axes_drive_the_ball_in_proportion),
        cmocka_unit_test(test_most_negative_axis_is_no_more_than_the_others),
        cmocka_unit_test(test_jump_needs_a_floor_and_a_new_press),
        cmocka_unit_test(test_ball_rolls_over_the_floor),
        cmocka_unit_test(test_respawn_brings_the_ball_back),
        cmocka_unit_test(test_full_world_gives_no_ball_but_goes_on),
        cmocka_unit_test(test_leaving_takes_the_ball_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
