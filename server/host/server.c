/// The I/O thread: sets everything up, runs the loop, ends in order.
///
/// End: a signal or --for hands SHUTDOWN to the sessions; each says goodbye, has its recording sealed
/// and closes; a worker whose sessions are closed says STOPPED; the connections get a moment for their
/// farewells; then the loop is empty.
#include "isostep/server/server.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/clock.h"
#include "host/host.h"
#include "host/log.h"

#define EXIT_DONE    0
#define EXIT_TROUBLE 1
#define EXIT_USAGE   2
#define LINGER_MS 1200
#define LINGER_STEP_MS 10
// How long the writer may take to seal what the sessions have not waited for.
#define WRITER_TIMEOUT_MS 2000
#define OUTBOUND_BATCH 64u
// File descriptors that are no connections: the loop's, the log's, the folder's; and of each recording.
#define DESCRIPTORS_RESERVED 24u
#define DESCRIPTORS_PER_RECORDING 2u
// Sessions of a worker are due at different moments of a tick: in so many groups, so that their ticks do
// not all wait for one another, and one wake still serves many.
#define PHASES 4u
#define TRAFFIC_NICENESS 7

static void close_all(iso__host *host)
{
    iso__peers_close(&host->peers);
    if (!host->loop_opened)
        return;
    uv_handle_t *handles[] = {
        (uv_handle_t *)&host->outbound_filled, (uv_handle_t *)&host->terminate, (uv_handle_t *)&host->interrupt,
        (uv_handle_t *)&host->report, (uv_handle_t *)&host->end, (uv_handle_t *)&host->linger,
    };
    for (size_t i = 0; i < sizeof handles / sizeof handles[0]; i++) {
        if (!uv_is_closing(handles[i]))
            uv_close(handles[i], NULL);
    }
}

/// Waits until all farewells have been heard, within reason.
static void on_linger(uv_timer_t *timer)
{
    iso__host *host = timer->data;
    host->lingered_ms += LINGER_STEP_MS;
    if (host->peers.streams.stream_count == 0 || host->lingered_ms >= LINGER_MS)
        close_all(host);
}

static void take_outbound(iso__host *host, iso__outbound *item)
{
    if (iso__peers_deliver(&host->peers, item))
        return;
    if (item->kind == ISO__OUTBOUND_COMPRESS) {
        iso__host_compress(host, item);
        return;
    }
    if (++host->stopped_count < host->worker_count)
        return;
    iso__peers_finish(&host->peers);
    uv_timer_start(&host->linger, on_linger, 0, LINGER_STEP_MS);
}

static void on_outbound(uv_async_t *async)
{
    iso__host *host = async->data;
    iso__outbound items[OUTBOUND_BATCH];
    for (uint32_t i = 0; i < host->worker_count; i++) {
        for (size_t count = OUTBOUND_BATCH; count == OUTBOUND_BATCH;) {
            count = iso__queue_pop_some(&host->workers[i].outbound, items, OUTBOUND_BATCH, 0);
            for (size_t k = 0; k < count; k++)
                take_outbound(host, &items[k]);
        }
    }
    iso__peers_resume(&host->peers);
}

static void shut_down(iso__host *host)
{
    if (host->ending)
        return;
    host->ending = true;
    iso__stream_server_stop(&host->peers.streams);
    for (uint32_t i = 0; i < host->session_count; i++) {
        iso__hosted *hosted = &host->sessions[i];
        iso__worker_post(hosted->worker, &(iso__inbound){.hosted = hosted, .event = {.kind = ISO_SESSION_EVENT_SHUTDOWN}});
    }
}

static void on_signal(uv_signal_t *signal, int number)
{
    iso__host *host = signal->data;
    if (host->ending) {
        iso__log("isostep-server: forced to end; what is not sealed stays as it is");
        _exit(EXIT_TROUBLE);
    }
    iso__log("isostep-server: %s: ending", number == SIGTERM ? "SIGTERM" : "SIGINT");
    shut_down(host);
}

static void on_report(uv_signal_t *signal, int number)
{
    iso__host *host = signal->data;
    (void)number;
    iso__counters_print(&host->counters);
}

static void on_end(uv_timer_t *timer)
{
    shut_down(timer->data);
}

/// The loop's own handles, as far as they do not depend on the sessions.
/// @return false when there is no memory, or no file descriptor, for it
static bool init_loop(iso__host *host)
{
    if (uv_loop_init(&host->loop) != 0)
        return false;
    uv_async_init(&host->loop, &host->outbound_filled, on_outbound);
    uv_signal_init(&host->loop, &host->terminate);
    uv_signal_init(&host->loop, &host->interrupt);
    uv_signal_init(&host->loop, &host->report);
    uv_timer_init(&host->loop, &host->end);
    uv_timer_init(&host->loop, &host->linger);
    host->outbound_filled.data = host;
    host->terminate.data = host;
    host->interrupt.data = host;
    host->report.data = host;
    host->end.data = host;
    host->linger.data = host;
    host->loop_opened = true;
    return true;
}

/// @return how many connections the file descriptors allow; 0 after a message
static uint32_t find_stream_max(const iso__host *host)
{
    struct rlimit limit;
    uint64_t descriptors = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
    uint64_t needed = DESCRIPTORS_RESERVED + (host->is_recorded ? (uint64_t)host->session_count * DESCRIPTORS_PER_RECORDING : 0);
    if (descriptors < needed + 16) {
        iso__log("isostep-server: the limit of %" PRIu64 " open files is too low: with these sessions at least %" PRIu64
                 " are needed (ulimit -n)", descriptors, needed + 16);
        return 0;
    }
    return descriptors - needed < ISO__PEER_MAX + 8 ? (uint32_t)(descriptors - needed) : ISO__PEER_MAX + 8;
}

static bool listen_on(iso__host *host, const struct sockaddr_storage *address)
{
    const iso__options *options = &host->options;
    iso__peers_config config = {
        .sessions = host->sessions,
        .session_count = host->session_count,
        .workers = host->workers,
        .worker_count = host->worker_count,
        .counters = &host->counters,
        .stream_max = find_stream_max(host),
        .unauthenticated_max = options->unauthenticated,
        .address = {options->address_connections, options->address_accepts, options->limit_loopback},
    };
    if (config.stream_max == 0)
        return false;
    int error = iso__peers_open(&host->peers, &host->loop, (const struct sockaddr *)address, &config);
    if (error == 0)
        return true;
    iso__log("isostep-server: --tcp: %s:%u cannot be used: %s; choose another with --tcp HOST:PORT (port 0 takes a free one)",
             options->tcp_host, options->tcp_port, uv_strerror(error));
    return false;
}

static void wake_nudged_workers(void *user)
{
    iso__host *host = user;
    for (uint32_t i = 0; i < host->worker_count; i++)
        iso__worker_wake_nudged(&host->workers[i]);
}

/// Last before the start: the sessions' clocks run from here.
static bool start_sessions(iso__host *host, const iso__hosted_config *config)
{
    host->started_ns = iso__clock_now();
    for (uint32_t i = 0; i < host->session_count; i++) {
        iso__hosted *hosted = &host->sessions[i];
        uint64_t interval = ISO__NS_PER_S / iso_world_get_def(hosted->setup.world)->tick_rate_hz;
        uint64_t phase = i / host->worker_count % PHASES;
        if (!iso__hosted_start(hosted, host->started_ns + phase * interval / PHASES, config))
            return false;
    }
    bool is_running = !host->is_recorded || iso__writer_start(&host->writer);
    for (uint32_t i = 0; i < host->worker_count && is_running; i++)
        is_running = iso__worker_start(&host->workers[i]);
    if (!is_running)
        iso__log("isostep-server: a thread cannot be started: %s", strerror(errno));
    return is_running;
}

static void print_ready(const iso__host *host)
{
    printf("ready tcp=%s session=", host->peers.streams.address);
    for (uint32_t i = 0; i < host->session_count; i++)
        printf("%s%s", i > 0 ? "," : "", host->sessions[i].name);
    printf("\n");
    fflush(stdout);
}

/// Ticks before traffic: when processors are scarce, the workers and the recordings' writer get theirs first. On Linux
/// this concerns the calling thread alone, and those that it makes from now on: the pool that compresses snapshots.
static void stand_back(void)
{
    errno = 0;
    const int present = getpriority(PRIO_PROCESS, 0);
    if (errno == 0)
        setpriority(PRIO_PROCESS, 0, present + TRAFFIC_NICENESS);
}

static void serve(iso__host *host)
{
    stand_back();
    uv_signal_start(&host->terminate, on_signal, SIGTERM);
    uv_signal_start(&host->interrupt, on_signal, SIGINT);
    uv_signal_start(&host->report, on_report, SIGUSR1);
    // The loop's time is as old as the loop: building the worlds has taken a while.
    uv_update_time(&host->loop);
    if (host->options.for_seconds != 0)
        uv_timer_start(&host->end, on_end, (uint64_t)host->options.for_seconds * 1000, 0);
    print_ready(host);
    uv_run(&host->loop, UV_RUN_DEFAULT);
}

/// Whether every recording is whole and has its final name.
static bool recordings_are_whole(const iso__host *host)
{
    bool whole = true;
    for (uint32_t i = 0; i < host->session_count; i++) {
        const iso__hosted *hosted = &host->sessions[i];
        whole = whole && (!hosted->is_recorded || (hosted->recording.report.sealed && !hosted->recording.report.degraded));
    }
    return whole;
}

/// Everything from the open listener to the end. @return the exit code.
static int run(iso__host *host, const iso__hosted_config *config)
{
    int code = EXIT_TROUBLE;
    if (start_sessions(host, config)) {
        serve(host);
        code = EXIT_DONE;
    }
    // Runs what is still to be closed, after a failed start as well as at the end.
    close_all(host);
    uv_run(&host->loop, UV_RUN_DEFAULT);
    for (uint32_t i = 0; i < host->worker_count; i++)
        iso__worker_join(&host->workers[i]);
    bool disk_answers = !host->is_recorded || iso__writer_stop(&host->writer, WRITER_TIMEOUT_MS);
    if (code == EXIT_DONE)
        iso__host_summarize(host);
    if (!disk_answers) {
        iso__log("isostep-server: the disk does not answer: what is not sealed stays as it is");
        _exit(EXIT_TROUBLE);
    }
    return recordings_are_whole(host) ? code : EXIT_TROUBLE;
}

/// Each connection is a file descriptor, and the usual limit leaves little beside ISO__PEER_MAX.
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static bool init_workers(iso__host *host)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t count = host->options.workers;
    if (count == 0)
        count = processors > 1 ? (uint32_t)processors - 1 : 1;
    if (count > ISO__WORKERS_MAX)
        count = ISO__WORKERS_MAX;
    if (count > host->session_count)
        count = host->session_count;
    for (uint32_t i = 0; i < count; i++) {
        host->worker_count++;
        if (!iso__worker_init(&host->workers[i], (host->session_count + count - 1) / count, &host->outbound_filled, &host->counters))
            return false;
    }
    for (uint32_t i = 0; i < host->session_count; i++)
        iso__worker_add(&host->workers[i % count], &host->sessions[i]);
    return true;
}

static bool open_folder(iso__host *host)
{
    const char *folder = host->options.record_dir;
    if (folder == NULL)
        return true;
    int error = iso__disk_open(&host->disk, folder);
    if (error != 0) {
        iso__log("isostep-server: --record: '%s' cannot be written to: %s", folder, strerror(error));
        return false;
    }
    host->is_recorded = true;
    return true;
}

static int open_and_run(iso__host *host, const struct sockaddr_storage *address, const iso__hosted_config *config)
{
    if (!init_loop(host)) {
        iso__log("isostep-server: there is no memory, or no file descriptor, for an event loop");
        return EXIT_TROUBLE;
    }
    bool has_memory = (!host->is_recorded || iso__writer_init(&host->writer, host->disk.folder, host->session_count)) && init_workers(host);
    host->writer.published = wake_nudged_workers;
    host->writer.user = host;
    int code = EXIT_USAGE;
    if (!has_memory)
        iso__log("isostep-server: out of memory");
    else if (listen_on(host, address))
        code = run(host, config);
    close_all(host);
    uv_run(&host->loop, UV_RUN_DEFAULT);
    uv_loop_close(&host->loop);
    iso__peers_term(&host->peers);
    for (uint32_t i = 0; i < host->worker_count; i++)
        iso__worker_term(&host->workers[i]);
    return code;
}

/// The name of a session that goes on from a file stands in the file.
static bool name_is_free(const iso__host *host, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++) {
        if (strcmp(host->sessions[i].name, host->sessions[index].name) == 0) {
            iso__log("isostep-server: --resume: there are two sessions named '%s'", host->sessions[index].name);
            return false;
        }
    }
    return true;
}

/// Builds all worlds, then serves them. @return the exit code
static int host_sessions(iso__host *host, const iso_game *const *games, size_t count)
{
    struct sockaddr_storage address = {0};
    iso__hosted_config config = {
        .options = &host->options,
        .games = games,
        .game_count = count,
        .disk = &host->disk,
        .key = &host->key,
        .now = iso__clock_now(),
        .roll_size = (uint64_t)host->options.roll_kib << 10,
    };
    if (!iso__setup_address(&host->options, &address) || !open_folder(host) ||
        !iso__key_load(&host->key, host->disk.folder, host->options.record_dir))
        return EXIT_USAGE;
    config.writer = host->is_recorded ? &host->writer : NULL;
    host->sessions = calloc(host->options.session_count, sizeof host->sessions[0]);
    if (host->sessions == NULL) {
        iso__log("isostep-server: out of memory");
        return EXIT_TROUBLE;
    }
    for (uint32_t i = 0; i < host->options.session_count; i++) {
        host->session_count++;
        if (!iso__hosted_init(&host->sessions[i], &host->options.sessions[i], &config) || !name_is_free(host, i))
            return EXIT_USAGE;
    }
    return open_and_run(host, &address, &config);
}

int iso_server_main(int argc, char **argv, const iso_game *const *games, size_t count)
{
    static iso__host host;  // large, and there is one per process
    memset(&host, 0, sizeof host);
    host.disk = (iso__disk){-1, -1};
    char message[400];
    if (!iso__options_parse(&host.options, argc, argv, message, sizeof message)) {
        iso__log("isostep-server: %s", message);
        return EXIT_USAGE;
    }
    if (host.options.help) {
        fputs(iso__options_help(), stdout);
        return EXIT_DONE;
    }
    if (host.options.version) {
        printf("isostep-server %s\n", ISO__VERSION);
        return EXIT_DONE;
    }
    // Both are answers of a write, not reasons to die: a peer that is gone, a file that may not grow.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    raise_descriptor_limit();
    int code = host_sessions(&host, games, count);
    for (uint32_t i = 0; i < host.session_count; i++)
        iso__hosted_term(&host.sessions[i]);
    free(host.sessions);
    if (host.is_recorded)
        iso__writer_term(&host.writer);
    iso__disk_close(&host.disk);
    return code;
}
