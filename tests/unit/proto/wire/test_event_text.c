/// Events as lines: those of a game with and without a name, with fields of all kinds, and those of the world.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isostep/isostep.h"
#include "isostep/proto/event_text.h"

typedef struct told_event {
    int64_t place[2]; // [m] Q31.32
    uint64_t big;
    int16_t small[2];
    uint8_t flag;
    uint8_t padding[3];
} told_event;

#define FIELD(name, unit, count, type) \
    { #name, unit, (uint32_t)offsetof(told_event, name), count, ISO_FIELD_##type }
static const iso_field fields[] = {
    FIELD(place, "m Q31.32", 2, I64), FIELD(big, "", 1, U64),    FIELD(small, "", 2, I16),
    FIELD(flag, "", 1, U8),           FIELD(padding, "", 3, U8),
};
static const iso_game_event events[] = {{"told", 5, sizeof(told_event), fields, 5}, {"over", 6, 0, NULL, 0}};

static void tell(iso_world *world, void *state) {
    (void)state;
    const told_event told = {{ISO_WIDE_ONE / 2, -3 * ISO_WIDE_ONE}, UINT64_MAX, {-7, 8}, 1, {0}};
    const uint8_t bytes[3] = {0x0A, 0xFF, 0};
    assert_int_equal(iso_world_emit(world, 5, &told, sizeof told), ISO_OK);
    assert_int_equal(iso_world_emit(world, 6, NULL, 0), ISO_OK);
    assert_int_equal(iso_world_emit(world, 4000000000u, bytes, sizeof bytes), ISO_OK);
}

static const iso_game game = {.name = "tell-1", .version = 1, .events = events, .event_count = 2, .after_step = tell};

static void expect(const iso_world *world, uint32_t index, const char *text, const char *json) {
    char line[ISO_EVENT_TEXT_SIZE];
    assert_int_equal(iso_event_to_text(world, index, line), strlen(text));
    assert_string_equal(line, text);
    assert_int_equal(iso_event_to_json(world, index, "s-1", line), strlen(json));
    assert_string_equal(line, json);
}

static void test_events_are_lines(void **state) {
    (void)state;
    iso_world_def def = iso_world_def_default();
    strcpy(def.game, game.name);
    const size_t size = iso_world_size(&def, &game);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    assert_int_equal(iso_world_create(&def, &game, memory, size, &world), ISO_OK);
    // One body flies across the border.
    iso_body_def body = iso_body_def_default();
    iso_body_id id;
    body.position = (iso_vec2_wide){29999 * ISO_WIDE_ONE, 0};
    body.velocity = (iso_vec2_wide){400 * ISO_WIDE_ONE, 0};
    assert_int_equal(iso_body_create(world, &body, &id), ISO_OK);
    assert_int_equal(iso_event_count(world), 0);
    assert_int_equal(iso_world_step_empty(world), ISO_OK);
    assert_int_equal(iso_event_count(world), 4);
    expect(world, 0,
           "tick 1 told place=0.5000000000 m (2147483648),-3.0000000000 m (-12884901888) big=18446744073709551615 "
           "small=-7,8 flag=1 padding=0,0,0",
           "{\"session\":\"s-1\",\"tick\":1,\"game\":\"tell-1\",\"event\":\"told\",\"fields\":{\"place\":[2147483648,"
           "-12884901888],\"big\":18446744073709551615,\"small\":[-7,8],\"flag\":1,\"padding\":[0,0,0]}}");
    expect(world, 1, "tick 1 over",
           "{\"session\":\"s-1\",\"tick\":1,\"game\":\"tell-1\",\"event\":\"over\",\"fields\":{}}");
    expect(world, 2, "tick 1 code 4000000000 bytes=0aff00",
           "{\"session\":\"s-1\",\"tick\":1,\"game\":\"tell-1\",\"code\":4000000000,\"bytes\":\"0aff00\"}");
    expect(world, 3, "tick 1 left_world body=0/1",
           "{\"session\":\"s-1\",\"tick\":1,\"event\":\"left_world\",\"body\":{\"index\":0,\"generation\":1}}");
    free(memory);
}

/// After all others, and not among those that iso_event_count counts.
static void test_sleep_and_waking_are_the_last_lines(void **state) {
    (void)state;
    iso_world_def def = iso_world_def_default();
    def.sleep_time = ISO_FIX16_ONE / 60;
    def.gravity = (iso_vec2){0, 0};
    const size_t size = iso_world_size(&def, NULL);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    assert_int_equal(iso_world_create(&def, NULL, memory, size, &world), ISO_OK);
    iso_body_def body = iso_body_def_default();
    iso_joint_def joint = iso_joint_def_default();
    iso_joint_id id;
    joint.tag = 4000000007u;
    assert_int_equal(iso_body_create(world, &body, &joint.body_a), ISO_OK);
    assert_int_equal(iso_body_create(world, &body, &joint.body_b), ISO_OK);
    assert_int_equal(iso_joint_create(world, &joint, &id), ISO_OK);
    for (int i = 0; i < 9 && iso_event_count_with_sleep(world) == 0; ++i) {
        assert_int_equal(iso_world_step_empty(world), ISO_OK);
    }
    assert_int_equal(iso_event_count(world), 0);
    assert_int_equal(iso_event_count_with_sleep(world), 3);
    const uint64_t tick = iso_world_get_tick(world);
    assert_int_equal(tick, 1);
    expect(world, 0, "tick 1 sleep body=0/1",
           "{\"session\":\"s-1\",\"tick\":1,\"event\":\"sleep\",\"body\":{\"index\":0,\"generation\":1}}");
    expect(world, 1, "tick 1 sleep body=1/1",
           "{\"session\":\"s-1\",\"tick\":1,\"event\":\"sleep\",\"body\":{\"index\":1,\"generation\":1}}");
    expect(world, 2, "tick 1 joint_sleep joint=0/1 tag=4000000007",
           "{\"session\":\"s-1\",\"tick\":1,\"event\":\"joint_sleep\",\"joint\":{\"index\":0,\"generation\":1},"
           "\"tag\":4000000007}");
    // The step wakes what A is joined with; all fall asleep again in it.
    const iso_body_id first = joint.body_a;
    joint.body_a = joint.body_b;
    joint.tag = 8;
    assert_int_equal(iso_body_create(world, &body, &joint.body_b), ISO_OK);
    assert_int_equal(iso_joint_create(world, &joint, &id), ISO_OK);
    assert_int_equal(iso_world_step_empty(world), ISO_OK);
    assert_int_equal(iso_body_wake(world, first), ISO_OK);
    assert_int_equal(iso_world_step_empty(world), ISO_OK);
    assert_int_equal(iso_event_count(world), 0);
    static const char *const texts[] = {
        "tick 3 sleep body=0/1",
        "tick 3 sleep body=1/1",
        "tick 3 sleep body=2/1",
        "tick 3 wake body=1/1",
        "tick 3 wake body=2/1",
        "tick 3 joint_sleep joint=0/1 tag=4000000007",
        "tick 3 joint_sleep joint=1/1 tag=8",
        "tick 3 joint_wake joint=1/1 tag=8",
    };
    assert_int_equal(iso_event_count_with_sleep(world), 8);
    for (uint32_t i = 0; i < 8; ++i) {
        char line[ISO_EVENT_TEXT_SIZE];
        iso_event_to_text(world, i, line);
        assert_string_equal(line, texts[i]);
    }
    free(memory);
}

static const char *hostile_name(void *user, bool is_joint, uint32_t index, uint32_t generation) {
    (void)user;
    (void)index;
    (void)generation;
    return is_joint ? NULL : "b\"\\\x7f\xff\U0001F600";
}

/// A recording's session and names are what a file says; a reader of the lines must not take them for more of an
/// object.
static void test_texts_of_others_are_escaped_in_json(void **state) {
    (void)state;
    iso_world_def def = iso_world_def_default();
    const size_t size = iso_world_size(&def, NULL);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    assert_int_equal(iso_world_create(&def, NULL, memory, size, &world), ISO_OK);
    iso_body_def body = iso_body_def_default();
    iso_body_id id;
    body.position = (iso_vec2_wide){29999 * ISO_WIDE_ONE, 0};
    body.velocity = (iso_vec2_wide){400 * ISO_WIDE_ONE, 0};
    assert_int_equal(iso_body_create(world, &body, &id), ISO_OK);
    assert_int_equal(iso_world_step_empty(world), ISO_OK);
    const iso_event_view view = {.name = hostile_name};
    char line[ISO_EVENT_TEXT_SIZE];
    assert_int_equal(iso_event_view_count(world, &view), 1);
    const size_t written = iso_event_view_to_json(world, &view, 0, "a\"b\\c\x1b\n", line);
    assert_string_equal(line, "{\"session\":\"a\\\"b\\\\c\\u001b\\u000a\","
                              "\"tick\":1,\"event\":\"left_world\",\"body\":{\"index\":0,\"generation\":1,"
                              "\"name\":\"b\\\"\\\\\\u007f\\ufffd\U0001F600\"}}");
    assert_int_equal(written, strlen(line));
    // The longest that a recording can hold.
    char longest[64];
    memset(longest, 0x01, sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_int_equal(iso_event_view_to_json(world, &view, 0, longest, line), written - 19 + 63 * 6);
    free(memory);
}

/// In space a joint that breaks has a force and a torque of three components.
static void test_breaks_in_space(void **state) {
    (void)state;
    iso_world_def def = iso_world_def_default();
    def.dimensions = 3;
    def.body_capacity = def.shape_capacity = def.joint_capacity = 4;
    const size_t size = iso_world_size(&def, NULL);
    void *memory = aligned_alloc(64, size);
    iso_world *world = NULL;
    assert_int_equal(iso_world_create(&def, NULL, memory, size, &world), ISO_OK);
    iso_body3_def body = iso_body3_def_default();
    iso_joint3_def joint = iso_joint3_def_default(ISO_JOINT3_FIXED);
    const iso_shape3_def ball = iso_shape3_def_sphere(ISO_FIX16_ONE);
    iso_shape_id shape;
    iso_joint_id id;
    assert_int_equal(iso_body3_create(world, &body, &joint.body_b), ISO_OK);
    assert_int_equal(iso_shape3_create(world, joint.body_b, &ball, &shape), ISO_OK);
    body.type = ISO_BODY_STATIC;
    assert_int_equal(iso_body3_create(world, &body, &joint.body_a), ISO_OK);
    joint.break_force = ISO_WIDE_ONE;
    assert_int_equal(iso_joint3_create(world, &joint, &id), ISO_OK);
    assert_int_equal(iso_body3_set_velocity(world, joint.body_b, (iso_vec3_wide){0, 0, 4 * ISO_WIDE_ONE},
                                            (iso_vec3_wide){0, ISO_WIDE_ONE, 0}),
                     ISO_OK);
    assert_int_equal(iso_world_step_empty(world), ISO_OK);
    assert_int_equal(iso_event_count(world), 1);
    char line[ISO_EVENT_TEXT_SIZE];
    double force[3], torque[3];
    int end = 0;
    iso_event_to_text(world, 0, line);
    const int count = sscanf(line,
                             "tick 1 joint_break joint=0/1 tag=0 body_a=1/1 body_b=0/1 force=%lf,%lf,%lf "
                             "torque=%lf,%lf,%lf%n",
                             &force[0], &force[1], &force[2], &torque[0], &torque[1], &torque[2], &end);
    assert_int_equal(count, 6);
    assert_int_equal(line[end], 0);
    assert_true(force[0] == 0 && force[1] > 41000 && force[2] < 0 && torque[1] < 0); // of the last substep
    iso_event_to_json(world, 0, "s-1", line);
    assert_non_null(strstr(line, "\"force\":["));
    const char *at = strstr(line, "\"torque\":[");
    assert_non_null(at);
    assert_int_equal(sscanf(at, "\"torque\":[%lf,%lf,%lf]}%n", &torque[0], &torque[1], &torque[2], &end), 3);
    free(memory);
}

/// What a client predicts stands in its outcomes, in no world.
static void test_events_without_a_world(void **state) {
    (void)state;
    const told_event told = {{0, ISO_WIDE_ONE}, 9, {-7, 8}, 1, {2, 3, 4}};
    uint8_t bytes[ISO_EMIT_SIZE_MAX + 1];
    char line[ISO_EVENT_TEXT_SIZE];
    memcpy(bytes + 1, &told, sizeof told); // at any address
    const struct {
        const iso_game *game;
        uint32_t code, size;
        const char *text;
    } cases[] = {
        {&game, 5, sizeof told,
         "tick 18446744073709551615 told place=0.0000000000 m (0),1.0000000000 m (4294967296) big=9 small=-7,8 flag=1 "
         "padding=2,3,4"},
        {&game, 6, 0, "tick 18446744073709551615 over"},
        {&game, 7, 0, "tick 18446744073709551615 code 7 bytes="},
        {&game, 5, 0, "tick 18446744073709551615 code 5 bytes="}, // another version of the game
        {NULL, 6, 0, "tick 18446744073709551615 code 6 bytes="},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const size_t size = iso_game_event_to_text(cases[i].game, UINT64_MAX, cases[i].code,
                                                   cases[i].size > 0 ? bytes + 1 : NULL, cases[i].size, line);
        assert_string_equal(line, cases[i].text);
        assert_int_equal(size, strlen(line));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_are_lines),
        cmocka_unit_test(test_sleep_and_waking_are_the_last_lines),
        cmocka_unit_test(test_texts_of_others_are_escaped_in_json),
        cmocka_unit_test(test_breaks_in_space),
        cmocka_unit_test(test_events_without_a_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
