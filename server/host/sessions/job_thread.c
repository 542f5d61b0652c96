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

static void *job_thread_main(void *argument) {
    iso__job_thread *jobs = argument;
    iso__affinity_take(&jobs->affinity);
    iso__priority_stand_back();
    pthread_mutex_lock(&jobs->mutex);
    while (!jobs->is_stopping) {
        iso__job *job = take(&jobs->first, &jobs->last);
        if (job == NULL) {
            pthread_cond_wait(&jobs->changed, &jobs->mutex);
            continue;
        }
        pthread_mutex_unlock(&jobs->mutex);
        ISO_ASSERT(job->state == ISO__JOB_WAITING);
        job->work(job);
        job->state = ISO__JOB_DONE;
        pthread_mutex_lock(&jobs->mutex);
        append(&jobs->done_first, &jobs->done_last, job);
        if (!jobs->is_stopping) {
            uv_async_send(jobs->finished);
        }
    }
    pthread_mutex_unlock(&jobs->mutex);
    iso__affinity_release(&jobs->affinity);
    return NULL;
}

int iso__job_thread_start(iso__job_thread *jobs, uv_async_t *finished) {
    ISO_ASSERT(finished->loop != NULL && !jobs->is_running);
    *jobs = (iso__job_thread){.finished = finished};
    iso__affinity_take(&jobs->io);
    pthread_mutex_init(&jobs->mutex, NULL);
    pthread_cond_init(&jobs->changed, NULL);
    const int error = iso__thread_start(&jobs->thread, job_thread_main, jobs);
    jobs->is_running = error == 0;
    return error;
}

void iso__job_thread_push(iso__job_thread *jobs, iso__job *job) {
    ISO__ASSERT_ON(&jobs->io);
    ISO_ASSERT(job->state == ISO__JOB_IDLE && job->work != NULL && job->done != NULL);
    job->state = ISO__JOB_WAITING;
    pthread_mutex_lock(&jobs->mutex);
    append(&jobs->first, &jobs->last, job);
    pthread_cond_signal(&jobs->changed);
    pthread_mutex_unlock(&jobs->mutex);
}

void iso__job_thread_deliver(iso__job_thread *jobs) {
    ISO__ASSERT_ON(&jobs->io);
    while (jobs->is_running) {
        pthread_mutex_lock(&jobs->mutex);
        iso__job *job = take(&jobs->done_first, &jobs->done_last);
        pthread_mutex_unlock(&jobs->mutex);
        if (job == NULL) {
            return;
        }
        ISO_ASSERT(job->state == ISO__JOB_DONE);
        job->state = ISO__JOB_IDLE;
        job->done(job);
    }
}

void iso__job_thread_stop(iso__job_thread *jobs) {
    ISO__ASSERT_ON(&jobs->io);
    if (!jobs->is_running) {
        return;
    }
    pthread_mutex_lock(&jobs->mutex);
    jobs->is_stopping = true;
    pthread_cond_signal(&jobs->changed);
    pthread_mutex_unlock(&jobs->mutex);
    pthread_join(jobs->thread, NULL);
    jobs->is_running = false;
}
