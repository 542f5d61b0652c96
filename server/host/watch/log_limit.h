/// How many lines of a kind may be written: a window of time per code and subject (an address, or a session), and one
/// per code for all addresses.
///
/// The table has a fixed size. When it is full, lines about a subject without a place are suppressed. Not thread-safe:
/// the log has its mutex.
#ifndef ISO_HOST_LOG_LIMIT_H
#define ISO_HOST_LOG_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "host/watch/log.h"

#define ISO__LOG_LIMIT_ENTRIES 512u

typedef struct iso__log_limit_entry {
    bool is_used;
    bool is_for_all; // for all addresses
    iso_status code;
    char subject[ISO__LOG_ADDRESS_SIZE]; // an address without its port, or a session; "" with is_for_all
    uint64_t begun_ns;                   // when its window began
    uint32_t lines;                      // written in this window
    uint64_t left_out;                   // suppressed in this window
} iso__log_limit_entry;

typedef struct iso__log_limit {
    iso__log_limit_entry entries[ISO__LOG_LIMIT_ENTRIES];
} iso__log_limit;

/// Counts a line.
/// @param subject     an address without its port, or the name of a session
/// @param is_address  then the limit for all addresses counts as well
/// @return whether it may be written
bool iso__log_limit_take(iso__log_limit *limit, iso_status code, const char *subject, bool is_address, uint64_t now);

/// Removes an entry whose window is over and that has suppressed lines, for the line that reports them; other entries
/// whose window is over are removed as well.
/// @param now  UINT64_MAX: every window is over
/// @return false when there is none
bool iso__log_limit_pop(iso__log_limit *limit, uint64_t now, iso__log_limit_entry *entry);

#endif
