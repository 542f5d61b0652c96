/// How many lines of a kind may be written: a window of time per code and subject (an address, or a session), and one
/// per code for all addresses.
///
/// A table of a fixed size. When it is full, a subject that has no place is left out. Not safe for
/// several threads: the log has its mutex.
#ifndef ISO_HOST_LOG_LIMIT_H
#define ISO_HOST_LOG_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "host/log.h"

#define ISO__LOG_LIMIT_ENTRIES 512u

typedef struct iso__log_limit_entry {
    bool is_used;
    bool is_for_all; // of every address
    iso_status code;
    char subject[ISO__LOG_ADDRESS_SIZE]; // an address without its port, a session; "" with `all`
    uint64_t begun_ns;                   // when its window began
    uint32_t lines;                      // written in this window
    uint64_t left_out;                   // in this window
} iso__log_limit_entry;

typedef struct iso__log_limit {
    iso__log_limit_entry entries[ISO__LOG_LIMIT_ENTRIES];
} iso__log_limit;

/// Counts a line.
/// @param subject     an address without its port, or the name of a session
/// @param is_address  then the limit for all addresses counts as well
/// @return whether it may be written
bool iso__log_limit_take(iso__log_limit *limit, iso_status code, const char *subject, bool is_address, uint64_t now);

/// Takes out an entry whose window is over and that has left lines out, for the line that says so; other entries
/// whose window is over are forgotten.
/// @param now  UINT64_MAX: every window is over
/// @return false when there is none
bool iso__log_limit_pop(iso__log_limit *limit, uint64_t now, iso__log_limit_entry *entry);

#endif
