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
static bool join_and_cut(void)
{
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 5000) || player->ended);
    bool joined = player->joined;
    assert_true(joined || player->end_status == ISO_ERR_ADDRESS_LIMIT);
    e2e_player_destroy(player);
    return joined;
}

static bool is_back(e2e_player *const *players, size_t count)
{
    (void)count;
    return players[0]->resumes == 1;
}

static void test_held_slots_count_for_their_address(void **state)
{
    (void)state;
    e2e_server_start(&server, (const char *const[]){"--limit-loopback", "--session", "main", "--session", "second", NULL});
    e2e_player *member = e2e_player_start_in(server.port, "second", 30000);
    assert_true(e2e_players_run(&member, 1, e2e_all_joined, 5000));
    int taken = 1;
    while (taken < 20 && join_and_cut())
        taken++;
    assert_int_equal(taken, 8);
    // Who comes back takes no more than it has.
    shutdown(member->link->fd, SHUT_RDWR);
    assert_true(e2e_players_run(&member, 1, is_back, 5000));
    e2e_player_destroy(member);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_a_strict_session_is_not_dragged_by_who_cuts_and_joins_again(void **state)
{
    (void)state;
    e2e_server_start(&server, (const char *const[]){"--late", "strict", "--tick-rate", "60", NULL});
    e2e_player *players[2] = {e2e_player_start(server.port, 0)};
    assert_true(e2e_players_run(players, 1, e2e_all_joined, 5000));
    uint64_t begin = e2e_now_ns(), before = players[0]->ticks;
    for (int i = 0; i < 5; i++) {
        players[1] = e2e_player_start(server.port, 0);
        assert_true(e2e_players_run(players, 2, e2e_all_joined, 10000));
        e2e_players_run_for(players, 2, 60);
        e2e_players_run_for(players, 1, 900);  // the other one says nothing and reads nothing
        e2e_player_destroy(players[1]);
    }
    double rate = (double)(players[0]->ticks - before) * 1e9 / (double)(e2e_now_ns() - begin);
    print_message("%.1f ticks a second of 60 under the attack\n", rate);
    e2e_player_destroy(players[0]);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_true(rate > 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_held_slots_count_for_their_address),
        cmocka_unit_test(test_a_strict_session_is_not_dragged_by_who_cuts_and_joins_again),
    };
    e2e_limit_seconds(60);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
