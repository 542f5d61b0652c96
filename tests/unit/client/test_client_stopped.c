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

/// A page in the background is called once a second, later once a minute: it comes back from a silent connection, too.
static void test_seldom_calls_only_put_the_way_back_off(void **state) {
    (void)state;
    const struct {
        uint32_t silence_ms;
        uint64_t interval_ns;
        uint8_t action; // that comes in the end
        uint64_t last;  // call at which it comes at the latest
    } cases[] = {
        {200, S, ISO_CLIENT_ACTION_TRY, 2},
        {1500, S, ISO_CLIENT_ACTION_TRY, 3},
        {3000, S, ISO_CLIENT_ACTION_TRY, 4},
        {3000, 10 * S, ISO_CLIENT_ACTION_TRY, 2},
        {3000, 60 * S, ISO_CLIENT_ACTION_RECONNECT, 2},
        {0, 60 * S, ISO_CLIENT_ACTION_RECONNECT, 2},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        rig r;
        talk t;
        rig_init_with(&r, talk_config(&t));
        r.t.silence_ms = cases[i].silence_ms;
        talk_activate(&r.t);
        talk_step(&r.t);
        uint64_t calls = 0;
        do {
            calls += 1;
            assert_in_range(calls, 1, cases[i].last);
            talk_wait(&r.t, cases[i].interval_ns);
            // Between the first one and the next, what has come is read.
            assert_true(calls > 1 || talk_action(&r.t, cases[i].action, 0) == NULL);
        } while (talk_action(&r.t, cases[i].action, 0) == NULL);
        talk_term(&r.t);
    }
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
        cmocka_unit_test(test_seldom_calls_only_put_the_way_back_off),
        cmocka_unit_test(test_seldom_calls_beside_a_server_that_speaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
