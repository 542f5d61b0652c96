/// What signals do to a server that serves, and the way to its end.
///
///   SIGTERM, SIGINT   not ready at once; who is there is told when --grace is over, and then the sessions are ended. A
///                     second one ends the process
///   SIGHUP            without a terminal: reads again what is read from files, and opens its files anew. With one, as
///                     SIGTERM
///   SIGUSR1           prints the counters
///   SIGUSR2           drains: nobody new, not ready, those who are there are told; ends after --drain as SIGTERM does
///
/// A service manager is told of all this (notify.h). While the server serves, these signals are blocked in all of its
/// threads, and the loop reads them from a descriptor: nothing is interrupted, and none is lost. None of them ends a
/// server that ends by then, but a second SIGTERM or SIGINT that its loop still reads.
#ifndef ISO_HOST_SIGNALS_H
#define ISO_HOST_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "host/watch/notify.h"
#include "isostep/proto/messages.h"

#define ISO__SIGNALS_HEARD 5

struct iso__host;
struct iso__hosted;

typedef struct iso__signals {
    int file; // signalfd(2); -1: not open
    uv_poll_t come;
    sigset_t set, before; // what is read from the file; the mask that the thread had
    bool is_blocked;
    struct sigaction actions[ISO__SIGNALS_HEARD]; // what they did before
    uv_timer_t end;                               // --grace, or that of draining
    uv_timer_t watchdog;                          // of a service manager
    uv_timer_t hourly;                            // for what expires
    iso__notify notify;
    bool has_terminal;                      // SIGHUP ends the server
    bool is_hang_up_kept;                   // it was ignored from the beginning, as under nohup, and stays so
    uint64_t first_ns;                      // when the first signal that ends the server came; 0: none has
    int first;                              // which
    bool is_unready;                        // /readyz says so: the server ends, or is about to
    bool is_draining;                       // nobody new may come
    uint64_t unready_ns;                    // since when
    uint64_t end_ns;                        // when the sessions end, as everybody was told; 0: nobody was
    char end_text[ISO_NOTICE_TEXT_MAX + 1]; // what they were told; "": that the server ends
} iso__signals;

/// Before anything that takes long: a SIGHUP that would only reload must not end a server that is not ready yet.
void iso__signals_prepare(struct iso__host *host);

/// @return false when there is no file descriptor for it
bool iso__signals_open(iso__signals *signals);
/// The loop's handles.
void iso__signals_init(struct iso__host *host);
/// From now on they are heard. The server's other threads must block all signals (base/thread.h); those of a program
/// that has some before it runs a server hand them over.
void iso__signals_serve(struct iso__host *host);
/// The line `ready` is out.
void iso__signals_ready(struct iso__host *host);

/// The server ends. Signals do not keep the loop from ending any more, but are still heard.
void iso__signals_leave(struct iso__host *host);
/// They are heard no more, and wait.
void iso__signals_close(struct iso__host *host);
/// The last step of the end: they do again what they did before. Those that have waited were meant for the server,
/// which has ended as it was asked to: they are dropped.
void iso__signals_restore(struct iso__host *host);

/// Nobody new may come, and who is there is told when the server ends. Another call changes that time.
/// @param text  what they are told; "": only the time
/// @return false when the server ends already
bool iso__signals_drain(struct iso__host *host, uint32_t seconds, const char *text);
/// A session has been created meanwhile: its members are told of the end like the others.
void iso__signals_tell_opened(struct iso__host *host, struct iso__hosted *hosted);

#endif
