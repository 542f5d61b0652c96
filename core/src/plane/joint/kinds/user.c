/// The user joint: the rows of a constraint in C that the game brings; isostep/constraint.h.
///
/// C and J of a substep are what the constraint's `rows` says of the bodies' places in it. What it says wrong stays
/// within its bodies: masses, bounds and ranges are those of plane/joint/custom.c, whatever the numbers are.
#include "plane/joint/custom.h"
#include "plane/joint/kind.h"

const iso__plane_joint_kind iso__plane_kind_user = {
    .prepare = iso__plane_custom_prepare, .update = iso__plane_custom_update, .measure = iso__plane_custom_measure};
