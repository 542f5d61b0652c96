/// The server's account of addresses: the host's own (server/host/peers/address_limit.c), on the virtual clock, and
/// used as the host does. Whom it turns away the session never hears of.
#include <string.h>

#include "sim.h"

/// A client's network address. 0 is the server's own machine, which has no limits.
static iso__address addresses_name(uint8_t address) {
    return iso__address_make_ipv4(address == 0 ? (const uint8_t[]){127, 0, 0, 1} : (const uint8_t[]){10, 0, 0, address},
                                  0);
}

void addresses_plan(sim *s) {
    // Where the session waits for the late, clients are needed that come back at once.
    s->is_crowded = s->has_addresses && s->config.late_policy != ISO_LATE_STRICT && sim_random_one_in(&s->entry, 4);
    s->address_limits =
        (iso__address_limit_config){.connections_max = SIM_LINKS_MAX, .accepts_per_second = SIM_LINKS_MAX};
    if (s->is_crowded) {
        s->address_limits.connections_max = (uint32_t)sim_random_between(&s->entry, 1, 3);
        s->address_limits.accepts_per_second = (uint32_t)sim_random_between(&s->entry, 1, 20);
    }
}

void addresses_begin(sim *s) {
    sim_server *server = &s->server;
    const sim_random random = s->random;
    const bool made = iso__address_limit_init(&server->address_limit, &s->address_limits);
    s->random = random; // its key is drawn beside the stream that everything else comes from
    SIM_CHECK(s, made, "the table of addresses cannot be made");
    memset(server->held, 0, sizeof server->held);
    memset(server->origins, 0, sizeof server->origins);
    memset(server->strikes, 0, sizeof server->strikes);
}

// ---- nobody is turned away for what others do -------------------------------------------------------

static uint8_t addresses_of(const sim *s, uint32_t link) {
    return s->clients[s->links[link].client].address;
}

/// Connections from the same address that the server has.
static uint32_t addresses_open(const sim *s, uint32_t link) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->link_count; ++i) {
        count += i != link && addresses_of(s, i) == addresses_of(s, link) && s->links[i].is_open_at_server;
    }
    return count;
}

/// And those that have come within a second, and not too fast.
static uint32_t addresses_came(const sim *s, uint32_t link) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->link_count; ++i) {
        const uint64_t came_ns = s->links[i].came_ns;
        count += i != link && addresses_of(s, i) == addresses_of(s, link) && came_ns != 0 &&
                 came_ns + SIM_SECOND > s->now_ns;
    }
    return count;
}

static void addresses_check(const sim *s, uint32_t link, iso__address_limit_answer answer) {
    const uint32_t client = s->links[link].client, open = addresses_open(s, link), came = addresses_came(s, link);
    const uint32_t strikes = s->server.strikes[addresses_of(s, link)];
    SIM_CHECK(s, answer != ISO__ADDRESS_LIMIT_CONNECTIONS || open >= s->address_limits.connections_max,
              "client %u is turned away for %u connections of its address", client, open);
    SIM_CHECK(s, answer != ISO__ADDRESS_LIMIT_ACCEPTS || came >= s->address_limits.accepts_per_second,
              "client %u is turned away for %u connections of its address within a second", client, came);
    SIM_CHECK(s, (answer == ISO__ADDRESS_LIMIT_OUT) == (strikes >= ISO__ADDRESS_LIMIT_STRIKES_MAX),
              "client %u is%s turned away, and its address has sent garbage %u times", client,
              answer == ISO__ADDRESS_LIMIT_OUT ? "" : " not", strikes);
    SIM_CHECK(
        s, answer != ISO__ADDRESS_LIMIT_TAKEN || addresses_of(s, link) == 0 || open < s->address_limits.connections_max,
        "client %u is taken in, and its address has %u connections already", client, open);
    SIM_CHECK(s, answer != ISO__ADDRESS_LIMIT_CROWDED, "client %u is turned away for other addresses", client);
}

// ---- what the host asks it --------------------------------------------------------------------------

bool addresses_enter(sim *s, uint32_t link) {
    sim_server *server = &s->server;
    const uint8_t address = addresses_of(s, link);
    const iso__address name = addresses_name(address);
    uint32_t *index = &server->peers[link].address;
    const iso__address_limit_answer answer = iso__address_limit_enter(&server->address_limit, &name, s->now_ns, index);
    addresses_check(s, link, answer);
    // Who has too many connections has come all the same.
    s->links[link].came_ns =
        answer == ISO__ADDRESS_LIMIT_TAKEN || answer == ISO__ADDRESS_LIMIT_CONNECTIONS ? s->now_ns + 1 : 0;
    if (answer != ISO__ADDRESS_LIMIT_TAKEN) {
        s->totals.turned_away += 1;
        sim_log(s, "client %u is turned away for its address (%d)", s->links[link].client, (int)answer);
        return false;
    }
    server->origins[address] = iso__address_limit_origin(&server->address_limit, *index);
    return true;
}

uint64_t addresses_origin(const sim *s, uint32_t link) {
    return s->server.origins[addresses_of(s, link)];
}

bool addresses_are_over(sim *s, uint32_t link) {
    const bool over = iso__address_limit_is_over(&s->server.address_limit, s->server.peers[link].address);
    const uint32_t open = addresses_open(s, link) + 1, held = s->server.held[addresses_of(s, link)];
    SIM_CHECK(s, !over || open + held > s->address_limits.connections_max,
              "client %u may not join for %u connections and %u held slots of its address", s->links[link].client, open,
              held);
    SIM_CHECK(s, over || addresses_of(s, link) == 0 || open + held <= s->address_limits.connections_max,
              "client %u may join in spite of %u connections and %u held slots of its address", s->links[link].client,
              open, held);
    return over;
}

void addresses_leave(sim *s, uint32_t link) {
    iso__address_limit_leave(&s->server.address_limit, s->server.peers[link].address);
    s->server.peers[link].address = ISO__ADDRESS_LIMIT_EXEMPT;
}

/// What the host takes for garbage. Where its limits are out of reach nobody is out for it either.
void addresses_strike(sim *s, uint32_t link, iso_status status) {
    const bool garbage = status == ISO_ERR_MALFORMED || status == ISO_ERR_FRAME_TOO_LARGE ||
                         status == ISO_ERR_DECODE_BUDGET || status == ISO_ERR_BAD_ENUM || status == ISO_ERR_UNSUPPORTED;
    if (garbage && s->is_crowded && s->server.peers[link].address != ISO__ADDRESS_LIMIT_EXEMPT) {
        s->server.strikes[addresses_of(s, link)] += 1;
        (void)iso__address_limit_strike(&s->server.address_limit, s->server.peers[link].address, s->now_ns);
    }
}

uint8_t addresses_hold(sim *s, uint64_t origin, bool held) {
    uint8_t address = 0;
    for (uint8_t i = 1; i <= SIM_ADDRESSES_MAX; ++i) {
        address = s->server.origins[i] == origin ? i : address;
    }
    SIM_CHECK(s, address != 0, "a slot is held for nobody's address");
    iso__address_limit_hold(&s->server.address_limit, origin, held);
    return address;
}
