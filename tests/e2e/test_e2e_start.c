/// The order of a server's start: the folder's lock, the address, the recordings, `ready`. Who is refused has touched
/// nothing.
#include "e2e.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], address[32], output[1 << 16];
static e2e_server server;

/// A server that records, in the middle of a game.
static e2e_player *start_and_play(void) {
    e2e_server_start(&server, (const char *const[]){"--record", folder, NULL});
    snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
    e2e_player *player = e2e_player_start(server.port, 0);
    player->build_every = 20;
    assert_true(e2e_players_run(&player, 1, e2e_all_joined, 30000));
    e2e_players_run_for(&player, 1, 400);
    return player;
}

static int run_second(const char *where, const char *further) {
    return e2e_run(
        E2E_SERVER,
        (const char *const[]){"--tcp", where, "--scene", E2E_SCENE, "--record", folder, "--for", "1", further, NULL},
        output, sizeof output);
}

/// It keeps its scene, whatever the options say, and says so.
static void expect_goes_on(void) {
    e2e_server_start(&server, (const char *const[]){"--record", folder, "--scene", "stack", NULL});
    assert_true(e2e_server_has_logged(&server, "continued from its recording"));
    assert_true(e2e_server_has_logged(&server, "with its scene 'floor'"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

static void test_a_second_server_on_the_folder_touches_nothing(void **state) {
    (void)state;
    static const char *const others[] = {"127.0.0.1:0", address};
    for (size_t i = 0; i < 2; ++i) {
        char holder[128], host[64] = "";
        e2e_folder_make(folder);
        e2e_player *player = start_and_play();
        // Nothing but the second server can change anything while this one stands.
        kill(server.pid, SIGSTOP);
        int stopped;
        assert_int_equal(waitpid(server.pid, &stopped, WUNTRACED), server.pid); // its threads do not stop at once
        assert_true(WIFSTOPPED(stopped));
        e2e_image *before = e2e_folder_read(folder);
        assert_int_equal(run_second(others[i], NULL), 2);
        e2e_folder_expect(folder, before);
        gethostname(host, sizeof host - 1);
        snprintf(holder, sizeof holder, "in use by process %d on %s", (int)server.pid, host);
        if (strstr(output, holder) == NULL) {
            fail_msg("'%s' is missing in: %s", holder, output);
        }
        // What an operator then does: the session goes on.
        e2e_player_destroy(player);
        assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
        expect_goes_on();
        e2e_folder_remove(folder);
    }
}

static void test_a_session_that_is_left_out_is_named(void **state) {
    (void)state;
    e2e_folder_make(folder);
    e2e_server_start(&server, (const char *const[]){"--record", folder, "--session", "my-game", NULL});
    assert_false(e2e_server_has_logged(&server, "is not hosted"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_server_start(&server, (const char *const[]){"--record", folder, "--session", "my-gane", NULL});
    assert_true(e2e_server_has_logged(
        &server, "warning: session my-game: it is not hosted by this start, and its recording my-game-"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_folder_remove(folder);
}

static void write_scene(const char *path, const char *name, int gravity) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out,
            "{\"format\":1,\"name\":\"%s\",\"world\":{\"gravity\":[0,%d]},\"capacities\":{\"bodies\":16,\"shapes\":16,"
            "\"joints\":0,\"contacts\":64,\"slots\":4},\"bodies\":[]}",
            name, gravity);
    assert_int_equal(fclose(out), 0);
}

/// Starts with these words, and ends. @param said  is expected in the log; NULL: nothing about what is not used
static void expect_unused(const char *said, const char *scene, const char *option, const char *value) {
    e2e_server_start(&server, (const char *const[]){"--record", folder, "--session", scene, option, value, NULL});
    assert_int_equal(e2e_server_has_logged(&server, "not used are"), said != NULL);
    if (said != NULL && !e2e_server_has_logged(&server, said)) {
        fail_msg("'%s' is missing in %s", said, server.log_path);
    }
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

/// Who edits a scene and starts again expects the new one.
static void test_what_is_given_and_not_used_is_named(void **state) {
    (void)state;
    char path[128], scene[160];
    e2e_folder_make(folder);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    snprintf(scene, sizeof scene, "main=%s", path);
    write_scene(path, "mine", -10);
    expect_unused(NULL, scene, NULL, NULL);
    expect_unused(NULL, scene, "--seed", "1"); // as it is
    write_scene(path, "mine", -9);
    expect_unused("scene.json' that is given (another one). To begin it anew, ", scene, NULL, NULL);
    expect_unused("that is given (another one), --tick-rate 30 (it has 60)", "main=stack", "--tick-rate", "30");
    expect_unused("that is given (another one), --seed 9 (it has 1)", "main", "--seed", "9");
    unlink(path);
    expect_unused("that is given (it cannot be read)", scene, NULL, NULL);
    write_scene(path, "mine", -9);
    expect_unused(NULL, scene, "--on-restart", "new"); // once
    expect_unused(NULL, scene, NULL, NULL);
    e2e_folder_remove(folder);
}

static void test_a_server_says_what_it_hosts(void **state) {
    (void)state;
    e2e_folder_make(folder);
    e2e_server_start(&server,
                     (const char *const[]){"--record", folder, "--session", "a=stack", "--session", "b", NULL});
    assert_true(e2e_server_has_logged(&server, "info: isostep-server 0."));
    assert_true(e2e_server_has_logged(&server, "): 2 sessions with their scenes: a 'stack', b 'floor'; recorded in '"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_server_start(&server, (const char *const[]){"--scene", "stack", NULL});
    assert_true(e2e_server_has_logged(&server, "): 1 session with its scene: main 'stack'; not recorded"));
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_folder_remove(folder);
}

static void test_a_taken_port_leaves_the_recordings_alone(void **state) {
    (void)state;
    e2e_folder_make(folder);
    e2e_player_destroy(start_and_play());
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    e2e_image *before = e2e_folder_read(folder);
    e2e_server_start(&server, NULL);
    snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
    assert_int_equal(run_second(address, NULL), 2);
    assert_non_null(strstr(output, "choose another with --tcp"));
    e2e_folder_expect(folder, before);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    expect_goes_on();
    e2e_folder_remove(folder);
}

/// Who can open the lock's file to read can hold a lock on it, too, and would keep the server out for as long as they
/// like.
static void test_only_the_server_s_user_can_open_the_lock(void **state) {
    (void)state;
    char path[128];
    struct stat info;
    e2e_folder_make(folder);
    snprintf(path, sizeof path, "%s/server.lock", folder);
    // Made by the server, and as versions before left it.
    for (unsigned i = 0; i < 2; ++i) {
        assert_int_equal(run_second("127.0.0.1:0", NULL), 0);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_mode & 0777, 0600);
        assert_int_equal(chmod(path, 0644), 0);
    }
    e2e_folder_remove(folder);
}

/// @param fault  of faulty_disk.c
static int run_on_faulty_disk(char fault, const char *further) {
    char fault_path[80], shell[2000];
    snprintf(fault_path, sizeof fault_path, "%s-fault", folder);
    int file = open(fault_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(file, &fault, 1), 1);
    close(file);
    snprintf(shell, sizeof shell,
             "LD_PRELOAD=%s E2E_DISK=%s ASAN_OPTIONS=verify_asan_link_order=0 exec %s --tcp 127.0.0.1:0 --scene %s "
             "--record %s --for 1 %s",
             E2E_FAULTY_DISK, fault_path, E2E_SERVER, E2E_SCENE, folder, further);
    int code = e2e_run("/bin/sh", (const char *const[]){"-c", shell, NULL}, output, sizeof output);
    unlink(fault_path);
    return code;
}

static void test_a_folder_whose_lock_may_not_hold_is_refused_unless_told(void **state) {
    (void)state;
    static const struct {
        char fault;
        const char *why;
    } cases[] = {{'l', "No locks available"}, {'n', "NFS"}};
    for (size_t i = 0; i < 2; ++i) {
        e2e_folder_make(folder);
        assert_int_equal(run_on_faulty_disk(cases[i].fault, ""), 2);
        assert_non_null(strstr(output, cases[i].why));
        assert_non_null(strstr(output, "--allow-unlocked"));
        assert_null(strstr(output, "ready"));
        assert_int_equal(run_on_faulty_disk(cases[i].fault, "--allow-unlocked"), 0);
        assert_non_null(strstr(output, "ready"));
        e2e_folder_remove(folder);
    }
    // Told or not, a lock that another server has is one.
    e2e_folder_make(folder);
    e2e_player_destroy(start_and_play());
    assert_int_equal(run_second("127.0.0.1:0", "--allow-unlocked"), 2);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
    e2e_folder_remove(folder);
}

// ---- Short of everything ------------------------------------------------------------------------------

/// Runs the server within a shell's limit, and lets it end when it has been ready for a moment.
/// @return its exit code; below 0: the signal that ended it
static int run_short(const char *limit) {
    char shell[2000];
    int pipes[2], status = 0;
    size_t size = 0;
    snprintf(shell, sizeof shell, "ulimit %s; exec %s --tcp 127.0.0.1:0 --scene %s --record %s", limit, E2E_SERVER,
             E2E_SCENE, folder);
    assert_int_equal(pipe(pipes), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        dup2(pipes[1], STDOUT_FILENO);
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        alarm(60);
        execl("/bin/sh", "sh", "-c", shell, NULL);
        _exit(127);
    }
    close(pipes[1]);
    bool told = false;
    for (ssize_t got = 1; got > 0 && size < sizeof output - 1;) {
        got = read(pipes[0], output + size, sizeof output - 1 - size);
        size += got > 0 ? (size_t)got : 0;
        output[size] = '\0';
        if (!told && strstr(output, "ready tcp=") != NULL) {
            told = true;
            e2e_sleep_ms(100);
            kill(pid, SIGTERM);
        }
    }
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Whatever is missing: an exit code and a message, and no recording is changed by a server that does not get ready.
/// One that is ready may still be short of memory, and say so.
static bool expect_message_or_service(const char *limit) {
    e2e_image *before = e2e_folder_read(folder);
    int code = run_short(limit);
    bool is_ready = strstr(output, "ready tcp=") != NULL;
    if (code < 0 || code == 139 || code == 134 || output[0] == '\0' || (is_ready ? code > 1 : code == 0)) {
        fail_msg("ulimit %s: exit code %d: %s", limit, code, output);
    }
    if (is_ready) {
        e2e_image_free(before);
    } else {
        e2e_folder_expect(folder, before);
    }
    return is_ready;
}

/// Gives it more and more of something until it has served some times: how much that takes is the machine's.
/// @param step  what it is given more each time, until that doubles it
static void give_more_and_more(const char *option, unsigned first, unsigned step, unsigned last) {
    unsigned refused = 0, served = 0;
    for (unsigned amount = first; served < 4; amount += amount < 16 * step ? step : amount / 8) {
        char limit[32];
        snprintf(limit, sizeof limit, "%s %u", option, amount);
        *(expect_message_or_service(limit) ? &served : &refused) += 1;
        if (amount > last) {
            fail_msg("ulimit %s: it has served %u times only: %s", limit, served, output);
        }
    }
    // From nothing on: the first ones are far too little on any machine.
    assert_true(refused >= 5);
}

static void test_what_is_missing_is_told_before_it_is_ready(void **state) {
    (void)state;
    e2e_folder_make(folder);
    e2e_player_destroy(start_and_play());
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    give_more_and_more("-n", 3, 1, 1000);
#ifndef __SANITIZE_ADDRESS__
    // Address space; a sanitizer needs more than there is.
    give_more_and_more("-v", 12 << 10, 4 << 10, 4 << 20); // less than the program itself ends it before it begins
#endif
    e2e_folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_second_server_on_the_folder_touches_nothing),
        cmocka_unit_test(test_a_session_that_is_left_out_is_named),
        cmocka_unit_test(test_what_is_given_and_not_used_is_named),
        cmocka_unit_test(test_a_server_says_what_it_hosts),
        cmocka_unit_test(test_a_taken_port_leaves_the_recordings_alone),
        cmocka_unit_test(test_only_the_server_s_user_can_open_the_lock),
        cmocka_unit_test(test_a_folder_whose_lock_may_not_hold_is_refused_unless_told),
        cmocka_unit_test(test_what_is_missing_is_told_before_it_is_ready),
    };
    e2e_limit_seconds(110);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
