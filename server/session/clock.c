/// The session's clock: when ticks are due, and when the session gives up catching up.
///
/// deadline(T) = base_ns + (T - base_tick) * 10^9 / rate, rounded down. It is computed from T each time, never by
/// adding an interval, so it does not drift. Whole seconds are computed separately; the rest stays below 128 * 10^9, so
/// 64 bits hold every product.
#include "clock.h"

#include "isostep/assert.h"

#include "note.h"

void iso__clock_start(iso_session *session, uint64_t now_ns) {
    ISO_ASSERT(now_ns == session->now_ns);
    session->base_ns = now_ns;
    session->base_tick = session->sealed_tick;
}

uint64_t iso_session_tick_deadline(const iso_session *session, uint64_t tick) {
    ISO_ASSERT(session->rate_hz > 0);
    const uint64_t rate = session->rate_hz;
    if (tick < session->base_tick) {
        const uint64_t ticks = session->base_tick - tick;
        const uint64_t back = ticks / rate * ISO__NS_PER_SECOND + ticks % rate * ISO__NS_PER_SECOND / rate;
        return back < session->base_ns ? session->base_ns - back : 0;
    }
    const uint64_t ticks = tick - session->base_tick;
    return session->base_ns + ticks / rate * ISO__NS_PER_SECOND + ticks % rate * ISO__NS_PER_SECOND / rate;
}

uint64_t iso__clock_tick(const iso_session *session, uint64_t *fraction_q8) {
    ISO_ASSERT(session->base_ns <= session->now_ns);
    if (session->is_paused || session->strict_tick != 0) {
        *fraction_q8 = session->is_paused ? 0 : 255;
        return session->sealed_tick;
    }
    const uint64_t rate = session->rate_hz;
    const uint64_t passed = session->now_ns > session->base_ns ? session->now_ns - session->base_ns : 0;
    uint64_t tick = session->base_tick + passed / ISO__NS_PER_SECOND * rate +
                    passed % ISO__NS_PER_SECOND * rate / ISO__NS_PER_SECOND;
    // Deadlines are rounded down, so the next one may have passed already.
    if (iso_session_tick_deadline(session, tick + 1) <= session->now_ns) {
        ++tick;
    }
    const uint64_t since = session->now_ns - iso_session_tick_deadline(session, tick);
    const uint64_t fraction = since * 256u * rate / ISO__NS_PER_SECOND;
    *fraction_q8 = fraction < 255u ? fraction : 255u;
    return tick;
}

void iso__clock_limit(iso_session *session) {
    ISO_ASSERT(!session->is_paused && session->strict_tick == 0);
    uint64_t fraction;
    const uint64_t passed = iso__clock_tick(session, &fraction);
    const uint64_t limit = session->sealed_tick + session->config.catch_up_ticks_max;
    if (passed <= limit) {
        return;
    }
    // The newest tick that may be caught up is due just now; those before it are overdue, the maximum number of them.
    const uint64_t late_ns = session->now_ns - iso_session_tick_deadline(session, limit);
    session->base_ns = session->now_ns;
    session->base_tick = limit;
    session->stats.slips += 1;
    session->stats.slipped_ns += late_ns;
    iso_session_note *note = iso__note(session, ISO_SESSION_LOG_WARN, "the clock slipped [ms]");
    note->value = late_ns / ISO__NS_PER_MS;
}

int32_t iso__clock_margin_q8(const iso_session *session, uint64_t tick) {
    ISO_ASSERT(tick < ISO_TICK_END);
    const uint64_t deadline = iso_session_tick_deadline(session, tick);
    const bool late = deadline < session->now_ns;
    uint64_t distance_ns = late ? session->now_ns - deadline : deadline - session->now_ns;
    const uint64_t distance_max = UINT64_C(3600) * ISO__NS_PER_SECOND;
    if (distance_ns > distance_max) {
        distance_ns = distance_max;
    }
    const int32_t margin = (int32_t)(distance_ns * 256u * session->rate_hz / ISO__NS_PER_SECOND);
    return late ? -margin : margin;
}
