/// The writer's loop: what was handed in, then what the recorders want of the disk.
#include "host/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "host/log.h"

#define BATCH_MAX 64u
// Of each recording: start, seal, give up, and a sync of each of its two files.
#define CONTROL_ITEMS 8u

bool iso__writer_init(iso__writer *writer, int folder, uint32_t recording_max)
{
    *writer = (iso__writer){.folder = folder, .recording_max = recording_max};
    writer->recordings = calloc(recording_max, sizeof writer->recordings[0]);
    return writer->recordings != NULL &&
           iso__queue_init(&writer->queue, sizeof(iso__recording_item),
                           recording_max * (ISO__RECORDING_WAITING_MAX + CONTROL_ITEMS) + ISO__SYNCERS_MAX) &&
           iso__queue_init(&writer->syncs, sizeof(iso__recording_item), recording_max * 2 + ISO__SYNCERS_MAX);
}

void iso__writer_term(iso__writer *writer)
{
    iso__recording_item item;
    while (writer->queue.items != NULL && iso__queue_pop(&writer->queue, &item))
        free(item.block);
    iso__queue_term(&writer->queue);
    iso__queue_term(&writer->syncs);
    free(writer->recordings);
    writer->recordings = NULL;
}

static void push(iso__queue *queue, const iso__recording_item *item)
{
    if (iso__queue_push(queue, item, 0))
        return;
    iso__log_error("internal error: the writer's queue is full");
    abort();
}

void iso__writer_push(iso__writer *writer, const iso__recording_item *item)
{
    push(&writer->queue, item);
}

void iso__writer_push_sync(iso__writer *writer, const iso__recording_item *item)
{
    push(&writer->syncs, item);
}

static void mark(iso__writer *writer, iso__recording *recording)
{
    if (recording->dirty)
        return;
    recording->dirty = true;
    recording->next_dirty = writer->dirty;
    writer->dirty = recording;
}

static void act_on_marked(iso__writer *writer)
{
    while (writer->dirty != NULL) {
        iso__recording *recording = writer->dirty;
        writer->dirty = recording->next_dirty;
        recording->dirty = false;
        iso__recording_act(recording);
    }
    if (writer->published != NULL)
        writer->published(writer->user);
}

uint64_t iso__writer_next_deadline(const iso__writer *writer)
{
    uint64_t deadline = UINT64_MAX;
    for (uint32_t i = 0; i < writer->recording_count; i++) {
        uint64_t one = iso__recording_next_deadline(writer->recordings[i]);
        deadline = one < deadline ? one : deadline;
    }
    return deadline;
}

static void mark_due(iso__writer *writer)
{
    uint64_t now = iso__clock_now();
    for (uint32_t i = 0; i < writer->recording_count; i++) {
        if (iso__recording_next_deadline(writer->recordings[i]) > now)
            continue;
        iso__recording_pass_time(writer->recordings[i], now);
        mark(writer, writer->recordings[i]);
    }
}

void iso__writer_begin(iso__writer *writer)
{
    for (uint32_t i = 0; i < writer->recording_count; i++)
        mark(writer, writer->recordings[i]);
}

bool iso__writer_turn(iso__writer *writer, bool may_wait)
{
    iso__recording_item items[BATCH_MAX];
    act_on_marked(writer);
    size_t count = iso__queue_pop_some(&writer->queue, items, BATCH_MAX, may_wait ? iso__writer_next_deadline(writer) : 0);
    for (size_t i = 0; i < count; i++) {
        if (items[i].recording == NULL) {
            act_on_marked(writer);
            return false;
        }
        iso__recording_take(items[i].recording, &items[i]);
        mark(writer, items[i].recording);
    }
    mark_due(writer);
    return true;
}

bool iso__writer_sync(iso__writer *writer, bool may_wait)
{
    iso__recording_item item;
    if (iso__queue_pop_some(&writer->syncs, &item, 1, may_wait ? UINT64_MAX : 0) == 0)
        return true;
    if (item.recording == NULL)
        return false;
    item.event = (iso_recorder_event){
        .kind = ISO_RECORDER_DONE,
        .action = ISO_RECORDER_SYNC,
        .status = iso__recording_sync(item.recording, item.tape),
    };
    iso__writer_push(writer, &item);
    return true;
}

static void *writer_main(void *argument)
{
    iso__writer *writer = argument;
    if (!iso__gate_wait(writer->gate))
        return NULL;
    iso__writer_begin(writer);
    while (iso__writer_turn(writer, true))
        ;
    return NULL;
}

static void *syncer_main(void *argument)
{
    while (iso__writer_sync(argument, true))
        ;
    return NULL;
}

int iso__writer_start(iso__writer *writer, iso__gate *gate)
{
    writer->gate = gate;
    int error = pthread_create(&writer->thread, NULL, writer_main, writer);
    writer->running = error == 0;
    uint32_t wanted = writer->recording_max < ISO__SYNCERS_MAX ? writer->recording_max : ISO__SYNCERS_MAX;
    while (error == 0 && writer->syncer_count < wanted) {
        error = pthread_create(&writer->syncers[writer->syncer_count], NULL, syncer_main, writer);
        writer->syncer_count += error == 0;
    }
    return error;
}

static bool join(pthread_t thread, const struct timespec *deadline)
{
    return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, deadline) == 0;
}

bool iso__writer_stop(iso__writer *writer, uint32_t timeout_ms)
{
    if (!writer->running)
        return true;
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += (time_t)(timeout_ms / 1000);
    deadline.tv_nsec += (long)(timeout_ms % 1000) * (long)ISO__NS_PER_MS;
    if (deadline.tv_nsec >= (long)ISO__NS_PER_S) {
        deadline.tv_sec++;
        deadline.tv_nsec -= (long)ISO__NS_PER_S;
    }
    // The syncing threads first: their last answers must still find the writer.
    for (uint32_t i = 0; i < writer->syncer_count; i++)
        iso__writer_push_sync(writer, &(iso__recording_item){0});
    for (; writer->syncer_count > 0; writer->syncer_count--) {
        if (!join(writer->syncers[writer->syncer_count - 1], &deadline))
            return false;
    }
    iso__writer_push(writer, &(iso__recording_item){0});
    writer->running = !join(writer->thread, &deadline);
    return !writer->running;
}
