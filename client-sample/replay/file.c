/// Files of the replay tool.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

/// Maps the file. An empty one has no mapping and is left to the reader of recordings.
static iso_status file_map(replay_file *file) {
    const int descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return ISO_ERR_IO;
    }
    struct stat info;
    iso_status status = ISO_OK;
    if (fstat(descriptor, &info) != 0) {
        status = ISO_ERR_IO;
    } else if (!S_ISREG(info.st_mode)) {
        errno = S_ISDIR(info.st_mode) ? EISDIR : EINVAL;
        status = ISO_ERR_IO;
    } else if (info.st_size > 0) {
        file->size = (uint64_t)info.st_size;
        void *bytes = mmap(NULL, (size_t)file->size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        file->bytes = bytes != MAP_FAILED ? bytes : NULL;
        status = bytes != MAP_FAILED ? ISO_OK : ISO_ERR_IO;
    }
    close(descriptor);
    return status;
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
    if (file_map(file) != ISO_OK) {
        file->error.what = strerror(errno);
        fprintf(stderr, "isostep-replay: %s: %s\n", path, file->error.what);
        if (json) {
            report_json(file, ISO_ERR_IO);
        }
        return ISO_ERR_IO;
    }
    const iso_recording_mode mode = salvage                    ? ISO_RECORDING_SALVAGE
                                    : ends_with(path, ".part") ? ISO_RECORDING_TORN
                                                               : ISO_RECORDING_STRICT;
    const uint8_t *bytes = file->bytes != NULL ? file->bytes : (const uint8_t *)"";
    const iso_status status = iso_recording_open(&file->recording, bytes, file->size, mode, &file->error);
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
    if (file->bytes != NULL) {
        munmap((void *)(uintptr_t)file->bytes, (size_t)file->size);
        file->bytes = NULL;
    }
}

char *iso__replay_read_text(const char *path, size_t size_max, size_t *size) {
    FILE *in = fopen(path, "rb");
    if (in == NULL) {
        return NULL;
    }
    char *text = malloc(size_max + 1);
    if (text != NULL) {
        *size = fread(text, 1, size_max + 1, in);
        const int error = ferror(in) ? EIO : *size > size_max ? EFBIG : 0;
        if (error != 0) {
            free(text);
            text = NULL;
            errno = error;
        }
    }
    const int kept = errno;
    fclose(in);
    errno = kept;
    return text;
}
