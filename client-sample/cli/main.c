/// The program's start, signals, progress and end (app.h).
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "griefer.h"
#include "isostep/client_main.h"
#include "isostep/games.h"
#include "isostep/proto/environment.h"
#include "isostep/proto/text.h"
#include "isostep/proto/version.h"
#include "list.h"
#include "seat.h"
#include "transport/tcp.h"

#define PROGRESS_INTERVAL_MS 250

/// The same signal so soon after the first one does not count: timeout(1) signals the process and then its group.
#define SAME_SIGNAL_NS UINT64_C(100000000)

// ---- the turns of the loop ------------------------------------------------------------------------

static void app_close(iso__cli_app *app) {
    uv_close((uv_handle_t *)&app->progress, NULL);
    uv_close((uv_handle_t *)&app->turn, NULL);
    for (size_t i = 0; i < 2; ++i) {
        uv_close((uv_handle_t *)&app->signals[i], NULL);
    }
}

/// Once before the loop sleeps: carries out what the members' news require. A member cannot be made to leave earlier,
/// while its actions are taken.
static void on_turn(uv_prepare_t *turn) {
    iso__cli_app *app = turn->data;
    if (app->is_leaving && !app->has_left) {
        app->has_left = true;
        for (uint32_t i = 0; i < app->peer_count; ++i) {
            iso__cli_peer_leave(&app->peers[i]);
        }
    }
    if (app->ended_count == app->peer_count) {
        app_close(app);
    }
}

static void on_signal(uv_signal_t *handle, int number) {
    iso__cli_app *app = handle->data;
    const uint64_t now_ns = uv_hrtime();
    if (app->signalled_ns == 0) {
        app->signalled_ns = now_ns;
        app->signal_number = number;
    } else if (number != app->signal_number || now_ns - app->signalled_ns >= SAME_SIGNAL_NS) {
        // The second one does not wait for the server.
        iso__cli_say(app, "stopped by a second signal (%d)", number);
        exit(ISO__CLI_EXIT_CONNECTION);
    }
    app->is_leaving = true;
}

static void on_progress(uv_timer_t *timer) {
    iso__cli_progress_print(timer->data);
}

// ---- start and end --------------------------------------------------------------------------------

static bool app_resolve(iso__cli_app *app) {
    const int error = iso__uv_dialer_resolve(app->dialer, app->options.host, app->options.port);
    if (error != 0) {
        iso__cli_say(app, "the host of %s is unknown: %s", app->options.address, uv_strerror(error));
    }
    return error == 0;
}

/// The library's own games come last.
static bool app_init_games(iso__cli_app *app, const iso_game *const *games, size_t count) {
    app->games = calloc(count + ISO_GAME_COUNT, sizeof(app->games[0]));
    if (app->games == NULL) {
        return false;
    }
    app->game_count = (uint32_t)iso_games_add(games, count, app->games);
    return true;
}

/// Memory first: as long as there is no loop, free() undoes everything.
static bool app_init(iso__cli_app *app) {
    static const int numbers[] = {SIGINT, SIGTERM};
    app->dialer = iso__uv_tcp_dialer_create(&app->loop);
    app->out = malloc(ISO_FRAME_MAX_CLIENT);
    app->decode_memory = malloc(ISO_DECODE_MEMORY_FROM_SERVER);
    app->encode_memory = malloc(ISO_ENCODE_MEMORY_SIZE);
    app->peers = calloc(app->options.swarm, sizeof(app->peers[0]));
    const bool complete = app->dialer != NULL && app->out != NULL && app->decode_memory != NULL &&
                          app->encode_memory != NULL && app->peers != NULL;
    if (!complete || uv_loop_init(&app->loop) != 0) {
        return false;
    }
    app->is_terminal = isatty(STDERR_FILENO) == 1;
    app->start_ns = uv_hrtime();
    uv_timer_init(&app->loop, &app->progress);
    uv_prepare_init(&app->loop, &app->turn);
    app->progress.data = app;
    app->turn.data = app;
    uv_prepare_start(&app->turn, on_turn);
    for (size_t i = 0; i < 2; ++i) {
        uv_signal_init(&app->loop, &app->signals[i]);
        app->signals[i].data = app;
        uv_signal_start(&app->signals[i], on_signal, numbers[i]);
    }
    return true;
}

static void app_free(iso__cli_app *app) {
    free(app->peers);
    free(app->games);
    free(app->encode_memory);
    free(app->decode_memory);
    free(app->out);
    iso__uv_dialer_destroy(app->dialer);
}

static void app_term(iso__cli_app *app) {
    for (uint32_t i = 0; app->peers != NULL && i < app->options.swarm; ++i) {
        iso__cli_peer_term(&app->peers[i]);
    }
    uv_loop_close(&app->loop);
    app_free(app);
}

static int app_run(iso__cli_app *app) {
    if (!app_resolve(app)) {
        app_close(app);
        uv_run(&app->loop, UV_RUN_DEFAULT);
        return ISO__CLI_EXIT_CONNECTION;
    }
    app->peer_count = app->options.swarm;
    if (app->is_terminal) {
        uv_timer_start(&app->progress, on_progress, PROGRESS_INTERVAL_MS, PROGRESS_INTERVAL_MS);
    }
    for (uint32_t i = 0; i < app->peer_count; ++i) {
        if (!iso__cli_peer_start(app, i)) {
            iso__cli_say(app, "there is no memory for %u connections", (unsigned)app->peer_count);
            if (i == 0) {
                // Nothing has begun. Later on, the end of the process ends the connections that were made.
                app_close(app);
                uv_run(&app->loop, UV_RUN_DEFAULT);
            }
            return ISO__CLI_EXIT_CONNECTION;
        }
    }
    uv_run(&app->loop, UV_RUN_DEFAULT);
    if (app->failure_repeats > 0) {
        iso__cli_say(app, "and the same for %u more", (unsigned)app->failure_repeats);
    }
    if (app->options.flip_tick != 0 && app->peers[0].has_joined && !app->peers[0].has_desynced) {
        iso__cli_say(app, "drill: it was over before tick %llu was confirmed, so no flip was found",
                     (unsigned long long)app->options.flip_tick);
    }
    fputs(app->is_terminal ? "\r\033[K" : "", stderr);
    iso__cli_summary_print(app);
    for (uint32_t i = 0; i < app->peer_count; ++i) {
        if (app->peers[i].has_desynced || app->peers[i].sync_test_tick != 0) {
            return ISO__CLI_EXIT_DESYNC;
        }
    }
    return app->is_refused ? ISO__CLI_EXIT_USAGE : app->has_failed ? ISO__CLI_EXIT_CONNECTION : ISO__CLI_EXIT_OK;
}

static int client_run(int argc, char **argv, const iso_game *const *games, size_t count) {
    iso__cli_app app;
    char message[512];
    memset(&app, 0, sizeof(app));
    if (iso_game_check_list(games, count, iso_games, ISO_GAME_COUNT, message, sizeof(message)) != ISO_OK) {
        iso_print(stderr, "isostep-client: %s\n", message);
        return ISO__CLI_EXIT_USAGE;
    }
    if (!iso__cli_options_parse(&app.options, argc, argv, message, sizeof(message))) {
        iso_print(stderr, "isostep-client: %s\nrun isostep-client --help for the options\n", message);
        return ISO__CLI_EXIT_USAGE;
    }
    if (app.options.help) {
        fputs(iso__cli_options_help(), stdout);
        return ISO__CLI_EXIT_OK;
    }
    signal(SIGPIPE, SIG_IGN);
    if (app.options.list) {
        return iso__cli_list(&app.options);
    }
    if (!app_init_games(&app, games, count)) {
        iso_print(stderr, "isostep-client: there is no memory to start\n");
        return ISO__CLI_EXIT_CONNECTION;
    }
    if (app.options.version) {
        char text[ISO_VERSION_TEXT_SIZE], program[ISO_PROGRAM_NAME_SIZE];
        iso_version_text(iso_environment_program("isostep-client", program), app.games, app.game_count, text);
        fputs(text, stdout);
        free(app.games);
        return ISO__CLI_EXIT_OK;
    }
    if (app.options.seat != NULL && !iso__cli_seat_read(app.options.seat, app.options.sessions[0], &app.has_seat,
                                                        &app.seat, message, sizeof(message))) {
        iso_print(stderr, "isostep-client: %s\n", message);
        free(app.games);
        return ISO__CLI_EXIT_USAGE;
    }
    if (!iso_environment_check(message)) {
        iso_print(stderr, "isostep-client: %s\n", message);
        free(app.games);
        return ISO__CLI_EXIT_USAGE;
    }
    if (app.options.bot == ISO__CLI_BOT_GRIEFER) {
        const int griefer_code = iso__cli_griefer_run(&app.options, app.games, app.game_count);
        free(app.games);
        return griefer_code;
    }
    if (!app_init(&app)) {
        iso_print(stderr, "isostep-client: there is no memory to start\n");
        app_free(&app);
        return ISO__CLI_EXIT_CONNECTION;
    }
    const int code = app_run(&app);
    app_term(&app);
    return code;
}

int iso_client_main(int argc, char **argv, const iso_game *const *games, size_t count) {
    const int code = client_run(argc, argv, games, count);
    return iso_print_end("isostep-client") || code != ISO__CLI_EXIT_OK ? code : ISO__CLI_EXIT_CONNECTION;
}
