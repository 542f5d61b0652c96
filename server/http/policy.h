/// What a request may ask for: paths, origins, ranges, names. Pure functions over the texts of a request.
#ifndef ISO_HTTP_POLICY_H
#define ISO_HTTP_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/request.h"
#include "http/tokens.h"

/// The subprotocol of a WebSocket connection, as WIRE.md names it.
#define ISO__HTTP_SUBPROTOCOL "isostep.v1"

/// Finds the path of a target: origin-form, or absolute-form as proxies write it. Escapes are decoded, and what follows
/// a question mark is left out.
///
/// @param prefix  what the path has to begin with: empty, or "/some/path" without a slash at its end; it is left out
/// @param path    at least ISO__HTTP_TARGET_MAX + 1 bytes; begins with a slash
/// @return the HTTP status: 200; 400 (wrong escapes, a control character, a backslash, a segment . or .., no path);
///         404 (not below the prefix)
unsigned iso__http_path(const char *target, const char *prefix, char *path);

/// Whether a page of this origin may use the server: the origin has the host and port that the request was sent to, or
/// is on the list.
///
/// @param origin   NULL: no browser has sent it, allowed
/// @param allowed  origins as browsers write them: "https://example.com"
/// @param host     NULL: the list alone counts
bool iso__http_origin_is_allowed(const char *origin, const char *host, const char *const *allowed, size_t count);

/// Whether the text is an origin: http or https, a host, perhaps a port, and nothing behind.
bool iso__http_is_origin(const char *text);

/// Whether a Host header names this machine by a loopback name or address.
bool iso__http_host_is_loopback(const char *host);

/// Who may connect from a page.
typedef struct iso__http_origins {
    const char *const *allowed; // origins as browsers write them
    size_t count;
    bool is_loopback; // only this machine reaches the listener
} iso__http_origins;

/// What to answer to a request to go on as WebSocket: 101; 400 (no or a wrong key, not the subprotocol); 403 (origin);
/// 405 (not GET); 426 (no upgrade, or another version).
///
/// On a listener on loopback the Host has to be a loopback name, unless a proxy has passed the request on: else a page
/// whose own name was made to lead to this machine would have the same origin.
unsigned iso__http_upgrade_status(const iso__http_request *request, const iso__http_origins *origins);

/// Whether a request may read what only this server knows, such as its sessions: 200 or 421.
///
/// On a listener on loopback the Host has to be a loopback name or that of an allowed origin, or a proxy has passed the
/// request on and the Host has another port than the listener: a page whose own name was made to lead to this machine
/// can add a proxy's headers to its requests, but has to name the listener's port.
///
/// @param port  of the listener
unsigned iso__http_read_status(const iso__http_request *request, const iso__http_origins *origins, unsigned port);

/// Whether a request may have what a role is needed for: 200, 401 (no valid token) or 403 (there are no tokens at all,
/// the token has a lower role, or the request comes from a foreign page).
///
/// Without a token nobody may, wherever the request comes from: a proxy on this machine makes everyone look like its
/// user.
///
/// @param tokens  NULL: the server has none, and no file of them
/// @param now     [s] since 1970
/// @param by     receives the token that the request carries; NULL: none that is valid
unsigned iso__http_change_status(const iso__http_request *request, const iso__http_origins *origins,
                                 const iso__http_tokens *tokens, iso__http_role needed, int64_t now,
                                 const iso__http_token **by);

typedef enum iso__http_range_kind {
    ISO__HTTP_RANGE_NONE,  // all of it
    ISO__HTTP_RANGE_PART,  // from `first` to `last`
    ISO__HTTP_RANGE_WRONG, // none of it: 416
} iso__http_range_kind;

/// Reads a Range header of one range; several ranges, or another unit, count as none, as the standard allows.
///
/// @param value  NULL: there is none
/// @param size   [bytes] of the file
iso__http_range_kind iso__http_range(const char *value, uint64_t size, uint64_t *first, uint64_t *last);

/// Whether a sealed recording's file may have this name: a-z, 0-9 and '-', perhaps '.' and a number, then ".isr".
bool iso__http_is_recording_name(const char *name);

/// Whether an If-None-Match header has this tag, or is "*". @param value  NULL: no
bool iso__http_has_tag(const char *value, const char *tag);

#endif
