/// Whether a world goes on from its own snapshot as it goes on by itself.
///
/// A member that joins late, a client that is healed and a server that recovers all go on from a snapshot. What the
/// future depends on and a snapshot does not hold (a static variable of a game, bytes of its state that its field list
/// leaves out) parts them from those who were there from the start; a recording that is simulated from its first state
/// in one go does not show it. So every few ticks a second world is made anew from the first one's snapshot, takes the
/// same inputs from then on, and must have the same roots.
///
/// Both worlds step in turn, so a game that counts its calls outside its state counts twice as fast from then on: the
/// two differ, and the first world goes another way than it would alone. What happens once for good in a process (a
/// variable that is set at the first call) is the same for both and is only found by another process.
///
/// No function here has state of its own. A test belongs to the thread that steps its world: calls with the same test or the
/// same world must not run at the same time; tests of different worlds may be called from different threads, as far as the
/// allocator and the game allow it.
#ifndef ISOSTEP_SYNC_TEST_H
#define ISOSTEP_SYNC_TEST_H

#include "isostep/allocator.h"
#include "isostep/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Read only for the caller; written by the functions below.
typedef struct iso_sync_test {
    iso_allocator allocator;
    uint32_t interval;  // [ticks], 1 or more
    iso_world *copy;    // NULL before the first step and after iso_sync_test_restart
    void *memory;       // of the copy
    size_t memory_size; // [bytes]
    uint8_t *snapshot;
    size_t snapshot_capacity; // [bytes]
    uint64_t from;            // the tick of the snapshot that the copy was made from; 0 before the first
    uint64_t copies;          // how many were made since iso_sync_test_init
} iso_sync_test;

/// Makes the caller's memory a test without a copy yet. Allocates nothing and cannot fail.
///
/// @param test       written; what stood there is not looked at
/// @param allocator  for the copy, iso_world_size of the first world [bytes], and for its snapshot, iso_snapshot_size
///                   [bytes]; copied. Its functions are called by iso_sync_test_step and _term alone
/// @param interval   [ticks] a copy is made anew when the one before has taken so many, 1 to UINT32_MAX
void iso_sync_test_init(iso_sync_test *test, const iso_allocator *allocator, uint32_t interval);

/// Gives all memory back. The test is then as after iso_sync_test_init, `copies` 0 again; a second call does nothing.
void iso_sync_test_term(iso_sync_test *test);

/// Forgets the copy: the world was put into another state by something else than a step. The next iso_sync_test_step makes
/// a new one. Without a copy it does nothing.
void iso_sync_test_restart(iso_sync_test *test);

/// Once after each step of `world`; without an input also before its first, which makes the first copy from there.
/// A copy that is not one tick behind the world is forgotten and made anew.
/// @param test   from iso_sync_test_init
/// @param world  live, the same one with each call; its state is only read
/// @param input  what the world was stepped by, its tick that of the world; NULL: only a copy is made
/// @return ISO_OK; ISO_ERR_DESYNC (the copy differs: `copy`, which went on from tick `from`, is for iso_world_diff until
///         the next call); ISO_ERR_MEMORY (no copy could be made; a later call tries again); or the status of
///         iso_world_create or iso_snapshot_decode (no world could be made of the snapshot) or of iso_world_step (the copy
///         did not take the input), which is no less a difference.
/// Cost: one step; every `interval` ticks a snapshot is written and read.
iso_status iso_sync_test_step(iso_sync_test *test, iso_world *world, const iso_tick_input *input);

#ifdef __cplusplus
}
#endif

#endif
