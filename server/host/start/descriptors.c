#include "host/start/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "host/watch/log.h"
#include "isostep/assert.h"

// File descriptors that are not connections: those of the loop, the log and the folder, and those of each recording.
#define RESERVED        24u
#define PER_RECORDING   2u
#define CONNECTIONS_MIN 16u
// Bytes of the main thread's stack that must be available later.
#define STACK_SIZE (256u << 10)

static uint64_t get_file_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

static uint64_t get_stack_limit(void) {
    struct rlimit limit;
    return getrlimit(RLIMIT_STACK, &limit) == 0 ? limit.rlim_cur : 0;
}

/// Each connection is a file descriptor, and the usual limit leaves little beside ISO__PEER_MAX.
static void raise_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/// A process may be started without standard streams; a recording must not become one of them.
static void open_standard_streams(void) {
    int file = open("/dev/null", O_RDWR);
    while (file >= 0 && file <= STDERR_FILENO) {
        file = open("/dev/null", O_RDWR);
    }
    if (file >= 0) {
        close(file);
    }
}

/// Whether so many can be opened now, in addition to the inherited ones.
static bool are_free(uint32_t count) {
    int files[RESERVED + CONNECTIONS_MIN];
    uint32_t opened = 0;
    while (opened < count && (files[opened] = eventfd(0, EFD_CLOEXEC)) >= 0) {
        ++opened;
    }
    bool all = opened == count;
    int error = errno;
    while (opened > 0) {
        close(files[--opened]);
    }
    if (!all) {
        iso__log_error("at least %u open files are needed, and not all of them can be opened: %s (ulimit -n)", count,
                       strerror(error));
    }
    return all;
}

uint32_t iso__descriptors_claim(uint32_t recording_count) {
    open_standard_streams();
    raise_limit();
    uint64_t descriptors = get_file_limit();
    uint64_t needed = RESERVED + (uint64_t)recording_count * PER_RECORDING;
    if (descriptors < needed + CONNECTIONS_MIN) {
        iso__log_error("the limit of %" PRIu64 " open files is too low: with these sessions at least %" PRIu64
                       " are needed (ulimit -n)",
                       descriptors, needed + CONNECTIONS_MIN);
        return 0;
    }
    if (!are_free(RESERVED + CONNECTIONS_MIN)) {
        return 0;
    }
    return descriptors - needed < ISO__PEER_MAX + 8 ? (uint32_t)(descriptors - needed) : ISO__PEER_MAX + 8;
}

/// The kernel extends a process's stack when it is used, and ends the process when no address space is left.
static bool use_stack(void) {
    if (!iso__memory_is_there(2 * STACK_SIZE)) {
        return false;
    }
    if (get_stack_limit() < 4 * STACK_SIZE) {
        return true;
    }
    uint8_t pages[STACK_SIZE];
    explicit_bzero(pages, sizeof pages);
    return true;
}

static bool fill_table(uv_loop_t *loop, uv_poll_t *poll, int target) {
    // Without memory for it libuv aborts, so it is allocated here first. libuv rounds up to the next power of two.
    const bool has_room = iso__memory_is_there(4 * sizeof(void *) * ((size_t)target + 64));
    int file = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int last = file >= 0 ? fcntl(file, F_DUPFD_CLOEXEC, target) : -1;
    if (file >= 0) {
        close(file);
    }
    if (last < 0 || !has_room) {
        errno = has_room ? errno : ENOMEM;
        if (last >= 0) {
            close(last);
        }
        return false;
    }
    int error = uv_poll_init(loop, poll, last);
    if (error == 0) {
        error = uv_poll_start(poll, UV_READABLE, NULL);
        uv_close((uv_handle_t *)poll, NULL);
    }
    close(last);
    errno = -error;
    return error == 0;
}

bool iso__descriptors_fill(uv_loop_t *loop, uv_poll_t *poll, uint32_t recording_count, uint32_t stream_max) {
    ISO_ASSERT(stream_max > 0);
    uint64_t limit = get_file_limit();
    uint64_t target = (uint64_t)stream_max + RESERVED + (uint64_t)recording_count * PER_RECORDING + 64;
    target = target < limit ? target : limit - 1;
    errno = ENOMEM;
    if (use_stack() && fill_table(loop, poll, (int)target)) {
        return true;
    }
    iso__log_error("there is no room for %u connections: %s (ulimit -v, ulimit -n)", stream_max, strerror(errno));
    return false;
}
