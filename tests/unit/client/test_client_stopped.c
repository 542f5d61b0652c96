/// A client whose process was stopped, whose machine slept, or whose timers are called seldom.
#include "test_client_rig.h"

/// The client was stopped, or its machine slept: what has come meanwhile is read before the server is given up.
static void test_server_has_a_grace_after_an_absence_of_the_client(void **state) {
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    talk_wait(&t, 60 * S);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_HELLO);
    assert_true(iso_client_next_deadline(t.client) == t.now_ns + 2 * S);
    talk_wait(&t, 20 * S); // late again: that is no second absence while nothing was heard
    assert_ended(&t, ISO_ERR_TIMEOUT);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_activate(&t);
    for (int i = 0; i < 2; ++i) {
        talk_wait(&t, 60 * S);
        assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_ACTIVE);
        talk_step(&t);
        talk_wait(&t, 2 * S);
        assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_ACTIVE);
    }
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_LEAVE});
    talk_wait(&t, 60 * S);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_ACTIVE);
    iso_message m = {.kind = ISO_MESSAGE_BYE};
    talk_say(&t, &m);
    assert_ended(&t, ISO_OK);
    talk_term(&t);
}

/// As long as the server speaks, late calls put off nothing and give up nothing.
static void test_seldom_calls_beside_a_server_that_speaks(void **state) {
    (void)state;
    rig r;
    talk t;
    rig_init_with(&r, talk_config(&t));
    r.t.silence_ms = 200;
    talk_activate(&r.t);
    for (int i = 0; i < 5; ++i) {
        talk_wait(&r.t, 60 * S);
        assert_null(talk_action(&r.t, ISO_CLIENT_ACTION_TRY, 0));
        assert_null(talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0));
        talk_step(&r.t);
    }
    rig_check(&r);
    talk_term(&r.t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server_has_a_grace_after_an_absence_of_the_client),
        cmocka_unit_test(test_seldom_calls_beside_a_server_that_speaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
