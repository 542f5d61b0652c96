/// See check_text.h.
#include "world/check_text.h"

void iso__game_text_add(iso__game_text *text, const char *word) {
    for (; word != NULL && *word != 0 && text->size + 1 < text->capacity; ++word) {
        text->bytes[text->size++] = *word;
    }
    if (text->capacity > 0) {
        text->bytes[text->size] = 0;
    }
}

void iso__game_text_add_number(iso__game_text *text, uint64_t number) {
    char digits[21] = {0};
    size_t at = sizeof digits - 1;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    iso__game_text_add(text, digits + at);
}

iso_status iso__game_refuse(iso__game_text *text, const char *what) {
    iso__game_text_add(text, what);
    return ISO_ERR_RANGE;
}

iso_status iso__game_refuse_number(iso__game_text *text, const char *what, uint64_t number, uint64_t min,
                                   uint64_t max) {
    iso__game_text_add(text, what);
    iso__game_text_add(text, " is ");
    iso__game_text_add_number(text, number);
    iso__game_text_add(text, "; expected ");
    if (min == 0) {
        iso__game_text_add(text, "at most ");
    } else {
        iso__game_text_add_number(text, min);
        iso__game_text_add(text, " to ");
    }
    iso__game_text_add_number(text, max);
    return ISO_ERR_RANGE;
}

iso_status iso__game_refuse_name(iso__game_text *text, const char *name, const char *characters) {
    iso__game_text_add(text, " has the name '");
    iso__game_text_add(text, name);
    iso__game_text_add(text, "'; expected 1 to 31 of ");
    iso__game_text_add(text, characters);
    return ISO_ERR_RANGE;
}

bool iso__game_name_is_valid(const char *name, const char *others) {
    uint32_t size = 0;
    for (; name != NULL && name[size] != 0 && size <= ISO_GAME_NAME_MAX; ++size) {
        const char c = name[size];
        const char *other = others;
        while (*other != 0 && *other != c) {
            ++other;
        }
        if (*other == 0 && (c < 'a' || c > 'z') && (c < '0' || c > '9')) {
            return false;
        }
    }
    return size > 0 && size <= ISO_GAME_NAME_MAX;
}

bool iso__game_names_equal(const char *a, const char *b) {
    for (; *a != 0 && *a == *b; ++a, ++b) {
    }
    return *a == *b;
}
