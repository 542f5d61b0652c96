/// GET /metrics: the counters and the sessions' state in Prometheus' text format, a row of METRIC_LIST each. Totals
/// of all sessions include the private ones; labels name a private session only to those who may know of it.
#include "host/web/web.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/recordings/retention.h"
#include "host/web/reply.h"

#define METRICS "text/plain; version=0.0.4; charset=utf-8"

/// The metrics, in the order in which they are written. X(name, type, print, value, help)
///   print  how often there is a value, and with which labels: a function below
///   value  an expression of `s`, the source; 0 where `print` finds the values itself
#define METRIC_LIST(X)                                                                                               \
    X(isostep_info, gauge, print_program, 1, "The program.")                                                         \
    X(isostep_uptime_seconds, gauge, print_one, (s->now - s->web->opened_ns) / ISO__NS_PER_S,                        \
      "Since the address was bound.")                                                                                \
    X(isostep_connections, gauge, print_one, s->open, "Connections of clients, joining ones included.")              \
    X(isostep_http_connections, gauge, print_one, s->web->connection_count, "Connections that carry requests.")      \
    X(isostep_connections_accepted_total, counter, print_one, s->totals->accepted,                                   \
      "Connections of clients since the start.")                                                                     \
    X(isostep_connections_welcomed_total, counter, print_one, s->totals->welcomed,                                   \
      "Of these, those that a session has welcomed.")                                                                \
    X(isostep_received_bytes_total, counter, print_one, s->bytes_in, "Bytes from clients.")                          \
    X(isostep_sent_bytes_total, counter, print_one, s->bytes_out, "Bytes to clients.")                               \
    X(isostep_session_state, gauge, print_sessions, s->info.state,                                                   \
      "1 waiting, 2 running, 3 paused, 4 draining, 5 closed.")                                                       \
    X(isostep_session_tick, counter, print_sessions, s->info.tick, "The last sealed tick.")                          \
    X(isostep_session_tick_rate_hz, gauge, print_sessions, s->info.tick_rate_hz, "Ticks per second, as asked for.")  \
    X(isostep_session_members, gauge, print_sessions, s->info.members, "Members, held slots included.")              \
    X(isostep_session_slots, gauge, print_sessions, s->info.slots, "Slots for members.")                             \
    X(isostep_session_spectators, gauge, print_sessions, s->info.spectators, "Spectators.")                          \
    X(isostep_session_ticks_sealed_total, counter, print_sessions, s->pace.ticks_sealed,                             \
      "Ticks that this server has sealed.")                                                                          \
    X(isostep_session_ticks_late_total, counter, print_sessions, s->pace.ticks_late,                                 \
      "Of these, sealed over an interval after their deadline.")                                                     \
    X(isostep_session_slips_total, counter, print_sessions, s->pace.slips, "How often the session's clock slipped.") \
    X(isostep_session_durable_age_seconds, gauge, print_recorded_ms, durable_age_ms(s),                              \
      "Since a tick has last become durable; 0 while all are.")                                                      \
    X(isostep_session_not_recorded, gauge, print_recorded, atomic_load(&s->hosted->is_lost),                         \
      "1 while nothing is recorded because of a disk error.")                                                        \
    X(isostep_session_sync_hangs, gauge, print_recorded, atomic_load(&s->hosted->is_sync_hanging),                   \
      "1 while the disk does not sync the recording.")                                                               \
    X(isostep_recordings_bytes, gauge, print_folder, s->web->folder_bytes,                                           \
      "Bytes of the files in the folder of the recordings.")                                                         \
    X(isostep_recordings_free_bytes, gauge, print_disk, s->bytes_free, "Bytes that their disk has free.")            \
    X(isostep_answers_total, counter, print_answers, 0, "Refusals, ends and no-ops, by limit and code.")             \
    X(isostep_limits_total, counter, print_limits, 0, "What was reached that no message reports.")

/// What the values are read from: of the server, and of the session that a line is of.
typedef struct source {
    const iso__web_call *call;
    const iso__web *web;
    uint64_t now; // [ns]
    const iso__peers_totals *totals;
    uint64_t open, bytes_in, bytes_out; // connections of clients, and what all have sent and received
    bool has_folder_bytes, has_bytes_free;
    uint64_t bytes_free;
    iso__hosted *hosted;
    iso_session_info info;
    iso__hosted_pace pace;
} source;

typedef struct metric metric;
struct metric {
    const char *name, *type, *help;
    void (*print)(FILE *out, const metric *row, source *s);
    uint64_t (*value)(const source *s);
};

static void print_head(FILE *out, const metric *row) {
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", row->name, row->help, row->name, row->type);
}

static void print_one(FILE *out, const metric *row, source *s) {
    print_head(out, row);
    fprintf(out, "%s %" PRIu64 "\n", row->name, row->value(s));
}

static void print_program(FILE *out, const metric *row, source *s) {
    print_head(out, row);
    fprintf(out, "%s{version=\"%s\"} %" PRIu64 "\n", row->name, ISO__VERSION, row->value(s));
}

static void print_of_session(FILE *out, const metric *row, const source *s) {
    fprintf(out, "%s{session=\"%s\"} %" PRIu64 "\n", row->name, s->hosted->name, row->value(s));
}

/// A value in thousandths.
static void print_ms_of_session(FILE *out, const metric *row, const source *s) {
    const uint64_t value = row->value(s);
    fprintf(out, "%s{session=\"%s\"} %" PRIu64 ".%03" PRIu64 "\n", row->name, s->hosted->name, value / 1000,
            value % 1000);
}

/// A line for each session that who asks may know of, or for those of them whose recording has not ended.
static void print_each(FILE *out, const metric *row, source *s, bool is_recorded,
                       void (*print)(FILE *out, const metric *row, const source *s)) {
    const iso__directory *directory = s->web->config.directory;
    print_head(out, row);
    for (uint32_t i = 0; i < directory->count; ++i) {
        iso__hosted *hosted = directory->sessions[i];
        if (!iso__web_sees(s->call, hosted) ||
            (is_recorded && (!hosted->is_recorded || atomic_load(&hosted->closed)))) {
            continue;
        }
        s->hosted = hosted;
        iso__hosted_get_info(hosted, &s->info);
        s->pace = iso__hosted_get_pace(hosted);
        print(out, row, s);
    }
}

static void print_sessions(FILE *out, const metric *row, source *s) {
    print_each(out, row, s, false, print_of_session);
}

static void print_recorded(FILE *out, const metric *row, source *s) {
    print_each(out, row, s, true, print_of_session);
}

static void print_recorded_ms(FILE *out, const metric *row, source *s) {
    print_each(out, row, s, true, print_ms_of_session);
}

static void print_folder(FILE *out, const metric *row, source *s) {
    if (s->has_folder_bytes) {
        print_one(out, row, s);
    }
}

static void print_disk(FILE *out, const metric *row, source *s) {
    if (s->has_bytes_free) {
        print_one(out, row, s);
    }
}

static void print_answer_line(void *user, const char *limit, const char *what, const char *code, const char *answer,
                              uint64_t count) {
    (void)what;
    if (code != NULL) {
        fprintf(user, "isostep_answers_total{limit=\"%s\",code=\"%s\",answer=\"%s\"} %" PRIu64 "\n", limit, code,
                answer, count);
    }
}

static void print_answers(FILE *out, const metric *row, source *s) {
    print_head(out, row);
    iso__counters_visit(s->web->config.counters, print_answer_line, out);
}

static void print_limit_line(void *user, const char *limit, const char *what, const char *code, const char *answer,
                             uint64_t count) {
    (void)answer;
    if (code == NULL) {
        fprintf(user, "isostep_limits_total{limit=\"%s\",what=\"%s\"} %" PRIu64 "\n", limit, what, count);
    }
}

static void print_limits(FILE *out, const metric *row, source *s) {
    print_head(out, row);
    iso__counters_visit(s->web->config.counters, print_limit_line, out);
}

/// [ms] since when no tick of the session has become durable.
static uint64_t durable_age_ms(const source *s) {
    const uint64_t behind = atomic_load(&s->hosted->behind_ns);
    return behind != 0 && behind < s->now ? (s->now - behind + ISO__NS_PER_MS / 2) / ISO__NS_PER_MS : 0;
}

#define METRIC_VALUE(name, type, print, value, help) \
    static uint64_t value_##name(const source *s) {  \
        (void)s;                                     \
        return (value);                              \
    }
METRIC_LIST(METRIC_VALUE)
#undef METRIC_VALUE

static const metric metrics[] = {
#define METRIC_ROW(name, type, print, value, help) {#name, #type, help, print, value_##name},
    METRIC_LIST(METRIC_ROW)
#undef METRIC_ROW
};

/// The connections that are there: the totals are of those that have ended.
static void find_traffic(source *s) {
    const iso__peers *peers = s->web->config.peers;
    s->totals = &peers->totals;
    s->bytes_in = peers->totals.bytes_in;
    s->bytes_out = peers->totals.bytes_out;
    for (uint32_t i = 0; i < peers->peer_max; ++i) {
        const iso__stream *stream = peers->list[i].stream;
        if (stream != NULL) {
            ++s->open;
            s->bytes_in += stream->bytes_in;
            s->bytes_out += stream->bytes_out;
        }
    }
}

/// The folder of the recordings. Its files are counted every ten seconds at most: anybody may ask.
static void find_folder(source *s, iso__web *web) {
    const iso__disk *disk = web->config.disk;
    if (disk == NULL) {
        return;
    }
    if (web->folder_ns == 0 || s->now - web->folder_ns > 10 * ISO__NS_PER_S) {
        web->folder_ns = iso__retention_measure(disk, &web->folder_bytes) ? s->now : 0;
    }
    s->has_folder_bytes = web->folder_ns != 0;
    s->has_bytes_free = iso__disk_get_free(disk, &s->bytes_free);
}

void iso__web_metrics(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    source s = {.call = call, .web = call->web, .now = iso__clock_now()};
    find_traffic(&s);
    find_folder(&s, call->web);
    iso__web_text text;
    if (iso__web_text_begin(&text)) {
        for (size_t i = 0; i < sizeof metrics / sizeof metrics[0]; ++i) {
            metrics[i].print(text.out, &metrics[i], &s);
        }
    }
    iso__web_give(call, METRICS, iso__web_text_end(&text));
}
