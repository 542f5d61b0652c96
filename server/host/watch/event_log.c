/// Two buffers: the workers fill one while the thread writes the other; then they are swapped.
#include "host/watch/event_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "host/watch/log.h"
#include "isostep/assert.h"
#include "isostep/proto/event_text.h"
#include "isostep/proto/recording.h"

// Room after the lines for the one that reports missing ones.
#define DROPPED_LINE_SIZE 64u

static bool refuse(const iso__event_log *log, const char *why) {
    iso__log_error("--events: '%s' %s", log->path, why);
    return false;
}

/// A process that was killed may have left an incomplete line, which is no JSON: it is to be cut off.
static bool cut_line(iso__event_log *log) {
    struct stat status;
    if (fstat(log->file, &status) != 0) {
        return refuse(log, "cannot be read");
    }
    const off_t room = ISO__EVENT_LOG_SIZE, size = status.st_size, begin = size > room ? size - room : 0;
    const ssize_t got = pread(log->file, log->writing, (size_t)(size - begin), begin);
    if (got != size - begin) {
        return refuse(log, "cannot be read");
    }
    const char *end = memrchr(log->writing, '\n', (size_t)got);
    if (end == NULL && begin > 0) {
        return refuse(log,
                      "is a file of another kind: its last line is too long; expected a new or empty file, or one of "
                      "events");
    }
    log->kept_size = end != NULL ? begin + (end + 1 - log->writing) : 0;
    log->cut_size = size;
    return true;
}

/// When the start has gone through: one that fails leaves the file as it is.
static void cut_off(const iso__event_log *log) {
    const off_t kept = log->kept_size, size = log->cut_size;
    struct stat status;
    if (size == 0 || fstat(log->file, &status) != 0 || status.st_size != size) {
        return; // it has grown or shrunk since: by another hand
    }
    if (ftruncate(log->file, kept) != 0) {
        iso__log_warning("--events: the last line of '%s' is incomplete and cannot be cut off: %s", log->path,
                         strerror(errno));
        return;
    }
    iso__log_info("--events: the last line of '%s' was incomplete: its %lld bytes are cut off", log->path,
                  (long long)(size - kept));
}

/// Whether lines may be added to this file. One of another kind, a recording or a key, would be damaged.
static bool take_lines_of(const iso__event_log *log, off_t size, bool can_read, char *last) {
    if (!can_read) {
        return refuse(log, "is not empty and cannot be read, so nothing tells whether it is a file of events; expected "
                           "an empty file, or one that may be read");
    }
    char first = '\0';
    if (pread(log->file, &first, 1, 0) != 1 || pread(log->file, last, 1, size - 1) != 1) {
        return refuse(log, "cannot be read");
    }
    if (first != '{') {
        return refuse(log, "is a file of another kind: its first byte is not '{'; expected a new or empty file, or one "
                           "of events");
    }
    return true;
}

/// Opens a regular file, or a device such as /dev/null. Opening a FIFO would wait for its reader.
/// @param last  its last byte, unless it is empty
static bool open_file(iso__event_log *log, char *last) {
    const int flags = O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;
    log->file = open(log->path, O_RDWR | flags, 0666);
    const bool can_read = log->file >= 0;
    if (!can_read && errno == EACCES) {
        log->file = open(log->path, O_WRONLY | flags, 0666);
    }
    struct stat status;
    if (log->file < 0 || fstat(log->file, &status) != 0) {
        iso__log_error("--events: '%s' cannot be opened: %s", log->path, strerror(errno));
        return false;
    }
    log->is_own = true;
    if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode)) {
        return refuse(log, "is no regular file");
    }
    return !S_ISREG(status.st_mode) || status.st_size == 0 || take_lines_of(log, status.st_size, can_read, last);
}

bool iso__event_log_open(iso__event_log *log, const char *path) {
    *log = (iso__event_log){.path = path, .file = -1};
    pthread_mutex_init(&log->mutex, NULL);
    iso__gate_init(&log->gate);
    log->filling = malloc(ISO__EVENT_LOG_SIZE + DROPPED_LINE_SIZE);
    log->writing = malloc(ISO__EVENT_LOG_SIZE + DROPPED_LINE_SIZE);
    if (log->filling == NULL || log->writing == NULL || !iso__queue_init(&log->wakes, 1, 1) ||
        !iso__queue_init(&log->ends, 1, 1)) {
        iso__log_error("out of memory");
        return false;
    }
    char last = '\n';
    if (strcmp(path, "-") != 0 && !open_file(log, &last)) {
        return false;
    }
    if (last != '\n' && !cut_line(log)) {
        return false;
    }
    if (log->is_own) {
        return true;
    }
    log->file = STDOUT_FILENO;
    return true;
}

void iso__event_log_term(iso__event_log *log) {
    ISO_ASSERT(!log->is_running);
    if (log->is_own) {
        close(log->file);
    }
    iso__queue_term(&log->wakes);
    iso__queue_term(&log->ends);
    free(log->filling);
    free(log->writing);
    pthread_mutex_destroy(&log->mutex);
    *log = (iso__event_log){.file = -1};
}

// ---- adding ----------------------------------------------------------------------------------------------

/// The caller holds the mutex.
static bool has_room(const iso__event_log *log, size_t size) {
    // After a missing line nothing may be added until the line that reports it is.
    return log->dropped == 0 && size <= ISO__EVENT_LOG_SIZE - log->filled;
}

static void wake(iso__event_log *log) {
    // When it is full the thread is already awake.
    iso__queue_push(&log->wakes, &(uint8_t){0}, 0);
}

/// @param text  ends with a newline
/// @return false when it found no room, and was counted
static bool add(iso__event_log *log, const char *text, size_t size) {
    pthread_mutex_lock(&log->mutex);
    const bool is_added = has_room(log, size);
    if (is_added) {
        memcpy(log->filling + log->filled, text, size);
        log->filled += size;
    } else {
        ++log->dropped;
    }
    pthread_mutex_unlock(&log->mutex);
    wake(log);
    return is_added;
}

static size_t make_dropped_line(char *text, uint64_t count) {
    return (size_t)snprintf(text, DROPPED_LINE_SIZE, "{\"dropped\":%" PRIu64 "}\n", count);
}

/// Counts lines that are not made. Where there is room their number stands at once, so that other sessions' lines may
/// follow.
static void add_dropped(iso__event_log *log, uint64_t count) {
    char text[DROPPED_LINE_SIZE];
    const size_t size = make_dropped_line(text, count);
    pthread_mutex_lock(&log->mutex);
    if (has_room(log, size)) {
        memcpy(log->filling + log->filled, text, size);
        log->filled += size;
        log->dropped_total += count;
    } else {
        log->dropped += count;
    }
    pthread_mutex_unlock(&log->mutex);
    wake(log);
}

static bool is_dropping(iso__event_log *log) {
    pthread_mutex_lock(&log->mutex);
    const bool is_dropping = !has_room(log, DROPPED_LINE_SIZE);
    pthread_mutex_unlock(&log->mutex);
    return is_dropping;
}

void iso__event_log_begin(iso__event_log *log, const char *session, const uint8_t *uid, uint32_t epoch, uint64_t tick) {
    ISO_ASSERT(log->wakes.capacity > 0); // it is open
    char hex[2 * ISO_RECORDING_UID_SIZE + 1], date[24], text[256];
    struct timespec now;
    struct tm utc;
    for (size_t i = 0; i < ISO_RECORDING_UID_SIZE; ++i) {
        snprintf(hex + 2 * i, 3, "%02x", uid[i]);
    }
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    int size = snprintf(text, sizeof text,
                        "{\"session\":\"%s\",\"tick\":%" PRIu64 ",\"begin\":{\"uid\":\"%s\",\"epoch\":%" PRIu32
                        ",\"time\":\"%s.%03ldZ\"}}\n",
                        session, tick, hex, epoch, date, now.tv_nsec / 1000000);
    add(log, text, (size_t)size);
}

void iso__event_log_tick(iso__event_log *log, const char *session, const iso_world *world, const iso_event_view *view) {
    ISO_ASSERT(log->wakes.capacity > 0); // it is open
    char text[ISO_EVENT_TEXT_SIZE + 1];
    const uint32_t count = iso_event_view_count(world, view);
    const uint32_t bound = count < ISO__EVENT_LOG_TICK_LINES ? count : ISO__EVENT_LOG_TICK_LINES;
    // To make a line takes time from the session's ticks: none is made for nothing.
    bool has_room = count > 0 && !is_dropping(log);
    uint32_t told = 0;
    while (has_room && told < bound) {
        size_t size = iso_event_view_to_json(world, view, told++, session, text);
        text[size++] = '\n';
        has_room = add(log, text, size);
    }
    if (told < count) {
        add_dropped(log, count - told);
    }
}

// ---- writing ---------------------------------------------------------------------------------------------

/// Takes the waiting lines when all lines taken before are written. @return whether the thread is to stop
static bool swap(iso__event_log *log) {
    pthread_mutex_lock(&log->mutex);
    if (log->written == log->size) {
        char *full = log->filling;
        log->filling = log->writing;
        log->writing = full;
        log->size = log->filled;
        log->written = log->filled = 0;
        if (log->dropped > 0) {
            log->size += make_dropped_line(full + log->size, log->dropped);
        }
        log->dropped_total += log->dropped;
        log->dropped = 0;
    }
    const bool is_stopping = log->is_stopping;
    pthread_mutex_unlock(&log->mutex);
    return is_stopping;
}

/// Continues where the last write stopped. A failure is logged once, until a write succeeds again.
static void write_some(iso__event_log *log) {
    while (log->written < log->size) {
        ssize_t size = write(log->file, log->writing + log->written, log->size - log->written);
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size <= 0) {
            if (log->retry_ns == 0) {
                iso__log_warning(
                    "--events: '%s' cannot be written: %s; writing is tried again, and lines that do not fit "
                    "meanwhile are counted",
                    log->path, strerror(size < 0 ? errno : ENOSPC));
            }
            log->retry_ns = iso__clock_now() + ISO__EVENT_LOG_RETRY_NS;
            return;
        }
        log->written += (size_t)size;
    }
    if (log->retry_ns != 0) {
        iso__log_info("--events: '%s' can be written again", log->path);
    }
    log->retry_ns = 0;
}

/// Takes the file that has the path now in the place of the one that is open. When that fails the open one is kept.
static void reopen(iso__event_log *log) {
    pthread_mutex_lock(&log->mutex);
    const bool is_due = log->is_reopened;
    log->is_reopened = false;
    pthread_mutex_unlock(&log->mutex);
    if (!is_due || !log->is_own) {
        return;
    }
    const int before = log->file;
    char first = '\n';
    if (open_file(log, &first)) {
        close(before);
        if (first != '\n') {
            (void)!write(log->file, "\n", 1);
        }
        return;
    }
    if (log->file >= 0) {
        close(log->file);
    }
    log->file = before;
}

/// @return false when the thread is to end
static bool turn(iso__event_log *log) {
    uint8_t item;
    iso__queue_pop_some(&log->wakes, &item, 1, log->retry_ns != 0 ? log->retry_ns : UINT64_MAX);
    // While writes fail, added lines do not wake the thread: each wake-up would be another attempt.
    if (log->retry_ns == 0 || iso__clock_now() >= log->retry_ns) {
        write_some(log);
    }
    if (log->written == log->size) {
        reopen(log);
    }
    const bool is_stopping = swap(log);
    if (log->retry_ns == 0 || is_stopping) {
        write_some(log);
    }
    return !is_stopping;
}

static void *event_log_main(void *argument) {
    iso__event_log *log = argument;
    if (iso__gate_wait(&log->gate)) {
        while (turn(log)) {
            ;
        }
        // Lines that were added while the last ones were written.
        (void)swap(log);
        write_some(log);
    }
    iso__queue_push(&log->ends, &(uint8_t){0}, 0);
    return NULL;
}

int iso__event_log_start(iso__event_log *log) {
    ISO_ASSERT(!log->is_running && !log->serves);
    int error = iso__thread_start(&log->thread, event_log_main, log);
    log->is_running = error == 0;
    return error;
}

void iso__event_log_serve(iso__event_log *log) {
    ISO_ASSERT(log->is_running && !log->serves);
    log->serves = true;
    cut_off(log);
    iso__gate_set(&log->gate, ISO__GATE_OPEN);
}

void iso__event_log_reopen(iso__event_log *log) {
    ISO_ASSERT(log->wakes.capacity > 0);
    pthread_mutex_lock(&log->mutex);
    log->is_reopened = true;
    pthread_mutex_unlock(&log->mutex);
    wake(log);
}

static uint64_t count_lines(const char *text, size_t size) {
    uint64_t count = 0;
    for (size_t i = 0; i < size; ++i) {
        count += text[i] == '\n';
    }
    return count;
}

bool iso__event_log_stop(iso__event_log *log, uint32_t timeout_ms) {
    ISO_ASSERT(!log->is_running || log->ends.capacity > 0);
    if (!log->is_running) {
        return true;
    }
    pthread_mutex_lock(&log->mutex);
    log->is_stopping = true;
    pthread_mutex_unlock(&log->mutex);
    iso__gate_set(&log->gate, ISO__GATE_GIVEN_UP);
    iso__queue_push(&log->wakes, &(uint8_t){0}, 0);
    const uint64_t deadline_ns = iso__clock_now() + (uint64_t)timeout_ms * ISO__NS_PER_MS;
    uint8_t end;
    bool has_ended = false;
    // A wake without an item ends a wait, too.
    while (!has_ended && iso__clock_now() < deadline_ns) {
        has_ended = iso__queue_pop_some(&log->ends, &end, 1, deadline_ns) == 1;
    }
    if (!has_ended) {
        iso__log_warning("--events: '%s' cannot be written any more: its last lines are missing", log->path);
        return false;
    }
    pthread_join(log->thread, NULL);
    log->is_running = false;
    const uint64_t unwritten = count_lines(log->writing + log->written, log->size - log->written) +
                               count_lines(log->filling, log->filled) + log->dropped;
    if (log->serves && unwritten + log->dropped_total > 0) {
        iso__log_warning("--events: '%s': %" PRIu64 " line%s missing", log->path, unwritten + log->dropped_total,
                         unwritten + log->dropped_total == 1 ? " is" : "s are");
    }
    return true;
}
