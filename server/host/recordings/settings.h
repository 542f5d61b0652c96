/// The settings of one session that differ from the server's options: who may join it and see it, how many, and whether
/// it is recorded. POST /api/sessions sets them.
///
/// Beside the recordings of a session whose settings are not the server's own stands a file NAME-UID.settings, for its
/// user alone (0600): it is there before the recording begins, and stays for as long as any file of the session does.
/// It has the line "isostep session settings 1", then a line for each setting, each at most once, then the line "end":
///
///   private
///   password SALT HASH KEY    (32, 64 and 16 hexadecimal digits)
///   slots NUMBER
///   spectators NUMBER
///
/// A file that a start cannot read as this is refused, and nothing is changed: a session that was private, or had a
/// password, must not come back without it.
#ifndef ISO_HOST_SETTINGS_H
#define ISO_HOST_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "host/recordings/disk.h"
#include "host/recordings/key.h"
#include "isostep/proto/session_request.h"

#define ISO__SETTINGS_END  ".settings"
#define ISO__SETTINGS_PART ".part" // behind that, while it is written

/// Zeros are what the server's options say.
typedef struct iso__session_settings {
    bool is_private; // only who knows its name finds it
    bool has_password;
    uint8_t salt[ISO__KEY_SALT_SIZE];     // of the password
    uint8_t hash[ISO__KEY_HASH_SIZE];     // likewise
    uint8_t key_mark[ISO__KEY_MARK_SIZE]; // of the key under which it was kept
    uint32_t slots;                       // members at a time; 0: as many as the scene has slots
    bool has_spectators;                  // `spectators` counts instead of --spectators
    uint32_t spectators;
    bool is_unrecorded; // although the server records; not in the file: nothing of such a session is on the disk
} iso__session_settings;

/// What a request asks for. @param key  for the password
iso__session_settings iso__settings_make(const iso_session_request *request, const iso__key *key);

bool iso__settings_are_equal(const iso__session_settings *a, const iso__session_settings *b);

/// Whether there is anything to keep in a file.
bool iso__settings_are_own(const iso__session_settings *settings);

/// How many spectators the session may have. @param most  as --spectators says
uint32_t iso__settings_spectators(const iso__session_settings *settings, uint32_t most);

/// @name The password
/// @{

/// Keeps a keyed BLAKE2b of it, under the server's key and a salt of its own. That is not a slow hash: passwords are
/// checked on the I/O thread, where 50 ms a guess would stop everybody's traffic. Who guesses over the network meets a
/// limit (host/peers/guess_limit.h), and who has the file alone can guess nothing, since the key is in another one.
void iso__settings_set_password(iso__session_settings *settings, const iso__key *key, const char *password);

/// Whether it is the session's, in a time that depends neither on where they differ nor on whether there is one.
/// @param settings  NULL: of no session, which takes as long
bool iso__settings_is_password(const iso__session_settings *settings, const iso__key *key, const char *password);

/// Whether a password, if there is one, was kept under another key: none is right then.
bool iso__settings_have_other_key(const iso__session_settings *settings, const iso__key *key);
/// @}

/// @name The file
/// @{

/// Its name in the folder of the recordings.
void iso__settings_make_name(const char *session, const uint8_t *uid, char name[ISO__DISK_NAME_SIZE]);

/// Writes the file, if there is anything to keep, so that it survives a power cut. @return false after a message
bool iso__settings_write(const iso__session_settings *settings, const iso__disk *disk, const char *session,
                         const uint8_t *uid);

/// Reads it. @param settings  the server's own when there is no file
/// @return false after a message that names file and line
bool iso__settings_read(iso__session_settings *settings, const iso__disk *disk, const char *session,
                        const uint8_t *uid);

/// Whether the recordings of the session of this file of settings are not for everybody: it is private, has a password,
/// or may: the file cannot be read. Says nothing. @return false: neither, or there is no such file
bool iso__settings_are_restricted(const iso__disk *disk, const char *name);
/// @}

#endif
