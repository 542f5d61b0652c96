/// The symbolic joint: the rows of a program that a scene's text was compiled to; core/SYMBOLIC.md.
///
/// The compiler has differentiated each row, so C and J of a substep are one evaluation at the bodies' places in it:
/// exact derivatives of what is held, like those of the kinds by hand. Masses, bounds and ranges: joint/custom.c.
#include "joint/custom.h"
#include "joint/kind.h"

const iso__joint_kind iso__kind_symbolic = {
    .prepare = iso__custom_prepare, .update = iso__custom_update, .measure = iso__custom_measure};
