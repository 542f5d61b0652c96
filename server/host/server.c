/// The I/O thread: sets everything up, runs the loop, ends in order.
///
/// Start: the folder of the recordings is locked, the address is bound, all threads are created; then the recordings
/// are read and the sessions created. Up to here nothing is changed, so any failure is reported and leaves everything
/// as it was. Then the files that a killed server left are sealed or renamed, the listener is opened, and the line
/// `ready` printed.
/// End: a signal or --for sends SHUTDOWN to the sessions. Each sends its last messages, has its recording sealed and
/// closes. A worker whose sessions are closed sends STOPPED. The connections get some time to receive their last
/// messages; then the loop is empty.
#include "isostep/games.h"
#include "isostep/proto/environment.h"
#include "isostep/server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/priority.h"
#include "host/announce.h"
#include "host/host.h"
#include "host/listen.h"
#include "host/recordings/lock.h"
#include "host/sessions.h"
#include "host/sessions/worker_inbox.h"
#include "host/start/descriptors.h"
#include "host/start/exit.h"
#include "host/start/password_file.h"
#include "host/start/sandbox_calls.h"
#include "host/start/sandbox_files.h"
#include "host/start/scenes.h"
#include "host/summary.h"
#include "host/watch/log.h"
#include "isostep/assert.h"
#include "isostep/proto/compression.h"
#include "isostep/proto/text.h"
#include "isostep/proto/version.h"

#define LINGER_MS      1200
#define LINGER_STEP_MS 10
// How long the writer may take to seal recordings that the sessions have not waited for.
#define WRITER_TIMEOUT_MS 2000
#define OUTBOUND_BATCH    64u

/// Closes all handles but those of the signals: without these a second signal would end the process while the
/// recordings are sealed.
static void close_all(iso__host *host) {
    // It wakes the loop, and may be building something.
    iso__job_thread_stop(&host->session_builder);
    iso__peers_close(&host->peers);
    if (!host->is_loop_open) {
        return;
    }
    uv_handle_t *handles[] = {
        (uv_handle_t *)&host->outbound_filled,
        (uv_handle_t *)&host->end,
        (uv_handle_t *)&host->ends,
        (uv_handle_t *)&host->linger,
    };
    for (size_t i = 0; i < sizeof handles / sizeof handles[0]; ++i) {
        if (!uv_is_closing(handles[i])) {
            uv_close(handles[i], NULL);
        }
    }
    iso__signals_leave(host);
}

/// Waits until all last messages have been received, up to a limit.
static void on_linger(uv_timer_t *timer) {
    iso__host *host = timer->data;
    host->lingered_ms += LINGER_STEP_MS;
    if (host->peers.stream_count == 0 || host->lingered_ms >= LINGER_MS) {
        close_all(host);
    }
}

static void take_outbound(iso__host *host, iso__outbound *item) {
    if (iso__peers_deliver(&host->peers, item) || iso__host_hear(host, item)) {
        if (item->kind == ISO__OUTBOUND_STARTED && item->status == ISO_OK) {
            iso__signals_tell_opened(host, item->hosted);
        }
        return;
    }
    if (item->kind == ISO__OUTBOUND_COMPRESS) {
        iso__compressor_push(&host->compressor, item->hosted, item->bytes, item->byte_count, item->tick);
        return;
    }
    if (++host->stopped_count < host->worker_count) {
        return;
    }
    iso__peers_finish(&host->peers);
    uv_timer_start(&host->linger, on_linger, 0, LINGER_STEP_MS);
}

static void on_outbound(uv_async_t *async) {
    iso__host *host = async->data;
    iso__outbound items[OUTBOUND_BATCH];
    for (uint32_t i = 0; i < host->worker_count; ++i) {
        for (size_t count = OUTBOUND_BATCH; count == OUTBOUND_BATCH;) {
            count = iso__queue_pop_some(&host->workers[i].outbound, items, OUTBOUND_BATCH, 0);
            for (size_t k = 0; k < count; ++k) {
                take_outbound(host, &items[k]);
            }
        }
    }
    iso__job_thread_deliver(&host->session_builder);
    iso__peers_resume(&host->peers);
}

static void on_end(uv_timer_t *timer) {
    iso__host_shut_down(timer->data, ISO_OK);
}

/// The loop's own handles, as far as they do not depend on sessions.
/// @return false when there is no memory, or no file descriptor, for it
static bool init_loop(iso__host *host) {
    if (!iso__signals_open(&host->signals)) {
        return false;
    }
    if (uv_loop_init(&host->loop) != 0) {
        return false;
    }
    uv_async_init(&host->loop, &host->outbound_filled, on_outbound);
    iso__signals_init(host);
    uv_timer_init(&host->loop, &host->end);
    uv_timer_init(&host->loop, &host->ends);
    uv_timer_init(&host->loop, &host->linger);
    host->outbound_filled.data = host;
    host->end.data = host;
    host->ends.data = host;
    host->linger.data = host;
    host->is_loop_open = true;
    return true;
}

static void wake_nudged_workers(void *user) {
    iso__host *host = user;
    for (uint32_t i = 0; i < host->worker_count; ++i) {
        iso__worker_wake_nudged(&host->workers[i]);
    }
}

/// Creates all threads, which wait until everything else is ready.
static bool start_threads(iso__host *host) {
    int error = iso__compressor_start(&host->compressor, ISO__COMPRESSORS_MAX);
    if (error == 0 && host->is_recorded) {
        error = iso__writer_start(&host->writer, &host->gate);
    }
    const iso__retention_config keep = {host->options.keep, host->options.keep_all, &host->disk};
    if (error == 0 && host->is_recorded && (iso__keep_has_limits(&keep.session) || iso__keep_has_limits(&keep.all))) {
        error = iso__retention_start(&host->retention, &keep, &host->gate);
    }
    if (error == 0 && host->has_events) {
        error = iso__event_log_start(&host->events);
    }
    if (error == 0 && host->options.has_http) {
        error = iso__job_thread_start(&host->session_builder, &host->outbound_filled);
    }
    for (uint32_t i = 0; i < host->worker_count && error == 0; ++i) {
        error = iso__worker_start(&host->workers[i], &host->gate);
    }
    if (error == 0 && host->options.threads > 1 && iso_threads_start(host->options.threads, &host->threads) != ISO_OK) {
        error = EAGAIN;
    }
    if (error != 0) {
        iso__log_error("a thread cannot be created: %s (ulimit -u, ulimit -v)", strerror(error));
    }
    return error == 0;
}

static void print_ready(const iso__host *host) {
    printf("ready tcp=%s", host->peers.listener->address);
    static const char *const words[ISO__PEERS_OTHERS_MAX] = {"http", "admin"};
    for (uint32_t i = 0; i < host->peers.other_count; ++i) {
        printf(" %s=%s", words[i], host->peers.others[i]->address);
    }
    printf(" session=");
    // Whoever reads it may pass it on: private ones have no name here.
    const char *between = "";
    for (uint32_t i = 0; i < host->directory.count; ++i) {
        if (host->directory.sessions[i]->settings.is_private) {
            continue;
        }
        printf("%s%s", between, host->directory.sessions[i]->name);
        between = ",";
    }
    printf("\n");
    (void)iso_print_end("isostep-server"); // it serves nevertheless
}

static void serve(iso__host *host) {
    iso__priority_stand_back();
    iso__signals_serve(host);
    // The loop's time is that of its last turn: building the worlds has taken a while.
    uv_update_time(&host->loop);
    if (host->options.for_seconds != 0) {
        uv_timer_start(&host->end, on_end, (uint64_t)host->options.for_seconds * 1000, 0);
    }
    iso__host_announce(host);
    print_ready(host);
    iso__signals_ready(host);
    // After the line `ready`, which is the first on standard output.
    if (host->has_events) {
        iso__event_log_serve(&host->events);
    }
    uv_run(&host->loop, UV_RUN_DEFAULT);
}

/// Ends the threads, which are idle by now. @return false when the disk does not respond
static bool join_threads(iso__host *host) {
    for (uint32_t i = 0; i < host->worker_count; ++i) {
        iso__worker_join(&host->workers[i]);
    }
    iso_threads_stop(host->threads);
    iso__compressor_stop(&host->compressor);
    iso__retention_stop(&host->retention);
    return !host->is_recorded || iso__writer_stop(&host->writer, WRITER_TIMEOUT_MS);
}

/// The last step of the start: everything is open and bound.
static bool give_up_calls(iso__host *host) {
    if (host->options.is_unconfined) {
        return true;
    }
    const bool is_done = iso__sandbox_confine_calls(&host->sandbox);
    iso__sandbox_report(&host->sandbox);
    return is_done;
}

/// Before the first thread is made.
static bool give_up_files(iso__host *host) {
    return host->options.is_unconfined || iso__sandbox_confine_files(&host->sandbox, &host->options);
}

/// Everything from the bound address to the end. @return the exit code.
static int run(iso__host *host, const iso__hosted_config *config) {
    int code = give_up_files(host) && start_threads(host) ? iso__host_prepare(host, config) : ISO__EXIT_TROUBLE;
    if (code == ISO__EXIT_DONE && !iso__host_listen(host)) {
        code = ISO__EXIT_USAGE;
    }
    if (code == ISO__EXIT_DONE) {
        iso__host_start_sessions(host);
    }
    if (code == ISO__EXIT_DONE && !give_up_calls(host)) {
        code = ISO__EXIT_TROUBLE;
    }
    bool serves = code == ISO__EXIT_DONE;
    iso__gate_set(&host->gate, serves ? ISO__GATE_OPEN : ISO__GATE_GIVEN_UP);
    if (serves) {
        serve(host);
    }
    // Runs what has to be closed, after a failed start as well as at the end.
    close_all(host);
    uv_run(&host->loop, UV_RUN_DEFAULT);
    bool disk_answers = join_threads(host);
    // A pipe that is not read must not delay the end.
    if (host->has_events && !iso__event_log_stop(&host->events, WRITER_TIMEOUT_MS)) {
        host->has_events = false;
    }
    if (serves) {
        iso__host_summarize(host);
    }
    bool is_over = !serves || iso__host_closed_are_over(host);
    if (!disk_answers) {
        iso__log_error("the disk does not respond: unsealed recordings stay as they are");
        _exit(ISO__EXIT_TROUBLE);
    }
    return !serves || (is_over && iso__host_recordings_are_whole(host)) ? code : ISO__EXIT_TROUBLE;
}

static bool init_workers(iso__host *host) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t count = host->options.workers;
    if (count == 0) {
        count = processors > 1 ? (uint32_t)processors - 1 : 1;
    }
    if (count > ISO__WORKERS_MAX) {
        count = ISO__WORKERS_MAX;
    }
    if (count > host->session_count + host->created.count) {
        count = host->session_count + host->created.count;
    }
    // Those that are created later are spread evenly among themselves.
    const uint32_t session_max = (host->session_count + count - 1) / count + (host->created.count + count - 1) / count;
    for (uint32_t i = 0; i < count; ++i) {
        ++host->worker_count;
        if (!iso__worker_init(&host->workers[i], session_max, &host->outbound_filled, &host->counters)) {
            return false;
        }
    }
    host->created.config.worker_count = count;
    for (uint32_t i = 0; i < host->session_count; ++i) {
        iso__worker_add(&host->workers[i % count], &host->sessions[i]);
    }
    return true;
}

static bool open_folder(iso__host *host) {
    const char *folder = host->options.record_dir;
    if (folder == NULL) {
        return true;
    }
    int error = iso__disk_open(&host->disk, folder);
    if (error != 0) {
        iso__log_error("--record: '%s' cannot be written to: %s", folder, strerror(error));
        return false;
    }
    if (!iso__lock_take(host->disk.folder, folder, host->options.allow_unlocked, &host->lock_file)) {
        return false;
    }
    host->is_recorded = true;
    return true;
}

/// Bans and what was changed.
static bool open_moderation(iso__host *host) {
    const iso__options *options = &host->options;
    const bool is_in_folder = options->bans_path == NULL && host->is_recorded;
    if (is_in_folder) {
        snprintf(host->bans_shown, sizeof host->bans_shown, "%s/" ISO__BANS_FILE, options->record_dir);
    }
    const bool is_open = is_in_folder ? iso__bans_open(&host->bans, host->disk.folder, ISO__BANS_FILE, host->bans_shown)
                                      : iso__bans_open(&host->bans, AT_FDCWD, options->bans_path, options->bans_path);
    return is_open && iso__audit_open(&host->audit, options->audit_path);
}

static bool open_events(iso__host *host) {
    host->has_events = host->options.events_path != NULL;
    return !host->has_events || iso__event_log_open(&host->events, host->options.events_path);
}

static bool init_memory(iso__host *host) {
    bool is_made = (!host->is_recorded ||
                    iso__writer_init(&host->writer, host->disk.folder, host->session_count + host->created.count)) &&
                   init_workers(host);
    host->folder = (iso__folder){.path = host->options.record_dir,
                                 .file = host->disk.folder,
                                 .allow_unlocked = host->options.allow_unlocked,
                                 .lock_file = &host->lock_file,
                                 .key = &host->key};
    host->writer.home = host->is_recorded ? &host->folder : NULL;
    host->writer.published = wake_nudged_workers;
    host->writer.user = host;
    return is_made;
}

/// Pairs of file descriptors that are not connections: of each recording, and of HTTP.
static uint32_t count_files(const iso__host *host) {
    uint32_t count = host->options.record_dir != NULL ? host->session_count + host->created.count : 0;
#ifdef ISO__HTTP
    // A listener, the folder while it is listed, and the files that are read.
    count += host->options.has_http ? 1 + ISO__WEB_FILES_MAX / 2 : 0;
    count += host->options.has_admin ? 1 : 0;
#endif
    return count;
}

static int open_and_run(iso__host *host, const iso__host_addresses *addresses, uint32_t stream_max,
                        const iso__hosted_config *config) {
    if (!init_loop(host)) {
        iso__log_error("an event loop cannot be created: out of memory or file descriptors");
        return ISO__EXIT_TROUBLE;
    }
    int code = ISO__EXIT_TROUBLE;
    if (!iso__descriptors_fill(&host->loop, &host->filler, count_files(host), stream_max)) {
        code = ISO__EXIT_TROUBLE;
    } else if (!init_memory(host)) {
        iso__log_error("out of memory");
    } else {
        code = iso__host_bind(host, addresses, stream_max) ? run(host, config) : ISO__EXIT_USAGE;
    }
    close_all(host);
    // All recordings are sealed.
    if (host->is_loop_open) {
        iso__signals_close(host);
    }
    uv_run(&host->loop, UV_RUN_DEFAULT);
    uv_loop_close(&host->loop);
    iso__peers_term(&host->peers);
#ifdef ISO__HTTP
    iso__web_term(&host->web);
    iso__web_term(&host->admin);
#endif
    for (uint32_t i = 0; i < host->worker_count; ++i) {
        iso__worker_term(&host->workers[i]);
    }
    return code;
}

/// @return the exit code
static int host_sessions(iso__host *host, const iso_game *const *games, size_t count) {
    iso__host_addresses addresses = {0};
    iso__hosted_config config = {
        .options = &host->options,
        .games = games,
        .game_count = count,
        .disk = &host->disk,
        .key = &host->key,
        .now = iso__clock_now(),
        .roll_size = (uint64_t)host->options.roll_kib << 10,
    };
    uint32_t stream_max = iso__descriptors_claim(count_files(host));
    if (stream_max == 0 || !iso__host_resolve(host, &addresses) || !open_folder(host)) {
        return ISO__EXIT_USAGE;
    }
    if (!open_moderation(host)) {
        return host->bans.list == NULL ? ISO__EXIT_TROUBLE : ISO__EXIT_USAGE;
    }
    const char *password_path = host->options.password_path;
    if (!open_events(host) || (password_path != NULL && !iso__password_file_read(password_path, host->password))) {
        return ISO__EXIT_USAGE;
    }
    config.writer = host->is_recorded ? &host->writer : NULL;
    config.events = host->has_events ? &host->events : NULL;
    host->sessions = calloc(host->options.session_count, sizeof host->sessions[0]);
    if (host->sessions == NULL) {
        iso__log_error("out of memory");
        return ISO__EXIT_TROUBLE;
    }
    host->session_count = host->options.session_count;
    iso__host_plan_created(host, &config);
    const uint32_t created_count = host->options.has_http ? host->options.http_sessions : 0;
    if (!iso__created_session_init(&host->created, created_count) ||
        !iso__directory_init(&host->directory, host->session_count + created_count)) {
        iso__log_error("out of memory");
        return ISO__EXIT_TROUBLE;
    }
    return open_and_run(host, &addresses, stream_max, &config);
}

static void release(iso__host *host) {
    for (uint32_t i = 0; i < host->session_count; ++i) {
        iso__hosted_term(&host->sessions[i]);
    }
    free(host->sessions);
    iso__created_session_term(&host->created);
    iso__directory_term(&host->directory);
    if (host->is_recorded) {
        iso__writer_term(&host->writer);
    }
    if (host->has_events) {
        iso__event_log_term(&host->events);
    }
    sodium_memzero(&host->key, sizeof host->key);
    sodium_memzero(host->password, sizeof host->password);
    iso__disk_close(&host->disk);
    if (host->lock_file >= 0) {
        close(host->lock_file);
    }
    iso__notify_close(&host->signals.notify);
    iso__bans_term(&host->bans);
    iso__audit_close(&host->audit);
#ifdef ISO__HTTP
    iso__tokens_term(&host->tokens);
#endif
}

static int server_run(int argc, char **argv, const iso_game *const *games, size_t count) {
    static iso__host host; // large, and there is one per process
    memset(&host, 0, sizeof host);
    host.disk = (iso__disk){.folder = -1, .file = -1};
    host.lock_file = -1;
    host.audit.file = -1;
    host.signals.file = -1;
    iso__affinity_take(&host.io);
    iso__gate_init(&host.gate);
    char message[400];
    if (!iso__options_parse(&host.options, argc, argv, message, sizeof message)) {
        iso__log_error("%s", message);
        return ISO__EXIT_USAGE;
    }
    if (host.options.help) {
        fputs(iso__options_help(), stdout);
        return ISO__EXIT_DONE;
    }
    if (host.options.version) {
        char text[ISO_VERSION_TEXT_SIZE], program[ISO_PROGRAM_NAME_SIZE];
        iso_version_text(iso_environment_program("isostep-server", program), games, count, text);
        fputs(text, stdout);
        return ISO__EXIT_DONE;
    }
    iso__log_set_json(host.options.log_json != 0);
    if (!host.options.is_unconfined) {
        iso__sandbox_begin();
    }
    if (host.options.log_path != NULL && !iso__log_open(host.options.log_path)) {
        return ISO__EXIT_USAGE;
    }
#ifdef ISO__HTTP
    if (host.options.new_token != NULL) {
        return iso__tokens_make(host.options.new_token);
    }
#endif
    char wrong[ISO_ENVIRONMENT_TEXT_SIZE];
    if (!iso_environment_check(wrong)) {
        iso__log_error("%s", wrong);
        return ISO__EXIT_USAGE;
    }
    // Both become errors of a write (a peer has gone, a file may not grow) instead of ending the process.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    iso__signals_prepare(&host);
    int code = host_sessions(&host, games, count);
    release(&host);
    iso__log_flush(UINT64_MAX);
    iso__signals_restore(&host);
    return code;
}

int iso_server_main(int argc, char **argv, const iso_game *const *games, size_t count) {
    return iso_server_main_with_scenes(argc, argv, games, count, NULL, 0);
}

int iso_server_main_with_scenes(int argc, char **argv, const iso_game *const *games, size_t count,
                                const iso_server_scene *scenes, size_t scene_count) {
    ISO_ASSERT(scene_count == 0 || scenes != NULL);
    char text[512];
    if (iso_game_check_list(games, count, iso_games, ISO_GAME_COUNT, text, sizeof text) != ISO_OK) {
        iso__log_error("%s", text);
        return ISO__EXIT_USAGE;
    }
    if (!iso__scenes_bring(scenes, scene_count)) {
        return ISO__EXIT_USAGE;
    }
    const iso_game **known = calloc(count + ISO_GAME_COUNT, sizeof *known);
    if (known == NULL) {
        iso__log_error("out of memory");
        return ISO__EXIT_TROUBLE;
    }
    const int code = server_run(argc, argv, known, iso_games_add(games, count, known));
    free(known);
    return code;
}
