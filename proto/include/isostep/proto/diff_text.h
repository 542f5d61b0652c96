/// Differences of two worlds for people: where they are, and the values in their units. All programs report a desync in
/// this form.
///
/// Both functions may be called from any thread; they only read what they are given.
#ifndef ISOSTEP_PROTO_DIFF_TEXT_H
#define ISOSTEP_PROTO_DIFF_TEXT_H

#include "isostep/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that suffice for each of the texts, including the terminating zero; longer names and units of a game are cut.
#define ISO_DIFF_TEXT_SIZE 128

/// "bodies[3].velocity[0]", "globals[0].gravity", "number of contacts".
///
/// @param diff  as written by iso_world_diff
/// @return text
const char *iso_diff_place_text(const iso_diff *diff, char text[ISO_DIFF_TEXT_SIZE]);

/// "1.250000 m/s (655360)": a value in the unit of its field, with the stored number; only the number when the unit
/// names no fixed-point format ("m/s Q12.19" does).
///
/// @param field  of the difference; NULL: a number of records
/// @param value  value_a or value_b of the difference
/// @return text
const char *iso_diff_value_text(const iso_field *field, int64_t value, char text[ISO_DIFF_TEXT_SIZE]);

/// "655360": the number alone, as it is stored; of a field of 64 bits without a sign the same bits without one.
/// @param field, value  as above
/// @return text
const char *iso_diff_stored_text(const iso_field *field, int64_t value, char text[ISO_DIFF_TEXT_SIZE]);

#ifdef __cplusplus
}
#endif

#endif
