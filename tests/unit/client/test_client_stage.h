/// A server that seals what the client sends beside what another member does: for the tests of prediction and display.
#ifndef ISO_TEST_CLIENT_STAGE_H
#define ISO_TEST_CLIENT_STAGE_H

#include "test_client_util.h"

#define HEARD_MAX 256
#define EMITS_MAX 4096

/// A server that seals each command in its target tick, beside another member that does what the test wants.
typedef struct stage {
    talk t;
    iso_sealed_command heard[HEARD_MAX];
    uint64_t targets[HEARD_MAX];
    uint32_t heard_count;
    uint64_t late_ticks;          // so many ticks after its target a command is sealed
    iso_sealed_command others[4]; // for the next tick
    uint32_t other_count;
    uint64_t other_sequence;
    // What the predicted world was when it was at a tick for the first time.
    uint64_t first_roots[256], last_roots[256];
    uint64_t ahead_max;
    uint64_t unpredicted;             // as was said last
    iso_client_outcome outcomes[512]; // results of commands
    uint32_t outcome_count;
    uint32_t events[ISO_CLIENT_OUTCOME_JOINT_WAKE + 1][ISO_CLIENT_MARK_WITHDRAWN + 1]; // by kind and mark
    iso_client_outcome last[ISO_CLIENT_OUTCOME_JOINT_WAKE + 1];                        // by kind
    iso_client_outcome emits[EMITS_MAX];                                               // of the game
    uint32_t emit_count;
    // Called 144 times a second, as a screen does.
    void (*frame)(struct stage *s, uint64_t now_ns);
    uint64_t frame_ns; // of the next call
    void *user;
    // A world for predictions from scratch.
    void *memory, *image;
    iso_world *scratch;
} stage;

static inline void stage_show(stage *s, uint64_t until_ns) {
    for (; s->frame != NULL && s->frame_ns < until_ns; s->frame_ns += S / 144) {
        s->frame(s, s->frame_ns);
    }
}

/// A long lead is to the prediction what a long round trip is.
static inline void stage_init_with(stage *s, uint8_t frames, uint8_t lead_ticks, bool interpolate) {
    memset(s, 0, sizeof(*s));
    iso_client_config config = talk_config(&s->t);
    config.predict_frames = frames;
    config.lead_ticks = lead_ticks;
    config.interpolate = interpolate;
    talk_init(&s->t, &config);
    const iso_world_def def = talk_def();
    const size_t size = iso_world_size(&def, talk_games[0]);
    s->memory = aligned_alloc(64, size);
    assert_int_equal(iso_world_create(&def, talk_games[0], s->memory, size, &s->scratch), ISO_OK);
    s->image = malloc(iso_world_image_size_max(s->scratch));
    // The other member is there first.
    const iso_change join = {ISO_CHANGE_JOIN, 1, 1};
    const iso_tick_input input = {talk_tick(&s->t) + 1, &join, 1, NULL, 0};
    assert_int_equal(iso_world_step(s->t.world, &input), ISO_OK);
    s->t.root = iso_world_root(s->t.world);
    talk_activate(&s->t);
}

static inline void stage_init_far(stage *s, uint8_t frames, uint8_t lead_ticks) {
    stage_init_with(s, frames, lead_ticks, false);
}

static inline void stage_init(stage *s, uint8_t frames) {
    stage_init_far(s, frames, 2);
}

static inline void stage_term(stage *s) {
    free(s->image);
    free(s->memory);
    talk_term(&s->t);
}

static inline void stage_look(stage *s) {
    talk *t = &s->t;
    for (uint32_t i = 0; i < t->count; ++i) {
        const iso_client_action *action = &t->actions[i];
        if (action->kind == ISO_CLIENT_ACTION_SEND && t->messages[i].kind == ISO_MESSAGE_INPUT) {
            const iso_message_input *input = &t->messages[i].as.input;
            for (uint32_t k = 0; k < input->command_count; ++k) {
                assert_true(s->heard_count < HEARD_MAX);
                s->targets[s->heard_count] = input->target_tick;
                s->heard[s->heard_count++] = (iso_sealed_command){
                    .slot = t->slot, .sequence = input->first_sequence + k, .command = input->commands[k]};
            }
        }
        if (action->kind != ISO_CLIENT_ACTION_PREDICTED) {
            continue;
        }
        const uint64_t confirmed = iso_client_tick(t->client);
        assert_true(action->tick >= confirmed && action->first_tick <= action->tick + 1u);
        assert_int_equal(iso_world_get_tick(iso_client_predicted_world(t->client)), action->tick);
        s->ahead_max = action->tick - confirmed > s->ahead_max ? action->tick - confirmed : s->ahead_max;
        s->unpredicted = action->unpredicted;
        const uint64_t root = iso_world_root(t->client->predict->world);
        uint64_t *first = &s->first_roots[action->tick % 256];
        *first = *first == 0 ? root : *first;
        s->last_roots[action->tick % 256] = root;
        for (uint32_t k = 0; k < action->outcome_count; ++k) {
            const iso_client_outcome *outcome = &action->outcomes[k];
            assert_true(s->outcome_count < 512);
            s->events[outcome->kind][outcome->mark] += 1;
            s->last[outcome->kind] = *outcome;
            s->outcomes[s->outcome_count] = *outcome;
            s->outcome_count += outcome->kind == ISO_CLIENT_OUTCOME_RESULT;
            assert_true(s->emit_count < EMITS_MAX);
            s->emits[s->emit_count] = *outcome;
            s->emit_count += outcome->kind == ISO_CLIENT_OUTCOME_EMIT;
        }
    }
}

/// Lets the client's timers run until the next tick is sealed.
static inline void stage_pass(stage *s) {
    talk *t = &s->t;
    const uint64_t tick_ns = t->now_ns + S / 60;
    while (iso_client_next_deadline(t->client) < tick_ns) {
        t->now_ns = iso_client_next_deadline(t->client);
        stage_show(s, t->now_ns);
        talk_event(t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
        stage_look(s);
        const iso_message *ping = talk_heard(t, ISO_MESSAGE_PING);
        if (ping != NULL) {
            iso_message pong = {.kind = ISO_MESSAGE_PONG};
            pong.as.pong.id = ping->as.ping.id;
            pong.as.pong.server_tick = talk_tick(t);
            talk_say(t, &pong);
            stage_look(s);
        }
    }
    stage_show(s, tick_ns);
    t->now_ns = tick_ns - S / 60;
}

static inline void stage_seal(stage *s) {
    talk *t = &s->t;
    iso_sealed_command commands[HEARD_MAX];
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < s->other_count; ++i) {
        commands[count++] = s->others[i];
    }
    for (uint32_t i = 0; i < s->heard_count; ++i) {
        if (s->targets[i] + s->late_ticks <= talk_tick(t) + 1u) {
            commands[count++] = s->heard[i];
        } else {
            s->targets[kept] = s->targets[i];
            s->heard[kept++] = s->heard[i];
        }
    }
    s->heard_count = kept;
    s->other_count = 0;
    s->first_roots[(talk_tick(t) + 200u) % 256] = 0;
    talk_step_with(t, NULL, 0, commands, count, false);
    stage_look(s);
}

static inline void stage_tick(stage *s) {
    stage_pass(s);
    stage_seal(s);
}

static inline iso_client_stats stage_stats(const stage *s) {
    iso_client_stats stats;
    iso_client_get_stats(s->t.client, &stats);
    return stats;
}

static inline iso_command impulse_on(iso_body_id body, int32_t up) {
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_APPLY_IMPULSE;
    command.as.apply_impulse.body = body;
    command.as.apply_impulse.impulse.y = up * ISO_WIDE_ONE;
    return command;
}

static inline iso_command spawn_at(int32_t x) {
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_SPAWN_BODY;
    command.as.spawn_body.body = iso_body_def_default();
    command.as.spawn_body.body.position = (iso_vec2_wide){x * ISO_WIDE_ONE, 8 * ISO_WIDE_ONE};
    command.as.spawn_body.shape = iso_shape_def_circle(ISO_FIX16_ONE / 4);
    return command;
}

static inline void other_does(stage *s, iso_command command) {
    s->other_sequence += 1;
    s->others[s->other_count++] = (iso_sealed_command){.slot = 1, .sequence = s->other_sequence, .command = command};
}

#endif
