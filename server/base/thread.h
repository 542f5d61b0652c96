/// Threads of the server beside the first one. Signals of the process are the first thread's: a signal that another
/// thread takes interrupts what that thread does, and under the thread sanitizer, which keeps a signal until its thread
/// is at rest, one that came to a thread that waits was lost.
#ifndef ISO_BASE_THREAD_H
#define ISO_BASE_THREAD_H

#include <pthread.h>

/// As pthread_create, with all signals blocked in the new thread. @return 0 or an errno value
int iso__thread_start(pthread_t *thread, void *(*body)(void *), void *argument);

#endif
