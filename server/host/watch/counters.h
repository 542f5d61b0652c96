/// What was refused, dropped and lost, by the names of the limits: for the table on SIGUSR1 and at the end.
///
/// Counted by the threads where it happens, read by the I/O thread at any time.
#ifndef ISO_HOST_COUNTERS_H
#define ISO_HOST_COUNTERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "isostep/proto/messages.h"
#include "isostep/world.h"

/// Negated status codes are below this.
#define ISO__STATUS_END 128u

/// Counters of what no message to a client reports. X(name, row, what)
#define ISO__COUNTER_LIST(X)                                                                      \
    X(TURNED_AWAY, "connection flood", "refused, the server is full")                             \
    X(DROPPED, "connection flood", "oldest closed before its HELLO")                              \
    X(ACCEPT_FAILED, "file descriptors", "a connection could not be accepted")                    \
    X(NO_MEMORY, "memory", "a connection had to wait or was ended")                               \
    X(ADDRESS_CONNECTIONS, "connection flood", "refused, too many from one address")              \
    X(ADDRESS_ACCEPTS, "connection flood", "refused, too many a second from one address")         \
    X(ADDRESS_OUT, "garbage", "refused after too many strikes")                                   \
    X(ADDRESS_STRIKES, "garbage", "strikes against an address")                                   \
    X(UNPROXIED, "proxies", "connections of a trusted proxy that did not say whose they are")     \
    X(ADDRESS_BANNED, "bans", "refused, the address or the seat is banned")                       \
    X(PASSWORDS, "guessing passwords", "refused, wrong or too many wrong ones before")            \
    X(WEB_GUESSES, "guessing tokens", "refused, too many without a valid one")                    \
    X(WEB_GARBAGE, "garbage", "HTTP requests that were malformed or too large")                   \
    X(WEB_SLOW, "slow writer, silence", "HTTP requests that were not whole in time")              \
    X(WEB_RATE, "message flood", "HTTP connections ended, more than 100 requests in a second")    \
    X(WEB_BODIES, "memory", "HTTP requests refused, bodies took 32 MiB together")                 \
    X(WEB_FULL, "connection flood", "HTTP connections refused, there are too many")               \
    X(WEB_DROPPED, "connection flood", "oldest idle HTTP connections closed for new ones")        \
    X(WEB_READER, "slow reader", "HTTP answers given up for others, read too slowly")             \
    X(WEB_ORIGIN, "WebSocket from a foreign page", "refused")                                     \
    X(WEB_DENIED, "changes over HTTP", "refused, without the right to them")                      \
    X(WEB_SESSIONS, "sessions over HTTP", "not created, there are as many as allowed")            \
    X(HELD_BACK, "message flood", "a peer waited until its session's queue had room")             \
    X(HELD_COMMANDS, "message flood", "a peer waited, 4 MiB of commands do in its session")       \
    X(FRAMES, "message flood", "a peer waited for the next turn, after 256 messages")             \
    X(WORK, "work on the I/O thread", "connections ended that had used up theirs")                \
    X(FALSE_HASH, "false hash", "wrong roots, reported to the client")                            \
    X(MOVED, "late input", "commands moved to the next tick")                                     \
    X(SLIPS, "solver overload", "slips of a session's clock")                                     \
    X(CLAMPED, "extreme values", "velocities, positions and impulses clamped by the simulation")  \
    X(DROPPED_CONTACTS, "contact bombs", "contacts beyond the capacity dropped")                  \
    X(RECORDING_LOST, "disk full, failing or hanging disk", "recordings that ended early")        \
    X(RECORDING_RESTARTED, "disk full, failing or hanging disk", "recordings that started again") \
    X(SYNC_HUNG, "disk full, failing or hanging disk", "recordings that were not synced for 3 s")

typedef enum iso__counter {
#define ISO__COUNTER_ENUM(name, row, what) ISO__COUNTER_##name,
    ISO__COUNTER_LIST(ISO__COUNTER_ENUM)
#undef ISO__COUNTER_ENUM
        ISO__COUNTER_COUNT,
} iso__counter;

/// What a status was the answer to.
typedef enum iso__answer {
    ISO__ANSWER_REFUSAL, // of a connection, before it was welcomed
    ISO__ANSWER_BYE,     // the end of a connection
    ISO__ANSWER_REJECT,  // of a command or message, before it was ordered into a tick
    ISO__ANSWER_RESULT,  // of a sealed command: a no-op
    ISO__ANSWER_COUNT,
} iso__answer;

typedef struct iso__counters {
    atomic_uint_least64_t counts[ISO__COUNTER_COUNT];
    atomic_uint_least64_t answers[ISO__ANSWER_COUNT][ISO__STATUS_END];
} iso__counters;

static inline void iso__counters_add(iso__counters *counters, iso__counter counter, uint64_t count) {
    atomic_fetch_add_explicit(&counters->counts[counter], count, memory_order_relaxed);
}

/// Counts a message that refuses or rejects something. @param peers  how many peers it is sent to
void iso__counters_add_message(iso__counters *counters, const iso_message *message, uint32_t peers);

/// Counts the commands of the world's last tick that were no-ops.
void iso__counters_add_results(iso__counters *counters, const iso_world *world);

/// What was counted, once for each number that is not 0.
/// @param code    NULL: it was no answer with a code
/// @param answer  what the code answered: "refused"; NULL as well
typedef void iso__counters_visitor(void *user, const char *limit, const char *what, const char *code,
                                   const char *answer, uint64_t count);
void iso__counters_visit(iso__counters *counters, iso__counters_visitor *visit, void *user);

/// Writes the table to the log: a line for each limit that was reached, by name.
void iso__counters_print(iso__counters *counters);

#endif
