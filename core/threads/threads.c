/// Each thread has a zone of a job's pieces, neighbours of each other, and helps in other zones when its own is done.
/// So the same thread does the same part of one stage after the other, and finds what it has written in its own cache.
///
/// A zone's word has the number of the job, where the zone ends and which of its pieces is next. A thread takes a piece
/// by raising the word, so it has one only of the job whose number it read; that job cannot end before the piece is
/// done, hence its fields stand still. A thread that comes late finds all pieces taken, and reads nothing else.
#include "isostep/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SPINS \
    8000u          // looks for a new job before a thread sleeps: some 200 us, longer than a step is serial at a stretch
#define YIELD 200u // looks of the caller at the last pieces before it gives its processor to who may be doing them
#define LINE  64u  // bytes of a cache line: what several threads write stands apart

typedef struct threads_zone {
    _Alignas(LINE) _Atomic uint64_t word; // 32 bits number of the job, 16 bits end, 16 bits the next piece
} threads_zone;

typedef struct threads_seat {
    iso_threads *threads;
    uint32_t zone;
    pthread_t id;
} threads_seat;

struct iso_threads {
    threads_zone zones[ISO_THREADS_MAX];    // the first is the caller's
    _Alignas(LINE) _Atomic uint32_t number; // of the present job: changes last
    iso_parallel_task *task;                // of the present job
    void *data;
    _Alignas(LINE) _Atomic uint32_t undone; // pieces
    _Alignas(LINE) _Atomic uint32_t sleeping;
    atomic_bool is_busy, is_ending;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    uint32_t count; // with the caller
    uint32_t started;
    threads_seat seats[ISO_THREADS_MAX];
};

static void threads_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/// Takes the next piece of a zone. @return false when none is left
static bool zone_take(threads_zone *zone, uint32_t *piece) {
    uint64_t word = atomic_load(&zone->word);
    while ((word & 0xffff) < (word >> 16 & 0xffff)) {
        if (atomic_compare_exchange_weak(&zone->word, &word, word + 1)) {
            *piece = (uint32_t)(word & 0xffff);
            return true;
        }
    }
    return false;
}

/// Does pieces of the present job until none is left, those of the own zone first.
static void threads_work(iso_threads *threads, uint32_t own) {
    for (uint32_t n = 0; n < threads->count; ++n) {
        threads_zone *zone = &threads->zones[(own + n) % threads->count];
        uint32_t piece, done = 0;
        for (; zone_take(zone, &piece); ++done) {
            threads->task(threads->data, piece);
        }
        if (done > 0) {
            atomic_fetch_sub(&threads->undone, done);
        }
    }
}

static void threads_sleep(iso_threads *threads, uint32_t seen) {
    pthread_mutex_lock(&threads->mutex);
    atomic_fetch_add(&threads->sleeping, 1);
    while (atomic_load(&threads->number) == seen && !atomic_load(&threads->is_ending)) {
        pthread_cond_wait(&threads->wake, &threads->mutex);
    }
    atomic_fetch_sub(&threads->sleeping, 1);
    pthread_mutex_unlock(&threads->mutex);
}

static void *threads_main(void *argument) {
    const threads_seat *seat = argument;
    iso_threads *threads = seat->threads;
    uint32_t spins = 0, seen = 0;
    while (!atomic_load(&threads->is_ending)) {
        const uint32_t number = atomic_load(&threads->number);
        if (number != seen) {
            seen = number;
            threads_work(threads, seat->zone);
            spins = 0;
        } else if (++spins < SPINS) {
            threads_pause();
        } else {
            threads_sleep(threads, seen);
            spins = 0;
        }
    }
    return NULL;
}

static void threads_wake(iso_threads *threads) {
    // A thread counts itself before it looks at the number for the last time, so it sees the job or is seen here.
    if (atomic_load(&threads->sleeping) > 0) {
        pthread_mutex_lock(&threads->mutex);
        pthread_cond_broadcast(&threads->wake);
        pthread_mutex_unlock(&threads->mutex);
    }
}

/// Gives each thread its share of the pieces.
static void threads_share(iso_threads *threads, uint32_t count) {
    const uint32_t number = atomic_load(&threads->number) + 1;
    for (uint32_t i = 0; i < threads->count; ++i) {
        const uint64_t begin = count * i / threads->count, end = count * (i + 1) / threads->count;
        atomic_store_explicit(&threads->zones[i].word, (uint64_t)number << 32 | end << 16 | begin,
                              memory_order_release);
    }
    atomic_store(&threads->number, number);
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
    atomic_store_explicit(&threads->undone, count, memory_order_relaxed);
    threads_share(threads, count);
    threads_wake(threads);
    threads_work(threads, 0);
    for (uint32_t spins = 0; atomic_load(&threads->undone) > 0; ++spins) {
        if (spins < YIELD) {
            threads_pause();
        } else {
            sched_yield();
        }
    }
    atomic_store(&threads->is_busy, false);
}

/// With all signals blocked: those of the process belong to the threads of whoever uses the pool.
static bool threads_begin(threads_seat *seat) {
    sigset_t all, before;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) {
        return false;
    }
    const int error = pthread_create(&seat->id, NULL, threads_main, seat);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error == 0;
}

iso_status iso_threads_start(uint32_t count, iso_threads **result) {
    *result = NULL;
    if (count == 0 || count > ISO_THREADS_MAX) {
        return ISO_ERR_RANGE;
    }
    iso_threads *threads = aligned_alloc(LINE, sizeof *threads);
    if (threads == NULL) {
        return ISO_ERR_MEMORY;
    }
    memset(threads, 0, sizeof *threads);
    threads->count = count;
    pthread_mutex_init(&threads->mutex, NULL);
    pthread_cond_init(&threads->wake, NULL);
    while (threads->started + 1 < count) {
        threads_seat *seat = &threads->seats[threads->started];
        *seat = (threads_seat){.threads = threads, .zone = threads->started + 1};
        if (!threads_begin(seat)) {
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
        pthread_join(threads->seats[i].id, NULL);
    }
    pthread_cond_destroy(&threads->wake);
    pthread_mutex_destroy(&threads->mutex);
    free(threads);
}

iso_parallel iso_threads_parallel(iso_threads *threads) {
    return (iso_parallel){.thread_count = threads->count, .run = threads_run, .context = threads};
}
