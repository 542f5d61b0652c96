/// Masses and moments that bodies in space have of their own, in the place of those of their shapes.
///
/// Few bodies have any. So they are not in the bodies' records, where each would pay for them in every snapshot, but in
/// a section of their own: a list sorted by body. It depends on who has what alone, not on the order in which they got
/// it. There is room for one of each body (iso__own_mass_capacity).
#ifndef ISO_SPACE_WORLD_OWN_MASS_H
#define ISO_SPACE_WORLD_OWN_MASS_H

#include "space/world/space.h"

/// Whether there is anything in it: a body without has no record.
static inline bool iso__space_own_mass_is_some(const iso__space_own_mass *own) {
    return (own->mass | own->moments[0] | own->moments[1] | own->moments[2]) != 0;
}

/// What a body has of its own, all 0 if nothing.
iso__space_own_mass iso__space_own_mass_of(const iso__space *space, uint32_t body);

/// Gives it to the body that it names; all 0 takes away what that has. Nothing else follows:
/// iso__space_body_update_mass. Costs moving the records of the bodies behind it.
void iso__space_own_mass_set(iso__space *space, const iso__space_own_mass *own);

#endif
