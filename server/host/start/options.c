/// The command line: one list, so that the help, the parser and the messages cannot disagree.
#include "host/start/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef ISO__HTTP
#include "http/policy.h"
#endif
#include "host/start/scenes.h"
#include "isostep/assert.h"
#include "isostep/parallel.h"
#include "isostep/proto/session_request.h"
#include "session/session.h"

/// X(name, argument, kind, field, min, max, help)
///   FLAG    `field` becomes true
///   NUMBER  a whole number from min to max
///   others  are parsed by a function of their own
#define OPTION_LIST(X)                                                                                               \
    X("--session", "NAME[=SCENE]", SESSION, scene, 0, 0,                                                             \
      "host a session of this name; repeatable (default: one, named main)")                                          \
    X("--sessions", "N", SESSIONS, scene, 1, ISO__SESSIONS_MAX, "host N sessions, named s0, s1 and so on")           \
    X("--scene", "NAME|FILE", SCENE, scene, 0, 0,                                                                    \
      "a built-in scene, or a scene file, for sessions without one of their own (default sandbox)")                  \
    X("--tcp", "HOST:PORT", TCP, tcp_host, 0, 0,                                                                     \
      "address to listen on; port 0 takes a free one (default 127.0.0.1:7790)")                                      \
    X("--http", "HOST:PORT", HTTP, http_host, 0, 0,                                                                  \
      "address for browsers, health checks and metrics; port 0 takes a free one (default: none)")                    \
    X("--admin", "HOST:PORT|unix:PATH", ADMIN, admin_host, 0, 0,                                                     \
      "second address for HTTP, where alone things are changed and metrics are read (default: none)")                \
    X("--http-origin", "ORIGIN", HTTP_ORIGIN, http_origins, 0, 0,                                                    \
      "pages of this origin, https://example.com, may connect as well; repeatable")                                  \
    X("--http-token", "TOKEN|@FILE", HTTP_TOKEN, http_token, 0, 0,                                                   \
      "a token that allows everything over HTTP, itself or in a file (default: none, and nothing is changed)")       \
    X("--http-tokens", "@FILE", HTTP_TOKENS, http_tokens, 0, 0,                                                      \
      "file of tokens with roles: a line NAME read|moderate|admin SHA-256 EXPIRY each; read again when it changes")  \
    X("--new-token", "NAME:ROLE[:DAYS]", NEW_TOKEN, new_token, 0, 0,                                                 \
      "make a token: it is written to standard error, its line for --http-tokens to standard output")                \
    X("--http-sessions", "N", NUMBER, http_sessions, 0, ISO__HTTP_SESSIONS_MAX,                                      \
      "maximum of sessions that were created over HTTP, at a time (default 16)")                                     \
    X("--http-prefix", "PATH", HTTP_PREFIX, http_prefix, 0, 0,                                                       \
      "path in front of all others, as a reverse proxy passes it on (default: none)")                                \
    X("--record", "DIR", RECORD, record_dir, 0, 0, "record the sessions into this folder")                           \
    X("--allow-unlocked", NULL, FLAG, allow_unlocked, 0, 0,                                                          \
      "allow a folder that cannot be locked reliably (on a network); no other server may use it")                    \
    X("--recover", "refuse|keyframe|anew", RECOVER, recover_policy, 0, 0,                                            \
      "a recording that cannot be continued: do not start, continue from its last keyframe, or begin a new session " \
      "(default refuse)")                                                                                            \
    X("--on-restart", "continue|new", ON_RESTART, begins_new, 0, 0,                                                  \
      "whether recorded sessions that a signal has ended continue at the next start (default continue)")             \
    X("--resume", "FILE", RESUME, scene, 0, 0,                                                                       \
      "continue from this recording, or the newest in --record that came from it, as a session of its name; "        \
      "repeatable")                                                                                                  \
    X("--rewind", "FILE", RESUME, scene, 0, 0,                                                                       \
      "the same, but go back to the end of this recording, whatever came after it")                                  \
    X("--keep", "30d|1000n|20GiB", KEEP, keep, 0, 0,                                                                 \
      "remove a session's old recordings beyond so many days, files or bytes; repeatable (default: keep all)")       \
    X("--keep-all", "30d|1000n|20GiB", KEEP, keep_all, 0, 0, "the same for the recordings of all sessions together") \
    X("--min-free", "SIZE", MIN_FREE, free_min, 0, 0,                                                                \
      "create no session over HTTP while the disk of the recordings has less free, as in 2GiB (default: always)")    \
    X("--roll", "KIB", NUMBER, roll_kib, 1, 1u << 20,                                                                \
      "size of a recording at which another file begins (default 262144)")                                           \
    X("--keyframes", "TICKS", NUMBER, keyframe_interval, 1, 1u << 20,                                                \
      "ticks between keyframes in a recording (default 600)")                                                        \
    X("--tick-rate", "HZ", NUMBER, tick_rate_hz, 10, 128, "ticks per second (default: the scene's)")                 \
    X("--seed", "N", SEED, seed, 0, 0, "seed of the worlds' random numbers (default: the scene's)")                  \
    X("--workers", "N", NUMBER, workers, 1, ISO__WORKERS_MAX,                                                        \
      "threads that run sessions (default: one less than there are processors)")                                     \
    X("--threads", "N", NUMBER, threads, 1, ISO_THREADS_MAX,                                                         \
      "threads that share the steps of worlds for 1000 bodies or more (default 1: each on its worker alone)")        \
    X("--memory", "MIB", NUMBER, memory_mib, 1, 65536, "maximum memory of each session (default 64)")                \
    X("--late", "move|drop|strict", LATE, late_policy, 0, 0,                                                         \
      "late commands: move to the next tick, drop, or let the clock wait briefly (default move)")                    \
    X("--empty", "run|pause|close", EMPTY, empty_policy, 0, 0,                                                       \
      "what a session does when it has had no player for 10 s (default pause)")                                      \
    X("--exit-when-empty", NULL, FLAG, ends_when_empty, 0, 0,                                                        \
      "end with the last session, as --empty close does (default: wait for sessions over HTTP, or a signal)")        \
    X("--desync", "heal|kick|pause|ignore", DESYNC, desync_policy, 0, 0,                                             \
      "what happens to a client whose state differs (default heal)")                                                 \
    X("--hold", "SECONDS", NUMBER, hold_seconds, 1, 3600,                                                            \
      "how long the slot of a disconnected member is held (default 45)")                                             \
    X("--spectators", "N", NUMBER, spectators, 0, 512, "maximum spectators of each session (default 64)")            \
    X("--password-file", "FILE", PASSWORD_FILE, password_path, 0, 0,                                                 \
      "the sessions that are named here need the password in the first line of this file, of mode 0600")             \
    X("--private", "NAME", PRIVATE, private_names, 0, 0,                                                             \
      "the session of this name is known only to who has its name or a token; repeatable")                           \
    X("--commands-per-tick", "N", NUMBER, commands_per_tick, 1, 64,                                                  \
      "commands of a member per tick, on average (default 4)")                                                       \
    X("--input-bytes", "N", NUMBER, input_bytes, 4096, 1u << 24, "bytes of a member per second (default 16384)")     \
    X("--silence", "SECONDS", NUMBER, silence_seconds, 1, 3600,                                                      \
      "longest time without a message from a member (default 30)")                                                   \
    X("--client-silence", "MS", NUMBER, client_silence_ms, 1, 3600000,                                               \
      "time without a message from the server after which a client tries another connection, at least 8 ticks "      \
      "(default 3000)")                                                                                              \
    X("--unauthenticated", "N", NUMBER, unauthenticated, 1, 4096,                                                    \
      "connections that have sent no valid HELLO; beyond, the oldest is closed (default 256)")                       \
    X("--address-connections", "N", NUMBER, address_connections, 1, 8192,                                            \
      "connections and held slots of one address (default 8)")                                                       \
    X("--address-accepts", "N", NUMBER, address_accepts, 1, 100000,                                                  \
      "new connections from one address per second (default 200)")                                                   \
    X("--address-strikes", "N", NUMBER, address_strikes, 1, 1000000,                                                 \
      "malformed messages from one address in a minute, after which it is refused (default 3)")                      \
    X("--address-ban", "SECONDS", NUMBER, address_ban, 1, 604800, "how long it is refused then (default 600)")       \
    X("--trusted-proxy", "CIDR", TRUSTED_PROXY, trusted_proxies, 0, 0,                                               \
      "from these addresses the PROXY header (--tcp) or X-Forwarded-For (--http) says whose a connection is; "       \
      "repeatable (default: none)")                                                                                  \
    X("--limit-loopback", NULL, FLAG, limit_loopback, 0, 0, "apply the limits per address to loopback as well")      \
    X("--allow-plaintext", NULL, FLAG, allow_plaintext, 0, 0,                                                        \
      "allow an address that other machines can reach; traffic is not encrypted")                                    \
    X("--no-sandbox", NULL, FLAG, is_unconfined, 0, 0,                                                               \
      "do not give up the rights that a serving process has no use for (for debuggers and valgrind)")                \
    X("--log", "text|json", LOG, log_json, 0, 0,                                                                     \
      "format of the log on standard error: text, or one JSON object per line (default text)")                       \
    X("--log-file", "FILE", LOG_FILE, log_path, 0, 0, "append the log to this file instead of standard error")       \
    X("--events", "FILE", EVENTS, events_path, 0, 0,                                                                 \
      "append events to this file, one JSON object per line; - is standard output")                                  \
    X("--contacts", NULL, FLAG, tells_contacts, 0, 0,                                                                \
      "with --events: also shapes that begin to touch or cease to, sensors among them")                              \
    X("--for", "SECONDS", NUMBER, for_seconds, 1, 366u * 24 * 3600, "end after this time")                           \
    X("--audit", "FILE", AUDIT, audit_path, 0, 0,                                                                    \
      "append what was changed over HTTP, by whom and from where, one JSON object per line, to this file")           \
    X("--bans", "FILE", BANS, bans_path, 0, 0,                                                                       \
      "keep bans in this file (default: server.bans in the folder of --record)")                                     \
    X("--grace", "SECONDS", NUMBER, grace_seconds, 0, 3600,                                                          \
      "time between a signal, from which on /readyz says 503, and the end of the sessions (default 0)")              \
    X("--drain", "SECONDS", NUMBER, drain_seconds, 1, 86400,                                                         \
      "time from SIGUSR2, from which on nobody new may join, to the end of the sessions (default 60)")               \
    X("--help", NULL, FLAG, help, 0, 0, "print this text")                                                           \
    X("--version", NULL, FLAG, version, 0, 0, "print version, build, formats and games")

typedef enum option_kind {
    OPTION_FLAG,
    OPTION_NUMBER,
    OPTION_SESSION,
    OPTION_SESSIONS,
    OPTION_RESUME,
    OPTION_RECOVER,
    OPTION_ON_RESTART,
    OPTION_LATE,
    OPTION_LOG,
    OPTION_EMPTY,
    OPTION_DESYNC,
    OPTION_SCENE,
    OPTION_TCP,
    OPTION_HTTP,
    OPTION_ADMIN,
    OPTION_HTTP_ORIGIN,
    OPTION_HTTP_PREFIX,
    OPTION_HTTP_TOKEN,
    OPTION_HTTP_TOKENS,
    OPTION_NEW_TOKEN,
    OPTION_TRUSTED_PROXY,
    OPTION_RECORD,
    OPTION_KEEP,
    OPTION_MIN_FREE,
    OPTION_EVENTS,
    OPTION_LOG_FILE,
    OPTION_AUDIT,
    OPTION_BANS,
    OPTION_PASSWORD_FILE,
    OPTION_PRIVATE,
    OPTION_SEED,
} option_kind;

typedef struct option {
    const char *name;
    const char *argument; // NULL: the option takes none
    option_kind kind;
    size_t field; // offset in iso__options
    uint64_t min, max;
    const char *help;
} option;

static const option option_list[] = {
#define OPTION_ROW(name, argument, kind, field, min, max, help) \
    {name, argument, OPTION_##kind, offsetof(iso__options, field), min, max, help},
    OPTION_LIST(OPTION_ROW)
#undef OPTION_ROW
};

#define OPTION_COUNT (sizeof option_list / sizeof option_list[0])

static const char help_head[] =
    "usage: isostep-server [options]\n"
    "\n"
    "Hosts physics sessions. When it serves it prints one line, `ready tcp=HOST:PORT session=NAME,NAME`\n"
    "(with http=HOST:PORT if it has one) with the names of all sessions, on standard output; everything else goes to "
    "standard error.\n"
    "\n";

static const char help_tail[] =
    "\n"
    "SIGTERM or SIGINT ends the sessions, seals the recordings and exits with 0, after --grace; a second one\n"
    "ends at once (not the same one within 100 ms). With --record the sessions continue at the next start, unless\n"
    "--on-restart new was given or --for has ended them.\n"
    "SIGHUP reads files again and opens --log-file, --audit and --events anew, or, with a terminal, ends as SIGTERM "
    "does.\n"
    "SIGUSR2 lets nobody new in, tells who is there, and ends after --drain.\n"
    "SIGUSR1 prints how often each limit was reached, as the end does.\n"
    "ISO_SIMD in the environment names the instruction set: portable, sse4.1, avx2, avx512 or neon; else the fastest.\n"
    "Exit codes: 0 done; 1 something failed, or a recording is incomplete; 2 usage; 3 a scene is unreadable or\n"
    "invalid, or a recording cannot be continued and is unchanged.\n";

const char *iso__options_help(void) {
    static char text[16384];
    int fill = snprintf(text, sizeof text, "%s", help_head);
    for (size_t i = 0; i < OPTION_COUNT; ++i) {
        char words[64];
        snprintf(words, sizeof words, "%s %s", option_list[i].name,
                 option_list[i].argument != NULL ? option_list[i].argument : "");
        ISO_ASSERT((size_t)fill < sizeof text);
        fill += snprintf(text + fill, sizeof text - (size_t)fill, "  %-31s %s\n", words, option_list[i].help);
    }
    ISO_ASSERT((size_t)fill + sizeof help_tail <= sizeof text);
    snprintf(text + fill, sizeof text - (size_t)fill, "%s", help_tail);
    return text;
}

typedef struct parse_report {
    char *text;
    size_t capacity;
} parse_report;

__attribute__((format(printf, 2, 3))) static bool fail(const parse_report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->text, report->capacity, format, arguments);
    va_end(arguments);
    return false;
}

/// Decimal digits only: no sign, no space, no prefix, no overflow.
static bool parse_u64(const char *text, uint64_t max, uint64_t *value) {
    uint64_t result = 0;
    if (*text == '\0') {
        return false;
    }
    for (; *text != '\0'; ++text) {
        if (*text < '0' || *text > '9') {
            return false;
        }
        uint64_t digit = (uint64_t)(*text - '0');
        if (result > (UINT64_MAX - digit) / 10) {
            return false;
        }
        result = result * 10 + digit;
    }
    *value = result;
    return result <= max;
}

static bool parse_number(const option *found, const char *value, uint64_t *number, const parse_report *report) {
    if (parse_u64(value, found->max, number) && *number >= found->min) {
        return true;
    }
    return fail(report, "%s: '%s' is not a whole number from %llu to %llu", found->name, value,
                (unsigned long long)found->min, (unsigned long long)found->max);
}

/// HOST:PORT, with an IPv6 address in brackets.
static bool parse_address(const char *name, const char *text, char *to, uint16_t *to_port, const parse_report *report) {
    const char *colon = strrchr(text, ':');
    uint64_t port = 0;
    if (colon == NULL || !parse_u64(colon + 1, UINT16_MAX, &port)) {
        return fail(report, "%s: '%s' is not HOST:PORT with a port from 0 to 65535", name, text);
    }

    const char *host = text;
    size_t size = (size_t)(colon - text);
    if (size >= 2 && host[0] == '[' && host[size - 1] == ']') {
        ++host;
        size -= 2;
    } else if (memchr(host, ':', size) != NULL) {
        return fail(report, "%s: '%s': write an IPv6 address in brackets, as in [::1]:7790", name, text);
    }
    if (size == 0 || size > ISO__HOST_NAME_MAX) {
        return fail(report, "%s: '%s' has no host before the port", name, text);
    }

    memcpy(to, host, size);
    to[size] = '\0';
    *to_port = (uint16_t)port;
    return true;
}

#ifdef ISO__HTTP
static bool parse_http(iso__options *options, const char *text, const parse_report *report) {
    options->has_http = true;
    return parse_address("--http", text, options->http_host, &options->http_port, report);
}

static bool parse_admin(iso__options *options, const char *text, const parse_report *report) {
    options->has_admin = true;
    options->admin_path = strncmp(text, "unix:", 5) == 0 ? text + 5 : NULL;
    if (options->admin_path == NULL) {
        return parse_address("--admin", text, options->admin_host, &options->admin_port, report);
    }
    const size_t size = strlen(options->admin_path);
    return (size > 0 && size < ISO__SOCKET_PATH_MAX) ||
           fail(report, "--admin: the path behind unix: has to have 1 to %u bytes", ISO__SOCKET_PATH_MAX - 1);
}

static bool add_origin(iso__options *options, const char *text, const parse_report *report) {
    if (!iso__http_is_origin(text)) {
        return fail(report, "--http-origin: '%s' is not an origin, as https://example.com or http://localhost:8080",
                    text);
    }
    if (options->http_origin_count == ISO__ORIGINS_MAX) {
        return fail(report, "--http-origin: there are more than %u", ISO__ORIGINS_MAX);
    }
    options->http_origins[options->http_origin_count++] = text;
    return true;
}

static bool set_token(iso__options *options, const char *text, const parse_report *report) {
    options->http_token = text;
    options->http_token_argument = text[0] != '@' ? (char *)(uintptr_t)text : NULL; // of argv, which may be written to
    return (text[0] == '@' && text[1] != '\0') || iso__http_is_token(text) ||
           fail(report, "--http-token: a token has 16 to 128 letters, digits and - . _ ~ + / =; or @FILE");
}

static bool set_tokens(iso__options *options, const char *text, const parse_report *report) {
    options->http_tokens = text + 1;
    return (text[0] == '@' && text[1] != '\0') ||
           fail(report, "--http-tokens: '%s' is not @FILE; a token itself is given with --http-token", text);
}

static bool set_prefix(iso__options *options, const char *text, const parse_report *report) {
    const size_t size = strlen(text);
    options->http_prefix = text;
    return (size >= 2 && size < 256 && text[0] == '/' && text[size - 1] != '/' && strpbrk(text, "%?#\\") == NULL) ||
           fail(report, "--http-prefix: '%s' is not a path: it begins with a slash and does not end with one", text);
}

static bool apply_http(iso__options *options, const option *found, const char *value, const parse_report *report) {
    if (found->kind == OPTION_HTTP) {
        return parse_http(options, value, report);
    }
    if (found->kind == OPTION_ADMIN) {
        return parse_admin(options, value, report);
    }
    if (found->kind == OPTION_HTTP_ORIGIN) {
        return add_origin(options, value, report);
    }
    if (found->kind == OPTION_HTTP_TOKENS) {
        return set_tokens(options, value, report);
    }
    if (found->kind == OPTION_NEW_TOKEN) {
        options->new_token = value;
        return true;
    }
    return found->kind == OPTION_HTTP_TOKEN ? set_token(options, value, report) : set_prefix(options, value, report);
}
#endif

static bool add_proxy(iso__options *options, const char *text, const parse_report *report) {
    if (options->trusted_proxy_count == ISO__PROXIES_MAX) {
        return fail(report, "--trusted-proxy: there are more than %u", ISO__PROXIES_MAX);
    }
    return iso__address_range_parse(text, &options->trusted_proxies[options->trusted_proxy_count++]) ||
           fail(report, "--trusted-proxy: '%s' is not an address or CIDR, as 192.0.2.7, 10.0.0.0/8 or 2001:db8::/32",
                text);
}

/// @param scene  NULL: the one of --scene
static bool add_session(iso__options *options, const option *found, const char *name, size_t size, const char *scene,
                        const parse_report *report) {
    if (!iso_session_name_is_valid(name, size)) {
        return fail(report, "%s: '%.*s' is not a session's name: 1 to %d of a to z, 0 to 9 and -", found->name,
                    (int)(size < 80 ? size : 80), name, ISO_SESSION_NAME_MAX);
    }
    if (options->session_count == ISO__SESSIONS_MAX) {
        return fail(report, "%s: there are more than %u sessions", found->name, ISO__SESSIONS_MAX);
    }
    for (uint32_t i = 0; i < options->session_count; ++i) {
        if (strlen(options->sessions[i].name) == size && memcmp(options->sessions[i].name, name, size) == 0) {
            return fail(report, "%s: there are two sessions named '%.*s'", found->name, (int)size, name);
        }
    }
    iso__session_spec *spec = &options->sessions[options->session_count++];
    *spec = (iso__session_spec){.scene = scene, .has_scene = scene != NULL};
    memcpy(spec->name, name, size);
    return true;
}

static bool parse_session(iso__options *options, const option *found, const char *value, const parse_report *report) {
    size_t size = strcspn(value, "=");
    const char *scene = value[size] == '=' ? value + size + 1 : NULL;
    if (scene != NULL && *scene == '\0') {
        return fail(report, "%s: '%s': a scene's name or a file is missing after the equals sign", found->name, value);
    }
    return add_session(options, found, value, size, scene, report);
}

static bool parse_sessions(iso__options *options, const option *found, const char *value, const parse_report *report) {
    uint64_t count = 0;
    if (!parse_number(found, value, &count, report)) {
        return false;
    }
    for (uint64_t i = 0; i < count; ++i) {
        char name[24];
        int size = snprintf(name, sizeof name, "s%u", (unsigned)i);
        if (!add_session(options, found, name, (size_t)size, NULL, report)) {
            return false;
        }
    }
    return true;
}

/// Whether there is such a session is known when those of --resume are read.
static bool add_private(iso__options *options, const char *name, const parse_report *report) {
    if (options->private_count == ISO__SESSIONS_MAX) {
        return fail(report, "--private: there are more than %u sessions", ISO__SESSIONS_MAX);
    }
    options->private_names[options->private_count++] = name;
    return true;
}

/// A session whose name is read from the file.
static bool add_resumed(iso__options *options, const option *found, const char *path, const parse_report *report) {
    if (*path == '\0') {
        return fail(report, "%s: a recording is missing", found->name);
    }
    if (options->session_count == ISO__SESSIONS_MAX) {
        return fail(report, "%s: there are more than %u sessions", found->name, ISO__SESSIONS_MAX);
    }
    options->sessions[options->session_count++] =
        (iso__session_spec){.resume = path, .goes_back = strcmp(found->name, "--rewind") == 0};
    return true;
}

/// A word of "one|two|three". @param policies  what the words stand for, in this order
static bool parse_policy(const option *found, const char *value, const uint8_t *policies, uint32_t *policy,
                         const parse_report *report) {
    const char *word = found->argument;
    for (size_t i = 0;; ++i) {
        size_t size = strcspn(word, "|");
        if (strlen(value) == size && memcmp(word, value, size) == 0) {
            *policy = policies[i];
            return true;
        }
        if (word[size] == '\0') {
            return fail(report, "%s: '%s' is not one of %s", found->name, value, found->argument);
        }
        word += size + 1;
    }
}

static bool set_min_free(iso__options *options, const char *value, const parse_report *report) {
    iso__keep_limits size = {0};
    if (!iso__keep_parse(&size, value) || size.bytes == 0) {
        return fail(report, "--min-free: '%s' is not a size, as 500MiB or 2GiB", value);
    }
    options->free_min = size.bytes;
    return true;
}

static bool apply(iso__options *options, const option *found, const char *value, const parse_report *report) {
    static const uint8_t on_restart[] = {0, 1};
    static const uint8_t log_formats[] = {0, 1};
    static const uint8_t recover[] = {ISO__RECOVER_REFUSE, ISO__RECOVER_KEYFRAME, ISO__RECOVER_ANEW};
    static const uint8_t late[] = {ISO_LATE_MOVE, ISO_LATE_DROP, ISO_LATE_STRICT};
    static const uint8_t empty[] = {ISO_EMPTY_RUN, ISO_EMPTY_PAUSE, ISO_EMPTY_CLOSE};
    static const uint8_t desync[] = {ISO_DESYNC_HEAL, ISO_DESYNC_KICK, ISO_DESYNC_PAUSE, ISO_DESYNC_IGNORE};
    uint64_t number = 0;
    switch (found->kind) {
    case OPTION_RESUME:
        return add_resumed(options, found, value, report);
    case OPTION_ON_RESTART:
        return parse_policy(found, value, on_restart, &options->begins_new, report);
    case OPTION_RECOVER:
        return parse_policy(found, value, recover, &options->recover_policy, report);
    case OPTION_LOG:
        return parse_policy(found, value, log_formats, &options->log_json, report);
    case OPTION_LATE:
        return parse_policy(found, value, late, &options->late_policy, report);
    case OPTION_EMPTY:
        return parse_policy(found, value, empty, &options->empty_policy, report);
    case OPTION_DESYNC:
        return parse_policy(found, value, desync, &options->desync_policy, report);
    case OPTION_FLAG:
        *(bool *)((char *)options + found->field) = true;
        return true;
    case OPTION_NUMBER:
        if (!parse_number(found, value, &number, report)) {
            return false;
        }
        *(uint32_t *)(void *)((char *)options + found->field) = (uint32_t)number;
        return true;
    case OPTION_SESSION:
        return parse_session(options, found, value, report);
    case OPTION_SESSIONS:
        return parse_sessions(options, found, value, report);
    case OPTION_SCENE:
        options->scene = value;
        options->has_scene = true;
        return *value != '\0' || fail(report, "--scene: a scene's name or a file is missing");
    case OPTION_TCP:
        return parse_address("--tcp", value, options->tcp_host, &options->tcp_port, report);
    case OPTION_HTTP:
    case OPTION_ADMIN:
    case OPTION_HTTP_ORIGIN:
    case OPTION_HTTP_PREFIX:
    case OPTION_HTTP_TOKEN:
    case OPTION_HTTP_TOKENS:
    case OPTION_NEW_TOKEN:
#ifdef ISO__HTTP
        return apply_http(options, found, value, report);
#else
        return false; // is_left_out
#endif
    case OPTION_TRUSTED_PROXY:
        return add_proxy(options, value, report);
    case OPTION_KEEP:
        return iso__keep_parse((iso__keep_limits *)(void *)((char *)options + found->field), value) ||
               fail(report, "%s: '%s' is not a number with a unit: 30d, 1000n or 20GiB", found->name, value);
    case OPTION_MIN_FREE:
        return set_min_free(options, value, report);
    case OPTION_RECORD:
        options->record_dir = value;
        return *value != '\0' || fail(report, "--record: a folder is missing");
    case OPTION_EVENTS:
        options->events_path = value;
        return *value != '\0' || fail(report, "--events: a file is missing");
    case OPTION_AUDIT:
        options->audit_path = value;
        return *value != '\0' || fail(report, "--audit: a file is missing");
    case OPTION_PASSWORD_FILE:
        options->password_path = value;
        return *value != '\0' || fail(report, "--password-file: a file is missing");
    case OPTION_PRIVATE:
        return add_private(options, value, report);
    case OPTION_BANS:
        options->bans_path = value;
        return *value != '\0' || fail(report, "--bans: a file is missing");
    case OPTION_LOG_FILE:
        options->log_path = value;
        return *value != '\0' || fail(report, "--log-file: a file is missing");
    case OPTION_SEED:
        options->has_seed = true;
        return parse_u64(value, UINT64_MAX, &options->seed) ||
               fail(report, "--seed: '%s' is not a whole number from 0 to 2^64 - 1", value);
    }
    return false;
}

/// Finds `--name` or `--name=value`. *value is what follows the equals sign, or NULL.
static const option *find(const char *word, const char **value) {
    size_t size = strcspn(word, "=");
    *value = word[size] == '=' ? word + size + 1 : NULL;
    for (size_t i = 0; i < OPTION_COUNT; ++i) {
        if (strlen(option_list[i].name) == size && memcmp(option_list[i].name, word, size) == 0) {
            return &option_list[i];
        }
    }
    return NULL;
}

static bool is_left_out(const option *found) {
#ifdef ISO__HTTP
    (void)found;
    return false;
#else
    return strncmp(found->name, "--http", 6) == 0 || found->kind == OPTION_NEW_TOKEN || found->kind == OPTION_ADMIN;
#endif
}

/// An option without which another one would do nothing: who gives that one expects something.
static bool check_needs(const iso__options *options, const parse_report *report) {
    const bool is_recorded = options->record_dir != NULL;
    const struct {
        const char *name;
        bool is_given;
        const char *needs;
        bool is_there;
    } rows[] = {
        {"--admin", options->has_admin, "--http", options->has_http},
        {"--audit", options->audit_path != NULL, "--http", options->has_http},
        {"--min-free", options->free_min > 0, "--http", options->has_http},
        {"--min-free", options->free_min > 0, "--record", is_recorded},
        {"--keep", iso__keep_has_limits(&options->keep), "--record", is_recorded},
        {"--keep-all", iso__keep_has_limits(&options->keep_all), "--record", is_recorded},
        {"--contacts", options->tells_contacts, "--events", options->events_path != NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
        if (rows[i].is_given && !rows[i].is_there) {
            return fail(report, "%s: needs %s as well", rows[i].name, rows[i].needs);
        }
    }
    return true;
}

/// Checks options that depend on each other, and sets defaults.
static bool complete(iso__options *options, const parse_report *report) {
    static const option by_itself = {.name = "--session"};
    if (options->session_count == 0 && !add_session(options, &by_itself, "main", 4, NULL, report)) {
        return false;
    }
    if (!check_needs(options, report)) {
        return false;
    }
    options->ends_when_empty = options->ends_when_empty || options->empty_policy == ISO_EMPTY_CLOSE;
    for (uint32_t i = 0; i < options->session_count; ++i) {
        iso__session_spec *spec = &options->sessions[i];
        if (spec->scene != NULL || spec->resume != NULL) {
            continue;
        }
        spec->scene = options->scene;
        spec->has_scene = options->has_scene;
    }
    return true;
}

static void set_defaults(iso__options *options) {
    memset(options, 0, sizeof *options);
    options->scene = iso__scenes_default();
    memcpy(options->tcp_host, "127.0.0.1", sizeof "127.0.0.1");
    options->tcp_port = 7790;
#ifdef ISO__INSTRUMENTED
    options->is_unconfined = true; // sanitizers and coverage read and write files of their own
#endif
    options->http_prefix = "";
    options->http_sessions = 16;
    options->roll_kib = 256u << 10;
    options->keyframe_interval = ISO_RECORDING_KEYFRAME_INTERVAL;
    options->memory_mib = 64;
    options->recover_policy = ISO__RECOVER_REFUSE;
    options->late_policy = ISO_LATE_MOVE;
    options->empty_policy = ISO_EMPTY_PAUSE;
    options->desync_policy = ISO_DESYNC_HEAL;
    options->hold_seconds = 45;
    options->drain_seconds = 60;
    options->spectators = 64;
    options->commands_per_tick = 4;
    options->input_bytes = 16384;
    options->silence_seconds = 30;
    options->client_silence_ms = 3000;
    options->unauthenticated = 256;
    options->address_connections = 8;
    options->address_accepts = 200;
    options->address_strikes = ISO__ADDRESS_STRIKES_MAX;
    options->address_ban = ISO__ADDRESS_OUT_S;
}

bool iso__options_parse(iso__options *options, int argc, char **argv, char *message, size_t message_capacity) {
    ISO_ASSERT(argc >= 0 && message_capacity > 0);
    parse_report report = {message, message_capacity};
    set_defaults(options);
    for (int i = 1; i < argc; ++i) {
        const char *value = NULL;
        const option *found = find(argv[i], &value);
        if (found == NULL) {
            return fail(&report, "%s: there is no such option; see --help", argv[i]);
        }
        if (is_left_out(found)) {
            return fail(&report, "%s: this program was built without HTTP", found->name);
        }
        if (found->argument == NULL && value != NULL) {
            return fail(&report, "%s: takes no value", found->name);
        }
        if (found->argument != NULL && value == NULL) {
            if (i + 1 == argc) {
                return fail(&report, "%s: %s is missing", found->name, found->argument);
            }
            value = argv[++i];
        }
        if (!apply(options, found, value, &report)) {
            return false;
        }
    }
    return complete(options, &report);
}
