/// A whole server in the test's own process: its threads, a socket on loopback, the tests' disk, and a loop whose
/// timers run faster. What it is given and what it does on the way is at hand.
#ifndef ISO_TESTS_SERVER_RIG_H
#define ISO_TESTS_SERVER_RIG_H

#include "host/host.h"
#include "host_rig.h"

#define SERVER_RIG_SESSIONS_MAX 80u
#define SERVER_RIG_THREADS_MAX  100u
#define SERVER_RIG_TIME_DIVISOR 20u // of the loop's timers

typedef struct server_rig {
    void (*when_served)(uv_loop_t *loop); // called when it prints that it is ready
    bool is_served;
    void (*when_run)(uint32_t run); // called before each run of its loop: 1 serves, 2 closes, 3 has closed its signals
    uint32_t runs;
    // What there is for it. UINT32_MAX: any number
    uint32_t threads_left, blocks_left, workers_left;
    size_t block_max; // [bytes]
    int loop_error, listen_error;
    long processors; // 0: as many as there are
    int niceness;
    // What it has done.
    int niceness_set;
    bool has_terminal; // SIGHUP means that it has gone
    uint32_t worker_count, session_max[ISO__WORKERS_MAX];
    iso__worker *workers[ISO__WORKERS_MAX];
    uint32_t workers_ended;
    pthread_t threads[SERVER_RIG_THREADS_MAX];
    void *(*bodies[SERVER_RIG_THREADS_MAX])(void *); // of these
    uint32_t thread_count;
    atomic_bool woken[ISO__WORKERS_MAX]; // by a thread that neither compresses nor is the test's
    uint32_t session_count;
    iso__hosted *sessions[SERVER_RIG_SESSIONS_MAX]; // in the order of their start
    uint64_t started_ns[SERVER_RIG_SESSIONS_MAX];
} server_rig;

extern server_rig the_server;
extern char server_rig_out[8192]; // what it has printed

/// Nothing is missing any more, and nothing was done.
void server_rig_forget(void);
int server_rig_set_up(void **state);
int server_rig_tear_down(void **state);

/// Runs a server with these options, the last one NULL. @return its exit code
int server_rig_run(const char *first, ...);
/// On a free port, recording into the tests' folder.
#define server_rig_run_recorded(...) \
    server_rig_run("--tcp", "127.0.0.1:0", "--record", the_disk.folder, __VA_ARGS__, NULL)
/// One that brings a game.
int server_rig_run_game(const iso_game *game, const char *first, ...);

/// For when_served.
void server_rig_send_term(uv_loop_t *loop);

void server_rig_expect_log(const char *text);
/// The lowest descriptor that is free: one that is left open has it.
int server_rig_free_descriptor(void);

#endif
