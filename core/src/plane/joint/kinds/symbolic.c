/// The symbolic joint: the rows of a program that a scene's text was compiled to; core/SYMBOLIC.md.
///
/// The compiler has differentiated each row, so C and J of a substep are one evaluation at the bodies' places in it:
/// exact derivatives of what is held, like those of the kinds by hand. Masses, bounds and ranges: plane/joint/custom.c.
#include "plane/joint/custom.h"
#include "plane/joint/kind.h"

const iso__plane_joint_kind iso__plane_kind_symbolic = {
    .prepare = iso__plane_custom_prepare, .update = iso__plane_custom_update, .measure = iso__plane_custom_measure};
