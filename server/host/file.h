/// Whole files, read into memory: a file that shrinks or fails meanwhile is an error, where a mapping would be a signal.
#ifndef ISO_HOST_FILE_H
#define ISO_HOST_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "isostep/status.h"

/// Reads a regular file; anything else (a FIFO, which might never end) is refused without waiting for it.
///
/// @param folder  open, or AT_FDCWD
/// @param bytes   from the heap, one zero more than `size`; the caller's to free, also when there are none
/// @param what    when it fails: why, in a few words
/// @return ISO_OK; ISO_ERR_IO; ISO_ERR_MEMORY; ISO_ERR_RANGE: it is larger than `size_max`
iso_status iso__file_read(int folder, const char *name, size_t size_max, uint8_t **bytes, size_t *size,
                          const char **what);

#endif
