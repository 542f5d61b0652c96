/// The client from hello to membership: what it asks, what it believes, what it refuses.
#include "test_client_util.h"

static void test_hello_carries_the_fingerprint_and_no_game(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    assert_int_equal(t.count, 1);
    const iso_message *m = talk_heard(&t, ISO_MESSAGE_HELLO);
    assert_non_null(m);
    iso_world_def def = iso_world_def_default();
    iso_fingerprint own;
    iso_fingerprint_make(&def, NULL, &own);
    assert_true(iso_fingerprint_equal(&m->as.hello.fingerprint, &own));
    assert_string_equal(m->as.hello.session, "main");
    assert_string_equal(m->as.hello.member, "tester");
    assert_int_equal(m->as.hello.compressions, 3);
    assert_int_equal(m->as.hello.role, ISO_ROLE_PLAYER);
    talk_term(&t);
}

static void test_hello_of_a_client_without_a_world_claims_nothing(void **state)
{
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.verify = false;
    talk_init(&t, &config);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    const iso_fingerprint *f = &talk_heard(&t, ISO_MESSAGE_HELLO)->as.hello.fingerprint;
    assert_int_equal(f->simulation_version, 0);
    assert_true(f->schema == 0 && f->arithmetic == 0);
    talk_term(&t);
}

static void test_refusal_ends_with_what_was_expected(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    iso_message m = {.kind = ISO_MESSAGE_REFUSAL};
    m.as.refusal.code = ISO_ERR_FINGERPRINT;
    strcpy(m.as.refusal.text, "other");
    strcpy(m.as.refusal.expected, "simulation 7");
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_FINGERPRINT);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_CLOSE, 0));
    assert_string_equal(talk_action(&t, ISO_CLIENT_ACTION_ENDED, 0)->expected, "simulation 7");
    talk_term(&t);
}

static void test_server_that_does_not_answer_is_given_up(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    assert_true(iso_client_next_deadline(t.client) == t.now_ns + 5 * S);
    talk_wait(&t, 5 * S - 1);
    assert_int_equal(t.count, 0);
    talk_wait(&t, 1);
    assert_ended(&t, ISO_ERR_TIMEOUT);
    assert_true(iso_client_next_deadline(t.client) == UINT64_MAX);
    talk_term(&t);
}

static void test_silent_server_is_given_up(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    uint64_t last = t.now_ns;
    while (iso_client_get_phase(t.client) != ISO_CLIENT_PHASE_ENDED) {
        const uint64_t deadline = iso_client_next_deadline(t.client);
        assert_true(deadline > t.now_ns);
        talk_wait(&t, deadline - t.now_ns);
    }
    assert_ended(&t, ISO_ERR_TIMEOUT);
    assert_int_equal((t.now_ns - last) / S, 30);
    talk_term(&t);
}

typedef void spoil_welcome(iso_message_welcome *welcome);
static void spoil_protocol(iso_message_welcome *w) { w->protocol = 2; }
static void spoil_role(iso_message_welcome *w) { w->role = ISO_ROLE_SPECTATOR; }
static void spoil_slot(iso_message_welcome *w) { w->slot = 32; }
static void spoil_rate(iso_message_welcome *w) { w->tick_rate_hz = 0; }
static void spoil_game(iso_message_welcome *w) { w->fingerprint.game[0] = 'x'; }
static void spoil_game_version(iso_message_welcome *w) { w->fingerprint.game_version += 1; }
static void spoil_simulation(iso_message_welcome *w) { w->fingerprint.simulation_version += 1; }
static void spoil_arithmetic(iso_message_welcome *w) { w->fingerprint.arithmetic ^= 1; }

static void test_welcome_to_another_computation_is_refused(void **state)
{
    (void)state;
    const struct {
        spoil_welcome *spoil;
        iso_status status;
    } cases[] = {
        {spoil_protocol, ISO_ERR_PROTOCOL_VERSION}, {spoil_role, ISO_ERR_MALFORMED},          {spoil_slot, ISO_ERR_MALFORMED},
        {spoil_rate, ISO_ERR_MALFORMED},            {spoil_game, ISO_ERR_UNKNOWN_NAME},       {spoil_game_version, ISO_ERR_FINGERPRINT},
        {spoil_simulation, ISO_ERR_FINGERPRINT},    {spoil_arithmetic, ISO_ERR_FINGERPRINT},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        talk t;
        talk_init(&t, NULL);
        talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
        iso_message m = talk_welcome_message(&t);
        cases[i].spoil(&m.as.welcome);
        talk_say(&t, &m);
        assert_ended(&t, cases[i].status);
        talk_term(&t);
    }
}

static void test_snapshot_with_other_game_parameters_is_refused(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    iso_message m = talk_welcome_message(&t);
    m.as.welcome.fingerprint.game_params ^= 1;
    talk_say(&t, &m);
    talk_snapshot(&t);
    assert_ended(&t, ISO_ERR_FINGERPRINT);
    talk_term(&t);
}

static void test_snapshot_gives_the_servers_world(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 500);
    talk_begin(&t);
    for (uint32_t i = 0; i < t.begin.chunk_count; i++) {
        assert_null(iso_client_world(t.client));
        talk_chunk(&t, i);
        assert_int_equal(talk_heard(&t, ISO_MESSAGE_SNAPSHOT_ACK)->as.snapshot_ack.index, i);
    }
    assert_non_null(iso_client_world(t.client));
    assert_int_equal(iso_client_tick(t.client), talk_tick(&t));
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_CATCHUP);
    talk_term(&t);
}

static void test_compressed_snapshot_is_handed_out_and_taken_back(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 500);
    uint8_t *raw = malloc(t.snapshot_size);
    memcpy(raw, t.snapshot, t.snapshot_size);
    // What stands in the pieces is the host's business: here, the first 700 bytes.
    t.begin.compression = ISO_COMPRESSION_ZSTD;
    t.begin.size = 700;
    t.begin.chunk_count = 2;
    const uint32_t raw_size = t.snapshot_size;
    t.snapshot_size = 700;
    talk_begin(&t);
    talk_chunk(&t, 0);
    assert_null(talk_action(&t, ISO_CLIENT_ACTION_DECOMPRESS, 0));
    talk_chunk(&t, 1);
    const iso_client_action *action = talk_action(&t, ISO_CLIENT_ACTION_DECOMPRESS, 0);
    assert_non_null(action);
    assert_int_equal(action->size, 700);
    assert_int_equal(action->raw_size, raw_size);
    assert_memory_equal(action->bytes, raw, 700);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_DECOMPRESSED, .bytes = raw, .size = raw_size});
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_CATCHUP);
    free(raw);
    talk_term(&t);
}

static void test_snapshot_that_does_not_decompress_is_refused(void **state)
{
    (void)state;
    for (int wrong_size = 0; wrong_size < 2; wrong_size++) {
        talk t;
        talk_init(&t, NULL);
        talk_welcome(&t);
        talk_take_snapshot(&t, 16384);
        t.begin.compression = ISO_COMPRESSION_ZSTD;
        t.begin.size = 700;
        t.begin.chunk_count = 1;
        const uint32_t raw_size = t.snapshot_size;
        t.snapshot_size = 700;
        talk_begin(&t);
        talk_chunk(&t, 0);
        const iso_client_event event = {
            .kind = ISO_CLIENT_EVENT_DECOMPRESSED,
            .status = wrong_size ? ISO_OK : ISO_ERR_CORRUPT,
            .bytes = t.snapshot,
            .size = wrong_size ? raw_size - 1 : raw_size,
        };
        talk_event(&t, event);
        assert_ended(&t, ISO_ERR_CORRUPT);
        talk_term(&t);
    }
}

static void test_snapshot_pieces_in_another_order_are_refused(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 500);
    talk_begin(&t);
    talk_chunk(&t, 0);
    talk_chunk(&t, 2);
    assert_ended(&t, ISO_ERR_MALFORMED);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 500);
    talk_begin(&t);
    talk_chunk(&t, 0);
    talk_chunk(&t, 0);
    assert_ended(&t, ISO_ERR_MALFORMED);
    talk_term(&t);
}

static void test_snapshot_piece_of_another_size_is_refused(void **state)
{
    (void)state;
    for (uint32_t size = 0; size <= 1001; size += size == 0 ? 499 : 501) {
        talk t;
        talk_init(&t, NULL);
        talk_welcome(&t);
        talk_take_snapshot(&t, 500);
        talk_begin(&t);
        iso_message m = {.kind = ISO_MESSAGE_SNAPSHOT_CHUNK};
        m.as.snapshot_chunk.bytes = t.snapshot;
        m.as.snapshot_chunk.size = size;
        talk_say(&t, &m);
        assert_ended(&t, ISO_ERR_MALFORMED);
        talk_term(&t);
    }
}

static void test_snapshot_with_a_wrong_root_is_refused(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    t.root ^= 1;
    talk_snapshot(&t);
    assert_ended(&t, ISO_ERR_CORRUPT);
    assert_null(iso_client_world(t.client));
    talk_term(&t);
}

static void test_snapshot_of_another_tick_is_refused(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 16384);
    t.begin.tick += 1;
    talk_begin(&t);
    talk_chunk(&t, 0);
    assert_ended(&t, ISO_ERR_CORRUPT);
    talk_term(&t);
}

static void test_every_spoilt_byte_of_a_snapshot_is_refused(void **state)
{
    (void)state;
    uint32_t size = 1;
    for (uint32_t at = 0; at < size; at += 1 + at / 16) {
        talk t;
        talk_init(&t, NULL);
        talk_welcome(&t);
        talk_take_snapshot(&t, ISO_SNAPSHOT_CHUNK_SIZE);
        size = t.snapshot_size;
        t.snapshot[at] ^= 0x41;
        talk_begin(&t);
        for (uint32_t i = 0; i < t.begin.chunk_count; i++) {
            talk_chunk(&t, i);
        }
        assert_int_not_equal(talk_end_status(&t), ISO_OK);
        talk_term(&t);
    }
}

typedef void spoil_begin(iso_message_snapshot_begin *begin);
static void spoil_size_zero(iso_message_snapshot_begin *b) { b->size = 0; }
static void spoil_raw_zero(iso_message_snapshot_begin *b) { b->raw_size = 0; }
static void spoil_raw_other(iso_message_snapshot_begin *b) { b->raw_size += 1; }
static void spoil_chunk_zero(iso_message_snapshot_begin *b) { b->chunk_size = 0; }
static void spoil_chunk_large(iso_message_snapshot_begin *b) { b->chunk_size = 16385; }
static void spoil_count_less(iso_message_snapshot_begin *b) { b->chunk_count -= 1; }
static void spoil_count_more(iso_message_snapshot_begin *b) { b->chunk_count += 1; }
static void spoil_compression(iso_message_snapshot_begin *b) { b->compression = 3; }
static void spoil_epoch(iso_message_snapshot_begin *b) { b->epoch += 1; }
static void spoil_tick(iso_message_snapshot_begin *b) { b->tick = ISO_TICK_END; }
static void spoil_huge(iso_message_snapshot_begin *b)
{
    b->size = b->raw_size = UINT32_MAX;
    b->chunk_size = 16384;
    b->chunk_count = (uint32_t)(((uint64_t)UINT32_MAX + 16383) / 16384);
}
static void spoil_huge_raw(iso_message_snapshot_begin *b)
{
    b->compression = ISO_COMPRESSION_ZSTD;
    b->raw_size = UINT32_MAX;
}

static void test_hostile_snapshot_sizes_are_refused_without_memory(void **state)
{
    (void)state;
    const struct {
        spoil_begin *spoil;
        iso_status status;
    } cases[] = {
        {spoil_size_zero, ISO_ERR_MALFORMED},  {spoil_raw_zero, ISO_ERR_MALFORMED},   {spoil_raw_other, ISO_ERR_MALFORMED},
        {spoil_chunk_zero, ISO_ERR_MALFORMED}, {spoil_chunk_large, ISO_ERR_MALFORMED}, {spoil_count_less, ISO_ERR_MALFORMED},
        {spoil_count_more, ISO_ERR_MALFORMED}, {spoil_compression, ISO_ERR_BAD_ENUM}, {spoil_epoch, ISO_ERR_MALFORMED},
        {spoil_tick, ISO_ERR_MALFORMED},       {spoil_huge, ISO_ERR_MEMORY},          {spoil_huge_raw, ISO_ERR_MEMORY},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        talk t;
        talk_init(&t, NULL);
        talk_welcome(&t);
        talk_take_snapshot(&t, 500);
        cases[i].spoil(&t.begin);
        const size_t before = t.allocated_max;
        talk_begin(&t);
        assert_ended(&t, cases[i].status);
        assert_int_equal(t.allocated_max, before);
        talk_term(&t);
    }
}

static void test_world_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.world_size_max = 10000;
    talk_init(&t, &config);
    talk_welcome(&t);
    talk_snapshot(&t);
    assert_ended(&t, ISO_ERR_MEMORY);
    talk_term(&t);
}

static void test_every_failing_allocation_is_an_end(void **state)
{
    (void)state;
    talk t;
    iso_client *client = NULL;
    talk_init(&t, NULL);
    t.refuse_above = 1;
    iso_client_config config = talk_config(&t);
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_MEMORY);
    talk_welcome(&t);
    talk_snapshot(&t);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_ENDED);
    t.refuse_above = 0;
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 16384);
    t.refuse_above = t.snapshot_size; // the world does not fit
    talk_begin(&t);
    talk_chunk(&t, 0);
    assert_ended(&t, ISO_ERR_MEMORY);
    talk_term(&t);
}

static void test_messages_out_of_place_are_refused(void **state)
{
    (void)state;
    talk t;
    iso_message m = {.kind = ISO_MESSAGE_TICK};

    talk_init(&t, NULL);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_CONNECTED});
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_say(&t, &m); // before the snapshot
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    m = talk_welcome_message(&t);
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_take_snapshot(&t, 500);
    talk_chunk(&t, 0); // before its beginning
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    talk_begin(&t); // a second one
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    m = (iso_message){.kind = ISO_MESSAGE_ACTIVATE}; // before CAUGHT_UP
    m.as.activate.slot = t.slot;
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_welcome(&t);
    m = (iso_message){.kind = ISO_MESSAGE_INPUT}; // what only clients say
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_STATE);
    talk_term(&t);
}

static void test_caught_up_waits_for_five_answers(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    assert_non_null(talk_heard(&t, ISO_MESSAGE_PING));
    talk_snapshot(&t);
    for (int i = 0; i < 10; i++) {
        talk_step(&t);
        assert_int_equal(t.sent[ISO_MESSAGE_CAUGHT_UP], 0);
    }
    talk_pings(&t);
    assert_int_equal(t.sent[ISO_MESSAGE_PING], 5);
    const iso_message *m = talk_heard(&t, ISO_MESSAGE_CAUGHT_UP);
    assert_non_null(m);
    assert_int_equal(m->as.caught_up.tick, talk_tick(&t));
    assert_true(m->as.caught_up.root == t.root);
    for (int i = 0; i < 10; i++) {
        talk_step(&t);
    }
    assert_int_equal(t.sent[ISO_MESSAGE_CAUGHT_UP], 1);
    talk_term(&t);
}

static void test_caught_up_waits_for_the_ticks_that_are_under_way(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    // The server is 100 ticks further than what it has sent.
    for (int i = 0; i < 5; i++) {
        talk_wait(&t, 20 * MS);
        iso_message pong = {.kind = ISO_MESSAGE_PONG};
        pong.as.pong.id = t.client->ping_id;
        pong.as.pong.server_tick = talk_tick(&t) + 100;
        t.now_ns += 2 * t.one_way_ns;
        talk_say(&t, &pong);
    }
    assert_int_equal(t.sent[ISO_MESSAGE_CAUGHT_UP], 0);
    uint64_t steps = 0;
    while (t.sent[ISO_MESSAGE_CAUGHT_UP] == 0 && steps < 200) {
        t.now_ns -= S / 60; // faster than real time
        talk_step(&t);
        steps += 1;
    }
    assert_in_range(steps, 90, 93);
    talk_term(&t);
}

static void test_activation_comes_with_the_tick_of_the_join(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    assert_non_null(talk_action(&t, ISO_CLIENT_ACTION_WELCOME, 0));
    talk_snapshot(&t);
    talk_pings(&t);
    iso_message m = {.kind = ISO_MESSAGE_ACTIVATE};
    m.as.activate = (iso_message_activate){t.slot, 1, talk_tick(&t) + 3};
    talk_say(&t, &m);
    talk_step(&t);
    talk_step(&t);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_JOINING);
    assert_int_equal(iso_client_slot(t.client), ISO_SLOT_NONE);
    assert_int_equal(iso_client_set_control(t.client, (const uint8_t *)"\1", 1), ISO_ERR_STATE);
    const iso_change join = {ISO_CHANGE_JOIN, t.slot, 1};
    talk_step_with(&t, &join, 1, NULL, 0, false);
    const iso_client_action *joined = talk_action(&t, ISO_CLIENT_ACTION_JOINED, 0);
    assert_non_null(joined);
    assert_int_equal(joined->slot, 3);
    assert_int_equal(joined->tick, talk_tick(&t));
    assert_int_equal(iso_client_slot(t.client), 3);
    assert_true(iso_client_player_body(t.client).generation != 0);
    iso_client_stats stats;
    iso_client_get_stats(t.client, &stats);
    assert_int_equal(stats.first_tick, talk_tick(&t));
    talk_term(&t);
}

static void test_activation_may_follow_the_tick_of_the_join(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    talk_pings(&t);
    const iso_change join = {ISO_CHANGE_JOIN, t.slot, 1};
    talk_step_with(&t, &join, 1, NULL, 0, false);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_JOINING);
    iso_message m = {.kind = ISO_MESSAGE_ACTIVATE};
    m.as.activate = (iso_message_activate){t.slot, 1, talk_tick(&t)};
    talk_say(&t, &m);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_ACTIVE);
    talk_term(&t);
}

static void test_activation_without_a_join_is_refused(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    talk_pings(&t);
    iso_message m = {.kind = ISO_MESSAGE_ACTIVATE};
    m.as.activate = (iso_message_activate){t.slot, 1, talk_tick(&t) + 1};
    talk_say(&t, &m);
    talk_step(&t);
    assert_ended(&t, ISO_ERR_MALFORMED);
    talk_term(&t);

    // The JOIN is that of another generation.
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    talk_pings(&t);
    m.as.activate = (iso_message_activate){t.slot, 2, talk_tick(&t) + 1};
    talk_say(&t, &m);
    const iso_change join = {ISO_CHANGE_JOIN, t.slot, 1};
    talk_step_with(&t, &join, 1, NULL, 0, false);
    assert_ended(&t, ISO_ERR_MALFORMED);
    talk_term(&t);

    // The member has left again.
    talk_init(&t, NULL);
    talk_welcome(&t);
    talk_snapshot(&t);
    talk_pings(&t);
    talk_step_with(&t, &join, 1, NULL, 0, false);
    const uint64_t join_tick = talk_tick(&t);
    const iso_change leave = {ISO_CHANGE_LEAVE, t.slot, 1};
    talk_step_with(&t, &leave, 1, NULL, 0, false);
    m.as.activate = (iso_message_activate){t.slot, 1, join_tick};
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_MALFORMED);
    talk_term(&t);
}

static void test_spectator_is_active_without_a_slot(void **state)
{
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.role = ISO_ROLE_SPECTATOR;
    talk_init(&t, &config);
    talk_activate(&t);
    assert_int_equal(iso_client_slot(t.client), ISO_SLOT_NONE);
    assert_int_equal(iso_client_set_control(t.client, (const uint8_t *)"\1", 1), ISO_ERR_ROLE);
    for (int i = 0; i < 200; i++) {
        talk_step(&t);
    }
    assert_int_equal(t.sent[ISO_MESSAGE_INPUT], 0);
    assert_in_range(t.sent[ISO_MESSAGE_CONFIRM], 60, 80);
    talk_term(&t);
}

static void test_client_without_a_world_repeats_the_servers_root(void **state)
{
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.verify = false;
    talk_init(&t, &config);
    talk_welcome(&t);
    talk_snapshot(&t);
    assert_null(iso_client_world(t.client));
    talk_step_with(&t, NULL, 0, NULL, 0, true);
    const uint64_t root_before = t.root;
    talk_step_with(&t, NULL, 0, NULL, 0, true); // carries root_before
    talk_pings(&t);
    const iso_message *m = talk_heard(&t, ISO_MESSAGE_CAUGHT_UP);
    assert_non_null(m);
    assert_int_equal(m->as.caught_up.tick, talk_tick(&t) - 1);
    assert_true(m->as.caught_up.root == root_before);
    talk_join(&t);
    assert_int_equal(iso_client_get_phase(t.client), ISO_CLIENT_PHASE_ACTIVE);
    for (int i = 0; i < 100; i++) {
        talk_step(&t);
    }
    assert_int_equal(t.sent[ISO_MESSAGE_CONFIRM], 0);
    assert_true(t.sent[ISO_MESSAGE_INPUT] > 90);
    assert_true(t.largest <= sizeof(iso_client));
    talk_term(&t);
}

static void test_spectator_without_a_world_confirms_with_the_servers_root(void **state)
{
    (void)state;
    talk t;
    iso_client_config config = talk_config(&t);
    config.verify = false;
    config.role = ISO_ROLE_SPECTATOR;
    talk_init(&t, &config);
    talk_activate(&t);
    for (int i = 0; i < 200; i++) {
        const uint64_t root_before = t.root;
        talk_step_with(&t, NULL, 0, NULL, 0, true);
        const iso_message *m = talk_heard(&t, ISO_MESSAGE_CONFIRM);
        if (m != NULL) {
            assert_int_equal(m->as.confirm.tick, talk_tick(&t) - 1);
            assert_true(m->as.confirm.root == root_before);
        }
    }
    assert_in_range(t.sent[ISO_MESSAGE_CONFIRM], 60, 80);
    talk_term(&t);
}

static void test_leaving_is_told_and_waits_for_the_goodbye(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_LEAVE});
    assert_non_null(talk_heard(&t, ISO_MESSAGE_LEAVE));
    talk_step(&t); // was under way
    assert_int_equal(t.count, 0);
    iso_message m = {.kind = ISO_MESSAGE_BYE};
    talk_say(&t, &m);
    assert_ended(&t, ISO_OK);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_activate(&t);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_LEAVE});
    talk_wait(&t, 2 * S); // no answer
    assert_ended(&t, ISO_OK);
    talk_term(&t);
}

static void test_goodbye_and_broken_connection_end_the_client(void **state)
{
    (void)state;
    talk t;
    talk_init(&t, NULL);
    talk_activate(&t);
    iso_message m = {.kind = ISO_MESSAGE_BYE};
    m.as.bye.code = ISO_ERR_SHUTDOWN;
    talk_say(&t, &m);
    assert_ended(&t, ISO_ERR_SHUTDOWN);
    talk_term(&t);

    talk_init(&t, NULL);
    talk_activate(&t);
    talk_event(&t, (iso_client_event){.kind = ISO_CLIENT_EVENT_DISCONNECTED});
    assert_ended(&t, ISO_ERR_CONNECTION);
    assert_null(talk_action(&t, ISO_CLIENT_ACTION_CLOSE, 0));
    talk_term(&t);
}

static void test_bad_configurations_are_refused(void **state)
{
    (void)state;
    talk t = {0};
    iso_client *client = NULL;
    iso_client_config config = talk_config(&t);
    config.session = "Main";
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    config = talk_config(&t);
    config.session = "";
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    config = talk_config(&t);
    config.name = "a name that is longer than 31 bytes";
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    config = talk_config(&t);
    config.role = 3;
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    config = talk_config(&t);
    config.lead_ticks = 0;
    assert_int_equal(iso_client_create(&config, &client), ISO_ERR_RANGE);
    assert_int_equal(t.allocated, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hello_carries_the_fingerprint_and_no_game),
        cmocka_unit_test(test_hello_of_a_client_without_a_world_claims_nothing),
        cmocka_unit_test(test_refusal_ends_with_what_was_expected),
        cmocka_unit_test(test_server_that_does_not_answer_is_given_up),
        cmocka_unit_test(test_silent_server_is_given_up),
        cmocka_unit_test(test_welcome_to_another_computation_is_refused),
        cmocka_unit_test(test_snapshot_with_other_game_parameters_is_refused),
        cmocka_unit_test(test_snapshot_gives_the_servers_world),
        cmocka_unit_test(test_compressed_snapshot_is_handed_out_and_taken_back),
        cmocka_unit_test(test_snapshot_that_does_not_decompress_is_refused),
        cmocka_unit_test(test_snapshot_pieces_in_another_order_are_refused),
        cmocka_unit_test(test_snapshot_piece_of_another_size_is_refused),
        cmocka_unit_test(test_snapshot_with_a_wrong_root_is_refused),
        cmocka_unit_test(test_snapshot_of_another_tick_is_refused),
        cmocka_unit_test(test_every_spoilt_byte_of_a_snapshot_is_refused),
        cmocka_unit_test(test_hostile_snapshot_sizes_are_refused_without_memory),
        cmocka_unit_test(test_world_beyond_the_limit_is_refused),
        cmocka_unit_test(test_every_failing_allocation_is_an_end),
        cmocka_unit_test(test_messages_out_of_place_are_refused),
        cmocka_unit_test(test_caught_up_waits_for_five_answers),
        cmocka_unit_test(test_caught_up_waits_for_the_ticks_that_are_under_way),
        cmocka_unit_test(test_activation_comes_with_the_tick_of_the_join),
        cmocka_unit_test(test_activation_may_follow_the_tick_of_the_join),
        cmocka_unit_test(test_activation_without_a_join_is_refused),
        cmocka_unit_test(test_spectator_is_active_without_a_slot),
        cmocka_unit_test(test_client_without_a_world_repeats_the_servers_root),
        cmocka_unit_test(test_spectator_without_a_world_confirms_with_the_servers_root),
        cmocka_unit_test(test_leaving_is_told_and_waits_for_the_goodbye),
        cmocka_unit_test(test_goodbye_and_broken_connection_end_the_client),
        cmocka_unit_test(test_bad_configurations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
