/// The routes for those who decide about players: who is here, kicks, notices, draining. Those for bans are in bans.c.
///
/// Only a session's worker knows who is in it: it is asked, and the HTTP request waits for the answer.
#include <inttypes.h>
#include <json-c/json.h>
#include <string.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "base/text_time.h"
#include "host/sessions/member_request.h"
#include "host/sessions/worker_inbox.h"
#include "host/watch/log.h"
#include "host/web/refusal.h"
#include "host/web/reply.h"
#include "host/web/request_body.h"
#include "host/web/web.h"
#include "isostep/proto/text.h"

// Of requests without the right so many are answered with the reason, then one in this time.
#define DENIED_MAX         60u
#define DENIED_INTERVAL_NS ISO__NS_PER_S

void iso__web_moderation_init(iso__web_moderation *moderation, iso__bans *bans, iso__audit *audit) {
    memset(moderation, 0, sizeof *moderation);
    moderation->bans = bans;
    moderation->audit = audit;
    iso__guess_limit_init(&moderation->denied, DENIED_MAX, DENIED_INTERVAL_NS);
}

// ---- Requests to a session --------------------------------------------------------------------------

/// The session of the path or of the body. @return NULL: the request is answered
static iso__hosted *find_session(const iso__web_call *call, const char *name) {
    iso__hosted *hosted = iso__directory_find(call->web->config.directory, name);
    if (hosted == NULL) {
        iso__web_reject(call, 404, name, "there is no such session");
    } else if (hosted->is_ending || hosted->has_ended || atomic_load(&hosted->closed)) {
        iso__web_reject(call, 409, name, "the session has ended, or is about to");
        return NULL;
    }
    return hosted;
}

/// @return NULL: too many are on their way, and the request is answered
static iso__web_pending *make_request(const iso__web_call *call, const iso__hosted *hosted) {
    iso__web_pending *pending = NULL;
    for (uint32_t i = 0; i < ISO__MEMBER_REQUESTS_MAX && pending == NULL; ++i) {
        if (!call->web->moderation.pending[i].is_used) {
            pending = &call->web->moderation.pending[i];
        }
    }
    if (pending == NULL) {
        iso__web_audit_refusal(call, 503, hosted->name, "too much is going on");
        iso__web_busy(call);
        return NULL;
    }
    *pending = (iso__web_pending){.web = call->web, .waiter = call->stream};
    memcpy(pending->session, hosted->name, sizeof pending->session);
    memcpy(pending->uid, hosted->uid, sizeof pending->uid);
    pending->who = iso__web_who(call);
    pending->shows_addresses = call->role >= ISO__HTTP_ROLE_MODERATE;
    iso__web_describe(call, pending->what, sizeof pending->what);
    return pending;
}

/// Sends it to the worker, and lets the request wait.
static void send_request(const iso__web_call *call, iso__web_pending *pending, iso__hosted *hosted) {
    iso__inbound item = {.kind = ISO__INBOUND_MEMBER_REQUEST, .hosted = hosted, .request = &pending->request};
    if (!iso__worker_offer(hosted->worker, &item, true)) {
        iso__web_audit_refusal(call, 503, pending->about, "too much is going on");
        iso__web_busy(call);
        return;
    }
    pending->is_used = true;
    iso__web_defer(call->stream, call->sends_body);
}

void iso__web_moderation_forget(iso__web_moderation *moderation, const iso__web_stream *stream) {
    ISO_ASSERT(stream != NULL && moderation->denied.burst > 0);
    for (uint32_t i = 0; i < ISO__MEMBER_REQUESTS_MAX; ++i) {
        if (moderation->pending[i].is_used && moderation->pending[i].waiter == stream) {
            moderation->pending[i].waiter = NULL;
        }
    }
}

static void print_person(FILE *out, iso__peers *peers, const iso__web_pending *pending,
                         const iso_session_person *person) {
    char address[ISO__LOG_ADDRESS_SIZE], since[ISO__TEXT_TIME_SIZE];
    const iso__address *name = person->connection != 0 ? iso__peers_address(peers, person->connection) : NULL;
    iso__text_time_write(iso__epoch_now_s() - (int64_t)((pending->request.now_ns - person->since_ns) / ISO__NS_PER_S),
                         since);
    fprintf(out, "{\"role\":\"%s\",\"slot\":", person->role == ISO_ROLE_PLAYER ? "player" : "spectator");
    if (person->slot != ISO_SLOT_NONE) {
        fprintf(out, "%u,\"generation\":%" PRIu32, person->slot, person->generation);
    } else {
        fputs("null,\"generation\":null", out);
    }
    fputs(",\"name\":", out);
    iso_print_json_string(out, person->name);
    fprintf(out, ",\"state\":\"%s\",\"connection\":",
            person->is_held      ? "held"
            : person->is_joining ? "joining"
                                 : "active");
    if (person->connection != 0) {
        fprintf(out, "%" PRIu64, person->connection);
    } else {
        fputs("null", out);
    }
    fputs(",\"address\":", out);
    if (name != NULL && pending->shows_addresses) {
        iso__log_format_address(name, address);
        fprintf(out, "\"%s\"", address);
    } else {
        fputs("null", out);
    }
    fprintf(out, ",\"since\":\"%s\",\"round_trip_ms\":", since);
    if (person->round_trip_ns != 0) {
        fprintf(out, "%.1f", (double)person->round_trip_ns / 1e6);
    } else {
        fputs("null", out);
    }
    fprintf(out, ",\"late\":%" PRIu64 ",\"desyncs\":%" PRIu64 "}", person->late, person->desyncs);
}

static iso__buffer *print_people(iso__web *web, const iso__web_pending *pending) {
    iso__web_text text;
    if (iso__web_text_begin(&text)) {
        fputs("{\"members\":[", text.out);
        for (uint32_t i = 0; i < pending->request.count; ++i) {
            fputs(i > 0 ? ",\n" : "\n", text.out);
            print_person(text.out, web->config.peers, pending, &pending->request.people[i]);
        }
        fputs("\n]}\n", text.out);
    }
    return iso__web_text_end(&text);
}

static void audit_request(iso__web *web, const iso__web_pending *pending, unsigned status, const char *result) {
    const iso__audit_line line = {
        .address = &pending->who.address,
        .by = pending->who.by,
        .role = pending->who.role,
        .what = pending->what,
        .about = pending->about,
        .status = status,
        .result = result,
        .reason = pending->reason,
    };
    iso__audit_write(web->moderation.audit, &line, iso__epoch_now_s());
}

static void say_removed(const iso__web_call *call, iso__web_pending *pending) {
    iso__web_text text;
    const iso_session_person *person = &pending->request.people[0];
    if (iso__web_text_begin(&text)) {
        print_person(text.out, call->web->config.peers, pending, person);
        fputc('\n', text.out);
    }
    iso__web_give(call, ISO__WEB_JSON, iso__web_text_end(&text));
}

/// Bans whom the session has found: by address, unless that is one which many share, and by seat.
/// @return 200; 409: neither is known; 503 after a message: it is not kept
static unsigned ban_found(iso__web *web, const iso__web_pending *pending) {
    ISO_ASSERT(pending->bans && pending->request.count > 0);
    const iso_session_person *person = &pending->request.people[0];
    const iso__address *address = iso__peers_address(web->config.peers, person->connection);
    iso__ban ban = {.until_s = pending->until_s};
    memcpy(ban.by, pending->who.by, sizeof ban.by);
    memcpy(ban.reason, pending->reason, sizeof ban.reason);
    iso__ban seat = ban;
    seat.is_seat = true;
    seat.slot = person->slot;
    seat.generation = person->generation;
    memcpy(seat.uid, pending->uid, sizeof seat.uid);
    bool is_kept = true, is_banned = person->role == ISO_ROLE_PLAYER;
    if (address != NULL && !iso__peers_is_exempt(web->config.peers, address)) {
        iso__ban_set_address(&ban, address);
        is_banned = true;
        is_kept = iso__bans_add(web->moderation.bans, &ban, iso__epoch_now_s());
        if (is_kept) {
            iso__peers_enforce(web->config.peers, &ban);
        }
    }
    if (person->role == ISO_ROLE_PLAYER) {
        is_kept = iso__bans_add(web->moderation.bans, &seat, iso__epoch_now_s()) && is_kept;
    }
    return !is_kept ? 503 : is_banned ? 200 : 409;
}

void iso__web_answer_member_request(iso__member_request *answered) {
    iso__web_pending *pending = (iso__web_pending *)(void *)answered;
    iso__web *web = pending->web;
    ISO__ASSERT_ON(iso__web_io(web));
    ISO_ASSERT(pending->is_used); // the worker had it
    iso__web_stream *stream = pending->waiter;
    const bool is_waited_for = stream != NULL && iso__web_base(stream)->state == ISO__STREAM_OPEN;
    const iso__web_call call = {.web = web, .stream = stream, .sends_body = stream != NULL && stream->sends_body};
    const bool is_found = answered->count > 0;
    const unsigned status = !is_found ? 404 : pending->bans ? ban_found(web, pending) : 200;
    if (!answered->is_list) {
        static const char not_kept[] = "removed, but not kept", not_banned[] = "removed, but not banned";
        audit_request(web, pending, status,
                      status == 404   ? "nobody"
                      : status == 503 ? not_kept
                      : status == 409 ? not_banned
                                      : "done");
        if (is_found) {
            iso__log_session(INFO, pending->session, "%s %s \"%s\"", pending->who.by,
                             pending->bans ? "bans" : "removes", answered->people[0].name);
        }
    }
    if (is_waited_for && answered->is_list) {
        iso__web_give(&call, ISO__WEB_JSON, print_people(web, pending));
    } else if (is_waited_for && !is_found) {
        iso__web_refuse(&call, 404, NULL, "there is nobody of this slot and generation, or connection");
    } else if (is_waited_for && status == 409) {
        iso__web_refuse(
            &call, 409, NULL,
            "who was meant is removed, but not banned: a spectator has no seat, and this address may be that of many");
    } else if (is_waited_for && status == 503) {
        iso__web_refuse(&call, 503, NULL, "who was meant is removed, but the ban cannot be kept; see the log");
    } else if (is_waited_for) {
        say_removed(&call, pending);
    }
    pending->is_used = false;
}

// ---- The routes -------------------------------------------------------------------------------------

void iso__web_members(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    iso__hosted *hosted = find_session(call, call->params[0]);
    iso__web_pending *pending = hosted != NULL ? make_request(call, hosted) : NULL;
    if (pending == NULL) {
        return;
    }
    pending->request.is_list = true;
    send_request(call, pending, hosted);
}

/// Whom the body means. @return false: the request is answered
static bool read_person(const iso__web_call *call, json_object *object, iso__member_request *request) {
    int64_t slot = 0, connection = 0, generation = 0;
    bool has_slot, has_connection, has_generation;
    if (!iso__web_read_number(call, object, "slot", 0, ISO_SLOT_COUNT_MAX - 1, &slot, &has_slot) ||
        !iso__web_read_number(call, object, "connection", 1, INT64_MAX, &connection, &has_connection) ||
        !iso__web_read_number(call, object, "generation", 1, UINT32_MAX, &generation, &has_generation)) {
        return false;
    }
    if (has_slot == has_connection) {
        iso__web_reject(call, 400, "", "either slot or connection is needed");
        return false;
    }
    request->slot = (uint32_t)slot;
    request->connection = (uint64_t)connection;
    request->generation = (uint32_t)generation;
    return true;
}

static void describe_request(iso__web_pending *pending) {
    const iso__member_request *who = &pending->request;
    if (who->connection != 0) {
        snprintf(pending->about, sizeof pending->about, "session %s, connection %" PRIu64, pending->session,
                 who->connection);
    } else {
        snprintf(pending->about, sizeof pending->about, "session %s, slot %" PRIu32 ", generation %" PRIu32,
                 pending->session, who->slot, who->generation);
    }
}

void iso__web_kick(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    static const char *const names[] = {"slot", "connection", "generation", "reason", NULL};
    json_object *object = iso__web_read_body(call, names);
    iso__hosted *hosted = object != NULL ? find_session(call, call->params[0]) : NULL;
    iso__web_pending *pending = hosted != NULL ? make_request(call, hosted) : NULL;
    if (pending != NULL && read_person(call, object, &pending->request) &&
        iso__web_read_text(call, object, "reason", pending->reason, sizeof pending->reason)) {
        pending->request.kicks = true;
        pending->request.status = ISO_ERR_KICKED;
        describe_request(pending);
        send_request(call, pending, hosted);
    }
    json_object_put(object);
}

void iso__web_ban_person(const iso__web_call *call, json_object *object, const char *session, const iso__ban *like) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    iso__hosted *hosted = find_session(call, session);
    iso__web_pending *pending = hosted != NULL ? make_request(call, hosted) : NULL;
    if (pending == NULL || !read_person(call, object, &pending->request)) {
        return;
    }
    pending->bans = pending->request.kicks = true;
    pending->request.status = ISO_ERR_BANNED;
    pending->until_s = like->until_s;
    memcpy(pending->reason, like->reason, sizeof pending->reason);
    describe_request(pending);
    send_request(call, pending, hosted);
}

void iso__web_notice(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    static const char *const names[] = {"text", "session", "connection", "seconds", NULL};
    json_object *object = iso__web_read_body(call, names);
    iso_message_notice notice = {0};
    char session[ISO_SESSION_NAME_MAX + 1];
    int64_t seconds = 0, connection = 0;
    bool has_seconds, has_connection;
    if (object == NULL) {
        return;
    }
    const bool is_read = iso__web_read_text(call, object, "text", notice.text, sizeof notice.text) &&
                         iso__web_read_text(call, object, "session", session, sizeof session) &&
                         iso__web_read_number(call, object, "connection", 1, INT64_MAX, &connection, &has_connection) &&
                         iso__web_read_number(call, object, "seconds", 1, 86400, &seconds, &has_seconds);
    json_object_put(object);
    if (!is_read) {
        return;
    }
    iso__hosted *hosted = session[0] != '\0' ? find_session(call, session) : NULL;
    if (session[0] != '\0' && hosted == NULL) {
        return;
    }
    if (notice.text[0] == '\0' || (has_connection && hosted == NULL)) {
        iso__web_reject(call, 400, "",
                        notice.text[0] == '\0' ? "/text: expected what to tell"
                                               : "/connection: the session is needed, too");
        return;
    }
    notice.deadline_ms = (uint32_t)seconds * 1000u;
    const uint32_t missed = iso__peers_tell(call->web->config.peers, hosted, (uint64_t)connection, &notice);
    iso__web_audit(call, missed == 0 ? 200 : 503, notice.text, missed == 0 ? "done" : "not told to all");
    iso__log_session(INFO, hosted != NULL ? hosted->name : NULL, "%s tells %s: \"%s\"", call->token_name,
                     has_connection   ? "one connection"
                     : hosted != NULL ? "who is there"
                                      : "everybody",
                     notice.text);
    char why[80];
    snprintf(why, sizeof why, "%" PRIu32 " session%s no room for it now; the others were told", missed,
             missed == 1 ? " has" : "s have");
    if (missed == 0) {
        iso__web_say(call, 200, "told\n");
    } else {
        iso__web_refuse(call, 503, NULL, why);
    }
}

void iso__web_drain(const iso__web_call *call) {
    ISO__ASSERT_ON(iso__web_io(call->web));
    static const char *const names[] = {"seconds", "text", NULL};
    json_object *object = iso__web_read_body(call, names);
    char text[ISO_NOTICE_TEXT_MAX + 1];
    int64_t seconds = call->web->config.options->drain_seconds;
    bool has_seconds;
    if (object == NULL) {
        return;
    }
    const bool is_read = iso__web_read_number(call, object, "seconds", 1, 86400, &seconds, &has_seconds) &&
                         iso__web_read_text(call, object, "text", text, sizeof text);
    json_object_put(object);
    if (!is_read) {
        return;
    }
    if (!call->web->config.drain(call->web->config.user, (uint32_t)seconds, text)) {
        iso__web_reject(call, 409, "", "the server ends already");
        return;
    }
    iso__web_audit(call, 202, text, "done");
    iso__log_info("%s let nobody new in, over HTTP", call->token_name);
    iso__web_say(call, 202, "draining\n");
}
