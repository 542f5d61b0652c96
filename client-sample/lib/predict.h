/// The predicted world: ahead of the confirmed one, corrected when it was wrong.
#ifndef ISO_CLIENT_PREDICT_H
#define ISO_CLIENT_PREDICT_H

#include "state.h"

/// Makes the predicted world beside the confirmed one, once. @return whether there was memory.
bool iso__client_predict_create(iso_client *client);
void iso__client_predict_destroy(iso_client *client);
/// The confirmed world will continue from another state: withdraws what was predicted.
void iso__client_predict_reset(iso_client *client);
/// The confirmed world has stepped this tick: was it predicted so?
void iso__client_predict_confirm(iso_client *client, const iso_message_tick *message);
/// Corrects a wrong prediction and runs up to the target tick of the last input.
void iso__client_predict_advance(iso_client *client);

#endif
