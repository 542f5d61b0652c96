/// What must hold at every event. The oracle believes nobody: it computes the server's roots itself, keeps
/// what each client has sent, and looks at the bytes on the disk.
#include <string.h>

#include "isostep/proto/recording.h"
#include "sim.h"

/// FNV-1a, 64 bits.
uint64_t oracle_digest(uint64_t digest, const void *bytes, size_t size) {
    const uint8_t *at = bytes;
    digest ^= UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; ++i) {
        digest = (digest ^ at[i]) * UINT64_C(0x100000001b3);
    }
    return digest;
}

static uint64_t digest_number(uint64_t digest, uint64_t value) {
    return oracle_digest(digest, &value, sizeof value);
}

static uint64_t digest_command(uint64_t digest, const iso_command *command) {
    uint8_t bytes[ISO_COMMAND_SIZE_MAX];
    const size_t size = iso_command_encode(command, bytes, sizeof bytes);
    return oracle_digest(digest, bytes, size);
}

static uint64_t digest_commands(uint64_t digest, const iso_sealed_command *commands, uint32_t count) {
    digest = digest_number(digest, count);
    for (uint32_t i = 0; i < count; ++i) {
        digest = digest_number(digest, commands[i].slot);
        digest = digest_number(digest, commands[i].sequence);
        digest = digest_command(digest, &commands[i].command);
    }
    return digest;
}

/// Who is in the world, whether or not anybody is told of the tick.
static void presence_follow(sim *s) {
    for (uint32_t i = 0; i < s->client_count; ++i) {
        sim_client *c = &s->clients[i];
        iso_slot_view view;
        if (!c->activated || c->gone_tick != 0 || !iso_world_get_slot(s->server.world, c->slot, &view)) {
            continue;
        }
        const bool present = view.occupied && view.generation == c->generation;
        c->gone_tick = c->present && !present ? s->last_tick : 0;
        c->present = present;
    }
}

void oracle_stepped(sim *s) {
    const uint64_t tick = iso_world_get_tick(s->server.world);
    SIM_CHECK(s, tick <= s->last_tick + 1, "the session sealed two ticks in one event");
    if (tick == s->last_tick + 1) {
        SIM_CHECK(s, tick < SIM_TICKS_MAX, "more ticks than a run has");
        s->last_tick = tick;
        s->ticks[tick].root = iso_world_root(s->server.world);
        presence_follow(s);
        sim_trace(s, tick, s->ticks[tick].root);
    }
}

static sim_sent *sent_find(sim_client *c, uint64_t sequence) {
    for (uint32_t i = c->sent_count; i-- > 0;) {
        if (c->sent[i].sequence == sequence) {
            return &c->sent[i];
        }
    }
    return NULL;
}

/// A command in a tick: somebody sent exactly this, it is the first time, and nothing was overtaken.
static void sealed_check(sim *s, uint64_t tick, const iso_sealed_command *sealed) {
    SIM_CHECK(s, sealed->slot < ISO_SLOT_COUNT_MAX && s->slot_clients[sealed->slot] >= 0,
              "tick %llu has a command of slot %u, where nobody is", (unsigned long long)tick, (unsigned)sealed->slot);
    sim_client *c = &s->clients[s->slot_clients[sealed->slot]];
    const unsigned long long sequence = sealed->sequence;
    sim_sent *sent = sent_find(c, sealed->sequence);
    SIM_CHECK(s, sent != NULL, "tick %llu has command %llu of slot %u, which was never sent", (unsigned long long)tick,
              sequence, (unsigned)sealed->slot);
    SIM_CHECK(s, sent->digest == digest_command(0, &sealed->command), "command %llu of slot %u was changed on its way",
              sequence, (unsigned)sealed->slot);
    SIM_CHECK(s, sent->sealed_tick == 0, "command %llu of slot %u is in two ticks", sequence, (unsigned)sealed->slot);
    SIM_CHECK(s, !sent->rejected, "command %llu of slot %u was rejected and sealed", sequence, (unsigned)sealed->slot);
    SIM_CHECK(s, sealed->sequence > c->last_sealed, "command %llu of slot %u is sealed after %llu", sequence,
              (unsigned)sealed->slot, (unsigned long long)c->last_sealed);
    SIM_CHECK(s, sent->handled_tick != UINT64_MAX && tick > sent->handled_tick,
              "command %llu of slot %u is sealed before it came", sequence, (unsigned)sealed->slot);
    SIM_CHECK(s, tick >= sent->target, "command %llu of slot %u is sealed before its target", sequence,
              (unsigned)sealed->slot);
    const uint64_t moved = tick - sent->target;
    SIM_CHECK(s, sealed->moved == moved && moved <= s->config.late_ticks_max + 4u,
              "command %llu of slot %u was moved by %llu ticks, the tick says %u", sequence, (unsigned)sealed->slot,
              (unsigned long long)moved, (unsigned)sealed->moved);
    sent->sealed_tick = tick;
    c->last_sealed = sealed->sequence;
}

static void changes_check(sim *s, uint64_t tick, const iso_change *changes, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        const iso_change *change = &changes[i];
        SIM_CHECK(s, s->slot_clients[change->slot] >= 0, "tick %llu has a change of slot %u, where nobody is",
                  (unsigned long long)tick, (unsigned)change->slot);
        sim_client *c = &s->clients[s->slot_clients[change->slot]];
        SIM_CHECK(s, change->slot_generation == c->generation,
                  "tick %llu has a change of slot %u with generation %u, not %u", (unsigned long long)tick,
                  (unsigned)change->slot, (unsigned)change->slot_generation, (unsigned)c->generation);
        if (change->kind == ISO_CHANGE_JOIN) {
            SIM_CHECK(s, c->join_tick == 0, "a member joins twice");
            c->join_tick = tick;
        } else {
            SIM_CHECK(s, c->join_tick != 0 && c->leave_tick == 0, "a member leaves that is not there");
            c->leave_tick = tick;
            s->slot_clients[change->slot] = -1;
        }
    }
}

void oracle_sealed(sim *s, uint64_t tick, const iso_change *changes, uint32_t change_count,
                   const iso_sealed_command *commands, uint32_t command_count) {
    SIM_CHECK(s, tick >= 1 && tick <= s->last_tick, "tick %llu is told of before it is stepped",
              (unsigned long long)tick);
    uint64_t digest = digest_commands(0, commands, command_count);
    sim_tick *known = &s->ticks[tick];
    if (known->known) {
        SIM_CHECK(s, known->digest == digest, "tick %llu has two contents", (unsigned long long)tick);
        return;
    }
    known->known = true;
    known->digest = digest;
    changes_check(s, tick, changes, change_count);
    for (uint32_t i = 0; i < command_count; ++i) {
        const bool ordered =
            i == 0 || commands[i].slot > commands[i - 1].slot ||
            (commands[i].slot == commands[i - 1].slot && commands[i].sequence > commands[i - 1].sequence);
        SIM_CHECK(s, ordered, "tick %llu is not sorted by slot and sequence", (unsigned long long)tick);
        sealed_check(s, tick, &commands[i]);
    }
}

/// What anybody sees of a tick must stand on the disk, in whole frames, before.
static void written_check(sim *s, uint64_t tick) {
    if (!s->config.recording || s->server.told.degraded || tick <= s->disk_tick) {
        return;
    }
    iso_recording recording;
    iso_recording_error error;
    const iso_status status = iso_recording_open(&recording, s->disk.bytes, s->disk.size, ISO_RECORDING_TORN, &error);
    SIM_CHECK(s, status == ISO_OK, "tick %llu is sent, but the file on the disk cannot be read: %s",
              (unsigned long long)tick, iso_status_name(status));
    SIM_CHECK(s, tick <= recording.last_tick, "tick %llu is sent, but the disk has only %llu", (unsigned long long)tick,
              (unsigned long long)recording.last_tick);
    // Reading back costs time; what stands there now need not be looked for again.
    s->disk_tick = recording.last_tick;
}

void oracle_server_sends(sim *s, uint32_t index, const iso_message *message) {
    sim_client *c = &s->clients[index];
    if (message->kind == ISO_MESSAGE_TICK) {
        written_check(s, message->as.tick.tick);
        SIM_CHECK(s, message->as.tick.root == s->ticks[message->as.tick.hashed_tick].root,
                  "a tick is sent with a wrong root");
    } else if (message->kind == ISO_MESSAGE_SNAPSHOT_BEGIN) {
        written_check(s, message->as.snapshot_begin.tick);
    } else if (message->kind == ISO_MESSAGE_ACTIVATE && message->as.activate.slot != ISO_SLOT_NONE) {
        const uint8_t slot = message->as.activate.slot;
        SIM_CHECK(s, !c->activated, "a client is activated twice");
        c->activated = true;
        c->slot = slot;
        c->generation = message->as.activate.slot_generation;
        s->slot_clients[slot] = (int32_t)index;
    } else if (message->kind == ISO_MESSAGE_REJECT) {
        sim_log(s, "client %u: command %llu rejected: %s", index, (unsigned long long)message->as.reject.sequence,
                iso_status_name(message->as.reject.code));
        sim_sent *sent = sent_find(c, message->as.reject.sequence);
        SIM_CHECK(s, sent != NULL && sent->sealed_tick == 0, "a command is rejected that was not sent, or was sealed");
        sent->rejected = true;
    }
}

void oracle_client_sends(sim *s, uint32_t index, const iso_message *message) {
    sim_client *c = &s->clients[index];
    if (message->kind != ISO_MESSAGE_INPUT) {
        return;
    }
    const iso_message_input *input = &message->as.input;
    for (uint32_t i = 0; i < input->command_count; ++i) {
        const uint64_t sequence = input->first_sequence + i;
        SIM_CHECK(s, c->sent_count < SIM_SENT_MAX, "more commands than a run has");
        SIM_CHECK(s, c->sent_count == 0 || sequence > c->sent[c->sent_count - 1].sequence,
                  "a client's sequences do not rise");
        c->sent[c->sent_count++] = (sim_sent){.sequence = sequence,
                                              .target = input->target_tick,
                                              .digest = digest_command(0, &input->commands[i]),
                                              .handled_tick = UINT64_MAX};
    }
}

void oracle_server_hears(sim *s, uint32_t index, const iso_message *message) {
    if (message->kind != ISO_MESSAGE_INPUT || s->clients[index].client == NULL) {
        return;
    }
    for (uint32_t i = 0; i < message->as.input.command_count; ++i) {
        sim_sent *sent = sent_find(&s->clients[index], message->as.input.first_sequence + i);
        SIM_CHECK(s, sent != NULL && sent->handled_tick == UINT64_MAX, "a command comes twice, or from nowhere");
        sent->handled_tick = s->last_tick;
    }
}

void oracle_client_ticks(sim *s, uint32_t index, const iso_client_action *action) {
    sim_client *c = &s->clients[index];
    const unsigned long long tick = action->tick;
    SIM_CHECK(s, action->tick >= 1 && action->tick <= s->last_tick, "client %u is at tick %llu, the server at %llu",
              index, tick, (unsigned long long)s->last_tick);
    SIM_CHECK(s, !c->has_tick || action->tick == c->tick + 1, "client %u goes from tick %llu to %llu", index,
              (unsigned long long)c->tick, tick);
    c->tick = action->tick;
    c->has_tick = true;
    s->totals.client_ticks += 1;
    if (c->active_tick == 0 && iso_client_get_phase(c->client) == ISO_CLIENT_PHASE_ACTIVE) {
        c->active_tick = action->tick;
    }
    SIM_CHECK(s, s->ticks[action->tick].digest == digest_commands(0, action->commands, action->command_count),
              "client %u has another content of tick %llu", index, tick);
    // The world is the client's; reading its root only fills a cache.
    const uint64_t root = iso_world_root((iso_world *)(uintptr_t)iso_client_world(c->client));
    const bool flipped = c->flip_at_tick != 0 && action->tick >= c->flip_at_tick;
    SIM_CHECK(s, root == s->ticks[action->tick].root || flipped,
              "client %u has root %016llx after tick %llu, the server %016llx", index, (unsigned long long)root, tick,
              (unsigned long long)s->ticks[action->tick].root);
}

/// Which ends are explained by what was done to the client.
static bool end_is_explained(const sim *s, const sim_client *c, iso_status status) {
    switch (status) {
    case ISO_OK:
    case ISO_ERR_CONNECTION:
        return true;
    case ISO_ERR_SHUTDOWN:
        return s->server.shutting_down;
    case ISO_ERR_SESSION_FULL:
        return !c->has_tick;
    case ISO_ERR_TIMEOUT:
    case ISO_ERR_SLOW_CONSUMER:
    case ISO_ERR_JOIN_TIMEOUT:
    case ISO_ERR_TOO_SLOW:
        return c->stalled_once;
    case ISO_ERR_DESYNC:
    case ISO_ERR_KICKED:
        return c->flip_at_tick != 0;
    default:
        return false;
    }
}

void oracle_client_ended(sim *s, uint32_t index, iso_status status) {
    sim_client *c = &s->clients[index];
    SIM_CHECK(s, end_is_explained(s, c, status), "client %u ended with %s, and nothing explains it", index,
              iso_status_name(status));
    c->ended = true;
    c->end_status = status;
    s->totals.refused += status == ISO_ERR_SESSION_FULL;
    if (status == ISO_ERR_DESYNC || status == ISO_ERR_KICKED) {
        SIM_CHECK(s, c->flipped, "client %u ended with DESYNC but found none", index);
    }
    if (c->rejoins && !s->server.shutting_down) {
        (void)sim_plan_client(s, s->now_ns + sim_random_below(&s->random, SIM_SECOND));
    }
}
