/// The settings of sessions that are continued, and what becomes of files of settings at the start.
#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/hosted.h"
#include "host/log.h"
#include "host/recovery_names.h"

/// Those beside a recording that --resume names, which may be in another folder than that of the recordings.
static bool read_resumed_settings(iso__hosted *hosted, const char *path) {
    char folder[ISO__RECOVERY_PATH_MAX];
    const char *slash = strrchr(path, '/');
    const size_t size = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (size >= sizeof folder)
        return true; // it could not have been opened
    memcpy(folder, size > 0 ? path : ".", size > 0 ? size : 1);
    folder[size > 0 ? size : 1] = '\0';
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

/// Those of the sessions of its name that it could have continued, and does not: a session of that name was private, or had
/// a password, and must not begin anew without. @return false after a message
static bool inherit_settings(iso__hosted *hosted, const iso__disk *disk) {
    const iso__recovery *recovery = &hosted->recovery;
    const size_t name_size = strlen(hosted->name) + 1; // and a -
    const char *from = NULL;
    for (size_t i = 0; i < recovery->change_count; ++i) {
        const iso__recovery_change *change = &recovery->changes[i];
        iso__session_settings settings;
        uint8_t uid[ISO_RECORDING_UID_SIZE] = {0};
        if (change->kind == ISO__RECOVERY_FINISH || change->kind == ISO__RECOVERY_SEAL)
            continue;
        sodium_hex2bin(uid, sizeof uid, change->name + name_size, ISO__RECOVERY_UID_DIGITS, NULL, NULL, NULL);
        if (!iso__settings_read(&settings, disk, hosted->name, uid))
            return false;
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

bool iso__hosted_find_settings(iso__hosted *hosted, const iso__session_spec *spec, const iso__hosted_config *config) {
    const iso__disk *disk = config->writer != NULL ? config->disk : NULL;
    const uint8_t *uid = hosted->recovery.recording.header.uid;
    if (!hosted->recovery.is_found)
        return disk == NULL || inherit_settings(hosted, disk);
    if (disk != NULL && !iso__settings_read(&hosted->settings, disk, hosted->name, uid))
        return false;
    return spec->resume == NULL || iso__settings_are_own(&hosted->settings) ||
           read_resumed_settings(hosted, spec->resume);
}

bool iso__hosted_save_settings(const iso__hosted *hosted, const iso__disk *disk) {
    return !hosted->saves_settings || iso__settings_write(&hosted->settings, disk, hosted->name, hosted->uid);
}

void iso__hosted_remove_left_settings(const iso__disk *disk,
                                      bool (*is_hosted)(const void *user, const char *session, const char *uid),
                                      const void *user) {
    iso__recovery_list list = {0};
    const size_t count = iso__recovery_list_files(&list, disk, NULL) ? list.count : 0;
    for (size_t i = 0, end; i < count; i = end) {
        const iso__recovery_name *first = &list.names[i];
        for (end = i + 1; end < count && strcmp(list.names[end].session, first->session) == 0 &&
                          strcmp(list.names[end].uid, first->uid) == 0;)
            ++end;
        if (end - i == 1 && first->kind == ISO__RECOVERY_FILE_SETTINGS && !is_hosted(user, first->session, first->uid))
            iso__disk_remove(disk, first->text);
    }
    free(list.names);
}
