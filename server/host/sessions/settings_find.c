/// The settings of sessions that are continued, and what becomes of files of settings at the start.
#include "host/sessions/settings_find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affinity.h"
#include "host/recordings/recording_names.h"
#include "host/watch/log.h"

/// Those beside a recording that --resume names, which may be in another folder than that of the recordings, and named
/// by a link: the settings stand beside the file itself.
static bool read_resumed_settings(iso__hosted *hosted, const char *path) {
    char folder[PATH_MAX];
    if (realpath(path, folder) == NULL) {
        iso__log_session(ERROR, hosted->name, "the folder of '%s' cannot be found for the session's settings: %s", path,
                         strerror(errno));
        return false;
    }
    char *slash = strrchr(folder, '/');
    slash[slash == folder ? 1 : 0] = '\0';
    const iso__disk disk = {.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .file = -1};
    if (disk.folder < 0) {
        iso__log_session(ERROR, hosted->name, "the folder '%s' cannot be opened for the session's settings: %s", folder,
                         strerror(errno));
        return false;
    }
    const bool is_read =
        iso__settings_read(&hosted->settings, &disk, hosted->name, hosted->recovery.recording.header.uid);
    close(disk.folder);
    hosted->saves_settings = iso__settings_are_own(&hosted->settings);
    return is_read;
}

/// Those of the sessions of its name that it could have continued, and does not: a session of that name was private, or
/// had a password, and must not begin anew without. @return false after a message
static bool inherit_from_left(iso__hosted *hosted, const iso__disk *disk) {
    const iso__recovery *recovery = &hosted->recovery;
    const size_t name_size = strlen(hosted->name) + 1; // and a -
    const char *from = NULL;
    for (size_t i = 0; i < recovery->change_count; ++i) {
        const iso__recovery_change *change = &recovery->changes[i];
        iso__session_settings settings;
        uint8_t uid[ISO_RECORDING_UID_SIZE] = {0};
        if (change->kind == ISO__RECOVERY_FINISH || change->kind == ISO__RECOVERY_SEAL) {
            continue;
        }
        sodium_hex2bin(uid, sizeof uid, change->name + name_size, ISO__RECORDING_UID_DIGITS, NULL, NULL, NULL);
        if (!iso__settings_read(&settings, disk, hosted->name, uid)) {
            return false;
        }
        if (from != NULL && !iso__settings_are_equal(&settings, &hosted->settings)) {
            iso__log_session(ERROR, hosted->name,
                             "it would begin anew, and the sessions of %s and %s had different settings. Nothing was "
                             "changed; move the files of one of them to another folder",
                             from, change->name);
            return false;
        }
        hosted->settings = settings;
        from = change->name;
    }
    return true;
}

static void uid_of(const iso__recording_name *name, uint8_t uid[ISO_RECORDING_UID_SIZE]) {
    memset(uid, 0, ISO_RECORDING_UID_SIZE);
    sodium_hex2bin(uid, ISO_RECORDING_UID_SIZE, name->uid, ISO__RECORDING_UID_DIGITS, NULL, NULL, NULL);
}

/// A file of settings, with the time of its last change.
typedef struct found_settings {
    const iso__recording_name *name; // NULL: none
    struct timespec changed;
    iso__session_settings settings;
} found_settings;

static int compare_times(const struct timespec *a, const struct timespec *b) {
    const int64_t seconds = (int64_t)a->tv_sec - (int64_t)b->tv_sec, rest = (int64_t)a->tv_nsec - (int64_t)b->tv_nsec;
    return seconds != 0 ? (seconds < 0 ? -1 : 1) : (rest > 0) - (rest < 0);
}

/// @return false after a message: one of them cannot be read, or of two that differ it is unclear which one is newer
static bool find_newest(const iso__hosted *hosted, const iso__disk *disk, const iso__recording_list *list,
                        found_settings *newest) {
    for (size_t i = 0; i < list->count; ++i) {
        found_settings one = {.name = &list->names[i]};
        struct stat about;
        uint8_t uid[ISO_RECORDING_UID_SIZE];
        if (one.name->kind != ISO__RECORDING_FILE_SETTINGS) {
            continue;
        }
        uid_of(one.name, uid);
        if (!iso__settings_read(&one.settings, disk, hosted->name, uid)) {
            return false;
        }
        if (fstatat(disk->folder, one.name->text, &about, AT_SYMLINK_NOFOLLOW) == 0) {
            one.changed = about.st_mtim;
        }
        const int order = newest->name != NULL ? compare_times(&one.changed, &newest->changed) : 1;
        if (order == 0 && !iso__settings_are_equal(&one.settings, &newest->settings)) {
            iso__log_session(ERROR, hosted->name,
                             "it would begin anew, and %s and %s are different settings of this name and equally old. "
                             "Nothing was changed; move one of them to another folder, with its recordings",
                             newest->name->text, one.name->text);
            return false;
        }
        if (order > 0) {
            *newest = one;
        }
    }
    return true;
}

/// The newest ones of its name, whatever has become of their session: its recordings may have been moved away, damaged,
/// or ended for good by --on-restart new. Who hosts a name again means the same by it. @return false after a message
static bool inherit_newest(iso__hosted *hosted, const iso__disk *disk) {
    iso__recording_list list = {0};
    found_settings newest = {0};
    const bool is_read =
        iso__recording_list_files(&list, disk, hosted->name) && find_newest(hosted, disk, &list, &newest);
    if (is_read && newest.name != NULL && iso__settings_are_own(&newest.settings)) {
        hosted->settings = newest.settings;
        iso__log_session(
            WARNING, hosted->name,
            "it begins anew, with the settings in %s, the newest of this name:%s%s%s; without them only when "
            "that file is moved to another folder, with its recordings",
            newest.name->text, newest.settings.is_private ? " private" : "",
            newest.settings.has_password ? " with a password" : "",
            newest.settings.slots > 0 || newest.settings.has_spectators ? " numbers of its own" : "");
    }
    free(list.names);
    return is_read;
}

/// @return false after a message
static bool inherit_settings(iso__hosted *hosted, const iso__disk *disk) {
    if (!inherit_from_left(hosted, disk)) {
        return false;
    }
    // One that was created over HTTP does not begin anew.
    return hosted->is_created || iso__settings_are_own(&hosted->settings) || inherit_newest(hosted, disk);
}

bool iso__hosted_find_settings(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config) {
    ISO__ASSERT_ON(&hosted->affinity);
    const iso__disk *disk = config->writer != NULL ? config->disk : NULL;
    const uint8_t *uid = hosted->recovery.recording.header.uid;
    if (!hosted->recovery.is_found) {
        return disk == NULL || inherit_settings(hosted, disk);
    }
    if (disk != NULL && !iso__settings_read(&hosted->settings, disk, hosted->name, uid)) {
        return false;
    }
    return spec->resume == NULL || iso__settings_are_own(&hosted->settings) ||
           read_resumed_settings(hosted, spec->resume);
}

bool iso__hosted_save_settings(const iso__hosted *hosted, const iso__disk *disk) {
    return !hosted->saves_settings || iso__settings_write(&hosted->settings, disk, hosted->name, hosted->uid);
}

/// What a server that was killed while it wrote has left.
static void remove_parts(const iso__disk *disk) {
    const int folder = openat(disk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = folder >= 0 ? fdopendir(folder) : NULL;
    if (stream == NULL && folder >= 0) {
        close(folder);
    }
    for (const struct dirent *entry; stream != NULL && (entry = readdir(stream)) != NULL;) {
        if (iso__recording_is_settings_part(entry->d_name)) {
            iso__disk_remove(disk, entry->d_name);
        }
    }
    if (stream != NULL) {
        closedir(stream);
    }
}

void iso__hosted_remove_left_settings(const iso__disk *disk,
                                      bool (*is_hosted)(const void *user, const char *session, const char *uid),
                                      const void *user) {
    ISO_ASSERT(disk->folder >= 0);
    remove_parts(disk);
    iso__recording_list list = {0};
    const size_t count = iso__recording_list_files(&list, disk, NULL) ? list.count : 0;
    for (size_t i = 0, end; i < count; i = end) {
        const iso__recording_name *first = &list.names[i];
        for (end = i + 1; end < count && strcmp(list.names[end].session, first->session) == 0 &&
                          strcmp(list.names[end].uid, first->uid) == 0;) {
            ++end;
        }
        if (end - i == 1 && first->kind == ISO__RECORDING_FILE_SETTINGS &&
            !is_hosted(user, first->session, first->uid) && !iso__settings_are_restricted(disk, first->text)) {
            iso__disk_remove(disk, first->text);
        }
    }
    free(list.names);
}
