/// The rows of one contact.
#ifndef ISO_DYNAMICS_CONTACT_ROW_H
#define ISO_DYNAMICS_CONTACT_ROW_H

#include "world/world.h"

struct iso__contact_group;

/// The rows of one contact: normal, surface, coefficients, masses and impulses of the points that its manifold has.
void iso__contact_fill_rows(const iso_world *world, struct iso__contact_group *group, uint32_t lane);

#endif
