/// Bounded queues between threads.
///
/// Items have one fixed size and are copied in and out. A queue never grows: when it is full, a push fails or waits, as
/// the caller chooses.
#ifndef ISO_BASE_QUEUE_H
#define ISO_BASE_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct iso__queue {
    pthread_mutex_t mutex;
    pthread_cond_t filled;  // signalled when an item is added
    pthread_cond_t emptied; // signalled when there is room again
    uint8_t *items;
    size_t item_size;
    size_t capacity; // items
    size_t head;     // index of the oldest item
    size_t count;
    size_t count_max; // maximum so far, for the summary
} iso__queue;

/// @return false when there is no memory.
bool iso__queue_init(iso__queue *queue, size_t item_size, size_t capacity);
void iso__queue_term(iso__queue *queue);

/// @param reserve  places [items] that this item may not take: they are kept for others
/// @return false when there is no room.
bool iso__queue_push(iso__queue *queue, const void *item, size_t reserve);

/// The same without waking a waiting thread, which finds the item when it next wakes.
bool iso__queue_push_quiet(iso__queue *queue, const void *item, size_t reserve);

/// Wakes a thread that waits for an item.
void iso__queue_wake(iso__queue *queue);

/// Pushes as many of these items as fit, under one lock. @return how many
size_t iso__queue_push_some(iso__queue *queue, const void *items, size_t count);

/// Waits while the queue is full.
void iso__queue_push_wait(iso__queue *queue, const void *item);

/// @return false when the queue is empty.
bool iso__queue_pop(iso__queue *queue, void *item);

/// Takes up to `max` items. Waits for the first one until a time of the monotonic clock [ns], to the clock's own
/// resolution, or until a wake.
///
/// @param deadline_ns  0: does not wait; UINT64_MAX: waits without limit
/// @return how many; 0 when the deadline, or a wake without an item, came first
size_t iso__queue_pop_some(iso__queue *queue, void *items, size_t max, uint64_t deadline_ns);

#endif
