#include "end.h"

#include "actions.h"
#include "invariants.h"
#include "text.h"

void iso__client_end_spare(iso_client *client) {
    ISO_ASSERT(iso__client_spare_fits(client));
    iso__client_spare *spare = &client->spare;
    if (spare->state == ISO__CLIENT_SPARE_ANSWERING) {
        spare->given_up_ns = client->now_ns;
    }
    if (spare->state != ISO__CLIENT_SPARE_NONE) {
        (void)iso__client_action_push(client, ISO_CLIENT_ACTION_TRY_END);
    }
    spare->state = ISO__CLIENT_SPARE_NONE;
    spare->due_ns = 0;
    spare->tries = 0;
}

void iso__client_end(iso_client *client, iso_status status, const char *text, const char *expected, bool close) {
    ISO_ASSERT(iso__client_fits(client));
    if (client->phase == ISO_CLIENT_PHASE_ENDED) {
        return;
    }
    iso__client_end_spare(client);
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
