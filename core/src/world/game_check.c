/// Whether a game is one that a world can have. What is wrong here would show late and far away: a byte of the state that
/// no field lists is missing in snapshots and hashes, so that who joins later parts from the others without a sign.
#include "isostep/game.h"

#include "world/custom.h"

/// A text in the caller's memory, cut where it is full; always ended.
typedef struct check_text {
    char *bytes;
    size_t capacity, size;
} check_text;

static void text_add(check_text *text, const char *word) {
    for (; *word != 0 && text->size + 1 < text->capacity; ++word) {
        text->bytes[text->size++] = *word;
    }
    if (text->capacity > 0) {
        text->bytes[text->size] = 0;
    }
}

static void text_add_number(check_text *text, uint64_t number) {
    char digits[21] = {0};
    size_t at = sizeof digits - 1;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    text_add(text, digits + at);
}

/// Adds what is too large. @return ISO_ERR_RANGE
static iso_status check_refuse_number(check_text *text, const char *what, uint64_t number, uint64_t max) {
    text_add(text, what);
    text_add(text, " is ");
    text_add_number(text, number);
    text_add(text, "; expected at most ");
    text_add_number(text, max);
    return ISO_ERR_RANGE;
}

static uint64_t field_end(const iso_field *field) {
    return field->offset + (uint64_t)iso_field_width(field->type) * field->count;
}

static bool field_holds(const iso_field *field, uint64_t byte) {
    return field->offset <= byte && byte < field_end(field);
}

static uint32_t check_count_fields(const iso_game *game, uint64_t byte) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < game->field_count; ++i) {
        count += field_holds(&game->fields[i], byte);
    }
    return count;
}

/// The first byte of the state that is not in exactly one field; state_size when there is none. Where fields begin and end
/// is where that changes.
static uint64_t check_find_byte(const iso_game *game) {
    uint64_t first = game->state_size > 0 && check_count_fields(game, 0) != 1 ? 0 : game->state_size;
    for (uint32_t i = 0; i < game->field_count; ++i) {
        const uint64_t edges[2] = {game->fields[i].offset, field_end(&game->fields[i])};
        for (int e = 0; e < 2; ++e) {
            first = edges[e] < first && check_count_fields(game, edges[e]) != 1 ? edges[e] : first;
        }
    }
    return first;
}

static iso_status check_refuse_byte(const iso_game *game, uint64_t byte, check_text *text) {
    const char *join = " is in the fields ";
    text_add(text, "byte ");
    text_add_number(text, byte);
    text_add(text, " of its state");
    for (uint32_t i = 0; i < game->field_count; ++i) {
        if (field_holds(&game->fields[i], byte)) {
            text_add(text, join);
            text_add(text, game->fields[i].name);
            join = " and ";
        }
    }
    text_add(text, check_count_fields(game, byte) == 0 ? " is in no field" : "");
    text_add(text, "; expected each of the ");
    text_add_number(text, game->state_size);
    text_add(text, " bytes in exactly one");
    return ISO_ERR_RANGE;
}

static iso_status check_fields(const iso_game *game, check_text *text) {
    if (game->field_count > 0 && game->fields == NULL) {
        text_add(text, "it has a number of fields, but no fields");
        return ISO_ERR_RANGE;
    }
    for (uint32_t i = 0; i < game->field_count; ++i) {
        const iso_field *field = &game->fields[i];
        const bool has_type = field->type >= ISO_FIELD_U8 && field->type <= ISO_FIELD_I64;
        if (!has_type || field->count == 0 || field_end(field) > game->state_size) {
            text_add(text, "the field ");
            text_add(text, field->name);
            if (!has_type || field->count == 0) {
                text_add(text, has_type ? " has no elements" : " has no type");
                return ISO_ERR_RANGE;
            }
            return check_refuse_number(text, " goes beyond the state: its end", field_end(field), game->state_size);
        }
    }
    const uint64_t byte = check_find_byte(game);
    return byte < game->state_size ? check_refuse_byte(game, byte, text) : ISO_OK;
}

iso_status iso_game_check(const iso_game *game, char *text, size_t capacity) {
    check_text to = {text, capacity, 0};
    text_add(&to, "the game ");
    text_add(&to, game->name);
    text_add(&to, ": ");
    if (game->control_size > ISO_CONTROL_SIZE_MAX) {
        return check_refuse_number(&to, "control_size", game->control_size, ISO_CONTROL_SIZE_MAX);
    }
    if (game->param_count > ISO_GAME_PARAMS_MAX) {
        return check_refuse_number(&to, "param_count", game->param_count, ISO_GAME_PARAMS_MAX);
    }
    if (!iso__custom_fits(game)) {
        text_add(&to, "a constraint has too many bodies, rows or parameters, or no function");
        return ISO_ERR_RANGE;
    }
    return check_fields(game, &to);
}
