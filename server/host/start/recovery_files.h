/// Which file a session continues from.
#ifndef ISO_HOST_RECOVERY_FILES_H
#define ISO_HOST_RECOVERY_FILES_H

#include "host/start/recovery.h"

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

/// Frees the file's bytes; its header stays, without the scene.
void iso__recovery_release(iso__recovery *recovery);

/// Does not continue what was found: a new session begins, and no later server continues the file either.
/// @return false after a message
bool iso__recovery_ignore(iso__recovery *recovery);

void iso__recovery_term(iso__recovery *recovery);

/// Reads a file as a recording. @return ISO_OK; what iso_recording_open gives; ISO_ERR_IO; ISO_ERR_MEMORY;
/// ISO_ERR_RANGE: it has more than ISO__RECOVERY_SIZE_MAX bytes
iso_status iso__recovery_read(iso__recovery *recovery, int folder, const char *name, iso_recording_mode mode,
                              iso_recording_error *error);

/// Notes a change to a file, for iso__recovery_commit. @return false after a message: out of memory
bool iso__recovery_note(iso__recovery *recovery, iso__recovery_change_kind kind, const char *name, const char *why);

/// Sets `next_epoch` to one more than any epoch of this session in the folder. @return false after a message
bool iso__recovery_find_next_epoch(iso__recovery *recovery, const iso__recording_list *list);

/// Takes a file of the folder that is open in `one` as the one to continue from.
void iso__recovery_choose(iso__recovery *recovery, const iso__recovery *one, const iso__recording_name *name);

/// A recording of another session of this name in the folder would be found beside this one at the next start.
/// @return false after a message
bool iso__recovery_search_others(iso__recovery *recovery, const iso__disk *disk, const iso__recording_list *list,
                                 bool ignores_others);

#endif
