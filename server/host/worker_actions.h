/// What the worker's two files share.
#ifndef ISO_HOST_WORKER_ACTIONS_H
#define ISO_HOST_WORKER_ACTIONS_H

#include "host/worker.h"

/// Carries out all actions that the session has.
void iso__worker_act(iso__hosted *hosted);

/// Goes out with the next flush.
void iso__worker_push_outbound(iso__worker *worker, const iso__outbound *item);

/// Hands out what was pushed; waits while the queue is full.
void iso__worker_flush(iso__worker *worker);

#endif
