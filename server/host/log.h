/// Messages to the operator, on standard error: a line each, as text or as JSON, with the time and what it is about.
///
/// What peers cause is limited per code and address, and what sessions say per code and session, so that nobody can fill
/// a disk with it; the number of lines that were left out is told with the next one, or after a while. Any thread may
/// call.
#ifndef ISO_HOST_LOG_H
#define ISO_HOST_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "isostep/status.h"

/// Connections whose addresses are known at a time, as many as there are peers; ids that differ by a multiple of it share
/// a place.
#define ISO__LOG_CONNECTIONS 8192u

/// Room for an address with its port as text, with its terminating zero.
#define ISO__LOG_ADDRESS_SIZE 64u

/// Lines in a window: of one code about one address or session, and of one code about all addresses.
#define ISO__LOG_LINES_MAX     20u
#define ISO__LOG_ALL_LINES_MAX 100u
#define ISO__LOG_WINDOW_NS     UINT64_C(10000000000)

typedef enum iso__log_level {
    ISO__LOG_DEBUG, // not written
    ISO__LOG_INFO,
    ISO__LOG_WARNING, // something is lost, or will be
    ISO__LOG_ERROR,   // this is why the server ends, or why a session or a recording does
} iso__log_level;

/// What a line is about; what is zero is left out.
typedef struct iso__log_about {
    uint8_t level;       // iso__log_level
    const char *session; // its name
    uint64_t connection; // the peer's; its address is found by it
    iso_status code;     // ISO_OK: none
} iso__log_about;

/// Chooses between lines of text, which is what stands at first, and JSON objects.
void iso__log_set_json(bool json);

/// Writes one line, with a newline, in one write, so that lines of several threads never mix. Keeps errno. A message is
/// cut at 1,000 bytes, what is not printable becomes '?'.
__attribute__((format(printf, 2, 3))) void iso__log(const iso__log_about *about, const char *format, ...);

#define iso__log_info(...)    iso__log(&(iso__log_about){.level = ISO__LOG_INFO}, __VA_ARGS__)
#define iso__log_warning(...) iso__log(&(iso__log_about){.level = ISO__LOG_WARNING}, __VA_ARGS__)
#define iso__log_error(...)   iso__log(&(iso__log_about){.level = ISO__LOG_ERROR}, __VA_ARGS__)

/// The same about a session. @param session  its name
#define iso__log_session(level_name, session_name, ...) \
    iso__log(&(iso__log_about){.level = ISO__LOG_##level_name, .session = (session_name)}, __VA_ARGS__)

/// Says whose the lines about a connection are, also those that come when it has ended: until another connection takes
/// its place.
void iso__log_set_connection(uint64_t connection, const struct sockaddr *address);

/// Tells of lines that were left out and whose window is over. To be called now and then.
/// @param now  [ns] of the monotonic clock; UINT64_MAX: of all lines, at the end
void iso__log_flush(uint64_t now);

/// "192.0.2.7:5123", "[2001:db8::1]:5123", or "?" for another family.
void iso__log_format_address(const struct sockaddr *address, char text[ISO__LOG_ADDRESS_SIZE]);

#endif
