/// Which moment of the displayed ticks to show now: a clock of ticks that runs evenly, behind the newest one.
///
/// Ticks arrive unevenly. The display interpolates between two ticks that have arrived, so it is at least a tick behind
/// the newest one, and farther by as much as the latest of the last arrivals was later than the present one. It keeps
/// that distance by running up to 5 % faster or slower. It never runs backwards. It stops when a tick is later than all
/// before, and continues from there; it jumps when it would be farther behind than ticks are kept.
///
/// Source: an adaptive playout buffer as in voice over IP (Ramjee et al., INFOCOM 1994), with the maximum of the last
/// arrivals instead of their mean and deviation, since a tick that is late is seen.
#ifndef ISO_CLIENT_DISPLAY_CLOCK_H
#define ISO_CLIENT_DISPLAY_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/// Ticks that are kept, so that what is shown is at most one tick less behind the newest one.
#define ISO__CLIENT_FRAMES_MAX 4

#define ISO__CLIENT_DISPLAY_ONE      UINT32_C(65536) // a tick
#define ISO__CLIENT_DISPLAY_PACE_PPM 50000           // 5 %
#define ISO__CLIENT_DISPLAY_WINDOW   120             // ticks; the latest arrival of one to two windows counts

typedef struct iso__client_display_clock {
    uint16_t rate_hz;            // 0: no tick has come
    uint64_t tick;               // the newest
    uint64_t set_ns;             // when it came
    uint32_t behind_q16;         // how far the display was behind it then [ticks, 65536 is one]
    int32_t pace_ppm;            // above the rate
    uint64_t base_ns, base_tick; // the arrival that lateness is counted from
    int64_t late_ns[2];          // the latest of this window and of the one before
    uint32_t window_count;       // ticks in this window
} iso__client_display_clock;

/// A tick has arrived and can be shown.
/// @param rate_hz  10 to 128
/// @param tick     above the last one
void iso__client_display_clock_tick(iso__client_display_clock *clock, uint64_t now_ns, uint16_t rate_hz, uint64_t tick);

/// How far behind the newest tick to show [ticks, 65536 is one], at most ISO__CLIENT_FRAMES_MAX - 1. Falls while time
/// passes; a time before the last tick came counts as that.
uint32_t iso__client_display_clock_behind(const iso__client_display_clock *clock, uint64_t now_ns);

#endif
