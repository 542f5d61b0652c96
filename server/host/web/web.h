/// The server's HTTP: health, metrics, the API, the web client's files, and the way to WebSocket connections.
///
/// Runs on the I/O thread. Connections that carry no stream have a maximum of their own, beyond which the oldest idle
/// one is closed for a new one, and one for each address; with the upgrade a connection takes a place as one over TCP
/// does.
#ifndef ISO_HOST_WEB_H
#define ISO_HOST_WEB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "host/peers/peers.h"
#include "host/recordings/disk.h"
#include "host/sessions/created_session.h"
#include "host/sessions/hosted.h"
#include "host/start/options.h"
#include "host/watch/counters.h"
#include "host/web/moderate.h"
#include "host/web/tokens.h"
#include "http/routes.h"
#include "transport/web.h"

#define ISO__WEB_FILES_MAX         16u // recordings that are read at a time: each has a file descriptor
#define ISO__WEB_FILES_ADDRESS_MAX 4u  // of these, by one address
#define ISO__WEB_ENDS_MAX          16u // requests that wait until the end of their session is on the disk

typedef struct iso__web_config {
    const iso__options *options;
    iso__peers *peers;
    const iso__directory *directory; // the sessions; their `is_ending` is used here
    iso__counters *counters;
    const iso__disk *disk; // with the folder of the recordings; NULL: nothing is recorded
    const bool *is_ending; // the server ends its sessions
    iso__bans *bans;
    iso__audit *audit;
    /// Nobody new may come, then the server ends. @return false when it ends already
    bool (*drain)(void *user, uint32_t seconds, const char *text);
    void (*awaits_end)(void *user); // iso__web_answer_ends is to be called from now on, until it says that nobody waits
    void *user;
    const bool *is_unready; // it is about to
    iso__created_sessions *created;
    iso__job_thread *session_builder;
    iso__tokens *tokens;
    bool is_admin; // this is the address of --admin
} iso__web_config;

/// An answer that takes too long for the I/O thread: the session builder prints it, and all who ask meanwhile wait.
typedef struct iso__web_document {
    iso__job job;
    struct iso__web *web;
    // On the session builder's thread. @return NULL: there was no memory
    iso__buffer *(*make)(const struct iso__web *web);
    iso__buffer *built;          // of the session builder, until it is handed over
    iso__buffer *buffer;         // the last one; NULL: none, or there was no memory
    uint64_t begun_ns, ready_ns; // when the last one was begun, and when it was there
    bool is_asked;               // the session builder works on it
} iso__web_document;

/// A list of the recordings.
typedef struct iso__web_list {
    iso__web_document document;
    struct timespec of; // when the folder had changed that it is of; 0: not known
} iso__web_list;

/// Who ends a session waits until that is on the disk.
typedef struct iso__web_end {
    iso__web_stream *waiter; // NULL: the place is free
    iso__hosted *hosted;
    uint64_t until_ns; // then the answer is that the disk has not taken it
} iso__web_end;

typedef struct iso__web {
    iso__web_config config;
    iso__web_end ends[ISO__WEB_ENDS_MAX];
    iso__web_listener listener;
    bool is_open;
    bool is_loopback;
    uint64_t opened_ns;
    uint32_t connection_count;                 // that carry no stream
    char why[ISO__ADDRESS_LIMIT_TEXT_MAX + 2]; // why the last connection got no place
    iso__web_moderation moderation;
    iso__web_document scenes;
    iso__web_list recordings[2];      // those that everybody may know of, and all
    uint64_t folder_ns, folder_bytes; // when the recordings' bytes were counted, 0: not, and how many they are
} iso__web;

/// A request that is being answered.
typedef struct iso__web_call {
    iso__web *web;
    iso__web_stream *stream;
    const iso__http_request *request;
    const char *path;                              // below the prefix
    const char *const *params;                     // what the route's {name} and so on stand for
    bool sends_body;                               // false: HEAD
    iso__http_role role;                           // of the token that the request carries; none without a valid one
    char token_name[ISO__HTTP_TOKEN_NAME_MAX + 1]; // of that token; empty
} iso__web_call;

/// The thread that answers.
static inline const iso__affinity *iso__web_io(const iso__web *web) {
    return iso__web_listener_io(&web->listener);
}

/// Binds the address; connecting is not possible before iso__peers_listen_other. @return 0 or libuv's error
int iso__web_open(iso__web *web, uv_loop_t *loop, const iso__address *address, const iso__web_config *config);

/// Frees; to be called after the loop has ended.
void iso__web_term(iso__web *web);

/// The routes' handlers: each answers, defers or upgrades.
#define ISO__WEB_HANDLER(handler, method, path, role, listener, body) \
    void iso__web_##handler(const iso__web_call *call);
ISO__HTTP_ROUTE_LIST(ISO__WEB_HANDLER)
#undef ISO__WEB_HANDLER

#endif
