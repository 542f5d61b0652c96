/// Sessions that are created while the server runs, and that leave it when they have closed.
///
/// There is a fixed number of places. A request takes one, and gives it back when it is refused or when its session has
/// left:
///
///   VACANT -> READING -> BUILDING -> STARTING -> OPEN -> LEAVING -> VACANT
///                 \          \          \-> FAILED --------^
///                  \----------\----------------------------^
///
/// READING and BUILDING are the session builder's work; STARTING lasts until the session's recording has begun, so that
/// a session that was said to be created survives a kill. Then clients find it in the directory. A session that has
/// closed leaves when no connection, snapshot or file of it is in progress any more; LEAVING is the session builder's
/// work again.
///
/// All of it is on the I/O thread; the session builder's work touches its place only.
#ifndef ISO_HOST_CREATED_SESSION_H
#define ISO_HOST_CREATED_SESSION_H

#include "host/sessions/directory.h"
#include "host/sessions/job_thread.h"
#include "host/watch/audit.h"
#include "isostep/proto/session_request.h"
#include "isostep/threads.h"

typedef enum iso__created_session_state {
    ISO__CREATED_SESSION_VACANT,
    ISO__CREATED_SESSION_READING,
    ISO__CREATED_SESSION_BUILDING,
    ISO__CREATED_SESSION_STARTING,
    ISO__CREATED_SESSION_OPEN,
    ISO__CREATED_SESSION_FAILED, // it was told to end before it was open
    ISO__CREATED_SESSION_LEAVING,
} iso__created_session_state;

struct iso__created_sessions;

typedef struct iso__created_session {
    iso__hosted hosted; // first
    struct iso__created_sessions *set;
    uint8_t state; // iso__created_session_state
    bool is_built; // `hosted` holds something
    bool has_mark; // the file that says that it was created so is there
    bool is_over;  // it closed for good, or never opened: its mark goes with it
    bool has_been_open;
    iso__job job;
    uint8_t *body; // of the request, from the heap
    size_t body_size;
    iso_session_request request;
    void *waiter;       // who is to be answered; NULL: nobody
    iso__audit_who who; // has asked for it, whether they still wait or not
    bool has_outcome;   // `answer` was called
    unsigned status;    // the answer, as HTTP knows it: 201, 400, 409, 500, 503
    char why[1400];     // what is wrong
} iso__created_session;

typedef struct iso__created_session_config {
    iso__hosted_config hosted;
    iso__directory *directory;
    struct iso__worker *workers;
    uint32_t worker_count; // set when they are there
    iso__job_thread *session_builder;
    const bool *is_ending; // the server ends
    /// What became of a request: status, why, and with 201 the session. Answers `created->waiter`, if there is one.
    /// Called once for each request.
    void (*answer)(void *user, const iso__created_session *created);
    /// A session is about to start.
    void (*starts)(void *user, iso__hosted *hosted);
    /// A session has left, and is about to be freed.
    void (*leaves)(void *user, const iso__hosted *hosted);
    /// A place was given back.
    void (*vacated)(void *user);
    void *user;
} iso__created_session_config;

typedef struct iso__created_sessions {
    iso__created_session_config config;
    iso__created_session *list;
    uint32_t count;
    iso__affinity io; // the thread that has made the places
} iso__created_sessions;

/// Makes the places. @return false when there is no memory
bool iso__created_session_init(iso__created_sessions *set, uint32_t count);

/// @name At the start
/// @{

/// Continues the sessions whose marks are in the folder, but those that are in the directory. Nothing is changed.
/// @return an exit code; any but ISO__EXIT_DONE follows a message
int iso__created_session_recover(iso__created_sessions *set);

/// Applies the changes to files that this has noted, and removes marks that mean nothing.
void iso__created_session_commit(iso__created_sessions *set);
/// @}

/// Whether the session exists and has a worker. @return NULL: not so
iso__hosted *iso__created_session_session(iso__created_session *created);

/// Whether a session was ended before it was open: it counts for nothing.
bool iso__created_session_has_failed(const iso__hosted *hosted);

/// Whether a session is being created.
bool iso__created_session_is_busy(const iso__created_sessions *set);

/// Takes a request. @param body  copied @param waiter  answered later, unless iso__created_session_forget is called
/// @param who  NULL: nobody in particular
/// @return NULL: there is no place; `*has_memory` is false: there is no memory
iso__created_session *iso__created_session_request(iso__created_sessions *set, const uint8_t *body, size_t size,
                                                   void *waiter, const iso__audit_who *who, bool *has_memory);

/// Nobody waits for the answer any more. The session is created all the same.
void iso__created_session_forget(iso__created_session *created);

/// STARTED, CLOSED and LEFT of a session of this set.
void iso__created_session_hear_started(iso__created_session *created, iso_status status);
void iso__created_session_hear_closed(iso__created_session *created, iso_status status);
void iso__created_session_hear_left(iso__created_session *created);

/// The server ends: who waits is answered. Sessions that are not open yet are ended for good.
void iso__created_session_shut_down(iso__created_sessions *set);

/// Frees. To be called after all threads have ended.
void iso__created_session_term(iso__created_sessions *set);

#endif
