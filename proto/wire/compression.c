/// Compression by libzstd. Level 1: a keyframe must not keep the recorder from its ticks, and a higher
/// level saves less than a tenth on snapshots.
#include "isostep/proto/compression.h"

#include <zstd.h>
#include <zstd_errors.h>

#include "isostep/assert.h"

#define COMPRESSION_LEVEL 1

size_t iso_compress_bound(size_t size) {
    return ZSTD_compressBound(size);
}

size_t iso_compress(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity) {
    ISO_ASSERT((bytes != NULL || size == 0) && (out != NULL || capacity == 0));
    const size_t written = ZSTD_compress(out, capacity, bytes, size, COMPRESSION_LEVEL);
    return ZSTD_isError(written) ? 0 : written;
}

iso_status iso_decompress(const uint8_t *bytes, size_t size, uint8_t *out, size_t raw_size) {
    ISO_ASSERT((bytes != NULL || size == 0) && (out != NULL || raw_size == 0));
    // Zstandard takes several frames in a row for one; ours are single, so that equal means equal.
    const size_t frame_size = ZSTD_findFrameCompressedSize(bytes, size);
    if (ZSTD_isError(frame_size) || frame_size != size) {
        return ISO_ERR_CORRUPT;
    }
    const size_t written = ZSTD_decompress(out, raw_size, bytes, size);
    if (ZSTD_isError(written)) {
        return ZSTD_getErrorCode(written) == ZSTD_error_memory_allocation ? ISO_ERR_MEMORY : ISO_ERR_CORRUPT;
    }
    return written == raw_size ? ISO_OK : ISO_ERR_CORRUPT;
}
