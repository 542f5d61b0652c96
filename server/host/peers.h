/// The connections as the I/O thread sees them: numbered for the session, counted, let in.
#ifndef ISO_HOST_PEERS_H
#define ISO_HOST_PEERS_H

#include "host/worker.h"
#include "transport/stream.h"

#define ISO__UNAUTHENTICATED_MAX 256u

typedef struct iso__peer {
    iso__stream *stream;  // NULL: the place is free
    uint32_t previous, next;  // in the list of the unauthenticated, oldest first
    bool waiting;         // it is in that list: no WELCOME was queued for it yet
    bool paused;          // its frame waits for room in the worker's queue
    uint64_t welcomed_ns;  // 0: never
} iso__peer;

typedef struct iso__peers_totals {
    uint64_t accepted;
    uint64_t turned_away;      // for want of a place
    uint64_t dropped;          // unauthenticated, to make room
    uint64_t welcomed;
    uint64_t bytes_in, bytes_out;              // of all connections that have ended
    uint64_t client_bytes_in, client_bytes_out;  // of those that were welcomed
    uint64_t client_ns;        // how long these were connected, together
} iso__peers_totals;

typedef struct iso__peers {
    iso__stream_server streams;
    iso__worker *worker;
    iso__peer list[ISO__PEER_MAX];
    uint32_t free[ISO__PEER_MAX];
    uint32_t free_count;
    uint32_t oldest, newest;   // of the unauthenticated
    uint32_t unauthenticated_count;
    uint32_t paused_count;
    uint64_t connection_counter;
    uint8_t *decode_memory;
    iso__buffer *full_answer;  // the encoded REFUSAL SERVER_FULL
    iso__peers_totals totals;
} iso__peers;

/// Binds the address and listens. @return 0 or libuv's error; UV_ENOMEM.
int iso__peers_open(iso__peers *peers, uv_loop_t *loop, const struct sockaddr *address, iso__worker *worker);

/// Carries out what the worker has put into its queue for connections; other kinds are the caller's.
/// @return whether the item was one of these
bool iso__peers_deliver(iso__peers *peers, iso__outbound *item);

/// After a number of iso__peers_deliver.
void iso__peers_flush(iso__peers *peers);

/// The worker has room again.
void iso__peers_resume(iso__peers *peers);

/// Takes no new connection and ends all that are there, after what is queued for them.
void iso__peers_finish(iso__peers *peers);

/// Frees; after the loop has ended.
void iso__peers_term(iso__peers *peers);

#endif
