/// What the worker's files share.
#ifndef ISO_HOST_WORKER_ACTIONS_H
#define ISO_HOST_WORKER_ACTIONS_H

#include "host/worker.h"

/// Carries out all actions that the session has.
void iso__worker_act(iso__hosted *hosted);

/// Tells the session something, and carries out what follows from it.
void iso__worker_hand_in(iso__hosted *hosted, uint64_t now, const iso_session_event *event);

/// Goes out with the next flush.
void iso__worker_push_outbound(iso__worker *worker, const iso__outbound *item);

/// Hands out what was pushed; waits while the queue is full.
void iso__worker_flush(iso__worker *worker);

#endif
