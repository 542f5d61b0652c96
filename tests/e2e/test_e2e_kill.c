/// A server that is killed at random moments and started again: sessions go on, members come back as who
/// they were, and nothing that anybody saw is lost.
///
///   test_e2e_kill [--kills N] [--seed N] [--server PROGRAM]…    by default 20 kills; 300 make it a long one
///
/// Half of the kills come while the server runs, the others while it starts and recovers and while members come back.
/// The programs, this build's first, take turns from start to start.
#include "e2e.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "e2e_history.h"

enum { PLAYERS = 4, SESSIONS = 2, PROGRAMS_MAX = 4, TICKS_MAX = 1 << 18 };

typedef enum moment {
    STARTING,  // before the line `ready`
    RETURNING, // before every member is back
    RUNNING,
    MOMENTS,
} moment;

static uint64_t kills = 20, seed = 1;
static const char *programs[PROGRAMS_MAX] = {E2E_SERVER};
static uint64_t program_count = 1, start_count;

static uint64_t next_random(void) {
    // xorshift64*
    static uint64_t state;
    state = state == 0 ? seed : state;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * UINT64_C(2685821657736338717) >> 16;
}

static char folder[64], address[32];
static e2e_server server;
static e2e_player *players[PLAYERS];
static uint8_t slots[PLAYERS];
static e2e_history histories[SESSIONS];
static const uint32_t session_of[PLAYERS] = {0, 0, 1, 0};

static void reserve_address(void) {
    snprintf(address, sizeof address, "127.0.0.1:%u", e2e_port_reserve());
}

static void spawn_server(void) {
    // Small files and many keyframes, so that kills meet the change from one to the next.
    e2e_server_spawn(&server, programs[start_count++ % program_count],
                     (const char *const[]){"--tcp", address, "--session", "main", "--session", "second", "--record",
                                           folder, "--roll", "1", "--keyframes", "8", NULL});
}

static void wait_until_ready(void) {
    if (!e2e_server_is_ready(&server, 20 * 1000 * 1000)) {
        fail_msg("the server is not ready after 20 s");
    }
}

static bool all_are_back(e2e_player *const *list, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!list[i]->has_joined && !list[i]->has_ended) {
            return false;
        }
    }
    return true;
}

static bool one_is_welcomed(e2e_player *const *list, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const iso_client_phase phase = iso_client_get_phase(list[i]->client);
        if (!list[i]->has_joined && !list[i]->has_ended && phase != ISO_CLIENT_PHASE_AWAY &&
            phase > ISO_CLIENT_PHASE_HELLO) {
            return true;
        }
    }
    return all_are_back(list, count);
}

static uint64_t patience_end_ns;

static bool all_are_back_or_time_is_over(e2e_player *const *list, size_t count) {
    return all_are_back(list, count) || e2e_now_ns() >= patience_end_ns;
}

/// Half of the kills are to meet the running server, whatever the others have met.
static moment draw_moment(const uint64_t *met) {
    const uint64_t early = met[STARTING] + met[RETURNING];
    const bool runs = early > met[RUNNING] + 2 || (met[RUNNING] < early + 2 && next_random() % 2 == 0);
    return runs ? RUNNING : next_random() % 2 == 0 ? STARTING : RETURNING;
}

/// Lets the server come as far as was drawn. @return what the kill meets if it comes now
static moment go_to(moment planned) {
    // How long the program of this turn takes to get ready.
    static uint64_t ready_us[PROGRAMS_MAX];
    uint64_t *usual_us = &ready_us[(start_count - 1) % program_count];
    const uint64_t begin_ns = e2e_now_ns();
    if (planned == STARTING && !e2e_server_is_ready(&server, next_random() % (*usual_us + *usual_us / 8 + 1))) {
        return STARTING;
    }
    wait_until_ready();
    *usual_us = planned != STARTING ? (e2e_now_ns() - begin_ns) / 1000 : *usual_us;
    if (planned == RUNNING) {
        assert_true(e2e_players_run(players, PLAYERS, all_are_back, 20000));
        e2e_players_run_for(players, PLAYERS, 50 + next_random() % 700);
    } else if (planned == RETURNING) {
        assert_true(e2e_players_run(players, PLAYERS, one_is_welcomed, 20000));
        patience_end_ns = e2e_now_ns() + next_random() % 40 * E2E_MS;
        e2e_players_run(players, PLAYERS, all_are_back_or_time_is_over, 1000);
    }
    return all_are_back(players, PLAYERS) ? RUNNING : RETURNING;
}

static void check_players(void) {
    for (size_t i = 0; i < PLAYERS; ++i) {
        if (players[i]->has_ended) {
            fail_msg("player %zu ended: %s", i, iso_status_name(players[i]->end_status));
        }
        assert_int_equal(players[i]->joins, 1);
        assert_int_equal(players[i]->rewinds, 0);
        assert_int_equal(players[i]->roots_changed, 0);
        assert_int_equal(e2e_player_stats(players[i]).desyncs, 0);
        if (players[i]->has_joined) {
            assert_int_equal(iso_client_slot(players[i]->client), slots[i]);
        }
    }
}

static void start_players(void) {
    for (size_t i = 0; i < PLAYERS; ++i) {
        e2e_history *history = &histories[session_of[i]];
        players[i] = e2e_player_start_in(server.port, history->session, 60000);
        players[i]->roots = history->seen;
        players[i]->roots_capacity = history->capacity;
        players[i]->build_every = 20 + (uint32_t)i;
    }
    assert_true(e2e_players_run(players, PLAYERS, e2e_all_joined, 10000));
    for (size_t i = 0; i < PLAYERS; ++i) {
        slots[i] = iso_client_slot(players[i]->client);
    }
}

static void kill_server(moment met) {
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    // What is still under way to the players belongs to what they saw.
    if (met != STARTING) {
        e2e_players_run_for(players, PLAYERS, 30);
    }
    for (size_t i = 0; i < SESSIONS; ++i) {
        e2e_history_read(&histories[i], folder);
    }
    e2e_history_check_names(folder);
    check_players();
}

static uint64_t count_seen(void) {
    uint64_t count = 0;
    for (size_t i = 0; i < SESSIONS; ++i) {
        for (uint64_t tick = 0; tick < histories[i].capacity; ++tick) {
            count += histories[i].seen[tick] != 0;
        }
    }
    return count;
}

static void test_killed_at_random_moments_nothing_is_lost(void **state) {
    (void)state;
    static const char *const names[SESSIONS] = {"main", "second"};
    uint64_t met[MOMENTS] = {0};
    e2e_folder_make(folder);
    reserve_address();
    for (size_t i = 0; i < SESSIONS; ++i) {
        e2e_history_init(&histories[i], names[i], TICKS_MAX);
    }
    spawn_server();
    wait_until_ready();
    start_players();
    for (uint64_t kill = 0; kill < kills; ++kill) {
        const moment planned = kill == 0 ? RUNNING : draw_moment(met), now = go_to(planned);
        ++met[now];
        print_message("seed %llu, kill %llu, %s\n", (unsigned long long)seed, (unsigned long long)kill,
                      now == STARTING    ? "starting"
                      : now == RETURNING ? "returning"
                                         : "running");
        kill_server(now);
        spawn_server();
    }
    wait_until_ready();
    assert_true(e2e_players_run(players, PLAYERS, all_are_back, 20000));
    e2e_players_run_for(players, PLAYERS, 300);
    check_players();
    for (size_t i = 0; i < PLAYERS; ++i) {
        assert_in_range(players[i]->resumes, met[RUNNING], kills);
        e2e_player_destroy(players[i]);
    }
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_history_check_names(folder);
    uint32_t files = 0;
    for (size_t i = 0; i < SESSIONS; ++i) {
        files += e2e_history_check_sealed(&histories[i], folder);
    }
    print_message("%llu kills while starting, %llu while members came back, %llu while running; %llu ticks were seen, "
                  "in %u files\n",
                  (unsigned long long)met[STARTING], (unsigned long long)met[RETURNING],
                  (unsigned long long)met[RUNNING], (unsigned long long)count_seen(), files);
    assert_true(met[STARTING] + met[RETURNING] + 3 >= met[RUNNING]);
    for (size_t i = 0; i < SESSIONS; ++i) {
        e2e_history_term(&histories[i]);
    }
    e2e_folder_remove(folder);
}

/// The server dies again each time when it has said Welcome, before the member is there again.
static void test_killed_again_before_a_member_is_back_it_keeps_its_place(void **state) {
    (void)state;
    e2e_folder_make(folder);
    reserve_address();
    spawn_server();
    wait_until_ready();
    e2e_player *player = e2e_player_start_in(server.port, "main", 30000);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 10000));
    for (int kill = 0; kill < 5; ++kill) {
        assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
        e2e_players_run_for(&player, 1, 30);
        spawn_server();
        wait_until_ready();
        assert_true(e2e_players_run(&player, 1, one_is_welcomed, 20000));
        assert_false(player->has_ended);
        assert_int_equal(player->resumes, 0);
    }
    assert_true(e2e_players_run(&player, 1, all_are_back, 20000));
    assert_int_equal(player->joins, 1);
    assert_int_equal(player->resumes, 1);
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_folder_remove(folder);
}

int main(int argc, char **argv) {
#ifdef E2E_SECOND_SERVER
    programs[program_count++] = E2E_SECOND_SERVER;
#endif
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--kills") == 0) {
            kills = strtoull(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "--seed") == 0) {
            seed = strtoull(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "--server") == 0 && program_count < PROGRAMS_MAX) {
            programs[program_count++] = argv[i + 1];
        } else {
            return 2;
        }
    }
    if (kills > 1000 || seed == 0) {
        return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_at_random_moments_nothing_is_lost),
        cmocka_unit_test(test_killed_again_before_a_member_is_back_it_keeps_its_place),
    };
    e2e_limit_seconds((unsigned)(60 + kills * 6));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
