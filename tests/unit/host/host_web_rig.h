/// The host's HTTP above connections of the test's own: calls of its routes, what they are answered, and the session
/// builder's work, which is done when the test says so.
#ifndef ISO_TESTS_HOST_WEB_RIG_H
#define ISO_TESTS_HOST_WEB_RIG_H

#include "host/web/web.h"
#include "host_rig.h"

#define WEB_RIG_STREAMS 4u
#define WEB_RIG_PLACES  3u

typedef struct web_rig_answer {
    uint32_t count; // of answers to this connection
    unsigned status;
    bool sends_body;
    char lines[512]; // further headers
    uint64_t offset, size;
    char *text; // of a buffer, with a terminating zero; NULL: none
} web_rig_answer;

typedef struct web_rig {
    iso__options options;
    iso__counters counters;
    iso__directory directory;
    iso__key key;
    iso__disk disk;
    iso__writer writer;
    iso__worker workers[2];
    uv_loop_t loop;
    uv_async_t async;
    iso__job_thread session_builder;
    iso__created_sessions created;
    iso__peers peers;
    iso__web web;
    bool is_ending;
    uint32_t started, left, vacated; // sessions and places, as iso__created_session_config tells them
    iso__audit audit;                // writes nothing
    uint32_t outcomes;               // of requests for sessions
    char outcome[320];               // of the last one: who, name, status and why
    iso__web_stream streams[WEB_RIG_STREAMS];
    iso__http_request requests[WEB_RIG_STREAMS];
    iso__web_call calls[WEB_RIG_STREAMS];
    const char *params[WEB_RIG_STREAMS][2]; // of the path
    web_rig_answer answers[WEB_RIG_STREAMS];
} web_rig;

extern web_rig the_web;

/// Begins with an empty folder at the first microsecond of time. @param is_recorded  the folder gets recordings
/// @param arguments  further options of the server, up to NULL
void web_rig_begin(bool is_recorded, const char *const *arguments);
/// Ends everything, and frees.
void web_rig_end(void);

/// The call of a connection, for GET without headers. What it was answered before is forgotten.
const iso__web_call *web_rig_call(uint32_t stream);
/// Adds a header to the connection's request.
void web_rig_header(uint32_t stream, const char *name, const char *value);

/// Does the next job of the session builder, and hands it in. @return false: there is none
bool web_rig_make(void);
/// All of them. @return how many
uint32_t web_rig_make_all(void);

/// Asks for a session, for this connection. @return NULL: there is no place
iso__created_session *web_rig_create(uint32_t stream, const char *name, const char *scene);
/// All that happens until the session leaves.
void web_rig_remove(iso__created_session *created);
/// The writer does what it was told, so that a recording's file is there.
void web_rig_write(void);
/// How many sessions a worker was told to end or let go, or the writer to take; they are forgotten.
uint32_t web_rig_orders(void);

#endif
