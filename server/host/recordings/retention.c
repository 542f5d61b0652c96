#include "host/recordings/retention.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/thread.h"
#include "host/recordings/footer.h"
#include "host/recordings/recording_names.h"
#include "host/watch/log.h"
#include "isostep/assert.h"
#include "isostep/proto/text.h"

#define INTERVAL_S 60

typedef struct kept_file {
    const iso__recording_name *name;
    uint64_t bytes;
    int64_t sealed_s;
    uint32_t session; // number of the session
    bool can_go;
    bool is_last; // it says that its session is over
    bool is_gone;
} kept_file;

typedef struct turn {
    const iso__retention_config *config;
    kept_file *files;
    size_t count;
    uint32_t removed;
    uint64_t removed_bytes;
} turn;

bool iso__keep_parse(iso__keep_limits *limits, const char *text) {
    static const struct {
        const char *unit;
        uint64_t factor;
        int kind;
    } units[] = {{"d", 86400, 0},
                 {"n", 1, 1},
                 {"KiB", UINT64_C(1) << 10, 2},
                 {"MiB", UINT64_C(1) << 20, 2},
                 {"GiB", UINT64_C(1) << 30, 2},
                 {"TiB", UINT64_C(1) << 40, 2}};
    char *end;
    if (text[0] < '1' || text[0] > '9') {
        return false;
    }
    const unsigned long long number = strtoull(text, &end, 10);
    if (number > UINT64_C(1) << 20 && end - text > 7) {
        return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
        if (strcmp(end, units[i].unit) != 0) {
            continue;
        }
        *(units[i].kind == 0   ? &limits->seconds
          : units[i].kind == 1 ? &limits->files
                               : &limits->bytes) = number * units[i].factor;
        return true;
    }
    return false;
}

bool iso__keep_has_limits(const iso__keep_limits *limits) {
    return limits->seconds > 0 || limits->files > 0 || limits->bytes > 0;
}

static bool is_session(const iso__recording_name *a, const iso__recording_name *b) {
    return strcmp(a->session, b->session) == 0 && strcmp(a->uid, b->uid) == 0;
}

static bool is_mark_of(const iso__recording_name *mark, const iso__recording_name *name) {
    const size_t size = strlen(name->text);
    return mark->kind == ISO__RECORDING_FILE_IGNORED && strncmp(mark->text, name->text, size) == 0 &&
           strcmp(mark->text + size, ISO__RECORDING_IGNORED) == 0;
}

/// Whether a later start would continue from this file, the newest of its session.
static bool goes_on(const iso__disk *disk, const iso__recording_name *name, const iso__recording_name *before) {
    if (name->kind != ISO__RECORDING_FILE_SEALED) {
        return true;
    }
    if (before != NULL && is_mark_of(before, name)) {
        return false;
    }
    return iso__footer_goes_on(disk, name->text);
}

/// Notes the files with their sizes and times. @return false without memory
static bool note_files(turn *t, const iso__recording_list *list) {
    t->files = calloc(list->count + 1, sizeof *t->files);
    uint32_t session = 0;
    bool has_newest = false, has_sealed = false;
    for (size_t i = 0; t->files != NULL && i < list->count; ++i) {
        const iso__recording_name *name = &list->names[i];
        struct stat info;
        if (i > 0 && !is_session(name, name - 1)) {
            ++session;
            has_newest = has_sealed = false;
        }
        if (fstatat(t->config->disk->folder, name->text, &info, AT_SYMLINK_NOFOLLOW) != 0) {
            continue;
        }
        const bool is_recording = name->kind == ISO__RECORDING_FILE_SEALED || name->kind == ISO__RECORDING_FILE_PART;
        const bool is_newest = is_recording && !has_newest;
        // Of the file that is not sealed a kill or a power cut may leave nothing: the session goes on from the one
        // before.
        const bool is_before_part = name->kind == ISO__RECORDING_FILE_SEALED && has_newest && !has_sealed;
        has_newest = has_newest || is_recording;
        has_sealed = has_sealed || name->kind == ISO__RECORDING_FILE_SEALED;
        t->files[t->count++] = (kept_file){
            .name = name,
            .bytes = (uint64_t)info.st_size,
            .sealed_s = info.st_mtim.tv_sec,
            .session = session,
            .is_last = is_newest,
            .can_go = name->kind == ISO__RECORDING_FILE_SEALED && !is_before_part &&
                      !(is_newest && goes_on(t->config->disk, name, i > 0 ? name - 1 : NULL)),
        };
    }
    return t->files != NULL;
}

/// @return whether it is gone
static bool remove_file(turn *t, kept_file *file) {
    const int folder = t->config->disk->folder;
    const int open_file = openat(folder, file->name->text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    file->can_go = false;
    if (open_file < 0) {
        return false;
    }
    // Who reads it holds a shared lock.
    const bool is_free = flock(open_file, LOCK_EX | LOCK_NB) == 0;
    file->is_gone = is_free && unlinkat(folder, file->name->text, 0) == 0;
    close(open_file);
    t->removed += file->is_gone;
    t->removed_bytes += file->is_gone ? file->bytes : 0;
    return file->is_gone;
}

static int by_age(const void *a, const void *b) {
    const kept_file *x = a, *y = b;
    if (x->sealed_s != y->sealed_s) {
        return x->sealed_s < y->sealed_s ? -1 : 1;
    }
    if (x->name->epoch != y->name->epoch) {
        return x->name->epoch < y->name->epoch ? -1 : 1;
    }
    return (x->name->number > y->name->number) - (x->name->number < y->name->number);
}

/// Without the file that says that a session is over, the next start would continue it from an older one.
static bool must_stay(const turn *t, const kept_file *file) {
    for (size_t i = 0; i < t->count && file->is_last; ++i) {
        const kept_file *other = &t->files[i];
        if (other != file && other->session == file->session && !other->is_gone &&
            other->name->kind == ISO__RECORDING_FILE_SEALED) {
            return true;
        }
    }
    return false;
}

/// Applies limits to files that are sorted by age. @param session  UINT32_MAX: to all
static void apply(turn *t, const iso__keep_limits *limits, uint32_t session, int64_t now_s) {
    uint64_t files = 0, bytes = 0;
    for (size_t i = 0; i < t->count; ++i) {
        const kept_file *file = &t->files[i];
        if (file->is_gone || (session != UINT32_MAX && file->session != session)) {
            continue;
        }
        files += file->name->kind == ISO__RECORDING_FILE_SEALED;
        bytes += file->bytes;
    }
    for (size_t i = 0; i < t->count; ++i) {
        kept_file *file = &t->files[i];
        if (!file->can_go || (session != UINT32_MAX && file->session != session)) {
            continue;
        }
        const bool is_old = limits->seconds > 0 && now_s - file->sealed_s > (int64_t)limits->seconds;
        const bool is_more =
            (limits->files > 0 && files > limits->files) || (limits->bytes > 0 && bytes > limits->bytes);
        if ((is_old || is_more) && !must_stay(t, file) && remove_file(t, file)) {
            --files;
            bytes -= file->bytes;
        }
    }
}

/// Settings stay for as long as any other file of their session does. Where none was removed now there may be none yet.
static void remove_settings(turn *t) {
    for (size_t i = 0; i < t->count; ++i) {
        kept_file *settings = &t->files[i];
        bool has_other = false, had_other = false;
        if (settings->name->kind != ISO__RECORDING_FILE_SETTINGS) {
            continue;
        }
        for (size_t j = 0; j < t->count; ++j) {
            const bool is_other = j != i && t->files[j].session == settings->session;
            had_other = had_other || (is_other && t->files[j].is_gone);
            has_other = has_other || (is_other && !t->files[j].is_gone);
        }
        if (had_other && !has_other) {
            settings->is_gone = unlinkat(t->config->disk->folder, settings->name->text, 0) == 0;
        }
    }
}

uint32_t iso__retention_turn(const iso__retention_config *config, int64_t now_s) {
    ISO_ASSERT(config->disk->folder >= 0);
    turn t = {.config = config};
    iso__recording_list list = {0};
    if (iso__recording_list_files(&list, config->disk, NULL) && note_files(&t, &list)) {
        const uint32_t sessions = t.count > 0 ? t.files[t.count - 1].session + 1 : 0;
        qsort(t.files, t.count, sizeof t.files[0], by_age);
        for (uint32_t i = 0; iso__keep_has_limits(&config->session) && i < sessions; ++i) {
            apply(&t, &config->session, i, now_s);
        }
        apply(&t, &config->all, UINT32_MAX, now_s);
        remove_settings(&t);
    }
    if (t.removed > 0) {
        iso__log_info("--keep: %" PRIu32 " old recording%s with %" PRIu64 " KiB %s removed", t.removed,
                      iso_text_plural(t.removed), t.removed_bytes >> 10, t.removed == 1 ? "is" : "are");
    }
    free(t.files);
    free(list.names);
    return t.removed;
}

/// @return whether it is time to stop
static bool wait(iso__retention *retention) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += INTERVAL_S;
    pthread_mutex_lock(&retention->mutex);
    for (int error = 0; !retention->is_stopping && error == 0;) {
        error = pthread_cond_timedwait(&retention->changed, &retention->mutex, &until);
    }
    const bool is_stopping = retention->is_stopping;
    pthread_mutex_unlock(&retention->mutex);
    return is_stopping;
}

static void *retention_main(void *argument) {
    iso__retention *retention = argument;
    if (!iso__gate_wait(retention->gate)) {
        return NULL;
    }
    do {
        iso__retention_turn(&retention->config, (int64_t)time(NULL));
    } while (!wait(retention));
    return NULL;
}

int iso__retention_start(iso__retention *retention, const iso__retention_config *config, iso__gate *gate) {
    ISO_ASSERT(config->disk->folder >= 0);
    pthread_condattr_t monotonic;
    *retention = (iso__retention){.config = *config, .gate = gate};
    pthread_mutex_init(&retention->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&retention->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    const int error = iso__thread_start(&retention->thread, retention_main, retention);
    retention->is_running = error == 0;
    return error;
}

void iso__retention_stop(iso__retention *retention) {
    ISO_ASSERT(!retention->is_running || retention->gate != NULL);
    if (!retention->is_running) {
        return;
    }
    pthread_mutex_lock(&retention->mutex);
    retention->is_stopping = true;
    pthread_cond_signal(&retention->changed);
    pthread_mutex_unlock(&retention->mutex);
    pthread_join(retention->thread, NULL);
    retention->is_running = false;
}

bool iso__retention_measure(const iso__disk *disk, uint64_t *bytes) {
    ISO_ASSERT(disk->folder >= 0);
    const int folder = openat(disk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = folder >= 0 ? fdopendir(folder) : NULL;
    struct stat info;
    *bytes = 0;
    if (dir == NULL && folder >= 0) {
        close(folder);
    }
    if (dir == NULL) {
        return false;
    }
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (fstatat(disk->folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info.st_mode)) {
            *bytes += (uint64_t)info.st_size;
        }
    }
    closedir(dir);
    return true;
}
