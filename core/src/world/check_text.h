/// The text that says what is wrong with a game, and the names in it, for game_check.c and constraint_check.c.
#ifndef ISO_WORLD_CHECK_TEXT_H
#define ISO_WORLD_CHECK_TEXT_H

#include "isostep/game.h"

#define ISO__GAME_CAPITALS "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

/// A text in the caller's memory, cut where it is full; always ended.
typedef struct iso__game_text {
    char *bytes;
    size_t capacity, size;
} iso__game_text;

/// @param word  may be NULL: nothing is added
void iso__game_text_add(iso__game_text *text, const char *word);
void iso__game_text_add_number(iso__game_text *text, uint64_t number);

/// Adds what is wrong. @return ISO_ERR_RANGE
iso_status iso__game_refuse(iso__game_text *text, const char *what);
/// Adds which number is out of range. @return ISO_ERR_RANGE
iso_status iso__game_refuse_number(iso__game_text *text, const char *what, uint64_t number, uint64_t min, uint64_t max);
/// Adds that what the text ends with has a bad name. @return ISO_ERR_RANGE
/// @param name        may be NULL
/// @param characters  that names may have, in words
iso_status iso__game_refuse_name(iso__game_text *text, const char *name, const char *characters);

/// Whether a name has 1 to ISO_GAME_NAME_MAX characters: a-z, 0-9 and `others`. @param name  may be NULL: it is none
bool iso__game_name_is_valid(const char *name, const char *others);
bool iso__game_names_equal(const char *a, const char *b);

#endif
