/// Typed reading of a scene's JSON values, with the path of what is wrong.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/internal.h"

#define READER_DEPTH_MAX (ISO_SCENE_DEPTH_MAX + 4)

// ---- errors --------------------------------------------------------------------------------------

static void reader_write_path(const iso__scene_node *node, char *path, size_t capacity) {
    const iso__scene_node *steps[READER_DEPTH_MAX];
    uint32_t count = 0;
    for (; node->parent != NULL && count < READER_DEPTH_MAX; node = node->parent) {
        steps[count++] = node;
    }
    path[0] = 0;
    while (count > 0) {
        const iso__scene_node *step = steps[--count];
        if (step->key != NULL) {
            iso__scene_append_key(path, capacity, step->key, strlen(step->key));
        } else {
            iso__scene_append_index(path, capacity, step->index);
        }
    }
}

static void reader_write_value(const iso__scene_node *node, char *value, size_t capacity) {
    value[0] = 0;
    if (!node->is_present) {
        iso__scene_append(value, capacity, "nothing", 7);
        return;
    }
    const char *text = json_object_to_json_string_ext(node->json, JSON_C_TO_STRING_NOSLASHESCAPE);
    if (text == NULL) {
        return;
    }
    const size_t size = strlen(text);
    const bool cut = size > 60;
    iso__scene_append(value, cut ? 61 : capacity, text, size);
    if (cut) {
        iso__scene_append(value, capacity, "...", 3);
    }
}

void iso__scene_invalid(iso__scene_reader *reader, const iso__scene_node *node, const char *expected) {
    if (reader->status != ISO_OK) {
        return;
    }
    reader->status = ISO_ERR_SCENE_INVALID;
    iso_scene_error *error = reader->error;
    memset(error, 0, sizeof *error);
    reader_write_path(node, error->path, sizeof error->path);
    reader_write_value(node, error->value, sizeof error->value);
    iso__scene_append(error->expected, sizeof error->expected, expected, strlen(expected));
}

void iso__scene_invalid_name(iso__scene_reader *reader, const iso__scene_node *node, const char *expected,
                             const iso_nearest *nearest) {
    if (reader->status == ISO_OK) {
        iso__scene_invalid(reader, node, expected);
        iso_nearest_write(nearest, reader->error->nearest, sizeof reader->error->nearest);
    }
}

/// Whether two paths differ only by the places of items.
static bool path_is_alike(const char *a, const char *b) {
    while (*a != 0 && *b != 0) {
        const bool are_items =
            a[0] == '/' && b[0] == '/' && isdigit((unsigned char)a[1]) && isdigit((unsigned char)b[1]);
        if (*a++ != *b++) {
            return false;
        }
        if (are_items) {
            a += strspn(a, "0123456789");
            b += strspn(b, "0123456789");
        }
    }
    return *a == *b;
}

/// The error before this one that is of the same kind, or NULL.
static iso_scene_error *find_alike(const iso__scene_reader *reader) {
    iso_scene_error *first = reader->error - reader->error_count;
    for (uint32_t i = 0; i < reader->error_count; ++i) {
        if (strcmp(first[i].expected, reader->error->expected) == 0 &&
            path_is_alike(first[i].path, reader->error->path)) {
            return &first[i];
        }
    }
    return NULL;
}

bool iso__scene_recover(iso__scene_reader *reader) {
    const bool may_go_on = reader->status == ISO_ERR_SCENE_INVALID && reader->error_capacity > 1;
    iso_scene_error *alike = may_go_on ? find_alike(reader) : NULL;
    if (alike != NULL) {
        memset(reader->error, 0, sizeof *reader->error);
        ++alike->more;
        ++reader->fault_count;
        reader->status = ISO_OK;
    } else if (may_go_on && reader->error_count + 1 < reader->error_capacity) {
        ++reader->fault_count;
        ++reader->error_count;
        ++reader->error;
        reader->status = ISO_OK;
    }
    return reader->status == ISO_OK;
}

void iso__scene_out_of_memory(iso__scene_reader *reader) {
    if (reader->status == ISO_OK) {
        reader->status = ISO_ERR_MEMORY;
    }
}

bool iso__scene_reserve(iso__scene_reader *reader, void **items, uint32_t *capacity, uint32_t used, uint32_t count,
                        size_t item_size) {
    if (reader->status != ISO_OK) {
        return false;
    }
    if (count <= *capacity - used) {
        return true;
    }
    // Capacities stay far below 2^31: what asks for room was bounded by the world's capacities before.
    uint32_t next = *capacity < 16 ? 16 : *capacity * 2;
    next = next - used < count ? used + count : next;
    void *grown = realloc(*items, next * item_size);
    if (grown == NULL) {
        iso__scene_out_of_memory(reader);
        return false;
    }
    *items = grown;
    *capacity = next;
    return true;
}

// ---- nodes ---------------------------------------------------------------------------------------

iso__scene_node iso__scene_member(const iso__scene_node *object, const char *key) {
    iso__scene_node node = {object, key, 0, NULL, false};
    if (object->is_present && json_object_is_type(object->json, json_type_object)) {
        node.is_present = json_object_object_get_ex(object->json, key, &node.json);
    }
    return node;
}

iso__scene_node iso__scene_item(const iso__scene_node *array, size_t index) {
    return (iso__scene_node){array, NULL, index, json_object_array_get_idx(array->json, index), true};
}

/// The place of a word in a list of words that are separated by single spaces, from 0, or UINT32_MAX.
static uint32_t word_find(const char *words, const char *word) {
    const size_t size = strlen(word);
    uint32_t place = 0;
    for (const char *at = words; *at != 0; ++place) {
        const size_t length = strcspn(at, " ");
        if (length == size && memcmp(at, word, size) == 0) {
            return place;
        }
        at += length + (at[length] == ' ');
    }
    return UINT32_MAX;
}

/// "one of static, kinematic, dynamic".
static void word_list(const char *words, char *text, size_t capacity) {
    text[0] = 0;
    iso__scene_append(text, capacity, "one of ", 7);
    for (const char *at = words; *at != 0;) {
        const size_t length = strcspn(at, " ");
        iso__scene_append(text, capacity, at, length);
        at += length;
        at += *at == ' ';
        iso__scene_append(text, capacity, ", ", *at != 0 ? 2 : 0);
    }
}

bool iso__scene_object(iso__scene_reader *reader, const iso__scene_node *node, const char *keys) {
    if (reader->status != ISO_OK) {
        return false;
    }
    if (!node->is_present || !json_object_is_type(node->json, json_type_object)) {
        iso__scene_invalid(reader, node, "an object");
        return false;
    }
    json_object_object_foreach(node->json, key, value) {
        if (word_find(keys, key) == UINT32_MAX) {
            const iso__scene_node member = {node, key, 0, value, true};
            char expected[sizeof reader->error->expected] = "a known key: ";
            word_list(keys, expected + strlen(expected), sizeof expected - strlen(expected));
            iso_nearest nearest = {0};
            for (const char *at = keys; *at != 0;) {
                const size_t length = strcspn(at, " ");
                iso_nearest_look(&nearest, key, at, length);
                at += length + (at[length] == ' ');
            }
            iso__scene_invalid_name(reader, &member, expected, &nearest);
            return false;
        }
    }
    return true;
}

size_t iso__scene_array(iso__scene_reader *reader, const iso__scene_node *node, size_t min, size_t max) {
    if (reader->status != ISO_OK) {
        return 0;
    }
    const bool is_array = node->is_present && json_object_is_type(node->json, json_type_array);
    const size_t count = is_array ? json_object_array_length(node->json) : 0;
    if (!is_array || count < min || count > max) {
        char expected[96];
        if (min == max) {
            snprintf(expected, sizeof expected, "an array of %zu", min);
        } else if (max == SIZE_MAX) {
            snprintf(expected, sizeof expected, "an array");
        } else {
            snprintf(expected, sizeof expected, "an array of %zu to %zu", min, max);
        }
        iso__scene_invalid(reader, node, expected);
        return 0;
    }
    return count;
}

// ---- numbers -------------------------------------------------------------------------------------

static void range_invalid(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range,
                          const char *note) {
    if (range.expected != NULL) {
        iso__scene_invalid(reader, node, range.expected);
        return;
    }
    char min[ISO_WIDE_TEXT_SIZE], max[ISO_WIDE_TEXT_SIZE], expected[160];
    iso_wide_to_text(range.min, min);
    iso_wide_to_text(range.max, max);
    snprintf(expected, sizeof expected,
             range.has_special_zero ? "0, or a number above %s%s, at most %s"
             : range.is_open_below  ? "a number above %s%s, at most %s"
                                    : "a number from %s%s to %s",
             min, note, max);
    iso__scene_invalid(reader, node, expected);
}

bool iso__scene_is_zero(const iso__scene_node *node) {
    const json_type type = node->is_present ? json_object_get_type(node->json) : json_type_null;
    const char *text = type == json_type_int || type == json_type_double ? json_object_get_string(node->json) : NULL;
    // Its first digit that is not 0 stands before the exponent, if there is one.
    const char *first = text != NULL ? text + strcspn(text, "123456789eE") : NULL;
    return first != NULL && (*first == 0 || *first == 'e' || *first == 'E');
}

/// The node's number, exactly from its text, when it is one and within the range.
static bool read_number(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range,
                        const char *note, iso_wide *value) {
    if (reader->status != ISO_OK) {
        return false;
    }
    const json_type type = node->is_present ? json_object_get_type(node->json) : json_type_null;
    if (type == json_type_int || type == json_type_double) {
        const char *text = json_object_get_string(node->json);
        if (text == NULL) {
            iso__scene_out_of_memory(reader);
            return false;
        }
        if (iso_wide_from_text(text, strlen(text), value) == ISO_OK && *value <= range.max &&
            (range.is_open_below ? *value > range.min : *value >= range.min)) {
            return true;
        }
    }
    range_invalid(reader, node, range, note);
    return false;
}

iso_wide iso__scene_wide(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range) {
    static const char note[] = " (rounded to 2^-32)";
    iso_wide value = 0;
    if (read_number(reader, node, range, range.has_special_zero ? note : "", &value) && value == 0 &&
        range.has_special_zero && !iso__scene_is_zero(node)) {
        range_invalid(reader, node, range, note);
    }
    return value;
}

fix16_t iso__scene_fix16(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range) {
    static const char note[] = " (rounded to 2^-16)";
    iso_wide wide = 0;
    if (!read_number(reader, node, range, range.is_open_below || range.has_special_zero ? note : "", &wide)) {
        return 0;
    }
    const fix16_t value = iso_fix16_from_wide(wide);
    if ((range.is_open_below && iso_wide_from_fix16(value) <= range.min) ||
        (range.has_special_zero && value == 0 && !iso__scene_is_zero(node))) {
        range_invalid(reader, node, range, note);
    }
    return value;
}

/// Reads an integer as two's complement: json-c keeps positive ones beyond int64 as unsigned.
static bool read_integer(const iso__scene_node *node, bool *negative, uint64_t *bits) {
    if (!node->is_present || !json_object_is_type(node->json, json_type_int)) {
        return false;
    }
    const int64_t value = json_object_get_int64(node->json);
    *negative = value < 0;
    *bits = *negative ? (uint64_t)value : json_object_get_uint64(node->json);
    return true;
}

uint64_t iso__scene_uint(iso__scene_reader *reader, const iso__scene_node *node, uint64_t min, uint64_t max) {
    bool negative = false;
    uint64_t value = 0;
    if (reader->status != ISO_OK) {
        return min;
    }
    if (read_integer(node, &negative, &value) && !negative && value >= min && value <= max) {
        return value;
    }
    char expected[96];
    snprintf(expected, sizeof expected, "an integer from %llu to %llu", (unsigned long long)min,
             (unsigned long long)max);
    iso__scene_invalid(reader, node, expected);
    return min;
}

int32_t iso__scene_int_in(iso__scene_reader *reader, const iso__scene_node *node, int32_t min, int32_t max) {
    bool negative = false;
    uint64_t bits = 0;
    if (reader->status != ISO_OK) {
        return 0;
    }
    if (read_integer(node, &negative, &bits)) {
        const int64_t value = (int64_t)bits;
        if (negative == (value < 0) && value >= min && value <= max) {
            return (int32_t)value;
        }
    }
    char expected[64];
    snprintf(expected, sizeof expected, "an integer from %d to %d", (int)min, (int)max);
    iso__scene_invalid(reader, node, expected);
    return 0;
}

int32_t iso__scene_int32(iso__scene_reader *reader, const iso__scene_node *node) {
    return iso__scene_int_in(reader, node, INT32_MIN, INT32_MAX);
}

bool iso__scene_bool(iso__scene_reader *reader, const iso__scene_node *node) {
    if (reader->status == ISO_OK && (!node->is_present || !json_object_is_type(node->json, json_type_boolean))) {
        iso__scene_invalid(reader, node, "true or false");
    }
    return reader->status == ISO_OK && json_object_get_boolean(node->json);
}

void iso__scene_numbers(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range, size_t count,
                        iso_wide *numbers) {
    const bool has = iso__scene_array(reader, node, count, count) == count;
    for (size_t i = 0; i < count; ++i) {
        numbers[i] = 0;
        if (has) {
            const iso__scene_node item = iso__scene_item(node, i);
            numbers[i] = iso__scene_wide(reader, &item, range);
        }
    }
}

iso_vec2_wide iso__scene_vec2_wide(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range) {
    iso_wide numbers[2];
    iso__scene_numbers(reader, node, range, 2, numbers);
    return (iso_vec2_wide){numbers[0], numbers[1]};
}

iso_vec2 iso__scene_vec2(iso__scene_reader *reader, const iso__scene_node *node, iso__scene_range range) {
    const iso_vec2_wide wide = iso__scene_vec2_wide(reader, node, range);
    return (iso_vec2){iso_fix16_from_wide(wide.x), iso_fix16_from_wide(wide.y)};
}

bool iso__scene_bool_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key, bool fallback) {
    const iso__scene_node node = iso__scene_member(object, key);
    return node.is_present ? iso__scene_bool(reader, &node) : fallback;
}

fix16_t iso__scene_fix16_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key,
                            iso__scene_range range, fix16_t fallback) {
    const iso__scene_node node = iso__scene_member(object, key);
    return node.is_present ? iso__scene_fix16(reader, &node, range) : fallback;
}

iso_wide iso__scene_wide_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key,
                            iso__scene_range range, iso_wide fallback) {
    const iso__scene_node node = iso__scene_member(object, key);
    return node.is_present ? iso__scene_wide(reader, &node, range) : fallback;
}

uint64_t iso__scene_uint_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key, uint64_t min,
                            uint64_t max, uint64_t fallback) {
    const iso__scene_node node = iso__scene_member(object, key);
    return node.is_present ? iso__scene_uint(reader, &node, min, max) : fallback;
}

iso_vec2 iso__scene_vec2_or(iso__scene_reader *reader, const iso__scene_node *object, const char *key,
                            iso__scene_range range, iso_vec2 fallback) {
    const iso__scene_node node = iso__scene_member(object, key);
    return node.is_present ? iso__scene_vec2(reader, &node, range) : fallback;
}

// ---- words ---------------------------------------------------------------------------------------

const char *iso__scene_string(iso__scene_reader *reader, const iso__scene_node *node, size_t size_max,
                              const char *expected) {
    if (reader->status != ISO_OK) {
        return "";
    }
    if (!node->is_present || !json_object_is_type(node->json, json_type_string) ||
        (size_t)json_object_get_string_len(node->json) > size_max) {
        iso__scene_invalid(reader, node, expected);
        return "";
    }
    return json_object_get_string(node->json);
}

bool iso__scene_is_name(const char *text) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t size = strlen(text);
    return size >= 1 && size <= ISO_SCENE_NAME_MAX && strspn(text, letters) == size;
}

const char *iso__scene_name(iso__scene_reader *reader, const iso__scene_node *node) {
    static const char expected[] = "a name: 1 to 31 letters, digits, \"_\" or \"-\"";
    const char *name = iso__scene_string(reader, node, ISO_SCENE_NAME_MAX, expected);
    if (!iso__scene_is_name(name)) {
        iso__scene_invalid(reader, node, expected);
    }
    return name;
}

uint32_t iso__scene_word_of(iso__scene_reader *reader, const iso__scene_node *node, const char *words,
                            const char *others) {
    if (reader->status != ISO_OK) {
        return 0;
    }
    bool is_other = false;
    if (node->is_present && json_object_is_type(node->json, json_type_string)) {
        const char *word = json_object_get_string(node->json);
        const bool is_word = *word != 0 && strchr(word, ' ') == NULL;
        const uint32_t place = is_word ? word_find(words, word) : UINT32_MAX;
        if (place != UINT32_MAX) {
            return place;
        }
        is_other = is_word && word_find(others, word) != UINT32_MAX;
    }
    char expected[sizeof reader->error->expected];
    word_list(words, expected, sizeof expected);
    if (is_other) {
        const char *why = iso__scene_is_space(reader) ? "; what is there is for worlds of two dimensions"
                                                      : "; what is there needs \"dimensions\": 3";
        iso__scene_append(expected, sizeof expected, why, strlen(why));
    }
    iso__scene_invalid(reader, node, expected);
    return 0;
}

uint32_t iso__scene_word(iso__scene_reader *reader, const iso__scene_node *node, const char *words) {
    return iso__scene_word_of(reader, node, words, "");
}

void iso__scene_refuse_name(iso__scene_reader *reader, const iso__scene_node *node, const char *const (*names)[2],
                            size_t count) {
    const bool is_text = node->is_present && json_object_is_type(node->json, json_type_string);
    for (size_t i = 0; is_text && i < count; ++i) {
        if (strcmp(json_object_get_string(node->json), names[i][0]) == 0) {
            iso__scene_invalid(reader, node, names[i][1]);
        }
    }
}

iso_owner iso__scene_owner(iso__scene_reader *reader, const iso__scene_node *object) {
    const iso__scene_node node = iso__scene_member(object, "owner");
    const uint32_t word = node.is_present ? iso__scene_word(reader, &node, "nobody everyone") : 0;
    return (iso_owner){.generation = 0, .slot = word == 1 ? ISO_OWNER_EVERYONE : ISO_OWNER_NOBODY};
}
