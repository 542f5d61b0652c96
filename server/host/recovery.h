/// Going on from a recording: what a killed server left in its folder, or a file that is named.
///
/// A file that a crash left has a torn end. It is cut behind its last whole tick and gets the end of a
/// sealed one, but it keeps its .part name until the session's next file has a tick: whenever the
/// server is killed again, one of the two is there to go on from.
#ifndef ISO_HOST_RECOVERY_H
#define ISO_HOST_RECOVERY_H

#include <stdbool.h>

#include "host/disk.h"
#include "host/roster.h"
#include "host/setup.h"
#include "isostep/proto/recording.h"
#include "session/recorder.h"
#include "session/session.h"

/// Ticks that are stepped again before the last one, at least: for clients that come back a little behind.
#define ISO__RECOVERY_TICKS 600u

typedef struct iso__recovery {
    bool found;
    const uint8_t *bytes;     // of the file, mapped
    size_t size;
    iso_recording recording;
    uint32_t next_epoch;
    char part_name[ISO_RECORDER_NAME_SIZE];   // of a file in the folder that is to be renamed; "": none
    char final_name[ISO_RECORDER_NAME_SIZE];
    iso__roster roster;       // after iso__recovery_replay
} iso__recovery;

/// Looks for what a session of this name has left. Files that cannot be gone on from are put aside, those
/// that need not be are sealed. @return false after a message: the folder cannot be read
bool iso__recovery_find(iso__recovery *recovery, const iso__disk *disk, const char *session);

/// Opens a file that is to be gone on from.
/// @param disk  of the recordings, to find the next epoch; or NULL
/// @return false after a message
bool iso__recovery_open(iso__recovery *recovery, const iso__disk *disk, const char *path);

/// Makes a world from a keyframe of the recording. @return false after a message
bool iso__recovery_make_world(const iso__recovery *recovery, iso__setup *setup, const iso__setup_request *request);

/// Hands the session what the recording holds behind its world's tick. @return false after a message
bool iso__recovery_replay(iso__recovery *recovery, iso_session *session);

/// Renames a file that turned out to be damaged, so that nobody trusts it again, and says so.
void iso__recovery_put_aside(const iso__disk *disk, const char *name, const char *why);

void iso__recovery_close(iso__recovery *recovery);

/// @name Files
/// @{

/// Maps a file and reads it as a recording. @return ISO_OK; what iso_recording_open gives; ISO_ERR_IO
iso_status iso__recovery_map(iso__recovery *recovery, int folder, const char *name, iso_recording_mode mode, iso_recording_error *error);

/// Cuts a torn end off and writes the end of a sealed file; syncs. @return ISO_OK; ISO_ERR_IO after a message
iso_status iso__recovery_seal(const iso__recovery *recovery, int folder, const char *name);
/// @}

#endif
