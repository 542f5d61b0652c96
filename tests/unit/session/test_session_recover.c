/// Going on from a recording: the same world and members in a new epoch, and clients that know more or something else.
#include "session_rig.h"

/// A session that was recorded, and what its recording would hold.
static rig *first_epoch_of(uint32_t run, uint32_t ticks_after) {
    iso_session_config config = rig_config_resume();
    config.is_recording = true;
    config.run = run;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_ticks(r, 20);
    rig_input(r, 1, 22, 1, 3, 5 * ISO_FIX16_ONE);
    rig_cut(r, 2); // held when the server dies
    rig_ticks(r, ticks_after);
    return r;
}

static rig *first_epoch(uint32_t ticks_after) {
    return first_epoch_of(RIG_RUN, ticks_after);
}

/// Hands the session what `old` has recorded up to `last`. @return what the last tick came to
static iso_status replay(rig *r, const rig *old, uint64_t last, uint64_t wrong_root_at) {
    for (uint32_t i = 0; i < old->seen_count; ++i) {
        const rig_seen *seen = &old->seen[i];
        if (seen->kind != ISO_SESSION_ACTION_RECORD_TICK || seen->tick > last) {
            continue;
        }
        const iso_message_tick *tick = &seen->message.as.tick;
        const iso_tick_input input = {tick->tick, tick->changes, tick->change_count, tick->commands,
                                      tick->command_count};
        const uint64_t root = seen->root + (seen->tick == wrong_root_at ? 1u : 0u);
        const iso_status status = iso_session_replay(r->session, &input, &root);
        assert_int_equal(status, seen->tick == wrong_root_at ? ISO_ERR_DESYNC : ISO_OK);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

static void replay_events(rig *r, const rig *told) {
    for (uint32_t i = 0; i < told->seen_count; ++i) {
        if (told->seen[i].kind == ISO_SESSION_ACTION_RECORD_EVENT) {
            iso_session_replay_event(r->session, &told->seen[i].event);
        }
    }
}

/// A session that is about to go on from that of `old`.
static rig *create_after(const rig *old) {
    rig *r = calloc(1, sizeof *r);
    r->config = old->config;
    r->config.epoch = old->config.epoch + 1;
    static uint32_t runs = RIG_RUN;
    r->config.run = runs += RIG_RUN;
    r->config.run_before = old->config.run;
    r->now_ns = RIG_START_NS;
    r->encodes_itself = r->writes_itself = true;
    r->allocations_left = UINT32_MAX;
    rig_make_world(r);
    const iso_allocator allocator = {rig_allocate, rig_release, r};
    assert_int_equal(iso_session_create(&r->config, &allocator, r->world, r->now_ns, &r->session), ISO_OK);
    return r;
}

static void begin(rig *r) {
    r->now_ns += 7 * RIG_SECOND_NS; // the replay takes its time
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
}

/// The rig of a session that goes on from `old` as its recording has it up to `last`, with the events of `told`.
static rig *next_epoch(const rig *old, uint64_t last, uint64_t wrong_root_at, const rig *told) {
    rig *r = create_after(old);
    if (replay(r, old, last, wrong_root_at) != ISO_OK) {
        return r;
    }
    if (told != NULL) {
        replay_events(r, told);
    }
    begin(r);
    return r;
}

/// The rig of a session that goes on after a row of killed servers, from what they have written.
static rig *epoch_after(rig *const *killed, uint32_t count) {
    rig *r = create_after(killed[count - 1]);
    for (uint32_t i = 0; i < count; ++i) {
        iso_session_stats stats;
        iso_session_get_stats(killed[i]->session, &stats);
        replay(r, killed[i], stats.written_tick, 0);
        replay_events(r, killed[i]);
    }
    begin(r);
    return r;
}

static uint64_t root_of(const rig *r, uint64_t tick) {
    for (uint32_t i = 0; i < r->seen_count; ++i) {
        if (r->seen[i].kind == ISO_SESSION_ACTION_RECORD_TICK && r->seen[i].tick == tick) {
            return r->seen[i].root;
        }
    }
    fail_msg("tick %llu was not recorded", (unsigned long long)tick);
    return 0;
}

static void come_back(rig *r, uint64_t connection, const iso_message_welcome *welcome, uint64_t tick, uint64_t root) {
    rig_open(r, connection);
    const iso_message hello = rig_resume(r, welcome, tick, root);
    rig_message(r, connection, &hello);
}

static void test_session_goes_on_from_its_recording(void **state) {
    (void)state;
    rig *old = first_epoch(30);
    rig *r = next_epoch(old, UINT64_MAX, 0, old);
    assert_int_equal(rig_tick(r), 50);
    assert_int_equal(rig_stats(r).held, 2);
    assert_int_equal(rig_stats(r).slips, 0);
    const rig_seen *keyframe = rig_last_action(r, ISO_SESSION_ACTION_RECORD_KEYFRAME);
    assert_int_equal(keyframe->tick, 50); // a recording of its own
    assert_true(keyframe->root == root_of(old, 50));
    rig_ticks(r, 1);
    assert_int_equal(rig_last_action(r, ISO_SESSION_ACTION_RECORD_TICK)->tick, 51);

    const iso_message_welcome welcome = rig_welcome(old, 1);
    come_back(r, 1, &welcome, 40, root_of(old, 40)); // what it has missed was sealed before
    const iso_message_welcome again = rig_welcome(r, 1);
    assert_int_equal(again.resumed, ISO_RESUMED_TICKS);
    assert_int_equal(again.epoch, 2);
    assert_int_equal(again.last_sequence, 3);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick.epoch, 2);
    rig_ticks(r, 2);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_TICK), 13); // 41 to 53
    rig_caught_up(r, 1);
    rig_ticks(r, 1);
    assert_true(rig_has_change(rig_last_tick(r, 1), ISO_CHANGE_RESUME, 0));
    for (uint32_t second = 0; second < 46; ++second) {
        rig_ticks(r, 60);
        iso_message ack = {.kind = ISO_MESSAGE_INPUT};
        ack.as.input.ack_tick = rig_tick(r);
        rig_message(r, 1, &ack);
    }
    assert_int_equal(rig_stats(r).holds_expired, 1); // the other one did not come
    assert_int_equal(rig_stats(r).members, 1);
    rig_destroy(r);
    rig_destroy(old);
}

static void test_session_tells_its_new_recording_who_is_held(void **state) {
    (void)state;
    rig *old = first_epoch(30);
    iso_message_welcome welcome = rig_welcome(old, 2);
    const iso_message ping = {.kind = ISO_MESSAGE_PING};
    for (uint64_t id = 10; id < 40; ++id) { // more than a server tries without being told
        come_back(old, id, &welcome, rig_tick(old), root_of(old, rig_tick(old)));
        welcome = rig_welcome(old, id);
        rig_ticks(old, 2);
        rig_caught_up(old, id);
        rig_ticks(old, 1);
        rig_message(old, id, &ping);
        rig_cut(old, id);
        rig_ticks(old, 1);
    }
    rig_ticks(old, 1);
    const uint64_t last = rig_tick(old);
    rig *second = next_epoch(old, UINT64_MAX, 0, old);
    rig_ticks(second, 1);
    uint32_t told = 0;
    for (uint32_t i = 0; i < second->seen_count; ++i) {
        const rig_seen *seen = &second->seen[i];
        if (seen->kind == ISO_SESSION_ACTION_RECORD_EVENT && seen->event.kind == ISO_RECORDING_EVENT_DROPPED) {
            assert_string_equal(seen->event.name, seen->event.slot == 0 ? "ada" : "ada 2");
            assert_int_equal(seen->event.root, RIG_RUN + (seen->event.slot == 0 ? 1 : 31));
            told += 1u << seen->event.slot;
        }
    }
    assert_int_equal(told, 3);
    rig *third = next_epoch(old, UINT64_MAX, 0, second);
    come_back(third, 1, &welcome, last, root_of(old, last));
    assert_int_equal(rig_welcome(third, 1).resumed, ISO_RESUMED_TICKS);
    rig_destroy(third);
    rig_destroy(second);
    rig_destroy(old);
}

/// The server has lost the last ticks, as in a power cut. The client goes back to where both have been.
static void test_session_sends_a_client_back_that_is_ahead(void **state) {
    (void)state;
    for (uint32_t restored = 0; restored <= 1; ++restored) {
        rig *old = first_epoch(30);
        rig *r = next_epoch(old, 44, 0, old);
        rig_ticks(r, restored == 0 ? 3 : 10); // still behind the client, or already past it on another branch
        const iso_message_welcome welcome = rig_welcome(old, 1);
        come_back(r, 1, &welcome, 50, root_of(old, 50));
        assert_int_equal(rig_welcome(r, 1).resumed, ISO_RESUMED_REWIND);
        const iso_message *rewind = rig_last(r, 1, ISO_MESSAGE_REWIND);
        assert_int_equal(rewind->as.rewind.tick, 44);
        assert_int_equal(rewind->as.rewind.epoch, 2);
        assert_true(rewind->as.rewind.root == root_of(old, 44));
        rig_ticks(r, 1);
        assert_null(rig_last(r, 1, ISO_MESSAGE_TICK)); // not before its answer
        iso_message answer = {.kind = ISO_MESSAGE_REWIND_ANSWER};
        answer.as.rewind_answer.is_restored = restored == 1;
        rig_message(r, 1, &answer);
        if (restored == 0) {
            rig_ack_all(r, 1);
        } else {
            assert_null(rig_last(r, 1, ISO_MESSAGE_SNAPSHOT_BEGIN));
        }
        rig_ticks(r, 1);
        const uint64_t from = restored == 1 ? 44 : rig_last(r, 1, ISO_MESSAGE_SNAPSHOT_BEGIN)->as.snapshot_begin.tick;
        assert_int_equal(rig_count(r, 1, ISO_MESSAGE_TICK), rig_tick(r) - from);
        rig_caught_up(r, 1);
        rig_ticks(r, 1);
        assert_true(rig_has_change(rig_last_tick(r, 1), ISO_CHANGE_RESUME, 0));
        rig_message(r, 1, &answer); // nobody has asked
        assert_true(rig_is_closed(r, 1, ISO_ERR_STATE));
        assert_int_equal(rig_stats(r).rewinds_restored, restored);
        rig_destroy(r);
        rig_destroy(old);
    }
}

static void test_session_ends_who_does_not_answer_a_rewind(void **state) {
    (void)state;
    rig *old = first_epoch(30);
    rig *r = next_epoch(old, 44, 0, old);
    const iso_message_welcome welcome = rig_welcome(old, 1);
    come_back(r, 1, &welcome, 50, root_of(old, 50));
    rig_pass(r, 21 * RIG_SECOND_NS);
    assert_true(rig_is_closed(r, 1, ISO_ERR_JOIN_TIMEOUT));
    assert_int_equal(rig_stats(r).held, 2);
    rig_destroy(r);
    rig_destroy(old);
}

/// In a power cut a session forgets the last secrets that were used; a client may have a newer one.
static void test_session_takes_secrets_that_its_recording_does_not_know(void **state) {
    (void)state;
    rig *old = first_epoch(5);
    const iso_message_welcome first = rig_welcome(old, 2);
    come_back(old, 3, &first, 20, root_of(old, 20));
    const iso_message_welcome second = rig_welcome(old, 3); // its RESUME was never sealed
    for (uint32_t with_events = 0; with_events <= 1; ++with_events) {
        rig *r = next_epoch(old, UINT64_MAX, 0, with_events == 1 ? old : NULL);
        come_back(r, 1, &second, 20, root_of(old, 20));
        assert_int_equal(rig_welcome(r, 1).resumed, ISO_RESUMED_TICKS);
        rig_ticks(r, 3);
        rig_caught_up(r, 1);
        rig_ticks(r, 1);
        const iso_message ping = {.kind = ISO_MESSAGE_PING};
        rig_message(r, 1, &ping);
        rig_cut(r, 1);
        come_back(r, 2, &first, 20, root_of(old, 20));
        assert_true(rig_is_closed(r, 2, ISO_ERR_NO_RESUME));
        rig_destroy(r);
    }
    rig_destroy(old);
}

static void expect_no_place(rig *r, uint64_t connection, const iso_message_welcome *welcome) {
    come_back(r, connection, welcome, 20, 0);
    assert_int_equal(rig_last(r, connection, ISO_MESSAGE_REFUSAL)->as.refusal.code, ISO_ERR_NO_RESUME);
    assert_true(rig_is_closed(r, connection, ISO_ERR_NO_RESUME));
}

/// Two runs go on from the same recording, and the second one knows nothing of the first: all that it has recorded is
/// lost. Both give a slot that nobody has had, and one whose last member had a higher number than any of theirs.
static void test_session_gives_no_two_runs_the_same_secrets(void **state) {
    (void)state;
    rig *old = first_epoch_of(ISO_SESSION_RUN_MAX, 5);
    const iso_message leave = {.kind = ISO_MESSAGE_LEAVE};
    rig_message(old, 1, &leave);
    rig_ticks(old, 2);
    rig *runs[2];
    for (uint32_t i = 0; i < 2; ++i) {
        runs[i] = next_epoch(old, UINT64_MAX, 0, old);
        rig_join(runs[i], 1, ISO_ROLE_PLAYER);
        rig_join(runs[i], 2, ISO_ROLE_PLAYER);
        rig_ticks(runs[i], 2);
    }
    for (uint64_t id = 1; id <= 2; ++id) {
        const iso_message_welcome lost = rig_welcome(runs[0], id), own = rig_welcome(runs[1], id);
        assert_int_equal(lost.slot, id == 1 ? 0 : 2);
        assert_int_equal(lost.slot, own.slot);
        assert_int_equal(lost.slot_generation, own.slot_generation);
        assert_int_equal(lost.epoch, own.epoch);
        expect_no_place(runs[1], id + 2, &lost);
        come_back(runs[1], id + 4, &own, rig_tick(runs[1]), root_of(runs[1], rig_tick(runs[1])));
        assert_int_equal(rig_welcome(runs[1], id + 4).resumed, ISO_RESUMED_TICKS);
    }
    rig_destroy(runs[0]);
    rig_destroy(runs[1]);
    rig_destroy(old);
}

/// Nothing was recorded when it joined; then the state that it is in was, and the server died before it said more.
static void test_session_finds_a_member_that_no_event_names_however_many_had_its_slot(void **state) {
    (void)state;
    rig *old = first_epoch(5);
    const iso_message leave = {.kind = ISO_MESSAGE_LEAVE};
    for (uint64_t id = 10; id < 40; ++id) {
        rig_join(old, id, ISO_ROLE_PLAYER);
        rig_ticks(old, 2);
        rig_message(old, id, &leave);
        rig_ticks(old, 2);
    }
    for (uint64_t id = 40; id < 45; ++id) { // of its generation, too
        rig_open(old, id);
        const iso_message hello = rig_hello(old, ISO_ROLE_PLAYER);
        rig_message(old, id, &hello);
        rig_cut(old, id);
    }
    rig_join(old, 45, ISO_ROLE_PLAYER);
    rig_ticks(old, 2);
    const iso_message_welcome welcome = rig_welcome(old, 45);
    assert_int_equal(welcome.slot, 2);
    assert_int_equal(welcome.slot_generation, 31);
    rig *r = next_epoch(old, UINT64_MAX, 0, NULL);
    come_back(r, 1, &welcome, rig_tick(old), root_of(old, rig_tick(old)));
    assert_int_equal(rig_welcome(r, 1).resumed, ISO_RESUMED_TICKS);
    rig_destroy(r);
    rig_destroy(old);
}

/// Builds before this one began a run's numbers at the epoch times 65,536; what a secret is made of has not changed.
/// A recording's text may be longer than a name, and half a character cannot be sent.
static void test_session_cuts_names_of_recordings_between_characters(void **state) {
    (void)state;
    rig *old = first_epoch(5);
    const iso_recording_event event = {.kind = ISO_RECORDING_EVENT_MEMBER,
                                       .slot_generation = 1,
                                       .name = "ada\u00EB\u00EB\u00EB\u00EB\u00EB"
                                               "\u00EB\u00EB\u00EB\u00EB\u00EB"
                                               "aaa\u20AC\u20AC\u20AC\u20AC"};
    iso_session_person people[4];
    rig *r = create_after(old);
    replay(r, old, UINT64_MAX, 0);
    iso_session_replay_event(r->session, &event);
    begin(r);
    assert_true(iso_session_get_people(r->session, people, 4) >= 1);
    assert_int_equal(strlen(people[0].name), 3 + 10 * 2 + 3 + 3);
    assert_memory_equal(people[0].name, event.name, strlen(people[0].name));
    rig_destroy(r);
    rig_destroy(old);
}

static void test_session_knows_the_secrets_of_earlier_builds(void **state) {
    (void)state;
    rig *old = first_epoch(5);
    iso_message_welcome welcome = rig_welcome(old, 1);
    uint8_t bytes[ISO_SESSION_UID_SIZE + 9] = {0};
    memcpy(bytes, old->config.uid, ISO_SESSION_UID_SIZE);
    const uint8_t rest[] = {0, 1, 0, 0, 0, 3, 0, 1, 0}; // slot, generation, number
    memcpy(bytes + ISO_SESSION_UID_SIZE, rest, sizeof rest);
    rig_secret(NULL, bytes, sizeof bytes, welcome.secret);
    const iso_recording_event event = {
        .kind = ISO_RECORDING_EVENT_MEMBER, .slot = 0, .slot_generation = 1, .root = 65536 + 3, .name = "ada"};
    for (uint32_t with_event = 0; with_event <= 1; ++with_event) {
        rig *r = create_after(old);
        r->config.run_before = 65536;
        replay(r, old, UINT64_MAX, 0);
        if (with_event == 1) {
            iso_session_replay_event(r->session, &event);
        }
        begin(r);
        come_back(r, 1, &welcome, 20, root_of(old, 20));
        assert_int_equal(rig_welcome(r, 1).resumed, ISO_RESUMED_TICKS);
        rig_destroy(r);
    }
    rig_destroy(old);
}

/// The server dies again and again before the member is back: after Welcome, while it catches up, and when its RESUME
/// is sealed but not written. What it was given last is good each time, and so is what it had before.
static void test_session_keeps_a_place_over_any_number_of_kills(void **state) {
    (void)state;
    enum { KILLS = 40 };
    rig *killed[KILLS + 3];
    uint32_t count = 0;
    killed[count++] = first_epoch(5);
    const iso_message_welcome first = rig_welcome(killed[0], 2);
    iso_message_welcome newest = first;
    const uint64_t root = root_of(killed[0], 20);
    for (uint32_t kill = 0; kill < KILLS; ++kill) {
        rig *r = killed[count] = epoch_after(killed, count);
        ++count;
        come_back(r, 1, &newest, 20, root);
        const uint64_t id = kill % 4 == 3 ? 2 : 1;
        if (id == 2) {
            come_back(r, id, &first, 20, root); // the Welcome to 1 was lost
        }
        assert_int_equal(rig_welcome(r, 1).resumed, ISO_RESUMED_TICKS);
        assert_int_equal(rig_welcome(r, id).resumed, ISO_RESUMED_TICKS);
        newest = rig_welcome(r, id);
        rig_ticks(r, kill % 3);
        if (kill % 3 == 2) {
            r->writes_itself = false;
            rig_caught_up(r, id);
            rig_ticks(r, 2);
            assert_null(rig_last(r, id, ISO_MESSAGE_ACTIVATE));
        }
    }
    rig *r = killed[count] = epoch_after(killed, count);
    ++count;
    come_back(r, 1, &newest, 20, root);
    rig_ticks(r, 60);
    rig_caught_up(r, 1);
    rig_ticks(r, 1);
    assert_non_null(rig_last(r, 1, ISO_MESSAGE_ACTIVATE));
    newest = rig_welcome(r, 1);
    const iso_message ping = {.kind = ISO_MESSAGE_PING};
    rig_message(r, 1, &ping);
    rig_ticks(r, 1);
    r = killed[count] = epoch_after(killed, count);
    ++count;
    come_back(r, 1, &first, 20, root); // another was used since
    assert_true(rig_is_closed(r, 1, ISO_ERR_NO_RESUME));
    come_back(r, 2, &newest, 20, root);
    assert_int_equal(rig_welcome(r, 2).resumed, ISO_RESUMED_TICKS);
    while (count > 0) {
        rig_destroy(killed[--count]);
    }
}

static void test_session_refuses_a_recording_that_does_not_replay(void **state) {
    (void)state;
    rig *old = first_epoch(30);
    rig *r = next_epoch(old, UINT64_MAX, 30, old);
    const iso_tick_input gap = {.tick = 99};
    assert_int_equal(iso_session_replay(r->session, &gap, NULL), ISO_ERR_STATE);
    rig_destroy(r);
    rig_destroy(old);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_goes_on_from_its_recording),
        cmocka_unit_test(test_session_tells_its_new_recording_who_is_held),
        cmocka_unit_test(test_session_sends_a_client_back_that_is_ahead),
        cmocka_unit_test(test_session_ends_who_does_not_answer_a_rewind),
        cmocka_unit_test(test_session_takes_secrets_that_its_recording_does_not_know),
        cmocka_unit_test(test_session_gives_no_two_runs_the_same_secrets),
        cmocka_unit_test(test_session_finds_a_member_that_no_event_names_however_many_had_its_slot),
        cmocka_unit_test(test_session_cuts_names_of_recordings_between_characters),
        cmocka_unit_test(test_session_knows_the_secrets_of_earlier_builds),
        cmocka_unit_test(test_session_keeps_a_place_over_any_number_of_kills),
        cmocka_unit_test(test_session_refuses_a_recording_that_does_not_replay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
