/// Q15.16 arithmetic and text: the only file that calls libfixmath.
///
/// Debian's package is exact in what is called here; its trigonometry, exponential and logarithm must never be
/// linked, as they are inexact and keep unsynchronised caches. Where no package exists (WebAssembly, other
/// processors) ISO_NO_LIBFIXMATH selects our own versions; tests/unit/math/test_math_fixmath.c holds both equal.

#include "isostep/fixed.h"

#include "math/fixed_ops.h"

#ifndef ISO_NO_LIBFIXMATH
// A system header: it defines conversions from floating point that we never call.
#include <libfixmath/fix16.h>
#endif

enum { FRACTION_DIGITS = 5, FRACTION_SCALE = 100000, INTEGER_DIGITS = 5 };

// ---- arithmetic ----------------------------------------------------------------------------------

// Division and the square root are ours in both builds: the library's are sometimes off by more than half a
// quantum (NUMERICS.md has the figures), and then differ from what every other implementation would give.

static int64_t fix16_quotient(fix16_t a, fix16_t b) {
    return iso__div_round64((int64_t)a * 65536, b);
}

fix16_t iso_fix16_div(fix16_t a, fix16_t b) {
    if (b == 0) {
        return ISO_FIX16_MIN;
    }
    int64_t quotient = fix16_quotient(a, b);
    return quotient >= INT32_MIN && quotient <= INT32_MAX ? (fix16_t)quotient : ISO_FIX16_OVERFLOW;
}

fix16_t iso_fix16_sdiv(fix16_t a, fix16_t b) {
    if (b == 0) {
        return a < 0 ? ISO_FIX16_MIN : ISO_FIX16_MAX;
    }
    return iso__saturate32(fix16_quotient(a, b));
}

fix16_t iso_fix16_sqrt(fix16_t value) {
    uint64_t square = (uint64_t)iso__abs_u32(value) << 16;
    uint64_t root = iso__isqrt64(square);
    root += square - root * root > root;
    return value < 0 ? -(fix16_t)root : (fix16_t)root;
}

#ifndef ISO_NO_LIBFIXMATH

fix16_t iso_fix16_mul(fix16_t a, fix16_t b) {
    return fix16_mul(a, b);
}

fix16_t iso_fix16_sadd(fix16_t a, fix16_t b) {
    // The library takes the sum INT32_MIN for its overflow mark, and saturates by the sign of a: 0 + -32768
    // would become 32767.99998.
    return a == 0 ? b : fix16_sadd(a, b);
}

fix16_t iso_fix16_ssub(fix16_t a, fix16_t b) {
    return fix16_ssub(a, b);
}

fix16_t iso_fix16_smul(fix16_t a, fix16_t b) {
    return fix16_smul(a, b);
}

static fix16_t fix16_from_decimal(const char *text, bool negative, uint32_t integer, uint32_t fraction) {
    (void)negative;
    (void)integer;
    (void)fraction;
    return fix16_from_str(text);
}

static void fix16_to_decimal(fix16_t value, char *text) {
    fix16_to_str(value, text, FRACTION_DIGITS);
}

#else

/// The product with 32 fraction bits dropped to 16, a half away from zero.
static int64_t fix16_product(fix16_t a, fix16_t b) {
    int64_t product = iso__mul32(a, b);
    return product < 0 ? -((-product + 32768) >> 16) : (product + 32768) >> 16;
}

fix16_t iso_fix16_mul(fix16_t a, fix16_t b) {
    int64_t product = fix16_product(a, b);
    return product >= INT32_MIN && product <= INT32_MAX ? (fix16_t)product : ISO_FIX16_OVERFLOW;
}

fix16_t iso_fix16_sadd(fix16_t a, fix16_t b) {
    return iso__saturate32((int64_t)a + b);
}

fix16_t iso_fix16_ssub(fix16_t a, fix16_t b) {
    return iso__saturate32((int64_t)a - b);
}

fix16_t iso_fix16_smul(fix16_t a, fix16_t b) {
    return iso__saturate32(fix16_product(a, b));
}

static fix16_t fix16_from_decimal(const char *text, bool negative, uint32_t integer, uint32_t fraction) {
    (void)text;
    uint64_t scaled = ((uint64_t)fraction << 16) + FRACTION_SCALE / 2;
    fix16_t value = (fix16_t)((integer << 16) + (uint32_t)(scaled / FRACTION_SCALE));
    return negative ? -value : value;
}

static void fix16_to_decimal(fix16_t value, char *text) {
    uint32_t magnitude = iso__abs_u32(value);
    uint32_t integer = magnitude >> 16;
    uint32_t fraction = (uint32_t)(((uint64_t)(magnitude & 0xffff) * FRACTION_SCALE + 32768) >> 16);
    if (value < 0) {
        *text++ = '-';
    }
    uint32_t scale = 1;
    while (integer / scale >= 10) {
        scale *= 10;
    }
    for (; scale != 0; scale /= 10) {
        *text++ = (char)('0' + integer / scale % 10);
    }
    *text++ = '.';
    for (scale = FRACTION_SCALE / 10; scale != 0; scale /= 10) {
        *text++ = (char)('0' + fraction / scale % 10);
    }
    *text = '\0';
}

#endif

// ---- text ----------------------------------------------------------------------------------------

/// Reads digits at *at as a number and returns how many there were. More than `limit` set *too_many; zeros in
/// front count only without skip_zeros.
static size_t text_digits(const char *text, size_t size, size_t *at, size_t limit, bool skip_zeros, uint32_t *number,
                          bool *too_many) {
    size_t count = 0;
    size_t used = 0;
    *number = 0;
    for (; *at < size && text[*at] >= '0' && text[*at] <= '9'; *at += 1) {
        count += 1;
        if (skip_zeros && used == 0 && text[*at] == '0') {
            continue;
        }
        used += 1;
        if (used <= limit) {
            *number = *number * 10 + (uint32_t)(text[*at] - '0');
        }
    }
    *too_many = used > limit;
    return count;
}

iso_status iso_fix16_from_text(const char *text, size_t size, fix16_t *value) {
    size_t at = 0;
    bool negative = size > 0 && text[0] == '-';
    if (size > 0 && (text[0] == '-' || text[0] == '+')) {
        at = 1;
    }
    uint32_t integer;
    uint32_t fraction = 0;
    bool is_long_integer;
    bool is_long_fraction = false;
    size_t count = text_digits(text, size, &at, INTEGER_DIGITS, true, &integer, &is_long_integer);
    if (at < size && text[at] == '.') {
        at += 1;
        size_t decimals = text_digits(text, size, &at, FRACTION_DIGITS, false, &fraction, &is_long_fraction);
        count += decimals;
        for (; decimals < FRACTION_DIGITS; ++decimals) {
            fraction *= 10;
        }
    }
    if (count == 0 || at != size) {
        return ISO_ERR_MALFORMED;
    }
    if (is_long_integer || is_long_fraction || integer > 32768 || (integer == 32768 && (!negative || fraction != 0))) {
        return ISO_ERR_RANGE;
    }
    if (integer == 32768) {
        // The library cannot tell this number from its overflow mark.
        *value = ISO_FIX16_MIN;
        return ISO_OK;
    }
    // The library's own grammar knows spaces, the locale and prefixes: it only gets a canonical text.
    char canonical[16];
    size_t length = 0;
    if (negative) {
        canonical[length++] = '-';
    }
    for (uint32_t scale = 10000; scale != 0; scale /= 10) {
        canonical[length++] = (char)('0' + integer / scale % 10);
    }
    canonical[length++] = '.';
    for (uint32_t scale = FRACTION_SCALE / 10; scale != 0; scale /= 10) {
        canonical[length++] = (char)('0' + fraction / scale % 10);
    }
    canonical[length] = '\0';
    *value = fix16_from_decimal(canonical, negative, integer, fraction);
    return ISO_OK;
}

size_t iso_fix16_to_text(fix16_t value, char *text) {
    fix16_to_decimal(value, text);
    size_t length = 0;
    while (text[length] != '\0') {
        length += 1;
    }
    return length;
}
