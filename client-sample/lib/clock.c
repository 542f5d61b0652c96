#include "clock.h"

#include "isostep/assert.h"

#define SECOND_NS UINT64_C(1000000000)

#define DRIFT_ERROR_MAX_Q8 (4 * 256)
#define DRIFT_DIVISOR      12 // [s^2], 1 / Ki

/// Nanoseconds as ticks, 256 is one, rounded down. Split at whole seconds, so that no product overflows.
static uint64_t ticks_q8(uint64_t ns, uint16_t rate_hz) {
    const uint64_t per_second = (uint64_t)rate_hz * 256u;
    return ns / SECOND_NS * per_second + ns % SECOND_NS * per_second / SECOND_NS;
}

void iso__client_clock_init(iso__client_clock *clock, uint16_t rate_hz, uint8_t lead_ticks) {
    ISO_ASSERT(rate_hz > 0);
    *clock = (iso__client_clock){.rate_hz = rate_hz, .lead_ticks = lead_ticks};
    clock->stride = ((uint32_t)rate_hz + ISO__CLIENT_CLOCK_INPUTS_MAX - 1u) / ISO__CLIENT_CLOCK_INPUTS_MAX;
}

void iso__client_clock_sample_add(iso__client_clock *clock, uint64_t sent_ns, uint64_t now_ns, uint64_t server_tick,
                                  uint8_t fraction_q8) {
    ISO_ASSERT(clock->rate_hz > 0 && sent_ns <= now_ns && server_tick < UINT64_C(1) << 53);
    const uint64_t rtt = now_ns - sent_ns;
    // The server's time now is at least what it said, and at most that and the whole round trip.
    const uint64_t earliest_q8 = server_tick * 256u + fraction_q8;
    const uint64_t latest_q8 = earliest_q8 + ticks_q8(rtt, clock->rate_hz);
    const uint64_t believed_q8 = iso__client_clock_server_q8(clock, now_ns);
    if (believed_q8 + ISO__CLIENT_CLOCK_SLIP_Q8 < earliest_q8 || believed_q8 > latest_q8 + ISO__CLIENT_CLOCK_SLIP_Q8) {
        clock->sample_first = clock->sample_count;
    }
    clock->samples[clock->sample_count % ISO__CLIENT_CLOCK_SAMPLES] = (iso__client_clock_sample){
        .middle_ns = sent_ns + rtt / 2u,
        .server_q8 = earliest_q8,
        .rtt_ns = rtt,
    };
    clock->rtt_ns = clock->sample_count == 0 ? rtt : (clock->rtt_ns * 7u + rtt) / 8u;
    clock->sample_count += 1;
}

/// The quickest of the last samples, the latest of equals; NULL without any.
static const iso__client_clock_sample *sample_best(const iso__client_clock *clock) {
    const iso__client_clock_sample *best = 0;
    uint64_t first = clock->sample_first;
    if (clock->sample_count - first > ISO__CLIENT_CLOCK_SAMPLES) {
        first = clock->sample_count - ISO__CLIENT_CLOCK_SAMPLES;
    }
    for (uint64_t i = first; i < clock->sample_count; ++i) {
        const iso__client_clock_sample *sample = &clock->samples[i % ISO__CLIENT_CLOCK_SAMPLES];
        if (best == 0 || sample->rtt_ns <= best->rtt_ns) {
            best = sample;
        }
    }
    return best;
}

uint64_t iso__client_clock_rtt_min(const iso__client_clock *clock) {
    ISO_ASSERT(clock->sample_first <= clock->sample_count);
    const iso__client_clock_sample *best = sample_best(clock);
    return best != 0 ? best->rtt_ns : 0;
}

uint64_t iso__client_clock_server_q8(const iso__client_clock *clock, uint64_t now_ns) {
    ISO_ASSERT(clock->sample_first <= clock->sample_count);
    const iso__client_clock_sample *best = sample_best(clock);
    if (best == 0) {
        return 0;
    }
    return best->server_q8 + (now_ns > best->middle_ns ? ticks_q8(now_ns - best->middle_ns, clock->rate_hz) : 0);
}

uint64_t iso__client_clock_arrived(const iso__client_clock *clock, uint64_t now_ns) {
    ISO_ASSERT(clock->rate_hz > 0 && clock->sample_first <= clock->sample_count);
    const uint64_t travel_ns = iso__client_clock_rtt_min(clock) / 2u;
    return iso__client_clock_server_q8(clock, now_ns > travel_ns ? now_ns - travel_ns : 0) / 256u;
}

/// The time between two inputs at a pace.
static uint64_t input_interval_ns(const iso__client_clock *clock, int32_t pace_ppm) {
    const uint64_t pace = (uint64_t)(1000000 + pace_ppm);
    return SECOND_NS * 1000000u / ((uint64_t)clock->rate_hz * pace) * clock->stride;
}

/// The target tick of an input so that it arrives with the lead, by the estimate.
static uint64_t wanted_q8(const iso__client_clock *clock, uint64_t now_ns) {
    const uint64_t travel_q8 = ticks_q8(iso__client_clock_rtt_min(clock) / 2u, clock->rate_hz);
    return iso__client_clock_server_q8(clock, now_ns) + travel_q8 + (uint64_t)clock->lead_ticks * 256u;
}

/// The next input is due when the clock reaches the next whole tick.
static void clock_set(iso__client_clock *clock, uint64_t now_ns, uint64_t position_q8) {
    clock->next_target = position_q8 / 256u + 1u;
    clock->due_ns = now_ns + (256u - position_q8 % 256u) * SECOND_NS / ((uint64_t)clock->rate_hz * 256u);
    clock->pace_ppm = clock->drift_ppm;
    clock->steered_ns = 0;
}

void iso__client_clock_start(iso__client_clock *clock, uint64_t now_ns, uint64_t first_target) {
    ISO_ASSERT(clock->rate_hz > 0 && clock->stride > 0);
    clock->is_running = true;
    clock->last_target = first_target;
    clock->offset_q8 = 0;
    clock->settle_ns = now_ns;
    clock_set(clock, now_ns, wanted_q8(clock, now_ns));
}

/// The clock's offset from the estimate. A larger offset than a jump does not come from margins.
static int32_t offset_q8(const iso__client_clock *clock, uint64_t now_ns, uint64_t target) {
    const int64_t most = ISO__CLIENT_CLOCK_JUMP_TICKS * 256;
    const int64_t offset = (int64_t)(target * 256u) - (int64_t)wanted_q8(clock, now_ns);
    return (int32_t)(offset > most ? most : offset < -most ? -most : offset);
}

void iso__client_clock_resume(iso__client_clock *clock, uint64_t now_ns) {
    ISO_ASSERT(clock->rate_hz > 0 && clock->stride > 0);
    const int64_t position_q8 = (int64_t)wanted_q8(clock, now_ns) + clock->offset_q8;
    clock_set(clock, now_ns, position_q8 > 0 ? (uint64_t)position_q8 : 0);
    clock->settle_ns = now_ns + clock->rtt_ns + ISO__CLIENT_CLOCK_SETTLE_NS;
}

bool iso__client_clock_take(iso__client_clock *clock, uint64_t now_ns, uint64_t *target) {
    ISO_ASSERT(!clock->is_running || (clock->rate_hz > 0 && clock->stride > 0));
    if (!clock->is_running || now_ns < clock->due_ns) {
        return false;
    }
    const uint64_t interval = input_interval_ns(clock, clock->pace_ppm);
    const uint64_t missed = (now_ns - clock->due_ns) / interval;
    const uint64_t now_target = clock->next_target + missed * clock->stride;
    clock->due_ns += (missed + 1u) * interval;
    clock->next_target = now_target + clock->stride;
    if (clock->last_target <= now_target) {
        clock->last_target = now_target;
        clock->offset_q8 = offset_q8(clock, now_ns, now_target);
    } else {
        clock->settle_ns = now_ns + clock->rtt_ns + ISO__CLIENT_CLOCK_SETTLE_NS;
    }
    *target = clock->last_target;
    return true;
}

static int64_t clamped(int64_t value, int64_t most) {
    return value > most ? most : value < -most ? -most : value;
}

/// The integral part. Kp is 1/2 per second (below); with Ki = 1/12 the damping is 0.87, so that a step is answered
/// almost without swinging. An error of more than a few ticks is a hitch, of which little is learnt, and one that is
/// left alone teaches nothing: without the part that damps, it would swing about the lead.
static void drift_learn(iso__client_clock *clock, uint64_t now_ns, int64_t error_q8) {
    const uint64_t since_ns = clock->steered_ns != 0 ? now_ns - clock->steered_ns : 0;
    const int64_t since_ms = since_ns < SECOND_NS ? (int64_t)(since_ns / 1000000u) : 1000;
    const bool is_small = error_q8 >= -ISO__CLIENT_CLOCK_DEADBAND_Q8 && error_q8 <= ISO__CLIENT_CLOCK_DEADBAND_Q8;
    const int64_t counted_q8 = is_small ? 0 : clamped(error_q8, DRIFT_ERROR_MAX_Q8);
    const int64_t more_ppm = counted_q8 * 1000 * since_ms / (256 * DRIFT_DIVISOR * (int64_t)clock->rate_hz);
    clock->drift_ppm = (int32_t)clamped(clock->drift_ppm + more_ppm, ISO__CLIENT_CLOCK_DRIFT_MAX_PPM);
    clock->steered_ns = now_ns;
}

void iso__client_clock_steer(iso__client_clock *clock, uint64_t now_ns, int32_t margin_q8) {
    ISO_ASSERT(clock->pace_ppm >= -ISO__CLIENT_CLOCK_PACE_MAX_PPM && clock->pace_ppm <= ISO__CLIENT_CLOCK_PACE_MAX_PPM);
    if (!clock->is_running || now_ns < clock->settle_ns) {
        return;
    }
    const int64_t error_q8 = (int64_t)clock->lead_ticks * 256 - margin_q8;
    if (error_q8 > ISO__CLIENT_CLOCK_JUMP_TICKS * 256 || error_q8 < -ISO__CLIENT_CLOCK_JUMP_TICKS * 256) {
        const int64_t target = (int64_t)clock->next_target + error_q8 / 256;
        clock->next_target = target > 0 ? (uint64_t)target : 0;
        clock->pace_ppm = clock->drift_ppm;
        clock->steered_ns = 0;
        clock->settle_ns = now_ns + clock->rtt_ns + ISO__CLIENT_CLOCK_SETTLE_NS;
        clock->jumps += 1;
        return;
    }
    drift_learn(clock, now_ns, error_q8);
    if (error_q8 >= -ISO__CLIENT_CLOCK_DEADBAND_Q8 && error_q8 <= ISO__CLIENT_CLOCK_DEADBAND_Q8) {
        clock->pace_ppm = clock->drift_ppm;
        return;
    }
    // Half of the error is corrected after about a second: slow enough for an answer that comes a status interval and a
    // round trip later.
    const int64_t pace = clock->drift_ppm + error_q8 * 1000000 / (256 * 2 * (int64_t)clock->rate_hz);
    clock->pace_ppm = (int32_t)clamped(pace, ISO__CLIENT_CLOCK_PACE_MAX_PPM);
}
