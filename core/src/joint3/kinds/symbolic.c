/// The symbolic joint: the rows of a program that a text was compiled to; core/SYMBOLIC.md.
///
/// The compiler has differentiated each row, so C and J of a substep are one evaluation at the bodies' places in it. Masses,
/// bounds and ranges: joint3/custom3.c.
#include "joint3/custom3.h"
#include "joint3/kind3.h"

const iso__joint3_kind iso__joint3_kind_symbolic = {.arrive = iso__custom3_arrive};
