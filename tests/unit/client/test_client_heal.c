/// The client whose world was wrong, and whose session stands still.
#include "test_client_util.h"

static void notice(talk *t, uint8_t action) {
    iso_message m = {.kind = ISO_MESSAGE_DESYNC_NOTICE};
    m.as.desync_notice = (iso_message_desync_notice){t->slot, talk_tick(t), t->root, 222, action};
    talk_say(t, &m);
}

static iso_client_stats stats_of(const talk *t) {
    iso_client_stats stats;
    iso_client_get_stats(t->client, &stats);
    return stats;
}

static void heal(talk *t) {
    const iso_client_action *desync = talk_action(t, ISO_CLIENT_ACTION_DESYNC, 0);
    assert_non_null(desync);
    const uint64_t wrong = desync->tick;
    assert_non_null(talk_heard(t, ISO_MESSAGE_DESYNC_REPORT));
    notice(t, ISO_DESYNC_HEAL);
    assert_null(talk_action(t, ISO_CLIENT_ACTION_DESYNC, 0)); // known already
    talk_snapshot(t);
    const iso_client_action *healed = talk_action(t, ISO_CLIENT_ACTION_HEALED, 0);
    assert_non_null(healed);
    assert_int_equal(healed->tick, talk_tick(t));
    assert_int_equal(healed->first_tick, wrong); // what was told of a wrong world
    assert_int_equal(healed->last_tick, talk_tick(t));
    assert_int_equal(iso_client_get_phase(t->client), ISO_CLIENT_PHASE_ACTIVE);
}

static void test_wrong_world_is_replaced_and_goes_on(void **state) {
    (void)state;
    for (int frames = 0; frames <= 8; frames += 8) {
        talk t;
        iso_client_config config = talk_config(&t);
        config.predict_frames = (uint8_t)frames;
        talk_init(&t, &config);
        talk_activate(&t);
        for (int i = 0; i < 80; ++i) {
            talk_step(&t);
        }
        for (int round = 1; round <= 2; ++round) {
            assert_int_equal(iso_client_flip(t.client), ISO_OK);
            talk_step(&t);
            const size_t allocated = t.allocated;
            heal(&t);
            assert_int_equal(t.allocated, allocated);
            const uint64_t healed = talk_tick(&t);
            for (int i = 0; i < 70; ++i) {
                talk_step(&t);
                assert_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
                // Every tick for a second.
                assert_true(talk_tick(&t) >= healed + 60 || talk_heard(&t, ISO_MESSAGE_CONFIRM) != NULL);
            }
            assert_true(stats_of(&t).last_root == t.root);
            assert_int_equal(stats_of(&t).heals, round);
            assert_int_equal(stats_of(&t).desyncs, round);
        }
        talk_term(&t);
    }
}

static void test_inputs_go_on_while_the_world_is_replaced(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    talk_step(&t);
    assert_int_equal(iso_client_flip(t.client), ISO_OK);
    talk_step(&t);
    notice(&t, ISO_DESYNC_HEAL);
    const uint64_t before = t.sent[ISO_MESSAGE_INPUT], old = iso_client_tick(t.client);
    talk_take_snapshot(&t, 1000);
    talk_begin(&t);
    for (uint32_t i = 0; i + 1 < t.begin.chunk_count; ++i) {
        talk_chunk(&t, i);
        talk_wait(&t, S / 60);
        const iso_message *input = talk_heard(&t, ISO_MESSAGE_INPUT);
        assert_true(input == NULL || input->as.input.ack_tick == old);
    }
    assert_true(t.sent[ISO_MESSAGE_INPUT] > before);
    talk_term(&t);
}

static void test_tick_in_the_middle_of_a_healing_is_refused(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    assert_int_equal(iso_client_flip(t.client), ISO_OK);
    talk_step(&t);
    notice(&t, ISO_DESYNC_HEAL);
    talk_step(&t);
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);
}

static void test_snapshot_that_was_not_promised_is_refused(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    notice(&t, ISO_DESYNC_IGNORE);
    talk_step(&t); // goes on
    assert_null(talk_action(&t, ISO_CLIENT_ACTION_ENDED, 0));
    talk_take_snapshot(&t, 1000);
    talk_begin(&t);
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);
}

/// Its root says nothing any more, but who acknowledges nothing is ended.
static void test_spectator_that_is_not_healed_acknowledges_without_roots(void **state) {
    (void)state;
    static const uint8_t answers[] = {ISO_DESYNC_IGNORE, ISO_DESYNC_PAUSE};
    for (size_t i = 0; i < sizeof answers; ++i) {
        talk t;
        iso_client_config config = talk_config(&t);
        config.role = ISO_ROLE_SPECTATOR;
        talk_init(&t, &config);
        talk_activate(&t);
        assert_int_equal(iso_client_flip(t.client), ISO_OK);
        talk_step(&t);
        notice(&t, answers[i]);
        const uint64_t confirms = t.sent[ISO_MESSAGE_CONFIRM];
        uint64_t acknowledged = talk_tick(&t);
        for (int tick = 0; tick < 200; ++tick) {
            talk_step(&t);
            const iso_message *input = talk_heard(&t, ISO_MESSAGE_INPUT);
            acknowledged = input != NULL ? input->as.input.ack_tick : acknowledged;
            assert_true(input == NULL || input->as.input.command_count == 0);
            assert_in_range(acknowledged, talk_tick(&t) - 16, talk_tick(&t));
        }
        assert_int_equal(t.sent[ISO_MESSAGE_CONFIRM], confirms);
        assert_in_range(t.sent[ISO_MESSAGE_INPUT], 12, 13);
        talk_term(&t);
    }
}

static void test_ticks_after_an_earlier_snapshot_are_withdrawn_and_told_again(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.predict_frames = 8;
    talk_init(&t, &config);
    talk_activate(&t);
    for (int i = 0; i < 20; ++i) {
        talk_step(&t);
    }
    uint8_t *image = malloc(iso_world_image_size_max(t.world));
    const size_t size = iso_world_save(t.world, image, iso_world_image_size_max(t.world));
    const uint64_t saved = talk_tick(&t);
    for (int i = 0; i < 3; ++i) {
        talk_step(&t);
    }
    assert_int_equal(iso_client_flip(t.client), ISO_OK);
    talk_step(&t);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
    notice(&t, ISO_DESYNC_HEAL);
    assert_int_equal(iso_world_restore(t.world, image, size), ISO_OK);
    t.root = iso_world_root(t.world);
    talk_snapshot(&t);
    const iso_client_action *healed = talk_action(&t, ISO_CLIENT_ACTION_HEALED, 0);
    assert_non_null(healed);
    assert_int_equal(healed->tick, saved);
    assert_int_equal(healed->first_tick, saved + 1);
    assert_int_equal(healed->last_tick, saved + 4);
    for (uint64_t i = 1; i <= 10; ++i) {
        talk_step(&t);
        const iso_client_action *tick = talk_action(&t, ISO_CLIENT_ACTION_TICK, 0);
        assert_non_null(tick);
        assert_int_equal(tick->tick, saved + i);
    }
    free(image);
    talk_term(&t);
}

static void test_wrong_world_that_is_found_at_the_resumption_is_told(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.reconnect_ms = 60000;
    talk_init(&t, &config);
    talk_activate(&t);
    for (int i = 0; i < 20; ++i) {
        talk_step(&t);
    }
    assert_int_equal(iso_client_flip(t.client), ISO_OK);
    talk_step(&t);
    const uint64_t wrong = talk_tick(&t);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
    talk_step(&t);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .status = ISO_ERR_CONNECTION});
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    t.resumed = ISO_RESUMED_SNAPSHOT;
    const iso_message welcome = talk_welcome_message(&t);
    talk_say(&t, &welcome);
    talk_snapshot(&t);
    const iso_client_action *rewound = talk_action(&t, ISO_CLIENT_ACTION_REWOUND, 0);
    assert_non_null(rewound);
    assert_int_equal(rewound->status, ISO_ERR_DESYNC);
    assert_int_equal(rewound->tick, talk_tick(&t));
    assert_int_equal(rewound->first_tick, wrong);
    assert_int_equal(rewound->last_tick, wrong + 1);
    talk_term(&t);
}

static void test_joiner_that_is_healed_goes_on_to_catch_up(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    talk_pings(&t);
    assert_int_equal(t.sent[ISO_MESSAGE_CAUGHT_UP], 1);
    notice(&t, ISO_DESYNC_HEAL); // the root that it has shown was wrong
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
    talk_snapshot(&t);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_HEALED, 0));
    assert_int_equal(t.sent[ISO_MESSAGE_CAUGHT_UP], 2);
    talk_join(&t);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_JOINED, 0));
    talk_term(&t);
}

static void say_state(talk *t, uint8_t session_state, uint8_t late_policy, iso_status code) {
    iso_message m = {.kind = ISO_MESSAGE_STATE_NOTICE};
    m.as.state_notice = (iso_message_state_notice){session_state, talk_tick(t), late_policy, code};
    talk_say(t, &m);
    const iso_client_action *action = talk_action(t, ISO_CLIENT_ACTION_STATE, 0);
    assert_non_null(action);
    assert_int_equal(action->status, code);
    assert_int_equal(iso_client_welcome(t->client)->state, session_state);
    assert_int_equal(iso_client_welcome(t->client)->late_policy, late_policy);
}

static void test_inputs_stop_while_the_session_stands(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    talk_step(&t);
    say_state(&t, ISO_SESSION_PAUSED, ISO_LATE_MOVE, ISO_OK);
    const uint64_t before = t.sent[ISO_MESSAGE_INPUT];
    for (int i = 0; i < 100; ++i) {
        talk_wait(&t, S / 10);
        const iso_message *ping = talk_heard(&t, ISO_MESSAGE_PING);
        if (ping != NULL) {
            const iso_message copy = *ping;
            talk_pong(&t, &copy);
        }
    }
    assert_int_equal(t.sent[ISO_MESSAGE_INPUT], before);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_ACTIVE);
    say_state(&t, ISO_SESSION_RUNNING, ISO_LATE_MOVE, ISO_OK);
    talk_pings(&t);
    talk_wait(&t, 60 * MS);
    const iso_message *input = talk_heard(&t, ISO_MESSAGE_INPUT);
    assert_non_null(input);
    // The clock knows nothing of the ten seconds.
    assert_in_range(input->as.input.target_tick, talk_tick(&t) + 1, talk_tick(&t) + 12);
    talk_term(&t);
}

/// It has shown its root when ticks stop; when they go on it becomes a member before it knows the server's time anew.
static void test_a_joiner_gives_targets_after_a_pause_when_it_knows_the_time_again(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    talk_pings(&t);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_JOINING);
    say_state(&t, ISO_SESSION_PAUSED, ISO_LATE_MOVE, ISO_OK);
    say_state(&t, ISO_SESSION_RUNNING, ISO_LATE_MOVE, ISO_OK);
    talk_join(&t);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_ACTIVE);
    talk_wait(&t, 30 * MS);
    assert_int_equal(t.sent[ISO_MESSAGE_INPUT], 0);
    talk_pings(&t);
    talk_wait(&t, 40 * MS);
    const iso_message *input = talk_heard(&t, ISO_MESSAGE_INPUT);
    assert_non_null(input);
    const uint64_t target = input->as.input.target_tick;
    assert_in_range(target, talk_tick(&t) + 1, talk_tick(&t) + 12);
    talk_wait(&t, 40 * MS);
    input = talk_heard(&t, ISO_MESSAGE_INPUT);
    assert_non_null(input);
    assert_true(input->as.input.target_tick > target); // and it is no last target that is only repeated
    talk_term(&t);
}

static void test_losing_the_servers_patience_is_told(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    const uint64_t before = t.sent[ISO_MESSAGE_INPUT];
    say_state(&t, ISO_SESSION_RUNNING, ISO_LATE_DROP, ISO_ERR_TICK_LATE);
    talk_wait(&t, 60 * MS);
    assert_true(t.sent[ISO_MESSAGE_INPUT] > before); // nothing stops
    iso_message m = {.kind = ISO_MESSAGE_STATUS};
    m.as.status.late_count = 3;
    m.as.status.durable_tick = 77;
    talk_say(&t, &m);
    assert_int_equal(stats_of(&t).late_count, 3);
    assert_int_equal(stats_of(&t).durable_tick, 77);
    talk_term(&t);
}

/// A root that was changed on its way is reported like a wrong world, which the server answers by a snapshot. A server
/// that does not is asked again over another connection: nobody stays without being compared for ever.
static void test_a_report_without_an_answer_ends_the_connection(void **state) {
    (void)state;
    for (int reconnects = 0; reconnects <= 1; ++reconnects) {
        talk t;
        iso_client_config config = talk_config(&t);
        config.reconnect_ms = reconnects == 1 ? 30000 : 0;
        talk_init(&t, &config);
        talk_activate(&t);
        talk_step(&t);
        t.root ^= 1; // what the next tick says of the last
        talk_step_with(&t, NULL, 0, NULL, 0, true);
        assert_non_null(talk_heard(&t, ISO_MESSAGE_DESYNC_REPORT));
        const uint64_t since = t.now_ns;
        while (t.now_ns - since < 4900 * MS) {
            talk_step(&t);
            assert_null(talk_heard(&t, ISO_MESSAGE_DESYNC_REPORT));
            assert_null(talk_action(&t, ISO_CLIENT_ACTION_ENDED, 0));
            assert_null(talk_action(&t, ISO_CLIENT_ACTION_RECONNECT, 0));
        }
        assert_true(iso_client_next_deadline(t.client) <= since + 5000 * MS);
        t.now_ns = since + 5000 * MS;
        talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
        if (reconnects == 0) {
            assert_ended(&t, ISO_ERR_DESYNC);
        } else {
            assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_CLOSE, 0));
            assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_RECONNECT, 0));
            talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
            const iso_message *hello = talk_heard(&t, ISO_MESSAGE_HELLO);
            assert_true(hello->as.hello.has_resume && hello->as.hello.resume.root == t.root);
        }
        talk_term(&t);
    }
}

static void test_a_report_that_is_answered_goes_on(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    t.root ^= 1;
    talk_step_with(&t, NULL, 0, NULL, 0, true);
    heal(&t);
    for (int i = 0; i < 6 * 60; ++i) {
        talk_step(&t);
        assert_null(talk_action(&t, ISO_CLIENT_ACTION_ENDED, 0));
    }
    assert_true(stats_of(&t).last_root == t.root);
    talk_term(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_world_is_replaced_and_goes_on),
        cmocka_unit_test(test_inputs_go_on_while_the_world_is_replaced),
        cmocka_unit_test(test_tick_in_the_middle_of_a_healing_is_refused),
        cmocka_unit_test(test_snapshot_that_was_not_promised_is_refused),
        cmocka_unit_test(test_spectator_that_is_not_healed_acknowledges_without_roots),
        cmocka_unit_test(test_ticks_after_an_earlier_snapshot_are_withdrawn_and_told_again),
        cmocka_unit_test(test_wrong_world_that_is_found_at_the_resumption_is_told),
        cmocka_unit_test(test_joiner_that_is_healed_goes_on_to_catch_up),
        cmocka_unit_test(test_inputs_stop_while_the_session_stands),
        cmocka_unit_test(test_a_joiner_gives_targets_after_a_pause_when_it_knows_the_time_again),
        cmocka_unit_test(test_losing_the_servers_patience_is_told),
        cmocka_unit_test(test_a_report_without_an_answer_ends_the_connection),
        cmocka_unit_test(test_a_report_that_is_answered_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
