/// What whoever runs the server does with those who are here: looks at them, tells them something, removes them.
#include "session_rig.h"

static iso_session_person person_of(const rig *r, uint64_t connection, uint32_t slot) {
    iso_session_person person;
    assert_true(iso_session_find_person(r->session, connection, slot, &person));
    return person;
}

static void kick(rig *r, uint64_t connection, uint32_t slot, uint32_t generation) {
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_KICK,
                                      .connection = connection,
                                      .slot = slot,
                                      .generation = generation,
                                      .status = ISO_ERR_KICKED});
}

static void tell(rig *r, uint64_t connection, const char *text, uint32_t deadline_ms) {
    iso_message message = {.kind = ISO_MESSAGE_NOTICE, .as.notice = {.deadline_ms = deadline_ms}};
    strcpy(message.as.notice.text, text);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_NOTICE, .connection = connection, .message = &message});
}

/// Says Hello as a client that shows notices.
static void enter(rig *r, uint64_t connection, iso_role role, uint32_t features) {
    rig_open(r, connection);
    iso_message hello = rig_hello(r, role);
    hello.as.hello.features = features;
    rig_message(r, connection, &hello);
    rig_ack_all(r, connection);
    rig_caught_up(r, connection);
    rig_ticks(r, 2);
}

static void test_session_lists_who_is_here(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    rig *r = rig_create(&config);
    const uint64_t begin = r->now_ns;
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 60);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_join(r, 3, ISO_ROLE_SPECTATOR);
    rig_ticks(r, 5);
    iso_session_person people[8];
    assert_int_equal(iso_session_get_people(r->session, people, 2), 2);
    assert_int_equal(iso_session_get_people(r->session, people, 8), 3);
    assert_true(people[0].slot == 0 && people[0].generation == 1 && people[0].connection == 1);
    assert_true(people[0].role == ISO_ROLE_PLAYER && !people[0].is_held && !people[0].is_joining);
    assert_string_equal(people[1].name, "ada 2");
    assert_true(people[0].since_ns - begin < RIG_SECOND_NS && people[1].since_ns - begin >= RIG_SECOND_NS);
    assert_true(people[2].role == ISO_ROLE_SPECTATOR && people[2].slot == ISO_SLOT_NONE && people[2].connection == 3);
    // A member that has gone is held, with the time at which it came.
    const uint64_t since = people[0].since_ns;
    rig_cut(r, 1);
    rig_ticks(r, 2);
    const iso_session_person held = person_of(r, 0, 0);
    assert_true(held.is_held && held.connection == 0 && held.since_ns == since);
    iso_session_person nobody;
    assert_false(iso_session_find_person(r->session, 0, 3, &nobody));
    assert_false(iso_session_find_person(r->session, 9, 0, &nobody));
    rig_destroy(r);
}

static void test_session_measures_round_trips(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 3);
    for (uint32_t i = 0; i < 100; ++i) {
        rig_ticks(r, 1);
        // What was sent with the tick is acknowledged 5 ms later.
        const uint64_t tick = rig_tick(r);
        r->now_ns += 5000000;
        iso_message input = {.kind = ISO_MESSAGE_INPUT};
        input.as.input.target_tick = tick + 3;
        input.as.input.ack_tick = tick;
        rig_message(r, 1, &input);
    }
    assert_in_range(person_of(r, 1, 0).round_trip_ns, 4500000, 5500000);
    rig_destroy(r);
}

static void test_session_removes_who_is_kicked(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_join(r, 3, ISO_ROLE_SPECTATOR);
    rig_ticks(r, 5);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    kick(r, 0, 0, 2); // somebody who had the slot before, or has it later
    assert_false(rig_is_closed(r, 1, ISO_ERR_KICKED));
    kick(r, 0, 0, 1);
    assert_true(rig_is_closed(r, 1, ISO_ERR_KICKED));
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_BYE)->as.bye.code, ISO_ERR_KICKED);
    rig_ticks(r, 1);
    assert_int_equal(rig_stats(r).leaves, 1);
    // Its seat is not held.
    rig_open(r, 4);
    const iso_message hello = rig_resume(r, &welcome, 0, 0);
    rig_message(r, 4, &hello);
    assert_int_equal(rig_last(r, 4, ISO_MESSAGE_REFUSAL)->as.refusal.code, ISO_ERR_NO_RESUME);
    kick(r, 3, 0, 0);
    assert_true(rig_is_closed(r, 3, ISO_ERR_KICKED));
    // Who is away loses the seat as well.
    rig_cut(r, 2);
    rig_ticks(r, 2);
    assert_int_equal(rig_stats(r).held, 1);
    kick(r, 0, 1, 1);
    kick(r, 0, 1, 1); // once more, before the tick
    rig_ticks(r, 1);
    assert_int_equal(rig_stats(r).held, 0);
    assert_int_equal(rig_stats(r).leaves, 2);
    kick(r, 77, 0, 0); // nobody
    rig_destroy(r);
}

static void test_session_ends_a_connection_that_is_not_welcome_yet(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_open(r, 1);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_KICK, .connection = 1, .status = ISO_ERR_BANNED});
    assert_true(rig_is_closed(r, 1, ISO_ERR_BANNED));
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REFUSAL)->as.refusal.code, ISO_ERR_BANNED);
    rig_destroy(r);
}

static void test_session_tells_notices_to_whom_they_are_for(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    enter(r, 1, ISO_ROLE_PLAYER, ISO_FEATURE_NOTICES);
    enter(r, 2, ISO_ROLE_SPECTATOR, ISO_FEATURE_NOTICES);
    enter(r, 3, ISO_ROLE_PLAYER, 0); // an older client, to which it would be a strike
    rig_open(r, 4);                  // has not said who it is
    tell(r, 0, "hello", 0);
    tell(r, 1, "you alone", 0);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_NOTICE), 2);
    assert_string_equal(rig_last(r, 1, ISO_MESSAGE_NOTICE)->as.notice.text, "you alone");
    assert_int_equal(rig_count(r, 2, ISO_MESSAGE_NOTICE), 1);
    assert_int_equal(rig_last(r, 2, ISO_MESSAGE_NOTICE)->as.notice.deadline_ms, 0);
    assert_int_equal(rig_count(r, 3, ISO_MESSAGE_NOTICE) + rig_count(r, 4, ISO_MESSAGE_NOTICE), 0);
    rig_destroy(r);
}

/// What is announced concerns who comes before it happens; what was said does not.
static void test_session_tells_who_comes_later_what_is_still_to_come(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    tell(r, 0, "hello", 0);
    tell(r, 0, "the server ends", 60000);
    rig_ticks(r, 600); // 10 s
    enter(r, 1, ISO_ROLE_PLAYER, ISO_FEATURE_NOTICES);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_NOTICE), 1);
    const iso_message_notice *notice = &rig_last(r, 1, ISO_MESSAGE_NOTICE)->as.notice;
    assert_string_equal(notice->text, "the server ends");
    assert_in_range(notice->deadline_ms, 49000, 50100);
    // What was only said takes nobody the end.
    for (uint32_t i = 0; i < 6; ++i) {
        tell(r, 0, "chat", 0);
    }
    enter(r, 4, ISO_ROLE_SPECTATOR, ISO_FEATURE_NOTICES);
    assert_int_equal(rig_count(r, 4, ISO_MESSAGE_NOTICE), 1);
    assert_string_equal(rig_last(r, 4, ISO_MESSAGE_NOTICE)->as.notice.text, "the server ends");
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_NOTICE), 7);
    // Of more than are kept, the newest.
    for (uint32_t i = 0; i < 6; ++i) {
        tell(r, 0, i == 5 ? "the last" : "one of them", 60000);
    }
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_NOTICE), 13);
    enter(r, 2, ISO_ROLE_PLAYER, ISO_FEATURE_NOTICES);
    assert_int_equal(rig_count(r, 2, ISO_MESSAGE_NOTICE), 4);
    assert_string_equal(rig_last(r, 2, ISO_MESSAGE_NOTICE)->as.notice.text, "the last");
    rig_ticks(r, 60 * 61);
    enter(r, 3, ISO_ROLE_PLAYER, ISO_FEATURE_NOTICES);
    assert_int_equal(rig_count(r, 3, ISO_MESSAGE_NOTICE), 0);
    rig_destroy(r);
}

static void test_session_has_as_many_members_as_it_may(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.player_max = 2;
    config.spectator_capacity = 0;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_ticks(r, 5);
    const iso_message_welcome welcome = rig_welcome(r, 2);
    for (uint64_t connection = 3; connection < 5; ++connection) {
        rig_open(r, connection);
        const iso_message hello = rig_hello(r, connection == 3 ? ISO_ROLE_PLAYER : ISO_ROLE_SPECTATOR);
        rig_message(r, connection, &hello);
        assert_int_equal(rig_last(r, connection, ISO_MESSAGE_REFUSAL)->as.refusal.code,
                         connection == 3 ? ISO_ERR_SESSION_FULL : ISO_ERR_SPECTATORS_FULL);
    }
    iso_session_info info;
    iso_session_get_info(r->session, &info);
    assert_true(info.members == 2 && info.slots == 2);
    // Who is held counts, and comes back.
    rig_cut(r, 2);
    rig_ticks(r, 2);
    rig_open(r, 5);
    const iso_message resume = rig_resume(r, &welcome, 0, 0);
    rig_message(r, 5, &resume);
    assert_int_equal(rig_welcome(r, 5).resumed, ISO_RESUMED_SNAPSHOT);
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_lists_who_is_here),
        cmocka_unit_test(test_session_measures_round_trips),
        cmocka_unit_test(test_session_removes_who_is_kicked),
        cmocka_unit_test(test_session_ends_a_connection_that_is_not_welcome_yet),
        cmocka_unit_test(test_session_tells_notices_to_whom_they_are_for),
        cmocka_unit_test(test_session_tells_who_comes_later_what_is_still_to_come),
        cmocka_unit_test(test_session_has_as_many_members_as_it_may),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
