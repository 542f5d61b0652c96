#include "host/peers/frames.h"

#include <sodium.h>
#include <string.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/peers/hand_over.h"
#include "host/peers/lobby.h"
#include "host/sessions/worker_inbox.h"
#include "host/watch/log.h"
#include "isostep/proto/codec.h"

/// Whether this is the beginning of an HTTP request or of TLS, whose first byte was taken for the size. A foreign page
/// makes whoever visits it send that, and the visitor must not lose the server by it.
static bool is_of_browser(const uint8_t *bytes, size_t size) {
    static const char *const methods[] = {"GET ", "POST ", "HEAD ", "PUT ", "OPTIONS ", "DELETE ", "PATCH "};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; ++i) {
        if (size == (size_t)methods[i][0] && memcmp(bytes, methods[i] + 1, strlen(methods[i] + 1)) == 0) {
            return true;
        }
    }
    // A record of a handshake, version 3, that begins with a client's hello.
    return size == 0x16 && bytes[0] == 3 && bytes[4] == 1;
}

/// Whether a peer in this state may send a message of this kind; if not, the connection ends with STATE, and what the
/// message says does not matter. A peer behaves by what it was sent: an INPUT comes after ACTIVATE.
static bool may_send(const iso__peer *peer, uint8_t kind) {
    if (peer->hosted == NULL) {
        return kind == ISO_MESSAGE_HELLO || kind == ISO_MESSAGE_LIST;
    }
    if (!peer->has_greeted) {
        return kind == ISO_MESSAGE_HELLO;
    }
    switch (kind) {
    case ISO_MESSAGE_INPUT:
        return peer->is_activated;
    case ISO_MESSAGE_PING:
    case ISO_MESSAGE_CONFIRM:
    case ISO_MESSAGE_SNAPSHOT_ACK:
    case ISO_MESSAGE_CAUGHT_UP:
    case ISO_MESSAGE_REWIND_ANSWER:
    case ISO_MESSAGE_LEAVE:
    case ISO_MESSAGE_DESYNC_REPORT:
        return true;
    default:
        return false;
    }
}

static bool charge(iso__peers *peers, iso__peer *peer, uint32_t units) {
    const uint32_t per_second = peers->config.bytes_per_second;
    if (per_second == 0 ||
        iso__io_budget_take(&peer->budget, iso__clock_now(), per_second, peer->stream->bytes_in, units)) {
        return true;
    }
    iso__counters_add(peers->config.counters, ISO__COUNTER_WORK, 1);
    iso__log(&(iso__log_about){.level = ISO__LOG_INFO, .connection = peer->stream->id, .code = ISO_ERR_RATE},
             "refused: it has used up its work on the I/O thread, which --input-bytes sets");
    return false;
}

static iso_status decode(iso__peers *peers, iso__peer *peer, const uint8_t *bytes, size_t size, iso_message *message) {
    iso_decode_limits limits = iso_decode_limits_from_client();
    const uint8_t kind = iso_message_peek(bytes, size, &limits);
    if (!charge(peers, peer, ISO__IO_BUDGET_FRAME)) {
        return ISO_ERR_RATE;
    }
    if (kind != 0 && !may_send(peer, kind)) {
        return ISO_ERR_STATE;
    }
    // Of a spectator's commands the session says only that it may send none.
    if (peer->is_spectator) {
        limits.commands = ISO_DECODE_COMMANDS_COUNTED;
    }
    const iso_status status =
        iso_message_decode(bytes, size, &limits, peers->decode_memory, ISO_DECODE_MEMORY_FROM_CLIENT, message);
    return status != ISO_OK || charge(peers, peer, iso__peers_count_commands(message) * ISO__IO_BUDGET_COMMAND)
               ? status
               : ISO_ERR_RATE;
}

/// Whether the session ends a connection for this: nothing that follows in the stream matters then.
static bool is_final(iso_status status) {
    return status != ISO_OK && status != ISO_ERR_UNSUPPORTED && status != ISO_ERR_RANGE && status != ISO_ERR_BAD_ENUM &&
           status != ISO_ERR_GEOMETRY;
}

/// Nothing to do: the loop must not sleep while peers wait for its next turn.
static void on_idle(uv_idle_t *idle) {
    (void)idle;
}

/// The peer goes on in the loop's next turn, which comes at once.
static void resume_later(iso__peers *peers, const iso__peer *peer) {
    peers->later[peers->later_count++] = (uint32_t)(peer - peers->list);
    uv_idle_start(&peers->idle, on_idle);
}

void iso__peers_resume_due(iso__peers *peers) {
    ISO__ASSERT_ON(&peers->io);
    ISO_ASSERT(peers->later_count <= peers->peer_max);
    const uint32_t count = peers->later_count;
    uint32_t list[ISO__PEER_MAX];
    memcpy(list, peers->later, count * sizeof list[0]);
    peers->later_count = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (peers->list[list[i]].stream != NULL) {
            iso__stream_resume(peers->list[list[i]].stream);
        }
    }
    if (peers->later_count == 0) {
        uv_idle_stop(&peers->idle);
    }
}

/// Lets a peer that has had its share of this turn of the loop wait for the next one. @return whether it has to
static bool wait_for_turn(iso__peers *peers, iso__peer *peer) {
    if (peer->frames_turn != peers->turn) {
        peer->frames_turn = peers->turn;
        peer->frames = 0;
    }
    if (peer->frames < ISO__PEER_FRAMES_MAX || peers->later_count == peers->peer_max) {
        ++peer->frames;
        return false;
    }
    iso__counters_add(peers->config.counters, ISO__COUNTER_FRAMES, 1);
    resume_later(peers, peer);
    return true;
}

/// Nothing of a password or of a seat's secret stays in what is used again for other messages. @param is_taken  the
/// frame is not offered again
static void forget_hello(iso__peers *peers, iso__peer *peer, iso_message *message, bool is_taken) {
    sodium_memzero(message, sizeof *message);
    sodium_memzero(peers->decode_memory, ISO_DECODE_MEMORY_FROM_CLIENT);
    if (is_taken && peer->stream != NULL) {
        iso__stream_forget(peer->stream);
    }
}

static bool take_decoded(iso__peers *peers, iso__peer *peer, iso_status status, const iso_message *message,
                         const uint8_t *bytes, size_t size) {
    peer->is_browser = status != ISO_OK && peer->hosted == NULL && is_of_browser(bytes, size);
    if (peer->hosted == NULL) {
        return iso__lobby_take(peers, peer, status, message, (uint32_t)size);
    }
    if (!is_final(status)) {
        return iso__peers_hand_over(peers, peer, status, message, (uint32_t)size);
    }
    iso__stream_fail(peer->stream, status);
    return true;
}

bool iso__peers_take_frame(iso__peers *peers, iso__peer *peer, const uint8_t *bytes, size_t size) {
    ISO__ASSERT_ON(&peers->io);
    ISO_ASSERT(peer->stream->state == ISO__STREAM_OPEN);
    iso_message message;
    if (wait_for_turn(peers, peer)) {
        return false;
    }
    // Before it is decoded: a peer that waits is offered the same frame again and again.
    if (peer->hosted != NULL && !iso__worker_has_room(peer->hosted)) {
        return iso__peers_hold_back(peers, peer);
    }
    const iso_status status = decode(peers, peer, bytes, size, &message);
    const iso_decode_limits limits = iso_decode_limits_from_client();
    // One that is wrong, or that comes too late, has as much in it.
    const bool is_hello = status == ISO_OK && message.kind == ISO_MESSAGE_HELLO;
    const bool is_secret = status == ISO_OK
                               ? is_hello && (message.as.hello.password[0] != '\0' || message.as.hello.has_resume)
                               : peer->hosted == NULL || iso_message_peek(bytes, size, &limits) == ISO_MESSAGE_HELLO;
    const bool is_taken = take_decoded(peers, peer, status, &message, bytes, size);
    if (is_secret) {
        forget_hello(peers, peer, &message, is_taken);
    }
    return is_taken;
}
