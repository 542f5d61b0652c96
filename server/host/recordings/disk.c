/// System calls on files. Names are relative to an open folder, so that a folder that is moved while
/// the server runs keeps its recording.
#include "host/recordings/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "host/watch/log.h"
#include "isostep/assert.h"

// The process's umask, as it was when it opened a folder. Until then no access for others.
static mode_t others_mask = 077;

static iso_status failed(const char *what, const char *name) {
    iso__log_error("recording: %s %s failed: %s", what, name[0] != '\0' ? name : "a file", strerror(errno));
    return ISO_ERR_IO;
}

int iso__disk_open(iso__disk *disk, const char *folder) {
    *disk = (iso__disk){.folder = -1, .file = -1};
    others_mask = umask(077); // it can be read only by setting it
    umask(others_mask);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return errno;
    }
    disk->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (disk->folder < 0) {
        return errno;
    }
    if (faccessat(disk->folder, ".", W_OK | X_OK, AT_EACCESS) != 0) {
        int error = errno;
        iso__disk_close(disk);
        return error;
    }
    return 0;
}

void iso__disk_close(iso__disk *disk) {
    ISO_ASSERT(disk->file < 0 || disk->folder >= 0);
    if (disk->file >= 0) {
        close(disk->file);
    }
    if (disk->folder >= 0) {
        close(disk->folder);
    }
    *disk = (iso__disk){.folder = -1, .file = -1};
}

iso_status iso__disk_create_file(iso__disk *disk, const char *name) {
    ISO_ASSERT(disk->folder >= 0 && disk->file < 0);
    disk->file = openat(disk->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    snprintf(disk->name, sizeof disk->name, "%s", name);
    return disk->file >= 0 ? ISO_OK : failed("creating", name);
}

iso_status iso__disk_write(iso__disk *disk, const uint8_t *bytes, size_t size, uint64_t offset, size_t *written) {
    ISO_ASSERT(disk->file >= 0);
    *written = 0;
    while (*written < size) {
        ssize_t result = pwrite(disk->file, bytes + *written, size - *written, (off_t)(offset + *written));
        if (result < 0 && errno == EINTR) {
            continue;
        }
        if (result == 0) {
            errno = ENOSPC;
        }
        if (result <= 0) {
            return failed("writing", disk->name);
        }
        *written += (size_t)result;
    }
    return ISO_OK;
}

/// Whether the file is still in the folder: it, or the folder, may have been removed.
static bool has_its_name(const iso__disk *disk) {
    struct stat here, there;
    if (disk->name[0] == '\0' || fstat(disk->file, &here) != 0) {
        return true;
    }
    return fstatat(disk->folder, disk->name, &there, AT_SYMLINK_NOFOLLOW) == 0 && here.st_ino == there.st_ino &&
           here.st_dev == there.st_dev;
}

iso_status iso__disk_sync(const iso__disk *disk) {
    ISO_ASSERT(disk->file >= 0);
    if (fdatasync(disk->file) != 0) {
        return failed("fdatasync of", disk->name);
    }
    if (has_its_name(disk)) {
        return ISO_OK;
    }
    iso__log_error("recording: %s is no longer in its folder: it, or the folder, was removed, renamed or replaced",
                   disk->name);
    return ISO_ERR_IO;
}

iso_status iso__disk_truncate(iso__disk *disk, uint64_t size) {
    return ftruncate(disk->file, (off_t)size) == 0 ? ISO_OK : failed("truncating", disk->name);
}

iso_status iso__disk_close_file(iso__disk *disk) {
    ISO_ASSERT(disk->file >= 0);
    int file = disk->file;
    disk->file = -1;
    return close(file) == 0 ? ISO_OK : failed("closing", disk->name);
}

iso_status iso__disk_rename(const iso__disk *disk, const char *name, const char *new_name) {
    ISO_ASSERT(disk->folder >= 0 && strcmp(name, new_name) != 0);
    if (renameat2(disk->folder, name, disk->folder, new_name, RENAME_NOREPLACE) == 0) {
        return ISO_OK;
    }
    // Some file systems do not know RENAME_NOREPLACE; a hard link does not replace a file either.
    if (errno == EINVAL && linkat(disk->folder, name, disk->folder, new_name, 0) == 0 &&
        unlinkat(disk->folder, name, 0) == 0) {
        return ISO_OK;
    }
    return failed("renaming", name);
}

iso_status iso__disk_remove(const iso__disk *disk, const char *name) {
    return unlinkat(disk->folder, name, 0) == 0 ? ISO_OK : failed("removing", name);
}

iso_status iso__disk_sync_folder(const iso__disk *disk) {
    return fsync(disk->folder) == 0 ? ISO_OK : failed("fsync of", "the folder");
}

bool iso__disk_get_free(const iso__disk *disk, uint64_t *bytes) {
    ISO_ASSERT(disk->folder >= 0);
    struct statvfs info;
    if (fstatvfs(disk->folder, &info) != 0) {
        return false;
    }
    *bytes = (uint64_t)info.f_bavail * info.f_frsize;
    return true;
}

void iso__disk_share(const iso__disk *disk, const char *name) {
    ISO_ASSERT(disk->folder >= 0);
    struct stat info;
    // A file that another process has put there is not touched.
    int file = openat(disk->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    bool is_shared =
        file >= 0 && fstat(file, &info) == 0 && (!S_ISREG(info.st_mode) || fchmod(file, 0666 & ~others_mask) == 0);
    if (!is_shared) {
        iso__log_warning("recording: %s cannot be made readable for others: %s", name, strerror(errno));
    }
    if (file >= 0) {
        close(file);
    }
}
