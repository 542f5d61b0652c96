/// The torn end of a recording, kept before it is cut off: nobody needs it to go on, but what it holds was once sealed
/// by a session, and is gone for ever otherwise.
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/log.h"
#include "host/recovery.h"

#define COPIES_MAX 99u

/// Pages that were never written leave nothing to keep.
static bool is_all_zeros(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size && bytes[at] == 0)
        at++;
    return at == size;
}

/// Makes a file that was not there: NAME.isr.torn for NAME.isr.part, NAME.isr.torn-2 when that exists, and so on.
/// @return its descriptor, or -1 with errno
static int create_copy(int folder, const char *name, char *copy, size_t copy_size)
{
    size_t size = strlen(name), end = strlen(".part");
    int stem = (int)(size > end && strcmp(name + size - end, ".part") == 0 ? size - end : size);
    int file = -1;
    errno = EEXIST;
    for (unsigned i = 1; i <= COPIES_MAX && file < 0 && errno == EEXIST; i++) {
        if (i == 1)
            snprintf(copy, copy_size, "%.*s.torn", stem, name);
        else
            snprintf(copy, copy_size, "%.*s.torn-%u", stem, name, i);
        file = openat(folder, copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return file;
}

iso_status iso__recovery_keep_torn(const iso__recovery *recovery, int folder, const char *name)
{
    const iso_recording *recording = &recovery->recording;
    uint64_t torn = recording->torn_offset;
    if (torn == 0 || is_all_zeros(recording->bytes + torn, (size_t)(recording->file_size - torn)))
        return ISO_OK;
    char copy[ISO_RECORDER_NAME_SIZE + 16];
    iso__disk disk = {.folder = folder, .file = create_copy(folder, name, copy, sizeof copy)};
    if (disk.file < 0) {
        iso__log_warning("%s: its torn end cannot be kept: %s", name, strerror(errno));
        return ISO_ERR_IO;
    }
    size_t size = (size_t)(recording->file_size - recording->size), written;
    iso_status status = iso__disk_write(&disk, recording->bytes + recording->size, size, 0, &written);
    if (status == ISO_OK)
        status = iso__disk_sync(&disk);
    if (status == ISO_OK)
        status = iso__disk_sync_folder(&disk);
    close(disk.file);
    if (status != ISO_OK)
        unlinkat(folder, copy, 0);  // the whole of it is still in the recording
    if (status == ISO_OK)
        iso__log_info("the recording %s has a torn end, behind tick %" PRIu64 "; its last %zu bytes are kept as %s", name,
                 recording->last_tick, size, copy);
    return status;
}
