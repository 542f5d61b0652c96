/// The state in a keyframe: decompressed piece by piece, since large ones stand in several frames.
#include <zstd.h>

#include "recording/bytes.h"

static iso_status load_part(ZSTD_DStream *stream, ZSTD_outBuffer *out, const uint8_t *part, size_t size, bool *ended) {
    ZSTD_inBuffer in = {.src = part, .size = size};
    while (in.pos < in.size) {
        if (*ended) {
            return ISO_ERR_CORRUPT;
        }
        const size_t in_before = in.pos;
        const size_t out_before = out->pos;
        const size_t left = ZSTD_decompressStream(stream, out, &in);
        if (ZSTD_isError(left)) {
            return ISO_ERR_CORRUPT;
        }
        *ended = left == 0;
        if (in.pos == in_before && out->pos == out_before) {
            return ISO_ERR_CORRUPT;
        }
    }
    return ISO_OK;
}

/// The next frame's part of a keyframe's stored bytes. @param loaded  how many were there before it
static bool next_part(const iso_recording *recording, uint64_t *offset, uint32_t loaded, const uint8_t **part,
                      uint32_t *part_size) {
    iso_recording_frame frame;
    iso_recording_keyframe head;
    if (!iso_recording_next(recording, offset, &frame)) {
        return false;
    }
    *part = frame.payload;
    *part_size = frame.size;
    return loaded > 0 ? frame.type == ISO_RECORDING_CHUNK
                      : frame.type == ISO_RECORDING_KEYFRAME &&
                            iso__recording_read_keyframe_part(&frame, &head, part, part_size);
}

iso_status iso_recording_read_stored(const iso_recording *recording, const iso_recording_keyframe *keyframe,
                                     uint8_t *stored) {
    ISO_ASSERT(keyframe->offset <= recording->frames_end);
    uint64_t offset = keyframe->offset;
    uint32_t loaded = 0;
    while (loaded < keyframe->stored_size) {
        const uint8_t *part;
        uint32_t part_size;
        if (!next_part(recording, &offset, loaded, &part, &part_size) || part_size > keyframe->stored_size - loaded) {
            return ISO_ERR_CORRUPT;
        }
        memcpy(stored + loaded, part, part_size);
        loaded += part_size;
    }
    return ISO_OK;
}

iso_status iso_recording_load_keyframe(const iso_recording *recording, const iso_recording_keyframe *keyframe,
                                       uint8_t *out) {
    ISO_ASSERT(keyframe->offset <= recording->frames_end);
    ZSTD_DStream *stream = ZSTD_createDStream();
    if (stream == NULL) {
        return ISO_ERR_MEMORY;
    }
    ZSTD_outBuffer output = {.dst = out, .size = keyframe->raw_size};
    uint64_t offset = keyframe->offset;
    uint32_t loaded = 0;
    bool ended = false;
    iso_status status = ISO_OK;
    while (status == ISO_OK && loaded < keyframe->stored_size) {
        const uint8_t *part = NULL;
        uint32_t part_size = 0;
        const bool fits = next_part(recording, &offset, loaded, &part, &part_size);
        status = fits ? load_part(stream, &output, part, part_size, &ended) : ISO_ERR_CORRUPT;
        loaded += part_size;
    }
    ZSTD_freeDStream(stream);
    return status != ISO_OK || (ended && output.pos == output.size) ? status : ISO_ERR_CORRUPT;
}
