/// GET /metrics: the counters and the sessions' state in Prometheus' text format. What is counted of all sessions
/// together has the private ones in it; labels have their names for who may know of them.
#include "host/web/web.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/recordings/retention.h"
#include "host/web/reply.h"

#define METRICS "text/plain; version=0.0.4; charset=utf-8"

static void print_answer(void *user, const char *limit, const char *what, const char *code, const char *answer,
                         uint64_t count) {
    (void)what;
    if (code != NULL) {
        fprintf(user, "isostep_answers_total{limit=\"%s\",code=\"%s\",answer=\"%s\"} %" PRIu64 "\n", limit, code,
                answer, count);
    }
}

static void print_limit(void *user, const char *limit, const char *what, const char *code, const char *answer,
                        uint64_t count) {
    (void)answer;
    if (code == NULL) {
        fprintf(user, "isostep_limits_total{limit=\"%s\",what=\"%s\"} %" PRIu64 "\n", limit, what, count);
    }
}

static void print_head(FILE *out, const char *name, const char *type, const char *help) {
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void print_traffic(FILE *out, const iso__web *web) {
    const iso__peers *peers = web->config.peers;
    uint64_t in = peers->totals.bytes_in, sent = peers->totals.bytes_out;
    uint64_t open = 0;
    // The totals are of those that have ended.
    for (uint32_t i = 0; i < peers->peer_max; ++i) {
        const iso__stream *stream = peers->list[i].stream;
        if (stream == NULL) {
            continue;
        }
        ++open;
        in += stream->bytes_in;
        sent += stream->bytes_out;
    }
    print_head(out, "isostep_uptime_seconds", "gauge", "Since the address was bound.");
    fprintf(out, "isostep_uptime_seconds %" PRIu64 "\n", (iso__clock_now() - web->opened_ns) / ISO__NS_PER_S);
    print_head(out, "isostep_connections", "gauge", "Connections of clients, joining ones included.");
    fprintf(out, "isostep_connections %" PRIu64 "\n", open);
    print_head(out, "isostep_http_connections", "gauge", "Connections that carry requests.");
    fprintf(out, "isostep_http_connections %" PRIu32 "\n", web->connection_count);
    print_head(out, "isostep_connections_accepted_total", "counter", "Connections of clients since the start.");
    fprintf(out, "isostep_connections_accepted_total %" PRIu64 "\n", peers->totals.accepted);
    print_head(out, "isostep_connections_welcomed_total", "counter", "Of these, those that a session has welcomed.");
    fprintf(out, "isostep_connections_welcomed_total %" PRIu64 "\n", peers->totals.welcomed);
    print_head(out, "isostep_received_bytes_total", "counter", "Bytes from clients.");
    fprintf(out, "isostep_received_bytes_total %" PRIu64 "\n", in);
    print_head(out, "isostep_sent_bytes_total", "counter", "Bytes to clients.");
    fprintf(out, "isostep_sent_bytes_total %" PRIu64 "\n", sent);
}

static void print_sessions(FILE *out, const iso__web_call *call) {
    const iso__directory *directory = call->web->config.directory;
    static const struct {
        const char *name, *type, *help;
    } rows[] = {
        {"isostep_session_state", "gauge", "1 waiting, 2 running, 3 paused, 4 draining, 5 closed."},
        {"isostep_session_tick", "counter", "The last sealed tick."},
        {"isostep_session_tick_rate_hz", "gauge", "Ticks per second, as asked for."},
        {"isostep_session_members", "gauge", "Members, held slots included."},
        {"isostep_session_slots", "gauge", "Slots for members."},
        {"isostep_session_spectators", "gauge", "Spectators."},
        {"isostep_session_ticks_sealed_total", "counter", "Ticks that this server has sealed."},
        {"isostep_session_ticks_late_total", "counter", "Of these, sealed over an interval after their deadline."},
        {"isostep_session_slips_total", "counter", "How often the session's clock slipped."},
    };
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; ++row) {
        print_head(out, rows[row].name, rows[row].type, rows[row].help);
        for (uint32_t i = 0; i < directory->count; ++i) {
            iso_session_info info;
            if (!iso__web_sees(call, directory->sessions[i])) {
                continue;
            }
            iso__hosted_get_info(directory->sessions[i], &info);
            const iso__hosted_pace pace = iso__hosted_get_pace(directory->sessions[i]);
            const uint64_t values[] = {info.state,      info.tick,         info.tick_rate_hz, info.members, info.slots,
                                       info.spectators, pace.ticks_sealed, pace.ticks_late,   pace.slips};
            _Static_assert(sizeof values / sizeof values[0] == sizeof rows / sizeof rows[0], "each row has a value");
            fprintf(out, "%s{session=\"%s\"} %" PRIu64 "\n", rows[row].name, info.name, values[row]);
        }
    }
}

/// What the disk has of the sessions that are recorded and have not closed.
static void print_disk(FILE *out, const iso__web_call *call) {
    const iso__directory *directory = call->web->config.directory;
    static const struct {
        const char *name, *help;
    } rows[] = {
        {"isostep_session_durable_age_seconds", "Since a tick has last become durable; 0 while all are."},
        {"isostep_session_not_recorded", "1 while nothing is recorded because of a disk error."},
        {"isostep_session_sync_hangs", "1 while the disk does not sync the recording."},
    };
    const uint64_t now = iso__clock_now();
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; ++row) {
        print_head(out, rows[row].name, "gauge", rows[row].help);
        for (uint32_t i = 0; i < directory->count; ++i) {
            iso__hosted *hosted = directory->sessions[i];
            if (!hosted->is_recorded || atomic_load(&hosted->closed) || !iso__web_sees(call, hosted)) {
                continue;
            }
            const uint64_t behind = atomic_load(&hosted->behind_ns);
            const double values[] = {
                behind != 0 && behind < now ? (double)(now - behind) / (double)ISO__NS_PER_S : 0.0,
                atomic_load(&hosted->is_lost),
                atomic_load(&hosted->is_sync_hanging),
            };
            _Static_assert(sizeof values / sizeof values[0] == sizeof rows / sizeof rows[0], "each row has a value");
            fprintf(out, "%s{session=\"%s\"} %.*f\n", rows[row].name, hosted->name, row == 0 ? 3 : 0, values[row]);
        }
    }
}

/// The folder of the recordings. Its files are counted every ten seconds at most: anybody may ask.
static void print_folder(FILE *out, iso__web *web) {
    const iso__disk *disk = web->config.disk;
    uint64_t bytes_free;
    if (disk == NULL) {
        return;
    }
    const uint64_t now = iso__clock_now();
    if (web->folder_ns == 0 || now - web->folder_ns > 10 * ISO__NS_PER_S) {
        web->folder_ns = iso__retention_measure(disk, &web->folder_bytes) ? now : 0;
    }
    if (web->folder_ns != 0) {
        print_head(out, "isostep_recordings_bytes", "gauge", "Bytes of the files in the folder of the recordings.");
        fprintf(out, "isostep_recordings_bytes %" PRIu64 "\n", web->folder_bytes);
    }
    if (iso__disk_get_free(disk, &bytes_free)) {
        print_head(out, "isostep_recordings_free_bytes", "gauge", "Bytes that their disk has free.");
        fprintf(out, "isostep_recordings_free_bytes %" PRIu64 "\n", bytes_free);
    }
}

static void print_all(FILE *out, const iso__web_call *call) {
    iso__web *web = call->web;
    print_head(out, "isostep_info", "gauge", "The program.");
    fprintf(out, "isostep_info{version=\"%s\"} 1\n", ISO__VERSION);
    print_traffic(out, web);
    print_sessions(out, call);
    print_disk(out, call);
    print_folder(out, web);
    print_head(out, "isostep_answers_total", "counter", "Refusals, ends and no-ops, by limit and code.");
    iso__counters_visit(web->config.counters, print_answer, out);
    print_head(out, "isostep_limits_total", "counter", "What was reached that no message reports.");
    iso__counters_visit(web->config.counters, print_limit, out);
}

void iso__web_metrics(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    iso__web_text text;
    if (iso__web_text_begin(&text)) {
        print_all(text.out, call);
    }
    iso__web_give(call, METRICS, iso__web_text_end(&text));
}
