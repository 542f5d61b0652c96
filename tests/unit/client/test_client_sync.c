/// The sync test of a client: a second world goes on from its own snapshots.
#include "test_client_util.h"

static void steps(talk *t, int count) {
    for (int i = 0; i < count; ++i) {
        talk_step(t);
        assert_null(talk_action(t, ISO_CLIENT_ACTION_SYNC_TEST, 0));
        assert_null(talk_action(t, ISO_CLIENT_ACTION_DESYNC, 0));
    }
}

static uint64_t copies_of(const talk *t) {
    iso_client_stats stats;
    iso_client_get_stats(t->client, &stats);
    return stats.sync_test_copies;
}

static void test_client_makes_copies_from_its_own_snapshots(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.sync_test_interval = 10;
    talk_init(&t, &config);
    talk_activate(&t);
    const uint64_t before = copies_of(&t);
    steps(&t, 100);
    assert_int_equal(copies_of(&t), before + 10);
    assert_int_equal(iso_client_root(t.client), t.root);
    talk_term(&t);
}

static void test_client_without_a_sync_test_makes_none(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    assert_int_equal(iso_client_root(t.client), 0);
    talk_activate(&t);
    steps(&t, 20);
    assert_int_equal(copies_of(&t), 0);
    iso_diff diff;
    assert_int_equal(iso_client_sync_test_diff(t.client, &diff, 1), 0);
    talk_term(&t);
}

/// A bit of the own world is flipped behind the back of the copy, which so differs in the next tick.
static void test_difference_is_told_once_with_its_field(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.sync_test_interval = 50;
    talk_init(&t, &config);
    talk_activate(&t);
    steps(&t, 20);
    const uint64_t from = talk_tick(&t) - 20;
    assert_int_equal(iso_client_flip(t.client), ISO_OK);
    talk_step(&t);
    const iso_client_action *action = talk_action(&t, ISO_CLIENT_ACTION_SYNC_TEST, 0);
    assert_non_null(action);
    assert_int_equal(action->status, ISO_ERR_DESYNC);
    assert_int_equal(action->tick, talk_tick(&t));
    assert_in_range(action->first_tick, from, from + 1);
    assert_int_equal(action->theirs, t.root);
    assert_int_equal(action->ours, iso_client_root(t.client));
    assert_int_not_equal(action->ours, action->theirs);
    iso_diff diff;
    assert_int_equal(iso_client_sync_test_diff(t.client, &diff, 1), 1);
    assert_int_equal(diff.section, ISO_SECTION_BODIES);
    assert_int_not_equal(diff.value_a, diff.value_b);
    for (int i = 0; i < 60; ++i) {
        talk_step(&t);
        assert_null(talk_action(&t, ISO_CLIENT_ACTION_SYNC_TEST, 0));
    }
    talk_term(&t);
}

static void test_copy_is_forgotten_when_the_world_is_replaced(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.sync_test_interval = 1000;
    talk_init(&t, &config);
    talk_activate(&t);
    steps(&t, 20);
    const uint64_t before = copies_of(&t);
    // The server heals a client whose world was right.
    iso_message m = {.kind = ISO_MESSAGE_DESYNC_NOTICE};
    m.as.desync_notice = (iso_message_desync_notice){t.slot, talk_tick(&t), t.root, t.root, ISO_DESYNC_HEAL};
    talk_say(&t, &m);
    talk_snapshot(&t);
    steps(&t, 20);
    assert_int_equal(copies_of(&t), before + 1);
    talk_term(&t);
}

static void test_sync_test_needs_a_world_and_memory(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.sync_test_interval = 10;
    config.verify = false;
    iso_client *client = NULL;
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    config.verify = true;
    talk_init(&t, &config);
    talk_activate(&t);
    t.refuse_above = 1;
    talk_step(&t);
    assert_ended(&t, ISO_ERR_MEMORY);
    talk_term(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_client_makes_copies_from_its_own_snapshots),
        cmocka_unit_test(test_client_without_a_sync_test_makes_none),
        cmocka_unit_test(test_difference_is_told_once_with_its_field),
        cmocka_unit_test(test_copy_is_forgotten_when_the_world_is_replaced),
        cmocka_unit_test(test_sync_test_needs_a_world_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
