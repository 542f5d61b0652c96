/// The writer's loop: what was handed in, then the recorders' actions on the disk.
#include "host/recordings/writer.h"

#include <errno.h>
#include <stdlib.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "base/thread.h"
#include "host/recordings/writer_queue.h"

#define BATCH_MAX 64u
// Of each recording: join, start, seal, give up, leave, and a sync of each of its two files.
#define CONTROL_ITEMS 10u

bool iso__writer_init(iso__writer *writer, int folder, uint32_t recording_max) {
    ISO_ASSERT(folder >= 0 && recording_max > 0);
    *writer = (iso__writer){.folder = folder, .recording_max = recording_max};
    writer->recordings = calloc(recording_max, sizeof writer->recordings[0]);
    return writer->recordings != NULL &&
           iso__queue_init(&writer->queue, sizeof(iso__recording_item),
                           recording_max * (ISO__RECORDING_WAITING_MAX + CONTROL_ITEMS) + ISO__SYNCERS_MAX) &&
           iso__queue_init(&writer->syncs, sizeof(iso__recording_item), recording_max * 2 + ISO__SYNCERS_MAX) &&
           iso__queue_init(&writer->ends, sizeof(iso__recording_item), ISO__SYNCERS_MAX + 1);
}

void iso__writer_term(iso__writer *writer) {
    ISO__ASSERT_ON(&writer->affinity);
    ISO_ASSERT(!writer->is_running);
    iso__recording_item item;
    while (writer->queue.items != NULL && iso__queue_pop(&writer->queue, &item)) {
        free(item.block);
    }
    iso__queue_term(&writer->queue);
    iso__queue_term(&writer->syncs);
    iso__queue_term(&writer->ends);
    free(writer->recordings);
    writer->recordings = NULL;
}

static void mark(iso__writer *writer, iso__recording *recording) {
    if (recording->is_dirty) {
        return;
    }
    recording->is_dirty = true;
    recording->next_dirty = writer->dirty;
    writer->dirty = recording;
}

/// Forgets a recording.
static void let_go(iso__writer *writer, iso__recording *recording) {
    uint32_t at = 0;
    while (writer->recordings[at] != recording) {
        ++at;
    }
    writer->recordings[at] = writer->recordings[--writer->recording_count];
    iso__affinity_release(&recording->affinity);
    recording->config.left(recording->config.wake_user);
}

static void act_on_marked(iso__writer *writer) {
    while (writer->dirty != NULL) {
        iso__recording *recording = writer->dirty;
        writer->dirty = recording->next_dirty;
        recording->is_dirty = false;
        iso__recording_act(recording);
        if (recording->is_leaving && iso__recording_is_done(recording)) {
            let_go(writer, recording);
        }
    }
    if (writer->published != NULL) {
        writer->published(writer->user);
    }
}

uint64_t iso__writer_next_deadline(const iso__writer *writer) {
    ISO__ASSERT_ON(&writer->affinity);
    uint64_t deadline = UINT64_MAX;
    for (uint32_t i = 0; i < writer->recording_count; ++i) {
        uint64_t one = iso__recording_next_deadline(writer->recordings[i]);
        deadline = one < deadline ? one : deadline;
    }
    return deadline;
}

static void mark_due(iso__writer *writer) {
    uint64_t now = iso__clock_now();
    for (uint32_t i = 0; i < writer->recording_count; ++i) {
        if (iso__recording_next_deadline(writer->recordings[i]) > now) {
            continue;
        }
        iso__recording_pass_time(writer->recordings[i], now);
        mark(writer, writer->recordings[i]);
    }
}

void iso__writer_begin(iso__writer *writer) {
    ISO__ASSERT_ON(&writer->affinity);
    ISO_ASSERT(writer->recording_count <= writer->recording_max);
    for (uint32_t i = 0; i < writer->recording_count; ++i) {
        iso__affinity_take(&writer->recordings[i]->affinity);
        mark(writer, writer->recordings[i]);
    }
}

static void take(iso__writer *writer, iso__recording_item *item) {
    if (item->order == ISO__RECORDING_JOIN) {
        ISO_ASSERT(writer->recording_count < writer->recording_max);
        iso__affinity_take(&item->recording->affinity);
        writer->recordings[writer->recording_count++] = item->recording;
    } else if (item->order == ISO__RECORDING_LEAVE) {
        item->recording->is_leaving = true;
    } else {
        iso__recording_take(item->recording, item);
    }
    mark(writer, item->recording);
}

bool iso__writer_turn(iso__writer *writer, bool may_wait) {
    ISO__ASSERT_ON(&writer->affinity);
    iso__recording_item items[BATCH_MAX];
    act_on_marked(writer);
    size_t count =
        iso__queue_pop_some(&writer->queue, items, BATCH_MAX, may_wait ? iso__writer_next_deadline(writer) : 0);
    for (size_t i = 0; i < count; ++i) {
        if (items[i].recording == NULL) {
            act_on_marked(writer);
            for (uint32_t k = 0; k < writer->recording_count; ++k) {
                iso__recording_finish(writer->recordings[k]);
                iso__affinity_release(&writer->recordings[k]->affinity);
            }
            return false;
        }
        take(writer, &items[i]);
    }
    mark_due(writer);
    return true;
}

bool iso__writer_sync(iso__writer *writer, bool may_wait) {
    ISO_ASSERT(writer->syncs.capacity > 0);
    iso__recording_item item;
    if (iso__queue_pop_some(&writer->syncs, &item, 1, may_wait ? UINT64_MAX : 0) == 0) {
        return true;
    }
    if (item.recording == NULL) {
        return false;
    }
    item.event = (iso_recorder_event){
        .kind = ISO_RECORDER_DONE,
        .action = ISO_RECORDER_SYNC,
        .status = iso__recording_sync(item.recording, item.file),
    };
    iso__writer_push(writer, &item);
    return true;
}

static void *writer_main(void *argument) {
    iso__writer *writer = argument;
    if (iso__gate_wait(writer->gate)) {
        iso__affinity_take(&writer->affinity);
        iso__writer_begin(writer);
        while (iso__writer_turn(writer, true)) {
            ;
        }
        iso__affinity_release(&writer->affinity);
    }
    iso__writer_push_end(writer);
    return NULL;
}

static void *syncer_main(void *argument) {
    while (iso__writer_sync(argument, true)) {
        ;
    }
    iso__writer_push_end(argument);
    return NULL;
}

int iso__writer_start(iso__writer *writer, iso__gate *gate) {
    ISO_ASSERT(!writer->is_running && writer->syncer_count == 0);
    writer->gate = gate;
    int error = iso__thread_start(&writer->thread, writer_main, writer);
    writer->is_running = error == 0;
    uint32_t wanted = writer->recording_max < ISO__SYNCERS_MAX ? writer->recording_max : ISO__SYNCERS_MAX;
    while (error == 0 && writer->syncer_count < wanted) {
        error = iso__thread_start(&writer->syncers[writer->syncer_count], syncer_main, writer);
        writer->syncer_count += error == 0;
    }
    return error;
}

/// Waits until this many threads have ended. @return false: not in time
static bool wait_for_ends(iso__writer *writer, uint32_t count, uint64_t deadline_ns) {
    iso__recording_item item;
    while (writer->ended_count < count) {
        uint32_t more = (uint32_t)iso__queue_pop_some(&writer->ends, &item, 1, deadline_ns);
        if (more == 0 && iso__clock_now() >= deadline_ns) {
            return false;
        }
        writer->ended_count += more;
    }
    return true;
}

bool iso__writer_stop(iso__writer *writer, uint32_t timeout_ms) {
    ISO_ASSERT(writer->told_count <= writer->syncer_count + 1);
    if (!writer->is_running) {
        return true;
    }
    const uint64_t deadline_ns = iso__clock_now() + (uint64_t)timeout_ms * ISO__NS_PER_MS;
    const uint32_t syncer_count = writer->syncer_count;
    // The syncing threads first: the writer must still run for their last answers. Each is sent its end once, also when
    // this is called again.
    for (; writer->told_count < syncer_count; ++writer->told_count) {
        iso__writer_push_sync(writer, &(iso__recording_item){0});
    }
    if (!wait_for_ends(writer, syncer_count, deadline_ns)) {
        return false;
    }
    for (; writer->told_count < syncer_count + 1; ++writer->told_count) {
        iso__writer_push(writer, &(iso__recording_item){0});
    }
    if (!wait_for_ends(writer, syncer_count + 1, deadline_ns)) {
        return false;
    }
    for (uint32_t i = 0; i < syncer_count; ++i) {
        pthread_join(writer->syncers[i], NULL);
    }
    pthread_join(writer->thread, NULL);
    writer->is_running = false;
    return true;
}
