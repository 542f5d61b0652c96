/// Watching a body for sleep: how near its place it stays and how slow it is, along each of its components, which are
/// places and turns times L: three in the plane, six in space. "When bodies sleep" in core/ARCHITECTURE.md has the
/// rules. Whether a body is slow, the wings decide: by its velocities.
#ifndef ISO_STEP_WATCH_H
#define ISO_STEP_WATCH_H

#include <stdbool.h>

#include "base/inline.h"
#include "isostep/fixed.h"
#include "math/fixed_ops.h"
#include "world/world.h"

#define ISO__WATCH_PARTS_MAX 6

#define ISO__SLEEP_DISTANCE ((int32_t)(ISO_WIDE_ONE / 1000)) // [m] Q31.32: what stays so near its place is at rest
#define ISO__SLEEP_CREEP    (INT32_C(1) << 17)   // [m] Q31.32, 31 um: what is pulled, and moves farther, is on its way
#define ISO__SLEEP_CHANGE   (ISO__VEL_ONE >> 12) // [m/s] 0.24 mm/s
#define ISO__SLEEP_SWAY     ((int32_t)(ISO_WIDE_ONE / 100)) // [m] Q31.32: no quiet body has moved farther in a watch
#define ISO__SLEEP_GAIN_MAX (INT32_C(1) << 30)              // of quiet_gain

/// What a body's record knows of its watch.
typedef struct iso__watch {
    uint32_t *ticks; // for which it has been quiet; from twice the limit on, back to once
    int32_t *moved;  // per component [m] Q31.32: since the watch began
    int32_t *gain;   // [m^2/s^2] Q.34, of squared speeds in the last watch
} iso__watch;

static inline void iso__watch_restart(const iso__watch *watch, int parts) {
    *watch->ticks = 0;
    *watch->gain = 0;
    for (int n = 0; n < parts; ++n) {
        watch->moved[n] = 0;
    }
}

static inline bool iso__watch_is_within(const iso__watch *watch, int parts, int32_t distance) {
    bool is_within = true;
    for (int n = 0; n < parts; ++n) {
        is_within = is_within && watch->moved[n] >= -distance && watch->moved[n] <= distance;
    }
    return is_within;
}

/// Adds the tick's movement. @return whether the body is still near where the watch began
static inline bool iso__watch_stays(const iso__watch *watch, int parts, const int64_t *moved, bool is_carried) {
    for (int n = 0; n < parts; ++n) {
        // Within a tick a body moves less than 2^9 m.
        watch->moved[n] = (int32_t)iso__clamp64(watch->moved[n] + moved[n], INT32_MIN, INT32_MAX);
    }
    return iso__watch_is_within(watch, parts, is_carried ? ISO__SLEEP_SWAY : ISO__SLEEP_DISTANCE);
}

/// The end of a watch: whether something drives a body that has stayed near its place. A constant acceleration a makes
/// the speed at the end differ from the mean by a T / 2; that of what swings differs most where it turns back.
/// @param speeds     per component [m/s] Q12.19
/// @param is_pulled  by a joint, or by gravity against damping: what is slow may be on its way
static inline bool iso__watch_is_driven(const iso__watch *watch, int parts, const int64_t *speeds, uint32_t rate,
                                        uint32_t limit, bool is_carried, bool is_pulled) {
    const int32_t way = is_carried ? ISO__SLEEP_DISTANCE : ISO__SLEEP_CREEP;
    bool is_driven = is_pulled && !iso__watch_is_within(watch, parts, way);
    int64_t gain = 0;
    for (int n = 0; n < parts; ++n) {
        // Q31.32 m to Q12.19 m/s
        const int64_t mean = iso__round_shift((int64_t)watch->moved[n] * rate / (int64_t)limit, 13);
        is_driven = is_driven || (!is_carried && iso__abs_u64(speeds[n] - mean) > ISO__SLEEP_CHANGE);
        gain += speeds[n] * speeds[n] - mean * mean;
    }
    gain = iso__watch_is_within(watch, parts, ISO__SLEEP_DISTANCE) ? 0 : iso__round_shift(gain, 4);
    *watch->gain = (int32_t)iso__clamp64(gain, -ISO__SLEEP_GAIN_MAX, ISO__SLEEP_GAIN_MAX);
    return is_driven;
}

/// What a watch comes to in a tick.
typedef enum iso__watch_state {
    ISO__WATCH_RUNS,    // it goes on; the body has been quiet for the sleep time when its ticks are beyond the limit
    ISO__WATCH_ENDS,    // the body was quiet to the end: what drives it decides
    ISO__WATCH_RESTARTS // the body moves
} iso__watch_state;

static inline iso__watch_state iso__watch_count(const iso__watch *watch, uint32_t limit, bool is_quiet) {
    const uint32_t ticks = *watch->ticks + 1;
    if (is_quiet && ticks != limit && ticks != 2 * limit) {
        *watch->ticks = ticks;
        return ISO__WATCH_RUNS;
    }
    return is_quiet ? ISO__WATCH_ENDS : ISO__WATCH_RESTARTS;
}

/// Begins the next watch of a body. @param is_at_rest  it was quiet for the last one, and nothing drives it
static inline void iso__watch_begin(const iso__watch *watch, int parts, uint32_t limit, bool is_at_rest) {
    const int32_t gain = *watch->gain;
    iso__watch_restart(watch, parts);
    *watch->ticks = is_at_rest ? limit : 0;
    *watch->gain = is_at_rest ? gain : 0;
}

/// What a body did in a tick.
typedef struct iso__watch_motion {
    int64_t moved[ISO__WATCH_PARTS_MAX];  // per component [m] Q31.32
    int64_t speeds[ISO__WATCH_PARTS_MAX]; // per component [m/s] Q12.19
    bool is_slow;                         // below def.sleep_speed
    bool is_carried;                      // contacts carry its island
} iso__watch_motion;

/// Watches a body for a tick. @param parts  a constant @param limit  iso__sleep_ticks @param is_pulled  see
/// iso__watch_is_driven; asked at the end of a watch alone
/// @return whether it is quiet, and has been for the sleep time
ISO__ALWAYS_INLINE bool iso__watch_tick(const iso_world *world, uint32_t body, const iso__watch *watch, int parts,
                                        const iso__watch_motion *motion, uint32_t limit,
                                        bool (*is_pulled)(const iso_world *world, uint32_t body)) {
    const bool is_quiet = motion->is_slow && iso__watch_stays(watch, parts, motion->moved, motion->is_carried);
    const iso__watch_state state = iso__watch_count(watch, limit, is_quiet);
    if (state == ISO__WATCH_RUNS) {
        return *watch->ticks > limit;
    }
    const bool is_at_rest =
        state == ISO__WATCH_ENDS && !iso__watch_is_driven(watch, parts, motion->speeds, world->def.tick_rate_hz, limit,
                                                          motion->is_carried, is_pulled(world, body));
    iso__watch_begin(watch, parts, limit, is_at_rest);
    return is_at_rest;
}

#endif
