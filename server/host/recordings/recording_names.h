/// The names of the files in a folder of recordings.
#ifndef ISO_HOST_RECORDING_NAMES_H
#define ISO_HOST_RECORDING_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/recordings/disk.h"
#include "isostep/proto/messages.h"
#include "recorder/recorder_name.h"

/// Suffix of an empty file beside a recording: that recording, and older ones of its session, are not continued.
#define ISO__RECORDING_IGNORED ".ignored"

/// Suffix of a file that was set aside. Older recordings of its session are not continued either.
#define ISO__RECORDING_DAMAGED ".damaged"

/// Suffix of a torn end that was kept, and of a file whose beginning was torn; such files are never continued.
#define ISO__RECORDING_TORN ".torn"

#define ISO__RECORDING_UID_DIGITS 8u

typedef enum iso__recording_file_kind {
    ISO__RECORDING_FILE_SEALED,   // .isr
    ISO__RECORDING_FILE_PART,     // .isr.part
    ISO__RECORDING_FILE_IGNORED,  // says of one of these two that it is not to be continued
    ISO__RECORDING_FILE_DAMAGED,  // set aside
    ISO__RECORDING_FILE_OTHER,    // a torn end that was kept
    ISO__RECORDING_FILE_SETTINGS, // of the session (host/recordings/settings.h): NAME-UIDPREFIX.settings
} iso__recording_file_kind;

/// What a file's name contains: NAME-UIDPREFIX-EPOCH[.NUMBER].isr[.part][.ignored]
typedef struct iso__recording_name {
    char text[ISO_RECORDER_NAME_SIZE];
    char session[ISO_SESSION_NAME_MAX + 1];
    char uid[ISO__RECORDING_UID_DIGITS + 1];
    uint32_t epoch, number;
    iso__recording_file_kind kind;
} iso__recording_name;

typedef struct iso__recording_list {
    iso__recording_name *names;
    size_t count, capacity;
} iso__recording_list;

/// All files of the session, by its uid, within one the last file first. A mark that a file is ignored comes before it.
/// @param list  zeroed; its names are to be freed in any case
/// @param session  NULL: of all sessions
/// @return false after a message
bool iso__recording_list_files(iso__recording_list *list, const iso__disk *disk, const char *session);

/// Whether a file of this name is one of settings that was not whole yet.
bool iso__recording_is_settings_part(const char *text);

/// The digits of a uid that stand in names.
void iso__recording_format_uid(const uint8_t *uid, char text[ISO__RECORDING_UID_DIGITS + 1]);

#endif
