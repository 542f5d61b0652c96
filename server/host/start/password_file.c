#include "host/start/password_file.h"

#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "host/watch/log.h"
#include "isostep/proto/codec.h"

#define FILE_SIZE_MAX 4096u

static bool fail(const char *path, const char *what) {
    iso__log_error("--password-file: '%s': %s", path, what);
    return false;
}

/// @param text  with a zero at its end
static bool take_line(const char *path, char *text, size_t size, char password[ISO_PASSWORD_MAX + 1]) {
    // Whoever types the password types no such mark, so it would let nobody in.
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) {
        return fail(path, "it begins with a byte order mark: save it as UTF-8 without one");
    }
    const size_t length = strcspn(text, "\r\n");
    if (length < size && text[length] == '\0') {
        return fail(path, "there is a zero in its first line");
    }
    text[length] = '\0';
    if (length == 0 || !iso_password_is_valid(text)) {
        return fail(path, "its first line is no password of 1 to 63 bytes of UTF-8 without control characters");
    }
    memcpy(password, text, length + 1);
    return true;
}

bool iso__password_file_read(const char *path, char password[ISO_PASSWORD_MAX + 1]) {
    struct stat about;
    uint8_t *bytes = NULL;
    size_t size = 0;
    const char *what = NULL;
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode) && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return fail(path, "others than its user can read or write it: chmod go=");
    }
    if (iso__file_read_own(AT_FDCWD, path, FILE_SIZE_MAX, &bytes, &size, &what) != ISO_OK) {
        return fail(path, what);
    }
    const bool is_right = take_line(path, (char *)bytes, size, password);
    sodium_memzero(bytes, size);
    free(bytes);
    return is_right;
}
