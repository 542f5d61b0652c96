/// The rows of a tick's contacts in space.
#ifndef ISO_SPACE_DYNAMICS_CONTACT_PREPARE_H
#define ISO_SPACE_DYNAMICS_CONTACT_PREPARE_H

#include "space/world/scratch.h"

/// Chooses the colours of the tick's contacts, and divides them into groups in the order of the colours.
void iso__space_contacts_colour(iso__space *space);
/// Fills the rows of these groups.
void iso__space_contacts_prepare(iso__space *space);

#endif
