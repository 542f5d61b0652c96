/// Bounded queues between threads.
///
/// Items are of one fixed size and are copied in and out. A queue never grows: a full one is an
/// answer for who pushes without waiting, and a wait for who may.
#ifndef ISO_HOST_QUEUE_H
#define ISO_HOST_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct iso__queue {
    pthread_mutex_t mutex;
    pthread_cond_t filled;  // somebody may wait for an item
    pthread_cond_t emptied; // somebody may wait for room
    uint8_t *items;
    size_t item_size;
    size_t capacity; // items
    size_t head;     // index of the oldest item
    size_t count;
    size_t count_max; // the most it ever held, for the summary
} iso__queue;

/// @return false when there is no memory.
bool iso__queue_init(iso__queue *queue, size_t item_size, size_t capacity);
void iso__queue_term(iso__queue *queue);

/// @param reserve  room [items] that this item may not take: it is kept for others
/// @return false when there is no room.
bool iso__queue_push(iso__queue *queue, const void *item, size_t reserve);

/// The same without waking who waits for an item: it finds the item when it wakes anyway.
bool iso__queue_push_quiet(iso__queue *queue, const void *item, size_t reserve);

/// Ends the wait of who waits for an item.
void iso__queue_wake(iso__queue *queue);

/// Pushes as many of these items as there is room for, in one go. @return how many
size_t iso__queue_push_some(iso__queue *queue, const void *items, size_t count);

/// Waits while the queue is full.
void iso__queue_push_wait(iso__queue *queue, const void *item);

/// @return false when the queue is empty.
bool iso__queue_pop(iso__queue *queue, void *item);

/// Takes up to `max` items. Waits for the first until a time of the monotonic clock [ns], to the
/// clock's own resolution, but not longer than until a wake.
///
/// @param deadline_ns  0: does not wait; UINT64_MAX: for as long as it takes
/// @return how many; 0 when the time, or a wake without an item, came first
size_t iso__queue_pop_some(iso__queue *queue, void *items, size_t max, uint64_t deadline_ns);

#endif
