/// Small files that are written whole: a reader, or a start after a power cut, finds the old content or the new one.
#ifndef ISO_BASE_WHOLE_FILE_H
#define ISO_BASE_WHOLE_FILE_H

#include <stddef.h>

#include "isostep/status.h"

/// Writes it beside the file, as NAME.part, for the owner alone, syncs and renames it.
/// @param folder  open, or AT_FDCWD @return ISO_OK; ISO_ERR_IO, with errno: the file is as it was
iso_status iso__whole_file_write(int folder, const char *name, const void *bytes, size_t size);

#endif
