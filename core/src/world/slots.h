/// The members' slots.
#ifndef ISO_WORLD_SLOTS_H
#define ISO_WORLD_SLOTS_H

#include "world/world.h"

/// Sequences and ticks stay below this, so that every language's numbers hold them.
#define ISO__SEQUENCE_END (UINT64_C(1) << 53)

/// Values of `occupied`. A held slot belongs to a member whose connection broke.
#define ISO__SLOT_FREE  0u
#define ISO__SLOT_TAKEN 1u
#define ISO__SLOT_HELD  2u

/// Rebuilds the maps of ids from the generations.
void iso__maps_rebuild(iso_world *world);

/// Whether an owner is one that a body or joint may have: a slot, with any generation, nobody or everyone.
bool iso__owner_is_valid(iso_owner owner);

/// Counts a body that a slot's present member gains (+1) or loses (-1). Every change of a body's owner calls it.
void iso__slot_count_body(iso_world *world, iso_owner owner, int32_t change);

/// The owner that names the present member of a slot.
iso_owner iso__slot_owner(const iso_world *world, uint32_t slot);

/// The slot whose present member, here or held, is this owner; UINT32_MAX when none is.
uint32_t iso__slot_of(const iso_world *world, iso_owner owner);

/// Places for bodies, each with a shape, that no command may take: one for each slot whose own body does not exist, so
/// that members that join later get one. 0 when the game gives members no body of their own.
uint32_t iso__slot_places_kept(const iso_world *world);

/// The value of one of the game's parameters, rounded down to a whole number not below 0.
/// @return `otherwise` when there is no game or no parameter of this name
uint64_t iso__game_param_whole(const iso_world *world, const char *name, uint64_t otherwise);

#endif
