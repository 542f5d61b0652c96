/// The names of the files in a folder of recordings.
#include "host/recordings/recording_names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/recordings/settings.h"
#include "host/watch/log.h"
#include "isostep/assert.h"

/// Decimal digits without a leading zero. @return the position after them, or NULL
static const char *parse_number(const char *text, uint32_t *number) {
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && value <= UINT32_MAX; ++at) {
        value = value * 10 + (uint64_t)(*at - '0');
    }
    *number = (uint32_t)value;
    return at > text && value <= UINT32_MAX ? at : NULL;
}

static iso__recording_file_kind parse_kind(const char *end) {
    if (strcmp(end, ".isr") == 0) {
        return ISO__RECORDING_FILE_SEALED;
    }
    if (strcmp(end, ".isr.part") == 0) {
        return ISO__RECORDING_FILE_PART;
    }
    const char *rest =
        end + (strncmp(end, ".isr.part", strlen(".isr.part")) == 0 ? strlen(".isr.part") : strlen(".isr"));
    bool is_damaged = strncmp(rest, ISO__RECORDING_DAMAGED, strlen(ISO__RECORDING_DAMAGED)) == 0;
    return strcmp(rest, ISO__RECORDING_IGNORED) == 0 ? ISO__RECORDING_FILE_IGNORED
           : is_damaged                              ? ISO__RECORDING_FILE_DAMAGED
                                                     : ISO__RECORDING_FILE_OTHER;
}

/// @return whether the file is one of the session's, also one that was set aside
static bool parse_name(const char *text, const char *session, iso__recording_name *name) {
    size_t size = strlen(session);
    memset(name, 0, sizeof *name);
    if (strlen(text) >= sizeof name->text || size >= sizeof name->session || strncmp(text, session, size) != 0 ||
        text[size] != '-') {
        return false;
    }
    const char *at = text + size + 1;
    const char *rest = at + ISO__RECORDING_UID_DIGITS;
    if (strspn(at, "0123456789abcdef") != ISO__RECORDING_UID_DIGITS) {
        return false;
    }
    memcpy(name->uid, at, ISO__RECORDING_UID_DIGITS);
    memcpy(name->text, text, strlen(text) + 1);
    memcpy(name->session, session, size + 1);
    name->kind = ISO__RECORDING_FILE_SETTINGS;
    if (strcmp(rest, ISO__SETTINGS_END) == 0) {
        return true;
    }
    if (rest[0] != '-') {
        return false;
    }
    at = parse_number(at + ISO__RECORDING_UID_DIGITS + 1, &name->epoch);
    name->number = 1;
    if (at != NULL && at[0] == '.' && at[1] >= '0' && at[1] <= '9') {
        at = parse_number(at + 1, &name->number);
    }
    if (at == NULL || strncmp(at, ".isr", 4) != 0) {
        return false;
    }
    name->kind = parse_kind(at);
    return true;
}

/// The same for a file of any session, whose name may contain a - as well.
static bool parse_any_name(const char *text, iso__recording_name *name) {
    char session[ISO_SESSION_NAME_MAX + 1];
    size_t size = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-");
    for (size_t i = 1; i < size && i < sizeof session; ++i) {
        snprintf(session, sizeof session, "%.*s", (int)i, text);
        if (text[i] == '-' && parse_name(text, session, name)) {
            return true;
        }
    }
    return false;
}

bool iso__recording_is_settings_part(const char *text) {
    iso__recording_name name;
    char whole[ISO__DISK_NAME_SIZE];
    const size_t size = strlen(text), end = strlen(ISO__SETTINGS_PART);
    if (size <= end || size - end >= sizeof whole || strcmp(text + size - end, ISO__SETTINGS_PART) != 0) {
        return false;
    }
    memcpy(whole, text, size - end);
    whole[size - end] = '\0';
    return parse_any_name(whole, &name) && name.kind == ISO__RECORDING_FILE_SETTINGS;
}

/// By session, within one the last file first: by epoch, then by number. Times are not used: copies lose them, and they
/// jump with the clock.
static int by_session_and_age(const void *a, const void *b) {
    const iso__recording_name *x = a, *y = b;
    int order = strcmp(x->session, y->session);
    if (order == 0) {
        order = memcmp(x->uid, y->uid, ISO__RECORDING_UID_DIGITS);
    }
    if (order == 0) {
        order = x->epoch != y->epoch     ? (x->epoch < y->epoch ? 1 : -1)
                : x->number != y->number ? (x->number < y->number ? 1 : -1)
                                         : 0;
    }
    // The file that marks another as ignored comes before that one.
    return order != 0
               ? order
               : (x->kind == ISO__RECORDING_FILE_IGNORED ? 0 : 1) - (y->kind == ISO__RECORDING_FILE_IGNORED ? 0 : 1);
}

static bool add_name(iso__recording_list *list, const iso__recording_name *name) {
    if (list->count == list->capacity) {
        iso__recording_name *names = realloc(list->names, (list->capacity + 16) * sizeof *names);
        if (names == NULL) {
            iso__log_error("--record: out of memory while listing the files");
            return false;
        }
        list->names = names;
        list->capacity += 16;
    }
    list->names[list->count++] = *name;
    return true;
}

/// @return false after a message
static bool add_entry(iso__recording_list *list, const iso__disk *disk, const char *text, const char *session) {
    iso__recording_name name;
    struct stat info;
    if (session != NULL ? !parse_name(text, session, &name) : !parse_any_name(text, &name)) {
        return true;
    }
    if (fstatat(disk->folder, text, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        iso__log_error("--record: %s cannot be examined: %s", text, strerror(errno));
        return false;
    }
    // Whatever stands in the place of settings is not passed over: who reads it refuses it.
    const bool counts = S_ISREG(info.st_mode) || name.kind == ISO__RECORDING_FILE_SETTINGS;
    return !counts || add_name(list, &name);
}

static bool read_folder(iso__recording_list *list, DIR *dir, const iso__disk *disk, const char *session) {
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL && errno != 0) {
            iso__log_error("--record: the folder cannot be read: %s", strerror(errno));
        }
        if (entry == NULL) {
            return errno == 0;
        }
        if (!add_entry(list, disk, entry->d_name, session)) {
            return false;
        }
    }
}

bool iso__recording_list_files(iso__recording_list *list, const iso__disk *disk, const char *session) {
    ISO_ASSERT(disk->folder >= 0);
    int folder = openat(disk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = folder >= 0 ? fdopendir(folder) : NULL;
    if (dir == NULL) {
        iso__log_error("--record: the folder cannot be read: %s", strerror(errno));
        if (folder >= 0) {
            close(folder);
        }
        return false;
    }
    bool is_read = read_folder(list, dir, disk, session);
    closedir(dir);
    if (list->count > 0) {
        qsort(list->names, list->count, sizeof list->names[0], by_session_and_age);
    }
    return is_read;
}

void iso__recording_format_uid(const uint8_t *uid, char text[ISO__RECORDING_UID_DIGITS + 1]) {
    for (size_t i = 0; i < ISO__RECORDING_UID_DIGITS / 2; ++i) {
        snprintf(text + 2 * i, 3, "%02x", uid[i]);
    }
}
