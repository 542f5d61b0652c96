/// A member that plays with the client library over a socket, as slowly as a test wants.
#include "e2e.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/proto/compression.h"

static void hand_in(e2e_player *player, const iso_client_event *event);

const char *e2e_player_password;

static const iso_game *const games[] = {&iso_game_sandbox, &iso_game_sandbox3, &iso_game_walker};

static e2e_player *start(uint16_t port, int receive_buffer, const char *session, uint32_t reconnect_ms) {
    static uint64_t seed;
    e2e_player *player = calloc(1, sizeof *player);
    assert_non_null(player);
    player->port = port;
    player->link = e2e_link_open(port, receive_buffer);
    iso_client_config config = iso_client_config_default();
    config.allocator = iso_heap_allocator();
    config.session = session;
    config.name = "e2e";
    config.games = games;
    config.game_count = sizeof games / sizeof games[0];
    config.reconnect_ms = reconnect_ms;
    config.password = e2e_player_password;
    config.seed = ++seed;
    assert_int_equal(iso_client_create(&config, &player->client), ISO_OK);
    hand_in(player, &(iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    return player;
}

e2e_player *e2e_player_start(uint16_t port, int receive_buffer) {
    return start(port, receive_buffer, "main", 0);
}

e2e_player *e2e_player_start_in(uint16_t port, const char *session, uint32_t reconnect_ms) {
    return start(port, 0, session, reconnect_ms);
}

static void disconnect(e2e_player *player) {
    if (player->link != NULL) {
        e2e_link_close(player->link);
    }
    player->link = NULL;
}

void e2e_player_destroy(e2e_player *player) {
    disconnect(player);
    iso_client_destroy(player->client);
    free(player);
}

static void send_message(e2e_player *player, const iso_message *message) {
    player->out_size += e2e_encode(message, player->out + player->out_size, sizeof player->out - player->out_size);
}

static void build(e2e_player *player, uint64_t tick) {
    if (player->build_every == 0 || !player->has_joined || tick % player->build_every != 0 ||
        player->spawned >= E2E_SPAWNS_MAX) {
        return;
    }
    iso_command command = {.kind = ISO_COMMAND_SPAWN_BODY};
    command.as.spawn_body.body = iso_body_def_default();
    command.as.spawn_body.body.type = ISO_BODY_DYNAMIC;
    command.as.spawn_body.body.position = iso_vec2_to_wide((iso_vec2){((fix16_t)(tick % 20) - 10) * 65536, 20 * 65536});
    command.as.spawn_body.shape = iso_shape_def_box(1 << 15, 1 << 15);
    iso_client_command(player->client, &command, NULL);
}

static void keep_root(e2e_player *player, uint64_t tick) {
    // Reading a root writes a cache in the world, nothing else.
    const uint64_t root = iso_world_root((iso_world *)(uintptr_t)iso_client_world(player->client));
    player->roots_changed += player->roots[tick] != 0 && player->roots[tick] != root;
    player->roots[tick] = root;
    player->newest_root = tick > player->newest_root ? tick : player->newest_root;
}

static void see_tick(e2e_player *player, const iso_client_action *action) {
    uint64_t now = e2e_now_ns();
    if (action->tick < player->roots_capacity) {
        keep_root(player, action->tick);
    }
    if (player->has_joined) {
        if (player->last_tick_ns != 0 && now - player->last_tick_ns > player->gap_max_ns) {
            player->gap_max_ns = now - player->last_tick_ns;
        }
        player->last_tick_ns = now;
        ++player->ticks;
    }
    for (uint32_t i = 0; i < action->command_count; ++i) {
        if (action->commands[i].slot == iso_client_slot(player->client) && action->results != NULL &&
            action->results[i].status == ISO_OK && action->commands[i].command.kind == ISO_COMMAND_SPAWN_BODY) {
            ++player->spawned;
        }
    }
    build(player, action->tick);
}

static void act(e2e_player *player, const iso_client_action *action) {
    switch (action->kind) {
    case ISO_CLIENT_ACTION_SEND:
        send_message(player, action->message);
        break;
    case ISO_CLIENT_ACTION_JOINED:
        player->has_joined = true;
        player->join_tick = action->tick;
        ++player->joins;
        break;
    case ISO_CLIENT_ACTION_RESUMED:
        player->has_joined = true;
        ++player->resumes;
        break;
    case ISO_CLIENT_ACTION_REWOUND:
        ++player->rewinds;
        break;
    case ISO_CLIENT_ACTION_RECONNECT:
        player->has_joined = false;
        player->last_tick_ns = 0;
        player->out_size = 0;
        player->reconnect_ns = e2e_now_ns() + action->delay_ns;
        break;
    case ISO_CLIENT_ACTION_TICK:
        see_tick(player, action);
        break;
    case ISO_CLIENT_ACTION_ENDED:
        player->has_ended = true;
        player->end_status = action->status;
        break;
    default:
        break;
    }
}

static void hand_in(e2e_player *player, const iso_client_event *event) {
    iso_client_action action, decompress = {0};
    iso_client_handle(player->client, e2e_now_ns(), event);
    while (iso_client_next_action(player->client, &action)) {
        if (action.kind == ISO_CLIENT_ACTION_DECOMPRESS) {
            decompress = action;
        } else {
            act(player, &action);
        }
    }
    if (decompress.kind == 0) {
        return;
    }
    uint8_t *raw = malloc(decompress.raw_size);
    iso_client_event answer = {.kind = ISO_CLIENT_EVENT_DECOMPRESSED, .bytes = raw, .size = decompress.raw_size};
    answer.status = iso_decompress(decompress.bytes, decompress.size, raw, decompress.raw_size);
    hand_in(player, &answer);
    free(raw);
}

static void write_out(e2e_player *player) {
    size_t wanted = player->byte_at_a_time && player->out_size > 0 ? 1 : player->out_size;
    ssize_t written = wanted > 0 ? send(player->link->fd, player->out, wanted, MSG_NOSIGNAL) : 0;
    if (written <= 0) {
        return;
    }
    player->out_size -= (size_t)written;
    memmove(player->out, player->out + written, player->out_size);
}

/// Closes what is left of the old connection, and makes a new one when it is time.
static void reconnect(e2e_player *player) {
    disconnect(player);
    if (e2e_now_ns() < player->reconnect_ns) {
        return;
    }
    player->reconnect_ns = 0;
    player->link = e2e_link_try(player->port, 0);
    hand_in(player, &(iso_client_event){.kind = player->link != NULL ? ISO_CLIENT_EVENT_CONNECTED
                                                                     : ISO_CLIENT_EVENT_DISCONNECTED,
                                        .status = ISO_ERR_CONNECTION});
}

static void run_player(e2e_player *player) {
    iso_message message;
    if (player->reconnect_ns != 0) {
        reconnect(player);
    }
    if (player->link == NULL) {
        return;
    }
    while (!player->is_stalled && !player->has_ended && player->reconnect_ns == 0 &&
           e2e_link_read(player->link, &message, 0)) {
        hand_in(player, &(iso_client_event){.kind = ISO_CLIENT_EVENT_MESSAGE, .message = &message});
    }
    if (player->link->has_ended && !player->has_ended && player->reconnect_ns == 0) {
        hand_in(player, &(iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .status = ISO_ERR_CONNECTION});
    }
    if (player->reconnect_ns != 0) {
        return;
    }
    if (!player->is_stalled && !player->has_ended) {
        hand_in(player, &(iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
    }
    write_out(player);
    if (player->has_ended && player->out_size == 0) {
        disconnect(player);
    }
}

void e2e_player_leave(e2e_player *player) {
    hand_in(player, &(iso_client_event){.kind = ISO_CLIENT_EVENT_LEAVE});
}

static void wait_for_any(e2e_player *const *players, size_t count) {
    struct pollfd waits[128];
    size_t wait_count = 0;
    int timeout_ms = 20;
    for (size_t i = 0; i < count && wait_count < 128; ++i) {
        if (players[i]->link == NULL || players[i]->is_stalled) {
            continue;
        }
        waits[wait_count++] = (struct pollfd){.fd = players[i]->link->fd, .events = POLLIN};
        uint64_t deadline = iso_client_next_deadline(players[i]->client), now = e2e_now_ns();
        if (deadline < now + 20 * E2E_MS) {
            timeout_ms = deadline <= now || timeout_ms == 0 ? 0 : 1;
        }
        if (players[i]->out_size > 0) {
            timeout_ms = 0;
        }
    }
    poll(waits, wait_count, timeout_ms);
}

static bool never(e2e_player *const *players, size_t count) {
    (void)players;
    (void)count;
    return false;
}

bool e2e_players_run(e2e_player *const *players, size_t count, bool (*done)(e2e_player *const *players, size_t count),
                     uint64_t timeout_ms) {
    uint64_t deadline = e2e_now_ns() + timeout_ms * E2E_MS;
    while (e2e_now_ns() < deadline) {
        for (size_t i = 0; i < count; ++i) {
            if (players[i]->link != NULL || players[i]->reconnect_ns != 0) {
                run_player(players[i]);
            }
        }
        if (done(players, count)) {
            return true;
        }
        wait_for_any(players, count);
    }
    if (done != never) {
        for (size_t i = 0; i < count; ++i) {
            print_error("player %zu: phase %d, tick %llu, %s%s\n", i, (int)iso_client_get_phase(players[i]->client),
                        (unsigned long long)iso_client_tick(players[i]->client),
                        players[i]->has_ended ? "ended: " : "goes on",
                        players[i]->has_ended ? iso_status_name(players[i]->end_status) : "");
        }
    }
    return false;
}

void e2e_players_run_for(e2e_player *const *players, size_t count, uint64_t ms) {
    e2e_players_run(players, count, never, ms);
}

bool e2e_all_joined(e2e_player *const *players, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!players[i]->has_joined) {
            return false;
        }
    }
    return true;
}

bool e2e_all_ended(e2e_player *const *players, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (!players[i]->has_ended) {
            return false;
        }
    }
    return true;
}

iso_client_stats e2e_player_stats(const e2e_player *player) {
    iso_client_stats stats;
    iso_client_get_stats(player->client, &stats);
    return stats;
}
