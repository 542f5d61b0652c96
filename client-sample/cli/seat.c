#include "seat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isostep/proto/wipe.h"

#define SEAT_TEXT_MAX 256
#define SEAT_PATH_MAX 4096

// ---- the text -------------------------------------------------------------------------------------
// "isostep-seat 1 SESSION SLOT GENERATION UID SECRET", the last two in hexadecimal.

static void hex_write(const uint8_t *bytes, size_t size, char *text) {
    for (size_t i = 0; i < size; ++i) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
}

static bool hex_read(const char *text, uint8_t *bytes, size_t size) {
    if (strlen(text) != 2 * size || strspn(text, "0123456789abcdef") != 2 * size) {
        return false;
    }
    for (size_t i = 0; i < size; ++i) {
        unsigned value = 0;
        sscanf(text + 2 * i, "%2x", &value);
        bytes[i] = (uint8_t)value;
    }
    return true;
}

static bool seat_parse(const char *text, char *session, iso_resume *seat) {
    char uid[2 * ISO_SESSION_UID_SIZE + 2], secret[2 * ISO_SECRET_SIZE + 2];
    unsigned slot = 0, generation = 0;
    int end = 0;
    memset(seat, 0, sizeof(*seat));
    const int count =
        sscanf(text, "isostep-seat 1 %63s %2u %10u %33s %33s%n", session, &slot, &generation, uid, secret, &end);
    if (count != 5 || strcmp(text + end, "\n") != 0 || slot >= ISO_SLOT_COUNT_MAX) {
        return false;
    }
    seat->slot = (uint8_t)slot;
    seat->slot_generation = generation;
    const bool is_read =
        hex_read(uid, seat->uid, sizeof(seat->uid)) && hex_read(secret, seat->secret, sizeof(seat->secret));
    iso_wipe(secret, sizeof(secret));
    return is_read;
}

// ---- the file -------------------------------------------------------------------------------------

/// @return the text's size, 0: there is no such file, -1 with a message
static ssize_t seat_read_text(const char *path, char *text, size_t text_capacity, char *message, size_t capacity) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (file < 0 && errno == ENOENT) {
        return 0;
    }
    if (file < 0 || fstat(file, &info) != 0) {
        snprintf(message, capacity, "--seat %s: %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode) || (info.st_mode & 077) != 0) {
        snprintf(
            message, capacity,
            "--seat %s: others can read it, and take the seat: expected a file of mode 0600, as this program makes it",
            path);
    } else {
        const ssize_t size = read(file, text, text_capacity - 1);
        text[size > 0 ? size : 0] = 0;
        close(file);
        return size > 0 ? size : 1; // an empty file is no seat
    }
    if (file >= 0) {
        close(file);
    }
    return -1;
}

bool iso__cli_seat_read(const char *path, const char *session, bool *is_there, iso_resume *seat, char *message,
                        size_t capacity) {
    char text[SEAT_TEXT_MAX] = "", of[ISO_SESSION_NAME_MAX + 1];
    const ssize_t size = seat_read_text(path, text, sizeof(text), message, capacity);
    *is_there = size > 0;
    if (size <= 0) {
        return size == 0;
    }
    const bool is_seat = seat_parse(text, of, seat);
    iso_wipe(text, sizeof(text));
    if (!is_seat) {
        snprintf(message, capacity,
                 "--seat %s: this is no seat of an isostep-client: expected the name of a file of its own", path);
        return false;
    }
    if (strcmp(of, session) != 0) {
        snprintf(message, capacity,
                 "--seat %s: this seat is in the session \"%s\", not in \"%s\": expected another file", path, of,
                 session);
        return false;
    }
    return true;
}

int iso__cli_seat_write(const char *path, const iso_message_welcome *welcome) {
    char text[SEAT_TEXT_MAX], beside[SEAT_PATH_MAX];
    char uid[2 * ISO_SESSION_UID_SIZE + 1], secret[2 * ISO_SECRET_SIZE + 1];
    hex_write(welcome->uid, sizeof(welcome->uid), uid);
    hex_write(welcome->secret, sizeof(welcome->secret), secret);
    const int size = snprintf(text, sizeof(text), "isostep-seat 1 %s %u %u %s %s\n", welcome->session, welcome->slot,
                              (unsigned)welcome->slot_generation, uid, secret);
    if (snprintf(beside, sizeof(beside), "%s.new", path) >= (int)sizeof(beside)) {
        return ENAMETOOLONG;
    }
    (void)unlink(beside); // of a client that was killed here
    const int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        return errno;
    }
    int fault = 0;
    errno = EIO;
    fault = write(file, text, (size_t)size) == size ? 0 : errno;
    iso_wipe(text, sizeof(text));
    iso_wipe(secret, sizeof(secret));
    fault = close(file) == 0 || fault != 0 ? fault : errno;
    fault = fault == 0 && rename(beside, path) != 0 ? errno : fault;
    if (fault != 0) {
        (void)unlink(beside);
    }
    return fault;
}

void iso__cli_seat_remove(const char *path) {
    (void)unlink(path);
}

bool iso__cli_seat_is_kept(iso_status status) {
    switch (status) {
    case ISO_OK:
    case ISO_ERR_KICKED:
    case ISO_ERR_BANNED:
    case ISO_ERR_DESYNC:
    case ISO_ERR_RATE:
    case ISO_ERR_STATE:
    case ISO_ERR_MALFORMED:
    case ISO_ERR_SESSION_CLOSED:
        return false;
    default:
        return true;
    }
}
