/// Changes to the files that a server has left: noted while something can still fail (recovery_files.h), applied later.
#ifndef ISO_HOST_RECOVERY_CHANGES_H
#define ISO_HOST_RECOVERY_CHANGES_H

#include "host/start/recovery.h"

/// Applies the noted changes. A failure is logged and does no harm.
/// @return false: the file that is continued could not be sealed, and must keep its name
bool iso__recovery_commit(iso__recovery *recovery, const iso__disk *disk);

/// Cuts a torn end off, after it was kept, and writes the end of a sealed file; syncs. @return ISO_OK; ISO_ERR_IO after
/// a message
iso_status iso__recovery_seal(const iso__recovery *recovery, int folder, const char *name);

#endif
