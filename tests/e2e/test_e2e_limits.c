/// The limits of a whole server: per address, in descriptors, between its sessions.
#include "e2e.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static e2e_server server;

static void send_message(e2e_link *link, const iso_message *message) {
    static uint8_t bytes[ISO_FRAME_MAX_SERVER];
    e2e_link_write(link, bytes, e2e_encode(message, bytes, sizeof bytes));
}

/// What a connection is told right away.
static iso_status read_refusal(e2e_link *link) {
    iso_message message;
    if (!e2e_link_read(link, &message, 3000)) {
        return ISO_OK;
    }
    assert_int_equal(message.kind, ISO_MESSAGE_REFUSAL);
    return message.as.refusal.code;
}

static void expect_counted(const char *text) {
    kill(server.pid, SIGUSR1);
    for (int i = 0; i < 100 && !e2e_server_has_logged(&server, text); ++i) {
        e2e_sleep_ms(20);
    }
    if (!e2e_server_has_logged(&server, text)) {
        fail_msg("the table does not say '%s'", text);
    }
}

static void test_the_ninth_connection_of_an_address_is_refused(void **state) {
    (void)state;
    e2e_server_start(&server, (const char *const[]){"--limit-loopback", NULL});
    e2e_link *links[9];
    for (size_t i = 0; i < 9; ++i) {
        links[i] = e2e_link_open(server.port, 0);
    }
    assert_int_equal(read_refusal(links[8]), ISO_ERR_ADDRESS_LIMIT);
    // Who is there is served.
    iso_message hello = e2e_hello(), answer;
    send_message(links[0], &hello);
    assert_true(e2e_link_read_kind(links[0], ISO_MESSAGE_WELCOME, &answer, 3000));
    // A place that is given back can be taken.
    e2e_link_close(links[1]);
    e2e_sleep_ms(100);
    links[1] = e2e_link_open(server.port, 0);
    send_message(links[1], &hello);
    assert_true(e2e_link_read_kind(links[1], ISO_MESSAGE_WELCOME, &answer, 3000));
    expect_counted("too many from one address: 1");
    for (size_t i = 0; i < 9; ++i) {
        e2e_link_close(links[i]);
    }
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_garbage_three_times_puts_the_address_out(void **state) {
    (void)state;
    e2e_server_start(&server, (const char *const[]){"--limit-loopback", NULL});
    const uint8_t garbage[] = {4, 0xFF, 0xFF, 0xFF, 0xFF};
    for (size_t i = 0; i < 3; ++i) {
        e2e_link *link = e2e_link_open(server.port, 0);
        e2e_link_write(link, garbage, sizeof garbage);
        assert_int_equal(read_refusal(link), ISO_ERR_MALFORMED);
        e2e_link_close(link);
    }
    e2e_link *link = e2e_link_open(server.port, 0);
    assert_int_equal(read_refusal(link), ISO_ERR_ADDRESS_LIMIT);
    e2e_link_close(link);
    expect_counted("MALFORMED, refused: 3");
    expect_counted("refused after too many strikes: 1");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_an_address_that_connects_too_fast_is_refused(void **state) {
    (void)state;
    e2e_server_start(&server, (const char *const[]){"--limit-loopback", "--address-accepts", "20", NULL});
    unsigned refused = 0;
    for (size_t i = 0; i < 60; ++i) {
        e2e_link *link = e2e_link_open(server.port, 0);
        iso_message message;
        refused += e2e_link_read(link, &message, 5) && message.kind == ISO_MESSAGE_REFUSAL &&
                   message.as.refusal.code == ISO_ERR_ADDRESS_LIMIT;
        e2e_link_close(link);
    }
    assert_true(refused > 10);
    expect_counted("too many a second from one address");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_loopback_is_not_limited_unless_asked(void **state) {
    (void)state;
    e2e_server_start(&server, NULL);
    e2e_link *links[30];
    iso_message hello = e2e_hello(), answer;
    hello.as.hello.role = ISO_ROLE_SPECTATOR;
    for (size_t i = 0; i < 30; ++i) {
        links[i] = e2e_link_open(server.port, 0);
        send_message(links[i], &hello);
    }
    for (size_t i = 0; i < 30; ++i) {
        assert_true(e2e_link_read_kind(links[i], ISO_MESSAGE_WELCOME, &answer, 3000));
        e2e_link_close(links[i]);
    }
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_without_descriptors_newcomers_are_told_so_and_members_play_on(void **state) {
    (void)state;
    enum { FLOOD = 100 };
    e2e_server_start_within(&server, "ulimit -n 64", NULL);
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    static e2e_link *links[FLOOD];
    unsigned full = 0;
    for (size_t i = 0; i < FLOOD; ++i) {
        links[i] = e2e_link_open(server.port, 0);
        iso_message message;
        if (e2e_link_read(links[i], &message, 20) && message.kind == ISO_MESSAGE_REFUSAL) {
            full += message.as.refusal.code == ISO_ERR_SERVER_FULL;
        }
    }
    assert_in_range(full, FLOOD - 64, FLOOD - 16);
    uint64_t before = player->ticks;
    e2e_players_run_for(&player, 1, 1000);
    assert_true(player->ticks - before > 30);
    assert_false(player->has_ended);
    // With descriptors again, newcomers are served again.
    for (size_t i = 0; i < FLOOD; ++i) {
        e2e_link_close(links[i]);
    }
    e2e_players_run_for(&player, 1, 300);
    e2e_player *late = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&late, 1, e2e_all_joined, 8000));
    e2e_player_destroy(late);
    e2e_player_destroy(player);
    expect_counted("refused, the server is full");
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

/// Many who send a byte now and then: each is ended when its frame has taken 5 s, and nobody waits for them.
static void test_slow_writers_are_ended_and_disturb_nobody(void **state) {
    (void)state;
    enum { SLOW = 50 };
    e2e_server_start(&server, NULL);
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    e2e_link *links[SLOW];
    iso_message hello = e2e_hello(), message;
    for (size_t i = 0; i < SLOW; ++i) {
        links[i] = e2e_link_open(server.port, 0);
        // Half of them are welcome before they become slow.
        if (i % 2 == 0) {
            hello.as.hello.role = ISO_ROLE_SPECTATOR;
            send_message(links[i], &hello);
            assert_true(e2e_link_read_kind(links[i], ISO_MESSAGE_WELCOME, &message, 3000));
        }
        e2e_link_write(links[i], "\x7F", 1);
    }
    uint64_t before = player->ticks;
    for (int second = 0; second < 7; ++second) {
        e2e_players_run_for(&player, 1, 1000);
        for (size_t i = 0; i < SLOW; ++i) {
            e2e_link_write(links[i], "x", 1);
        }
    }
    assert_true(player->ticks - before > 7 * 60 / 2);
    assert_false(player->has_ended);
    for (size_t i = 0; i < SLOW; ++i) {
        uint8_t kind = i % 2 == 0 ? ISO_MESSAGE_BYE : ISO_MESSAGE_REFUSAL;
        assert_true(e2e_link_read_kind(links[i], kind, &message, 1000));
        // Who was to take a snapshot may be told first that it does not.
        iso_status code = i % 2 == 0 ? message.as.bye.code : message.as.refusal.code;
        assert_true(code == ISO_ERR_TIMEOUT || (i % 2 == 0 && code == ISO_ERR_TOO_SLOW));
        e2e_link_close(links[i]);
    }
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_many_sessions_have_nothing_to_do_with_one_another(void **state) {
    (void)state;
    enum { SESSIONS = 16, PLAYERS = 2 * SESSIONS };
    e2e_server_start(&server, (const char *const[]){"--sessions", "16", "--workers", "3", NULL});
    assert_non_null(strstr(server.ready, "session=s0,s1,s2,s3,s4,s5,s6,s7,s8,s9,s10,s11,s12,s13,s14,s15"));
    e2e_player *players[PLAYERS];
    for (unsigned i = 0; i < PLAYERS; ++i) {
        char name[8];
        snprintf(name, sizeof name, "s%u", i % SESSIONS);
        players[i] = e2e_player_start_in(server.port, name, 0);
        players[i]->build_every = i == 0 ? 10 : 0;
    }
    assert_true(e2e_players_run(players, PLAYERS, e2e_all_joined, 20000));
    e2e_players_run_for(players, PLAYERS, 2000);
    for (unsigned i = 0; i < PLAYERS; ++i) {
        iso_world_counts counts;
        iso_world_get_counts(iso_client_world(players[i]->client), &counts);
        // The scene's floor and the two players' bodies, and in the first session what was built.
        assert_true(i % SESSIONS == 0 ? counts.bodies > 3 : counts.bodies <= 3);
        assert_int_equal(e2e_player_stats(players[i]).desyncs, 0);
        assert_true(players[i]->ticks > 30);
    }

    e2e_link *link = e2e_link_open(server.port, 0);
    iso_message message;
    send_message(link, &(iso_message){.kind = ISO_MESSAGE_LIST});
    assert_true(e2e_link_read(link, &message, 3000));
    assert_int_equal(message.kind, ISO_MESSAGE_SESSION_LIST);
    assert_int_equal(message.as.session_list.count, SESSIONS);
    for (unsigned i = 0; i < SESSIONS; ++i) {
        // In the order of the names: s0, s1, s10 to s15, s2 to s9.
        char name[8];
        snprintf(name, sizeof name, "s%u", i < 2 ? i : i < 8 ? i + 8 : i - 6);
        assert_string_equal(message.as.session_list.sessions[i].name, name);
        assert_int_equal(message.as.session_list.sessions[i].members, 2);
        assert_int_equal(message.as.session_list.sessions[i].state, ISO_SESSION_RUNNING);
        assert_true(message.as.session_list.sessions[i].tick > 30);
    }
    assert_true(e2e_link_wait_end(link, 3000));
    e2e_link_close(link);
    for (unsigned i = 0; i < PLAYERS; ++i) {
        e2e_player_destroy(players[i]);
    }
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static uint64_t number_after(const char *log, const char *text) {
    const char *at = strstr(log, text);
    assert_non_null(at);
    return strtoull(at + strlen(text), NULL, 10);
}

/// On one worker: a session whose ticks take longer than there is time for falls behind. Its neighbour waits for
/// one of these ticks each time, and may then catch up four of its own.
static void test_an_overloaded_session_leaves_its_neighbour_its_ticks(void **state) {
    (void)state;
    enum { RATE = 60, SECONDS = 4 };
    static char log[1 << 18];
    e2e_server_start(&server,
                     (const char *const[]){"--workers", "1", "--session", "main", "--session", "heavy=large-pyramid",
                                           "--memory", "512", "--tick-rate", "60", "--empty", "run", NULL});
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 20000));
    uint64_t before = player->ticks;
    e2e_players_run_for(&player, 1, SECONDS * 1000);
    uint64_t ticks = player->ticks - before;
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop_and_read(&server, SIGTERM, log, sizeof log), 0);
    uint64_t heavy_us = number_after(log, "on average, at most ");
    uint64_t possible = 4 * SECONDS * 1000000 / heavy_us;
    uint64_t expected = possible < RATE * SECONDS ? possible : RATE * SECONDS;
    if (ticks < expected * 6 / 10) {
        fail_msg("%u ticks beside ticks of at most %u us, %u expected", (unsigned)ticks, (unsigned)heavy_us,
                 (unsigned)expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_ninth_connection_of_an_address_is_refused),
        cmocka_unit_test(test_garbage_three_times_puts_the_address_out),
        cmocka_unit_test(test_an_address_that_connects_too_fast_is_refused),
        cmocka_unit_test(test_loopback_is_not_limited_unless_asked),
        cmocka_unit_test(test_without_descriptors_newcomers_are_told_so_and_members_play_on),
        cmocka_unit_test(test_slow_writers_are_ended_and_disturb_nobody),
        cmocka_unit_test(test_many_sessions_have_nothing_to_do_with_one_another),
        cmocka_unit_test(test_an_overloaded_session_leaves_its_neighbour_its_ticks),
    };
    e2e_limit_seconds(110);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
