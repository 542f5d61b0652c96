/// Any bytes as a snapshot, and changes of a real one whose checksum is made right again: it is refused and the world
/// stays as it was, or it decodes to a world that encodes to the same state and can be stepped.
///
/// The definition is part of what is changed: as a client does, a world is also made by what the snapshot says of it,
/// in a block of just its size, and the snapshot decoded there.
///
/// Changes, not whole snapshots, so that the corpus keeps its meaning when a field is added to the state. Each has 5
/// bytes: u16 place, u8 how (the low two bits; the others are a shift), i16 value.
#include "fuzz_world.h"

#include "base/hash.h"

#define CHANGE_SIZE 5u
#define TAIL_SIZE   8u
#define DEF_PLACE   40u // where the definition begins

#define OWN_WORLD_MAX (4u << 20) // bytes of a world that is made by a changed definition

static iso_world *world, *twin;
static uint8_t *base, *mutant;
static size_t base_size;
static uint64_t start_root;

static void set_up(void) {
    iso_world *original = fuzz_world_make();
    world = fuzz_world_empty();
    twin = fuzz_world_empty();
    base_size = iso_snapshot_size(original);
    base = malloc(base_size);
    mutant = malloc(base_size);
    FUZZ_CHECK(base != NULL && mutant != NULL);
    FUZZ_CHECK(iso_snapshot_encode(original, base, base_size) == base_size);
    FUZZ_CHECK(iso_snapshot_decode(world, base, base_size) == ISO_OK);
    start_root = iso_world_root(world);
    FUZZ_CHECK(start_root == iso_world_root(original));
    free(original);
}

static void put(size_t at, uint64_t value, size_t width) {
    for (size_t i = 0; i < width && at + i < base_size - TAIL_SIZE; ++i) {
        mutant[at + i] = (uint8_t)(value >> (8 * i));
    }
}

/// @return the size of the changed snapshot
static size_t change(const uint8_t *bytes, size_t size) {
    memcpy(mutant, base, base_size);
    for (; size >= CHANGE_SIZE; bytes += CHANGE_SIZE, size -= CHANGE_SIZE) {
        const size_t at = (size_t)(bytes[0] | bytes[1] << 8) % (base_size - TAIL_SIZE);
        const int64_t value = (int16_t)(uint16_t)(bytes[3] | bytes[4] << 8);
        const uint64_t shifted = (uint64_t)value << (bytes[2] >> 2);
        switch (bytes[2] & 3) {
        case 0:
            put(at, (uint64_t)value, 1);
            break;
        case 1:
            put(at, shifted, 4);
            break;
        case 2:
            put(at, shifted, 8);
            break;
        default:
            mutant[at] = (uint8_t)(mutant[at] ^ 1u << (value & 7));
            break;
        }
    }
    const uint64_t sum = iso__hash(mutant, base_size - TAIL_SIZE);
    for (size_t i = 0; i < TAIL_SIZE; ++i) {
        mutant[base_size - TAIL_SIZE + i] = (uint8_t)(sum >> (8 * i));
    }
    return base_size;
}

/// In a world of the snapshot's own definition.
static void try_definition(const iso_world_def *def, uint64_t tick, const uint8_t *bytes, size_t size) {
    const iso_game *game = def->game[0] != 0 ? fuzz_world_game() : NULL;
    const size_t world_size = iso_world_size(def, game);
    FUZZ_CHECK(world_size > 0 && (world_size % 64 == 0 || world_size == SIZE_MAX));
    if (world_size > OWN_WORLD_MAX) {
        iso_world *none = NULL;
        FUZZ_CHECK(iso_world_create(def, game, mutant, OWN_WORLD_MAX, &none) != ISO_OK && none == NULL);
        return;
    }
    void *memory = aligned_alloc(64, world_size);
    iso_world *own = NULL;
    FUZZ_CHECK(memory != NULL);
    if (iso_world_create(def, game, memory, world_size, &own) == ISO_OK) {
        const uint64_t empty = iso_world_root(own);
        if (iso_snapshot_decode(own, bytes, size) != ISO_OK) {
            FUZZ_CHECK(iso_world_root(own) == empty);
        } else {
            FUZZ_CHECK(iso_world_get_tick(own) == tick && iso_snapshot_size(own) == size);
        }
        for (int i = 0; i < 3; ++i) {
            (void)iso_world_step_empty(own);
            (void)iso_world_root(own);
        }
    }
    free(memory);
}

static void try_snapshot(const uint8_t *bytes, size_t size) {
    iso_world_def def;
    uint64_t tick;
    const iso_status head = iso_snapshot_read_def(bytes, size, &def, &tick);
    FUZZ_CHECK(head != ISO_OK || iso_world_def_check(&def, NULL) == ISO_OK);
    if (head == ISO_OK && memcmp(bytes + DEF_PLACE, base + DEF_PLACE, sizeof def) != 0) {
        try_definition(&def, tick, bytes, size);
    }
    if (iso_snapshot_decode(world, bytes, size) != ISO_OK) {
        FUZZ_CHECK(iso_world_root(world) == start_root);
        return;
    }
    FUZZ_CHECK(head == ISO_OK && iso_world_get_tick(world) == tick);
    const size_t again_size = iso_snapshot_size(world);
    uint8_t *again = malloc(again_size);
    FUZZ_CHECK(again != NULL && iso_snapshot_encode(world, again, again_size) == again_size);
    FUZZ_CHECK(iso_snapshot_decode(twin, again, again_size) == ISO_OK);
    free(again);
    for (int i = 0; i < 3; ++i) {
        FUZZ_CHECK(iso_world_root(world) == iso_world_root(twin));
        const iso_status status = iso_world_step_empty(world);
        FUZZ_CHECK(iso_world_step_empty(twin) == status);
    }
    FUZZ_CHECK(iso_world_root(world) == iso_world_root(twin));
    FUZZ_CHECK(iso_snapshot_decode(world, base, base_size) == ISO_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (world == NULL) {
        set_up();
    }
    try_snapshot(bytes, size);
    const size_t changed = change(bytes, size);
    try_snapshot(mutant, changed);
    return 0;
}
