/// Peers: from streams to the sessions' events, and from the sessions' actions back to streams.
///
/// A connection's number is its place in the list plus a counter that never repeats, so a message for a connection that
/// has ended does not reach its successor.
#include "host/peers/peers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/peers/frames.h"
#include "host/peers/lobby.h"
#include "host/sessions/worker_inbox.h"
#include "host/watch/log.h"
#include "isostep/proto/codec.h"

#define FRAME_TIMEOUT_NS (5ull * ISO__NS_PER_S)
// How long a peer that has stalled has to read again and receive the reason why it is ended.
#define FINISH_TIMEOUT_NS (3ull * ISO__NS_PER_S)
// Streams that were cut exist until the loop's next turn.
#define CUT_MAX 8u
#define NOBODY  UINT32_MAX
// A stream that was opened in one turn of the loop is read in the next one, perhaps after the listener; in the turn
// after that it has been read.
#define LISTENED_TURNS 2u
// Wrong passwords of one address that are judged at once, and the time after which there is another one.
#define PASSWORDS_MAX         10
#define PASSWORDS_INTERVAL_NS (10 * ISO__NS_PER_S)
// A HELLO follows the connection; it may take this long to arrive before the connection can be closed for a new one.
#define HELLO_TIME_NS (100 * (ISO__NS_PER_S / 1000))

static iso__peer *peer_of(iso__peers *peers, uint64_t connection) {
    iso__peer *peer = &peers->list[connection % ISO__PEER_MAX];
    return peer->stream != NULL && peer->stream->id == connection ? peer : NULL;
}

static void waiting_append(iso__peers *peers, uint32_t index) {
    iso__peer *peer = &peers->list[index];
    peer->is_waiting = true;
    peer->previous = peers->newest;
    peer->next = NOBODY;
    if (peers->newest != NOBODY) {
        peers->list[peers->newest].next = index;
    } else {
        peers->oldest = index;
    }
    peers->newest = index;
    ++peers->unauthenticated_count;
}

static void waiting_remove(iso__peers *peers, iso__peer *peer) {
    if (!peer->is_waiting) {
        return;
    }
    peer->is_waiting = false;
    if (peer->previous != NOBODY) {
        peers->list[peer->previous].next = peer->next;
    } else {
        peers->oldest = peer->next;
    }
    if (peer->next != NOBODY) {
        peers->list[peer->next].previous = peer->previous;
    } else {
        peers->newest = peer->previous;
    }
    --peers->unauthenticated_count;
}

/// Whether it may be closed for a new connection: it has sent nothing though it had the time and was read, or it was
/// answered already. One whose HELLO is with a session is kept: the answer comes at once.
static bool may_give_way(const iso__peers *peers, const iso__peer *peer, uint64_t now) {
    bool is_answered = peer->stream->state != ISO__STREAM_OPEN;
    bool is_silent = peer->hosted == NULL && peers->turn >= peer->opened_turn + LISTENED_TURNS &&
                     now >= peer->opened_ns + HELLO_TIME_NS;
    return is_answered || is_silent;
}

/// The oldest of those that may be closed; NOBODY.
static uint32_t find_oldest(const iso__peers *peers) {
    uint64_t now = iso__clock_now();
    uint32_t index = peers->oldest;
    while (index != NOBODY && !may_give_way(peers, &peers->list[index], now)) {
        index = peers->list[index].next;
    }
    return index;
}

static bool lobby_is_full(const iso__peers *peers) {
    return peers->unauthenticated_count >= peers->config.unauthenticated_max;
}

/// A new connection waits while all others in the lobby are about to be read or answered.
static bool on_admits(void *user) {
    const iso__peers *peers = user;
    return !lobby_is_full(peers) || find_oldest(peers) != NOBODY;
}

/// Makes room for a new connection that was admitted: closes the oldest one without a valid HELLO at once.
static void drop_oldest(iso__peers *peers) {
    iso__stream *stream = peers->list[find_oldest(peers)].stream;
    iso__counters_add(peers->config.counters, ISO__COUNTER_DROPPED, 1);
    if (stream->state == ISO__STREAM_OPEN) {
        iso__lobby_turn_away(peers, stream, ISO_ERR_SERVER_FULL, "");
    }
    iso__stream_cut(stream);
}

static bool turn_away(iso__peers *peers, iso__stream *stream, iso__counter counter, iso_status status,
                      const char *why) {
    iso__counters_add(peers->config.counters, counter, 1);
    if (stream != NULL) {
        iso__lobby_turn_away(peers, stream, status, why);
    }
    return false;
}

/// Seconds since 1970, as bans have them.
static int64_t seconds_now(void) {
    return (int64_t)time(NULL);
}

/// A trusted proxy is never banned, whatever network it is in: with its own address it looks whether we are there.
static bool is_banned(const iso__peers *peers, const iso__address *address) {
    return peers->config.bans != NULL && !iso__address_limit_is_trusted(&peers->address_limit, address) &&
           iso__bans_find_address(peers->config.bans, address, seconds_now()) != NULL;
}

/// Whether the address may have another connection.
static bool admit(iso__peers *peers, iso__stream *stream, const iso__address *address, uint32_t *index) {
    if (is_banned(peers, address)) {
        return turn_away(peers, stream, ISO__COUNTER_ADDRESS_BANNED, ISO_ERR_BANNED, "");
    }
    char why[ISO__ADDRESS_LIMIT_TEXT_MAX];
    const uint64_t now = iso__clock_now();
    const iso__address_limit_answer answer = iso__address_limit_enter(&peers->address_limit, address, now, index);
    iso__address_limit_explain(&peers->address_limit, answer, address, now, why);
    switch (answer) {
    case ISO__ADDRESS_LIMIT_TAKEN:
        return true;
    case ISO__ADDRESS_LIMIT_OUT:
        return turn_away(peers, stream, ISO__COUNTER_ADDRESS_OUT, ISO_ERR_ADDRESS_LIMIT, why);
    case ISO__ADDRESS_LIMIT_CONNECTIONS:
        return turn_away(peers, stream, ISO__COUNTER_ADDRESS_CONNECTIONS, ISO_ERR_ADDRESS_LIMIT, why);
    case ISO__ADDRESS_LIMIT_ACCEPTS:
        return turn_away(peers, stream, ISO__COUNTER_ADDRESS_ACCEPTS, ISO_ERR_ADDRESS_LIMIT, why);
    case ISO__ADDRESS_LIMIT_CROWDED:
        break;
    }
    return turn_away(peers, stream, ISO__COUNTER_TURNED_AWAY, ISO_ERR_SERVER_FULL, why);
}

static bool on_is_proxy(void *user, const iso__address *address) {
    const iso__peers *peers = user;
    return iso__address_limit_is_trusted(&peers->address_limit, address);
}

static void on_unproxied(void *user, const iso__address *address) {
    iso__peers *peers = user;
    iso__counters_add(peers->config.counters, ISO__COUNTER_UNPROXIED, 1);
    iso__log(&(iso__log_about){.level = ISO__LOG_WARNING, .code = ISO_ERR_MALFORMED, .address = address},
             "refused: a connection of a --trusted-proxy without a PROXY header");
}

static bool on_opened(void *user, iso__stream *stream) {
    iso__peers *peers = user;
    const iso__address *name = &stream->address;
    uint32_t address;
    if (!admit(peers, stream, name, &address)) {
        return false;
    }
    if (lobby_is_full(peers)) {
        drop_oldest(peers);
    }
    if (peers->free_count == 0) {
        iso__address_limit_leave(&peers->address_limit, address);
        return turn_away(peers, stream, ISO__COUNTER_TURNED_AWAY, ISO_ERR_SERVER_FULL, "");
    }
    uint32_t index = peers->free[--peers->free_count];
    stream->id = ++peers->connection_counter * ISO__PEER_MAX + index;
    stream->user = &peers->list[index];
    iso__log_set_connection(stream->id, name);
    ++peers->totals.accepted;
    peers->list[index] =
        (iso__peer){.stream = stream, .address = address, .opened_turn = peers->turn, .opened_ns = iso__clock_now()};
    iso__io_budget_init(&peers->list[index].budget, peers->list[index].opened_ns, peers->config.bytes_per_second,
                        stream->bytes_in);
    stream->frame_max = ISO_FRAME_MAX_HELLO;
    waiting_append(peers, index);
    return true;
}

static void on_full(void *user, iso__stream *stream) {
    iso__peers *peers = user;
    turn_away(peers, stream, stream != NULL ? ISO__COUNTER_TURNED_AWAY : ISO__COUNTER_ACCEPT_FAILED,
              ISO_ERR_SERVER_FULL, "");
}

static bool on_frame(void *user, iso__stream *stream, const uint8_t *bytes, size_t size) {
    return iso__peers_take_frame(user, stream->user, bytes, size);
}

static void on_failed(void *user, iso__stream *stream, iso_status status) {
    iso__peers *peers = user;
    iso__peer *peer = stream->user;
    if (peer->hosted == NULL) {
        iso__lobby_refuse(peers, peer, status, "");
    } else {
        iso__worker_post(peer->hosted->worker, &(iso__inbound){.hosted = peer->hosted,
                                                               .event = {.kind = ISO_SESSION_EVENT_BAD_FRAME,
                                                                         .connection = stream->id,
                                                                         .status = status}});
    }
}

/// A peer in the lobby has sent no request whose answer it could wait for.
static bool on_ended(void *user, iso__stream *stream) {
    (void)user;
    return ((const iso__peer *)stream->user)->hosted != NULL;
}

static void on_queued(void *user, iso__stream *stream, size_t queued) {
    iso__hosted *hosted = ((iso__peer *)stream->user)->hosted;
    (void)user;
    if (hosted == NULL) {
        return;
    }
    iso__inbound item = {
        .hosted = hosted,
        .event = {.kind = ISO_SESSION_EVENT_QUEUED, .connection = stream->id, .size = (uint32_t)queued}};
    // Crossing the limit happens once per connection and must be delivered; the steps before it are only informative.
    if (queued > ISO__STREAM_QUEUED_MAX) {
        iso__worker_post(hosted->worker, &item);
    } else {
        iso__worker_offer(hosted->worker, &item, true);
    }
}

static void on_closed(void *user, iso__stream *stream) {
    iso__peers *peers = user;
    iso__peer *peer = stream->user;
    iso__hosted *hosted = peer->hosted;
    peers->totals.bytes_in += stream->bytes_in;
    peers->totals.bytes_out += stream->bytes_out;
    waiting_remove(peers, peer);
    if (peer->welcomed_ns != 0) {
        peers->totals.client_bytes_in += stream->bytes_in;
        peers->totals.client_bytes_out += stream->bytes_out;
        peers->totals.client_ns += iso__clock_now() - peer->welcomed_ns;
    }
    if (peer->is_paused) {
        --peers->paused_count;
    }
    peer->stream = NULL;
    peer->hosted = NULL;
    peers->free[peers->free_count++] = (uint32_t)(peer - peers->list);
    // The address is released after the session has processed the end, since it may hold a slot from then on.
    if (hosted != NULL && !hosted->worker->has_stopped) {
        iso__worker_post(hosted->worker,
                         &(iso__inbound){.hosted = hosted,
                                         .address = peer->address,
                                         .event = {.kind = ISO_SESSION_EVENT_DISCONNECTED, .connection = stream->id}});
    } else {
        iso__address_limit_leave(&peers->address_limit, peer->address);
    }
    if (hosted == NULL) {
        return;
    }
    --hosted->peer_count;
    iso__worker_let_go(hosted);
}

/// Sends what was queued and wakes the workers that have received something: once per turn of the loop.
static void end_turn(iso__peers *peers) {
    iso__listener_flush(peers->listener);
    for (uint32_t i = 0; i < peers->other_count; ++i) {
        iso__listener_flush(peers->others[i]);
    }
    for (uint32_t i = 0; i < peers->config.worker_count; ++i) {
        iso__worker_wake_nudged(&peers->config.workers[i]);
    }
}

static void on_before_sleep(uv_prepare_t *prepare) {
    end_turn(prepare->data);
}

static void on_after_sleep(uv_check_t *check) {
    iso__peers *peers = check->data;
    ++peers->turn;
    iso__peers_resume_due(peers);
    iso__listener_accept(peers->listener);
    for (uint32_t i = 0; i < peers->other_count; ++i) {
        iso__listener_accept(peers->others[i]);
    }
    end_turn(peers);
}

static void on_patience(uv_timer_t *timer) {
    iso__lobby_check(timer->data);
}

static void start_handles(iso__peers *peers, uv_loop_t *loop) {
    uv_prepare_init(loop, &peers->before_sleep);
    uv_check_init(loop, &peers->after_sleep);
    uv_timer_init(loop, &peers->patience);
    uv_idle_init(loop, &peers->idle);
    peers->before_sleep.data = peers->after_sleep.data = peers->patience.data = peers;
    uv_prepare_start(&peers->before_sleep, on_before_sleep);
    uv_check_start(&peers->after_sleep, on_after_sleep);
    uv_timer_start(&peers->patience, on_patience, ISO__LOBBY_INTERVAL_MS, ISO__LOBBY_INTERVAL_MS);
    peers->is_open = true;
}

static int open_listener(iso__peers *peers, uv_loop_t *loop, iso__listener *listener, const iso__address *address) {
    const iso__listener_config streams = {
        .stream_max = peers->config.stream_max,
        .stream_total = &peers->stream_count,
        .frame_timeout_ns = FRAME_TIMEOUT_NS,
        .finish_timeout_ns = FINISH_TIMEOUT_NS,
        .handler = {on_admits, on_opened, on_full, on_frame, on_failed, on_ended, on_queued, on_closed, peers,
                    on_is_proxy, on_unproxied},
    };
    return iso__listener_open(listener, loop, address, &streams);
}

int iso__peers_open(iso__peers *peers, uv_loop_t *loop, const iso__address *address, const iso__peers_config *config) {
    ISO_ASSERT(config->stream_max > 0 && config->unauthenticated_max > 0);
    *peers = (iso__peers){.config = *config, .oldest = NOBODY, .newest = NOBODY};
    iso__affinity_take(&peers->io);
    peers->peer_max = config->stream_max > 2 * CUT_MAX ? config->stream_max - CUT_MAX : CUT_MAX;
    peers->peer_max = peers->peer_max < ISO__PEER_MAX ? peers->peer_max : ISO__PEER_MAX;
    for (uint32_t i = 0; i < peers->peer_max; ++i) {
        peers->free[peers->free_count++] = peers->peer_max - 1 - i;
    }
    peers->decode_memory = malloc(ISO_DECODE_MEMORY_FROM_CLIENT);
    peers->encode_memory = malloc(ISO_ENCODE_MEMORY_SIZE);
    if (peers->decode_memory == NULL || peers->encode_memory == NULL ||
        !iso__address_limit_init(&peers->address_limit, &config->address)) {
        return UV_ENOMEM;
    }
    iso__guess_limit_init(&peers->passwords, PASSWORDS_MAX, PASSWORDS_INTERVAL_NS);
    start_handles(peers, loop);
    peers->listener = config->listener;
    return open_listener(peers, loop, peers->listener, address);
}

int iso__peers_open_other(iso__peers *peers, uv_loop_t *loop, iso__listener *listener, const iso__address *address) {
    ISO__ASSERT_ON(&peers->io);
    ISO_ASSERT(peers->other_count < ISO__PEERS_OTHERS_MAX);
    peers->others[peers->other_count++] = listener;
    return open_listener(peers, loop, listener, address);
}

int iso__peers_listen(iso__peers *peers) {
    ISO__ASSERT_ON(&peers->io);
    return iso__listener_listen(peers->listener);
}

int iso__peers_listen_other(iso__peers *peers, uint32_t index) {
    ISO__ASSERT_ON(&peers->io);
    ISO_ASSERT(index < ISO__PEERS_OTHERS_MAX);
    return index < peers->other_count ? iso__listener_listen(peers->others[index]) : 0;
}

static void deliver_to(iso__peers *peers, const iso__outbound *item, uint64_t connection) {
    iso__peer *peer = peer_of(peers, connection);
    if (peer == NULL) {
        return;
    }
    if (item->welcomes && peer->is_waiting) {
        waiting_remove(peers, peer);
        peer->welcomed_ns = iso__clock_now();
        ++peers->totals.welcomed;
        peer->stream->frame_max = ISO_FRAME_MAX_CLIENT;
    }
    peer->is_activated = peer->is_activated || item->activates;
    iso__stream_send(peer->stream, item->buffer, item->is_farewell);
}

/// Frees what waits for a worker that has ended: it may have ended while this thread sent it a connection's end.
static void take_back(iso__peers *peers, iso__worker *worker) {
    iso__inbound item;
    worker->has_stopped = true;
    while (iso__queue_pop(&worker->inbound, &item)) {
        if (item.kind == ISO__INBOUND_SESSION && item.event.kind == ISO_SESSION_EVENT_DISCONNECTED) {
            iso__address_limit_leave(&peers->address_limit, item.address);
        }
        iso__inbound_free(&item);
    }
}

bool iso__peers_deliver(iso__peers *peers, iso__outbound *item) {
    ISO__ASSERT_ON(&peers->io);
    iso__peer *peer;
    switch ((iso__outbound_kind)item->kind) {
    case ISO__OUTBOUND_SEND:
        for (uint32_t i = 0; i < item->connection_count; ++i) {
            deliver_to(peers, item, item->connections != NULL ? item->connections[i] : item->connection);
        }
        iso__buffer_release(item->buffer);
        free(item->connections);
        return true;
    case ISO__OUTBOUND_CLOSE:
        peer = peer_of(peers, item->connection);
        if (peer != NULL) {
            iso__peers_strike(peers, peer, item->status);
            peer->stream->end_status = item->status;
            iso__stream_finish(peer->stream);
        }
        return true;
    case ISO__OUTBOUND_GONE:
        iso__address_limit_leave(&peers->address_limit, item->address);
        return true;
    case ISO__OUTBOUND_HOLD:
        iso__address_limit_hold(&peers->address_limit, item->origin, item->is_held);
        return true;
    case ISO__OUTBOUND_STOPPED:
        take_back(peers, item->worker);
        break;
    case ISO__OUTBOUND_COMPRESS:
    case ISO__OUTBOUND_MEMBER_REQUEST:
    case ISO__OUTBOUND_STARTED:
    case ISO__OUTBOUND_CLOSED:
    case ISO__OUTBOUND_LEFT:
        break;
    }
    return false;
}

const iso__address *iso__peers_address(iso__peers *peers, uint64_t connection) {
    ISO__ASSERT_ON(&peers->io);
    const iso__peer *peer = peer_of(peers, connection);
    return peer != NULL ? &peer->stream->address : NULL;
}

bool iso__peers_is_exempt(const iso__peers *peers, const iso__address *address) {
    return iso__address_limit_is_trusted(&peers->address_limit, address) ||
           (!peers->config.address.is_loopback && iso__address_is_loopback(address));
}

/// A member may be away while its slot is held: its session knows, whatever peers there are.
static void enforce_seat(iso__peers *peers, const iso__ban *ban) {
    const iso__directory *directory = peers->config.directory;
    for (uint32_t i = 0; i < directory->count; ++i) {
        iso__hosted *hosted = directory->sessions[i];
        iso__inbound item = {.hosted = hosted,
                             .event = {.kind = ISO_SESSION_EVENT_KICK,
                                       .slot = ban->slot,
                                       .generation = ban->generation,
                                       .status = ISO_ERR_BANNED}};
        if (ban->generation == 0 || memcmp(hosted->uid, ban->uid, sizeof ban->uid) != 0 ||
            atomic_load(&hosted->closed)) {
            continue;
        }
        if (!iso__worker_offer(hosted->worker, &item, true)) {
            iso__log_session(WARNING, hosted->name, "slot %" PRIu32 " is banned, but not removed: too much is going on",
                             ban->slot);
        }
    }
}

void iso__peers_enforce(iso__peers *peers, const iso__ban *ban) {
    ISO__ASSERT_ON(&peers->io);
    if (ban->is_seat) {
        enforce_seat(peers, ban);
    }
    for (uint32_t i = 0; i < peers->peer_max; ++i) {
        iso__peer *peer = &peers->list[i];
        if (peer->stream == NULL || peer->stream->state != ISO__STREAM_OPEN) {
            continue;
        }
        const iso__address *address = &peer->stream->address;
        if (!iso__ban_is_of(ban, address) || iso__address_limit_is_trusted(&peers->address_limit, address)) {
            continue;
        }
        if (peer->hosted == NULL) {
            iso__lobby_refuse(peers, peer, ISO_ERR_BANNED, "");
            continue;
        }
        iso__inbound item = {
            .hosted = peer->hosted,
            .event = {.kind = ISO_SESSION_EVENT_KICK, .connection = peer->stream->id, .status = ISO_ERR_BANNED}};
        // Without room it is not told why.
        if (!iso__worker_offer(peer->hosted->worker, &item, true)) {
            iso__stream_cut(peer->stream);
        }
    }
}

static bool tell_session(iso__hosted *hosted, uint64_t connection, const iso_message_notice *notice) {
    iso_message *message = malloc(sizeof *message);
    if (message == NULL) {
        return false;
    }
    *message = (iso_message){.kind = ISO_MESSAGE_NOTICE, .as.notice = *notice};
    iso__inbound item = {
        .hosted = hosted,
        .event = {.kind = ISO_SESSION_EVENT_NOTICE, .connection = connection, .message = message},
        .block = message,
        .block_size = sizeof *message,
    };
    const bool is_told = iso__worker_offer(hosted->worker, &item, true);
    if (!is_told) {
        free(message);
    }
    return is_told;
}

uint32_t iso__peers_tell(iso__peers *peers, iso__hosted *hosted, uint64_t connection,
                         const iso_message_notice *notice) {
    ISO__ASSERT_ON(&peers->io);
    ISO_ASSERT(connection == 0 || hosted != NULL);
    const iso__directory *directory = peers->config.directory;
    uint32_t missed = 0;
    for (uint32_t i = 0; i < directory->count; ++i) {
        iso__hosted *one = directory->sessions[i];
        if ((hosted == NULL || one == hosted) && !atomic_load(&one->closed)) {
            missed += !tell_session(one, connection, notice);
        }
    }
    return missed;
}

void iso__peers_resume(iso__peers *peers) {
    ISO__ASSERT_ON(&peers->io);
    for (uint32_t i = 0; i < peers->peer_max && peers->paused_count > 0; ++i) {
        iso__peer *peer = &peers->list[i];
        if (peer->stream == NULL || !peer->is_paused) {
            continue;
        }
        peer->is_paused = false;
        --peers->paused_count;
        iso__stream_resume(peer->stream);
    }
}

static void finish_all(iso__listener *listener) {
    iso__listener_stop(listener);
    for (iso__stream *stream = listener->first; stream != NULL; stream = stream->next) {
        iso__stream_finish(stream);
    }
}

void iso__peers_finish(iso__peers *peers) {
    ISO__ASSERT_ON(&peers->io);
    finish_all(peers->listener);
    for (uint32_t i = 0; i < peers->other_count; ++i) {
        finish_all(peers->others[i]);
    }
}

void iso__peers_close(iso__peers *peers) {
    ISO__ASSERT_ON(&peers->io);
    if (peers->listener != NULL) {
        iso__listener_close(peers->listener);
    }
    for (uint32_t i = 0; i < peers->other_count; ++i) {
        iso__listener_close(peers->others[i]);
    }
    if (!peers->is_open) {
        return;
    }
    peers->is_open = false;
    uv_close((uv_handle_t *)&peers->before_sleep, NULL);
    uv_close((uv_handle_t *)&peers->after_sleep, NULL);
    uv_close((uv_handle_t *)&peers->patience, NULL);
    uv_close((uv_handle_t *)&peers->idle, NULL);
}

void iso__peers_term(iso__peers *peers) {
    ISO__ASSERT_ON(&peers->io);
    ISO_ASSERT(!peers->is_open && peers->stream_count == 0);
    free(peers->decode_memory);
    free(peers->encode_memory);
}
