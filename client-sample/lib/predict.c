#include "predict.h"

#include "actions.h"
#include "clock.h"
#include "commands.h"
#include "display.h"
#include "images.h"
#include "outcomes.h"
#include "reading.h"

/// The parts of the one block: the struct and the world.
static size_t align_64(size_t size) {
    return (size + 63u) & ~(size_t)63u;
}

bool iso__client_predict_create(iso_client *client) {
    ISO_ASSERT(client->world != 0 && client->predict == 0);
    const iso_world_def *def = iso_world_get_def(client->world);
    const size_t head_size = align_64(sizeof(iso__client_predict));
    if (client->world_size > SIZE_MAX - head_size) {
        return false;
    }
    const size_t size = head_size + client->world_size;
    uint8_t *block = client->allocator.allocate(client->allocator.user, size, 64);
    if (block == 0) {
        return false;
    }
    iso__client_predict *predict = (iso__client_predict *)(void *)block;
    __builtin_memset(predict, 0, sizeof(*predict));
    predict->size = size;
    client->predict = predict;
    return iso_world_create(def, client->game, block + head_size, client->world_size, &predict->world) == ISO_OK &&
           iso_world_set_simd(predict->world, client->simd) == ISO_OK;
}

void iso__client_predict_destroy(iso_client *client) {
    ISO_ASSERT(client->predict == 0 || client->predict->size > sizeof(iso__client_predict));
    if (client->predict != 0) {
        client->allocator.release(client->allocator.user, client->predict, client->predict->size);
        client->predict = 0;
    }
}

void iso__client_predict_reset(iso_client *client) {
    ISO_ASSERT(client->predict == 0 || client->predict->state <= ISO__CLIENT_PREDICT_WRONG);
    if (client->predict != 0) {
        client->predict->state = ISO__CLIENT_PREDICT_BEHIND;
        iso__client_outcomes_withdraw_after(&client->predict->outcomes, 0);
    }
}

/// A state follows from the one before and the tick's input, so a tick was predicted right when it was sealed with what
/// was predicted: no other change or command than the own ones that were expected.
static bool prediction_came_true(iso_client *client, const iso_message_tick *message) {
    iso__client_input *input = &client->input;
    uint32_t next = 0;
    for (uint32_t i = 0; i < input->sent_count; ++i) {
        const iso__client_command *entry = iso__client_commands_at(input, i);
        if (entry->predicted != message->tick) {
            continue;
        }
        if (next == message->command_count || message->commands[next].slot != client->activation.slot ||
            message->commands[next].sequence != entry->sequence) {
            return false;
        }
        next += 1;
    }
    return next == message->command_count && message->change_count == 0;
}

void iso__client_predict_confirm(iso_client *client, const iso_message_tick *message) {
    ISO_ASSERT(message->tick == client->tick);
    iso__client_predict *predict = client->predict;
    // A member that resumes is told what the ticks did that it missed, a new one nothing of the ticks before it.
    if (predict == 0 || (client->phase != ISO_CLIENT_PHASE_ACTIVE && client->stats.first_tick == 0)) {
        return;
    }
    if (predict->state != ISO__CLIENT_PREDICT_BEHIND && predict->tick < message->tick) {
        predict->state = ISO__CLIENT_PREDICT_BEHIND;
    } else if (predict->state == ISO__CLIENT_PREDICT_RIGHT && !prediction_came_true(client, message)) {
        predict->state = ISO__CLIENT_PREDICT_WRONG;
    }
    const iso_tick_input input = {
        .tick = message->tick, .commands = message->commands, .command_count = message->command_count};
    client->stats.outcomes_left_out +=
        iso__client_outcomes_confirm(&predict->outcomes, client->world, client->activation.slot, &input);
}

/// The own commands that a tick is expected to have: those that were meant for it, and earlier ones that are not sealed
/// yet. What came too late for the server is not waited for. What is meant for ticks beyond the last one that may be
/// predicted is taken earlier by as much, so that the own input shows at once however long the round trip is. It is
/// not sealed there, so it is predicted again, one tick later, until its own tick is near enough.
static uint32_t commands_expect(iso_client *client, uint64_t tick) {
    iso__client_input *input = &client->input;
    iso__client_predict *predict = client->predict;
    uint32_t count = 0;
    for (uint32_t i = 0; i < input->sent_count; ++i) {
        iso__client_command *entry = iso__client_commands_at(input, i);
        if (entry->target > tick + client->stats.unpredicted) {
            break;
        }
        const bool lost = entry->is_refused || entry->target + client->welcome.limits.late_ticks_max < tick;
        if (entry->predicted == 0 && !lost) {
            entry->predicted = tick;
            predict->commands[count] = (iso_sealed_command){
                .slot = client->activation.slot,
                .sequence = entry->sequence,
                .command = entry->command,
            };
            count += 1;
        }
    }
    return count;
}

/// @return false when the world cannot be stepped so.
static bool predict_step(iso_client *client) {
    iso__client_predict *predict = client->predict;
    const iso_tick_input input = {
        .tick = predict->tick + 1u,
        .commands = predict->commands,
        .command_count = commands_expect(client, predict->tick + 1u),
    };
    if (iso_world_step(predict->world, &input) != ISO_OK) {
        return false;
    }
    predict->tick += 1;
    iso__client_outcomes_predict(&predict->outcomes, predict->world, client->activation.slot, &input);
    return true;
}

/// Starts again from the confirmed world's state and predicts the same ticks again.
static void predict_again(iso_client *client, uint64_t until) {
    iso__client_predict *predict = client->predict;
    iso__client_display_hold(client->display, predict->world);
    const uint64_t root = client->roots[client->tick % ISO__CLIENT_ROOTS_MAX];
    const bool restored = iso__client_images_restore(&client->images, predict->world, client->tick, root);
    ISO_ASSERT(restored);
    for (uint32_t i = 0; i < client->input.sent_count; ++i) {
        iso__client_commands_at(&client->input, i)->predicted = 0;
    }
    predict->tick = client->tick;
    while (predict->tick < until && predict_step(client)) {
    }
    iso__client_display_release(client->display, predict->world);
    iso__client_outcomes_withdraw_after(&predict->outcomes, until > predict->tick ? until : predict->tick);
    if (predict->state == ISO__CLIENT_PREDICT_WRONG) {
        const uint64_t count = predict->tick - client->tick;
        client->stats.rollbacks += 1;
        client->stats.resteps += count;
        client->stats.max_rollback = count > client->stats.max_rollback ? (uint32_t)count : client->stats.max_rollback;
    }
    predict->state = ISO__CLIENT_PREDICT_RIGHT;
}

/// The tick that the last input was meant for, as far as it may be predicted.
static uint64_t predict_goal(iso_client *client) {
    const uint64_t furthest = client->tick + client->predict_frames;
    const uint64_t target = client->stats.last_target > client->tick ? client->stats.last_target : client->tick;
    const uint64_t beyond = target > furthest ? target - furthest : 0;
    // Ticks and inputs come by turns, so this goes to and fro by one. At the larger one of the two the world moves on
    // with an input instead of with a tick, and what was just given shows.
    if (beyond == 0 || beyond + 1u != client->stats.unpredicted) {
        client->stats.unpredicted = beyond;
    }
    return target - client->stats.unpredicted;
}

/// Hands out the outcomes that have changed. The predicted ticks from `first` on are new.
static void outcomes_tell(iso_client *client, uint64_t tick, uint64_t first) {
    iso__client_outcomes *outcomes = &client->predict->outcomes;
    iso_client_action *action = iso__client_action_push(client, ISO_CLIENT_ACTION_PREDICTED);
    action->unpredicted = client->stats.unpredicted;
    action->tick = tick;
    action->first_tick = first;
    action->outcomes = outcomes->marked;
    action->outcome_count = outcomes->marked_count;
    outcomes->marked_count = 0;
}

// ---- resting --------------------------------------------------------------------------------------
//
// A predicted tick costs a second step, and a wrong one up to sixteen. A machine that cannot afford that falls behind,
// and what it shows as its prediction is older than what is confirmed elsewhere. So when the confirmed world is more
// than REST_BEHIND ticks behind what has arrived, the prediction rests until it is there. A machine that then falls
// behind again would go to and fro: each rest that follows soon on another one is twice as long. A stall of the network
// ends with such a burst of ticks as well. It says nothing about the machine, unless it comes again at once.

#define REST_BEHIND    ISO_CLIENT_PREDICT_MAX // ticks
#define REST_OVER      2                      // ticks behind, at most, to predict again
#define REST_SOON_NS   UINT64_C(10000000000)
#define REST_STALL_NS  UINT64_C(1000000000)
#define REST_FIRST_NS  UINT64_C(500000000)
#define REST_LENGTH_NS UINT64_C(32000000000) // at most

static bool predict_is_resting(iso_client *client) {
    iso__client_predict *predict = client->predict;
    const uint64_t arrived = iso__client_clock_arrived(&client->clock, client->now_ns);
    const uint64_t behind = arrived > client->tick ? arrived - client->tick : 0;
    if (predict->is_resting) {
        if (behind <= REST_OVER && client->now_ns - predict->rest_begin_ns >= predict->rest_ns) {
            predict->is_resting = false;
            predict->rest_end_ns = client->now_ns;
        }
    } else if (behind > REST_BEHIND && !client->is_paused) {
        const uint64_t soon_ns = client->input.is_held ? REST_STALL_NS : REST_SOON_NS;
        const bool again = predict->rest_end_ns != 0 && client->now_ns - predict->rest_end_ns < soon_ns;
        const uint64_t longer_ns = predict->rest_ns == 0 ? REST_FIRST_NS : 2u * predict->rest_ns;
        predict->rest_ns = !again ? 0 : longer_ns < REST_LENGTH_NS ? longer_ns : REST_LENGTH_NS;
        predict->rest_begin_ns = client->now_ns;
        predict->is_resting = true;
        client->stats.rests += 1;
    }
    return predict->is_resting;
}

void iso__client_predict_advance(iso_client *client) {
    ISO_ASSERT(client->predict == 0 || client->predict->state <= ISO__CLIENT_PREDICT_WRONG);
    iso__client_predict *predict = client->predict;
    if (predict == 0 || client->phase == ISO_CLIENT_PHASE_ENDED) {
        return;
    }
    // While the confirmed world is being replaced there is nothing to start from.
    const bool is_without = client->phase != ISO_CLIENT_PHASE_ACTIVE || client->is_healing;
    if (is_without || predict_is_resting(client)) {
        const bool is_ahead = !is_without && iso__client_reading_is_predicted(client) && predict->tick > client->tick;
        const uint64_t shown = is_ahead ? predict->tick : client->tick;
        if (predict->outcomes.marked_count > 0) {
            outcomes_tell(client, shown, shown + 1u);
        }
        return;
    }
    const uint64_t goal = predict_goal(client);
    const uint64_t reached = predict->tick;
    const bool again = predict->state != ISO__CLIENT_PREDICT_RIGHT;
    if (again) {
        predict_again(client, reached < goal ? reached : goal);
    }
    while (predict->tick < goal && predict_step(client)) {
        iso__client_display_fade(client->display);
    }
    if (!again && predict->tick == reached && predict->outcomes.marked_count == 0) {
        return;
    }
    client->stats.max_unpredicted = client->stats.unpredicted > client->stats.max_unpredicted
                                        ? client->stats.unpredicted
                                        : client->stats.max_unpredicted;
    outcomes_tell(client, predict->tick, (again ? client->tick : reached) + 1u);
}
