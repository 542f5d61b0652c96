/// Reading and creating the key. Anyone who can read it can take any member's place.
#include "host/recordings/key.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/watch/log.h"
#include "isostep/assert.h"

_Static_assert(ISO__KEY_SIZE >= crypto_generichash_KEYBYTES_MIN && ISO__KEY_SIZE <= crypto_generichash_KEYBYTES_MAX,
               "the key's size");
_Static_assert(ISO_SECRET_SIZE >= crypto_generichash_BYTES_MIN, "a secret's size");

/// Whether it was read or made: what is derived from zeros anybody can derive.
static bool is_there(const iso__key *key) {
    return !sodium_is_zero(key->bytes, sizeof key->bytes);
}

static bool fail(const char *folder_name, const char *what) {
    iso__log_error("--record: '%s/%s': %s", folder_name, ISO__KEY_NAME, what);
    return false;
}

/// @param bytes  room for one byte more than a key has
static bool read_bytes(iso__key *key, int file, const char *folder_name, uint8_t bytes[ISO__KEY_SIZE + 1]) {
    struct stat info;
    if (fstat(file, &info) != 0) {
        return fail(folder_name, strerror(errno));
    }
    if (!S_ISREG(info.st_mode)) {
        return fail(folder_name, S_ISDIR(info.st_mode) ? "it is a folder, not a key" : "it is not a regular file");
    }
    // Its owner can read it, and may have chosen it.
    if (info.st_uid != geteuid()) {
        return fail(folder_name, "it belongs to another user; start the server as that user, or remove the key, "
                                 "which makes all members' secrets invalid");
    }
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return fail(folder_name, "others can read it: it must have mode 0600");
    }
    ssize_t size = read(file, bytes, ISO__KEY_SIZE + 1);
    if (size != ISO__KEY_SIZE) {
        return fail(folder_name,
                    size < 0 ? strerror(errno)
                             : "it is not a key of 32 bytes; remove it, which makes all members' secrets invalid");
    }
    memcpy(key->bytes, bytes, ISO__KEY_SIZE);
    return true;
}

static bool read_key(iso__key *key, int file, const char *folder_name) {
    uint8_t bytes[ISO__KEY_SIZE + 1];
    bool is_read = read_bytes(key, file, folder_name, bytes);
    sodium_memzero(bytes, sizeof bytes); // the stack is used again, and not always written
    return is_read;
}

/// Created under another name first, so that a key file is always complete.
static bool write_key(const iso__key *key, int folder, const char *folder_name) {
    static const char part[] = ISO__KEY_NAME ".part";
    unlinkat(folder, part, 0);
    int file = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return fail(folder_name, strerror(errno));
    }
    bool is_made = write(file, key->bytes, ISO__KEY_SIZE) == ISO__KEY_SIZE && fsync(file) == 0;
    is_made = close(file) == 0 && is_made && renameat(folder, part, folder, ISO__KEY_NAME) == 0 && fsync(folder) == 0;
    return is_made || fail(folder_name, strerror(errno));
}

bool iso__key_load(iso__key *key, int folder, const char *folder_name) {
    ISO_ASSERT(folder < 0 || folder_name != NULL);
    if (sodium_init() < 0) {
        return fail(folder_name, "the system provides no random bytes");
    }
    if (folder < 0) {
        randombytes_buf(key->bytes, ISO__KEY_SIZE);
        return true;
    }
    int file = openat(folder, ISO__KEY_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (file < 0 && errno == ENOENT) {
        randombytes_buf(key->bytes, ISO__KEY_SIZE);
        return write_key(key, folder, folder_name);
    }
    if (file < 0) {
        return fail(folder_name, errno == ELOOP ? "it is a symbolic link" : strerror(errno));
    }
    bool is_read = read_key(key, file, folder_name);
    close(file);
    return is_read;
}

bool iso__key_put(const iso__key *key, int folder, const char *folder_name) {
    ISO_ASSERT(folder >= 0);
    iso__key there = {0};
    if (faccessat(folder, ISO__KEY_NAME, F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
        return write_key(key, folder, folder_name);
    }
    const bool is_same =
        iso__key_load(&there, folder, folder_name) && sodium_memcmp(there.bytes, key->bytes, ISO__KEY_SIZE) == 0;
    sodium_memzero(&there, sizeof there);
    if (!is_same) {
        iso__log_warning(
            "--record: '%s/%s' is another key than this server's: a later start does not recognise the members "
            "of now",
            folder_name, ISO__KEY_NAME);
    }
    return true;
}

void iso__key_hash_password(const iso__key *key, const char *password, const uint8_t salt[ISO__KEY_SALT_SIZE],
                            uint8_t hash[ISO__KEY_HASH_SIZE]) {
    ISO_ASSERT(is_there(key));
    static const uint8_t use[] = "isostep password"; // its zero is not part of it
    _Static_assert(sizeof use == crypto_generichash_blake2b_PERSONALBYTES + 1 &&
                       ISO__KEY_SALT_SIZE == crypto_generichash_blake2b_SALTBYTES,
                   "what BLAKE2b takes");
    // Of one length whatever the password's is, and so in one time.
    uint8_t text[ISO_PASSWORD_MAX + 1] = {0};
    memcpy(text, password, strnlen(password, ISO_PASSWORD_MAX));
    crypto_generichash_blake2b_salt_personal(hash, ISO__KEY_HASH_SIZE, text, sizeof text, key->bytes, ISO__KEY_SIZE,
                                             salt, use);
    sodium_memzero(text, sizeof text);
}

void iso__key_mark(const iso__key *key, uint8_t mark[ISO__KEY_MARK_SIZE]) {
    ISO_ASSERT(is_there(key));
    static const uint8_t use[] = "isostep key mark";
    uint8_t hash[crypto_generichash_BYTES];
    crypto_generichash_blake2b_salt_personal(hash, sizeof hash, NULL, 0, key->bytes, ISO__KEY_SIZE, NULL, use);
    memcpy(mark, hash, ISO__KEY_MARK_SIZE);
}

void iso__key_make_secret(void *user, const uint8_t *bytes, size_t size, uint8_t secret[ISO_SECRET_SIZE]) {
    ISO_ASSERT(is_there(user));
    const iso__key *key = user;
    crypto_generichash(secret, ISO_SECRET_SIZE, bytes, size, key->bytes, ISO__KEY_SIZE);
}
