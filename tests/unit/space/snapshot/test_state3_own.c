/// A world in space takes its own snapshots: after every call of the interface that changes it, with random and extreme
/// values, the snapshot is decoded by another world and has the same root. And what a call refuses has changed nothing.
#include "unit/space/snapshot/random_calls.h"

#define RUNS  60
#define TICKS 40
#define CALLS 6 // between two steps

static void expect_own_snapshot(rig *r, uint32_t run) {
    const size_t size = iso_snapshot_size(r->world);
    uint8_t *bytes = malloc(size);
    assert_int_equal(iso_snapshot_encode(r->world, bytes, size), size);
    const iso_status status = iso_snapshot_decode(r->other, bytes, size);
    free(bytes);
    EXPECT(status == ISO_OK, "run %u: the snapshot after %s is refused: %s", run, r->last, iso_status_name(status));
    EXPECT(iso_world_root(r->world) == iso_world_root(r->other), "run %u: after %s the root differs", run, r->last);
}

static void test_a_world_takes_its_own_snapshots(void **state) {
    (void)state;
    for (uint32_t run = 0; run < RUNS; ++run) {
        const iso_world_def def = random_calls_def(run);
        rig r = {.world = world_make(&def), .other = world_make(&def), .random = {run}};
        iso_world_start(r.world);
        fill_any(&r);
        for (uint32_t n = 0; n < TICKS * CALLS; ++n) {
            call_any(&r, n % CALLS == 0);
            expect_own_snapshot(&r, run);
        }
        world_free(r.world);
        world_free(r.other);
    }
}

/// The roots of a world whose hashes are cached are those of one that hashes all of it.
static void test_every_call_marks_what_it_changes(void **state) {
    (void)state;
    for (uint32_t run = 0; run < RUNS / 2; ++run) {
        const iso_world_def def = random_calls_def(run);
        rig r = {.world = world_make(&def), .random = {1000 + run}};
        fill_any(&r);
        for (uint32_t n = 0; n < TICKS * CALLS; ++n) {
            call_any(&r, n % CALLS == 0);
            const uint64_t cached = iso_world_root(r.world);
            iso_world_drop_caches(r.world);
            EXPECT(iso_world_root(r.world) == cached, "run %u: %s left a hash as it was", run, r.last);
        }
        world_free(r.world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_world_takes_its_own_snapshots),
        cmocka_unit_test(test_every_call_marks_what_it_changes),
    };
    return cmocka_run_group_tests_name("state3_own", tests, NULL, NULL);
}
