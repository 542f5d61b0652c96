/// The summary for the operator when a server has ended.
#include "host/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/watch/log.h"
#include "isostep/proto/text.h"

static void add_stats(iso_session_stats *sum, const iso_session_stats *one) {
    sum->ticks_sealed += one->ticks_sealed;
    sum->ticks_late += one->ticks_late;
    sum->slips += one->slips;
    sum->slipped_ns += one->slipped_ns;
    sum->commands_sealed += one->commands_sealed;
    sum->commands_moved += one->commands_moved;
    sum->commands_rejected += one->commands_rejected;
    sum->joins += one->joins;
    sum->leaves += one->leaves;
    sum->confirms += one->confirms;
    sum->desyncs += one->desyncs;
}

static void add_timing(iso__timing *sum, const iso__timing *one) {
    sum->ticks += one->ticks;
    for (unsigned i = 0; i < ISO__LATENESS_BUCKETS; ++i) {
        sum->late_buckets[i] += one->late_buckets[i];
    }
    sum->work_total_ns += one->work_total_ns;
    sum->late_max_ns = one->late_max_ns > sum->late_max_ns ? one->late_max_ns : sum->late_max_ns;
    sum->work_max_ns = one->work_max_ns > sum->work_max_ns ? one->work_max_ns : sum->work_max_ns;
}

/// The upper bound [us] of the bucket that holds the given share of all ticks.
static uint64_t late_quantile_us(const iso__timing *timing, uint64_t numerator, uint64_t denominator) {
    uint64_t wanted = (timing->ticks * numerator + denominator - 1) / denominator, seen = 0;
    for (unsigned i = 0; i < ISO__LATENESS_BUCKETS; ++i) {
        seen += timing->late_buckets[i];
        if (seen >= wanted && seen > 0) {
            return UINT64_C(1) << i;
        }
    }
    return 0;
}

/// The buckets that hold ticks: their upper bounds [us] and their ticks.
static void summarize_lateness(const iso__timing *timing) {
    char text[ISO__LATENESS_BUCKETS * 32];
    size_t size = 0;
    for (unsigned i = 0; i < ISO__LATENESS_BUCKETS; ++i) {
        if (timing->late_buckets[i] > 0) {
            size += (size_t)snprintf(text + size, sizeof text - size, "%s%" PRIu64 ": %" PRIu64, size > 0 ? ", " : "",
                                     UINT64_C(1) << i, timing->late_buckets[i]);
        }
    }
    iso__log_info("ticks by lateness, below so many us: %s", text);
}

static void summarize_ticks(const iso__host *host, const iso__host_sum *sum) {
    const iso__timing *timing = &sum->timing;
    const iso_session_stats *stats = &sum->stats;
    uint64_t run_ms = (iso__clock_now() - host->started_ns) / ISO__NS_PER_MS;
    iso__log_info(
        "ran %" PRIu64 ".%03" PRIu64 " s: %" PRIu64 " tick%s, %" PRIu64
        " sealed late by more than one interval, %" PRIu64 " slip%s (%" PRIu64 " ms); %u session%s, %u worker%s",
        run_ms / 1000, run_ms % 1000, stats->ticks_sealed, iso_text_plural(stats->ticks_sealed), stats->ticks_late,
        stats->slips, iso_text_plural(stats->slips), stats->slipped_ns / ISO__NS_PER_MS, sum->session_count,
        iso_text_plural(sum->session_count), host->worker_count, iso_text_plural(host->worker_count));
    if (timing->ticks > 0) {
        iso__log_info("lateness: half below %" PRIu64 " us, 99 %% below %" PRIu64 " us, 99.99 %% below %" PRIu64
                      " us, at most %" PRIu64 " us; a tick took %" PRIu64 " us on average, at most %" PRIu64 " us",
                      late_quantile_us(timing, 1, 2), late_quantile_us(timing, 99, 100),
                      late_quantile_us(timing, 9999, 10000), timing->late_max_ns / 1000,
                      timing->work_total_ns / timing->ticks / 1000, timing->work_max_ns / 1000);
        summarize_lateness(timing);
    }
    iso__log_info("commands: %" PRIu64 " sealed, %" PRIu64 " of them moved, %" PRIu64 " rejected; roots: %" PRIu64
                  " confirmed, %" PRIu64 " desync%s",
                  stats->commands_sealed, stats->commands_moved, stats->commands_rejected, stats->confirms,
                  stats->desyncs, iso_text_plural(stats->desyncs));
}

static void summarize_members(const iso__host *host, const iso_session_stats *stats) {
    const iso__peers_totals *totals = &host->peers.totals;
    uint64_t client_ms = totals->client_ns / ISO__NS_PER_MS;
    iso__log_info("members: %" PRIu64 " joined, %" PRIu64 " left; connections: %" PRIu64 " accepted, %" PRIu64
                  " welcomed",
                  stats->joins, stats->leaves, totals->accepted, totals->welcomed);
    if (client_ms > 0) {
        iso__log_info("bytes per client and second: %" PRIu64 " sent, %" PRIu64 " received (%" PRIu64 ".%03" PRIu64
                      " client seconds, snapshots included)",
                      totals->client_bytes_out * 1000 / client_ms, totals->client_bytes_in * 1000 / client_ms,
                      client_ms / 1000, client_ms % 1000);
    }
}

static void summarize_recording(const iso__host *host, const iso__hosted *hosted) {
    const iso__recording_report *report = &hosted->recording.report;
    char files[48] = "";
    if (report->file_count > 1) {
        snprintf(files, sizeof files, " in %u files", report->file_count);
    }
    if (report->is_sealed) {
        iso__log_info("recording: %s/%s, %" PRIu64 " bytes%s, up to tick %" PRIu64 "%s", host->options.record_dir,
                      report->name, report->written_size, files, report->written_tick,
                      report->is_degraded ? ", ended early" : "");
    } else if (faccessat(host->disk.folder, report->name, F_OK, AT_SYMLINK_NOFOLLOW) != 0) {
        iso__log_info("recording: %s/%s is not there: %s", host->options.record_dir, report->name, strerror(errno));
    } else if (!report->has_started) {
        iso__log_info("recording: %s/%s was not sealed, and holds nothing that can be replayed",
                      host->options.record_dir, report->name);
    } else {
        iso__log_info("recording: %s/%s was not sealed: it is good up to tick %" PRIu64, host->options.record_dir,
                      report->name, report->written_tick);
    }
}

/// A session's memory, by its own count and as its share of the process's resident memory.
static void summarize_memory(const iso__host *host) {
    size_t total = 0, most = 0;
    uint32_t count = 0, index = 0;
    for (iso__hosted *hosted; (hosted = iso__host_next(host, &index)) != NULL; ++count) {
        size_t used = atomic_load(&hosted->memory.used);
        total += used;
        most = used > most ? used : most;
    }
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        return;
    }
    iso__log_info("memory per session: %zu KiB reserved on average, %zu KiB at most, of %u MiB allowed; "
                  "%ld KiB resident (the process: %ld KiB at most)",
                  (total / count) >> 10, most >> 10, host->options.memory_mib, usage.ru_maxrss / (long)count,
                  usage.ru_maxrss);
}

static void add_session(iso__host_sum *sum, const iso__hosted *hosted) {
    iso_session_stats stats;
    iso_session_get_stats(hosted->session, &stats);
    add_stats(&sum->stats, &stats);
    add_timing(&sum->timing, &hosted->timing);
    ++sum->session_count;
}

void iso__host_sum_up(iso__host *host, const iso__hosted *hosted) {
    ISO__ASSERT_ON(&host->io);
    ISO__ASSERT_ON(&hosted->affinity);
    add_session(&host->left, hosted);
    host->left.has_gap = host->left.has_gap || !iso__hosted_recording_is_whole(hosted);
    if (hosted->is_recorded) {
        summarize_recording(host, hosted);
    }
}

void iso__host_summarize(iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    iso__host_sum sum = host->left;
    uint32_t index = 0;
    for (const iso__hosted *hosted; (hosted = iso__host_next(host, &index)) != NULL;) {
        add_session(&sum, hosted);
    }
    summarize_ticks(host, &sum);
    summarize_members(host, &sum.stats);
    index = 0;
    for (const iso__hosted *hosted; (hosted = iso__host_next(host, &index)) != NULL;) {
        if (hosted->is_recorded) {
            summarize_recording(host, hosted);
        }
    }
    summarize_memory(host);
    iso__counters_print(&host->counters);
}
