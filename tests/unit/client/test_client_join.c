/// The client from hello to membership: what it asks, what it believes, what it refuses.
#include "test_client_util.h"

static void test_hello_carries_the_fingerprint_and_no_game(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    assert_int_equal(t.count, 1);
    const iso_message *m = talk_heard(&t, ISO_MESSAGE_HELLO);
    assert_non_null(m);
    iso_world_def def = iso_world_def_default();
    iso_fingerprint own;
    iso_fingerprint_make(&def, NULL, &own);
    assert_true(iso_fingerprint_equal(&m->as.hello.fingerprint, &own));
    assert_string_equal(m->as.hello.session, "main");
    assert_string_equal(m->as.hello.member, "tester");
    assert_int_equal(m->as.hello.compressions, 3);
    assert_int_equal(m->as.hello.role, ISO_ROLE_PLAYER);
    talk_term(&t);
}

static void test_hello_of_a_client_without_a_world_claims_nothing(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.verify = false;
    talk_init(&t, &config);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    const iso_fingerprint *f = &talk_heard(&t, ISO_MESSAGE_HELLO)->as.hello.fingerprint;
    assert_int_equal(f->simulation_version, 0);
    assert_true(f->schema == 0 && f->arithmetic == 0);
    talk_term(&t);
}

static void test_refusal_ends_with_what_was_expected(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    iso_message m = {.kind = ISO_MESSAGE_REFUSAL};
    m.as.refusal.code = ISO_ERR_FINGERPRINT;
    strcpy(m.as.refusal.text, "other");
    strcpy(m.as.refusal.expected, "simulation 7");
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_FINGERPRINT);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_CLOSE, 0));
    assert_string_equal(talk_action(&t, ISO_CLIENT_ACTION_ENDED, 0)->expected, "simulation 7");
    talk_term(&t);
}

static void test_server_that_does_not_answer_is_given_up(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    assert_true(iso_client_next_deadline(t.client) == t.now_ns + 5 * S);
    talk_wait(&t, 5 * S - 1);
    assert_int_equal(t.count, 0);
    talk_wait(&t, 1);
    assert_ended(&t, ISO_ERR_TIMEOUT);
    assert_true(iso_client_next_deadline(t.client) == UINT64_MAX);
    talk_term(&t);
}

static void test_silent_server_is_given_up(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    uint64_t last = t.now_ns;
    while (iso_client_get_phase(t.client) != ISO_CLIENT_PHASE_ENDED) {
        const uint64_t deadline = iso_client_next_deadline(t.client);
        assert_true(deadline > t.now_ns);
        talk_wait(&t, deadline - t.now_ns);
    }
    assert_ended(&t, ISO_ERR_TIMEOUT);
    assert_int_equal((t.now_ns - last) / S, 30);
    talk_term(&t);
}

typedef void spoil_welcome(iso_message_welcome *welcome);
static void spoil_protocol(iso_message_welcome *w) {
    w->protocol = ISO_PROTOCOL_VERSION + 1;
}
static void spoil_role(iso_message_welcome *w) {
    w->role = ISO_ROLE_SPECTATOR;
}
static void spoil_slot(iso_message_welcome *w) {
    w->slot = 32;
}
static void spoil_rate(iso_message_welcome *w) {
    w->tick_rate_hz = 0;
}
static void spoil_game(iso_message_welcome *w) {
    w->fingerprint.game[0] = 'x';
}
static void spoil_game_version(iso_message_welcome *w) {
    w->fingerprint.game_version += 1;
}
static void spoil_simulation(iso_message_welcome *w) {
    w->fingerprint.simulation_version += 1;
}
static void spoil_arithmetic(iso_message_welcome *w) {
    w->fingerprint.arithmetic ^= 1;
}

static void test_welcome_to_another_computation_is_refused(void **state) {
    (void)state;
    const struct {
        spoil_welcome *spoil;
        iso_status status;
    } cases[] = {
        {spoil_protocol, ISO_ERR_PROTOCOL_VERSION},
        {spoil_role, ISO_ERR_MALFORMED},
        {spoil_slot, ISO_ERR_MALFORMED},
        {spoil_rate, ISO_ERR_MALFORMED},
        {spoil_game, ISO_ERR_UNKNOWN_NAME},
        {spoil_game_version, ISO_ERR_FINGERPRINT},
        {spoil_simulation, ISO_ERR_FINGERPRINT},
        {spoil_arithmetic, ISO_ERR_FINGERPRINT},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        talk t;
        talk_init(&t, NULL);
        talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
        iso_message m = talk_welcome_message(&t);
        cases[i].spoil(&m.as.welcome);
        talk_say(&t, &m);
        assert_ended(&t, cases[i].status);
        talk_term(&t);
    }
}

static void test_an_unknown_game_is_named_with_the_known_ones(void **state) {
    (void)state;
    static const char others[] = "xandbox, a game that this program does not have; it has ";
    for (uint32_t count = 0; count <= 1; ++count) {
        talk t;
        iso_client_config config = talk_config(&t);
        config.game_count = count;
        talk_init(&t, &config);
        talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
        iso_message m = talk_welcome_message(&t);
        spoil_game(&m.as.welcome);
        talk_say(&t, &m);
        assert_ended(&t, ISO_ERR_UNKNOWN_NAME);
        char text[160];
        snprintf(text, sizeof(text), "the session plays %s%s", others, count == 0 ? "none" : talk_games[0]->name);
        assert_string_equal(talk_action(&t, ISO_CLIENT_ACTION_ENDED, 0)->text, text);
        talk_term(&t);
    }
}

static void test_messages_out_of_place_are_refused(void **state) {
    (void)state;
    talk t;
    iso_message m = {.kind = ISO_MESSAGE_TICK};

    talk_init(&t, NULL);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_say(&t, &m); // before the snapshot
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    m = talk_welcome_message(&t);
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 500);
    talk_chunk(&t, 0); // before its beginning
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    talk_begin(&t); // a second one
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    m = (iso_message){.kind = ISO_MESSAGE_ACTIVATE}; // before CAUGHT_UP
    m.as.activate.slot = t.slot;
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    m = (iso_message){.kind = ISO_MESSAGE_INPUT}; // what only clients say
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);
}

static void test_caught_up_waits_for_five_answers(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    assert_non_null(talk_heard(&t, ISO_MESSAGE_PING));
    talk_snapshot(&t);
    for (int i = 0; i < 10; ++i) {
        talk_step(&t);
        assert_int_equal(t.sent[ISO_MESSAGE_CAUGHT_UP], 0);
    }
    talk_pings(&t);
    assert_int_equal(t.sent[ISO_MESSAGE_PING], 5);
    const iso_message *m = talk_heard(&t, ISO_MESSAGE_CAUGHT_UP);
    assert_non_null(m);
    assert_int_equal(m->as.caught_up.tick, talk_tick(&t));
    assert_true(m->as.caught_up.root == t.root);
    for (int i = 0; i < 10; ++i) {
        talk_step(&t);
    }
    assert_int_equal(t.sent[ISO_MESSAGE_CAUGHT_UP], 1);
    talk_term(&t);
}

static void test_caught_up_waits_for_the_ticks_that_are_under_way(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    // The server is 100 ticks further than what it has sent.
    for (int i = 0; i < 5; ++i) {
        talk_wait(&t, 20 * MS);
        iso_message pong = {.kind = ISO_MESSAGE_PONG};
        pong.as.pong.id = t.client->ping_id;
        pong.as.pong.server_tick = talk_tick(&t) + 100;
        t.now_ns += 2 * t.one_way_ns;
        talk_say(&t, &pong);
    }
    assert_int_equal(t.sent[ISO_MESSAGE_CAUGHT_UP], 0);
    uint64_t steps = 0;
    while (t.sent[ISO_MESSAGE_CAUGHT_UP] == 0 && steps < 200) {
        t.now_ns -= S / 60; // faster than real time
        talk_step(&t);
        steps += 1;
    }
    assert_in_range(steps, 90, 93);
    talk_term(&t);
}

/// It would wait for ever for the ticks between.
static void test_a_join_ends_when_the_server_s_time_lies_in_the_far_future(void **state) {
    (void)state;
    const struct {
        uint64_t welcome, pong; // ticks beyond the server's
        iso_status status;
    } cases[] = {
        {0, 60 * 60, ISO_OK},
        {0, 70 * 60, ISO_ERR_RANGE},
        {0, ISO_TICK_END - 100, ISO_ERR_RANGE},
        {UINT64_C(1) << 20, UINT64_C(1) << 20, ISO_OK},
        {(UINT64_C(1) << 20) + 1, 0, ISO_ERR_RANGE},
        {ISO_TICK_END - 100, ISO_TICK_END - 100, ISO_ERR_RANGE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        talk t;
        talk_init(&t, NULL);
        talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
        iso_message m = talk_welcome_message(&t);
        m.as.welcome.tick += cases[i].welcome;
        talk_say(&t, &m);
        talk_snapshot(&t);
        for (int k = 0; k < 5 && iso_client_get_phase(t.client) != ISO_CLIENT_PHASE_ENDED; ++k) {
            talk_wait(&t, 20 * MS);
            iso_message pong = {.kind = ISO_MESSAGE_PONG};
            pong.as.pong.id = t.client->ping_id;
            pong.as.pong.server_tick = talk_tick(&t) + cases[i].pong;
            t.now_ns += 2 * t.one_way_ns;
            talk_say(&t, &pong);
        }
        if (cases[i].status != ISO_OK) {
            assert_ended(&t, cases[i].status);
        }
        assert_true((iso_client_get_phase(t.client) == ISO_CLIENT_PHASE_ENDED) == (cases[i].status != ISO_OK));
        talk_term(&t);
    }
}

static void test_session_that_cannot_keep_its_rate_can_be_joined(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    for (int i = 0; i < 5; ++i) {
        talk_wait(&t, 20 * MS);
        iso_message pong = {.kind = ISO_MESSAGE_PONG};
        pong.as.pong.id = t.client->ping_id;
        // The last answer takes 24 ticks, in which there was one: the estimate of the quick ones is far ahead.
        pong.as.pong.server_tick = talk_tick(&t) + (i == 4 ? 1 : 0);
        t.now_ns += i == 4 ? 400 * MS : 2 * MS;
        talk_say(&t, &pong);
    }
    assert_non_null(talk_heard(&t, ISO_MESSAGE_CAUGHT_UP));
    talk_term(&t);
}

static void test_activation_comes_with_the_tick_of_the_join(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_WELCOME, 0));
    talk_snapshot(&t);
    talk_pings(&t);
    iso_message m = {.kind = ISO_MESSAGE_ACTIVATE};
    m.as.activate = (iso_message_activate){t.slot, 1, talk_tick(&t) + 3};
    talk_say(&t, &m);
    talk_step(&t);
    talk_step(&t);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_JOINING);
    assert_int_equal(iso_client_slot(t.client), ISO_SLOT_NONE);
    assert_int_equal(iso_client_set_control(t.client, (const uint8_t *)"\1", 1), ISO_ERR_STATE);
    const iso_change join = {ISO_CHANGE_JOIN, t.slot, 1};
    talk_step_with(&t, &join, 1, NULL, 0, false);
    const iso_client_action *joined = talk_action(&t, ISO_CLIENT_ACTION_JOINED, 0);
    assert_non_null(joined);
    assert_int_equal(joined->slot, 3);
    assert_int_equal(joined->tick, talk_tick(&t));
    assert_int_equal(iso_client_slot(t.client), 3);
    assert_true(iso_client_player_body(t.client).generation != 0);
    iso_client_stats stats;
    iso_client_get_stats(t.client, &stats);
    assert_int_equal(stats.first_tick, talk_tick(&t));
    talk_term(&t);
}

static void test_activation_may_follow_the_tick_of_the_join(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    talk_pings(&t);
    const iso_change join = {ISO_CHANGE_JOIN, t.slot, 1};
    talk_step_with(&t, &join, 1, NULL, 0, false);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_JOINING);
    iso_message m = {.kind = ISO_MESSAGE_ACTIVATE};
    m.as.activate = (iso_message_activate){t.slot, 1, talk_tick(&t)};
    talk_say(&t, &m);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_ACTIVE);
    talk_term(&t);
}

static void test_activation_without_a_join_is_refused(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    talk_pings(&t);
    iso_message m = {.kind = ISO_MESSAGE_ACTIVATE};
    m.as.activate = (iso_message_activate){t.slot, 1, talk_tick(&t) + 1};
    talk_say(&t, &m);
    talk_step(&t);
    assert_ended(&t, ISO_ERR_MALFORMED);
    talk_term(&t);

    // The JOIN is that of another generation.
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    talk_pings(&t);
    m.as.activate = (iso_message_activate){t.slot, 2, talk_tick(&t) + 1};
    talk_say(&t, &m);
    const iso_change join = {ISO_CHANGE_JOIN, t.slot, 1};
    talk_step_with(&t, &join, 1, NULL, 0, false);
    assert_ended(&t, ISO_ERR_MALFORMED);
    talk_term(&t);

    // The member has left again.
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    talk_pings(&t);
    talk_step_with(&t, &join, 1, NULL, 0, false);
    const uint64_t join_tick = talk_tick(&t);
    const iso_change leave = {ISO_CHANGE_LEAVE, t.slot, 1};
    talk_step_with(&t, &leave, 1, NULL, 0, false);
    m.as.activate = (iso_message_activate){t.slot, 1, join_tick};
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_MALFORMED);
    talk_term(&t);
}

/// Who would take another member's join for its own would play with that one's body.
static void test_activation_for_another_slot_is_refused(void **state) {
    (void)state;
    enum { OTHER = 4 };
    const struct {
        uint8_t role, slot; // of the ACTIVATE
        bool is_refused;
    } cases[] = {
        {ISO_ROLE_PLAYER, 3, false},
        {ISO_ROLE_PLAYER, OTHER, true},
        {ISO_ROLE_PLAYER, ISO_SLOT_NONE, true},
        {ISO_ROLE_SPECTATOR, ISO_SLOT_NONE, false},
        {ISO_ROLE_SPECTATOR, OTHER, true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        talk t;
        iso_client_config config = talk_config(&t);
        config.role = cases[i].role;
        talk_init(&t, &config);
        talk_welcome(&t);
        talk_snapshot(&t);
        talk_pings(&t);
        // Both members join with this tick, so that nothing but the slot is wrong.
        const iso_change joins[2] = {{ISO_CHANGE_JOIN, 3, 1}, {ISO_CHANGE_JOIN, OTHER, 1}};
        talk_step_with(&t, joins, 2, NULL, 0, false);
        iso_message m = {.kind = ISO_MESSAGE_ACTIVATE};
        m.as.activate = (iso_message_activate){.slot = cases[i].slot,
                                               .slot_generation = cases[i].slot == ISO_SLOT_NONE ? 0 : 1,
                                               .join_tick = talk_tick(&t)};
        talk_say(&t, &m);
        if (cases[i].is_refused) {
            assert_ended(&t, ISO_ERR_MALFORMED);
            assert_null(talk_action(&t, ISO_CLIENT_ACTION_JOINED, 0));
            assert_int_equal(iso_client_slot(t.client), ISO_SLOT_NONE);
        } else {
            assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_JOINED, 0));
            assert_int_equal(iso_client_slot(t.client), cases[i].slot);
        }
        talk_term(&t);
    }
}

static void test_activation_of_a_tick_that_cannot_come_is_refused(void **state) {
    (void)state;
    for (int is_late = 0; is_late <= 1; ++is_late) {
        talk t;
        talk_init(&t, NULL);
        talk_welcome(&t);
        talk_snapshot(&t);
        talk_pings(&t);
        iso_message m = {.kind = ISO_MESSAGE_ACTIVATE};
        m.as.activate = (iso_message_activate){t.slot, 1, ISO_TICK_END - 1 + (uint64_t)is_late};
        talk_say(&t, &m);
        if (is_late) {
            assert_ended(&t, ISO_ERR_MALFORMED);
        } else {
            assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_JOINING);
            talk_say(&t, &m); // twice
            assert_ended(&t, ISO_ERR_STATE);
        }
        talk_term(&t);
    }
}

static void test_spectator_is_active_without_a_slot(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.role = ISO_ROLE_SPECTATOR;
    talk_init(&t, &config);
    talk_activate(&t);
    assert_int_equal(iso_client_slot(t.client), ISO_SLOT_NONE);
    assert_int_equal(iso_client_set_control(t.client, (const uint8_t *)"\1", 1), ISO_ERR_ROLE);
    for (int i = 0; i < 200; ++i) {
        talk_step(&t);
    }
    assert_int_equal(t.sent[ISO_MESSAGE_INPUT], 0);
    assert_in_range(t.sent[ISO_MESSAGE_CONFIRM], 60, 80);
    talk_term(&t);
}

static void test_client_without_a_world_repeats_the_servers_root(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.verify = false;
    talk_init(&t, &config);
    talk_welcome(&t);
    talk_snapshot(&t);
    assert_null(iso_client_world(t.client));
    talk_step_with(&t, NULL, 0, NULL, 0, true);
    const uint64_t root_before = t.root;
    talk_step_with(&t, NULL, 0, NULL, 0, true); // carries root_before
    talk_pings(&t);
    const iso_message *m = talk_heard(&t, ISO_MESSAGE_CAUGHT_UP);
    assert_non_null(m);
    assert_int_equal(m->as.caught_up.tick, talk_tick(&t) - 1);
    assert_true(m->as.caught_up.root == root_before);
    talk_join(&t);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_ACTIVE);
    for (int i = 0; i < 100; ++i) {
        talk_step(&t);
    }
    assert_int_equal(t.sent[ISO_MESSAGE_CONFIRM], 0);
    assert_true(t.sent[ISO_MESSAGE_INPUT] > 90);
    assert_true(t.largest <= sizeof(iso_client));
    talk_term(&t);
}

/// Who has a world knows what became of its commands; who has none is told by Status.
static void test_client_without_a_world_is_told_what_became_of_its_commands(void **state) {
    (void)state;
    for (int verifies = 0; verifies <= 1; ++verifies) {
        talk t;
        iso_client_config config = talk_config(&t);
        config.verify = verifies == 1;
        talk_init(&t, &config);
        talk_activate(&t);
        talk_step(&t);
        const iso_member_result results[2] = {{4, ISO_OK, iso_id_pack(7, 1)}, {5, ISO_ERR_STALE, 0}};
        iso_message m = {.kind = ISO_MESSAGE_STATUS};
        m.as.status.margin_ticks_q8 = INT32_MAX;
        m.as.status.results = results;
        m.as.status.result_count = 2;
        talk_say(&t, &m);
        const iso_client_action *told = talk_action(&t, ISO_CLIENT_ACTION_RESULTS, 0);
        if (verifies == 1) {
            assert_null(told);
        } else {
            assert_non_null(told);
            assert_int_equal(told->tick, talk_tick(&t));
            assert_int_equal(told->own_result_count, 2);
            assert_true(told->own_results[0].id == iso_id_pack(7, 1) && told->own_results[1].code == ISO_ERR_STALE);
        }
        talk_term(&t);
    }
}

static void test_spectator_without_a_world_confirms_with_the_servers_root(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.verify = false;
    config.role = ISO_ROLE_SPECTATOR;
    talk_init(&t, &config);
    talk_activate(&t);
    for (int i = 0; i < 200; ++i) {
        const uint64_t root_before = t.root;
        talk_step_with(&t, NULL, 0, NULL, 0, true);
        const iso_message *m = talk_heard(&t, ISO_MESSAGE_CONFIRM);
        if (m != NULL) {
            assert_int_equal(m->as.confirm.tick, talk_tick(&t) - 1);
            assert_true(m->as.confirm.root == root_before);
        }
    }
    assert_in_range(t.sent[ISO_MESSAGE_CONFIRM], 60, 80);
    talk_term(&t);
}

static void test_leaving_is_told_and_waits_for_the_goodbye(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_LEAVE});
    assert_non_null(talk_heard(&t, ISO_MESSAGE_LEAVE));
    talk_step(&t); // was under way
    assert_int_equal(t.count, 0);
    iso_message m = {.kind = ISO_MESSAGE_BYE};
    talk_say(&t, &m);
    assert_ended(&t, ISO_OK);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_activate(&t);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_LEAVE});
    talk_wait(&t, 2 * S); // no answer
    assert_ended(&t, ISO_OK);
    talk_term(&t);
}

static void test_goodbye_and_broken_connection_end_the_client(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    iso_message m = {.kind = ISO_MESSAGE_BYE};
    m.as.bye.code = ISO_ERR_SHUTDOWN;
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_SHUTDOWN);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_activate(&t);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED});
    assert_ended(&t, ISO_ERR_CONNECTION);
    assert_null(talk_action(&t, ISO_CLIENT_ACTION_CLOSE, 0));
    talk_term(&t);
}

static void test_bad_configurations_are_refused(void **state) {
    (void)state;
    talk t = {0};
    iso_client *client = NULL;
    iso_client_config config = talk_config(&t);
    config.session = "Main";
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    config = talk_config(&t);
    config.session = "";
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    config = talk_config(&t);
    config.name = "a name that is longer than 31 bytes";
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    static const char *const names[] = {"a\nb", "a\x7f", "a\xC2\x85", "a\xFF", "a\xC3", "\xC0\xAF", "\xED\xA0\x80"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) { // no HELLO may hold them
        config = talk_config(&t);
        config.name = names[i];
        assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    }
    config = talk_config(&t);
    config.role = 3;
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    config = talk_config(&t);
    config.lead_ticks = 0;
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    assert_int_equal(t.allocated, 0);
}

static void test_names_that_a_hello_may_hold_are_taken(void **state) {
    (void)state;
    static const char *const names[] = {
        NULL, "", "Zo\xC3\xAB", "\xC2\xA0", "\xF0\x9F\x90\x99", "a name of just as many as 31 by"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        talk t = {0};
        iso_client *client = NULL;
        iso_client_config config = talk_config(&t);
        config.name = names[i];
        assert_int_equal(iso_client_create(&config, &client), ISO_OK);
        iso_client_destroy(client);
        assert_int_equal(t.allocated, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hello_carries_the_fingerprint_and_no_game),
        cmocka_unit_test(test_hello_of_a_client_without_a_world_claims_nothing),
        cmocka_unit_test(test_refusal_ends_with_what_was_expected),
        cmocka_unit_test(test_server_that_does_not_answer_is_given_up),
        cmocka_unit_test(test_silent_server_is_given_up),
        cmocka_unit_test(test_welcome_to_another_computation_is_refused),
        cmocka_unit_test(test_an_unknown_game_is_named_with_the_known_ones),
        cmocka_unit_test(test_messages_out_of_place_are_refused),
        cmocka_unit_test(test_caught_up_waits_for_five_answers),
        cmocka_unit_test(test_caught_up_waits_for_the_ticks_that_are_under_way),
        cmocka_unit_test(test_a_join_ends_when_the_server_s_time_lies_in_the_far_future),
        cmocka_unit_test(test_session_that_cannot_keep_its_rate_can_be_joined),
        cmocka_unit_test(test_activation_comes_with_the_tick_of_the_join),
        cmocka_unit_test(test_activation_may_follow_the_tick_of_the_join),
        cmocka_unit_test(test_activation_without_a_join_is_refused),
        cmocka_unit_test(test_activation_for_another_slot_is_refused),
        cmocka_unit_test(test_activation_of_a_tick_that_cannot_come_is_refused),
        cmocka_unit_test(test_spectator_is_active_without_a_slot),
        cmocka_unit_test(test_client_without_a_world_repeats_the_servers_root),
        cmocka_unit_test(test_client_without_a_world_is_told_what_became_of_its_commands),
        cmocka_unit_test(test_spectator_without_a_world_confirms_with_the_servers_root),
        cmocka_unit_test(test_leaving_is_told_and_waits_for_the_goodbye),
        cmocka_unit_test(test_goodbye_and_broken_connection_end_the_client),
        cmocka_unit_test(test_bad_configurations_are_refused),
        cmocka_unit_test(test_names_that_a_hello_may_hold_are_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
