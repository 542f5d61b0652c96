/// A thread for work that takes too long for the I/O thread: building and freeing the sessions that are created while
/// the server runs. Jobs are done one after the other, in the order in which they came; the I/O thread is told.
#ifndef ISO_HOST_JOB_THREAD_H
#define ISO_HOST_JOB_THREAD_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/affinity.h"

typedef enum iso__job_state {
    ISO__JOB_IDLE,    // the caller's
    ISO__JOB_WAITING, // the thread's
    ISO__JOB_DONE,    // the thread's, until it is delivered
} iso__job_state;

/// The caller's memory. It is the thread's from iso__job_thread_push until `done` is called.
typedef struct iso__job {
    struct iso__job *next;
    void (*work)(struct iso__job *job); // on the thread
    void (*done)(struct iso__job *job); // on the I/O thread, after `work`
    uint8_t state;                      // iso__job_state; written by who has it
} iso__job;

typedef struct iso__job_thread {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    iso__job *first, *last;           // that wait
    iso__job *done_first, *done_last; // whose work is done
    bool is_stopping;
    uv_async_t *finished; // sent when a job's work is done
    pthread_t thread;
    iso__affinity affinity; // the thread
    iso__affinity io;       // who pushes and is delivered to
    bool is_running;
} iso__job_thread;

/// @return 0 or an errno value; iso__job_thread_stop may be called then as well
int iso__job_thread_start(iso__job_thread *jobs, uv_async_t *finished);

/// @param job  with `work` and `done`; in no queue
void iso__job_thread_push(iso__job_thread *jobs, iso__job *job);

/// Calls `done` for the jobs whose work is done. On the I/O thread.
void iso__job_thread_deliver(iso__job_thread *jobs);

/// Ends the thread after its present job; jobs that wait, and `done` calls, are left out.
void iso__job_thread_stop(iso__job_thread *jobs);

#endif
