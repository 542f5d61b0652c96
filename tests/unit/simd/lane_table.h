/// The lane operations of one instruction set behind functions of eight lanes. Included once per set, after its
/// operations.
#ifndef ISO_TEST_LANE_TABLE_H
#define ISO_TEST_LANE_TABLE_H

#include <stdint.h>
#include <string.h>

#include "lane_tables.h"
#include "simd/lanes.h"

#define EACH(i) for (unsigned i = 0; i < LANE_TEST_COUNT; i += ISO__LANES_COUNT)

#define BINARY(name)                                                                                      \
    static void lane_##name(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out) {         \
        (void)c;                                                                                          \
        EACH(i) {                                                                                         \
            iso__lanes_store(&out[i], iso__lanes_##name(iso__lanes_load(&a[i]), iso__lanes_load(&b[i]))); \
        }                                                                                                 \
    }
BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(add_pairs)
BINARY(sub_pairs)
BINARY(min)
BINARY(max)
BINARY(with_low)
BINARY(pair)
BINARY(or)

#define SHIFT(name, n)                                                                                  \
    static void lane_##name##_##n(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out) { \
        (void)b;                                                                                        \
        (void)c;                                                                                        \
        EACH(i) {                                                                                       \
            iso__lanes_store(&out[i], iso__lanes_##name(iso__lanes_load(&a[i]), n));                    \
        }                                                                                               \
    }
SHIFT(shift_right, 1)
SHIFT(shift_right, 22)
SHIFT(shift_right, 30)
SHIFT(shift_right, 32)
SHIFT(shift_left, 1)
SHIFT(shift_left, 30)
SHIFT(shift_left, 32)

#define CLAMP(n)                                                                                             \
    static void lane_clamp_shifted_##n(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out) { \
        const iso__lanes low = iso__lanes_set(b[0]), high = iso__lanes_set(c[0]);                            \
        EACH(i) {                                                                                            \
            iso__lanes_store(&out[i], iso__lanes_clamp_shifted(iso__lanes_load(&a[i]), n, low, high));       \
        }                                                                                                    \
    }
CLAMP(1)
CLAMP(22)
CLAMP(30)
CLAMP(31)

static void lane_odd_bit(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out) {
    (void)b;
    (void)c;
    EACH(i) {
        iso__lanes_store(&out[i], iso__lanes_odd_bit(iso__lanes_load(&a[i])));
    }
}

static void lane_if_positive(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out) {
    EACH(i) {
        iso__lanes_store(
            &out[i], iso__lanes_if_positive(iso__lanes_load(&a[i]), iso__lanes_load(&b[i]), iso__lanes_load(&c[i])));
    }
}

static void lane_widen(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out) {
    (void)b;
    (void)c;
    int32_t narrow[LANE_TEST_COUNT];
    memcpy(narrow, a, sizeof narrow);
    EACH(i) {
        iso__lanes_store(&out[i], iso__lanes_widen(&narrow[i]));
    }
}

/// Numbers of 32 bits come out as the low halves, between others that stay.
static void lane_narrow(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out) {
    (void)c;
    int32_t narrow[3 * LANE_TEST_COUNT];
    memcpy(narrow, b, sizeof(int64_t) * LANE_TEST_COUNT);
    memcpy(&narrow[2 * LANE_TEST_COUNT], b, sizeof(int32_t) * LANE_TEST_COUNT);
    EACH(i) {
        iso__lanes_narrow(&narrow[LANE_TEST_COUNT + i], iso__lanes_load(&a[i]));
    }
    for (unsigned i = 0; i < LANE_TEST_COUNT; ++i) {
        out[i] = narrow[LANE_TEST_COUNT + i] ^ (int64_t)narrow[i] * 256 ^ narrow[2 * LANE_TEST_COUNT + i];
    }
}

/// Of each lane alone, so that sets of any width agree.
static void lane_are_zero(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out) {
    (void)b;
    (void)c;
    for (unsigned i = 0; i < LANE_TEST_COUNT; ++i) {
        int64_t alone[LANE_TEST_COUNT] = {0};
        alone[i % ISO__LANES_COUNT] = a[i];
        out[i] = iso__lanes_are_zero(iso__lanes_load(alone)) != 0;
    }
}

/// Records of 32 bytes; both halves of the first 16 come out as a difference that neither of them has.
static void lane_gather(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out) {
    (void)c;
    EACH(i) {
        uint32_t index[LANE_TEST_COUNT];
        for (unsigned k = 0; k < LANE_TEST_COUNT; ++k) {
            index[k] = (uint32_t)b[k] % (LANE_TEST_COUNT / 4);
        }
        iso__lanes first, last;
        iso__lanes_gather(a, 32, &index[i], &first, &last);
        iso__lanes_store(&out[i], iso__lanes_sub(iso__lanes_shift_left(first, 1), last));
    }
}

static void lane_gather_pairs(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out) {
    (void)c;
    EACH(i) {
        uint32_t index[LANE_TEST_COUNT];
        for (unsigned k = 0; k < LANE_TEST_COUNT; ++k) {
            index[k] = (uint32_t)b[k] % LANE_TEST_COUNT;
        }
        iso__lanes_store(&out[i], iso__lanes_gather_pairs(a, sizeof *a, &index[i]));
    }
}

static void lane_shift_right_each(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out) {
    (void)c;
    EACH(i) {
        int64_t count[LANE_TEST_COUNT];
        for (unsigned k = 0; k < LANE_TEST_COUNT; ++k) {
            count[k] = b[k] & 63;
        }
        iso__lanes_store(&out[i], iso__lanes_shift_right_each(iso__lanes_load(&a[i]), iso__lanes_load(&count[i])));
    }
}

/// To every second record of the result, where the bit is set.
static void lane_scatter(const int64_t *a, const int64_t *b, const int64_t *c, int64_t *out) {
    int64_t records[4 * LANE_TEST_COUNT];
    memset(records, 0x55, sizeof records);
    EACH(i) {
        uint32_t index[LANE_TEST_COUNT];
        for (unsigned k = 0; k < LANE_TEST_COUNT; ++k) {
            index[k] = (LANE_TEST_COUNT - 1 - k);
        }
        iso__lanes_scatter(records, 32, &index[i], (unsigned)c[0] >> i, iso__lanes_load(&a[i]), iso__lanes_load(&b[i]));
    }
    for (unsigned i = 0; i < LANE_TEST_COUNT; ++i) {
        out[i] = 3 * (records[4 * i] >> 2) + (records[4 * i + 1] >> 2) + (records[4 * i + 2] ^ records[4 * i + 3]);
    }
}

#define LANE_ALL INT64_C(-1)
#define LANE_LOW INT64_C(0xffffffff)
#define LANE_TABLE(name)                                          \
    const lane_operation name[LANE_OPERATION_COUNT] = {           \
        {"add", lane_add, LANE_ALL},                              \
        {"sub", lane_sub, LANE_ALL},                              \
        {"mul", lane_mul, LANE_ALL},                              \
        {"add_pairs", lane_add_pairs, LANE_ALL},                  \
        {"sub_pairs", lane_sub_pairs, LANE_ALL},                  \
        {"min", lane_min, LANE_ALL},                              \
        {"max", lane_max, LANE_ALL},                              \
        {"with_low", lane_with_low, LANE_ALL},                    \
        {"pair", lane_pair, LANE_ALL},                            \
        {"or", lane_or, LANE_ALL},                                \
        {"shift_right by 1", lane_shift_right_1, LANE_ALL},       \
        {"shift_right by 22", lane_shift_right_22, LANE_ALL},     \
        {"shift_right by 30", lane_shift_right_30, LANE_ALL},     \
        {"shift_right by 32", lane_shift_right_32, LANE_ALL},     \
        {"shift_left by 1", lane_shift_left_1, LANE_ALL},         \
        {"shift_left by 30", lane_shift_left_30, LANE_ALL},       \
        {"shift_left by 32", lane_shift_left_32, LANE_ALL},       \
        {"clamp_shifted by 1", lane_clamp_shifted_1, LANE_LOW},   \
        {"clamp_shifted by 22", lane_clamp_shifted_22, LANE_LOW}, \
        {"clamp_shifted by 30", lane_clamp_shifted_30, LANE_LOW}, \
        {"clamp_shifted by 31", lane_clamp_shifted_31, LANE_LOW}, \
        {"odd_bit", lane_odd_bit, LANE_ALL},                      \
        {"if_positive", lane_if_positive, LANE_LOW},              \
        {"widen", lane_widen, LANE_ALL},                          \
        {"narrow", lane_narrow, LANE_ALL},                        \
        {"are_zero", lane_are_zero, LANE_ALL},                    \
        {"gather", lane_gather, LANE_ALL},                        \
        {"gather_pairs", lane_gather_pairs, LANE_ALL},            \
        {"shift_right_each", lane_shift_right_each, LANE_ALL},    \
        {"scatter", lane_scatter, LANE_ALL},                      \
    };

#endif
