/// The client's inputs: when they leave, what they carry, what is held back.
#include "test_client_util.h"

/// Runs the session for some ticks, the client's timer included. Counts and checks the inputs.
typedef struct play {
    uint64_t inputs, commands, last_target, next_sequence;
    uint64_t controls;
    uint64_t bytes;
    // Heard and not sealed yet: a server that seals everything in its next tick.
    iso_sealed_command heard[64];
    uint32_t heard_count;
} play;

static void play_look(play *p, const talk *t) {
    for (uint32_t i = 0; i < t->count; ++i) {
        const iso_message *m = &t->messages[i];
        if (t->actions[i].kind != ISO_CLIENT_ACTION_SEND || m->kind != ISO_MESSAGE_INPUT) {
            continue;
        }
        const iso_message_input *input = &m->as.input;
        assert_true(input->target_tick >= p->last_target);
        assert_int_equal(input->ack_tick, iso_client_tick(t->client));
        assert_true(input->command_count <= 8);
        if (input->command_count > 0) {
            assert_int_equal(input->first_sequence, p->next_sequence + 1);
        }
        p->last_target = input->target_tick;
        p->next_sequence += input->command_count;
        p->commands += input->command_count;
        p->inputs += 1;
        for (uint32_t k = 0; k < input->command_count; ++k) {
            uint8_t bytes[ISO_COMMAND_SIZE_MAX];
            assert_true(p->heard_count < 64);
            p->heard[p->heard_count++] = (iso_sealed_command){
                .slot = t->slot, .sequence = input->first_sequence + k, .command = input->commands[k]};
            p->controls += input->commands[k].kind == ISO_COMMAND_SET_CONTROL;
            p->bytes += iso_command_encode(&input->commands[k], bytes, sizeof(bytes));
        }
    }
}

static void play_ticks(play *p, talk *t, uint64_t ticks) {
    const uint64_t end = talk_tick(t) + ticks;
    while (talk_tick(t) < end) {
        const uint64_t tick_ns = t->now_ns + S / 60;
        while (iso_client_next_deadline(t->client) < tick_ns) {
            t->now_ns = iso_client_next_deadline(t->client);
            talk_event(t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
            play_look(p, t);
            const iso_message *ping = talk_heard(t, ISO_MESSAGE_PING);
            if (ping != NULL) {
                iso_message pong = {.kind = ISO_MESSAGE_PONG};
                pong.as.pong.id = ping->as.ping.id;
                pong.as.pong.server_tick = talk_tick(t);
                talk_say(t, &pong);
                play_look(p, t);
            }
        }
        t->now_ns = tick_ns - S / 60;
        play sealed = *p;
        p->heard_count = 0;
        talk_step_with(t, NULL, 0, sealed.heard, sealed.heard_count, false);
        play_look(p, t);
    }
}

static void test_one_input_leaves_per_tick(void **state) {
    (void)state;
    talk t;
    play p = {0};
    talk_init(&t, NULL);
    talk_activate(&t);
    play_ticks(&p, &t, 300);
    assert_in_range(p.inputs, 298, 301);
    assert_int_equal(p.commands, 0);
    assert_in_range(p.last_target, talk_tick(&t) + 1, talk_tick(&t) + 6);
    iso_client_stats stats;
    iso_client_get_stats(t.client, &stats);
    assert_int_equal(stats.inputs_sent, p.inputs);
    assert_int_equal(stats.last_target, p.last_target);
    talk_term(&t);
}

static iso_command impulse(iso_body_id body) {
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_APPLY_ANGULAR_IMPULSE;
    command.as.apply_angular_impulse.body = body;
    command.as.apply_angular_impulse.impulse = ISO_WIDE_ONE;
    return command;
}

static void test_commands_leave_in_order_within_the_rate(void **state) {
    (void)state;
    talk t;
    play p = {0};
    talk_init(&t, NULL);
    talk_activate(&t);
    const iso_command command = impulse(t.ball);
    for (uint64_t i = 1; i <= ISO_CLIENT_COMMANDS_MAX; ++i) {
        uint64_t sequence = 0;
        assert_int_equal(iso_client_command(t.client, &command, &sequence), ISO_OK);
        assert_int_equal(sequence, i);
    }
    uint64_t sequence = 99;
    assert_int_equal(iso_client_command(t.client, &command, &sequence), ISO_ERR_RATE);
    assert_int_equal(sequence, 99);
    play_ticks(&p, &t, 4);
    assert_in_range(p.commands, 24, 32); // a burst of less than 32
    play_ticks(&p, &t, 20);
    assert_int_equal(p.commands, 64);
    // Never more than 4 per tick on average, with a burst of 24.
    play_ticks(&p, &t, 60);
    const uint64_t before = p.commands;
    uint64_t given = 0;
    for (int i = 0; i < 120; ++i) {
        while (iso_client_command(t.client, &command, NULL) == ISO_OK) {
            given += 1;
        }
        play_ticks(&p, &t, 1);
    }
    assert_true(given > 400);
    assert_true(p.commands - before <= 120 * 4 + 32);
    assert_true(p.commands - before >= 120 * 3);
    talk_term(&t);
}

static void test_large_commands_keep_below_the_byte_rate(void **state) {
    (void)state;
    talk t;
    play p = {0};
    talk_init(&t, NULL);
    talk_activate(&t);
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_CUSTOM;
    command.as.custom.size = ISO_CUSTOM_SIZE_MAX;
    for (int i = 0; i < 300; ++i) {
        while (iso_client_command(t.client, &command, NULL) == ISO_OK) {
        }
        play_ticks(&p, &t, 1);
    }
    // 5 s at a rate of 16 KiB for everything: three quarters of it are for commands and what surrounds them.
    assert_in_range(p.bytes, 5 * 8192, 5 * 12288 + 4096);
    talk_term(&t);
}

static void test_bad_commands_are_not_sent(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    iso_command command = impulse((iso_body_id){0, 1});
    assert_int_equal(iso_client_command(t.client, &command, NULL), ISO_ERR_STATE);
    talk_activate(&t);
    command.kind = 200;
    assert_int_equal(iso_client_command(t.client, &command, NULL), ISO_ERR_BAD_ENUM);
    command = impulse((iso_body_id){0, 1});
    command.as.apply_angular_impulse.impulse = ISO_WIDE_MAX;
    assert_int_equal(iso_client_command(t.client, &command, NULL), ISO_ERR_RANGE);
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_SET_GRAVITY3; // the session is in the plane
    assert_int_equal(iso_client_command(t.client, &command, NULL), ISO_ERR_DIMENSION);
    const uint8_t block[33] = {0};
    assert_int_equal(iso_client_set_control(t.client, block, 33), ISO_ERR_RANGE);
    play p = {0};
    play_ticks(&p, &t, 10);
    assert_int_equal(p.commands, 0);
    talk_term(&t);
}

static void test_control_is_sent_when_it_changes(void **state) {
    (void)state;
    talk t;
    play p = {0};
    talk_init(&t, NULL);
    talk_activate(&t);
    const uint8_t neutral[8] = {0};
    for (int i = 0; i < 30; ++i) {
        assert_int_equal(iso_client_set_control(t.client, neutral, 8), ISO_OK);
        play_ticks(&p, &t, 1);
    }
    // A neutral block may be forgotten by the game: once is enough.
    assert_int_equal(p.controls, 1);
    talk_term(&t);
}

static void test_held_control_is_refreshed_before_the_game_forgets_it(void **state) {
    (void)state;
    talk t;
    play p = {0};
    talk_init(&t, NULL);
    talk_activate(&t);
    const uint8_t right[8] = {0xFF, 0x7F};
    assert_int_equal(iso_client_set_control(t.client, right, 8), ISO_OK);
    uint64_t sent_at = 0, longest = 0;
    for (int i = 0; i < 120; ++i) {
        const uint64_t before = p.controls;
        play_ticks(&p, &t, 1);
        if (p.controls != before) {
            longest = sent_at != 0 && p.last_target - sent_at > longest ? p.last_target - sent_at : longest;
            sent_at = p.last_target;
        }
    }
    // The sandbox forgets after 10 ticks.
    assert_in_range(longest, 3, 8);
    assert_in_range(p.controls, 15, 40);
    talk_term(&t);
}

/// How often one held block is sent in 120 ticks of a session whose game has these parameters; each time before the
/// world that the client steps forgets it.
static uint64_t controls_sent_in(const iso_game_param *params, uint32_t count, bool is_held) {
    const iso_game game = {.name = "sandbox",
                           .version = iso_game_sandbox.version,
                           .control_layout = "axes-buttons-8",
                           .control_size = 8,
                           .params = params,
                           .param_count = count};
    const iso_game *const before = talk_games[0];
    talk_games[0] = &game;
    talk t;
    play p = {0};
    talk_init(&t, NULL);
    talk_activate(&t);
    const uint8_t right[8] = {0xFF, 0x7F};
    assert_int_equal(iso_client_set_control(t.client, right, 8), ISO_OK);
    play_ticks(&p, &t, 12);
    for (int i = 0; i < 108; ++i) {
        play_ticks(&p, &t, 1);
        uint8_t seen[8];
        iso_world_read_control(iso_client_world(t.client), t.slot, seen, sizeof(seen));
        assert_true(!is_held || memcmp(seen, right, sizeof(right)) == 0);
    }
    talk_term(&t);
    talk_games[0] = before;
    return p.controls;
}

static void test_held_control_is_refreshed_in_a_game_without_a_timeout_of_its_own(void **state) {
    (void)state;
    static const iso_game_param other[] = {{"drive_force", ISO_WIDE_ONE, 0, 2 * ISO_WIDE_ONE}};
    assert_in_range(controls_sent_in(NULL, 0, true), 15, 40);
    assert_in_range(controls_sent_in(other, 1, true), 15, 40);
}

static void test_control_of_a_game_with_a_short_timeout_is_sent_as_often_as_it_has_to_be(void **state) {
    (void)state;
    static const iso_game_param short_ones[] = {{"control_timeout", ISO_WIDE_ONE, 0, 1000 * ISO_WIDE_ONE},
                                                {"control_timeout", 0, 0, 1000 * ISO_WIDE_ONE}};
    assert_in_range(controls_sent_in(&short_ones[0], 1, true), 115, 125);
    // In a game that takes each block for one tick only, holding it is no meaning that the library could guess.
    assert_int_equal(controls_sent_in(&short_ones[1], 1, false), 1);
}

static void test_waiting_control_is_replaced(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    uint8_t block[8] = {0};
    for (uint8_t i = 1; i <= 100; ++i) {
        block[0] = i;
        assert_int_equal(iso_client_set_control(t.client, block, 8), ISO_OK);
    }
    t.now_ns = iso_client_next_deadline(t.client);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
    const iso_message *m = talk_heard(&t, ISO_MESSAGE_INPUT);
    assert_non_null(m);
    assert_int_equal(m->as.input.command_count, 1);
    assert_int_equal(m->as.input.commands[0].as.set_control.bytes[0], 100);
    talk_term(&t);
}

static void test_refused_commands_are_told(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    iso_message m = {.kind = ISO_MESSAGE_REJECT};
    m.as.reject.sequence = 17;
    m.as.reject.code = ISO_ERR_TICK_LATE;
    strcpy(m.as.reject.detail, "late");
    talk_say(&t, &m);
    const iso_client_action *refused = talk_action(&t, ISO_CLIENT_ACTION_REFUSED, 0);
    assert_non_null(refused);
    assert_int_equal(refused->sequence, 17);
    assert_int_equal(refused->status, ISO_ERR_TICK_LATE);
    assert_string_equal(refused->text, "late");
    iso_client_stats stats;
    iso_client_get_stats(t.client, &stats);
    assert_int_equal(stats.commands_refused, 1);
    talk_term(&t);
}

static void test_status_steers_the_inputs(void **state) {
    (void)state;
    talk t;
    play p = {0};
    talk_init(&t, NULL);
    talk_activate(&t);
    play_ticks(&p, &t, 30);
    const uint64_t ahead = p.last_target - talk_tick(&t);
    iso_message m = {.kind = ISO_MESSAGE_STATUS};
    m.as.status.margin_ticks_q8 = INT32_MAX; // no input came: says nothing
    talk_say(&t, &m);
    iso_client_stats stats;
    iso_client_get_stats(t.client, &stats);
    assert_false(stats.is_margin_known);
    m.as.status.margin_ticks_q8 = -3 * 256;
    talk_say(&t, &m);
    play_ticks(&p, &t, 60); // 5 per cent of 60 are 3
    assert_in_range(p.last_target - talk_tick(&t), ahead + 2, ahead + 4);
    iso_client_get_stats(t.client, &stats);
    assert_true(stats.is_margin_known);
    assert_int_equal(stats.margin_q8, -3 * 256);
    assert_int_equal(stats.clock_jumps, 0);
    m.as.status.margin_ticks_q8 = -18 * 256;
    talk_say(&t, &m);
    play_ticks(&p, &t, 2);
    iso_client_get_stats(t.client, &stats);
    assert_int_equal(stats.clock_jumps, 1);
    assert_in_range(p.last_target - talk_tick(&t), ahead + 2 + 19, ahead + 4 + 21);
    talk_term(&t);
}

static void test_commands_wait_while_the_target_is_too_far_ahead(void **state) {
    (void)state;
    talk t;
    play p = {0};
    talk_init(&t, NULL);
    talk_activate(&t);
    play_ticks(&p, &t, 10);
    iso_message m = {.kind = ISO_MESSAGE_STATUS};
    m.as.status.margin_ticks_q8 = -200 * 256; // a lie: sends the clock far ahead
    talk_say(&t, &m);
    const iso_command command = impulse(t.ball);
    assert_int_equal(iso_client_command(t.client, &command, NULL), ISO_OK);
    play_ticks(&p, &t, 40);
    assert_true(p.last_target > talk_tick(&t) + 120);
    assert_int_equal(p.commands, 0);
    assert_in_range(p.inputs, 48, 52); // acknowledgements still leave
    m.as.status.margin_ticks_q8 = 202 * 256;
    talk_say(&t, &m);
    play_ticks(&p, &t, 200);
    assert_int_equal(p.commands, 1);
    assert_in_range(p.last_target, talk_tick(&t) + 1, talk_tick(&t) + 8);
    talk_term(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_input_leaves_per_tick),
        cmocka_unit_test(test_commands_leave_in_order_within_the_rate),
        cmocka_unit_test(test_large_commands_keep_below_the_byte_rate),
        cmocka_unit_test(test_bad_commands_are_not_sent),
        cmocka_unit_test(test_control_is_sent_when_it_changes),
        cmocka_unit_test(test_held_control_is_refreshed_before_the_game_forgets_it),
        cmocka_unit_test(test_held_control_is_refreshed_in_a_game_without_a_timeout_of_its_own),
        cmocka_unit_test(test_control_of_a_game_with_a_short_timeout_is_sent_as_often_as_it_has_to_be),
        cmocka_unit_test(test_waiting_control_is_replaced),
        cmocka_unit_test(test_refused_commands_are_told),
        cmocka_unit_test(test_status_steers_the_inputs),
        cmocka_unit_test(test_commands_wait_while_the_target_is_too_far_ahead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
