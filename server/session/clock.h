/// The session's clock: when ticks are due, and when the session gives up catching up.
#ifndef ISO_SESSION_CLOCK_H
#define ISO_SESSION_CLOCK_H

#include "state.h"

void iso__clock_start(iso_session *session, uint64_t now_ns);
/// Ticks whose deadline has passed, counted as the last one's number.
uint64_t iso__clock_tick(const iso_session *session, uint64_t *fraction_q8);
/// Slips when more ticks are overdue than may be caught up.
void iso__clock_limit(iso_session *session);
/// How long before its sealing a tick is now [1/256 tick], negative afterwards.
int32_t iso__clock_margin_q8(const iso_session *session, uint64_t tick);

#endif
