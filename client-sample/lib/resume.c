#include "resume.h"

#include "actions.h"
#include "commands.h"
#include "display.h"
#include "end.h"
#include "images.h"
#include "predict.h"
#include "snapshot.h"
#include "ticks.h"
#include "times.h"

#define DELAY_FIRST_NS    UINT64_C(200000000)
#define DELAY_MAX_NS      UINT64_C(1600000000)
#define DELAY_FULL_MAX_NS UINT64_C(5000000000) // where there is no room

/// SplitMix64. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
static uint64_t random_next(uint64_t *state) {
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static bool is_full(iso_status why) {
    return why == ISO_ERR_SERVER_FULL || why == ISO_ERR_SESSION_FULL || why == ISO_ERR_SPECTATORS_FULL ||
           why == ISO_ERR_ADDRESS_LIMIT;
}

/// Half to one and a half of a time that doubles with each try: members that lost the same server do not all reconnect
/// at once. So members of a server that was away for long come back within 2.4 s of each other, and none waits longer
/// after a try at a machine that refuses the connection. A longer limit would spare the server nothing that matters:
/// after a second away they come as close together, and a try that nobody listens to costs the kernel two packets. One
/// that is refused since there is no room costs it a greeting that it reads and answers: those come less often.
uint64_t iso__client_resume_delay(iso_client *client, uint32_t tries, iso_status why) {
    ISO_ASSERT(client->reconnect_ns > 0);
    const uint64_t most = is_full(why) ? DELAY_FULL_MAX_NS : DELAY_MAX_NS;
    uint64_t delay = DELAY_FIRST_NS;
    for (uint32_t i = 0; i < tries && delay < most; ++i) {
        delay *= 2u;
    }
    delay = delay < most ? delay : most;
    return delay / 2u + random_next(&client->random) % delay;
}

uint64_t iso__client_resume_deadline(const iso_client *client) {
    ISO_ASSERT(client->is_away && client->reconnect_ns > 0);
    return client->away_ns + client->reconnect_ns;
}

/// Discards what belongs to the closed connection.
static void connection_forget(iso_client *client) {
    iso__client_snapshot_release(client);
    client->clock.is_running = false;
    client->is_ping_out = false;
    client->pong_count = 0;
    client->is_activated = false;
    client->is_healing = false;
    client->is_paused = false;
    client->is_rewinding = false;
    client->report_ns = 0;
    iso__client_predict_reset(client);
}

void iso__client_resume_away(iso_client *client, iso_status why) {
    ISO_ASSERT(client->reconnect_ns > 0 && why != ISO_OK);
    if (!client->is_away) {
        client->is_away = true;
        client->away_ns = client->now_ns;
        client->tries = 0;
    }
    client->away_why = why;
    connection_forget(client);
}

void iso__client_resume_give_up(iso_client *client) {
    ISO_ASSERT(client->is_away && client->away_why != ISO_OK);
    const char *text = client->away_why != ISO_ERR_CONNECTION ? ""
                       : client->is_welcomed ? "the connection broke and the server could not be reached again in time"
                                             : "the server could not be reached in time";
    iso__client_end(client, client->away_why, text, 0, false);
}

bool iso__client_resume_try(iso_client *client, bool close, iso_status why) {
    ISO_ASSERT(why != ISO_OK);
    if (client->reconnect_ns == 0 || client->is_leaving || client->phase == ISO_CLIENT_PHASE_ENDED) {
        return false;
    }
    if (client->phase == ISO_CLIENT_PHASE_ACTIVE) {
        client->is_resumable = client->role == ISO_ROLE_PLAYER && client->welcome.hold_ms > 0;
    }
    iso__client_end_spare(client);
    iso__client_resume_away(client, why);
    const uint64_t deadline = iso__client_resume_deadline(client);
    if (client->now_ns >= deadline) {
        return false;
    }
    client->phase = ISO_CLIENT_PHASE_AWAY;
    client->phase_ns = client->now_ns;
    if (close) {
        (void)iso__client_action_push(client, ISO_CLIENT_ACTION_CLOSE);
    }
    const uint64_t delay = iso__client_resume_delay(client, client->tries, why);
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_RECONNECT);
    action->delay_ns = delay < deadline - client->now_ns ? delay : deadline - client->now_ns;
    action->tick = client->tick;
    action->status = why;
    client->tries += 1;
    return true;
}

void iso__client_resume_claim(iso_client *client, const iso_resume *claim) {
    ISO_ASSERT(client->phase == ISO_CLIENT_PHASE_IDLE && claim->slot < ISO_SLOT_COUNT_MAX);
    // As if the Welcome had come here.
    __builtin_memcpy(client->welcome.uid, claim->uid, sizeof(client->welcome.uid));
    __builtin_memcpy(client->welcome.secret, claim->secret, sizeof(client->welcome.secret));
    client->welcome.slot = claim->slot;
    client->welcome.slot_generation = claim->slot_generation;
    client->is_resumable = true;
    client->has_claim = true;
}

void iso__client_resume_hello(iso_client *client, iso_message_hello *hello) {
    ISO_ASSERT(!client->is_resumable || client->is_welcomed || client->has_claim);
    if (!client->is_resumable) {
        return;
    }
    hello->has_resume = true;
    iso_resume *resume = &hello->resume;
    __builtin_memcpy(resume->uid, client->welcome.uid, sizeof(resume->uid));
    __builtin_memcpy(resume->secret, client->welcome.secret, sizeof(resume->secret));
    resume->slot = client->welcome.slot;
    resume->slot_generation = client->welcome.slot_generation;
    resume->epoch = client->tick_epoch;
    // Without a world there is no root of its own: the newest tick is one whose root has come.
    resume->tick = client->verify ? client->tick : client->server_root_tick;
    resume->root = client->verify ? client->roots[client->tick % ISO__CLIENT_ROOTS_MAX] : client->server_root;
}

const char *iso__client_resume_find_fault(const iso_client *client, const iso_message_welcome *welcome) {
    ISO_ASSERT(!client->is_resumable || client->is_welcomed || client->has_claim);
    const iso_message_welcome *before = &client->welcome;
    if (!client->is_resumable) {
        return welcome->resumed == ISO_RESUMED_NEW ? 0 : "the server resumes a member that has not been there";
    }
    const bool same = __builtin_memcmp(welcome->uid, before->uid, sizeof(before->uid)) == 0 &&
                      welcome->slot == before->slot && welcome->slot_generation == before->slot_generation &&
                      (!client->is_welcomed || welcome->tick_rate_hz == before->tick_rate_hz);
    if (!same) {
        return "the server resumed another member than this one";
    }
    if (welcome->resumed == ISO_RESUMED_NEW) {
        return "the server treats a resuming member as a new one";
    }
    if (welcome->resumed == ISO_RESUMED_TICKS && welcome->tick > client->tick + ISO__CLIENT_BEHIND_TICKS) {
        return "the server's WELCOME lies in the far future of the client's tick";
    }
    return client->verify && client->world == 0 && welcome->resumed != ISO_RESUMED_SNAPSHOT
               ? "the server's answer is for a client that has a state"
               : 0;
}

/// Commands that the server has not received are sent again; those that it has are sealed in any case.
static void commands_take_back(iso_client *client, uint64_t last_sequence) {
    iso__client_input *input = &client->input;
    while (input->sent_count > 0 && iso__client_commands_at(input, input->sent_count - 1u)->sequence > last_sequence) {
        input->sent_count -= 1;
        input->waiting_count += 1;
    }
    if (input->next_sequence <= last_sequence) {
        input->next_sequence = last_sequence + 1u;
    }
    input->heard_sequence = last_sequence;
    input->sealed_sequence = 0; // the tick that said so may never have happened
}

void iso__client_resume_welcome(iso_client *client) {
    ISO_ASSERT(client->is_welcomed && client->phase == ISO_CLIENT_PHASE_SNAPSHOT);
    const iso_message_welcome *welcome = &client->welcome;
    if (welcome->resumed == ISO_RESUMED_NEW) {
        // A member that has not been there before, as far as the server knows.
        iso__client_world_drop(client);
        __builtin_memset(&client->input, 0, sizeof(client->input));
        client->input.next_sequence = 1;
        client->stats.first_tick = 0;
        client->told_tick = 0;
        client->wrong_tick = 0;
        client->has_desynced = false;
        return;
    }
    commands_take_back(client, welcome->last_sequence);
    client->stats.last_target = 0;
    client->has_desynced = false; // its root was right, or another state follows
    if (welcome->resumed == ISO_RESUMED_TICKS) {
        client->wrong_tick = 0;
        client->phase = ISO_CLIENT_PHASE_CATCHUP;
    }
    client->is_rewinding = welcome->resumed == ISO_RESUMED_REWIND;
}

void iso__client_resume_rewind(iso_client *client, const iso_message_rewind *rewind) {
    ISO_ASSERT(client->is_welcomed && client->welcome.tick_rate_hz > 0);
    if (!client->is_rewinding || client->phase != ISO_CLIENT_PHASE_SNAPSHOT) {
        iso__client_fail(client, ISO_ERR_STATE, "the server sent a REWIND that was not expected now");
        return;
    }
    if (rewind->tick > client->tick || rewind->epoch != client->welcome.epoch) {
        iso__client_fail(client, ISO_ERR_MALFORMED, "the server's REWIND does not lead back");
        return;
    }
    client->is_rewinding = false;
    client->stats.rewinds += 1;
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_REWOUND);
    action->tick = rewind->tick;
    iso__client_ticks_take_back(client, rewind->tick, action);
    // A client without a world has nothing to restore.
    const bool restored =
        client->world == 0 || iso__client_images_restore(&client->images, client->world, rewind->tick, rewind->root);
    iso__client_action_push_message(client, ISO_MESSAGE_REWIND_ANSWER)->as.rewind_answer.is_restored = restored;
    if (!restored) {
        return; // a snapshot follows
    }
    iso__client_display_cut(client);
    iso__client_images_drop_after(&client->images, rewind->tick);
    iso__client_ticks_begin(client, rewind->tick, rewind->root);
}
