/// Commands of members that wait for their tick.
#ifndef ISO_SESSION_COMMANDS_H
#define ISO_SESSION_COMMANDS_H

#include "state.h"

void iso__commands_reset(iso_session *session, iso__member *member);
/// Appends a command that may be sealed. @param units  its price
void iso__commands_push(iso__member *member, uint64_t sequence, uint64_t target, uint32_t units,
                        const iso_command *command);
/// Takes from all queues what is due in `tick`, sorted by (slot, sequence). @return how many commands.
/// session->canonical then has their bytes
uint32_t iso__commands_take(iso_session *session, uint64_t tick, iso_sealed_command *commands);

#endif
