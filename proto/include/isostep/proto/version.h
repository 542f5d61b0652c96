/// What a program was built from and what it goes together with: what a report of a fault has to say.
#ifndef ISOSTEP_PROTO_VERSION_H
#define ISOSTEP_PROTO_VERSION_H

#include <stdbool.h>
#include <stddef.h>

#include "isostep/isostep.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_VERSION_TEXT_SIZE 2048

/// Writes the answer to --version: program and release, compiler and processor, the fingerprint of the simulation, the
/// protocol, the formats of recordings, the games with their versions and the schemas of their worlds. Lines that end with a newline, zero-terminated.
///
/// @param program     "isostep-server"
/// @param games       those that the program brings; one of the library's of the same name is left out
/// @param game_count  of them
void iso_version_text(const char *program, const iso_game *const *games, size_t game_count, char text[ISO_VERSION_TEXT_SIZE]);

/// Whether a member may be called so: at most ISO_MEMBER_NAME_MAX bytes of UTF-8 without control characters.
bool iso_member_name_is_valid(const char *name);

#ifdef __cplusplus
}
#endif

#endif
