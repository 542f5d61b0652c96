/// The files that a killed server leaves: found, read, sealed, put aside.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/log.h"
#include "host/recovery.h"

#define UID_DIGITS 8u

/// What a file's name says: NAME-UIDPREFIX-EPOCH[.NUMBER].isr[.part]
typedef struct file_name {
    char text[ISO_RECORDER_NAME_SIZE];
    char uid[UID_DIGITS + 1];
    uint32_t epoch, number;
    bool part;
    struct timespec modified;
} file_name;

/// Decimal digits without a leading zero. @return behind them, or NULL
static const char *parse_number(const char *text, uint32_t *number)
{
    uint64_t value = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && value <= UINT32_MAX; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    *number = (uint32_t)value;
    return at > text && value <= UINT32_MAX ? at : NULL;
}

/// @return whether the file is one of the session's, also one that was put aside
static bool parse_name(const char *text, const char *session, file_name *name)
{
    size_t size = strlen(session);
    memset(name, 0, sizeof *name);
    if (strlen(text) >= sizeof name->text || strncmp(text, session, size) != 0 || text[size] != '-')
        return false;
    const char *at = text + size + 1;
    if (strspn(at, "0123456789abcdef") != UID_DIGITS || at[UID_DIGITS] != '-')
        return false;
    memcpy(name->uid, at, UID_DIGITS);
    at = parse_number(at + UID_DIGITS + 1, &name->epoch);
    name->number = 1;
    if (at != NULL && at[0] == '.' && at[1] >= '0' && at[1] <= '9')
        at = parse_number(at + 1, &name->number);
    if (at == NULL || strncmp(at, ".isr", 4) != 0)
        return false;
    name->part = strcmp(at, ".isr.part") == 0;
    memcpy(name->text, text, strlen(text) + 1);
    return true;
}

/// Which of two unfinished files its session was in last. Within one session the names tell; between two
/// that have nothing to do with one another, the time.
static bool is_later(const file_name *a, const file_name *b)
{
    if (memcmp(a->uid, b->uid, UID_DIGITS) == 0)
        return a->epoch != b->epoch ? a->epoch > b->epoch : a->number > b->number;
    return a->modified.tv_sec != b->modified.tv_sec ? a->modified.tv_sec > b->modified.tv_sec
                                                    : a->modified.tv_nsec > b->modified.tv_nsec;
}

/// Calls `each` for every file of the session. @return false when the folder cannot be read
static bool for_each_file(const iso__disk *disk, const char *session, void (*each)(void *user, const file_name *name), void *user)
{
    int folder = openat(disk->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = folder >= 0 ? fdopendir(folder) : NULL;
    if (dir == NULL) {
        iso__log("isostep-server: --record: the folder cannot be read: %s", strerror(errno));
        if (folder >= 0)
            close(folder);
        return false;
    }
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        file_name name;
        struct stat info;
        if (!parse_name(entry->d_name, session, &name) || fstatat(disk->folder, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(info.st_mode))
            continue;
        name.modified = info.st_mtim;
        each(user, &name);
    }
    closedir(dir);
    return true;
}

typedef struct epoch_search {
    char uid[UID_DIGITS + 1];
    uint32_t epoch_max;
} epoch_search;

static void see_epoch(void *user, const file_name *name)
{
    epoch_search *search = user;
    if (memcmp(name->uid, search->uid, UID_DIGITS) == 0 && name->epoch > search->epoch_max)
        search->epoch_max = name->epoch;
}

/// One more than any that the folder has seen of this session.
static bool find_next_epoch(iso__recovery *recovery, const iso__disk *disk)
{
    const iso_recording_header *header = &recovery->recording.header;
    epoch_search search = {.epoch_max = header->epoch};
    for (size_t i = 0; i < UID_DIGITS / 2; i++)
        snprintf(search.uid + 2 * i, 3, "%02x", header->uid[i]);
    if (disk != NULL && !for_each_file(disk, header->session, see_epoch, &search))
        return false;
    recovery->next_epoch = search.epoch_max + 1;
    return recovery->next_epoch != 0;
}

iso_status iso__recovery_map(iso__recovery *recovery, int folder, const char *name, iso_recording_mode mode, iso_recording_error *error)
{
    *error = (iso_recording_error){.status = ISO_ERR_IO};
    struct stat info;
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        error->what = file < 0 ? strerror(errno) : "it is no file";
        if (file >= 0)
            close(file);
        return ISO_ERR_IO;
    }
    recovery->size = (size_t)info.st_size;
    void *bytes = recovery->size > 0 ? mmap(NULL, recovery->size, PROT_READ, MAP_PRIVATE, file, 0) : NULL;
    close(file);
    if (bytes == MAP_FAILED) {
        error->what = strerror(errno);
        return ISO_ERR_IO;
    }
    recovery->bytes = bytes;
    return iso_recording_open(&recovery->recording, bytes != NULL ? bytes : (const uint8_t *)"", recovery->size, mode, error);
}

void iso__recovery_close(iso__recovery *recovery)
{
    if (recovery->bytes != NULL)
        munmap((void *)(uintptr_t)recovery->bytes, recovery->size);
    recovery->bytes = NULL;
}

void iso__recovery_put_aside(const iso__disk *disk, const char *name, const char *why)
{
    char aside[ISO_RECORDER_NAME_SIZE + 24];
    for (unsigned i = 1; i < 100; i++) {
        snprintf(aside, sizeof aside, i == 1 ? "%s.damaged" : "%s.damaged-%u", name, i);
        if (faccessat(disk->folder, aside, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
            break;
    }
    iso_status status = iso__disk_rename(disk, name, aside);
    iso__log("isostep-server: warning: the recording %s cannot be gone on from: %s; it is %s %s", name, why,
             status == ISO_OK ? "put aside as" : "left where it is, not", aside);
}

/// Every keyframe, or every second, fourth, … of them.
static uint32_t collect_index(const iso_recording *recording, iso_recording_index_entry *entries)
{
    uint32_t count = 0, seen = 0, stride = recording->keyframe_count / ISO_RECORDING_INDEX_MAX + 1;
    uint64_t offset = recording->frames_offset;
    iso_recording_frame frame;
    while (iso_recording_next(recording, &offset, &frame)) {
        iso_recording_keyframe keyframe;
        if (frame.type == ISO_RECORDING_KEYFRAME && seen++ % stride == 0 && count < ISO_RECORDING_INDEX_MAX &&
            iso_recording_read_keyframe(&frame, &keyframe) == ISO_OK)
            entries[count++] = (iso_recording_index_entry){.tick = keyframe.tick, .offset = frame.offset};
    }
    return count;
}

/// The FOOTER and trailer for a file that has none. @return their size, 0 without memory
static size_t encode_end(const iso_recording *recording, uint8_t **bytes)
{
    iso_recording_index_entry *entries = malloc(ISO_RECORDING_INDEX_MAX * sizeof *entries);
    size_t capacity = iso_recording_end_bound(ISO_RECORDING_INDEX_MAX), size = 0;
    *bytes = malloc(capacity);
    if (entries != NULL && *bytes != NULL) {
        iso_recording_footer footer = {
            .last_tick = recording->last_tick,
            .has_root = recording->has_root,
            .root_tick = recording->root_tick,
            .root = recording->root,
            .entries = entries,
            .entry_count = collect_index(recording, entries),
        };
        size = iso_recording_encode_end(&footer, recording->size, *bytes, capacity);
    }
    free(entries);
    return size;
}

iso_status iso__recovery_seal(const iso__recovery *recovery, int folder, const char *name)
{
    const iso_recording *recording = &recovery->recording;
    if (recording->sealed)
        return ISO_OK;
    iso__disk disk = {folder, openat(folder, name, O_WRONLY | O_CLOEXEC)};
    uint8_t *end = NULL;
    size_t size = encode_end(recording, &end), written;
    iso_status status = disk.file >= 0 && size > 0 ? ISO_OK : ISO_ERR_IO;
    if (status == ISO_OK)
        status = iso__disk_truncate(&disk, recording->size);
    if (status == ISO_OK)
        status = iso__disk_write(&disk, end, size, recording->size, &written);
    if (status == ISO_OK)
        status = iso__disk_sync(&disk);
    if (disk.file >= 0)
        close(disk.file);
    free(end);
    if (status != ISO_OK)
        iso__log("isostep-server: warning: the recording %s cannot be sealed; it stays as it is", name);
    return status;
}

/// Seals a file that nothing goes on from, and gives it its final name.
static void finish(const iso__recovery *recovery, const iso__disk *disk, const char *name)
{
    char final_name[ISO_RECORDER_NAME_SIZE];
    snprintf(final_name, sizeof final_name, "%.*s", (int)(strlen(name) - strlen(".part")), name);
    if (iso__recovery_seal(recovery, disk->folder, name) == ISO_OK &&
        iso__disk_rename(disk, name, final_name) == ISO_OK) {
        iso__disk_sync_folder(disk);
        iso__log("isostep-server: info: the recording %s is sealed, up to tick %" PRIu64, final_name, recovery->recording.last_tick);
    }
}

/// Looks at one file that was left. @return whether its session can be gone on with; it is open then
static bool judge(iso__recovery *recovery, const iso__disk *disk, const file_name *name, const char *session)
{
    iso_recording_error error;
    iso_status status = iso__recovery_map(recovery, disk->folder, name->text, ISO_RECORDING_TORN, &error);
    if (status != ISO_OK || strcmp(recovery->recording.header.session, session) != 0) {
        char why[200];
        snprintf(why, sizeof why, "%s at offset %" PRIu64 ", after tick %" PRIu64 " (%s)", iso_status_name(status == ISO_OK ? ISO_ERR_CORRUPT : status),
                 error.offset, error.tick, status == ISO_OK ? "it is another session's" : error.what);
        iso__recovery_close(recovery);
        iso__recovery_put_aside(disk, name->text, why);
        return false;
    }
    if (!recovery->recording.degraded)
        return true;
    // Its session went on without it, and what clients saw then is nowhere.
    iso__log("isostep-server: warning: the recording %s ended early for a fault of the disk; it stays as it is", name->text);
    iso__recovery_close(recovery);
    return false;
}

typedef struct part_list {
    file_name *names;
    size_t count, capacity;
} part_list;

static void collect_part(void *user, const file_name *name)
{
    part_list *list = user;
    if (!name->part)
        return;
    if (list->count == list->capacity) {
        file_name *names = realloc(list->names, (list->capacity + 16) * sizeof *names);
        if (names == NULL)
            return;
        list->names = names;
        list->capacity += 16;
    }
    list->names[list->count++] = *name;
}

static int by_age(const void *a, const void *b)
{
    return is_later(a, b) ? -1 : is_later(b, a) ? 1 : 0;
}

/// Whether a file had only just begun: what it goes on from has all that it has, and who is there as well.
static bool is_empty_successor(const iso__recovery *later, const iso__recovery *earlier)
{
    const iso_recording *a = &later->recording, *b = &earlier->recording;
    return a->tick_count == 0 && memcmp(a->header.uid, b->header.uid, sizeof a->header.uid) == 0 &&
           b->last_tick == a->header.first_tick;
}

bool iso__recovery_find(iso__recovery *recovery, const iso__disk *disk, const char *session)
{
    *recovery = (iso__recovery){0};
    part_list list = {0};
    if (!for_each_file(disk, session, collect_part, &list)) {
        free(list.names);
        return false;
    }
    if (list.count > 0)
        qsort(list.names, list.count, sizeof list.names[0], by_age);
    for (size_t i = 0; i < list.count; i++) {
        const file_name *name = &list.names[i];
        iso__recovery one = {0};
        if (!judge(&one, disk, name, session))
            continue;
        if (recovery->found && !is_empty_successor(recovery, &one)) {
            finish(&one, disk, name->text);
            iso__recovery_close(&one);
            continue;
        }
        if (recovery->found) {
            finish(recovery, disk, recovery->part_name);
            iso__recovery_close(recovery);
        }
        *recovery = one;
        recovery->found = true;
        memcpy(recovery->part_name, name->text, sizeof name->text);
        memcpy(recovery->final_name, name->text, strlen(name->text) - strlen(".part"));
    }
    if (recovery->found)
        iso__recovery_seal(recovery, disk->folder, recovery->part_name);
    free(list.names);
    return !recovery->found || find_next_epoch(recovery, disk);
}

bool iso__recovery_open(iso__recovery *recovery, const iso__disk *disk, const char *path)
{
    *recovery = (iso__recovery){0};
    size_t size = strlen(path);
    bool is_part = size >= 5 && strcmp(path + size - 5, ".part") == 0;
    iso_recording_error error;
    iso_status status = iso__recovery_map(recovery, AT_FDCWD, path, is_part ? ISO_RECORDING_TORN : ISO_RECORDING_STRICT, &error);
    if (status == ISO_ERR_IO) {
        iso__log("isostep-server: --resume: '%s' cannot be read: %s", path, error.what);
        return false;
    }
    if (status != ISO_OK) {
        iso__log("isostep-server: --resume: '%s': %s at offset %" PRIu64 ", after tick %" PRIu64 ": %s", path, iso_status_name(status),
                 error.offset, error.tick, error.what);
        iso__recovery_close(recovery);
        return false;
    }
    recovery->found = true;
    return find_next_epoch(recovery, disk);
}
