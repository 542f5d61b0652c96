/// Untrusted texts on a terminal: names, reasons, paths and arguments from recordings, scenes, the network and command
/// lines. All programs write them with these functions.
///
/// Every function may be called from any thread.
#ifndef ISOSTEP_PROTO_TEXT_H
#define ISOSTEP_PROTO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Whether a character can be printed in a line without changing how the rest of it is shown. Not printable are the
/// control characters U+0000 to U+001F and U+007F to U+009F, the separators of lines and paragraphs, the marks,
/// embeddings, overrides and isolates of writing direction, and other invisible format characters.
bool iso_text_is_printable(uint32_t character);

/// Replaces characters that are not printable, including newlines, with '?': one for each character, and one for each
/// byte that is not UTF-8. The text does not become longer.
///
/// @param text  zero-terminated
void iso_text_make_printable(char *text);

/// fprintf for terminals: writes the formatted text with '?' for everything that is not printable, except newlines.
/// Of a text beyond 2 KiB only the beginning is written when memory is missing.
///
/// @return the number of bytes written; negative: writing failed
#if defined __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
int iso_print(FILE *file, const char *format, ...);

/// The last step of a program that writes to standard output: what is still in its buffer. When something could not be
/// written, standard error says why.
///
/// @param program  its name
/// @return false: something could not be written
bool iso_print_end(const char *program);

/// Writes a text as a string in JSON, with its quotes: characters that are not printable as \uXXXX, bytes that are not
/// UTF-8 as U+FFFD, so that the result is always valid JSON.
void iso_print_json_string(FILE *file, const char *text);

/// The end of a noun behind a number: "s", or "" when there is one. "1 tick", "0 ticks".
const char *iso_text_plural(uint64_t count);

#ifdef __cplusplus
}
#endif

#endif
