/// Which recordings not everybody may have: those of sessions that are private or have a password. That outlives the
/// session: the file of its settings (host/recordings/settings.h) stands beside its recordings, NAME-UID.settings
/// beside NAME-UID-EPOCH.isr.
#ifndef ISO_HOST_RESTRICTED_H
#define ISO_HOST_RESTRICTED_H

#include <stdbool.h>
#include <stddef.h>

#include "host/recordings/disk.h"

/// Zeros are none.
typedef struct iso__restricted {
    char (*sessions)[ISO__DISK_NAME_SIZE]; // NAME-UID, sorted
    size_t count;
} iso__restricted;

/// Looks for all in the folder. @return false: it cannot be read, or there is no memory; iso__restricted_term has to be
/// called nevertheless
bool iso__restricted_read(iso__restricted *restricted, const iso__disk *disk);
void iso__restricted_term(iso__restricted *restricted);

/// Whether the file of this name is one of theirs.
bool iso__restricted_has(const iso__restricted *restricted, const char *recording);

/// The same of one file, without a look at the folder.
bool iso__restricted_is(const iso__disk *disk, const char *recording);

#endif
