/// What the server tells the people who play, what the client says that it understands, and its password.
#include "test_client_rig.h"

static void test_client_passes_a_notice_on(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    iso_message message = {.kind = ISO_MESSAGE_NOTICE};
    strcpy(message.as.notice.text, "we are back in five minutes");
    message.as.notice.deadline_ms = 60000;
    talk_say(&r.t, &message);
    const iso_client_action *action = talk_action(&r.t, ISO_CLIENT_ACTION_NOTICE, 0);
    assert_non_null(action);
    assert_string_equal(action->text, "we are back in five minutes");
    assert_int_equal(action->deadline_ms, 60000);
    assert_int_equal(iso_client_get_phase(r.t.client), ISO_CLIENT_PHASE_ACTIVE);
    talk_term(&r.t);
}

static void test_hello_has_features_and_the_password(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.password = "p\xC3\xA4ss";
    talk_init(&t, &config);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    const iso_message *hello = talk_heard(&t, ISO_MESSAGE_HELLO);
    assert_non_null(hello);
    assert_string_equal(hello->as.hello.password, "p\xC3\xA4ss");
    assert_int_equal(hello->as.hello.features, ISO_FEATURE_NOTICES);
    talk_term(&t);
}

static void test_password_is_checked(void **state) {
    (void)state;
    talk t = {0};
    iso_client_config config = talk_config(&t);
    char longest[ISO_PASSWORD_MAX + 2];
    memset(longest, 'x', sizeof(longest));
    longest[ISO_PASSWORD_MAX] = longest[ISO_PASSWORD_MAX + 1] = 0;
    iso_client *client = NULL;
    config.password = longest;
    assert_int_equal(iso_client_create(&config, &client), ISO_OK);
    iso_client_destroy(client);
    longest[ISO_PASSWORD_MAX] = 'x';
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    config.password = "a\nb";
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
}

/// Nothing that a member could wait for.
static void test_password_and_ban_end_the_client(void **state) {
    (void)state;
    const iso_status codes[] = {ISO_ERR_PASSWORD, ISO_ERR_BANNED};
    for (uint32_t i = 0; i < 2; ++i) {
        talk t;
        iso_client_config config = talk_config(&t);
        config.reconnect_ms = 60000;
        talk_init(&t, &config);
        talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
        iso_message refusal = {.kind = ISO_MESSAGE_REFUSAL};
        refusal.as.refusal.code = codes[i];
        talk_say(&t, &refusal);
        assert_ended(&t, codes[i]);
        talk_term(&t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_client_passes_a_notice_on),
        cmocka_unit_test(test_hello_has_features_and_the_password),
        cmocka_unit_test(test_password_is_checked),
        cmocka_unit_test(test_password_and_ban_end_the_client),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
