#include "host/watch/notify.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/watch/log.h"
#include "isostep/assert.h"

#define NS_PER_US 1000u

/// @return the size; 0: it is no address
static socklen_t make_address(const char *path, struct sockaddr_un *address) {
    const size_t size = strlen(path);
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if ((path[0] != '/' && path[0] != '@') || size < 2 || size >= sizeof address->sun_path) {
        return 0;
    }
    memcpy(address->sun_path, path, size);
    // An address without a file begins with a zero.
    if (path[0] == '@') {
        address->sun_path[0] = '\0';
    }
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
}

/// @return 0: none is expected of this process
static uint64_t read_watchdog(void) {
    const char *us = getenv("WATCHDOG_USEC"), *pid = getenv("WATCHDOG_PID");
    if (us == NULL || (pid != NULL && strtoull(pid, NULL, 10) != (unsigned long long)getpid())) {
        return 0;
    }
    return strtoull(us, NULL, 10);
}

void iso__notify_open(iso__notify *notify) {
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address;
    *notify = (iso__notify){.socket = -1};
    if (path == NULL || path[0] == '\0') {
        return;
    }
    const socklen_t size = make_address(path, &address);
    if (size > 0) {
        notify->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    }
    if (notify->socket < 0 || connect(notify->socket, (struct sockaddr *)&address, size) != 0) {
        iso__log_warning("$NOTIFY_SOCKET: '%s' cannot be reached: %s", path,
                         size == 0 ? "it is no address of a socket" : strerror(errno));
        iso__notify_close(notify);
        return;
    }
    notify->watchdog_us = read_watchdog();
}

void iso__notify_close(iso__notify *notify) {
    ISO_ASSERT(notify->socket >= -1);
    if (notify->socket >= 0) {
        close(notify->socket);
    }
    notify->socket = -1;
}

void iso__notify_say(const iso__notify *notify, const char *text) {
    ISO_ASSERT(text[0] != '\0' && text[strlen(text) - 1] == '\n');
    if (notify->socket >= 0) {
        (void)send(notify->socket, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}

void iso__notify_reloading(const iso__notify *notify) {
    ISO_ASSERT(notify->socket >= -1);
    char text[64];
    snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64 "\n", iso__clock_now() / NS_PER_US);
    iso__notify_say(notify, text);
}
