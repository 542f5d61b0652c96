/// A line may contain text that a peer has sent, so unprintable characters are replaced: a terminal would execute
/// escape sequences in a log.
#include "host/watch/log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/watch/log_limit.h"
#include "isostep/assert.h"
#include "isostep/proto/text.h"

#define MESSAGE_SIZE_MAX 1001u
// Each byte of a message may need six in JSON; the rest of the line is bounded.
#define LINE_SIZE_MAX (MESSAGE_SIZE_MAX * 6u + 1024u)

static const char *const level_names[] = {"debug", "info", "warning", "error"};

typedef struct log_place {
    uint64_t connection; // 0: free
    char address[ISO__LOG_ADDRESS_SIZE];
} log_place;

typedef struct log_line {
    char text[LINE_SIZE_MAX];
    size_t size;
} log_line;

static struct {
    pthread_mutex_t mutex;
    int file; // --log-file; 0: standard error
    bool json;
    log_place places[ISO__LOG_CONNECTIONS];
    iso__log_limit limit;
    log_line line;
    char message[MESSAGE_SIZE_MAX];
} log_state = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void iso__log_set_json(bool json) {
    pthread_mutex_lock(&log_state.mutex);
    log_state.json = json;
    pthread_mutex_unlock(&log_state.mutex);
}

void iso__log_format_address(const iso__address *address, char text[ISO__LOG_ADDRESS_SIZE]) {
    ISO_ASSERT(address->family != ISO__ADDRESS_NONE);
    char host[INET6_ADDRSTRLEN] = "";
    if (address->family == ISO__ADDRESS_IPV4) {
        inet_ntop(AF_INET, address->bytes + 12, host, sizeof host);
        snprintf(text, ISO__LOG_ADDRESS_SIZE, "%s:%u", host, address->port);
    } else if (address->family == ISO__ADDRESS_IPV6) {
        inet_ntop(AF_INET6, address->bytes, host, sizeof host);
        snprintf(text, ISO__LOG_ADDRESS_SIZE, "[%s]:%u", host, address->port);
    } else {
        snprintf(text, ISO__LOG_ADDRESS_SIZE, "?");
    }
}

void iso__log_set_connection(uint64_t connection, const iso__address *address) {
    ISO_ASSERT(connection != 0);
    pthread_mutex_lock(&log_state.mutex);
    log_place *place = &log_state.places[connection % ISO__LOG_CONNECTIONS];
    place->connection = connection;
    iso__log_format_address(address, place->address);
    pthread_mutex_unlock(&log_state.mutex);
}

bool iso__log_open(const char *path) {
    struct stat about;
    // Opening a FIFO would wait for its reader.
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    const char *why = NULL;
    if (file < 0 || fstat(file, &about) != 0) {
        why = strerror(errno);
    } else if (!S_ISREG(about.st_mode) && !S_ISCHR(about.st_mode)) {
        why = "it is no regular file";
    }
    if (why != NULL) {
        iso__log_error("--log-file: '%s' cannot be opened: %s", path, why);
        if (file >= 0) {
            close(file);
        }
        return false;
    }
    pthread_mutex_lock(&log_state.mutex);
    const int before = log_state.file;
    log_state.file = file;
    pthread_mutex_unlock(&log_state.mutex);
    if (before > 0) {
        close(before);
    }
    return true;
}

/// "" when it is unknown.
static const char *log_address(uint64_t connection) {
    const log_place *place = &log_state.places[connection % ISO__LOG_CONNECTIONS];
    return connection != 0 && place->connection == connection ? place->address : "";
}

__attribute__((format(printf, 2, 3))) static void line_add(log_line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line->text + line->size, sizeof line->text - line->size, format, arguments);
    va_end(arguments);
    if (size > 0) {
        line->size += (size_t)size;
    }
    if (line->size >= sizeof line->text) {
        line->size = sizeof line->text - 1;
    }
}

/// A JSON string with its quotes, of printable characters.
static void line_add_string(log_line *line, const char *text) {
    line_add(line, "\"");
    for (; *text != '\0'; ++text) {
        if (*text == '"' || *text == '\\') {
            line_add(line, "\\%c", *text);
        } else {
            line_add(line, "%c", *text);
        }
    }
    line_add(line, "\"");
}

static void line_add_time(log_line *line) {
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    char date[24];
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc);
    line_add(line, "%s.%03ldZ", date, now.tv_nsec / 1000000);
}

static void line_make_text(log_line *line, const iso__log_about *about, const char *address) {
    line_add_time(line);
    line_add(line, " isostep-server: %s: ", level_names[about->level & 3]);
    if (about->session != NULL) {
        line_add(line, "session %s: ", about->session);
    }
    line_add(line, "%s", log_state.message);
    if (about->connection != 0) {
        line_add(line, " [connection %" PRIu64 "%s%s]", about->connection, address[0] != '\0' ? " from " : "", address);
    } else if (address[0] != '\0') {
        line_add(line, " [from %s]", address);
    }
    if (about->code != ISO_OK) {
        line_add(line, " [%s]", iso_status_name(about->code));
    }
}

static void line_make_json(log_line *line, const iso__log_about *about, const char *address) {
    line_add(line, "{\"time\":\"");
    line_add_time(line);
    line_add(line, "\",\"level\":\"%s\"", level_names[about->level & 3]);
    if (about->session != NULL) {
        line_add(line, ",\"session\":");
        line_add_string(line, about->session);
    }
    if (about->connection != 0) {
        line_add(line, ",\"connection\":%" PRIu64, about->connection);
    }
    if (address[0] != '\0') {
        line_add(line, ",\"address\":\"%s\"", address);
    }
    if (about->code != ISO_OK) {
        line_add(line, ",\"code\":\"%s\"", iso_status_name(about->code));
    }
    line_add(line, ",\"message\":");
    line_add_string(line, log_state.message);
    line_add(line, "}");
}

/// Writes the line for the message in log_state.
static void log_write(const iso__log_about *about, const char *address) {
    log_line *line = &log_state.line;
    line->size = 0;
    iso_text_make_printable(log_state.message);
    (log_state.json ? line_make_json : line_make_text)(line, about, address);
    line->text[line->size++] = '\n';
    // When the log cannot be written the server continues.
    ssize_t written = write(log_state.file > 0 ? log_state.file : STDERR_FILENO, line->text, line->size);
    (void)written;
}

/// The address without its port, which a peer can choose.
static void address_cut(const char *address, char host[ISO__LOG_ADDRESS_SIZE]) {
    snprintf(host, ISO__LOG_ADDRESS_SIZE, "%s", address);
    char *end = strrchr(host, ':');
    if (end != NULL) {
        *end = '\0';
    }
}

static void log_tell_left_out(uint64_t now) {
    iso__log_limit_entry entry;
    while (iso__log_limit_pop(&log_state.limit, now, &entry)) {
        const char *about = entry.is_for_all           ? "all addresses"
                            : entry.subject[0] != '\0' ? entry.subject
                                                       : "unknown addresses";
        snprintf(log_state.message, sizeof log_state.message,
                 "%" PRIu64 " more line%s like this about %s %s suppressed", entry.left_out,
                 iso_text_plural(entry.left_out), about, entry.left_out == 1 ? "was" : "were");
        log_write(&(iso__log_about){.level = ISO__LOG_INFO, .code = entry.code}, "");
    }
}

/// Whether the line's kind is within its limit.
static bool log_may_write(const iso__log_about *about, const char *address) {
    char subject[ISO__LOG_ADDRESS_SIZE];
    uint64_t now = iso__clock_now();
    const bool is_peer = about->connection != 0 || about->address != NULL;
    if (!is_peer && about->session == NULL) {
        return true;
    }
    log_tell_left_out(now);
    if (is_peer) {
        address_cut(address, subject);
    } else {
        snprintf(subject, sizeof subject, "session %.50s", about->session);
    }
    return iso__log_limit_take(&log_state.limit, about->code, subject, is_peer, now);
}

// Of each thread: where its errors go.
static _Thread_local char *diverted;
static _Thread_local size_t diverted_size;

void iso__log_divert(char *text, size_t capacity) {
    ISO_ASSERT((text == NULL) == (capacity == 0));
    diverted = text;
    diverted_size = capacity;
}

void iso__log(const iso__log_about *about, const char *format, ...) {
    ISO_ASSERT(about->level <= ISO__LOG_ERROR && (about->connection == 0 || about->address == NULL));
    if (about->level == ISO__LOG_DEBUG) {
        return;
    }
    int saved_errno = errno;
    char own_address[ISO__LOG_ADDRESS_SIZE];
    if (diverted != NULL && about->level == ISO__LOG_ERROR) {
        va_list arguments;
        va_start(arguments, format);
        if (diverted[0] == '\0') {
            vsnprintf(diverted, diverted_size, format, arguments);
        }
        va_end(arguments);
        errno = saved_errno;
        return;
    }
    if (about->address != NULL) {
        iso__log_format_address(about->address, own_address);
    }
    pthread_mutex_lock(&log_state.mutex);
    const char *address = about->address != NULL ? own_address : log_address(about->connection);
    if (log_may_write(about, address)) {
        va_list arguments;
        va_start(arguments, format);
        errno = saved_errno;
        int size = vsnprintf(log_state.message, sizeof log_state.message, format, arguments);
        va_end(arguments);
        if (size >= 0) {
            log_write(about, address);
        }
    }
    pthread_mutex_unlock(&log_state.mutex);
    errno = saved_errno;
}

void iso__log_flush(uint64_t now) {
    pthread_mutex_lock(&log_state.mutex);
    log_tell_left_out(now);
    pthread_mutex_unlock(&log_state.mutex);
}
