/// Compression of snapshots, for recordings and for the wire: one Zstandard frame each (RFC 8878).
///
/// Only hosts call this; the state machines pass compressed bytes through. Both functions allocate
/// their working memory and free it before they return; they keep no state.
#ifndef ISOSTEP_PROTO_COMPRESSION_H
#define ISOSTEP_PROTO_COMPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "isostep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that always suffice for the compressed form of `size` bytes.
size_t iso_compress_bound(size_t size);

/// Compresses `size` bytes into one Zstandard frame that names its content size.
/// @param capacity  iso_compress_bound(size) always suffices
/// @return the bytes written, or 0 when they do not fit or memory is missing
size_t iso_compress(const uint8_t *bytes, size_t size, uint8_t *out, size_t capacity);

/// Decompresses one whole frame. The bytes need not be trusted; nothing is written beyond `raw_size`.
/// @param raw_size  the exact size that the frame must have after decompression
/// @return ISO_OK; ISO_ERR_CORRUPT (not one frame, or another size); ISO_ERR_MEMORY.
iso_status iso_decompress(const uint8_t *bytes, size_t size, uint8_t *out, size_t raw_size);

#ifdef __cplusplus
}
#endif

#endif
