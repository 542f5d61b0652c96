/// What others hand in to a worker: from the I/O thread and the writer's.
#ifndef ISO_HOST_WORKER_INBOX_H
#define ISO_HOST_WORKER_INBOX_H

#include "host/sessions/worker.h"

/// Hands in an item that may be refused, for `item->hosted`.
/// @param urgent  wakes the worker; else it finds the item before its next tick
/// @return false when there is no room; the I/O thread is woken when there is again. The block then still belongs to
/// the caller.
bool iso__worker_offer(iso__worker *worker, iso__inbound *item, bool urgent);

/// Whether iso__worker_offer would take an item of the session now, of any size; if not, the I/O thread is woken when
/// it would.
bool iso__worker_has_room(iso__hosted *hosted);

/// Hands in an item that must not be lost; uses the reserve. From any thread; wakes the worker.
void iso__worker_post(iso__worker *worker, const iso__inbound *item);

/// Wakes the worker if an urgent item was handed in since it last looked.
void iso__worker_wake_nudged(iso__worker *worker);

/// For iso__recording_config: posts ISO__INBOUND_RECORDER. @param user  the iso__hosted
void iso__worker_hear_recording(void *user);
/// The same of ISO__INBOUND_RETIRED.
void iso__worker_hear_retired(void *user);

/// Lets a session leave that has closed and has no peers any more, if it may. On the I/O thread, when one of the two
/// has become true.
void iso__worker_let_go(iso__hosted *hosted);

#endif
