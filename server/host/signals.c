#include "host/signals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/clock.h"
#include "host/host.h"
#include "host/sessions.h"
#include "host/start/exit.h"
#include "host/watch/log.h"
#include "host/watch/terminal.h"
#include "isostep/proto/text.h"

// The same signal so soon after the first one does not count: timeout(1) signals the process and then its group.
#define SAME_SIGNAL_NS UINT64_C(100000000)
#define SAME_END_NS    UINT64_C(1000000000) // nobody is told again of an end that moves by less
#define MS_PER_S       UINT64_C(1000)
#define HOUR_MS        (3600 * MS_PER_S)

static const int heard[ISO__SIGNALS_HEARD] = {SIGHUP, SIGTERM, SIGINT, SIGUSR1, SIGUSR2};

static pthread_t reader; // who reads the descriptor; set before hand_over can be called

static const char *name_of(int number) {
    return number == SIGTERM ? "SIGTERM" : number == SIGHUP ? "SIGHUP" : "SIGINT";
}

void iso__signals_prepare(iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    iso__signals *signals = &host->signals;
    iso__notify_open(&signals->notify);
    for (size_t i = 0; i < ISO__SIGNALS_HEARD; ++i) {
        sigaction(heard[i], NULL, &signals->actions[i]);
    }
    signals->has_terminal = iso__terminal_is_there();
    signals->is_hang_up_kept = signals->actions[0].sa_handler == SIG_IGN;
    if (!signals->has_terminal) {
        signal(SIGHUP, SIG_IGN);
    }
}

// ---- The end ----------------------------------------------------------------------------------------

static void end_sessions(iso__host *host) {
    iso__host_shut_down(host, host->options.begins_new != 0 ? ISO_OK : ISO_ERR_RESTARTING);
}

static void on_end(uv_timer_t *timer) {
    iso__host *host = timer->data;
    if (host->signals.first == 0) {
        iso__log_info("drained: ending");
    }
    iso__notify_say(&host->signals.notify, "STOPPING=1\n");
    end_sessions(host);
}

/// Tells the members of a session when it ends, or those of all; the sessions tell it those who come later.
static void tell_end(iso__host *host, iso__hosted *hosted) {
    const iso__signals *signals = &host->signals;
    const uint64_t now = iso__clock_now();
    const uint64_t left_ms = signals->end_ns > now ? (signals->end_ns - now) / ISO__NS_PER_MS : 0;
    iso_message_notice notice = {.deadline_ms = left_ms > 0 ? (uint32_t)left_ms : 1}; // 0: none
    snprintf(notice.text, sizeof notice.text, "%s",
             signals->end_text[0] != '\0' ? signals->end_text : "the server ends");
    const uint32_t missed = iso__peers_tell(&host->peers, hosted, 0, &notice);
    if (missed > 0) {
        iso__log_warning("%" PRIu32 " session%s cannot be told of the end, since too many messages wait there", missed,
                         iso_text_plural(missed));
    }
}

/// The sessions end then. What everybody has been told already is not told again.
/// @param text  what they are told; "": what they have been, or that the server ends
static void set_end(iso__host *host, uint64_t left_ms, const char *text) {
    iso__signals *signals = &host->signals;
    const uint64_t end_ns = iso__clock_now() + left_ms * ISO__NS_PER_MS;
    const bool is_told = signals->end_ns != 0 && text[0] == '\0' && end_ns + SAME_END_NS > signals->end_ns &&
                         end_ns < signals->end_ns + SAME_END_NS;
    uv_update_time(signals->end.loop); // or the timer would count from the beginning of the loop's turn
    uv_timer_start(&signals->end, on_end, left_ms, 0);
    signals->end_ns = end_ns;
    if (text[0] != '\0') {
        snprintf(signals->end_text, sizeof signals->end_text, "%s", text);
    }
    if (!is_told) {
        tell_end(host, NULL);
    }
}

void iso__signals_tell_opened(iso__host *host, iso__hosted *hosted) {
    ISO__ASSERT_ON(&host->io);
    ISO_ASSERT(hosted->is_created);
    if (host->signals.end_ns != 0 && !host->is_ending) {
        tell_end(host, hosted);
    }
}

static void be_unready(iso__signals *signals) {
    if (!signals->is_unready) {
        signals->unready_ns = iso__clock_now();
    }
    signals->is_unready = true;
}

/// The time since which the server is not ready counts. One that ends already has nobody left to wait for.
static void end_after_grace(iso__host *host) {
    iso__signals *signals = &host->signals;
    be_unready(signals);
    iso__notify_say(&signals->notify, "STOPPING=1\n");
    const uint64_t waited = (iso__clock_now() - signals->unready_ns) / ISO__NS_PER_MS;
    const uint64_t grace = host->options.grace_seconds * MS_PER_S;
    if (waited >= grace || host->is_ending) {
        uv_timer_stop(&signals->end);
        end_sessions(host);
        return;
    }
    iso__log_info("not ready; the sessions end in %" PRIu64 " s", (grace - waited + MS_PER_S - 1) / MS_PER_S);
    set_end(host, grace - waited, "");
}

/// The first signal ends the sessions, a second one ends at once.
static void terminate(iso__host *host, int number) {
    iso__signals *signals = &host->signals;
    const uint64_t now = iso__clock_now();
    if (signals->first_ns == 0) {
        signals->first_ns = now;
        signals->first = number;
    } else if (number == signals->first && now - signals->first_ns < SAME_SIGNAL_NS) {
        return;
    } else {
        iso__log_info("ended at once by a second signal; unsealed recordings stay as they are");
        _exit(ISO__EXIT_TROUBLE);
    }
    iso__log_info("%s: ending", name_of(number));
    end_after_grace(host);
}

bool iso__signals_drain(iso__host *host, uint32_t seconds, const char *text) {
    ISO__ASSERT_ON(&host->io);
    ISO_ASSERT(host->started_ns != 0 && seconds > 0);
    iso__signals *signals = &host->signals;
    if (host->is_ending || signals->first_ns != 0) {
        return false;
    }
    be_unready(signals);
    signals->is_draining = true;
    const uint64_t time = seconds > host->options.grace_seconds ? seconds : host->options.grace_seconds;
    iso__log_info("draining: nobody new may join; the sessions end in %" PRIu64 " s", time);
    iso__notify_say(&signals->notify, "STATUS=Draining\n");
    set_end(host, time * MS_PER_S, text);
    return true;
}

// ---- What goes on afterwards ------------------------------------------------------------------------

static void reload(iso__host *host) {
    const iso__options *options = &host->options;
    iso__notify_reloading(&host->signals.notify);
    bool is_new = options->log_path == NULL || iso__log_open(options->log_path);
    is_new = iso__bans_reload(&host->bans) && is_new;
    is_new = iso__audit_reopen(&host->audit) && is_new;
    iso__audit_expire(&host->audit, (int64_t)time(NULL));
#ifdef ISO__HTTP
    is_new = iso__tokens_reload(&host->tokens) && is_new;
#endif
    // Whoever was put into the file is to go.
    for (uint32_t i = 0; i < host->bans.count; ++i) {
        if (host->bans.list[i].until_s == 0 || host->bans.list[i].until_s > (int64_t)time(NULL)) {
            iso__peers_enforce(&host->peers, &host->bans.list[i]);
        }
    }
    if (host->has_events) {
        iso__event_log_reopen(&host->events);
    }
    iso__log_info("SIGHUP: %s", is_new ? "reloaded" : "reloaded, but for what is said above");
    iso__notify_say(&host->signals.notify, "READY=1\n");
}

static void hear(iso__host *host, int number) {
    if (number == SIGUSR1) {
        iso__counters_print(&host->counters);
    } else if (number == SIGUSR2) {
        iso__signals_drain(host, host->options.drain_seconds, "");
    } else if (number == SIGHUP && !host->signals.has_terminal) {
        reload(host);
    } else {
        terminate(host, number);
    }
}

static void on_come(uv_poll_t *handle, int status, int events) {
    iso__host *host = handle->data;
    struct signalfd_siginfo come;
    (void)status;
    (void)events;
    while (read(host->signals.file, &come, sizeof come) == (ssize_t)sizeof come) {
        hear(host, (int)come.ssi_signo);
    }
}

static void on_watchdog(uv_timer_t *timer) {
    iso__host *host = timer->data;
    iso__notify_say(&host->signals.notify, "WATCHDOG=1\n");
}

static void on_hour(uv_timer_t *timer) {
    iso__host *host = timer->data;
    iso__audit_expire(&host->audit, (int64_t)time(NULL));
}

// ---- The handles ------------------------------------------------------------------------------------

bool iso__signals_open(iso__signals *signals) {
    ISO_ASSERT(!signals->is_blocked && signals->first_ns == 0);
    sigemptyset(&signals->set);
    for (size_t i = 0; i < ISO__SIGNALS_HEARD; ++i) {
        // A server under nohup must ignore SIGHUP.
        if (heard[i] != SIGHUP || !signals->is_hang_up_kept) {
            sigaddset(&signals->set, heard[i]);
        }
    }
    signals->file = signalfd(-1, &signals->set, SFD_NONBLOCK | SFD_CLOEXEC);
    return signals->file >= 0;
}

void iso__signals_init(iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    iso__signals *signals = &host->signals;
    uv_poll_init(&host->loop, &signals->come, signals->file);
    signals->come.data = host;
    uv_timer_init(&host->loop, &signals->end);
    uv_timer_init(&host->loop, &signals->watchdog);
    uv_timer_init(&host->loop, &signals->hourly);
    signals->end.data = signals->watchdog.data = signals->hourly.data = host;
}

/// In a thread of the program, from before the server: it does not block what the server reads, so the kernel chose it.
static void hand_over(int number) {
    const int error = errno;
    pthread_kill(reader, number);
    errno = error;
}

void iso__signals_serve(iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    ISO_ASSERT(host->is_loop_open && !host->signals.is_unready);
    iso__signals *signals = &host->signals;
    signals->is_blocked = pthread_sigmask(SIG_BLOCK, &signals->set, &signals->before) == 0;
    reader = pthread_self();
    struct sigaction action = {.sa_handler = hand_over, .sa_flags = SA_RESTART};
    sigfillset(&action.sa_mask);
    for (size_t i = 0; i < ISO__SIGNALS_HEARD; ++i) {
        if (sigismember(&signals->set, heard[i]) == 1) {
            sigaction(heard[i], &action, NULL);
        }
    }
    uv_poll_start(&signals->come, UV_READABLE, on_come);
}

void iso__signals_ready(iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    ISO_ASSERT(host->is_loop_open && host->peers.is_open);
    iso__signals *signals = &host->signals;
    char text[160];
    snprintf(text, sizeof text, "READY=1\nSTATUS=Serving on %.100s\n", host->peers.listener->address);
    iso__notify_say(&signals->notify, text);
    // Twice as often as it is expected, as sd_watchdog_enabled(3) advises.
    const uint64_t interval = signals->notify.watchdog_us / 2 / MS_PER_S;
    if (interval > 0) {
        uv_timer_start(&signals->watchdog, on_watchdog, interval, interval);
    }
    uv_timer_start(&signals->hourly, on_hour, 0, HOUR_MS);
}

void iso__signals_leave(iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    ISO_ASSERT(host->is_loop_open);
    iso__signals *signals = &host->signals;
    uv_unref((uv_handle_t *)&signals->come);
    uv_timer_stop(&signals->end);
    uv_unref((uv_handle_t *)&signals->watchdog);
    uv_unref((uv_handle_t *)&signals->hourly);
}

void iso__signals_close(iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    ISO_ASSERT(host->is_loop_open);
    iso__signals *signals = &host->signals;
    uv_close((uv_handle_t *)&signals->come, NULL);
    uv_close((uv_handle_t *)&signals->end, NULL);
    uv_close((uv_handle_t *)&signals->watchdog, NULL);
    uv_close((uv_handle_t *)&signals->hourly, NULL);
}

void iso__signals_restore(iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    iso__signals *signals = &host->signals;
    struct signalfd_siginfo come;
    for (size_t i = 0; i < ISO__SIGNALS_HEARD; ++i) {
        sigaction(heard[i], &signals->actions[i], NULL);
    }
    if (signals->is_blocked) {
        while (read(signals->file, &come, sizeof come) == (ssize_t)sizeof come) {
        }
        pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
    }
    if (signals->file >= 0) {
        close(signals->file);
    }
}
