/// The user joint: the rows of a constraint in C that the game brings; isostep/constraint.h.
///
/// C and J of a substep are what the constraint's `rows3` says of the bodies' places in it. What it says wrong stays
/// within its bodies: masses, bounds and ranges are those of space/joint/custom.c, whatever the numbers are.
#include "space/joint/custom.h"
#include "space/joint/kind.h"

const iso__space_joint_kind iso__space_joint_kind_user = {.arrive = iso__space_custom_arrive};
