/// Peers: from streams to the session's events, and from its deliveries back to streams.
///
/// A connection's number is its place in the list plus a counter that never repeats, so a delivery
/// for a connection that has ended finds nothing instead of its successor.
#include "host/peers.h"

#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "host/log.h"
#include "isostep/proto/codec.h"

#define FRAME_TIMEOUT_NS (5ull * ISO__NS_PER_S)
// How long a peer that has stalled has to come back and read why it was ended.
#define FINISH_TIMEOUT_NS (3ull * ISO__NS_PER_S)
#define NOBODY UINT32_MAX

static iso__peer *peer_of(iso__peers *peers, uint64_t connection)
{
    iso__peer *peer = &peers->list[connection % ISO__PEER_MAX];
    return peer->stream != NULL && peer->stream->id == connection ? peer : NULL;
}

static void waiting_append(iso__peers *peers, uint32_t index)
{
    iso__peer *peer = &peers->list[index];
    peer->waiting = true;
    peer->previous = peers->newest;
    peer->next = NOBODY;
    if (peers->newest != NOBODY)
        peers->list[peers->newest].next = index;
    else
        peers->oldest = index;
    peers->newest = index;
    peers->unauthenticated_count++;
}

static void waiting_remove(iso__peers *peers, iso__peer *peer)
{
    if (!peer->waiting)
        return;
    peer->waiting = false;
    if (peer->previous != NOBODY)
        peers->list[peer->previous].next = peer->next;
    else
        peers->oldest = peer->next;
    if (peer->next != NOBODY)
        peers->list[peer->next].previous = peer->previous;
    else
        peers->newest = peer->previous;
    peers->unauthenticated_count--;
}

/// Makes room for a newcomer: whoever has waited longest without a valid hello goes, at once.
static void drop_oldest(iso__peers *peers)
{
    iso__stream *stream = peers->list[peers->oldest].stream;
    peers->totals.dropped++;
    iso__stream_send(stream, peers->full_answer, true);
    iso__stream_cut(stream);
}

static bool turn_away(iso__peers *peers, iso__stream *stream)
{
    peers->totals.turned_away++;
    uv_buf_t answer = uv_buf_init((char *)peers->full_answer->bytes, (unsigned)peers->full_answer->size);
    uv_try_write((uv_stream_t *)&stream->tcp, &answer, 1);
    return false;
}

static bool on_opened(void *user, iso__stream *stream)
{
    iso__peers *peers = user;
    if (peers->unauthenticated_count >= ISO__UNAUTHENTICATED_MAX)
        drop_oldest(peers);
    if (peers->free_count == 0)
        return turn_away(peers, stream);

    uint32_t index = peers->free[peers->free_count - 1];
    uint64_t id = ++peers->connection_counter * ISO__PEER_MAX + index;
    iso__inbound opened = {.event = {.kind = ISO_SESSION_EVENT_OPENED, .connection = id}};
    if (!iso__worker_offer(peers->worker, &opened))
        return turn_away(peers, stream);

    peers->free_count--;
    peers->totals.accepted++;
    peers->list[index] = (iso__peer){.stream = stream};
    stream->id = id;
    stream->user = &peers->list[index];
    iso_framer_set_max(&stream->framer, ISO_FRAME_MAX_HELLO);
    waiting_append(peers, index);
    return true;
}

/// A decoded message with the commands that it points to.
typedef struct peer_letter {
    iso_message message;
    iso_command commands[];
} peer_letter;

static peer_letter *letter_make(const iso_message *message)
{
    uint32_t count = message->kind == ISO_MESSAGE_INPUT ? message->as.input.command_count : 0;
    peer_letter *copy = malloc(sizeof *copy + count * sizeof copy->commands[0]);
    if (copy == NULL)
        return NULL;
    copy->message = *message;
    if (message->kind == ISO_MESSAGE_INPUT) {
        if (count > 0)
            memcpy(copy->commands, message->as.input.commands, count * sizeof copy->commands[0]);
        copy->message.as.input.commands = copy->commands;
    }
    // Only a server sends these two; the session refuses them by their kind and never looks inside.
    if (message->kind == ISO_MESSAGE_TICK)
        copy->message.as.tick = (iso_message_tick){0};
    if (message->kind == ISO_MESSAGE_SNAPSHOT_CHUNK)
        copy->message.as.snapshot_chunk = (iso_message_snapshot_chunk){0};
    return copy;
}

static bool hold_back(iso__peers *peers, iso__peer *peer)
{
    if (!peer->paused)
        peers->paused_count++;
    peer->paused = true;
    return false;
}

static bool on_frame(void *user, iso__stream *stream, const uint8_t *bytes, size_t size)
{
    iso__peers *peers = user;
    iso_decode_limits limits = iso_decode_limits_from_client();
    iso_message message;
    iso_status status = iso_message_decode(bytes, size, &limits, peers->decode_memory, ISO_DECODE_MEMORY_FROM_CLIENT, &message);

    iso__inbound item = {.event = {.connection = stream->id, .size = (uint32_t)size}};
    if (status == ISO_OK) {
        peer_letter *letter = letter_make(&message);
        if (letter == NULL)
            status = ISO_ERR_MEMORY;
        item.event.kind = ISO_SESSION_EVENT_MESSAGE;
        item.event.message = letter != NULL ? &letter->message : NULL;
        item.block = letter;
    }
    if (status != ISO_OK) {
        item.event.kind = ISO_SESSION_EVENT_BAD_FRAME;
        item.event.status = status;
    }
    if (iso__worker_offer(peers->worker, &item))
        return true;
    free(item.block);
    return hold_back(peers, stream->user);
}

static void on_failed(void *user, iso__stream *stream, iso_status status)
{
    iso__peers *peers = user;
    iso__worker_post(peers->worker, &(iso__inbound){.event = {.kind = ISO_SESSION_EVENT_BAD_FRAME, .connection = stream->id, .status = status}});
}

static void on_queued(void *user, iso__stream *stream, size_t queued)
{
    iso__peers *peers = user;
    iso__inbound item = {.event = {.kind = ISO_SESSION_EVENT_QUEUED, .connection = stream->id, .size = (uint32_t)queued}};
    // Crossing the cap happens once per connection and must arrive; the steps before it are only news.
    if (queued > ISO__STREAM_QUEUED_MAX)
        iso__worker_post(peers->worker, &item);
    else
        iso__worker_offer(peers->worker, &item);
}

static void on_closed(void *user, iso__stream *stream)
{
    iso__peers *peers = user;
    iso__peer *peer = stream->user;
    uint32_t index = (uint32_t)(peer - peers->list);
    peers->totals.bytes_in += stream->bytes_in;
    peers->totals.bytes_out += stream->bytes_out;
    waiting_remove(peers, peer);
    if (peer->welcomed_ns != 0) {
        peers->totals.client_bytes_in += stream->bytes_in;
        peers->totals.client_bytes_out += stream->bytes_out;
        peers->totals.client_ns += iso__clock_now() - peer->welcomed_ns;
    }
    if (peer->paused)
        peers->paused_count--;
    peer->stream = NULL;
    peers->free[peers->free_count++] = index;
    iso__worker_post(peers->worker, &(iso__inbound){.event = {.kind = ISO_SESSION_EVENT_DISCONNECTED, .connection = stream->id}});
}

static iso__buffer *make_full_answer(iso__peers *peers)
{
    iso_message message = {.kind = ISO_MESSAGE_REFUSAL, .as.refusal = {.code = ISO_ERR_SERVER_FULL}};
    const char *text = iso_status_text(ISO_ERR_SERVER_FULL);
    memcpy(message.as.refusal.text, text, strlen(text));
    iso__buffer *buffer = iso__buffer_create(ISO_FRAME_MAX_HELLO);
    uint8_t bytes[ISO_FRAME_MAX_HELLO];
    size_t size = 0;
    if (buffer == NULL || iso_message_encode(&message, peers->decode_memory, ISO_DECODE_MEMORY_FROM_CLIENT, bytes,
                                             sizeof bytes - ISO_FRAME_HEADER_SIZE_MAX, &size) != ISO_OK) {
        iso__buffer_release(buffer);
        return NULL;
    }
    size_t header_size = iso_frame_header_write(buffer->bytes, (uint32_t)size);
    memcpy(buffer->bytes + header_size, bytes, size);
    buffer->size = header_size + size;
    return buffer;
}

int iso__peers_open(iso__peers *peers, uv_loop_t *loop, const struct sockaddr *address, iso__worker *worker)
{
    *peers = (iso__peers){.worker = worker, .oldest = NOBODY, .newest = NOBODY};
    for (uint32_t i = 0; i < ISO__PEER_MAX; i++)
        peers->free[peers->free_count++] = ISO__PEER_MAX - 1 - i;
    peers->decode_memory = malloc(ISO_DECODE_MEMORY_FROM_CLIENT);
    peers->full_answer = peers->decode_memory != NULL ? make_full_answer(peers) : NULL;
    if (peers->full_answer == NULL)
        return UV_ENOMEM;
    iso__stream_handler handler = {on_opened, on_frame, on_failed, on_queued, on_closed, peers};
    // More streams than places: one that was cut is still a stream until the loop's next turn.
    return iso__stream_server_open(&peers->streams, loop, address, 2 * ISO__PEER_MAX, FRAME_TIMEOUT_NS, FINISH_TIMEOUT_NS, &handler);
}

static void deliver_to(iso__peers *peers, const iso__outbound *item, uint64_t connection)
{
    iso__peer *peer = peer_of(peers, connection);
    if (peer == NULL)
        return;
    if (item->welcomes && peer->waiting) {
        waiting_remove(peers, peer);
        peer->welcomed_ns = iso__clock_now();
        peers->totals.welcomed++;
        iso_framer_set_max(&peer->stream->framer, ISO_FRAME_MAX_CLIENT);
    }
    iso__stream_send(peer->stream, item->buffer, item->farewell);
}

bool iso__peers_deliver(iso__peers *peers, iso__outbound *item)
{
    iso__peer *peer;
    switch ((iso__outbound_kind)item->kind) {
    case ISO__OUTBOUND_SEND:
        for (uint32_t i = 0; i < item->connection_count; i++)
            deliver_to(peers, item, item->connections != NULL ? item->connections[i] : item->connection);
        iso__buffer_release(item->buffer);
        free(item->connections);
        return true;
    case ISO__OUTBOUND_CLOSE:
        peer = peer_of(peers, item->connection);
        if (peer != NULL)
            iso__stream_finish(peer->stream);
        return true;
    case ISO__OUTBOUND_COMPRESS:
    case ISO__OUTBOUND_STOPPED:
        break;
    }
    return false;
}

void iso__peers_flush(iso__peers *peers)
{
    iso__stream_server_flush(&peers->streams);
}

void iso__peers_resume(iso__peers *peers)
{
    for (uint32_t i = 0; i < ISO__PEER_MAX && peers->paused_count > 0; i++) {
        iso__peer *peer = &peers->list[i];
        if (peer->stream == NULL || !peer->paused)
            continue;
        peer->paused = false;
        peers->paused_count--;
        iso__stream_resume(peer->stream);
    }
}

void iso__peers_finish(iso__peers *peers)
{
    iso__stream_server_stop(&peers->streams);
    for (iso__stream *stream = peers->streams.first; stream != NULL; stream = stream->next)
        iso__stream_finish(stream);
    iso__peers_flush(peers);
}

void iso__peers_term(iso__peers *peers)
{
    free(peers->decode_memory);
    iso__buffer_release(peers->full_answer);
}
