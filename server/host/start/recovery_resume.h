/// --resume and --rewind: a session that continues from a file that is named.
#ifndef ISO_HOST_RECOVERY_RESUME_H
#define ISO_HOST_RECOVERY_RESUME_H

#include "host/start/recovery.h"

/// Opens a file that is to be continued; if the folder has newer files of its session that came from it, the newest of
/// these.
/// @param disk  of the recordings, to find newer files and the next epoch; or NULL
/// @param goes_back  newer files do not matter
/// @param ignores_others  recordings of another session of this name in the folder are ignored from now on, else an
/// error
/// @return false after a message; also when newer files of its session did not come from it
bool iso__recovery_open(iso__recovery *recovery, const iso__disk *disk, const char *path, bool goes_back,
                        bool ignores_others);

#endif
