#include "host_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "host/recordings/disk.h"

host_disk the_disk;

iso_status __real_iso__disk_create_file(iso__disk *disk, const char *name);
iso_status __real_iso__disk_write(iso__disk *disk, const uint8_t *bytes, size_t size, uint64_t offset, size_t *written);
iso_status __real_iso__disk_sync(const iso__disk *disk);
iso_status __real_iso__disk_truncate(iso__disk *disk, uint64_t size);
iso_status __real_iso__disk_close_file(iso__disk *disk);
iso_status __real_iso__disk_rename(const iso__disk *disk, const char *name, const char *new_name);
iso_status __real_iso__disk_remove(const iso__disk *disk, const char *name);

iso_status __wrap_iso__disk_create_file(iso__disk *disk, const char *name);
iso_status __wrap_iso__disk_write(iso__disk *disk, const uint8_t *bytes, size_t size, uint64_t offset, size_t *written);
iso_status __wrap_iso__disk_sync(const iso__disk *disk);
iso_status __wrap_iso__disk_truncate(iso__disk *disk, uint64_t size);
iso_status __wrap_iso__disk_close_file(iso__disk *disk);
iso_status __wrap_iso__disk_rename(const iso__disk *disk, const char *name, const char *new_name);
iso_status __wrap_iso__disk_remove(const iso__disk *disk, const char *name);
iso_status __wrap_iso__disk_sync_folder(const iso__disk *disk);

typedef enum op_answer { ANSWER_DO, ANSWER_FAIL, ANSWER_HALF, ANSWER_NOTHING } op_answer;

/// Guards the_disk and what follows; a real operation, and a wait for the test, is never under it.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t released = PTHREAD_COND_INITIALIZER;
static bool holds[HOST_DISK_OTHER + 1];
static uint32_t held;

void host_disk_hold(host_disk_kind kind) {
    pthread_mutex_lock(&mutex);
    holds[kind] = true;
    pthread_mutex_unlock(&mutex);
}

void host_disk_release(void) {
    pthread_mutex_lock(&mutex);
    memset(holds, 0, sizeof holds);
    pthread_cond_broadcast(&released);
    pthread_mutex_unlock(&mutex);
}

uint32_t host_disk_held(void) {
    pthread_mutex_lock(&mutex);
    const uint32_t count = held;
    pthread_mutex_unlock(&mutex);
    return count;
}

/// What becomes of the next operation. @param hangs  it takes `hang_ns` before that
static op_answer next_locked(host_disk_kind kind, bool *hangs) {
    host_disk *d = &the_disk;
    for (held++; holds[kind];) {
        pthread_cond_wait(&released, &mutex);
    }
    --held;
    *hangs = false;
    if (d->is_dead) {
        return ANSWER_NOTHING;
    }
    const bool now = ++d->op_count == d->fault_at;
    const bool fails = (d->is_full && kind == HOST_DISK_WRITE) || (d->syncs_fail && kind == HOST_DISK_SYNC);
    switch (d->fault) {
    case HOST_DISK_FAILS:
        return !now && !fails ? ANSWER_DO : kind == HOST_DISK_WRITE ? ANSWER_HALF : ANSWER_FAIL;
    case HOST_DISK_HANGS:
        *hangs = now;
        break;
    case HOST_DISK_DIES:
        d->is_dead = now;
        if (now) {
            return ANSWER_NOTHING;
        }
        break;
    case HOST_DISK_DIES_TORN:
        d->is_dead = now;
        if (now) {
            return kind == HOST_DISK_WRITE ? ANSWER_HALF : ANSWER_DO;
        }
        break;
    default:
        break;
    }
    return !fails ? ANSWER_DO : kind == HOST_DISK_WRITE ? ANSWER_HALF : ANSWER_FAIL;
}

static op_answer next(host_disk_kind kind) {
    bool hangs;
    pthread_mutex_lock(&mutex);
    const op_answer answer = next_locked(kind, &hangs);
    pthread_mutex_unlock(&mutex);
    if (hangs) {
        the_disk.hang(the_disk.user, the_disk.hang_ns);
    }
    return answer;
}

static host_disk_file *by_descriptor(int descriptor) {
    for (uint32_t i = 0; i < the_disk.file_count; ++i) {
        if (descriptor >= 0 && the_disk.files[i].descriptor == descriptor) {
            return &the_disk.files[i];
        }
    }
    return NULL;
}

static host_disk_file *by_name(const char *name) {
    for (uint32_t i = 0; i < the_disk.file_count; ++i) {
        if (!the_disk.files[i].is_removed && strcmp(the_disk.files[i].name, name) == 0) {
            return &the_disk.files[i];
        }
    }
    return NULL;
}

iso_status __wrap_iso__disk_create_file(iso__disk *disk, const char *name) {
    if (next(HOST_DISK_OTHER) != ANSWER_DO || the_disk.creates_fail) {
        return ISO_ERR_IO;
    }
    const iso_status status = __real_iso__disk_create_file(disk, name);
    if (status != ISO_OK) {
        return status;
    }
    pthread_mutex_lock(&mutex);
    if (the_disk.file_count == HOST_DISK_FILES_MAX) {
        abort(); // on the writer's thread no assertion of cmocka may fail
    }
    host_disk_file *file = &the_disk.files[the_disk.file_count++];
    *file = (host_disk_file){.descriptor = disk->file};
    snprintf(file->name, sizeof file->name, "%s", name);
    ++the_disk.creates;
    pthread_mutex_unlock(&mutex);
    return status;
}

iso_status __wrap_iso__disk_write(iso__disk *disk, const uint8_t *bytes, size_t size, uint64_t offset,
                                  size_t *written) {
    const op_answer a = next(HOST_DISK_WRITE);
    *written = 0;
    if (a == ANSWER_NOTHING) {
        return ISO_ERR_IO;
    }
    const iso_status status = __real_iso__disk_write(disk, bytes, a == ANSWER_HALF ? size / 2 : size, offset, written);
    pthread_mutex_lock(&mutex);
    host_disk_file *file = by_descriptor(disk->file);
    if (file != NULL && offset + *written > file->size) {
        file->size = offset + *written;
    }
    pthread_mutex_unlock(&mutex);
    return a == ANSWER_HALF ? ISO_ERR_IO : status;
}

iso_status __wrap_iso__disk_sync(const iso__disk *disk) {
    pthread_mutex_lock(&mutex);
    host_disk_file *file = by_descriptor(disk->file);
    const uint64_t size = file != NULL ? file->size : 0; // what comes while it is under way is not covered
    the_disk.syncs_repeated += file != NULL && file->has_sync_failed;
    pthread_mutex_unlock(&mutex);
    const op_answer a = next(HOST_DISK_SYNC);
    pthread_mutex_lock(&mutex);
    if (a == ANSWER_FAIL && file != NULL) {
        file->has_sync_failed = true;
    }
    if (a == ANSWER_DO && file != NULL && !file->has_sync_failed) {
        file->synced_size = size;
    }
    pthread_mutex_unlock(&mutex);
    return a == ANSWER_DO ? ISO_OK : ISO_ERR_IO;
}

iso_status __wrap_iso__disk_truncate(iso__disk *disk, uint64_t size) {
    if (next(HOST_DISK_OTHER) != ANSWER_DO) {
        return ISO_ERR_IO;
    }
    pthread_mutex_lock(&mutex);
    host_disk_file *file = by_descriptor(disk->file);
    if (file != NULL) {
        file->size = size;
        file->synced_size = file->synced_size < size ? file->synced_size : size;
    }
    pthread_mutex_unlock(&mutex);
    return __real_iso__disk_truncate(disk, size);
}

iso_status __wrap_iso__disk_close_file(iso__disk *disk) {
    const op_answer a = next(HOST_DISK_OTHER);
    pthread_mutex_lock(&mutex);
    host_disk_file *file = by_descriptor(disk->file);
    if (file != NULL) {
        file->descriptor = -1;
    }
    pthread_mutex_unlock(&mutex);
    const iso_status status = __real_iso__disk_close_file(disk); // in any case: the tests need the descriptor
    return a == ANSWER_DO ? status : ISO_ERR_IO;
}

iso_status __wrap_iso__disk_rename(const iso__disk *disk, const char *name, const char *new_name) {
    if (next(HOST_DISK_OTHER) != ANSWER_DO) {
        return ISO_ERR_IO;
    }
    const iso_status status = __real_iso__disk_rename(disk, name, new_name);
    pthread_mutex_lock(&mutex);
    host_disk_file *file = by_name(name);
    if (status == ISO_OK && file != NULL) {
        snprintf(file->name, sizeof file->name, "%s", new_name);
    }
    the_disk.renames += status == ISO_OK;
    pthread_mutex_unlock(&mutex);
    return status;
}

iso_status __wrap_iso__disk_remove(const iso__disk *disk, const char *name) {
    if (next(HOST_DISK_OTHER) != ANSWER_DO) {
        return ISO_ERR_IO;
    }
    pthread_mutex_lock(&mutex);
    host_disk_file *file = by_name(name);
    if (file != NULL) {
        file->is_removed = true;
    }
    ++the_disk.removes;
    pthread_mutex_unlock(&mutex);
    return __real_iso__disk_remove(disk, name);
}

iso_status __wrap_iso__disk_sync_folder(const iso__disk *disk) {
    (void)disk;
    if (next(HOST_DISK_SYNC) != ANSWER_DO) {
        return ISO_ERR_IO;
    }
    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < the_disk.file_count; ++i) {
        host_disk_file *file = &the_disk.files[i];
        memcpy(file->durable_name, file->is_removed ? "" : file->name, file->is_removed ? 1 : sizeof file->name);
    }
    ++the_disk.folder_syncs;
    pthread_mutex_unlock(&mutex);
    return ISO_OK;
}

static void for_each_entry(void (*each)(const char *path, const char *name)) {
    DIR *dir = opendir(the_disk.folder);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        char path[400];
        snprintf(path, sizeof path, "%s/%s", the_disk.folder, entry->d_name);
        if (entry->d_name[0] != '.') {
            each(path, entry->d_name);
        }
    }
    closedir(dir);
}

void host_disk_begin(void) {
    memset(&the_disk, 0, sizeof the_disk);
    const char *base = getenv("TMPDIR");
    snprintf(the_disk.folder, sizeof the_disk.folder, "%s/isostep-host-XXXXXX",
             base != NULL && strlen(base) < 80 ? base : "/tmp");
    assert_non_null(mkdtemp(the_disk.folder));
}

static void know(const char *path, const char *name) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) {
        return;
    }
    assert_true(the_disk.file_count < HOST_DISK_FILES_MAX);
    host_disk_file *file = &the_disk.files[the_disk.file_count++];
    *file = (host_disk_file){.descriptor = -1, .size = (uint64_t)info.st_size, .synced_size = (uint64_t)info.st_size};
    assert_true(strlen(name) < sizeof file->name);
    memcpy(file->name, name, strlen(name));
    memcpy(file->durable_name, name, strlen(name));
}

void host_disk_restart(void) {
    char folder[sizeof the_disk.folder];
    memcpy(folder, the_disk.folder, sizeof folder);
    memset(&the_disk, 0, sizeof the_disk);
    memcpy(the_disk.folder, folder, sizeof folder);
    for_each_entry(know);
}

void host_disk_cut_power(host_disk_loss loss) {
    the_disk.is_dead = true;
    for (uint32_t i = 0; i < the_disk.file_count; ++i) {
        host_disk_file *file = &the_disk.files[i];
        const bool half = loss == HOST_DISK_LOSES_HALF;
        const bool loses_bytes = loss == HOST_DISK_LOSES_ALL || loss == HOST_DISK_LOSES_BYTES || half;
        const bool loses_name = loss == HOST_DISK_LOSES_ALL || loss == HOST_DISK_LOSES_NAMES || (half && i % 2 == 0);
        char path[300], old_path[300];
        snprintf(path, sizeof path, "%s/%s", the_disk.folder, file->name);
        snprintf(old_path, sizeof old_path, "%s/%s", the_disk.folder, file->durable_name);
        const uint64_t kept = half ? file->synced_size + (file->size - file->synced_size) / 2 : file->synced_size;
        if (loses_bytes && !file->is_removed) {
            assert_int_equal(truncate(path, (off_t)kept), 0);
        }
        if (!loses_name || strcmp(file->name, file->durable_name) == 0) {
            continue;
        }
        if (file->durable_name[0] == '\0') {
            unlink(path);
        } else if (!file->is_removed) {
            assert_int_equal(rename(path, old_path), 0);
        }
    }
}

static void remove_one(const char *path, const char *name) {
    (void)name;
    unlink(path);
}

void host_disk_end(void) {
    for_each_entry(remove_one);
    assert_int_equal(rmdir(the_disk.folder), 0);
}
