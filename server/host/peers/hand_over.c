#include "host/peers/hand_over.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "base/affinity.h"
#include "host/peers/member_name.h"
#include "host/sessions/worker_inbox.h"

/// A decoded message, followed by the commands that it points to.
typedef struct peer_letter {
    iso_message message;
    iso_command commands[];
} peer_letter;

_Static_assert(sizeof(peer_letter) + ISO_INPUT_COMMANDS_MAX * sizeof(iso_command) <= ISO__HOSTED_BLOCK_MAX,
               "an INPUT with all commands fits into a session's share");

uint32_t iso__peers_count_commands(const iso_message *message) {
    ISO_ASSERT(message->kind != 0);
    const bool has_any = message->kind == ISO_MESSAGE_INPUT && message->as.input.commands != NULL;
    return has_any ? message->as.input.command_count : 0;
}

static peer_letter *letter_make(const iso_message *message, uint32_t *size) {
    const uint32_t count = iso__peers_count_commands(message);
    *size = (uint32_t)(sizeof(peer_letter) + count * sizeof(iso_command));
    peer_letter *copy = malloc(*size);
    if (copy == NULL) {
        return NULL;
    }
    copy->message = *message;
    if (count > 0) {
        memcpy(copy->commands, message->as.input.commands, count * sizeof copy->commands[0]);
        copy->message.as.input.commands = copy->commands;
    }
    if (message->kind == ISO_MESSAGE_HELLO) {
        iso__member_name_clean(copy->message.as.hello.member);
        // The lobby has judged it.
        sodium_memzero(copy->message.as.hello.password, sizeof copy->message.as.hello.password);
    }
    return copy;
}

bool iso__peers_hold_back(iso__peers *peers, iso__peer *peer) {
    ISO__ASSERT_ON(&peers->io);
    iso__counters_add(peers->config.counters, ISO__COUNTER_HELD_BACK, 1);
    if (!peer->is_paused) {
        ++peers->paused_count;
    }
    peer->is_paused = true;
    return false;
}

/// Whether the message wakes the worker. An INPUT or CONFIRM waits for the next tick, unless the clock waits for
/// members.
static bool is_urgent(const iso__peer *peer, const iso_message *message) {
    return peer->hosted->is_strict || (message->kind != ISO_MESSAGE_INPUT && message->kind != ISO_MESSAGE_CONFIRM);
}

bool iso__peers_hand_over(iso__peers *peers, iso__peer *peer, iso_status status, const iso_message *message,
                          uint32_t size) {
    ISO__ASSERT_ON(&peers->io);
    ISO_ASSERT(peer->hosted != NULL && peer->stream != NULL && (status != ISO_OK || message != NULL)); // it is admitted
    iso__inbound item = {.hosted = peer->hosted, .event = {.connection = peer->stream->id, .size = size}};
    if (status == ISO_OK) {
        peer_letter *letter = letter_make(message, &item.block_size);
        if (letter == NULL) {
            status = ISO_ERR_MEMORY;
            iso__counters_add(peers->config.counters, ISO__COUNTER_NO_MEMORY, 1);
        }
        item.event.kind = ISO_SESSION_EVENT_MESSAGE;
        item.event.message = letter != NULL ? &letter->message : NULL;
        item.block = letter;
    }
    if (status != ISO_OK) {
        item.event.kind = ISO_SESSION_EVENT_BAD_FRAME;
        item.event.status = status;
    }
    if (iso__worker_offer(peer->hosted->worker, &item, status != ISO_OK || is_urgent(peer, message))) {
        peer->has_greeted = true;
        return true;
    }
    iso__inbound_free(&item);
    return iso__peers_hold_back(peers, peer);
}
