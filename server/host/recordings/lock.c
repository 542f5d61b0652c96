#include "host/recordings/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "host/watch/log.h"
#include "isostep/assert.h"

#define HOLDER_SIZE 160u

/// File systems that several machines can mount at once, or whose locks may be visible on this machine only. The
/// numbers are those of statfs(2).
static const struct {
    uint32_t type;
    const char *name;
} shared_list[] = {
    {0x6969, "NFS"},       {0x517B, "SMB"},      {0xFF534D42, "CIFS"}, {0xFE534D42, "SMB"},  {0x01021997, "9P"},
    {0x65735546, "FUSE"},  {0x00C36400, "Ceph"}, {0x5346414F, "AFS"},  {0x6B414653, "AFS"},  {0x0BD00BD0, "Lustre"},
    {0x7461636F, "OCFS2"}, {0x01161970, "GFS2"}, {0x564C, "NCP"},      {0x73757245, "Coda"}, {0x47504653, "GPFS"},
};

/// @return the name of such a file system, or NULL
static const char *find_shared(int folder) {
    struct statfs info;
    if (fstatfs(folder, &info) != 0) {
        return strerror(errno);
    }
    for (size_t i = 0; i < sizeof shared_list / sizeof shared_list[0]; ++i) {
        if ((uint32_t)info.f_type == shared_list[i].type) {
            return shared_list[i].name;
        }
    }
    return NULL;
}

/// The process that holds the lock, as it wrote it into the file.
static void read_holder(int file, char holder[HOLDER_SIZE]) {
    ssize_t size = pread(file, holder, HOLDER_SIZE - 1, 0);
    holder[size > 0 ? size : 0] = '\0';
    holder[strcspn(holder, "\n")] = '\0';
    if (holder[0] == '\0') {
        snprintf(holder, HOLDER_SIZE, "another process");
    }
}

/// For messages only; the lock does not depend on it.
static void write_holder(int file) {
    char host[72] = "?", text[HOLDER_SIZE];
    gethostname(host, sizeof host - 1);
    int size = snprintf(text, sizeof text, "process %ld on %s\n", (long)getpid(), host);
    if (pwrite(file, text, (size_t)size, 0) != size || ftruncate(file, size) != 0) {
        iso__log_warning("--record: the name of this process cannot be written to %s: %s", ISO__LOCK_NAME,
                         strerror(errno));
    }
}

static bool refuse_unlocked(const char *folder_name, const char *why, bool allow_unlocked) {
    if (allow_unlocked) {
        iso__log_warning(
            "--record: '%s' may not be locked against a second server (%s): make sure that no other server uses it",
            folder_name, why);
    } else {
        iso__log_error(
            "--record: '%s' may not be locked against a second server (%s), which would destroy recordings; use a "
            "folder on a local disk, or add --allow-unlocked if no other server ever uses this one",
            folder_name, why);
    }
    return allow_unlocked;
}

/// Why the file cannot hold a lock. @return NULL: it can
static const char *find_foreign(int file) {
    struct stat info;
    if (fstat(file, &info) != 0) {
        return strerror(errno);
    }
    return S_ISREG(info.st_mode) ? NULL : "it is not a regular file";
}

/// @return the file, or -1 after a message
static int open_lock(int folder, const char *folder_name) {
    // For this user alone: any process that can open it for reading can hold a lock on it, which would keep the server
    // from starting.
    int file = openat(folder, ISO__LOCK_NAME, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
    const char *why = file >= 0         ? find_foreign(file)
                      : errno == ELOOP  ? "it is a symbolic link"
                      : errno == EISDIR ? "it is a folder"
                                        : strerror(errno);
    if (why == NULL) {
        return file;
    }
    iso__log_error("--record: '%s/%s' cannot be locked: %s; remove it if no other server uses the folder", folder_name,
                   ISO__LOCK_NAME, why);
    if (file >= 0) {
        close(file);
    }
    return -1;
}

bool iso__lock_take(int folder, const char *folder_name, bool allow_unlocked, int *file) {
    ISO_ASSERT(folder >= 0);
    *file = open_lock(folder, folder_name);
    if (*file < 0) {
        return false;
    }
    // The lock belongs to the open file, not to the process: another part of the process that opens and closes the file
    // does not release it.
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    const char *why = NULL;
    if (fcntl(*file, F_OFD_SETLK, &lock) != 0) {
        if (errno == EAGAIN || errno == EACCES) {
            char holder[HOLDER_SIZE];
            read_holder(*file, holder);
            iso__log_error(
                "--record: '%s' is in use by %s; end that server first, or give this one a folder of its own",
                folder_name, holder);
            close(*file);
            *file = -1;
            return false;
        }
        why = strerror(errno);
    } else {
        why = find_shared(folder);
    }
    if (why != NULL && !refuse_unlocked(folder_name, why, allow_unlocked)) {
        close(*file);
        *file = -1;
        return false;
    }
    fchmod(*file, 0600); // older versions made it accessible to others
    write_holder(*file);
    return true;
}
