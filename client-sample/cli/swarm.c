/// Many members (app.h): which of them verify and speak, and how early their inputs arrive.
#include <stdio.h>

#include "app.h"

uint32_t iso__cli_swarm_session(const iso__cli_app *app, uint32_t index) {
    return index % app->options.session_count;
}

bool iso__cli_swarm_verifies(const iso__cli_app *app, uint32_t index) {
    return index < (app->options.verify > 0 ? app->options.verify : app->options.session_count);
}

bool iso__cli_swarm_speaks(const iso__cli_app *app, uint32_t index) {
    bool is_first = iso__cli_swarm_verifies(app, index);
    for (uint32_t i = 0; i < index && is_first; ++i) {
        const iso__cli_peer *other = &app->peers[i];
        is_first = !iso__cli_swarm_verifies(app, i) || !other->is_away || other->has_ended;
    }
    return is_first;
}

void iso__cli_swarm_reconnects(iso__cli_app *app, const iso_client_action *action) {
    if (action->status == ISO_ERR_SESSION_FULL && app->options.swarm > 1 && !app->has_told_full) {
        app->has_told_full = true;
        iso__cli_say(app,
                     "not all of the %u members of --swarm find a free slot; those without one try again for %u s "
                     "(--reconnect). A scene says how many slots a session has (capacities.slots); --session and "
                     "--sessions spread the members over several",
                     (unsigned)app->options.swarm, (unsigned)app->options.reconnect);
    }
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
