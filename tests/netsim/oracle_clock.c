/// What must hold of the clients' clocks: a while after the server's clock has stood still or slipped, and after what
/// has befallen the client itself, its inputs come about as early as it wants them to.
#include "sim.h"

#define SETTLED_NS (3 * SIM_SECOND / 2) // and a round trip
#define LEAD       2                    // [ticks]: as iso_client_config_default has it
#define OFF_MAX    12 // [ticks]: what is more than 10 off is jumped; while the answer is under way, clocks drift apart
#define SHIFT_NS   SIM_MS // by which deadlines move at least when the server's clock stands or slips
// Where the clock control ends up, a while later: this near to the lead, however fast or slow the client's clock is.
// One that is 2 % slow falls behind by 3.5 ticks until the control has learnt it, which fades with 0.25 per second
// (client-sample/lib/clock.c).
#define LEARNT_NS        (9 * SIM_SECOND)
#define MARGIN_WINDOW_NS SIM_SECOND
#define MARGIN_OFF_MAX   448   // [ticks, 256 is one]
#define DRIFT_MAX_PPM    25000 // between the two clocks
#define JITTER_MAX_NS    (10 * SIM_MS)

/// Notes when the session's deadlines have moved.
static void clock_follow_server(sim *s) {
    sim_server *server = &s->server;
    const uint64_t deadline_ns = iso_session_tick_deadline(server->session, SIM_TICKS_MAX);
    const uint64_t before_ns = server->far_deadline_ns;
    const uint64_t moved_ns = deadline_ns > before_ns ? deadline_ns - before_ns : before_ns - deadline_ns;
    server->far_deadline_ns = deadline_ns;
    const uint64_t now_ns = moved_ns > SHIFT_NS ? s->now_ns : server->busy_until_ns;
    server->shifted_ns = now_ns > server->shifted_ns ? now_ns : server->shifted_ns;
}

void oracle_clock_disturb(sim *s, uint32_t client, uint64_t for_ns) {
    uint64_t *until_ns = client == SIM_NONE ? &s->server.shifted_ns : &s->clients[client].disturbed_until_ns;
    *until_ns = *until_ns > s->now_ns + for_ns ? *until_ns : s->now_ns + for_ns;
}

/// What the server measures is the least of some inputs; so is this.
static void clock_check_margin(sim *s, uint32_t client, int64_t early_ns) {
    sim_client *c = &s->clients[client];
    const uint64_t shifted_ns = s->server.shifted_ns;
    const uint64_t calm_ns = (shifted_ns > c->disturbed_until_ns ? shifted_ns : c->disturbed_until_ns) + LEARNT_NS;
    const int64_t drift_ppm = c->clock.drift_ppm - s->server.clock.drift_ppm;
    if (c->link == SIM_NONE || s->now_ns < calm_ns || drift_ppm > DRIFT_MAX_PPM || drift_ppm < -DRIFT_MAX_PPM ||
        s->links[c->link].jitter_ns > JITTER_MAX_NS) {
        return;
    }
    if (c->margin_from_ns < calm_ns || s->now_ns >= c->margin_from_ns + MARGIN_WINDOW_NS) {
        const int64_t off_q8 = c->margin_ns * 256 * s->def.tick_rate_hz / (int64_t)SIM_SECOND - LEAD * 256;
        if (c->margin_from_ns >= calm_ns) {
            SIM_CHECK(s, off_q8 <= MARGIN_OFF_MAX && off_q8 >= -MARGIN_OFF_MAX,
                      "client %u, whose clock is %lld ppm fast, keeps its inputs %lld/256 ticks beside the lead",
                      client, (long long)drift_ppm, (long long)off_q8);
            s->totals.margins += 1;
        }
        c->margin_from_ns = s->now_ns;
        c->margin_ns = early_ns;
    }
    c->margin_ns = early_ns < c->margin_ns ? early_ns : c->margin_ns;
}

void oracle_clock_input(sim *s, uint32_t client, const iso_message_input *input) {
    const sim_client *c = &s->clients[client];
    const uint64_t now_ns = server_now_ns(s);
    iso_session_info info;
    iso_session_get_info(s->server.session, &info);
    clock_follow_server(s);
    const uint64_t settled_ns = SETTLED_NS + (c->link == SIM_NONE ? 0 : 2 * s->links[c->link].latency_ns);
    const bool calm = s->now_ns > s->server.shifted_ns + settled_ns && s->now_ns > c->disturbed_until_ns + settled_ns &&
                      info.state != ISO_SESSION_PAUSED;
    if (!calm || client_is_wild(c) || c->bytes_per_second != 0 || c->bot == SIM_BOT_WATCH) {
        return;
    }
    const int64_t early_ns =
        (int64_t)iso_session_tick_deadline(s->server.session, input->target_tick) - (int64_t)now_ns;
    const int64_t early_ticks = early_ns * s->def.tick_rate_hz / (int64_t)SIM_SECOND;
    SIM_CHECK(s, early_ticks <= LEAD + OFF_MAX && early_ticks >= LEAD - OFF_MAX,
              "an input of client %u comes %lld ticks early, %llu ms after the server's clock has gone on", client,
              (long long)early_ticks, (unsigned long long)((s->now_ns - s->server.shifted_ns) / SIM_MS));
    clock_check_margin(s, client, early_ns);
}
