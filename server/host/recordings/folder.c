#include "host/recordings/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/recordings/lock.h"
#include "host/watch/log.h"
#include "isostep/assert.h"

bool iso__folder_is_replaced(const iso__folder *folder) {
    ISO_ASSERT(folder->file >= 0);
    struct stat there, here;
    return stat(folder->path, &there) == 0 && fstat(folder->file, &here) == 0 && S_ISDIR(there.st_mode) &&
           (there.st_dev != here.st_dev || there.st_ino != here.st_ino);
}

/// @param fresh  open
static bool take(iso__folder *folder, int fresh) {
    int lock_file = -1;
    if (!iso__lock_take(fresh, folder->path, folder->allow_unlocked, &lock_file)) {
        return false;
    }
    // Not under another number: sessions and requests have this one, and some use it now.
    if (!iso__key_put(folder->key, fresh, folder->path) || dup3(fresh, folder->file, O_CLOEXEC) < 0) {
        close(lock_file);
        return false;
    }
    if (*folder->lock_file >= 0) {
        close(*folder->lock_file);
    }
    *folder->lock_file = lock_file;
    atomic_fetch_add(&folder->moves, 1);
    return true;
}

bool iso__folder_follow(iso__folder *folder) {
    ISO_ASSERT(folder->file >= 0);
    if (!iso__folder_is_replaced(folder)) {
        return false;
    }
    const int fresh = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_taken = fresh >= 0 && take(folder, fresh);
    if (is_taken) {
        iso__log_warning("--record: '%s' is another folder than before; recordings begin again in it", folder->path);
    } else {
        iso__log_warning("--record: '%s' is another folder than before, and cannot be taken instead: %s", folder->path,
                         strerror(errno));
    }
    if (fresh >= 0) {
        close(fresh);
    }
    return is_taken;
}
