/// Descriptions of persisted fields.
///
/// State is declared as lists of fixed-width fields. A record's list declares its struct and also drives snapshot, hash
/// and diff. Canonical bytes are the fields in the order of the list, little endian, without padding. Lists are
/// constant: any thread may read them.
#ifndef ISOSTEP_FIELD_H
#define ISOSTEP_FIELD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum iso_field_type {
    ISO_FIELD_U8 = 1,
    ISO_FIELD_U16 = 2,
    ISO_FIELD_U32 = 3,
    ISO_FIELD_U64 = 4,
    ISO_FIELD_I8 = 5,
    ISO_FIELD_I16 = 6,
    ISO_FIELD_I32 = 7,
    ISO_FIELD_I64 = 8,
} iso_field_type;

typedef struct iso_field {
    const char *name;
    const char *unit; // for people: "m Q31.32", "turns Q31.32", ""
    uint32_t offset;  // in the struct
    uint16_t count;   // of elements, 1 for a scalar
    uint8_t type;     // iso_field_type
} iso_field;

/// An entry for a member of a struct, a scalar or an array: ISO_FIELD_OF(my_state, score, "", U32).
#define ISO_FIELD_OF(record, member, unit, type)                                                        \
    {                                                                                                   \
#member, unit, (uint32_t)offsetof(record, member),                                              \
            (uint16_t)(sizeof(((record *)0)->member) / (ISO_FIELD_##type##_BITS / 8)), ISO_FIELD_##type \
    }
#define ISO_FIELD_U8_BITS  8
#define ISO_FIELD_U16_BITS 16
#define ISO_FIELD_U32_BITS 32
#define ISO_FIELD_U64_BITS 64
#define ISO_FIELD_I8_BITS  8
#define ISO_FIELD_I16_BITS 16
#define ISO_FIELD_I32_BITS 32
#define ISO_FIELD_I64_BITS 64

/// Bytes of one element.
static inline uint32_t iso_field_width(uint8_t type) {
    return type == ISO_FIELD_U8 || type == ISO_FIELD_I8     ? 1u
           : type == ISO_FIELD_U16 || type == ISO_FIELD_I16 ? 2u
           : type == ISO_FIELD_U32 || type == ISO_FIELD_I32 ? 4u
                                                            : 8u;
}

/// The value of an element, as it is stored: the raw number of a fixed-point field.
///
/// @param element  0 to field->count - 1
/// @param record   the struct that the field describes, at any alignment
/// @return the number; of U64 the same bits with a sign
int64_t iso_field_read(const iso_field *field, uint32_t element, const void *record);

#ifdef __cplusplus
}
#endif

#endif
