/// A client that goes on as the member of one that is no more: a page that was loaded anew, with a secret and nothing
/// else.
#include "test_client_rig.h"

#define GENERATION 1

/// A session in which the member of slot 3 is held, and a client that claims to be it.
static void rig_claim(rig *r, uint8_t frames, uint32_t reconnect_ms) {
    talk t;
    iso_client_config config = talk_config(&t);
    config.predict_frames = frames;
    config.reconnect_ms = reconnect_ms;
    config.has_resume = true;
    config.resume.slot = 3;
    config.resume.slot_generation = GENERATION;
    config.resume.tick = 77; // is not asked for
    config.resume.root = 88;
    memset(config.resume.uid, 0x55, sizeof config.resume.uid);
    memset(config.resume.secret, 0x66, sizeof config.resume.secret);
    rig_init_with(r, config);
    rig_step_alone(r, ISO_CHANGE_JOIN);
    for (int i = 0; i < 30; ++i) {
        rig_step_alone(r, 0);
    }
    rig_step_alone(r, ISO_CHANGE_DROP);
}

static void test_claim_leads_to_the_member_with_a_new_world(void **state) {
    (void)state;
    static const iso_name names[] = {{ISO_NAMED_BODY, 1, "ball"}};
    for (uint8_t frames = 0; frames <= 8; frames += 8) {
        rig r;
        rig_claim(&r, frames, 60000);
        assert_null(iso_client_welcome(r.t.client));
        assert_int_equal(iso_client_slot(r.t.client), ISO_SLOT_NONE);
        const iso_message_hello hello = rig_connect(&r);
        assert_true(hello.has_resume);
        assert_int_equal(hello.resume.slot, 3);
        assert_int_equal(hello.resume.slot_generation, GENERATION);
        assert_int_equal(hello.resume.uid[15], 0x55);
        assert_int_equal(hello.resume.secret[15], 0x66);
        assert_true(hello.resume.tick == 0 && hello.resume.root == 0); // it has no state
        r.t.last_sequence = 41;
        rig_welcome(&r, ISO_RESUMED_SNAPSHOT);
        iso_message message = {.kind = ISO_MESSAGE_NAMES};
        message.as.names = (iso_message_names){names, 1, 0};
        talk_say(&r.t, &message);
        talk_snapshot(&r.t);
        rig_activate(&r);
        assert_null(talk_action(&r.t, ISO_CLIENT_ACTION_JOINED, 0));
        iso_body_id body;
        assert_int_equal(iso_client_find_body(r.t.client, "ball", &body), ISO_OK);
        assert_int_equal(iso_client_slot(r.t.client), 3);
        const iso_client_stats stats = rig_stats(&r);
        assert_int_equal(stats.resumes, 1);
        assert_int_equal(stats.rewinds, 0);
        assert_true(stats.first_tick == talk_tick(&r.t));
        iso_command command;
        memset(&command, 0, sizeof command);
        command.kind = ISO_COMMAND_CUSTOM;
        uint64_t sequence;
        assert_int_equal(iso_client_command(r.t.client, &command, &sequence), ISO_OK);
        assert_int_equal(sequence, 42); // after those of the client before
        rig_check(&r);
        // From now on it is as any other: it comes back with its own state and the secret that it was given.
        assert_non_null(rig_cut(&r));
        const iso_message_hello again = rig_connect(&r);
        assert_true(again.resume.tick == talk_tick(&r.t) && again.resume.root == r.t.root);
        assert_int_equal(again.resume.secret[15], 1);
        talk_term(&r.t);
    }
}

static void test_claim_is_repeated_until_it_is_heard(void **state) {
    (void)state;
    rig r;
    rig_claim(&r, 8, 60000);
    for (int i = 0; i < 3; ++i) { // there is no server, or it is lost again
        assert_non_null(rig_cut(&r));
        const iso_message_hello hello = rig_connect(&r);
        assert_true(hello.has_resume && hello.resume.secret[0] == 0x66);
    }
    // The answer has come, and a part of the snapshot.
    rig_welcome(&r, ISO_RESUMED_SNAPSHOT);
    talk_take_snapshot(&r.t, 1000);
    talk_begin(&r.t);
    talk_chunk(&r.t, 0);
    assert_non_null(rig_cut(&r));
    const iso_message_hello hello = rig_connect(&r);
    assert_true(hello.has_resume && hello.resume.tick == 0 && hello.resume.root == 0);
    assert_int_equal(hello.resume.secret[0], 3); // that of the answer
    rig_welcome(&r, ISO_RESUMED_SNAPSHOT);
    talk_snapshot(&r.t);
    // The state is there, and is shown.
    assert_non_null(rig_cut(&r));
    assert_true(rig_connect(&r).resume.root == r.t.root);
    rig_welcome(&r, ISO_RESUMED_TICKS);
    rig_activate(&r);
    rig_check(&r);
    talk_term(&r.t);
}

static void refuse_claim(rig *r, iso_status code) {
    assert_true(rig_connect(r).has_resume);
    iso_message m = {.kind = ISO_MESSAGE_REFUSAL};
    m.as.refusal.code = code;
    talk_say(&r->t, &m);
}

static void test_claim_that_is_refused_becomes_a_join(void **state) {
    (void)state;
    rig r;
    rig_claim(&r, 0, 60000);
    refuse_claim(&r, ISO_ERR_SERVER_FULL); // says nothing of the claim
    assert_true(rig_connect(&r).has_resume);
    talk_term(&r.t);
    rig_claim(&r, 0, 60000);
    rig_step_alone(&r, ISO_CHANGE_LEAVE);
    refuse_claim(&r, ISO_ERR_NO_RESUME);
    assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_CLOSE, 0));
    assert_int_equal(talk_action(&r.t, ISO_CLIENT_ACTION_RECONNECT, 0)->status, ISO_ERR_NO_RESUME);
    assert_false(rig_connect(&r).has_resume);
    rig_welcome(&r, ISO_RESUMED_NEW);
    talk_snapshot(&r.t);
    talk_pings(&r.t);
    talk_join(&r.t);
    assert_non_null(talk_action(&r.t, ISO_CLIENT_ACTION_JOINED, 0));
    assert_int_equal(rig_stats(&r).resumes, 0);
    rig_check(&r);
    talk_term(&r.t);
    // Without the wish to connect again that is its end.
    rig_claim(&r, 0, 1);
    refuse_claim(&r, ISO_ERR_NO_RESUME);
    assert_ended(&r.t, ISO_ERR_NO_RESUME);
    talk_term(&r.t);
}

/// Who has no state can do with a snapshot alone, and is no other than it claims to be.
static void test_answer_that_does_not_fit_the_claim_is_refused(void **state) {
    (void)state;
    for (int kind = 0; kind < 6; ++kind) {
        rig r;
        rig_claim(&r, 0, 60000);
        (void)rig_connect(&r);
        r.t.resumed = kind == 0   ? ISO_RESUMED_NEW
                      : kind == 1 ? ISO_RESUMED_TICKS
                      : kind == 2 ? ISO_RESUMED_REWIND
                                  : ISO_RESUMED_SNAPSHOT;
        iso_message m = talk_welcome_message(&r.t);
        m.as.welcome.slot_generation = GENERATION + (kind == 3);
        m.as.welcome.uid[0] ^= kind == 4;
        m.as.welcome.slot ^= kind == 5;
        talk_say(&r.t, &m);
        assert_ended(&r.t, ISO_ERR_MALFORMED);
        talk_term(&r.t);
    }
    talk t;
    iso_client_config config = talk_config(&t);
    iso_client *client = NULL;
    config.has_resume = true;
    config.resume.slot = ISO_SLOT_COUNT_MAX;
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    config.resume.slot = 3;
    config.role = ISO_ROLE_SPECTATOR;
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
}

static void test_client_without_a_world_may_claim_too(void **state) {
    (void)state;
    rig r;
    talk t;
    iso_client_config config = talk_config(&t);
    config.verify = false;
    config.has_resume = true;
    config.resume.slot = 3;
    config.resume.slot_generation = GENERATION;
    memset(config.resume.uid, 0x55, sizeof config.resume.uid);
    rig_init_with(&r, config);
    rig_step_alone(&r, ISO_CHANGE_JOIN);
    rig_step_alone(&r, ISO_CHANGE_DROP);
    const iso_message_hello hello = rig_connect(&r);
    assert_true(hello.has_resume && hello.resume.tick == 0 && hello.resume.root == 0);
    rig_welcome(&r, ISO_RESUMED_SNAPSHOT);
    talk_snapshot(&r.t);
    rig_activate(&r);
    talk_term(&r.t);
}

// ---- What is left of it -----------------------------------------------------------------------------

static void *watched_allocate(void *user, size_t size, size_t alignment) {
    (void)user;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

/// Memory that is given back has neither the secret nor the password.
static void watched_release(void *user, void *memory, size_t size) {
    for (size_t i = 0; i + ISO_SECRET_SIZE <= size; ++i) {
        assert_memory_not_equal((uint8_t *)memory + i, "secret of a seat", ISO_SECRET_SIZE);
        assert_memory_not_equal((uint8_t *)memory + i, "a password", 10);
    }
    *(unsigned *)user += 1;
    free(memory);
}

static void test_secret_does_not_stay_in_memory(void **state) {
    (void)state;
    unsigned released = 0;
    iso_client_config config = iso_client_config_default();
    config.allocator = (iso_allocator){watched_allocate, watched_release, &released};
    config.games = talk_games;
    config.game_count = 1;
    config.password = "a password";
    config.has_resume = true;
    memcpy(config.resume.secret, "secret of a seat", ISO_SECRET_SIZE);
    iso_client *client = NULL;
    assert_int_equal(iso_client_create(&config, &client), ISO_OK);
    iso_client_handle(client, 0, &(iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    iso_client_action action;
    bool has_said_it = false;
    while (iso_client_next_action(client, &action)) {
        has_said_it = has_said_it || (action.kind == ISO_CLIENT_ACTION_SEND && action.message->as.hello.has_resume);
    }
    assert_true(has_said_it);
    iso_client_destroy(client);
    assert_int_equal(released, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claim_leads_to_the_member_with_a_new_world),
        cmocka_unit_test(test_claim_is_repeated_until_it_is_heard),
        cmocka_unit_test(test_claim_that_is_refused_becomes_a_join),
        cmocka_unit_test(test_answer_that_does_not_fit_the_claim_is_refused),
        cmocka_unit_test(test_client_without_a_world_may_claim_too),
        cmocka_unit_test(test_secret_does_not_stay_in_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
