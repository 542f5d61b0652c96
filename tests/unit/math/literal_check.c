/// Constants from literals against the table that literal_table.c has written; C17 and C++17. literal.sh builds it.
#include <stdio.h>

#include "isostep/isostep.h"

typedef struct literal_row {
    const char *text;
    int64_t is, wanted;
} literal_row;

#define FIX16(literal, wanted) \
    { "ISO_FIX16(" #literal ")", ISO_FIX16(literal), wanted }
#define WIDE(literal, wanted) \
    { "ISO_WIDE(" #literal ")", ISO_WIDE(literal), wanted }
#define FIX16_RATIO(n, d, wanted) \
    { "ISO_FIX16_RATIO(" #n "/" #d ")", ISO_FIX16_RATIO(n, d), wanted }
#define WIDE_RATIO(n, d, wanted) \
    { "ISO_WIDE_RATIO(" #n "/" #d ")", ISO_WIDE_RATIO(n, d), wanted }

static const literal_row rows[] = {
    FIX16(0.1, 6554),
    FIX16(0.4, 26214),
    FIX16(-0.5, -32768),
    FIX16(3, 196608),
    FIX16(0.25f, 16384),
    FIX16(-0.0, 0),
    FIX16(3.0 / 4, 49152),
    // A half goes away from zero, and what is next to it below does not.
    FIX16(1.00000762939453125, 65537),
    FIX16(-1.00000762939453125, -65537),
    FIX16(0.00000762939453125, 1),
    FIX16(-0.00000762939453125, -1),
    FIX16(7.629394531249999e-6, 0),
    FIX16(-7.629394531249999e-6, 0),
    FIX16(0.0000152587890625, 1),
    FIX16(32767.99999, INT32_MAX),
    FIX16(32767.99999237, INT32_MAX),
    FIX16(-32768, INT32_MIN),
    FIX16(-32768.0000076, INT32_MIN),
    FIX16(0x1.8p3, 786432),
    WIDE(0.1, 429496730),
    WIDE(0.4, 1717986918),
    WIDE(-12.5, INT64_C(-53687091200)),
    WIDE(2.3283064365386963e-10, 1),
    WIDE(1.16415321826934814453125e-10, 1),
    WIDE(-1.16415321826934814453125e-10, -1),
    WIDE(1.1641532182693480e-10, 0),
    WIDE(2147483647, INT64_C(2147483647) * 4294967296),
    WIDE(2147483647.9999998, INT64_C(9223372036854774784)),
    WIDE(-2147483648.0, INT64_MIN),
    FIX16_RATIO(4, 10, 26214),
    FIX16_RATIO(-4, 10, -26214),
    FIX16_RATIO(1, 131072, 1),
    FIX16_RATIO(-1, 131072, -1),
    FIX16_RATIO(32768, -1, INT32_MIN),
    WIDE_RATIO(1, 3, 1431655765),
    WIDE_RATIO(2, -3, INT64_C(-2863311531)),
    WIDE_RATIO(-2147483648, 1, INT64_MIN),
#include "literal_table.inc"
};

// What wants an integer constant expression takes a ratio: an enumerator, the size of an array, a case label.
enum { LITERAL_TENTH = ISO_FIX16_RATIO(1, 10) };

#ifdef LITERAL_REFUSED
// Must not compile.
fix16_t literal_refused(fix16_t number);
fix16_t literal_refused(fix16_t number) {
    return (fix16_t)(number + LITERAL_REFUSED);
}
#endif

int main(void) {
    const char sized[ISO_FIX16_RATIO(3, 65536)] = {0};
    int failures = LITERAL_TENTH != 6554 || sizeof sized != 3;
    const size_t count = sizeof rows / sizeof rows[0];
    for (size_t i = 0; i < count; ++i) {
        if (rows[i].is != rows[i].wanted) {
            ++failures;
            printf("%s is %lld, not %lld\n", rows[i].text, (long long)rows[i].is, (long long)rows[i].wanted);
        }
    }
    switch (failures == 0 ? 6554 : 0) {
    case ISO_FIX16_RATIO(1, 10):
        break;
    default:
        ++failures;
        break;
    }
    printf("%u literals, %d failures\n", (unsigned)count, failures);
    return failures == 0 ? 0 : 1;
}
