/// Files of the replay tool.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay.h"

static bool ends_with(const char *text, const char *end) {
    const size_t size = strlen(text);
    const size_t end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static void report_json(const replay_file *file, iso_status status) {
    printf("{\"result\":\"unreadable\",\"status\":\"%s\",\"error\":", iso_status_name(status));
    iso__replay_json_string(stdout, file->error.what);
    printf(",\"offset\":%llu,\"last_tick\":%llu}\n", (unsigned long long)file->error.offset,
           (unsigned long long)file->error.tick);
}

/// Reads what the file had when it was opened, in errno why not.
static bool read_whole(int descriptor, uint8_t *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        const ssize_t got = read(descriptor, bytes + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            errno = got == 0 ? ESTALE : errno; // it has become shorter
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

/// Reads a regular file into memory: one that shrinks or fails meanwhile is an error, where a mapping would be a signal, and
/// nobody is waited for at a FIFO. One byte more than *size is there for a zero.
/// @return NULL: errno says why
static uint8_t *read_file(const char *path, uint64_t size_max, uint64_t *size) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        return NULL;
    }
    struct stat info = {0};
    uint8_t *bytes = NULL;
    if (fstat(descriptor, &info) == 0) {
        *size = (uint64_t)info.st_size;
        errno = S_ISDIR(info.st_mode) ? EISDIR : !S_ISREG(info.st_mode) ? EINVAL : *size > size_max ? EFBIG : 0;
        bytes = errno == 0 ? malloc((size_t)*size + 1) : NULL;
    }
    if (bytes != NULL && !read_whole(descriptor, bytes, (size_t)*size)) {
        free(bytes);
        bytes = NULL;
    }
    const int kept = errno;
    close(descriptor);
    errno = kept;
    return bytes;
}

iso_status iso__replay_file_open(replay_file *file, const char *path, bool json) {
    return iso__replay_file_open_mode(file, path, false, json);
}

static void report_damage(const replay_file *file, iso_status status) {
    fprintf(stderr, "isostep-replay: %s: %s at offset %llu, after tick %llu: %s\n", file->path, iso_status_name(status),
            (unsigned long long)file->error.offset, (unsigned long long)file->error.tick, file->error.what);
    if (file->error.durable_offset > 0) {
        fprintf(stderr, "isostep-replay: %s: durable were tick %llu and %llu bytes\n", file->path,
                (unsigned long long)file->error.durable_tick, (unsigned long long)file->error.durable_offset);
    }
}

iso_status iso__replay_file_open_mode(replay_file *file, const char *path, bool salvage, bool json) {
    memset(file, 0, sizeof *file);
    file->path = path;
    file->bytes = read_file(path, SIZE_MAX - 1, &file->size);
    if (file->bytes == NULL) {
        file->error.what = errno == ESTALE   ? "it has become shorter while it was read"
                           : errno == EINVAL ? "it is not a regular file"
                                             : strerror(errno);
        fprintf(stderr, "isostep-replay: %s: %s\n", path, file->error.what);
        if (json) {
            report_json(file, ISO_ERR_IO);
        }
        return ISO_ERR_IO;
    }
    const iso_recording_mode mode = salvage                    ? ISO_RECORDING_SALVAGE
                                    : ends_with(path, ".part") ? ISO_RECORDING_TORN
                                                               : ISO_RECORDING_STRICT;
    const iso_status status = iso_recording_open(&file->recording, file->bytes, file->size, mode, &file->error);
    if (status != ISO_OK) {
        report_damage(file, status);
        if (json) {
            report_json(file, status);
        }
        iso__replay_file_close(file);
    } else if (salvage && file->error.status != ISO_OK) {
        report_damage(file, file->error.status);
    }
    return status;
}

void iso__replay_file_close(replay_file *file) {
    free(file->bytes);
    file->bytes = NULL;
}

char *iso__replay_read_text(const char *path, size_t size_max, size_t *size) {
    uint64_t size_read = 0;
    char *text = (char *)read_file(path, size_max, &size_read);
    *size = (size_t)size_read;
    return text;
}
