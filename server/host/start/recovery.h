/// Continuing from a recording: one that a killed server left in its folder, or a file that is named.
///
/// A file that a crash left has a torn end. It is cut after its last complete tick and gets the end of a sealed file,
/// but it keeps its .part name until the session's next file has a tick: whenever the server is killed again, one of
/// the two can be continued.
///
/// First all recordings of all sessions are read and checked. Changes to files are only noted; iso__recovery_commit
/// applies them when nothing can fail any more. Only a file that is proven to be corrupt is set aside. Any other
/// obstacle (another build's recording, memory, a read error) is reported, and the folder stays as it is.
#ifndef ISO_HOST_RECOVERY_H
#define ISO_HOST_RECOVERY_H

#include <stdbool.h>

#include "host/recordings/disk.h"
#include "host/recordings/recording_names.h"
#include "host/recordings/roster.h"
#include "host/start/setup.h"
#include "isostep/proto/recording.h"
#include "recorder/recorder_name.h"
#include "session/session.h"

/// Minimum number of ticks that are stepped again before the last one: for clients that reconnect some ticks behind.
#define ISO__RECOVERY_TICKS 600u

#define ISO__RECOVERY_PATH_MAX 600u

/// [bytes] A larger file is not continued, since it is read as a whole. Recordings end at --roll, whose maximum is half
/// of this.
#define ISO__RECOVERY_SIZE_MAX (UINT64_C(2) << 30)

/// Maximum copies of torn ends, or of files that were set aside, of one recording.
#define ISO__RECOVERY_COPIES_MAX 99u

typedef enum iso__recovery_way {
    ISO__RECOVERY_FROM_TICK,     // the last one
    ISO__RECOVERY_FROM_KEYFRAME, // the last one; the ticks after it stay in the old file, not in the session
} iso__recovery_way;

typedef enum iso__recovery_change_kind {
    ISO__RECOVERY_SEAL,      // cut the torn end off and write the end of a sealed file
    ISO__RECOVERY_FINISH,    // the same, and give it its final name: nothing continues from it
    ISO__RECOVERY_PUT_ASIDE, // rename it, so that it is never read again
    ISO__RECOVERY_REMOVE,    // remove it: it had not begun, and contains no tick
    ISO__RECOVERY_KEEP_TORN, // rename it like torn ends: it had not begun, but is not empty
    ISO__RECOVERY_IGNORE,    // create a file beside it that says that it is not to be continued
} iso__recovery_change_kind;

typedef struct iso__recovery_change {
    iso__recovery_change_kind kind;
    char name[ISO_RECORDER_NAME_SIZE];
    char why[200];
} iso__recovery_change;

typedef struct iso__recovery {
    bool is_found;
    uint8_t way;    // iso__recovery_way
    uint8_t *bytes; // of the file
    size_t size;
    iso_recording recording;           // points into `bytes`
    char path[ISO__RECOVERY_PATH_MAX]; // the file's name in messages
    uint32_t next_epoch;
    char part_name[ISO_RECORDER_NAME_SIZE]; // of a file in the folder that is to be renamed; "": none
    char final_name[ISO_RECORDER_NAME_SIZE];
    char name[ISO_RECORDER_NAME_SIZE]; // of the file in the folder; "": none
    bool is_over;                      // it was sealed without an error, and its session is over
    bool has_before;
    iso__roster before;            // who was there at the end of the file before, if this one had only just begun
    iso__roster roster;            // after iso__recovery_replay
    uint64_t continued_tick;       // likewise: of the keyframe
    iso__recovery_change *changes; // changes to files, in this order
    size_t change_count, change_capacity;
} iso__recovery;

/// Logs what a session has continued from, if anything: when nothing can fail any more.
void iso__recovery_report(const iso__recovery *recovery);

/// Makes a world from a keyframe of the recording. @return false after a message
bool iso__recovery_make_world(const iso__recovery *recovery, iso__setup *setup, const iso__setup_request *request);

/// Gives the session the recorded ticks after its world's. @return false after a message
bool iso__recovery_replay(iso__recovery *recovery, iso_session *session);

/// Reports what can be done when a file cannot be continued.
void iso__recovery_advise(const iso__recovery *recovery);

#endif
