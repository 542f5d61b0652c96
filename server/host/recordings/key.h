/// The server's key, from which the members' secrets are derived.
#ifndef ISO_HOST_KEY_H
#define ISO_HOST_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isostep/proto/messages.h"

#define ISO__KEY_SIZE 32u
#define ISO__KEY_NAME "server.key"

typedef struct iso__key {
    uint8_t bytes[ISO__KEY_SIZE];
} iso__key;

/// Reads the key from the folder of the recordings, or creates it there (mode 0600). With it a restarted server
/// recognises its members.
///
/// @param folder  -1: the key is random and valid for this process only
/// @return false after a message
bool iso__key_load(iso__key *key, int folder, const char *folder_name);

/// Puts the key into another folder, where a later start reads it. One that is there stays, with a warning when it is
/// not the same. @return false after a message
bool iso__key_put(const iso__key *key, int folder, const char *folder_name);

#define ISO__KEY_SALT_SIZE 16u
#define ISO__KEY_HASH_SIZE 32u

/// What is kept of a password: a keyed BLAKE2b, salted, and of no other use than secrets are.
void iso__key_hash_password(const iso__key *key, const char *password, const uint8_t salt[ISO__KEY_SALT_SIZE],
                            uint8_t hash[ISO__KEY_HASH_SIZE]);

#define ISO__KEY_MARK_SIZE 8u

/// By which a key is recognised, and nothing else found out.
void iso__key_mark(const iso__key *key, uint8_t mark[ISO__KEY_MARK_SIZE]);

/// An iso_session_secret_fn: a keyed BLAKE2b. @param user  the key
void iso__key_make_secret(void *user, const uint8_t *bytes, size_t size, uint8_t secret[ISO_SECRET_SIZE]);

#endif
