/// What the scene calls its bodies and joints: who is told, and a member that comes back without a state.
#include "session_rig.h"

/// Members 1 and 2 in slots 0 and 1, some ticks ago.
static rig *two_members(const iso_session_config *config) {
    rig *r = rig_create(config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_ticks(r, 20);
    return r;
}

/// Opens `connection` and claims to be whom `welcome` was said to, with the present state.
static void come_back(rig *r, uint64_t connection, const iso_message_welcome *welcome, uint64_t tick, uint64_t root) {
    rig_open(r, connection);
    const iso_message hello = rig_resume(r, welcome, tick, root);
    rig_message(r, connection, &hello);
}

/// Who comes back knows them, also when it needs a snapshot.
static void test_session_tells_the_names_of_the_scene_to_who_joins(void **state) {
    (void)state;
    const iso_name names[] = {{ISO_NAMED_BODY, 0, "ground"}, {ISO_NAMED_BODY, 1, "box"}};
    const iso_message_names table = {names, 2, 5};
    iso_session_config config = rig_config_resume();
    config.names = &table;
    rig *r = two_members(&config);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_NAMES), 1);
    assert_int_equal(rig_count(r, 2, ISO_MESSAGE_NAMES), 1);
    const iso_message *told = rig_last(r, 1, ISO_MESSAGE_NAMES);
    assert_ptr_equal(told->as.names.names, names);
    assert_int_equal(told->as.names.count, 2);
    assert_int_equal(told->as.names.left_out, 5);
    uint32_t order = 0;
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        static const uint8_t kinds[] = {ISO_MESSAGE_WELCOME, ISO_MESSAGE_MEMBERS, ISO_MESSAGE_NAMES,
                                        ISO_MESSAGE_SNAPSHOT_BEGIN};
        const rig_seen *seen = &r->seen[i];
        if (order < 4 && seen->kind == ISO_SESSION_ACTION_SEND && seen->connection == 1) {
            assert_int_equal(seen->message.kind, kinds[order++]);
        }
    }
    assert_int_equal(order, 4);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    const iso_message_tick *seen = rig_last_tick(r, 1);
    const uint64_t tick = seen->tick, root = seen->root;
    rig_cut(r, 1);
    rig_ticks(r, 10);
    come_back(r, 3, &welcome, tick, root);
    assert_int_equal(rig_welcome(r, 3).resumed, ISO_RESUMED_TICKS);
    assert_int_equal(rig_count(r, 3, ISO_MESSAGE_NAMES), 0);
    rig_join(r, 4, ISO_ROLE_SPECTATOR);
    assert_int_equal(rig_count(r, 4, ISO_MESSAGE_NAMES), 1);
    rig_destroy(r);
}

/// A page that was loaded anew has kept the secret alone: it gets a snapshot, and the names with it, whatever the
/// session still has of its first ticks.
static void test_session_gives_all_to_a_member_without_a_state(void **state) {
    (void)state;
    const iso_name names[] = {{ISO_NAMED_BODY, 0, "ground"}};
    const iso_message_names table = {names, 1, 0};
    for (uint32_t epoch = 0; epoch < 2; ++epoch) {
        iso_session_config config = rig_config_resume();
        config.names = &table;
        rig *r = two_members(&config);
        iso_message_welcome welcome = rig_welcome(r, 1);
        rig_input(r, 1, 22, 5, 1, 0);
        rig_cut(r, 1);
        rig_ticks(r, 10);
        welcome.epoch -= epoch; // of a run before, which would otherwise be asked to go back to tick 0
        come_back(r, 3, &welcome, 0, 0);
        const iso_message_welcome again = rig_welcome(r, 3);
        assert_int_equal(again.resumed, ISO_RESUMED_SNAPSHOT);
        assert_int_equal(again.slot, welcome.slot);
        assert_int_equal(again.last_sequence, 5);
        assert_int_equal(rig_count(r, 3, ISO_MESSAGE_NAMES), 1);
        rig_ack_all(r, 3);
        rig_ticks(r, 2);
        rig_caught_up(r, 3);
        rig_ticks(r, 1);
        assert_non_null(rig_last(r, 3, ISO_MESSAGE_ACTIVATE));
        assert_true(rig_has_change(rig_last_tick(r, 2), ISO_CHANGE_RESUME, 0));
        assert_int_equal(rig_stats(r).resumed_snapshot, 1);
        rig_destroy(r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_tells_the_names_of_the_scene_to_who_joins),
        cmocka_unit_test(test_session_gives_all_to_a_member_without_a_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
