/// A disk: operations take time, an append may write a part, one operation may fail, the disk may be full, and a power
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

sim_file *disk_find_part(sim *s) {
    for (uint32_t i = s->disk.file_count; i-- > 0;) {
        if (strstr(s->disk.files[i].name, ".part") != NULL) {
            return &s->disk.files[i];
        }
    }
    return NULL;
}

static sim_file *disk_open_file(sim *s) {
    SIM_CHECK(s, s->disk.open >= 0, "the recorder writes to a file that is not open");
    return &s->disk.files[s->disk.open];
}

void disk_begin(sim *s, const iso_recorder_action *action) {
    const uint64_t which = action->kind == ISO_RECORDER_SYNC ? 1 : 0;
    sim_disk_op *op = &s->disk.ops[which];
    SIM_CHECK(s, !op->out, "the recorder has two operations of a kind out");
    *op = (sim_disk_op){.out = true, .number = ++s->disk.op_number, .action = *action};
    uint64_t delay_ns = sim_random_below(&s->random, SIM_MS);
    if (action->kind == ISO_RECORDER_SYNC) {
        op->synced_size = disk_open_file(s)->size;
        delay_ns = sim_random_below(&s->random, 60 * SIM_MS);
    } else if (sim_random_one_in(&s->random, 50)) {
        delay_ns = sim_random_below(&s->random, 150 * SIM_MS);
    }
    sim_schedule(s, s->now_ns + delay_ns,
                 (sim_event){.kind = SIM_DISK_DONE, .index = (uint32_t)which, .count = op->number});
}

bool disk_is_awaited(const sim *s, const sim_event *event) {
    const sim_disk_op *op = &s->disk.ops[event->index];
    return op->out && op->number == event->count;
}

static iso_status disk_create(sim *s, const char *name) {
    SIM_CHECK(s, disk_find(s, name) == NULL, "the recorder makes %s, which exists", name);
    SIM_CHECK(s, s->disk.file_count < SIM_FILES_MAX, "more files than a run has");
    s->disk.open = (int32_t)s->disk.file_count;
    sim_file *file = &s->disk.files[s->disk.file_count++];
    snprintf(file->name, sizeof file->name, "%s", name);
    return ISO_OK;
}

static iso_status disk_append(sim *s, const iso_recorder_action *action, bool fails, size_t *size) {
    sim_file *file = disk_open_file(s);
    SIM_CHECK(s, action->offset == file->size, "the recorder appends at %llu, the file has %zu bytes",
              (unsigned long long)action->offset, file->size);
    const bool partly = fails || sim_random_one_in(&s->random, 8);
    *size = partly ? (size_t)sim_random_below(&s->random, action->size) : action->size;
    *size = *size == 0 && !fails ? 1 : *size;
    if (s->disk.used + *size > s->disk.room) {
        *size = (size_t)(s->disk.room - s->disk.used);
        s->disk.failed = true;
        fails = *size == 0;
    }
    if (file->size + *size > file->capacity) {
        file->capacity = (file->size + *size) * 2;
        file->bytes = realloc(file->bytes, file->capacity);
    }
    memcpy(file->bytes + file->size, action->bytes, *size);
    file->size += *size;
    s->disk.used += *size;
    return fails ? ISO_ERR_IO : ISO_OK;
}

static void file_forget_cut(sim_file *file) {
    free(file->cut);
    file->cut = NULL;
    file->cut_size = 0;
}

static void disk_truncate(sim *s, uint64_t size) {
    sim_file *file = disk_open_file(s);
    SIM_CHECK(s, size <= file->size, "the recorder cuts beyond the end");
    file_forget_cut(file);
    file->cut_start = (size_t)size;
    file->cut_size = file->size - file->cut_start;
    file->cut = malloc(file->cut_size + 1);
    memcpy(file->cut, file->bytes + size, file->cut_size);
    s->disk.used -= file->size - size;
    file->size = (size_t)size;
    file->durable_size = file->durable_size < file->size ? file->durable_size : file->size;
}

static void disk_rename(sim *s, const char *name, const char *new_name) {
    sim_file *file = disk_find(s, name);
    SIM_CHECK(s, file != NULL, "the recorder renames %s, which is not there", name);
    SIM_CHECK(s, disk_find(s, new_name) == NULL, "the recorder renames to %s, which exists", new_name);
    memcpy(file->durable_name, file->name, sizeof file->name);
    snprintf(file->name, sizeof file->name, "%s", new_name);
}

static void disk_sync_folder(sim *s) {
    for (uint32_t i = 0; i < s->disk.file_count; ++i) {
        s->disk.files[i].durable_name[0] = 0;
    }
}

static iso_status disk_do(sim *s, const sim_disk_op *op, size_t *size) {
    const iso_recorder_action *action = &op->action;
    sim_disk *disk = &s->disk;
    disk->op_count += 1;
    const bool fails = disk->op_count == disk->fails_at_op || (action->kind == ISO_RECORDER_SYNC && disk_sync_fails(s));
    disk->failed = disk->failed || fails;
    if (action->kind == ISO_RECORDER_APPEND) {
        return disk_append(s, action, fails, size);
    }
    if (fails) {
        return ISO_ERR_IO;
    }
    switch (action->kind) {
    case ISO_RECORDER_CREATE_FILE:
        return disk_create(s, action->name);
    case ISO_RECORDER_SYNC:
        disk_open_file(s)->durable_size = op->synced_size;
        file_forget_cut(disk_open_file(s));
        break;
    case ISO_RECORDER_TRUNCATE:
        disk_truncate(s, action->offset);
        break;
    case ISO_RECORDER_CLOSE:
        disk->open = -1;
        break;
    case ISO_RECORDER_RENAME:
        disk_rename(s, action->name, action->new_name);
        break;
    default:
        disk_sync_folder(s);
        break;
    }
    return ISO_OK;
}

iso_status disk_finish(sim *s, uint64_t which, iso_recorder_action *action, size_t *size) {
    sim_disk_op *op = &s->disk.ops[which];
    op->out = false;
    *action = op->action;
    *size = 0;
    return disk_do(s, op, size);
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
    sim_disk_op *op = &s->disk.ops[0];
    if (op->out && sim_random_one_in(&s->random, 2)) {
        // The kernel had begun it: it is done, but nobody hears of it.
        size_t size;
        (void)disk_do(s, op, &size);
    }
    s->disk.ops[0].out = s->disk.ops[1].out = false;
    s->disk.open = -1;
    for (uint32_t i = 0; i < s->disk.file_count; ++i) {
        if (power_cut) {
            file_lose(s, &s->disk.files[i]);
        }
        // After a restart of the process alone everything written is there, and a restart of the machine has settled
        // it.
        s->disk.files[i].durable_size = s->disk.files[i].size;
    }
}

void disk_free(sim *s) {
    for (uint32_t i = 0; i < s->disk.file_count; ++i) {
        free(s->disk.files[i].bytes);
        free(s->disk.files[i].cut);
    }
}
