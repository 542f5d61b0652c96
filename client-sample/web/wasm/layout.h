/// Where JavaScript finds the fields of the plain structs.
///
/// The compiler knows offsets and sizes, so they are written down by it: layout.c is a table of the structs that cross
/// the border, each with its fields by the names of the .proto files. JavaScript reads this table once
/// (src/layout.ts) and then reads and writes the structs in the module's memory. Nothing of it is copied by hand:
/// tests/web/test_layout.mjs holds the names equal to those of the .proto files, and finds bytes of a struct that no
/// field covers.
#ifndef ISO_WEB_LAYOUT_H
#define ISO_WEB_LAYOUT_H

#include "isostep/client.h"

/// How a field is kept. X(name, number)
///   U8 to I64, BOOL  a number at `offset`; handles are U64, their 64-bit form
///   CODE      an iso_status, which is negated on the wire
///   TEXT      `size` chars, at least one of them zero
///   BYTES     `size` bytes, all zero when there are none
///   BLOCK     up to `size` bytes; how many stands at `count_offset`, in `count_size` bytes
///   NUMBERS32, NUMBERS64   up to `size` signed numbers; how many stands at `count_offset`, or all of them when
///                          count_size is 0
///   PARTED64  `size` signed numbers of 64 bits, of which the first `of` stand at `offset` and the others at
///             `count_offset`; count_size is 0
///   POINTS    up to `size` pairs of signed 32 bits, flat for JavaScript; how many pairs stands at `count_offset`
///   POINTS3   up to `size` triples likewise
///   STRUCT    the struct number `of`; when count_size is 1, a bool at `count_offset` says whether there is one
///   MEMBER    the struct number `of`, when the kind at the struct's begin is `when`
///   TEXT_AT   a pointer to a text of at most `size` bytes and a zero; may be NULL when it is only read
///   BYTES_AT  a pointer to at most `size` bytes; how many stands at `count_offset`
///   ARRAY_AT  a pointer to at most `size` structs `of`; how many stands at `count_offset`
///   ADDRESS   a pointer, as a number
#define ISO__WEB_TYPE_LIST(X) \
    X(U8, 1)                  \
    X(U16, 2)                 \
    X(U32, 3)                 \
    X(U64, 4)                 \
    X(I32, 5)                 \
    X(I64, 6)                 \
    X(BOOL, 7)                \
    X(CODE, 8)                \
    X(TEXT, 9)                \
    X(BYTES, 10)              \
    X(BLOCK, 11)              \
    X(NUMBERS32, 12)          \
    X(NUMBERS64, 13)          \
    X(POINTS, 14)             \
    X(STRUCT, 15)             \
    X(MEMBER, 16)             \
    X(TEXT_AT, 17)            \
    X(BYTES_AT, 18)           \
    X(ARRAY_AT, 19)           \
    X(ADDRESS, 20)            \
    X(POINTS3, 21)            \
    X(PARTED64, 22)

enum {
#define ISO__WEB_TYPE_ENUM(name, number) ISO__WEB_##name = (number),
    ISO__WEB_TYPE_LIST(ISO__WEB_TYPE_ENUM)
#undef ISO__WEB_TYPE_ENUM
};

/// 20 bytes, no padding, as src/layout.ts reads them.
typedef struct iso__web_field {
    const char *name;      // snake case; NULL: behind the last field
    uint8_t type;          // ISO__WEB_…
    uint8_t count_size;    // [bytes]
    uint16_t of;           // number of a struct, or see the types
    uint16_t offset;       // [bytes]
    uint16_t count_offset; // [bytes]
    uint32_t size;         // see the types
    /// MEMBER: the kind. Other fields: a bit set of the values of the struct's first byte (its kind) for which the
    /// field is there; 0: for all.
    uint32_t when;
} iso__web_field;

typedef struct iso__web_struct {
    const char *name;    // that of its message in the .proto files, or one of our own in lower case
    const char *members; // the name of its oneof, when its fields are MEMBERs
    uint32_t size;       // [bytes]
    const iso__web_field *fields;
} iso__web_struct;

/// The table of the structs that worlds of one's own and recordings need besides; numbers of structs go on in it.
/// Exported by exports.txt, so that a module without these has none of it.
const iso__web_struct *iso_recording_layout(void);

#endif
