/// A hostile client that knows the protocol: the real client library plays, and some of what it says is changed on its
/// way out. Whatever comes of it for itself, nobody else may notice.
#include <string.h>

#include "sim.h"

static uint64_t tamper_number(sim *s, uint64_t value) {
    switch (sim_random_below(&s->random, 6)) {
    case 0:
        return value + sim_random_between(&s->random, 1, 3);
    case 1:
        return value - sim_random_between(&s->random, 1, value < 3 ? value + 1 : 3);
    case 2:
        return value + sim_random_below(&s->random, 1000);
    case 3:
        return 0;
    case 4:
        return ISO_TICK_END - 1;
    default:
        return sim_random_below(&s->random, 2 * value + 2);
    }
}

static uint64_t tamper_tick(sim *s, uint64_t tick) {
    const uint64_t other = tamper_number(s, tick);
    return other < ISO_TICK_END ? other : 0;
}

/// Tries to be somebody: itself with a wrong secret, somebody else with its own, nobody.
static void tamper_hello(sim *s, iso_message_hello *hello) {
    iso_resume *resume = &hello->resume;
    if (!hello->has_resume) {
        hello->has_resume = true;
        memcpy(resume->uid, s->config.uid, sizeof resume->uid);
        resume->slot = (uint8_t)sim_random_below(&s->random, ISO_SLOT_COUNT_MAX);
        resume->slot_generation = (uint32_t)sim_random_between(&s->random, 1, 4);
        resume->epoch = s->epoch;
        resume->tick = sim_random_below(&s->random, s->last_tick + 2);
        resume->root = s->ticks[resume->tick].root;
        return;
    }
    switch (sim_random_below(&s->random, 6)) {
    case 0:
        resume->slot = (uint8_t)sim_random_below(&s->random, s->def.slot_capacity);
        break;
    case 1:
        resume->slot_generation = (uint32_t)tamper_number(s, resume->slot_generation);
        break;
    case 2:
        resume->secret[sim_random_below(&s->random, sizeof resume->secret)] ^= 1u;
        break;
    case 3:
        resume->uid[0] ^= 1u;
        break;
    case 4:
        resume->tick = tamper_tick(s, resume->tick);
        break;
    default:
        resume->root ^= 1u;
        break;
    }
}

static void tamper_input(sim *s, iso_message_input *input) {
    switch (sim_random_below(&s->random, 3)) {
    case 0:
        input->target_tick = tamper_tick(s, input->target_tick);
        break;
    case 1:
        input->first_sequence = tamper_tick(s, input->first_sequence);
        input->first_sequence += input->first_sequence == 0;
        input->first_sequence -=
            input->first_sequence > ISO_TICK_END / 2 ? ISO_INPUT_COMMANDS_MAX : 0; // can be encoded
        break;
    default:
        input->ack_tick = tamper_tick(s, input->ack_tick);
        break;
    }
}

uint32_t tamper(sim *s, uint32_t index, iso_message *message) {
    const bool hello = message->kind == ISO_MESSAGE_HELLO;
    if (!sim_random_one_in(&s->random, hello ? 2 : 40)) {
        return 1;
    }
    s->totals.tampered += 1;
    sim_log(s, "client %u tampers with its %s", index, iso_message_kind_name(message->kind));
    const uint64_t what = sim_random_below(&s->random, 4);
    if (what < 2 && !hello) {
        return (uint32_t)what * 2; // not at all, or twice
    }
    switch (message->kind) {
    case ISO_MESSAGE_HELLO:
        tamper_hello(s, &message->as.hello);
        break;
    case ISO_MESSAGE_INPUT:
        tamper_input(s, &message->as.input);
        break;
    case ISO_MESSAGE_CONFIRM:
        if (what == 2) {
            message->as.confirm.tick = tamper_tick(s, message->as.confirm.tick);
        } else {
            message->as.confirm.root ^= 1u;
        }
        break;
    case ISO_MESSAGE_CAUGHT_UP:
        if (what == 2) {
            message->as.caught_up.tick = tamper_tick(s, message->as.caught_up.tick);
        } else {
            message->as.caught_up.root ^= 1u;
        }
        break;
    case ISO_MESSAGE_SNAPSHOT_ACK:
        message->as.snapshot_ack.index = (uint32_t)tamper_number(s, message->as.snapshot_ack.index);
        break;
    case ISO_MESSAGE_REWIND_ANSWER:
        message->as.rewind_answer.is_restored = !message->as.rewind_answer.is_restored;
        break;
    default:
        message->kind = ISO_MESSAGE_LEAVE;
        break;
    }
    return 1;
}
