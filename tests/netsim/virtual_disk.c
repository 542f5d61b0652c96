/// A disk: operations take time, an append may write a part, one operation may fail.
#include <stdlib.h>
#include <string.h>

#include "sim.h"

void disk_begin(sim *s, const iso_recorder_action *action) {
    const uint64_t which = action->kind == ISO_RECORDER_SYNC ? 1 : 0;
    sim_disk_op *op = &s->disk.ops[which];
    SIM_CHECK(s, !op->out, "the recorder has two operations of a kind out");
    op->out = true;
    op->action = *action;
    uint64_t delay_ns = sim_random_below(&s->random, SIM_MS);
    if (action->kind == ISO_RECORDER_SYNC) {
        delay_ns = sim_random_below(&s->random, 60 * SIM_MS);
    } else if (sim_random_one_in(&s->random, 50)) {
        delay_ns = sim_random_below(&s->random, 150 * SIM_MS);
    }
    sim_schedule(s, s->now_ns + delay_ns, (sim_event){.kind = SIM_DISK_DONE, .count = which});
}

static void disk_append(sim *s, const uint8_t *bytes, size_t size) {
    sim_disk *disk = &s->disk;
    if (disk->size + size > disk->capacity) {
        disk->capacity = (disk->size + size) * 2;
        disk->bytes = realloc(disk->bytes, disk->capacity);
    }
    memcpy(disk->bytes + disk->size, bytes, size);
    disk->size += size;
}

static iso_status disk_do(sim *s, const iso_recorder_action *action, size_t *size) {
    sim_disk *disk = &s->disk;
    disk->op_count += 1;
    const bool fails = disk->op_count == disk->fails_at_op;
    disk->failed = disk->failed || fails;
    switch (action->kind) {
    case ISO_RECORDER_CREATE_FILE:
        if (!fails) {
            SIM_CHECK(s, !disk->exists, "the recorder makes a file that exists");
            disk->exists = true;
            snprintf(disk->name, sizeof disk->name, "%s", action->name);
        }
        break;
    case ISO_RECORDER_APPEND:
        *size = sim_random_one_in(&s->random, 8) || fails ? (size_t)sim_random_below(&s->random, action->size)
                                                          : action->size;
        *size = *size == 0 && !fails ? 1 : *size;
        SIM_CHECK(s, action->offset == disk->size, "the recorder appends at %llu, the file has %zu bytes",
                  (unsigned long long)action->offset, disk->size);
        disk_append(s, action->bytes, *size);
        break;
    case ISO_RECORDER_TRUNCATE:
        if (!fails) {
            SIM_CHECK(s, action->offset <= disk->size, "the recorder cuts beyond the end");
            disk->size = (size_t)action->offset;
        }
        break;
    case ISO_RECORDER_RENAME:
        if (!fails) {
            SIM_CHECK(s, strcmp(disk->name, action->name) == 0, "the recorder renames %s, which is %s", action->name,
                      disk->name);
            snprintf(disk->name, sizeof disk->name, "%s", action->new_name);
        }
        break;
    default:
        break;
    }
    return fails ? ISO_ERR_IO : ISO_OK;
}

iso_status disk_finish(sim *s, uint64_t which, iso_recorder_action *action, size_t *size) {
    sim_disk_op *op = &s->disk.ops[which];
    op->out = false;
    *action = op->action;
    *size = 0;
    return disk_do(s, action, size);
}
