/// The events of a recording, for dump.
#ifndef ISO_REPLAY_DUMP_EVENTS_H
#define ISO_REPLAY_DUMP_EVENTS_H

#include "replay.h"

/// Writes a line for each event of the ticks `from` to `to`, of which `from` is none beyond the recording.
/// @param has_sleep  also for bodies and joints that fell asleep or woke
/// @return the exit code
int iso__replay_dump_events(const iso_recording *recording, uint64_t from, uint64_t to, bool has_contacts,
                            bool has_sleep, bool json);

#endif
