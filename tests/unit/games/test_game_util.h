/// Playing the games of the library: a world with a floor, members who hold their sticks, and detours through images
/// and snapshots.
#ifndef TEST_GAME_UTIL_H
#define TEST_GAME_UTIL_H

#include "unit/state/test_state_util.h"

#define FULL 32767

static inline double util_metres(iso_wide value) {
    return (double)value / 4294967296.0;
}

static inline iso_world_def util_game_def(const iso_game *game) {
    iso_world_def def = iso_world_def_default();
    def.slot_capacity = 4;
    memset(def.game, 0, sizeof def.game);
    strcpy(def.game, game->name);
    for (uint32_t i = 0; i < game->param_count; ++i) {
        def.game_params[i] = game->params[i].value;
    }
    return def;
}

/// A floor at y = 0; slots 0 to `members` - 1 have joined.
static inline iso_world *util_game_world(const iso_game *game, uint32_t members) {
    const iso_world_def def = util_game_def(game);
    iso_world *world = util_world_create(&def, game);
    iso_shape_def floor = iso_shape_def_box(50 * METRE, METRE);
    floor.friction = 9 * METRE / 10;
    util_add_body(world, ISO_BODY_STATIC, 0, -METRE, &floor);
    iso_world_start(world);
    const iso_change joins[4] = {
        {ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 1, 1}, {ISO_CHANGE_JOIN, 2, 1}, {ISO_CHANGE_JOIN, 3, 1}};
    util_step(world, joins, members, NULL, 0);
    return world;
}

/// A command of a member as the only input of a tick. @return its result
static inline iso_status util_give(iso_world *world, uint8_t slot, const iso_command *command) {
    iso_slot_view view;
    assert_true(iso_world_get_slot(world, slot, &view));
    const iso_sealed_command sealed = {.slot = slot, .sequence = view.last_sequence + 1, .command = *command};
    assert_int_equal(iso_command_check(command), ISO_OK);
    util_step(world, NULL, 0, &sealed, 1);
    uint32_t count;
    return iso_world_get_results(world, &count)[0].status;
}

static inline iso_status util_give_custom(iso_world *world, uint8_t slot, const void *bytes, uint16_t size) {
    iso_command command = {.kind = ISO_COMMAND_CUSTOM};
    command.as.custom.size = size;
    memcpy(command.as.custom.bytes, bytes, size);
    return util_give(world, slot, &command);
}

/// Holds the same control for some ticks, as a client does: again before it times out.
static inline void util_hold(iso_world *world, uint8_t slot, int16_t x, int16_t y, uint32_t buttons, int ticks) {
    for (int i = 0; i < ticks; ++i) {
        iso_slot_view view;
        assert_true(iso_world_get_slot(world, slot, &view));
        const iso_sealed_command sealed = util_control(slot, view.last_sequence + 1, x, y, buttons);
        util_step(world, NULL, 0, &sealed, i % 5 == 0);
    }
}

static inline iso_body_view util_player(const iso_world *world, uint32_t slot) {
    iso_body_view view;
    assert_int_equal(iso_body_get(world, iso_world_get_player_body(world, slot), &view), ISO_OK);
    return view;
}

/// Through a snapshot into another block of memory.
static inline iso_world *util_recode(iso_world *world, const iso_game *game) {
    const size_t size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    iso_world *copy = util_world_create(iso_world_get_def(world), game);
    assert_int_equal(iso_snapshot_decode(copy, bytes, size), ISO_OK);
    free(bytes);
    util_world_free(world);
    return copy;
}

/// Steps a few ticks ahead and comes back.
static inline void util_roll_back(iso_world *world, int ticks) {
    const size_t size = iso_world_image_size(world);
    void *image = malloc(size);
    assert_non_null(image);
    assert_int_equal(iso_world_save(world, image, size), size);
    util_steps(world, ticks);
    assert_int_equal(iso_world_restore(world, image, size), ISO_OK);
    free(image);
}

/// Plays two worlds with the same input, one of them with rollbacks, snapshots and lost caches at random ticks.
static inline void util_expect_same_roots(const iso_game *game, int ticks, void (*play)(iso_world *world, int tick)) {
    iso_world *straight = util_game_world(game, 3), *disturbed = util_game_world(game, 3);
    uint32_t random = 11;
    for (int tick = 0; tick < ticks; ++tick) {
        play(straight, tick);
        play(disturbed, tick);
        assert_true(iso_world_root(straight) == iso_world_root(disturbed));
        random = random * 1664525u + 1013904223u;
        if (random >> 28 == 0) {
            disturbed = util_recode(disturbed, game);
        } else if (random >> 28 < 3) {
            util_roll_back(disturbed, 1 + (int)(random >> 20 & 7));
        } else if (random >> 28 < 5) {
            iso_world_drop_caches(disturbed);
        }
    }
    util_world_free(straight);
    util_world_free(disturbed);
}

#endif
