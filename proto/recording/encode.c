/// Writing a recording's frames. Called by the recorder and by tools; needs nothing but memcpy.
#include "recording/bytes.h"

/// @param moved  the chain behind what was written
static size_t writer_result(const iso__recording_writer *writer, iso_recording_chain *chain,
                            iso_recording_chain moved) {
    if (writer->has_failed) {
        return 0;
    }
    ISO_ASSERT(writer->size > 0 && writer->size <= writer->capacity);
    *chain = moved;
    return writer->size;
}

size_t iso_recording_head_bound(size_t scene_size) {
    return ISO_RECORDING_FILE_HEAD_SIZE + ISO_RECORDING_FRAME_EXTRA_SIZE + 4096u + scene_size;
}

size_t iso_recording_encode_head(const iso_recording_header *header, iso_recording_chain *chain, uint8_t *bytes,
                                 size_t capacity) {
    ISO_ASSERT(chain != NULL && (header->scene != NULL || header->scene_size == 0));
    iso__recording_writer writer = {.bytes = bytes, .capacity = capacity};
    if (header->scene_size > ISO_RECORDING_SCENE_SIZE_MAX || header->first_tick > ISO__RECORDING_NUMBER_MAX) {
        return 0;
    }
    iso__write_bytes(&writer, ISO__RECORDING_MAGIC, 8);
    const uint32_t version = header->def.dimensions == 3 ? ISO_RECORDING_VERSION_SPACE : ISO_RECORDING_VERSION;
    iso__write_uint(&writer, version, 4);
    iso_recording_chain moved = {.version = version};
    if (!writer.has_failed) {
        moved.checksum = iso_crc32c(0, bytes, writer.size);
        iso__write_uint(&writer, moved.checksum, 4);
    }
    const size_t start = iso__frame_begin(&writer, ISO_RECORDING_HEADER, 0);
    iso__recording_write_header(&writer, header);
    iso__frame_end(&writer, start, ISO_RECORDING_HEADER_SIZE_MAX, &moved);
    return writer_result(&writer, chain, moved);
}

// Numbers before a keyframe's bytes: two of at most 8 bytes, a root, two of at most 5.
#define KEYFRAME_NUMBERS_MAX 34u
#define KEYFRAME_PART_MAX    (ISO_RECORDING_PAYLOAD_SIZE_MAX - KEYFRAME_NUMBERS_MAX)

size_t iso_recording_keyframe_bound(size_t stored_size) {
    const size_t frame_count = stored_size / KEYFRAME_PART_MAX + 1;
    return stored_size + KEYFRAME_NUMBERS_MAX + frame_count * ISO_RECORDING_FRAME_EXTRA_SIZE;
}

size_t iso_recording_encode_keyframe(const iso_recording_keyframe *keyframe, const uint8_t *stored,
                                     iso_recording_chain *chain, uint8_t *bytes, size_t capacity) {
    ISO_ASSERT(iso__recording_chain_is_known(chain));
    iso__recording_writer writer = {.bytes = bytes, .capacity = capacity};
    iso_recording_chain moved = *chain;
    if (keyframe->tick > ISO__RECORDING_NUMBER_MAX || keyframe->ticks_offset > ISO__RECORDING_NUMBER_MAX ||
        keyframe->raw_size == 0 || keyframe->raw_size > ISO_RECORDING_SNAPSHOT_SIZE_MAX || keyframe->stored_size == 0 ||
        keyframe->stored_size > ISO_RECORDING_SNAPSHOT_SIZE_MAX) {
        return 0;
    }
    size_t start = iso__frame_begin(&writer, ISO_RECORDING_KEYFRAME, 0);
    iso__write_varint(&writer, keyframe->tick);
    iso__write_uint(&writer, keyframe->root, 8);
    iso__write_varint(&writer, keyframe->raw_size);
    iso__write_varint(&writer, keyframe->stored_size);
    iso__write_varint(&writer, keyframe->ticks_offset);
    size_t offset = 0;
    for (;;) {
        const size_t left = keyframe->stored_size - offset;
        const size_t part = left < KEYFRAME_PART_MAX ? left : KEYFRAME_PART_MAX;
        iso__write_bytes(&writer, stored + offset, part);
        iso__frame_end(&writer, start, ISO_RECORDING_PAYLOAD_SIZE_MAX, &moved);
        offset += part;
        if (offset == keyframe->stored_size) {
            return writer_result(&writer, chain, moved);
        }
        start = iso__frame_begin(&writer, ISO_RECORDING_CHUNK, 0);
    }
}

static void write_commands(iso__recording_writer *writer, const iso_tick_input *input) {
    iso__write_varint(writer, input->command_count);
    for (uint32_t i = 0; i < input->command_count; ++i) {
        const iso_sealed_command *command = &input->commands[i];
        uint8_t canonical[ISO_COMMAND_SIZE_MAX];
        const size_t size = iso_command_encode(&command->command, canonical, sizeof canonical);
        if (size == 0 || command->sequence > ISO__RECORDING_NUMBER_MAX) {
            writer->has_failed = true;
            return;
        }
        iso__recording_write_command(writer, command, canonical, size);
    }
}

/// Begins a TICK frame and writes all before the changes. @return where it begins
static size_t tick_begin(iso__recording_writer *writer, const iso_recording_tick *tick, uint8_t input_flags) {
    const uint64_t lag = tick->has_root ? tick->input.tick - tick->hashed_tick : 0;
    const uint8_t root_flags = tick->has_root ? (uint8_t)(lag > 2 ? 3 : lag + 1) : 0;
    const size_t start = iso__frame_begin(writer, ISO_RECORDING_TICK, (uint8_t)(root_flags | input_flags));
    iso__write_varint(writer, tick->input.tick);
    if (tick->has_root) {
        if (lag >= 2) {
            iso__write_varint(writer, lag);
        }
        iso__write_uint(writer, tick->root, 8);
    }
    return start;
}

static bool tick_is_good(const iso_recording_tick *tick) {
    return tick->input.tick > 0 && tick->input.tick <= ISO__RECORDING_NUMBER_MAX &&
           (!tick->has_root || tick->hashed_tick <= tick->input.tick);
}

size_t iso_recording_encode_tick(const iso_recording_tick *tick, iso_recording_chain *chain, uint8_t *bytes,
                                 size_t capacity) {
    ISO_ASSERT(iso__recording_chain_is_known(chain));
    iso__recording_writer writer = {.bytes = bytes, .capacity = capacity};
    iso_recording_chain moved = *chain;
    const iso_tick_input *input = &tick->input;
    if (!tick_is_good(tick) || input->change_count > ISO_TICK_CHANGES_MAX ||
        input->command_count > ISO_TICK_COMMANDS_MAX) {
        return 0;
    }
    const size_t start = tick_begin(&writer, tick, iso__recording_input_flags(input));
    if (input->change_count > 0) {
        iso__recording_write_changes(&writer, input);
    }
    if (input->command_count > 0) {
        write_commands(&writer, input);
    }
    iso__frame_end(&writer, start, ISO_RECORDING_PAYLOAD_SIZE_MAX, &moved);
    return writer_result(&writer, chain, moved);
}

size_t iso_recording_encode_sealed_tick(const iso_recording_tick *tick, const uint8_t *sealed, size_t sealed_size,
                                        iso_recording_chain *chain, uint8_t *bytes, size_t capacity) {
    ISO_ASSERT(iso__recording_chain_is_known(chain) && sealed_size > 0);
    ISO_ASSERT((sealed[0] & ~(ISO__RECORDING_TICK_CHANGES | ISO__RECORDING_TICK_COMMANDS)) == 0);
    iso__recording_writer writer = {.bytes = bytes, .capacity = capacity};
    iso_recording_chain moved = *chain;
    if (!tick_is_good(tick)) {
        return 0;
    }
    const size_t start = tick_begin(&writer, tick, sealed[0]);
    iso__write_bytes(&writer, sealed + 1, sealed_size - 1);
    iso__frame_end(&writer, start, ISO_RECORDING_PAYLOAD_SIZE_MAX, &moved);
    return writer_result(&writer, chain, moved);
}

size_t iso_recording_encode_event(const iso_recording_event *event, iso_recording_chain *chain, uint8_t *bytes,
                                  size_t capacity) {
    ISO_ASSERT(iso__recording_chain_is_known(chain));
    iso__recording_writer writer = {.bytes = bytes, .capacity = capacity};
    iso_recording_chain moved = *chain;
    if (event->about_tick > ISO__RECORDING_NUMBER_MAX) {
        return 0;
    }
    const size_t start = iso__frame_begin(&writer, ISO_RECORDING_EVENT, 0);
    iso__write_uint(&writer, event->kind, 1);
    iso__write_uint(&writer, event->slot, 1);
    iso__write_varint(&writer, event->slot_generation);
    iso__write_uint(&writer, (uint32_t)event->status, 4);
    iso__write_varint(&writer, event->about_tick);
    iso__write_uint(&writer, event->root, 8);
    iso__write_uint(&writer, event->other_root, 8);
    iso__write_text(&writer, event->name, ISO_RECORDING_TEXT_MAX);
    iso__frame_end(&writer, start, ISO_RECORDING_PAYLOAD_SIZE_MAX, &moved);
    return writer_result(&writer, chain, moved);
}

size_t iso_recording_encode_mark(const iso_recording_mark *mark, iso_recording_chain *chain, uint8_t *bytes,
                                 size_t capacity) {
    ISO_ASSERT(iso__recording_chain_is_known(chain));
    iso__recording_writer writer = {.bytes = bytes, .capacity = capacity};
    iso_recording_chain moved = *chain;
    if (mark->salt == 0 || mark->offset > ISO__RECORDING_NUMBER_MAX || mark->durable_offset > mark->offset ||
        mark->durable_tick > ISO__RECORDING_NUMBER_MAX) {
        return 0;
    }
    const size_t start = iso__frame_begin(&writer, ISO_RECORDING_MARK, 0);
    iso__write_uint(&writer, mark->salt, 8);
    iso__write_varint(&writer, mark->offset);
    iso__write_varint(&writer, mark->offset - mark->durable_offset);
    iso__write_varint(&writer, mark->durable_tick);
    if (!writer.has_failed) {
        const size_t payload = start + ISO_RECORDING_FRAME_HEAD_SIZE;
        iso__write_uint(&writer, iso_crc32c(0, bytes + payload, writer.size - payload), 4);
    }
    iso__frame_end(&writer, start, ISO_RECORDING_PAYLOAD_SIZE_MAX, &moved);
    return writer_result(&writer, chain, moved);
}

size_t iso_recording_end_bound(uint32_t entry_count) {
    return ISO_RECORDING_FRAME_EXTRA_SIZE + ISO_RECORDING_TRAILER_SIZE + 32u + (size_t)entry_count * 16u;
}

size_t iso_recording_encode_end(const iso_recording_footer *footer, uint64_t offset, iso_recording_chain *chain,
                                uint8_t *bytes, size_t capacity) {
    ISO_ASSERT(iso__recording_chain_is_known(chain));
    iso__recording_writer writer = {.bytes = bytes, .capacity = capacity};
    iso_recording_chain moved = *chain;
    if (footer->last_tick > ISO__RECORDING_NUMBER_MAX || footer->entry_count > ISO_RECORDING_INDEX_MAX ||
        (footer->has_root && footer->root_tick > footer->last_tick)) {
        return 0;
    }
    const uint8_t flags = (uint8_t)((footer->is_degraded ? ISO__RECORDING_FOOTER_DEGRADED : 0) |
                                    (footer->has_root ? ISO__RECORDING_FOOTER_ROOT : 0) |
                                    (footer->goes_on && chain->version > 1 ? ISO__RECORDING_FOOTER_GOES_ON : 0));
    const size_t start = iso__frame_begin(&writer, ISO_RECORDING_FOOTER, flags);
    iso__write_varint(&writer, footer->last_tick);
    if (footer->has_root) {
        iso__write_varint(&writer, footer->last_tick - footer->root_tick);
        iso__write_uint(&writer, footer->root, 8);
    }
    iso__write_varint(&writer, footer->entry_count);
    iso_recording_index_entry before = {0};
    for (uint32_t i = 0; i < footer->entry_count; ++i) {
        iso__write_varint(&writer, footer->entries[i].tick - before.tick);
        iso__write_varint(&writer, footer->entries[i].offset - before.offset);
        before = footer->entries[i];
    }
    iso__frame_end(&writer, start, ISO_RECORDING_PAYLOAD_SIZE_MAX, &moved);
    const size_t trailer = writer.size;
    iso__write_uint(&writer, offset, 8);
    iso__write_bytes(&writer, ISO__RECORDING_TRAILER_MAGIC, 4);
    if (!writer.has_failed) {
        iso__write_uint(&writer, iso_crc32c(0, bytes + trailer, 12), 4);
    }
    return writer_result(&writer, chain, moved);
}
