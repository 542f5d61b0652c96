/// Going on from a recording: what a killed server left in its folder, or a file that is named.
///
/// A file that a crash left has a torn end. It is cut behind its last whole tick and gets the end of a
/// sealed one, but it keeps its .part name until the session's next file has a tick: whenever the
/// server is killed again, one of the two is there to go on from.
///
/// What is found is read and judged first, for all sessions; what has to be done with the files is only noted, and done by
/// iso__recovery_commit when nothing can fail any more. Only a file that is proven to be corrupt is put aside. Whatever else
/// stands in the way (another build's recording, memory, a read error) is told, and the folder stays as it is.
#ifndef ISO_HOST_RECOVERY_H
#define ISO_HOST_RECOVERY_H

#include <stdbool.h>

#include "host/disk.h"
#include "host/roster.h"
#include "host/setup.h"
#include "isostep/proto/recording.h"
#include "recorder/recorder.h"
#include "session/session.h"

/// Ticks that are stepped again before the last one, at least: for clients that come back a little behind.
#define ISO__RECOVERY_TICKS 600u

/// The end of the name of an empty file beside a recording: that one, and what is older of its session, is not gone on from.
#define ISO__RECOVERY_IGNORED ".ignored"

/// The end of the name of a file that was put aside. What is older of its session is not gone on from either.
#define ISO__RECOVERY_DAMAGED ".damaged"

/// The end of the name of a torn end that was kept, and of a file whose beginning was torn: nothing is gone on from it.
#define ISO__RECOVERY_TORN ".torn"

#define ISO__RECOVERY_PATH_MAX 600u

/// [bytes] A larger file is not gone on from: it is read as a whole. Recordings end at --roll, which is half of it at most.
#define ISO__RECOVERY_SIZE_MAX (UINT64_C(2) << 30)

/// Copies of torn ends, or files that were put aside, of one recording.
#define ISO__RECOVERY_COPIES_MAX 99u

typedef enum iso__recovery_way {
    ISO__RECOVERY_FROM_TICK,     // the last one
    ISO__RECOVERY_FROM_KEYFRAME, // the last one; the ticks behind it stay in the old file and never happened
} iso__recovery_way;

typedef enum iso__recovery_change_kind {
    ISO__RECOVERY_SEAL,      // cut the torn end off and write the end of a sealed file
    ISO__RECOVERY_FINISH,    // the same, and give it its final name: nothing goes on from it
    ISO__RECOVERY_PUT_ASIDE, // rename it, so that nobody trusts it again
    ISO__RECOVERY_REMOVE,    // remove it: it had not begun, and no tick is in it
    ISO__RECOVERY_KEEP_TORN, // rename it to what torn ends are called: it had not begun, but something is in it
    ISO__RECOVERY_IGNORE,    // make a file beside it that says that it is not to be gone on from
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
    char path[ISO__RECOVERY_PATH_MAX]; // as messages name the file
    uint32_t next_epoch;
    char part_name[ISO_RECORDER_NAME_SIZE]; // of a file in the folder that is to be renamed; "": none
    char final_name[ISO_RECORDER_NAME_SIZE];
    char name[ISO_RECORDER_NAME_SIZE]; // of the file in the folder; "": it is not there
    bool is_over;                      // it was sealed in order
    bool has_before;
    iso__roster before;            // who was there at the end of the file before, if this one had only just begun
    iso__roster roster;            // after iso__recovery_replay
    iso__recovery_change *changes; // what is to be done with the files, in this order
    size_t change_count, change_capacity;
} iso__recovery;

/// Looks for what a session of this name has left. Of the files of one session the one is gone on from that leads furthest:
/// one that is not sealed, or one that says that it ended before its session, for a fault of the disk. A file that was
/// sealed in order, and leads further than any of these, has ended its session. proto/RECORDING.md has the rules.
/// @param ignores_others  what cannot be gone on from, though it is not damaged, is ignored from now on
/// @return false after a message: the folder cannot be read, a file is not this build's, or it is not clear which file is
///         the one to go on from
bool iso__recovery_find(iso__recovery *recovery, const iso__disk *disk, const char *session, bool ignores_others);

/// Warns of each session that has left something in the folder that could be gone on from, and that is not hosted: its name
/// may have been forgotten or misspelt. Changes nothing.
void iso__recovery_warn_of_unhosted(const iso__disk *disk, bool (*is_hosted)(const void *user, const char *session),
                                    const void *user);

/// Opens a file that is to be gone on from.
/// @param disk  of the recordings, to find the next epoch; or NULL
/// @param ignores_others  what the folder has of another session of this name is ignored from now on, else an error
/// @return false after a message
bool iso__recovery_open(iso__recovery *recovery, const iso__disk *disk, const char *path, bool ignores_others);

/// Makes a world from a keyframe of the recording. @return false after a message
bool iso__recovery_make_world(const iso__recovery *recovery, iso__setup *setup, const iso__setup_request *request);

/// Hands the session what the recording holds behind its world's tick. @return false after a message
bool iso__recovery_replay(iso__recovery *recovery, iso_session *session);

/// Gives the file's bytes back; its header stays, without the scene.
void iso__recovery_release(iso__recovery *recovery);

/// Does not go on from what was found: a new session begins, and no later server goes on from the file either.
/// @return false after a message
bool iso__recovery_ignore(iso__recovery *recovery);

/// Says what can be done when it cannot be gone on from a file.
void iso__recovery_advise(const iso__recovery *recovery);

/// Does with the files what was noted. What does not work is told, and harms nothing.
/// @return false: the file that is gone on from could not be sealed, and must keep its name
bool iso__recovery_commit(iso__recovery *recovery, const iso__disk *disk);

void iso__recovery_term(iso__recovery *recovery);

/// @name Files
/// @{

/// Notes a change. @return false after a message: there is no memory
bool iso__recovery_note(iso__recovery *recovery, iso__recovery_change_kind kind, const char *name, const char *why);

/// Reads a file as a recording. @return ISO_OK; what iso_recording_open gives; ISO_ERR_IO; ISO_ERR_MEMORY; ISO_ERR_RANGE: it
/// has more than ISO__RECOVERY_SIZE_MAX bytes
iso_status iso__recovery_read(iso__recovery *recovery, int folder, const char *name, iso_recording_mode mode,
                              iso_recording_error *error);

/// Cuts a torn end off, when it is kept, and writes the end of a sealed file; syncs. @return ISO_OK; ISO_ERR_IO after a
/// message
iso_status iso__recovery_seal(const iso__recovery *recovery, int folder, const char *name);

/// The first of STEM.END, STEM.END-2 and so on that is not there. @param stem_size  of STEM, which need not end there
/// @return false: all ISO__RECOVERY_COPIES_MAX are
bool iso__recovery_find_free_name(int folder, const char *stem, size_t stem_size, const char *end, char *name,
                                  size_t size);

/// Copies what is to be cut off to NAME.isr.torn, or NAME.isr.torn-2 and so on when that is there, and syncs it and the
/// folder. Nothing is copied when no frame is bad, or nothing but zeros is there.
/// @return ISO_OK; ISO_ERR_IO after a message, and no copy stays
iso_status iso__recovery_keep_torn(const iso__recovery *recovery, int folder, const char *name);
/// @}

#endif
