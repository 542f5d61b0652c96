/// The command line of the server.
#ifndef ISO_HOST_OPTIONS_H
#define ISO_HOST_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/address.h"
#include "host/recordings/retention.h"
#include "isostep/proto/messages.h"

/// Of addresses, unless an option says otherwise. Without a suffix: the texts of the defaults in --help are made of
/// these numbers.
#define ISO__ADDRESS_LIMIT_STRIKES_MAX 3
#define ISO__ADDRESS_LIMIT_OUT_S       600

#define ISO__HOST_NAME_MAX     255
#define ISO__SESSIONS_MAX      1024u
#define ISO__WORKERS_MAX       64u
#define ISO__ORIGINS_MAX       16u
#define ISO__HTTP_SESSIONS_MAX 1024u
#define ISO__PROXIES_MAX       16u
#define ISO__SOCKET_PATH_MAX   108u // [bytes] of a socket in the file system, with the zero at its end

/// What to do with a recording that is undamaged but cannot be continued from its last tick.
typedef enum iso__recover_policy {
    ISO__RECOVER_REFUSE,   // the server does not start
    ISO__RECOVER_KEYFRAME, // continue from the last keyframe, if this build has the same state schema
    ISO__RECOVER_ANEW,     // begin a new session; later starts ignore the file
} iso__recover_policy;

/// A session that was asked for.
typedef struct iso__session_spec {
    char name[ISO_SESSION_NAME_MAX + 1];
    const char *scene;  // a built-in scene's name or a file's path
    bool has_scene;     // the command line names `scene`; else it is what sessions have by default
    const char *resume; // not NULL: the recording that it continues from, which has its name
    bool goes_back;     // `resume` is continued although the folder may have newer ticks of its session
    // Of a session that is created over HTTP:
    const char *document; // the scene's text, not terminated, instead of `scene`; NULL: none
    size_t document_size; // [bytes]
    bool is_created;
    const struct iso__session_settings *settings; // NULL: what the options say
} iso__session_spec;

typedef struct iso__options {
    const char *scene; // of sessions without one of their own
    bool has_scene;    // --scene is given
    iso__session_spec sessions[ISO__SESSIONS_MAX];
    uint32_t session_count;                // at least 1 after parsing
    char tcp_host[ISO__HOST_NAME_MAX + 1]; // without the brackets of an IPv6 address
    uint16_t tcp_port;                     // 0: any free one
    bool has_http;
    char http_host[ISO__HOST_NAME_MAX + 1];
    uint16_t http_port;
    bool has_admin;
    char admin_host[ISO__HOST_NAME_MAX + 1];
    uint16_t admin_port;
    const char *admin_path;                     // of a socket in the file system, instead of host and port; NULL: none
    const char *http_origins[ISO__ORIGINS_MAX]; // pages of these may use the server, as those of its own host
    uint32_t http_origin_count;
    const char *http_token;          // one that allows everything; "@FILE": the file has it; NULL: none
    char *http_token_argument;       // the same in the arguments, to be overwritten; NULL: it is not there
    const char *http_tokens;         // path of a file of tokens; NULL: none
    const char *new_token;           // make a token of this name and role, and end; NULL: no
    uint32_t http_sessions;          // that may be created over HTTP
    const char *http_prefix;         // in front of all paths: empty, or "/some/path"
    const char *record_dir;          // NULL: no recording
    const char *events_path;         // file for events, "-": standard output; NULL: none
    bool tells_contacts;             // events of contacts are written as well
    bool allow_unlocked;             // accept a folder that cannot be locked reliably
    uint32_t recover_policy;         // iso__recover_policy
    uint32_t begins_new;             // 1: sessions that a signal has ended do not continue
    iso__keep_limits keep, keep_all; // of recordings
    uint64_t free_min;               // [bytes] on the disk of the recordings, for sessions to be created
    uint32_t roll_kib;
    uint32_t keyframe_interval; // [ticks]
    uint32_t tick_rate_hz;      // 0: the scene's own
    bool has_seed;
    uint64_t seed;
    uint32_t workers;                                  // 0: one less than there are processors
    uint32_t threads;                                  // that share the steps of large worlds; 0 and 1: none do
    uint32_t memory_mib;                               // of each session
    uint32_t late_policy, empty_policy, desync_policy; // as in iso_session_config
    bool ends_when_empty;                              // end with the last session; set by --empty close as well
    uint32_t hold_seconds;
    uint32_t log_json;      // 1: the log's lines are JSON objects
    const char *bans_path;  // file of bans; NULL: that of the folder of the recordings, if there is one
    const char *audit_path; // file for what was changed; NULL: none
    const char *log_path;   // file for the log; NULL: standard error
    uint32_t grace_seconds; // between not being ready and the end
    uint32_t drain_seconds; // from SIGUSR2 to the end
    uint32_t for_seconds;   // 0: no limit
    const char *private_names[ISO__SESSIONS_MAX]; // sessions of the command line that only some may know of
    uint32_t private_count;
    const char *password_path; // of sessions that the command line names: a file with it; NULL: they have none of it
    uint32_t spectators, commands_per_tick, input_bytes, silence_seconds, client_silence_ms; // of each session
    uint32_t unauthenticated, address_connections, address_accepts;
    bool limit_loopback;
    uint32_t address_strikes, address_ban;
    iso__address_range trusted_proxies[ISO__PROXIES_MAX];
    uint32_t trusted_proxy_count;
    bool allow_plaintext;
    bool is_unconfined; // see host/start/sandbox.h
    bool help;
    bool version;
} iso__options;

/// Reads the command line.
///
/// The strings point into argv.
/// @param message  on failure: one sentence that names the option, with a terminating zero
/// @return false when an option is wrong.
bool iso__options_parse(iso__options *options, int argc, char **argv, char *message, size_t message_capacity);

/// The text of --help.
const char *iso__options_help(void);

#endif
