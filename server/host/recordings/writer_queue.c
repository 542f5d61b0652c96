#include "host/recordings/writer_queue.h"

#include <stdlib.h>

#include "host/watch/log.h"
#include "isostep/assert.h"

static void push(iso__queue *queue, const iso__recording_item *item) {
    if (iso__queue_push(queue, item, 0)) {
        return;
    }
    iso__log_error("internal error: the writer's queue is full");
    abort();
}

void iso__writer_push(iso__writer *writer, const iso__recording_item *item) {
    ISO_ASSERT(item->recording == NULL || item->recording->writer == writer);
    push(&writer->queue, item);
}

void iso__writer_push_sync(iso__writer *writer, const iso__recording_item *item) {
    ISO_ASSERT(item->recording == NULL || (item->recording->writer == writer && item->file < 2));
    push(&writer->syncs, item);
}

void iso__writer_push_end(iso__writer *writer) {
    ISO_ASSERT(writer->ends.capacity > 0);
    push(&writer->ends, &(iso__recording_item){0});
}
