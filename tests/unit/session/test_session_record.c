/// A recording that ends early and begins again: what the session gives it, and who waits for it.
#include "session_rig.h"

static rig *recorded_session(void) {
    iso_session_config config = rig_config_resume();
    config.is_recording = true;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 20);
    return r;
}

static void lose(rig *r) {
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_DEGRADED, .status = ISO_ERR_IO});
    rig_forget(r);
}

static void restart(rig *r) {
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_RESTART});
}

static void written(rig *r, uint64_t tick) {
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = tick});
}

static void durable(rig *r, uint64_t tick) {
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_DURABLE, .tick = tick});
}

static void test_status_says_that_nothing_becomes_durable(void **state) {
    (void)state;
    rig *r = recorded_session();
    assert_false(iso_session_is_degraded(r->session));
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_SYNC, .status = ISO_ERR_TIMEOUT});
    rig_forget(r);
    rig_ticks(r, 60);
    assert_true(rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status.is_degraded);
    assert_true(rig_count(r, 1, ISO_MESSAGE_TICK) == 60); // nobody waits for it
    assert_true(iso_session_records(r->session));
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_SYNC, .status = ISO_OK});
    rig_ticks(r, 60);
    assert_false(rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status.is_degraded);
    rig_destroy(r);
}

static void test_a_recording_begins_again_with_a_keyframe_of_now(void **state) {
    (void)state;
    rig *r = recorded_session();
    assert_true(iso_session_records(r->session));
    lose(r);
    assert_false(iso_session_records(r->session));
    rig_ticks(r, 30);
    assert_null(rig_last_action(r, ISO_SESSION_ACTION_RECORD_TICK));
    r->encodes_itself = r->writes_itself = false;
    restart(r);
    const uint64_t begin = rig_tick(r);
    rig_ticks(r, 5); // the snapshot takes its time, and nobody waits
    assert_int_equal(rig_last_tick(r, 1)->tick, begin + 5);
    assert_null(rig_last_action(r, ISO_SESSION_ACTION_RECORD_KEYFRAME));
    rig_answer_encode(r);
    assert_int_equal(rig_last_action(r, ISO_SESSION_ACTION_RECORD_KEYFRAME)->tick, begin);
    uint64_t next = begin;
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        if (r->seen[i].kind == ISO_SESSION_ACTION_RECORD_TICK) {
            assert_int_equal(r->seen[i].tick, ++next);
        }
    }
    assert_int_equal(next, begin + 5);
    rig_destroy(r);
}

static void test_ticks_wait_again_from_the_first_one_that_is_written(void **state) {
    (void)state;
    rig *r = recorded_session();
    lose(r);
    rig_ticks(r, 10);
    r->writes_itself = false;
    restart(r);
    const uint64_t begin = rig_tick(r);
    rig_ticks(r, 3);
    assert_int_equal(rig_last_tick(r, 1)->tick, begin + 3);
    assert_int_equal(rig_stats(r).degraded, 1);
    written(r, begin);
    assert_int_equal(rig_stats(r).degraded, 0);
    assert_int_equal(rig_stats(r).restarts, 1);
    assert_int_equal(rig_stats(r).written_tick, begin + 3); // what was sent stays open
    rig_ticks(r, 2);
    assert_int_equal(rig_last_tick(r, 1)->tick, begin + 3);
    written(r, begin + 4);
    assert_int_equal(rig_last_tick(r, 1)->tick, begin + 4);
    rig_ticks(r, 130);
    assert_int_equal(rig_tick(r), begin + 4 + 120); // and the clock waits for the disk
    rig_destroy(r);
}

static void test_a_recording_that_begins_again_while_nothing_moves_is_heard_of(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.is_recording = true;
    config.empty_policy = ISO_EMPTY_PAUSE;
    rig *r = rig_create(&config);
    rig_ticks(r, 10);
    rig_pass(r, 11 * RIG_SECOND_NS);
    assert_int_equal(rig_stats(r).pauses, 1);
    const uint64_t tick = rig_tick(r);
    lose(r);
    r->writes_itself = false;
    restart(r);
    assert_int_equal(rig_last_action(r, ISO_SESSION_ACTION_RECORD_KEYFRAME)->tick, tick);
    written(r, tick); // the same that was written before
    assert_int_equal(rig_stats(r).degraded, 0);
    rig_destroy(r);
}

static void test_what_cannot_begin_again_is_told_and_may_be_tried_again(void **state) {
    (void)state;
    rig *r = recorded_session();
    lose(r);
    r->writes_itself = false;
    for (uint32_t i = 0; i < 2; ++i) {
        restart(r);
        restart(r); // does no harm
        assert_int_equal(rig_last_action(r, ISO_SESSION_ACTION_RECORD_KEYFRAME)->tick, rig_tick(r));
        lose(r);
        assert_false(iso_session_records(r->session));
        rig_ticks(r, 40);
        assert_null(rig_last_action(r, ISO_SESSION_ACTION_RECORD_TICK));
    }
    written(r, rig_tick(r)); // of nothing
    assert_int_equal(rig_stats(r).degraded, 1);
    restart(r);
    written(r, rig_tick(r));
    assert_int_equal(rig_stats(r).degraded, 0);
    restart(r); // nothing is to be begun
    rig_destroy(r);
}

/// Neither for want of memory for the snapshot, nor of what compresses it.
static void test_a_keyframe_that_cannot_be_made_does_not_begin_a_recording(void **state) {
    (void)state;
    rig *r = recorded_session();
    lose(r);
    rig_ticks(r, 70); // the last images are gone
    r->encodes_itself = false;
    r->allocations_left = 0;
    restart(r);
    assert_null(r->encode_bytes);
    assert_true(iso_session_records(r->session));
    r->allocations_left = UINT32_MAX;
    rig_ticks(r, 1);
    assert_non_null(r->encode_bytes);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED, .tick = r->encode_tick});
    assert_false(iso_session_records(r->session));
    assert_null(rig_last_action(r, ISO_SESSION_ACTION_RECORD_KEYFRAME));
    r->encode_bytes = NULL;
    r->encodes_itself = true;
    restart(r);
    assert_non_null(rig_last_action(r, ISO_SESSION_ACTION_RECORD_KEYFRAME));
    rig_ticks(r, 1);
    assert_int_equal(rig_stats(r).degraded, 0);
    rig_destroy(r);
}

static void test_a_keyframe_that_comes_too_late_gives_way_to_a_newer_one(void **state) {
    (void)state;
    rig *r = recorded_session();
    lose(r);
    r->encodes_itself = false;
    restart(r);
    const uint64_t begin = rig_tick(r);
    rig_ticks(r, 201);
    r->encodes_itself = true;
    rig_answer_encode(r);
    assert_int_equal(rig_last_action(r, ISO_SESSION_ACTION_RECORD_KEYFRAME)->tick, begin + 201);
    rig_ticks(r, 1);
    assert_int_equal(rig_stats(r).degraded, 0);
    rig_destroy(r);
}

static void test_status_tells_clients_that_nothing_is_recorded(void **state) {
    (void)state;
    rig *r = recorded_session();
    durable(r, 15);
    rig_ticks(r, 15);
    assert_false(rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status.is_degraded);
    lose(r);
    rig_ticks(r, 15);
    assert_true(rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status.is_degraded);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status.durable_tick, 15);
    restart(r);
    durable(r, rig_tick(r));
    rig_forget(r);
    rig_ticks(r, 15);
    assert_false(rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status.is_degraded);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status.durable_tick, rig_tick(r) - 15);
    rig_destroy(r);
}

static void test_status_tells_of_what_became_durable_while_the_session_stands(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.is_recording = true;
    config.desync_policy = ISO_DESYNC_PAUSE;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 20);
    iso_message wrong = {.kind = ISO_MESSAGE_CONFIRM};
    wrong.as.confirm.tick = rig_tick(r);
    wrong.as.confirm.root = 1;
    rig_message(r, 1, &wrong);
    assert_int_equal(rig_stats(r).pauses, 1);
    rig_forget(r);
    durable(r, rig_tick(r));
    assert_non_null(rig_last(r, 1, ISO_MESSAGE_STATUS));
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status.durable_tick, rig_tick(r));
    rig_destroy(r);
}

static void test_session_knows_who_has_a_place(void **state) {
    (void)state;
    rig *r = recorded_session();
    rig_join(r, 2, ISO_ROLE_PLAYER);
    iso_recording_event event;
    assert_false(iso_session_get_member(r->session, 1, &event)); // not before its JOIN
    rig_ticks(r, 1);
    assert_true(iso_session_get_member(r->session, 0, &event));
    assert_int_equal(event.kind, ISO_RECORDING_EVENT_MEMBER);
    assert_int_equal(event.slot_generation, 1);
    assert_string_equal(event.name, "ada");
    assert_int_equal(event.root, (1 << 16) + 1);
    assert_int_equal(event.about_tick, rig_tick(r));
    rig_cut(r, 2);
    rig_ticks(r, 1);
    assert_true(iso_session_get_member(r->session, 1, &event));
    assert_int_equal(event.kind, ISO_RECORDING_EVENT_DROPPED);
    assert_int_equal(event.slot, 1);
    assert_false(iso_session_get_member(r->session, 2, &event));
    assert_false(iso_session_get_member(r->session, 99, &event));
    rig_destroy(r);
}

static void test_what_happens_while_nothing_is_recorded_is_not_kept(void **state) {
    (void)state;
    rig *r = recorded_session();
    lose(r);
    for (uint64_t id = 10; id < 150; ++id) {
        rig_join(r, id, ISO_ROLE_PLAYER);
        rig_ticks(r, 1);
        const iso_message leave = {.kind = ISO_MESSAGE_LEAVE};
        rig_message(r, id, &leave);
        rig_ticks(r, 1);
        rig_forget(r);
    }
    assert_int_equal(rig_stats(r).notes_lost, 0);
    restart(r);
    rig_ticks(r, 1);
    assert_null(rig_last_action(r, ISO_SESSION_ACTION_RECORD_EVENT));
    rig_destroy(r);
}

static void test_a_session_ends_while_its_recording_begins_again(void **state) {
    (void)state;
    for (uint32_t has_keyframe = 0; has_keyframe <= 1; ++has_keyframe) {
        rig *r = recorded_session();
        lose(r);
        r->writes_itself = false;
        r->encodes_itself = has_keyframe == 1;
        restart(r);
        rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_SHUTDOWN});
        assert_int_equal(rig_last_action(r, ISO_SESSION_ACTION_RECORD_SEAL) != NULL, has_keyframe);
        assert_int_equal(rig_last_action(r, ISO_SESSION_ACTION_CLOSED) == NULL, has_keyframe);
        rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_SEALED});
        assert_non_null(rig_last_action(r, ISO_SESSION_ACTION_CLOSED));
        rig_destroy(r);
    }
}

/// The sizes of the commands of a member in a tick.
static uint16_t custom_size(uint64_t tick, uint64_t sequence) {
    return (uint16_t)((tick * 7u + sequence * 29u) % ISO_CUSTOM_SIZE_MAX);
}

/// Two commands of a size and content that follow from the tick and their sequences.
static void send_customs(rig *r, uint64_t connection, uint64_t tick, uint64_t first_sequence) {
    iso_command commands[2];
    memset(commands, 0, sizeof commands);
    for (uint32_t i = 0; i < 2; ++i) {
        commands[i].kind = ISO_COMMAND_CUSTOM;
        commands[i].as.custom.size = custom_size(tick, first_sequence + i);
        memset(commands[i].as.custom.bytes, (int)(first_sequence + i), commands[i].as.custom.size);
    }
    iso_message message = {.kind = ISO_MESSAGE_INPUT};
    message.as.input = (iso_message_input){
        .target_tick = tick, .first_sequence = first_sequence, .commands = commands, .command_count = 2};
    rig_message(r, connection, &message);
}

/// The commands that one was sent of the ticks from `first` on. @return how many ticks have some
static uint32_t check_customs(const rig *r, uint64_t connection, uint64_t first) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        const iso_message_tick *tick = &r->seen[i].message.as.tick;
        if (r->seen[i].kind != ISO_SESSION_ACTION_SEND || r->seen[i].connection != connection ||
            r->seen[i].message.kind != ISO_MESSAGE_TICK || tick->tick < first) {
            continue;
        }
        assert_int_equal(tick->command_count, 4);
        for (uint32_t k = 0; k < 4; ++k) {
            const iso_sealed_command *sealed = &tick->commands[k];
            assert_int_equal(sealed->slot, k / 2);
            assert_int_equal(sealed->sequence, 2 * (tick->tick - first) + 1 + k % 2);
            assert_int_equal(sealed->command.as.custom.size, custom_size(tick->tick, sealed->sequence));
            for (uint32_t at = 0; at < sealed->command.as.custom.size; ++at) {
                assert_int_equal(sealed->command.as.custom.bytes[at], (uint8_t)sealed->sequence);
            }
        }
        ++count;
    }
    return count;
}

/// What the rig compares of each tick that is recorded; and what is sent when other ticks were sealed since.
static void test_commands_are_recorded_and_sent_as_they_were_sealed(void **state) {
    (void)state;
    rig *r = recorded_session();
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_ticks(r, 2);
    rig_forget(r);
    const uint64_t first = rig_tick(r) + 1;
    r->writes_itself = false;
    for (uint64_t i = 0; i < 8; ++i) {
        send_customs(r, 2, first + i, 1 + 2 * i);
        send_customs(r, 1, first + i, 1 + 2 * i);
        rig_ticks(r, 1);
    }
    assert_int_equal(check_customs(r, 1, first), 0);
    written(r, first + 7);
    assert_int_equal(check_customs(r, 1, first), 8);
    assert_int_equal(check_customs(r, 2, first), 8);
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_says_that_nothing_becomes_durable),
        cmocka_unit_test(test_a_recording_begins_again_with_a_keyframe_of_now),
        cmocka_unit_test(test_ticks_wait_again_from_the_first_one_that_is_written),
        cmocka_unit_test(test_a_recording_that_begins_again_while_nothing_moves_is_heard_of),
        cmocka_unit_test(test_what_cannot_begin_again_is_told_and_may_be_tried_again),
        cmocka_unit_test(test_a_keyframe_that_cannot_be_made_does_not_begin_a_recording),
        cmocka_unit_test(test_a_keyframe_that_comes_too_late_gives_way_to_a_newer_one),
        cmocka_unit_test(test_status_tells_clients_that_nothing_is_recorded),
        cmocka_unit_test(test_status_tells_of_what_became_durable_while_the_session_stands),
        cmocka_unit_test(test_session_knows_who_has_a_place),
        cmocka_unit_test(test_what_happens_while_nothing_is_recorded_is_not_kept),
        cmocka_unit_test(test_a_session_ends_while_its_recording_begins_again),
        cmocka_unit_test(test_commands_are_recorded_and_sent_as_they_were_sealed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
