/// Which recordings not everybody may have: those of sessions that are private or have a password. That outlives the
/// session: the file of its settings (host/recordings/settings.h) stands beside its recordings, NAME-UID.settings
/// beside NAME-UID-EPOCH.isr.
#ifndef ISO_HOST_HIDDEN_H
#define ISO_HOST_HIDDEN_H

#include <stdbool.h>
#include <stddef.h>

#include "host/recordings/disk.h"

/// Zeros are none.
typedef struct iso__hidden {
    char (*sessions)[ISO__DISK_NAME_SIZE]; // NAME-UID, sorted
    size_t count;
} iso__hidden;

/// Looks for all in the folder. @return false: it cannot be read, or there is no memory; iso__hidden_term has to be
/// called nevertheless
bool iso__hidden_read(iso__hidden *hidden, const iso__disk *disk);
void iso__hidden_term(iso__hidden *hidden);

/// Whether the file of this name is one of theirs.
bool iso__hidden_has(const iso__hidden *hidden, const char *recording);

/// The same of one file, without a look at the folder.
bool iso__hidden_is(const iso__disk *disk, const char *recording);

#endif
