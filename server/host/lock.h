/// The lock on the folder of the recordings: one server at a time.
///
/// It stands on DIR/server.lock and is the kernel's, so it ends with its process, however that ends, and no file that
/// is left behind blocks a restart. What stands in the file is for the message only.
#ifndef ISO_HOST_LOCK_H
#define ISO_HOST_LOCK_H

#include <stdbool.h>

#define ISO__LOCK_NAME "server.lock"

/// Takes the lock. A folder on a file system that may not hold it, or that is shared with other machines, is refused.
///
/// @param folder          open
/// @param folder_name     for the message
/// @param allow_unlocked  such a folder is taken all the same, after a warning; never one whose lock another server has
/// @param file            the open file while the lock is held, or -1: there is no lock. The caller closes it last
/// @return false after a message; a folder that another server has is then as it was
bool iso__lock_take(int folder, const char *folder_name, bool allow_unlocked, int *file);

#endif
