/// The rows of a tick's contacts in space.
#ifndef ISO_DYNAMICS3_CONTACT_PREPARE3_H
#define ISO_DYNAMICS3_CONTACT_PREPARE3_H

#include "solver/scratch3.h"

/// Chooses the colours of the tick's contacts, and makes the groups of their rows in the order of the colours.
void iso__contacts3_prepare(iso__space *space);

#endif
