/// What the check of a program finds out of its rows.
#ifndef ISO_SYMBOLIC_CHECK_H
#define ISO_SYMBOLIC_CHECK_H

#include "symbolic/program.h"

/// Whether a row's J has an entry by a place of a body that is not the constant 0: ISO_PROGRAM_LINEAR.
bool iso__program_row_is_linear(const iso_program *program, uint32_t row);

#endif
