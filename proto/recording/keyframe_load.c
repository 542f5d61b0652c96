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
        const bool fits = iso__recording_next_part(recording, &offset, loaded, &part, &part_size);
        status = fits ? load_part(stream, &output, part, part_size, &ended) : ISO_ERR_CORRUPT;
        loaded += part_size;
    }
    ZSTD_freeDStream(stream);
    return status != ISO_OK || (ended && output.pos == output.size) ? status : ISO_ERR_CORRUPT;
}
