/// What a program was built from and what it is compatible with, for bug reports. Usable without a C library.
#ifndef ISOSTEP_PROTO_VERSION_H
#define ISOSTEP_PROTO_VERSION_H

#include <stddef.h>

#include "isostep/game.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The version of the protocol of this code.
#define ISO_PROTOCOL_VERSION 3

/// The formats of recordings.
#define ISO_RECORDING_VERSION       2u // that is written of sessions in the plane
#define ISO_RECORDING_VERSION_SPACE 3u // the same in space: the definition has more members
#define ISO_RECORDING_VERSION_MIN   1u // the oldest that is read
#define ISO_RECORDING_VERSION_MAX   ISO_RECORDING_VERSION_SPACE

/// Bytes for the text, including the terminating zero; text that does not fit (very many games) is cut.
#define ISO_VERSION_TEXT_SIZE 2048

/// Writes the output of --version: program and release, compiler and processor, the fingerprint of the simulation, the
/// protocol, the formats of recordings, the games with their versions and the schemas of their worlds. Lines that end with a
/// newline, zero-terminated. May be called from any thread.
///
/// @param program     "isostep-server"
/// @param games       the program's own; they replace games of the library that have the same name
/// @param game_count  of them
void iso_version_text(const char *program, const iso_game *const *games, size_t game_count,
                      char text[ISO_VERSION_TEXT_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
