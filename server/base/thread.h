/// Threads of the server beside the first one. They block all signals: one that another thread takes would interrupt
/// what that thread does, and those of a server are read by its loop (host/signals.h).
#ifndef ISO_BASE_THREAD_H
#define ISO_BASE_THREAD_H

#include <pthread.h>

/// As pthread_create, with all signals blocked in the new thread. @return 0 or an errno value
int iso__thread_start(pthread_t *thread, void *(*body)(void *), void *argument);

#endif
