/// A second world that continues from the first one's snapshots. It uses the public interface; client library and
/// replay tool call it.
#include "isostep/sync_test.h"

#include "isostep/simd.h"

void iso_sync_test_init(iso_sync_test *test, const iso_allocator *allocator, uint32_t interval) {
    *test = (iso_sync_test){.allocator = *allocator, .interval = interval};
}

static void release(iso_sync_test *test, void *memory, size_t size) {
    if (memory != NULL) {
        test->allocator.release(test->allocator.user, memory, size);
    }
}

void iso_sync_test_term(iso_sync_test *test) {
    release(test, test->memory, test->memory_size);
    release(test, test->snapshot, test->snapshot_capacity);
    *test = (iso_sync_test){.allocator = test->allocator, .interval = test->interval};
}

void iso_sync_test_restart(iso_sync_test *test) {
    test->copy = NULL;
}

/// Makes `*memory` at least `size` bytes large; its content is lost.
static bool reserve(iso_sync_test *test, void **memory, size_t *capacity, size_t size, size_t alignment) {
    if (size <= *capacity) {
        return true;
    }
    release(test, *memory, *capacity);
    *memory = test->allocator.allocate(test->allocator.user, size, alignment);
    *capacity = *memory != NULL ? size : 0;
    return *memory != NULL;
}

/// The instruction set of the next copy: one after the other of those that the world does not compute with. The world's
/// own when the processor has no other.
static iso_simd next_set(const iso_sync_test *test, const iso_world *world) {
    const iso_simd own = iso_world_get_simd(world);
    iso_simd others[ISO_SIMD_COUNT];
    uint32_t count = 0;
    for (unsigned set = 0; set < ISO_SIMD_COUNT; ++set) {
        if (set != (unsigned)own && iso_simd_is_supported((iso_simd)set)) {
            others[count++] = (iso_simd)set;
        }
    }
    return count > 0 ? others[test->copies % count] : own;
}

/// A world created from the snapshot only.
static iso_status make_copy(iso_sync_test *test, iso_world *world) {
    const iso_world_def *def = iso_world_get_def(world);
    const iso_game *game = iso_world_get_game(world);
    const size_t world_size = iso_world_size(def, game);
    const size_t snapshot_size = iso_snapshot_size(world);
    void *snapshot = test->snapshot;
    const bool room = reserve(test, &test->memory, &test->memory_size, world_size, 64) &&
                      reserve(test, &snapshot, &test->snapshot_capacity, snapshot_size, 8);
    test->snapshot = snapshot;
    test->copy = NULL;
    if (!room) {
        return ISO_ERR_MEMORY;
    }
    iso_world *copy;
    iso_status status = iso_world_create(def, game, test->memory, world_size, &copy);
    if (status == ISO_OK) {
        status = iso_world_set_simd(copy, next_set(test, world));
    }
    if (status == ISO_OK) {
        const size_t written = iso_snapshot_encode(world, test->snapshot, snapshot_size);
        status = iso_snapshot_decode(copy, test->snapshot, written);
    }
    if (status == ISO_OK) {
        test->copy = copy;
        test->from = iso_world_get_tick(world);
        ++test->copies;
        status = iso_world_root(copy) == iso_world_root(world) ? ISO_OK : ISO_ERR_DESYNC;
    }
    return status;
}

iso_status iso_sync_test_step(iso_sync_test *test, iso_world *world, const iso_tick_input *input) {
    const uint64_t tick = iso_world_get_tick(world);
    const bool follows =
        test->copy != NULL && input != NULL && input->tick == tick && iso_world_get_tick(test->copy) + 1 == tick;
    if (follows) {
        const iso_status status = iso_world_step(test->copy, input);
        if (status != ISO_OK) {
            return status;
        }
        if (iso_world_root(test->copy) != iso_world_root(world)) {
            return ISO_ERR_DESYNC;
        }
        if (tick - test->from < test->interval) {
            return ISO_OK;
        }
    }
    return make_copy(test, world);
}
