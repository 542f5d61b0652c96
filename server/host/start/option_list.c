/// The options: one row each.
#include "host/start/option_list.h"

#include "host/start/option_sessions.h"
#include "host/start/option_values.h"
#include "host/start/option_web.h"
#include "isostep/parallel.h"
#include "isostep/proto/recording.h"
#include "session/session.h"

#define TEXT_OF_(number) #number
#define TEXT_OF(number)  TEXT_OF_(number)

/// The offset of a field, which must have this type.
#define FIELD(type, name) _Generic(((iso__options *)NULL)->name, type : offsetof(iso__options, name))

#define FLAG(name)             .set = iso__option_set_flag, .field = FIELD(bool, name)
#define NUMBER(name, low, top) .set = iso__option_set_number, .field = FIELD(uint32_t, name), .min = (low), .max = (top)
#define WORD(name, ...)        .set = iso__option_set_word, .field = FIELD(uint32_t, name), .words = {__VA_ARGS__}
#define TEXT(name, missing)    .set = iso__option_set_text, .field = FIELD(const char *, name), .what = (missing)
#define KEEP(name)             .set = iso__option_set_keep, .field = FIELD(iso__keep_limits, name)
/// What sets an option of HTTP alone.
#ifdef ISO__HTTP
#define WEB(...) __VA_ARGS__
#else
#define WEB(...) .set = NULL
#endif

_Static_assert(ISO_RECORDING_KEYFRAME_INTERVAL == 600, "the default of --keyframes");

const iso__option iso__option_list[] = {
    {"--session", "NAME[=SCENE]", "host a session of this name; repeatable (default: one, named main)",
     .set = iso__option_set_session},
    {"--sessions", "N", "host N sessions, named s0, s1 and so on", .set = iso__option_set_sessions, .min = 1,
     .max = ISO__SESSIONS_MAX},
    {"--scene", "NAME|FILE",
     "a built-in scene, or a scene file, for sessions without one of their own (default sandbox)",
     .set = iso__option_set_scene},
    {"--tcp", "HOST:PORT", "address to listen on; port 0 takes a free one", .set = iso__option_set_tcp,
     .by_default = "127.0.0.1:7790"},
    {"--http", "HOST:PORT", "address for browsers, health checks and metrics; port 0 takes a free one (default: none)",
     WEB(.set = iso__option_set_http)},
    {"--admin", "HOST:PORT|unix:PATH",
     "second address for HTTP, where alone things are changed and metrics are read (default: none)",
     WEB(.set = iso__option_set_admin)},
    {"--http-origin", "ORIGIN", "pages of this origin, https://example.com, may connect as well; repeatable",
     WEB(.set = iso__option_set_origin)},
    {"--http-token", "TOKEN|@FILE",
     "a token that allows everything over HTTP, itself or in a file (default: none, and nothing is changed)",
     WEB(.set = iso__option_set_token)},
    {"--http-tokens", "@FILE",
     "file of tokens with roles: a line NAME read|moderate|admin SHA-256 EXPIRY each; read again when it changes",
     WEB(.set = iso__option_set_tokens)},
    {"--new-token", "NAME:ROLE[:DAYS]",
     "make a token: it is written to standard error, its line for --http-tokens to standard output",
     WEB(.set = iso__option_set_new_token)},
    {"--http-sessions", "N", "maximum of sessions that were created over HTTP, at a time",
     WEB(NUMBER(http_sessions, 0, ISO__HTTP_SESSIONS_MAX)), .by_default = "16"},
    {"--http-prefix", "PATH", "path in front of all others, as a reverse proxy passes it on (default: none)",
     WEB(.set = iso__option_set_prefix)},
    {"--record", "DIR", "record the sessions into this folder", TEXT(record_dir, "a folder")},
    {"--allow-unlocked", NULL,
     "allow a folder that cannot be locked reliably (on a network); no other server may use it", FLAG(allow_unlocked)},
    {"--recover", "refuse|keyframe|anew",
     "a recording that cannot be continued: do not start, continue from its last keyframe, or begin a new session",
     WORD(recover_policy, ISO__RECOVER_REFUSE, ISO__RECOVER_KEYFRAME, ISO__RECOVER_ANEW), .by_default = "refuse"},
    {"--on-restart", "continue|new", "whether recorded sessions that a signal has ended continue at the next start",
     WORD(begins_new, false, true), .by_default = "continue"},
    {"--resume", "FILE",
     "continue from this recording, or the newest in --record that came from it, as a session of its name; repeatable",
     .set = iso__option_set_resume},
    {"--rewind", "FILE", "the same, but go back to the end of this recording, whatever came after it",
     .set = iso__option_set_resume},
    {"--keep", "30d|1000n|20GiB",
     "remove a session's old recordings beyond so many days, files or bytes; repeatable (default: keep all)",
     KEEP(keep)},
    {"--keep-all", "30d|1000n|20GiB", "the same for the recordings of all sessions together", KEEP(keep_all)},
    {"--min-free", "SIZE",
     "create no session over HTTP while the disk of the recordings has less free, as in 2GiB (default: always)",
     .set = iso__option_set_min_free},
    {"--roll", "KIB", "size of a recording at which another file begins", NUMBER(roll_kib, 1, 1u << 20),
     .by_default = "262144"},
    {"--keyframes", "TICKS", "ticks between keyframes in a recording", NUMBER(keyframe_interval, 1, 1u << 20),
     .by_default = "600"},
    {"--tick-rate", "HZ", "ticks per second (default: the scene's)", NUMBER(tick_rate_hz, 10, 128)},
    {"--seed", "N", "seed of the worlds' random numbers (default: the scene's)", .set = iso__option_set_seed},
    {"--workers", "N", "threads that run sessions (default: one less than there are processors)",
     NUMBER(workers, 1, ISO__WORKERS_MAX)},
    {"--threads", "N",
     "threads that share the steps of worlds for 1000 bodies or more (default 1: each on its worker alone)",
     NUMBER(threads, 1, ISO_THREADS_MAX)},
    {"--memory", "MIB", "maximum memory of each session", NUMBER(memory_mib, 1, 65536), .by_default = "64"},
    {"--late", "move|drop|strict", "late commands: move to the next tick, drop, or let the clock wait briefly",
     WORD(late_policy, ISO_LATE_MOVE, ISO_LATE_DROP, ISO_LATE_STRICT), .by_default = "move"},
    {"--empty", "run|pause|close", "what a session does when it has had no player for 10 s",
     WORD(empty_policy, ISO_EMPTY_RUN, ISO_EMPTY_PAUSE, ISO_EMPTY_CLOSE), .by_default = "pause"},
    {"--exit-when-empty", NULL,
     "end with the last session, as --empty close does (default: wait for sessions over HTTP, or a signal)",
     FLAG(ends_when_empty)},
    {"--desync", "heal|kick|pause|ignore", "what happens to a client whose state differs",
     WORD(desync_policy, ISO_DESYNC_HEAL, ISO_DESYNC_KICK, ISO_DESYNC_PAUSE, ISO_DESYNC_IGNORE), .by_default = "heal"},
    {"--hold", "SECONDS", "how long the slot of a disconnected member is held", NUMBER(hold_seconds, 1, 3600),
     .by_default = "45"},
    {"--spectators", "N", "maximum spectators of each session", NUMBER(spectators, 0, 512), .by_default = "64"},
    {"--password-file", "FILE",
     "the sessions that are named here need the password in the first line of this file, of mode 0600",
     TEXT(password_path, "a file")},
    {"--private", "NAME", "the session of this name is known only to who has its name or a token; repeatable",
     .set = iso__option_set_private},
    {"--commands-per-tick", "N", "commands of a member per tick, on average", NUMBER(commands_per_tick, 1, 64),
     .by_default = "4"},
    {"--input-bytes", "N", "bytes of a member per second", NUMBER(input_bytes, 4096, 1u << 24), .by_default = "16384"},
    {"--silence", "SECONDS", "longest time without a message from a member", NUMBER(silence_seconds, 1, 3600),
     .by_default = "30"},
    {"--client-silence", "MS",
     "time without a message from the server after which a client tries another connection, at least 8 ticks",
     NUMBER(client_silence_ms, 1, 3600000), .by_default = "3000"},
    {"--unauthenticated", "N", "connections that have sent no valid HELLO; beyond, the oldest is closed",
     NUMBER(unauthenticated, 1, 4096), .by_default = "256"},
    {"--address-connections", "N", "connections and held slots of one address", NUMBER(address_connections, 1, 8192),
     .by_default = "8"},
    {"--address-accepts", "N", "new connections from one address per second", NUMBER(address_accepts, 1, 100000),
     .by_default = "200"},
    {"--address-strikes", "N", "malformed messages from one address in a minute, after which it is refused",
     NUMBER(address_strikes, 1, 1000000), .by_default = TEXT_OF(ISO__ADDRESS_LIMIT_STRIKES_MAX)},
    {"--address-ban", "SECONDS", "how long it is refused then", NUMBER(address_ban, 1, 604800),
     .by_default = TEXT_OF(ISO__ADDRESS_LIMIT_OUT_S)},
    {"--trusted-proxy", "CIDR",
     "from these addresses the PROXY header (--tcp) or X-Forwarded-For (--http) says whose a connection is; repeatable "
     "(default: none)",
     .set = iso__option_set_proxy},
    {"--limit-loopback", NULL, "apply the limits per address to loopback as well", FLAG(limit_loopback)},
    {"--allow-plaintext", NULL, "allow an address that other machines can reach; traffic is not encrypted",
     FLAG(allow_plaintext)},
    {"--no-sandbox", NULL,
     "do not give up the rights that a serving process has no use for (for debuggers and valgrind)",
     FLAG(is_unconfined)},
    {"--log", "text|json", "format of the log on standard error: text, or one JSON object per line",
     WORD(log_json, false, true), .by_default = "text"},
    {"--log-file", "FILE", "append the log to this file instead of standard error", TEXT(log_path, "a file")},
    {"--events", "FILE", "append events to this file, one JSON object per line; - is standard output",
     TEXT(events_path, "a file")},
    {"--contacts", NULL, "with --events: also shapes that begin to touch or cease to, sensors among them",
     FLAG(tells_contacts)},
    {"--for", "SECONDS", "end after this time", NUMBER(for_seconds, 1, 366u * 24 * 3600)},
    {"--audit", "FILE",
     "append what was changed over HTTP, by whom and from where, one JSON object per line, to this file",
     TEXT(audit_path, "a file")},
    {"--bans", "FILE", "keep bans in this file (default: server.bans in the folder of --record)",
     TEXT(bans_path, "a file")},
    {"--grace", "SECONDS",
     "time between a signal, from which on /readyz says 503 and members are told, and the end of the sessions",
     NUMBER(grace_seconds, 0, 3600), .by_default = "0"},
    {"--drain", "SECONDS", "time from SIGUSR2, from which on nobody new may join, to the end of the sessions",
     NUMBER(drain_seconds, 1, 86400), .by_default = "60"},
    {"--help", NULL, "print this text", FLAG(help)},
    {"--version", NULL, "print version, build, formats and games", FLAG(version)},
};

const size_t iso__option_count = sizeof iso__option_list / sizeof iso__option_list[0];
