/// Which files the process can open after its start: landlock.
///
/// A file's row gives a right on the folder that it is in, not on the file: what a signal opens again, what is replaced
/// by renaming, and a folder of recordings that is moved away and made again are other files under the same path. The
/// root folder is no such folder, or everything would be open: there the right is on the file itself.
#include "host/start/sandbox_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/start/scenes.h"
#include "host/watch/log.h"
#include "isostep/assert.h"

// From this one on (Linux 5.19) renaming between folders is a right of its own; before, the rules below were others.
#define VERSION_MIN 2
// Of version 3 (Linux 6.2), which Debian 12's header does not have.
#define TRUNCATE         (UINT64_C(1) << 14)
#define TRUNCATE_VERSION 3

#define READ   (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define APPEND (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG | TRUNCATE)
#define MANAGE (READ | APPEND | LANDLOCK_ACCESS_FS_REMOVE_FILE)

// The rights that a rule on a file, and not on a folder, can give.
#define OF_FILES (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | TRUNCATE)
// Everything that is forbidden unless a rule allows it.
#define OF_VERSION_MIN                                                                              \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_READ_FILE |    \
     LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | \
     LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |     \
     LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |  \
     LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_REFER)

/// The table: a row for each option that names a file or a folder which the server opens, or opens again, while it
/// runs. A path may have an @ in front, as options have that take a secret or a file.
typedef struct path_row {
    size_t field; // of iso__options: a const char *, NULL when it was not given
    uint64_t rights;
} path_row;

static const path_row path_rows[] = {
    {offsetof(iso__options, record_dir), MANAGE},
    {offsetof(iso__options, events_path), APPEND},
    {offsetof(iso__options, scene), READ}, // and what it includes
    {offsetof(iso__options, log_path), APPEND},
    {offsetof(iso__options, audit_path), APPEND},
    {offsetof(iso__options, bans_path), MANAGE},
    {offsetof(iso__options, http_tokens), READ},                          // again when it has changed
    {offsetof(iso__options, admin_path), LANDLOCK_ACCESS_FS_REMOVE_FILE}, // at the end
};

/// What libraries open, whatever the options are.
static const struct {
    const char *path;
    uint64_t rights;
} system_rows[] = {
    {"/dev/null", LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE}, // libuv keeps one for EMFILE
    {"/dev/urandom", LANDLOCK_ACCESS_FS_READ_FILE},
    {"/sys/devices/system/cpu", READ}, // the C library counts processors
};

typedef struct ruleset {
    int file;
    uint64_t handled;
    int error; // errno of the first that failed
} ruleset;

/// A path that is not there gets no right: nothing can be opened under it either.
static void add_rule(ruleset *rules, const char *path, uint64_t rights) {
    struct stat info;
    const int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) {
        return;
    }
    const bool is_folder = fstat(file, &info) == 0 && S_ISDIR(info.st_mode);
    const uint64_t allowed = rights & rules->handled & (is_folder ? UINT64_MAX : OF_FILES);
    const struct landlock_path_beneath_attr rule = {
        .allowed_access = allowed,
        .parent_fd = file,
    };
    // None is no rule: of a socket right below the root folder, which stays there.
    if (allowed != 0 && syscall(SYS_landlock_add_rule, rules->file, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0 &&
        rules->error == 0) {
        rules->error = errno;
    }
    close(file);
}

/// On the folder that the path is in. @return false: there is none that may be opened as a whole
static bool add_folder_of(ruleset *rules, const char *path, uint64_t rights) {
    struct stat info;
    char folder[4096];
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') {
        --size;
    }
    while (size > 0 && path[size - 1] != '/') {
        --size;
    }
    while (size > 1 && path[size - 1] == '/') {
        --size;
    }
    if (size >= sizeof folder || (size == 1 && path[0] == '/')) {
        return false;
    }
    memcpy(folder, path, size);
    memcpy(folder + size, size == 0 ? "." : "", size == 0 ? 2 : 1);
    // A device's folder has the other devices.
    if (stat(path, &info) == 0 && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode) || S_ISFIFO(info.st_mode))) {
        return false;
    }
    add_rule(rules, folder, rights);
    return true;
}

/// Whether it is a scene that is no file.
static bool is_named(const char *scene) {
    return scene != NULL && iso__scenes_find(scene, &(iso_builtin_scene){0});
}

static void add_path(ruleset *rules, const char *path, uint64_t rights) {
    if (path == NULL || strcmp(path, "-") == 0) {
        return;
    }
    path += path[0] == '@';
    // A folder by itself as well: it may be moved to another place.
    struct stat info;
    const bool is_folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    if (!add_folder_of(rules, path, rights) || is_folder) {
        add_rule(rules, path, rights);
    }
    // A symbolic link leads elsewhere.
    char *real = realpath(path, NULL);
    if (real != NULL && !add_folder_of(rules, real, rights)) {
        add_rule(rules, real, rights);
    }
    free(real);
}

static void add_rules(ruleset *rules, const iso__options *options) {
    for (size_t i = 0; i < sizeof system_rows / sizeof system_rows[0]; ++i) {
        add_rule(rules, system_rows[i].path, system_rows[i].rights);
    }
    for (size_t i = 0; i < sizeof path_rows / sizeof path_rows[0]; ++i) {
        const char *path = *(const char *const *)(const void *)((const char *)options + path_rows[i].field);
        if (path_rows[i].field != offsetof(iso__options, scene) || !is_named(path)) {
            add_path(rules, path, path_rows[i].rights);
        }
    }
    for (uint32_t i = 0; i < options->session_count; ++i) {
        const iso__session_spec *spec = &options->sessions[i];
        if (spec->scene != NULL && spec->scene != options->scene && !is_named(spec->scene)) {
            add_path(rules, spec->scene, READ);
        }
        add_path(rules, spec->resume, READ);
    }
}

bool iso__sandbox_confine_files(iso__sandbox *sandbox, const iso__options *options) {
    ISO_ASSERT(sandbox->files_version == 0 && !sandbox->lacks_files); // once
    const long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    sandbox->files_version = version > 0 ? (int)version : 0;
    sandbox->lacks_files = version < VERSION_MIN;
    if (sandbox->lacks_files) {
        return true;
    }
    const struct landlock_ruleset_attr attributes = {
        .handled_access_fs = OF_VERSION_MIN | (version >= TRUNCATE_VERSION ? TRUNCATE : 0),
    };
    ruleset rules = {
        .file = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0),
        .handled = attributes.handled_access_fs,
    };
    if (rules.file < 0) {
        rules.error = errno;
    } else {
        add_rules(&rules, options);
    }
    if (rules.error == 0 &&
        (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(SYS_landlock_restrict_self, rules.file, 0) != 0)) {
        rules.error = errno;
    }
    if (rules.file >= 0) {
        close(rules.file);
    }
    if (rules.error != 0) {
        iso__log_error("the process cannot be confined to its files by landlock: %s; --no-sandbox runs without",
                       strerror(rules.error));
    }
    return rules.error == 0;
}
