/// The runner as a freestanding WebAssembly module without imports: the host writes a case file into
/// golden_allocate's memory, opens it and steps it tick by tick.
#include "golden_case.h"
#include "golden_game.h"
#include "golden_query.h"

static golden_reader reader;
static golden_tick tick;
static iso_world *world;
static uint32_t tick_count;

extern unsigned char __heap_base;
static uintptr_t heap_top;

__attribute__((export_name("golden_allocate"))) void *golden_allocate(size_t size) {
    if (heap_top == 0) {
        heap_top = (uintptr_t)&__heap_base;
    }
    const uintptr_t at = (heap_top + 63) & ~(uintptr_t)63;
    heap_top = at + size;
    const uintptr_t have = (uintptr_t)__builtin_wasm_memory_size(0) << 16;
    if (heap_top > have && __builtin_wasm_memory_grow(0, (heap_top - have + 65535) >> 16) == (size_t)-1) {
        return NULL;
    }
    return (void *)at;
}

/// @return the number of ticks, or a negative status
__attribute__((export_name("golden_open"))) int32_t golden_open(const uint8_t *bytes, size_t size) {
    const uint8_t *snapshot;
    size_t snapshot_size;
    iso_world_def def;
    uint64_t at;
    reader = (golden_reader){.bytes = bytes, .size = size};
    if (!golden_read_head(&reader, &snapshot, &snapshot_size, &tick_count)) {
        return ISO_ERR_CORRUPT;
    }
    iso_status status = iso_snapshot_read_def(snapshot, snapshot_size, &def, &at);
    if (status != ISO_OK) {
        return status;
    }
    const iso_game *game = def.game[0] ? golden_find_game(def.game) : NULL;
    const size_t world_size = iso_world_size(&def, game);
    status = iso_world_create(&def, game, golden_allocate(world_size), world_size, &world);
    if (status == ISO_OK) {
        status = iso_snapshot_decode(world, snapshot, snapshot_size);
    }
    return status == ISO_OK ? (int32_t)tick_count : (int32_t)status;
}

/// @return ISO_OK or a negative status
__attribute__((export_name("golden_step"))) int32_t golden_step(void) {
    if (!golden_read_tick(&reader, iso_world_get_tick(world) + 1, &tick)) {
        return ISO_ERR_CORRUPT;
    }
    return iso_world_step(world, &tick.input);
}

__attribute__((export_name("golden_root"))) uint64_t golden_root(void) {
    return iso_world_root(world);
}

__attribute__((export_name("golden_queries"))) uint64_t golden_queries(void) {
    return golden_query_digest(world);
}
