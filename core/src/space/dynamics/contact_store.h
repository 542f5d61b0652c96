/// The results of a step in the records of its contacts in space.
#ifndef ISO_SPACE_DYNAMICS_CONTACT_STORE_H
#define ISO_SPACE_DYNAMICS_CONTACT_STORE_H

#include "space/world/scratch.h"

/// Writes the impulses of the rows into the contacts, and tells which of them began and ended. The bodies' records are
/// still as they were before the step.
void iso__space_contacts_store(iso__space *space);

#endif
