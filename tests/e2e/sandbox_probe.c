/// Put in front of a server with LD_PRELOAD: what an attacker's code in the process would try. When the file that
/// E2E_PROBE names is there, each of two threads (the one with the connections, and one that syncs) tries what is
/// forbidden, once, and says on standard error how it went: "probe of THREAD: open ERRNO, create ERRNO, socket ERRNO,
/// fork ERRNO", and of one thread also "probe beyond: connect ERRNO, message ERRNO, owner ERRNO, chmod ERRNO, nice
/// ERRNO".
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int outcome(long result) {
    return result < 0 ? errno : 0;
}

// Made before the process is confined, as a listener is: shut down it is one without a peer, too.
static int before = -1;

__attribute__((constructor)) static void begin(void) {
    before = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/// What reaches others by calls that are allowed for something else.
static void probe_beyond(const char *path) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(1), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct iovec part = {"x", 1};
    const struct msghdr message = {.msg_name = &to, .msg_namelen = sizeof to, .msg_iov = &part, .msg_iovlen = 1};
    const int flags = MSG_FASTOPEN | MSG_NOSIGNAL;
    const int connected = outcome(sendto(before, "x", 1, flags, (const struct sockaddr *)&to, sizeof to));
    const int told = outcome(sendmsg(before, &message, flags));
    const int owned = outcome(fcntl(before, F_SETOWN, getppid()));
    const int changed = outcome(fchmodat(AT_FDCWD, path, 0600, 0));
    const int niced = outcome(setpriority(PRIO_PROCESS, (id_t)getppid(), getpriority(PRIO_PROCESS, (id_t)getppid())));
    dprintf(STDERR_FILENO, "probe beyond: connect %d, message %d, owner %d, chmod %d, nice %d\n", connected, told,
            owned, changed, niced);
}

static void probe(const char *thread, atomic_bool *is_done) {
    const char *path = getenv("E2E_PROBE");
    if (path == NULL || atomic_load(is_done) || access(path, F_OK) != 0 || atomic_exchange(is_done, true)) {
        return;
    }
    const int opened = outcome(open("/etc/passwd", O_RDONLY));
    const int created = outcome(open("/isostep-e2e-probe", O_WRONLY | O_CREAT, 0600));
    const int made = outcome(socket(AF_INET, SOCK_STREAM, 0));
    const long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (pid == 0) {
        syscall(SYS_exit, 0);
    }
    const int forked = outcome(pid);
    dprintf(STDERR_FILENO, "probe of %s: open %d, create %d, socket %d, fork %d\n", thread, opened, created, made,
            forked);
    if (strcmp(thread, "connections") == 0) {
        probe_beyond(path);
    }
}

int fdatasync(int file) {
    static atomic_bool is_done;
    probe("syncs", &is_done);
    return (int)syscall(SYS_fdatasync, file);
}

static int wait_for_events(int file, struct epoll_event *events, int count, int timeout, const sigset_t *mask) {
    static atomic_bool is_done;
    probe("connections", &is_done);
    return (int)syscall(SYS_epoll_pwait, file, events, count, timeout, mask, _NSIG / 8);
}

int epoll_pwait(int file, struct epoll_event *events, int count, int timeout, const sigset_t *mask) {
    return wait_for_events(file, events, count, timeout, mask);
}

int epoll_wait(int file, struct epoll_event *events, int count, int timeout) {
    return wait_for_events(file, events, count, timeout, NULL);
}
