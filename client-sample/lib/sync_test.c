#include "sync_test.h"

#include "actions.h"
#include "end.h"

/// A difference is reported once: from then on the two are different worlds, or a game that counts outside of its state
/// has counted for both.
bool iso__client_sync_test_step(iso_client *client, const iso_tick_input *input) {
    ISO_ASSERT(client->world != 0 && input->tick == iso_world_get_tick(client->world));
    if (client->sync_test_interval == 0 || client->phase != ISO_CLIENT_PHASE_ACTIVE) {
        return true;
    }
    const iso_status status = iso_sync_test_step(&client->sync_test, client->world, input);
    client->stats.sync_test_copies = client->sync_test.copies;
    if (status == ISO_ERR_MEMORY) {
        iso__client_fail(client, ISO_ERR_MEMORY, "there is no memory for the world of the sync test");
        return false;
    }
    if (status != ISO_OK) {
        iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_SYNC_TEST);
        action->status = status;
        action->tick = input->tick;
        action->first_tick = client->sync_test.from;
        action->ours = iso_world_root(client->world);
        action->theirs = client->sync_test.copy != 0 ? iso_world_root(client->sync_test.copy) : 0;
        client->sync_test_interval = 0;
    }
    return true;
}

uint32_t iso_client_sync_test_diff(iso_client *client, iso_diff *diffs, uint32_t capacity) {
    ISO_ASSERT(diffs != 0 || capacity == 0);
    const bool both = client->world != 0 && client->sync_test.copy != 0;
    return both ? iso_world_diff(client->world, client->sync_test.copy, diffs, capacity) : 0;
}
