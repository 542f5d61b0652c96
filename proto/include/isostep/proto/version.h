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

/// "2026-11-28 827b040e changed": date and number of the commit that this program was built from, and whether a file of
/// the source was changed since. "": not known, in a program that was built without git, or that is not one of ours.
const char *iso_version_commit(void);

/// What recordings name as their build: "isostep-server 0.1.0 (2026-11-28 827b040e, 13/9)" with the commit, if it is
/// known, and the versions of the simulation in the plane and in space. Cut at the capacity.
void iso_version_build(const char *program, char *text, size_t capacity);

/// Writes the output of --version: program, release and commit, compiler and processor, the fingerprints of the
/// simulation in the plane and in space, the protocol, the formats of recordings, the games with their versions and the
/// schemas of their worlds. Lines that end with a newline, zero-terminated. May be called from any thread.
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
