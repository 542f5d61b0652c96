/// Whether a world can have a game. Errors here would otherwise show late and elsewhere: a byte of the state that no
/// field lists is missing in snapshots and hashes, so a member that joins later diverges without an error.
#include "world/check_text.h"
#include "world/constraint_check.h"

#define GAME_PLANE (1u << 2) // the bits of iso_game.dimensions
#define GAME_SPACE (1u << 3)

// ---- fields --------------------------------------------------------------------------------------

/// A struct that fields describe: the game's state, or an event of its own.
typedef struct check_block {
    const iso_field *fields;
    uint32_t field_count;
    uint64_t size;
    const char *event; // its name; NULL: the state
} check_block;

/// Adds "its state" or "its event goal".
static void text_add_block(iso__game_text *text, const check_block *block) {
    iso__game_text_add(text, block->event ? "its event " : "its state");
    iso__game_text_add(text, block->event);
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

static iso_status check_refuse_byte(const check_block *block, uint64_t byte, iso__game_text *text) {
    const char *join = " is in the fields ";
    iso__game_text_add(text, "byte ");
    iso__game_text_add_number(text, byte);
    iso__game_text_add(text, " of ");
    text_add_block(text, block);
    for (uint32_t i = 0; i < block->field_count; ++i) {
        if (field_holds(&block->fields[i], byte)) {
            iso__game_text_add(text, join);
            iso__game_text_add(text, block->fields[i].name);
            join = " and ";
        }
    }
    iso__game_text_add(text, check_count_fields(block, byte) == 0 ? " is in no field" : "");
    iso__game_text_add(text, "; expected each of the ");
    iso__game_text_add_number(text, block->size);
    iso__game_text_add(text, " bytes in exactly one");
    return ISO_ERR_RANGE;
}

static iso_status check_fields(const check_block *block, iso__game_text *text) {
    if (block->field_count > 0 && block->fields == NULL) {
        iso__game_text_add(text, block->event ? "its event " : "it");
        iso__game_text_add(text, block->event);
        iso__game_text_add(text, " has a number of fields, but no fields");
        return ISO_ERR_RANGE;
    }
    for (uint32_t i = 0; i < block->field_count; ++i) {
        const iso_field *field = &block->fields[i];
        if (field->name == NULL) {
            iso__game_text_add(text, "field ");
            iso__game_text_add_number(text, i);
            iso__game_text_add(text, " of ");
            text_add_block(text, block);
            return iso__game_refuse(text, " has no name");
        }
        const bool has_type = field->type >= ISO_FIELD_U8 && field->type <= ISO_FIELD_I64;
        if (field->unit == NULL) {
            iso__game_text_add(text, "the field ");
            iso__game_text_add(text, field->name);
            iso__game_text_add(text, " has no unit; expected a text, which may be empty");
            return ISO_ERR_RANGE;
        }
        if (!has_type || field->count == 0 || field_end(field) > block->size) {
            iso__game_text_add(text, "the field ");
            iso__game_text_add(text, field->name);
            if (!has_type || field->count == 0) {
                iso__game_text_add(text, has_type ? " has no elements" : " has no type");
                return ISO_ERR_RANGE;
            }
            iso__game_text_add(text, " goes beyond ");
            text_add_block(text, block);
            return iso__game_refuse_number(text, ": its end", field_end(field), 0, block->size);
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

/// @return how many of the first `count` events have the code or the name of that of number `count`
static uint32_t check_count_alike(const iso_game *game, uint32_t count) {
    uint32_t alike = 0;
    for (uint32_t i = 0; i < count; ++i) {
        alike += game->events[i].code == game->events[count].code ||
                 iso__game_names_equal(game->events[i].name, game->events[count].name);
    }
    return alike;
}

/// In lines of events these stand for the world's own, and for events without a name.
static const char *const EVENT_NAMES_TAKEN[] = {ISO_EVENT_NAMES_TAKEN};

static bool event_name_is_taken(const char *name) {
    bool is_taken = false;
    for (size_t i = 0; i < sizeof EVENT_NAMES_TAKEN / sizeof EVENT_NAMES_TAKEN[0]; ++i) {
        is_taken = is_taken || iso__game_names_equal(name, EVENT_NAMES_TAKEN[i]);
    }
    return is_taken;
}

/// What the names of an event's fields are: valid, and each once.
static iso_status check_field_names(const check_block *block, iso__game_text *text) {
    for (uint32_t i = 0; i < block->field_count && block->fields != NULL; ++i) {
        const char *name = block->fields[i].name;
        bool is_alike = false;
        if (!event_name_is_valid(name)) {
            text_add_block(text, block);
            iso__game_text_add(text, ": a field has the name '");
            iso__game_text_add(text, name);
            iso__game_text_add(text, EVENT_NAME_EXPECTED);
            return ISO_ERR_RANGE;
        }
        for (uint32_t other = 0; other < i; ++other) {
            is_alike = is_alike || iso__game_names_equal(name, block->fields[other].name);
        }
        if (is_alike) {
            text_add_block(text, block);
            iso__game_text_add(text, ": two fields have the name ");
            iso__game_text_add(text, name);
            iso__game_text_add(text, "; expected one of its own for each");
            return ISO_ERR_RANGE;
        }
    }
    return ISO_OK;
}

static iso_status check_event(const iso_game *game, uint32_t index, iso__game_text *text) {
    const iso_game_event *event = &game->events[index];
    const check_block block = {event->fields, event->field_count, event->size, event->name};
    if (event->size > ISO_EMIT_SIZE_MAX) {
        text_add_block(text, &block);
        return iso__game_refuse_number(text, ": size", event->size, 0, ISO_EMIT_SIZE_MAX);
    }
    if (check_count_alike(game, index) > 0) {
        text_add_block(text, &block);
        iso__game_text_add(text, " has the code or the name of another; expected one of its own");
        return ISO_ERR_RANGE;
    }
    if (event_name_is_taken(event->name)) {
        text_add_block(text, &block);
        iso__game_text_add(text, " has a name that the world's events have in text; expected another");
        return ISO_ERR_RANGE;
    }
    const iso_status status = check_field_names(&block, text);
    return status != ISO_OK ? status : check_fields(&block, text);
}

static iso_status check_events(const iso_game *game, iso__game_text *text) {
    if (game->event_count > ISO_GAME_EVENTS_MAX) {
        return iso__game_refuse_number(text, "event_count", game->event_count, 0, ISO_GAME_EVENTS_MAX);
    }
    if (game->event_count > 0 && game->events == NULL) {
        iso__game_text_add(text, "it has a number of events, but no events");
        return ISO_ERR_RANGE;
    }
    for (uint32_t i = 0; i < game->event_count; ++i) {
        const iso_game_event *event = &game->events[i];
        if (!event_name_is_valid(event->name)) {
            iso__game_text_add(text, "event ");
            iso__game_text_add_number(text, i);
            iso__game_text_add(text, " has the name '");
            iso__game_text_add(text, event->name);
            iso__game_text_add(text, EVENT_NAME_EXPECTED);
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

/// What the table of parameters is: there, with valid names, each once. Scenes and programs look for them by name.
static iso_status check_params(const iso_game *game, iso__game_text *text) {
    if (game->param_count > ISO_GAME_PARAMS_MAX) {
        return iso__game_refuse_number(text, "param_count", game->param_count, 0, ISO_GAME_PARAMS_MAX);
    }
    if (game->param_count > 0 && game->params == NULL) {
        return iso__game_refuse(text, "it has a number of params, but no params");
    }
    for (uint32_t i = 0; i < game->param_count; ++i) {
        const char *name = game->params[i].name;
        bool is_alike = false;
        if (!iso__game_name_is_valid(name, ISO__GAME_CAPITALS "_-")) {
            iso__game_text_add(text, "param ");
            iso__game_text_add_number(text, i);
            return iso__game_refuse_name(text, name, "a-z, A-Z, 0-9, _ and -");
        }
        for (uint32_t other = 0; other < i; ++other) {
            is_alike = is_alike || iso__game_names_equal(name, game->params[other].name);
        }
        if (is_alike) {
            iso__game_text_add(text, "two params have the name ");
            iso__game_text_add(text, name);
            return iso__game_refuse(text, "; expected one of its own for each");
        }
    }
    return ISO_OK;
}

/// What the game is as a whole.
static iso_status check_head(const iso_game *game, iso__game_text *text) {
    if (!iso__game_name_is_valid(game->name, "-")) {
        iso__game_text_add(text, "it");
        return iso__game_refuse_name(text, game->name, "a-z, 0-9 and -");
    }
    if ((game->dimensions & ~(GAME_PLANE | GAME_SPACE)) != 0) {
        iso__game_text_add(text, "dimensions is ");
        iso__game_text_add_number(text, game->dimensions);
        return iso__game_refuse(text, "; expected the bits 4 (the plane), 8 (space), 12 (both), or 0 (the plane)");
    }
    if (game->control_size > ISO_CONTROL_SIZE_MAX) {
        return iso__game_refuse_number(text, "control_size", game->control_size, 0, ISO_CONTROL_SIZE_MAX);
    }
    return check_params(game, text);
}

/// Adds what is wrong with the game, if anything is.
static iso_status check_game(const iso_game *game, iso__game_text *text) {
    const check_block state = {game->fields, game->field_count, game->state_size, NULL};
    iso__game_text_add(text, "the game ");
    iso__game_text_add(text, game->name);
    iso__game_text_add(text, ": ");
    iso_status status = check_head(game, text);
    status = status != ISO_OK ? status : iso__game_check_constraints(game, text);
    status = status != ISO_OK ? status : check_fields(&state, text);
    return status != ISO_OK ? status : check_events(game, text);
}

iso_status iso_game_check(const iso_game *game, char *text, size_t capacity) {
    iso__game_text to = {text, capacity, 0};
    const iso_status status = game != NULL ? check_game(game, &to) : iso__game_refuse(&to, "the game is NULL");
    if (status == ISO_OK && capacity > 0) {
        text[0] = 0;
    }
    return status;
}

/// What game number `index` is beside those before it, which are right, and the others.
static iso_status check_in_list(const iso_game *const *games, size_t index, const iso_game *const *others,
                                size_t other_count, iso__game_text *text) {
    const iso_game *game = games[index];
    if (game == NULL) {
        iso__game_text_add(text, "game ");
        iso__game_text_add_number(text, index);
        return iso__game_refuse(text, " of the program's list is NULL; expected a game");
    }
    const iso_status status = check_game(game, text);
    if (status != ISO_OK) {
        return status;
    }
    for (size_t i = 0; i < index; ++i) {
        if (iso__game_names_equal(games[i]->name, game->name)) {
            return iso__game_refuse(text, "two games of the program have this name; expected one of its own for each");
        }
    }
    // Under the same name two programs would take each other for the same game.
    for (size_t i = 0; i < other_count; ++i) {
        if (others[i] != game && iso__game_names_equal(others[i]->name, game->name)) {
            return iso__game_refuse(text, "the library has a game of this name; expected another name");
        }
    }
    text->size = 0;
    return ISO_OK;
}

iso_status iso_game_check_list(const iso_game *const *games, size_t count, const iso_game *const *others,
                               size_t other_count, char *text, size_t capacity) {
    iso__game_text to = {text, capacity, 0};
    if (count > 0 && games == NULL) {
        return iso__game_refuse(&to, "the program has a number of games, but no list of them");
    }
    for (size_t i = 0; i < count; ++i) {
        const iso_status status = check_in_list(games, i, others, other_count, &to);
        if (status != ISO_OK) {
            return status;
        }
    }
    if (capacity > 0) {
        text[0] = 0;
    }
    return ISO_OK;
}
