/// A member of the griefer that is driven by hand (griefer.h): the client library does all that has to be right.
#include <stdlib.h>
#include <string.h>

#include "griefer.h"
#include "isostep/games.h"
#include "isostep/heap.h"
#include "isostep/proto/compression.h"

#define JOIN_TIMEOUT_MS 10000
#define TARGET_AHEAD    5 // ticks

static void member_answer(iso__cli_member *member, iso_status code) {
    member->is_answered = true;
    member->answer = code;
}

static void member_give(iso__cli_member *member, const iso_client_event *event);

static void member_decompress(iso__cli_member *member, const iso_client_action *action) {
    uint8_t *raw = malloc(action->raw_size);
    iso_client_event event = {.kind = ISO_CLIENT_EVENT_DECOMPRESSED, .status = ISO_ERR_MEMORY};
    if (raw != NULL) {
        event.status = iso_decompress(action->bytes, action->size, raw, action->raw_size);
        event.bytes = raw;
        event.size = action->raw_size;
    }
    member_give(member, &event);
    free(raw);
}

/// Results of what was sent by hand.
static void member_results(iso__cli_member *member, const iso_client_action *action) {
    for (uint32_t i = 0; action->results != NULL && i < action->command_count; ++i) {
        const iso_sealed_command *sealed = &action->commands[i];
        if (sealed->slot != iso_client_slot(member->client)) {
            continue;
        }
        member->refusal = member->refusal == ISO_OK ? action->results[i].status : member->refusal;
        if (sealed->sequence == member->waited) {
            member_answer(member, action->results[i].status);
            member->answer_id = action->results[i].id;
        }
    }
}

static void member_give(iso__cli_member *member, const iso_client_event *event) {
    iso_client_action action, decompress = {0};
    iso_client_handle(member->client, iso__cli_now_ns(), event);
    while (iso_client_next_action(member->client, &action)) {
        if (action.kind == ISO_CLIENT_ACTION_SEND && (member->is_honest || action.message->kind != ISO_MESSAGE_INPUT)) {
            (void)iso__cli_link_send(member->link, action.message);
        } else if (action.kind == ISO_CLIENT_ACTION_DECOMPRESS) {
            decompress = action;
        } else if (action.kind == ISO_CLIENT_ACTION_TICK) {
            member_results(member, &action);
        } else if (action.kind == ISO_CLIENT_ACTION_REFUSED) {
            member_answer(member, action.status);
        } else if (action.kind == ISO_CLIENT_ACTION_ENDED) {
            member->has_ended = true;
            member_answer(member, action.status);
        }
    }
    if (decompress.kind != 0) {
        member_decompress(member, &decompress);
    }
}

/// Processes what has arrived, waiting for the first message.
static void member_read(iso__cli_member *member, uint64_t timeout_ms) {
    iso_message message;
    while (member->link != NULL && !member->has_ended && iso__cli_link_read(member->link, &message, timeout_ms)) {
        const iso_client_event event = {.kind = ISO_CLIENT_EVENT_MESSAGE, .message = &message};
        member_give(member, &event);
        timeout_ms = 0;
    }
    if (member->link != NULL && !member->has_ended) {
        const uint8_t kind = member->link->is_closed ? ISO_CLIENT_EVENT_DISCONNECTED : ISO_CLIENT_EVENT_TIME;
        member_give(member, &(iso_client_event){.kind = kind});
    }
}

void iso__cli_member_pump(iso__cli_griefer *griefer, iso__cli_member *member) {
    if (member != &griefer->witness) {
        member_read(&griefer->witness, 0);
    }
    member_read(member, 10);
}

static bool member_deadline(uint64_t end_ns) {
    return iso__cli_now_ns() < end_ns;
}

bool iso__cli_griefer_read(iso__cli_griefer *griefer, iso__cli_link *link, iso_message *message, uint64_t timeout_ms) {
    const uint64_t end_ns = iso__cli_now_ns() + timeout_ms * 1000000u;
    bool read = false;
    while (link != NULL && !(read = iso__cli_link_read(link, message, 5)) && !link->is_closed &&
           member_deadline(end_ns)) {
        member_read(&griefer->witness, 0);
    }
    return read;
}

iso_status iso__cli_griefer_end_of(iso__cli_griefer *griefer, iso__cli_link *link, uint64_t timeout_ms,
                                   bool rejects_count) {
    const uint64_t end_ns = iso__cli_now_ns() + timeout_ms * 1000000u;
    iso_message message;
    while (member_deadline(end_ns) && iso__cli_griefer_read(griefer, link, &message, timeout_ms)) {
        if (message.kind == ISO_MESSAGE_BYE) {
            return message.as.bye.code;
        }
        if (message.kind == ISO_MESSAGE_REFUSAL) {
            return message.as.refusal.code;
        }
        if (message.kind == ISO_MESSAGE_REJECT && rejects_count) {
            return message.as.reject.code;
        }
    }
    return ISO_ERR_TIMEOUT;
}

bool iso__cli_member_join(iso__cli_griefer *griefer, iso__cli_member *member, const char *name) {
    const uint64_t end_ns = iso__cli_now_ns() + JOIN_TIMEOUT_MS * UINT64_C(1000000);
    const bool honest = member == &griefer->witness;
    iso_client_config config = iso_client_config_default();
    config.allocator = iso_heap_allocator();
    config.games = griefer->games;
    config.game_count = griefer->game_count;
    config.session = griefer->session;
    config.name = name;
    *member = (iso__cli_member){.is_honest = honest};
    member->link = iso__cli_link_open(&griefer->links);
    if (member->link == NULL || iso_client_create(&config, &member->client) != ISO_OK) {
        return false;
    }
    member_give(member, &(iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    while (member_deadline(end_ns) && !member->has_ended &&
           iso_client_get_phase(member->client) != ISO_CLIENT_PHASE_ACTIVE) {
        iso__cli_member_pump(griefer, member);
    }
    return iso_client_get_phase(member->client) == ISO_CLIENT_PHASE_ACTIVE;
}

void iso__cli_member_leave(iso__cli_griefer *griefer, iso__cli_member *member) {
    if (member->client != NULL && !member->has_ended) {
        member_give(member, &(iso_client_event){.kind = ISO_CLIENT_EVENT_LEAVE});
        (void)iso__cli_member_wait_end(griefer, member, 2000);
    }
    if (member->client != NULL) {
        iso_client_destroy(member->client);
    }
    iso__cli_link_close(member->link);
    *member = (iso__cli_member){0};
}

iso_status iso__cli_member_wait(iso__cli_griefer *griefer, iso__cli_member *member, uint64_t timeout_ms) {
    const uint64_t end_ns = iso__cli_now_ns() + timeout_ms * 1000000u;
    while (!member->is_answered && member_deadline(end_ns)) {
        iso__cli_member_pump(griefer, member);
    }
    const iso_status answer = member->is_answered ? member->answer : ISO_ERR_TIMEOUT;
    member->is_answered = false;
    return answer;
}

iso_status iso__cli_member_wait_end(iso__cli_griefer *griefer, iso__cli_member *member, uint64_t timeout_ms) {
    const uint64_t end_ns = iso__cli_now_ns() + timeout_ms * 1000000u;
    while (!member->has_ended && member_deadline(end_ns)) {
        iso__cli_member_pump(griefer, member);
    }
    return member->has_ended ? member->answer : ISO_ERR_TIMEOUT;
}

bool iso__cli_member_command(iso__cli_member *member, const iso_command *commands, uint32_t count) {
    iso_message message = {.kind = ISO_MESSAGE_INPUT};
    iso_message_input *input = &message.as.input;
    input->target_tick = iso_client_tick(member->client) + TARGET_AHEAD;
    input->ack_tick = iso_client_tick(member->client);
    input->first_sequence = member->sequence + 1u;
    input->commands = commands;
    input->command_count = count;
    member->sequence += count;
    member->waited = member->sequence;
    member->is_answered = false;
    return iso__cli_link_send(member->link, &message);
}

/// The answer of the game of the member's own world to a command; ISO_OK also for the sandbox, whose rules the table
/// has.
static iso_status member_authorize(const iso__cli_member *member, const iso_command *command) {
    const iso_world *world = iso_client_world(member->client);
    const iso_game *game = world != NULL ? iso_world_get_game(world) : NULL;
    if (world == NULL || game == &iso_game_sandbox) {
        return ISO_OK;
    }
    const uint32_t slot = iso_client_slot(member->client);
    const void *state = iso_world_get_game_state(world);
    return game != NULL && game->authorize != NULL ? game->authorize(world, state, slot, command)
                                                   : iso_game_authorize_default(world, state, slot, command);
}

iso_status iso__cli_member_try(iso__cli_griefer *griefer, iso__cli_member *member, const iso_command *command) {
    griefer->game_refusal = member_authorize(member, command);
    return iso__cli_member_command(member, command, 1) ? iso__cli_member_wait(griefer, member, 3000)
                                                       : ISO_ERR_CONNECTION;
}
