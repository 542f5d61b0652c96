/// What the writer's threads are given to do, and when they have ended. Called from any thread.
#ifndef ISO_HOST_WRITER_QUEUE_H
#define ISO_HOST_WRITER_QUEUE_H

#include "host/recordings/writer.h"

/// Queues an item. There is always room: each recording has its own limit.
void iso__writer_push(iso__writer *writer, const iso__recording_item *item);
/// The same for a syncing thread, which pushes it to the writer when it is done.
void iso__writer_push_sync(iso__writer *writer, const iso__recording_item *item);

/// A thread's last action: after it a join returns at once. A join with a time limit would not be portable.
void iso__writer_push_end(iso__writer *writer);

#endif
