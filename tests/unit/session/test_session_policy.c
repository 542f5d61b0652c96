/// What a session is configured to do: with desyncs, without players, within its memory.
#include "session_rig.h"
#include "isostep/games.h"

static void say_root(rig *r, uint64_t connection, iso_message_kind kind, uint64_t tick, uint64_t root) {
    iso_message message = {.kind = (uint8_t)kind};
    if (kind == ISO_MESSAGE_CONFIRM) {
        message.as.confirm = (iso_message_confirm){tick, root};
    } else {
        message.as.desync_report = (iso_message_desync_report){tick, root};
    }
    rig_message(r, connection, &message);
}

static const iso_message_desync_notice *notice_of(const rig *r, uint64_t connection) {
    const iso_message *message = rig_last(r, connection, ISO_MESSAGE_DESYNC_NOTICE);
    assert_non_null(message);
    return &message->as.desync_notice;
}

/// @name Desyncs
/// @{

static void test_session_heals_a_client_and_the_member_stays(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_two_members(&config);
    rig_ticks(r, 61);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    rig_input(r, 1, seen.tick + 3, 1, 1, 0);
    rig_forget(r);
    say_root(r, 1, ISO_MESSAGE_DESYNC_REPORT, seen.tick, seen.root ^ 4);
    assert_int_equal(notice_of(r, 1)->action, ISO_DESYNC_HEAL);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_SNAPSHOT_BEGIN)->as.snapshot_begin.tick, seen.tick);
    // What was under way is of the old world: wrong roots do not count again, the acknowledgement is not one.
    say_root(r, 1, ISO_MESSAGE_CONFIRM, seen.tick, seen.root ^ 4);
    say_root(r, 1, ISO_MESSAGE_DESYNC_REPORT, seen.tick, seen.root ^ 4);
    rig_input(r, 1, seen.tick + 4, 2, 1, 0);
    rig_ticks(r, 5);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_TICK), 0);
    assert_int_equal(rig_sealed_sequence(r, 2, seen.tick + 3, 0), 1);
    assert_int_equal(rig_sealed_sequence(r, 2, seen.tick + 4, 0), 2);
    rig_ack_all(r, 1);
    rig_ticks(r, 1);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_TICK), 6); // S+1 to now
    say_root(r, 1, ISO_MESSAGE_CONFIRM, rig_tick(r), rig_last_tick(r, 1)->root);
    assert_null(rig_last(r, 1, ISO_MESSAGE_ACTIVATE));
    const iso_message_tick *tick = rig_last_tick(r, 2);
    assert_int_equal(tick->change_count, 0);
    rig_input(r, 1, rig_tick(r) + 1, 3, 1, 0);
    rig_ticks(r, 1);
    assert_int_equal(rig_sealed_sequence(r, 1, rig_tick(r), 0), 3);
    const iso_session_stats stats = rig_stats(r);
    assert_true(stats.desyncs == 1 && stats.heals == 1 && stats.members == 2 && stats.leaves == 0 && stats.drops == 0);
    rig_destroy(r);
}

/// A client acknowledges the last chunk before it has unpacked the snapshot, and its Inputs name the old world until
/// then.
static void test_session_bears_acknowledgements_of_the_old_world_behind_a_snapshot(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_two_members(&config);
    rig_ticks(r, 30);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    rig_forget(r);
    say_root(r, 1, ISO_MESSAGE_DESYNC_REPORT, seen.tick, seen.root);
    const uint64_t begin = rig_last(r, 1, ISO_MESSAGE_SNAPSHOT_BEGIN)->as.snapshot_begin.tick;
    assert_true(begin < seen.tick); // one that was there
    rig_handle(
        r, (iso_session_event){.kind = ISO_SESSION_EVENT_QUEUED, .connection = 1, .size = 200000}); // it reads slowly
    rig_ack_all(r, 1);
    iso_message old = {.kind = ISO_MESSAGE_INPUT};
    old.as.input.ack_tick = seen.tick;
    rig_message(r, 1, &old);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_QUEUED, .connection = 1});
    rig_ticks(r, 2);
    assert_false(rig_is_closed(r, 1, ISO_OK));
    assert_int_equal(rig_last_tick(r, 1)->tick, rig_tick(r));
    rig_destroy(r);
}

static void test_session_does_not_believe_acknowledgements_of_what_was_never_sent(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_two_members(&config);
    rig_ticks(r, 30);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    say_root(r, 1, ISO_MESSAGE_DESYNC_REPORT, seen.tick, seen.root);
    rig_ack_all(r, 1);
    iso_message ahead = {.kind = ISO_MESSAGE_INPUT};
    ahead.as.input.ack_tick = seen.tick + 1;
    rig_message(r, 1, &ahead);
    assert_true(rig_is_closed(r, 1, ISO_ERR_STATE));
    rig_destroy(r);
}

static void test_session_ends_a_client_at_its_third_desync_in_a_minute(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_two_members(&config);
    for (uint32_t i = 0; i < 3; ++i) {
        const iso_message_tick *seen = rig_last_tick(r, 1);
        say_root(r, 1, ISO_MESSAGE_CONFIRM, seen->tick, seen->root + 1);
        assert_int_equal(notice_of(r, 1)->action, i < 2 ? ISO_DESYNC_HEAL : ISO_DESYNC_KICK);
        if (i < 2) {
            rig_ack_all(r, 1);
            rig_ticks(r, 70);
        }
    }
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_BYE)->as.bye.code, ISO_ERR_DESYNC);
    rig_ticks(r, 1);
    assert_true(rig_has_change(rig_last_tick(r, 2), ISO_CHANGE_LEAVE, 0)); // not held
    assert_int_equal(rig_stats(r).ended_desync, 1);
    rig_destroy(r);
}

static void test_session_bears_two_desyncs_in_each_minute(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_two_members(&config);
    for (uint32_t i = 0; i < 4; ++i) {
        const iso_message_tick *seen = rig_last_tick(r, 1);
        say_root(r, 1, ISO_MESSAGE_CONFIRM, seen->tick, seen->root + 1);
        rig_ack_all(r, 1);
        for (uint32_t second = 0; second < 31; ++second) {
            rig_ticks(r, 60);
            say_root(r, 1, ISO_MESSAGE_CONFIRM, rig_tick(r), rig_last_tick(r, 1)->root);
            say_root(r, 2, ISO_MESSAGE_CONFIRM, rig_tick(r), rig_last_tick(r, 2)->root);
        }
        const iso_message_tick last = *rig_last_tick(r, 1);
        rig_forget(r);
        rig_ticks(r, 1);
        assert_int_equal(rig_last_tick(r, 1)->tick, last.tick + 1);
    }
    assert_int_equal(rig_stats(r).heals, 4);
    assert_int_equal(rig_stats(r).members, 2);
    rig_destroy(r);
}

static void test_session_heals_a_joiner_that_shows_a_wrong_root(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_two_members(&config);
    rig_open(r, 3);
    const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    rig_message(r, 3, &hello);
    rig_ack_all(r, 3);
    iso_message caught_up = {.kind = ISO_MESSAGE_CAUGHT_UP};
    caught_up.as.caught_up.tick = rig_tick(r);
    rig_message(r, 3, &caught_up);
    assert_int_equal(notice_of(r, 3)->action, ISO_DESYNC_HEAL);
    rig_message(r, 3, &caught_up); // of the world that is replaced: not heard
    rig_ack_all(r, 3);
    rig_ticks(r, 2);
    assert_null(rig_last(r, 3, ISO_MESSAGE_ACTIVATE));
    rig_caught_up(r, 3);
    rig_ticks(r, 1);
    assert_non_null(rig_last(r, 3, ISO_MESSAGE_ACTIVATE));
    rig_destroy(r);
}

static void test_session_is_paused_by_a_desync(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.desync_policy = ISO_DESYNC_PAUSE;
    rig *r = rig_two_members(&config);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    say_root(r, 1, ISO_MESSAGE_CONFIRM, seen.tick, seen.root + 1);
    assert_int_equal(notice_of(r, 1)->action, ISO_DESYNC_PAUSE);
    for (uint64_t id = 1; id <= 2; ++id) {
        const iso_message *notice = rig_last(r, id, ISO_MESSAGE_STATE_NOTICE);
        assert_int_equal(notice->as.state_notice.state, ISO_SESSION_PAUSED);
        assert_int_equal(notice->as.state_notice.code, ISO_ERR_DESYNC);
        assert_int_equal(notice->as.state_notice.tick, seen.tick);
    }
    rig_pass(r, 5 * RIG_SECOND_NS);
    assert_int_equal(rig_tick(r), seen.tick);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_WAKE});
    assert_int_equal(rig_last(r, 2, ISO_MESSAGE_STATE_NOTICE)->as.state_notice.state, ISO_SESSION_RUNNING);
    rig_ticks(r, 1);
    say_root(r, 1, ISO_MESSAGE_CONFIRM, seen.tick, seen.root + 1); // known by now
    rig_ticks(r, 1);
    assert_int_equal(rig_tick(r), seen.tick + 2);
    assert_int_equal(rig_stats(r).pauses, 1);
    assert_int_equal(rig_stats(r).slips, 0);
    rig_destroy(r);
}

static void test_session_can_ignore_desyncs(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.desync_policy = ISO_DESYNC_IGNORE;
    rig *r = rig_two_members(&config);
    for (uint32_t i = 0; i < 10; ++i) {
        const iso_message_tick *seen = rig_last_tick(r, 1);
        say_root(r, 1, ISO_MESSAGE_CONFIRM, seen->tick, seen->root + 1);
        rig_ticks(r, 1);
    }
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_DESYNC_NOTICE), 1);
    assert_int_equal(notice_of(r, 1)->action, ISO_DESYNC_IGNORE);
    assert_int_equal(rig_stats(r).members, 2);
    assert_int_equal(rig_stats(r).desyncs, 1);
    rig_destroy(r);
}
/// @}

/// Silence counts in a pause, too: who says nothing is ended, who goes on to send Pings is not.
static void test_session_ends_who_is_silent_in_a_pause(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.desync_policy = ISO_DESYNC_PAUSE;
    rig *r = rig_two_members(&config);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    say_root(r, 1, ISO_MESSAGE_CONFIRM, seen.tick, seen.root + 1);
    assert_int_equal(rig_last(r, 2, ISO_MESSAGE_STATE_NOTICE)->as.state_notice.state, ISO_SESSION_PAUSED);
    const iso_message ping = {.kind = ISO_MESSAGE_PING};
    for (uint32_t i = 0; i < 4; ++i) {
        rig_pass(r, 10 * RIG_SECOND_NS);
        rig_message(r, 1, &ping);
    }
    assert_int_equal(rig_tick(r), seen.tick);
    assert_true(rig_is_closed(r, 2, ISO_ERR_TIMEOUT));
    assert_false(rig_is_closed(r, 1, ISO_OK));
    rig_destroy(r);
}

/// @name Without players
/// @{

static void acknowledge(rig *r, uint64_t connection) {
    iso_message ack = {.kind = ISO_MESSAGE_INPUT};
    ack.as.input.ack_tick = rig_tick(r);
    rig_message(r, connection, &ack);
}

static void test_session_pauses_without_players_and_is_woken_by_one(void **state) {
    (void)state;
    iso_session_config config = iso_session_config_default();
    config.secret = rig_secret;
    rig *r = rig_create(&config);
    iso_session_info info;
    iso_session_get_info(r->session, &info);
    assert_int_equal(info.state, ISO_SESSION_WAITING);
    rig_join(r, 1, ISO_ROLE_SPECTATOR);
    rig_pass(r, 4 * RIG_SECOND_NS);
    acknowledge(r, 1);
    rig_pass(r, 4 * RIG_SECOND_NS);
    acknowledge(r, 1);
    rig_pass(r, RIG_SECOND_NS + RIG_SECOND_NS / 2);
    acknowledge(r, 1);
    assert_null(rig_last(r, 1, ISO_MESSAGE_STATE_NOTICE));
    rig_pass(r, RIG_SECOND_NS);
    assert_int_equal(rig_tick(r), 600);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_STATE_NOTICE)->as.state_notice.state, ISO_SESSION_PAUSED);
    const iso_message ping = {.kind = ISO_MESSAGE_PING};
    rig_message(r, 1, &ping);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_PONG)->as.pong.server_tick, 600);
    rig_pass(r, 10 * RIG_SECOND_NS);
    rig_message(r, 1, &ping);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_PONG)->as.pong.server_tick, 600);
    rig_join(r, 2, ISO_ROLE_SPECTATOR); // wakes nobody, but can join
    assert_int_equal(rig_tick(r), 600);
    rig_open(r, 3);
    const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    rig_message(r, 3, &hello);
    assert_int_equal(rig_welcome(r, 3).state, ISO_SESSION_RUNNING);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_STATE_NOTICE)->as.state_notice.state, ISO_SESSION_RUNNING);
    assert_true(iso_session_next_deadline(r->session) == r->now_ns + 16666666u);
    rig_ticks(r, 10);
    assert_int_equal(rig_tick(r), 610);
    const iso_session_stats stats = rig_stats(r);
    assert_true(stats.pauses == 1 && stats.wakes == 1 && stats.slips == 0 && stats.ticks_late == 0);
    rig_destroy(r);
}

/// Held members are not there; what becomes of them is sealed after the pause.
static void test_session_pauses_with_held_members(void **state) {
    (void)state;
    iso_session_config config = iso_session_config_default();
    config.secret = rig_secret;
    rig *r = rig_two_members(&config);
    const iso_message_welcome one = rig_welcome(r, 1);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    rig_cut(r, 1);
    rig_cut(r, 2);
    rig_pass(r, 40 * RIG_SECOND_NS);
    assert_int_equal(rig_stats(r).pauses, 1);
    assert_int_equal(rig_stats(r).held, 2);
    rig_open(r, 3);
    const iso_message hello = rig_resume(r, &one, seen.tick, seen.root);
    rig_message(r, 3, &hello);
    assert_int_equal(rig_welcome(r, 3).resumed, ISO_RESUMED_TICKS);
    for (uint32_t second = 0; second < 9; ++second) {
        rig_ticks(r, 60);
    }
    rig_caught_up(r, 3);
    rig_ticks(r, 1);
    assert_true(rig_has_change(rig_last_tick(r, 3), ISO_CHANGE_RESUME, 0));
    assert_int_equal(rig_stats(r).holds_expired, 1);
    rig_destroy(r);
}

static void test_session_closes_without_players(void **state) {
    (void)state;
    iso_session_config config = iso_session_config_default();
    config.empty_policy = ISO_EMPTY_CLOSE;
    config.is_recording = true;
    rig *r = rig_two_members(&config);
    rig_join(r, 3, ISO_ROLE_SPECTATOR);
    const iso_message leave = {.kind = ISO_MESSAGE_LEAVE};
    rig_message(r, 1, &leave);
    rig_pass(r, 4 * RIG_SECOND_NS);
    rig_message(r, 2, &leave);
    acknowledge(r, 3);
    rig_pass(r, 4 * RIG_SECOND_NS);
    acknowledge(r, 3);
    rig_pass(r, 4 * RIG_SECOND_NS);
    acknowledge(r, 3);
    assert_null(rig_last(r, 3, ISO_MESSAGE_BYE));
    rig_pass(r, 2 * RIG_SECOND_NS + RIG_SECOND_NS / 10);
    assert_int_equal(rig_last(r, 3, ISO_MESSAGE_BYE)->as.bye.code, ISO_ERR_SESSION_CLOSED);
    assert_non_null(rig_last_action(r, ISO_SESSION_ACTION_RECORD_SEAL));
    assert_int_equal(rig_last_action(r, ISO_SESSION_ACTION_RECORD_SEAL)->status, ISO_ERR_SESSION_CLOSED); // for good
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_SEALED});
    assert_non_null(rig_last_action(r, ISO_SESSION_ACTION_CLOSED));
    rig_destroy(r);
}
/// @}

static void test_session_says_which_sessions_there_are(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_two_members(&config);
    rig_join(r, 3, ISO_ROLE_SPECTATOR);
    rig_cut(r, 2);
    rig_ticks(r, 1);
    rig_open(r, 4);
    const iso_message list = {.kind = ISO_MESSAGE_LIST};
    rig_forget(r);
    rig_message(r, 4, &list);
    assert_int_equal(rig_count(r, 4, ISO_MESSAGE_SESSION_LIST), 1);
    assert_null(rig_last(r, 4, ISO_MESSAGE_REFUSAL));
    assert_true(rig_is_closed(r, 4, ISO_OK));
    iso_session_info info;
    iso_session_get_info(r->session, &info);
    assert_string_equal(info.name, "main");
    assert_string_equal(info.game, "sandbox");
    assert_true(info.state == ISO_SESSION_RUNNING && info.members == 2 && info.slots == 4 && info.spectators == 1);
    assert_true(info.tick == rig_tick(r) && info.tick_rate_hz == 60);
    rig_message(r, 1, &list); // not a first message
    assert_true(rig_is_closed(r, 1, ISO_ERR_STATE));
    rig_destroy(r);
}

static void test_session_takes_so_many_spectators(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.spectator_capacity = 2;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_SPECTATOR);
    rig_join(r, 2, ISO_ROLE_SPECTATOR);
    const iso_message hello = rig_hello(r, ISO_ROLE_SPECTATOR);
    rig_open(r, 3);
    rig_message(r, 3, &hello);
    assert_true(rig_is_closed(r, 3, ISO_ERR_SPECTATORS_FULL));
    rig_cut(r, 1);
    rig_join(r, 4, ISO_ROLE_SPECTATOR);
    assert_int_equal(rig_stats(r).refused_spectators_full, 1);
    rig_destroy(r);
}

static void test_session_refuses_to_take_more_memory_than_allowed(void **state) {
    (void)state;
    rig *r = calloc(1, sizeof *r);
    r->allocations_left = UINT32_MAX;
    rig_make_world(r);
    const iso_world_def def = rig_world_def();
    const iso_allocator allocator = {rig_allocate, rig_release, r};
    iso_session_config config = rig_config();
    const uint64_t needed = iso_session_memory(&config, &def, &iso_game_sandbox);
    assert_in_range(needed, 8u << 20, 32u << 20);
    config.memory_max = needed - 1;
    assert_int_equal(iso_session_create(&config, &allocator, r->world, 0, &r->session), ISO_ERR_MEMORY);
    assert_int_equal(r->allocated, 0);
    config.memory_max = needed;
    assert_int_equal(iso_session_create(&config, &allocator, r->world, 0, &r->session), ISO_OK);
    iso_session_destroy(r->session);
    config.ring_bytes = 0;
    assert_int_equal(iso_session_memory(&config, &def, &iso_game_sandbox), 0);
    free(r->memory);
    free(r);
}

/// Images of the world have no memory while nobody needs them.
static void test_session_gives_back_the_memory_of_images(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    const int64_t before = r->allocated;
    rig_join(r, 1, ISO_ROLE_SPECTATOR);
    assert_int_equal(r->allocated, before + 2);
    rig_ticks(r, 62);
    assert_int_equal(r->allocated, before);
    r->allocations_left = 0; // a joiner then waits
    rig_open(r, 2);
    const iso_message hello = rig_hello(r, ISO_ROLE_SPECTATOR);
    rig_message(r, 2, &hello);
    rig_ticks(r, 2);
    assert_null(rig_last(r, 2, ISO_MESSAGE_SNAPSHOT_BEGIN));
    r->allocations_left = UINT32_MAX;
    rig_ticks(r, 1);
    assert_non_null(rig_last(r, 2, ISO_MESSAGE_SNAPSHOT_BEGIN));
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_heals_a_client_and_the_member_stays),
        cmocka_unit_test(test_session_bears_acknowledgements_of_the_old_world_behind_a_snapshot),
        cmocka_unit_test(test_session_does_not_believe_acknowledgements_of_what_was_never_sent),
        cmocka_unit_test(test_session_ends_a_client_at_its_third_desync_in_a_minute),
        cmocka_unit_test(test_session_bears_two_desyncs_in_each_minute),
        cmocka_unit_test(test_session_heals_a_joiner_that_shows_a_wrong_root),
        cmocka_unit_test(test_session_is_paused_by_a_desync),
        cmocka_unit_test(test_session_can_ignore_desyncs),
        cmocka_unit_test(test_session_ends_who_is_silent_in_a_pause),
        cmocka_unit_test(test_session_pauses_without_players_and_is_woken_by_one),
        cmocka_unit_test(test_session_pauses_with_held_members),
        cmocka_unit_test(test_session_closes_without_players),
        cmocka_unit_test(test_session_says_which_sessions_there_are),
        cmocka_unit_test(test_session_takes_so_many_spectators),
        cmocka_unit_test(test_session_refuses_to_take_more_memory_than_allowed),
        cmocka_unit_test(test_session_gives_back_the_memory_of_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
