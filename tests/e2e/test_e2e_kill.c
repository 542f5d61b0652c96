/// A server that is killed at random moments and started again: sessions go on, members come back as who
/// they were, and nothing that anybody saw is lost.
///
///   test_e2e_kill [--kills N] [--seed N]    by default 20 kills; 300 make it a long one
#include "e2e.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>

#include "isostep/proto/recording.h"

enum { PLAYERS = 4 };

static uint64_t kills = 20, seed = 1;

static uint64_t next_random(void)
{
    // xorshift64*
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return seed * UINT64_C(2685821657736338717) >> 16;
}

/// What a player had seen when the server was killed.
typedef struct witness {
    const char *session;
    uint64_t tick, root;
} witness;

static char folder[64];
static e2e_server server;
static e2e_player *players[PLAYERS];
static const char *const sessions[PLAYERS] = {"main", "main", "second", "main"};

static void start_server(uint16_t port)
{
    char address[32];
    snprintf(address, sizeof address, "127.0.0.1:%u", port);
    // Small files and many keyframes, so that kills meet the change from one to the next.
    e2e_server_start(&server, (const char *const[]){"--tcp", address, "--session", "main", "--session", "second", "--record", folder,
                                                    "--roll", "1", "--keyframes", "8", NULL});
}

static bool all_are_back(e2e_player *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!list[i]->joined && !list[i]->ended)
            return false;
    }
    return true;
}

/// A file of the session in the folder, read from end to end.
typedef struct file {
    uint8_t *bytes;
    iso_recording recording;
} file;

static int by_order(const void *a, const void *b)
{
    const iso_recording *x = &((const file *)a)->recording, *y = &((const file *)b)->recording;
    if (x->header.epoch != y->header.epoch)
        return x->header.epoch < y->header.epoch ? -1 : 1;
    return x->header.first_tick < y->header.first_tick ? -1 : x->header.first_tick > y->header.first_tick;
}

/// All files of a session, in their order; each must be whole and sealed. @return how many
static size_t read_chain(const char *session, file *files, size_t capacity)
{
    size_t count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        char path[512];
        if (strncmp(entry->d_name, session, strlen(session)) != 0)
            continue;
        assert_true(count < capacity);
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *in = fopen(path, "rb");
        file *one = &files[count++];
        one->bytes = malloc(1 << 22);
        size_t size = fread(one->bytes, 1, 1 << 22, in);
        fclose(in);
        iso_recording_error error;
        iso_status status = iso_recording_open(&one->recording, one->bytes, size, ISO_RECORDING_STRICT, &error);
        if (status != ISO_OK)
            fail_msg("%s: %s at %llu: %s", path, iso_status_name(status), (unsigned long long)error.offset, error.what);
        static char output[1 << 16];
        if (e2e_run(E2E_REPLAY, (const char *const[]){"verify", path, NULL}, output, sizeof output) != 0)
            fail_msg("%s does not verify: %s", path, output);
    }
    closedir(dir);
    qsort(files, count, sizeof files[0], by_order);
    return count;
}

static bool find_root(const file *one, uint64_t tick, uint64_t *root)
{
    uint64_t offset = one->recording.frames_offset;
    iso_recording_frame frame;
    while (iso_recording_next(&one->recording, &offset, &frame)) {
        iso_recording_tick found;
        if (frame.type == ISO_RECORDING_TICK && iso_recording_read_root(&frame, &found) == ISO_OK && found.hashed_tick == tick) {
            *root = found.root;
            return true;
        }
    }
    return false;
}

/// Each epoch begins where the one before ended, each file of an epoch within the one before; and what
/// players saw is there, with the root that they saw.
static void check_chain(const char *session, const witness *witnesses, size_t witness_count)
{
    static file files[1024];
    size_t count = read_chain(session, files, 1024);
    assert_true(count > kills + 1);  // some epochs have several files
    assert_int_equal(files[0].recording.header.first_tick, 0);
    for (size_t i = 1; i < count; i++) {
        const iso_recording *a = &files[i - 1].recording, *b = &files[i].recording;
        assert_memory_equal(a->header.uid, b->header.uid, sizeof a->header.uid);
        if (a->header.epoch == b->header.epoch)
            assert_in_range(b->header.first_tick, a->header.first_tick + 1, a->last_tick);
        else
            assert_int_equal(b->header.first_tick, a->last_tick);
    }
    for (size_t i = 0; i < witness_count; i++) {
        if (strcmp(witnesses[i].session, session) != 0 || witnesses[i].tick == 0)
            continue;
        uint64_t root = 0;
        bool found = false;
        for (size_t k = 0; k < count && !found; k++)
            found = find_root(&files[k], witnesses[i].tick, &root);
        if (!found || root != witnesses[i].root)
            fail_msg("tick %llu, which a player of %s saw with root %016llx, is %s", (unsigned long long)witnesses[i].tick, session,
                     (unsigned long long)witnesses[i].root, found ? "another one" : "lost");
    }
    for (size_t i = 0; i < count; i++)
        free(files[i].bytes);
}

static void test_killed_at_random_moments_nothing_is_lost(void **state)
{
    (void)state;
    static witness witnesses[PLAYERS * 1024];
    size_t witness_count = 0;
    e2e_folder_make(folder);
    start_server(0);
    uint16_t port = server.port;
    for (size_t i = 0; i < PLAYERS; i++) {
        players[i] = e2e_player_start_in(port, sessions[i], 30000);
        players[i]->keeps_roots = true;
        players[i]->build_every = 20 + (uint32_t)i;
    }
    assert_true(e2e_players_run(players, PLAYERS, e2e_all_joined, 10000));
    for (uint64_t kill = 0; kill < kills; kill++) {
        e2e_players_run_for(players, PLAYERS, 50 + next_random() % 700);
        assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
        // What is still under way to the players belongs to what they saw.
        e2e_players_run_for(players, PLAYERS, 30);
        for (size_t i = 0; i < PLAYERS; i++)
            witnesses[witness_count++] = (witness){sessions[i], iso_client_tick(players[i]->client), players[i]->root};
        start_server(port);
        assert_true(e2e_players_run(players, PLAYERS, all_are_back, 20000));
        for (size_t i = 0; i < PLAYERS; i++) {
            if (players[i]->ended)
                fail_msg("seed %llu, kill %llu: player %zu ended: %s", (unsigned long long)seed, (unsigned long long)kill, i,
                         iso_status_name(players[i]->end_status));
        }
    }
    e2e_players_run_for(players, PLAYERS, 300);
    for (size_t i = 0; i < PLAYERS; i++) {
        assert_int_equal(e2e_player_stats(players[i]).desyncs, 0);
        assert_int_equal(players[i]->joins, 1);
        assert_int_equal(players[i]->resumes, kills);
        assert_int_equal(players[i]->rewinds, 0);
        e2e_player_destroy(players[i]);
    }
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    check_chain("main", witnesses, witness_count);
    check_chain("second", witnesses, witness_count);
    e2e_folder_remove(folder);
}

static bool first_is_welcomed(e2e_player *const *list, size_t count)
{
    (void)count;
    iso_client_phase phase = iso_client_get_phase(list[0]->client);
    return list[0]->joined || list[0]->ended || (phase != ISO_CLIENT_PHASE_AWAY && phase > ISO_CLIENT_PHASE_HELLO);
}

/// The server dies again each time when it has said Welcome, before the member is there again.
static void test_killed_again_before_a_member_is_back_it_keeps_its_place(void **state)
{
    (void)state;
    e2e_folder_make(folder);
    start_server(0);
    uint16_t port = server.port;
    e2e_player *player = e2e_player_start_in(port, "main", 30000);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 10000));
    for (int kill = 0; kill < 5; kill++) {
        assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
        e2e_players_run_for(&player, 1, 30);
        start_server(port);
        assert_true(e2e_players_run(&player, 1, first_is_welcomed, 20000));
        assert_false(player->ended);
        assert_int_equal(player->resumes, 0);
    }
    assert_true(e2e_players_run(&player, 1, all_are_back, 20000));
    assert_int_equal(player->joins, 1);
    assert_int_equal(player->resumes, 1);
    e2e_player_destroy(player);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_folder_remove(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--kills") == 0)
            kills = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
    }
    if (kills > 1000 || seed == 0)
        return 2;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_at_random_moments_nothing_is_lost),
        cmocka_unit_test(test_killed_again_before_a_member_is_back_it_keeps_its_place),
    };
    e2e_limit_seconds((unsigned)(60 + kills * 6));
    return cmocka_run_group_tests(tests, NULL, NULL);
}
