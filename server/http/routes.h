/// The routes of the server's HTTP: which method of which path asks for what, and who may ask.
///
/// One list, so that the router, server/API.md, server/openapi.json and the tests of the roles cannot disagree.
#ifndef ISO_HTTP_ROUTES_H
#define ISO_HTTP_ROUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/request.h"
#include "http/tokens.h"

/// X(handler, method, path, role, listener, body)
///   handler   iso__web_HANDLER of the host
///   method    GET: HEAD as well
///   path      below the prefix; {name} is one segment that is not empty, {path} whatever is left
///   role      that a token needs; NONE: everybody may ask
///   listener  ALL; ADMIN: with --admin at that address only
///   body      [bytes] that it may have
/// Of two paths that both fit a request the first one counts.
#define ISO__HTTP_ROUTE_LIST(X)                                                \
    X(socket, GET, "/v1/socket", NONE, ALL, 0)                                 \
    X(health, GET, "/healthz", NONE, ALL, 0)                                   \
    X(readiness, GET, "/readyz", NONE, ALL, 0)                                 \
    X(metrics, GET, "/metrics", NONE, ADMIN, 0)                                \
    X(sessions, GET, "/api/sessions", NONE, ALL, 0)                            \
    X(create_session, POST, "/api/sessions", ADMIN, ADMIN, ISO__HTTP_BODY_MAX) \
    X(end_session, DELETE, "/api/sessions/{name}", ADMIN, ADMIN, 0)            \
    X(members, GET, "/api/sessions/{name}/members", READ, ADMIN, 0)            \
    X(kick, POST, "/api/sessions/{name}/kick", MODERATE, ADMIN, 4096)          \
    X(bans, GET, "/api/bans", MODERATE, ADMIN, 0)                              \
    X(add_ban, POST, "/api/bans", MODERATE, ADMIN, 4096)                       \
    X(remove_ban, DELETE, "/api/bans/{id}", MODERATE, ADMIN, 0)                \
    X(notice, POST, "/api/notice", MODERATE, ADMIN, 4096)                      \
    X(drain, POST, "/api/drain", ADMIN, ADMIN, 4096)                           \
    X(scenes, GET, "/api/scenes", NONE, ALL, 0)                                \
    X(recordings, GET, "/api/recordings", NONE, ALL, 0)                        \
    X(recording, GET, "/api/recordings/{file}", NONE, ALL, 0)                  \
    X(page, GET, "/{path}", NONE, ALL, 0)

#define ISO__HTTP_PARAMS_MAX 2u

typedef enum iso__http_listener {
    ISO__HTTP_LISTENER_ALL,
    ISO__HTTP_LISTENER_ADMIN,
} iso__http_listener;

typedef enum iso__http_route_id {
#define ISO__HTTP_ROUTE_ENUM(handler, method, path, role, listener, body) ISO__HTTP_ROUTE_##handler,
    ISO__HTTP_ROUTE_LIST(ISO__HTTP_ROUTE_ENUM)
#undef ISO__HTTP_ROUTE_ENUM
        ISO__HTTP_ROUTE_COUNT,
} iso__http_route_id;

typedef struct iso__http_route {
    const char *handler;
    iso__http_method method;
    const char *path;
    iso__http_role role;
    iso__http_listener listener;
    size_t body_max;
} iso__http_route;

/// By iso__http_route_id.
extern const iso__http_route iso__http_routes[ISO__HTTP_ROUTE_COUNT];

typedef struct iso__http_match {
    const iso__http_route *route;             // NULL: none has this method
    const char *params[ISO__HTTP_PARAMS_MAX]; // what {name} and so on stand for; NULL: there are fewer
    char allow[64];                           // the methods of the path, as an Allow header lists them
    char text[ISO__HTTP_TARGET_MAX + 1];      // of the parameters
} iso__http_match;

/// Finds the route of a request.
/// @param path  as iso__http_path gives it
/// @return 200; 404: there is no such path; 405: it has other methods
unsigned iso__http_route_find(iso__http_method method, const char *path, iso__http_match *match);

/// "GET" and so on; "" of ISO__HTTP_OTHER.
const char *iso__http_method_name(iso__http_method method);

#endif
