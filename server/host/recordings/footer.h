/// What the end of a sealed recording says. Only the end is read, since there may be very many files.
#ifndef ISO_HOST_FOOTER_H
#define ISO_HOST_FOOTER_H

#include <stdbool.h>

#include "host/recordings/disk.h"

/// Whether a session continues from a sealed file of the folder, by its end. A file that cannot be read counts as such.
bool iso__footer_goes_on(const iso__disk *disk, const char *name);

/// The same of an open file. One with a damaged end counts as such: it is then read as a whole, and refused by name.
/// @return false: it cannot be read
bool iso__footer_read(int file, bool *goes_on);

#endif
