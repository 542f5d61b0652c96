/// Marks in the folder of the recordings: an empty file NAME.http says that the session of this name was created over
/// HTTP, so that the next start continues it without being told its name. It is there before the recording begins, and
/// goes after that has ended for good; a mark without a recording to continue means nothing.
#ifndef ISO_HOST_CREATED_MARK_H
#define ISO_HOST_CREATED_MARK_H

#include <stdbool.h>
#include <stdint.h>

#include "host/recordings/disk.h"
#include "isostep/proto/messages.h"

#define ISO__CREATED_MARK_END ".http"

typedef struct iso__created_mark_list {
    char (*names)[ISO_SESSION_NAME_MAX + 1]; // of sessions, sorted
    uint32_t count, capacity;
} iso__created_mark_list;

/// Creates the mark, unless it is there, so that it survives a power cut. @return ISO_OK; ISO_ERR_IO after a message
iso_status iso__created_mark_create(const iso__disk *disk, const char *session);

/// Removes it, if it is there. A failure is logged.
void iso__created_mark_remove(const iso__disk *disk, const char *session);

/// Finds all marks. @return false after a message; iso__created_mark_list_term must be called then as well
bool iso__created_mark_list_read(iso__created_mark_list *list, const iso__disk *disk);
void iso__created_mark_list_term(iso__created_mark_list *list);

#endif
