/// A connection that is silent, and the one that is tried beside it.
#include "test_client_rig.h"

/// A member whose server said how long it may be silent.
static void member_init(rig *r, uint32_t silence_ms) {
    talk t;
    rig_init_with(r, talk_config(&t));
    r->t.silence_ms = silence_ms;
    talk_activate(&r->t);
    for (int i = 0; i < 40; ++i) {
        talk_step(&r->t);
    }
}

/// Lets time pass in steps as a host's timers make them, without a word of the server. @return whether a TRY came
static bool be_silent(rig *r, uint64_t ns) {
    const uint64_t end = r->t.now_ns + ns;
    while (r->t.now_ns < end) {
        uint64_t next = iso_client_next_deadline(r->t.client);
        next = next > r->t.now_ns + 20 * MS ? r->t.now_ns + 20 * MS : next > r->t.now_ns ? next : r->t.now_ns + 1;
        r->t.now_ns = next < end ? next : end;
        talk_event(&r->t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
        if (talk_action(&r->t, ISO_CLIENT_ACTION_TRY, 0) != NULL) {
            return true;
        }
        if (iso_client_get_phase(r->t.client) != ISO_CLIENT_PHASE_ACTIVE) {
            return false;
        }
    }
    return false;
}

static void spare_event(rig *r, uint8_t kind, const iso_message *message) {
    talk_event(&r->t, (iso_client_event){.kind = kind, .is_spare = true, .message = message});
}

/// @return the HELLO on the connection that is tried
static iso_message_hello spare_connect(rig *r) {
    spare_event(r, ISO_CLIENT_EVENT_CONNECTED, NULL);
    const iso_message *hello = talk_heard(&r->t, ISO_MESSAGE_HELLO);
    assert_non_null(hello);
    assert_true(talk_action(&r->t, ISO_CLIENT_ACTION_SEND, 0)->is_spare);
    return hello->as.hello;
}

static void spare_welcome(rig *r, uint8_t resumed) {
    r->t.resumed = resumed;
    const iso_message m = talk_welcome_message(&r->t);
    spare_event(r, ISO_CLIENT_EVENT_MESSAGE, &m);
    assert_non_null(talk_action(&r->t, ISO_CLIENT_ACTION_SWITCH, 0));
    assert_null(talk_action(&r->t, ISO_CLIENT_ACTION_ENDED, 0));
}

static void test_silence_is_answered_by_another_connection(void **state) {
    (void)state;
    rig r;
    member_init(&r, 3000);
    const uint64_t tick = talk_tick(&r.t), begin = r.t.now_ns;
    assert_true(be_silent(&r, 10 * S));
    assert_in_range((r.t.now_ns - begin) / MS, 2900, 3100);
    assert_int_equal(iso_client_get_phase(r.t.client), ISO_CLIENT_PHASE_ACTIVE); // the silent one is kept
    assert_null(talk_action(&r.t, ISO_CLIENT_ACTION_CLOSE, 0));
    rig_step_alone(&r, 0);
    const iso_message_hello hello = spare_connect(&r);
    assert_true(hello.has_resume && hello.resume.tick == tick && hello.resume.slot == 3);
    assert_int_equal(iso_client_get_phase(r.t.client), ISO_CLIENT_PHASE_ACTIVE);
    spare_welcome(&r, ISO_RESUMED_TICKS);
    assert_int_equal(iso_client_get_phase(r.t.client), ISO_CLIENT_PHASE_CATCHUP);
    rig_step_alone(&r, ISO_CHANGE_DROP);
    rig_tell(&r);
    rig_activate(&r);
    rig_check(&r);
    assert_int_equal(rig_stats(&r).switches, 1);
    assert_int_equal(rig_stats(&r).resumes, 1);
    talk_term(&r.t);
}

/// Nothing is lost by a stall that ends, however far the other connection has come.
static void test_silent_connection_that_speaks_again_goes_on(void **state) {
    (void)state;
    for (int with_hello = 0; with_hello < 2; ++with_hello) {
        rig r;
        member_init(&r, 3000);
        assert_true(be_silent(&r, 10 * S));
        if (with_hello != 0) {
            (void)spare_connect(&r);
        }
        talk_step(&r.t);
        assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_TRY_END, 0));
        assert_null(talk_action(&r.t, ISO_CLIENT_ACTION_SWITCH, 0));
        rig_check(&r);
        // The server may have taken the HELLO before it was given up: this is no other client's doing.
        iso_message bye = {.kind = ISO_MESSAGE_BYE};
        bye.as.bye.code = ISO_ERR_TAKEN_OVER;
        talk_say(&r.t, &bye);
        if (with_hello != 0) {
            assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0));
            assert_true(rig_connect(&r).has_resume);
        } else {
            assert_ended(&r.t, ISO_ERR_TAKEN_OVER);
        }
        talk_term(&r.t);
    }
}

/// The server ends the silent connection when it takes the HELLO; its last word may come before the WELCOME, and so may
/// its end.
static void test_end_of_the_silent_connection_leaves_the_other_one(void **state) {
    (void)state;
    for (int by_bye = 0; by_bye < 2; ++by_bye) {
        rig r;
        member_init(&r, 3000);
        assert_true(be_silent(&r, 10 * S));
        (void)spare_connect(&r);
        if (by_bye != 0) {
            iso_message bye = {.kind = ISO_MESSAGE_BYE};
            bye.as.bye.code = ISO_ERR_TAKEN_OVER;
            talk_say(&r.t, &bye);
        } else {
            talk_event(&r.t, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED, .status = ISO_ERR_CONNECTION});
        }
        assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_SWITCH, 0));
        assert_int_equal(iso_client_get_phase(r.t.client), ISO_CLIENT_PHASE_HELLO);
        rig_welcome(&r, ISO_RESUMED_TICKS); // of what is the connection now
        rig_step_alone(&r, ISO_CHANGE_DROP);
        rig_tell(&r);
        rig_activate(&r);
        rig_check(&r);
        talk_term(&r.t);
    }
}

/// Neither does the client forget the server after 30 s of silence, nor does it hammer it.
static void test_tries_in_vain_grow_apart_until_the_connection_is_given_up(void **state) {
    (void)state;
    rig r;
    member_init(&r, 3000);
    const uint64_t begin = r.t.now_ns;
    uint32_t tries = 0;
    while (be_silent(&r, 60 * S)) {
        tries += 1;
        if (tries % 2 == 1) {
            spare_event(&r, ISO_CLIENT_EVENT_DISCONNECTED, NULL);
        } else {
            (void)spare_connect(&r); // the HELLO is not answered
        }
    }
    assert_in_range(tries, 3, 12);
    assert_in_range((r.t.now_ns - begin) / MS, 29900, 30200);
    assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0));
    talk_term(&r.t);
}

/// Where ticks stay away for good reasons, and from a server that has not said how long it may be silent.
static void test_patience_is_longer_where_silence_has_reasons(void **state) {
    (void)state;
    for (int which = 0; which < 4; ++which) {
        rig r;
        member_init(&r, which == 0 ? 0 : 200);
        if (which == 1 || which == 2) {
            iso_message m = {.kind = ISO_MESSAGE_STATE_NOTICE};
            m.as.state_notice =
                (iso_message_state_notice){which == 1 ? ISO_SESSION_PAUSED : ISO_SESSION_RUNNING, talk_tick(&r.t),
                                           which == 2 ? ISO_LATE_STRICT : ISO_LATE_MOVE, ISO_OK};
            talk_say(&r.t, &m);
        }
        const uint64_t begin = r.t.now_ns;
        const bool tries = be_silent(&r, 29 * S);
        assert_true(tries == (which != 0));
        const uint64_t took_ms = (r.t.now_ns - begin) / MS;
        assert_in_range(took_ms, which == 3 ? 150 : 2900, which == 3 ? 300 : which == 0 ? 29100 : 3100);
        talk_term(&r.t);
    }
}

/// The machine was asleep: what has come meanwhile is read before the server's silence is judged.
static void test_own_absence_is_no_silence_of_the_server(void **state) {
    (void)state;
    rig r;
    member_init(&r, 3000);
    talk_wait(&r.t, 10 * S);
    assert_null(talk_action(&r.t, ISO_CLIENT_ACTION_TRY, 0));
    assert_true(iso_client_next_deadline(r.t.client) <= r.t.now_ns);
    talk_step(&r.t);
    rig_check(&r);
    talk_wait(&r.t, 10 * S);
    talk_wait(&r.t, MS);
    assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_TRY, 0)); // nothing had come
    talk_term(&r.t);
}

/// A refusal that may pass is tried again; a member that is not known any more joins as a new one.
static void test_refusals_of_the_other_connection(void **state) {
    (void)state;
    const struct {
        iso_status code;
        bool passes, ends;
    } cases[] = {{ISO_ERR_SERVER_FULL, true, false}, {ISO_ERR_NO_RESUME, false, false}, {ISO_ERR_BANNED, false, true}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        rig r;
        member_init(&r, 3000);
        assert_true(be_silent(&r, 10 * S));
        (void)spare_connect(&r);
        iso_message refusal = {.kind = ISO_MESSAGE_REFUSAL};
        refusal.as.refusal.code = cases[i].code;
        spare_event(&r, ISO_CLIENT_EVENT_MESSAGE, &refusal);
        if (cases[i].passes) {
            assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_TRY_END, 0));
            assert_int_equal(iso_client_get_phase(r.t.client), ISO_CLIENT_PHASE_ACTIVE);
            assert_true(be_silent(&r, 10 * S));
        } else if (cases[i].ends) {
            assert_ended(&r.t, cases[i].code);
        } else {
            assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0));
            assert_false(rig_connect(&r).has_resume);
        }
        talk_term(&r.t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silence_is_answered_by_another_connection),
        cmocka_unit_test(test_silent_connection_that_speaks_again_goes_on),
        cmocka_unit_test(test_end_of_the_silent_connection_leaves_the_other_one),
        cmocka_unit_test(test_tries_in_vain_grow_apart_until_the_connection_is_given_up),
        cmocka_unit_test(test_patience_is_longer_where_silence_has_reasons),
        cmocka_unit_test(test_own_absence_is_no_silence_of_the_server),
        cmocka_unit_test(test_refusals_of_the_other_connection),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
