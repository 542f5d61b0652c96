/// The sandbox in space: a ball per member, driven by its control, jumping off what carries it, and its commands.
#include "unit/command/test_command_util.h"
#include "unit/space/world/space_util.h"

#include "isostep/games.h"

#define BALL_MASS (3.14159265 / 6 * 300) // kg: 0.5 m, 300 kg/m^3
#define FORCE     3000.0                 // N, the default

/// Two members, above a floor or in free space.
static iso_world *sandbox(bool has_floor) {
    iso_world_def def = space_def();
    strcpy(def.game, "sandbox3");
    for (uint32_t i = 0; i < iso_game_sandbox3.param_count; ++i) {
        def.game_params[i] = iso_game_sandbox3.params[i].value;
    }
    def.slot_capacity = 8;
    def.game_params[3] = 2 * ISO_WIDE_ONE; // bodies_per_slot
    def.body_capacity = def.shape_capacity = 16;
    def.gravity = (iso_vec2){0, has_floor ? -10 * ONE : 0};
    iso_world *world = util_world_create(&def, iso_game_find("sandbox3"));
    if (has_floor) {
        iso_body3_def body = iso_body3_def_default();
        body.type = ISO_BODY_STATIC;
        iso_body_id floor;
        EXPECT_STATUS(iso_body3_create(world, &body, &floor), ISO_OK);
        const iso_shape3_def plane = iso_shape3_def_plane(fix3(0, 1, 0), 0);
        iso_shape_id shape;
        EXPECT_STATUS(iso_shape3_create(world, floor, &plane, &shape), ISO_OK);
    }
    iso_world_start(world);
    const iso_change joins[2] = {{ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 3, 1}};
    util_step(world, joins, 2, NULL, 0);
    return world;
}

static iso_body3_view ball(const iso_world *world, uint32_t slot) {
    return view3(world, iso_world_get_player_body(world, slot));
}

static void hold(iso_world *world, uint8_t slot, int16_t x, int16_t y, uint32_t buttons, int ticks) {
    for (int i = 0; i < ticks; ++i) {
        iso_slot_view view;
        assert_true(iso_world_get_slot(world, slot, &view));
        const iso_sealed_command sealed = util_control(slot, view.last_sequence + 1, x, y, buttons);
        util_step(world, NULL, 0, &sealed, i % 5 == 0);
    }
}

static void test_each_member_has_a_ball_of_its_own(void **state) {
    (void)state;
    iso_world *world = sandbox(true);
    const iso_body3_view a = ball(world, 0), b = ball(world, 3);
    EXPECT_NEAR(from_wide(a.mass), BALL_MASS, 0.01, "mass");
    assert_int_equal(a.tag, 1);
    assert_int_equal(b.tag, 4);
    assert_int_equal(b.owner.slot, 3);
    assert_true(a.position.x != b.position.x);
    change(world, ISO_CHANGE_LEAVE, 3);
    assert_int_equal(iso_world_get_player_body(world, 3).generation, 0);
    util_world_free(world);
}

static void test_axes_push_along_x_and_minus_z(void **state) {
    (void)state;
    iso_world *world = sandbox(false);
    hold(world, 0, 32767, -16384, 0, 6);
    const iso_body3_view view = ball(world, 0);
    // v = F t / m
    EXPECT_NEAR(from_wide(view.velocity.x), FORCE * 6 / 60 / BALL_MASS, 1e-3, "x");
    EXPECT_NEAR(from_wide(view.velocity.y), 0, 1e-6, "y");
    EXPECT_NEAR(from_wide(view.velocity.z), FORCE / 2 * 6 / 60 / BALL_MASS, 1e-3, "z");
    EXPECT_NEAR(from_wide(ball(world, 3).velocity.x), 0, 1e-9, "the other member's ball");
    util_world_free(world);
}

static void test_a_ball_jumps_only_off_what_carries_it(void **state) {
    (void)state;
    iso_world *world = sandbox(true);
    const iso_body_id body = iso_world_get_player_body(world, 0);
    hold(world, 0, 0, 0, 1, 1);
    assert_true(ball(world, 0).velocity.y < 0); // it still falls
    hold(world, 0, 0, 0, 0, 180);
    assert_true(iso_body3_is_pushed(world, body));
    EXPECT_NEAR(from_wide(ball(world, 0).position.y), 0.5, 0.02, "at rest");
    hold(world, 0, 0, 0, 1, 1);
    EXPECT_NEAR(from_wide(ball(world, 0).velocity.y), 6 - 10.0 / 60, 0.05, "the jump");
    hold(world, 0, 0, 0, 1, 10);
    assert_false(iso_body3_is_pushed(world, body));
    EXPECT_NEAR(from_wide(ball(world, 0).velocity.y), 6 - 110.0 / 60, 0.05, "held, the button jumps once");
    hold(world, 0, 0, 0, 1, 120);
    EXPECT_NEAR(from_wide(ball(world, 0).position.y), 0.5, 0.02, "nor when the ball is back");
    util_world_free(world);
}

static void test_a_ball_rolls_over_the_floor(void **state) {
    (void)state;
    iso_world *world = sandbox(true);
    hold(world, 0, 0, 0, 0, 120);
    const double before = from_wide(ball(world, 0).position.x);
    hold(world, 0, 8192, 0, 0, 60);
    const iso_body3_view view = ball(world, 0);
    assert_true(from_wide(view.position.x) > before + 1);
    // Without slip the ball turns about -z with v / r.
    EXPECT_NEAR(from_wide(view.angular_velocity.z), -from_wide(view.velocity.x) / 0.5, 0.2, "rolling");
    util_world_free(world);
}

static void test_custom_byte_one_brings_the_ball_back(void **state) {
    (void)state;
    iso_world *world = sandbox(true);
    const iso_body_id old = iso_world_get_player_body(world, 0);
    const iso_body3_view first = ball(world, 0);
    hold(world, 0, 32767, 0, 0, 60);
    iso_command c = {.kind = ISO_COMMAND_CUSTOM};
    c.as.custom.size = 1;
    c.as.custom.bytes[0] = 2;
    EXPECT_STATUS(give(world, 0, &c, NULL), ISO_ERR_REFUSED);
    c.as.custom.bytes[0] = 1;
    EXPECT_STATUS(give(world, 0, &c, NULL), ISO_OK);
    assert_false(iso_body_is_valid(world, old));
    EXPECT_NEAR(from_wide(ball(world, 0).position.x), from_wide(first.position.x), 0.01, "x");
    // Also when the member destroyed it, while the quota of two bodies lasts.
    iso_command end = {.kind = ISO_COMMAND_DESTROY_BODY};
    end.as.destroy_body.body = iso_world_get_player_body(world, 0);
    EXPECT_STATUS(give(world, 0, &end, NULL), ISO_OK);
    assert_int_equal(iso_world_get_player_body(world, 0).generation, 0);
    iso_body3_def def = iso_body3_def_default();
    def.owner = (iso_owner){1, 0};
    iso_body_id owned = {0, 0};
    for (int i = 0; i < 2; ++i) {
        EXPECT_STATUS(iso_body3_create(world, &def, &owned), ISO_OK);
    }
    EXPECT_STATUS(give(world, 0, &c, NULL), ISO_ERR_QUOTA);
    EXPECT_STATUS(iso_body_destroy(world, owned), ISO_OK);
    EXPECT_STATUS(give(world, 0, &c, NULL), ISO_OK);
    util_world_free(world);
}

static void test_a_full_world_gives_no_ball_but_goes_on(void **state) {
    (void)state;
    iso_world *world = sandbox(true);
    // Shapes run out first: a body without one must not stay, nor what its slot remembers of it.
    const iso_shape3_def small = iso_shape3_def_sphere(ONE / 4);
    iso_shape_id shape = {0, 0};
    while (iso_shape3_create(world, iso_body_next(world, 0), &small, &shape) == ISO_OK) {
    }
    const uint64_t bodies = world_counts(world).bodies;
    change(world, ISO_CHANGE_JOIN, 5);
    assert_int_equal(iso_world_get_player_body(world, 5).generation, 0);
    hold(world, 5, 32767, 0, 1, 5);
    assert_int_equal(world_counts(world).bodies, bodies);
    iso_command c = {.kind = ISO_COMMAND_CUSTOM};
    c.as.custom.size = 1;
    c.as.custom.bytes[0] = 1;
    assert_refused(world, 5, &c, ISO_ERR_CAPACITY);
    EXPECT_STATUS(iso_shape_destroy(world, shape), ISO_OK);
    EXPECT_STATUS(give(world, 5, &c, NULL), ISO_OK);
    util_world_free(world);
}

static void test_members_balls_do_not_overlap(void **state) {
    (void)state;
    iso_world_def def = space_def();
    strcpy(def.game, "sandbox3");
    def.slot_capacity = ISO_SLOT_COUNT_MAX;
    def.body_capacity = def.shape_capacity = ISO_SLOT_COUNT_MAX;
    def.gravity = (iso_vec2){0, 0};
    iso_world *world = util_world_create(&def, &iso_game_sandbox3);
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

static void test_the_plane_has_no_such_game(void **state) {
    (void)state;
    iso_world_def def = util_world_def();
    assert_false(iso_game_has_dimensions(&iso_game_sandbox3, def.dimensions));
    assert_true(iso_game_has_dimensions(&iso_game_sandbox3, 3));
    assert_false(iso_game_has_dimensions(&iso_game_sandbox, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_member_has_a_ball_of_its_own),
        cmocka_unit_test(test_axes_push_along_x_and_minus_z),
        cmocka_unit_test(test_a_ball_jumps_only_off_what_carries_it),
        cmocka_unit_test(test_a_ball_rolls_over_the_floor),
        cmocka_unit_test(test_custom_byte_one_brings_the_ball_back),
        cmocka_unit_test(test_a_full_world_gives_no_ball_but_goes_on),
        cmocka_unit_test(test_members_balls_do_not_overlap),
        cmocka_unit_test(test_the_plane_has_no_such_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
