/// Events of a game's own: emitted within a step, in order, bounded, and no state.
#include "unit/state/test_state_util.h"

typedef struct emitter_state {
    uint32_t refused; // events that found no room
    uint32_t padding;
} emitter_state;

typedef struct emitter_event {
    uint32_t number;
    int16_t places[2];
} emitter_event;

enum { EMITTER_NAMED = 7, EMITTER_BYTES = 8 };

static const iso_field emitter_fields[] = {
    {"refused", "", offsetof(emitter_state, refused), 1, ISO_FIELD_U32},
    {"padding", "", offsetof(emitter_state, padding), 1, ISO_FIELD_U32},
};
static const iso_field emitter_event_fields[] = {
    {"number", "", offsetof(emitter_event, number), 1, ISO_FIELD_U32},
    {"places", "m", offsetof(emitter_event, places), 2, ISO_FIELD_I16},
};
static const iso_game_event emitter_events[] = {
    {"named", EMITTER_NAMED, sizeof(emitter_event), emitter_event_fields, 2},
};

static const iso_game_param emitter_params[] = {{"events", ISO_WIDE_ONE, ISO_WIDE_ONE, 99 * ISO_WIDE_ONE}};

static void emitter_emit(iso_world *world, emitter_state *state, uint32_t number) {
    const emitter_event event = {number, {-1, 1}};
    const iso_status status = iso_world_emit(world, EMITTER_NAMED, &event, sizeof event);
    state->refused += status == ISO_ERR_CAPACITY;
    assert_true(status == ISO_OK || status == ISO_ERR_CAPACITY);
}

/// Told before there is a first step: refused.
static void emitter_start(iso_world *world, void *state) {
    (void)state;
    assert_int_equal(iso_world_emit(world, EMITTER_BYTES, NULL, 0), ISO_ERR_STATE);
}

static void emitter_join(iso_world *world, void *state, uint32_t slot) {
    (void)state;
    const uint8_t byte = (uint8_t)slot;
    assert_int_equal(iso_world_emit(world, EMITTER_BYTES, &byte, 1), ISO_OK);
}

static void emitter_before_step(iso_world *world, void *state) {
    emitter_emit(world, state, 0);
}

static void emitter_after_step(iso_world *world, void *state) {
    const uint32_t count = (uint32_t)(iso_world_get_def(world)->game_params[0] / ISO_WIDE_ONE);
    const uint8_t bytes[ISO_EMIT_SIZE_MAX + 1] = {1};
    assert_int_equal(iso_world_emit(world, EMITTER_BYTES, bytes, sizeof bytes), ISO_ERR_RANGE);
    assert_int_equal(iso_world_emit(world, EMITTER_BYTES, NULL, 1), ISO_ERR_RANGE);
    assert_int_equal(iso_world_emit(world, EMITTER_NAMED, bytes, sizeof(emitter_event) + 1), ISO_ERR_RANGE);
    for (uint32_t i = 1; i < count; ++i) {
        emitter_emit(world, state, i);
    }
}

static const iso_game emitter = {
    .name = "emitter",
    .version = 1,
    .params = emitter_params,
    .param_count = 1,
    .state_size = sizeof(emitter_state),
    .fields = emitter_fields,
    .field_count = 2,
    .events = emitter_events,
    .event_count = 1,
    .start = emitter_start,
    .join = emitter_join,
    .before_step = emitter_before_step,
    .after_step = emitter_after_step,
};

static iso_world *emitter_world(uint32_t capacity, uint32_t count) {
    iso_world_def def = util_world_def();
    memset(def.game, 0, sizeof def.game);
    memset(def.game_params, 0, sizeof def.game_params);
    strcpy(def.game, emitter.name);
    def.game_params[0] = count * ISO_WIDE_ONE;
    def.event_capacity = capacity;
    iso_world *world = util_world_create(&def, &emitter);
    iso_world_start(world);
    return world;
}

static void test_events_are_those_of_the_last_step_in_order(void **state) {
    (void)state;
    iso_world *world = emitter_world(64, 3);
    const iso_change join = {ISO_CHANGE_JOIN, 3, 1};
    iso_events events;
    iso_world_get_events(world, &events);
    assert_int_equal(events.emit_count, 0);
    util_step(world, &join, 1, NULL, 0);
    iso_world_get_events(world, &events);
    assert_int_equal(events.emit_count, 4);
    assert_int_equal(events.emits[0].code, EMITTER_BYTES);
    assert_int_equal(events.emits[0].size, 1);
    assert_int_equal(events.emits[0].bytes[0], 3);
    for (uint32_t i = 0; i < 3; ++i) {
        emitter_event event;
        memcpy(&event, events.emits[1 + i].bytes, sizeof event);
        assert_int_equal(events.emits[1 + i].code, EMITTER_NAMED);
        assert_int_equal(events.emits[1 + i].size, sizeof event);
        assert_int_equal(event.number, i);
        assert_int_equal(event.places[0], -1);
        for (uint32_t k = sizeof event; k < ISO_EMIT_SIZE_MAX; ++k) {
            assert_int_equal(events.emits[1 + i].bytes[k], 0);
        }
    }
    util_steps(world, 1);
    iso_world_get_events(world, &events);
    assert_int_equal(events.emit_count, 3);
    assert_int_equal(iso_world_emit(world, EMITTER_BYTES, NULL, 0), ISO_ERR_STATE);
    util_world_free(world);
}

static void test_events_beyond_the_capacity_are_refused_and_counted(void **state) {
    (void)state;
    for (uint32_t capacity = 0; capacity <= 6; ++capacity) {
        iso_world *world = emitter_world(capacity, 5);
        util_steps(world, 1);
        const uint32_t kept = capacity < 5 ? capacity : 5;
        iso_events events;
        iso_world_get_events(world, &events);
        assert_int_equal(events.emit_count, kept);
        iso_world_counts counts;
        iso_world_get_counts(world, &counts);
        assert_int_equal(counts.dropped_events, 5 - kept);
        const emitter_state *now = iso_world_get_game_state(world);
        assert_int_equal(now->refused, 5 - kept);
        util_world_free(world);
    }
}

/// The worlds differ in their events alone: state and root are the same, and stay so after a refused call.
static void test_events_are_no_state(void **state) {
    (void)state;
    iso_world *world = emitter_world(64, 3);
    util_steps(world, 1);
    const uint64_t root = iso_world_root(world);
    assert_int_equal(iso_world_emit(world, EMITTER_BYTES, NULL, 0), ISO_ERR_STATE);
    assert_int_equal(iso_world_root(world), root);
    const size_t size = iso_snapshot_size(world);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(iso_snapshot_encode(world, bytes, size), size);
    assert_int_equal(iso_snapshot_decode(world, bytes, size), ISO_OK);
    iso_events events;
    iso_world_get_events(world, &events);
    assert_int_equal(events.emit_count, 0);
    assert_int_equal(iso_world_root(world), root);
    free(bytes);
    util_world_free(world);
}

static void test_table_of_events_is_checked(void **state) {
    (void)state;
    static const iso_field quoted[] = {{"a\"b", "", 0, 1, ISO_FIELD_U32}};
    static const iso_field word[] = {{"word", "", 0, 1, ISO_FIELD_U32}};
    static const iso_field twice[] = {{"word", "", 0, 1, ISO_FIELD_U32}, {"word", "", 4, 1, ISO_FIELD_U32}};
    static const struct {
        iso_game_event events[2];
        uint32_t count;
        const char *text; // NULL: it is one
    } cases[] = {
        {{{"goal", 1, 4, word, 1}, {"end", 2, 0, NULL, 0}}, 2, NULL},
        {{{"goal_2", 0, 4, word, 1}}, 1, NULL},
        {{{NULL, 1, 4, word, 1}}, 1, "event 0 has the name ''; expected a letter and up to 30 of a-z, 0-9 and _"},
        {{{"", 1, 4, word, 1}}, 1, "event 0 has the name ''"},
        {{{"Goal", 1, 4, word, 1}}, 1, "event 0 has the name 'Goal'"},
        {{{"go-al", 1, 4, word, 1}}, 1, "event 0 has the name 'go-al'"},
        {{{"2goal", 1, 4, word, 1}}, 1, "event 0 has the name '2goal'"},
        {{{"a123456789012345678901234567890", 1, 4, word, 1}}, 1, NULL},
        {{{"a1234567890123456789012345678901", 1, 4, word, 1}}, 1, "event 0 has the name 'a1234"},
        {{{"goal", 1, 4, word, 1}, {"goal", 2, 4, word, 1}}, 2, "its event goal has the code or the name of another"},
        {{{"goal", 1, 4, word, 1}, {"end", 1, 4, word, 1}}, 2, "its event end has the code or the name of another"},
        {{{"goal", 1, 33, word, 1}}, 1, "its event goal: size is 33; expected at most 32"},
        {{{"goal", 1, 5, word, 1}}, 1, "byte 4 of its event goal is in no field; expected each of the 5 bytes"},
        {{{"goal", 1, 3, word, 1}}, 1, "the field word goes beyond its event goal: its end is 4; expected at most 3"},
        {{{"goal", 1, 4, NULL, 1}}, 1, "its event goal has a number of fields, but no fields"},
        {{{"goal", 1, 4, quoted, 1}}, 1, "its event goal: a field has the name 'a\"b'; expected a letter"},
        {{{"goal", 1, 8, twice, 2}}, 1, "its event goal: two fields have the name word; expected one of its own"},
        {{{"joint_break", 1, 4, word, 1}}, 1, "its event joint_break has a name that the world's events have in text"},
        {{{"joint_wake", 1, 4, word, 1}}, 1, "its event joint_wake has a name that the world's events have in text"},
        {{{"removal", 1, 4, word, 1}}, 1, "its event removal has a name"},
        {{{"goal", 1, 4, word, 1}, {"left_world", 2, 4, word, 1}}, 2, "its event left_world has a name"},
        {{{"code", 1, 4, word, 1}}, 1, "its event code has a name"},
        {{{"code_2", 1, 4, word, 1}}, 1, NULL},
        {{{NULL, 0, 0, NULL, 0}}, 257, "event_count is 257; expected at most 256"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const iso_game game = {.name = "odd", .events = cases[i].events, .event_count = cases[i].count};
        char text[160] = "";
        assert_int_equal(iso_game_check(&game, text, sizeof text), cases[i].text == NULL ? ISO_OK : ISO_ERR_RANGE);
        if (cases[i].text != NULL && strstr(text, cases[i].text) == NULL) {
            fail_msg("case %zu: %s", i, text);
        }
    }
    const iso_game none = {.name = "odd", .event_count = 1};
    assert_int_equal(iso_game_check(&none, NULL, 0), ISO_ERR_RANGE);
    assert_ptr_equal(iso_game_find_event(&emitter, EMITTER_NAMED), &emitter_events[0]);
    assert_null(iso_game_find_event(&emitter, EMITTER_BYTES));
    assert_null(iso_game_find_event(NULL, EMITTER_NAMED));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_are_those_of_the_last_step_in_order),
        cmocka_unit_test(test_events_beyond_the_capacity_are_refused_and_counted),
        cmocka_unit_test(test_events_are_no_state),
        cmocka_unit_test(test_table_of_events_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
