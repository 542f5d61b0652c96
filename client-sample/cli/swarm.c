#include <stdio.h>

#include "app.h"

uint32_t iso__cli_swarm_session(const iso__cli_app *app, uint32_t index) {
    return index % app->options.session_count;
}

bool iso__cli_swarm_verifies(const iso__cli_app *app, uint32_t index) {
    return index < (app->options.verify > 0 ? app->options.verify : app->options.session_count);
}

const char *iso__cli_swarm_session_name(const iso__cli_app *app, uint32_t session,
                                        char name[ISO_SESSION_NAME_MAX + 1]) {
    if (app->options.is_numbered) {
        snprintf(name, ISO_SESSION_NAME_MAX + 1, "s%u", (unsigned)session);
    } else {
        snprintf(name, ISO_SESSION_NAME_MAX + 1, "%s", app->options.sessions[session]);
    }
    return name;
}

void iso__cli_swarm_watch(iso__cli_app *app, iso__cli_peer *peer, uint64_t tick) {
    iso_client_stats stats;
    if (tick < peer->margin_tick) {
        return;
    }
    iso_client_get_stats(peer->client, &stats);
    peer->margin_tick = tick + iso_client_welcome(peer->client)->tick_rate_hz / 2u;
    // The first second is not counted: the clock is still being set.
    if (!stats.is_margin_known || tick < stats.first_tick + iso_client_welcome(peer->client)->tick_rate_hz) {
        return;
    }
    int32_t step = (stats.margin_q8 - ISO__CLI_MARGIN_MIN_TICKS * 256) / 32;
    step = step < 0 ? 0 : step;
    step = step < ISO__CLI_MARGIN_STEPS ? step : ISO__CLI_MARGIN_STEPS - 1;
    app->margins[step] += 1;
}

bool iso__cli_swarm_margin(const iso__cli_app *app, uint32_t per_mille, double *margin) {
    uint64_t total = 0;
    for (int i = 0; i < ISO__CLI_MARGIN_STEPS; ++i) {
        total += app->margins[i];
    }
    uint64_t below = 0;
    const uint64_t wanted = (total * per_mille + 999u) / 1000u;
    for (int i = 0; i < ISO__CLI_MARGIN_STEPS; ++i) {
        below += app->margins[i];
        if (app->margins[i] > 0 && below >= wanted) {
            *margin = ISO__CLI_MARGIN_MIN_TICKS + i / 8.0;
            return true;
        }
    }
    return false;
}
