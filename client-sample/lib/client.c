/// The client library's events: each is handed to the file whose it is, and gives actions (isostep/client.h).
#include "actions.h"
#include "commands.h"
#include "display.h"
#include "end.h"
#include "handshake.h"
#include "input.h"
#include "invariants.h"
#include "times.h"
#include "members.h"
#include "names.h"
#include "notices.h"
#include "predict.h"
#include "resume.h"
#include "snapshot.h"
#include "spare.h"
#include "text.h"
#include "ticks.h"
#include "isostep/proto/wipe.h"
#include "wire/utf8.h"

iso_client_config iso_client_config_default(void) {
    return (iso_client_config){
        .session = "main",
        .name = "",
        .role = ISO_ROLE_PLAYER,
        .verify = true,
        .lead_ticks = 2,
        .snapshot_size_max = UINT64_C(64) << 20,
        .world_size_max = UINT64_C(256) << 20,
        .image_memory = UINT64_C(4) << 20,
        .simd = iso_simd_best(),
    };
}

/// Session names are what the server's list has: [a-z0-9-], 1 to 63 characters.
static bool session_name_is_valid(const char *name) {
    size_t length = 0;
    while (name[length] != 0) {
        const char c = name[length];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) {
            return false;
        }
        length += 1;
    }
    return length >= 1 && length <= ISO_SESSION_NAME_MAX;
}

/// As iso_member_name_is_valid, which would bring the codec and protobuf with it. None is an empty one.
static bool text_is_valid(const char *text, size_t length_max) {
    size_t length = 0;
    if (text == 0) {
        return true;
    }
    while (length <= length_max && text[length] != 0) {
        length += 1;
    }
    return length <= length_max && iso__utf8_is_text((const uint8_t *)text, length);
}

iso_status iso_client_create(const iso_client_config *config, iso_client **client) {
    ISO_ASSERT(client != 0 && config->allocator.allocate != 0 && config->allocator.release != 0);
    const bool role_ok = config->role == ISO_ROLE_PLAYER || config->role == ISO_ROLE_SPECTATOR;
    const bool lead_ok = config->lead_ticks >= 1 && config->lead_ticks <= ISO_CLIENT_LEAD_MAX;
    const bool predict_ok = config->predict_frames == 0 || (config->predict_frames <= ISO_CLIENT_PREDICT_MAX &&
                                                            config->verify && config->role == ISO_ROLE_PLAYER);
    const bool world_ok = config->verify || (config->sync_test_interval == 0 && !config->interpolate);
    const bool resume_ok =
        !config->has_resume || (config->role == ISO_ROLE_PLAYER && config->resume.slot < ISO_SLOT_COUNT_MAX);
    if (!role_ok || !lead_ok || !predict_ok || !world_ok || !resume_ok || config->session == 0 ||
        !session_name_is_valid(config->session) || !text_is_valid(config->name, ISO_MEMBER_NAME_MAX) ||
        !text_is_valid(config->password, ISO_PASSWORD_MAX) ||
        iso_game_check_list(config->games, config->game_count, 0, 0, 0, 0) != ISO_OK) {
        return ISO_ERR_RANGE;
    }
    if (!iso_simd_is_supported(config->simd)) {
        return ISO_ERR_UNSUPPORTED;
    }
    iso_client *c = config->allocator.allocate(config->allocator.user, sizeof(iso_client), 64);
    if (c == 0) {
        return ISO_ERR_MEMORY;
    }
    __builtin_memset(c, 0, sizeof(*c));
    c->allocator = config->allocator;
    c->games = config->games;
    c->game_count = config->game_count;
    iso__client_text_copy(c->session, sizeof(c->session), config->session);
    iso__client_text_copy(c->name, sizeof(c->name), config->name);
    iso__client_text_copy(c->password, sizeof(c->password), config->password);
    c->role = config->role;
    c->verify = config->verify;
    c->lead_ticks = config->lead_ticks;
    c->flip_at_tick = config->flip_at_tick;
    c->snapshot_size_max = config->snapshot_size_max;
    c->world_size_max = config->world_size_max;
    c->image_memory = config->image_memory;
    c->predict_frames = config->predict_frames;
    c->interpolate = config->interpolate;
    c->simd = config->simd;
    c->sync_test_interval = config->sync_test_interval;
    iso_sync_test_init(&c->sync_test, &c->allocator, config->sync_test_interval);
    c->reconnect_ns = (uint64_t)config->reconnect_ms * 1000000u;
    c->random = config->seed;
    c->input.next_sequence = 1;
    if (config->has_resume) {
        iso__client_resume_claim(c, &config->resume);
    }
    *client = c;
    return ISO_OK;
}

void iso_client_destroy(iso_client *client) {
    ISO_ASSERT(iso__client_fits(client));
    iso__client_snapshot_release(client);
    iso__client_names_release(client);
    iso__client_world_drop(client);
    const iso_allocator allocator = client->allocator;
    iso_wipe(client, sizeof *client); // the seat's secret, where it came and where it was shown
    allocator.release(allocator.user, client, sizeof(iso_client));
}

static void handle_leave(iso_client *client) {
    const iso_client_phase phase = client->phase;
    if (phase == ISO_CLIENT_PHASE_IDLE || phase == ISO_CLIENT_PHASE_AWAY || phase == ISO_CLIENT_PHASE_HELLO) {
        iso__client_end(client, ISO_OK, "", 0, phase == ISO_CLIENT_PHASE_HELLO);
        return;
    }
    if (client->is_leaving) {
        return;
    }
    iso__client_end_spare(client);
    client->is_leaving = true;
    client->phase_ns = client->now_ns;
    (void)iso__client_action_push_message(client, ISO_MESSAGE_LEAVE);
}

static void handle_disconnected(iso_client *client, iso_status status) {
    if (client->is_leaving) {
        iso__client_end(client, ISO_OK, "", 0, false);
        return;
    }
    // A message that could not be decoded or encoded would not be valid on another connection either.
    const bool broke = status == ISO_OK || status == ISO_ERR_CONNECTION;
    if (broke && iso__client_spare_take_place(client, ISO_ERR_CONNECTION)) {
        return;
    }
    if (broke && iso__client_resume_try(client, false, ISO_ERR_CONNECTION)) {
        return;
    }
    if (broke && client->is_away) {
        iso__client_resume_give_up(client);
        return;
    }
    const char *text = !broke                                   ? "" // the status says it
                       : client->phase == ISO_CLIENT_PHASE_IDLE ? "the server could not be reached"
                                                                : "the server closed the connection";
    iso__client_end(client, broke ? ISO_ERR_CONNECTION : status, text, 0, false);
}

/// The server, or the connection to it, has become silent.
static void handle_silence(iso_client *client, const char *text) {
    if (!iso__client_resume_try(client, true, ISO_ERR_TIMEOUT)) {
        iso__client_fail(client, ISO_ERR_TIMEOUT, text);
    }
}

static void handle_reject(iso_client *client, const iso_message_reject *reject) {
    iso__client_text_copy(client->text, sizeof(client->text), reject->detail);
    iso__client_commands_refused(client, reject->sequence);
    client->stats.commands_refused += reject->sequence != 0;
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_REFUSED);
    action->sequence = reject->sequence;
    action->status = reject->code;
    action->text = client->text;
}

/// Ends after which the member's slot is held, and refusals that may be temporary.
static bool end_is_worth_a_try(const iso_client *client, const iso_message *message) {
    if (message->kind == ISO_MESSAGE_BYE) {
        return message->as.bye.code == ISO_ERR_TIMEOUT || message->as.bye.code == ISO_ERR_SLOW_CONSUMER ||
               message->as.bye.code == ISO_ERR_RESTARTING ||
               (message->as.bye.code == ISO_ERR_TAKEN_OVER && iso__client_spare_has_taken_over(client));
    }
    const iso_status code = message->as.refusal.code;
    return iso__client_refusal_may_pass(code) || (code == ISO_ERR_NO_RESUME && (client->is_away || client->has_claim));
}

/// Ends are accepted in every phase.
static bool handle_end(iso_client *client, const iso_message *message) {
    if (message->kind != ISO_MESSAGE_BYE && message->kind != ISO_MESSAGE_REFUSAL) {
        return false;
    }
    const iso_status why = message->kind == ISO_MESSAGE_BYE ? message->as.bye.code : message->as.refusal.code;
    const bool again = !client->is_leaving && end_is_worth_a_try(client, message);
    // A member that is no longer known joins as a new one.
    const bool unknown = message->kind == ISO_MESSAGE_REFUSAL && why == ISO_ERR_NO_RESUME;
    client->is_resumable = client->is_resumable && !unknown;
    client->has_claim = client->has_claim && !unknown;
    if (again && iso__client_resume_try(client, true, why)) {
        return true;
    }
    if (message->kind == ISO_MESSAGE_BYE) {
        iso__client_end(client, client->is_leaving ? ISO_OK : message->as.bye.code, message->as.bye.text, 0, true);
        return true;
    }
    const iso_message_refusal *refusal = &message->as.refusal;
    iso__client_end(client, refusal->code, refusal->text, refusal->expected, true);
    return true;
}

static void handle_message(iso_client *client, const iso_message *message) {
    if (client->phase == ISO_CLIENT_PHASE_AWAY) {
        return; // of the closed connection
    }
    if (client->spare.state != ISO__CLIENT_SPARE_NONE) {
        iso__client_spare_hear(client, message);
        if (client->phase == ISO_CLIENT_PHASE_HELLO) {
            return; // it was the last word of the other connection
        }
    }
    client->heard_ns = client->now_ns;
    if (handle_end(client, message) || client->is_leaving) {
        return;
    }
    if (client->phase == ISO_CLIENT_PHASE_HELLO && message->kind != ISO_MESSAGE_WELCOME) {
        iso__client_fail(client, ISO_ERR_STATE, "the server's first message is not the answer to HELLO");
        return;
    }
    switch (message->kind) {
    case ISO_MESSAGE_WELCOME:
        iso__client_handshake_welcome(client, &message->as.welcome);
        break;
    case ISO_MESSAGE_PONG:
        iso__client_handshake_pong(client, &message->as.pong);
        break;
    case ISO_MESSAGE_SNAPSHOT_BEGIN:
        iso__client_snapshot_begin(client, &message->as.snapshot_begin);
        break;
    case ISO_MESSAGE_SNAPSHOT_CHUNK:
        iso__client_snapshot_chunk(client, &message->as.snapshot_chunk);
        break;
    case ISO_MESSAGE_TICK:
        iso__client_ticks_tick(client, &message->as.tick);
        break;
    case ISO_MESSAGE_ACTIVATE:
        iso__client_ticks_activate(client, &message->as.activate);
        break;
    case ISO_MESSAGE_STATUS:
        iso__client_input_status(client, &message->as.status);
        break;
    case ISO_MESSAGE_REJECT:
        handle_reject(client, &message->as.reject);
        break;
    case ISO_MESSAGE_DESYNC_NOTICE:
        iso__client_notices_desync(client, &message->as.desync_notice);
        break;
    case ISO_MESSAGE_STATE_NOTICE:
        iso__client_notices_state(client, &message->as.state_notice);
        break;
    case ISO_MESSAGE_NOTICE:
        iso__client_notices_people(client, &message->as.notice);
        break;
    case ISO_MESSAGE_MEMBERS:
        iso__client_members_take(client, &message->as.members);
        break;
    case ISO_MESSAGE_NAMES:
        iso__client_names_take(client, &message->as.names);
        break;
    case ISO_MESSAGE_REWIND:
        iso__client_resume_rewind(client, &message->as.rewind);
        break;
    default:
        iso__client_fail(client, ISO_ERR_STATE, "the server sent a message that only clients send");
        break;
    }
}

/// When a time limit of the server's passes: not before the grace of a client that was stopped.
static uint64_t limit_after(const iso_client *client, uint64_t since_ns, uint64_t limit_ns) {
    const uint64_t deadline = since_ns + limit_ns;
    return deadline > client->grace_until_ns ? deadline : client->grace_until_ns;
}

/// A process that was stopped, or whose machine slept, comes much later than it has asked to. What has come meanwhile
/// is still to be read. As long as nothing is read there is no second grace: timers of a page in the background are
/// late always.
static void forgive_if_stopped(iso_client *client, uint64_t now_ns) {
    const uint64_t deadline = iso_client_next_deadline(client);
    const bool has_heard =
        client->grace_until_ns == 0 || client->heard_ns + ISO__CLIENT_GRACE_NS > client->grace_until_ns;
    if (has_heard && client->phase != ISO_CLIENT_PHASE_AWAY && now_ns > deadline &&
        now_ns - deadline > ISO__CLIENT_STOPPED_NS) {
        client->grace_until_ns = now_ns + ISO__CLIENT_GRACE_NS;
    }
}

/// What is due by time only.
static void handle_time(iso_client *client, uint64_t before_ns) {
    if (client->phase == ISO_CLIENT_PHASE_IDLE || client->phase == ISO_CLIENT_PHASE_ENDED) {
        return;
    }
    if (client->is_leaving) {
        if (client->now_ns >= limit_after(client, client->phase_ns, ISO__CLIENT_LEAVE_TIMEOUT_NS)) {
            iso__client_end(client, ISO_OK, "", 0, true);
        }
        return;
    }
    if (client->phase == ISO_CLIENT_PHASE_HELLO) {
        if (client->now_ns >= limit_after(client, client->phase_ns, ISO__CLIENT_HELLO_TIMEOUT_NS)) {
            handle_silence(client, "the server did not answer within 5 s");
        }
        return;
    }
    if (client->phase == ISO_CLIENT_PHASE_AWAY) {
        if (client->now_ns >= iso__client_resume_deadline(client)) {
            iso__client_resume_give_up(client);
        }
        return;
    }
    if (client->now_ns >= limit_after(client, client->heard_ns, ISO__CLIENT_SILENCE_TIMEOUT_NS)) {
        handle_silence(client, "the server was silent for 30 s");
        return;
    }
    if (client->report_ns != 0 &&
        client->now_ns >= limit_after(client, client->report_ns, ISO__CLIENT_NOTICE_TIMEOUT_NS)) {
        // A resume sends the root to the server, which then decides.
        if (!iso__client_resume_try(client, true, ISO_ERR_DESYNC)) {
            iso__client_fail(client, ISO_ERR_DESYNC, "the server did not answer the report of a desync within 5 s");
        }
        return;
    }
    iso__client_spare_if_due(client, before_ns);
    iso__client_handshake_ping_if_due(client);
    iso__client_input_send_if_due(client);
}

void iso_client_handle(iso_client *client, uint64_t now_ns, const iso_client_event *event) {
    ISO_ASSERT(client->action_taken == client->action_count);
    client->action_taken = 0;
    client->action_count = 0;
    const uint64_t before_ns = client->now_ns;
    forgive_if_stopped(client, now_ns);
    client->now_ns = now_ns > client->now_ns ? now_ns : client->now_ns;
    if (client->phase == ISO_CLIENT_PHASE_ENDED) {
        return;
    }
    if (event->is_spare && !iso__client_spare_handle(client, event)) {
        return;
    }
    switch (event->kind) {
    case ISO_CLIENT_EVENT_CONNECTED:
        ISO_ASSERT(client->phase == ISO_CLIENT_PHASE_IDLE || client->phase == ISO_CLIENT_PHASE_AWAY);
        client->heard_ns = client->now_ns;
        iso__client_handshake_hello(client);
        break;
    case ISO_CLIENT_EVENT_MESSAGE:
        handle_message(client, event->message);
        break;
    case ISO_CLIENT_EVENT_DISCONNECTED:
        handle_disconnected(client, event->status);
        break;
    case ISO_CLIENT_EVENT_DECOMPRESSED:
        iso__client_snapshot_decompressed(client, event->status, event->bytes, event->size);
        break;
    case ISO_CLIENT_EVENT_LEAVE:
        handle_leave(client);
        break;
    default:
        break;
    }
    handle_time(client, before_ns);
    iso__client_predict_advance(client);
    iso__client_display_update(client);
}

static uint64_t min_u64(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

uint64_t iso_client_next_deadline(const iso_client *client) {
    ISO_ASSERT(iso__client_fits(client));
    if (client->phase == ISO_CLIENT_PHASE_IDLE || client->phase == ISO_CLIENT_PHASE_ENDED) {
        return UINT64_MAX;
    }
    if (client->is_leaving) {
        return limit_after(client, client->phase_ns, ISO__CLIENT_LEAVE_TIMEOUT_NS);
    }
    if (client->phase == ISO_CLIENT_PHASE_HELLO) {
        return limit_after(client, client->phase_ns, ISO__CLIENT_HELLO_TIMEOUT_NS);
    }
    if (client->phase == ISO_CLIENT_PHASE_AWAY) {
        return iso__client_resume_deadline(client);
    }
    uint64_t deadline = min_u64(limit_after(client, client->heard_ns, ISO__CLIENT_SILENCE_TIMEOUT_NS),
                                iso__client_spare_deadline(client));
    deadline =
        min_u64(deadline, client->is_ping_out ? client->ping_sent_ns + ISO__CLIENT_PING_LOST_NS : client->ping_due_ns);
    if (client->report_ns != 0) {
        deadline = min_u64(deadline, limit_after(client, client->report_ns, ISO__CLIENT_NOTICE_TIMEOUT_NS));
    }
    if (client->clock.is_running && !client->input.is_held) {
        deadline = min_u64(deadline, client->clock.due_ns);
    }
    return deadline;
}
