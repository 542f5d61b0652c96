/// The list of contacts of a world in space, outside of a step.
#ifndef ISO_WORLD3_CONTACT3_H
#define ISO_WORLD3_CONTACT3_H

#include "world3/world3.h"

/// Tells of a contact's end, if its shapes touched.
void iso__contact3_leave(iso__space *space, const iso__contact3 *contact);

/// Removes the contacts of a shape, and those of a body, and wakes what they touched.
void iso__contacts3_remove_shape(iso__space *space, uint32_t shape);
void iso__contacts3_remove_body(iso__space *space, uint32_t body);

/// Wakes the bodies that a body has contacts with.
void iso__contacts3_wake_neighbours(iso__space *space, uint32_t body);

/// The number of the contact of two shapes in either order; UINT32_MAX: there is none.
uint32_t iso__contact3_find(const iso__space *space, uint32_t shape_a, uint32_t shape_b);

#endif
