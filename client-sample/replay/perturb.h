/// isostep-replay perturb: the changes it makes.
#ifndef ISO_REPLAY_PERTURB_H
#define ISO_REPLAY_PERTURB_H

#include "replay.h"

#define PERTURB_TEXT_SIZE 192u

/// One bit of one field of a state.
typedef struct perturb_flip {
    iso_section section;
    uint32_t record;
    char field[48];
    uint32_t element;
    uint32_t bit;
} perturb_flip;

/// Reads SECTION[RECORD].FIELD[ELEMENT]:BIT; record and element are 0 when they are not given.
/// @return false, after a line on standard error
bool iso__replay_perturb_flip_parse(const char *text, perturb_flip *flip);

/// Flips the bit in the world's state, if that leaves a state that a world can have.
/// @param text  PERTURB_TEXT_SIZE: what was changed, from what, into what
/// @return false, after a line on standard error; the world is unchanged
bool iso__replay_perturb_flip_apply(const perturb_flip *flip, iso_world *world, char *text);

typedef enum perturb_edit_kind {
    PERTURB_DROP,   // the command is left out
    PERTURB_CHANGE, // an argument that matters is another one
    PERTURB_FLIP,   // one bit of its canonical bytes
} perturb_edit_kind;

/// A change of one command.
typedef struct perturb_edit {
    perturb_edit_kind kind;
    bool has_index;
    uint32_t index; // within its tick, from 0
    uint32_t bit;   // FLIP: 8 * byte + bit
} perturb_edit;

/// Reads drop, drop:N, change, change:N or flip:N:BIT. @return false, after a line on standard error
bool iso__replay_perturb_edit_parse(const char *text, perturb_edit *edit);

/// Whether the edit's command can be changed so; what results then stands in *result (not for DROP).
bool iso__replay_perturb_edit_make(const perturb_edit *edit, const iso_command *command, iso_command *result);

#endif
