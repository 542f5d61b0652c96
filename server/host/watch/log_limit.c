#include "host/watch/log_limit.h"

#include <stdio.h>
#include <string.h>

#include "isostep/assert.h"

static iso__log_limit_entry *limit_find(iso__log_limit *limit, iso_status code, const char *subject, bool all,
                                        uint64_t now) {
    iso__log_limit_entry *free_entry = NULL;
    for (uint32_t i = 0; i < ISO__LOG_LIMIT_ENTRIES; ++i) {
        iso__log_limit_entry *entry = &limit->entries[i];
        if (entry->is_used && entry->code == code && entry->is_for_all == all && strcmp(entry->subject, subject) == 0) {
            return entry;
        }
        if (!entry->is_used && free_entry == NULL) {
            free_entry = entry;
        }
    }
    if (free_entry != NULL) {
        *free_entry = (iso__log_limit_entry){.is_used = true, .is_for_all = all, .code = code, .begun_ns = now};
        snprintf(free_entry->subject, sizeof free_entry->subject, "%s", subject);
    }
    return free_entry;
}

static bool limit_is_over(const iso__log_limit_entry *entry, uint64_t now) {
    return now == UINT64_MAX || now - entry->begun_ns >= ISO__LOG_WINDOW_NS;
}

/// A window that is over and has suppressed nothing is restarted; one that has is ended by iso__log_limit_pop.
static bool limit_has_room(iso__log_limit_entry *entry, uint32_t lines_max, uint64_t now) {
    if (entry == NULL) {
        return false; // a full table must not disable the limit
    }
    if (entry->left_out == 0 && limit_is_over(entry, now)) {
        entry->begun_ns = now;
        entry->lines = 0;
    }
    return entry->lines < lines_max;
}

bool iso__log_limit_take(iso__log_limit *limit, iso_status code, const char *subject, bool is_address, uint64_t now) {
    ISO_ASSERT(strlen(subject) < ISO__LOG_ADDRESS_SIZE);
    // The entry of all addresses first, so that it gets a place before single addresses take them.
    iso__log_limit_entry *all = is_address ? limit_find(limit, code, "", true, now) : NULL;
    iso__log_limit_entry *own = limit_find(limit, code, subject, false, now);
    bool has_room = limit_has_room(own, ISO__LOG_LINES_MAX, now);
    if (has_room && is_address && !limit_has_room(all, ISO__LOG_ALL_LINES_MAX, now)) {
        has_room = false;
        own = all;
    }
    if (!has_room) {
        if (own == NULL) {
            own = all;
        }
        if (own != NULL) {
            ++own->left_out;
        }
        return false;
    }
    ++own->lines;
    if (all != NULL) {
        ++all->lines;
    }
    return true;
}

bool iso__log_limit_pop(iso__log_limit *limit, uint64_t now, iso__log_limit_entry *entry) {
    ISO_ASSERT(now > 0);
    for (uint32_t i = 0; i < ISO__LOG_LIMIT_ENTRIES; ++i) {
        iso__log_limit_entry *one = &limit->entries[i];
        if (!one->is_used || !limit_is_over(one, now)) {
            continue;
        }
        *entry = *one;
        one->is_used = false;
        if (entry->left_out > 0) {
            return true;
        }
    }
    return false;
}
