/// The summary at the end, and the line of progress (app.h).
#include <inttypes.h>
#include <stdio.h>

#include "app.h"
#include "isostep/proto/text.h"

/// The summary at the end: of the verifying member, and sums over all members.
typedef struct summary {
    char session[ISO_SESSION_NAME_MAX + 1]; // the first one
    iso_client_stats first;                 // of the verifying member
    uint8_t slot;
    uint32_t joined;
    uint64_t hashes_checked, desyncs, bytes_in, bytes_out, late, resumes, rewinds, heals, commands_sent,
        commands_refused, clock_jumps, holds;
    uint64_t sync_test_copies, sync_test_tick; // the tick: the first that differed, 0 for none
    double rtt_ms_sum, rtt_ms_max;
    double margin_min;
    bool is_margin_known;
} summary;

static double to_ms(uint64_t ns) {
    return (double)ns / 1e6;
}

static summary summary_make(const iso__cli_app *app) {
    summary s = {.slot = ISO_SLOT_NONE};
    (void)iso__cli_swarm_session_name(app, 0, s.session);
    for (uint32_t i = 0; i < app->peer_count; ++i) {
        const iso__cli_peer *peer = &app->peers[i];
        iso_client_stats stats;
        iso_client_get_stats(peer->client, &stats);
        if (i == 0) {
            s.first = stats;
            s.slot = iso_client_slot(peer->client);
        }
        s.joined += peer->has_joined;
        s.hashes_checked += stats.roots_checked;
        s.desyncs += stats.desyncs;
        s.late += stats.late_count;
        s.resumes += stats.resumes;
        s.rewinds += stats.rewinds;
        s.heals += stats.heals;
        s.bytes_in += peer->bytes_in;
        s.bytes_out += peer->bytes_out;
        s.commands_sent += stats.commands_sent;
        s.commands_refused += peer->bot.refused;
        s.sync_test_copies += stats.sync_test_copies;
        if (peer->sync_test_tick != 0 && (s.sync_test_tick == 0 || peer->sync_test_tick < s.sync_test_tick)) {
            s.sync_test_tick = peer->sync_test_tick;
        }
        s.clock_jumps += stats.clock_jumps;
        s.holds += stats.holds;
        s.rtt_ms_sum += to_ms(stats.rtt_ns);
        s.rtt_ms_max = to_ms(stats.rtt_ns) > s.rtt_ms_max ? to_ms(stats.rtt_ns) : s.rtt_ms_max;
        const double margin = stats.margin_q8 / 256.0;
        if (stats.is_margin_known && (!s.is_margin_known || margin < s.margin_min)) {
            s.margin_min = margin;
            s.is_margin_known = true;
        }
    }
    return s;
}

static double per_member_second(const iso__cli_app *app, uint64_t bytes) {
    return (double)bytes / app->peer_count / ((double)(uv_hrtime() - app->start_ns) / 1e9);
}

/// The margins of all members, sampled over the whole time.
static void print_json_margins(const iso__cli_app *app) {
    static const struct {
        const char *name;
        uint32_t per_mille;
    } parts[] = {{"min", 0}, {"p50", 500}, {"p99", 990}, {"max", 1000}};
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i) {
        double margin;
        if (iso__cli_swarm_margin(app, parts[i].per_mille, &margin)) {
            printf(",\"margin_%s\":%.3f", parts[i].name, margin);
        }
    }
}

static void print_json(const iso__cli_app *app, const summary *s) {
    char slot[8] = "null";
    char margin[32] = "null";
    if (s->slot != ISO_SLOT_NONE) {
        snprintf(slot, sizeof(slot), "%u", (unsigned)s->slot);
    }
    if (s->first.is_margin_known) {
        snprintf(margin, sizeof(margin), "%.3f", s->first.margin_q8 / 256.0);
    }
    printf("{\"session\":\"%s\",\"slot\":%s,\"first_tick\":%" PRIu64 ",\"last_tick\":%" PRIu64
           ",\"last_hash\":\"%016" PRIx64 "\",\"hashes_checked\":%" PRIu64 ",\"desyncs\":%" PRIu64
           ",\"rollbacks\":%" PRIu64 ",\"resteps\":%" PRIu64 ",\"max_rollback\":%u,\"max_unpredicted\":%" PRIu64
           ",\"rtt_ms\":%.3f"
           ",\"margin_ticks\":%s,\"bytes_in\":%" PRIu64 ",\"bytes_out\":%" PRIu64 ",\"members\":%u"
           ",\"sessions\":%u,\"resumes\":%" PRIu64 ",\"rewinds\":%" PRIu64 ",\"heals\":%" PRIu64 ",\"late\":%" PRIu64
           ",\"commands_sent\":%" PRIu64 ",\"commands_refused\":%" PRIu64 ",\"holds\":%" PRIu64
           ",\"bytes_in_per_member_second\":%.1f,\"bytes_out_per_member_second\":%.1f",
           s->session, slot, s->first.first_tick, s->first.last_tick, s->first.last_root, s->hashes_checked, s->desyncs,
           s->first.rollbacks, s->first.resteps, (unsigned)s->first.max_rollback, s->first.max_unpredicted,
           to_ms(s->first.rtt_ns), margin, s->bytes_in, s->bytes_out, (unsigned)s->joined,
           (unsigned)app->options.session_count, s->resumes, s->rewinds, s->heals, s->late, s->commands_sent,
           s->commands_refused, s->holds, per_member_second(app, s->bytes_in), per_member_second(app, s->bytes_out));
    print_json_margins(app);
    if (app->options.sync_test > 0) {
        printf(",\"sync_test_copies\":%" PRIu64 ",\"sync_test_tick\":%" PRIu64, s->sync_test_copies, s->sync_test_tick);
    }
    printf("}\n");
}

static void print_table(const iso__cli_app *app, const summary *s) {
    const double seconds = (double)(uv_hrtime() - app->start_ns) / 1e9;
    if (app->options.session_count > 1) {
        printf("sessions        %u\n", (unsigned)app->options.session_count);
    } else {
        printf("session         %s\n", s->session);
    }
    if (s->slot != ISO_SLOT_NONE) {
        printf("slot            %u\n", (unsigned)s->slot);
    }
    if (app->peer_count > 1) {
        printf("members         %u of %u joined\n", (unsigned)s->joined, (unsigned)app->peer_count);
    }
    if (s->first.first_tick == 0) {
        printf("ticks           never active\n");
    } else {
        printf("ticks           %" PRIu64 " to %" PRIu64 ", last root %016" PRIx64 "\n", s->first.first_tick,
               s->first.last_tick, s->first.last_root);
    }
    printf("roots checked   %" PRIu64 ", desyncs %" PRIu64 "\n", s->hashes_checked, s->desyncs);
    if (app->options.sync_test > 0) {
        printf("sync test       %" PRIu64 " world%s continued from snapshots, %s\n", s->sync_test_copies,
               iso_text_plural(s->sync_test_copies), s->sync_test_tick == 0 ? "none differed" : "one differed");
    }
    if (s->resumes + s->rewinds + s->heals > 0) {
        printf("resumed         %" PRIu64 " time%s, %" PRIu64 " rewind%s, %" PRIu64 " heal%s\n", s->resumes,
               iso_text_plural(s->resumes), s->rewinds, iso_text_plural(s->rewinds), s->heals,
               iso_text_plural(s->heals));
    }
    if (app->options.predict > 0) {
        printf("prediction      %" PRIu64 " rollback%s of at most %u tick%s, %" PRIu64 " tick%s stepped again\n",
               s->first.rollbacks, iso_text_plural(s->first.rollbacks), (unsigned)s->first.max_rollback,
               iso_text_plural(s->first.max_rollback), s->first.resteps, iso_text_plural(s->first.resteps));
        if (s->first.max_unpredicted > 0) {
            printf("not predicted   up to %" PRIu64 " tick%s: the own input was shown early by that\n",
                   s->first.max_unpredicted, iso_text_plural(s->first.max_unpredicted));
        }
    }
    if (app->peer_count > 1) {
        printf("round trip      %.2f ms on average, %.2f ms at most\n", s->rtt_ms_sum / app->peer_count, s->rtt_ms_max);
    } else {
        printf("round trip      %.2f ms\n", s->rtt_ms_max);
    }
    if (s->is_margin_known) {
        printf("input margin    %.2f ticks%s\n", s->margin_min, app->peer_count > 1 ? " at least" : "");
    }
    double median, high, largest;
    if (app->peer_count > 1 && iso__cli_swarm_margin(app, 500, &median) && iso__cli_swarm_margin(app, 990, &high) &&
        iso__cli_swarm_margin(app, 1000, &largest)) {
        printf("margins         p50 %.2f, p99 %.2f, largest %.2f ticks\n", median, high, largest);
    }
    printf("commands        %" PRIu64 " sent, %" PRIu64 " refused, %" PRIu64 " late\n", s->commands_sent,
           s->commands_refused, s->late);
    if (s->holds > 0) {
        printf("inputs held     %" PRIu64 " time%s, when no ticks came\n", s->holds, iso_text_plural(s->holds));
    }
    printf("bytes           %" PRIu64 " in, %" PRIu64 " out (%.1f and %.1f KiB/s)\n", s->bytes_in, s->bytes_out,
           (double)s->bytes_in / 1024.0 / seconds, (double)s->bytes_out / 1024.0 / seconds);
    if (app->peer_count > 1) {
        printf("per member      %.0f B/s in, %.0f B/s out\n", per_member_second(app, s->bytes_in),
               per_member_second(app, s->bytes_out));
    }
    for (uint32_t i = 0; i < app->peer_count; ++i) {
        const iso__cli_peer *peer = &app->peers[i];
        if (peer->has_desynced) {
            printf("desync          tick %" PRIu64 ": own root %016" PRIx64 ", server's %016" PRIx64 "\n",
                   peer->desync_tick, peer->desync_ours, peer->desync_theirs);
        }
    }
}

void iso__cli_summary_print(const iso__cli_app *app) {
    const summary s = summary_make(app);
    // There is no summary of a session that was never joined; the reason was printed before.
    if (iso_client_welcome(app->peers[0].client) == NULL) {
        return;
    }
    if (app->options.json) {
        print_json(app, &s);
    } else {
        print_table(app, &s);
    }
    fflush(stdout);
}

void iso__cli_progress_print(const iso__cli_app *app) {
    const summary s = summary_make(app);
    fprintf(stderr,
            "\r\033[Ktick %" PRIu64 "  members %u/%u  roots %" PRIu64 "  desyncs %" PRIu64
            "  rtt %.1f ms  margin %.1f ticks",
            s.first.last_tick, (unsigned)s.joined, (unsigned)app->peer_count, s.hashes_checked, s.desyncs, s.rtt_ms_max,
            s.margin_min);
    fflush(stderr);
}
