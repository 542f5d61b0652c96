#include "host/sessions/job_thread.h"

#include "base/affinity.h"
#include "base/priority.h"
#include "base/thread.h"

static iso__job *take(iso__job **first, iso__job **last) {
    iso__job *job = *first;
    if (job != NULL) {
        *first = job->next;
    }
    if (*first == NULL) {
        *last = NULL;
    }
    return job;
}

static void append(iso__job **first, iso__job **last, iso__job *job) {
    job->next = NULL;
    *(*first != NULL ? &(*last)->next : first) = job;
    *last = job;
}

static void *maker_main(void *argument) {
    iso__job_thread *maker = argument;
    iso__affinity_take(&maker->affinity);
    iso__priority_stand_back();
    pthread_mutex_lock(&maker->mutex);
    while (!maker->is_stopping) {
        iso__job *job = take(&maker->first, &maker->last);
        if (job == NULL) {
            pthread_cond_wait(&maker->changed, &maker->mutex);
            continue;
        }
        pthread_mutex_unlock(&maker->mutex);
        ISO_ASSERT(job->state == ISO__JOB_WAITING);
        job->work(job);
        job->state = ISO__JOB_DONE;
        pthread_mutex_lock(&maker->mutex);
        append(&maker->done_first, &maker->done_last, job);
        if (!maker->is_stopping) {
            uv_async_send(maker->finished);
        }
    }
    pthread_mutex_unlock(&maker->mutex);
    iso__affinity_release(&maker->affinity);
    return NULL;
}

int iso__job_thread_start(iso__job_thread *maker, uv_async_t *finished) {
    ISO_ASSERT(finished->loop != NULL && !maker->is_running);
    *maker = (iso__job_thread){.finished = finished};
    iso__affinity_take(&maker->io);
    pthread_mutex_init(&maker->mutex, NULL);
    pthread_cond_init(&maker->changed, NULL);
    const int error = iso__thread_start(&maker->thread, maker_main, maker);
    maker->is_running = error == 0;
    return error;
}

void iso__job_thread_push(iso__job_thread *maker, iso__job *job) {
    ISO__ASSERT_ON(&maker->io);
    ISO_ASSERT(job->state == ISO__JOB_IDLE && job->work != NULL && job->done != NULL);
    job->state = ISO__JOB_WAITING;
    pthread_mutex_lock(&maker->mutex);
    append(&maker->first, &maker->last, job);
    pthread_cond_signal(&maker->changed);
    pthread_mutex_unlock(&maker->mutex);
}

void iso__job_thread_deliver(iso__job_thread *maker) {
    ISO__ASSERT_ON(&maker->io);
    while (maker->is_running) {
        pthread_mutex_lock(&maker->mutex);
        iso__job *job = take(&maker->done_first, &maker->done_last);
        pthread_mutex_unlock(&maker->mutex);
        if (job == NULL) {
            return;
        }
        ISO_ASSERT(job->state == ISO__JOB_DONE);
        job->state = ISO__JOB_IDLE;
        job->done(job);
    }
}

void iso__job_thread_stop(iso__job_thread *maker) {
    ISO__ASSERT_ON(&maker->io);
    if (!maker->is_running) {
        return;
    }
    pthread_mutex_lock(&maker->mutex);
    maker->is_stopping = true;
    pthread_cond_signal(&maker->changed);
    pthread_mutex_unlock(&maker->mutex);
    pthread_join(maker->thread, NULL);
    maker->is_running = false;
}
