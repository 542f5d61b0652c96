/// How a server starts: its threads and sessions, and what it says when something is wrong or missing. It does not
/// serve then, and nothing was changed.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/recordings/lock.h"
#include "host/start/exit.h"
#include "isostep/games.h"
#include "server_rig.h"

// ---- Threads ----------------------------------------------------------------------------------------------

static void expect_workers(const char *workers, const char *sessions, uint32_t count, uint32_t session_max) {
    const long processors = the_server.processors;
    server_rig_forget();
    the_server.processors = processors;
    the_server.workers_left = count - 1; // all are asked for, the last one fails
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--sessions", sessions,
                                    workers != NULL ? "--workers" : NULL, workers, NULL),
                     ISO__EXIT_TROUBLE);
    server_rig_expect_log("out of memory\n");
    assert_int_equal(the_server.worker_count, count);
    assert_int_equal(the_server.session_max[0], session_max);
    assert_string_equal(server_rig_out, "");
}

static void test_there_is_a_worker_less_than_processors(void **state) {
    (void)state;
    the_server.processors = 5;
    expect_workers(NULL, "10", 4, 3);
    expect_workers(NULL, "12", 4, 3);
    expect_workers(NULL, "13", 4, 4);
    expect_workers(NULL, "3", 3, 1);
    expect_workers("2", "10", 2, 5);
    expect_workers("6", "5", 5, 1);
    the_server.processors = 1;
    expect_workers(NULL, "3", 1, 3);
    the_server.processors = 2;
    expect_workers(NULL, "3", 1, 3);
    the_server.processors = 100;
    expect_workers(NULL, "66", ISO__WORKERS_MAX, 2);
}

static void test_sessions_take_turns_within_a_tick(void **state) {
    (void)state;
    const uint64_t quarter = HOST_RIG_SECOND / 60 / 4;
    the_server.when_served = server_rig_send_term;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--sessions", "12", "--workers", "2", NULL),
                     ISO__EXIT_DONE);
    assert_int_equal(the_server.session_count, 12);
    for (uint32_t i = 0; i < 12; ++i) {
        // Two workers' sessions side by side; the fifth of a worker is due with its first.
        const uint64_t after = the_server.started_ns[i] - the_server.started_ns[0];
        assert_in_range(after, i / 2 % 4 * quarter, i / 2 % 4 * quarter + 4);
    }
}

static void test_threads_that_cannot_be_made_are_told(void **state) {
    (void)state;
    const int free_before = server_rig_free_descriptor();
    uint32_t made = 0;
    for (; made < 20; ++made) {
        server_rig_forget();
        the_server.threads_left = made;
        the_server.when_served = NULL;
        const int code = server_rig_run_recorded("--for", "1", "--sessions", "2", "--workers", "2");
        assert_int_equal(server_rig_free_descriptor(), free_before);
        if (code == ISO__EXIT_DONE) {
            break;
        }
        assert_int_equal(code, ISO__EXIT_TROUBLE);
        server_rig_expect_log("a thread cannot be created: Resource temporarily unavailable (ulimit -u, ulimit -v)");
        assert_string_equal(server_rig_out, "");
        assert_int_equal(host_rig_count_files(".part"), 0);
    }
    assert_in_range(made, 4, 19); // two workers, the writer, and who compresses and syncs
}

// ---- What is missing --------------------------------------------------------------------------------------

static void test_help_and_version_are_printed(void **state) {
    (void)state;
    assert_int_equal(server_rig_run("--help", NULL), ISO__EXIT_DONE);
    assert_string_equal(server_rig_out, iso__options_help());
    assert_int_equal(server_rig_run("--version", NULL), ISO__EXIT_DONE);
    assert_ptr_equal(strstr(server_rig_out, "test_host_start "), server_rig_out);
    assert_non_null(strstr(server_rig_out, iso_games[0]->name));
    assert_string_equal(host_rig_log, "");
}

static void test_usage_is_refused(void **state) {
    (void)state;
    char file[200];
    snprintf(file, sizeof file, "%s/file", the_disk.folder);
    close(open(file, O_WRONLY | O_CREAT, 0600));
    const int free_before = server_rig_free_descriptor();
    assert_int_equal(server_rig_run("--no-such-option", NULL), ISO__EXIT_USAGE);
    server_rig_expect_log("--no-such-option");
    assert_int_equal(server_rig_run("--tcp", "192.0.2.1:0", NULL), ISO__EXIT_USAGE);
    server_rig_expect_log("is not a loopback address");
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--record", file, NULL), ISO__EXIT_USAGE);
    server_rig_expect_log("/file' cannot be written to: Not a directory\n");
    iso_game game = *iso_games[0];
    game.param_count = ISO_GAME_PARAMS_MAX + 1;
    assert_int_equal(server_rig_run_game(&game, "--tcp", "127.0.0.1:0", "--for", "1", NULL), ISO__EXIT_USAGE);
    server_rig_expect_log("param_count");
    assert_string_equal(server_rig_out, "");
    assert_int_equal(server_rig_free_descriptor(), free_before);
    host_rig_clear_log();
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--scene", "no-such-scene", NULL), ISO__EXIT_SCENE);
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--resume", file, NULL), ISO__EXIT_RECORDING);
    assert_int_equal(server_rig_free_descriptor(), free_before);
}

static void test_a_game_of_ones_own_is_known(void **state) {
    (void)state;
    iso_game game = *iso_games[0];
    game.name = "mine";
    assert_int_equal(server_rig_run_game(&game, "--version", NULL), ISO__EXIT_DONE);
    assert_non_null(strstr(server_rig_out, "mine"));
    assert_non_null(strstr(server_rig_out, iso_games[0]->name));
}

static void test_a_folder_that_another_server_has_is_refused(void **state) {
    (void)state;
    const int folder = open(the_disk.folder, O_RDONLY | O_DIRECTORY);
    int lock = -1;
    assert_true(iso__lock_take(folder, the_disk.folder, false, &lock));
    const int free_before = server_rig_free_descriptor();
    assert_int_equal(server_rig_run_recorded("--for", "1"), ISO__EXIT_USAGE);
    server_rig_expect_log("is in use by ");
    assert_int_equal(server_rig_free_descriptor(), free_before);
    close(lock);
    close(folder);
    // The lock ends with the server.
    server_rig_forget();
    assert_int_equal(server_rig_run_recorded("--for", "1"), ISO__EXIT_DONE);
    server_rig_forget();
    assert_int_equal(server_rig_run_recorded("--for", "1"), ISO__EXIT_DONE);
}

static void test_a_port_that_is_taken_leaves_the_folder_alone(void **state) {
    (void)state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    char where[40], text[140];
    const int taken = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(taken, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(taken, 1), 0);
    assert_int_equal(getsockname(taken, (struct sockaddr *)&address, &size), 0);
    snprintf(where, sizeof where, "127.0.0.1:%u", ntohs(address.sin_port));
    assert_int_equal(server_rig_run("--tcp", where, "--record", the_disk.folder, NULL), ISO__EXIT_USAGE);
    snprintf(text, sizeof text, "--tcp: %s cannot be used: address already in use; choose another", where);
    server_rig_expect_log(text);
    assert_int_equal(host_rig_count_files(ISO__KEY_NAME), 0);
    assert_int_equal(host_rig_count_files(".part"), 0);
    assert_int_equal(the_server.session_count, 0);
    close(taken);
    server_rig_forget();
    the_server.listen_error = UV_EADDRINUSE;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", NULL), ISO__EXIT_USAGE);
    server_rig_expect_log("cannot be used: address already in use");
    server_rig_forget();
    the_server.listen_error = UV_ENOMEM;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", NULL), ISO__EXIT_USAGE);
    assert_string_equal(host_rig_log, "out of memory\n");
}

static void test_a_key_that_cannot_be_read_is_refused(void **state) {
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/" ISO__KEY_NAME, the_disk.folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(server_rig_run_recorded("--for", "1"), ISO__EXIT_USAGE);
    server_rig_expect_log(ISO__KEY_NAME "': it is a folder");
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(host_rig_count_files(".part"), 0);
    assert_string_equal(server_rig_out, "");
}

static void test_memory_that_is_missing_is_told_before_it_serves(void **state) {
    (void)state;
    const int free_before = server_rig_free_descriptor();
    the_server.loop_error = UV_EMFILE;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", NULL), ISO__EXIT_TROUBLE);
    server_rig_expect_log("an event loop cannot be created: out of memory or file descriptors");
    for (uint32_t count = 0; count < 3; ++count) {
        server_rig_forget();
        the_server.blocks_left = count;
        assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", NULL), ISO__EXIT_TROUBLE);
        assert_string_equal(host_rig_log, "out of memory\n");
    }
    // Less than a snapshot takes when it is compressed.
    server_rig_forget();
    the_server.block_max = 4u << 20;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--for", "1", NULL), ISO__EXIT_TROUBLE);
    server_rig_expect_log("the system has no memory for snapshots (ulimit -v)");
    assert_string_equal(server_rig_out, "");
    server_rig_forget();
    the_server.block_max = 6u << 20;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--for", "1", NULL), ISO__EXIT_DONE);
    assert_int_equal(server_rig_free_descriptor(), free_before);
}

int main(void) {
#define SERVER_TEST(name) cmocka_unit_test_setup_teardown(name, server_rig_set_up, server_rig_tear_down)
    const struct CMUnitTest tests[] = {
        SERVER_TEST(test_there_is_a_worker_less_than_processors),
        SERVER_TEST(test_sessions_take_turns_within_a_tick),
        SERVER_TEST(test_threads_that_cannot_be_made_are_told),
        SERVER_TEST(test_help_and_version_are_printed),
        SERVER_TEST(test_usage_is_refused),
        SERVER_TEST(test_a_game_of_ones_own_is_known),
        SERVER_TEST(test_a_folder_that_another_server_has_is_refused),
        SERVER_TEST(test_a_port_that_is_taken_leaves_the_folder_alone),
        SERVER_TEST(test_a_key_that_cannot_be_read_is_refused),
        SERVER_TEST(test_memory_that_is_missing_is_told_before_it_serves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
