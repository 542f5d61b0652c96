/// What the programs read from their environment: ISO_SIMD, the instruction set of the solver, and their own name.
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

/// [bytes] With the zero at its end: beside it all else of iso_version_build fits into a recording.
#define ISO_PROGRAM_NAME_SIZE 22

/// The name that the process was started by, without its folders: what recordings and --version name, so that a program
/// with games of its own is told from ours. Letters, digits and . _ + - alone, others are replaced by _.
///
/// @param fallback  for where there is none, "isostep-server"
/// @return `name`
const char *iso_environment_program(const char *fallback, char name[ISO_PROGRAM_NAME_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
