/// Coming back: slots that are held, secrets, what a member gets that has missed a part.
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

static void test_session_holds_the_slot_of_a_broken_connection(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = two_members(&config);
    rig_input(r, 1, 23, 1, 1, 7 * ISO_FIX16_ONE); // accepted before, sealed after
    rig_cut(r, 1);
    rig_ticks(r, 1);
    const iso_message_tick *tick = rig_last_tick(r, 2);
    assert_true(rig_has_change(tick, ISO_CHANGE_DROP, 0));
    assert_int_equal(tick->change_count, 1);
    iso_slot_view view;
    iso_world_get_slot(r->world, 0, &view);
    assert_true(view.is_occupied && view.is_held);
    assert_int_equal(rig_stats(r).held, 1);
    rig_ticks(r, 2);
    assert_int_equal(rig_sealed_sequence(r, 2, 23, 0), 1);
    rig_destroy(r);
}

static void test_session_goes_on_with_the_ticks_that_a_member_has_missed(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = two_members(&config);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    assert_int_equal(welcome.resumed, ISO_RESUMED_NEW);
    assert_int_equal(welcome.hold_ms, 45000);
    assert_int_equal(welcome.slot_generation, 1);
    rig_input(r, 1, 22, 5, 1, 0);
    const iso_message_tick *seen = rig_last_tick(r, 1);
    const uint64_t tick = seen->tick, root = seen->root;
    rig_cut(r, 1);
    rig_ticks(r, 100);

    come_back(r, 3, &welcome, tick, root);
    const iso_message_welcome again = rig_welcome(r, 3);
    assert_int_equal(again.resumed, ISO_RESUMED_TICKS);
    assert_int_equal(again.slot, welcome.slot);
    assert_int_equal(again.slot_generation, welcome.slot_generation);
    assert_int_equal(again.last_sequence, 5);
    assert_memory_not_equal(again.secret, welcome.secret, ISO_SECRET_SIZE);
    assert_null(rig_last(r, 3, ISO_MESSAGE_SNAPSHOT_BEGIN));
    rig_ticks(r, 40);
    assert_int_equal(rig_count(r, 3, ISO_MESSAGE_TICK), rig_tick(r) - tick); // each once, from tick + 1 on
    rig_caught_up(r, 3);
    assert_null(rig_last(r, 3, ISO_MESSAGE_ACTIVATE)); // it comes with the tick
    rig_ticks(r, 1);
    const iso_message *activate = rig_last(r, 3, ISO_MESSAGE_ACTIVATE);
    assert_int_equal(activate->as.activate.join_tick, rig_tick(r));
    assert_int_equal(activate->as.activate.slot_generation, 1);
    assert_true(rig_has_change(rig_last_tick(r, 2), ISO_CHANGE_RESUME, 0));
    rig_input(r, 3, rig_tick(r) + 1, 5, 1, 0); // used already
    assert_int_equal(rig_last(r, 3, ISO_MESSAGE_REJECT)->as.reject.code, ISO_ERR_REPLAY);
    rig_input(r, 3, rig_tick(r) + 1, 6, 1, 0);
    rig_ticks(r, 1);
    assert_int_equal(rig_sealed_sequence(r, 2, rig_tick(r), 0), 6);
    const iso_session_stats stats = rig_stats(r);
    assert_true(stats.drops == 1 && stats.resumes == 1 && stats.resumed_ticks == 1 && stats.leaves == 0);
    assert_false(rig_is_closed(r, 2, ISO_OK));
    rig_destroy(r);
}

static void test_session_gives_a_snapshot_when_ticks_do_not_help(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.ring_ticks = 512;
    rig *r = two_members(&config);
    const iso_message_welcome one = rig_welcome(r, 1), two = rig_welcome(r, 2);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    rig_cut(r, 1);
    rig_cut(r, 2);
    come_back(r, 3, &two, seen.tick, seen.root ^ 1); // of this epoch, and wrong
    assert_int_equal(rig_welcome(r, 3).resumed, ISO_RESUMED_SNAPSHOT);
    rig_ack_all(r, 3);
    rig_ticks(r, 2);
    rig_caught_up(r, 3);
    rig_ticks(r, 1);
    assert_non_null(rig_last(r, 3, ISO_MESSAGE_ACTIVATE));
    rig_cut(r, 3);
    rig_ticks(r, 600); // longer than the ring
    come_back(r, 4, &one, seen.tick, seen.root);
    assert_int_equal(rig_welcome(r, 4).resumed, ISO_RESUMED_SNAPSHOT);
    rig_ack_all(r, 4);
    rig_ticks(r, 1);
    rig_caught_up(r, 4);
    rig_ticks(r, 1);
    assert_true(rig_has_change(rig_last_tick(r, 4), ISO_CHANGE_RESUME, 0));
    assert_int_equal(rig_stats(r).resumed_snapshot, 2);
    rig_destroy(r);
}

/// Whatever is wrong, the answer is the same.
static void expect_no_resume(rig *r, uint64_t connection, const iso_message *hello) {
    rig_open(r, connection);
    rig_message(r, connection, hello);
    const iso_message *refusal = rig_last(r, connection, ISO_MESSAGE_REFUSAL);
    assert_non_null(refusal);
    assert_int_equal(refusal->as.refusal.code, ISO_ERR_NO_RESUME);
    assert_string_equal(refusal->as.refusal.text, iso_status_text(ISO_ERR_NO_RESUME));
    assert_string_equal(refusal->as.refusal.expected, "");
    assert_true(rig_is_closed(r, connection, ISO_ERR_NO_RESUME));
}

static void test_session_refuses_every_false_claim_alike(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = two_members(&config);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    rig_cut(r, 1);
    rig_ticks(r, 1);
    const iso_message good = rig_resume(r, &welcome, seen.tick, seen.root);
    uint64_t id = 100;
    for (uint32_t bit = 0; bit < 128; bit += 9) {
        iso_message bad = good;
        bad.as.hello.resume.secret[bit / 8] ^= (uint8_t)(1u << bit % 8);
        expect_no_resume(r, id++, &bad);
        bad = good;
        bad.as.hello.resume.uid[bit / 8] ^= (uint8_t)(1u << bit % 8);
        expect_no_resume(r, id++, &bad);
    }
    const uint8_t slots[] = {1, 2, 3, 4, 31};
    for (uint32_t i = 0; i < sizeof slots; ++i) {
        iso_message bad = good;
        bad.as.hello.resume.slot = slots[i];
        expect_no_resume(r, id++, &bad);
    }
    iso_message bad = good;
    bad.as.hello.resume.slot_generation = 2;
    expect_no_resume(r, id++, &bad);
    bad.as.hello.resume.slot_generation = 0;
    expect_no_resume(r, id++, &bad);
    rig_open(r, id);
    rig_message(r, id, &good);
    assert_int_equal(rig_welcome(r, id).resumed, ISO_RESUMED_TICKS); // the right one is still good
    assert_int_equal(rig_stats(r).refused_no_resume, 15 * 2 + 7);
    rig_destroy(r);
}

/// Catches up after a Welcome until Activate has come.
static void be_taken_back(rig *r, uint64_t connection) {
    rig_ticks(r, 20);
    rig_caught_up(r, connection);
    rig_ticks(r, 1);
    assert_non_null(rig_last(r, connection, ISO_MESSAGE_ACTIVATE));
}

static void test_session_takes_every_secret_until_one_is_used(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = two_members(&config);
    const iso_message_welcome first = rig_welcome(r, 1);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    const iso_message ping = {.kind = ISO_MESSAGE_PING};
    for (uint64_t id = 3; id < 6; ++id) { // three times the Welcome is lost
        rig_cut(r, id == 3 ? 1 : id - 1);
        come_back(r, id, &first, seen.tick, seen.root);
        assert_int_equal(rig_welcome(r, id).resumed, ISO_RESUMED_TICKS);
    }
    const iso_message_welcome second = rig_welcome(r, 4);
    rig_message(r, 5, &ping); // not a use yet: it is not a member again
    rig_cut(r, 5);
    come_back(r, 6, &second, seen.tick, seen.root); // one that had arrived after all
    come_back(r, 7, &first, seen.tick, seen.root);
    be_taken_back(r, 7);
    come_back(r, 8, &first, seen.tick, seen.root); // Activate may have been lost
    be_taken_back(r, 8);
    rig_message(r, 8, &ping); // this one has not
    const iso_message_welcome used = rig_welcome(r, 8);
    assert_memory_not_equal(used.secret, first.secret, ISO_SECRET_SIZE);
    rig_cut(r, 8);
    const iso_message oldest = rig_resume(r, &first, seen.tick, seen.root);
    expect_no_resume(r, 9, &oldest);
    come_back(r, 10, &used, seen.tick, seen.root);
    const iso_message_welcome newest = rig_welcome(r, 10);
    assert_int_equal(newest.resumed, ISO_RESUMED_TICKS);
    assert_memory_not_equal(newest.secret, used.secret, ISO_SECRET_SIZE);
    rig_destroy(r);
}

static uint8_t first_message(const rig *r, uint64_t connection) {
    uint32_t i = 0;
    while (r->seen[i].kind != ISO_SESSION_ACTION_SEND || r->seen[i].connection != connection) {
        i += 1;
        assert_true(i < r->seen_count);
    }
    return r->seen[i].message.kind;
}

/// A Welcome gives the next secret away, so the recording must know by then which one was used last.
static void test_session_records_the_use_of_a_secret_before_the_next_welcome(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.is_recording = true;
    rig *r = two_members(&config);
    const iso_message_welcome first = rig_welcome(r, 1);
    come_back(r, 3, &first, 20, rig_last_tick(r, 1)->root);
    be_taken_back(r, 3);
    const iso_message_welcome second = rig_welcome(r, 3);
    const iso_message_tick seen = *rig_last_tick(r, 3);
    const iso_message ping = {.kind = ISO_MESSAGE_PING};
    rig_message(r, 3, &ping);
    const rig_seen *event = rig_last_action(r, ISO_SESSION_ACTION_RECORD_EVENT);
    assert_int_equal(event->event.kind, ISO_RECORDING_EVENT_RESUMED);
    assert_int_equal(event->event.root, RIG_RUN + 2);
    r->writes_itself = false;
    come_back(r, 4, &second, seen.tick, seen.root);
    assert_null(rig_last(r, 4, ISO_MESSAGE_WELCOME));
    rig_ticks(r, 1);
    assert_null(rig_last(r, 4, ISO_MESSAGE_WELCOME));
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = rig_tick(r)});
    assert_int_equal(rig_welcome(r, 4).resumed, ISO_RESUMED_TICKS);
    assert_int_equal(first_message(r, 4), ISO_MESSAGE_WELCOME); // and not the tick that is written by now
    assert_memory_not_equal(rig_welcome(r, 4).secret, second.secret, ISO_SECRET_SIZE);
    rig_destroy(r);
}

/// Who was told to be a member has its place in the recording.
static void test_session_activates_a_member_when_its_tick_is_written(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.is_recording = true;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    r->writes_itself = false;
    rig_ticks(r, 1);
    assert_true(rig_last_action(r, ISO_SESSION_ACTION_RECORD_TICK)->message.as.tick.change_count == 1);
    assert_null(rig_last(r, 1, ISO_MESSAGE_ACTIVATE));
    rig_ticks(r, 1);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_RECORDER_WRITTEN, .tick = 1});
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_ACTIVATE)->as.activate.join_tick, 1);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    const uint64_t root = rig_last_tick(r, 1)->root;
    rig_cut(r, 1); // at once
    come_back(r, 2, &welcome, 1, root);
    assert_int_equal(rig_welcome(r, 2).resumed, ISO_RESUMED_TICKS);
    rig_destroy(r);
}

/// Who was refused a slot before it was a member has no way into what another has made of it.
static void test_session_gives_no_two_members_the_same_secret(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_create(&config);
    rig_open(r, 1);
    const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    rig_message(r, 1, &hello);
    const iso_message_welcome early = rig_welcome(r, 1);
    rig_cut(r, 1);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_ticks(r, 2);
    const iso_message_welcome taken = rig_welcome(r, 2);
    assert_int_equal(taken.slot, early.slot);
    assert_int_equal(taken.slot_generation, early.slot_generation);
    const iso_message claim = rig_resume(r, &early, 1, rig_last_tick(r, 2)->root);
    expect_no_resume(r, 3, &claim);
    rig_destroy(r);
}

static void test_session_ends_the_half_open_connection_of_who_comes_back(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = two_members(&config);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    come_back(r, 3, &welcome, seen.tick, seen.root);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_BYE)->as.bye.code, ISO_ERR_TAKEN_OVER);
    assert_true(rig_is_closed(r, 1, ISO_ERR_TAKEN_OVER));
    rig_input(r, 1, 25, 1, 1, 0); // what the old one still says is not heard
    iso_message caught_up = {.kind = ISO_MESSAGE_CAUGHT_UP};
    caught_up.as.caught_up.tick = seen.tick;
    caught_up.as.caught_up.root = seen.root;
    rig_message(r, 3, &caught_up); // at once: DROP and RESUME do not share a tick
    rig_ticks(r, 1);
    assert_true(rig_has_change(rig_last_tick(r, 2), ISO_CHANGE_DROP, 0));
    assert_int_equal(rig_last_tick(r, 2)->change_count, 1);
    rig_ticks(r, 1);
    assert_true(rig_has_change(rig_last_tick(r, 2), ISO_CHANGE_RESUME, 0));
    assert_non_null(rig_last(r, 3, ISO_MESSAGE_ACTIVATE));
    assert_int_equal(rig_last_tick(r, 3)->command_count, 0);
    rig_destroy(r);
}

static void test_session_lets_go_who_does_not_come_back_in_time(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = two_members(&config);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    rig_cut(r, 2);
    rig_cut(r, 1);
    rig_ticks(r, 1);
    rig_join(r, 3, ISO_ROLE_SPECTATOR);
    const iso_message ping = {.kind = ISO_MESSAGE_PING};
    for (uint32_t second = 0; second < 44; ++second) {
        rig_forget(r);
        rig_ticks(r, 60);
        iso_message ack = {.kind = ISO_MESSAGE_INPUT};
        ack.as.input.ack_tick = rig_tick(r);
        rig_message(r, 3, &ack);
        rig_message(r, 3, &ping);
    }
    assert_int_equal(rig_stats(r).held, 2);
    come_back(r, 4, &welcome, seen.tick, seen.root); // just in time, and slow from now on
    rig_forget(r);
    rig_ticks(r, 90);
    assert_int_equal(rig_stats(r).held, 1);
    assert_int_equal(rig_stats(r).leaves, 1);
    assert_int_equal(rig_stats(r).holds_expired, 1);
    rig_cut(r, 4); // its time is over, too
    rig_ticks(r, 2);
    assert_true(rig_has_change(rig_last_tick(r, 3), ISO_CHANGE_LEAVE, 0));
    assert_int_equal(rig_stats(r).held, 0);
    const iso_message late = rig_resume(r, &welcome, seen.tick, seen.root);
    expect_no_resume(r, 5, &late);
    rig_destroy(r);
}

static void test_session_holds_only_for_who_was_not_at_fault(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = two_members(&config);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    const iso_message leave = {.kind = ISO_MESSAGE_LEAVE};
    rig_message(r, 1, &leave);
    rig_ticks(r, 1);
    assert_true(rig_has_change(rig_last_tick(r, 2), ISO_CHANGE_LEAVE, 0));
    const iso_message claim = rig_resume(r, &welcome, seen.tick, seen.root);
    expect_no_resume(r, 3, &claim);
    rig_handle(r,
               (iso_session_event){.kind = ISO_SESSION_EVENT_BAD_FRAME, .connection = 2, .status = ISO_ERR_MALFORMED});
    rig_join(r, 4, ISO_ROLE_PLAYER);
    rig_ticks(r, 1);
    assert_true(rig_has_change(rig_last_tick(r, 4), ISO_CHANGE_LEAVE, 1));
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_QUEUED, .connection = 4, .size = 1u << 20});
    assert_true(rig_is_closed(r, 4, ISO_ERR_SLOW_CONSUMER));
    rig_ticks(r, 1);
    assert_int_equal(rig_stats(r).held, 1);
    rig_join(r, 5, ISO_ROLE_PLAYER);
    rig_forget(r);
    rig_ticks(r, 1);
    rig_pass(r, 4 * RIG_SECOND_NS);
    assert_int_equal(rig_stats(r).members, 1);
    rig_ticks(r, 301); // silent, and nothing acknowledged
    assert_int_equal(rig_stats(r).held, 2);
    rig_destroy(r);
}

/// The connection breaks again, at every step of coming back.
static void test_session_lets_a_member_come_back_at_every_phase(void **state) {
    (void)state;
    iso_session_config config = rig_config_resume();
    config.desync_policy = ISO_DESYNC_HEAL;
    rig *r = two_members(&config);
    iso_message_welcome welcome = rig_welcome(r, 1);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    rig_cut(r, 1);
    rig_ticks(r, 70); // so that no image is young any more
    uint64_t id = 10;
    for (uint32_t phase = 0; phase < 6; ++phase) {
        r->encodes_itself = phase != 0;
        const bool wants_image = phase < 2;
        come_back(r, id, &welcome, seen.tick, wants_image ? seen.root ^ 1 : seen.root);
        welcome = rig_welcome(r, id);
        assert_int_equal(welcome.resumed, wants_image ? ISO_RESUMED_SNAPSHOT : ISO_RESUMED_TICKS);
        if (phase == 1) {
            rig_ack(r, id, 0);
        }
        if (phase >= 3) {
            rig_ticks(r, 10);
            rig_caught_up(r, id); // RESUMING
        }
        if (phase >= 4) {
            rig_ticks(r, 1);
            assert_non_null(rig_last(r, id, ISO_MESSAGE_ACTIVATE));
            assert_int_equal(rig_stats(r).held, 0);
        }
        if (phase == 5) { // being healed
            iso_message confirm = {.kind = ISO_MESSAGE_CONFIRM};
            confirm.as.confirm.tick = rig_tick(r);
            rig_message(r, id, &confirm);
            assert_int_equal(rig_last(r, id, ISO_MESSAGE_DESYNC_NOTICE)->as.desync_notice.action, ISO_DESYNC_HEAL);
        }
        rig_cut(r, id);
        if (!r->encodes_itself) {
            rig_answer_encode(r);
        }
        rig_ticks(r, 1);
        assert_int_equal(rig_stats(r).held, 1);
        ++id;
    }
    come_back(r, id, &welcome, seen.tick, seen.root);
    rig_ticks(r, 2);
    come_back(r, id + 1, &welcome, seen.tick, seen.root); // takes over from who is on the way
    assert_true(rig_is_closed(r, id, ISO_ERR_TAKEN_OVER));
    rig_ticks(r, 20);
    rig_caught_up(r, id + 1);
    rig_ticks(r, 1);
    assert_int_equal(rig_stats(r).members, 2);
    assert_int_equal(rig_stats(r).leaves, 0);
    rig_destroy(r);
}

static uint32_t count_holds(const rig *r, uint64_t origin, bool held) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        const rig_seen *seen = &r->seen[i];
        count += seen->kind == ISO_SESSION_ACTION_HOLD && seen->origin == origin && seen->is_held == held;
    }
    return count;
}

static void test_session_says_for_which_origin_it_holds_a_slot(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_create(&config);
    rig_join_from(r, 1, 7);
    rig_join_from(r, 2, 7);
    rig_join(r, 3, ISO_ROLE_PLAYER); // from nowhere
    rig_join_from(r, 4, 8);
    rig_ticks(r, 2);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    for (uint64_t id = 1; id <= 3; ++id) {
        rig_cut(r, id);
    }
    const iso_message leave = {.kind = ISO_MESSAGE_LEAVE};
    rig_message(r, 4, &leave);
    assert_int_equal(count_holds(r, 7, true), 2);
    assert_int_equal(count_holds(r, 7, false), 0);
    rig_open_from(r, 5, 9); // comes back from elsewhere, and is cut again
    const iso_message hello = rig_resume(r, &welcome, 2, rig_last_tick(r, 2)->root);
    rig_message(r, 5, &hello);
    assert_int_equal(count_holds(r, 7, false), 1);
    rig_cut(r, 5);
    assert_int_equal(count_holds(r, 9, true), 1);
    rig_ticks(r, 46 * 60);
    assert_int_equal(count_holds(r, 7, false), 2);
    assert_int_equal(count_holds(r, 9, false), 1);
    assert_int_equal(count_holds(r, 0, true) + count_holds(r, 8, true), 0);
    rig_destroy(r);
}

/// Coming back takes no more than before, if the slot has counted for where it comes from.
static void test_session_lets_nobody_collect_slots_from_a_full_origin(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = rig_create(&config);
    rig_join_from(r, 1, 7);
    rig_join_from(r, 2, 8);
    rig_join(r, 3, ISO_ROLE_PLAYER); // as after a restart, nobody knows from where
    rig_ticks(r, 2);
    const iso_message_welcome welcome[3] = {rig_welcome(r, 1), rig_welcome(r, 2), rig_welcome(r, 3)};
    const uint64_t root = rig_last_tick(r, 2)->root;
    for (uint64_t id = 1; id <= 3; ++id) {
        rig_cut(r, id);
    }
    rig_ticks(r, 1);
    for (uint32_t i = 0; i < 3; ++i) {
        rig_open_from_full(r, 4 + i, 7);
        const iso_message hello = rig_resume(r, &welcome[i], 2, root);
        rig_message(r, 4 + i, &hello);
        assert_int_equal(rig_is_closed(r, 4 + i, ISO_ERR_ADDRESS_LIMIT), i > 0);
    }
    assert_int_equal(rig_welcome(r, 4).slot, welcome[0].slot);
    assert_int_equal(rig_stats(r).leaves, 0); // the others can still come back
    rig_open_from(r, 7, 7);                   // there is room again
    const iso_message hello = rig_resume(r, &welcome[1], 2, root);
    rig_message(r, 7, &hello);
    assert_int_equal(rig_welcome(r, 7).slot, welcome[1].slot);
    rig_destroy(r);
}

static void test_session_ignores_a_spectators_resume(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = two_members(&config);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    iso_message hello = rig_resume(r, &welcome, 20, rig_last_tick(r, 1)->root);
    hello.as.hello.role = ISO_ROLE_SPECTATOR;
    rig_open(r, 3);
    rig_message(r, 3, &hello);
    assert_int_equal(rig_welcome(r, 3).resumed, ISO_RESUMED_NEW);
    assert_int_equal(rig_welcome(r, 3).slot, ISO_SLOT_NONE);
    assert_false(rig_is_closed(r, 1, ISO_OK)); // nobody is taken over
    rig_destroy(r);
}

static void test_session_without_secrets_holds_nothing(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = two_members(&config);
    const iso_message_welcome welcome = rig_welcome(r, 1);
    assert_int_equal(welcome.hold_ms, 0);
    const iso_message_tick seen = *rig_last_tick(r, 1);
    const iso_message claim = rig_resume(r, &welcome, seen.tick, seen.root);
    expect_no_resume(r, 3, &claim);
    rig_cut(r, 1);
    rig_ticks(r, 1);
    assert_true(rig_has_change(rig_last_tick(r, 2), ISO_CHANGE_LEAVE, 0));
    rig_destroy(r);
}

/// A slot that is given back can be taken before the tick that says so.
static void test_session_takes_a_newcomer_as_soon_as_a_member_has_left(void **state) {
    (void)state;
    const iso_session_config config = rig_config_resume();
    rig *r = two_members(&config);
    rig_join(r, 3, ISO_ROLE_PLAYER);
    rig_join(r, 4, ISO_ROLE_PLAYER);
    rig_ticks(r, 5);
    const iso_message leave = {.kind = ISO_MESSAGE_LEAVE};
    rig_message(r, 2, &leave);
    rig_join(r, 5, ISO_ROLE_PLAYER);
    assert_int_equal(rig_welcome(r, 5).slot, 1);
    rig_ticks(r, 1);
    const iso_message_tick *tick = rig_last_tick(r, 5);
    assert_int_equal(tick->change_count, 2);
    assert_int_equal(tick->changes[0].kind, ISO_CHANGE_LEAVE);
    assert_int_equal(tick->changes[0].slot_generation, 1);
    assert_int_equal(tick->changes[1].kind, ISO_CHANGE_JOIN);
    assert_int_equal(tick->changes[1].slot_generation, 2);
    // A held slot is not free.
    rig_cut(r, 5);
    rig_open(r, 6);
    const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    rig_message(r, 6, &hello);
    assert_true(rig_is_closed(r, 6, ISO_ERR_SESSION_FULL));
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_holds_the_slot_of_a_broken_connection),
        cmocka_unit_test(test_session_goes_on_with_the_ticks_that_a_member_has_missed),
        cmocka_unit_test(test_session_gives_a_snapshot_when_ticks_do_not_help),
        cmocka_unit_test(test_session_refuses_every_false_claim_alike),
        cmocka_unit_test(test_session_takes_every_secret_until_one_is_used),
        cmocka_unit_test(test_session_records_the_use_of_a_secret_before_the_next_welcome),
        cmocka_unit_test(test_session_activates_a_member_when_its_tick_is_written),
        cmocka_unit_test(test_session_gives_no_two_members_the_same_secret),
        cmocka_unit_test(test_session_ends_the_half_open_connection_of_who_comes_back),
        cmocka_unit_test(test_session_lets_go_who_does_not_come_back_in_time),
        cmocka_unit_test(test_session_holds_only_for_who_was_not_at_fault),
        cmocka_unit_test(test_session_lets_a_member_come_back_at_every_phase),
        cmocka_unit_test(test_session_says_for_which_origin_it_holds_a_slot),
        cmocka_unit_test(test_session_lets_nobody_collect_slots_from_a_full_origin),
        cmocka_unit_test(test_session_ignores_a_spectators_resume),
        cmocka_unit_test(test_session_without_secrets_holds_nothing),
        cmocka_unit_test(test_session_takes_a_newcomer_as_soon_as_a_member_has_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
