/// The functions that the session's files share. Called by server/session only.
#ifndef ISO_SESSION_STATE_H
#define ISO_SESSION_STATE_H

#include <string.h> // memcpy, memset, memcmp; nothing else of a C library

#include "invariants.h"
#include "types.h"

// config.c

bool iso__config_is_good(const iso_session_config *config);

// reading.c

iso_session_state iso__reading_get_state(const iso_session *session);
/// The last tick that may be sent: later ones wait for the recorder's report.
uint64_t iso__reading_open_tick(const iso_session *session);

// clock.c

void iso__clock_start(iso_session *session, uint64_t now_ns);
/// Ticks whose deadline has passed, counted as the last one's number.
uint64_t iso__clock_tick(const iso_session *session, uint64_t *fraction_q8);
/// Slips when more ticks are overdue than may be caught up.
void iso__clock_limit(iso_session *session);
/// How long before its sealing a tick is now [1/256 tick], negative afterwards.
int32_t iso__clock_margin_q8(const iso_session *session, uint64_t tick);

// bucket.c

/// Takes `cost` tokens from a bucket of `burst` tokens that gains `per_second` a second.
/// @return false when there are fewer; nothing is taken then
bool iso__bucket_take(iso__bucket *bucket, uint64_t now_ns, uint32_t per_second, uint32_t burst, uint32_t cost);
iso__bucket iso__bucket_full(uint64_t now_ns, uint32_t per_second, uint32_t burst);
/// Counts one more. @return false when the limit is reached
bool iso__strikes_add(iso__strikes *strikes, uint64_t now_ns);

// ring.c

void iso__ring_init(iso__ring *ring, uint64_t first_tick);
void iso__ring_append(iso__ring *ring, const iso_tick_input *input, uint64_t root);
/// @return false when the tick is no longer kept, or not yet
bool iso__ring_read(const iso__ring *ring, uint64_t tick, iso_change *changes, iso_sealed_command *commands,
                    iso_tick_input *input);
bool iso__ring_root(const iso__ring *ring, uint64_t tick, uint64_t *root);
/// Whether any next tick can be appended without dropping this one, which is kept now.
bool iso__ring_spares(const iso__ring *ring, uint64_t tick);

// image.c

/// An image that a joiner can start from: an existing one that is recent enough, else a new one.
/// @return its index, or UINT8_MAX when the joiner has to wait
uint8_t iso__image_find(iso_session *session);
/// Takes a keyframe when one is due and there is room. The first one is due at once.
void iso__image_take_keyframe(iso_session *session);
void iso__image_encoded(iso_session *session, uint64_t tick, const uint8_t *bytes, size_t size);
/// Releases the memory of images that are no longer needed.
void iso__image_let_go(iso_session *session);
void iso__image_release(iso_session *session, iso__image *image);

// commands.c

void iso__commands_reset(iso_session *session, iso__member *member);
/// Appends a command that may be sealed. @param units  its price
void iso__commands_push(iso__member *member, uint64_t sequence, uint64_t target, uint32_t units,
                        const iso_command *command);
/// Takes from all queues what is due in `tick`, sorted by (slot, sequence). @return how many commands
uint32_t iso__commands_take(iso_session *session, uint64_t tick, iso_sealed_command *commands);

// inbox.c

void iso__inbox_input(iso_session *session, iso__connection *connection, const iso_message_input *input);

// stage.c

/// Whether the member still has a state to continue from. A page that was loaded anew, say, has kept its secret alone.
bool iso__stage_has_state(const iso_resume *resume);
/// WELCOME is next.
void iso__stage_welcome(iso__connection *connection);
/// The ticks after `tick` are next.
void iso__stage_catch_up(iso_session *session, iso__connection *connection, uint64_t tick);
/// A snapshot is next.
void iso__stage_image(iso_session *session, iso__connection *connection);

// join.c

void iso__join_hello(iso_session *session, iso__connection *connection, const iso_message_hello *hello);
void iso__join_ack(iso_session *session, iso__connection *connection, uint32_t index);
void iso__join_caught_up(iso_session *session, iso__connection *connection, const iso_message_caught_up *caught_up);
/// Advances a joiner when it can: from waiting to its chunks, from the last tick to membership.
void iso__join_advance(iso_session *session, iso__connection *connection);

// member.c

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

// round_trip.c

/// A tick was sent to one that is up to date, and what it has acknowledged has changed: for the time of a round trip.
void iso__round_trip_sent(const iso_session *session, iso__connection *connection, uint64_t tick);
void iso__round_trip_acked(const iso_session *session, iso__connection *connection);

// moderate.c

/// KICK and NOTICE.
void iso__moderate_kick(iso_session *session, const iso_session_event *event);
void iso__moderate_tell(iso_session *session, const iso_session_event *event);
/// The next notice for this connection. @return false when there is none
bool iso__moderate_send(iso_session *session, iso__connection *connection, iso_session_action *action);

// name.c

/// Makes the name that a connection has asked for its own: another's, and a blank one, get a number.
/// @param slot  that it resumes; ISO_SLOT_NONE: it comes anew
void iso__name_give(const iso_session *session, iso__connection *connection, uint8_t slot);

// resume.c

/// A new secret for the member of this connection.
void iso__resume_make_secret(iso_session *session, iso__connection *connection);
/// The slot of the claim, when it is proven. @return ISO_SLOT_NONE: it is not, for whatever reason
uint8_t iso__resume_find(iso_session *session, const iso_resume *resume, uint32_t *number);
/// Gives the slot to the client that has shown the secret of this number.
void iso__resume_begin(iso_session *session, iso__connection *connection, const iso_resume *resume, uint8_t slot,
                       uint32_t number);
/// Continues the claim when the recording has the number of the secret that was used last: WELCOME gives the next one
/// away.
void iso__resume_advance(iso_session *session, iso__connection *connection);
void iso__resume_rewind_answer(iso_session *session, iso__connection *connection, bool restored);
/// A message has arrived: the first one after ACTIVATE uses the secret and makes all others void.
void iso__resume_prove(iso_session *session, iso__connection *connection);

// roster.c

void iso__roster_init(iso_session *session);
/// The slot's member has joined, left, is held, has resumed, or has another name.
void iso__roster_change(iso_session *session, uint8_t slot);
/// A spectator was activated, and is listed if there is a seat.
void iso__roster_sit(iso_session *session, iso__connection *connection);
/// It leaves. Does nothing for one without a seat.
void iso__roster_rise(iso_session *session, iso__connection *connection);
/// MEMBERS for all that have WELCOME: what has changed. @return false when there is nothing to send
bool iso__roster_send(iso_session *session, iso_session_action *action);
/// MEMBERS for one that has just got WELCOME: the whole list.
void iso__roster_send_all(iso_session *session, iso__connection *connection, iso_session_action *action);

// run.c

void iso__run_pause(iso_session *session, iso_status code);
void iso__run_wake(iso_session *session);
/// Begins to end all connections.
void iso__run_drain(iso_session *session, iso_status status);
/// Applies the policy for a session without players; @return when it is next due, UINT64_MAX: never
uint64_t iso__run_empty_deadline(const iso_session *session);
void iso__run_check_empty(iso_session *session);
/// Sends a client the session's state, with the reason.
void iso__run_notify(iso_session *session, iso__connection *connection, iso_status code);

// strict.c

/// Whether the clock waits for a member before the next tick, whose deadline has passed. Charges the time to that
/// member's origin.
bool iso__strict_waits(iso_session *session);
/// When the waiting ends, at the latest.
uint64_t iso__strict_deadline(const iso_session *session);

// seal.c

/// Seals the next tick.
void iso__seal(iso_session *session);
/// Whether the clock waits for the disk: too many ticks are in flight, or the ring could not keep the unwritten ones.
bool iso__seal_is_held(const iso_session *session);

// confirm.c, heal.c

void iso__confirm(iso_session *session, iso__connection *connection, const iso_message_confirm *confirm);
void iso__confirm_report(iso_session *session, iso__connection *connection, const iso_message_desync_report *report);
/// A peer reports a desync, but its root of the tick is right: the root that it compared with must have been wrong.
void iso__heal_doubt(iso_session *session, iso__connection *connection, uint64_t tick, uint64_t root);
/// A peer's root of a tick is wrong: applies the session's policy.
void iso__heal_desync(iso_session *session, iso__connection *connection, uint64_t tick, uint64_t expected,
                      uint64_t actual);

// end.c

/// The peer is sent the reason, then closed; a member's slot is held or released.
void iso__connection_end(iso_session *session, iso__connection *connection, iso_status status);
/// The connection has ended; a member's slot is held or released.
void iso__connection_forget(iso_session *session, iso__connection *connection, iso_status status);
/// Refuses a command, or the whole message with sequence 0. Ends a peer that causes too many refusals.
void iso__connection_reject(iso_session *session, iso__connection *connection, uint64_t sequence, iso_status code);
/// Ends it if its time limit has passed or it reads too slowly.
void iso__connection_check(iso_session *session, iso__connection *connection);
/// Checks all whose time limit may have passed.
void iso__connection_check_all(iso_session *session);

// connection.c

void iso__connection_open(iso_session *session, const iso_session_event *opened);
void iso__connection_message(iso_session *session, iso__connection *connection, const iso_message *message,
                             uint32_t size);
void iso__connection_bad_frame(iso_session *session, iso__connection *connection, iso_status status);

// places.c

iso__connection *iso__connection_find(iso_session *session, uint64_t id);
/// Gives a peer that has connected its place. @return NULL when there is none
iso__connection *iso__connection_place(iso_session *session, const iso_session_event *opened);
/// Removes it from all lists.
void iso__connection_free(iso_session *session, iso__connection *connection);
/// There may be something to send to it.
void iso__connection_touch(iso_session *session, iso__connection *connection);
/// Changes the phase; counts joiners and sets the time limit of the phase.
void iso__connection_enter(iso_session *session, iso__connection *connection, iso__phase phase);
/// When this connection's time limit passes. @return UINT64_MAX: never
uint64_t iso__connection_deadline(const iso_session *session, const iso__connection *connection, iso_status *status);
/// The host was away until now: what peers have sent meanwhile is still to be read, so that no limit passes before a
/// grace.
void iso__connection_forgive_all(iso_session *session, uint64_t now_ns);

// outbox.c

/// Makes the session's message that of a sealed tick.
void iso__outbox_fill_tick(iso_session *session, uint64_t tick);
/// Makes the action one that sends the session's message, of this kind.
void iso__outbox_send(iso_session *session, iso_session_action *action, const uint64_t *connections, uint32_t count,
                      iso_message_kind kind);

// send.c

/// The next message for this connection alone. @return false when there is none
bool iso__send_personal(iso_session *session, iso__connection *connection, iso_session_action *action);

// replay.c

/// The last step before the first event.
void iso__replay_begin(iso_session *session);

// stats.c

void iso__stats_end(iso_session *session, const iso__connection *connection, iso_status status);
void iso__stats_reject(iso_session *session, iso_status code);

// sound.c

/// Whether everything that the session keeps is consistent. Walks over all of it.
bool iso__session_is_sound(const iso_session *session);

// note.c

iso_session_note *iso__note(iso_session *session, iso_session_log_level level, const char *text);
iso_session_note *iso__note_about(iso_session *session, iso_session_log_level level, const char *text,
                                  const iso__connection *connection, iso_status status);
iso_recording_event *iso__record_event(iso_session *session, iso_recording_event_kind kind, uint8_t slot);

// text.c

/// Appends to text with a terminating zero; cuts what does not fit.
void iso__text_append(char *text, size_t capacity, const char *more);
void iso__text_append_number(char *text, size_t capacity, uint64_t value);
void iso__text_append_hex(char *text, size_t capacity, uint64_t value);
void iso__text_copy(char *to, size_t capacity, const char *from);

#endif
