/// Writes the rows of test_literal: literals, and what exact integer arithmetic makes of their decimals.
///
/// Decimals with few enough digits for literal.h to promise the nearest number, and exact halves, whose decimals are
/// written in full. Rows of four kinds, for literal_check.c: FIX16(is, wanted), WIDE, and the same of ratios.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "isostep/fixed.h"

#define ROWS_OF_EACH 400

static uint64_t table_state = 88172645463325252u;

/// A number below `limit`, of many magnitudes.
static int64_t table_random(int64_t limit) {
    table_state ^= table_state << 13;
    table_state ^= table_state >> 7;
    table_state ^= table_state << 17;
    const unsigned drop = (unsigned)(table_state >> 58) % 24;
    return (int64_t)((table_state >> 1) % (uint64_t)limit >> drop);
}

static int64_t table_power(unsigned decimals) {
    int64_t power = 1;
    for (unsigned i = 0; i < decimals; ++i) {
        power *= 10;
    }
    return power;
}

/// Half of a number, a half away from zero.
static int64_t table_halve(int64_t halves) {
    return (halves + (halves < 0 ? -1 : 1)) / 2;
}

static void table_row(const char *kind, const char *argument, int64_t wanted) {
    // The smallest number has no literal of its own.
    printf("%s(%s, INT64_C(%" PRId64 ") - %d),\n", kind, argument, wanted == INT64_MIN ? wanted + 1 : wanted,
           wanted == INT64_MIN);
}

/// k / 10^decimals as Q15.16, by its decimals and as a ratio.
static void table_fix16(int64_t k, unsigned decimals) {
    const int64_t power = table_power(decimals), magnitude = k < 0 ? -k : k;
    const int64_t wanted = table_halve(k * 131072 / power);
    if (wanted < INT32_MIN || wanted > INT32_MAX) {
        return;
    }
    char text[80];
    snprintf(text, sizeof text, "%s%" PRId64 ".%0*" PRId64, k < 0 ? "-" : "", magnitude / power, (int)decimals,
             magnitude % power);
    table_row("FIX16", text, wanted);
    snprintf(text, sizeof text, "%" PRId64 ", %" PRId64, k, power);
    table_row("FIX16_RATIO", text, wanted);
}

/// k / 10^decimals as Q31.32, by its decimals where is_near, and as a ratio.
static void table_wide(int64_t k, unsigned decimals, bool is_near) {
    const int64_t power = table_power(decimals), magnitude = k < 0 ? -k : k;
    char text[80];
    const int size = snprintf(text, sizeof text, "%s%" PRId64 ".%0*" PRId64, k < 0 ? "-" : "", magnitude / power,
                              (int)decimals, magnitude % power);
    iso_wide wanted;
    if (iso_wide_from_text(text, (size_t)size, &wanted) != ISO_OK) {
        fprintf(stderr, "literal_table: %s\n", text);
        exit(1);
    }
    if (is_near) {
        table_row("WIDE", text, wanted);
    }
    snprintf(text, sizeof text, "INT64_C(%" PRId64 "), %" PRId64, k, power);
    table_row("WIDE_RATIO", text, wanted);
}

/// An odd multiple of half a quantum, in full.
static void table_half(const char *kind, int64_t odd, unsigned bits) {
    char text[80];
    const int64_t magnitude = odd < 0 ? -odd : odd;
    int size = snprintf(text, sizeof text, "%s%" PRId64 ".", odd < 0 ? "-" : "", magnitude >> bits);
    int64_t rest = magnitude & ((INT64_C(1) << bits) - 1);
    for (; rest != 0; rest = rest * 10 & ((INT64_C(1) << bits) - 1)) {
        text[size++] = (char)('0' + (rest * 10 >> bits));
    }
    text[size] = '\0';
    table_row(kind, text, table_halve(odd));
}

int main(void) {
    static const struct {
        unsigned whole; // below this
        unsigned decimals;
    } near[] = {{1, 9}, {128, 6}, {1024, 4}, {16384, 3}, {65536, 2}};
    for (int i = 0; i < ROWS_OF_EACH; ++i) {
        const int64_t sign = i % 2 == 0 ? 1 : -1;
        const unsigned decimals = (unsigned)i % 9 + 1;
        table_fix16(sign * table_random(32768 * table_power(decimals)), decimals);
        table_fix16(sign * (32768 * table_power(decimals) - table_random(table_power(decimals))), decimals);
        const unsigned n = (unsigned)i % 5;
        table_wide(sign * table_random(near[n].whole * table_power(near[n].decimals)), near[n].decimals, true);
        table_wide(sign * (near[n].whole * table_power(near[n].decimals) - 1 - table_random(50)), near[n].decimals,
                   true);
        table_wide(sign * table_random(2147483647 * table_power(decimals)), decimals, false);
        table_wide(sign * (2147483647 * table_power(decimals) + table_random(table_power(decimals))), decimals, false);
        table_half("FIX16", sign * (table_random(INT64_C(1) << 32) / 2 * 2 + 1), 17);
        table_half("WIDE", sign * (table_random(INT64_C(1) << 53) / 2 * 2 + 1), 33);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}
