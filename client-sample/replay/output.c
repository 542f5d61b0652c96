/// Files that the replay tool writes, and what it says when it cannot.
#include <errno.h>
#include <string.h>

#include "replay.h"

bool iso__replay_fault(const char *path, const char *done, int error) {
    iso_print(stderr, "isostep-replay: %s: it could not be %s: %s\n", path, done, strerror(error));
    return false;
}

bool iso__replay_write_whole(const char *path, const void *bytes, size_t size) {
    FILE *out = fopen(path, "wb");
    if (out == NULL) {
        return iso__replay_fault(path, "made", errno);
    }
    const bool written = fwrite(bytes, 1, size, out) == size;
    const int error = errno;
    const bool closed = fclose(out) == 0;
    return (written && closed) || iso__replay_fault(path, "written", written ? errno : error);
}
