/// Handshake, joining late, leaving, the comparison of roots.
#include "session_rig.h"
#include "isostep/games.h"

static void expect_refusal(const iso_message *hello, iso_status code, const char *expected) {
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_open(r, 1);
    rig_message(r, 1, hello);
    const iso_message *refusal = rig_last(r, 1, ISO_MESSAGE_REFUSAL);
    assert_non_null(refusal);
    assert_int_equal(refusal->as.refusal.code, code);
    assert_string_equal(refusal->as.refusal.text, iso_status_text(code));
    assert_non_null(strstr(refusal->as.refusal.expected, expected));
    assert_true(rig_is_closed(r, 1, code));
    rig_destroy(r);
}

static iso_message good_hello(void) {
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    rig_destroy(r);
    return hello;
}

static void test_session_refuses_another_protocol(void **state) {
    (void)state;
    iso_message hello = good_hello();
    hello.as.hello.protocol_min = ISO_PROTOCOL_VERSION + 1;
    hello.as.hello.protocol_max = 9;
    expect_refusal(&hello, ISO_ERR_PROTOCOL_VERSION, "protocol 3");
}

static void test_session_refuses_another_name(void **state) {
    (void)state;
    iso_message hello = good_hello();
    strcpy(hello.as.hello.session, "mai");
    expect_refusal(&hello, ISO_ERR_NO_SESSION, "");
    strcpy(hello.as.hello.session, "main2");
    expect_refusal(&hello, ISO_ERR_NO_SESSION, "");
}

static void test_session_refuses_another_fingerprint_and_says_its_own(void **state) {
    (void)state;
    iso_message hello = good_hello();
    char expected[64];
    snprintf(expected, sizeof expected, "arithmetic %016llx, game sandbox %u",
             (unsigned long long)hello.as.hello.fingerprint.arithmetic,
             (unsigned)hello.as.hello.fingerprint.game_version);
    iso_message wrong = hello;
    wrong.as.hello.fingerprint.arithmetic ^= 1;
    expect_refusal(&wrong, ISO_ERR_FINGERPRINT, expected);
    wrong = hello;
    wrong.as.hello.fingerprint.schema ^= 1;
    expect_refusal(&wrong, ISO_ERR_FINGERPRINT, expected);
    wrong = hello;
    wrong.as.hello.fingerprint.simulation_version += 1;
    expect_refusal(&wrong, ISO_ERR_FINGERPRINT, expected);
    wrong = hello;
    wrong.as.hello.fingerprint.game_version += 1;
    expect_refusal(&wrong, ISO_ERR_FINGERPRINT, expected);
}

static void test_session_takes_a_client_that_names_no_game(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    iso_world_def def = rig_world_def();
    memset(def.game, 0, sizeof def.game);
    iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    iso_fingerprint_make(&def, NULL, &hello.as.hello.fingerprint);
    rig_open(r, 1);
    rig_message(r, 1, &hello);
    const iso_message *welcome = rig_last(r, 1, ISO_MESSAGE_WELCOME);
    assert_non_null(welcome);
    assert_string_equal(welcome->as.welcome.fingerprint.game, "sandbox");
    rig_destroy(r);
}

static void test_session_refuses_unknown_role(void **state) {
    (void)state;
    iso_message hello = good_hello();
    hello.as.hello.role = 3;
    expect_refusal(&hello, ISO_ERR_UNSUPPORTED, "player or spectator");
}

static void test_session_refuses_when_no_slot_is_free(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    for (uint64_t id = 1; id <= 4; ++id) {
        rig_open(r, id);
        const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
        rig_message(r, id, &hello);
        assert_int_equal(rig_last(r, id, ISO_MESSAGE_WELCOME)->as.welcome.slot, id - 1);
    }
    const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    rig_open(r, 5);
    rig_message(r, 5, &hello);
    assert_true(rig_is_closed(r, 5, ISO_ERR_SESSION_FULL));
    // A reserved slot is free again when its connection goes.
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_DISCONNECTED, .connection = 2});
    rig_open(r, 6);
    rig_message(r, 6, &hello);
    assert_int_equal(rig_last(r, 6, ISO_MESSAGE_WELCOME)->as.welcome.slot, 1);
    rig_destroy(r);
}

static void test_session_answers_connections_beyond_its_capacity(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    config.connection_capacity = 2;
    rig *r = rig_create(&config);
    rig_open(r, 1);
    rig_open(r, 2);
    rig_open(r, 3);
    assert_true(rig_is_closed(r, 3, ISO_ERR_SERVER_FULL));
    assert_false(rig_is_closed(r, 1, ISO_OK));
    rig_destroy(r);
}

/// Places, list, table and queue, with connections that come and go in no order.
static void test_session_keeps_its_connections_apart(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    uint64_t open[200] = {0};
    uint64_t id = 0, random = 1;
    for (uint32_t round = 0; round < 3000; ++round) {
        random = random * UINT64_C(6364136223846793005) + 1;
        uint64_t *place = &open[(random >> 33) % 200u];
        rig_forget(r);
        if (*place == 0) {
            *place = id += 1u + (random >> 60); // numbers that are not dense
            rig_open(r, *place);
        } else if ((random >> 50) % 2u == 0) {
            rig_cut(r, *place);
            *place = 0;
        } else {
            const iso_message ping = {.kind = ISO_MESSAGE_PING};
            rig_message(r, *place, &ping);
            assert_true(rig_is_closed(r, *place, ISO_ERR_STATE)); // it, and nobody else
            assert_int_equal(rig_count(r, *place, ISO_MESSAGE_REFUSAL), 1);
            *place = 0;
        }
        uint64_t count = 0;
        for (uint32_t i = 0; i < 200; ++i) {
            count += open[i] != 0;
            assert_false(open[i] != 0 && rig_is_closed(r, open[i], ISO_OK));
        }
        assert_int_equal(rig_stats(r).connections, count);
    }
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_SHUTDOWN});
    for (uint32_t i = 0; i < 200; ++i) {
        assert_true(open[i] == 0 || rig_is_closed(r, open[i], ISO_ERR_SHUTDOWN)); // nobody is forgotten
    }
    rig_destroy(r);
}

/// The host takes no action for a while; whoever comes and goes meanwhile does not cost another its answer.
static void test_session_remembers_whom_it_owes_an_answer(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    const iso_message ping = {.kind = ISO_MESSAGE_PING};
    iso_session_event event = {.kind = ISO_SESSION_EVENT_OPENED, .connection = 1, .message = &ping, .size = 40};
    iso_session_handle(r->session, r->now_ns, &event);
    event.kind = ISO_SESSION_EVENT_MESSAGE;
    iso_session_handle(r->session, r->now_ns, &event);
    for (event.connection = 2; event.connection < 302; ++event.connection) {
        event.kind = ISO_SESSION_EVENT_OPENED;
        iso_session_handle(r->session, r->now_ns, &event);
        event.kind = ISO_SESSION_EVENT_DISCONNECTED;
        iso_session_handle(r->session, r->now_ns, &event);
    }
    rig_drain(r);
    assert_true(rig_is_closed(r, 1, ISO_ERR_STATE));
    rig_destroy(r);
}

static void test_session_takes_a_joiner_in_by_snapshot(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_ticks(r, 10);
    rig_open(r, 7);
    const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    rig_message(r, 7, &hello);
    const iso_message_welcome *welcome = &rig_last(r, 7, ISO_MESSAGE_WELCOME)->as.welcome;
    assert_int_equal(welcome->tick, 10);
    assert_int_equal(welcome->tick_rate_hz, 60);
    assert_string_equal(welcome->control_layout, iso_game_sandbox.control_layout);
    const iso_message_snapshot_begin *begin = &rig_last(r, 7, ISO_MESSAGE_SNAPSHOT_BEGIN)->as.snapshot_begin;
    assert_int_equal(begin->tick, 10);
    assert_int_equal(begin->size, begin->raw_size); // the rig's compression
    rig_ticks(r, 5);
    assert_int_equal(rig_count(r, 7, ISO_MESSAGE_TICK), 0);

    // The snapshot is the state it says.
    const iso_message_snapshot_chunk *chunk = &rig_last(r, 7, ISO_MESSAGE_SNAPSHOT_CHUNK)->as.snapshot_chunk;
    assert_int_equal(begin->chunk_count, 1);
    iso_world_def def;
    uint64_t tick;
    assert_int_equal(iso_snapshot_read_def(chunk->bytes, chunk->size, &def, &tick), ISO_OK);
    const size_t size = iso_world_size(&def, &iso_game_sandbox);
    void *memory = aligned_alloc(64, size);
    iso_world *world;
    assert_int_equal(iso_world_create(&def, &iso_game_sandbox, memory, size, &world), ISO_OK);
    assert_int_equal(iso_snapshot_decode(world, chunk->bytes, chunk->size), ISO_OK);
    assert_true(iso_world_root(world) == begin->root);
    free(memory);

    rig_ack_all(r, 7);
    assert_int_equal(rig_count(r, 7, ISO_MESSAGE_TICK), 5);
    rig_caught_up(r, 7);
    rig_ticks(r, 1);
    const iso_message_activate *activate = &rig_last(r, 7, ISO_MESSAGE_ACTIVATE)->as.activate;
    assert_int_equal(activate->join_tick, 16);
    assert_int_equal(activate->slot, 0);
    assert_int_equal(activate->slot_generation, 1);
    const iso_message_tick *join = &rig_last(r, 7, ISO_MESSAGE_TICK)->as.tick;
    assert_int_equal(join->tick, 16);
    assert_int_equal(join->change_count, 1);
    assert_int_equal(join->changes[0].kind, ISO_CHANGE_JOIN);
    assert_true(join->root == iso_world_root(r->world));
    rig_destroy(r);
}

static void test_session_shares_one_snapshot_among_joiners(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    const iso_message hello = rig_hello(r, ISO_ROLE_SPECTATOR);
    for (uint64_t id = 1; id <= 20; ++id) {
        rig_open(r, id);
        rig_message(r, id, &hello);
        rig_ticks(r, 1);
    }
    iso_session_stats stats;
    iso_session_get_stats(r->session, &stats);
    assert_int_equal(stats.snapshots, 1);
    for (uint64_t id = 1; id <= 20; ++id) {
        rig_ack_all(r, id);
        assert_int_equal(rig_last(r, id, ISO_MESSAGE_TICK)->as.tick.tick, 20);
    }
    rig_destroy(r);
}

static void test_session_keeps_at_most_four_chunks_unacknowledged(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    r->encodes_itself = false;
    rig_open(r, 1);
    const iso_message hello = rig_hello(r, ISO_ROLE_SPECTATOR);
    rig_message(r, 1, &hello);
    assert_null(rig_last(r, 1, ISO_MESSAGE_SNAPSHOT_BEGIN));
    static uint8_t bytes[9 * ISO_SNAPSHOT_CHUNK_SIZE - 100];
    for (size_t i = 0; i < sizeof bytes; ++i) {
        bytes[i] = (uint8_t)(i * 7u + i / 251u);
    }
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_SNAPSHOT_ENCODED,
                                      .tick = r->encode_tick,
                                      .bytes = bytes,
                                      .byte_count = sizeof bytes});
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_SNAPSHOT_BEGIN)->as.snapshot_begin.chunk_count, 9);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_SNAPSHOT_CHUNK), 4);
    rig_ack(r, 1, 0);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_SNAPSHOT_CHUNK), 5);
    rig_ack(r, 1, 3);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_SNAPSHOT_CHUNK), 8);
    rig_ack(r, 1, 7);
    const iso_message_snapshot_chunk *last = &rig_last(r, 1, ISO_MESSAGE_SNAPSHOT_CHUNK)->as.snapshot_chunk;
    assert_int_equal(last->index, 8);
    assert_int_equal(last->size, ISO_SNAPSHOT_CHUNK_SIZE - 100);
    assert_memory_equal(last->bytes, bytes + 8 * ISO_SNAPSHOT_CHUNK_SIZE, last->size);
    // One that was never sent.
    rig_ack(r, 1, 9);
    assert_true(rig_is_closed(r, 1, ISO_ERR_MALFORMED));
    rig_destroy(r);
}

static void test_session_ends_a_joiner_without_progress(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    r->encodes_itself = false;
    rig_open(r, 1);
    const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    rig_message(r, 1, &hello);
    rig_ticks(r, 20 * 60 - 1);
    assert_false(rig_is_closed(r, 1, ISO_OK));
    rig_ticks(r, 2);
    assert_true(rig_is_closed(r, 1, ISO_ERR_JOIN_TIMEOUT));
    rig_destroy(r);
}

static void test_session_ends_a_joiner_that_does_not_gain(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_open(r, 1);
    const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    rig_message(r, 1, &hello);
    rig_ticks(r, 120);
    rig_ack_all(r, 1);
    // It confirms ticks, so it makes progress, but at real time only: 120 ticks must be made up for in 240.
    for (uint32_t i = 0; i < 15 * 60 + 240 + 2; ++i) {
        rig_ticks(r, 1);
        iso_message confirm = {.kind = ISO_MESSAGE_CONFIRM};
        const rig_seen *tick = NULL;
        for (uint32_t k = 0; k < r->seen_count && tick == NULL; ++k) {
            const bool is_it = r->seen[k].kind == ISO_SESSION_ACTION_SEND && r->seen[k].connection == 1 &&
                               r->seen[k].message.kind == ISO_MESSAGE_TICK && r->seen[k].message.as.tick.tick == i + 1;
            tick = is_it ? &r->seen[k] : NULL;
        }
        if (tick != NULL) {
            confirm.as.confirm.tick = tick->message.as.tick.tick;
            confirm.as.confirm.root = tick->message.as.tick.root;
            rig_message(r, 1, &confirm);
        }
        if (i < 15 * 60 + 238) {
            assert_false(rig_is_closed(r, 1, ISO_OK));
        }
    }
    assert_true(rig_is_closed(r, 1, ISO_ERR_TOO_SLOW));
    rig_destroy(r);
}

static void test_session_replays_ticks_at_several_times_real_time(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_open(r, 1);
    const iso_message hello = rig_hello(r, ISO_ROLE_SPECTATOR);
    rig_message(r, 1, &hello);
    rig_ticks(r, 240);
    rig_ack_all(r, 1);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_TICK), 64);
    rig_ticks(r, 1);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_TICK), 72);
    rig_ticks(r, 30);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick.tick, 271);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_TICK), 271);
    rig_destroy(r);
}

/// Joiners come and go in the middle of their snapshots; each time there is room for a fresh one.
static void test_session_takes_a_fresh_snapshot_when_old_ones_are_let_go(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    for (uint64_t id = 1; id <= 6; ++id) {
        rig_open(r, id);
        rig_message(r, id, &hello);
        assert_int_equal(rig_last(r, id, ISO_MESSAGE_SNAPSHOT_BEGIN)->as.snapshot_begin.tick, rig_tick(r));
        if (id % 2 == 0) {
            rig_ack_all(r, id);
        }
        rig_ticks(r, 61);
        rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_DISCONNECTED, .connection = id});
    }
    rig_destroy(r);
}

static void test_session_activates_only_who_has_been_sent_all_ticks(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_open(r, 1);
    const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    rig_message(r, 1, &hello);
    rig_ticks(r, 240);
    rig_ack_all(r, 1);
    rig_caught_up(r, 1); // the 64th tick; the rest is still to come
    for (uint32_t i = 0; i < 40; ++i) {
        rig_ticks(r, 1);
        const iso_message *activate = rig_last(r, 1, ISO_MESSAGE_ACTIVATE);
        const uint64_t sent = rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick.tick;
        assert_true(activate == NULL || sent + 1 >= activate->as.activate.join_tick);
    }
    assert_non_null(rig_last(r, 1, ISO_MESSAGE_ACTIVATE));
    rig_destroy(r);
}

static void test_session_ends_a_joiner_with_a_wrong_root(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    config.desync_policy = ISO_DESYNC_KICK;
    rig *r = rig_create(&config);
    rig_ticks(r, 3);
    rig_open(r, 1);
    const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
    rig_message(r, 1, &hello);
    rig_ack_all(r, 1);
    iso_message message = {.kind = ISO_MESSAGE_CAUGHT_UP};
    message.as.caught_up.tick = 3;
    message.as.caught_up.root = iso_world_root(r->world) + 1;
    rig_message(r, 1, &message);
    assert_null(rig_last(r, 1, ISO_MESSAGE_ACTIVATE));
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_DESYNC_NOTICE)->as.desync_notice.tick, 3);
    assert_true(rig_is_closed(r, 1, ISO_ERR_DESYNC));
    rig_forget(r);
    rig_ticks(r, 1);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_ticks(r, 1);
    assert_int_equal(rig_last(r, 2, ISO_MESSAGE_TICK)->as.tick.changes[0].slot_generation, 1);
    rig_destroy(r);
}

static void test_session_gives_a_slot_back_in_the_next_tick(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_ticks(r, 1);
    const iso_message leave = {.kind = ISO_MESSAGE_LEAVE};
    rig_message(r, 1, &leave);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_BYE)->as.bye.code, ISO_OK);
    assert_true(rig_is_closed(r, 1, ISO_OK));
    rig_ticks(r, 1);
    const iso_message_tick *tick = &rig_last(r, 2, ISO_MESSAGE_TICK)->as.tick;
    assert_int_equal(tick->change_count, 1);
    assert_int_equal(tick->changes[0].kind, ISO_CHANGE_LEAVE);
    assert_int_equal(tick->changes[0].slot, 0);
    rig_join(r, 3, ISO_ROLE_PLAYER);
    rig_ticks(r, 1);
    tick = &rig_last(r, 2, ISO_MESSAGE_TICK)->as.tick;
    assert_int_equal(tick->changes[0].kind, ISO_CHANGE_JOIN);
    assert_int_equal(tick->changes[0].slot, 0);
    assert_int_equal(tick->changes[0].slot_generation, 2);
    rig_destroy(r);
}

static void test_session_forgets_a_join_whose_connection_went(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_SPECTATOR);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_DISCONNECTED, .connection = 2});
    rig_ticks(r, 1);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick.change_count, 0);
    rig_join(r, 3, ISO_ROLE_PLAYER);
    rig_ticks(r, 1);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick.changes[0].slot_generation, 1);
    rig_destroy(r);
}

static void test_session_ends_only_the_client_whose_root_is_wrong(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    config.desync_policy = ISO_DESYNC_KICK;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_join(r, 2, ISO_ROLE_PLAYER);
    rig_ticks(r, 5);
    const iso_message_tick *tick = &rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick;
    iso_message confirm = {.kind = ISO_MESSAGE_CONFIRM};
    confirm.as.confirm.tick = tick->tick;
    confirm.as.confirm.root = tick->root;
    rig_message(r, 1, &confirm);
    assert_false(rig_is_closed(r, 1, ISO_OK));
    const uint64_t right = tick->root;
    confirm.as.confirm.root = right ^ 16;
    rig_message(r, 2, &confirm);
    const iso_message_desync_notice *notice = &rig_last(r, 2, ISO_MESSAGE_DESYNC_NOTICE)->as.desync_notice;
    assert_int_equal(notice->slot, 1);
    assert_true(notice->expected_root == right && notice->actual_root == (right ^ 16));
    assert_int_equal(rig_last(r, 2, ISO_MESSAGE_BYE)->as.bye.code, ISO_ERR_KICKED);
    assert_true(rig_is_closed(r, 2, ISO_ERR_KICKED));
    rig_forget(r);
    rig_ticks(r, 1);
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_TICK), 1);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick.changes[0].slot, 1);
    rig_destroy(r);
}

/// What it was told must have been wrong, so it gets the state anew whatever becomes of others, as often as they do.
static void test_session_heals_who_reports_a_desync_with_the_right_root(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    config.desync_policy = ISO_DESYNC_KICK;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    for (uint32_t time = 1; time <= 3; ++time) {
        rig_ticks(r, 5);
        const iso_message_tick *tick = &rig_last(r, 1, ISO_MESSAGE_TICK)->as.tick;
        const uint64_t last = tick->tick, root = tick->root;
        iso_message report = {.kind = ISO_MESSAGE_DESYNC_REPORT};
        report.as.desync_report.tick = last;
        report.as.desync_report.root = root;
        rig_forget(r);
        rig_message(r, 1, &report);
        const iso_message *notice = rig_last(r, 1, ISO_MESSAGE_DESYNC_NOTICE);
        assert_non_null(notice);
        assert_true(notice->as.desync_notice.expected_root == root && notice->as.desync_notice.actual_root == root);
        if (time == 3) {
            assert_int_equal(notice->as.desync_notice.action, ISO_DESYNC_KICK);
            assert_true(rig_is_closed(r, 1, ISO_ERR_DESYNC));
            break;
        }
        assert_int_equal(notice->as.desync_notice.action, ISO_DESYNC_HEAL);
        rig_ack_all(r, 1);
        rig_ticks(r, 1);
        assert_non_null(rig_last(r, 1, ISO_MESSAGE_TICK));
    }
    assert_int_equal(rig_stats(r).false_reports, 3);
    assert_int_equal(rig_stats(r).desyncs, 0);
    rig_destroy(r);
}

/// Reports that change nothing any more are borne, but not for ever.
static void test_session_ends_who_reports_desyncs_without_end(void **state) {
    (void)state;
    iso_session_config config = rig_config();
    config.desync_policy = ISO_DESYNC_IGNORE;
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 5);
    iso_message report = {.kind = ISO_MESSAGE_DESYNC_REPORT};
    report.as.desync_report.tick = 3;
    for (uint32_t i = 0; i <= 64; ++i) {
        rig_message(r, 1, &report);
        assert_false(rig_is_closed(r, 1, ISO_OK));
    }
    assert_int_equal(rig_count(r, 1, ISO_MESSAGE_DESYNC_NOTICE), 1);
    rig_message(r, 1, &report);
    assert_true(rig_is_closed(r, 1, ISO_ERR_RATE));
    rig_destroy(r);
}

static void test_session_ends_a_peer_that_confirms_what_it_cannot_know(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_join(r, 1, ISO_ROLE_PLAYER);
    rig_ticks(r, 5);
    iso_message confirm = {.kind = ISO_MESSAGE_CONFIRM};
    confirm.as.confirm.tick = 6;
    rig_message(r, 1, &confirm);
    assert_true(rig_is_closed(r, 1, ISO_ERR_STATE));
    rig_destroy(r);
}

static void test_session_loses_patience_with_silence(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_open(r, 1);
    assert_true(iso_session_next_deadline(r->session) <= RIG_START_NS + RIG_SECOND_NS / 60);
    rig_ticks(r, 5 * 60 - 1);
    assert_false(rig_is_closed(r, 1, ISO_OK));
    rig_ticks(r, 1);
    assert_int_equal(rig_last(r, 1, ISO_MESSAGE_REFUSAL)->as.refusal.code, ISO_ERR_TIMEOUT);
    assert_true(rig_is_closed(r, 1, ISO_ERR_TIMEOUT));
    rig_destroy(r);
}

/// A server whose process was stopped: what its members have sent meanwhile waits in its sockets.
static void test_session_that_was_stopped_hears_before_it_judges(void **state) {
    (void)state;
    const uint32_t silences[] = {30000, 1000};
    for (uint32_t i = 0; i < 2; ++i) {
        iso_session_config config = rig_config_resume();
        config.silence_timeout_ms = silences[i];
        config.unacked_ticks_max = 4000; // that is another limit
        rig *r = rig_two_members(&config);
        rig_open(r, 3); // its HELLO is on the way
        r->now_ns += 40 * RIG_SECOND_NS;
        rig_handle(r, (iso_session_event){.kind = ISO_SESSION_EVENT_TIME});
        assert_false(rig_is_closed(r, 1, ISO_ERR_TIMEOUT) || rig_is_closed(r, 2, ISO_ERR_TIMEOUT) ||
                     rig_is_closed(r, 3, ISO_ERR_TIMEOUT));
        const iso_message ping = {.kind = ISO_MESSAGE_PING};
        rig_message(r, 1, &ping);
        const iso_message hello = rig_hello(r, ISO_ROLE_SPECTATOR);
        rig_message(r, 3, &hello);
        assert_non_null(rig_last(r, 3, ISO_MESSAGE_WELCOME));
        // The grace is for what has been sent, and is over soon.
        for (int k = 0; k < 5; ++k) {
            rig_ticks(r, 30);
            rig_message(r, 1, &ping);
        }
        assert_false(rig_is_closed(r, 1, ISO_ERR_TIMEOUT));
        assert_true(rig_is_closed(r, 2, ISO_ERR_TIMEOUT));
        rig_destroy(r);
    }
}

static void test_session_tells_what_it_can_and_how_long_to_wait(void **state) {
    (void)state;
    // A HELLO from before there were features and passwords has neither field: it is a HELLO as good as any.
    const struct {
        uint32_t client_silence_ms, told;
    } cases[] = {{3000, 3000}, {20, 134}, {3600000, 3600000}}; // 8 ticks of 60 Hz take 133.3 ms
    for (uint32_t i = 0; i < 3; ++i) {
        iso_session_config config = rig_config();
        config.client_silence_ms = cases[i].client_silence_ms;
        rig *r = rig_create(&config);
        rig_open(r, 1);
        const iso_message hello = rig_hello(r, ISO_ROLE_PLAYER);
        assert_true(hello.as.hello.features == 0 && hello.as.hello.password[0] == 0);
        rig_message(r, 1, &hello);
        const iso_message_welcome *welcome = &rig_last(r, 1, ISO_MESSAGE_WELCOME)->as.welcome;
        assert_int_equal(welcome->silence_ms, cases[i].told);
        assert_int_equal(welcome->features, ISO_FEATURE_NOTICES);
        rig_destroy(r);
    }
}

static void test_session_ends_a_peer_that_says_something_else_first(void **state) {
    (void)state;
    const iso_session_config config = rig_config();
    rig *r = rig_create(&config);
    rig_open(r, 1);
    const iso_message ping = {.kind = ISO_MESSAGE_PING};
    rig_message(r, 1, &ping);
    assert_true(rig_is_closed(r, 1, ISO_ERR_STATE));
    rig_open(r, 2);
    rig_handle(r,
               (iso_session_event){.kind = ISO_SESSION_EVENT_BAD_FRAME, .connection = 2, .status = ISO_ERR_MALFORMED});
    assert_int_equal(rig_last(r, 2, ISO_MESSAGE_REFUSAL)->as.refusal.code, ISO_ERR_MALFORMED);
    assert_true(rig_is_closed(r, 2, ISO_ERR_MALFORMED));
    rig_destroy(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_session_refuses_another_protocol),
        cmocka_unit_test(test_session_refuses_another_name),
        cmocka_unit_test(test_session_refuses_another_fingerprint_and_says_its_own),
        cmocka_unit_test(test_session_takes_a_client_that_names_no_game),
        cmocka_unit_test(test_session_refuses_unknown_role),
        cmocka_unit_test(test_session_refuses_when_no_slot_is_free),
        cmocka_unit_test(test_session_answers_connections_beyond_its_capacity),
        cmocka_unit_test(test_session_keeps_its_connections_apart),
        cmocka_unit_test(test_session_remembers_whom_it_owes_an_answer),
        cmocka_unit_test(test_session_takes_a_joiner_in_by_snapshot),
        cmocka_unit_test(test_session_shares_one_snapshot_among_joiners),
        cmocka_unit_test(test_session_keeps_at_most_four_chunks_unacknowledged),
        cmocka_unit_test(test_session_ends_a_joiner_without_progress),
        cmocka_unit_test(test_session_ends_a_joiner_that_does_not_gain),
        cmocka_unit_test(test_session_replays_ticks_at_several_times_real_time),
        cmocka_unit_test(test_session_takes_a_fresh_snapshot_when_old_ones_are_let_go),
        cmocka_unit_test(test_session_activates_only_who_has_been_sent_all_ticks),
        cmocka_unit_test(test_session_ends_a_joiner_with_a_wrong_root),
        cmocka_unit_test(test_session_gives_a_slot_back_in_the_next_tick),
        cmocka_unit_test(test_session_forgets_a_join_whose_connection_went),
        cmocka_unit_test(test_session_ends_only_the_client_whose_root_is_wrong),
        cmocka_unit_test(test_session_heals_who_reports_a_desync_with_the_right_root),
        cmocka_unit_test(test_session_ends_who_reports_desyncs_without_end),
        cmocka_unit_test(test_session_ends_a_peer_that_confirms_what_it_cannot_know),
        cmocka_unit_test(test_session_loses_patience_with_silence),
        cmocka_unit_test(test_session_that_was_stopped_hears_before_it_judges),
        cmocka_unit_test(test_session_tells_what_it_can_and_how_long_to_wait),
        cmocka_unit_test(test_session_ends_a_peer_that_says_something_else_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
