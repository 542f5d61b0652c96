#include "recorder_buffer.h"

#include <string.h>

#include "isostep/assert.h"

uint64_t iso__recorder_next_offset(const iso_recorder *recorder) {
    return recorder->file_size + recorder->buffer_used;
}

uint8_t *iso__recorder_buffer_end(const iso_recorder *recorder) {
    return recorder->buffer + recorder->buffer_start + recorder->buffer_used;
}

size_t iso__recorder_buffer_room(const iso_recorder *recorder) {
    return recorder->buffer_size - recorder->buffer_start - recorder->buffer_used;
}

void iso__recorder_put_data(iso_recorder *recorder, size_t size) {
    ISO_ASSERT(size <= iso__recorder_buffer_room(recorder));
    recorder->buffer_used += size;
    recorder->data_end = size > 0 ? iso__recorder_next_offset(recorder) : recorder->data_end;
}

void iso__recorder_buffer_drop(iso_recorder *recorder, size_t size) {
    ISO_ASSERT(size <= recorder->buffer_used);
    recorder->buffer_start += size;
    recorder->buffer_used -= size;
    if (recorder->buffer_used <= recorder->buffer_start) {
        memcpy(recorder->buffer, recorder->buffer + recorder->buffer_start, recorder->buffer_used);
        recorder->buffer_start = 0;
    }
}
