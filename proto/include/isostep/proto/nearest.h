/// Which of the names that are there is meant by one that is not: "did you mean 'stack'?".
///
/// The distance of two names is how many letters are added, left out, replaced or swapped with the next one (the
/// restricted Damerau-Levenshtein distance), whatever their case. A name of n letters is near one at a distance of at
/// most (n + 1) / 3, rounded down. Names of more than 40 bytes are near none, and only the first 4,096 are looked at.
#ifndef ISOSTEP_PROTO_NEAREST_H
#define ISOSTEP_PROTO_NEAREST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ISO_NEAREST_MAX       3u
#define ISO_NEAREST_TEXT_SIZE 160u // of what iso_nearest_ask writes

/// The names that are most like one that is not there. {0}: none was looked at.
typedef struct iso_nearest {
    const char *names[ISO_NEAREST_MAX]; // the nearest one first; not terminated
    size_t sizes[ISO_NEAREST_MAX];      // [bytes]
    uint32_t distances[ISO_NEAREST_MAX];
    uint32_t count;
    uint32_t looked; // how many names were looked at
} iso_nearest;

/// Looks at a name that is there; of very many only the first ones count.
///
/// @param name       the one that is not there, zero-terminated; the same in each call
/// @param candidate  outlives `nearest`
/// @param size       [bytes] of the candidate
void iso_nearest_look(iso_nearest *nearest, const char *name, const char *candidate, size_t size);

/// Appends them to a text: "'ground', 'round'". Those for which there is no room are left out.
///
/// @param text      zero-terminated
/// @param capacity  [bytes] of its room
void iso_nearest_write(const iso_nearest *nearest, char *text, size_t capacity);

/// Writes " (did you mean 'stack'?)" with all of them, or "" when there is none.
void iso_nearest_ask(const iso_nearest *nearest, char text[ISO_NEAREST_TEXT_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
