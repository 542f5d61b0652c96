/// Events of a world for people and for programs: one line each, as text or as a JSON object. All programs write events
/// in this form.
///
/// The events of a step are, in this order: those that the game emitted, joints that broke, bodies that were removed by
/// the limit of contact points, bodies that reached the border of the world. After these come, for a program that asks
/// for them, since there are many and they follow from the poses: contacts that began and that ended, those of sensors
/// among them; then bodies that fell asleep, bodies that woke, joints that fell asleep, joints that woke.
///
/// The functions may be called from any thread; they only read what they are given.
#ifndef ISOSTEP_PROTO_EVENT_TEXT_H
#define ISOSTEP_PROTO_EVENT_TEXT_H

#include "isostep/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that suffice for each line, including the terminating zero.
#define ISO_EVENT_TEXT_SIZE 8192

/// What a program writes of the events. {0}: none of those that it has to ask for, and ids without names.
typedef struct iso_event_view {
    bool has_contacts, has_sleep;
    /// The name that the scene has for a body or joint of this id, [A-Za-z0-9_,.-] and brackets; NULL or "": it has
    /// none. NULL: names are not known.
    const char *(*name)(void *user, bool is_joint, uint32_t index, uint32_t generation);
    void *user;
} iso_event_view;

/// The number of lines of the world's last step in this view. Call it between steps, like iso_world_get_events.
uint32_t iso_event_view_count(const iso_world *world, const iso_event_view *view);
/// As iso_event_to_text and iso_event_to_json. @param index  from 0 to iso_event_view_count - 1
size_t iso_event_view_to_text(const iso_world *world, const iso_event_view *view, uint32_t index,
                              char text[ISO_EVENT_TEXT_SIZE]);
size_t iso_event_view_to_json(const iso_world *world, const iso_event_view *view, uint32_t index, const char *session,
                              char text[ISO_EVENT_TEXT_SIZE]);

/// The number of lines of the world's last step without contacts, sleep and waking. Call it between steps, like
/// iso_world_get_events.
uint32_t iso_event_count(const iso_world *world);

/// The number of lines with those of sleep and waking, which come last.
uint32_t iso_event_count_with_sleep(const iso_world *world);

/// `tick 437 goal scorer=1 score=3`, values in the units of their fields; `tick 437 code 8 bytes=0a0b` for an event
/// that the game does not name; `tick 437 joint_break joint=3/1 …`, ids as index and generation.
///
/// @param index  from 0 to iso_event_count_with_sleep - 1
/// @return the bytes before the zero; there is no line end
size_t iso_event_to_text(const iso_world *world, uint32_t index, char text[ISO_EVENT_TEXT_SIZE]);

/// The same line of an event that stands in no world: one that a client predicts, or withdraws.
///
/// @param game   NULL: none, so the event has no name
/// @param bytes  `size` of them, at most ISO_EMIT_SIZE_MAX, as iso_world_emit got them; when the game's event of this
///               code has another size they are shown as of one without a name. May be NULL when `size` is 0.
/// @return as above
size_t iso_game_event_to_text(const iso_game *game, uint64_t tick, uint32_t code, const uint8_t *bytes, uint32_t size,
                              char text[ISO_EVENT_TEXT_SIZE]);

/// `{"session":"main","tick":437,"game":"hockey","event":"goal","fields":{"scorer":1,"score":3}}`: values as they are
/// stored, several in an array. An event that the game does not name has `"code":8,"bytes":"0a0b"` instead of event and
/// fields. An event of the world has no game: `"event":"joint_break"`, `"removal"`, `"left_world"`, `"sleep"`,
/// `"wake"`, `"joint_sleep"`, `"joint_wake"`, `"contact_begin"`, `"contact_end"`. An id is
/// `{"index":3,"generation":1}`, with `"name":"rope"` where that is known.
///
/// @param session  [a-z0-9-], at most ISO_RECORDING_TEXT_MAX characters. A recording can hold others: they are escaped
///                 as iso_print_json_string does, so that the line is valid JSON.
/// @return as above
size_t iso_event_to_json(const iso_world *world, uint32_t index, const char *session, char text[ISO_EVENT_TEXT_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
