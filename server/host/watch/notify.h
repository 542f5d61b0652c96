/// Tells a service manager how the server is: sd_notify(3), which is one datagram to the socket that $NOTIFY_SOCKET
/// names. Written here, because libsystemd would bring in a dozen libraries for it.
#ifndef ISO_HOST_NOTIFY_H
#define ISO_HOST_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct iso__notify {
    int socket;           // connected; -1: nobody wants to know
    uint64_t watchdog_us; // within which ISO__NOTIFY_WATCHDOG is expected; 0: never
} iso__notify;

/// Reads the environment and connects, so that nothing has to be opened later. A socket that cannot be reached is said
/// and left.
void iso__notify_open(iso__notify *notify);
void iso__notify_close(iso__notify *notify);

/// @param text  assignments as in sd_notify(3), each on a line. Never waits: a manager that does not read loses it
void iso__notify_say(const iso__notify *notify, const char *text);

/// RELOADING=1 with the time, as managers want it.
void iso__notify_reloading(const iso__notify *notify);

#endif
