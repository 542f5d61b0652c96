/// --seat FILE: what a member needs to come back when its program has crashed, kept where only its user can read it.
#ifndef ISO_CLI_SEAT_H
#define ISO_CLI_SEAT_H

#include <stdbool.h>
#include <stddef.h>

#include "isostep/proto/messages.h"

/// Reads the seat that a client of this session has left in the file.
///
/// @param is_there  receives whether there is one: a file that does not exist is no error
/// @param message   on failure: one sentence, zero-terminated
/// @return false: the file is no seat, is of another session or can be read by others; nothing is changed
bool iso__cli_seat_read(const char *path, const char *session, bool *is_there, iso_resume *seat, char *message,
                        size_t capacity);

/// Replaces the file by the seat that WELCOME gives, whole or not at all. @return 0 or errno
int iso__cli_seat_write(const char *path, const iso_message_welcome *welcome);

/// The seat is given up.
void iso__cli_seat_remove(const char *path);

/// Whether the server may still hold the slot of a member whose client has ended so.
bool iso__cli_seat_is_kept(iso_status status);

#endif
