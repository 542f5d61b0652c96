/// The connections as the I/O thread sees them: numbered for the sessions, counted, admitted.
///
/// A connection begins in the lobby, since its session is unknown until its first message. A HELLO for a hosted session
/// takes it there; from then on the session handles its messages. All other messages are answered by the lobby, and the
/// connection ends.
#ifndef ISO_HOST_PEERS_H
#define ISO_HOST_PEERS_H

#include "base/affinity.h"
#include "base/stops.h"
#include "host/peers/address_limit.h"
#include "host/peers/bans.h"
#include "host/peers/guess_limit.h"
#include "host/peers/io_budget.h"
#include "host/sessions/directory.h"
#include "host/sessions/worker.h"
#include "transport/stream.h"

#define ISO__PEERS_OTHERS_MAX 2u

/// Frames of one connection that are taken in a turn of the loop; then all others have theirs.
#define ISO__PEER_FRAMES_MAX 256u

typedef struct iso__peer {
    iso__stream *stream;     // NULL: the place is free
    iso__hosted *hosted;     // NULL: it is in the lobby
    uint32_t address;        // in the table of addresses
    uint32_t previous, next; // in the list of the unauthenticated, oldest first
    bool is_waiting;         // it is in that list: no WELCOME was queued for it yet
    bool is_browser;         // it has sent what a page can make any browser send: no strike for that
    bool is_paused;          // its frame waits for room in the worker's queue
    bool has_greeted;        // its HELLO was handed to the session
    bool is_spectator;       // as it said in its HELLO
    bool is_activated;       // ACTIVATE was queued for it
    uint32_t frames;         // taken in the turn `frames_turn`
    uint64_t frames_turn;
    iso__io_budget budget;
    uint64_t opened_turn; // turn of the loop in which it was opened
    uint64_t opened_ns;
    uint64_t welcomed_ns; // 0: never
} iso__peer;

typedef struct iso__peers_totals {
    uint64_t accepted;
    uint64_t welcomed;
    uint64_t bytes_in, bytes_out;               // of all connections that have ended
    uint64_t client_bytes_in, client_bytes_out; // of those that were welcomed
    uint64_t client_ns;                         // how long these were connected, together
} iso__peers_totals;

typedef struct iso__peers_config {
    iso__listener *listener;         // source of the connections; not open yet, the peers open and close it
    const iso__directory *directory; // the sessions that can be joined
    iso__worker *workers;            // the workers of these
    uint32_t worker_count;
    iso__counters *counters;
    const iso__key *key; // for passwords; NULL: no session has one
    uint32_t stream_max; // maximum, as the file descriptors allow
    uint32_t unauthenticated_max;
    const iso__bans *bans;     // NULL: nobody is banned
    const bool *is_draining;   // nobody new may join a session; NULL: never
    uint32_t bytes_per_second; // of a member: the measure of what a connection may have done here; 0: any
    iso__address_limit_config address;
} iso__peers_config;

typedef struct iso__peers {
    iso__peers_config config;
    iso__affinity io;                             // the loop's thread, from iso__peers_open on
    iso__listener *listener;                      // NULL: not opened
    iso__listener *others[ISO__PEERS_OTHERS_MAX]; // of another transport
    uint32_t other_count;
    uint32_t stream_count; // of all
    iso__address_limit address_limit;
    iso__guess_limit passwords; // wrong ones
    uv_prepare_t before_sleep;  // sends and wakes at the end of a turn of the loop
    uv_check_t after_sleep;
    uv_timer_t patience; // finds connections that have sent nothing for too long
    iso__stops stops;    // of the same
    uv_idle_t idle;      // runs while peers wait for the next turn
    bool is_open;
    uint32_t peer_max;
    iso__peer list[ISO__PEER_MAX];
    uint32_t free[ISO__PEER_MAX];
    uint32_t free_count;
    uint32_t oldest, newest; // of the unauthenticated
    uint32_t unauthenticated_count;
    uint32_t paused_count;
    uint32_t later[ISO__PEER_MAX]; // indices of those that have had their share of this turn
    uint32_t later_count;
    uint64_t connection_counter;
    uint64_t turn; // number of the loop's turn
    uint8_t *decode_memory;
    uint8_t *encode_memory;
    iso__peers_totals totals;
} iso__peers;

/// Binds the address; connecting is not possible yet. @return 0 or libuv's error; UV_ENOMEM.
int iso__peers_open(iso__peers *peers, uv_loop_t *loop, const iso__address *address, const iso__peers_config *config);

/// Binds another listener, of another transport, whose connections count together with the first one's.
int iso__peers_open_other(iso__peers *peers, uv_loop_t *loop, iso__listener *listener, const iso__address *address);

/// Opens the listeners. @return 0 or libuv's error
int iso__peers_listen(iso__peers *peers);
/// The same of the other one of this number, if there is one, in the order in which they were opened.
int iso__peers_listen_other(iso__peers *peers, uint32_t index);

/// Carries out an item of a worker's queue if it is about connections; other kinds are left to the caller. A worker's
/// end is left to the caller, but connections are informed as well.
/// @return whether the item was about connections only
bool iso__peers_deliver(iso__peers *peers, iso__outbound *item);

/// Where a connection is from. @return NULL: it has ended
const iso__address *iso__peers_address(iso__peers *peers, uint64_t connection);

/// Whether the limits per address leave this one out, as loopback by default, and trusted proxies.
bool iso__peers_is_exempt(const iso__peers *peers, const iso__address *address);

/// Ends the connections whom the ban concerns.
void iso__peers_enforce(iso__peers *peers, const iso__ban *ban);

/// Tells a session, or all with NULL, a notice. @param connection  0: everybody in it
/// @return how many sessions it has not reached: one has no room for another message, or memory is short
uint32_t iso__peers_tell(iso__peers *peers, iso__hosted *hosted, uint64_t connection, const iso_message_notice *notice);

/// A worker has room again.
void iso__peers_resume(iso__peers *peers);

/// Accepts no more connections and ends all that exist, after what is queued for them.
void iso__peers_finish(iso__peers *peers);

/// Closes everything; the loop then ends.
void iso__peers_close(iso__peers *peers);

/// Frees; to be called after the loop has ended.
void iso__peers_term(iso__peers *peers);

#endif
