/// The addresses that the server listens on.
#include "host/listen.h"

#include "base/affinity.h"
#include "host/ends.h"
#include "host/watch/log.h"

static bool report_address(const char *option, const char *name, uint16_t port, int error) {
    if (error == UV_ENOMEM) {
        iso__log_error("out of memory");
    } else if (error != 0) {
        iso__log_error("%s: %s:%u cannot be used: %s; choose another with %s HOST:PORT (port 0 takes a free one)",
                       option, name, port, uv_strerror(error), option);
    }
    return error == 0;
}

static bool report_players(const iso__host *host, int error) {
    return report_address("--tcp", host->options.tcp_host, host->options.tcp_port, error);
}

static bool report_http(const iso__host *host, int error) {
    return report_address("--http", host->options.http_host, host->options.http_port, error);
}

static bool report_admin(const iso__host *host, int error) {
    const char *path = host->options.admin_path;
    if (path == NULL) {
        return report_address("--admin", host->options.admin_host, host->options.admin_port, error);
    }
    if (error != 0) {
        iso__log_error("--admin: '%s' cannot be used: %s", path, uv_strerror(error));
    }
    return error == 0;
}

#ifdef ISO__HTTP
static bool drain(void *user, uint32_t seconds, const char *text) {
    return iso__signals_drain(user, seconds, text);
}

static void await_end(void *user) {
    iso__host_await_ends(user);
}
#endif

static bool bind_http(iso__host *host, const iso__host_addresses *addresses) {
#ifdef ISO__HTTP
    iso__web_config config = {
        .options = &host->options,
        .peers = &host->peers,
        .directory = &host->directory,
        .counters = &host->counters,
        .disk = host->is_recorded ? &host->disk : NULL,
        .is_ending = &host->is_ending,
        .is_unready = &host->signals.is_unready,
        .bans = &host->bans,
        .audit = &host->audit,
        .drain = drain,
        .awaits_end = await_end,
        .user = host,
        .created = &host->created,
        .session_builder = &host->session_builder,
        .tokens = &host->tokens,
    };
    if (host->options.has_http &&
        !report_http(host, iso__web_open(&host->web, &host->loop, &addresses->http, &config))) {
        return false;
    }
    config.is_admin = true;
    if (host->options.has_admin) {
        return report_admin(host, iso__web_open(&host->admin, &host->loop, &addresses->admin, &config));
    }
#else
    (void)host;
    (void)addresses;
#endif
    return true;
}

static bool read_tokens(iso__host *host) {
#ifdef ISO__HTTP
    return iso__tokens_open(&host->tokens, &host->options);
#else
    (void)host;
    return true;
#endif
}

bool iso__host_bind(iso__host *host, const iso__host_addresses *addresses, uint32_t stream_max) {
    ISO__ASSERT_ON(&host->io);
    ISO_ASSERT(host->is_loop_open && !host->peers.is_open && stream_max > 0);
    const iso__options *options = &host->options;
    iso__peers_config config = {
        .listener = iso__transport_init(&host->transport),
        .directory = &host->directory,
        .workers = host->workers,
        .worker_count = host->worker_count,
        .counters = &host->counters,
        .key = &host->key,
        .stream_max = stream_max,
        .unauthenticated_max = options->unauthenticated,
        .bans = &host->bans,
        .is_draining = &host->signals.is_draining,
        .bytes_per_second = options->input_bytes,
        .address = {.connections_max = options->address_connections,
                    .accepts_per_second = options->address_accepts,
                    .is_loopback = options->limit_loopback,
                    .strikes_max = options->address_strikes,
                    .out_seconds = options->address_ban,
                    .trusted = options->trusted_proxies,
                    .trusted_count = options->trusted_proxy_count},
    };
    const iso__address *players = &addresses->players;
    return report_players(host, iso__peers_open(&host->peers, &host->loop, players, &config)) &&
           bind_http(host, addresses);
}

bool iso__host_listen(iso__host *host) {
    ISO__ASSERT_ON(&host->io);
    ISO_ASSERT(host->peers.is_open && !host->is_ending && host->started_ns == 0);
    return report_players(host, iso__peers_listen(&host->peers)) &&
           report_http(host, iso__peers_listen_other(&host->peers, 0)) &&
           report_admin(host, iso__peers_listen_other(&host->peers, 1));
}

bool iso__host_resolve(iso__host *host, iso__host_addresses *addresses) {
    ISO__ASSERT_ON(&host->io);
    return iso__setup_address(&host->options, &addresses->players) &&
           iso__setup_http_address(&host->options, &addresses->http) &&
           iso__setup_admin_address(&host->options, &addresses->admin) && read_tokens(host);
}
