/// A disk: operations take time, one of them may fail, a write may be done in part, the disk may be full, and a power
/// cut leaves any of the pages that were not synced, in any order.
#include <stdlib.h>
#include <string.h>

#include "sim.h"

#define PAGE_SIZE 4096u

static sim_file *disk_find(sim *s, const char *name) {
    for (uint32_t i = 0; i < s->disk.file_count; ++i) {
        if (strcmp(s->disk.files[i].name, name) == 0) {
            return &s->disk.files[i];
        }
    }
    return NULL;
}

int disk_number(sim *s, const char *name) {
    const sim_file *file = disk_find(s, name);
    return file == NULL ? -1 : (int)(file - s->disk.files);
}

bool disk_has(const sim_file *file) {
    return strncmp(file->name, "lost", 4) != 0;
}

bool disk_has_recording(const sim_file *file) {
    return disk_has(file) && strstr(file->name, ".torn") == NULL;
}

static sim_file *disk_file(sim *s, int file) {
    SIM_CHECK(s, file >= 0 && (uint32_t)file < s->disk.file_count, "the recording works on a file that is not open");
    return &s->disk.files[file];
}

/// Begins an operation. @return false when it is not carried out, because the machine or the process is dead, or
/// because it fails
static bool disk_begin(sim *s, bool fails) {
    sim_disk *disk = &s->disk;
    disk->spent_ns += sim_random_below(&s->random, sim_random_one_in(&s->random, 50) ? 150 * SIM_MS : SIM_MS / 2);
    disk->op_count += 1;
    fails |= disk->op_count == disk->fails_at_op;
    disk->has_failed |= fails;
    disk->has_ever_failed |= fails;
    disk->fault_ns = fails ? s->now_ns : disk->fault_ns;
    const bool alive = disk->ops_left > 0;
    disk->ops_left -= alive && disk->ops_left != UINT64_MAX;
    return alive && !fails;
}

iso_status disk_create(sim *s, const char *name, int *file) {
    SIM_CHECK(s, disk_find(s, name) == NULL, "the recording makes %s, which exists", name);
    SIM_CHECK(s, s->disk.file_count < SIM_FILES_MAX, "more files than a run has");
    if (!disk_begin(s, false)) {
        return ISO_ERR_IO;
    }
    for (uint32_t i = 0; i < s->disk.file_count; ++i) {
        if (strcmp(s->disk.files[i].durable_name, name) == 0) {
            s->disk.files[i].durable_name[0] = 0; // one name, one file: it does not come back
        }
    }
    *file = (int)s->disk.file_count;
    snprintf(s->disk.files[s->disk.file_count++].name, ISO_RECORDER_NAME_SIZE, "%s", name);
    return ISO_OK;
}

static void file_append(sim *s, sim_file *file, const uint8_t *bytes, size_t size) {
    if (file->size + size > file->capacity) {
        file->capacity = (file->size + size) * 2;
        file->bytes = realloc(file->bytes, file->capacity);
    }
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
    s->disk.used += size;
}

static void file_forget_cut(sim_file *file) {
    free(file->cut);
    file->cut = NULL;
    file->cut_size = 0;
}

iso_status disk_write(sim *s, int number, const uint8_t *bytes, size_t size, uint64_t offset, size_t *written) {
    sim_file *file = disk_file(s, number);
    SIM_CHECK(s, offset == file->size, "the recording appends at %llu, the file has %zu bytes",
              (unsigned long long)offset, file->size);
    bool done = disk_begin(s, false);
    // What fails, and what dies, may have written a part.
    *written = done ? size : (size_t)sim_random_below(&s->random, size);
    if (s->disk.used + *written > s->disk.room && s->now_ns < s->disk.room_until_ns) {
        // After a power cut there may be more than there was before: pages of what had been cut off.
        *written = s->disk.used < s->disk.room ? (size_t)(s->disk.room - s->disk.used) : 0;
        s->disk.has_failed = true;
        s->disk.fault_ns = s->now_ns;
        done = false;
    }
    file_append(s, file, bytes, *written);
    return done ? ISO_OK : ISO_ERR_IO;
}

void disk_begin_sync(sim *s) {
    for (uint32_t i = 0; i < s->disk.file_count; ++i) {
        s->disk.files[i].syncing_size = s->disk.files[i].size;
        s->disk.files[i].is_syncing_cut = s->disk.files[i].cut != NULL;
    }
}

iso_status disk_sync(sim *s, int number) {
    sim_file *file = disk_file(s, number);
    if (!disk_begin(s, disk_sync_fails(s))) {
        return ISO_ERR_IO;
    }
    const size_t size = file->syncing_size < file->size ? file->syncing_size : file->size;
    file->durable_size = file->durable_size > size ? file->durable_size : size;
    if (file->is_syncing_cut) {
        file_forget_cut(file);
    }
    return ISO_OK;
}

iso_status disk_truncate(sim *s, int number, uint64_t size) {
    sim_file *file = disk_file(s, number);
    SIM_CHECK(s, size <= file->size, "the recording cuts beyond the end");
    if (!disk_begin(s, false)) {
        return ISO_ERR_IO;
    }
    file_forget_cut(file);
    file->cut_start = (size_t)size;
    file->cut_size = file->size - file->cut_start;
    file->cut = malloc(file->cut_size + 1);
    memcpy(file->cut, file->bytes + size, file->cut_size);
    s->disk.used -= file->size - size;
    file->size = (size_t)size;
    file->durable_size = file->durable_size < file->size ? file->durable_size : file->size;
    return ISO_OK;
}

iso_status disk_rename(sim *s, const char *name, const char *new_name) {
    sim_file *file = disk_find(s, name);
    SIM_CHECK(s, file != NULL, "the recording renames %s, which is not there", name);
    SIM_CHECK(s, disk_find(s, new_name) == NULL, "the recording renames to %s, which exists", new_name);
    if (!disk_begin(s, false)) {
        return ISO_ERR_IO;
    }
    memcpy(file->durable_name, file->name, sizeof file->name);
    snprintf(file->name, sizeof file->name, "%s", new_name);
    return ISO_OK;
}

static void disk_lose_name(sim *s, sim_file *file) {
    snprintf(file->name, sizeof file->name, "lost-%u-%u", s->server.incarnation, (unsigned)(file - s->disk.files));
}

iso_status disk_remove(sim *s, const char *name) {
    sim_file *file = disk_find(s, name);
    SIM_CHECK(s, file != NULL, "%s is removed, which is not there", name);
    if (!disk_begin(s, false)) {
        return ISO_ERR_IO;
    }
    memcpy(file->durable_name, file->name, sizeof file->name);
    disk_lose_name(s, file);
    return ISO_OK;
}

iso_status disk_sync_folder(sim *s) {
    if (!disk_begin(s, false)) {
        return ISO_ERR_IO;
    }
    for (uint32_t i = 0; i < s->disk.file_count; ++i) {
        s->disk.files[i].durable_name[0] = 0;
        s->disk.files[i].name_is_durable = true;
    }
    return ISO_OK;
}

/// A byte that the disk had before the page was written for the last time: what a cut took away, or nothing yet.
static uint8_t file_old_byte(const sim_file *file, size_t at) {
    return at >= file->cut_start && at - file->cut_start < file->cut_size ? file->cut[at - file->cut_start] : 0;
}

/// One page that was not synced: as it is now, as it was before, or as it was at some moment in between. What stands
/// below the durable end is there in any case.
static void page_lose(sim *s, const sim_file *file, size_t page, uint8_t *bytes, size_t size) {
    const size_t end = (page + 1) * PAGE_SIZE < size ? (page + 1) * PAGE_SIZE : size;
    const size_t start = page * PAGE_SIZE > file->durable_size ? page * PAGE_SIZE : file->durable_size;
    size_t kept = page * PAGE_SIZE < file->size ? end : start;
    if (sim_random_one_in(&s->random, 2)) {
        kept = start;
    } else if (sim_random_one_in(&s->random, 4)) {
        kept = start + (size_t)sim_random_below(&s->random, end - start + 1);
    }
    for (size_t at = start; at < end; ++at) {
        if (at >= kept) {
            bytes[at] = file_old_byte(file, at);
        } else {
            bytes[at] = at < file->size ? file->bytes[at] : 0;
        }
    }
}

/// What was not synced is there page by page, in any order, and the file's size, and a cut, are of any moment since.
static void file_lose(sim *s, sim_file *file) {
    if (file->durable_name[0] != 0 && sim_random_one_in(&s->random, 2)) {
        memcpy(file->name, file->durable_name, sizeof file->name);
    }
    file->durable_name[0] = 0;
    if (!file->name_is_durable && sim_random_one_in(&s->random, 2)) {
        disk_lose_name(s, file);
    }
    if (sim_random_one_in(&s->random, 2)) {
        file_forget_cut(file); // the cut is there, whatever became of the pages
    }
    size_t size = file->cut_start + file->cut_size;
    size = file->cut == NULL || size < file->size ? file->size : size;
    uint8_t *bytes = calloc(1, size + 1);
    if (file->size > 0) {
        memcpy(bytes, file->bytes, file->size < file->durable_size ? file->size : file->durable_size);
    }
    for (size_t page = file->durable_size / PAGE_SIZE; page * PAGE_SIZE < size; ++page) {
        page_lose(s, file, page, bytes, size);
    }
    if (sim_random_one_in(&s->random, 3)) {
        size = file->durable_size + (size_t)sim_random_below(&s->random, size - file->durable_size + 1);
    }
    s->disk.used = s->disk.used - file->size + size;
    file_forget_cut(file);
    free(file->bytes);
    file->bytes = bytes;
    file->size = file->capacity = size;
}

void disk_crash(sim *s, bool power_cut) {
    for (uint32_t i = 0; i < s->disk.file_count; ++i) {
        if (power_cut) {
            file_lose(s, &s->disk.files[i]);
        }
        // After a restart of the process alone everything written is there, and a restart of the machine has settled
        // it.
        s->disk.files[i].durable_size = s->disk.files[i].size;
        s->disk.files[i].name_is_durable = true;
    }
}

void disk_free(sim *s) {
    for (uint32_t i = 0; i < s->disk.file_count; ++i) {
        free(s->disk.files[i].bytes);
        free(s->disk.files[i].cut);
    }
}
