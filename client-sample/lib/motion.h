/// The numbers of a pose that is shown: errors that fade, and the way between two ticks. All are Q31.32.
///
/// Positions are within ±30,000 m and offsets within ISO__CLIENT_SNAP_DISTANCE, so their sums stay in range; angles are
/// unwrapped and may not, so these are taken modulo 2^64.
#ifndef ISO_CLIENT_MOTION_H
#define ISO_CLIENT_MOTION_H

#include "display_clock.h"
#include "isostep/fixed.h"

#define ISO__CLIENT_FADE_DIVISOR  8
#define ISO__CLIENT_SNAP_DISTANCE (4 * ISO_WIDE_ONE) // [m] in one direction

/// A larger displacement in a tick is a teleport, not a motion.
#define ISO__CLIENT_TELEPORT_DISTANCE (4 * ISO_WIDE_ONE) // [m] in one direction
#define ISO__CLIENT_TELEPORT_TICKS    64                 // between two frames; more count as these

static inline iso_wide iso__client_motion_sum(iso_wide a, iso_wide b) {
    return (iso_wide)((uint64_t)a + (uint64_t)b);
}

static inline iso_wide iso__client_motion_difference(iso_wide a, iso_wide b) {
    return (iso_wide)((uint64_t)a - (uint64_t)b);
}

static inline bool iso__client_motion_is_within(iso_wide value, iso_wide bound) {
    return value >= -bound && value <= bound;
}

/// A number that fades with a tick.
static inline iso_wide iso__client_motion_faded(iso_wide value) {
    // A division would never remove the last bits.
    return value > -ISO__CLIENT_FADE_DIVISOR && value < ISO__CLIENT_FADE_DIVISOR
               ? 0
               : value - value / ISO__CLIENT_FADE_DIVISOR;
}

/// Whether so large an error [m] is shown as a motion.
static inline bool iso__client_motion_is_near(iso_wide error) {
    return iso__client_motion_is_within(error, ISO__CLIENT_SNAP_DISTANCE);
}

/// How many times the displacement of a tick may lie between two frames.
static inline iso_wide iso__client_motion_most_in(uint64_t ticks) {
    return (iso_wide)(ticks < ISO__CLIENT_TELEPORT_TICKS ? ticks : ISO__CLIENT_TELEPORT_TICKS);
}

/// Whether a body may have come so far in that many ticks without having been put there.
static inline bool iso__client_motion_is_way(iso_wide from, iso_wide to, uint64_t ticks) {
    return iso__client_motion_is_within(iso__client_motion_difference(to, from),
                                        ISO__CLIENT_TELEPORT_DISTANCE * iso__client_motion_most_in(ticks));
}

/// `from` and a part of the way to `to`. The way is a few hundred metres at most, as the teleport's distance bounds it.
static inline iso_wide iso__client_motion_between(iso_wide from, iso_wide to, uint32_t fraction_q16) {
    return iso__client_motion_sum(from, iso__client_motion_difference(to, from) * fraction_q16 /
                                            (iso_wide)ISO__CLIENT_DISPLAY_ONE);
}

#endif
