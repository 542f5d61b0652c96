/// The game of cloth: hanging, dragging, cutting, members. Its particles are read from the world's own state, as who
/// draws them does.
#include <math.h>

#include "isostep/particles.h"
#include "test_game_util.h"
#include "isostep/games.h"

#define GAME (&iso_game_cloth)

static const iso_particles *particles(const iso_world *world) {
    return iso_world_get_game_state(world);
}

static double place_x(const iso_world *world, uint32_t index) {
    return util_metres(particles(world)->x[index]);
}

static double place_y(const iso_world *world, uint32_t index) {
    return util_metres(particles(world)->y[index]);
}

static double worst_stretch(const iso_world *world) {
    const iso_particles *p = particles(world);
    double worst = 0;
    for (uint32_t i = 0; i < p->link_count; ++i) {
        if (p->link_rest[i] > 0) {
            const double length = hypot(place_x(world, p->link_a[i]) - place_x(world, p->link_b[i]),
                                        place_y(world, p->link_a[i]) - place_y(world, p->link_b[i]));
            worst = fmax(worst, length / util_metres(p->link_rest[i]));
        }
    }
    return worst;
}

static void put(uint8_t *bytes, double metres) {
    const uint32_t value = (uint32_t)(int32_t)(metres * 65536);
    for (int i = 0; i < 4; ++i) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

static void point(iso_world *world, uint8_t slot, double x, double y) {
    uint8_t bytes[9] = {3};
    put(bytes + 1, x);
    put(bytes + 5, y);
    assert_int_equal(util_give_custom(world, slot, bytes, sizeof bytes), ISO_OK);
}

static void test_hangs_without_tearing(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 0);
    util_steps(world, 900);
    assert_int_equal(particles(world)->particle_count, 20 * 12 + 16);
    assert_int_equal(particles(world)->links_torn, 0);
    assert_true(worst_stretch(world) < 1.25);
    for (uint32_t i = 0; i < 20; ++i) {
        assert_true(place_y(world, 11 * 20 + i) < 3 && place_y(world, 11 * 20 + i) > 2.2);
    }
    for (uint32_t i = 240; i < 256; ++i) {
        assert_true(place_y(world, i) > 0.03 && place_y(world, i) < 1.2); // the ring lies on the floor
    }
    util_world_free(world);
}

static void test_member_drags_a_particle(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 2);
    util_steps(world, 120);
    const uint32_t corner = 11 * 20;
    const double x = place_x(world, corner), y = place_y(world, corner);
    point(world, 0, x - 0.1, y - 0.1);
    util_hold(world, 0, 0, 0, 1, 10);
    assert_true(fabs(place_x(world, corner) - (x - 0.1)) < 0.01);
    util_hold(world, 0, -FULL, 0, 1, 5); // 6 m/s
    assert_true(fabs(place_x(world, corner) - (x - 0.6)) < 0.02);
    util_hold(world, 0, 0, 0, 1, 1);
    // Another member cannot take it.
    point(world, 1, x - 0.6, y - 0.1);
    util_hold(world, 1, FULL, FULL, 1, 3);
    assert_true(fabs(place_x(world, corner) - (x - 0.6)) < 0.02);
    util_hold(world, 0, 0, 0, 0, 1);
    util_steps(world, 60);
    assert_true(place_x(world, corner) > x - 0.5);
    assert_false(particles(world)->pinned[corner]);
    util_world_free(world);
}

/// What hung before hangs on when it is let go of, and a new curtain is nobody's.
static void test_what_is_let_go_is_pinned_as_before(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 2);
    util_steps(world, 60);
    assert_true(particles(world)->pinned[3] && particles(world)->pinned[19] && !particles(world)->pinned[4]);
    point(world, 0, place_x(world, 3), place_y(world, 3));
    util_hold(world, 0, 0, 0, 1, 2);
    util_hold(world, 0, 0, 0, 0, 1);
    assert_true(particles(world)->pinned[3]);
    // While it is held it is taken away: the new one at its place is not held, and not let go of.
    const uint32_t loose = 230;
    point(world, 0, place_x(world, loose), place_y(world, loose));
    util_hold(world, 0, 0, 0, 1, 2);
    assert_int_equal(util_give_custom(world, 1, "\1", 1), ISO_OK);
    assert_false(particles(world)->pinned[loose]);
    util_hold(world, 0, FULL, 0, 1, 2);
    assert_false(particles(world)->pinned[loose]);
    util_world_free(world);
}

static void test_pulling_tears_it(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 120);
    point(world, 0, place_x(world, 11 * 20), place_y(world, 11 * 20));
    util_hold(world, 0, 0, 0, 1, 1);
    util_hold(world, 0, -FULL, -FULL / 4, 1, 60);
    assert_true(particles(world)->links_torn > 0);
    util_world_free(world);
}

static void test_member_cuts(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 120);
    uint8_t bytes[17] = {2};
    put(bytes + 1, -10);
    put(bytes + 5, 4.5);
    put(bytes + 9, 10);
    put(bytes + 13, 4.5);
    assert_int_equal(util_give_custom(world, 0, bytes, sizeof bytes), ISO_OK);
    const uint32_t cut = particles(world)->links_torn;
    assert_true(cut >= 20);
    util_steps(world, 120);
    assert_true(place_y(world, 11 * 20 + 10) < 0.5); // it has fallen
    // The cursor cuts, too.
    point(world, 0, -3, 4.75);
    util_hold(world, 0, FULL, 0, 2, 60);
    assert_true(particles(world)->links_torn > cut + 5);
    util_hold(world, 0, 0, 0, 0, 1);
    assert_int_equal(util_give_custom(world, 0, "\1", 1), ISO_OK);
    assert_int_equal(particles(world)->links_torn, 0);
    util_world_free(world);
}

static void test_pictures_show_links_and_what_is_held(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 60);
    uint32_t before, after;
    iso_draw_fill(world, ISO_DRAW_GAME, NULL, 0, &before);
    assert_int_equal(before, particles(world)->link_count);
    assert_int_equal(particles(world)->link_count, 19 * 12 + 20 * 11 + 40);
    point(world, 0, place_x(world, 230), place_y(world, 230));
    util_hold(world, 0, 0, 0, 1, 2);
    uint8_t bytes[17] = {2};
    put(bytes + 1, -10);
    put(bytes + 5, 4.5);
    put(bytes + 9, 10);
    put(bytes + 13, 4.5);
    assert_int_equal(util_give_custom(world, 0, bytes, sizeof bytes), ISO_OK);
    iso_draw_fill(world, ISO_DRAW_GAME, NULL, 0, &after);
    assert_int_equal(after, before - particles(world)->links_torn + 1);
    util_world_free(world);
}

static void test_bad_commands_are_refused(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    assert_int_equal(util_give_custom(world, 0, "\1\1", 2), ISO_ERR_REFUSED);
    assert_int_equal(util_give_custom(world, 0, "\2", 1), ISO_ERR_REFUSED);
    assert_int_equal(util_give_custom(world, 0, "\3aaaabbb", 8), ISO_ERR_REFUSED);
    assert_int_equal(util_give_custom(world, 0, "\4", 1), ISO_ERR_REFUSED);
    util_world_free(world);
}

static void test_leaving_lets_go(void **state) {
    (void)state;
    iso_world *world = util_game_world(GAME, 1);
    util_steps(world, 60);
    point(world, 0, place_x(world, 230), place_y(world, 230));
    util_hold(world, 0, 0, 0, 1, 2);
    assert_true(particles(world)->pinned[230]);
    const iso_change leave = {ISO_CHANGE_LEAVE, 0, 1};
    util_step(world, &leave, 1, NULL, 0);
    assert_false(particles(world)->pinned[230]);
    assert_true(particles(world)->pinned[0]);
    util_world_free(world);
}

static void play(iso_world *world, int tick) {
    const uint8_t slot = (uint8_t)(tick / 5 % 3);
    util_hold(world, slot, tick % 80 < 40 ? FULL : -FULL, tick % 50 < 30 ? -FULL : FULL / 2,
              tick % 60 > 25  ? 1
              : tick % 9 == 0 ? 2
                              : 0,
              1);
}

static void test_detours_leave_no_trace(void **state) {
    (void)state;
    util_expect_same_roots(GAME, 300, play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hangs_without_tearing),
        cmocka_unit_test(test_member_drags_a_particle),
        cmocka_unit_test(test_what_is_let_go_is_pinned_as_before),
        cmocka_unit_test(test_pulling_tears_it),
        cmocka_unit_test(test_member_cuts),
        cmocka_unit_test(test_pictures_show_links_and_what_is_held),
        cmocka_unit_test(test_bad_commands_are_refused),
        cmocka_unit_test(test_leaving_lets_go),
        cmocka_unit_test(test_detours_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
