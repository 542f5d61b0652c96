/// A second world, continued from the own snapshot.
#ifndef ISO_CLIENT_SYNC_TEST_H
#define ISO_CLIENT_SYNC_TEST_H

#include "state.h"

/// The confirmed world has stepped this tick. @return false when the client was ended.
bool iso__client_sync_test_step(iso_client *client, const iso_tick_input *input);

#endif
