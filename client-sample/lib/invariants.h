/// What always holds, for assertions.
#ifndef ISO_CLIENT_INVARIANTS_H
#define ISO_CLIENT_INVARIANTS_H

#include "state.h"

/// What has left and what waits have room in the ring together, and no more is out than can be remembered.
static inline bool iso__client_input_fits(const iso__client_input *input) {
    return input->first < ISO__CLIENT_RING_SIZE && input->sent_count <= ISO__CLIENT_FLIGHT_MAX &&
           input->sent_count + input->waiting_count <= ISO__CLIENT_RING_SIZE;
}

static inline bool iso__client_fits(const iso_client *client) {
    return client->phase <= ISO_CLIENT_PHASE_AWAY && client->action_taken <= client->action_count &&
           client->action_count <= ISO__CLIENT_ACTIONS_MAX && iso__client_input_fits(&client->input);
}

/// Who may not reconnect tries nothing.
static inline bool iso__client_spare_fits(const iso_client *client) {
    return client->spare.state <= ISO__CLIENT_SPARE_ANSWERING &&
           (client->spare.state == ISO__CLIENT_SPARE_NONE || client->reconnect_ns > 0);
}

/// Messages can leave, and have a server.
static inline bool iso__client_is_connected(const iso_client *client) {
    return client->phase >= ISO_CLIENT_PHASE_HELLO && client->phase <= ISO_CLIENT_PHASE_ACTIVE;
}

/// The world, if there is one, is where the client says that it is.
static inline bool iso__client_is_at_tick(const iso_client *client) {
    return client->world == 0 || iso_world_get_tick(client->world) == client->tick;
}

#endif
