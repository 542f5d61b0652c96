/// Reading the control block "axes-buttons-8": two axes of i16, x and y, then 32 buttons, little endian.
#ifndef ISO_GAMES_CONTROL_H
#define ISO_GAMES_CONTROL_H

#include "isostep/fixed.h"

#define ISO__CONTROL_SIZE     8u
#define ISO__CONTROL_AXIS_MAX 32767

/// Axis 0 is x, 1 is y. @return -32767 to 32767: the most negative number is no more than the others
static inline int32_t iso__control_axis(const uint8_t control[ISO__CONTROL_SIZE], unsigned axis) {
    const int32_t value = (int16_t)(uint16_t)(control[2 * axis] | control[2 * axis + 1] << 8);
    return value < -ISO__CONTROL_AXIS_MAX ? -ISO__CONTROL_AXIS_MAX : value;
}

static inline uint32_t iso__control_buttons(const uint8_t control[ISO__CONTROL_SIZE]) {
    return (uint32_t)control[4] | (uint32_t)control[5] << 8 | (uint32_t)control[6] << 16 | (uint32_t)control[7] << 24;
}

/// The share of a quantity that an axis asks for.
static inline iso_wide iso__control_share(iso_wide most, int32_t axis) {
    return iso_wide_mul(most, iso_wide_div(iso_wide_from_int(axis), iso_wide_from_int(ISO__CONTROL_AXIS_MAX)));
}

#endif
