/// Comparing two messages, for the codec's tests.
#ifndef TEST_CODEC_EQUAL_H
#define TEST_CODEC_EQUAL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isostep/proto/codec.h"

/// @name Comparing, field by field: what neither direction carries would otherwise go unnoticed.
/// @{
#define SAME(field)      assert_true(a->field == b->field)
#define SAME_TEXT(field) assert_string_equal(a->field, b->field)

/// By canonical bytes: they hold every field that means something.
static inline void assert_commands_equal(const iso_command *a, const iso_command *b) {
    uint8_t bytes_a[ISO_COMMAND_SIZE_MAX];
    uint8_t bytes_b[ISO_COMMAND_SIZE_MAX];
    size_t size_a = iso_command_encode(a, bytes_a, sizeof(bytes_a));
    size_t size_b = iso_command_encode(b, bytes_b, sizeof(bytes_b));
    assert_true(size_a > 0);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
}

static inline void assert_fingerprints_equal(const iso_fingerprint *a, const iso_fingerprint *b) {
    SAME(simulation_version);
    SAME(schema);
    SAME(arithmetic);
    SAME(game_version);
    SAME(game_params);
    SAME_TEXT(game);
}

static inline void assert_inputs_equal(const iso_message_input *a, const iso_message_input *b) {
    SAME(target_tick);
    SAME(first_sequence);
    SAME(ack_tick);
    SAME(command_count);
    for (uint32_t i = 0; i < a->command_count; ++i) {
        assert_commands_equal(&a->commands[i], &b->commands[i]);
    }
}

static inline void assert_ticks_equal(const iso_message_tick *a, const iso_message_tick *b) {
    SAME(epoch);
    SAME(tick);
    SAME(hashed_tick);
    SAME(root);
    SAME(change_count);
    SAME(command_count);
    for (uint32_t i = 0; i < a->change_count; ++i) {
        SAME(changes[i].kind);
        SAME(changes[i].slot);
        SAME(changes[i].slot_generation);
    }
    for (uint32_t i = 0; i < a->command_count; ++i) {
        SAME(commands[i].slot);
        SAME(commands[i].sequence);
        SAME(commands[i].moved);
        assert_commands_equal(&a->commands[i].command, &b->commands[i].command);
    }
}

static inline void assert_hellos_equal(const iso_message_hello *a, const iso_message_hello *b) {
    SAME(protocol_min);
    SAME(protocol_max);
    SAME(role);
    SAME(compressions);
    assert_fingerprints_equal(&a->fingerprint, &b->fingerprint);
    SAME_TEXT(session);
    SAME_TEXT(member);
    SAME_TEXT(build);
    SAME(has_resume);
    assert_memory_equal(a->resume.uid, b->resume.uid, sizeof(a->resume.uid));
    assert_memory_equal(a->resume.secret, b->resume.secret, sizeof(a->resume.secret));
    SAME(resume.slot);
    SAME(resume.slot_generation);
    SAME(resume.epoch);
    SAME(resume.tick);
    SAME(resume.root);
    SAME(features);
    SAME_TEXT(password);
}

static inline void assert_welcomes_equal(const iso_message_welcome *a, const iso_message_welcome *b) {
    SAME(protocol);
    SAME_TEXT(session);
    assert_memory_equal(a->uid, b->uid, sizeof(a->uid));
    SAME(epoch);
    SAME(role);
    SAME(slot);
    SAME(tick);
    SAME(tick_rate_hz);
    SAME(limits.commands_per_tick);
    SAME(limits.command_burst);
    SAME(limits.ahead_ticks_max);
    SAME(limits.late_ticks_max);
    SAME(limits.input_bytes_per_second);
    SAME(scene_hash);
    assert_fingerprints_equal(&a->fingerprint, &b->fingerprint);
    SAME_TEXT(control_layout);
    assert_memory_equal(a->secret, b->secret, sizeof(a->secret));
    SAME(hold_ms);
    SAME(late_policy);
    SAME(state);
    SAME(resumed);
    SAME(last_sequence);
    SAME(slot_generation);
    SAME(silence_ms);
    SAME(features);
}

static inline void assert_session_lists_equal(const iso_message_session_list *a, const iso_message_session_list *b) {
    SAME(count);
    for (uint32_t i = 0; i < a->count; ++i) {
        SAME_TEXT(sessions[i].name);
        SAME(sessions[i].state);
        SAME(sessions[i].members);
        SAME(sessions[i].slots);
        SAME(sessions[i].spectators);
        SAME(sessions[i].tick);
        SAME(sessions[i].tick_rate_hz);
        SAME_TEXT(sessions[i].game);
    }
}

static inline void assert_members_equal(const iso_message_members *a, const iso_message_members *b) {
    SAME(is_complete);
    SAME(spectators);
    SAME(count);
    for (uint32_t i = 0; i < a->count; ++i) {
        SAME(members[i].role);
        SAME(members[i].slot);
        SAME(members[i].presence);
        SAME(members[i].slot_generation);
        SAME_TEXT(members[i].name);
    }
}

static inline void assert_names_equal(const iso_message_names *a, const iso_message_names *b) {
    SAME(left_out);
    SAME(count);
    for (uint32_t i = 0; i < a->count; ++i) {
        SAME(names[i].of);
        SAME(names[i].index);
        SAME_TEXT(names[i].name);
    }
}

static inline void assert_snapshot_begins_equal(const iso_message_snapshot_begin *a,
                                                const iso_message_snapshot_begin *b) {
    SAME(tick);
    SAME(epoch);
    SAME(raw_size);
    SAME(size);
    SAME(compression);
    SAME(chunk_count);
    SAME(chunk_size);
    SAME(root);
}

static inline void assert_messages_equal(const iso_message *a, const iso_message *b) {
    assert_int_equal(a->kind, b->kind);
    switch ((iso_message_kind)a->kind) {
    case ISO_MESSAGE_INPUT:
        assert_inputs_equal(&a->as.input, &b->as.input);
        break;
    case ISO_MESSAGE_TICK:
        assert_ticks_equal(&a->as.tick, &b->as.tick);
        break;
    case ISO_MESSAGE_STATUS:
        SAME(as.status.server_tick);
        SAME(as.status.acked_sequence);
        SAME(as.status.margin_ticks_q8);
        SAME(as.status.late_count);
        SAME(as.status.durable_tick);
        SAME(as.status.result_count);
        for (uint32_t i = 0; i < a->as.status.result_count; ++i) {
            SAME(as.status.results[i].sequence);
            SAME(as.status.results[i].code);
            SAME(as.status.results[i].id);
        }
        SAME(as.status.is_degraded);
        break;
    case ISO_MESSAGE_PING:
        SAME(as.ping.id);
        SAME(as.ping.client_time_ns);
        break;
    case ISO_MESSAGE_PONG:
        SAME(as.pong.id);
        SAME(as.pong.client_time_ns);
        SAME(as.pong.server_tick);
        SAME(as.pong.fraction_q8);
        break;
    case ISO_MESSAGE_CONFIRM:
        SAME(as.confirm.tick);
        SAME(as.confirm.root);
        break;
    case ISO_MESSAGE_REJECT:
        SAME(as.reject.sequence);
        SAME(as.reject.code);
        SAME_TEXT(as.reject.detail);
        break;
    case ISO_MESSAGE_HELLO:
        assert_hellos_equal(&a->as.hello, &b->as.hello);
        break;
    case ISO_MESSAGE_WELCOME:
        assert_welcomes_equal(&a->as.welcome, &b->as.welcome);
        break;
    case ISO_MESSAGE_REFUSAL:
        SAME(as.refusal.code);
        SAME_TEXT(as.refusal.text);
        SAME_TEXT(as.refusal.expected);
        break;
    case ISO_MESSAGE_SNAPSHOT_BEGIN:
        assert_snapshot_begins_equal(&a->as.snapshot_begin, &b->as.snapshot_begin);
        break;
    case ISO_MESSAGE_SNAPSHOT_CHUNK:
        SAME(as.snapshot_chunk.index);
        SAME(as.snapshot_chunk.size);
        assert_memory_equal(a->as.snapshot_chunk.bytes, b->as.snapshot_chunk.bytes, a->as.snapshot_chunk.size);
        break;
    case ISO_MESSAGE_SNAPSHOT_ACK:
        SAME(as.snapshot_ack.index);
        break;
    case ISO_MESSAGE_CAUGHT_UP:
        SAME(as.caught_up.tick);
        SAME(as.caught_up.root);
        break;
    case ISO_MESSAGE_ACTIVATE:
        SAME(as.activate.slot);
        SAME(as.activate.slot_generation);
        SAME(as.activate.join_tick);
        break;
    case ISO_MESSAGE_LEAVE:
        break;
    case ISO_MESSAGE_BYE:
        SAME(as.bye.code);
        SAME_TEXT(as.bye.text);
        break;
    case ISO_MESSAGE_REWIND:
        SAME(as.rewind.tick);
        SAME(as.rewind.root);
        SAME(as.rewind.epoch);
        break;
    case ISO_MESSAGE_REWIND_ANSWER:
        SAME(as.rewind_answer.is_restored);
        break;
    case ISO_MESSAGE_STATE_NOTICE:
        SAME(as.state_notice.state);
        SAME(as.state_notice.tick);
        SAME(as.state_notice.late_policy);
        SAME(as.state_notice.code);
        break;
    case ISO_MESSAGE_NOTICE:
        SAME_TEXT(as.notice.text);
        SAME(as.notice.deadline_ms);
        break;
    case ISO_MESSAGE_LIST:
        break;
    case ISO_MESSAGE_SESSION_LIST:
        assert_session_lists_equal(&a->as.session_list, &b->as.session_list);
        break;
    case ISO_MESSAGE_MEMBERS:
        assert_members_equal(&a->as.members, &b->as.members);
        break;
    case ISO_MESSAGE_NAMES:
        assert_names_equal(&a->as.names, &b->as.names);
        break;
    case ISO_MESSAGE_DESYNC_REPORT:
        SAME(as.desync_report.tick);
        SAME(as.desync_report.root);
        break;
    case ISO_MESSAGE_DESYNC_NOTICE:
        SAME(as.desync_notice.slot);
        SAME(as.desync_notice.tick);
        SAME(as.desync_notice.expected_root);
        SAME(as.desync_notice.actual_root);
        SAME(as.desync_notice.action);
        break;
    default:
        fail_msg("kind %d", a->kind);
    }
}
#undef SAME
#undef SAME_TEXT
/// @}

#endif
