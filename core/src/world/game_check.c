/// Whether a world can have a game. Errors here would otherwise show late and elsewhere: a byte of the state that no
/// field lists is missing in snapshots and hashes, so a member that joins later diverges without an error.
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

/// A struct that fields describe: the game's state, or an event of its own.
typedef struct check_block {
    const iso_field *fields;
    uint32_t field_count;
    uint64_t size;
    const char *event; // its name; NULL: the state
} check_block;

/// Adds "its state" or "its event goal".
static void text_add_block(check_text *text, const check_block *block) {
    text_add(text, block->event ? "its event " : "its state");
    text_add(text, block->event ? block->event : "");
}

static uint64_t field_end(const iso_field *field) {
    return field->offset + (uint64_t)iso_field_width(field->type) * field->count;
}

static bool field_holds(const iso_field *field, uint64_t byte) {
    return field->offset <= byte && byte < field_end(field);
}

static uint32_t check_count_fields(const check_block *block, uint64_t byte) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->field_count; ++i) {
        count += field_holds(&block->fields[i], byte);
    }
    return count;
}

/// The first byte that is not in exactly one field; the size when there is none. Only the beginnings and ends of fields
/// need checking.
static uint64_t check_find_byte(const check_block *block) {
    uint64_t first = block->size > 0 && check_count_fields(block, 0) != 1 ? 0 : block->size;
    for (uint32_t i = 0; i < block->field_count; ++i) {
        const uint64_t edges[2] = {block->fields[i].offset, field_end(&block->fields[i])};
        for (int e = 0; e < 2; ++e) {
            first = edges[e] < first && check_count_fields(block, edges[e]) != 1 ? edges[e] : first;
        }
    }
    return first;
}

static iso_status check_refuse_byte(const check_block *block, uint64_t byte, check_text *text) {
    const char *join = " is in the fields ";
    text_add(text, "byte ");
    text_add_number(text, byte);
    text_add(text, " of ");
    text_add_block(text, block);
    for (uint32_t i = 0; i < block->field_count; ++i) {
        if (field_holds(&block->fields[i], byte)) {
            text_add(text, join);
            text_add(text, block->fields[i].name);
            join = " and ";
        }
    }
    text_add(text, check_count_fields(block, byte) == 0 ? " is in no field" : "");
    text_add(text, "; expected each of the ");
    text_add_number(text, block->size);
    text_add(text, " bytes in exactly one");
    return ISO_ERR_RANGE;
}

static iso_status check_fields(const check_block *block, check_text *text) {
    if (block->field_count > 0 && block->fields == NULL) {
        text_add(text, block->event ? "its event " : "it");
        text_add(text, block->event ? block->event : "");
        text_add(text, " has a number of fields, but no fields");
        return ISO_ERR_RANGE;
    }
    for (uint32_t i = 0; i < block->field_count; ++i) {
        const iso_field *field = &block->fields[i];
        const bool has_type = field->type >= ISO_FIELD_U8 && field->type <= ISO_FIELD_I64;
        if (field->unit == NULL) {
            text_add(text, "the field ");
            text_add(text, field->name);
            text_add(text, " has no unit; expected a text, which may be empty");
            return ISO_ERR_RANGE;
        }
        if (!has_type || field->count == 0 || field_end(field) > block->size) {
            text_add(text, "the field ");
            text_add(text, field->name);
            if (!has_type || field->count == 0) {
                text_add(text, has_type ? " has no elements" : " has no type");
                return ISO_ERR_RANGE;
            }
            text_add(text, " goes beyond ");
            text_add_block(text, block);
            return check_refuse_number(text, ": its end", field_end(field), block->size);
        }
    }
    const uint64_t byte = check_find_byte(block);
    return byte < block->size ? check_refuse_byte(block, byte, text) : ISO_OK;
}

#define EVENT_NAME_EXPECTED "'; expected a letter and up to 30 of a-z, 0-9 and _"

/// Names are printed by programs and compared by others, so they must not need quotes.
static bool event_name_is_valid(const char *name) {
    uint32_t size = 0;
    for (; name != NULL && name[size] != 0 && size <= ISO_GAME_NAME_MAX; ++size) {
        const char c = name[size];
        const bool is_letter = c >= 'a' && c <= 'z';
        if (!is_letter && (size == 0 || (c != '_' && (c < '0' || c > '9')))) {
            return false;
        }
    }
    return size > 0 && size <= ISO_GAME_NAME_MAX;
}

static bool names_are_equal(const char *a, const char *b) {
    for (; *a != 0 && *a == *b; ++a, ++b) {
    }
    return *a == *b;
}

/// @return how many of the first `count` events have the code or the name of that of number `count`
static uint32_t check_count_alike(const iso_game *game, uint32_t count) {
    uint32_t alike = 0;
    for (uint32_t i = 0; i < count; ++i) {
        alike += game->events[i].code == game->events[count].code ||
                 names_are_equal(game->events[i].name, game->events[count].name);
    }
    return alike;
}

/// In lines of events these stand for the world's own, and for events without a name.
static const char *const EVENT_NAMES_TAKEN[] = {ISO_EVENT_NAMES_TAKEN};

static bool event_name_is_taken(const char *name) {
    bool is_taken = false;
    for (size_t i = 0; i < sizeof EVENT_NAMES_TAKEN / sizeof EVENT_NAMES_TAKEN[0]; ++i) {
        is_taken = is_taken || names_are_equal(name, EVENT_NAMES_TAKEN[i]);
    }
    return is_taken;
}

/// What the names of an event's fields are: valid, and each once.
static iso_status check_field_names(const check_block *block, check_text *text) {
    for (uint32_t i = 0; i < block->field_count && block->fields != NULL; ++i) {
        const char *name = block->fields[i].name;
        bool is_alike = false;
        if (!event_name_is_valid(name)) {
            text_add_block(text, block);
            text_add(text, ": a field has the name '");
            text_add(text, name ? name : "");
            text_add(text, EVENT_NAME_EXPECTED);
            return ISO_ERR_RANGE;
        }
        for (uint32_t other = 0; other < i; ++other) {
            is_alike = is_alike || names_are_equal(name, block->fields[other].name);
        }
        if (is_alike) {
            text_add_block(text, block);
            text_add(text, ": two fields have the name ");
            text_add(text, name);
            text_add(text, "; expected one of its own for each");
            return ISO_ERR_RANGE;
        }
    }
    return ISO_OK;
}

static iso_status check_event(const iso_game *game, uint32_t index, check_text *text) {
    const iso_game_event *event = &game->events[index];
    const check_block block = {event->fields, event->field_count, event->size, event->name};
    if (event->size > ISO_EMIT_SIZE_MAX) {
        text_add_block(text, &block);
        return check_refuse_number(text, ": size", event->size, ISO_EMIT_SIZE_MAX);
    }
    if (check_count_alike(game, index) > 0) {
        text_add_block(text, &block);
        text_add(text, " has the code or the name of another; expected one of its own");
        return ISO_ERR_RANGE;
    }
    if (event_name_is_taken(event->name)) {
        text_add_block(text, &block);
        text_add(text, " has a name that the world's events have in text; expected another");
        return ISO_ERR_RANGE;
    }
    const iso_status status = check_field_names(&block, text);
    return status != ISO_OK ? status : check_fields(&block, text);
}

static iso_status check_events(const iso_game *game, check_text *text) {
    if (game->event_count > ISO_GAME_EVENTS_MAX) {
        return check_refuse_number(text, "event_count", game->event_count, ISO_GAME_EVENTS_MAX);
    }
    if (game->event_count > 0 && game->events == NULL) {
        text_add(text, "it has a number of events, but no events");
        return ISO_ERR_RANGE;
    }
    for (uint32_t i = 0; i < game->event_count; ++i) {
        const iso_game_event *event = &game->events[i];
        if (!event_name_is_valid(event->name)) {
            text_add(text, "event ");
            text_add_number(text, i);
            text_add(text, " has the name '");
            text_add(text, event->name ? event->name : "");
            text_add(text, EVENT_NAME_EXPECTED);
            return ISO_ERR_RANGE;
        }
        const iso_status status = check_event(game, i, text);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

const iso_game_event *iso_game_find_event(const iso_game *game, uint32_t code) {
    for (uint32_t i = 0; game != NULL && i < game->event_count; ++i) {
        if (game->events[i].code == code) {
            return &game->events[i];
        }
    }
    return NULL;
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
    const check_block state = {game->fields, game->field_count, game->state_size, NULL};
    const iso_status status = check_fields(&state, &to);
    return status != ISO_OK ? status : check_events(game, &to);
}
