/// A hosted session on a virtual clock and disk, in one thread: the host's own worker, recording and writer, with one
/// member that answers as a client does. What the threads would do is done in turn, at each moment at which something
/// is due.
#ifndef ISO_TESTS_HOST_RIG_H
#define ISO_TESTS_HOST_RIG_H

#include "host/peers/peers.h"
#include "host/sessions/worker.h"
#include "host_disk.h"

#define HOST_RIG_TICKS_MAX 8192u
#define HOST_RIG_MS        UINT64_C(1000000)
#define HOST_RIG_SECOND    UINT64_C(1000000000)
#define HOST_RIG_PEERS_MAX 16u
#define HOST_RIG_LOG_SIZE  65536u

typedef struct host_rig_peer {
    bool is_here, is_active, is_welcomed, has_caught_up;
    iso_message_welcome welcome;
    uint32_t chunks, chunks_acked;
    uint64_t tick, root; // the newest that it was shown
    uint64_t join_tick;
    iso_message_status status;
    uint32_t status_count;
    iso_status ended; // of the Bye, Refusal or close
    bool is_rewind;
    uint64_t rewind_tick;
} host_rig_peer;

typedef struct host_rig {
    iso__options options;
    iso__hosted_config config;
    iso__hosted hosted;
    iso__worker worker;
    iso__writer writer;
    iso__counters counters;
    iso__key key;
    iso__disk disk;
    uv_loop_t loop;
    uv_async_t async;
    bool has_begun, has_writer, has_worker;
    uint64_t sync_due_ns; // when the sync that waits is carried out
    iso__peers *streams;  // real peers, or NULL: the rig's own
    bool compression_fails;
    uint64_t compression_takes_ns;
    uint64_t compressed_ns;                  // when this is handed in
    iso__inbound compressed;                 // without a block: nothing
    uint32_t *fails_after;                   // the test's count of allocations before the first that fails, or NULL
    uint32_t allocations;                    // what it is set to for the start of the session
    host_rig_peer peers[HOST_RIG_PEERS_MAX]; // connection number less one
    // The truth: what was shown to anybody.
    uint64_t roots[HOST_RIG_TICKS_MAX];
    bool is_known[HOST_RIG_TICKS_MAX];
    uint64_t shown_tick, durable_tick;
    int32_t holds;  // that an address was told of, without those that are over
    bool has_ended; // host_rig_end was called
    bool is_degraded, was_degraded, is_ending;
} host_rig;

extern uint64_t host_rig_now_ns; // 0: the real clock
extern uint32_t host_rig_random; // what the system gives as a random number of 4 bytes; 0: another one each time
extern char host_rig_log[HOST_RIG_LOG_SIZE];

/// An empty folder and a rig for it, at the first microsecond of time. host_rig_free ends what it has and removes both.
host_rig *host_rig_make(void);
void host_rig_free(host_rig *rig);
/// Another process on the same folder, `later_ns` after this one, which ends when it has not. Not started yet.
/// @param options  of the new one; NULL: those that the rig starts with by itself
/// @return in the place of `rig`
host_rig *host_rig_next(host_rig *rig, uint64_t later_ns, const iso__options *options);

/// Makes the session, or lets it go on from the folder. @return false: the host refused, see host_rig_log
bool host_rig_start(host_rig *rig);
/// Lets virtual time pass; ends early when the disk dies.
void host_rig_run(host_rig *rig, uint64_t ns);
/// A member comes. It is active some ticks later.
void host_rig_join(host_rig *rig, uint32_t peer);
/// The same with what another one was told, and what it has stepped.
void host_rig_resume(host_rig *rig, uint32_t peer, const iso_message_welcome *welcome, uint64_t tick, uint64_t root);
void host_rig_cut(host_rig *rig, uint32_t peer);
void host_rig_post(host_rig *rig, iso_session_event event);
/// The session ends in order, as after a signal.
void host_rig_shut_down(host_rig *rig);
/// Frees everything, as the end of the process does: nothing more reaches the disk.
void host_rig_end(host_rig *rig);

uint64_t host_rig_tick(const host_rig *rig);
iso_session_stats host_rig_stats(const host_rig *rig);
bool host_rig_has_logged(const char *text);
void host_rig_clear_log(void);
/// Whether the folder has a file whose name ends so. @return how many
uint32_t host_rig_count_files(const char *end);
/// The path of the one file whose name ends so, until the next call; fails the test when there is none or several.
const char *host_rig_path_of(const char *end);

#endif
