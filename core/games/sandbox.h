/// What the files of the sandbox share: its constraints, which sandbox_constraints.c has.
#ifndef ISO_GAMES_SANDBOX_H
#define ISO_GAMES_SANDBOX_H

#include "isostep/constraint.h"

#define SANDBOX_CONSTRAINT_COUNT 2u

extern const iso_constraint iso__sandbox_constraints[SANDBOX_CONSTRAINT_COUNT];

#endif
