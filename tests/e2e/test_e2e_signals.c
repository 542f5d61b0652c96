/// What a service manager, an operator and a terminal do to a server: it says how it is, drains, ends with grace, and
/// reads and opens its files anew.
#include "e2e_web.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static e2e_server server;
static char folder[64], path[128], moved[128], text[1 << 16];

static int set_up(void **state) {
    (void)state;
    e2e_folder_make(folder);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    unsetenv("NOTIFY_SOCKET");
    unsetenv("WATCHDOG_USEC");
    e2e_folder_remove(folder);
    return 0;
}

static const char *content_of(const char *name) {
    FILE *file = fopen(name, "r");
    const size_t size = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[size] = '\0';
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

static bool has(const char *name, const char *what) {
    return strstr(content_of(name), what) != NULL;
}

static unsigned readiness(void) {
    e2e_answer answer;
    char body[64];
    return e2e_web_get(&server, "/readyz", "", &answer, body, sizeof body);
}

// ---- A service manager ------------------------------------------------------------------------------

/// Its socket. @return a descriptor
static int manage(bool is_abstract) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[100];
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    snprintf(name, sizeof name, "%s%s/notify", is_abstract ? "@" : "", folder);
    memcpy(address.sun_path, name, strlen(name));
    if (is_abstract) {
        address.sun_path[0] = '\0';
    }
    const socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    setenv("NOTIFY_SOCKET", name, 1);
    return fd;
}

/// Waits for a message that has this; others are thrown away.
static void expect_said(int fd, const char *what) {
    const struct timeval patience = {.tv_sec = 30};
    char said[512];
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    for (;;) {
        const ssize_t size = recv(fd, said, sizeof said - 1, 0);
        if (size < 0) {
            fail_msg("'%s' was not said", what);
        }
        said[size < (ssize_t)sizeof said ? size : 0] = '\0';
        if (strstr(said, what) != NULL) {
            return;
        }
    }
}

static void test_a_manager_is_told_how_the_server_is(void **state) {
    (void)state;
    for (unsigned abstract = 0; abstract < 2; ++abstract) {
        const int fd = manage(abstract != 0);
        setenv("WATCHDOG_USEC", "100000", 1);
        e2e_server_start(&server, NULL);
        expect_said(fd, "READY=1\nSTATUS=Serving on 127.0.0.1:");
        expect_said(fd, "WATCHDOG=1\n");
        expect_said(fd, "WATCHDOG=1\n");
        kill(server.pid, SIGHUP);
        expect_said(fd, "RELOADING=1\nMONOTONIC_USEC=");
        expect_said(fd, "READY=1\n");
        kill(server.pid, SIGTERM);
        expect_said(fd, "STOPPING=1\n");
        assert_int_equal(e2e_server_stop(&server, 0), 0);
        close(fd);
    }
    // One that is not there is no reason not to serve.
    snprintf(path, sizeof path, "%s/nobody", folder);
    setenv("NOTIFY_SOCKET", path, 1);
    e2e_server_start(&server, NULL);
    assert_true(e2e_server_has_logged(&server, "$NOTIFY_SOCKET: '"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

// ---- Reloading --------------------------------------------------------------------------------------

static void test_a_hang_up_opens_the_files_anew(void **state) {
    (void)state;
    char events[128], log[128];
    snprintf(events, sizeof events, "%s/events", folder);
    snprintf(log, sizeof log, "%s/log", folder);
    snprintf(moved, sizeof moved, "%s/old", folder);
    e2e_server_start(&server, (const char *const[]){"--events", events, "--log-file", log, NULL});
    struct stat about;
    assert_int_equal(stat(log, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    E2E_WAIT(has(events, "\"begin\""), e2e_sleep_ms(5));
    assert_int_equal(rename(log, moved), 0);
    snprintf(path, sizeof path, "%s/old-events", folder);
    assert_int_equal(rename(events, path), 0);
    kill(server.pid, SIGHUP);
    E2E_WAIT(has(log, "SIGHUP: reloaded\n"), e2e_sleep_ms(5));
    E2E_WAIT(access(events, F_OK) == 0, e2e_sleep_ms(5));
    assert_false(has(moved, "SIGHUP"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    assert_true(has(log, "SIGTERM: ending\n"));
    assert_string_equal(content_of(server.log_path), "");
    unlink(server.log_path);
}

/// The signal comes before the line `ready`, at which only reloading could be meant.
static void test_a_hang_up_before_it_serves_is_ignored(void **state) {
    (void)state;
    e2e_server_spawn(&server, E2E_SERVER,
                     (const char *const[]){"--session", "big=many-pyramids", "--memory", "512", NULL});
    snprintf(path, sizeof path, "/proc/%d/status", (int)server.pid);
    unsigned long long ignored = 0;
    const unsigned long long expected = 1ull << (SIGHUP - 1) | 1ull << (SIGPIPE - 1) | 1ull << (SIGXFSZ - 1);
    // Its signals are set as soon as its arguments are read: SIGHUP and SIGPIPE are ignored, then SIGXFSZ.
    E2E_WAIT(strstr(content_of(path), "Name:\tisostep-server") != NULL &&
                 sscanf(strstr(text, "SigIgn:"), "SigIgn: %llx", &ignored) == 1 && (ignored & expected) == expected,
             e2e_sleep_ms(1));
    kill(server.pid, SIGHUP);
    E2E_WAIT(e2e_server_is_ready(&server, 1000), (void)0);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

/// A server of a terminal ends with it, as ever.
static void test_a_hang_up_of_its_terminal_ends_it(void **state) {
    (void)state;
    const int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    snprintf(path, sizeof path, "%s/log", folder);
    const pid_t pid = fork();
    if (pid == 0) {
        setsid();
        const int slave = open(ptsname(master), O_RDWR);
        ioctl(slave, TIOCSCTTY, 0);
        alarm(60);
        execl(E2E_SERVER, E2E_SERVER, "--tcp", "127.0.0.1:0", "--log-file", path, (char *)NULL);
        _exit(127);
    }
    // Its files are set up when it has a log, its signals soon afterwards; before, the hang-up ends it as well.
    E2E_WAIT(access(path, F_OK) == 0, e2e_sleep_ms(5));
    int status = 0;
    close(master); // the terminal goes
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) ? WTERMSIG(status) == SIGHUP : WEXITSTATUS(status) == 0);
}

// ---- The end ----------------------------------------------------------------------------------------

/// Says Hello as a client that shows notices.
static e2e_link *greet(void) {
    e2e_link *link = e2e_link_open(server.port, 0);
    uint8_t bytes[1024];
    iso_message message = e2e_hello();
    message.as.hello.features = ISO_FEATURE_NOTICES;
    e2e_link_write(link, bytes, e2e_encode(&message, bytes, sizeof bytes));
    assert_true(e2e_link_read(link, &message, 8000));
    assert_int_equal(message.kind, ISO_MESSAGE_WELCOME);
    return link;
}

static void expect_end_told(e2e_link *link, uint32_t within_ms) {
    iso_message message;
    assert_true(e2e_link_read_kind(link, ISO_MESSAGE_NOTICE, &message, 8000));
    assert_string_equal(message.as.notice.text, "the server ends");
    assert_in_range(message.as.notice.deadline_ms, 1, within_ms);
}

static void test_grace_keeps_those_who_play(void **state) {
    (void)state;
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--grace", "2", NULL});
    e2e_player *player = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    assert_int_equal(readiness(), 200);
    e2e_link *early = greet();
    const uint64_t begin = e2e_now_ns();
    kill(server.pid, SIGTERM);
    E2E_WAIT(readiness() == 503, e2e_players_run_for(&player, 1, 20));
    // Who comes now may have been sent before a balancer knew.
    e2e_link *late = greet();
    expect_end_told(early, 2000);
    expect_end_told(late, 2000);
    assert_true(e2e_players_run(&player, 1, e2e_all_ended, 8000));
    // libuv's timers count from the beginning of the loop's turn, which is before the signal on a busy machine.
    assert_true(e2e_now_ns() - begin >= 2 * E2E_S - E2E_S / 5);
    assert_int_equal(player->end_status, ISO_ERR_SHUTDOWN);
    e2e_player_destroy(player);
    e2e_link_close(early);
    e2e_link_close(late);
    assert_int_equal(e2e_server_stop(&server, 0), 0);
}

static void test_draining_lets_nobody_new_in(void **state) {
    (void)state;
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--record", folder, "--drain", "3", NULL});
    e2e_player *player = e2e_player_start_in(server.port, "main", 20000);
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    kill(server.pid, SIGUSR2);
    E2E_WAIT(readiness() == 503, e2e_players_run_for(&player, 1, 20));
    e2e_player *late = e2e_player_start(server.port, 0);
    assert_true(e2e_players_run(&late, 1, e2e_all_ended, 8000));
    assert_int_equal(late->end_status, ISO_ERR_SHUTDOWN);
    assert_false(late->has_joined);
    e2e_player_destroy(late);
    // Who was there may come back.
    shutdown(player->link->fd, SHUT_RDWR);
    player->has_joined = false;
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 8000));
    assert_int_equal(player->resumes, 1);
    assert_int_equal(e2e_server_stop(&server, 0), 0);
    e2e_player_destroy(player);
}

/// @return the signals that a thread of the server blocks: a bit each, the first is signal 1
static uint64_t blocked_by(const char *thread) {
    char name[320], line[128];
    snprintf(name, sizeof name, "/proc/%d/task/%.200s/status", (int)server.pid, thread);
    FILE *status = fopen(name, "r");
    assert_non_null(status);
    unsigned long long blocked = 0;
    bool is_there = false;
    while (!is_there && fgets(line, sizeof line, status) != NULL) {
        is_there = sscanf(line, "SigBlk: %llx", &blocked) == 1;
    }
    fclose(status);
    assert_true(is_there);
    return blocked;
}

/// The kernel gives a signal of the process to any thread that does not block it, and interrupts it.
static void test_signals_interrupt_no_thread(void **state) {
    (void)state;
    const uint64_t ours = UINT64_C(1) << (SIGTERM - 1) | UINT64_C(1) << (SIGINT - 1) | UINT64_C(1) << (SIGHUP - 1) |
                          UINT64_C(1) << (SIGUSR1 - 1) | UINT64_C(1) << (SIGUSR2 - 1);
    char events[128], tasks[64];
    snprintf(events, sizeof events, "%s/events.jsonl", folder);
    e2e_server_start(&server, (const char *const[]){"--http", "127.0.0.1:0", "--record", folder, "--keep", "5n",
                                                    "--events", events, "--threads", "2", NULL});
    snprintf(tasks, sizeof tasks, "/proc/%d/task", (int)server.pid);
    DIR *list = opendir(tasks);
    assert_non_null(list);
    unsigned threads = 0;
    for (const struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list)) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        ++threads;
        assert_int_equal(blocked_by(entry->d_name) & ours, ours);
    }
    closedir(list);
    // The first, a worker, a compressor, a writer, a syncer, and those of --keep, --events, --http.
    assert_true(threads >= 8);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_manager_is_told_how_the_server_is, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_hang_up_opens_the_files_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_hang_up_before_it_serves_is_ignored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_hang_up_of_its_terminal_ends_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_grace_keeps_those_who_play, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_draining_lets_nobody_new_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_signals_interrupt_no_thread, set_up, tear_down),
    };
    e2e_limit_seconds(100);
    // The servers shall have no terminal, wherever the test runs.
    const pid_t child = fork();
    if (child == 0) {
        setsid();
        signal(SIGHUP, SIG_DFL);
        alarm(100);
        exit(cmocka_run_group_tests(tests, NULL, NULL));
    }
    int status = 1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
