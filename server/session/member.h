/// Members: how a slot is reserved, taken, held and given back.
#ifndef ISO_SESSION_MEMBER_H
#define ISO_SESSION_MEMBER_H

#include "state.h"

/// Reserves the slot for the connection; its JOIN follows when it is activated.
void iso__member_reserve(iso_session *session, uint8_t slot, iso__connection *connection);
/// The member is present, from the next tick on.
void iso__member_enter(iso_session *session, iso__connection *connection);
/// Its connection has ended: the slot is held, or released.
void iso__member_lose(iso_session *session, iso__connection *connection, iso_status status);
/// LEAVE goes into the next tick; the slot can be reserved at once.
void iso__member_leave(iso_session *session, uint8_t slot, iso_status status);
/// The host was away until now: who wanted to come back could not, and has a grace to do it.
void iso__member_forgive_all(iso_session *session, uint64_t now_ns);
/// Releases held slots whose time is over.
void iso__member_expire(iso_session *session);
/// Changes of held slots that the host has not been told of, one after the other. @param origin  receives whose
iso__hold iso__member_find_hold(iso_session *session, uint64_t *origin);
/// @return UINT64_MAX: no slot is held
uint64_t iso__member_deadline(const iso_session *session);
/// The changes of the next tick, in their order. @return how many
uint32_t iso__member_changes(const iso_session *session, iso_change *changes);
/// Updates the members' states to the changes that the world has now taken.
void iso__member_apply_changes(iso_session *session);
/// Records what has become of the slot.
void iso__member_record(iso_session *session, uint8_t slot, iso_recording_event_kind kind);
/// Sets the members from the world's slots: all are held.
void iso__member_read_slots(iso_session *session);

#endif
