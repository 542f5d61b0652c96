/// What the bots do: stand still, wander, build, watch.
#include <string.h>

#include "sim.h"

static void bot_wander(sim *s, sim_client *c) {
    uint8_t control[8];
    for (size_t i = 0; i < sizeof control; ++i) {
        control[i] = (uint8_t)sim_random_next(&s->random);
    }
    control[5] = control[6] = control[7] = 0;
    control[4] &= 1u;
    // -32768 is no position of a stick.
    control[0] |= 1u;
    control[2] |= 1u;
    const iso_status status = iso_client_set_control(c->client, control, sizeof control);
    SIM_CHECK(s, status == ISO_OK || status == ISO_ERR_RATE || status == ISO_ERR_STATE,
              "a control block is refused: %s", iso_status_name(status));
}

static void bot_give(sim *s, sim_client *c, const iso_command *command, uint64_t *sequence) {
    const iso_status status = iso_client_command(c->client, command, sequence);
    SIM_CHECK(s, status == ISO_OK || status == ISO_ERR_RATE || status == ISO_ERR_STATE, "a command is refused: %s",
              iso_status_name(status));
    *sequence = status == ISO_OK ? *sequence : 0;
}

static void bot_spawn(sim *s, sim_client *c) {
    iso_command command = {0};
    s->scene->spawn(s, &command);
    uint64_t sequence = 0;
    bot_give(s, c, &command, &sequence);
    if (sequence != 0 && c->spawn_count < 16) {
        c->spawn_sequences[c->spawn_count++] = sequence;
    }
}

/// Every game of the library takes one byte 1 for "anew".
static void bot_begin_anew(sim *s, sim_client *c) {
    iso_command command = {.kind = ISO_COMMAND_CUSTOM};
    command.as.custom.bytes[0] = 1;
    command.as.custom.size = 1;
    uint64_t sequence;
    bot_give(s, c, &command, &sequence);
}

static void bot_connect(sim *s, sim_client *c) {
    iso_command command = {0};
    const iso_body_id first = c->bodies[sim_random_below(&s->random, c->body_count)];
    s->scene->connect(first, c->bodies[sim_random_below(&s->random, c->body_count)], &command);
    bot_give(s, c, &command, &c->joint_sequence);
}

static void bot_change(sim *s, sim_client *c, uint64_t what) {
    iso_command command = {0};
    const iso_body_id body = c->bodies[sim_random_below(&s->random, c->body_count)];
    uint64_t sequence;
    if (what == 0) {
        command.kind = ISO_COMMAND_DESTROY_BODY;
        command.as.destroy_body.body = body;
    } else if (what == 1) {
        s->scene->push(body, &command);
    } else if (what == 2) {
        // Somebody else's, perhaps: sealed and then a no-op.
        s->scene->throw_up((iso_body_id){(uint32_t)sim_random_below(&s->random, 30), 1}, &command);
    } else {
        command.kind = ISO_COMMAND_DESTROY_JOINT;
        command.as.destroy_joint.joint = c->joint;
    }
    bot_give(s, c, &command, &sequence);
}

static void bot_build(sim *s, sim_client *c) {
    if (c->body_count < 2) {
        bot_spawn(s, c);
        return;
    }
    const uint64_t what = sim_random_below(&s->random, 8);
    if (what < 2) {
        bot_spawn(s, c);
    } else if (what == 2) {
        bot_connect(s, c);
    } else if (what < 7) {
        bot_change(s, c, what - 3);
    } else {
        for (uint32_t i = 0; i < 6; ++i) {
            bot_change(s, c, 1);
        }
    }
}

/// Who tampers plays like another, so that there is something to tamper with.
static uint8_t bot_plays(const sim_client *c) {
    return c->bot != SIM_BOT_TAMPER ? c->bot : c->predict_frames > 0 ? SIM_BOT_BUILD : SIM_BOT_WANDER;
}

void bot_act(sim *s, uint32_t index) {
    sim_client *c = &s->clients[index];
    if (iso_client_get_phase(c->client) != ISO_CLIENT_PHASE_ACTIVE) {
        return;
    }
    if (bot_plays(c) == SIM_BOT_WANDER) {
        bot_wander(s, c);
        if (sim_random_one_in(&s->trouble, 20)) {
            bot_begin_anew(s, c);
        }
    } else if (bot_plays(c) == SIM_BOT_BUILD) {
        bot_build(s, c);
    }
}

void bot_results(sim *s, uint32_t index, const iso_client_action *tick) {
    sim_client *c = &s->clients[index];
    if (bot_plays(c) != SIM_BOT_BUILD || tick->results == NULL) {
        return;
    }
    for (uint32_t i = 0; i < tick->command_count; ++i) {
        const iso_sealed_command *command = &tick->commands[i];
        const uint64_t id = tick->results[i].id;
        if (command->slot != iso_client_slot(c->client) || id == 0 || tick->results[i].status != ISO_OK) {
            continue;
        }
        if (command->command.kind == s->scene->spawn_kind) {
            // The sixteenth takes a place at random order: by its sequence.
            const uint32_t place = c->body_count < 16 ? c->body_count++ : (uint32_t)(command->sequence % 16u);
            c->bodies[place] = iso_body_id_unpack(id);
        } else if (command->command.kind == s->scene->connect_kind) {
            c->joint = iso_joint_id_unpack(id);
        }
    }
}
