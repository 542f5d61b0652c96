/// The I/O thread: sets everything up, runs the loop, ends in order.
///
/// End: a signal or --for hands SHUTDOWN to the session; the session says goodbye, has the recording
/// sealed and closes; the worker says STOPPED; the connections get a moment for their farewells; then
/// the loop is empty.
#include "isostep/server/server.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
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

static void close_all(iso__host *host)
{
    iso__stream_server_close(&host->peers.streams);
    uv_handle_t *handles[] = {
        (uv_handle_t *)&host->outbound_filled, (uv_handle_t *)&host->terminate, (uv_handle_t *)&host->interrupt,
        (uv_handle_t *)&host->end, (uv_handle_t *)&host->linger,
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

static void on_outbound(uv_async_t *async)
{
    iso__host *host = async->data;
    iso__outbound item;
    while (!host->stopped && iso__queue_pop(&host->worker.outbound, &item)) {
        if (iso__peers_deliver(&host->peers, &item))
            continue;
        if (item.kind == ISO__OUTBOUND_COMPRESS) {
            iso__host_compress(host, &item);
        } else {
            host->stopped = true;
            iso__peers_finish(&host->peers);
            uv_timer_start(&host->linger, on_linger, 0, LINGER_STEP_MS);
        }
    }
    iso__peers_flush(&host->peers);
    iso__peers_resume(&host->peers);
}

static void shut_down(iso__host *host)
{
    if (host->ending)
        return;
    host->ending = true;
    iso__stream_server_stop(&host->peers.streams);
    iso__worker_post(&host->worker, &(iso__inbound){.event = {.kind = ISO_SESSION_EVENT_SHUTDOWN}});
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

static void on_end(uv_timer_t *timer)
{
    shut_down(timer->data);
}

/// The loop's own handles, as far as they do not depend on the session.
static void init_loop(iso__host *host)
{
    uv_loop_init(&host->loop);
    uv_async_init(&host->loop, &host->outbound_filled, on_outbound);
    uv_signal_init(&host->loop, &host->terminate);
    uv_signal_init(&host->loop, &host->interrupt);
    uv_timer_init(&host->loop, &host->end);
    uv_timer_init(&host->loop, &host->linger);
    host->outbound_filled.data = host;
    host->terminate.data = host;
    host->interrupt.data = host;
    host->end.data = host;
    host->linger.data = host;
}

static bool listen_on(iso__host *host)
{
    int error = iso__peers_open(&host->peers, &host->loop, (const struct sockaddr *)&host->setup.address, &host->worker);
    if (error == 0)
        return true;
    iso__log("isostep-server: --tcp: %s:%u cannot be used: %s; choose another with --tcp HOST:PORT (port 0 takes a free one)",
             host->options.tcp_host, host->options.tcp_port, uv_strerror(error));
    return false;
}

static bool start_recording(iso__host *host, const iso__disk *disk, const uint8_t *uid)
{
    const iso_scene *scene = host->setup.scene;
    iso_recording_header header = {
        .build = "isostep-server " ISO__VERSION,
        .session = "main",
        .epoch = 1,
        .first_tick = iso_world_get_tick(host->setup.world),
        .def = *iso_world_get_def(host->setup.world),
        .scene = host->setup.scene_text,
        .scene_size = (uint32_t)host->setup.scene_size,
    };
    memcpy(header.scene_name, scene->name, sizeof scene->name);
    memcpy(header.uid, uid, sizeof header.uid);
    iso_fingerprint_make(&header.def, scene->game, &header.fingerprint);
    iso_status status = iso__recording_start(&host->recording, disk, &host->memory, &header,
                                             iso_world_image_size_max(host->setup.world), iso__worker_wake_for_recording, &host->worker);
    host->is_recording = status == ISO_OK;
    host->worker.recording = &host->recording;
    if (status != ISO_OK)
        iso__log("isostep-server: --record: %s", iso_status_text(status));
    return host->is_recording;
}

/// Last before the start: the session's clock runs from here.
static bool create_session(iso__host *host, const iso__disk *disk)
{
    iso_session_config config = iso_session_config_default();
    config.connection_capacity = ISO__PEER_MAX;
    config.scene_hash = iso_scene_hash(host->setup.scene);
    config.recording = disk != NULL;
    if (getrandom(config.uid, sizeof config.uid, 0) != (ssize_t)sizeof config.uid) {
        iso__log("isostep-server: the system has no random bytes");
        return false;
    }
    if (disk != NULL && !start_recording(host, disk, config.uid))
        return false;
    iso_allocator allocator = iso__memory_allocator(&host->memory);
    host->started_ns = iso__clock_now();
    iso_status status = iso_session_create(&config, &allocator, host->setup.world, host->started_ns, &host->worker.session);
    if (status != ISO_OK)
        iso__log("isostep-server: the session cannot be made: %s", iso_status_text(status));
    return status == ISO_OK;
}

static void serve(iso__host *host)
{
    uv_signal_start(&host->terminate, on_signal, SIGTERM);
    uv_signal_start(&host->interrupt, on_signal, SIGINT);
    // The loop's time is as old as the loop: building the world has taken a while.
    uv_update_time(&host->loop);
    if (host->options.for_seconds != 0)
        uv_timer_start(&host->end, on_end, (uint64_t)host->options.for_seconds * 1000, 0);
    printf("ready tcp=%s session=main\n", host->peers.streams.address);
    fflush(stdout);
    uv_run(&host->loop, UV_RUN_DEFAULT);
}

/// Everything from the open listener to the end. @return the exit code.
static int run(iso__host *host, const iso__disk *disk)
{
    int code = EXIT_TROUBLE;
    if (create_session(host, disk) && iso__worker_start(&host->worker)) {
        serve(host);
        code = EXIT_DONE;
    }
    // Runs what is still to be closed, after a failed start as well as at the end.
    close_all(host);
    uv_run(&host->loop, UV_RUN_DEFAULT);
    iso__worker_join(&host->worker);
    if (host->is_recording)
        iso__recording_stop(&host->recording);
    if (code == EXIT_DONE)
        iso__host_summarize(host);
    if (host->is_recording && (!host->recording.report.sealed || host->recording.report.degraded))
        code = EXIT_TROUBLE;
    if (host->worker.session != NULL)
        iso_session_destroy(host->worker.session);
    return code;
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

static int open_and_run(iso__host *host)
{
    iso__disk disk = {-1, -1};
    const char *folder = host->options.record_dir;
    int error = folder != NULL ? iso__disk_open(&disk, folder) : 0;
    if (error != 0) {
        iso__log("isostep-server: --record: '%s' cannot be written to: %s", folder, strerror(error));
        return EXIT_USAGE;
    }
    init_loop(host);
    int code = EXIT_USAGE;
    if (!iso__worker_init(&host->worker, &host->outbound_filled))
        iso__log("isostep-server: out of memory");
    else if (listen_on(host))
        code = run(host, folder != NULL ? &disk : NULL);
    if (!host->is_recording)
        iso__disk_close(&disk);
    close_all(host);
    uv_run(&host->loop, UV_RUN_DEFAULT);
    uv_loop_close(&host->loop);
    iso__peers_term(&host->peers);
    iso__worker_term(&host->worker);
    return code;
}

int iso_server_main(int argc, char **argv, const iso_game *const *games, size_t count)
{
    static iso__host host;  // large, and there is one per process
    host = (iso__host){.memory.limit = ISO__SESSION_MEMORY_MAX};
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
    int code = EXIT_USAGE;
    if (iso__setup_address(&host.setup, &host.options) &&
        iso__setup_world(&host.setup, &host.options, games, count, &host.memory))
        code = open_and_run(&host);
    iso__setup_term(&host.setup, &host.memory);
    return code;
}
