/// What must hold of the clients' clocks: a while after the server's clock has stood still or slipped, and after what has
/// befallen the client itself, its inputs come about as early as it wants them to.
#include "sim.h"

#define SETTLED_NS (3 * SIM_SECOND / 2)
#define LEAD       2  // [ticks]: as iso_client_config_default has it
#define OFF_MAX    12 // [ticks]: what is more than 10 off is jumped; while the answer is under way, clocks drift apart
#define SHIFT_NS   SIM_MS // by which deadlines move at least when the server's clock stands or slips

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

void oracle_clock_input(sim *s, uint32_t client, const iso_message_input *input) {
    const sim_client *c = &s->clients[client];
    const uint64_t now_ns = server_now_ns(s);
    iso_session_info info;
    iso_session_get_info(s->server.session, &info);
    clock_follow_server(s);
    const bool calm = s->now_ns > s->server.shifted_ns + SETTLED_NS && s->now_ns > c->disturbed_until_ns + SETTLED_NS &&
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
}
