#include "host/recordings/created_mark.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/watch/log.h"
#include "isostep/assert.h"
#include "isostep/proto/session_request.h"

#define NAME_SIZE (ISO_SESSION_NAME_MAX + sizeof ISO__CREATED_MARK_END)

static void make_name(const char *session, char name[NAME_SIZE]) {
    snprintf(name, NAME_SIZE, "%s" ISO__CREATED_MARK_END, session);
}

iso_status iso__created_mark_create(const iso__disk *disk, const char *session) {
    ISO_ASSERT(disk->folder >= 0 && iso_session_name_is_valid(session, strlen(session)));
    char name[NAME_SIZE];
    make_name(session, name);
    const int file = openat(disk->folder, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    const bool is_made = file >= 0 && fsync(file) == 0;
    if (!is_made) {
        iso__log_session(ERROR, session, "the file %s cannot be created in the folder of the recordings: %s", name,
                         strerror(errno));
    }
    if (file >= 0) {
        close(file);
    }
    return is_made ? iso__disk_sync_folder(disk) : ISO_ERR_IO;
}

void iso__created_mark_remove(const iso__disk *disk, const char *session) {
    ISO_ASSERT(disk->folder >= 0 && iso_session_name_is_valid(session, strlen(session)));
    char name[NAME_SIZE];
    make_name(session, name);
    if (unlinkat(disk->folder, name, 0) != 0 && errno != ENOENT) {
        iso__log_session(WARNING, session, "the file %s cannot be removed: %s", name, strerror(errno));
    }
}

/// @return false: there is no memory
static bool add(iso__created_mark_list *list, const char *name, size_t size) {
    if (list->count == list->capacity) {
        const uint32_t capacity = list->capacity + 16;
        char(*names)[ISO_SESSION_NAME_MAX + 1] = realloc(list->names, capacity * sizeof names[0]);
        if (names == NULL) {
            return false;
        }
        list->names = names;
        list->capacity = capacity;
    }
    snprintf(list->names[list->count++], sizeof list->names[0], "%.*s", (int)size, name);
    return true;
}

/// @return the size of the session's name; 0: it is no mark
static size_t session_size(const iso__disk *disk, const char *name) {
    struct stat about;
    const size_t size = strlen(name), end = sizeof ISO__CREATED_MARK_END - 1;
    const bool is_mark = size > end && strcmp(name + size - end, ISO__CREATED_MARK_END) == 0 &&
                         iso_session_name_is_valid(name, size - end) &&
                         fstatat(disk->folder, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(about.st_mode);
    return is_mark ? size - end : 0;
}

static int by_name(const void *a, const void *b) {
    return strcmp(a, b);
}

bool iso__created_mark_list_read(iso__created_mark_list *list, const iso__disk *disk) {
    ISO_ASSERT(disk->folder >= 0);
    *list = (iso__created_mark_list){0};
    const int folder = openat(disk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = folder >= 0 ? fdopendir(folder) : NULL;
    if (stream == NULL) {
        iso__log_error("--record: the folder cannot be read: %s", strerror(errno));
        if (folder >= 0) {
            close(folder);
        }
        return false;
    }
    bool is_read = true;
    for (const struct dirent *entry; is_read && (entry = readdir(stream)) != NULL;) {
        const size_t size = session_size(disk, entry->d_name);
        is_read = size == 0 || add(list, entry->d_name, size);
    }
    closedir(stream);
    if (!is_read) {
        iso__log_error("--record: out of memory while listing the files");
    }
    if (list->count > 0) {
        qsort(list->names, list->count, sizeof list->names[0], by_name);
    }
    return is_read;
}

void iso__created_mark_list_term(iso__created_mark_list *list) {
    ISO_ASSERT(list->count <= list->capacity);
    free(list->names);
    *list = (iso__created_mark_list){0};
}
