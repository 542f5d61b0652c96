/// The results of a step in the records of its contacts in space.
#ifndef ISO_DYNAMICS3_CONTACT_STORE3_H
#define ISO_DYNAMICS3_CONTACT_STORE3_H

#include "solver/scratch3.h"

/// Writes the impulses of the rows into the contacts, and tells which of them began and ended. The bodies' records are
/// still as they were before the step.
void iso__contacts3_store(iso__space *space);

#endif
