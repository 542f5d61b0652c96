/// The worker's loop: inbound items, then the ticks that are due, then sleep until the next of either.
#include "host/sessions/worker.h"

#include <stdlib.h>
#include <sys/prctl.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "base/thread.h"
#include "host/recordings/recording_hand_in.h"
#include "host/sessions/session_recording.h"
#include "host/sessions/worker_actions.h"
#include "host/watch/log.h"
#include "isostep/proto/codec.h"

// Maximum items taken between two looks at the ticks, so that a flood cannot delay the clocks.
#define BATCH_MAX 128u
// Maximum ticks sealed between two looks at the queue; their messages are sent then.
#define TICKS_MAX 8u
// Per connection after its first item: bad frame, queued, gone. Per session: recorder, compressed, shutdown, added,
// left, retired.
#define POSTS_PER_CONNECTION 3u
#define POSTS_PER_SESSION    12u

bool iso__worker_init(iso__worker *worker, uint32_t session_max, uv_async_t *outbound_filled, iso__counters *counters) {
    ISO_ASSERT(session_max > 0);
    *worker = (iso__worker){.outbound_filled = outbound_filled, .counters = counters};
    // A connection beyond those that the session has accepted is one of those that have an item in the queue.
    size_t places = (size_t)session_max * ISO__HOSTED_MESSAGES_MAX;
    size_t reserve = POSTS_PER_CONNECTION * (places < ISO__PEER_MAX ? places + ISO__PEER_MAX : 2u * ISO__PEER_MAX) +
                     (size_t)session_max * POSTS_PER_SESSION;
    iso__affinity_take(&worker->io);
    worker->sessions = calloc(session_max, sizeof worker->sessions[0]);
    worker->deadlines = calloc(session_max, sizeof worker->deadlines[0]);
    worker->encode_memory = malloc(ISO_ENCODE_MEMORY_SIZE);
    worker->encode_bytes = malloc(ISO_FRAME_MAX_SERVER);
    return worker->sessions != NULL && worker->deadlines != NULL && worker->encode_memory != NULL &&
           worker->encode_bytes != NULL && iso__queue_init(&worker->inbound, sizeof(iso__inbound), places + reserve) &&
           iso__queue_init(&worker->outbound, sizeof(iso__outbound), ISO__OUTBOUND_MAX);
}

void iso__worker_add(iso__worker *worker, iso__hosted *hosted) {
    ISO__ASSERT_ON(&worker->affinity);
    ISO_ASSERT(hosted->worker == NULL || hosted->worker == worker);
    hosted->worker = worker;
    hosted->place = worker->session_count++;
    worker->sessions[hosted->place] = hosted;
    ++worker->open_count;
}

static void outbound_free(iso__outbound *item) {
    iso__buffer_release(item->buffer);
    free(item->connections);
}

void iso__worker_term(iso__worker *worker) {
    ISO__ASSERT_ON(&worker->affinity);
    ISO_ASSERT(!worker->is_running);
    iso__inbound in;
    while (worker->inbound.items != NULL && iso__queue_pop(&worker->inbound, &in)) {
        iso__inbound_free(&in);
    }
    iso__outbound out;
    while (worker->outbound.items != NULL && iso__queue_pop(&worker->outbound, &out)) {
        outbound_free(&out);
    }
    for (uint32_t i = 0; i < worker->out_count; ++i) {
        outbound_free(&worker->out[i]);
    }
    iso__queue_term(&worker->inbound);
    iso__queue_term(&worker->outbound);
    free(worker->sessions);
    free(worker->deadlines);
    free(worker->encode_memory);
    free(worker->encode_bytes);
}

/// Sets when the scheduler has to look at the session, and publishes its state unless that happens soon.
static void set_deadline(iso__hosted *hosted, uint64_t now) {
    uint64_t deadline = atomic_load(&hosted->closed) ? UINT64_MAX : iso_session_next_deadline(hosted->session);
    uint64_t recording = atomic_load(&hosted->closed) ? UINT64_MAX : iso__session_recording_deadline(hosted);
    hosted->worker->deadlines[hosted->place] = recording < deadline ? recording : deadline;
    // The scheduler does not look at a paused session for some time.
    if (now > hosted->info_ns + ISO__INFO_INTERVAL_NS || deadline > now + ISO__INFO_INTERVAL_NS) {
        iso__hosted_publish(hosted, now);
    }
}

/// Tells how the recording of a session that was added has begun. A session without one has begun at once.
static void tell_start(iso__hosted *hosted) {
    const bool has_started = !hosted->is_recorded || hosted->report.has_started;
    if (!hosted->awaits_start || (!has_started && !hosted->is_lost)) {
        return;
    }
    hosted->awaits_start = false;
    iso__worker_push_outbound(hosted->worker,
                              &(iso__outbound){.kind = ISO__OUTBOUND_STARTED,
                                               .hosted = hosted,
                                               .status = has_started ? ISO_OK : hosted->recording_lost});
}

static void add_running(iso__worker *worker, iso__hosted *hosted) {
    iso__worker_add(worker, hosted);
    iso__affinity_take(&hosted->affinity);
    iso__worker_act(hosted);
    tell_start(hosted);
    set_deadline(hosted, iso__clock_now());
}

/// Takes a session out of the list when nothing can come for it any more.
static void leave(iso__hosted *hosted) {
    iso__worker *worker = hosted->worker;
    if (!hosted->is_leaving || !hosted->is_retired || hosted->compressing > 0) {
        return;
    }
    const uint32_t last = --worker->session_count;
    worker->sessions[hosted->place] = worker->sessions[last];
    worker->deadlines[hosted->place] = worker->deadlines[last];
    worker->sessions[hosted->place]->place = hosted->place;
    iso__affinity_release(&hosted->affinity);
    iso__worker_push_outbound(worker, &(iso__outbound){.kind = ISO__OUTBOUND_LEFT, .hosted = hosted});
}

/// What is about the session itself. After LEFT it must not be touched. @return false: it is something else
static bool take_control(iso__worker *worker, const iso__inbound *item) {
    switch ((iso__inbound_kind)item->kind) {
    case ISO__INBOUND_ADD:
        add_running(worker, item->hosted);
        return true;
    case ISO__INBOUND_LEAVE:
        item->hosted->is_leaving = true;
        item->hosted->is_retired = !item->hosted->is_recorded;
        if (item->hosted->is_recorded) {
            iso__recording_leave(&item->hosted->recording);
        }
        leave(item->hosted);
        return true;
    case ISO__INBOUND_RETIRED:
        item->hosted->is_retired = true;
        leave(item->hosted);
        return true;
    case ISO__INBOUND_STOP:
        worker->is_stopping = true;
        return true;
    case ISO__INBOUND_SESSION:
    case ISO__INBOUND_RECORDER:
    case ISO__INBOUND_MEMBER_REQUEST:
        break;
    }
    return false;
}

/// The answer goes first: the I/O thread then still knows the connection of who is removed.
static void take_request(iso__hosted *hosted, uint64_t now, iso__member_request *request) {
    const iso_session *session = hosted->session;
    const uint32_t capacity = sizeof request->people / sizeof request->people[0];
    iso_session_event event = {.kind = ISO_SESSION_EVENT_KICK,
                               .connection = request->connection,
                               .slot = request->slot,
                               .generation = request->generation,
                               .status = request->status};
    request->now_ns = now;
    if (request->is_list) {
        request->count = iso_session_get_people(session, request->people, capacity);
    } else {
        request->count = iso_session_find_person(session, request->connection, request->slot, request->people) ? 1 : 0;
    }
    if (!request->is_list && request->count > 0 && request->generation != 0 &&
        request->generation != request->people[0].generation) {
        request->count = 0;
    }
    const bool kicks = request->kicks && request->count > 0;
    iso__worker_push_outbound(hosted->worker,
                              &(iso__outbound){.kind = ISO__OUTBOUND_MEMBER_REQUEST, .request = request});
    if (kicks) {
        iso__worker_hand_in(hosted, now, &event);
    }
}

static void take(iso__worker *worker, iso__inbound *item) {
    iso__hosted *hosted = item->hosted;
    if (take_control(worker, item)) {
        return;
    }
    if (item->is_counted) {
        atomic_fetch_sub(&hosted->waiting, 1);
        atomic_fetch_sub(&hosted->waiting_size, item->block_size);
    }
    if (!atomic_load(&hosted->closed)) {
        if (item->kind == ISO__INBOUND_MEMBER_REQUEST) {
            take_request(hosted, item->at_ns, item->request);
        } else if (item->kind == ISO__INBOUND_RECORDER) {
            iso__session_recording_hear(hosted);
        } else {
            iso__worker_hand_in(hosted, item->at_ns, &item->event);
        }
        iso__session_recording_check(hosted);
        tell_start(hosted);
        set_deadline(hosted, item->at_ns);
    } else if (item->kind == ISO__INBOUND_MEMBER_REQUEST) {
        item->request->count = 0;
        iso__worker_push_outbound(worker,
                                  &(iso__outbound){.kind = ISO__OUTBOUND_MEMBER_REQUEST, .request = item->request});
    }
    iso__inbound_free(item);
    // After HOLD: the count of the address is never too low in between.
    if (item->kind == ISO__INBOUND_SESSION && item->event.kind == ISO_SESSION_EVENT_DISCONNECTED) {
        iso__worker_push_outbound(hosted->worker,
                                  &(iso__outbound){.kind = ISO__OUTBOUND_GONE, .address = item->address});
    }
    if (atomic_load(&hosted->starved) && atomic_exchange(&hosted->starved, false)) {
        uv_async_send(hosted->worker->outbound_filled);
    }
    if (item->kind == ISO__INBOUND_SESSION && item->event.kind == ISO_SESSION_EVENT_SNAPSHOT_ENCODED) {
        --hosted->compressing;
        leave(hosted);
    }
}

static void measure(iso__timing *timing, uint64_t late, uint64_t work) {
    unsigned bucket = 0;
    while (bucket < ISO__LATENESS_BUCKETS - 1 && late / 1000 >> bucket != 0) {
        ++bucket;
    }
    ++timing->ticks;
    ++timing->late_buckets[bucket];
    timing->work_total_ns += work;
    if (late > timing->late_max_ns) {
        timing->late_max_ns = late;
    }
    if (work > timing->work_max_ns) {
        timing->work_max_ns = work;
    }
}

/// Lets one session do its work that is due: at most one tick.
static void pass_time(iso__hosted *hosted, uint64_t now) {
    iso__session_recording_pass_time(hosted, now);
    const iso_world *world = iso_session_get_world(hosted->session);
    uint64_t before = iso_world_get_tick(world);
    uint64_t deadline = iso_session_tick_deadline(hosted->session, before + 1);
    iso__worker_hand_in(hosted, now, &(iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
    iso__session_recording_check(hosted);
    tell_start(hosted);
    set_deadline(hosted, now);
    uint64_t work = iso__clock_now() - now;
    hosted->served_ns += work;
    if (iso_world_get_tick(world) != before) {
        iso__counters_add_results(hosted->worker->counters, world);
        measure(&hosted->timing, now > deadline ? now - deadline : 0, work);
    }
}

/// Of the sessions that are due, the one that has used the least time. @return NULL when none is due
static iso__hosted *pick(iso__worker *worker, uint64_t now) {
    iso__hosted *least = NULL;
    for (uint32_t i = 0; i < worker->session_count; ++i) {
        if (worker->deadlines[i] <= now && (least == NULL || worker->sessions[i]->served_ns < least->served_ns)) {
            least = worker->sessions[i];
        }
    }
    if (least == NULL) {
        return NULL;
    }
    // A session that had little to do does not accumulate credit: it is served next, but not for ever.
    if (least->served_ns < worker->served_floor_ns) {
        least->served_ns = worker->served_floor_ns;
    }
    worker->served_floor_ns = least->served_ns;
    return least;
}

uint64_t iso__worker_next_deadline(const iso__worker *worker) {
    ISO__ASSERT_ON(&worker->affinity);
    uint64_t deadline = UINT64_MAX;
    for (uint32_t i = 0; i < worker->session_count; ++i) {
        deadline = worker->deadlines[i] < deadline ? worker->deadlines[i] : deadline;
    }
    return deadline;
}

static void drain(iso__worker *worker, bool may_wait) {
    iso__inbound items[BATCH_MAX];
    uint64_t deadline = iso__worker_next_deadline(worker);
    bool sleeps = may_wait && deadline > iso__clock_now();
    if (sleeps) {
        atomic_store(&worker->asleep_until_ns, deadline);
    }
    size_t count = iso__queue_pop_some(&worker->inbound, items, BATCH_MAX, sleeps ? deadline : 0);
    atomic_store(&worker->asleep_until_ns, 0);
    for (size_t i = 0; i < count; ++i) {
        take(worker, &items[i]);
    }
}

void iso__worker_begin(iso__worker *worker) {
    ISO__ASSERT_ON(&worker->affinity);
    for (uint32_t i = 0; i < worker->session_count; ++i) {
        iso__affinity_take(&worker->sessions[i]->affinity);
        iso__worker_act(worker->sessions[i]);
        set_deadline(worker->sessions[i], iso__clock_now());
    }
}

void iso__worker_turn(iso__worker *worker, bool may_wait) {
    ISO__ASSERT_ON(&worker->affinity);
    iso__worker_flush(worker);
    drain(worker, may_wait);
    for (uint32_t i = 0; i < TICKS_MAX; ++i) {
        uint64_t now = iso__clock_now();
        iso__hosted *hosted = pick(worker, now);
        if (hosted == NULL) {
            break;
        }
        pass_time(hosted, now);
    }
}

/// Processes items that arrived before the sessions were seen to be closed.
static void take_rest(iso__worker *worker) {
    iso__inbound item;
    while (iso__queue_pop_some(&worker->inbound, &item, 1, 0) > 0) {
        take(worker, &item);
    }
}

static void *worker_main(void *argument) {
    iso__worker *worker = argument;
    if (!iso__gate_wait(worker->gate)) {
        return NULL;
    }
    iso__affinity_take(&worker->affinity);
    // The kernel may otherwise wake this thread 50 us late, to save power.
    prctl(PR_SET_TIMERSLACK, 1UL);
    iso__worker_begin(worker);
    while (!worker->is_stopping) {
        iso__worker_turn(worker, true);
    }
    take_rest(worker);
    iso__worker_push_outbound(worker, &(iso__outbound){.kind = ISO__OUTBOUND_STOPPED, .worker = worker});
    iso__worker_flush(worker);
    // Whoever joins it has them now.
    for (uint32_t i = 0; i < worker->session_count; ++i) {
        iso__affinity_release(&worker->sessions[i]->affinity);
    }
    iso__affinity_release(&worker->affinity);
    return NULL;
}

int iso__worker_start(iso__worker *worker, iso__gate *gate) {
    ISO__ASSERT_ON(&worker->io);
    ISO_ASSERT(!worker->is_running);
    worker->gate = gate;
    int error = iso__thread_start(&worker->thread, worker_main, worker);
    worker->is_running = error == 0;
    return error;
}

void iso__worker_join(iso__worker *worker) {
    ISO__ASSERT_ON(&worker->io);
    if (worker->is_running) {
        pthread_join(worker->thread, NULL);
    }
    worker->is_running = false;
}
