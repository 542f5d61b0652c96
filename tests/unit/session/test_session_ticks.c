/// The clock, inputs, the order of ticks, the recording, limits and the end.
#include "session_rig.h"

static void test_session_deadlines_do_not_drift(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    assert_true(iso_session_tick_deadline(r->session, 1) == RIG_START_NS + 16666666u);
    assert_true(iso_session_tick_deadline(r->session, 60) == RIG_START_NS + RIG_SECOND_NS);
    // A hundred years later.
    assert_true(iso_session_tick_deadline(r->session, UINT64_C(60) * 3153600000u) ==
                RIG_START_NS + UINT64_C(3153600000) * RIG_SECOND_NS);
    rig_ticks(r, 7);
    assert_true(iso_session_next_deadline(r->session) == RIG_START_NS + UINT64_C(8) * RIG_SECOND_NS / 60u);
    // Too early is no tick.
    r->now_ns = iso_session_next_deadline(r->session) - 1;
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
    assert_int_equal(rig_tick(r), 7);
    rig_destroy(r);
}

static void test_session_catches_up_four_ticks_and_slips_the_rest(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_ticks(r, 10);
    // Four ticks late: all are made up for.
    r->now_ns = iso_session_tick_deadline(r->session, 14);
    const uint64_t deadline = iso_session_tick_deadline(r->session, 15);
    while (iso_session_next_deadline(r->session) <= r->now_ns) {
        rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
    }
    assert_int_equal(rig_tick(r), 14);
    assert_true(iso_session_next_deadline(r->session) == deadline);
    iso_session_stats stats;
    iso_session_get_stats(r->session, &stats);
    assert_int_equal(stats.slips, 0);
    assert_int_equal(stats.ticks_late, 2); // 11 and 12; 13 was one interval late, not more

    // A minute: four ticks, then the clock goes on from here.
    r->now_ns += 60 * RIG_SECOND_NS;
    uint32_t count = 0;
    while (iso_session_next_deadline(r->session) <= r->now_ns) {
        rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
        ++count;
    }
    assert_int_equal(count, 4);
    assert_int_equal(rig_tick(r), 18);
    assert_true(iso_session_next_deadline(r->session) == r->now_ns + 16666666u);
    iso_session_get_stats(r->session, &stats);
    assert_int_equal(stats.slips, 1);
    assert_non_null(rig_last_action(r, ISO_SESSION_ACTION_LOG));
    assert_string_equal(rig_last_action(r, ISO_SESSION_ACTION_LOG)->note.text, "the clock slipped [ms]");
    rig_destroy(r);
}

static void test_session_answers_pings_with_tick_and_fraction(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 3);
    iso_message ping = {.kind = ISO_MESSAGE_PING};
    ping.as.ping.id = 9;
    ping.as.ping.client_time_ns = UINT64_MAX;
    rig_message(r, 1, &ping);
    const iso_message_pong *pong = &rig_last(r, 1, ISO_MESSAGE_PONG)->as.pong;
    assert_int_equal(pong->id, 9);
    assert_true(pong->client_time_ns == UINT64_MAX);
    assert_int_equal(pong->server_tick, 3);
    assert_int_equal(pong->fraction_q8, 0);
    r->now_ns += RIG_SECOND_NS / 240u + 1u; // a quarter of a tick
    rig_message(r, 1, &ping);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_PONG)->as.pong.fraction_q8, 64);
    // The clock's tick, also when the session is behind.
    r->now_ns = iso_session_tick_deadline(r->session, 6) - 1;
    rig_message(r, 1, &ping);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_PONG)->as.pong.server_tick, 5);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_PONG)->as.pong.fraction_q8, 255);
    rig_destroy(r);
}

static rig *rig_with_member(void) {
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 20);
    return r;
}

static void test_session_seals_commands_in_their_target_tick(void **state) {
    (void)state;
    rig *r = rig_with_member();
    rig_input(r, 1, 22, 1, 2, 100);
    rig_ticks(r, 3);
    assert_int_equal(rig_sealed_sequence(r, 1, 21, 0), 0);
    assert_int_equal(rig_sealed_sequence(r, 1, 22, 0), 1);
    assert_int_equal(rig_sealed_sequence(r, 1, 22, 1), 2);
    assert_int_equal(rig_sealed_sequence(r, 1, 23, 0), 0);
    rig_destroy(r);
}

static void test_session_moves_late_commands_by_eight_ticks_at_most(void **state) {
    (void)state;
    rig *r = rig_with_member();
    rig_input(r, 1, 13, 1, 1, 100);
    rig_ticks(r, 1);
    const iso_message_tick *tick = &rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick;
    assert_int_equal(tick->tick, 21);
    assert_int_equal(tick->command_count, 1);
    assert_int_equal(tick->commands[0].moved, 8);
    rig_input(r, 1, 13, 2, 1, 100);
    const iso_message_reject *reject = &rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject;
    assert_int_equal(reject->sequence, 2);
    assert_int_equal(reject->code, ISO_ERR_TICK_LATE);
    rig_ticks(r, 1);
    assert_int_equal(rig_sealed_sequence(r, 1, 22, 0), 0);
    rig_destroy(r);
}

static void test_session_never_seals_out_of_sequence(void **state) {
    (void)state;
    rig *r = rig_with_member();
    rig_input(r, 1, 25, 1, 1, 100);
    rig_input(r, 1, 22, 2, 1, 100); // a target that decreases: held to 25
    rig_ticks(r, 5);
    assert_int_equal(rig_sealed_sequence(r, 1, 22, 0), 0);
    assert_int_equal(rig_sealed_sequence(r, 1, 25, 0), 1);
    assert_int_equal(rig_sealed_sequence(r, 1, 25, 1), 2);
    rig_destroy(r);
}

static void test_session_rejects_what_may_not_be_ordered(void **state) {
    (void)state;
    rig *r = rig_with_member();
    rig_input(r, 1, 141, 1, 1, 100);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.code, ISO_ERR_TICK_FUTURE);
    rig_input(r, 1, 21, 2, 1, 100);
    rig_input(r, 1, 21, 2, 1, 100);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.code, ISO_ERR_REPLAY);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.sequence, 2);
    // Out of range: the message as a whole, and nothing of it is taken.
    rig_input(r, 1, 21, 3, 1, 600 * ISO_FIX16_ONE);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.code, ISO_ERR_RANGE);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.sequence, 0);
    rig_ticks(r, 1);
    assert_int_equal(rig_sealed_sequence(r, 1, 21, 0), 2);
    assert_int_equal(rig_sealed_sequence(r, 1, 21, 1), 0);
    // The third such message is the last.
    rig_input(r, 1, 22, 3, 1, 600 * ISO_FIX16_ONE);
    assert_false(rig_is_closed(r, 1, ISO_OK));
    rig_input(r, 1, 22, 3, 1, 600 * ISO_FIX16_ONE);
    assert_true(rig_is_closed(r, 1, ISO_ERR_RANGE));
    rig_destroy(r);
}

/// What the world has not must not be sealed: it would refuse the whole tick.
static void test_session_rejects_commands_of_another_dimension(void **state) {
    (void)state;
    rig *r = rig_with_member();
    iso_command commands[2] = {{.kind = ISO_COMMAND_CUSTOM}, {.kind = ISO_COMMAND_SET_GRAVITY3}};
    iso_message message = {.kind = ISO_MESSAGE_INPUT};
    message.as.input =
        (iso_message_input){.target_tick = 21, .first_sequence = 1, .commands = commands, .command_count = 2};
    rig_message(r, 1, &message);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.code, ISO_ERR_DIMENSION);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.sequence, 0);
    assert_int_equal(rig_stats(r).commands_rejected, 2);
    rig_ticks(r, 1);
    assert_int_equal(rig_sealed_sequence(r, 1, 21, 0), 0);
    rig_message(r, 1, &message);
    rig_message(r, 1, &message); // the third such message is the last
    assert_true(rig_is_closed(r, 1, ISO_ERR_DIMENSION));
    assert_int_equal(rig_stats(r).ended_rejects, 1);
    rig_destroy(r);
}

static void test_session_limits_the_rate_of_commands(void **state) {
    (void)state;
    rig *r = rig_with_member();
    rig_input(r, 1, 21, 1, 33, 100);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_REJECT), 1);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.code, ISO_ERR_RATE);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.sequence, 33);
    rig_ticks(r, 1);
    // A tick's worth has come back.
    rig_input(r, 1, 22, 34, 5, 100);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.sequence, 38);
    // Whoever goes on and on is ended.
    for (uint32_t i = 0; i < 8 && !rig_is_closed(r, 1, ISO_ERR_RATE); ++i) {
        rig_input(r, 1, 22, 100 + 64u * i, 64, 100);
    }
    assert_true(rig_is_closed(r, 1, ISO_ERR_RATE));
    rig_destroy(r);
}

static void test_session_limits_the_rate_of_bytes(void **state) {
    (void)state;
    rig *r = rig_with_member();
    const iso_message ping = {.kind = ISO_MESSAGE_PING};
    for (uint32_t i = 0; i < 4; ++i) {
        rig_handle(
            r, (iso_session_event){.kind = ISO_SESSION_EVENT_MESSAGE, .connection = 1, .message = &ping, .size = 4096});
        assert_false(rig_is_closed(r, 1, ISO_OK));
    }
    rig_handle(r,
               (iso_session_event){.kind = ISO_SESSION_EVENT_MESSAGE, .connection = 1, .message = &ping, .size = 4096});
    assert_true(rig_is_closed(r, 1, ISO_ERR_RATE));
    rig_destroy(r);
}

static void test_session_orders_commands_by_slot_then_sequence(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    for (uint64_t id = 1; id <= 3; ++id) {
        rig_join(r, id, ISO_ROLE_PLAYER);
    }
    rig_ticks(r, 1);
    rig_input(r, 3, 2, 1, 2, 300);
    rig_input(r, 1, 2, 1, 1, 100);
    rig_input(r, 2, 2, 1, 2, 200);
    rig_input(r, 1, 2, 2, 1, 101);
    rig_ticks(r, 1);
    const iso_message_tick *tick = &rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick;
    assert_int_equal(tick->command_count, 6);
    for (uint32_t i = 0; i < 6; ++i) {
        assert_int_equal(tick->commands[i].slot, i / 2);
        assert_int_equal(tick->commands[i].sequence, i % 2 + 1);
    }
    rig_destroy(r);
}

/// 4 members send the largest commands that there are; a tick must fit a frame, and nobody is crowded out.
static void test_session_splits_what_does_not_fit_a_frame(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    config.commands_burst = 64;
    rig *r = rig_create(&config);
    for (uint64_t id = 1; id <= 4; ++id) {
        rig_join(r, id, ISO_ROLE_PLAYER);
    }
    rig_ticks(r, 1);
    static iso_command commands[64];
    memset(commands, 0, sizeof commands);
    for (uint32_t i = 0; i < 64; ++i) {
        commands[i].kind = ISO_COMMAND_CUSTOM;
        commands[i].as.custom.size = ISO_CUSTOM_SIZE_MAX;
    }
    for (uint64_t id = 1; id <= 4; ++id) {
        iso_message message = {.kind = ISO_MESSAGE_INPUT};
        message.as.input =
            (iso_message_input){.target_tick = 2, .first_sequence = 1, .commands = commands, .command_count = 64};
        rig_message(r, id, &message);
    }
    uint32_t sealed = 0;
    for (uint32_t k = 0; k < 3; ++k) {
        rig_ticks(r, 1);
        const iso_message_tick *tick = &rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick;
        size_t size = ISO_TICK_WIRE_BASE;
        uint32_t per_slot[4] = {0};
        for (uint32_t i = 0; i < tick->command_count; ++i) {
            uint8_t bytes[ISO_COMMAND_SIZE_MAX];
            size +=
                iso_sealed_command_wire_size_max(iso_command_encode(&tick->commands[i].command, bytes, sizeof bytes));
            per_slot[tick->commands[i].slot] += 1;
        }
        assert_true(size <= ISO_FRAME_MAX_SERVER);
        assert_true(k == 0 ? tick->command_count > 100 : true);
        assert_in_range(per_slot[0] + 1 - per_slot[3], 0, 2);
        sealed += tick->command_count;
    }
    assert_int_equal(sealed, 256);
    rig_destroy(r);
}

static void test_session_rejects_a_spectators_commands(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_SPECTATOR);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_ACTIVATE)->as.activate.slot, ISO_SLOT_NONE);
    rig_ticks(r, 1);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick.change_count, 0);
    rig_input(r, 1, 2, 1, 1, 100);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.code, ISO_ERR_ROLE);
    rig_ticks(r, 1);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick.command_count, 0);
    rig_destroy(r);
}

static void test_session_reports_margin_and_acknowledgement(void **state) {
    (void)state;
    rig *r = rig_with_member();
    rig_ticks(r, 12);
    rig_forget(r);
    rig_input(r, 1, rig_tick(r) + 3, 1, 1, 100); // 3 ticks early
    rig_input(r, 1, rig_tick(r) + 5, 2, 1, 100);
    rig_ticks(r, 12);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_STATUS), 1);
    const iso_message_status *status = &rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status;
    assert_int_equal(status->acked_sequence, 2);
    assert_in_range(status->margin_ticks_q8, 3 * 256 - 1, 3 * 256);
    assert_int_equal(status->late_count, 0);
    rig_input(r, 1, rig_tick(r) - 1, 3, 1, 100);
    rig_ticks(r, 12);
    status = &rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status;
    assert_in_range(-status->margin_ticks_q8, 256 - 1, 256);
    assert_int_equal(status->late_count, 1);
    rig_ticks(r, 12);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status.margin_ticks_q8, INT32_MAX);
    rig_destroy(r);
}

static void test_session_ends_whoever_does_not_acknowledge(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 299);
    assert_false(rig_is_closed(r, 1, ISO_OK));
    rig_ticks(r, 3);
    assert_true(rig_is_closed(r, 1, ISO_ERR_SLOW_CONSUMER));
    rig_destroy(r);
}

static void test_session_ends_whoever_does_not_read(void **state) {
    (void)state;
    rig *r = rig_with_member();
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_QUEUED, .connection = 1, .size = 256u << 10});
    assert_false(rig_is_closed(r, 1, ISO_OK));
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_QUEUED, .connection = 1, .size = (256u << 10) + 1});
    assert_true(rig_is_closed(r, 1, ISO_ERR_SLOW_CONSUMER));
    rig_destroy(r);
}

static iso_session_config recording_config(void) {
    iso_session_config config = rig_config();
    config.is_recording = true;
    return config;
}

static void test_session_records_the_initial_state_before_the_first_tick(void **state) {
    (void)state;
    const iso_session_config config = recording_config();
    rig *r = rig_create(&config);
    const rig_seen *keyframe = rig_last_action(r, ISO_SESSION_ACTION_RECORD_KEYFRAME);
    assert_non_null(keyframe);
    assert_int_equal(keyframe->tick, 0);
    rig_ticks(r, 1201);
    uint32_t keyframes = 0;
    uint64_t ticks = 0;
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        if (r->seen[i].kind == ISO_SESSION_ACTION_RECORD_KEYFRAME) {
            assert_int_equal(r->seen[i].tick, 600u * keyframes++);
        }
        if (r->seen[i].kind == ISO_SESSION_ACTION_RECORD_TICK) {
            assert_int_equal(r->seen[i].tick, ++ticks);
        }
    }
    assert_int_equal(keyframes, 3);
    assert_int_equal(ticks, 1201);
    rig_destroy(r);
}

/// Two keyframes are compressed at a time and the newer one is ready first.
static void test_session_records_keyframes_in_order(void **state) {
    (void)state;
    iso_session_config config = recording_config();
    config.keyframe_interval = 10;
    rig *r = rig_create(&config);
    r->encodes_itself = false;
    rig_forget(r);
    rig_ticks(r, 20);
    assert_int_equal(r->encode_tick, 20);
    const uint8_t bytes[] = {1, 2, 3};
    rig_handle(r, (iso_session_event){
                      .kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED, .tick = 20, .bytes = bytes, .byte_count = 3});
    assert_null(rig_last_action(r, ISO_SESSION_ACTION_RECORD_KEYFRAME));
    rig_handle(r, (iso_session_event){
                      .kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED, .tick = 10, .bytes = bytes, .byte_count = 3});
    uint32_t keyframes = 0;
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        if (r->seen[i].kind == ISO_SESSION_ACTION_RECORD_KEYFRAME) {
            assert_int_equal(r->seen[i].tick, 10u * ++keyframes);
        }
    }
    assert_int_equal(keyframes, 2);
    rig_destroy(r);
}

static void test_session_sends_no_tick_before_it_is_written(void **state) {
    (void)state;
    const iso_session_config config = recording_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    r->writes_itself = false;
    rig_forget(r);
    rig_ticks(r, 5);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_TICK), 0);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = 3});
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_TICK), 3);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick.tick, 3);
    // A degraded recording holds nobody back.
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_DEGRADED, .status = ISO_ERR_IO});
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick.tick, 5);
    rig_forget(r);
    rig_ticks(r, 1);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_TICK), 1);
    assert_null(rig_last_action(r, ISO_SESSION_ACTION_RECORD_TICK));
    rig_destroy(r);
}

static void test_session_sends_no_snapshot_of_a_tick_before_it_is_written(void **state) {
    (void)state;
    const iso_session_config config = recording_config();
    rig *r = rig_create(&config);
    rig_ticks(r, 100);
    r->writes_itself = false;
    rig_ticks(r, 5);
    rig_open(r, 2);
    const iso_message hello = rig_hello(r, ISO_ROLE_SPECTATOR);
    rig_message(r, 2, &hello);
    assert_int_equal(r->encode_tick, 105);
    assert_null(rig_last(r, 2, ISO_MESSAGE_SNAPSHOT_BEGIN));
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = 104});
    assert_null(rig_last(r, 2, ISO_MESSAGE_SNAPSHOT_BEGIN));
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = 105});
    assert_int_equal(rig_last(r, 2, ISO_MESSAGE_SNAPSHOT_BEGIN)->as.snapshot_begin.tick, 105);
    rig_destroy(r);
}

static void test_session_holds_its_clock_when_the_recorder_is_far_behind(void **state) {
    (void)state;
    const iso_session_config config = recording_config();
    rig *r = rig_create(&config);
    r->writes_itself = false;
    rig_ticks(r, 200);
    assert_int_equal(rig_tick(r), 120);
    assert_true(iso_session_next_deadline(r->session) == UINT64_MAX);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = 120});
    assert_true(iso_session_next_deadline(r->session) < UINT64_MAX);
    rig_ticks(r, 1);
    assert_int_equal(rig_tick(r), 121);
    rig_destroy(r);
}

static void test_session_writes_members_into_the_recording(void **state) {
    (void)state;
    const iso_session_config config = recording_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 1);
    const rig_seen *seen = rig_last_action(r, ISO_SESSION_ACTION_RECORD_EVENT);
    assert_int_equal(seen->event.kind, ISO_RECORDING_EVENT_MEMBER);
    assert_string_equal(seen->event.name, "ada");
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_DISCONNECTED, .connection = 1});
    rig_ticks(r, 1);
    seen = rig_last_action(r, ISO_SESSION_ACTION_RECORD_EVENT);
    assert_int_equal(seen->event.kind, ISO_RECORDING_EVENT_LEFT);
    assert_int_equal(seen->event.status, ISO_ERR_CONNECTION);
    assert_int_equal(seen->event.slot_generation, 1);
    rig_destroy(r);
}

/// What is sealed for a restart is told from what is over, and so are the members. Without a recording nothing comes
/// back.
static void test_session_that_restarts_says_so(void **state) {
    (void)state;
    for (int recorded = 0; recorded < 2; ++recorded) {
        iso_session_config config = recording_config();
        config.is_recording = recorded != 0;
        rig *r = rig_create(&config);
        rig_join(r, 1, ISO_ROLE_PLAYER);
        rig_ticks(r, 5);
        const iso_status code = recorded ? ISO_ERR_RESTARTING : ISO_ERR_SHUTDOWN;
        rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_SHUTDOWN, .status = ISO_ERR_RESTARTING});
        assert_int_equal(rig_last(r, 1, ISO_MESSAGE_BYE)->as.bye.code, code);
        assert_true(rig_is_closed(r, 1, code));
        const rig_seen *seal = rig_last_action(r, ISO_SESSION_ACTION_RECORD_SEAL);
        assert_true(recorded ? seal != NULL && seal->status == ISO_ERR_RESTARTING : seal == NULL);
        rig_destroy(r);
    }
}

/// The server goes on, so its members are not told that it shuts down.
static void test_session_that_is_closed_alone_says_so(void **state) {
    (void)state;
    const iso_session_config config = recording_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 5);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_SHUTDOWN, .status = ISO_ERR_SESSION_CLOSED});
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_BYE)->as.bye.code, ISO_ERR_SESSION_CLOSED);
    assert_true(rig_is_closed(r, 1, ISO_ERR_SESSION_CLOSED));
    // A restart that comes meanwhile does not bring it back.
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_SHUTDOWN, .status = ISO_ERR_RESTARTING});
    assert_int_not_equal(rig_last_action(r, ISO_SESSION_ACTION_RECORD_SEAL)->status, ISO_ERR_RESTARTING);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_SEALED});
    assert_int_not_equal(rig_last_action(r, ISO_SESSION_ACTION_CLOSED)->status, ISO_ERR_RESTARTING);
    rig_destroy(r);
}

static void test_session_says_goodbye_and_seals(void **state) {
    (void)state;
    const iso_session_config config = recording_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 5);
    rig_open(r, 2);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_SHUTDOWN});
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_BYE)->as.bye.code, ISO_ERR_SHUTDOWN);
    assert_true(rig_is_closed(r, 1, ISO_ERR_SHUTDOWN));
    assert_true(rig_is_closed(r, 2, ISO_ERR_SHUTDOWN));
    const rig_seen *seal = rig_last_action(r, ISO_SESSION_ACTION_RECORD_SEAL);
    assert_non_null(seal);
    assert_int_equal(seal->status, ISO_ERR_SHUTDOWN); // it is over
    assert_int_equal(seal->tick, 5);
    assert_true(seal->root == iso_world_root(r->world));
    assert_null(rig_last_action(r, ISO_SESSION_ACTION_CLOSED));
    rig_open(r, 3);
    assert_true(rig_is_closed(r, 3, ISO_ERR_SHUTDOWN));
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_SEALED});
    assert_non_null(rig_last_action(r, ISO_SESSION_ACTION_CLOSED));
    assert_true(iso_session_next_deadline(r->session) == UINT64_MAX);
    rig_forget(r);
    r->now_ns += RIG_SECOND_NS;
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
    assert_int_equal(r->seen_count, 0);
    rig_destroy(r);
}

static void test_session_closes_without_a_recorder_that_hangs(void **state) {
    (void)state;
    const iso_session_config config = recording_config();
    rig *r = rig_create(&config);
    rig_ticks(r, 5);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_SHUTDOWN});
    assert_null(rig_last_action(r, ISO_SESSION_ACTION_CLOSED));
    r->now_ns = iso_session_next_deadline(r->session);
    assert_true(r->now_ns < RIG_START_NS + 6 * RIG_SECOND_NS);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
    assert_non_null(rig_last_action(r, ISO_SESSION_ACTION_CLOSED));
    rig_destroy(r);
}

static void test_session_survives_the_failure_of_any_allocation(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = calloc(1, sizeof *r);
    rig_make_world(r);
    const iso_allocator allocator = {rig_allocate, rig_release, r};
    iso_status status = ISO_ERR_MEMORY;
    uint32_t n = 0;
    for (; status != ISO_OK && n < 100; ++n) {
        r->allocations_left = n;
        status = iso_session_create(&config, &allocator, r->world, 0, &r->session);
        assert_true(status == ISO_OK || (status == ISO_ERR_MEMORY && r->allocated == 0));
    }
    assert_int_equal(status, ISO_OK);
    assert_true(n > 5);
    rig_destroy(r);
}

static void test_session_refuses_a_bad_configuration(void **state) {
    (void)state;
    rig *r = calloc(1, sizeof *r);
    r->allocations_left = UINT32_MAX;
    rig_make_world(r);
    const iso_allocator allocator = {rig_allocate, rig_release, r};
    iso_session_config config = rig_config();
    strcpy(config.name, "Main");
    assert_int_equal(iso_session_create(&config, &allocator, r->world, 0, &r->session), ISO_ERR_RANGE);
    config = rig_config();
    config.ring_ticks = 1000;
    assert_int_equal(iso_session_create(&config, &allocator, r->world, 0, &r->session), ISO_ERR_RANGE);
    config = rig_config();
    config.ring_bytes = 0;
    assert_int_equal(iso_session_create(&config, &allocator, r->world, 0, &r->session), ISO_ERR_RANGE);
    assert_int_equal(r->allocated, 0);
    free(r->memory);
    free(r);
}

/// What WIRE.md says beside its table.
static void test_session_uses_up_sequences_and_forgets_targets_too_far_ahead(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 2);
    rig_input(r, 1, rig_tick(r) + 121, 1000, 1, 0); // the first sequence may be any
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.code, ISO_ERR_TICK_FUTURE);
    rig_input(r, 1, rig_tick(r) + 1, 1000, 1, 0);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.code, ISO_ERR_REPLAY);
    rig_input(r, 1, rig_tick(r) + 1, 1001, 1, 0); // 120 ticks before the last target
    rig_ticks(r, 1);
    assert_int_equal(rig_sealed_sequence(r, 1, rig_tick(r), 0), 1001);
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_deadlines_do_not_drift),
        cmocka_unit_test(test_session_catches_up_four_ticks_and_slips_the_rest),
        cmocka_unit_test(test_session_answers_pings_with_tick_and_fraction),
        cmocka_unit_test(test_session_seals_commands_in_their_target_tick),
        cmocka_unit_test(test_session_moves_late_commands_by_eight_ticks_at_most),
        cmocka_unit_test(test_session_never_seals_out_of_sequence),
        cmocka_unit_test(test_session_rejects_what_may_not_be_ordered),
        cmocka_unit_test(test_session_rejects_commands_of_another_dimension),
        cmocka_unit_test(test_session_limits_the_rate_of_commands),
        cmocka_unit_test(test_session_limits_the_rate_of_bytes),
        cmocka_unit_test(test_session_orders_commands_by_slot_then_sequence),
        cmocka_unit_test(test_session_splits_what_does_not_fit_a_frame),
        cmocka_unit_test(test_session_rejects_a_spectators_commands),
        cmocka_unit_test(test_session_reports_margin_and_acknowledgement),
        cmocka_unit_test(test_session_uses_up_sequences_and_forgets_targets_too_far_ahead),
        cmocka_unit_test(test_session_ends_whoever_does_not_acknowledge),
        cmocka_unit_test(test_session_ends_whoever_does_not_read),
        cmocka_unit_test(test_session_records_the_initial_state_before_the_first_tick),
        cmocka_unit_test(test_session_records_keyframes_in_order),
        cmocka_unit_test(test_session_sends_no_tick_before_it_is_written),
        cmocka_unit_test(test_session_sends_no_snapshot_of_a_tick_before_it_is_written),
        cmocka_unit_test(test_session_holds_its_clock_when_the_recorder_is_far_behind),
        cmocka_unit_test(test_session_writes_members_into_the_recording),
        cmocka_unit_test(test_session_that_restarts_says_so),
        cmocka_unit_test(test_session_that_is_closed_alone_says_so),
        cmocka_unit_test(test_session_says_goodbye_and_seals),
        cmocka_unit_test(test_session_closes_without_a_recorder_that_hangs),
        cmocka_unit_test(test_session_survives_the_failure_of_any_allocation),
        cmocka_unit_test(test_session_refuses_a_bad_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
