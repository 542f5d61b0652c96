/// The assertions of the core are those of all parts.
#ifndef ISO_BASE_ASSERT_H
#define ISO_BASE_ASSERT_H

#include "isostep/assert.h"

#endif
