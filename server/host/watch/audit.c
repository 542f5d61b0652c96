#include "host/watch/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/affinity.h"
#include "base/text_time.h"
#include "host/watch/log.h"
#include "isostep/proto/text.h"

#define HOUR_S     3600
#define BLOCK_SIZE 65536u // [bytes] that are read at a time

// Where the parts of a line stand: its beginning has a fixed form.
static const char before_time[] = "{\"time\":\"", before_address[] = "\",\"address\":";
#define TIME_AT    (sizeof before_time - 1)
#define ADDRESS_AT (TIME_AT + ISO__TEXT_TIME_SIZE - 1 + sizeof before_address - 1)

static bool open_file(iso__audit *audit) {
    struct stat about;
    const char *why = NULL;
    char first = '{';
    // Readable, so that addresses can be found again.
    const int file = open(audit->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
    if (file < 0 || fstat(file, &about) != 0) {
        why = strerror(errno);
    } else if (!S_ISREG(about.st_mode)) {
        why = "it is no regular file";
    } else if (about.st_size > 0 && (pread(file, &first, 1, 0) != 1 || first != '{')) {
        why = "it is a file of another kind: its first byte is not '{'";
    }
    if (why != NULL) {
        iso__log_error("--audit: '%s' cannot be opened: %s", audit->path, why);
        if (file >= 0) {
            close(file);
        }
        return false;
    }
    if (audit->file >= 0) {
        close(audit->file);
    }
    audit->file = file;
    audit->expired_at_s = 0;
    audit->expired_to = 0;
    return true;
}

bool iso__audit_open(iso__audit *audit, const char *path) {
    *audit = (iso__audit){.path = path, .file = -1};
    iso__affinity_take(&audit->io);
    return path == NULL || open_file(audit);
}

bool iso__audit_reopen(iso__audit *audit) {
    return audit->path == NULL || open_file(audit);
}

void iso__audit_close(iso__audit *audit) {
    ISO__ASSERT_ON(&audit->io);
    if (audit->file >= 0) {
        close(audit->file);
    }
    audit->file = -1;
}

void iso__audit_write(iso__audit *audit, const iso__audit_line *line, int64_t now_s) {
    ISO__ASSERT_ON(&audit->io);
    char time[ISO__TEXT_TIME_SIZE], address[ISO__LOG_ADDRESS_SIZE], *text = NULL;
    size_t size = 0;
    FILE *out = audit->file >= 0 ? open_memstream(&text, &size) : NULL;
    if (audit->file < 0) {
        return;
    }
    if (out != NULL) {
        iso__text_time_write(now_s, time);
        fprintf(out, "%s%s%s", before_time, time, before_address);
        if (line->address != NULL) {
            iso__log_format_address(line->address, address);
            fprintf(out, "\"%s\"", address);
        } else {
            fputs("null", out);
        }
        fputs(",\"by\":", out);
        iso_print_json_string(out, line->by);
        fprintf(out, ",\"role\":\"%s\",\"what\":", line->role);
        iso_print_json_string(out, line->what);
        fputs(",\"about\":", out);
        iso_print_json_string(out, line->about);
        fprintf(out, ",\"status\":%u,\"result\":", line->status);
        iso_print_json_string(out, line->result);
        if (line->reason != NULL && line->reason[0] != '\0') {
            fputs(",\"reason\":", out);
            iso_print_json_string(out, line->reason);
        }
        fputs("}\n", out);
        fclose(out);
    }
    // One write, so that what a second process appends is not mixed in.
    const bool is_written = text != NULL && write(audit->file, text, size) == (ssize_t)size;
    if (!is_written && !audit->is_failing) {
        iso__log_error("--audit: '%s' cannot be written: %s; changes go on without it", audit->path, strerror(errno));
    }
    audit->is_failing = !is_written;
    free(text);
}

/// Overwrites the address of a line that begins at `at`. @return false: it is later than that, and so are all that
/// follow, or it cannot be overwritten
static bool expire_line(const iso__audit *audit, int file, off_t at, const char *line, size_t size, const char *limit) {
    if (size <= ADDRESS_AT || memcmp(line, before_time, TIME_AT) != 0 || line[ADDRESS_AT] != '"') {
        return true;
    }
    if (memcmp(line + TIME_AT, limit, ISO__TEXT_TIME_SIZE - 1) >= 0) {
        return false;
    }
    const char *end = memchr(line + ADDRESS_AT + 1, '"', size - ADDRESS_AT - 1);
    char nothing[ISO__LOG_ADDRESS_SIZE + 2];
    const size_t length = end != NULL ? (size_t)(end - line) + 1 - ADDRESS_AT : 0;
    if (length < 4 || length > sizeof nothing) {
        return true;
    }
    memset(nothing, ' ', sizeof nothing);
    memcpy(nothing, "null", 4);
    if (pwrite(file, nothing, length, at + (off_t)ADDRESS_AT) == (ssize_t)length) {
        return true;
    }
    iso__log_warning("--audit: an old address in '%s' cannot be removed: %s", audit->path, strerror(errno));
    return false;
}

/// The I/O thread waits for this: what was looked at once is not read again.
static void expire_lines(iso__audit *audit, int file, const char *limit) {
    static char bytes[BLOCK_SIZE];
    bool is_old = true;
    for (ssize_t size; is_old && (size = pread(file, bytes, sizeof bytes, audit->expired_to)) > 0;) {
        size_t at = 0;
        for (const char *end; is_old && (end = memchr(bytes + at, '\n', (size_t)size - at)) != NULL;) {
            const size_t line = (size_t)(end - (bytes + at)) + 1;
            is_old = expire_line(audit, file, audit->expired_to + (off_t)at, bytes + at, line, limit);
            at += is_old ? line : 0;
        }
        // What fills a block without an end is no line of ours.
        if (at == 0 && is_old && size == (ssize_t)sizeof bytes) {
            at = (size_t)size;
        }
        audit->expired_to += (off_t)at;
        is_old = is_old && at > 0;
    }
}

void iso__audit_expire(iso__audit *audit, int64_t now_s) {
    ISO__ASSERT_ON(&audit->io);
    char limit[ISO__TEXT_TIME_SIZE];
    struct stat own, about;
    if (audit->file < 0 || now_s < audit->expired_at_s + HOUR_S) {
        return;
    }
    audit->expired_at_s = now_s;
    iso__text_time_write(now_s - ISO__AUDIT_ADDRESS_S, limit);
    // Another description, since what is opened for appending is always written at its end.
    const int file = open(audit->path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (file < 0 && errno != ENOENT) {
        iso__log_warning("--audit: '%s' cannot be looked through for old addresses: %s", audit->path, strerror(errno));
    }
    if (file < 0) {
        return;
    }
    // Another one is there since ours was renamed.
    if (fstat(audit->file, &own) == 0 && fstat(file, &about) == 0 && own.st_dev == about.st_dev &&
        own.st_ino == about.st_ino) {
        if (about.st_size < audit->expired_to) {
            audit->expired_to = 0; // it was emptied
        }
        expire_lines(audit, file, limit);
    }
    close(file);
}
