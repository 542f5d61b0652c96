#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "isostep/assert.h"

static bool write_all(int file, const uint8_t *bytes, size_t size) {
    while (size > 0) {
        const ssize_t done = write(file, bytes, size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return false;
        }
        bytes += done;
        size -= (size_t)done;
    }
    return fsync(file) == 0;
}

/// A name that is in the folder only after its folder is synced.
static bool sync_folder_of(int folder, const char *name) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", name);
    const int parent =
        openat(folder, strchr(name, '/') != NULL ? dirname(path) : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_synced = parent >= 0 && fsync(parent) == 0;
    if (parent >= 0) {
        close(parent);
    }
    return is_synced;
}

iso_status iso__whole_file_write(int folder, const char *name, const void *bytes, size_t size) {
    ISO_ASSERT((folder >= 0 || folder == AT_FDCWD) && name[0] != '\0');
    char part[PATH_MAX];
    if ((size_t)snprintf(part, sizeof part, "%s.part", name) >= sizeof part) {
        errno = ENAMETOOLONG;
        return ISO_ERR_IO;
    }
    unlinkat(folder, part, 0);
    const int file = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        return ISO_ERR_IO;
    }
    bool is_done = write_all(file, bytes, size);
    int error = errno;
    is_done = close(file) == 0 && is_done;
    if (is_done && renameat(folder, part, folder, name) != 0) {
        is_done = false;
        error = errno;
    }
    if (!is_done) {
        unlinkat(folder, part, 0);
        errno = error;
        return ISO_ERR_IO;
    }
    return sync_folder_of(folder, name) ? ISO_OK : ISO_ERR_IO;
}
