#include "host/peers/lobby.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/peers/hand_over.h"
#include "host/sessions/worker_inbox.h"
#include "host/watch/log.h"
#include "isostep/proto/codec.h"

#define AUTHENTICATION_TIMEOUT_NS (5ull * ISO__NS_PER_S)
// A session answers a HELLO at once; after this time no answer will come.
#define WELCOME_TIMEOUT_NS (10ull * ISO__NS_PER_S)

// Sessions in one SESSION_LIST; a server with more sends several.
#define LIST_PART_MAX 64u

void iso__peers_strike(iso__peers *peers, const iso__peer *peer, iso_status status) {
    ISO__ASSERT_ON(&peers->io);
    bool is_garbage = status == ISO_ERR_MALFORMED || status == ISO_ERR_FRAME_TOO_LARGE ||
                      status == ISO_ERR_DECODE_BUDGET || status == ISO_ERR_BAD_ENUM || status == ISO_ERR_UNSUPPORTED;
    if (!is_garbage || peer->is_browser || peer->address == ISO__ADDRESS_LIMIT_EXEMPT) {
        return;
    }
    iso__counters_add(peers->config.counters, ISO__COUNTER_ADDRESS_STRIKES, 1);
    if (iso__address_limit_strike(&peers->address_limit, peer->address, iso__clock_now())) {
        iso__log(&(iso__log_about){.level = ISO__LOG_WARNING, .connection = peer->stream->id, .code = status},
                 "its address is refused for %u s: %s", peers->address_limit.config.out_seconds,
                 iso_status_text(status));
    }
}

static iso__buffer *encode(iso__peers *peers, const iso_message *message) {
    iso__buffer *buffer = iso__buffer_create(ISO_FRAME_HEADER_SIZE_MAX + ISO_FRAME_MAX_SERVER);
    size_t size = 0;
    if (buffer == NULL) {
        return NULL;
    }
    if (iso_message_encode(message, peers->encode_memory, ISO_ENCODE_MEMORY_SIZE,
                           buffer->bytes + ISO_FRAME_HEADER_SIZE_MAX, ISO_FRAME_MAX_SERVER, &size) != ISO_OK) {
        iso__buffer_release(buffer);
        return NULL;
    }
    size_t header_size = iso_frame_header_write(buffer->bytes, (uint32_t)size);
    memmove(buffer->bytes + header_size, buffer->bytes + ISO_FRAME_HEADER_SIZE_MAX, size);
    buffer->size = header_size + size;
    return buffer;
}

static iso__buffer *encode_refusal(iso__peers *peers, iso_status status, const char *expected) {
    iso_message message = {.kind = ISO_MESSAGE_REFUSAL, .as.refusal = {.code = status}};
    const char *text = iso_status_text(status);
    memcpy(message.as.refusal.text, text, strlen(text));
    memcpy(message.as.refusal.expected, expected, strnlen(expected, sizeof message.as.refusal.expected - 1));
    iso__counters_add_message(peers->config.counters, &message, 1);
    return encode(peers, &message);
}

void iso__lobby_turn_away(iso__peers *peers, iso__stream *stream, iso_status status, const char *expected) {
    ISO__ASSERT_ON(&peers->io);
    ISO_ASSERT(status != ISO_OK);
    stream->end_status = status;
    iso__buffer *buffer = encode_refusal(peers, status, expected);
    if (buffer != NULL) {
        iso__stream_send(stream, buffer, true);
    }
    iso__buffer_release(buffer);
}

/// Sends the last message of a connection; without memory it is closed without one.
static void answer(iso__peer *peer, iso__buffer *buffer) {
    if (buffer != NULL) {
        iso__stream_send(peer->stream, buffer, true);
    }
    iso__buffer_release(buffer);
    iso__stream_finish(peer->stream);
}

void iso__lobby_refuse(iso__peers *peers, iso__peer *peer, iso_status status, const char *expected) {
    ISO__ASSERT_ON(&peers->io);
    ISO_ASSERT(status != ISO_OK && peer->is_waiting); // who was welcomed is ended by the session
    iso__log(&(iso__log_about){.level = ISO__LOG_INFO, .connection = peer->stream->id, .code = status}, "refused: %s",
             iso_status_text(status));
    iso__peers_strike(peers, peer, status);
    peer->stream->end_status = status;
    answer(peer, encode_refusal(peers, status, expected));
}

/// A client that asks for an unknown name gets the list of those that are not private, as far as it fits.
static void refuse_name(iso__peers *peers, iso__peer *peer) {
    char expected[ISO_EXPECTED_TEXT_MAX + 1] = "";
    size_t fill = 0;
    const iso__directory *directory = peers->config.directory;
    for (uint32_t i = 0; i < directory->count; ++i) {
        const char *name = directory->sessions[i]->name;
        size_t size = strlen(name);
        if (directory->sessions[i]->settings.is_private) {
            continue;
        }
        if (fill + size + 6 > sizeof expected) {
            memcpy(expected + fill, ", ...", 6);
            break;
        }
        memcpy(expected + fill, ", ", fill > 0 ? 2 : 0);
        fill += fill > 0 ? 2 : 0;
        memcpy(expected + fill, name, size + 1);
        fill += size;
    }
    iso__lobby_refuse(peers, peer, ISO_ERR_NO_SESSION, expected);
}

/// Whether the HELLO has the session's password, of which an address may get so many wrong. @param hosted  NULL: there
/// is no such session. That is the same work and the same answer as with the wrong password of a private one.
static bool has_password(iso__peers *peers, const iso__peer *peer, const iso__hosted *hosted,
                         const iso_message_hello *hello) {
    const iso__address *address = &peer->stream->address;
    const uint64_t now = iso__clock_now();
    if (hosted != NULL && !hosted->settings.has_password) {
        return true;
    }
    if (hello->password[0] == '\0' || peers->config.key == NULL) {
        return false;
    }
    const bool may_guess = iso__guess_limit_has(&peers->passwords, address, now);
    const bool is_right =
        iso__settings_is_password(hosted != NULL ? &hosted->settings : NULL, peers->config.key, hello->password);
    if (may_guess & is_right) {
        return true;
    }
    iso__counters_add(peers->config.counters, ISO__COUNTER_PASSWORDS, 1);
    if (may_guess) {
        iso__guess_limit_take(&peers->passwords, address, now);
    }
    return false;
}

/// Whether a member's secret is to be judged instead of a password: the session lets nobody in whose secret is wrong.
/// That a private one exists is told only to who knows its uid, as its members do.
static bool shows_seat(const iso__hosted *hosted, const iso_message_hello *hello) {
    return hello->has_resume && hello->role == ISO_ROLE_PLAYER &&
           (!hosted->settings.is_private ||
            sodium_memcmp(hello->resume.uid, hosted->uid, sizeof hello->resume.uid) == 0);
}

/// @return NULL: it was refused
static iso__hosted *find_session(iso__peers *peers, iso__peer *peer, const iso_message_hello *hello) {
    iso__hosted *hosted = iso__directory_find(peers->config.directory, hello->session);
    const bool may_enter = (hosted != NULL && shows_seat(hosted, hello)) || has_password(peers, peer, hosted, hello);
    if (hosted == NULL || (!may_enter && hosted->settings.is_private)) {
        refuse_name(peers, peer);
        return NULL;
    }
    if (!may_enter) {
        const char *whose = iso__guess_limit_why(&peers->passwords, &peer->stream->address, iso__clock_now());
        char expected[ISO_EXPECTED_TEXT_MAX + 1];
        snprintf(expected, sizeof expected, "it in some seconds: too many wrong ones came from %s", whose);
        iso__lobby_refuse(peers, peer, ISO_ERR_PASSWORD, whose[0] == '\0' ? "" : expected);
        return NULL;
    }
    if (atomic_load(&hosted->closed)) {
        iso__lobby_refuse(peers, peer, ISO_ERR_SESSION_CLOSED, "");
        return NULL;
    }
    return hosted;
}

/// Hands the connection to its session. @return false: not now
static bool enter_session(iso__peers *peers, iso__peer *peer, const iso_message *hello, uint32_t size) {
    iso__hosted *hosted = find_session(peers, peer, &hello->as.hello);
    if (hosted == NULL) {
        return true;
    }
    // Sessions look at what players claim; a spectator has no seat to come back to, and is new whatever it claims.
    const bool comes_back = hello->as.hello.has_resume && hello->as.hello.role == ISO_ROLE_PLAYER;
    if (peers->config.is_draining != NULL && *peers->config.is_draining && !comes_back) {
        iso__lobby_refuse(peers, peer, ISO_ERR_SHUTDOWN, "");
        return true;
    }
    const iso__bans *bans = peers->config.bans;
    if (bans != NULL && hello->as.hello.has_resume &&
        iso__bans_find_seat(bans, &hello->as.hello.resume, (int64_t)time(NULL)) != NULL) {
        iso__counters_add(peers->config.counters, ISO__COUNTER_ADDRESS_BANNED, 1);
        iso__lobby_refuse(peers, peer, ISO_ERR_BANNED, "");
        return true;
    }
    bool is_over =
        hello->as.hello.role == ISO_ROLE_PLAYER && iso__address_limit_is_over(&peers->address_limit, peer->address);
    if (is_over && !hello->as.hello.has_resume) {
        iso__counters_add(peers->config.counters, ISO__COUNTER_ADDRESS_CONNECTIONS, 1);
        char why[ISO__ADDRESS_LIMIT_TEXT_MAX];
        iso__address_limit_explain(&peers->address_limit, ISO__ADDRESS_LIMIT_CONNECTIONS, &peer->stream->address,
                                   iso__clock_now(), why);
        iso__lobby_refuse(peers, peer, ISO_ERR_ADDRESS_LIMIT, why);
        return true;
    }
    uint64_t origin = iso__address_limit_origin(&peers->address_limit, peer->address);
    // Only the session knows which slot it resumes.
    iso__inbound opened = {
        .hosted = hosted,
        .event = {.kind = ISO_SESSION_EVENT_OPENED,
                  .connection = peer->stream->id,
                  .origin = origin,
                  .is_origin_full = is_over},
    };
    if (!iso__worker_offer(hosted->worker, &opened, true)) {
        // The session's queue is full: its members come first.
        iso__lobby_refuse(peers, peer, ISO_ERR_SERVER_FULL, "");
        return true;
    }
    peer->hosted = hosted;
    peer->is_spectator = hello->as.hello.role == ISO_ROLE_SPECTATOR;
    ++hosted->peer_count;
    return iso__peers_hand_over(peers, peer, ISO_OK, hello, size);
}

static void send_list(iso__peers *peers, iso__peer *peer, iso_session_info *infos, uint32_t count) {
    iso_message message = {.kind = ISO_MESSAGE_SESSION_LIST, .as.session_list = {.sessions = infos, .count = count}};
    iso__buffer *buffer = encode(peers, &message);
    if (buffer != NULL) {
        iso__stream_send(peer->stream, buffer, false);
    }
    iso__buffer_release(buffer);
}

/// Answers LIST, with an empty one if there is no session to show; the connection ends.
static void list_sessions(iso__peers *peers, iso__peer *peer) {
    iso_session_info infos[LIST_PART_MAX];
    uint32_t count = 0;
    bool is_answered = false;
    const iso__directory *directory = peers->config.directory;
    for (uint32_t i = 0; i < directory->count; ++i) {
        if (directory->by_name[i]->settings.is_private) {
            continue;
        }
        iso__hosted_get_info(directory->by_name[i], &infos[count++]);
        if (count < LIST_PART_MAX) {
            continue;
        }
        send_list(peers, peer, infos, count);
        is_answered = true;
        count = 0;
    }
    if (count > 0 || !is_answered) {
        send_list(peers, peer, infos, count);
    }
    iso__stream_finish(peer->stream);
}

bool iso__lobby_take(iso__peers *peers, iso__peer *peer, iso_status status, const iso_message *message, uint32_t size) {
    ISO__ASSERT_ON(&peers->io);
    ISO_ASSERT(peer->hosted == NULL && peer->is_waiting); // a newcomer
    if (status != ISO_OK) {
        iso__lobby_refuse(peers, peer, status, status == ISO_ERR_STATE ? "a HELLO or LIST as the first message" : "");
        return true;
    }
    if (message->kind == ISO_MESSAGE_HELLO) {
        return enter_session(peers, peer, message, size);
    }
    list_sessions(peers, peer);
    return true;
}

void iso__lobby_check(iso__peers *peers) {
    ISO__ASSERT_ON(&peers->io);
    iso__log_flush(iso__clock_now());
    uint64_t now = iso__clock_now();
    if (iso__stops_give_grace(&peers->stops, now, ISO__LOBBY_INTERVAL_MS * ISO__NS_PER_MS)) {
        return;
    }
    for (uint32_t i = peers->oldest, next; i != UINT32_MAX; i = next) {
        iso__peer *peer = &peers->list[i];
        next = peer->next;
        uint64_t patience = peer->hosted != NULL ? WELCOME_TIMEOUT_NS : AUTHENTICATION_TIMEOUT_NS;
        if (now - peer->opened_ns <= AUTHENTICATION_TIMEOUT_NS) {
            return;
        }
        if (now - peer->opened_ns > patience && peer->stream->state == ISO__STREAM_OPEN) {
            iso__lobby_refuse(peers, peer, ISO_ERR_TIMEOUT, "");
        }
    }
}
