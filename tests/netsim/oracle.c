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

// ---- members and ticks ------------------------------------------------------------------------------

static sim_member *member_in(sim *s, uint8_t slot) {
    const uint32_t member = slot < ISO_SLOT_COUNT_MAX ? s->slot_members[slot] : SIM_NONE;
    return member == SIM_NONE ? NULL : &s->members[member];
}

static sim_member *member_of_client(sim *s, uint32_t client) {
    const uint32_t member = s->clients[client].member;
    return member == SIM_NONE ? NULL : &s->members[member];
}

/// What a member has spawned goes with it when its slot is freed.
static void bodies_check(sim *s, const sim_member *m) {
    for (iso_body_id id = iso_body_next(s->server.world, 0); id.generation != 0;
         id = iso_body_next(s->server.world, id.index + 1)) {
        const iso_owner owner = s->scene->owner(s->server.world, id);
        const bool owned = owner.slot == m->slot && owner.generation == m->generation;
        SIM_CHECK(s, !owned, "client %u has left slot %u, and body %u is still its own", m->client, (unsigned)m->slot,
                  (unsigned)id.index);
    }
}

void oracle_held(sim *s, const iso_session_action *action) {
    uint32_t *held = &s->server.held[addresses_hold(s, action->origin, action->is_held)];
    SIM_CHECK(s, action->is_held || *held > 0, "a slot is not held any more that was not");
    *held = action->is_held ? *held + 1 : *held - 1;
    s->totals.holds_told += action->is_held;
}

static bool client_is_at_server(const sim *s, uint32_t client) {
    bool is_there = false;
    for (uint32_t i = 0; i < s->link_count; ++i) {
        is_there = is_there || (s->links[i].client == client && s->links[i].is_open_at_server);
    }
    return is_there;
}

/// Whether a slot is held for one who was there in this life of the server. At its begin and end it may not be told
/// yet.
static bool is_held_for_long(const sim *s, const sim_member *m) {
    iso_slot_view view;
    return m->is_present && !m->is_forgotten && m->gone_tick == 0 && m->life == s->server.incarnation &&
           m->dropped_tick != 0 && m->dropped_tick + 2 < s->last_tick &&
           iso_world_get_slot(s->server.world, m->slot, &view) && view.is_held && !client_is_at_server(s, m->client);
}

/// Slots that are held count for the address that they were taken from.
static void holds_check(sim *s) {
    uint32_t held[SIM_ADDRESSES_MAX + 1] = {0};
    for (uint32_t i = 0; i < s->member_count && s->has_addresses; ++i) {
        const sim_member *m = &s->members[i];
        held[s->clients[m->client].address] += is_held_for_long(s, m);
    }
    for (uint32_t i = 1; i <= SIM_ADDRESSES_MAX; ++i) {
        SIM_CHECK(s, held[i] <= s->server.held[i], "%u slots are held for address %u, and %u count", held[i], i,
                  s->server.held[i]);
    }
}

/// Who is in the world, whether or not anybody is told of the tick.
static void presence_follow(sim *s) {
    for (uint32_t i = 0; i < s->member_count; ++i) {
        sim_member *m = &s->members[i];
        iso_slot_view view;
        if (m->gone_tick != 0 || m->is_forgotten || !iso_world_get_slot(s->server.world, m->slot, &view)) {
            continue;
        }
        const bool present = view.is_occupied && view.generation == m->generation;
        m->gone_tick = m->is_present && !present ? s->last_tick : 0;
        if (m->gone_tick != 0) {
            bodies_check(s, m);
        }
        m->is_present = present;
    }
}

void oracle_stepped(sim *s) {
    const uint64_t tick = iso_world_get_tick(s->server.world);
    SIM_CHECK(s, tick <= s->last_tick + 1, "the session sealed two ticks in one event");
    if (tick == s->last_tick + 1) {
        SIM_CHECK(s, tick < SIM_TICKS_MAX, "more ticks than a run has");
        s->last_tick = tick;
        s->ticks[tick] = (sim_tick){.root = iso_world_root(s->server.world)};
        presence_follow(s);
        holds_check(s);
        sim_trace(s, tick, s->ticks[tick].root);
    }
    oracle_strict_stepped(s);
}

sim_sent *oracle_sent_find(sim_member *m, uint64_t sequence) {
    for (uint32_t i = m->sent_count; i-- > 0;) {
        if (m->sent[i].sequence == sequence) {
            return &m->sent[i];
        }
    }
    return NULL;
}

/// A command in a tick: somebody sent exactly this, it is the first time, and nothing was overtaken.
static void sealed_check(sim *s, uint64_t tick, const iso_sealed_command *sealed) {
    const unsigned slot = sealed->slot;
    const unsigned long long sequence = sealed->sequence;
    sim_member *m = member_in(s, sealed->slot);
    SIM_CHECK(s, m != NULL, "tick %llu has a command of slot %u, where nobody is", (unsigned long long)tick, slot);
    sim_sent *sent = oracle_sent_find(m, sealed->sequence);
    SIM_CHECK(s, sent != NULL, "tick %llu has command %llu of slot %u, which was never sent", (unsigned long long)tick,
              sequence, slot);
    SIM_CHECK(s, sent->digest == digest_command(0, &sealed->command), "command %llu of slot %u was changed on its way",
              sequence, slot);
    SIM_CHECK(s, sent->sealed_tick == 0, "command %llu of slot %u is in two ticks", sequence, slot);
    SIM_CHECK(s, !sent->is_rejected, "command %llu of slot %u was rejected and sealed", sequence, slot);
    // Of some ticks one hears late: who comes back, when nobody else was there.
    const sim_sent *last = m->last_sealed == 0 ? NULL : oracle_sent_find(m, m->last_sealed);
    const bool before = last != NULL && tick < last->sealed_tick;
    SIM_CHECK(s, (sealed->sequence > m->last_sealed) != before, "command %llu of slot %u is sealed after %llu",
              sequence, slot, (unsigned long long)m->last_sealed);
    SIM_CHECK(s, sent->handled_tick != UINT64_MAX && tick > sent->handled_tick,
              "command %llu of slot %u is sealed before it came", sequence, slot);
    if (client_is_wild(&s->clients[m->client])) {
        sent->sealed_tick = tick; // what it says of targets need not make sense
        m->last_sealed = before ? m->last_sealed : sealed->sequence;
        return;
    }
    SIM_CHECK(s, tick >= sent->target, "command %llu of slot %u is sealed before its target", sequence, slot);
    const uint64_t moved = tick - sent->target;
    const uint64_t moved_max = s->config.late_policy == ISO_LATE_MOVE ? s->config.late_ticks_max + 4u : 0u;
    SIM_CHECK(s, sealed->moved == moved && moved <= moved_max,
              "command %llu of slot %u was moved by %llu ticks, the tick says %u", sequence, slot,
              (unsigned long long)moved, (unsigned)sealed->moved);
    sent->sealed_tick = tick;
    m->last_sealed = before ? m->last_sealed : sealed->sequence;
}

/// Who was promised a slot is in it from its JOIN on.
static void member_begin(sim *s, const iso_change *join) {
    const sim_promise *promise = &s->promises[join->slot];
    const sim_member *other = member_in(s, join->slot);
    SIM_CHECK(s, promise->client != SIM_NONE && promise->generation == join->slot_generation,
              "slot %u is taken in generation %u, which nobody was promised", (unsigned)join->slot,
              (unsigned)join->slot_generation);
    SIM_CHECK(s, other == NULL || other->gone_tick != 0, "client %u is given slot %u, which client %u has",
              promise->client, (unsigned)join->slot, other == NULL ? 0 : other->client);
    SIM_CHECK(s, s->member_count < SIM_MEMBERS_MAX, "more members than a run has");
    s->clients[promise->client].member = s->member_count;
    s->slot_members[join->slot] = s->member_count;
    s->members[s->member_count++] = (sim_member){.client = promise->client,
                                                 .link = promise->link,
                                                 .slot = join->slot,
                                                 .generation = join->slot_generation,
                                                 .epoch = s->epoch};
}

bool oracle_were_told(const sim *s, uint64_t first, uint64_t last) {
    bool told = true;
    for (uint64_t tick = first; tick <= last; ++tick) {
        told &= s->ticks[tick].is_known;
    }
    return told;
}

static void change_check(sim *s, uint64_t tick, const iso_change *change) {
    if (change->kind == ISO_CHANGE_JOIN) {
        member_begin(s, change);
    }
    sim_member *m = member_in(s, change->slot);
    SIM_CHECK(s, m != NULL, "tick %llu has a change of slot %u, where nobody is", (unsigned long long)tick,
              (unsigned)change->slot);
    SIM_CHECK(s, change->slot_generation == m->generation,
              "tick %llu has a change of slot %u with generation %u, not %u", (unsigned long long)tick,
              (unsigned)change->slot, (unsigned)change->slot_generation, (unsigned)m->generation);
    const bool there = m->join_tick != 0 && m->leave_tick == 0;
    SIM_CHECK(s, there == (change->kind != ISO_CHANGE_JOIN),
              "tick %llu has change %u of slot %u, whose member is%s there", (unsigned long long)tick,
              (unsigned)change->kind, (unsigned)change->slot, there ? "" : " not");
    const bool held = m->dropped_tick != 0;
    // That nothing came between.
    const bool sure = tick > m->changed_tick && oracle_were_told(s, m->changed_tick + 1, tick);
    m->changed_tick = tick;
    m->life = change->kind == ISO_CHANGE_JOIN || change->kind == ISO_CHANGE_RESUME ? s->server.incarnation : m->life;
    switch (change->kind) {
    case ISO_CHANGE_JOIN:
        m->join_tick = tick;
        s->totals.late_joins += s->now_ns >= SIM_SECOND;
        break;
    case ISO_CHANGE_LEAVE:
        m->leave_tick = tick;
        s->slot_members[change->slot] = SIM_NONE;
        break;
    case ISO_CHANGE_DROP:
        SIM_CHECK(s, !held || !sure, "a member is dropped twice");
        m->dropped_tick = tick;
        break;
    default:
        SIM_CHECK(s, held || !sure, "a member comes back that was not away");
        m->dropped_tick = 0;
        s->totals.resumes += 1;
        break;
    }
}

void oracle_sealed(sim *s, uint64_t tick, const iso_change *changes, uint32_t change_count,
                   const iso_sealed_command *commands, uint32_t command_count) {
    SIM_CHECK(s, tick >= 1 && tick <= s->last_tick, "tick %llu is told of before it is stepped",
              (unsigned long long)tick);
    uint64_t digest = digest_commands(0, commands, command_count);
    sim_tick *known = &s->ticks[tick];
    if (known->is_known) {
        SIM_CHECK(s, known->digest == digest, "tick %llu has two contents", (unsigned long long)tick);
        return;
    }
    known->is_known = true;
    known->digest = digest;
    for (uint32_t i = 0; i < change_count; ++i) {
        change_check(s, tick, &changes[i]);
    }
    for (uint32_t i = 0; i < command_count; ++i) {
        const bool ordered =
            i == 0 || commands[i].slot > commands[i - 1].slot ||
            (commands[i].slot == commands[i - 1].slot && commands[i].sequence > commands[i - 1].sequence);
        SIM_CHECK(s, ordered, "tick %llu is not sorted by slot and sequence", (unsigned long long)tick);
        sealed_check(s, tick, &commands[i]);
    }
}

// ---- a restart --------------------------------------------------------------------------------------

/// What a member did after `tick` never happened. What it was told is not sealed any more, and it may say so again. The
/// server knows of no refusal either: a member that has heard of one gives the number to another command.
static void member_restart(sim *s, sim_member *m, uint64_t tick) {
    if (m->is_forgotten || m->join_tick == 0 || m->join_tick > tick) {
        m->is_forgotten = true;
        return;
    }
    m->leave_tick = m->leave_tick > tick ? 0 : m->leave_tick;
    m->gone_tick = m->gone_tick > tick ? 0 : m->gone_tick;
    m->last_sealed = 0;
    m->last_target = 0;
    for (uint32_t i = 0; i < m->sent_count; ++i) {
        sim_sent *sent = &m->sent[i];
        if (sent->sealed_tick != 0 && sent->sealed_tick <= tick) {
            m->last_sealed = sent->sequence;
        } else {
            sent->is_withdrawn = sent->is_withdrawn || sent->sealed_tick != 0;
            sent->sealed_tick = 0;
            sent->handled_tick = UINT64_MAX;
        }
    }
    if (m->leave_tick == 0 && m->gone_tick == 0) {
        // Its connection is gone; whether a tick already says so, the world knows.
        iso_slot_view view;
        const bool there = iso_world_get_slot(s->server.world, m->slot, &view);
        SIM_CHECK(s, there && view.is_occupied && view.generation == m->generation,
                  "slot %u lost its member in the restart", (unsigned)m->slot);
        m->dropped_tick = view.is_held ? tick : 0;
        m->changed_tick = tick;
        m->is_present = true;
        s->slot_members[m->slot] = (uint32_t)(m - s->members);
    }
}

void oracle_restarted(sim *s, uint64_t tick) {
    SIM_CHECK(s, tick <= s->last_tick, "the session came back at tick %llu, it was at %llu", (unsigned long long)tick,
              (unsigned long long)s->last_tick);
    SIM_CHECK(s, iso_world_root(s->server.world) == s->ticks[tick].root, "the session came back with another state");
    for (uint64_t later = tick + 1; later <= s->last_tick; ++later) {
        s->ticks[later] = (sim_tick){0};
    }
    s->last_tick = tick;
    s->disk_tick = tick;
    s->shown_tick = s->shown_tick < tick ? s->shown_tick : tick;
    s->durable_tick = s->durable_tick < tick ? s->durable_tick : tick;
    for (uint32_t i = 0; i < ISO_SLOT_COUNT_MAX; ++i) {
        s->slot_members[i] = SIM_NONE;
    }
    for (uint32_t i = 0; i < s->member_count; ++i) {
        member_restart(s, &s->members[i], tick);
    }
}

// ---- what the server sends --------------------------------------------------------------------------

/// What anybody sees of a tick must stand on the disk, in whole frames, before.
static void written_check(sim *s, uint64_t tick) {
    if (!recording_is_safe(s) || tick <= s->disk_tick) {
        return;
    }
    // The last file has it, or one before that is to be sealed when the last one has begun.
    uint64_t last = 0;
    for (uint32_t i = s->disk.file_count; i-- > 0 && last < tick;) {
        const sim_file *file = &s->disk.files[i];
        iso_recording recording;
        iso_recording_error error;
        if (!disk_has_recording(file)) {
            continue;
        }
        const iso_status status = iso_recording_open(&recording, file->bytes, file->size, ISO_RECORDING_TORN, &error);
        if (status == ISO_OK && recording.header.epoch != s->epoch) {
            break;
        }
        last = status == ISO_OK && recording.last_tick > last ? recording.last_tick : last;
    }
    SIM_CHECK(s, tick <= last, "tick %llu is sent, but the disk has only %llu", (unsigned long long)tick,
              (unsigned long long)last);
    // Reading back costs time; what stands there now need not be looked for again.
    s->disk_tick = last;
}

/// Who is told to be a member stands in a tick that was told of.
static void activate_check(sim *s, uint32_t client, const iso_message_activate *activate) {
    const sim_member *m = member_of_client(s, client);
    const bool there = m != NULL && m->slot == activate->slot && m->generation == activate->slot_generation &&
                       !m->is_forgotten && m->join_tick != 0 && m->join_tick <= activate->join_tick;
    SIM_CHECK(s, there, "client %u is told to be in slot %u, where no tick has put it", client,
              (unsigned)activate->slot);
    written_check(s, activate->join_tick);
}

/// Whether somebody is in that slot, or its connection was promised it. Who has left stays in the world for one more
/// tick.
static bool slot_is_taken(sim *s, uint32_t slot) {
    iso_slot_view view;
    bool taken = iso_world_get_slot(s->server.world, slot, &view) && view.is_occupied;
    for (uint32_t i = 0; i < s->link_count && !taken; ++i) {
        taken = s->links[i].is_open_at_server && s->links[i].slot == slot;
    }
    return taken;
}

/// Whether a slot that was held may have been given up by now, though no tick says so yet.
static bool hold_may_be_over(const sim *s, const sim_client *c) {
    const uint64_t hold_ns = s->config.hold_ms * SIM_MS;
    return s->server.clock.jumps > 0 || s->now_ns >= c->gone_ns + hold_ns - hold_ns / 20; // clocks drift
}

/// Who has a place and shows what it was given finds it again.
static void no_resume_check(sim *s, uint32_t client) {
    const sim_member *m = member_of_client(s, client);
    iso_slot_view view;
    if (client_is_wild(&s->clients[client]) || m == NULL || m->is_forgotten ||
        hold_may_be_over(s, &s->clients[client])) {
        return;
    }
    const bool there =
        iso_world_get_slot(s->server.world, m->slot, &view) && view.is_occupied && view.generation == m->generation;
    SIM_CHECK(s, !there, "client %u may not come back to slot %u, which is held for it", client, (unsigned)m->slot);
}

/// A session is full when it has no slot left, and not before.
static void refusal_check(sim *s, uint32_t client, const iso_message_refusal *refusal) {
    if (refusal->code == ISO_ERR_NO_RESUME) {
        no_resume_check(s, client);
    }
    if (refusal->code != ISO_ERR_SESSION_FULL) {
        return;
    }
    s->clients[client].is_told_full = true;
    s->totals.refused += 1;
    for (uint32_t slot = 0; slot < s->def.slot_capacity; ++slot) {
        SIM_CHECK(s, slot_is_taken(s, slot), "client %u is told that the session is full, but slot %u is free", client,
                  (unsigned)slot);
    }
}

/// Only a member itself comes back to its slot.
static void welcome_check(sim *s, uint32_t link, const iso_message_welcome *welcome) {
    const uint32_t client = s->links[link].client;
    s->links[link].slot = welcome->slot;
    secrets_shown(s, link, welcome);
    SIM_CHECK(s, welcome->epoch == s->epoch, "a welcome is of epoch %u, the session of %u", (unsigned)welcome->epoch,
              (unsigned)s->epoch);
    if (welcome->resumed == ISO_RESUMED_NEW) {
        if (welcome->slot != ISO_SLOT_NONE) {
            s->promises[welcome->slot] = (sim_promise){client, link, welcome->slot_generation};
        }
        return;
    }
    const sim_member *m = member_of_client(s, client);
    SIM_CHECK(s, m != NULL && m->slot == welcome->slot && m->generation == welcome->slot_generation && !m->is_forgotten,
              "client %u comes back to slot %u, generation %u, which is not its own", client, (unsigned)welcome->slot,
              (unsigned)welcome->slot_generation);
    s->totals.rewinds += welcome->resumed == ISO_RESUMED_REWIND;
}

static void reject_check(sim *s, uint32_t client, const iso_message_reject *reject) {
    sim_log(s, "client %u: command %llu rejected: %s", client, (unsigned long long)reject->sequence,
            iso_status_name(reject->code));
    sim_member *m = member_of_client(s, client);
    if (client_is_wild(&s->clients[client]) || m == NULL) {
        return;
    }
    sim_sent *sent = oracle_sent_find(m, reject->sequence);
    SIM_CHECK(s, sent != NULL, "command %llu is rejected, which was not sent", (unsigned long long)reject->sequence);
    SIM_CHECK(s, sent->sealed_tick == 0 || (sent->again && reject->code == ISO_ERR_REPLAY),
              "command %llu is rejected, which was sealed", (unsigned long long)reject->sequence);
    sent->is_rejected = sent->sealed_tick == 0;
}

void oracle_server_sends(sim *s, uint32_t link, const iso_message *message) {
    const uint32_t client = s->links[link].client;
    if (s->clients[client].bot == SIM_BOT_THIEF) {
        secrets_answered(s, link, message);
        return;
    }
    switch (message->kind) {
    case ISO_MESSAGE_TICK: {
        const iso_message_tick *tick = &message->as.tick;
        written_check(s, tick->tick);
        if (recording_is_safe(s) && tick->tick > s->shown_tick) {
            s->shown_tick = tick->tick;
        }
        SIM_CHECK(s, tick->epoch == s->epoch, "a tick is sent of epoch %u, the session is in %u", (unsigned)tick->epoch,
                  (unsigned)s->epoch);
        SIM_CHECK(s, tick->root == s->ticks[tick->hashed_tick].root, "a tick is sent with a wrong root");
        break;
    }
    case ISO_MESSAGE_SNAPSHOT_BEGIN:
        written_check(s, message->as.snapshot_begin.tick);
        break;
    case ISO_MESSAGE_WELCOME:
        welcome_check(s, link, &message->as.welcome);
        break;
    case ISO_MESSAGE_REFUSAL:
        refusal_check(s, client, &message->as.refusal);
        break;
    case ISO_MESSAGE_ACTIVATE:
        s->links[link].is_activated = true;
        if (message->as.activate.slot != ISO_SLOT_NONE) {
            activate_check(s, client, &message->as.activate);
        }
        break;
    case ISO_MESSAGE_REWIND:
        SIM_CHECK(s, message->as.rewind.root == s->ticks[message->as.rewind.tick].root,
                  "a client is to go back to a state that never was");
        break;
    case ISO_MESSAGE_STATE_NOTICE:
        oracle_strict_told(s, link, &message->as.state_notice);
        break;
    case ISO_MESSAGE_STATUS:
        if (message->as.status.durable_tick > s->durable_tick) {
            s->durable_tick = message->as.status.durable_tick;
        }
        break;
    case ISO_MESSAGE_REJECT:
        if (message->as.reject.sequence != 0) {
            reject_check(s, client, &message->as.reject);
        }
        break;
    default:
        break;
    }
}

// ---- what clients send ------------------------------------------------------------------------------

static void sent_add(sim *s, sim_member *m, uint64_t sequence, uint64_t target, const iso_command *command,
                     uint32_t link) {
    SIM_CHECK(s, m->sent_count < SIM_SENT_MAX, "more commands than a run has");
    m->sent[m->sent_count++] = (sim_sent){.sequence = sequence,
                                          .target = target,
                                          .digest = digest_command(0, command),
                                          .handled_tick = UINT64_MAX,
                                          .link = link};
}

void oracle_client_sends(sim *s, uint32_t index, const iso_message *message) {
    sim_client *c = &s->clients[index];
    if (message->kind != ISO_MESSAGE_INPUT || client_is_wild(c)) {
        return;
    }
    const iso_message_input *input = &message->as.input;
    sim_member *m = member_of_client(s, index);
    for (uint32_t i = 0; i < input->command_count; ++i) {
        const uint64_t sequence = input->first_sequence + i;
        sim_sent *known = m == NULL ? NULL : oracle_sent_find(m, sequence);
        SIM_CHECK(s, m != NULL, "client %u gives a command and is no member", index);
        if (known == NULL) {
            SIM_CHECK(s, m->sent_count == 0 || sequence > m->sent[m->sent_count - 1].sequence,
                      "client %u sends command %llu after %llu", index, (unsigned long long)sequence,
                      (unsigned long long)m->sent[m->sent_count - 1].sequence);
            sent_add(s, m, sequence, input->target_tick, &input->commands[i], c->link);
            continue;
        }
        SIM_CHECK(s, known->link != c->link, "client %u sends command %llu twice over one connection", index,
                  (unsigned long long)sequence);
        // What never came may be said in another way.
        const uint64_t digest = digest_command(0, &input->commands[i]);
        SIM_CHECK(s, known->digest == digest || known->handled_tick == UINT64_MAX,
                  "client %u sends command %llu again with another content", index, (unsigned long long)sequence);
        known->digest = digest;
        known->link = c->link;
        known->again = true;
        known->is_rejected = false; // it has not heard of that
    }
}

void oracle_server_hears(sim *s, uint32_t link, const iso_message *message) {
    const uint32_t index = s->links[link].client;
    sim_member *m = member_of_client(s, index);
    secrets_used(s, link);
    if (message->kind != ISO_MESSAGE_INPUT || m == NULL) {
        return;
    }
    const iso_message_input *input = &message->as.input;
    oracle_clock_input(s, index, input);
    // Targets never decrease: one that does is held to the last.
    const uint64_t target = input->target_tick > m->last_target ? input->target_tick : m->last_target;
    m->last_target = target <= s->last_tick + s->config.future_ticks_max ? target : m->last_target;
    const bool tampered = client_is_wild(&s->clients[index]);
    for (uint32_t i = 0; i < input->command_count; ++i) {
        sim_sent *sent = oracle_sent_find(m, input->first_sequence + i);
        if (tampered && sent == NULL) {
            sent_add(s, m, input->first_sequence + i, input->target_tick, &input->commands[i], link);
            sent = &m->sent[m->sent_count - 1];
        }
        SIM_CHECK(s, sent != NULL, "a command comes from nowhere");
        if (sent->sealed_tick != 0 || (tampered && sent->handled_tick != UINT64_MAX && !sent->is_rejected)) {
            continue; // a second time; the session must say so, and sealed_check that it did
        }
        SIM_CHECK(s, tampered || sent->handled_tick == UINT64_MAX || sent->again, "a command comes twice");
        sent->handled_tick = s->last_tick;
        sent->target = target;
        if (tampered) {
            sent->digest = digest_command(0, &input->commands[i]);
        }
    }
}

// ---- what clients know ------------------------------------------------------------------------------

/// Its own commands in a tick.
static void fates_follow(sim *s, uint32_t index, const iso_client_action *action) {
    sim_member *m = member_of_client(s, index);
    for (uint32_t i = 0; m != NULL && !client_is_wild(&s->clients[index]) && i < action->command_count; ++i) {
        sim_sent *sent = action->commands[i].slot != m->slot ? NULL : oracle_sent_find(m, action->commands[i].sequence);
        if (sent != NULL) {
            SIM_CHECK(s, !sent->is_lost || sent->is_withdrawn,
                      "client %u is told that command %llu is lost, and then of its tick", index,
                      (unsigned long long)sent->sequence);
            sent->is_told = true;
        }
    }
}

void oracle_client_loses(sim *s, uint32_t index, const iso_client_action *action) {
    sim_member *m = member_of_client(s, index);
    sim_sent *sent = m == NULL || action->sequence == 0 ? NULL : oracle_sent_find(m, action->sequence);
    if (sent == NULL || client_is_wild(&s->clients[index])) {
        return;
    }
    if (action->kind == ISO_CLIENT_ACTION_LOST) {
        s->totals.lost_commands += 1;
        sim_log(s, "client %u loses sight of command %llu", index, (unsigned long long)action->sequence);
        SIM_CHECK(s, sent->handled_tick != UINT64_MAX || sent->is_withdrawn || sent->is_rejected,
                  "client %u is told that command %llu is lost, which the server has not heard", index,
                  (unsigned long long)action->sequence);
        SIM_CHECK(s, !sent->is_told || sent->again, "client %u is told twice what became of command %llu", index,
                  (unsigned long long)action->sequence);
        sent->is_lost = true;
    }
    sent->is_told = true;
}

void oracle_client_ticks(sim *s, uint32_t index, const iso_client_action *action) {
    sim_client *c = &s->clients[index];
    const unsigned long long tick = action->tick;
    fates_follow(s, index, action);
    if (c->link != SIM_NONE && s->links[c->link].is_of_dead_peer) {
        c->tick = action->tick; // a last word of a server that is no more; perhaps it never happened
        return;
    }
    if (c->lies == SIM_LIES_MANY) {
        c->tick = action->tick; // lies_stepped looks at what it makes of it
        return;
    }
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
    SIM_CHECK(s,
              root == s->ticks[action->tick].root || c->flip_state == SIM_FLIPPED ||
                  (c->flip_state == SIM_TO_FLIP && action->tick >= c->flip_at_tick),
              "client %u has root %016llx after tick %llu, the server %016llx", index, (unsigned long long)root, tick,
              (unsigned long long)s->ticks[action->tick].root);
}

/// Which ends are explained by what was done to the client.
static bool end_is_explained(const sim *s, const sim_client *c, iso_status status) {
    if (client_is_wild(c)) {
        return true;
    }
    switch (status) {
    case ISO_OK:
    case ISO_ERR_CONNECTION:
        return true;
    case ISO_ERR_SHUTDOWN:
    case ISO_ERR_SESSION_CLOSED:
        return s->server.is_shutting_down || s->config.empty_policy == ISO_EMPTY_CLOSE;
    case ISO_ERR_SESSION_FULL:
        return c->is_told_full;
    case ISO_ERR_ADDRESS_LIMIT:
        return s->is_crowded;
    case ISO_ERR_TIMEOUT:
    case ISO_ERR_SLOW_CONSUMER:
    case ISO_ERR_JOIN_TIMEOUT:
    case ISO_ERR_TOO_SLOW:
        return c->has_stalled_once || c->bytes_per_second != 0 || s->is_impatient ||
               c->clock.jumps + s->server.clock.jumps > 0;
    case ISO_ERR_DESYNC:
    case ISO_ERR_KICKED:
        return c->flip_at_tick != 0 || c->lied_ns != 0;
    default:
        return false;
    }
}

void oracle_client_ended(sim *s, uint32_t index, iso_status status) {
    sim_client *c = &s->clients[index];
    SIM_CHECK(s, end_is_explained(s, c, status), "client %u ended with %s, and nothing explains it", index,
              iso_status_name(status));
    c->has_ended = true;
    c->end_status = status;
    if (status == ISO_ERR_DESYNC && !client_is_wild(c)) {
        SIM_CHECK(s, c->flip_state == SIM_FLIPPED, "client %u ended with DESYNC but found none", index);
    }
    if (c->rejoins && !s->server.is_shutting_down) {
        (void)scenario_plan_client(s, s->now_ns + sim_random_below(&s->random, SIM_SECOND));
    }
}
