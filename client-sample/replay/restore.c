/// Worlds continued from decoded snapshots beside the simulated one: they reveal data that the state does not contain.
#include "isostep/heap.h"
#include "isostep/simd.h"
#include "isostep/sync_test.h"
#include "replay.h"

void iso__replay_restore_init(iso_sync_test *test, uint32_t interval) {
    const iso_allocator allocator = iso_heap_allocator();
    iso_sync_test_init(test, &allocator, interval);
}

iso_status iso__replay_restore_step(iso_sync_test *test, iso_world *world, const iso_tick_input *input) {
    const iso_status status = iso_sync_test_step(test, world, input);
    const unsigned long long tick = iso_world_get_tick(world);
    if (status == ISO_ERR_DESYNC) {
        iso_print(stderr,
                  "isostep-replay: a world continued from the snapshot of tick %llu differs after tick %llu:\n"
                  "something that its future depends on is not in the state, or %s computes other bits than %s\n",
                  (unsigned long long)test->from, tick, iso_simd_name(iso_world_get_simd(test->copy)),
                  iso_simd_name(iso_world_get_simd(world)));
        iso__replay_world_print_diff(world, test->copy, (const char *const[]){"simulated", "restored"});
    } else if (status == ISO_ERR_MEMORY) {
        iso_print(stderr, "isostep-replay: there is no memory for a second world\n");
    } else if (status != ISO_OK) {
        iso_print(stderr, "isostep-replay: after tick %llu a world could not be restored from a snapshot: %s\n", tick,
                  iso_status_text(status));
    }
    return status;
}
