/// The client among ticks: gaps, roots, confirmations, desyncs, drills.
#include "test_client_util.h"

static iso_message tick_message(const talk *t) {
    iso_message m = {.kind = ISO_MESSAGE_TICK};
    m.as.tick.epoch = 1;
    m.as.tick.tick = talk_tick(t) + 1;
    m.as.tick.hashed_tick = talk_tick(t);
    m.as.tick.root = t->root;
    return m;
}

static void test_ticks_step_the_same_world(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    iso_sealed_command commands[2] = {0};
    commands[0].slot = commands[1].slot = 3;
    commands[0].sequence = 1;
    commands[1].sequence = 2;
    commands[0].command.kind = ISO_COMMAND_SPAWN_BODY;
    commands[0].command.as.spawn_body.body = iso_body_def_default();
    commands[0].command.as.spawn_body.shape = iso_shape_def_circle(ISO_FIX16_ONE / 4);
    commands[1].command.kind = ISO_COMMAND_DESTROY_BODY;
    commands[1].command.as.destroy_body.body = (iso_body_id){60, 1};
    talk_step_with(&t, NULL, 0, commands, 2, false);
    const iso_client_action *tick = talk_action(&t, ISO_CLIENT_ACTION_TICK, 0);
    assert_non_null(tick);
    assert_int_equal(tick->command_count, 2);
    assert_int_equal(tick->results[0].status, ISO_OK);
    assert_int_not_equal(tick->results[0].id, 0);
    assert_int_equal(tick->results[1].status, ISO_ERR_STALE);
    for (int i = 0; i < 100; ++i) {
        talk_step(&t);
        assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_TICK, 0));
    }
    iso_client_stats stats;
    iso_client_get_stats(t.client, &stats);
    assert_int_equal(stats.roots_checked, 102); // with the tick of the join
    assert_int_equal(stats.desyncs, 0);
    assert_true(stats.last_root == t.root && stats.last_tick == talk_tick(&t));
    talk_term(&t);
}

static void test_gaps_and_other_epochs_are_refused(void **state) {
    (void)state;
    for (int kind = 0; kind < 5; ++kind) {
        talk t;
        talk_init(&t, NULL);
        talk_activate(&t);
        iso_message m = tick_message(&t);
        switch (kind) {
        case 0:
            m.as.tick.tick += 1;
            break; // a gap
        case 1:
            m.as.tick.tick -= 1;
            break; // again
        case 2:
            m.as.tick.epoch += 1;
            break; // another run
        case 3:
            m.as.tick.hashed_tick = m.as.tick.tick + 1;
            break; // a root of the future
        default:
            m.as.tick.tick = 0;
            break;
        }
        talk_say(&t, &m);
        assert_ended(&t, ISO_ERR_MALFORMED);
        talk_term(&t);
    }
}

static void test_tick_that_cannot_be_stepped_ends_the_client(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    iso_message m = tick_message(&t);
    const iso_change leave = {ISO_CHANGE_LEAVE, 5, 1}; // nobody is in slot 5
    m.as.tick.changes = &leave;
    m.as.tick.change_count = 1;
    const uint64_t before = iso_client_tick(t.client);
    talk_say(&t, &m);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_ENDED, 0));
    assert_int_equal(iso_client_tick(t.client), before);
    talk_term(&t);
}

static void test_wrong_root_is_reported_at_once_and_once(void **state) {
    (void)state;
    for (int trailing = 0; trailing < 2; ++trailing) {
        talk t;
        talk_init(&t, NULL);
        talk_activate(&t);
        for (int i = 0; i < 80; ++i) {
            talk_step_with(&t, NULL, 0, NULL, 0, trailing != 0);
        }
        // The server's world differs from now on.
        assert_int_equal(iso_world_flip_bit(t.world), ISO_OK);
        talk_step_with(&t, NULL, 0, NULL, 0, trailing != 0);
        if (trailing) {
            assert_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
            talk_step_with(&t, NULL, 0, NULL, 0, true);
        }
        const iso_client_action *desync = talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0);
        const iso_message *report = talk_heard(&t, ISO_MESSAGE_DESYNC_REPORT);
        assert_non_null(desync);
        assert_non_null(report);
        assert_int_equal(desync->tick, talk_tick(&t) - (trailing ? 1 : 0));
        assert_true(desync->ours != desync->theirs);
        assert_true(report->as.desync_report.root == desync->ours);
        assert_int_equal(report->as.desync_report.tick, desync->tick);
        const uint64_t confirms = t.sent[ISO_MESSAGE_CONFIRM];
        for (int i = 0; i < 40; ++i) {
            talk_step_with(&t, NULL, 0, NULL, 0, trailing != 0);
            assert_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
        }
        assert_int_equal(t.sent[ISO_MESSAGE_DESYNC_REPORT], 1);
        assert_int_equal(t.sent[ISO_MESSAGE_CONFIRM], confirms); // nothing more to confirm
        iso_client_stats stats;
        iso_client_get_stats(t.client, &stats);
        assert_int_equal(stats.desyncs, 1);
        talk_term(&t);
    }
}

static void test_root_while_catching_up_is_checked_too(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    assert_int_equal(iso_world_flip_bit(t.world), ISO_OK);
    talk_step(&t);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
    assert_non_null(talk_heard(&t, ISO_MESSAGE_DESYNC_REPORT));
    talk_term(&t);
}

static void test_root_of_before_the_snapshot_is_not_compared(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    iso_message m = tick_message(&t);
    m.as.tick.hashed_tick -= 3; // unknown here
    m.as.tick.root = 12345;
    talk_say(&t, &m);
    assert_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
    iso_client_stats stats;
    iso_client_get_stats(t.client, &stats);
    assert_int_equal(stats.roots_checked, 0);
    talk_term(&t);
}

/// A tick whose root is that of `lag` ticks before, wrong or not, for a client that has made a hundred. @return whether
/// it was compared
static bool compares_root(uint64_t lag, bool is_wrong) {
    talk t;
    iso_client_stats before, after;
    uint64_t roots[256] = {0};
    talk_init(&t, NULL);
    talk_activate(&t);
    for (int i = 0; i < 100; ++i) {
        talk_step(&t);
        roots[talk_tick(&t)] = t.root;
    }
    iso_message m = tick_message(&t);
    m.as.tick.hashed_tick = m.as.tick.tick - lag;
    m.as.tick.root = roots[m.as.tick.hashed_tick] ^ is_wrong;
    assert_true(roots[m.as.tick.hashed_tick] != 0);
    iso_client_get_stats(t.client, &before);
    talk_say(&t, &m);
    iso_client_get_stats(t.client, &after);
    assert_int_equal(iso_client_tick(t.client), m.as.tick.tick);
    const iso_client_action *desync = talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0);
    const bool was_checked = after.roots_checked == before.roots_checked + 1;
    assert_false(is_wrong ? was_checked : desync != NULL);
    if (desync != NULL) {
        assert_int_equal(desync->tick, m.as.tick.hashed_tick);
        assert_true(desync->ours == roots[m.as.tick.hashed_tick] && desync->theirs == m.as.tick.root);
    }
    talk_term(&t);
    return is_wrong ? desync != NULL : was_checked;
}

/// The oldest one that is kept is compared; where the one before it stood, there is the newest.
static void test_roots_are_compared_as_far_back_as_they_are_kept(void **state) {
    (void)state;
    for (uint64_t lag = 1; lag <= ISO__CLIENT_ROOTS_MAX + 2; ++lag) {
        assert_int_equal(compares_root(lag, true), lag < ISO__CLIENT_ROOTS_MAX);
        assert_int_equal(compares_root(lag, false), lag < ISO__CLIENT_ROOTS_MAX);
    }
}

/// The snapshot's own root is the first that a client knows.
static void test_root_of_the_snapshot_is_the_first_that_is_compared(void **state) {
    (void)state;
    for (uint64_t lag = 1; lag <= 2; ++lag) {
        talk t;
        talk_init(&t, NULL);
        talk_welcome(&t);
        talk_snapshot(&t);
        const uint64_t root = t.root;
        iso_message m = tick_message(&t);
        m.as.tick.hashed_tick = m.as.tick.tick - lag;
        m.as.tick.root = root + 1;
        talk_say(&t, &m);
        const iso_client_action *desync = talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0);
        assert_int_equal(desync != NULL, lag == 1);
        assert_true(desync == NULL || desync->ours == root);
        talk_term(&t);
    }
}

static void test_confirms_every_tick_for_a_second_then_every_sixteenth(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    iso_client_stats stats;
    iso_client_get_stats(t.client, &stats);
    assert_int_equal(t.sent[ISO_MESSAGE_CONFIRM], 1);
    const uint64_t join = stats.first_tick;
    for (int i = 0; i < 200; ++i) {
        talk_step(&t);
        const iso_message *m = talk_heard(&t, ISO_MESSAGE_CONFIRM);
        const uint64_t tick = talk_tick(&t);
        assert_int_equal(m != NULL, tick < join + 60 || tick % 16 == 0);
        if (m != NULL) {
            assert_int_equal(m->as.confirm.tick, tick);
            assert_true(m->as.confirm.root == t.root);
        }
    }
    talk_term(&t);
}

static void test_drill_flips_after_its_tick_and_is_found(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.flip_at_tick = 60;
    talk_init(&t, &config);
    talk_activate(&t);
    while (talk_tick(&t) < 59) {
        talk_step(&t);
        assert_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
    }
    talk_step(&t);
    const iso_client_action *desync = talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0);
    assert_non_null(desync);
    assert_int_equal(desync->tick, 60);
    assert_true(desync->theirs == t.root);
    assert_non_null(talk_heard(&t, ISO_MESSAGE_DESYNC_REPORT));
    talk_term(&t);
}

static void test_drill_of_a_past_tick_waits_for_the_join(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.flip_at_tick = 1;
    talk_init(&t, &config);
    talk_activate(&t); // the join would fail with a wrong root
    talk_step(&t);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
    talk_term(&t);
}

static void test_flip_by_hand_is_found_with_the_next_tick(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    assert_int_equal(iso_client_flip(t.client), ISO_ERR_STATE);
    talk_activate(&t);
    talk_step(&t);
    assert_int_equal(iso_client_flip(t.client), ISO_OK);
    talk_step(&t);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
    talk_term(&t);
}

static void test_notice_of_the_server_is_a_desync(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    iso_message m = {.kind = ISO_MESSAGE_DESYNC_NOTICE};
    m.as.desync_notice = (iso_message_desync_notice){3, talk_tick(&t), 111, 222, ISO_DESYNC_KICK};
    talk_say(&t, &m);
    const iso_client_action *desync = talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0);
    assert_non_null(desync);
    assert_true(desync->theirs == 111 && desync->ours == 222);
    talk_say(&t, &m);
    assert_null(talk_action(&t, ISO_CLIENT_ACTION_DESYNC, 0));
    talk_term(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ticks_step_the_same_world),
        cmocka_unit_test(test_gaps_and_other_epochs_are_refused),
        cmocka_unit_test(test_tick_that_cannot_be_stepped_ends_the_client),
        cmocka_unit_test(test_wrong_root_is_reported_at_once_and_once),
        cmocka_unit_test(test_root_while_catching_up_is_checked_too),
        cmocka_unit_test(test_root_of_before_the_snapshot_is_not_compared),
        cmocka_unit_test(test_roots_are_compared_as_far_back_as_they_are_kept),
        cmocka_unit_test(test_root_of_the_snapshot_is_the_first_that_is_compared),
        cmocka_unit_test(test_confirms_every_tick_for_a_second_then_every_sixteenth),
        cmocka_unit_test(test_drill_flips_after_its_tick_and_is_found),
        cmocka_unit_test(test_drill_of_a_past_tick_waits_for_the_join),
        cmocka_unit_test(test_flip_by_hand_is_found_with_the_next_tick),
        cmocka_unit_test(test_notice_of_the_server_is_a_desync),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
