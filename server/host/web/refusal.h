/// Answers to requests without the right to what they ask for, and their entries in the audit log
/// (host/watch/audit.h).
#ifndef ISO_HOST_WEB_REFUSAL_H
#define ISO_HOST_WEB_REFUSAL_H

#include "host/web/web.h"

/// Answers who may not have what the request asks for, with what iso__http_change_status has said, and counts it.
/// @param needed  the role that the route needs
void iso__web_deny(const iso__web_call *call, unsigned status, iso__http_role needed);
/// The same for what is at the address of --admin only.
void iso__web_deny_here(const iso__web_call *call);
/// Writes down what was changed, or was not. @param about  which; "": the path says it
void iso__web_audit(const iso__web_call *call, unsigned status, const char *about, const char *result);
/// Who asks, for what is written down when the call is over.
iso__audit_who iso__web_who(const iso__web_call *call);
void iso__web_audit_who(iso__web *web, const iso__audit_who *who, const char *what, const char *about, unsigned status,
                        const char *result);
/// The same with the reason that who asks has given.
void iso__web_audit_reason(const iso__web_call *call, unsigned status, const char *about, const char *result,
                           const char *reason);
/// As iso__web_refuse without further headers, and writes it down, unless nothing was to be changed. @param about  as
/// of iso__web_audit
void iso__web_reject(const iso__web_call *call, unsigned status, const char *about, const char *why);

/// Writes down that a request was refused, unless nothing was to be changed. @param about  as of iso__web_audit
void iso__web_audit_refusal(const iso__web_call *call, unsigned status, const char *about, const char *why);
/// What a request asks for, as the audit log has it.
void iso__web_describe(const iso__web_call *call, char *what, size_t size);

#endif
