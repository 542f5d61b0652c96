/// The monotonic clock. Sessions know no other clock; they receive its readings as numbers.
#ifndef ISO_BASE_CLOCK_H
#define ISO_BASE_CLOCK_H

#include <stdint.h>

#define ISO__NS_PER_MS 1000000u
#define ISO__NS_PER_S  1000000000u

/// Nanoseconds of CLOCK_MONOTONIC.
uint64_t iso__clock_now(void);

#endif
