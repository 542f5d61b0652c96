/// Which ticks of a session players have seen, and which its recordings hold: nothing of the one may be missing in the
/// other, whatever has happened to the server in between.
#ifndef ISO_TESTS_E2E_HISTORY_H
#define ISO_TESTS_E2E_HISTORY_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

typedef struct e2e_history {
    const char *session;
    uint64_t capacity;  // ticks below it are looked at
    uint64_t *seen;     // by tick: the root that players saw; 0: none did
    uint64_t *recorded; // by tick: the root that stands in a file; 0: in none
    bool *is_there;     // by tick: a file has it
    time_t read_at;     // files that were not written since are not read again
} e2e_history;

void e2e_history_init(e2e_history *history, const char *session, uint64_t capacity);
void e2e_history_term(e2e_history *history);

/// Reads what the server has written since the last time. No server may be running. Fails the test when a file cannot
/// be gone on from, when two hold different roots of one tick, or when a tick that was seen is in none or is another
/// one.
void e2e_history_read(e2e_history *history, const char *folder);

/// When the server has ended by itself: each file is sealed, whole and verified by isostep-replay, each begins where
/// the one before it ended, and every tick that was seen is there with its root.
/// @return how many files there are
uint32_t e2e_history_check_sealed(e2e_history *history, const char *folder);

/// Fails the test when a recording was put aside, or torn in another way than by a write that a kill cut short.
void e2e_history_check_names(const char *folder);

#endif
