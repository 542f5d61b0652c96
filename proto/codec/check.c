/// Which values a message may have, whoever encodes or decodes it: this codec, or one in another language that fills
/// the same structs. Needs no protobuf.
///
/// A value that does not fit its field of the struct, text that is not UTF-8 and lists that are too long for the
/// decoder's memory are refused before, when the struct is filled.
#include "codec/check.h"
#include "codec/try.h"
#include "isostep/assert.h"
#include "isostep/proto/messages.h"

static iso_status in_range(bool is_good) {
    return is_good ? ISO_OK : ISO_ERR_RANGE;
}

static iso_status check_tick(uint64_t tick) {
    return in_range(tick < ISO_TICK_END);
}

static iso_status check_slot_or_none(uint8_t slot) {
    return in_range(slot < ISO_SLOT_COUNT_MAX || slot == ISO_SLOT_NONE);
}

static iso_status check_enum(uint8_t value, uint8_t first, uint8_t last) {
    return value >= first && value <= last ? ISO_OK : ISO_ERR_BAD_ENUM;
}

static iso_status check_role(uint8_t role) {
    return check_enum(role, ISO_ROLE_PLAYER, ISO_ROLE_SPECTATOR);
}

static iso_status check_state(uint8_t state) {
    return check_enum(state, ISO_SESSION_WAITING, ISO_SESSION_CLOSED);
}

static iso_status check_late_policy(uint8_t policy) {
    return check_enum(policy, ISO_LATE_MOVE, ISO_LATE_STRICT);
}

// ---- the hot path ---------------------------------------------------------------------------------

/// The sequences of an input's commands stay below ISO_TICK_END, the first is at least 1.
static iso_status check_input(const iso_message_input *m) {
    ISO__TRY(check_tick(m->target_tick));
    ISO__TRY(check_tick(m->ack_tick));
    ISO__TRY(in_range(m->command_count <= ISO_INPUT_COMMANDS_MAX));
    if (m->command_count > 0) {
        ISO__TRY(in_range(m->first_sequence > 0 && m->first_sequence <= ISO_TICK_END - m->command_count));
    }
    return ISO_OK;
}

static iso_status check_commands(const iso_message_input *m) {
    for (uint32_t i = 0; i < m->command_count; ++i) {
        ISO__TRY(iso_command_check(&m->commands[i]));
    }
    return ISO_OK;
}

static iso_status check_sealed(const iso_sealed_command *sealed) {
    ISO__TRY(in_range(sealed->slot < ISO_SLOT_COUNT_MAX && sealed->sequence > 0 && sealed->sequence < ISO_TICK_END));
    return iso_command_check(&sealed->command);
}

static iso_status check_tick_message(const iso_message_tick *m) {
    ISO__TRY(in_range(m->change_count <= ISO_TICK_CHANGES_MAX && m->command_count <= ISO_TICK_COMMANDS_MAX));
    ISO__TRY(in_range(m->tick > 0 && m->tick < ISO_TICK_END && m->hashed_tick <= m->tick));
    for (uint32_t i = 0; i < m->change_count; ++i) {
        ISO__TRY(check_enum(m->changes[i].kind, ISO_CHANGE_JOIN, ISO_CHANGE_RESUME));
        ISO__TRY(in_range(m->changes[i].slot < ISO_SLOT_COUNT_MAX));
    }
    for (uint32_t i = 0; i < m->command_count; ++i) {
        ISO__TRY(check_sealed(&m->commands[i]));
    }
    return ISO_OK;
}

static iso_status check_status(const iso_message_status *m) {
    ISO__TRY(check_tick(m->server_tick));
    ISO__TRY(check_tick(m->acked_sequence));
    ISO__TRY(check_tick(m->late_count));
    ISO__TRY(check_tick(m->durable_tick));
    ISO__TRY(in_range(m->result_count <= ISO_STATUS_RESULTS_MAX));
    for (uint32_t i = 0; i < m->result_count; ++i) {
        ISO__TRY(check_tick(m->results[i].sequence));
    }
    return ISO_OK;
}

// ---- the session ----------------------------------------------------------------------------------

/// The offer of a client must be consistent in itself; the server decides whether it is acceptable.
static iso_status check_hello(const iso_message_hello *m) {
    ISO__TRY(check_role(m->role));
    ISO__TRY(in_range(m->protocol_min >= 1 && m->protocol_max >= m->protocol_min &&
                      (m->compressions & ISO_COMPRESSION_NONE) != 0 && m->session[0] != 0));
    return m->has_resume ? in_range(m->resume.slot < ISO_SLOT_COUNT_MAX && m->resume.tick < ISO_TICK_END) : ISO_OK;
}

/// Clients divide by the rate and index by the slot.
static iso_status check_welcome(const iso_message_welcome *m) {
    ISO__TRY(check_role(m->role));
    ISO__TRY(check_late_policy(m->late_policy));
    ISO__TRY(check_state(m->state));
    ISO__TRY(check_enum(m->resumed, ISO_RESUMED_NEW, ISO_RESUMED_REWIND));
    ISO__TRY(check_tick(m->tick));
    ISO__TRY(check_tick(m->last_sequence));
    const bool slot_fits = m->role == ISO_ROLE_PLAYER ? m->slot < ISO_SLOT_COUNT_MAX : m->slot == ISO_SLOT_NONE;
    return in_range(slot_fits && m->tick_rate_hz > 0 && m->protocol > 0);
}

/// A client reserves memory by these numbers, so they have to agree.
static iso_status check_snapshot_begin(const iso_message_snapshot_begin *m) {
    ISO__TRY(check_tick(m->tick));
    ISO__TRY(check_enum(m->compression, ISO_COMPRESSION_NONE, ISO_COMPRESSION_ZSTD));
    ISO__TRY(in_range(m->size >= 1 && m->size <= ISO_SNAPSHOT_SIZE_MAX && m->raw_size >= 1 &&
                      m->raw_size <= ISO_SNAPSHOT_SIZE_MAX));
    ISO__TRY(in_range(m->chunk_size >= 1 && m->chunk_size <= ISO_SNAPSHOT_CHUNK_SIZE));
    ISO__TRY(in_range(m->compression != ISO_COMPRESSION_NONE || m->size == m->raw_size));
    return in_range(m->chunk_count == (m->size + m->chunk_size - 1) / m->chunk_size);
}

static iso_status check_state_notice(const iso_message_state_notice *m) {
    ISO__TRY(check_state(m->state));
    ISO__TRY(check_late_policy(m->late_policy));
    return check_tick(m->tick);
}

static iso_status check_session_list(const iso_message_session_list *m) {
    ISO__TRY(in_range(m->count <= ISO_SESSION_LIST_MAX));
    for (uint32_t i = 0; i < m->count; ++i) {
        const iso_session_info *info = &m->sessions[i];
        ISO__TRY(check_state(info->state));
        ISO__TRY(check_tick(info->tick));
        ISO__TRY(in_range(info->name[0] != 0 && info->tick_rate_hz > 0));
    }
    return ISO_OK;
}

static iso_status check_member(const iso_member *member) {
    ISO__TRY(check_role(member->role));
    ISO__TRY(check_enum(member->presence, ISO_PRESENCE_HERE, ISO_PRESENCE_GONE));
    const uint32_t places = member->role == ISO_ROLE_PLAYER ? ISO_SLOT_COUNT_MAX : ISO_SPECTATORS_TOLD_MAX;
    return in_range(member->slot < places);
}

static bool member_is_before(const iso_member *a, const iso_member *b) {
    return a->role < b->role || (a->role == b->role && a->slot < b->slot);
}

static iso_status check_members(const iso_message_members *m) {
    ISO__TRY(in_range(m->count <= ISO_MEMBERS_MAX));
    for (uint32_t i = 0; i < m->count; ++i) {
        ISO__TRY(check_member(&m->members[i]));
        if (i > 0 && !member_is_before(&m->members[i - 1], &m->members[i])) {
            return ISO_ERR_MALFORMED;
        }
    }
    return ISO_OK;
}

static bool name_is_before(const iso_name *a, const iso_name *b) {
    return a->of < b->of || (a->of == b->of && a->index < b->index);
}

static size_t text_size(const char *text) {
    size_t size = 0;
    while (text[size] != 0) {
        ++size;
    }
    return size;
}

static iso_status check_names(const iso_message_names *m) {
    ISO__TRY(in_range(m->count <= ISO_NAMES_MAX));
    size_t all = 0;
    for (uint32_t i = 0; i < m->count; ++i) {
        const iso_name *name = &m->names[i];
        ISO__TRY(check_enum(name->of, ISO_NAMED_BODY, ISO_NAMED_JOINT));
        const size_t size = text_size(name->name);
        all += size;
        ISO__TRY(in_range(name->index < ISO_BODY_CAPACITY_MAX && size >= 1 && size <= ISO_NAME_MAX &&
                          all <= ISO_NAMES_TEXT_MAX));
        if (i > 0 && !name_is_before(&m->names[i - 1], name)) {
            return ISO_ERR_MALFORMED;
        }
    }
    return ISO_OK;
}

static iso_status check_desync_notice(const iso_message_desync_notice *m) {
    ISO__TRY(check_enum(m->action, ISO_DESYNC_HEAL, ISO_DESYNC_IGNORE));
    ISO__TRY(check_slot_or_none(m->slot));
    return check_tick(m->tick);
}

static iso_status check_activate(const iso_message_activate *m) {
    ISO__TRY(check_slot_or_none(m->slot));
    return check_tick(m->join_tick);
}

iso_status iso_message_check(const iso_message *message) {
    ISO_ASSERT(message != NULL);
    ISO__TRY(iso__message_check_but_commands(message));
    return message->kind == ISO_MESSAGE_INPUT ? check_commands(&message->as.input) : ISO_OK;
}

iso_status iso__message_check_but_commands(const iso_message *message) {
    ISO_ASSERT(message != NULL);
    switch (message->kind) {
    case ISO_MESSAGE_INPUT:
        return check_input(&message->as.input);
    case ISO_MESSAGE_TICK:
        return check_tick_message(&message->as.tick);
    case ISO_MESSAGE_STATUS:
        return check_status(&message->as.status);
    case ISO_MESSAGE_PONG:
        return check_tick(message->as.pong.server_tick);
    case ISO_MESSAGE_CONFIRM:
        return check_tick(message->as.confirm.tick);
    case ISO_MESSAGE_REJECT:
        return check_tick(message->as.reject.sequence);
    case ISO_MESSAGE_HELLO:
        return check_hello(&message->as.hello);
    case ISO_MESSAGE_WELCOME:
        return check_welcome(&message->as.welcome);
    case ISO_MESSAGE_SNAPSHOT_BEGIN:
        return check_snapshot_begin(&message->as.snapshot_begin);
    case ISO_MESSAGE_SNAPSHOT_CHUNK:
        return in_range(message->as.snapshot_chunk.size >= 1 &&
                        message->as.snapshot_chunk.size <= ISO_SNAPSHOT_CHUNK_SIZE);
    case ISO_MESSAGE_CAUGHT_UP:
        return check_tick(message->as.caught_up.tick);
    case ISO_MESSAGE_ACTIVATE:
        return check_activate(&message->as.activate);
    case ISO_MESSAGE_REWIND:
        return check_tick(message->as.rewind.tick);
    case ISO_MESSAGE_STATE_NOTICE:
        return check_state_notice(&message->as.state_notice);
    case ISO_MESSAGE_SESSION_LIST:
        return check_session_list(&message->as.session_list);
    case ISO_MESSAGE_MEMBERS:
        return check_members(&message->as.members);
    case ISO_MESSAGE_NAMES:
        return check_names(&message->as.names);
    case ISO_MESSAGE_NOTICE:
        return in_range(message->as.notice.text[0] != 0);
    case ISO_MESSAGE_DESYNC_REPORT:
        return check_tick(message->as.desync_report.tick);
    case ISO_MESSAGE_DESYNC_NOTICE:
        return check_desync_notice(&message->as.desync_notice);
    case ISO_MESSAGE_PING:
    case ISO_MESSAGE_REFUSAL:
    case ISO_MESSAGE_SNAPSHOT_ACK:
    case ISO_MESSAGE_LEAVE:
    case ISO_MESSAGE_BYE:
    case ISO_MESSAGE_REWIND_ANSWER:
    case ISO_MESSAGE_LIST:
        return ISO_OK; // any values
    default:
        return ISO_ERR_BAD_ENUM;
    }
}
