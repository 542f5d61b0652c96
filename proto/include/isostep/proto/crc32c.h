/// CRC-32C (Castagnoli, reflected): the checksum with which every frame of a recording ends. Usable without a C
/// library.
#ifndef ISOSTEP_PROTO_CRC32C_H
#define ISOSTEP_PROTO_CRC32C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// May be called from any thread.
///
/// @param crc   0, or the result for the bytes before
/// @param size  of the bytes
/// @return the checksum of all bytes so far
uint32_t iso_crc32c(uint32_t crc, const uint8_t *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
