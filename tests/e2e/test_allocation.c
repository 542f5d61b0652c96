/// The Nth allocation fails, for every N: of a server's start, of a client's run, of a replay, of a picture.
///
/// Each try is a child that calls the program's main function. The linker leads every allocation of our own libraries
/// to this file (--wrap). What other libraries take for themselves is not failed: libuv, for one, aborts when its table
/// of descriptors cannot grow.
/// A child must end by itself, not by a signal, and say that there was no memory unless it could do without; under the
/// address sanitizer it must also have lost nothing.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "e2e.h"
#include "isostep/client_main.h"
#include "isostep/replay_main.h"
#include "isostep/server/server.h"

#define TRIES_MAX 4000u

/// Shared with the children.
typedef struct shared {
    atomic_uint count;  // allocations so far
    unsigned fail_at;   // 0: never
    atomic_bool failed; // that one was reached
} shared;

static shared *shared_state;
static char folder[64], recording[160];
static char said[16384]; // by the last child, on both streams

// ---- allocations ---------------------------------------------------------------------------------

static bool fails(void) {
    if (shared_state == NULL || shared_state->fail_at == 0) {
        return false;
    }
    const bool now = atomic_fetch_add(&shared_state->count, 1) + 1u == shared_state->fail_at;
    if (now) {
        atomic_store(&shared_state->failed, true);
        errno = ENOMEM;
    }
    return now;
}

// The names are the linker's.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **memory, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size);

void *__wrap_malloc(size_t size) {
    return fails() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *memory, size_t size) {
    return fails() ? NULL : __real_realloc(memory, size);
}
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **memory, size_t alignment, size_t size) {
    return fails() ? ENOMEM : __real_posix_memalign(memory, alignment, size);
}

// ---- children ------------------------------------------------------------------------------------

typedef int main_function(int argc, char **argv, const iso_game *const *games, size_t count);

static void child_run(main_function *run, char **argv, int output) {
    int argc = 0;
    while (argv[argc] != NULL) {
        argc += 1;
    }
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i) {
        signal(faults[i], SIG_DFL); // cmocka would go on with the next test, in the child
    }
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    alarm(30); // one that hangs ends by a signal
    exit(run(argc, argv, NULL, 0));
}

/// Runs a child to its end with its Nth allocation failing. A child that says it is ready is told to end.
/// @return its exit code; below 0: the signal that ended it
static int child(main_function *run, char **argv, unsigned fail_at) {
    int pipes[2];
    size_t size = 0;
    assert_int_equal(pipe(pipes), 0);
    atomic_store(&shared_state->count, 0);
    atomic_store(&shared_state->failed, false);
    shared_state->fail_at = fail_at;
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(pipes[0]);
        child_run(run, argv, pipes[1]);
    }
    close(pipes[1]);
    bool told = false;
    for (ssize_t got = 1; got > 0 && size < sizeof said - 1;) {
        got = read(pipes[0], said + size, sizeof said - 1 - size);
        size += got > 0 ? (size_t)got : 0;
        said[size] = 0;
        if (!told && strstr(said, "ready tcp=") != NULL) {
            told = true;
            kill(pid, SIGTERM);
        }
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(pipes[0]);
    shared_state->fail_at = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Fails one allocation after the other until none is left. Those that do not spoil the run may be passed over.
/// @return how many allocations were failed
static unsigned fail_each(main_function *run, char **argv) {
    for (unsigned n = 1; n < TRIES_MAX; ++n) {
        const int code = child(run, argv, n);
        if (code < 0 || code > 4 || (code != 0 && strstr(said, "memory") == NULL && strstr(said, "MEMORY") == NULL)) {
            fail_msg("allocation %u: exit code %d: %s", n, code, said);
        }
        if (!atomic_load(&shared_state->failed)) {
            assert_int_equal(code, 0);
            return n - 1;
        }
    }
    fail_msg("there is no end of allocations");
    return 0;
}

static char *words[16];
static char **line(const char *const *from) {
    size_t count = 0;
    for (; from[count] != NULL; ++count) {
        words[count] = (char *)(uintptr_t)from[count];
    }
    words[count] = NULL;
    return words;
}

static void test_a_server_without_memory_says_so(void **state) {
    (void)state;
    char **argv = line((const char *[]){"isostep-server", "--scene", E2E_SCENE, "--tcp", "127.0.0.1:0", "--record",
                                        folder, "--for", "20", NULL});
    const unsigned count = fail_each(iso_server_main, argv);
    print_message("server: %u allocations failed\n", count);
    assert_true(count > 10);
}

/// What a killed server left is gone on from, or not touched: never skipped, never put aside.
static void test_a_server_without_memory_leaves_recordings_alone(void **state) {
    (void)state;
    e2e_server server;
    char own[64], path[200], damaged[200];
    e2e_folder_make(own);
    e2e_server_start(&server, (const char *const[]){"--record", own, NULL});
    e2e_sleep_ms(100);
    assert_int_equal(e2e_server_stop(&server, SIGKILL), -1);
    assert_true(e2e_folder_find(own, "-1.isr.part", path, sizeof path));
    char **argv = line((const char *[]){"isostep-server", "--scene", E2E_SCENE, "--tcp", "127.0.0.1:0", "--record", own,
                                        "--for", "20", NULL});
    unsigned refused = 0;
    for (unsigned n = 1; n < TRIES_MAX; ++n) {
        e2e_image *before = e2e_folder_read(own);
        const int code = child(iso_server_main, argv, n);
        const bool is_ready = strstr(said, "ready tcp=") != NULL;
        if (is_ready) {
            if (strstr(said, "continued from its recording") == NULL ||
                e2e_folder_find(own, ".damaged", damaged, sizeof damaged)) {
                fail_msg("allocation %u: exit code %d: %s", n, code, said);
            }
            e2e_image_free(before);
            break; // from here on the session is over
        }
        refused += code == 3;
        e2e_folder_expect(own, before);
    }
    print_message("recover: %u allocations refused a recording\n", refused);
    assert_true(refused > 4);
    e2e_folder_remove(own);
}

static void test_a_replay_without_memory_says_so(void **state) {
    (void)state;
    const unsigned count =
        fail_each(iso_replay_main, line((const char *[]){"isostep-replay", "verify", recording, NULL}));
    print_message("verify: %u allocations failed\n", count);
    assert_true(count >= 2);
    const unsigned simulated = fail_each(
        iso_replay_main, line((const char *[]){"isostep-replay", "simulate", E2E_SCENE, "--ticks", "3", NULL}));
    print_message("simulate: %u allocations failed\n", simulated);
    assert_true(simulated >= 2);
    char picture[160];
    snprintf(picture, sizeof picture, "%s/three.svg", folder);
    const unsigned drawn = fail_each(
        iso_replay_main, line((const char *[]){"isostep-replay", "render", recording, "--out", picture, NULL}));
    print_message("render: %u allocations failed\n", drawn);
    assert_true(drawn >= 4);
    const unsigned space = fail_each(
        iso_replay_main, line((const char *[]){"isostep-replay", "render", "stack3", "--out", picture, NULL}));
    print_message("render in space: %u allocations failed\n", space);
    assert_true(space >= 8);
}

static void test_a_client_without_memory_says_so(void **state) {
    (void)state;
    e2e_server server;
    char address[32];
    e2e_server_start(&server, NULL);
    snprintf(address, sizeof address, "127.0.0.1:%u", (unsigned)server.port);
    const unsigned count =
        fail_each(iso_client_main, line((const char *[]){"isostep-client", address, "--ticks", "1", NULL}));
    print_message("client: %u allocations failed\n", count);
    assert_true(count > 10);
    assert_int_equal(e2e_server_stop(&server, SIGTERM), 0);
}

/// A recording to verify.
static int set_up(void **state) {
    (void)state;
    e2e_limit_seconds(500);
    shared_state = mmap(NULL, sizeof *shared_state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(shared_state, MAP_FAILED);
    e2e_folder_make(folder);
    snprintf(recording, sizeof recording, "%s/three.isr", folder);
    char **argv =
        line((const char *[]){"isostep-replay", "simulate", E2E_SCENE, "--ticks", "3", "--record", recording, NULL});
    return child(iso_replay_main, argv, 0);
}

static int tear_down(void **state) {
    (void)state;
    e2e_folder_remove(folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_server_without_memory_says_so),
        cmocka_unit_test(test_a_server_without_memory_leaves_recordings_alone),
        cmocka_unit_test(test_a_replay_without_memory_says_so),
        cmocka_unit_test(test_a_client_without_memory_says_so),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
