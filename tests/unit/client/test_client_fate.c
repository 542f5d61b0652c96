/// What becomes of the commands of the client: kept as long as the server may not have heard them, and told of once.
#include "test_client_rig.h"

static uint64_t rig_give(rig *r, uint32_t count) {
    iso_command command;
    memset(&command, 0, sizeof(command));
    command.kind = ISO_COMMAND_APPLY_ANGULAR_IMPULSE;
    command.as.apply_angular_impulse.body = r->t.ball;
    uint64_t sequence = 0;
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(iso_client_command(r->t.client, &command, &sequence), ISO_OK);
    }
    return sequence;
}

/// Time passes until so many commands have left. @return the last one's sequence; 0: they do not leave
static uint64_t rig_send(rig *r, uint32_t count) {
    uint64_t last = 0;
    uint32_t sent = 0;
    for (uint32_t i = 0; i < 60 && sent < count; ++i) {
        r->t.now_ns = iso_client_next_deadline(r->t.client);
        talk_event(&r->t, (iso_client_event){.kind = ISO_CLIENT_EVENT_TIME});
        const iso_message *input = talk_heard(&r->t, ISO_MESSAGE_INPUT);
        sent += input != NULL ? input->as.input.command_count : 0;
        last = input != NULL && input->as.input.command_count > 0
                   ? input->as.input.first_sequence + input->as.input.command_count - 1
                   : last;
    }
    return last;
}

/// Ticks of the server. With `answer`, it answers pings. @return how many commands are said to be lost, one after the
/// other from `next` on
static uint32_t rig_hear_of_lost(rig *r, uint32_t ticks, bool answer, uint64_t next) {
    uint32_t lost = 0;
    for (uint32_t i = 0; i < ticks; ++i) {
        talk_step(&r->t);
        const iso_client_action *action;
        for (uint32_t n = 0; (action = talk_action(&r->t, ISO_CLIENT_ACTION_LOST, n)) != NULL; ++n) {
            assert_true(action->sequence == next + lost);
            lost += 1;
        }
        const iso_message *ping = talk_heard(&r->t, ISO_MESSAGE_PING);
        if (answer && ping != NULL) {
            const iso_message copy = *ping;
            talk_pong(&r->t, &copy);
        }
    }
    return lost;
}

static void test_commands_that_may_be_under_way_are_kept(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    const uint64_t given = rig_give(&r, 3);
    assert_int_equal(rig_send(&r, 3), given);
    // A path on which nothing leaves and everything comes: no pong. Long after their tick they may still be said again.
    assert_int_equal(rig_hear_of_lost(&r, 300, false, 1), 0);
    assert_non_null(rig_cut(&r));
    rig_step_alone(&r, ISO_CHANGE_DROP);
    (void)rig_connect(&r);
    r.t.last_sequence = 0;
    rig_welcome(&r, ISO_RESUMED_TICKS);
    rig_tell(&r);
    rig_activate(&r);
    assert_int_equal(rig_send(&r, 3), given);
    talk_term(&r.t);
}

static void test_fate_of_every_command_is_told(void **state) {
    (void)state;
    rig r;
    rig_init(&r);
    const uint64_t given = rig_give(&r, 10);
    assert_int_equal(rig_send(&r, 10), given);
    // The server has heard them and never says what became of them: each once, a few with a tick.
    assert_int_equal(rig_hear_of_lost(&r, 300, true, 1), 10);
    assert_int_equal(rig_stats(&r).commands_lost, 10);
    // A later one is sealed, and no pong was needed to know that the earlier ones were not.
    assert_int_equal(rig_give(&r, 3), given + 3);
    (void)rig_send(&r, 3);
    iso_sealed_command sealed = {.slot = r.t.slot, .sequence = given + 3};
    sealed.command.kind = ISO_COMMAND_APPLY_ANGULAR_IMPULSE;
    sealed.command.as.apply_angular_impulse.body = r.t.ball;
    talk_step_with(&r.t, NULL, 0, &sealed, 1, false);
    assert_true(talk_action(&r.t, ISO_CLIENT_ACTION_LOST, 0)->sequence == given + 1);
    assert_true(talk_action(&r.t, ISO_CLIENT_ACTION_LOST, 1)->sequence == given + 2);
    assert_null(talk_action(&r.t, ISO_CLIENT_ACTION_LOST, 2));
    assert_int_equal(rig_hear_of_lost(&r, 300, true, 0), 0);
    talk_term(&r.t);
}

/// A snapshot leads back to when somebody else had the slot, whose sequences were higher.
static void test_who_had_the_slot_before_decides_nothing(void **state) {
    (void)state;
    rig r;
    talk t;
    rig_init_with(&r, talk_config(&t));
    const size_t size_max = iso_world_image_size_max(r.t.world);
    uint8_t *image = malloc(size_max);
    const size_t size = iso_world_save(r.t.world, image, size_max);
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(iso_world_step_empty(r.t.world), ISO_OK);
    }
    r.t.root = iso_world_root(r.t.world);
    talk_activate(&r.t);
    const uint64_t given = rig_give(&r, 3);
    assert_int_equal(rig_send(&r, 3), given);
    assert_int_equal(iso_client_flip(r.t.client), ISO_OK);
    talk_step(&r.t);
    iso_message m = {.kind = ISO_MESSAGE_DESYNC_NOTICE};
    m.as.desync_notice = (iso_message_desync_notice){r.t.slot, talk_tick(&r.t), r.t.root, 222, ISO_DESYNC_HEAL};
    talk_say(&r.t, &m);
    assert_int_equal(iso_world_restore(r.t.world, image, size), ISO_OK);
    r.t.root = iso_world_root(r.t.world);
    talk_snapshot(&r.t);
    iso_sealed_command sealed = {.slot = r.t.slot, .sequence = given + 100};
    sealed.command.kind = ISO_COMMAND_APPLY_ANGULAR_IMPULSE;
    sealed.command.as.apply_angular_impulse.body = r.t.ball;
    const iso_change join = {ISO_CHANGE_JOIN, r.t.slot, 1};
    talk_step_with(&r.t, &join, 1, &sealed, 1, false);
    assert_null(talk_action(&r.t, ISO_CLIENT_ACTION_LOST, 0));
    free(image);
    talk_term(&r.t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands_that_may_be_under_way_are_kept),
        cmocka_unit_test(test_fate_of_every_command_is_told),
        cmocka_unit_test(test_who_had_the_slot_before_decides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
