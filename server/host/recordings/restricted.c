#include "host/recordings/restricted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/recordings/settings.h"
#include "isostep/assert.h"

#define END_SIZE (sizeof ISO__SETTINGS_END - 1)

/// NAME-UID of NAME-UID-EPOCH.isr: all in front of the last hyphen. @return false: it has none, and is no session's
static bool find_session(const char *recording, char session[ISO__DISK_NAME_SIZE]) {
    const char *end = strrchr(recording, '-');
    const size_t size = end != NULL ? (size_t)(end - recording) : 0;
    if (size == 0 || size >= ISO__DISK_NAME_SIZE) {
        return false;
    }
    memcpy(session, recording, size);
    session[size] = '\0';
    return true;
}

/// @return false: there is no memory
static bool add(iso__restricted *restricted, size_t *capacity, const char *settings, size_t size) {
    if (restricted->count == *capacity) {
        const size_t more = *capacity > 0 ? 2 * *capacity : 16;
        void *list = realloc(restricted->sessions, more * sizeof restricted->sessions[0]);
        if (list == NULL) {
            return false;
        }
        restricted->sessions = list;
        *capacity = more;
    }
    memset(restricted->sessions[restricted->count], 0, sizeof restricted->sessions[0]);
    memcpy(restricted->sessions[restricted->count++], settings, size);
    return true;
}

static int compare(const void *a, const void *b) {
    return strcmp(a, b);
}

bool iso__restricted_read(iso__restricted *restricted, const iso__disk *disk) {
    ISO_ASSERT(disk->folder >= 0);
    size_t capacity = 0;
    *restricted = (iso__restricted){0};
    const int folder = openat(disk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = folder >= 0 ? fdopendir(folder) : NULL;
    if (stream == NULL && folder >= 0) {
        close(folder);
    }
    bool is_read = stream != NULL;
    errno = 0;
    for (const struct dirent *entry; is_read && (entry = readdir(stream)) != NULL; errno = 0) {
        const size_t size = strlen(entry->d_name);
        if (size > END_SIZE && size - END_SIZE < ISO__DISK_NAME_SIZE &&
            strcmp(entry->d_name + size - END_SIZE, ISO__SETTINGS_END) == 0 &&
            iso__settings_are_restricted(disk, entry->d_name)) {
            is_read = add(restricted, &capacity, entry->d_name, size - END_SIZE);
        }
    }
    // A folder that is read only in part might lack the one that counts.
    is_read = is_read && errno == 0;
    if (stream != NULL) {
        closedir(stream);
    }
    if (restricted->count > 0) {
        qsort(restricted->sessions, restricted->count, sizeof restricted->sessions[0], compare);
    }
    return is_read;
}

void iso__restricted_term(iso__restricted *restricted) {
    ISO_ASSERT(restricted->count == 0 || restricted->sessions != NULL);
    free(restricted->sessions);
    *restricted = (iso__restricted){0};
}

bool iso__restricted_has(const iso__restricted *restricted, const char *recording) {
    ISO_ASSERT(restricted->count == 0 || restricted->sessions != NULL);
    char session[ISO__DISK_NAME_SIZE];
    return restricted->count > 0 && find_session(recording, session) &&
           bsearch(session, restricted->sessions, restricted->count, sizeof restricted->sessions[0], compare) != NULL;
}

bool iso__restricted_is(const iso__disk *disk, const char *recording) {
    ISO_ASSERT(disk->folder >= 0);
    char session[ISO__DISK_NAME_SIZE], settings[ISO__DISK_NAME_SIZE + END_SIZE];
    if (!find_session(recording, session)) {
        return false;
    }
    snprintf(settings, sizeof settings, "%s" ISO__SETTINGS_END, session);
    return iso__settings_are_restricted(disk, settings);
}
