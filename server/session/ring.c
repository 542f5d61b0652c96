/// The last sealed ticks, for joiners, and their roots, for the comparison with clients.
///
/// A tick's bytes are, little endian: u8 number of changes, for each u8 kind, u8 slot, u32 generation; u16 number of
/// commands, for each u8 slot, u8 moved, u64 sequence, u16 size, canonical bytes. A tick is contiguous. It starts at
/// the beginning of the buffer when it does not fit at the end, or when there is room before it for twice what is kept
/// and an eighth of the buffer. The oldest ticks are overwritten. A tick fits a frame of 64 KiB, so it always fits the
/// buffer of at least 1 MiB.
#include "ring.h"

#include "isostep/assert.h"

#include "invariants.h"

static uint8_t *ring_put(uint8_t *out, uint64_t value, uint32_t width) {
    for (uint32_t i = 0; i < width; ++i) {
        *out++ = (uint8_t)(value >> (8u * i));
    }
    return out;
}

static uint64_t ring_get(const uint8_t **in, uint32_t width) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; ++i) {
        value |= (uint64_t)(*in)[i] << (8u * i);
    }
    *in += width;
    return value;
}

static size_t ring_tick_size(const iso_tick_input *input) {
    uint8_t scratch[ISO_COMMAND_SIZE_MAX];
    size_t size = 1u + 6u * input->change_count + 2u;
    for (uint32_t i = 0; i < input->command_count; ++i) {
        size += 12u + iso_command_encode_checked(&input->commands[i].command, scratch, sizeof scratch);
    }
    return size;
}

static void ring_write_tick(uint8_t *out, const iso_tick_input *input) {
    out = ring_put(out, input->change_count, 1);
    for (uint32_t i = 0; i < input->change_count; ++i) {
        out = ring_put(out, input->changes[i].kind, 1);
        out = ring_put(out, input->changes[i].slot, 1);
        out = ring_put(out, input->changes[i].slot_generation, 4);
    }
    out = ring_put(out, input->command_count, 2);
    for (uint32_t i = 0; i < input->command_count; ++i) {
        const iso_sealed_command *command = &input->commands[i];
        out = ring_put(out, command->slot, 1);
        out = ring_put(out, command->moved, 1);
        out = ring_put(out, command->sequence, 8);
        const size_t size = iso_command_encode_checked(&command->command, out + 2, ISO_COMMAND_SIZE_MAX);
        ISO_ASSERT(size > 0);
        out = ring_put(out, size, 2) + size;
    }
}

/// Drops the oldest ticks whose bytes overlap [offset, offset + size).
static void ring_make_room(iso__ring *ring, uint32_t offset, uint32_t size) {
    while (ring->first < ring->end) {
        const iso__sealed_tick *oldest = &ring->ticks[ring->first % ring->tick_capacity];
        const bool apart = oldest->offset >= offset + size || offset >= oldest->offset + oldest->size;
        if (apart) {
            return;
        }
        ++ring->first;
    }
}

void iso__ring_init(iso__ring *ring, uint64_t first_tick) {
    ISO_ASSERT(ring->tick_capacity > 0 && (ring->tick_capacity & (ring->tick_capacity - 1u)) == 0);
    ring->first_root = first_tick;
    ring->first = first_tick;
    ring->end = first_tick;
    ring->write_offset = 0;
}

/// Where `room` bytes would be written. A session with small ticks need not touch all the memory.
static uint32_t ring_place(const iso__ring *ring, uint32_t room) {
    const uint32_t oldest = ring->first < ring->end ? ring->ticks[ring->first % ring->tick_capacity].offset : 0;
    const uint32_t enough = 2u * (ring->write_offset - oldest) + ring->byte_capacity / 8u + room;
    const bool early = ring->write_offset > oldest && oldest >= enough;
    return early || ring->write_offset + room > ring->byte_capacity ? 0 : ring->write_offset;
}

bool iso__ring_spares(const iso__ring *ring, uint64_t tick) {
    ISO_ASSERT(iso__ring_is_ordered(ring) && tick < ring->end);
    const uint32_t room = ISO__RING_TICK_MAX;
    const uint32_t place = ring_place(ring, room);
    const iso__sealed_tick *kept = &ring->ticks[tick % ring->tick_capacity];
    const bool behind_end = place != ring->write_offset && kept->offset >= ring->write_offset;
    return !behind_end && (kept->offset >= place + room || place >= kept->offset + kept->size);
}

void iso__ring_append(iso__ring *ring, const iso_tick_input *input, uint64_t root) {
    ISO_ASSERT(input->tick == ring->end);
    const uint32_t size = (uint32_t)ring_tick_size(input);
    // A command is encoded with room after it for the largest one.
    const uint32_t room = size + ISO_COMMAND_SIZE_MAX;
    ISO_ASSERT(room <= ring->byte_capacity / 2u);

    if (ring->end - ring->first_root == ring->tick_capacity) {
        ++ring->first_root;
        if (ring->first < ring->first_root) {
            ring->first = ring->first_root;
        }
    }
    const uint32_t place = ring_place(ring, room);
    if (place != ring->write_offset) {
        // The bytes between here and the end are older than those at the beginning.
        ring_make_room(ring, ring->write_offset, ring->byte_capacity - ring->write_offset);
    }
    ring->write_offset = place;
    ring_make_room(ring, ring->write_offset, room);
    ring_write_tick(ring->bytes + ring->write_offset, input);
    ring->ticks[ring->end % ring->tick_capacity] = (iso__sealed_tick){root, ring->write_offset, size};
    ring->write_offset += size;
    ++ring->end;
    ISO_ASSERT(iso__ring_is_ordered(ring) && ring->first < ring->end);
}

bool iso__ring_read(const iso__ring *ring, uint64_t tick, iso_change *changes, iso_sealed_command *commands,
                    iso_tick_input *input) {
    ISO_ASSERT(iso__ring_is_ordered(ring));
    if (tick < ring->first || tick >= ring->end) {
        return false;
    }
    const uint8_t *in = ring->bytes + ring->ticks[tick % ring->tick_capacity].offset;
    *input = (iso_tick_input){.tick = tick, .changes = changes, .commands = commands};
    input->change_count = (uint32_t)ring_get(&in, 1);
    ISO_ASSERT(input->change_count <= ISO_TICK_CHANGES_MAX);
    for (uint32_t i = 0; i < input->change_count; ++i) {
        changes[i].kind = (uint8_t)ring_get(&in, 1);
        changes[i].slot = (uint8_t)ring_get(&in, 1);
        changes[i].slot_generation = (uint32_t)ring_get(&in, 4);
    }
    input->command_count = (uint32_t)ring_get(&in, 2);
    ISO_ASSERT(input->command_count <= ISO_TICK_COMMANDS_MAX);
    for (uint32_t i = 0; i < input->command_count; ++i) {
        commands[i].slot = (uint8_t)ring_get(&in, 1);
        commands[i].moved = (uint8_t)ring_get(&in, 1);
        commands[i].sequence = ring_get(&in, 8);
        const size_t size = (size_t)ring_get(&in, 2);
        const iso_status status = iso_command_decode(in, size, &commands[i].command);
        ISO_ASSERT(status == ISO_OK);
        in += size;
    }
    return true;
}

bool iso__ring_root(const iso__ring *ring, uint64_t tick, uint64_t *root) {
    ISO_ASSERT(iso__ring_is_ordered(ring));
    if (tick < ring->first_root || tick >= ring->end) {
        return false;
    }
    *root = ring->ticks[tick % ring->tick_capacity].root;
    return true;
}
