/// A server that serves has given up what it has no use for: the rules hold in the released process, in all of its
/// threads.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "e2e.h"

/// Threads of the process, and how many of them have this line in their status.
static unsigned count_threads(pid_t pid, const char *line, unsigned *all) {
    char path[300], text[4096];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    unsigned count = 0;
    *all = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        snprintf(path, sizeof path, "/proc/%d/task/%s/status", (int)pid, entry->d_name);
        const int file = open(path, O_RDONLY);
        const ssize_t size = file >= 0 ? read(file, text, sizeof text - 1) : 0;
        text[size > 0 ? size : 0] = '\0';
        close(file);
        ++*all;
        count += strstr(text, line) != NULL;
    }
    closedir(folder);
    return count;
}

static void expect_threads(const e2e_server *server, bool are_confined) {
    unsigned all = 0;
    const unsigned confined = count_threads(server->pid, "\nSeccomp:\t2\n", &all);
    const unsigned bound = count_threads(server->pid, "\nNoNewPrivs:\t1\n", &all);
    assert_true(all > 3);
    assert_int_equal(confined, are_confined ? all : 0);
    assert_int_equal(bound, are_confined ? all : 0);
}

static char folder[64], probe[160], record[160];
static e2e_server server;

/// Starts a recorded server behind the probe, and lets it try what it tries.
static void start_and_probe(const char *option) {
    char shell[600];
    e2e_folder_make(folder);
    snprintf(probe, sizeof probe, "%s/probe", folder);
    snprintf(record, sizeof record, "%s/recordings", folder);
    snprintf(shell, sizeof shell, "export LD_PRELOAD=%s E2E_PROBE=%s", E2E_SANDBOX_PROBE, probe);
    e2e_server_start_within(&server, shell, (const char *const[]){"--record", record, "--empty", "run", option, NULL});
    const int file = open(probe, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    close(file);
    // Something for the connections' thread to wake up for.
    e2e_link *link = e2e_link_open(server.port, 0);
    E2E_WAIT(e2e_server_has_logged(&server, "probe of syncs") && e2e_server_has_logged(&server, "probe of connections"),
             e2e_sleep_ms(20));
    e2e_link_close(link);
}

static void stop(char *log, size_t capacity) {
    assert_int_equal(e2e_server_stop_and_read(&server, SIGTERM, log, capacity), 0);
    e2e_folder_remove(folder);
}

static void a_serving_process_cannot_do_what_it_has_no_use_for(void **state) {
    (void)state;
    static char log[1 << 16];
    start_and_probe(NULL);
    expect_threads(&server, true);
    stop(log, sizeof log);
    char expected[120];
    const char *const threads[] = {"syncs", "connections"};
    for (size_t i = 0; i < 2; ++i) {
        snprintf(expected, sizeof expected, "probe of %s: open %d, create %d, socket %d, fork %d\n", threads[i], EACCES,
                 EACCES, EPERM, EPERM);
        if (strstr(log, expected) == NULL) {
            fail_msg("expected '%s' in: %s", expected, log);
        }
    }
    snprintf(expected, sizeof expected, "probe beyond: connect %d, message %d, owner %d, chmod %d, nice %d\n", EPERM,
             EPERM, EPERM, EPERM, EPERM);
    if (strstr(log, expected) == NULL) {
        fail_msg("expected '%s' in: %s", expected, log);
    }
    assert_null(strstr(log, "the kernel lacks"));
}

static void without_the_sandbox_it_can(void **state) {
    (void)state;
    static char log[1 << 16];
    start_and_probe("--no-sandbox");
    expect_threads(&server, false);
    stop(log, sizeof log);
    assert_non_null(strstr(log, "probe of connections: open 0, "));
    assert_non_null(strstr(log, "socket 0, fork 0\n"));
    unlink("/isostep-e2e-probe");
}

int main(void) {
    e2e_limit_seconds(60);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_serving_process_cannot_do_what_it_has_no_use_for),
        cmocka_unit_test(without_the_sandbox_it_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
