/// The end of a step: which of the bodies that moved sleep from now on.
///
/// An island, the dynamic bodies that contacts and joints connect, sleeps when each of its bodies has been quiet for
/// def.sleep_time (step/watch.h), none of them must stay awake, no motor drives one, no moving kinematic body touches
/// or pulls it, and its bodies' energy does not grow. A body that came to the border of the world sleeps alone. Whether
/// a body is slow, what drives it and what its record holds, the wings say.
#ifndef ISO_STEP_SLEEP_H
#define ISO_STEP_SLEEP_H

#include "base/inline.h"
#include "solver/parallel.h"
#include "solver/params.h"
#include "step/edge.h"
#include "step/waking.h"

/// What this works on.
typedef struct iso__sleep {
    const uint32_t *moving; // the moving bodies, ascending
    uint32_t moving_count;
    const uint64_t *moving_bits; // the same as bits
    uint64_t *woken_sets;        // a bit per island that stays awake, at its lowest body
    uint64_t *carried_sets;      // likewise: one that contacts carry
    uint64_t *pulled_bits;       // a bit per body that a joint brings to somewhere else
    int64_t *gains;              // per island, at its lowest body: the sum of its bodies' quiet_gain
    bool has_all_moving;         // out: all bodies are fast
    uint64_t sleeper_count;      // out
} iso__sleep;

typedef struct iso__sleep_rules {
    bool (*all_move)(const iso_world *world, const iso__sleep *sleep); // iso__sleep_all_move with the wing's function
    void (*mark)(iso_world *world); // marks islands that contacts carry or motors drive, and bodies that joints pull
    iso__range_fn *watch;           // iso__sleep_watch_range, likewise
    iso__range_fn *end;             // iso__sleep_end_range, likewise
    iso__edges (*edges)(const iso_world *world); // contacts and joints with a moving body, but for sensors' contacts
    bool (*is_gone)(const iso_world *world, uint32_t body); // it came to the border of the world
    void (*put)(iso_world *world, uint32_t body);           // to sleep
} iso__sleep_rules;

/// Whether all bodies are fast: then none sleeps, whatever carries or drives them, and all watches begin anew.
/// @param is_slow  whether a body is below def.sleep_speed
ISO__ALWAYS_INLINE bool iso__sleep_all_move(const iso_world *world, const iso__sleep *sleep,
                                            bool (*is_slow)(const iso_world *world, uint32_t body)) {
    for (uint32_t m = 0; m < sleep->moving_count; ++m) {
        if (is_slow(world, sleep->moving[m]) && iso__moving_is_dynamic(world, sleep->moving[m])) {
            return false;
        }
    }
    return true;
}

/// Watches some of the moving bodies, and notes which islands stay awake; others may be watched at the same time.
/// @param data  the iso__sleep
/// @param watch  watches a dynamic body for a tick: whether it may sleep; gain: its quiet_gain
ISO__ALWAYS_INLINE void iso__sleep_watch_range(iso_world *world, void *data, uint32_t begin, uint32_t end,
                                               bool (*watch)(iso_world *world, uint32_t body, uint32_t limit,
                                                             int32_t *gain)) {
    const iso__sleep *sleep = data;
    const uint32_t limit = iso__sleep_ticks(&world->def);
    for (uint32_t m = begin; m < end; ++m) {
        const uint32_t body = sleep->moving[m];
        if (!iso__moving_is_dynamic(world, body)) {
            continue;
        }
        int32_t gain = 0;
        if (!watch(world, body, limit, &gain)) {
            iso__bit_set_shared(sleep->woken_sets, world->islands[body]);
        }
        if (gain != 0) {
            __atomic_fetch_add(&sleep->gains[world->islands[body]], gain, __ATOMIC_RELAXED);
        }
    }
}

/// Whether an awake dynamic body sleeps from now on.
static inline bool iso__sleep_takes(const iso_world *world, const iso__sleep *sleep, uint32_t body, bool is_gone) {
    return is_gone || (!sleep->has_all_moving && !iso__bit_is_set(sleep->woken_sets, world->islands[body]));
}

/// Ends the motions of some of the moving bodies, but for those that sleep from now on, which it counts.
/// @param stop  ends a body's motion; restarts: and its watch begins anew
ISO__ALWAYS_INLINE void iso__sleep_end_range(iso_world *world, void *data, uint32_t begin, uint32_t end,
                                             bool (*is_gone)(const iso_world *world, uint32_t body),
                                             void (*stop)(iso_world *world, uint32_t body, bool restarts)) {
    iso__sleep *sleep = data;
    const uint32_t *const moving = sleep->moving;
    const bool has_all_moving = sleep->has_all_moving;
    uint64_t sleepers = 0;
    for (uint32_t m = begin; m < end; ++m) {
        const uint32_t body = moving[m];
        const bool is_dynamic = iso__moving_is_dynamic(world, body);
        if (is_dynamic && iso__sleep_takes(world, sleep, body, is_gone(world, body))) {
            ++sleepers;
        } else {
            stop(world, body, has_all_moving && is_dynamic);
        }
    }
    iso__count_shared(&sleep->sleeper_count, sleepers);
}

/// Watches the moving bodies, puts those to sleep that may, and tells of each, by ascending index.
void iso__step_sleep(iso_world *world, iso__sleep *sleep, const iso__sleep_rules *rules);

#endif
