/// Limits per network address: how many connections, how fast, and who is out for a while.
///
/// The table is of a fixed size. An address has one of eight places that a keyed hash gives it; when
/// all are taken by others, the one that has been quiet for longest gives way, unless it has
/// connections or held slots. Of IPv6 the first 64 bits count, since one machine has all the others.
#ifndef ISO_HOST_ADDRESS_H
#define ISO_HOST_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define ISO__ADDRESS_SETS   512u
#define ISO__ADDRESS_WAYS   8u
#define ISO__ADDRESS_EXEMPT UINT32_MAX

#define ISO__ADDRESS_STRIKES_MAX 3u
#define ISO__ADDRESS_STRIKES_NS  UINT64_C(60000000000)
#define ISO__ADDRESS_OUT_NS      UINT64_C(600000000000)

typedef struct iso__address_config {
    uint32_t connections_max; // at a time
    uint32_t accepts_per_second;
    bool is_loopback; // the limits count for loopback, too
} iso__address_config;

typedef struct iso__address_entry {
    uint8_t key[16];
    uint64_t origin; // a keyed hash of it, never 0; 0: the entry was never used
    uint32_t connections;
    uint32_t held;    // slots of members who were connected from here
    uint32_t strikes; // since strikes_ns
    uint64_t strikes_ns;
    uint64_t out_until_ns;
    uint64_t accepts_empty_ns; // when the bucket of accepts would be empty: up to a second from now
    uint64_t seen_ns;
} iso__address_entry;

typedef struct iso__addresses {
    iso__address_config config;
    uint8_t hash_key[16];
    iso__address_entry entries[ISO__ADDRESS_SETS * ISO__ADDRESS_WAYS];
} iso__addresses;

typedef enum iso__address_answer {
    ISO__ADDRESS_TAKEN,
    ISO__ADDRESS_OUT,         // for its strikes
    ISO__ADDRESS_CONNECTIONS, // it has too many
    ISO__ADDRESS_ACCEPTS,     // it comes too fast
    ISO__ADDRESS_CROWDED,     // its places in the table are taken by others who are connected
} iso__address_answer;

/// @return false when the system has no random bytes.
bool iso__addresses_init(iso__addresses *addresses, const iso__address_config *config);

/// A connection comes. @param index  receives what leave and strike want, when it is taken
iso__address_answer iso__addresses_enter(iso__addresses *addresses, const struct sockaddr *address, uint64_t now,
                                         uint32_t *index);
void iso__addresses_leave(iso__addresses *addresses, uint32_t index);

/// What the sessions may know of an address: equal for equal ones, as long as this process lives. @return 0: it is exempt
uint64_t iso__addresses_origin(const iso__addresses *addresses, uint32_t index);

/// A slot is held for a member who came from there, or no longer.
void iso__addresses_hold(iso__addresses *addresses, uint64_t origin, bool held);

/// Whether connections and held slots together are more than the address may have, so that nobody may join from there. Who
/// comes back to a slot that is held for this address may: then it is not held any more.
bool iso__addresses_is_over(const iso__addresses *addresses, uint32_t index);

/// The peer has sent garbage. @return whether its address is out from now on
bool iso__addresses_strike(iso__addresses *addresses, uint32_t index, uint64_t now);

bool iso__address_is_loopback(const struct sockaddr *address);

#endif
