/// The messages that several files send.
#ifndef ISO_SESSION_OUTBOX_H
#define ISO_SESSION_OUTBOX_H

#include "state.h"

/// A sealed tick with its commands as structs: as they were sealed, or from the ring.
const iso_tick_input *iso__outbox_load_tick(iso_session *session, uint64_t tick);
/// Makes the session's message that of a sealed tick.
void iso__outbox_fill_tick(iso_session *session, uint64_t tick);
/// Makes the action one that sends the session's message, of this kind.
void iso__outbox_send(iso_session *session, iso_session_action *action, const uint64_t *connections, uint32_t count,
                      iso_message_kind kind);

#endif
