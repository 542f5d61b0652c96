/// What the scene calls its bodies and joints, as the client library keeps it.
#include "test_client_rig.h"

static const iso_name scene_names[] = {
    {ISO_NAMED_BODY, 0, "ground"},
    {ISO_NAMED_BODY, 1, "ball"},
    {ISO_NAMED_BODY, 9, "box[3,5]"},
    {ISO_NAMED_JOINT, 4, "ball"},
};

static void say(talk *t, const iso_name *names, uint32_t count, uint32_t left_out) {
    iso_message message = {.kind = ISO_MESSAGE_NAMES};
    message.as.names = (iso_message_names){names, count, left_out};
    talk_say(t, &message);
}

/// From joining to being active, with names as a server tells them.
static void join(rig *r) {
    talk t;
    rig_init_with(r, talk_config(&t));
    talk_welcome(&r->t);
    say(&r->t, scene_names, 4, 3);
    iso_body_id body = {7, 7};
    assert_int_equal(iso_client_find_body(r->t.client, "ball", &body), ISO_ERR_STATE); // there is no world yet
    assert_int_equal(body.index, 7);
    talk_snapshot(&r->t);
    talk_pings(&r->t);
    talk_join(&r->t);
    assert_int_equal(iso_client_get_phase(r->t.client), ISO_CLIENT_PHASE_ACTIVE);
}

static void test_client_finds_bodies_by_their_names(void **state) {
    (void)state;
    rig r;
    join(&r);
    iso_body_id body;
    iso_joint_id joint;
    assert_int_equal(iso_client_find_body(r.t.client, "ball", &body), ISO_OK);
    assert_true(body.index == r.t.ball.index && body.generation == r.t.ball.generation);
    assert_int_equal(iso_client_find_body(r.t.client, "ground", &body), ISO_OK);
    assert_int_equal(body.index, 0);
    assert_int_equal(iso_client_find_body(r.t.client, "groun", &body), ISO_ERR_UNKNOWN_NAME);
    assert_int_equal(iso_client_find_body(r.t.client, "box[3,5]", &body), ISO_ERR_STALE);
    assert_int_equal(iso_client_find_joint(r.t.client, "ground", &joint), ISO_ERR_UNKNOWN_NAME);
    assert_int_equal(iso_client_find_joint(r.t.client, "ball", &joint), ISO_ERR_STALE);
    for (uint32_t i = 0; i < 3; ++i) {
        const iso_body_id named = {.index = scene_names[i].index, .generation = 1};
        assert_string_equal(iso_client_body_name(r.t.client, named), scene_names[i].name);
    }
    assert_string_equal(iso_client_joint_name(r.t.client, (iso_joint_id){.index = 4, .generation = 1}), "ball");
    assert_string_equal(iso_client_joint_name(r.t.client, (iso_joint_id){.index = 0, .generation = 1}), "");
    assert_string_equal(iso_client_body_name(r.t.client, (iso_body_id){.index = 4, .generation = 1}), "");
    assert_string_equal(iso_client_body_name(r.t.client, (iso_body_id){0, 0}), "");
    assert_int_equal(iso_client_names_left_out(r.t.client), 3);
    talk_term(&r.t);
}

/// Another body in its place has not its name.
static void test_client_knows_when_a_named_body_is_gone(void **state) {
    (void)state;
    rig r;
    join(&r);
    iso_sealed_command command = {.slot = r.t.slot, .sequence = 1};
    command.command.kind = ISO_COMMAND_DESTROY_BODY;
    command.command.as.destroy_body.body = r.t.ball;
    talk_step_with(&r.t, NULL, 0, &command, 1, false);
    iso_body_id body;
    assert_int_equal(iso_client_find_body(r.t.client, "ball", &body), ISO_ERR_STALE);
    assert_string_equal(iso_client_body_name(r.t.client, r.t.ball), "ball"); // whoever still has the handle
    command.sequence = 2;
    command.command = (iso_command){.kind = ISO_COMMAND_SPAWN_BODY};
    command.command.as.spawn_body.body = iso_body_def_default();
    command.command.as.spawn_body.shape = iso_shape_def_circle(ISO_FIX16_ONE / 2);
    talk_step_with(&r.t, NULL, 0, &command, 1, false);
    const iso_body_id next = iso_body_next(iso_client_world(r.t.client), r.t.ball.index);
    assert_int_equal(next.index, r.t.ball.index);
    assert_true(next.generation > 1);
    assert_int_equal(iso_client_find_body(r.t.client, "ball", &body), ISO_ERR_STALE);
    assert_string_equal(iso_client_body_name(r.t.client, next), "");
    talk_term(&r.t);
}

/// The names are those of the session: who comes back has them, who joins anew is told again, or there are none.
static void test_client_keeps_the_names_as_long_as_the_session(void **state) {
    (void)state;
    rig r;
    join(&r);
    iso_body_id body;
    assert_non_null(rig_cut(&r));
    (void)rig_connect(&r);
    rig_welcome(&r, ISO_RESUMED_TICKS);
    assert_int_equal(iso_client_find_body(r.t.client, "ball", &body), ISO_OK);
    assert_non_null(rig_cut(&r));
    (void)rig_connect(&r);
    const iso_message refusal = {.kind = ISO_MESSAGE_REFUSAL, .as.refusal.code = ISO_ERR_NO_RESUME};
    talk_say(&r.t, &refusal);
    assert_string_equal(iso_client_body_name(r.t.client, r.t.ball), "ball");
    assert_false(rig_connect(&r).has_resume);
    rig_welcome(&r, ISO_RESUMED_NEW);
    assert_string_equal(iso_client_body_name(r.t.client, r.t.ball), "");
    assert_int_equal(iso_client_names_left_out(r.t.client), 0);
    say(&r.t, scene_names, 1, 0);
    assert_string_equal(iso_client_body_name(r.t.client, (iso_body_id){.index = 0, .generation = 1}), "ground");
    say(&r.t, scene_names + 1, 1, 0); // the last ones hold
    assert_string_equal(iso_client_body_name(r.t.client, r.t.ball), "ball");
    assert_string_equal(iso_client_body_name(r.t.client, (iso_body_id){.index = 0, .generation = 1}), "");
    say(&r.t, NULL, 0, 0);
    assert_string_equal(iso_client_body_name(r.t.client, r.t.ball), "");
    talk_term(&r.t);
}

static void test_client_takes_memory_for_names_when_they_come(void **state) {
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.verify = false;
    talk_init(&t, &config);
    talk_welcome(&t);
    const size_t before = t.allocated;
    say(&t, scene_names, 4, 0); // there is no world that could have them
    assert_int_equal(t.allocated, before);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    t.refuse_above = 16;
    say(&t, scene_names, 4, 0);
    assert_ended(&t, ISO_ERR_MEMORY);
    talk_term(&t);
}

/// The names that the program holds stay valid.
static void test_client_takes_names_after_its_welcome_only(void **state) {
    (void)state;
    rig r;
    join(&r);
    const char *name = iso_client_body_name(r.t.client, r.t.ball);
    say(&r.t, scene_names, 1, 0);
    assert_int_equal(iso_client_get_phase(r.t.client), ISO_CLIENT_PHASE_ENDED);
    assert_string_equal(name, "ball");
    talk_term(&r.t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_client_finds_bodies_by_their_names),
        cmocka_unit_test(test_client_takes_names_after_its_welcome_only),
        cmocka_unit_test(test_client_knows_when_a_named_body_is_gone),
        cmocka_unit_test(test_client_keeps_the_names_as_long_as_the_session),
        cmocka_unit_test(test_client_takes_memory_for_names_when_they_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
