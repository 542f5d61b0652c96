/// What the worker's files share.
#ifndef ISO_HOST_WORKER_ACTIONS_H
#define ISO_HOST_WORKER_ACTIONS_H

#include "host/sessions/worker.h"

/// Carries out all actions that the session has.
void iso__worker_act(iso__hosted *hosted);

/// Hands the session an event, and carries out the resulting actions.
void iso__worker_hand_in(iso__hosted *hosted, uint64_t now, const iso_session_event *event);

/// Writes a line that a session has for the log.
void iso__worker_log(const iso__hosted *hosted, const iso_session_note *note);

/// Sent with the next flush.
void iso__worker_push_outbound(iso__worker *worker, const iso__outbound *item);

/// Pushes the pending items; waits while the queue is full.
void iso__worker_flush(iso__worker *worker);

#endif
