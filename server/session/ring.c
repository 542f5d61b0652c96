/// The last sealed ticks, for joiners, and their roots, for the comparison with clients.
///
/// A tick's bytes are those that a recording has of it: a byte of flags, which say whether there are changes and
/// commands, then these as in the payload of a TICK (proto/RECORDING.md). So what is recorded is copied, and a
/// command's canonical bytes are made once.
///
/// A tick is contiguous. It starts at the beginning of the buffer when it does not fit at the end, or when there is
/// room before it for twice what is kept and an eighth of the buffer. The oldest ticks are overwritten. A tick fits a
/// frame of 64 KiB, so it always fits the buffer of at least 1 MiB.
#include "ring.h"

#include "isostep/assert.h"

#include "invariants.h"
#include "recording/bytes.h"

// What a command takes beside its canonical bytes, what a change takes, and the numbers of both with the flags.
#define COMMAND_EXTRA_MAX 12u
#define CHANGE_MAX        7u
#define TICK_EXTRA_MAX    7u

/// The canonical bytes of a command that may have them already.
static iso__canonical ring_canonical(const iso_tick_input *input, const iso__canonical *canonical, uint32_t index,
                                     uint8_t *scratch) {
    if (canonical != NULL) {
        return canonical[index];
    }
    const size_t size = iso_command_encode_checked(&input->commands[index].command, scratch, ISO_COMMAND_SIZE_MAX);
    ISO_ASSERT(size > 0);
    return (iso__canonical){scratch, (uint32_t)size};
}

/// At most so many bytes.
static uint32_t ring_tick_bound(const iso_tick_input *input, const iso__canonical *canonical) {
    uint8_t scratch[ISO_COMMAND_SIZE_MAX];
    uint32_t size = TICK_EXTRA_MAX + CHANGE_MAX * input->change_count;
    for (uint32_t i = 0; i < input->command_count; ++i) {
        size += COMMAND_EXTRA_MAX + ring_canonical(input, canonical, i, scratch).size;
    }
    return size;
}

/// @return its size
static uint32_t ring_write_tick(uint8_t *out, uint32_t room, const iso_tick_input *input,
                                const iso__canonical *canonical) {
    uint8_t scratch[ISO_COMMAND_SIZE_MAX];
    iso__recording_writer writer = {.bytes = out, .capacity = room};
    iso__write_uint(&writer, iso__recording_input_flags(input), 1);
    if (input->change_count > 0) {
        iso__recording_write_changes(&writer, input);
    }
    if (input->command_count > 0) {
        iso__write_varint(&writer, input->command_count);
    }
    for (uint32_t i = 0; i < input->command_count; ++i) {
        const iso__canonical bytes = ring_canonical(input, canonical, i, scratch);
        iso__recording_write_command(&writer, &input->commands[i], bytes.bytes, bytes.size);
    }
    ISO_ASSERT(!writer.has_failed);
    return (uint32_t)writer.size;
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

void iso__ring_append(iso__ring *ring, const iso_tick_input *input, const iso__canonical *canonical, uint64_t root) {
    ISO_ASSERT(input->tick == ring->end);
    const uint32_t room = ring_tick_bound(input, canonical);
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
    const uint32_t size = ring_write_tick(ring->bytes + ring->write_offset, room, input, canonical);
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
    const iso__sealed_tick *kept = &ring->ticks[tick % ring->tick_capacity];
    iso__recording_reader reader = {.bytes = ring->bytes + kept->offset, .size = kept->size};
    *input = (iso_tick_input){.tick = tick, .changes = changes, .commands = commands};
    const uint64_t flags = iso__read_uint(&reader, 1);
    if ((flags & ISO__RECORDING_TICK_CHANGES) != 0) {
        input->change_count = (uint32_t)iso__read_varint(&reader, ISO_TICK_CHANGES_MAX);
    }
    for (uint32_t i = 0; i < input->change_count; ++i) {
        changes[i].kind = (uint8_t)iso__read_uint(&reader, 1);
        changes[i].slot = (uint8_t)iso__read_uint(&reader, 1);
        changes[i].slot_generation = (uint32_t)iso__read_varint(&reader, UINT32_MAX);
    }
    if ((flags & ISO__RECORDING_TICK_COMMANDS) != 0) {
        input->command_count = (uint32_t)iso__read_varint(&reader, ISO_TICK_COMMANDS_MAX);
    }
    for (uint32_t i = 0; i < input->command_count; ++i) {
        commands[i].slot = (uint8_t)iso__read_uint(&reader, 1);
        commands[i].sequence = iso__read_varint(&reader, ISO__RECORDING_NUMBER_MAX);
        commands[i].moved = (uint8_t)iso__read_uint(&reader, 1);
        const size_t size = (size_t)iso__read_varint(&reader, ISO_COMMAND_SIZE_MAX);
        const uint8_t *bytes = iso__read_bytes(&reader, size);
        ISO_ASSERT(bytes != NULL);
        const iso_status status = iso_command_decode(bytes, size, &commands[i].command);
        ISO_ASSERT(status == ISO_OK);
    }
    ISO_ASSERT(iso__reader_is_done(&reader));
    return true;
}

const uint8_t *iso__ring_bytes(const iso__ring *ring, uint64_t tick, size_t *size) {
    ISO_ASSERT(tick >= ring->first && tick < ring->end);
    const iso__sealed_tick *kept = &ring->ticks[tick % ring->tick_capacity];
    *size = kept->size;
    return ring->bytes + kept->offset;
}

bool iso__ring_root(const iso__ring *ring, uint64_t tick, uint64_t *root) {
    ISO_ASSERT(iso__ring_is_ordered(ring));
    if (tick < ring->first_root || tick >= ring->end) {
        return false;
    }
    *root = ring->ticks[tick % ring->tick_capacity].root;
    return true;
}
