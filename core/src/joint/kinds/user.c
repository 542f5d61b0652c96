/// The user joint: the rows of a constraint in C that the game brings; isostep/constraint.h.
///
/// C and J of a substep are what the constraint's `rows` says of the bodies' places in it. What it says wrong stays
/// within its bodies: masses, bounds and ranges are those of joint/custom.c, whatever the numbers are.
#include "joint/custom.h"
#include "joint/kind.h"

const iso__joint_kind iso__kind_user = {
    .prepare = iso__custom_prepare, .update = iso__custom_update, .measure = iso__custom_measure};
