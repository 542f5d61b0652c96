/// A whole client in one page: connects, joins, steps the session's world, checks every root and pushes its body to
/// the right.
///
///     isostep-minimal-client HOST PORT TICKS
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

#include "isostep/client_uv.h"
#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/proto/text.h"

typedef struct player {
    iso_client *client;
    iso_client_uv *link;
    uint64_t ticks; // to play
    uint64_t last_tick;
    bool has_failed;
} player;

static void on_action(void *user, const iso_client_action *action) {
    static const uint8_t right[8] = {0xFF, 0x7F}; // "axes-buttons-8": x at its largest
    player *p = user;
    switch (action->kind) {
    case ISO_CLIENT_ACTION_JOINED:
        printf("joined at tick %llu in slot %u\n", (unsigned long long)action->tick, action->slot);
        p->last_tick = action->tick + p->ticks;
        iso_client_set_control(p->client, right, sizeof(right));
        break;
    case ISO_CLIENT_ACTION_TICK: // the world has moved on: iso_client_world
        if (iso_client_get_phase(p->client) == ISO_CLIENT_PHASE_ACTIVE && action->tick >= p->last_tick) {
            iso_client_uv_leave(p->link);
        }
        break;
    case ISO_CLIENT_ACTION_DESYNC:
        printf("desync after tick %llu\n", (unsigned long long)action->tick);
        break;
    case ISO_CLIENT_ACTION_ENDED:
        p->has_failed = action->status != ISO_OK;
        iso_print(stdout, "ended: %s\n",
                  !p->has_failed            ? "left"
                  : action->text[0] != '\0' ? action->text
                                            : iso_status_text(action->status));
        break;
    default:
        break;
    }
}

int main(int argc, char **argv) {
    const iso_game *const games[] = {&iso_game_sandbox};
    char *end = argc == 4 ? argv[3] : NULL;
    player p = {.ticks = argc == 4 ? strtoull(argv[3], &end, 10) : 0, .last_tick = UINT64_MAX};
    if (argc != 4 || argv[3][0] < '0' || argv[3][0] > '9' || *end != 0) {
        iso_print(stderr, "usage: isostep-minimal-client HOST PORT TICKS\n");
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    iso_client_config config = iso_client_config_default();
    config.allocator = iso_heap_allocator();
    config.games = games;
    config.game_count = 1;
    config.name = "minimal";
    iso_client_uv_config link = iso_client_uv_config_default();
    link.loop = uv_default_loop();
    link.host = argv[1];
    link.port = argv[2];
    link.action = on_action;
    link.user = &p;
    if (iso_client_create(&config, &p.client) != ISO_OK) {
        return 4;
    }
    link.client = p.client;
    if (iso_client_uv_start(&link, &p.link) != ISO_OK || uv_run(link.loop, UV_RUN_DEFAULT) != 0) {
        return 4;
    }
    if (iso_client_uv_error(p.link) != 0) {
        iso_print(stderr, "isostep-minimal-client: there is no server at %s, port %s\n", argv[1], argv[2]);
    }
    iso_client_stats stats;
    iso_client_get_stats(p.client, &stats);
    printf("%llu root%s checked, %llu desync%s\n", (unsigned long long)stats.roots_checked,
           stats.roots_checked == 1 ? "" : "s", (unsigned long long)stats.desyncs, stats.desyncs == 1 ? "" : "s");
    iso_client_uv_destroy(p.link);
    iso_client_destroy(p.client);
    return stats.desyncs > 0 ? 1 : p.has_failed ? 4 : 0;
}
