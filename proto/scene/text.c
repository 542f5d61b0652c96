/// Strict checking of a scene's JSON text, before json-c builds its tree. Comments end here: what json-c gets has
/// spaces in their place, since it does not find the end of each (/***/).
///
/// json-c keeps the text of decimals, which is why it is used, but it is lenient where a hostile or sloppy
/// scene would go unnoticed. This pass allocates nothing, is linear in the text (times the members of one
/// object), and bounds what the tree can cost.
#include <string.h>

#include "scene/internal.h"

#define TEXT_OF(limit)  TEXT_OF_(limit)
#define TEXT_OF_(limit) #limit

typedef struct scan_key {
    uint32_t start, size;
} scan_key;

/// An open array or object.
typedef struct scan_level {
    bool is_object;
    bool has_child; // key or index says where the scan is
    uint32_t index; // array: of the current item; object: of the current member
    scan_key keys[ISO_SCENE_MEMBERS_MAX];
} scan_level;

typedef struct scan {
    const char *text;
    size_t size;
    size_t at;
    uint32_t depth;
    uint32_t value_count, value_max;
    iso_scene_error *error;
    bool has_failed;
    char *plain;        // a copy whose comments become spaces, or NULL
    const char *wanted; // the path of a value to find, or NULL
    uint32_t wanted_depth;
    size_t found; // where it begins; SIZE_MAX: not yet
    size_t found_end;
    scan_level levels[ISO_SCENE_DEPTH_MAX];
} scan;

static bool scan_value(scan *s);

// ---- error text ----------------------------------------------------------------------------------

void iso__scene_append(char *to, size_t capacity, const char *from, size_t size) {
    const size_t length = strlen(to);
    const size_t room = capacity - 1 - length;
    if (size > room) {
        size = room;
        while (size > 0 && ((unsigned char)from[size] & 0xC0u) == 0x80u) {
            size -= 1;
        }
    }
    memcpy(to + length, from, size);
    to[length + size] = 0;
}

void iso__scene_append_key(char *to, size_t capacity, const char *key, size_t size) {
    iso__scene_append(to, capacity, "/", 1);
    size_t start = 0;
    for (size_t i = 0; i < size; ++i) {
        if (key[i] == '~' || key[i] == '/') {
            iso__scene_append(to, capacity, key + start, i - start);
            iso__scene_append(to, capacity, key[i] == '~' ? "~0" : "~1", 2);
            start = i + 1;
        }
    }
    iso__scene_append(to, capacity, key + start, size - start);
}

void iso__scene_append_index(char *to, size_t capacity, size_t index) {
    char digits[24];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + index % 10);
        index /= 10;
    } while (index > 0);
    digits[--first] = '/';
    iso__scene_append(to, capacity, digits + first, sizeof digits - first);
}

/// Shows the text at an offset: up to 24 bytes of its line, what is not printable ASCII as \xNN.
static void scan_excerpt(const scan *s, size_t at, char *to, size_t capacity) {
    static const char hex[] = "0123456789abcdef";
    to[0] = 0;
    if (at >= s->size) {
        iso__scene_append(to, capacity, "the end of the text", 19);
        return;
    }
    for (size_t i = at; i < s->size && i < at + 24 && (i == at || s->text[i] != '\n'); ++i) {
        const unsigned char c = (unsigned char)s->text[i];
        if (c >= 0x20 && c < 0x7F) {
            iso__scene_append(to, capacity, &s->text[i], 1);
        } else {
            const char escape[4] = {'\\', 'x', hex[c >> 4], hex[c & 15u]};
            iso__scene_append(to, capacity, escape, 4);
        }
    }
}

/// The path of what is scanned now.
static void scan_path(const scan *s, char *path, size_t capacity) {
    path[0] = 0;
    for (uint32_t i = 0; i < s->depth; ++i) {
        const scan_level *level = &s->levels[i];
        if (!level->has_child) {
            break;
        }
        if (level->is_object) {
            const scan_key key = level->keys[level->index];
            iso__scene_append_key(path, capacity, s->text + key.start, key.size);
        } else {
            iso__scene_append_index(path, capacity, level->index);
        }
    }
}

static void scan_place(const scan *s, size_t at, iso_scene_error *error) {
    error->line = 1;
    error->column = 1;
    for (size_t i = 0; i < at && i < s->size; ++i) {
        error->column += 1;
        if (s->text[i] == '\n') {
            error->line += 1;
            error->column = 1;
        }
    }
}

/// Keeps the first error. @return false
static bool scan_fail(scan *s, size_t at, const char *expected) {
    if (s->has_failed) {
        return false;
    }
    s->has_failed = true;
    iso_scene_error *error = s->error;
    memset(error, 0, sizeof *error);
    scan_path(s, error->path, sizeof error->path);
    scan_excerpt(s, at, error->value, sizeof error->value);
    iso__scene_append(error->expected, sizeof error->expected, expected, strlen(expected));
    scan_place(s, at, error);
    return false;
}

// ---- strings -------------------------------------------------------------------------------------

/// The length of the UTF-8 sequence at `bytes`, or 0 when it is not a valid one: overlong forms, surrogates
/// and what is above U+10FFFF are not.
static size_t utf8_length(const unsigned char *bytes, size_t size) {
    if (bytes[0] < 0x80) {
        return 1;
    }
    const size_t length = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : 2;
    if (bytes[0] < 0xC2 || bytes[0] > 0xF4 || length > size) {
        return 0;
    }
    for (size_t i = 1; i < length; ++i) {
        if ((bytes[i] & 0xC0u) != 0x80u) {
            return 0;
        }
    }
    const bool overlong = (bytes[0] == 0xE0 && bytes[1] < 0xA0) || (bytes[0] == 0xF0 && bytes[1] < 0x90);
    const bool surrogate = bytes[0] == 0xED && bytes[1] > 0x9F;
    const bool too_large = bytes[0] == 0xF4 && bytes[1] > 0x8F;
    return overlong || surrogate || too_large ? 0 : length;
}

/// The value of the four hexadecimal digits at an offset, or UINT32_MAX.
static uint32_t scan_hex4(const scan *s, size_t at) {
    uint32_t value = 0;
    if (at + 4 > s->size) {
        return UINT32_MAX;
    }
    for (size_t i = at; i < at + 4; ++i) {
        const char c = s->text[i];
        const uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                               : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                               : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                      : 16u;
        if (digit == 16u) {
            return UINT32_MAX;
        }
        value = value * 16 + digit;
    }
    return value;
}

/// Scans an escape; `at` is on the backslash.
static bool scan_escape(scan *s) {
    const size_t start = s->at;
    const char c = start + 1 < s->size ? s->text[start + 1] : 0;
    if (c != 0 && strchr("\"\\/bfnrt", c) != NULL) {
        s->at += 2;
        return true;
    }
    const uint32_t code = c == 'u' ? scan_hex4(s, start + 2) : UINT32_MAX;
    if (code == UINT32_MAX || code == 0) {
        return scan_fail(s, start, "an escape of JSON, not of U+0000");
    }
    s->at += 6;
    if (code < 0xD800 || code > 0xDFFF) {
        return true;
    }
    const bool follows = s->at + 1 < s->size && s->text[s->at] == '\\' && s->text[s->at + 1] == 'u';
    const uint32_t low = follows ? scan_hex4(s, s->at + 2) : UINT32_MAX;
    if (code > 0xDBFF || low < 0xDC00 || low > 0xDFFF) {
        return scan_fail(s, start, "a pair of surrogates");
    }
    s->at += 6;
    return true;
}

/// Scans a string; `at` is on the opening quote.
/// @param is_key  a key has no escapes, so that equal keys are equal bytes
static bool scan_string(scan *s, bool is_key) {
    s->at += 1;
    while (s->at < s->size && s->text[s->at] != '"') {
        const unsigned char c = (unsigned char)s->text[s->at];
        if (c < 0x20) {
            return scan_fail(s, s->at, "no control character in a string");
        }
        if (c == '\\') {
            if (is_key) {
                return scan_fail(s, s->at, "a key without escapes");
            }
            if (!scan_escape(s)) {
                return false;
            }
            continue;
        }
        const size_t length = utf8_length((const unsigned char *)s->text + s->at, s->size - s->at);
        if (length == 0) {
            return scan_fail(s, s->at, "UTF-8");
        }
        s->at += length;
    }
    if (s->at >= s->size) {
        return scan_fail(s, s->size, "the end of the string");
    }
    s->at += 1;
    return true;
}

// ---- numbers -------------------------------------------------------------------------------------

static size_t scan_digits(scan *s) {
    const size_t start = s->at;
    while (s->at < s->size && s->text[s->at] >= '0' && s->text[s->at] <= '9') {
        s->at += 1;
    }
    return s->at - start;
}

/// Whether an integer's digits fit json-c's integers, which would be clamped without a word.
static bool integer_fits(const char *digits, size_t count, bool negative) {
    const char *limit = negative ? "9223372036854775808" : "18446744073709551615";
    const size_t limit_count = strlen(limit);
    return count < limit_count || (count == limit_count && memcmp(digits, limit, count) <= 0);
}

static bool scan_number(scan *s) {
    const size_t start = s->at;
    const bool negative = s->text[s->at] == '-';
    s->at += negative;
    const size_t first = s->at;
    const size_t digits = scan_digits(s);
    if (digits == 0 || (digits > 1 && s->text[first] == '0')) {
        return scan_fail(s, start, "a number of JSON");
    }
    bool is_integer = true;
    if (s->at < s->size && s->text[s->at] == '.') {
        is_integer = false;
        s->at += 1;
        if (scan_digits(s) == 0) {
            return scan_fail(s, start, "a number of JSON");
        }
    }
    if (s->at < s->size && (s->text[s->at] == 'e' || s->text[s->at] == 'E')) {
        is_integer = false;
        s->at += 1;
        s->at += s->at < s->size && (s->text[s->at] == '+' || s->text[s->at] == '-');
        if (scan_digits(s) == 0) {
            return scan_fail(s, start, "a number of JSON");
        }
    }
    if (s->at - start > ISO_SCENE_NUMBER_MAX) {
        return scan_fail(s, start, "a number of at most 64 characters");
    }
    if (is_integer && !integer_fits(s->text + first, digits, negative)) {
        return scan_fail(s, start, "an integer of at most 64 bits");
    }
    return true;
}

// ---- structure -----------------------------------------------------------------------------------

/// The size of the comment that begins here, with its end; 0: none does. What is wrong with it is where `at` then is.
static size_t comment_size(const scan *s) {
    const char *text = s->text + s->at;
    const size_t size = s->size - s->at;
    if (size < 2 || text[0] != '/' || (text[1] != '/' && text[1] != '*')) {
        return 0;
    }
    if (text[1] == '/') {
        const char *end = memchr(text, '\n', size);
        return end != NULL ? (size_t)(end - text) : size;
    }
    for (size_t i = 2; i + 1 < size; ++i) {
        if (text[i] == '*' && text[i + 1] == '/') {
            return i + 2;
        }
    }
    return SIZE_MAX;
}

/// Scans a comment, whose text is as strict as a string's.
static bool scan_comment(scan *s, size_t size) {
    if (size == SIZE_MAX) {
        return scan_fail(s, s->at, "the end of the comment, */");
    }
    const size_t start = s->at, end = s->at + size;
    while (s->at < end) {
        const unsigned char c = (unsigned char)s->text[s->at];
        if (c < 0x20 && (c == 0 || strchr("\t\r\n", c) == NULL)) {
            return scan_fail(s, s->at, "no control character in a comment");
        }
        const size_t length = utf8_length((const unsigned char *)s->text + s->at, end - s->at);
        if (length == 0) {
            return scan_fail(s, s->at, "UTF-8");
        }
        s->at += length;
    }
    if (s->plain != NULL) {
        memset(s->plain + start, ' ', size);
    }
    return true;
}

/// Scans white space and comments. @return false: a comment is wrong, and what comes next is not looked at
static bool scan_space(scan *s) {
    while (s->at < s->size && !s->has_failed) {
        const char c = s->text[s->at];
        const size_t comment = comment_size(s);
        if (comment > 0) {
            scan_comment(s, comment);
        } else if (c != 0 && strchr(" \t\r\n", c) != NULL) {
            s->at += 1;
        } else {
            break;
        }
    }
    return !s->has_failed;
}

/// Takes the character when it is next, after white space.
static bool scan_take(scan *s, char c) {
    if (scan_space(s) && s->at < s->size && s->text[s->at] == c) {
        s->at += 1;
        return true;
    }
    return false;
}

static scan_level *scan_open(scan *s, bool is_object) {
    if (s->depth == ISO_SCENE_DEPTH_MAX) {
        scan_fail(s, s->at, "at most 12 nested arrays and objects");
        return NULL;
    }
    scan_level *level = &s->levels[s->depth++];
    level->is_object = is_object;
    level->has_child = false;
    level->index = 0;
    s->at += 1;
    return level;
}

/// Scans a member's key and colon and enters the key into the level.
static bool scan_member_key(scan *s, scan_level *level, uint32_t index) {
    if (!scan_space(s)) {
        return false;
    }
    const size_t start = s->at;
    if (start >= s->size || s->text[start] != '"') {
        return scan_fail(s, start, "a key in double quotes");
    }
    if (index == ISO_SCENE_MEMBERS_MAX) {
        return scan_fail(s, start, "at most 256 members in an object");
    }
    if (!scan_string(s, true)) {
        return false;
    }
    const scan_key key = {(uint32_t)(start + 1), (uint32_t)(s->at - start - 2)};
    level->keys[index] = key;
    level->index = index;
    level->has_child = true;
    for (uint32_t i = 0; i < index; ++i) {
        if (level->keys[i].size == key.size &&
            memcmp(s->text + level->keys[i].start, s->text + key.start, key.size) == 0) {
            return scan_fail(s, start, "each key once");
        }
    }
    return scan_take(s, ':') || scan_fail(s, s->at, "a colon");
}

static bool scan_object(scan *s) {
    scan_level *level = scan_open(s, true);
    if (level == NULL) {
        return false;
    }
    if (!scan_take(s, '}')) {
        uint32_t index = 0;
        do {
            if (!scan_member_key(s, level, index++) || !scan_value(s)) {
                return false;
            }
        } while (scan_take(s, ','));
        if (!scan_take(s, '}')) {
            return scan_fail(s, s->at, "a comma or the end of the object");
        }
    }
    s->depth -= 1;
    return true;
}

static bool scan_array(scan *s) {
    scan_level *level = scan_open(s, false);
    if (level == NULL) {
        return false;
    }
    if (!scan_take(s, ']')) {
        level->has_child = true;
        while (true) {
            if (!scan_value(s)) {
                return false;
            }
            if (!scan_take(s, ',')) {
                break;
            }
            level->index += 1;
        }
        if (!scan_take(s, ']')) {
            return scan_fail(s, s->at, "a comma or the end of the array");
        }
    }
    s->depth -= 1;
    return true;
}

static bool scan_literal(scan *s, const char *word) {
    const size_t size = strlen(word);
    if (s->size - s->at < size || memcmp(s->text + s->at, word, size) != 0) {
        return scan_fail(s, s->at, "a value of JSON");
    }
    s->at += size;
    return true;
}

/// Whether the value that is looked for begins here; keeps where that is.
static bool scan_find(scan *s) {
    if (s->wanted == NULL || s->found != SIZE_MAX || s->depth != s->wanted_depth) {
        return false;
    }
    char path[sizeof s->error->path];
    scan_path(s, path, sizeof path);
    s->found = strcmp(path, s->wanted) == 0 ? s->at : SIZE_MAX;
    return s->found != SIZE_MAX;
}

/// Scans a value by its first character.
static bool scan_kind(scan *s) {
    const char c = s->text[s->at];
    switch (c) {
    case '{':
        return scan_object(s);
    case '[':
        return scan_array(s);
    case '"':
        return scan_string(s, false);
    case 't':
        return scan_literal(s, "true");
    case 'f':
        return scan_literal(s, "false");
    case 'n':
        return scan_literal(s, "null");
    default:
        break;
    }
    if (c == '-' || (c >= '0' && c <= '9')) {
        return scan_number(s);
    }
    return scan_fail(s, s->at, "a value of JSON");
}

static bool scan_value(scan *s) {
    if (!scan_space(s)) {
        return false;
    }
    if (s->at >= s->size) {
        return scan_fail(s, s->size, "a value of JSON");
    }
    if (++s->value_count > s->value_max) {
        return scan_fail(s, s->at,
                         s->value_max == ISO_SCENE_VALUES_MAX
                             ? "at most " TEXT_OF(ISO_SCENE_VALUES_MAX) " values"
                             : "at most " TEXT_OF(ISO_SCENE_SENT_VALUES_MAX) " values in a scene that is sent");
    }
    const bool is_wanted = scan_find(s);
    const bool ok = scan_kind(s);
    s->found_end = is_wanted ? s->at : s->found_end;
    return ok;
}

static void scan_init(scan *s, const char *text, size_t size, iso_scene_error *error) {
    s->text = text;
    s->size = size;
    s->at = 0;
    s->depth = 0;
    s->value_count = 0;
    s->value_max = ISO_SCENE_VALUES_MAX;
    s->error = error;
    s->has_failed = false;
    s->plain = NULL;
    s->wanted = NULL;
    s->wanted_depth = 0;
    s->found = SIZE_MAX;
}

static bool scan_all(scan *s) {
    if (s->size > ISO_SCENE_SIZE_MAX) {
        return scan_fail(s, 0, "a text of at most " TEXT_OF(ISO_SCENE_SIZE_MAX) " bytes");
    }
    scan_space(s);
    if (s->at >= s->size || s->text[s->at] != '{') {
        return scan_fail(s, s->at, "an object");
    }
    if (!scan_value(s)) {
        return false;
    }
    scan_space(s);
    return s->at == s->size || scan_fail(s, s->at, "nothing after the scene");
}

bool iso__scene_check_text(const char *text, size_t size, bool was_sent, char *plain, iso_scene_error *error) {
    scan s;
    scan_init(&s, text, size, error);
    s.plain = plain;
    if (was_sent) {
        s.value_max = ISO_SCENE_SENT_VALUES_MAX;
    }
    if (was_sent && size > ISO_SCENE_SENT_SIZE_MAX) {
        return scan_fail(&s, 0, "a text of at most " TEXT_OF(ISO_SCENE_SENT_SIZE_MAX) " bytes in a scene that is sent");
    }
    return scan_all(&s);
}

bool iso__scene_find(const char *text, size_t size, const char *path, size_t *start, size_t *end) {
    scan s;
    iso_scene_error unused;
    scan_init(&s, text, size, &unused);
    s.wanted = path;
    s.wanted_depth = 0;
    for (const char *at = path; (at = strchr(at, '/')) != NULL; ++at) {
        ++s.wanted_depth;
    }
    const bool is_found = scan_all(&s) && s.found != SIZE_MAX;
    *start = is_found ? s.found : 0;
    *end = is_found ? s.found_end : 0;
    return is_found;
}

void iso__scene_place(const char *text, size_t size, size_t at, iso_scene_error *error) {
    scan s;
    scan_init(&s, text, size, error);
    scan_place(&s, at, error);
}

void iso_scene_error_locate(iso_scene_error *error, const char *text, size_t size) {
    char path[sizeof error->path];
    memcpy(path, error->path, sizeof path);
    size_t start, end;
    while (error->line == 0) {
        char *last = strrchr(path, '/');
        if (iso__scene_find(text, size, path, &start, &end)) {
            iso__scene_place(text, size, start, error);
        } else if (last == NULL) {
            return;
        } else {
            *last = 0; // what is missing is looked for where it should stand
        }
    }
}
