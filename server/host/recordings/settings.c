#include "host/recordings/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole_file.h"
#include "host/recordings/recording_names.h"
#include "host/watch/log.h"
#include "isostep/assert.h"

#define FIRST_LINE    "isostep session settings 1"
#define LAST_LINE     "end" // without it a file that was cut after a line would say less than it did
#define FILE_SIZE_MAX 1024u
#define WHAT_SIZE     200u // of what is wrong

iso__session_settings iso__settings_make(const iso_session_request *request, const iso__key *key) {
    ISO_ASSERT(request->slots <= ISO_SLOT_COUNT_MAX && request->spectators <= ISO_SESSION_SPECTATORS_MAX);
    iso__session_settings settings = {
        .is_private = request->is_private,
        .slots = request->slots,
        .has_spectators = request->has_spectators,
        .spectators = request->spectators,
        .is_unrecorded = request->is_unrecorded,
    };
    if (request->password[0] != '\0') {
        iso__settings_set_password(&settings, key, request->password);
    }
    return settings;
}

bool iso__settings_are_own(const iso__session_settings *settings) {
    return settings->is_private || settings->has_password || settings->slots > 0 || settings->has_spectators;
}

uint32_t iso__settings_spectators(const iso__session_settings *settings, uint32_t most) {
    return settings->has_spectators && settings->spectators < most ? settings->spectators : most;
}

void iso__settings_set_password(iso__session_settings *settings, const iso__key *key, const char *password) {
    ISO_ASSERT(password[0] != '\0' && strlen(password) <= ISO_PASSWORD_MAX);
    settings->has_password = true;
    randombytes_buf(settings->salt, sizeof settings->salt);
    iso__key_hash_password(key, password, settings->salt, settings->hash);
    iso__key_mark(key, settings->key_mark);
}

bool iso__settings_have_other_key(const iso__session_settings *settings, const iso__key *key) {
    ISO_ASSERT(settings->slots <= ISO_SLOT_COUNT_MAX);
    uint8_t mark[ISO__KEY_MARK_SIZE];
    iso__key_mark(key, mark);
    return settings->has_password && memcmp(mark, settings->key_mark, sizeof mark) != 0;
}

bool iso__settings_is_password(const iso__session_settings *settings, const iso__key *key, const char *password) {
    ISO_ASSERT(settings == NULL || settings->slots <= ISO_SLOT_COUNT_MAX);
    static const iso__session_settings none;
    uint8_t hash[ISO__KEY_HASH_SIZE];
    settings = settings != NULL ? settings : &none;
    iso__key_hash_password(key, password, settings->salt, hash);
    const bool is_same = sodium_memcmp(hash, settings->hash, sizeof hash) == 0;
    return settings->has_password & is_same;
}

// ---- The file ---------------------------------------------------------------------------------------

void iso__settings_make_name(const char *session, const uint8_t *uid, char name[ISO__DISK_NAME_SIZE]) {
    ISO_ASSERT(strlen(session) + ISO__RECORDING_UID_DIGITS + sizeof ISO__SETTINGS_END < ISO__DISK_NAME_SIZE);
    char digits[ISO__RECORDING_UID_DIGITS + 1];
    iso__recording_format_uid(uid, digits);
    snprintf(name, ISO__DISK_NAME_SIZE, "%s-%s" ISO__SETTINGS_END, session, digits);
}

static size_t print(const iso__session_settings *settings, char *text, size_t size) {
    char salt[2 * ISO__KEY_SALT_SIZE + 1], hash[2 * ISO__KEY_HASH_SIZE + 1], mark[2 * ISO__KEY_MARK_SIZE + 1];
    char password[sizeof salt + sizeof hash + sizeof mark + 16] = "", slots[32] = "", spectators[32] = "";
    sodium_bin2hex(salt, sizeof salt, settings->salt, sizeof settings->salt);
    sodium_bin2hex(hash, sizeof hash, settings->hash, sizeof settings->hash);
    sodium_bin2hex(mark, sizeof mark, settings->key_mark, sizeof settings->key_mark);
    if (settings->has_password) {
        snprintf(password, sizeof password, "password %s %s %s\n", salt, hash, mark);
    }
    if (settings->slots > 0) {
        snprintf(slots, sizeof slots, "slots %" PRIu32 "\n", settings->slots);
    }
    if (settings->has_spectators) {
        snprintf(spectators, sizeof spectators, "spectators %" PRIu32 "\n", settings->spectators);
    }
    return (size_t)snprintf(text, size, FIRST_LINE "\n%s%s%s%s" LAST_LINE "\n", settings->is_private ? "private\n" : "",
                            password, slots, spectators);
}

bool iso__settings_are_equal(const iso__session_settings *a, const iso__session_settings *b) {
    ISO_ASSERT(a->slots <= ISO_SLOT_COUNT_MAX && b->slots <= ISO_SLOT_COUNT_MAX);
    char text_a[FILE_SIZE_MAX], text_b[FILE_SIZE_MAX];
    print(a, text_a, sizeof text_a);
    print(b, text_b, sizeof text_b);
    return a->is_unrecorded == b->is_unrecorded && strcmp(text_a, text_b) == 0;
}

bool iso__settings_write(const iso__session_settings *settings, const iso__disk *disk, const char *session,
                         const uint8_t *uid) {
    ISO_ASSERT(!iso__settings_are_own(settings) || (disk->folder >= 0 && !settings->is_unrecorded));
    char name[ISO__DISK_NAME_SIZE], text[FILE_SIZE_MAX];
    if (!iso__settings_are_own(settings)) {
        return true;
    }
    iso__settings_make_name(session, uid, name);
    const size_t size = print(settings, text, sizeof text);
    if (iso__whole_file_write(disk->folder, name, text, size) == ISO_OK) {
        return true;
    }
    iso__log_session(ERROR, session, "the file %s cannot be created in the folder of the recordings: %s", name,
                     strerror(errno));
    return false;
}

/// @param bytes  room for FILE_SIZE_MAX + 1. @return what is wrong, or NULL
static const char *read_bytes(int file, char *bytes, size_t *size) {
    struct stat about;
    if (fstat(file, &about) != 0) {
        return strerror(errno);
    }
    if (!S_ISREG(about.st_mode)) {
        return "it is not a regular file";
    }
    // Who can write to it opens the session, and who can read it knows that it is there.
    if (about.st_uid != geteuid()) {
        return "it belongs to another user than the server's";
    }
    if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return "others than its user can read or write it: it must have mode 0600";
    }
    for (*size = 0; *size <= FILE_SIZE_MAX;) {
        const ssize_t done = read(file, bytes + *size, FILE_SIZE_MAX + 1 - *size);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done < 0) {
            return strerror(errno);
        }
        if (done == 0) {
            return NULL;
        }
        *size += (size_t)done;
    }
    return "it is larger than a file of settings";
}

/// Decimal digits without a leading zero, up to the end.
static bool parse_number(const char *text, uint32_t min, uint32_t max, uint32_t *number) {
    uint32_t value = 0;
    const size_t size = strlen(text);
    if (size == 0 || size > 5 || strspn(text, "0123456789") != size || (text[0] == '0' && size > 1)) {
        return false;
    }
    for (size_t i = 0; i < size; ++i) {
        value = value * 10 + (uint32_t)(text[i] - '0');
    }
    *number = value;
    return value >= min && value <= max;
}

/// Takes hexadecimal digits of so many bytes, and what ends them. @return the position after it; NULL: they are not
/// there
static const char *take_bytes(const char *text, uint8_t *bytes, size_t size, char end) {
    size_t taken = 0;
    if (text == NULL || strspn(text, "0123456789abcdef") != 2 * size || text[2 * size] != end ||
        sodium_hex2bin(bytes, size, text, 2 * size, NULL, &taken, NULL) != 0 || taken != size) {
        return NULL;
    }
    return text + 2 * size + 1;
}

static bool parse_password(iso__session_settings *settings, const char *text) {
    text = take_bytes(text, settings->salt, sizeof settings->salt, ' ');
    text = take_bytes(text, settings->hash, sizeof settings->hash, ' ');
    return take_bytes(text, settings->key_mark, sizeof settings->key_mark, '\0') != NULL;
}

/// @param seen  bits of the settings that were there
/// @return what was expected; NULL: the line is right
static const char *parse_line(iso__session_settings *settings, const char *line, uint32_t *seen) {
    static const struct {
        const char *word, *expected;
    } rows[] = {
        {"private", "private"},
        {"password ", "password, a salt, a hash and a key of 32, 64 and 16 hexadecimal digits"},
        {"slots ", "slots and a number from 1 to 32"},
        {"spectators ", "spectators and a number from 0 to 512"},
    };
    uint32_t row = 0;
    const uint32_t count = sizeof rows / sizeof rows[0];
    while (row < count && strncmp(line, rows[row].word, strlen(rows[row].word)) != 0) {
        ++row;
    }
    if (row == count) {
        return "private, password, slots or spectators; a later version may have written it";
    }
    if ((*seen & UINT32_C(1) << row) != 0) {
        return "each setting once";
    }
    *seen |= UINT32_C(1) << row;
    const char *rest = line + strlen(rows[row].word);
    bool is_right = row == 0 && rest[0] == '\0';
    if (row == 0) {
        settings->is_private = true;
    } else if (row == 1) {
        is_right = settings->has_password = parse_password(settings, rest);
    } else if (row == 2) {
        is_right = parse_number(rest, 1, ISO_SLOT_COUNT_MAX, &settings->slots);
    } else {
        is_right = settings->has_spectators = parse_number(rest, 0, ISO_SESSION_SPECTATORS_MAX, &settings->spectators);
    }
    return is_right ? NULL : rows[row].expected;
}

/// @param text  changed. @param number  receives the line that is wrong
/// @return what was expected; NULL: all is right
static const char *parse(iso__session_settings *settings, char *text, size_t size, uint32_t *number) {
    uint32_t seen = 0;
    bool has_ended = false;
    *number = 1;
    // A file that was written only in part has no end of its last line.
    for (char *line = text; line < text + size; ++*number) {
        char *end = memchr(line, '\n', (size_t)(text + size - line));
        if (end == NULL) {
            return "the end of a line";
        }
        *end = '\0';
        if (strlen(line) != (size_t)(end - line)) {
            return "a line of text";
        }
        const char *expected = NULL;
        if (has_ended) {
            expected = "nothing after the line \"" LAST_LINE "\"";
        } else if (*number > 1 && strcmp(line, LAST_LINE) == 0) {
            has_ended = true;
        } else if (*number > 1) {
            expected = parse_line(settings, line, &seen);
        } else if (strcmp(line, FIRST_LINE) != 0) {
            expected = "\"" FIRST_LINE "\"; another version of this program may have written it";
        }
        if (expected != NULL) {
            return expected;
        }
        line = end + 1;
    }
    if (*number == 1) {
        return "\"" FIRST_LINE "\"";
    }
    return has_ended ? NULL : "the line \"" LAST_LINE "\": the file is cut";
}

static bool refuse(const char *session, const char *name, const char *what) {
    iso__log_session(
        ERROR, session,
        "its settings cannot be read from %s: %s. Nothing was changed; without the file the session has no "
        "password, is not private, and has the server's numbers",
        name, what);
    return false;
}

/// @param what  receives what is wrong; "" when nothing is, or there is no such file
static void load(iso__session_settings *settings, const iso__disk *disk, const char *name, char what[WHAT_SIZE]) {
    char text[FILE_SIZE_MAX + 1];
    size_t size = 0;
    uint32_t line = 0;
    what[0] = '\0';
    *settings = (iso__session_settings){0};
    const int file = openat(disk->folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    if (file < 0 && errno != ENOENT) {
        snprintf(what, WHAT_SIZE, "%s", errno == ELOOP ? "it is a symbolic link" : strerror(errno));
    }
    if (file < 0) {
        return;
    }
    const char *wrong = read_bytes(file, text, &size);
    close(file);
    if (wrong != NULL) {
        snprintf(what, WHAT_SIZE, "%s", wrong);
        return;
    }
    wrong = parse(settings, text, size, &line);
    if (wrong == NULL) {
        return;
    }
    *settings = (iso__session_settings){0};
    snprintf(what, WHAT_SIZE, "line %" PRIu32 ": expected %s", line, wrong);
}

bool iso__settings_read(iso__session_settings *settings, const iso__disk *disk, const char *session,
                        const uint8_t *uid) {
    ISO_ASSERT(disk->folder >= 0);
    char name[ISO__DISK_NAME_SIZE], what[WHAT_SIZE];
    iso__settings_make_name(session, uid, name);
    load(settings, disk, name, what);
    return what[0] == '\0' || refuse(session, name, what);
}

bool iso__settings_are_restricted(const iso__disk *disk, const char *name) {
    ISO_ASSERT(disk->folder >= 0);
    iso__session_settings settings;
    char what[WHAT_SIZE];
    load(&settings, disk, name, what);
    return settings.is_private || settings.has_password || what[0] != '\0';
}
