/// What belongs to where connections come from, however often they are cut and made anew: held slots, and the patience
/// of a strict session.
#include "e2e.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static e2e_server server;

/// Joins and is cut as soon as it is a member. @return false: it was refused for its address
static bool join_and_cut(void) {
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 20000) || player->has_ended);
    bool joined = player->has_joined;
    assert_true(joined || player->end_status == ISO_ERR_ADDRESS_LIMIT);
    e2e_player_destroy(player);
    return joined;
}

static bool is_back(e2e_player *const *players, size_t count) {
    (void)count;
    return players[0]->resumes == 1;
}

static void test_held_slots_count_for_their_address(void **state) {
    (void)state;
    e2e_server_start(&server,
                     (const char *const[]){"--limit-loopback", "--session", "main", "--session", "second", NULL});
    e2e_player *member = e2e_player_start_in(server.port, "second", 30000);
    assert_true(e2e_players_run(&member, 1, e2e_all_joined, 20000));
    int taken = 1;
    while (taken < 20 && join_and_cut()) {
        ++taken;
    }
    assert_int_equal(taken, 8);
    // Who comes back takes no more than it has.
    shutdown(member->link->fd, SHUT_RDWR);
    assert_true(e2e_players_run(&member, 1, is_back, 20000));
    e2e_player_destroy(member);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

enum { LIMIT = 8 };

/// A recording knows no addresses. For the time that slots are held after a restart an address can have its places
/// twice, but not for longer: coming back to one of the old slots takes a place of the address.
static void test_a_restart_does_not_give_an_address_its_places_twice(void **state) {
    (void)state;
    char folder[64];
    e2e_player *old[LIMIT], *fresh[LIMIT];
    e2e_folder_make(folder);
    const char *const options[] = {"--limit-loopback", "--hold", "4", "--record", folder, NULL};
    e2e_server_start(&server, options);
    for (int i = 0; i < LIMIT; ++i) {
        old[i] = e2e_player_start_in(server.port, "main", 30000);
    }
    assert_true(e2e_players_run(old, LIMIT, e2e_all_joined, 20000));
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    e2e_server_start(&server, options);
    for (int i = 0; i < LIMIT; ++i) {
        fresh[i] = e2e_player_start(server.port, 0);
        old[i]->port = server.port;
    }
    assert_true(e2e_players_run(fresh, LIMIT, e2e_all_joined, 20000));
    // There is room for one more connection, but what is held for the address now counts.
    e2e_player_destroy(fresh[0]);
    e2e_players_run_for(fresh + 1, LIMIT - 1, 200);
    e2e_players_run_for(old, 1, 1500); // tries again and again
    assert_int_equal(old[0]->resumes, 0);
    e2e_player_destroy(old[0]);
    // Nobody has come back to the old ones.
    for (int i = 0; i < 80 && e2e_server_count_logged(&server, "left, slot") < LIMIT; ++i) {
        e2e_players_run_for(fresh + 1, LIMIT - 1, 100);
    }
    assert_true(e2e_server_count_logged(&server, "left, slot") >= LIMIT);
    for (int i = 1; i < LIMIT; ++i) {
        e2e_player_destroy(old[i]);
        e2e_player_destroy(fresh[i]);
    }
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_folder_remove(folder);
}

/// A session without an attack goes on beside the attacked one: what the machine does to both is no harm of the attack.
static void test_a_strict_session_is_not_dragged_by_who_cuts_and_joins_again(void **state) {
    (void)state;
    e2e_server_start(&server, (const char *const[]){"--late", "strict", "--tick-rate", "60", "--session", "main",
                                                    "--session", "second", NULL});
    e2e_player *players[3] = {e2e_player_start(server.port, 0), e2e_player_start_in(server.port, "second", 0)};
    assert_true(e2e_players_run(players, 2, e2e_all_joined, 20000));
    const uint64_t attacked = players[0]->ticks, spared = players[1]->ticks;
    for (int i = 0; i < 5; ++i) {
        players[2] = e2e_player_start(server.port, 0);
        assert_true(e2e_players_run(players, 3, e2e_all_joined, 20000));
        e2e_players_run_for(players, 3, 60);
        e2e_players_run_for(players, 2, 900); // the other one says nothing and reads nothing
        e2e_player_destroy(players[2]);
    }
    const double ticks = (double)(players[0]->ticks - attacked), usual = (double)(players[1]->ticks - spared);
    print_message("%.0f ticks under the attack, %.0f without one\n", ticks, usual);
    e2e_player_destroy(players[0]);
    e2e_player_destroy(players[1]);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_true(ticks > usual / 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held_slots_count_for_their_address),
        cmocka_unit_test(test_a_restart_does_not_give_an_address_its_places_twice),
        cmocka_unit_test(test_a_strict_session_is_not_dragged_by_who_cuts_and_joins_again),
    };
    e2e_limit_seconds(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
