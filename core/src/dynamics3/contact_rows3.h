/// The rows of contacts in space, a group at a time.
#ifndef ISO_DYNAMICS3_CONTACT_ROWS3_H
#define ISO_DYNAMICS3_CONTACT_ROWS3_H

#include "dynamics3/contact_group3.h"

#define ISO__TWIST_SHIFT 27u // from m/s Q12.19 times m Q7.24 to m^2/s Q15.16

/// What the rows need of each moving body.
void iso__gains3_make(iso__space *space);

/// Makes the rows of a group of contacts that have manifolds. Its count is set.
void iso__contacts3_fill(iso__space *space, const uint32_t *contacts, iso__contact3_group *group);

#endif
