#include "state.h"

iso_client_action *iso__client_action_push(iso_client *client, uint8_t kind) {
    ISO_ASSERT(client->action_count < ISO__CLIENT_ACTIONS_MAX);
    iso__client_pending *pending = &client->actions[client->action_count];
    client->action_count += 1;
    pending->action = (iso_client_action){.kind = kind, .slot = ISO_SLOT_NONE};
    return &pending->action;
}

iso_message *iso__client_action_push_message(iso_client *client, uint8_t kind) {
    ISO_ASSERT(kind == ISO_MESSAGE_HELLO || iso__client_is_connected(client));
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_SEND);
    iso_message *message = &client->actions[client->action_count - 1].message;
    __builtin_memset(message, 0, sizeof(*message));
    message->kind = kind;
    action->message = message;
    return message;
}

bool iso__client_text_copy(char *to, size_t capacity, const char *from) {
    ISO_ASSERT(to != 0 && capacity > 0);
    size_t length = 0;
    while (from != 0 && from[length] != 0 && length + 1 < capacity) {
        to[length] = from[length];
        length += 1;
    }
    const bool fitted = from == 0 || from[length] == 0;
    while (length < capacity) {
        to[length] = 0;
        length += 1;
    }
    return fitted;
}

bool iso__client_text_append(char *to, size_t capacity, const char *from) {
    ISO_ASSERT(to != 0 && capacity > 0);
    size_t length = 0;
    while (length + 1 < capacity && to[length] != 0) {
        length += 1;
    }
    return iso__client_text_copy(to + length, capacity - length, from);
}

void iso__client_end(iso_client *client, iso_status status, const char *text, const char *expected, bool close) {
    ISO_ASSERT(iso__client_fits(client));
    if (client->phase == ISO_CLIENT_PHASE_ENDED) {
        return;
    }
    iso__client_spare_drop(client);
    client->phase = ISO_CLIENT_PHASE_ENDED;
    client->clock.is_running = false;
    iso__client_text_copy(client->text, sizeof(client->text), text); // which may be the client's text itself
    iso__client_text_copy(client->expected, sizeof(client->expected), expected);
    if (close) {
        (void)iso__client_action_push(client, ISO_CLIENT_ACTION_CLOSE);
    }
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_ENDED);
    action->status = status;
    action->text = client->text;
    action->expected = client->expected;
}

void iso__client_fail(iso_client *client, iso_status status, const char *text) {
    ISO_ASSERT(status != ISO_OK && text != 0);
    iso__client_end(client, status, text, 0, true);
}

bool iso_client_next_action(iso_client *client, iso_client_action *action) {
    ISO_ASSERT(client->action_taken <= client->action_count && client->action_count <= ISO__CLIENT_ACTIONS_MAX);
    if (client->action_taken == client->action_count) {
        return false;
    }
    *action = client->actions[client->action_taken].action;
    client->action_taken += 1;
    return true;
}

bool iso__client_text_equal(const char *a, const char *b) {
    ISO_ASSERT(a != 0 && b != 0);
    while (*a != 0 && *a == *b) {
        a += 1;
        b += 1;
    }
    return *a == *b;
}
