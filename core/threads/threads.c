/// One word says what is to be done: the number of the job, how many pieces it has and how many have been taken. A
/// thread takes a piece by raising the word, so it has one only of the job whose number it read; that job cannot end
/// before the piece is done, hence its fields stand still. A thread that comes late finds all pieces taken, and reads
/// nothing else.
#include "isostep/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define SPINS 2000u // looks at the word before a thread sleeps: some 50 us
#define YIELD 200u  // looks of the caller at the last pieces before it gives its processor to who may be doing them

struct iso_threads {
    _Atomic uint64_t word; // 32 bits number of the job, 16 bits its pieces, 16 bits those that were taken
    _Atomic uint32_t undone;
    _Atomic uint32_t sleeping;
    atomic_bool is_busy, is_ending;
    iso_parallel_task *task; // of the present job
    void *data;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    uint32_t count; // with the caller
    uint32_t started;
    pthread_t ids[];
};

static void threads_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool word_is_open(uint64_t word) {
    return (word & 0xffff) < (word >> 16 & 0xffff);
}

/// Does pieces of the present job until none is left. @return whether there was one
static bool threads_work(iso_threads *threads) {
    bool has_worked = false;
    uint64_t word = atomic_load(&threads->word);
    while (word_is_open(word)) {
        if (!atomic_compare_exchange_weak(&threads->word, &word, word + 1)) {
            continue;
        }
        threads->task(threads->data, (uint32_t)(word & 0xffff));
        atomic_fetch_sub(&threads->undone, 1);
        has_worked = true;
        word = atomic_load(&threads->word);
    }
    return has_worked;
}

static void threads_sleep(iso_threads *threads) {
    pthread_mutex_lock(&threads->mutex);
    atomic_fetch_add(&threads->sleeping, 1);
    while (!word_is_open(atomic_load(&threads->word)) && !atomic_load(&threads->is_ending)) {
        pthread_cond_wait(&threads->wake, &threads->mutex);
    }
    atomic_fetch_sub(&threads->sleeping, 1);
    pthread_mutex_unlock(&threads->mutex);
}

static void *threads_main(void *argument) {
    iso_threads *threads = argument;
    uint32_t spins = 0;
    while (!atomic_load(&threads->is_ending)) {
        if (threads_work(threads)) {
            spins = 0;
        } else if (++spins < SPINS) {
            threads_pause();
        } else {
            threads_sleep(threads);
            spins = 0;
        }
    }
    return NULL;
}

static void threads_wake(iso_threads *threads) {
    // A thread counts itself before it looks at the word for the last time, so it sees the job or is seen here.
    if (atomic_load(&threads->sleeping) > 0) {
        pthread_mutex_lock(&threads->mutex);
        pthread_cond_broadcast(&threads->wake);
        pthread_mutex_unlock(&threads->mutex);
    }
}

static void threads_run(void *context, uint32_t count, iso_parallel_task *task, void *data) {
    iso_threads *threads = context;
    if (count > 0xffff || atomic_exchange(&threads->is_busy, true)) {
        for (uint32_t i = 0; i < count; ++i) {
            task(data, i);
        }
        return;
    }
    threads->task = task;
    threads->data = data;
    atomic_store(&threads->undone, count);
    const uint64_t number = (atomic_load(&threads->word) >> 32) + 1;
    atomic_store(&threads->word, number << 32 | (uint64_t)count << 16);
    threads_wake(threads);
    threads_work(threads);
    for (uint32_t spins = 0; atomic_load(&threads->undone) > 0; ++spins) {
        if (spins < YIELD) {
            threads_pause();
        } else {
            sched_yield();
        }
    }
    atomic_store(&threads->is_busy, false);
}

iso_status iso_threads_start(uint32_t count, iso_threads **result) {
    *result = NULL;
    if (count == 0 || count > ISO_THREADS_MAX) {
        return ISO_ERR_RANGE;
    }
    iso_threads *threads = calloc(1, sizeof *threads + (count - 1) * sizeof threads->ids[0]);
    if (threads == NULL) {
        return ISO_ERR_MEMORY;
    }
    threads->count = count;
    pthread_mutex_init(&threads->mutex, NULL);
    pthread_cond_init(&threads->wake, NULL);
    while (threads->started + 1 < count) {
        if (pthread_create(&threads->ids[threads->started], NULL, threads_main, threads) != 0) {
            iso_threads_stop(threads);
            return ISO_ERR_MEMORY;
        }
        ++threads->started;
    }
    *result = threads;
    return ISO_OK;
}

void iso_threads_stop(iso_threads *threads) {
    if (threads == NULL) {
        return;
    }
    atomic_store(&threads->is_ending, true);
    pthread_mutex_lock(&threads->mutex);
    pthread_cond_broadcast(&threads->wake);
    pthread_mutex_unlock(&threads->mutex);
    for (uint32_t i = 0; i < threads->started; ++i) {
        pthread_join(threads->ids[i], NULL);
    }
    pthread_cond_destroy(&threads->wake);
    pthread_mutex_destroy(&threads->mutex);
    free(threads);
}

iso_parallel iso_threads_parallel(iso_threads *threads) {
    return (iso_parallel){.thread_count = threads->count, .run = threads_run, .context = threads};
}
