#include "host/web/refusal.h"

#include <string.h>

#include "base/clock.h"
#include "base/text_time.h"
#include "host/web/reply.h"
#include "isostep/assert.h"

void iso__web_describe(const iso__web_call *call, char *what, size_t size) {
    snprintf(what, size, "%s %.100s", iso__http_method_name(call->request->method), call->path);
}

void iso__web_audit_reason(const iso__web_call *call, unsigned status, const char *about, const char *result,
                           const char *reason) {
    ISO_ASSERT(status >= 200 && status <= 599);
    char what[ISO__WEB_WHAT_SIZE];
    iso__web_describe(call, what, sizeof what);
    const iso__audit_line line = {
        .address = iso__web_address(call->stream),
        .by = call->token_name,
        .role = iso__http_role_name(call->role),
        .what = what,
        .about = about,
        .status = status,
        .result = result,
        .reason = reason,
    };
    iso__audit_write(call->web->moderation.audit, &line, iso__epoch_now_s());
}

iso__audit_who iso__web_who(const iso__web_call *call) {
    ISO_ASSERT(call->role <= ISO__HTTP_ROLE_ADMIN);
    iso__audit_who who = {0};
    who.address = *iso__web_address(call->stream);
    memcpy(who.by, call->token_name, sizeof call->token_name);
    snprintf(who.role, sizeof who.role, "%s", iso__http_role_name(call->role));
    return who;
}

void iso__web_audit_who(iso__web *web, const iso__audit_who *who, const char *what, const char *about, unsigned status,
                        const char *result) {
    ISO_ASSERT(status >= 200 && status <= 599);
    const iso__audit_line line = {
        .address = &who->address,
        .by = who->by,
        .role = who->role,
        .what = what,
        .about = about,
        .status = status,
        .result = result,
    };
    iso__audit_write(web->moderation.audit, &line, iso__epoch_now_s());
}

void iso__web_audit(const iso__web_call *call, unsigned status, const char *about, const char *result) {
    iso__web_audit_reason(call, status, about, result, NULL);
}

void iso__web_audit_refusal(const iso__web_call *call, unsigned status, const char *about, const char *why) {
    ISO_ASSERT(status >= 400 && status <= 599);
    char result[200];
    const iso__http_method method = call->request->method;
    snprintf(result, sizeof result, "refused: %s", why);
    if (method != ISO__HTTP_GET && method != ISO__HTTP_HEAD) {
        iso__web_audit(call, status, about, result);
    }
}

void iso__web_reject(const iso__web_call *call, unsigned status, const char *about, const char *why) {
    ISO_ASSERT(status >= 400 && status <= 599);
    iso__web_audit_refusal(call, status, about, why);
    iso__web_refuse(call, status, NULL, why);
}

/// Whether an address that is denied again and again is still told why, and is written down. Counts it.
static bool may_be_denied(const iso__web_call *call) {
    iso__guess_limit *denied = &call->web->moderation.denied;
    const iso__address *address = iso__web_address(call->stream);
    const bool has = iso__guess_limit_has(denied, address, iso__clock_now());
    if (has) {
        iso__guess_limit_take(denied, address, iso__clock_now());
    }
    return has;
}

static void deny(const iso__web_call *call, unsigned status, const char *lines, const char *why) {
    iso__counters_add(call->web->config.counters, ISO__COUNTER_WEB_DENIED, 1);
    if (!may_be_denied(call)) {
        iso__counters_add(call->web->config.counters, ISO__COUNTER_WEB_GUESSES, 1);
        iso__web_refuse(call, 429, "Retry-After: 1\r\n", "too many requests without the right to them");
        return;
    }
    iso__web_audit(call, status, "", "denied");
    iso__web_refuse(call, status, lines, why);
}

void iso__web_deny(const iso__web_call *call, unsigned status, iso__http_role needed) {
    ISO_ASSERT((status == 401 || status == 403) && needed > ISO__HTTP_ROLE_NONE);
    char why[200];
    if (status == 401) {
        deny(call, status, "WWW-Authenticate: Bearer\r\n", "a valid token of --http-tokens or --http-token is needed");
        return;
    }
    if (!iso__tokens_are_asked_for(call->web->config.tokens)) {
        snprintf(why, sizeof why,
                 "nothing is changed over HTTP without a token: start the server with --http-tokens @FILE");
    } else if (call->role == ISO__HTTP_ROLE_NONE || call->role >= needed) {
        snprintf(why, sizeof why,
                 "pages of this origin may not do this: it is neither this server's nor an --http-origin");
    } else {
        snprintf(why, sizeof why, "the token %s has the role %s; this needs %s", call->token_name,
                 iso__http_role_name(call->role), iso__http_role_name(needed));
    }
    deny(call, status, NULL, why);
}

void iso__web_deny_here(const iso__web_call *call) {
    deny(call, 403, NULL, "this is at the address of --admin only");
}
