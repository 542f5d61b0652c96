/// The lists of events, and functions that add to them.
#ifndef ISO_WORLD_EVENTS_H
#define ISO_WORLD_EVENTS_H

#include "world/world.h"

/// Empties all lists: a step begins, or the state is replaced.
void iso__events_clear(iso_world *world);

/// @param shapes  A and B @param bodies  theirs @param impact  of which point, normal and approach speed are read
void iso__event_contact_begin(iso_world *world, const uint32_t shapes[2], const uint32_t bodies[2],
                              const iso_contact_event *impact);
void iso__event_contact_end(iso_world *world, const uint32_t shapes[2], const uint32_t bodies[2]);
/// The caller goes through the joints in ascending order.
void iso__event_joint_break(iso_world *world, const iso_joint_event *event);
/// The caller goes through the joints in ascending order, after the bodies.
void iso__event_joint_sleep(iso_world *world, uint32_t joint, uint32_t tag);
void iso__event_joint_wake(iso_world *world, uint32_t joint, uint32_t tag);
void iso__event_sleep(iso_world *world, uint32_t body);
void iso__event_wake(iso_world *world, uint32_t body);
/// Before the body is destroyed; at most ISO_REMOVALS_PER_TICK in a step.
void iso__event_removal(iso_world *world, uint32_t body);
void iso__event_left_world(iso_world *world, uint32_t body);

#endif
