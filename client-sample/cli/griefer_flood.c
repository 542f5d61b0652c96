/// Attacks by number, size and slowness (griefer.h).
#include <stdlib.h>
#include <string.h>

#include "griefer.h"

#define CONNECTIONS 300 // above the 256 that may be without a HELLO
#define SPECTATORS  65
#define PLAYERS     33

// ---- commands and bytes -----------------------------------------------------------------------------

/// Inputs without a pause. @return how the connection ends
static iso_status flood(iso__cli_griefer *g, uint8_t kind, uint32_t command_count) {
    iso__cli_member member;
    iso_status answer = ISO_ERR_JOIN_TIMEOUT;
    if (iso__cli_member_join(g, &member, "griefer")) {
        iso_command commands[8];
        memset(commands, 0, sizeof(commands));
        for (uint32_t i = 0; i < 8; ++i) {
            commands[i].kind = kind;
            commands[i].as.custom.size = kind == ISO_COMMAND_CUSTOM ? ISO_CUSTOM_SIZE_MAX : 0;
        }
        for (uint32_t i = 0; i < 100 && iso__cli_member_command(&member, commands, command_count); ++i) {
        }
        answer = iso__cli_member_wait_end(g, &member, 5000);
    }
    iso__cli_member_leave(g, &member);
    return answer;
}

static iso_status attack_command_flood(iso__cli_griefer *g) {
    return flood(g, ISO_COMMAND_SET_CONTROL, 8);
}

static iso_status attack_byte_flood(iso__cli_griefer *g) {
    return flood(g, ISO_COMMAND_CUSTOM, 4);
}

/// A little too much at once is refused, and the member stays.
static iso_status attack_burst(iso__cli_griefer *g) {
    iso__cli_member member;
    iso_status answer = ISO_ERR_JOIN_TIMEOUT;
    if (iso__cli_member_join(g, &member, "griefer")) {
        iso_command commands[8];
        memset(commands, 0, sizeof(commands));
        for (uint32_t i = 0; i < 8; ++i) {
            commands[i].kind = ISO_COMMAND_SET_CONTROL;
        }
        for (uint32_t i = 0; i < 6; ++i) {
            (void)iso__cli_member_command(&member, commands, 8);
        }
        member.waited = 0; // only a refusal is an answer
        answer = iso__cli_member_wait(g, &member, 3000);
        answer = member.has_ended ? ISO_ERR_CONNECTION : answer;
    }
    iso__cli_member_leave(g, &member);
    return answer;
}

// ---- connections ------------------------------------------------------------------------------------

/// The oldest silent connection is closed to make room; a client that sends HELLO still gets in.
static iso_status attack_connection_flood(iso__cli_griefer *g) {
    static iso__cli_link *links[CONNECTIONS];
    uint32_t open = 0;
    while (open < CONNECTIONS && (links[open] = iso__cli_link_open(&g->links)) != NULL) {
        open += 1;
        iso__cli_member_pump(g, &g->witness);
    }
    iso_status answer = open > 0 ? iso__cli_griefer_end_of(g, links[0], 3000, false) : ISO_ERR_CONNECTION;
    iso__cli_link *honest = iso__cli_link_open(&g->links);
    iso_message message = iso__cli_link_hello(g->session, ISO_ROLE_SPECTATOR);
    if (honest == NULL || !iso__cli_link_send(honest, &message) || !iso__cli_griefer_read(g, honest, &message, 3000) ||
        message.kind != ISO_MESSAGE_WELCOME) {
        answer = ISO_ERR_CONNECTION;
    }
    iso__cli_link_close(honest);
    for (uint32_t i = 0; i < open; ++i) {
        iso__cli_link_close(links[i]);
    }
    return answer;
}

/// Sends LEAVE on all links, so that their slots are free for the next attack: of a connection that is only closed
/// the server may learn when it next has something to send.
static void crowd_leave(iso__cli_griefer *g, iso__cli_link **links, uint32_t count) {
    const iso_message leave = {.kind = ISO_MESSAGE_LEAVE};
    for (uint32_t i = 0; i < count; ++i) {
        if (links[i] != NULL) {
            (void)iso__cli_link_send(links[i], &leave);
        }
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (links[i] != NULL) {
            (void)iso__cli_griefer_end_of(g, links[i], 1000, false);
        }
        iso__cli_link_close(links[i]);
    }
}

/// One more than there is room for. @return the last refusal
static iso_status crowd(iso__cli_griefer *g, uint8_t role, uint32_t count) {
    iso__cli_link *links[SPECTATORS] = {NULL};
    iso_status answer = ISO_OK;
    for (uint32_t i = 0; i < count && answer == ISO_OK; ++i) {
        iso_message message = iso__cli_link_hello(g->session, role);
        links[i] = iso__cli_link_open(&g->links);
        answer = ISO_ERR_CONNECTION;
        if (links[i] != NULL && iso__cli_link_send(links[i], &message) &&
            iso__cli_griefer_read(g, links[i], &message, 3000)) {
            answer = message.kind == ISO_MESSAGE_REFUSAL ? message.as.refusal.code : ISO_OK;
        }
    }
    crowd_leave(g, links, count);
    return answer;
}

static iso_status attack_spectators(iso__cli_griefer *g) {
    return crowd(g, ISO_ROLE_SPECTATOR, SPECTATORS);
}

static iso_status attack_players(iso__cli_griefer *g) {
    return crowd(g, ISO_ROLE_PLAYER, PLAYERS);
}

static iso_status attack_spectator_commands(iso__cli_griefer *g) {
    iso__cli_link *link = iso__cli_link_open(&g->links);
    iso_message message = iso__cli_link_hello(g->session, ISO_ROLE_SPECTATOR);
    iso_status answer = ISO_ERR_CONNECTION;
    bool sent = link != NULL && iso__cli_link_send(link, &message);
    uint64_t root_tick = 0, root = 0;
    bool caught_up = false;
    while (sent && answer == ISO_ERR_CONNECTION && iso__cli_griefer_read(g, link, &message, 3000)) {
        iso_message reply = {.kind = 0};
        if (message.kind == ISO_MESSAGE_SNAPSHOT_CHUNK) {
            reply.kind = ISO_MESSAGE_SNAPSHOT_ACK;
            reply.as.snapshot_ack.index = message.as.snapshot_chunk.index;
        } else if (message.kind == ISO_MESSAGE_TICK && !caught_up) {
            root_tick = message.as.tick.hashed_tick;
            root = message.as.tick.root;
            caught_up = true;
            reply.kind = ISO_MESSAGE_CAUGHT_UP;
            reply.as.caught_up.tick = root_tick;
            reply.as.caught_up.root = root;
        } else if (message.kind == ISO_MESSAGE_ACTIVATE) {
            iso_command command;
            memset(&command, 0, sizeof(command));
            command.kind = ISO_COMMAND_SET_CONTROL;
            const iso_message input = {
                .kind = ISO_MESSAGE_INPUT,
                .as.input = {.target_tick = root_tick + 10,
                             .first_sequence = 1,
                             .commands = &command,
                             .command_count = 1},
            };
            sent = iso__cli_link_send(link, &input);
        } else if (message.kind == ISO_MESSAGE_REJECT) {
            answer = message.as.reject.code;
        } else if (message.kind == ISO_MESSAGE_BYE) {
            answer = message.as.bye.code;
        } else if (message.kind == ISO_MESSAGE_REFUSAL) {
            answer = message.as.refusal.code;
        }
        sent = sent && (reply.kind == 0 || iso__cli_link_send(link, &reply));
    }
    iso__cli_link_close(link);
    return answer;
}

// ---- slowness ---------------------------------------------------------------------------------------

/// Receives everything and acknowledges nothing.
static iso_status attack_slow_reader(iso__cli_griefer *g) {
    iso__cli_member member;
    iso_status answer = ISO_ERR_JOIN_TIMEOUT;
    if (iso__cli_member_join(g, &member, "griefer")) {
        // Confirms acknowledge too; a client that stops stepping sends none.
        answer = iso__cli_griefer_end_of(g, member.link, 20000, false);
        member.has_ended = true;
    }
    iso__cli_member_leave(g, &member);
    return answer;
}

static iso_status attack_silent(iso__cli_griefer *g) {
    return iso__cli_griefer_end_of(g, g->slow[ISO__CLI_SLOW_SILENT], 8000, false);
}

static iso_status attack_half_frame(iso__cli_griefer *g) {
    return iso__cli_griefer_end_of(g, g->slow[ISO__CLI_SLOW_HALF_FRAME], 8000, false);
}

static iso_status attack_slow_joiner(iso__cli_griefer *g) {
    return iso__cli_griefer_end_of(g, g->slow[ISO__CLI_SLOW_JOINER], 25000, false);
}

const iso__cli_attack iso__cli_attacks_flood[] = {
    {"48 commands at once", ISO_ERR_RATE, ISO_ERR_RATE, attack_burst},
    {"command flood", ISO_ERR_RATE, ISO_ERR_RATE, attack_command_flood},
    {"byte flood", ISO_ERR_RATE, ISO_ERR_RATE, attack_byte_flood},
    {"connection without a word", ISO_ERR_TIMEOUT, ISO_ERR_TIMEOUT, attack_silent},
    {"half a frame", ISO_ERR_TIMEOUT, ISO_ERR_TIMEOUT, attack_half_frame},
    {"300 silent connections", ISO_ERR_SERVER_FULL, ISO_ERR_SERVER_FULL, attack_connection_flood},
    {"65 spectators", ISO_ERR_SPECTATORS_FULL, ISO_ERR_SPECTATORS_FULL, attack_spectators},
    {"33 members", ISO_ERR_SESSION_FULL, ISO_ERR_SESSION_FULL, attack_players},
    {"commands of a spectator", ISO_ERR_ROLE, ISO_ERR_ROLE, attack_spectator_commands},
    {"reads and acknowledges nothing", ISO_ERR_SLOW_CONSUMER, ISO_ERR_SLOW_CONSUMER, attack_slow_reader},
    {"takes the snapshot and is silent", ISO_ERR_JOIN_TIMEOUT, ISO_ERR_TOO_SLOW, attack_slow_joiner},
    {NULL, ISO_OK, ISO_OK, NULL},
};
