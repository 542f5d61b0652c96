#include "server_rig.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "isostep/server/server.h"

server_rig the_server;
char server_rig_out[8192];

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *user);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *user);
long __real_sysconf(int name);
long __wrap_sysconf(int name);
int __wrap_getpriority(__priority_which_t which, id_t who);
int __wrap_setpriority(__priority_which_t which, id_t who, int value);
int __real_uv_run(uv_loop_t *loop, uv_run_mode mode);
int __wrap_uv_run(uv_loop_t *loop, uv_run_mode mode);
int __real_uv_loop_init(uv_loop_t *loop);
int __wrap_uv_loop_init(uv_loop_t *loop);
int __real_uv_listen(uv_stream_t *stream, int backlog, uv_connection_cb on_connection);
int __wrap_uv_listen(uv_stream_t *stream, int backlog, uv_connection_cb on_connection);
int __real_uv_timer_start(uv_timer_t *timer, uv_timer_cb on_timer, uint64_t timeout, uint64_t repeat);
bool __wrap_iso__terminal_is_there(void);
int __wrap_uv_timer_start(uv_timer_t *timer, uv_timer_cb on_timer, uint64_t timeout, uint64_t repeat);
bool __real_iso__worker_init(iso__worker *worker, uint32_t session_max, uv_async_t *outbound_filled,
                             iso__counters *counters);
bool __wrap_iso__worker_init(iso__worker *worker, uint32_t session_max, uv_async_t *outbound_filled,
                             iso__counters *counters);
void __real_iso__worker_term(iso__worker *worker);
void __wrap_iso__worker_term(iso__worker *worker);
void __real_iso__worker_wake_nudged(iso__worker *worker);
void __wrap_iso__worker_wake_nudged(iso__worker *worker);
void __real_iso__hosted_start(iso__hosted *hosted, uint64_t now);
void __wrap_iso__hosted_start(iso__hosted *hosted, uint64_t now);

void *__wrap_malloc(size_t size) {
    return size <= the_server.block_max ? __real_malloc(size) : NULL;
}

void *__wrap_calloc(size_t count, size_t size) {
    if (the_server.blocks_left == 0) {
        return NULL;
    }
    the_server.blocks_left -= the_server.blocks_left != UINT32_MAX;
    return __real_calloc(count, size);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *user) {
    if (the_server.threads_left == 0) {
        return EAGAIN;
    }
    the_server.threads_left -= the_server.threads_left != UINT32_MAX;
    const int error = __real_pthread_create(thread, attributes, body, user);
    assert_true(the_server.thread_count < SERVER_RIG_THREADS_MAX);
    the_server.threads[the_server.thread_count] = *thread;
    the_server.bodies[the_server.thread_count++] = body;
    return error;
}

long __wrap_sysconf(int name) {
    return name == _SC_NPROCESSORS_ONLN && the_server.processors != 0 ? the_server.processors : __real_sysconf(name);
}

int __wrap_getpriority(__priority_which_t which, id_t who) {
    assert_true(which == PRIO_PROCESS && who == 0);
    return the_server.niceness;
}

int __wrap_setpriority(__priority_which_t which, id_t who, int value) {
    assert_true(which == PRIO_PROCESS && who == 0);
    the_server.niceness_set = value;
    return 0;
}

int __wrap_uv_run(uv_loop_t *loop, uv_run_mode mode) {
    if (!the_server.is_served && the_server.when_served != NULL) {
        the_server.is_served = true;
        the_server.when_served(loop);
    }
    ++the_server.runs;
    if (the_server.when_run != NULL) {
        the_server.when_run(the_server.runs);
    }
    return __real_uv_run(loop, mode);
}

int __wrap_uv_loop_init(uv_loop_t *loop) {
    return the_server.loop_error != 0 ? the_server.loop_error : __real_uv_loop_init(loop);
}

int __wrap_uv_listen(uv_stream_t *stream, int backlog, uv_connection_cb on_connection) {
    return the_server.listen_error != 0 ? the_server.listen_error : __real_uv_listen(stream, backlog, on_connection);
}

bool __wrap_iso__terminal_is_there(void) {
    return the_server.has_terminal;
}

int __wrap_uv_timer_start(uv_timer_t *timer, uv_timer_cb on_timer, uint64_t timeout, uint64_t repeat) {
    return __real_uv_timer_start(timer, on_timer, timeout / SERVER_RIG_TIME_DIVISOR,
                                 repeat > 0 ? repeat / SERVER_RIG_TIME_DIVISOR + 1 : 0);
}

bool __wrap_iso__worker_init(iso__worker *worker, uint32_t session_max, uv_async_t *outbound_filled,
                             iso__counters *counters) {
    the_server.workers[the_server.worker_count] = worker;
    the_server.session_max[the_server.worker_count++] = session_max;
    if (the_server.workers_left == 0) {
        return false;
    }
    the_server.workers_left -= the_server.workers_left != UINT32_MAX;
    return __real_iso__worker_init(worker, session_max, outbound_filled, counters);
}

void __wrap_iso__worker_term(iso__worker *worker) {
    ++the_server.workers_ended;
    __real_iso__worker_term(worker);
}

/// All threads are known by the time that the gate opens; those that compress were made first.
static bool is_compressing_or_first(void) {
    for (uint32_t i = 0; i < the_server.thread_count; ++i) {
        if (pthread_equal(pthread_self(), the_server.threads[i])) {
            return the_server.bodies[i] == the_server.bodies[0];
        }
    }
    return true;
}

void __wrap_iso__worker_wake_nudged(iso__worker *worker) {
    for (uint32_t i = 0; i < the_server.worker_count; ++i) {
        if (the_server.workers[i] == worker && !is_compressing_or_first()) {
            atomic_store(&the_server.woken[i], true);
        }
    }
    __real_iso__worker_wake_nudged(worker);
}

void __wrap_iso__hosted_start(iso__hosted *hosted, uint64_t now) {
    assert_true(the_server.session_count < SERVER_RIG_SESSIONS_MAX);
    the_server.sessions[the_server.session_count] = hosted;
    the_server.started_ns[the_server.session_count++] = now;
    __real_iso__hosted_start(hosted, now);
}

void server_rig_forget(void) {
    memset(&the_server, 0, sizeof the_server);
    the_server.threads_left = the_server.blocks_left = the_server.workers_left = UINT32_MAX;
    the_server.block_max = SIZE_MAX;
    host_rig_clear_log();
}

int server_rig_set_up(void **state) {
    (void)state;
    server_rig_forget();
    signal(SIGHUP, SIG_DFL); // the test program may have been started with nohup
    host_rig_now_ns = 0;
    host_disk_begin();
    return 0;
}

int server_rig_tear_down(void **state) {
    (void)state;
    char path[200];
    snprintf(path, sizeof path, "%s/" ISO__KEY_NAME, the_disk.folder);
    server_rig_forget();
    unlink(path);
    host_disk_end();
    return 0;
}

// ---- Running one ------------------------------------------------------------------------------------------

#define ARGUMENTS_MAX 16

/// Runs a server with these options; what it prints stands in `server_rig_out` then. @return its exit code
static int run_with_games(const iso_game *const *games, size_t count, const char *first, va_list more) {
    // Confined, this process could not go on with its next test.
    char *argv[ARGUMENTS_MAX + 4] = {"isostep-server", "--scene", SERVER_RIG_SCENE, "--no-sandbox"};
    int argc = 4;
    for (const char *one = first; one != NULL; one = va_arg(more, const char *)) {
        assert_true(argc < ARGUMENTS_MAX + 3);
        argv[argc++] = (char *)one;
    }
    fflush(stdout);
    FILE *file = tmpfile();
    const int kept = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    const int code = iso_server_main(argc, argv, games, count);
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    rewind(file);
    server_rig_out[fread(server_rig_out, 1, sizeof server_rig_out - 1, file)] = '\0';
    fclose(file);
    return code;
}

int server_rig_run(const char *first, ...) {
    va_list more;
    va_start(more, first);
    const int code = run_with_games(NULL, 0, first, more);
    va_end(more);
    return code;
}

int server_rig_run_game(const iso_game *game, const char *first, ...) {
    va_list more;
    va_start(more, first);
    const int code = run_with_games(&game, 1, first, more);
    va_end(more);
    return code;
}

void server_rig_expect_log(const char *text) {
    if (!host_rig_has_logged(text)) {
        fail_msg("'%s' is not said: %s", text, host_rig_log);
    }
}

int server_rig_free_descriptor(void) {
    const int file = open("/dev/null", O_RDONLY);
    close(file);
    return file;
}

void server_rig_send_term(uv_loop_t *loop) {
    (void)loop;
    raise(SIGTERM);
}
