/// A server that serves: what it prints, what ends it, what it tells its clients then, and what becomes of its
/// recordings.
#include <arpa/inet.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/start/exit.h"
#include "isostep/proto/codec.h"
#include "isostep/proto/framing.h"
#include "server_rig.h"

static uint32_t count_logged(const char *text) {
    uint32_t count = 0;
    for (const char *at = strstr(host_rig_log, text); at != NULL; at = strstr(at + 1, text)) {
        ++count;
    }
    return count;
}

/// Of the one sealed recording in the folder.
static bool recording_goes_on(void) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(host_rig_path_of(".isr"), "rb");
    const size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    iso_recording recording;
    iso_recording_error error;
    assert_int_equal(iso_recording_open(&recording, bytes, size, ISO_RECORDING_STRICT, &error), ISO_OK);
    assert_false(recording.is_degraded);
    return recording.goes_on;
}

// ---- What ends it -----------------------------------------------------------------------------------------

static void send_term_twice(uv_loop_t *loop) {
    (void)loop;
    raise(SIGTERM);
    raise(SIGTERM);
}

static void send_term_and_int(uv_loop_t *loop) {
    (void)loop;
    raise(SIGTERM);
    raise(SIGINT);
}

static void send_int(uv_loop_t *loop) {
    (void)loop;
    raise(SIGINT);
}

static void send_hang_up(uv_loop_t *loop) {
    (void)loop;
    raise(SIGHUP);
}

static void send_report_and_term(uv_loop_t *loop) {
    (void)loop;
    raise(SIGUSR1);
    raise(SIGTERM);
}

static void test_its_time_is_over(void **state) {
    (void)state;
    const int free_before = server_rig_free_descriptor();
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--sessions", "3", "--workers", "2", "--for", "1", NULL),
                     ISO__EXIT_DONE);
    unsigned port = 0;
    char rest[64] = "";
    assert_int_equal(sscanf(server_rig_out, "ready tcp=127.0.0.1:%u %63[^\n]", &port, rest), 2);
    assert_in_range(port, 1, 65535);
    assert_string_equal(rest, "session=s0,s1,s2");
    assert_ptr_equal(strchr(server_rig_out, '\n'), server_rig_out + strlen(server_rig_out) - 1); // one line
    server_rig_expect_log("; 3 sessions, 2 workers\n");
    server_rig_expect_log("limits reached (limit, answer, count):\n  none\n");
    assert_false(host_rig_has_logged("ending"));
    assert_int_equal(server_rig_free_descriptor(), free_before);
    assert_int_equal(the_server.niceness_set, 7);
}

/// A large world's session plays the same with its steps shared, and the threads end with the server.
static void test_steps_are_shared(void **state) {
    (void)state;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--session", "big=tumbler", "--session", "small=stack",
                                    "--threads", "3", "--memory", "256", "--empty", "run", "--for", "1", NULL),
                     ISO__EXIT_DONE);
    server_rig_expect_log("big: steps are shared by 3 threads\n");
    assert_false(host_rig_has_logged("small: steps"));
}

/// However nice it was before.
/// Who writes the recordings tells all workers that something is written, so that no tick waits for the next one.
static void test_its_recordings_wake_its_workers(void **state) {
    (void)state;
    assert_int_equal(server_rig_run_recorded("--sessions", "3", "--workers", "3", "--empty", "run", "--for", "2"),
                     ISO__EXIT_DONE);
    for (uint32_t i = 0; i < 3; ++i) {
        assert_true(atomic_load(&the_server.woken[i]));
    }
    assert_int_equal(the_server.worker_count, 3);
    assert_int_equal(the_server.workers_ended, 3);
}

static void test_its_traffic_stands_back_behind_its_ticks(void **state) {
    (void)state;
    the_server.niceness = -3;
    the_server.when_served = server_rig_send_term;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", NULL), ISO__EXIT_DONE);
    assert_int_equal(the_server.niceness_set, 4);
}

static void test_sessions_that_are_over_do_not_go_on(void **state) {
    (void)state;
    const int free_before = server_rig_free_descriptor();
    assert_int_equal(server_rig_run_recorded("--for", "1"), ISO__EXIT_DONE);
    assert_false(recording_goes_on());
    assert_int_equal(host_rig_count_files(".part"), 0);
    assert_int_equal(host_rig_count_files("server.lock"), 1);
    assert_int_equal(server_rig_free_descriptor(), free_before);
}

static void test_a_signal_ends_it_and_its_sessions_go_on(void **state) {
    static const struct {
        void (*send)(uv_loop_t *loop);
        const char *text;
    } cases[] = {{server_rig_send_term, "SIGTERM: ending\n"},
                 {send_int, "SIGINT: ending\n"},
                 {send_hang_up, "SIGHUP: ending\n"},
                 {send_term_twice, "SIGTERM: ending\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        the_server.when_served = cases[i].send;
        the_server.has_terminal = true;
        assert_int_equal(server_rig_run_recorded("--empty", "run"), ISO__EXIT_DONE);
        assert_int_equal(count_logged("ending\n"), 1);
        server_rig_expect_log(cases[i].text);
        assert_true(recording_goes_on());
        assert_int_equal(server_rig_tear_down(state), 0);
        assert_int_equal(server_rig_set_up(state), 0);
    }
}

static void test_a_signal_ends_sessions_for_good_if_it_is_told_to(void **state) {
    (void)state;
    the_server.when_served = server_rig_send_term;
    assert_int_equal(server_rig_run_recorded("--on-restart", "new"), ISO__EXIT_DONE);
    assert_false(recording_goes_on());
}

static void test_nohup_keeps_it(void **state) {
    (void)state;
    signal(SIGHUP, SIG_IGN);
    the_server.when_served = send_hang_up;
    const int code = server_rig_run("--tcp", "127.0.0.1:0", "--for", "1", NULL);
    signal(SIGHUP, SIG_DFL);
    assert_int_equal(code, ISO__EXIT_DONE);
    assert_false(host_rig_has_logged("ending"));
}

/// A hang-up of nobody's terminal asks for what was changed.
static void test_a_hang_up_without_a_terminal_reloads(void **state) {
    (void)state;
    the_server.when_served = send_hang_up;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--for", "1", NULL), ISO__EXIT_DONE);
    server_rig_expect_log("SIGHUP: reloaded\n");
    assert_false(host_rig_has_logged("ending"));
}

static void send_term_and_look(uv_loop_t *loop) {
    (void)loop;
    raise(SIGTERM);
}

/// Of the time that the signal gives, nothing is lost to who plays; a second signal does not wait.
static void test_grace_is_between_the_signal_and_the_end(void **state) {
    (void)state;
    the_server.when_served = send_term_and_look;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--grace", "3", "--workers", "1", NULL), ISO__EXIT_DONE);
    server_rig_expect_log("; 1 session, 1 worker\n");
    server_rig_expect_log("SIGTERM: ending\n");
    server_rig_expect_log("not ready; the sessions end in 3 s\n");
}

static void send_drain(uv_loop_t *loop) {
    (void)loop;
    raise(SIGUSR2);
}

static void test_draining_ends_as_a_signal_does(void **state) {
    (void)state;
    the_server.when_served = send_drain;
    assert_int_equal(server_rig_run_recorded("--drain", "4"), ISO__EXIT_DONE);
    server_rig_expect_log("draining: nobody new may join; the sessions end in 4 s\n");
    server_rig_expect_log("drained: ending\n");
    assert_true(recording_goes_on());
}

static void test_limits_are_told_on_a_signal_and_at_the_end(void **state) {
    (void)state;
    the_server.when_served = send_report_and_term;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", NULL), ISO__EXIT_DONE);
    assert_int_equal(count_logged("limits reached"), 2);
}

static uv_timer_t later;

static void on_later(uv_timer_t *timer) {
    uv_close((uv_handle_t *)timer, NULL);
    raise(SIGTERM);
}

/// The same signal again, so late that it is a second one; the disk holds the end up.
static void send_term_and_later_again(uv_loop_t *loop) {
    host_disk_hold(HOST_DISK_WRITE);
    uv_timer_init(loop, &later);
    uv_timer_start(&later, on_later, 120 * SERVER_RIG_TIME_DIVISOR, 0);
    raise(SIGTERM);
}

/// In a process of its own, which it ends at once.
static void expect_forced(void (*send)(uv_loop_t *loop)) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        the_server.when_served = send;
        server_rig_run_recorded("--empty", "run");
        _exit(99);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), ISO__EXIT_TROUBLE);
    assert_int_equal(host_rig_count_files(".isr"), 0); // what is not sealed stays as it is
}

static void test_a_second_signal_forces_it(void **state) {
    expect_forced(send_term_and_int);
    assert_int_equal(server_rig_tear_down(state), 0);
    assert_int_equal(server_rig_set_up(state), 0);
    expect_forced(send_term_and_later_again);
}

// ---- Signals at the end, and those of a program -----------------------------------------------------------

/// In a process of its own, which a signal may end. @return its status
static int run_in_child(void (*run)(void)) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        run();
        _exit(99);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static uv_prepare_t turn;

static void find_closing(uv_handle_t *handle, void *is_closing) {
    if (handle != (uv_handle_t *)&turn && handle->type == UV_PREPARE && uv_is_closing(handle)) {
        *(bool *)is_closing = true;
    }
}

/// In the turn of the loop in which the server closes what it has, before signals are looked for.
static void on_turn(uv_prepare_t *prepare) {
    bool is_closing = false;
    uv_walk(prepare->loop, find_closing, &is_closing);
    if (is_closing) {
        uv_close((uv_handle_t *)prepare, NULL);
        raise(SIGTERM);
    }
}

static void await_closing(uv_loop_t *loop) {
    uv_prepare_init(loop, &turn);
    uv_prepare_start(&turn, on_turn);
    uv_unref((uv_handle_t *)&turn);
}

static void end_while_it_closes(void) {
    the_server.when_served = await_closing;
    const int code = server_rig_run("--tcp", "127.0.0.1:0", "--for", "1", "--grace", "3600", NULL);
    _exit(host_rig_has_logged("SIGTERM: ending\n") ? code : 98);
}

/// Nobody is there any more who could play for the grace.
static void test_a_signal_does_not_hold_up_the_end(void **state) {
    (void)state;
    const int status = run_in_child(end_while_it_closes);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), ISO__EXIT_DONE);
}

static void send_all_when_it_has_closed(uint32_t run) {
    static const int all[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof all / sizeof all[0] && run == 3; ++i) {
        raise(all[i]);
    }
}

static void end_before_signals(void) {
    the_server.when_run = send_all_when_it_has_closed;
    const int code = server_rig_run_recorded("--for", "1");
    _exit(the_server.runs == 3 ? code : 98);
}

/// Its recordings are sealed: what else it is asked for must not look as if something had failed.
static void test_signals_after_the_end_change_nothing(void **state) {
    (void)state;
    const int status = run_in_child(end_before_signals);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), ISO__EXIT_DONE);
}

static void *pause_for_ever(void *user) {
    for (;;) {
        pause();
    }
    return user;
}

static void send_term_to_the_process(uv_loop_t *loop) {
    (void)loop;
    kill(getpid(), SIGTERM);
}

static void run_beside_a_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, pause_for_ever, NULL);
    the_server.when_served = send_term_to_the_process;
    const int code = server_rig_run_recorded("--empty", "run");
    _exit(host_rig_has_logged("SIGTERM: ending\n") ? code : 98);
}

/// A thread that the program has begun before blocks nothing, so the kernel gives it the signal.
static void test_a_thread_of_the_program_hands_signals_over(void **state) {
    (void)state;
    const int status = run_in_child(run_beside_a_thread);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), ISO__EXIT_DONE);
    assert_true(recording_goes_on());
}

static void on_own(int number) {
    (void)number;
}

static void expect_own(void) {
    static const int all[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        struct sigaction present;
        sigaction(all[i], NULL, &present);
        assert_ptr_equal(present.sa_handler, on_own);
        signal(all[i], SIG_DFL);
    }
}

static void set_own(void) {
    static const int all[] = {SIGHUP, SIGUSR1, SIGUSR2, SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
        signal(all[i], on_own);
    }
}

/// After one that could not start as well: the next one would take SIGHUP for ignored by nohup.
static void test_signals_do_again_what_they_did(void **state) {
    (void)state;
    set_own();
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--for", "1", NULL), ISO__EXIT_DONE);
    expect_own();
    set_own();
    the_server.listen_error = UV_EADDRINUSE;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--for", "1", NULL), ISO__EXIT_USAGE);
    expect_own();
}

// ---- A client ---------------------------------------------------------------------------------------------

static struct {
    int socket;
    uv_poll_t poll;
    uv_loop_t *loop;
    uint8_t bytes[1 << 18];
    size_t size, at;
    uint32_t chunks, chunks_heard;
    bool is_welcome, has_asked_to_end, reads_to_the_end;
    iso_status bye;
} client;

static void client_send_hello(void) {
    static _Alignas(16) uint8_t memory[ISO_ENCODE_MEMORY_SIZE];
    const iso_world *world = iso_session_get_world(the_server.sessions[0]->session);
    iso_message message = {.kind = ISO_MESSAGE_HELLO};
    iso_message_hello *hello = &message.as.hello;
    hello->protocol_min = hello->protocol_max = ISO_PROTOCOL_VERSION;
    hello->role = ISO_ROLE_PLAYER;
    hello->compressions = ISO_COMPRESSION_NONE | ISO_COMPRESSION_ZSTD;
    iso_fingerprint_make(iso_world_get_def(world), iso_world_get_game(world), &hello->fingerprint);
    strcpy(hello->session, "main");
    strcpy(hello->member, "ada");
    uint8_t body[2048], head[ISO_FRAME_HEADER_SIZE_MAX];
    size_t size = 0;
    assert_int_equal(iso_message_encode(&message, memory, sizeof memory, body, sizeof body, &size), ISO_OK);
    const size_t head_size = iso_frame_header_write(head, (uint32_t)size);
    assert_int_equal(write(client.socket, head, head_size), head_size);
    assert_int_equal(write(client.socket, body, size), size);
}

static void client_hear(const iso_message *message) {
    if (message->kind == ISO_MESSAGE_WELCOME) {
        client.is_welcome = true;
    } else if (message->kind == ISO_MESSAGE_SNAPSHOT_BEGIN) {
        client.chunks = message->as.snapshot_begin.chunk_count;
    } else if (message->kind == ISO_MESSAGE_SNAPSHOT_CHUNK) {
        ++client.chunks_heard;
    } else if (message->kind == ISO_MESSAGE_BYE) {
        client.bye = message->as.bye.code;
    }
    // When it has the snapshot it has gone through all threads.
    if (client.chunks > 0 && client.chunks_heard == client.chunks && !client.has_asked_to_end) {
        client.has_asked_to_end = true;
        raise(SIGTERM);
    }
}

static void client_hear_all(void) {
    static _Alignas(16) uint8_t memory[ISO_DECODE_MEMORY_FROM_SERVER];
    const iso_decode_limits limits = iso_decode_limits_from_server();
    for (;;) {
        size_t size = 0, head = 0;
        do {
            if (client.at + head >= client.size) {
                return;
            }
            size |= (size_t)(client.bytes[client.at + head] & 0x7F) << (7 * head);
        } while (client.bytes[client.at + head++] >= 0x80);
        if (client.at + head + size > client.size) {
            return;
        }
        iso_message message;
        assert_int_equal(
            iso_message_decode(client.bytes + client.at + head, size, &limits, memory, sizeof memory, &message),
            ISO_OK);
        client.at += head + size;
        client_hear(&message);
    }
}

static void on_client(uv_poll_t *poll, int status, int events) {
    (void)status;
    (void)events;
    const ssize_t size = read(client.socket, client.bytes + client.size, sizeof client.bytes - client.size);
    client.size += size > 0 ? (size_t)size : 0;
    client_hear_all();
    if (size > 0) {
        return;
    }
    uv_close((uv_handle_t *)poll, NULL);
    if (client.reads_to_the_end) {
        close(client.socket);
    }
}

static void come(uv_loop_t *loop) {
    unsigned port = 0;
    fflush(stdout);
    char line[200] = "";
    assert_true(pread(STDOUT_FILENO, line, sizeof line - 1, 0) > 0);
    assert_int_equal(sscanf(line, "ready tcp=127.0.0.1:%u ", &port), 1);
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    client.socket = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(client.socket, (const struct sockaddr *)&address, sizeof address), 0);
    client_send_hello();
    uv_poll_init(loop, &client.poll, client.socket);
    uv_poll_start(&client.poll, UV_READABLE, on_client);
}

static void test_a_client_is_welcomed_and_told_of_the_end(void **state) {
    (void)state;
    // One that does not hang up is waited for no longer than a moment.
    for (unsigned hangs_up = 0; hangs_up < 2; ++hangs_up) {
        server_rig_forget();
        memset(&client, 0, sizeof client);
        client.reads_to_the_end = hangs_up != 0;
        the_server.when_served = come;
        assert_int_equal(hangs_up != 0 ? server_rig_run_recorded("--on-restart", "continue")
                                       : server_rig_run("--tcp", "127.0.0.1:0", NULL),
                         ISO__EXIT_DONE);
        assert_true(client.is_welcome && client.has_asked_to_end);
        assert_int_equal(client.bye, hangs_up != 0 ? ISO_ERR_RESTARTING : ISO_ERR_SHUTDOWN);
        server_rig_expect_log("connections: 1 accepted, 1 welcomed");
        if (!client.reads_to_the_end) {
            close(client.socket);
        }
    }
}

// ---- Recordings -------------------------------------------------------------------------------------------

static void test_a_session_goes_on_and_one_that_is_not_hosted_is_named(void **state) {
    (void)state;
    the_server.when_served = server_rig_send_term;
    assert_int_equal(server_rig_run_recorded("--session", "lobby", "--empty", "run"), ISO__EXIT_DONE);
    char path[400];
    snprintf(path, sizeof path, "%s", host_rig_path_of(".isr"));
    server_rig_forget();
    the_server.when_served = server_rig_send_term;
    assert_int_equal(server_rig_run_recorded("--session", "arena", "--on-restart", "new"), ISO__EXIT_DONE);
    server_rig_expect_log("session lobby: it is not hosted by this start, and its recording ");
    assert_int_equal(host_rig_count_files(".isr"), 2);
    server_rig_forget();
    the_server.when_served = server_rig_send_term;
    assert_int_equal(server_rig_run_recorded("--session", "lobby", "--session", "arena"), ISO__EXIT_DONE);
    assert_false(host_rig_has_logged("not hosted"));
    assert_int_equal(host_rig_count_files("-2.isr"), 1);
    // The same file twice would be two sessions of one name.
    server_rig_forget();
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--resume", path, "--resume", path, NULL), ISO__EXIT_USAGE);
    server_rig_expect_log("--resume: there are two sessions named 'lobby'");
    server_rig_forget();
    the_server.when_served = server_rig_send_term;
    assert_int_equal(server_rig_run("--tcp", "127.0.0.1:0", "--resume", path, NULL), ISO__EXIT_DONE);
    assert_non_null(strstr(server_rig_out, " session=lobby\n"));
}

static void fill_disk(uv_loop_t *loop) {
    (void)loop;
    the_disk.is_full = true;
    raise(SIGTERM);
}

static void fill_disk_for_good(uv_loop_t *loop) {
    the_disk.creates_fail = true;
    fill_disk(loop);
}

static void test_a_recording_that_is_not_whole_is_trouble(void **state) {
    (void)state;
    the_server.when_served = fill_disk;
    assert_int_equal(server_rig_run_recorded("--empty", "run"), ISO__EXIT_TROUBLE);
    assert_false(host_rig_has_logged("it was closed, but the disk did not accept that"));
    host_disk_restart();
    server_rig_forget();
    // A session that is over all the same will be found by the next start, which is told.
    the_server.when_served = fill_disk_for_good;
    assert_int_equal(server_rig_run_recorded("--on-restart", "new", "--recover", "anew", "--session", "other"),
                     ISO__EXIT_TROUBLE);
    server_rig_expect_log("session other: it was closed, but the disk did not accept that: the next start with ");
}

int main(void) {
#define SERVER_TEST(name) cmocka_unit_test_setup_teardown(name, server_rig_set_up, server_rig_tear_down)
    const struct CMUnitTest tests[] = {
        SERVER_TEST(test_its_time_is_over),
        SERVER_TEST(test_steps_are_shared),
        SERVER_TEST(test_its_recordings_wake_its_workers),
        SERVER_TEST(test_its_traffic_stands_back_behind_its_ticks),
        SERVER_TEST(test_sessions_that_are_over_do_not_go_on),
        SERVER_TEST(test_a_signal_ends_it_and_its_sessions_go_on),
        SERVER_TEST(test_a_signal_ends_sessions_for_good_if_it_is_told_to),
        SERVER_TEST(test_nohup_keeps_it),
        SERVER_TEST(test_draining_ends_as_a_signal_does),
        SERVER_TEST(test_grace_is_between_the_signal_and_the_end),
        SERVER_TEST(test_a_hang_up_without_a_terminal_reloads),
        SERVER_TEST(test_limits_are_told_on_a_signal_and_at_the_end),
        SERVER_TEST(test_a_second_signal_forces_it),
        SERVER_TEST(test_a_signal_does_not_hold_up_the_end),
        SERVER_TEST(test_signals_after_the_end_change_nothing),
        SERVER_TEST(test_a_thread_of_the_program_hands_signals_over),
        SERVER_TEST(test_signals_do_again_what_they_did),
        SERVER_TEST(test_a_client_is_welcomed_and_told_of_the_end),
        SERVER_TEST(test_a_session_goes_on_and_one_that_is_not_hosted_is_named),
        SERVER_TEST(test_a_recording_that_is_not_whole_is_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
