/// Clocks that run too fast or too slow, and jump: a machine that was suspended, a virtual one that was moved.
#include "sim.h"

#define PPM        INT64_C(1000000)
#define STEADY_PPM INT64_C(20000) // of the clients of a steady run

/// a * (1 + ppm / 10^6), split so that no product overflows.
static uint64_t clock_stretch(uint64_t ns, int64_t ppm) {
    const int64_t million = (int64_t)(ns / (uint64_t)PPM);
    const int64_t rest = (int64_t)(ns % (uint64_t)PPM);
    return (uint64_t)((int64_t)ns + million * ppm + rest * ppm / PPM);
}

uint64_t clock_read(sim_clock *clock, uint64_t now_ns) {
    const uint64_t local_ns = clock->local_ns + clock_stretch(now_ns - clock->true_ns, clock->drift_ppm);
    if (local_ns > clock->last_ns || clock->may_go_back) {
        clock->last_ns = local_ns;
    }
    return clock->last_ns;
}

uint64_t clock_when(const sim_clock *clock, uint64_t local_ns) {
    if (local_ns == UINT64_MAX || local_ns <= clock->local_ns) {
        return local_ns == UINT64_MAX ? UINT64_MAX : clock->true_ns;
    }
    const uint64_t left_ns = local_ns - clock->local_ns;
    uint64_t true_ns = clock_stretch(left_ns, -clock->drift_ppm);
    // 1 / (1 + x) is not 1 - x: step up to where it has come to the time.
    while (clock_stretch(true_ns, clock->drift_ppm) < left_ns) {
        true_ns += 1 + (left_ns - clock_stretch(true_ns, clock->drift_ppm)) / 2;
    }
    return clock->true_ns + true_ns;
}

void clock_jump(sim *s, uint32_t whose, int64_t by_ns) {
    sim_clock *clock = whose == SIM_NONE ? &s->server.clock : &s->clients[whose].clock;
    const uint64_t local_ns = clock->local_ns + clock_stretch(s->now_ns - clock->true_ns, clock->drift_ppm);
    const uint64_t back_ns = (uint64_t)-by_ns;
    clock->true_ns = s->now_ns;
    clock->local_ns = by_ns >= 0 ? local_ns + (uint64_t)by_ns : local_ns > back_ns ? local_ns - back_ns : 0;
    clock->jumps += 1;
    oracle_clock_disturb(s, whose,
                         by_ns < 0 ? back_ns : (uint64_t)by_ns); // what should go back stands, a target repeats
    s->disk.has_failed |= whose == SIM_NONE; // to this clock, what waited for the disk waited for long
    s->totals.clock_jumps += 1;
    sim_log(s, "the clock of %s %d jumps by %lld ms", whose == SIM_NONE ? "the server" : "client", (int)whose,
            (long long)(by_ns / (int64_t)SIM_MS));
}

static int64_t clock_draw_drift(sim *s) {
    const uint64_t widest_ppm[] = {50, 50, 1000, 20000};
    const uint64_t widest = widest_ppm[sim_random_below(&s->trouble, 4)];
    return (int64_t)sim_random_below(&s->trouble, 2 * widest + 1) - (int64_t)widest;
}

/// How far, and back one time in three.
static uint64_t clock_draw_jump(sim *s) {
    const uint64_t longest_ns[] = {100 * SIM_MS, SIM_SECOND, 8 * SIM_SECOND};
    const int64_t by_ns = (int64_t)sim_random_below(&s->trouble, longest_ns[sim_random_below(&s->trouble, 3)]);
    return (uint64_t)(sim_random_one_in(&s->trouble, 3) ? -by_ns / 8 : by_ns);
}

static void clock_plan_jump(sim *s, uint32_t whose) {
    const uint64_t when_ns = sim_random_below(&s->trouble, s->shutdown_ns);
    sim_schedule(s, when_ns, (sim_event){.kind = SIM_CLOCK_JUMP, .index = whose, .count = clock_draw_jump(s)});
}

void clock_plan(sim *s) {
    s->server.clock = (sim_clock){.drift_ppm = clock_draw_drift(s), .local_ns = SIM_SECOND, .may_go_back = true};
    if (sim_random_one_in(&s->trouble, 12)) {
        clock_plan_jump(s, SIM_NONE);
    }
    for (uint32_t i = 0; i < SIM_CLIENTS_MAX; ++i) {
        s->clients[i].clock =
            (sim_clock){.drift_ppm = clock_draw_drift(s), .local_ns = sim_random_below(&s->trouble, SIM_SECOND)};
        if (i < s->client_count && sim_random_one_in(&s->trouble, 12)) {
            clock_plan_jump(s, i);
        }
        if (s->is_steady) {
            s->clients[i].clock.drift_ppm = sim_random_one_in(&s->hush, 2) ? STEADY_PPM : -STEADY_PPM;
        }
    }
}
