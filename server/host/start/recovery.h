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
#include "recorder/recorder.h"
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

/// Looks for what a session of this name has left. Of the files of one session the one is continued that leads
/// furthest: one that is unsealed, or one that says that it ended before its session, after a disk error. A file that
/// was sealed without an error, and leads further than any of these, has ended its session. proto/RECORDING.md has the
/// rules.
/// @param ignores_others  undamaged recordings that cannot be continued are ignored from now on
/// @return false after a message: the folder cannot be read, a file is not this build's, or it is unclear which file is
/// the one to continue from
bool iso__recovery_find(iso__recovery *recovery, const iso__disk *disk, const char *session, bool ignores_others);

/// Warns of each session that has left a recording in the folder that could be continued, and that is not hosted: its
/// name may have been forgotten or misspelt. Changes nothing.
void iso__recovery_warn_of_unhosted(const iso__disk *disk, bool (*is_hosted)(const void *user, const char *session),
                                    const void *user);

/// Looks for a recording that a start could continue, as far as names and the end of a sealed file show.
/// @param name  of the file; "": there is none
/// @return false after a message: the folder cannot be read
bool iso__recovery_find_left(const iso__disk *disk, const char *session, char *name, size_t size);

/// Removes all files of one session's recordings: of one that nobody has seen.
void iso__recovery_remove_all(const iso__disk *disk, const char *session, const uint8_t *uid);

/// Logs what a session has continued from, if anything: when nothing can fail any more.
void iso__recovery_report(const iso__recovery *recovery);

/// Opens a file that is to be continued; if the folder has newer files of its session that came from it, the newest of
/// these.
/// @param disk  of the recordings, to find newer files and the next epoch; or NULL
/// @param goes_back  newer files do not matter
/// @param ignores_others  recordings of another session of this name in the folder are ignored from now on, else an
/// error
/// @return false after a message; also when newer files of its session did not come from it
bool iso__recovery_open(iso__recovery *recovery, const iso__disk *disk, const char *path, bool goes_back,
                        bool ignores_others);

/// Makes a world from a keyframe of the recording. @return false after a message
bool iso__recovery_make_world(const iso__recovery *recovery, iso__setup *setup, const iso__setup_request *request);

/// Gives the session the recorded ticks after its world's. @return false after a message
bool iso__recovery_replay(iso__recovery *recovery, iso_session *session);

/// Frees the file's bytes; its header stays, without the scene.
void iso__recovery_release(iso__recovery *recovery);

/// Does not continue what was found: a new session begins, and no later server continues the file either.
/// @return false after a message
bool iso__recovery_ignore(iso__recovery *recovery);

/// Reports what can be done when a file cannot be continued.
void iso__recovery_advise(const iso__recovery *recovery);

/// Applies the noted changes. A failure is logged and does no harm.
/// @return false: the file that is continued could not be sealed, and must keep its name
bool iso__recovery_commit(iso__recovery *recovery, const iso__disk *disk);

void iso__recovery_term(iso__recovery *recovery);

/// @name Files
/// @{

/// Notes a change. @return false after a message: out of memory
bool iso__recovery_note(iso__recovery *recovery, iso__recovery_change_kind kind, const char *name, const char *why);

/// Reads a file as a recording. @return ISO_OK; what iso_recording_open gives; ISO_ERR_IO; ISO_ERR_MEMORY;
/// ISO_ERR_RANGE: it has more than ISO__RECOVERY_SIZE_MAX bytes
iso_status iso__recovery_read(iso__recovery *recovery, int folder, const char *name, iso_recording_mode mode,
                              iso_recording_error *error);

/// Sets `next_epoch` to one more than any epoch of this session in the folder. @return false after a message
bool iso__recovery_find_next_epoch(iso__recovery *recovery, const iso__recording_list *list);

/// Takes a file of the folder that is open in `one` as the one to continue from.
void iso__recovery_choose(iso__recovery *recovery, const iso__recovery *one, const iso__recording_name *name);

/// A recording of another session of this name in the folder would be found beside this one at the next start.
/// @return false after a message
bool iso__recovery_search_others(iso__recovery *recovery, const iso__disk *disk, const iso__recording_list *list,
                                 bool ignores_others);

/// Cuts a torn end off, after it was kept, and writes the end of a sealed file; syncs. @return ISO_OK; ISO_ERR_IO after
/// a message
iso_status iso__recovery_seal(const iso__recovery *recovery, int folder, const char *name);

/// The first of STEM.END, STEM.END-2 and so on that does not exist. @param stem_size  of STEM, which need not end there
/// @return false: all ISO__RECOVERY_COPIES_MAX exist
bool iso__recovery_find_free_name(int folder, const char *stem, size_t stem_size, const char *end, char *name,
                                  size_t size);

/// Copies what is to be cut off to NAME.isr.torn, or NAME.isr.torn-2 and so on when that exists, and syncs it and the
/// folder. Nothing is copied when no frame is bad, or when there are only zeros.
/// @return ISO_OK; ISO_ERR_IO after a message, and no copy stays
iso_status iso__recovery_keep_torn(const iso__recovery *recovery, int folder, const char *name);
/// @}

#endif
