/// The torn end of a recording, kept before it is cut off: the session continues without it, but its content was once
/// sealed by a session, and would otherwise be lost.
#include "host/start/recovery_torn.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/watch/log.h"
#include "isostep/assert.h"

/// Pages that were never written leave nothing to keep.
static bool is_all_zeros(const uint8_t *bytes, size_t size) {
    size_t at = 0;
    while (at < size && bytes[at] == 0) {
        ++at;
    }
    return at == size;
}

bool iso__recovery_find_free_name(int folder, const char *stem, size_t stem_size, const char *end, char *name,
                                  size_t size) {
    ISO_ASSERT(stem_size > 0 && size > stem_size);
    for (unsigned i = 1; i <= ISO__RECOVERY_COPIES_MAX; ++i) {
        if (i == 1) {
            snprintf(name, size, "%.*s%s", (int)stem_size, stem, end);
        } else {
            snprintf(name, size, "%.*s%s-%u", (int)stem_size, stem, end, i);
        }
        if (faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT) {
            return true;
        }
    }
    return false;
}

/// Creates a file: NAME.isr.torn for NAME.isr.part, NAME.isr.torn-2 when that exists, and so on.
/// @return false after a message
static bool create_copy(iso__disk *disk, const char *name, char *copy, size_t copy_size) {
    size_t size = strlen(name), end = strlen(".part");
    size_t stem = size > end && strcmp(name + size - end, ".part") == 0 ? size - end : size;
    if (iso__recovery_find_free_name(disk->folder, name, stem, ISO__RECORDING_TORN, copy, copy_size)) {
        return iso__disk_create_file(disk, copy) == ISO_OK;
    }
    iso__log_warning(
        "%s: its torn end cannot be kept: there are %u copies already, up to %s; move them to another folder", name,
        ISO__RECOVERY_COPIES_MAX, copy);
    return false;
}

iso_status iso__recovery_keep_torn(const iso__recovery *recovery, int folder, const char *name) {
    ISO_ASSERT(folder >= 0);
    const iso_recording *recording = &recovery->recording;
    uint64_t torn = recording->torn_offset;
    if (torn == 0 || is_all_zeros(recording->bytes + torn, (size_t)(recording->file_size - torn))) {
        return ISO_OK;
    }
    char copy[ISO_RECORDER_NAME_SIZE + 16];
    iso__disk disk = {.folder = folder, .file = -1};
    if (!create_copy(&disk, name, copy, sizeof copy)) {
        return ISO_ERR_IO;
    }
    size_t size = (size_t)(recording->file_size - recording->size), written;
    iso_status status = iso__disk_write(&disk, recording->bytes + recording->size, size, 0, &written);
    if (status == ISO_OK) {
        status = iso__disk_sync(&disk);
    }
    if (status == ISO_OK) {
        status = iso__disk_sync_folder(&disk);
    }
    if (iso__disk_close_file(&disk) != ISO_OK) {
        status = ISO_ERR_IO;
    }
    if (status != ISO_OK) {
        unlinkat(folder, copy, 0); // the recording still has all of it
    }
    if (status == ISO_OK) {
        iso__log_info("the recording %s has a torn end, after tick %" PRIu64 "; its last %zu bytes are kept as %s",
                      name, recording->last_tick, size, copy);
    }
    return status;
}
