/// What a session is configured to do: with desyncs, with late commands, without players, within its memory.
#include "session_rig.h"
#include "isostep/games.h"

static rig *two_members(const iso_session_config *config) {
    rig *r = rig_create(config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_ticks(r, 20);
    return r;
}

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
    rig *r = two_members(&config);
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

static void test_session_ends_a_client_at_its_third_desync_in_a_minute(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = two_members(&config);
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
    rig *r = two_members(&config);
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
    rig *r = two_members(&config);
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
    rig *r = two_members(&config);
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
    rig *r = two_members(&config);
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

/// @name Late commands
/// @{

static void test_session_drops_what_is_late(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.late_policy = ISO_LATE_DROP;
    rig *r = two_members(&config);
    assert_int_equal(rig_welcome(r, 1).late_policy, ISO_LATE_DROP);
    rig_input(r, 1, rig_tick(r), 1, 1, 0);
    const iso_message_reject *reject = &rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject;
    assert_int_equal(reject->code, ISO_ERR_TICK_LATE);
    assert_int_equal(reject->sequence, 1);
    rig_input(r, 1, rig_tick(r) + 1, 2, 1, 0);
    rig_ticks(r, 1);
    assert_int_equal(rig_sealed_sequence(r, 2, rig_tick(r), 0), 2);
    assert_int_equal(rig_stats(r).rejected_late, 1);
    assert_int_equal(rig_stats(r).commands_moved, 0);
    rig_destroy(r);
}

static rig *two_strict_members(void) {
    iso_session_config config = rig_config_resume();
    config.late_policy = ISO_LATE_STRICT;
    return two_members(&config);
}

static uint64_t due_now(rig *r) {
    const uint64_t tick = rig_tick(r);
    r->now_ns = iso_session_tick_deadline(r->session, tick + 1);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
    return tick + 1;
}

static void test_session_waits_for_members_when_it_is_strict(void **state) {
    (void)state;
    rig *r = two_strict_members(); // 20 ticks have passed: nobody has sent an Input yet
    assert_int_equal(rig_tick(r), 20);
    rig_input(r, 1, 21, 1, 1, 0);
    assert_int_equal(due_now(r), 21);
    assert_int_equal(rig_tick(r), 21); // both: member 2 has never spoken, so it is not waited for
    const uint64_t tick = due_now(r);
    assert_int_equal(rig_tick(r), tick - 1);
    assert_true(iso_session_next_deadline(r->session) == r->now_ns + 250000000u);
    r->now_ns += 100000000u;
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
    assert_int_equal(rig_tick(r), tick - 1);
    rig_input(r, 1, tick, 2, 1, 0); // what it has waited for
    assert_int_equal(rig_tick(r), tick);
    assert_int_equal(rig_sealed_sequence(r, 2, tick, 0), 2);
    assert_true(iso_session_next_deadline(r->session) == r->now_ns + 16666666u); // nobody has to catch up
    const iso_session_stats stats = rig_stats(r);
    assert_true(stats.strict_waits == 1 && stats.strict_waited_ns == 100000000u && stats.slips == 0);
    assert_int_equal(stats.ticks_late, 0);
    rig_destroy(r);
}

static void test_session_waits_no_longer_than_a_quarter_of_a_second(void **state) {
    (void)state;
    rig *r = two_strict_members();
    rig_input(r, 1, 21, 1, 1, 0);
    due_now(r);
    const uint64_t tick = due_now(r);
    const uint64_t since = r->now_ns;
    r->now_ns = since + 249999999u;
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
    assert_int_equal(rig_tick(r), tick - 1);
    r->now_ns = since + 250000000u;
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
    assert_int_equal(rig_tick(r), tick);
    rig_input(r, 1, tick, 2, 1, 0);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REJECT)->as.reject.code, ISO_ERR_TICK_LATE);
    rig_destroy(r);
}

static void test_session_waits_for_a_member_one_second_in_a_minute(void **state) {
    (void)state;
    rig *r = two_strict_members();
    rig_input(r, 1, 21, 1, 1, 0);
    due_now(r);
    for (uint32_t i = 0; i < 4; ++i) {
        due_now(r);
        assert_null(rig_last(r, 1, ISO_MESSAGE_STATE_NOTICE));
        while (rig_tick(r) == 21u + i) {
            r->now_ns = iso_session_next_deadline(r->session);
            rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
        }
    }
    const iso_message_state_notice *notice = &rig_last(r, 1, ISO_MESSAGE_STATE_NOTICE)->as.state_notice;
    assert_int_equal(notice->late_policy, ISO_LATE_DROP);
    assert_int_equal(notice->code, ISO_ERR_TICK_LATE);
    assert_null(rig_last(r, 2, ISO_MESSAGE_STATE_NOTICE));
    const uint64_t tick = due_now(r);
    assert_int_equal(rig_tick(r), tick); // no longer
    assert_int_equal(rig_stats(r).strict_demotions, 1);
    assert_int_equal(rig_stats(r).strict_waits, 4);
    rig_destroy(r);
}

enum { HONEST = 1u << 1, LONG_THERE = 1u << 3 };

/// Seals ticks for `ns`, as time lets it, while these members (bits of connections) send an Input and acknowledge in time.
static void pass_strictly(rig *r, uint64_t ns, uint32_t honest) {
    const uint64_t end = r->now_ns + ns;
    uint64_t said = 0;
    while (r->now_ns < end) {
        for (uint64_t id = 1; said != rig_tick(r) && id <= 3; ++id) {
            iso_message input = {.kind = ISO_MESSAGE_INPUT};
            input.as.input.target_tick = rig_tick(r) + 2;
            input.as.input.ack_tick = rig_tick(r);
            if ((honest & 1u << id) != 0) {
                rig_message(r, id, &input);
            }
        }
        said = rig_tick(r);
        const uint64_t deadline = iso_session_next_deadline(r->session);
        r->now_ns = deadline < end ? (deadline > r->now_ns ? deadline : r->now_ns) : end;
        rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
        if (r->seen_count > RIG_SEEN_MAX / 2) {
            rig_forget(r);
        }
    }
}

/// A strict session with an honest member, number 1, who has been there for more than a minute.
static rig *strict_for_a_minute(void) {
    iso_session_config config = rig_config_resume();
    config.late_policy = ISO_LATE_STRICT;
    rig *r = rig_create(&config);
    rig_join_from(r, 1, 1000);
    rig_ticks(r, 1);
    pass_strictly(r, 61 * RIG_SECOND_NS, HONEST);
    assert_int_equal(rig_stats(r).strict_waits, 0);
    return r;
}

/// Joins, says one Input, and then nothing until the session has waited for it as long as it does.
static void drag(rig *r, uint64_t connection, uint64_t origin) {
    rig_forget(r);
    rig_join_from(r, connection, origin);
    rig_ticks(r, 2);
    rig_input(r, connection, rig_tick(r) + 1, 1, 1, 0);
    pass_strictly(r, RIG_SECOND_NS + RIG_SECOND_NS / 10, HONEST);
}

/// The honest member is late for once, and is waited for.
static void expect_patience_with_the_honest(rig *r) {
    const uint64_t before = rig_stats(r).strict_waited_ns;
    pass_strictly(r, RIG_SECOND_NS / 5, 0);
    assert_true(rig_stats(r).strict_waited_ns - before < RIG_SECOND_NS / 5);
    const uint64_t tick = rig_tick(r);
    pass_strictly(r, RIG_SECOND_NS / 10, 0);
    pass_strictly(r, RIG_SECOND_NS, HONEST);
    assert_true(rig_stats(r).strict_waited_ns - before > RIG_SECOND_NS / 10);
    assert_true(rig_tick(r) > tick + 50);
    const iso_message *notice = rig_last(r, 1, ISO_MESSAGE_STATE_NOTICE);
    assert_true(notice == NULL || notice->as.state_notice.late_policy == ISO_LATE_STRICT);
}

/// Cutting and joining again, or being taken for a slow consumer, gives nobody a new second.
static void test_session_remembers_how_long_it_has_waited_for_an_origin(void **state) {
    (void)state;
    rig *r = strict_for_a_minute();
    const uint64_t begin = rig_tick(r), since = r->now_ns;
    for (uint64_t i = 0; i < 3; ++i) { // the slots that are left; each stays held
        drag(r, 10 + i, 2000);
        rig_cut(r, 10 + i);
    }
    assert_in_range(rig_stats(r).strict_waited_ns, RIG_SECOND_NS * 9 / 10, RIG_SECOND_NS);
    assert_true(rig_tick(r) - begin > (r->now_ns - since - RIG_SECOND_NS) * 59 / RIG_SECOND_NS);
    expect_patience_with_the_honest(r);
    rig_destroy(r);
}

/// On loopback nobody says where a connection is from: a slot takes the place of an origin.
static void test_session_remembers_how_long_it_has_waited_for_a_slot(void **state) {
    (void)state;
    rig *r = strict_for_a_minute();
    const iso_message leave = {.kind = ISO_MESSAGE_LEAVE};
    for (uint64_t i = 0; i < 8; ++i) {
        drag(r, 10 + i, 0);
        rig_message(r, 10 + i, &leave);
    }
    assert_in_range(rig_stats(r).strict_waited_ns, RIG_SECOND_NS * 9 / 10, RIG_SECOND_NS);
    expect_patience_with_the_honest(r);
    rig_destroy(r);
}

/// Who comes under a new origin each time shares one second with all newcomers.
static void test_session_waits_for_all_newcomers_together_one_second_in_a_minute(void **state) {
    (void)state;
    rig *r = strict_for_a_minute();
    const iso_message leave = {.kind = ISO_MESSAGE_LEAVE};
    for (uint64_t i = 0; i < 20; ++i) {
        drag(r, 10 + i, 2000 + i);
        rig_message(r, 10 + i, &leave);
    }
    assert_in_range(rig_stats(r).strict_waited_ns, RIG_SECOND_NS * 9 / 10, RIG_SECOND_NS);
    expect_patience_with_the_honest(r);
    rig_destroy(r);
}

/// And who has been there long, but comes back from ever new origins, has six seconds with all others.
static void test_session_waits_for_all_together_six_seconds_in_a_minute(void **state) {
    (void)state;
    rig *r = strict_for_a_minute();
    rig_forget(r);
    rig_join_from(r, 3, 2000);
    rig_ticks(r, 1);
    iso_message_welcome welcome = rig_welcome(r, 3);
    pass_strictly(r, 61 * RIG_SECOND_NS, HONEST | LONG_THERE);
    assert_int_equal(rig_stats(r).strict_waits, 0);
    uint64_t id = 3;
    for (uint64_t i = 0; i < 15; ++i) {
        rig_cut(r, id);
        rig_forget(r);
        pass_strictly(r, RIG_SECOND_NS / 20, HONEST);
        id = 100 + i;
        rig_open_from(r, id, 3000 + i);
        const iso_message hello = rig_resume(r, &welcome, rig_tick(r), rig_last_tick(r, 1)->root);
        rig_message(r, id, &hello);
        welcome = rig_welcome(r, id);
        pass_strictly(r, RIG_SECOND_NS / 20, HONEST);
        rig_caught_up(r, id);
        pass_strictly(r, RIG_SECOND_NS / 20, HONEST);
        assert_non_null(rig_last(r, id, ISO_MESSAGE_ACTIVATE));
        rig_input(r, id, rig_tick(r) + 1, 1 + i, 1, 0);
        pass_strictly(r, RIG_SECOND_NS * 9 / 10, HONEST); // not so long that it is not waited for any more
    }
    assert_in_range(rig_stats(r).strict_waited_ns, 59 * RIG_SECOND_NS / 10, 6 * RIG_SECOND_NS);
    rig_destroy(r);
}

static void test_session_does_not_wait_for_who_is_not_here(void **state) {
    (void)state;
    rig *r = two_strict_members();
    rig_input(r, 1, 21, 1, 1, 0);
    due_now(r);
    due_now(r);
    assert_int_equal(rig_tick(r), 21);
    rig_cut(r, 1); // while the clock waits for it
    assert_int_equal(rig_tick(r), 22);
    due_now(r);
    assert_int_equal(rig_tick(r), 23);
    rig_destroy(r);
}
/// @}

/// Silence counts in a pause, too: who says nothing is ended, who goes on to send Pings is not.
static void test_session_ends_who_is_silent_in_a_pause(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.desync_policy = ISO_DESYNC_PAUSE;
    rig *r = two_members(&config);
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
    rig *r = two_members(&config);
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
    config.recording = true;
    rig *r = two_members(&config);
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
    rig *r = two_members(&config);
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
        cmocka_unit_test(test_session_ends_a_client_at_its_third_desync_in_a_minute),
        cmocka_unit_test(test_session_bears_two_desyncs_in_each_minute),
        cmocka_unit_test(test_session_heals_a_joiner_that_shows_a_wrong_root),
        cmocka_unit_test(test_session_is_paused_by_a_desync),
        cmocka_unit_test(test_session_can_ignore_desyncs),
        cmocka_unit_test(test_session_drops_what_is_late),
        cmocka_unit_test(test_session_waits_for_members_when_it_is_strict),
        cmocka_unit_test(test_session_waits_no_longer_than_a_quarter_of_a_second),
        cmocka_unit_test(test_session_waits_for_a_member_one_second_in_a_minute),
        cmocka_unit_test(test_session_remembers_how_long_it_has_waited_for_an_origin),
        cmocka_unit_test(test_session_remembers_how_long_it_has_waited_for_a_slot),
        cmocka_unit_test(test_session_waits_for_all_newcomers_together_one_second_in_a_minute),
        cmocka_unit_test(test_session_waits_for_all_together_six_seconds_in_a_minute),
        cmocka_unit_test(test_session_does_not_wait_for_who_is_not_here),
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
