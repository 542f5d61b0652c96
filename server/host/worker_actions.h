/// What the worker's two files share.
#ifndef ISO_HOST_WORKER_ACTIONS_H
#define ISO_HOST_WORKER_ACTIONS_H

#include "host/worker.h"

/// Carries out all actions that the session has.
void iso__worker_act(iso__worker *worker);

/// Waits while the queue is full.
void iso__worker_push_outbound(iso__worker *worker, const iso__outbound *item);

#endif
