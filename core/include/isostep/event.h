/// Events: what happened in a step, as arrays that are read after it.
///
/// Events are not state: they follow from the state before the step and its input, so they are the same on every
/// machine, and after a restore or decode. They remain until the next step begins. Each list has room for
/// event_capacity (world's definition) events. If there are more, the first ones in the list's order are kept and the
/// others are counted in dropped_events. The results of the step's commands are in iso_world_get_results, always
/// complete.
///
/// Read them between steps, or in a game's after_step: the lists of the step are complete then. What after_step itself
/// destroys and emits is added to them afterwards, and what it wakes is in no list. The game's other functions must not
/// read them: in a step the lists are still being filled, and those of the last step a world that was restored or
/// decoded does not have. A rule that must not miss an event, even beyond event_capacity, reads the state instead
/// (game.h). Several threads may read them at once (world.h); the next step overwrites them.
#ifndef ISOSTEP_EVENT_H
#define ISOSTEP_EVENT_H

#include <stddef.h>

#include "isostep/body.h"
#include "isostep/joint.h"
#include "isostep/shape.h"
#include "isostep/status.h"
#include "isostep/vec3.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Two shapes began or ceased to touch. They begin to touch when the contact had an impulse in the step; those of
/// contacts that do not push (sensors, what passes a one-way shape or a game's contact.h) when they overlap. They cease
/// when they are farther apart than the world's slop and the contact had none, or when a changed filter, a changed type
/// or a destruction ends the contact. Ids of destroyed objects are those that they had.
///
/// In space a pair also begins when it overlaps as the step begins, and ceases when it is apart and had no impulse in
/// this step and the one before. A hit that is over within the step begins and ends in it; what then still overlaps
/// begins again in the next step, at the speed that is left. Of a pair with a field of heights, which may have several
/// contacts, there is one event.
///
/// A contact that begins has its impact: where, and how fast, the shapes met. These are the poses and velocities before
/// the step, after its commands; of several points the one that approached fastest. A contact that ends has zeros
/// there.
typedef struct iso_contact_event {
    iso_shape_id shape_a, shape_b;
    iso_body_id body_a, body_b;
    iso_vec2_wide point;     // [m] halfway between the two borders
    iso_unit2 normal;        // from shape A to shape B
    iso_wide approach_speed; // [m/s] of the shapes at this point along the normal; negative: they separated
    iso_vec3_wide point3;    // of a contact in space, whose point and normal above are 0
    iso_unit3 normal3;
} iso_contact_event;

/// A joint broke: its load exceeded one of its thresholds. It is now disabled, or destroyed if it has remove_on_break.
typedef struct iso_joint_event {
    uint64_t tick;
    iso_joint_id joint;
    uint32_t tag;               // the joint's
    iso_body_id body_a, body_b; // body_a is null for a joint with the world
    iso_vec2_wide force;        // [N] on body B in the last substep
    iso_wide torque;            // [N m] likewise
    iso_vec2_wide impulse;      // [N s] of the force in that substep
    iso_wide angular_impulse;   // [N m s] likewise
    iso_vec3_wide force3;       // [N] of a joint in space, whose force, torque and impulses above are 0
    iso_vec3_wide torque3;      // [N m] likewise, without that of the force at its anchor
} iso_joint_event;

/// A joint fell asleep or woke. It is asleep while it has a dynamic body and none that is awake (iso_joint_is_awake):
/// it sleeps with its island, and wakes with it. Joints without effect, disabled or FILTER, are told of as well. A
/// joint that is made, or given other bodies, within the step does not wake.
typedef struct iso_joint_sleep_event {
    iso_joint_id joint;
    uint32_t tag; // the joint's
} iso_joint_sleep_event;

/// A member lost a body to the limit of contact points of the world's definition.
///
/// When a step ends with more points than that, the next step removes bodies after its session changes and before its
/// commands, one by one until the rest has no more points than the limit, at most ISO_REMOVALS_PER_TICK. Bodies that
/// existed at tick 0 have no spawn number and are never removed, nor are bodies that no member owns; all others are
/// called removable here. The points of a contact are charged to one body, and to the member that owns it:
///   - of a removable and another body: to the removable one;
///   - of two removable bodies of one member: to the newer one, by spawn number;
///   - of two members' removable bodies: to the one with more points in contacts with other members' removable bodies;
///     if equal, to the newer one.
/// Each time, the member with the most charged points loses a body; if several have as many, the one in the lowest
/// slot. It loses its body with the most charged points; if several have as many, the newest. Then all points are
/// counted again.
///
/// So a member that puts a large body on another member's heap loses that body, and the heap stays. A member that puts
/// many small bodies on another member's large body may cause the loss of that body, but of nothing that they do not
/// touch. A member loses nothing if in each count its charged points are at most the limit, minus the points that are
/// charged to no member, divided by the number of members.
///
/// While there are more points than the limit, a member's commands that create bodies or shapes result in ISO_ERR_QUOTA
/// in ticks in which it lost a body or is charged with more than its share (the limit divided by the number of
/// members).
typedef struct iso_removal_event {
    iso_body_id body; // as it was
    iso_owner owner;  // the member
} iso_removal_event;

#define ISO_REMOVALS_PER_TICK 16

#define ISO_EMIT_SIZE_MAX 32 // bytes

/// An event of the game's own: a goal, a fall, the end of a round. iso_game.events has the names of the codes and the
/// fields of the bytes.
typedef struct iso_emit_event {
    uint32_t code;
    uint32_t size; // bytes that were given; those after them are 0
    uint8_t bytes[ISO_EMIT_SIZE_MAX];
} iso_emit_event;

typedef struct iso_events {
    uint64_t tick;
    const iso_contact_event *contact_begins; // in key order: bodies, then shapes
    const iso_contact_event
        *contact_ends; // of what commands destroyed, in their order; of shapes that are no longer near, in
                       // key order; then of shapes that still are near, in key order
    const iso_joint_event *joint_breaks;       // by ascending joint
    const iso_body_id *sleeps;                 // by ascending body
    const iso_body_id *wakes;                  // by ascending body; of what the step and its input woke
    const iso_joint_sleep_event *joint_sleeps; // by ascending joint
    const iso_joint_sleep_event *joint_wakes;  // by ascending joint; likewise
    const iso_body_id *left_world;             // by ascending body: reached the border of the world
    const iso_removal_event *removals;         // in the order of removal
    const iso_emit_event *emits;               // in the order in which the game emitted them
    uint32_t contact_begin_count, contact_end_count, joint_break_count, sleep_count, wake_count, left_world_count,
        removal_count, emit_count, joint_sleep_count, joint_wake_count;
} iso_events;

struct iso_world;

/// Emits an event of the game's own: a function of the game calls it within a step. It changes no state, except that an
/// event that is dropped because the list is full is counted in dropped_events, which is state. Its content must depend
/// only on the state and the tick's input, like everything that a game computes, so that all machines emit the same
/// event.
/// @param code   any number; an event that iso_game.events names must have the size that is given there
/// @param bytes  `size` bytes, copied: the struct that the named event's fields describe, in the form of this machine's
///               memory, as the game's state is. The bytes of an event without a name must not depend on the machine's
///               byte order: they are compared and shown as they are. May be NULL when `size` is 0.
/// @param size   at most ISO_EMIT_SIZE_MAX
/// @return ISO_OK; ISO_ERR_STATE (not within a step); ISO_ERR_RANGE (`size` is too large, or not the named event's);
///         ISO_ERR_CAPACITY (event_capacity such events were emitted in this step: it is dropped and counted). The
///         first two leave the world unchanged.
iso_status iso_world_emit(struct iso_world *world, uint32_t code, const void *bytes, size_t size);

/// The events of the last step. The arrays belong to the world and are valid until its next step, restore or decode.
void iso_world_get_events(const struct iso_world *world, iso_events *events);

#ifdef __cplusplus
}
#endif

#endif
