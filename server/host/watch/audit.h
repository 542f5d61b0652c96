/// What was changed, by whom, from where, and what became of it: --audit, a JSON object a line.
///
///   {"time":"2026-11-22T15:54:12Z","address":"192.0.2.7:5123","by":"anna","role":"admin","what":"POST /api/bans",…}
///
/// Lines stay; their addresses do not: after ISO__AUDIT_ADDRESS_S the text of an address is overwritten in its place,
/// so that no line moves and nothing has to be rewritten beside the file. Used by the I/O thread only.
#ifndef ISO_HOST_AUDIT_H
#define ISO_HOST_AUDIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/address.h"
#include "base/affinity.h"

/// How long an address stays: 30 days.
#define ISO__AUDIT_ADDRESS_S (INT64_C(30) * 24 * 3600)

typedef struct iso__audit {
    const char *path; // NULL: nothing is written
    int file;
    iso__affinity io;     // the thread that has opened it
    int64_t expired_at_s; // when addresses were last looked at
    off_t expired_to;     // [bytes] that have no old address any more
    bool is_failing;      // the last line could not be written, and that was said
} iso__audit;

/// Who has asked for what takes a while, to be written down when it is known what became of it.
typedef struct iso__audit_who {
    iso__address address;
    char by[64], role[16];
} iso__audit_who;

typedef struct iso__audit_line {
    const iso__address *address; // NULL: none, a signal
    const char *by;              // a token's name; "": none
    const char *role;
    const char *what;   // "POST /api/bans"
    const char *about;  // which session, network, text; "": nothing more to say
    unsigned status;    // of the answer
    const char *result; // "done", "refused: " and why
    const char *reason; // that was given for it; NULL or "": none
} iso__audit_line;

/// @param path  must outlive the log; NULL: nothing is written @return false after a message
bool iso__audit_open(iso__audit *audit, const char *path);
/// Opens the file anew by its path. @return false after a message: the open one is kept
bool iso__audit_reopen(iso__audit *audit);
void iso__audit_close(iso__audit *audit);

void iso__audit_write(iso__audit *audit, const iso__audit_line *line, int64_t now_s);

/// Removes the addresses whose time is over. Looks once an hour at most.
void iso__audit_expire(iso__audit *audit, int64_t now_s);

#endif
