/// What the programs read from their environment: ISO_SIMD, the instruction set of the solver.
///
/// The functions may be called from any thread while nothing changes the environment.
#ifndef ISOSTEP_PROTO_ENVIRONMENT_H
#define ISOSTEP_PROTO_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "isostep/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_ENVIRONMENT_TEXT_SIZE 160

/// Whether the environment can be used: ISO_SIMD is unset, empty, or names a set that is supported.
///
/// @param text  if it cannot, what is wrong and which values are allowed
bool iso_environment_check(char text[ISO_ENVIRONMENT_TEXT_SIZE]);

/// @return the set that ISO_SIMD names; the fastest one when it names none or one that is not supported
iso_simd iso_environment_simd(void);

#ifdef __cplusplus
}
#endif

#endif
