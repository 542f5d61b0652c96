/// The stages of a joiner and of one that comes back or is healed: WELCOME, a snapshot, the ticks since.
#ifndef ISO_SESSION_STAGE_H
#define ISO_SESSION_STAGE_H

#include "state.h"

/// Whether the member still has a state to continue from. A page that was loaded anew, say, has kept its secret alone.
bool iso__stage_has_state(const iso_resume *resume);
/// WELCOME is next.
void iso__stage_welcome(iso__connection *connection);
/// The ticks after `tick` are next.
void iso__stage_catch_up(iso_session *session, iso__connection *connection, uint64_t tick);
/// A snapshot is next.
void iso__stage_image(iso_session *session, iso__connection *connection);

#endif
