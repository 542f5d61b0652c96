/// A ring under a mutex. At a few hundred items a tick the lock costs microseconds a second. A condition variable on
/// the monotonic clock also serves as the timer of the tick: unlike an event loop's timers it does not round to whole
/// milliseconds.
#include "base/queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "isostep/assert.h"

bool iso__queue_init(iso__queue *queue, size_t item_size, size_t capacity) {
    ISO_ASSERT(item_size > 0 && capacity > 0 && capacity <= SIZE_MAX / item_size);
    *queue = (iso__queue){.item_size = item_size, .capacity = capacity};
    queue->items = malloc(item_size * capacity);
    if (queue->items == NULL) {
        return false;
    }
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->filled, &attributes);
    pthread_cond_init(&queue->emptied, &attributes);
    pthread_condattr_destroy(&attributes);
    return true;
}

void iso__queue_term(iso__queue *queue) {
    ISO_ASSERT(queue->items == NULL || queue->count <= queue->capacity);
    if (queue->items == NULL) {
        return;
    }
    pthread_cond_destroy(&queue->emptied);
    pthread_cond_destroy(&queue->filled);
    pthread_mutex_destroy(&queue->mutex);
    free(queue->items);
    queue->items = NULL;
}

static void push_locked(iso__queue *queue, const void *item) {
    size_t tail = (queue->head + queue->count) % queue->capacity;
    memcpy(queue->items + tail * queue->item_size, item, queue->item_size);
    ++queue->count;
    if (queue->count > queue->count_max) {
        queue->count_max = queue->count;
    }
}

static void pop_locked(iso__queue *queue, void *item) {
    memcpy(item, queue->items + queue->head * queue->item_size, queue->item_size);
    queue->head = (queue->head + 1) % queue->capacity;
    --queue->count;
    pthread_cond_signal(&queue->emptied);
}

bool iso__queue_push_quiet(iso__queue *queue, const void *item, size_t reserve) {
    ISO_ASSERT(queue->items != NULL && reserve < queue->capacity);
    pthread_mutex_lock(&queue->mutex);
    bool has_room = queue->count + reserve < queue->capacity;
    if (has_room) {
        push_locked(queue, item);
    }
    pthread_mutex_unlock(&queue->mutex);
    return has_room;
}

void iso__queue_wake(iso__queue *queue) {
    ISO_ASSERT(queue->capacity > 0 && queue->item_size > 0);
    // Under the lock: a thread that found the queue empty is waiting by now, or looks again.
    pthread_mutex_lock(&queue->mutex);
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->mutex);
}

bool iso__queue_push(iso__queue *queue, const void *item, size_t reserve) {
    ISO_ASSERT(reserve < queue->capacity);
    bool has_room = iso__queue_push_quiet(queue, item, reserve);
    if (has_room) {
        pthread_cond_signal(&queue->filled);
    }
    return has_room;
}

size_t iso__queue_push_some(iso__queue *queue, const void *items, size_t count) {
    ISO_ASSERT(count == 0 || (queue->items != NULL && items != NULL));
    const uint8_t *next = items;
    size_t pushed = 0;
    pthread_mutex_lock(&queue->mutex);
    for (; pushed < count && queue->count < queue->capacity; ++pushed, next += queue->item_size) {
        push_locked(queue, next);
    }
    pthread_mutex_unlock(&queue->mutex);
    if (pushed > 0) {
        pthread_cond_signal(&queue->filled);
    }
    return pushed;
}

void iso__queue_push_wait(iso__queue *queue, const void *item) {
    ISO_ASSERT(queue->capacity > 0 && queue->item_size > 0);
    pthread_mutex_lock(&queue->mutex);
    while (queue->count == queue->capacity) {
        pthread_cond_wait(&queue->emptied, &queue->mutex);
    }
    push_locked(queue, item);
    pthread_mutex_unlock(&queue->mutex);
    pthread_cond_signal(&queue->filled);
}

bool iso__queue_pop(iso__queue *queue, void *item) {
    return iso__queue_pop_some(queue, item, 1, 0) == 1;
}

size_t iso__queue_pop_some(iso__queue *queue, void *items, size_t max, uint64_t deadline_ns) {
    ISO_ASSERT(queue->items != NULL && max > 0);
    struct timespec deadline = {
        .tv_sec = (time_t)(deadline_ns / ISO__NS_PER_S),
        .tv_nsec = (long)(deadline_ns % ISO__NS_PER_S),
    };
    uint8_t *next = items;
    size_t popped = 0;
    pthread_mutex_lock(&queue->mutex);
    // A wake without an item also ends the wait: the waker wants the thread to look at its state.
    if (queue->count == 0 && deadline_ns == UINT64_MAX) {
        pthread_cond_wait(&queue->filled, &queue->mutex);
    } else if (queue->count == 0 && deadline_ns != 0) {
        pthread_cond_timedwait(&queue->filled, &queue->mutex, &deadline);
    }
    for (; popped < max && queue->count > 0; ++popped, next += queue->item_size) {
        pop_locked(queue, next);
    }
    pthread_mutex_unlock(&queue->mutex);
    return popped;
}
