/// The recorder bound to threads and files.
#include "host/recording.h"

#include <stdlib.h>
#include <string.h>

#include "host/clock.h"
#include "host/log.h"
#include "isostep/proto/compression.h"

#define QUEUE_CAPACITY 256

typedef enum work_kind {
    ITEM_EVENT,  // `event` and the block that it points into
    ITEM_STOP,
} work_kind;

/// A recorder's event with what it points to behind it, in one block.
typedef struct work_item {
    work_kind kind;
    iso_recorder_event event;
    void *block;
} work_item;

static void publish(iso__recording *recording)
{
    iso_recorder_progress progress;
    iso_recorder_get_progress(recording->recorder, &progress);
    iso__recording_report report = {
        .written_tick = progress.written_tick,
        .durable_tick = progress.durable_tick,
        .started = progress.started,
        .degraded = progress.degraded,
        .finished = progress.finished,
        .sealed = progress.sealed,
        .status = progress.status,
        .written_size = progress.written_size,
        .skipped_keyframes = progress.skipped_keyframes,
    };
    memcpy(report.name, progress.name, strnlen(progress.name, sizeof report.name - 1));

    pthread_mutex_lock(&recording->mutex);
    const iso__recording_report *old = &recording->report;
    bool is_new = report.written_tick != old->written_tick || report.durable_tick != old->durable_tick ||
                  report.started != old->started || report.degraded != old->degraded || report.finished != old->finished;
    recording->report = report;
    pthread_mutex_unlock(&recording->mutex);
    // One wake is enough until it was heeded, so the worker's queue cannot fill up with them.
    if (is_new && !atomic_exchange(&recording->report_is_new, true))
        recording->wake(recording->wake_user);
}

static void hand_in(iso__recording *recording, const iso_recorder_event *event)
{
    iso_status status = iso_recorder_handle(recording->recorder, iso__clock_now(), event);
    if (status != ISO_OK)
        iso__log("isostep-server: recording: the recorder did not take event %u: %s", event->kind, iso_status_text(status));
}

/// Carries out one action. @return false for a SYNC, whose answer comes later.
static bool carry_out(iso__recording *recording, const iso_recorder_action *action, iso_recorder_event *done)
{
    iso__disk *disk = &recording->disk;
    *done = (iso_recorder_event){.kind = ISO_RECORDER_DONE, .action = action->kind};
    switch ((iso_recorder_action_kind)action->kind) {
    case ISO_RECORDER_CREATE_FILE:
        done->status = iso__disk_create_file(disk, action->name);
        return true;
    case ISO_RECORDER_APPEND:
        done->status = iso__disk_write(disk, action->bytes, action->size, action->offset, &done->size);
        return true;
    case ISO_RECORDER_SYNC:
        iso__queue_push_wait(&recording->syncs, &(work_item){.kind = ITEM_EVENT});
        return false;
    case ISO_RECORDER_TRUNCATE:
        done->status = iso__disk_truncate(disk, action->offset);
        return true;
    case ISO_RECORDER_CLOSE:
        done->status = iso__disk_close_file(disk);
        return true;
    case ISO_RECORDER_RENAME:
        done->status = iso__disk_rename(disk, action->name, action->new_name);
        return true;
    case ISO_RECORDER_SYNC_FOLDER:
        done->status = iso__disk_sync_folder(disk);
        return true;
    }
    abort();
}

static void act(iso__recording *recording)
{
    iso_recorder_action action;
    while (iso_recorder_next_action(recording->recorder, &action)) {
        iso_recorder_event done;
        if (carry_out(recording, &action, &done))
            hand_in(recording, &done);
    }
    publish(recording);
}

static void *writer_main(void *argument)
{
    iso__recording *recording = argument;
    act(recording);
    for (;;) {
        work_item item;
        if (iso__queue_pop_until(&recording->queue, &item, iso_recorder_next_deadline(recording->recorder))) {
            if (item.kind == ITEM_STOP)
                return NULL;
            hand_in(recording, &item.event);
            free(item.block);
        } else {
            hand_in(recording, &(iso_recorder_event){.kind = ISO_RECORDER_TIME});
        }
        act(recording);
    }
}

static void *syncer_main(void *argument)
{
    iso__recording *recording = argument;
    for (;;) {
        work_item item;
        iso__queue_pop_until(&recording->syncs, &item, UINT64_MAX);
        if (item.kind == ITEM_STOP)
            return NULL;
        item.event = (iso_recorder_event){
            .kind = ISO_RECORDER_DONE,
            .action = ISO_RECORDER_SYNC,
            .status = iso__disk_sync(&recording->disk),
        };
        item.block = NULL;
        iso__queue_push_wait(&recording->queue, &item);
    }
}

static iso_status create_recorder(iso__recording *recording, iso__memory *memory, const iso_recording_header *header,
                                  size_t state_size_max)
{
    if (state_size_max > ISO_RECORDING_SNAPSHOT_SIZE_MAX)
        state_size_max = ISO_RECORDING_SNAPSHOT_SIZE_MAX;
    iso_recorder_config config = {
        .allocator = iso__memory_allocator(memory),
        .buffer_size = iso_recorder_buffer_size(header->scene_size, iso_compress_bound(state_size_max)),
    };
    iso_status status = iso_recorder_create(&config, &recording->recorder);
    if (status != ISO_OK)
        return status;
    iso_recorder_event open = {.kind = ISO_RECORDER_OPEN, .header = header};
    return iso_recorder_handle(recording->recorder, iso__clock_now(), &open);
}

iso_status iso__recording_start(iso__recording *recording, const iso__disk *disk, iso__memory *memory,
                                const iso_recording_header *header, size_t state_size_max,
                                void (*wake)(void *user), void *wake_user)
{
    *recording = (iso__recording){.disk = *disk, .wake = wake, .wake_user = wake_user};
    pthread_mutex_init(&recording->mutex, NULL);
    iso_status status = create_recorder(recording, memory, header, state_size_max);
    if (status == ISO_OK && (!iso__queue_init(&recording->queue, sizeof(work_item), QUEUE_CAPACITY) ||
                             !iso__queue_init(&recording->syncs, sizeof(work_item), 2)))
        status = ISO_ERR_MEMORY;
    if (status == ISO_OK && pthread_create(&recording->writer, NULL, writer_main, recording) != 0)
        status = ISO_ERR_MEMORY;
    if (status != ISO_OK)
        return status;
    if (pthread_create(&recording->syncer, NULL, syncer_main, recording) != 0) {
        iso__queue_push_wait(&recording->queue, &(work_item){.kind = ITEM_STOP});
        pthread_join(recording->writer, NULL);
        return ISO_ERR_MEMORY;
    }
    recording->running = true;
    return ISO_OK;
}

/// Makes a block and takes its reference into the queue.
static iso_status enqueue(iso__recording *recording, const iso_recorder_event *event, void *block)
{
    iso__queue_push_wait(&recording->queue, &(work_item){.kind = ITEM_EVENT, .event = *event, .block = block});
    return ISO_OK;
}

iso_status iso__recording_tick(iso__recording *recording, const iso_tick_input *input, uint64_t root)
{
    typedef struct tick_block {
        iso_recording_tick tick;
        iso_change changes[ISO_TICK_CHANGES_MAX];
        iso_sealed_command commands[];
    } tick_block;
    tick_block *block = malloc(sizeof *block + input->command_count * sizeof block->commands[0]);
    if (block == NULL)
        return ISO_ERR_MEMORY;
    if (input->change_count > 0)
        memcpy(block->changes, input->changes, input->change_count * sizeof block->changes[0]);
    if (input->command_count > 0)
        memcpy(block->commands, input->commands, input->command_count * sizeof block->commands[0]);
    block->tick = (iso_recording_tick){.input = *input, .has_root = true, .hashed_tick = input->tick, .root = root};
    block->tick.input.changes = block->changes;
    block->tick.input.commands = block->commands;
    return enqueue(recording, &(iso_recorder_event){.kind = ISO_RECORDER_TICK, .tick = &block->tick}, block);
}

iso_status iso__recording_keyframe(iso__recording *recording, const iso_recording_keyframe *keyframe, const uint8_t *stored)
{
    typedef struct keyframe_block {
        iso_recording_keyframe keyframe;
        uint8_t stored[];
    } keyframe_block;
    keyframe_block *block = malloc(sizeof *block + keyframe->stored_size);
    if (block == NULL)
        return ISO_ERR_MEMORY;
    block->keyframe = *keyframe;
    memcpy(block->stored, stored, keyframe->stored_size);
    return enqueue(recording, &(iso_recorder_event){.kind = ISO_RECORDER_KEYFRAME, .keyframe = &block->keyframe, .stored = block->stored}, block);
}

iso_status iso__recording_event(iso__recording *recording, const iso_recording_event *event)
{
    iso_recording_event *block = malloc(sizeof *block);
    if (block == NULL)
        return ISO_ERR_MEMORY;
    *block = *event;
    return enqueue(recording, &(iso_recorder_event){.kind = ISO_RECORDER_NOTE, .note = block}, block);
}

iso_status iso__recording_seal(iso__recording *recording, uint64_t root_tick, uint64_t root)
{
    return enqueue(recording, &(iso_recorder_event){.kind = ISO_RECORDER_SEAL, .has_root = true, .root_tick = root_tick, .root = root}, NULL);
}

void iso__recording_get_report(iso__recording *recording, iso__recording_report *report)
{
    // The flag first: what is published after this wakes again.
    atomic_store(&recording->report_is_new, false);
    pthread_mutex_lock(&recording->mutex);
    *report = recording->report;
    pthread_mutex_unlock(&recording->mutex);
}

void iso__recording_stop(iso__recording *recording)
{
    if (recording->running) {
        // The syncing thread first: its last answer must still find the writer.
        iso__queue_push_wait(&recording->syncs, &(work_item){.kind = ITEM_STOP});
        pthread_join(recording->syncer, NULL);
        iso__queue_push_wait(&recording->queue, &(work_item){.kind = ITEM_STOP});
        pthread_join(recording->writer, NULL);
        recording->running = false;
    }
    iso__queue_term(&recording->queue);
    iso__queue_term(&recording->syncs);
    iso_recorder_destroy(recording->recorder);
    recording->recorder = NULL;
    iso__disk_close(&recording->disk);
    pthread_mutex_destroy(&recording->mutex);
}
