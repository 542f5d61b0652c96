/// The client whose connection breaks: coming back, being sent back, joining anew, giving up.
#include "test_client_rig.h"

static void test_member_comes_back_and_misses_nothing(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    for (int i = 0; i < 40; ++i) {
        talk_step(&r.t);
    }
    const uint64_t first_tick = rig_stats(&r).first_tick;
    for (int round = 1; round <= 3; ++round) {
        const uint64_t tick = talk_tick(&r.t), root = r.t.root;
        const iso_client_action *reconnect = rig_cut(&r);
        assert_non_null(reconnect);
        assert_int_equal(reconnect->tick, tick);
        assert_int_equal(iso_client_get_phase(r.t.client), ISO_CLIENT_PHASE_AWAY);
        rig_step_alone(&r, ISO_CHANGE_DROP);
        for (int i = 0; i < 20; ++i) {
            rig_step_alone(&r, 0);
        }
        const iso_message_hello hello = rig_connect(&r);
        assert_true(hello.has_resume);
        assert_int_equal(hello.resume.tick, tick);
        assert_true(hello.resume.root == root);
        assert_int_equal(hello.resume.epoch, 1);
        assert_int_equal(hello.resume.slot, 3);
        assert_int_equal(hello.resume.slot_generation, 1);
        assert_int_equal(hello.resume.uid[15], 0x55);
        assert_int_equal(hello.resume.secret[15], round); // the last WELCOME's
        rig_welcome(&r, ISO_RESUMED_TICKS);
        rig_tell(&r);
        rig_activate(&r);
        rig_check(&r);
        assert_int_equal(rig_stats(&r).resumes, round);
    }
    assert_int_equal(rig_stats(&r).first_tick, first_tick);
    assert_int_equal(rig_stats(&r).desyncs, 0);
    assert_true(r.t.sent[ISO_MESSAGE_SNAPSHOT_ACK] > 0 && r.t.begin.tick < first_tick); // only the first one
    talk_term(&r.t);
}

static void test_tries_grow_apart_and_end(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    uint64_t total = 0, longest = 0, shortest = UINT64_MAX;
    uint32_t early = 0, late = 0; // of those that do not grow any more
    const iso_client_action *reconnect = rig_cut(&r);
    uint32_t tries = 0;
    for (; reconnect != NULL; ++tries) {
        longest = reconnect->delay_ns > longest ? reconnect->delay_ns : longest;
        shortest = reconnect->delay_ns < shortest ? reconnect->delay_ns : shortest;
        total += reconnect->delay_ns;
        assert_true(tries > 0 || reconnect->delay_ns <= 300 * MS);
        if (tries > 2 && total < 57000 * MS) {
            assert_in_range(reconnect->delay_ns / MS, 800, 2400);
            early += reconnect->delay_ns < 1600 * MS;
            late += reconnect->delay_ns >= 1600 * MS;
        }
        r.t.now_ns += reconnect->delay_ns;
        assert_true(iso_client_next_deadline(r.t.client) >= r.t.now_ns);
        reconnect = rig_cut(&r);
    }
    assert_ended(&r.t, ISO_ERR_CONNECTION);
    assert_in_range(tries, 28, 60);
    assert_in_range(longest / MS, 2000, 2400);
    assert_true(early >= 8 && late >= 8);
    assert_in_range(shortest / MS, 1, 300);
    assert_int_equal(total / MS, 60000);
    talk_term(&r.t);
}

static void test_it_gives_up_in_time_without_an_answer(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    const uint64_t start = r.t.now_ns;
    assert_non_null(rig_cut(&r));
    while (talk_action(&r.t, ISO_CLIENT_ACTION_ENDED, 0) == NULL) {
        if (iso_client_get_phase(r.t.client) == ISO_CLIENT_PHASE_AWAY) {
            r.t.now_ns += talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0)->delay_ns;
            if (r.t.now_ns >= iso_client_next_deadline(r.t.client)) {
                talk_event(&r.t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
                break;
            }
            (void)rig_connect(&r);
        } else {
            r.t.now_ns = iso_client_next_deadline(r.t.client); // nobody answers the hello
            talk_event(&r.t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
        }
    }
    assert_int_equal(iso_client_get_phase(r.t.client), ISO_CLIENT_PHASE_ENDED);
    assert_in_range((r.t.now_ns - start) / MS, 59000, 66000);
    talk_term(&r.t);
}

static void test_without_the_wish_the_end_is_the_end(void **state) {
    (void)state;
    rig r;
    talk t;
    iso_client_config config = talk_config(&t);
    config.reconnect_ms = 1;
    rig_init_with(&r, config);
    talk_activate(&r.t);
    assert_null(rig_cut(&r));
    assert_ended(&r.t, ISO_ERR_CONNECTION);
    talk_term(&r.t);
}

static void test_commands_that_were_lost_leave_again(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_APPLY_ANGULAR_IMPULSE;
    command.as.apply_angular_impulse.body = r.t.ball;
    for (int i = 1; i <= 30; ++i) {
        command.as.apply_angular_impulse.impulse = i * ISO_WIDE_ONE;
        assert_int_equal(iso_client_command(r.t.client, &command, NULL), ISO_OK);
    }
    uint64_t sent = 0;
    for (int i = 0; i < 2; ++i) {
        r.t.now_ns = iso_client_next_deadline(r.t.client);
        talk_event(&r.t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
        sent += talk_heard(&r.t, ISO_MESSAGE_INPUT) != NULL
                    ? talk_heard(&r.t, ISO_MESSAGE_INPUT)->as.input.command_count
                    : 0;
    }
    assert_int_equal(sent, 16);
    assert_non_null(rig_cut(&r));
    rig_step_alone(&r, ISO_CHANGE_DROP);
    (void)rig_connect(&r);
    r.t.last_sequence = 5; // of 16 the server has seen five
    rig_welcome(&r, ISO_RESUMED_TICKS);
    rig_tell(&r);
    rig_activate(&r);
    uint64_t next = 6;
    for (int i = 0; i < 200 && next <= 30; ++i) {
        r.t.now_ns = iso_client_next_deadline(r.t.client);
        talk_event(&r.t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
        const iso_message *input = talk_heard(&r.t, ISO_MESSAGE_INPUT);
        for (uint32_t k = 0; input != NULL && k < input->as.input.command_count; ++k) {
            assert_int_equal(input->as.input.first_sequence + k, next);
            assert_true(input->as.input.commands[k].as.apply_angular_impulse.impulse == (int64_t)next * ISO_WIDE_ONE);
            assert_true(input->as.input.target_tick >= talk_tick(&r.t));
            next += 1;
        }
    }
    assert_int_equal(next, 31);
    uint64_t sequence;
    assert_int_equal(iso_client_command(r.t.client, &command, &sequence), ISO_OK);
    assert_int_equal(sequence, 31);
    talk_term(&r.t);
}

static void test_member_that_was_away_too_long_gets_a_snapshot(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    talk_step(&r.t);
    assert_non_null(rig_cut(&r));
    rig_step_alone(&r, ISO_CHANGE_DROP);
    for (int i = 0; i < 100; ++i) {
        rig_step_alone(&r, 0);
    }
    const size_t allocated = r.t.allocated;
    (void)rig_connect(&r);
    rig_welcome(&r, ISO_RESUMED_SNAPSHOT);
    talk_snapshot(&r.t);
    assert_int_equal(r.t.allocated, allocated); // the world is the same block
    assert_int_equal(iso_client_tick(r.t.client), talk_tick(&r.t));
    rig_activate(&r);
    rig_check(&r);
    talk_term(&r.t);
}

/// The server loses its last ticks, which the client has stepped.
static void rig_lose(rig *r, const uint8_t *image, size_t size) {
    assert_int_equal(iso_world_restore(r->t.world, image, size), ISO_OK);
    r->t.root = iso_world_root(r->t.world);
    r->t.epoch += 1;
}

static void test_client_that_is_ahead_goes_back_by_itself(void **state) {
    (void)state;
    for (int frames = 0; frames <= 8; frames += 8) {
        rig r;
        talk t;
        iso_client_config config = talk_config(&t);
        config.predict_frames = (uint8_t)frames;
        rig_init_with(&r, config);
        talk_activate(&r.t);
        for (int i = 0; i < 40; ++i) {
            talk_step(&r.t);
        }
        uint8_t *image = malloc(iso_world_image_size_max(r.t.world));
        const size_t size = iso_world_save(r.t.world, image, iso_world_image_size_max(r.t.world));
        const uint64_t kept = talk_tick(&r.t), kept_root = r.t.root;
        for (int i = 0; i < 15; ++i) {
            talk_step(&r.t);
        }
        assert_non_null(rig_cut(&r));
        rig_lose(&r, image, size);
        rig_step_alone(&r, ISO_CHANGE_DROP);
        rig_step_alone(&r, 0);
        (void)rig_connect(&r);
        rig_welcome(&r, ISO_RESUMED_REWIND);
        iso_message m = {.kind = ISO_MESSAGE_REWIND};
        m.as.rewind = (iso_message_rewind){kept, kept_root, 2};
        talk_say(&r.t, &m);
        const iso_message *answer = talk_heard(&r.t, ISO_MESSAGE_REWIND_ANSWER);
        assert_non_null(answer);
        assert_true(answer->as.rewind_answer.is_restored);
        const iso_client_action *rewound = talk_action(&r.t, ISO_CLIENT_ACTION_REWOUND, 0);
        assert_non_null(rewound);
        assert_int_equal(rewound->tick, kept);
        assert_int_equal(rewound->first_tick, kept + 1);
        assert_int_equal(rewound->last_tick, kept + 15);
        assert_int_equal(iso_client_tick(r.t.client), kept);
        rig_tell(&r);
        rig_activate(&r);
        rig_check(&r);
        assert_int_equal(rig_stats(&r).rewinds, 1);
        assert_int_equal(rig_stats(&r).desyncs, 0);
        // The next resume names the new epoch.
        assert_non_null(rig_cut(&r));
        assert_int_equal(rig_connect(&r).resume.epoch, 2);
        free(image);
        talk_term(&r.t);
    }
}

static void test_client_without_the_state_takes_a_snapshot(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    for (int i = 0; i < 40; ++i) {
        talk_step(&r.t);
    }
    assert_non_null(rig_cut(&r));
    assert_int_equal(iso_world_flip_bit(r.t.world), ISO_OK); // another branch of history
    r.t.epoch = 2;
    rig_step_alone(&r, ISO_CHANGE_DROP);
    (void)rig_connect(&r);
    rig_welcome(&r, ISO_RESUMED_REWIND);
    iso_message m = {.kind = ISO_MESSAGE_REWIND};
    m.as.rewind = (iso_message_rewind){talk_tick(&r.t) - 3, 12345, 2};
    talk_say(&r.t, &m);
    const iso_message *answer = talk_heard(&r.t, ISO_MESSAGE_REWIND_ANSWER);
    assert_non_null(answer);
    assert_false(answer->as.rewind_answer.is_restored);
    assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_REWOUND, 0));
    talk_snapshot(&r.t);
    // Cut off before the first tick: the state is one of the new epoch.
    assert_non_null(rig_cut(&r));
    assert_int_equal(rig_connect(&r).resume.epoch, 2);
    rig_welcome(&r, ISO_RESUMED_TICKS);
    rig_activate(&r);
    rig_check(&r);
    talk_term(&r.t);
}

static void test_rewind_that_leads_nowhere_is_refused(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; ++kind) {
        rig r;
        rig_init(&r);
        talk_step(&r.t);
        assert_non_null(rig_cut(&r));
        (void)rig_connect(&r);
        rig_welcome(&r, kind == 0 ? ISO_RESUMED_SNAPSHOT : ISO_RESUMED_REWIND);
        iso_message m = {.kind = ISO_MESSAGE_REWIND};
        m.as.rewind = (iso_message_rewind){talk_tick(&r.t) + (kind == 1), r.t.root, 1 + (kind == 2)};
        talk_say(&r.t, &m);
        assert_ended(&r.t, kind == 0 ? ISO_ERR_STATE : ISO_ERR_MALFORMED);
        talk_term(&r.t);
    }
}

static void test_member_that_is_forgotten_joins_anew(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    talk_step(&r.t);
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_CUSTOM;
    assert_int_equal(iso_client_command(r.t.client, &command, NULL), ISO_OK);
    assert_non_null(rig_cut(&r));
    rig_step_alone(&r, ISO_CHANGE_LEAVE);
    assert_true(rig_connect(&r).has_resume);
    iso_message m = {.kind = ISO_MESSAGE_REFUSAL};
    m.as.refusal.code = ISO_ERR_NO_RESUME;
    talk_say(&r.t, &m);
    assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_CLOSE, 0));
    assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0));
    assert_false(rig_connect(&r).has_resume);
    rig_welcome(&r, ISO_RESUMED_NEW);
    talk_snapshot(&r.t);
    talk_pings(&r.t);
    talk_join(&r.t);
    assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_JOINED, 0));
    assert_int_equal(rig_stats(&r).first_tick, talk_tick(&r.t));
    assert_int_equal(rig_stats(&r).resumes, 0);
    uint64_t sequence;
    assert_int_equal(iso_client_command(r.t.client, &command, &sequence), ISO_OK);
    assert_int_equal(sequence, 1);
    rig_check(&r);
    talk_term(&r.t);
}

static void test_who_was_not_active_joins_anew(void **state) {
    (void)state;
    for (int spectator = 0; spectator < 2; ++spectator) {
        rig r;
        talk t;
        iso_client_config config = talk_config(&t);
        config.role = spectator ? ISO_ROLE_SPECTATOR : ISO_ROLE_PLAYER;
        rig_init_with(&r, config);
        talk_welcome(&r.t);
        talk_snapshot(&r.t);
        if (spectator) {
            talk_pings(&r.t);
            talk_join(&r.t);
        }
        assert_non_null(rig_cut(&r));
        assert_false(rig_connect(&r).has_resume);
        rig_welcome(&r, ISO_RESUMED_NEW);
        talk_snapshot(&r.t);
        talk_pings(&r.t);
        talk_join(&r.t);
        assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_JOINED, 0));
        rig_check(&r);
        talk_term(&r.t);
    }
}

static void test_which_ends_are_final(void **state) {
    (void)state;
    static const struct {
        iso_status code;
        bool back;
    } cases[] = {
        {ISO_ERR_TAKEN_OVER, false}, {ISO_ERR_KICKED, false},    {ISO_ERR_SHUTDOWN, false},
        {ISO_ERR_DESYNC, false},     {ISO_ERR_TIMEOUT, true},    {ISO_ERR_SLOW_CONSUMER, true},
        {ISO_ERR_RATE, false},       {ISO_ERR_RESTARTING, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        rig r;
        rig_init(&r);
        iso_message m = {.kind = ISO_MESSAGE_BYE};
        m.as.bye.code = cases[i].code;
        talk_say(&r.t, &m);
        assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_CLOSE, 0));
        if (cases[i].back) {
            assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0));
            assert_true(rig_connect(&r).has_resume);
        } else {
            assert_ended(&r.t, cases[i].code);
        }
        talk_term(&r.t);
    }
}

static void refuse(rig *r, iso_status code) {
    iso_message m = {.kind = ISO_MESSAGE_REFUSAL};
    m.as.refusal.code = code;
    talk_event(&r->t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    assert_non_null(talk_heard(&r->t, ISO_MESSAGE_HELLO));
    talk_say(&r->t, &m);
}

/// A server that is not up yet, then has no room yet.
static void test_first_connection_is_tried_again(void **state) {
    (void)state;
    rig r;
    talk t;
    rig_init_with(&r, talk_config(&t));
    for (int i = 0; i < 3; ++i) {
        talk_event(&r.t, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .status = ISO_ERR_CONNECTION});
        const iso_client_action *reconnect = talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0);
        assert_non_null(reconnect);
        assert_int_equal(reconnect->status, ISO_ERR_CONNECTION);
        r.t.now_ns += reconnect->delay_ns;
    }
    refuse(&r, ISO_ERR_SERVER_FULL);
    assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_CLOSE, 0));
    const iso_client_action *reconnect = talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0);
    assert_non_null(reconnect);
    assert_int_equal(reconnect->status, ISO_ERR_SERVER_FULL);
    r.t.now_ns += reconnect->delay_ns;
    talk_activate(&r.t);
    assert_int_equal(rig_stats(&r).resumes, 0);
    talk_term(&r.t);
}

static void test_server_without_room_is_given_up_in_time(void **state) {
    (void)state;
    rig r;
    talk t;
    rig_init_with(&r, talk_config(&t));
    const uint64_t start = r.t.now_ns;
    uint64_t longest = 0;
    refuse(&r, ISO_ERR_SERVER_FULL);
    for (int i = 0; i < 100 && talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0) != NULL; ++i) {
        const uint64_t delay_ns = talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0)->delay_ns;
        longest = delay_ns > longest ? delay_ns : longest;
        r.t.now_ns += delay_ns;
        refuse(&r, ISO_ERR_SERVER_FULL);
    }
    assert_in_range(longest / MS, 5000, 7500); // a server that is there is asked less often
    assert_ended(&r.t, ISO_ERR_SERVER_FULL);
    assert_int_equal((r.t.now_ns - start) / S, 60);
    talk_term(&r.t);
}

static void test_which_refusals_are_final(void **state) {
    (void)state;
    static const struct {
        iso_status code;
        bool again;
    } cases[] = {
        {ISO_ERR_SERVER_FULL, true},  {ISO_ERR_ADDRESS_LIMIT, true},   {ISO_ERR_TIMEOUT, true},
        {ISO_ERR_SESSION_FULL, true}, {ISO_ERR_SPECTATORS_FULL, true}, {ISO_ERR_NO_SESSION, false},
        {ISO_ERR_FINGERPRINT, false}, {ISO_ERR_NO_RESUME, false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        rig r;
        talk t;
        rig_init_with(&r, talk_config(&t));
        refuse(&r, cases[i].code);
        assert_int_equal(talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0) != NULL, cases[i].again);
        assert_int_equal(talk_end_status(&r.t), cases[i].again ? ISO_OK : cases[i].code);
        talk_term(&r.t);
    }
}

static void test_silent_server_is_looked_for_anew(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    const uint64_t end = r.t.now_ns + 31 * S;
    bool looked = false;
    while (r.t.now_ns < end && !looked) {
        r.t.now_ns = iso_client_next_deadline(r.t.client);
        talk_event(&r.t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
        looked = talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0) != NULL;
    }
    assert_true(looked);
    assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_CLOSE, 0));
    assert_true(rig_connect(&r).has_resume);
    talk_term(&r.t);
}

static void test_answer_for_another_member_is_refused(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        rig r;
        rig_init(&r);
        assert_non_null(rig_cut(&r));
        (void)rig_connect(&r);
        r.t.resumed = kind == 0 ? ISO_RESUMED_NEW : ISO_RESUMED_TICKS;
        iso_message m = talk_welcome_message(&r.t);
        m.as.welcome.slot_generation = 1 + (kind == 1);
        m.as.welcome.uid[0] ^= kind == 2;
        m.as.welcome.slot ^= kind == 3;
        talk_say(&r.t, &m);
        assert_ended(&r.t, ISO_ERR_MALFORMED);
        talk_term(&r.t);
    }
}

static void test_answer_from_the_far_future_is_refused(void **state) {
    (void)state;
    for (uint64_t more = 0; more <= 1; ++more) {
        rig r;
        rig_init(&r);
        rig_cut(&r);
        rig_connect(&r);
        r.t.resumed = ISO_RESUMED_TICKS;
        iso_message m = talk_welcome_message(&r.t);
        m.as.welcome.tick = iso_client_tick(r.t.client) + (UINT64_C(1) << 20) + more;
        talk_say(&r.t, &m);
        assert_int_equal(talk_end_status(&r.t), more == 0 ? ISO_OK : ISO_ERR_MALFORMED);
        talk_term(&r.t);
    }
}

static void test_client_without_a_world_comes_back_too(void **state) {
    (void)state;
    rig r;
    talk t;
    iso_client_config config = talk_config(&t);
    config.verify = false;
    rig_init_with(&r, config);
    talk_activate(&r.t);
    for (int i = 0; i < 5; ++i) {
        talk_step_with(&r.t, NULL, 0, NULL, 0, true); // roots trail
    }
    assert_non_null(rig_cut(&r));
    const iso_message_hello hello = rig_connect(&r);
    assert_int_equal(hello.resume.tick, talk_tick(&r.t) - 1);
    rig_welcome(&r, ISO_RESUMED_TICKS);
    assert_int_equal(iso_client_tick(r.t.client), talk_tick(&r.t) - 1);
    r.roots[talk_tick(&r.t)] = r.t.root;
    rig_tell(&r);
    assert_null(talk_action(&r.t, ISO_CLIENT_ACTION_TICK, 0)); // it was told of this tick before
    talk_pings(&r.t);
    assert_int_equal(iso_client_get_phase(r.t.client), ISO_CLIENT_PHASE_JOINING);
    talk_term(&r.t);
}

static void test_leaving_while_away_is_an_end(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    assert_non_null(rig_cut(&r));
    talk_event(&r.t, (iso_client_event){.kind = ISO_CLIENT_EVENT_LEAVE});
    assert_ended(&r.t, ISO_OK);
    talk_term(&r.t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_member_comes_back_and_misses_nothing),
        cmocka_unit_test(test_tries_grow_apart_and_end),
        cmocka_unit_test(test_it_gives_up_in_time_without_an_answer),
        cmocka_unit_test(test_without_the_wish_the_end_is_the_end),
        cmocka_unit_test(test_commands_that_were_lost_leave_again),
        cmocka_unit_test(test_member_that_was_away_too_long_gets_a_snapshot),
        cmocka_unit_test(test_client_that_is_ahead_goes_back_by_itself),
        cmocka_unit_test(test_client_without_the_state_takes_a_snapshot),
        cmocka_unit_test(test_rewind_that_leads_nowhere_is_refused),
        cmocka_unit_test(test_member_that_is_forgotten_joins_anew),
        cmocka_unit_test(test_who_was_not_active_joins_anew),
        cmocka_unit_test(test_which_ends_are_final),
        cmocka_unit_test(test_first_connection_is_tried_again),
        cmocka_unit_test(test_server_without_room_is_given_up_in_time),
        cmocka_unit_test(test_which_refusals_are_final),
        cmocka_unit_test(test_silent_server_is_looked_for_anew),
        cmocka_unit_test(test_answer_for_another_member_is_refused),
        cmocka_unit_test(test_answer_from_the_far_future_is_refused),
        cmocka_unit_test(test_client_without_a_world_comes_back_too),
        cmocka_unit_test(test_leaving_while_away_is_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
