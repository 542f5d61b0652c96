/// The worker's loop: what came in, then the tick when it is due, then sleep until one of them.
#include "host/worker.h"

#include <stdlib.h>
#include <sys/prctl.h>

#include "host/clock.h"
#include "host/log.h"
#include "host/worker_actions.h"
#include "isostep/proto/codec.h"

// Between two ticks at most so many items are taken, so that a flood cannot hold up the clock.
#define BATCH_MAX 256

bool iso__worker_init(iso__worker *worker, uv_async_t *outbound_filled)
{
    *worker = (iso__worker){.outbound_filled = outbound_filled};
    atomic_init(&worker->starved, false);
    worker->encode_memory = malloc(ISO_ENCODE_MEMORY_SIZE);
    worker->encode_bytes = malloc(ISO_FRAME_MAX_SERVER);
    return worker->encode_memory != NULL && worker->encode_bytes != NULL &&
           iso__queue_init(&worker->inbound, sizeof(iso__inbound), ISO__INBOUND_MESSAGES_MAX + ISO__INBOUND_RESERVE) &&
           iso__queue_init(&worker->outbound, sizeof(iso__outbound), ISO__OUTBOUND_MAX);
}

void iso__worker_term(iso__worker *worker)
{
    iso__inbound in;
    while (worker->inbound.items != NULL && iso__queue_pop(&worker->inbound, &in))
        free(in.block);
    iso__outbound out;
    while (worker->outbound.items != NULL && iso__queue_pop(&worker->outbound, &out)) {
        iso__buffer_release(out.buffer);
        free(out.connections);
    }
    iso__queue_term(&worker->inbound);
    iso__queue_term(&worker->outbound);
    free(worker->encode_memory);
    free(worker->encode_bytes);
}

bool iso__worker_offer(iso__worker *worker, const iso__inbound *item)
{
    if (iso__queue_push(&worker->inbound, item, ISO__INBOUND_RESERVE))
        return true;
    atomic_store(&worker->starved, true);
    // The worker may have made room and looked at the flag in between.
    return iso__queue_push(&worker->inbound, item, ISO__INBOUND_RESERVE);
}

void iso__worker_post(iso__worker *worker, const iso__inbound *item)
{
    if (iso__queue_push(&worker->inbound, item, 0))
        return;
    iso__log("isostep-server: internal error: the reserve of the inbound queue is used up");
    abort();
}

void iso__worker_wake_for_recording(void *user)
{
    iso__worker_post(user, &(iso__inbound){.kind = ISO__INBOUND_RECORDER});
}

static void hand_in(iso__worker *worker, const iso_session_event *event)
{
    iso_session_handle(worker->session, iso__clock_now(), event);
    iso__worker_act(worker);
}

static void tell_degraded(iso__worker *worker, iso_status status)
{
    if (worker->degraded_told)
        return;
    worker->degraded_told = true;
    hand_in(worker, &(iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_DEGRADED, .status = status});
}

/// Tells the session what is new about its recording.
static void take_report(iso__worker *worker)
{
    iso__recording_report old = worker->report;
    iso__recording_get_report(worker->recording, &worker->report);
    const iso__recording_report *report = &worker->report;
    if (report->started && (!old.started || report->written_tick > old.written_tick))
        hand_in(worker, &(iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = report->written_tick});
    if (report->started && report->durable_tick > old.durable_tick)
        hand_in(worker, &(iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_DURABLE, .tick = report->durable_tick});
    if (report->degraded)
        tell_degraded(worker, report->status);
    if (report->finished && !worker->sealed_told) {
        worker->sealed_told = true;
        hand_in(worker, &(iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_SEALED});
    }
}

static void take(iso__worker *worker, iso__inbound *item)
{
    if (item->kind == ISO__INBOUND_RECORDER)
        take_report(worker);
    else
        hand_in(worker, &item->event);
    free(item->block);
    if (worker->recording_lost != ISO_OK)
        tell_degraded(worker, worker->recording_lost);
}

static void measure(iso__worker *worker, uint64_t deadline, uint64_t begun)
{
    uint64_t late = begun > deadline ? begun - deadline : 0;
    uint64_t work = iso__clock_now() - begun;
    iso__worker_timing *timing = &worker->timing;
    unsigned bucket = 0;
    while (bucket < ISO__LATENESS_BUCKETS - 1 && late / 1000 >> bucket != 0)
        bucket++;
    timing->ticks++;
    timing->late_buckets[bucket]++;
    timing->work_total_ns += work;
    if (late > timing->late_max_ns)
        timing->late_max_ns = late;
    if (work > timing->work_max_ns)
        timing->work_max_ns = work;
}

static void pass_time(iso__worker *worker, uint64_t now)
{
    iso_session_stats before, after;
    iso_session_get_stats(worker->session, &before);
    uint64_t deadline = iso_session_tick_deadline(worker->session, before.tick + 1);
    iso_session_handle(worker->session, now, &(iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
    iso__worker_act(worker);
    iso_session_get_stats(worker->session, &after);
    if (after.tick != before.tick)
        measure(worker, deadline, now);
}

static void drain(iso__worker *worker)
{
    iso__inbound item;
    for (int i = 0; i < BATCH_MAX && !worker->closed && iso__queue_pop(&worker->inbound, &item); i++)
        take(worker, &item);
    if (atomic_exchange(&worker->starved, false))
        uv_async_send(worker->outbound_filled);
}

static void *worker_main(void *argument)
{
    iso__worker *worker = argument;
    // The kernel may otherwise wake this thread 50 us late, to save power.
    prctl(PR_SET_TIMERSLACK, 1UL);
    iso__worker_act(worker);
    while (!worker->closed) {
        drain(worker);
        if (worker->closed)
            break;
        uint64_t now = iso__clock_now();
        uint64_t deadline = iso_session_next_deadline(worker->session);
        iso__inbound item;
        if (now >= deadline)
            pass_time(worker, now);
        else if (iso__queue_pop_until(&worker->inbound, &item, deadline))
            take(worker, &item);
    }
    iso__worker_push_outbound(worker, &(iso__outbound){.kind = ISO__OUTBOUND_STOPPED});
    return NULL;
}

bool iso__worker_start(iso__worker *worker)
{
    worker->running = pthread_create(&worker->thread, NULL, worker_main, worker) == 0;
    return worker->running;
}

void iso__worker_join(iso__worker *worker)
{
    if (worker->running)
        pthread_join(worker->thread, NULL);
    worker->running = false;
}
