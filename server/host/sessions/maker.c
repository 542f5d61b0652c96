#include "host/sessions/maker.h"

#include "base/priority.h"

static iso__maker_job *take(iso__maker_job **first, iso__maker_job **last) {
    iso__maker_job *job = *first;
    if (job != NULL) {
        *first = job->next;
    }
    if (*first == NULL) {
        *last = NULL;
    }
    return job;
}

static void append(iso__maker_job **first, iso__maker_job **last, iso__maker_job *job) {
    job->next = NULL;
    *(*first != NULL ? &(*last)->next : first) = job;
    *last = job;
}

static void *maker_main(void *argument) {
    iso__maker *maker = argument;
    iso__priority_stand_back();
    pthread_mutex_lock(&maker->mutex);
    while (!maker->is_stopping) {
        iso__maker_job *job = take(&maker->first, &maker->last);
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

int iso__maker_start(iso__maker *maker, uv_async_t *finished) {
    *maker = (iso__maker){.finished = finished};
    pthread_mutex_init(&maker->mutex, NULL);
    pthread_cond_init(&maker->changed, NULL);
    const int error = pthread_create(&maker->thread, NULL, maker_main, maker);
    maker->is_running = error == 0;
    return error;
}

void iso__maker_push(iso__maker *maker, iso__maker_job *job) {
    pthread_mutex_lock(&maker->mutex);
    append(&maker->first, &maker->last, job);
    pthread_cond_signal(&maker->changed);
    pthread_mutex_unlock(&maker->mutex);
}

void iso__maker_deliver(iso__maker *maker) {
    while (maker->is_running) {
        pthread_mutex_lock(&maker->mutex);
        iso__maker_job *job = take(&maker->done_first, &maker->done_last);
        pthread_mutex_unlock(&maker->mutex);
        if (job == NULL) {
            return;
        }
        job->done(job);
    }
}

void iso__maker_stop(iso__maker *maker) {
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
