/// A small world with everything in it: shapes of all kinds, joints of all kinds, members, a game, dead slots.
#ifndef TEST_STATE_UTIL_H
#define TEST_STATE_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/games.h"
#include "isostep/isostep.h"

#define METRE ISO_FIX16_ONE

#define UTIL_DEAD 25u // a body and a shape that are dead

static inline iso_world *util_world_create(const iso_world_def *def, const iso_game *game) {
    const size_t size = iso_world_size(def, game);
    assert_true(size > 0);
    void *memory = aligned_alloc(64, size);
    assert_non_null(memory);
    memset(memory, 0xA5, size); // nothing may rely on clean memory
    iso_world *world = NULL;
    assert_int_equal(iso_world_create(def, game, memory, size, &world), ISO_OK);
    return world;
}

static inline void util_world_free(iso_world *world) {
    free(world); // the world stands at the begin of its memory
}

static inline iso_world_def util_world_def(void) {
    iso_world_def def = iso_world_def_default();
    def.body_capacity = 128;
    def.shape_capacity = 160;
    def.joint_capacity = 32;
    def.contact_capacity = 512;
    def.slot_capacity = 4;
    strcpy(def.game, "sandbox");
    for (uint32_t i = 0; i < iso_game_sandbox.param_count; ++i) {
        def.game_params[i] = iso_game_sandbox.params[i].value;
    }
    return def;
}

static inline iso_body_id util_add_body(iso_world *world, iso_body_type type, fix16_t x, fix16_t y,
                                        const iso_shape_def *shape) {
    iso_body_def def = iso_body_def_default();
    def.type = (uint8_t)type;
    def.position = iso_vec2_to_wide((iso_vec2){x, y});
    iso_body_id body = {0, 0};
    assert_int_equal(iso_body_create(world, &def, &body), ISO_OK);
    iso_shape_id id;
    assert_int_equal(iso_shape_create(world, body, shape, &id), ISO_OK);
    return body;
}

static inline void util_step(iso_world *world, const iso_change *changes, uint32_t change_count,
                             const iso_sealed_command *commands, uint32_t command_count) {
    const iso_tick_input input = {iso_world_get_tick(world) + 1, changes, change_count, commands, command_count};
    assert_int_equal(iso_world_step(world, &input), ISO_OK);
}

static inline void util_steps(iso_world *world, int count) {
    for (int i = 0; i < count; ++i) {
        assert_int_equal(iso_world_step_empty(world), ISO_OK);
    }
}

/// Ground, a wall of boxes, balls, a rounded triangle, a chain, a target joint, a kinematic and some destroyed
/// things.
static inline void util_world_fill(iso_world *world) {
    const iso_shape_def ground = iso_shape_def_box(40 * METRE, METRE / 2);
    const iso_shape_def box = iso_shape_def_box(METRE / 2, METRE / 2);
    const iso_shape_def ball = iso_shape_def_circle(METRE / 4);
    iso_shape_def triangle = iso_shape_def_box(METRE, METRE);
    triangle.point_count = 3;
    triangle.radius = METRE / 16;
    triangle.points[3] = (iso_vec2){0, 0};
    util_add_body(world, ISO_BODY_STATIC, 0, -METRE / 2, &ground);
    for (int32_t row = 0; row < 6; ++row) {
        for (int32_t column = 0; column < 6; ++column) {
            util_add_body(world, ISO_BODY_DYNAMIC, (column - 3) * METRE * 11 / 10, METRE / 2 + row * METRE, &box);
        }
    }
    iso_body_id last = util_add_body(world, ISO_BODY_STATIC, 10 * METRE, 8 * METRE, &ball);
    for (int32_t i = 1; i <= 5; ++i) {
        const iso_body_id next = util_add_body(world, ISO_BODY_DYNAMIC, (10 + i) * METRE, 8 * METRE, &ball);
        iso_joint_def joint = iso_joint_def_default();
        joint.body_a = last;
        joint.body_b = next;
        joint.anchor_b = (iso_vec2){-METRE, 0};
        joint.collide_connected = i == 3;
        iso_joint_id id;
        assert_int_equal(iso_joint_create(world, &joint, &id), ISO_OK);
        last = next;
    }
    const iso_body_id dragged = util_add_body(world, ISO_BODY_DYNAMIC, -10 * METRE, 2 * METRE, &triangle);
    iso_joint_def target = iso_joint_def_default();
    target.kind = ISO_JOINT_TARGET;
    target.body_b = dragged;
    target.target = (iso_vec2_wide){-12 * ISO_WIDE_ONE + 12345, 5 * ISO_WIDE_ONE - 1};
    target.hertz = 4 * METRE;
    target.force_max = 1000 * ISO_WIDE_ONE;
    iso_joint_id target_id;
    assert_int_equal(iso_joint_create(world, &target, &target_id), ISO_OK);
    iso_joint_def rod = iso_joint_def_default();
    rod.kind = ISO_JOINT_DISTANCE;
    rod.body_a = dragged;
    rod.body_b = iso_body_next(world, 1);
    rod.rest = 6 * METRE;
    iso_joint_id rod_id;
    assert_int_equal(iso_joint_create(world, &rod, &rod_id), ISO_OK);
    const iso_body_id lift = util_add_body(world, ISO_BODY_KINEMATIC, 5 * METRE, 3 * METRE, &box);
    assert_int_equal(
        iso_body_set_velocity(world, lift, iso_vec2_to_wide((iso_vec2){0, METRE / 8}), iso_wide_from_fix16(METRE / 4)),
        ISO_OK);
    util_add_body(world, ISO_BODY_DYNAMIC, -20 * METRE, METRE / 4, &ball); // a contact with one point
    // Dead slots in the middle of bodies, shapes and joints. The members' balls will take 7 and 20.
    const uint32_t dead[] = {7, 20, UTIL_DEAD, 30};
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(iso_body_destroy(world, iso_body_next(world, dead[i])), ISO_OK);
    }
    assert_int_equal(iso_joint_destroy(world, iso_joint_next(world, 4)), ISO_OK);
}

static inline iso_sealed_command util_control(uint8_t slot, uint64_t sequence, int16_t x, int16_t y, uint32_t buttons) {
    iso_sealed_command sealed = {.slot = slot, .sequence = sequence};
    sealed.command.kind = ISO_COMMAND_SET_CONTROL;
    sealed.command.as.set_control.size = 8;
    uint8_t *bytes = sealed.command.as.set_control.bytes;
    bytes[0] = (uint8_t)x;
    bytes[1] = (uint8_t)((uint16_t)x >> 8);
    bytes[2] = (uint8_t)y;
    bytes[3] = (uint8_t)((uint16_t)y >> 8);
    bytes[4] = (uint8_t)buttons;
    bytes[5] = (uint8_t)(buttons >> 8);
    bytes[6] = (uint8_t)(buttons >> 16);
    bytes[7] = (uint8_t)(buttons >> 24);
    return sealed;
}

/// The world above with two members, one of them driving, after some ticks.
static inline iso_world *util_world_lively(int ticks) {
    const iso_world_def def = util_world_def();
    iso_world *world = util_world_create(&def, &iso_game_sandbox);
    util_world_fill(world);
    iso_world_start(world);
    const iso_change joins[2] = {{ISO_CHANGE_JOIN, 0, 1}, {ISO_CHANGE_JOIN, 2, 1}};
    const iso_sealed_command drive = util_control(2, 1, 20000, -300, 1);
    util_step(world, joins, 2, &drive, 1);
    util_steps(world, ticks);
    return world;
}

/// The root without any cache.
static inline uint64_t util_fresh_root(iso_world *world) {
    iso_world_drop_caches(world);
    return iso_world_root(world);
}

#endif
