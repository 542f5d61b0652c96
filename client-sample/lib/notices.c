#include "notices.h"

#include "actions.h"
#include "clock.h"
#include "ticks.h"

void iso__client_notices_desync(iso_client *client, const iso_message_desync_notice *notice) {
    ISO_ASSERT(client->is_welcomed && client->welcome.tick_rate_hz > 0);
    // The answer to its own report says nothing new of the roots.
    if (!client->has_desynced) {
        iso__client_ticks_desync(client, notice->tick, notice->actual_root, notice->expected_root);
    }
    client->report_ns = 0;
    client->is_healing = notice->action == ISO_DESYNC_HEAL;
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_DESYNC_ANSWER);
    action->tick = notice->tick;
    action->desync_action = notice->action;
}

/// The server's clock continues after a pause: its estimate is discarded and measured again.
static void clock_ask_again(iso_client *client) {
    iso__client_clock_init(&client->clock, client->welcome.tick_rate_hz, client->lead_ticks);
    client->pong_count = 0;
    client->is_ping_out = false;
    client->ping_due_ns = client->now_ns;
}

void iso__client_notices_people(iso_client *client, const iso_message_notice *notice) {
    ISO_ASSERT(client->is_welcomed);
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_NOTICE);
    action->text = notice->text;
    action->deadline_ms = notice->deadline_ms;
}

void iso__client_notices_state(iso_client *client, const iso_message_state_notice *notice) {
    ISO_ASSERT(client->is_welcomed && client->welcome.tick_rate_hz > 0);
    client->welcome.state = notice->state;
    client->welcome.late_policy = notice->late_policy;
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_STATE);
    action->tick = notice->tick;
    action->status = notice->code;
    if (notice->state == ISO_SESSION_PAUSED) {
        client->is_paused = true;
        client->clock.is_running = false;
    } else if (client->is_paused) {
        client->is_paused = false;
        clock_ask_again(client);
    }
}
