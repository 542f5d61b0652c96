/// A password in the first line of a file, as --password-file names one.
#ifndef ISO_HOST_PASSWORD_FILE_H
#define ISO_HOST_PASSWORD_FILE_H

#include <stdbool.h>

#include "isostep/proto/messages.h"

/// Reads it. The file is a regular one of this process's user or root, which nobody else can read or write.
/// @return false after a message
bool iso__password_file_read(const char *path, char password[ISO_PASSWORD_MAX + 1]);

#endif
