#include "display_clock.h"

#include "isostep/assert.h"

#define SECOND_NS    UINT64_C(1000000000)
#define ONE          ISO__CLIENT_DISPLAY_ONE
#define BEHIND_MAX   ((ISO__CLIENT_FRAMES_MAX - 1u) * ONE)
#define MARGIN       (ONE / 8)              // kept beyond the latest arrival
#define WANTED_MAX   (BEHIND_MAX - ONE / 2) // so that an early tick does not make it jump
#define SETTLE_TICKS 32                     // in so many an error falls to a third

uint32_t iso__client_display_clock_behind(const iso__client_display_clock *clock, uint64_t now_ns) {
    ISO_ASSERT(clock->behind_q16 <= BEHIND_MAX);
    uint64_t passed_ns = now_ns > clock->set_ns ? now_ns - clock->set_ns : 0;
    passed_ns = passed_ns < SECOND_NS ? passed_ns : SECOND_NS; // all that is kept is shown by then
    const uint64_t ticks_q16 = passed_ns * clock->rate_hz * ONE / SECOND_NS;
    const uint64_t shown_q16 = ticks_q16 * (uint64_t)(1000000 + clock->pace_ppm) / 1000000u;
    return shown_q16 < clock->behind_q16 ? clock->behind_q16 - (uint32_t)shown_q16 : 0;
}

/// How much later this tick came than the first one would have it [ns].
static int64_t lateness_ns(const iso__client_display_clock *clock, uint64_t now_ns) {
    return (int64_t)(now_ns - clock->base_ns) -
           (int64_t)((clock->tick - clock->base_tick) * SECOND_NS / clock->rate_hz);
}

/// Adds a lateness. @return the largest of the last ones [ns]
static int64_t latest_of(iso__client_display_clock *clock, int64_t late_ns) {
    if (clock->window_count == ISO__CLIENT_DISPLAY_WINDOW) {
        clock->late_ns[1] = clock->late_ns[0];
        clock->late_ns[0] = INT64_MIN;
        clock->window_count = 0;
    }
    clock->window_count += 1;
    clock->late_ns[0] = late_ns > clock->late_ns[0] ? late_ns : clock->late_ns[0];
    return clock->late_ns[0] > clock->late_ns[1] ? clock->late_ns[0] : clock->late_ns[1];
}

/// How far behind it should be now: a tick and the margin when a tick arrives as late as the latest one.
static uint32_t wanted_q16(const iso__client_display_clock *clock, int64_t early_ns) {
    const uint64_t most_ns = ISO__CLIENT_FRAMES_MAX * SECOND_NS / clock->rate_hz;
    const uint64_t early = (uint64_t)early_ns < most_ns ? (uint64_t)early_ns : most_ns;
    const uint64_t wanted = ONE + MARGIN + early * clock->rate_hz * ONE / SECOND_NS;
    return wanted < WANTED_MAX ? (uint32_t)wanted : WANTED_MAX;
}

void iso__client_display_clock_tick(iso__client_display_clock *clock, uint64_t now_ns, uint16_t rate_hz,
                                    uint64_t tick) {
    ISO_ASSERT(rate_hz > 0 && (clock->rate_hz == 0 || tick > clock->tick));
    if (clock->rate_hz == 0) {
        *clock = (iso__client_display_clock){
            .rate_hz = rate_hz,
            .base_ns = now_ns,
            .base_tick = tick,
            .behind_q16 = ONE + MARGIN,
            .late_ns = {INT64_MIN, INT64_MIN},
        };
    } else {
        const uint64_t behind = iso__client_display_clock_behind(clock, now_ns) + (tick - clock->tick) * ONE;
        clock->behind_q16 = behind < BEHIND_MAX ? (uint32_t)behind : BEHIND_MAX;
    }
    clock->set_ns = now_ns > clock->set_ns ? now_ns : clock->set_ns;
    clock->tick = tick;
    const int64_t late_ns = lateness_ns(clock, now_ns);
    const int64_t latest_ns = latest_of(clock, late_ns);
    const int64_t error = (int64_t)clock->behind_q16 - wanted_q16(clock, latest_ns - late_ns);
    const int64_t pace = error * 1000000 / ((int64_t)ONE * SETTLE_TICKS);
    const int64_t most = ISO__CLIENT_DISPLAY_PACE_PPM;
    clock->pace_ppm = (int32_t)(pace > most ? most : pace < -most ? -most : pace);
}
