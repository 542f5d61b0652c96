/// Events: what happened in a step, as arrays to be read after it.
///
/// Events are no state: they follow from the state before the step and its input, so they are the same on every
/// machine, and after a restore or decode. They stand until the next step begins. Each list has room for
/// event_capacity of the world's definition; of more the first ones, in the list's order, are kept, the others are
/// counted in dropped_events. What became of the step's commands is told by iso_world_get_results, always in full.
///
/// They are read between steps, not by a game within one, whose lists are still being filled. Several threads may read them
/// at once (world.h); the next step writes over them.
#ifndef ISOSTEP_EVENT_H
#define ISOSTEP_EVENT_H

#include <stddef.h>

#include "isostep/body.h"
#include "isostep/joint.h"
#include "isostep/shape.h"
#include "isostep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Two shapes began or ceased to touch. They touch once one pushes the other, and cease when they are farther apart than
/// the world's slop without a push, or when a filter, a type or a destruction parts them. Ids of what was destroyed are
/// those it had.
typedef struct iso_contact_event {
    iso_shape_id shape_a, shape_b;
    iso_body_id body_a, body_b;
} iso_contact_event;

/// A joint broke: it was loaded beyond one of its thresholds, and is now off, or gone when it was to be removed.
typedef struct iso_joint_event {
    uint64_t tick;
    iso_joint_id joint;
    iso_body_id body_a, body_b; // body_a is null for a joint with the world
    iso_vec2_wide force;        // [N] on body B in the last substep
    iso_wide torque;            // [N m] likewise
    iso_vec2_wide impulse;      // [N s] what the force gave it in that substep
    iso_wide angular_impulse;   // [N m s] likewise
} iso_joint_event;

/// A member lost a body to the limit of contact points of the world's definition.
///
/// When a step leaves more points than that, the next one takes bodies after its session changes and before its commands,
/// one by one until the rest has no more than the limit, at most ISO_REMOVALS_PER_TICK. Bodies that were there at tick 0
/// have no spawn number and are never taken, nor are those that no member owns; the others are called takeable here. The
/// points of a contact are charged to one body, and to the member who owns it:
///   - of one takeable body and another one: to the takeable one;
///   - of two takeable bodies of one member: to the newer one, by spawn number;
///   - of two members' takeable bodies: to the one with more points in contacts with other members' takeable bodies; of
///     equal ones to the newer one.
/// Each time the member with the most charged points loses a body, of equal members the one in the lower slot: of its bodies
/// the one with the most charged points, of equal ones the newest. Then all is counted anew.
///
/// So who lays a large body over another one's heap loses that body, and the heap stays. Who strews small ones over another
/// one's large body may cost it that body, and nothing that they do not touch. A member with no more charged points
/// than the limit, less those charged to nobody, divided by the number of members loses nothing.
///
/// While there are more points than the limit, spawns and new shapes of a member answer ISO_ERR_QUOTA in ticks in which it
/// lost a body, or is charged with more than its share: the limit divided by the number of members.
typedef struct iso_removal_event {
    iso_body_id body; // as it was
    iso_owner owner;  // the member
} iso_removal_event;

#define ISO_REMOVALS_PER_TICK 16

#define ISO_EMIT_SIZE_MAX 32 // bytes

/// An event of the game's own: a goal, a fall, the end of a round. iso_game.events names the codes and says what the bytes
/// mean.
typedef struct iso_emit_event {
    uint32_t code;
    uint32_t size; // bytes that were given; those after them are 0
    uint8_t bytes[ISO_EMIT_SIZE_MAX];
} iso_emit_event;

typedef struct iso_events {
    uint64_t tick;
    const iso_contact_event *contact_begins; // in key order: bodies, then shapes
    const iso_contact_event
        *contact_ends; // of what commands destroyed, in their order; of what no longer stands near, in
                       // key order; then of what still does, in key order
    const iso_joint_event *joint_breaks; // by ascending joint
    const iso_body_id *sleeps;           // by ascending body
    const iso_body_id *wakes;            // by ascending body; of what the step and its input woke
    const iso_body_id *left_world;       // by ascending body: came to the border of the world
    const iso_removal_event *removals;   // in the order in which they were taken
    const iso_emit_event *emits;         // in the order in which the game emitted them
    uint32_t contact_begin_count, contact_end_count, joint_break_count, sleep_count, wake_count, left_world_count,
        removal_count, emit_count;
} iso_events;

struct iso_world;

/// Emits an event of the game's own: a function of the game calls it within a step. It changes no state, but when the list
/// is full the event is dropped and counted in dropped_events, which is state. What it says is made from the state and the
/// tick's input alone, as everything that a game does, so that all emit the same.
/// @param code   any number; one that iso_game.events names has the size that stands there
/// @param bytes  `size` bytes, copied: the struct that the named event's fields describe, in the form of this machine's
///               memory, as the game's state is. Of an event without fields, write them byte by byte: they are compared and
///               shown as they are. May be NULL when `size` is 0.
/// @param size   at most ISO_EMIT_SIZE_MAX
/// @return ISO_OK; ISO_ERR_STATE (not within a step); ISO_ERR_RANGE (`size` is too large, or not the named event's);
///         ISO_ERR_CAPACITY (event_capacity such events were emitted in this step: it is dropped and counted). The first two
///         leave the world unchanged.
iso_status iso_world_emit(struct iso_world *world, uint32_t code, const void *bytes, size_t size);

/// The events of the last step. The arrays belong to the world and are valid until its next step, restore or decode.
void iso_world_get_events(const struct iso_world *world, iso_events *events);

#ifdef __cplusplus
}
#endif

#endif
