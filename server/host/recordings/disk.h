/// A recording's folder and its file: the operations that the recorder asks for, as system calls.
///
/// Every function that returns a status returns ISO_OK or ISO_ERR_IO, the latter after a line in the log that names the
/// operation, the file and the reason.
#ifndef ISO_HOST_DISK_H
#define ISO_HOST_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isostep/status.h"

#define ISO__DISK_NAME_SIZE 128u

typedef struct iso__disk {
    int folder;                     // -1: not open
    int file;                       // -1: not open
    char name[ISO__DISK_NAME_SIZE]; // of the file, as it was created
} iso__disk;

/// Opens the folder, and creates it when it is missing (not its parents).
/// @return 0 or an errno value; nothing is logged.
int iso__disk_open(iso__disk *disk, const char *folder);
void iso__disk_close(iso__disk *disk);

/// The file must not exist. It is readable by its user only: see iso__disk_share.
iso_status iso__disk_create_file(iso__disk *disk, const char *name);

/// Writes everything at `offset`. *written is the number of bytes written, also after an error.
iso_status iso__disk_write(iso__disk *disk, const uint8_t *bytes, size_t size, uint64_t offset, size_t *written);

/// Also fails when the file is no longer in the folder under its name: what is written then is lost.
/// May run on another thread during iso__disk_write.
iso_status iso__disk_sync(const iso__disk *disk);

iso_status iso__disk_truncate(iso__disk *disk, uint64_t size);
iso_status iso__disk_close_file(iso__disk *disk);

/// The new name must not exist.
iso_status iso__disk_rename(const iso__disk *disk, const char *name, const char *new_name);
iso_status iso__disk_remove(const iso__disk *disk, const char *name);

/// Lets others read a sealed recording that has its final name, as far as the umask allows that the process had when it
/// opened a folder. A failure is logged and has no other effect.
void iso__disk_share(const iso__disk *disk, const char *name);

/// [bytes] that this user may still write. @return false: not known
bool iso__disk_get_free(const iso__disk *disk, uint64_t *bytes);

iso_status iso__disk_sync_folder(const iso__disk *disk);

#endif
