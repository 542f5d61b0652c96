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
#ifndef ISOSTEP_SYNC_TEST_H
#define ISOSTEP_SYNC_TEST_H

#include "isostep/allocator.h"
#include "isostep/snapshot.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct iso_sync_test {
    iso_allocator allocator;
    uint32_t interval;   // [ticks]
    iso_world *copy;     // NULL before the first step and after iso_sync_test_restart
    void *memory;        // of the copy
    size_t memory_size;  // [bytes]
    uint8_t *snapshot;
    size_t snapshot_capacity;  // [bytes]
    uint64_t from;       // the tick of the snapshot that the copy was made from
    uint64_t copies;     // how many were made
} iso_sync_test;

/// @param allocator  for the copy, about the size of the first world, and for its snapshot; copied
/// @param interval   [ticks] a copy is made anew when the one before has taken so many, 1 or more
void iso_sync_test_init(iso_sync_test *test, const iso_allocator *allocator, uint32_t interval);

/// Gives all memory back.
void iso_sync_test_term(iso_sync_test *test);

/// Forgets the copy: the world was put into another state by something else than a step.
void iso_sync_test_restart(iso_sync_test *test);

/// Once after each step of `world`; without an input also before its first, which makes the first copy from there.
/// A copy that is not one tick behind the world is forgotten and made anew.
/// @param input  what the world was stepped by, or NULL
/// @return ISO_OK; ISO_ERR_DESYNC (the copy differs: `copy`, which went on from tick `from`, is for iso_world_diff);
///         ISO_ERR_MEMORY; or why the snapshot was not read or the input not taken by the copy, which is no less a
///         difference. The world itself is only read.
/// Cost: one step; every `interval` ticks a snapshot is written and read.
iso_status iso_sync_test_step(iso_sync_test *test, iso_world *world, const iso_tick_input *input);

#ifdef __cplusplus
}
#endif

#endif
