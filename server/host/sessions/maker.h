/// A thread for work that takes too long for the I/O thread: building and freeing the sessions that are created while
/// the server runs. Jobs are done one after the other, in the order in which they came; the I/O thread is told.
#ifndef ISO_HOST_MAKER_H
#define ISO_HOST_MAKER_H

#include <pthread.h>
#include <stdbool.h>
#include <uv.h>

/// Belongs to the caller, who keeps it until `done`.
typedef struct iso__maker_job {
    struct iso__maker_job *next;
    void (*work)(struct iso__maker_job *job); // on the maker's thread
    void (*done)(struct iso__maker_job *job); // on the I/O thread, after `work`
} iso__maker_job;

typedef struct iso__maker {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    iso__maker_job *first, *last;           // that wait
    iso__maker_job *done_first, *done_last; // whose work is done
    bool is_stopping;
    uv_async_t *finished; // sent when a job's work is done
    pthread_t thread;
    bool is_running;
} iso__maker;

/// @return 0 or an errno value; iso__maker_stop may be called then as well
int iso__maker_start(iso__maker *maker, uv_async_t *finished);

/// @param job  with `work` and `done`; in no queue
void iso__maker_push(iso__maker *maker, iso__maker_job *job);

/// Calls `done` for the jobs whose work is done. On the I/O thread.
void iso__maker_deliver(iso__maker *maker);

/// Ends the thread after its present job; jobs that wait, and `done` calls, are left out.
void iso__maker_stop(iso__maker *maker);

#endif
