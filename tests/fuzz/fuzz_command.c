/// Any bytes as commands: what decodes passes the check and has one canonical form, and a world takes it in a tick
/// without harm: two worlds that got the same commands are the same, and refused commands are counted.
///
/// The input is a list of u8 slot, u8 size, bytes. The slot's highest bit stands for 256 more bytes, which the joints
/// of programs and games need, in space the next one for 512 more.
#include "fuzz_world.h"

#define COMMANDS_MAX 64u
#define SLOT_LONG    128u // the bits in a slot
#ifdef FUZZ_SPACE
#define SLOT_LONGER 64u
#else
#define SLOT_LONGER 0u
#endif

static iso_world *world, *twin;
static void *image;
static size_t image_size;

static void set_up(void) {
    world = fuzz_world_make();
    twin = fuzz_world_make();
    image_size = iso_world_image_size(world);
    image = malloc(image_size);
    FUZZ_CHECK(image != NULL && iso_world_save(world, image, image_size) == image_size);
}

static void check_canonical(const iso_command *command, const uint8_t *bytes, size_t size) {
    uint8_t again[ISO_COMMAND_SIZE_MAX];
    FUZZ_CHECK(iso_command_check(command) == ISO_OK);
    FUZZ_CHECK(iso_command_encode(command, again, sizeof again) == size);
    FUZZ_CHECK(memcmp(again, bytes, size) == 0);
    FUZZ_CHECK(iso_command_kind_name(command->kind) != NULL);
}

/// Commands of a tick stand in the order of slots, and of sequences within a slot.
static uint32_t sort_in(iso_sealed_command *commands, uint32_t count, const iso_command *command, uint8_t slot) {
    uint32_t at = count;
    uint64_t sequence = 1;
    for (uint32_t i = 0; i < count; ++i) {
        sequence += commands[i].slot == slot;
        at = commands[i].slot > slot && at == count ? i : at;
    }
    memmove(&commands[at + 1], &commands[at], (count - at) * sizeof *commands);
    commands[at] = (iso_sealed_command){.slot = slot, .sequence = sequence, .command = *command};
    return count + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static iso_sealed_command commands[COMMANDS_MAX];
    if (world == NULL) {
        set_up();
    }
    uint32_t count = 0;
    while (size >= 2 && count < COMMANDS_MAX) {
        const size_t length =
            bytes[1] + ((bytes[0] & SLOT_LONG) != 0 ? 256u : 0u) + ((bytes[0] & SLOT_LONGER) != 0 ? 512u : 0u);
        const size_t wanted = length < size - 2 ? length : size - 2;
        iso_command command;
        const bool is_command = iso_command_decode(bytes + 2, wanted, &command) == ISO_OK;
        if (is_command) {
            check_canonical(&command, bytes + 2, wanted);
        }
        // What is of another dimension no session seals.
        if (is_command && iso_command_has_dimensions(command.kind, iso_world_get_def(world)->dimensions)) {
            count = sort_in(commands, count, &command, (uint8_t)(bytes[0] % FUZZ_WORLD_SLOTS));
        }
        bytes += 2 + wanted;
        size -= 2 + wanted;
    }
    FUZZ_CHECK(iso_world_restore(world, image, image_size) == ISO_OK);
    FUZZ_CHECK(iso_world_restore(twin, image, image_size) == ISO_OK);
    iso_world_counts before, after;
    iso_world_get_counts(world, &before);
    const iso_tick_input input = {.tick = iso_world_get_tick(world) + 1, .commands = commands, .command_count = count};
    FUZZ_CHECK(iso_world_step(world, &input) == ISO_OK);
    iso_world_get_counts(world, &after);
    FUZZ_CHECK(after.commands_applied + after.commands_refused ==
               before.commands_applied + before.commands_refused + count);
    FUZZ_CHECK(iso_world_step(twin, &input) == ISO_OK);
    for (int i = 0; i < 2; ++i) {
        FUZZ_CHECK(iso_world_step_empty(world) == ISO_OK && iso_world_step_empty(twin) == ISO_OK);
    }
    FUZZ_CHECK(iso_world_root(world) == iso_world_root(twin));
    return 0;
}
