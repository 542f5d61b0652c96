/// What goes wrong on purpose, beside cuts, stalls and kills. Included by sim.h only.
///
///   fault_clock.c      clocks that drift and jump
///   fault_disk.c       a disk that hangs, and heals; syncs that fail again and again
///   fault_lies.c       a hostile server: what it says to some of the clients is changed
///   fault_secrets.c    peers that come with a secret that was voided
///   fault_overlap.c    a second server on the same folder
///   fault_partition.c  a network on which nothing arrives, and nobody is told
///   fault_silence.c    a single connection on which nothing arrives, while others get through
#ifndef ISO_NETSIM_FAULTS_H
#define ISO_NETSIM_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "isostep/proto/messages.h"

typedef struct sim sim;
struct sim_client;
struct sim_event;

/// A machine's clock, as a line through the last point where it jumped.
typedef struct sim_clock {
    uint64_t true_ns, local_ns; // that point
    int64_t drift_ppm;
    uint64_t last_ns; // read last
    uint32_t jumps;   // a deadline that was drawn before means another time now
    bool may_go_back; // else it stands until it has caught up, as a monotonic clock does
} sim_clock;

/// What the machine reads.
uint64_t clock_read(sim_clock *clock, uint64_t now_ns);
/// When it will read at least that; UINT64_MAX: never.
uint64_t clock_when(const sim_clock *clock, uint64_t local_ns);
/// The server's clock: SIM_NONE; else a client's. By so many nanoseconds, as an int64_t.
void clock_jump(sim *s, uint32_t whose, int64_t by_ns);
void clock_plan(sim *s);

/// From now on no operation of the disk comes back.
void disk_hang(sim *s, uint64_t duration_ns);
/// @return whether the operation comes back later
bool disk_hangs(sim *s, const struct sim_event *event);
bool disk_sync_fails(sim *s);
void disk_plan(sim *s);

/// Before the first run. @return false: there can be none
bool overlap_make_folder(void);
/// Real, for a lock and for who reads files; and without what is in it.
int overlap_folder(void);
void overlap_empty_folder(void);
/// The server starts; and it is gone.
void overlap_lock(sim *s);
void overlap_unlock(sim *s);
/// Another one starts beside it.
void overlap_try(sim *s);
void overlap_plan(sim *s);

void partition_begin(sim *s, uint32_t client, uint64_t duration_ns);
/// Whether the client's network is partitioned now.
bool partition_is(const sim *s, uint32_t client);
/// @return whether the event of the network happens later
bool partition_delays(sim *s, const struct sim_event *event);
void partition_plan(sim *s, uint32_t client, uint64_t from_ns);
/// What is sent over a connection from now on arrives then, behind what is under way.
void partition_hold(sim *s, uint32_t link, uint64_t until_ns);

/// The client's connection brings nothing from now on.
void silence_begin(sim *s, uint32_t client, uint64_t duration_ns);
/// A while later: the client has left it.
void silence_check(sim *s, uint32_t link, uint64_t clock_jumps);
/// The client goes on over another connection, and then has its seat again, or another one.
void silence_switched(sim *s, uint32_t client);
void silence_resumed(sim *s, uint32_t client);
void silence_joined(sim *s, uint32_t client);
void silence_plan(sim *s, uint32_t client, uint64_t from_ns);

typedef enum sim_lies {
    SIM_LIES_NONE,
    SIM_LIES_ONE_ROOT, // a single wrong root
    SIM_LIES_MANY,     // of every kind
} sim_lies;

/// Whether what the client says need not make sense: it tampers, or it was lied to.
bool client_is_wild(const struct sim_client *c);
/// Sends what the session says to a client, or something else.
void lies_send(sim *s, uint32_t link, const iso_message *message, const uint8_t *frame, size_t size);
/// A message is handed to the client; and then the client has taken it in.
void lies_told(sim *s, uint32_t client, const iso_message *message);
void lies_stepped(sim *s, uint32_t client);
void lies_count_said(sim *s, uint32_t client);
void lies_plan(sim *s, uint32_t client, uint64_t from_ns);
/// When the server shuts down.
void lies_check_recovered(sim *s);
void lies_free(struct sim_client *c);

#define SIM_SECRETS_MAX 16u // of one client

/// What a WELCOME gave.
typedef struct sim_secret {
    uint8_t bytes[ISO_SECRET_SIZE];
    uint32_t link; // that it came over
    uint8_t slot;
    uint32_t generation;
    uint32_t voided_by; // incarnation of the server that heard a member under a newer one; 0: none
} sim_secret;

void secrets_shown(sim *s, uint32_t link, const iso_message_welcome *welcome);
/// The session hears something over a connection.
void secrets_used(sim *s, uint32_t link);
void secrets_steal(sim *s);
void secrets_answered(sim *s, uint32_t link, const iso_message *message);
void secrets_plan(sim *s);

#endif
