/// What the routes for moderation keep beside a call: requests that a session has not answered yet, and the limit of
/// requests without the right to what they ask for.
#ifndef ISO_HOST_WEB_MODERATE_H
#define ISO_HOST_WEB_MODERATE_H

#include "host/peers/bans.h"
#include "host/peers/guess_limit.h"
#include "host/sessions/member_request.h"
#include "host/watch/audit.h"

/// "DELETE " and a path, whose longest is that of what is done in a session.
#define ISO__WEB_WHAT_SIZE 112u

struct iso__web;
struct iso__web_call;
struct iso__web_stream;
struct json_object;

typedef struct iso__web_pending {
    iso__member_request request; // first
    struct iso__web *web;        // of which address it came
    bool is_used;
    struct iso__web_stream *waiter; // NULL: nobody waits for the answer any more
    bool shows_addresses;
    bool bans; // whom it finds
    int64_t until_s;
    char session[ISO_SESSION_NAME_MAX + 1];
    uint8_t uid[16];
    // For the audit log.
    iso__audit_who who;
    char what[ISO__WEB_WHAT_SIZE], about[160], reason[ISO__BAN_REASON_MAX + 1];
} iso__web_pending;

typedef struct iso__web_moderation {
    iso__bans *bans;
    iso__audit *audit;
    iso__guess_limit denied; // requests without the right
    iso__web_pending pending[ISO__MEMBER_REQUESTS_MAX];
} iso__web_moderation;

void iso__web_moderation_init(iso__web_moderation *moderation, iso__bans *bans, iso__audit *audit);

/// Asks a session whom the body means, to remove and to ban them. The HTTP request waits for the answer.
/// @param object  the body, with slot or connection, and generation
/// @param like    until when, and why
void iso__web_ban_person(const struct iso__web_call *call, struct json_object *object, const char *session,
                         const iso__ban *like);

/// The worker has answered.
void iso__web_answer_member_request(iso__member_request *answered);

/// The connection has ended.
void iso__web_moderation_forget(iso__web_moderation *moderation, const struct iso__web_stream *stream);

#endif
