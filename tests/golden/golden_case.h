/// Case files: a tick-0 snapshot and the inputs of the ticks that follow. All numbers are little endian.
///
///   "ISOGOLD1"  u32 snapshot size  snapshot  u32 tick count, then for each tick:
///   u16 change count    each: u8 kind, u8 slot, u32 slot generation
///   u16 command count   each: u8 slot, u64 sequence, u16 size, canonical bytes
///
/// Used by the maker (writing) and by the runners (reading), which may have no C library.
#ifndef ISO_GOLDEN_CASE_H
#define ISO_GOLDEN_CASE_H

#include <stdbool.h>

#include "isostep/isostep.h"

#define GOLDEN_MAGIC "ISOGOLD1"

typedef struct golden_reader {
    const uint8_t *bytes;
    size_t size, at;
    bool is_bad; // something was missing; every later number is 0
} golden_reader;

static inline uint64_t golden_read(golden_reader *reader, uint32_t width) {
    if (reader->is_bad || reader->size - reader->at < width) {
        reader->is_bad = true;
        return 0;
    }
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; ++i) {
        value |= (uint64_t)reader->bytes[reader->at++] << (8 * i);
    }
    return value;
}

static inline const uint8_t *golden_read_bytes(golden_reader *reader, size_t size) {
    if (reader->is_bad || reader->size - reader->at < size) {
        reader->is_bad = true;
        return NULL;
    }
    const uint8_t *bytes = reader->bytes + reader->at;
    reader->at += size;
    return bytes;
}

/// One tick's input with the memory behind it.
typedef struct golden_tick {
    iso_change changes[ISO_TICK_CHANGES_MAX];
    iso_sealed_command commands[ISO_TICK_COMMANDS_MAX];
    iso_tick_input input;
} golden_tick;

/// Reads the next tick. @return false when the file is bad
static inline bool golden_read_tick(golden_reader *reader, uint64_t number, golden_tick *tick) {
    const uint32_t change_count = (uint32_t)golden_read(reader, 2);
    for (uint32_t i = 0; i < change_count && i < ISO_TICK_CHANGES_MAX; ++i) {
        tick->changes[i].kind = (uint8_t)golden_read(reader, 1);
        tick->changes[i].slot = (uint8_t)golden_read(reader, 1);
        tick->changes[i].slot_generation = (uint32_t)golden_read(reader, 4);
    }
    const uint32_t command_count = (uint32_t)golden_read(reader, 2);
    for (uint32_t i = 0; i < command_count && i < ISO_TICK_COMMANDS_MAX; ++i) {
        tick->commands[i].slot = (uint8_t)golden_read(reader, 1);
        tick->commands[i].sequence = golden_read(reader, 8);
        tick->commands[i].moved = 0;
        const size_t size = (size_t)golden_read(reader, 2);
        const uint8_t *bytes = golden_read_bytes(reader, size);
        if (!bytes || iso_command_decode(bytes, size, &tick->commands[i].command) != ISO_OK) {
            reader->is_bad = true;
        }
    }
    tick->input = (iso_tick_input){
        .tick = number,
        .changes = tick->changes,
        .change_count = change_count,
        .commands = tick->commands,
        .command_count = command_count,
    };
    return !reader->is_bad && change_count <= ISO_TICK_CHANGES_MAX && command_count <= ISO_TICK_COMMANDS_MAX;
}

/// Reads the head: the snapshot and the number of ticks. @return false when it is no case file
static inline bool golden_read_head(golden_reader *reader, const uint8_t **snapshot, size_t *snapshot_size,
                                    uint32_t *tick_count) {
    const uint8_t *magic = golden_read_bytes(reader, 8);
    for (uint32_t i = 0; magic && i < 8; ++i) {
        reader->is_bad = reader->is_bad || magic[i] != (uint8_t)GOLDEN_MAGIC[i];
    }
    *snapshot_size = (size_t)golden_read(reader, 4);
    *snapshot = golden_read_bytes(reader, *snapshot_size);
    *tick_count = (uint32_t)golden_read(reader, 4);
    return !reader->is_bad;
}

#endif
