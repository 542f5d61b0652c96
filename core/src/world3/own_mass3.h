/// Masses and moments that bodies in space have of their own, in the place of those of their shapes.
///
/// Few bodies have any. So they are not in the bodies' records, where each would pay for them in every snapshot, but in a
/// section of their own: a list sorted by body. It depends on who has what alone, not on the order in which they got it.
/// There is room for one of each body (iso__own_mass_capacity).
#ifndef ISO_WORLD3_OWN_MASS3_H
#define ISO_WORLD3_OWN_MASS3_H

#include "world3/world3.h"

/// Whether there is anything in it: a body without has no record.
static inline bool iso__own_mass3_is_some(const iso__own_mass3 *own) {
    return (own->mass | own->moments[0] | own->moments[1] | own->moments[2]) != 0;
}

/// What a body has of its own, all 0 if nothing.
iso__own_mass3 iso__own_mass3_of(const iso__space *space, uint32_t body);

/// Gives it to the body that it names; all 0 takes away what that has. Nothing else follows: iso__body3_update_mass.
/// Costs moving the records of the bodies behind it.
void iso__own_mass3_set(iso__space *space, const iso__own_mass3 *own);

#endif
