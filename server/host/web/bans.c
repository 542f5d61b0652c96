/// The routes for bans. A ban of a network is kept at once; for one of a member the session says first who that is
/// (moderate.c).
#include <string.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "base/text_time.h"
#include "host/watch/log.h"
#include "host/web/refusal.h"
#include "host/web/reply.h"
#include "host/web/request_body.h"
#include "host/web/web.h"
#include "isostep/proto/text.h"

#define SECONDS_MAX (366 * 24 * 3600)

static void print_ban(FILE *out, const iso__ban *ban) {
    char id[ISO__BAN_ID_SIZE], what[ISO__BAN_WHAT_SIZE], until[ISO__TEXT_TIME_SIZE];
    iso__ban_id(ban, id);
    iso__ban_write(ban, what);
    iso__text_time_write(ban->until_s, until);
    fprintf(out, "{\"id\":\"%s\",\"what\":\"%s\",\"until\":", id, what);
    if (ban->until_s != 0) {
        fprintf(out, "\"%s\"", until);
    } else {
        fputs("null", out);
    }
    fputs(",\"by\":", out);
    iso_print_json_string(out, ban->by);
    fputs(",\"reason\":", out);
    iso_print_json_string(out, ban->reason);
    fputc('}', out);
}

void iso__web_bans(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    const iso__bans *bans = call->web->moderation.bans;
    const int64_t now = iso__epoch_now_s();
    iso__web_text text;
    if (iso__web_text_begin(&text)) {
        const char *between = "\n";
        fputs("{\"bans\":[", text.out);
        for (uint32_t i = 0; i < bans->count; ++i) {
            if (bans->list[i].until_s != 0 && bans->list[i].until_s <= now) {
                continue;
            }
            fputs(between, text.out);
            print_ban(text.out, &bans->list[i]);
            between = ",\n";
        }
        fputs("\n]}\n", text.out);
    }
    iso__web_give(call, ISO__WEB_JSON, iso__web_text_end(&text));
}

/// Bans a network.
static void ban_network(const iso__web_call *call, iso__ban *ban) {
    char what[ISO__BAN_WHAT_SIZE];
    iso__web_text text;
    iso__ban_write(ban, what);
    memcpy(ban->by, call->token_name, sizeof call->token_name);
    if (!iso__bans_add(call->web->moderation.bans, ban, iso__epoch_now_s())) {
        iso__web_audit_reason(call, 503, what, "not kept", ban->reason);
        iso__web_refuse(call, 503, NULL, "the ban cannot be kept; see the log");
        return;
    }
    iso__log_info("%s bans %s", call->token_name, what);
    iso__peers_enforce(call->web->config.peers, ban);
    iso__web_audit_reason(call, 200, what, "done", ban->reason);
    if (iso__web_text_begin(&text)) {
        print_ban(text.out, ban);
        fputc('\n', text.out);
    }
    iso__web_give(call, ISO__WEB_JSON, iso__web_text_end(&text));
}

void iso__web_add_ban(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    static const char *const names[] = {"address",    "session", "slot",   "connection",
                                        "generation", "seconds", "reason", NULL};
    json_object *object = iso__web_read_body(call, names);
    char address[ISO__BAN_WHAT_SIZE], session[ISO_SESSION_NAME_MAX + 1], reason[ISO__BAN_REASON_MAX + 1];
    int64_t seconds = 0;
    bool has_seconds;
    iso__ban ban;
    if (object == NULL) {
        return;
    }
    if (!iso__web_read_text(call, object, "address", address, sizeof address) ||
        !iso__web_read_text(call, object, "session", session, sizeof session) ||
        !iso__web_read_text(call, object, "reason", reason, sizeof reason) ||
        !iso__web_read_number(call, object, "seconds", 1, SECONDS_MAX, &seconds, &has_seconds)) {
        json_object_put(object);
        return;
    }
    if ((address[0] != '\0') == (session[0] != '\0')) {
        iso__web_reject(call, 400, "", "either address, or session with slot or connection, is needed");
    } else if (address[0] != '\0' && (!iso__ban_read(&ban, address) || ban.is_seat)) {
        iso__web_reject(call, 400, "",
                        "/address: expected an address, or a network as 192.0.2.0/24 of at least 8 bits, of IPv6 16");
    } else {
        if (address[0] == '\0') {
            ban = (iso__ban){0};
        }
        ban.until_s = has_seconds ? iso__epoch_now_s() + seconds : 0;
        memcpy(ban.reason, reason, sizeof reason);
        if (address[0] != '\0') {
            ban_network(call, &ban);
        } else {
            iso__web_ban_person(call, object, session, &ban);
        }
    }
    json_object_put(object);
}

void iso__web_remove_ban(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    const int removed = iso__bans_remove(call->web->moderation.bans, call->params[0], iso__epoch_now_s());
    iso__web_audit(call,
                   removed > 0   ? 200
                   : removed < 0 ? 503
                                 : 404,
                   call->params[0],
                   removed > 0   ? "done"
                   : removed < 0 ? "not kept"
                                 : "nobody");
    if (removed > 0) {
        iso__log_info("%s removes the ban %s", call->token_name, call->params[0]);
    }
    if (removed == 0) {
        iso__web_refuse(call, 404, NULL, "there is no such ban");
    } else if (removed < 0) {
        iso__web_refuse(call, 503, NULL, "that cannot be kept; see the log");
    } else {
        iso__web_bans(call);
    }
}
