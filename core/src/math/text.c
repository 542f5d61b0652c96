/// Decimal text to Q31.32 and back, exact, without locale and without floating point.

#include "isostep/fixed.h"

#include "math/fixed_ops.h"
#include "math/wide128.h"

enum {
    // 10^10 exceeds the range, so that a digit other than 0 above this many places is out of range.
    INTEGER_PLACES = 10,
    // A boundary between two roundings is a multiple of 2^-33, which has 33 decimals: digits beyond these can
    // not move a number over a boundary. Four groups of nine digits hold 36.
    FRACTION_GROUPS = 4,
    GROUP_DIGITS = 9
};

// An exponent beyond this is kept as this; no text is long enough for its digits to make up for it.
#define EXPONENT_LIMIT INT64_C(1000000000000000)

/// The parts of a decimal number, as indices into its text.
typedef struct decimal_parts {
    bool is_negative;
    size_t digits_begin;   // the first digit or the point
    size_t digits_end;     // after the last digit or the point
    int64_t integer_count; // digits before the point
    int64_t exponent;
} decimal_parts;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Reads "[+-]digits" at *at into exponent; false when there is no digit.
static bool parse_exponent(const char *text, size_t size, size_t *at, int64_t *exponent) {
    bool negative = false;
    if (*at < size && (text[*at] == '+' || text[*at] == '-')) {
        negative = text[*at] == '-';
        *at += 1;
    }
    size_t first = *at;
    int64_t value = 0;
    for (; *at < size && is_digit(text[*at]); *at += 1) {
        value = iso__min64(value * 10 + (text[*at] - '0'), EXPONENT_LIMIT);
    }
    *exponent = negative ? -value : value;
    return *at > first;
}

static bool parse_parts(const char *text, size_t size, decimal_parts *parts) {
    size_t at = 0;
    *parts = (decimal_parts){0};
    if (at < size && (text[at] == '+' || text[at] == '-')) {
        parts->is_negative = text[at] == '-';
        at += 1;
    }
    parts->digits_begin = at;
    while (at < size && is_digit(text[at])) {
        at += 1;
    }
    size_t digit_count = at - parts->digits_begin;
    parts->integer_count = (int64_t)digit_count;
    if (at < size && text[at] == '.') {
        size_t point = at;
        at += 1;
        while (at < size && is_digit(text[at])) {
            at += 1;
        }
        digit_count += at - point - 1;
    }
    parts->digits_end = at;
    if (digit_count == 0) {
        return false;
    }
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        at += 1;
        if (!parse_exponent(text, size, &at, &parts->exponent)) {
            return false;
        }
    }
    return at == size;
}

iso_status iso_wide_from_text(const char *text, size_t size, iso_wide *value) {
    decimal_parts parts;
    if (!parse_parts(text, size, &parts)) {
        return ISO_ERR_MALFORMED;
    }
    static const uint32_t powers[GROUP_DIGITS] = {100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    uint64_t integer = 0;
    uint32_t groups[FRACTION_GROUPS] = {0};
    int64_t place = parts.integer_count - 1 + parts.exponent; // the power of ten of the next digit
    for (size_t i = parts.digits_begin; i < parts.digits_end; ++i) {
        if (text[i] == '.') {
            continue;
        }
        uint32_t digit = (uint32_t)(text[i] - '0');
        if (place >= INTEGER_PLACES && digit != 0) {
            return ISO_ERR_RANGE;
        }
        if (place >= 0 && place < INTEGER_PLACES) {
            uint64_t scaled = digit;
            for (int64_t p = 0; p < place; ++p) {
                scaled *= 10;
            }
            integer += scaled;
        } else if (place < 0 && place >= -FRACTION_GROUPS * GROUP_DIGITS) {
            int64_t decimal = -place - 1;
            groups[decimal / GROUP_DIGITS] += digit * powers[decimal % GROUP_DIGITS];
        }
        place -= 1;
    }
    if (integer > UINT64_C(1) << 31) {
        return ISO_ERR_RANGE;
    }
    // The fraction times 2^33, rounded down, from the last group to the first; then one bit is rounded away.
    uint64_t carry = 0;
    for (int g = FRACTION_GROUPS - 1; g >= 0; --g) {
        carry = (((uint64_t)groups[g] << 33) + carry) / 1000000000u;
    }
    uint64_t magnitude = (integer << ISO__WIDE_FRACTION) + ((carry + 1) >> 1);
    uint64_t limit = (uint64_t)INT64_MAX + (parts.is_negative ? 1 : 0);
    if (magnitude > limit) {
        return ISO_ERR_RANGE;
    }
    *value = parts.is_negative ? iso__neg64((int64_t)magnitude) : (int64_t)magnitude;
    return ISO_OK;
}

size_t iso_wide_to_text(iso_wide value, char *text) {
    uint64_t magnitude = iso__abs_u64(value);
    uint64_t integer = magnitude >> ISO__WIDE_FRACTION;
    // Below 1 by at least 2^-32, the fraction never rounds up to a whole number.
    int64_t fraction = iso__mul_shift((int64_t)(magnitude & UINT32_MAX), INT64_C(10000000000), ISO__WIDE_FRACTION);
    size_t at = 0;
    if (value < 0) {
        text[at++] = '-';
    }
    char reversed[10];
    size_t count = 0;
    do {
        reversed[count++] = (char)('0' + integer % 10);
        integer /= 10;
    } while (integer != 0);
    while (count != 0) {
        text[at++] = reversed[--count];
    }
    if (fraction != 0) {
        text[at++] = '.';
        for (int64_t scale = INT64_C(1000000000); fraction != 0; scale /= 10) {
            text[at++] = (char)('0' + fraction / scale);
            fraction %= scale;
        }
    }
    text[at] = '\0';
    return at;
}
