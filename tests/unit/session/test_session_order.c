/// The order in which an Input is checked: what is cheap to know comes before what is dear, so that nobody who may not
/// have it gets it for nothing.
#include "session_rig.h"

/// A hull that no world takes; all of it lies in a plane.
static iso_command flat_hull(void) {
    static const iso_vec3 points[4] = {
        {0, 0, 0}, {ISO_FIX16_ONE, 0, 0}, {0, ISO_FIX16_ONE, 0}, {ISO_FIX16_ONE, ISO_FIX16_ONE, 0}};
    iso_command command = {.kind = ISO_COMMAND_CREATE_SHAPE3};
    command.as.create_shape3.body = (iso_body_id){0, 1};
    command.as.create_shape3.shape = iso_shape3_def_hull(points, 4);
    return command;
}

static iso_command tag_command(void) {
    iso_command command = {.kind = ISO_COMMAND_SET_BODY_TAG};
    command.as.set_body_tag = (iso_command_set_body_tag){{0, 1}, 7};
    return command;
}

static rig *in_space(iso_role role) {
    iso_session_config config = rig_config();
    config.commands_per_tick = 1;
    config.commands_burst = 4;
    rig *r = rig_create_with(&config, rig_make_space);
    rig_join(r, 1, role);
    rig_ticks(r, 20);
    rig_forget(r);
    return r;
}

static void send(rig *r, uint64_t first, iso_command command, uint32_t count) {
    iso_command commands[ISO_INPUT_COMMANDS_MAX];
    for (uint32_t i = 0; i < count; ++i) {
        commands[i] = command;
    }
    iso_message message = {.kind = ISO_MESSAGE_INPUT};
    message.as.input = (iso_message_input){
        .target_tick = rig_tick(r) + 1, .first_sequence = first, .commands = commands, .command_count = count};
    rig_message(r, 1, &message);
}

static int32_t code_of_last_reject(const rig *r) {
    const iso_message *reject = rig_last(r, 1, ISO_MESSAGE_REJECT);
    assert_non_null(reject);
    return reject->as.reject.code;
}

static void test_a_hull_is_looked_at_after_the_rate(void **state) {
    (void)state;
    rig *r = in_space(ISO_ROLE_PLAYER);
    send(r, 1, flat_hull(), 1);
    assert_int_equal(code_of_last_reject(r), ISO_ERR_GEOMETRY);
    assert_int_equal(rig_stats(r).rejected_rate, 0);
    // Its price was taken: once nothing is left, the same hull is refused for that, and nobody looks at it.
    send(r, 2, tag_command(), 3);
    assert_int_equal(rig_stats(r).rejected_rate, 0);
    send(r, 5, flat_hull(), 1);
    assert_int_equal(code_of_last_reject(r), ISO_ERR_RATE);
    assert_int_equal(rig_stats(r).rejected_rate, 1);
    rig_destroy(r);
}

static void test_the_sequences_of_a_refused_hull_are_used_up(void **state) {
    (void)state;
    rig *r = in_space(ISO_ROLE_PLAYER);
    send(r, 1, flat_hull(), 2);
    assert_int_equal(code_of_last_reject(r), ISO_ERR_GEOMETRY);
    rig_ticks(r, 60);
    rig_forget(r);
    send(r, 2, tag_command(), 1);
    assert_int_equal(code_of_last_reject(r), ISO_ERR_REPLAY);
    assert_int_equal(rig_stats(r).rejected_replay, 1);
    const uint64_t tick = rig_tick(r) + 1;
    send(r, 3, tag_command(), 1);
    rig_ticks(r, 1);
    assert_int_equal(rig_sealed_sequence(r, 1, tick, 0), 3);
    assert_int_equal(rig_sealed_sequence(r, 1, tick, 1), 0);
    rig_destroy(r);
}

static void test_nothing_that_a_spectator_sends_is_looked_at(void **state) {
    (void)state;
    rig *r = in_space(ISO_ROLE_SPECTATOR);
    send(r, 1, flat_hull(), 3);
    assert_int_equal(code_of_last_reject(r), ISO_ERR_ROLE);
    assert_int_equal(rig_stats(r).rejected_role, 3);
    assert_int_equal(rig_stats(r).rejected_rate, 0);
    assert_false(rig_is_closed(r, 1, ISO_ERR_ROLE));
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_hull_is_looked_at_after_the_rate),
        cmocka_unit_test(test_the_sequences_of_a_refused_hull_are_used_up),
        cmocka_unit_test(test_nothing_that_a_spectator_sends_is_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
