/// Contacts as records: their removal, and the effect of a changed mass on their impulses.
#ifndef ISO_WORLD_CONTACT_H
#define ISO_WORLD_CONTACT_H

#include "world/world.h"

/// A sensor's contact connects nothing and wakes nobody.
static inline bool iso__contact_is_sensor(const iso_world *world, const iso__contact *contact) {
    return ((world->shapes[contact->shape_a].flags | world->shapes[contact->shape_b].flags) & ISO__SHAPE_SENSOR) != 0;
}

/// Adds the end event of a contact whose shapes touched; the caller removes the record.
void iso__contact_leave(iso_world *world, const iso__contact *contact);

/// Removes every contact of a shape from the state (UINT32_MAX: of none), and those that have lost their last dynamic
/// body. Linear in the number of contacts.
void iso__contacts_remove(iso_world *world, uint32_t shape);

/// Keeps the physical impulses of the contacts of a body whose mass was `before` and is `after` now: they are stored as
/// j = sigma lambda. In key order; linear in their number.
void iso__contacts_rescale(iso_world *world, uint32_t body, iso_wide before, iso_wide after);

#endif
