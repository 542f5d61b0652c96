/// Whole files, read into memory. When a file shrinks or fails meanwhile that is an error, where a mapping would raise
/// a signal.
#ifndef ISO_BASE_FILE_H
#define ISO_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "isostep/status.h"

/// Reads a regular file; anything else (such as a FIFO, which might never end) is refused without waiting.
///
/// @param folder  open, or AT_FDCWD
/// @param bytes   from the heap, with a zero after `size` bytes; to be freed by the caller, also when the file is empty
/// @param what    on failure: the reason, in a few words
/// @return ISO_OK; ISO_ERR_IO; ISO_ERR_MEMORY; ISO_ERR_RANGE: it is larger than `size_max`
iso_status iso__file_read(int folder, const char *name, size_t size_max, uint8_t **bytes, size_t *size,
                          const char **what);

/// The same of a file that says who may do what: also refused (ISO_ERR_IO) when it belongs to another user than root
/// and this process's, or when others than its user may write to it.
iso_status iso__file_read_own(int folder, const char *name, size_t size_max, uint8_t **bytes, size_t *size,
                              const char **what);

#endif
