/// The lock on the folder of the recordings: one server at a time.
///
/// It is a kernel lock on DIR/server.lock, so it ends with its process, however that ends, and no file that is left
/// behind prevents a restart. The content of the file is used in messages only.
#ifndef ISO_HOST_LOCK_H
#define ISO_HOST_LOCK_H

#include <stdbool.h>

#define ISO__LOCK_NAME "server.lock"

/// Takes the lock. A folder on a file system that may not lock reliably, or that is shared with other machines, is
/// refused.
///
/// @param folder          open
/// @param folder_name     for the message
/// @param allow_unlocked  accept such a folder, after a warning; never one that another server has locked
/// @param file            the open file while the lock is held, or -1 without a lock. The caller closes it last
/// @return false after a message; a folder that another server has locked is then unchanged
bool iso__lock_take(int folder, const char *folder_name, bool allow_unlocked, int *file);

#endif
