/// The user joint: the rows of a constraint in C that the game brings; isostep/constraint.h.
///
/// C and J of a substep are what the constraint's `rows3` says of the bodies' places in it. What it says wrong stays within its
/// bodies: masses, bounds and ranges are those of joint3/custom3.c, whatever the numbers are.
#include "joint3/custom3.h"
#include "joint3/kind3.h"

const iso__joint3_kind iso__joint3_kind_user = {.arrive = iso__custom3_arrive};
