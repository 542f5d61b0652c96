/// The command line of isostep-client.
#ifndef ISO_CLI_OPTIONS_H
#define ISO_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISO__CLI_HOST_MAX     255 // characters
#define ISO__CLI_SWARM_MAX    1000
#define ISO__CLI_SESSIONS_MAX 256 // of one swarm

typedef enum iso__cli_bot_kind {
    ISO__CLI_BOT_IDLE,
    ISO__CLI_BOT_WANDER,
    ISO__CLI_BOT_BUILDER,
    ISO__CLI_BOT_GRIEFER,
    ISO__CLI_BOT_WALKER,
    ISO__CLI_BOT_HOUND,
    ISO__CLI_BOT_PINBALL,
    ISO__CLI_BOT_RALLY,
} iso__cli_bot_kind;

typedef struct iso__cli_options {
    char host[ISO__CLI_HOST_MAX + 1]; // without the brackets of an IPv6 address
    char port[6];
    const char *address; // both, as given
    const char *sessions[ISO__CLI_SESSIONS_MAX];
    uint32_t session_count;
    bool is_numbered; // the sessions are s0, s1, …
    const char *name;
    const char *password;   // of the session, or NULL
    const char *seat;       // the file that keeps the member's seat, or NULL
    uint8_t role;           // iso_role
    uint8_t bot;            // iso__cli_bot_kind
    uint64_t ticks;         // 0: until interrupted
    uint8_t predict;        // ticks
    uint32_t swarm;         // connections
    uint32_t verify;        // of these, that step the world; 0: one for each session
    uint64_t flip_tick;     // of the drill; 0: none
    uint32_t sync_test;     // [ticks] a restored world is stepped beside the own one for so many; 0: none
    const char *dump_state; // the file for the own state after a desync, or NULL
    uint32_t reconnect;     // [s] how long it tries to reconnect; 0: never
    bool list;              // only requests the list of sessions
    bool json;
    bool help, version;
} iso__cli_options;

/// Reads the command line. The strings point into argv.
/// @param message  on failure: one sentence that names the option, zero-terminated
/// @return whether everything was understood.
bool iso__cli_options_parse(iso__cli_options *options, int argc, char **argv, char *message, size_t capacity);

/// The word for an iso__cli_bot_kind, as --bot takes it.
const char *iso__cli_options_bot_name(uint8_t bot);

/// The text of --help.
const char *iso__cli_options_help(void);

#endif
