/// What became of a member's commands, as Status tells it.
#include "session_rig.h"

static void say_commands(rig *r, uint64_t connection, uint64_t first_sequence, const iso_command *commands,
                         uint32_t count) {
    iso_message message = {.kind = ISO_MESSAGE_INPUT};
    message.as.input = (iso_message_input){.target_tick = rig_tick(r) + 1,
                                           .first_sequence = first_sequence,
                                           .ack_tick = rig_tick(r),
                                           .commands = commands,
                                           .command_count = count};
    rig_message(r, connection, &message);
}

/// Sequence 1 spawns, 2 is applied, 3 and 4 cannot be.
static void say_four_kinds(rig *r, uint64_t connection, uint64_t first_sequence) {
    iso_command commands[4] = {0};
    commands[0].kind = ISO_COMMAND_SPAWN_BODY;
    commands[0].as.spawn_body.body = iso_body_def_default();
    commands[0].as.spawn_body.shape = iso_shape_def_circle(ISO_FIX16_ONE / 4);
    commands[1].kind = ISO_COMMAND_SET_VELOCITY;
    commands[1].as.set_velocity.body = (iso_body_id){1, 1};
    commands[2].kind = ISO_COMMAND_DESTROY_BODY;
    commands[2].as.destroy_body.body = (iso_body_id){60, 1};
    commands[3].kind = ISO_COMMAND_DESTROY_BODY;
    commands[3].as.destroy_body.body = (iso_body_id){0, 1};
    say_commands(r, connection, first_sequence, commands, 4);
}

static void expect_four_kinds(const rig *r, uint64_t connection, uint64_t first_sequence) {
    const iso_message *message = rig_last(r, connection, ISO_MESSAGE_STATUS);
    assert_non_null(message);
    const iso_message_status *status = &message->as.status;
    assert_int_equal(status->result_count, 3);
    assert_int_equal(status->results[0].sequence, first_sequence);
    assert_int_equal(status->results[0].code, ISO_OK);
    assert_true(status->results[0].id != 0);
    assert_int_equal(status->results[1].sequence, first_sequence + 2);
    assert_int_equal(status->results[1].code, ISO_ERR_STALE);
    assert_int_equal(status->results[2].sequence, first_sequence + 3);
    assert_true(status->results[2].code != ISO_OK && status->results[2].id == 0);
}

static void test_session_tells_a_member_what_became_of_its_commands(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.is_recording = true;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_ticks(r, 2);
    rig_forget(r);
    say_four_kinds(r, 1, 1);
    rig_ticks(r, 13); // more than a Status
    expect_four_kinds(r, 1, 1);
    assert_int_equal(rig_last(r, 2, ISO_MESSAGE_STATUS)->as.status.result_count, 0);
    rig_forget(r);
    rig_ticks(r, 13);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status.result_count, 0); // told once

    rig_forget(r);
    say_four_kinds(r, 1, 5);
    r->writes_itself = false; // what nobody was sent nobody is told of
    rig_ticks(r, 13);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_STATUS)->as.status.result_count, 0);
    r->writes_itself = true;
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = rig_tick(r)});
    rig_ticks(r, 13);
    expect_four_kinds(r, 1, 5);
    rig_destroy(r);
}

static void test_session_tells_what_became_of_commands_after_a_member_has_come_back(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_ticks(r, 2);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    say_four_kinds(r, 1, 1);
    rig_cut(r, 1);
    rig_ticks(r, 5);
    rig_open(r, 3);
    const iso_message hello = rig_resume(r, &welcome, seen.tick, seen.root);
    rig_message(r, 3, &hello);
    rig_ticks(r, 2);
    rig_caught_up(r, 3);
    rig_ticks(r, 14);
    for (uint32_t i = 0; i < r->seen_count; ++i) { // the first one
        if (r->seen[i].connection == 3 && r->seen[i].message.kind == ISO_MESSAGE_STATUS) {
            r->seen_count = i + 1;
        }
    }
    expect_four_kinds(r, 3, 1);
    rig_destroy(r);
}

/// Many results do not wait for the next Status.
static void test_session_hurries_when_many_results_wait(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    config.commands_per_tick = 64;
    config.commands_burst = 1024;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 13);
    iso_command commands[32] = {0};
    for (uint32_t i = 0; i < 32; ++i) {
        commands[i].kind = ISO_COMMAND_DESTROY_BODY;
        commands[i].as.destroy_body.body = (iso_body_id){60, 1};
    }
    uint32_t told = 0, sent = 0;
    for (uint32_t tick = 0; tick < 24; ++tick) {
        rig_forget(r);
        say_commands(r, 1, 1 + sent, commands, 32);
        sent += 32;
        rig_ticks(r, 1);
        const iso_message *status = rig_last(r, 1, ISO_MESSAGE_STATUS);
        told += status != NULL ? status->as.status.result_count : 0;
        assert_true(sent - told < 2 * 64);
    }
    assert_true(told > 20 * 32);
    rig_destroy(r);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_tells_a_member_what_became_of_its_commands),
        cmocka_unit_test(test_session_tells_what_became_of_commands_after_a_member_has_come_back),
        cmocka_unit_test(test_session_hurries_when_many_results_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
