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
    iso_print_json_string(stdout, file->error.what);
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

typedef enum read_mode {
    READ_WHOLE,
    READ_BEGINNING, // no more than size_max of it
} read_mode;

/// Reads a regular file into memory: one that shrinks or fails meanwhile is an error, where a mapping would be a
/// signal, and a FIFO is not waited for. One byte more than *size is there for a zero.
/// @return NULL: errno says why
static uint8_t *read_file(const char *path, uint64_t size_max, read_mode mode, uint64_t *size) {
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0) {
        return NULL;
    }
    struct stat info = {0};
    uint8_t *bytes = NULL;
    if (fstat(descriptor, &info) == 0) {
        *size = (uint64_t)info.st_size;
        *size = mode == READ_BEGINNING && *size > size_max ? size_max : *size;
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

bool iso__replay_file_has_magic(const char *path) {
    uint64_t size = 0;
    uint8_t *bytes = read_file(path, ISO_RECORDING_FILE_HEAD_SIZE, READ_BEGINNING, &size);
    const bool has_magic = bytes != NULL && iso_recording_has_magic(bytes, size);
    free(bytes);
    return has_magic;
}

bool iso__replay_file_is_recording(const char *path) {
    return iso__replay_file_has_magic(path) || (strlen(path) > 4 && ends_with(path, ".isr")) ||
           (strlen(path) > 5 && ends_with(path, ".part"));
}

iso_status iso__replay_file_open(replay_file *file, const char *path, bool json) {
    return iso__replay_file_open_mode(file, path, false, json);
}

/// A file that this build cannot read at all has no damage to report. One that is too short for a version has none.
static void report_version(const replay_file *file) {
    const uint32_t version = file->recording.version;
    iso_print(stderr, "isostep-replay: %s: %s\n", file->path, file->error.what);
    if (version != 0 && (version < ISO_RECORDING_VERSION_MIN || version > ISO_RECORDING_VERSION_MAX)) {
        iso_print(stderr, "isostep-replay: %s: it is format %u, and this build reads %u to %u\n", file->path, version,
                  ISO_RECORDING_VERSION_MIN, ISO_RECORDING_VERSION_MAX);
    }
}

static void report_damage(const replay_file *file, iso_status status) {
    if (status == ISO_ERR_VERSION) {
        report_version(file);
        return;
    }
    iso_print(stderr, "isostep-replay: %s: %s at offset %llu, after tick %llu: %s\n", file->path,
              iso_status_name(status), (unsigned long long)file->error.offset, (unsigned long long)file->error.tick,
              file->error.what);
    if (file->error.durable_offset > 0) {
        iso_print(stderr, "isostep-replay: %s: durable were tick %llu and %llu bytes\n", file->path,
                  (unsigned long long)file->error.durable_tick, (unsigned long long)file->error.durable_offset);
    }
}

iso_status iso__replay_file_open_mode(replay_file *file, const char *path, bool salvage, bool json) {
    memset(file, 0, sizeof *file);
    file->path = path;
    file->bytes = read_file(path, SIZE_MAX - 1, READ_WHOLE, &file->size);
    if (file->bytes == NULL) {
        file->error.what = errno == ESTALE   ? "it has become shorter while it was read"
                           : errno == EINVAL ? "it is not a regular file"
                                             : strerror(errno);
        iso_print(stderr, "isostep-replay: %s: %s\n", path, file->error.what);
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

bool iso__replay_file_identify(const char *path, replay_identity *identity) {
    uint64_t size = 0;
    uint8_t *bytes = read_file(path, iso_recording_head_bound(ISO_RECORDING_SCENE_SIZE_MAX), READ_BEGINNING, &size);
    iso_recording recording = {0};
    iso_recording_error error;
    if (bytes != NULL) {
        iso_recording_open(&recording, bytes, size, ISO_RECORDING_SALVAGE, &error);
        memcpy(identity->uid, recording.header.uid, sizeof identity->uid);
        identity->epoch = recording.header.epoch;
        identity->first_tick = recording.header.first_tick;
    }
    free(bytes);
    return recording.frames_offset > 0;
}

char *iso__replay_read_text(const char *path, size_t size_max, size_t *size) {
    uint64_t size_read = 0;
    char *text = (char *)read_file(path, size_max, READ_WHOLE, &size_read);
    *size = (size_t)size_read;
    return text;
}
