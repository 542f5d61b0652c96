#include "actions.h"

#include "invariants.h"

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

bool iso_client_next_action(iso_client *client, iso_client_action *action) {
    ISO_ASSERT(client->action_taken <= client->action_count && client->action_count <= ISO__CLIENT_ACTIONS_MAX);
    if (client->action_taken == client->action_count) {
        return false;
    }
    *action = client->actions[client->action_taken].action;
    client->action_taken += 1;
    return true;
}
