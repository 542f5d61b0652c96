/// The rows of contacts in space, a group at a time.
#ifndef ISO_SPACE_DYNAMICS_CONTACT_ROWS_H
#define ISO_SPACE_DYNAMICS_CONTACT_ROWS_H

#include "space/dynamics/contact_group.h"

#define ISO__SPACE_TWIST_SHIFT 27u // from m/s Q12.19 times m Q7.24 to m^2/s Q15.16

/// What the rows need of each moving body.
void iso__space_gains_make(iso__space *space);

/// Makes the rows of a group of contacts that have manifolds. Its count is set.
void iso__space_contacts_fill(iso__space *space, const uint32_t *contacts, iso__space_contact_group *group);

#endif
