#include "reading.h"

#include "clock.h"

iso_client_phase iso_client_get_phase(const iso_client *client) {
    ISO_ASSERT(client->phase <= ISO_CLIENT_PHASE_AWAY);
    return client->phase;
}

const iso_message_welcome *iso_client_welcome(const iso_client *client) {
    ISO_ASSERT(!client->is_welcomed || client->welcome.tick_rate_hz > 0);
    return client->is_welcomed ? &client->welcome : 0;
}

const iso_world *iso_client_world(const iso_client *client) {
    ISO_ASSERT(client->world == 0 || client->verify);
    return client->world;
}

bool iso__client_reading_is_predicted(const iso_client *client) {
    ISO_ASSERT(client->predict == 0 || client->predict->state <= ISO__CLIENT_PREDICT_WRONG);
    const iso__client_predict *predict = client->predict;
    return predict != 0 && predict->state != ISO__CLIENT_PREDICT_BEHIND && predict->tick >= client->tick;
}

const iso_world *iso_client_predicted_world(const iso_client *client) {
    ISO_ASSERT(client->predict == 0 || (client->predict->world != 0 && client->world != 0));
    const bool is_predicted = client->phase == ISO_CLIENT_PHASE_ACTIVE && iso__client_reading_is_predicted(client);
    return is_predicted ? client->predict->world : client->world;
}

uint64_t iso_client_tick(const iso_client *client) {
    ISO_ASSERT(client->tick < ISO_TICK_END);
    return client->tick;
}

uint64_t iso_client_root(const iso_client *client) {
    ISO_ASSERT(client->world == 0 || client->verify);
    return client->world != 0 ? client->roots[client->tick % ISO__CLIENT_ROOTS_MAX] : 0;
}

uint8_t iso_client_slot(const iso_client *client) {
    ISO_ASSERT(client->stats.first_tick == 0 || client->is_welcomed);
    return client->stats.first_tick != 0 ? client->activation.slot : ISO_SLOT_NONE;
}

iso_body_id iso_client_player_body(const iso_client *client) {
    ISO_ASSERT(client->world == 0 || client->verify);
    const uint8_t slot = iso_client_slot(client);
    return client->world != 0 && slot != ISO_SLOT_NONE ? iso_world_get_player_body(client->world, slot)
                                                       : (iso_body_id){0, 0};
}

void iso_client_get_stats(const iso_client *client, iso_client_stats *stats) {
    ISO_ASSERT(stats != 0 && client->stats.commands_sent <= client->stats.inputs_sent * ISO__CLIENT_INPUT_COMMANDS);
    *stats = client->stats;
    stats->rtt_ns = client->clock.rtt_ns;
    stats->rtt_min_ns = iso__client_clock_rtt_min(&client->clock);
    stats->server_tick_q8 = iso__client_clock_server_q8(&client->clock, client->now_ns);
    stats->clock_jumps = client->clock.jumps;
    stats->predicted_tick = iso__client_reading_is_predicted(client) ? client->predict->tick : client->tick;
}

iso_status iso_client_flip(iso_client *client) {
    ISO_ASSERT(client->world == 0 || client->verify);
    return client->world != 0 ? iso_world_flip_bit(client->world) : ISO_ERR_STATE;
}
