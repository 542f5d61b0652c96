#include "host/recordings/footer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isostep/assert.h"
#include "isostep/proto/recording.h"

bool iso__footer_read(int file, bool *goes_on) {
    ISO_ASSERT(file >= 0);
    uint8_t trailer[ISO_RECORDING_TRAILER_SIZE], head[ISO_RECORDING_FRAME_HEAD_SIZE];
    struct stat info;
    uint64_t offset = 0;
    // When its end is damaged, nothing says that the session is over.
    *goes_on = true;
    if (fstat(file, &info) != 0) {
        return false;
    }
    if (info.st_size < (off_t)sizeof trailer) {
        return true;
    }
    if (pread(file, trailer, sizeof trailer, info.st_size - (off_t)sizeof trailer) != (ssize_t)sizeof trailer) {
        return false;
    }
    if (!iso_recording_find_footer(trailer, (uint64_t)info.st_size, &offset)) {
        return true;
    }
    if (pread(file, head, sizeof head, (off_t)offset) != (ssize_t)sizeof head) {
        return false;
    }
    *goes_on = iso_recording_footer_goes_on(head);
    return true;
}

bool iso__footer_goes_on(const iso__disk *disk, const char *name) {
    ISO_ASSERT(disk->folder >= 0);
    bool goes_on = true;
    int file = openat(disk->folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_read = file >= 0 && iso__footer_read(file, &goes_on);
    if (file >= 0) {
        close(file);
    }
    return !is_read || goes_on;
}
