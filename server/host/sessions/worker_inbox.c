/// What others hand in to a worker. None of it looks into a session beyond its numbers of waiting items.
#include "host/sessions/worker_inbox.h"

#include <stdlib.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/watch/log.h"

// A worker that sleeps longer than this is also woken for items that are not urgent.
#define NAP_NS (20u * ISO__NS_PER_MS)

/// Whether a message of any size can be added.
static bool has_room(iso__hosted *hosted) {
    return atomic_load(&hosted->waiting) < ISO__HOSTED_MESSAGES_MAX &&
           atomic_load(&hosted->waiting_size) + ISO__HOSTED_BLOCK_MAX <= ISO__HOSTED_WAITING_SIZE_MAX;
}

static bool offer_once(iso__worker *worker, const iso__inbound *item) {
    iso__hosted *hosted = item->hosted;
    // Only the I/O thread adds to the count, so it cannot overshoot.
    if (!has_room(hosted)) {
        return false;
    }
    atomic_fetch_add(&hosted->waiting, 1);
    atomic_fetch_add(&hosted->waiting_size, item->block_size);
    if (iso__queue_push_quiet(&worker->inbound, item, 0)) {
        return true;
    }
    atomic_fetch_sub(&hosted->waiting, 1);
    atomic_fetch_sub(&hosted->waiting_size, item->block_size);
    return false;
}

bool iso__worker_has_room(iso__hosted *hosted) {
    ISO__ASSERT_ON(&hosted->worker->io);
    if (has_room(hosted)) {
        return true;
    }
    if (atomic_load(&hosted->waiting) < ISO__HOSTED_MESSAGES_MAX) {
        iso__counters_add(hosted->worker->counters, ISO__COUNTER_HELD_COMMANDS, 1);
    }
    atomic_store(&hosted->starved, true);
    return has_room(hosted);
}

bool iso__worker_offer(iso__worker *worker, iso__inbound *item, bool urgent) {
    ISO__ASSERT_ON(&worker->io);
    ISO_ASSERT(item->hosted->worker == worker && (item->block == NULL || item->block_size > 0));
    item->is_counted = true;
    item->at_ns = iso__clock_now();
    bool taken = offer_once(worker, item);
    if (!taken) {
        atomic_store(&item->hosted->starved, true);
        // The worker may have made room and read the flag in between.
        taken = offer_once(worker, item);
    }
    if (!taken || urgent || atomic_load(&worker->asleep_until_ns) > item->at_ns + NAP_NS) {
        atomic_store(&worker->nudged, true);
    }
    return taken;
}

void iso__worker_post(iso__worker *worker, const iso__inbound *item) {
    ISO_ASSERT(item->hosted != NULL ? item->hosted->worker == worker : item->kind == ISO__INBOUND_STOP);
    iso__inbound copy = *item;
    copy.at_ns = iso__clock_now();
    if (iso__queue_push_quiet(&worker->inbound, &copy, 0)) {
        atomic_store(&worker->nudged, true);
        return;
    }
    iso__log_error("internal error: the reserve of the inbound queue is used up");
    abort();
}

void iso__worker_wake_nudged(iso__worker *worker) {
    ISO_ASSERT(worker->inbound.capacity > 0);
    if (atomic_load(&worker->nudged) && atomic_exchange(&worker->nudged, false)) {
        iso__queue_wake(&worker->inbound);
    }
}

void iso__worker_hear_recording(void *user) {
    iso__hosted *hosted = user;
    ISO_ASSERT(hosted->is_recorded);
    iso__worker_post(hosted->worker, &(iso__inbound){.kind = ISO__INBOUND_RECORDER, .hosted = hosted});
}

void iso__worker_hear_retired(void *user) {
    iso__hosted *hosted = user;
    ISO_ASSERT(hosted->is_recorded);
    iso__worker_post(hosted->worker, &(iso__inbound){.kind = ISO__INBOUND_RETIRED, .hosted = hosted});
}

void iso__worker_let_go(iso__hosted *hosted) {
    ISO__ASSERT_ON(&hosted->worker->io);
    if (hosted->is_created && hosted->has_ended && hosted->peer_count == 0) {
        iso__worker_post(hosted->worker, &(iso__inbound){.kind = ISO__INBOUND_LEAVE, .hosted = hosted});
    }
}
