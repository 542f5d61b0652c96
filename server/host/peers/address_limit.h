/// Limits per network address: how many connections, how fast, and which addresses are refused for some time.
///
/// The table has a fixed size. An address has one of eight places, chosen by a keyed hash. When all eight are taken,
/// the entry that has been idle for longest is replaced, unless it has connections or held slots. Of IPv6 only the
/// first 64 bits count, since one machine has all addresses below them; an IPv4 address in IPv6's form is the IPv4 one.
/// A trusted proxy, whose address stands for many, is never limited or refused.
#ifndef ISO_HOST_ADDRESS_LIMIT_H
#define ISO_HOST_ADDRESS_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/address.h"
#include "host/start/options.h"

#define ISO__ADDRESS_LIMIT_SETS   512u
#define ISO__ADDRESS_LIMIT_WAYS   8u
#define ISO__ADDRESS_LIMIT_EXEMPT UINT32_MAX

#define ISO__ADDRESS_LIMIT_STRIKES_NS UINT64_C(60000000000)
#define ISO__ADDRESS_LIMIT_TEXT_MAX   200u // [bytes] of iso__address_limit_explain, with the zero at its end

typedef struct iso__address_limit_config {
    uint32_t connections_max; // at a time
    uint32_t accepts_per_second;
    bool is_loopback;     // the limits apply to loopback, too
    uint32_t strikes_max; // in a minute, from which on an address is refused; 0: ISO__ADDRESS_LIMIT_STRIKES_MAX
    uint32_t out_seconds; // for which it is; 0: ISO__ADDRESS_LIMIT_OUT_S
    const iso__address_range *trusted; // proxies
    uint32_t trusted_count;
} iso__address_limit_config;

typedef struct iso__address_limit_entry {
    uint8_t key[16];
    uint64_t origin; // keyed hash of the address, never 0; 0: the entry was never used
    uint32_t connections;
    uint32_t held;    // slots of members who were connected from here
    uint32_t strikes; // since strikes_ns
    uint64_t strikes_ns;
    uint64_t out_until_ns;
    uint64_t accepts_empty_ns; // when the bucket of accepts would be empty: up to a second from now
    uint64_t seen_ns;
} iso__address_limit_entry;

typedef struct iso__address_limit {
    iso__address_limit_config config;
    uint8_t hash_key[16];
    iso__address_limit_entry entries[ISO__ADDRESS_LIMIT_SETS * ISO__ADDRESS_LIMIT_WAYS];
} iso__address_limit;

typedef enum iso__address_limit_answer {
    ISO__ADDRESS_LIMIT_TAKEN,
    ISO__ADDRESS_LIMIT_OUT,         // refused for its strikes
    ISO__ADDRESS_LIMIT_CONNECTIONS, // it has too many
    ISO__ADDRESS_LIMIT_ACCEPTS,     // it connects too often
    ISO__ADDRESS_LIMIT_CROWDED,     // its places in the table are taken by other addresses that are connected
} iso__address_limit_answer;

/// @return false when the system has no random bytes.
bool iso__address_limit_init(iso__address_limit *limit, const iso__address_limit_config *config);

/// A connection arrives. @param index  receives what leave and strike take, if it is accepted
iso__address_limit_answer iso__address_limit_enter(iso__address_limit *limit, const iso__address *address, uint64_t now,
                                                   uint32_t *index);
void iso__address_limit_leave(iso__address_limit *limit, uint32_t index);

/// What the sessions may know of an address: equal for equal addresses, for the life of this process. @return 0: it is
/// exempt
uint64_t iso__address_limit_origin(const iso__address_limit *limit, uint32_t index);

/// A slot is held for a member who connected from this address, or is no longer held.
void iso__address_limit_hold(iso__address_limit *limit, uint64_t origin, bool held);

/// Whether connections and held slots together exceed what the address may have, so that no new member may join from
/// it. A member may resume a slot that is held for this address: the slot then counts as a connection instead.
bool iso__address_limit_is_over(const iso__address_limit *limit, uint32_t index);

/// The peer has sent a malformed frame. @return whether its address is refused from now on
bool iso__address_limit_strike(iso__address_limit *limit, uint32_t index, uint64_t now);

/// What a refused address gets to know: which limit it was, and its option.
/// @param text  at least ISO__ADDRESS_LIMIT_TEXT_MAX
void iso__address_limit_explain(const iso__address_limit *limit, iso__address_limit_answer answer,
                                const iso__address *address, uint64_t now, char *text);

/// Whether it is a trusted proxy's.
bool iso__address_limit_is_trusted(const iso__address_limit *limit, const iso__address *address);

#endif
