/// Internal to the recovery: the names of the files in a folder of recordings.
#ifndef ISO_HOST_RECOVERY_NAMES_H
#define ISO_HOST_RECOVERY_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/disk.h"
#include "host/recovery.h"
#include "isostep/proto/messages.h"
#include "recorder/recorder.h"

#define ISO__RECOVERY_UID_DIGITS 8u

typedef enum iso__recovery_file_kind {
    ISO__RECOVERY_FILE_SEALED,   // .isr
    ISO__RECOVERY_FILE_PART,     // .isr.part
    ISO__RECOVERY_FILE_IGNORED,  // says of one of these two that it is not to be continued
    ISO__RECOVERY_FILE_DAMAGED,  // set aside
    ISO__RECOVERY_FILE_OTHER,    // a torn end that was kept
    ISO__RECOVERY_FILE_SETTINGS, // of the session (host/settings.h): NAME-UIDPREFIX.settings
} iso__recovery_file_kind;

/// What a file's name contains: NAME-UIDPREFIX-EPOCH[.NUMBER].isr[.part][.ignored]
typedef struct iso__recovery_name {
    char text[ISO_RECORDER_NAME_SIZE];
    char session[ISO_SESSION_NAME_MAX + 1];
    char uid[ISO__RECOVERY_UID_DIGITS + 1];
    uint32_t epoch, number;
    iso__recovery_file_kind kind;
} iso__recovery_name;

typedef struct iso__recovery_list {
    iso__recovery_name *names;
    size_t count, capacity;
} iso__recovery_list;

/// All files of the session, by its uid, within one the last file first. A mark that a file is ignored comes before it.
/// @param list  zeroed; its names are to be freed in any case
/// @param session  NULL: of all sessions
/// @return false after a message
bool iso__recovery_list_files(iso__recovery_list *list, const iso__disk *disk, const char *session);

/// Whether a file of this name is one of settings that was not whole yet.
bool iso__recovery_is_settings_part(const char *text);

/// Whether a session continues from a sealed file of the folder, by its end. A file that cannot be read counts as such.
bool iso__recovery_file_goes_on(const iso__disk *disk, const char *name);

/// The digits of a uid that stand in names.
void iso__recovery_format_uid(const uint8_t *uid, char text[ISO__RECOVERY_UID_DIGITS + 1]);

/// Sets `next_epoch` to one more than any epoch of this session in the folder. @return false after a message
bool iso__recovery_find_next_epoch(iso__recovery *recovery, const iso__recovery_list *list);

/// Takes a file of the folder that is open in `one` as the one to continue from.
void iso__recovery_choose(iso__recovery *recovery, const iso__recovery *one, const iso__recovery_name *name);

/// A recording of another session of this name in the folder would be found beside this one at the next start.
/// @return false after a message
bool iso__recovery_search_others(iso__recovery *recovery, const iso__disk *disk, const iso__recovery_list *list,
                                 bool ignores_others);

#endif
