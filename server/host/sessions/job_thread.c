#include "host/sessions/job_thread.h"

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
    iso__priority_stand_back();
    pthread_mutex_lock(&maker->mutex);
    while (!maker->is_stopping) {
        iso__job *job = take(&maker->first, &maker->last);
        if (job == NULL) {
            pthread_cond_wait(&maker->changed, &maker->mutex);
            continue;
        }
        pthread_mutex_unlock(&maker->mutex);
        job->work(job);
        pthread_mutex_lock(&maker->mutex);
        append(&maker->done_first, &maker->done_last, job);
        if (!maker->is_stopping) {
            uv_async_send(maker->finished);
        }
    }
    pthread_mutex_unlock(&maker->mutex);
    return NULL;
}

int iso__job_thread_start(iso__job_thread *maker, uv_async_t *finished) {
    *maker = (iso__job_thread){.finished = finished};
    pthread_mutex_init(&maker->mutex, NULL);
    pthread_cond_init(&maker->changed, NULL);
    const int error = iso__thread_start(&maker->thread, maker_main, maker);
    maker->is_running = error == 0;
    return error;
}

void iso__job_thread_push(iso__job_thread *maker, iso__job *job) {
    pthread_mutex_lock(&maker->mutex);
    append(&maker->first, &maker->last, job);
    pthread_cond_signal(&maker->changed);
    pthread_mutex_unlock(&maker->mutex);
}

void iso__job_thread_deliver(iso__job_thread *maker) {
    while (maker->is_running) {
        pthread_mutex_lock(&maker->mutex);
        iso__job *job = take(&maker->done_first, &maker->done_last);
        pthread_mutex_unlock(&maker->mutex);
        if (job == NULL) {
            return;
        }
        job->done(job);
    }
}

void iso__job_thread_stop(iso__job_thread *maker) {
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
