/// The symbolic joint: the rows of a program that a text was compiled to; core/SYMBOLIC.md.
///
/// The compiler has differentiated each row, so C and J of a substep are one evaluation at the bodies' places in it.
/// Masses, bounds and ranges: space/joint/custom.c.
#include "space/joint/custom.h"
#include "space/joint/kind.h"

const iso__space_joint_kind iso__space_joint_kind_symbolic = {.arrive = iso__space_custom_arrive};
