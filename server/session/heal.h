/// What follows a desync, by the session's policy.
#ifndef ISO_SESSION_HEAL_H
#define ISO_SESSION_HEAL_H

#include "state.h"

/// A peer reports a desync, but its root of the tick is right: the root that it compared with must have been wrong.
void iso__heal_doubt(iso_session *session, iso__connection *connection, uint64_t tick, uint64_t root);
/// A peer's root of a tick is wrong: applies the session's policy.
void iso__heal_desync(iso_session *session, iso__connection *connection, uint64_t tick, uint64_t expected,
                      uint64_t actual);

#endif
