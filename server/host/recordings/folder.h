/// The folder of the recordings as a path: whether it still leads to the folder that is open, and following it when it
/// does not.
#ifndef ISO_HOST_FOLDER_H
#define ISO_HOST_FOLDER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "host/recordings/key.h"

typedef struct iso__folder {
    const char *path;
    int file; // open; stays the same number when the folder is followed, so that whoever uses it follows as well
    bool allow_unlocked;
    int *lock_file;      // the lock on it
    const iso__key *key; // that is put into a new one
    atomic_uint moves; // how often it was followed, counted after `file` leads to the other one; written by the writer
} iso__folder;

/// Whether the path leads to another folder than the one that is open: that was moved away, or removed, and the path
/// made again. @return false as well when the path leads nowhere: what was moved goes on as it is
bool iso__folder_is_replaced(const iso__folder *folder);

/// Takes the folder that the path leads to now, with a lock and the key, instead of the one that is open.
/// @return whether there was another one, and it was taken; a message says so, or why not
bool iso__folder_follow(iso__folder *folder);

#endif
