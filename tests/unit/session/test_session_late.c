/// Late commands, and the late policy under which the session waits for them: for whom, and how long in a minute.
#include "session_rig.h"

static void test_session_drops_what_is_late(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.late_policy = ISO_LATE_DROP;
    rig *r = rig_two_members(&config);
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
    return rig_two_members(&config);
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

/// Seals ticks for `ns`, as time lets it, while these members (bits of connections) send an Input and acknowledge in
/// time.
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_drops_what_is_late),
        cmocka_unit_test(test_session_waits_for_members_when_it_is_strict),
        cmocka_unit_test(test_session_waits_no_longer_than_a_quarter_of_a_second),
        cmocka_unit_test(test_session_waits_for_a_member_one_second_in_a_minute),
        cmocka_unit_test(test_session_remembers_how_long_it_has_waited_for_an_origin),
        cmocka_unit_test(test_session_remembers_how_long_it_has_waited_for_a_slot),
        cmocka_unit_test(test_session_waits_for_all_newcomers_together_one_second_in_a_minute),
        cmocka_unit_test(test_session_waits_for_all_together_six_seconds_in_a_minute),
        cmocka_unit_test(test_session_does_not_wait_for_who_is_not_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
