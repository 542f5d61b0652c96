/// Tests that a world restored from a snapshot continues exactly like the original.
///
/// A member that joins late, a client that is healed and a server that recovers all continue from a snapshot. Data that
/// the future depends on and that a snapshot does not contain (a static variable of a game, bytes of its state that its
/// field list omits) make them diverge from the others. Simulating a recording once from its first state does not show
/// this. So every few ticks a second world is created from the first one's snapshot, is stepped with the same inputs
/// from then on, and must have the same roots.
///
/// Each copy computes with another instruction set (isostep/simd.h) than the world, in turn with all that the processor
/// has. So the test also finds a processor or a compiled kernel whose bits are others. It is no part of the state which
/// one it is.
///
/// Both worlds step in turn, so a game that counts its calls outside its state counts twice as fast from then on: the
/// two differ, and the first world also differs from what it would be without the test. Effects that occur only once
/// per process (a variable that is set at the first call) are the same for both and are found only by another process.
///
/// No function here has state of its own. Calls with the same test or the same world must not run at the same time.
/// Tests of different worlds may be called from different threads, as far as the allocator and the game allow it.
#ifndef ISOSTEP_SYNC_TEST_H
#define ISOSTEP_SYNC_TEST_H

#include "isostep/allocator.h"
#include "isostep/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The caller may only read it; the functions below write it.
typedef struct iso_sync_test {
    iso_allocator allocator;
    uint32_t interval;  // [ticks], 1 or more
    iso_world *copy;    // NULL before the first step and after iso_sync_test_restart
    void *memory;       // of the copy
    size_t memory_size; // [bytes]
    uint8_t *snapshot;
    size_t snapshot_capacity; // [bytes]
    uint64_t from;            // the tick of the snapshot that the copy was created from; 0 before the first
    uint64_t copies;          // how many were created since iso_sync_test_init
} iso_sync_test;

/// Initialises a test, without a copy yet. Allocates nothing and cannot fail.
///
/// @param test       written; its previous content is ignored
/// @param allocator  for the copy, iso_world_size of the first world [bytes], and for its snapshot, iso_snapshot_size
///                   [bytes]; copied. Its functions are called by iso_sync_test_step and _term alone
/// @param interval   [ticks] a copy is replaced by a new one after so many ticks, 1 to UINT32_MAX
void iso_sync_test_init(iso_sync_test *test, const iso_allocator *allocator, uint32_t interval);

/// Frees all memory. The test is then as after iso_sync_test_init, with `copies` 0; a second call does nothing.
void iso_sync_test_term(iso_sync_test *test);

/// Discards the copy. Call it when the world's state was replaced by something other than a step. The next
/// iso_sync_test_step creates a new copy. Without a copy it does nothing.
void iso_sync_test_restart(iso_sync_test *test);

/// Call it once after each step of `world`. A call without an input before the first step creates the first copy there.
/// A copy that is not exactly one tick behind the world is replaced by a new one.
/// @param test   from iso_sync_test_init
/// @param world  live, the same one with each call; its state is only read
/// @param input  the input of the world's last step, with the world's tick; NULL: only creates a copy
/// @return ISO_OK; ISO_ERR_DESYNC (the copy differs: `copy`, which continued from tick `from`, may be given to
///         iso_world_diff until the next call); ISO_ERR_MEMORY (no copy could be created; a later call tries again); or
///         the status of iso_world_create or iso_snapshot_decode (no world could be created from the snapshot) or of
///         iso_world_step (the copy refused the input), which are differences, too.
/// Cost: one step, by the copy's instruction set; every `interval` ticks a snapshot is written and read.
iso_status iso_sync_test_step(iso_sync_test *test, iso_world *world, const iso_tick_input *input);

#ifdef __cplusplus
}
#endif

#endif
