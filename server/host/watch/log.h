/// Messages to the operator, on standard error: a line each, as text or as JSON, with the time and what it is about.
///
/// Lines that peers cause are limited per code and address, lines of sessions per code and session, so that no peer can
/// fill a disk with them. The number of suppressed lines is written before the next one, or after some time. Any thread
/// may call these functions.
#ifndef ISO_HOST_LOG_H
#define ISO_HOST_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/address.h"
#include "isostep/status.h"

/// Connections whose addresses are known at a time, as many as there may be peers; ids that differ by a multiple of it
/// share a place.
#define ISO__LOG_CONNECTIONS 8192u

/// Room for an address with its port as text, with its terminating zero.
#define ISO__LOG_ADDRESS_SIZE 64u

/// Maximum lines in a window: of one code about one address or session, and of one code about all addresses.
#define ISO__LOG_LINES_MAX     20u
#define ISO__LOG_ALL_LINES_MAX 100u
#define ISO__LOG_WINDOW_NS     UINT64_C(10000000000)

typedef enum iso__log_level {
    ISO__LOG_DEBUG, // not written
    ISO__LOG_INFO,
    ISO__LOG_WARNING, // something is or will be lost
    ISO__LOG_ERROR,   // why the server, a session or a recording ends
} iso__log_level;

/// What a line is about; members that are zero are omitted.
typedef struct iso__log_about {
    uint8_t level;               // iso__log_level
    const char *session;         // its name
    uint64_t connection;         // of the peer; its address is looked up by it
    iso_status code;             // ISO_OK: none
    const iso__address *address; // of a peer without the id of a connection
} iso__log_about;

/// Chooses between lines of text, the default, and JSON objects.
void iso__log_set_json(bool json);

/// Lines go to the end of this file from now on, instead of standard error. It is created for its owner alone, since it
/// has addresses. A call with the same path opens it anew, as after logrotate(8) has renamed it.
/// @param path  must outlive the log
/// @return false after a message to where lines went before, where they go on
bool iso__log_open(const char *path);

/// Writes one line with its newline in one write, so that lines of several threads never mix. Keeps errno. A message is
/// cut at 1,000 bytes, unprintable characters become '?'.
__attribute__((format(printf, 2, 3))) void iso__log(const iso__log_about *about, const char *format, ...);

#define iso__log_info(...)    iso__log(&(iso__log_about){.level = ISO__LOG_INFO}, __VA_ARGS__)
#define iso__log_warning(...) iso__log(&(iso__log_about){.level = ISO__LOG_WARNING}, __VA_ARGS__)
#define iso__log_error(...)   iso__log(&(iso__log_about){.level = ISO__LOG_ERROR}, __VA_ARGS__)

/// The same for a line about a session. @param session  its name
#define iso__log_session(level_name, session_name, ...) \
    iso__log(&(iso__log_about){.level = ISO__LOG_##level_name, .session = (session_name)}, __VA_ARGS__)

/// From now on this thread's lines of level ERROR go into a text instead of the log, of which the first one stays: for
/// who passes the reason on to a client. @param text  NULL: into the log again
void iso__log_divert(char *text, size_t capacity);

/// Sets the address for lines about a connection, including those after its end: valid until another connection takes
/// its place.
void iso__log_set_connection(uint64_t connection, const iso__address *address);

/// Writes the number of suppressed lines for windows that are over. To be called from time to time.
/// @param now  [ns] of the monotonic clock; UINT64_MAX: for all windows, at the end
void iso__log_flush(uint64_t now);

/// "192.0.2.7:5123", "[2001:db8::1]:5123", or "?" for another family.
void iso__log_format_address(const iso__address *address, char text[ISO__LOG_ADDRESS_SIZE]);

#endif
