#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app.h"
#include "griefer.h"
#include "isostep/client_main.h"
#include "isostep/games.h"
#include "isostep/proto/version.h"
#include "list.h"

#define PROGRESS_INTERVAL_MS 250

void iso__cli_say(iso__cli_app *app, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs(app->terminal ? "\r\033[K" : "", stderr);
    fputs("isostep-client: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

// ---- leaving --------------------------------------------------------------------------------------

static void on_leave(uv_timer_t *timer)
{
    iso__cli_app *app = timer->data;
    for (uint32_t i = 0; i < app->peer_count; i++) {
        iso__cli_peer_leave(&app->peers[i]);
    }
}

static void app_leave(iso__cli_app *app)
{
    if (!app->leaving) {
        app->leaving = true;
        uv_timer_start(&app->leave, on_leave, 0, 0);
    }
}

static void on_signal(uv_signal_t *handle, int number)
{
    iso__cli_app *app = handle->data;
    if (app->leaving) {
        // The second one does not wait for the server.
        iso__cli_say(app, "stopped by a second signal (%d)", number);
        exit(ISO__CLI_EXIT_CONNECTION);
    }
    app_leave(app);
}

static void on_progress(uv_timer_t *timer)
{
    iso__cli_progress_print(timer->data);
}

static bool peer_has_enough(const iso__cli_app *app, const iso__cli_peer *peer)
{
    iso_client_stats stats;
    iso_client_get_stats(peer->client, &stats);
    // Whose world is not compared any more has no root confirmed; its ticks pass all the same.
    const uint64_t last_tick = peer->unverified ? iso_client_tick(peer->client) : stats.last_tick;
    return app->options.ticks != 0 && peer->joined && last_tick + 1u >= stats.first_tick + app->options.ticks;
}

/// Leaves when every member that is still there has had its ticks.
static void app_check_done(iso__cli_app *app)
{
    for (uint32_t i = 0; i < app->peer_count; i++) {
        if (!app->peers[i].done && !app->peers[i].ended) {
            return;
        }
    }
    app_leave(app);
}

// ---- what peers tell ------------------------------------------------------------------------------

void iso__cli_app_tick(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action)
{
    // Only the verifying member sees results; it passes them on to the bots of all members.
    for (uint32_t i = 0; action->results != NULL && i < action->command_count; i++) {
        for (uint32_t k = 0; k < app->peer_count; k++) {
            const bool there = app->peers[k].joined && app->peers[k].session == peer->session;
            if (there && iso_client_slot(app->peers[k].client) == action->commands[i].slot) {
                iso__cli_bot_result(&app->peers[k].bot, &action->commands[i].command, &action->results[i]);
            }
        }
    }
    if (peer->joined && iso_client_slot(peer->client) != ISO_SLOT_NONE && !app->leaving) {
        iso__cli_bot_act(&peer->bot, peer->client, action->tick);
        iso__cli_swarm_watch(app, peer, action->tick);
    }
    // A drill without an end of its own is over when the healed world has been confirmed for a second.
    const bool drilled = app->options.flip_tick != 0 && app->options.ticks == 0 && peer->healed_tick != 0
                         && action->tick >= peer->healed_tick + iso_client_welcome(peer->client)->tick_rate_hz;
    if (drilled) {
        app_leave(app);
    }
    if (!peer->done && peer_has_enough(app, peer)) {
        peer->done = true;
        app_check_done(app);
    }
}

void iso__cli_app_desync(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action)
{
    peer->desynced = true;
    peer->desync_tick = action->tick;
    peer->desync_ours = action->ours;
    peer->desync_theirs = action->theirs;
    iso__cli_say(app, "desync: after tick %llu the own root is %016llx, the server's is %016llx", (unsigned long long)action->tick,
                 (unsigned long long)action->ours, (unsigned long long)action->theirs);
    iso__cli_dump_state(app, peer);
}

void iso__cli_app_sync_test(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action)
{
    peer->sync_test_tick = action->tick;
    iso__cli_say(app, "sync test: a world that went on from the own snapshot of tick %llu differs after tick %llu: %s",
                 (unsigned long long)action->first_tick, (unsigned long long)action->tick,
                 action->status == ISO_ERR_DESYNC ? "something that its future depends on is not in the state"
                                                  : iso_status_text(action->status));
    iso_diff diff;
    if (iso_client_sync_test_diff(peer->client, &diff, 1) == 1) {
        iso__cli_say(app, "sync test: first in %s[%u].%s[%u]: own world %lld, restored %lld", iso_section_name(diff.section),
                     (unsigned)diff.record, diff.field != NULL ? diff.field->name : "count", (unsigned)diff.element,
                     (long long)diff.value_a, (long long)diff.value_b);
    }
}

void iso__cli_app_desync_answer(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action)
{
    const bool goes_on = action->desync_action == ISO_DESYNC_IGNORE;
    const bool stands = action->desync_action == ISO_DESYNC_PAUSE;
    if (!goes_on && !stands) {
        return;  // it is healed or ended, and that is said
    }
    peer->unverified = true;
    iso__cli_say(app, goes_on ? "the server ignores it: the session goes on, the own world stays wrong and is not compared any more"
                              : "the server has paused the session for it");
    // Nothing heals the world after which a drill without an end of its own would be over; in a pause no ticks come to
    // its end.
    if (app->options.flip_tick != 0 && (stands || app->options.ticks == 0)) {
        app_leave(app);
    }
}

void iso__cli_app_healed(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action)
{
    peer->healed_tick = action->tick;
    iso__cli_say(app, "healed: the world was replaced by the server's of tick %llu", (unsigned long long)action->tick);
}

void iso__cli_app_news(iso__cli_app *app, iso__cli_peer *peer, const iso_client_action *action)
{
    static const char *const states[] = {"", "waiting", "running", "paused", "draining", "closed"};
    static const char *const policies[] = {"", "move", "drop", "strict"};
    const unsigned long long tick = action->tick;
    if (!iso__cli_swarm_verifies(app, peer->index)) {
        return;
    }
    switch (action->kind) {
    case ISO_CLIENT_ACTION_RESUMED: iso__cli_say(app, "back as the same member from tick %llu on", tick); break;
    case ISO_CLIENT_ACTION_JOINED: iso__cli_say(app, "back as a new member from tick %llu on", tick); break;
    case ISO_CLIENT_ACTION_REWOUND:
        iso__cli_say(app, "the server has lost ticks %llu to %llu; the session goes on from tick %llu",
                     (unsigned long long)action->first_tick, (unsigned long long)action->last_tick, tick);
        break;
    default:
        iso__cli_say(app, "the session is %s at tick %llu; late inputs: %s%s%s", states[iso_client_welcome(peer->client)->state], tick,
                     policies[iso_client_welcome(peer->client)->late_policy], action->status != ISO_OK ? "; because " : "",
                     action->status != ISO_OK ? iso_status_text(action->status) : "");
        break;
    }
}

/// Many members often fail for one reason: it is said once.
static void app_say_failure(iso__cli_app *app, const char *failure)
{
    if (strcmp(app->failure, failure) == 0) {
        app->failure_repeats += 1;
        return;
    }
    snprintf(app->failure, sizeof(app->failure), "%s", failure);
    iso__cli_say(app, "%s", failure);
}

static void app_close(iso__cli_app *app)
{
    uv_close((uv_handle_t *)&app->progress, NULL);
    uv_close((uv_handle_t *)&app->leave, NULL);
    for (size_t i = 0; i < 2; i++) {
        uv_close((uv_handle_t *)&app->signals[i], NULL);
    }
}

void iso__cli_app_ended(iso__cli_app *app, iso__cli_peer *peer, const char *failure)
{
    peer->ended = true;
    app->ended_count += 1;
    // After a desync the server says goodbye by itself; that is no second failure, but the reason why it is over.
    if (failure != NULL && peer->desynced) {
        iso__cli_say(app, "ended: %s", failure);
    } else if (failure != NULL) {
        app->failed = true;
        app_say_failure(app, failure);
    }
    if (app->ended_count < app->peer_count) {
        app_check_done(app);
        return;
    }
    app_close(app);
}

// ---- start and end --------------------------------------------------------------------------------

static bool app_resolve(iso__cli_app *app)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    uv_getaddrinfo_t request;
    const int error = uv_getaddrinfo(&app->loop, &request, NULL, app->options.host, app->options.port, &hints);
    if (error != 0) {
        iso__cli_say(app, "the host of %s is unknown: %s", app->options.address, uv_strerror(error));
        return false;
    }
    app->addresses = request.addrinfo;
    return true;
}

/// The library's own games come last: what a program brings under the same name counts.
static bool app_init_games(iso__cli_app *app, const iso_game *const *games, size_t count)
{
    const uint32_t own = ISO_GAME_COUNT;
    app->games = calloc(count + own, sizeof(app->games[0]));
    if (app->games == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        app->games[i] = games[i];
    }
    for (uint32_t i = 0; i < own; i++) {
        app->games[count + i] = iso_games[i];
    }
    app->game_count = (uint32_t)count + own;
    return true;
}

static bool app_check_games(const iso__cli_app *app)
{
    char text[512];
    for (uint32_t i = 0; i < app->game_count; i++) {
        if (iso_game_check(app->games[i], text, sizeof(text)) != ISO_OK) {
            fprintf(stderr, "isostep-client: %s\n", text);
            return false;
        }
    }
    return true;
}

/// Memory first: as long as there is no loop, free() undoes everything.
static bool app_init(iso__cli_app *app)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    app->in = malloc(ISO__CLI_READ_SIZE);
    app->out = malloc(ISO_FRAME_HEADER_SIZE_MAX + ISO_FRAME_MAX_CLIENT);
    app->decode_memory = malloc(ISO_DECODE_MEMORY_FROM_SERVER);
    app->encode_memory = malloc(ISO_ENCODE_MEMORY_SIZE);
    app->peers = calloc(app->options.swarm, sizeof(app->peers[0]));
    const bool complete = app->in != NULL && app->out != NULL && app->decode_memory != NULL && app->encode_memory != NULL && app->peers != NULL;
    if (!complete || uv_loop_init(&app->loop) != 0) {
        return false;
    }
    signal(SIGPIPE, SIG_IGN);
    app->terminal = isatty(STDERR_FILENO) == 1;
    app->start_ns = uv_hrtime();
    uv_timer_init(&app->loop, &app->progress);
    uv_timer_init(&app->loop, &app->leave);
    app->progress.data = app;
    app->leave.data = app;
    for (size_t i = 0; i < 2; i++) {
        uv_signal_init(&app->loop, &app->signals[i]);
        app->signals[i].data = app;
        uv_signal_start(&app->signals[i], on_signal, numbers[i]);
    }
    return true;
}

static void app_free(iso__cli_app *app)
{
    free(app->peers);
    free(app->games);
    free(app->encode_memory);
    free(app->decode_memory);
    free(app->out);
    free(app->in);
}

static void app_term(iso__cli_app *app)
{
    for (uint32_t i = 0; app->peers != NULL && i < app->options.swarm; i++) {
        iso__cli_peer_term(&app->peers[i]);
    }
    uv_freeaddrinfo(app->addresses);
    uv_loop_close(&app->loop);
    app_free(app);
}

static int app_run(iso__cli_app *app)
{
    if (!app_resolve(app)) {
        app_close(app);
        uv_run(&app->loop, UV_RUN_DEFAULT);
        return ISO__CLI_EXIT_CONNECTION;
    }
    app->peer_count = app->options.swarm;
    if (app->terminal) {
        uv_timer_start(&app->progress, on_progress, PROGRESS_INTERVAL_MS, PROGRESS_INTERVAL_MS);
    }
    for (uint32_t i = 0; i < app->peer_count; i++) {
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
    fputs(app->terminal ? "\r\033[K" : "", stderr);
    iso__cli_summary_print(app);
    for (uint32_t i = 0; i < app->peer_count; i++) {
        if (app->peers[i].desynced || app->peers[i].sync_test_tick != 0) {
            return ISO__CLI_EXIT_DESYNC;
        }
    }
    return app->failed ? ISO__CLI_EXIT_CONNECTION : ISO__CLI_EXIT_OK;
}

int iso_client_main(int argc, char **argv, const iso_game *const *games, size_t count)
{
    iso__cli_app app;
    char message[512];
    memset(&app, 0, sizeof(app));
    if (!iso__cli_options_parse(&app.options, argc, argv, message, sizeof(message))) {
        fprintf(stderr, "isostep-client: %s\nrun isostep-client --help for the options\n", message);
        return ISO__CLI_EXIT_USAGE;
    }
    if (app.options.help) {
        fputs(iso__cli_options_help(), stdout);
        return ISO__CLI_EXIT_OK;
    }
    if (app.options.version) {
        char text[ISO_VERSION_TEXT_SIZE];
        iso_version_text("isostep-client", games, count, text);
        fputs(text, stdout);
        return ISO__CLI_EXIT_OK;
    }
    if (app.options.list) {
        return iso__cli_list(&app.options);
    }
    if (!app_init_games(&app, games, count)) {
        fprintf(stderr, "isostep-client: there is no memory to start\n");
        return ISO__CLI_EXIT_CONNECTION;
    }
    if (!app_check_games(&app)) {
        free(app.games);
        return ISO__CLI_EXIT_USAGE;
    }
    if (app.options.bot == ISO__CLI_BOT_GRIEFER) {
        const int griefer_code = iso__cli_griefer_run(&app.options, app.games, app.game_count);
        free(app.games);
        return griefer_code;
    }
    if (!app_init(&app)) {
        fprintf(stderr, "isostep-client: there is no memory to start\n");
        app_free(&app);
        return ISO__CLI_EXIT_CONNECTION;
    }
    const int code = app_run(&app);
    app_term(&app);
    return code;
}
