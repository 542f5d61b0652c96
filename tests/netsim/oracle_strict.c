/// What must hold of the late policy STRICT: whom the session does not wait for any more has used up what its address
/// may have. Everybody has an account of its own, and the members of one address have one together.
#include <string.h>

#include "sim.h"

#define ALLOWANCE_NS SIM_SECOND // of an address, in a minute
#define SLACK_NS     SIM_MS

/// Whose account a member's waiting goes to: that of its address; of its slot where addresses are not told apart.
static uint32_t strict_account(const sim *s, const sim_member *m) {
    const uint32_t address = s->clients[m->client].address;
    return address != 0 ? address : SIM_ADDRESSES_MAX + 1u + m->slot;
}

static bool strict_is_connected(const sim *s, const sim_member *m) {
    bool connected = false;
    for (uint32_t i = 0; i < s->link_count; ++i) {
        connected =
            connected || (s->links[i].client == m->client && s->links[i].is_open_at_server && s->links[i].is_activated);
    }
    return connected;
}

/// For whom the clock may stand at that tick. Of one whose messages make no sense nobody knows what the session has
/// heard.
static uint64_t strict_find_missing(const sim *s, uint64_t tick) {
    uint64_t accounts = 0;
    for (uint32_t i = 0; i < s->member_count; ++i) {
        const sim_member *m = &s->members[i];
        const bool may_be = m->is_present && m->gone_tick == 0 && !m->is_forgotten && strict_is_connected(s, m);
        if (may_be && (m->last_target < tick || client_is_wild(&s->clients[m->client]))) {
            accounts |= UINT64_C(1) << strict_account(s, m);
        }
    }
    return accounts;
}

void oracle_strict_begin(sim *s) {
    memset(&s->strict, 0, sizeof s->strict);
}

void oracle_strict_stepped(sim *s) {
    sim_strict *strict = &s->strict;
    if (s->config.late_policy != ISO_LATE_STRICT) {
        return;
    }
    iso_session_stats stats;
    iso_session_get_stats(s->server.session, &stats);
    const uint64_t read_ns = server_now_ns(s);
    const uint64_t now_ns = read_ns > strict->seen_ns ? read_ns : strict->seen_ns;
    for (uint32_t i = 0; strict->tick != 0 && i < SIM_ACCOUNTS_MAX; ++i) {
        strict->used_ns[i] += (strict->missing >> i & 1u) != 0 ? now_ns - strict->seen_ns : 0;
    }
    strict->seen_ns = now_ns;
    strict->tick = strict->tick > s->last_tick ? strict->tick : 0;
    if (stats.strict_waits != strict->waits) {
        strict->waits = stats.strict_waits;
        strict->tick = s->last_tick + 1;
    }
    strict->missing = strict->tick != 0 ? strict_find_missing(s, strict->tick) : 0;
}

void oracle_strict_told(sim *s, uint32_t link, const iso_message_state_notice *notice) {
    const uint32_t client = s->links[link].client;
    const uint32_t member = s->clients[client].member;
    if (s->config.late_policy != ISO_LATE_STRICT || notice->late_policy != ISO_LATE_DROP ||
        notice->code != ISO_ERR_TICK_LATE || member == SIM_NONE) {
        return;
    }
    const uint64_t used_ns = s->strict.used_ns[strict_account(s, &s->members[member])];
    s->totals.demotions += 1;
    SIM_CHECK(s, used_ns + SLACK_NS >= ALLOWANCE_NS,
              "client %u is not waited for any more, but the clock has stood for its address for %llu ms only", client,
              (unsigned long long)(used_ns / SIM_MS));
}
