/// Differences of two worlds for people. See isostep/proto/diff_text.h. Without a C library and without floating-point
/// numbers: the browser's module has it, too, and every digit is exact.
#include "isostep/proto/diff_text.h"

#include "isostep/assert.h"

#define FRACTION_MAX 62 // [bits] of a format whose values are written as decimals
#define DIGITS_MAX   20 // of 64 bits, and behind the point of FRACTION_MAX bits

/// A text that is written from its beginning; what does not fit is left out.
typedef struct writer {
    char *text;
    uint32_t used;
} writer;

static writer writer_begin(char *text) {
    text[0] = 0;
    return (writer){.text = text};
}

static void put_char(writer *w, char letter) {
    if (w->used + 1 < ISO_DIFF_TEXT_SIZE) {
        w->text[w->used++] = letter;
        w->text[w->used] = 0;
    }
}

static void put_text(writer *w, const char *text) {
    for (; *text != 0; ++text) {
        put_char(w, *text);
    }
}

static void put_number(writer *w, uint64_t number) {
    char digits[DIGITS_MAX];
    uint32_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (count > 0) {
        put_char(w, digits[--count]);
    }
}

static uint64_t magnitude(int64_t value) {
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

static void put_signed(writer *w, int64_t value) {
    if (value < 0) {
        put_char(w, '-');
    }
    put_number(w, magnitude(value));
}

const char *iso_diff_place_text(const iso_diff *diff, char text[ISO_DIFF_TEXT_SIZE]) {
    ISO_ASSERT(diff->field == NULL || diff->element < diff->field->count);
    const char *const section = iso_section_name(diff->section);
    writer w = writer_begin(text);
    if (diff->field == NULL) {
        put_text(&w, "number of ");
        put_text(&w, section);
        return text;
    }
    put_text(&w, section);
    put_char(&w, '[');
    put_number(&w, diff->record);
    put_text(&w, "].");
    put_text(&w, diff->field->name);
    if (diff->field->count > 1) {
        put_char(&w, '[');
        put_number(&w, diff->element);
        put_char(&w, ']');
    }
    return text;
}

static void put_stored(writer *w, const iso_field *field, int64_t value) {
    if (field != NULL && field->type == ISO_FIELD_U64) {
        put_number(w, (uint64_t)value);
    } else {
        put_signed(w, value);
    }
}

const char *iso_diff_stored_text(const iso_field *field, int64_t value, char text[ISO_DIFF_TEXT_SIZE]) {
    ISO_ASSERT(text != NULL);
    writer w = writer_begin(text);
    put_stored(&w, field, value);
    return text;
}

/// Reads digits. @return behind them; NULL when there are none or too many
static const char *read_number(const char *at, uint32_t *number) {
    const char *const begin = at;
    for (*number = 0; *at >= '0' && *at <= '9' && *number < 1000; ++at) {
        *number = *number * 10 + (uint32_t)(*at - '0');
    }
    return at != begin ? at : NULL;
}

/// The bits behind the point of a unit's format, "m/s Q12.19". @param unit_size  receives the size of the unit before
/// it
/// @return false: it names none
static bool find_format(const char *unit, uint32_t *unit_size, uint32_t *fraction) {
    uint32_t at = 0, whole;
    while (unit[at] != 0 && unit[at] != 'Q') {
        ++at;
    }
    const char *next = unit[at] != 0 ? read_number(unit + at + 1, &whole) : NULL;
    next = next != NULL && *next == '.' ? read_number(next + 1, fraction) : NULL;
    while (at > 0 && unit[at - 1] == ' ') {
        --at;
    }
    *unit_size = at;
    return next != NULL && *fraction <= FRACTION_MAX;
}

/// Multiplies a fraction of 2^bits by ten. @return what is whole of it then
static uint32_t next_digit(uint64_t *rest, uint32_t bits) {
    // Ten times 62 bits are up to 66: two parts.
    const uint64_t low = (*rest & 0xFFFFFFFF) * 10, high = (*rest >> 32) * 10 + (low >> 32);
    if (bits < 32) {
        const uint64_t all = high << 32 | (low & 0xFFFFFFFF);
        *rest = all & ((UINT64_C(1) << bits) - 1);
        return (uint32_t)(all >> bits);
    }
    *rest = (high & ((UINT64_C(1) << (bits - 32)) - 1)) << 32 | (low & 0xFFFFFFFF);
    return (uint32_t)(high >> (bits - 32));
}

/// A value of a format with so many bits behind the point, rounded to as many digits as tell its values apart; halves
/// to the even digit.
static void put_decimal(writer *w, int64_t value, uint32_t bits) {
    char digits[DIGITS_MAX];
    const uint32_t count = bits * 3 / 10 + 1;
    uint64_t whole = magnitude(value) >> bits, rest = magnitude(value) & ((UINT64_C(1) << bits) - 1);
    for (uint32_t i = 0; i < count; ++i) {
        digits[i] = (char)('0' + next_digit(&rest, bits));
    }
    const uint64_t half = bits > 0 ? UINT64_C(1) << (bits - 1) : 1;
    if (rest > half || (rest == half && (digits[count - 1] - '0') % 2 == 1)) {
        uint32_t i = count;
        while (i > 0 && digits[i - 1] == '9') {
            digits[--i] = '0';
        }
        if (i > 0) {
            ++digits[i - 1];
        } else {
            ++whole;
        }
    }
    if (value < 0) {
        put_char(w, '-');
    }
    put_number(w, whole);
    put_char(w, '.');
    for (uint32_t i = 0; i < count; ++i) {
        put_char(w, digits[i]);
    }
}

const char *iso_diff_value_text(const iso_field *field, int64_t value, char text[ISO_DIFF_TEXT_SIZE]) {
    ISO_ASSERT(text != NULL && (field == NULL || field->unit != NULL));
    uint32_t unit_size, fraction;
    if (field == NULL || !find_format(field->unit, &unit_size, &fraction)) {
        return iso_diff_stored_text(field, value, text);
    }
    writer w = writer_begin(text);
    put_decimal(&w, value, fraction);
    if (unit_size > 0) {
        put_char(&w, ' ');
    }
    for (uint32_t i = 0; i < unit_size; ++i) {
        put_char(&w, field->unit[i]);
    }
    put_text(&w, " (");
    put_signed(&w, value);
    put_char(&w, ')');
    return text;
}
