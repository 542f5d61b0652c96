/// The command line of the server.
#ifndef ISO_HOST_OPTIONS_H
#define ISO_HOST_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISO__HOST_NAME_MAX 255

typedef struct iso__options {
    const char *scene;       // a built-in scene's name or a file's path
    char tcp_host[ISO__HOST_NAME_MAX + 1];  // without the brackets of an IPv6 address
    uint16_t tcp_port;       // 0: any free one
    const char *record_dir;  // NULL: no recording
    uint16_t tick_rate_hz;   // 0: the scene's own
    bool has_seed;
    uint64_t seed;
    uint32_t for_seconds;    // 0: until a signal comes
    bool allow_plaintext;
    bool help;
    bool version;
} iso__options;

/// Reads the command line.
///
/// The strings point into argv.
/// @param message  on failure: one sentence that names the option, zero-terminated
/// @return whether everything was understood.
bool iso__options_parse(iso__options *options, int argc, char **argv, char *message, size_t message_capacity);

/// The text of --help.
const char *iso__options_help(void);

#endif
