/// Reading the payloads of single frames. Each function checks all of a frame's form, since a file can come from
/// anywhere; what frames must be to each other is checked in recording.c.
#include "recording/bytes.h"

static void read_changes(iso__recording_reader *reader, iso_change *changes, iso_tick_input *input) {
    input->change_count = (uint32_t)iso__read_varint(reader, ISO_TICK_CHANGES_MAX);
    if (input->change_count == 0) {
        reader->has_failed = true;
    }
    for (uint32_t i = 0; i < input->change_count && !reader->has_failed; ++i) {
        iso_change change = {0};
        change.kind = (uint8_t)iso__read_uint(reader, 1);
        change.slot = (uint8_t)iso__read_uint(reader, 1);
        change.slot_generation = (uint32_t)iso__read_varint(reader, UINT32_MAX);
        if (change.kind < ISO_CHANGE_JOIN || change.kind > ISO_CHANGE_RESUME || change.slot >= ISO_SLOT_COUNT_MAX) {
            reader->has_failed = true;
        }
        if (changes != NULL) {
            changes[i] = change;
        }
    }
    input->changes = changes;
}

static void read_command(iso__recording_reader *reader, iso_sealed_command *command) {
    command->slot = (uint8_t)iso__read_uint(reader, 1);
    command->sequence = iso__read_varint(reader, ISO__RECORDING_NUMBER_MAX);
    command->moved = (uint8_t)iso__read_uint(reader, 1);
    const size_t size = (size_t)iso__read_varint(reader, ISO_COMMAND_SIZE_MAX);
    const uint8_t *bytes = iso__read_bytes(reader, size);
    if (bytes == NULL || command->slot >= ISO_SLOT_COUNT_MAX ||
        iso_command_decode(bytes, size, &command->command) != ISO_OK) {
        reader->has_failed = true;
    }
}

static void read_commands(iso__recording_reader *reader, iso_sealed_command *commands, iso_tick_input *input) {
    input->command_count = (uint32_t)iso__read_varint(reader, ISO_TICK_COMMANDS_MAX);
    if (input->command_count == 0) {
        reader->has_failed = true;
    }
    iso_sealed_command single;
    uint32_t slot_before = 0;
    uint64_t sequence_before = 0;
    for (uint32_t i = 0; i < input->command_count && !reader->has_failed; ++i) {
        iso_sealed_command *command = commands != NULL ? &commands[i] : &single;
        read_command(reader, command);
        const bool rises = i == 0 || command->slot > slot_before ||
                           (command->slot == slot_before && command->sequence > sequence_before);
        if (!rises) {
            reader->has_failed = true;
        }
        slot_before = command->slot;
        sequence_before = command->sequence;
    }
    input->commands = commands;
}

/// What stands before the changes and commands.
static void read_tick_head(iso__recording_reader *reader, uint32_t root_mode, iso_recording_tick *tick) {
    memset(tick, 0, sizeof *tick);
    tick->input.tick = iso__read_varint(reader, ISO__RECORDING_NUMBER_MAX);
    if (root_mode != 0) {
        const uint64_t lag = root_mode < 3 ? root_mode - 1u : iso__read_varint(reader, ISO__RECORDING_NUMBER_MAX);
        if (lag > tick->input.tick || (root_mode == 3 && lag < 2)) {
            reader->has_failed = true;
            return;
        }
        tick->has_root = true;
        tick->hashed_tick = tick->input.tick - lag;
        tick->root = iso__read_uint(reader, 8);
    }
}

static bool read_tick(const iso_recording_frame *frame, iso_recording_tick_buffer *buffer, iso_recording_tick *tick) {
    iso__recording_reader reader = {.bytes = frame->payload, .size = frame->size};
    read_tick_head(&reader, frame->flags & ISO__RECORDING_TICK_ROOT, tick);
    if ((frame->flags & ISO__RECORDING_TICK_CHANGES) != 0) {
        read_changes(&reader, buffer != NULL ? buffer->changes : NULL, &tick->input);
    }
    if ((frame->flags & ISO__RECORDING_TICK_COMMANDS) != 0) {
        read_commands(&reader, buffer != NULL ? buffer->commands : NULL, &tick->input);
    }
    return iso__reader_is_done(&reader) && tick->input.tick > 0;
}

bool iso__recording_check_tick(const iso_recording_frame *frame, iso_recording_tick *tick) {
    ISO_ASSERT(frame->type == ISO_RECORDING_TICK && iso__recording_frame_is_bounded(frame));
    return read_tick(frame, NULL, tick);
}

iso_status iso_recording_read_tick(const iso_recording_frame *frame, iso_recording_tick_buffer *buffer,
                                   iso_recording_tick *tick) {
    ISO_ASSERT(buffer != NULL && iso__recording_frame_is_bounded(frame));
    return frame->type == ISO_RECORDING_TICK && read_tick(frame, buffer, tick) ? ISO_OK : ISO_ERR_CORRUPT;
}

iso_status iso_recording_read_root(const iso_recording_frame *frame, iso_recording_tick *tick) {
    ISO_ASSERT(iso__recording_frame_is_bounded(frame));
    iso__recording_reader reader = {.bytes = frame->payload, .size = frame->size};
    read_tick_head(&reader, frame->flags & ISO__RECORDING_TICK_ROOT, tick);
    return frame->type == ISO_RECORDING_TICK && !reader.has_failed ? ISO_OK : ISO_ERR_CORRUPT;
}

bool iso__recording_read_keyframe_part(const iso_recording_frame *frame, iso_recording_keyframe *keyframe,
                                       const uint8_t **part, uint32_t *part_size) {
    ISO_ASSERT(frame->type == ISO_RECORDING_KEYFRAME && iso__recording_frame_is_bounded(frame));
    iso__recording_reader reader = {.bytes = frame->payload, .size = frame->size};
    memset(keyframe, 0, sizeof *keyframe);
    keyframe->tick = iso__read_varint(&reader, ISO__RECORDING_NUMBER_MAX);
    keyframe->root = iso__read_uint(&reader, 8);
    keyframe->raw_size = (uint32_t)iso__read_varint(&reader, ISO_RECORDING_SNAPSHOT_SIZE_MAX);
    keyframe->stored_size = (uint32_t)iso__read_varint(&reader, ISO_RECORDING_SNAPSHOT_SIZE_MAX);
    keyframe->ticks_offset = iso__read_varint(&reader, ISO__RECORDING_NUMBER_MAX);
    keyframe->offset = frame->offset;
    *part_size = (uint32_t)(reader.size - reader.offset);
    *part = iso__read_bytes(&reader, *part_size);
    return !reader.has_failed && keyframe->raw_size > 0 && *part_size > 0 && *part_size <= keyframe->stored_size;
}

iso_status iso_recording_read_keyframe(const iso_recording_frame *frame, iso_recording_keyframe *keyframe) {
    ISO_ASSERT(iso__recording_frame_is_bounded(frame));
    const uint8_t *part;
    uint32_t part_size;
    return frame->type == ISO_RECORDING_KEYFRAME &&
                   iso__recording_read_keyframe_part(frame, keyframe, &part, &part_size)
               ? ISO_OK
               : ISO_ERR_CORRUPT;
}

iso_status iso_recording_read_event(const iso_recording_frame *frame, iso_recording_event *event) {
    ISO_ASSERT(iso__recording_frame_is_bounded(frame));
    iso__recording_reader reader = {.bytes = frame->payload, .size = frame->size};
    memset(event, 0, sizeof *event);
    event->kind = (uint8_t)iso__read_uint(&reader, 1);
    event->slot = (uint8_t)iso__read_uint(&reader, 1);
    event->slot_generation = (uint32_t)iso__read_varint(&reader, UINT32_MAX);
    event->status = (int32_t)(uint32_t)iso__read_uint(&reader, 4);
    event->about_tick = iso__read_varint(&reader, ISO__RECORDING_NUMBER_MAX);
    event->root = iso__read_uint(&reader, 8);
    event->other_root = iso__read_uint(&reader, 8);
    iso__read_text(&reader, event->name, ISO_RECORDING_TEXT_MAX);
    const bool known = event->kind >= ISO_RECORDING_EVENT_MEMBER && event->kind <= ISO_RECORDING_EVENT_HEALED;
    return frame->type == ISO_RECORDING_EVENT && iso__reader_is_done(&reader) && known ? ISO_OK : ISO_ERR_CORRUPT;
}

iso_status iso_recording_read_mark(const iso_recording_frame *frame, iso_recording_mark *mark) {
    ISO_ASSERT(iso__recording_frame_is_bounded(frame));
    iso__recording_reader reader = {.bytes = frame->payload, .size = frame->size};
    memset(mark, 0, sizeof *mark);
    mark->salt = iso__read_uint(&reader, 8);
    mark->offset = iso__read_varint(&reader, ISO__RECORDING_NUMBER_MAX);
    mark->durable_offset = mark->offset - iso__read_varint(&reader, mark->offset);
    mark->durable_tick = iso__read_varint(&reader, ISO__RECORDING_NUMBER_MAX);
    const size_t covered = reader.offset;
    const bool is_right = iso__read_uint(&reader, 4) == iso_crc32c(0, frame->payload, covered);
    const bool is_mark = frame->type == ISO_RECORDING_MARK && iso__reader_is_done(&reader);
    return is_mark && is_right && mark->salt != 0 ? ISO_OK : ISO_ERR_CORRUPT;
}

bool iso__recording_read_footer(const iso_recording_frame *frame, iso_recording_footer *footer,
                                iso__recording_reader *entries) {
    ISO_ASSERT(frame->type == ISO_RECORDING_FOOTER && iso__recording_frame_is_bounded(frame));
    iso__recording_reader reader = {.bytes = frame->payload, .size = frame->size};
    memset(footer, 0, sizeof *footer);
    footer->is_degraded = (frame->flags & ISO__RECORDING_FOOTER_DEGRADED) != 0;
    footer->has_root = (frame->flags & ISO__RECORDING_FOOTER_ROOT) != 0;
    footer->goes_on = (frame->flags & ISO__RECORDING_FOOTER_GOES_ON) != 0;
    footer->last_tick = iso__read_varint(&reader, ISO__RECORDING_NUMBER_MAX);
    if (footer->has_root) {
        footer->root_tick = footer->last_tick - iso__read_varint(&reader, footer->last_tick);
        footer->root = iso__read_uint(&reader, 8);
    }
    footer->entry_count = (uint32_t)iso__read_varint(&reader, ISO_RECORDING_INDEX_MAX);
    *entries = reader;
    iso_recording_index_entry entry = {0};
    for (uint32_t i = 0; i < footer->entry_count && !reader.has_failed; ++i) {
        iso__recording_read_entry(&reader, &entry);
    }
    return iso__reader_is_done(&reader);
}

void iso__recording_read_entry(iso__recording_reader *entries, iso_recording_index_entry *entry) {
    ISO_ASSERT(entries->offset <= entries->size);
    entry->tick += iso__read_varint(entries, ISO__RECORDING_NUMBER_MAX);
    entry->offset += iso__read_varint(entries, ISO__RECORDING_NUMBER_MAX);
}
