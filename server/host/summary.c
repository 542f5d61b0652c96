/// What an operator wants to know when a server has ended.
#include "host/host.h"

#include <inttypes.h>
#include <sys/resource.h>

#include "host/clock.h"
#include "host/log.h"

/// The upper bound [us] of the bucket that holds the given share of all ticks.
static uint64_t late_quantile_us(const iso__worker_timing *timing, uint64_t numerator, uint64_t denominator)
{
    uint64_t wanted = (timing->ticks * numerator + denominator - 1) / denominator, seen = 0;
    for (unsigned i = 0; i < ISO__LATENESS_BUCKETS; i++) {
        seen += timing->late_buckets[i];
        if (seen >= wanted && seen > 0)
            return UINT64_C(1) << i;
    }
    return 0;
}

static void summarize_ticks(const iso__host *host, const iso_session_stats *stats)
{
    const iso__worker_timing *timing = &host->worker.timing;
    uint64_t run_ms = (iso__clock_now() - host->started_ns) / ISO__NS_PER_MS;
    iso__log("isostep-server: ran %" PRIu64 ".%03" PRIu64 " s: %" PRIu64 " ticks, %" PRIu64
             " sealed late by more than one interval, %" PRIu64 " slips (%" PRIu64 " ms)",
             run_ms / 1000, run_ms % 1000, stats->ticks_sealed, stats->ticks_late, stats->slips, stats->slipped_ns / ISO__NS_PER_MS);
    if (timing->ticks > 0)
        iso__log("isostep-server: lateness: half below %" PRIu64 " us, 99 %% below %" PRIu64 " us, at most %" PRIu64
                 " us; a tick took %" PRIu64 " us on average, at most %" PRIu64 " us",
                 late_quantile_us(timing, 1, 2), late_quantile_us(timing, 99, 100), timing->late_max_ns / 1000,
                 timing->work_total_ns / timing->ticks / 1000, timing->work_max_ns / 1000);
    iso__log("isostep-server: commands: %" PRIu64 " sealed, %" PRIu64 " of them moved, %" PRIu64
             " rejected; roots: %" PRIu64 " confirmed, %" PRIu64 " desyncs",
             stats->commands_sealed, stats->commands_moved, stats->commands_rejected, stats->confirms, stats->desyncs);
}

static void summarize_members(const iso__host *host, const iso_session_stats *stats)
{
    const iso__peers_totals *totals = &host->peers.totals;
    uint64_t client_ms = totals->client_ns / ISO__NS_PER_MS;
    iso__log("isostep-server: members: %" PRIu64 " joined, %" PRIu64 " left; connections: %" PRIu64 " accepted, %" PRIu64
             " turned away, %" PRIu64 " dropped before their hello",
             stats->joins, stats->leaves, totals->accepted, totals->turned_away, totals->dropped);
    if (client_ms > 0)
        iso__log("isostep-server: bytes per client and second: %" PRIu64 " sent, %" PRIu64 " received (%" PRIu64
                 ".%03" PRIu64 " client seconds, snapshots included)",
                 totals->client_bytes_out * 1000 / client_ms, totals->client_bytes_in * 1000 / client_ms,
                 client_ms / 1000, client_ms % 1000);
}

static void summarize_recording(const iso__host *host)
{
    const iso__recording_report *report = &host->recording.report;
    if (report->sealed)
        iso__log("isostep-server: recording: %s/%s, %" PRIu64 " bytes, up to tick %" PRIu64 "%s", host->options.record_dir,
                 report->name, report->written_size, report->written_tick, report->degraded ? ", ended early" : "");
    else
        iso__log("isostep-server: recording: %s/%s was not sealed: it is good up to tick %" PRIu64, host->options.record_dir,
                 report->name, report->written_tick);
}

void iso__host_summarize(const iso__host *host)
{
    iso_session_stats stats;
    iso_session_get_stats(host->worker.session, &stats);
    summarize_ticks(host, &stats);
    summarize_members(host, &stats);
    if (host->is_recording)
        summarize_recording(host);
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        iso__log("isostep-server: memory: %zu KiB for the session and its world, %ld KiB resident at most",
                 atomic_load(&host->memory.used) >> 10, usage.ru_maxrss);
}
