#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static iso_status fail(iso_status status, const char *text, const char **what) {
    *what = text;
    return status;
}

/// Reads at most `size` bytes. @return ISO_OK; ISO_ERR_IO
static iso_status read_all(int file, uint8_t *bytes, size_t *size, const char **what) {
    size_t done = 0;
    while (done < *size) {
        ssize_t result = read(file, bytes + done, *size - done);
        if (result < 0 && errno == EINTR) {
            continue;
        }
        if (result < 0) {
            return fail(ISO_ERR_IO, strerror(errno), what);
        }
        if (result == 0) {
            return fail(ISO_ERR_IO, "it became shorter while it was read", what);
        }
        done += (size_t)result;
    }
    bytes[done] = 0;
    return ISO_OK;
}

/// @return NULL: nobody else has a say in it
static const char *find_stranger(const struct stat *info) {
    if (info->st_uid != 0 && info->st_uid != geteuid()) {
        return "it belongs to another user: chown it to root, or to the user that the server runs as";
    }
    if ((info->st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return "others than its user may write to it: chmod go-w";
    }
    return NULL;
}

static iso_status read_open(int file, bool is_own, size_t size_max, uint8_t **bytes, size_t *size, const char **what) {
    struct stat info;
    if (fstat(file, &info) != 0) {
        return fail(ISO_ERR_IO, strerror(errno), what);
    }
    if (!S_ISREG(info.st_mode)) {
        return fail(ISO_ERR_IO, S_ISDIR(info.st_mode) ? "it is a folder" : "it is not a regular file", what);
    }
    const char *stranger = is_own ? find_stranger(&info) : NULL;
    if (stranger != NULL) {
        return fail(ISO_ERR_IO, stranger, what);
    }
    if ((uint64_t)info.st_size > size_max) {
        return fail(ISO_ERR_RANGE, "it is too large", what);
    }
    *size = (size_t)info.st_size;
    *bytes = malloc(*size + 1);
    return *bytes != NULL ? read_all(file, *bytes, size, what)
                          : fail(ISO_ERR_MEMORY, "there is no memory to read it", what);
}

static iso_status read_file(int folder, const char *name, bool is_own, size_t size_max, uint8_t **bytes, size_t *size,
                            const char **what) {
    *bytes = NULL;
    *size = 0;
    // Without O_NONBLOCK opening a FIFO would wait for a writer.
    int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0) {
        return fail(ISO_ERR_IO, strerror(errno), what);
    }
    iso_status status = read_open(file, is_own, size_max, bytes, size, what);
    close(file);
    if (status != ISO_OK) {
        free(*bytes);
        *bytes = NULL;
    }
    return status;
}

iso_status iso__file_read(int folder, const char *name, size_t size_max, uint8_t **bytes, size_t *size,
                          const char **what) {
    return read_file(folder, name, false, size_max, bytes, size, what);
}

iso_status iso__file_read_own(int folder, const char *name, size_t size_max, uint8_t **bytes, size_t *size,
                              const char **what) {
    return read_file(folder, name, true, size_max, bytes, size, what);
}
