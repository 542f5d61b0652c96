/// Bans: networks and seats that are refused, until some time or for ever.
///
/// They are kept in a text file (--bans, or server.bans in the folder of the recordings), a line each, which an
/// operator may edit and have read again by SIGHUP:
///
///   192.0.2.0/24 never admin-token why
///   2001:db8::/64 2026-12-01T00:00:00Z admin-token why
///   seat:00112233445566778899aabbccddeeff:3:7 never admin-token why
///
/// A seat is a member's place by uid, slot and generation: a client that claims it is refused, even with the right
/// secret. This works for a client that has kept its seat; one that comes without it is known by its address only.
///
/// Used by the I/O thread only.
#ifndef ISO_HOST_BANS_H
#define ISO_HOST_BANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/address.h"
#include "base/affinity.h"
#include "isostep/proto/messages.h"

#define ISO__BANS_MAX       1024u
#define ISO__BAN_REASON_MAX 120u
#define ISO__BAN_BY_MAX     63u
#define ISO__BAN_WHAT_SIZE  80u
#define ISO__BAN_ID_SIZE    17u
#define ISO__BANS_FILE      "server.bans"

typedef struct iso__ban {
    bool is_seat;
    iso__address_range network; // the bits beyond the prefix are 0
    uint8_t uid[16];            // seat
    uint32_t slot, generation;
    int64_t until_s; // of the epoch; 0: for good
    char by[ISO__BAN_BY_MAX + 1];
    char reason[ISO__BAN_REASON_MAX + 1];
} iso__ban;

typedef struct iso__bans {
    int folder;        // of the file
    const char *name;  // NULL: they are not kept
    const char *shown; // as messages name the file
    iso__affinity io;  // the thread that has opened them
    iso__ban *list;
    uint32_t count;
} iso__bans;

/// @param folder  open, or AT_FDCWD  @param name  in it; NULL: nothing is kept  @param shown  outlives the bans
/// @return false after a message: there is no memory, or the file is wrong
bool iso__bans_open(iso__bans *bans, int folder, const char *name, const char *shown);
/// Reads the file again. One that is wrong leaves all as it was. @return false after a message
bool iso__bans_reload(iso__bans *bans);
void iso__bans_term(iso__bans *bans);

/// Reads "192.0.2.7", "192.0.2.0/24", "2001:db8::/32" or a seat. An IPv6 address by itself stands for its /64.
/// @return false: it is none of these, or nearly everybody: IPv4 has at least 8 bits, IPv6 16
bool iso__ban_read(iso__ban *ban, const char *what);
void iso__ban_set_address(iso__ban *ban, const iso__address *address);
void iso__ban_write(const iso__ban *ban, char what[ISO__BAN_WHAT_SIZE]);
/// A name for its path: the same for the same network or seat.
void iso__ban_id(const iso__ban *ban, char id[ISO__BAN_ID_SIZE]);

/// Adds one, or changes the one of the same network or seat; keeps it. @return false after a message: it is not kept,
/// and nothing has changed
bool iso__bans_add(iso__bans *bans, const iso__ban *ban, int64_t now_s);
/// @return 1; 0: there is none; -1 after a message: that could not be kept, and nothing has changed
int iso__bans_remove(iso__bans *bans, const char *id, int64_t now_s);

bool iso__ban_is_of(const iso__ban *ban, const iso__address *address);
/// @return NULL: none
const iso__ban *iso__bans_find_address(const iso__bans *bans, const iso__address *address, int64_t now_s);
const iso__ban *iso__bans_find_seat(const iso__bans *bans, const iso_resume *resume, int64_t now_s);

#endif
