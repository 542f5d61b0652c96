/// Right checksums for a recording whose bytes were changed, for tests of what stands behind them.
#ifndef ISO_TESTS_RECORDING_REPAIR_H
#define ISO_TESTS_RECORDING_REPAIR_H

#include "recording/bytes.h"

/// Goes over frames as far as their sizes lead and writes their checksums, as the head's and the trailer's.
static inline void recording_repair(uint8_t *bytes, size_t size) {
    if (size < ISO_RECORDING_FILE_HEAD_SIZE) {
        return;
    }
    iso__recording_writer crc = {.bytes = bytes + 12, .capacity = 4};
    iso_recording_chain chain = {.version = bytes[8], .checksum = iso_crc32c(0, bytes, 12)};
    iso__write_uint(&crc, chain.checksum, 4);
    size_t at = ISO_RECORDING_FILE_HEAD_SIZE;
    while (size - at >= ISO_RECORDING_FRAME_EXTRA_SIZE) {
        iso__recording_reader head = {.bytes = bytes + at + 2, .size = 4};
        const uint64_t payload = iso__read_uint(&head, 4);
        if (payload > size - at - ISO_RECORDING_FRAME_EXTRA_SIZE) {
            return;
        }
        const size_t covered = ISO_RECORDING_FRAME_HEAD_SIZE + (size_t)payload;
        if (bytes[at] == ISO_RECORDING_MARK && payload > 4) {
            crc = (iso__recording_writer){.bytes = bytes + at + covered - 4, .capacity = 4};
            iso__write_uint(&crc, iso_crc32c(0, bytes + at + ISO_RECORDING_FRAME_HEAD_SIZE, (size_t)payload - 4), 4);
        }
        chain.checksum = iso__frame_checksum(&chain, bytes + at, covered);
        crc = (iso__recording_writer){.bytes = bytes + at + covered, .capacity = 4};
        iso__write_uint(&crc, chain.checksum, 4);
        at += covered + 4;
        if (size - at == ISO_RECORDING_TRAILER_SIZE) {
            crc = (iso__recording_writer){.bytes = bytes + size - 4, .capacity = 4};
            iso__write_uint(&crc, iso_crc32c(0, bytes + at, 12), 4);
            return;
        }
    }
}

#endif
