/// The worker's side of a session's recording.
#include "host/sessions/session_recording.h"

#include <inttypes.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/recordings/recording_hand_in.h"
#include "host/sessions/worker.h"
#include "host/sessions/worker_actions.h"
#include "host/watch/log.h"

/// Tells the session and the log whether ticks become durable.
static void say_sync(iso__hosted *hosted, uint64_t now, bool is_hanging) {
    if (hosted->is_sync_hanging == is_hanging) {
        return;
    }
    hosted->is_sync_hanging = is_hanging;
    iso__counters_add(hosted->worker->counters, ISO__COUNTER_SYNC_HUNG, is_hanging);
    iso__worker_hand_in(
        hosted, now,
        &(iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_SYNC, .status = is_hanging ? ISO_ERR_TIMEOUT : ISO_OK});
}

static void lose(iso__hosted *hosted, iso_status status) {
    if (hosted->is_lost) {
        return;
    }
    uint64_t now = iso__clock_now();
    if (hosted->behind_ns == 0) {
        hosted->behind_ns = now;
    }
    say_sync(hosted, now, false);
    bool has_lasted = now - hosted->begun_ns >= ISO__RESTART_WAIT_MAX_NS || hosted->restart_wait_ns == 0;
    uint64_t longer = 2 * hosted->restart_wait_ns;
    hosted->restart_wait_ns = has_lasted                          ? ISO__RESTART_WAIT_MIN_NS
                              : longer < ISO__RESTART_WAIT_MAX_NS ? longer
                                                                  : ISO__RESTART_WAIT_MAX_NS;
    hosted->restart_at_ns = now + hosted->restart_wait_ns;
    hosted->is_lost = true;
    hosted->recording_lost = status;
    hosted->disk_waited_ns = 0;
    iso__counters_add(hosted->worker->counters, ISO__COUNTER_RECORDING_LOST, 1);
    iso__recording_give_up(&hosted->recording, status);
    iso__log_session(WARNING, hosted->name, "nothing is recorded; the next attempt is in %" PRIu64 " ms",
                     hosted->restart_wait_ns / ISO__NS_PER_MS);
    iso__worker_hand_in(hosted, now,
                        &(iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_DEGRADED, .status = status});
}

void iso__session_recording_check(iso__hosted *hosted) {
    ISO__ASSERT_ON(&hosted->affinity);
    if (!hosted->is_recorded || hosted->is_lost) {
        return;
    }
    // The recording ends early by itself when its first keyframe cannot be written.
    if (hosted->recording_lost == ISO_OK && !iso_session_records(hosted->session)) {
        hosted->recording_lost = ISO_ERR_MEMORY;
    }
    if (hosted->recording_lost != ISO_OK) {
        lose(hosted, hosted->recording_lost);
    }
}

void iso__session_recording_hear(iso__hosted *hosted) {
    ISO__ASSERT_ON(&hosted->affinity);
    ISO_ASSERT(hosted->is_recorded);
    iso__recording_report report, old = hosted->report;
    iso__recording_get_report(&hosted->recording, &report);
    if (report.generation != old.generation) {
        return; // about the previous file, which has ended early
    }
    hosted->report = report;
    uint64_t now = iso__clock_now();
    if (report.has_started && (!old.has_started || report.written_tick > old.written_tick)) {
        if (!old.has_started && report.generation > 0) {
            iso__counters_add(hosted->worker->counters, ISO__COUNTER_RECORDING_RESTARTED, 1);
        }
        hosted->disk_waited_ns = report.written_tick < hosted->handed_tick && !hosted->is_lost ? now : 0;
        iso__worker_hand_in(
            hosted, now, &(iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = report.written_tick});
    }
    if (report.has_started && report.durable_tick > old.durable_tick) {
        if (!hosted->is_lost) {
            hosted->behind_ns = report.durable_tick < hosted->handed_tick ? now : 0;
        }
        if (hosted->is_sync_hanging) {
            iso__log_session(INFO, hosted->name, "the disk syncs again");
        }
        say_sync(hosted, now, false);
        iso__worker_hand_in(
            hosted, now, &(iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_DURABLE, .tick = report.durable_tick});
    }
    if (report.is_degraded) {
        lose(hosted, report.status);
    }
    if (report.is_finished && !report.is_degraded && !hosted->is_sealed_told) {
        hosted->is_sealed_told = true;
        iso__worker_hand_in(hosted, now, &(iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_SEALED});
    }
}

/// When it is to be said that the disk does not sync; UINT64_MAX: it does, or that was said.
static uint64_t sync_deadline(const iso__hosted *hosted) {
    const bool is_due = hosted->behind_ns != 0 && !hosted->is_lost && !hosted->is_sync_hanging;
    return is_due ? hosted->behind_ns + ISO__SYNC_PATIENCE_NS : UINT64_MAX;
}

void iso__session_recording_pass_time(iso__hosted *hosted, uint64_t now) {
    ISO__ASSERT_ON(&hosted->affinity);
    if (hosted->disk_waited_ns != 0 && now >= hosted->disk_waited_ns + ISO__DISK_PATIENCE_NS) {
        iso__log_session(ERROR, hosted->name, "the disk has not accepted a tick for %u ms",
                         (unsigned)(ISO__DISK_PATIENCE_NS / ISO__NS_PER_MS));
        lose(hosted, ISO_ERR_TIMEOUT);
    }
    if (now >= sync_deadline(hosted)) {
        iso__log_session(ERROR, hosted->name,
                         "the disk has not synced for %u ms: a power cut would lose the ticks since",
                         (unsigned)((now - hosted->behind_ns) / ISO__NS_PER_MS));
        say_sync(hosted, now, true);
    }
    if (!hosted->is_lost || !hosted->report.is_idle || now < hosted->restart_at_ns) {
        return;
    }
    // Asked again if no keyframe results, for example because memory is short.
    hosted->is_restart_asked = true;
    hosted->restart_at_ns = now + hosted->restart_wait_ns;
    iso__worker_hand_in(hosted, now, &(iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_RESTART});
}

uint64_t iso__session_recording_deadline(const iso__hosted *hosted) {
    ISO__ASSERT_ON(&hosted->affinity);
    if (hosted->is_lost) {
        return hosted->report.is_idle ? hosted->restart_at_ns : UINT64_MAX;
    }
    const uint64_t written = hosted->disk_waited_ns != 0 ? hosted->disk_waited_ns + ISO__DISK_PATIENCE_NS : UINT64_MAX;
    const uint64_t synced = sync_deadline(hosted);
    return written < synced ? written : synced;
}
